"""What more than one kind is made of, written once."""

DNS = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = DNS + r"(\." + DNS + ")*"
WORD = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
NUMBER = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)"
QUANTITY = "^[+-]?" + NUMBER + "([KMGTPE]i|[numkMGTPE]|[eE][+-]?" + NUMBER + ")?$"
NAME = "^" + SUBDOMAIN + "$"
LABEL_NAME = "^" + DNS + "$"
LABEL_KEY = "^(" + SUBDOMAIN + "/)?" + WORD + "$"
LABEL_VALUE = "^(" + WORD + ")?$"
HOSTNAME = "kubernetes.io/hostname"
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"]


# ---- scalars ----------------------------------------------------------------------------------------

def text(doc="", **keys):
    return described({"type": "string"}, doc, keys)


def enum(*values, doc="", **keys):
    return described({"type": "string", "enum": list(values)}, doc, keys)


def whole(doc="", bits=32, **keys):
    return described({"type": "integer", "format": f"int{bits}"}, doc, keys)


def boolean(doc="", **keys):
    return described({"type": "boolean"}, doc, keys)


def time(doc=""):
    return described({"type": "string", "format": "date-time"}, doc, {})


def name(doc="", **keys):
    """The name of an object."""
    return text(doc, maxLength=253, pattern=NAME, **keys)


def quantity(doc="", **keys):
    return described({"x-kubernetes-int-or-string": True, "pattern": QUANTITY,
                      "anyOf": [{"type": "integer"}, {"type": "string"}]}, doc, keys)


# ---- shapes -----------------------------------------------------------------------------------------

def described(schema, doc, keys):
    if doc:
        schema["description"] = doc
    schema.update(keys)
    return schema


def obj(fields, required=(), doc="", rules=(), **keys):
    schema = {"type": "object", "properties": fields}
    if required:
        schema["required"] = list(required)
    if rules:
        schema["x-kubernetes-validations"] = list(rules)
    return described(schema, doc, keys)


def some(fields, required=(), doc="", **keys):
    """An object of which only these fields are looked at: the rest is kept as it is."""
    return obj(fields, required, doc, **{"x-kubernetes-preserve-unknown-fields": True}, **keys)


