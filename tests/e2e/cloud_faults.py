"""An AWS that misbehaves: everything still happens once, and comes to its end."""
from kube import holds, until
from objects import Queues

NONE = "InsufficientInstanceCapacity"


def run_gang(e2e, count=3, seconds=90, types=("m5.xlarge",)):
    """A Job with a node for each pod, to its end and until all is gone; the daemon, which is down."""
    queues = Queues(e2e, cpu="20", nodes=0)
    e2e.pool(types)
    daemon = e2e.daemon()
    queues.job("gang", cpu="3", count=count, run="2s")
    until("the job is complete", lambda: holds(queues.get_job("gang"), "Complete"), seconds, 0.2)
    e2e.gone(seconds)
    daemon.stop()
    e2e.settled(daemon)
    return daemon


def fault(kind, action, **more):
    return {"name": f"{kind} {action}", "kind": kind, "action": action, **more}


def test_out_of_stock(e2e):
    """The first choice is out of stock everywhere, the second in one zone: the work runs on what there is."""
    e2e.aws.proxy.rules(
        fault("fleet-errors", "CreateFleet", code=NONE, types="m5[.]xlarge|c5[.]xlarge"))
    run_gang(e2e, 2, types=("c5.xlarge", "m5.xlarge", "r5.xlarge"))
    kinds = {one["instanceType"] for one in e2e.aws.instances("terminated")}
    assert kinds == {"r5.xlarge"}, kinds


def test_lost_and_late(e2e):
    """Answers are lost after the launch was carried out, requests before; what was launched shows late."""
    e2e.aws.proxy.set(hideMs=2500, pendingMs=4000, endingMs=2000)
    e2e.aws.proxy.rules(
        fault("reset-after", "CreateFleet", count=1), fault("reset-before", "CreateFleet", count=1),
        fault("truncate", "CreateFleet", count=1), fault("error", "CreateFleet", status=500, code="InternalError",
                                                       count=1),
        fault("reset-after", "CreateLaunchTemplate", count=1), fault("reset-after", "TerminateInstances", count=1),
        fault("html", "TerminateInstances", status=502, count=1), fault("reset-after", "CreateTags", count=1))
    run_gang(e2e)
    taken = e2e.aws.proxy.taken()
    assert all(taken[one] == 1 for one in taken if "CreateTags" not in one), taken
    assert len(e2e.launched()) == 3, e2e.aws.proxy.tokens()


def test_throttled(e2e):
    """Fewer calls a second than are wanted, and every fifth read refused: slower, and nothing else."""
    e2e.aws.proxy.set(buckets={"CreateFleet": {"rate": 0.5, "burst": 1}, "TerminateInstances": {"rate": 0.5, "burst": 1}})
    e2e.aws.proxy.rules(fault("error", "Describe.*", status=503, code="RequestLimitExceeded", every=5))
    run_gang(e2e)
    assert e2e.aws.proxy.taken()["error Describe.*"] >= 2
    assert any(one.get("code") == "RequestLimitExceeded" for one in e2e.aws.proxy.log("CreateFleet"))
