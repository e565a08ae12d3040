/*
 * test_encode.c - what every call of the engine is on the API server
 *
 * golden/NAME.json is a request with the objects that are there, golden/NAME.want what is asked of the
 * server, step by step, and the RESULT. PLM_UPDATE=1 rewrites the latter; the review reads the difference.
 */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "stage.h"

struct encode_case {
	const char *name;
};

static const struct encode_case encode_table[] = {
	{"annotate"},
	{"claim_create"},
	{"claim_create_never"},
	{"claim_delete"},
	{"claim_finalize"},
	{"claim_status"},
	{"class_status"},
	{"job_delete"},
	{"job_start"},
	{"job_start_again"},
	{"job_start_appwrapper"},
	{"job_start_done"},
	{"job_start_foreign"},
	{"job_start_gone"},
	{"job_start_jobset"},
	{"job_start_late"},
	{"job_start_mpi"},
	{"job_start_other_uid"},
	{"job_start_partial"},
	{"job_start_pytorch"},
	{"job_start_ray"},
	{"job_start_rayservice"},
	{"job_start_spark"},
	{"job_start_trainjob"},
	{"job_stop"},
	{"job_stop_done"},
	{"job_stop_gone"},
	{"job_stop_no_workload"},
	{"job_stop_workload"},
	{"node_delete"},
	{"node_finalize"},
	{"node_finalize_done"},
	{"node_sync"},
	{"node_taint"},
	{"node_taint_done"},
	{"node_taint_gone"},
	{"node_taint_remove"},
	{"node_taint_remove_gone"},
	{"pod_create"},
	{"pod_create_done"},
	{"pod_create_orphan"},
	{"pod_create_taken"},
	{"pod_delete"},
	{"pod_delete_other_uid"},
	{"pod_evict"},
	{"pod_evict_budget"},
	{"pod_evict_gone"},
	{"pod_evict_other_uid"},
	{"pod_finalize"},
	{"pod_finalize_done"},
	{"pod_finalize_gone"},
	{"pod_finalize_only"},
	{"pod_finalize_other_uid"},
	{"pod_ungate"},
	{"pod_ungate_done"},
	{"pod_ungate_gone"},
	{"pod_ungate_keeps_other_gates"},
	{"pool_status"},
	{"queue_status_cluster"},
	{"queue_status_cohort"},
	{"queue_status_local"},
	{"queue_status_local_old"},
	{"queue_status_work"},
	{"workload_create"},
	{"workload_create_changed"},
	{"workload_create_done"},
	{"workload_create_gone"},
	{"workload_create_group"},
	{"workload_create_jobset"},
	{"workload_create_old"},
	{"workload_create_pod"},
	{"workload_create_spark"},
	{"workload_create_trainjob"},
	{"workload_deactivate"},
	{"workload_deactivate_done"},
	{"workload_delete"},
	{"workload_delete_finalizer"},
	{"workload_delete_leaving"},
	{"workload_status_all"},
	{"workload_status_all_old"},
	{"workload_status_checks"},
	{"workload_status_done"},
	{"workload_status_foreign"},
	{"workload_status_gone"},
	{"workload_status_known"},
	{"workload_status_read"},
	{"workload_status_readmitted"},
	{"workload_status_waits_again"},
};

static void encode_row(const struct encode_case *row)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	const struct stage_result *last = NULL;
	char *text = calloc(1, PLAYED_LOG + 512);
	char name[128];
	char *want = NULL;

	assert_non_null(stage);
	assert_non_null(text);
	stage_init(stage);
	stage_load(stage, row->name);
	stage_submit(stage, 7);
	stage_run(stage);
	last = stage_last(stage);
	(void)snprintf(text, PLAYED_LOG + 512, "%sRESULT %s%s%s\n", stage->played.log,
		       plm_names_text(&plm_names_result_class, last->class),
		       last->code[0] == '\0' ? "" : " ", last->code);
	(void)snprintf(name, sizeof(name), "%s.want", row->name);
	if (getenv("PLM_UPDATE") != NULL) {
		stage_write(name, text);
	}
	want = stage_file(name);
	assert_non_null(want);
	assert_string_equal(text, want);
	free(want);
	free(text);
	stage_fini(stage);
	free(stage);
}
PLM_TEST_ROWS(encode_row, struct encode_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, encode_row, encode_table);
	return plm_tests_run(&tests, "kube encode");
}
