"""bench_intake: 5,000 nodes and 20,000 pods taken in: bench_intake.py INTAKE.

INTAKE (intake.c) is the daemon's client, reflectors and engine in one process; the API server is played here over plain HTTP, once
with streamed lists and once with pages only. Objects are what a small cluster's look like, managedFields included. The answer is checked
(every object is in state, nothing is unreadable), and so is the bound of memory: windows on the answers under 1 MiB together, the process
at most 64 MiB above its state. PLM_KUBECONFIG names a real API server to be measured beside it.
"""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import urllib.parse

INTAKE = sys.argv[1]
SHORT = bool(os.environ.get("PLM_SHORT"))
NODES, PODS = (100, 1500) if SHORT else (5000, 20000)
PAGE = 500
REVISION = "4711"
MADE = "2026-01-01T00:00:00Z"
MANAGED = [{"manager": f"manager-{number}", "operation": "Update", "apiVersion": "v1", "time": MADE, "fieldsType": "FieldsV1",
            "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}, "f:spec": {"f:containers": {
                'k:{"name":"main"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {"f:requests": {"f:cpu": {}}}}}}}}
           for number in range(3)]


def node(number):
    size = {"cpu": "16", "memory": "64Gi", "pods": "110", "ephemeral-storage": "100Gi"}
    return {"metadata": {"name": f"node-{number:05}", "uid": f"n-{number}", "resourceVersion": str(1000 + number),
                         "creationTimestamp": MADE, "managedFields": MANAGED,
                         "labels": {"kubernetes.io/hostname": f"node-{number:05}", "kubernetes.io/arch": "amd64",
                                    "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": f"zone-{number % 3}",
                                    "node.kubernetes.io/instance-type": "m5.4xlarge"}},
            "spec": {"providerID": f"aws:///zone-{number % 3}/i-{number:017x}"},
            "status": {"capacity": size, "allocatable": size,
                       "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": MADE}],
                       "images": [{"names": [f"registry.invalid/image-{image}@sha256:{image:064x}"], "sizeBytes": 1 << 28}
                                  for image in range(20)]}}


def pod(number):
    return {"metadata": {"name": f"pod-{number:06}", "namespace": f"space-{number % 50}", "uid": f"p-{number}",
                         "resourceVersion": str(10000 + number), "creationTimestamp": MADE, "managedFields": MANAGED,
                         "labels": {"app": f"app-{number % 200}", "pod-template-hash": "abc"},
                         "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"app-{number % 200}",
                                              "uid": f"r-{number % 200}", "controller": True}]},
            "spec": {"nodeName": f"node-{number % NODES:05}", "restartPolicy": "Always", "serviceAccountName": "default",
                     "containers": [{"name": "main", "image": "registry.invalid/main:1",
                                     "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                                     "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets", "readOnly": True}]}],
                     "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
                                      "tolerationSeconds": 300}],
                     "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]},
            "status": {"phase": "Running", "podIP": "10.0.0.1", "conditions": [
                {"type": kind, "status": "True", "lastTransitionTime": MADE}
                for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")]}}


RESOURCES = {"nodes": ("Node", [json.dumps(node(number)).encode() for number in range(NODES)]),
             "pods": ("Pod", [json.dumps(pod(number)).encode() for number in range(PODS)])}
DISCOVERY = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
    {"metadata": {"name": ""}, "versions": [{"version": "v1", "resources": [
        {"resource": name, "responseKind": {"group": "", "version": "v1", "kind": kind}, "scope": "Cluster",
         "verbs": ["get", "list", "watch"]} for name, (kind, _) in RESOURCES.items()]}]}]}
FIXED = {"/version": {"major": "1", "minor": "37", "gitVersion": "v1.37.2"}, "/api": DISCOVERY,
         "/apis": {**DISCOVERY, "items": []},
         "/api/v1/namespaces/kube-system": {"kind": "Namespace", "metadata": {"name": "kube-system", "uid": "played"}}}


class Played(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    streams = True

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def piece(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def watch(self, objects, query):
        """The objects, the bookmark, and then silence."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if "sendInitialEvents" in query:
            for first in range(0, len(objects), 50):
                self.piece(b"".join(b'{"type":"ADDED","object":%s}\n' % one for one in objects[first:first + 50]))
            mark = {"resourceVersion": REVISION, "annotations": {"k8s.io/initial-events-end": "true"}}
            self.piece(json.dumps({"type": "BOOKMARK", "object": {"metadata": mark}}).encode() + b"\n")
        self.rfile.read(1)  # until the other side goes

    def page(self, kind, objects, query):
        first = int(query.get("continue", ["0"])[0])
        last = first + int(query.get("limit", [str(len(objects))])[0])
        head = {"resourceVersion": REVISION, **({"continue": str(last)} if last < len(objects) else {})}
        self.answer(200, b'{"kind":"%sList","apiVersion":"v1","metadata":%s,"items":[%s]}' % (
            kind.encode(), json.dumps(head).encode(), b",".join(objects[first:last])))

    def do_GET(self):
        path, _, text = self.path.partition("?")
        query = urllib.parse.parse_qs(text)
        if path in FIXED:
            self.answer(200, json.dumps(FIXED[path]).encode())
            return
        kind, objects = RESOURCES[path.rsplit("/", 1)[1]]
        if "sendInitialEvents" in query and not self.streams:
            self.answer(422, b'{"kind":"Status","reason":"Invalid","code":422}')
        elif "watch" in query:
            self.watch(objects, query)
        else:
            self.page(kind, objects, query)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def take_in(kubeconfig):
    done = subprocess.run([INTAKE, str(kubeconfig)], stdout=subprocess.PIPE, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"intake: exit {done.returncode}")
    return json.loads(done.stdout)


def played(streams, folder):
    server = Server(("127.0.0.1", 0), type("Handler", (Played,), {"streams": streams}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config = folder / "kubeconfig"
    config.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "played",
        "clusters": [{"name": "played", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "users": [{"name": "played", "user": {}}],
        "contexts": [{"name": "played", "context": {"cluster": "played", "user": "played"}}]}))
    found = take_in(config)
    server.shutdown()
    server.server_close()
    return found


def show(name, found, what):
    above = found["peakKib"] - found["stateBytes"] // 1024
    print(json.dumps({"name": f"{name}, CPU", "value": found["cpuMs"], "unit": "ms",
                      "note": f"{what}; {found['syncedMs']} ms from the first call to the last object"}))
    print(json.dumps({"name": f"{name}, memory", "value": found["peakKib"], "unit": "KiB",
                      "note": f"state {found['stateBytes'] // 1024}, windows {found['windowBytes'] // 1024}; at most 65536 above state"}))
    if found["unreadable"] or above > 64 * 1024 or found["windowBytes"] > 1 << 20:
        sys.exit(f"{name}: {found}")


def main():
    size = sum(len(one) for _, objects in RESOURCES.values() for one in objects)
    what = f"{NODES} nodes and {PODS} pods, {size >> 20} MiB"
    with tempfile.TemporaryDirectory() as folder:
        for name, streams in (("intake by a stream", True), ("intake by pages", False)):
            found = played(streams, pathlib.Path(folder))
            if (found["nodes"], found["pods"]) != (NODES, PODS):
                sys.exit(f"{name}: {found}")
            show(name, found, what)
    if os.environ.get("PLM_KUBECONFIG"):
        found = take_in(os.environ["PLM_KUBECONFIG"])
        show("intake from a real API server", found, f"{found['nodes']} nodes and {found['pods']} pods")


main()
