"""deploy/iam is what `iam print` prints now; test_iam.py PLIMSOLL --update writes it."""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

import yaml

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "iam"
MODES = ("observe", "enforce")
FORMATS = {"json": "json", "cloudformation": "yaml", "terraform": "tf"}
# A document has to name a cluster; a template asks for it.
NAMED = {"json": ["--cluster-name", "my-cluster"]}


def printed(plimsoll, *words):
    return subprocess.run([plimsoll, "iam", "print", *words], check=True, capture_output=True,
                          text=True).stdout


def made(plimsoll, mode, form):
    return printed(plimsoll, "--mode", mode, "--format", form, *NAMED.get(form, []))


def files():
    return [(FOLDER / f"{mode}.{ending}", mode, form)
            for mode in MODES for form, ending in FORMATS.items()]


def current(plimsoll, path, mode, form):
    if not path.exists() or path.read_text(encoding="utf-8") != made(plimsoll, mode, form):
        yield f"{path}: not what the table of calls says: ninja -C build iam-update"


def several(value):
    return value if isinstance(value, list) else [value]


def statements(plimsoll, mode, *words):
    return json.loads(printed(plimsoll, "--mode", mode, "--cluster-name", "c", *words))["Statement"]


def observe_reads_only(plimsoll):
    for statement in statements(plimsoll, "observe"):
        for right in several(statement["Action"]):
            if not re.fullmatch(r"(ec2|eks):Describe\w+|(ssm|iam|sts|pricing):Get\w+", right):
                yield f"observe may {right}"


def nothing_wild(plimsoll):
    """No right is a pattern, and what changes something is bound to tags, a name or a service."""
    observed = {right for s in statements(plimsoll, "observe") for right in several(s["Action"])}
    for statement in statements(plimsoll, "enforce"):
        rights = several(statement["Action"])
        if any("*" in right for right in rights) or statement["Effect"] != "Allow":
            yield f"{statement['Sid']}: {rights}"
        if set(rights) <= observed:
            continue
        if "*" in several(statement["Resource"]):
            yield f"{statement['Sid']} may be done to anything"
        # To launch from an image, a subnet and so on is free; every launch makes something that has to be tagged.
        bound = "Condition" in statement or statement["Sid"] in ("LaunchFrom", "TakeInterruptions")
        if not bound:
            yield f"{statement['Sid']} has no condition"
    if "iam:PassRole" not in json.dumps(statements(plimsoll, "enforce")):
        yield "nodes get no role"


def named(plimsoll):
    text = json.dumps(statements(plimsoll, "enforce", "--region", "cn-north-1", "--account", "123456789012",
                                 "--interruption-queue", "the-queue", "--node-role", "the-role"))
    for part in ("arn:aws-cn:sqs:cn-north-1:123456789012:the-queue", "arn:aws-cn:iam::123456789012:role/the-role",
                 "arn:aws-cn:ec2:cn-north-1:*:instance/*", "arn:aws-cn:eks:cn-north-1:123456789012:cluster/c",
                 '"aws:RequestedRegion": "cn-north-1"', '"aws:RequestTag/kubernetes.io/cluster/c": "owned"'):
        if part not in text:
            yield f"{part} is missing"
    if '"aws:RequestedRegion"' in json.dumps(statements(plimsoll, "enforce")):
        yield "without a region there is a condition on it, which never holds"


def documents(plimsoll, mode, form, *words):
    """The policies inside of a template, with the names that it leaves to its tool still in them."""
    text = printed(plimsoll, "--mode", mode, "--format", form, *words)
    if form == "terraform":
        return [json.loads(found) for found in re.findall(r"<<-JSON\n(.*?)\n  JSON\n", text, re.DOTALL)]
    loader = yaml.SafeLoader
    for tag in ("!Sub", "!Ref"):
        loader.add_constructor(tag, lambda inner, node: inner.construct_scalar(node))
    parts = yaml.load(text, loader)["Resources"]
    return [json.loads(part["Properties"]["PolicyDocument"]) for part in parts.values()]


def templates_say_the_same(plimsoll, form):
    words = ["--cluster-name", "c", "--region", "eu-west-1", "--account", "123456789012"]
    for mode, policies in (("observe", 1), ("enforce", 2)):
        want = statements(plimsoll, mode, *words[2:])
        have = documents(plimsoll, mode, form, *words)
        if len(have) != policies or [s for doc in have for s in doc["Statement"]] != want:
            yield f"{form} of {mode} differs from the document"
    left = set(re.findall(r"\$\{[^}]*\}", json.dumps(documents(plimsoll, "enforce", form))))
    asked = {"cloudformation": {"${AWS::Partition}", "${AWS::Region}", "${AWS::AccountId}", "${ClusterName}"},
             "terraform": {"${data.aws_partition.current.partition}", "${data.aws_region.current.id}",
                           "${data.aws_caller_identity.current.account_id}", "${var.cluster_name}"}}[form]
    if left != asked:
        yield f"{form} leaves {left} to be said"


