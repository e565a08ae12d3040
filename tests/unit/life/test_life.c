/* Each transition of the life cycle: docs/lifecycle.md, kueue.md 2.14. */
#include "plm_test.h"
#include "stage.h"

static struct stage s;

static int setup_2(void **state)
{
	(void)state;
	stage_init(&s, 2);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	stage_fini(&s);
	return 0;
}

static struct plm_w_check_status says(const char *check, enum plm_check_state answer)
{
	return (struct plm_w_check_status){.name = plm_slice_str(check),
					   .state = answer,
					   .since_ms = PLM_UNSET,
					   .requeue_after_ms = PLM_UNSET};
}

static void answer(const char *job, const char *check, enum plm_check_state state)
{
	struct plm_w_check_status status = says(check, state);

	stage_answer(&s, job, &status);
}

static void with_check(const char *name)
{
	s.checks[0] = name;
	stage_check(&s, name);
	stage_queue(&s);
}

/* ---- checks ------------------------------------------------------------------------------------ */

static void a_check_that_is_ready_admits(void **state)
{
	(void)state;
	with_check("c");
	(void)stage_add(&s, "j", 2);
	assert_string_equal(stage_settle(&s, 0), "reserve j");
	answer("j", "c", PLM_CHECK_READY);
	assert_string_equal(stage_settle(&s, 10), "admit j; job.start j");
}

static void a_retry_waits_and_is_asked_again(void **state)
{
	struct plm_w_check_status retry = says("c", PLM_CHECK_RETRY);

	(void)state;
	with_check("c");
	(void)stage_add(&s, "j", 2);
	(void)stage_settle(&s, 0);
	retry.requeue_after_ms = 5000;
	stage_answer(&s, "j", &retry);
	assert_string_equal(stage_settle(&s, 100), "evict j AdmissionCheck; release j");
	assert_int_equal(stage_workload(&s, "j")->requeue_at_ms, STAGE_START_MS + 5000);
	assert_string_equal(stage_settle(&s, 4999), "");
	assert_int_equal(plm_next_due(&s.st), STAGE_START_MS + 5000);
	assert_string_equal(stage_settle(&s, 5000), "requeue j BackoffFinished; reserve j");
	answer("j", "c", PLM_CHECK_READY);
	assert_string_equal(stage_settle(&s, 6000), "admit j; job.start j");
}

static void a_retry_without_a_time_is_tried_at_once(void **state)
{
	(void)state;
	with_check("c");
	(void)stage_add(&s, "j", 2);
	(void)stage_settle(&s, 0);
	answer("j", "c", PLM_CHECK_RETRY);
	assert_string_equal(stage_settle(&s, 100), "evict j AdmissionCheck; release j; "
						   "requeue j BackoffFinished; reserve j");
}

/* The same answer, told again as a watch does, is not a new one. */
static void an_answer_is_used_once(void **state)
{
	struct plm_w_check_status retry = says("c", PLM_CHECK_RETRY);
	uint32_t count = 0;
	const struct plm_check_status *checks = NULL;

	(void)state;
	with_check("c");
	(void)stage_add(&s, "j", 2);
	(void)stage_settle(&s, 0);
	retry.since_ms = STAGE_START_MS + 50;
	stage_answer(&s, "j", &retry);
	(void)stage_settle(&s, 100);
	stage_answer(&s, "j", &retry);
	assert_string_equal(stage_settle(&s, 200), "");
	checks = PLM_SPAN(&s.st, stage_workload(&s, "j")->checks, struct plm_check_status, &count);
	assert_int_equal(count, 1);
	assert_int_equal(checks[0].state, PLM_CHECK_PENDING);
	assert_int_equal(checks[0].retry_count, 1);
	retry.since_ms = STAGE_START_MS + 250;
	stage_answer(&s, "j", &retry);
	assert_string_equal(stage_settle(&s, 300), "evict j AdmissionCheck; release j; "
						   "requeue j BackoffFinished; reserve j");
}

