"""
What Kueue's webhooks refuse in queues, cohorts and flavors beyond the schemas.

failurePolicy Fail: only these kinds are looked at, which no Job or pod waits for, and a queue whose sums are wrong is better
refused than found out about later. The daemon reports the same faults for what gets past.
"""
from .pieces import LABEL_KEY, LABEL_VALUE
from .policy import check, resources, validating, variable

BOTH = ("CREATE", "UPDATE")


def quoted(pattern):
    return "'" + pattern.replace("\\", "\\\\") + "'"


def is_key(of):
    """A qualified name: at most 63 after the slash, at most 253 before it."""
    return (f"({of}.matches({quoted(LABEL_KEY)}) && {of}.split('/')[size({of}.split('/')) - 1].size() <= 63 && "
            f"({of}.split('/').size() == 1 || {of}.split('/')[0].size() <= 253))")


def is_value(of):
    return f"({of}.size() <= 63 && {of}.matches({quoted(LABEL_VALUE)}))"


def not_negative(of):
    return f"quantity(string({of})).compareTo(quantity('0')) >= 0"


def queues_and_cohorts():
    groups = "variables.groups"
    each = f"{groups}.all(g, g.flavors.all(f, f.resources.all(r, {{0}})))"
    limits = " && ".join(f"(!has(r.{limit}) || {not_negative(f'r.{limit}')})" for limit in ("borrowingLimit", "lendingLimit"))
    weight = "object.spec.fairSharing.weight"
    given = "!has(object.spec.fairSharing) || !has(object.spec.fairSharing.weight)"
    quotas = [
        check(f"{groups}.all(g, g.coveredResources.all(r, {is_key('r')}))", "coveredResources has what is not a resource's name"),
        check(f"{groups}.all(g, g.flavors.all(f, f.resources.map(r, r.name) == g.coveredResources))",
              "each flavor lists the covered resources in their order"),
        check(each.replace("{0}", f"{not_negative('r.nominalQuota')} && {limits}"), "a quota is negative"),
        check("variables.parent || " + each.replace("{0}", "!has(r.borrowingLimit) && !has(r.lendingLimit)"),
              "borrowingLimit and lendingLimit need a cohort (a Cohort: a parent)"),
        check("!variables.queue || " + each.replace("{0}", "!has(r.lendingLimit) || quantity(string(r.lendingLimit))"
                                                           ".compareTo(quantity(string(r.nominalQuota))) <= 0"),
              "lendingLimit is above nominalQuota"),
        check(f"{groups}.all(g, g.coveredResources.all(r, g.coveredResources.filter(x, x == r).size() == 1 && "
              f"{groups}.filter(h, r in h.coveredResources).size() == 1))", "a resource stands in two resource groups, or twice"),
        check(f"{groups}.all(g, g.flavors.all(f, {groups}.filter(h, h.flavors.exists(x, x.name == f.name)).size() == 1))",
              "a flavor stands in two resource groups"),
        check(f"{groups}.map(g, size(g.flavors)).sum() <= 256 && {groups}.map(g, size(g.coveredResources)).sum() <= 256",
              "at most 256 flavors and 256 resources in all groups"),
        check(f"{groups}.all(g, g.flavors.map(f, size(f.resources)).sum() <= 512)",
              "at most 512 pairs of flavor and resource in a group"),
        check(f"{given} || ({not_negative(weight)} && (quantity(string({weight})).compareTo(quantity('0')) == 0 || "
              f"quantity(string({weight})).compareTo(quantity('1n')) > 0))", "fairSharing.weight is 0 or above 1e-9"),
    ]
    return validating("quotas", [resources("clusterqueues", "cohorts", group="kueue.x-k8s.io", on=BOTH)], quotas, fail=True,
                      namespaced=False, variables=[
                          variable("groups", "has(object.spec) && has(object.spec.resourceGroups) ? object.spec.resourceGroups : []"),
                          variable("queue", "object.kind == 'ClusterQueue'"),
                          variable("parent", "has(object.spec) && (has(object.spec.cohort) || has(object.spec.cohortName) || "
                                             "has(object.spec.parentName))"),
                      ])


