"""A small client of the Kubernetes API for tests: JSON over one kept connection per thread."""
import http.client
import json
import ssl
import threading
import time
import urllib.parse

import yaml

# Kinds that tests use, by the plural that stands in a path.
PLURALS = {"Workload": "workloads", "ClusterQueue": "clusterqueues", "LocalQueue": "localqueues",
           "ResourceFlavor": "resourceflavors", "Cohort": "cohorts", "Job": "jobs", "Pod": "pods"}


class ApiError(Exception):
    """An answer that is no success."""

    def __init__(self, code, method, path, body):
        super().__init__(f"{method} {path}: {code} {body[:400]}")
        self.code, self.body = code, body


class Kube:
    """Calls as one user."""

    def __init__(self, kubeconfig, agent="e2e"):
        with open(kubeconfig, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        cluster = config["clusters"][0]["cluster"]
        self.host = urllib.parse.urlsplit(cluster["server"]).netloc
        self.token = config["users"][0]["user"]["token"]
        self.context = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self.agent = agent
        self.local = threading.local()

    def _connection(self):
        if getattr(self.local, "connection", None) is None:
            self.local.connection = http.client.HTTPSConnection(self.host, context=self.context,
                                                                timeout=60)
        return self.local.connection

    def raw(self, method, path, body=None, kind="application/json", again=True):
        """(code, bytes); a kept connection that has gone stale is opened again once."""
        headers = {"Authorization": f"Bearer {self.token}", "User-Agent": self.agent}
        if body is not None:
            headers["Content-Type"] = kind
        for attempt in (1, 2):
            connection = self._connection()
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (http.client.HTTPException, OSError):
                connection.close()
                self.local.connection = None
                if attempt == 2 or not again or method not in ("GET", "DELETE"):
                    raise
        raise AssertionError("unreachable")

    def call(self, method, path, body=None, kind="application/json"):
        body = None if body is None else json.dumps(body)
        code, text = self.raw(method, path, body, kind)
        for _ in range(20):  # "storage is (re)initializing", after a CRD was made
            if code != 429:
                break
            time.sleep(0.5)
            code, text = self.raw(method, path, body, kind)
        if code // 100 != 2:
            raise ApiError(code, method, path, text.decode(errors="replace"))
        return json.loads(text) if text else None

    def get(self, path):
        return self.call("GET", path)

    def find(self, path):
        """The object, or None where there is none."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.code != 404:
                raise
            return None

    def items(self, path):
        return self.get(path).get("items") or []

    def create(self, path, obj):
        return self.call("POST", path, obj)

    def merge(self, path, patch):
        return self.call("PATCH", path, patch, "application/merge-patch+json")

    def delete(self, path, **options):
        try:
            return self.call("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", **options})
        except ApiError as error:
            if error.code != 404:
                raise
            return None


def until(what, condition, seconds=30, pause=0.05):
    """The first true answer of condition(); fails after so many seconds, saying the last answer."""
    end = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(pause)


def condition(obj, kind):
    """The condition of that type, or {}."""
    for one in (obj or {}).get("status", {}).get("conditions") or []:
        if one["type"] == kind:
            return one
    return {}


def holds(obj, kind):
    return condition(obj, kind).get("status") == "True"
