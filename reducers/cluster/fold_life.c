#include "reducers/cluster/life.h"

#include "core/timefmt.h"

/* ---- active ------------------------------------------------------------------------------------ */

static void set_active(struct plm_workload *workload, bool active)
{
	workload->active = active ? 1 : 0;
	if (active) {
		workload->deactivating = 0;
		workload->retired = 0; /* its job stays after all, if it is still there */
	} else {
		workload->requeue_at_ms = PLM_UNSET;
		workload->requeue_count = 0;
	}
}

void plm_life_active_told(struct plm_workload *workload, bool active)
{
	uint32_t told = active ? 2 : 1;

	if (workload->active_told != told) {
		set_active(workload, active);
	}
	workload->active_told = told;
}

/* ---- checks ------------------------------------------------------------------------------------ */

static const struct plm_check_status *status_of(const struct plm_check_status *list, uint32_t count,
						plm_sym name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].name, name)) {
			return &list[i];
		}
	}
	return NULL;
}

/* The answer after 'now' was told where 'had' (may be NULL) was known. */
static struct plm_check_status answer(const struct plm_check_status *had,
				      const struct plm_check_status *now)
{
	struct plm_check_status out = *now;

	if (had == NULL) {
		return out;
	}
	if (now->state != PLM_CHECK_PENDING && now->state == had->taken_state &&
	    now->since_ms == had->taken_ms) {
		return *had;
	}
	out.retry_count = now->retry_count > had->retry_count ? now->retry_count : had->retry_count;
	out.taken_state = had->taken_state;
	out.taken_ms = had->taken_ms;
	return out;
}

static void insert_status(const struct plm_state *st, struct plm_check_status *list,
			  uint32_t *count, const struct plm_check_status *status)
{
	uint32_t at = (*count)++;

	for (; at > 0 && plm_sym_compare(st, list[at - 1].name, status->name) > 0; at--) {
		list[at] = list[at - 1];
	}
	list[at] = *status;
}

void plm_life_checks_told(const struct plm_folding *in, plm_id id, struct plm_vec statuses,
			  bool whole)
{
	struct plm_state *st = in->f.st;
	plm_sym span = plm_fold_check_statuses(&in->f, statuses);
	size_t mark = plm_arena_mark(in->f.scratch);
	uint32_t said = 0;
	uint32_t known = 0;
	uint32_t count = 0;
	const struct plm_check_status *now = PLM_SPAN(st, span, struct plm_check_status, &said);
	const struct plm_check_status *had =
		PLM_SPAN(st, plm_workload_at(st, id)->checks, struct plm_check_status, &known);
	struct plm_check_status *list =
		PLM_NEW_ARRAY(in->f.scratch, (size_t)said + known, struct plm_check_status);

	for (uint32_t i = 0; i < said; i++) {
		struct plm_check_status status =
			answer(status_of(had, known, now[i].name), &now[i]);

		if (status.since_ms == PLM_UNSET) {
			status.since_ms = (int64_t)in->ev->tick_ms;
		}
		insert_status(st, list, &count, &status);
	}
	for (uint32_t i = 0; i < known && !whole; i++) {
		if (status_of(now, said, had[i].name) == NULL) {
			insert_status(st, list, &count, &had[i]);
		}
	}
	PLM_ASSERT(count <= said + known);
	plm_workload_edit(st, id)->checks = plm_intern_span(st, list, count, sizeof(*list));
	plm_arena_rewind(in->f.scratch, mark);
}

static bool asked_for(const struct plm_state *st, plm_sym uses, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_check_use *use = PLM_SPAN(st, uses, struct plm_check_use, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(use[i].name, name)) {
			return true;
		}
	}
	return false;
}

