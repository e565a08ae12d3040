"""
What is installed into a cluster beside the daemon: generate.py [--check] [FOLDER].

Writes crds/, policies/, alerts/, dashboards/ and what of the charts and their documentation is made of tables below FOLDER (this
one), or with --check says which of them are not what gen/ makes, and ends with 1. The files are kept in the repository, so
that installing them needs no Python.
"""
import pathlib
import sys

import yaml

from gen import (alerts, aws, boards, chart, defaults, dialect, jobs, nodes, pods, queues, queue_checks, spellings,
                 workload_checks, workloads)

HERE = pathlib.Path(__file__).resolve().parent
SCHEMAS = (queues, workloads, nodes, aws, dialect)
POLICIES = (jobs, pods, spellings, defaults, queue_checks, workload_checks)
HEAD = "# Made by deploy/generate.py; change deploy/gen instead.\n"


class Dumper(yaml.SafeDumper):
    """What is used twice is written twice, since people read no anchors; long expressions stand in blocks."""

    def ignore_aliases(self, data):
        return True


def block(dumper, data):
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)


Dumper.add_representer(str, block)


def dumped(documents):
    return yaml.dump_all(documents, Dumper=Dumper, sort_keys=False, width=160, allow_unicode=True)


def files():
    """path -> text"""
    made = {}
    for module in SCHEMAS:
        for kind in module.KINDS:
            crd = kind()
            made[f"crds/{crd['spec']['group']}_{crd['spec']['names']['plural']}.yaml"] = HEAD + dumped([crd])
    for module in POLICIES:
        for name, documents in module.files().items():
            why = "".join(f"# {line}\n".replace("# \n", "#\n") for line in module.__doc__.strip().splitlines())
            made[f"policies/{name}.yaml"] = HEAD + "#\n" + why + dumped(documents)
    made["policies/kustomization.yaml"] = HEAD + dumped([{
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
        "resources": sorted(path.partition("/")[2] for path in made if path.startswith("policies/"))}])
    return {**made, **chart.files(HERE), **boards.files(), **alerts.files(HEAD, dumped)}


def main(arguments):
    check = "--check" in arguments
    rest = [each for each in arguments if each != "--check"]
    folder = pathlib.Path(rest[0]) if rest else HERE
    made = files()
    there = {f"{part}/{path.name}" for part in ("alerts", "crds", "dashboards", "policies")
             for path in (folder / part).glob("*.*")}
    stale = sorted(name for name in made.keys() | there if name not in made or not (folder / name).exists()
                   or (folder / name).read_text(encoding="utf-8") != made[name])
    for name in stale:
        if check:
            print(f"{folder / name} is not what deploy/gen makes: run deploy/generate.py", file=sys.stderr)
        elif name in made:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(made[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
