"""What the verbs answer, for scripts and for people."""
import json
import os
import pty
import re
import subprocess
import sys
import threading
import time

import yaml

import harness

# The loader in C, where there is one: the whole state is megabytes.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def objects(text):
    """The document, and its keys checked: sorted everywhere, no floats."""
    def pairs(items):
        keys = [key for key, _ in items]
        assert keys == sorted(keys), keys
        return dict(items)

    def no_float(text):
        raise AssertionError(f"a float: {text}")
    return json.loads(text, object_pairs_hook=pairs, parse_float=no_float)


READS = [
    ["get", "workloads"], ["get", "cq"], ["get", "nodeclaims"], ["get", "nodes"], ["get", "pods"],
    ["get", "decisions"], ["get", "events"], ["get", "effects"], ["get", "instancetypes"],
    ["get", "stockouts"], ["get", "podsets"], ["get", "nodepools"], ["get", "workqueues"],
    ["get", "localqueues"], ["get", "cohorts"], ["get", "flavors"], ["get", "nodetemplates"],
    ["describe", "podset/train-1"], ["why", "podset/train-1"], ["why", "workload/podset-train-2"],
    ["why", "nodepool/general"], ["why", "cq/ml-queue"], ["why", "lq/ml"], ["why", "wq/ml-work"],
    ["why", "namespace/ml"], ["timeline", "podset/train-1"], ["state"], ["log", "show"],
    ["log", "stat"], ["log", "verify"],
]
if os.environ.get("PLM_SHORT"):  # sanitizer builds: every fourth
    READS = READS[::4]


def test_documents_are_stable_and_sorted(run, folder):
    for words in READS:
        first = run(*words, "-L", run.log("sim"), "-o", "json")
        again = run(*words, "-L", run.log("sim"), "-o", "json")
        assert first == again, words
        doc = objects(first)
        assert doc["apiVersion"] == "plimsoll.dev/v1alpha1", words
        assert doc["kind"], words


def test_yaml_says_what_json_says(run, folder):
    for words in READS:
        doc = yaml.load(run(*words, "-L", run.log("sim"), "-o", "yaml"), Loader=LOADER)
        assert doc == json.loads(run(*words, "-L", run.log("sim"), "-o", "json")), words


def test_tables_have_headers_that_can_be_left_out(run, folder):
    for words in [w for w in READS if w[0] == "get"]:
        table = run(*words, "-L", run.log("sim"))
        bare = run(*words, "-L", run.log("sim"), "--no-headers")
        if not table:  # "No resources found." stands on stderr
            assert "No resources found" in run.err or bare == "", words
            continue
        assert table.splitlines()[0].strip()[0].isupper(), words
        assert len(bare.splitlines()) == len(table.splitlines()) - 1, words
        wide = run(*words, "-L", run.log("sim"), "-o", "wide")
        assert len(wide.splitlines()) == len(table.splitlines()), words


