"""
CRDs and admission policies (deploy/crds, deploy/policies) on the real API server.

What is taken and refused is asked of ours and of upstream's schemas; every behaviour case and sample is applied; what v1beta1
wrote is read as v1beta2 and must mean the same; columns, suspension and gates are as upstream has them. Most of it wants a
cluster in which nothing else acts, so these tests start one of their own with etcd and API server only.
"""
import atexit
import contextlib
import copy
import http.client
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import install
import yaml
from cluster import Cluster, built
from crds.objects import (NAMESPACED, NO_SUCH_KIND, PLURALS, REFUSED, ROWS, TAKEN, made, put)
from kube import ApiError, until
from peers import Kueue

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "deploy"))

from gen.policy import FLAGS  # noqa: E402

CASES = ROOT / "tests" / "cases"
QUEUE = "kueue.x-k8s.io/queue-name"
STRICT = "fieldValidation=Strict"
SHARED = []  # what takes the shared cluster down, and the cluster


# ---- clusters and objects -----------------------------------------------------------------------------

@contextlib.contextmanager
def bare(deploy):
    """A cluster of etcd and API server; deploy(cluster) fills it."""
    cluster = Cluster(parts="etcd apiserver", apiserver=["--disable-admission-plugins=ServiceAccount"])
    try:
        deploy(cluster)
        yield cluster
    finally:
        cluster.down()


@contextlib.contextmanager
def ours(e2e, last=False):
    """One with our CRDs and policies, which tests of this module share until the last of them."""
    if not SHARED:
        SHARED.append(contextlib.ExitStack())
        atexit.register(SHARED[0].close)
        SHARED.append(SHARED[0].enter_context(bare(lambda cluster: install.deploy(cluster, e2e.plimsoll))))
    try:
        yield SHARED[1]
    finally:
        if last:
            SHARED[0].close()
            SHARED.clear()


def upstream(cluster):
    """Upstream's CRDs, without Kueue's webhooks."""
    cluster.kubectl("apply", "--server-side", "-f", built("schemas"))
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    install.served(cluster.admin)


def path(obj, name=False, version=None):
    """Of the collection, or of the object."""
    group = version or obj["apiVersion"]
    base = f"/api/{group}" if "/" not in group else f"/apis/{group}"
    plural = PLURALS.get(obj["kind"]) or f"{obj['kind'].lower()}s".replace("storageclasss", "storageclasses")
    space = obj["metadata"].get("namespace")
    middle = f"/namespaces/{space}" if space else ""
    return f"{base}{middle}/{plural}" + (f"/{obj['metadata']['name']}" if name else "")


def sent(admin, method, where, obj):
    """(what became of it, the answer)"""
    code, body = admin.raw(method, where, json.dumps(obj))
    if code == 404 and method == "POST":
        return NO_SUCH_KIND, body
    if code in (200, 201):
        return TAKEN, json.loads(body)
    if code in (400, 422) or code == 403 and b"admission webhook" in body:
        return REFUSED, body.decode()
    raise ApiError(code, method, where, body.decode(errors="replace"))


# ---- taken and refused --------------------------------------------------------------------------------

def asked(admin, row):
    """What the API server says to a row."""
    obj = made(row.base, row.change)
    if obj["kind"] in NAMESPACED:
        obj["metadata"]["namespace"] = "default"
    if row.then is None:
        return sent(admin, "POST", f"{path(obj)}?dryRun=All&{STRICT}", obj)
    verdict, live = sent(admin, "POST", f"{path(obj)}?{STRICT}", obj)
    if verdict != TAKEN:
        return verdict, live
    try:
        if "status" in obj:
            live["status"] = obj["status"]
            verdict, live = sent(admin, "PUT", path(obj, True) + "/status", live)
            assert verdict == TAKEN, f"{row.base}, {row.name}: its status before: {live}"
        for where, value in row.then.items():
            put(live, where, copy.deepcopy(value))
        return sent(admin, "PUT", path(obj, True) + ("/status" if row.status else "") + f"?dryRun=All&{STRICT}", live)
    finally:
        install.remove(admin, path(obj, True))


def compared(admin, want):
    wrong = []
    for row in ROWS:
        verdict, told = asked(admin, row)
        if verdict != want(row):
            wrong.append(f"{row.base}, {row.name}: {verdict}, not {want(row)}: {str(told)[:600] if verdict != TAKEN else ''}")
    assert not wrong, f"{len(wrong)} of {len(ROWS)} rows:\n" + "\n".join(wrong)


