"""The process in its cluster: second instances, and observing."""
import time

from kube import holds, until
from objects import Queues


def test_second_instance_stands_by(e2e):
    """Another data folder, the same Lease: it waits, and takes over when the first is gone, being told that it
    may, since its own log has not what the Lease says of the first one's."""
    queues = Queues(e2e, cpu="4")
    first = e2e.daemon(name="first")
    second = e2e.daemon("--accept-older-log", name="second", start=False)
    second.start(ready=False)
    queues.job("one")
    until("the first does it", lambda: holds(queues.get_job("one"), "Complete"), 30)
    assert second.alive(), second.tail()
    first.kill()
    queues.job("two")
    until("the second does it", lambda: holds(queues.get_job("two"), "Complete"), 60)
    until("both Workloads are finished", lambda: all(
        holds(queues.workload(name), "Finished") for name in ("one", "two")))
    assert len(queues.workloads()) == 2
    second.stop()
    second.replay()


def test_observe_writes_nothing(e2e):
    """--mode observe beside nobody: it decides, and not even a Lease is written."""
    queues = Queues(e2e, cpu="4")
    daemon = e2e.daemon("--mode", "observe")
    queues.job("waits")
    time.sleep(6)
    assert e2e.our_writes() == [], [one["requestURI"] for one in e2e.our_writes()]
    assert queues.get_job("waits")["spec"]["suspend"] is True
    daemon.stop()
    daemon.replay()
