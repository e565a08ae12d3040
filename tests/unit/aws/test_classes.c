/* What node classes come to in a played account: conditions, choices, what is asked and how often. */
#include "plm_test.h"

#include "account.h"

#include "codec/codec.h"
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>

#define MINUTE (60 * 1000LL)

static struct account account;

#define HEAD                                                                                       \
	"apiVersion: karpenter.k8s.aws/v1\n"                                                       \
	"kind: EC2NodeClass\n"                                                                     \
	"metadata: {name: c, uid: uid-c}\n"                                                        \
	"spec:\n"
#define SUBNETS "  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: test-cluster}}]\n"
#define GROUPS "  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: test-cluster}}]\n"
#define PROFILE "  instanceProfile: nodes\n"
#define IDS "  amiFamily: AL2023\n  amiSelectorTerms: [{id: ami-amd}, {id: ami-arm}]\n"
#define PLAIN HEAD SUBNETS GROUPS PROFILE IDS
#define ALIAS(alias) HEAD SUBNETS GROUPS PROFILE "  amiSelectorTerms: [{alias: " alias "}]\n"

static void open_with(const char *yaml)
{
	account_open(&account);
	account_saw(&account, yaml);
}

/* ---- golden facts -------------------------------------------------------------------------------- */

static const struct golden_case {
	const char *name;
	bool pretty, eks;
} golden_table[] = {
	{"al2023", false, false},
	{"al2023", true, false},
	{"bottlerocket", false, true},
	{"template", false, false},
};

static struct plm_slice read_file(const char *path)
{
	char *bytes = PLM_NEW_ARRAY(&account.arena, 65536, char);
	FILE *file = fopen(path, "r");
	size_t size = 0;

	if (file == NULL) {
		return (struct plm_slice){0};
	}
	size = fread(bytes, 1, 65535, file);
	(void)fclose(file);
	return plm_slice_of(bytes, size);
}

/* One member a line, so that a difference is seen. */
static void write_json(FILE *file, struct plm_slice json)
{
	int depth = 0;

	for (size_t i = 0; i < json.size; i++) {
		char c = (char)json.ptr[i];

		depth += c == '{' || c == '[' ? 1 : 0;
		depth -= c == '}' || c == ']' ? 1 : 0;
		(void)fputc(c, file);
		if (c == ',' && depth <= 2) {
			(void)fputc('\n', file);
		}
	}
	(void)fputc('\n', file);
}

static struct plm_slice written(void)
{
	const struct plm_w_ec2_recipe *recipe = account_recipe(&account);
	struct plm_w_class_status status = *account.status;
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&bytes, &size);
	struct plm_slice out = {0};

	PLM_ASSERT(file != NULL);
	status.recipe = (struct plm_slice){0};
	write_json(file, plm_wire_json(&plm_type_class_status, &status, &account.arena));
	(void)fputs("---- recipe ----\n", file);
	write_json(file, plm_wire_json(&plm_type_ec2_recipe, recipe, &account.arena));
	assert_int_equal(fclose(file), 0);
	out = plm_arena_copy(&account.arena, plm_slice_of(bytes, size));
	free(bytes);
	return out;
}

static void compare(const char *name)
{
	struct plm_slice have = written();
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/tests/unit/aws/classes/%s.want",
		       getenv("PLM_SOURCE_ROOT"), name);
	if (getenv("PLM_UPDATE") != NULL) {
		FILE *file = fopen(path, "w");

		PLM_ASSERT(file != NULL);
		assert_int_equal(fwrite(have.ptr, 1, have.size, file), have.size);
		assert_int_equal(fclose(file), 0);
	}
	if (!plm_slice_equal(read_file(path), have)) {
		print_message("%.*s", (int)have.size, (const char *)have.ptr);
		fail_msg("%s is not what it was; PLM_UPDATE=1 writes it anew", path);
	}
}