void plm_life_checks_dropped(struct plm_state *st, plm_id queue, struct plm_arena *scratch)
{
	plm_sym uses = plm_cluster_queue_at(st, queue)->checks;

	plm_marks_settle(st);
	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_HOLDING), id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);
		size_t mark = plm_arena_mark(scratch);
		uint32_t known = 0;
		uint32_t kept = 0;
		const struct plm_check_status *had =
			PLM_SPAN(st, workload->checks, struct plm_check_status, &known);
		struct plm_check_status *list = NULL;

		if (workload->cluster_queue.n != queue.n) {
			continue;
		}
		if (workload->stage == PLM_STAGE_RESERVED) {
			plm_marks_note_workload(st, id); /* an entry may be missing: written.h */
		}
		if (known == 0) {
			continue;
		}
		list = PLM_NEW_ARRAY(scratch, known, struct plm_check_status);
		for (uint32_t i = 0; i < known; i++) {
			if (asked_for(st, uses, had[i].name)) {
				list[kept++] = had[i];
			}
		}
		plm_workload_edit(st, id)->checks = plm_intern_span(st, list, kept, sizeof(*list));
		plm_arena_rewind(scratch, mark);
	}
}

/* All of them are open again; what was said has been heard. */
static void reset_checks(struct plm_state *st, plm_id id, struct plm_arena *scratch)
{
	uint32_t count = 0;
	const struct plm_check_status *had =
		PLM_SPAN(st, plm_workload_at(st, id)->checks, struct plm_check_status, &count);
	size_t mark = plm_arena_mark(scratch);
	struct plm_check_status *list = NULL;

	if (count == 0) {
		return;
	}
	list = PLM_NEW_ARRAY(scratch, count, struct plm_check_status);
	for (uint32_t i = 0; i < count; i++) {
		PLM_ASSERT(had[i].name.n != 0 && had[i].state <= PLM_CHECK_REJECTED);
		list[i] = had[i];
		if (had[i].state == PLM_CHECK_PENDING) {
			continue;
		}
		list[i].retry_count += had[i].state == PLM_CHECK_RETRY ? 1 : 0;
		list[i].taken_state = had[i].state;
		list[i].taken_ms = had[i].since_ms;
		list[i].state = PLM_CHECK_PENDING;
		list[i].since_ms = plm_root(st)->now_ms;
		list[i].requeue_after_ms = PLM_UNSET;
		list[i].message = (plm_sym){0};
		list[i].updates = (plm_sym){0};
	}
	plm_workload_edit(st, id)->checks = plm_intern_span(st, list, count, sizeof(*list));
	plm_arena_rewind(scratch, mark);
}

/* ---- pods given back --------------------------------------------------------------------------- */

static bool holds_quota(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED;
}

static int64_t count_of(const struct plm_pod_count *list, uint32_t count, plm_sym name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].name, name)) {
			return list[i].count;
		}
	}
	return 0;
}

/* 'now' laid over 'had', each name with the larger count. */
static plm_sym larger(struct plm_state *st, struct plm_arena *scratch, plm_sym had_span,
		      plm_sym now_span)
{
	uint32_t known = 0;
	uint32_t said = 0;
	uint32_t count = 0;
	const struct plm_pod_count *had = PLM_SPAN(st, had_span, struct plm_pod_count, &known);
	const struct plm_pod_count *now = PLM_SPAN(st, now_span, struct plm_pod_count, &said);
	size_t mark = plm_arena_mark(scratch);
	struct plm_pod_count *list =
		PLM_NEW_ARRAY(scratch, (size_t)known + said, struct plm_pod_count);
	plm_sym span = {0};

	for (uint32_t i = 0; i < known; i++) {
		list[count] = had[i];
		list[count++].count = plm_max(had[i].count, count_of(now, said, had[i].name));
	}
	for (uint32_t i = 0; i < said; i++) {
		if (count_of(had, known, now[i].name) == 0 && now[i].count > 0) {
			list[count++] = now[i];
		}
	}
	span = plm_intern_span(st, list, count, sizeof(*list));
	plm_arena_rewind(scratch, mark);
	return span;
}

void plm_life_reclaimable(const struct plm_fold *f, plm_id id, plm_sym now)
{
	plm_sym had = plm_workload_at(f->st, id)->reclaimable;

	if (holds_quota(plm_workload_at(f->st, id)) && had.n != 0) {
		now = larger(f->st, f->scratch, had, now);
	}
	plm_workload_edit(f->st, id)->reclaimable = now;
}

void plm_life_given_back(const struct plm_folding *in, plm_id id, struct plm_vec counts)
{
	plm_life_reclaimable(&in->f, id, plm_fold_pod_counts(&in->f, counts));
}

