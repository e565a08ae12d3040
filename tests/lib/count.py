"""Sums of one meson test run: "PASSED FAILED".

A test that speaks TAP counts once per test case; any other counts once. A program that fails without
a failed case (a crash, a timeout, a plan that was not kept) counts as one failure.
"""
import json
import re
import sys

GOOD = {"OK", "EXPECTEDFAIL"}
CASE = re.compile(r"^(not )?ok\b", re.MULTILINE)


def count(record):
    cases = [match.group(1) is None for match in CASE.finditer(record.get("stdout") or "")]
    good, bad = cases.count(True), cases.count(False)
    if record["result"] == "SKIP":
        return 0, 0  # only where what a test needs lies outside the project (HACKING.md)
    if record["result"] in GOOD:
        return max(good, 1), bad
    return good, max(bad, 1)


def main(path):
    passed = failed = 0
    try:
        with open(path, encoding="utf-8") as log:
            for line in log:
                good, bad = count(json.loads(line))
                passed, failed = passed + good, failed + bad
    except FileNotFoundError:
        pass  # a suite without tests writes no log
    print(passed, failed)


if __name__ == "__main__":
    main(sys.argv[1])
