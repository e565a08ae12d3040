#include "adapters/ec2/outcome.h"

#include "plm_test.h"

#include "core/event.h"

#include <stdio.h>

static struct plm_arena arena;

#define FLEET PLM_AWS_CALL_CREATE_FLEET
#define RUN PLM_AWS_CALL_RUN_INSTANCES
#define LOOK PLM_AWS_CALL_DESCRIBE_INSTANCES
#define PROFILE PLM_AWS_CALL_GET_INSTANCE_PROFILE
#define PARAMETER PLM_AWS_CALL_GET_PARAMETER
#define QUEUE PLM_AWS_CALL_RECEIVE_MESSAGE
#define CLUSTER PLM_AWS_CALL_DESCRIBE_CLUSTER

/* EC2's error, as AWS documents it. */
#define EC2(code)                                                                                  \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>" code         \
	"</Code><Message>m</Message></Error></Errors><RequestID>r</RequestID></Response>"
#define IAM(code)                                                                                  \
	"<ErrorResponse xmlns=\"x\"><Error><Type>Sender</Type><Code>" code                         \
	"</Code><Message>m</Message></Error><RequestId>r</RequestId></ErrorResponse>"
#define JSON(code) "{\"__type\":\"" code "\",\"message\":\"m\"}"

static const struct answer_case {
	const char *name;
	enum plm_aws_call call;
	unsigned status;
	const char *body;
	enum plm_aws_class class;
	const char *code;
	bool keys;
} answer_table[] = {
	{"done", FLEET, 200, "<CreateFleetResponse/>", PLM_AWS_DONE, "", false},
	{"JSON done", QUEUE, 200, "{}", PLM_AWS_DONE, "", false},
	{"REST done", CLUSTER, 200, "{\"cluster\":{}}", PLM_AWS_DONE, "", false},
	/* An unsigned call is taken for another one by moto. */
	{"another's answer", FLEET, 200, "<ListAllMyBucketsResult/>", PLM_AWS_UNKNOWN, "NoAnswer",
	 false},
	{"another action's answer", FLEET, 200, "<RunInstancesResponse/>", PLM_AWS_UNKNOWN,
	 "NoAnswer", false},
	{"an answer that begins alike", FLEET, 200, "<CreateFleetResponses/>", PLM_AWS_UNKNOWN,
	 "NoAnswer", false},
	{"an error with 200", FLEET, 200, EC2("RequestLimitExceeded"), PLM_AWS_UNKNOWN, "NoAnswer",
	 false},
	{"nothing with 200", FLEET, 200, "", PLM_AWS_UNKNOWN, "Unreadable", false},
	{"cut off", FLEET, 200, "<CreateFleetResponse><fleetId>", PLM_AWS_UNKNOWN, "Unreadable",
	 false},
	{"XML where JSON is due", QUEUE, 200, "<a/>", PLM_AWS_UNKNOWN, "Unreadable", false},
	{"a list where an object is due", QUEUE, 200, "[]", PLM_AWS_UNKNOWN, "Unreadable", false},
	{"moto's 500", FLEET, 500,
	 "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>",
	 PLM_AWS_UNKNOWN, "Unreadable", false},
	{"moto's 500 where JSON is due", QUEUE, 500, "<!doctype html>", PLM_AWS_UNKNOWN,
	 "Unreadable", false},
	{"a proxy's 403", FLEET, 403, "<html><body>no</body></html>", PLM_AWS_UNKNOWN, "HTTP403",
	 false},
	{"a proxy's text", FLEET, 400, "bad request", PLM_AWS_UNKNOWN, "Unreadable", false},
	{"slow down, whoever says it", FLEET, 429, "slow down", PLM_AWS_THROTTLED, "Unreadable",
	 false},
	{"a redirection", FLEET, 301, "<a/>", PLM_AWS_UNKNOWN, "HTTP301", false},

	{"throttled", FLEET, 503, EC2("RequestLimitExceeded"), PLM_AWS_THROTTLED,
	 "RequestLimitExceeded", false},
	{"throttled otherwise", LOOK, 503, EC2("EC2ThrottledException"), PLM_AWS_THROTTLED,
	 "EC2ThrottledException", false},
	{"throttled, IAM", PROFILE, 400, IAM("Throttling"), PLM_AWS_THROTTLED, "Throttling", false},
	{"throttled, SSM", PARAMETER, 400, JSON("ThrottlingException"), PLM_AWS_THROTTLED,
	 "ThrottlingException", false},
	{"no room, by RunInstances", RUN, 500, EC2("InsufficientInstanceCapacity"), PLM_AWS_REFUSED,
	 "InsufficientInstanceCapacity", false},
	{"no room, 400", RUN, 400, EC2("VcpuLimitExceeded"), PLM_AWS_REFUSED, "VcpuLimitExceeded",
	 false},
	{"internal", RUN, 500, EC2("InternalError"), PLM_AWS_UNKNOWN, "InternalError", false},
	{"internal with 400", RUN, 400, EC2("InternalFailure"), PLM_AWS_UNKNOWN, "InternalFailure",
	 false},
	{"unavailable", RUN, 503, EC2("Unavailable"), PLM_AWS_UNKNOWN, "Unavailable", false},
	{"a 5xx that nobody knows", RUN, 502, EC2("Strange"), PLM_AWS_UNKNOWN, "Strange", false},
	{"a 4xx that nobody knows", RUN, 400, EC2("InvalidParameterValue"), PLM_AWS_REFUSED,
	 "InvalidParameterValue", false},
	{"a 404 that nobody knows", RUN, 404, EC2("Strange"), PLM_AWS_REFUSED, "Strange", false},
	{"spent token", FLEET, 400, EC2("IdempotentParameterMismatch"), PLM_AWS_MISMATCH,
	 "IdempotentParameterMismatch", false},
	{"launched and gone", RUN, 400, EC2("IdempotentInstanceTerminated"), PLM_AWS_EXISTS,
	 "IdempotentInstanceTerminated", false},
	{"no instance", PLM_AWS_CALL_TERMINATE_INSTANCES, 400, EC2("InvalidInstanceID.NotFound"),
	 PLM_AWS_NOT_FOUND, "InvalidInstanceID.NotFound", false},
	{"no instance can be", PLM_AWS_CALL_TERMINATE_INSTANCES, 400,
	 EC2("InvalidInstanceID.Malformed"), PLM_AWS_NOT_FOUND, "InvalidInstanceID.Malformed",
	 false},
	{"no subnet", PLM_AWS_CALL_DESCRIBE_SUBNETS, 400, EC2("InvalidSubnetID.NotFound"),
	 PLM_AWS_NOT_FOUND, "InvalidSubnetID.NotFound", false},
	{"no template", FLEET, 400, EC2("InvalidLaunchTemplateName.NotFoundException"),
	 PLM_AWS_NOT_FOUND, "InvalidLaunchTemplateName.NotFoundException", false},
	{"a template there", PLM_AWS_CALL_CREATE_LAUNCH_TEMPLATE, 400,
	 EC2("InvalidLaunchTemplateName.AlreadyExistsException"), PLM_AWS_EXISTS,
	 "InvalidLaunchTemplateName.AlreadyExistsException", false},
	{"a profile there", PLM_AWS_CALL_CREATE_INSTANCE_PROFILE, 409, IAM("EntityAlreadyExists"),
	 PLM_AWS_EXISTS, "EntityAlreadyExists", false},
	{"no profile", PROFILE, 404, IAM("NoSuchEntity"), PLM_AWS_NOT_FOUND, "NoSuchEntity", false},
	{"no parameter", PARAMETER, 400, JSON("ParameterNotFound"), PLM_AWS_NOT_FOUND,
	 "ParameterNotFound", false},
	{"no queue", QUEUE, 400, JSON("com.amazonaws.sqs#QueueDoesNotExist"), PLM_AWS_NOT_FOUND,
	 "QueueDoesNotExist", false},
	{"a type with its address", PARAMETER, 400,
	 JSON("ParameterNotFound:http://internal.amazon.com/x/"), PLM_AWS_NOT_FOUND,
	 "ParameterNotFound", false},
	{"no cluster", CLUSTER, 404, "{\"message\":\"none\"}", PLM_AWS_NOT_FOUND, "HTTP404", false},
	{"a cluster refused", CLUSTER, 403, "{\"message\":\"none\"}", PLM_AWS_REFUSED, "HTTP403",
	 false},
	{"JSON without a type", PARAMETER, 403, "{\"message\":\"Forbidden\"}", PLM_AWS_UNKNOWN,
	 "HTTP403", false},
	{"not allowed", RUN, 403, EC2("UnauthorizedOperation"), PLM_AWS_REFUSED,
	 "UnauthorizedOperation", false},

	{"expired", LOOK, 400, EC2("ExpiredToken"), PLM_AWS_NOT_SENT, "ExpiredToken", true},
	{"expired, JSON", QUEUE, 400, JSON("ExpiredTokenException"), PLM_AWS_NOT_SENT,
	 "ExpiredTokenException", true},
	{"keys that nobody knows", PROFILE, 403, IAM("InvalidClientTokenId"), PLM_AWS_NOT_SENT,
	 "InvalidClientTokenId", true},
	{"moto's AuthFailure", LOOK, 401,
	 "<ErrorResponse><Errors><Error><Code>AuthFailure</Code></Error></Errors></ErrorResponse>",
	 PLM_AWS_NOT_SENT, "AuthFailure", true},
	{"an image that is another's", FLEET, 403, EC2("AuthFailure"), PLM_AWS_REFUSED,
	 "AuthFailure", false},
	{"no role for spot", FLEET, 403, EC2("AuthFailure.ServiceLinkedRoleCreationNotPermitted"),
	 PLM_AWS_REFUSED, "AuthFailure.ServiceLinkedRoleCreationNotPermitted", false},
};

