"""NodePool, NodeClaim and NodeOverlay of karpenter.sh."""
from .pieces import (AGE, EFFECTS, HOSTNAME, LABEL_KEY, LABEL_VALUE, amounts, any_of, atomic, condition_at, conditions, crd, enum,
                     mapping, obj, present, quantity, rule, text, time, two_dialects, unique, whole)

GROUP = "karpenter.sh"
STATUS = {"status": {}}
POOL_LABEL, CAPACITY_LABEL = "karpenter.sh/nodepool", "karpenter.sh/capacity-type"

# What may stand after "karpenter.k8s.aws/" in a label that a pool names; adapters/manifest/check_pool.c has the same.
AWS_LABELS = ["instance-tenancy", "capacity-reservation-type", "capacity-reservation-id",
              "capacity-reservation-interruptible", "ec2nodeclass", "instance-encryption-in-transit-supported",
              "instance-category", "instance-hypervisor", "instance-family", "instance-generation", "instance-local-nvme",
              "instance-size", "instance-cpu", "instance-cpu-manufacturer", "instance-cpu-sustained-clock-speed-mhz",
              "instance-memory", "instance-ebs-bandwidth", "instance-network-bandwidth", "instance-gpu-name",
              "instance-gpu-manufacturer", "instance-gpu-count", "instance-gpu-memory", "instance-accelerator-name",
              "instance-accelerator-manufacturer", "instance-accelerator-count", "instance-capability-flex",
              "nitro-sandbox", "placement-group-id", "placement-group-partition"]

DURATION = "^([0-9]+(s|m|h))+$"
DURATION_OR_NEVER = "^(([0-9]+(s|m|h))+|Never)$"


# ---- labels -----------------------------------------------------------------------------------------

def label_rules(of_pool, wrap=lambda rule_of: rule_of("self")):
    """Domains that are closed. wrap: how a rule on one key becomes one on what 'self' is."""
    domain = "{0}.find('^([^/]+)').endsWith('{1}')"
    aws = "[" + ", ".join(f"'karpenter.k8s.aws/{label}'" for label in AWS_LABELS) + "]"
    closed = [
        (f"{{0}} in ['{CAPACITY_LABEL}', '{POOL_LABEL}'] || !{domain.replace('{1}', 'karpenter.sh')}",
         "labels of karpenter.sh are closed"),
        (f"{{0}} != '{HOSTNAME}'", f"label {HOSTNAME} is restricted"),
        (f"{{0}} in {aws} || !{domain.replace('{1}', 'karpenter.k8s.aws')}",
         "this label of karpenter.k8s.aws is not known"),
    ]
    if of_pool:
        closed.append((f"{{0}} != '{POOL_LABEL}'", f"label {POOL_LABEL} is restricted"))
    return [rule(wrap(lambda key, made=made: made.replace("{0}", key)), message) for made, message in closed]


def requirements(of_pool, min_values=True, rules=True):
    bound = ["Gt", "Lt", "Gte", "Lte"]
    fields = {
        "key": text(maxLength=316, pattern=LABEL_KEY,
                    **{"x-kubernetes-validations": label_rules(of_pool)}),
        "operator": enum("In", "NotIn", "Exists", "DoesNotExist", *bound),
        "values": atomic(text()),
    }
    checks = [
        rule("self.all(r, r.operator != 'In' || (has(r.values) && size(r.values) != 0))", "operator In needs values"),
        rule(f"self.all(r, !(r.operator in {bound}) || "
             "(has(r.values) && size(r.values) == 1 && int(r.values[0]) >= 0))",
             "operators Gt, Lt, Gte and Lte need one whole number, 0 or more"),
    ]
    if min_values:
        fields["minValues"] = {"type": "integer", "minimum": 1, "maximum": 50}
        checks.append(rule("self.all(r, r.operator != 'In' || !has(r.minValues) || size(r.values) >= r.minValues)",
                           "minValues is above the number of values"))
    else:
        checks.append(rule("self.all(r, r.operator != 'NotIn' || (has(r.values) && size(r.values) != 0))",
                           "operator NotIn needs values"))
    return atomic(obj(fields, ["key", "operator"]), "What the nodes must be like.", rules=checks if rules else (),
                  maxItems=100)


def taints(doc="", empty_value=False):
    """empty_value: the simple dialect writes 'value: \"\"' for none."""
    word = LABEL_KEY[1:-1]
    return atomic(obj({
        "key": text(minLength=1, pattern=LABEL_KEY),
        "value": text(pattern=f"^({word})?$" if empty_value else LABEL_KEY),
        "effect": enum(*EFFECTS),
        "timeAdded": time(),
    }, ["key", "effect"]), doc)


