"""moto's server with what our tests need besides: tags found in linear time, the public parameters of image
aliases, and images of a few families instead of 1,299 others. Run by the Python of `build.sh moto`.

usage: serve.py -H 127.0.0.1 -p PORT
"""
import datetime
import itertools
import json
import os
import re
import sys
import tempfile

MADE = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
# Name in the parameter's path: what the image's name begins with.
FAMILIES = {"amazon-linux-2023": "amazon-eks-node-al2023", "amazon-linux-2": "amazon-eks-node", "bottlerocket":
            "bottlerocket-aws-k8s", "ubuntu": "ubuntu-eks"}
PATH = re.compile(r"/aws/service/(?:eks/optimized-ami/[\d.]+/(?P<family>amazon-linux-2023|amazon-linux-2)"
                  r"|(?P<bottlerocket>bottlerocket)/aws-k8s-[\d.]+"
                  r"|canonical/(?P<ubuntu>ubuntu)/eks/[\d.]+/[\d.]+/stable/current)(?P<rest>.*)/(?:image_id|ami-id)$")


def images():
    """{(family, architecture, variant): id}: the same in every run, and so are their ids."""
    rows = itertools.product(FAMILIES, ("x86_64", "arm64"), ("standard", "nvidia", "neuron"))
    return {row: f"ami-0{number + 1:016x}" for number, row in enumerate(rows)}


def described(row, image):
    family, machine, variant = row
    return {"ami_id": image, "name": f"{FAMILIES[family]}-{machine}-{variant}-1.37-v20260101",
            "state": "available", "public": True, "owner_id": "602401143452", "architecture": machine,
            "image_location": "amazon/eks", "sriov": "simple", "root_device_type": "ebs",
            "root_device_name": "/dev/xvda", "description": family, "image_type": "machine",
            "virtualization_type": "hvm", "hypervisor": "xen", "creation_date": "2026-01-01T00:00:00.000Z"}


def aliased(key):
    """The image that a public parameter names, whatever Kubernetes version it is for; None."""
    found = PATH.match(key)
    if not found:
        return None
    rest = found["rest"]
    machine = "arm64" if "arm64" in rest else "x86_64"
    variant = "nvidia" if re.search("nvidia|gpu", rest) else "neuron" if "neuron" in rest else "standard"
    return images()[found["family"] or found["bottlerocket"] or found["ubuntu"], machine, variant]


def load_images():
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump([described(row, image) for row, image in images().items()], file)
        file.flush()
        os.environ["MOTO_AMIS_PATH"] = file.name
        import moto.ec2.models.amis  # noqa: F401  reads the file


def linear_tags():
    """moto goes through the tags of all resources for each one that it describes."""
    from moto.ec2.models.core import TaggedEC2Resource
    kinds = {"i": "instance", "vol": "volume", "lt": "launch-template", "subnet": "subnet",
             "sg": "security-group"}

    def get_tags(self):
        tags = self.ec2_backend.tags.get(self.id) or {}
        kind = kinds.get(str(self.id).split("-", maxsplit=1)[0], "")
        return [{"resource_id": self.id, "key": key, "value": value, "resource_type": kind}
                for key, value in tags.items()]
    TaggedEC2Resource.get_tags = get_tags


def public_parameters():
    """PutParameter refuses what begins with /aws."""
    from moto.ssm.models import Parameter, ParameterDict
    load = ParameterDict._check_loading_status

    def check(self, key):
        load(self, key)
        image = aliased(str(key or ""))
        if image and not dict.__contains__(self, key):
            dict.__setitem__(self, key, [
                Parameter(self.account_id, key, image, "String", None, None, None, MADE, 1, "text")])
    ParameterDict._check_loading_status = check


def main():
    load_images()
    linear_tags()
    public_parameters()
    import moto.server
    moto.server.main(sys.argv[1:])


if __name__ == "__main__":
    main()
