"""
What Kueue's webhook refuses in Workloads beyond the schema: mostly what does not change while quota is reserved.

The daemon itself (any account of plimsoll-system) is not asked: of a workload that it put out and let in again it may write both at
once, and most writes are its own.

failurePolicy Fail: only Workloads are looked at; a Job waits suspended beside one that is refused, which is its safe side.
"""
from .policy import NOT_OURS, check, resources, validating, variable

GROUP = "kueue.x-k8s.io"


def reserved(at):
    return f"{at}.?status.?conditions.orValue([]).exists(c, c.type == 'QuotaReserved' && c.status == 'True')"


def spec():
    sets = "variables.sets"
    requests = "(!has(c.resources) || !has(c.resources.requests) || !('pods' in c.resources.requests))"
    grown = ("variables.elastic && size(n) == size(o) && "
             "n.all(p, o.exists(q, q.name == p.name && q.template == p.template && p.count <= q.count))")
    same = f"[object.spec.?podSets.orValue([])].all(n, [oldObject.spec.?podSets.orValue([])].all(o, n == o || ({grown})))"
    validations = [
        check(f"{sets}.filter(p, has(p.minCount)).size() <= 1", "at most one pod set has minCount"),
        check(f"{sets}.all(p, p.template.?spec.?containers.orValue([]).all(c, {requests}) && "
              f"p.template.?spec.?initContainers.orValue([]).all(c, {requests}))",
              "a container asks for 'pods': this name is for counting pods"),
        check(f"oldObject == null || !{reserved('oldObject')} || {same}", "podSets do not change while quota is reserved"),
        check("oldObject == null || "
              "oldObject.metadata.?annotations[?'kueue.x-k8s.io/admission-gated-by'].orValue('') != '' || "
              "object.metadata.?annotations[?'kueue.x-k8s.io/admission-gated-by'].orValue('') == ''",
              "annotation kueue.x-k8s.io/admission-gated-by is not added later"),
    ]
    return validating("workloads", [resources("workloads", group=GROUP, on=("CREATE", "UPDATE"))], validations, fail=True,
                      namespaced=False, conditions=[NOT_OURS, variable("has-a-spec", "has(object.spec)")], variables=[
                          variable("sets", "has(object.spec.podSets) ? object.spec.podSets : []"),
                          variable("elastic",
                                   "object.metadata.?annotations[?'kueue.x-k8s.io/elastic-job'].orValue('') == 'true'")])


def status():
    names = "variables.sets.map(p, p.name)"
    admission = "object.status.?admission"
    prior = "oldObject.?status.?admission"
    given = f"{admission}.podSetAssignments.orValue([])"
    had = f"{prior}.?podSetAssignments.orValue([])"
    # All of an assignment but where its pods were placed.
    fields = " && ".join(f"n.?{field} == o.?{field}" for field in ("flavors", "resourceUsage", "count"))
    back, backs = "object.status.?reclaimablePods.orValue([])", "oldObject.?status.?reclaimablePods.orValue([])"
    updates = "c.?podSetUpdates.orValue([])"
    validations = [
        check(f"!{reserved('object')} || {given}.all(a, a.name in {names})", "admission names a pod set that is not there"),
        check(f"!{admission}.hasValue() || !{prior}.hasValue() || ({admission}.clusterQueue == {prior}.clusterQueue && "
              f"size({given}) == size({had}) && {given}.all(n, {had}.exists(o, o.name == n.name && {fields})))",
              "admission is given or taken away; only its topology changes"),
        check(f"{back}.all(r, variables.sets.exists(p, p.name == r.name && r.count <= p.count))",
              "reclaimablePods names a pod set that is not there, or more pods than it has"),
        check(f"!{reserved('object')} || !{reserved('oldObject')} || {backs}.all(o, {back}.exists(n, n.name == o.name && "
              "n.count >= o.count))", "reclaimablePods only grows while quota is reserved"),
        check(f"object.status.?admissionChecks.orValue([]).all(c, {updates}.all(u, u.name in {names}))",
              "podSetUpdates names a pod set that is not there"),
        check("object.status.?admissionChecks.orValue([]).all(c, c.state != 'Ready' || "
              "oldObject.?status.?admissionChecks.orValue([]).all(o, o.name != c.name || o.state != 'Ready' || "
              "o.?podSetUpdates == c.?podSetUpdates))", "podSetUpdates do not change while a check is Ready"),
        check("!has(object.status.clusterName) || oldObject.?status.?clusterName.hasValue() || "
              "object.status.clusterName in oldObject.?status.?nominatedClusterNames.orValue([])",
              "clusterName is one of nominatedClusterNames"),
    ]
    return validating("workload-status", [resources("workloads/status", group=GROUP, on=("UPDATE",))], validations, fail=True,
                      namespaced=False, conditions=[NOT_OURS, variable("has-a-status", "has(object.status)")], variables=[
                          variable("sets", "has(object.spec) && has(object.spec.podSets) ? object.spec.podSets : []")])


def files():
    return {"validating-workloads": spec() + status()}
