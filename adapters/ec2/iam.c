#include "adapters/ec2/iam.h"

#include <stdio.h>

enum statement {
	READ_EC2,
	READ_ALIASES,
	READ_PRICES,
	READ_CLUSTER,
	READ_PROFILES,
	READ_IDENTITY,
	LAUNCH_FROM,
	LAUNCH_BY_TEMPLATE,
	LAUNCH_TAGGED,
	TAG_AT_BIRTH,
	TAG_INSTANCES,
	END_OWN,
	PASS_ROLE,
	MAKE_PROFILES,
	TAG_PROFILES,
	CHANGE_PROFILES,
	TAKE_MESSAGES,
	STATEMENTS
};

#define OWNED "kubernetes.io/cluster/$C"
#define EKS_NAME "eks:eks-cluster-name"
#define POOL "karpenter.sh/nodepool"
#define CLASS "karpenter.k8s.aws/ec2nodeclass"
#define REGION_TAG "topology.kubernetes.io/region"
#define EQUALS "StringEquals"
#define LIKE "StringLike"

#define EC2_OWN(type) "arn:$P:ec2:$R:*:" type "/*"
#define MADE                                                                                       \
	{EC2_OWN("fleet"),                                                                         \
	 EC2_OWN("instance"),                                                                      \
	 EC2_OWN("launch-template"),                                                               \
	 EC2_OWN("network-interface"),                                                             \
	 EC2_OWN("spot-instances-request"),                                                        \
	 EC2_OWN("volume")}
#define PROFILES {"arn:$P:iam::$A:instance-profile/*"}

/* clang-format off */
static const struct plm_aws_iam_statement rows[STATEMENTS] = {
	[READ_EC2] = {.sid = "ReadEC2", .resources = {"*"},
		.conditions = {{EQUALS, "aws:RequestedRegion", {"$R"}}}},
	[READ_ALIASES] = {.sid = "ReadImageAliases", .resources = {"arn:$P:ssm:$R::parameter/aws/service/*"}},
	[READ_PRICES] = {.sid = "ReadPrices", .resources = {"*"}},
	[READ_CLUSTER] = {.sid = "ReadCluster", .resources = {"arn:$P:eks:$R:$A:cluster/$C"}},
	[READ_PROFILES] = {.sid = "ReadInstanceProfiles", .resources = PROFILES},
	[READ_IDENTITY] = {.sid = "ReadIdentity", .resources = {"*"}},

	[LAUNCH_FROM] = {.sid = "LaunchFrom", .enforce = true,
		.resources = {"arn:$P:ec2:$R::image/*", "arn:$P:ec2:$R::snapshot/*",
			EC2_OWN("capacity-reservation"), EC2_OWN("placement-group"),
			EC2_OWN("security-group"), EC2_OWN("subnet")}},
	[LAUNCH_BY_TEMPLATE] = {.sid = "LaunchByTemplate", .enforce = true,
		.resources = {EC2_OWN("launch-template")},
		.conditions = {{EQUALS, "aws:ResourceTag/" OWNED, {"owned"}},
			{LIKE, "aws:ResourceTag/" POOL, {"*"}}}},
	[LAUNCH_TAGGED] = {.sid = "LaunchTagged", .enforce = true, .resources = MADE,
		.conditions = {{EQUALS, "aws:RequestTag/" OWNED, {"owned"}},
			{EQUALS, "aws:RequestTag/" EKS_NAME, {"$C"}},
			{LIKE, "aws:RequestTag/" POOL, {"*"}}}},
	[TAG_AT_BIRTH] = {.sid = "TagAtBirth", .enforce = true, .resources = MADE,
		.conditions = {{EQUALS, "aws:RequestTag/" OWNED, {"owned"}},
			{EQUALS, "aws:RequestTag/" EKS_NAME, {"$C"}},
			{EQUALS, "ec2:CreateAction", {"CreateFleet", "CreateLaunchTemplate", "RunInstances"}},
			{LIKE, "aws:RequestTag/" POOL, {"*"}}}},
	[TAG_INSTANCES] = {.sid = "TagInstances", .enforce = true, .resources = {EC2_OWN("instance")},
		.conditions = {{EQUALS, "aws:ResourceTag/" OWNED, {"owned"}},
			{LIKE, "aws:ResourceTag/" POOL, {"*"}},
			{"StringEqualsIfExists", "aws:RequestTag/" EKS_NAME, {"$C"}},
			{"ForAllValues:StringEquals", "aws:TagKeys", {"Name", EKS_NAME, "karpenter.sh/nodeclaim"}}}},
	[END_OWN] = {.sid = "EndOwn", .enforce = true,
		.resources = {EC2_OWN("instance"), EC2_OWN("launch-template")},
		.conditions = {{EQUALS, "aws:ResourceTag/" OWNED, {"owned"}},
			{LIKE, "aws:ResourceTag/" POOL, {"*"}}}},
	[PASS_ROLE] = {.sid = "PassRoleOfNodes", .enforce = true,
		.resources = {"arn:$P:iam::$A:role/$N"}, .rights = {"iam:PassRole"},
		.conditions = {{EQUALS, "iam:PassedToService", {"ec2.amazonaws.com", "ec2.amazonaws.com.cn"}}}},
	[MAKE_PROFILES] = {.sid = "MakeInstanceProfiles", .enforce = true, .resources = PROFILES,
		.conditions = {{EQUALS, "aws:RequestTag/" OWNED, {"owned"}},
			{EQUALS, "aws:RequestTag/" EKS_NAME, {"$C"}},
			{EQUALS, "aws:RequestTag/" REGION_TAG, {"$R"}},
			{LIKE, "aws:RequestTag/" CLASS, {"*"}}}},
	[TAG_PROFILES] = {.sid = "TagInstanceProfiles", .enforce = true, .resources = PROFILES,
		.rights = {"iam:TagInstanceProfile"},
		.conditions = {{EQUALS, "aws:ResourceTag/" OWNED, {"owned"}},
			{EQUALS, "aws:ResourceTag/" REGION_TAG, {"$R"}},
			{EQUALS, "aws:RequestTag/" OWNED, {"owned"}},
			{EQUALS, "aws:RequestTag/" EKS_NAME, {"$C"}},
			{EQUALS, "aws:RequestTag/" REGION_TAG, {"$R"}},
			{LIKE, "aws:ResourceTag/" CLASS, {"*"}},
			{LIKE, "aws:RequestTag/" CLASS, {"*"}}}},
	[CHANGE_PROFILES] = {.sid = "ChangeInstanceProfiles", .enforce = true, .resources = PROFILES,
		.conditions = {{EQUALS, "aws:ResourceTag/" OWNED, {"owned"}},
			{EQUALS, "aws:ResourceTag/" REGION_TAG, {"$R"}},
			{LIKE, "aws:ResourceTag/" CLASS, {"*"}}}},
	[TAKE_MESSAGES] = {.sid = "TakeInterruptions", .enforce = true, .resources = {"arn:$P:sqs:$R:$A:$Q"}},
};

