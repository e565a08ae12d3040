"""
A pod of the API server run as a kubelet would: the container's arguments, environment and mounts, the account's token, and the
image's root file system in a sandbox. Volumes are folders that outlive the pod, as a PersistentVolume does.
"""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "deploy"))

from sandbox import Sandbox  # noqa: E402

TOKEN = "/run/secrets/kubernetes.io/serviceaccount"  # /var/run is a link


def image(plimsoll, folder):
    subprocess.run([sys.executable, "-B", ROOT / "deploy" / "image" / "rootfs.py", plimsoll, folder], check=True)
    return folder


class Pod:
    """One start of a pod's spec. volumes: a folder for each claim, kept from start to start."""

    def __init__(self, cluster, rootfs, folder, pod, volumes):
        self.cluster, self.folder, self.volumes = cluster, pathlib.Path(folder), pathlib.Path(volumes)
        self.folder.mkdir()
        self.namespace, spec = pod["metadata"]["namespace"], pod["spec"]
        self.container = spec["containers"][0]
        mounts = {TOKEN: (self.token(spec["serviceAccountName"]), False)}
        sources = {one["name"]: one for one in spec["volumes"]}
        for mount in self.container["volumeMounts"]:
            if mount["name"].startswith("kube-api-access"):
                continue  # what the admission adds for the token
            mounts[mount["mountPath"]] = (self.volume(sources[mount["name"]]), not mount.get("readOnly"))
        self.box = Sandbox(rootfs, self.folder / "box", mounts)
        host, _, port = cluster.server.rpartition("/")[2].partition(":")
        self.env = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port,
                    **{one["name"]: one.get("value", "") for one in self.container.get("env", [])}}
        self.process = None

    def token(self, account):
        answer = self.cluster.admin.create(
            f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{account}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3607}})
        folder = self.folder / "account"
        folder.mkdir()
        (folder / "token").write_text(answer["status"]["token"], encoding="ascii")
        (folder / "namespace").write_text(self.namespace, encoding="ascii")
        shutil.copy(self.cluster.ca, folder / "ca.crt")
        for path in folder.iterdir():
            path.chmod(0o644)
        return folder

    def volume(self, source):
        name = source["name"]
        if "persistentVolumeClaim" in source:
            folder = self.volumes / source["persistentVolumeClaim"]["claimName"]
            folder.mkdir(exist_ok=True)
            return folder
        folder = self.folder / f"volume-{name}"
        folder.mkdir()
        if "configMap" in source:
            found = self.cluster.admin.get(
                f"/api/v1/namespaces/{self.namespace}/configmaps/{source['configMap']['name']}")
            for file, text in found.get("data", {}).items():
                (folder / file).write_text(text, encoding="utf-8")
        else:
            assert "emptyDir" in source, source
        return folder

    def start(self):
        with open(self.folder / "out", "wb") as out:
            self.process = self.box.start(self.container["args"], self.env, stdout=out, stderr=out)
        return self

    def lines(self):
        text = (self.folder / "out").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]

    def tail(self):
        return (self.folder / "out").read_text(encoding="utf-8")[-3000:]

    def probe(self, name):
        """(code, text) of a probe of the container."""
        http = self.container[name]["httpGet"]
        return self.get(http["port"], http["path"])

    def get(self, port, path, token=None):
        number = next(one["containerPort"] for one in self.container["ports"] if one["name"] == port)
        request = urllib.request.Request(f"http://127.0.0.1:{number}{path}",
                                         headers={"Authorization": f"Bearer {token}"} if token else {})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")
        except OSError:
            return 0, ""

    def ready(self):
        assert self.process.poll() is None, f"it ended with {self.process.returncode}: {self.tail()}"
        return self.probe("readinessProbe")[0] == 200

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        assert code == 0, f"exit {code} on SIGTERM: {self.tail()}"

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(20)

    def cli(self, *words):
        """A verb of the image's program, in the same sandbox."""
        return self.box.run(*words)[0]
