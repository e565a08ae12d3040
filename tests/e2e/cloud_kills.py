"""kill -9 at every boundary of every effect on AWS: before it has the request, and after it was carried out while the
answer is lost. Then there are as many instances as launches were meant, none without its claim, and the log replays.
"""
import collections
import time

from kube import holds, until
from objects import Queues

EFFECTS = "Create.*|Run.*|Terminate.*|Add.*|Delete.*"


def test_kill_at_every_effect(e2e):
    queues = Queues(e2e, cpu="20", nodes=0)
    e2e.pool()
    daemon = e2e.daemon(start=False)
    queues.job("gang", cpu="3", count=2, run="2s")

    def complete():
        return holds(queues.get_job("gang"), "Complete") and not e2e.running() and not e2e.claims()

    kills = die_until(e2e.aws.proxy, daemon, complete, 120)
    assert kills["kill"] >= 4 and kills["losekill"] >= 4, kills
    print(f"# killed {kills['kill']} times before an effect on AWS, {kills['losekill']} times after one")
    e2e.aws.proxy.rules()
    daemon.start()
    until("no node is left", lambda: not e2e.nodes(), 30)
    time.sleep(2)
    daemon.stop()
    assert len(e2e.launched()) == 2, e2e.aws.proxy.tokens()
    e2e.settled(daemon)


def die_until(proxy, daemon, complete, limit):
    """As in test_kills.py: each effect is killed before, then after, and then passes."""
    end = time.monotonic() + limit
    over = False
    while not over:
        daemon.start(ready=False)
        proxy.rules({"name": "die", "cycle": ["kill", "losekill", "pass"], "action": EFFECTS, "pid": daemon.pid})
        while daemon.alive() and not over:
            over = bool(complete())
            assert time.monotonic() < end, f"not complete after {faults(proxy)}: {daemon.tail()}"
            time.sleep(0.1)
        assert over or daemon.process.returncode == -9, daemon.tail()
    daemon.kill()
    return faults(proxy)


def faults(proxy):
    return collections.Counter(one["fault"] for one in proxy.log() if one.get("fault"))
