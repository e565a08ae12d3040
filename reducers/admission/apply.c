/*
 * The fold of admission's decisions, and what facts mean for the queues: standing of workloads, retries
 * of what is parked, generations. Source: kueue.md 2.3, 2.4, 2.6 (generation), 2.14.
 */
#include "core/integration.h"
#include "reducers/admission/afs.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/rest.h"
#include "reducers/admission/skeleton.h"
#include "reducers/area.h"
#include "reducers/cluster/life.h"
#include "reducers/tas/tas.h"

struct folding {
	struct plm_state *st;
	struct plm_arena *scratch;
	const struct plm_event *ev;
};

static struct plm_fold fold_of(const struct folding *in)
{
	return (struct plm_fold){in->st, in->scratch};
}

static plm_id find_workload(const struct plm_state *st, struct plm_slice ns, struct plm_slice name)
{
	return plm_find(st, PLM_KIND_WORKLOAD, plm_sym_find(st, ns), plm_sym_find(st, name));
}

static void told(const struct folding *in, struct plm_workload *workload,
		 const struct plm_w_explain *why)
{
	struct plm_fold fold = fold_of(in);

	workload->why = plm_fold_why(&fold, why, in->ev->seq);
}

static void generation(struct plm_state *st, plm_id queue)
{
	if (queue.n != 0) {
		plm_cluster_queue_edit(st, queue)->generation++;
	}
}

/* The workload is no longer in the queue 'queue' whose quota it held, or has left the queues for good. */
static void left(struct plm_state *st, plm_id queue)
{
	if (queue.n != 0 && plm_cluster_queue_at(st, queue)->object.used == 1) {
		generation(st, queue);
		plm_queue_retry_tree(st, queue);
		if (plm_tas_queue_any(st, plm_cluster_queue_at(st, queue))) {
			plm_queue_retry_topology(st); /* domains are shared beyond the tree */
		}
	}
}

static void workload_changed(struct plm_state *st, plm_id id);

/* ---- decisions --------------------------------------------------------------------------------- */

static void unstick(struct plm_state *st, plm_id id)
{
	if (!plm_marks_has(st, id, PLM_MARK_STICKY)) {
		return;
	}
	plm_marks_put(st, id, PLM_MARK_STICKY, false);
	PLM_EACH(st, cluster_queue, queue)
	{
		if (plm_cluster_queue_at(st, queue)->sticky.n == id.n) {
			plm_cluster_queue_edit(st, queue)->sticky = (plm_id){0};
		}
	}
}

static void fold_reserve(const struct folding *in, const struct plm_w_reserve *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = fold_of(in);
	plm_id id = find_workload(st, w->ns, w->name);
	plm_sym assignments = plm_fold_assignments(&fold, w->assignments);
	plm_sym queue = plm_fold_text(&fold, w->cluster_queue);
	struct plm_workload *workload = NULL;

	if (id.n == 0 || plm_workload_at(st, id)->stage != PLM_STAGE_PENDING) {
		return;
	}
	workload = plm_workload_edit(st, id);
	workload->stage = w->admitted == 1 ? PLM_STAGE_ADMITTED : PLM_STAGE_RESERVED;
	workload->reserved_in = queue;
	workload->cluster_queue = plm_find(st, PLM_KIND_CLUSTER_QUEUE, (plm_sym){0}, queue);
	workload->assignments = assignments;
	workload->reserved_ms = plm_root(st)->now_ms;
	workload->admitted_ms = w->admitted == 1 ? plm_root(st)->now_ms : PLM_UNSET;
	workload->evicted_ms = PLM_UNSET;
	workload->evicted_reason = (plm_sym){0};
	workload->preemption = PLM_REASON_NONE;
	workload->by = (plm_id){0};
	workload->cursor = (plm_sym){0};
	workload->hold = (plm_sym){0};
	workload->place = PLM_QUEUE_ACTIVE;
	workload->failed = 0;
	if (w->admitted == 1) {
		workload->tried = (plm_sym){0};
		workload->polite = 0;
	}
	workload->evicted_cause = PLM_REASON_NONE;
	workload->requeue_at_ms = PLM_UNSET;
	told(in, workload, &w->why);
	if (w->admitted == 1) {
		plm_life_admitted(st, id);
	}
	unstick(st, id);
	generation(st, workload->cluster_queue);
	plm_afs_charge(st, id, in->scratch);
	plm_queue_place(st, id);
	if (w->admitted == 1) {
		plm_afs_settle(st, id);
	}
}

