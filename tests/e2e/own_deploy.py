"""
Installing into the real API server: both charts by the real Helm library, the kustomization, the artefact. What the
controllers make of the StatefulSet is then run as a kubelet would (tests/deploy/pod.py): it observes, and after an upgrade it
runs the queues.
"""
import contextlib
import datetime
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile

import install
import yaml
from aws import Aws
from cluster import SPACE, built, free_ports
from kube import until
from objects import BATCH, KUEUE, cluster_queue, flavor, job, local_queue

ROOT = install.ROOT
sys.path.append(str(ROOT / "tests" / "deploy"))
sys.path.append(str(ROOT / "deploy"))

import charts  # noqa: E402
from pod import Pod, image  # noqa: E402

ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
THEIRS = "kueue-batch-admin-role"  # as Kueue's own chart has it
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
APPS = f"/apis/apps/v1/namespaces/{SPACE}"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


# ---- what the Prometheus operator has, as far as we use it ---------------------------------------------------

def text_map():
    return {"type": "object", "additionalProperties": {"type": "string"}}


def some(**fields):
    return {"type": "object", "properties": fields}


def rows(one):
    return {"type": "array", "items": one}


TEXT, WORDS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
RELABEL = some(action=TEXT, targetLabel=TEXT, replacement=TEXT, regex=TEXT, sourceLabels=WORDS, separator=TEXT,
               modulus={"type": "integer"})
MONITOR = some(jobLabel=TEXT, namespaceSelector=some(matchNames=WORDS, any={"type": "boolean"}),
               selector=some(matchLabels=text_map()), sampleLimit={"type": "integer"},
               endpoints=rows(some(port=TEXT, path=TEXT, interval=TEXT, scrapeTimeout=TEXT, scheme=TEXT,
                                   honorLabels={"type": "boolean"}, relabelings=rows(RELABEL),
                                   metricRelabelings=rows(RELABEL))))
RULE = {**some(alert=TEXT, record=TEXT, expr={"x-kubernetes-int-or-string": True}, labels=text_map(),
               annotations=text_map(), **{"for": TEXT}), "required": ["expr"]}
RULES = some(groups=rows({**some(name=TEXT, interval=TEXT, rules=rows(RULE)), "required": ["name"]}))


def operator_crd(kind, plural, spec):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.monitoring.coreos.com"},
            "spec": {"group": "monitoring.coreos.com", "scope": "Namespaced",
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": some(spec=spec)}}]}}


# ---- Helm ---------------------------------------------------------------------------------------------------

class Helm:
    """The real library, as the cluster's administrator."""

    def __init__(self, cluster):
        self.cluster = cluster
        home = cluster.folder / "helm"
        home.mkdir()
        self.env = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), "HELM_CACHE_HOME": str(home),
                    "HELM_CONFIG_HOME": str(home), "HELM_DATA_HOME": str(home)}

    def __call__(self, *words, values=None):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump(values or {}, file)
            file.flush()
            more = ("-f", file.name) if values is not None else ()
            return charts.run("helm", *words, *more, env=self.env)[0]

    def refused(self, *words):
        try:
            self(*words)
        except charts.Refused as error:
            return str(error)
        raise AssertionError(f"helm {words} was taken")


def nothing(cluster, plimsoll):
    """The test installs."""


@contextlib.contextmanager
def held(admin, namespace, name, seconds_ago):
    """A peer's Lease, renewed so long ago."""
    when = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)
    if admin.find(f"/api/v1/namespaces/{namespace}") is None:
        admin.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    admin.create(LEASE.format(namespace), {
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": namespace},
        "spec": {"holderIdentity": "peer-1", "leaseDurationSeconds": 15,
                 "renewTime": when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}})
    yield
    admin.delete(f"{LEASE.format(namespace)}/{name}")


def crds_wait_for_peers(helm, admin):
    """Not under a living peer, beside it only what is ours alone; a Lease that nobody renews counts for nothing."""
    chart = charts.CHARTS / "plimsoll-crds"
    for namespace, lease, peer in (("kueue-system", "c1f6bfd2.kueue.x-k8s.io", "Kueue"),
                                   ("kube-system", "karpenter-leader-election", "Karpenter")):
        with held(admin, namespace, lease, 2):
            told = helm.refused("install", "plimsoll-crds", chart, "-n", "default")
            assert f"{peer} is alive: peer-1 renewed Lease {namespace}/{lease}" in told, told
            assert f"--set {peer.lower()}=false" in told, told
            taken = charts.documents(helm("template", "x", chart, "--dry-run=server", "--set", f"{peer.lower()}=false"))
            assert len(taken) > 5, taken
        with held(admin, namespace, lease, 300):
            helm("template", "x", chart, "--dry-run=server")
    assert admin.items(CRDS) == [], "a refused installation left something"
    helm("install", "plimsoll-crds", chart, "-n", "default")
    made = admin.items(CRDS)
    assert len(made) == len(list((ROOT / "deploy" / "crds").glob("*.yaml"))), len(made)


