"""Every exit code that a verb can end with so far (CLI.md), and the words that come with it."""
import os
import re
import signal
import subprocess
import sys
import time

import harness


def test_0_done(run, folder):
    run("version")
    run("decide", "-f", "queues.yaml")
    run("log", "verify", "-L", run.log("queues"))


def test_1_a_difference(run, folder):
    log = run.log("queues")
    run("diff", "-L", log, "START", "HEAD", want=1)
    run("diff", "-L", log, "HEAD", "HEAD")


def test_1_fail_on(run, folder):
    run("decide", "-f", "queues.yaml", "--fail-on", "pending", want=1)
    run("decide", "-f", "queues.yaml", "--fail-on", "unschedulable,preempted")
    run("decide", "-f", "queues.yaml", "--fail-on", "unschedulable", "--fail-on", "pending", want=1)
    run("decide", "-f", "queues.yaml", "--fail-on", "waiting", want=2)
    assert "none of pending" in run.err


def test_2_usage(run, folder):
    for words, part in [
            (["frobnicate"], "no verb 'frobnicate'"),
            (["log"], "log show"),
            (["get"], "wants KIND [NAME]"),
            (["get", "things", "-f", "queues.yaml"], "no kind 'things'"),
            (["get", "pods"], "no source"),
            (["get", "pods", "-f", "queues.yaml", "-L", "x"], "one source"),
            (["why", "job", "-f", "queues.yaml"], "has no name"),
            (["state", "-L", run.log("queues"), "--at", "soon"], "'soon' is no point"),
            (["state", "-L", run.log("queues"), "--at", "5", "--before", "6"], "one point"),
            (["log", "show", "-L", run.log("queues"), "9..3"], "ends before it begins"),
            (["log", "show", "-L", run.log("queues"), "--type", "NOISE"], "'NOISE' is neither"),
            (["decide"], "no input"),
            (["decide", "-f", "queues.yaml", "--cycles", "0"], "--cycles: '0'"),
            (["decide", "-f", "queues.yaml", "--now", "tomorrow"], "--now: 'tomorrow'"),
            (["decide", "-f", "queues.yaml", "--compat", "loose"], "none of strict|better"),
            (["sim", "scenario.yaml", "--speed", "fast"], "--speed: 'fast'"),
            (["completion", "tcsh"], "no completion for 'tcsh'"),
            (["log", "import", "x.plog"], "add --into DIR"),
            (["log", "export", "-L", run.log("queues")], "add -o FILE.plog")]:
        out = run(*words, want=2)
        assert part in run.err, (words, run.err)
        assert out == "", (words, out)


def test_2_input_names_file_line_and_reason(run, folder):
    bad = folder / "bad.yaml"
    bad.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n"
                   "  - name: c\n    resources: {requests: {cpu: lots}}\n")
    out = run("decide", "-f", "queues.yaml", "-f", bad, want=2)
    assert out == "" and "bad.yaml:7" in run.err and "cpu" in run.err, run.err
    bad.write_text("kind: Pod\nkind: Pod\n")
    run("decide", "-f", bad, want=2)
    assert "bad.yaml:2" in run.err, run.err
    run("decide", "-f", "queues.yaml", "-f", "queues.yaml", want=2)
    assert "the same object as in queues.yaml:" in run.err, run.err


def test_3_no_such_thing(run, folder):
    log = run.log("queues")
    for words, part in [
            (["why", "workload/nobody", "-n", "ml", "-L", log], "ever existed"),
            (["describe", "workload/nobody", "-n", "ml", "-L", log], "is called ml/nobody"),
            (["timeline", "workload/nobody", "-n", "ml", "-L", log], "nobody"),
            (["get", "cq", "nobody", "-L", log], "nobody"),
            (["diff", "-L", log, "START", "HEAD", "cq/nobody"], "nobody"),
            (["state", "-L", log, "clusterqueues.team-a.color"], "'color'"),
            (["state", "-L", log, "--at", "99999"], "holds events 1 to"),
            (["state", "-L", log, "--at", "HEAD~99999"], "holds events 1 to"),
            (["state", "-L", log, "--at", "1999-01-01T00:00:00Z"], "holds events 1 to"),
            (["state", "-L", log, "--before", "START"], "before the first event"),
            (["log", "show", "-L", log, "mark:none"], "no mark is called 'none'"),
            (["why", "workload/first", "-n", "ml", "-L", log, "--at", "START"], "ever existed")]:
        out = run(*words, want=3)
        assert part in run.err, (words, run.err)
        assert out == "", (words, out)


def test_4_unreachable(run, folder):
    for words in (["state", "-L", "nowhere"], ["state", "-L", folder], ["log", "stat", "-L", "nowhere"],
                  ["log", "verify", "-L", folder], ["decide", "-f", "nowhere.yaml"],
                  ["decide", "-f", "queues.yaml", "--with", "nowhere.yaml"],
                  ["log", "import", "nowhere.plog", "--into", folder / "x"],
                  ["sim", "nowhere.yaml"]):
        run(*words, want=4)
        assert run.err.startswith("error: "), run.err


