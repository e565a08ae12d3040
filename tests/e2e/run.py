"""The end-to-end suite: run.py PLIMSOLL [NAME...] starts a cluster and runs tests/e2e/test_*.py in it, as TAP.

A test is a function test_*(e2e) of its module; e2e (class Suite) has the cluster, a namespace of the test's
own and what starts daemons. Modules own_*.py are for tests that start clusters of their own: their e2e
(class Owner) has none. Those of cloud_*.py share a cluster whose nodes come from AWS (class CloudSuite). --shared,
--own and --cloud run one sort only, so that they can run at the same time. With names, only tests whose module or
function has one of them in it are run.
"""
import importlib
import os
import pathlib
import signal
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from cloud import CloudSuite  # noqa: E402
from cluster import built  # noqa: E402
from suite import Owner, Suite  # noqa: E402

SORTS = {"test": ("--shared", Suite), "own": ("--own", Owner), "cloud": ("--cloud", CloudSuite)}


def tests(names, sorts):
    """(name, sort, function); sort is the prefix of the module."""
    for sort in sorts:
        for path in sorted(HERE.glob(f"{sort}_*.py")):
            module = importlib.import_module(path.stem)
            for name, one in vars(module).items():
                if name.startswith("test_") and callable(one):
                    full = f"{path.stem.partition('_')[2]} {name[5:]}"
                    if not names or any(part in full for part in names):
                        yield full, sort, one


def attempt(e2e, number, test):
    """What went wrong, as lines."""
    trouble = []
    try:
        e2e.begin(number, test.__name__[5:])
        test(e2e)
    except Exception:  # one test's failure is told and does not end the others
        trouble = traceback.format_exc().splitlines() + list(e2e.report())
    try:
        e2e.end()
    except Exception:
        trouble += traceback.format_exc().splitlines()
    return trouble


def main(plimsoll, words):
    sorts = [sort for sort, (flag, _) in SORTS.items() if flag in words] or list(SORTS)
    chosen = list(tests([word for word in words if not word.startswith("--")], sorts))
    print(f"1..{len(chosen)}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Set by meson: free memory is written over, so that its pages come to stay. Memory is measured here.
    os.environ.pop("MALLOC_PERTURB_", None)
    built("tools")
    places = {}
    failed = 0
    try:
        for number, (name, sort, test) in enumerate(chosen, 1):
            begin = time.monotonic()
            if sort not in places:
                places[sort] = SORTS[sort][1](plimsoll)
                print(f"# the place is ready after {time.monotonic() - begin:.1f} s", flush=True)
            begin = time.monotonic()
            trouble = attempt(places[sort], number, test)
            failed += bool(trouble)
            print(f"{'not ok' if trouble else 'ok'} {number} - {name}")
            print(f"# {time.monotonic() - begin:.1f} s", *(f"# {line}" for line in trouble), sep="\n",
                  flush=True)
            if trouble:  # meson shows the standard error of what failed
                print(f"{name}:", *trouble, sep="\n", file=sys.stderr, flush=True)
    finally:
        for one in places.values():
            one.down()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
