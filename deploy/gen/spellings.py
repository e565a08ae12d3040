"""
Old spellings become the new ones on each write.

All versions share one stored form (conversion strategy None), so what a client of v1beta1 writes is stored in its words; these
policies say it in those of v1beta2, in which everybody reads it afterwards. Without them (below Kubernetes 1.36) nothing is lost
either: the schemas have both spellings and the daemon reads both.

An old field is always what this very write says, since none outlives a write. So it wins over what stands in the new field,
unless the same write changed that too: then both are left, and the object is refused.

They look at v1beta2, to which the API server converts what comes as v1beta1: with our CRDs that changes the version's name and
nothing else; with upstream's, Kueue's webhook has translated it by then and there is nothing left to do. Most writes are sorted
out by a condition, since a patch costs the API server much more than that.

failurePolicy Ignore: the daemon reads both.
"""
from .policy import Code, condition, literal, mutating, patch, resources

GROUP = "kueue.x-k8s.io"
BOTH = ("CREATE", "UPDATE")


def spells(name, plural, when, expression, on=BOTH):
    return mutating(f"spell-{name}", [resources(plural, group=GROUP, versions=("v1beta2",), on=on)], [patch(expression)],
                    conditions=[condition("has-old-words", when)], namespaced=False)


def moved(old, new, value):
    """CEL: 'old' goes, and what it says stands in 'new'. Both are siblings, told by their path."""
    parent, was = old.rsplit(".", 1)
    name = new.rsplit(".", 1)[1]
    at = "/" + parent.split(".", 1)[1].replace(".", "/")
    prior = "oldObject" + parent[len("object"):].replace(".", ".?")  # optional all the way down
    untouched = f"(!has({new}) || (oldObject != null && {prior}.?{name} == optional.of({new})))"
    steps = parent.split(".")
    there = " && ".join(f"has({'.'.join(steps[:n])})" for n in range(2, len(steps) + 1))
    return (f"({there} && has({old}) && {untouched} ?\n"
            f"  [JSONPatch{{op: \"add\", path: \"{at}/{name}\", value: {value}}},\n"
            f"   JSONPatch{{op: \"remove\", path: \"{at}/{was}\"}}] : [])")


def word(field, old):
    """CEL: a word that v1beta2 has another for."""
    parts = field.split(".")
    there = " && ".join(f"has(object.{'.'.join(parts[:n])})" for n in range(1, len(parts) + 1))
    return (f"({there} && object.{field} == '{old}' ?\n"
            f"  [JSONPatch{{op: \"replace\", path: \"/{field.replace('.', '/')}\", value: \"MayStopSearch\"}}] : [])")


def together(*parts):
    return " +\n".join(parts)


def cluster_queues():
    names = "object.spec.admissionChecks"
    strategy = literal({"admissionChecks": Code(f'{names}.map(c, {{"name": c}})')})
    none = f'(has({names}) && size({names}) == 0 ? [JSONPatch{{op: "remove", path: "/spec/admissionChecks"}}] : [])'
    some = moved(names, "object.spec.admissionChecksStrategy", strategy).replace(
        f"has({names}) &&", f"has({names}) && size({names}) > 0 &&", 1)
    when = """
        has(object.spec) && (has(object.spec.cohort) || has(object.spec.admissionChecks) ||
          object.spec.?flavorFungibility.?whenCanBorrow.orValue('') == 'Borrow' ||
          object.spec.?flavorFungibility.?whenCanPreempt.orValue('') == 'Preempt')
        """
    return spells("clusterqueues", "clusterqueues", when, together(
        moved("object.spec.cohort", "object.spec.cohortName", "object.spec.cohort"), some, none,
        word("spec.flavorFungibility.whenCanBorrow", "Borrow"), word("spec.flavorFungibility.whenCanPreempt", "Preempt")))