static void fold_admit(const struct folding *in, const struct plm_w_admit *w)
{
	plm_id id = find_workload(in->st, w->ns, w->name);
	struct plm_workload *workload = NULL;

	if (id.n == 0 || plm_workload_at(in->st, id)->stage != PLM_STAGE_RESERVED) {
		return;
	}
	workload = plm_workload_edit(in->st, id);
	workload->stage = PLM_STAGE_ADMITTED;
	workload->admitted_ms = plm_root(in->st)->now_ms;
	workload->tried = (plm_sym){0};
	workload->polite = 0;
	told(in, workload, &w->why);
	plm_life_admitted(in->st, id);
	plm_queue_place(in->st, id);
	plm_afs_settle(in->st, id);
}

static void make_sticky(struct plm_state *st, plm_id id)
{
	plm_id queue = {plm_queue_index_link(st, id)->queue};
	plm_id before = {0};

	if (queue.n == 0) {
		return;
	}
	before = plm_cluster_queue_at(st, queue)->sticky;
	if (before.n == id.n) {
		return;
	}
	if (before.n != 0 && plm_workload_at(st, before)->hold.n != 0) {
		plm_workload_edit(st, before)->hold = (plm_sym){0};
	}
	plm_cluster_queue_edit(st, queue)->sticky = id;
	plm_marks_put(st, id, PLM_MARK_STICKY, true);
}

static void fold_pend(const struct folding *in, const struct plm_w_pend *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = fold_of(in);
	plm_id id = find_workload(st, w->ns, w->name);
	plm_sym cursor = plm_fold_cursors(&fold, w->cursor);
	struct plm_workload *workload = NULL;
	plm_id queue = {0};

	if (id.n == 0 || plm_workload_at(st, id)->stage != PLM_STAGE_PENDING) {
		return;
	}
	workload = plm_workload_edit(st, id);
	told(in, workload, &w->why);
	if (w->place == PLM_QUEUE_KEEP) {
		return;
	}
	queue.n = plm_queue_index_link(st, id)->queue;
	workload->cursor = cursor;
	workload->cursor_seq = cursor.n == 0 ? 0 : in->ev->seq;
	workload->cursor_round = cursor.n == 0 ? 0 : (uint32_t)w->round;
	workload->cursor_generation = 0;
	if (cursor.n != 0 && queue.n != 0) {
		workload->cursor_generation = plm_cluster_queue_at(st, queue)->generation +
					      plm_root(st)->quota_generation;
	}
	if (w->sticky == 1) {
		make_sticky(st, id);
	}
	if (w->park_alike == 1) {
		plm_queue_park_alike(st, id);
	}
	if (w->place == PLM_QUEUE_PARKED) {
		plm_queue_park(st, id, w->park_alike == 1);
	}
}

/* One that only waited: nothing is to be stopped, so it waits on, or again, or is out of the queue. */
static void evicted_waiting(struct plm_state *st, plm_id id)
{
	plm_id queue = {plm_queue_index_link(st, id)->queue};

	plm_workload_edit(st, id)->hold = (plm_sym){0};
	unstick(st, id);
	if (!plm_queue_backoff_over(plm_workload_at(st, id), plm_root(st)->now_ms)) {
		plm_queue_park(st, id, false);
	} else {
		plm_queue_activate(st, id);
	}
	left(st, queue);
	plm_root_change(st)->queues_dirty = 1; /* what else is due to it comes next */
}

