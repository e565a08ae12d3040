"""The charts and kustomizations as they are rendered: what every object must be, which values are refused, and that
both ways of installing give the same. The real API server's word on them is tests/e2e/own_deploy.py."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from charts import (CHARTS, KUSTOMIZE, MUTATES, ROOT, SPACE, Refused, built, container, documents, key, kustomized, named,
                    of_kind, rendered, run)
from tap import report

sys.path.insert(0, str(ROOT / "deploy"))

from gen import chart  # noqa: E402

PLIMSOLL = sys.argv[1]
VERSION = re.compile(r"^version: (\S+)", re.MULTILINE)
MANAGER = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nwaitForPodsReady: {timeout: 5m}\n"
NODES = {"mode": "enforce", "enforce": {"nodes": True}, "cloud": "ec2", "settings": {"clusterName": "one"}}

# name -> values; what each is rendered to must pass all checks of an object.
CASES = {
    "defaults": {},
    "enforce queues": {"mode": "enforce"},
    "enforce nodes": {**NODES, "settings": {"clusterName": "one", "interruptionQueue": "q", "isolatedVPC": True,
                                            "eksControlPlane": True, "clusterEndpoint": "https://api",
                                            "clusterCABundle": "QQ==", "reservedENIs": 1},
                      "aws": {"region": "eu-west-1", "endpoint": "http://127.0.0.1:5000"}},
    "all that is optional": {
        "networkPolicy": {"enabled": True}, "apf": {"enabled": True}, "prometheusRule": {"enabled": True, "spendAbove": 50},
        "dashboards": {"enabled": True, "folder": "Batch"}, "admissionPolicy": {"enabled": True},
        "serviceMonitor": {"enabled": True, "jobName": "karpenter", "sampleLimit": 5000000,
                           "endpointConfig": {"interval": "30s"}, "additionalLabels": {"release": "prom"}},
        "managerConfig": {"controllerManagerConfigYaml": MANAGER},
        "additionalClusterRoleRules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
        "additionalLabels": {"team": "batch"}, "additionalAnnotations": {"owner": "batch"},
        "podLabels": {"sidecar": "none"}, "podAnnotations": {"seen": "by-nobody"},
        "imagePullSecrets": [{"name": "pull"}], "hostNetwork": True, "schedulerName": "other",
        "dnsConfig": {"options": [{"name": "ndots", "value": "1"}]}, "persistence": {
            "storageClassName": "gp3", "annotations": {"backup": "daily"}},
        "controller": {"env": [{"name": "AWS_STS_REGIONAL_ENDPOINTS", "value": "regional"}],
                       "envFrom": [{"configMapRef": {"name": "more"}}],
                       "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
                       "image": {"tag": "v1", "digest": "sha256:" + "0" * 64},
                       "extraVolumeMounts": [{"name": "more", "mountPath": "/more"}]},
        "extraVolumes": [{"name": "more", "emptyDir": {}}],
        "extraObjects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": '{{ include "plimsoll.fullname" . }}-more', "namespace": "{{ .Release.Namespace }}",
            "labels": {"a": "b"}}}]},
    "as Karpenter's users have them": {
        "settings": {"clusterName": "one", "clusterEndpoint": "", "interruptionQueue": "one", "reservedENIs": "0",
                     "ignoreDRARequests": None, "enableDRA": False, "featureGates": {"nodeRepair": False},
                     "awsFeatureGates": {"draEFA": None, "nodeClassCEL": False}, "amiRefreshInterval": "1m"},
        "controller": {"containerName": "main", "resources": {"requests": {"cpu": 1, "memory": "1Gi"}},
                       "securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}, "seLinuxOptions": {}},
                       "sidecarContainer": [], "sidecarVolumeMounts": []},
        "logOutputPaths": ["stdout"], "initContainers": {}, "podDisruptionBudget": {"name": "one", "maxUnavailable": 1},
        "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/one"}}},
    "without what can be left out": {
        "persistence": {"enabled": False}, "serviceAccount": {"create": False, "name": "there"},
        "rbac": {"userRoles": False}, "podDisruptionBudget": {"enabled": False}, "log": {"ballast": False},
        "affinity": {}, "tolerations": [], "topologySpreadConstraints": [], "priorityClassName": ""},
}

# values -> a part of what Helm says. Rows of gen/chart.py that have a reason are added below.
REFUSED = [
    ({"settings": {"batchIdleDurations": "1s"}}, "'batchIdleDurations'"),
    ({"settings": {"aws": {"clusterName": "x"}}}, "'aws'"),
    ({"settings": {"featureGates": {"drift": True}}}, "'drift'"),
    ({"settings": {"batchIdleDuration": 1}}, "/settings/batchIdleDuration"),
    ({"settings": {"batchIdleDuration": "soon"}}, "/settings/batchIdleDuration"),
    ({"settings": {"preferencePolicy": "ignore"}}, "/settings/preferencePolicy"),
    ({"settings": {"minValuesPolicy": "Loose"}}, "/settings/minValuesPolicy"),
    ({"settings": {"vmMemoryOverheadPercent": 1}}, "/settings/vmMemoryOverheadPercent"),
    ({"settings": {"vmMemoryOverheadPercent": "0.075"}}, "/settings/vmMemoryOverheadPercent"),
    ({"settings": {"reservedENIs": "some"}}, "/settings/reservedENIs"),
    ({"replicas": 2}, "/replicas"),
    ({"replicas": "1"}, "/replicas"),
    ({"mode": "shadow"}, "/mode"),
    ({"enforce": {"all": True}}, "'all'"),
    ({"cloud": "gce"}, "/cloud"),
    ({"cloud": "sim"}, "/cloud"),
    ({"compat": "loose"}, "/compat"),
    ({"logLevel": "trace"}, "/logLevel"),
    ({"nonsense": 1}, "'nonsense'"),
    ({"controller": {"image": {"digest": "latest"}}}, "/controller/image/digest"),
    ({"controller": {"metrics": {"port": 0}}}, "/controller/metrics/port"),
    ({"controller": {"outputPort": 1}}, "'outputPort'"),
    ({"persistence": {"size": "20 GB"}}, "/persistence/size"),
    ({"persistence": {"retention": {"whenDeleted": "Keep"}}}, "/persistence/retention/whenDeleted"),
    ({"terminationGracePeriodSeconds": 10}, "/terminationGracePeriodSeconds"),
    ({"drainTimeout": "1.5s"}, "/drainTimeout"),
    ({"livenessProbe": {"httpGet": {"path": "/"}}}, "'httpGet'"),
    ({"admissionPolicy": {"enabled": "yes"}}, "/admissionPolicy/enabled"),
    ({"nodeSelector": {"pool": 1}}, "/nodeSelector/pool"),
]
# What goes together is the templates' to say.
TOGETHER = [
    ({"mode": "enforce", "enforce": {"queues": False}}, "carries out nothing"),
    ({"mode": "enforce", "enforce": {"nodes": True}, "settings": {"clusterName": "x"}}, "cannot be bought with cloud none"),
    ({**NODES, "settings": {}}, "settings.clusterName: must be set"),
    ({"cloud": "ec2"}, "settings.clusterName: must be set"),
    ({"mode": "enforce", "persistence": {"enabled": False}}, "persistence.enabled: a log that goes with its pod"),
    ({"drainTimeout": "51s"}, "drainTimeout: 51s leaves no ten seconds"),
    ({"drainTimeout": "1m"}, "drainTimeout: 1m leaves no ten seconds"),
    ({"controller": {"image": {"repository": "example/karpenter/controller"}}}, "is another program's image"),
    ({"controller": {"metrics": {"port": 9000}, "healthProbe": {"port": 9000}}}, "is also controller.metrics.port"),
]
REFUSED_CRDS = [({"kueue": "no"}, "/kueue"), ({"crds": True}, "'crds'")]


def nested(path, value):
    for part in reversed(path.split(".")):
        value = {part: value}
    return value


def another(default):
    """A value of the same type that is not this one."""
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return default + 1
    if isinstance(default, (list, dict)):
        return ["x"] if isinstance(default, list) else {"x": "y"}
    return "2m" if default.endswith("m") else "other"


# ---- what each object must be ---------------------------------------------------------------------------

def selectors(objects):
    """Whatever selects pods selects ours, and nothing wider."""
    labels = named(objects, "StatefulSet")["spec"]["template"]["metadata"]["labels"]
    own = {"app.kubernetes.io/name", "app.kubernetes.io/instance"}
    for one in objects:
        spec = one.get("spec", {})
        for where, found in (("selector", spec.get("selector")), ("podSelector", spec.get("podSelector"))):
            if one["kind"] in ("StatefulSet", "PodDisruptionBudget", "Service", "NetworkPolicy") and found is not None:
                match = found.get("matchLabels", found)
                if set(match) != own or any(labels.get(name) != text for name, text in match.items()):
                    yield f"{key(one)}: {where} {match} is not of the pod {labels}"
        if one["kind"] == "ServiceMonitor":
            service = named(objects, "Service")["metadata"]["labels"]
            match = spec["selector"]["matchLabels"]
            if any(service.get(name) != text for name, text in match.items()):
                yield f"ServiceMonitor does not find the Service: {match}"
            ports = {port["name"] for port in named(objects, "Service")["spec"]["ports"]}
            if not {each["port"] for each in spec["endpoints"]} <= ports:
                yield "ServiceMonitor names a port that the Service lacks"


def pod_is_safe(objects):
    pod = named(objects, "StatefulSet")["spec"]["template"]["spec"]
    security = pod["securityContext"]
    if not security.get("runAsNonRoot") or security.get("runAsUser") != 65532:
        yield f"runs as {security}"
    if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield "has no seccomp profile"
    for one in pod["containers"]:
        inner = one.get("securityContext", {})
        if (not inner.get("readOnlyRootFilesystem") or inner.get("allowPrivilegeEscalation") is not False
                or inner.get("capabilities", {}).get("drop") != ["ALL"]):
            yield f"container {one['name']}: {inner}"
    writable = {mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"] if not mount.get("readOnly")}
    if not {"/var/lib/plimsoll", "/tmp"} <= writable:
        yield f"cannot write its log or /tmp: {writable}"
    volumes = {each["name"] for each in pod["volumes"]} | {
        each["metadata"]["name"] for each in named(objects, "StatefulSet")["spec"].get("volumeClaimTemplates", [])}
    missing = {mount["name"] for one in pod["containers"] for mount in one["volumeMounts"]} - volumes
    if missing:
        yield f"mounts of no volume: {missing}"


def probes(objects):
    one = container(objects)
    ports = {port["name"]: port["containerPort"] for port in one["ports"]}
    args = dict(word.removeprefix("--").partition("=")[::2] for word in one["args"][1:])
    for name, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
        http = one[name]["httpGet"]
        if http["path"] != path or f":{ports.get(http['port'])}" != args["health-listen"]:
            yield f"{name}: {http} with --health-listen={args['health-listen']}"
    if args["listen"] != f":{ports['http-metrics']}":
        yield f"--listen={args['listen']} is no port of the container"
    service = named(objects, "Service")["spec"]["ports"]
    if [port["targetPort"] for port in service] != ["http-metrics"]:
        yield f"Service leads to {service}"


def rights(objects):
    """No wildcard, nobody's secrets, every binding to a role that is there and to our account."""
    account = named(objects, "StatefulSet")["spec"]["template"]["spec"]["serviceAccountName"]
    space = named(objects, "StatefulSet")["metadata"]["namespace"]
    roles = {(one["kind"], one["metadata"]["name"]) for one in objects if one["kind"] in ("Role", "ClusterRole")}
    for one in objects:
        for rule in one.get("rules") or [] if one["kind"] in ("Role", "ClusterRole") else []:
            named_in = [*rule.get("apiGroups", []), *rule.get("resources", []), *rule["verbs"]]
            if "*" in named_in or "secrets" in named_in or {"escalate", "bind", "impersonate"} & set(rule["verbs"]):
                yield f"{one['metadata']['name']}: {rule}"
        if "roleRef" in one:
            if (one["roleRef"]["kind"], one["roleRef"]["name"]) not in roles:
                yield f"{key(one)}: binds {one['roleRef']}, which is not there"
            if one["subjects"] != [{"kind": "ServiceAccount", "name": account, "namespace": space}]:
                yield f"{key(one)}: binds {one['subjects']}"


