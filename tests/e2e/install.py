"""What lies in the cluster besides its own: our CRDs, policies and rights; and taking away a test's objects."""
import pathlib
import subprocess

from kube import ApiError, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
GROUPS = ("kueue.x-k8s.io", "karpenter.sh", "karpenter.k8s.aws", "plimsoll")


def serves(admin, group_version, resource):
    found = admin.find(f"/apis/{group_version}") or {}
    return any(one["name"] == resource for one in found.get("resources", []))


def deploy(cluster, plimsoll):
    """CRDs, policies, and the roles that `plimsoll rbac print` generates, as an installation has them."""
    if (ROOT / "deploy" / "crds").is_dir():
        cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", ROOT / "deploy" / "crds")
        cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    if (ROOT / "deploy" / "policies").is_dir() and serves(cluster.admin, "admissionregistration.k8s.io/v1", "mutatingadmissionpolicies"):
        cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", ROOT / "deploy" / "policies")
    roles = subprocess.run([plimsoll, "rbac", "print"], capture_output=True, text=True, check=False)
    if roles.returncode == 0:
        cluster.apply(roles.stdout)


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
