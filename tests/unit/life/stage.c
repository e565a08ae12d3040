#include "stage.h"

#include "core/limits.h"
#include "core/wire_copy.h"
#include "plm_test.h"

#include <stdio.h>
#include <string.h>

#define CYCLES_MAX 50

/* ---- facts ------------------------------------------------------------------------------------- */

void stage_fact(struct stage *s, enum plm_event_type type, const void *payload)
{
	struct plm_event event = {
		.seq = ++s->seq,
		.tick_ms = (uint64_t)s->now_ms,
		.wall_ns = (uint64_t)s->now_ms * 1000000,
		.type = (uint16_t)type,
		.payload = payload,
	};

	plm_arena_reset(&s->scratch);
	plm_apply(&s->st, &event, &s->scratch);
	plm_state_check(&s->st);
}

static struct plm_w_meta meta(const char *ns, const char *name)
{
	return (struct plm_w_meta){
		.ns = plm_slice_str(ns),
		.name = plm_slice_str(name),
		.uid = plm_slice_str(name),
		.created_ms = STAGE_START_MS,
		.deleting_ms = PLM_UNSET,
	};
}

void stage_config(struct stage *s)
{
	stage_fact(s, PLM_EV_CONFIG, &s->config);
}

void stage_queue(struct stage *s)
{
	struct plm_slice cpu = plm_slice_str("cpu");
	struct plm_w_quota quota = {
		.resource = cpu, .nominal = s->cpu, .borrowing = PLM_UNSET, .lending = PLM_UNSET};
	struct plm_w_flavor_quota flavor = {plm_slice_str("default"), {&quota, 1}};
	struct plm_w_group group = {.resources = {&cpu, 1}, .flavors = {&flavor, 1}};
	struct plm_w_check_use uses[PLM_COUNTOF(s->checks)] = {0};
	struct plm_w_cluster_queue queue = {
		.meta = meta("", "cq"),
		.groups = {&group, 1},
		.ns_selector = {.present = 1},
		.within = PLM_PREEMPTION_LOWER_PRIORITY,
		.borrow_threshold = PLM_UNSET,
		.preempt_threshold = PLM_UNSET,
		.stop = s->stop,
		.weight_nano = 1000000000,
	};

	for (size_t i = 0; i < PLM_COUNTOF(s->checks) && s->checks[i] != NULL; i++) {
		uses[queue.checks.count++].name = plm_slice_str(s->checks[i]);
	}
	queue.checks.ptr = uses;
	stage_fact(s, PLM_EV_CLUSTER_QUEUE, &queue);
}

void stage_local(struct stage *s)
{
	struct plm_w_local_queue local = {
		.meta = meta("ml", "lq"),
		.cluster_queue = plm_slice_str("cq"),
		.stop = s->local_stop,
		.weight_nano = 1000000000,
		.consumed_ms = PLM_UNSET,
	};

	stage_fact(s, PLM_EV_LOCAL_QUEUE, &local);
}

void stage_check(struct stage *s, const char *name)
{
	struct plm_w_admission_check check = {
		.meta = meta("", name), .controller = plm_slice_str("example.com/x"), .active = 1};

	stage_fact(s, PLM_EV_ADMISSION_CHECK, &check);
}

void stage_tell(struct stage *s, const struct stage_job *job)
{
	struct plm_w_amount cpu = {plm_slice_str("cpu"), 1};
	struct plm_w_pod_set_spec set = {
		.name = plm_slice_str("main"),
		.count = job->pods,
		.min_count = PLM_UNSET,
		.shape = {.requests = {&cpu, 1}, .priority = job->priority},
	};
	struct plm_w_job fact = {
		.meta = meta("ml", job->name),
		.kind = PLM_KIND_JOB,
		.workload = plm_slice_str(job->name),
		.queue = plm_slice_str("lq"),
		.managed = 1,
		.suspended = job->suspended,
		.parallelism = job->pods,
		.completions = job->pods,
		.backoff_limit = 6,
		.min_parallelism = PLM_UNSET,
		.active = job->suspended || job->over ? 0 : job->pods - job->succeeded,
		.ready = job->suspended || job->over ? 0 : job->ready,
		.succeeded = job->succeeded,
		.end = job->over ? PLM_JOB_COMPLETE : PLM_JOB_OPEN,
		.ended_ms = job->over ? s->now_ms : PLM_UNSET,
		.started_ms = PLM_UNSET,
		.pod_sets = {&set, 1},
		.max_exec_s = job->max_exec_s,
	};

	stage_fact(s, PLM_EV_JOB, &fact);
}

