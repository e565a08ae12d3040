"""Which files the lints look at, and C text without what is not code."""
import os
import pathlib
import re
import subprocess

# The lints' own bad examples, and build output.
SKIP = ("tests/lint/fixtures/", "build")
FOLDERS = ("src", "store", "reducers", "adapters", "tools", "tests")


def root():
    return pathlib.Path(os.environ.get("PLM_LINT_ROOT") or pathlib.Path(__file__).parents[2])


def files(*suffixes):
    """Paths relative to the root, sorted: what git knows, else what lies there."""
    base = root()
    if not os.environ.get("PLM_LINT_ROOT") and (base / ".git").exists():
        out = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=base, check=True, capture_output=True, text=True)
        listed = out.stdout.splitlines()
    else:
        listed = [str(path.relative_to(base)) for path in base.rglob("*") if path.is_file()]
    return sorted(
        name for name in listed
        if name.endswith(suffixes) and not name.startswith(SKIP) and (base / name).is_file())


def c_files():
    return [name for name in files(".c", ".h") if name.split("/")[0] in FOLDERS]


def read(name):
    return (root() / name).read_text(encoding="utf-8")


STRIP = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def code(text, strings=False):
    """'text' with comments and literals blanked out; lines keep their numbers."""

    def blank(match):
        found = match.group(0)
        if found[0] in "\"'":
            return found if strings else found[0] * 2
        return "\n" * found.count("\n")

    return STRIP.sub(blank, text)


def numbered(text):
    return enumerate(text.split("\n"), 1)
