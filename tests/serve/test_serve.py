"""What the daemon answers: the read API, metrics, health, and what clients do to it.

test_serve.py PLIMSOLL: prints TAP, one line per test. The daemon runs on the embedded cluster and cloud.
"""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

PLIMSOLL = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUSY = os.path.join(ROOT, "tests", "run", "data", "busy.yaml")
BURST = os.path.join(HERE, "data", "burst.yaml")
STILL = os.path.join(HERE, "data", "still.yaml")
LINES = os.path.join(HERE, "data", "lines.yaml")
SLOW = 5 if os.environ.get("PLM_SHORT") else 1
NODE_LABELS = """nodepool zone region instance_type arch os capacity_type windows_build
    capacity_reservation_id capacity_reservation_type capacity_reservation_interruptible
    instance_hypervisor instance_encryption_in_transit_supported instance_category
    instance_capability_flex instance_family instance_generation instance_size instance_local_nvme
    instance_cpu instance_cpu_manufacturer instance_cpu_sustained_clock_speed_mhz instance_memory
    instance_ebs_bandwidth instance_network_bandwidth instance_gpu_name instance_gpu_manufacturer
    instance_gpu_count instance_gpu_memory instance_accelerator_name
    instance_accelerator_manufacturer instance_accelerator_count zone_id instance_tenancy
    placement_group_id placement_group_partition node_name phase managed""".split()
# Names of upstream that promtool does not like.
ODD = ("karpenter_cluster_state_node_count", "karpenter_nodepools_cost_total",
       "karpenter_scheduler_ignored_pods_count", "karpenter_scheduler_unschedulable_pods_count")


class Daemon:
    """One run, ended with the test."""
    alive = []

    def __init__(self, folder, *flags, scenario=BUSY, address="127.0.0.1"):
        self.folder = folder
        self.out = tempfile.NamedTemporaryFile("w+", prefix="plm-serve-")
        command = [PLIMSOLL, "run", "--cloud", "sim", "--data-dir", folder, "--no-ballast",
                   "--profile", "small", "--allow-any-filesystem", "--scenario", scenario,
                   "--listen", f"{address}:0", "--health-listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command + list(flags), stdout=self.out, stderr=self.out)
        Daemon.alive.append(self.process)
        end = time.monotonic() + 30 * SLOW
        while '"started"' not in self.text():
            assert self.process.poll() is None and time.monotonic() < end, self.text()
            time.sleep(0.02)
        row = next(json.loads(line) for line in self.text().splitlines() if '"started"' in line)
        self.port, self.health = row["port"], row["health-port"]
        self.url = f"http://127.0.0.1:{self.port}"

    def text(self):
        with open(self.out.name, encoding="utf-8") as file:
            return file.read()

    def get(self, path, headers=None, method="GET", port=None, body=None):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, dict(answer.getheaders()), text

    def json(self, path):
        status, _, text = self.get(path)
        assert status == 200, (path, status, text[:500])
        return json.loads(text)

    def settle(self, finished=1, seconds=60):
        """Wait until nothing more is decided: the log does not grow for a second."""
        end = time.monotonic() + seconds * SLOW
        seq, since = 0, time.monotonic()
        while time.monotonic() < end:
            now = self.json("/api/v1/head")["seq"]
            if now != seq:
                seq, since = now, time.monotonic()
            elif time.monotonic() - since > 1:
                return seq
            time.sleep(0.1)
        raise AssertionError(f"still at work after {seconds} s")

    def cli(self, *words, want=0):
        done = subprocess.run([PLIMSOLL, *words], capture_output=True, text=True, check=False,
                              timeout=120, env={**os.environ, "PLIMSOLL_TOKEN": ""})
        assert done.returncode == want, (words, done.returncode, done.stderr[:800])
        return done.stdout

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60 * SLOW)
        assert code == 0, (code, self.text()[-2000:])


def quote(text):
    return urllib.parse.quote(text, safe="")


# ---- the API -------------------------------------------------------------------------------------

