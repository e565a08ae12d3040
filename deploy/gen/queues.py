"""Queues, cohorts, flavors and the small kinds of kueue.x-k8s.io."""
from .pieces import (AGE, EFFECTS, HOSTNAME, IMMUTABLE, LABEL_KEY, LABEL_NAME, NAME, amounts, any_of, atomic, conditions, crd,
                     enum, keyed, mapping, name, obj, plain, quantity, rule, selector, text, time, tolerations, two_dialects,
                     unique, whole)

GROUP = "kueue.x-k8s.io"
OLD = "kueue.x-k8s.io/v1beta1 is old; write v1beta2"
VERSIONS = {"v1beta1": OLD, "v1beta2": None}
STATUS = {"status": {}}


def kueue(kind, plural, fields, **keys):
    return crd(GROUP, kind, plural, fields, VERSIONS, storage="v1beta2", **keys)


# ---- quota ------------------------------------------------------------------------------------------

def resource_groups():
    cell = obj({
        "name": text(),
        "nominalQuota": quantity("What is there for this queue at all times."),
        "borrowingLimit": quantity("How much more it may take of what the cohort has left; absent: no bound."),
        "lendingLimit": quantity("How much of its own it gives while it does not need it; absent: all."),
    }, ["name", "nominalQuota"])
    flavor = obj({
        "name": name(),
        "resources": keyed(cell, "name", minItems=1, maxItems=64),
    }, ["name", "resources"])
    group = obj({
        "coveredResources": atomic(text(), minItems=1, maxItems=64),
        "flavors": keyed(flavor, "name", doc="In the order in which they are tried.", minItems=1, maxItems=64),
    }, ["coveredResources", "flavors"], rules=[
        rule("self.flavors.all(f, size(f.resources) == size(self.coveredResources))",
             "each flavor lists exactly the covered resources"),
    ])
    return atomic(group, "Resources that share flavors, with a quota for each flavor.", maxItems=16)


def fair_sharing():
    return obj({"weight": quantity("The larger, the more of what is shared; 0: last.", default=1)})


def usage(borrowed, most):
    cell = {"name": text(), "total": quantity()}
    if borrowed:
        cell["borrowed"] = quantity()
    return keyed(obj({"name": name(), "resources": keyed(obj(cell, ["name"]), "name", maxItems=most)},
                     ["name", "resources"]), "name", maxItems=most)


def share_status(decay=False):
    fields = {"weightedShare": whole(bits=64)}
    if decay:
        fields["admissionFairSharingStatus"] = obj({"consumedResources": amounts(), "lastUpdate": time()},
                                                   ["consumedResources", "lastUpdate"])
    return obj(fields, ["weightedShare"])


def counts():
    return {"pendingWorkloads": whole(), "reservingWorkloads": whole(), "admittedWorkloads": whole()}


STOP = ("None", "Hold", "HoldAndDrain")

# ---- ClusterQueue -----------------------------------------------------------------------------------

# The fields by which the two dialects are told apart; adapters/manifest/project_queue.c has the same.
QUEUE_SIMPLE = ["resources", "weight", "preemption.enabled", "preemption.priorityThreshold"]
QUEUE_UPSTREAM = ["resourceGroups", "cohort", "cohortName", "queueingStrategy", "flavorFungibility",
                  "preemption.withinClusterQueue", "preemption.reclaimWithinCohort", "preemption.borrowWithinCohort",
                  "admissionChecks", "admissionChecksStrategy", "stopPolicy", "fairSharing", "admissionScope",
                  "concurrentAdmissionPolicy"]


def preemption():
    """Without defaults, which would put fields of the other dialect into an object."""
    return obj({
        "withinClusterQueue": enum("Never", "LowerPriority", "LowerOrNewerEqualPriority"),
        "reclaimWithinCohort": enum("Never", "LowerPriority", "Any"),
        "borrowWithinCohort": obj({"policy": enum("Never", "LowerPriority", default="Never"),
                                   "maxPriorityThreshold": whole()}),
        "enabled": {"type": "boolean", "description": "Simple dialect: work of lower priority makes room."},
        "priorityThreshold": whole("Simple dialect: only work of this priority or more preempts."),
    }, rules=[
        rule("!has(self.borrowWithinCohort) || self.borrowWithinCohort.policy == 'Never' || "
             "(has(self.reclaimWithinCohort) && self.reclaimWithinCohort != 'Never')",
             "borrowWithinCohort.policy must be Never where reclaimWithinCohort is Never"),
    ])