def test_what_is_taken_and_refused(e2e):
    with ours(e2e) as cluster:
        compared(cluster.admin, lambda row: row.want)


def test_upstream_says_the_same(e2e):
    """To the rows, and to what Kueue and Karpenter show their users: of those it takes all but one, whose class has a version."""
    with bare(upstream) as cluster:
        compared(cluster.admin, lambda row: row.of_upstream())
        theirs = [(one["kind"], name, sent(cluster.admin, "POST", where, one)[0]) for one, name, where in examples()]
    with ours(e2e) as cluster:
        here = [(one["kind"], name, sent(cluster.admin, "POST", where, one)[0]) for one, name, where in examples()]
    assert here == theirs, [pair for pair in zip(here, theirs) if pair[0] != pair[1]]
    refused_ones = [name for _, name, verdict in theirs if verdict == REFUSED]
    assert refused_ones == ["windows2022"] and len(theirs) > 40, (refused_ones, len(theirs))


def examples():
    for file in sorted((built("schemas") / "examples").rglob("*.yaml")):
        for one in documents(file):
            if one["kind"] in PLURALS:
                if one["kind"] in NAMESPACED:
                    one["metadata"]["namespace"] = "default"
                yield one, one["metadata"]["name"], f"{path(one)}?dryRun=All&{STRICT}"


def test_policies_beside_kueue(e2e):
    """Under Kueue's CRDs its webhook has translated an old spelling before ours look: nothing is lost or added in either version."""
    cluster = Cluster(parts="etcd apiserver controllers")
    kueue = None
    try:
        kueue = Kueue(cluster, cluster.folder / "kueue")
        install.applied(cluster, "policies/*ing-*.yaml")
        admin = cluster.admin
        wrong = made("queue", {"spec/fairSharing": {"weight": "-1"}})
        until("ours work", lambda: "plimsoll" in str(sent(admin, "POST", path(wrong) + "?dryRun=All", wrong)[1]))
        old = made("old-queue", {"spec/flavorFungibility": {"whenCanBorrow": "Borrow"}, "spec/admissionChecks": ["c"]})
        before = admin.create(path(old), old)["spec"]
        after = admin.get(path(old, True, "kueue.x-k8s.io/v1beta2"))["spec"]
        assert (before["cohort"], after["cohortName"]) == ("all", "all") and "cohortName" not in before, (before, after)
        assert after["admissionChecksStrategy"] == {"admissionChecks": [{"name": "c"}]}, after
        assert admin.merge(path(old, True), {"spec": {"cohort": "other"}})["spec"]["cohort"] == "other"
        assert admin.get(path(old, True, "kueue.x-k8s.io/v1beta2"))["spec"]["cohortName"] == "other"
    finally:
        if kueue:
            kueue.stop()
        cluster.down()


def test_messages_name_the_fields(e2e):
    """Of an object in two dialects the fields of both are named."""
    for base, change, words in (
            ("queue", {"spec/preemption": {"priorityThreshold": 5}}, ["spec.resourceGroups", "spec.preemption.priorityThreshold"]),
            ("pool", {"spec/templateRef": {"name": "t"}}, ["spec.template.spec.nodeClassRef", "spec.templateRef"])):
        verdict, told = sent(e2e.admin, "POST", path(made(base, {})) + "?dryRun=All", made(base, change))
        assert verdict == REFUSED and all(word in told for word in words), told


# ---- cases and samples --------------------------------------------------------------------------------

class Loader(yaml.CSafeLoader):
    """Times stay the texts that they are."""


Loader.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()}


def documents(file):
    with open(file, encoding="utf-8") as text:
        return [one for one in yaml.load_all(text, Loader=Loader) if one and "metadata" in one]


SETTINGS = {"Configuration"}
CLUSTER_WIDE = {"Namespace", "Node", "PersistentVolume", "StorageClass", "CSINode", *PLURALS} - NAMESPACED


def applied(admin, obj):
    """Creates it with its status, and returns what is stored; None: it was there (a Namespace)."""
    obj = copy.deepcopy(obj)
    if obj["kind"] not in CLUSTER_WIDE:
        obj["metadata"].setdefault("namespace", "default")
    status = obj.get("status")
    try:
        live = admin.create(f"{path(obj)}?{STRICT}", obj)
    except ApiError as error:
        if error.code == 409 and obj["kind"] == "Namespace":
            return admin.merge(path(obj, True), {"metadata": {"labels": obj["metadata"].get("labels")}})
        raise
    if status and "kueue" in obj["apiVersion"] or status and "karpenter" in obj["apiVersion"]:
        live = admin.call("PUT", path(obj, True) + f"/status?{STRICT}", {**live, "status": status})
    return live