def daemon_rights(objects):
    """What the bindings of the account give: (kind of role, its last word)."""
    return {one["roleRef"]["name"].rpartition("-")[2] for one in objects if "roleRef" in one}


def mode_and_rights_agree(objects):
    args = container(objects)["args"]
    writes = any(word.startswith("--enforce=") for word in args)
    held = daemon_rights(objects) - {"additional"}
    want = {"observe", "serve", "enforce", "lease"} if writes else {"observe", "serve"}
    if held != want:
        yield f"{args} with roles {held}"
    if writes == ("--mode=observe" in args):
        yield f"both or neither of mode and enforce: {args}"


def metadata(objects):
    seen = set()
    for one in objects:
        if key(one) in seen:
            yield f"{key(one)} is there twice"
        seen.add(key(one))
        labels = one["metadata"].get("labels", {})
        if one["kind"] not in ("ConfigMap", "CustomResourceDefinition") and "app.kubernetes.io/name" not in labels:
            yield f"{key(one)}: labels {labels}"


def flags_are_known(objects):
    """The program takes each argument: it goes on to ask for what a pod has and this process lacks."""
    env = {"PATH": os.environ["PATH"], **{each["name"]: each.get("value", "") for each in container(objects)["env"]}}
    words = [word for word in container(objects)["args"] if not word.startswith("--filename")]
    done = subprocess.run([PLIMSOLL, *words], capture_output=True, text=True, env=env, check=False,
                          timeout=60)
    told = done.stdout + done.stderr
    if done.returncode != 78 or "KUBERNETES_SERVICE_HOST" not in told:
        yield f"exit {done.returncode}: {told[-500:]}"


