"""Node classes: what they come to in the account is said in their status, and a role gets its profile."""
from cloud import events
from kube import condition, holds, until

PATH = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses/default"


def change(e2e, **spec):
    e2e.admin.merge(PATH, {"spec": spec})


def says(e2e, kind, status, reason):
    def found():
        one = condition(e2e.admin.get(PATH), kind)
        return one.get("status") == status and one.get("reason") == reason
    until(f"{kind} is {status} by {reason}", found)


def test_a_class_says_what_it_comes_to(e2e):
    """Everything that it selects; what it lacks by upstream's reasons; at once when it is changed."""
    e2e.pool()
    daemon = e2e.daemon()
    until("the class is ready", lambda: holds(e2e.admin.get(PATH), "Ready"))
    status = e2e.admin.get(PATH)["status"]
    assert {one["id"] for one in status["subnets"]} == set(e2e.aws.subnets.values()), status
    assert all(one["zoneID"] for one in status["subnets"]) and len(status["securityGroups"]) == 1, status
    assert {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]} in status["amis"][0]["requirements"]
    profile = e2e.aws.iam("GetInstanceProfile", InstanceProfileName=status["instanceProfile"])["InstanceProfile"]
    assert [one["RoleName"] for one in profile["Roles"]] == [e2e.aws.role], profile
    change(e2e, subnetSelectorTerms=[{"tags": {"there": "is-none"}}])
    says(e2e, "SubnetsReady", "False", "SubnetsNotFound")
    says(e2e, "Ready", "False", "UnhealthyDependents")
    zone, subnet = sorted(e2e.aws.subnets.items())[0]
    change(e2e, subnetSelectorTerms=[{"id": subnet}], securityGroupSelectorTerms=[{"name": "nobody"}])
    says(e2e, "SubnetsReady", "True", "SubnetsReady")
    says(e2e, "SecurityGroupsReady", "False", "SecurityGroupsNotFound")
    assert [one["zone"] for one in e2e.admin.get(PATH)["status"]["subnets"]] == [zone]
    change(e2e, securityGroupSelectorTerms=[{"tags": {"karpenter.sh/discovery": "*"}}],
           amiSelectorTerms=[{"alias": "al2@latest"}])
    says(e2e, "SecurityGroupsReady", "True", "SecurityGroupsReady")
    says(e2e, "AMIsReady", "False", "UnsupportedAlias")
    daemon.stop()
    daemon.replay()


def test_observing_makes_no_profile(e2e):
    """The class is looked up, so that decisions can be compared, and nothing is written anywhere."""
    e2e.pool()
    e2e.cluster.apply({"apiVersion": "karpenter.sh/v1alpha5", "kind": "NodeTemplate", "metadata": {"name": "ubuntu"},
                       "spec": {"amiFamily": "Ubuntu22.04"}})
    daemon = e2e.daemon("--mode", "observe")

    def looked_up():
        return {one["payload"]["name"]: one["payload"] for one in events(daemon, "class_status")}
    until("both were looked up", lambda: len(looked_up()) == 2)
    assert not any(one.get("notReady") for one in looked_up().values()), looked_up()
    assert [one["name"] for one in looked_up()["ubuntu"]["images"]] == [
        f"ubuntu-eks-{machine}-standard-1.37-v20260101" for machine in ("x86_64", "arm64")], looked_up()
    assert "status" not in e2e.admin.get(PATH), e2e.admin.get(PATH)
    daemon.stop()
    asked = {one["action"] for one in e2e.aws.proxy.log()}
    assert asked and all(one.startswith(("Describe", "Get", "List", "Assume")) for one in asked), asked