static void fold_evict(const struct folding *in, const struct plm_w_evict *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = fold_of(in);
	plm_id id = find_workload(st, w->ns, w->name);
	plm_sym reason =
		plm_fold_text(&fold, plm_slice_str(plm_names_text(&plm_names_reason, w->reason)));
	struct plm_workload *workload = NULL;

	/* One that only waits can be deactivated; it has nothing to give back. */
	if (id.n == 0 || plm_workload_at(st, id)->stage == PLM_STAGE_FINISHED ||
	    (plm_workload_at(st, id)->stage == PLM_STAGE_PENDING &&
	     w->reason != PLM_REASON_DEACTIVATED && w->reason != PLM_REASON_ADMISSION_CHECK)) {
		return;
	}
	plm_life_evicted(st, id, w, in->scratch);
	workload = plm_workload_edit(st, id);
	workload->evicted_ms = plm_root(st)->now_ms;
	workload->unhealthy = (plm_sym){0};
	workload->evicted_reason = reason;
	workload->preemption = (uint32_t)w->preemption;
	workload->by = find_workload(st, w->by_ns, w->by_name);
	told(in, workload, &w->why);
	if (w->preemption != PLM_REASON_NONE) {
		plm_rest_preempt(st, id, workload->by);
	}
	generation(st, workload->cluster_queue);
	if (workload->stage == PLM_STAGE_PENDING) {
		evicted_waiting(st, id);
	} else {
		plm_queue_place(st, id);
	}
}

/* The flavors that had no capacity are not tried again until something changes. */
static plm_sym tried_after(const struct folding *in, const struct plm_workload *workload)
{
	const struct plm_state *st = in->st;
	uint32_t before = 0;
	const plm_sym *old = PLM_SPAN(st, workload->tried, plm_sym, &before);
	uint32_t sets = 0;
	const struct plm_assignment *set =
		PLM_SPAN(st, workload->assignments, struct plm_assignment, &sets);
	uint32_t room = before;
	uint32_t count = 0;
	plm_sym *list = NULL;

	for (uint32_t i = 0; i < sets; i++) {
		uint32_t pairs = 0;

		(void)PLM_SPAN(st, set[i].flavors, struct plm_kv, &pairs);
		room += pairs;
	}
	list = PLM_NEW_ARRAY(in->scratch, room, plm_sym);
	for (uint32_t i = 0; i < before; i++) {
		list[count++] = old[i];
	}
	for (uint32_t i = 0; i < sets; i++) {
		uint32_t pairs = 0;
		const struct plm_kv *pair = PLM_SPAN(st, set[i].flavors, struct plm_kv, &pairs);

		for (uint32_t j = 0; j < pairs; j++) {
			bool known = false;

			for (uint32_t k = 0; k < count; k++) {
				known = known || plm_sym_equal(list[k], pair[j].value);
			}
			if (!known) {
				list[count++] = pair[j].value;
			}
		}
	}
	return plm_intern_span(in->st, list, count, sizeof(*list));
}

