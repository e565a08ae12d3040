"""Drawn from a seed (PLM_SEED): faults that change every few seconds, kill -9 at any time, Jobs of three
priorities that preempt each other. In the end all is done, once, and the log agrees with the cluster.
PLM_SOAK=1 makes it longer.
"""
import os
import random
import time

import truth
from kube import holds, until
from objects import Queues, priority_class
from test_faults import fault

SEED = os.environ.get("PLM_SEED", "1")
SEED = random.randrange(1 << 32) if SEED == "random" else int(SEED)
JOBS = 40 if os.environ.get("PLM_SOAK") else 8
LIMIT = 600 if os.environ.get("PLM_SOAK") else 120


def weather(draw):
    """A few rules: what goes wrong for the next seconds."""
    watch = {"query": "watch=(1|true)", "methods": ["GET"], "path": ""}
    every = draw.randint(2, 6)
    return draw.sample([
        fault("refused", "status", every, status=draw.choice([409, 429, 500, 503]),
              retryAfter=draw.choice([0, 1])),
        fault("lost", "lose", every), fault("reset", "reset", every),
        fault("late", "delay", every, delayMs=draw.randint(50, 1500)),
        fault("half", "truncate", every, bytes=draw.randint(0, 300)),
        {"name": "gone", "action": "expire", "every": every, **watch},
        {"name": "cut short", "action": "truncate", "every": every, "bytes": draw.randint(0, 5000), **watch},
        {"name": "page", "action": "status", "status": 410, "query": "continue=", "methods": ["GET"]},
        {"name": "list", "action": "status", "status": 503, "query": "limit=", "methods": ["GET"],
         "every": every}], 3)


def test_drawn_from_a_seed(e2e):
    print(f"# PLM_SEED={SEED}")
    draw = random.Random(SEED)
    classes = {f"{e2e.namespace}-{value}": value for value in (10, 100, 1000)}
    e2e.cluster.apply(*(priority_class(name, value) for name, value in classes.items()))
    queues = Queues(e2e, cpu="4", preemption={"withinClusterQueue": "LowerPriority"})
    proxy = e2e.proxy()
    daemon = e2e.daemon(proxy=proxy)
    end = time.monotonic() + LIMIT
    made = 0
    kills = 0

    def over():
        return made == JOBS and all(
            holds(queues.get_job(f"job-{number}"), "Complete") for number in range(made)) and all(
            holds(one, "Finished") for one in queues.workloads())
    while not over() and time.monotonic() < end:
        if made < JOBS:
            for _ in range(min(2, JOBS - made)):
                queues.job(f"job-{made}", cpu=str(draw.randint(1, 4)), run=f"{draw.randint(1, 4)}s",
                           priority=draw.choice(sorted(classes)))
                made += 1
        proxy.rules(*weather(draw))
        if draw.random() < 0.4:
            daemon.kill()
            kills += 1
            daemon.start(ready=False)
        if draw.random() < 0.2:
            proxy.cut()
        time.sleep(draw.uniform(0.5, 3))
    proxy.rules()
    if not daemon.alive():
        daemon.start()
    until("all is done when the weather is fair", over, 60)
    print(f"# {JOBS} jobs, killed {kills} times")
    time.sleep(2)
    daemon.stop()
    truth.nothing_twice(e2e)
    daemon.replay()
    truth.agree(e2e, daemon)