static void fill_golden(void)
{
	account.subnets[2] = (struct account_subnet){"subnet-a2", "us-west-2a", 4001};
	account.subnets[3] = (struct account_subnet){"subnet-c", "us-west-2c", 0};
	account.groups[1] = "sg-0=all";
	account.parameters[0] =
		(struct account_parameter){"amazon-linux-2023/x86_64/standard", "ami-amd"};
	account.parameters[1] =
		(struct account_parameter){"amazon-linux-2023/x86_64/nvidia", "ami-gpu"};
	account.parameters[2] =
		(struct account_parameter){"amazon-linux-2023/arm64/standard", "ami-arm"};
	account.parameters[3] = (struct account_parameter){"aws-k8s-1.33/x86_64", "ami-amd"};
	account.parameters[4] = (struct account_parameter){"ubuntu/eks/22.04", "ami-amd"};
	account.images[2] =
		(struct account_image){"ami-gpu", "node-nvidia", "x86_64",
				       "2025-11-20T00:00:00.000Z", "2025-12-31T00:00:00.000Z"};
	account.reservations =
		"<item><capacityReservationId>cr-1</capacityReservationId><ownerId>123456789012"
		"</ownerId><availabilityZone>us-west-2a</availabilityZone><instanceType>p5.48xlarge"
		"</instanceType><instanceMatchCriteria>targeted</instanceMatchCriteria>"
		"<reservationType>capacity-block</reservationType>"
		"<endDate>2026-02-01T00:00:00.000Z</endDate><state>active</state></item>";
	account.placement = "pg-0123";
	account.cluster =
		"{\"name\":\"test-cluster\",\"version\":\"1.33\",\"endpoint\":\"https://eks\","
		"\"certificateAuthority\":{\"data\":\"ZWtz\"},\"kubernetesNetworkConfig\":{"
		"\"ipFamily\":\"ipv6\",\"serviceIpv6Cidr\":\"fd30:1c53:5f8a::/108\"}}";
}

static void golden_row(const struct golden_case *row)
{
	char path[512];
	struct plm_slice yaml = {0};

	account_open(&account);
	fill_golden();
	account.pretty = row->pretty;
	if (row->eks) {
		account.context.options.eks = true;
		account.context.options.cluster_endpoint = NULL;
		account.context.options.cluster_ca = NULL;
		account.context.options.kubernetes_version = NULL;
		account.context.options.service_cidr = NULL;
	}
	(void)snprintf(path, sizeof(path), "%s/tests/unit/aws/classes/%s.yaml",
		       getenv("PLM_SOURCE_ROOT"), row->name);
	yaml = read_file(path);
	assert_true(yaml.size > 0);
	account_saw(&account, (const char *)yaml.ptr);
	account_start(&account, false);
	assert_int_equal(account.facts, 1);
	compare(row->name);
	account_close(&account);
}
PLM_TEST_ROWS(golden_row, struct golden_case)

/* ---- conditions ---------------------------------------------------------------------------------- */

static void no_subnets(void)
{
	account.subnets[0].id = NULL;
}
static void no_addresses(void)
{
	account.subnets[0].free = account.subnets[1].free = 0;
}
static void no_groups(void)
{
	account.groups[0] = NULL;
}
static void no_images(void)
{
	account.images[0].id = NULL;
}
static void old_kubernetes(void)
{
	account.context.options.kubernetes_version = "1.34";
}
static void no_version(void)
{
	account.context.options.kubernetes_version = NULL;
}
static void no_endpoint(void)
{
	account.context.options.cluster_endpoint = NULL;
}
static void no_cidr(void)
{
	account.context.options.service_cidr = NULL;
}
static void a_group(void)
{
	account.placement = "pg-1";
}
static void an_image_of_a_parameter(void)
{
	account.parameters[0] = (struct account_parameter){"/golden/image", "ami-amd"};
}
static void no_image_of_a_parameter(void)
{
	account.parameters[0] = (struct account_parameter){"/golden/image", "not an image"};
	account.images[0].id = NULL;
}
static void as_it_is(void)
{
}