static void a_rejection_deactivates(void **state)
{
	(void)state;
	with_check("c");
	(void)stage_add(&s, "j", 2);
	(void)stage_settle(&s, 0);
	answer("j", "c", PLM_CHECK_REJECTED);
	assert_string_equal(stage_settle(&s, 100),
			    "evict j AdmissionCheck; workload.deactivate j; release j");
	assert_int_equal(stage_workload(&s, "j")->active, 0);
	assert_string_equal(stage_settle(&s, 1000000), "");
	stage_active(&s, "j", true);
	assert_string_equal(stage_settle(&s, 1000001), "requeue j Reactivated; reserve j");
}

static void a_running_job_is_stopped_by_a_check(void **state)
{
	(void)state;
	with_check("c");
	(void)stage_add(&s, "j", 2);
	answer("j", "c", PLM_CHECK_READY);
	assert_string_equal(stage_settle(&s, 0), "admit j; job.start j");
	answer("j", "c", PLM_CHECK_RETRY);
	assert_string_equal(stage_settle(&s, 100), "evict j AdmissionCheck; job.stop j; release j; "
						   "requeue j BackoffFinished; reserve j");
}

static void a_check_that_is_no_longer_asked_for_is_dropped(void **state)
{
	(void)state;
	with_check("c");
	(void)stage_add(&s, "j", 2);
	(void)stage_settle(&s, 0);
	s.checks[0] = NULL;
	stage_queue(&s);
	assert_string_equal(stage_settle(&s, 100), "admit j; job.start j");
	assert_int_equal(stage_workload(&s, "j")->checks.n, 0);
}

static void a_check_that_is_gone_makes_the_queue_inactive(void **state)
{
	struct plm_w_gone gone = {.kind = PLM_KIND_ADMISSION_CHECK, .name = plm_slice_str("c")};

	(void)state;
	with_check("c");
	stage_fact(&s, PLM_EV_GONE, &gone);
	(void)stage_add(&s, "j", 2);
	assert_string_equal(stage_settle(&s, 0), "");
	stage_check(&s, "c");
	assert_string_equal(stage_settle(&s, 100), "reserve j");
}

static struct plm_w_pod_set_update adds(struct plm_w_kv *label)
{
	return (struct plm_w_pod_set_update){.name = plm_slice_str("main"), .labels = {label, 1}};
}

static void what_two_checks_add_may_conflict(void **state)
{
	struct plm_w_kv a = {plm_slice_str("rack"), plm_slice_str("1")};
	struct plm_w_kv b = {plm_slice_str("rack"), plm_slice_str("2")};
	struct plm_w_pod_set_update one = adds(&a);
	struct plm_w_pod_set_update two = adds(&b);
	struct plm_w_check_status status = says("c", PLM_CHECK_READY);

	(void)state;
	s.checks[1] = "d";
	stage_check(&s, "d");
	with_check("c");
	(void)stage_add(&s, "j", 2);
	(void)stage_settle(&s, 0);
	status.updates = (struct plm_vec){&one, 1};
	stage_answer(&s, "j", &status);
	status = says("d", PLM_CHECK_READY);
	status.updates = (struct plm_vec){&two, 1};
	stage_answer(&s, "j", &status);
	assert_string_equal(stage_settle(&s, 100), "admit j; finish j FailedToStart");
	assert_int_equal(stage_workload(&s, "j")->stage, PLM_STAGE_FINISHED);
}

/* ---- pods that are ready ----------------------------------------------------------------------- */

static struct stage_job *started(const char *name, int64_t pods)
{
	struct stage_job *job = stage_add(&s, name, pods);

	(void)stage_settle(&s, s.now_ms - STAGE_START_MS);
	assert_int_equal(stage_workload(&s, name)->stage, PLM_STAGE_ADMITTED);
	return job;
}