def test_decide_lists(run, folder):
    doc = objects(run("decide", "-f", "queues.yaml", "--cycles", "stable", "--compat", "strict",
                      "-o", "json"))
    assert doc["kind"] == "DecisionList" and doc["now"] == "2026-01-01T10:03:00Z"
    assert [row["workload"] for row in doc["admitted"]] == ["ml/first", "ml/second"]
    assert doc["admitted"][0] == {
        "workload": "ml/first", "clusterQueue": "team-a", "admitted": True,
        "podSets": [{"name": "main", "count": 4, "flavors": {"cpu": "default"}}]}
    assert [(row["workload"], row["reason"], row["position"]) for row in doc["pending"]] == [
        ("ml/huge", "ExceedsMaxQuota", 1), ("ml/third", "WaitingForQuota", 1)]
    assert doc["pending"][1]["message"].startswith(
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed")
    assert doc["preempted"] == [] and doc["disruptions"] == []


def test_decide_one_cycle_takes_one_head_per_queue(run, folder):
    doc = objects(run("decide", "-f", "queues.yaml", "--cycles", "1", "-o", "json"))
    assert doc["cycles"] == 1
    assert [row["workload"] for row in doc["admitted"]] == ["ml/first"]
    doc = objects(run("decide", "-f", "queues.yaml", "--cycles", "2", "-o", "json"))
    assert [row["workload"] for row in doc["admitted"]] == ["ml/first", "ml/second"]


def test_decide_buys_a_node(run, folder):
    doc = objects(run("decide", "-f", "pool.yaml", "--cycles", "stable", "-o", "json"))
    claim, = doc["nodeClaims"]
    assert claim["nodePool"] == "general" and claim["instanceTypes"] == ["m5.xlarge", "m5.2xlarge"]
    assert claim["capacityType"] == "on-demand" and claim["priceMicroUSDPerHour"] == 192000
    assert claim["pods"] == ["default/web"]
    assert claim["requests"] == {"cpu": "3", "memory": "2Gi", "pods": "1"}
    assert doc["placements"] == [{"pod": "default/web", "node": claim["name"]}]
    settled = objects(run("decide", "-f", "pool.yaml", "-o", "json"))
    assert settled["settled"] is True
    assert [c["pods"] for c in settled["nodeClaims"]] == [["default/web"]]
    assert [row["pod"] for row in settled["placements"]] == ["default/web"]


def test_decide_only_one_area(run, folder):
    doc = objects(run("decide", "-f", "pool.yaml", "-f", "queues.yaml", "--only", "queues", "-o", "json"))
    assert doc["admitted"] and not doc["nodeClaims"]
    doc = objects(run("decide", "-f", "pool.yaml", "-f", "queues.yaml", "--only", "nodes", "-o", "json"))
    assert not doc["admitted"]


def test_decide_reads_standard_input_like_a_file(run, folder):
    text = (run.source / "queues.yaml").read_text()
    assert run("decide", "-f", "-", "-o", "json", stdin=text) == run(
        "decide", "-f", "queues.yaml", "-o", "json")


def test_decide_reads_lists_and_json(run, folder):
    docs = list(yaml.safe_load_all((run.source / "queues.yaml").read_text()))
    dump = folder / "dump.json"
    dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": docs}))
    assert run("decide", "-f", dump, "-o", "json") == run("decide", "-f", "queues.yaml", "-o", "json")


def test_decide_with_asks_what_if(run, folder):
    more = folder / "more.yaml"
    more.write_text("""apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: urgent, namespace: ml, creationTimestamp: "2026-01-01T09:00:00Z"}
spec:
  queueName: lq-a
  priority: 100
  podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}}]
""")
    doc = objects(run("decide", "-f", "queues.yaml", "--with", more, "-o", "json"))
    assert "ml/urgent" in [row["workload"] for row in doc["admitted"]]


def test_decide_warns_about_what_it_ignores(run, folder):
    other = folder / "other.yaml"
    other.write_text("apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: a}\n---\n"
                     "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: b}\n")
    run("decide", "-f", "queues.yaml", "-f", other)
    assert run.err.count("Gadget") == 1 and run.err.startswith("warning: "), run.err


def test_decide_explains(run, folder):
    plain = run("decide", "-f", "queues.yaml")
    assert "would do" not in plain
    assert "would do: 1 cpu free in flavor default" in run("decide", "-f", "queues.yaml", "--explain")


def test_decide_names_both_obstacles_of_the_samples(run, folder):
    """spec: the dialect's last section, one line each, and the smallest change for each."""
    sample = run.source / "sample"
    out = run("decide", "-f", sample)
    assert re.search(r"wait +data-science-prod/podset-training-job-001 .*nvidia.com/gpu: 8 in one pod, "
                     r"the largest has 4 \(g5.12xlarge\)", out), out
    assert "untolerated taint node-role.kubernetes.io/control-plane:NoSchedule of node pool ml-nodepool" in out
    assert "would do: an instance type with at least 8 nvidia.com/gpu" in out
    assert "a toleration of node-role.kubernetes.io/control-plane:NoSchedule" in out
    why = run("why", "podset/training-job-001", "-f", sample)
    for part in ("NoCapacity", "8 in one pod, the largest has 4 (g5.12xlarge)",
                 "untolerated taint node-role.kubernetes.io/control-plane:NoSchedule",
                 "pods that request 4 nvidia.com/gpu less, for which a g5.12xlarge will do",
                 "node.kubernetes.io/instance-type=g4dn.metal allowed by NodeTemplate",
                 "a toleration of taint node-role.kubernetes.io/control-plane:NoSchedule"):
        assert part in why, (part, why)


def test_why_a_pod_has_no_node(run, folder):
    """ux.md 2.4: what each rule takes from each pool's types, where the last went, the smallest changes."""
    text = run("why", "pod/train", "-n", "ml", "-f", "funnel.yaml")
    for part in ("limit of node pool gpu: 4 nvidia.com/gpu left, 8 needed",
                 "INSTANCE TYPES      pool gpu ", "instance-category   -1273  In g, p ",
                 "zone                -2  In us-west-2b ",
                 "pool limit          -12  left: 4   <- the last went here",
                 "asked 8, there 0  c5.18xlarge   <- the last went here",
                 "a limit of nvidia.com/gpu in NodePool gpu that is 4 higher",
                 "pods that request 4 nvidia.com/gpu less, for which a g4dn.12xlarge will do"):
        assert part in text, (part, text)
    doc = objects(run("why", "pod/train", "-n", "ml", "-f", "funnel.yaml", "-o", "json"))
    gpu = next(pool for pool in doc["funnel"] if pool["nodePool"] == "gpu")["steps"]
    assert gpu[0]["rule"] == "catalogue" and gpu[-1]["rule"] == "pool limit" and gpu[-1]["left"] == 0
    lefts = [step["left"] for step in gpu]
    assert lefts == sorted(lefts, reverse=True)
    assert [(row["action"], row["option"]) for row in doc["unblockActions"]] == [
        ("raisePoolLimit", 0), ("lowerPodRequest", 1)]


def test_decide_keeps_its_log(run, folder):
    log = run.log("queues")
    assert "all is well" in run("log", "verify", "-L", log)
    assert "all as recorded" in run("replay", "-L", log)


def test_why_a_workload_waits(run, folder):
    for source in (["-L", run.log("queues")], ["-f", "queues.yaml"]):
        doc = objects(run("why", "workload/third", "-n", "ml", *source, "-o", "json"))
        assert doc["kind"] == "Explanation" and doc["subject"] == "workload/ml/third"
        assert doc["state"] == "Pending" and doc["reason"] == "WaitingForQuota"
        assert doc["needs"] == [{"podSet": "main", "count": 1, "each": {"cpu": "1"},
                                 "total": {"cpu": "1"}}]
        considered, = doc["considered"]
        assert (considered["candidate"], considered["outcome"], considered["need"],
                considered["have"], considered["short"]) == ("default", "no fit", "1", "0", "1")
        assert doc["unblock"] == ["1 cpu free in flavor default, or that much more nominalQuota "
                                  "in ClusterQueue team-a"]
        assert doc["unblockActions"] == [{
            "action": "raiseNominalQuota", "option": 0, "kind": "ClusterQueue", "name": "team-a",
            "flavor": "default", "resource": "cpu", "by": "1"}]
        assert doc["queue"]["position"] == 1 and doc["ahead"] == []
        assert doc["decision"]["seq"] == doc["causes"][0]["seq"]
        assert [cause["type"] for cause in doc["causes"]] == ["PEND", "CYCLE", "WORKLOAD"]


def test_why_text(run, folder):
    out = run("why", "workload/ml/third", "-L", run.log("queues"))
    for part in ("WaitingForQuota", "needs       1 cpu", "cq team-a (cohort all)   position 1 of 1",
                 "CANDIDATE", "unblocks with", "because of  PEND"):
        assert part in out, (part, out)


def test_why_of_what_is_gone(run, folder):
    gone = None
    for row in objects(run("get", "events", "-L", run.log("sim"), "-o", "json"))["items"]:
        gone = row["object"] if row["type"] == "CLAIM_END" else gone
    doc = objects(run("why", gone, "-L", run.log("sim"), "-o", "json"))
    assert doc["reason"] == "Empty" and "was empty for" in doc["message"], doc
    assert doc["decision"]["seq"] > 0
    node = doc["message"].split()[1]
    of_node = objects(run("why", f"node/{node}", "-L", run.log("sim"), "-o", "json"))
    assert (of_node["state"], of_node["reason"], of_node["decision"]) == (
        "Gone", "Empty", doc["decision"]), of_node
    assert f"because of  CLAIM_END {doc['decision']['seq']}" in run(
        "why", f"node/{node}", "-L", run.log("sim"))


def test_why_at_a_point(run, folder):
    log = run.log("sim")
    events = objects(run("log", "show", "-L", log, "-o", "json"))["items"]
    pend = next(e for e in events if e["type"] == "PEND")
    name = pend["object"].split("/")[-1]
    then = objects(run("why", f"workload/ml/{name}", "-L", log, "--at", pend["seq"], "-o", "json"))
    now = objects(run("why", f"workload/ml/{name}", "-L", log, "-o", "json"))
    assert then["state"] == "Pending" and then["reason"] == "MaxParallelJobs", then
    assert then["at"]["seq"] == pend["seq"] and then["decision"]["seq"] == pend["seq"]
    assert now["state"] == "Finished"


def test_ages_are_counted_from_the_moment_asked_for(run, folder):
    log = run.log("sim")
    early = objects(run("get", "wl", "-L", log, "--at", "2026-01-01T00:01:00Z", "-o", "json"))
    assert early["at"]["time"] < "2026-01-01T00:01:00Z"
    row = run("get", "wl", "podset-train-1", "-n", "ml", "-L", log, "--at", "2026-01-01T00:01:00Z",
              "--no-headers").split()
    assert row[-1] == "50s", row  # created at 10 s, though the last event before that is older


def test_timeline_follows_relatives_and_causes(run, folder):
    rows = objects(run("timeline", "podset/train-1", "-n", "ml", "-L", run.log("sim"), "-o", "json"))
    whats = [(row["what"], row["object"].split("/")[0]) for row in rows["items"]]
    for row in (("JOB", "podset"), ("RESERVE", "workload"), ("CLAIM", "nodeclaim"),
                ("INTENT", "nodeclaim"), ("RESULT", "nodeclaim"), ("ADMIT", "workload"),
                ("INTENT", "pod"), ("POD", "pod"), ("NODE", "node"), ("CLAIM_END", "nodeclaim")):
        assert row in whats, (row, whats)
    assert [r["seq"] for r in rows["items"]] == sorted({r["seq"] for r in rows["items"]})
    assert not any("train-2" in row["object"] for row in rows["items"])
    lines = run("timeline", "podset/train-1", "-n", "ml", "-L", run.log("sim"), "-o", "jsonl")
    assert [json.loads(line)["seq"] for line in lines.splitlines()] == [r["seq"] for r in rows["items"]]


def test_state_paths_and_hash(run, folder):
    log = run.log("queues")
    assert run("state", "-L", log, "clusterqueues.team-a.cohort").strip() == "all"
    assert run("state", "-L", log, "Workloads.ml/first.assignments.0.flavors.cpu").strip() == "default"
    whole = objects(run("state", "-L", log, "-o", "json"))
    assert run("state", "-L", log, "--hash").strip() == whole["stateHash"]
    assert whole["state"]["workloads"]["ml/first"]["reservedIn"] == "team-a"
    start = objects(run("state", "-L", log, "--at", "START", "-o", "json"))
    assert start["at"]["seq"] == 0 and "workloads" not in start["state"]


def test_points(run, folder):
    copy = run.copy("queues", folder)
    run.forge("mark", copy, "here")
    head = objects(run("log", "stat", "-L", copy, "-o", "json"))["headSeq"]
    def at(*words):
        return objects(run("state", "-L", copy, *words, "-o", "json"))["at"]["seq"]
    assert at() == head and at("--at", "HEAD") == head and at("--at", "mark:here") == head
    assert at("--before", "mark:here") == head - 1 and at("--at", "HEAD~1") == head - 1
    assert at("--at", "3") == 3 and at("--before", "3") == 2
    assert at("--at", "2099-12-31T00:00:00Z") == head - 1
    assert at("--at", "-1h") == head - 1
    shown = objects(run("log", "show", "-L", copy, "mark:here", "-o", "json"))
    assert shown["kind"] == "Event" and shown["payload"]["name"] == "here"


def test_diff_says_what_changed(run, folder):
    log = run.log("queues")
    events = objects(run("log", "show", "-L", log, "-o", "json"))["items"]
    reserve = next(e["seq"] for e in events if e["type"] == "RESERVE")
    doc = objects(run("diff", "-L", log, f"{reserve - 1}..{reserve}", "-o", "json", want=1))
    first = next(c for c in doc["changes"] if c["object"] == "workloads/ml/first")
    fields = {f["path"]: (f.get("from"), f.get("to")) for f in first["fields"]}
    assert fields["stage"] == ("Pending", "Admitted"), fields
    one = objects(run("diff", "-L", log, reserve - 1, reserve, "workload/ml/first", "-o", "json", want=1))
    assert [c["object"] for c in one["changes"]] == ["workloads/ml/first"]
    assert one["stat"] == {"workloads": {"added": 0, "changed": 1, "removed": 0}}
    assert re.search(r"^workloads +\+4 -0 ~0$", run("diff", "-L", log, "START", "--stat", want=1), re.M)
    run("diff", "-L", log, "START..HEAD", "--kind", "nodes")
    text = run("diff", "-L", log, f"{reserve - 1}..{reserve}", "workload/ml/first", want=1)
    assert "  stage\n    - Pending\n    + Admitted\n" in text, text


def test_log_show_filters(run, folder):
    log = run.log("sim")
    every = [json.loads(line) for line in run("log", "show", "-L", log, "-o", "jsonl").splitlines()]
    assert [e["seq"] for e in every] == sorted(e["seq"] for e in every)
    some = [json.loads(line) for line in
            run("log", "show", "-L", log, "--type", "decision,RESULT", "-o", "jsonl").splitlines()]
    assert some == [e for e in every if e["class"] == "Decision" or e["type"] == "RESULT"]
    of = [json.loads(line) for line in
          run("log", "show", "-L", log, "--object", "podset/ml/train-1", "-o", "jsonl").splitlines()]
    assert of and all(e["object"] == "podset/ml/train-1" for e in of)
    intent = next(e for e in every if e["type"] == "INTENT")
    assert intent["payload"]["request"] and "frozen" not in intent["payload"]
    head = every[-1]["seq"]
    part = run("log", "show", "-L", log, f"{head - 3}..{head}", "-o", "jsonl").splitlines()
    assert [json.loads(line) for line in part] == [e for e in every if e["seq"] > head - 3]


def test_log_show_of_a_long_payload(run, folder):
    log = run.log("sim")
    catalog = next(json.loads(line)["seq"] for line in
                   run("log", "show", "-L", log, "-o", "jsonl").splitlines()
                   if json.loads(line)["type"] == "CATALOG")
    doc = objects(run("log", "show", "-L", log, catalog, "-o", "json"))
    assert doc["type"] == "CATALOG" and len(doc["payload"]["types"]) > 100
    inside = objects(run("log", "show", "-L", log, catalog - 3, "-o", "json"))
    assert inside["seq"] == catalog  # a part of it stands for it


def test_log_round_trip(run, folder):
    log = run.log("sim")
    run("log", "export", "-L", log, "-o", folder / "a.plog")
    run("log", "import", folder / "a.plog", "--into", folder / "again")
    def facts(path):
        stat = objects(run("log", "stat", "-L", path, "-o", "json"))
        return stat["chainHead"], stat["headSeq"], stat["frames"], run("state", "-L", path, "--hash")
    assert facts(log) == facts(folder / "a.plog") == facts(folder / "again")
    for path in (folder / "a.plog", folder / "again"):
        assert run("log", "show", "-L", path) == run("log", "show", "-L", log)
        assert run("log", "verify", "-L", path, "-o", "json")


def test_log_tail(run, folder):
    log = run.log("sim")
    lines = run("log", "show", "-L", log, "-o", "jsonl").splitlines()
    assert run("log", "tail", "-L", log, "-o", "jsonl", "-n", "3").splitlines() == lines[-3:]
    assert len(run("log", "tail", "-L", log, "--no-headers").splitlines()) == 10


def test_log_tail_follows(run, folder):
    source = run.log("queues")
    want = run("log", "show", "-L", source, "-o", "jsonl").splitlines()
    run.forge("slow", source, folder / "grows")  # whole first: a folder to follow must exist
    target = folder / "live"
    writer = subprocess.Popen([run.forge_path, "slow", source, target])
    while not (target / "head").exists():
        time.sleep(0.01)
    follower = subprocess.Popen([run.binary, "log", "tail", "-f", "-n", "1000000", "-o", "jsonl",
                                 "-L", target], stdout=subprocess.PIPE, text=True)
    got = [follower.stdout.readline().rstrip("\n") for _ in want]
    follower.terminate()
    follower.wait(timeout=20)
    assert writer.wait(timeout=20) == 0
    assert got == want


def test_replay_report(run, folder):
    doc = objects(run("replay", "-L", run.log("sim"), "-o", "json"))
    assert doc["kind"] == "ReplayReport" and doc["diverged"] is None
    assert doc["decisions"] > 0 and doc["cycles"] > 0 and doc["eventsPerSecond"] > 0
    assert doc["stateHash"] == run("state", "-L", run.log("sim"), "--hash").strip()
    part = objects(run("replay", "-L", run.log("sim"), "HEAD~30..HEAD~2", "-o", "json"))
    assert part["diverged"] is None and part["toSeq"] <= doc["toSeq"] - 2


def test_get_names_and_single_objects(run, folder):
    log = run.log("queues")
    assert run("get", "wl", "-L", log, "-o", "name").splitlines() == [
        "workload/ml/first", "workload/ml/huge", "workload/ml/second", "workload/ml/third"]
    one = objects(run("get", "wl", "first", "-n", "ml", "-L", log, "-o", "json"))
    assert one["object"]["name"] == "first" and one["stage"] == "Admitted"
    assert run("get", "wl/ml/first", "-L", log, "--no-headers").split()[:2] == ["ml", "first"]
    assert run("get", "wl", "-n", "other", "-L", log) == "" and "No resources found" in run.err
    assert re.search(r"team-a +all +BestEffortFIFO +1 +2 +cpu 12/10", run("get", "cq", "-L", log))


USAGE = """
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
admissionFairSharing: {usageHalfLifeTime: 10m, usageSamplingInterval: 1m}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: l, namespace: n}
spec: {clusterQueue: q}
status:
  fairSharing:
    admissionFairSharingStatus: {consumedResources: {cpu: 4, memory: 1Gi}, lastUpdate: "2026-01-01T00:00:00Z"}
"""


def test_usage_of_a_local_queue_decays(run, folder):
    (folder / "usage.yaml").write_text(USAGE)
    log = folder / "log"
    run("decide", "-f", folder / "usage.yaml", "--now", "2026-01-01T00:10:30Z", "-L", log)
    have = objects(run("get", "lq", "l", "-n", "n", "-L", log, "-o", "json"))["status"]
    assert have["fairSharing"]["admissionFairSharingStatus"] == {
        "consumedResources": {"cpu": "2", "memory": "512Mi"},
        "lastUpdate": "2026-01-01T00:10:00Z"}, have


def test_describe(run, folder):
    out = run("describe", "workload/third", "-n", "ml", "-L", run.log("queues"))
    for part in ("Object:  workload/ml/third", "State:   Pending", "Fields:", "queue: lq-a", "Events:"):
        assert part in out, (part, out)


SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9]+(?:\.[0-9]+)?|NaN)')


