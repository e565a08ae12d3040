/*
 * call.h - every call that is ever made to AWS, in one table
 *
 * Owns: which action of which service, whether it changes anything, in which mode it may be made, its timeout and its
 * family of the client-side rate limit. The client (client.h) makes no call that is not here and none that
 * the mode forbids; the IAM policies (iam.h) are generated from it, so neither can drift from the other. Credentials
 * are fetched outside of it (credentials.h): they are no calls about the account's things.
 * Sources: karpenter.md 4.1, exact.md 9, ec2-test.md 2.
 */
#ifndef PLM_ADAPTERS_EC2_CALL_H
#define PLM_ADAPTERS_EC2_CALL_H

#include "core/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* Modes in which a call may be made. */
enum plm_aws_mode {
	PLM_AWS_OBSERVE =
		1
		<< 0, /* while nothing is enforced: reads only, and nothing that hides or counts */
	PLM_AWS_NODES = 1 << 1, /* while area nodes is enforced */
};

/* X(ID, signing name, API version of the query protocol or the prefix of X-Amz-Target, endpoint prefix) */
/* clang-format off */
#define PLM_AWS_SERVICES(X)                                                                        \
	X(EC2, "ec2", "2016-11-15", "ec2")                                                         \
	X(STS, "sts", "2011-06-15", "sts")                                                         \
	X(IAM, "iam", "2010-05-08", "iam")                                                         \
	X(SSM, "ssm", "AmazonSSM", "ssm")                                                          \
	X(SQS, "sqs", "AmazonSQS", "sqs")                                                          \
	X(PRICING, "pricing", "AWSPriceListService", "api.pricing")                                \
	X(EKS, "eks", "", "eks")
/* clang-format on */
enum plm_aws_service {
#define PLM_AWS_SERVICE_ENUM(id, name, version, host) PLM_AWS_##id,
	PLM_AWS_SERVICES(PLM_AWS_SERVICE_ENUM)
#undef PLM_AWS_SERVICE_ENUM
	PLM_AWS_SERVICE_COUNT
};

/* How a request and its answer are written. */
enum plm_aws_protocol {
	PLM_AWS_QUERY,	/* form POST, XML back: EC2, STS, IAM */
	PLM_AWS_JSON10, /* POST with X-Amz-Target: SQS */
	PLM_AWS_JSON11, /* SSM, Pricing */
	PLM_AWS_REST,	/* GET of a path, JSON back: EKS */
};

/* Each family has a token bucket of its own, as EC2 has (limits.h has the rates). */
enum plm_aws_family {
	PLM_AWS_READ,	   /* Describe without filters that are dear, Get, List */
	PLM_AWS_LIST,	   /* unfiltered or paged Describe: dear for EC2 */
	PLM_AWS_MUTATE,	   /* cheap changes: tags, launch templates */
	PLM_AWS_LAUNCH,	   /* CreateFleet, RunInstances */
	PLM_AWS_TERMINATE, /* TerminateInstances */
	PLM_AWS_OTHER,	   /* other services, each with a bucket of its own */
	PLM_AWS_FAMILY_COUNT
};