# ---- the server's word on everything -------------------------------------------------------------------------

def server_takes(cluster, objects, what):
    """Dry runs with every admission and strict fields, all in one call."""
    for one in objects:
        one.setdefault("metadata", {}).setdefault("labels", {})
    cluster.kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", "-",
                    stdin=yaml.safe_dump_all(objects))
    assert objects, what


def all_cases_are_taken(cluster):
    """What the charts make for each set of values that test_charts.py has, and the kustomizations."""
    sys.argv.append("none")  # of the program that test_charts.py runs
    import test_charts
    sys.argv.pop()
    every = {}
    for values in test_charts.CASES.values():
        for one in charts.rendered(values, *charts.MUTATES):
            every.setdefault((charts.key(one), json.dumps(one, sort_keys=True)), one)
    # One call for each object's variants: the same object twice in one file is refused.
    while every:
        batch, seen = [], set()
        for name in list(every):
            if name[0] not in seen:
                seen.add(name[0])
                batch.append(every.pop(name))
        server_takes(cluster, batch, "charts")
    for overlay in ("observe", "enforce", "networkpolicy", "prometheus"):
        server_takes(cluster, charts.kustomized(charts.KUSTOMIZE / overlay), overlay)


def pod_of(admin):
    return until("the controllers made the pod", lambda: admin.find(f"/api/v1/namespaces/{SPACE}/pods/plimsoll-0"), 30)


def metrics(pod):
    found = (line.rpartition(" ") for line in pod.get("http-metrics", "/metrics")[1].splitlines())
    return {name: float(value) for name, _, value in found if name and not name.startswith("#")}


def starts(kept, pod):
    """Started, ready, and ended with the test."""
    kept.callback(pod.kill)
    pod.start()
    until("the pod is ready", pod.ready, 60)
    assert pod.probe("livenessProbe")[0] == 200 and pod.probe("startupProbe")[0] == 200
    return pod


def queues(e2e):
    e2e.cluster.apply({"apiVersion": "v1", "kind": "List", "items": [
        flavor("default"), cluster_queue("team", [("default", {"cpu": "4"})]), local_queue("work", "user-queue", "team")]})


def works(ports):
    """With Kueue's own configuration, as somebody who had Kueue would paste it."""
    kueues = built("kueue") / "config/components/manager/controller_manager_config.yaml"
    return {"controller": {"metrics": {"port": ports}, "healthProbe": {"port": ports + 1}},
            "managerConfig": {"controllerManagerConfigYaml": kueues.read_text(encoding="utf-8")},
            "settings": {"clusterName": "one", "batchIdleDuration": "2s"}, "podDisruptionBudget": {"enabled": True},
            "apf": {"enabled": True}, "networkPolicy": {"enabled": True}}


def classified(e2e):
    """Which FlowSchema the API server puts the account's calls into."""
    token = e2e.cluster.kubectl("create", "token", "plimsoll", "-n", SPACE).strip()
    connection = http.client.HTTPSConnection(e2e.admin.host, context=e2e.admin.context, timeout=20)
    connection.request("GET", "/api/v1/nodes?limit=1", headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.headers["X-Kubernetes-PF-FlowSchema-UID"]


def asks_by_way_of_the_api_server(e2e, token):
    """The pod is bound and said to be ready, as scheduler and kubelet would; the Service leads to it, for who has the role."""
    where = f"/api/v1/namespaces/{SPACE}/pods/plimsoll-0/status"
    address = machine()
    e2e.cluster.node("one")
    e2e.admin.create(f"/api/v1/namespaces/{SPACE}/pods/plimsoll-0/binding", {
        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "plimsoll-0"},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "one"}})
    e2e.admin.merge(where, {"status": {
        "phase": "Running", "podIP": address, "podIPs": [{"ip": address}],
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"name": "controller", "ready": True, "started": True, "image": "plimsoll", "imageID": "",
                               "restartCount": 0, "state": {"running": {}}}]}})
    (e2e.folder / "token").write_text(token, encoding="ascii")
    words = [e2e.plimsoll, "head", "-o", "json", "--token-file", e2e.folder / "token", "--certificate-authority",
             e2e.cluster.ca, "--server",
             f"{e2e.cluster.server}/api/v1/namespaces/{SPACE}/services/plimsoll:http-metrics/proxy"]

    def asked():
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=60)
        told[:] = [done.stdout + done.stderr]
        return done.returncode == 0 and "stateHash" in done.stdout

    told = []
    try:
        until("the Service leads to the pod", asked, 30, pause=0.3)
    except AssertionError as error:
        raise AssertionError(f"{error}: {told}") from None


