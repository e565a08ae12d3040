"""Each header compiles by itself, has a guard, and begins by saying what it is for."""
import concurrent.futures
import os
import re
import subprocess

from sources import c_files, read, root

ESSAY = re.compile(r"\A/\*\n \* (?P<name>[\w.]+) - \S")
GUARD = re.compile(r"^#ifndef (\w+)\n#define \1\n", re.MULTILINE)
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-Wno-unused-function")


def compiles(name):
    base = root()
    done = subprocess.run(
        ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-fsyntax-only", *WARNINGS, "-I", str(base / "src"),
         "-I", str(base), "-I", str(base / "tests/lib"), "-x", "c", "-"],
        input=f'#include "{base / name}"\nextern int lint;\n', capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return f"{name}: does not stand alone: {errors[0]}" if done.returncode and errors else None


def check():
    headers = [name for name in c_files() if name.endswith(".h")]
    for name in headers:
        text = read(name)
        essay = ESSAY.match(text)
        if essay is None or essay["name"] != os.path.basename(name):
            yield f"{name}: does not begin with \"{os.path.basename(name)} - what it is for\""
        if GUARD.search(text) is None:
            yield f"{name}: no include guard"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(compiles, headers))
