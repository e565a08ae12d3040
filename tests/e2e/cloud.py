"""A cluster whose nodes come from AWS: a control plane, moto behind its proxy, and what joins instances."""
import json

from aws import Aws
from joiner import Joiner
from kube import until
from objects import node_class, node_pool, one_of
from suite import Suite

# Types that there are: few, so that a start of moto's, ours and each restart is quick.
TYPES = "(m5|c5|r5|m6g|g5|g4dn)[.](large|x?large|[0-9]+xlarge)"


class CloudSuite(Suite):
    """The shared place of cloud_*.py. Each test begins with an account that was just made."""

    def __init__(self, plimsoll, **options):
        super().__init__(plimsoll, **options)
        self.aws = self.joiner = None
        try:
            self.aws = Aws(self.cluster.folder / "aws")
            self.joiner = Joiner(self.aws, self.admin)
        except BaseException:
            self.down()
            raise
        self.used = False

    def begin(self, number, name):
        super().begin(number, name)
        if self.used:
            self.aws.renew()
        self.used = True
        self.aws.proxy.set(types=TYPES)
        self.joiner.forget()
        self.joiner.pause = False
        self.known_as(self.aws.environment())

    def end(self):
        trouble = list(self.joiner.trouble)
        self.end_processes()
        with self.joiner.lock:
            self.joiner.pause = True
        super().end()
        assert not trouble, trouble[0]
        assert "NotImplementedError" not in self.aws.log(), self.aws.log()[-3000:]

    def down(self):
        if self.joiner:
            self.joiner.stop()
        if self.aws:
            self.aws.stop()
        super().down()

    def report(self):
        yield from super().report()
        for one in self.aws.proxy.log()[-25:]:
            yield f"{one['action']} {one['status']} {one.get('code', '')} {one.get('fault', '')}"

    def known_as(self, environment):
        """By which credentials daemons find AWS from now on."""
        self.cloud = {"cloud": "ec2", "env": self.aws.settings(environment)}

    # ---- what tests ask ------------------------------------------------------------------------

    def nodes(self):
        return {one["metadata"]["name"]: one for one in self.admin.items("/api/v1/nodes")}

    def running(self):
        """Instances that there are, by id."""
        return {one["instanceId"]: one for one in self.aws.instances("pending", "running")}

    def launched(self):
        """Instances that came to be at all, as the token store knows; each by its own token."""
        rows = self.aws.proxy.tokens("CreateFleet", "RunInstances")
        assert all(row["executed"] == 1 and len(row["instances"]) <= 1 for row in rows), rows
        return [one for row in rows for one in row["instances"]]

    def pool(self, types=("m5.xlarge",), after="1s", policy="WhenEmpty", **more):
        """The account's class, and a pool of those types whose empty nodes go after a while."""
        self.cluster.apply(node_class(self.aws, more.pop("instance_profile", None)), node_pool(
            requirements=[one_of("node.kubernetes.io/instance-type", *types), *more.pop("requirements", ())],
            disruption={"consolidationPolicy": policy, "consolidateAfter": after, "budgets": [{"nodes": "100%"}]},
            **more))

    def gone(self, seconds=40):
        """Waits until nothing is left that costs money."""
        until("all instances are gone", lambda: not self.running(), seconds, 0.3)
        until("all nodes are gone", lambda: not self.nodes(), seconds, 0.3)
        until("all claims are gone", lambda: not self.claims(), seconds, 0.3)

    def claims(self):
        return self.admin.items("/apis/karpenter.sh/v1/nodeclaims")

    def pod(self, name, cpu="1", **spec):
        """A pod that runs until it is deleted."""
        self.admin.create(f"/api/v1/namespaces/{self.namespace}/pods", {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [{"name": "main", "image": "none",
                                     "resources": {"requests": {"cpu": cpu}}}], **spec}})

    def phases(self):
        return {one["metadata"]["name"]: one["status"].get("phase")
                for one in self.admin.items(f"/api/v1/namespaces/{self.namespace}/pods")}

    def settled(self, daemon):
        """After a test, the daemon being down: the log replays; each launch that it knows as done is one instance of
        the token store and the other way round; no request was repeated with other words."""
        daemon.replay()
        rows = self.aws.proxy.tokens("CreateFleet", "RunInstances")
        assert all(row["executed"] == 1 and len(row["instances"]) <= 1 and not row["mismatches"] for row in rows), rows
        done = launches(daemon)
        assert len(done) == len(set(done)) and set(done) == set(self.launched()), (sorted(done), rows)


def launches(daemon):
    """Instances that launch intents of the log led to, as answers or, where those were lost, lists told it."""
    intents = {row["seq"] for row in events(daemon, "Intent") if row["payload"]["call"] == "instance.launch"}
    told = [row["payload"] for row in events(daemon, "Result") if row["payload"]["class"] == "done"]
    found = {}
    for row in told + [row["payload"] for row in events(daemon, "INSTANCE")]:
        if row.get("intent") in intents and row.get("providerId"):
            found.setdefault(row["intent"], set()).add(row["providerId"].rpartition("/")[2])
    assert all(len(one) == 1 for one in found.values()), found
    return [one for some in found.values() for one in some]


def events(daemon, kind):
    text = daemon.cli("log", "show", "--type", kind, "-o", "jsonl")
    return [json.loads(line) for line in text.splitlines()]
