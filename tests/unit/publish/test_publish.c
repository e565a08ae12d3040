/* What is written of decisions into Workloads, and what their facts change: docs/status.md. */
#include "core/limits.h"
#include "core/written.h"
#include "plm_test.h"
#include "tests/unit/life/stage.h"

static struct stage s;

static void list_is_complete(void)
{
	struct plm_w_listed listed = {.kind = PLM_KIND_WORKLOAD, .revision = plm_slice_str("1")};

	stage_fact(&s, PLM_EV_LISTED, &listed);
}

static int setup(void **state)
{
	(void)state;
	stage_init(&s, 2);
	s.config.publish = PLM_PUBLISH_QUEUES;
	stage_config(&s);
	list_is_complete();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	stage_fini(&s);
	return 0;
}

/* ---- objects ------------------------------------------------------------------------------------- */

/* The object of 'name' as it is created: for a job of that name, or nobody's. */
static struct plm_w_workload object(const char *name, bool owned)
{
	static struct plm_w_amount cpu;
	static struct plm_w_pod_set_spec set;

	cpu = (struct plm_w_amount){plm_slice_str("cpu"), 1};
	set = (struct plm_w_pod_set_spec){
		.name = plm_slice_str("main"),
		.count = 2,
		.min_count = PLM_UNSET,
		.shape = {.requests = {&cpu, 1}, .priority = PLM_UNSET},
	};
	return (struct plm_w_workload){
		.meta = {.ns = plm_slice_str("ml"),
			 .name = plm_slice_str(name),
			 .uid = plm_slice_str("w"),
			 .created_ms = s.now_ms,
			 .deleting_ms = PLM_UNSET,
			 .owner_kind = plm_slice_str(owned ? "Job" : ""),
			 .owner_name = plm_slice_str(owned ? name : ""),
			 .owner_uid = plm_slice_str(owned ? name : "")},
		.queue = plm_slice_str("lq"),
		.priority = 0,
		.active = 1,
		.pod_sets = {&set, 1},
		.reserved_ms = PLM_UNSET,
		.admitted_ms = PLM_UNSET,
		.evicted_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.finished_ms = PLM_UNSET,
		.pods_ready_ms = PLM_UNSET,
	};
}

static const struct plm_w_condition *condition(const char *type)
{
	const struct plm_w_condition *list = s.status->conditions.ptr;

	for (size_t i = 0; i < s.status->conditions.count; i++) {
		if (plm_slice_is(list[i].type, type)) {
			return &list[i];
		}
	}
	return NULL;
}

static int64_t since(const char *type)
{
	const struct plm_w_condition *found = condition(type);

	if (found == NULL || !plm_slice_is(found->status, "True")) {
		return PLM_UNSET;
	}
	return found->since_ms == PLM_UNSET ? s.now_ms / 1000 * 1000
					    : found->since_ms / 1000 * 1000;
}

/* The object says what was asked to be written last. */
static struct plm_w_workload echo(const char *name, bool owned)
{
	struct plm_w_workload w = object(name, owned);
	const struct plm_w_condition *requeued = condition("Requeued");
	const struct plm_w_condition *ready = condition("PodsReady");

	w.cluster_queue = s.status->cluster_queue;
	w.assignments = s.status->assignments;
	w.checks = s.status->checks;
	w.reclaimable = s.status->reclaimable;
	w.unhealthy = s.status->unhealthy;
	w.reserved_ms = since("QuotaReserved");
	w.admitted_ms = since("Admitted");
	w.evicted_ms = since("Evicted");
	w.finished_ms = since("Finished");
	if (w.evicted_ms != PLM_UNSET) {
		w.evicted_reason = condition("Evicted")->reason;
	}
	if (requeued != NULL) {
		w.requeued = plm_slice_is(requeued->status, "True") ? 1 : -1;
		w.requeued_reason = requeued->reason;
	}
	if (ready != NULL) {
		w.pods_ready = plm_slice_is(ready->status, "True") ? 1 : -1;
		w.pods_ready_reason = ready->reason;
		w.pods_ready_ms = ready->since_ms;
	}
	return w;
}

static void tell(const struct plm_w_workload *w)
{
	stage_fact(&s, PLM_EV_WORKLOAD, w);
}

static void tell_echo(const char *name, bool owned)
{
	struct plm_w_workload w = echo(name, owned);

	tell(&w);
}