static void pods_become_ready_and_are_lost(void **state)
{
	struct stage_job *job = started("j", 2);
	const struct plm_workload *workload = stage_workload(&s, "j");

	(void)state;
	assert_int_equal(workload->pods_ready, PLM_PODS_WAIT_FOR_START);
	assert_int_equal(workload->ready_by_ms, STAGE_START_MS + 60000);
	s.now_ms += 1000;
	job->ready = 1;
	stage_tell(&s, job);
	assert_int_equal(workload->pods_ready, PLM_PODS_WAIT_FOR_START);
	job->ready = 2;
	stage_tell(&s, job);
	assert_int_equal(workload->pods_ready, PLM_PODS_STARTED);
	assert_int_equal(workload->pods_ready_ms, STAGE_START_MS + 1000);
	assert_int_equal(workload->ready_by_ms, PLM_UNSET);
	job->ready = 1;
	stage_tell(&s, job);
	assert_int_equal(workload->pods_ready, PLM_PODS_WAIT_FOR_RECOVERY);
	assert_int_equal(workload->ready_by_ms, STAGE_START_MS + 31000);
	job->ready = 0;
	job->succeeded = 2; /* who has done its part need not be ready */
	stage_tell(&s, job);
	assert_int_equal(workload->pods_ready, PLM_PODS_RECOVERED);
	assert_int_equal(plm_next_due(&s.st), PLM_UNSET);
}

static void pods_that_are_late_back_off_and_are_given_up(void **state)
{
	(void)state;
	s.config.deactivate_at = 4;
	stage_config(&s);
	(void)started("j", 2);
	assert_string_equal(stage_settle(&s, 59999), "");
	assert_string_equal(stage_settle(&s, 60000), "evict j WaitForStart; job.stop j; release j");
	assert_int_equal(stage_workload(&s, "j")->requeue_at_ms, STAGE_START_MS + 70000);
	assert_string_equal(stage_settle(&s, 70000),
			    "requeue j BackoffFinished; admit j; job.start j");
	(void)stage_settle(&s, 130000);
	assert_int_equal(stage_workload(&s, "j")->requeue_at_ms, STAGE_START_MS + 150000);
	(void)stage_settle(&s, 150000);
	(void)stage_settle(&s, 210000); /* 40 s, but 20 at most */
	assert_int_equal(stage_workload(&s, "j")->requeue_at_ms, STAGE_START_MS + 230000);
	assert_int_equal(stage_workload(&s, "j")->requeue_count, 3);
	(void)stage_settle(&s, 230000);
	assert_string_equal(
		stage_settle(&s, 290000),
		"evict j RequeuingLimitExceeded; workload.deactivate j; job.stop j; release j");
	assert_int_equal(stage_workload(&s, "j")->requeue_count, 0);
	assert_string_equal(stage_settle(&s, 10000000), "");
}

static void evictions_are_counted_by_reason(void **state)
{
	uint32_t count = 0;
	const struct plm_eviction_count *list = NULL;

	(void)state;
	(void)started("j", 2);
	(void)stage_settle(&s, 60000);
	(void)stage_settle(&s, 70000);
	(void)stage_settle(&s, 130000);
	stage_active(&s, "j", false);
	(void)stage_settle(&s, 130001);
	(void)stage_settle(&s, 200000);
	list = PLM_SPAN(&s.st, stage_workload(&s, "j")->evictions, struct plm_eviction_count,
			&count);
	assert_int_equal(count, 1); /* evicted already: the deactivation evicts nobody anew */
	assert_int_equal(list[0].reason, PLM_REASON_PODS_READY_TIMEOUT);
	assert_int_equal(list[0].cause, PLM_REASON_WAIT_FOR_START);
	assert_int_equal(list[0].count, 2);
}

static void recovery_has_its_own_time_or_none(void **state)
{
	struct stage_job *job = started("j", 2);

	(void)state;
	job->ready = 2;
	stage_tell(&s, job);
	job->ready = 1;
	stage_tell(&s, job);
	assert_string_equal(stage_settle(&s, 30000),
			    "evict j WaitForRecovery; job.stop j; release j");
	(void)stage_settle(&s, 40000);
	job->ready = 2;
	stage_tell(&s, job);
	s.config.recovery_timeout_ms = 0;
	stage_config(&s);
	job->ready = 1;
	stage_tell(&s, job);
	assert_string_equal(stage_settle(&s, 10000000), "");
}