#define IN(statement) (1U << (statement))
#define READS(id) [PLM_AWS_CALL_##id] = IN(READ_EC2)
#define LAUNCHES (IN(LAUNCH_FROM) | IN(LAUNCH_BY_TEMPLATE) | IN(LAUNCH_TAGGED))

/* Statements that give the right to a call. */
static const uint32_t given[PLM_AWS_CALL_COUNT] = {
	READS(DESCRIBE_INSTANCES),
	READS(DESCRIBE_INSTANCE_STATUS),
	READS(DESCRIBE_INSTANCE_TYPES),
	READS(DESCRIBE_OFFERINGS),
	READS(DESCRIBE_SPOT_PRICES),
	READS(DESCRIBE_SUBNETS),
	READS(DESCRIBE_SECURITY_GROUPS),
	READS(DESCRIBE_IMAGES),
	READS(DESCRIBE_ZONES),
	READS(DESCRIBE_RESERVATIONS),
	READS(DESCRIBE_LAUNCH_TEMPLATES),
	READS(DESCRIBE_PLACEMENT_GROUPS),
	[PLM_AWS_CALL_CREATE_FLEET] = LAUNCHES,
	[PLM_AWS_CALL_RUN_INSTANCES] = LAUNCHES,
	[PLM_AWS_CALL_CREATE_LAUNCH_TEMPLATE] = IN(LAUNCH_TAGGED),
	[PLM_AWS_CALL_DELETE_LAUNCH_TEMPLATE] = IN(END_OWN),
	[PLM_AWS_CALL_TERMINATE_INSTANCES] = IN(END_OWN),
	[PLM_AWS_CALL_CREATE_TAGS] = IN(TAG_AT_BIRTH) | IN(TAG_INSTANCES),
	[PLM_AWS_CALL_GET_CALLER_IDENTITY] = IN(READ_IDENTITY),
	[PLM_AWS_CALL_GET_INSTANCE_PROFILE] = IN(READ_PROFILES),
	[PLM_AWS_CALL_CREATE_INSTANCE_PROFILE] = IN(MAKE_PROFILES),
	[PLM_AWS_CALL_ADD_ROLE] = IN(CHANGE_PROFILES),
	[PLM_AWS_CALL_REMOVE_ROLE] = IN(CHANGE_PROFILES),
	[PLM_AWS_CALL_DELETE_INSTANCE_PROFILE] = IN(CHANGE_PROFILES),
	[PLM_AWS_CALL_GET_PARAMETER] = IN(READ_ALIASES),
	[PLM_AWS_CALL_GET_QUEUE_URL] = IN(TAKE_MESSAGES),
	[PLM_AWS_CALL_RECEIVE_MESSAGE] = IN(TAKE_MESSAGES),
	[PLM_AWS_CALL_DELETE_MESSAGE] = IN(TAKE_MESSAGES),
	[PLM_AWS_CALL_GET_PRODUCTS] = IN(READ_PRICES),
	[PLM_AWS_CALL_DESCRIBE_CLUSTER] = IN(READ_CLUSTER),
};
/* clang-format on */

const struct plm_aws_iam_statement *plm_aws_iam_rows(size_t *count)
{
	*count = STATEMENTS;
	return rows;
}

bool plm_aws_iam_gives(size_t index, enum plm_aws_call call)
{
	PLM_ASSERT(index < STATEMENTS && call > PLM_AWS_CALL_NONE && call < PLM_AWS_CALL_COUNT);
	return (given[call] & (1U << index)) != 0;
}

unsigned plm_aws_iam_statements(enum plm_aws_call call, bool observe)
{
	unsigned count = 0;

	for (size_t i = 0; i < STATEMENTS; i++) {
		count += plm_aws_iam_gives(i, call) && (!observe || !rows[i].enforce) ? 1 : 0;
	}
	return count;
}

const char *plm_aws_iam_right(enum plm_aws_call call, char out[PLM_AWS_RIGHT_SIZE])
{
	const struct plm_aws_call_row *row = plm_aws_call(call);
	const char *action = row->action;
	int size = 0;

	if (call == PLM_AWS_CALL_DELETE_MESSAGE) {
		action = "DeleteMessage"; /* which the batch needs as well */
	}
	size = snprintf(out, PLM_AWS_RIGHT_SIZE, "%s:%s", plm_aws_service(row->service)->name,
			action);
	PLM_ASSERT(size > 0 && size < PLM_AWS_RIGHT_SIZE);
	return out;
}