def test_metrics_are_an_exposition(run, folder):
    """Each family once with its type, each series once, buckets that only grow and end at the count."""
    types, series, buckets = {}, {}, {}
    for line in run("metrics", "-L", run.log("sim")).splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            assert name not in types, name
            types[name] = kind
        elif not line.startswith("# HELP "):
            name, labels, value = SAMPLE.fullmatch(line).groups("")
            family = re.sub(r"_(bucket|sum|count)$", "", name)
            family = family if types.get(family) in ("histogram", "summary") else name
            assert list(types)[-1] == family, line
            assert (name, labels) not in series, line
            assert ('replica_role="standalone"' in labels) == name.startswith("kueue_"), line
            assert types[family] != "counter" or name.endswith("_total"), name
            series[name, labels] = float(value)
            if name.endswith("_bucket") and types[family] == "histogram":
                rest = ",".join(part for part in labels.split(",") if not part.startswith('le="'))
                assert float(value) >= buckets.get((family, rest), 0), line
                buckets[family, rest] = float(value)
    for (family, rest), last in buckets.items():
        assert series[family + "_count", rest] == last, (family, rest)
    assert sum(value for (name, _), value in series.items()
               if name == "kueue_admitted_workloads_total") > 0


def test_metrics_at_a_point(run, folder):
    before = run("metrics", "-L", run.log("sim"), "--at", "START")
    assert "kueue_admitted_workloads_total" not in before