def rules_of_image(objects):
    image = container(objects)["image"]
    if image.endswith(":latest") or ":" not in image:
        yield f"image {image}"


CHECKS = (selectors, pod_is_safe, probes, rights, mode_and_rights_agree, metadata, flags_are_known, rules_of_image)


def case(values):
    objects = rendered(values, *(MUTATES if "mode" in values else ()))
    for check in CHECKS:
        yield from check(objects)


# ---- values ---------------------------------------------------------------------------------------------

def refused(values, wants, name="plimsoll"):
    try:
        rendered(values, chart=name)
    except Refused as error:
        missing = [want for want in wants if want not in str(error)]
        if missing:
            yield f"{json.dumps(values)}: nothing of {missing} in {error}"
        return
    yield f"{json.dumps(values)}: is taken"


def merged(into, values):
    """Both as one, or None where they say something of the same key."""
    out = dict(into)
    for name, value in values.items():
        if name not in out:
            out[name] = value
        elif isinstance(value, dict) and isinstance(out[name], dict):
            out[name] = merged(out[name], value)
            if out[name] is None:
                return None
        else:
            return None
    return out


def all_refused():
    """All that a file of values has wrong is told at once, so rows that do not touch each other share one."""
    groups = []
    for values, want in REFUSED:
        for group in groups:
            both = merged(group[0], values)
            if both is not None:
                group[0] = both
                group[1].append(want)
                break
        else:
            groups.append([values, [want]])
    for values, wants in groups:
        yield from refused(values, wants)
    for values, want in TOGETHER:
        yield from refused(values, [want])
    for values, want in REFUSED_CRDS:
        yield from refused(values, [want], "plimsoll-crds")


