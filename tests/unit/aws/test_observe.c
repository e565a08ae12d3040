/* With nothing enforced every call of the table is tried; what a server got of them is looked at. */
#include "adapters/ec2/query.h"

#include "plm_test.h"

#include "stage.h"

static struct stage stage;
static struct heard heard[PLM_AWS_CALL_COUNT];

static void send_all(bool exact)
{
	static char forms[PLM_AWS_CALL_COUNT][PLM_QUERY_HEAD_SIZE];

	for (int i = PLM_AWS_CALL_NONE + 1; i < PLM_AWS_CALL_COUNT; i++) {
		enum plm_aws_call call = (enum plm_aws_call)i;
		bool query = plm_aws_protocol(plm_aws_call(call)->service) == PLM_AWS_QUERY;
		struct plm_aws_request request = {
			.call = call,
			.path = call == PLM_AWS_CALL_DESCRIBE_CLUSTER ? "/clusters/x" : NULL,
			.on_done = heard_done,
			.self = &heard[i],
		};

		if (query && exact) {
			request.exact = true;
			request.body = plm_slice_str(plm_query_head(call, forms[i]));
		} else if (!query && request.path == NULL) {
			request.body = plm_slice_str("{}");
		}
		heard[i] = (struct heard){0};
		(void)plm_aws_send(stage.client, &request);
	}
}

/* All but those that are allowed are forbidden, and never left. */
static void look_at_all(unsigned modes)
{
	for (int i = PLM_AWS_CALL_NONE + 1; i < PLM_AWS_CALL_COUNT; i++) {
		const struct plm_aws_call_row *row = plm_aws_call((enum plm_aws_call)i);
		bool allowed = (row->modes & modes) != 0;

		stage_until(&stage, &heard[i].done, 1);
		if ((heard[i].class == PLM_AWS_FORBIDDEN) == allowed) {
			fail_msg("%s: %d %s", row->action, (int)heard[i].class, heard[i].message);
		}
		if (i != PLM_AWS_CALL_DESCRIBE_CLUSTER) {
			assert_int_equal(stage_times(&stage, row->action), allowed ? 1 : 0);
		}
	}
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void try_all(unsigned modes, bool exact)
{
	stage_open(&stage);
	plm_aws_client_allow(stage.client, modes);
	send_all(exact);
	look_at_all(modes);
}

static bool looks(const char *action)
{
	return begins(action, "Describe") || begins(action, "Get") || begins(action, "List") ||
	       strcmp(action, "/clusters/x") == 0;
}

static void look_at_what_left(void)
{
	for (size_t i = 0; i < stage.count; i++) {
		if (!looks(stage.asked[i].action)) {
			fail_msg("%s left the process", stage.asked[i].action);
		}
	}
}

static void observing_only_reads_leave(void **state)
{
	(void)state;
	for (int exact = 0; exact < 2; exact++) {
		try_all(PLM_AWS_OBSERVE, exact != 0);
		assert_true(stage.count > 10);
		look_at_what_left();
		assert_int_equal(stage_times(&stage, "ReceiveMessage"), 0);
		stage_close(&stage);
	}
}

static void before_it_is_allowed_nothing_leaves(void **state)
{
	(void)state;
	try_all(0, false);
	assert_int_equal(stage.count, 0);
	assert_int_equal(stage.keys.gets, 0);
	stage_close(&stage);
}

static void enforcing_all_leave(void **state)
{
	(void)state;
	try_all(PLM_AWS_OBSERVE | PLM_AWS_NODES, false);
	assert_int_equal(stage.count, PLM_AWS_CALL_COUNT - 1);
	stage_close(&stage);
}

/* What waits for its turn, its keys or another try when the mode changes does not leave. */
static void a_change_of_mode_reaches_what_waits(void **state)
{
	struct heard one;

	(void)state;
	stage_open(&stage);
	heard_send(&stage, &one, PLM_AWS_CALL_TERMINATE_INSTANCES, "InstanceId.1=i-1");
	plm_aws_client_allow(stage.client, PLM_AWS_OBSERVE);
	stage_until(&stage, &one.done, 1);
	assert_int_equal(one.class, PLM_AWS_FORBIDDEN);
	plm_aws_client_allow(stage.client, PLM_AWS_OBSERVE | PLM_AWS_NODES);
	stage.keys.hold = true;
	heard_send(&stage, &one, PLM_AWS_CALL_TERMINATE_INSTANCES, "InstanceId.1=i-1");
	while (stage.keys.gets == 0) {
		(void)uv_run(&stage.loop, UV_RUN_ONCE);
	}
	assert_int_equal(one.done, 0);
	plm_aws_client_allow(stage.client, PLM_AWS_OBSERVE); /* it waits for its keys */
	stage.keys.hold = false;
	stage_until(&stage, &one.done, 1);
	assert_int_equal(one.class, PLM_AWS_FORBIDDEN);
	assert_int_equal(stage.count, 0);
	stage_close(&stage);
}

static const struct smuggle_case {
	const char *name;
	enum plm_aws_call call;
	const char *body;
	bool exact;
} smuggle_table[] = {
	{"another action", PLM_AWS_CALL_DESCRIBE_INSTANCES,
	 "Action=TerminateInstances&Version=2016-11-15&InstanceId.1=i-1", true},
	{"a longer action", PLM_AWS_CALL_DESCRIBE_INSTANCES,
	 "Action=DescribeInstances&Version=2016-11-15x", true},
	{"an action behind it", PLM_AWS_CALL_DESCRIBE_INSTANCES,
	 "Action=DescribeInstances&Version=2016-11-15&Action=TerminateInstances", true},
	{"an action of its own", PLM_AWS_CALL_DESCRIBE_INSTANCES,
	 "Action=TerminateInstances&InstanceId.1=i-1", false},
	{"an action at the end", PLM_AWS_CALL_DESCRIBE_INSTANCES,
	 "InstanceId.1=i-1&Action=TerminateInstances", false},
	{"no form", PLM_AWS_CALL_DESCRIBE_INSTANCES, "", true},
	{"no body", PLM_AWS_CALL_GET_PARAMETER, "", false},
	{"no path", PLM_AWS_CALL_DESCRIBE_CLUSTER, "", false},
};

static void smuggles_row(const struct smuggle_case *row)
{
	struct heard one = {0};
	const struct plm_aws_request request = {
		.call = row->call,
		.body = plm_slice_str(row->body),
		.exact = row->exact,
		.on_done = heard_done,
		.self = &one,
	};

	stage_open(&stage);
	(void)plm_aws_send(stage.client, &request);
	stage_until(&stage, &one.done, 1);
	assert_int_equal(one.class, PLM_AWS_FORBIDDEN);
	assert_int_equal(stage.count, 0);
	stage_close(&stage);
}
PLM_TEST_ROWS(smuggles_row, struct smuggle_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, observing_only_reads_leave);
	PLM_TEST_ADD(&tests, before_it_is_allowed_nothing_leaves);
	PLM_TEST_ADD(&tests, enforcing_all_leave);
	PLM_TEST_ADD(&tests, a_change_of_mode_reaches_what_waits);
	PLM_TEST_TABLE(&tests, smuggles_row, smuggle_table);
	return plm_tests_run(&tests, "aws observe");
}
