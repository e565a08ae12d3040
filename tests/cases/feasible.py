"""Every plan of the provisioning cases, judged by the feasibility checker: feasible.py BINARY JUDGE_LOG.

Each case is decided as by default (better), its log is kept, and judge_log looks at what was planned. One test per suite (TAP).
With PLM_SHORT one random case in eight is judged.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from run_cases import unpack

HERE = pathlib.Path(__file__).resolve().parent
JUDGED = re.compile(r"judged: (\d+) pods, (\d+) claims, (\d+) gangs")
DISRUPTION = ("karpenter/consolidation", "karpenter/drift")


def judge(binary, judge_log, case, tmp):
    """(what is wrong or None, pods judged, claims judged)"""
    want = json.loads((case / "expect.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(dir=tmp) as log:
        command = [binary, "decide", "-o", "json", "--cycles", str(want.get("cycles") or "stable"), "-f", case / "input.yaml",
                   "-L", log]
        for flag in ("now", "only"):
            if want.get(flag):
                command += ["--" + flag, want[flag]]
        if want.get("catalog"):
            command += ["--catalog", case / want["catalog"]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode not in (0, 1):
            return f"decide: exit {done.returncode}: {done.stderr.strip()[:300]}", 0, 0
        done = subprocess.run([judge_log, log], capture_output=True, text=True, timeout=120, check=False)
    lines = done.stdout.splitlines()
    counts = JUDGED.fullmatch(lines[-1]) if lines else None
    if counts is None:
        return f"judge_log: exit {done.returncode}: {done.stderr.strip()[:300]}", 0, 0
    return lines[0] if done.returncode else None, int(counts[1]), int(counts[2])


def main(binary, judge_log):
    with tempfile.TemporaryDirectory(prefix="feasible-") as tmp:
        cases = [(str(path.parent.relative_to(HERE)), path.parent) for path in (HERE / "karpenter").rglob("expect.json")]
        drawn = sorted(unpack(HERE, tmp, "karpenter-random.jsonl.gz"))
        cases += drawn[::8] if os.environ.get("PLM_SHORT") else drawn
        cases = sorted(case for case in cases if not case[0].startswith(DISRUPTION))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda case: judge(binary, judge_log, case[1], tmp), cases))
    suites = {}
    for (name, _), (fault, pods, claims) in zip(cases, answers):
        row = suites.setdefault(name.rsplit("/", 1)[0], [[], 0, 0, 0])
        row[0] += [f"{name}: {fault}"] if fault else []
        row[1:] = [row[1] + 1, row[2] + pods, row[3] + claims]
    print(f"1..{len(suites)}")
    for number, (suite, (faults, count, pods, claims)) in enumerate(sorted(suites.items()), 1):
        print(f"{'not ok' if faults else 'ok'} {number} - {suite}")
        print("".join(f"# {fault}\n" for fault in faults) + f"# {count} cases, {pods} pods and {claims} claims judged")
    return 1 if any(row[0] for row in suites.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
