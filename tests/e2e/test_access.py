"""Ways to say who one is, on a real API server: a token in a file, and a credential plugin."""
import json

import yaml

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
