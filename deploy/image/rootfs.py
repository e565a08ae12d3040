#!/usr/bin/env python3
"""
The root file system of the image, from a build on Debian: rootfs.py PLIMSOLL FOLDER [--strip].

It holds the program, the shared libraries that it needs and nothing else of their packages but the copyright, the
certificates of authorities, an account 65532, and a list of what is in it (SPDX). No shell, no package manager, nothing that
is set-uid. Only /tmp and /var/lib/plimsoll are meant to be written.

The same build gives the same bytes: times are SOURCE_DATE_EPOCH, 0 where that is not set.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import sbom  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
USER = 65532
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
SBOM = "usr/share/plimsoll/sbom.spdx.json"
TEXTS = {
    "etc/passwd": f"root:x:0:0:root:/:/nonexistent\nplimsoll:x:{USER}:{USER}:plimsoll:/var/lib/plimsoll:/nonexistent\n",
    "etc/group": f"root:x:0:\nplimsoll:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
FOLDERS = {"tmp": 0o1777, "var/lib/plimsoll": 0o700, "proc": 0o755, "sys": 0o755, "dev": 0o755, "etc": 0o755, "run": 0o755}
LINKS = {"lib": "usr/lib", "lib64": "usr/lib64", "var/run": "../run", "usr/lib/ssl/certs": "../../../etc/ssl/certs"}


def closure(program):
    """Where each shared library is found, the loader among them: as the loader itself says."""
    text = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    if "not found" in text:
        sys.exit(f"rootfs.py: {program} lacks libraries:\n{text}")
    return sorted(set(re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", text, re.MULTILINE)))


def inside(path):
    """Of a library's name as the loader looks for it: its place below usr, whatever links lead there."""
    folder = os.path.realpath(os.path.dirname(path))
    return pathlib.Path(folder, os.path.basename(path)).relative_to("/")


def put(folder, place, source, mode, strip=False):
    target = folder / place
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(os.path.realpath(source), target)
    if strip:
        subprocess.run(["strip", "--strip-unneeded", target], check=True)
    target.chmod(mode)


def write(folder, place, text):
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_text(text, encoding="utf-8")


def fill(folder, program, strip):
    """place -> package of the libraries"""
    for place, mode in FOLDERS.items():
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place).chmod(mode)
    for place, target in LINKS.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).symlink_to(target)
    for place, text in TEXTS.items():
        write(folder, place, text)
    put(folder, "usr/bin/plimsoll", program, 0o755, strip)
    put(folder, AUTHORITIES.lstrip("/"), AUTHORITIES, 0o644)
    put(folder, "usr/share/doc/plimsoll/copyright", ROOT / "LICENSE", 0o644)
    libraries = closure(program)
    found = sbom.owners(libraries)
    owners = {}
    for library in libraries:
        put(folder, inside(library), library, 0o755)
        owners[str(inside(library))] = found[library]
    for package in sorted({*owners.values(), "ca-certificates"}):
        name = package.partition(":")[0]
        put(folder, f"usr/share/doc/{name}/copyright", f"/usr/share/doc/{name}/copyright", 0o644)
    # Which those copyright files refer to.
    for path in pathlib.Path("/usr/share/common-licenses").iterdir():
        put(folder, f"usr/share/common-licenses/{path.name}", path, 0o644)
    return owners


def settle(folder):
    """Times and owners, as far as whoever runs this may set them."""
    when = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    for path in [folder, *folder.rglob("*")]:
        if os.geteuid() == 0:
            own = USER if path == folder / "var/lib/plimsoll" else 0
            os.chown(path, own, own, follow_symlinks=False)
        os.utime(path, (when, when), follow_symlinks=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--strip", action="store_true", help="without symbols")
    arguments = parser.parse_args()
    if arguments.folder.exists() and any(arguments.folder.iterdir()):
        sys.exit(f"rootfs.py: {arguments.folder} is not empty")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    owners = fill(arguments.folder, arguments.program, arguments.strip)
    write(arguments.folder, SBOM, sbom.document(arguments.program, arguments.folder, owners))
    settle(arguments.folder)


if __name__ == "__main__":
    main()
