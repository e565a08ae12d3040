"""What the API server has is what state knows, whatever happens on the way; and what a big cluster costs."""
import json
import pathlib
import signal
import subprocess
import threading
import time

import bulk
from cluster import SPACE
from kube import until

BARE = {"parts": "etcd apiserver", "apiserver": ("--disable-admission-plugins=ServiceAccount",)}


class Intake:
    """tests/bench/intake.c: client, reflectors and engine of the daemon, with a memory log."""

    def __init__(self, e2e, kubeconfig):
        self.names = e2e.folder / "names"
        self.notes = e2e.folder / "notes"
        program = pathlib.Path(e2e.plimsoll).parent / "tests" / "bench" / "intake"
        with open(self.notes, "w", encoding="utf-8") as notes:
            self.process = subprocess.Popen([program, kubeconfig, self.names], stdout=subprocess.PIPE,
                                            stderr=notes)

    def said(self):
        return self.notes.read_text(encoding="utf-8").splitlines()

    def await_note(self, note, seconds=60):
        end = time.monotonic() + seconds
        while note not in self.said():
            assert time.monotonic() < end and self.process.poll() is None, self.said()
            time.sleep(0.1)

    def end(self):
        self.process.terminate()
        text, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, self.said()
        return json.loads(text)

    def objects(self):
        """As state has them now."""
        self.names.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        until("names are written", self.names.exists, 10, 0.01)
        return set(self.names.read_text(encoding="utf-8").splitlines())

    def await_same(self, place, seconds=90):
        """State and API server agree, at the latest when the longest wait is over."""
        end = time.monotonic() + seconds
        while differ := self.objects() ^ there(place):
            assert time.monotonic() < end, differ
            time.sleep(0.5)


def there(place):
    """The same lines, from the API server."""
    found = set()
    for kind, path in (("Node", "nodes"), ("Pod", "pods")):
        for one in place.admin.get(f"/api/v1/{path}?limit=0")["items"]:
            meta = one["metadata"]
            found.add(f"{kind} {meta.get('namespace', '')}/{meta['name']} {meta['uid']}")
    return found


def churn(place, stop):
    """Pods come, change and go."""
    pods = "/api/v1/namespaces/default/pods"
    number = 0
    while not stop.is_set():
        number += 1
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"churn-{number}"},
               "spec": {"containers": [{"name": "main", "image": "i"}]}}
        place.admin.create(pods, pod)
        if number % 3 == 0:
            place.admin.delete(f"{pods}/churn-{number - 1}?gracePeriodSeconds=0")
        if number % 7 == 0:  # another object of the same name
            place.admin.delete(f"{pods}/churn-{number}?gracePeriodSeconds=0")
            place.admin.create(pods, pod)
        place.admin.delete(f"{pods}/pod-{number:06}?gracePeriodSeconds=0")
        time.sleep(0.02)


RULES = (
    {"name": "short", "action": "truncate", "query": "watch=1", "bytes": 40000, "every": 3, "count": 12},
    {"name": "old", "action": "expire", "query": "resourceVersion=[0-9]", "every": 4},
    {"name": "busy", "action": "status", "path": "/pods$", "status": 429, "retryAfter": 1, "every": 3},
    {"name": "broken", "action": "status", "path": "/(pods|nodes)$", "status": 500, "every": 7},
    {"name": "reset", "action": "reset", "path": "/(pods|nodes)$", "every": 6},
    {"name": "lost", "action": "lose", "path": "/nodes$", "every": 9},
)


def test_nothing_is_lost_under_faults(e2e):
    place = e2e.other(**BARE)
    proxy = place.proxy()
    bulk.fill(place.cluster, 100, 3000)
    kubeconfig = place.cluster.account("intake", place.folder, proxy.server, proxy.ca)
    place.cluster.kubectl("create", "clusterrolebinding", "intake", "--clusterrole=cluster-admin",
                          f"--serviceaccount={SPACE}:intake")
    proxy.rules(*RULES)
    intake = Intake(place, kubeconfig)
    stop = threading.Event()
    worker = threading.Thread(target=churn, args=(place, stop))
    worker.start()
    for _ in range(8):
        time.sleep(1.5)
        proxy.cut()
    stop.set()
    worker.join()
    done = {name: count for name, count in proxy.counts().items() if count}
    proxy.rules()
    intake.await_note("synced", 60)
    intake.await_same(place)
    figures = intake.end()
    assert {"short", "old"} <= set(done) and {"busy", "broken", "reset", "lost"} & set(done), done
    assert not figures["unreadable"], figures


def test_what_went_while_the_server_was_away(e2e):
    """Deleted below the API server while that is dead: its watch cache begins anew, and no event is ever sent."""
    place = e2e.other(**BARE)
    bulk.fill(place.cluster, 10, 50)
    intake = Intake(place, place.cluster.kubeconfig)
    intake.await_note("synced", 60)
    place.cluster.kill("apiserver")
    for number in range(5):
        bulk.drop(place.cluster, f"pods/default/pod-{number:06}")
    bulk.compact(place.cluster)
    time.sleep(11)
    place.cluster.up()
    intake.await_note("the API server can be reached again", 60)
    intake.await_same(place, 20)
    figures = intake.end()
    assert "the API server cannot be reached" in intake.said()
    assert figures["pods"] == 45 and figures["inferred"] == 5, figures


def test_a_big_cluster_in_bounded_memory(e2e):
    place = e2e.other(**BARE)
    bulk.fill(place.cluster, 5000, 20000)
    intake = Intake(place, place.cluster.kubeconfig)
    intake.await_note("synced", 120)
    intake.await_same(place, 60)  # what was told last may still be in the ring
    figures = intake.end()
    print(f"# {json.dumps(figures)}")
    assert (figures["nodes"], figures["pods"]) == (5000, 20000), figures
    assert figures["peakKib"] - figures["stateBytes"] // 1024 < 64 * 1024, figures
    assert figures["windowBytes"] < 1 << 20, figures
