"""What the tests of the cloud stand on, tested by boto3: moto behind tools/awsproxy behaves as AWS does. And who we are there."""
import json
import os
import subprocess

from aws import HERE, Aws
from cluster import built


def test_aws_behaves(e2e):
    """Signatures, tokens, stock, pages, lag, throttling, lost answers and tables: moto/try_proxy.py."""
    with Aws(e2e.scratch()) as aws:
        env = {**aws.environment(), "CONTROL": aws.proxy.control, "SUBNETS": " ".join(aws.subnets.values()),
               "QUEUE": aws.queue, "PYTHONPATH": os.fspath(HERE)}
        done = subprocess.run([built("moto") / "bin" / "python", HERE / "moto" / "try_proxy.py"], env=env,
                              capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
        assert "NotImplementedError" not in aws.log()


def doctor(e2e, environment):
    """What `plimsoll doctor --cloud ec2` says: (exit code, {object: (level, text)})."""
    done = subprocess.run([e2e.plimsoll, "doctor", "--cloud", "ec2", "-o", "json"], env=environment,
                          capture_output=True, text=True, check=False, timeout=120)
    lines = json.loads(done.stdout)["lines"]
    return done.returncode, {one["object"]: (one["level"], one["text"]) for one in lines}


def test_doctor_knows_who_we_are(e2e):
    """Keys of the environment, of a role by web identity (both with signatures that are verified), and wrong ones."""
    with Aws(e2e.scratch()) as aws:
        code, said = doctor(e2e, aws.environment())
        assert code == 0 and said["credentials"][0] == "ok" and said["rights"][0] == "ok", said
        assert said["credentials"][1].startswith(f"environment, region {aws.region}: arn:aws:"), said
        code, said = doctor(e2e, aws.identity())
        assert code == 0 and said["credentials"][0] == "ok", said
        assert said["credentials"][1].startswith("web identity, ") and ", good for " in said["credentials"][1], said
        assert f"assumed-role/{aws.role}/plimsoll" in said["credentials"][1], said
        assert said["rights"] == ("ok", "13 of 13 reads are allowed"), said
        code, said = doctor(e2e, {**aws.environment(), "AWS_SECRET_ACCESS_KEY": "wrong"})
        assert code == 1 and said["credentials"][0] == "finding" and len(said) == 1, said