static void fold_release(const struct folding *in, const struct plm_w_release *w)
{
	struct plm_state *st = in->st;
	plm_id id = find_workload(st, w->ns, w->name);
	struct plm_workload *workload = NULL;
	plm_id queue = {0};

	if (id.n == 0 || (plm_workload_at(st, id)->stage != PLM_STAGE_RESERVED &&
			  plm_workload_at(st, id)->stage != PLM_STAGE_ADMITTED)) {
		return;
	}
	workload = plm_workload_edit(st, id);
	queue = workload->cluster_queue;
	plm_life_released(st, id, w);
	workload = plm_workload_edit(st, id);
	if (w->reason == PLM_REASON_NO_CAPACITY) {
		workload->tried = tried_after(in, workload);
		workload->polite = 1;
	}
	workload->stage = PLM_STAGE_PENDING;
	workload->cluster_queue = (plm_id){0};
	workload->reserved_in = (plm_sym){0};
	workload->assignments = (plm_sym){0};
	workload->unhealthy = (plm_sym){0};
	workload->reserved_ms = PLM_UNSET;
	workload->admitted_ms = PLM_UNSET;
	workload->by = (plm_id){0};
	workload->cursor = (plm_sym){0};
	workload->requeued = w->requeued == 1 ? 1 : -1;
	workload->failed = 0;
	workload->place = plm_queue_backoff_over(workload, plm_root(st)->now_ms) ? PLM_QUEUE_ACTIVE
										 : PLM_QUEUE_PARKED;
	told(in, workload, &w->why);
	plm_queue_place(st, id);
	plm_afs_drop(st, id, (plm_id){0});
	left(st, queue);
	plm_root_change(st)->queues_dirty = 1;
}

/* What kept it parked is over. */
static void fold_requeue(const struct folding *in, const struct plm_w_requeue *w)
{
	struct plm_state *st = in->st;
	plm_id id = find_workload(st, w->ns, w->name);
	struct plm_workload *workload = NULL;

	if (id.n == 0 || plm_workload_at(st, id)->stage != PLM_STAGE_PENDING) {
		return;
	}
	workload = plm_workload_edit(st, id);
	workload->requeued = 1;
	workload->requeued_reason = (uint32_t)w->reason;
	workload->requeued_ms = plm_root(st)->now_ms;
	if (w->reason == PLM_REASON_BACKOFF_FINISHED) {
		workload->requeue_at_ms = PLM_UNSET;
	}
	told(in, workload, &w->why);
	plm_rest_outside(st); /* it comes anew */
	if (plm_queue_backoff_over(workload, plm_root(st)->now_ms)) {
		plm_queue_activate(st, id);
	} else {
		plm_queue_park(st, id, false);
	}
}

static void fold_finish(const struct folding *in, const struct plm_w_finish *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = fold_of(in);
	plm_id id = find_workload(st, w->ns, w->name);
	plm_sym reason =
		plm_fold_text(&fold, plm_slice_str(plm_names_text(&plm_names_reason, w->reason)));

	if (id.n == 0 || plm_workload_at(st, id)->stage == PLM_STAGE_FINISHED) {
		return;
	}
	plm_fold_finish(st, id, plm_root(st)->now_ms, reason);
	told(in, plm_workload_edit(st, id), &w->why);
	workload_changed(st, id);
	plm_root_change(st)->queues_dirty = 1;
}

static void fold_postpone(const struct folding *in, const struct plm_w_postpone *w)
{
	plm_id id = find_workload(in->st, w->ns, w->name);

	if (id.n == 0 || plm_workload_at(in->st, id)->stage != PLM_STAGE_ADMITTED) {
		return;
	}
	plm_workload_edit(in->st, id)->ready_by_ms = w->until_ms;
	told(in, plm_workload_edit(in->st, id), &w->why);
	plm_queue_place(in->st, id);
}

static void fold_hold(const struct folding *in, const struct plm_w_hold *w)
{
	struct plm_fold fold = fold_of(in);
	plm_id id = find_workload(in->st, w->ns, w->name);
	plm_sym hold = plm_fold_assignments(&fold, w->assignments);

	if (id.n == 0 || plm_workload_at(in->st, id)->stage != PLM_STAGE_PENDING) {
		return;
	}
	plm_workload_edit(in->st, id)->hold = hold;
	if (hold.n == 0) {
		left(in->st, (plm_id){plm_queue_index_link(in->st, id)->queue});
	}
}

