"""A service account bound to the generated roles can make every call of the table, and nothing else."""
import json
import pathlib
import subprocess

import yaml

from cluster import SPACE
from install import ROOT
from kube import Kube, until

DENIED = (401, 403)


def account(e2e):
    """An account bound as `rbac print -n` binds the daemon's; that one's refusals are failures of any test."""
    kubeconfig = e2e.cluster.account("probe", e2e.folder)
    text = subprocess.run([e2e.plimsoll, "rbac", "print", "-n", SPACE], capture_output=True, text=True,
                          check=True).stdout
    for one in yaml.safe_load_all(text):
        if "roleRef" in one:
            one["metadata"]["name"] += "-probe"
            one["subjects"][0]["name"] = "probe"
            e2e.cluster.apply(one)
    return kubeconfig


def calls(e2e, kubeconfig):
    program = pathlib.Path(e2e.plimsoll).parent / "tests" / "e2e" / "kube_calls"
    done = subprocess.run([program, kubeconfig, SPACE], capture_output=True, text=True, check=False,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def rights(rules):
    """(group, resource, verb, name) of each; name "" = all."""
    return {(group, resource, verb, name) for rule in rules for group in rule.get("apiGroups", [])
            for resource in rule.get("resources", []) for verb in rule["verbs"]
            for name in rule.get("resourceNames") or [""]}


def granted(kube):
    answer = kube.create("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": SPACE}})
    return rights(answer["status"]["resourceRules"])


def printed(e2e):
    text = subprocess.run([e2e.plimsoll, "rbac", "print"], capture_output=True, text=True, check=True).stdout
    return rights(rule for role in yaml.safe_load_all(text) for rule in role["rules"])


def test_every_call_and_no_other(e2e):
    kubeconfig = account(e2e)
    seen = calls(e2e, kubeconfig)
    refused = [one for one in seen if one["status"] in DENIED and not one["doctor"]]
    assert not refused, refused
    answered = {one["resource"] for one in seen if one["status"]}
    assert {"pods", "pods/eviction", "jobs/status", "workloads/status", "nodeclaims", "leases",
            "tokenreviews", "podsets", "nodetemplates"} <= answered, answered
    # Bodies were empty and objects absent: nothing was changed by it.
    assert not [one for one in seen if one["status"] in (200, 201)
                and one["verb"] not in ("get", "list", "watch")]
    everybody = granted(Kube(e2e.cluster.account("nobody", e2e.folder)))  # by Kubernetes' own default roles
    mine = granted(Kube(kubeconfig))
    assert mine == printed(e2e) | everybody, mine ^ (printed(e2e) | everybody)


def test_calls_of_doctor_are_not_granted(e2e):
    """They are made with the rights of who runs the verb; the daemon's account has none of them."""
    kubeconfig = account(e2e)
    lists = [one for one in calls(e2e, kubeconfig) if one["doctor"] and one["verb"] == "list"]
    assert lists and all(one["status"] == 403 for one in lists), lists
    # As the administrator, whom nothing limits.
    admin = calls(e2e, e2e.cluster.kubeconfig)
    assert not [one for one in admin if one["status"] in DENIED], admin


def may(e2e, user, group, resource, verb):
    answer = e2e.admin.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": user, "resourceAttributes": {
            "namespace": e2e.namespace, "group": group, "resource": resource, "verb": verb}}})
    return answer["status"]["allowed"]


def test_roles_for_people(e2e):
    """deploy/rbac/users.yaml, by Kueue's own names and labels."""
    e2e.kubectl("apply", "-f", ROOT / "deploy" / "rbac" / "users.yaml")
    for user, role in (("admin-of-queues", "kueue-batch-admin-role"), ("user-of-queues", "kueue-batch-user-role"),
                       ("onlooker", "plimsoll-viewer")):
        e2e.cluster.apply({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": f"{e2e.namespace}-{user}"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]})
    # Roles are gathered by a controller, a moment later.
    until("the roles are gathered",
          lambda: may(e2e, "admin-of-queues", "kueue.x-k8s.io", "clusterqueues", "update")
          and may(e2e, "user-of-queues", "batch", "jobs", "create"))
    assert may(e2e, "admin-of-queues", "plimsoll.dev", "views", "get")
    assert may(e2e, "user-of-queues", "kueue.x-k8s.io", "workloads", "list")
    assert not may(e2e, "user-of-queues", "kueue.x-k8s.io", "clusterqueues", "update")
    assert not may(e2e, "user-of-queues", "kueue.x-k8s.io", "workloads", "delete")
    assert may(e2e, "onlooker", "karpenter.sh", "nodepools", "watch")
    assert may(e2e, "onlooker", "plimsoll.dev", "views", "get")
    assert not may(e2e, "onlooker", "batch", "jobs", "create")
    e2e.kubectl("delete", "-f", ROOT / "deploy" / "rbac" / "users.yaml")


def test_nothing_beside_the_table(e2e):
    kube = Kube(account(e2e))
    for method, path in (("GET", f"/api/v1/namespaces/{SPACE}/secrets"),
                         ("GET", "/api/v1/namespaces/kube-system/configmaps/coredns"),
                         ("POST", f"/api/v1/namespaces/{SPACE}/serviceaccounts/probe/token"),
                         ("POST", f"/api/v1/namespaces/{SPACE}/pods/x/exec"),
                         ("GET", f"/api/v1/namespaces/{SPACE}/events"),
                         ("POST", "/api/v1/nodes"),
                         ("DELETE", "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/x"),
                         ("PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/plimsoll"),
                         ("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/plimsoll"),
                         ("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings")):
        code, _ = kube.raw(method, path, "{}" if method != "GET" else None)
        assert code == 403, (method, path, code)
