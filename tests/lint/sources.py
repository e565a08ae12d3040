"""Which files the lints look at."""
import os
import pathlib
import subprocess

# The lints' own bad examples, and build output.
SKIP = ("tests/lint/fixtures/", "build")
FOLDERS = ("src", "store", "reducers", "adapters", "tools", "tests")


def root():
    return pathlib.Path(os.environ.get("PLM_LINT_ROOT") or pathlib.Path(__file__).parents[2])


def files(*suffixes):
    """Paths relative to the root, sorted: what git knows, else what lies there."""
    base = root()
    listed = []
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