/* Other domains of the same pods: no quota moves, and what failed is behind it. */
static void fold_assigned(const struct folding *in, const struct plm_w_assigned *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = fold_of(in);
	plm_id id = find_workload(st, w->ns, w->name);
	plm_sym assignments = plm_fold_assignments(&fold, w->assignments);
	struct plm_workload *workload = NULL;

	if (id.n == 0 || (plm_workload_at(st, id)->stage != PLM_STAGE_RESERVED &&
			  plm_workload_at(st, id)->stage != PLM_STAGE_ADMITTED)) {
		return;
	}
	workload = plm_workload_edit(st, id);
	workload->assignments = assignments;
	workload->unhealthy = (plm_sym){0};
	told(in, workload, &w->why);
	plm_queue_place(st, id);
}

static void fold_unhealthy(const struct folding *in, const struct plm_w_unhealthy *w)
{
	struct plm_fold fold = fold_of(in);
	plm_id id = find_workload(in->st, w->ns, w->name);
	plm_sym nodes = plm_fold_texts(&fold, w->nodes);

	if (id.n != 0 && plm_workload_at(in->st, id)->assignments.n != 0) {
		plm_workload_edit(in->st, id)->unhealthy = nodes;
		told(in, plm_workload_edit(in->st, id), &w->why);
	}
}

static void fold_decision(const struct folding *in)
{
	const void *w = in->ev->payload;

	switch (in->ev->type) {
	case PLM_EV_RESERVE:
		fold_reserve(in, w);
		break;
	case PLM_EV_ADMIT:
		fold_admit(in, w);
		break;
	case PLM_EV_PEND:
		fold_pend(in, w);
		break;
	case PLM_EV_EVICT:
		fold_evict(in, w);
		break;
	case PLM_EV_RELEASE:
		fold_release(in, w);
		break;
	case PLM_EV_HOLD:
		fold_hold(in, w);
		break;
	case PLM_EV_ASSIGNED:
		fold_assigned(in, w);
		break;
	case PLM_EV_UNHEALTHY:
		fold_unhealthy(in, w);
		break;
	case PLM_EV_REQUEUE:
		fold_requeue(in, w);
		break;
	case PLM_EV_FINISH:
		fold_finish(in, w);
		break;
	case PLM_EV_POSTPONE:
		fold_postpone(in, w);
		break;
	default:
		break;
	}
}

/* ---- facts ------------------------------------------------------------------------------------- */

/* Does somebody outside want something else of it? Our own evictions and starts are not meant. */
static bool wants_other(const struct plm_workload *workload, const struct plm_link *before,
			const struct plm_link *now)
{
	bool ended = workload->stage == PLM_STAGE_FINISHED;
	bool new = before->standing == PLM_STANDS_NOWHERE;

	if (ended || new) {
		return ended != new;
	}
	return before->priority != workload->priority ||
	       !plm_sym_equal(before->pod_sets, workload->pod_sets) ||
	       !plm_sym_equal(before->reclaimable, workload->reclaimable) ||
	       (before->standing == PLM_STANDS_OUTSIDE) != (now->standing == PLM_STANDS_OUTSIDE);
}

/* Set the link anew and see what it means that it has moved. */
static void workload_changed(struct plm_state *st, plm_id id)
{
	struct plm_link before = *plm_queue_index_link(st, id);
	const struct plm_workload *workload = plm_workload_at(st, id);
	bool was_waiting =
		before.standing == PLM_STANDS_ACTIVE || before.standing == PLM_STANDS_PARKED;

	plm_queue_arrive(st, id);
	if (wants_other(workload, &before, plm_queue_index_link(st, id))) {
		plm_rest_outside(st);
	}
	plm_afs_drop(st, id, (plm_id){before.local});
	if (workload->stage == PLM_STAGE_ADMITTED &&
	    (before.standing != PLM_STANDS_HOLDING || before.reserved == 1)) {
		plm_afs_settle(st, id);
	}
	if (before.standing == PLM_STANDS_HOLDING &&
	    (workload->stage == PLM_STAGE_FINISHED || workload->stage == PLM_STAGE_PENDING ||
	     !plm_sym_equal(before.reclaimable, workload->reclaimable))) {
		left(st, (plm_id){before.queue});
	} else if (was_waiting &&
		   (workload->stage == PLM_STAGE_FINISHED || workload->active == 0)) {
		unstick(st, id);
		left(st, (plm_id){before.queue});
	}
}

