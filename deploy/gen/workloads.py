"""Workload of kueue.x-k8s.io."""
from .pieces import (AGE, LABEL_NAME, amounts, atomic, boolean, conditions, enum, keyed, mapping, name, obj, plain,
                     pod_template, rule, text, time, tolerations, whole)
from .queues import STATUS, kueue

RESERVED, ADMITTED = "QuotaReserved", "Admitted"


def holds(at, condition):
    """CEL: a condition of the Workload 'at' is True."""
    return (f"(has({at}.status) && has({at}.status.conditions) && "
            f"{at}.status.conditions.exists(c, c.type == '{condition}' && c.status == 'True'))")


def while_true(condition, expression, message):
    """Of a Workload that had the condition and has it."""
    return rule(f"!{holds('oldSelf', condition)} || !{holds('self', condition)} || ({expression})", message)


def since_true(condition, expression, message):
    """Of a Workload that had the condition."""
    return rule(f"!{holds('oldSelf', condition)} || ({expression})", message)


def set_name(**keys):
    return text(maxLength=63, pattern=LABEL_NAME, **keys)


# ---- spec -------------------------------------------------------------------------------------------

def topology_request():
    return obj({
        "required": text("All pods in one domain of this level.", maxLength=63),
        "preferred": text("The same if it can be, else wider.", maxLength=63),
        "unconstrained": boolean(),
        "podIndexLabel": text(maxLength=317),
        "subGroupIndexLabel": text(maxLength=317),
        "subGroupCount": whole(),
        "podSetGroupName": text(maxLength=256),
        "podSetSliceRequiredTopology": text(maxLength=63),
        "podSetSliceSize": whole(),
        "podsetSliceRequiredTopologyConstraints": atomic(
            obj({"topology": text(minLength=1, maxLength=63), "size": whole(minimum=1)}, ["topology", "size"]), maxItems=3),
    })


def pod_set():
    return obj({
        "name": set_name(default="main"),
        "template": pod_template("The pods."),
        "count": whole("How many of them.", default=1, minimum=0),
        "minCount": whole("How many are enough.", minimum=1),
        "topologyRequest": topology_request(),
    }, ["template"], rules=[rule("!has(self.minCount) || self.minCount <= self.count", "minCount is above count")])


def class_ref():
    return obj({
        "group": enum("kueue.x-k8s.io", "scheduling.k8s.io"),
        "kind": enum("WorkloadPriorityClass", "PriorityClass"),
        "name": name(minLength=1),
    }, ["group", "kind", "name"], rules=[
        rule("(self.group == 'scheduling.k8s.io') == (self.kind == 'PriorityClass')",
             "PriorityClass is of scheduling.k8s.io, WorkloadPriorityClass of kueue.x-k8s.io"),
    ])


def spec():
    old = ["kueue.x-k8s.io/workloadpriorityclass", "scheduling.k8s.io/priorityclass", ""]
    return obj({
        "podSets": keyed(pod_set(), "name", minItems=1, maxItems=18),
        "queueName": name("The LocalQueue."),
        "priorityClassRef": class_ref(),
        "priorityClassName": name("v1beta1; priorityClassRef since."),
        "priorityClassSource": enum(*old, doc="v1beta1; priorityClassRef since."),
        "priority": whole(),
        "active": boolean("False: it is put out and stays out.", default=True),
        "maximumExecutionTimeSeconds": whole(minimum=1),
        "preemptionGates": keyed(obj({"name": text(minLength=1, maxLength=63)}, ["name"]), "name", maxItems=8),
    }, rules=[rule("has(self.priority) || (!has(self.priorityClassRef) && !has(self.priorityClassName))",
                   "a priority class needs the priority beside it")])


# ---- status -----------------------------------------------------------------------------------------

def topology_assignment():
    either = rule("has(self.universal) != has(self.individual)", "exactly one of universal and individual")
    values = obj({
        "universal": text(maxLength=63),
        "individual": obj({"prefix": text(maxLength=63), "suffix": text(maxLength=63),
                           "roots": atomic(text(maxLength=63), minItems=1, maxItems=100000)}, ["roots"]),
    }, rules=[either])
    pods = obj({"universal": whole(minimum=1),
                "individual": atomic(whole(minimum=1), minItems=1, maxItems=100000)}, rules=[either])
    run = obj({
        "domainCount": whole(minimum=1),
        "valuesPerLevel": atomic(values, minItems=1, maxItems=16),
        "podCounts": pods,
    }, ["domainCount", "valuesPerLevel", "podCounts"], rules=[
        rule("!has(self.podCounts.individual) || size(self.podCounts.individual) == self.domainCount",
             "podCounts.individual needs one number for each domain"),
        rule("self.valuesPerLevel.all(v, !has(v.individual) || size(v.individual.roots) == self.domainCount)",
             "roots needs one value for each domain"),
    ])
    return obj({
        "levels": atomic(text(maxLength=317), minItems=1, maxItems=16),
        "slices": atomic(run, maxItems=1000),
        "domains": plain(obj({"values": atomic(text(), minItems=1, maxItems=16), "count": whole(minimum=1)},
                             ["values", "count"]), "v1beta1; slices since."),
    }, ["levels"], rules=[
        rule("has(self.slices) || has(self.domains)", "slices is required"),
        rule("!has(self.slices) || self.slices.all(s, size(s.valuesPerLevel) == size(self.levels))",
             "valuesPerLevel needs one entry for each level"),
    ])


def admission():
    assignment = obj({
        "name": set_name(default="main"),
        "flavors": mapping(name()),
        "resourceUsage": amounts(),
        "count": whole(minimum=0),
        "topologyAssignment": topology_assignment(),
        "delayedTopologyRequest": enum("Pending", "Ready"),
    })
    return obj({"clusterQueue": name(), "podSetAssignments": keyed(assignment, "name", maxItems=18)})