def test_status_of_queues_and_workloads(run, folder):
    for row in json.loads(run("get", "cq", "-L", run.log("sim"), "-o", "json"))["items"]:
        active = row["status"]["conditions"][0]
        assert (active["type"], active["status"], active["reason"]) == ("Active", "True", "Ready")
        held = row["status"]["reservingWorkloads"]
        assert held >= row["status"]["admittedWorkloads"]
    doc = json.loads(run("describe", "workload/podset-train-1", "-n", "ml", "-L", run.log("sim"),
                         "-o", "json"))
    kinds = [row["type"] for row in doc["status"]["conditions"]]
    assert kinds == sorted(kinds) and "QuotaReserved" in kinds
    assert "QuotaReserved" in [row["reason"] for row in doc["announced"]]


def test_sim_is_repeatable(run, folder):
    report = run("sim", "scenario.yaml", "-o", "json", "--seed", "7")
    assert report == run("sim", "scenario.yaml", "-o", "json", "--seed", "7")
    assert report != run("sim", "scenario.yaml", "-o", "json", "--seed", "8")
    doc = objects(report)
    assert doc["kind"] == "SimReport" and doc["finished"] == 4 and doc["invariantViolations"] == 0


def test_sim_log_is_the_run(run, folder):
    doc = objects(run("sim", "scenario.yaml", "-o", "json"))
    stat = objects(run("log", "stat", "-L", run.log("sim"), "-o", "json"))
    assert doc["logHead"] == stat["chainHead"]
    assert doc["stateHash"] == run("state", "-L", run.log("sim"), "--hash").strip()


