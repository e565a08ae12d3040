"""The end-to-end suite: run.py PLIMSOLL [NAME...] starts the cluster and runs tests/e2e/test_*.py, as TAP.

A test is a function test_*(e2e) of its module; e2e (class Suite) has the cluster, a namespace of the test's
own and what starts daemons. With names, only tests whose module or function has one of them in it are run.
"""
import importlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import install  # noqa: E402
from cluster import SPACE, WRITES, Cluster, built, what  # noqa: E402
from daemon import USER, Daemon  # noqa: E402
from proxy import Proxy  # noqa: E402


class Suite:
    """What one test sees."""

    def __init__(self, plimsoll, **cluster):
        self.plimsoll = str(pathlib.Path(plimsoll).resolve())
        self.cluster = Cluster(**cluster)
        self.admin = self.cluster.admin
        self.kubectl = self.cluster.kubectl
        self.namespace = self.name = None
        self.daemons, self.proxies, self.others = [], [], []
        install.deploy(self.cluster, self.plimsoll)

    def begin(self, number, name):
        self.name = name
        self.namespace = f"t{number}-{name.replace('_', '-')}"[:40].rstrip("-")
        self.folder = self.cluster.folder / self.namespace
        self.folder.mkdir()
        self.admin.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                                 "metadata": {"name": self.namespace}})
        self.mark = self.cluster.mark()

    def end(self):
        """Takes away what the test made; the next one must find an empty cluster."""
        refused = {what(one) for suite in (self, *self.others) for one in suite.our_calls()
                   if one.get("responseStatus", {}).get("code") == 403}
        for suite in (*self.others, self):
            for one in suite.daemons:
                one.kill()
            for one in suite.proxies:
                one.stop()
        for one in self.others:
            one.cluster.down()
        self.admin.delete(f"/api/v1/namespaces/{self.namespace}")
        self.daemons, self.proxies, self.others = [], [], []
        install.sweep(self.admin)
        assert not refused, f"calls that the generated roles do not allow: {sorted(refused)}"

    def other(self, **cluster):
        """A cluster of the test's own, with a namespace: as this object, but taken down with the test."""
        one = Suite(self.plimsoll, **cluster)
        self.others.append(one)
        self.others[-1].begin(0, self.name)
        return one

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
        for one in self.others:
            yield from one.report()


def tests(names):
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        for name, one in vars(module).items():
            if name.startswith("test_") and callable(one):
                full = f"{path.stem[5:]} {name[5:]}"
                if not names or any(part in full for part in names):
                    yield full, one


def main(plimsoll, names):
    chosen = list(tests(names))
    print(f"1..{len(chosen)}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    built("tools")
    begin = time.monotonic()
    suite = Suite(plimsoll)
    print(f"# the cluster is up after {time.monotonic() - begin:.1f} s", flush=True)
    failed = 0
    try:
        for number, (name, test) in enumerate(chosen, 1):
            begin = time.monotonic()
            trouble = []
            try:
                suite.begin(number, test.__name__[5:])
                test(suite)
            except Exception:  # one test's failure is told and does not end the others
                trouble = traceback.format_exc().splitlines() + list(suite.report())
            try:
                suite.end()
            except Exception:
                trouble += traceback.format_exc().splitlines()
            failed += bool(trouble)
            print(f"{'not ok' if trouble else 'ok'} {number} - {name}")
            print(f"# {time.monotonic() - begin:.1f} s", *(f"# {line}" for line in trouble), sep="\n",
                  flush=True)
    finally:
        if os.environ.get("PLM_E2E_KEEP"):
            shutil.copytree(suite.cluster.folder, os.environ["PLM_E2E_KEEP"], dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("etcd"))
        suite.cluster.down()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