/* A slot was freed while the fact before us was folded: another object under the same name. */
static void look_for_left(struct plm_state *st)
{
	plm_id queue = {st->queues.left_queue};

	if (st->queues.left) {
		st->queues.left = false;
		st->queues.left_queue = 0;
		if (queue.n <= st->tables[PLM_TABLE_CLUSTER_QUEUE].high) {
			left(st, queue);
		}
	}
}

static void workload_gone(struct plm_state *st, plm_id id)
{
	struct plm_link before = *plm_queue_index_link(st, id);
	struct plm_link nowhere = {0};

	plm_queue_index_set(st, id, &nowhere);
	unstick(st, id);
	plm_rest_outside(st);
	left(st, (plm_id){before.queue});
}

/* LimitRanges or RuntimeClasses have moved: what is counted anew is tried again. */
static void requests_changed(struct plm_state *st)
{
	PLM_EACH(st, workload, id)
	{
		if (plm_workload_at(st, id)->stage == PLM_STAGE_PENDING &&
		    !plm_sym_equal(plm_queue_index_link(st, id)->pod_sets,
				   plm_workload_at(st, id)->pod_sets)) {
			plm_queue_arrive(st, id);
		}
	}
}

static void fold_gone(const struct folding *in, const struct plm_w_gone *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = fold_of(in);
	plm_sym ns = plm_sym_find(st, w->ns);
	plm_id id = plm_find(st, (enum plm_kind)w->kind, ns, plm_sym_find(st, w->name));

	if (id.n == 0) {
		return;
	}
	if (w->kind == PLM_KIND_LOCAL_QUEUE) {
		plm_afs_forget(st, id);
	}
	if (plm_kind_table((enum plm_kind)w->kind) == PLM_TABLE_JOB) {
		id = plm_job_at(st, id)->workload_id;
		if (id.n != 0 && plm_workload_at(st, id)->object.seq == 0) {
			workload_gone(st, id);
		}
		return;
	}
	switch ((int)w->kind) {
	case PLM_KIND_WORKLOAD:
		workload_gone(st, id);
		break;
	case PLM_KIND_LIMIT_RANGE:
	case PLM_KIND_RUNTIME_CLASS:
		plm_fold_limits_gone(&fold, (enum plm_kind)w->kind, id);
		requests_changed(st);
		break;
	case PLM_KIND_NAMESPACE:
	case PLM_KIND_FLAVOR:
	case PLM_KIND_COHORT:
	case PLM_KIND_CLUSTER_QUEUE:
	case PLM_KIND_LOCAL_QUEUE:
	case PLM_KIND_WORK_QUEUE:
	case PLM_KIND_ADMISSION_CHECK:
	case PLM_KIND_TOPOLOGY:
		plm_rest_outside(st);
		plm_root_change(st)->quota_generation++;
		plm_queue_retry_all(st);
		st->queues.stale = true; /* after that: the slot is freed when we are done */
		break;
	default:
		break;
	}
}

/* Something that may be new capacity ('fresh') or free room: gangs that found none are tried again. */
static void retry_tried(struct plm_state *st, bool fresh)
{
	plm_marks_settle(st);
	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_TRIED), id)
	{
		if (plm_workload_at(st, id)->tried.n == 0 &&
		    (!fresh || plm_workload_at(st, id)->polite == 0)) {
			continue;
		}
		plm_workload_edit(st, id)->tried = (plm_sym){0};
		if (fresh) {
			plm_workload_edit(st, id)->polite = 0;
		}
		if (plm_workload_at(st, id)->stage == PLM_STAGE_PENDING &&
		    plm_queue_backoff_over(plm_workload_at(st, id), plm_root(st)->now_ms)) {
			plm_queue_activate(st, id);
		}
	}
}

