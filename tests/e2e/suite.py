"""What a test of the end-to-end suite sees: a cluster that it shares (Suite), or none (Owner)."""
import os
import pathlib
import shutil
import tempfile

import install
from cluster import SPACE, WRITES, Cluster, what
from daemon import USER, Daemon
from proxy import Proxy


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

    cloud = {}  # what Daemon is told of it

    def daemon(self, *flags, proxy=None, name="daemon", start=True):
        """A daemon with the service account's rights, through the proxy if there is one."""
        folder = self.folder / name
        folder.mkdir()
        where = {"server": proxy.server, "ca": proxy.ca} if proxy else {}
        one = Daemon(self.plimsoll, folder, self.cluster.account(USER, folder, **where), *flags, **self.cloud)
        self.daemons.append(one)
        return one.start() if start else one

    def our_calls(self, mark=None):
        return self.cluster.audit(self.mark if mark is None else mark, f"{SPACE}:{USER}")

    def our_writes(self, mark=None):
        return [one for one in self.our_calls(mark) if one["verb"] in WRITES]

    def report(self):
        for daemon in self.daemons:
            yield from f"{daemon.folder.name}:\n{daemon.tail()}".splitlines()
