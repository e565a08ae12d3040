"""
Grafana boards, one row for each panel: deploy/dashboards/*.json.

An expression names the metric and the matchers that matter; `job`, and with them the variables that its board has, are added to every
metric of ours. So a board works whatever the job is called, and beside Kueue's or Karpenter's own metrics.
"""
import json
import re

METRIC = re.compile(r"\b((?:kueue|karpenter|plimsoll|leader_election)_[a-z_]+)(\{[^}]*\})?")
# Variables: name -> (label, the metric whose values it offers).
VARIABLES = {"nodepool": ("nodepool", "karpenter_nodepools_usage"),
             "cluster_queue": ("cluster_queue", "kueue_cluster_queue_status")}


class Panel:
    def __init__(self, title, kind, unit, *queries, width=8, note=""):
        self.title, self.kind, self.unit, self.queries, self.width, self.note = title, kind, unit, queries, width, note


def line(title, unit, *queries, **more):
    return Panel(title, "timeseries", unit, *queries, **more)


def number(title, unit, query, **more):
    return Panel(title, "stat", unit, (query, ""), width=4, **more)


def table(title, unit, *queries, **more):
    return Panel(title, "table", unit, *queries, **more)


def wait(quantile, metric, by="cluster_queue"):
    return f"histogram_quantile({quantile}, sum by ({by}, le) (rate({metric}_bucket[$__rate_interval])))"