def anything(doc=""):
    return described({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, doc, {})


def mapping(values, doc="", rules=(), **keys):
    schema = {"type": "object", "additionalProperties": values}
    if rules:
        schema["x-kubernetes-validations"] = list(rules)
    return described(schema, doc, keys)


def atomic(items, doc="", rules=(), **keys):
    return listed(items, "atomic", doc, rules, keys)


def unique(items, doc="", rules=(), **keys):
    return listed(items, "set", doc, rules, keys)


def keyed(items, *by, doc="", rules=(), **keys):
    """A list of objects of which those with equal 'by' are the same one: server-side apply merges them."""
    keys["x-kubernetes-list-map-keys"] = list(by)
    return listed(items, "map", doc, rules, keys)


def plain(items, doc="", rules=(), **keys):
    """A list that upstream does not type: replaced as a whole, as atomic ones are."""
    return listed(items, None, doc, rules, keys)


def listed(items, kind, doc, rules, keys):
    schema = {"type": "array", "items": items}
    if kind:
        schema["x-kubernetes-list-type"] = kind
    if rules:
        schema["x-kubernetes-validations"] = list(rules)
    return described(schema, doc, keys)


# ---- rules ------------------------------------------------------------------------------------------

def rule(expression, message, **keys):
    return {"rule": expression, "message": message, **keys}


IMMUTABLE = rule("self == oldSelf", "this field does not change")


def present(path):
    """CEL: the field at a path below self is there."""
    steps = path.split(".")
    return " && ".join(f"has(self.{'.'.join(steps[:at])})" for at in range(1, len(steps) + 1))


def any_of(paths):
    return "(" + " || ".join(f"({present(path)})" if "." in path else present(path) for path in paths) + ")"


def two_dialects(first, second):
    """An object is written in one dialect; the message names a field of each."""
    def which(paths):
        chain = f"'{paths[-1]}'"
        for path in reversed(paths[:-1]):
            chain = f"({present(path)}) ? '{path}' : ({chain})"
        return f"({chain})"

    return {"rule": f"!({any_of(first)} && {any_of(second)})",
            "messageExpression": f"'spec.' + {which(second)} + ' and spec.' + {which(first)} + "
                                 "' belong to two dialects; an object is written in one'",
            "message": "fields of two dialects; an object is written in one"}


# ---- what Kubernetes has in common ------------------------------------------------------------------

def conditions(most=None, lenient=False, list_type=True):
    """metav1.Condition; lenient: reason and message may be missing, as Karpenter's claims have it."""
    edge = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
    reason = text(maxLength=1024, pattern=f"^({edge}|)$") if lenient \
        else text(minLength=1, maxLength=1024, pattern=f"^{edge}$")
    item = obj({
        "type": text(maxLength=316, pattern=LABEL_KEY),
        "status": enum("True", "False", "Unknown"),
        "reason": reason,
        "message": text(maxLength=32768),
        "lastTransitionTime": time(),
        "observedGeneration": whole(bits=64, minimum=0),
    }, ["type", "status", "lastTransitionTime"] + ([] if lenient else ["reason", "message"]))
    bound = {"maxItems": most} if most else {}
    return keyed(item, "type", doc="What is the case, one entry for each type.", **bound) if list_type \
        else plain(item, "What is the case, one entry for each type.", **bound)


def selector(doc=""):
    return obj({
        "matchLabels": mapping(text()),
        "matchExpressions": atomic(obj({"key": text(), "operator": text(), "values": atomic(text())},
                                       ["key", "operator"])),
    }, doc=doc, **{"x-kubernetes-map-type": "atomic"})


def amounts(doc=""):
    """Resource name to quantity."""
    return mapping(quantity(), doc)


TOLERATION = {"key": text(), "operator": text(), "value": text(), "effect": text(),
              "tolerationSeconds": whole(bits=64)}


def tolerations(most=8):
    return atomic(obj(dict(TOLERATION)), maxItems=most, rules=[
        rule("self.all(t, has(t.key) || (has(t.operator) && t.operator == 'Exists'))",
             "operator must be Exists where there is no key"),
        rule("self.all(t, !has(t.tolerationSeconds) || (has(t.effect) && t.effect == 'NoExecute'))",
             "tolerationSeconds needs effect NoExecute"),
        rule("self.all(t, !has(t.operator) || t.operator in ['Equal', 'Exists'])",
             "operator must be Equal or Exists"),
        rule("self.all(t, !has(t.operator) || t.operator != 'Exists' || !has(t.value))",
             "there is no value with operator Exists"),
        rule(f"self.all(t, !has(t.effect) || t.effect in {EFFECTS})",
             "effect must be NoSchedule, PreferNoSchedule or NoExecute"),
    ])


def pod_template(doc="", labels_only=False):
    """
    A pod template. What the engine decides by has a type, so that a wrong quantity is refused here; the rest of
    a pod is kept untouched, because each Kubernetes version adds fields and the API server that makes the pods
    checks them anyway. Lists that server-side apply merges have the keys of Kubernetes' own.
    """
    container = some({
        "name": text(),
        "resources": some({"requests": amounts(), "limits": amounts()}),
    }, ["name"])
    metadata = {"labels": mapping(text()), "annotations": mapping(text()),
                "name": text(), "namespace": text(), "finalizers": plain(text())}
    spec = some({
        "containers": keyed(container, "name"),
        "initContainers": keyed(container, "name"),
        "nodeSelector": mapping(text(), **{"x-kubernetes-map-type": "atomic"}),
        "tolerations": atomic(obj(dict(TOLERATION))),
        "overhead": amounts(),
        "priorityClassName": text(),
        "priority": whole(),
        "runtimeClassName": text(),
        "schedulingGates": keyed(obj({"name": text()}, ["name"]), "name"),
    }, ["containers"])
    return obj({"metadata": obj(metadata), "spec": spec}, doc=doc)


# ---- a CustomResourceDefinition ---------------------------------------------------------------------

AGE = ("Age", "date", ".metadata.creationTimestamp")


def condition_at(kind):
    return f'.status.conditions[?(@.type=="{kind}")].status'


def column(title, kind, path, wide=False):
    made = {"name": title, "type": kind, "jsonPath": path}
    if wide:
        made["priority"] = 1
    return made


def crd(group, kind, plural, fields, versions, *, storage, namespaced=False, required=(), rules=(), short=(),
        categories=(), columns=(), subresources=None, selectable=(), doc=""):
    """
    One schema for all versions: an object is stored as written and told under each version's name (strategy None),
    so what one version has and another has not must be in both, or it would be pruned.
    versions: name -> None, or the warning that a client of an old version gets.
    """
    def version(called, warning):
        top = {"apiVersion": text(), "kind": text(), "metadata": {"type": "object"}, **fields}
        made = {"name": called, "served": True, "storage": called == storage}
        if warning:
            made["deprecated"] = True
            made["deprecationWarning"] = warning
        made["schema"] = {"openAPIV3Schema": obj(top, required, doc, rules)}
        if subresources:
            made["subresources"] = subresources
        if columns:
            made["additionalPrinterColumns"] = [column(*each) for each in columns]
        if selectable:
            made["selectableFields"] = [{"jsonPath": path} for path in selectable]
        return made

    names = {"kind": kind, "listKind": kind + "List", "plural": plural, "singular": kind.lower()}
    if short:
        names["shortNames"] = list(short)
    if categories:
        names["categories"] = list(categories)
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}", "labels": {"app.kubernetes.io/part-of": "plimsoll"}},
            "spec": {"group": group, "names": names, "scope": "Namespaced" if namespaced else "Cluster",
                     "conversion": {"strategy": "None"},
                     "versions": [version(*each) for each in versions.items()]}}
