"""
Alerts of what Plimsoll's metrics tell, one row each: deploy/alerts/plimsoll.yaml (rules as Prometheus reads them), the
PrometheusRule of the kustomization, and docs/alerts.md. The chart has the first in its PrometheusRule.

Each expression asks for metrics that docs/status.md has, whatever the label `job` is.
"""
import json


class Alert:
    def __init__(self, name, severity, wait, expr, summary, todo):
        self.name, self.severity, self.wait = name, severity, wait
        self.expr, self.summary, self.todo = " ".join(expr.split()), summary, " ".join(todo.split())


ENGINE = [
    Alert("PlimsollDown", "critical", "5m", "absent(plimsoll_build_info)",
          "Nobody answers Prometheus: Plimsoll is down or is not scraped.",
          """Nothing is admitted and no node is bought; what runs goes on. `kubectl describe pod` and the last lines of its
          output say why it ends; exit codes are in docs/daemon.md."""),
    Alert("PlimsollNotCaughtUp", "warning", "5m", "max by (namespace, pod, resource) (plimsoll_watch_lag_seconds) > 60",
          "The watch of {{ $labels.resource }} is {{ $value | humanizeDuration }} behind.",
          """Decisions are made on an old picture. Is the API server slow, or a right missing? The pod's output names the
          resource; `plimsoll_watch_restarts_total` says why watches begin anew."""),
    Alert("PlimsollLogNearlyFull", "warning", "10m",
          """plimsoll_log_free_ratio < 0.15
          or (predict_linear(plimsoll_log_free_bytes[6h], 86400) < 0 and plimsoll_log_free_ratio < 0.5)""",
          "The volume of the log is nearly full, or will be within a day.",
          "Enlarge the volume claim. Below 5 % no effect leaves any more until there is room."),
    Alert("PlimsollLogFull", "critical", "1m", "plimsoll_log_free_ratio < 0.05",
          "The volume of the log is full: nothing is carried out.", "Enlarge the volume claim."),
    Alert("PlimsollAtItsLimit", "critical", "0m", "increase(plimsoll_observations_refused_total[10m]) > 0",
          "A fact did not fit into the state, or was none: Plimsoll only observes.",
          "The pod's output names the limit and the object. A log with profile cluster has room for 200,000 pods."),
    Alert("PlimsollEffectsStuck", "warning", "10m",
          """max by (namespace, pod) (plimsoll_effects_inflight) > 0
          unless max by (namespace, pod) (increase(plimsoll_effects_total[10m])) > 0""",
          "Effects are under way and none is answered.",
          "Is the API server or the cloud unreachable? `plimsoll log tail` shows the open intents."),
    Alert("PlimsollEffectErrors", "warning", "10m",
          """sum by (namespace, call) (rate(plimsoll_effects_total{status=~"failed|unknown"}[10m]))
          / sum by (namespace, call) (rate(plimsoll_effects_total[10m])) > 0.1""",
          "{{ $value | humanizePercentage }} of the calls {{ $labels.call }} fail.",
          "`plimsoll timeline KIND/NAME` shows the answer with its code and message."),
    Alert("PlimsollLoopStall", "warning", "2m", "plimsoll_loop_stall_seconds > 2",
          "One turn of the loop took {{ $value | humanizeDuration }}.",
          "The node is short of CPU, or its disk is slow; the Lease is in danger beyond ten seconds."),
    Alert("PlimsollSnapshotOld", "warning", "10m",
          """(plimsoll_log_head_seq - plimsoll_snapshot_seq > 6 * 65536 and plimsoll_snapshot_seq > 0)
          or increase(plimsoll_snapshots_failed_total[1h]) > 0""",
          "Snapshots fail, or the newest is far behind the log.",
          "A start folds all that is behind the newest snapshot. The pod's output says what failed."),
    Alert("PlimsollDecisionLatencyHigh", "warning", "15m",
          """histogram_quantile(0.99,
          sum by (namespace, le) (rate(plimsoll_decision_latency_seconds_bucket[10m]))) > 30""",
          "From a fact to the decision on it {{ $value | humanizeDuration }} go by (p99).",
          "`plimsoll_reduce_duration_seconds` (deciding) and `plimsoll_log_append_duration_seconds` (the disk) say where."),
    Alert("PlimsollShadowDisagrees", "info", "30m", "plimsoll_shadow_agreement_ratio < 0.95",
          "Beside its peer, {{ $labels.area }} would be decided otherwise: {{ $value | humanizePercentage }} agree.",
          "`plimsoll agree` shows each decision that differs, before the area is enforced (docs/beside.md)."),
]
QUEUES = [
    Alert("QueuePendingTooLong", "warning", "15m",
          """histogram_quantile(0.95,
          sum by (cluster_queue, le) (rate(kueue_admission_wait_time_seconds_bucket[15m]))) > 3600""",
          "Workloads of {{ $labels.cluster_queue }} wait {{ $value | humanizeDuration }} (p95).",
          "`plimsoll pending` shows the line, `plimsoll why workload/NAME` what each waits for."),
    Alert("QueueInadmissible", "warning", "30m",
          """sum by (cluster_queue) (kueue_unadmitted_workloads{underlying_cause=~"ExceedsMaxQuota|Misconfigured"}) > 0
          and on (cluster_queue) sum by (cluster_queue) (kueue_pending_workloads{status="inadmissible"}) > 0""",
          "Workloads of {{ $labels.cluster_queue }} can never be admitted as things are.",
          "They ask for more than the quota holds, or for a queue or flavor that is not there: `plimsoll why` says which."),
    Alert("ClusterQueueInactive", "warning", "10m",
          'kueue_cluster_queue_status{status=~"pending|terminating"} == 1',
          "ClusterQueue {{ $labels.cluster_queue }} is {{ $labels.status }}: it admits nothing.",
          "Its condition Active says why: a flavor, check or cohort that is missing."),
    Alert("PreemptionStorm", "warning", "15m",
          """sum by (preempting_cluster_queue) (rate(kueue_preempted_workloads_total[15m]))
          > 3 * sum by (preempting_cluster_queue) (rate(kueue_preempted_workloads_total[1d]))
          and sum by (preempting_cluster_queue) (increase(kueue_preempted_workloads_total[15m])) > 5""",
          "{{ $labels.preempting_cluster_queue }} preempts three times as much as usual.",
          "`plimsoll timeline` of a victim names the preemptor and the rule."),
]
NODES = [
    Alert("NodeChurnHigh", "warning", "15m",
          """sum by (nodepool) (increase(karpenter_nodeclaims_created_total[1h]))
          > 0.5 * count by (nodepool) (karpenter_nodes_current_lifetime_seconds)
          and sum by (nodepool) (increase(karpenter_nodeclaims_terminated_total[1h])) > 4""",
          "Nodes of pool {{ $labels.nodepool }} come and go: within an hour more than half of them are new.",
          "`plimsoll timeline nodeclaim/NAME` says why each went. A longer consolidateAfter calms a pool."),
    Alert("NodePoolNearLimit", "warning", "15m",
          """max by (nodepool, resource_type) (karpenter_nodepools_usage)
          / max by (nodepool, resource_type) (karpenter_nodepools_limit > 0) > 0.75""",
          "Pool {{ $labels.nodepool }} has used {{ $value | humanizePercentage }} of its limit of {{ $labels.resource_type }}.",
          "Raise spec.limits, or let pods wait."),
    Alert("InsufficientCapacity", "info", "15m",
          """sum by (error) (increase(karpenter_cloudprovider_errors_total{
          error=~"InsufficientInstanceCapacity|UnfulfillableCapacity|MaxSpotInstanceCountExceeded|VcpuLimitExceeded"}[15m])) > 0""",
          "The cloud is out of what is asked for: {{ $labels.error }}.",
          "Other offerings are tried meanwhile. Widen the pool's requirements: more types, zones, on-demand beside spot."),
    Alert("NodeClaimNotReady", "warning", "10m",
          """sum by (nodepool) (increase(karpenter_nodeclaims_created_total[20m])) > 0
          unless on (nodepool) sum by (nodepool) (increase(karpenter_nodes_created_total[20m])) > 0""",
          "Claims of pool {{ $labels.nodepool }} are made, and no node joins.",
          """The claim's conditions say how far it came. Launched, but not registered: user data, security groups, the
          instance profile, or the cluster's access entries."""),
    Alert("NodeTerminationSlow", "warning", "15m",
          """sum by (nodepool) (rate(karpenter_nodes_termination_duration_seconds_sum[1h]))
          / sum by (nodepool) (rate(karpenter_nodes_termination_duration_seconds_count[1h])) > 1200""",
          "Nodes of pool {{ $labels.nodepool }} take {{ $value | humanizeDuration }} to go.",
          "A budget or a finalizer holds a pod: `plimsoll describe node/NAME` lists who is still there."),
]
CLOUD = [
    Alert("CloudCredentialsExpire", "critical", "5m",
          "plimsoll_cloud_credentials_expire_seconds < 300 and plimsoll_cloud_credentials_expire_seconds >= 0",
          "The cloud's credentials expire in {{ $value | humanizeDuration }} and are not renewed.",
          """They are renewed ten minutes ahead. Has the role's trust, the Pod Identity association or the annotation of the
          service account been changed? The pod's output names the source and the error's code."""),
    Alert("CloudThrottled", "warning", "15m",
          """sum by (action) (rate(plimsoll_cloud_throttled_total[10m]))
          / sum by (action) (rate(plimsoll_cloud_requests_total[10m])) > 0.1""",
          "The cloud throttles {{ $value | humanizePercentage }} of the calls {{ $labels.action }}.",
          "Who else calls in this account? Launches and removals go on, later. Limits can be raised with the cloud."),
    Alert("InterruptionQueueStuck", "critical", "5m",
          """sum(increase(plimsoll_cloud_messages_total[10m])) > 0
          unless sum(increase(karpenter_interruption_deleted_messages_total[10m])) > 0""",
          "Messages of the interruption queue come and none is taken off it.",
          """They come again until they are deleted, which is when their fact is durable. Is the right sqs:DeleteMessage there,
          and does the log take facts?"""),
]
GROUPS = {"plimsoll": ENGINE, "plimsoll-queues": QUEUES, "plimsoll-nodes": NODES, "plimsoll-cloud": CLOUD}
SPEND = Alert("SpendAbove", "warning", "15m", "sum(plimsoll_cost_dollars_per_hour) > LIMIT",
              "Nodes cost {{ $value | printf \"%.2f\" }} dollars an hour.",
              "`prometheusRule.spendAbove` of the chart sets the limit; the board \"nodes and cost\" shows which pool.")