def fungibility():
    stop = ("MayStopSearch", "TryNextFlavor", "Borrow", "Preempt")  # the last two: v1beta1's words for the first
    return obj({
        "whenCanBorrow": enum(*stop, default="MayStopSearch"),
        "whenCanPreempt": enum(*stop, default="TryNextFlavor"),
        "preference": enum("BorrowingOverPreemption", "PreemptionOverBorrowing"),
    }, rules=[
        rule("!has(self.preference) || (self.whenCanBorrow == 'TryNextFlavor' && self.whenCanPreempt == 'TryNextFlavor')",
             "preference needs whenCanBorrow and whenCanPreempt to be TryNextFlavor"),
        rule("self.whenCanBorrow != 'Preempt' && self.whenCanPreempt != 'Borrow'",
             "Borrow belongs to whenCanBorrow, Preempt to whenCanPreempt"),
    ])


def checks_strategy():
    use = obj({
        "name": text(minLength=1, maxLength=316),
        "onFlavors": unique(name(), "Empty: on all of them.", maxItems=64),
    }, ["name"])
    return obj({"admissionChecks": keyed(use, "name", minItems=1, maxItems=64)}, ["admissionChecks"])


def concurrent_admission():
    return obj({
        "migration": obj({
            "mode": enum("TryPreferredFlavors", "RetainFirstAdmission"),
            "constraints": obj({"lastAcceptableFlavorName": name()}),
        }),
    }, rules=[IMMUTABLE])


def cluster_queue():
    simple = atomic(obj({
        "name": text(),
        "minAllowed": {"x-kubernetes-int-or-string": True, "description": "Guaranteed to this queue at all times."},
        "maxAllowed": {"x-kubernetes-int-or-string": True, "description": "Its ceiling; absent: none."},
    }, ["name"]), "Simple dialect: a guarantee and a ceiling for each resource.", maxItems=64)
    spec = obj({
        "resourceGroups": resource_groups(),
        "cohortName": name("The cohort whose spare quota is shared."),
        "cohort": name("v1beta1's name of cohortName."),
        "queueingStrategy": enum("StrictFIFO", "BestEffortFIFO"),
        "namespaceSelector": selector("Whose workloads may use it; absent: nobody's ({}: all)."),
        "flavorFungibility": fungibility(),
        "preemption": preemption(),
        "admissionChecksStrategy": checks_strategy(),
        "admissionChecks": plain(text(maxLength=316), "v1beta1's list of names."),
        "stopPolicy": enum(*STOP),
        "fairSharing": fair_sharing(),
        "admissionScope": obj({"admissionMode": enum("UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing")},
                              ["admissionMode"]),
        "concurrentAdmissionPolicy": concurrent_admission(),
        "resources": simple,
        "weight": whole("Simple dialect: share of what is not guaranteed; default 100, 0: last.", minimum=0),
    }, rules=[
        two_dialects(QUEUE_SIMPLE, QUEUE_UPSTREAM),
        rule("has(self.cohort) || has(self.cohortName) || !has(self.resourceGroups) || "
             "self.resourceGroups.all(g, g.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit))))",
             "borrowingLimit needs a cohort"),
        rule("!has(self.cohort) || !has(self.cohortName) || self.cohort == self.cohortName",
             "cohort and cohortName name two cohorts"),
        rule("has(self.concurrentAdmissionPolicy) == has(oldSelf.concurrentAdmissionPolicy)",
             "concurrentAdmissionPolicy does not change"),
    ])
    status = obj({
        "conditions": conditions(16),
        "flavorsReservation": usage(True, 64),
        "flavorsUsage": usage(True, 64),
        **counts(),
        "fairSharing": share_status(decay=True),
        "pendingWorkloadsStatus": obj({
            "clusterQueuePendingWorkload": atomic(obj({"name": text(), "namespace": text()}, ["name", "namespace"])),
            "lastChangeTime": time(),
        }, ["lastChangeTime"]),
    })
    return kueue("ClusterQueue", "clusterqueues", {"spec": spec, "status": status}, short=["cq"], subresources=STATUS,
                 doc="A pool of quota, and how what asks for it is ordered.",
                 columns=[("Cohort", "string", ".spec['cohortName','cohort']"),
                          ("Strategy", "string", ".spec.queueingStrategy", True),
                          ("Pending Workloads", "integer", ".status.pendingWorkloads"),
                          ("Admitted Workloads", "integer", ".status.admittedWorkloads", True)])