def class_ref(fixed):
    def filled(title, **keys):
        return text(**keys, **{"x-kubernetes-validations": [rule("self != ''", f"{title} may not be empty")]})

    rules = [rule(f"self.{part} == oldSelf.{part}", f"{part} does not change") for part in ("group", "kind")]
    return obj({"group": filled("group", pattern="^[^/]*$"), "kind": filled("kind"), "name": filled("name")},
               ["group", "kind", "name"], rules=rules if fixed else ())


# ---- NodePool ---------------------------------------------------------------------------------------

# The fields by which the two dialects are told apart; adapters/manifest/project_node.c has the same.
POOL_SIMPLE = ["templateRef", "minSize", "maxSize", "template.spec.nodeSelector"]
POOL_UPSTREAM = ["template.spec.nodeClassRef", "template.metadata", "template.spec.startupTaints",
                 "template.spec.expireAfter", "template.spec.terminationGracePeriod", "disruption", "weight", "replicas"]


def budgets():
    cron = r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$"
    budget = obj({
        "nodes": text("How many at once: a number or a percentage.", default="10%",
                      pattern="^((100|[0-9]{1,2})%|[0-9]+)$"),
        "reasons": unique(enum("Underutilized", "Empty", "Drifted", "Unhealthy"), "Absent: all.", maxItems=50),
        "schedule": text("When it begins, as cron has it, in UTC.", pattern=cron),
        "duration": text("For how long.", pattern="^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$"),
    }, ["nodes"])
    return atomic(budget, default=[{"nodes": "10%"}], maxItems=50,
                  rules=[rule("self.all(b, has(b.schedule) == has(b.duration))", "schedule and duration go together")])


def disruption():
    return obj({
        "consolidateAfter": text(default="0s", pattern=DURATION_OR_NEVER),
        "consolidationPolicy": enum("WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced",
                                    default="WhenEmptyOrUnderutilized"),
        "budgets": budgets(),
    })


def template():
    def every(of_key):
        return f"self.all(k, {of_key('k')})"

    labels = mapping(text(maxLength=63, pattern=LABEL_VALUE), maxProperties=100,
                     rules=label_rules(True, every), **{"x-kubernetes-map-type": "atomic"})
    metadata = obj({"labels": labels,
                    "annotations": mapping(text(), **{"x-kubernetes-map-type": "granular"})})
    spec = obj({
        "requirements": requirements(of_pool=True),
        "taints": taints(empty_value=True),
        "startupTaints": taints("Something takes them away when a node is ready."),
        "nodeClassRef": class_ref(fixed=True),
        "expireAfter": text("How old a node gets; absent: 720h, in the simple dialect Never.", pattern=DURATION_OR_NEVER),
        "terminationGracePeriod": text(pattern=DURATION),
        "nodeSelector": mapping(text(), "Simple dialect: labels of every node of the pool."),
    })
    return obj({"metadata": metadata, "spec": spec})