def machine():
    """An address of this machine that is not its loopback: the API server goes to no such."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("192.0.2.1", 9))  # sends nothing
        return one.getsockname()[0]


def observes(e2e, kept, rootfs, volumes):
    """The pod reads everything, writes nothing, and tells whoever may ask."""
    admin = e2e.admin
    pod = starts(kept, Pod(e2e.cluster, rootfs, e2e.folder / "observes", pod_of(admin), volumes))
    until("it decided", lambda: metrics(pod).get('kueue_cluster_queue_status{cluster_queue="team",status="active",'
                                                 'replica_role="standalone"}') == 1, 30)
    assert metrics(pod)['plimsoll_mode{area="queues"}'] == 0
    schema = admin.get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/plimsoll")["metadata"]["uid"]
    until("its calls are of its own FlowSchema", lambda: classified(e2e) == schema, 20)
    assert pod.get("http-metrics", "/api/v1/head")[0] == 401, "the read API answers anybody"
    e2e.cluster.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "onlooker", "namespace": "work"}}, {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "onlooker"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "plimsoll-viewer"},
        "subjects": [{"kind": "ServiceAccount", "name": "onlooker", "namespace": "work"}]})
    token = e2e.cluster.kubectl("create", "token", "onlooker", "-n", "work").strip()
    code, text = until("the onlooker is let in", lambda: (
        lambda answer: answer if answer[0] != 403 else None)(pod.get("http-metrics", "/api/v1/head", token)), 20)
    assert code == 200, (code, text)
    asks_by_way_of_the_api_server(e2e, token)
    # A review asks and stores nothing.
    assert not [one for one in e2e.our_writes() if not one["objectRef"]["resource"].endswith("reviews")]
    pod.stop()
    assert '"queues"' not in pod.cli("state", "-L", "/var/lib/plimsoll/log", "--at", "START")
    pod.cli("log", "verify", "-L", "/var/lib/plimsoll/log")


def enforces(e2e, kept, rootfs, volumes):
    """The same volume; a Job is made suspended by the policies and let go by the pod."""
    admin = e2e.admin
    pod = starts(kept, Pod(e2e.cluster, rootfs, e2e.folder / "enforces", pod_of(admin), volumes))
    assert metrics(pod)['plimsoll_mode{area="queues"}'] == 1
    assert [one["metadata"]["name"] for one in admin.items(LEASE.format(SPACE))] == ["plimsoll"]
    made = admin.create(f"{BATCH}/namespaces/work/jobs", job("work", "first", "user-queue", suspend=False))
    assert made["spec"]["suspend"] is True, "no policy suspended it"
    until("it may run", lambda: not admin.get(f"{BATCH}/namespaces/work/jobs/first")["spec"]["suspend"], 30)
    assert admin.items(f"{KUEUE}/namespaces/work/workloads")
    pod.stop()
    for words in (("log", "verify"), ("replay",)):
        pod.cli(*words, "-L", "/var/lib/plimsoll/log")


def observes_ec2(e2e, kept, rootfs, volumes, helm, values):
    """With a cloud, in mode observe: it finds credentials and reads, and nothing else leaves the pod."""
    aws = kept.enter_context(Aws(e2e.folder / "aws"))
    admin, before = e2e.admin, pod_of(e2e.admin)["metadata"]["uid"]
    env = [{"name": name, "value": value} for name, value in aws.environment().items() if name.startswith("AWS_")]
    helm("upgrade", "plimsoll", charts.CHARTS / "plimsoll", "-n", SPACE, values={
        **values, "cloud": "ec2", "aws": {"region": aws.region, "endpoint": aws.proxy.endpoint},
        "settings": {"clusterName": aws.name, "interruptionQueue": aws.name, "isolatedVPC": True},
        "controller": {**values["controller"], "env": env}})
    admin.delete(f"/api/v1/namespaces/{SPACE}/pods/plimsoll-0", gracePeriodSeconds=0)
    until("the pod is another", lambda: pod_of(admin)["metadata"]["uid"] != before)
    pod = starts(kept, Pod(e2e.cluster, rootfs, e2e.folder / "ec2", pod_of(admin), volumes))
    until("it asks the cloud", lambda: any(name.startswith("plimsoll_cloud_requests_total") for name in metrics(pod)), 60)
    until("instances were listed", lambda: aws.proxy.log("DescribeInstances"), 60)
    pod.stop()
    wrote = {one["action"] for one in aws.proxy.log()
             if not one["action"].startswith(("Describe", "Get", "List", "AssumeRole"))}
    assert not wrote, wrote


def test_install_upgrade_uninstall(e2e):
    other = e2e.other(deploy=nothing, parts="etcd apiserver controllers")
    admin, cluster, helm = other.admin, other.cluster, Helm(other.cluster)
    crds_wait_for_peers(helm, admin)
    install.served(admin)
    cluster.apply(*(operator_crd(*one) for one in (("ServiceMonitor", "servicemonitors", MONITOR),
                                                   ("PrometheusRule", "prometheusrules", RULES))),
                  *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}} for name, labels in (
                      ("work", {}), (SPACE, {"pod-security.kubernetes.io/enforce": "restricted"}))))
    values = works(free_ports(2))
    chart = charts.CHARTS / "plimsoll"
    until("the operator's kinds are served", lambda: install.serves(admin, "monitoring.coreos.com/v1", "prometheusrules"))
    all_cases_are_taken(cluster)
    admin.create(ROLES, {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                         "metadata": {"name": THEIRS, "labels": {"whose": "kueue"}}, "rules": []})
    told = helm("install", "plimsoll", chart, "-n", SPACE, values=values)
    assert "Plimsoll observes" in told and f"port-forward service/plimsoll {values['controller']['metrics']['port']}" in told, told
    assert "app.kubernetes.io/instance" in admin.get(f"{ROLES}/kueue-batch-user-role")["metadata"]["labels"]
    queues(other)
    with contextlib.ExitStack() as kept:
        rootfs = image(other.plimsoll, other.folder / "rootfs")
        volumes = other.folder / "volumes"
        volumes.mkdir()
        for folder in (other.cluster.folder, other.folder, volumes):
            folder.chmod(0o755)
        observes(other, kept, rootfs, volumes)
        before = pod_of(admin)["metadata"]["uid"]
        told = helm("upgrade", "plimsoll", chart, "-n", SPACE, values={**values, "mode": "enforce"})
        assert "Plimsoll runs the queues of this cluster" in told, told
        install.settled(admin)
        admin.delete(f"/api/v1/namespaces/{SPACE}/pods/plimsoll-0", gracePeriodSeconds=0)  # no kubelet ends it
        until("the pod is another", lambda: pod_of(admin)["metadata"]["uid"] != before)
        enforces(other, kept, rootfs, volumes)
        observes_ec2(other, kept, rootfs, volumes, helm, values)
    goes_and_leaves_what_it_must(helm, admin)


def goes_and_leaves_what_it_must(helm, admin):
    """A rollback takes the rights to write away; an uninstallation leaves log, kinds and objects."""
    helm("rollback", "plimsoll", "2", "-n", SPACE)
    helm("rollback", "plimsoll", "1", "-n", SPACE)
    roles = {one["metadata"]["name"] for one in admin.items("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings")}
    assert "plimsoll-observe" in roles and "plimsoll-enforce" not in roles, roles
    assert not [one for one in admin.items("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies")
                if one["metadata"]["name"].startswith("plimsoll-")]
    helm("uninstall", "plimsoll", "-n", SPACE)
    assert admin.items(f"{APPS}/statefulsets") == []
    assert admin.get(f"{ROLES}/{THEIRS}")["metadata"]["labels"] == {"whose": "kueue"}, "a role of Kueue's was taken over"
    assert admin.find(f"{ROLES}/plimsoll-viewer") is None
    claims = [one["metadata"]["name"] for one in admin.items(f"/api/v1/namespaces/{SPACE}/persistentvolumeclaims")]
    assert claims == ["log-plimsoll-0"], claims
    count = len(admin.items(CRDS))
    helm("uninstall", "plimsoll-crds", "-n", "default")
    assert len(admin.items(CRDS)) == count
    assert [one["metadata"]["name"] for one in admin.items(f"{KUEUE}/clusterqueues")] == ["team"]
