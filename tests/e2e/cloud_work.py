"""Pending work leads to instances of AWS, they join, the work runs and ends, and what is empty goes again."""
import time

from cloud import events
from kube import holds, until
from objects import Queues

READS = ("Describe", "Get", "List")


def test_a_gang_runs(e2e):
    """A Job of four pods through a queue: four instances, each asked for once; all gone when it is over."""
    queues = Queues(e2e, cpu="20", nodes=0)
    e2e.pool()
    daemon = e2e.daemon()
    queues.job("gang", cpu="3", count=4, run="2s")
    until("the job is complete", lambda: holds(queues.get_job("gang"), "Complete"), 60, 0.2)
    launched = e2e.launched()
    assert len(launched) == 4, e2e.aws.proxy.tokens()
    e2e.gone()
    daemon.stop()
    assert e2e.launched() == launched, "nothing was launched for the work that was over"
    e2e.settled(daemon)
    fleets = e2e.aws.proxy.log("CreateFleet")
    assert len(fleets) == 4 and {one["status"] for one in fleets} == {200}, fleets
    template = the_template(e2e)
    assert template["imageId"] == "ami-00000000000000001", template
    assert template["metadataOptions"]["httpTokens"] == "required", template


def the_template(e2e):
    """What the only launch template of ours says."""
    rows = e2e.aws.ec2("DescribeLaunchTemplates")["launchTemplates"]
    assert [one["launchTemplateName"].partition("/")[0] for one in rows] == ["plimsoll"], rows
    versions = e2e.aws.ec2("DescribeLaunchTemplateVersions", LaunchTemplateId=rows[0]["launchTemplateId"])
    return versions["launchTemplateVersionSet"][0]["launchTemplateData"]


def test_pods_get_nodes(e2e):
    """Plain pods get nodes that fit them; what they stood on goes once they are deleted."""
    e2e.pool(types=("m5.large", "m5.xlarge", "m5.2xlarge"))
    daemon = e2e.daemon()
    for number in range(3):
        e2e.pod(f"web-{number}", cpu="1500m")
    until("the pods run", lambda: set(e2e.phases().values()) == {"Running"}, 40, 0.2)
    running = e2e.running()
    for node in e2e.nodes().values():
        number = node["spec"]["providerID"].rpartition("/")[2]
        tags = {one["key"]: one["value"] for one in running[number]["tagSet"]}
        assert tags["karpenter.sh/nodepool"] == "default" and tags[f"kubernetes.io/cluster/{e2e.aws.name}"] == "owned"
        assert node["metadata"]["labels"]["karpenter.sh/nodepool"] == "default"
        assert not [one for one in node["spec"].get("taints", []) if one["key"] == "karpenter.sh/unregistered"]
    for number in range(3):
        e2e.admin.delete(f"/api/v1/namespaces/{e2e.namespace}/pods/web-{number}")
    e2e.gone()
    daemon.stop()
    e2e.settled(daemon)


def test_observing_changes_nothing(e2e):
    """Work that waits, and a daemon that may only look: it knows what it could launch, and only reads leave for AWS."""
    e2e.aws.iam("CreateInstanceProfile", InstanceProfileName="nodes")
    e2e.pool(instance_profile="nodes")
    e2e.pod("waits")
    e2e.aws.say("EC2 Instance Rebalance Recommendation", {"instance-id": "i-00000000000000000"})
    daemon = e2e.daemon("--mode", "observe")
    until("the class is known", lambda: events(daemon, "CLASS_STATUS"), 30, 1)
    time.sleep(4)
    asked = {one["action"] for one in e2e.aws.proxy.log()}
    assert all(one.startswith(READS) for one in asked), asked
    assert not e2e.running() and e2e.phases() == {"waits": "Pending"}
    daemon.stop()
    assert not events(daemon, "Intent"), events(daemon, "Intent")
    daemon.replay()
