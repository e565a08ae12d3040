/*
 * test_effect.c - effects before a server that fails, one fault at each call of each effect
 *
 * Whatever happens once, the objects are in the end what they are without it, nothing is made twice, and
 * there is one final RESULT of the same meaning.
 */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "stage.h"

/* ---- one fault ----------------------------------------------------------------------------------- */

struct fault_case {
	const char *name; /* of the golden case */
};

static const struct fault_case fault_table[] = {
	{"annotate"},
	{"claim_create"},
	{"claim_delete"},
	{"claim_finalize"},
	{"claim_status"},
	{"job_delete"},
	{"job_start"},
	{"job_start_again"},
	{"job_start_appwrapper"},
	{"job_start_trainjob"},
	{"job_stop"},
	{"node_delete"},
	{"node_finalize"},
	{"node_sync"},
	{"node_taint"},
	{"node_taint_remove"},
	{"pod_create"},
	{"pod_create_taken"},
	{"pod_delete"},
	{"pod_delete_other_uid"},
	{"pod_evict"},
	{"pod_evict_other_uid"},
	{"pod_ungate"},
	{"pool_status"},
	{"queue_status_cluster"},
	{"workload_create"},
	{"workload_create_group"},
	{"workload_create_pod"},
	{"workload_create_trainjob"},
	{"workload_deactivate"},
	{"workload_delete_finalizer"},
	{"workload_status_checks"},
	{"workload_status_foreign"},
	{"workload_status_known"},
	{"workload_status_read"},
};

struct run {
	char *state;
	enum plm_result_class class;
	int calls, created;
	size_t finals;
};

static bool is_final(enum plm_result_class class)
{
	return class != PLM_RESULT_UNKNOWN && class != PLM_RESULT_RETRYABLE;
}

static struct run run_with(const char *name, enum played_fault fault, int at, int count)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	struct run run = {0};

	assert_non_null(stage);
	stage_init(stage);
	stage_load(stage, name);
	stage->played.fault = fault;
	stage->played.fault_at = at;
	stage->played.fault_count = count;
	stage_submit(stage, 7);
	stage_run(stage);
	run.state = played_state(&stage->played);
	run.calls = stage->played.calls;
	run.created = stage->played.created;
	run.class = stage_last(stage)->class;
	for (size_t i = 0; i < stage->result_count; i++) {
		run.finals += is_final(stage->results[i].class);
	}
	stage_fini(stage);
	free(stage);
	return run;
}

static bool same_meaning(enum plm_result_class a, enum plm_result_class b)
{
	a = a == PLM_RESULT_ALREADY_DONE ? PLM_RESULT_DONE : a;
	b = b == PLM_RESULT_ALREADY_DONE ? PLM_RESULT_DONE : b;
	return a == b;
}

static void check(const struct run *have, const struct run *want)
{
	assert_string_equal(have->state, want->state);
	assert_int_equal(have->created, want->created);
	assert_int_equal(have->finals, 1);
	assert_true(same_meaning(have->class, want->class));
}

static void fault_row(const struct fault_case *row)
{
	static const enum played_fault once[] = {
		PLAYED_UNSENT,	  PLAYED_LOST_BEFORE, PLAYED_LOST_AFTER,  PLAYED_CONFLICT,
		PLAYED_THROTTLED, PLAYED_GARBLED,     PLAYED_UNAUTHORIZED};
	struct run want = run_with(row->name, PLAYED_WELL, 0, 0);

	assert_int_equal(want.finals, 1);
	for (size_t f = 0; f < PLM_COUNTOF(once); f++) {
		for (int at = 0; at < want.calls; at++) {
			struct run have = run_with(row->name, once[f], at, 1);

			check(&have, &want);
			free(have.state);
			have = run_with(row->name, once[f], at, 2);
			check(&have, &want);
			free(have.state);
		}
	}
	free(want.state);
}
PLM_TEST_ROWS(fault_row, struct fault_case)

/* ---- what cannot be mended ------------------------------------------------------------------------ */

static void denied_is_failed(void **state)
{
	struct run run = run_with("job_start", PLAYED_DENIED, 1, 1);

	(void)state;
	assert_int_equal(run.class, PLM_RESULT_FAILED);
	assert_int_equal(run.finals, 1);
	free(run.state);
}

static void changed_over_and_over_is_a_conflict(void **state)
{
	struct run run = run_with("workload_status_known", PLAYED_CONFLICT, 0, 100);

	(void)state;
	assert_int_equal(run.class, PLM_RESULT_CONFLICT);
	assert_int_equal(run.finals, 1);
	free(run.state);
}

static void deadline_ends_it(void **state)
{
	struct run run = run_with("job_start_late", PLAYED_WELL, 0, 0);

	(void)state;
	assert_int_equal(run.class, PLM_RESULT_FAILED);
	assert_int_equal(run.calls, 1); /* it was looked at, and not written */
	free(run.state);
}

