"""`plimsoll run` as a process against the cluster, as a service account that the generated RBAC limits."""
import json
import os
import pathlib
import signal
import subprocess
import urllib.error
import urllib.request

from cluster import free_ports, memory
from kube import until

USER = "plimsoll"  # the service account
SLOW = float(os.environ.get("PLM_E2E_SLOW", "1"))


class Daemon:
    """One data folder and the processes that run on it, one after another."""

    reach = "127.0.0.1"  # where it listens; "0.0.0.0": for more than this machine, so that tokens are needed

    def __init__(self, plimsoll, folder, kubeconfig, *flags, cloud="none", env=None):
        self.plimsoll, self.kubeconfig, self.flags = plimsoll, kubeconfig, flags
        self.cloud, self.env = cloud, env
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.data = self.folder / "data"
        self.process = None
        self.starts = 0

    def start(self, *flags, ready=True):
        """A process; returns when it says that it is ready."""
        port = free_ports(2)
        self.listen, self.health = f"127.0.0.1:{port}", f"127.0.0.1:{port + 1}"
        self.starts += 1
        mode = () if {"--mode", "--enforce"} & set(self.flags) else ("--mode", "enforce")
        command = [self.plimsoll, "run", "--cloud", self.cloud, *mode, "--data-dir", self.data,
                   "--kubeconfig", self.kubeconfig, "--no-ballast", "--allow-any-filesystem",
                   "--listen", f"{self.reach}:{port}", "--health-listen", self.health, *self.flags, *flags]
        with open(self.folder / f"out.{self.starts}", "wb") as out, \
                open(self.folder / f"err.{self.starts}", "wb") as err:
            self.process = subprocess.Popen(list(map(str, command)), stdout=out, stderr=err, env=self.env,
                                            preexec_fn=die_with_parent)
        if ready:
            until("the daemon is ready", self.ready, 60 * SLOW)
        return self

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def ready(self):
        if not self.alive():
            raise AssertionError(f"the daemon ended with {self.process.returncode}: {self.tail()}")
        code, _ = self.http(self.health, "/readyz")
        return code == 200

    def http(self, address, path):
        """(code, text); code 0 where nobody listens."""
        try:
            with urllib.request.urlopen(f"http://{address}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")
        except OSError:
            return 0, ""

    def metrics(self):
        """{"name{labels}": value}"""
        _, text = self.http(self.listen, "/metrics")
        rows = (line.rpartition(" ") for line in text.splitlines() if line and line[0] != "#")
        return {name: float(value) for name, _, value in rows}

    def kill(self):
        if self.alive():
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(20)

    def wait_dead(self, seconds=30):
        return self.process.wait(seconds * SLOW)

    def stop(self):
        """SIGTERM, which must end it with 0."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(40 * SLOW)
        assert code == 0, f"exit {code} on SIGTERM: {self.tail()}"

    def lines(self):
        """What all processes printed, in order."""
        rows = []
        for number in range(1, self.starts + 1):
            for line in (self.folder / f"out.{number}").read_text(encoding="utf-8").splitlines():
                if line.startswith("{") and line.endswith("}"):
                    rows.append(json.loads(line))
        return rows

    def tail(self, count=12):
        rows = [json.dumps(row)[:400] for row in self.lines()[-count:]]
        error = (self.folder / f"err.{self.starts}").read_text(encoding="utf-8") if self.starts else ""
        return "\n".join(rows + [error[-1500:]])

    def cli(self, *words, want=0):
        """A verb on the log (-L is added), stdout."""
        done = subprocess.run([self.plimsoll, *map(str, words), "-L", self.data], text=True,
                              capture_output=True, check=False, timeout=300)
        if done.returncode != want:
            raise AssertionError(f"plimsoll {' '.join(map(str, words))}: exit {done.returncode}\n"
                                 f"{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
        return done.stdout

    def replay(self):
        """The log decides again what it decided: exit 0. The daemon must be down."""
        return self.cli("replay")

    def memory(self):
        return memory(self.pid)


def die_with_parent():
    """PR_SET_PDEATHSIG: no daemon outlives a suite that was killed."""
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
