/* test_outcome.c - answers of the API server as classes, and what is remembered of Workloads */
#include "plm_test.h"

#include <stdio.h>

#include "adapters/kube/known.h"
#include "adapters/kube/outcome.h"
#include "adapters/kube/tree.h"

/* ---- outcomes ------------------------------------------------------------------------------------ */

struct outcome_case {
	const char *why;
	enum plm_call call;
	struct plm_step step;
	enum plm_kube_fate fate;
	unsigned status;
	const char *message;
	enum plm_outcome_next next;
	enum plm_result_class class;
	const char *code;
};

#define JOBS .resource = PLM_KUBE_RES_JOBS, .subresource = ""
#define READ {.kind = PLM_STEP_READ, .verb = PLM_KUBE_GET, JOBS}
#define PATCH {.kind = PLM_STEP_WRITE, .verb = PLM_KUBE_PATCH_JSON, JOBS}
#define CREATE {.kind = PLM_STEP_WRITE, .verb = PLM_KUBE_CREATE, JOBS}
#define REMOVE {.kind = PLM_STEP_WRITE, .verb = PLM_KUBE_DELETE, .gone_is_done = true, JOBS}
#define UPDATE {.kind = PLM_STEP_WRITE, .verb = PLM_KUBE_UPDATE, JOBS}

#define END PLM_OUTCOME_END
#define WAIT PLM_OUTCOME_WAIT

static const struct outcome_case outcome_table[] = {
	{"done", PLM_CALL_JOB_START, PATCH, PLM_KUBE_DONE, 200, "", PLM_OUTCOME_GO_ON, 0, ""},
	{"read of nothing", PLM_CALL_JOB_START, READ, PLM_KUBE_NOT_FOUND, 404, "",
	 PLM_OUTCOME_ABSENT, 0, ""},
	{"read of no kind", PLM_CALL_JOB_START, READ, PLM_KUBE_NO_RESOURCE, 404, "",
	 PLM_OUTCOME_ABSENT, 0, ""},
	{"patch of nothing", PLM_CALL_JOB_START, PATCH, PLM_KUBE_NOT_FOUND, 404, "", END,
	 PLM_RESULT_CONFLICT, "NotFound"},
	{"removal of nothing", PLM_CALL_JOB_DELETE, REMOVE, PLM_KUBE_NOT_FOUND, 404, "", END,
	 PLM_RESULT_ALREADY_DONE, "NotFound"},
	{"no namespace", PLM_CALL_POD_CREATE, CREATE, PLM_KUBE_NOT_FOUND, 404, "", END,
	 PLM_RESULT_FAILED, ""},
	{"a name taken", PLM_CALL_POD_CREATE, CREATE, PLM_KUBE_EXISTS, 409, "", PLM_OUTCOME_TAKEN,
	 0, ""},
	{"a test failed", PLM_CALL_JOB_START, PATCH, PLM_KUBE_CONFLICT, 422, "", PLM_OUTCOME_AGAIN,
	 PLM_RESULT_CONFLICT, "Conflict"},
	{"another owns the field", PLM_CALL_JOB_START, PATCH, PLM_KUBE_OWNED, 409, "", END,
	 PLM_RESULT_CONFLICT, "FieldManagerConflict"},
	{"a budget", PLM_CALL_POD_EVICT, CREATE, PLM_KUBE_BUDGET, 429, "", END, PLM_RESULT_FAILED,
	 "TooManyRequests"},
	{"several budgets", PLM_CALL_POD_EVICT, CREATE, PLM_KUBE_UNKNOWN, 500,
	 "This pod has more than one PodDisruptionBudget, which", END, PLM_RESULT_FAILED,
	 "InternalError"},
	{"500 of another call", PLM_CALL_POD_CREATE, CREATE, PLM_KUBE_UNKNOWN, 500,
	 "This pod has more than one PodDisruptionBudget, which", WAIT, PLM_RESULT_UNKNOWN,
	 "Timeout"},
	{"a read lost", PLM_CALL_JOB_START, READ, PLM_KUBE_UNKNOWN, 504, "", WAIT,
	 PLM_RESULT_RETRYABLE, "Unavailable"},
	{"a write lost", PLM_CALL_JOB_START, PATCH, PLM_KUBE_UNKNOWN, 0, "", WAIT,
	 PLM_RESULT_UNKNOWN, "Timeout"},
	{"throttled", PLM_CALL_JOB_START, PATCH, PLM_KUBE_THROTTLED, 429, "", WAIT,
	 PLM_RESULT_RETRYABLE, "TooManyRequests"},
	{"not sent", PLM_CALL_JOB_START, PATCH, PLM_KUBE_UNSENT, 0, "", WAIT, PLM_RESULT_RETRYABLE,
	 "Unreachable"},
	{"invalid", PLM_CALL_JOB_START, PATCH, PLM_KUBE_INVALID, 422, "", END, PLM_RESULT_FAILED,
	 "Invalid"},
	{"a token ran out", PLM_CALL_JOB_START, PATCH, PLM_KUBE_DENIED, 401, "", WAIT,
	 PLM_RESULT_RETRYABLE, "Unauthorized"},
	{"forbidden", PLM_CALL_JOB_START, PATCH, PLM_KUBE_DENIED, 403, "", END, PLM_RESULT_FAILED,
	 "Forbidden"},
	{"not enforced", PLM_CALL_JOB_START, PATCH, PLM_KUBE_FORBIDDEN_HERE, 0, "", WAIT,
	 PLM_RESULT_RETRYABLE, "NotEnforced"},
	{"no such call", PLM_CALL_JOB_START, UPDATE, PLM_KUBE_FORBIDDEN_HERE, 0, "", END,
	 PLM_RESULT_FAILED, "NoSuchCall"},
};

