"""The objects of a manifest as the oracle sees them: plain Python, read anew from kueue.md 1 and 2.1.

Shares no code with the program under test. Only what quota, flavors and preemption look at is read.
"""
import datetime
import functools
import json

UNLIMITED = 2**63 - 1
LOWEST = -(2**63)
SUFFIXES = {"n": 1, "u": 10**3, "m": 10**6, "": 10**9, "k": 10**12, "M": 10**15, "G": 10**18,
            "T": 10**21, "P": 10**24, "E": 10**27, "Ki": 2**10 * 10**9, "Mi": 2**20 * 10**9,
            "Gi": 2**30 * 10**9, "Ti": 2**40 * 10**9, "Pi": 2**50 * 10**9, "Ei": 2**60 * 10**9}


@functools.lru_cache(maxsize=None)
def nano(text):
    """A quantity in 10^-9 of its unit, exactly."""
    text = str(text)
    digits = text.rstrip("numkMGTPEi")
    suffix = text[len(digits):]
    whole, _, part = digits.partition(".")
    part = part[:9].ljust(9, "0")
    sign = -1 if whole.startswith("-") else 1
    value = (abs(int(whole or "0")) * 10**9 + int(part)) * sign
    return value * SUFFIXES[suffix] // 10**9


def amount(resource, text):
    """What is counted: milli for cpu, whole units else, rounded up."""
    unit = 10**6 if resource == "cpu" else 10**9
    return max(LOWEST, min(UNLIMITED, -(-nano(text) // unit)))


def quota(resource, text):
    """As 'amount'; so much that it is no limit any more is UNLIMITED."""
    unit = 10**6 if resource == "cpu" else 10**9
    value = -(-nano(text) // unit)
    return UNLIMITED if value >= UNLIMITED else value


def add(a, b):
    if a == UNLIMITED or b == UNLIMITED:
        return UNLIMITED
    return max(LOWEST, min(UNLIMITED, a + b))


def sub(a, b):
    if a == UNLIMITED:
        return 0 if b == UNLIMITED else UNLIMITED
    if b == UNLIMITED:
        return LOWEST
    return max(LOWEST, min(UNLIMITED, a - b))


@functools.lru_cache(maxsize=None)
def seconds(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


@functools.lru_cache(maxsize=None)
def fnv(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return value


def by_hash(resources):
    return sorted(resources, key=lambda name: (fnv(name), name))


def read_groups(spec):
    """[(covered resources, [(flavor, {resource: (nominal, borrowing, lending)})])]"""
    groups = []
    for group in spec.get("resourceGroups") or []:
        flavors = []
        for flavor in group["flavors"]:
            quotas = {}
            for row in flavor["resources"]:
                limits = [None if row.get(key) is None else quota(row["name"], row[key])
                          for key in ("borrowingLimit", "lendingLimit")]
                quotas[row["name"]] = (quota(row["name"], row.get("nominalQuota", "0")), *limits)
            flavors.append((flavor["name"], quotas))
        groups.append((group["coveredResources"], flavors))
    return groups


class Queue:
    """A ClusterQueue's settings."""

    def __init__(self, doc):
        spec = doc.get("spec") or {}
        self.name = doc["metadata"]["name"]
        self.cohort = spec.get("cohortName") or spec.get("cohort")
        self.strict = spec.get("queueingStrategy") == "StrictFIFO"
        self.groups = read_groups(spec)
        self.selector = spec.get("namespaceSelector")
        fungibility = spec.get("flavorFungibility") or {}
        self.next_if_borrows = fungibility.get("whenCanBorrow") == "TryNextFlavor"
        self.next_if_preempts = fungibility.get("whenCanPreempt") in (None, "TryNextFlavor")
        self.preempt_first = fungibility.get("preference") == "PreemptionOverBorrowing"
        preemption = spec.get("preemption") or {}
        self.within = preemption.get("withinClusterQueue", "Never")
        self.reclaim = preemption.get("reclaimWithinCohort", "Never")
        borrow = preemption.get("borrowWithinCohort") or {}
        self.borrow_policy = borrow.get("policy", "Never")
        self.borrow_threshold = borrow.get("maxPriorityThreshold")
        self.stopped = spec.get("stopPolicy", "None") != "None"
        self.weight = nano((spec.get("fairSharing") or {}).get("weight", "1"))
        self.flavors = [name for _, flavors in self.groups for name, _ in flavors]

    def group_of(self, resource):
        for index, (covered, _) in enumerate(self.groups):
            if resource in covered:
                return index
        return None


class PodSet:
    def __init__(self, doc, reclaimed, settings):
        self.name = doc.get("name", "main")
        self.spec_count = doc.get("count", 1)
        self.count = self.spec_count - min(reclaimed, self.spec_count)
        self.least = doc.get("minCount")
        topology = doc.get("topologyRequest") or {}
        self.group = topology.get("podSetGroupName")
        pod = doc["template"]["spec"]
        self.selector = pod.get("nodeSelector") or {}
        self.tolerations = pod.get("tolerations") or []
        affinity = ((pod.get("affinity") or {}).get("nodeAffinity") or {})
        required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
        self.terms = [term.get("matchExpressions") or [] for term in
                      required.get("nodeSelectorTerms") or []]
        self.each, self.over_limit = pod_request(pod)
        self.each = transformed(self.each, settings)


def pod_request(pod):
    total, over = {}, False
    for kind in ("containers", "initContainers"):
        for box in pod.get(kind) or []:
            resources = box.get("resources") or {}
            limits = resources.get("limits") or {}
            wants = {**limits, **(resources.get("requests") or {})}
            over = over or any(name in limits and nano(wants[name]) > nano(limits[name])
                               for name in wants)
            for name, text in wants.items():
                old = total.get(name, 0)
                total[name] = old + nano(text) if kind == "containers" else max(old, nano(text))
    for name, text in (pod.get("overhead") or {}).items():
        total[name] = total.get(name, 0) + nano(text)
    return total, over


def transformed(total, settings):
    """Requests in units, after exclusions and transformations."""
    kept, made = {}, {}
    for name, value in total.items():
        if any(name.startswith(prefix) for prefix in settings["exclude"]):
            continue
        rule = settings["transformations"].get(name)
        if rule is None or rule.get("strategy", "Retain") == "Retain":
            kept[name] = value
        if rule is None:
            continue
        times = value
        factor = rule.get("multiplyBy")
        if factor and factor in total:
            times = times * total[factor] // 10**9
        for out, text in (rule.get("outputs") or {}).items():
            made[out] = made.get(out, 0) + times * nano(text) // 10**9
    for name, value in made.items():
        kept[name] = kept.get(name, 0) + max(0, value)
    return {name: max(0, amount(name, f"{value}n")) for name, value in kept.items()}


class Work:
    """A Workload."""

    def __init__(self, doc, settings):
        meta, spec, status = doc["metadata"], doc["spec"], doc.get("status") or {}
        self.doc = doc
        self.ns, self.name = meta["namespace"], meta["name"]
        self.key = f"{self.ns}/{self.name}"
        self.uid = meta.get("uid", "")
        self.created = seconds(meta["creationTimestamp"])
        self.priority = spec.get("priority") or 0
        self.local = spec.get("queueName")
        self.active = spec.get("active", True)
        back = {row["name"]: row["count"] for row in status.get("reclaimablePods") or []}
        self.sets = [PodSet(row, back.get(row.get("name", "main"), 0), settings)
                     for row in spec["podSets"]]
        self.conditions = {row["type"]: row for row in status.get("conditions") or []}
        self.evicted = self.condition("Evicted")
        self.finished = self.condition("Finished")
        self.since = self.created
        if self.evicted and self.conditions["Evicted"]["reason"] in ("PodsReadyTimeout",
                                                                     "AdmissionCheck"):
            self.since = seconds(self.conditions["Evicted"]["lastTransitionTime"])
        self.checks = {row["name"]: row["state"] for row in status.get("admissionChecks") or []}
        requeue = status.get("requeueState") or {}
        self.requeue_at = seconds(requeue["requeueAt"]) if requeue.get("requeueAt") else None
        self.held_back = self.conditions.get("Requeued", {}).get("status") == "False"
        self.reserved_at = None
        self.queue = None  # that it holds quota of
        self.usage = {}
        admission = status.get("admission")
        if admission and not self.finished:
            self.take(admission, back)
        self.shape = json.dumps([self.priority, spec["podSets"], back], sort_keys=True)

    def condition(self, kind):
        return self.conditions.get(kind, {}).get("status") == "True"

    def take(self, admission, back):
        self.queue = admission["clusterQueue"]
        self.reserved_at = seconds(self.conditions["QuotaReserved"]["lastTransitionTime"])
        sets = {row.name: row for row in self.sets}
        for row in admission["podSetAssignments"]:
            count = row.get("count", 0)
            left = sets[row["name"]].spec_count - min(back.get(row["name"], 0),
                                                      sets[row["name"]].spec_count)
            for resource, flavor in row["flavors"].items():
                value = amount(resource, row["resourceUsage"].get(resource, "0"))
                if count > 0 and left < count:
                    value = value // count * left
                pair = (flavor, resource)
                self.usage[pair] = add(self.usage.get(pair, 0), value)


class World:
    """Everything in the manifests."""

    def __init__(self, docs):
        kinds = {}
        for doc in docs:
            kinds.setdefault(doc["kind"], []).append(doc)
        config = kinds.get("Configuration", [{}])[0]
        fair = config.get("fairSharing")
        self.fair = fair is not None
        self.strategies = (fair or {}).get("preemptionStrategies") or [
            "LessThanOrEqualToFinalShare", "LessThanInitialShare"]
        resources = config.get("resources") or {}
        self.settings = {
            "exclude": resources.get("excludeResourcePrefixes") or [],
            "transformations": {row["input"]: row for row in
                                resources.get("transformations") or []},
        }
        self.ignore_undeclared = resources.get("quotaCheckStrategy") == "IgnoreUndeclared"
        self.namespaces = {doc["metadata"]["name"]: doc["metadata"].get("labels") or {}
                           for doc in kinds.get("Namespace", [])}
        self.flavors = {doc["metadata"]["name"]: doc.get("spec") or {}
                        for doc in kinds.get("ResourceFlavor", [])}
        self.cohorts = {doc["metadata"]["name"]: doc.get("spec") or {}
                        for doc in kinds.get("Cohort", [])}
        self.checks = {doc["metadata"]["name"]: doc for doc in kinds.get("AdmissionCheck", [])}
        self.queues = {doc["metadata"]["name"]: Queue(doc)
                       for doc in kinds.get("ClusterQueue", [])}
        self.queue_checks = {doc["metadata"]["name"]: checks_of(doc)
                             for doc in kinds.get("ClusterQueue", [])}
        self.locals = {(doc["metadata"]["namespace"], doc["metadata"]["name"]):
                       (doc["spec"]["clusterQueue"], doc["spec"].get("stopPolicy", "None"))
                       for doc in kinds.get("LocalQueue", [])}
        self.works = [Work(doc, self.settings) for doc in kinds.get("Workload", [])]

    def check_active(self, name):
        doc = self.checks.get(name)
        rows = ((doc or {}).get("status") or {}).get("conditions") or []
        return any(row["type"] == "Active" and row["status"] == "True" for row in rows)


def checks_of(doc):
    spec = doc.get("spec") or {}
    rows = (spec.get("admissionChecksStrategy") or {}).get("admissionChecks") or []
    return [row["name"] for row in rows] + (spec.get("admissionChecks") or [])
