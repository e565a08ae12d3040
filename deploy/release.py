#!/usr/bin/env python3
"""
What a release hands out besides the image: release.py --helm HELM --kubectl KUBECTL FOLDER

plimsoll.yaml (overlays/observe) and plimsoll-crds.yaml for `kubectl apply --server-side -f`, both charts as packages.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CHARTS = ("plimsoll", "plimsoll-crds")


def versions():
    """Of the program and of both charts: (where, version)."""
    build = (HERE.parent / "meson.build").read_text(encoding="utf-8")
    yield "meson.build", re.search(r"^  version: '([^']*)'", build, re.MULTILINE)[1]
    for chart in CHARTS:
        text = (HERE / "charts" / chart / "Chart.yaml").read_text(encoding="utf-8")
        for key in ("version", "appVersion"):
            yield f"{chart}/Chart.yaml {key}", re.search(rf'^{key}: "?([^"\n]*)', text, re.MULTILINE)[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--helm", default="helm")
    parser.add_argument("--kubectl", default="kubectl")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    found = dict(versions())
    if len(set(found.values())) != 1:
        sys.exit(f"release.py: versions differ: {found}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    crds = [path.read_text(encoding="utf-8") for path in sorted((HERE / "crds").glob("*.yaml"))]
    (arguments.folder / "plimsoll-crds.yaml").write_text("---\n".join(crds), encoding="utf-8")
    made = subprocess.run([arguments.kubectl, "kustomize", HERE / "kustomize" / "overlays" / "observe"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    (arguments.folder / "plimsoll.yaml").write_text(made, encoding="utf-8")
    for chart in CHARTS:
        subprocess.run([arguments.helm, "package", HERE / "charts" / chart, "-d", arguments.folder], check=True,
                       stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