def unsupported():
    """Each value that this version has one answer for is refused with its reason, all in one message."""
    told = [row for row in chart.ROWS if row.why]
    values = {}
    for row in told:
        values = merged(values, nested(row.key, another(row.default)))
    yield from refused(values, [f"{row.key}: {json.dumps(another(row.default), separators=(',', ':'))} is not supported: "
                                for row in told])


def settings_reach_the_daemon():
    """Every key below settings is in the arguments or the environment, or is refused with a reason."""
    given = {"batchMaxDuration": "77s", "batchIdleDuration": "7s", "preferencePolicy": "Ignore",
             "minValuesPolicy": "BestEffort", "clusterName": "some-name", "clusterEndpoint": "https://some-api",
             "clusterCABundle": "c29tZQ==", "isolatedVPC": True, "eksControlPlane": True,
             "vmMemoryOverheadPercent": 0.08125, "interruptionQueue": "some-queue", "reservedENIs": "3"}
    keys = {row.key.partition(".")[2] for row in chart.ROWS if row.key.startswith("settings.") and not row.why}
    if keys != given.keys():
        yield f"not asked about: {keys ^ given.keys()}"
    before, after = container(rendered(NODES)), container(rendered({**NODES, "settings": given}))
    new = [word for word in after["args"] if word not in before["args"]]
    new += [f"{each['name']}={each['value']}" for each in after["env"] if each not in before["env"]]
    for name, value in given.items():
        text = "ISOLATED_VPC=true" if name == "isolatedVPC" else "EKS_CONTROL_PLANE=true" if value is True else f"={value}"
        if not any(word.endswith(text) for word in new):
            yield f"{name}: no {text} in {new}"