static void fold_job(struct plm_state *st, const struct plm_w_job *w)
{
	plm_id id = plm_find(st, plm_job_kind(w->kind), plm_sym_find(st, w->meta.ns),
			     plm_sym_find(st, w->meta.name));
	plm_id workload = id.n == 0 ? id : plm_job_at(st, id)->workload_id;

	if (workload.n != 0) {
		workload_changed(st, workload);
	}
}

/* A pod of a PodSet may be the one that ends its workload. */
static void fold_pod(struct plm_state *st, const struct plm_w_pod *w)
{
	plm_sym owner = plm_sym_find(st, w->meta.owner_uid);
	plm_id set = owner.n == 0 ? (plm_id){0} : plm_index_find(st, PLM_KEY_JOB_UID, owner.n, 0);
	plm_id group = w->group.size == 0
			       ? (plm_id){0}
			       : plm_find(st, PLM_KIND_POD_GROUP, plm_sym_find(st, w->meta.ns),
					  plm_sym_find(st, w->group));
	plm_id workload = set.n == 0 ? set : plm_job_at(st, set)->workload_id;

	if (group.n != 0 && plm_job_at(st, group)->workload_id.n != 0) {
		workload_changed(st, plm_job_at(st, group)->workload_id);
	}
	if (workload.n != 0 && plm_workload_at(st, workload)->stage == PLM_STAGE_FINISHED) {
		workload_changed(st, workload);
	} else if (workload.n != 0) {
		plm_queue_timer(st, workload); /* its pods may be ready now */
	}
}

/* Priorities may have moved: those that wait are tried again in their new order. */
static void priorities_changed(struct plm_state *st)
{
	PLM_EACH(st, workload, id)
	{
		workload_changed(st, id);
	}
}

/* Quotas, flavors or the way to a queue have changed. */
static void queues_changed(struct plm_state *st)
{
	plm_rest_outside(st);
	plm_root_change(st)->quota_generation++;
	st->queues.stale = true;
	plm_queue_retry_all(st);
}

static void fold_queue_fact(const struct folding *in)
{
	struct plm_state *st = in->st;
	const void *w = in->ev->payload;
	plm_id id = {0};

	switch (in->ev->type) {
	case PLM_EV_NAMESPACE:
		if (plm_limit_range_live(st) > 0) {
			requests_changed(st);
		}
		plm_queue_retry_all(st);
		break;
	case PLM_EV_ADMISSION_CHECK:
		plm_rest_outside(st);
		plm_queue_retry_all(st);
		break;
	case PLM_EV_LIMIT_RANGE:
	case PLM_EV_RUNTIME_CLASS:
		requests_changed(st);
		break;
	case PLM_EV_FLAVOR:
	case PLM_EV_COHORT:
	case PLM_EV_WORK_QUEUE:
	case PLM_EV_TOPOLOGY:
		queues_changed(st);
		break;
	case PLM_EV_CLUSTER_QUEUE: {
		const struct plm_w_cluster_queue *queue = w;

		id = plm_find(st, PLM_KIND_CLUSTER_QUEUE, (plm_sym){0},
			      plm_sym_find(st, queue->meta.name));
		plm_life_checks_dropped(st, id, in->scratch);
		queues_changed(st);
		break;
	}
	case PLM_EV_LOCAL_QUEUE: {
		const struct plm_w_local_queue *queue = w;

		st->queues.stale = true;
		plm_root_change(st)->afs_due_ms = 0;
		id = plm_find(st, PLM_KIND_LOCAL_QUEUE, plm_sym_find(st, queue->meta.ns),
			      plm_sym_find(st, queue->meta.name));
		plm_queue_local_arrives(st, id);
		break;
	}
	case PLM_EV_PRIORITY_CLASS:
		priorities_changed(st);
		break;
	default:
		break;
	}
}