QUESTIONS = (
    ("/api/v1/head", ["head"]),
    ("/api/v1/summary", ["summary"]),
    ("/api/v1/pending", ["pending"]),
    ("/api/v1/pending?group=queue&ns=team", ["pending", "--group", "queue", "-n", "team"]),
    ("/api/v1/state", ["state"]),
    ("/api/v1/state?path=clusterqueues.team", ["state", "clusterqueues.team"]),
    ("/api/v1/objects/jobs", ["get", "jobs"]),
    ("/api/v1/objects/pods?ns=team&limit=3", ["get", "pods", "-n", "team", "--limit", "3"]),
    ("/api/v1/objects/job/team/small-1", ["get", "job", "small-1", "-n", "team"]),
    ("/api/v1/objects/decisions?limit=5", ["get", "decisions", "--limit", "5"]),
    ("/api/v1/describe/clusterqueue/team", ["describe", "clusterqueue/team"]),
    ("/api/v1/why/job/team/small-1", ["why", "job/team/small-1"]),
    ("/api/v1/why/job/small-1?namespace=team", ["why", "job/small-1", "-n", "team"]),
    ("/api/v1/timeline/job/team/small-2", ["timeline", "job/team/small-2"]),
    ("/api/v1/visibility/clusterqueues/team/pendingworkloads", ["visibility", "clusterqueue/team"]),
    ("/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/team/localqueues/team-queue/pendingworkloads",
     ["visibility", "localqueue/team/team-queue"]),
)


def answers_are_those_of_the_command_line(folder):
    daemon = Daemon(folder)
    time.sleep(1)
    head = daemon.json("/api/v1/head")["seq"]
    at = ["--at", str(head), "-L", folder, "-o", "json"]
    for path, words in QUESTIONS:
        url = f"{path}{'&' if '?' in path else '?'}at={head}"
        status, _, text = daemon.get(url)
        assert status == 200, (url, status, text[:300])
        want = daemon.cli(*words, *at)
        if words == ["head"]:  # only a daemon knows its mode
            mine = json.loads(text)
            assert mine.pop("mode") == {"nodes": "enforce", "queues": "enforce"}
            assert mine.pop("lagEvents") >= 0
            assert mine == json.loads(want), text
        else:
            assert text == want, (url, text[:400], want[:400])
    for path, words in ((f"/api/v1/events?to={head}&limit=50", ["log", "show", f"..{head}", "--limit", "50"]),
                        (f"/api/v1/events?from=5&to={head}&type=Decision",
                         ["log", "show", f"5..{head}", "--type", "Decision"]),
                        (f"/api/v1/events/{head}", ["log", "show", str(head)]),
                        (f"/api/v1/diff?a=START&b={head}", ["diff", "START", str(head)]),
                        (f"/api/v1/diff?a=10&b={head}&stat=true", ["diff", "10", str(head), "--stat"])):
        status, _, text = daemon.get(path)
        want = daemon.cli(*words, "-L", folder, "-o", "json", want=1 if "diff" in words else 0)
        assert (status, text) == (200, want), (path, text[:300])
    daemon.stop()


def what_it_says_of_now_is_of_one_moment(folder):
    """While the daemon works: the point in an answer, and the same question about that point."""
    daemon = Daemon(folder)
    moving = set()
    for path, words in QUESTIONS:
        answer = daemon.get(path)
        where = json.loads(answer[2]).get("at", {}).get("seq") or json.loads(answer[2]).get("seq")
        if "at" in json.loads(answer[2]):
            moving.add(where)
            want = daemon.cli(*words, "--at", str(where), "-L", folder, "-o", "json")
            assert answer[2] == want, path
    assert len(moving) > 1, "the daemon was not at work"
    daemon.stop()


def server_prints_what_the_log_prints(folder):
    daemon = Daemon(folder, scenario=STILL)
    head = daemon.settle()
    rows = [words + tail for _, words in QUESTIONS if words != ["head"] and words != ["summary"]
            for tail in ([], ["-o", "yaml"])]
    rows += [["state", "--hash"], ["log", "show", f"{head - 20}..{head}"],
             ["log", "show", f"{head - 20}..{head}", "-o", "wide"],
             ["log", "show", f"{head}", "-o", "yaml"], ["log", "tail", "-n", "7", "-o", "jsonl"],
             ["log", "show", "--type", "Intent", "-o", "jsonl"],
             ["get", "jobs", "-o", "wide"], ["get", "jobs", "-o", "name", "--no-headers"],
             ["get", "pods", "-n", "nowhere"], ["get", "cq", "team", "--before", f"{head}"],
             ["why", "job/small-1", "-n", "team", "-o", "text"], ["diff", "10..HEAD", "--stat"],
             ["log", "stat"], ["log", "stat", "-o", "json"]]
    for words in rows:
        codes = []
        outs = []
        for source in (["-L", folder], ["--server", daemon.url]):
            done = subprocess.run([PLIMSOLL, *words, *source], capture_output=True, text=True,
                                  check=False, timeout=120)
            codes.append(done.returncode)
            outs.append((done.stdout, done.stderr))
        assert codes[0] == codes[1] and outs[0] == outs[1], (words, codes, outs[0][0][:300], outs[1])
    for words, code in ((["why", "job/nope"], 3), (["get", "nokinds"], 2),
                        (["log", "show", "999999999"], 3), (["diff", "10", "HEAD"], 1),
                        (["replay", "--server", daemon.url], 2)):
        daemon.cli(*words, *([] if "--server" in words else ["--server", daemon.url]), want=code)
    daemon.cli("get", "cq", "--server", "http://127.0.0.1:1", want=4)
    daemon.cli("get", "cq", "--server", "127.0.0.1", want=2)
    daemon.cli("get", "cq", "--server", f"http://127.0.0.1:{daemon.health}", want=4)
    daemon.stop()