def test_5_damaged_log(run, folder):
    copy = run.copy("queues", folder)
    data = bytearray((copy / "data.mdb").read_bytes())
    at = data.find(b"team-a")
    while at >= 0:  # wherever a page or a former one holds it
        data[at] ^= 0x55
        at = data.find(b"team-a", at)
    (copy / "data.mdb").write_bytes(data)
    run("log", "verify", "-L", copy, want=5)
    good = re.search(r"last good event: (\d+)", run.err)
    assert good and int(good[1]) < 20, run.err
    for words in (["replay"], ["log", "show"], ["state"], ["get", "wl"], ["log", "tail"],
                  ["why", "workload/ml/third"], ["diff", "START", "HEAD"]):
        run(*words, "-L", copy, want=5)


def test_5_no_byte_ends_a_verb_by_a_signal(run, folder):
    copy = run.copy("queues", folder)
    data = copy / "data.mdb"
    whole = data.read_bytes()
    places = 8 if os.environ.get("PLM_SHORT") else 40  # sanitizer builds: fewer
    for at in range(0, len(whole), max(1, len(whole) // places)):
        changed = bytearray(whole)
        changed[at:at + 64] = b"\0" * 64
        data.write_bytes(changed)
        done = subprocess.run([run.binary, "log", "verify", "-L", copy], capture_output=True,
                              timeout=60, check=False)
        assert done.returncode in (0, 4, 5, 7), (at, done.returncode, done.stderr)


def test_5_truncated_export(run, folder):
    file = folder / "a.plog"
    run("log", "export", "-L", run.log("queues"), "-o", file)
    file.write_bytes(file.read_bytes()[:-20])
    run("log", "verify", "-L", file, want=5)
    run("log", "import", file, "--into", folder / "into", want=5)
    assert not (folder / "into").exists() or not any((folder / "into").iterdir())


def test_6_diverged(run, folder):
    run.forge("diverge", run.log("queues"), folder / "forged")
    run("log", "verify", "-L", folder / "forged")
    out = run("replay", "-L", folder / "forged", "-o", "json", want=6)
    assert '"diverged": {' in out and '"seq":' in out, out
    assert "event " in run.err


def test_7_newer_versions(run, folder):
    for what in ("bundle", "schema", "format"):
        run.forge(what, run.log("queues"), folder / what)
        run("replay", "-L", folder / what, want=7)
        run("state", "-L", folder / what, want=7)


def test_8_refused(run, folder):
    (folder / "full").mkdir()
    (folder / "full" / "something").write_text("x")
    run("decide", "-f", "queues.yaml", "-L", folder / "full", want=8)
    run("sim", "scenario.yaml", "-L", folder / "full", want=8)
    run("decide", "-f", "queues.yaml", "-L", run.log("queues"), want=8)
    run("log", "export", "-L", run.log("queues"), "-o", folder / "a.plog")
    run("log", "export", "-L", run.log("queues"), "-o", folder / "a.plog", want=8)
    run("log", "import", folder / "a.plog", "--into", folder / "full", want=8)
    assert (folder / "full" / "something").read_text() == "x"


def test_9_incomplete(run, folder):
    run("decide", "-f", "pool.yaml", "--region", "moon-north-1", want=9)
    assert "--catalog FILE" in run.err, run.err
    run("log", "export", "-L", run.log("sim"), "HEAD~20..", "-o", folder / "part.plog")
    run("log", "show", "-L", folder / "part.plog")
    for words in (["state"], ["replay"], ["get", "nodes"]):
        run(*words, "-L", folder / "part.plog", want=9)
        assert "begins at event" in run.err, run.err


def test_70_a_bug(run, folder):
    follower = subprocess.Popen([run.binary, "log", "tail", "-f", "-L", run.log("queues")],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    follower.stdout.readline()
    follower.send_signal(signal.SIGABRT)  # what a broken invariant raises
    _, err = follower.communicate(timeout=20)
    assert follower.returncode == 70, follower.returncode
    assert "this is a bug" in err and "log export" in err, err


def test_75_no_room_for_the_answer(run, folder):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([run.binary, "state", "-L", run.log("queues")], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 75 and "No space left" in done.stderr, done


def test_124_timeout(run, folder):
    began = time.monotonic()
    run("log", "tail", "-f", "-L", run.log("queues"), "--timeout", "300ms", want=124)
    assert 0.2 < time.monotonic() - began < 20
    assert "--timeout" in run.err


def test_a_reader_that_goes_away_is_no_failure(run, folder):
    done = subprocess.run(f"{run.binary} state -L {run.log('sim')} | head -1; "
                          "echo ${PIPESTATUS[0]}", shell=True, executable="/bin/bash",
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.endswith("\n0\n") and done.stderr == "", done


if __name__ == "__main__":
    sys.exit(harness.main(sys.modules[__name__], sys.argv))
