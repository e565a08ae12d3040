"""Every manifest that is at hand is read without an error, and means the same as YAML and as JSON.

usage: manifests.py PROBE. Read are the behaviour cases beside this file and the samples. PLM_SHORT reads a part.
"""
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

import yaml

SHORT = bool(os.environ.get("PLM_SHORT"))
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Loader(yaml.CSafeLoader):
    """Timestamps stay the texts that they are in a manifest."""


Loader.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def sources():
    """(name, YAML text) of every input."""
    patterns = ("tests/cases/*/*/*/input.yaml", "examples/simple/*.yaml")
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, encoding="utf-8") as file:
                yield os.path.relpath(path, ROOT), file.read()
    for path in sorted(glob.glob(os.path.join(HERE, "*.jsonl.gz"))):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                if SHORT and number % 10:
                    continue
                case = json.loads(line)
                yield f"{os.path.basename(path)}:{case['name']}", case["input"]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def forms(folder, index, text):
    """The same objects in five spellings, and the name of each."""
    objects = [doc for doc in yaml.load_all(text, Loader=Loader) if doc]
    listed = {"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {}}
    return [
        ("as given", write(folder, f"{index}.yaml", text)),
        ("JSON values", write(folder, f"{index}.json", "\n".join(map(json.dumps, objects)))),
        ("JSON list", write(folder, f"{index}.list.json", json.dumps(listed, indent=4))),
        ("YAML list", write(folder, f"{index}.list.yaml", yaml.dump(listed, Dumper=yaml.CSafeDumper))),
        ("flow YAML", write(folder, f"{index}.flow.yaml", "# one line\n" + json.dumps(listed))),
    ]


def main():
    probe = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        inputs = [(name, forms(folder, i, text)) for i, (name, text) in enumerate(sources())]
        paths = [path for _, spellings in inputs for _, path in spellings]
        ran = subprocess.run([probe], input="\n".join(paths) + "\n", capture_output=True, text=True,
                             check=True)
        answers = [line.split("\t") for line in ran.stdout.splitlines()]
    print(f"1..{len(inputs)}")
    at = 0
    for number, (name, spellings) in enumerate(inputs, 1):
        mine = answers[at:at + len(spellings)]
        at += len(spellings)
        wrong = [f"{how}: {answer[1]} {answer[2]}" for (how, _), answer in zip(spellings, mine)
                 if answer[1] == "error" or answer[1:] != mine[0][1:] or answer[1] == "0"]
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        for line in wrong:
            print(f"# {line}")
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