static void judge(enum plm_aws_call call, struct plm_http_outcome outcome, const char *body,
		  struct plm_aws_verdict *out)
{
	plm_arena_reset(&arena);
	outcome.body = plm_slice_str(body);
	outcome.retry_after_ms = PLM_UNSET;
	plm_aws_judge(call, &outcome, &arena, out);
}

static void answers_row(const struct answer_case *row)
{
	struct plm_aws_verdict verdict;

	judge(row->call,
	      (struct plm_http_outcome){.fate = PLM_HTTP_ANSWERED, .status = row->status},
	      row->body, &verdict);
	assert_string_equal(verdict.code, row->code);
	assert_string_equal(plm_aws_class_text(verdict.class), plm_aws_class_text(row->class));
	assert_int_equal(verdict.keys, row->keys);
	assert_int_equal(verdict.root != NULL, row->class == PLM_AWS_DONE);
}
PLM_TEST_ROWS(answers_row, struct answer_case)

static const struct lost_case {
	const char *name;
	enum plm_http_fate fate;
	enum plm_aws_class class;
	const char *code;
} lost_table[] = {
	{"not sent", PLM_HTTP_NOT_SENT, PLM_AWS_NOT_SENT, "NotSent"},
	{"lost", PLM_HTTP_LOST, PLM_AWS_UNKNOWN, "Lost"},
	{"too large", PLM_HTTP_TOO_LARGE, PLM_AWS_UNKNOWN, "TooLarge"},
};

