"""Admission policies in CEL: what they are made of."""
import textwrap

QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
# Nothing here looks at what keeps the cluster itself up, as Kueue's managedJobsNamespaceSelector has it by default.
SPARED = ["kube-system", "kube-node-lease", "plimsoll-system"]

# API group and resource -> where the flag is that holds the work; src/core/integration.c has the same, tests/e2e compares.
FLAGS = {
    ("batch", "jobs"): "spec.suspend",
    ("jobset.x-k8s.io", "jobsets"): "spec.suspend",
    ("kubeflow.org", "mpijobs"): "spec.runPolicy.suspend",
    ("kubeflow.org", "pytorchjobs"): "spec.runPolicy.suspend",
    ("kubeflow.org", "tfjobs"): "spec.runPolicy.suspend",
    ("kubeflow.org", "paddlejobs"): "spec.runPolicy.suspend",
    ("kubeflow.org", "xgboostjobs"): "spec.runPolicy.suspend",
    ("kubeflow.org", "jaxjobs"): "spec.runPolicy.suspend",
    ("trainer.kubeflow.org", "trainjobs"): "spec.suspend",
    ("ray.io", "rayjobs"): "spec.suspend",
    ("ray.io", "rayclusters"): "spec.suspend",
    ("ray.io", "rayservices"): "spec.rayClusterConfig.suspend",
    ("sparkoperator.k8s.io", "sparkapplications"): "spec.suspend",
    ("workload.codeflare.dev", "appwrappers"): "spec.suspend",
}
# Kinds whose pods and children are queued through them.
OWNERS = ["batch/Job", "jobset.x-k8s.io/JobSet", "kubeflow.org/MPIJob", "kubeflow.org/PyTorchJob", "kubeflow.org/TFJob",
          "kubeflow.org/PaddleJob", "kubeflow.org/XGBoostJob", "kubeflow.org/JAXJob", "trainer.kubeflow.org/TrainJob",
          "ray.io/RayJob", "ray.io/RayCluster", "ray.io/RayService", "sparkoperator.k8s.io/SparkApplication",
          "workload.codeflare.dev/AppWrapper", "leaderworkerset.x-k8s.io/LeaderWorkerSet", "kueue.x-k8s.io/PodSet"]


# ---- CEL --------------------------------------------------------------------------------------------

def cel(expression):
    """An expression written over several lines."""
    lines = textwrap.dedent(expression).strip()
    return lines + "\n" if "\n" in lines else lines


def literal(value):
    """Plain data in CEL, where a map's values have one type unless they are called dyn; code is given as Code('…')."""
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": dyn({literal(each)})' for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(each) for each in value) + "]"
    return value.text if isinstance(value, Code) else f'"{value}"'


class Code:
    def __init__(self, expression):
        self.text = expression


def label(key, at="object", kind="labels"):
    """CEL: the value, or the empty string."""
    return f"{at}.metadata.?{kind}[?'{key}'].orValue('')"


def condition(name, expression):
    return {"name": name, "expression": cel(expression)}


# The daemon writes what it has decided, several steps at once where they came quickly; nobody's slip is caught there.
NOT_OURS = condition("not-the-daemon", "!request.userInfo.username.startsWith('system:serviceaccount:plimsoll-system:')")

QUEUED = condition("has-a-queue", f"{label(QUEUE)} != ''")

# An owner's kind can be seen here, its labels cannot.
TOPMOST = condition("topmost", f"""
    !object.metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false) &&
      (o.apiVersion.split('/')[0] + '/' + o.kind) in {OWNERS})
    """)


# ---- objects ----------------------------------------------------------------------------------------

def resources(*names, on=("CREATE",), group="", versions=("*",)):
    return {"apiGroups": [group], "apiVersions": list(versions), "resources": list(names), "operations": list(on)}


def patch(expression):
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": cel(expression)}}


def apply(expression):
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": cel(expression)}}


def check(expression, message, tell=None):
    """tell: the message as CEL, where it names what it found."""
    made = {"expression": cel(expression), "message": message, "reason": "Invalid"}
    if tell:
        made["messageExpression"] = cel(tell)
    return made


def match(rules, selector):
    made = {"resourceRules": rules}
    if selector:
        made["objectSelector"] = selector
    return made


def labelled(key):
    return {"matchExpressions": [{"key": key, "operator": "Exists"}]}


def _meta(name):
    return {"name": f"plimsoll-{name}", "labels": {"app.kubernetes.io/part-of": "plimsoll"}}


def _policy(kind, name, spec, binding, namespaced):
    version = "admissionregistration.k8s.io/v1"
    bound = {"policyName": f"plimsoll-{name}", **binding}
    if namespaced:
        bound["matchResources"] = {"namespaceSelector": {"matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": SPARED}]}}
    return [{"apiVersion": version, "kind": kind, "metadata": _meta(name), "spec": spec},
            {"apiVersion": version, "kind": kind + "Binding", "metadata": _meta(name), "spec": bound}]


def mutating(name, rules, mutations, *, conditions=(), selector=None, fail=False, again=False, variables=(), param=None,
             binding=None, namespaced=True):
    """A policy and its binding. again: looked at once more when another policy has changed the object."""
    spec = {"failurePolicy": "Fail" if fail else "Ignore", "reinvocationPolicy": "IfNeeded" if again else "Never"}
    if param:
        spec["paramKind"] = param
    spec["matchConstraints"] = match(rules, selector)
    if conditions:
        spec["matchConditions"] = list(conditions)
    if variables:
        spec["variables"] = list(variables)
    spec["mutations"] = list(mutations)
    return _policy("MutatingAdmissionPolicy", name, spec, binding or {}, namespaced)


def validating(name, rules, validations, *, conditions=(), selector=None, fail=False, variables=(), namespaced=True):
    spec = {"failurePolicy": "Fail" if fail else "Ignore", "matchConstraints": match(rules, selector)}
    if conditions:
        spec["matchConditions"] = list(conditions)
    if variables:
        spec["variables"] = list(variables)
    spec["validations"] = list(validations)
    return _policy("ValidatingAdmissionPolicy", name, spec, {"validationActions": ["Deny"]}, namespaced)


variable = condition
