#include "plm_test.h"

#include "stage.h"

#include "core/limits.h"

#include <stdio.h>

static struct stage stage;
static struct heard one;

static int set_up(void **state)
{
	(void)state;
	stage_open(&stage);
	return 0;
}

/* ---- what a server sees -------------------------------------------------------------------------- */

static void forms_have_action_and_version(void **state)
{
	(void)set_up(state);
	heard_call(&stage, &one, PLM_AWS_CALL_DESCRIBE_INSTANCES, "MaxResults=5");
	assert_int_equal(one.class, PLM_AWS_DONE);
	assert_string_equal(one.root, "DescribeInstancesResponse");
	assert_string_equal(one.request_id, "audit-7"); /* the header's comes first */
	assert_string_equal(stage.asked[0].method, "POST");
	assert_string_equal(stage.asked[0].path, "/");
	assert_string_equal(stage.asked[0].body,
			    "Action=DescribeInstances&Version=2016-11-15&MaxResults=5");
	assert_string_equal(stage.asked[0].content_type,
			    "application/x-www-form-urlencoded; charset=utf-8");
	assert_string_equal(plm_aws_region(stage.client), "us-west-2");
	heard_call(&stage, &one, PLM_AWS_CALL_GET_CALLER_IDENTITY, NULL);
	assert_string_equal(stage.asked[1].body, "Action=GetCallerIdentity&Version=2011-06-15");
	stage_close(&stage);
}

static void exact_forms_leave_as_they_are(void **state)
{
	static const char form[] = "Action=CreateFleet&Version=2016-11-15&ClientToken=t";
	const struct plm_aws_request request = {
		.call = PLM_AWS_CALL_CREATE_FLEET,
		.body = plm_slice_str(form),
		.exact = true,
		.on_done = heard_done,
		.self = &one,
	};

	(void)set_up(state);
	one = (struct heard){0};
	(void)plm_aws_send(stage.client, &request);
	stage_until(&stage, &one.done, 1);
	assert_int_equal(one.class, PLM_AWS_DONE);
	assert_string_equal(stage.asked[0].body, form);
	stage_close(&stage);
}

static void json_has_a_target(void **state)
{
	(void)set_up(state);
	heard_call(&stage, &one, PLM_AWS_CALL_GET_PARAMETER, "{\"Name\":\"x\"}");
	assert_int_equal(one.class, PLM_AWS_DONE);
	assert_string_equal(stage.asked[0].target, "AmazonSSM.GetParameter");
	assert_string_equal(stage.asked[0].content_type, "application/x-amz-json-1.1");
	heard_call(&stage, &one, PLM_AWS_CALL_RECEIVE_MESSAGE, "{}");
	assert_string_equal(stage.asked[1].target, "AmazonSQS.ReceiveMessage");
	assert_string_equal(stage.asked[1].content_type, "application/x-amz-json-1.0");
	heard_call(&stage, &one, PLM_AWS_CALL_DESCRIBE_CLUSTER, NULL);
	assert_string_equal(stage.asked[2].method, "GET");
	assert_string_equal(stage.asked[2].path, "/clusters/main");
	stage_close(&stage);
}

/* ---- repetitions --------------------------------------------------------------------------------- */

/* The first 'faults' answers are 'status' with 'code'. */
static struct {
	int faults;
	unsigned status;
	const char *code, *headers;
} play;

static void faulty(struct stage *at, const struct stage_asked *asked, struct server_answer *answer)
{
	if (play.faults-- <= 0) {
		return;
	}
	answer->headers = play.headers;
	if (play.code == NULL) {
		answer->close = true;
	} else {
		stage_refuse(at, asked, answer, play.status, play.code);
	}
}