/* clang-format off */
static const struct condition_case {
	const char *why, *yaml;
	void (*change)(void);
	const char *type;
	int64_t met;
	const char *reason, *message;
} condition_table[] = {
	{"all is well", PLAIN, as_it_is, "Ready", 1, "Ready", ""},
	{"images are there", PLAIN, as_it_is, "AMIsReady", 1, "AMIsReady", ""},
	{"subnets are there", PLAIN, as_it_is, "SubnetsReady", 1, "SubnetsReady", ""},
	{"groups are there", PLAIN, as_it_is, "SecurityGroupsReady", 1, "SecurityGroupsReady", ""},
	{"a profile is named", PLAIN, as_it_is, "InstanceProfileReady", 1, "InstanceProfileReady", ""},
	{"no reservations are selected", PLAIN, as_it_is, "CapacityReservationsReady", 1, "CapacityReservationsReady", ""},
	{"no placement group is selected", PLAIN, as_it_is, "PlacementGroupReady", 1, "PlacementGroupReady", ""},
	{"valid", PLAIN, as_it_is, "ValidationSucceeded", 1, "ValidationSucceeded", ""},
	{"no subnet", PLAIN, no_subnets, "SubnetsReady", 0, "SubnetsNotFound", "SubnetSelector did not match any Subnets"},
	{"ready names what is not", PLAIN, no_subnets, "Ready", 0, "UnhealthyDependents", "SubnetsReady=False, ValidationSucceeded=False"},
	{"validation waits for it", PLAIN, no_subnets, "ValidationSucceeded", 0, "DependenciesNotReady", "Awaiting AMI, Instance Profile, Security Group, and Subnet resolution"},
	{"no address", PLAIN, no_addresses, "SubnetsReady", 0, "SubnetsExhausted", "has an address left"},
	{"no group", PLAIN, no_groups, "SecurityGroupsReady", 0, "SecurityGroupsNotFound", "SecurityGroupSelector did not match any SecurityGroups"},
	{"no image", PLAIN, no_images, "AMIsReady", 0, "AMINotFound", "AMISelector did not match any AMIs"},
	{"no parameter of an alias", ALIAS("al2023@latest"), no_images, "AMIsReady", 0, "AMINotFound", "AMISelector did not match any AMIs"},
	{"AL2 after its end", ALIAS("al2@latest"), old_kubernetes, "AMIsReady", 0, "UnsupportedAlias", "AL2 aliases are no longer supported on EKS 1.33+"},
	{"Windows before its time", ALIAS("windows2025@latest"), old_kubernetes, "AMIsReady", 0, "UnsupportedAlias", "current version: 1.34"},
	{"no version of Kubernetes", ALIAS("al2023@latest"), no_version, "AMIsReady", PLM_UNSET, "AwaitingReconciliation", "the version of Kubernetes is not known"},
	{"and Ready is not known", ALIAS("al2023@latest"), no_version, "Ready", PLM_UNSET, "ReconcilingDependents", "AMIsReady=Unknown, ValidationSucceeded=Unknown"},
	{"a parameter of the user", HEAD SUBNETS GROUPS PROFILE "  amiFamily: AL2023\n  amiSelectorTerms: [{ssmParameter: /golden/image}]\n", an_image_of_a_parameter, "AMIsReady", 1, "AMIsReady", ""},
	{"which is no image", HEAD SUBNETS GROUPS PROFILE "  amiFamily: AL2023\n  amiSelectorTerms: [{ssmParameter: /golden/image}]\n", no_image_of_a_parameter, "AMIsReady", 0, "AMINotFound", ""},
	{"no profile", HEAD SUBNETS GROUPS IDS, as_it_is, "InstanceProfileReady", 0, "InstanceProfileNotFound", ""},
	{"a placement group", PLAIN "  placementGroupSelector: {name: n}\n", a_group, "PlacementGroupReady", 1, "PlacementGroupReady", ""},
	{"which is not there", PLAIN "  placementGroupSelector: {name: n}\n", as_it_is, "PlacementGroupReady", 0, "PlacementGroupNotFound", "Placement group \"n\" not found"},
	{"no endpoint", PLAIN, no_endpoint, "ValidationSucceeded", 0, "ClusterEndpointResolutionFailed", ""},
	{"no addresses of services", PLAIN, no_cidr, "ValidationSucceeded", 0, "ClusterCIDRResolutionFailed", "Failed to detect the cluster CIDR"},
	{"a kubelet field of AL2023 only", HEAD SUBNETS GROUPS PROFILE "  amiFamily: Bottlerocket\n  amiSelectorTerms: [{id: ami-amd}]\n  kubelet: {registryPullQPS: 5}\n", as_it_is, "ValidationSucceeded", 0, "UnsupportedKubeletConfiguration", "spec.kubelet.registryPullQPS is not applied by AMI family Bottlerocket"},
	{"user data that cannot be read", HEAD SUBNETS GROUPS PROFILE "  amiFamily: Bottlerocket\n  amiSelectorTerms: [{id: ami-amd}]\n  userData: '[['\n", as_it_is, "ValidationSucceeded", 0, "UserDataInvalid", ""},
};
/* clang-format on */