struct stage_job *stage_add(struct stage *s, const char *name, int64_t pods)
{
	for (size_t i = 0; i < STAGE_JOBS; i++) {
		struct stage_job *job = &s->jobs[i];

		if (!job->exists) {
			*job = (struct stage_job){.name = name,
						  .pods = pods,
						  .priority = 0,
						  .max_exec_s = PLM_UNSET,
						  .suspended = true,
						  .exists = true};
			stage_tell(s, job);
			return job;
		}
	}
	fail_msg("no room for job %s", name);
	return NULL;
}

void stage_delete(struct stage *s, struct stage_job *job)
{
	struct plm_w_gone gone = {.kind = PLM_KIND_JOB,
				  .ns = plm_slice_str("ml"),
				  .name = plm_slice_str(job->name),
				  .uid = plm_slice_str(job->name)};

	stage_fact(s, PLM_EV_GONE, &gone);
	job->exists = false;
}

void stage_active(struct stage *s, const char *job, bool active)
{
	struct plm_w_workload_patch patch = {
		.ns = plm_slice_str("ml"), .name = plm_slice_str(job), .active = active};

	stage_fact(s, PLM_EV_WORKLOAD_PATCH, &patch);
}

void stage_answer(struct stage *s, const char *job, const struct plm_w_check_status *status)
{
	struct plm_w_check_status copy = *status;
	struct plm_w_workload_patch patch = {.ns = plm_slice_str("ml"),
					     .name = plm_slice_str(job),
					     .active = PLM_UNSET,
					     .checks = {&copy, 1}};

	stage_fact(s, PLM_EV_WORKLOAD_PATCH, &patch);
}

/* ---- what comes out ---------------------------------------------------------------------------- */

static void put(struct stage *s, const char *verb, struct plm_slice name, int64_t reason)
{
	const char *text = plm_names_text(&plm_names_reason, reason);
	int wrote = snprintf(s->text + s->used, sizeof(s->text) - s->used, "%s%s %.*s%s%s",
			     s->used == 0 ? "" : "; ", verb, (int)name.size, (const char *)name.ptr,
			     text[0] == '\0' ? "" : " ", text);

	assert_true(wrote > 0 && s->used + (size_t)wrote < sizeof(s->text));
	s->used += (size_t)wrote;
}

static void put_intent(struct stage *s, const struct plm_w_intent *w)
{
	struct stage_intent *intent = &s->open[s->open_count];

	if (w->call == PLM_CALL_QUEUE_STATUS && !s->boards) {
		return;
	}
	s->open_count++;
	assert_true(s->open_count < PLM_COUNTOF(s->open));
	intent->seq = s->seq + 1; /* it is folded next */
	intent->call = (enum plm_call)w->call;
	(void)snprintf(intent->name, sizeof(intent->name), "%.*s", (int)w->name.size,
		       (const char *)w->name.ptr);
	put(s, plm_names_text(&plm_names_call, w->call), w->name, 0);
}

static void put_decision(struct stage *s, enum plm_event_type type, const void *payload)
{
	const struct plm_w_reserve *reserve = payload;
	const struct plm_w_evict *evict = payload;
	const struct plm_w_release *release = payload;
	const struct plm_w_requeue *requeue = payload;
	const struct plm_w_finish *finish = payload;

	switch ((int)type) {
	case PLM_EV_RESERVE:
		put(s, reserve->admitted ? "admit" : "reserve", reserve->name, 0);
		return;
	case PLM_EV_ADMIT:
		put(s, "admit", ((const struct plm_w_admit *)payload)->name, 0);
		return;
	case PLM_EV_EVICT:
		put(s, "evict", evict->name, evict->cause != 0 ? evict->cause : evict->reason);
		return;
	case PLM_EV_RELEASE:
		put(s, "release", release->name, 0);
		return;
	case PLM_EV_REQUEUE:
		put(s, "requeue", requeue->name, requeue->reason);
		return;
	case PLM_EV_FINISH:
		put(s, "finish", finish->name, finish->reason);
		return;
	case PLM_EV_INTENT:
		put_intent(s, payload);
		return;
	default:
		return; /* reasons of those that wait */
	}
}

static void keep_status(struct stage *s, const struct plm_out_item *item)
{
	const struct plm_w_intent *intent = item->payload;

	if (item->type == PLM_EV_INTENT && intent->call == PLM_CALL_WORKLOAD_STATUS) {
		plm_arena_reset(&s->kept);
		s->status = plm_wire_copy(&plm_type_req_workload_status, item->request, &s->kept);
	}
}