static const struct repeat_case {
	const char *name;
	enum plm_aws_call call;
	int faults;
	unsigned status;
	const char *code; /* NULL: the connection ends without an answer */
	int asked;
	enum plm_aws_class class;
} repeat_table[] = {
	{"a throttled read", PLM_AWS_CALL_DESCRIBE_INSTANCES, 2, 503, "RequestLimitExceeded", 3,
	 PLM_AWS_DONE},
	{"a read without an answer", PLM_AWS_CALL_DESCRIBE_INSTANCES, 1, 0, NULL, 2, PLM_AWS_DONE},
	{"a read and an internal error", PLM_AWS_CALL_DESCRIBE_INSTANCES, 1, 500, "InternalError",
	 2, PLM_AWS_DONE},
	{"a read that never does", PLM_AWS_CALL_DESCRIBE_INSTANCES, 99, 500, "InternalError",
	 PLM_LIMIT_AWS_READ_TRIES, PLM_AWS_UNKNOWN},
	{"a read that is refused", PLM_AWS_CALL_DESCRIBE_INSTANCES, 1, 400, "InvalidParameterValue",
	 1, PLM_AWS_REFUSED},
	{"a throttled launch", PLM_AWS_CALL_CREATE_FLEET, 1, 503, "RequestLimitExceeded", 1,
	 PLM_AWS_THROTTLED},
	{"a launch without an answer", PLM_AWS_CALL_CREATE_FLEET, 1, 0, NULL, 1, PLM_AWS_UNKNOWN},
	{"a launch and an internal error", PLM_AWS_CALL_CREATE_FLEET, 1, 500, "InternalError", 1,
	 PLM_AWS_UNKNOWN},
	{"a launch where nothing is left", PLM_AWS_CALL_RUN_INSTANCES, 1, 500,
	 "InsufficientInstanceCapacity", 1, PLM_AWS_REFUSED},
	{"a message received without an answer", PLM_AWS_CALL_RECEIVE_MESSAGE, 1, 0, NULL, 1,
	 PLM_AWS_UNKNOWN},
	{"a read with old keys", PLM_AWS_CALL_DESCRIBE_INSTANCES, 1, 400, "ExpiredToken", 2,
	 PLM_AWS_DONE},
	{"a launch with old keys", PLM_AWS_CALL_CREATE_FLEET, 1, 400, "ExpiredToken", 2,
	 PLM_AWS_DONE},
	{"a launch whose keys stay refused", PLM_AWS_CALL_CREATE_FLEET, 9, 401, "AuthFailure", 2,
	 PLM_AWS_NOT_SENT},
	{"a read whose keys stay refused", PLM_AWS_CALL_DESCRIBE_INSTANCES, 9, 403,
	 "InvalidClientTokenId", 2, PLM_AWS_NOT_SENT},
	{"an image of somebody else", PLM_AWS_CALL_CREATE_FLEET, 9, 403, "AuthFailure", 1,
	 PLM_AWS_REFUSED},
};

static void repeats_row(const struct repeat_case *row)
{
	bool json = plm_aws_protocol(plm_aws_call(row->call)->service) != PLM_AWS_QUERY;

	stage_open(&stage);
	stage.answer = faulty;
	play.faults = row->faults;
	play.status = row->status;
	play.code = row->code;
	heard_call(&stage, &one, row->call, json ? "{}" : "A=1");
	assert_string_equal(one.code, row->class == PLM_AWS_DONE
					      ? ""
					      : (row->code == NULL ? "Lost" : row->code));
	assert_int_equal(one.class, row->class);
	assert_int_equal(stage.count, row->asked);
	for (size_t i = 1; i < stage.count; i++) {
		assert_string_equal(stage.asked[i].body, stage.asked[0].body);
	}
	stage_run(&stage, 20);
	assert_int_equal(one.done, 1);
	stage_close(&stage);
}
PLM_TEST_ROWS(repeats_row, struct repeat_case)

static void refused_keys_are_told_to_their_chain(void **state)
{
	(void)set_up(state);
	stage.answer = faulty;
	play.faults = 1;
	play.status = 400;
	play.code = "ExpiredToken";
	heard_call(&stage, &one, PLM_AWS_CALL_DESCRIBE_INSTANCES, "A=1");
	assert_int_equal(stage.keys.refused, 1);
	assert_int_equal(stage.keys.gets, 2);
	stage_close(&stage);
}

static void without_keys_nothing_leaves(void **state)
{
	(void)set_up(state);
	stage.keys.why = "no credentials: none is set up";
	heard_call(&stage, &one, PLM_AWS_CALL_DESCRIBE_INSTANCES, "A=1");
	assert_int_equal(one.class, PLM_AWS_NOT_SENT);
	assert_string_equal(one.code, "NoCredentials");
	assert_string_equal(one.message, "no credentials: none is set up");
	assert_int_equal(stage.count, 0);
	stage_close(&stage);
}

static void nobody_there_is_not_sent(void **state)
{
	(void)set_up(state);
	server_close(&stage.server);
	stage_run(&stage, 5);
	heard_call(&stage, &one, PLM_AWS_CALL_CREATE_FLEET, "A=1");
	assert_int_equal(one.class, PLM_AWS_NOT_SENT);
	assert_string_equal(one.code, "NotSent");
	server_open(&stage.server); /* to be closed */
	stage_close(&stage);
}

/* ---- how fast ------------------------------------------------------------------------------------ */

