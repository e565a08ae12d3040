"""Alerts and boards ask for metrics and labels that the daemon has, in PromQL that Prometheus takes; each alert fires on
what it is for, and on nothing else that is shown to it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "deploy"))

from tap import report  # noqa: E402
from gen import alerts, boards  # noqa: E402

DASHBOARDS = ROOT / "deploy" / "dashboards"
RULES = ROOT / "deploy" / "alerts" / "plimsoll.yaml"
# What a scrape adds.
TARGET = {"job", "namespace", "pod", "instance", "service", "endpoint", "container"}


# ---- what the daemon has ----------------------------------------------------------------------------------

def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def node_labels():
    return set(re.search(r'NODE_LABELS = """(.*?)"""', source("tests/serve/test_serve.py"), re.DOTALL)[1].split())


def families():
    """name -> labels. Kueue's and Karpenter's, and ours that the log tells, from the tables that print them; what the
    process tells from src/metrics.c."""
    known = {}
    text = source("reducers/status/metric.h") + source("reducers/status/metric_nodes.h")
    text = re.sub(r"\s*\\\n\s*", " ", text)
    for row in re.findall(r"\bX\(\w+, (\"[a-z_]+\", \w+, .*?)\)(?= *X\(|\s*$)", text, re.MULTILINE):
        words = re.findall(r'"((?:[^"\\]|\\.)*)"', row)
        # Help may be several literals with nothing between them; labels come behind commas.
        labels = re.findall(r', *"([a-z_]+)"', row.partition('"')[2].partition('"')[2])
        known[words[0]] = set(labels)
    plain = source("src/metrics.c")
    for name in re.findall(r'"((?:plimsoll|kueue|karpenter|leader_election)_[a-z_]+)"', plain):
        known.setdefault(name, set())
    for name, labels in re.findall(r'((?:plimsoll|kueue|karpenter)_[a-z_]+)\{((?:[a-z_]+=\\"[^"]*\\",?)+)\}', plain):
        known[name] |= set(re.findall(r'([a-z_]+)=\\"', labels))
    for name, a, b in re.findall(
            r'\{"([a-z_]+)", "\w+",\s*"[^"]*",\s*"(\w+)",\s*(?:"(\w+)"|NULL),\s*\w+\}', plain):
        known[name] |= {a, b} - {""}
    known["plimsoll_reduce_duration_seconds"] |= {"reducer"}
    for name, _, labels in upstream():
        if name in known:
            known[name] |= labels
    return known


def upstream():
    """What the test of the running daemon compares with: it knows the labels of nodes, too."""
    for line in source("tests/serve/upstream.txt").splitlines():
        words = line.split()
        if words and words[0] != "#" and words[1] != "absent":
            labels = set(words[2].split(",")) if words[2:] else set()
            yield words[0], words[1], (labels - {"@node"}) | (node_labels() if "@node" in labels else set())


NAME = re.compile(r"\b((?:kueue|karpenter|plimsoll|leader_election)_[a-z_]+)(?:\{([^}]*)\})?")


def asked(expr):
    """(name, labels of its matchers) of each metric."""
    for name, inside in NAME.findall(expr):
        yield name, set(re.findall(r'([a-z_]+) *(?:=~|!~|!=|=)', re.sub(r'"[^"]*"', '""', inside)))


def family_of(name, known):
    return name if name in known else re.sub("_(bucket|sum|count)$", "", name)


def wrong_in(expr, known):
    """Metrics and labels that are not there."""
    have = set(TARGET)
    for name, labels in asked(expr):
        family = family_of(name, known)
        if family not in known:
            yield f"no metric {name}: {expr}"
            continue
        own = known[family] | TARGET | {"le", "quantile"}
        have |= own
        if labels - own:
            yield f"{name} has no label {labels - own}: {expr}"
    for group in re.findall(r"\b(?:by|on|ignoring|without) *\(([^)]*)\)", expr):
        missing = {word.strip() for word in group.split(",") if word.strip()} - have
        if missing:
            yield f"nothing here has a label {missing}: {expr}"


def results(expr):
    """The labels that the series of an expression have, as far as it groups; None where it does not."""
    groups = re.findall(r"\bby *\(([^)]*)\)", expr)
    if not groups:
        return None
    return {word.strip() for group in groups for word in group.split(",")}


# ---- alerts -----------------------------------------------------------------------------------------------

def all_alerts():
    return [one for group in alerts.GROUPS.values() for one in group] + [alerts.SPEND]


def alerts_ask_for_what_is_there():
    known = families()
    for one in all_alerts():
        yield from wrong_in(one.expr, known)
        have = results(one.expr)
        for label in re.findall(r"\$labels\.([a-z_]+)", one.summary):
            own = {label for name, _ in asked(one.expr) for label in known[family_of(name, known)]}
            if label not in (own if have is None else have):
                yield f"{one.name}: its text names {label}, its series have {have}"


def promtool():
    kept = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "plimsoll", "promtool")
    found = shutil.which("promtool") or kept
    assert os.path.exists(found), "no promtool: run ./dev setup"
    return found


def told(*words):
    done = subprocess.run([promtool(), *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0 or "lint error" in done.stdout + done.stderr:
        yield done.stdout + done.stderr


def prometheus_takes_them():
    yield from told("check", "rules", RULES)


def rising(start, step, count):
    return f"{start}{step:+d}x{count}"


CLAIMS = 'karpenter_nodeclaims_created_total{nodepool="a",reason="provisioned"}'
COST = 'plimsoll_cost_dollars_per_hour{nodepool="a",capacity_type="%s"}'
EFFECT = 'plimsoll_effects_total{namespace="n",pod="p",call="instance.launch",status="%s"}'
WAIT = 'kueue_admission_wait_time_seconds_bucket{cluster_queue="q",le="%s"}'
GONE = 'karpenter_nodes_termination_duration_seconds_%s{nodepool="a"}'
MESSAGE = 'plimsoll_cloud_messages_total{kind="x"}'
# Alert, series by the minute, minute, what fires: the labels beside alertname, alertstate, severity.
ROWS = [
    ("PlimsollDown", {"other": "1x20"}, 6, [{}]),
    ("PlimsollDown", {'plimsoll_build_info{version="1"}': "1x20"}, 6, []),
    ("PlimsollNotCaughtUp", {'plimsoll_watch_lag_seconds{resource="pods"}': "61x20",
                             'plimsoll_watch_lag_seconds{resource="nodes"}': "59x20"}, 6, [{"resource": "pods"}]),
    ("PlimsollNotCaughtUp", {'plimsoll_watch_lag_seconds{resource="pods"}': "0x3 90x3 0x20"}, 6, []),
    ("PlimsollLogNearlyFull", {"plimsoll_log_free_ratio": "0.14x30", "plimsoll_log_free_bytes": "14x30"}, 12, [{}]),
    ("PlimsollLogNearlyFull", {"plimsoll_log_free_ratio": "0.4x400",
                               "plimsoll_log_free_bytes": rising(400000, -500, 400)}, 380, [{}]),
    ("PlimsollLogNearlyFull", {"plimsoll_log_free_ratio": "0.4x400",
                               "plimsoll_log_free_bytes": rising(400000, -100, 400)}, 380, []),
    ("PlimsollLogFull", {"plimsoll_log_free_ratio": "0.04x30"}, 2, [{}]),
    ("PlimsollLogFull", {"plimsoll_log_free_ratio": "0.06x30"}, 2, []),
    ("PlimsollAtItsLimit", {"plimsoll_observations_refused_total": "0x5 1x20"}, 8, [{}]),
    ("PlimsollAtItsLimit", {"plimsoll_observations_refused_total": "3x20"}, 8, []),
    ("PlimsollEffectsStuck", {'plimsoll_effects_inflight{namespace="n",pod="p"}': "2x60", EFFECT % "done": "7x60"}, 30,
     [{"namespace": "n", "pod": "p"}]),
    ("PlimsollEffectsStuck", {'plimsoll_effects_inflight{namespace="n",pod="p"}': "2x60",
                              EFFECT % "done": rising(0, 1, 60)}, 30, []),
    ("PlimsollEffectErrors", {EFFECT % "done": rising(0, 8, 60), EFFECT % "failed": rising(0, 1, 60)}, 30,
     [{"namespace": "n", "call": "instance.launch"}]),
    ("PlimsollEffectErrors", {EFFECT % "done": rising(0, 10, 60), EFFECT % "failed": rising(0, 1, 60)}, 30, []),
    ("PlimsollLoopStall", {"plimsoll_loop_stall_seconds": "2.1x10"}, 4, [{}]),
    ("PlimsollLoopStall", {"plimsoll_loop_stall_seconds": "1.9x10"}, 4, []),
    ("PlimsollSnapshotOld", {"plimsoll_log_head_seq": "500000x30", "plimsoll_snapshot_seq": "100x30"}, 12, [{}]),
    ("PlimsollSnapshotOld", {"plimsoll_snapshots_failed_total": "0x3 1x40"}, 20, [{}]),
    ("PlimsollSnapshotOld", {"plimsoll_log_head_seq": "500000x30", "plimsoll_snapshot_seq": "400000x30",
                             "plimsoll_snapshots_failed_total": "1x30"}, 12, []),
    ("PlimsollDecisionLatencyHigh", {
        'plimsoll_decision_latency_seconds_bucket{namespace="n",le="10"}': rising(0, 1, 60),
        'plimsoll_decision_latency_seconds_bucket{namespace="n",le="60"}': rising(0, 2, 60),
        'plimsoll_decision_latency_seconds_bucket{namespace="n",le="+Inf"}': rising(0, 2, 60)}, 30, [{"namespace": "n"}]),
    ("PlimsollShadowDisagrees", {'plimsoll_shadow_agreement_ratio{area="queues"}': "0.9x60",
                                 'plimsoll_shadow_agreement_ratio{area="nodes"}': "0.96x60"}, 40, [{"area": "queues"}]),
    ("QueuePendingTooLong", {WAIT % "3600": rising(0, 1, 60), WAIT % "7200": rising(0, 2, 60),
                             WAIT % "+Inf": rising(0, 2, 60)}, 40, [{"cluster_queue": "q"}]),
    ("QueuePendingTooLong", {WAIT % "3600": rising(0, 2, 60), WAIT % "+Inf": rising(0, 2, 60)}, 40, []),
    ("QueueInadmissible", {
        'kueue_unadmitted_workloads{cluster_queue="q",reason="NoReservation",underlying_cause="ExceedsMaxQuota"}': "1x60",
        'kueue_pending_workloads{cluster_queue="q",status="inadmissible"}': "1x60"}, 40, [{"cluster_queue": "q"}]),
    ("QueueInadmissible", {
        'kueue_unadmitted_workloads{cluster_queue="q",reason="NoReservation",underlying_cause="WaitingForQuota"}': "1x60",
        'kueue_pending_workloads{cluster_queue="q",status="inadmissible"}': "1x60"}, 40, []),
    ("ClusterQueueInactive", {'kueue_cluster_queue_status{cluster_queue="q",status="pending"}': "1x30",
                              'kueue_cluster_queue_status{cluster_queue="r",status="active"}': "1x30"}, 12,
     [{"cluster_queue": "q", "status": "pending"}]),
    ("NodeChurnHigh", {CLAIMS: rising(0, 1, 120),
                       'karpenter_nodeclaims_terminated_total{nodepool="a"}': rising(0, 1, 120),
                       'karpenter_nodes_current_lifetime_seconds{nodepool="a"}': "60x120"}, 110, [{"nodepool": "a"}]),
    ("NodeChurnHigh", {CLAIMS: rising(0, 1, 120),
                       'karpenter_nodeclaims_terminated_total{nodepool="a"}': "0x120",
                       'karpenter_nodes_current_lifetime_seconds{nodepool="a"}': "60x120"}, 110, []),
    ("NodePoolNearLimit", {'karpenter_nodepools_usage{nodepool="a",resource_type="cpu"}': "80x30",
                           'karpenter_nodepools_limit{nodepool="a",resource_type="cpu"}': "100x30",
                           'karpenter_nodepools_usage{nodepool="b",resource_type="cpu"}': "70x30",
                           'karpenter_nodepools_limit{nodepool="b",resource_type="cpu"}': "100x30"}, 20,
     [{"nodepool": "a", "resource_type": "cpu"}]),
    ("InsufficientCapacity", {
        'karpenter_cloudprovider_errors_total{method="Create",error="InsufficientInstanceCapacity"}': rising(0, 1, 60),
        'karpenter_cloudprovider_errors_total{method="Create",error="RequestLimitExceeded"}': rising(0, 1, 60)}, 40,
     [{"error": "InsufficientInstanceCapacity"}]),
    ("NodeClaimNotReady", {CLAIMS: "0 1x60", 'karpenter_nodes_created_total{nodepool="a",zone="z"}': "0x60"}, 14,
     [{"nodepool": "a"}]),
    ("NodeClaimNotReady", {CLAIMS: "0 1x60", 'karpenter_nodes_created_total{nodepool="a",zone="z"}': "0 0 0 1x60"}, 14, []),
    ("NodeTerminationSlow", {GONE % "sum": rising(0, 1300, 120), GONE % "count": rising(0, 1, 120)}, 90, [{"nodepool": "a"}]),
    ("NodeTerminationSlow", {GONE % "sum": rising(0, 1100, 120), GONE % "count": rising(0, 1, 120)}, 90, []),
    ("CloudCredentialsExpire", {"plimsoll_cloud_credentials_expire_seconds": "900-60x9 900-60x9"}, 16, []),
    ("CloudCredentialsExpire", {"plimsoll_cloud_credentials_expire_seconds": "240x20"}, 8, [{}]),
    ("CloudCredentialsExpire", {"plimsoll_cloud_credentials_expire_seconds": "-1x20"}, 8, []),
    ("CloudThrottled", {'plimsoll_cloud_throttled_total{action="CreateFleet"}': rising(0, 2, 60),
                        'plimsoll_cloud_requests_total{action="CreateFleet",outcome="done"}': rising(0, 10, 60),
                        'plimsoll_cloud_throttled_total{action="CreateTags"}': rising(0, 1, 60),
                        'plimsoll_cloud_requests_total{action="CreateTags",outcome="done"}': rising(0, 10, 60)}, 40,
     [{"action": "CreateFleet"}]),
    ("InterruptionQueueStuck", {MESSAGE: rising(0, 1, 40), "karpenter_interruption_deleted_messages_total": "0x40"}, 30, [{}]),
    ("InterruptionQueueStuck", {MESSAGE: rising(0, 1, 40),
                                "karpenter_interruption_deleted_messages_total": rising(0, 1, 40)}, 30, []),
    ("SpendAbove", {COST % "spot": "30x30", COST % "on-demand": "21x30"}, 20, [{}]),
    ("SpendAbove", {COST % "spot": "30x30", COST % "on-demand": "19x30"}, 20, []),
]

# What looks at a day: the same by steps of five minutes.
LONG = [
    ("PreemptionStorm", {'kueue_preempted_workloads_total{preempting_cluster_queue="q",reason="x"}': "0x288 0+5x12"}, 297,
     [{"preempting_cluster_queue": "q"}]),
    ("PreemptionStorm", {'kueue_preempted_workloads_total{preempting_cluster_queue="q",reason="x"}': rising(0, 5, 300)}, 297, []),
]


def firing(name, severity, labels):
    own = {"alertname": name, "alertstate": "firing", "severity": severity, **labels}
    inside = ",".join(f'{key}="{value}"' for key, value in sorted(own.items()))
    return {"labels": f"ALERTS{{{inside}}}", "value": 1}


def tests_of(rows, step, severity):
    """promtool's file: series by steps of so many minutes."""
    return {"rule_files": ["rules.yaml"], "evaluation_interval": f"{step}m", "tests": [
        {"interval": f"{step}m", "name": f"{name} {number}",
         "input_series": [{"series": key, "values": values} for key, values in series.items()],
         "promql_expr_test": [{"expr": f'ALERTS{{alertname="{name}",alertstate="firing"}}', "eval_time": f"{at * step}m",
                               "exp_samples": [firing(name, severity[name], one) for one in fires]}]}
        for number, (name, series, at, fires) in enumerate(rows, 1)]}


