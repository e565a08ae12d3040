"""A failing state made as small as it still fails."""
import copy
import json

import yaml


def smallest(docs, fails):
    """Leave out objects, then list items and fields, as long as 'fails' stays true."""
    docs = copy.deepcopy(docs)
    changed = True
    while changed:
        changed = False
        for index in range(len(docs) - 1, -1, -1):
            shorter = docs[:index] + docs[index + 1:]
            if docs[index]["kind"] != "Namespace" and fails(shorter):
                docs, changed = shorter, True
        for index in range(len(docs)):
            for path in sorted(paths(docs[index], ()), key=len):
                smaller = copy.deepcopy(docs)
                if remove(smaller[index], path) and fails(smaller):
                    docs, changed = smaller, True
    return docs


KEPT = {"apiVersion", "kind", "metadata", "name", "namespace", "uid", "creationTimestamp", "type",
        "status", "containers"}


def paths(value, at):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in KEPT:
                yield at + (key,)
                yield from paths(inner, at + (key,))
    elif isinstance(value, list):
        for index in range(len(value) - 1, -1, -1):
            yield at + (index,)
            yield from paths(value[index], at + (index,))


def remove(value, path):
    """False: the path is gone already."""
    for key in path[:-1]:
        if (isinstance(value, list) and key < len(value)) or (
                isinstance(value, dict) and key in value):
            value = value[key]
        else:
            return False
    key = path[-1]
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        value.pop(key)
        return True
    if isinstance(value, dict) and key in value:
        del value[key]
        return True
    return False


def shown(docs):
    """YAML as comment lines."""
    plain = json.loads(json.dumps(docs))
    text = yaml.dump_all(plain, sort_keys=False, default_flow_style=None, width=100)
    return "".join(f"#   {line}\n" for line in text.splitlines())
