"""Explanations are true: what they say would lift a rule lifts it. reasons.py ASK.

Random states with obstacles of every kind. For a workload that waits, `why -o json` names the rule and
unblockActions; the first option is carried out on the manifests, and again, until it is admitted. Each
step must name a rule or object that was not named before. Alone (no other workload waits) that is all;
among others a step is also good when somebody else got in, or had to go, for it.
Every rule of admission must be met; PLM_SEED and PLM_SHORT as in check.py.
"""
import json
import multiprocessing
import os
import re
import sys

import generate
import shrink
from change import Changes
from check import Asker
from spoil import Spoiler, of_kind

SHORT = bool(os.environ.get("PLM_SHORT"))  # too few to meet every rule
STATES = 100 if SHORT else 1000
PARTS = 10
STEPS = 40
# Said of plans, of the life of what runs, and of places by topology, or where manifests do not lead (a namespace that objects are in
# is there): other tests meet them.
ELSEWHERE = re.compile("$|not all pods of the gang|topology|node|flavor (without|for) topology|"
                       "namespace missing|maximum execution|owner not found|pods|queue goes on|"
                       "active again|being deleted|resource claims|no dispatch|several MultiKueue|"
                       "MultiKueue")


class Untrue(Exception):
    pass


class Walk:
    """The steps of one workload from waiting to running."""

    def __init__(self, asker, docs, name, cycles, compat):
        self.asker, self.name, self.compat = asker, name, compat
        self.changes = Changes(docs, generate.NOW)
        self.changes.cycles = cycles
        self.seen, self.steps, self.last = set(), [], None

    def why(self):
        code, text = self.asker.ask(self.changes.docs, "why", f"Workload/{self.name}", "-n",
                                    "default", "-o", "json", "--compat", self.compat, "--now",
                                    self.changes.now, "--cycles", self.changes.cycles)
        if code != 0:
            raise Untrue(f"exit {code}: {text}")
        return json.loads(text)

    def others(self):
        code, text = self.asker.ask(self.changes.docs, "decide", "-o", "json", "--compat",
                                    self.compat, "--now", self.changes.now, "--cycles",
                                    self.changes.cycles)
        if code != 0:
            raise Untrue(f"exit {code}: {text}")
        doc = json.loads(text)
        return json.dumps([[(row["workload"], row["podSets"]) for row in doc["admitted"]],
                           [row["workload"] for row in doc["preempted"]]])

    def key(self, doc):
        """What binds. More may be needed than before once other pod sets can have the flavor too, or once
        others of the same cycle can take more."""
        binding = {key: value for key, value in doc["binding"].items() if key != "have"}
        kinds = [(row["kind"], row["name"]) for row in doc["unblockActions"]
                 if row["action"] in ("finish", "resume")]
        # Where more is held than there is quota, what is short is told from 0 on, as upstream does: a raise can show more of it.
        amounts = [row["by"] for row in doc["unblockActions"] if "by" in row]
        return (doc.get("rule"), doc["reason"], json.dumps([binding, kinds, amounts], sort_keys=True))

    def go(self, alone):
        while True:
            doc = self.why()
            self.steps.append(f"{doc['state']}: {doc['reason']}, {doc['message']}")
            self.last = (doc["state"], doc["reason"], doc.get("rule"))
            if doc["state"] in ("Admitted", "Evicting"):  # or in, and out again for somebody else
                return
            key = (*self.key(doc), None if alone else self.others())
            # Another head may take again what was given, as long as it waits with fewer pods.
            contended = not alone and doc.get("rule", "").startswith("taken")
            if key in self.seen and not contended:
                raise Untrue("what was carried out did not help")
            self.seen.add(key)
            rows = [row for row in doc["unblockActions"] if row["option"] == 0]
            if not rows:
                raise Untrue(f"nothing is named that would help against {doc.get('rule')}")
            if len(self.steps) > STEPS:
                raise Untrue("no end of it")
            self.steps.append("  " + "; ".join(shown(row) for row in rows))
            self.changes.apply(rows)
            if doc["unblock"] == []:
                raise Untrue("nothing is said of what would help")


