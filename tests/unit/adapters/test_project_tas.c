/* Topologies, what pod sets ask of them, and assignments of both versions. */
#include "manifest_help.h"

#define KUEUE(kind) "apiVersion: kueue.x-k8s.io/v1beta2\nkind: " kind "\nmetadata: {name: x}\n"
#define JOB(mode, annotations)                                                                     \
	"apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  completionMode: " mode     \
	"\n  template:\n    metadata:\n      annotations:\n" annotations                           \
	"    spec: {containers: [{name: c, image: i}]}\n"
#define REQUEST(fields)                                                                            \
	KUEUE("Workload")                                                                          \
	"spec:\n  podSets:\n  - count: 8\n    topologyRequest: {" fields "}\n"
#define ASSIGNED(fields)                                                                           \
	KUEUE("Workload")                                                                          \
	"spec:\n  podSets: [{count: 8}]\n"                                                         \
	"status:\n  conditions: [{type: QuotaReserved, status: 'True'}]\n  admission:\n"           \
	"    clusterQueue: q\n    podSetAssignments:\n    - name: main\n" fields
#define A "kueue.x-k8s.io/"

static const struct plm_said_case topologies[] = {
	{"levels in their order",
	 KUEUE("Topology") "spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}]}\n",
	 {"\"levels\":[\"block\",\"rack\"]"},
	 NULL,
	 NULL},
	{"no level", KUEUE("Topology") "spec: {levels: []}\n", {NULL}, "1 to 16 levels", NULL},
	{"a level twice",
	 KUEUE("Topology") "spec: {levels: [{nodeLabel: a}, {nodeLabel: a}]}\n",
	 {NULL},
	 "a stands twice in it",
	 NULL},
	{"the host above another level",
	 KUEUE("Topology") "spec: {levels: [{nodeLabel: kubernetes.io/hostname}, {nodeLabel: "
			   "a}]}\n",
	 {NULL},
	 "kubernetes.io/hostname may be the lowest level only",
	 NULL},
	{"a flavor names its topology, which is no warning",
	 KUEUE("ResourceFlavor") "spec: {topologyName: t, nodeLabels: {a: b}}\n",
	 {"\"topology\":\"t\""},
	 NULL,
	 NULL},
};

static const struct plm_said_case requests[] = {
	{"required",
	 REQUEST("required: rack"),
	 {"\"topologyRequired\":\"rack\"", "\"topologyAsked\":1"},
	 NULL,
	 NULL},
	{"a group alone asks for no place",
	 REQUEST("podSetGroupName: g"),
	 {"\"topologyGroup\":\"g\""},
	 NULL,
	 "topologyAsked\":1"},
	{"one slice",
	 REQUEST("podSetSliceRequiredTopology: rack, podSetSliceSize: 4, podIndexLabel: i, "
		 "subGroupIndexLabel: s, subGroupCount: 2"),
	 {"\"topologyAsked\":1,\"topologySlices\":[{\"level\":\"rack\",\"size\":4}],"
	  "\"podIndexLabel\":\"i\",\"subGroupLabel\":\"s\",\"subGroupCount\":2"},
	 NULL,
	 NULL},
	{"layers of slices",
	 REQUEST("podsetSliceRequiredTopologyConstraints: [{topology: rack, size: 4}, {topology: "
		 "host, size: 2}]"),
	 {"\"topologySlices\":[{\"level\":\"rack\",\"size\":4},{\"level\":\"host\",\"size\":2}]"},
	 NULL,
	 NULL},
	{"a slice without size",
	 REQUEST("podSetSliceRequiredTopology: rack"),
	 {NULL},
	 "the level of slices and their size go together",
	 NULL},
	{"layers that do not divide",
	 REQUEST("podsetSliceRequiredTopologyConstraints: [{topology: rack, size: 4}, {topology: "
		 "host, size: 3}]"),
	 {NULL},
	 "slices of 3 pods do not divide those of 4 around them",
	 NULL},
	{"a job's template asks; its index ranks the pods",
	 JOB("Indexed", "        " A "podset-required-topology: rack\n"),
	 {"\"topologyRequired\":\"rack\"", "\"topologyAsked\":1",
	  "\"podIndexLabel\":\"batch.kubernetes.io/job-completion-index\""},
	 NULL,
	 NULL},
	{"pods without index have no rank",
	 JOB("NonIndexed", "        " A "podset-unconstrained-topology: 'true'\n"),
	 {"\"topologyUnconstrained\":1", "\"topologyAsked\":1"},
	 NULL,
	 "podIndexLabel"},
	{"slices of a job",
	 JOB("Indexed", "        " A "podset-slice-required-topology: rack\n"
			"        " A "podset-slice-size: '2'\n"
			"        " A "podset-group-name: g\n"
			"        " A "pod-index-offset: '1'\n"),
	 {"\"topologyGroup\":\"g\"", "\"topologySlices\":[{\"level\":\"rack\",\"size\":2}]",
	  "\"indexOffset\":1"},
	 NULL,
	 NULL},
	{"layers of a job are JSON in an annotation",
	 JOB("Indexed", "        " A "podset-slice-required-topology-constraints: '[{\"topology\": "
			"\"rack\", \"size\": 4}, {\"topology\": \"host\", \"size\": 2}]'\n"),
	 {"\"topologySlices\":[{\"level\":\"rack\",\"size\":4},{\"level\":\"host\",\"size\":2}]"},
	 NULL,
	 NULL},
	{"layers that are no list",
	 JOB("Indexed", "        " A "podset-slice-required-topology-constraints: '{}'\n"),
	 {NULL},
	 "must be a list of {topology, size}",
	 NULL},
	{"two wishes at once",
	 JOB("Indexed", "        " A "podset-required-topology: rack\n"
			"        " A "podset-preferred-topology: host\n"),
	 {NULL},
	 "required, preferred and unconstrained topology exclude each other",
	 NULL},
	{"a wish that is neither true nor false",
	 JOB("Indexed", "        " A "podset-unconstrained-topology: maybe\n"),
	 {NULL},
	 "must be true or false",
	 NULL},
};