def pages_of_a_list_join(folder):
    daemon = Daemon(folder)
    time.sleep(1)
    whole = daemon.json("/api/v1/objects/pods")
    part = daemon.json(f"/api/v1/objects/pods?limit=4&at={whole['at']['seq']}")
    items = list(part["items"])
    while "continue" in part:
        part = daemon.json(f"/api/v1/objects/pods?limit=4&continue={quote(part['continue'])}")
        assert part["at"] == whole["at"]
        items += part["items"]
    assert items == whole["items"] and len(items) > 4
    part = daemon.json("/api/v1/events?type=Fact&limit=100&to=500")
    events = list(part["items"])
    while "continue" in part:
        part = daemon.json(f"/api/v1/events?type=Fact&limit=100&continue={quote(part['continue'])}")
        events += part["items"]
    assert events == daemon.json("/api/v1/events?type=Fact&to=500")["items"]
    assert daemon.get("/api/v1/objects/pods?continue=x")[0] == 400
    assert daemon.get("/api/v1/objects/pods?continue=5:1&at=4")[0] == 400
    daemon.stop()


def an_unchanged_answer_is_304(folder):
    daemon = Daemon(folder, scenario=STILL)
    daemon.settle()
    _, headers, text = daemon.get("/api/v1/objects/jobs")
    tag = headers["ETag"]
    head = json.loads(daemon.get("/api/v1/head")[2])
    assert tag == f"\"{head['stateHash']}-{head['seq']}\"", (tag, head)
    status, headers, again = daemon.get("/api/v1/objects/jobs", {"If-None-Match": tag})
    assert (status, again, headers["ETag"]) == (304, "", tag)
    assert daemon.get("/api/v1/objects/jobs", {"If-None-Match": '"x"'})[2] == text
    status, _, _ = daemon.get(f"/api/v1/objects/jobs?at={head['seq']}", {"If-None-Match": tag})
    assert status == 304
    daemon.stop()


def read_events(daemon, path, count, headers=None):
    """'count' events of a stream: [(id, event, data)]."""
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30 * SLOW)
    connection.request("GET", path, headers=headers or {})
    answer = connection.getresponse()
    assert answer.status == 200 and answer.getheader("Content-Type") == "text/event-stream", answer.status
    found, fields = [], {}
    while len(found) < count:
        line = answer.readline()
        assert line, "the stream ended"
        text = line.decode().rstrip("\n")
        if text == "" and fields:
            found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
            fields = {}
        elif text and not text.startswith(":"):
            key, _, value = text.partition(": ")
            fields[key] = value
    connection.close()
    return found


def a_stream_is_taken_up_where_it_ended(folder):
    daemon = Daemon(folder)
    first = read_events(daemon, "/api/v1/stream?from=3", 40)
    last = first[-1][0]
    second = read_events(daemon, "/api/v1/stream?from=3", 40, {"Last-Event-ID": str(last)})
    seqs = [seq for seq, _, _ in first + second]
    assert seqs[0] > 3 and seqs == sorted(set(seqs)), seqs
    want = [json.loads(line) for line in daemon.cli(
        "log", "show", f"3..{seqs[-1]}", "-L", folder, "-o", "jsonl").splitlines()]
    assert [data for _, _, data in first + second] == want
    assert all(kind == data["type"] for _, kind, data in first)
    only = read_events(daemon, "/api/v1/stream?from=3&type=Intent", 3)
    assert {data["class"] for _, _, data in only} == {"Intent"}
    daemon.stop()


