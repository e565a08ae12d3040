/* Instance profiles of classes with a role: looked at in observe; made, mended and taken away while nodes are enforced. */
#include "plm_test.h"

#include "account.h"

#include "core/limits.h"

#include <stdio.h>

#define MINUTE (60 * 1000LL)

static struct account account;

#define CLASS(role)                                                                                \
	"apiVersion: karpenter.k8s.aws/v1\n"                                                       \
	"kind: EC2NodeClass\n"                                                                     \
	"metadata: {name: c, uid: uid-c}\n"                                                        \
	"spec:\n"                                                                                  \
	"  subnetSelectorTerms: [{id: subnet-a}]\n"                                                \
	"  securityGroupSelectorTerms: [{id: sg-1}]\n"                                             \
	"  amiFamily: AL2023\n"                                                                    \
	"  amiSelectorTerms: [{id: ami-amd}]\n"                                                    \
	"  tags: {team: ml}\n"                                                                     \
	"  role: " role "\n"
#define NAME "test-cluster_2223067389457606056"

static int times(const char *action)
{
	return stage_times(&account.stage, action);
}

static int changes(void)
{
	return times("CreateInstanceProfile") + times("AddRoleToInstanceProfile") +
	       times("RemoveRoleFromInstanceProfile") + times("DeleteInstanceProfile");
}

static const char *body_of(const char *action)
{
	for (size_t i = account.stage.count; i > 0; i--) {
		if (strcmp(account.stage.asked[i - 1].action, action) == 0) {
			return account.stage.asked[i - 1].body;
		}
	}
	fail_msg("%s was not asked", action);
	return "";
}

static void there_is(const char *name, const char *role)
{
	(void)snprintf(account.profile, sizeof(account.profile), "%s", name);
	(void)snprintf(account.role, sizeof(account.role), "%s", role);
}

static void expect_ready(void)
{
	account_expect(&account, "InstanceProfileReady", 1, "InstanceProfileReady", "");
	account_expect(&account, "Ready", 1, "Ready", "");
	plm_assert_text(account.status->instance_profile, account.profile);
}

