"""
Defaults that upstream's schemas give and ours cannot.

A default of a schema stands in every object. In kinds that both dialects share it would put a field of the one dialect into
an object of the other, which is refused; so these are given to objects that are not of the simple dialect. The daemon
decides by the same defaults where they are missing; people and other programs see them. Under upstream's
CRDs they are there already.

failurePolicy Ignore: for that reason.
"""
from .nodes import POOL_SIMPLE
from .policy import condition, literal, mutating, patch, resources
from .queues import LOCAL_SIMPLE, QUEUE_SIMPLE

BOTH = ("CREATE", "UPDATE")


def upstream(simple):
    def there(path):
        steps = path.split(".")
        return "(" + " && ".join(f"has(object.spec.{'.'.join(steps[:n])})" for n in range(1, len(steps) + 1)) + ")"

    return condition("not-of-the-simple-dialect", f"has(object.spec) && !({' || '.join(map(there, simple))})")


def given(defaults):
    """path -> value; only where the parent is there."""
    parts = []
    for path, value in defaults.items():
        steps = path.split(".")
        parents = [f"has(object.spec.{'.'.join(steps[:n])})" for n in range(1, len(steps))]
        missing = " && ".join([*parents, f"!has(object.spec.{path})"])
        parts.append(f'({missing} ? [JSONPatch{{op: "add", path: "/spec/{path.replace(".", "/")}", value: {literal(value)}}}] : [])')
    return patch(" +\n".join(parts))


def files():
    never = {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never", "borrowWithinCohort": {"policy": "Never"}}
    queue = {"queueingStrategy": "BestEffortFIFO", "stopPolicy": "None",
             "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
             **{f"preemption.{key}": value for key, value in never.items()}, "preemption": never}
    pool = {"disruption": {"consolidateAfter": "0s", "consolidationPolicy": "WhenEmptyOrUnderutilized",
                           "budgets": [{"nodes": "10%"}]},
            "template.spec.expireAfter": "720h"}
    made = []
    for group, version, plural, defaults, simple in (
            ("kueue.x-k8s.io", "v1beta2", "clusterqueues", queue, QUEUE_SIMPLE),
            ("kueue.x-k8s.io", "v1beta2", "localqueues", {"stopPolicy": "None"}, LOCAL_SIMPLE),
            ("karpenter.sh", "v1", "nodepools", pool, POOL_SIMPLE)):
        made += mutating(f"default-{plural}", [resources(plural, group=group, versions=(version,), on=BOTH)], [given(defaults)],
                         conditions=[upstream(simple)], namespaced=False)
    return {"mutating-defaults": made}