static void outcome_row(const struct outcome_case *row)
{
	const struct plm_kube_answer answer = {
		.fate = row->fate,
		.status = row->status,
		.message = plm_slice_str(row->message),
		.retry_after_ms = 7000,
	};
	struct plm_outcome out;

	plm_outcome(row->call, &row->step, &answer, &out);
	assert_int_equal(out.next, row->next);
	assert_int_equal(out.class, row->class);
	plm_assert_text(out.code, row->code);
	assert_int_equal(out.wait_ms, 7000);
}
PLM_TEST_ROWS(outcome_row, struct outcome_case)

/* ---- what is known ------------------------------------------------------------------------------- */

static void see(struct plm_known_table *table, const char *uid, const char *revision,
		const char *json)
{
	cJSON *workload = cJSON_Parse(json);

	assert_non_null(workload);
	plm_known_saw(table, plm_slice_str(uid), plm_slice_str(revision), workload);
	cJSON_Delete(workload);
}

static void only_newer_and_only_ours(void **state)
{
	static const struct plm_w_condition said = {.type = {(const uint8_t *)"Admitted", 8}};
	const struct plm_vec one = {&said, 1};
	struct plm_known_table table = {0};

	(void)state;
	see(&table, "u", "9", "{}");
	see(&table, "u", "10", "{\"status\":{\"conditions\":[{\"type\":\"Admitted\"}]}}");
	assert_true(plm_known_covered(plm_known_find(&table, plm_slice_str("u")), one));
	assert_false(
		plm_known_covered(plm_known_find(&table, plm_slice_str("u")), (struct plm_vec){0}));
	see(&table, "u", "9", "{}"); /* an echo that comes late */
	assert_string_equal(plm_known_find(&table, plm_slice_str("u"))->revision, "10");
	see(&table, "u", "11", "{\"status\":{\"conditions\":[{\"type\":\"Mine\"}]}}");
	assert_false(plm_known_covered(plm_known_find(&table, plm_slice_str("u")), one));
	see(&table, "u", "12", "{\"status\":{\"admissionChecks\":[{\"name\":\"a\"}]}}");
	assert_false(plm_known_covered(plm_known_find(&table, plm_slice_str("u")), one));
	see(&table, "u", "a-revision-that-is-too-long-for-it", "{}");
	assert_null(plm_known_find(&table, plm_slice_str("u")));
	plm_known_fini(&table);
}

/* Those that are left are found, whichever went. */
static void forgets_no_other(void **state)
{
	struct plm_known_table table = {0};
	bool there[500] = {false};
	uint64_t seed = plm_test_seed();
	char uid[16];

	(void)state;
	for (int turn = 0; turn < 20000; turn++) {
		uint64_t pick = plm_test_below(&seed, PLM_COUNTOF(there));

		(void)snprintf(uid, sizeof(uid), "u%llu", (unsigned long long)pick);
		assert_int_equal(plm_known_find(&table, plm_slice_str(uid)) != NULL, there[pick]);
		if (there[pick]) {
			plm_known_forget(&table, plm_slice_str(uid));
		} else {
			plm_known_saw(&table, plm_slice_str(uid), plm_slice_str("1"), NULL);
		}
		there[pick] = !there[pick];
	}
	plm_known_fini(&table);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, outcome_row, outcome_table);
	PLM_TEST_ADD(&tests, only_newer_and_only_ours);
	PLM_TEST_ADD(&tests, forgets_no_other);
	return plm_tests_run(&tests, "kube outcome");
}
