/* The fold of admission's decisions: apply.h. */
#include "reducers/admission/apply.h"

#include "reducers/admission/afs.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/rest.h"
#include "reducers/admission/skeleton.h"
#include "reducers/area.h"
#include "reducers/tas/tas.h"

static void told(const struct plm_admission_folding *in, struct plm_workload *workload,
		 const struct plm_w_explain *why)
{
	struct plm_fold fold = plm_admission_fold(in);

	workload->why = plm_fold_why(&fold, why, in->ev->seq);
}

/* ---- what others are told ---------------------------------------------------------------------- */

void plm_admission_generation(struct plm_state *st, plm_id queue)
{
	if (queue.n != 0) {
		plm_cluster_queue_edit(st, queue)->generation++;
	}
}

/* The workload is no longer in the queue 'queue' whose quota it held, or has left the queues for good. */
void plm_admission_left(struct plm_state *st, plm_id queue)
{
	if (queue.n != 0 && plm_cluster_queue_at(st, queue)->object.used == 1) {
		plm_admission_generation(st, queue);
		plm_queue_retry_tree(st, queue);
		if (plm_tas_queue_any(st, plm_cluster_queue_at(st, queue))) {
			plm_queue_retry_topology(st); /* domains are shared beyond the tree */
		}
	}
}

void plm_admission_unstick(struct plm_state *st, plm_id id)
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

/* ---- decisions --------------------------------------------------------------------------------- */

static void fold_reserve(const struct plm_admission_folding *in, const struct plm_w_reserve *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = plm_admission_fold(in);
	plm_id id = plm_admission_find(st, w->ns, w->name);
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
	plm_admission_unstick(st, id);
	plm_admission_generation(st, workload->cluster_queue);
	plm_afs_charge(st, id, in->scratch);
	plm_queue_place(st, id);
	if (w->admitted == 1) {
		plm_afs_settle(st, id);
	}
}

static void fold_admit(const struct plm_admission_folding *in, const struct plm_w_admit *w)
{
	plm_id id = plm_admission_find(in->st, w->ns, w->name);
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

static void fold_pend(const struct plm_admission_folding *in, const struct plm_w_pend *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = plm_admission_fold(in);
	plm_id id = plm_admission_find(st, w->ns, w->name);
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
	plm_admission_unstick(st, id);
	if (!plm_queue_backoff_over(plm_workload_at(st, id), plm_root(st)->now_ms)) {
		plm_queue_park(st, id, false);
	} else {
		plm_queue_activate(st, id);
	}
	plm_admission_left(st, queue);
	plm_root_change(st)->queues_dirty = 1; /* what else is due to it comes next */
}

static void fold_evict(const struct plm_admission_folding *in, const struct plm_w_evict *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = plm_admission_fold(in);
	plm_id id = plm_admission_find(st, w->ns, w->name);
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
	workload->by = plm_admission_find(st, w->by_ns, w->by_name);
	told(in, workload, &w->why);
	if (w->preemption != PLM_REASON_NONE) {
		plm_rest_preempt(st, id, workload->by);
	}
	plm_admission_generation(st, workload->cluster_queue);
	if (workload->stage == PLM_STAGE_PENDING) {
		evicted_waiting(st, id);
	} else {
		plm_queue_place(st, id);
	}
}

/* The flavors that had no capacity are not tried again until something changes. */
static plm_sym tried_after(const struct plm_admission_folding *in,
			   const struct plm_workload *workload)
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

static void fold_release(const struct plm_admission_folding *in, const struct plm_w_release *w)
{
	struct plm_state *st = in->st;
	plm_id id = plm_admission_find(st, w->ns, w->name);
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
	plm_admission_left(st, queue);
	plm_root_change(st)->queues_dirty = 1;
}

/* What kept it parked is over. */
static void fold_requeue(const struct plm_admission_folding *in, const struct plm_w_requeue *w)
{
	struct plm_state *st = in->st;
	plm_id id = plm_admission_find(st, w->ns, w->name);
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
	workload->why = (struct plm_why){0}; /* why it waits is yet to be found */
	plm_rest_outside(st);		     /* it comes anew */
	if (plm_queue_backoff_over(workload, plm_root(st)->now_ms)) {
		plm_queue_activate(st, id);
	} else {
		plm_queue_park(st, id, false);
	}
}

static void fold_finish(const struct plm_admission_folding *in, const struct plm_w_finish *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = plm_admission_fold(in);
	plm_id id = plm_admission_find(st, w->ns, w->name);
	plm_sym reason =
		plm_fold_text(&fold, plm_slice_str(plm_names_text(&plm_names_reason, w->reason)));

	if (id.n == 0 || plm_workload_at(st, id)->stage == PLM_STAGE_FINISHED) {
		return;
	}
	plm_fold_finish(st, id, plm_root(st)->now_ms, reason);
	told(in, plm_workload_edit(st, id), &w->why);
	plm_admission_changed(st, id);
	plm_root_change(st)->queues_dirty = 1;
}

static void fold_postpone(const struct plm_admission_folding *in, const struct plm_w_postpone *w)
{
	plm_id id = plm_admission_find(in->st, w->ns, w->name);

	if (id.n == 0 || plm_workload_at(in->st, id)->stage != PLM_STAGE_ADMITTED) {
		return;
	}
	plm_workload_edit(in->st, id)->ready_by_ms = w->until_ms;
	told(in, plm_workload_edit(in->st, id), &w->why);
	plm_queue_place(in->st, id);
}

static void fold_hold(const struct plm_admission_folding *in, const struct plm_w_hold *w)
{
	struct plm_fold fold = plm_admission_fold(in);
	plm_id id = plm_admission_find(in->st, w->ns, w->name);
	plm_sym hold = plm_fold_assignments(&fold, w->assignments);

	if (id.n == 0 || plm_workload_at(in->st, id)->stage != PLM_STAGE_PENDING) {
		return;
	}
	plm_workload_edit(in->st, id)->hold = hold;
	if (hold.n == 0) {
		plm_admission_left(in->st, (plm_id){plm_queue_index_link(in->st, id)->queue});
	}
}

/* Other domains of the same pods: no quota moves, and what failed is behind it. */
static void fold_assigned(const struct plm_admission_folding *in, const struct plm_w_assigned *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = plm_admission_fold(in);
	plm_id id = plm_admission_find(st, w->ns, w->name);
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

static void fold_unhealthy(const struct plm_admission_folding *in, const struct plm_w_unhealthy *w)
{
	struct plm_fold fold = plm_admission_fold(in);
	plm_id id = plm_admission_find(in->st, w->ns, w->name);
	plm_sym nodes = plm_fold_texts(&fold, w->nodes);

	if (id.n != 0 && plm_workload_at(in->st, id)->assignments.n != 0) {
		plm_workload_edit(in->st, id)->unhealthy = nodes;
		told(in, plm_workload_edit(in->st, id), &w->why);
	}
}

void plm_admission_fold_decision(const struct plm_admission_folding *in)
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
