"""Charts and kustomizations, rendered by the real Helm library and by kubectl; no cluster."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHARTS = ROOT / "deploy" / "charts"
KUSTOMIZE = ROOT / "deploy" / "kustomize" / "overlays"
SPACE = "plimsoll-system"
MUTATES = ("--api-versions", "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy")

sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from cluster import built  # noqa: E402


class Refused(Exception):
    """What Helm said when it would not."""


def run(program, *words, stdin=None, env=None):
    done = subprocess.run([built("cluster") / program, *map(str, words)], capture_output=True, text=True,
                          input=stdin, env=env, check=False, timeout=120)
    # Helm tells of each symbolic link in a chart that it follows it.
    told = "\n".join(line for line in done.stderr.splitlines() if "found symbolic link" not in line)
    if done.returncode != 0:
        raise Refused(told + done.stdout)
    return done.stdout, told


class Strict(yaml.SafeLoader):
    """A key that is there twice is a mistake, which PyYAML takes the last of."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"twice: {twice}", node.start_mark)
        return super().construct_mapping(node, deep)


def documents(text):
    return [one for one in yaml.load_all(text, Loader=Strict) if one]


def rendered(values=None, *words, chart="plimsoll", release="plimsoll", namespace=SPACE):
    """The caller's own copy of the objects; what was rendered once is not rendered again."""
    asked = (json.dumps(values or {}, sort_keys=True), words, str(chart), release, namespace)
    if asked not in RENDERED:
        RENDERED[asked] = template(values, words, chart, release, namespace)
    return copy.deepcopy(RENDERED[asked])


RENDERED = {}


def template(values, words, chart, release, namespace):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump(values or {}, file)
        file.flush()
        return documents(run("helm", "template", release, CHARTS / chart, "-n", namespace, "-f", file.name,
                             *words)[0])


def kustomized(overlay):
    return documents(run("kubectl", "kustomize", overlay)[0])


def named(objects, kind, name=None):
    found = [one for one in objects if one["kind"] == kind and name in (None, one["metadata"]["name"])]
    assert len(found) == 1, f"{len(found)} of {kind} {name or ''}"
    return found[0]


def of_kind(objects, kind):
    return [one for one in objects if one["kind"] == kind]


def container(objects):
    return named(objects, "StatefulSet")["spec"]["template"]["spec"]["containers"][0]


def key(obj):
    return obj["apiVersion"], obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