def node_pool():
    simple = any_of(POOL_SIMPLE)
    spec = obj({
        "template": template(),
        "disruption": disruption(),
        "limits": amounts("What all its nodes together may have, 'nodes' included."),
        "weight": whole("The larger, the sooner it is tried.", minimum=1, maximum=100),
        "replicas": whole("A static pool: this many nodes.", bits=64, minimum=0),
        "templateRef": obj({"name": text("Of a NodeTemplate.", minLength=1)}, ["name"], doc="Simple dialect."),
        "minSize": whole("Simple dialect: kept even when empty.", minimum=0, maximum=1000),
        "maxSize": whole("Simple dialect: at most this many nodes.", minimum=0),
    }, rules=[
        two_dialects(POOL_SIMPLE, POOL_UPSTREAM),
        rule(f"{simple} || (has(self.template) && has(self.template.spec))", "template.spec is required"),
        rule(f"{simple} || !({present('template.spec')}) || has(self.template.spec.nodeClassRef)",
             "template.spec.nodeClassRef is required"),
        rule(f"{simple} || !({present('template.spec')}) || has(self.template.spec.requirements)",
             "template.spec.requirements is required (it may be [])"),
        rule(f"!{simple} || has(self.templateRef)", "templateRef is required"),
        rule(f"{simple} || !({present('template.spec.taints')}) || "
             "self.template.spec.taints.all(t, !has(t.value) || t.value != '')", "the value of a taint may not be empty"),
        rule("has(self.replicas) == has(oldSelf.replicas)", "a pool stays static (with replicas) or dynamic (without)"),
        rule("!has(self.replicas) || !has(self.limits) || size(self.limits) == 0 || "
             "(size(self.limits) == 1 && 'nodes' in self.limits)", "a pool with replicas has only limits.nodes"),
        rule("!has(self.replicas) || !has(self.weight)", "a pool with replicas has no weight"),
    ])
    status = obj({
        "conditions": conditions(),
        "nodes": whole(bits=64, default=0),
        "resources": amounts(),
        "nodeClassObservedGeneration": whole(bits=64),
    })
    return crd(GROUP, "NodePool", "nodepools", {"spec": spec, "status": status}, {"v1": None, "v1alpha5": None},
               storage="v1", required=["spec"], categories=["karpenter"],
               subresources={"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                                                     "statusReplicasPath": ".status.nodes"}},
               doc="Nodes that are made when pods need them, and taken away when not.",
               columns=[("NodeClass", "string", ".spec.template.spec.nodeClassRef.name"),
                        ("Nodes", "string", ".status.nodes"), ("Ready", "string", condition_at("Ready")), AGE,
                        ("Weight", "integer", ".spec.weight", True), ("CPU", "string", ".status.resources.cpu", True),
                        ("Memory", "string", ".status.resources.memory", True)])


# ---- NodeClaim --------------------------------------------------------------------------------------

def node_claim():
    def label(key):
        return ".metadata.labels." + key.replace(".", r"\.")

    spec = obj({
        "requirements": requirements(of_pool=False),
        "resources": obj({"requests": amounts("What the pods it is made for need.")}),
        "taints": taints(),
        "startupTaints": taints(),
        "nodeClassRef": class_ref(fixed=False),
        "expireAfter": text(default="720h", pattern=DURATION_OR_NEVER),
        "terminationGracePeriod": text(pattern=DURATION),
    }, ["requirements", "nodeClassRef"], rules=[rule("self == oldSelf", "spec does not change")])
    status = obj({
        "conditions": conditions(lenient=True),
        "nodeName": text(), "providerID": text(), "imageID": text(),
        "capacity": amounts(), "allocatable": amounts(),
        "lastPodEventTime": time(),
    })
    return crd(GROUP, "NodeClaim", "nodeclaims", {"spec": spec, "status": status}, {"v1": None}, storage="v1",
               required=["spec"], categories=["karpenter"], subresources=STATUS,
               doc="One node: asked for, launched, registered, removed.",
               columns=[("Type", "string", label("node.kubernetes.io/instance-type")),
                        ("Capacity", "string", label(CAPACITY_LABEL)), ("Zone", "string", label("topology.kubernetes.io/zone")),
                        ("Node", "string", ".status.nodeName"), ("Ready", "string", condition_at("Ready")), AGE,
                        ("ImageID", "string", ".status.imageID", True), ("ID", "string", ".status.providerID", True),
                        ("NodePool", "string", label(POOL_LABEL), True),
                        ("NodeClass", "string", ".spec.nodeClassRef.name", True),
                        ("Drifted", "string", condition_at("Drifted"), True)])


def node_overlay():
    known = "['cpu', 'memory', 'ephemeral-storage', 'pods']"
    spec = obj({
        "requirements": requirements(of_pool=False, min_values=False),
        "price": text(pattern=r"^\d+(\.\d+)?$"),
        "priceAdjustment": text(pattern=r"^(([+-]\d*\.?\d+)|(\+\d*\.?\d+%)|(-\d{1,2}(\.\d+)?%)|(-100%))$"),
        "capacity": mapping(quantity(), rules=[rule(f"self.all(k, !(k in {known}))", "only extended resources")]),
        "weight": whole(minimum=1, maximum=10000),
    }, ["requirements"], rules=[rule("!has(self.price) || !has(self.priceAdjustment)",
                                     "price and priceAdjustment exclude each other")])
    return crd(GROUP, "NodeOverlay", "nodeoverlays", {"spec": spec, "status": obj({"conditions": conditions()})},
               {"v1alpha1": None}, storage="v1alpha1", required=["spec"], short=["overlays"], categories=["karpenter"],
               subresources=STATUS, doc="Taken in so that manifests apply; Plimsoll decides by no overlay yet.",
               columns=[("Ready", "string", condition_at("Ready")), AGE, ("Weight", "integer", ".spec.weight", True)])


KINDS = [node_pool, node_claim, node_overlay]