BOARDS = {
    "overview": ("Plimsoll / Overview", ["nodepool", "cluster_queue"], [
        number("Dollars an hour", "currencyUSD", "sum(plimsoll_cost_dollars_per_hour)"),
        number("Nodes", "short", "max(karpenter_cluster_state_node_count)"),
        number("Workloads admitted", "short", "sum(kueue_admitted_active_workloads)"),
        number("Workloads waiting", "short", "sum(kueue_pending_workloads)"),
        number("Pods without a node", "short", "max(karpenter_scheduler_unschedulable_pods_count)"),
        number("Areas enforced", "short", "sum(plimsoll_mode)"),
        line("Cluster in use", "percent", ("karpenter_cluster_utilization_percent", "{{resource_type}}")),
        line("Waiting, by why", "short", ("sum by (reason, underlying_cause) (kueue_unadmitted_workloads)",
                                          "{{reason}} {{underlying_cause}}")),
        line("Wait until admission", "s", (wait(0.5, "kueue_admission_wait_time_seconds"), "{{cluster_queue}} p50"),
             (wait(0.95, "kueue_admission_wait_time_seconds"), "{{cluster_queue}} p95")),
        line("Dollars an hour, by pool", "currencyUSD", ("sum by (nodepool) (plimsoll_cost_dollars_per_hour)", "{{nodepool}}")),
        line("Nodes come and go", "short", ("sum(increase(karpenter_nodes_created_total[$__rate_interval]))", "come"),
             ("sum(increase(karpenter_nodes_terminated_total[$__rate_interval]))", "go")),
        line("Pods start after", "s", ('karpenter_pods_startup_duration_seconds{quantile="0.5"}', "p50"),
             ('karpenter_pods_startup_duration_seconds{quantile="0.99"}', "p99")),
        line("Health", "short", ("karpenter_cluster_state_synced", "cluster and cloud reachable"),
             ("max by (name) (leader_election_master_status)", "lease {{name}}"), width=12),
        line("Decisions", "ops", ("sum by (kind) (rate(plimsoll_decisions_total[$__rate_interval]))", "{{kind}}"), width=12),
    ]),
    "queues": ("Plimsoll / Queues", ["cluster_queue"], [
        number("Waiting, active", "short", 'sum(kueue_pending_workloads{status="active"})'),
        number("Waiting, inadmissible", "short", 'sum(kueue_pending_workloads{status="inadmissible"})'),
        number("Hold quota", "short", "sum(kueue_reserving_active_workloads)"),
        number("Admitted", "short", "sum(kueue_admitted_active_workloads)"),
        number("Queues not active", "short", 'sum(kueue_cluster_queue_status{status!="active"})'),
        number("Preempted in an hour", "short", "sum(increase(kueue_preempted_workloads_total[1h]))"),
        line("Usage of the nominal quota", "percentunit", (
            "sum by (cluster_queue, resource) (kueue_cluster_queue_resource_usage)"
            " / (sum by (cluster_queue, resource) (kueue_cluster_queue_nominal_quota) > 0)", "{{cluster_queue}} {{resource}}")),
        line("Borrowed", "short", (
            "clamp_min(sum by (cluster_queue, resource) (kueue_cluster_queue_resource_usage)"
            " - sum by (cluster_queue, resource) (kueue_cluster_queue_nominal_quota), 0)", "{{cluster_queue}} {{resource}}")),
        line("Asked for by who waits", "short", ("sum by (cluster_queue, resource) (kueue_cluster_queue_resource_pending)",
                                                 "{{cluster_queue}} {{resource}}")),
        line("Waiting", "short", ("sum by (cluster_queue, status) (kueue_pending_workloads)", "{{cluster_queue}} {{status}}")),
        line("Wait until admission", "s", *[(wait(quantile, "kueue_admission_wait_time_seconds"),
                                             "{{cluster_queue}} p%g" % (quantile * 100)) for quantile in (0.5, 0.95, 0.99)]),
        line("Run time", "s", (wait(0.5, "kueue_execution_time_seconds"), "{{cluster_queue}} p50"),
             (wait(0.95, "kueue_execution_time_seconds"), "{{cluster_queue}} p95")),
        line("Admissions", "ops", ("sum by (cluster_queue) (rate(kueue_admitted_workloads_total[$__rate_interval]))",
                                   "{{cluster_queue}}")),
        line("Preemptions", "ops", ("sum by (preempting_cluster_queue, reason) (rate(kueue_preempted_workloads_total"
                                    "[$__rate_interval]))", "{{preempting_cluster_queue}} {{reason}}")),
        line("Evictions", "ops", ("sum by (cluster_queue, reason, underlying_cause) (rate(kueue_evicted_workloads_total"
                                  "[$__rate_interval]))", "{{cluster_queue}} {{reason}} {{underlying_cause}}")),
        line("Weighted share", "short", ("kueue_cluster_queue_weighted_share", "{{cohort}} {{cluster_queue}}")),
        table("Most waiting", "short", ("topk(5, sum by (cluster_queue) (kueue_pending_workloads))", "{{cluster_queue}}")),
        table("Longest lines of LocalQueues", "short", ("topk(5, sum by (namespace, name) (kueue_local_queue_pending_workloads))",
                                                        "{{namespace}}/{{name}}")),
    ]),
    "nodes": ("Plimsoll / Nodes and cost", ["nodepool"], [
        number("Nodes", "short", "max(karpenter_cluster_state_node_count)"),
        number("Dollars an hour", "currencyUSD", "sum(plimsoll_cost_dollars_per_hour)"),
        number("Dollars a month", "currencyUSD", "sum(plimsoll_cost_dollars_per_hour) * 730"),
        number("Spot, of the cost", "percentunit", 'sum(plimsoll_cost_dollars_per_hour{capacity_type="spot"})'
                                                   " / sum(plimsoll_cost_dollars_per_hour)"),
        number("Pods without a node", "short", "max(karpenter_scheduler_unschedulable_pods_count)"),
        number("Errors of the cloud in an hour", "short", "sum(increase(karpenter_cloudprovider_errors_total[1h]))"),
        line("Nodes by pool", "short", ("count by (nodepool) (karpenter_nodes_current_lifetime_seconds)", "{{nodepool}}")),
        line("Nodes by type", "short", ("count by (instance_type, capacity_type) (karpenter_nodes_current_lifetime_seconds)",
                                        "{{instance_type}} {{capacity_type}}")),
        line("Nodes by zone", "short", ("count by (zone) (karpenter_nodes_current_lifetime_seconds)", "{{zone}}")),
        line("Claims made and over", "short", (
            "sum by (nodepool, reason) (increase(karpenter_nodeclaims_created_total[$__rate_interval]))", "{{nodepool}} made: {{reason}}"),
            ("sum by (nodepool) (increase(karpenter_nodeclaims_terminated_total[$__rate_interval]))", "{{nodepool}} over")),
        line("Given up, by why", "short", (
            "sum by (nodepool, reason) (increase(karpenter_nodeclaims_disrupted_total[$__rate_interval]))", "{{nodepool}} {{reason}}")),
        line("Allowed and used of budgets", "short", ("karpenter_nodepools_allowed_disruptions", "{{nodepool}} {{reason}} allowed"),
             ("karpenter_nodepools_nodes_consuming_budgets", "{{nodepool}} {{reason}} used")),
        line("Nodes that could go", "short", ("karpenter_voluntary_disruption_eligible_nodes", "{{reason}}")),
        line("Removals decided", "short", (
            "sum by (decision, reason) (increase(karpenter_voluntary_disruption_decisions_total[$__rate_interval]))",
            "{{decision}} {{reason}}")),
        line("Used of the pools' limits", "percentunit", ("karpenter_nodepools_usage / (karpenter_nodepools_limit > 0)",
                                                          "{{nodepool}} {{resource_type}}")),
        line("Requests of allocatable", "percentunit", (
            "sum by (nodepool, resource_type) (karpenter_nodes_total_pod_requests)"
            " / (sum by (nodepool, resource_type) (karpenter_nodes_allocatable) > 0)", "{{nodepool}} {{resource_type}}")),
        line("Calls of the cloud take", "s", (wait(0.5, "karpenter_cloudprovider_duration_seconds", "method"), "{{method}} p50"),
             (wait(0.99, "karpenter_cloudprovider_duration_seconds", "method"), "{{method}} p99")),
        line("Errors of the cloud", "short", (
            "sum by (method, error) (increase(karpenter_cloudprovider_errors_total[$__rate_interval]))", "{{method}} {{error}}")),
        line("Nodes take to go", "s", ('karpenter_nodes_termination_duration_seconds{quantile="0.5"}', "{{nodepool}} p50"),
             ('karpenter_nodes_termination_duration_seconds{quantile="0.99"}', "{{nodepool}} p99")),
        line("Dollars an hour", "currencyUSD", ("sum by (nodepool, capacity_type) (plimsoll_cost_dollars_per_hour)",
                                               "{{nodepool}} {{capacity_type}}")),
        line("Interruptions", "short", ("sum by (kind) (increase(plimsoll_cloud_messages_total[$__rate_interval]))", "{{kind}}"),
             ("sum(increase(karpenter_interruption_deleted_messages_total[$__rate_interval]))", "taken off the queue")),
        line("Requests to the cloud", "ops", ("sum by (action, outcome) (rate(plimsoll_cloud_requests_total[$__rate_interval]))",
                                              "{{action}} {{outcome}}")),
        line("Requests take, on average", "s", (
            "sum by (action) (rate(plimsoll_cloud_request_seconds_total[$__rate_interval]))"
            " / (sum by (action) (rate(plimsoll_cloud_requests_total[$__rate_interval])) > 0)", "{{action}}")),
        line("Throttled", "ops", ("sum by (action) (rate(plimsoll_cloud_throttled_total[$__rate_interval]))", "{{action}}")),
        line("Instances listed, and nodes", "short", ("max(plimsoll_cloud_instances)", "instances"),
             ("max(karpenter_cluster_state_node_count)", "nodes")),
        line("A launch is seen in the list after", "s", ("max(plimsoll_cloud_list_lag_seconds)", "at most")),
        line("Credentials expire in", "s", ("min(plimsoll_cloud_credentials_expire_seconds >= 0)", "at least")),
    ]),
    "engine": ("Plimsoll / Engine and log", [], [
        number("Newest event", "short", "max(plimsoll_log_head_seq)"),
        number("Room on the volume", "percentunit", "min(plimsoll_log_free_ratio)"),
        number("Effects under way", "short", "sum(plimsoll_effects_inflight)"),
        number("Longest turn", "s", "max(plimsoll_loop_stall_seconds)"),
        number("Furthest behind", "s", "max(plimsoll_watch_lag_seconds)"),
        number("Agreement, least", "percentunit", "min(plimsoll_shadow_agreement_ratio)"),
        line("Behind the API server", "s", ("plimsoll_watch_lag_seconds", "{{resource}}")),
        line("Watches begun anew", "short", (
            "sum by (resource, reason) (increase(plimsoll_watch_restarts_total[$__rate_interval]))", "{{resource}} {{reason}}")),
        line("From fact to decision", "s", *[(wait(quantile, "plimsoll_decision_latency_seconds", "pod"), "p%g" % (quantile * 100))
                                             for quantile in (0.5, 0.99)]),
        Panel("Time of a cycle", "heatmap", "s",
              ('sum by (le) (increase(plimsoll_reduce_duration_seconds_bucket{reducer="all"}[$__rate_interval]))', "{{le}}")),
        Panel("Time of a commit", "heatmap", "s",
              ("sum by (le) (increase(plimsoll_log_append_duration_seconds_bucket[$__rate_interval]))", "{{le}}")),
        line("Events", "ops", ("sum by (source, type) (rate(plimsoll_log_events_total[$__rate_interval]))", "{{source}} {{type}}")),
        line("Effects", "ops", ("sum by (call, status) (rate(plimsoll_effects_total[$__rate_interval]))", "{{call}} {{status}}")),
        line("Effects take", "s", (wait(0.5, "plimsoll_effect_duration_seconds", "call"), "{{call}} p50"),
             (wait(0.99, "plimsoll_effect_duration_seconds", "call"), "{{call}} p99")),
        line("Tried again", "ops", ("sum by (call) (rate(plimsoll_effect_retry_total[$__rate_interval]))", "{{call}}")),
        line("Log", "bytes", ("plimsoll_log_bytes", "records"), ("plimsoll_log_map_bytes", "file"),
             ("plimsoll_log_free_bytes", "free")),
        line("Events behind the newest snapshot", "short", ("plimsoll_log_head_seq - plimsoll_snapshot_seq", "{{pod}}")),
        line("Snapshots", "short", ("increase(plimsoll_snapshots_total[$__rate_interval])", "written"),
             ("increase(plimsoll_snapshots_failed_total[$__rate_interval])", "failed")),
        line("Facts", "ops", ("rate(plimsoll_facts_total[$__rate_interval])", "taken"),
             ("rate(plimsoll_facts_duplicate_total[$__rate_interval])", "nothing new"),
             ("rate(plimsoll_observations_refused_total[$__rate_interval])", "refused")),
        line("Questions", "ops", ("rate(plimsoll_questions_total[$__rate_interval])", "asked"),
             ("rate(plimsoll_questions_refused_total[$__rate_interval])", "refused"),
             ("plimsoll_readers", "open streams")),
        line("Longest turn of the loop", "s", ("plimsoll_loop_stall_seconds", "{{pod}}")),
    ]),
}


