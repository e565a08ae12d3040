#include "manifest_help.h"

#define POD(spec) "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n" spec
#define STATUS(status) "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nstatus: {" status "}\n"
#define META(meta) "apiVersion: v1\nkind: Pod\nmetadata: {" meta "}\n"
#define C(requests) "{name: c, resources: {requests: {" requests "}}}"
#define AMOUNTS(cpu, memory)                                                                       \
	"\"requests\":[{\"resource\":\"cpu\",\"amount\":" cpu "},{\"resource\":\"memory\","        \
	"\"amount\":" memory "}]"

static const struct plm_said_case request_table[] = {
	{"nothing asked for",
	 POD("  containers: [{name: c}]\n"),
	 {"\"shape\":{\"requiredPresent\":0"},
	 NULL,
	 "requests"},
	{"containers add up",
	 POD("  containers: [" C("cpu: 1, memory: 1Ki") ", " C("cpu: 250m, memory: 1Ki") "]\n"),
	 {AMOUNTS("1250", "2048")},
	 NULL,
	 NULL},
	{"sums are rounded once",
	 POD("  containers: [" C("cpu: 500u, memory: 0.1Ki") ", " C(
		 "cpu: 500u, memory: 0.1Ki") "]\n"),
	 {AMOUNTS("1", "205")},
	 NULL,
	 NULL},
	{"limit where the request is missing",
	 POD("  containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: "
	     "3Ki}}}]\n"),
	 {AMOUNTS("1000", "3072")},
	 NULL,
	 NULL},
	{"request above the limit",
	 POD("  containers: [{name: c, resources: {requests: {cpu: 3}, limits: {cpu: 2}}}]\n"),
	 {"\"containers\":[{\"role\":\"containers\",\"requests\":[{\"resource\":\"cpu\","
	  "\"amount\":3000,\"excessNano\":0}],\"limits\":[{\"resource\":\"cpu\","
	  "\"amount\":2000,\"excessNano\":0}]}]"},
	 NULL,
	 NULL},
	{"init containers one by one",
	 POD("  containers: [" C("cpu: 1, memory: 1Ki") "]\n  initContainers: [" C("cpu: 3") ", " C(
		 "memory: 5Ki") "]\n"),
	 {AMOUNTS("3000", "5120")},
	 NULL,
	 NULL},
	{"init container below the sum",
	 POD("  containers: [" C("cpu: 2") ", " C("cpu: 2") "]\n  initContainers: [" C(
		 "cpu: 3") "]\n"),
	 {"{\"resource\":\"cpu\",\"amount\":4000}"},
	 NULL,
	 NULL},
	{"sidecars run with the containers",
	 POD("  containers: [" C(
		 "cpu: 2") "]\n  initContainers: [{name: s, restartPolicy: Always, resources: "
			   "{requests: {cpu: 1}}}]\n"),
	 {"{\"resource\":\"cpu\",\"amount\":3000}"},
	 NULL,
	 NULL},
	{"sidecars before an init container count with it",
	 POD("  containers: [" C(
		 "cpu: 1") "]\n  initContainers: [{name: s, restartPolicy: Always, resources: "
			   "{requests: {cpu: 1}}}, " C("cpu: 5") ", {name: t, restartPolicy: "
								 "Always, resources: {requests: "
								 "{cpu: 2}}}]\n"),
	 {"{\"resource\":\"cpu\",\"amount\":6000}"},
	 NULL,
	 NULL},
	{"overhead comes on top",
	 POD("  overhead: {cpu: 250m, memory: 1Ki}\n  containers: [" C("cpu: 1") "]\n"),
	 {AMOUNTS("1250", "1024")},
	 NULL,
	 NULL},
	{"pod level requests replace the sum",
	 POD("  resources: {requests: {cpu: 3}, limits: {memory: 2Ki}}\n  overhead: {cpu: 1}\n  "
	     "containers: [" C("cpu: 1, memory: 1Ki, a.b/c: 2") "]\n"),
	 {"\"requests\":[{\"resource\":\"a.b/"
	  "c\",\"amount\":2},{\"resource\":\"cpu\",\"amount\":4000},"
	  "{\"resource\":\"memory\",\"amount\":2048}]"},
	 NULL,
	 NULL},
	{"numbers are quantities",
	 POD("  containers: [" C("nvidia.com/gpu: 8, cpu: 0.5") "]\n"),
	 {"\"amount\":500},{\"resource\":\"nvidia.com/gpu\",\"amount\":8}"},
	 NULL,
	 NULL},
	{"sums saturate",
	 POD("  containers: [" C("cpu: 8E, memory: 8E") ", " C("cpu: 8E, memory: 8E") "]\n"),
	 {AMOUNTS("9223372036854775807", "9223372036854775807")},
	 NULL,
	 NULL},
	{"negative request",
	 POD("  containers: [" C("cpu: -1") "]\n"),
	 {NULL},
	 "spec.containers[0].resources.requests.cpu: must not be negative",
	 NULL},
	{"request of a list",
	 POD("  containers: [" C("cpu: [1]") "]\n"),
	 {NULL},
	 "requests.cpu: must be a quantity",
	 NULL},
	{"bad overhead",
	 POD("  overhead: {cpu: x}\n  containers: []\n"),
	 {NULL},
	 "spec.overhead.cpu: \"x\" is not",
	 NULL},
};