static void answer(enum plm_result_class class)
{
	struct plm_w_result result = {.class = class};

	assert_true(s.open_count > 0);
	result.intent = (int64_t)s.open[0].seq;
	for (uint32_t i = 1; i < s.open_count; i++) {
		s.open[i - 1] = s.open[i];
	}
	s.open_count--;
	stage_fact(&s, PLM_EV_RESULT, &result);
}

static void gone(const char *name)
{
	struct plm_w_gone fact = {.kind = PLM_KIND_WORKLOAD,
				  .ns = plm_slice_str("ml"),
				  .name = plm_slice_str(name),
				  .uid = plm_slice_str("w")};

	stage_fact(&s, PLM_EV_GONE, &fact);
}

/* A job of two pods that runs; its object was made and says so. */
static struct stage_job *running(const char *name)
{
	struct stage_job *job = stage_add(&s, name, 2);
	struct plm_w_workload made = object(name, true);

	(void)stage_run(&s, 0);
	stage_obey(&s); /* started, made */
	tell(&made);
	(void)stage_run(&s, 100);
	stage_obey(&s); /* written */
	tell_echo(name, true);
	job->ready = 2;
	stage_tell(&s, job);
	assert_string_equal(stage_run(&s, 200), ""); /* that its pods are ready is not urgent */
	assert_string_equal(stage_run(&s, 100 + PLM_LIMIT_SAY_AFTER_MS), "workload.status j");
	stage_obey(&s);
	tell_echo(name, true);
	assert_string_equal(stage_run(&s, 1200), "");
	return job;
}

/* A Workload of nobody's that is admitted, and says so. */
static void admitted_of_nobody(void)
{
	struct plm_w_workload w = object("n", false);

	tell(&w);
	assert_string_equal(stage_run(&s, 0), "admit n; workload.status n");
	answer(PLM_RESULT_DONE);
	tell_echo("n", false);
	assert_string_equal(stage_run(&s, 100), "");
}

/* ---- one create, one status ---------------------------------------------------------------------- */

static void a_job_gets_one_object_and_one_status(void **state)
{
	struct plm_w_workload made = object("j", true);

	(void)state;
	(void)stage_add(&s, "j", 2);
	assert_string_equal(stage_run(&s, 0), "admit j; job.start j; workload.create j");
	stage_obey(&s);
	assert_string_equal(stage_run(&s, 10), "");
	tell(&made);
	assert_string_equal(stage_run(&s, 20), "workload.status j");
	assert_true(since("Admitted") != PLM_UNSET);
	assert_true(plm_slice_is(s.status->cluster_queue, "cq"));
	answer(PLM_RESULT_DONE);
	tell_echo("j", true);
	assert_string_equal(stage_run(&s, 5000), "");
	assert_int_equal(plm_next_due(&s.st), STAGE_START_MS + 60000); /* PodsReady, no write */
}

static void nothing_is_made_before_the_list_is_complete(void **state)
{
	struct plm_w_epoch epoch = {.epoch = 2};

	(void)state;
	stage_fact(&s, PLM_EV_EPOCH, &epoch);
	(void)stage_add(&s, "j", 2);
	assert_string_equal(stage_run(&s, 0), "admit j; job.start j");
	list_is_complete();
	assert_string_equal(stage_run(&s, 10), "workload.create j");
}

/* Its Workload comes after it: a job that Kueue let in is not stopped. */
static void nothing_is_decided_before_the_first_list(void **state)
{
	struct stage_job *job = NULL;
	struct plm_w_workload w;

	(void)state;
	stage_fini(&s);
	stage_init(&s, 2);
	s.config.publish = PLM_PUBLISH_QUEUES;
	stage_config(&s);
	job = stage_add(&s, "j", 2);
	job->suspended = false;
	job->ready = 2;
	stage_tell(&s, job);
	assert_string_equal(stage_run(&s, 0), "");
	w = object("j", true);
	w.cluster_queue = plm_slice_str("cq");
	w.reserved_ms = STAGE_START_MS - 5000;
	w.admitted_ms = STAGE_START_MS - 5000;
	tell(&w);
	list_is_complete();
	assert_string_equal(stage_run(&s, 10), "");
	assert_int_equal(stage_workload(&s, "j")->stage, PLM_STAGE_ADMITTED);
}

static void nothing_is_written_where_another_writes(void **state)
{
	(void)state;
	s.config.publish = 0;
	stage_config(&s);
	(void)stage_add(&s, "j", 2);
	assert_string_equal(stage_settle(&s, 0), "admit j; job.start j");
	s.config.publish = PLM_PUBLISH_QUEUES; /* and from now on we do */
	stage_config(&s);
	assert_string_equal(stage_run(&s, 10), "workload.create j");
}