def test_sim_tells_what_happens(run, folder):
    out = run("sim", "scenario.yaml", "-v", "--until", "5m")
    assert "reserve" in out and "launch" in out, out


def test_called_by_another_name(run, folder):
    plugin = folder / "kubectl-plimsoll"
    plugin.symlink_to(run.binary)
    assert "kubectl plimsoll VERB [flags]" in run("--help", binary=plugin)
    run("frobnicate", want=2, binary=plugin)
    assert "usage: kubectl plimsoll VERB" in run.err
    complete = folder / "kubectl_complete-plimsoll"
    complete.symlink_to(run.binary)
    assert run("log", "s", binary=complete).splitlines()[-1] == ":4"
    assert "show\t" in run("log", "s", binary=complete)


def test_completion_scripts(run, folder):
    for shell in ("bash", "zsh", "fish"):
        assert "__complete" in run("completion", shell)
    script = folder / "plimsoll.bash"
    script.write_text(run("completion", "bash"))
    (folder / "plimsoll").symlink_to(run.binary)
    asked = subprocess.run(["bash", "-c", f"""PATH={folder}:$PATH; . {script}
        COMP_WORDS=(plimsoll decide --compat ""); COMP_CWORD=3; _plimsoll; echo "${{COMPREPLY[@]}}"
        COMP_WORDS=(plimsoll log ver); COMP_CWORD=2; _plimsoll; echo "${{COMPREPLY[@]}}" """],
        capture_output=True, text=True, check=True, timeout=60)
    assert asked.stdout == "strict better\nverify\n", asked


