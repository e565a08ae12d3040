"""Kueue's and Karpenter's own programs beside the cluster, outside any pod (tests/e2e/cluster/peers)."""
import base64
import os
import pathlib
import re
import signal
import subprocess
import urllib.request

from cluster import built, free_ports, write_kubeconfig
from kube import until

HERE = pathlib.Path(__file__).resolve().parent
KUEUE_SPACE = "kueue-system"


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


class Peer:
    """A process that ends with this one."""

    process = None

    def launch(self, command, env, folder):
        with open(folder / "peer.log", "wb") as log:
            self.process = subprocess.Popen(list(map(str, command)), env=env, stdout=log, stderr=log,
                                            preexec_fn=die_with_parent)
        self.log = folder / "peer.log"

    @property
    def pid(self):
        return self.process.pid

    def await_ready(self, url, seconds=60):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the peer ended: {self.log.read_text()[-2000:]}")
            return answers(url)
        until("the peer is ready", ready, seconds)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(20)


class Kueue(Peer):
    """Kueue's manager with its own CRDs, webhooks and rights, as its service account.

    Its webhooks are Services; one of type ExternalName `localhost` leads the API server to the loopback.
    """

    user = f"system:serviceaccount:{KUEUE_SPACE}:kueue-controller-manager"

    def __init__(self, cluster, folder, qps=300, burst=500):
        self.cluster, self.folder = cluster, pathlib.Path(folder)
        self.ports = free_ports(4)
        self.programs = built("kueue")
        (self.folder / "certs").mkdir(parents=True)
        self.install()
        settings = (HERE / "cluster/peers/kueue.yaml").read_text(encoding="utf-8")
        for name, value in (("CERTS", self.folder / "certs"), ("HEALTH", self.ports),
                            ("METRICS", self.ports + 1), ("WEBHOOK", self.ports + 2), ("QPS", qps),
                            ("BURST", burst)):
            settings = settings.replace(name, str(value))
        (self.folder / "kueue.yaml").write_text(settings, encoding="utf-8")
        token = cluster.admin.create(
            f"/api/v1/namespaces/{KUEUE_SPACE}/serviceaccounts/kueue-controller-manager/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"expirationSeconds": 36000}})["status"]["token"]
        kubeconfig = write_kubeconfig(self.folder / "kubeconfig", cluster.server, cluster.ca, token)
        self.launch([self.programs / "kueue", f"--config={self.folder}/kueue.yaml",
                     f"--kubeconfig={kubeconfig}", "--zap-log-level=1",
                     "--feature-gates=VisibilityOnDemand=false"],
                    {**os.environ, "KUBECONFIG": str(kubeconfig)}, self.folder)
        self.certificate()
        self.await_ready(f"http://127.0.0.1:{self.ports}/readyz", 90)

    def install(self):
        """Its own manifests without the Deployment, the webhooks with this process's port."""
        text = self.cluster.kubectl("kustomize", self.programs / "config/default")
        documents = [one for one in re.split(r"^---\n", text, flags=re.MULTILINE)
                     if not re.search(r"^kind: (Deployment|APIService)$", one, re.MULTILINE)]
        text = re.sub(r"^( *)path: /(mutate|validate|convert).*$",
                      lambda m: f"{m[0]}\n{m[1]}port: {self.ports + 2}", "---\n".join(documents),
                      flags=re.MULTILINE)
        self.cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=text)
        self.cluster.admin.merge(f"/api/v1/namespaces/{KUEUE_SPACE}/services/kueue-webhook-service", {
            "spec": {"type": "ExternalName", "externalName": "localhost", "clusterIP": None,
                     "clusterIPs": None, "ports": None, "selector": None}})

    def certificate(self):
        """In a pod its Secret would be mounted; here it is copied when Kueue has made it."""
        path = f"/api/v1/namespaces/{KUEUE_SPACE}/secrets/kueue-webhook-server-cert"

        def data():
            return (self.cluster.admin.find(path) or {}).get("data", {}).get("tls.crt") and \
                self.cluster.admin.get(path)["data"]
        made = until("Kueue made its certificate", data, 90)
        for name in ("tls.key", "tls.crt", "ca.crt"):
            if name in made:
                (self.folder / "certs" / name).write_bytes(base64.b64decode(made[name]))


class Karpenter(Peer):
    """Karpenter with its kwok cloud: it makes Node objects only, which the cluster's kwok makes Ready."""

    def __init__(self, cluster, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        programs = built("karpenter")
        ports = free_ports(2)
        for crds in ("crds", "kwok-crds"):
            cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", programs / crds)
        cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        env = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), "DISABLE_LEADER_ELECTION": "true",
               "SYSTEM_NAMESPACE": "kube-system", "METRICS_PORT": str(ports),
               "HEALTH_PROBE_PORT": str(ports + 1)}
        self.launch([programs / "karpenter-kwok"], env, self.folder)
        self.await_ready(f"http://127.0.0.1:{ports + 1}/readyz")


class KarpenterAws(Peer):
    """Karpenter for AWS, which finds its AWS (class Aws) by AWS_ENDPOINT_URL."""

    def __init__(self, cluster, folder, aws):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        programs = built("karpenter_aws")
        ports = free_ports(2)
        cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", programs / "crds")
        cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        env = {**aws.settings(), "KUBECONFIG": str(cluster.kubeconfig), "DISABLE_LEADER_ELECTION": "true",
               "SYSTEM_NAMESPACE": "kube-system", "METRICS_PORT": str(ports),
               "HEALTH_PROBE_PORT": str(ports + 1), "KUBE_CLIENT_QPS": "200", "KUBE_CLIENT_BURST": "300"}
        self.launch([programs / "karpenter-aws"], env, self.folder)
        self.await_ready(f"http://127.0.0.1:{ports + 1}/readyz", 120)


def die_with_parent():
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