static const struct plm_said_case shape_table[] = {
	{"selector and tolerations",
	 POD("  nodeSelector: {z: '1', failure-domain.beta.kubernetes.io/zone: a}\n  tolerations: "
	     "[{key: k, value: "
	     "v, effect: NoSchedule}, {key: k, operator: Exists, tolerationSeconds: 30}]\n"),
	 {"\"nodeSelector\":[{\"key\":\"topology.kubernetes.io/"
	  "zone\",\"value\":\"a\"},{\"key\":\"z\",\"value\":\"1\"}]",
	  "\"tolerations\":[{\"key\":\"k\",\"op\":\"Equal\",\"value\":\"v\",\"effect\":"
	  "\"NoSchedule\"},{\"key\":\"k\","
	  "\"op\":\"Exists\",\"seconds\":30}]"},
	 NULL,
	 NULL},
	{"alias and label together",
	 POD("  nodeSelector: {kubernetes.io/os: a, beta.kubernetes.io/os: a}\n"),
	 {"\"nodeSelector\":[{\"key\":\"kubernetes.io/os\",\"value\":\"a\"}]"},
	 NULL,
	 NULL},
	{"node affinity",
	 POD("  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
	     "{nodeSelectorTerms: "
	     "[{matchExpressions: [{key: a, operator: In, values: [x]}]}, {matchFields: [{key: "
	     "metadata.name, "
	     "operator: In, values: [n]}]}]}, preferredDuringSchedulingIgnoredDuringExecution: "
	     "[{weight: 7, "
	     "preference: {matchExpressions: [{key: b, operator: DoesNotExist}]}}]}}\n"),
	 {"\"requiredPresent\":1,\"required\":[{\"weight\":0,\"exprs\":[{\"key\":\"a\",\"op\":"
	  "\"In\",\"values\":[\"x\"],"
	  "\"minValues\":0}]},{\"weight\":0,\"fields\":[{\"key\":\"metadata.name\"",
	  "\"preferred\":[{\"weight\":7,\"exprs\":[{\"key\":\"b\",\"op\":\"DoesNotExist\","
	  "\"minValues\":0}]}]"},
	 NULL,
	 NULL},
	{"required without terms",
	 POD("  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
	     "{nodeSelectorTerms: []}}}\n"),
	 {"\"requiredPresent\":1"},
	 NULL,
	 "\"required\":"},
	{"pod affinity",
	 POD("  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
	     "[{topologyKey: "
	     "failure-domain.beta.kubernetes.io/zone, labelSelector: {matchLabels: {a: b}}, "
	     "namespaces: [n], "
	     "namespaceSelector: {}, matchLabelKeys: [k], mismatchLabelKeys: [m]}]}, "
	     "podAntiAffinity: "
	     "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: "
	     "{topologyKey: "
	     "kubernetes.io/hostname}}]}}\n"),
	 {"\"affinity\":[{\"weight\":0,\"topologyKey\":\"topology.kubernetes.io/"
	  "zone\",\"selector\":{\"present\":1,"
	  "\"exprs\":[{\"key\":\"a\",\"op\":\"In\",\"values\":[\"b\"],\"minValues\":0}]},"
	  "\"namespaces\":[\"n\"],"
	  "\"nsSelector\":{\"present\":1},\"matchKeys\":[\"k\"],\"mismatchKeys\":[\"m\"]}]",
	  "\"preferredAntiAffinity\":[{\"weight\":100,\"topologyKey\":\"kubernetes.io/"
	  "hostname\",\"selector\":"
	  "{\"present\":0},\"nsSelector\":{\"present\":0}}]"},
	 NULL,
	 NULL},
	{"weight 0",
	 POD("  affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
	     "[{weight: 0, preference: {}}]}}\n"),
	 {NULL},
	 "weight must be from 1 to 100",
	 NULL},
	{"affinity without topology key",
	 POD("  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
	     "[{labelSelector: {}}]}}\n"),
	 {NULL},
	 "topologyKey is required",
	 NULL},
	{"topology spread",
	 POD("  topologySpreadConstraints: [{maxSkew: 2, topologyKey: z, whenUnsatisfiable: "
	     "DoNotSchedule, "
	     "labelSelector: {matchLabels: {a: b}}, minDomains: 3, nodeAffinityPolicy: Ignore, "
	     "nodeTaintsPolicy: "
	     "Honor, matchLabelKeys: [h]}, {maxSkew: 1, topologyKey: y, whenUnsatisfiable: "
	     "ScheduleAnyway}]\n"),
	 {"\"spread\":[{\"topologyKey\":\"z\",\"maxSkew\":2,\"when\":\"DoNotSchedule\"",
	  "\"minDomains\":3,\"affinityPolicy\":\"Ignore\",\"taintsPolicy\":\"Honor\",\"matchKeys\":"
	  "[\"h\"]}",
	  "{\"topologyKey\":\"y\",\"maxSkew\":1,\"when\":\"ScheduleAnyway\",\"selector\":{"
	  "\"present\":0},"
	  "\"minDomains\":1}"},
	 NULL,
	 NULL},
	{"host ports",
	 POD("  containers: [{name: c, ports: [{containerPort: 80}, {containerPort: 81, hostPort: "
	     "8081}, "
	     "{containerPort: 82, hostPort: 82, protocol: UDP, hostIP: 10.0.0.1}]}]\n"),
	 {"\"ports\":[{\"ip\":\"0.0.0.0\",\"protocol\":\"TCP\",\"port\":8081},{\"ip\":\"10.0.0.1\","
	  "\"protocol\":\"UDP\","
	  "\"port\":82}]"},
	 NULL,
	 NULL},
	{"the host's network",
	 POD("  hostNetwork: true\n  containers: [{name: c, ports: [{containerPort: 80}]}]\n"),
	 {"\"ports\":[{\"ip\":\"0.0.0.0\",\"protocol\":\"TCP\",\"port\":80}]"},
	 NULL,
	 NULL},
	{"claims",
	 POD("  volumes: [{name: a, emptyDir: {}}, {name: b, persistentVolumeClaim: {claimName: "
	     "c}}, {name: d, "
	     "ephemeral: {volumeClaimTemplate: {}}}]\n"),
	 {"\"volumes\":[{\"claim\":\"c\",\"classSaid\":0},{\"ephemeral\":\"d\",\"classSaid\":0}]"},
	 NULL,
	 NULL},
	{"priority and scheduler",
	 POD("  priority: -5\n  priorityClassName: low\n  preemptionPolicy: Never\n  "
	     "schedulerName: other\n"
	     "  runtimeClassName: kata\n"),
	 {"\"runtimeClass\":\"kata\",\"scheduler\":\"other\",\"priorityClass\":\"low\","
	  "\"priority\":-5,\"neverPreempt\":1"},
	 NULL,
	 NULL},
	{"the default scheduler is none",
	 POD("  schedulerName: default-scheduler\n"),
	 {"\"neverPreempt\":0"},
	 NULL,
	 "scheduler"},
	{"no environment is ever projected",
	 POD("  containers: [{name: c, image: secret-image, env: [{name: PASSWORD, value: "
	     "hunter2}], command: "
	     "[hunter2]}]\n"),
	 {"\"meta\""},
	 NULL,
	 "hunter2"},
};