def namespaces(admin, objects):
    for name in {one["metadata"].get("namespace") for one in objects} - {None, "default"}:
        with contextlib.suppress(ApiError):
            admin.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def away(admin, objects):
    for one in reversed(objects):
        if one["kind"] == "Namespace":
            continue
        if one["metadata"].get("finalizers"):
            admin.merge(path(one, True), {"metadata": {"finalizers": None}})
        admin.delete(path(one, True), gracePeriodSeconds=0)


def as_written(original, stored):
    """What the API server made of it, with the identity that the case gave it."""
    stored = copy.deepcopy(stored)
    kept = {key: value for key, value in stored["metadata"].items() if key in ("labels", "annotations", "name", "namespace")}
    for key in ("uid", "creationTimestamp", "generation", "deletionTimestamp", "finalizers", "deletionGracePeriodSeconds"):
        if key in original["metadata"]:
            kept[key] = original["metadata"][key]
    stored["metadata"] = kept
    return stored


# What has no part in the comparison: metadataOptions, which upstream's schema gives to a class that says nothing of them, and
# ours too, and the class's hash, which has them in it.
NOT_SAID = r',?"(hash|http[A-Z][A-Za-z0-9]*)":("[^"]*"|[0-9]+)'


def facts(probe, groups):
    """What the reader makes of groups of objects: a list of lines for each, without places."""
    with tempfile.TemporaryDirectory() as where:
        files = {f"{where}/{number}.json": number for number in range(len(groups))}
        for file, number in files.items():
            pathlib.Path(file).write_text("\n".join(map(json.dumps, groups[number])), encoding="utf-8")
        done = subprocess.run([probe, "-v"], input="\n".join(files) + "\n", capture_output=True, text=True, check=True)
        made_of = [[] for _ in groups]
        for line in done.stdout.splitlines():
            place, _, rest = line.partition(" ")
            if place.rpartition(":")[0] in files:
                made_of[files[place.rpartition(":")[0]]].append(
                    re.sub(NOT_SAID, "", rest) if rest.startswith("NODE_CLASS") else rest)
            else:
                assert "\terror\t" not in line, line
    return made_of


def is_custom(obj):
    return "kueue.x-k8s.io/" in obj["apiVersion"] or "karpenter" in obj["apiVersion"]


def read_back(e2e, admin, chosen):
    """Applies cases; of our kinds what is read back under the newest version must be what the file says."""
    probe = pathlib.Path(e2e.plimsoll).parent / "tests" / "cases" / "manifest_probe"
    newest = {"kueue.x-k8s.io/v1beta1": "kueue.x-k8s.io/v1beta2"}
    cases, before, after, wrong = [], [], [], []
    for case in chosen:
        objects = [one for one in documents(case) if one["kind"] not in SETTINGS]
        namespaces(admin, objects)
        stored, written, back = [], [], []
        try:
            for one in objects:
                live = applied(admin, one)
                stored.append({**live, "apiVersion": one["apiVersion"], "kind": one["kind"]})
                if is_custom(one):
                    written.append(one)
                    back.append(as_written(one, admin.get(path(stored[-1], True, newest.get(one["apiVersion"])))))
        except ApiError as error:
            wrong.append(f"{case.parent.relative_to(CASES)}: {error}")
        away(admin, stored)
        cases.append(case.parent.relative_to(CASES))
        before.append(written)
        after.append(back)
    for case, want, got in zip(cases, facts(probe, before), facts(probe, after)):
        if want != got:
            wrong += [f"{case}:\n  file   {a}\n  server {b}" for a, b in itertools.zip_longest(want, got) if a != b]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])
    return sum(map(len, before))


def test_cases_apply_and_mean_the_same(e2e):
    with ours(e2e) as cluster:
        assert read_back(e2e, cluster.admin, sorted(CASES.glob("*/*/*/input.yaml"))) > 1000, "the cases are not there"


