/*
 * Random facts of the life cycle, in any order: after each of them cycles come to an end, no timer is left
 * behind, quota is held by who holds a reservation and by nobody else; and once the cluster has done what it
 * was asked to do, no eviction is unfinished and nobody waits for nothing.
 */
#include "plm_test.h"
#include "reducers/admission/activity.h"
#include "reducers/admission/due.h"
#include "reducers/admission/explain.h"
#include "stage.h"

#include <stdlib.h>
#include <string.h>

#define CPU 4
#define STEPS 250
#define RUNS 40

static struct stage s;
static uint64_t seed;

static bool holds(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED;
}

/* ---- facts ------------------------------------------------------------------------------------- */

static struct stage_job *any_job(void)
{
	size_t from = (size_t)plm_test_below(&seed, STAGE_JOBS);

	for (size_t i = 0; i < STAGE_JOBS; i++) {
		struct stage_job *job = &s.jobs[(from + i) % STAGE_JOBS];

		if (job->exists) {
			return job;
		}
	}
	return NULL;
}

static void add_job(void)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	size_t live = 0;
	struct stage_job *job = NULL;

	for (size_t i = 0; i < STAGE_JOBS; i++) {
		live += s.jobs[i].exists;
	}
	if (live == STAGE_JOBS) {
		return;
	}
	for (size_t n = 0; n < PLM_COUNTOF(names); n++) {
		bool taken = false;

		for (size_t i = 0; i < STAGE_JOBS; i++) {
			taken = taken || (s.jobs[i].exists && s.jobs[i].name == names[n]);
		}
		if (!taken) {
			job = stage_add(&s, names[n], 1 + (int64_t)plm_test_below(&seed, CPU));
			break;
		}
	}
	job->priority = (int64_t)plm_test_below(&seed, 3);
	job->max_exec_s = plm_test_below(&seed, 3) == 0 ? 90 : PLM_UNSET;
	stage_tell(&s, job);
}

static void change_job(struct stage_job *job)
{
	if (!job->suspended && !job->over) {
		job->ready = (int64_t)plm_test_below(&seed, (uint64_t)job->pods + 1);
		job->over = plm_test_below(&seed, 6) == 0;
		stage_tell(&s, job);
	}
}

static void answer(const char *job)
{
	struct plm_w_check_status status = {
		.name = plm_slice_str("c"),
		.state = (int64_t)plm_test_below(&seed, 5) - 1,
		.since_ms = PLM_UNSET,
		.requeue_after_ms = plm_test_below(&seed, 2) == 0
					    ? PLM_UNSET
					    : (int64_t)plm_test_below(&seed, 30000),
	};

	status.state = status.state < 1 ? PLM_CHECK_READY : status.state;
	stage_answer(&s, job, &status);
}

static void turn_queue(void)
{
	bool local = plm_test_below(&seed, 2) == 0;
	int64_t *stop = local ? &s.local_stop : &s.stop;

	*stop = plm_test_below(&seed, 2) == 0 ? PLM_STOP_NONE : (int64_t)plm_test_below(&seed, 3);
	if (local) {
		stage_local(&s);
	} else {
		s.checks[0] = plm_test_below(&seed, 2) == 0 ? NULL : "c";
		stage_queue(&s);
	}
}

static void turn_settings(void)
{
	s.config.block_admission = (int64_t)plm_test_below(&seed, 2);
	s.config.pods_ready = plm_test_below(&seed, 4) != 0;
	s.config.deactivate_at = (int64_t)plm_test_below(&seed, 4);
	s.config.recovery_timeout_ms = (int64_t)plm_test_below(&seed, 2) * 30000;
	s.config.retain_deactivated_ms = (int64_t)plm_test_below(&seed, 2) * 50000;
	s.config.retain_finished_ms = (int64_t)plm_test_below(&seed, 2) * 20000;
	s.config.compat = (int64_t)plm_test_below(&seed, 2);
	stage_config(&s);
}

static void one_fact(void)
{
	struct stage_job *job = any_job();
	uint64_t kind = plm_test_below(&seed, 12);

	if (job == NULL || kind < 3) {
		add_job();
	} else if (kind < 6) {
		change_job(job);
	} else if (kind < 8) {
		answer(job->name);
	} else if (kind == 8) {
		stage_active(&s, job->name, plm_test_below(&seed, 3) != 0);
	} else if (kind == 9) {
		turn_queue();
	} else if (kind == 10) {
		turn_settings();
	} else if (job->over || plm_test_below(&seed, 4) == 0) {
		stage_delete(&s, job);
	}
}

/* ---- what must hold ---------------------------------------------------------------------------- */

static int64_t charged(const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_assignment *set =
		PLM_SPAN(&s.st, workload->assignments, struct plm_assignment, &count);

	return count == 0 ? 0 : set[0].count;
}

static int64_t free_cpu(void)
{
	int64_t left = CPU;

	PLM_EACH(&s.st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(&s.st, id);

		left -= holds(workload) ? charged(workload) : 0;
	}
	return left;
}

