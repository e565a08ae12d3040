"""Pools, types and pods as the page on Karpenter has them, for the oracles on packing: no line is shared with the packer.

A *type* is a row of a catalogue file, a *place* one way to make a node: a pool, a type and one offering in stock of a known price.
What a set of pods may do on one place is answered exactly (taints, requirements, resources); over several nodes, see nodes.py.
Read here is what the generators write: selectors and required node affinity of one term, tolerations, requests of containers,
spread over zones and hosts, pod affinity and anti-affinity, limits of pools. No daemon sets, no preferences.
"""
import fractions
import re

HOST, ZONE, TYPE = "kubernetes.io/hostname", "topology.kubernetes.io/zone", "node.kubernetes.io/instance-type"
CAPACITY, POOL = "karpenter.sh/capacity-type", "karpenter.sh/nodepool"
WELL_KNOWN = {ZONE, TYPE, CAPACITY, "kubernetes.io/arch", "kubernetes.io/os", "topology.kubernetes.io/region",
              "karpenter.k8s.aws/instance-category", "karpenter.k8s.aws/instance-family", "karpenter.k8s.aws/instance-generation",
              "karpenter.k8s.aws/instance-size", "karpenter.k8s.aws/instance-cpu", "karpenter.k8s.aws/instance-memory",
              "karpenter.k8s.aws/instance-gpu-name", "karpenter.k8s.aws/instance-hypervisor",
              "karpenter.k8s.aws/instance-cpu-manufacturer"}
