"""The manifests of examples/samples-feasible.yaml, applied by kubectl as a user would, on nodes from AWS."""
import yaml

from aws import ROOT
from kube import until

SPACES = ("dev-team", "data-science-dev", "data-science-prod", "production")


def test_samples_run(e2e):
    """Queues, templates, pools, a Deployment and two PodSets of eight GPUs: all of it runs, the PodSets to their end."""
    text = (ROOT / "examples" / "samples-feasible.yaml").read_text(encoding="utf-8")
    documents = [one for one in yaml.safe_load_all(text) if one["kind"] != "Scenario"]
    e2e.cluster.apply(*({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": one}} for one in SPACES))
    daemon = e2e.daemon()
    try:
        e2e.kubectl("apply", "-f", "-", stdin={"apiVersion": "v1", "kind": "List", "items": documents})
        until("the web service runs", lambda: phases(e2e, "production") == ["Running"] * 10, 60, 0.3)
        until("the training is over", lambda: phases(e2e, "data-science-prod") == ["Succeeded"] * 2, 60, 0.3)
        kinds = {one["instanceType"] for one in e2e.aws.instances("running", "terminated")}
        assert "g5.48xlarge" in kinds and kinds & {"m5.xlarge", "m5.2xlarge"}, kinds
    finally:
        for one in SPACES:
            e2e.admin.delete(f"/api/v1/namespaces/{one}")
    until("nothing of it is left to run", lambda: not any(phases(e2e, one) for one in SPACES), 40, 0.3)
    daemon.stop()
    e2e.settled(daemon)


def phases(e2e, namespace):
    return [one["status"].get("phase") for one in e2e.admin.items(f"/api/v1/namespaces/{namespace}/pods")]