def environment_is_read():
    """Every variable that the chart sets is one that the daemon looks for."""
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").glob("*.c"))
    given = {"clusterName": "one", "clusterEndpoint": "https://api", "clusterCABundle": "QQ==", "isolatedVPC": True,
             "eksControlPlane": True, "interruptionQueue": "q"}
    for one in container(rendered({**NODES, "settings": given}))["env"]:
        if f'"{one["name"]}"' not in sources:
            yield f"{one['name']} is read by nothing in src"


def defaults():
    """values.yaml says what the rows say."""
    there = yaml.safe_load((CHARTS / "plimsoll" / "values.yaml").read_text(encoding="utf-8"))
    for row in chart.ROWS:
        at = there
        for part in row.key.split("."):
            at = at[part]
        if at != row.default or not row.comment.endswith("."):
            yield f"{row.key}: {at!r}, {row.comment!r}"


# ---- the charts beside each other and the kustomizations ---------------------------------------------------

def crds():
    files = {document["metadata"]["name"]: document for path in (ROOT / "deploy" / "crds").glob("*.yaml")
             for document in documents(path.read_text(encoding="utf-8"))}
    objects = {one["metadata"]["name"]: one for one in rendered(
        {"additionalAnnotations": {"argo": "x"}}, chart="plimsoll-crds")}
    if files.keys() != objects.keys():
        yield f"not all: {files.keys() ^ objects.keys()}"
    for name, one in objects.items():
        if one["spec"] != files[name]["spec"]:
            yield f"{name} is another than in deploy/crds"
        if one["metadata"]["annotations"] != {"helm.sh/resource-policy": "keep", "argo": "x"}:
            yield f"{name}: {one['metadata']['annotations']}"
    own = {"workqueues.kueue.x-k8s.io", "podsets.kueue.x-k8s.io", "nodetemplates.karpenter.sh"}
    left = {one["metadata"]["name"] for one in rendered({"kueue": False, "karpenter": False}, chart="plimsoll-crds")}
    if left != own:
        yield f"beside peers: {left}"
    if of_kind(rendered(), "CustomResourceDefinition"):
        yield "the main chart has CRDs in it: uninstalling it would take objects away"


