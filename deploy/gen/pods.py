"""
Pods with a queue are held by a scheduling gate until the daemon lets them go.

A plain pod is work of its own; pods with label pod-group-name are one. Deployments give their pods the queue, one by one; the
pods of a StatefulSet are a group, those of a LeaderWorkerSet a group for each replica.

Kueue also adds a finalizer, to see the end of each pod. The log remembers the pods it has seen, so none is added here: a pod
whose keeper is gone would stay for ever.

The gate's policy has failurePolicy Fail, since a pod that was created without its gate cannot be held any more. Only pods
that carry the queue's label are looked at at all, so nothing else can be stopped by it. The others are Ignore: without
them a Deployment's pods are simply not queued.
"""
from .policy import NOT_OURS, PRIORITY, QUEUE, QUEUED, TOPMOST, apply, check, condition, label, labelled, mutating, resources, validating

MANAGED = "kueue.x-k8s.io/managed"
GROUP = "kueue.x-k8s.io/pod-group-name"
TOTAL = "kueue.x-k8s.io/pod-group-total-count"
RETRIABLE = "kueue.x-k8s.io/retriable-in-group"
LWS, LWS_INDEX = "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"
LWS_SIZE = "leaderworkerset.sigs.k8s.io/size"
SERVING = "'kueue.x-k8s.io/pod-group-serving': 'true'"
FAST = "'kueue.x-k8s.io/pod-group-fast-admission': 'true'"


def gate():
    hold = f"""
        Object{{
          metadata: Object.metadata{{
            labels: {{'{MANAGED}': 'true'}}
          }},
          spec: Object.spec{{
            schedulingGates: [Object.spec.schedulingGates{{name: 'kueue.x-k8s.io/admission'}}]
          }}
        }}
        """
    return mutating("gate", [resources("pods", versions=("v1",))], [apply(hold)], conditions=[QUEUED, TOPMOST],
                    selector=labelled(QUEUE), fail=True, again=True)


def replica_groups():
    """Of a LeaderWorkerSet's pods each tells its replica; its size stands in an annotation."""
    own = condition("of-a-replica", f"{label(LWS)} != '' && {label(LWS_INDEX)} != '' && {label(GROUP)} == '' && "
                                    f"{label(LWS_SIZE, kind='annotations')} != ''")
    group = f"""
        Object{{
          metadata: Object.metadata{{
            labels: {{'{GROUP}': 'leaderworkerset-' + {label(LWS)} + '-' + {label(LWS_INDEX)}}},
            annotations: {{'{TOTAL}': {label(LWS_SIZE, kind='annotations')}, {SERVING}}}
          }}
        }}
        """
    return mutating("replica-groups", [resources("pods", versions=("v1",))], [apply(group)], conditions=[QUEUED, own],
                    selector=labelled(QUEUE))


def passed_on(template, more="", annotations=""):
    """Labels of the object go to the pods that it makes."""
    names = template.split(".")
    kinds = ["Object." + ".".join(names[:at]) for at in range(1, len(names) + 1)]
    opened = "".join(f"{name}: {kind}{{" for name, kind in zip(names, kinds))
    labels = f"{{'{QUEUE}': {label(QUEUE)}{more}}}"
    notes = f", annotations: {{{annotations}}}" if annotations else ""
    priority = f"({label(PRIORITY)} == '' ? {labels} : {labels[:-1]}, '{PRIORITY}': {label(PRIORITY)}}})"
    return f"Object{{{opened}metadata: {kinds[-1]}.metadata{{labels: {priority}{notes}}}" + "}" * (len(names) + 1)


def deployments():
    return mutating("deployments", [resources("deployments", group="apps", versions=("v1",), on=("CREATE", "UPDATE"))],
                    [apply(passed_on("spec.template"))], conditions=[QUEUED, TOPMOST])


def stateful_sets():
    """
    The count is part of the template, so it is written only while no pod is there: else all would be made anew. What scales
    by the subresource passes no policy: pods beyond the count that stands in the template stay behind their gates.
    """
    idle = condition("has-no-pods-yet", "oldObject == null || oldObject.spec.?replicas.orValue(1) == 0")
    group = f", '{GROUP}': 'statefulset-' + object.metadata.name"
    count = "object.spec.?replicas.orValue(1)"
    notes = f"'{TOTAL}': string({count} > 0 ? {count} : 1), {FAST}, {SERVING}"
    return mutating("statefulsets", [resources("statefulsets", group="apps", versions=("v1",), on=("CREATE", "UPDATE"))],
                    [apply(passed_on("spec.template", group, notes))], conditions=[QUEUED, TOPMOST, idle])


def leader_worker_sets():
    led = "has(object.spec.leaderWorkerTemplate.leaderTemplate)"
    rule = resources("leaderworkersets", group="leaderworkerset.x-k8s.io", on=("CREATE", "UPDATE"))
    leader = passed_on("spec.leaderWorkerTemplate.leaderTemplate")
    return mutating("leaderworkersets", [rule],
                    [apply(passed_on("spec.leaderWorkerTemplate.workerTemplate")), apply(f"{led} ? {leader} : Object{{}}")],
                    conditions=[QUEUED, TOPMOST])


def kept():
    """What Kueue's webhook for pods refuses, and the one thing that a StatefulSet's group cannot do."""
    noted = label(TOTAL, kind="annotations")
    pod = [
        check(f"{label(MANAGED)} in ['', 'true']", f"label {MANAGED} is 'true' or absent"),
        check(f"({label(GROUP)} != '') == ({noted} != '')", f"label {GROUP} and annotation {TOTAL} go together"),
        check(f"{noted} == '' || {noted}.matches('^0*[1-9][0-9]{{0,8}}$')", f"annotation {TOTAL} must be a whole number above 0"),
        check(f"oldObject == null || {label(QUEUE)} == {label(QUEUE, 'oldObject')} || "
              "object.spec.?schedulingGates.orValue([]).exists(g, g.name == 'kueue.x-k8s.io/admission')",
              f"label {QUEUE} does not change once the pod has passed its gate"),
        check(f"oldObject == null || {label(GROUP, 'oldObject')} == '' || {label(GROUP)} == {label(GROUP, 'oldObject')}",
              f"label {GROUP} does not change"),
        check(f"oldObject == null || {label(GROUP)} == '' || {label(RETRIABLE, 'oldObject', 'annotations')} != 'false' || "
              f"{label(RETRIABLE, kind='annotations')} == 'false'", f"annotation {RETRIABLE}: \"false\" stays"),
    ]
    scale = [
        check("oldObject.spec.?replicas.orValue(1) == object.spec.?replicas.orValue(1) || "
              "oldObject.spec.?replicas.orValue(1) == 0 || object.spec.?replicas.orValue(1) == 0",
              "a StatefulSet in a queue is let in as a whole: scale it to 0, then to the new count"),
    ]
    by_set = condition("a-group", f"{label(QUEUE)} != '' && object.spec.template.metadata.?labels[?'{GROUP}'].orValue('') != ''")
    return (validating("pods", [resources("pods", versions=("v1",), on=("CREATE", "UPDATE"))], pod, conditions=[NOT_OURS],
                       selector=labelled(QUEUE)) +
            validating("statefulsets", [resources("statefulsets", group="apps", versions=("v1",), on=("UPDATE",))], scale,
                       conditions=[by_set]))


def files():
    return {"mutating-pods": gate() + replica_groups() + deployments() + stateful_sets() + leader_worker_sets(),
            "validating-pods": kept()}