static void fold_work_fact(const struct folding *in)
{
	struct plm_state *st = in->st;
	const void *w = in->ev->payload;
	plm_id id = {0};

	switch (in->ev->type) {
	case PLM_EV_WORKLOAD: {
		const struct plm_w_workload *workload = w;

		id = find_workload(st, workload->meta.ns, workload->meta.name);
		workload_changed(st, id);
		break;
	}
	case PLM_EV_WORKLOAD_PATCH: {
		const struct plm_w_workload_patch *patch = w;

		id = find_workload(st, patch->ns, patch->name);
		if (id.n != 0) {
			workload_changed(st, id);
		}
		break;
	}
	case PLM_EV_JOB:
		fold_job(st, w);
		break;
	case PLM_EV_POD:
		fold_pod(st, w);
		break;
	case PLM_EV_CATALOG:
	case PLM_EV_NODE_POOL:
	case PLM_EV_NODE_CLASS:
		plm_rest_outside(st);
		retry_tried(st, true);
		break;
	case PLM_EV_NODE:
		retry_tried(st, true);
		break;
	case PLM_EV_GONE:
		fold_gone(in, w);
		break;
	default:
		break;
	}
}

/* A refusal of the cloud that is forgotten now (provisioning folds it away) may be new capacity. */
static bool stock_out_ends(const struct plm_state *st)
{
	PLM_EACH(st, stock_out, id)
	{
		if (plm_stock_out_at(st, id)->until_ms <= plm_root(st)->now_ms) {
			return true;
		}
	}
	return false;
}

static void fold_cycle(const struct folding *in)
{
	plm_root_change(in->st)->cycle_seq = in->ev->seq;
	if (plm_root(in->st)->room_freed == 1 || stock_out_ends(in->st)) {
		plm_root_change(in->st)->room_freed = 0;
		retry_tried(in->st, stock_out_ends(in->st));
	}
	if (plm_root(in->st)->domains_look != plm_root(in->st)->domains_freed) {
		plm_root_change(in->st)->domains_look = plm_root(in->st)->domains_freed;
	}
	if (plm_root(in->st)->domains_freed == 1) {
		plm_root_change(in->st)->domains_freed = 0;
		plm_queue_retry_topology(in->st);
	}
	plm_queue_refresh(in->st);
	plm_skeleton_make(in->st, in->scratch);
	plm_afs_sample(in->st, plm_root(in->st)->now_ms, true);
}

/* Facts about these may come by the thousand in a row, and ask nothing of the index. */
static bool is_queue_object(uint16_t type)
{
	return type >= PLM_EV_NAMESPACE && type <= PLM_EV_ADMISSION_CHECK &&
	       type != PLM_EV_PRIORITY_CLASS;
}

void plm_admission_before(struct plm_state *st, const struct plm_event *ev)
{
	plm_queue_fill(st);
	if (!is_queue_object(ev->type)) {
		plm_queue_refresh(st);
	}
	plm_afs_sample(st, (int64_t)ev->tick_ms, false);
}

void plm_admission_apply(struct plm_state *st, const struct plm_event *ev,
			 struct plm_arena *scratch)
{
	struct folding in = {st, scratch, ev};

	plm_skeleton_forget(st, ev);
	look_for_left(st);
	switch (plm_event_info(ev->type)->class) {
	case PLM_CLASS_CONTROL:
		if (ev->type == PLM_EV_CYCLE) {
			fold_cycle(&in);
		} else if (ev->type == PLM_EV_CONFIG) {
			st->queues.stale = true;
			plm_root_change(st)->afs_due_ms = 0;
			plm_rest_outside(st);
		}
		break;
	case PLM_CLASS_FACT:
		fold_queue_fact(&in);
		fold_work_fact(&in);
		break;
	case PLM_CLASS_DECISION:
		fold_decision(&in);
		break;
	case PLM_CLASS_INTENT:
	case PLM_CLASS_RESULT:
		break;
	}
	plm_tas_see(st, ev);
}