static void cycle(struct stage *s)
{
	struct plm_w_cycle w = {.now_ms = s->now_ms, .budget = PLM_LIMIT_CYCLE_BUDGET};
	struct plm_cycle_run run;
	bool over = false;

	stage_fact(s, PLM_EV_CYCLE, &w);
	plm_cycle_begin(&run, &w);
	while (!over) {
		struct plm_out out;

		plm_arena_reset(&s->step);
		plm_out_init(&out, &s->step);
		over = plm_cycle_step(&s->st, &run, &s->step, &out);
		for (uint32_t handle = 1; handle <= out.count; handle++) {
			const struct plm_out_item *item = plm_out_item(&out, handle);

			put_decision(s, item->type, item->payload);
			keep_status(s, item);
			stage_fact(s, item->type, item->payload);
		}
	}
}

const char *stage_run(struct stage *s, int64_t ms)
{
	int cycles = 0;

	assert_true(STAGE_START_MS + ms >= s->now_ms);
	s->now_ms = STAGE_START_MS + ms;
	s->used = 0;
	s->text[0] = '\0';
	while (plm_cycle_wanted(&s->st, s->now_ms)) {
		cycle(s);
		if (++cycles > CYCLES_MAX) {
			fail_msg("cycles without end; so far: %s", s->text);
		}
	}
	return s->text;
}

/* ---- the cluster ------------------------------------------------------------------------------- */

static struct stage_job *job_called(struct stage *s, const char *name)
{
	for (size_t i = 0; i < STAGE_JOBS; i++) {
		if (s->jobs[i].exists && strcmp(s->jobs[i].name, name) == 0) {
			return &s->jobs[i];
		}
	}
	return NULL;
}

static void carry_out(struct stage *s, const struct stage_intent *intent)
{
	struct stage_job *job = job_called(s, intent->name);
	struct plm_w_result result = {.intent = (int64_t)intent->seq, .class = PLM_RESULT_DONE};

	stage_fact(s, PLM_EV_RESULT, &result);
	if (job == NULL) {
		return;
	}
	if (intent->call == PLM_CALL_JOB_START || intent->call == PLM_CALL_JOB_STOP) {
		job->suspended = intent->call == PLM_CALL_JOB_STOP;
		job->ready = 0;
		stage_tell(s, job);
	} else if (intent->call == PLM_CALL_JOB_DELETE) {
		stage_delete(s, job);
	}
}

void stage_obey(struct stage *s)
{
	struct stage_intent open[PLM_COUNTOF(s->open)];
	uint32_t count = s->open_count;

	memcpy(open, s->open, sizeof(open));
	s->open_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		carry_out(s, &open[i]);
	}
}

const char *stage_settle(struct stage *s, int64_t ms)
{
	char all[sizeof(s->text)] = {0};
	size_t used = 0;

	for (int turn = 0; turn < CYCLES_MAX; turn++) {
		const char *said = stage_run(s, ms);

		if (said[0] != '\0') {
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 used == 0 ? "" : "; ", said);
			assert_true(used < sizeof(all));
		}
		if (s->open_count == 0) {
			break;
		}
		stage_obey(s);
	}
	assert_int_equal(s->open_count, 0);
	memcpy(s->text, all, sizeof(all));
	return s->text;
}

/* ---- the stage --------------------------------------------------------------------------------- */

void stage_init(struct stage *s, int64_t cpu)
{
	struct plm_w_namespace ns = {.meta = meta("", "ml")};
	struct plm_w_flavor flavor = {.meta = meta("", "default")};
	struct plm_error err;

	*s = (struct stage){.now_ms = STAGE_START_MS, .cpu = cpu};
	plm_assert_ok(plm_state_init(&s->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&s->scratch, 1U << 28, &err), &err);
	plm_assert_ok(plm_arena_init(&s->step, 1U << 28, &err), &err);
	plm_assert_ok(plm_arena_init(&s->kept, 1U << 28, &err), &err);
	s->config = (struct plm_w_config){
		.pods_ready = 1,
		.ready_timeout_ms = 60000,
		.recovery_timeout_ms = 30000,
		.requeue_base_s = 10,
		.requeue_max_s = 20,
	};
	stage_config(s);
	stage_fact(s, PLM_EV_NAMESPACE, &ns);
	stage_fact(s, PLM_EV_FLAVOR, &flavor);
	stage_queue(s);
	stage_local(s);
}

void stage_fini(struct stage *s)
{
	plm_state_fini(&s->st);
	plm_arena_fini(&s->scratch);
	plm_arena_fini(&s->step);
	plm_arena_fini(&s->kept);
}

const struct plm_workload *stage_workload(const struct stage *s, const char *job)
{
	plm_id id = plm_find_text(&s->st, PLM_KIND_WORKLOAD, "ml", job);

	assert_true(id.n != 0);
	return plm_workload_at(&s->st, id);
}