/* X(ID, service, "Action", modes, family, total ms, "when") */
/* clang-format off */
#define B (PLM_AWS_OBSERVE | PLM_AWS_NODES)
#define N PLM_AWS_NODES
#define PLM_AWS_CALLS(X)                                                                           \
	X(DESCRIBE_INSTANCES, EC2, "DescribeInstances", B, LIST, 30000, "instances of this cluster, in rounds; one by id or tag to settle what became of a launch") \
	X(DESCRIBE_INSTANCE_STATUS, EC2, "DescribeInstanceStatus", B, LIST, 30000, "scheduled events and impaired instances, each minute") \
	X(DESCRIBE_INSTANCE_TYPES, EC2, "DescribeInstanceTypes", B, LIST, 60000, "the catalogue, twice a day") \
	X(DESCRIBE_OFFERINGS, EC2, "DescribeInstanceTypeOfferings", B, LIST, 60000, "which type is where, twice a day") \
	X(DESCRIBE_SPOT_PRICES, EC2, "DescribeSpotPriceHistory", B, LIST, 60000, "prices of spot capacity") \
	X(DESCRIBE_SUBNETS, EC2, "DescribeSubnets", B, READ, 30000, "what node classes select") \
	X(DESCRIBE_SECURITY_GROUPS, EC2, "DescribeSecurityGroups", B, READ, 30000, "what node classes select") \
	X(DESCRIBE_IMAGES, EC2, "DescribeImages", B, READ, 60000, "what node classes select") \
	X(DESCRIBE_ZONES, EC2, "DescribeAvailabilityZones", B, READ, 30000, "zones and their ids, twice a day") \
	X(DESCRIBE_RESERVATIONS, EC2, "DescribeCapacityReservations", B, READ, 30000, "what node classes select") \
	X(DESCRIBE_LAUNCH_TEMPLATES, EC2, "DescribeLaunchTemplates", B, READ, 30000, "is a template there that an answer was lost of") \
	X(CREATE_FLEET, EC2, "CreateFleet", N, LAUNCH, 60000, "an instance for a NodeClaim") \
	X(RUN_INSTANCES, EC2, "RunInstances", N, LAUNCH, 60000, "an instance for a NodeClaim of the simple dialect") \
	X(CREATE_LAUNCH_TEMPLATE, EC2, "CreateLaunchTemplate", N, MUTATE, 30000, "what instances of a class are made of") \
	X(DELETE_LAUNCH_TEMPLATE, EC2, "DeleteLaunchTemplate", N, MUTATE, 30000, "a template of ours that nothing launches by any more") \
	X(TERMINATE_INSTANCES, EC2, "TerminateInstances", N, TERMINATE, 60000, "the end of a NodeClaim; an instance that nobody knows") \
	X(CREATE_TAGS, EC2, "CreateTags", N, MUTATE, 30000, "the name of its node on an instance") \
	X(GET_CALLER_IDENTITY, STS, "GetCallerIdentity", B, OTHER, 30000, "whose credentials these are, at a start") \
	X(GET_INSTANCE_PROFILE, IAM, "GetInstanceProfile", B, OTHER, 30000, "of a class with a role") \
	X(CREATE_INSTANCE_PROFILE, IAM, "CreateInstanceProfile", N, OTHER, 30000, "for a class with a role") \
	X(ADD_ROLE, IAM, "AddRoleToInstanceProfile", N, OTHER, 30000, "for a class with a role") \
	X(REMOVE_ROLE, IAM, "RemoveRoleFromInstanceProfile", N, OTHER, 30000, "when the role of a class changed, or it is gone") \
	X(DELETE_INSTANCE_PROFILE, IAM, "DeleteInstanceProfile", N, OTHER, 30000, "when its class is gone") \
	X(GET_PARAMETER, SSM, "GetParameter", B, OTHER, 30000, "the image that an alias means") \
	X(GET_QUEUE_URL, SQS, "GetQueueUrl", N, OTHER, 30000, "the interruption queue, at a start") \
	X(RECEIVE_MESSAGE, SQS, "ReceiveMessage", N, OTHER, 30000, "interruptions; never while a peer may read the same queue") \
	X(DELETE_MESSAGE, SQS, "DeleteMessageBatch", N, OTHER, 30000, "what was told is durable") \
	X(GET_PRODUCTS, PRICING, "GetProducts", B, OTHER, 60000, "prices of on-demand capacity, twice a day") \
	X(DESCRIBE_CLUSTER, EKS, "DescribeCluster", B, OTHER, 30000, "endpoint, certificate and addresses of an EKS cluster, for user data") \
	X(DESCRIBE_PLACEMENT_GROUPS, EC2, "DescribePlacementGroups", B, READ, 30000, "what node classes select")
/* clang-format on */
enum plm_aws_call {
	PLM_AWS_CALL_NONE,
#define PLM_AWS_CALL_ENUM(id, service, action, modes, family, total, when) PLM_AWS_CALL_##id,
	PLM_AWS_CALLS(PLM_AWS_CALL_ENUM)
#undef PLM_AWS_CALL_ENUM
	PLM_AWS_CALL_COUNT
};

struct plm_aws_service_row {
	const char *name;    /* in a credential scope */
	const char *version; /* or prefix of the target */
	const char *host;    /* "ec2": ec2.us-west-2.amazonaws.com */
};

struct plm_aws_call_row {
	enum plm_aws_service service;
	const char *action;
	unsigned modes; /* enum plm_aws_mode, or'ed */
	enum plm_aws_family family;
	int64_t total_ms;
	const char *when; /* one line for people */
};

const struct plm_aws_service_row *plm_aws_service(enum plm_aws_service service);
enum plm_aws_protocol plm_aws_protocol(enum plm_aws_service service);
const struct plm_aws_call_row *plm_aws_call(enum plm_aws_call call);
/* It changes nothing, hides nothing and counts nothing: it may be repeated at will. */
bool plm_aws_is_read(enum plm_aws_call call);

#endif