static void a_family_waits_for_its_bucket(void **state)
{
	static struct heard many[PLM_LIMIT_AWS_LAUNCH_BURST + 2];
	struct heard other;
	int64_t from_ms = 0;

	(void)set_up(state);
	for (size_t i = 0; i < PLM_COUNTOF(many); i++) {
		heard_send(&stage, &many[i], PLM_AWS_CALL_CREATE_FLEET, "A=1");
	}
	heard_call(&stage, &other, PLM_AWS_CALL_DESCRIBE_SUBNETS, "A=1"); /* of another family */
	from_ms = (int64_t)uv_now(&stage.loop);
	for (size_t i = 0; i < PLM_COUNTOF(many); i++) {
		stage_until(&stage, &many[i].done, 1);
		assert_int_equal(many[i].class, PLM_AWS_DONE);
	}
	/* Two more than the burst: at 5 a second the second of them comes 400 ms behind. */
	assert_in_range((int64_t)uv_now(&stage.loop) - from_ms, 100, 5000);
	stage_close(&stage);
}

static void retry_after_holds_the_family_back(void **state)
{
	struct heard next;
	int64_t from_ms = 0;

	(void)set_up(state);
	stage.answer = faulty;
	play.faults = 1;
	play.status = 503;
	play.code = "RequestLimitExceeded";
	play.headers = "Retry-After: 1\r\n";
	heard_call(&stage, &one, PLM_AWS_CALL_CREATE_FLEET, "A=1");
	play.headers = NULL;
	assert_int_equal(one.class, PLM_AWS_THROTTLED);
	assert_int_equal(one.retry_after_ms, 1000);
	from_ms = (int64_t)uv_now(&stage.loop);
	heard_call(&stage, &next, PLM_AWS_CALL_CREATE_FLEET, "A=1");
	assert_true((int64_t)uv_now(&stage.loop) - from_ms >= 900);
	stage_close(&stage);
}

/* ---- ends ---------------------------------------------------------------------------------------- */

static void hang(struct stage *at, const struct stage_asked *asked, struct server_answer *answer)
{
	(void)at;
	(void)asked;
	answer->hang = true;
}

static void a_cancelled_call_is_told_to_nobody(void **state)
{
	struct heard kept;

	(void)set_up(state);
	heard_send(&stage, &one, PLM_AWS_CALL_CREATE_FLEET, "A=1");
	plm_aws_cancel(one.sent); /* it waits */
	stage.keys.hold = true;
	heard_send(&stage, &one, PLM_AWS_CALL_CREATE_FLEET, "A=1");
	while (stage.keys.gets == 0) {
		(void)uv_run(&stage.loop, UV_RUN_ONCE);
	}
	plm_aws_cancel(one.sent); /* it has asked for keys */
	stage.keys.hold = false;
	stage.answer = hang;
	heard_send(&stage, &one, PLM_AWS_CALL_CREATE_FLEET, "A=1");
	while (stage.count == 0) {
		(void)uv_run(&stage.loop, UV_RUN_ONCE);
	}
	plm_aws_cancel(one.sent); /* it is abroad */
	stage.answer = NULL;
	heard_call(&stage, &kept, PLM_AWS_CALL_CREATE_FLEET, "B=1");
	assert_int_equal(kept.class, PLM_AWS_DONE);
	assert_int_equal(one.done, 0);
	heard_send(&stage, &one, PLM_AWS_CALL_CREATE_FLEET, "A=1"); /* with it under way */
	stage_close(&stage);
	assert_int_equal(one.done, 0);
}

static void a_call_may_take_as_long_as_it_says(void **state)
{
	const struct plm_aws_request request = {
		.call = PLM_AWS_CALL_CREATE_FLEET,
		.total_ms = 50,
		.on_done = heard_done,
		.self = &one,
	};

	(void)set_up(state);
	stage.answer = hang;
	one = (struct heard){0};
	(void)plm_aws_send(stage.client, &request);
	stage_until(&stage, &one.done, 1);
	assert_int_equal(one.class, PLM_AWS_UNKNOWN);
	stage_close(&stage);
}

/* ---- numbers and texts --------------------------------------------------------------------------- */

static char told[2048];

static void on_number(void *ctx, enum plm_cloud_number number, const char *label, int64_t value)
{
	size_t used = strlen(told);

	(void)ctx;
	if (number != PLM_CLOUD_CALL_MS) {
		(void)snprintf(told + used, sizeof(told) - used, "%d %s %lld\n", (int)number, label,
			       (long long)value);
	}
}