def holds(test, key, values, context):
    """One condition, in the order of IAM's own evaluation."""
    have = context.get(key)
    if test == "ForAllValues:StringEquals":
        return all(value in values for value in have or [])
    if have is None:
        return test == "StringEqualsIfExists"
    if test in ("StringEquals", "StringEqualsIfExists"):
        return have in values
    assert test == "StringLike", test
    return any(fnmatch.fnmatchcase(have, value) for value in values)


def allowed(policy, right, arn, context):
    return any(right in several(s["Action"]) and
               any(fnmatch.fnmatchcase(arn, resource) for resource in several(s["Resource"])) and
               all(holds(test, key, several(values), context)
                   for test, keys in s.get("Condition", {}).items() for key, values in keys.items())
               for s in policy)


def tags_of(form, prefix):
    """Resource type to its tags, of the specifications that begin with 'prefix'."""
    found = {}
    for key, kind in form.items():
        at = re.fullmatch(re.escape(prefix) + r"TagSpecification\.(\d+)\.ResourceType", key)
        if at:
            start = f"{prefix}TagSpecification.{at[1]}.Tag."
            found[kind] = {value: form[name[:-len("Key")] + "Value"] for name, value in form.items()
                           if name.startswith(start) and name.endswith(".Key")}
    return found


def forms():
    """(file, [form, ...]): the golden forms of launches, each with those of its templates."""
    for path in sorted((FOLDER.parents[1] / "tests" / "unit" / "adapters" / "ec2").glob("*.form")):
        parts = re.split(r"(?m)^---- .* ----$", path.read_text(encoding="utf-8"))
        yield path.name, [dict(urllib.parse.parse_qsl("&".join(part.split()), keep_blank_values=True))
                          for part in parts]


def made_by(parts):
    """(action, resource type, tags) of everything that a launch makes."""
    for form in parts:
        action = form["Action"]
        for kind, tags in tags_of(form, "").items():
            yield action, kind, tags
        for kind, tags in tags_of(form, "LaunchTemplateData.").items():
            yield parts[0]["Action"], kind, tags


def launches_are_let_through(plimsoll):
    """What the frozen forms of launches make has the tags that the policy asks for, and without them it may not."""
    policy = json.loads(printed(plimsoll, "--cluster-name", "test-cluster", "--region", "us-west-2"))["Statement"]
    seen = set()
    for name, parts in forms():
        least = {"fleet", "instance", "volume", "launch-template", "network-interface"}
        if parts[0]["Action"] == "RunInstances":
            least -= {"fleet", "launch-template"}
        lacking = least - {kind for _, kind, _ in made_by(parts)}
        if lacking:
            yield f"{name}: {lacking} have no tags"
        for action, kind, tags in made_by(parts):
            seen.add((action, kind))
            arn = f"arn:aws:ec2:us-west-2:123456789012:{kind}/x"
            context = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
            context["ec2:CreateAction"] = action
            for right in (f"ec2:{action}", "ec2:CreateTags"):
                if not allowed(policy, right, arn, context):
                    yield f"{name}: {right} of {kind} is not let through"
                for key in [key for key in context if key.startswith("aws:RequestTag/kubernetes.io/")]:
                    without = {other: value for other, value in context.items() if other != key}
                    if allowed(policy, right, arn, without):
                        yield f"{name}: {right} of {kind} is let through without {key}"
    if len(seen) < 8:
        yield f"only {seen} were looked at"


def too_long_is_told(plimsoll):
    done = subprocess.run([plimsoll, "iam", "print", "--cluster-name", "c" * 100], check=True,
                          capture_output=True, text=True)
    if "managed policy" not in done.stderr:
        yield "nothing is said of a document that is longer than a managed policy may be"


def main(plimsoll, update):
    if update:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for path, mode, form in files():
            path.write_text(made(plimsoll, mode, form), encoding="utf-8")
        return 0
    checks = [(f"deploy/iam/{path.name} is current", current(plimsoll, path, mode, form))
              for path, mode, form in files()]
    checks += [("observe reads only", observe_reads_only(plimsoll)),
               ("nothing is granted at large", nothing_wild(plimsoll)),
               ("names are used", named(plimsoll)),
               ("CloudFormation says the same", templates_say_the_same(plimsoll, "cloudformation")),
               ("Terraform says the same", templates_say_the_same(plimsoll, "terraform")),
               ("launches are let through", launches_are_let_through(plimsoll)),
               ("a long document is told", too_long_is_told(plimsoll))]
    print(f"1..{len(checks)}")
    failed = 0
    for number, (name, findings) in enumerate(checks, 1):
        found = list(findings)
        failed += bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {name}", *(f"# {line}" for line in found), sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--update" in sys.argv[2:]))
