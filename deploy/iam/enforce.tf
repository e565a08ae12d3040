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

resource "aws_iam_policy" "plimsoll_enforce" {
  name   = "plimsoll-enforce-${var.cluster_name}"
  policy = <<-JSON
    {
      "Version": "2012-10-17",
      "Statement": [
        {
          "Sid": "LaunchFrom",
          "Effect": "Allow",
          "Action": [
            "ec2:CreateFleet",
            "ec2:RunInstances"
          ],
          "Resource": [
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}::image/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}::snapshot/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:capacity-reservation/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:placement-group/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:security-group/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:subnet/*"
          ]
        },
        {
          "Sid": "LaunchByTemplate",
          "Effect": "Allow",
          "Action": [
            "ec2:CreateFleet",
            "ec2:RunInstances"
          ],
          "Resource": "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:launch-template/*",
          "Condition": {
            "StringEquals": {
              "aws:ResourceTag/kubernetes.io/cluster/${var.cluster_name}": "owned"
            },
            "StringLike": {
              "aws:ResourceTag/karpenter.sh/nodepool": "*"
            }
          }
        },
        {
          "Sid": "LaunchTagged",
          "Effect": "Allow",
          "Action": [
            "ec2:CreateFleet",
            "ec2:RunInstances",
            "ec2:CreateLaunchTemplate"
          ],
          "Resource": [
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:fleet/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:instance/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:launch-template/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:network-interface/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:spot-instances-request/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:volume/*"
          ],
          "Condition": {
            "StringEquals": {
              "aws:RequestTag/kubernetes.io/cluster/${var.cluster_name}": "owned",
              "aws:RequestTag/eks:eks-cluster-name": "${var.cluster_name}"
            },
            "StringLike": {
              "aws:RequestTag/karpenter.sh/nodepool": "*"
            }
          }
        },
        {
          "Sid": "TagAtBirth",
          "Effect": "Allow",
          "Action": "ec2:CreateTags",
          "Resource": [
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:fleet/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:instance/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:launch-template/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:network-interface/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:spot-instances-request/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:volume/*"
          ],
          "Condition": {
            "StringEquals": {
              "aws:RequestTag/kubernetes.io/cluster/${var.cluster_name}": "owned",
              "aws:RequestTag/eks:eks-cluster-name": "${var.cluster_name}",
              "ec2:CreateAction": [
                "CreateFleet",
                "CreateLaunchTemplate",
                "RunInstances"
              ]
            },
            "StringLike": {
              "aws:RequestTag/karpenter.sh/nodepool": "*"
            }
          }
        },
        {
          "Sid": "TagInstances",
          "Effect": "Allow",
          "Action": "ec2:CreateTags",
          "Resource": "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:instance/*",
          "Condition": {
            "StringEquals": {
              "aws:ResourceTag/kubernetes.io/cluster/${var.cluster_name}": "owned"
            },
            "StringLike": {
              "aws:ResourceTag/karpenter.sh/nodepool": "*"
            },
            "StringEqualsIfExists": {
              "aws:RequestTag/eks:eks-cluster-name": "${var.cluster_name}"
            },
            "ForAllValues:StringEquals": {
              "aws:TagKeys": [
                "Name",
                "eks:eks-cluster-name",
                "karpenter.sh/nodeclaim"
              ]
            }
          }
        },
        {
          "Sid": "EndOwn",
          "Effect": "Allow",
          "Action": [
            "ec2:DeleteLaunchTemplate",
            "ec2:TerminateInstances"
          ],
          "Resource": [
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:instance/*",
            "arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.id}:*:launch-template/*"
          ],
          "Condition": {
            "StringEquals": {
              "aws:ResourceTag/kubernetes.io/cluster/${var.cluster_name}": "owned"
            },
            "StringLike": {
              "aws:ResourceTag/karpenter.sh/nodepool": "*"
            }
          }
        },
        {
          "Sid": "PassRoleOfNodes",
          "Effect": "Allow",
          "Action": "iam:PassRole",
          "Resource": "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role/KarpenterNodeRole-${var.cluster_name}",
          "Condition": {
            "StringEquals": {
              "iam:PassedToService": [
                "ec2.amazonaws.com",
                "ec2.amazonaws.com.cn"
              ]
            }
          }
        },
        {
          "Sid": "MakeInstanceProfiles",
          "Effect": "Allow",
          "Action": "iam:CreateInstanceProfile",
          "Resource": "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:instance-profile/*",
          "Condition": {
            "StringEquals": {
              "aws:RequestTag/kubernetes.io/cluster/${var.cluster_name}": "owned",
              "aws:RequestTag/eks:eks-cluster-name": "${var.cluster_name}",
              "aws:RequestTag/topology.kubernetes.io/region": "${data.aws_region.current.id}"
            },
            "StringLike": {
              "aws:RequestTag/karpenter.k8s.aws/ec2nodeclass": "*"
            }
          }
        },
        {
          "Sid": "TagInstanceProfiles",
          "Effect": "Allow",
          "Action": "iam:TagInstanceProfile",
          "Resource": "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:instance-profile/*",
          "Condition": {
            "StringEquals": {
              "aws:ResourceTag/kubernetes.io/cluster/${var.cluster_name}": "owned",
              "aws:ResourceTag/topology.kubernetes.io/region": "${data.aws_region.current.id}",
              "aws:RequestTag/kubernetes.io/cluster/${var.cluster_name}": "owned",
              "aws:RequestTag/eks:eks-cluster-name": "${var.cluster_name}",
              "aws:RequestTag/topology.kubernetes.io/region": "${data.aws_region.current.id}"
            },
            "StringLike": {
              "aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass": "*",
              "aws:RequestTag/karpenter.k8s.aws/ec2nodeclass": "*"
            }
          }
        },
        {
          "Sid": "ChangeInstanceProfiles",
          "Effect": "Allow",
          "Action": [
            "iam:AddRoleToInstanceProfile",
            "iam:RemoveRoleFromInstanceProfile",
            "iam:DeleteInstanceProfile"
          ],
          "Resource": "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:instance-profile/*",
          "Condition": {
            "StringEquals": {
              "aws:ResourceTag/kubernetes.io/cluster/${var.cluster_name}": "owned",
              "aws:ResourceTag/topology.kubernetes.io/region": "${data.aws_region.current.id}"
            },
            "StringLike": {
              "aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass": "*"
            }
          }
        },
        {
          "Sid": "TakeInterruptions",
          "Effect": "Allow",
          "Action": [
            "sqs:GetQueueUrl",
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage"
          ],
          "Resource": "arn:${data.aws_partition.current.partition}:sqs:${data.aws_region.current.id}:${data.aws_caller_identity.current.account_id}:${var.cluster_name}"
        }
      ]
    }
  JSON
}

output "plimsoll_enforce_policy_arn" {
  value = aws_iam_policy.plimsoll_enforce.arn
}
