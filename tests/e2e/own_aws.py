"""What the tests of the cloud stand on, tested by boto3: moto behind tools/awsproxy behaves as AWS does."""
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
