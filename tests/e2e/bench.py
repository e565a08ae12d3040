"""The end-to-end benchmark: bench.py PLIMSOLL [--short] [--engine NAME] [--load N] [--rate QPS]...

Kueue's generator shape (tools/loadrunner) against a real API server, for Plimsoll and for Kueue's own
binary, at three client rates; beside them the runner alone and the API server's own bound. Each row has a
cluster of its own, all on this machine. One JSON object per figure on stdout, as the other benchmarks;
PLM_SHORT=1 is --short: a few hundred Workloads, Plimsoll only, so that its answers can be a test. With AWS behind it
(--only cloud): bench_cloud.py, for Plimsoll and for Karpenter's own binary.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import bench_cloud  # noqa: E402
import bulk  # noqa: E402
import install  # noqa: E402
from cluster import SPACE, Cluster, built, cpu_seconds, memory, what  # noqa: E402
from daemon import USER, Daemon  # noqa: E402
from kube import ApiError, holds, until  # noqa: E402

RATES = {"50/100": (50, 100), "300/500": (300, 500), "unlimited": (100000, 100000)}
LOADS = {3000: 5, 15000: 1, 300: 50}  # Workloads: what one of so many is made of
CRDS = ("clusterqueues", "localqueues", "workloads", "resourceflavors")


def say(name, value, unit, note="", raw=None):
    figure = {"name": name, "value": round(value, 3), "unit": unit}
    if raw is not None:
        figure["raw"] = round(raw, 3)
    if note:
        figure["note"] = note
    print(json.dumps(figure), flush=True)
    print(f"{name}: {value:,.2f} {unit}  {note}", file=sys.stderr, flush=True)


class Place:
    """A cluster without controllers and kubelets: nothing else writes there."""

    def __init__(self, plimsoll, engine):
        self.cluster = Cluster(parts="etcd apiserver")
        self.engine = engine
        self.plimsoll = str(pathlib.Path(plimsoll).resolve())
        self.process = self.user = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.kill() if self.engine == "plimsoll" else self.process.stop()
        self.cluster.down()

    def start(self, rate):
        """The engine at a client rate; without one, CRDs only."""
        if self.engine == "kueue":
            from peers import Kueue
            self.process = Kueue(self.cluster, self.cluster.folder / "kueue", *rate)
            self.user = Kueue.user
            return
        install.deploy(self.cluster, self.plimsoll)
        if self.engine == "plimsoll":
            self.process = Daemon(self.plimsoll, self.cluster.folder / "plimsoll",
                                  self.cluster.account(USER, self.cluster.folder),
                                  "--enforce", "queues", "--filename", settings(self.cluster, rate))
            self.process.start()
            self.user = f"{SPACE}:{USER}"

    def run(self, *words):
        """The load runner's report."""
        command = [built("tools") / "loadrunner", "-server", self.cluster.server, "-ca", self.cluster.ca,
                   "-token", self.cluster.state / "admin.token", *words]
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout)

    def parts_cpu(self):
        return {part: self.cluster.cpu_seconds(part) for part in ("apiserver", "etcd")}


def settings(cluster, rate):
    """Kueue's own Configuration, which both programs read."""
    path = cluster.folder / "settings.yaml"
    path.write_text(json.dumps({
        "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
        "clientConnection": {"qps": rate[0], "burst": rate[1]}}), encoding="utf-8")
    return path