def cluster_queues():
    flavor = "variables.groups.exists(g, g.flavors.exists(f, f.name == {0}))"
    checks = "object.spec.admissionChecksStrategy"
    old = "oldObject.spec.?admissionChecksStrategy"
    select = "object.spec.namespaceSelector"
    policy = "object.spec.concurrentAdmissionPolicy"
    migration = f"{policy}.?migration"
    queue = [
        check(f"!has({select}) || !has({select}.matchLabels) || {select}.matchLabels.all(k, {is_key('k')} && "
              f"{is_value(f'{select}.matchLabels[k]')})", "namespaceSelector.matchLabels has what is not a label"),
        check(f"!has({select}) || !has({select}.matchExpressions) || {select}.matchExpressions.all(e, {is_key('e.key')} && "
              "(e.operator in ['In', 'NotIn'] ? size(e.?values.orValue([])) > 0 : e.operator in ['Exists', 'DoesNotExist'] && "
              "size(e.?values.orValue([])) == 0))",
              "namespaceSelector.matchExpressions: In and NotIn have values, Exists and DoesNotExist have none"),
        check("!has(object.spec.admissionChecks) || size(object.spec.admissionChecks) == 0 || !has(object.spec.admissionChecksStrategy)",
              "admissionChecks and admissionChecksStrategy exclude each other"),
        # What was wrong before may stay while something else changes.
        check(f"!has({checks}) || (oldObject != null && {old}.hasValue() && {old}.value() == {checks} && "
              "oldObject.spec.?resourceGroups == object.spec.?resourceGroups) || "
              f"{checks}.admissionChecks.all(c, c.?onFlavors.orValue([]).all(n, {flavor.replace('{0}', 'n')}))",
              "onFlavors names a flavor that no resource group has"),
        check(f"!has({policy}) || (size(variables.groups) == 1 && size(variables.groups[0].flavors) <= 16)",
              "concurrentAdmissionPolicy needs one resource group of at most 16 flavors"),
        check(f"!has({policy}) || object.spec.?queueingStrategy.orValue('') != 'StrictFIFO'",
              "concurrentAdmissionPolicy and StrictFIFO exclude each other"),
        check(f"!has({policy}) || !{migration}.constraints.lastAcceptableFlavorName.hasValue() || "
              f"({migration}.mode.orValue('') == 'TryPreferredFlavors' && "
              f"{flavor.replace('{0}', f'{migration}.constraints.lastAcceptableFlavorName.value()')})",
              "lastAcceptableFlavorName is a flavor of this queue, with mode TryPreferredFlavors"),
    ]
    return validating("clusterqueues", [resources("clusterqueues", group="kueue.x-k8s.io", on=BOTH)], queue, fail=True,
                      namespaced=False, conditions=[variable("has-a-spec", "has(object.spec)")], variables=[
                          variable("groups", "has(object.spec.resourceGroups) ? object.spec.resourceGroups : []")])


def flavors():
    taints, labels = "object.spec.nodeTaints", "object.spec.nodeLabels"
    flavor = [
        check(f"!has({labels}) || {labels}.all(k, {is_key('k')} && {is_value(f'{labels}[k]')})",
              "nodeLabels has what is not a label"),
        check(f"!has({taints}) || {taints}.all(t, {is_key('t.key')} && {is_value('t.?value.orValue(string())')})".replace(
            "string()", "''"), "nodeTaints has what is not a taint"),
        check(f"!has({taints}) || {taints}.all(t, {taints}.filter(x, x.key == t.key && x.effect == t.effect).size() == 1)",
              "taints must be unique by key and effect"),
        check(f"!has(object.spec.tolerations) || object.spec.tolerations.all(t, !has(t.key) || t.key == '' || {is_key('t.key')})",
              "tolerations has what is not a label key"),
    ]
    return validating("resourceflavors", [resources("resourceflavors", group="kueue.x-k8s.io", on=BOTH)], flavor, fail=True,
                      namespaced=False, conditions=[variable("has-a-spec", "has(object.spec)")])


def files():
    return {"validating-queues": queues_and_cohorts() + cluster_queues() + flavors()}
