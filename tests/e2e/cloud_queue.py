"""The interruption queue: a spot instance that AWS takes back is replaced before it is gone."""
from kube import until


def test_interrupted(e2e):
    """A warning: another instance is there before the pod leaves the one that is taken back; the message is gone.
    All by a role's keys, which expire meanwhile."""
    e2e.aws.proxy.set(keySeconds=6)
    e2e.known_as(e2e.aws.identity())
    e2e.pool(after="1h")
    daemon = e2e.daemon()
    e2e.cluster.apply(deployment(e2e.namespace))
    until("the pod runs", lambda: list(e2e.phases().values()) == ["Running"], 40, 0.2)
    (first,) = e2e.running()
    for _ in range(2):  # SQS may deliver twice
        e2e.aws.say("EC2 Spot Instance Interruption Warning", {"instance-id": first, "instance-action": "terminate"})
    e2e.aws.say("EC2 Instance Rebalance Recommendation", {"instance-id": "i-00000000000000000"})
    until("it is replaced", lambda: first not in e2e.running() and len(e2e.running()) == 1, 60, 0.3)
    until("the pod runs elsewhere", lambda: list(e2e.phases().values()) == ["Running"], 40, 0.2)
    calls = [one for one in e2e.aws.proxy.log("CreateFleet", "TerminateInstances") if one["status"] == 200]
    assert [one["action"] for one in calls] == ["CreateFleet", "CreateFleet", "TerminateInstances"], calls
    attributes = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    until("the messages are deleted", lambda: set(e2e.aws.sqs(
        "GetQueueAttributes", QueueUrl=e2e.aws.queue, AttributeNames=attributes)["Attributes"].values()) == {"0"}, 20)
    assert len(e2e.aws.proxy.log("AssumeRoleWithWebIdentity")) >= 2
    assert not [one for one in e2e.aws.proxy.log() if one.get("code") == "ExpiredToken"]
    daemon.stop()
    e2e.settled(daemon)


def deployment(namespace):
    labels = {"app": "web"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": namespace},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {"terminationGracePeriodSeconds": 1, "containers": [
                    {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}}}}