def test_why_where_nodes_are_observed(run, folder):
    """A pod for which a node would be bought: says who does not decide, instead of nothing."""
    text = (run.source.parents[1] / "examples/nodes/rules/not-ready.yaml").read_text()
    text = text.replace("{team: a}", "{team: b}")
    file = folder / "in.yaml"
    file.write_text(text)
    doc = json.loads(run("why", "pod/web", "-n", "web", "-f", file, "--only", "queues", "-o", "json"))
    assert (doc["reason"], doc["message"]) == (
        "Observed", "nothing is decided on nodes here: they are observed only, until --enforce nodes"), doc
    doc = json.loads(run("why", "pod/web", "-n", "web", "-f", file, "-o", "json"))
    assert doc["reason"] == "Bound", doc


def test_help_of_every_verb(run, folder):
    reference = (run.source.parents[1] / "docs" / "cli.md").read_text()
    assert reference == run("help", "--markdown"), "docs/cli.md: run `plimsoll help --markdown > docs/cli.md`"
    verbs = re.findall(r"^## (?!Exit codes)(.+)$", reference, re.M)
    assert len(verbs) > 15
    for verb in verbs:
        page = run(*verb.split(), "--help")
        assert page == run("help", *verb.split())
        for part in ("Flags:", "Examples:", "Exit codes:", "--help"):
            assert part in page, verb
        man = run("help", *verb.split(), "--man")
        assert man.startswith(".TH PLIMSOLL-") and ".SH EXAMPLES" in man, verb
    assert run("help", "--man").startswith(".TH PLIMSOLL 1")
    for path in re.findall(r"examples/[\w./-]+", reference):
        assert (run.source.parents[1] / path).exists(), path


