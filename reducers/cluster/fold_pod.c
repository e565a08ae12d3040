/* Pods, and what they count for: their node, their PodSet. */
#include "core/limits.h"
#include "reducers/cluster/fold.h"
#include "reducers/cluster/life.h"
#include "reducers/disruption/cost.h"
#include "reducers/tas/tas.h"

static bool terminal(const struct plm_pod *pod)
{
	return pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED;
}

/* A pod that keeps its node from being empty. */
static bool occupies(const struct plm_state *st, const struct plm_pod *pod)
{
	return pod->node.n != 0 && !terminal(pod) &&
	       !plm_sym_is(st, pod->object.owner_kind, "DaemonSet") &&
	       !plm_sym_is(st, pod->object.owner_kind, "Node");
}

/* A pod that somebody would miss, and that needs another place without its node: karpenter.md 3.3. */
static bool keeps_node(const struct plm_state *st, const struct plm_pod *pod)
{
	return occupies(st, pod) &&
	       (pod->object.deleting_ms == PLM_UNSET ||
		plm_sym_is(st, pod->object.owner_kind, "StatefulSet")) &&
	       plm_cost_eviction(pod->priority, pod->deletion_cost) > 0;
}

static plm_id node_of(const struct plm_state *st, const struct plm_pod *pod)
{
	return plm_find(st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
}

/* Take the pod out of (-1) or into (+1) the counts of its node and PodSet, and of gated pods. */
static void count_pod(struct plm_state *st, plm_id id, int32_t by)
{
	const struct plm_pod *pod = plm_pod_at(st, id);
	plm_id node = node_of(st, pod);
	plm_id job = plm_fold_job_of(st, pod->object.owner_uid);

	if (node.n != 0 && occupies(st, pod)) {
		struct plm_node *slot = plm_node_edit(st, node);

		PLM_ASSERT(by > 0 || slot->pods > 0);
		slot->pods = (uint32_t)((int64_t)slot->pods + by);
		PLM_ASSERT(by > 0 || slot->keepers > 0 || !keeps_node(st, pod));
		slot->keepers += keeps_node(st, pod) ? (uint32_t)by : 0;
		PLM_ASSERT(slot->keepers <= slot->pods);
	}
	if (pod->gated == 1) {
		struct plm_root *root = plm_root_change(st);

		PLM_ASSERT(by > 0 || root->gated_pods > 0);
		root->gated_pods = (uint32_t)((int64_t)root->gated_pods + by);
	}
	if (job.n != 0 && plm_job_at(st, job)->object.kind == PLM_KIND_POD_SET) {
		struct plm_job *set = plm_job_edit(st, job);

		set->pods += terminal(pod) ? 0 : by;
		set->active += pod->node.n != 0 && !terminal(pod) ? by : 0;
		set->ready += pod->ready == 1 && !terminal(pod) ? by : 0;
		set->succeeded += pod->phase == PLM_PHASE_SUCCEEDED ? by : 0;
	}
}

/*
 * A pod that nobody placed by topology leaves its node's domains: kueue.md 2.15 "Model". One that was
 * may have been the last to go on on a node that failed.
 */
static void domains_freed(struct plm_state *st, plm_id id)
{
	const struct plm_pod *pod = plm_pod_at(st, id);
	plm_id node = node_of(st, pod);

	if (pod->node.n != 0 &&
	    (!plm_tas_pod(st, pod) || node.n == 0 || plm_node_at(st, node)->ready == 0)) {
		plm_root_change(st)->domains_freed = 1;
	}
}

static int64_t set_count(const struct plm_state *st, const struct plm_job *set)
{
	uint32_t one = 0;
	const struct plm_pod_set *spec = PLM_SPAN(st, set->pod_sets, struct plm_pod_set, &one);

	return one == 0 ? 0 : spec->count;
}

/* A PodSet ends when all its pods have succeeded, or when one failed too often. */
static void end_set(struct plm_state *st, plm_id id, int64_t now_ms)
{
	struct plm_job *set = plm_job_edit(st, id);
	bool failed = set->failed > set->backoff_limit;
	bool done = set->succeeded >= set_count(st, set);

	if (set->end != PLM_JOB_OPEN || (!failed && !done)) {
		return;
	}
	set->end = failed ? PLM_JOB_FAILED : PLM_JOB_COMPLETE;
	set->ended_ms = now_ms;
	if (set->workload_id.n != 0 &&
	    plm_workload_at(st, set->workload_id)->stage != PLM_STAGE_FINISHED) {
		plm_fold_finish(st, set->workload_id, now_ms,
				plm_intern(st, plm_slice_str(failed ? "Failed" : "Succeeded")));
	}
}

static void fill_pod(const struct plm_folding *in, struct plm_pod *pod, const struct plm_w_pod *w)
{
	pod->shape = plm_fold_shape(&in->f, &w->shape);
	pod->node = plm_fold_text(&in->f, w->node);
	pod->nominated = plm_fold_text(&in->f, w->nominated);
	pod->pod_set = plm_fold_text(&in->f, w->pod_set);
	pod->phase = (uint32_t)w->phase;
	pod->unschedulable = w->unschedulable == 1;
	pod->no_status = w->no_status == 1;
	pod->gated = w->gated == 1;
	pod->ready = w->ready == 1;
	pod->do_not_disrupt = w->do_not_disrupt > 0;
	pod->protected_ms = w->do_not_disrupt > 1 ? w->do_not_disrupt : PLM_UNSET;
	pod->misprotected = w->do_not_disrupt < 0;
	pod->not_ready = w->not_ready == 1;
	pod->grace_s = w->grace_s;
	pod->scheduled_ms = w->scheduled_ms;
	pod->started_ms = w->started_ms;
	pod->deletion_cost = w->deletion_cost;
	pod->index = w->index;
	pod->tas = w->tas == 1;
	pod->gates = plm_fold_texts(&in->f, w->gates);
	pod->ungating = w->gated == 1 ? pod->ungating : 0;
	pod->managed = w->managed == 1;
	if (pod->managed == 0 || pod->finalizing == PLM_FINALIZING_FAILED) {
		pod->finalizing = PLM_FINALIZING_NOT;
	}
	pod->priority = plm_fold_priority(in->f.st, w->shape.priority, (plm_sym){0},
					  plm_fold_text(&in->f, w->shape.priority_class));
}

/* What a pod's node is told of it next; a pod of a DaemonSet is no event. */
static enum plm_pod_seen sight_of(const struct plm_state *st, const struct plm_pod *pod)
{
	if (pod->node.n == 0 || plm_sym_is(st, pod->object.owner_kind, "DaemonSet")) {
		return PLM_POD_UNSEEN;
	}
	if (terminal(pod) || pod->object.deleting_ms != PLM_UNSET) {
		return PLM_POD_ENDED;
	}
	return pod->scheduled_ms != PLM_UNSET && pod->scheduled_ms > 0 ? PLM_POD_BOUND
								       : PLM_POD_UNSEEN;
}

/*
 * A pod was bound, is over or is told to end: karpenter.md 3.4. Being bound counts from its condition's
 * time, the end from when we heard of it; an end that was there when we first saw the pod is no event.
 */
static void tell_node(struct plm_state *st, plm_id id, int64_t now_ms)
{
	const struct plm_pod *pod = plm_pod_at(st, id);
	enum plm_pod_seen seen = sight_of(st, pod);
	plm_id node = node_of(st, pod);
	int64_t event_ms = pod->scheduled_ms;

	if ((uint32_t)seen <= pod->seen) {
		return;
	}
	if (seen == PLM_POD_ENDED && pod->seen != PLM_POD_UNSEEN) {
		event_ms = now_ms;
	}
	plm_pod_edit(st, id)->seen = (uint32_t)seen;
	if (node.n != 0 && event_ms > plm_node_at(st, node)->pod_event_ms) {
		plm_node_edit(st, node)->pod_event_ms = event_ms;
	}
}

void plm_fold_set_pods(struct plm_state *st, plm_id set, int64_t at_ms)
{
	plm_id workload = plm_job_at(st, set)->workload_id;

	if (workload.n != 0) {
		plm_life_look_at_pods(st, workload, at_ms);
	}
}

/* A group that one of its pods has left. */
static void look_at_group(const struct plm_folding *in, plm_sym ns, plm_sym name)
{
	plm_id id = plm_find(in->f.st, PLM_KIND_POD_GROUP, ns, name);

	if (id.n != 0) {
		plm_fold_group_look(&in->f, id, (int64_t)in->ev->tick_ms);
	}
}

void plm_fold_pod(const struct plm_folding *in, const struct plm_w_pod *w)
{
	struct plm_state *st = in->f.st;
	plm_sym ns = plm_fold_text(&in->f, w->meta.ns);
	plm_sym name = plm_fold_text(&in->f, w->meta.name);
	plm_id old = plm_find(st, PLM_KIND_POD, ns, name);
	bool failed_before = false;
	plm_sym group = {0};
	plm_id id;
	plm_id set;

	if (old.n != 0) {
		failed_before =
			plm_pod_at(st, old)->phase == PLM_PHASE_FAILED &&
			plm_slice_equal(plm_str(st, plm_pod_at(st, old)->object.uid), w->meta.uid);
		/* Another UID under the name: plm_fold_object() folds the old pod away, counts and all. */
		if (plm_slice_equal(plm_str(st, plm_pod_at(st, old)->object.uid), w->meta.uid)) {
			count_pod(st, old, -1);
			plm_fold_group_leave(st, old);
		}
		group = plm_pod_at(st, old)->group;
	}
	id = plm_fold_object(in, PLM_KIND_POD, &w->meta, NULL);
	fill_pod(in, plm_pod_edit(st, id), w);
	count_pod(st, id, 1);
	tell_node(st, id, (int64_t)in->ev->tick_ms);
	plm_fold_group_pod(in, id, w);
	if (group.n != 0 && !plm_sym_equal(group, plm_pod_at(st, id)->group)) {
		look_at_group(in, ns, group);
	}
	if (terminal(plm_pod_at(st, id))) {
		plm_root_change(st)->room_freed = 1;
		domains_freed(st, id);
	}
	set = plm_fold_job_of(st, plm_pod_at(st, id)->object.owner_uid);
	if (set.n == 0 || plm_job_at(st, set)->object.kind != PLM_KIND_POD_SET) {
		return;
	}
	if (w->phase == PLM_PHASE_FAILED && !failed_before) {
		plm_job_edit(st, set)->failed++;
	}
	end_set(st, set, (int64_t)in->ev->tick_ms);
	plm_fold_set_pods(st, set, (int64_t)in->ev->tick_ms);
}

/* Index 'index' of a PodSet is to be made again. */
void plm_fold_remake(struct plm_state *st, plm_id id, uint32_t index)
{
	struct plm_job *set = plm_job_edit(st, id);
	uint32_t count = 0;
	const uint32_t *old = PLM_SPAN(st, set->remake, uint32_t, &count);
	uint32_t span[PLM_LIMIT_REMAKE];

	if (count == PLM_LIMIT_REMAKE || index >= set->next_index) {
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (old[i] == index) {
			return;
		}
		span[i] = old[i];
	}
	span[count] = index;
	set->remake = plm_intern_span(st, span, count + 1, sizeof(*span));
}

void plm_fold_pod_gone(struct plm_state *st, plm_id id)
{
	const struct plm_pod *pod = plm_pod_at(st, id);
	plm_id set = plm_fold_job_of(st, pod->object.owner_uid);

	count_pod(st, id, -1);
	plm_fold_group_leave(st, id);
	plm_root_change(st)->room_freed = 1;
	domains_freed(st, id);
	if (set.n == 0 || plm_job_at(st, set)->object.kind != PLM_KIND_POD_SET) {
		return;
	}
	if (pod->phase == PLM_PHASE_SUCCEEDED) {
		plm_job_edit(st, set)->succeeded++; /* it has done its part, be it there or not */
	} else if (plm_job_at(st, set)->started == PLM_TOLD_TO_RUN && pod->index >= 0) {
		plm_fold_remake(st, set, (uint32_t)pod->index);
	}
}

/* What the pods of one node make of it. */
struct node_pods {
	uint32_t pods, keepers;
	int64_t event_ms;
};

static void gather(const struct plm_state *st, plm_id id, struct node_pods *sum)
{
	const struct plm_pod *pod = plm_pod_at(st, id);

	sum->pods += occupies(st, pod) ? 1 : 0;
	sum->keepers += keeps_node(st, pod) ? 1 : 0;
	if (pod->seen != PLM_POD_UNSEEN) {
		sum->event_ms = plm_max(sum->event_ms, pod->scheduled_ms);
	}
}

void plm_fold_node_pods(struct plm_state *st, plm_id node)
{
	plm_sym name = plm_node_at(st, node)->object.name;
	struct node_pods sum = {0};

	if (plm_pod_index_true(st)) {
		uint32_t cell = plm_pod_index_cell(st, name, false);

		for (plm_id pod = plm_pod_index_next(st, cell, PLM_SIDE_BOUND, (plm_id){0});
		     pod.n != 0; pod = plm_pod_index_next(st, cell, PLM_SIDE_BOUND, pod)) {
			gather(st, pod, &sum);
		}
	} else {
		PLM_EACH(st, pod, id)
		{
			if (plm_sym_equal(plm_pod_at(st, id)->node, name)) {
				gather(st, id, &sum);
			}
		}
	}
	plm_node_edit(st, node)->pods = sum.pods;
	plm_node_edit(st, node)->keepers = sum.keepers;
	plm_node_edit(st, node)->pod_event_ms = sum.event_ms;
}