def measured(place, *words):
    """The runner's report, with what it cost meanwhile."""
    before = place.parts_cpu()
    engine = cpu_seconds(place.process.pid) if place.process else 0
    mark = place.cluster.mark()
    report = place.run(*words)
    after = place.parts_cpu()
    report["apiserverCpu"] = after["apiserver"] - before["apiserver"]
    report["etcdCpu"] = after["etcd"] - before["etcd"]
    if place.process:
        report["engineCpu"] = cpu_seconds(place.process.pid) - engine
        report["memory"] = memory(place.process.pid)
        report["anonymous"] = memory(place.process.pid, "RssAnon")
        writes = place.cluster.writes(mark, place.user)
        kinds = collections.Counter(what(one).rpartition(" ")[0] for one in writes)
        report["kinds"] = dict(kinds.most_common())
        report["events"] = sum(one["objectRef"]["resource"] == "events" for one in writes)
        report["engineWrites"] = len(writes) - report["events"]
        report["refused"] = sum(one.get("responseStatus", {}).get("code", 0) >= 400 for one in writes)
    return report


def row(plimsoll, engine, load, rate, alone):
    with Place(plimsoll, engine) as place:
        place.start(RATES[rate])
        got = measured(place, "-share", LOADS[load], "run")
    count = got["workloads"]
    name = f"{engine} {load:,} at {rate}"
    waits = ", ".join(f"{k} {v['p50'] / 1000:.1f}/{v['p99'] / 1000:.1f} s"
                      for k, v in sorted(got["wait"].items()))
    floor = ""
    if rate != "unlimited":
        floor = f"; writes / rate {got['engineWrites'] / RATES[rate][0]:.0f} s"
    say(f"{name}: last admission", got["lastAdmission"], "s",
        f"made in {got['made']:.0f} s; {got['evictions']} evictions{floor}; wait p50/p99 {waits}")
    say(f"{name}: writes per workload", got["engineWrites"] / count, "writes",
        f"aim <= 1.2; {got['refused']} refused; "
        + ", ".join(f"{v} {k}" for k, v in list(got["kinds"].items())[:6]))
    say(f"{name}: Events per workload", got["events"] / count, "Events")
    own = got["apiserverCpu"] - alone["apiserverCpu"] if alone else got["apiserverCpu"]
    say(f"{name}: API server CPU", own, "CPU s",
        f"beyond the runner alone; in all {got['apiserverCpu']:.0f}, etcd {got['etcdCpu']:.0f}")
    say(f"{name}: its own CPU", got["engineCpu"], "CPU s")
    say(f"{name}: its memory", got["memory"], "MiB", f"most; {got['anonymous']:.0f} MiB its own now")
    return got


def runner_alone(plimsoll, load):
    with Place(plimsoll, "alone") as place:
        place.start(None)
        got = measured(place, "-share", LOADS[load], "alone")
    say(f"runner alone {load:,}: API server CPU", got["apiserverCpu"], "CPU s",
        f"{got['writes']} writes in {got['seconds']:.0f} s; etcd {got['etcdCpu']:.0f} CPU s")
    return got


def bound(plimsoll, count):
    with Place(plimsoll, "alone") as place:
        place.start(None)
        got = place.run("-count", count, "bound")
    say("API server's own bound", got["writesPerSecond"], "writes/s", "status patches, 50 at a time")


def latency(plimsoll, engine, count):
    with Place(plimsoll, engine) as place:
        place.start(RATES["unlimited"])
        got = place.run("-count", count, "latency")["latency"]
    say(f"{engine}: create sent to admission seen, p50", got["p50"], "ms",
        f"one Workload at a time, {count} times; create and both watches are in it")
    say(f"{engine}: create sent to admission seen, p99", got["p99"], "ms", f"max {got['max']:.0f} ms")


def stable(plimsoll, engine, seconds):
    """What a cluster in which nothing happens costs: queues with some Workloads that wait."""
    with Place(plimsoll, engine) as place:
        place.start(RATES["300/500"])
        place.run("setup")
        for number in range(20):
            make_workload(place.cluster, "cq-0-cohort-0", f"waits-{number}", cpu=500)
        time.sleep(10)
        mark, begin = place.cluster.mark(), cpu_seconds(place.process.pid)
        time.sleep(seconds)
        writes = place.cluster.writes(mark, place.user)
        used = cpu_seconds(place.process.pid) - begin
    leases = [one for one in writes if one["objectRef"]["resource"] == "leases"]
    others = [what(one) for one in writes if one not in leases]
    say(f"{engine}: writes a minute when nothing happens", len(others) * 60 / seconds, "writes",
        f"aim 0; {len(leases) * 60 / seconds:.0f} of the Lease a minute {' '.join(others[:3])}")
    say(f"{engine}: CPU when nothing happens", used * 100 / seconds, "% of a core")