static void a_refused_object_is_asked_for_again_later(void **state)
{
	(void)state;
	s.config.pods_ready = 0;
	stage_config(&s);
	(void)stage_add(&s, "j", 2);
	(void)stage_run(&s, 0);
	answer(PLM_RESULT_DONE); /* job.start */
	answer(PLM_RESULT_FAILED);
	assert_string_equal(stage_run(&s, PLM_LIMIT_MAKE_AGAIN_MS - 1), "");
	assert_string_equal(stage_run(&s, PLM_LIMIT_MAKE_AGAIN_MS), "workload.create j");
}

/* As in Kueue its job stops first: what it was started with was that object's. */
static void a_deleted_object_is_made_again(void **state)
{
	struct stage_job *job = NULL;
	struct plm_w_workload made = object("j", true);

	(void)state;
	job = running("j");
	gone("j");
	assert_string_equal(stage_run(&s, 1400), "job.stop j; admit j; workload.create j");
	stage_obey(&s);
	assert_true(job->suspended);
	tell(&made);
	assert_string_equal(stage_run(&s, 1500), "job.start j; workload.status j");
}

static void a_job_whose_quota_went_with_its_object_stops(void **state)
{
	(void)state;
	(void)running("j");
	s.cpu = 1;
	stage_queue(&s);
	gone("j");
	assert_string_equal(stage_run(&s, 1400), "job.stop j; workload.create j");
}

static void one_that_is_over_is_not_made_again(void **state)
{
	struct stage_job *job = NULL;

	(void)state;
	job = running("j");
	job->over = true;
	stage_tell(&s, job);
	assert_string_equal(stage_run(&s, 1400), "workload.status j");
	answer(PLM_RESULT_DONE);
	gone("j");
	assert_string_equal(stage_run(&s, 1500), "");
}

/* ---- reasons of waiting -------------------------------------------------------------------------- */

static void why_it_waits_is_said_late_and_once(void **state)
{
	struct plm_w_workload made;

	(void)state;
	(void)running("j");
	(void)stage_add(&s, "k", 2);
	assert_string_equal(stage_run(&s, 1400), "workload.create k");
	answer(PLM_RESULT_DONE);
	made = object("k", true);
	tell(&made);
	assert_string_equal(stage_run(&s, 2399), "");
	assert_int_equal(plm_next_due(&s.st), STAGE_START_MS + 2400);
	assert_string_equal(stage_run(&s, 2400), "workload.status k");
	assert_true(plm_slice_is(condition("QuotaReserved")->reason, "WaitingForQuota"));
	answer(PLM_RESULT_DONE);
	tell_echo("k", true);
	assert_string_equal(stage_run(&s, 50000), "");
}

static void a_conflict_is_waited_out(void **state)
{
	struct plm_w_workload made;

	(void)state;
	(void)running("j");
	(void)stage_add(&s, "k", 2);
	(void)stage_run(&s, 1400);
	answer(PLM_RESULT_DONE);
	made = object("k", true);
	tell(&made);
	(void)stage_run(&s, 3000);
	answer(PLM_RESULT_CONFLICT);
	assert_string_equal(stage_run(&s, 3999), "");
	assert_int_equal(plm_next_due(&s.st), STAGE_START_MS + 4000);
	assert_string_equal(stage_run(&s, 4000), "workload.status k");
}

/* ---- echoes and other writers -------------------------------------------------------------------- */

static void what_a_controller_tells_is_not_written_again(void **state)
{
	struct plm_w_workload w = {0};

	(void)state;
	admitted_of_nobody();
	w = echo("n", false);
	w.finished_ms = s.now_ms;
	w.finished_reason = plm_slice_str("Succeeded");
	tell(&w);
	assert_int_equal(stage_workload(&s, "n")->stage, PLM_STAGE_FINISHED);
	assert_string_equal(stage_run(&s, 9000), "");
}

static void a_foreign_write_is_set_right_once(void **state)
{
	struct plm_w_workload right = {0};
	struct plm_w_workload wrong = object("n", false);

	(void)state;
	admitted_of_nobody();
	right = echo("n", false);
	tell(&wrong);
	assert_string_equal(stage_run(&s, 200), "");
	assert_string_equal(stage_run(&s, PLM_LIMIT_THEIRS_MS + 100), "workload.status n");
	answer(PLM_RESULT_DONE);
	tell(&right);
	tell(&wrong);
	assert_string_equal(stage_run(&s, 100000), ""); /* whoever insists has the last word */
	assert_int_equal(stage_workload(&s, "n")->stage, PLM_STAGE_ADMITTED);
}

