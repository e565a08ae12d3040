#include "manifest_help.h"

#define POOL(version, spec)                                                                        \
	"apiVersion: karpenter.sh/" version "\nkind: NodePool\nmetadata: {name: p}\nspec:\n" spec
#define CLASS_REF "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: c}\n"
#define UPSTREAM "  template:\n    spec:\n      requirements: []\n" CLASS_REF
#define DIALECT "  templateRef: {name: t}\n"

#define PDB(rest)                                                                                  \
	"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: n, "     \
	"generation: 2}\n" rest

static const struct plm_said_case node_table[] = {
	{"budget of pods",
	 PDB("spec: {minAvailable: 2, selector: {matchLabels: {a: b}, matchExpressions: [{key: c, "
	     "operator: Exists}]}}\n"),
	 {"\"minAvailable\":2,\"minPercent\":0", "\"hasStatus\":0",
	  "{\"key\":\"c\",\"op\":\"Exists\""},
	 NULL,
	 "maxUnavailable"},
	{"budget of pods in percent, with a status",
	 PDB("spec: {maxUnavailable: 30%, unhealthyPodEvictionPolicy: AlwaysAllow, selector: {}}\n"
	     "status: {observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 3, "
	     "desiredHealthy: 2, expectedPods: 3}\n"),
	 {"\"maxUnavailable\":30,\"maxPercent\":1,\"alwaysAllow\":1,\"hasStatus\":1,\"stale\":1,"
	  "\"allowed\":1,\"healthy\":3,\"desired\":2,\"expected\":3"},
	 NULL,
	 "minAvailable"},
	{"budget of pods with both",
	 PDB("spec: {minAvailable: 1, maxUnavailable: 1}\n"),
	 {NULL},
	 "f.yaml:4: PodDisruptionBudget n/b: spec: minAvailable and maxUnavailable cannot both",
	 NULL},
	{"budget of more than all pods",
	 PDB("spec: {minAvailable: 101%}\n"),
	 {NULL},
	 "spec.minAvailable: must be a number that is not negative or a percentage up to 100%",
	 NULL},
	{"budget of less than none",
	 PDB("spec: {maxUnavailable: -1}\n"),
	 {NULL},
	 "spec.maxUnavailable: must be a number",
	 NULL},
	{"budget with a policy that there is not",
	 PDB("spec: {minAvailable: 1, unhealthyPodEvictionPolicy: Never}\n"),
	 {NULL},
	 "spec.unhealthyPodEvictionPolicy: must be one of IfHealthyBudget, AlwaysAllow",
	 NULL},
	{"budget that compares numbers",
	 PDB("spec: {minAvailable: 1, selector: {matchExpressions: [{key: a, operator: Gt, values: "
	     "['1']}]}}\n"),
	 {NULL},
	 "spec.selector.matchExpressions[0]: a label selector has no operator Gt",
	 NULL},
	{"pool with defaults",
	 POOL("v1", UPSTREAM),
	 {"\"classKind\":\"EC2NodeClass\",\"className\":\"c\"",
	  "\"weight\":0,\"minSize\":0,\"expireMs\":2592000000,\"consolidateAfterMs\":0,"
	  "\"consolidation\":\"WhenEmptyOrUnderutilized\",\"budgets\":[{\"nodes\":\"10%\"}],"
	  "\"dialect\":0"},
	 NULL,
	 "notReady"},
	{"pool with everything",
	 POOL("v1", "  template:\n    metadata: {labels: {a: b}}\n    spec:\n" CLASS_REF
		    "      taints: [{key: t, effect: NoSchedule, value: ''}]\n"
		    "      startupTaints: [{key: s, effect: NoExecute}]\n"
		    "      requirements: [{key: failure-domain.beta.kubernetes.io/zone, operator: "
		    "In, values: "
		    "[z2, z1, z2], minValues: 2}, {key: g, operator: Gt, values: ['4']}]\n"
		    "      expireAfter: Never\n      terminationGracePeriod: 1h\n"
		    "  disruption: {consolidateAfter: Never, consolidationPolicy: WhenEmpty, "
		    "budgets: [{nodes: 5, "
		    "reasons: [Drifted], schedule: '@daily', duration: 10m}]}\n"
		    "  limits: {cpu: 10, memory: 1Gi, nodes: 3}\n  weight: 9\n"),
	 {"\"labels\":[{\"key\":\"a\",\"value\":\"b\"}],\"taints\":[{\"key\":\"t\",\"effect\":"
	  "\"NoSchedule\"}],"
	  "\"startupTaints\":[{\"key\":\"s\",\"effect\":\"NoExecute\"}]",
	  "\"requirements\":[{\"key\":\"topology.kubernetes.io/"
	  "zone\",\"op\":\"In\",\"values\":[\"z1\",\"z2\"],"
	  "\"minValues\":2},{\"key\":\"g\",\"op\":\"Gt\",\"values\":[\"4\"],\"minValues\":0}]",
	  "\"limits\":[{\"resource\":\"cpu\",\"amount\":10000},{\"resource\":\"memory\",\"amount\":"
	  "1073741824},"
	  "{\"resource\":\"nodes\",\"amount\":3}],\"weight\":9,\"minSize\":0,\"graceMs\":3600000,"
	  "\"consolidation\":\"WhenEmpty\"",
	  "\"budgets\":[{\"nodes\":\"5\",\"reasons\":[\"Drifted\"],\"schedule\":\"@daily\","
	  "\"durationMs\":600000}]"},
	 NULL,
	 "expireMs"},
	{"pool that is not ready",
	 POOL("v1", UPSTREAM "status: {conditions: [{type: Ready, status: 'False', reason: Bad, "
			     "message: why}]}\n"),
	 {"\"notReady\":\"condition Ready is not True: Bad, why\""},
	 NULL,
	 NULL},
	{"pool that is ready",
	 POOL("v1", UPSTREAM "status: {conditions: [{type: Ready, status: 'True'}]}\n"),
	 {"\"className\":\"c\""},
	 NULL,
	 "notReady"},
	{"static pool",
	 POOL("v1", UPSTREAM "  replicas: 3\n"),
	 {"\"notReady\":\"static pools"},
	 NULL,
	 NULL},
	{"class of another provider",
	 POOL("v1", "  template:\n    spec:\n      requirements: []\n"
		    "      nodeClassRef: {group: x, kind: Other, name: c}\n"),
	 {"\"notReady\":\"no provider for node classes of kind Other\""},
	 NULL,
	 NULL},
	{"pool without class",
	 POOL("v1", "  template: {spec: {}}\n"),
	 {NULL},
	 "nodeClassRef is required",
	 NULL},
	{"budget without duration",
	 POOL("v1", UPSTREAM "  disruption: {budgets: [{nodes: '1', schedule: '@daily'}]}\n"),
	 {NULL},
	 "spec.disruption.budgets[0]: schedule and duration go together",
	 NULL},
	{"budget without nodes",
	 POOL("v1", UPSTREAM "  disruption: {budgets: [{reasons: [Empty]}]}\n"),
	 {NULL},
	 "spec.disruption.budgets[0]: nodes is required",
	 NULL},
	{"budget above all",
	 POOL("v1", UPSTREAM "  disruption: {budgets: [{nodes: 101%}]}\n"),
	 {NULL},
	 "spec.disruption.budgets[0].nodes: \"101%\" is neither a number of nodes nor a percentage",
	 NULL},
	{"budget of a word",
	 POOL("v1", UPSTREAM "  disruption: {budgets: [{nodes: few}]}\n"),
	 {NULL},
	 "spec.disruption.budgets[0].nodes: \"few\" is neither a number of nodes nor a percentage",
	 NULL},
	{"budget for no reason",
	 POOL("v1", UPSTREAM "  disruption: {budgets: [{nodes: 1, reasons: [Expired]}]}\n"),
	 {NULL},
	 "spec.disruption.budgets[0].reasons: \"Expired\" is none of Underutilized, Empty, Drifted",
	 NULL},
	{"budget with a bad schedule",
	 POOL("v1", UPSTREAM "  disruption: {budgets: [{nodes: 1}, {nodes: 1, schedule: '0 25 * * "
			     "*', duration: 1h}]}\n"),
	 {NULL},
	 "spec.disruption.budgets[1].schedule: \"25\" is no hour (0 to 23)",
	 NULL},
	{"budget of seconds",
	 POOL("v1", UPSTREAM
	      "  disruption: {budgets: [{nodes: 1, schedule: '@daily', duration: 90s}]}\n"),
	 {NULL},
	 "spec.disruption.budgets[0].duration: whole hours and minutes only",
	 NULL},
	{"Gt of a word",
	 POOL("v1", "  template:\n    spec:\n" CLASS_REF
		    "      requirements: [{key: g, operator: Gt, values: [many]}]\n"),
	 {NULL},
	 "operator Gt needs one whole number",
	 NULL},
	{"Exists with values",
	 POOL("v1", "  template:\n    spec:\n" CLASS_REF
		    "      requirements: [{key: g, operator: Exists, values: [a]}]\n"),
	 {NULL},
	 "operator Exists takes no values",
	 NULL},

	{"dialect pool with defaults",
	 POOL("v1alpha5", DIALECT),
	 {"\"classKind\":\"NodeTemplate\",\"className\":\"t\"",
	  "\"requirements\":[{\"key\":\"karpenter.sh/"
	  "capacity-type\",\"op\":\"In\",\"values\":[\"on-demand\"]",
	  "\"minSize\":0,\"consolidateAfterMs\":600000,\"consolidation\":\"WhenEmpty\",\"budgets\":"
	  "[{\"nodes\":"
	  "\"100%\"}],\"dialect\":1"},
	 NULL,
	 "maxSize"},
	{"dialect pool with everything",
	 POOL("v1alpha5",
	      DIALECT "  minSize: 1\n  maxSize: 5\n  limits: {cpu: 4}\n  template:\n    spec:\n"
		      "      nodeSelector: {karpenter.sh/nodepool: p, team: x}\n"
		      "      taints: [{key: t, effect: NoSchedule, value: ''}]\n"
		      "      requirements: [{key: karpenter.sh/capacity-type, operator: In, "
		      "values: [spot]}]\n"),
	 {"\"labels\":[{\"key\":\"team\",\"value\":\"x\"}],\"taints\":[{\"key\":\"t\",\"effect\":"
	  "\"NoSchedule\"}],"
	  "\"requirements\":[{\"key\":\"karpenter.sh/"
	  "capacity-type\",\"op\":\"In\",\"values\":[\"spot\"],"
	  "\"minValues\":0}],\"limits\":[{\"resource\":\"cpu\",\"amount\":4000}]",
	  "\"minSize\":1,\"maxSize\":5"},
	 NULL,
	 "on-demand"},
	{"dialect pool that names another",
	 POOL("v1alpha5",
	      DIALECT "  template: {spec: {nodeSelector: {karpenter.sh/nodepool: other}}}\n"),
	 {"\"notReady\":\"label karpenter.sh/nodepool in template.spec.nodeSelector names the pool "
	  "other, this "
	  "one is p\""},
	 NULL,
	 NULL},
	{"dialect pool with sizes crossed",
	 POOL("v1alpha5", DIALECT "  minSize: 3\n  maxSize: 2\n"),
	 {"\"notReady\":\"minSize is above maxSize\""},
	 NULL,
	 NULL},
	{"dialect pool without template",
	 POOL("v1alpha5", "  maxSize: 2\n"),
	 {NULL},
	 "f.yaml:4: NodePool p: spec: templateRef.name is required",
	 NULL},
	{"both dialects",
	 POOL("v1alpha5", DIALECT "  weight: 3\n"),
	 {NULL},
	 "spec.weight: this field and spec.templateRef belong to two dialects",
	 NULL},
	{"both dialects, deeper",
	 POOL("v1", UPSTREAM "  maxSize: 3\n"),
	 {NULL},
	 "spec.template.spec.nodeClassRef: this field and spec.maxSize belong to two dialects",
	 NULL},

	{"node",
	 "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {a: b}, annotations: "
	 "{karpenter.sh/do-not-disrupt: 'true'}}\nspec: {providerID: aws:///z/i, unschedulable: "
	 "true, taints: "
	 "[{key: t, effect: NoSchedule, timeAdded: '2026-01-01T00:00:00Z'}], podCIDR: x}\n"
	 "status: {capacity: {cpu: 4, memory: 8Gi}, allocatable: {cpu: 3900m, memory: 7Gi}, "
	 "conditions: "
	 "[{type: Ready, status: 'True'}], images: [{}]}\n",
	 {"\"providerId\":\"aws:///z/i\",\"taints\":[{\"key\":\"t\",\"effect\":\"NoSchedule\"}]",
	  "\"capacity\":[{\"resource\":\"cpu\",\"amount\":4000},{\"resource\":\"memory\","
	  "\"amount\":8589934592}],"
	  "\"allocatable\":[{\"resource\":\"cpu\",\"amount\":3900}",
	  "\"ready\":1,\"unschedulable\":1,\"doNotDisrupt\":1"},
	 NULL,
	 NULL},
	{"node written by hand",
	 "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 4}}\n",
	 {"\"capacity\":[{\"resource\":\"cpu\",\"amount\":4000}],\"allocatable\":[{\"resource\":"
	  "\"cpu\",\"amount\":"
	  "4000}],\"ready\":1,\"unschedulable\":0,\"doNotDisrupt\":0"},
	 NULL,
	 NULL},
	{"node that is not ready",
	 "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {conditions: [{type: Ready, "
	 "status: Unknown}]}\n",
	 {"\"ready\":0"},
	 NULL,
	 NULL},
	{"claim",
	 "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c, creationTimestamp: "
	 "'1970-01-01T00:00:01Z', labels: {karpenter.sh/nodepool: p}}\nspec: {requirements: [{key: "
	 "beta.kubernetes.io/os, operator: Exists}], resources: {requests: {cpu: 100m}}, taints: "
	 "[{key: t, "
	 "effect: NoSchedule}], startupTaints: [{key: s, effect: NoSchedule}], nodeClassRef: "
	 "{group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}}\n"
	 "status: {providerID: i, nodeName: n, capacity: {cpu: 4}, allocatable: {cpu: 3}, "
	 "conditions: [{type: "
	 "Launched, status: 'True', lastTransitionTime: '1970-01-01T00:00:09Z'}, {type: "
	 "Registered, status: "
	 "'False'}, {type: Initialized, status: 'True'}]}\n",
	 {"\"pool\":\"p\",\"requirements\":[{\"key\":\"kubernetes.io/"
	  "os\",\"op\":\"Exists\",\"minValues\":0}]",
	  "\"requests\":[{\"resource\":\"cpu\",\"amount\":100}]",
	  "\"providerId\":\"i\",\"node\":\"n\"", "\"launchedMs\":9000,\"initializedMs\":1000"},
	 NULL,
	 "registeredMs"},
	{"EC2 class",
	 "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: c}\nspec: "
	 "{amiSelectorTerms: "
	 "[{alias: bottlerocket@latest}], role: r, tags: {b: '2', a: '1'}}\n",
	 {"\"kind\":\"EC2NodeClass\",\"amiFamily\":\"Bottlerocket\",\"tags\":[{\"key\":\"a\","
	  "\"value\":\"1\"},"},
	 NULL,
	 "notReady"},
	{"node template",
	 "apiVersion: karpenter.sh/v1alpha5\nkind: NodeTemplate\nmetadata: {name: t}\nspec: "
	 "{amiFamily: "
	 "Ubuntu22.04, instanceTypes: [g5.xlarge, g5.4xlarge], metadata: {disableCloudInit: "
	 "true}}\n",
	 {"\"kind\":\"NodeTemplate\",\"instanceTypes\":[\"g5.xlarge\",\"g5.4xlarge\"],"
	  "\"amiFamily\":\"Ubuntu22.04\""},
	 NULL,
	 "notReady"},
	{"template of an unknown family",
	 "apiVersion: karpenter.sh/v1alpha5\nkind: NodeTemplate\nmetadata: {name: t}\nspec: "
	 "{amiFamily: Gentoo}\n",
	 {"\"notReady\":\"amiFamily \\\"Gentoo\\\" is not known (known: Ubuntu22.04, Ubuntu24.04, "
	  "AL2023"},
	 NULL,
	 NULL},
};
PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, node_table);
	return plm_tests_run(&tests, "project_node");
}
