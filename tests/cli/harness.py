"""Run verbs and say what happened, as TAP. A test is a function test_*(run, folder) in its module."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback


class Runner:
    """Calls the binary with a clean environment, in a folder of its own."""

    def __init__(self, binary, forge, source):
        self.binary = pathlib.Path(binary).resolve()
        self.forge_path = pathlib.Path(forge).resolve()
        self.source = pathlib.Path(source).resolve()  # tests/cli
        self.logs = {}
        self.shared = None

    def env(self, **more):
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LC_ALL", "TMPDIR")
                or k.startswith(("ASAN", "UBSAN", "LSAN"))}
        return {**kept, "TERM": "xterm", **more}

    def __call__(self, *words, want=0, stdin=None, cwd=None, env=None, binary=None):
        """stdout of the verb; fails unless it ends with `want`."""
        done = subprocess.run([str(binary or self.binary), *map(str, words)], input=stdin,
                              cwd=cwd or self.source, env=env or self.env(), text=True,
                              capture_output=True, timeout=120, check=False)
        self.err = done.stderr
        if done.returncode != want:
            raise AssertionError(f"{' '.join(map(str, words))}: exit {done.returncode}, not {want}\n"
                                 f"{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
        return done.stdout

    def forge(self, *words):
        subprocess.run([self.forge_path, *map(str, words)], check=True, timeout=120)

    def log(self, name):
        """A log folder that tests only read, made once: "queues" by decide, "sim" by sim."""
        if name not in self.logs:
            folder = self.shared / name
            if name == "queues":
                self("decide", "-f", "queues.yaml", "-L", folder)
            else:
                self("sim", "scenario.yaml", "-L", folder)
            self.logs[name] = folder
        return self.logs[name]

    def copy(self, name, folder):
        shutil.copytree(self.log(name), folder / "copy")
        return folder / "copy"


def main(module, argv):
    run = Runner(*argv[1:4])
    tests = [(name, one) for name, one in vars(module).items() if name.startswith("test_")]
    only = argv[4:]
    if only:
        tests = [(name, one) for name, one in tests if any(part in name for part in only)]
    failed = 0
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory(prefix="cli-") as shared:
        run.shared = pathlib.Path(shared)
        for number, (name, test) in enumerate(tests, 1):
            folder = run.shared / f"test-{number}"
            folder.mkdir()
            try:
                test(run, folder)
                print(f"ok {number} - {name[5:]}")
            except Exception:  # one test's failure is told and does not end the others
                failed += 1
                print(f"not ok {number} - {name[5:]}")
                for line in traceback.format_exc().splitlines():
                    print(f"# {line}")
            sys.stdout.flush()
    return 1 if failed else 0
