/* What Kueue's schemas and webhooks refuse: each rule of kueue.md 1, "validation", named where it is broken. */
#include "manifest_help.h"

#include <stdio.h>

#define OBJECT(version, kind, spec)                                                                \
	"apiVersion: kueue.x-k8s.io/" version "\nkind: " kind "\nmetadata: {name: "                \
	"q}\nspec:\n" spec
#define CQ(spec) OBJECT("v1beta2", "ClusterQueue", spec)
#define OLD_CQ(spec) OBJECT("v1beta1", "ClusterQueue", spec)
#define COHORT(spec) OBJECT("v1beta2", "Cohort", spec)
#define FLAVOR(spec) OBJECT("v1beta2", "ResourceFlavor", spec)
#define WORKLOAD(spec) OBJECT("v1beta2", "Workload", spec)

#define CPU(quota)                                                                                 \
	"{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, " quota "}]}]}"
#define GROUPS(groups) "  resourceGroups: [" groups "]\n"
#define SETS "  podSets: [{name: a, count: 2, template: {spec: {containers: [{name: c}]}}}]\n"
#define RESERVED                                                                                   \
	"status:\n  conditions: [{type: QuotaReserved, status: 'True'}]\n  admission: "            \
	"{clusterQueue: q, podSetAssignments: [{"

