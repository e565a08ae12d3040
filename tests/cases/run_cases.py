#!/usr/bin/env python3
"""Run behaviour cases against a built plimsoll.

usage: run_cases.py [--bin PATH] [--jobs N] [-v] [--junit FILE] [--reasons] CASES_DIR [PATTERN ...]

Every folder below CASES_DIR that holds input.yaml and expect.json is a case. So is every line of a *.jsonl.gz file there, an
object {"name", "input": text of input.yaml, "expect": what expect.json would hold, "files"?: {name: text of a further file}};
such cases are written to a temporary folder and are called FILE/NAME, FILE being the path of the file without its ending. The
binary is called as
    plimsoll decide --compat strict --cycles C [--now T] [--only ONLY] [--catalog CATALOG] -o json -f input.yaml
with what expect.json has under `cycles`, `now`, `only` and `catalog` (a file of the case), and its DecisionList is compared with
expect.json: the keys that expect.json has must match exactly, the others are not looked at. Two are lists of predicates, matched
one to one with the rows of the output: `nodeClaims` (see claims_ok) and `disruptions` (see disruptions_ok). `placements` is a map
from pod to node; only placements on nodes that are not among the output's nodeClaims are looked at. `anyOf` is a list of
alternatives, each with any of the compared keys: one must match, besides the keys outside. `reasons` (pending workload to reason)
is compared only with --reasons, and only for the workloads it lists. Prints one line per failure and a closing line
'N passed, N failed'; exit 0 only when all pass and at least one ran.
"""
import argparse, concurrent.futures, fnmatch, fractions, gzip, json, os, pathlib, re, subprocess, sys, tempfile, time

KEYS = ("admitted", "preempted", "pending", "unschedulable", "nodeClaims", "placements", "disruptions")
SUFFIX = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def quantity(text):
    """the value of a Kubernetes quantity"""
    m = re.fullmatch(r"([+-]?[0-9.]+)(?:[eE]([+-]?[0-9]+)|([KMGTPE]i|[numkMGTPE]?))", str(text))
    if not m:
        raise ValueError(f"not a quantity: {text!r}")
    n = fractions.Fraction(m[1])
    if m[2]:
        return n * fractions.Fraction(10) ** int(m[2])
    return n * 2 ** BINARY[m[3]] if m[3] in BINARY else n * fractions.Fraction(10) ** SUFFIX[m[3]]


def by_workload(rows, build):
    return {row["workload"]: build(row) for row in rows}


def podset(p, domains):
    """count, flavors and, where pods were placed, the topology domains sorted by values"""
    out = {"count": p["count"], "flavors": p.get("flavors", {})}
    if domains:
        out["topology"] = sorted(({"values": d["values"], "count": d["count"]} for d in domains), key=lambda d: d["values"])
    return out


def norm_got(doc):
    def podsets(row):
        return {p["name"]: podset(p, (p.get("topologyAssignment") or {}).get("domains")) for p in row.get("podSets", [])}
    return {
        "admitted": by_workload(doc.get("admitted", []), lambda r: {"clusterQueue": r["clusterQueue"], "podSets": podsets(r)}),
        "preempted": by_workload(doc.get("preempted", []), lambda r: {"reason": r["reason"]}),
        "pending": sorted(r["workload"] for r in doc.get("pending", [])),
        "reasons": by_workload(doc.get("pending", []), lambda r: r.get("reason")),
        "unschedulable": sorted(r["pod"] for r in doc.get("unschedulable", [])),
        "nodeClaims": doc.get("nodeClaims", []),
        "placements": placements(doc),
        "disruptions": doc.get("disruptions", []),
    }


def placements(doc):
    new = {c.get("name") for c in doc.get("nodeClaims", [])}
    return {r["pod"]: r["node"] for r in doc.get("placements", []) if r["node"] not in new}


def claims_ok(want, got):
    """want: list of predicates {nodePool?, cheapest?, instanceTypes?: exact list, zone? (null: none), capacityType?, pods?: [..],
    podCount?, requests?: {resource: quantity}, compared by value} matched one to one."""
    left = list(got)
    for w in want:
        for c in left:
            if "nodePool" in w and c.get("nodePool") != w["nodePool"]: continue
            if "cheapest" in w and (c.get("instanceTypes") or [None])[0] != w["cheapest"]: continue
            if "zone" in w and c.get("zone") != w["zone"]: continue
            if "capacityType" in w and c.get("capacityType") != w["capacityType"]: continue
            if "pods" in w and sorted(c.get("pods", [])) != sorted(w["pods"]): continue
            if "podCount" in w and len(c.get("pods", [])) != w["podCount"]: continue
            if "instanceTypes" in w and c.get("instanceTypes") != w["instanceTypes"]: continue
            if "requests" in w and values(c.get("requests", {})) != values(w["requests"]): continue
            left.remove(c)
            break
        else:
            return f"no claim matches {json.dumps(w, sort_keys=True)}"
    return f"{len(left)} claims more than expected" if left else None


def values(requests):
    """requests by value, without those that are zero"""
    return {k: quantity(v) for k, v in requests.items() if quantity(v)}


def disruptions_ok(want, got):
    """want: list of predicates {action?, reason?, nodes?: [..], replacements?: predicates as for nodeClaims} matched one to one."""
    left = list(got)
    for w in want:
        for d in left:
            if "action" in w and d.get("action") != w["action"]: continue
            if "reason" in w and d.get("reason") != w["reason"]: continue
            if "nodes" in w and sorted(d.get("nodes", [])) != sorted(w["nodes"]): continue
            if "replacements" in w and claims_ok(w["replacements"], d.get("replacements", [])): continue
            left.remove(d)
            break
        else:
            return f"no disruption matches {json.dumps(w, sort_keys=True)}"
    return f"{len(left)} disruptions more than expected" if left else None