# ---- Cohort, LocalQueue -----------------------------------------------------------------------------

def cohort():
    spec = obj({
        "parentName": name("Absent: a root."),
        "resourceGroups": resource_groups(),
        "fairSharing": fair_sharing(),
    })
    return kueue("Cohort", "cohorts", {"spec": spec, "status": obj({"fairSharing": share_status(decay=True)})},
                 subresources=STATUS, doc="Queues that share, and cohorts of such.")


LOCAL_SIMPLE, LOCAL_UPSTREAM = ["workQueue"], ["clusterQueue", "stopPolicy", "fairSharing"]


def local_queue():
    flavor = obj({
        "name": name(),
        "resources": unique(text(), maxItems=16),
        "nodeLabels": mapping(text(), maxProperties=8, **{"x-kubernetes-map-type": "atomic"}),
        "nodeTaints": atomic(obj({"key": text(), "value": text(), "effect": text(), "timeAdded": time()},
                                 ["key", "effect"]), maxItems=8),
        "topology": obj({"name": name(), "levels": atomic(text(), minItems=1, maxItems=16)}, ["name", "levels"]),
    }, ["name"])
    spec = obj({
        "clusterQueue": name("The ClusterQueue that its workloads are for.", **{"x-kubernetes-validations": [IMMUTABLE]}),
        "workQueue": name("Simple dialect: by way of this WorkQueue.",
                          **{"x-kubernetes-validations": [IMMUTABLE]}),
        "stopPolicy": enum(*STOP),
        "fairSharing": fair_sharing(),
    }, rules=[two_dialects(LOCAL_SIMPLE, LOCAL_UPSTREAM)])
    status = obj({
        "conditions": conditions(16),
        **counts(),
        "flavorsReservation": usage(False, 16),
        "flavorsUsage": usage(False, 16),
        "flavorUsage": usage(False, 16),  # v1beta1's name
        "flavors": keyed(flavor, "name", maxItems=16),
        "fairSharing": share_status(decay=True),
    })
    return kueue("LocalQueue", "localqueues", {"spec": spec, "status": status}, namespaced=True,
                 short=["queue", "queues", "lq"], subresources=STATUS, doc="The way of a namespace into a ClusterQueue.",
                 columns=[("ClusterQueue", "string", ".spec.clusterQueue"),
                          ("Pending Workloads", "integer", ".status.pendingWorkloads"),
                          ("Admitted Workloads", "integer", ".status.admittedWorkloads")])


# ---- ResourceFlavor, Topology -----------------------------------------------------------------------

def resource_flavor():
    def kept(field):
        return rule(f"!has(oldSelf.topologyName) || (has(self.{field}) == has(oldSelf.{field}) && "
                    f"(!has(self.{field}) || self.{field} == oldSelf.{field}))",
                    f"{field} does not change once topologyName is set")

    taints = atomic(obj({"key": text(), "value": text(), "effect": text(), "timeAdded": time()}, ["key", "effect"]),
                    maxItems=8, rules=[rule(f"self.all(t, t.effect in {EFFECTS})",
                                            "effect must be NoSchedule, PreferNoSchedule or NoExecute")])
    spec = obj({
        "nodeLabels": mapping(text(), "Labels of its nodes.", maxProperties=8, **{"x-kubernetes-map-type": "atomic"}),
        "nodeTaints": taints,
        "tolerations": tolerations(),
        "topologyName": name(),
    }, rules=[
        rule("!has(self.topologyName) || (has(self.nodeLabels) && size(self.nodeLabels) >= 1)",
             "topologyName needs a label in nodeLabels"),
        kept("nodeLabels"), kept("tolerations"), kept("topologyName"),
    ])
    return kueue("ResourceFlavor", "resourceflavors", {"spec": spec}, short=["flavor", "flavors", "rf"],
                 doc="One sort of nodes: their labels and taints.")


def topology():
    level = obj({"nodeLabel": text(minLength=1, maxLength=316, pattern=LABEL_KEY)}, ["nodeLabel"])
    levels = atomic(level, "From the widest to the narrowest.", minItems=1, maxItems=16, rules=[
        rule(f"self == oldSelf || oldSelf[size(oldSelf) - 1].nodeLabel == '{HOSTNAME}'",
             f"levels change only where the lowest is {HOSTNAME}"),
        rule("self.all(a, self.exists_one(b, b.nodeLabel == a.nodeLabel))", "a label stands twice"),
        rule(f"self.all(l, l.nodeLabel != '{HOSTNAME}') || self[size(self) - 1].nodeLabel == '{HOSTNAME}'",
             f"{HOSTNAME} can only be the lowest level"),
    ])
    return kueue("Topology", "topologies", {"spec": obj({"levels": levels}, ["levels"])},
                 doc="The levels of a data centre, as labels of nodes.")


