"""Behaviour cases that hold must go on holding: ratchet.py BINARY [--update].

The cases lie beside this file: kueue/ and karpenter/ (folders that a person can read, each suite with a README), and the packed
random ones. passing.txt lists those that the binary answers as expected, reasons included. Each is one test (TAP); a case that
passes without being listed is named in a comment, and --update writes the list anew. With PLM_SHORT the random ones are left out.
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "passing.txt"
LINE = re.compile(r"^(ok  |FAIL) ([^\s:]+)(?:: (.*))?$")


def outcomes(binary, patterns):
    """name -> None or what is wrong."""
    done = subprocess.run([sys.executable, HERE / "run_cases.py", "-v", "--reasons", "--bin", binary, HERE, *patterns],
                          capture_output=True, text=True, check=False)
    matches = filter(None, map(LINE.match, done.stdout.splitlines()))
    return {match[2]: match[3] for match in matches}


def main(binary, update):
    short = bool(os.environ.get("PLM_SHORT"))
    found = outcomes(binary, ["kueue/*", "karpenter/*"] if short else [])
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
