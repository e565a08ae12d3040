"""Explanations of pods without a place are true: what they say would help does. reasons.py ASK CASES.

The random cases of Karpenter's scheduler hold thousands of pods that found no place. One of them at a time is left
pending; `why -o json` names the rule and the smallest changes (unblockActions). Every option is carried out
on the manifests, and what is named then again, until the pod has a place: each step must name something that
was not named before. Every rule of a new node must be met. PLM_SHORT takes fewer cases.
"""
import copy
import gzip
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

import yaml

from change import Beyond, Changes

SHORT = bool(os.environ.get("PLM_SHORT"))
STEPS = 15
PODS = 1 if SHORT else 3  # of a case
EVERY = 8 if SHORT else 2
MET = {"pool requirements", "requirements", "resources", "untolerated taint", "topology", "volume",
       "out of stock", "pool limit"}
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Untrue(Exception):
    pass


class Asker:
    """The program under test, many calls in one process."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="nodes-")
        self.input = os.path.join(self.folder.name, "input.json")
        self.catalogue = os.path.join(self.folder.name, "catalog.json")
        self.binary, self.process = binary, None

    def ask(self, changes, now, *words):
        if self.process is None:
            self.process = subprocess.Popen([self.binary], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
        with open(self.input, "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": changes.docs}, file)
        with open(self.catalogue, "w", encoding="utf-8") as file:
            json.dump(changes.catalogue, file)
        line = [*words, "-o", "json", "--now", now, "--cycles", "1", "--catalog", self.catalogue, "-f",
                self.input]
        self.process.stdin.write(("\t".join(line) + "\n").encode())
        self.process.stdin.flush()
        code, size = map(int, self.process.stdout.readline().split())
        text = self.process.stdout.read(size).decode()
        if code != 0:
            raise Untrue(f"exit {code}: {text}")
        return json.loads(text)

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
        self.folder.cleanup()


def is_pending(doc):
    return doc["kind"] == "Pod" and not doc["spec"].get("nodeName") and any(
        c["type"] == "PodScheduled" and c["status"] == "False"
        for c in (doc.get("status") or {}).get("conditions") or [])


def alone(docs, name):
    return copy.deepcopy([d for d in docs if not is_pending(d)
                          or (d["metadata"]["namespace"], d["metadata"]["name"]) == name])


class Walk:
    """The steps of one pod from waiting to a place."""

    def __init__(self, asker, docs, catalogue, name, now):
        docs = alone(docs, name)
        pod = next(d for d in docs if d["kind"] == "Pod"
                   and (d["metadata"]["namespace"], d["metadata"]["name"]) == name)
        self.asker, self.name, self.now = asker, name, now
        self.changes = Changes(docs, copy.deepcopy(catalogue), pod)
        self.rules, self.seen, self.steps = set(), set(), []

    def why(self):
        return self.asker.ask(self.changes, self.now, "why", f"pod/{self.name[1]}", "-n", self.name[0])

    def go(self, option):
        while True:
            doc = self.why()
            self.steps.append(f"{doc['state']}: {doc['reason']}, {doc['message']}")
            if doc["reason"] in ("Nominated", "Bound"):
                return
            self.rules.add(doc["rule"])
            key = json.dumps([doc["rule"], doc.get("binding"), doc.get("unblockActions")], sort_keys=True)
            if key in self.seen:
                raise Untrue("what was carried out did not help")
            self.seen.add(key)
            if len(self.steps) > STEPS:
                raise Untrue("no end of it")
            rows = [r for r in doc.get("unblockActions", []) if r["option"] == option]
            if not rows:
                raise Untrue(f"nothing is named that would help against {doc['rule']}")
            option = 0
            self.steps.append("  " + "; ".join(
                " ".join(str(v) for k, v in row.items() if k != "option") for row in rows))
            self.changes.apply(rows)


def walk(asker, case, name, option):
    """(the walk, None or what is untrue)"""
    steps = Walk(asker, case["docs"], case["catalogue"], name, case["now"])
    try:
        steps.go(option)
    except Beyond:
        pass
    except Untrue as fault:
        return steps, str(fault)
    return steps, None


def options_of(asker, case, name):
    first = Walk(asker, case["docs"], case["catalogue"], name, case["now"]).why()
    return {row["option"] for row in first.get("unblockActions", [])}


def pods_of(expect, case):
    """Some without a place; where all have one, the cloud is sold out and the first lose theirs."""
    names = sorted({tuple(n.split("/")) for n in expect.get("unschedulable", [])})
    if not names:
        names = sorted(tuple(p.split("/")) for c in expect.get("nodeClaims", []) for p in c["pods"])
        for kind in case["catalogue"]["instanceTypes"]:
            for offering in kind["offerings"]:
                offering["available"] = False
    return names[:PODS]


def look_at(work):
    binary, lines = work
    asker, rules, found, walks = Asker(binary), set(), [], 0
    for line in lines:
        row = json.loads(line)
        case = {"docs": list(yaml.load_all(row["input"], LOADER)), "now": row["expect"]["now"],
                "catalogue": json.loads(row["files"]["catalog.json"])}
        for name in pods_of(row["expect"], case):
            for option in sorted(options_of(asker, case, name)):
                steps, fault = walk(asker, case, name, option)
                rules |= steps.rules
                walks += 1
                if fault is not None and len(found) < 5:
                    found.append((row["name"], "/".join(name), fault, steps.steps))
    asker.close()
    return rules, found, walks


def main():
    binary, cases = sys.argv[1:3]
    with gzip.open(cases, "rt", encoding="utf-8") as file:
        lines = [line for i, line in enumerate(file) if i % EVERY == 0]
    parts = [(binary, lines[i::8]) for i in range(8)]
    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool:
        results = pool.map(look_at, parts)
    rules = set().union(*(r[0] for r in results))
    found = [f for r in results for f in r[1]]
    walks = sum(r[2] for r in results)
    print("TAP version 13\n1..2")
    for case, pod, fault, steps in found[:8]:
        print(f"# {case} pod {pod}: {fault}")
        print("".join(f"#    {step}\n" for step in steps), end="")
    print(f"{'not ' if found or walks == 0 else ''}ok 1 - what would help helps ({walks} walks)")
    missing = set() if SHORT else MET - rules
    print(f"{'not ' if missing else ''}ok 2 - every rule was met {sorted(missing) if missing else ''}")
    return 1 if found or missing or walks == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