def test_samples_apply_with_kubectl(e2e):
    """The samples of the simple dialect as they are; what kubectl prints is decided on as the files are."""
    folder = ROOT / "examples" / "simple"
    spaces = sorted({one["metadata"].get("namespace") for file in folder.glob("*.yaml") for one in documents(file)} - {None})
    with ours(e2e) as cluster:
        for space in spaces:
            cluster.kubectl("create", "namespace", space)
        for file in sorted(folder.glob("*.yaml")):
            if file.name == "pod-with-affinity.yaml":  # a request for GPUs without a limit is refused by Kubernetes itself
                assert "Limit must be set" in cluster.kubectl("apply", "-f", file, want=None)
            else:
                cluster.kubectl("apply", "-f", file)
        kinds = "clusterqueues,localqueues,workqueues,podsets,nodepools,nodetemplates"
        shown = cluster.kubectl("get", kinds, "-A", "-o", "yaml")
        with tempfile.TemporaryDirectory() as where:
            (pathlib.Path(where) / "all.yaml").write_text(shown, encoding="utf-8")
            read = decided(e2e, where)
        assert "no type of node" in read.lower() or "nvidia.com/gpu" in read, read


def decided(e2e, where):
    return subprocess.run([e2e.plimsoll, "decide", "-f", where], capture_output=True, text=True, check=False).stdout


# ---- spellings and defaults -----------------------------------------------------------------------------

def test_old_spellings_become_new(e2e):
    admin = e2e.admin
    queue = made("old-queue", {"spec/admissionChecks": ["a", "b"],
                               "spec/flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"}})
    admin.create(path(queue), queue)
    where = path(queue, True, "kueue.x-k8s.io/v1beta2")
    spec = admin.get(where)["spec"]
    assert spec["cohortName"] == "all" and "cohort" not in spec, spec
    assert spec["admissionChecksStrategy"] == {"admissionChecks": [{"name": "a"}, {"name": "b"}]}, spec
    assert spec["flavorFungibility"] == {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"}, spec
    # What an old client changes later wins over what was made of its first word.
    admin.merge(path(queue, True), {"spec": {"cohort": "other", "admissionChecks": ["c"]}})
    spec = admin.get(where)["spec"]
    assert spec["cohortName"] == "other" and "cohort" not in spec, spec
    assert spec["admissionChecksStrategy"] == {"admissionChecks": [{"name": "c"}]}, spec
    try:
        admin.merge(path(queue, True), {"spec": {"cohort": "a", "cohortName": "b"}})
        raise AssertionError("two cohorts were taken")
    except ApiError as error:
        assert error.code == 422, error


def test_old_workloads_become_new(e2e):
    admin = e2e.admin
    work = made("old-workload", {"metadata/namespace": e2e.namespace, "spec/priority": 5, "spec/priorityClassName": "high",
                                 "spec/priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass"})
    live = admin.create(path(work), work)
    assert live["spec"]["priorityClassRef"] == {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"}, live
    assert "priorityClassName" not in live["spec"] and "priorityClassSource" not in live["spec"], live
    flat = {"levels": ["block", "host"], "domains": [{"values": ["b1", "h1"], "count": 1}, {"values": ["b1", "h2"], "count": 1}]}
    live["status"] = {"accumulatedPastExexcutionTimeSeconds": 7, "admission": {"clusterQueue": "cq", "podSetAssignments": [
        {"name": "main", "count": 2, "flavors": {"cpu": "spot"}, "resourceUsage": {"cpu": "2"}, "topologyAssignment": flat}]}}
    admin.call("PUT", path(work, True) + "/status", live)
    status = admin.get(path(work, True, "kueue.x-k8s.io/v1beta2"))["status"]
    assert status["accumulatedPastExecutionTimeSeconds"] == 7 and "accumulatedPastExexcutionTimeSeconds" not in status, status
    assert status["admission"]["podSetAssignments"][0]["topologyAssignment"] == {"levels": ["block", "host"], "slices": [{
        "domainCount": 2, "podCounts": {"individual": [1, 1]},
        "valuesPerLevel": [{"individual": {"roots": ["b1", "b1"]}}, {"individual": {"roots": ["h1", "h2"]}}]}]}, status


def test_defaults_follow_the_dialect(e2e):
    admin = e2e.admin
    queue, simple = made("queue", {}), made("simple-queue", {"metadata/name": "simple"})
    spec = admin.create(path(queue), queue)["spec"]
    assert spec["queueingStrategy"] == "BestEffortFIFO" and spec["stopPolicy"] == "None", spec
    assert spec["preemption"] == {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never",
                                  "borrowWithinCohort": {"policy": "Never"}}, spec
    assert admin.create(path(simple), simple)["spec"] == simple["spec"]
    pool, small = made("pool", {}), made("simple-pool", {"metadata/name": "small"})
    spec = admin.create(path(pool), pool)["spec"]
    assert spec["disruption"] == {"consolidateAfter": "0s", "consolidationPolicy": "WhenEmptyOrUnderutilized",
                                  "budgets": [{"nodes": "10%"}]} and spec["template"]["spec"]["expireAfter"] == "720h", spec
    assert admin.create(path(small), small)["spec"] == small["spec"]


# ---- suspended and gated --------------------------------------------------------------------------------

def job(e2e, name, labels=None, **spec):
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": e2e.namespace, "labels": labels or {}},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "none"}]}}, **spec}}


def test_jobs_with_a_queue_are_suspended(e2e):
    admin = e2e.admin

    def made_job(name, labels=None, **meta):
        one = job(e2e, name, labels)
        one["metadata"].update(meta)
        return admin.create(path(one), one)

    held = made_job("held", {QUEUE: "lq"})
    assert held["spec"]["suspend"] is True, held
    assert made_job("free")["spec"]["suspend"] is False
    owner = {"apiVersion": "batch/v1", "controller": True, "uid": held["metadata"]["uid"], "name": "held"}
    child = made_job("child", {QUEUE: "lq"}, ownerReferences=[{**owner, "kind": "Job"}])
    assert child["spec"]["suspend"] is False, "its owner is queued"
    timed = made_job("timed", {QUEUE: "lq"}, ownerReferences=[{**owner, "kind": "CronJob"}])
    assert timed["spec"]["suspend"] is True, "a CronJob is not queued"
    # In a namespace with a LocalQueue called default, that one is it.
    queue = made("local", {"metadata/namespace": e2e.namespace, "metadata/name": "default"})
    admin.create(path(queue), queue)

    def taken():
        one = job(e2e, "plain")
        made_of = admin.create(path(one) + "?dryRun=All", one)
        return made_of["metadata"].get("labels", {}).get(QUEUE) == "default" and made_of["spec"]["suspend"]

    until("the default queue is found", taken)


def stub(group, version, kind, plural):
    """A kind of somebody else's, of which only the name matters here."""
    any_object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {
        "name": f"{plural}.{group}", "annotations": {"api-approved.kubernetes.io": "unapproved, a stub for tests"}},
            "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": {
                         "openAPIV3Schema": {"type": "object", "properties": {"spec": any_object}}}}]}}