def streams_end_with_the_daemon_and_free_their_places(folder):
    daemon = Daemon(folder)
    held = []
    for _ in range(32):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30 * SLOW)
        connection.request("GET", "/api/v1/stream?from=HEAD")
        assert connection.getresponse().status == 200
        held.append(connection)
    assert daemon.get("/api/v1/stream")[0] == 503
    assert daemon.get("/api/v1/head")[0] == 200
    for connection in held[1:]:
        connection.close()
    end = time.monotonic() + 30 * SLOW
    while daemon.get("/api/v1/tail")[0] != 200 or "plimsoll_readers 1\n" not in daemon.get("/metrics")[2]:
        assert time.monotonic() < end, "places are not given back"
        time.sleep(0.2)
    daemon.stop()
    children = subprocess.run(["pgrep", "-P", str(daemon.process.pid)], capture_output=True, check=False)
    assert children.stdout == b"", children.stdout


def the_document_lists_what_there_is(folder):
    daemon = Daemon(folder)
    document = daemon.json("/api/openapi.json")
    assert document["openapi"].startswith("3.") and len(document["paths"]) >= 20
    values = {"kind": "job", "name": "small-1", "namespace": "team", "seq": "5"}
    for path, item in document["paths"].items():
        assert list(item) == ["get"], path
        named = {p["name"] for p in item["get"]["parameters"] if p["in"] == "path"}
        assert named == set(re.findall(r"\{(\w+)\}", path)), path
        if path.endswith("/stream"):
            continue
        local = dict(values)
        if "clusterqueues" in path:
            local["name"] = "team"
        if "localqueues" in path:
            local["name"] = "team-queue"
        url = path.format(**local)
        query = {"/api/v1/diff": "?a=1&b=HEAD", "/api/v1/visibility": "?queue=cq/team"}.get(path, "")
        status, _, text = daemon.get(url + query)
        assert status == 200, (url, status, text[:200])
    daemon.stop()


def lines_of_queues_are_kueues_body(folder):
    daemon = Daemon(folder, scenario=LINES)
    end = time.monotonic() + 30 * SLOW
    base = "/apis/visibility.kueue.x-k8s.io/v1beta2"
    while True:
        body = daemon.json(f"{base}/clusterqueues/line/pendingworkloads")
        if len(body["items"]) >= 6 or time.monotonic() > end:
            break
        time.sleep(0.2)
    items = body["items"]
    assert body["kind"] == "PendingWorkloadsSummary" and len(items) == 6, body
    assert [item["positionInClusterQueue"] for item in items] == list(range(6)), items
    assert set(items[0]) == {"metadata", "priority", "localQueueName", "positionInClusterQueue",
                             "positionInLocalQueue"}
    assert items[0]["priority"] == 100 and items[0]["metadata"]["namespace"] == "one", items[0]
    assert items[0]["metadata"]["ownerReferences"][0]["apiVersion"] == "batch/v1"
    part = daemon.json(f"{base}/clusterqueues/line/pendingworkloads?offset=2&limit=3")
    assert part["items"] == items[2:5]
    local = daemon.json(f"{base}/namespaces/two/localqueues/same/pendingworkloads")["items"]
    assert {item["metadata"]["namespace"] for item in local} == {"two"}, local
    assert [item["positionInLocalQueue"] for item in local] == list(range(len(local)))
    assert daemon.get(f"{base}/clusterqueues/nope/pendingworkloads")[0] == 404
    daemon.stop()


# ---- metrics and health --------------------------------------------------------------------------

def promtool():
    kept = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
                        "plimsoll", "promtool")
    found = shutil.which("promtool") or kept
    assert os.path.exists(found), "no promtool: run ./dev setup"
    return found