static void condition_row(const struct condition_case *row)
{
	account_open(&account);
	row->change();
	account_saw(&account, row->yaml);
	account_start(&account, false);
	assert_int_equal(account.facts, 1);
	account_expect(&account, row->type, row->met, row->reason, row->message);
	/* What a launch is told is the first that is not met. */
	assert_int_equal(account.status->not_ready.size == 0,
			 account_condition(&account, "Ready")->met == 1);
	account_close(&account);
}
PLM_TEST_ROWS(condition_row, struct condition_case)

static void not_ready_says_the_first_reason(void **state)
{
	(void)state;
	account_open(&account);
	no_groups();
	account_saw(&account, PLAIN);
	account_start(&account, false);
	plm_assert_text(account.status->not_ready,
			"SecurityGroupsNotFound: SecurityGroupSelector did not match any "
			"SecurityGroups");
	account_close(&account);
}

/* ---- asking -------------------------------------------------------------------------------------- */

static const char *body_of(const char *action)
{
	for (size_t i = 0; i < account.stage.count; i++) {
		if (strcmp(account.stage.asked[i].action, action) == 0) {
			return account.stage.asked[i].body;
		}
	}
	fail_msg("%s was not asked", action);
	return "";
}

/* clang-format off */
static const struct form_case {
	const char *why, *yaml, *action, *body;
} form_table[] = {
	{"subnets by tag", PLAIN, "DescribeSubnets", "Filter.1.Name=tag%3Akarpenter.sh%2Fdiscovery&Filter.1.Value.1=test-cluster&MaxResults=500"},
	{"subnets by id, in one question", HEAD "  subnetSelectorTerms: [{id: subnet-b}, {id: subnet-a}, {id: subnet-b}]\n" GROUPS PROFILE IDS, "DescribeSubnets", "Filter.1.Name=subnet-id&Filter.1.Value.1=subnet-a&Filter.1.Value.2=subnet-b"},
	{"any value of a tag", HEAD "  subnetSelectorTerms: [{tags: {team: '*', env: a b}}]\n" GROUPS PROFILE IDS, "DescribeSubnets", "Filter.1.Name=tag%3Aenv&Filter.1.Value.1=a%20b&Filter.2.Name=tag-key&Filter.2.Value.1=team&MaxResults=500"},
	{"groups by name", HEAD SUBNETS "  securityGroupSelectorTerms: [{name: nodes}]\n" PROFILE IDS, "DescribeSecurityGroups", "Filter.1.Name=group-name&Filter.1.Value.1=nodes"},
	{"images by id", PLAIN, "DescribeImages", "Filter.1.Name=state&Filter.1.Value.1=available&Filter.2.Name=image-id&Filter.2.Value.1=ami-amd&Filter.2.Value.2=ami-arm&IncludeDeprecated=true"},
	{"images by name, of known owners", HEAD SUBNETS GROUPS PROFILE "  amiFamily: AL2023\n  amiSelectorTerms: [{name: 'node-*'}]\n", "DescribeImages", "Filter.1.Name=state&Filter.1.Value.1=available&Filter.2.Name=name&Filter.2.Value.1=node-%2A&IncludeDeprecated=true&MaxResults=1000&Owner.1=self&Owner.2=amazon"},
	{"images of an owner, by tag", HEAD SUBNETS GROUPS PROFILE "  amiFamily: AL2023\n  amiSelectorTerms: [{owner: '123', tags: {a: b}}]\n", "DescribeImages", "Filter.1.Name=state&Filter.1.Value.1=available&Filter.2.Name=tag%3Aa&Filter.2.Value.1=b&IncludeDeprecated=true&MaxResults=1000&Owner.1=123"},
	{"reservations", PLAIN "  capacityReservationSelectorTerms: [{ownerID: '123456789012', instanceMatchCriteria: open}]\n", "DescribeCapacityReservations", "Filter.1.Name=state&Filter.1.Value.1=active&Filter.2.Name=owner-id&Filter.2.Value.1=123456789012&Filter.3.Name=instance-match-criteria&Filter.3.Value.1=open&MaxResults=1000"},
	{"a reservation by id", PLAIN "  capacityReservationSelectorTerms: [{id: cr-1}]\n", "DescribeCapacityReservations", "CapacityReservationId.1=cr-1&Filter.1.Name=state&Filter.1.Value.1=active"},
	{"a placement group", PLAIN "  placementGroupSelector: {id: pg-1}\n", "DescribePlacementGroups", "Filter.1.Name=group-id&Filter.1.Value.1=pg-1"},
	{"a parameter", ALIAS("al2023@v20250101"), "GetParameter", "{\"Name\":\"/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/"},
};
/* clang-format on */