static void a_late_echo_is_no_foreign_write(void **state)
{
	struct plm_w_workload right = {0};
	struct plm_w_workload late = object("n", false);

	(void)state;
	admitted_of_nobody();
	right = echo("n", false);
	tell(&late);
	(void)stage_run(&s, 200);
	tell(&right);
	assert_string_equal(stage_run(&s, 100000), "");
	assert_int_equal(stage_workload(&s, "n")->theirs, PLM_THEIRS_NONE);
}

static void a_status_that_was_there_is_adopted(void **state)
{
	struct plm_w_workload w = object("n", false);

	(void)state;
	w.cluster_queue = plm_slice_str("cq");
	w.reserved_ms = STAGE_START_MS - 5000;
	w.admitted_ms = STAGE_START_MS - 5000;
	tell(&w);
	assert_int_equal(stage_workload(&s, "n")->stage, PLM_STAGE_ADMITTED);
	assert_string_equal(stage_run(&s, 9000), "");
}

static void pods_given_back_come_from_the_job(void **state)
{
	struct plm_w_pod_count one = {plm_slice_str("main"), 1};
	struct plm_w_workload w = {0};

	(void)state;
	(void)running("j");
	w = echo("j", true);
	w.reclaimable = (struct plm_vec){&one, 1};
	tell(&w); /* somebody else's word: the job does not say so */
	assert_int_equal(stage_workload(&s, "j")->reclaimable.n, 0);
}

/* ---- evictions ----------------------------------------------------------------------------------- */

static void nobodys_workload_is_released_when_its_eviction_is_written(void **state)
{
	(void)state;
	admitted_of_nobody();
	s.stop = PLM_STOP_HOLD_AND_DRAIN;
	stage_queue(&s);
	assert_string_equal(stage_run(&s, 200), "evict n ClusterQueueStopped; workload.status n");
	assert_true(since("Evicted") != PLM_UNSET && since("QuotaReserved") != PLM_UNSET);
	assert_string_equal(stage_run(&s, 300), "");
	answer(PLM_RESULT_DONE);
	assert_string_equal(stage_run(&s, 400), "release n; workload.status n");
	assert_true(since("QuotaReserved") == PLM_UNSET);
	assert_true(condition("Requeued") != NULL);
}

static void its_controller_may_be_faster(void **state)
{
	struct plm_w_workload w = {0};

	(void)state;
	admitted_of_nobody();
	s.stop = PLM_STOP_HOLD_AND_DRAIN;
	stage_queue(&s);
	(void)stage_run(&s, 2000);
	w = echo("n", false);
	w.reserved_ms = PLM_UNSET;
	w.admitted_ms = PLM_UNSET;
	w.cluster_queue = (struct plm_slice){0};
	tell(&w);
	assert_string_equal(stage_run(&s, 2100), "release n");
}

static void an_echo_of_an_earlier_eviction_ends_no_later_one(void **state)
{
	struct plm_w_workload late = object("n", false);

	(void)state;
	admitted_of_nobody();
	s.stop = PLM_STOP_HOLD_AND_DRAIN;
	stage_queue(&s);
	(void)stage_run(&s, 20000);
	late.evicted_ms = STAGE_START_MS + 3000;
	late.evicted_reason = plm_slice_str("Preempted");
	tell(&late);
	assert_string_equal(stage_run(&s, 20100), "");
}

/* ---- checks -------------------------------------------------------------------------------------- */

static const struct plm_w_check_status *entry(void)
{
	assert_int_equal(s.status->checks.count, 1);
	return s.status->checks.ptr;
}

