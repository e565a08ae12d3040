"""Ways to say who one is, on a real API server: a token in a file, a credential plugin; and who may ask the daemon."""
import json
import subprocess
import urllib.error
import urllib.request

import yaml

from install import ROOT
from kube import until
from test_rbac import DENIED, account, calls

PLUGIN = """#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo run >> runs
printf '{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "%s"}}' \\
    "$(cat token)"
"""


def token_of(kubeconfig):
    return yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))["users"][0]["user"]["token"]


def written(e2e, name, user):
    """A kubeconfig, in JSON, of the same cluster."""
    path = e2e.folder / f"{name}.kubeconfig"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "clusters": [{"name": "it", "cluster": {"server": e2e.cluster.server,
                                                "certificate-authority": str(e2e.cluster.ca)}}],
        "users": [{"name": "it", "user": user}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}), encoding="utf-8")
    return path


def let_in(e2e, kubeconfig):
    seen = calls(e2e, kubeconfig)
    assert len([one for one in seen if one["status"]]) > 100, seen
    assert not [one for one in seen if one["status"] in DENIED and not one["doctor"]], seen


def test_token_file(e2e):
    (e2e.folder / "token").write_text(token_of(account(e2e)) + "\n", encoding="utf-8")
    let_in(e2e, written(e2e, "file", {"tokenFile": "token"}))


def test_credential_plugin(e2e):
    (e2e.folder / "token").write_text(token_of(account(e2e)), encoding="utf-8")
    plugin = e2e.folder / "plugin"
    plugin.write_text(PLUGIN, encoding="utf-8")
    plugin.chmod(0o700)
    let_in(e2e, written(e2e, "plugin", {"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin", "interactiveMode": "Never"}}))
    runs = (e2e.folder / "runs").read_text(encoding="utf-8")
    assert runs == "run\n", runs  # one run, however many calls waited for it


def served_to(daemon, path, token=None, header="Authorization"):
    """(status, text) of what the daemon serves, past the loopback's freedom."""
    headers = {} if token is None else {header: f"Bearer {token}" if header == "Authorization" else token}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://{daemon.listen}{path}", headers=headers),
                                    timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def token_for(e2e, name, audiences=None):
    """A token of a service account, which is made: as TokenRequest gives it to a pod."""
    account_of = f"/api/v1/namespaces/{e2e.namespace}/serviceaccounts"
    if e2e.admin.find(f"{account_of}/{name}") is None:
        e2e.admin.create(account_of, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})
    spec = {"expirationSeconds": 3600, **({"audiences": audiences} if audiences else {})}
    return e2e.admin.create(f"{account_of}/{name}/token", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})["status"]["token"]


def reviews(e2e):
    """How often the API server was asked: who a token is, what he may."""
    asked = [one["objectRef"]["resource"] for one in e2e.our_calls()
             if one["verb"] == "create" and one.get("objectRef", {}).get("resource") in
             ("tokenreviews", "subjectaccessreviews")]
    return asked.count("tokenreviews"), asked.count("subjectaccessreviews")


def test_who_may_ask(e2e):
    """Off the loopback the daemon serves whom the API server says that it may: by a real token and a real role."""
    daemon = e2e.daemon(start=False)
    daemon.reach = "0.0.0.0"
    daemon.start()
    viewer, nobody = token_for(e2e, "viewer"), token_for(e2e, "nobody")
    role = next(one for one in yaml.safe_load_all((ROOT / "deploy/rbac/users.yaml").read_text(encoding="utf-8"))
                if one["metadata"]["name"] == "plimsoll-viewer")
    e2e.cluster.apply(role, {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": f"{e2e.namespace}-viewer"},
        "subjects": [{"kind": "ServiceAccount", "name": "viewer", "namespace": e2e.namespace}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "plimsoll-viewer"}})
    try:
        head = "/api/v1/head"
        assert served_to(daemon, "/version")[0] == 200
        assert served_to(daemon, head)[0] == 401
        assert served_to(daemon, head, "no.such.token")[0] == 401
        assert served_to(daemon, head, token_for(e2e, "viewer", ["https://elsewhere"]))[0] == 401
        before = reviews(e2e)
        assert served_to(daemon, head, nobody)[0] == 403
        until("the role counts", lambda: served_to(daemon, head, viewer)[0] == 200, 30)
        assert json.loads(served_to(daemon, head, viewer, "Plimsoll-Token")[1])["seq"] > 0
        after = reviews(e2e)
        assert after[0] > before[0] and after[1] > before[1], (before, after)
        for _ in range(20):
            assert served_to(daemon, "/api/v1/summary", viewer)[0] == 200
        assert reviews(e2e) == after, "what is known of a token is not asked again"
        file = daemon.folder / "token"
        file.write_text(viewer, encoding="utf-8")
        done = subprocess.run([e2e.plimsoll, "summary", "--server", f"http://{daemon.listen}", "--token-file", file],
                              capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        daemon.stop()
        said = "".join(path.read_text(encoding="utf-8") for path in daemon.folder.glob("*.[0-9]*"))
        stored = b"".join(path.read_bytes() for path in daemon.data.rglob("*") if path.is_file())
        for one in (viewer, nobody):
            assert one not in said and one.encode() not in stored
    finally:
        e2e.kubectl("delete", f"clusterrolebinding/{e2e.namespace}-viewer", "clusterrole/plimsoll-viewer", want=None)
