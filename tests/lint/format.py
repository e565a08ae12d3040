"""clang-format over every C file of the tree; --fix rewrites."""
import subprocess
import sys

from sources import c_files, root

FORMATTER = "clang-format-19"


def main(fix):
    mode = ["-i"] if fix else ["--dry-run", "--Werror"]
    files = [str(root() / name) for name in c_files()]
    done = subprocess.run([FORMATTER, *mode, *files], check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main("--fix" in sys.argv[1:]))