static void checks_are_listed_answered_and_reset(void **state)
{
	struct plm_w_workload w = object("n", false);
	struct plm_w_check_status said = {.name = plm_slice_str("c"),
					  .state = PLM_CHECK_READY,
					  .since_ms = STAGE_START_MS + 1000,
					  .requeue_after_ms = PLM_UNSET};

	(void)state;
	s.checks[0] = "c";
	stage_check(&s, "c");
	stage_queue(&s);
	tell(&w);
	assert_string_equal(stage_run(&s, 0), "reserve n; workload.status n");
	assert_int_equal(entry()->state, PLM_CHECK_PENDING);
	answer(PLM_RESULT_DONE);
	tell_echo("n", false);
	assert_string_equal(stage_run(&s, 100), "");
	w = echo("n", false);
	w.checks = (struct plm_vec){&said, 1};
	tell(&w);
	assert_string_equal(stage_run(&s, 1000), "admit n; workload.status n");
	assert_int_equal(entry()->state,
			 PLM_CHECK_READY); /* what was answered survives our write */
	assert_int_equal(entry()->since_ms, STAGE_START_MS + 1000);
	answer(PLM_RESULT_DONE);
	s.stop = PLM_STOP_HOLD_AND_DRAIN;
	stage_queue(&s);
	assert_string_equal(stage_run(&s, 2000), "evict n ClusterQueueStopped; workload.status n");
	assert_int_equal(entry()->state, PLM_CHECK_PENDING);
	assert_int_equal(entry()->since_ms, STAGE_START_MS + 2000);
}

static void a_check_that_comes_later_is_listed(void **state)
{
	struct plm_w_workload w = object("n", false);

	(void)state;
	s.checks[0] = "c";
	stage_check(&s, "c");
	stage_queue(&s);
	tell(&w);
	(void)stage_run(&s, 0);
	answer(PLM_RESULT_DONE);
	tell_echo("n", false);
	s.checks[1] = "d";
	stage_check(&s, "d");
	stage_queue(&s);
	assert_string_equal(stage_run(&s, 100), "workload.status n");
	assert_int_equal(s.status->checks.count, 2);
}

/* ---- one write at a time ------------------------------------------------------------------------- */

static void what_is_decided_meanwhile_is_in_the_next_write(void **state)
{
	struct plm_w_workload w = object("n", false);

	(void)state;
	tell(&w);
	(void)stage_run(&s, 0);
	s.stop = PLM_STOP_HOLD_AND_DRAIN;
	stage_queue(&s);
	assert_string_equal(stage_run(&s, 1000), "evict n ClusterQueueStopped");
	answer(PLM_RESULT_DONE);
	assert_string_equal(stage_run(&s, 1100), "workload.status n");
	assert_true(since("Evicted") != PLM_UNSET);
}

static void an_answer_to_another_object_of_that_name_is_not_ours(void **state)
{
	struct plm_w_workload w = object("n", false);

	(void)state;
	tell(&w);
	(void)stage_run(&s, 0);
	gone("n");
	w.meta.uid = plm_slice_str("other");
	tell(&w);
	assert_string_equal(stage_run(&s, 10), "admit n; workload.status n");
	answer(PLM_RESULT_CONFLICT);
	assert_int_equal(stage_workload(&s, "n")->writing, 1);
	answer(PLM_RESULT_DONE);
	assert_int_equal(stage_workload(&s, "n")->writing, 0);
	assert_string_equal(stage_run(&s, 5000), "");
}

#define ON_STAGE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest list[] = {
		ON_STAGE(a_job_gets_one_object_and_one_status),
		ON_STAGE(nothing_is_made_before_the_list_is_complete),
		ON_STAGE(nothing_is_decided_before_the_first_list),
		ON_STAGE(nothing_is_written_where_another_writes),
		ON_STAGE(a_refused_object_is_asked_for_again_later),
		ON_STAGE(a_deleted_object_is_made_again),
		ON_STAGE(a_job_whose_quota_went_with_its_object_stops),
		ON_STAGE(one_that_is_over_is_not_made_again),
		ON_STAGE(why_it_waits_is_said_late_and_once),
		ON_STAGE(a_conflict_is_waited_out),
		ON_STAGE(what_a_controller_tells_is_not_written_again),
		ON_STAGE(a_foreign_write_is_set_right_once),
		ON_STAGE(a_late_echo_is_no_foreign_write),
		ON_STAGE(a_status_that_was_there_is_adopted),
		ON_STAGE(pods_given_back_come_from_the_job),
		ON_STAGE(nobodys_workload_is_released_when_its_eviction_is_written),
		ON_STAGE(its_controller_may_be_faster),
		ON_STAGE(an_echo_of_an_earlier_eviction_ends_no_later_one),
		ON_STAGE(checks_are_listed_answered_and_reset),
		ON_STAGE(a_check_that_comes_later_is_listed),
		ON_STAGE(what_is_decided_meanwhile_is_in_the_next_write),
		ON_STAGE(an_answer_to_another_object_of_that_name_is_not_ours),
	};
	struct plm_tests tests = {0};

	for (size_t i = 0; i < PLM_COUNTOF(list); i++) {
		tests.list[tests.count++] = list[i];
	}
	return plm_tests_run(&tests, "publish");
}
