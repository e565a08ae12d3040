"""Behaviour cases that hold must go on holding: ratchet.py BINARY [--update].

passing.txt beside this file lists the cases of $PLIMSOLL_SHARED/cases that the binary answers as expected.
Each is one test (TAP); a case that passes without being listed is named in a comment, and --update writes
the list anew. With PLM_SHORT the packed files of random cases are left out. The cases lie outside the project (default ../shared):
without them nothing is tested, which is a failure when CI is set.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "passing.txt"
LINE = re.compile(r"^(ok  |FAIL) ([^\s:]+)(?:: (.*))?$")


def shared():
    place = os.environ.get("PLIMSOLL_SHARED") or HERE.parents[1].parent / "shared"
    return pathlib.Path(place)


def outcomes(binary):
    """name -> None or what is wrong."""
    tool = shared() / "tools/run-cases"
    found = {}
    for folder in sorted(path for path in (shared() / "cases").iterdir()):
        if folder.suffix == ".gz":
            continue
        done = subprocess.run([sys.executable, tool, "-v", "--bin", binary, folder],
                              capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            match = LINE.match(line)
            if match:
                found[f"{folder.name}/{match[2]}"] = match[3]
    return found


def random_outcomes(binary):
    """The cases of the packed files, which lie beside the folders."""
    found = {}
    for packed in sorted((shared() / "cases").glob("*.jsonl.gz")):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / packed.name).symlink_to(packed)
            done = subprocess.run(
                [sys.executable, shared() / "tools/run-cases", "-v", "--bin", binary, folder],
                capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            match = LINE.match(line)
            if match:
                found[match[2]] = match[3]
    return found


def main(binary, update):
    if not (shared() / "cases").is_dir():
        print(f"1..1\nnot ok 1 - {shared()}/cases is missing" if os.environ.get("CI")
              else f"1..0 # SKIP {shared()}/cases is missing")
        return 1 if os.environ.get("CI") else 0
    short = bool(os.environ.get("PLM_SHORT"))
    found = outcomes(binary)
    if not short:
        found.update(random_outcomes(binary))
    good = sorted(name for name, fault in found.items() if fault is None)
    if update:
        LIST.write_text("".join(name + "\n" for name in good), encoding="utf-8")
        print(f"{len(good)} of {len(found)} cases hold", file=sys.stderr)
        return 0
    listed = LIST.read_text(encoding="utf-8").split()
    if short:
        listed = [name for name in listed if "-random/" not in name]
    print(f"1..{len(listed)}")
    for number, name in enumerate(listed, 1):
        fault = found.get(name, "there is no such case")
        print(f"{'not ok' if fault else 'ok'} {number} - {name}" + (f"\n# {fault}" if fault else ""))
    for name in sorted(set(good) - set(listed)):
        print(f"# holds, not listed: {name}")
    return 1 if any(found.get(name, "") is not None for name in listed) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--update" in sys.argv[2:]))
