"""The daemon as a process: `plimsoll run` on the embedded cluster and cloud, in wall time.

test_run.py PLIMSOLL CHECK_LOG: prints TAP, one line per test. PLM_SEED repeats the times of the kills.
"""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PLIMSOLL, CHECK_LOG = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
BUSY = os.path.join(HERE, "data", "busy.yaml")
GANG = os.path.join(HERE, "data", "gang.yaml")
MANY = os.path.join(HERE, "data", "many.yaml")
SEED = int(os.environ.get("PLM_SEED", "1"))
KILLS = 6 if os.environ.get("PLM_SHORT") else 20
SLOW = 5 if os.environ.get("PLM_SHORT") else 1
NOTES = tempfile.mkdtemp(prefix="plm-run-")
KEYS = ("level", "time", "logger", "message", "commit")


class Daemon:
    """One run; its lines are kept in order in .lines."""

    all = []

    def __init__(self, folder, *flags, limit=None, scenario=BUSY):
        def bound():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        # Opened twice: a shared descriptor would share its place in the file with the process.
        self.notes = tempfile.mkdtemp(prefix="plm-run-notes-", dir=NOTES)
        command = [PLIMSOLL, "run", "--cloud", "sim", "--data-dir", folder, "--no-ballast",
                   "--profile", "small", "--allow-any-filesystem"]
        if scenario:
            command += ["--scenario", scenario]
        with open(self.path("out"), "w", encoding="utf-8") as out, \
                open(self.path("err"), "w", encoding="utf-8") as err:
            self.process = subprocess.Popen(command + list(flags), stdout=out, stderr=err,
                                            preexec_fn=bound)
        Daemon.all.append(self)

    def path(self, name):
        return os.path.join(self.notes, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def lines(self):
        text = self.read("out")
        whole = text[:text.rfind("\n") + 1]
        rows = [json.loads(line) for line in whole.splitlines()]
        for row in rows:
            for key in KEYS:
                assert key in row, f"no {key} in {row}"
        return rows

    def messages(self):
        return [row["message"] for row in self.lines()]

    def wait_for(self, message, count=1, seconds=30):
        end = time.monotonic() + seconds * SLOW
        while self.messages().count(message) < count:
            assert time.monotonic() < end, f"no {message!r} in {seconds} s: {self.tail()}"
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.tail()}"
            time.sleep(0.01)

    def tail(self):
        rows = [f"{row['message']} {row.get('error', '')}" for row in self.lines()[-8:]]
        return rows + [self.errors()]

    def signal(self, number):
        self.process.send_signal(number)

    def end(self, seconds=40):
        return self.process.wait(seconds * SLOW)

    def errors(self):
        return self.read("err")


def check_log(folder):
    done = subprocess.run([CHECK_LOG, folder], capture_output=True, text=True, check=False)
    assert done.stdout, (done.returncode, done.stderr)
    report = json.loads(done.stdout)
    assert done.returncode == 0, report
    assert report["diverged"] == 0, report
    return report


def stop(daemon):
    daemon.signal(signal.SIGTERM)
    code = daemon.end()
    assert code == 0, f"exit {code}: {daemon.tail()}"
    assert daemon.messages()[-1] == "ended", daemon.tail()
    return daemon.lines()


def no_broken_invariant(daemon):
    broken = [row for row in daemon.lines() if row["message"] == "an invariant is broken"]
    assert not broken, broken


def sigterm_finishes_what_is_in_flight(folder):
    daemon = Daemon(folder, "--log-level", "debug")
    daemon.wait_for("carrying out", 3)
    lines = stop(daemon)
    sent = {row["intent"] for row in lines if row["message"] == "carrying out"}
    back = {row["intent"] for row in lines if row["message"] in ("carried out", "not carried out")}
    assert sent == back, (sent, back)
    no_broken_invariant(daemon)
    report = check_log(folder)
    assert report["decisions"] > 0, report


def all_work_gets_done(folder):
    daemon = Daemon(folder, "--log-level", "debug")
    daemon.wait_for("carried out", 46, 60)
    stop(daemon)
    no_broken_invariant(daemon)
    calls = {row["call"] for row in daemon.lines() if row["message"] == "carrying out"}
    assert {"job.start", "instance.launch"} <= calls, calls
    check_log(folder)


def a_restart_goes_on(folder):
    first = Daemon(folder)
    first.wait_for("carrying out", 5)
    stop(first)
    second = Daemon(folder)
    second.wait_for("started")
    started = second.lines()[0]
    assert started["epoch"] == 2, started
    assert started["resumed-objects"] >= 5, started
    second.wait_for("carrying out", 5)
    stop(second)
    no_broken_invariant(second)
    started = {row["name"] for row in first.lines() if row.get("call") == "job.start"}
    again = {row["name"] for row in second.lines()
             if row.get("call") == "job.start" and not row["resent"]}
    assert not started & again, started & again
    check_log(folder)


