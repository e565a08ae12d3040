"""What is installed into a cluster agrees with itself and with the engine: deploy.py ROOT, as TAP.

The files below deploy/ are what deploy/gen makes, and the lists that stand both there and in C are the same.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "deploy"))

from gen import nodes, policy, queues  # noqa: E402


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def array(text, name, function):
    """The words of a list of strings in a function."""
    body = text[text.index(function):]
    return re.findall(r'"([^"]*)"', re.search(name + r"\[\] = \{(.*?)\};", body, re.DOTALL)[1])


def same(what, here, there):
    return [f"{what}: only in deploy/gen {sorted(set(here) - set(there))}, only in C {sorted(set(there) - set(here))}"] \
        if set(here) != set(there) else []


def files_are_current():
    done = subprocess.run([sys.executable, "-B", ROOT / "deploy/generate.py", "--check"], capture_output=True, text=True,
                          check=False)
    return done.stderr.splitlines() + ["it ended with an error"] if done.returncode else []


def dialects_are_told_apart_by_the_same_fields():
    queue, pool = source("adapters/manifest/project_queue.c"), source("adapters/manifest/project_node.c")
    wrong = []
    for text, function, simple, upstream in (
            (queue, "void plm_project_cluster_queue(", queues.QUEUE_SIMPLE, queues.QUEUE_UPSTREAM),
            (queue, "void plm_project_local_queue(", queues.LOCAL_SIMPLE, queues.LOCAL_UPSTREAM),
            (pool, "void plm_project_node_pool(", nodes.POOL_SIMPLE, nodes.POOL_UPSTREAM)):
        wrong += same(function, simple, array(text, "dialect", function))
        wrong += same(function, upstream, array(text, "upstream", function))
    return wrong


def labels_of_aws_are_the_same():
    known = array(source("adapters/manifest/check_pool.c"), "known", "static bool known_to_aws(")
    return same("known_to_aws", nodes.AWS_LABELS, known)


def every_flag_is_raised():
    """Kinds with a suspend flag in the table of integrations, and where it is."""
    text = source("src/core/integration.c")
    text = text[text.index("static const struct plm_integration integrations[]"):text.index("#define REPLICAS")]
    plain = {one[0]: one[1] for one in re.findall(r'\.framework = "([^"]+)",\s*\.suspend = "([^"]+)"', text)}
    jobs = {f"kubeflow.org/{one}": "spec.runPolicy.suspend" for one in re.findall(r'KUBEFLOW_JOB\(\w+, "(\w+)"', text)}
    there = {(framework, flag) for framework, flag in (plain | jobs).items()}
    here = {(f"{group}/{plural.removesuffix('s')}", flag) for (group, plural), flag in policy.FLAGS.items()}
    wrong = same("integrations", here, there)
    owners = {one.lower() for one in policy.OWNERS}
    return wrong + [f"{framework} is queued, but what it owns is not left alone"
                    for framework, _ in there if framework not in owners]


CHECKS = [files_are_current, dialects_are_told_apart_by_the_same_fields, labels_of_aws_are_the_same, every_flag_is_raised]


def main():
    failed = 0
    print(f"1..{len(CHECKS)}")
    for number, check in enumerate(CHECKS, 1):
        wrong = check()
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {check.__name__.replace('_', ' ')}", *(f"# {line}" for line in wrong),
              sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