def at(obj, where):
    for step in where.split("."):
        obj = obj.get(step, {})
    return obj


def test_every_kind_with_a_flag_is_suspended(e2e):
    """Kinds of other projects, by the table that the policies are made from."""
    with ours(e2e) as cluster:
        admin = cluster.admin
        kinds = [(group, plural, flag) for (group, plural), flag in FLAGS.items() if group != "batch"]
        cluster.apply(*(stub(group, "v1", plural.removesuffix("s").title(), plural) for group, plural, _ in kinds))
        for group, plural, flag in kinds:
            base = f"/apis/{group}/v1/namespaces/default/{plural}"
            one = {"apiVersion": f"{group}/v1", "kind": plural.removesuffix("s").title(), "metadata": {"name": "a"}, "spec": {}}
            queued = {**one, "metadata": {"name": "b", "labels": {QUEUE: "lq"}}}
            until(f"{plural} are served", lambda obj=queued, where=base: admin.raw(
                "POST", f"{where}?dryRun=All", json.dumps(obj))[0] == 201)
            assert at(admin.create(f"{base}?dryRun=All", one), flag) == {}, f"{plural} without a queue"
            assert at(admin.create(f"{base}?dryRun=All", queued), flag) is True, f"{plural} with a queue"
            free = {**queued, "spec": {"runPolicy": {"suspend": False}, "suspend": False, "rayClusterConfig": {"suspend": False}}}
            assert at(admin.create(f"{base}?dryRun=All", free), flag) is True, f"{plural} that want to run at once"


