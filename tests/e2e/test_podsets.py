"""PodSets, the simple dialect's own kind: pods are made, run and counted by us."""
import truth
from kube import until
from objects import Queues


def podset(queues, name, replicas=2, cpu="1", run="2s", **spec):
    return {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "PodSet",
            "metadata": {"name": name, "namespace": queues.ns},
            "spec": {"replicas": replicas, "queueName": queues.queue, **spec,
                     "template": {"metadata": {"annotations": {"e2e/run": run}}, "spec": {
                         "restartPolicy": "Never", "containers": [
                             {"name": "main", "image": "none",
                              "resources": {"requests": {"cpu": cpu}}}]}}}}


def pods(e2e, queues):
    return {one["metadata"]["name"]: one for one in
            e2e.admin.items(f"/api/v1/namespaces/{queues.ns}/pods")}


def phases(e2e, queues):
    return {name: one["status"].get("phase") for name, one in pods(e2e, queues).items()}


def test_runs_and_makes_room(e2e):
    """Two PodSets of two CPUs in a queue of three: all pods of one, then all of the other; none twice."""
    queues = Queues(e2e, cpu="3")
    daemon = e2e.daemon()
    e2e.cluster.apply(podset(queues, "train", run="4s"))
    until("it runs", lambda: phases(e2e, queues) == {"train-0": "Running", "train-1": "Running"}, 30)
    assert all(one["metadata"]["labels"]["plimsoll.dev/podset"] == "train" and
               one["metadata"]["ownerReferences"][0]["name"] == "train"
               for one in pods(e2e, queues).values())
    e2e.cluster.apply(podset(queues, "second", run="1s"))
    until("both are done", lambda: phases(e2e, queues) == {
        f"{name}-{index}": "Succeeded" for name in ("train", "second") for index in (0, 1)}, 40)
    assert "Reservation" in queues.events("train"), queues.events("train")
    truth.nothing_twice(e2e)
    daemon.stop()
    daemon.replay()
