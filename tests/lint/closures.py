"""A closure library does not link when its layer calls what it may not use, and links when it may."""
import pathlib
import subprocess
import sys
import tempfile

CORE = "int plm_core_one(void) { return 1; }"
STORE = "int plm_core_one(void); int plm_store_two(void) { return plm_core_one() + 1; }"
GOOD = "int plm_core_one(void); int plm_reduce(void) { return plm_core_one(); }"
BAD = "int plm_store_two(void); int plm_reduce(void) { return plm_store_two(); }"


def library(folder, name, text):
    source = folder / f"{name}.c"
    source.write_text(text + "\n", encoding="utf-8")
    subprocess.run(["gcc", "-fPIC", "-c", source, "-o", folder / f"{name}.o"], check=True)
    subprocess.run(["ar", "rcs", folder / f"lib{name}.a", folder / f"{name}.o"], check=True)
    return folder / f"lib{name}.a"


def closes(folder, layer, *uses):
    done = subprocess.run(
        ["gcc", "-shared", "-Wl,--no-undefined", "-Wl,--whole-archive", layer, "-Wl,--no-whole-archive",
         *uses, "-o", folder / "closure.so"], capture_output=True, check=False)
    return done.returncode == 0


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        core = library(folder, "core", CORE)
        library(folder, "store", STORE)
        good = library(folder, "good", GOOD)
        bad = library(folder, "bad", BAD)
        assert closes(folder, good, core), "an allowed edge must link"
        assert not closes(folder, bad, core), "a forbidden edge must not link"


if __name__ == "__main__":
    sys.exit(main())