static void form_row(const struct form_case *row)
{
	open_with(row->yaml);
	account_start(&account, false);
	if (strstr(body_of(row->action), row->body) == NULL) {
		fail_msg("asked %s\nnot %s", body_of(row->action), row->body);
	}
	account_close(&account);
}
PLM_TEST_ROWS(form_row, struct form_case)

static int times(const char *action)
{
	return stage_times(&account.stage, action);
}

static void classes_share_a_question(void **state)
{
	(void)state;
	open_with(PLAIN "---\n"
			"apiVersion: karpenter.k8s.aws/v1\n"
			"kind: EC2NodeClass\n"
			"metadata: {name: d, uid: uid-d}\n"
			"spec:\n" SUBNETS
			"  securityGroupSelectorTerms: [{id: sg-1}]\n" PROFILE IDS);
	account_start(&account, false);
	assert_int_equal(account.facts, 2);
	assert_int_equal(times("DescribeSubnets"), 1);
	assert_int_equal(times("DescribeSecurityGroups"), 2);
	assert_int_equal(times("DescribeImages"), 1);
	account_close(&account);
}

static void pages_are_one_answer(void **state)
{
	(void)state;
	open_with(PLAIN);
	account.pages = true;
	account_start(&account, false);
	assert_int_equal(times("DescribeSubnets"), 3);
	assert_int_equal(account.facts, 1);
	assert_int_equal(account.status->subnets.count, 2);
	account_close(&account);
}