def rule(alert):
    return {"alert": alert.name, "expr": alert.expr, "for": alert.wait, "labels": {"severity": alert.severity},
            "annotations": {"summary": alert.summary, "description": alert.todo,
                            "runbook_url": f"docs/alerts.md#{alert.name.lower()}"}}


def rules():
    return {"groups": [{"name": name, "rules": [rule(one) for one in group]} for name, group in GROUPS.items()]}


def spend():
    """For the chart, which sets LIMIT."""
    return json.dumps(rule(SPEND), indent=1) + "\n"


def resource():
    return {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule",
            "metadata": {"name": "plimsoll"}, "spec": rules()}


def page():
    lines = ["# Alerts", "",
             "`deploy/alerts/plimsoll.yaml` holds them for Prometheus, the chart with `prometheusRule.enabled`, the kustomization in",
             "`overlays/prometheus`. Made by `deploy/generate.py` from `deploy/gen/alerts.py`.", ""]
    for alert in [one for group in GROUPS.values() for one in group] + [SPEND]:
        lines += [f"## {alert.name}", "", f"{alert.severity}, after {alert.wait}. {plain(alert.summary)}", "",
                  f"```promql\n{alert.expr}\n```", "", alert.todo, ""]
    return "\n".join(lines[:-1]) + "\n"


def plain(summary):
    """Without the template."""
    out, rest = "", summary
    while "{{" in rest:
        before, _, rest = rest.partition("{{")
        inside, _, rest = rest.partition("}}")
        word = inside.split("|")[0].strip()
        out += before + ("so much" if word == "$value" else f"*{word.removeprefix('$labels.').replace('_', ' ')}*")
    return out + rest


def files(head, dumped):
    return {"alerts/plimsoll.yaml": head + dumped([rules()]),
            "kustomize/overlays/prometheus/prometheusrule.yaml": head + dumped([resource()]),
            "charts/plimsoll/files/spend.json": spend(), "../docs/alerts.md": page()}
