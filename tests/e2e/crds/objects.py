"""
Objects that the API server takes or refuses: rows for test_crds.py.

A row starts from one of BASES, changes fields (a path of keys and list positions -> value, or DROP), and says whether that is
taken. Upstream's own schemas are asked the same; where they answer otherwise the row says so:

  by=WEBHOOK     upstream refuses it too, by a webhook, which its schemas alone do not (asked of Kueue 0.17 itself: all but the two
                 that say NEWER, which are of the next release)
  upstream=...   a departure of ours, whose reason stands beside it
  then=...       the object is made first, then these fields change

Facts: Kueue 0.17's and Karpenter 1.14's schemas and webhooks; spec/kueue.md 1 and spec/karpenter.md 1 where those are newer.
"""
import copy
import dataclasses



class DROP:
    """Of a field: it goes."""


TAKEN, REFUSED, NO_SUCH_KIND = "taken", "refused", "no such kind"
WEBHOOK = "webhook"

KUEUE, KARPENTER = "kueue.x-k8s.io", "karpenter.sh"
QUOTA = {"name": "cpu", "nominalQuota": "4"}
FLAVOR = {"name": "spot", "resources": [QUOTA]}
GROUP = {"coveredResources": ["cpu"], "flavors": [FLAVOR]}
TIME = "2026-01-01T00:00:00Z"
POD = {"spec": {"containers": [{"name": "c", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}}
CLASS = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}


def true(kind, reason="Because"):
    return {"type": kind, "status": "True", "reason": reason, "message": "", "lastTransitionTime": TIME}


def queued(kind, spec, version="v1beta2", **keys):
    return {"apiVersion": f"{KUEUE}/{version}", "kind": kind, "metadata": {"name": "x"}, "spec": spec, **keys}


ADMISSION = {"clusterQueue": "cq", "podSetAssignments": [
    {"name": "main", "count": 2, "flavors": {"cpu": "spot"}, "resourceUsage": {"cpu": "2"}}]}
WORKLOAD = {"queueName": "lq", "podSets": [{"name": "main", "count": 2, "template": POD}]}
BASES = {
    "queue": queued("ClusterQueue", {"cohortName": "all", "namespaceSelector": {}, "resourceGroups": [GROUP]}),
    "old-queue": queued("ClusterQueue", {"cohort": "all", "resourceGroups": [GROUP]}, "v1beta1"),
    "simple-queue": queued("ClusterQueue", {"resources": [{"name": "cpu", "minAllowed": "1", "maxAllowed": "2"}],
                                            "weight": 10, "preemption": {"enabled": True, "priorityThreshold": 5}}, "v1beta1"),
    "cohort": queued("Cohort", {"parentName": "root", "resourceGroups": [GROUP]}),
    "local": queued("LocalQueue", {"clusterQueue": "cq"}),
    "simple-local": queued("LocalQueue", {"workQueue": "wq"}, "v1beta1"),
    "flavor": queued("ResourceFlavor", {"nodeLabels": {"a": "b"}}),
    "topology": queued("Topology", {"levels": [{"nodeLabel": "rack"}, {"nodeLabel": "row"}]}),
    "check": queued("AdmissionCheck", {"controllerName": "a.b/c"}),
    "priority": {"apiVersion": f"{KUEUE}/v1beta2", "kind": "WorkloadPriorityClass", "metadata": {"name": "x"}, "value": 5},
    "workload": queued("Workload", WORKLOAD),
    "old-workload": queued("Workload", WORKLOAD, "v1beta1"),
    "reserved": queued("Workload", {**WORKLOAD, "priority": 1, "priorityClassRef": {
        "group": KUEUE, "kind": "WorkloadPriorityClass", "name": "high"}}, status={
            "admission": ADMISSION, "conditions": [true("QuotaReserved"), true("Admitted")],
            "reclaimablePods": [{"name": "main", "count": 1}]}),
    "provisioning": queued("ProvisioningRequestConfig", {"provisioningClassName": "p"}),
    "multi": queued("MultiKueueConfig", {"clusters": ["a"]}),
    "multi-cluster": queued("MultiKueueCluster", {"clusterSource": {"kubeConfig": {"location": "secret"}}}),
    "work-queue": queued("WorkQueue", {"clusterQueue": "cq", "maxParallelJobs": 1}, "v1beta1"),
    "pod-set": queued("PodSet", {"replicas": 2, "template": POD}, "v1beta1"),
    "pool": {"apiVersion": f"{KARPENTER}/v1", "kind": "NodePool", "metadata": {"name": "x"}, "spec": {
        "template": {"spec": {"nodeClassRef": CLASS, "requirements": []}}}},
    "simple-pool": {"apiVersion": f"{KARPENTER}/v1alpha5", "kind": "NodePool", "metadata": {"name": "x"}, "spec": {
        "templateRef": {"name": "t"}, "minSize": 1, "maxSize": 2, "template": {"spec": {"nodeSelector": {"a": "b"}}}}},
    "claim": {"apiVersion": f"{KARPENTER}/v1", "kind": "NodeClaim", "metadata": {"name": "x"}, "spec": {
        "nodeClassRef": CLASS, "requirements": []}},
    "overlay": {"apiVersion": f"{KARPENTER}/v1alpha1", "kind": "NodeOverlay", "metadata": {"name": "x"}, "spec": {
        "requirements": [], "price": "1.5"}},
    "class": {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "x"}, "spec": {
        "amiSelectorTerms": [{"alias": "al2023@latest"}], "role": "r",
        "subnetSelectorTerms": [{"tags": {"a": "b"}}], "securityGroupSelectorTerms": [{"tags": {"a": "b"}}]}},
    "template": {"apiVersion": f"{KARPENTER}/v1alpha5", "kind": "NodeTemplate", "metadata": {"name": "x"}, "spec": {
        "amiFamily": "Ubuntu22.04", "instanceTypes": ["g5.2xlarge"]}},
}
NAMESPACED = {"LocalQueue", "Workload", "PodSet"}
PLURALS = {"ClusterQueue": "clusterqueues", "Cohort": "cohorts", "LocalQueue": "localqueues",
           "ResourceFlavor": "resourceflavors", "Topology": "topologies", "AdmissionCheck": "admissionchecks",
           "WorkloadPriorityClass": "workloadpriorityclasses", "Workload": "workloads", "WorkQueue": "workqueues",
           "ProvisioningRequestConfig": "provisioningrequestconfigs", "MultiKueueConfig": "multikueueconfigs",
           "MultiKueueCluster": "multikueueclusters", "PodSet": "podsets", "NodePool": "nodepools", "NodeClaim": "nodeclaims",
           "NodeOverlay": "nodeoverlays", "EC2NodeClass": "ec2nodeclasses", "NodeTemplate": "nodetemplates"}


