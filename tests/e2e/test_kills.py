"""kill -9 at every boundary of every effect: before the API server has it, and after it was carried out
while the answer is lost. Then nothing is doubled, nothing lost, the log replays and agrees with the cluster.
"""
import collections
import time

import truth
from kube import holds
from objects import Queues, priority_class

EFFECTS = "/apis/(kueue|batch|karpenter)|/api/v1/(namespaces/[^/]+/)?(pods|nodes)"
WRITES = ["POST", "PUT", "PATCH", "DELETE"]


def test_kill_at_every_effect(e2e):
    low, high = f"{e2e.namespace}-low", f"{e2e.namespace}-high"
    e2e.cluster.apply(priority_class(low, 10), priority_class(high, 1000))
    queues = Queues(e2e, cpu="3", preemption={"withinClusterQueue": "LowerPriority"})
    proxy = e2e.proxy()
    daemon = e2e.daemon(proxy=proxy, start=False)
    queues.job("victim", cpu="3", run="20s", priority=low)
    urgent = []

    def complete():
        """The urgent Job arrives when the victim runs; over when both are done and their Workloads too."""
        if not urgent and queues.get_job("victim")["status"].get("active") == 1:
            urgent.append(queues.job("urgent", cpu="3", run="1s", priority=high))
        return urgent and all(holds(queues.get_job(name), "Complete") and
                              holds(queues.workload(name), "Finished") for name in ("victim", "urgent"))

    kills = die_until(proxy, daemon, complete, 150)
    assert kills["kill"] >= 8 and kills["losekill"] >= 8, kills
    print(f"# killed {kills['kill']} times before an effect, {kills['losekill']} times after one")
    proxy.rules()
    daemon.start()
    time.sleep(3)
    daemon.stop()
    truth.nothing_twice(e2e)
    daemon.replay()
    truth.agree(e2e, daemon)


def die_until(proxy, daemon, complete, limit):
    """Starts it again and again. Of the requests of one kind to one object the first kills it before it
    reaches the API server, the next (the same effect, sent again) after it was carried out there, and the
    third, which finds out that it was, passes. How often each happened.
    """
    end = time.monotonic() + limit
    over = False
    while not over:
        daemon.start(ready=False)
        proxy.rules({"name": "die", "cycle": ["kill", "losekill", "pass"], "methods": WRITES,
                     "path": EFFECTS, "pid": daemon.pid})
        while daemon.alive() and not over:
            over = bool(complete())
            assert time.monotonic() < end, f"not complete after {faults(proxy)}: {daemon.tail()}"
            time.sleep(0.05)
        assert over or daemon.process.returncode == -9, daemon.tail()
    daemon.kill()
    return faults(proxy)


def faults(proxy):
    return collections.Counter(one["fault"] for one in proxy.log() if one.get("fault"))