SCALE = {"": 1, "m": fractions.Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
         "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def quantity(text):
    match = re.fullmatch(r"(-?[0-9.]+)([a-zA-Z]*)", str(text))
    return fractions.Fraction(match[1]) * SCALE[match[2]]


def amounts(table):
    return {key: quantity(value) for key, value in (table or {}).items()}


class Values:
    """What one label may be: a set of values, or all but a set, within bounds."""

    def __init__(self, exprs=()):
        self.only, self.never, self.low, self.high = None, set(), None, None
        for expr in exprs:
            self.add(expr["operator"], expr.get("values") or [])

    def add(self, operator, values):
        if operator == "In":
            self.only = set(values) if self.only is None else self.only & set(values)
        elif operator == "NotIn":
            self.never |= set(values)
        elif operator == "DoesNotExist":
            self.only = set()
        elif operator in ("Gt", "Gte"):
            bound = int(values[0]) + (operator == "Gt")
            self.low = bound if self.low is None else max(self.low, bound)
        elif operator in ("Lt", "Lte"):
            bound = int(values[0]) - (operator == "Lt")
            self.high = bound if self.high is None else min(self.high, bound)

    def has(self, value):
        if self.only is not None and value not in self.only or value in self.never:
            return False
        if self.low is None and self.high is None:
            return True
        return (re.fullmatch(r"-?[0-9]+", value) is not None and (self.low is None or int(value) >= self.low)
                and (self.high is None or int(value) <= self.high))

    def absent(self):
        """May the label be missing?"""
        return self.only == set() or (self.only is None and self.low is None and self.high is None and self.never)


def by_key(exprs):
    keys = {}
    for expr in exprs:
        keys.setdefault(expr["key"], Values()).add(expr["operator"], expr.get("values") or [])
    return keys


class Pool:
    def __init__(self, doc):
        template = doc["spec"]["template"]
        self.name = doc["metadata"]["name"]
        self.weight = doc["spec"].get("weight", 0)
        self.limits = amounts(doc["spec"].get("limits"))
        self.taints = template["spec"].get("taints") or []
        labels = (template.get("metadata") or {}).get("labels") or {}
        self.keys = by_key(template["spec"].get("requirements") or [])
        for key, value in {**labels, POOL: self.name}.items():
            self.keys.setdefault(key, Values()).add("In", [value])


class Type:
    def __init__(self, row):
        self.name = row["name"]
        self.capacity = amounts(row["capacity"])
        self.allocatable = dict(self.capacity)
        for part in (row.get("overhead") or {}).values():
            for key, value in amounts(part).items():
                self.allocatable[key] = self.allocatable.get(key, 0) - value
        self.labels = {expr["key"]: set(expr["values"]) for expr in row["requirements"] if expr["operator"] == "In"}
        self.labels[TYPE] = {self.name}
        self.offers = [({expr["key"]: expr["values"][0] for expr in offer["requirements"]}, offer["priceMicroUSDPerHour"])
                       for offer in row["offerings"]
                       if offer.get("available", True) and offer.get("priceMicroUSDPerHour") is not None]


class Pod:
    def __init__(self, doc):
        spec = doc["spec"]
        self.name = f"{doc['metadata'].get('namespace', 'default')}/{doc['metadata']['name']}"
        self.labels = doc["metadata"].get("labels") or {}
        self.requests = {"pods": fractions.Fraction(1)}
        for container in spec["containers"]:
            for key, value in amounts((container.get("resources") or {}).get("requests")).items():
                self.requests[key] = self.requests.get(key, 0) + value
        exprs = [{"key": key, "operator": "In", "values": [value]} for key, value in (spec.get("nodeSelector") or {}).items()]
        affinity = spec.get("affinity") or {}
        required = (affinity.get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
        if required:
            exprs += required["nodeSelectorTerms"][0]["matchExpressions"]
        self.keys = by_key(exprs)
        self.tolerations = spec.get("tolerations") or []
        self.spread = spec.get("topologySpreadConstraints") or []
        self.together = (affinity.get("podAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or []
        self.apart = (affinity.get("podAntiAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or []

    def tolerates(self, taints):
        return all(any(self.matches(toleration, taint) for toleration in self.tolerations) for taint in taints)

    @staticmethod
    def matches(toleration, taint):
        if toleration.get("effect") not in (None, "", taint["effect"]):
            return False
        if toleration.get("key") not in (None, "", taint["key"]):
            return False
        return toleration.get("operator", "Equal") == "Exists" or (toleration.get("value") or "") == (taint.get("value") or "")


class Place:
    """One way to make a node."""

    def __init__(self, pool, kind, offer, price):
        self.pool, self.type, self.price = pool, kind, price
        self.labels = {key: {value} for key, value in offer.items()}
        for key, values in kind.labels.items():
            self.labels.setdefault(key, values)
        self.zone, self.capacity_type = offer[ZONE], offer[CAPACITY]

    def allows(self, keys):
        """Can one node of this place meet what all of 'keys', tables by label, ask for, the pool's own included?"""
        for key in {key for table in keys for key in table}:
            asked = [table[key] for table in keys if key in table]
            if key in self.labels:
                if not any(all(one.has(value) for one in asked) for value in self.labels[key]):
                    return False
            elif key in WELL_KNOWN:
                if not all(one.absent() for one in asked):
                    return False
            elif not self.custom(asked, key in self.pool.keys):
                return False
        return True

    @staticmethod
    def custom(asked, named):
        """A label that only the pool can give, to any value that it allows."""
        if not named:
            return all(one.absent() for one in asked)
        fixed = [one.only for one in asked if one.only is not None]
        return not fixed or any(all(one.has(value) for one in asked) for value in set.intersection(*fixed)) or (
            all(one.absent() for one in asked))

    def holds(self, pods):
        """Resources, taints and requirements of 'pods' on one node."""
        total = {}
        for pod in pods:
            for key, value in pod.requests.items():
                total[key] = total.get(key, 0) + value
        return (all(value <= self.type.allocatable.get(key, 0) for key, value in total.items())
                and min(self.type.allocatable.values()) >= 0
                and all(pod.tolerates(self.pool.taints) for pod in pods)
                and self.allows([self.pool.keys] + [pod.keys for pod in pods]))


class World:
    def __init__(self, documents, catalog):
        self.pools = [Pool(doc) for doc in documents if doc["kind"] == "NodePool"]
        self.pods = [Pod(doc) for doc in documents if doc["kind"] == "Pod"]
        self.types = [Type(row) for row in catalog["instanceTypes"]]
        self.places = [place for pool in self.pools for kind in self.types for offer, price in kind.offers
                       for place in [Place(pool, kind, offer, price)] if place.allows([pool.keys])]


def selects(term, pod):
    """Does the label selector of a spread or affinity term select 'pod'? One namespace."""
    selector = term.get("labelSelector") or {}
    return all(pod.labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
