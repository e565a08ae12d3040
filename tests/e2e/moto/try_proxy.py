"""Holds tools/awsproxy to what it promises, as a user of boto3. Run by tests/e2e/own_aws.py in moto's venv."""
import base64
import json
import os
import time
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, HTTPClientError

ENDPOINT, CONTROL = os.environ["AWS_ENDPOINT_URL"], os.environ["CONTROL"]
SUBNETS = os.environ["SUBNETS"].split()


def control(path, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(CONTROL + path, data, method=method), timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def rules(*rows):
    control("/fault", list(rows))


def client(service, **more):
    settings = {"retries": {"max_attempts": 0, "mode": "standard"}, "read_timeout": 3}
    return boto3.client(service, config=Config(**settings), **more)


def refusal(call, **values):
    """The code of the error that a call ends with."""
    try:
        call(**values)
    except ClientError as error:
        return error.response["Error"]["Code"]
    raise AssertionError("it was not refused")


def dropped(call, **values):
    try:
        call(**values)
    except (ConnectionClosedError, HTTPClientError):
        return True
    return False


def fleet(token, types=("m5.large", "m5.xlarge"), subnets=None, kind="on-demand"):
    rows = [{"InstanceType": one, "SubnetId": subnet} for one in types for subnet in subnets or SUBNETS[:1]]
    return {"Type": "instant", "ClientToken": token,
            "LaunchTemplateConfigs": [{"Overrides": rows, "LaunchTemplateSpecification": {
                "LaunchTemplateName": "plimsoll/try", "Version": "$Latest"}}],
            "TargetCapacitySpecification": {"TotalTargetCapacity": 1, "DefaultTargetCapacityType": kind},
            "TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "token", "Value": token}]}]}


def launched(answer):
    return [one for row in answer["Instances"] for one in row["InstanceIds"]]


def there(ec2, **values):
    return [one["InstanceId"] for page in ec2.get_paginator("describe_instances").paginate(**values)
            for row in page["Reservations"] for one in row["Instances"]]


def try_signatures(ec2):
    assert client("sts").get_caller_identity()["Account"] == "123456789012"
    assert client("iam").get_role(RoleName="KarpenterNodeRole-plimsoll")
    assert client("sqs").receive_message(QueueUrl=os.environ["QUEUE"], WaitTimeSeconds=0)
    assert client("eks").describe_cluster(name="plimsoll")["cluster"]["status"] == "ACTIVE"
    path = "/aws/service/eks/optimized-ami/1.37/amazon-linux-2023/arm64/standard/recommended/image_id"
    image = client("ssm").get_parameter(Name=path)["Parameter"]["Value"]
    assert ec2.describe_images(ImageIds=[image])["Images"][0]["Architecture"] == "arm64"
    role = client("sts").assume_role(RoleArn="arn:aws:iam::123456789012:role/KarpenterNodeRole-plimsoll",
                                     RoleSessionName="try")["Credentials"]
    session = client("ec2", aws_access_key_id=role["AccessKeyId"], aws_secret_access_key=role["SecretAccessKey"],
                     aws_session_token=role["SessionToken"])
    assert len(session.describe_subnets(SubnetIds=SUBNETS)["Subnets"]) == 3
    control("/config", {"keySeconds": 1})
    role = client("sts").assume_role(RoleArn="arn:aws:iam::123456789012:role/KarpenterNodeRole-plimsoll",
                                     RoleSessionName="try")["Credentials"]
    time.sleep(1.1)
    session = client("ec2", aws_access_key_id=role["AccessKeyId"], aws_secret_access_key=role["SecretAccessKey"],
                     aws_session_token=role["SessionToken"])
    assert refusal(session.describe_subnets) == "ExpiredToken"
    control("/config", {"keySeconds": 0})
    wrong = client("ec2", aws_secret_access_key="not it", aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"])
    assert refusal(wrong.describe_subnets) == "AuthFailure"
    wrong = client("sqs", aws_secret_access_key="not it", aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"])
    assert refusal(wrong.get_queue_url, QueueName="plimsoll") == "SignatureDoesNotMatch"


def try_tokens(ec2):
    first = launched(ec2.create_fleet(**fleet("one")))
    assert launched(ec2.create_fleet(**fleet("one"))) == first
    assert refusal(ec2.create_fleet, **fleet("one", kind="spot")) == "IdempotentParameterMismatch"
    rules({"kind": "reset-after", "action": "CreateFleet", "count": 1})
    assert dropped(ec2.create_fleet, **fleet("lost"))
    rules({"kind": "reset-before", "action": "CreateFleet", "count": 1})
    assert dropped(ec2.create_fleet, **fleet("never"))
    rules()
    again = launched(ec2.create_fleet(**fleet("lost")))
    named = {"Filters": [{"Name": "tag:token", "Values": ["lost"]}]}
    assert there(ec2, **named) == again and len(again) == 1
    run = {"ImageId": "ami-00000000000000001", "InstanceType": "m5.large", "MinCount": 1, "MaxCount": 1,
           "ClientToken": "run", "SubnetId": SUBNETS[1]}
    one = ec2.run_instances(**run)["Instances"][0]["InstanceId"]
    assert ec2.run_instances(**run)["Instances"][0]["InstanceId"] == one
    ec2.terminate_instances(InstanceIds=[one, *first])
    assert refusal(ec2.run_instances, **run) == "IdempotentInstanceTerminated"
    assert launched(ec2.create_fleet(**fleet("one"))) == first
    rows = {(row["action"], row["token"]): row for row in control("/tokens")}
    assert rows["CreateFleet", "one"]["replays"] == 2 and rows["CreateFleet", "one"]["mismatches"] == 1
    assert rows["CreateFleet", "lost"]["instances"] == again and ("CreateFleet", "never") not in rows
    assert all(row["executed"] == 1 for row in rows.values())


def try_stock(ec2):
    rules({"kind": "fleet-errors", "code": "InsufficientInstanceCapacity", "types": "m5.large"})
    some = ec2.create_fleet(**fleet("some"))
    assert [row["InstanceType"] for row in some["Instances"]] == ["m5.xlarge"]
    assert [(row["ErrorCode"], row["LaunchTemplateAndOverrides"]["Overrides"]["AvailabilityZone"])
            for row in some["Errors"]] == [("InsufficientInstanceCapacity", "us-west-2a")]
    rules({"kind": "fleet-errors", "code": "UnfulfillableCapacity"})
    assert not launched(ec2.create_fleet(**fleet("none", kind="spot")))
    assert refusal(ec2.run_instances, ImageId="ami-00000000000000001", InstanceType="m5.large", MinCount=1,
                   MaxCount=1, SubnetId=SUBNETS[0]) == "UnfulfillableCapacity"
    rules()
    assert not launched(ec2.create_fleet(**fleet("none", kind="spot"))), "the token is spent"
    assert refusal(ec2.create_fleet, **fleet("none")) == "IdempotentParameterMismatch"
    # The cheapest is launched, not the first.
    answer = ec2.create_fleet(**fleet("cheap", types=("m5.4xlarge", "m5.large", "m5.2xlarge")))
    assert answer["Instances"][0]["InstanceType"] == "m5.large"


def try_lists(ec2):
    control("/config", {"pageSize": 2, "emptyFirst": True})
    assert len(ec2.describe_instances(MaxResults=10)["Reservations"]) == 0
    everything = there(ec2)
    assert len(everything) == len(set(everything)) == 5
    control("/config", {"pageSize": 0, "emptyFirst": False, "hideMs": 700, "pendingMs": 1500, "endingMs": 800})
    one = launched(ec2.create_fleet(**fleet("late")))[0]
    assert one not in there(ec2)
    assert refusal(ec2.describe_instances, InstanceIds=[one]) == "InvalidInstanceID.NotFound"
    time.sleep(0.8)
    states = {"Filters": [{"Name": "instance-state-name", "Values": ["pending"]}]}
    assert one in there(ec2, **states)
    ec2.terminate_instances(InstanceIds=[one])
    states["Filters"][0]["Values"] = ["shutting-down"]
    assert one in there(ec2, **states)
    time.sleep(0.9)
    assert not there(ec2, **states)
    control("/config", {"hideMs": 0, "pendingMs": 0, "endingMs": 0, "oldEvery": 2})
    before = there(ec2)
    late = launched(ec2.create_fleet(**fleet("later")))
    assert there(ec2) == before and there(ec2) == before + late
    control("/config", {"oldEvery": 0, "types": "m5[.].*"})
    pages = list(ec2.get_paginator("describe_instance_types").paginate(PaginationConfig={"PageSize": 5}))
    types = [one["InstanceType"] for page in pages for one in page["InstanceTypes"]]
    assert len(pages) > 1 and "m5.large" in types and all(one.startswith("m5.") for one in types), types


def try_faults(ec2):
    rules({"kind": "error", "action": "DescribeSubnets", "status": 503, "code": "RequestLimitExceeded", "count": 1},
          {"kind": "html", "action": "DescribeVpcs", "status": 502, "count": 1},
          {"kind": "truncate", "action": "DescribeImages", "count": 1},
          {"kind": "stall", "action": "DescribeAvailabilityZones", "count": 1},
          {"kind": "delay", "delayMs": 300, "action": "DescribeSecurityGroups", "count": 1})
    assert refusal(ec2.describe_subnets) == "RequestLimitExceeded"
    assert refusal(ec2.describe_vpcs) == "502"
    assert dropped(ec2.describe_images) and dropped(ec2.describe_availability_zones)
    begin = time.monotonic()
    ec2.describe_security_groups()
    assert time.monotonic() - begin > 0.3
    rules()
    control("/config", {"buckets": {"DescribeSubnets": {"rate": 0.01, "burst": 2}}})
    ec2.describe_subnets()
    ec2.describe_subnets()
    assert refusal(ec2.describe_subnets) == "RequestLimitExceeded"
    control("/config", {"buckets": {}})


def try_tables(ec2):
    pricing = client("pricing")
    filters = [{"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in (
        ("regionCode", "us-west-2"), ("productFamily", "Compute Instance"))]
    pages = pricing.get_paginator("get_products").paginate(ServiceCode="AmazonEC2", Filters=filters)
    prices = {}
    for text in (one for page in pages for one in page["PriceList"]):
        row = json.loads(text)
        term = next(iter(row["terms"]["OnDemand"].values()))["priceDimensions"]
        prices[row["product"]["attributes"]["instanceType"]] = next(iter(term.values()))["pricePerUnit"]["USD"]
    assert float(prices["m5.large"]) == 0.096, prices
    spot = ec2.describe_spot_price_history(InstanceTypes=["m5.large"])["SpotPriceHistory"]
    assert len(spot) == 3 and 0 < float(spot[0]["SpotPrice"]) < 0.096, spot
    assert ec2.describe_capacity_reservations()["CapacityReservations"] == []


def try_own(ec2):
    """Launches that are played by the proxy, and how many a second there are of them."""
    control("/config", {"own": True})
    one = launched(ec2.create_fleet(**fleet("own")))
    assert launched(ec2.create_fleet(**fleet("own"))) == one
    assert there(ec2, Filters=[{"Name": "tag:token", "Values": ["own"]}]) == one
    ec2.terminate_instances(InstanceIds=one)
    assert not there(ec2, Filters=[{"Name": "instance-state-name", "Values": ["running"]}])
    control("/config", {"own": False})
    connections = control("/log")["connections"]
    for _ in range(20):
        ec2.describe_vpcs()
    assert control("/log")["connections"] == connections, "connections are kept"


def main():
    ec2 = client("ec2")
    data = base64.b64encode(b"user data").decode()
    ec2.create_launch_template(LaunchTemplateName="plimsoll/try", LaunchTemplateData={
        "ImageId": "ami-00000000000000001", "UserData": data})
    for one in (try_signatures, try_tokens, try_stock, try_lists, try_faults, try_tables, try_own):
        one(ec2)
        print(one.__name__, "ok")


if __name__ == "__main__":
    main()
