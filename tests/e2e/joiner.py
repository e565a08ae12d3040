"""EC2's hypervisor, the boot scripts, the kubelet and the cloud controller manager in one: a running instance of moto
joins the cluster with what its user data says, and the Node of one that ended is taken away."""
import base64
import csv
import email
import re
import shlex
import threading
import time
import tomllib
import traceback

import yaml

from aws import ROOT, AwsError
from kube import ApiError

TYPES = ROOT / "data" / "ec2" / "ec2-instance-types.csv"
ARCH = {"x86_64": "amd64", "arm64": "arm64"}


def taint(text):
    """key=value:Effect as a flag has it."""
    left, _, effect = text.rpartition(":")
    key, _, value = left.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}


def flags(words):
    """(labels, taints) of the kubelet's flags; max-pods as a third."""
    labels, taints, pods = {}, [], None
    for word in words:
        name, _, value = word.partition("=")
        if name == "--node-labels":
            labels |= dict(one.split("=", 1) for one in value.split(",") if one)
        elif name == "--register-with-taints":
            taints += [taint(one) for one in value.split(",") if one]
        elif name == "--max-pods":
            pods = int(value)
    return labels, taints, pods


def node_config(text):
    """nodeadm's NodeConfig: AL2023."""
    kubelet = ((yaml.safe_load(text) or {}).get("spec") or {}).get("kubelet") or {}
    labels, taints, pods = flags([word for one in kubelet.get("flags") or [] for word in shlex.split(one)])
    config = kubelet.get("config") or {}
    return labels, taints + (config.get("registerWithTaints") or []), config.get("maxPods", pods)


def bootstrap(text):
    """/etc/eks/bootstrap.sh of AL2 and Ubuntu."""
    words = shlex.split(text[text.index("/etc/eks/bootstrap.sh"):].replace("\\\n", " ").split("\n", 1)[0])
    extra = words[words.index("--kubelet-extra-args") + 1] if "--kubelet-extra-args" in words else ""
    return flags(shlex.split(extra))


def bottlerocket(text):
    """Settings as TOML."""
    settings = tomllib.loads(text).get("settings", {}).get("kubernetes", {})
    taints = [taint(f"{key}={one}") for key, values in settings.get("node-taints", {}).items() for one in values]
    return settings.get("node-labels", {}), taints, settings.get("max-pods")


def parts(text):
    """The parts of MIME user data; what is not MIME is one."""
    if not text.lstrip().startswith(("MIME-Version", "Content-Type: multipart")):
        return [text]
    message = email.message_from_string(text)
    return [one.get_payload(decode=True).decode() for one in message.walk() if not one.is_multipart()]


def boots(text):
    """What a kubelet starts with: labels, taints, most pods. Of several parts the later wins."""
    labels, taints, pods = {}, [], None
    for part in parts(text):
        if "node.eks.aws/" in part:
            found = node_config(part)
        elif "/etc/eks/bootstrap.sh" in part:
            found = bootstrap(part)
        elif re.search(r"^\[settings", part, re.MULTILINE):
            found = bottlerocket(part)
        else:
            continue
        labels, taints, pods = labels | found[0], taints + found[1], found[2] or pods
    return labels, taints, pods


class Joiner:
    """A thread that looks at moto a few times a second; .pause and .boot (seconds) may be set at any time."""

    def __init__(self, aws, admin, boot=0.3):
        self.aws, self.admin, self.boot = aws, admin, boot
        self.pause = self.over = False
        self.joined, self.since, self.trouble, self.broken = {}, {}, [], set()
        with open(TYPES, encoding="utf-8") as file:
            self.types = {row["name"]: row for row in csv.DictReader(file)}
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def stop(self):
        self.over = True
        self.thread.join(20)

    def forget(self):
        """The instances are gone as if they had never been, and so is what is remembered of them."""
        with self.lock:
            self.joined, self.since, self.trouble, self.broken = {}, {}, [], set()

    def work(self):
        while not self.over:
            try:
                with self.lock:
                    if not self.pause:
                        self.round()
            except (ApiError, AwsError, OSError):
                pass  # the API server or moto is away for a moment: again
            except Exception:  # a mistake in the user data, say: a test looks at it
                self.trouble.append(traceback.format_exc())
            time.sleep(0.25)

    def round(self):
        here = {one["instanceId"]: one for one in self.aws.instances("running")}
        for number, one in here.items():
            began = self.since.setdefault(number, time.monotonic())
            if number not in self.joined and number not in self.broken and time.monotonic() - began >= self.boot:
                self.join(one)
        for number in [number for number in self.joined if number not in here]:
            self.leave(self.joined[number])
            del self.joined[number]

    def leave(self, name):
        """Its kubelet says nothing any more, so it is not ready; then the cloud controller manager deletes it."""
        path = f"/api/v1/nodes/{name}"
        if self.admin.find(path):
            self.admin.merge(path, {"metadata": {"annotations": {"e2e/off": "gone"}}})
            self.admin.call("PATCH", f"{path}/status", {"status": {"conditions": [{
                "type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown",
                "message": "Kubelet stopped posting node status."}]}}, "application/strategic-merge-patch+json")
            self.admin.delete(path)

    def user_data(self, number):
        answer = self.aws.ec2("DescribeInstanceAttribute", InstanceId=number, Attribute="userData")
        return base64.b64decode(answer["userData"]["value"]).decode() if answer.get("userData") else ""

    def join(self, one):
        labels, taints, pods = boots(self.user_data(one["instanceId"]))
        name, kind, zone = one["privateDnsName"], one["instanceType"], one["placement"]["availabilityZone"]
        capacity, allocatable = self.sizes(kind, pods)
        path = f"/api/v1/nodes/{name}"
        if self.admin.find(path) is None:
            self.admin.create("/api/v1/nodes", {
                "apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name, "labels": {
                    "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                    "kubernetes.io/arch": ARCH[one.get("architecture", "x86_64")],
                    "node.kubernetes.io/instance-type": kind, "topology.kubernetes.io/zone": zone,
                    "topology.kubernetes.io/region": zone[:-1], **labels}},
                "spec": {"providerID": f"aws:///{zone}/{one['instanceId']}", "taints": taints},
                "status": {"capacity": capacity, "allocatable": allocatable}})
        self.joined[one["instanceId"]] = name

    def sizes(self, kind, pods):
        """Capacity and allocatable as a kubelet tells them, a little more than what is estimated ahead."""
        row = self.types[kind]
        pods = pods or int(row["max_enis"]) * (int(row["ipv4_per_eni"]) - 1) + 2
        cpu, memory = int(row["vcpu"]), int(row["memory_mib"]) * 94 // 100
        devices = {name: row[column] for name, column in (
            ("nvidia.com/gpu", "gpus"), ("aws.amazon.com/neuron", "neuron_devices")) if row[column] != "0"}
        common = {"pods": str(pods), **devices}
        capacity = {"cpu": str(cpu), "memory": f"{memory}Mi", "ephemeral-storage": "20Gi", **common}
        return capacity, {"cpu": f"{cpu * 1000 - 80 - cpu * 3}m", "memory": f"{memory - 355 - 11 * pods}Mi",
                          "ephemeral-storage": "18Gi", **common}