static void what_is_old_is_asked_again_and_told_when_it_changed(void **state)
{
	(void)state;
	open_with(PLAIN);
	account_start(&account, false);
	assert_int_equal(times("DescribeSubnets"), 1);
	account_after(&account, MINUTE);
	assert_int_equal(times("DescribeSubnets"), 2);
	assert_int_equal(times("DescribeSecurityGroups"), 1);
	for (int i = 0; i < 4; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(times("DescribeSubnets"), 6);
	assert_int_equal(times("DescribeSecurityGroups"), 2);
	assert_int_equal(times("DescribeImages"), 2);
	assert_int_equal(account.facts, 1);
	account.groups[1] = "sg-2=more";
	for (int i = 0; i < 5; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(account.facts, 2);
	assert_int_equal(account.status->security_groups.count, 2);
	account_close(&account);
}

static void parameters_hold_a_day(void **state)
{
	(void)state;
	open_with(ALIAS("al2023@latest"));
	account.parameters[0] = (struct account_parameter){"amazon-linux-2023/", "ami-amd"};
	account_start(&account, false);
	assert_int_equal(times("GetParameter"), 5);
	account_after(&account, 23 * 60 * MINUTE);
	assert_int_equal(times("GetParameter"), 5);
	account_after(&account, 60 * MINUTE);
	assert_int_equal(times("GetParameter"), 10);
	account_close(&account);
}

/* The alias may name another image by now. */
static void the_parameter_of_a_deprecated_image_is_doubted(void **state)
{
	(void)state;
	open_with(ALIAS("al2023@latest"));
	account.parameters[0] =
		(struct account_parameter){"amazon-linux-2023/x86_64/standard", "ami-amd"};
	account.parameters[1] = (struct account_parameter){"amazon-linux-2023/", "ami-arm"};
	account.images[0].deprecated = "2026-01-01T00:10:00.000Z";
	account_start(&account, false);
	assert_int_equal(times("GetParameter"), 5);
	account_after(&account, 40 * MINUTE);
	assert_int_equal(times("GetParameter"), 6);
	account_close(&account);
}

static void a_changed_class_is_looked_at_at_once(void **state)
{
	(void)state;
	open_with(PLAIN);
	account_start(&account, false);
	account_after(&account, 20 * 1000);
	assert_int_equal(times("DescribeImages"), 1);
	account_saw(&account, PLAIN "  detailedMonitoring: true\n");
	account_after(&account, 0);
	assert_int_equal(times("DescribeSubnets"), 2);
	assert_int_equal(times("DescribeSecurityGroups"), 2);
	assert_int_equal(times("DescribeImages"), 2);
	assert_int_equal(account.facts, 2);
	assert_int_equal(account_recipe(&account)->class.setup.detailed_monitoring, 1);
	account_close(&account);
}

static void what_nobody_selects_is_not_asked(void **state)
{
	(void)state;
	open_with(PLAIN);
	account_start(&account, false);
	account_gone(&account, PLM_KIND_NODE_CLASS, "c");
	account_after(&account, 10 * MINUTE);
	account_after(&account, 10 * MINUTE);
	assert_int_equal(times("DescribeSubnets"), 1);
	assert_int_equal(account.facts, 1);
	account_close(&account);
}

static void what_a_list_does_not_show_is_gone(void **state)
{
	(void)state;
	open_with(PLAIN);
	account_start(&account, false);
	account_list(&account, PLM_KIND_NODE_TEMPLATE, true);
	account_list(&account, PLM_KIND_NODE_TEMPLATE, false);
	account_list(&account, PLM_KIND_NODE_CLASS, true);
	account_saw(&account, PLAIN);
	account_list(&account, PLM_KIND_NODE_CLASS, false);
	account_after(&account, MINUTE);
	assert_int_equal(times("DescribeSubnets"), 2);
	account_list(&account, PLM_KIND_NODE_CLASS, true);
	account_list(&account, PLM_KIND_NODE_CLASS, false);
	account_after(&account, MINUTE);
	assert_int_equal(times("DescribeSubnets"), 2);
	account_close(&account);
}

static void before_the_start_nothing_leaves(void **state)
{
	(void)state;
	open_with(PLAIN);
	stage_run(&account.stage, 20);
	assert_int_equal(account.stage.count, 0);
	account_close(&account);
}

/* ---- failures ------------------------------------------------------------------------------------ */

static void a_throttled_read_is_repeated(void **state)
{
	(void)state;
	open_with(PLAIN);
	account.refusal =
		(struct account_refusal){"DescribeSubnets", "RequestLimitExceeded", 503, 1};
	account_start(&account, false);
	for (int i = 0; i < 100 && account.facts == 0; i++) {
		stage_run(&account.stage, 20);
	}
	assert_int_equal(account.facts, 1);
	account_expect(&account, "Ready", 1, "Ready", "");
	account_close(&account);
}

static void what_was_known_stands_while_it_cannot_be_asked(void **state)
{
	(void)state;
	open_with(PLAIN);
	account_start(&account, false);
	account.refusal = (struct account_refusal){"Describe", "UnauthorizedOperation", 403, 1000};
	for (int i = 0; i < 14; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(account.facts, 1);
	assert_non_null(strstr(account.stage.notes, "node classes: DescribeSubnets: "
						    "UnauthorizedOperation: played (what was said "
						    "last is used)"));
	for (int i = 0; i < 8; i++) {
		account_after(&account, MINUTE);
	}
	account_expect(&account, "Ready", 1, "Ready", "");
	account_expect(&account, "SubnetsReady", 1, "SubnetsReady",
		       "as it was last seen; since then DescribeSubnets: UnauthorizedOperation");
	assert_int_equal(account.status->subnets.count, 2);
	account.refusal.times = 0;
	for (int i = 0; i < 6; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(account_condition(&account, "SubnetsReady")->message.size, 0);
	assert_non_null(strstr(account.stage.notes, "DescribeSubnets is answered again"));
	account_close(&account);
}

/* A status in the log is better than one that knows nothing, for a while. */
static void what_never_was_known_is_told_late(void **state)
{
	(void)state;
	open_with(PLAIN);
	account.refusal =
		(struct account_refusal){"DescribeSubnets", "UnauthorizedOperation", 403, 1000};
	account_start(&account, false);
	account_after(&account, MINUTE);
	assert_int_equal(account.facts, 0);
	account_after(&account, MINUTE);
	assert_int_equal(account.facts, 1);
	account_expect(&account, "SubnetsReady", PLM_UNSET, "AwaitingReconciliation",
		       "DescribeSubnets: UnauthorizedOperation: played");
	account_expect(&account, "ValidationSucceeded", PLM_UNSET, "DependenciesNotReady",
		       "Awaiting AMI");
	plm_assert_text(account.status->not_ready,
			"AwaitingReconciliation: DescribeSubnets: UnauthorizedOperation: played");
	account_close(&account);
}

/* ---- choices ------------------------------------------------------------------------------------- */

static void expect_subnets(const char *want)
{
	const struct plm_w_class_subnet *list = account.status->subnets.ptr;
	char have[256] = "";

	for (size_t i = 0; i < account.status->subnets.count; i++) {
		size_t size = strlen(have);

		(void)snprintf(have + size, sizeof(have) - size, "%s%.*s", i == 0 ? "" : " ",
			       (int)list[i].id.size, (const char *)list[i].id.ptr);
	}
	assert_string_equal(have, want);
}

static void the_best_subnet_stays_the_best(void **state)
{
	(void)state;
	open_with(PLAIN);
	account.subnets[2] = (struct account_subnet){"subnet-a2", "us-west-2a", 4001};
	account_start(&account, false);
	expect_subnets("subnet-a2 subnet-a subnet-b");
	account.subnets[2].free = 2000;
	account_after(&account, MINUTE);
	assert_int_equal(account.facts, 1);
	account.subnets[2].free = 1999;
	account_after(&account, MINUTE);
	assert_int_equal(account.facts, 2);
	expect_subnets("subnet-a subnet-a2 subnet-b");
	plm_assert_text(
		plm_ec2_recipe_subnet(account_recipe(&account), plm_slice_str("us-west-2a")),
		"subnet-a");
	account.subnets[2].free = 7999;
	account_after(&account, MINUTE);
	assert_int_equal(account.facts, 2);
	account_close(&account);
}

static void a_subnet_without_addresses_is_left_out_until_it_has_some(void **state)
{
	(void)state;
	open_with(PLAIN);
	account_start(&account, false);
	account.subnets[0].free = 0;
	account_after(&account, MINUTE);
	expect_subnets("subnet-b");
	account.subnets[0].free = PLM_LIMIT_CLASS_SUBNET_BACK - 1;
	account_after(&account, MINUTE);
	assert_int_equal(account.facts, 2);
	account.subnets[0].free = PLM_LIMIT_CLASS_SUBNET_BACK;
	account_after(&account, MINUTE);
	assert_int_equal(account.facts, 3);
	expect_subnets("subnet-a subnet-b");
	account.subnets[0].free = 1;
	account_after(&account, MINUTE);
	assert_int_equal(account.facts, 3);
	account_close(&account);
}

/* Deprecated only where there is no other. */
static void the_newest_image_of_each_hardware_is_taken(void **state)
{
	const struct plm_w_class_image *images = NULL;

	(void)state;
	open_with(HEAD SUBNETS GROUPS PROFILE
		  "  amiFamily: AL2023\n  amiSelectorTerms: [{name: 'node-*'}]\n");
	account.images[2] = (struct account_image){"ami-old", "node-old", "x86_64",
						   "2025-10-01T00:00:00.000Z", NULL};
	account.images[3] =
		(struct account_image){"ami-new", "node-new", "x86_64", "2025-12-30T00:00:00.000Z",
				       "2025-12-31T00:00:00.000Z"};
	account.images[4] = (struct account_image){"ami-mac", "mac", "x86_64_mac",
						   "2025-12-30T00:00:00.000Z", NULL};
	account_start(&account, false);
	images = account.status->images.ptr;
	assert_int_equal(account.status->images.count, 2);
	plm_assert_text(images[0].id, "ami-arm");
	plm_assert_text(images[1].id, "ami-amd");
	assert_int_equal(images[1].deprecated, 0);
	account_close(&account);
}

/* JSON is not looked at for that, and facts are UTF-8. */
static void what_is_no_text_is_cut_off(void **state)
{
	(void)state;
	open_with(PLAIN);
	account.context.options.eks = true;
	account.context.options.cluster_endpoint = NULL;
	account.cluster = "{\"name\":\"test-cluster\",\"endpoint\":\"https://a\xff\xfe\"}";
	account_start(&account, false);
	assert_int_equal(account.facts, 1);
	plm_assert_text(account_recipe(&account)->endpoint, "https://a");
	account_close(&account);
}

static void equal_classes_have_equal_recipes(void **state)
{
	struct plm_slice recipe = {0};

	(void)state;
	open_with(PLAIN);
	account_start(&account, false);
	recipe = account.status->recipe;
	account_saw(&account, "apiVersion: karpenter.k8s.aws/v1\n"
			      "kind: EC2NodeClass\n"
			      "metadata: {name: c, uid: another, labels: {a: b}}\n"
			      "spec:\n" SUBNETS GROUPS PROFILE
			      "  amiFamily: AL2023\n  amiSelectorTerms: [{id: ami-amd}]\n");
	account_after(&account, 0);
	assert_int_equal(account.facts, 2);
	plm_assert_text(account.status->uid, "another");
	assert_true(plm_slice_equal(recipe, account.status->recipe));
	account_close(&account);
}

static void selected_reservations_are_known(void **state)
{
	(void)state;
	open_with(PLAIN "  capacityReservationSelectorTerms: [{id: cr-1}]\n");
	fill_golden();
	account_start(&account, false);
	assert_true(plm_ec2_classes_reserve(account.classes, plm_slice_str("cr-1")));
	assert_false(plm_ec2_classes_reserve(account.classes, plm_slice_str("cr-2")));
	account_close(&account);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, golden_row, golden_table);
	PLM_TEST_TABLE(&tests, condition_row, condition_table);
	PLM_TEST_ADD(&tests, not_ready_says_the_first_reason);
	PLM_TEST_TABLE(&tests, form_row, form_table);
	PLM_TEST_ADD(&tests, classes_share_a_question);
	PLM_TEST_ADD(&tests, pages_are_one_answer);
	PLM_TEST_ADD(&tests, what_is_old_is_asked_again_and_told_when_it_changed);
	PLM_TEST_ADD(&tests, parameters_hold_a_day);
	PLM_TEST_ADD(&tests, the_parameter_of_a_deprecated_image_is_doubted);
	PLM_TEST_ADD(&tests, a_changed_class_is_looked_at_at_once);
	PLM_TEST_ADD(&tests, what_nobody_selects_is_not_asked);
	PLM_TEST_ADD(&tests, what_a_list_does_not_show_is_gone);
	PLM_TEST_ADD(&tests, before_the_start_nothing_leaves);
	PLM_TEST_ADD(&tests, a_throttled_read_is_repeated);
	PLM_TEST_ADD(&tests, what_was_known_stands_while_it_cannot_be_asked);
	PLM_TEST_ADD(&tests, what_never_was_known_is_told_late);
	PLM_TEST_ADD(&tests, the_best_subnet_stays_the_best);
	PLM_TEST_ADD(&tests, a_subnet_without_addresses_is_left_out_until_it_has_some);
	PLM_TEST_ADD(&tests, the_newest_image_of_each_hardware_is_taken);
	PLM_TEST_ADD(&tests, what_is_no_text_is_cut_off);
	PLM_TEST_ADD(&tests, equal_classes_have_equal_recipes);
	PLM_TEST_ADD(&tests, selected_reservations_are_known);
	return plm_tests_run(&tests, "classes");
}
