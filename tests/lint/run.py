"""Run one lint over the tree: run.py NAME [ARGS...]; exit 1 and one line per finding.

run.py --self NAME: show on tests/lint/fixtures/NAME that the lint can fail. "bad" is a tree in which
each line of "expect" must be part of some finding; "good" is one without findings.
"""
import importlib
import os
import pathlib
import sys
import tempfile

FIXTURES = pathlib.Path(__file__).parent / "fixtures"


def findings(name, args, tree=None):
    if tree is None:
        os.environ.pop("PLM_LINT_ROOT", None)
    else:
        os.environ["PLM_LINT_ROOT"] = str(tree)
    module = importlib.import_module(f"lint_{name}")
    with tempfile.TemporaryDirectory() as folder:
        if tree is not None and hasattr(module, "build_fixture"):
            args = module.build_fixture(tree, folder)
        return list(module.check(*args))


def self_test(name, args):
    bad = findings(name, args, FIXTURES / name / "bad")
    good = findings(name, args, FIXTURES / name / "good")
    expected = (FIXTURES / name / "expect").read_text(encoding="utf-8").splitlines()
    assert expected, "an empty list of expectations proves nothing"
    failures = [f"not found: {want}" for want in expected if not any(want in line for line in bad)]
    failures += [f"not expected: {line}" for line in bad if not any(want in line for want in expected)]
    failures += [f"false alarm: {line}" for line in good]
    return failures


def main(args):
    selfish = args[0] == "--self"
    name, rest = (args[1], args[2:]) if selfish else (args[0], args[1:])
    found = self_test(name, rest) if selfish else findings(name, rest)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
