"""Random states: manifests that an API server would store, as lists of objects."""
import random

NOW = "2025-01-15T12:00:00Z"
KUEUE = "kueue.x-k8s.io/v1beta2"
RESOURCES = ["cpu", "memory", "example.com/gpu", "example.com/fpga", "pods"]
FLAVORS = ["spot", "reserved", "arm", "big"]
HUGE = ["9223372036854775807", "9223372036854775806", "9223372036854775", "100P"]
PRIORITIES = [-10, 0, 0, 5, 10]
WAITING = [-10, 0, 5, 10, 10, 100]


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        rng = self.rng
        self.docs = []
        self.fair = rng.random() < 0.4
        self.shape = rng.choice(["single", "flat", "flat", "tree", "tree", "trees"])
        self.odd = rng.random() < 0.15  # limits 0 and huge, amounts over quota
        self.dense = rng.random() < 0.5  # quota in use, and mostly enough for one workload
        self.most = rng.choice([6, 12, 12, 24])  # nominal quota: scarce or not
        self.strict = rng.random() < 0.5
        self.tainted = rng.random() < 0.4
        self.flavors = rng.sample(FLAVORS, rng.choice([1, 1, 2, 2, 3, 4]))
        self.resources = rng.sample(RESOURCES, rng.choice([1, 1, 2, 2, 3]))
        if self.resources == ["pods"]:
            self.resources.append("cpu")
        self.clock = 0

    def chance(self, p):
        return self.rng.random() < p

    def add(self, kind, name, spec=None, ns=None, version=KUEUE, labels=None):
        meta = {"name": name}
        if ns is not None:
            meta["namespace"] = ns
        if labels:
            meta["labels"] = labels
        doc = {"apiVersion": version, "kind": kind, "metadata": meta}
        if spec is not None:
            doc["spec"] = spec
        self.docs.append(doc)
        return doc

    # ---- amounts -------------------------------------------------------------------------------

    def size(self, resource, most):
        if self.odd and self.chance(0.2):
            return self.rng.choice(["0", *HUGE])
        value = self.rng.choice([0, self.rng.randint(0, most), self.rng.randint(1, most)])
        if self.dense:
            value = self.rng.randint((most + 1) // 3, most)
        if resource == "cpu" and self.chance(0.2):
            return f"{value * 1000 + self.rng.choice([0, 500, 250])}m"
        return str(value)

    def one_quota(self, resource, cohort, queue):
        row = {"name": resource, "nominalQuota": self.size(resource, self.most)}
        if cohort and self.chance(0.3):
            row["borrowingLimit"] = self.size(resource, 8)
        if cohort and self.chance(0.25):
            lending = self.size(resource, 8)
            if not queue or at_most(lending, row["nominalQuota"]):
                row["lendingLimit"] = lending
        return row

    def groups(self, cohort, queue=True):
        rng = self.rng
        resources, flavors = self.resources[:], self.flavors[:]
        rng.shuffle(resources)
        rng.shuffle(flavors)
        cut = 0
        if len(resources) > 1 and len(flavors) > 1 and self.chance(0.4):
            cut = rng.randint(1, len(resources) - 1)
        parts = [(resources, flavors)]
        if cut:
            half = rng.randint(1, len(flavors) - 1)
            parts = [(resources[:cut], flavors[:half]), (resources[cut:], flavors[half:])]
        if self.chance(0.1):
            parts = parts[:1]
        return [{"coveredResources": covered,
                 "flavors": [{"name": flavor, "resources": [
                     self.one_quota(resource, cohort, queue) for resource in covered]}
                     for flavor in names]} for covered, names in parts]

    # ---- objects -------------------------------------------------------------------------------

    def configuration(self):
        if self.fair:
            sharing = {}
            if self.chance(0.5):
                sharing["preemptionStrategies"] = self.rng.choice([
                    ["LessThanOrEqualToFinalShare"], ["LessThanInitialShare"],
                    ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]])
            self.docs.append({"apiVersion": "config.kueue.x-k8s.io/v1beta2",
                              "kind": "Configuration", "fairSharing": sharing})

    def flavor(self, name):
        spec = {}
        if self.tainted and self.chance(0.5):
            spec["nodeLabels"] = {"pool": name}
            if self.chance(0.3):
                spec["nodeLabels"]["zone"] = self.rng.choice("ab")
        if self.tainted and self.chance(0.4):
            spec["nodeTaints"] = [{"key": self.rng.choice(["dedicated", "spot"]), "value": "x",
                                   "effect": self.rng.choice(["NoSchedule", "NoExecute",
                                                              "PreferNoSchedule"])}]
            if self.chance(0.2):
                spec["tolerations"] = [{"key": "spot", "operator": "Exists"}]
        self.add("ResourceFlavor", name, spec)

    def weight(self, spec):
        if self.fair and self.chance(0.4):
            spec["fairSharing"] = {"weight": self.rng.choice(["0", "1", "2", "500m", "3", "1n"])}
            if spec["fairSharing"]["weight"] == "1n":
                spec["fairSharing"]["weight"] = "10n"

    def cohorts(self):
        if self.shape not in ("tree", "trees"):
            return ["team"] if self.shape == "flat" else []
        names = [f"co{i}" for i in range(self.rng.randint(2, 4))]
        for index, name in enumerate(names):
            spec = {}
            parent = index > 0 and (self.shape == "tree" or self.chance(0.7))
            if parent:
                spec["parentName"] = self.rng.choice(names[:index])
            if self.chance(0.5):
                spec["resourceGroups"] = self.groups(parent, queue=False)
            self.weight(spec)
            if spec or self.chance(0.8):
                self.add("Cohort", name, spec)
        return names

    def preemption(self):
        rng = self.rng
        spec = {"withinClusterQueue": rng.choice(["Never", "LowerPriority", "LowerPriority",
                                                  "LowerOrNewerEqualPriority"]),
                "reclaimWithinCohort": rng.choice(["Never", "LowerPriority", "Any", "Any"])}
        if spec["reclaimWithinCohort"] != "Never" and self.chance(0.35):
            spec["borrowWithinCohort"] = {"policy": "LowerPriority"}
            if self.chance(0.5):
                spec["borrowWithinCohort"]["maxPriorityThreshold"] = rng.choice([-1, 0, 5, 50])
        return spec

    def fungibility(self):
        rng = self.rng
        spec = {}
        if self.chance(0.7):
            spec["whenCanBorrow"] = rng.choice(["MayStopSearch", "TryNextFlavor"])
        if self.chance(0.7):
            spec["whenCanPreempt"] = rng.choice(["MayStopSearch", "TryNextFlavor"])
        if (spec.get("whenCanBorrow") == "TryNextFlavor" and self.chance(0.5)
                and spec.get("whenCanPreempt", "TryNextFlavor") == "TryNextFlavor"):
            spec["preference"] = rng.choice(["BorrowingOverPreemption", "PreemptionOverBorrowing"])
        return spec

    def cluster_queue(self, name, cohorts):
        spec = {"namespaceSelector": {}, "resourceGroups": []}
        cohort = self.rng.choice(cohorts) if cohorts and self.chance(0.9) else None
        if cohort:
            spec["cohortName"] = cohort
        spec["resourceGroups"] = self.groups(cohort is not None)
        spec["queueingStrategy"] = ("StrictFIFO" if self.strict and self.chance(0.4)
                                    else "BestEffortFIFO")
        if self.dense or self.chance(0.8):
            spec["preemption"] = self.preemption()
        if self.chance(0.6):
            spec["flavorFungibility"] = self.fungibility()
        self.weight(spec)
        if self.chance(0.02):
            spec["stopPolicy"] = self.rng.choice(["Hold", "HoldAndDrain"])
        if self.chance(0.02):
            spec["namespaceSelector"] = {"matchLabels": {"team": "b"}}
        self.add("ClusterQueue", name, spec)
        self.add("LocalQueue", name, {"clusterQueue": name}, "default")

    # ---- workloads -----------------------------------------------------------------------------

    def pod(self, requests):
        box = {"name": "c", "image": "registry.example/pause",
               "resources": {"requests": requests}}
        if self.chance(0.05):
            box["resources"] = {"limits": requests}
        pod = {"containers": [box], "restartPolicy": "Never"}
        if self.chance(0.01) and requests:
            name = sorted(requests)[0]
            box["resources"] = {"requests": requests, "limits": {name: "0"}}
        if self.tainted and self.chance(0.4):
            pod["tolerations"] = [self.rng.choice([
                {"operator": "Exists"}, {"key": "spot", "operator": "Exists"},
                {"key": "dedicated", "value": "x", "effect": "NoSchedule"}])]
        if self.tainted and self.chance(0.2):
            pod["nodeSelector"] = {"pool": self.rng.choice(self.flavors)}
        elif self.tainted and self.chance(0.2):
            rows = [{"key": self.rng.choice(["pool", "zone", "other"]),
                     "operator": self.rng.choice(["In", "NotIn"]),
                     "values": [self.rng.choice([*self.flavors, "a", "b"])]}
                    for _ in range(self.rng.randint(1, 2))]
            pod["affinity"] = {"nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [row]} for row in rows]
                    if self.chance(0.5) else [{"matchExpressions": rows}]}}}
        return pod

    def pod_sets(self):
        sets, partial = [], False
        for index in range(self.rng.choice([1, 1, 1, 1, 2, 3])):
            requests = {}
            for resource in self.resources:
                if resource != "pods" and self.chance(0.85):
                    requests[resource] = self.size(resource, 4)
            if self.chance(0.01):
                requests["example.com/none"] = self.rng.choice(["0", "1"])
            counts = [1, 1, 1, 1, 2] if self.dense else [1, 1, 1, 2, 3, 4, 0 if index else 5]
            row = {"name": f"set{index}", "count": self.rng.choice(counts),
                   "template": {"spec": self.pod(requests)}}
            if not partial and row["count"] > 1 and self.chance(0.2):
                row["minCount"] = self.rng.randint(1, row["count"] - 1)
                partial = True
            sets.append(row)
        return sets

    def workload(self, name, queue, number, priorities=PRIORITIES):
        self.clock += self.rng.choice([0, 1, 1, 7])
        doc = self.add("Workload", name, {
            "queueName": queue, "priority": self.rng.choice(priorities), "active": True,
            "podSets": self.pod_sets()}, "default")
        meta = doc["metadata"]
        meta["uid"] = f"{self.rng.getrandbits(32):08x}-0000-4000-8000-{number:012d}"
        meta["creationTimestamp"] = stamp(self.clock)
        meta["generation"] = 1
        return doc

    def holder(self, doc, queue):
        """Quota of 'queue' as it might have been given: one flavor per group."""
        picks = {}
        for group in queue["spec"]["resourceGroups"]:
            flavor = self.rng.choice(group["flavors"])["name"]
            picks.update({resource: flavor for resource in group["coveredResources"]})
        rows = []
        for pod_set in doc["spec"]["podSets"]:
            pod_set.pop("minCount", None)
            resources = pod_set["template"]["spec"]["containers"][0]["resources"]
            requests = resources.get("requests", resources.get("limits", {}))
            mine = [name for name in requests if name in picks]
            usage = {name: times(requests[name], pod_set["count"]) for name in mine}
            if "pods" in picks:
                usage["pods"] = str(pod_set["count"])
            rows.append({"name": pod_set["name"], "count": pod_set["count"],
                         "flavors": {name: picks[name] for name in usage},
                         "resourceUsage": usage})
        at = stamp(3600 + self.rng.randint(0, 60))
        doc["status"] = {
            "admission": {"clusterQueue": queue["metadata"]["name"], "podSetAssignments": rows},
            "conditions": [
                {"type": kind, "status": "True", "lastTransitionTime": at, "reason": kind,
                 "message": ""} for kind in ("QuotaReserved", "Admitted")]}
        if self.chance(0.06):
            doc["status"]["conditions"].append(
                {"type": "Evicted", "status": "True", "lastTransitionTime": stamp(7000),
                 "reason": "Preempted", "message": ""})

    def waiting(self, doc):
        if self.chance(0.04):
            doc["status"] = {"conditions": [
                {"type": "Evicted", "status": "True", "lastTransitionTime": stamp(7100),
                 "reason": self.rng.choice(["PodsReadyTimeout", "AdmissionCheck", "Preempted"]),
                 "message": ""}]}
        elif self.chance(0.02):
            doc["spec"]["active"] = False

    def make(self):
        rng = self.rng
        self.configuration()
        self.add("Namespace", "default", None, version="v1", labels={"team": "a"})
        for name in self.flavors:
            self.flavor(name)
        cohorts = self.cohorts()
        queues = [f"cq{i}" for i in range(1 if self.shape == "single" else rng.randint(2, 5))]
        for name in queues:
            self.cluster_queue(name, cohorts)
        specs = {doc["metadata"]["name"]: doc for doc in self.docs
                 if doc["kind"] == "ClusterQueue"}
        number = 0
        odd, self.odd = self.odd, False  # usage that is cut at the largest number does not come back
        for _ in range(rng.randint(0, 12)):
            number += 1
            queue = rng.choice(queues)
            self.holder(self.workload(f"h{number}", queue, number), specs[queue])
        self.odd = odd
        for _ in range(rng.randint(1, 7)):
            number += 1
            doc = self.workload(f"p{number}", rng.choice(queues), number, WAITING)
            self.waiting(doc)
            if self.chance(0.3):
                self.twin(doc, number)
        return self.docs

    def twin(self, doc, number):
        """Another one that would be scheduled alike."""
        copy = self.workload(f"t{number}", doc["spec"]["queueName"], 1000 + number)
        copy["spec"] = doc["spec"]


def stamp(second):
    return f"2025-01-15T{9 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"


def at_most(a, b):
    from model import nano
    return nano(a) <= nano(b)


def times(text, count):
    from model import nano
    value = nano(text) * count
    return str(value // 10**9) if value % 10**9 == 0 else f"{value // 10**6}m"


def make(seed):
    return Maker(seed).make()


def how(seed):
    """The cycles to ask for: a number, or None = until stable."""
    return random.Random(seed * 7 + 1).choice([1, 1, 1, 2, 3, None, None])