def test_leader_worker_sets_pass_their_queue_on(e2e):
    with ours(e2e) as cluster:
        admin = cluster.admin
        cluster.apply(stub("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets"))
        base = "/apis/leaderworkerset.x-k8s.io/v1/namespaces/default/leaderworkersets?dryRun=All"
        pods = {"spec": {"containers": [{"name": "c", "image": "none"}]}}
        one = {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet",
               "metadata": {"name": "a", "labels": {QUEUE: "lq", "kueue.x-k8s.io/priority-class": "high"}},
               "spec": {"leaderWorkerTemplate": {"leaderTemplate": pods, "workerTemplate": pods}}}
        until("it is served", lambda: admin.raw("POST", base, json.dumps(one))[0] == 201)
        template = admin.create(base, one)["spec"]["leaderWorkerTemplate"]
        for part in ("leaderTemplate", "workerTemplate"):
            labels = template[part]["metadata"]["labels"]
            assert labels == {QUEUE: "lq", "kueue.x-k8s.io/priority-class": "high"}, template
        del one["spec"]["leaderWorkerTemplate"]["leaderTemplate"]
        assert "leaderTemplate" not in admin.create(base, one)["spec"]["leaderWorkerTemplate"]


def refused(call):
    try:
        call()
    except ApiError as error:
        assert error.code == 422, error
        return True
    return False


def test_labels_of_running_jobs_are_kept(e2e):
    admin = e2e.admin
    one = job(e2e, "run", {QUEUE: "lq"})
    where = path(one, True)
    admin.create(path(one), one)

    def label(key, value):
        return lambda: admin.merge(where, {"metadata": {"labels": {key: value}}})

    assert not refused(label(QUEUE, "other")), "it is suspended"
    assert refused(label(QUEUE, "Not a name"))
    assert refused(label("kueue.x-k8s.io/max-exec-time-seconds", "0"))
    admin.merge(where, {"spec": {"suspend": False}})
    assert refused(label(QUEUE, "lq")) and refused(label(QUEUE, None)), "it runs"
    assert refused(label("kueue.x-k8s.io/priority-class", "high"))
    assert refused(label("kueue.x-k8s.io/max-exec-time-seconds", "5"))
    bad = job(e2e, "bad", {QUEUE: "lq"}, parallelism=3)
    bad["metadata"]["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": "3"}
    assert refused(lambda: admin.create(path(bad), bad))


def pod(e2e, name, labels=None, annotations=None, **meta):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": e2e.namespace, "labels": labels or {}, "annotations": annotations or {}, **meta},
            "spec": {"containers": [{"name": "c", "image": "none"}]}}


def gates(obj):
    return [gate["name"] for gate in obj["spec"].get("schedulingGates", [])]


def is_held(obj):
    meta = obj["metadata"]
    return (gates(obj) == ["kueue.x-k8s.io/admission"] and meta["labels"].get("kueue.x-k8s.io/managed") == "true"
            and "finalizers" not in meta)


@contextlib.contextmanager
def pods_of(e2e):
    """The path of the namespace's pods, which go in the end with what makes them."""
    where = f"/api/v1/namespaces/{e2e.namespace}/pods"
    until("the account of pods is there", lambda: e2e.admin.find(f"/api/v1/namespaces/{e2e.namespace}/serviceaccounts/default"))
    try:
        yield where
    finally:
        for plural in ("deployments", "replicasets", "statefulsets"):
            e2e.admin.delete(f"/apis/apps/v1/namespaces/{e2e.namespace}/{plural}", propagationPolicy="Orphan")
        until("what makes pods is gone", lambda: not e2e.admin.items(f"/apis/apps/v1/namespaces/{e2e.namespace}/replicasets"))
        for one in e2e.admin.items(where):
            install.remove(e2e.admin, f"{where}/{one['metadata']['name']}")


