"""
Work with a queue is created suspended, and what its labels say is kept while it runs.

failurePolicy Ignore throughout: a policy that cannot be evaluated must not stop the Jobs of a whole cluster. What slips
through is suspended on sight by the daemon, as Kueue's reconciler does it; so is a labelled job whose owner is of a
kind that is queued but has no queue, since a policy sees the owner's kind and not its labels.

The policies for a namespace's default queue are a file of their own: for each job without a label the API server looks for that
queue, which costs it a millisecond. Without them such a job is suspended on sight.
"""
from .policy import FLAGS, NOT_OURS, PRIORITY, QUEUE, QUEUED, TOPMOST, check, condition, label, labelled, mutating, patch, resources, validating, variable

MAX_TIME = "kueue.x-k8s.io/max-exec-time-seconds"
PREBUILT = "kueue.x-k8s.io/prebuilt-workload-name"
ELASTIC = "kueue.x-k8s.io/elastic-job"
GATED = "kueue.x-k8s.io/admission-gated-by"
LEAST = "kueue.x-k8s.io/job-min-parallelism"
SYNC = "kueue.x-k8s.io/job-completions-equal-parallelism"


def with_flag(flag, on=("CREATE",)):
    """Match rules for the kinds whose flag is there; no flag: for all kinds."""
    groups = {}
    for (group, plural), where in FLAGS.items():
        if flag in (None, where):
            groups.setdefault(group, []).append(plural)
    return [resources(*plurals, group=group, on=on) for group, plurals in groups.items()]


def suspended(flag):
    """CEL: patches that raise the flag; a field below one that need not be there comes after that."""
    parent, _, field = flag.rpartition(".")
    at = "/" + flag.replace(".", "/")
    raised = f'[JSONPatch{{op: "add", path: "{at}", value: true}}]'
    if parent == "spec":
        return raised
    return (f'(has(object.{parent}) ? [] : [JSONPatch{{op: "add", path: "{at.removesuffix("/" + field)}", value: {{}}}}]) +\n{raised}')


# Where the namespace has a LocalQueue called default, work without a queue gets that one.
NO_QUEUE = {"matchExpressions": [{"key": QUEUE, "operator": "DoesNotExist"}]}
DEFAULT = {"param": {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue"}, "selector": NO_QUEUE,
           "binding": {"paramRef": {"name": "default", "parameterNotFoundAction": "Allow"}}}
LABEL = f'''(has(object.metadata.labels) ? [] : [JSONPatch{{op: "add", path: "/metadata/labels", value: {{}}}}]) +
[JSONPatch{{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("{QUEUE}"), value: params.metadata.name}}] +
'''


def suspends(default):
    """
    For each place of the flag a policy for work with a queue, or one for work that gets the default queue. That one raises the
    flag itself, since a policy that did not match at first is not asked again when another has changed the object.
    """
    own_cluster = condition("makes-its-cluster", "object.spec.?clusterSelector.orValue({}).size() == 0")  # RayJob
    made = []
    for name, flag in (("jobs", "spec.suspend"), ("jobs-by-run-policy", "spec.runPolicy.suspend"),
                       ("ray-services", "spec.rayClusterConfig.suspend")):
        more = [own_cluster] if flag == "spec.suspend" else []
        if default:
            made += mutating(f"default-queue-{name}", with_flag(flag), [patch(LABEL + suspended(flag))],
                             conditions=[TOPMOST, *more], **DEFAULT)
        else:
            made += mutating(f"suspend-{name}", with_flag(flag), [patch(suspended(flag))], conditions=[QUEUED, TOPMOST, *more],
                             selector=labelled(QUEUE), again=True)
    return made


def kept():
    """What Kueue's webhooks for jobs refuse."""
    def same(key, kind="labels"):
        return f"{label(key, kind=kind)} == {label(key, 'oldObject', kind)}"

    def flag(at):
        return (f"{at}.spec.?suspend.orValue({at}.spec.?runPolicy.?suspend.orValue("
                f"{at}.spec.?rayClusterConfig.?suspend.orValue(false)))")

    names = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
    job = "request.resource.group != 'batch'"
    parallel = "object.spec.?parallelism.orValue(1)"
    validations = [
        check(f"{label(QUEUE)}.matches('^$|{names}')", f"label {QUEUE} is not the name of a LocalQueue"),
        check(f"{label(PREBUILT)}.matches('^$|{names}')", f"label {PREBUILT} is not the name of a Workload"),
        check(f"!({label(MAX_TIME)} != '') || {label(MAX_TIME)}.matches('^[+]?0*[1-9][0-9]*$')",
              f"label {MAX_TIME} must be a whole number above 0"),
        check(f"variables.created || variables.held || {same(QUEUE)}", f"label {QUEUE} does not change while it runs"),
        check(f"variables.created || variables.held || {same(PREBUILT)}", f"label {PREBUILT} does not change while it runs"),
        check(f"variables.created || (variables.held && {flag('oldObject')}) || {same(MAX_TIME)}",
              f"label {MAX_TIME} does not change while it runs"),
        check(f"variables.created || variables.held || {label(PRIORITY, 'oldObject')} != '' || {label(PRIORITY)} == ''",
              f"label {PRIORITY} is not added while it runs"),
        check(f"variables.created || {label(PRIORITY, 'oldObject')} == '' || {label(PRIORITY)} != ''",
              f"label {PRIORITY} is not taken away"),
        check(f"variables.created || ({label(ELASTIC, kind='annotations')} == 'true') == "
              f"({label(ELASTIC, 'oldObject', 'annotations')} == 'true')", f"annotation {ELASTIC} does not change"),
        check(f"variables.created || {label(GATED, 'oldObject', 'annotations')} != '' || {label(GATED, kind='annotations')} == ''",
              f"annotation {GATED} is not added later"),
        check(f"{job} || !(variables.created || !({same(LEAST, 'annotations')})) || {label(LEAST, kind='annotations')} == '' || "
              f"({label(LEAST, kind='annotations')}.matches('^[0-9]{{1,9}}$') && int({label(LEAST, kind='annotations')}) > 0 && "
              f"int({label(LEAST, kind='annotations')}) < {parallel})",
              f"annotation {LEAST} must be from 1 to one less than parallelism"),
        check(f"{job} || variables.created || {label(LEAST, 'oldObject', 'annotations')} == '' || {flag('oldObject')} || "
              f"{parallel} == oldObject.spec.?parallelism.orValue(1)",
              f"parallelism does not change while a job with {LEAST} runs"),
        check(f"{job} || {label(SYNC, kind='annotations')} != 'true' || (object.spec.?completionMode.orValue('NonIndexed') == 'Indexed' "
              f"&& {parallel} == object.spec.?completions.orValue(1))",
              f"annotation {SYNC} needs an Indexed job with as many completions as parallelism"),
    ]
    concerned = condition("has-a-queue", f"{label(QUEUE)} != '' || (oldObject != null && {label(QUEUE, 'oldObject')} != '')")
    return validating("jobs", with_flag(None, on=("CREATE", "UPDATE")), validations, conditions=[NOT_OURS, concerned],
                      variables=[variable("created", "oldObject == null"), variable("held", flag("object"))])


def files():
    return {"mutating-jobs": suspends(default=False), "mutating-default-queue": suspends(default=True), "validating-jobs": kept()}
