"""Keep the console sessions of a document true.

In a block ```console a line "$ COMMAND" is run by bash and the lines up to the next "$ " are exactly what
it prints (stdout and stderr together). Commands run where `plimsoll` is the given binary and examples/ is
the project's.

console.py BINARY DOCUMENT            compare; TAP, one test per command
console.py --update BINARY DOCUMENT   rewrite the document
console.py --demo BINARY DOCUMENT     run in build/demo and show, leaving what it made
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def sessions(block):
    """(command, expected output) of a block; a command goes on after a backslash."""
    found = []
    lines = block.splitlines()
    while lines:
        line = lines.pop(0)
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\") and lines:
                command += "\n" + lines.pop(0)
            found.append((command, []))
        elif found:
            found[-1][1].append(line)
    return [(command, "".join(line + "\n" for line in output)) for command, output in found]


class Place:
    """A folder in which commands run, with the project's examples and a plimsoll on the path."""

    def __init__(self, binary, document, folder):
        self.folder = pathlib.Path(folder)
        tools = self.folder / "bin"
        tools.mkdir(parents=True, exist_ok=True)
        (tools / "plimsoll").unlink(missing_ok=True)
        (tools / "plimsoll").symlink_to(pathlib.Path(binary).resolve())
        self.env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "NO_COLOR": "1",
                    "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
        if self.folder.resolve() != document.resolve().parent:
            (self.folder / "examples").symlink_to(document.resolve().parent / "examples")

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
        return done.stdout


def compare(binary, document):
    all_sessions = [one for block in BLOCK.findall(document.read_text(encoding="utf-8"))
                    for one in sessions(block)]
    print(f"1..{len(all_sessions)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        place = Place(binary, document, folder)
        for number, (command, want) in enumerate(all_sessions, 1):
            have = place.run(command)
            failed += have != want
            print(f"{'ok' if have == want else 'not ok'} {number} - {command.splitlines()[0]}")
            if have != want:
                print("".join(f"# want {line}\n" for line in want.splitlines())
                      + "".join(f"# have {line}\n" for line in have.splitlines()), end="")
    return 1 if failed else 0


def update(binary, document):
    with tempfile.TemporaryDirectory() as folder:
        place = Place(binary, document, folder)

        def rewrite(match):
            return "```console\n" + "".join(
                f"$ {command}\n{place.run(command)}" for command, _ in sessions(match[1])) + "```"

        document.write_text(BLOCK.sub(rewrite, document.read_text(encoding="utf-8")),
                            encoding="utf-8")
    return 0


def demo(binary, document):
    shutil.rmtree("build/demo", ignore_errors=True)
    os.makedirs("build/demo/bin")
    place = Place(binary, document, pathlib.Path("build/demo").resolve())
    other = 0
    for block in BLOCK.findall(document.read_text(encoding="utf-8")):
        for command, want in sessions(block):
            have = place.run(command)
            other += have != want
            print(f"$ {command}\n{have}", flush=True)
    if other:
        print(f"{other} commands print something else than {document} shows", file=sys.stderr)
    return 1 if other else 0


def main(args):
    mode = compare
    if args[0] == "--update":
        mode, args = update, args[1:]
    elif args[0] == "--demo":
        mode, args = demo, args[1:]
    return mode(args[0], pathlib.Path(args[1]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