def policies():
    def policies_of(values, *words, **more):
        return [one for one in rendered(values, *words, **more) if "AdmissionPolicy" in one["kind"]]

    if policies_of({}, *MUTATES):
        yield "observing installs policies"
    old = {one["kind"] for one in policies_of({"mode": "enforce"})}
    if old != {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}:
        yield f"before 1.36: {old}"
    files = sum((documents(path.read_text(encoding="utf-8"))
                 for path in (ROOT / "deploy" / "policies").glob("*ing-*.yaml")), [])
    now = policies_of({"mode": "enforce"}, *MUTATES)
    if {key(one): one["spec"] for one in now} != {key(one): one["spec"] for one in files}:
        yield "are not those of deploy/policies"
    less = {one["metadata"]["name"] for one in now} - {one["metadata"]["name"] for one in policies_of(
        {"mode": "enforce", "admissionPolicy": {"defaultQueue": False}}, *MUTATES)}
    if not less or not all("default-queue" in name for name in less):
        yield f"without defaultQueue: {less} are gone"
    if policies_of({"mode": "enforce", "admissionPolicy": {"enabled": False}}, *MUTATES):
        yield "are there though disabled"
    if {one["kind"] for one in policies_of({"admissionPolicy": {"enabled": True}}, *MUTATES)} != old:
        yield "true in observe: not those that validate, or others too"
    elsewhere = json.dumps(policies_of({"mode": "enforce"}, *MUTATES, namespace="batch"))
    if SPACE in elsewhere or '"batch"' not in elsewhere:
        yield "spare another namespace than the release's"


def alerts_and_boards():
    objects = rendered({"prometheusRule": {"enabled": True, "spendAbove": 50, "groups": [{"name": "mine", "rules": []}]},
                        "dashboards": {"enabled": True, "folder": "Batch"}})
    there = yaml.safe_load((ROOT / "deploy" / "alerts" / "plimsoll.yaml").read_text(encoding="utf-8"))["groups"]
    groups = named(objects, "PrometheusRule")["spec"]["groups"]
    if groups[:len(there)] != there or [one["name"] for one in groups[len(there):]] != ["mine", "plimsoll-spend"]:
        yield f"alerts: {[one['name'] for one in groups]}"
    limit = named(rendered({"serviceMonitor": {"enabled": True, "sampleLimit": 5000000}}), "ServiceMonitor")["spec"]["sampleLimit"]
    if limit != 5000000 or not isinstance(limit, int):
        yield f"sampleLimit: {limit!r}"
    if groups[-1]["rules"][0]["expr"] != "sum(plimsoll_cost_dollars_per_hour) > 50":
        yield f"spendAbove: {groups[-1]}"
    files = {f"plimsoll-{path.stem}.json": json.loads(path.read_text(encoding="utf-8"))
             for path in (ROOT / "deploy" / "dashboards").glob("*.json")}
    maps = [one for one in of_kind(objects, "ConfigMap") if "grafana_dashboard" in one["metadata"]["labels"]]
    if {name: json.loads(text) for one in maps for name, text in one["data"].items()} != files:
        yield "boards are not those of deploy/dashboards"
    if {one["metadata"]["annotations"]["grafana_folder"] for one in maps} != {"Batch"}:
        yield "boards are in no folder"


def plain(objects, strip=("helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version")):
    """Without what says who installed it."""
    out = {}
    for one in objects:
        if one["kind"] == "Namespace":
            continue
        one["metadata"]["labels"] = {name: text for name, text in one["metadata"].get("labels", {}).items()
                                     if name not in strip}
        out[key(one)] = one
    return out


def same(overlay, values, kinds=None):
    """The kustomization gives what the chart gives for these values."""
    ours, theirs = plain(kustomized(KUSTOMIZE / overlay)), plain(rendered(values, *MUTATES))
    if kinds:
        theirs = {name: one for name, one in theirs.items() if name[1] in kinds}
    for name in sorted(ours.keys() ^ theirs.keys()):
        yield f"only in {'the kustomization' if name in ours else 'the chart'}: {name}"
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] != theirs[name]:
            yield f"{name}:\nkustomize {json.dumps(ours[name], sort_keys=True)}\nchart     " \
                  f"{json.dumps(theirs[name], sort_keys=True)}"