def finished(folder, kind):
    """How many objects of 'kind' there are in the log, and how many of them are complete."""
    done = subprocess.run([PLIMSOLL, "get", kind, "-L", folder, "-o", "json"],
                          capture_output=True, text=True, check=False)
    if done.returncode == 3:
        return 0, 0
    assert done.returncode == 0, (done.returncode, done.stderr)
    items = json.loads(done.stdout)["items"]
    return len(items), sum(item.get("end") == "Complete" for item in items)


def kill_again_and_again(folder, scenario, kind, count):
    """Each life is short; the last one finishes all the work that was submitted in any of them."""
    draw = random.Random(SEED)
    flags = ("--snapshot-events", "100")
    print(f"# PLM_SEED={SEED}")
    for _ in range(KILLS):
        daemon = Daemon(folder, *flags, scenario=scenario)
        time.sleep(draw.uniform(0.0, 0.6) * SLOW)
        daemon.signal(signal.SIGKILL)
        code = daemon.end()
        assert code == -signal.SIGKILL, f"exit {code}: {daemon.tail()}"
        no_broken_invariant(daemon)
    daemon = Daemon(folder, *flags, scenario=scenario)
    daemon.wait_for("started")
    end = time.monotonic() + 120 * SLOW
    while finished(folder, kind) != (count, count):
        assert time.monotonic() < end, f"{finished(folder, kind)} of {count} done"
        time.sleep(0.5)
    last = daemon.lines()[0]["seq"]
    stop(daemon)
    no_broken_invariant(daemon)
    report = check_log(folder)
    assert report["last"] >= last > 0, report
    done = subprocess.run([PLIMSOLL, "replay", "-L", folder, "-o", "json"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["diverged"] is None, done
    done = subprocess.run([PLIMSOLL, "log", "verify", "-L", folder], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done


def jobs_survive_kills_at_any_time(folder):
    kill_again_and_again(folder, BUSY, "jobs", 40)


def gangs_survive_kills_and_faults(folder):
    kill_again_and_again(folder, GANG, "podsets", 12)


def snapshots_are_written_and_lead_to_the_same_state(folder):
    daemon = Daemon(folder, "--snapshot-events", "1", "--log-level", "debug", scenario=MANY)
    daemon.wait_for("wrote snapshot", 1, 60)
    stop(daemon)
    assert check_log(folder)["snapshots"] > 0


def a_second_process_is_refused(folder):
    first = Daemon(folder)
    first.wait_for("started")
    second = Daemon(folder)
    assert second.end() == 8, second.tail()
    assert "another process" in second.errors(), second.errors()
    assert first.process.poll() is None
    first.wait_for("carrying out", 3)
    stop(first)
    check_log(folder)


def a_log_of_another_cluster_is_refused(folder):
    first = Daemon(folder)
    first.wait_for("started")
    stop(first)
    second = Daemon(folder, "--cluster-name", "another")
    assert second.end() == 8, second.tail()
    check_log(folder)


def a_file_that_may_not_grow_ends_it_and_nothing_is_lost(folder):
    first = Daemon(folder, limit=5 << 20, scenario=MANY)
    code = first.end(120)
    assert code == 75, f"exit {code}: {first.tail()}"
    assert "engine ended" in first.messages(), first.tail()
    second = Daemon(folder, scenario=MANY)
    second.wait_for("started")
    stop(second)
    no_broken_invariant(second)
    check_log(folder)


def damage_is_exit_5(folder):
    first = Daemon(folder)
    first.wait_for("carrying out", 3)
    stop(first)
    path = os.path.join(folder, "data.mdb")
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xa5" * (size - 2 * 4096))
    second = Daemon(folder)
    assert second.end() == 5, second.tail()


def observe_changes_nothing(folder):
    daemon = Daemon(folder, "--mode", "observe")
    daemon.wait_for("decided, not carried out in this mode", 3)
    stop(daemon)
    assert "carrying out" not in daemon.messages()
    check_log(folder)


def one_area_is_enforced(folder):
    daemon = Daemon(folder, "--enforce", "queues")
    daemon.wait_for("carrying out", 2)
    stop(daemon)
    calls = {row["call"] for row in daemon.lines() if row["message"] == "carrying out"}
    assert calls <= {"job.start", "job.stop", "pod.create", "pod.delete", "pod.evict"}, calls


def get(port, path, method="GET"):
    """Status and text of a page."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read().decode()


def pages_say_how_it_is(folder):
    daemon = Daemon(folder, "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0")
    daemon.wait_for("carrying out", 5)
    started = daemon.lines()[0]
    port, health = started["port"], started["health-port"]
    for path in ("/healthz", "/livez", "/readyz"):
        assert get(health, path) == (200, "ok\n"), path
    assert get(health, "/metrics")[0] == 404
    assert get(port, "/metrics", "POST")[0] == 405
    status, version = get(port, "/version")
    assert status == 200 and json.loads(version)["version"], version
    status, text = get(port, "/metrics")
    rows = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert status == 200 and int(rows["plimsoll_log_head_seq"]) > 5, text
    assert int(rows["plimsoll_effects_sent_total"]) >= 5, text
    assert rows['plimsoll_mode{area="queues"}'] == "1", text
    kinds = dict(line.split(" ")[2:4] for line in text.splitlines() if line.startswith("# TYPE"))
    for row in rows:
        name = row.split("{")[0]
        assert name in kinds or name.rsplit("_", 1)[0] in kinds, name
    stop(daemon)


def the_ballast_lies_beside_the_log(folder):
    daemon = Daemon(folder, "--no-ballast=false")
    daemon.wait_for("started")
    stop(daemon)
    assert os.path.getsize(os.path.join(folder, "ballast")) == 256 << 20


def wrong_settings_are_exit_78(folder):
    rows = (
        (["--seed", "x"], "seed: "),
        (["--mode", "half"], "mode: "),
        (["--cloud", "none"], "kubeconfig: "),
        (["--cloud", "ec2"], "kubeconfig: "),
        (["--kubeconfig", "in-cluster"], "kubeconfig: "),
        (["--cloud", "none", "--kubeconfig", "in-cluster"], "scenario: "),
        (["--mode", "observe", "--enforce", "nodes"], "enforce: "),
        (["--listen", "localhost"], "listen: "),
        (["--health-listen", "127.0.0.1:99999"], "health-listen: "),
        (["--listen", "[::1:80"], "listen: "),
        (["--listen", "192.0.2.1:80"], "listen: "),
        (["--bogus"], "--bogus: "),
        (["--config", "/nowhere"], "config: "),
        (["--data-dir", "/nowhere/at/all"], "data-dir: "),
    )
    for flags, begins in rows:
        daemon = Daemon(folder, *flags)
        assert daemon.end() == 78, (flags, daemon.tail())
        assert daemon.errors().startswith("plimsoll run: " + begins), daemon.errors()
        daemon.lines()
    rows = (
        (["--cloud", "none", "--kubeconfig", "/nowhere", "--enforce", "nodes"], "enforce: "),
        (["--cloud", "none", "--kubeconfig", "/nowhere"], "kubeconfig: "),
        (["--cloud", "none", "--kubeconfig", "/nowhere", "-f", GANG], "filename: " + GANG),
    )
    for flags, begins in rows:
        daemon = Daemon(folder, *flags, scenario=None)
        assert daemon.end() == 78, (flags, daemon.tail())
        assert daemon.errors().startswith("plimsoll run: " + begins), daemon.errors()
    done = subprocess.run([PLIMSOLL, "run"], capture_output=True, text=True, check=False)
    assert done.returncode == 78 and "data-dir" in done.stderr, done


def sigterm_before_the_api_server_answers_is_an_orderly_end(folder):
    path = os.path.join(folder, "kubeconfig")
    with open(path, "w", encoding="utf-8") as file:
        file.write("clusters: [{name: k, cluster: {server: 'http://127.0.0.1:1'}}]\n"
                   "users: [{name: u, user: {}}]\ncurrent-context: k\n"
                   "contexts: [{name: k, context: {cluster: k, user: u}}]\n")
    daemon = Daemon(os.path.join(folder, "data"), "--cloud", "none", "--kubeconfig", path,
                    scenario=None)
    daemon.wait_for("the API server does not answer")
    assert not daemon.messages().count("started"), daemon.tail()
    stop(daemon)
    assert daemon.errors() == "", daemon.errors()


def bad_manifests_are_exit_2(folder):
    path = os.path.join(folder, "bad.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("kind: Job\napiVersion: batch/v1\nmetadata: {name: [a]}\n")
    daemon = Daemon(os.path.join(folder, "data"), "-f", path, scenario=None)
    assert daemon.end() == 2, daemon.tail()
    assert "bad.yaml:3" in daemon.errors(), daemon.errors()


TESTS = (
    sigterm_finishes_what_is_in_flight,
    all_work_gets_done,
    a_restart_goes_on,
    jobs_survive_kills_at_any_time,
    gangs_survive_kills_and_faults,
    snapshots_are_written_and_lead_to_the_same_state,
    a_second_process_is_refused,
    a_log_of_another_cluster_is_refused,
    a_file_that_may_not_grow_ends_it_and_nothing_is_lost,
    damage_is_exit_5,
    observe_changes_nothing,
    one_area_is_enforced,
    pages_say_how_it_is,
    the_ballast_lies_beside_the_log,
    wrong_settings_are_exit_78,
    bad_manifests_are_exit_2,
    sigterm_before_the_api_server_answers_is_an_orderly_end,
)


def main():
    failed = 0
    only = sys.argv[3:]
    tests = [test for test in TESTS if not only or test.__name__ in only]
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        folder = tempfile.mkdtemp(prefix="plm-run-")
        try:
            test(folder)
            print(f"ok {number} - {test.__name__}", flush=True)
        except Exception as problem:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {number} - {test.__name__}\n# {type(problem).__name__}: {problem}",
                  flush=True)
        finally:
            for daemon in Daemon.all:
                if daemon.process.poll() is None:
                    daemon.signal(signal.SIGKILL)
                    daemon.end()
            Daemon.all.clear()
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


try:
    sys.exit(main())
finally:
    shutil.rmtree(NOTES, ignore_errors=True)
