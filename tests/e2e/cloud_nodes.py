"""What stands in for EC2's machines and their kubelets, alone: user data of each kind becomes a Node."""
import base64
import json

from joiner import boots
from kube import condition, until
from aws import ROOT

WANT = ROOT / "tests" / "unit" / "adapters" / "ec2"
UNREGISTERED = {"key": "karpenter.sh/unregistered", "effect": "NoExecute"}


def user_data(name):
    """The user data of a golden file of the templates."""
    text = (WANT / f"{name}.want").read_text(encoding="utf-8")
    return json.loads(text[text.index("\n{") + 1:])["UserData"]


def launch(aws, text, kind="m5.large"):
    aws.ec2("CreateLaunchTemplate", LaunchTemplateName="plimsoll/t", LaunchTemplateData={
        "ImageId": "ami-00000000000000001", "UserData": base64.b64encode(text.encode()).decode()})
    answer = aws.ec2("CreateFleet", Type="instant", LaunchTemplateConfigs=[{
        "LaunchTemplateSpecification": {"LaunchTemplateName": "plimsoll/t", "Version": "$Latest"},
        "Overrides": [{"InstanceType": kind, "SubnetId": aws.subnets["us-west-2b"]}]}],
        TargetCapacitySpecification={"TotalTargetCapacity": 1, "DefaultTargetCapacityType": "on-demand"})
    return answer["fleetInstanceSet"][0]["instanceIds"][0]


def test_user_data_is_understood(e2e):
    """Each family's user data says the same labels and taints to whoever boots by it."""
    for name in ("al2", "al2023", "al2023-mime", "al2023-yaml", "bottlerocket", "ubuntu"):
        labels, taints, _ = boots(user_data(name))
        assert labels["karpenter.sh/nodepool"] == "p", (name, labels)
        assert UNREGISTERED["key"] in [one["key"] for one in taints], (name, taints)
    assert boots("#!/bin/sh\n") == ({}, [], None)


def test_an_instance_joins(e2e):
    """Its Node has the labels and taints of its user data and is Ready; it is gone when the instance is."""
    number = launch(e2e.aws, user_data("al2023"))
    node = until("the node is ready", lambda: next(
        (one for one in e2e.nodes().values() if condition(one, "Ready").get("status") == "True"), None))
    assert node["spec"]["providerID"] == f"aws:///us-west-2b/{number}"
    assert node["metadata"]["name"] == e2e.running()[number]["privateDnsName"]
    assert node["metadata"]["labels"]["karpenter.sh/nodepool"] == "p"
    assert node["metadata"]["labels"]["node.kubernetes.io/instance-type"] == "m5.large"
    assert UNREGISTERED in [{"key": one["key"], "effect": one["effect"]} for one in node["spec"]["taints"]]
    assert node["status"]["capacity"]["cpu"] == "2" and node["status"]["capacity"]["pods"] == "29"
    e2e.aws.ec2("TerminateInstances", InstanceId=[number])
    until("the node is gone", lambda: not e2e.nodes())