def release():
    """The artefacts: packages render as their folders do, the manifests are the kustomization and the CRDs."""
    with tempfile.TemporaryDirectory() as folder:
        programs = built("cluster")
        subprocess.run([sys.executable, ROOT / "deploy" / "release.py", "--helm", programs / "helm", "--kubectl",
                        programs / "kubectl", folder], check=True, stderr=subprocess.DEVNULL)
        there = {path.name: path for path in pathlib.Path(folder).iterdir()}
        version = VERSION.search((CHARTS / "plimsoll" / "Chart.yaml").read_text(encoding="utf-8"))[1]
        if there.keys() != {"plimsoll.yaml", "plimsoll-crds.yaml", f"plimsoll-{version}.tgz", f"plimsoll-crds-{version}.tgz"}:
            yield f"made: {sorted(there)}"
        for name, values in (("plimsoll", {"mode": "enforce", "dashboards": {"enabled": True}}), ("plimsoll-crds", {})):
            if rendered(values, *MUTATES, chart=there[f"{name}-{version}.tgz"]) != rendered(values, *MUTATES, chart=name):
                yield f"package {name} renders otherwise than its folder"
        if documents(there["plimsoll.yaml"].read_text(encoding="utf-8")) != kustomized(KUSTOMIZE / "observe"):
            yield "plimsoll.yaml is not what overlays/observe makes"
        if {key(one) for one in documents(there["plimsoll-crds.yaml"].read_text(encoding="utf-8"))} != {
                key(one) for one in rendered(chart="plimsoll-crds")}:
            yield "plimsoll-crds.yaml has not all of them"


def keys_of_k9s():
    """Each plugin asks what the program answers: here there is nobody to ask, which is another end than usage."""
    plugins = yaml.safe_load((ROOT / "deploy" / "k9s" / "plugins.yaml").read_text(encoding="utf-8"))["plugins"]
    if len({one["shortCut"] for one in plugins.values()}) != len(plugins):
        yield "a key is there twice"
    env = {**os.environ, "PATH": f"{pathlib.Path(PLIMSOLL).resolve().parent}:{os.environ['PATH']}", "PAGER": "cat",
           "PLIMSOLL_SERVER": "http://127.0.0.1:1"}
    for name, one in plugins.items():
        # They differ in the verb only, so one of them is tried on every kind.
        for kind in one["scopes"] if one["shortCut"] == "Shift-W" else one["scopes"][:1]:
            for space in ("work", "-", "") if kind == "pods" else ("work",):
                given = {"$RESOURCE_NAME": kind, "$NAME": "some", "$NAMESPACE": space}
                done = subprocess.run([one["command"], *(given.get(word, word) for word in one["args"])], env=env,
                                      capture_output=True, text=True, check=False, timeout=30)
                if "http://127.0.0.1:1" not in done.stdout or "usage" in done.stdout:
                    yield f"{name} of {kind} in {space!r}: {done.stdout}{done.stderr}"


def pages():
    """What the pages tell people to set and to apply is there."""
    known = {row.key for row in chart.ROWS} | {"kueue", "karpenter", "ignorePeers"}
    for name in ("README.md", "docs/deploy.md", "docs/alerts.md", "docs/kubernetes.md", "deploy/README.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for each in re.findall(r'--set ["\']?([A-Za-z.]+)', text):
            if each.rstrip(".") not in known:
                yield f"{name}: --set {each} is no value"
        for each in re.findall(r"(?<![\w/])deploy/[a-z0-9/-]+(?:\.[a-z]+)?", text):
            if not (ROOT / each).exists() and not list(ROOT.glob(f"{each}*")):
                yield f"{name}: {each} is not there"