@dataclasses.dataclass
class Row:
    name: str
    base: str
    change: dict
    want: str
    by: str = ""
    upstream: str = ""  # where its schemas answer otherwise
    then: dict = None
    status: bool = False  # 'then' goes to the status subresource

    def of_upstream(self):
        return self.upstream or (TAKEN if self.by == WEBHOOK else self.want)


def put(obj, path, value):
    steps = [int(step) if step.isdigit() else step for step in path.split("/")]
    steps = [step.replace("~1", "/") if isinstance(step, str) else step for step in steps]
    for step in steps[:-1]:
        if isinstance(obj, dict):
            obj = obj.setdefault(step, {})
        else:
            obj = obj[step]
    if value is DROP:
        del obj[steps[-1]]
    elif isinstance(obj, list) and steps[-1] == len(obj):
        obj.append(value)
    else:
        obj[steps[-1]] = value


def made(base, change):
    obj = copy.deepcopy(BASES[base])
    for path, value in change.items():
        put(obj, path, copy.deepcopy(value))
    return obj


ROWS = []


def yes(name, base, change=None, **keys):
    ROWS.append(Row(name, base, change or {}, TAKEN, **keys))


def no(name, base, change=None, **keys):
    ROWS.append(Row(name, base, change or {}, REFUSED, **keys))


for each in BASES:
    ours = each in ("work-queue", "pod-set", "template") or each.startswith("simple-")
    yes("as it is", each, upstream={"simple-queue": REFUSED, "simple-local": REFUSED}.get(each, NO_SUCH_KIND) if ours else "")

# ---- ClusterQueue -----------------------------------------------------------------------------------

CELL = "spec/resourceGroups/0/flavors/0/resources/0"
SPARE = {"spec/cohortName": DROP}
for limit in ("borrowingLimit", "lendingLimit"):
    yes(f"{limit} in a cohort", "queue", {f"{CELL}/{limit}": "2"})
    no(f"{limit} is negative", "queue", {f"{CELL}/{limit}": "-1"}, by=WEBHOOK)
    no(f"{limit} is no quantity", "queue", {f"{CELL}/{limit}": "two"})
no("borrowingLimit without a cohort", "queue", {**SPARE, f"{CELL}/borrowingLimit": "2"})
no("lendingLimit without a cohort", "queue", {**SPARE, f"{CELL}/lendingLimit": "2"}, by=WEBHOOK)
no("v1beta1: borrowingLimit without a cohort", "old-queue", {"spec/cohort": DROP, f"{CELL}/borrowingLimit": "2"})
yes("v1beta1: borrowingLimit in a cohort", "old-queue", {f"{CELL}/borrowingLimit": "2"})
no("lendingLimit above nominalQuota", "queue", {f"{CELL}/lendingLimit": "4001m"}, by=WEBHOOK)
yes("lendingLimit is nominalQuota", "queue", {f"{CELL}/lendingLimit": "4000m"})
no("nominalQuota is missing", "queue", {f"{CELL}/nominalQuota": DROP})
no("nominalQuota is negative", "queue", {f"{CELL}/nominalQuota": "-1"}, by=WEBHOOK)
no("nominalQuota is true", "queue", {f"{CELL}/nominalQuota": True})
yes("nominalQuota is a number", "queue", {f"{CELL}/nominalQuota": 4})
yes("nominalQuota in all forms", "queue", {f"{CELL}/nominalQuota": "+1.5e3"})
no("flavors without resources", "queue", {"spec/resourceGroups/0/flavors/0/resources": []})
no("no flavors", "queue", {"spec/resourceGroups/0/flavors": []})
no("no covered resources", "queue", {"spec/resourceGroups/0/coveredResources": []})
no("a resource more than covered", "queue", {f"{CELL[:-1]}1": {"name": "memory", "nominalQuota": 1}})
no("another resource than the covered one", "queue", {f"{CELL}/name": "memory"}, by=WEBHOOK)
no("a flavor twice in a group", "queue", {"spec/resourceGroups/0/flavors/1": FLAVOR})
no("a flavor in two groups", "queue", {"spec/resourceGroups/1": {"coveredResources": ["memory"], "flavors": [
    {"name": "spot", "resources": [{"name": "memory", "nominalQuota": 1}]}]}}, by=WEBHOOK)
no("a resource in two groups", "queue", {"spec/resourceGroups/1": {"coveredResources": ["cpu"], "flavors": [
    {"name": "other", "resources": [QUOTA]}]}}, by=WEBHOOK)
yes("two groups", "queue", {"spec/resourceGroups/1": {"coveredResources": ["memory"], "flavors": [
    {"name": "other", "resources": [{"name": "memory", "nominalQuota": 1}]}]}})
no("a resource's name", "queue", {"spec/resourceGroups/0/coveredResources/0": "a b", f"{CELL}/name": "a b"}, by=WEBHOOK)
no("a flavor's name", "queue", {"spec/resourceGroups/0/flavors/0/name": "A_b"})
no("17 groups", "queue", {"spec/resourceGroups": [{"coveredResources": [f"r{n}.io/x"], "flavors": [
    {"name": f"f{n}", "resources": [{"name": f"r{n}.io/x", "nominalQuota": 1}]}]} for n in range(17)]})
yes("16 groups", "queue", {"spec/resourceGroups": [{"coveredResources": [f"r{n}.io/x"], "flavors": [
    {"name": f"f{n}", "resources": [{"name": f"r{n}.io/x", "nominalQuota": 1}]}]} for n in range(16)]})
no("more than 256 flavors", "queue", {"spec/resourceGroups": [{"coveredResources": [f"r{n}.io/x"], "flavors": [
    {"name": f"f{n}-{m}", "resources": [{"name": f"r{n}.io/x", "nominalQuota": 1}]} for m in range(52)]} for n in range(5)]},
   by=WEBHOOK)
no("more than 512 pairs", "queue", {"spec/resourceGroups": [{"coveredResources": [f"r{n}.io/x" for n in range(17)], "flavors": [
    {"name": f"f{m}", "resources": [{"name": f"r{n}.io/x", "nominalQuota": 1} for n in range(17)]} for m in range(31)]}]},
   by=WEBHOOK)
