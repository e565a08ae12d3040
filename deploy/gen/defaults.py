"""
Defaults that upstream's schemas give and ours cannot.

A default of a schema stands in every object. In kinds that both dialects share it would put a field of the one dialect into
an object of the other, which is refused; so these are given to objects that are not of the simple dialect. The daemon
decides by the same defaults where they are missing; people and other programs see them. Under upstream's CRDs nothing is done.

failurePolicy Ignore: for that reason.
"""
from .nodes import POOL_SIMPLE
from .policy import OUR_CRD, condition, literal, mutating, of_our_crd, patch, resources
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
    kueue = [("default-clusterqueues", "clusterqueues", queue, QUEUE_SIMPLE),
             ("default-localqueues", "localqueues", {"stopPolicy": "None"}, LOCAL_SIMPLE)]
    made = []
    for name, plural, defaults, simple in kueue:
        made += mutating(name, [resources(plural, group="kueue.x-k8s.io", on=BOTH)], [given(defaults)],
                         conditions=[OUR_CRD, upstream(simple)], **of_our_crd(plural, "kueue.x-k8s.io"))
    made += mutating("default-nodepools", [resources("nodepools", group="karpenter.sh", on=BOTH)], [given(pool)],
                     conditions=[OUR_CRD, upstream(POOL_SIMPLE)], **of_our_crd("nodepools", "karpenter.sh"))
    return {"mutating-defaults": made}
