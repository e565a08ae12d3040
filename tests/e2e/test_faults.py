"""A network and an API server that misbehave all the time: everything still happens once, and comes to its end."""
import time

import truth
from kube import holds, until
from objects import Queues

EFFECTS = "/apis/(kueue|batch|karpenter)|/api/v1/(namespaces/[^/]+/)?(pods|nodes)"
WRITES = ["POST", "PUT", "PATCH", "DELETE"]


def run_jobs(e2e, rules, count=4, seconds=90, during=None):
    """So many Jobs through a queue that holds two at a time, while the rules are in force."""
    queues = Queues(e2e, cpu="2")
    proxy = e2e.proxy()
    proxy.rules(*rules)
    daemon = e2e.daemon(proxy=proxy)
    for number in range(count):
        queues.job(f"job-{number}")

    def over():
        if during:
            during(proxy)
        return all(holds(queues.get_job(f"job-{number}"), "Complete") for number in range(count)) and \
            all(holds(one, "Finished") for one in queues.workloads())
    until("all jobs are done", over, seconds, 0.3)
    counts = proxy.counts()
    proxy.rules()
    time.sleep(2)
    daemon.stop()
    truth.nothing_twice(e2e)
    daemon.replay()
    truth.agree(e2e, daemon)
    return counts


def fault(name, action, every, **more):
    return {"name": name, "action": action, "every": every, "methods": WRITES, "path": EFFECTS, **more}


def test_refusals(e2e):
    """Every few writes: 409, 429 with Retry-After, 500, 503."""
    counts = run_jobs(e2e, [
        fault("conflict", "status", 5, status=409),
        fault("busy", "status", 7, status=429, retryAfter=1),
        fault("error", "status", 9, status=500),
        fault("away", "status", 8, status=503)])
    assert counts["conflict"] >= 2, counts


def test_lost_requests_and_answers(e2e):
    counts = run_jobs(e2e, [fault("lost", "lose", 4), fault("reset", "reset", 5),
                               fault("slow", "delay", 3, delayMs=300)])
    assert counts["lost"] >= 3 and counts["reset"] >= 2, counts


def test_watches_break(e2e):
    """Watches are cut, expire with 410 and end in the middle of an event."""
    watch = {"query": "watch=(1|true)", "methods": ["GET"]}
    cuts = []

    def during(proxy):
        if len(cuts) < 3 and (not cuts or time.monotonic() - cuts[-1] > 3):
            cuts.append(time.monotonic())
            proxy.cut()
    counts = run_jobs(e2e, [
        {"name": "gone", "action": "expire", "every": 5, **watch},
        {"name": "half", "action": "truncate", "every": 7, "bytes": 700, **watch}], during=during)
    assert counts["gone"] >= 2 and len(cuts) >= 2, (counts, len(cuts))
