"""An API server that goes away under the daemon."""
import os
import signal
import time

from kube import holds, until
from objects import Queues


def test_api_server_goes_away(e2e):
    """Killed, and as good as dead (SIGSTOP): it waits and goes on; an API server's restart is a relist."""
    other = e2e.other()
    queues = Queues(other, cpu="4")
    daemon = other.daemon()
    queues.job("before")
    until("the first is done", lambda: holds(queues.get_job("before"), "Complete"), 30)
    other.cluster.kill("apiserver")
    time.sleep(3)
    assert daemon.alive(), daemon.tail()
    other.cluster.up()
    other.admin = other.cluster.admin
    other.restarted = True  # it refuses everybody until it has read the roles
    queues.job("between")
    until("the second is done", lambda: holds(queues.get_job("between"), "Complete"), 60)
    os.kill(other.cluster.pid("apiserver"), signal.SIGSTOP)
    for _ in range(8):  # nothing that decides waits for its answers
        time.sleep(0.5)
        assert daemon.http(daemon.health, "/livez")[0] == 200, daemon.tail()
    os.kill(other.cluster.pid("apiserver"), signal.SIGCONT)
    queues.job("after")
    until("the third is done", lambda: holds(queues.get_job("after"), "Complete"), 60)
    daemon.stop()
    daemon.replay()
