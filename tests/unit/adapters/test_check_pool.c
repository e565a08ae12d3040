/* What Karpenter's schemas refuse of a NodePool, and pools that are taken in and never used: karpenter.md 1.1. */
#include "manifest_help.h"

#define POOL(spec) "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n" spec
#define CLASS "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: c}\n"

static const struct plm_said_case pool_table[] = {
	{"no requirements",
	 POOL("  template:\n    spec:\n" CLASS),
	 {NULL},
	 "f.yaml:6: NodePool p: spec.template.spec: requirements is required",
	 NULL},
	{"no group of the class",
	 POOL("  template: {spec: {requirements: [], nodeClassRef: {kind: EC2NodeClass, name: "
	      "c}}}\n"),
	 {NULL},
	 "spec.template.spec.nodeClassRef: group may not be empty",
	 NULL},
	{"a version in the group of the class",
	 POOL("  template: {spec: {requirements: [], nodeClassRef: {group: a/v1, kind: X, name: "
	      "c}}}\n"),
	 {NULL},
	 "spec.template.spec.nodeClassRef.group: a group has no version",
	 NULL},
	{"taken in, not used: a taint twice",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "      taints: [{key: t, effect: NoSchedule}]\n"
	      "      startupTaints: [{key: t, value: x, effect: NoSchedule}]\n"),
	 {"\"notReady\":\"taint t stands twice with the same effect\""},
	 NULL,
	 NULL},
	{"a taint twice with two effects is fine",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "      taints: [{key: t, effect: NoSchedule}, {key: t, effect: NoExecute}]\n"),
	 {"\"className\":\"c\""},
	 NULL,
	 "notReady"},
	{"taken in, not used: no capacity type that exists",
	 POOL("  template:\n    spec:\n      requirements: [{key: karpenter.sh/capacity-type, "
	      "operator: In, values: [free]}]\n" CLASS),
	 {"\"notReady\":\"karpenter.sh/capacity-type has not enough values that exist\""},
	 NULL,
	 NULL},
	{"taken in, not used: too few capacity types that exist",
	 POOL("  template:\n    spec:\n      requirements: [{key: karpenter.sh/capacity-type, "
	      "operator: In, values: [spot, free], minValues: 2}]\n" CLASS),
	 {"\"notReady\":\"karpenter.sh/capacity-type has not enough"},
	 NULL,
	 NULL},
	{"a claim with a restricted label",
	 "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c}\nspec:\n"
	 "  requirements: [{key: karpenter.sh/foo, operator: Exists}]\n"
	 "  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: c}\n",
	 {NULL},
	 "f.yaml:5: NodeClaim c: spec.requirements[0].key: label domain",
	 NULL},
	{"node affinity knows no Gte",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {affinity: {nodeAffinity: "
	 "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
	 "[{key: a, operator: Gte, values: ['1']}]}]}}}}\n",
	 {NULL},
	 "matchExpressions[0].operator: node affinity has no operator Gte",
	 NULL},
	{"a selector under both names of a label keeps both",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeSelector: "
	 "{topology.kubernetes.io/"
	 "zone: a, failure-domain.beta.kubernetes.io/zone: b}}\n",
	 {"\"nodeSelector\":[{\"key\":\"topology.kubernetes.io/zone\",\"value\":\"b\"},"
	  "{\"key\":\"topology.kubernetes.io/zone\",\"value\":\"a\"}]"},
	 NULL,
	 NULL},
	{"a label of the pool's own",
	 POOL("  template:\n    spec:\n      requirements: [{key: karpenter.sh/nodepool, operator: "
	      "Exists}]\n" CLASS ""),
	 {NULL},
	 "spec.template.spec.requirements[0].key: label \"karpenter.sh/nodepool\" is restricted",
	 NULL},
	{"the host's name",
	 POOL("  template:\n    spec:\n      requirements: [{key: kubernetes.io/hostname, "
	      "operator: Exists}]\n" CLASS ""),
	 {NULL},
	 "requirements[0].key: label \"kubernetes.io/hostname\" is restricted",
	 NULL},
	{"a label of Karpenter",
	 POOL("  template:\n    spec:\n      requirements: [{key: karpenter.sh/foo, operator: "
	      "Exists}]\n" CLASS ""),
	 {NULL},
	 "label domain \"karpenter.sh\" is restricted",
	 NULL},
	{"a label below Karpenter's domain",
	 POOL("  template:\n    spec:\n      requirements: [{key: a.karpenter.sh/foo, operator: "
	      "Exists}]\n" CLASS ""),
	 {NULL},
	 "label domain \"karpenter.sh\" is restricted",
	 NULL},
	{"the capacity type is allowed",
	 POOL("  template:\n    spec:\n      requirements: [{key: karpenter.sh/capacity-type, "
	      "operator: In, values: [spot]}]\n" CLASS ""),
	 {"\"className\":\"c\""},
	 NULL,
	 "notReady"},
	{"a label of the provider",
	 POOL("  template:\n    spec:\n      requirements: [{key: karpenter.k8s.aws/foo, operator: "
	      "Exists}]\n" CLASS ""),
	 {NULL},
	 "label domain \"karpenter.k8s.aws\" is restricted",
	 NULL},
	{"a well-known one is allowed",
	 POOL("  template:\n    spec:\n      requirements: [{key: karpenter.k8s.aws/instance-cpu, "
	      "operator: Gt, values: ['3']}]\n" CLASS ""),
	 {"\"className\":\"c\""},
	 NULL,
	 "notReady"},
	{"a domain of Kubernetes is allowed",
	 POOL("  template:\n    spec:\n      requirements: [{key: node.kubernetes.io/foo, "
	      "operator: Exists}]\n" CLASS ""),
	 {"\"className\":\"c\""},
	 NULL,
	 "notReady"},
	{"no label key",
	 POOL("  template:\n    spec:\n      requirements: [{key: a b, operator: Exists}]\n" CLASS
	      ""),
	 {NULL},
	 "\"a b\" is not a label key",
	 NULL},
	{"no label value",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: In, values: "
	      "[-x]}]\n" CLASS ""),
	 {NULL},
	 "\"-x\" is not a label value",
	 NULL},
	{"no such operator",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: Is, values: "
	      "[x]}]\n" CLASS ""),
	 {NULL},
	 "requirements[0].operator",
	 NULL},
	{"In without values",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: In}]\n" CLASS ""),
	 {NULL},
	 "operator In needs values",
	 NULL},
	{"a bound that is a word",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: Gte, values: "
	      "[many]}]\n" CLASS ""),
	 {NULL},
	 "operator Gte needs one whole number, 0 or more",
	 NULL},
	{"a bound below 0",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: Lt, values: "
	      "['-1']}]\n" CLASS ""),
	 {NULL},
	 "is not a label value",
	 NULL},
	{"two bounds",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: Lte, values: ['1', "
	      "'2']}]\n" CLASS ""),
	 {NULL},
	 "operator Lte needs one value",
	 NULL},
	{"minValues of 0",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: Exists, minValues: "
	      "0}]\n" CLASS ""),
	 {NULL},
	 "minValues must be from 1 to 50",
	 NULL},
	{"minValues of 51",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: Exists, minValues: "
	      "51}]\n" CLASS ""),
	 {NULL},
	 "minValues must be from 1 to 50",
	 NULL},
	{"minValues above the values",
	 POOL("  template:\n    spec:\n      requirements: [{key: a, operator: In, values: [x], "
	      "minValues: 2}]\n" CLASS ""),
	 {NULL},
	 "minValues is 2, there are 1 values",
	 NULL},
	{"a label of the template",
	 POOL("  template:\n    metadata: {labels: {karpenter.sh/nodepool: x}}\n    spec:\n      "
	      "requirements: []\n" CLASS ""),
	 {NULL},
	 "metadata.labels",
	 NULL},
	{"a value of a label of the template",
	 POOL("  template:\n    metadata: {labels: {a: 'b c'}}\n    spec:\n      requirements: "
	      "[]\n" CLASS ""),
	 {NULL},
	 "\"b c\" is not a label value",
	 NULL},
	{"a taint without effect",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "      taints: [{key: a}]\n"),
	 {NULL},
	 "effect is required",
	 NULL},
	{"a taint with a bad key",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "      startupTaints: [{key: a b, effect: NoSchedule}]\n"),
	 {NULL},
	 "spec.template.spec.startupTaints[0].key: not a label key",
	 NULL},
	{"no duration",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS "      expireAfter: 1.5h\n"),
	 {NULL},
	 "expireAfter: \"1.5h\" is no duration of whole hours, minutes and seconds, nor Never",
	 NULL},
	{"a grace period of Never",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "      terminationGracePeriod: Never\n"),
	 {NULL},
	 "spec.template.spec.terminationGracePeriod",
	 NULL},
	{"disruption without consolidateAfter",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "  disruption: {consolidationPolicy: WhenEmpty}\n"),
	 {NULL},
	 "spec.disruption: consolidateAfter is required",
	 NULL},
	{"a policy that nobody knows",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "  disruption: {consolidateAfter: 0s, consolidationPolicy: Often}\n"),
	 {NULL},
	 "spec.disruption.consolidationPolicy",
	 NULL},
	{"a budget of 200%",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "  disruption: {consolidateAfter: 0s, budgets: [{nodes: '200%'}]}\n"),
	 {NULL},
	 "spec.disruption.budgets[0].nodes",
	 NULL},
	{"weight 0",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS "  weight: 0\n"),
	 {NULL},
	 "spec.weight: must be from 1 to 100",
	 NULL},
	{"weight 101",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS "  weight: 101\n"),
	 {NULL},
	 "spec.weight: must be from 1 to 100",
	 NULL},
	{"replicas and weight",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "  replicas: 2\n  weight: 3\n"),
	 {NULL},
	 "spec.weight: not supported on a pool with replicas",
	 NULL},
	{"replicas and a limit of CPU",
	 POOL("  template:\n    spec:\n      requirements: []\n" CLASS
	      "  replicas: 2\n  limits: {cpu: 3}\n"),
	 {NULL},
	 "spec.limits.cpu: a pool with replicas has only limits.nodes",
	 NULL},
};
PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, pool_table);
	return plm_tests_run(&tests, "check_pool");
}