def make_workload(cluster, queue, name, cpu=1):
    cluster.admin.create(
        f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{queue}/workloads",
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
         "metadata": {"name": name, "namespace": queue},
         "spec": {"queueName": queue, "podSets": [{"name": "main", "count": 1, "template": {"spec": {
             "restartPolicy": "Never", "containers": [{
                 "name": "c", "image": "none", "resources": {"requests": {"cpu": str(cpu)}}}]}}}]}})


def restart(plimsoll, nodes, pods):
    """Taking in a cluster, and from the start of a process that was killed to its first effect."""
    with Place(plimsoll, "plimsoll") as place:
        bulk.fill(place.cluster, nodes, pods)
        until("the API server has them", lambda: len(place.cluster.admin.items("/api/v1/pods")) == pods)
        begin = time.monotonic()
        place.start(RATES["unlimited"])
        say(f"intake of {nodes:,} nodes and {pods:,} pods", time.monotonic() - begin, "s",
            "from the first start to ready")
        place.run("setup")
        say("memory with them", memory(place.process.pid), "MiB", "most so far")
        place.process.kill()
        make_workload(place.cluster, "cq-0-cohort-0", "first")
        begin = time.monotonic()
        place.process.start(ready=False)
        path = "/apis/kueue.x-k8s.io/v1beta2/namespaces/cq-0-cohort-0/workloads/first"
        until("the first effect", lambda: holds(place.cluster.admin.get(path), "Admitted"), 120, 0.02)
        say("kill -9, start, first effect", time.monotonic() - begin, "s",
            f"with {nodes:,} nodes and {pods:,} pods")
        say("memory after the restart", memory(place.process.pid), "MiB", "most so far")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plimsoll")
    parser.add_argument("--short", action="store_true", default=bool(os.environ.get("PLM_SHORT")))
    parser.add_argument("--engine", action="append", choices=["plimsoll", "kueue", "karpenter"])
    parser.add_argument("--load", action="append", type=int, choices=sorted(LOADS))
    parser.add_argument("--rate", action="append", choices=sorted(RATES))
    parser.add_argument("--only", action="append",
                        choices=["bound", "load", "latency", "stable", "restart", "cloud"])
    args = parser.parse_args()
    parts = args.only or ["bound", "load", "latency", "stable", "restart"] + ["cloud"] * (not args.short)
    wanted = args.engine or (["plimsoll"] if args.short else ["kueue", "karpenter", "plimsoll"])
    engines = [one for one in wanted if one != "karpenter"]
    loads = args.load or ([300] if args.short else [3000, 15000])
    rates = args.rate or (["unlimited"] if args.short else list(RATES))
    if "bound" in parts:
        bound(args.plimsoll, 500 if args.short else 5000)
    if "load" in parts:
        for load in loads:
            alone = runner_alone(args.plimsoll, load)
            for rate in rates:
                for engine in engines:
                    row(args.plimsoll, engine, load, rate, alone)
    for engine in engines:
        if "latency" in parts:
            latency(args.plimsoll, engine, 20 if args.short else 200)
        if "stable" in parts:
            stable(args.plimsoll, engine, 10 if args.short else 120)
    if "restart" in parts and "plimsoll" in engines:
        restart(args.plimsoll, *((500, 2000) if args.short else (5000, 20000)))
    if "cloud" in parts:
        bench_cloud.run(say, args.plimsoll, [one for one in wanted if one != "kueue"], args.short)
    return 0


if __name__ == "__main__":
    sys.exit(main())
