"""clang-tidy over the C sources of the tree.

--changed: only what differs from the base (PLM_BASE, else where this branch left the main line, else
the last commit), headers through the sources that include them. A file that was clean is not looked at
again while it, its includes and .clang-tidy stay the same (BUILD/tidy/).
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

from sources import c_files, root

TIDY = "clang-tidy-19"


def git(*args):
    done = subprocess.run(["git", *args], cwd=root(), capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else []


def base_commit():
    if os.environ.get("PLM_BASE"):
        return os.environ["PLM_BASE"]
    head = git("rev-parse", "HEAD")
    for line in ("origin/main", "origin/master", "main", "master"):
        fork = git("merge-base", "HEAD", line)
        if fork and fork != head:
            return fork[0]
    parent = git("rev-parse", "--verify", "HEAD~1")
    return parent[0] if parent else "HEAD"


def changed_files():
    return set(git("diff", "--name-only", base_commit()) + git("ls-files", "--others", "--exclude-standard"))


def commands(build):
    with open(build / "compile_commands.json", encoding="utf-8") as stream:
        for entry in json.load(stream):
            path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
            try:
                yield str(path.relative_to(root().resolve())), entry
            except ValueError:
                continue


def inputs(entry):
    """The project's files that this source is made of, itself included."""
    args = shlex.split(entry["command"])
    args = args[:args.index("-MD")] + ["-M", "-MM"] if "-MD" in args else args + ["-MM"]
    skip = {"-c", "-o"}
    kept = [arg for i, arg in enumerate(args) if arg not in skip and (i == 0 or args[i - 1] != "-o")]
    done = subprocess.run(kept + [entry["file"]], cwd=entry["directory"], capture_output=True,
                          text=True, check=False)
    names = done.stdout.replace("\\\n", " ").split()[1:]
    here = pathlib.Path(entry["directory"])
    found = set()
    for name in names:
        path = (here / name).resolve()
        if path.is_relative_to(root().resolve()):
            found.add(path)
    return found


def digest(entry, paths):
    mark = hashlib.sha256((root() / ".clang-tidy").read_bytes())
    mark.update(entry["command"].encode())
    for path in sorted(paths):
        mark.update(path.read_bytes())
    return mark.hexdigest()


def check(name, entry, build, only):
    paths = inputs(entry)
    relative = {str(path.relative_to(root().resolve())) for path in paths}
    if only is not None and not relative & only:
        return name, True, ""
    clean = build / "tidy" / digest(entry, paths)
    if clean.exists():
        return name, True, ""
    done = subprocess.run([TIDY, "--quiet", "-p", str(build), str(root() / name)],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        clean.parent.mkdir(exist_ok=True)
        clean.touch()
    return name, done.returncode == 0, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("files", nargs="*", help="only these")
    args = parser.parse_args()
    build = (root() / args.build).resolve()
    only = changed_files() if args.changed else set(args.files) or None
    known = set(c_files())
    work = {name: entry for name, entry in commands(build) if name in known}
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, name, entry, build, only) for name, entry in sorted(work.items())]
        for job in jobs:
            name, good, text = job.result()
            if not good:
                bad += 1
                print(f"{name}:\n{text}")
    print(f"clang-tidy: {len(work)} files, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
