"""Write the man pages, the completion scripts and kubectl's links, all from the program itself.

install_pages.py BINARY PREFIX: below PREFIX, as `meson install` does it.
"""
import os
import pathlib
import re
import subprocess
import sys


def ask(binary, *words):
    done = subprocess.run([binary, *words], check=True, capture_output=True, text=True, timeout=60)
    return done.stdout


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def main(binary, prefix):
    share = pathlib.Path(prefix) / "share"
    verbs = re.findall(r"^## (?!Exit codes)(.+)$", ask(binary, "help", "--markdown"), re.MULTILINE)
    write(share / "man/man1/plimsoll.1", ask(binary, "help", "--man"))
    for verb in verbs:
        page = "plimsoll-" + verb.replace(" ", "-") + ".1"
        write(share / "man/man1" / page, ask(binary, "help", *verb.split(), "--man"))
    write(share / "bash-completion/completions/plimsoll", ask(binary, "completion", "bash"))
    write(share / "zsh/site-functions/_plimsoll", ask(binary, "completion", "zsh"))
    write(share / "fish/vendor_completions.d/plimsoll.fish", ask(binary, "completion", "fish"))
    for name in ("kubectl-plimsoll", "kubectl_complete-plimsoll"):
        link(pathlib.Path(prefix) / "bin" / name, "plimsoll")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else os.environ["MESON_INSTALL_DESTDIR_PREFIX"])
