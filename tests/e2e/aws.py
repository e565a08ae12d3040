"""AWS for tests: moto's server (moto/serve.py) with an account that has what an EKS cluster has."""
import json
import os
import pathlib
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree

from cluster import built, free_ports
from daemon import die_with_parent
from kube import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
REGION = "us-west-2"
ACCOUNT = "123456789012"
VERSIONS = {"ec2": "2016-11-15", "sts": "2011-06-15", "iam": "2010-05-08"}
TARGETS = {"ssm": ("AmazonSSM", "1.1"), "sqs": ("AmazonSQS", "1.0")}
DISCOVERY = "karpenter.sh/discovery"


class AwsError(Exception):
    """An answer that is no success."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text[:600]}")
        self.status, self.text = status, text


def plain(element):
    """XML as lists (of item, member), dicts and texts."""
    names = [child.tag.rpartition("}")[2] for child in element]
    if not names:
        return element.text or ""
    if set(names) <= {"item", "member"}:
        return [plain(child) for child in element]
    return dict(zip(names, map(plain, element)))


def form(values, prefix=""):
    """{"Filter": [{"Name": "x", "Value": ["y"]}]} as ("Filter.1.Name", "x"), ..."""
    rows = enumerate(values, 1) if isinstance(values, list) else values.items()
    for key, value in rows:
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, (dict, list)):
            yield from form(value, name)
        elif value is not None:
            yield name, str(value).lower() if isinstance(value, bool) else str(value)


class AwsProxy:
    """tools/awsproxy before moto: .endpoint is what clients have."""

    def __init__(self, folder, server):
        keep = built("moto") / "answers"  # lists of moto's that are the same in every run
        # Its stdin is a pipe of ours: it ends when this process does.
        self.process = subprocess.Popen(
            [built("tools") / "awsproxy", "-target", server, "-folder", folder, "-keep", keep,
             "-data", ROOT / "data" / "ec2"], stdin=subprocess.PIPE)
        ports = folder / "proxy.json"
        until("the proxy listens", ports.exists, 10, 0.01)
        numbers = json.loads(ports.read_text(encoding="utf-8"))
        self.control = f"http://127.0.0.1:{numbers['control']}"
        self.endpoint = f"http://127.0.0.1:{numbers['port']}"

    def _control(self, method, path, body=None):
        request = urllib.request.Request(self.control + path, method=method,
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def rules(self, *rules):
        """The rules from now on; each is what tools/awsproxy/rules.go says."""
        self._control("POST", "/fault", list(rules))

    def taken(self):
        """{rule's name: how often it was done}"""
        return {one["name"]: one["taken"] for one in self._control("GET", "/fault")}

    def set(self, **members):
        """What holds from now on (tools/awsproxy/config.go)."""
        self._control("POST", "/config", members)

    def keys(self, **secrets):
        self._control("POST", "/keys", secrets)

    def log(self, *actions):
        """What went through, in order; of those actions, if any are named."""
        return [one for one in self._control("GET", "/log")["records"] if not actions or one["action"] in actions]

    def connections(self):
        return self._control("GET", "/log")["connections"]

    def forget(self):
        self._control("DELETE", "/log")

    def tokens(self, *actions):
        return [one for one in self._control("GET", "/tokens") if not actions or one["action"] in actions]

    def own(self):
        """{instance: type} of those that the proxy plays by itself."""
        return self._control("GET", "/own")

    def cut(self):
        self._control("POST", "/cut")

    def renew(self):
        """As at its start, but for the ports and the keys."""
        self._control("POST", "/renew")

    def stop(self):
        self.process.stdin.close()
        self.process.wait(10)


class Aws:
    """moto with a VPC, subnets in three zones, a security group, a queue, a role, an EKS cluster and keys.

    .server is moto itself; .ec2(), .iam(), .sqs() and so on ask it, past the proxy (.proxy), which clients go through.
    """

    def __init__(self, folder, name="plimsoll", region=REGION):
        self.folder, self.name, self.region = pathlib.Path(folder), name, region
        self.folder.mkdir(parents=True, exist_ok=True)
        port = free_ports(1)
        self.server = f"http://127.0.0.1:{port}"
        with open(self.folder / "moto.log", "wb") as log:
            self.process = subprocess.Popen(
                [built("moto") / "bin" / "python", HERE / "moto" / "serve.py", "-H", "127.0.0.1", "-p", str(port)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent)
        self.proxy = None
        try:
            self.proxy = AwsProxy(self.folder, self.server)
            until("moto answers", self.answers, 60)
            self.seed()
            self.proxy.keys(**{self.key: self.secret})
            self.proxy.set(zones={subnet: zone for zone, subnet in self.subnets.items()})
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"moto ended: {self.log()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{self.server}/moto-api/data.json", timeout=10) as answer:
                return answer.status == 200
        except OSError:
            return False

    def log(self):
        return (self.folder / "moto.log").read_text(encoding="utf-8", errors="replace")

    def stop(self):
        if self.proxy:
            self.proxy.stop()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(10)

    # ---- calls ---------------------------------------------------------------------------------

    def call(self, service, body, method="POST", path="/", **headers):
        """moto takes service and region from the scope of a signature that it does not verify."""
        scope = f"AKIATEST/20260101/{self.region}/{service}/aws4_request"
        request = urllib.request.Request(self.server + path, body, method=method, headers={
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0",
            **headers})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise AwsError(error.code, error.read().decode(errors="replace")) from None

    def query(self, service, action, **values):
        fields = {"Action": action, "Version": VERSIONS[service], **dict(form(values))}
        text = self.call(service, urllib.parse.urlencode(fields).encode(),
                         **{"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"})
        return plain(xml.etree.ElementTree.fromstring(text))

    def ec2(self, action, **values):
        return self.query("ec2", action, **values)

    def iam(self, action, **values):
        return self.query("iam", action, **values)[f"{action}Result"]

    def json(self, service, action, **values):
        prefix, version = TARGETS[service]
        text = self.call(service, json.dumps(values).encode(), **{
            "X-Amz-Target": f"{prefix}.{action}", "Content-Type": f"application/x-amz-json-{version}"})
        return json.loads(text) if text else {}

    def sqs(self, action, **values):
        return self.json("sqs", action, **values)

    def eks(self, method, path, body=None):
        return json.loads(self.call("eks", None if body is None else json.dumps(body).encode(), method, path,
                                    **{"Content-Type": "application/json"}))

    # ---- what is there -------------------------------------------------------------------------

    def tags(self, kind, **more):
        rows = {"Name": f"{self.name}-{kind}", DISCOVERY: self.name, **more}
        return [{"ResourceType": kind, "Tag": [{"Key": key, "Value": value} for key, value in rows.items()]}]

    def seed(self):
        self.vpc = self.ec2("CreateVpc", CidrBlock="10.0.0.0/16", TagSpecification=self.tags("vpc"))["vpc"]["vpcId"]
        self.subnets = {}
        for number, letter in enumerate("abc"):
            zone = self.region + letter
            self.subnets[zone] = self.ec2(
                "CreateSubnet", VpcId=self.vpc, CidrBlock=f"10.0.{number * 64}.0/18", AvailabilityZone=zone,
                TagSpecification=self.tags("subnet"))["subnet"]["subnetId"]
        self.group = self.ec2("CreateSecurityGroup", GroupName=f"{self.name}-nodes", VpcId=self.vpc,
                              GroupDescription="nodes",
                              TagSpecification=self.tags("security-group"))["groupId"]
        self.role = f"KarpenterNodeRole-{self.name}"
        trust = json.dumps({"Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}]})
        self.iam("CreateRole", RoleName=self.role, AssumeRolePolicyDocument=trust)
        self.iam("CreateUser", UserName="plimsoll")
        key = self.iam("CreateAccessKey", UserName="plimsoll")["AccessKey"]
        self.key, self.secret = key["AccessKeyId"], key["SecretAccessKey"]
        self.queue = self.sqs("CreateQueue", QueueName=self.name)["QueueUrl"]
        self.eks("POST", "/clusters", {
            "name": self.name, "version": "1.37", "roleArn": f"arn:aws:iam::{ACCOUNT}:role/{self.role}",
            "resourcesVpcConfig": {"subnetIds": list(self.subnets.values()), "securityGroupIds": [self.group]}})

    def renew(self):
        """An account with nothing but what it began with; the ids are others."""
        self.proxy.rules()
        with urllib.request.urlopen(urllib.request.Request(f"{self.server}/moto-api/reset", method="POST"),
                                    timeout=60) as answer:
            assert answer.status == 200
        self.seed()
        self.proxy.renew()
        self.proxy.keys(**{self.key: self.secret})
        self.proxy.set(zones={subnet: zone for zone, subnet in self.subnets.items()})

    def instances(self, *states):
        """Instances as EC2 describes them, in those states (none: any but terminated)."""
        states = list(states) or ["pending", "running", "shutting-down", "stopping", "stopped"]
        rows, token = [], None
        while True:
            answer = self.ec2("DescribeInstances", NextToken=token, Filter=[
                {"Name": "instance-state-name", "Value": states}])
            for reservation in answer.get("reservationSet") or []:
                rows += reservation["instancesSet"]
            token = answer.get("nextToken")
            if not token:
                return rows

    def say(self, kind, detail, source="aws.ec2", number=1):
        """One message of EventBridge in the interruption queue."""
        self.sqs("SendMessage", QueueUrl=self.queue, MessageBody=json.dumps({
            "version": "0", "id": f"{number:08x}-0000-4000-8000-000000000000", "detail-type": kind,
            "source": source, "account": ACCOUNT, "time": "2026-01-01T00:00:00Z", "region": self.region,
            "resources": [], "detail": detail}))

    def environment(self):
        """What a client of this account has set; nothing else of AWS."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return {**kept, "AWS_ENDPOINT_URL": self.proxy.endpoint, "AWS_REGION": self.region,
                "AWS_DEFAULT_REGION": self.region,
                "AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret,
                "AWS_EC2_METADATA_DISABLED": "true"}

    def settings(self, environment=None):
        """That with Karpenter's variables, which our daemon reads too."""
        return {**(environment or self.environment()), "CLUSTER_NAME": self.name, "INTERRUPTION_QUEUE": self.name,
                "EKS_CONTROL_PLANE": "true"}

    def identity(self):
        """As environment(), by web identity instead of keys: a pod of EKS with a role of its own."""
        token = self.folder / "token"
        token.write_text("a token of the cluster", encoding="utf-8")
        ours = self.environment()
        del ours["AWS_ACCESS_KEY_ID"], ours["AWS_SECRET_ACCESS_KEY"]
        return {**ours, "AWS_WEB_IDENTITY_TOKEN_FILE": str(token), "AWS_ROLE_SESSION_NAME": "plimsoll",
                "AWS_ROLE_ARN": f"arn:aws:iam::{ACCOUNT}:role/{self.role}"}