def matched(expr, variables, labels_of):
    """The expression with a matcher of job, and of each variable whose label the metric has."""
    def add(match):
        name, inside = match[1], (match[2] or "{}")[1:-1]
        said = [part for part in inside.split(",") if part]
        own = labels_of(name)
        more = ['job=~"$job"'] + [f'{VARIABLES[one][0]}=~"${one}"' for one in variables if VARIABLES[one][0] in own]
        return f"{name}{{{','.join(more + said)}}}"
    return METRIC.sub(add, expr)


# Labels that a variable may ask for: which families have them. tests/deploy compares with the daemon's own list.
POOLED = re.compile("karpenter_(nodepools_|nodes_|nodeclaims_)|plimsoll_cost")
QUEUED = re.compile("kueue_(cluster_queue_|pending_|admitted_|reserving_|admission_wait|execution|evicted|unadmitted)")


def labels_of(name):
    return (["nodepool"] if POOLED.match(name) else []) + (["cluster_queue"] if QUEUED.match(name) else [])


def target(number_, query, panel, variables):
    expr, legend = query
    return {"refId": chr(ord("A") + number_), "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "expr": matched(expr, variables, labels_of), "legendFormat": legend or "__auto",
            **({"instant": True, "format": "table"} if panel.kind == "table" else {}),
            **({"format": "heatmap"} if panel.kind == "heatmap" else {})}


