"""Small inputs to the end: nodes.py PLIMSOLL [-v].

Random pools, catalogues and pods (up to 6 pods, 2 to 4 types) are decided under both `compat` values, and every plan is looked at by
node_model.py, which knows nothing of the packer. What must hold:

- every pod of a claim may run on every type that the claim names, and the claim's price is that of its cheapest offering;
- zone spread, pod affinity, anti-affinity and the limits of pools hold in the plan as a whole;
- a pod that has no place has none on an empty node either, unless limits or topology had a say;
- no plan is cheaper than the best of all partitions of its pods into nodes, which is searched through to the end (a node is of
  the heaviest pool that one of its pods fits: weights are not traded for money);
- better places as many pods as strict, and the same pods at the same or a lower price.

Printed: how far the prices are from the best. Each test of the output is one of these rules.
"""
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from node_model import CAPACITY, HOST, POOL, ZONE, World, selects

INPUTS = 60 if os.environ.get("PLM_SHORT") else 400
ZONES = ("us-west-2a", "us-west-2b")
RULES = ("feasible", "price", "topology", "limits", "complete", "not below the best", "better than strict")

# ---- inputs ---------------------------------------------------------------------------------------


def one_type(rng, index):
    cpu = rng.choice([1, 2, 4, 8, 16])
    memory = cpu * rng.choice([2, 4, 4, 8])
    arch = rng.choice(["amd64", "amd64", "arm64"])
    base = cpu * 21000 + memory * 2900 + rng.randint(-4000, 4000)
    offers = []
    for zone in ZONES:
        for capacity_type, share in (("on-demand", 100), ("spot", rng.randint(25, 60))):
            offer = {"requirements": [{"key": CAPACITY, "operator": "In", "values": [capacity_type]},
                                      {"key": ZONE, "operator": "In", "values": [zone]}],
                     "priceMicroUSDPerHour": base * share // 100 + rng.randint(0, 900), "available": rng.random() < 0.9}
            offers.append(offer)
    return {"name": f"t{index}.c{cpu}", "capacity": {"cpu": str(cpu), "memory": f"{memory}Gi", "pods": str(rng.choice([3, 8, 58]))},
            "overhead": {"kubeReserved": {"cpu": f"{rng.choice([0, 60, 80])}m", "memory": f"{rng.choice([0, 300, 700])}Mi"}},
            "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": [arch]},
                             {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
                             {"key": "karpenter.k8s.aws/instance-cpu", "operator": "In", "values": [str(cpu)]}],
            "offerings": offers}


