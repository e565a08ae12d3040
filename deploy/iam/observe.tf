variable "cluster_name" {
  type = string
}

data "aws_partition" "current" {}

data "aws_region" "current" {}

data "aws_caller_identity" "current" {}

resource "aws_iam_policy" "plimsoll_observe" {
  name   = "plimsoll-observe-${var.cluster_name}"
  policy = <<-JSON
    {
      "Version": "2012-10-17",
      "Statement": [
        {
          "Sid": "ReadEC2",
          "Effect": "Allow",
          "Action": [
            "ec2:DescribeInstances",
            "ec2:DescribeInstanceStatus",
            "ec2:DescribeInstanceTypes",
            "ec2:DescribeInstanceTypeOfferings",
            "ec2:DescribeSpotPriceHistory",
            "ec2:DescribeSubnets",
            "ec2:DescribeSecurityGroups",
            "ec2:DescribeImages",
            "ec2:DescribeAvailabilityZones",
            "ec2:DescribeCapacityReservations",
            "ec2:DescribeLaunchTemplates",
            "ec2:DescribePlacementGroups"
          ],
          "Resource": "*",
          "Condition": {
            "StringEquals": {
              "aws:RequestedRegion": "${data.aws_region.current.id}"
            }
          }
        },
        {
          "Sid": "ReadImageAliases",
          "Effect": "Allow",
          "Action": "ssm:GetParameter",
          "Resource": "arn:${data.aws_partition.current.partition}:ssm:${data.aws_region.current.id}::parameter/aws/service/*"
        },
        {
          "Sid": "ReadPrices",
          "Effect": "Allow",
          "Action": "pricing:GetProducts",
          "Resource": "*"
        },
        {
          "Sid": "ReadCluster",
          "Effect": "Allow",
          "Action": "eks:DescribeCluster",
          "Resource": "arn:${data.aws_partition.current.partition}:eks:${data.aws_region.current.id}:${data.aws_caller_identity.current.account_id}:cluster/${var.cluster_name}"
        },
        {
          "Sid": "ReadInstanceProfiles",
          "Effect": "Allow",
          "Action": "iam:GetInstanceProfile",
          "Resource": "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:instance-profile/*"
        },
        {
          "Sid": "ReadIdentity",
          "Effect": "Allow",
          "Action": "sts:GetCallerIdentity",
          "Resource": "*"
        }
      ]
    }
  JSON
}

output "plimsoll_observe_policy_arn" {
  value = aws_iam_policy.plimsoll_observe.arn
}