# What a kubectl of 2020 takes (kustomize 2.0.3), tried with Debian's: no folders in `resources`, no `patches`, `components`.
OLD = {"apiVersion", "kind", "namespace", "commonLabels", "bases", "resources", "patchesJson6902"}


def files():
    """Every manifest is tidy YAML; every kustomization keeps to what old releases know."""
    deploy = ROOT / "deploy"
    others = {*deploy.glob("charts/*/templates/*"), *deploy.glob("iam/*")}  # templates of Helm and of CloudFormation
    for path in sorted({*deploy.rglob("*.yaml")} - others):
        text = path.read_text(encoding="utf-8")
        found = documents(text)
        for number, line in enumerate(text.splitlines(), 1):
            if "\t" in line or line != line.rstrip():
                yield f"{path}:{number}: a tab, or spaces at its end"
        if not text.endswith("\n") or text.endswith("\n\n"):
            yield f"{path}: its end"
        for one in found if path.name == "kustomization.yaml" else []:
            if one.keys() - OLD:
                yield f"{path}: {one.keys() - OLD}"
            for name in one.get("resources", []):
                if not (path.parent / name).is_file():
                    yield f"{path}: {name} is no file beside it"
            for name in one.get("bases", []):
                if not (path.parent / name / "kustomization.yaml").is_file():
                    yield f"{path}: {name} is no folder of a kustomization"


def own_kustomization():
    """The one that docs/deploy.md shows: several overlays, and another image."""
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    text = re.search(r"```yaml\n(apiVersion: kustomize.*?)```", page, re.DOTALL)[1]
    with tempfile.TemporaryDirectory(dir=pathlib.Path(PLIMSOLL).resolve().parent) as folder:
        text = text.replace("PATH/deploy", os.path.relpath(ROOT / "deploy", folder)).replace("REPOSITORY", "example")
        pathlib.Path(folder, "kustomization.yaml").write_text(text, encoding="utf-8")
        made = kustomized(folder)
    want = {key(one) for overlay in ("observe", "prometheus") for one in kustomized(KUSTOMIZE / overlay)}
    if {key(one) for one in made} != want:
        yield f"{ {key(one) for one in made} ^ want}"
    if container(made)["image"] != "example/plimsoll:0.1.0":
        yield f"image {container(made)['image']}"


def two_releases_share_no_name():
    one = {key(each) for each in rendered({"rbac": {"userRoles": False}})}
    two = {key(each) for each in rendered({"rbac": {"userRoles": False}}, release="second", namespace="second")}
    yield from sorted(one & two)


def lint():
    for name in ("plimsoll", "plimsoll-crds"):
        said, _ = run("helm", "lint", "--strict", CHARTS / name)
        if "[WARNING]" in said or "[ERROR]" in said:
            yield said


def main():
    checks = [("helm lint", lint)]
    checks += [(f"values: {name}", lambda values=values: case(values)) for name, values in CASES.items()]
    checks += [("values that are refused", all_refused), ("values that are not supported", unsupported),
               ("settings reach the daemon", settings_reach_the_daemon),
               ("the daemon reads the environment", environment_is_read),
               ("values.yaml", defaults), ("CRDs", crds), ("policies", policies),
               ("kustomize: observe", lambda: same("observe", {})),
               ("kustomize: enforce", lambda: same("enforce", {"mode": "enforce"})),
               ("kustomize: networkpolicy",
                lambda: same("networkpolicy", {"networkPolicy": {"enabled": True}}, {"NetworkPolicy"})),
               ("kustomize: prometheus", lambda: same(
                   "prometheus", {"serviceMonitor": {"enabled": True}, "prometheusRule": {"enabled": True}},
                   {"ServiceMonitor", "PrometheusRule"})),
               ("alerts and boards", alerts_and_boards),
               ("kustomize: one of your own", own_kustomization), ("files", files), ("pages", pages), ("release", release), ("keys of k9s", keys_of_k9s),
               ("two releases share no name", two_releases_share_no_name)]
    return report(checks)


if __name__ == "__main__":
    sys.exit(main())
