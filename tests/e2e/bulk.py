"""Many nodes and pods at once, put into etcd as the API server stores them: 25,000 objects in seconds, where
creating them by the API takes minutes. Objects of etcd may be JSON; the API server reads both forms."""
import base64
import concurrent.futures
import http.client
import json
import urllib.request
import uuid

from kube import until

BATCH = 120  # operations of one transaction; etcd's limit is 128
MADE = "2026-01-01T00:00:00Z"


def node(number):
    name = f"node-{number:05}"
    size = {"cpu": "16", "memory": "64Gi", "pods": "110", "ephemeral-storage": "100Gi"}
    return f"minions/{name}", {
        "kind": "Node", "apiVersion": "v1",
        "metadata": {"name": name, "uid": str(uuid.UUID(int=number + 1)), "creationTimestamp": MADE,
                     "labels": {"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64",
                                "kubernetes.io/os": "linux",
                                "topology.kubernetes.io/zone": f"zone-{number % 3}",
                                "node.kubernetes.io/instance-type": "m5.4xlarge"}},
        "spec": {"providerID": f"aws:///zone-{number % 3}/i-{number:017x}"},
        "status": {"capacity": size, "allocatable": size,
                   "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                                   "message": "kubelet is posting ready status",
                                   "lastHeartbeatTime": MADE, "lastTransitionTime": MADE}],
                   "nodeInfo": {"kubeletVersion": "v1.37.2", "operatingSystem": "linux",
                                "architecture": "amd64"}}}


def pod(space, number, nodes):
    name = f"pod-{number:06}"
    return f"pods/{space}/{name}", {
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": name, "namespace": space, "uid": str(uuid.UUID(int=(1 << 64) + number)),
                     "creationTimestamp": MADE, "labels": {"app": f"app-{number % 200}"},
                     "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet",
                                          "name": f"app-{number % 200}", "controller": True,
                                          "uid": str(uuid.UUID(int=(1 << 65) + number % 200))}]},
        "spec": {"schedulerName": "default-scheduler", "nodeName": f"node-{number % nodes:05}",
                 "restartPolicy": "Always", "serviceAccountName": "default",
                 "containers": [{"name": "main", "image": "registry.invalid/main:1",
                                 "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}]},
        "status": {"phase": "Running", "podIP": f"10.244.{number >> 8 & 255}.{number & 255}",
                   "conditions": [{"type": kind, "status": "True", "lastTransitionTime": MADE}
                                  for kind in ("PodScheduled", "Initialized", "ContainersReady",
                                               "Ready")]}}


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def call(cluster, path, body):
    """One call of etcd's gateway."""
    url = f"http://127.0.0.1:{int(cluster.env['PORT']) + 1}/v3/kv/{path}"
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def put(cluster, rows):
    """Writes (key below /registry, object)."""
    rows = list(rows)
    for first in range(0, len(rows), BATCH):
        call(cluster, "txn", {"success": [
            {"requestPut": {"key": encoded(f"/registry/{key}"), "value": encoded(json.dumps(obj))}}
            for key, obj in rows[first:first + BATCH]]})


def put_each(cluster, rows, threads=12):
    """As put(), each object with a revision of its own: whoever watches is told of every one."""
    port = int(cluster.env["PORT"]) + 1

    def work(some):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for key, obj in some:
            connection.request("POST", "/v3/kv/put", json.dumps({
                "key": encoded(f"/registry/{key}"), "value": encoded(json.dumps(obj))}))
            answer = connection.getresponse()
            assert answer.read() and answer.status == 200
        connection.close()

    rows = list(rows)
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, [rows[first::threads] for first in range(threads)]))


def drop(cluster, key):
    call(cluster, "deleterange", {"key": encoded(f"/registry/{key}")})


def compact(cluster):
    """Forgets everything but the newest of each key: no watch can go on from before."""
    head = call(cluster, "range", {"key": encoded("/")})["header"]["revision"]
    call(cluster, "compaction", {"revision": head, "physical": True})


def cached(cluster, resource):
    """How many there are in the API server's cache, which watches begin from."""
    return len(cluster.admin.get(f"/api/v1/{resource}?resourceVersion=0")["items"])


def fill(cluster, nodes, pods, space="default"):
    """Objects of one transaction share a revision, which the API server never makes by itself: a watch that begins
    amid them is not told of the rest. So nobody may begin before the cache has them all."""
    put(cluster, (node(number) for number in range(nodes)))
    put(cluster, (pod(space, number, nodes) for number in range(pods)))
    until("the API server's cache has them", lambda: cached(cluster, "nodes") >= nodes, 120, 0.3)
    until("the API server's cache has them", lambda: cached(cluster, "pods") >= pods, 120, 0.3)