void plm_life_patch(const struct plm_folding *in, const struct plm_w_workload_patch *w)
{
	struct plm_state *st = in->f.st;
	plm_id id =
		plm_find(st, PLM_KIND_WORKLOAD, plm_sym_find(st, w->ns), plm_sym_find(st, w->name));

	if (id.n == 0) {
		return;
	}
	if (w->active != PLM_UNSET) {
		set_active(plm_workload_edit(st, id), w->active == 1);
	}
	if (w->checks.count > 0) {
		plm_life_checks_told(in, id, w->checks, false);
	}
	if (w->reclaimable.count > 0) {
		plm_life_given_back(in, id, w->reclaimable);
	}
}

/* ---- pods that are ready ----------------------------------------------------------------------- */

int64_t plm_life_pods_wanted(const struct plm_job *job)
{
	PLM_ASSERT(job->object.used == 1);
	if (job->object.kind == PLM_KIND_JOB && job->completions > 0) {
		return plm_min(job->parallelism, job->completions);
	}
	return job->parallelism;
}

static bool are_ready(uint32_t pods_ready)
{
	return pods_ready == PLM_PODS_STARTED || pods_ready == PLM_PODS_RECOVERED;
}

/* Until when the pods must be ready that have not been so since 'since_ms'. */
static int64_t deadline(const struct plm_state *st, const struct plm_workload *workload,
			int64_t since_ms)
{
	const struct plm_root *root = plm_root(st);
	int64_t timeout_ms = workload->pods_ready == PLM_PODS_WAIT_FOR_RECOVERY
				     ? root->recovery_timeout_ms
				     : root->ready_timeout_ms;

	if (root->pods_ready == 0 || timeout_ms == 0 ||
	    (workload->pods_ready != PLM_PODS_WAIT_FOR_START &&
	     workload->pods_ready != PLM_PODS_WAIT_FOR_RECOVERY)) {
		return PLM_UNSET;
	}
	return plm_add_sat(since_ms, timeout_ms);
}

static void turn(struct plm_state *st, plm_id id, enum plm_pods_ready to, int64_t at_ms)
{
	struct plm_workload *workload = plm_workload_edit(st, id);

	PLM_ASSERT(at_ms != PLM_UNSET && to != PLM_PODS_UNKNOWN);
	PLM_ASSERT(to != PLM_PODS_RECOVERED || workload->pods_ready == PLM_PODS_WAIT_FOR_RECOVERY);
	workload->pods_ready = to;
	workload->pods_ready_ms = at_ms;
	workload->ready_by_ms = deadline(st, workload, at_ms);
}

void plm_life_look_at_pods(struct plm_state *st, plm_id id, int64_t at_ms)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	const struct plm_job *job = workload->job.n == 0 ? NULL : plm_job_at(st, workload->job);
	bool ready = false;

	if (job == NULL || workload->stage != PLM_STAGE_ADMITTED ||
	    workload->evicted_ms != PLM_UNSET || job->end != PLM_JOB_OPEN) {
		return;
	}
	ready = job->ready + job->succeeded >= plm_life_pods_wanted(job);
	if (ready == are_ready(workload->pods_ready)) {
		return;
	}
	if (!ready) {
		turn(st, id, PLM_PODS_WAIT_FOR_RECOVERY, at_ms);
	} else if (workload->pods_ready == PLM_PODS_WAIT_FOR_RECOVERY) {
		turn(st, id, PLM_PODS_RECOVERED, at_ms);
	} else {
		turn(st, id, PLM_PODS_STARTED, at_ms);
	}
}

void plm_life_admitted(struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);

	PLM_ASSERT(workload->stage == PLM_STAGE_ADMITTED);
	PLM_ASSERT(workload->admitted_ms != PLM_UNSET && workload->evicted_ms == PLM_UNSET);
	if (workload->job.n != 0 || workload->pods_ready != PLM_PODS_UNKNOWN) {
		turn(st, id, PLM_PODS_WAIT_FOR_START, workload->admitted_ms);
	}
}

