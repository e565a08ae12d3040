"""20,000 random states, decided by the program and by the oracle: check.py ASK.

ASK is the program ask.c. PLM_SEED begins the seeds (default 1), PLM_SHORT takes 1,000 states. Every state
is decided under --compat strict: admissions, flavors, counts, victims with their reasons, who waits and
what it is told must be the oracle's. A failure prints its seed and a manifest made as small as it
still fails; `check.py ASK SEED` looks at that seed alone.
"""
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

import generate
import shrink
from cycle import Oracle
from model import World, seconds

STATES = 1000 if os.environ.get("PLM_SHORT") else 20000
PARTS = 20
GIVE_UP = 5


class Asker:
    """The program under test, many calls in one process."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="oracle-")
        self.path = os.path.join(self.folder.name, "state.json")
        self.binary = binary
        self.process = None

    def ask(self, docs, *words):
        """(exit code, text)"""
        if self.process is None:
            self.process = subprocess.Popen([self.binary], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": docs}, file)
        line = "\t".join([*words, "-f", self.path]) + "\n"
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
            head = self.process.stdout.readline().split()
            return int(head[0]), self.process.stdout.read(int(head[1])).decode()
        except (BrokenPipeError, IndexError):
            code, self.process = self.process.wait(), None
            return code, "the program ended"

    def decide(self, docs, cycles, compat="strict"):
        code, text = self.ask(docs, "decide", "--compat", compat, "--now", generate.NOW, "-o",
                              "json", "--cycles", "stable" if cycles is None else str(cycles))
        return code, (json.loads(text) if code == 0 else text)

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
        self.folder.cleanup()


def of_program(doc):
    """The answer in the oracle's form."""
    admitted = {}
    for row in doc["admitted"]:
        admitted[row["workload"]] = {
            "clusterQueue": row["clusterQueue"],
            "podSets": {p["name"]: {"count": p["count"], "flavors": p.get("flavors", {})}
                        for p in row["podSets"]}}
    return {"admitted": admitted,
            "preempted": {row["workload"]: row["reason"] for row in doc["preempted"]},
            "pending": sorted(row["workload"] for row in doc["pending"]),
            "reasons": {row["workload"]: row["reason"] for row in doc["pending"]}}


def difference(asker, docs, cycles):
    """None, or what differs. An object that one side cannot read is a difference too."""
    code, got = asker.decide(docs, cycles)
    if code != 0:
        return f"exit {code}: {got}"
    got = of_program(got)
    oracle = Oracle(World(docs), seconds(generate.NOW))
    rests = oracle.run(cycles)
    holding = {w["metadata"]["namespace"] + "/" + w["metadata"]["name"] for w in docs
               if w["kind"] == "Workload" and (w.get("status") or {}).get("admission")}
    got["admitted"] = {k: v for k, v in got["admitted"].items() if k not in holding}
    want = {"admitted": oracle.admitted, "preempted": oracle.preempted,
            "pending": oracle.pending()}
    for key, value in want.items():
        if got[key] != value:
            return f"{key}: the oracle says {value}, the program {got[key]}"
    for key, reason in sorted(oracle.reasons.items()):
        if rests and reason is not None and got["reasons"].get(key) != reason:
            return f"reason of {key}: the oracle says {reason}, the program {got['reasons'].get(key)}"
    return None


def look_at(binary, seeds):
    """[(seed, what differs, smallest objects)]"""
    asker, found = Asker(binary), []
    for seed in seeds:
        docs, cycles = generate.make(seed), generate.how(seed)
        fault = difference(asker, docs, cycles)
        if fault is not None:
            kind = fault.split()[0]
            small = shrink.smallest(docs, lambda d: fails(asker, d, cycles, kind))
            found.append((seed, cycles, difference(asker, small, cycles), small))
        if len(found) >= GIVE_UP:
            break
    asker.close()
    return found


def fails(asker, docs, cycles, kind):
    """Is there still a difference of that kind?"""
    try:
        return (difference(asker, docs, cycles) or "").startswith(kind)
    except (KeyError, TypeError, ValueError, IndexError):
        return False  # too small to be a state at all


def main(binary, only):
    first = int(os.environ.get("PLM_SEED", "1")) * 1000003
    seeds = [only] if only is not None else list(range(first, first + STATES))
    parts = [seeds[i::PARTS] for i in range(PARTS) if seeds[i::PARTS]]
    print(f"# PLM_SEED={os.environ.get('PLM_SEED', '1')}, {len(seeds)} states")
    print(f"1..{len(parts)}")
    failed = False
    with multiprocessing.Pool(min(os.cpu_count() or 1, len(parts))) as pool:
        calls = [pool.apply_async(look_at, (binary, part)) for part in parts]
        for number, (call, part) in enumerate(zip(calls, parts), 1):
            found = call.get()
            failed = failed or bool(found)
            print(f"{'not ok' if found else 'ok'} {number} - {len(part)} random states decided alike",
                  flush=True)
            for seed, cycles, fault, docs in found:
                print(f"# seed {seed}, --cycles {cycles or 'stable'}: {fault}")
                print(shrink.shown(docs))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None))