def check_states():
    update = obj({"name": set_name(), "labels": mapping(text()), "annotations": mapping(text()),
                  "nodeSelector": mapping(text()), "tolerations": tolerations()}, ["name"])
    state = obj({
        "name": text(minLength=1, maxLength=316),
        "state": enum("Pending", "Ready", "Retry", "Rejected"),
        "lastTransitionTime": time(),
        "message": text(maxLength=32768),
        "requeueAfterSeconds": whole(minimum=0),
        "retryCount": whole(minimum=0),
        "podSetUpdates": atomic(update, maxItems=18),
    }, ["name", "state", "lastTransitionTime", "message"])
    return keyed(state, "name", maxItems=8)


def status():
    eviction = obj({"reason": text(maxLength=316), "underlyingCause": text(maxLength=316), "count": whole(minimum=0)},
                   ["reason", "underlyingCause", "count"])
    gate = obj({"name": text(minLength=1, maxLength=63), "position": enum("Closed", "Open"),
                "lastTransitionTime": time()}, ["name", "position", "lastTransitionTime"])
    return obj({
        "conditions": conditions(16),
        "admission": admission(),
        "requeueState": obj({"count": whole(minimum=0), "requeueAt": time()}),
        "reclaimablePods": keyed(obj({"name": set_name(), "count": whole(minimum=0)}, ["name", "count"]), "name",
                                 maxItems=18),
        "admissionChecks": check_states(),
        "resourceRequests": keyed(obj({"name": set_name(), "resources": amounts()}, ["name"]), "name", maxItems=18),
        "accumulatedPastExecutionTimeSeconds": whole(),
        "accumulatedPastExexcutionTimeSeconds": whole("As v1beta1 spells it."),
        "schedulingStats": obj({"evictions": keyed(eviction, "reason", "underlyingCause", maxItems=256)}),
        "nominatedClusterNames": atomic(text(maxLength=256), maxItems=20),
        "clusterName": text(maxLength=256),
        "unhealthyNodes": keyed(obj({"name": text(maxLength=253)}, ["name"]), "name", maxItems=8),
        "preemptionGates": keyed(gate, "name", maxItems=8),
    }, rules=[
        rule("!has(oldSelf.clusterName) || !has(self.clusterName) || oldSelf.clusterName == self.clusterName",
             "clusterName does not change once set"),
        rule("!has(self.clusterName) || !has(self.nominatedClusterNames) || size(self.nominatedClusterNames) == 0",
             "clusterName and nominatedClusterNames exclude each other"),
    ])


# ---- Workload ---------------------------------------------------------------------------------------

def rules():
    def ref(at):
        return f"has({at}.spec.priorityClassRef)"

    def source(at):
        return f"(has({at}.spec.priorityClassSource) ? {at}.spec.priorityClassSource : '')"

    def limit(at):
        return f"(has({at}.spec.maximumExecutionTimeSeconds) ? {at}.spec.maximumExecutionTimeSeconds : 0)"

    both = f"!{ref('self')} || !{ref('oldSelf')}"
    return [
        rule(f"!{holds('self', RESERVED)} || !has(self.status.admission) || "
             "(has(self.status.admission.podSetAssignments) ? size(self.status.admission.podSetAssignments) : 0) == "
             "(has(self.spec.podSets) ? size(self.spec.podSets) : 0)",
             "podSetAssignments needs one entry for each pod set"),
        # An old spelling may become the new one, which is how it is rewritten on the next write.
        since_true(RESERVED, f"{ref('self')} == {ref('oldSelf')} || has(oldSelf.spec.priorityClassName)",
                   "priorityClassRef does not come or go while quota is reserved"),
        since_true(RESERVED, f"{both} || (self.spec.priorityClassRef.group == oldSelf.spec.priorityClassRef.group && "
                             "self.spec.priorityClassRef.kind == oldSelf.spec.priorityClassRef.kind)",
                   "group and kind of priorityClassRef do not change while quota is reserved"),
        since_true(RESERVED, f"{both} || self.spec.priorityClassRef.kind != 'PriorityClass' || "
                             "self.spec.priorityClassRef.name == oldSelf.spec.priorityClassRef.name",
                   "the name of a PriorityClass does not change while quota is reserved"),
        since_true(RESERVED, f"{ref('self')} || {source('self')} == {source('oldSelf')}",
                   "priorityClassSource does not change while quota is reserved"),
        while_true(RESERVED, "!has(self.spec.queueName) || !has(oldSelf.spec.queueName) || "
                             "self.spec.queueName == oldSelf.spec.queueName",
                   "queueName does not change while quota is reserved"),
        while_true(ADMITTED, f"{limit('self')} == {limit('oldSelf')}",
                   "maximumExecutionTimeSeconds does not change while it is admitted"),
    ]


def workload():
    def condition(kind):
        return f".status.conditions[?(@.type=='{kind}')].status"

    return kueue("Workload", "workloads", {"spec": spec(), "status": status()}, namespaced=True, rules=rules(),
                 short=["kwl", "kueueworkload", "kueueworkloads"], subresources=STATUS,
                 doc="What a job asks of its queue, and what it was given.",
                 selectable=[".status.admission.clusterQueue"],
                 columns=[("Queue", "string", ".spec.queueName"),
                          ("Reserved in", "string", ".status.admission.clusterQueue"),
                          ("Admitted", "string", condition(ADMITTED)),
                          ("Finished", "string", condition("Finished")), AGE])


KINDS = [workload]