def test_pages_are_installed(run, folder):
    script = run.source.parents[1] / "tools" / "install_pages.py"
    subprocess.run([sys.executable, script, run.binary, folder], check=True, timeout=120)
    pages = {page.name for page in (folder / "share/man/man1").iterdir()}
    assert {"plimsoll.1", "plimsoll-decide.1", "plimsoll-log-show.1", "plimsoll-why.1"} <= pages
    assert "complete" in (folder / "share/bash-completion/completions/plimsoll").read_text()
    assert (folder / "share/zsh/site-functions/_plimsoll").read_text().startswith("#compdef")
    assert (folder / "bin/kubectl-plimsoll").readlink().name == "plimsoll"


def on_terminal(run, *words, **env):
    """What the verb writes to a terminal."""
    leader, follower = pty.openpty()
    done = subprocess.Popen([run.binary, *map(str, words)], stdin=subprocess.DEVNULL,
                            cwd=run.source, stdout=follower, stderr=follower, env=run.env(**env))
    os.close(follower)
    out = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    done.wait(timeout=60)
    os.close(leader)
    return out.decode()


def test_colour_only_on_a_terminal(run, folder):
    log = run.log("queues")
    assert "\x1b[" in on_terminal(run, "get", "wl", "-L", log)
    assert "\x1b[" not in on_terminal(run, "get", "wl", "-L", log, NO_COLOR="1")
    assert "\x1b[" not in run("get", "wl", "-L", log)
    assert "\x1b[" not in on_terminal(run, "get", "wl", "-L", log, TERM="dumb")


def test_progress_on_a_terminal_after_a_second(run, folder):
    slow = ("sim", "scenario.yaml", "--speed", "100", "--until", "4m")
    out = on_terminal(run, *slow)
    assert "virtual second" in out and "of 240" in out, out
    run(*slow)
    assert run.err == "", run.err


def test_no_progress_in_a_pipe(run, folder):
    run("log", "verify", "-L", run.log("sim"))
    assert run.err == ""


if __name__ == "__main__":
    sys.exit(harness.main(sys.modules[__name__], sys.argv))