static void the_switch_is_obeyed(void **state)
{
	(void)state;
	s.config.pods_ready = 0;
	stage_config(&s);
	(void)started("j", 2);
	assert_string_equal(stage_settle(&s, 10000000), "");
	s.config.pods_ready = 1;
	stage_config(&s);
	assert_string_equal(stage_settle(&s, 10000000),
			    "evict j WaitForStart; job.stop j; release j");
}

static void admission_waits_for_the_pods_of_others(void **state)
{
	struct stage_job *first = NULL;

	(void)state;
	s.config.block_admission = 1;
	stage_config(&s);
	first = stage_add(&s, "a", 1);
	(void)stage_add(&s, "b", 1);
	assert_string_equal(stage_settle(&s, 0), "admit a; job.start a");
	assert_int_equal(stage_workload(&s, "b")->why.reason, PLM_REASON_WAITING_FOR_PODS_READY);
	first->ready = 1;
	stage_tell(&s, first);
	assert_string_equal(stage_settle(&s, 10), "admit b; job.start b");
}

static void a_late_workload_goes_to_the_end_of_the_queue_or_not(void **state)
{
	(void)state;
	(void)started("a", 2);
	(void)stage_add(&s, "b", 2);
	(void)stage_settle(&s, 60000);
	assert_int_equal(stage_workload(&s, "b")->stage, PLM_STAGE_ADMITTED);
	(void)stage_add(&s, "c", 2);
	(void)stage_settle(&s, 70000);
	assert_string_equal(stage_settle(&s, 120000), /* c is as old as a, which was evicted */
			    "evict b WaitForStart; job.stop b; release b; admit c; job.start c");
	s.config.requeue_timestamp = PLM_REQUEUE_BY_CREATION;
	stage_config(&s);
	(void)stage_settle(&s, 140000);
	assert_string_equal(stage_settle(&s, 180000),
			    "evict c WaitForStart; job.stop c; release c; admit a; job.start a");
}

/* ---- time, activity, queues -------------------------------------------------------------------- */

static void time_that_it_ran_is_counted(void **state)
{
	struct stage_job *job = stage_add(&s, "j", 2);
	struct stage_job *urgent = NULL;

	(void)state;
	s.config.pods_ready = 0;
	stage_config(&s);
	job->max_exec_s = 100;
	stage_tell(&s, job);
	(void)stage_settle(&s, 0);
	urgent = stage_add(&s, "u", 2);
	urgent->priority = 10;
	stage_tell(&s, urgent);
	assert_string_equal(stage_settle(&s, 40000), "evict j Preempted; job.stop j; release j; "
						     "admit u; job.start u");
	assert_int_equal(stage_workload(&s, "j")->past_execution_s, 40);
	urgent->over = true;
	stage_tell(&s, urgent);
	assert_string_equal(stage_settle(&s, 50000), "admit j; job.start j");
	assert_string_equal(stage_settle(&s, 109999), "");
	assert_string_equal(stage_settle(&s, 110000),
			    "evict j MaximumExecutionTimeExceeded; workload.deactivate j; "
			    "job.stop j; release j");
	assert_int_equal(stage_workload(&s, "j")->past_execution_s, 0);
}

static void inactive_is_evicted_running_or_not(void **state)
{
	(void)state;
	(void)started("a", 2);
	(void)stage_add(&s, "b", 2);
	(void)stage_settle(&s, 0);
	stage_active(&s, "b", false);
	assert_string_equal(stage_settle(&s, 10), "evict b Deactivated");
	stage_active(&s, "a", false);
	assert_string_equal(stage_settle(&s, 20), "evict a Deactivated; job.stop a; release a");
	stage_active(&s, "b", true);
	assert_string_equal(stage_settle(&s, 30), "admit b; job.start b");
	stage_active(&s, "a", true);
	assert_string_equal(stage_settle(&s, 40), "requeue a Reactivated");
}