static void loses_row(const struct lost_case *row)
{
	struct plm_aws_verdict verdict;

	judge(FLEET, (struct plm_http_outcome){.fate = row->fate, .status = 200, .text = "why"},
	      "<CreateFleetResponse/>", &verdict);
	assert_int_equal(verdict.class, row->class);
	assert_string_equal(verdict.code, row->code);
	assert_true(verdict.message[0] != '\0');
	assert_null(verdict.root);
}
PLM_TEST_ROWS(loses_row, struct lost_case)

static void a_header_names_the_error_of_rest(void **state)
{
	struct plm_aws_verdict verdict;

	(void)state;
	judge(CLUSTER,
	      (struct plm_http_outcome){.fate = PLM_HTTP_ANSWERED,
					.status = 404,
					.error_type = "ResourceNotFoundException:",
					.request_id = "of-header"},
	      "{\"message\":\"No cluster found for name: x.\"}", &verdict);
	assert_int_equal(verdict.class, PLM_AWS_NOT_FOUND);
	assert_string_equal(verdict.code, "ResourceNotFoundException");
	assert_string_equal(verdict.message, "No cluster found for name: x.");
	assert_string_equal(verdict.request_id, "of-header");
}

static void bodies_say_the_id(void **state)
{
	struct plm_http_outcome outcome = {.fate = PLM_HTTP_ANSWERED, .status = 200};
	struct plm_aws_verdict verdict;

	(void)state;
	judge(FLEET, outcome,
	      "<CreateFleetResponse><requestId>a-1</requestId></CreateFleetResponse>", &verdict);
	assert_string_equal(verdict.request_id, "a-1");
	judge(PLM_AWS_CALL_GET_CALLER_IDENTITY, outcome,
	      "<GetCallerIdentityResponse><ResponseMetadata><RequestId>a-2</RequestId>"
	      "</ResponseMetadata></GetCallerIdentityResponse>",
	      &verdict);
	assert_string_equal(verdict.request_id, "a-2");
	outcome.status = 400;
	judge(FLEET, outcome, EC2("InvalidParameterValue"), &verdict);
	assert_string_equal(verdict.request_id, "r");
}