def test_pods_with_a_queue_are_gated(e2e):
    admin = e2e.admin
    with pods_of(e2e) as where:
        held = admin.create(where, pod(e2e, "held", {QUEUE: "lq"}))
        assert is_held(held), held
        assert gates(admin.create(where, pod(e2e, "free"))) == []
        owner = {"apiVersion": "batch/v1", "kind": "Job", "controller": True, "uid": "1", "name": "j"}
        assert gates(admin.create(where, pod(e2e, "of-a-job", {QUEUE: "lq"}, ownerReferences=[owner]))) == []
        group = {"kueue.x-k8s.io/pod-group-name": "g", QUEUE: "lq"}
        total = {"kueue.x-k8s.io/pod-group-total-count": "2"}
        assert is_held(admin.create(where, pod(e2e, "in-a-group", group, total)))
        assert refused(lambda: admin.create(where, pod(e2e, "no-total", group)))
        assert refused(lambda: admin.create(where, pod(e2e, "no-group", {QUEUE: "lq"}, total)))
        assert is_held(admin.create(where, pod(e2e, "marked", {QUEUE: "lq", "kueue.x-k8s.io/managed": "no"})))
        assert refused(lambda: admin.merge(f"{where}/marked", {"metadata": {"labels": {"kueue.x-k8s.io/managed": "no"}}}))
        # Once it is let go it stays in its queue.
        admin.merge(f"{where}/held", {"spec": {"schedulingGates": None}})
        assert refused(lambda: admin.merge(f"{where}/held", {"metadata": {"labels": {QUEUE: "other"}}}))
        worker = {QUEUE: "lq", "leaderworkerset.sigs.k8s.io/name": "lws", "leaderworkerset.sigs.k8s.io/group-index": "3"}
        made_of = admin.create(where, pod(e2e, "lws-3-1", worker, {"leaderworkerset.sigs.k8s.io/size": "4"}))
        assert is_held(made_of), made_of
        assert made_of["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] == "leaderworkerset-lws-3", made_of
        assert made_of["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] == "4", made_of


def workload_of_pods(e2e, kind, name, replicas, **spec):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": kind,
            "metadata": {"name": name, "namespace": e2e.namespace,
                         "labels": {QUEUE: "lq", "kueue.x-k8s.io/priority-class": "high"}},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, **spec,
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "none"}]}}}}