def one_pool(rng, index):
    reqs = []
    if rng.random() < 0.5:
        reqs.append({"key": CAPACITY, "operator": "In", "values": rng.choice([["spot"], ["on-demand"], ["on-demand", "spot"]])})
    if rng.random() < 0.2:
        reqs.append({"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]})
    if rng.random() < 0.2:
        reqs.append({"key": "karpenter.k8s.aws/instance-cpu", "operator": "Lt", "values": ["9"]})
    if rng.random() < 0.3:
        reqs.append({"key": "example.com/team", "operator": "In", "values": ["a", "b"]})
    spec = {"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}, "requirements": reqs}
    if rng.random() < 0.25:
        spec["taints"] = [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]
    pool = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": f"pool-{index}"},
            "spec": {"template": {"spec": spec}, "weight": rng.choice([1, 10])}}
    if rng.random() < 0.15:
        pool["spec"]["limits"] = {"cpu": str(rng.choice([4, 8, 16]))}
    return pool


def topology_of(rng, app):
    selector = {"labelSelector": {"matchLabels": {"app": app}}}
    kind = rng.choice(["zone", "host", "together", "apart", "near"])
    if kind in ("zone", "host"):
        return {"topologySpreadConstraints": [{"maxSkew": rng.choice([1, 1, 2]), "topologyKey": ZONE if kind == "zone" else HOST,
                                               "whenUnsatisfiable": "DoNotSchedule", **selector}]}
    term = [{"topologyKey": HOST if kind != "near" else ZONE, **selector}]
    field = "podAntiAffinity" if kind == "apart" else "podAffinity"
    return {"affinity": {field: {"requiredDuringSchedulingIgnoredDuringExecution": term}}}


def pods_of(rng, app, count, topology):
    spec = {}
    if rng.random() < 0.25:
        spec["nodeSelector"] = rng.choice([{ZONE: ZONES[0]}, {CAPACITY: "on-demand"}, {"kubernetes.io/arch": "arm64"},
                                           {"example.com/team": "a"}])
    if rng.random() < 0.5:
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    if topology and rng.random() < 0.6:
        spec.update(topology_of(rng, app))
    spec["containers"] = [{"name": "main", "image": "app", "resources": {"requests": {
        "cpu": f"{rng.choice([100, 250, 500, 900, 1500, 3000, 6000])}m", "memory": f"{rng.choice([128, 512, 1800, 4096, 9000])}Mi"}}}]
    return [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{app}-{i}", "namespace": "default", "labels": {"app": app}},
             "spec": spec, "status": {"phase": "Pending", "conditions": [
                 {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}} for i in range(count)]


def make(seed):
    """(documents, catalogue, is there topology)"""
    rng = random.Random(seed)
    topology = rng.random() < 0.4
    documents = [{"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "default"}, "spec": {}}]
    documents += [one_pool(rng, i) for i in range(rng.choice([1, 1, 2]))]
    left = rng.randint(2, 5 if topology else 6)
    for app in "abc":
        count = left if app == "c" else rng.randint(0, left)
        documents += pods_of(rng, "app-" + app, count, topology)
        left -= count
    catalog = {"apiVersion": "plimsoll.dev/v1alpha1", "kind": "Catalog",
               "instanceTypes": [one_type(rng, i) for i in range(rng.randint(2, 4))]}
    return documents, catalog, topology


# ---- what a plan is -------------------------------------------------------------------------------


def decide(binary, folder, compat):
    command = [binary, "decide", "--compat", compat, "--cycles", "1", "--only", "nodes", "-o", "json",
               "--catalog", folder / "catalog.json", "-f", folder / "input.json"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return json.loads(done.stdout)


class Judge:
    def __init__(self, world, topology):
        self.world, self.topology = world, topology
        self.pods = {pod.name: pod for pod in world.pods}
        self.limited = any(pool.limits for pool in world.pools)
        self.faults = []

    def fault(self, rule, what):
        self.faults.append((rule, what))

    def places(self, claim, pods):
        """The claim's places that hold 'pods'; None and a fault where a type that it names has none."""
        found = []
        for name in claim["instanceTypes"]:
            some = [place for place in self.world.places if place.pool.name == claim["nodePool"] and place.type.name == name
                    and claim.get("zone") in (None, place.zone) and place.holds(pods)]
            if not some:
                self.fault("feasible", f"{name} of {claim['nodePool']} does not hold {claim['pods']}")
                return None
            found += some
        return found

    def plan(self, answer):
        """(names of the pods placed, price)"""
        price, claims = 0, []
        used = collections.Counter()
        for claim in answer["nodeClaims"]:
            pods = [self.pods[name] for name in claim["pods"]]
            places = self.places(claim, pods)
            if places is None:
                continue
            if claim["priceMicroUSDPerHour"] != min(place.price for place in places):
                self.fault("price", f"{claim['name']} costs {claim['priceMicroUSDPerHour']}, {min(p.price for p in places)} is right")
            price += claim["priceMicroUSDPerHour"]
            claims.append((claim.get("zone"), pods))
            for key in places[0].type.capacity:
                used[claim["nodePool"], key] += max(place.type.capacity[key] for place in places)
        for pool in self.world.pools:
            for key, limit in pool.limits.items():
                if used[pool.name, key] > limit:
                    self.fault("limits", f"{pool.name} has {used[pool.name, key]} of {key}, whose limit is {limit}")
        if not topology_holds(claims, self.zones()):
            self.fault("topology", json.dumps([[zone, [pod.name for pod in pods]] for zone, pods in claims]))
        placed = frozenset(pod.name for _, pods in claims for pod in pods)
        for name in self.pods.keys() - placed:
            if not self.topology and not self.limited and any(place.holds([self.pods[name]]) for place in self.world.places):
                self.fault("complete", f"{name} has no place")
        return placed, price

    def zones(self):
        return sorted({place.zone for place in self.world.places})


def topology_holds(claims, zones):
    """claims: [(zone or None, pods)]. The rules of every pod, looked at when all are placed."""
    for zone, pods in claims:
        for pod in pods:
            for term in pod.spread + pod.together + pod.apart:
                if not rule_holds(term, pod, (zone, pods), claims, zones):
                    return False
    return True


def rule_holds(term, pod, home, claims, zones):
    here = home[1] if term["topologyKey"] == HOST else [one for zone, pods in claims if zone == home[0] for one in pods]
    same = sum(selects(term, one) for one in here)
    if term["topologyKey"] == ZONE and home[0] is None:
        return False
    if term in pod.apart:
        return same == 1
    everywhere = sum(selects(term, one) for _, pods in claims for one in pods)
    if term in pod.together:
        return same == everywhere  # it selects itself: all are where the first one is
    if term["topologyKey"] == HOST:
        return same <= term["maxSkew"]
    own = [zone for zone in zones if ZONE not in pod.keys or pod.keys[ZONE].has(zone)]
    least = min(sum(selects(term, one) for at, pods in claims if at == zone for one in pods) for zone in own)
    return same - least <= term["maxSkew"]


# ---- the best of all plans ------------------------------------------------------------------------


def partitions(items):
    """All ways to part a list into sets."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        for i, block in enumerate(rest):
            yield rest[:i] + [block + [items[0]]] + rest[i + 1:]
        yield rest + [[items[0]]]


def weights(world, pods):
    """Pod to the weight of the heaviest pool that it fits: a node is made for a pod of the node's own weight."""
    return {pod.name: max((place.pool.weight for place in world.places if place.holds([pod])), default=None) for pod in pods}


def best_price(world, pods, topology):
    """The least that nodes for all of 'pods' cost, limits aside; None when there is no way."""
    cheapest, heaviest = {}, weights(world, pods)

    def price(block, zone):
        key = frozenset(pod.name for pod in block), zone
        if key not in cheapest:
            own = {heaviest[pod.name] for pod in block}
            cheapest[key] = min((place.price for place in world.places
                                 if zone in (None, place.zone) and place.pool.weight in own and place.holds(block)),
                                default=None)
        return cheapest[key]

    zones, best = sorted({place.zone for place in world.places}), None
    for blocks in partitions(pods):
        for at in itertools.product(zones, repeat=len(blocks)) if topology else [[None] * len(blocks)]:
            prices = [price(block, zone) for block, zone in zip(blocks, at)]
            if None in prices or (best is not None and sum(prices) >= best):
                continue
            if not topology or topology_holds(list(zip(at, blocks)), zones):
                best = sum(prices)
    return best


def examine(binary, seed, folder):
    """(faults, price / best under strict, the same under better)"""
    documents, catalog, topology = make(seed)
    folder.mkdir()
    (folder / "input.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}), encoding="utf-8")
    (folder / "catalog.json").write_text(json.dumps(catalog), encoding="utf-8")
    world, plans, gaps = World(documents, catalog), {}, []
    judge = Judge(world, topology)
    for compat in ("strict", "better"):
        placed, price = plans[compat] = judge.plan(decide(binary, folder, compat))
        best = best_price(world, [judge.pods[name] for name in sorted(placed)], topology)
        if best is None or price < best:
            judge.fault("not below the best", f"{compat}: {price}, and the best is {best}")
        gaps.append(price / best if best else 1.0)
    (strict, strict_price), (better, better_price) = plans["strict"], plans["better"]
    if len(better) < len(strict) or (better == strict and better_price > strict_price):
        judge.fault("better than strict", f"{len(better)} pods at {better_price}, not {len(strict)} at {strict_price}")
    return judge.faults, *gaps


def spread_of(name, gaps):
    steps = [1.0, 1.01, 1.05, 1.1, 1.25]
    shares = ", ".join(f"within {100 * step - 100:.0f} % {100 * sum(gap <= step + 1e-9 for gap in gaps) / len(gaps):.1f} %"
                       for step in steps)
    print(f"# {name}: {shares}; at worst {max(gaps):.2f}, on average {sum(gaps) / len(gaps):.4f} times the best")


def main(binary, verbose):
    first = os.environ.get("PLM_SEED", "1")
    first = random.randrange(10**9) if first == "random" else int(first)
    print(f"# PLM_SEED={first}")
    with tempfile.TemporaryDirectory(prefix="nodes-") as tmp, concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(examine, binary, seed, pathlib.Path(tmp) / str(seed)) for seed in range(first, first + INPUTS)]
        results = [job.result() for job in jobs]
    print(f"1..{len(RULES)}")
    failed = False
    for number, rule in enumerate(RULES, 1):
        faults = [f"seed {seed}: {what}" for seed, (found, *_) in enumerate(results, first) for at, what in found if at == rule]
        failed = failed or bool(faults)
        print(f"{'not ok' if faults else 'ok'} {number} - {rule}")
        for fault in faults[:None if verbose else 5]:
            print(f"# {fault}")
    spread_of("strict", [result[1] for result in results])
    spread_of("better", [result[2] for result in results])
    if verbose:
        for gap, seed in sorted(((result[2], seed) for seed, result in enumerate(results, first)), reverse=True)[:10]:
            print(f"# seed {seed}: better {gap:.3f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "-v" in sys.argv[2:]))
