#include "adapters/ec2/iam.h"

#include "plm_test.h"

#include <stdio.h>

static struct plm_arena arena;

static void every_call_has_a_statement(void **state)
{
	(void)state;
	for (int i = PLM_AWS_CALL_NONE + 1; i < PLM_AWS_CALL_COUNT; i++) {
		enum plm_aws_call call = (enum plm_aws_call)i;
		bool read = plm_aws_is_read(call);

		if (plm_aws_iam_statements(call, false) == 0) {
			fail_msg("%s has no statement in iam.c", plm_aws_call(call)->action);
		}
		if ((plm_aws_iam_statements(call, true) > 0) != read) {
			fail_msg("%s: allowed while observing or not, but the policy differs",
				 plm_aws_call(call)->action);
		}
	}
}

static void every_statement_has_a_call(void **state)
{
	size_t count = 0;
	const struct plm_aws_iam_statement *rows = plm_aws_iam_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		bool any = rows[i].rights[0] != NULL;

		for (int k = PLM_AWS_CALL_NONE + 1; k < PLM_AWS_CALL_COUNT; k++) {
			any = any || plm_aws_iam_gives(i, (enum plm_aws_call)k);
		}
		assert_true(any);
		assert_non_null(rows[i].resources[0]);
		/* The table is written in its order: conditions of one test stand together. */
		for (size_t a = 0; a < PLM_AWS_IAM_CONDITIONS && rows[i].conditions[a].test; a++) {
			for (size_t b = a + 2;
			     b < PLM_AWS_IAM_CONDITIONS && rows[i].conditions[b].test; b++) {
				const struct plm_aws_iam_condition *c = rows[i].conditions;

				assert_true(strcmp(c[a].test, c[b].test) != 0 ||
					    strcmp(c[a].test, c[b - 1].test) == 0);
			}
		}
	}
}

static void rights_are_as_iam_names_them(void **state)
{
	char text[PLM_AWS_RIGHT_SIZE];

	(void)state;
	assert_string_equal(plm_aws_iam_right(PLM_AWS_CALL_CREATE_FLEET, text), "ec2:CreateFleet");
	assert_string_equal(plm_aws_iam_right(PLM_AWS_CALL_DELETE_MESSAGE, text),
			    "sqs:DeleteMessage");
	assert_string_equal(plm_aws_iam_right(PLM_AWS_CALL_GET_PRODUCTS, text),
			    "pricing:GetProducts");
}

static const struct bad_case {
	const char *name;
	struct plm_aws_iam iam;
	const char *part;
} bad_table[] = {
	{"a document without a cluster", {.format = PLM_AWS_IAM_JSON}, "--cluster-name"},
	{"a cluster that ends the text", {.cluster = "a\"b"}, "--cluster-name"},
	{"a cluster that is a pattern", {.cluster = "*"}, "--cluster-name"},
	{"a cluster that is a variable", {.cluster = "${aws:x}"}, "--cluster-name"},
	{"no region", {.cluster = "c", .region = "*"}, "--region"},
	{"no account", {.cluster = "c", .account = "12345678901"}, "--account"},
	{"no account either", {.cluster = "c", .account = "1234567890123"}, "--account"},
	{"any queue", {.cluster = "c", .queue = "*"}, "--interruption-queue"},
	{"any role", {.cluster = "c", .role = "*"}, "--node-role"},
};

static void refuses_row(const struct bad_case *row)
{
	struct plm_text text = {.arena = &arena};
	struct plm_error err;

	plm_assert_fails(plm_aws_iam_write(&row->iam, &text, &err), PLM_E_USAGE, err, row->part);
	assert_int_equal(text.size, 0);
}
PLM_TEST_ROWS(refuses_row, struct bad_case)

/* With the longest names there are. */
static void each_policy_of_a_template_is_short_enough(void **state)
{
	char cluster[101];
	struct plm_aws_iam iam = {
		.enforce = true,
		.cluster = cluster,
		.region = "ap-southeast-2",
		.account = "123456789012",
		.role = "a-role-of-nodes-whose-name-has-sixty-four-characters-as-it-may-b",
	};
	struct plm_text all = {.arena = &arena};
	struct plm_text reads = {.arena = &arena};
	size_t counted[2] = {0};
	struct plm_error err;

	(void)state;
	memset(cluster, 'c', 100);
	cluster[100] = '\0';
	plm_assert_ok(plm_aws_iam_write(&iam, &all, &err), &err);
	iam.enforce = false;
	plm_assert_ok(plm_aws_iam_write(&iam, &reads, &err), &err);
	for (size_t i = 0; i < all.size; i++) {
		counted[0] += all.bytes[i] > 0x20;
	}
	for (size_t i = 0; i < reads.size; i++) {
		counted[1] += reads.bytes[i] > 0x20;
	}
	assert_in_range(counted[1], 1, PLM_AWS_MANAGED_POLICY_BYTES);
	assert_in_range(counted[0] - counted[1], 1, PLM_AWS_MANAGED_POLICY_BYTES);
}

int main(void)
{
	struct plm_tests tests = {0};
	struct plm_error err;

	PLM_ASSERT(plm_arena_init(&arena, 16UL * 1024 * 1024, &err) == PLM_OK);
	PLM_TEST_ADD(&tests, every_call_has_a_statement);
	PLM_TEST_ADD(&tests, every_statement_has_a_call);
	PLM_TEST_ADD(&tests, rights_are_as_iam_names_them);
	PLM_TEST_TABLE(&tests, refuses_row, bad_table);
	PLM_TEST_ADD(&tests, each_policy_of_a_template_is_short_enough);
	return plm_tests_run(&tests, "aws iam");
}
