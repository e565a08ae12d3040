"""A cluster of 5,000 nodes and 20,000 pods is taken in within a bounded memory, and again after kill -9."""
import json
import time

import bulk
import truth
from kube import until
from objects import Queues

NODES, PODS = 5000, 20000
BOUND_MIB = 160  # most that the process may ever have had


def head(daemon):
    return json.loads(daemon.cli("log", "stat", "-o", "json"))["headSeq"]


def test_large_cluster(e2e):
    other = e2e.other(parts="etcd apiserver")
    bulk.fill(other.cluster, NODES, PODS)
    until("the API server has them", lambda: len(other.admin.items("/api/v1/pods")) == PODS, 60)
    queues = Queues(other, nodes=0)
    daemon = other.daemon(start=False)
    begin = time.monotonic()
    daemon.start()
    until("all are in the log", lambda: head(daemon) > NODES + PODS, 120, 0.3)
    took, most = time.monotonic() - begin, daemon.memory()
    daemon.kill()
    queues.job("first")
    begin = time.monotonic()
    daemon.start(ready=False)
    until("the first effect", lambda: not queues.get_job("first")["spec"]["suspend"], 60)
    again = time.monotonic() - begin
    time.sleep(5)  # the lists come again, and tell nothing new
    after = daemon.memory()
    print(f"# {NODES} nodes and {PODS} pods in {took:.1f} s and {most:.0f} MiB; "
          f"first effect after kill -9 in {again:.1f} s, {after:.0f} MiB")
    assert max(most, after) < BOUND_MIB, (most, after)
    daemon.stop()
    daemon.replay()
    for kind, path, count in (("nodes", "/api/v1/nodes", NODES), ("pods", "/api/v1/pods", PODS)):
        have = truth.ours(daemon, kind)
        assert len(have) == count, (kind, len(have))
        want = {(key[0] or None, key[1]): one for key, one in truth.theirs(other.admin, path).items()}
        truth.same_keys(kind, have, want)
