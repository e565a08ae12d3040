"""What the other tests count on: the control plane's own behaviour, the fault proxy, the audit count."""
import http.client
import json
import threading
import time

from cluster import what, write_kubeconfig
from kube import Kube, until


def config_map(name, value="1"):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": value}}


def test_jobs_run_on_kwok_nodes(e2e):
    e2e.cluster.node(f"{e2e.namespace}-node")
    e2e.kubectl("-n", e2e.namespace, "create", "job", "short", "--image=none")
    job = f"/apis/batch/v1/namespaces/{e2e.namespace}/jobs/short"
    until("the job is done", lambda: e2e.admin.get(job)["status"].get("succeeded") == 1)


def test_audit_counts_writes_by_user(e2e):
    account = Kube(e2e.cluster.account("counted", e2e.folder))
    path = f"/api/v1/namespaces/{e2e.namespace}/configmaps"
    code, _ = account.raw("POST", path, json.dumps(config_map("a")))
    assert code == 403, code  # it has no rights, and that is told too
    e2e.admin.create(path, config_map("a"))
    mine = [what(one) for one in e2e.cluster.writes(e2e.mark, "counted")]
    assert mine == [f"create configmaps {e2e.namespace}"], mine
    theirs = [what(one) for one in e2e.cluster.writes(e2e.mark, "admin") if
              one["objectRef"].get("name") == "a"]
    assert theirs == [f"create configmaps {e2e.namespace}/a"], theirs


def through(e2e, proxy):
    """The admin as a client of the proxy."""
    return Kube(write_kubeconfig(e2e.folder / "through.kubeconfig", proxy.server, proxy.ca,
                                 e2e.admin.token))


def fails(call):
    try:
        call()
    except (http.client.HTTPException, OSError):
        return True
    return False


def test_proxy_passes_and_refuses(e2e):
    proxy = e2e.proxy()
    kube = through(e2e, proxy)
    path = f"/api/v1/namespaces/{e2e.namespace}/configmaps"
    kube.create(path, config_map("a"))
    assert e2e.admin.get(f"{path}/a")["data"] == {"a": "1"}
    proxy.rules({"name": "busy", "action": "status", "status": 429, "retryAfter": 3, "methods": ["POST"],
                 "path": "/configmaps", "skip": 1, "count": 1})
    codes = [kube.raw("POST", path, json.dumps(config_map(name)))[0] for name in "bcd"]
    assert codes == [201, 429, 201], codes
    assert proxy.counts() == {"busy": 1}
    assert [one["fault"] for one in proxy.log() if one.get("fault")] == ["status"]
    assert e2e.admin.find(f"{path}/c") is None


def test_proxy_loses_answers(e2e):
    proxy = e2e.proxy()
    kube = through(e2e, proxy)
    path = f"/api/v1/namespaces/{e2e.namespace}/configmaps"
    proxy.rules({"name": "before", "action": "reset", "methods": ["POST"], "count": 1},
                {"name": "after", "action": "lose", "methods": ["POST"], "count": 1})
    assert fails(lambda: kube.create(path, config_map("before")))
    assert fails(lambda: kube.create(path, config_map("after")))
    assert e2e.admin.find(f"{path}/before") is None
    assert e2e.admin.find(f"{path}/after") is not None


def test_proxy_cuts_watches(e2e):
    proxy = e2e.proxy()
    kube = through(e2e, proxy)
    path = f"/api/v1/namespaces/{e2e.namespace}/configmaps"
    seen = []

    def watch():
        try:
            seen.append(kube.raw("GET", f"{path}?watch=1&timeoutSeconds=20", again=False))
        except (http.client.HTTPException, OSError) as error:
            seen.append(type(error).__name__)

    thread = threading.Thread(target=watch)
    thread.start()
    time.sleep(0.5)
    proxy.cut()
    thread.join(5)
    assert len(seen) == 1 and isinstance(seen[0], str), seen
    proxy.rules({"name": "gone", "action": "expire", "query": "watch=1", "count": 1},
                {"name": "short", "action": "truncate", "bytes": 100, "path": "/configmaps", "count": 1})
    code, body = kube.raw("GET", f"{path}?watch=1&timeoutSeconds=20")
    assert code == 200 and json.loads(body)["object"]["code"] == 410, body
    assert fails(lambda: kube.raw("GET", path, again=False))
