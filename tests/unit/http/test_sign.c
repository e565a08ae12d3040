/* sign.h: what is signed is on the wire, what curl would sign wrong never is, and no secret is in a text. That the
 * signature is the right one is tests/unit/sign. */
#include "http_help.h"
#include "plm_test.h"

#include "adapters/http/sign.h"

static const struct plm_http_sign keys = {
	.region = "us-west-2", .service = "ec2", .key_id = "AKIDEXAMPLE", .secret = "SeCrEt"};

static void send_to(const char *port, struct plm_http_request *request, struct heard *heard)
{
	struct plm_http_request made;
	struct stage stage;
	struct plm_http_peer *peer;

	memset(heard, 0, sizeof(*heard));
	stage_open(&stage, 4);
	peer = stage_peer(&stage, port, 2);
	made = heard_get(heard, peer, request->path);
	made.method = request->method;
	made.headers = request->headers;
	made.body = request->body;
	made.sign = request->sign;
	heard_call(&stage, heard, &made);
	assert_null(strstr(heard->outcome.text, "SeCrEt"));
	assert_null(strstr(heard->outcome.text, "ToKeN"));
	stage_close(&stage);
	plm_http_peer_free(peer);
}

static void send_signed(struct plm_http_request *request, struct heard *heard)
{
	send_to("plain", request, heard);
}

static const char *const form[] = {"Content-Type: application/x-www-form-urlencoded", NULL};