static void hold_lets_run_and_drain_does_not(void **state)
{
	(void)state;
	(void)started("a", 1);
	s.stop = PLM_STOP_HOLD;
	stage_queue(&s);
	(void)stage_add(&s, "b", 1);
	assert_string_equal(stage_settle(&s, 10), "");
	s.stop = PLM_STOP_HOLD_AND_DRAIN;
	stage_queue(&s);
	assert_string_equal(stage_settle(&s, 20),
			    "evict a ClusterQueueStopped; job.stop a; release a");
	s.stop = PLM_STOP_NONE;
	stage_queue(&s);
	assert_string_equal(
		stage_settle(&s, 30),
		"requeue a ClusterQueueRestarted; admit a; admit b; job.start a; job.start b");
	s.local_stop = PLM_STOP_HOLD_AND_DRAIN;
	stage_local(&s);
	assert_string_equal(stage_settle(&s, 40),
			    "evict a LocalQueueStopped; evict b LocalQueueStopped; job.stop a; "
			    "job.stop b; release a; release b");
	s.local_stop = PLM_STOP_NONE;
	stage_local(&s);
	assert_string_equal(stage_settle(&s, 50),
			    "requeue a LocalQueueRestarted; requeue b LocalQueueRestarted; "
			    "admit a; admit b; job.start a; job.start b");
}

static void a_reservation_is_withdrawn_by_hold(void **state)
{
	(void)state;
	with_check("c");
	(void)stage_add(&s, "j", 2);
	(void)stage_settle(&s, 0);
	s.stop = PLM_STOP_HOLD;
	stage_queue(&s);
	assert_string_equal(stage_settle(&s, 10), "release j");
	s.stop = PLM_STOP_NONE;
	stage_queue(&s);
	assert_string_equal(stage_settle(&s, 20), "reserve j");
}

static void pods_given_back_make_room(void **state)
{
	struct plm_w_pod_count back = {plm_slice_str("main"), 1};
	struct plm_w_workload_patch patch = {.ns = plm_slice_str("ml"),
					     .name = plm_slice_str("a"),
					     .active = PLM_UNSET,
					     .reclaimable = {&back, 1}};
	uint32_t count = 0;

	(void)state;
	(void)started("a", 2);
	(void)stage_add(&s, "b", 1);
	assert_string_equal(stage_settle(&s, 10), "");
	stage_fact(&s, PLM_EV_WORKLOAD_PATCH, &patch);
	assert_string_equal(stage_settle(&s, 20), "admit b; job.start b");
	back.count = 0; /* while it holds quota there can only be more */
	stage_fact(&s, PLM_EV_WORKLOAD_PATCH, &patch);
	assert_int_equal(PLM_SPAN(&s.st, stage_workload(&s, "a")->reclaimable, struct plm_pod_count,
				  &count)[0]
				 .count,
			 1);
}

/* ---- the end ----------------------------------------------------------------------------------- */

static void what_is_over_is_kept_for_a_while(void **state)
{
	struct stage_job *job = NULL;

	(void)state;
	s.config.retain_finished_ms = 5000;
	s.config.retain_deactivated_ms = 7000;
	s.config.deactivate_at = 1;
	stage_config(&s);
	job = started("a", 1);
	(void)started("b", 1);
	job->over = true;
	stage_tell(&s, job);
	assert_string_equal(stage_settle(&s, 4999), "");
	assert_string_equal(stage_settle(&s, 5000), "workload.delete a");
	assert_int_equal(plm_find_text(&s.st, PLM_KIND_WORKLOAD, "ml", "a").n, 0);
	stage_tell(&s, job); /* and is not made anew for a job that is over */
	assert_int_equal(plm_find_text(&s.st, PLM_KIND_WORKLOAD, "ml", "a").n, 0);
	(void)stage_settle(&s, 60000);
	assert_string_equal(stage_settle(&s, 66999), "");
	assert_string_equal(stage_settle(&s, 67000), "job.delete b");
	assert_int_equal(plm_find_text(&s.st, PLM_KIND_JOB, "ml", "b").n, 0);
}

