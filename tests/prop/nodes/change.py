"""Carries out what an explanation of a pod without a place says would help, on its manifests and catalogue."""
import re

ALIASES = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.ebs.csi.aws.com/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}
SUFFIXES = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2 ** 10, "Mi": 2 ** 20,
            "Gi": 2 ** 30, "Ti": 2 ** 40}


class Beyond(Exception):
    """Nothing that a manifest could change."""


def milli(quantity):
    """Quantity in thousandths."""
    number, suffix = re.fullmatch(r"(-?[0-9.]+)([A-Za-z]*)", str(quantity)).groups()
    return round(float(number) * SUFFIXES[suffix] * 1000) if suffix != "m" else int(number)


def spelled(value):
    return str(value // 1000) if value % 1000 == 0 else f"{value}m"


def same(key, other):
    return ALIASES.get(key, key) == ALIASES.get(other, other)


def allow(exprs, key, value):
    """Expressions under which the label may have 'value', or is not asked for where that is None."""
    out = []
    for expr in exprs:
        op, values = expr["operator"], list(expr.get("values") or [])
        if not same(expr["key"], key) or (op == "Exists" and value is not None):
            out.append(expr)
        elif value is not None and op == "In":
            out.append({**expr, "values": values + [value] * (value not in values)})
        elif value is not None and op == "NotIn" and set(values) != {value}:
            out.append({**expr, "values": [v for v in values if v != value]})
    return out


class Changes:
    def __init__(self, docs, catalogue, pod):
        self.docs, self.catalogue, self.pod = docs, catalogue, pod

    def find(self, kind, name):
        return next(d for d in self.docs if d["kind"] == kind and d["metadata"]["name"] == name)

    def apply(self, rows):
        for row in rows:
            getattr(self, re.sub("[A-Z]", lambda m: "_" + m.group().lower(), row["action"]),
                    self.beyond)(row)

    def beyond(self, row):
        raise Beyond(row["action"])

    # ---- the pool

    def template(self, row):
        return self.find("NodePool", row["name"])["spec"]["template"]

    def allow_in_pool(self, row):
        template = self.template(row)
        labels = (template.get("metadata") or {}).get("labels") or {}
        for key in [k for k in labels if same(k, row["key"])]:
            del labels[key]
        spec = template["spec"]
        spec["requirements"] = allow(spec.get("requirements") or [], row["key"], row.get("value"))

    drop_from_pool = allow_in_pool

    def label_pool(self, row):
        labels = self.template(row).setdefault("metadata", {}).setdefault("labels", {})
        labels[row["key"]] = row.get("value", "any")

    def raise_pool_limit(self, row):
        limits = self.find("NodePool", row["name"])["spec"]["limits"]
        limits[row["resource"]] = spelled(milli(limits[row["resource"]]) + milli(row["by"]))

    def lower_min_values(self, row):
        for expr in self.template(row)["spec"]["requirements"]:
            if same(expr["key"], row["key"]):
                expr.pop("minValues", None)

    def ready_pool(self, row):
        pool = self.find("NodePool", row["name"])
        pool["metadata"].pop("deletionTimestamp", None)
        for condition in pool.get("status", {}).get("conditions", []):
            condition["status"] = "True"

    def stock(self, row):
        for kind in self.catalogue["instanceTypes"]:
            for offering in kind["offerings"] if kind["name"] == row["key"] else []:
                offering["available"] = True

    # ---- the pod

    def allow_in_pod(self, row):
        spec, value = self.pod["spec"], row.get("value")
        selector = spec.get("nodeSelector") or {}
        for key in [k for k in selector if same(k, row["key"])]:
            if value is None:
                del selector[key]
            else:
                selector[key] = value
        node = (spec.get("affinity") or {}).get("nodeAffinity") or {}
        terms = (node.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get(
            "nodeSelectorTerms") or []
        for term in terms:
            term["matchExpressions"] = allow(term.get("matchExpressions") or [], row["key"], value)
        if terms and not any(term["matchExpressions"] for term in terms):
            del node["requiredDuringSchedulingIgnoredDuringExecution"]

    drop_from_pod = allow_in_pod

    def lower_pod_request(self, row):
        rest, spec = milli(row["by"]), self.pod["spec"]
        if row["resource"] == "pods":
            raise Beyond("a pod is one pod")
        for container in spec["containers"] + (spec.get("initContainers") or []):
            asked = container.setdefault("resources", {}).setdefault("requests", {})
            asked.setdefault(row["resource"],
                             (container["resources"].get("limits") or {}).get(row["resource"], "0"))
            less = min(milli(asked[row["resource"]]), rest)
            asked[row["resource"]] = spelled(milli(asked[row["resource"]]) - less)
            if container in spec["containers"]:
                rest -= less

    def tolerate(self, row):
        self.pod["spec"].setdefault("tolerations", []).append(
            {"key": row["key"], "operator": "Exists", "effect": row["effect"]})

    def change_host_port(self, row):
        for container in self.pod["spec"]["containers"]:
            for port in container.get("ports") or []:
                if "hostPort" in port:
                    port["hostPort"] += 1000

    def relax_topology(self, row):
        """All of its own constraints, and the labels by which those of others find it."""
        spec = self.pod["spec"]
        spec.pop("topologySpreadConstraints", None)
        for kind in ("podAffinity", "podAntiAffinity"):
            (spec.get("affinity") or {}).pop(kind, None)
        self.pod["metadata"]["labels"] = {}