# ---- checks, classes --------------------------------------------------------------------------------

def admission_check():
    spec = obj({
        "controllerName": text(minLength=1, maxLength=253, **{"x-kubernetes-validations": [IMMUTABLE]}),
        "parameters": obj({
            "apiGroup": text(minLength=1, maxLength=253, pattern=NAME),
            "kind": text(minLength=1, maxLength=63, pattern="^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$"),
            "name": text(minLength=1, maxLength=63, pattern=LABEL_NAME),
        }, ["apiGroup", "kind", "name"]),
        "retryDelayMinutes": whole("Of v1beta1; nothing reads it.", bits=64),
    }, ["controllerName"])
    return kueue("AdmissionCheck", "admissionchecks", {"spec": spec, "status": obj({"conditions": conditions(16)})},
                 subresources=STATUS, doc="Something that has to agree before work is let in.")


def priority_class():
    fields = {"value": whole("The larger, the sooner."), "description": text(maxLength=2048)}
    return kueue("WorkloadPriorityClass", "workloadpriorityclasses", fields, required=["value"],
                 columns=[("Value", "integer", ".value")], doc="A priority for admission that pods know nothing of.")


def provisioning_config():
    seconds = {"backoffLimitCount": 3, "backoffBaseSeconds": 60, "backoffMaxSeconds": 1800}
    update = obj({
        "key": text(minLength=1, maxLength=317, pattern=LABEL_KEY),
        "valueFromProvisioningClassDetail": text(minLength=1, maxLength=32768),
    }, ["key", "valueFromProvisioningClassDetail"])
    spec = obj({
        "provisioningClassName": text(minLength=1, maxLength=253, pattern=NAME),
        "parameters": mapping(text(maxLength=255), maxProperties=100),
        "managedResources": unique(text(), maxItems=100),
        "retryStrategy": obj({key: whole(default=value) for key, value in seconds.items()}, default=seconds),
        "podSetUpdates": obj({"nodeSelector": keyed(update, "key", maxItems=8)}),
        "podSetMergePolicy": enum("IdenticalPodTemplates", "IdenticalWorkloadSchedulingRequirements"),
    }, ["provisioningClassName"])
    return kueue("ProvisioningRequestConfig", "provisioningrequestconfigs", {"spec": spec}, short=["prc"],
                 doc="Taken in so that manifests apply; Plimsoll makes no ProvisioningRequests.")


def multikueue_config():
    spec = obj({"clusters": unique(text(maxLength=256), minItems=1, maxItems=20),
                "quotaManagement": enum("Manual", "Automated")}, ["clusters"])
    return kueue("MultiKueueConfig", "multikueueconfigs", {"spec": spec}, short=["mkconf"],
                 doc="Taken in so that manifests apply; Plimsoll sends no work to other clusters.")


def multikueue_cluster():
    profile = obj({"name": text(minLength=1, maxLength=256)}, ["name"])
    config = obj({"location": text(minLength=1, maxLength=256),
                  "locationType": enum("Secret", "Path", default="Secret")}, ["location"])
    source = obj({"kubeConfig": config, "clusterProfileRef": profile},
                 rules=[rule("has(self.kubeConfig) != has(self.clusterProfileRef)",
                             "exactly one of kubeConfig and clusterProfileRef")])
    spec = obj({"clusterSource": source, "kubeConfig": config, "clusterProfileRef": profile},
               rules=[rule(any_of(["clusterSource", "kubeConfig", "clusterProfileRef"]), "clusterSource is required")])
    return kueue("MultiKueueCluster", "multikueueclusters", {"spec": spec, "status": obj({"conditions": conditions(16)})},
                 short=["mkc"], subresources=STATUS,
                 doc="Taken in so that manifests apply; Plimsoll sends no work to other clusters.",
                 columns=[("Connected", "string", ".status.conditions[?(@.type=='Active')].status"), AGE])


KINDS = [cluster_queue, cohort, local_queue, resource_flavor, topology, admission_check, priority_class,
         provisioning_config, multikueue_config, multikueue_cluster]
