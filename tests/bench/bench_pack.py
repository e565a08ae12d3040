"""bench_pack: the price of a plan, Karpenter's and ours, beside a lower bound: bench_pack.py PLIMSOLL CASES.

Loads: 10,000 pods of 50 shapes on the built-in catalogue, Karpenter's benchmark mix, and those of the random cases that begin without
nodes, topology or limits. Each is decided under `--compat strict` and `better`; value is the price of the new nodes in USD per hour,
raw the bound (GLPK; without glpsol there is none, and only the answers are checked).

The bound is the value of a linear program whose solutions include every plan for the pods that were placed. Pods with equal needs are
a *shape* s with d_s pods; a *place* j is a pool, a type and one offering, at the price c_j. A node of a plan is of one type and costs at
least what its cheapest offering does that meets its pods' requirements: count it at that place. Let x_j be the number of nodes there
and y_sj of pods of shape s on them. Then
    sum_j y_sj = d_s                     each pod is somewhere (only places that hold s alone have a y_sj),
    sum_s a_sr y_sj <= A_jr x_j          no node holds more of resource r than it has, so neither do x_j of them,
    y_sj <= min(d_s, k_sj) x_j           nor more pods of a shape than fit (k_sj) or exist (left out where it says little more),
    sum_{s in G} y_sj <= x_j             nor two of a set G of pods that are kept apart by host.
Minimising sum_j c_j x_j over real numbers drops that x and y are whole, and all other rules, so it can only be lower than any plan's
price. Places that another one dominates (holds all shapes that they hold, has no less of anything, costs no more) are left out: moving
nodes to the other one keeps every row above. What daemons take is not counted, which only lowers the bound.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "prop" / "oracle"), str(HERE.parent / "cases")]

import yaml  # noqa: E402
from node_model import HOST, TYPE, ZONE, Place, Pool, World, amounts, selects  # noqa: E402
from run_cases import unpack  # noqa: E402

SHORT = bool(os.environ.get("PLM_SHORT"))
PODS, SHAPES = (300, 20) if SHORT else (10000, 50)
MIX = (100,) if SHORT else (1000, 10000)
CLASS = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "default"}, "spec": {}}
YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def pool_of(requirements):
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}, "spec": {"template": {"spec": {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}, "requirements": requirements}}}}


def pod_of(number, cpu, memory, spec, labels=None):
    container = {"name": "main", "image": "app", "resources": {"requests": {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p-{number:05d}", "namespace": "default", "labels": labels or {}},
            "spec": {**spec, "containers": [container]}, "status": {"phase": "Pending", "conditions": [
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}}


def shapes_load():
    """As bench_decide: every few shapes a selector."""
    selectors = [{}, {}, {}, {ZONE: "us-west-2b"}, {}, {"kubernetes.io/arch": "arm64"}, {}, {"karpenter.sh/capacity-type": "spot"}]
    pool = pool_of([{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64", "arm64"]},
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand", "spot"]}])
    pods = []
    for number in range(PODS):
        shape = number % SHAPES
        spec = {"nodeSelector": selectors[shape % 8]} if selectors[shape % 8] else {}
        pods.append(pod_of(number, 100 + shape * 37 % 2000, 128 + shape * 11 % 6000, spec))
    return [CLASS, pool] + pods, None


def mix_load(count):
    """karpenter.md 6: a fifth each plain, spread over zones and hosts, together in a zone, apart by host; 400 types."""
    rng, pods = random.Random(42), []
    for number in range(count):
        letter, other, kind = rng.choice("abcdefg"), rng.choice("abcdefg"), number % 5
        labels = {"app": "nginx"} if kind == 4 else {"my-affinity": letter} if kind == 3 else {"my-label": letter}
        term = {"topologyKey": ZONE if kind in (1, 3) else HOST,
                "labelSelector": {"matchLabels": labels if kind > 2 else {"my-label": other}}}
        spec = {}
        if kind in (1, 2):
            spec["topologySpreadConstraints"] = [{"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **term}]
        elif kind > 2:
            spec["affinity"] = {"podAffinity" if kind == 3 else "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        pods.append(pod_of(number, rng.choice([100, 250, 500, 1000, 1500]), rng.choice([100, 256, 512, 1024, 2048, 4096]), spec, labels))
    types = []
    for i in range(1, 401):
        offers = [("spot", "zone-1"), ("spot", "zone-2"), ("on-demand", "zone-1"), ("on-demand", "zone-2"), ("on-demand", "zone-3")]
        types.append({"name": f"type-{i:03d}", "capacity": {"cpu": str(i), "memory": f"{2 * i}Gi", "pods": str(10 * i)},
                      "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}],
                      "offerings": [{"requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": [kind]},
                                                      {"key": ZONE, "operator": "In", "values": [zone]}],
                                     "priceMicroUSDPerHour": i * 100000 + round(2 * i * 2**30 / 10**4)} for kind, zone in offers]})
    return [CLASS, pool_of([])] + pods, {"apiVersion": "plimsoll.dev/v1alpha1", "kind": "Catalog", "instanceTypes": types}


def case_loads(root, tmp):
    """The random cases that the program below says all about."""
    for name, folder in unpack(root, tmp, "karpenter-random.jsonl.gz"):
        text = (folder / "input.yaml").read_text(encoding="utf-8")
        if any(word in text for word in ("kind: Node\n", "kind: NodeClaim\n", "opologySpread", "odAffinity", "odAntiAffinity", "limits:\n  ",
                                         "preferred", "olumes", "kind: DaemonSet", "hostPort", "minValues", "initContainers", "overhead:",
                                         "nodeAffinity", "scheduling")):
            continue
        yield name, [doc for doc in yaml.load_all(text, YAML) if doc], folder / "catalog.json"


# ---- decide and bound -----------------------------------------------------------------------------


def decide(binary, folder, catalog, compat):
    command = [binary, "decide", "--compat", compat, "--cycles", "1", "--only", "nodes", "-o", "json", "-f", folder / "input.json"]
    done = subprocess.run(command + (["--catalog", catalog] if catalog else []), capture_output=True, timeout=600, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode(errors="replace")[:500])
    claims = json.loads(done.stdout)["nodeClaims"]
    return {"price": sum(claim["priceMicroUSDPerHour"] for claim in claims), "nodes": len(claims),
            "pods": frozenset(pod for claim in claims for pod in claim["pods"])}


class BuiltIn:
    """A type as `plimsoll state` prints it, where the catalogue is the built-in one."""

    def __init__(self, row):
        self.name, self.allocatable, self.capacity = row["name"], amounts(row["allocatable"]), amounts(row["capacity"])
        self.labels = {expr["key"]: set(expr["values"]) for expr in row["requirements"] if expr["op"] == "In"}
        self.labels[TYPE] = {self.name}
        self.offers = [({expr["key"]: expr["values"][0] for expr in offer["requirements"] if expr["op"] == "In"},
                        offer["priceMicroUSDPerHour"]) for offer in row["offerings"]
                       if offer["available"] and offer.get("priceMicroUSDPerHour") is not None]


def world_of(binary, folder, documents, catalog):
    if catalog:
        return World(documents, json.loads(pathlib.Path(catalog).read_text(encoding="utf-8")))
    world = World(documents, {"instanceTypes": []})
    command = [binary, "state", "instanceTypes", "-f", folder / "input.json", "-o", "json"]
    rows = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    pool = next(Pool(doc) for doc in documents if doc["kind"] == "NodePool")
    world.places = [place for row in rows.values() for kind in [BuiltIn(row)] for offer, price in kind.offers
                    for place in [Place(pool, kind, offer, price)] if place.allows([pool.keys])]
    return world


def shape_key(pod):
    return (tuple(sorted(pod.requests.items())), json.dumps([sorted((key, sorted(v.only or []), sorted(v.never), v.low, v.high)
            for key, v in pod.keys.items()), pod.tolerations, bool(pod.apart)], sort_keys=True))


def thousandths(amounts, resources):
    """Exact: no quantity here is finer."""
    return [int(amounts.get(key, 0) * 1000) for key in resources]


def columns(world, shapes):
    """(requests by shape, [(price, allocatable, {shape: how many fit})]), no place dominated."""
    rows, resources = [], sorted({key for pod, _ in shapes for key in pod.requests})
    needs = [thousandths(pod.requests, resources) for pod, _ in shapes]
    labels_used = {key for pod, _ in shapes for key in pod.keys}
    admitted = {}
    for place in world.places:
        labels = place.pool.name, repr(sorted((key, sorted(values)) for key, values in place.labels.items() if key in labels_used))
        if labels not in admitted:
            admitted[labels] = [s for s, (pod, _) in enumerate(shapes)
                                if pod.tolerates(place.pool.taints) and place.allows([place.pool.keys, pod.keys])]
        have = thousandths(place.type.allocatable, resources)
        holds = {s: min(h // need for need, h in zip(needs[s], have) if need) for s in admitted[labels]}
        holds = {s: most for s, most in holds.items() if most > 0}
        if holds and min(have) >= 0:
            rows.append((place.price, have, holds))
    rows.sort(key=lambda row: (row[0], [-value for value in row[1]], -len(row[2])))
    kept = []
    for price, have, holds in rows:
        if not any(all(a >= b for a, b in zip(other, have)) and holds.keys() <= those.keys() for _, other, those in kept):
            kept.append((price, have, holds))
    return needs, kept


def says_more(most, count, need, have):
    """Is "no more than so many fit" much stronger than the rows on resources? Rows may be left out of a bound."""
    return min(most, count) * 5 < 4 * min(h / n for n, h in zip(need, have) if n)


def bound(world, placed, folder):
    """The value of the linear program in micro USD, or None where there is none."""
    counts, pods = {}, {}
    for pod in world.pods:
        if pod.name in placed:
            key = shape_key(pod)
            counts[key] = counts.get(key, 0) + 1
            pods.setdefault(key, pod)
    shapes = [(pods[key], count) for key, count in counts.items()]
    needs, kept = columns(world, shapes)
    lines, apart = ["Minimize", " c: " + " + ".join(f"{price} x{j}" for j, (price, _, _) in enumerate(kept)), "Subject To"], set()
    for s, (pod, count) in enumerate(shapes):
        users = [f"y{s}_{j}" for j, row in enumerate(kept) if s in row[2]]
        if not users:
            return None  # the model here does not know how it was placed
        lines.append(f" d{s}: " + "\n + ".join(users) + f" = {count}")
        if any(term["topologyKey"] == HOST and selects(term, pod) for term in pod.apart):
            apart.add(s)
    for j, (_, have, holds) in enumerate(kept):
        for r, amount in enumerate(have):
            users = [s for s in holds if needs[s][r]]
            if users:
                lines.append(f" r{j}_{r}: " + "\n + ".join(f"{needs[s][r] / amount:.12f} y{s}_{j}" for s in users) + f" - x{j} <= 0")
        for s, most in holds.items():
            if says_more(most, shapes[s][1], needs[s], have):
                lines.append(f" k{s}_{j}: y{s}_{j} - {min(most, shapes[s][1])} x{j} <= 0")
        if apart & holds.keys():
            lines.append(f" a{j}: " + "\n + ".join(f"y{s}_{j}" for s in sorted(apart & holds.keys())) + f" - x{j} <= 0")
    (folder / "bound.lp").write_text("\n".join(lines + ["End", ""]), encoding="utf-8")
    subprocess.run(["glpsol", "--lp", folder / "bound.lp", "-o", folder / "bound.out", "--tmlim", "100"], check=True, capture_output=True)
    out = (folder / "bound.out").read_text(encoding="utf-8").splitlines()
    if not any(line.startswith("Status:") and "OPTIMAL" in line for line in out):
        return None
    # Coefficients are rounded at 1e-12: a hair below the optimum stays a bound.
    return float(next(line for line in out if line.startswith("Objective:")).split("=")[1].split()[0]) * (1 - 1e-6)


def show(name, value, low, note):
    raw = {} if low is None else {"raw": round(low / 1e6, 4)}
    print(json.dumps({"name": name, "value": round(value / 1e6, 4), "unit": "USD/h", **raw, "note": note}))


def measure(binary, documents, catalog, folder):
    """(strict, better, bound)"""
    folder.mkdir(exist_ok=True)
    (folder / "input.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}), encoding="utf-8")
    if isinstance(catalog, dict):
        (folder / "catalog.json").write_text(json.dumps(catalog), encoding="utf-8")
        catalog = folder / "catalog.json"
    strict, better = (decide(binary, folder, catalog, compat) for compat in ("strict", "better"))
    if better["pods"] == strict["pods"] and better["price"] > strict["price"]:
        raise RuntimeError(f"better costs more: {better['price']} instead of {strict['price']}")
    low = None
    if better["pods"] and shutil.which("glpsol"):
        low = bound(world_of(binary, folder, documents, catalog), better["pods"], folder)
        if low is not None and better["price"] < low:
            raise RuntimeError(f"a plan at {better['price']} is below the bound {low}")
    return strict, better, low


def report(name, strict, better, low):
    for label, plan in (("strict", strict), ("better", better)):
        show(f"pack: {name}, {label}", plan["price"], low, f"aim 1.05; beside the linear bound; {len(plan['pods'])} pods on "
             f"{plan['nodes']} new nodes")


def cases(binary, root, tmp):
    sums, nodes, pods, low_sum, count = {"strict": 0, "better": 0}, {"strict": 0, "better": 0}, 0, 0, 0
    for number, (_, documents, catalog) in enumerate(case_loads(root, tmp)):
        if SHORT and number >= 5:
            break
        strict, better, low = measure(binary, documents, catalog, pathlib.Path(tmp) / f"case-{number}")
        if strict["pods"] != better["pods"] or not better["pods"] or low is None:
            continue
        for label, plan in (("strict", strict), ("better", better)):
            sums[label] += plan["price"]
            nodes[label] += plan["nodes"]
        low_sum, count, pods = low_sum + low, count + 1, pods + len(better["pods"])
    for label in sums if count else ():
        show(f"pack: {count} random cases, {label}", sums[label], low_sum, f"aim 1.05; beside the linear bound, which is loose for few "
             f"pods; {pods} pods on {nodes[label]} new nodes")


def main(binary, root):
    with tempfile.TemporaryDirectory(prefix="pack-") as tmp:
        tmp = pathlib.Path(tmp)
        report(f"{PODS} pods of {SHAPES} shapes", *measure(binary, *shapes_load(), tmp / "shapes"))
        for count in MIX:
            report(f"mix of {count} pods", *measure(binary, *mix_load(count), tmp / "mix"))
        cases(binary, pathlib.Path(root), tmp)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
