"""deploy/rbac is what `rbac print` prints now; test_rbac.py PLIMSOLL --update writes it."""
import pathlib
import subprocess
import sys

import yaml

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "rbac"
# What only mode enforce needs has a folder of its own: old releases of kustomize leave no file of a folder out.
FILES = {"observe": "observe.yaml", "enforce": "enforce/enforce.yaml", "serve": "serve.yaml"}


def printed(plimsoll, *words):
    return subprocess.run([plimsoll, "rbac", "print", *words], check=True, capture_output=True,
                          text=True).stdout


def current(plimsoll, mode):
    path = FOLDER / FILES[mode]
    text = printed(plimsoll, "--mode", mode)
    if path.read_text(encoding="utf-8") != text:
        yield f"{path}: not what the table of calls says: ninja -C build rbac-update"


def observe_reads_only(plimsoll):
    for role in yaml.safe_load_all(printed(plimsoll, "--mode", "observe")):
        for rule in role["rules"]:
            wrong = set(rule["verbs"]) - {"get", "list", "watch"}
            if wrong:
                yield f"observe writes: {rule}"


def nothing_wild(plimsoll):
    """No wildcard, no secret, no right to give oneself rights."""
    for role in yaml.safe_load_all(printed(plimsoll)):
        for rule in role["rules"]:
            named = [*rule.get("apiGroups", []), *rule.get("resources", []), *rule["verbs"]]
            if "*" in named or "secrets" in named or "rbac.authorization.k8s.io" in named:
                yield f"{role['metadata']['name']}: {rule}"


def bound(plimsoll):
    """With -n each role is bound to the account, and what is namespaced lies there."""
    docs = list(yaml.safe_load_all(printed(plimsoll, "-n", "there")))
    roles = {(doc["kind"], doc["metadata"]["name"]) for doc in docs if "rules" in doc}
    bindings = [doc for doc in docs if "roleRef" in doc]
    if roles != {(doc["roleRef"]["kind"], doc["roleRef"]["name"]) for doc in bindings}:
        yield "a role is not bound"
    for doc in bindings:
        if doc["subjects"] != [{"kind": "ServiceAccount", "name": "plimsoll", "namespace": "there"}]:
            yield f"bound to {doc['subjects']}"
    for doc in docs:
        inside = doc["kind"] in ("Role", "RoleBinding")
        if inside != (doc["metadata"].get("namespace") == "there"):
            yield f"{doc['kind']} {doc['metadata']} is in the wrong place"


def main(plimsoll, update):
    if update:
        for mode, name in FILES.items():
            (FOLDER / name).write_text(printed(plimsoll, "--mode", mode), encoding="utf-8")
        return 0
    checks = [(f"deploy/rbac/{name} is current", current(plimsoll, mode)) for mode, name in FILES.items()]
    checks += [("observe reads only", observe_reads_only(plimsoll)),
               ("nothing is granted at large", nothing_wild(plimsoll)),
               ("-n binds", bound(plimsoll))]
    print(f"1..{len(checks)}")
    failed = 0
    for number, (name, findings) in enumerate(checks, 1):
        found = list(findings)
        failed += bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {name}", *(f"# {line}" for line in found), sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--update" in sys.argv[2:]))
