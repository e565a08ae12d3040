"""Beside a live Kueue, in observe: nothing is touched, and Kueue's decisions are compared with ours."""
import install
from kube import holds, until
from objects import Queues
from peers import Kueue


def test_observes_kueue(e2e):
    other = e2e.other(deploy=install.roles)
    kueue = Kueue(other.cluster, other.folder / "kueue")
    try:
        queues = Queues(other, cpu="2")
        daemon = other.daemon("--mode", "observe")
        for number in range(4):
            queues.job(f"job-{number}", run="2s")
        until("Kueue ran them all", lambda: all(
            holds(queues.get_job(f"job-{number}"), "Complete") for number in range(4)), 60)
        assert other.our_writes() == [], [one["requestURI"] for one in other.our_writes()]
        daemon.stop()
        daemon.replay()
    finally:
        kueue.stop()
