"""The default packing against Karpenter's (`--compat strict`): better.py BINARY [-v].

Every provisioning case beside this file is decided twice. What must hold (docs/packing.md):

- better leaves no more pods without a place than strict,
- where both place the same pods, better's new nodes cost no more, by the price of each claim's cheapest offering.

A case is exempt where strict itself breaks a rule that better keeps (docs/decisions.md, Mends): broken() looks for that in the
input and in strict's answer. One test per suite (TAP), totals at the end. With PLM_SHORT the random cases are left out.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

from run_cases import unpack

HERE = pathlib.Path(__file__).resolve().parent
DISRUPTION = ("karpenter/consolidation", "karpenter/drift", "karpenter/emptiness")
POOL = "karpenter.sh/nodepool"


def decide(binary, case, compat):
    """What one decision comes to."""
    want = json.loads((case / "expect.json").read_text(encoding="utf-8"))
    command = [binary, "decide", "--compat", compat, "-o", "json", "--cycles", str(want.get("cycles") or "stable"),
               "-f", case / "input.yaml"]
    for flag in ("now", "only"):
        if want.get(flag):
            command += ["--" + flag, want[flag]]
    if want.get("catalog"):
        command += ["--catalog", case / want["catalog"]]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode(errors='replace').strip()[:300]}")
    answer = json.loads(done.stdout)
    claims = answer["nodeClaims"]
    return {"open": {row["pod"] for row in answer["unschedulable"]},
            "placed": {row["pod"] for row in answer["placements"]},
            "on": {row["node"] for row in answer["placements"]},
            "price": sum(claim["priceMicroUSDPerHour"] for claim in claims),
            "nodes": len(claims),
            "pools": collections.Counter(claim["nodePool"] for claim in claims)}


def broken(case, strict):
    """The rule that strict's answer breaks, or None."""
    documents = list(yaml.safe_load_all((case / "input.yaml").read_text(encoding="utf-8")))
    nodes = [doc for doc in documents if doc and doc["kind"] in ("Node", "NodeClaim")]
    names = {doc["metadata"]["name"] for doc in nodes if doc["kind"] == "Node" and (doc.get("spec") or {}).get("unschedulable")}
    if names & strict["on"]:
        return "pods on a cordoned node: " + min(names & strict["on"])
    starting = {doc["metadata"]["name"] for doc in nodes} - {
        doc["metadata"]["name"] for doc in nodes if (doc["metadata"].get("labels") or {}).get("karpenter.sh/initialized") == "true"}
    for daemon in (doc for doc in documents if doc and doc["kind"] == "DaemonSet"):
        selector = daemon["spec"]["template"]["spec"].get("nodeSelector") or {}
        if {"karpenter.sh/registered", "karpenter.sh/initialized"} & set(selector) and starting & strict["on"]:
            return f"no room for daemon set {daemon['metadata']['name']} on {min(starting & strict['on'])}, which starts"
    for pool in (doc for doc in documents if doc and doc["kind"] == "NodePool"):
        name, limit = pool["metadata"]["name"], (pool["spec"].get("limits") or {}).get("nodes")
        # A node and its claim are one: whichever there are more of.
        have = max(sum(doc["kind"] == kind and (doc["metadata"].get("labels") or {}).get(POOL) == name for doc in nodes)
                   for kind in ("Node", "NodeClaim"))
        if limit is not None and have + strict["pools"][name] > int(limit):
            return f"{have + strict['pools'][name]} nodes of pool {name}, whose limit is {limit}"
    return None


def judge(strict, better):
    """What is wrong, or None."""
    if len(better["open"]) > len(strict["open"]) or len(better["placed"]) < len(strict["placed"]):
        lost = sorted(strict["placed"] - better["placed"]) or sorted(better["open"] - strict["open"])
        return f"{len(lost)} pods less are placed, among them {lost[0]}"
    if better["placed"] == strict["placed"] and better["price"] > strict["price"]:
        return f"costs {better['price']} instead of {strict['price']}"
    return None


def compare(binary, case):
    """(strict, better, what is wrong, what strict breaks)"""
    try:
        strict, better = decide(binary, case, "strict"), decide(binary, case, "better")
    except (RuntimeError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        return None, None, repr(error), None
    fault = judge(strict, better)
    return strict, better, fault, broken(case, strict) if fault else None


class Total:
    """Sums over cases in which both place the same pods."""

    def __init__(self):
        self.cheaper = self.equal = self.more = self.exempt = self.strict = self.better = self.strict_nodes = self.better_nodes = 0

    def add(self, strict, better):
        if strict["placed"] != better["placed"]:
            self.more += 1
            return
        self.cheaper += better["price"] < strict["price"]
        self.equal += better["price"] == strict["price"]
        self.strict += strict["price"]
        self.better += better["price"]
        self.strict_nodes += strict["nodes"]
        self.better_nodes += better["nodes"]

    def line(self):
        saved = 100 * (1 - self.better / self.strict) if self.strict else 0
        return (f"{self.cheaper} cheaper, {self.equal} equal, {self.more} place others; saved {saved:.2f} % of the price "
                f"with {self.better_nodes} instead of {self.strict_nodes} nodes")


def find_cases(tmp):
    folders = [path.parent for path in (HERE / "karpenter").rglob("expect.json")]
    cases = [(str(folder.relative_to(HERE)), folder) for folder in folders]
    if not os.environ.get("PLM_SHORT"):
        cases += unpack(HERE, tmp, "karpenter-random.jsonl.gz")
    return sorted(case for case in cases if not case[0].startswith(DISRUPTION))


def main(binary, verbose):
    with tempfile.TemporaryDirectory(prefix="better-") as tmp:
        cases = find_cases(tmp)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda case: compare(binary, case[1]), cases))
    suites, total = {}, Total()
    for (name, _), (strict, better, fault, cause) in zip(cases, answers):
        if cause:
            print(f"# {name}: {fault}; strict has {cause}")
            fault, total.exempt = None, total.exempt + 1
        faults, sums = suites.setdefault(name.rsplit("/", 1)[0], ([], Total()))
        if fault:
            faults.append(f"{name}: {fault}")
        elif not cause:
            for sum_ in (sums, total):
                sum_.add(strict, better)
            if verbose and better["price"] != strict["price"]:
                print(f"# {name}: {strict['price']} -> {better['price']}, {strict['nodes']} -> {better['nodes']} nodes")
    print(f"1..{len(suites)}")
    for number, (suite, (faults, sums)) in enumerate(sorted(suites.items()), 1):
        print(f"{'not ok' if faults else 'ok'} {number} - {suite}")
        print("".join(f"# {fault}\n" for fault in faults) + f"# {sums.line()}")
    print(f"# all: {total.line()}; {total.exempt} exempt")
    return 1 if any(faults for faults, _ in suites.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "-v" in sys.argv[2:]))