static void numbers_are_by_call_and_class(void **state)
{
	char want[512];

	(void)set_up(state);
	stage.answer = faulty;
	play.faults = 1;
	play.status = 503;
	play.code = "RequestLimitExceeded";
	heard_call(&stage, &one, PLM_AWS_CALL_DESCRIBE_SUBNETS, "A=1");
	plm_aws_client_allow(stage.client, PLM_AWS_OBSERVE);
	heard_call(&stage, &one, PLM_AWS_CALL_CREATE_TAGS, "A=1");
	told[0] = '\0';
	plm_aws_client_tell(stage.client, on_number, NULL);
	(void)snprintf(want, sizeof(want),
		       "%d ec2.DescribeSubnets done 1\n%d ec2.DescribeSubnets throttled 1\n"
		       "%d ec2.DescribeSubnets 1\n%d ec2.CreateTags forbidden 1\n%d  -1\n",
		       PLM_CLOUD_CALLS, PLM_CLOUD_CALLS, PLM_CLOUD_THROTTLED, PLM_CLOUD_CALLS,
		       PLM_CLOUD_CREDENTIALS_S);
	assert_string_equal(told, want);
	stage_close(&stage);
}

/* Without the times. */
static void each_request_is_traced(void **state)
{
	char *ms = NULL;

	(void)set_up(state);
	stage.answer = faulty;
	play.faults = 1;
	play.status = 503;
	play.code = "RequestLimitExceeded";
	heard_call(&stage, &one, PLM_AWS_CALL_DESCRIBE_SUBNETS, "Secret=x");
	for (ms = strstr(stage.trace, "ms="); ms != NULL; ms = strstr(ms + 3, "ms=")) {
		size_t digits = strspn(ms + 3, "0123456789");

		assert_true(digits > 0);
		memmove(ms + 3, ms + 3 + digits, strlen(ms + 3 + digits) + 1);
	}
	assert_string_equal(stage.trace,
			    "ec2.DescribeSubnets throttled RequestLimitExceeded status=503 ms= "
			    "try=1 id=audit-7\n"
			    "ec2.DescribeSubnets done status=200 ms= try=2 id=audit-7\n");
	stage_close(&stage);
}

static const struct config_case {
	const char *name, *endpoint, *ca, *part;
} config_table[] = {
	{"an endpoint that is none", "ftp//x", NULL, "endpoint of ec2"},
	{"no such file", NULL, "AWS_CA_BUNDLE=/nonexistent/ca.pem", "/nonexistent/ca.pem"},
	{"an empty file", NULL, "AWS_CA_BUNDLE=/dev/null", "/dev/null"},
};

static void refuses_row(const struct config_case *row)
{
	uv_loop_t loop;
	struct plm_http_client *http = NULL;
	struct plm_http_client_options http_options = {
		.loop = &loop, .calls_max = 4, .user_agent = "plimsoll/test"};
	const char *const environment[] = {row->ca, NULL};
	struct plm_aws_client_options options = {
		.loop = &loop, .endpoint = row->endpoint, .environment = environment};
	struct plm_aws_client *client = NULL;
	struct plm_error err;

	assert_int_equal(uv_loop_init(&loop), 0);
	plm_assert_ok(plm_http_client_new(&http_options, &http, &err), &err);
	options.http = http;
	plm_assert_fails(plm_aws_client_new(&options, &client, &err), PLM_E_CONFIG, err, row->part);
	assert_null(client);
	plm_http_client_free(http);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
}
PLM_TEST_ROWS(refuses_row, struct config_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, forms_have_action_and_version);
	PLM_TEST_ADD(&tests, exact_forms_leave_as_they_are);
	PLM_TEST_ADD(&tests, json_has_a_target);
	PLM_TEST_TABLE(&tests, repeats_row, repeat_table);
	PLM_TEST_ADD(&tests, refused_keys_are_told_to_their_chain);
	PLM_TEST_ADD(&tests, without_keys_nothing_leaves);
	PLM_TEST_ADD(&tests, nobody_there_is_not_sent);
	PLM_TEST_ADD(&tests, a_family_waits_for_its_bucket);
	PLM_TEST_ADD(&tests, retry_after_holds_the_family_back);
	PLM_TEST_ADD(&tests, a_cancelled_call_is_told_to_nobody);
	PLM_TEST_ADD(&tests, a_call_may_take_as_long_as_it_says);
	PLM_TEST_ADD(&tests, numbers_are_by_call_and_class);
	PLM_TEST_ADD(&tests, each_request_is_traced);
	PLM_TEST_TABLE(&tests, refuses_row, config_table);
	return plm_tests_run(&tests, "aws client");
}