/* At any time, whatever the cluster has not done yet. */
static void check_always(void)
{
	int64_t due = plm_next_due(&s.st);

	assert_true(free_cpu() >= 0);
	assert_true(due == PLM_UNSET || due > s.now_ms);
	PLM_EACH(&s.st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(&s.st, id);

		assert_int_equal(holds(workload), workload->reserved_ms != PLM_UNSET &&
							  workload->stage != PLM_STAGE_FINISHED);
		assert_true(!holds(workload) || workload->assignments.n != 0);
		assert_true(workload->stage != PLM_STAGE_PENDING || workload->assignments.n == 0);
		assert_int_equal(plm_timer_heap_get(&s.st.queues.timers, id.n),
				 plm_due(&s.st, workload));
		if (workload->stage == PLM_STAGE_PENDING && workload->requeued < 0) {
			assert_int_equal(workload->place, PLM_QUEUE_PARKED);
		}
	}
}

static bool queue_open(void)
{
	return s.stop == PLM_STOP_NONE && s.local_stop == PLM_STOP_NONE;
}

static bool pods_awaited(void)
{
	PLM_EACH(&s.st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(&s.st, id);

		if (holds(workload) && workload->pods_ready != PLM_PODS_STARTED &&
		    workload->pods_ready != PLM_PODS_RECOVERED) {
			return true;
		}
	}
	return false;
}

/* What was said last, or what `why` would say. */
static bool says_why(const struct plm_workload *workload)
{
	plm_id id = plm_find(&s.st, PLM_KIND_WORKLOAD, workload->object.ns, workload->object.name);
	struct plm_w_explain why = {0};

	if (workload->why.seq != 0 && workload->why.reason != PLM_REASON_NONE) {
		return true;
	}
	plm_arena_reset(&s.step);
	return plm_admission_explain(&s.st, id, &s.step, &why, NULL) &&
	       why.reason != PLM_REASON_NONE;
}

/* A workload that waits does so for a timer, a person, its queue, a check, or for quota that is not there. */
static void check_waits(const struct plm_workload *workload)
{
	enum plm_check_state state = PLM_CHECK_READY;
	plm_sym name = {0};
	const struct plm_job *job = plm_job_at(&s.st, workload->job);
	uint32_t one = 0;
	int64_t pods = PLM_SPAN(&s.st, workload->pod_sets, struct plm_pod_set, &one)[0].count;
	bool fits = pods <= free_cpu();
	bool blocked = s.config.block_admission == 1 && s.config.pods_ready == 1 && pods_awaited();

	if (workload->active == 0 || !queue_open() || job->end != PLM_JOB_OPEN) {
		return;
	}
	assert_true(workload->requeued >= 0 || workload->requeue_at_ms != PLM_UNSET);
	if (workload->requeue_at_ms != PLM_UNSET ||
	    plm_checks_failed(&s.st, workload, &state, &name)) {
		return;
	}
	assert_true(!fits || blocked);
	assert_true(says_why(workload));
}

/* When the cluster has done all that it was asked to. */
static void check_at_rest(void)
{
	PLM_EACH(&s.st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(&s.st, id);

		if (workload->stage == PLM_STAGE_FINISHED || workload->job.n == 0) {
			continue;
		}
		if (!holds(workload)) {
			check_waits(workload);
			continue;
		}
		assert_int_equal(workload->evicted_ms, PLM_UNSET);
		assert_int_equal(workload->active, 1);
		assert_int_not_equal(s.stop, PLM_STOP_HOLD_AND_DRAIN);
		if (workload->stage == PLM_STAGE_RESERVED) {
			assert_false(plm_checks_ready_held(&s.st, workload));
		} else {
			assert_int_equal(plm_job_at(&s.st, workload->job)->suspended, 0);
		}
	}
}

static void any_order_of_facts(void **state)
{
	(void)state;
	seed = plm_test_seed();
	for (int run = 0; run < (getenv("PLM_SHORT") != NULL ? RUNS / 8 : RUNS); run++) {
		stage_init(&s, CPU);
		stage_check(&s, "c");
		for (int step = 0; step < STEPS; step++) {
			int64_t at_ms = s.now_ms - STAGE_START_MS;
			int64_t due = plm_next_due(&s.st);

			if (plm_test_below(&seed, 3) == 0) {
				at_ms += (int64_t)plm_test_below(&seed, 20000);
			} else if (due != PLM_UNSET && plm_test_below(&seed, 4) == 0) {
				at_ms = due - STAGE_START_MS;
			}
			one_fact();
			(void)stage_run(&s, at_ms);
			check_always();
			if (s.open_count > 40 || plm_test_below(&seed, 2) == 0) {
				(void)stage_settle(&s, at_ms);
				check_always();
				check_at_rest();
			}
		}
		stage_fini(&s);
	}
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, any_order_of_facts);
	return plm_tests_run(&tests, "life random");
}