def drawn(panel, at, number_, variables):
    height = 4 if panel.kind == "stat" else 8
    options = {"timeseries": {"legend": {"displayMode": "table", "placement": "bottom", "calcs": ["lastNotNull", "max"]},
                              "tooltip": {"mode": "multi", "sort": "desc"}},
               "stat": {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "none"}}
    return {"id": number_, "type": panel.kind, "title": panel.title,
            "gridPos": {"x": at[0], "y": at[1], "w": panel.width, "h": height},
            "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
            "options": options.get(panel.kind, {}),
            "targets": [target(n, query, panel, variables) for n, query in enumerate(panel.queries)]}, height


def variable(name, label, metric):
    return {"name": name, "type": "query", "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "query": {"query": f"label_values({metric}, {label})", "refId": name}, "refresh": 2, "includeAll": True,
            "multi": True, "allValue": ".*", "current": {"text": "All", "value": "$__all"}, "sort": 1}


def board(name):
    title, variables, panels = BOARDS[name]
    drawn_, x, y, row = [], 0, 0, 0
    for number_, panel in enumerate(panels, 1):
        if x + panel.width > 24:
            x, y, row = 0, y + row, 0
        one, height = drawn(panel, (x, y), number_, variables)
        drawn_.append(one)
        x, row = x + panel.width, max(row, height)
    templates = [{"name": "datasource", "type": "datasource", "query": "prometheus", "current": {}}]
    templates.append(variable("job", "job", "plimsoll_build_info"))
    templates += [variable(one, *VARIABLES[one]) for one in variables]
    return {"uid": f"plimsoll-{name}", "title": title, "tags": ["plimsoll"], "schemaVersion": 39, "version": 1,
            "editable": True, "refresh": "30s", "time": {"from": "now-6h", "to": "now"}, "timezone": "utc",
            "links": [{"type": "dashboards", "tags": ["plimsoll"], "title": "Plimsoll", "asDropdown": True,
                       "includeVars": True, "keepTime": True}],
            "annotations": {"list": []}, "templating": {"list": templates}, "panels": drawn_}


def files():
    return {f"dashboards/{name}.json": json.dumps(board(name), indent=1) + "\n" for name in BOARDS}
