"""States in which more goes wrong than quota: queues that are stopped, missing, inactive, gates, checks."""
import copy

import generate

LATER = "2025-01-15T13:00:00Z"


def of_kind(docs, kind):
    return [doc for doc in docs if doc["kind"] == kind]


def named(docs, kind, name):
    return next((doc for doc in docs if doc["kind"] == kind and doc["metadata"]["name"] == name),
                None)


class Spoiler(generate.Maker):
    """Random states, and for one waiting workload, 'self.subject', up to two obstacles."""

    def spoil(self):
        self.odd = False  # sums that are cut at the largest number have no exact answer
        docs = self.make()
        waiting = [doc for doc in of_kind(docs, "Workload")
                   if "admission" not in doc.get("status", {}) and doc["spec"]["active"]]
        if not waiting:
            return docs, None
        self.subject = self.rng.choice(waiting)
        self.queue = named(docs, "ClusterQueue", self.subject["spec"]["queueName"])
        self.local = named(docs, "LocalQueue", self.subject["spec"]["queueName"])
        ways = [getattr(self, name) for name in dir(self) if name.startswith("with_")]
        for way in self.rng.sample(ways, self.rng.choice([0, 1, 1, 2])):
            way()
        return docs, self.subject["metadata"]["name"]

    def drop(self, doc):
        if doc in self.docs:
            self.docs.remove(doc)

    # ---- the way to the queue ------------------------------------------------------------------

    def with_no_local_queue(self):
        self.drop(self.local)

    def with_no_cluster_queue(self):
        for doc in of_kind(self.docs, "Workload"):
            if doc.get("status", {}).get("admission", {}).get("clusterQueue") == \
                    self.queue["metadata"]["name"]:
                return
        self.drop(self.queue)

    def with_no_queue_name(self):
        self.subject["spec"].pop("queueName")

    def with_stop(self):
        self.queue["spec"]["stopPolicy"] = "Hold"

    def with_local_stop(self):
        if "clusterQueue" in self.local["spec"]:
            self.local["spec"]["stopPolicy"] = "Hold"

    def work_queue(self, most):
        name = self.local["spec"].get("clusterQueue")
        if name is None or "stopPolicy" in self.local["spec"]:
            return
        del self.local["spec"]["clusterQueue"]
        self.local["spec"]["workQueue"] = "work"
        self.add("WorkQueue", "work", {"clusterQueue": name, "maxParallelJobs": most},
                 version="kueue.x-k8s.io/v1beta1")

    def with_work_queue(self):
        self.work_queue(1)

    def with_no_work_queue(self):
        if "stopPolicy" not in self.local["spec"] and "workQueue" not in self.local["spec"]:
            self.local["spec"] = {"workQueue": "none"}

    # ---- the queue -----------------------------------------------------------------------------

    def with_no_flavor(self):
        self.drop(named(self.docs, "ResourceFlavor", self.rng.choice(self.flavors)))

    def with_ring(self):
        if self.queue["spec"].get("cohortName") is None:
            return
        for doc in of_kind(self.docs, "Cohort"):
            self.drop(doc)
        name = self.queue["spec"]["cohortName"]
        self.add("Cohort", name, {"parentName": "round"})
        self.add("Cohort", "round", {"parentName": name})

    def check(self, active):
        if named(self.docs, "AdmissionCheck", "look") is None:
            doc = self.add("AdmissionCheck", "look", {"controllerName": "example.com/looks"})
            doc["status"] = {"conditions": [{
                "type": "Active", "status": "True" if active else "False",
                "lastTransitionTime": generate.stamp(1), "reason": "Active", "message": ""}]}
        self.queue["spec"]["admissionChecksStrategy"] = {"admissionChecks": [{"name": "look"}]}

    def with_check(self):
        self.check(True)

    def with_inactive_check(self):
        self.check(False)

    def with_no_check(self):
        self.queue["spec"]["admissionChecksStrategy"] = {"admissionChecks": [{"name": "gone"}]}

    def with_failed_check(self):
        self.check(True)
        self.status()["admissionChecks"] = [{
            "name": "look", "state": self.rng.choice(["Retry", "Rejected"]), "message": "",
            "lastTransitionTime": generate.stamp(7000)}]

    def with_selector(self):
        self.queue["spec"]["namespaceSelector"] = self.rng.choice([
            None,
            {"matchLabels": {"team": "b", "tier": "gold"}},
            {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["a"]}]},
            {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"},
                                  {"key": "tier", "operator": "Exists"}]},
            {"matchExpressions": [{"key": "team", "operator": "In", "values": ["b", "c"]}]}])

    # ---- the workload --------------------------------------------------------------------------

    def status(self):
        return self.subject.setdefault("status", {})

    def with_gate(self):
        self.subject["metadata"].setdefault("annotations", {})[
            "kueue.x-k8s.io/admission-gated-by"] = "example.com/gate"

    def with_inactive(self):
        self.subject["spec"]["active"] = False

    def requeued(self, requeued):
        self.status().setdefault("conditions", []).extend([
            {"type": "Evicted", "status": "True", "lastTransitionTime": generate.stamp(7100),
             "reason": "PodsReadyTimeout", "message": ""},
            {"type": "Requeued", "status": requeued, "lastTransitionTime": generate.stamp(7100),
             "reason": "PodsReadyTimeout", "message": ""}])

    def with_backoff(self):
        if "conditions" not in self.status():
            self.requeued("False")
            self.status()["requeueState"] = {"count": 1, "requeueAt": LATER}

    def with_no_requeue(self):
        if "conditions" not in self.status():
            self.requeued("False")

    def box(self):
        return self.subject["spec"]["podSets"][0]["template"]["spec"]["containers"][0]

    def own_template(self):
        self.subject["spec"] = copy.deepcopy(self.subject["spec"])

    def with_limit(self):
        self.own_template()
        self.box()["resources"] = {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}

    def with_limit_range(self):
        self.own_template()
        self.box()["resources"] = {"requests": {"cpu": "2"}}
        self.add("LimitRange", "bounds", {"limits": [self.rng.choice([
            {"type": "Container", "max": {"cpu": "1"}}, {"type": "Container", "min": {"cpu": "3"}},
            {"type": "Pod", "max": {"cpu": "1500m"}}])]}, "default", version="v1")

    def with_undeclared(self):
        self.own_template()
        resources = self.box()["resources"]
        part = "requests" if "requests" in resources else "limits"
        resources[part] = {**resources[part], "example.com/none": "1"}

    def with_much(self):
        self.own_template()
        resources = self.box()["resources"]
        part = "requests" if "requests" in resources else "limits"
        name = next((r for r in self.resources if r != "pods"), "cpu")
        resources[part] = {**resources[part], name: "40"}

    def with_selector_of_pods(self):
        self.own_template()
        self.subject["spec"]["podSets"][0]["template"]["spec"]["nodeSelector"] = {"pool": "no"}
        for doc in of_kind(self.docs, "ResourceFlavor"):
            doc["spec"].setdefault("nodeLabels", {})["pool"] = doc["metadata"]["name"]

    def with_taints(self):
        for doc in of_kind(self.docs, "ResourceFlavor"):
            doc["spec"]["nodeTaints"] = [
                {"key": key, "value": "x", "effect": effect} for key, effect in
                (("dedicated", "NoSchedule"), ("dedicated", "NoExecute"), ("spot", "NoSchedule"))]
