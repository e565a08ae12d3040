/*
 * What facts mean for the queues: standing of workloads, retries of what is parked, generations. The fold
 * of decisions is in apply_decision.c. Source: kueue.md 2.3, 2.4, 2.6 (generation), 2.14.
 */
#include "reducers/admission/apply.h"

#include "core/integration.h"
#include "reducers/admission/afs.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/rest.h"
#include "reducers/admission/skeleton.h"
#include "reducers/area.h"
#include "reducers/tas/tas.h"

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
void plm_admission_changed(struct plm_state *st, plm_id id)
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
		plm_admission_left(st, (plm_id){before.queue});
	} else if (was_waiting &&
		   (workload->stage == PLM_STAGE_FINISHED || workload->active == 0)) {
		plm_admission_unstick(st, id);
		plm_admission_left(st, (plm_id){before.queue});
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
			plm_admission_left(st, queue);
		}
	}
}

static void workload_gone(struct plm_state *st, plm_id id)
{
	struct plm_link before = *plm_queue_index_link(st, id);
	struct plm_link nowhere = {0};

	plm_queue_index_set(st, id, &nowhere);
	plm_admission_unstick(st, id);
	plm_rest_outside(st);
	plm_admission_left(st, (plm_id){before.queue});
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

static void fold_gone(const struct plm_admission_folding *in, const struct plm_w_gone *w)
{
	struct plm_state *st = in->st;
	struct plm_fold fold = plm_admission_fold(in);
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
		plm_admission_changed(st, workload);
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
		plm_admission_changed(st, plm_job_at(st, group)->workload_id);
	}
	if (workload.n != 0 && plm_workload_at(st, workload)->stage == PLM_STAGE_FINISHED) {
		plm_admission_changed(st, workload);
	} else if (workload.n != 0) {
		plm_queue_timer(st, workload); /* its pods may be ready now */
	}
}

/* Priorities may have moved: those that wait are tried again in their new order. */
static void priorities_changed(struct plm_state *st)
{
	PLM_EACH(st, workload, id)
	{
		plm_admission_changed(st, id);
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

static void fold_queue_fact(const struct plm_admission_folding *in)
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

static void fold_work_fact(const struct plm_admission_folding *in)
{
	struct plm_state *st = in->st;
	const void *w = in->ev->payload;
	plm_id id = {0};

	switch (in->ev->type) {
	case PLM_EV_WORKLOAD: {
		const struct plm_w_workload *workload = w;

		id = plm_admission_find(st, workload->meta.ns, workload->meta.name);
		plm_admission_changed(st, id);
		break;
	}
	case PLM_EV_WORKLOAD_PATCH: {
		const struct plm_w_workload_patch *patch = w;

		id = plm_admission_find(st, patch->ns, patch->name);
		if (id.n != 0) {
			plm_admission_changed(st, id);
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
		const struct plm_stock_out *row = plm_stock_out_at(st, id);

		if (row->lapsed == 0 && row->until_ms <= plm_root(st)->now_ms) {
			return true;
		}
	}
	return false;
}

static void fold_cycle(const struct plm_admission_folding *in)
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
	struct plm_admission_folding in = {st, scratch, ev};

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
		plm_admission_fold_decision(&in);
		break;
	case PLM_CLASS_INTENT:
	case PLM_CLASS_RESULT:
		break;
	}
	plm_tas_see(st, ev);
}