static const struct plm_said_case pod_table[] = {
	{"written by hand",
	 META("name: p"),
	 {"\"phase\":\"Pending\",\"unschedulable\":0,\"noStatus\":1,\"gated\":0,\"ready\":0,"
	  "\"doNotDisrupt\":0"},
	 NULL,
	 NULL},
	{"cannot be scheduled",
	 STATUS("phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "
		"Unschedulable}]"),
	 {"\"unschedulable\":1,\"noStatus\":0"},
	 NULL,
	 NULL},
	{"gated by its reason",
	 STATUS("phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "
		"SchedulingGated}]"),
	 {"\"unschedulable\":0,\"noStatus\":0"},
	 NULL,
	 NULL},
	{"runs",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: n}\nstatus: {phase: "
	 "Running, startTime: "
	 "'1970-01-01T00:00:07Z', nominatedNodeName: m, conditions: [{type: Ready, status: "
	 "'True'}]}\n",
	 {"\"node\":\"n\",\"nominated\":\"m\",\"phase\":\"Running\"",
	  "\"ready\":1,\"startedMs\":7000"},
	 NULL,
	 NULL},
	{"unknown phase",
	 STATUS("phase: Odd"),
	 {NULL},
	 "status.phase: must be Pending, Running, Succeeded, Failed or Unknown",
	 NULL},
	{"scheduling gate", POD("  schedulingGates: [{name: g}]\n"), {"\"gated\":1"}, NULL, NULL},
	{"must not be disturbed",
	 META("name: p, annotations: {karpenter.sh/do-not-disrupt: 'true'}"),
	 {"\"doNotDisrupt\":1"},
	 NULL,
	 NULL},
	{"must not be disturbed for a while",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: "
	 "{karpenter.sh/do-not-disrupt: 1h}}\n"
	 "status: {startTime: '1970-01-01T00:00:01Z'}\n",
	 {"\"doNotDisrupt\":3601000"},
	 NULL,
	 NULL},
	{"nonsense in the annotation",
	 META("name: p, annotations: {karpenter.sh/do-not-disrupt: perhaps}"),
	 {"\"doNotDisrupt\":-1"},
	 NULL,
	 NULL},
	{"deletion cost",
	 META("name: p, annotations: {controller.kubernetes.io/pod-deletion-cost: '-12'}"),
	 {"\"deletionCost\":-12"},
	 NULL,
	 NULL},
	{"owner is the controller",
	 META("name: p, ownerReferences: [{kind: A, name: a, uid: u}, {kind: B, name: b, uid: v, "
	      "controller: true}]"),
	 {"\"ownerKind\":\"B\",\"ownerName\":\"b\",\"ownerUid\":\"v\""},
	 NULL,
	 NULL},
	{"index of a Job's pod",
	 META("name: p-3-x7, annotations: {batch.kubernetes.io/job-completion-index: '3'}"),
	 {"\"index\":3"},
	 NULL,
	 NULL},
	{"index of a PodSet's pod",
	 META("name: p-12, ownerReferences: [{kind: PodSet, name: p, uid: v, controller: true}]"),
	 {"\"index\":12"},
	 NULL,
	 NULL},
	{"pod set",
	 META("name: p, labels: {kueue.x-k8s.io/podset: workers}"),
	 {"\"podSet\":\"workers\""},
	 NULL,
	 NULL},
	{"being deleted",
	 META("name: p, deletionTimestamp: '1970-01-01T00:00:09Z'"),
	 {"\"deletingMs\":9000"},
	 NULL,
	 NULL},
	{"daemon set",
	 "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d}\nspec: {selector: {}, "
	 "template: {metadata: {labels: "
	 "{a: b}}, spec: {containers: [" C("cpu: 1") "]}}}\n",
	 {"\"template\":{\"name\":\"main\",\"count\":1,\"labels\":[{\"key\":\"a\",\"value\":\"b\"}]"
	  ",\"shape\":{\"requests\":["},
	 NULL,
	 NULL},
	{"stateful set",
	 "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec: {template: {}}\n",
	 {"\"kind\":\"StatefulSet\",\"replicas\":1,\"template\":{\"name\":\"main\",\"count\":1"},
	 NULL,
	 NULL},
	{"negative replicas",
	 "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: s}\nspec: {replicas: -1}\n",
	 {NULL},
	 "spec.replicas: must be from 0 to 2147483647",
	 NULL},
};
PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, request_table);
	PLM_TEST_TABLE(&tests, plm_said_row, shape_table);
	PLM_TEST_TABLE(&tests, plm_said_row, pod_table);
	return plm_tests_run(&tests, "project_pod");
}
