#include "manifest_help.h"

#define CQ(version, spec)                                                                          \
	"apiVersion: kueue.x-k8s.io/" version                                                      \
	"\nkind: ClusterQueue\nmetadata: {name: q}\nspec:\n" spec
#define ANNOTATED(annotations, spec)                                                               \
	"apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata:\n  name: q\n"           \
	"  annotations: {" annotations "}\nspec:\n" spec
#define KUEUE(kind, spec)                                                                          \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: " kind "\nmetadata: {name: q}\nspec:\n" spec
#define GROUP                                                                                      \
	"  resourceGroups:\n  - coveredResources: [cpu, memory]\n    flavors:\n    - name: f\n"    \
	"      resources:\n      - {name: cpu, nominalQuota: 4, borrowingLimit: 500m}\n"           \
	"      - {name: memory, nominalQuota: 1Gi, lendingLimit: 0}\n"
#define DIALECT                                                                                    \
	"  resources:\n  - {name: cpu, minAllowed: 2, maxAllowed: '10'}\n  - {name: memory}\n"

static const struct plm_said_case queue_table[] = {
	{"absent fields",
	 CQ("v1beta2", "  cohortName: c\n"),
	 {"\"cohort\":\"c\",\"strategy\":\"BestEffortFIFO\",\"nsSelector\":{\"present\":0},"
	  "\"whenCanBorrow\":\"MayStopSearch\",\"whenCanPreempt\":\"TryNextFlavor\","
	  "\"preference\":\"BorrowingOverPreemption\",\"within\":\"Never\",\"reclaim\":\"Never\","
	  "\"borrowWithin\":\"Never\",\"stop\":\"None\",\"weightNano\":1000000000,"
	  "\"capacityCheck\":0,"
	  "\"dialect\":0,\"admissionMode\":\"NoAdmissionFairSharing\",\"concurrent\":0}"},
	 NULL,
	 NULL},
	{"admission fair sharing",
	 CQ("v1beta2", "  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"),
	 {"\"admissionMode\":\"UsageBasedAdmissionFairSharing\""},
	 NULL,
	 NULL},
	{"an admission mode that there is not",
	 CQ("v1beta2", "  admissionScope: {admissionMode: UsageBased}\n"),
	 {NULL},
	 "spec.admissionScope.admissionMode: must be NoAdmissionFairSharing or "
	 "UsageBasedAdmissionFairSharing, is \"UsageBased\"",
	 NULL},
	{"quota",
	 CQ("v1beta2", "  cohortName: c\n" GROUP),
	 {"\"groups\":[{\"resources\":[\"cpu\",\"memory\"],\"flavors\":[{\"flavor\":\"f\","
	  "\"quotas\":["
	  "{\"resource\":\"cpu\",\"nominal\":4000,\"borrowing\":500},"
	  "{\"resource\":\"memory\",\"nominal\":1073741824,\"lending\":0}]}]}]"},
	 NULL,
	 NULL},
	{"unlimited quota",
	 CQ("v1beta2",
	    "  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: "
	    "[{name: cpu, nominalQuota: 9223372036854775807}]}]}]\n"),
	 {"\"nominal\":9223372036854775807"},
	 NULL,
	 NULL},
	{"everything set",
	 CQ("v1beta2",
	    "  queueingStrategy: StrictFIFO\n  namespaceSelector: {matchLabels: {t: a}, "
	    "matchExpressions: [{key: d, operator: NotIn, values: [y, x, y]}]}\n"
	    "  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor, "
	    "preference: PreemptionOverBorrowing}\n"
	    "  preemption: {withinClusterQueue: LowerOrNewerEqualPriority, reclaimWithinCohort: "
	    "Any, "
	    "borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: -5}}\n"
	    "  cohortName: c\n" GROUP
	    "  admissionChecksStrategy: {admissionChecks: [{name: c, onFlavors: [f]}, {name: d}]}\n"
	    "  stopPolicy: HoldAndDrain\n  fairSharing: {weight: 500m}\n"),
	 {"\"strategy\":\"StrictFIFO\"",
	  "\"nsSelector\":{\"present\":1,\"exprs\":[{\"key\":\"t\",\"op\":\"In\",\"values\":[\"a\"]"
	  ","
	  "\"minValues\":0},{\"key\":\"d\",\"op\":\"NotIn\",\"values\":[\"x\",\"y\"],\"minValues\":"
	  "0}]}",
	  "\"whenCanBorrow\":\"TryNextFlavor\",\"whenCanPreempt\":\"TryNextFlavor\","
	  "\"preference\":\"PreemptionOverBorrowing\"",
	  "\"within\":\"LowerOrNewerEqualPriority\",\"reclaim\":\"Any\",\"borrowWithin\":"
	  "\"LowerPriority\",\"borrowThreshold\":-5,\"stop\":\"HoldAndDrain\",\"weightNano\":"
	  "500000000",
	  "\"checks\":[{\"name\":\"c\",\"flavors\":[\"f\"]},{\"name\":\"d\"}]"},
	 NULL,
	 NULL},
	{"v1beta1 spellings",
	 CQ("v1beta1", "  cohort: c\n  flavorFungibility: {whenCanBorrow: Borrow, whenCanPreempt: "
		       "Preempt}\n  admissionChecks: [x]\n  namespaceSelector: {}\n"),
	 {"\"cohort\":\"c\"",
	  "\"whenCanBorrow\":\"MayStopSearch\",\"whenCanPreempt\":\"MayStopSearch\"",
	  "\"checks\":[{\"name\":\"x\"}]", "\"nsSelector\":{\"present\":1}"},
	 NULL,
	 NULL},
	{"flavor with other resources",
	 CQ("v1beta2",
	    "  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: "
	    "[{name: memory, nominalQuota: 1}]}]}]\n"),
	 {NULL},
	 "spec.resourceGroups[0].flavors[0].resources[0]: coveredResources has cpu here",
	 NULL},
	{"flavor with too few resources",
	 CQ("v1beta2", "  resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: f, "
		       "resources: [{name: cpu, nominalQuota: 1}]}]}]\n"),
	 {NULL},
	 "1 resources, but coveredResources has 2",
	 NULL},
	{"no nominal quota",
	 CQ("v1beta2",
	    "  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: "
	    "[{name: cpu}]}]}]\n"),
	 {NULL},
	 "nominalQuota is required",
	 NULL},
	{"negative quota",
	 CQ("v1beta2",
	    "  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: "
	    "[{name: cpu, nominalQuota: -1}]}]}]\n"),
	 {NULL},
	 "resources[0].nominalQuota: must not be negative",
	 NULL},
	{"resource in two groups",
	 CQ("v1beta2", "  resourceGroups: [{coveredResources: [cpu], flavors: []}, "
		       "{coveredResources: [cpu], flavors: []}]\n"),
	 {NULL},
	 "spec.resourceGroups[1]: cpu is in two resource groups",
	 NULL},
	{"flavor in two groups",
	 CQ("v1beta2", "  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, "
		       "resources: [{name: cpu, "
		       "nominalQuota: 1}]}]}, {coveredResources: [memory], flavors: [{name: f, "
		       "resources: [{name: "
		       "memory, nominalQuota: 1}]}]}]\n"),
	 {NULL},
	 "flavor f is in two resource groups",
	 NULL},
	{"policy of another field",
	 CQ("v1beta2", "  preemption: {withinClusterQueue: Any}\n"),
	 {NULL},
	 "spec.preemption.withinClusterQueue: must be Never, LowerPriority or LowerOrNewerEqual",
	 NULL},
	{"reclaim of another field",
	 CQ("v1beta2", "  preemption: {reclaimWithinCohort: LowerOrNewerEqualPriority}\n"),
	 {NULL},
	 "must be Never, LowerPriority or Any",
	 NULL},
	{"label selector with a number operator",
	 CQ("v1beta2",
	    "  namespaceSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}\n"),
	 {NULL},
	 "a label selector has no operator Gt",
	 NULL},
	{"In without values",
	 CQ("v1beta2", "  namespaceSelector: {matchExpressions: [{key: a, operator: In}]}\n"),
	 {NULL},
	 "operator In needs values",
	 NULL},

	{"dialect",
	 CQ("v1beta1", DIALECT),
	 {"\"cohort\":\"plimsoll-elastic\",\"groups\":[{\"resources\":[\"cpu\",\"memory\"],",
	  "{\"resource\":\"cpu\",\"nominal\":2000,\"borrowing\":8000,\"lending\":0}",
	  "{\"resource\":\"memory\",\"nominal\":0,\"lending\":0}"},
	 NULL,
	 "misconfigured"},
	{"dialect has one flavor and every namespace",
	 CQ("v1beta1", DIALECT),
	 {"\"flavors\":[{\"flavor\":\"default\",", "\"nsSelector\":{\"present\":1}",
	  "\"within\":\"Never\",\"reclaim\":\"Never\"",
	  "\"weightNano\":1000000000,\"capacityCheck\":1,\"dialect\":1"},
	 NULL,
	 NULL},
	{"dialect with everything",
	 CQ("v1beta1", DIALECT "  weight: 50\n  namespaceSelector: {matchLabels: {a: b}}\n"
			       "  preemption: {enabled: true, priorityThreshold: 75}\n"),
	 {"\"within\":\"LowerPriority\",\"reclaim\":\"Any\",\"borrowWithin\":\"Never\","
	  "\"preemptThreshold\":75",
	  "\"weightNano\":500000000", "{\"key\":\"a\",\"op\":\"In\",\"values\":[\"b\"]"},
	 NULL,
	 NULL},
	{"dialect weight 0",
	 CQ("v1beta1", DIALECT "  weight: 0\n"),
	 {"\"weightNano\":0"},
	 NULL,
	 NULL},
	{"capacity check off",
	 ANNOTATED("plimsoll.dev/capacity-check: \"false\"", DIALECT),
	 {"\"capacityCheck\":0,\"dialect\":1"},
	 NULL,
	 NULL},
	{"minimum above maximum",
	 CQ("v1beta1", "  resources: [{name: cpu, minAllowed: 3, maxAllowed: 2}]\n"),
	 {"\"misconfigured\":\"spec.resources[0]: minAllowed is above maxAllowed\""},
	 NULL,
	 NULL},
	{"bad quantity",
	 CQ("v1beta1", "  resources: [{name: cpu, minAllowed: few}]\n"),
	 {"\"misconfigured\":\"spec.resources[0].minAllowed: \\\"few\\\" is not a quantity"},
	 NULL,
	 NULL},
	{"negative amount",
	 CQ("v1beta1", "  resources: [{name: cpu, maxAllowed: -1}]\n"),
	 {"\"misconfigured\":\"spec.resources[0].maxAllowed: must not be negative\""},
	 NULL,
	 NULL},
	{"resource twice",
	 CQ("v1beta1", "  resources: [{name: cpu}, {name: cpu}]\n"),
	 {"\"misconfigured\":\"spec.resources[1]: this resource is listed twice\""},
	 NULL,
	 NULL},
	{"both dialects",
	 CQ("v1beta1", DIALECT "  cohort: c\n"),
	 {NULL},
	 "spec.cohort: this field and spec.resources belong to two dialects",
	 NULL},
	{"both dialects in preemption",
	 CQ("v1beta1", "  preemption: {enabled: true, withinClusterQueue: Never}\n"),
	 {NULL},
	 "spec.preemption.withinClusterQueue: this field and spec.preemption.enabled belong to two",
	 NULL},

	{"local queue",
	 KUEUE("LocalQueue", "  clusterQueue: c\n  stopPolicy: Hold\n"),
	 {"\"clusterQueue\":\"c\",\"stop\":\"Hold\""},
	 NULL,
	 NULL},
	{"usage of a LocalQueue",
	 KUEUE("LocalQueue", "  clusterQueue: c\n  fairSharing: {weight: 250m}\n"
			     "status: {fairSharing: {weightedShare: 0, admissionFairSharingStatus: "
			     "{consumedResources: {memory: 2Ki, cpu: 1500m}, lastUpdate: "
			     "'1970-01-01T00:01:00Z'}}}\n"),
	 {"\"weightNano\":250000000,\"consumed\":[{\"resource\":\"cpu\",\"amount\":1500},"
	  "{\"resource\":\"memory\",\"amount\":2048}],\"consumedMs\":60000"},
	 NULL,
	 NULL},
	{"local queue of a work queue",
	 KUEUE("LocalQueue", "  workQueue: w\n"),
	 {"\"meta\":{\"ns\":\"default\"", "\"workQueue\":\"w\",\"stop\":\"None\""},
	 NULL,
	 NULL},
	{"local queue of both",
	 KUEUE("LocalQueue", "  workQueue: w\n  clusterQueue: c\n"),
	 {NULL},
	 "spec.clusterQueue: this field and spec.workQueue belong to two dialects",
	 NULL},
	{"local queue of none",
	 KUEUE("LocalQueue", "  stopPolicy: Hold\n"),
	 {NULL},
	 "spec: clusterQueue or workQueue is required",
	 NULL},
	{"work queue",
	 KUEUE("WorkQueue", "  clusterQueue: c\n  maxParallelJobs: 10\n"),
	 {"\"clusterQueue\":\"c\",\"maxParallel\":10"},
	 NULL,
	 NULL},
	{"work queue without a limit",
	 KUEUE("WorkQueue", "  clusterQueue: c\n"),
	 {"\"clusterQueue\":\"c\"}"},
	 NULL,
	 "maxParallel"},
	{"work queue of none",
	 KUEUE("WorkQueue", "  maxParallelJobs: 1\n"),
	 {NULL},
	 "clusterQueue is required",
	 NULL},
	{"work queue that runs nothing",
	 KUEUE("WorkQueue", "  clusterQueue: c\n  maxParallelJobs: 0\n"),
	 {NULL},
	 "spec.maxParallelJobs: must be at least 1",
	 NULL},
	{"flavor",
	 KUEUE("ResourceFlavor",
	       "  nodeLabels: {beta.kubernetes.io/arch: arm64}\n  nodeTaints: [{key: a, "
	       "value: b, effect: NoExecute}]\n  tolerations: [{operator: Exists}]\n"),
	 {"\"nodeLabels\":[{\"key\":\"kubernetes.io/arch\",\"value\":\"arm64\"}]",
	  "\"nodeTaints\":[{\"key\":\"a\",\"value\":\"b\",\"effect\":\"NoExecute\"}]",
	  "\"tolerations\":[{\"op\":\"Exists\"}]"},
	 NULL,
	 NULL},
	{"taint without effect",
	 KUEUE("ResourceFlavor", "  nodeTaints: [{key: a}]\n"),
	 {NULL},
	 "effect is required",
	 NULL},
	{"toleration without key",
	 KUEUE("ResourceFlavor", "  tolerations: [{value: a}]\n"),
	 {NULL},
	 "without a key the operator must be Exists",
	 NULL},
	{"cohort",
	 KUEUE("Cohort", "  parentName: p\n  fairSharing: {weight: 2}\n" GROUP),
	 {"\"parent\":\"p\",\"groups\":[{\"resources\":[\"cpu\",\"memory\"]",
	  "\"weightNano\":2000000000"},
	 NULL,
	 NULL},
	{"admission check",
	 KUEUE("AdmissionCheck", "  controllerName: plimsoll.dev/capacity\n"),
	 {"\"controller\":\"plimsoll.dev/capacity\",\"active\":1"},
	 NULL,
	 NULL},
	{"inactive admission check",
	 KUEUE("AdmissionCheck",
	       "  controllerName: x\nstatus: {conditions: [{type: Active, status: 'False'}]}\n"),
	 {"\"controller\":\"x\",\"active\":0"},
	 NULL,
	 NULL},
	{"priority classes",
	 "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 7\n"
	 "globalDefault: true\npreemptionPolicy: Never\n---\n"
	 "apiVersion: kueue.x-k8s.io/v1beta1\nkind: WorkloadPriorityClass\nmetadata: {name: "
	 "a}\nvalue: -7\n",
	 {"\"kind\":\"PriorityClass\",\"value\":7,\"globalDefault\":1,\"neverPreempt\":1",
	  "\"kind\":\"WorkloadPriorityClass\",\"value\":-7,\"globalDefault\":0,\"neverPreempt\":0"},
	 NULL,
	 NULL},
	{"priority class without value",
	 "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: a}\n",
	 {NULL},
	 "value is required",
	 NULL},
};
PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, queue_table);
	return plm_tests_run(&tests, "project_queue");
}