static const struct plm_said_case check_table[] = {
	/* ClusterQueue: groups */
	{"a limit on borrowing without a cohort",
	 CQ(GROUPS(CPU("nominalQuota: 1, borrowingLimit: 1"))),
	 {NULL},
	 "f.yaml:5: ClusterQueue q: spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: "
	 "must not be set where there is no cohort",
	 NULL},
	{"a limit on lending without a cohort",
	 CQ(GROUPS(CPU("nominalQuota: 1, lendingLimit: 1"))),
	 {NULL},
	 "resources[0].lendingLimit: must not be set where there is no cohort",
	 NULL},
	{"with a cohort both are fine",
	 CQ("  cohortName: c\n" GROUPS(CPU("nominalQuota: 1, lendingLimit: 1, borrowingLimit: 0"))),
	 {"\"borrowing\":0,\"lending\":1000"},
	 NULL,
	 NULL},
	{"with v1beta1's cohort too",
	 OLD_CQ("  cohort: c\n" GROUPS(CPU("nominalQuota: 1, borrowingLimit: 2"))),
	 {"\"borrowing\":2000"},
	 NULL,
	 NULL},
	{"more lent than there is",
	 CQ("  cohortName: c\n" GROUPS(CPU("nominalQuota: 1, lendingLimit: 1001m"))),
	 {NULL},
	 "lendingLimit: must not be above nominalQuota",
	 NULL},
	{"a negative quota",
	 CQ(GROUPS(CPU("nominalQuota: -1"))),
	 {NULL},
	 "resources[0].nominalQuota: must not be negative",
	 NULL},
	{"no quota",
	 CQ(GROUPS(CPU("lendingLimit: 1"))),
	 {NULL},
	 "resources[0]: nominalQuota is required",
	 NULL},
	{"a resource in two groups",
	 CQ(GROUPS(CPU(
		 "nominalQuota: 1") ", {coveredResources: [cpu], flavors: [{name: g, resources: "
				    "[{name: cpu, nominalQuota: 1}]}]}")),
	 {NULL},
	 "spec.resourceGroups[1]: cpu is in two resource groups",
	 NULL},
	{"a flavor in two groups",
	 CQ(GROUPS(CPU("nominalQuota: 1") ", {coveredResources: [memory], flavors: [{name: f, "
					  "resources: [{name: memory, nominalQuota: 1}]}]}")),
	 {NULL},
	 "spec.resourceGroups[1]: flavor f is in two resource groups",
	 NULL},
	{"a flavor that lists less than is covered",
	 CQ(GROUPS("{coveredResources: [cpu, memory], flavors: [{name: f, resources: [{name: cpu, "
		   "nominalQuota: 1}]}]}")),
	 {NULL},
	 "flavors[0]: 1 resources, but coveredResources has 2",
	 NULL},
	{"or in another order",
	 CQ(GROUPS(
		 "{coveredResources: [cpu, memory], flavors: [{name: f, resources: [{name: memory, "
		 "nominalQuota: 1}, {name: cpu, nominalQuota: 1}]}]}")),
	 {NULL},
	 "flavors[0].resources[0]: coveredResources has cpu here",
	 NULL},
	{"nothing covered",
	 CQ(GROUPS("{coveredResources: [], flavors: []}")),
	 {NULL},
	 "coveredResources: coveredResources needs at least 1 item",
	 NULL},
	{"no flavors",
	 CQ(GROUPS("{coveredResources: [cpu]}")),
	 {NULL},
	 "spec.resourceGroups[0]: flavors needs at least 1 item",
	 NULL},
	{"what is no name of a resource",
	 CQ(GROUPS("{coveredResources: [a//b], flavors: [{name: f, resources: [{name: a//b, "
		   "nominalQuota: 1}]}]}")),
	 {NULL},
	 "coveredResources[0]: \"a//b\" is not the name of a resource",
	 NULL},
	{"pods may be covered",
	 CQ(GROUPS("{coveredResources: [pods], flavors: [{name: f, resources: [{name: pods, "
		   "nominalQuota: 1}]}]}")),
	 {"\"resources\":[\"pods\"]"},
	 NULL,
	 NULL},
	{"a flavor that cannot be",
	 CQ(GROUPS("{coveredResources: [cpu], flavors: [{name: F_, resources: [{name: cpu, "
		   "nominalQuota: 1}]}]}")),
	 {NULL},
	 "flavors[0].name: \"F_\" is not a name",
	 NULL},
	/* ClusterQueue: the rest */
	{"a cohort that cannot be",
	 CQ("  cohortName: A\n"),
	 {NULL},
	 "spec.cohortName: \"A\" is not a name",
	 NULL},
	{"a strategy that there is not",
	 CQ("  queueingStrategy: LIFO\n"),
	 {NULL},
	 "spec.queueingStrategy",
	 NULL},
	{"a preference where the search stops",
	 CQ("  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: MayStopSearch, "
	    "preference: PreemptionOverBorrowing}\n"),
	 {NULL},
	 "spec.flavorFungibility.preference: needs whenCanBorrow and whenCanPreempt to be "
	 "TryNextFlavor",
	 NULL},
	{"borrowing by eviction where nothing is reclaimed",
	 CQ("  preemption: {borrowWithinCohort: {policy: LowerPriority}}\n"),
	 {NULL},
	 "spec.preemption.borrowWithinCohort.policy: must be Never where reclaimWithinCohort is "
	 "Never",
	 NULL},
	{"a policy of the other field",
	 CQ("  preemption: {withinClusterQueue: Any}\n"),
	 {NULL},
	 "spec.preemption.withinClusterQueue: must be Never, LowerPriority or "
	 "LowerOrNewerEqualPriority",
	 NULL},
	{"a threshold out of range",
	 CQ("  preemption: {reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority, "
	    "maxPriorityThreshold: 3000000000}}\n"),
	 {NULL},
	 "spec.preemption.borrowWithinCohort.maxPriorityThreshold",
	 NULL},
	{"no checks in a strategy",
	 CQ("  admissionChecksStrategy: {admissionChecks: []}\n"),
	 {NULL},
	 "admissionChecks needs at least 1 item",
	 NULL},
	{"a check on a flavor that the queue has not",
	 CQ(GROUPS(
		 CPU("nominalQuota: 1")) "  admissionChecksStrategy: {admissionChecks: [{name: c, "
					 "onFlavors: [g]}]}\n"),
	 {NULL},
	 "admissionChecks[0].onFlavors[0]: no resource group has a flavor g",
	 NULL},
	{"checks in both spellings",
	 OLD_CQ("  admissionChecks: [a]\n  admissionChecksStrategy: {admissionChecks: [{name: "
		"c}]}\n"),
	 {NULL},
	 "spec.admissionChecks: admissionChecks and admissionChecksStrategy exclude each other",
	 NULL},
	{"a stop that there is not", CQ("  stopPolicy: Pause\n"), {NULL}, "spec.stopPolicy", NULL},
	{"a negative weight",
	 CQ("  fairSharing: {weight: -1}\n"),
	 {NULL},
	 "spec.fairSharing.weight",
	 NULL},
	{"a weight too close to 0",
	 CQ("  fairSharing: {weight: 1n}\n"),
	 {NULL},
	 "spec.fairSharing.weight: a weight above 0 must be above 1e-9",
	 NULL},
	{"weight 0 is one", CQ("  fairSharing: {weight: 0}\n"), {"\"weightNano\":0"}, NULL, NULL},
	{"a selector without an operator",
	 CQ("  namespaceSelector: {matchExpressions: [{key: a}]}\n"),
	 {NULL},
	 "spec.namespaceSelector.matchExpressions[0]",
	 NULL},
	{"concurrent admission without a group to choose from",
	 CQ("  concurrentAdmissionPolicy: {migration: {mode: RetainFirstAdmission}}\n"),
	 {NULL},
	 "spec.concurrentAdmissionPolicy: needs exactly one resource group",
	 NULL},
	{"concurrent admission in strict order",
	 CQ(GROUPS(CPU("nominalQuota: 1")) "  queueingStrategy: StrictFIFO\n"
					   "  concurrentAdmissionPolicy: {migration: {mode: "
					   "RetainFirstAdmission}}\n"),
	 {NULL},
	 "spec.concurrentAdmissionPolicy: must not be set with queueingStrategy StrictFIFO",
	 NULL},
	{"a mode of migration that there is not",
	 CQ(GROUPS(CPU(
		 "nominalQuota: 1")) "  concurrentAdmissionPolicy: {migration: {mode: Move}}\n"),
	 {NULL},
	 "migration.mode: must be TryPreferredFlavors or RetainFirstAdmission",
	 NULL},
	{"a last flavor where none is preferred",
	 CQ(GROUPS(CPU("nominalQuota: 1")) "  concurrentAdmissionPolicy: {migration: {mode: "
					   "RetainFirstAdmission, constraints: "
					   "{lastAcceptableFlavorName: f}}}\n"),
	 {NULL},
	 "lastAcceptableFlavorName: only with mode TryPreferredFlavors",
	 NULL},
	{"a last flavor that the queue has not",
	 CQ(GROUPS(CPU("nominalQuota: 1")) "  concurrentAdmissionPolicy: {migration: {mode: "
					   "TryPreferredFlavors, constraints: "
					   "{lastAcceptableFlavorName: g}}}\n"),
	 {NULL},
	 "lastAcceptableFlavorName: no resource group has this flavor",
	 NULL},
	{"concurrent admission is kept",
	 CQ(GROUPS(CPU("nominalQuota: 1")) "  concurrentAdmissionPolicy: {migration: {mode: "
					   "TryPreferredFlavors}}\n"),
	 {"\"concurrent\":1"},
	 NULL,
	 NULL},
	/* Cohort */
	{"a limit of a root",
	 COHORT(GROUPS(CPU("nominalQuota: 1, borrowingLimit: 1"))),
	 {NULL},
	 "borrowingLimit: must not be set where the cohort has no parent",
	 NULL},
	{"a cohort may lend more than its own",
	 COHORT("  parentName: p\n" GROUPS(CPU("nominalQuota: 1, lendingLimit: 2"))),
	 {"\"lending\":2000"},
	 NULL,
	 NULL},
	{"a parent that cannot be", COHORT("  parentName: a_b\n"), {NULL}, "spec.parentName", NULL},
	/* ResourceFlavor */
	{"a topology without a label",
	 FLAVOR("  topologyName: t\n"),
	 {NULL},
	 "spec.topologyName: needs at least one label in nodeLabels",
	 NULL},
	{"nine labels",
	 FLAVOR("  nodeLabels: {a: x, b: x, c: x, d: x, e: x, f: x, g: x, h: x, i: x}\n"),
	 {NULL},
	 "spec.nodeLabels: at most 8 items, there are 9",
	 NULL},
	{"what is no label",
	 FLAVOR("  nodeLabels: {a: '-'}\n"),
	 {NULL},
	 "\"-\" is not a label value",
	 NULL},
	{"what is no key", FLAVOR("  nodeLabels: {-a: x}\n"), {NULL}, "not a label key", NULL},
	{"the same taint twice",
	 FLAVOR("  nodeTaints: [{key: a, effect: NoSchedule}, {key: a, value: b, effect: "
		"NoSchedule}]\n"),
	 {NULL},
	 "spec.nodeTaints[1]: taints must be unique by key and effect",
	 NULL},
	{"a taint without an effect",
	 FLAVOR("  nodeTaints: [{key: a}]\n"),
	 {NULL},
	 "spec.nodeTaints[0]",
	 NULL},
	{"a toleration of a value that exists",
	 FLAVOR("  tolerations: [{key: a, operator: Exists, value: b}]\n"),
	 {NULL},
	 "spec.tolerations[0].value: must be empty with operator Exists",
	 NULL},
	{"seconds of what does not evict",
	 FLAVOR("  tolerations: [{key: a, operator: Exists, tolerationSeconds: 3}]\n"),
	 {NULL},
	 "spec.tolerations[0].tolerationSeconds: only with effect NoExecute",
	 NULL},
	/* Workload */
	{"no pod sets", WORKLOAD("  queueName: l\n"), {NULL}, "spec", NULL},
	{"two pod sets of one name",
	 WORKLOAD("  podSets: [{template: {spec: {}}}, {name: main, template: {spec: {}}}]\n"),
	 {NULL},
	 "spec.podSets[1]: two pod sets are called main",
	 NULL},
	{"a negative count",
	 WORKLOAD("  podSets: [{count: -1, template: {spec: {}}}]\n"),
	 {NULL},
	 "spec.podSets[0].count",
	 NULL},
	{"count 0 is one",
	 WORKLOAD("  podSets: [{count: 0, template: {spec: {}}}]\n"),
	 {"\"count\":0"},
	 NULL,
	 NULL},
	{"a minimum of 0",
	 WORKLOAD("  podSets: [{count: 3, minCount: 0, template: {spec: {}}}]\n"),
	 {NULL},
	 "spec.podSets[0].minCount: must be at least 1",
	 NULL},
	{"a minimum above the count",
	 WORKLOAD("  podSets: [{count: 3, minCount: 4, template: {spec: {}}}]\n"),
	 {NULL},
	 "minCount is above count",
	 NULL},
	{"two minima",
	 WORKLOAD("  podSets: [{name: a, count: 3, minCount: 1, template: {spec: {}}}, {name: b, "
		  "count: "
		  "3, minCount: 1, template: {spec: {}}}]\n"),
	 {NULL},
	 "spec.podSets: at most one pod set can use minCount",
	 NULL},
	{"pods as a request",
	 WORKLOAD("  podSets: [{template: {spec: {containers: [{name: c, resources: {requests: "
		  "{pods: "
		  "1}}}]}}}]\n"),
	 {NULL},
	 "spec.podSets[0].template.spec.containers[0].resources.requests.pods: this name is "
	 "reserved",
	 NULL},
	{"a negative request",
	 WORKLOAD("  podSets: [{template: {spec: {containers: [{name: c, resources: {requests: "
		  "{cpu: "
		  "-1}}}]}}}]\n"),
	 {NULL},
	 "resources.requests.cpu: must not be negative",
	 NULL},
	{"a class of another group",
	 WORKLOAD(SETS "  priorityClassRef: {group: x, kind: PriorityClass, name: p}\n"),
	 {NULL},
	 "spec.priorityClassRef.group: must be kueue.x-k8s.io or scheduling.k8s.io",
	 NULL},
	{"a class of the other kind",
	 WORKLOAD(SETS
		  "  priorityClassRef: {group: kueue.x-k8s.io, kind: PriorityClass, name: p}\n"),
	 {NULL},
	 "spec.priorityClassRef.kind: must be WorkloadPriorityClass in this group",
	 NULL},
	{"a priority out of range",
	 WORKLOAD(SETS "  priority: 3000000000\n"),
	 {NULL},
	 "spec.priority",
	 NULL},
	{"quota of a pod set that is not there",
	 WORKLOAD(SETS RESERVED "name: b}]}\n"),
	 {NULL},
	 "status.admission.podSetAssignments[0].name: there is no such pod set",
	 NULL},
	{"quota without an admission",
	 WORKLOAD(SETS "status: {conditions: [{type: QuotaReserved, status: 'True'}]}\n"),
	 {NULL},
	 "there is no admission",
	 NULL},
	{"pods given back by a pod set that is not there",
	 WORKLOAD(SETS "status: {reclaimablePods: [{name: b, count: 1}]}\n"),
	 {NULL},
	 "status.reclaimablePods[0].name: there is no such pod set",
	 NULL},
	{"a state that there is not",
	 WORKLOAD(SETS "status: {admissionChecks: [{name: c, state: Maybe}]}\n"),
	 {NULL},
	 "status.admissionChecks[0].state",
	 NULL},
	/* the small kinds */
	{"a queue without a queue",
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: q}\nspec: {}\n",
	 {NULL},
	 "clusterQueue or workQueue is required",
	 NULL},
	{"a class without a value",
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\nmetadata: {name: q}\n",
	 {NULL},
	 "value is required",
	 NULL},
	{"a check without a controller",
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: q}\nspec: "
	 "{}\n",
	 {NULL},
	 "controllerName",
	 NULL},
	{"limits of what there is not",
	 "apiVersion: v1\nkind: LimitRange\nmetadata: {name: q}\nspec: {limits: [{type: Queue}]}\n",
	 {NULL},
	 "spec.limits[0].type",
	 NULL},
	{"limits without a type",
	 "apiVersion: v1\nkind: LimitRange\nmetadata: {name: q}\nspec: {limits: [{max: {cpu: "
	 "1}}]}\n",
	 {NULL},
	 "spec.limits[0]",
	 NULL},
	{"an overhead below 0",
	 "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: q}\noverhead: "
	 "{podFixed: {cpu: "
	 "-1}}\n",
	 {NULL},
	 "overhead.podFixed.cpu: must not be negative",
	 NULL},
};

/* Lists one item longer than they may be, made here since they are long. */
static void long_lists_are_refused(void **state)
{
	static char text[65536];
	struct plm_heard heard;
	size_t used = 0;

	(void)state;
	used = (size_t)snprintf(text, sizeof(text), "%s", CQ("  resourceGroups:\n"));
	for (int i = 0; i < 17; i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "  - {coveredResources: [r%d], flavors: [{name: f%d, "
					 "resources: [{name: r%d, nominalQuota: 1}]}]}\n",
					 i, i, i);
	}
	assert_non_null(strstr(plm_heard_read(&heard, "f.yaml", text),
			       "spec.resourceGroups: at most 16 items, there are 17"));
	used = (size_t)snprintf(text, sizeof(text), "%s", WORKLOAD("  podSets:\n"));
	for (int i = 0; i < 19; i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "  - {name: s%d, template: {spec: {}}}\n", i);
	}
	assert_non_null(strstr(plm_heard_read(&heard, "f.yaml", text),
			       "spec.podSets: at most 18 items, there are 19"));
}

PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, plm_said_row, check_table);
	PLM_TEST_ADD(&tests, long_lists_are_refused);
	return plm_tests_run(&tests, "check");
}
