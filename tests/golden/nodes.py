"""Rules and quirks of provisioning: each manifest below examples/nodes/ against what is decided on it.

nodes.py [--update] PLIMSOLL SOURCE_ROOT

Each is decided twice, as Karpenter does and with the mends; where both agree it stands once. Prints TAP;
--update writes the texts of tests/golden/nodes anew.
"""
import difflib
import json
import pathlib
import subprocess
import sys


def decide(binary, path, compat):
    done = subprocess.run(
        [binary, "decide", "--compat", compat, "--cycles", "1", "--only", "nodes", "--now", "2026-01-01T01:00:00Z",
         "-o", "json", "-f", str(path)],
        capture_output=True, text=True, timeout=60, check=False)
    if done.returncode not in (0, 1):
        return [f"exit {done.returncode}: {done.stderr.strip()}"]
    said = json.loads(done.stdout)
    names = {claim["name"] for claim in said["nodeClaims"]}
    lines = []
    for claim in said["nodeClaims"]:
        first = claim["instanceTypes"][0]
        more = len(claim["instanceTypes"]) - 1
        zone = claim.get("zone") or "any zone"
        lines.append(f"new node of {claim['nodePool']}: {first}{f' and {more} more types' if more else ''} in {zone} for "
                     + ", ".join(sorted(claim["pods"])))
    if path.parent.name == "packing":
        price = sum(claim["priceMicroUSDPerHour"] for claim in said["nodeClaims"])
        lines.append(f"price: {price / 10**6:.4f} USD per hour for {len(names)} new nodes")
    for place in said["placements"]:
        if place["node"] not in names:
            lines.append(f"{place['node']}: {place['pod']}")
    for pod in said["unschedulable"]:
        lines.append(f"nowhere: {pod['pod']}: {pod.get('message') or pod.get('reason')}")
    return sorted(lines)


def text_of(binary, path):
    strict, better = (decide(binary, path, compat) for compat in ("strict", "better"))
    if strict == better:
        return "\n".join(["strict and better", *strict]) + "\n"
    return "\n".join(["strict", *strict, "", "better", *better]) + "\n"


def main(args):
    update = "--update" in args
    binary, root = (arg for arg in args if arg != "--update")
    root = pathlib.Path(root)
    files = sorted((root / "examples/nodes").glob("*/*.yaml"))
    print(f"1..{len(files)}")
    failed = 0
    for number, path in enumerate(files, 1):
        name = f"{path.parent.name}-{path.stem}"
        want = root / "tests/golden/nodes" / f"{name}.want"
        have = text_of(binary, path.resolve())
        if update:
            want.write_text(have, encoding="utf-8")
        old = want.read_text(encoding="utf-8") if want.exists() else ""
        quirk = path.parent.name in ("quirks", "packing") and have.startswith("strict and better")
        good = have == old and not quirk
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        if not good:
            for line in difflib.unified_diff(old.splitlines(), have.splitlines(), "want", "have", lineterm=""):
                print(f"# {line}")
            if quirk:
                print("# a quirk shows where strict and better differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