def compare(want, got, reasons):
    if "anyOf" in want:
        faults = [compare(w, got, reasons) for w in want["anyOf"]]
        if all(faults):
            return f"none of {len(faults)} outcomes; the first: {faults[0]}"
    for key in KEYS:
        if key not in want:
            continue
        if key in ("nodeClaims", "disruptions"):
            fault = (claims_ok if key == "nodeClaims" else disruptions_ok)(want[key], got[key])
            if fault:
                return fault
            continue
        w, g = want[key], got[key]
        if key == "preempted":
            w = {k: {"reason": v["reason"]} for k, v in w.items()}
        if key == "admitted":
            w = {k: {"clusterQueue": v["clusterQueue"],
                     "podSets": {n: podset(p, p.get("topology")) for n, p in v["podSets"].items()}}
                 for k, v in w.items()}
        if isinstance(w, list):
            w = sorted(w)
        if w != g:
            return f"{key}: want {json.dumps(w, sort_keys=True)} got {json.dumps(g, sort_keys=True)}"
    if reasons:
        for k, w in sorted(want.get("reasons", {}).items()):
            if got["reasons"].get(k) != w:
                return f"reason of {k}: want {w} got {got['reasons'].get(k)}"
    return None


def unpack(root, tmp, pattern="*.jsonl.gz"):
    """the cases of every file below root that 'pattern' names, as folders below tmp: [(name, folder)]"""
    out = []
    for path in sorted(root.rglob(pattern)):
        stem, number = path.relative_to(root).as_posix()[:-len(".jsonl.gz")], 0
        try:
            with gzip.open(path, "rt", encoding="utf-8") as f:
                for number, line in enumerate(f, 1):
                    row = json.loads(line)
                    folder = pathlib.Path(tmp) / f"{len(out):06d}"
                    folder.mkdir()
                    (folder / "input.yaml").write_text(row["input"], encoding="utf-8")
                    (folder / "expect.json").write_text(json.dumps(row["expect"]), encoding="utf-8")
                    for name, text in row.get("files", {}).items():
                        (folder / pathlib.PurePath(name).name).write_text(text, encoding="utf-8")
                    out.append((f"{stem}/{row['name']}", folder))
        except (OSError, EOFError, ValueError, KeyError, TypeError) as e:
            print(f"{path}, line {number}: not a case: {e!r}", file=sys.stderr)
            sys.exit(2)
    return out


def run(binary, case, reasons):
    want = json.load(open(case / "expect.json"))
    cycles = want.get("cycles", 0)
    cmd = [binary, "decide", "--compat", "strict", "-o", "json", "--cycles", str(cycles) if cycles else "stable",
           "-f", str(case / "input.yaml")]
    if want.get("now"):
        cmd += ["--now", want["now"]]
    if want.get("only"):
        cmd += ["--only", want["only"]]
    if want.get("catalog"):
        cmd += ["--catalog", str(case / want["catalog"])]
    try:
        p = subprocess.run(cmd, capture_output=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "no answer in 30 s"
    except OSError as e:
        return f"{binary} does not start: {e.strerror}"
    if p.returncode not in (0, 1):
        return f"exit {p.returncode}: {p.stderr.decode(errors='replace').strip()[:300]}"
    try:
        return compare(want, norm_got(json.loads(p.stdout)), reasons)
    except (ValueError, KeyError, TypeError) as e:
        return f"output is not a DecisionList: {e!r}"


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bin", default=os.environ.get("PLIMSOLL", "build/plimsoll"))
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--junit")
    ap.add_argument("--reasons", action="store_true")
    ap.add_argument("-v", action="store_true")
    ap.add_argument("root")
    ap.add_argument("pattern", nargs="*")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix="cases-") as tmp:
        sys.exit(run_all(a, tmp))


def run_all(a, tmp):
    root = pathlib.Path(a.root)
    folders = [p.parent for p in root.rglob("expect.json") if (p.parent / "input.yaml").exists()]
    cases = sorted([(str(c.relative_to(root)), c) for c in folders] + unpack(root, tmp))
    if a.pattern:
        cases = [c for c in cases if any(fnmatch.fnmatch(c[0], p) for p in a.pattern)]
    if not cases:
        print("no cases found below", root, file=sys.stderr)
        return 2
    start, faults = time.time(), {}
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for (name, _), fault in zip(cases, pool.map(lambda c: run(a.bin, c[1], a.reasons), cases)):
            if fault:
                faults[name] = fault
                print(f"FAIL {name}: {fault}")
            elif a.v:
                print(f"ok   {name}")
    suites = {}
    for name, _ in cases:
        n = suites.setdefault(name.rsplit("/", 1)[0], [0, 0])
        n[name in faults] += 1
    for s, (ok, bad) in sorted(suites.items()):
        print(f"{s}: {ok} of {ok + bad}")
    if a.junit:
        from xml.sax.saxutils import quoteattr
        with open(a.junit, "w") as f:
            f.write(f'<testsuite name="cases" tests="{len(cases)}" failures="{len(faults)}" time="{time.time()-start:.1f}">\n')
            for n, _ in cases:
                f.write(f"  <testcase name={quoteattr(n)}>" + (f"<failure message={quoteattr(faults[n])}/>" if n in faults else "") + "</testcase>\n")
            f.write("</testsuite>\n")
    print(f"{len(cases)-len(faults)} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    main()