def test_deployments_and_stateful_sets_pass_their_queue_on(e2e):
    admin = e2e.admin
    with pods_of(e2e) as pods:
        deployment = workload_of_pods(e2e, "Deployment", "web", 2)
        stateful = workload_of_pods(e2e, "StatefulSet", "db", 2, serviceName="db", podManagementPolicy="Parallel")
        for one in (deployment, stateful):
            template = admin.create(path(one), one)["spec"]["template"]["metadata"]
            assert template["labels"][QUEUE] == "lq" and template["labels"]["kueue.x-k8s.io/priority-class"] == "high", template
        until("four pods are made", lambda: len(admin.items(pods)) == 4)
        for one in admin.items(pods):
            assert is_held(one), one
            if one["metadata"]["name"].startswith("db-"):
                assert one["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] == "statefulset-db", one
                assert one["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] == "2", one
        assert refused(lambda: admin.merge(path(stateful, True), {"spec": {"replicas": 3}}))


def test_the_daemon_is_not_asked(e2e):
    """It may write in one step that a workload was put out and let in elsewhere; others may not."""
    work = made("reserved", {"metadata/namespace": e2e.namespace})
    live = e2e.admin.create(path(work), work)
    live = e2e.admin.call("PUT", path(work, True) + "/status", {**live, "status": work["status"]})
    live["status"]["admission"]["clusterQueue"] = "other"
    where = path(work, True) + "/status?dryRun=All"
    assert refused(lambda: e2e.admin.call("PUT", where, live))
    for space, code in (("plimsoll-system", 0), ("default", 1)):
        e2e.kubectl("--as", f"system:serviceaccount:{space}:plimsoll", "--as-group", "system:masters", "replace", "--raw", where,
                    "-f", "-", stdin=live, want=code)


def test_nothing_in_kube_system_is_held(e2e):
    admin = e2e.admin
    one = job(e2e, "system", {QUEUE: "lq"})
    one["metadata"]["namespace"] = "kube-system"
    assert admin.create(path(one) + "?dryRun=All", one)["spec"]["suspend"] is False


# ---- kubectl --------------------------------------------------------------------------------------------

COLUMNS = {  # spec/kueue.md 3.4, spec/karpenter.md 1.2, spec/dialect.md
    "workloads": ("NAME QUEUE RESERVED-IN ADMITTED FINISHED AGE", ""),
    "clusterqueues": ("NAME COHORT PENDING-WORKLOADS", "STRATEGY ADMITTED-WORKLOADS"),
    "localqueues": ("NAME CLUSTERQUEUE PENDING-WORKLOADS ADMITTED-WORKLOADS", ""),
    "workloadpriorityclasses": ("NAME VALUE", ""),
    "multikueueclusters": ("NAME CONNECTED AGE", ""),
    "nodepools": ("NAME NODECLASS NODES READY AGE", "WEIGHT CPU MEMORY"),
    "nodeclaims": ("NAME TYPE CAPACITY ZONE NODE READY AGE", "IMAGEID ID NODEPOOL NODECLASS DRIFTED"),
    "ec2nodeclasses": ("NAME READY AGE", "ROLE"),
    "podsets": ("NAME STATUS AGE", ""),
}


def table(cluster, where):
    """The server's own table: (title, is it only shown with -o wide)."""
    connection = http.client.HTTPSConnection(cluster.admin.host, context=cluster.admin.context, timeout=20)
    connection.request("GET", where, headers={"Authorization": f"Bearer {cluster.admin.token}",
                                              "Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
    found = json.loads(connection.getresponse().read())
    connection.close()
    return [(one["name"].upper().replace(" ", "-"), one["priority"] > 0) for one in found["columnDefinitions"]], found["rows"]


def test_columns_as_upstream(e2e):
    bases = {plural: (base, plural) for base, plural, _ in install.resources(e2e.admin)}
    for plural, (narrow, wide) in COLUMNS.items():
        found, _ = table(e2e.cluster, "/".join(bases[plural]))
        names = " ".join(name for name, hidden in found if not hidden)
        assert names == narrow, f"{plural}: {names}"
        names = " ".join(name for name, hidden in found if hidden)
        assert names == wide, f"{plural}: {names}"


def test_kubectl_verbs(e2e):
    kubectl = e2e.kubectl
    e2e.cluster.apply(made("pool", {"spec/replicas": 1}), made("workload", {"metadata/namespace": e2e.namespace}))
    assert "x" in kubectl("get", "kwl", "-n", e2e.namespace)
    kubectl("scale", "nodepool", "x", "--replicas=3")
    assert e2e.admin.get("/apis/karpenter.sh/v1/nodepools/x")["spec"]["replicas"] == 3
    assert "quota" in kubectl("explain", "clusterqueue").lower()
    work = f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{e2e.namespace}/workloads"
    e2e.admin.merge(f"{work}/x/status", {"status": {"admission": {"clusterQueue": "cq", "podSetAssignments": [{
        "name": "main", "count": 2, "flavors": {"cpu": "f"}, "resourceUsage": {"cpu": "2"}}]}}})
    assert len(e2e.admin.items(f"{work}?fieldSelector=status.admission.clusterQueue%3Dcq")) == 1
    assert e2e.admin.items(f"{work}?fieldSelector=status.admission.clusterQueue%3Dother") == []
    # Two managers share a list of conditions.
    for manager, kind in (("a", "QuotaReserved"), ("b", "Finished")):
        body = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": "x", "namespace": e2e.namespace},
                "status": {"conditions": [{"type": kind, "status": "False", "reason": "R", "message": "",
                                           "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
        e2e.admin.call("PATCH", f"{work}/x/status?fieldManager={manager}", body, "application/apply-patch+yaml")
    assert len(e2e.admin.get(f"{work}/x")["status"]["conditions"]) == 2


def test_policies_are_sound(e2e):
    """The API server's own look at the expressions finds nothing."""
    base = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"

    def looked():
        found = [one for one in e2e.admin.items(base) if one["metadata"]["name"].startswith("plimsoll-")]
        return found and all(one.get("status", {}).get("observedGeneration") for one in found) and found

    for one in until("the controller looks at the policies", looked, 30):
        warnings = (one["status"].get("typeChecking") or {}).get("expressionWarnings")
        assert not warnings, f"{one['metadata']['name']}: {json.dumps(warnings, indent=1)[:3000]}"


def test_without_mutating_policies(e2e):
    """As below Kubernetes 1.36: objects stay as v1beta1 wrote them, and are read and shown all the same."""
    with ours(e2e, last=True) as cluster:
        admin = cluster.admin
        cluster.kubectl("delete", "mutatingadmissionpolicybindings", "--all")
        old, new = made("old-queue", {"metadata/name": "old"}), made("queue", {"metadata/name": "new"})
        until("the policies are gone", lambda: "cohort" in admin.create(path(old) + "?dryRun=All", old)["spec"], 20)
        admin.create(path(old), old)
        admin.create(path(new), new)
        for version in ("v1beta1", "v1beta2"):
            titles, rows = table(cluster, f"/apis/kueue.x-k8s.io/{version}/clusterqueues")
            column = [name for name, _ in titles].index("COHORT")
            shown = {row["cells"][0]: row["cells"][column] for row in rows}
            assert (shown["old"], shown["new"]) == ("all", "all"), shown
        away(admin, [old, new])
        cases = [case for case in sorted(CASES.glob("kueue/*/*/input.yaml")) if "v1beta1" in case.read_text(encoding="utf-8")]
        assert read_back(e2e, admin, cases) > 300, "the cases are not there"