def samples(text):
    """{(name without suffix, labels): value} and {name: type}"""
    kinds, rows = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in kinds, f"{name} twice"
            kinds[name] = kind
        elif not line.startswith("#"):
            match = re.fullmatch(r'([a-z_]+)(?:\{(.*)\})? (\S+)', line)
            assert match, line
            labels = dict(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', match[2] or ""))
            key = (match[1], tuple(sorted(labels.items())))
            assert key not in rows, line
            rows[key] = match[3]
    return rows, kinds


def upstream():
    with open(os.path.join(HERE, "upstream.txt"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] != "#":
                labels = words[2].replace("@node", ",".join(NODE_LABELS)).split(",") if words[2:] else []
                yield words[0], words[1], set(labels)


def check_labels(rows, kinds):
    """Every family that is there has upstream's type and labels; returns those that are."""
    seen = set()
    want = {name: (kind, labels) for name, kind, labels in upstream()}
    for (name, labels), _ in rows.items():
        base = name if name in kinds else re.sub("_(bucket|sum|count)$", "", name)
        assert base in kinds, name
        if base in want:
            kind, names = want[base]
            assert kind == kinds[base], (base, kinds[base])
            have = {label for label, _ in labels} - {"le", "quantile"}
            assert have == names, (base, have ^ names)
            seen.add(base)
    return seen


def metrics_are_those_of_upstream(folder):
    daemon = Daemon(folder, scenario=BURST)
    seen, end = set(), time.monotonic() + 90 * SLOW
    want = {name for name, kind, _ in upstream() if kind != "absent"}
    while time.monotonic() < end and not want <= seen:
        status, headers, text = daemon.get("/metrics")
        assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
        rows, kinds = samples(text)
        seen |= check_labels(rows, kinds)
        time.sleep(0.5)
    assert not {name for name, kind, _ in upstream() if kind == "absent"} & seen
    # A removal that is dropped when it is looked at again needs a pod just then.
    rare = {"karpenter_voluntary_disruption_failed_validations_total"}
    missing = want - seen - rare
    assert not missing, sorted(missing)
    done = subprocess.run([promtool(), "check", "metrics"], input=text, capture_output=True, text=True,
                          check=False)
    complaints = [line for line in (done.stdout + done.stderr).splitlines()
                  if line.strip() and line.split()[0] not in ODD]
    assert not complaints, complaints
    assert int(rows[("plimsoll_log_head_seq", ())]) > 10
    daemon.stop()


def the_document_says_what_is_absent(_):
    with open(os.path.join(ROOT, "docs", "status.md"), encoding="utf-8") as file:
        page = file.read()
    for name, kind, _ in upstream():
        if kind == "absent":
            assert f"`{name}`" in page, f"docs/status.md does not say why {name} is absent"


def a_restart_lowers_no_counter_of_the_log(folder):
    first = Daemon(folder, scenario=STILL)
    first.settle()
    before, kinds = samples(first.get("/metrics")[2])
    first.stop()
    second = Daemon(folder)
    end = time.monotonic() + 30 * SLOW
    while True:
        after, _ = samples(second.get("/metrics")[2])
        if any(name.startswith("kueue_") and name != "kueue_build_info" and "attempt_d" not in name
               for name, _ in after):
            break
        assert time.monotonic() < end
        time.sleep(0.05)
    checked = 0
    for (name, labels), value in before.items():
        mine = name.startswith(("kueue_", "karpenter_")) or name in (
            "plimsoll_log_events_total", "plimsoll_effects_total", "plimsoll_decisions_total")
        if mine and kinds.get(name) == "counter":
            assert float(after[(name, labels)]) >= float(value), (name, labels)
            checked += 1
    assert checked > 10
    page = second.cli("metrics", "-L", folder)
    assert "kueue_admitted_workloads_total" in page
    second.stop()


def health_names_its_checks(folder):
    daemon = Daemon(folder)
    end = time.monotonic() + 30 * SLOW
    while daemon.get("/readyz", port=daemon.health)[0] != 200:
        assert time.monotonic() < end
        time.sleep(0.05)
    for port in (daemon.port, daemon.health):
        for path in ("/livez", "/readyz", "/healthz"):
            assert daemon.get(path, port=port)[::2] == (200, "ok\n"), path
            status, _, text = daemon.get(path + "?verbose", port=port)
            assert status == 200 and "[+]engine ok\n" in text, text
            assert text.endswith(f"{path[1:]} check passed\n"), text
    text = daemon.get("/readyz?verbose")[2]
    for name in ("started", "disk", "lease", "caught-up"):
        assert f"[+]{name} ok" in text, text
    assert daemon.get("/metrics", port=daemon.health)[0] == 404
    assert daemon.get("/api/v1/head", port=daemon.health)[0] == 404
    version = daemon.json("/version")
    assert version["version"] and version["bundle"], version
    daemon.stop()


# ---- clients that are hostile, slow, or many -----------------------------------------------------

def raw(port, data, seconds=5, half_close=False):
    with socket.create_connection(("127.0.0.1", port), timeout=seconds * SLOW) as connection:
        try:
            connection.sendall(data)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
                if b"\r\n\r\n" in answer and len(answer) > 12:
                    break
            return answer
        except OSError:
            return b""


def bad_requests_are_refused_and_it_lives(folder):
    daemon = Daemon(folder)
    for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\xff\xfe\r\n\r\n",
                 b"GET /api/v1/head HTTP/1.1\r\nHost\r\n\r\n", b"G" * 100000,
                 b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000 + b"\r\n",
                 b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                 b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        answer = raw(daemon.port, data, half_close=True)
        assert b" 200 " not in answer[:20], (data[:40], answer[:80])
    rows = (
        ("/api/v1", 404), ("/api/v1/", 404), ("/api/v1/nope", 404), ("/api/v1/head/x", 404),
        ("/api/v1/objects/", 404), ("/api/v1/objects//x", 404), ("/api/v1/objects/nokinds", 400),
        ("/api/v1/objects/jobs/a/b/c", 404), ("/api/v1/why/job", 404), ("/api/v1/why/job/x/y", 404),
        ("/api/v1/../../etc/passwd", 404), ("/api/v1/objects/%2e%2e/x", 400),
        ("/api/v1/head?at=-1", 400), ("/api/v1/head?at=99999999999", 404),
        ("/api/v1/head?at=1&before=2", 400), ("/api/v1/head?log=/etc", 400),
        ("/api/v1/head?filename=/etc/passwd", 400), ("/api/v1/head?L=/tmp", 400),
        ("/api/v1/tail?follow=true", 400), ("/api/v1/head?timeout=1s", 400),
        ("/api/v1/state?path=--hash", 404), ("/api/v1/objects/--help", 400),
        ("/api/v1/objects/-o", 400), ("/api/v1/head?o=nope", 400), ("/api/v1/head?help=true", 400),
        ("/api/v1/events/x", 400), ("/api/v1/events?from=9&to=3", 400), ("/api/v1/diff", 400),
        ("/api/v1/objects/jobs?limit=x", 400), ("/api/v1/objects/jobs?limit=-5", 400),
        ("/api/v1/head?" + "&".join(f"a{i}=1" for i in range(60)), 400), ("/nope", 404), ("/", 404),
        ("/api/v1/visibility/clusterqueues//pendingworkloads", 404),
        ("/api/v1/objects/jobs%00x", 400), ("/api/v1/objects/%ff%fe", 400),
    )
    for path, want in rows:
        status, headers, text = daemon.get(path)
        assert status == want, (path, status, text[:200])
        assert "default-src 'none'" in headers["Content-Security-Policy"], headers
        assert "Access-Control-Allow-Origin" not in headers
        if path.startswith("/api/v1/") and "json" in headers["Content-Type"]:
            assert json.loads(text)["kind"] == "Error", text
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        assert daemon.get("/api/v1/head", method=method)[0] == 405, method
    assert daemon.get("/api/v1/head", method="POST", body="x" * 1000)[0] == 405
    try:  # it answers at once and reads none of it
        assert daemon.get("/api/v1/head", method="POST", body="x" * 10000000)[0] == 405
    except (OSError, http.client.HTTPException):
        pass
    assert daemon.get("/api/v1/head", body="x" * 1000)[0] == 413
    status, headers, text = daemon.get("/api/v1/head", method="HEAD")
    assert status == 200 and text == "" and int(headers["Content-Length"]) > 100
    assert daemon.get("/api/v1/head")[0] == 200
    daemon.stop()


def a_browser_led_here_by_another_name_is_refused(folder):
    daemon = Daemon(folder)
    for host, want in (("evil.example", 403), ("evil.example:8080", 403), ("localhost:1", 200),
                       ("127.0.0.1", 200), ("[::1]:80", 200), ("localhost.evil.example", 403)):
        assert daemon.get("/api/v1/head", {"Host": host})[0] == want, host
    daemon.stop()


def a_byte_now_and_then_keeps_no_place(folder):
    """Headers that never end are cut off after ten seconds, however busily they are sent."""
    daemon = Daemon(folder)
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=60 * SLOW) as connection:
        connection.sendall(b"GET /api/v1/head HTTP/1.1\r\nHost: localhost\r\n")
        try:
            while time.monotonic() - began < 40 * SLOW:
                connection.sendall(b"X: y\r\n")
                time.sleep(0.5)
        except ConnectionError:
            pass
    took = time.monotonic() - began
    assert took < 20 * SLOW, took
    daemon.stop()


def many_clients_do_not_stop_it(folder):
    """Silent connections up to the bound, questions above it, and the engine goes on."""
    daemon = Daemon(folder)
    silent = [socket.create_connection(("127.0.0.1", daemon.port)) for _ in range(60)]
    statuses, failures = [], []

    def ask():
        for _ in range(10):
            try:
                statuses.append(daemon.get("/api/v1/state")[0])
            except (OSError, http.client.HTTPException) as problem:
                failures.append(problem)

    threads = [threading.Thread(target=ask) for _ in range(24)]
    before = daemon.get("/livez", port=daemon.health)[0]
    for thread in threads:
        thread.start()
    probes = []
    while any(thread.is_alive() for thread in threads):
        probes.append(daemon.get("/livez", port=daemon.health)[0])
        time.sleep(0.2)
    for thread in threads:
        thread.join()
    for connection in silent:
        connection.close()
    assert before == 200 and set(probes) == {200}, probes
    assert set(statuses) <= {200, 503} and statuses.count(200) > 0, statuses
    end = time.monotonic() + 30 * SLOW
    while True:
        try:
            if daemon.get("/api/v1/head")[0] == 200:
                break
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < end
        time.sleep(0.2)
    daemon.settle()
    jobs = daemon.json("/api/v1/objects/jobs")["items"]
    assert jobs and all(job.get("end") == "Complete" for job in jobs), "work was left undone"
    daemon.stop()


def other_addresses_need_a_token(folder):
    """Nobody reviews tokens without an API server, so nobody is let in; probes and metrics are open."""
    daemon = Daemon(folder, address="0.0.0.0")
    status, headers, text = daemon.get("/api/v1/head")
    assert status in (401, 403) and json.loads(text)["kind"] == "Error", text
    for headers in ({"Authorization": "Bearer x"}, {"Plimsoll-Token": "x"}):
        assert daemon.get("/api/v1/head", headers)[0] == 403
        assert daemon.get("/api/v1/stream", headers)[0] == 403
    assert daemon.get("/api/openapi.json")[0] in (401, 403)
    end = time.monotonic() + 30 * SLOW
    while daemon.get("/readyz")[0] != 200:
        assert time.monotonic() < end
        time.sleep(0.05)
    for path in ("/metrics", "/livez", "/version"):
        assert daemon.get(path)[0] == 200, path
    token = os.path.join(folder, "token")
    with open(token, "w", encoding="utf-8") as file:
        file.write("secret-token\n")
    daemon.cli("head", "--server", daemon.url, "--token-file", token, want=4)
    daemon.cli("head", "--server", "http://192.0.2.1:80", "--token-file", token, want=8)
    daemon.stop()
    assert "secret-token" not in daemon.text()


TESTS = (
    answers_are_those_of_the_command_line,
    what_it_says_of_now_is_of_one_moment,
    server_prints_what_the_log_prints,
    pages_of_a_list_join,
    an_unchanged_answer_is_304,
    a_stream_is_taken_up_where_it_ended,
    streams_end_with_the_daemon_and_free_their_places,
    the_document_lists_what_there_is,
    lines_of_queues_are_kueues_body,
    metrics_are_those_of_upstream,
    the_document_says_what_is_absent,
    a_restart_lowers_no_counter_of_the_log,
    health_names_its_checks,
    bad_requests_are_refused_and_it_lives,
    a_browser_led_here_by_another_name_is_refused,
    a_byte_now_and_then_keeps_no_place,
    many_clients_do_not_stop_it,
    other_addresses_need_a_token,
)


def main():
    failed = 0
    only = sys.argv[2:]
    tests = [test for test in TESTS if not only or test.__name__ in only]
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        folder = tempfile.mkdtemp(prefix="plm-serve-")
        try:
            test(os.path.join(folder, "data"))
            print(f"ok {number} - {test.__name__}", flush=True)
        except Exception as problem:  # every failure is one line of TAP
            failed += 1
            text = f"{type(problem).__name__}: {problem}".replace("\n", "\\n")[:1500]
            print(f"not ok {number} - {test.__name__}\n# {text}", flush=True)
        finally:
            for process in Daemon.alive:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            Daemon.alive.clear()
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


sys.exit(main())