def they_fire():
    severity = {one.name: one.severity for one in all_alerts()}
    untested = severity.keys() - {row[0] for row in ROWS + LONG if row[3]}
    if untested:
        yield f"no row makes these fire: {untested}"
    with tempfile.TemporaryDirectory() as folder:
        rules = alerts.rules()
        rules["groups"].append({"name": "spend", "rules": [json.loads(alerts.spend().replace("LIMIT", "50"))]})
        pathlib.Path(folder, "rules.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
        files = [pathlib.Path(folder, f"test-{step}.yaml") for step in (1, 5)]
        for file, rows, step in zip(files, (ROWS, LONG), (1, 5)):
            file.write_text(yaml.safe_dump(tests_of(rows, step, severity)), encoding="utf-8")
        yield from told("test", "rules", *files)


# ---- boards -----------------------------------------------------------------------------------------------

def drawn():
    for path in sorted(DASHBOARDS.glob("*.json")):
        yield path.stem, json.loads(path.read_text(encoding="utf-8"))


def queries():
    for name, board in drawn():
        for panel in board["panels"]:
            for one in panel["targets"]:
                yield f"{name}: {panel['title']}", one


def boards_ask_for_what_is_there():
    known = families()
    for where, one in queries():
        for wrong in wrong_in(one["expr"], known):
            yield f"{where}: {wrong}"
        have = results(one["expr"])
        own = {label for name, _ in asked(one["expr"]) for label in known.get(family_of(name, known), set())} | TARGET
        for label in re.findall(r"\{\{(\w+)\}\}", one["legendFormat"]):
            if label not in (own if have is None else have):
                yield f"{where}: its legend names {label}, its series have {sorted(own if have is None else have)}"
    for name, (label, metric) in boards.VARIABLES.items():
        if label not in known.get(metric, set()):
            yield f"variable {name}: {metric} has no label {label}"


def variables_reach_every_metric_that_has_their_label():
    known = families()
    for where, one in queries():
        for name, _ in asked(one["expr"]):
            labels = known[family_of(name, known)]
            for variable, (label, _) in boards.VARIABLES.items():
                if (label in labels) != (label in boards.labels_of(name)) and not name.startswith("kueue_local_queue"):
                    yield f"{where}: {name} {'has' if label in labels else 'lacks'} {label}, deploy/gen/boards.py disagrees"
                if label in labels and f"${variable}" in json.dumps(one) and f'{label}=~"${variable}"' not in one["expr"]:
                    yield f"{where}: {variable} does not choose"


def prometheus_takes_their_queries():
    rules = []
    for number, (_, one) in enumerate(queries()):
        expr = re.sub(r"\$__rate_interval", "5m", one["expr"])
        rules.append({"record": f"board:{number}", "expr": re.sub(r"\$\w+", ".*", expr)})
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump({"groups": [{"name": "boards", "rules": rules}]}, file)
        file.flush()
        yield from told("check", "rules", file.name)


def boards_are_whole():
    seen = {}
    for name, board in drawn():
        if board["uid"] in seen:
            yield f"{name} and {seen[board['uid']]} have the same uid"
        seen[board["uid"]] = name
        if not board["title"] or len(board["panels"]) < 6:
            yield f"{name}: {len(board['panels'])} panels"
        cells = set()
        for panel in board["panels"]:
            at = panel["gridPos"]
            mine = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            if at["x"] + at["w"] > 24 or mine & cells:
                yield f"{name}: {panel['title']} lies on another panel or beyond the edge"
            cells |= mine
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(board["panels"]))) - {"__rate_interval"}
        there = {one["name"] for one in board["templating"]["list"]}
        if used != there:
            yield f"{name}: variables {used ^ there}"


def main():
    return report([(check.__name__.replace("_", " "), check) for check in (
        alerts_ask_for_what_is_there, prometheus_takes_them, they_fire, boards_ask_for_what_is_there,
        variables_reach_every_metric_that_has_their_label, prometheus_takes_their_queries, boards_are_whole)])


if __name__ == "__main__":
    sys.exit(main())