static const struct plm_said_case assignments[] = {
	{"flat, as v1beta1",
	 ASSIGNED("      topologyAssignment:\n        levels: [rack, host]\n        domains:\n"
		  "        - {values: [r1, n1], count: 3}\n        - {values: [r1, n2], count: "
		  "5}\n"),
	 {"\"levels\":[\"rack\",\"host\"],\"domains\":[{\"values\":[\"r1\",\"n1\"],\"count\":3},"
	  "{\"values\":[\"r1\",\"n2\"],\"count\":5}]"},
	 NULL,
	 NULL},
	{"slices of much in common, as v1beta2",
	 ASSIGNED("      topologyAssignment:\n        levels: [rack, host]\n        slices:\n"
		  "        - domainCount: 2\n          valuesPerLevel:\n"
		  "          - universal: r1\n"
		  "          - individual: {prefix: n-, suffix: .x, roots: ['1', '2']}\n"
		  "          podCounts: {individual: [3, 4]}\n"
		  "        - domainCount: 1\n          valuesPerLevel: [{universal: r2}, "
		  "{universal: "
		  "n3}]\n          podCounts: {universal: 1}\n"),
	 {"\"domains\":[{\"values\":[\"r1\",\"n-1.x\"],\"count\":3},{\"values\":[\"r1\",\"n-2.x\"],"
	  "\"count\":4},{\"values\":[\"r2\",\"n3\"],\"count\":1}]"},
	 NULL,
	 NULL},
	{"roots that are not one per domain",
	 ASSIGNED("      topologyAssignment:\n        levels: [host]\n        slices:\n"
		  "        - domainCount: 2\n          valuesPerLevel: [{individual: {roots: "
		  "[a]}}]\n"
		  "          podCounts: {universal: 1}\n"),
	 {NULL},
	 "1 roots, but domainCount is 2",
	 NULL},
	{"values that are not one per level",
	 ASSIGNED("      topologyAssignment: {levels: [rack, host], domains: [{values: [r1], "
		  "count: 1}]}\n"),
	 {NULL},
	 "a domain has 1 values for 2 levels",
	 NULL},
	{"a topology that waits for a check",
	 ASSIGNED("      delayedTopologyRequest: Pending\n"),
	 {"\"delayed\":\"Pending\""},
	 NULL,
	 "domains"},
	{"nodes to be replaced",
	 KUEUE("Workload") "spec: {podSets: [{count: 1}]}\nstatus: {unhealthyNodes: [{name: "
			   "n1}]}\n",
	 {"\"unhealthy\":[\"n1\"]"},
	 NULL,
	 NULL},
	{"a pod whose template asked",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {" A
	 "podset-preferred-topology: rack}}\n",
	 {"\"tas\":1"},
	 NULL,
	 NULL},
};

PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, topologies);
	PLM_TEST_TABLE(&tests, plm_said_row, requests);
	PLM_TEST_TABLE(&tests, plm_said_row, assignments);
	return plm_tests_run(&tests, "project_tas");
}