/* AWS repeats what was signed when a signature is wrong, the session's token with it. */
static void messages_are_one_line_without_secrets(void **state)
{
	struct plm_http_outcome outcome = {.fate = PLM_HTTP_ANSWERED, .status = 403};
	struct plm_aws_verdict verdict;
	char body[4096];

	(void)state;
	judge(PROFILE, outcome,
	      "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>The Canonical "
	      "String "
	      "should have been 'POST\n/\n\nx-amz-security-token:SECRET'</Message></Error>"
	      "</ErrorResponse>",
	      &verdict);
	assert_null(strstr(verdict.message, "SECRET"));
	assert_true(verdict.keys);
	judge(FLEET, outcome,
	      "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>You are\nnot  "
	      "authorized. Encoded authorization failure message: AbCdEf</Message></Error></Errors>"
	      "</Response>",
	      &verdict);
	assert_string_equal(verdict.message, "You are not authorized.");
	(void)snprintf(
		body, sizeof(body),
		"<Response><Errors><Error><Code>Strange</Code><Message>%0*d</Message></Error>"
		"</Errors></Response>",
		2 * PLM_LIMIT_AWS_MESSAGE, 0);
	judge(FLEET, outcome, body, &verdict);
	assert_in_range(strlen(verdict.message), PLM_LIMIT_AWS_MESSAGE - 4,
			PLM_LIMIT_AWS_MESSAGE - 1);
}

static void codes_alone_have_a_class(void **state)
{
	(void)state;
	assert_true(plm_aws_is_shortage(plm_slice_str("SpotMaxPriceTooLow")));
	assert_true(plm_aws_is_shortage(plm_slice_str("UnfulfillableCapacity")));
	assert_false(plm_aws_is_shortage(plm_slice_str("UnauthorizedOperation")));
	assert_false(plm_aws_is_shortage(plm_slice_str("NeverHeardOf")));
	assert_int_equal(plm_aws_class_of(plm_slice_str("NeverHeardOf")), PLM_AWS_REFUSED);
	assert_int_equal(plm_aws_class_of(plm_slice_str("InternalError")), PLM_AWS_UNKNOWN);
}

int main(void)
{
	struct plm_tests tests = {0};
	struct plm_error err;

	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_AWS_TREE_BYTES, &err) == PLM_OK);
	PLM_TEST_TABLE(&tests, answers_row, answer_table);
	PLM_TEST_TABLE(&tests, loses_row, lost_table);
	PLM_TEST_ADD(&tests, a_header_names_the_error_of_rest);
	PLM_TEST_ADD(&tests, bodies_say_the_id);
	PLM_TEST_ADD(&tests, messages_are_one_line_without_secrets);
	PLM_TEST_ADD(&tests, codes_alone_have_a_class);
	return plm_tests_run(&tests, "aws outcome");
}
