"""A cluster, an AWS and the daemon on the loopback, to look at: try_cloud.py PLIMSOLL [COMMAND...]

Runs the command (none: a shell) where kubectl, plimsoll and the SDKs of AWS find all of it, and takes it down behind it. It
begins with an EC2NodeClass and a NodePool `default`. DATA is the daemon's data folder, CONTROL the proxy's control
address (tools/awsproxy), NAMESPACE an empty namespace.
"""
import os
import pathlib
import subprocess
import sys

from cloud import CloudSuite


def main(plimsoll, command):
    suite = CloudSuite(plimsoll)
    try:
        suite.begin(1, "try")
        suite.pool(("m5.large", "m5.xlarge", "m5.2xlarge"), after="15s")
        daemon = suite.daemon()
        tools = [str(suite.cluster.bin), str(pathlib.Path(plimsoll).resolve().parent)]
        env = {**suite.aws.environment(), "KUBECONFIG": str(suite.cluster.kubeconfig), "DATA": str(daemon.data),
               "PATH": os.pathsep.join([*tools, os.environ["PATH"]]), "CONTROL": suite.aws.proxy.control,
               "NAMESPACE": suite.namespace}
        return subprocess.run(command or [os.environ.get("SHELL", "bash")], env=env, check=False).returncode
    finally:
        suite.down()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
