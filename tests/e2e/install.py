"""What lies in the cluster besides its own: our CRDs, policies and rights; and taking away a test's objects."""
import json
import pathlib
import subprocess

from cluster import SPACE
from daemon import USER
from kube import ApiError, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
GROUPS = ("kueue.x-k8s.io", "karpenter.sh", "karpenter.k8s.aws", "plimsoll")


def serves(admin, group_version, resource):
    found = admin.find(f"/apis/{group_version}") or {}
    return any(one["name"] == resource for one in found.get("resources", []))


def bindings(account):
    subject = [{"kind": "ServiceAccount", "name": account, "namespace": SPACE}]
    group = "rbac.authorization.k8s.io"
    for role in ("observe", "enforce", "serve"):
        yield {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding",
               "metadata": {"name": f"plimsoll-{role}"}, "subjects": subject,
               "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": f"plimsoll-{role}"}}
    yield {"apiVersion": f"{group}/v1", "kind": "RoleBinding",
           "metadata": {"name": "plimsoll-lease", "namespace": SPACE}, "subjects": subject,
           "roleRef": {"apiGroup": group, "kind": "Role", "name": "plimsoll-lease"}}


def roles(cluster, plimsoll):
    """The account, and what it may do: `plimsoll rbac print`."""
    printed = subprocess.run([plimsoll, "rbac", "print", "-n", SPACE], capture_output=True, text=True, check=True)
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
    cluster.apply(printed.stdout)
    cluster.apply({"apiVersion": "v1", "kind": "List", "items": list(bindings(USER))})


def deploy(cluster, plimsoll):
    """CRDs, policies, and the roles that `plimsoll rbac print` generates, as an installation has them."""
    applied(cluster, "crds/*.yaml")
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    served(cluster.admin)
    applied(cluster, "policies/validating-*.yaml")
    mutates = serves(cluster.admin, "admissionregistration.k8s.io/v1", "mutatingadmissionpolicies")
    if mutates:
        applied(cluster, "policies/mutating-*.yaml")
    settled(cluster.admin, mutates)
    roles(cluster, plimsoll)


def applied(cluster, pattern):
    files = [word for path in sorted((ROOT / "deploy").glob(pattern)) for word in ("-f", path)]
    cluster.kubectl("apply", "--server-side", "--force-conflicts", *files)


def served(admin):
    """A kind is served a moment after it is established; until then the answers are 404, 429 and 503."""
    for base, plural, _ in resources(admin):
        until(f"{plural} are served", lambda at=f"{base}/{plural}": admin.raw("GET", at)[0] == 200, 30)


def settled(admin, mutates=True):
    """Policies are taken up a second or two after they were made; what they change is refused with 503 before that."""
    queue = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue", "metadata": {"name": "probe"},
             "spec": {"cohort": "old"}}
    wrong = {**queue, "spec": {"fairSharing": {"weight": "-1"}}}
    where = "/apis/kueue.x-k8s.io/v1beta1/clusterqueues?dryRun=All"

    def work():
        code, body = admin.raw("POST", where, json.dumps(queue))
        return (code == 201 and (b"cohortName" in body or not mutates)
                and admin.raw("POST", where, json.dumps(wrong))[0] == 422)

    until("the policies work", work, 30)


def resources(admin):
    """(path of the collection, namespaced) of every custom resource of the dialects."""
    for crd in admin.items("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"):
        spec = crd["spec"]
        if not any(group in spec["group"] for group in GROUPS):
            continue
        version = next(v["name"] for v in spec["versions"] if v["storage"])
        yield f"/apis/{spec['group']}/{version}", spec["names"]["plural"], spec["scope"] == "Namespaced"


def remove(admin, path):
    """Deletes an object and its finalizers: whoever should have removed those is gone."""
    try:
        admin.delete(path, gracePeriodSeconds=0)
        admin.merge(path, {"metadata": {"finalizers": None}})
    except ApiError as error:
        if error.code not in (404, 409):
            raise


def path_of(base, plural, obj):
    meta = obj["metadata"]
    middle = f"/namespaces/{meta['namespace']}" if meta.get("namespace") else ""
    return f"{base}{middle}/{plural}/{meta['name']}"


def sweep(admin):
    """No custom resource, no node, no lease of ours is left."""
    rows = [(base, plural) for base, plural, _ in resources(admin)]
    rows += [("/api/v1", "nodes"), ("/apis/coordination.k8s.io/v1/namespaces/plimsoll-system", "leases")]

    def clean():
        left = 0
        for base, plural in rows:
            for obj in admin.items(f"{base}/{plural}"):
                left += 1
                if "namespaces" in base:
                    admin.delete(f"{base}/{plural}/{obj['metadata']['name']}")
                else:
                    remove(admin, path_of(base, plural, obj))
        return left == 0

    until("all objects of the test are gone", clean, 30)
