"""Run the benchmarks of a build: run.py BUILD [NAME...]; a table on stdout, JSON in BUILD/bench.json.

A benchmark program prints one JSON object per figure: {"name", "value", "unit"} and, where there is one
to compare with, "raw" (the same work without Plimsoll, in the same unit) and "note". None of them is a
pass mark.
"""
import json
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


def short(value):
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}"


def row(figure):
    raw = figure.get("raw")
    beside = f"{short(raw)} ({figure['value'] / raw:.2f})" if raw else ""
    return (figure["name"], f"{short(figure['value'])} {figure['unit']}", beside,
            figure.get("note", ""))


def main(build, names):
    found = []
    for entry in benchmarks(build):
        if not names or any(name in entry["name"] for name in names):
            print(f"{entry['name']} …", file=sys.stderr)
            found += figures(entry)
    rows = [("figure", "value", "raw (ratio)", "note")] + [row(figure) for figure in found]
    widths = [max(len(line[i]) for line in rows) for i in range(4)]
    for line in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    path = pathlib.Path(build) / "bench.json"
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{path}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
