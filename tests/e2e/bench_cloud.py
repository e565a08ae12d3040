"""The benchmark's part with AWS behind it: launches by Plimsoll and by Karpenter's own binary, which the proxy before
moto answers by itself (tools/awsproxy, "own"). Pods are pending, no kubelet joins; each figure has a cluster of its own.
"""
import collections
import csv
import pathlib
import time

import bulk
import install
from aws import ROOT, Aws
from cluster import Cluster, cpu_seconds, memory
from daemon import USER, Daemon
from kube import holds, until
from objects import node_class, node_pool

TYPES = "(m5|c5|r5)[.]([0-9]*x?large|metal)"
TABLE = ROOT / "data" / "ec2" / "ec2-instance-types.csv"
CLASS = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses/default"
POOL = "/apis/karpenter.sh/v1/nodepools/default"
LAUNCHES = ("CreateFleet", "RunInstances")


def pod(number, cpu):
    """One that the scheduler has said no to."""
    key, obj = bulk.pod("default", number, 1)
    del obj["spec"]["nodeName"], obj["metadata"]["ownerReferences"]
    obj["spec"]["containers"][0]["resources"] = {"requests": {"cpu": str(cpu), "memory": "64Mi"}}
    obj["status"] = {"phase": "Pending", "conditions": [{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": bulk.MADE,
        "message": "0/0 nodes are available"}]}
    return key, obj


class Place:
    """A control plane without schedulers and kubelets, AWS, and an engine that buys nodes there."""

    def __init__(self, plimsoll, engine, requirements=()):
        self.cluster = Cluster(parts="etcd apiserver")
        self.engine, self.process, self.pods, self.needed = engine, None, 0, 0
        with open(TABLE, encoding="utf-8") as file:
            self.cpus = {row["name"]: int(row["vcpu"]) for row in csv.DictReader(file)}
        self.aws = Aws(self.cluster.folder / "aws")
        self.aws.proxy.set(types=TYPES, own=True)
        if engine == "karpenter":
            from peers import KarpenterAws
            self.process = KarpenterAws(self.cluster, self.cluster.folder / "karpenter", self.aws)
        else:
            plimsoll = str(pathlib.Path(plimsoll).resolve())
            install.deploy(self.cluster, plimsoll)
            self.process = Daemon(
                plimsoll, self.cluster.folder / "plimsoll", self.cluster.account(USER, self.cluster.folder),
                "--enforce", "nodes", cloud="ec2", env=self.aws.settings()).start()
        self.cluster.apply(node_class(self.aws), node_pool(requirements=requirements))
        until("the class is ready", lambda: holds(self.cluster.admin.get(CLASS), "Ready"), 60)
        until("the pool is ready", lambda: holds(self.cluster.admin.get(POOL), "Ready"), 60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill() if self.engine == "plimsoll" else self.process.stop()
        self.aws.stop()
        self.cluster.down()

    def launches(self):
        """When each instance was asked for, with success."""
        return sorted(one["at"] for one in self.aws.proxy.log(*LAUNCHES) for _ in one.get("instances", []))

    def room(self):
        """CPUs of what was launched."""
        return sum(self.cpus[kind] for kind in self.aws.proxy.own().values())

    def pending(self, count, cpu):
        """So many pods at once: seconds from the first of them to each launch call, and what making them took."""
        self.aws.proxy.forget()
        begin, used = time.time(), cpu_seconds(self.process.pid)
        bulk.put_each(self.cluster, [pod(self.pods + number, cpu) for number in range(count)])
        made = time.time() - begin
        self.pods += count
        self.needed += count * cpu
        room, before, quiet = self.room(), -1, 0
        while room < self.needed or quiet < 8:  # and no further launch for two seconds
            time.sleep(0.25)
            room = self.room()
            quiet = quiet + 1 if room == before else 0
            before = room
            assert time.time() - begin < 300, f"{room} CPUs for {self.needed}"
        return [one - begin for one in self.launches()], made, cpu_seconds(self.process.pid) - used


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def pending(say, plimsoll, engine, count, times):
    with Place(plimsoll, engine) as place:
        waits, cpu = [], 0.0
        for _ in range(times):
            got, made, used = place.pending(count, 1)
            waits += got
            cpu += used
        records = place.aws.proxy.log()
        most = memory(place.process.pid)
    name = f"{engine}: {count:,} pending pods"
    about = f"{len(waits)} nodes; the pods were made in {made:.2f} s" if times == 1 else f"{times} times"
    say(f"{name}: to launch call, p50", percentile(waits, 0.5), "s", about)
    say(f"{name}: to launch call, p99", percentile(waits, 0.99), "s", f"CPU {cpu:.1f} s, memory {most:.0f} MiB")
    if times == 1:
        told(say, name, records, len(waits))


def told(say, name, records, nodes):
    """What AWS was asked for them."""
    kinds = collections.Counter(one["action"] for one in records)
    say(f"{name}: requests per launched node", len(records) / nodes, "requests",
        ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(7)))


def rate(say, plimsoll, engine, count):
    """A node for each pod: launch calls a second, between the first and the last."""
    small = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["m5.large"]}
    with Place(plimsoll, engine, [small]) as place:
        got, made, used = place.pending(count, 1.5)
        refused = sum(one["status"] != 200 for one in place.aws.proxy.log(*LAUNCHES))
        records = place.aws.proxy.log()
    assert len(got) == count, f"{len(got)} launches for {count} pods"
    name = f"{engine}: {count:,} nodes at once"
    say(f"{name}: launches per second", (count - 1) / (got[-1] - got[0]), "1/s",
        f"the last after {got[-1]:.1f} s; pods made in {made:.1f} s; {refused} refused; CPU {used:.1f} s")
    told(say, name, records, count)


def run(say, plimsoll, engines, short):
    for engine in engines:
        for count, times in ((1, 3), (20, 1)) if short else ((1, 20), (100, 1), (5000, 1)):
            pending(say, plimsoll, engine, count, times)
        rate(say, plimsoll, engine, 20 if short else 500)
