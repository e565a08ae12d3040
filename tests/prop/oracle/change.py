"""Carries out what an explanation says would lift a rule: unblockActions on manifests."""
import copy

from model import nano
from spoil import of_kind

VERSION = "kueue.x-k8s.io/v1beta2"


def plus(text, by, floor=False):
    """Two quantities in sum; exact to a milli."""
    if by == "unlimited":
        return "9223372036854775807"
    total = nano(str(text)) + nano(str(by))
    total = max(0, total) if floor else total
    milli = total // 10**6
    return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"


class Changes:
    def __init__(self, docs, now):
        self.docs, self.now, self.cycles = copy.deepcopy(docs), now, None

    def find(self, row):
        for doc in of_kind(self.docs, row["kind"]):
            meta = doc["metadata"]
            if meta["name"] == row.get("name") and \
                    row.get("namespace", "") in ("", meta.get("namespace")):
                return doc
        return None

    def apply(self, rows):
        for row in rows:
            getattr(self, row["action"])(row, self.find(row))

    # ---- quota ---------------------------------------------------------------------------------

    def cells(self, doc, row):
        for group in doc["spec"].get("resourceGroups") or []:
            for flavor in group["flavors"]:
                if flavor["name"] == row["flavor"]:
                    yield from (cell for cell in flavor["resources"]
                                if cell["name"] == row["resource"])

    def raiseNominalQuota(self, row, doc):
        for cell in self.cells(doc, row):
            cell["nominalQuota"] = plus(cell["nominalQuota"], row["by"])

    def raiseBorrowingLimit(self, row, doc):
        for cell in self.cells(doc, row):
            cell["borrowingLimit"] = plus(cell["borrowingLimit"], row["by"])

    def lowerRequest(self, row, doc):
        for pod_set in doc["spec"]["podSets"]:
            if row.get("key") in (None, pod_set["name"]):
                for box in pod_set["template"]["spec"]["containers"]:
                    for part in box["resources"].values():
                        if row["resource"] in part:
                            part[row["resource"]] = plus(part[row["resource"]], "-" + row["by"],
                                                         True)

    def coverResource(self, row, doc):
        groups = doc["spec"].setdefault("resourceGroups", [])
        if not groups:
            self.docs.append({"apiVersion": VERSION, "kind": "ResourceFlavor",
                              "metadata": {"name": "made"}, "spec": {}})
            groups.append({"coveredResources": [], "flavors": [{"name": "made", "resources": []}]})
        groups[0]["coveredResources"].append(row["resource"])
        for flavor in groups[0]["flavors"]:
            flavor["resources"].append({"name": row["resource"], "nominalQuota": row["by"]})

    # ---- objects -------------------------------------------------------------------------------

    def create(self, row, doc):
        assert doc is None, row
        queue = next((d["metadata"]["name"] for d in of_kind(self.docs, "ClusterQueue")), "none")
        specs = {"LocalQueue": {"clusterQueue": queue}, "WorkQueue": {"clusterQueue": queue},
                 "ClusterQueue": {"namespaceSelector": {}}, "ResourceFlavor": {},
                 "AdmissionCheck": {"controllerName": "example.com/looks"}}
        meta = {"name": row["name"]}
        if row.get("namespace"):
            meta["namespace"] = row["namespace"]
        version = {"Namespace": "v1", "WorkQueue": "kueue.x-k8s.io/v1beta1"}.get(row["kind"],
                                                                                VERSION)
        made = {"apiVersion": version, "kind": row["kind"], "metadata": meta}
        if row["kind"] in specs:
            made["spec"] = specs[row["kind"]]
        self.docs.append(made)

    def activate(self, row, doc):
        if row["kind"] == "Workload":
            doc["spec"]["active"] = True
            return
        doc["status"] = {"conditions": [{
            "type": "Active", "status": "True", "lastTransitionTime": "2025-01-15T11:00:00Z",
            "reason": "Active", "message": ""}]}

    def resume(self, _row, doc):
        doc["spec"]["stopPolicy"] = "None"

    def removeParent(self, _row, doc):
        del doc["spec"]["parentName"]

    def selectNamespace(self, _row, doc):
        doc["spec"]["namespaceSelector"] = {}

    def label(self, row, doc):
        doc["metadata"].setdefault("labels", {})[row["key"]] = row.get("value", "")

    def unlabel(self, row, doc):
        doc["metadata"]["labels"].pop(row["key"])

    def raiseMaxParallelJobs(self, row, doc):
        doc["spec"]["maxParallelJobs"] += row["by"]

    # ---- workloads -----------------------------------------------------------------------------

    def pods(self, doc):
        return [pod_set["template"]["spec"] for pod_set in doc["spec"]["podSets"]]

    def tolerate(self, row, doc):
        for pod in self.pods(doc):
            pod.setdefault("tolerations", []).append({
                "key": row["key"], "value": row.get("value", ""), "effect": row["effect"]})

    def relaxSelector(self, row, doc):
        for pod in self.pods(doc):
            pod.get("nodeSelector", {}).pop(row["key"], None)
            affinity = pod.get("affinity", {}).get("nodeAffinity", {}).get(
                "requiredDuringSchedulingIgnoredDuringExecution", {})
            for term in affinity.get("nodeSelectorTerms", []):
                term["matchExpressions"] = [one for one in term["matchExpressions"]
                                            if one["key"] != row["key"]]

    def nameQueue(self, _row, doc):
        doc["spec"]["queueName"] = next(d["metadata"]["name"] for d in
                                        of_kind(self.docs, "LocalQueue"))

    def readyCheck(self, row, doc):
        checks = doc.setdefault("status", {}).setdefault("admissionChecks", [])
        checks[:] = [one for one in checks if one["name"] != row["key"]]
        checks.append({"name": row["key"], "state": "Ready", "message": "",
                       "lastTransitionTime": "2025-01-15T11:30:00Z"})

    def ungate(self, _row, doc):
        doc["metadata"].pop("annotations")

    def raiseLimit(self, row, doc):
        for pod in self.pods(doc):
            for box in pod["containers"]:
                limits = box["resources"].setdefault("limits", {})
                request = box["resources"].get("requests", {}).get(row["resource"])
                if row["resource"] in limits:
                    limits[row["resource"]] = plus(limits[row["resource"]], row["by"])
                elif request is not None:
                    limits[row["resource"]] = request  # it came from a LimitRange

    def raiseMaximum(self, row, doc):
        for item in doc["spec"]["limits"]:
            if row["resource"] in item.get("max", {}):
                item["max"][row["resource"]] = plus(item["max"][row["resource"]], row["by"])

    def lowerMinimum(self, row, doc):
        for item in doc["spec"]["limits"]:
            if row["resource"] in item.get("min", {}):
                item["min"][row["resource"]] = plus(item["min"][row["resource"]],
                                                    "-" + row["by"])

    def wait(self, row, _doc):
        self.now = row["until"]

    def requeue(self, _row, doc):
        for row in doc["status"]["conditions"]:
            if row["type"] == "Requeued":
                row["status"] = "True"

    def nextCycle(self, _row, _doc):
        self.cycles = "stable"

    def finish(self, _row, doc):
        self.docs.remove(doc)
