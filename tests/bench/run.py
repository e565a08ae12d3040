"""Run the benchmarks of a build: run.py BUILD [NAME...]; a table on stdout, JSON in BUILD/bench.json.

run.py BUILD --e2e [ARG...] runs tests/e2e/bench.py with these arguments instead; JSON in BUILD/bench-e2e.json.

A benchmark program prints one JSON object per figure: {"name", "value", "unit"} and, where there is one
to compare with, "raw" (the same work without Plimsoll, in the same unit) and "note". None of them is a
pass mark.
"""
import json
import os
import pathlib
import subprocess
import sys


def benchmarks(build):
    out = subprocess.run(["meson", "introspect", build, "--benchmarks"], check=True,
                         capture_output=True, text=True)
    return json.loads(out.stdout)


def figures(entry):
    done = subprocess.run(entry["cmd"], check=True, stdout=subprocess.PIPE, text=True,
                          env={**entry["env"]} or None)
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def first_of(path, key):
    """The value of the first line "key : value" of a file of /proc."""
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return "unknown"


def file_system(folder):
    """Type of the file system that holds 'folder': the longest mount point above it."""
    best = ("", "unknown")
    for line in pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        _, point, kind, *_ = line.split()
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best[0]):
            best = (point, kind)
    return best[1]


def machine(build):
    commands = (pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8")
    compiler = json.loads(commands)[0]["command"].split()[0]
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True,
                             text=True).stdout.splitlines()[0]
    system = os.uname()
    return {
        "cpu": f"{os.cpu_count()} x {first_of('/proc/cpuinfo', 'model name')}",
        "memory": first_of("/proc/meminfo", "MemTotal"),
        "system": f"{system.sysname} {system.release} {system.machine}",
        "file system": file_system(os.path.realpath(build)),
        "compiler": version,
        "load": "%.2f %.2f %.2f before the run" % os.getloadavg(),
    }


def short(value):
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}"


def row(figure):
    raw = figure.get("raw")
    beside = f"{short(raw)} ({figure['value'] / raw:.2f})" if raw else ""
    return (figure["name"], f"{short(figure['value'])} {figure['unit']}", beside,
            figure.get("note", ""))


def chosen(build, names):
    """The programs to run: those of the names, or the one that starts real servers."""
    if names[:1] == ["--e2e"]:
        bench = pathlib.Path(__file__).resolve().parents[1] / "e2e" / "bench.py"
        return [{"name": "e2e", "env": {},
                 "cmd": [sys.executable, str(bench), f"{build}/plimsoll", *names[1:]]}]
    return [entry for entry in benchmarks(build)
            if not names or any(name in entry["name"] for name in names)]


def main(build, names):
    found = []
    where = machine(build)
    for entry in chosen(build, names):
        print(f"{entry['name']} …", file=sys.stderr)
        found += figures(entry)
    rows = [("figure", "value", "raw (ratio)", "note")] + [row(figure) for figure in found]
    for name, value in where.items():
        print(f"{name + ':':12} {value}")
    print()
    widths = [max(len(line[i]) for line in rows) for i in range(4)]
    for line in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    path = pathlib.Path(build) / ("bench-e2e.json" if names[:1] == ["--e2e"] else "bench.json")
    path.write_text(json.dumps({"machine": where, "figures": found}, indent=1) + "\n", encoding="utf-8")
    print(f"{path}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
