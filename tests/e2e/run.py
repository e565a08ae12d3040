"""The end-to-end suite: run.py PLIMSOLL [NAME...] starts a cluster and runs tests/e2e/test_*.py in it, as TAP.

A test is a function test_*(e2e) of its module; e2e (class Suite) has the cluster, a namespace of the test's
own and what starts daemons. Modules own_*.py are for tests that start clusters of their own: their e2e
(class Owner) has none. --shared and --own run one sort only, so that both can run at the same time. With
names, only tests whose module or function has one of them in it are run.
"""
import importlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import install  # noqa: E402
from cluster import SPACE, WRITES, Cluster, built, what  # noqa: E402
from daemon import USER, Daemon  # noqa: E402
from proxy import Proxy  # noqa: E402


class Owner:
    """What a test of an own_*.py sees: it starts clusters, which are taken down with it."""

    def __init__(self, plimsoll):
        self.plimsoll = str(pathlib.Path(plimsoll).resolve())
        self.name, self.others, self.folders = None, [], []

    def begin(self, number, name):
        self.number, self.name = number, name

    def scratch(self):
        """A folder for this test, gone after it."""
        self.folders.append(tempfile.mkdtemp(prefix="plm-e2e-"))
        return self.folders[-1]

    def other(self, **options):
        """A cluster of the test's own, with a namespace."""
        one = Suite(self.plimsoll, **options)
        self.others.append(one)
        one.begin(self.number, self.name)
        return one

    def end(self):
        refused = [one.refused() for one in self.others if not one.restarted]
        for one in self.others:
            one.end_processes()
            one.cluster.down()
        for one in self.folders:
            shutil.rmtree(one, ignore_errors=True)
        self.others, self.folders = [], []
        assert not any(refused), f"calls that the generated roles do not allow: {refused}"

    def down(self):
        self.end()

    def report(self):
        for one in self.others:
            yield from one.report()


class Suite:
    """What one test sees in a cluster that it shares."""

    def __init__(self, plimsoll, deploy=install.deploy, **cluster):
        self.plimsoll = str(pathlib.Path(plimsoll).resolve())
        self.cluster = Cluster(**cluster)
        self.admin = self.cluster.admin
        self.kubectl = self.cluster.kubectl
        self.namespace = self.name = None
        self.restarted = False
        self.daemons, self.proxies = [], []
        try:
            deploy(self.cluster, self.plimsoll)
        except BaseException:
            self.cluster.down()
            raise

    def begin(self, number, name):
        self.name = name
        self.namespace = f"t{number}-{name.replace('_', '-')}"[:40].rstrip("-")
        self.folder = self.cluster.folder / self.namespace
        self.folder.mkdir()
        self.admin.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                                 "metadata": {"name": self.namespace}})
        self.mark = self.cluster.mark()

    def end_processes(self):
        for one in self.daemons:
            one.kill()
        for one in self.proxies:
            one.stop()
        self.daemons, self.proxies = [], []

    def refused(self):
        """Calls for which the roles are not enough; a namespace that ends refuses with 403 too."""
        return {what(one) for one in self.our_calls()
                if one.get("annotations", {}).get("authorization.k8s.io/decision") == "forbid"}

    def end(self):
        """Takes away what the test made; the next one must find an empty cluster."""
        refused = self.refused()
        self.end_processes()
        self.admin.delete(f"/api/v1/namespaces/{self.namespace}")
        install.sweep(self.admin)
        assert not refused, f"calls that the generated roles do not allow: {sorted(refused)}"

    def down(self):
        if os.environ.get("PLM_E2E_KEEP"):
            shutil.copytree(self.cluster.folder, os.environ["PLM_E2E_KEEP"], dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("etcd"))
        self.cluster.down()

    def proxy(self):
        self.proxies.append(Proxy(self.cluster))
        return self.proxies[-1]

    def daemon(self, *flags, proxy=None, name="daemon", start=True):
        """A daemon with the service account's rights, through the proxy if there is one."""
        folder = self.folder / name
        folder.mkdir()
        where = {"server": proxy.server, "ca": proxy.ca} if proxy else {}
        one = Daemon(self.plimsoll, folder, self.cluster.account(USER, folder, **where), *flags)
        self.daemons.append(one)
        return one.start() if start else one

    def our_calls(self, mark=None):
        return self.cluster.audit(self.mark if mark is None else mark, f"{SPACE}:{USER}")

    def our_writes(self, mark=None):
        return [one for one in self.our_calls(mark) if one["verb"] in WRITES]

    def report(self):
        for daemon in self.daemons:
            yield from f"{daemon.folder.name}:\n{daemon.tail()}".splitlines()


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
    sorts = [sort for flag, sort in (("--shared", "test"), ("--own", "own")) if flag in words] or [
        "test", "own"]
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
                places[sort] = Suite(plimsoll) if sort == "test" else Owner(plimsoll)
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