static void observing_changes_nothing(void **state)
{
	(void)state;
	account_open(&account);
	account_saw(&account, CLASS("nodes"));
	account_start(&account, false);
	assert_int_equal(account.facts, 1);
	account_expect(&account, "InstanceProfileReady", 1, "InstanceProfileReady", "");
	plm_assert_text(account.status->instance_profile, NAME);
	account_gone(&account, PLM_KIND_NODE_CLASS, "c");
	for (int i = 0; i < 5; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(changes(), 0);
	assert_int_equal(times("DescribeInstances"), 0);
	account_close(&account);
}

static void one_that_is_not_there_is_made(void **state)
{
	(void)state;
	account_open(&account);
	account_saw(&account, CLASS("path/nodes"));
	account_start(&account, true);
	assert_string_equal(
		body_of("CreateInstanceProfile") + strlen("Action=CreateInstanceProfile&Version="
							  "2010-05-08&"),
		"InstanceProfileName=" NAME
		"&Path=%2Fkarpenter%2Fus-west-2%2Ftest-cluster%2Fuid-c%2F"
		"&Tags.member.1.Key=eks%3Aeks-cluster-name&Tags.member.1.Value=test-cluster"
		"&Tags.member.2.Key=karpenter.k8s.aws%2Fec2nodeclass&Tags.member.2.Value=c"
		"&Tags.member.3.Key=kubernetes.io%2Fcluster%2Ftest-cluster&Tags.member.3.Value="
		"owned"
		"&Tags.member.4.Key=team&Tags.member.4.Value=ml"
		"&Tags.member.5.Key=topology.kubernetes.io%2Fregion&Tags.member.5.Value=us-west-2");
	assert_string_equal(account.role, "nodes");
	assert_int_equal(changes(), 2);
	expect_ready();
	for (int i = 0; i < 40; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(changes(), 2);
	account_close(&account);
}

static void one_that_is_there_is_used(void **state)
{
	(void)state;
	account_open(&account);
	there_is(NAME, "nodes");
	account_saw(&account, CLASS("nodes"));
	account_start(&account, true);
	assert_int_equal(changes(), 0);
	expect_ready();
	account_close(&account);
}

/* IAM does not show at once what was made, by a process before this one. */
static void one_that_was_not_seen_is_as_good(void **state)
{
	(void)state;
	account_open(&account);
	there_is(NAME, "");
	account.refusal = (struct account_refusal){"GetInstanceProfile", "NoSuchEntity", 404, 1};
	account_saw(&account, CLASS("nodes"));
	account_start(&account, true);
	assert_int_equal(times("CreateInstanceProfile"), 1);
	assert_string_equal(account.role, "nodes");
	expect_ready();
	account_close(&account);
}

static void another_role_is_taken_out_first(void **state)
{
	(void)state;
	account_open(&account);
	there_is(NAME, "strangers");
	account_saw(&account, CLASS("nodes"));
	account_start(&account, true);
	assert_non_null(strstr(body_of("RemoveRoleFromInstanceProfile"), "RoleName=strangers"));
	assert_int_equal(times("CreateInstanceProfile"), 0);
	assert_string_equal(account.role, "nodes");
	expect_ready();
	account_close(&account);
}

static void a_role_that_is_not_there_is_said_and_tried_again(void **state)
{
	(void)state;
	account_open(&account);
	account.refusal =
		(struct account_refusal){"AddRoleToInstanceProfile", "NoSuchEntity", 404, 2};
	account_saw(&account, CLASS("nodes"));
	account_start(&account, true);
	account_expect(&account, "InstanceProfileReady", PLM_UNSET, "AwaitingReconciliation",
		       "AddRoleToInstanceProfile: NoSuchEntity: played");
	assert_non_null(strstr(account.stage.notes,
			       "instance profile " NAME " of class c: AddRoleToInstanceProfile: "
			       "NoSuchEntity"));
	assert_int_equal(times("AddRoleToInstanceProfile"), 1);
	account_after(&account, PLM_LIMIT_PROFILE_AGAIN_MS - 1);
	assert_int_equal(times("AddRoleToInstanceProfile"), 1);
	for (int i = 0; i < 4; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(times("AddRoleToInstanceProfile"), 3);
	expect_ready();
	account_close(&account);
}

static void it_goes_with_its_class_once_no_instance_is_left(void **state)
{
	(void)state;
	account_open(&account);
	account_saw(&account, CLASS("nodes"));
	account_start(&account, true);
	account.instances = true;
	account_gone(&account, PLM_KIND_NODE_CLASS, "c");
	account_after(&account, 0);
	assert_int_equal(times("DescribeInstances"), 0);
	for (int i = 0; i < 3; i++) {
		account_after(&account, MINUTE);
	}
	assert_true(times("DescribeInstances") >= 2);
	assert_non_null(strstr(body_of("DescribeInstances"),
			       "Filter.2.Name=tag%3Akarpenter.k8s.aws%2Fec2nodeclass&"
			       "Filter.2.Value.1=c&"
			       "Filter.3.Name=tag%3Aeks%3Aeks-cluster-name&"
			       "Filter.3.Value.1=test-cluster"));
	assert_string_equal(account.profile, NAME);
	account.instances = false;
	account_after(&account, MINUTE);
	assert_string_equal(account.profile, "");
	assert_int_equal(changes(), 4);
	for (int i = 0; i < 5; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(changes(), 4);
	account_close(&account);
}

static void a_class_that_is_back_keeps_it(void **state)
{
	(void)state;
	account_open(&account);
	account_saw(&account, CLASS("nodes"));
	account_start(&account, true);
	account_gone(&account, PLM_KIND_NODE_CLASS, "c");
	account_after(&account, MINUTE / 2);
	account_saw(&account, CLASS("nodes"));
	for (int i = 0; i < 5; i++) {
		account_after(&account, MINUTE);
	}
	assert_int_equal(changes(), 2);
	assert_int_equal(times("DescribeInstances"), 0);
	account_close(&account);
}

static void another_role_is_another_profile(void **state)
{
	(void)state;
	account_open(&account);
	there_is(NAME, "nodes");
	account_saw(&account, CLASS("nodes"));
	account_start(&account, true);
	account.profile[0] = account.role[0] = '\0';
	account_saw(&account, CLASS("others"));
	account_after(&account, 0);
	assert_string_not_equal(account.profile, NAME);
	assert_string_equal(account.role, "others");
	expect_ready();
	account_close(&account);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, observing_changes_nothing);
	PLM_TEST_ADD(&tests, one_that_is_not_there_is_made);
	PLM_TEST_ADD(&tests, one_that_is_there_is_used);
	PLM_TEST_ADD(&tests, one_that_was_not_seen_is_as_good);
	PLM_TEST_ADD(&tests, another_role_is_taken_out_first);
	PLM_TEST_ADD(&tests, a_role_that_is_not_there_is_said_and_tried_again);
	PLM_TEST_ADD(&tests, it_goes_with_its_class_once_no_instance_is_left);
	PLM_TEST_ADD(&tests, a_class_that_is_back_keeps_it);
	PLM_TEST_ADD(&tests, another_role_is_another_profile);
	return plm_tests_run(&tests, "classes profile");
}
