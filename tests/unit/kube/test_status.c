/* What became of a call, by what a real API server answers. */
#include "plm_test.h"

#include "adapters/kube/client_private.h"

#define STATUS(rest)                                                                               \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," rest  \
	"}"

static const struct fate_case {
	const char *why;
	unsigned status;
	const char *body;
	bool eviction, json_patch;
	enum plm_kube_fate want;
	const char *reason;
} fate_table[] = {
	{"200", 200, "{}", false, false, PLM_KUBE_DONE, ""},
	{"201", 201, "{}", false, false, PLM_KUBE_DONE, ""},
	{"202 of a delete", 202, "{}", false, false, PLM_KUBE_DONE, ""},
	{"an object that is not there", 404,
	 STATUS("\"message\":\"pods \\\"a\\\" not found\",\"reason\":\"NotFound\",\"details\":"
		"{\"name\":\"a\",\"kind\":\"pods\"},\"code\":404"),
	 false, false, PLM_KUBE_NOT_FOUND, "NotFound"},
	{"a path that is not there", 404, "404 page not found\n", false, false,
	 PLM_KUBE_NO_RESOURCE, ""},
	{"a subresource that is not there", 404,
	 STATUS("\"message\":\"the server could not find the requested resource\",\"reason\":"
		"\"NotFound\",\"details\":{},\"code\":404"),
	 false, false, PLM_KUBE_NO_RESOURCE, "NotFound"},
	{"a name that is taken", 409,
	 STATUS("\"message\":\"pods \\\"a\\\" already exists\",\"reason\":\"AlreadyExists\","
		"\"details\":{\"name\":\"a\",\"kind\":\"pods\"},\"code\":409"),
	 false, false, PLM_KUBE_EXISTS, "AlreadyExists"},
	{"a resourceVersion that is not so", 409,
	 STATUS("\"message\":\"the object has been modified\",\"reason\":\"Conflict\",\"details\":"
		"{\"name\":\"a\",\"kind\":\"leases\"},\"code\":409"),
	 false, false, PLM_KUBE_CONFLICT, "Conflict"},
	{"a field of another manager", 409,
	 STATUS("\"message\":\"Apply failed with 1 conflict\",\"reason\":\"Conflict\",\"details\":"
		"{\"causes\":[{\"reason\":\"FieldManagerConflict\",\"message\":\"conflict with "
		"kueue\",\"field\":\".status.admission\"}]},\"code\":409"),
	 false, false, PLM_KUBE_OWNED, "Conflict"},
	{"a budget", 429,
	 STATUS("\"message\":\"Cannot evict pod\",\"reason\":\"TooManyRequests\",\"details\":"
		"{\"causes\":[{\"reason\":\"DisruptionBudget\",\"message\":\"The disruption budget "
		"a needs 1 healthy pods and has 1 currently\"}]},\"code\":429"),
	 true, false, PLM_KUBE_BUDGET, "TooManyRequests"},
	{"two budgets", 500,
	 STATUS("\"message\":\"This pod has more than one PodDisruptionBudget, which the eviction "
		"subresource does not support.\",\"reason\":\"InternalError\",\"code\":500"),
	 true, false, PLM_KUBE_BUDGET, "InternalError"},
	{"an eviction while the server is busy", 429,
	 STATUS("\"message\":\"too many requests\",\"reason\":\"TooManyRequests\",\"code\":429"),
	 true, false, PLM_KUBE_THROTTLED, "TooManyRequests"},
	{"the cause of a budget elsewhere", 429,
	 STATUS("\"details\":{\"causes\":[{\"reason\":\"DisruptionBudget\"}]},\"code\":429"), false,
	 false, PLM_KUBE_THROTTLED, ""},
	{"fairness without a Status", 429, "Too many requests, please try again later.\n", false,
	 false, PLM_KUBE_THROTTLED, ""},
	{"a revision that is too old", 410,
	 STATUS("\"message\":\"too old resource version\",\"reason\":\"Expired\",\"code\":410"),
	 false, false, PLM_KUBE_GONE, "Expired"},
	{"a JSON patch whose test failed", 422,
	 STATUS("\"message\":\"the server rejected our request due to an error in our request\","
		"\"reason\":\"Invalid\",\"details\":{},\"code\":422"),
	 false, true, PLM_KUBE_CONFLICT, "Invalid"},
	{"the same of another call", 422,
	 STATUS("\"message\":\"the server rejected our request due to an error in our request\","
		"\"reason\":\"Invalid\",\"details\":{},\"code\":422"),
	 false, false, PLM_KUBE_INVALID, "Invalid"},
	{"a JSON patch that makes it invalid", 422,
	 STATUS("\"message\":\"Node \\\"n\\\" is invalid\",\"reason\":\"Invalid\",\"details\":"
		"{\"name\":\"n\",\"kind\":\"Node\",\"causes\":[{\"reason\":\"FieldValueInvalid\"}]}"
		","
		"\"code\":422"),
	 false, true, PLM_KUBE_INVALID, "Invalid"},
	{"400", 400, STATUS("\"reason\":\"BadRequest\",\"code\":400"), false, false,
	 PLM_KUBE_INVALID, "BadRequest"},
	{"405", 405, STATUS("\"reason\":\"MethodNotAllowed\""), false, false, PLM_KUBE_INVALID,
	 "MethodNotAllowed"},
	{"413", 413, "", false, false, PLM_KUBE_INVALID, ""},
	{"401", 401, STATUS("\"reason\":\"Unauthorized\""), false, false, PLM_KUBE_DENIED,
	 "Unauthorized"},
	{"403", 403, STATUS("\"reason\":\"Forbidden\""), false, false, PLM_KUBE_DENIED,
	 "Forbidden"},
	{"408", 408, "", false, false, PLM_KUBE_UNKNOWN, ""},
	{"500", 500, STATUS("\"reason\":\"InternalError\""), false, false, PLM_KUBE_UNKNOWN,
	 "InternalError"},
	{"503", 503, "no endpoints", false, false, PLM_KUBE_UNKNOWN, ""},
	{"504", 504, STATUS("\"reason\":\"Timeout\""), false, false, PLM_KUBE_UNKNOWN, "Timeout"},
	{"a redirection", 302, "", false, false, PLM_KUBE_UNKNOWN, ""},
	{"no number at all", 0, "", false, false, PLM_KUBE_UNKNOWN, ""},
	{"a body that is no JSON", 409, "{\"reason\":", false, false, PLM_KUBE_CONFLICT, ""},
	{"a Status of other types", 409, "{\"reason\":7,\"details\":[1],\"message\":{}}", false,
	 false, PLM_KUBE_CONFLICT, ""},
};

static void fate_row(const struct fate_case *row)
{
	struct plm_kube_reply reply = {
		.status = row->status,
		.body = plm_slice_str(row->body),
		.eviction = row->eviction,
		.json_patch = row->json_patch,
	};
	struct plm_kube_judged verdict = {0};

	plm_kube_judge(&reply, &verdict);
	assert_int_equal(verdict.fate, row->want);
	assert_string_equal(verdict.reason, row->reason);
}
PLM_TEST_ROWS(fate_row, struct fate_case)

static void message_is_one_line(void **state)
{
	struct plm_kube_reply reply = {
		.status = 422,
		.body = plm_slice_str("{\"message\":\"first\\nsecond\\tthird\"}"),
	};
	struct plm_kube_judged verdict = {0};

	(void)state;
	plm_kube_judge(&reply, &verdict);
	assert_string_equal(verdict.message, "first second third");
	reply.body = plm_slice_str("<html>");
	plm_kube_judge(&reply, &verdict);
	assert_string_equal(verdict.message, "HTTP 422");
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, fate_row, fate_table);
	PLM_TEST_ADD(&tests, message_is_one_line);
	return plm_tests_run(&tests, "status");
}