static void post_is_signed(void **state)
{
	struct plm_http_sign with_token = keys;
	struct plm_http_request request = {
		.method = "POST",
		.path = "/",
		.headers = form,
		.sign = &with_token,
		.body = plm_slice_str("Action=DescribeInstances"),
	};
	struct heard heard;

	(void)state;
	with_token.token = "ToKeN/+=";
	send_signed(&request, &heard);
	assert_int_equal(heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_has(&heard, "authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/");
	assert_has(&heard, "/us-west-2/ec2/aws4_request, "
			   "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, ");
	assert_has(&heard, "x-amz-security-token: ToKeN/+=\n");
	assert_has(&heard, "x-amz-date: 2");
	assert_null(strstr(heard.body, "expect:"));
	assert_null(strstr(heard.body, "SeCrEt"));
}

static void get_is_signed(void **state)
{
	struct plm_http_request request = {
		.method = "GET", .path = "/clusters/c-1?a=%2F&b=", .sign = &keys};
	struct heard heard;

	(void)state;
	send_signed(&request, &heard);
	assert_int_equal(heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_has(&heard, "SignedHeaders=host;x-amz-date, ");
	assert_has(&heard, "target=/clusters/c-1?a=%2F&b=\n");
}

/* An answer 401 is an answer: curl does not try another way. */
static void refusal_is_an_answer(void **state)
{
	struct plm_http_request request = {.method = "GET",
					   .path = "/status?body=no&h-WWW-Authenticate=Basic&n=401",
					   .sign = &keys};
	struct heard heard;

	(void)state;
	send_signed(&request, &heard);
	assert_int_equal(heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(heard.outcome.status, 401);
}

/* Also where HTTP/2 is offered: the Host that is signed is the one that is sent. */
static void one_is_spoken(void **state)
{
	struct plm_http_request request = {.method = "GET", .path = "/", .sign = &keys};
	struct heard heard;

	(void)state;
	send_to("h2", &request, &heard);
	assert_int_equal(heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_has(&heard, "host: 127.0.0.1:");
	assert_has(&heard, "authorization: AWS4-HMAC-SHA256 ");
	assert_null(strstr(heard.body, ":authority"));
}

#define H1(a) ((const char *const[]){a, NULL})
#define H2(a, b) ((const char *const[]){a, b, NULL})
#define TYPE "Content-Type: x/y"

static const struct fault_case {
	const char *why;
	const char *method, *path;
	const char *const *headers;
	const char *body;
	const char *fault; /* NULL = none */
} fault_table[] = {
	{"a form", "POST", "/", form, "a=b", NULL},
	{"an empty body", "POST", "/", form, "", NULL},
	{"a path", "GET", "/clusters/a-b_c.d~e", NULL, "", NULL},
	{"an end with a slash", "GET", "/clusters/", NULL, "", NULL},
	{"a segment with dots in it", "GET", "/a/..b/c", NULL, "", NULL},
	{"a query", "GET", "/?a=1&a=2&b=%2F", NULL, "", NULL},
	{"a key before one that begins with it", "GET", "/?a=1&a-b=2", NULL, "", NULL},
	{"a target", "POST", "/", H2(TYPE, "X-Amz-Target: A.B"), "{}", NULL},
	{"accept", "GET", "/", H1("Accept: application/json"), "", NULL},
	{"an escape in the path", "GET", "/a%2Fb", NULL, "", "path has bytes"},
	{"a colon in the path", "GET", "/arn:aws", NULL, "", "path has bytes"},
	{"two slashes", "GET", "/a//b", NULL, "", "path has bytes"},
	{"a dot", "GET", "/a/./b", NULL, "", "path has bytes"},
	{"dots at the end", "GET", "/a/..", NULL, "", "path has bytes"},
	{"an unsorted query", "GET", "/?b=1&a=2", NULL, "", "not sorted"},
	{"unsorted values", "GET", "/?a=2&a=1", NULL, "", "not sorted"},
	{"sorted as lines only", "GET", "/?a-b=2&a=1", NULL, "", "not sorted"},
	{"a key alone", "GET", "/?a", NULL, "", "key=value"},
	{"nothing asked", "GET", "/?", NULL, "", "key=value"},
	{"two ampersands", "GET", "/?a=1&&b=2", NULL, "", "key=value"},
	{"a lower escape", "GET", "/?a=%2f", NULL, "", "key=value"},
	{"half an escape", "GET", "/?a=%2", NULL, "", "key=value"},
	{"a plus", "GET", "/?a=b+c", NULL, "", "key=value"},
	{"a slash in the query", "GET", "/?a=b/c", NULL, "", "key=value"},
	{"two equals", "GET", "/?a=b=c", NULL, "", "key=value"},
	{"no type", "POST", "/", NULL, "a=b", "no Content-Type"},
	{"an empty type", "POST", "/", H1("Content-Type:"), "a=b", "no value"},
	{"a blank type", "POST", "/", H1("Content-Type:  "), "a=b", "no value"},
	{"a read with a body", "GET", "/", NULL, "a=b", "read with a body"},
	{"another method", "OPTIONS", "/", NULL, "", "method"},
	{"expect", "POST", "/", H2(TYPE, "Expect: 100-continue"), "", "not one that"},
	{"a date", "GET", "/", H1("Date: today"), "", "not one that"},
	{"its own date", "GET", "/", H1("X-Amz-Date: 20260101T000000Z"), "", "not one that"},
	{"its own token", "GET", "/", H1("x-amz-security-token: ToKeN"), "", "not one that"},
	{"its own hash", "GET", "/", H1("X-Amz-Content-Sha256: UNSIGNED-PAYLOAD"), "",
	 "not one that"},
	{"its own host", "GET", "/", H1("Host: a"), "", "not one that"},
	{"its own agent", "GET", "/", H1("User-Agent: a"), "", "not one that"},
	{"its own authorization", "GET", "/", H1("Authorization: a"), "", "not one that"},
	{"the same twice", "GET", "/", H2("X-Amz-A: 1", "x-amz-a: 2"), "", "begins as"},
	{"a beginning", "GET", "/", H2("X-Amz-A: 1", "X-Amz-A-B: 2"), "", "begins as"},
	{"a beginning, after", "GET", "/", H2("X-Amz-A-B: 2", "X-Amz-A: 1"), "", "begins as"},
	{"as the date begins", "GET", "/", H1("X-Amz-Date-Of: 1"), "", "begins as"},
	{"what the date begins with", "GET", "/", H1("X-Amz: 1"), "", "begins as"},
	{"not ASCII", "GET", "/", H1("X-Amz-A: \xc3\xbc"), "", "no value, or bytes"},
	{"a blank in a name", "GET", "/", H1("X-Amz A: b"), "", "no value, or bytes"},
};

static void fault_row(const struct fault_case *row)
{
	struct plm_http_request request = {.method = row->method,
					   .path = row->path,
					   .headers = row->headers,
					   .sign = &keys,
					   .body = plm_slice_str(row->body)};
	struct heard heard;

	send_signed(&request, &heard);
	if (row->fault == NULL) {
		assert_int_equal(heard.outcome.fate, PLM_HTTP_ANSWERED);
		return;
	}
	assert_int_equal(heard.outcome.fate, PLM_HTTP_NOT_SENT);
	assert_non_null(strstr(heard.outcome.text, "cannot be signed: "));
	assert_non_null(strstr(heard.outcome.text, row->fault));
}
PLM_TEST_ROWS(fault_row, struct fault_case)

static const struct keys_case {
	const char *why;
	struct plm_http_sign sign;
	const char *fault;
} keys_table[] = {
	{"no region", {"", "ec2", "A", "SeCrEt", NULL}, "region"},
	{"a region that is none", {"us:west", "ec2", "A", "SeCrEt", NULL}, "region"},
	{"a long region",
	 {"a2345678901234567890123456789012345678901234567890123456789012345", "ec2", "A", "SeCrEt",
	  NULL},
	 "region"},
	{"a service that is none", {"r", "e c", "A", "SeCrEt", NULL}, "service"},
	{"S3", {"r", "s3", "A", "SeCrEt", NULL}, "service"},
	{"no key", {"r", "ec2", "", "SeCrEt", NULL}, "keys"},
	{"no secret", {"r", "ec2", "A", "", NULL}, "keys"},
	{"a line end in a key", {"r", "ec2", "A\n", "SeCrEt", NULL}, "keys"},
	{"a line end in a token", {"r", "ec2", "A", "SeCrEt", "ToKeN\r\nX: y"}, "token"},
};

static void keys_row(const struct keys_case *row)
{
	struct plm_http_request request = {.method = "GET", .path = "/", .sign = &row->sign};
	struct heard heard;

	send_signed(&request, &heard);
	assert_int_equal(heard.outcome.fate, PLM_HTTP_NOT_SENT);
	assert_non_null(strstr(heard.outcome.text, row->fault));
}
PLM_TEST_ROWS(keys_row, struct keys_case)

int main(void)
{
	struct plm_tests tests = {0};
	int failed;

	http_server_start();
	PLM_TEST_ADD(&tests, post_is_signed);
	PLM_TEST_ADD(&tests, get_is_signed);
	PLM_TEST_ADD(&tests, refusal_is_an_answer);
	PLM_TEST_ADD(&tests, one_is_spoken);
	PLM_TEST_TABLE(&tests, fault_row, fault_table);
	PLM_TEST_TABLE(&tests, keys_row, keys_table);
	failed = plm_tests_run(&tests, "http sign");
	http_server_stop();
	return failed;
}