no("a cohort's name", "queue", {"spec/cohortName": "No!"})
no("queueingStrategy", "queue", {"spec/queueingStrategy": "Random"})
no("stopPolicy", "queue", {"spec/stopPolicy": "Halt"})
yes("stopPolicy HoldAndDrain", "queue", {"spec/stopPolicy": "HoldAndDrain"})
no("an unknown field", "queue", {"spec/colour": "red"})
no("a preference without TryNextFlavor", "queue", {"spec/flavorFungibility": {"preference": "BorrowingOverPreemption"}})
yes("a preference with TryNextFlavor", "queue", {"spec/flavorFungibility": {
    "preference": "BorrowingOverPreemption", "whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"}})
# One schema for all versions: each has the words of the other.
yes("v1beta1's words in v1beta2", "queue", {"spec/flavorFungibility": {"whenCanBorrow": "Borrow"}}, upstream=REFUSED)
yes("v1beta1's cohort in v1beta2", "queue", {"spec/cohortName": DROP, "spec/cohort": "a"}, upstream=REFUSED)
yes("v1beta2's cohortName in v1beta1", "old-queue", {"spec/cohort": DROP, "spec/cohortName": "a"}, upstream=REFUSED)
no("two cohorts", "old-queue", {"spec/cohortName": "b"})
yes("v1beta1: Borrow and Preempt", "old-queue", {"spec/flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"}})
no("v1beta1: Borrow for Preempt", "old-queue", {"spec/flavorFungibility": {"whenCanPreempt": "Borrow"}})
yes("v1beta1: a list of checks", "old-queue", {"spec/admissionChecks": ["a"]})
no("borrowWithinCohort without reclaim", "queue", {"spec/preemption": {"borrowWithinCohort": {"policy": "LowerPriority"}}})
yes("borrowWithinCohort with reclaim", "queue", {"spec/preemption": {
    "reclaimWithinCohort": "Any", "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 5}}})
no("withinClusterQueue Any", "queue", {"spec/preemption": {"withinClusterQueue": "Any"}})
no("reclaimWithinCohort LowerOrNewer…", "queue", {"spec/preemption": {"reclaimWithinCohort": "LowerOrNewerEqualPriority"}})
for weight, verdict in (("0", yes), ("0.5", yes), ("2n", yes)):
    verdict(f"weight {weight}", "queue", {"spec/fairSharing": {"weight": weight}})
no("weight 1n", "queue", {"spec/fairSharing": {"weight": "1n"}}, by=WEBHOOK)
no("weight -1", "queue", {"spec/fairSharing": {"weight": "-1"}}, by=WEBHOOK)
CHECK = "spec/admissionChecksStrategy/admissionChecks"
yes("a check on a flavor", "queue", {CHECK: [{"name": "a", "onFlavors": ["spot"]}]})
no("NEWER: a check on another's flavor", "queue", {CHECK: [{"name": "a", "onFlavors": ["other"]}]}, by=WEBHOOK)
no("a check without a name", "queue", {CHECK: [{"onFlavors": ["spot"]}]})
no("a check twice", "queue", {CHECK: [{"name": "a"}, {"name": "a"}]})
no("no checks in the strategy", "queue", {CHECK: []})
yes("a selector", "queue", {"spec/namespaceSelector": {"matchExpressions": [{"key": "a/b", "operator": "In", "values": ["c"]}]}})
no("a selector's operator", "queue", {"spec/namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}, by=WEBHOOK)
no("In without values", "queue", {"spec/namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, by=WEBHOOK)
no("a selector's label", "queue", {"spec/namespaceSelector": {"matchLabels": {"a": "b c"}}}, by=WEBHOOK)
no("admissionMode", "queue", {"spec/admissionScope": {"admissionMode": "Other"}})
# The next release's field, by spec/kueue.md.
yes("concurrentAdmissionPolicy", "queue", {"spec/concurrentAdmissionPolicy": {"migration": {
    "mode": "TryPreferredFlavors", "constraints": {"lastAcceptableFlavorName": "spot"}}}}, upstream=REFUSED)
no("concurrentAdmissionPolicy and StrictFIFO", "queue", {"spec/queueingStrategy": "StrictFIFO",
                                                         "spec/concurrentAdmissionPolicy": {"migration": {
                                                             "mode": "RetainFirstAdmission"}}})
no("concurrentAdmissionPolicy comes later", "queue", then={"spec/concurrentAdmissionPolicy": {"migration": {
    "mode": "RetainFirstAdmission"}}})
no("lastAcceptableFlavorName of another", "queue", {"spec/concurrentAdmissionPolicy": {"migration": {
    "mode": "TryPreferredFlavors", "constraints": {"lastAcceptableFlavorName": "other"}}}})
no("the dialects in one object", "queue", {"spec/weight": 10})
no("the dialects in one object: preemption", "queue", {"spec/preemption": {"enabled": True}})
yes("simple: what is no quantity makes it inactive", "simple-queue", {"spec/resources/0/minAllowed": "many"}, upstream=REFUSED)
no("simple: a negative weight", "simple-queue", {"spec/weight": -1})
no("status: a condition without a reason", "queue", then={"status": {"conditions": [
    {**true("Active"), "reason": ""}]}}, status=True)
no("status: a condition twice", "queue", then={"status": {"conditions": [true("Active"), true("Active")]}}, status=True)
yes("status: as Kueue writes it", "queue", then={"status": {
    "conditions": [true("Active", "Ready")], "pendingWorkloads": 1, "reservingWorkloads": 1, "admittedWorkloads": 1,
    "flavorsReservation": [{"name": "spot", "resources": [{"name": "cpu", "total": "1", "borrowed": "0"}]}],
    "flavorsUsage": [{"name": "spot", "resources": [{"name": "cpu", "total": "1", "borrowed": "0"}]}],
    "fairSharing": {"weightedShare": 0}}}, status=True)

# ---- Cohort, LocalQueue, ResourceFlavor, Topology, small kinds ----------------------------------------

yes("a limit below a parent", "cohort", {f"{CELL}/borrowingLimit": "2"})
no("a limit at a root", "cohort", {"spec/parentName": DROP, f"{CELL}/borrowingLimit": "2"}, by=WEBHOOK)
yes("lends more than it has", "cohort", {f"{CELL}/lendingLimit": "9"})
yes("a root without quota", "cohort", {"spec": {}})
no("a weight below zero", "cohort", {"spec/fairSharing": {"weight": "-1"}}, by=WEBHOOK)
no("a cohort's flavor in two groups", "cohort", {"spec/resourceGroups/1": {"coveredResources": ["memory"], "flavors": [
    {"name": "spot", "resources": [{"name": "memory", "nominalQuota": 1}]}]}}, by=WEBHOOK)

no("clusterQueue changes", "local", then={"spec/clusterQueue": "other"})
yes("stopPolicy changes", "local", then={"spec/stopPolicy": "Hold"})
no("a queue's name", "local", {"spec/clusterQueue": "A b"})
no("workQueue and clusterQueue", "local", {"spec/workQueue": "wq"})
no("workQueue and stopPolicy", "simple-local", {"spec/stopPolicy": "Hold"})
no("workQueue changes", "simple-local", then={"spec/workQueue": "other"}, upstream=REFUSED)
yes("v1beta1's status", "local", {"apiVersion": f"{KUEUE}/v1beta1"}, then={"status": {"flavorUsage": [
    {"name": "spot", "resources": [{"name": "cpu", "total": 1}]}]}}, status=True)

TAINT = {"key": "a", "effect": "NoSchedule"}
yes("a taint", "flavor", {"spec/nodeTaints": [{**TAINT, "value": "b"}]})
no("a taint's effect", "flavor", {"spec/nodeTaints": [{**TAINT, "effect": "Never"}]})
no("a taint twice", "flavor", {"spec/nodeTaints": [TAINT, {**TAINT, "value": "b"}]}, by=WEBHOOK)
no("a taint's key", "flavor", {"spec/nodeTaints": [{**TAINT, "key": "a b"}]}, by=WEBHOOK)
no("a taint's value", "flavor", {"spec/nodeTaints": [{**TAINT, "value": "b c"}]}, by=WEBHOOK)
no("nine labels", "flavor", {"spec/nodeLabels": {f"k{n}": "v" for n in range(9)}})
no("a label's key", "flavor", {"spec/nodeLabels": {"a/b/c": "d"}}, by=WEBHOOK)
no("a label's value", "flavor", {"spec/nodeLabels": {"a": "b c"}}, by=WEBHOOK)
no("a label's value is long", "flavor", {"spec/nodeLabels": {"a": "b" * 64}}, by=WEBHOOK)
yes("tolerations", "flavor", {"spec/tolerations": [{"operator": "Exists"}, {"key": "a", "value": "b"},
                                                   {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}]})
no("a toleration of nothing", "flavor", {"spec/tolerations": [{"operator": "Equal", "value": "b"}]})
no("a toleration's seconds", "flavor", {"spec/tolerations": [{"key": "a", "operator": "Exists", "effect": "NoSchedule",
                                                              "tolerationSeconds": 5}]})
no("a toleration's operator", "flavor", {"spec/tolerations": [{"key": "a", "operator": "Gt"}]})
no("a toleration's value", "flavor", {"spec/tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]})
no("a toleration's effect", "flavor", {"spec/tolerations": [{"key": "a", "effect": "Never"}]})
no("a toleration's key", "flavor", {"spec/tolerations": [{"key": "a b", "operator": "Exists"}]}, by=WEBHOOK)
yes("a topology", "flavor", {"spec/topologyName": "t"})
no("a topology without labels", "flavor", {"spec": {"topologyName": "t"}})
no("the topology changes", "flavor", {"spec/topologyName": "t"}, then={"spec/topologyName": "u"})
no("the topology goes", "flavor", {"spec/topologyName": "t"}, then={"spec/topologyName": DROP})
no("labels change below a topology", "flavor", {"spec/topologyName": "t"}, then={"spec/nodeLabels": {"a": "c"}})
yes("labels change", "flavor", then={"spec/nodeLabels": {"a": "c"}})

HOST = {"nodeLabel": "kubernetes.io/hostname"}
no("levels change", "topology", then={"spec/levels": [{"nodeLabel": "rack"}]})
# By spec/kueue.md 1.6; 0.17 refuses it.
yes("levels change above hosts", "topology", {"spec/levels/2": HOST}, then={"spec/levels": [{"nodeLabel": "rack"}, HOST]},
    upstream=REFUSED)
no("a level twice", "topology", {"spec/levels/1/nodeLabel": "rack"})
no("hosts above racks", "topology", {"spec/levels/0": HOST})
no("no levels", "topology", {"spec/levels": []})
no("a level's label", "topology", {"spec/levels/0/nodeLabel": "a b"})
no("17 levels", "topology", {"spec/levels": [{"nodeLabel": f"l{n}"} for n in range(17)]})

no("controllerName changes", "check", then={"spec/controllerName": "other"})
no("parameters without a name", "check", {"spec/parameters": {"apiGroup": "a.b", "kind": "C"}})
yes("parameters", "check", {"spec/parameters": {"apiGroup": "a.b", "kind": "C", "name": "d"}})
no("controllerName is empty", "check", {"spec/controllerName": ""})
yes("v1beta1: retryDelayMinutes", "check", {"apiVersion": f"{KUEUE}/v1beta1", "spec/retryDelayMinutes": 5})
no("value is missing", "priority", {"value": DROP})
no("value is beyond 32 bits", "priority", {"value": 3000000000})
no("description is long", "priority", {"description": "x" * 2049})
yes("value changes", "priority", then={"value": 6})
no("the class is missing", "provisioning", {"spec/provisioningClassName": DROP})
no("a parameter is long", "provisioning", {"spec/parameters": {"a": "b" * 256}})
no("no clusters", "multi", {"spec/clusters": []})
no("a cluster twice", "multi", {"spec/clusters": ["a", "a"]})
no("two sources", "multi-cluster", {"spec/clusterSource/clusterProfileRef": {"name": "a"}})
yes("v1beta1's source", "multi-cluster", {"apiVersion": f"{KUEUE}/v1beta1", "spec": {"kubeConfig": {
    "location": "a", "locationType": "Secret"}}})

# ---- Workload ---------------------------------------------------------------------------------------

SET = "spec/podSets/0"
REF = {"group": KUEUE, "kind": "WorkloadPriorityClass", "name": "high"}
yes("minCount", "workload", {f"{SET}/minCount": 1})
no("minCount above count", "workload", {f"{SET}/minCount": 3})
no("minCount is zero", "workload", {f"{SET}/minCount": 0})
no("minCount twice", "workload", {f"{SET}/minCount": 1, "spec/podSets/1": {"name": "b", "count": 2, "minCount": 1, "template": POD}},
   by=WEBHOOK)
no("a pod set twice", "workload", {"spec/podSets/1": {"name": "main", "count": 2, "template": POD}})
no("a pod set's name", "workload", {f"{SET}/name": "A.b"})
no("count is negative", "workload", {f"{SET}/count": -1})
no("no template", "workload", {f"{SET}/template": DROP})
no("no containers", "workload", {f"{SET}/template/spec/containers": DROP})
no("a container without a name", "workload", {f"{SET}/template/spec/containers/0/name": DROP})
no("a container twice", "workload", {f"{SET}/template/spec/containers/1": {"name": "c"}})
no("a request is no quantity", "workload", {f"{SET}/template/spec/containers/0/resources/requests/cpu": "much"})
no("a request for pods", "workload", {f"{SET}/template/spec/containers/0/resources/requests/pods": "1"}, by=WEBHOOK)
yes("a pod with everything", "workload", {f"{SET}/template/spec/affinity": {"podAntiAffinity": {}},
                                          f"{SET}/template/spec/volumes": [{"name": "v", "emptyDir": {}}],
                                          f"{SET}/template/metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}})
no("no pod sets", "workload", {"spec/podSets": []})
yes("eight pod sets", "workload", {"spec/podSets": [{"name": f"s{n}", "count": 1, "template": POD} for n in range(8)]})
# 18 by spec/kueue.md 1.5, 8 in 0.17.
yes("18 pod sets", "workload", {"spec/podSets": [{"name": f"s{n}", "count": 1, "template": POD} for n in range(18)]},
    upstream=REFUSED)
no("19 pod sets", "workload", {"spec/podSets": [{"name": f"s{n}", "count": 1, "template": POD} for n in range(19)]})
no("a class without a priority", "workload", {"spec/priorityClassRef": REF})
yes("a class with a priority", "workload", {"spec/priorityClassRef": REF, "spec/priority": 5})
no("a class of the other group", "workload", {"spec/priorityClassRef": {**REF, "kind": "PriorityClass"}, "spec/priority": 5})
no("v1beta1: a class without a priority", "old-workload", {"spec/priorityClassName": "high"})
yes("v1beta1: a class", "old-workload", {"spec/priorityClassName": "high", "spec/priority": 5,
                                         "spec/priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass"})
no("v1beta1: a class's source", "old-workload", {"spec/priorityClassName": "high", "spec/priority": 5,
                                                 "spec/priorityClassSource": "other"})
no("maximumExecutionTimeSeconds is zero", "workload", {"spec/maximumExecutionTimeSeconds": 0})
yes("a gate", "workload", {"spec/preemptionGates": [{"name": "a"}]})
yes("topology", "workload", {f"{SET}/topologyRequest": {"required": "rack", "podSetSliceRequiredTopology": "row", "podSetSliceSize": 2}})
no("four slices", "workload", {f"{SET}/topologyRequest": {"podsetSliceRequiredTopologyConstraints": [
    {"topology": f"t{n}", "size": 1} for n in range(4)]}})
yes("pod sets change", "workload", then={f"{SET}/count": 3})

no("pod sets change while reserved", "reserved", then={f"{SET}/count": 3}, by=WEBHOOK)
no("fewer pods while reserved", "reserved", then={f"{SET}/count": 1}, by=WEBHOOK)
yes("fewer pods of an elastic job", "reserved", {"metadata/annotations": {"kueue.x-k8s.io/elastic-job": "true"}},
    then={f"{SET}/count": 1})
no("queueName changes while reserved", "reserved", then={"spec/queueName": "other"})
yes("queueName changes", "workload", then={"spec/queueName": "other"})
no("the class goes while reserved", "reserved", then={"spec/priorityClassRef": DROP})
no("the class's kind changes while reserved", "reserved", then={"spec/priorityClassRef": {
    "group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "high"}})
yes("the class's name changes while reserved", "reserved", then={"spec/priorityClassRef/name": "low"})
no("a PriorityClass's name changes while reserved", "reserved", {"spec/priorityClassRef": {
    "group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "high"}}, then={"spec/priorityClassRef/name": "low"})
yes("priority changes while reserved", "reserved", then={"spec/priority": 9})
no("its time changes while admitted", "reserved", then={"spec/maximumExecutionTimeSeconds": 5})
yes("it is put out", "reserved", then={"spec/active": False})
no("NEWER: held later", "reserved", then={"metadata/annotations": {"kueue.x-k8s.io/admission-gated-by": "a"}}, by=WEBHOOK)

S = {"status": True}
no("admission changes", "reserved", then={"status/admission/clusterQueue": "other"}, by=WEBHOOK, **S)
no("flavors change", "reserved", then={"status/admission/podSetAssignments/0/flavors/cpu": "other"}, by=WEBHOOK, **S)
yes("admission goes", "reserved", then={"status/admission": DROP, "status/conditions": [
    {**true("QuotaReserved"), "status": "False"}], "status/reclaimablePods": DROP}, **S)
PLACED = {"levels": ["row", "host"], "slices": [{"domainCount": 1, "valuesPerLevel": [{"universal": "r"}, {"universal": "h"}],
                                                "podCounts": {"universal": 2}}]}
AT = "status/admission/podSetAssignments/0/topologyAssignment"
yes("its place is found", "reserved", then={AT: PLACED}, **S)
yes("v1beta1: its place is found", "old-workload", then={"status": {"admission": {"clusterQueue": "cq", "podSetAssignments": [
    {"name": "main", "count": 2, "topologyAssignment": {"levels": ["h"], "domains": [{"values": ["a"], "count": 2}]}}]}}}, **S)
no("no place in it", "reserved", then={AT: {"levels": ["h"]}}, **S)
no("a level without a value", "reserved", then={AT: {**PLACED, "levels": ["h"]}}, **S)
no("a domain without a value", "reserved", then={AT: {"levels": ["h"], "slices": [
    {"domainCount": 2, "valuesPerLevel": [{"individual": {"roots": ["a"]}}], "podCounts": {"universal": 1}}]}}, **S)
no("both counts", "reserved", then={AT: {"levels": ["h"], "slices": [
    {"domainCount": 1, "valuesPerLevel": [{"universal": "a"}], "podCounts": {"universal": 1, "individual": [1]}}]}}, **S)
no("a pod set that is not there", "reserved", then={"status/admission/podSetAssignments/0/name": "other"}, by=WEBHOOK, **S)
no("too few assignments", "reserved", then={"status/admission/podSetAssignments": []}, **S)
yes("more is given back", "reserved", then={"status/reclaimablePods/0/count": 2}, **S)
no("less is given back", "reserved", then={"status/reclaimablePods/0/count": 0}, by=WEBHOOK, **S)
no("more than there are is given back", "reserved", then={"status/reclaimablePods/0/count": 3}, by=WEBHOOK, **S)
no("given back by nobody", "reserved", then={"status/reclaimablePods/1": {"name": "b", "count": 1}}, by=WEBHOOK, **S)
STATE = {"name": "a", "state": "Ready", "lastTransitionTime": TIME, "message": ""}
yes("a check", "reserved", then={"status/admissionChecks": [{**STATE, "podSetUpdates": [{"name": "main", "labels": {"a": "b"}}]}]}, **S)
no("a check's state", "reserved", then={"status/admissionChecks": [{**STATE, "state": "Done"}]}, **S)
no("a check updates nobody", "reserved", then={"status/admissionChecks": [{**STATE, "podSetUpdates": [{"name": "b"}]}]}, by=WEBHOOK, **S)
no("a check changes its mind", "reserved", {"status/admissionChecks": [{**STATE, "podSetUpdates": [{"name": "main"}]}]},
   then={"status/admissionChecks": [{**STATE, "podSetUpdates": [{"name": "main", "labels": {"a": "b"}}]}]}, by=WEBHOOK, **S)
no("a cluster that nobody named", "reserved", then={"status/clusterName": "a"}, by=WEBHOOK, **S)
yes("a cluster that was named", "reserved", {"status/nominatedClusterNames": ["a"]},
    then={"status/nominatedClusterNames": DROP, "status/clusterName": "a"}, **S)
no("a cluster beside those that were named", "reserved", {"status/nominatedClusterNames": ["a"]}, then={"status/clusterName": "a"}, **S)

# ---- NodePool ---------------------------------------------------------------------------------------

NODE = "spec/template/spec"


def need(key="a.b/c", operator="In", **keys):
    return {"key": key, "operator": operator, **keys}


for key in ("karpenter.sh/capacity-type", "karpenter.k8s.aws/instance-family", "topology.kubernetes.io/zone", "company/x"):
    yes(f"a requirement on {key}", "pool", {f"{NODE}/requirements": [need(key, values=["v"])]})
    yes(f"a requirement of a claim on {key}", "claim", {"spec/requirements": [need(key, values=["v"])]})
for key in ("karpenter.sh/other", "sub.karpenter.sh/other", "kubernetes.io/hostname", "a b"):
    no(f"a requirement on {key}", "pool", {f"{NODE}/requirements": [need(key, values=["v"])]})
    no(f"a requirement of a claim on {key}", "claim", {"spec/requirements": [need(key, values=["v"])]})
no("a requirement on the pool's label", "pool", {f"{NODE}/requirements": [need("karpenter.sh/nodepool", values=["v"])]})
yes("a claim's requirement on the pool's label", "claim", {"spec/requirements": [need("karpenter.sh/nodepool", values=["v"])]})
no("a requirement on an unknown label of AWS", "pool", {f"{NODE}/requirements": [need("karpenter.k8s.aws/x", values=["v"])]})
no("In without values", "pool", {f"{NODE}/requirements": [need()]})
no("In with no values", "pool", {f"{NODE}/requirements": [need(values=[])]})
yes("Exists", "pool", {f"{NODE}/requirements": [need(operator="Exists")]})
yes("NotIn without values", "pool", {f"{NODE}/requirements": [need(operator="NotIn")]})
for operator in ("Gt", "Lt", "Gte", "Lte"):
    yes(operator, "pool", {f"{NODE}/requirements": [need(operator=operator, values=["5"])]})
    no(f"{operator} with two", "pool", {f"{NODE}/requirements": [need(operator=operator, values=["5", "6"])]})
no("Gt below zero", "pool", {f"{NODE}/requirements": [need(operator="Gt", values=["-5"])]})
no("Gt with a word", "pool", {f"{NODE}/requirements": [need(operator="Gt", values=["five"])]})
no("an operator", "pool", {f"{NODE}/requirements": [need(operator="Like", values=["5"])]})
yes("minValues", "pool", {f"{NODE}/requirements": [need(values=["a", "b"], minValues=2)]})
no("minValues above the values", "pool", {f"{NODE}/requirements": [need(values=["a"], minValues=2)]})
no("minValues 51", "pool", {f"{NODE}/requirements": [need(operator="Exists", minValues=51)]})
no("101 requirements", "pool", {f"{NODE}/requirements": [need(f"k{n}", "Exists") for n in range(101)]})
no("no requirements", "pool", {f"{NODE}/requirements": DROP})
no("no class", "pool", {f"{NODE}/nodeClassRef": DROP})
no("no template", "pool", {"spec/template": DROP})
no("no spec", "pool", {"spec": DROP})
for part in ("group", "kind", "name"):
    no(f"a class without {part}", "pool", {f"{NODE}/nodeClassRef/{part}": ""})
no("a class's group has a version", "pool", {f"{NODE}/nodeClassRef/group": "karpenter.k8s.aws/v1"})
no("the class's group changes", "pool", then={f"{NODE}/nodeClassRef/group": "other"})
no("the class's kind changes", "pool", then={f"{NODE}/nodeClassRef/kind": "Other"})
yes("the class's name changes", "pool", then={f"{NODE}/nodeClassRef/name": "other"})
LABELS = "spec/template/metadata/labels"
yes("a label", "pool", {LABELS: {"company/x": "y"}})
for key in ("karpenter.sh/nodepool", "kubernetes.io/hostname", "karpenter.sh/x", "karpenter.k8s.aws/x"):
    no(f"a label {key}", "pool", {LABELS: {key: "y"}})
no("a label's value", "pool", {LABELS: {"a": "b c"}})
yes("a taint", "pool", {f"{NODE}/taints": [{**TAINT, "value": "b"}], f"{NODE}/startupTaints": [TAINT]})
no("a taint's effect", "pool", {f"{NODE}/taints": [{**TAINT, "effect": "Never"}]})
no("a taint's value is empty", "pool", {f"{NODE}/taints": [{**TAINT, "value": ""}]})
no("a taint's key", "pool", {f"{NODE}/taints": [{**TAINT, "key": "a b"}]})
for field, taken, refused in ((f"{NODE}/expireAfter", ["720h", "1h30m", "Never"], ["1d", "1.5h", "-1h", ""]),
                              (f"{NODE}/terminationGracePeriod", ["30s"], ["Never", "soon"]),
                              ("spec/disruption/consolidateAfter", ["0s", "Never"], ["1d"])):
    for value in taken:
        yes(f"{field.rpartition('/')[2]} {value}", "pool", {field: value})
    for value in refused:
        no(f"{field.rpartition('/')[2]} {value}", "pool", {field: value})
for policy in ("WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"):
    yes(policy, "pool", {"spec/disruption": {"consolidationPolicy": policy, "consolidateAfter": "1m"}})
no("a policy", "pool", {"spec/disruption": {"consolidationPolicy": "Always", "consolidateAfter": "0s"}})
for budget in ({"nodes": "10%"}, {"nodes": "0"}, {"nodes": "100%"}, {"nodes": "5", "schedule": "@daily", "duration": "1h30m"},
               {"nodes": "1", "reasons": ["Empty", "Drifted"]}, {"nodes": "1", "schedule": "0 9 * * 1-5", "duration": "8h"}):
    yes(f"budget {budget}", "pool", {"spec/disruption": {"consolidateAfter": "0s", "budgets": [budget]}})
for budget in ({"nodes": "101%"}, {"nodes": "-1"}, {"nodes": "few"}, {"nodes": "1", "schedule": "@daily"},
               {"nodes": "1", "duration": "1h"}, {"nodes": "1", "schedule": "@daily", "duration": "10s"},
               {"nodes": "1", "reasons": ["Bored"]}, {"nodes": "1", "reasons": ["Empty", "Empty"]}):
    no(f"budget {budget}", "pool", {"spec/disruption": {"consolidateAfter": "0s", "budgets": [budget]}})
no("51 budgets", "pool", {"spec/disruption": {"consolidateAfter": "0s", "budgets": [{"nodes": "1"}] * 51}})
# Karpenter 1.15 gives a default, 1.14 wants it written.
yes("disruption without consolidateAfter", "pool", {"spec/disruption": {"consolidationPolicy": "WhenEmpty"}}, upstream=REFUSED)
yes("limits", "pool", {"spec/limits": {"cpu": "1000", "nodes": 10, "example.com/gpu": 5}})
no("a limit is no quantity", "pool", {"spec/limits": {"cpu": "much"}})
yes("weight 100", "pool", {"spec/weight": 100})
no("weight 0", "pool", {"spec/weight": 0})
no("weight 101", "pool", {"spec/weight": 101})
yes("replicas", "pool", {"spec/replicas": 3, "spec/limits": {"nodes": "5"}})
no("replicas and weight", "pool", {"spec/replicas": 3, "spec/weight": 5})
no("replicas and a limit", "pool", {"spec/replicas": 3, "spec/limits": {"cpu": "5"}})
no("replicas below zero", "pool", {"spec/replicas": -1})
no("replicas come", "pool", then={"spec/replicas": 3})
no("replicas go", "pool", {"spec/replicas": 3}, then={"spec/replicas": DROP})
yes("replicas change", "pool", {"spec/replicas": 3}, then={"spec/replicas": 4})
no("an unknown field", "pool", {"spec/colour": "red"})
no("the dialects in one pool", "pool", {"spec/templateRef": {"name": "t"}})
no("minSize in an upstream pool", "pool", {"spec/minSize": 1})
yes("simple: a taint without a value", "simple-pool", {f"{NODE}/taints": [{**TAINT, "value": ""}]}, upstream=NO_SUCH_KIND)
yes("simple: requirements", "simple-pool", {f"{NODE}/requirements": [need(values=["a"])]}, upstream=NO_SUCH_KIND)
yes("simple: no template", "simple-pool", {"spec/template": DROP}, upstream=NO_SUCH_KIND)
yes("simple: minSize above maxSize makes it not ready", "simple-pool", {"spec/minSize": 5}, upstream=NO_SUCH_KIND)
no("simple: no templateRef", "simple-pool", {"spec/templateRef": DROP}, upstream=NO_SUCH_KIND)
no("simple: a weight", "simple-pool", {"spec/weight": 5}, upstream=NO_SUCH_KIND)
no("simple: minSize below zero", "simple-pool", {"spec/minSize": -1}, upstream=NO_SUCH_KIND)
no("simple: expireAfter", "simple-pool", {f"{NODE}/expireAfter": "1h"}, upstream=NO_SUCH_KIND)

# ---- NodeClaim, NodeOverlay -------------------------------------------------------------------------

no("spec changes", "claim", then={"spec/terminationGracePeriod": "1h"})
yes("labels change", "claim", then={"metadata/labels": {"a": "b"}})
yes("resources", "claim", {"spec/resources": {"requests": {"cpu": "1", "pods": 5}}})
yes("status: a condition without a reason", "claim", then={"status": {"conditions": [
    {"type": "Launched", "status": "Unknown", "lastTransitionTime": TIME}]}}, status=True)
no("status: a condition's status", "claim", then={"status": {"conditions": [{**true("Launched"), "status": "Yes"}]}}, status=True)
no("price and priceAdjustment", "overlay", {"spec/priceAdjustment": "+5%"})
yes("priceAdjustment", "overlay", {"spec/price": DROP, "spec/priceAdjustment": "-100%"})
no("priceAdjustment below -100%", "overlay", {"spec/price": DROP, "spec/priceAdjustment": "-101%"})
no("capacity of cpu", "overlay", {"spec/capacity": {"cpu": "5"}})
yes("capacity", "overlay", {"spec/capacity": {"example.com/x": "5"}})
no("NotIn without values", "overlay", {"spec/requirements": [need(operator="NotIn")]})

# ---- EC2NodeClass -----------------------------------------------------------------------------------

AMI, NET, SEC = "spec/amiSelectorTerms", "spec/subnetSelectorTerms", "spec/securityGroupSelectorTerms"
for alias in ("al2@latest", "al2023@v20240101", "bottlerocket@1.2.3", "windows2022@latest"):
    yes(alias, "class", {AMI: [{"alias": alias}]})
for alias in ("al2023", "ubuntu@latest", "windows2022@v1", "al2023@", "a" * 30 + "@1"):
    no(alias, "class", {AMI: [{"alias": alias}]})
yes("an id with its family", "class", {AMI: [{"id": "ami-123"}], "spec/amiFamily": "AL2023"})
no("an id without a family", "class", {AMI: [{"id": "ami-123"}]})
yes("an alias with its family", "class", {"spec/amiFamily": "AL2023"})
yes("an alias with Custom", "class", {"spec/amiFamily": "Custom"})
no("an alias with another family", "class", {"spec/amiFamily": "Bottlerocket"})
no("a family", "class", {"spec/amiFamily": "Ubuntu"})
for term in ({}, {"id": "ami-1", "name": "a"}, {"id": "ami-1", "tags": {"a": "b"}}, {"id": "x"}, {"tags": {"a": ""}}, {"tags": {"": "a"}},
             {"alias": "al2023@latest", "name": "a"}):
    no(f"image {term}", "class", {AMI: [term], "spec/amiFamily": "AL2023"})
for term in ({"name": "a", "owner": "self"}, {"tags": {"a": "*"}}, {"ssmParameter": "/a/b"}):
    yes(f"image {term}", "class", {AMI: [term], "spec/amiFamily": "AL2023"})
no("an alias beside a term", "class", {AMI: [{"alias": "al2023@latest"}, {"id": "ami-1"}]})
no("no images", "class", {AMI: []})
for terms, verdict in (([{"id": "subnet-1"}], yes), ([{"id": "subnet-1"}, {"tags": {"a": "b"}}], yes), ([], no), ([{}], no),
                       ([{"id": "x"}], no), ([{"id": "subnet-1", "tags": {"a": "b"}}], no)):
    verdict(f"subnets {terms}", "class", {NET: terms})
for terms, verdict in (([{"id": "sg-1"}], yes), ([{"name": "a"}], yes), ([], no), ([{}], no), ([{"id": "sg-1", "name": "a"}], no),
                       ([{"name": "a", "tags": {"a": "b"}}], no)):
    verdict(f"groups {terms}", "class", {SEC: terms})
no("no subnets", "class", {NET: DROP})
no("role and profile", "class", {"spec/instanceProfile": "p"})
no("neither role nor profile", "class", {"spec/role": DROP})
yes("a profile", "class", {"spec/role": DROP, "spec/instanceProfile": "p"})
no("an empty role", "class", {"spec/role": ""})
for tag in ("kubernetes.io/cluster/x", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim", "karpenter.k8s.aws/ec2nodeclass",
            "eks:eks-cluster-name", ""):
    no(f"tag {tag!r}", "class", {"spec/tags": {tag: "v"}})
yes("a tag", "class", {"spec/tags": {"team": "a"}})


def disk(**ebs):
    return {"spec/blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": ebs}]}


for size in ("100Gi", "64000G", "59000Gi", "58Ti", "64T", "1Ti"):
    yes(f"a disk of {size}", "class", disk(volumeSize=size))
# Upstream's pattern leaves out tebibytes that end with 8 or 9.
yes("a disk of 18Ti", "class", disk(volumeSize="18Ti"), upstream=REFUSED)
for size in ("0Gi", "64001G", "59001Gi", "59Ti", "65T", "100Mi", "100"):
    no(f"a disk of {size}", "class", disk(volumeSize=size))
no("a disk of nothing", "class", disk(encrypted=True))
yes("a disk of a snapshot", "class", disk(snapshotID="snap-1", volumeInitializationRate=100))
no("a rate without a snapshot", "class", disk(volumeSize="1Gi", volumeInitializationRate=100))
no("a rate of 99", "class", disk(snapshotID="snap-1", volumeInitializationRate=99))
no("a type of disk", "class", disk(volumeSize="1Gi", volumeType="gp4"))
no("two root volumes", "class", {"spec/blockDeviceMappings": [{"rootVolume": True}, {"rootVolume": True}]})
yes("a kubelet", "class", {"spec/kubelet": {"maxPods": 10, "systemReserved": {"cpu": "1"}}})
# Karpenter 1.15 takes all that KubeletConfiguration has.
yes("a kubelet's other fields", "class", {"spec/kubelet": {"registryPullQPS": 5, "any": {"thing": [1]}}}, upstream=REFUSED)
no("a hop limit", "class", {"spec/metadataOptions": {"httpPutResponseHopLimit": 65}})
no("tokens", "class", {"spec/metadataOptions": {"httpTokens": "maybe"}})
CARD = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
yes("interfaces", "class", {"spec/networkInterfaces": [CARD, {"networkCardIndex": 1, "deviceIndex": 1, "interfaceType": "efa-only"}]})
no("no primary interface", "class", {"spec/networkInterfaces": [{**CARD, "deviceIndex": 1}]})
no("an interface twice", "class", {"spec/networkInterfaces": [CARD, CARD]})
no("two efa-only on a card", "class", {"spec/networkInterfaces": [CARD, {**CARD, "deviceIndex": 1, "interfaceType": "efa-only"},
                                                                  {**CARD, "deviceIndex": 2, "interfaceType": "efa-only"}]})
yes("a placement group", "class", {"spec/placementGroupSelector": {"name": "a"}})
no("two placement groups", "class", {"spec/placementGroupSelector": {"name": "a", "id": "pg-1"}})
no("a placement group's id", "class", {"spec/placementGroupSelector": {"id": "x"}})
no("no timeouts", "class", {"spec/connectionTracking": {}})
no("a timeout", "class", {"spec/connectionTracking": {"udpTimeout": 61}})
yes("reservations", "class", {"spec/capacityReservationSelectorTerms": [{"id": "cr-1"}, {"tags": {"a": "b"}, "ownerID": "123456789012"}]})
no("a reservation's owner", "class", {"spec/capacityReservationSelectorTerms": [{"tags": {"a": "b"}, "ownerID": "me"}]})
no("a store policy", "class", {"spec/instanceStorePolicy": "RAID1"})

# ---- the simple dialect's own kinds -------------------------------------------------------------------

OURS = {"upstream": NO_SUCH_KIND}
no("no ClusterQueue", "work-queue", {"spec/clusterQueue": DROP}, **OURS)
no("no jobs", "work-queue", {"spec/maxParallelJobs": 0}, **OURS)
yes("no bound", "work-queue", {"spec/maxParallelJobs": DROP}, **OURS)
no("no pods", "pod-set", {"spec/replicas": 0}, **OURS)
no("no template", "pod-set", {"spec/template": DROP}, **OURS)
no("no containers", "pod-set", {"spec/template/spec/containers": DROP}, **OURS)
no("a request is no quantity", "pod-set", {"spec/template/spec/containers/0/resources/requests/cpu": "much"}, **OURS)
yes("every field", "pod-set", {"spec/queueName": "q", "spec/workQueue": "w", "spec/priorityClassName": "p", "spec/backoffLimit": 0}, **OURS)
no("no family", "template", {"spec/amiFamily": DROP}, **OURS)
yes("a family that is not known makes it not ready", "template", {"spec/amiFamily": "Ubuntu18.04"}, **OURS)
no("a type twice", "template", {"spec/instanceTypes": ["a", "a"]}, **OURS)
yes("every field", "template", {"spec/tags": {"a": "b"}, "spec/sshPublicKey": "k", "spec/metadata": {"disableCloudInit": True},
                                "spec/role": "r", "spec/userData": "u", NET: [{"id": "subnet-1"}], SEC: [{"id": "sg-1"}],
                                "spec/blockDeviceMappings": [{"deviceName": "a", "ebs": {"volumeSize": "1Gi"}}]}, **OURS)
no("a subnet's id", "template", {NET: [{"id": "x"}]}, **OURS)
