"""
The values of chart plimsoll, one row each: values.yaml with its comments, values.schema.json, what is not supported yet
(files/unsupported.json, of which templates/check.yaml makes messages) and the table of docs/deploy.md are made of these rows.

Names and defaults are Karpenter's and Kueue's where they have the thing, so that their values can be pasted.
"""
import json
import re

import yaml

TEXT = {"type": "string"}
FLAG = {"type": "boolean"}
MAP = {"type": "object"}
LIST = {"type": "array"}
TEXTS = {"type": "array", "items": {"type": "string"}}
TEXT_MAP = {"type": "object", "additionalProperties": {"type": "string"}}
DURATION = {"type": "string", "pattern": "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$"}
PORT = {"type": "integer", "minimum": 1, "maximum": 65535}
QUANTITY = {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?([EPTGMk]i?|m)?$"}
PROBE = {"type": "object", "additionalProperties": False, "properties": {
    name: {"type": "integer", "minimum": 0} for name in (
        "initialDelaySeconds", "periodSeconds", "timeoutSeconds", "successThreshold", "failureThreshold")}}
AMOUNT = {"type": ["integer", "string"]}


def choice(*words):
    return {"enum": list(words)}


def count(low=0, high=None):
    return {"type": "integer", "minimum": low, **({} if high is None else {"maximum": high})}


class Row:
    """why: this build takes the default only, and says so, with the reason, to whoever asks for more."""

    def __init__(self, key, default, schema, comment, why=None):
        self.key, self.default, self.schema, self.comment, self.why = key, default, schema, comment, why


NOT_YET = "this version does not have it"
NO_UI = "there is no web interface in this version; the read API is on the metrics port"
NO_WEBHOOK = "no webhook is needed: admission policies (admissionPolicy) are evaluated by the API server itself"
ALWAYS = "it is always on"

ROWS = [
    Row("nameOverride", "", TEXT, "In place of the chart's name in the names of objects."),
    Row("fullnameOverride", "", TEXT, "The names of objects, in place of release and chart."),
    Row("additionalLabels", {}, TEXT_MAP, "Labels of all objects."),
    Row("additionalAnnotations", {}, TEXT_MAP, "Annotations of all objects."),
    Row("imagePullSecrets", [], LIST, "Names of Secrets to pull the image with: [{name: pull}]."),
    Row("imagePullPolicy", "IfNotPresent", choice("Always", "IfNotPresent", "Never"), "When the image is pulled."),

    Row("mode", "observe", choice("observe", "enforce"),
        "observe: read, decide, log, change nothing, with rights to read only. enforce: carry out the areas of enforce."),
    Row("enforce.queues", True, FLAG, "With mode enforce: start, stop and admit work, as Kueue does."),
    Row("enforce.nodes", False, FLAG, "With mode enforce: buy and remove nodes, as Karpenter does; needs a cloud."),
    Row("compat", "better", choice("strict", "better"), "strict: exactly as Kueue and Karpenter decide. better: the same or better."),
    Row("cloud", "none", choice("none", "ec2"), "Where nodes come from. ec2 needs credentials: serviceAccount.annotations or Pod Identity."),
    Row("aws.region", "", TEXT, "Region; empty: with cloud ec2 what AWS_REGION or the instance's metadata say (a pod may not reach those), else us-west-2."),
    Row("aws.endpoint", "", TEXT, "URL of the EC2 API in place of AWS' own."),
    Row("profile", "cluster", choice("small", "cluster"), "Capacity of a new log's state: small for some hundred pods, cluster for 200,000."),
    Row("drainTimeout", "20s", {"type": "string", "pattern": "^[0-9]+(s|m)$"}, "How long SIGTERM waits for effects in flight; ten seconds less than terminationGracePeriodSeconds, or shorter."),

    Row("controller.containerName", "controller", TEXT, "Its name in the pod."),
    Row("controller.image.repository", "plimsoll", TEXT, "The image; deploy/image makes it."),
    Row("controller.image.tag", "", TEXT, "Empty: the chart's appVersion."),
    Row("controller.image.digest", "", {"type": "string", "pattern": "^(sha256:[0-9a-f]{64})?$"}, "sha256:… pins the image, whatever its tag says."),
    Row("controller.env", [], LIST, "More variables of the environment, as a container has them."),
    Row("controller.envFrom", [], LIST, "The same from ConfigMaps and Secrets."),
    Row("controller.securityContext", {}, MAP, "More of containerSecurityContext, such as appArmorProfile; what is empty in it does not count."),
    Row("controller.resources", {}, MAP,
        "Empty by choice. To begin with: {requests: {cpu: 500m, memory: 1Gi}, limits: {memory: 1Gi}}; no limit of cpu."),
    Row("controller.extraVolumeMounts", [], LIST, "Mounts of extraVolumes."),
    Row("controller.sidecarContainer", [], LIST, "More containers of the pod."),
    Row("controller.sidecarVolumeMounts", [], LIST, "Mounts of those.", "a sidecar's own volumeMounts say it"),
    Row("controller.metrics.port", 8080, PORT, "Metrics and the read API."),
    Row("controller.healthProbe.port", 8081, PORT, "Probes."),
    Row("replicas", 1, count(0, 1), "One, until replication exists; 0 stops it and keeps the log."),
    Row("updateStrategy", {"type": "RollingUpdate"}, MAP, "Of the StatefulSet."),
    Row("strategy", {}, MAP, "Of a Deployment.", "this is a StatefulSet: updateStrategy"),
    Row("minReadySeconds", 10, count(), "Of the StatefulSet."),
    Row("podManagementPolicy", "OrderedReady", choice("OrderedReady", "Parallel"), "Of the StatefulSet."),

    Row("persistence.enabled", True, FLAG, "A volume for the log. false (a folder that goes with the pod) is for mode observe only."),
    Row("persistence.size", "20Gi", QUANTITY, "Its size."),
    Row("persistence.storageClassName", "", TEXT, "Empty: the cluster's default class. No network file system: the daemon refuses those."),
    Row("persistence.accessModes", ["ReadWriteOncePod"], TEXTS, "ReadWriteOncePod keeps a second writer out."),
    Row("persistence.annotations", {}, TEXT_MAP, "Of the claim."),
    Row("persistence.retention.whenDeleted", "Retain", choice("Retain", "Delete"), "What becomes of the log when the StatefulSet goes."),
    Row("persistence.retention.whenScaled", "Retain", choice("Retain", "Delete"), "What becomes of it when it is scaled down."),
    Row("persistence.snapshots", False, FLAG, "VolumeSnapshots of the log.", NOT_YET),
    Row("log.retention", "", TEXT, "How long events are kept; empty: for good.", "nothing is dropped from a log in this version"),
    Row("log.maxSize", "", TEXT, "How large the log may become; empty: as the volume.", "nothing is dropped from a log in this version"),
    Row("log.mapSize", "auto", TEXT, "Reserved address space: 64 GiB.", "64 GiB of address space are reserved once"),
    Row("log.sync", "full", TEXT, "Each batch is on the disk before anything leaves.", "an effect without a durable intent would not be exactly once"),
    Row("log.snapshotEvery", 65536, count(1), "Events between two snapshots of the state."),
    Row("log.compress", "zstd:1", TEXT, "Of snapshots.", "snapshots are compressed with zstd, level 1"),
    Row("log.redact", [], LIST, "Fields to leave out of the log.", "the log holds only fields that decide; there is nothing to leave out"),
    Row("log.ballast", True, FLAG, "A file of 256 MiB beside the log, given up when the disk is full."),
    Row("archive.enabled", False, FLAG, "Parts of the log in an object store.", NOT_YET),
    Row("archive.url", "", TEXT, "Where.", NOT_YET),
    Row("archive.interval", "", TEXT, "How often.", NOT_YET),

    Row("serviceAccount.create", True, FLAG, "Make the account."),
    Row("serviceAccount.name", "", TEXT, "Its name; empty: as the objects."),
    Row("serviceAccount.annotations", {}, TEXT_MAP, "IRSA: {eks.amazonaws.com/role-arn: …}. Pod Identity needs none."),
    Row("rbac.create", True, FLAG, "Roles as `plimsoll rbac print` has them, for the mode, and their bindings."),
    Row("rbac.userRoles", True, FLAG, "Roles for people: plimsoll-viewer, and Kueue's batch-admin and batch-user where they are not there."),
    Row("additionalClusterRoleRules", [], LIST, "Rules of one more ClusterRole of the account."),
    Row("podDisruptionBudget.enabled", True, FLAG, "A budget for the pod."),
    Row("podDisruptionBudget.name", "", TEXT, "Its name; empty: as the objects."),
    Row("podDisruptionBudget.maxUnavailable", 1, AMOUNT, "With one replica 0 would stop every drain of its node."),
    Row("podSecurityContext", {"runAsNonRoot": True, "runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532,
                               "fsGroupChangePolicy": "OnRootMismatch", "seccompProfile": {"type": "RuntimeDefault"}},
        MAP, "Of the pod."),
    Row("containerSecurityContext", {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False,
                                     "capabilities": {"drop": ["ALL"]}},
        MAP, "Of the container. The log's folder and a small /tmp are all that it can write."),
    Row("priorityClassName", "system-cluster-critical", TEXT, "Of the pod."),
    Row("nodeSelector", {"kubernetes.io/os": "linux"}, TEXT_MAP, "Of the pod."),
    Row("affinity", {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}]}]}},
                     "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                         {"topologyKey": "kubernetes.io/hostname"}]}},
        MAP, "Not on a node that it may remove. A term of podAntiAffinity without a selector gets the pod's own."),
    Row("tolerations", [{"key": "CriticalAddonsOnly", "operator": "Exists"}], LIST, "Of the pod."),
    Row("topologySpreadConstraints", [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                                       "whenUnsatisfiable": "ScheduleAnyway"}],
        LIST, "Without a selector: the pod's own. DoNotSchedule could keep the pod from the zone of its volume."),
    Row("terminationGracePeriodSeconds", 60, count(30), "Effects in flight end, the log is synced, the Lease is given back."),
    Row("hostNetwork", False, FLAG, "Of the pod."),
    Row("dnsPolicy", "ClusterFirst", choice("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
        "Default, where Plimsoll buys the nodes that CoreDNS runs on."),
    Row("dnsConfig", {}, MAP, "Of the pod."),
    Row("schedulerName", "", TEXT, "Of the pod; empty: the default one."),
    Row("podLabels", {}, TEXT_MAP, "More labels of the pod."),
    Row("podAnnotations", {}, TEXT_MAP, "More annotations of the pod."),
    Row("revisionHistoryLimit", 10, count(), "Of the StatefulSet."),
    Row("initContainers", [], {"type": ["array", "object"]}, "Of the pod."),
    Row("extraVolumes", [], LIST, "Of the pod."),
    Row("startupProbe", {"periodSeconds": 5, "timeoutSeconds": 5, "failureThreshold": 120}, PROBE,
        "/livez. A start folds the log from the newest snapshot on."),
    Row("readinessProbe", {"periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3}, PROBE,
        "/readyz: the cluster was read and the Lease is ours where one is needed."),
    Row("livenessProbe", {"periodSeconds": 20, "timeoutSeconds": 10, "failureThreshold": 3}, PROBE, "/livez: the engine makes batches."),

    Row("service.type", "ClusterIP", choice("ClusterIP", "NodePort", "LoadBalancer"), "Of the Service for metrics and the read API."),
    Row("service.annotations", {}, TEXT_MAP, "Of that Service."),
    Row("serviceMonitor.enabled", False, FLAG, "A ServiceMonitor; needs the Prometheus operator's CRDs, as prometheusRule does."),
    Row("serviceMonitor.additionalLabels", {}, TEXT_MAP, "Labels by which a Prometheus finds it."),
    Row("serviceMonitor.relabelings", [], LIST, "Relabelings of the target."),
    Row("serviceMonitor.metricRelabelings", [], LIST, "Relabelings of the metrics."),
    Row("serviceMonitor.endpointConfig", {}, MAP, "More of the endpoint: interval, scrapeTimeout."),
    Row("serviceMonitor.sampleLimit", 0, count(), "0: none."),
    Row("serviceMonitor.jobName", "", TEXT, "The label job; `karpenter` keeps dashboards working that ask for job=\"karpenter\"."),
    Row("prometheusRule.enabled", False, FLAG, "The alerts of deploy/alerts."),
    Row("prometheusRule.additionalLabels", {}, TEXT_MAP, "Labels by which a Prometheus finds them."),
    Row("prometheusRule.groups", [], LIST, "More groups of rules."),
    Row("prometheusRule.spendAbove", 0, count(), "Dollars an hour beyond which SpendAbove fires; 0: no such alert."),
    Row("dashboards.enabled", False, FLAG, "The boards of deploy/dashboards as ConfigMaps for Grafana's sidecar."),
    Row("dashboards.label", "grafana_dashboard", TEXT, "The label that the sidecar looks for; its value is \"1\"."),
    Row("dashboards.folderAnnotation", "grafana_folder", TEXT, "The annotation that names the folder."),
    Row("dashboards.folder", "", TEXT, "The folder; empty: no annotation."),
    Row("metrics.compat.kueue", True, FLAG, "Metrics by Kueue's names.", ALWAYS),
    Row("metrics.compat.karpenter", True, FLAG, "Metrics by Karpenter's names.", ALWAYS),
    Row("metrics.compat.controllerRuntime", True, FLAG, "leader_election_master_status.", ALWAYS),
    Row("metrics.podState", True, FLAG, "A series for each pod.", ALWAYS),
    Row("metrics.perPodLimit", 20000, count(), "Pods with a series of their own.", "it is 20,000"),
    Row("metrics.localQueue", True, FLAG, "Metrics of LocalQueues.", ALWAYS),
    Row("metrics.clusterQueueResources", True, FLAG, "Quota and usage of ClusterQueues.", ALWAYS),
    Row("networkPolicy.enabled", False, FLAG, "A NetworkPolicy for the pod."),
    Row("networkPolicy.ingress", [], LIST, "Rules; empty: the metrics and probe ports from everywhere."),
    Row("networkPolicy.egress", [], LIST,
        "Rules; empty: DNS, 443 and 6443 (API server, AWS), and 80 of the link-local addresses that give credentials."),

    Row("webhook.enabled", False, FLAG, "A webhook.", NO_WEBHOOK),
    Row("webhook.certManager", False, FLAG, "Its certificate.", NO_WEBHOOK),
    Row("webhook.certSecret", "", TEXT, "Its certificate.", NO_WEBHOOK),
    Row("webhook.failurePolicy", "", TEXT, "What becomes of requests without it.", NO_WEBHOOK),
    Row("admissionPolicy.enabled", "auto", {"enum": ["auto", True, False]},
        "The policies of deploy/policies. auto: where queues are enforced; those that mutate where the API server has such "
        "policies (1.36). true: those that validate in any case."),
    Row("admissionPolicy.defaultQueue", True, FLAG,
        "Also the policies that put work without a queue into a LocalQueue `default`; they cost the API server a look-up for each."),
    Row("enableCertManager", False, FLAG, "Certificates by cert-manager.", NO_WEBHOOK),
    Row("certManager.issuerRef", {}, MAP, "Their issuer.", NO_WEBHOOK),
    Row("ui.enabled", False, FLAG, "A web interface.", NO_UI),
    Row("ui.actions", False, FLAG, "Actions in it.", NO_UI),
    Row("ui.service", {}, MAP, "Its Service.", NO_UI),
    Row("ui.ingress", {}, MAP, "Its Ingress.", NO_UI),
    Row("ui.auth", "TokenReview", TEXT, "How clients of the read API are known.", "the read API asks the API server, by TokenReview"),

    Row("settings.batchMaxDuration", "10s", DURATION, "How long pods are gathered at most before nodes are planned."),
    Row("settings.batchIdleDuration", "1s", DURATION, "How long none may come for that to end earlier."),
    Row("settings.preferencePolicy", "Respect", choice("Respect", "Ignore"), "Preferences of pods when nodes are planned."),
    Row("settings.minValuesPolicy", "Strict", choice("Strict", "BestEffort"), "What minValues of a pool means when there are too few."),
    Row("settings.clusterName", "", TEXT, "Name of the cluster, in the tags by which instances are known to be its own; required with cloud ec2."),
    Row("settings.clusterEndpoint", "", TEXT, "The API server, as nodes find it; empty: EKS is asked."),
    Row("settings.clusterCABundle", "", TEXT, "Its authority, base64; empty: EKS is asked."),
    Row("settings.isolatedVPC", False, FLAG, "There is no way to the Pricing API: prices are the built-in ones."),
    Row("settings.eksControlPlane", False, FLAG, "The cluster is EKS: endpoint, authority, version and service range are asked there."),
    Row("settings.vmMemoryOverheadPercent", 0.075, {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
        "Share of an instance's memory that is not the node's."),
    Row("settings.interruptionQueue", "", TEXT, "Name of the SQS queue with interruptions; empty: none."),
    Row("settings.enableZonalShift", False, FLAG, "Leave a zone that is shifted away from.", NOT_YET),
    Row("settings.reservedENIs", "0", {"type": ["string", "integer"], "pattern": "^[0-9]+$", "minimum": 0},
        "Network interfaces that pods cannot have."),
    Row("settings.ignoreDRARequests", True, FLAG, "Pods with resource claims are planned as if they had none.",
        "resource claims (DRA) are not looked at in this version"),
    Row("settings.disableDryRun", False, FLAG, "No dry runs when classes are validated.", NOT_YET),
    Row("settings.amiRefreshInterval", "1m", DURATION, "How often images are looked up.", NOT_YET),
    Row("settings.subnetRefreshInterval", "1m", DURATION, "How often subnets are looked up.", NOT_YET),
    Row("settings.securityGroupRefreshInterval", "1m", DURATION, "How often security groups are looked up.", NOT_YET),
    Row("settings.enableDRA", False, FLAG, "Resource claims count.", "resource claims (DRA) are not looked at in this version"),
    Row("settings.legacyNodeRepair", False, FLAG, "The older way of nodeRepair.", NOT_YET),
    Row("settings.disableClusterStateObservability", False, FLAG, "No metrics of nodes and pods.", "they are always there"),
    Row("settings.featureGates.nodeRepair", False, FLAG, "Replace nodes that are not well.", NOT_YET),
    Row("settings.featureGates.nodeOverlay", False, FLAG, "NodeOverlays count.", NOT_YET),
    Row("settings.featureGates.reservedCapacity", True, FLAG, "Capacity reservations count.", ALWAYS),
    Row("settings.featureGates.spotToSpotConsolidation", False, FLAG, "Replace spot by cheaper spot.", NOT_YET),
    Row("settings.featureGates.staticCapacity", False, FLAG, "Pools with a fixed number of nodes.", NOT_YET),
    Row("settings.featureGates.capacityBuffer", False, FLAG, "CapacityBuffers count.", NOT_YET),
    Row("settings.featureGates.terminateFirstDrift", False, FLAG, "End a drifted node before its replacement is there.", NOT_YET),
    Row("settings.featureGates.terminateFirstRepair", False, FLAG, "The same of nodes that are not well.", NOT_YET),
    Row("settings.featureGates.podDeletionCostManagement", False, FLAG, "Say which pods of a ReplicaSet go first.", NOT_YET),
    Row("settings.awsFeatureGates.nodeClassCEL", False, FLAG, "CEL in EC2NodeClasses.", NOT_YET),
    Row("settings.awsFeatureGates.draNVIDIAGPU", False, FLAG, "Resource claims of GPUs.", NOT_YET),
    Row("settings.awsFeatureGates.draEFA", False, FLAG, "Resource claims of EFA.", NOT_YET),
    Row("settings.awsFeatureGates.rebootForRepair", False, FLAG, "Reboot nodes that are not well.", NOT_YET),
    Row("managerConfig.controllerManagerConfigYaml", "", TEXT,
        "Kueue's Configuration, as its chart has it. Of it counts what decides; the daemon's log names what does not."),
    Row("logLevel", "info", choice("debug", "info", "warn", "error"), "Which lines are printed."),
    Row("logFormat", "json", TEXT, "Of the lines.", "lines are JSON"),
    Row("logOutputPaths", ["stdout"], TEXTS, "Where lines go.", "lines go to stdout"),
    Row("logErrorOutputPaths", ["stderr"], TEXTS, "Where errors of the logger go.", "they go to stderr"),
    Row("apf.enabled", False, FLAG, "FlowSchemas, so that neither lists nor the Lease wait behind other clients."),
    Row("extraObjects", [], LIST, "More objects, templates allowed."),
    Row("global", {}, MAP, "Of a chart around this one; not looked at."),
]

HEAD = "# Made by deploy/generate.py from deploy/gen/chart.py; the same rows make values.schema.json and docs/deploy.md.\n"


def scalar(value):
    """A value as YAML in one line."""
    if isinstance(value, str):
        return json.dumps(value) if value == "" or re.search(r"[^A-Za-z0-9._/-]", value) or not re.match("[A-Za-z]", value) else value
    return json.dumps(value)


def values():
    """values.yaml: each key below its comment."""
    lines, open_at = [HEAD.rstrip("\n")], []
    for row in ROWS:
        *parents, name = row.key.split(".")
        shared = 0
        while shared < min(len(parents), len(open_at)) and parents[shared] == open_at[shared]:
            shared += 1
        for depth in range(shared, len(parents)):
            lines.append("  " * depth + parents[depth] + ":")
        open_at = parents
        pad = "  " * len(parents)
        comment = row.comment + (" No other value: " + row.why + "." if row.why else "")
        lines += [f"{pad}# {line}" for line in folded(comment, 116 - len(pad))]
        if isinstance(row.default, (dict, list)) and row.default:
            body = yaml.safe_dump(row.default, sort_keys=False, width=110).rstrip("\n").splitlines()
            lines.append(f"{pad}{name}:")
            lines += [f"{pad}  {line}" for line in body]
        else:
            lines.append(f"{pad}{name}: {scalar(row.default)}")
    return "\n".join(lines) + "\n"


def folded(text, width):
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


def schema():
    root = {"$schema": "http://json-schema.org/draft-07/schema#", "title": "values of chart plimsoll",
            "type": "object", "additionalProperties": False, "properties": {}}
    for row in ROWS:
        at = root
        *parents, name = row.key.split(".")
        for part in parents:
            at = at["properties"].setdefault(
                part, {"type": "object", "additionalProperties": False, "properties": {}})
        at["properties"][name] = {"description": row.comment, **row.schema}
    return json.dumps(root, indent=1, ensure_ascii=False) + "\n"


def unsupported():
    rows = [{"key": row.key, "only": row.default, "why": row.why} for row in ROWS if row.why]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def table():
    """Markdown for docs/deploy.md."""
    lines = ["| value | default | |", "|---|---|---|"]
    for row in ROWS:
        default = json.dumps(row.default, ensure_ascii=False) if row.default not in ("", {}, []) else ""
        if len(default) > 60:
            default = "see values.yaml"
        else:
            default = f"`{default}`" if default else ""
        comment = row.comment.replace("|", "\\|") + (f" *No other value: {row.why}.*" if row.why else "")
        lines.append(f"| `{row.key}` | {default} | {comment} |")
    return "\n".join(lines) + "\n"


# The page, and where in it the table is.
PAGE, BEGIN, END = "../docs/deploy.md", "<!-- made by deploy/generate.py -->\n", "<!-- until here -->\n"


def page(folder):
    text = (folder / PAGE).read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


def files(folder):
    return {"charts/plimsoll/values.yaml": values(), "charts/plimsoll/values.schema.json": schema(),
            "charts/plimsoll/files/unsupported.json": unsupported(), PAGE: page(folder)}
