"""The real control plane, once per suite: tests/e2e/cluster/kcluster, with free ports and its state in a
temporary folder, taken down however the suite ends."""
import base64
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from kube import Kube, until

HERE = pathlib.Path(__file__).resolve().parent
PARTS = "etcd apiserver controllers scheduler kwok"
SPACE = "plimsoll-system"  # where our service account lives
WRITES = {"create", "update", "patch", "delete", "deletecollection"}


def built(what):
    """The folder of programs, built where it is missing."""
    done = subprocess.run([HERE / "build.sh", what], stdout=subprocess.PIPE, text=True, check=True)
    return pathlib.Path(done.stdout.strip())


def free_ports(count):
    """The first of so many ports in a row that nobody listens on."""
    for first in range(20000 + os.getpid() % 500 * 20, 60000, count):
        held = []
        try:
            for port in range(first, first + count):
                one = socket.socket()
                held.append(one)
                one.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for one in held:
                one.close()
    raise AssertionError("no free ports")


def guard(command, env, folder):
    """Runs command when this process is gone, even by SIGKILL; returns what ends the guard before that."""
    ours, theirs = os.pipe()
    script = 'read -r line <&3; [ "$line" = done ] && exit; "$@"; rm -rf "$FOLDER"'
    subprocess.Popen(["bash", "-c", f"exec 3<&{ours}; {script}", "guard", *map(str, command)],
                     env={**env, "FOLDER": str(folder)}, pass_fds=[ours], start_new_session=True,
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(ours)
    return theirs


class Cluster:
    """etcd, API server, controllers, scheduler and kwok; .admin may do everything."""

    def __init__(self, parts=PARTS, apiserver=(), controllers=(), scheduler=(), environment=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-e2e-"))
        self.bin = built("cluster")
        self.state = self.folder / "state"
        self.audit_file = self.folder / "audit.log"
        flags = [f"--audit-policy-file={HERE}/audit-policy.yaml", f"--audit-log-path={self.audit_file}",
                 *apiserver]
        self.env = {**os.environ, "STATE": str(self.state), "BIN": str(self.bin),
                    "PORT": str(free_ports(6)), "PARTS": parts, "APISERVER_FLAGS": " ".join(flags),
                    "CONTROLLERS_FLAGS": " ".join(controllers), "SCHEDULER_FLAGS": " ".join(scheduler),
                    **(environment or {})}
        self.kcluster = HERE / "cluster" / "kcluster"
        self.guard = guard([self.kcluster, "down"], self.env, self.folder)
        try:
            self.up()
        except BaseException:
            self.down()
            raise

    def up(self, parts=None):
        env = {**self.env, "PARTS": parts} if parts else self.env
        subprocess.run([self.kcluster, "up"], env=env, check=True, stdout=subprocess.DEVNULL)
        self.kubeconfig = self.state / "admin.kubeconfig"
        self.server = f"https://127.0.0.1:{self.env['PORT']}"
        self.ca = self.state / "pki" / "apiserver.crt"
        self.admin = Kube(self.kubeconfig)

    def down(self):
        subprocess.run([self.kcluster, "down"], env=self.env, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.write(self.guard, b"done\n")
        os.close(self.guard)
        shutil.rmtree(self.folder, ignore_errors=True)

    def pid(self, part):
        return int((self.state / f"{part}.pid").read_text(encoding="utf-8"))

    def kill(self, part):
        os.kill(self.pid(part), signal.SIGKILL)

    def cpu_seconds(self, part):
        return cpu_seconds(self.pid(part))

    def kubectl(self, *words, stdin=None, want=0):
        """What kubectl prints, as the admin; a dict or list on stdin goes as JSON."""
        if isinstance(stdin, (dict, list)):
            stdin = json.dumps(stdin)
        done = subprocess.run([self.bin / "kubectl", *map(str, words)], input=stdin, text=True,
                              env={**self.env, "KUBECONFIG": str(self.kubeconfig)},
                              capture_output=True, check=False, timeout=120)
        if want is not None and done.returncode != want:
            raise AssertionError(f"kubectl {' '.join(map(str, words))}: exit {done.returncode}\n"
                                 f"{done.stdout[-1500:]}\n{done.stderr[-2500:]}")
        return done.stdout if want is not None else done.stdout + done.stderr

    def apply(self, *objects):
        """Any documents (dicts or YAML text), as kubectl apply does it."""
        for one in objects:
            text = one if isinstance(one, str) else json.dumps(one)
            self.kubectl("apply", "-f", "-", stdin=text)

    def account(self, name, folder, server=None, ca=None):
        """A kubeconfig of a service account, which RBAC limits and which APF does not exempt."""
        self.kubectl("apply", "-f", "-", stdin={
            "apiVersion": "v1", "kind": "List", "items": [
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}},
                {"apiVersion": "v1", "kind": "ServiceAccount",
                 "metadata": {"name": name, "namespace": SPACE}}]})
        answer = self.admin.create(
            f"/api/v1/namespaces/{SPACE}/serviceaccounts/{name}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"expirationSeconds": 7200}})
        return write_kubeconfig(pathlib.Path(folder) / f"{name}.kubeconfig", server or self.server,
                                ca or self.ca, answer["status"]["token"])

    def node(self, name, cpu="16", memory="64Gi", labels=None, **spec):
        """A node that kwok makes Ready."""
        size = {"cpu": cpu, "memory": memory, "pods": "110"}
        self.admin.create("/api/v1/nodes", {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "spec": spec, "status": {"capacity": size, "allocatable": size}})

    def mark(self):
        """A place in the audit log, for writes()."""
        return self.audit_file.stat().st_size if self.audit_file.exists() else 0

    def audit(self, mark=0, user=None):
        """Audit entries since a mark, of users whose name has `user` in it."""
        found = []
        if not self.audit_file.exists():
            return found
        with open(self.audit_file, "rb") as file:
            file.seek(mark)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                entry = json.loads(line)
                if user is None or user in entry["user"]["username"]:
                    found.append(entry)
        return found

    def writes(self, mark=0, user=None):
        return [one for one in self.audit(mark, user) if one["verb"] in WRITES]


def write_kubeconfig(path, server, ca, token):
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "e2e",
        "clusters": [{"name": "e2e", "cluster": {"server": server, "certificate-authority": str(ca)}}],
        "users": [{"name": "e2e", "user": {"token": token}}],
        "contexts": [{"name": "e2e",
                      "context": {"cluster": "e2e", "user": "e2e", "namespace": SPACE}}]}
    path.write_text(json.dumps(config), encoding="utf-8")
    path.chmod(0o600)
    return path


def what(entry):
    """An audit entry in words: "patch workloads/status a/b"."""
    ref = entry.get("objectRef", {})
    resource = ref.get("resource", "") + (f"/{ref['subresource']}" if ref.get("subresource") else "")
    name = "/".join(part for part in (ref.get("namespace"), ref.get("name")) if part)
    return f"{entry['verb']} {resource} {name}"


def cpu_seconds(pid):
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid, key="VmHWM"):
    """MiB of a process: VmHWM is the most it had, VmRSS what it has, RssAnon what is its own."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(rf"^{key}:\s+(\d+) kB", text, re.MULTILINE)[1]) / 1024