/* ---- order and bounds ---------------------------------------------------------------------------- */

static struct stage *stage_new(const char *name)
{
	struct stage *stage = calloc(1, sizeof(*stage));

	assert_non_null(stage);
	stage_init(stage);
	stage_load(stage, name);
	return stage;
}

static void stage_free(struct stage *stage)
{
	stage_fini(stage);
	free(stage);
}

/* What is behind another on the same object waits for it, also while that is repeated. */
static void one_object_one_at_a_time(void **state)
{
	struct stage *stage = stage_new("node_taint");

	(void)state;
	stage->played.fault = PLAYED_LOST_AFTER;
	stage->played.fault_at = 1;
	stage->played.fault_count = 1;
	for (uint64_t intent = 1; intent <= 5; intent++) {
		stage_submit(stage, intent);
	}
	stage_run(stage);
	assert_int_equal(stage->played.most_under_way, 1);
	assert_int_equal(stage->result_count, 6);
	assert_int_equal(stage->results[0].class, PLM_RESULT_UNKNOWN);
	for (uint64_t intent = 1; intent <= 5; intent++) {
		assert_int_equal(stage->results[intent].intent, intent);
		assert_int_equal(stage->results[intent].class, PLM_RESULT_ALREADY_DONE);
	}
	stage_free(stage);
}

static void many_objects_at_once_but_bounded(void **state)
{
	struct stage *stage = stage_new("claim_delete");
	cJSON *name = NULL;
	char text[32];

	(void)state;
	name = cJSON_GetObjectItem(cJSON_GetObjectItem(stage->json, "request"), "name");
	for (uint64_t intent = 1; intent <= 200; intent++) {
		(void)snprintf(text, sizeof(text), "c%llu", (unsigned long long)intent);
		assert_non_null(cJSON_SetValuestring(name, text));
		stage_submit(stage, intent);
	}
	assert_int_equal(plm_kube_effector_under_way(stage->effector), 200);
	stage_run(stage);
	assert_int_equal(stage->played.most_under_way, 64);
	assert_int_equal(stage->result_count, 200);
	stage_free(stage);
}

static void results_wait_for_room(void **state)
{
	struct stage *stage = stage_new("node_taint");

	(void)state;
	stage->full = true;
	stage_submit(stage, 1);
	stage_submit(stage, 2);
	stage_run(stage);
	assert_int_equal(stage->result_count, 0);
	plm_kube_effector_resume(stage->effector);
	assert_int_equal(stage->result_count, 0);
	stage->full = false;
	plm_kube_effector_resume(stage->effector);
	assert_int_equal(stage->result_count, 2);
	assert_int_equal(stage->results[0].intent, 1);
	assert_int_equal(stage->results[0].class, PLM_RESULT_DONE);
	assert_int_equal(stage->results[1].intent, 2);
	stage_free(stage);
}

static void unfinished_is_freed(void **state)
{
	struct stage *stage = stage_new("node_taint");

	(void)state;
	stage->played.fault = PLAYED_UNSENT;
	stage->played.fault_count = 1000;
	stage_submit(stage, 1);
	stage_submit(stage, 2);
	for (int i = 0; i < 5; i++) {
		(void)uv_run(&stage->loop, UV_RUN_ONCE);
	}
	assert_int_equal(plm_kube_effector_under_way(stage->effector), 2);
	assert_int_equal(stage->result_count, 1); /* told once */
	assert_int_equal(stage->results[0].class, PLM_RESULT_RETRYABLE);
	stage_free(stage);
}

/* The answer of a write is what the next write of the status goes by: no read between them. */
static void status_follows_its_own_writes(void **state)
{
	struct stage *stage = stage_new("workload_status_known");
	cJSON *queue = NULL;

	(void)state;
	queue = cJSON_GetObjectItem(cJSON_GetObjectItem(stage->json, "request"), "cluster_queue");
	stage_submit(stage, 1);
	stage_run(stage);
	assert_non_null(cJSON_SetValuestring(queue, "c2"));
	stage_submit(stage, 2);
	stage_run(stage);
	assert_int_equal(stage->played.calls, 2);
	assert_int_equal(stage->played.writes, 2);
	assert_int_equal(stage_last(stage)->class, PLM_RESULT_DONE);
	stage_free(stage);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, fault_row, fault_table);
	PLM_TEST_ADD(&tests, denied_is_failed);
	PLM_TEST_ADD(&tests, changed_over_and_over_is_a_conflict);
	PLM_TEST_ADD(&tests, deadline_ends_it);
	PLM_TEST_ADD(&tests, one_object_one_at_a_time);
	PLM_TEST_ADD(&tests, many_objects_at_once_but_bounded);
	PLM_TEST_ADD(&tests, results_wait_for_room);
	PLM_TEST_ADD(&tests, unfinished_is_freed);
	PLM_TEST_ADD(&tests, status_follows_its_own_writes);
	return plm_tests_run(&tests, "kube effect");
}
