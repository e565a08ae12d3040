"""Scenarios in which Kueue's rules evict in vain: how many evictions, as Kueue decides and by default.

thrash.py SIM_TOOL SOURCE_ROOT

A preemptor's claim that ends with its cycle (claims), and victims that fill-back makes illegal
(share-loop, which under --strict ends as a broken invariant: effects without end). Prints TAP.
"""
import json
import pathlib
import subprocess
import sys

# Scenario, evictions at least under --strict, at most by default.
ROWS = [("claims", 3, 1), ("share-loop", 100, 2)]


def evictions(tool, path, *flags):
    done = subprocess.run([tool, str(path), *flags], capture_output=True, text=True, timeout=120,
                          check=False)
    return json.loads(done.stdout)["preemptions"]


def main(tool, root):
    print(f"1..{2 * len(ROWS)}")
    failed = 0
    for number, (name, least, most) in enumerate(ROWS):
        path = pathlib.Path(root) / "examples/queues" / f"{name}.yaml"
        strict, better = evictions(tool, path, "--strict"), evictions(tool, path)
        for offset, (good, text) in enumerate([
                (strict >= least, f"{name}: {strict} evictions as Kueue decides, {least} or more"),
                (better <= most, f"{name}: {better} by default, {most} or fewer")]):
            failed += not good
            print(f"{'ok' if good else 'not ok'} {2 * number + offset + 1} - {text}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