static void a_person_s_deactivation_deletes_nothing(void **state)
{
	(void)state;
	s.config.retain_deactivated_ms = 7000;
	stage_config(&s);
	(void)started("a", 1);
	stage_active(&s, "a", false);
	(void)stage_settle(&s, 10);
	assert_string_equal(stage_settle(&s, 1000000), "");
}

static void an_orphan_is_over(void **state)
{
	struct plm_w_kv label = {plm_slice_str("kueue.x-k8s.io/job-uid"), plm_slice_str("u")};
	struct plm_w_amount cpu = {plm_slice_str("cpu"), 1};
	struct plm_w_pod_set_spec set = {
		.name = plm_slice_str("main"),
		.count = 1,
		.min_count = PLM_UNSET,
		.shape = {.requests = {&cpu, 1}, .priority = PLM_UNSET},
	};
	struct plm_w_workload w = {
		.meta = {.ns = plm_slice_str("ml"),
			 .name = plm_slice_str("w"),
			 .uid = plm_slice_str("w"),
			 .created_ms = 1,
			 .deleting_ms = PLM_UNSET,
			 .labels = {&label, 1}},
		.queue = plm_slice_str("lq"),
		.priority = PLM_UNSET,
		.active = 1,
		.pod_sets = {&set, 1},
		.reserved_ms = PLM_UNSET,
		.admitted_ms = PLM_UNSET,
		.evicted_ms = PLM_UNSET,
		.finished_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.pods_ready_ms = PLM_UNSET,
	};

	(void)state;
	stage_fact(&s, PLM_EV_WORKLOAD, &w);
	assert_string_equal(stage_settle(&s, 0), "finish w OwnerNotFound");
	w.meta.name = plm_slice_str("v");
	w.meta.uid = plm_slice_str("v");
	w.meta.labels.count = 0; /* nobody's from the start: it is its own */
	stage_fact(&s, PLM_EV_WORKLOAD, &w);
	assert_string_equal(stage_settle(&s, 10), "admit v");
	w.active = 0;
	stage_fact(&s, PLM_EV_WORKLOAD, &w);
	assert_string_equal(stage_settle(&s, 20), "evict v Deactivated; job.stop v; release v");
}

int main(void)
{
	static const struct CMUnitTest list[] = {
#define ON_STAGE(function) cmocka_unit_test_setup_teardown(function, setup_2, teardown)
		ON_STAGE(a_check_that_is_ready_admits),
		ON_STAGE(a_retry_waits_and_is_asked_again),
		ON_STAGE(a_retry_without_a_time_is_tried_at_once),
		ON_STAGE(an_answer_is_used_once),
		ON_STAGE(a_rejection_deactivates),
		ON_STAGE(a_running_job_is_stopped_by_a_check),
		ON_STAGE(a_check_that_is_no_longer_asked_for_is_dropped),
		ON_STAGE(a_check_that_is_gone_makes_the_queue_inactive),
		ON_STAGE(what_two_checks_add_may_conflict),
		ON_STAGE(pods_become_ready_and_are_lost),
		ON_STAGE(pods_that_are_late_back_off_and_are_given_up),
		ON_STAGE(evictions_are_counted_by_reason),
		ON_STAGE(recovery_has_its_own_time_or_none),
		ON_STAGE(the_switch_is_obeyed),
		ON_STAGE(admission_waits_for_the_pods_of_others),
		ON_STAGE(a_late_workload_goes_to_the_end_of_the_queue_or_not),
		ON_STAGE(time_that_it_ran_is_counted),
		ON_STAGE(inactive_is_evicted_running_or_not),
		ON_STAGE(hold_lets_run_and_drain_does_not),
		ON_STAGE(a_reservation_is_withdrawn_by_hold),
		ON_STAGE(pods_given_back_make_room),
		ON_STAGE(what_is_over_is_kept_for_a_while),
		ON_STAGE(a_person_s_deactivation_deletes_nothing),
		ON_STAGE(an_orphan_is_over),
	};
	struct plm_tests tests = {0};

	for (size_t i = 0; i < PLM_COUNTOF(list); i++) {
		tests.list[tests.count++] = list[i];
	}
	return plm_tests_run(&tests, "life");
}