def workload_classes():
    source = "object.spec.?priorityClassSource.orValue('')"
    known = "['kueue.x-k8s.io/workloadpriorityclass', 'scheduling.k8s.io/priorityclass']"
    name = Code("object.spec.priorityClassName")
    ours = literal({"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": name})
    theirs = literal({"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": name})
    ref = f'({source} == "kueue.x-k8s.io/workloadpriorityclass" ? {ours} : {theirs})'
    flag = (f"(has(object.spec.priorityClassSource) && {source} in {known} && has(object.spec.priorityClassName) ?\n"
            '  [JSONPatch{op: "remove", path: "/spec/priorityClassSource"}] : [])')
    rewritten = moved("object.spec.priorityClassName", "object.spec.priorityClassRef", ref).replace(
        "has(object.spec.priorityClassName) &&", f"has(object.spec.priorityClassName) && {source} in {known} &&", 1)
    return spells("workloads", "workloads", "has(object.spec) && has(object.spec.priorityClassName)", together(rewritten, flag))


def workload_status():
    """A flat list of domains is one run of them: each level has its values, each domain its pods."""
    at = "object.status.admission.podSetAssignments"
    assignment = "a.topologyAssignment"
    old = f"has({assignment}) && has({assignment}.domains) && !has({assignment}.slices)"
    roots = literal({"individual": {"roots": Code(f"{assignment}.domains.map(d, d.values[{assignment}.levels.indexOf(l)])")}})
    run = literal([{"domainCount": Code(f"size({assignment}.domains)"),
                    "valuesPerLevel": Code(f"{assignment}.levels.map(l, {roots})"),
                    "podCounts": {"individual": Code(f"{assignment}.domains.map(d, d.count)")}}])
    index = f'"/status/admission/podSetAssignments/" + string({at}.map(b, b.name).indexOf(a.name)) + "/topologyAssignment/'
    flat = (f"(has(object.status.admission) && has({at}) ? {at}.filter(a, {old} && size({assignment}.domains) > 0).map(a,\n"
            f'  JSONPatch{{op: "add", path: {index}slices", value: {run}}}) : []) +\n'
            f"(has(object.status.admission) && has({at}) ? {at}.filter(a, {old} && size({assignment}.domains) > 0).map(a,\n"
            f'  JSONPatch{{op: "remove", path: {index}domains"}}) : [])')
    misspelt = moved("object.status.accumulatedPastExexcutionTimeSeconds", "object.status.accumulatedPastExecutionTimeSeconds",
                     "object.status.accumulatedPastExexcutionTimeSeconds")
    when = f"""
        has(object.status) && (has(object.status.accumulatedPastExexcutionTimeSeconds) ||
          (has(object.status.admission) && has({at}) && {at}.exists(a, {old})))
        """
    return spells("workload-status", "workloads/status", when, together(misspelt, flat), on=("UPDATE",))


def local_queue_status():
    return spells("localqueue-status", "localqueues/status", "has(object.status) && has(object.status.flavorUsage)",
                  moved("object.status.flavorUsage", "object.status.flavorsUsage", "object.status.flavorUsage"), on=("UPDATE",))


def multikueue_clusters():
    parts = "has(object.spec.kubeConfig) || has(object.spec.clusterProfileRef)"
    made = " : ".join([f"(has(object.spec.kubeConfig) ? {literal({'kubeConfig': Code('object.spec.kubeConfig')})}",
                       literal({"clusterProfileRef": Code("object.spec.clusterProfileRef")}) + ")"])
    expression = (f'[JSONPatch{{op: "add", path: "/spec/clusterSource", value: {made}}}] +\n'
                  '(has(object.spec.kubeConfig) ? [JSONPatch{op: "remove", path: "/spec/kubeConfig"}] : []) +\n'
                  '(has(object.spec.clusterProfileRef) ? [JSONPatch{op: "remove", path: "/spec/clusterProfileRef"}] : [])')
    return spells("multikueueclusters", "multikueueclusters", f"has(object.spec) && ({parts})", expression)


def files():
    return {"mutating-spellings": cluster_queues() + workload_classes() + workload_status() + local_queue_status() +
            multikueue_clusters()}