void plm_life_deadline(struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	int64_t since_ms = workload->pods_ready == PLM_PODS_WAIT_FOR_START
				   ? workload->admitted_ms
				   : workload->pods_ready_ms;

	if (workload->stage == PLM_STAGE_ADMITTED) {
		plm_workload_edit(st, id)->ready_by_ms =
			since_ms == PLM_UNSET ? PLM_UNSET : deadline(st, workload, since_ms);
	}
}

void plm_life_settings(struct plm_state *st)
{
	PLM_EACH(st, workload, id)
	{
		plm_life_deadline(st, id);
	}
	st->queues.stale = true;
}

/* ---- evictions --------------------------------------------------------------------------------- */

static plm_sym counted(struct plm_state *st, struct plm_arena *scratch, plm_sym span,
		       const struct plm_w_evict *w)
{
	struct plm_eviction_count one = {
		.reason = (uint32_t)w->reason, .cause = (uint32_t)w->cause, .count = 1};
	uint32_t count = 0;
	const struct plm_eviction_count *had =
		PLM_SPAN(st, span, struct plm_eviction_count, &count);
	size_t mark = plm_arena_mark(scratch);
	struct plm_eviction_count *list =
		PLM_NEW_ARRAY(scratch, (size_t)count + 1, struct plm_eviction_count);
	uint32_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		list[i] = had[i];
	}
	while (at < count && (list[at].reason != one.reason || list[at].cause != one.cause)) {
		at++;
	}
	if (at < count) {
		list[at].count++;
	} else {
		list[count++] = one;
	}
	span = plm_intern_span(st, list, count, sizeof(*list));
	plm_arena_rewind(scratch, mark);
	return span;
}

void plm_life_evicted(struct plm_state *st, plm_id id, const struct plm_w_evict *w,
		      struct plm_arena *scratch)
{
	struct plm_workload *workload = NULL;
	plm_sym evictions = counted(st, scratch, plm_workload_at(st, id)->evictions, w);

	PLM_ASSERT(plm_workload_at(st, id)->stage != PLM_STAGE_FINISHED);
	PLM_ASSERT(w->reason != PLM_REASON_NONE && w->requeue_count >= 0 && w->requeue_at_ms >= 0);
	reset_checks(st, id, scratch);
	workload = plm_workload_edit(st, id);
	workload->evictions = evictions;
	workload->evicted_cause = (uint32_t)w->cause;
	workload->ready_by_ms = PLM_UNSET;
	if (w->requeue_at_ms > 0) {
		workload->requeue_at_ms = w->requeue_at_ms;
	}
	if (w->requeue_count > 0) {
		workload->requeue_count = (uint32_t)w->requeue_count;
	}
	if (w->reason == PLM_REASON_DEACTIVATED) {
		workload->active = 0;
		workload->requeue_at_ms = PLM_UNSET;
		workload->requeue_count = 0;
	}
}

void plm_life_released(struct plm_state *st, plm_id id, const struct plm_w_release *w)
{
	struct plm_workload *workload = plm_workload_edit(st, id);
	int64_t now_ms = plm_root(st)->now_ms;

	PLM_ASSERT(holds_quota(workload));
	PLM_ASSERT(workload->reserved_ms != PLM_UNSET);
	PLM_ASSERT(workload->stage != PLM_STAGE_ADMITTED || workload->admitted_ms != PLM_UNSET);
	if (workload->stage == PLM_STAGE_ADMITTED && workload->max_execution_s > 0) {
		int64_t ran_s = plm_max(now_ms - workload->admitted_ms, 0) / PLM_MS_PER_SECOND;

		workload->past_execution_s =
			(uint32_t)plm_min(workload->past_execution_s + ran_s, INT32_MAX);
	}
	if (workload->evicted_cause == PLM_REASON_MAXIMUM_EXECUTION_TIME_EXCEEDED) {
		workload->past_execution_s = 0; /* made active again it has all its time */
	}
	if (workload->pods_ready != PLM_PODS_UNKNOWN) {
		turn(st, id, PLM_PODS_WAIT_FOR_START, now_ms);
	}
	workload->ready_by_ms = PLM_UNSET;
	workload->halt = PLM_HALT_NONE;
	workload->requeued_reason = (uint32_t)w->reason;
	workload->requeued_ms = now_ms;
}
