"""Golden scenarios: each scenario under examples/ against the trace that tests/golden/sim keeps of it.

sim_golden.py [--update] SIM_TOOL SOURCE_ROOT [NAME...]

The trace is what a person reads: one line per decision, effect and outcome, then the report. Of a long
one the middle is kept as a count and a hash. Prints TAP; --update writes the traces anew, and the review
reads the difference.
"""
import difflib
import hashlib
import pathlib
import re
import subprocess
import sys

SHOWN_LINES = 40
LONG = 300
KEPT = 100


def is_scenario(path):
    return re.search(r"^kind: Scenario", path.read_text(encoding="utf-8"), re.M) is not None


def scenarios(root):
    """Name and path: a file of its own, or the folder that it shares with its manifests."""
    found = {}
    for path in sorted((root / "examples").rglob("*.yaml")):
        if not is_scenario(path):
            continue
        shared = path.name == "scenario.yaml"
        place = path.parent if shared else path
        name = place.relative_to(root / "examples").with_suffix("").as_posix().replace("/", "-")
        found[name] = place
    return found


def flags(path):
    """A scenario whose first line begins so is played as Kueue decides."""
    strict = path.is_file() and path.read_text(encoding="utf-8").startswith("# Under --compat strict")
    return ["--strict"] if strict else []


def play(tool, path, root):
    done = subprocess.run(
        [tool, path.relative_to(root).as_posix(), *flags(path), "--text", "--trace", "-"],
        cwd=root, capture_output=True, text=True, timeout=300, check=False)
    lines = (done.stderr + done.stdout).splitlines(keepends=True)
    if len(lines) > LONG:
        middle = lines[KEPT:-KEPT]
        digest = hashlib.sha256("".join(middle).encode()).hexdigest()
        lines[KEPT:-KEPT] = [f"... {len(middle)} lines, sha256 {digest}\n"]
    return done.returncode, "".join(lines)


def main(args):
    update = "--update" in args
    args = [arg for arg in args if arg != "--update"]
    tool, root = pathlib.Path(args[0]).resolve(), pathlib.Path(args[1])
    wanted = args[2:]
    rows = {name: path for name, path in scenarios(root).items() if not wanted or name in wanted}
    print(f"1..{len(rows)}")
    failed = 0
    for number, (name, path) in enumerate(rows.items(), 1):
        code, have = play(tool, path, root)
        file = root / "tests/golden/sim" / f"{name}.want"
        want = file.read_text(encoding="utf-8") if file.exists() else ""
        if update and code == 0:
            file.write_text(have, encoding="utf-8")
            want = have
        good = code == 0 and have == want
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        if not good:
            print(f"# exit {code}; if the change is meant: ninja -C build golden-update")
            lines = list(difflib.unified_diff(want.splitlines(), have.splitlines(), "want", "have", n=1,
                                              lineterm=""))
            for line in lines[:SHOWN_LINES]:
                print(f"# {line}")
            if len(lines) > SHOWN_LINES:
                print(f"# ... and {len(lines) - SHOWN_LINES} lines more")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