def shown(row):
    return " ".join(str(value) for key, value in row.items() if key != "option")


def alone_with(docs, name):
    """Without the others that wait."""
    return [doc for doc in docs if doc["kind"] != "Workload" or doc["metadata"]["name"] == name
            or (doc.get("status") or {}).get("admission")]


def cases_of(seed):
    docs, name = Spoiler(seed).spoil()
    if name is None:
        return
    yield "alone", alone_with(docs, name), name, "stable", "better"
    yield "among others", docs, name, ("1", "stable")[seed % 2], ("strict", "better")[seed // 2 % 2]


def walk(asker, case):
    """(rules met, None or what is untrue, the steps)"""
    how, docs, name, cycles, compat = case
    steps = Walk(asker, docs, name, cycles, compat)
    try:
        steps.go(how == "alone")
    except Untrue as fault:
        return steps, str(fault)
    except (KeyError, AssertionError, TypeError, StopIteration, ValueError) as fault:
        return steps, f"cannot be carried out: {fault!r}"
    return steps, None


def look_at(binary, seeds):
    asker, rules, found = Asker(binary), set(), []
    for seed in seeds:
        for case in cases_of(seed):
            steps, fault = walk(asker, case)
            rules.update(key[0] for key in steps.seen)
            if fault is not None and len(found) < 3:
                end = (fault, steps.last)
                small = shrink.smallest(case[1], lambda d, c=case, e=end: still(asker, d, c, e))
                steps, fault = walk(asker, (case[0], small, *case[2:]))
                found.append((seed, case[0], case[3:], fault, steps.steps, small))
    asker.close()
    return rules, found


def still(asker, docs, case, end):
    """Does it still end so?"""
    if not any(d["metadata"]["name"] == case[2] for d in of_kind(docs, "Workload")):
        return False
    steps, fault = walk(asker, (case[0], docs, *case[2:]))
    return (fault, steps.last) == end


def rules_used():
    """The words of the rules that sources of admission name."""
    root = os.environ.get("PLM_SOURCE_ROOT", ".")
    names = set()
    folder = os.path.join(root, "reducers/admission")
    for file in sorted(os.listdir(folder)):
        if file.endswith(".c") and file != "topology.c":
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                names.update(re.findall(r"PLM_(RULE_\w+)", text.read()))
    with open(os.path.join(root, "src/core/event.h"), encoding="utf-8") as text:
        words = dict(re.findall(r'X\((RULE_\w+), "([^"]*)"\)', text.read()))
    return {words[name] for name in names if name in words}


def main(binary, only):
    seed = int(os.environ.get("PLM_SEED", "1"))
    first = seed * 1000003 + 700000
    seeds = [only] if only is not None else list(range(first, first + STATES))
    parts = [seeds[i::PARTS] for i in range(PARTS) if seeds[i::PARTS]]
    print(f"# PLM_SEED={seed}, {len(seeds)} states\n1..{len(parts) + 1}")
    rules, failed = set(), False
    with multiprocessing.Pool(min(os.cpu_count() or 1, len(parts))) as pool:
        calls = [pool.apply_async(look_at, (binary, part)) for part in parts]
        for number, (call, part) in enumerate(zip(calls, parts), 1):
            met, found = call.get()
            rules |= met
            failed = failed or bool(found)
            print(f"{'not ok' if found else 'ok'} {number} - {len(part)} explanations are true",
                  flush=True)
            for one, how, args, fault, steps, docs in found:
                print(f"# seed {one}, {how}, {args}: {fault}")
                print("".join(f"#   {step}\n" for step in steps) + shrink.shown(docs))
    missing = {rule for rule in rules_used() - rules
               if only is None and not SHORT and not ELSEWHERE.match(rule)}
    print(f"{'not ok' if missing else 'ok'} {len(parts) + 1} - every rule of admission was met")
    for rule in sorted(missing):
        print(f"# never: {rule}")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None))
