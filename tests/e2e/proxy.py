"""The fault proxy (tests/e2e/tools/faultproxy) between a client and the API server."""
import json
import pathlib
import subprocess
import tempfile
import urllib.request

from cluster import built
from kube import until


class Proxy:
    """One proxy process; .server and .ca are what a kubeconfig needs."""

    def __init__(self, cluster):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="proxy-", dir=cluster.folder))
        # Its stdin is a pipe of ours: it ends when this process does.
        self.process = subprocess.Popen(
            [built("tools") / "faultproxy", "-target", cluster.server, "-ca", cluster.ca,
             "-folder", self.folder], stdin=subprocess.PIPE)
        ports = self.folder / "proxy.json"
        until("the proxy listens", ports.exists, 10, 0.01)
        numbers = json.loads(ports.read_text(encoding="utf-8"))
        self.control = f"http://127.0.0.1:{numbers['control']}"
        self.server = f"https://127.0.0.1:{numbers['port']}"
        self.ca = self.folder / "proxy.crt"

    def _control(self, method, path, body=None):
        request = urllib.request.Request(self.control + path, method=method,
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def rules(self, *rules):
        """The rules from now on; each is what tools/faultproxy/rules.go says."""
        self._control("POST", "/rules", list(rules))

    def counts(self):
        """{rule's name: how often its action was done}"""
        return {one["name"]: one["taken"] for one in self._control("GET", "/rules") or []}

    def log(self):
        return self._control("GET", "/log") or []

    def forget(self):
        self._control("DELETE", "/log")

    def cut(self):
        """Resets every open connection, watches too."""
        self._control("POST", "/cut")

    def stop(self):
        self.process.stdin.close()
        self.process.wait(10)
