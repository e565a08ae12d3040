/* Who is tried in a round: kueue.md 2.5 (1) and the checks of (3). */
#include "reducers/admission/activity.h"
#include "reducers/admission/afs.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"
#include "reducers/admission/skeleton.h"
#include "reducers/sched/selector.h"

/* The workload on top of a lane, 0 when it is empty. */
static uint32_t top(const struct plm_lane *lane)
{
	return lane->count == 0 ? 0 : lane->heap[0];
}

static bool lane_full(const struct plm_state *st, plm_id work)
{
	int64_t max = plm_work_queue_at(st, work)->max_parallel;

	return max != PLM_UNSET && plm_queue_index_running(st, work) >= max;
}

static uint32_t earlier(const struct plm_state *st, uint32_t a, uint32_t b)
{
	int order = 0;

	if (a == 0 || b == 0) {
		return a == 0 ? b : a;
	}
	order = plm_link_order(st, &st->queues.links[a], &st->queues.links[b]);
	return order < 0 || (order == 0 && a < b) ? a : b;
}

/* Is the queue's preemptor waiting actively in it, and not held back by its WorkQueue? */
static bool sticky_waits(const struct plm_state *st, plm_id queue)
{
	const struct plm_cluster_queue *q = plm_cluster_queue_at(st, queue);
	const struct plm_link *link = plm_queue_index_link(st, q->sticky);

	return q->sticky.n != 0 && q->strategy == PLM_STRATEGY_BEST_EFFORT_FIFO &&
	       link->standing == PLM_STANDS_ACTIVE && link->queue == queue.n &&
	       (link->lane == 0 || !lane_full(st, (plm_id){link->lane}));
}

/* What the first of a full WorkQueue is told. */
static void say_full(struct plm_round *round, plm_id work, uint32_t workload)
{
	struct plm_entry said = plm_entry_said(
		(plm_id){workload},
		(struct plm_why){.rule = PLM_RULE_MAX_PARALLEL,
				 .reason = PLM_REASON_MAX_PARALLEL_JOBS,
				 .object = plm_work_queue_at(round->st, work)->object.name});

	said.have = plm_queue_index_running(round->st, work);
	said.limit = plm_work_queue_at(round->st, work)->max_parallel;
	plm_emit_told(round, &said);
}

/* Is 'workload' what its queue promised quota to? It goes before others of its LocalQueue. */
static uint32_t sticky_or(const struct plm_state *st, plm_id queue, plm_id local, uint32_t workload)
{
	plm_id sticky = plm_cluster_queue_at(st, queue)->sticky;
	bool ours = sticky_waits(st, queue) && st->queues.links[sticky.n].local == local.n;

	return ours ? sticky.n : workload;
}

/* Which of two of one queue is tried first; equal usage: the sticky one, then the usual order. */
static bool used_less(const struct plm_state *st, plm_id queue, uint32_t a, uint32_t b)
{
	const struct plm_link *links = st->queues.links;
	plm_id sticky = plm_cluster_queue_at(st, queue)->sticky;
	int order = plm_afs_order(st, (plm_id){links[a].local}, (plm_id){links[b].local});

	if (order != 0) {
		return order < 0;
	}
	if (sticky_waits(st, queue) && (a == sticky.n || b == sticky.n)) {
		return a == sticky.n;
	}
	return earlier(st, a, b) == a;
}

/* kueue.md 2.3 under admission fair sharing: the LocalQueue that has used least has the first word. */
static void first_by_usage(struct plm_round *round, uint32_t *first)
{
	const struct plm_state *st = round->st;

	for (uint32_t n = 1; n < st->queues.local_count; n++) {
		const struct plm_local_cell *cell = &st->queues.locals[n];
		uint32_t workload = top(&cell->lane);

		if (workload == 0) {
			continue;
		}
		if (cell->work != 0 && lane_full(st, (plm_id){cell->work})) {
			say_full(round, (plm_id){cell->work}, workload);
			continue;
		}
		workload = sticky_or(st, (plm_id){cell->queue}, (plm_id){n}, workload);
		if (first[cell->queue] == 0 ||
		    used_less(st, (plm_id){cell->queue}, workload, first[cell->queue])) {
			first[cell->queue] = workload;
		}
	}
}

/* The first of each ClusterQueue, by its slot: first the WorkQueues' lanes, then the queues' own. */
static uint32_t *first_of_queues(struct plm_round *round)
{
	const struct plm_state *st = round->st;
	uint32_t *first = PLM_NEW_ARRAY(round->arena, plm_cluster_queue_bound(st), uint32_t);

	PLM_EACH(st, work_queue, work)
	{
		uint32_t workload = top(plm_queue_index_lane(st, work));
		uint32_t queue = workload == 0 ? 0 : st->queues.links[workload].queue;

		if (queue != 0 && lane_full(st, work)) {
			say_full(round, work, workload);
		} else if (queue != 0) {
			first[queue] = earlier(st, first[queue], workload);
		}
	}
	first_by_usage(round, first);
	PLM_EACH(st, cluster_queue, queue)
	{
		if (plm_afs_on(st, queue)) {
			continue;
		}
		if (sticky_waits(st, queue)) {
			first[queue.n] = plm_cluster_queue_at(st, queue)->sticky.n;
		} else {
			first[queue.n] = earlier(st, first[queue.n],
						 top(&plm_queue_index_cell(st, queue)->lane));
		}
	}
	return first;
}

bool plm_heads_collect(struct plm_round *round)
{
	const struct plm_state *st = round->st;
	uint32_t *first = first_of_queues(round);
	uint8_t *wanted = PLM_NEW_ARRAY(round->arena, plm_cluster_queue_bound(st), uint8_t);

	PLM_EACH(st, cluster_queue, queue)
	{
		if (first[queue.n] != 0 && plm_skeleton_active(st, queue)) {
			wanted[queue.n] = 1;
			round->count++;
		}
	}
	if (round->count == 0) {
		return false;
	}
	plm_quotas_make(&round->snap, st, round->arena, wanted, false);
	round->entries = PLM_NEW_ARRAY(round->arena, round->count, struct plm_entry);
	round->count = 0;
	PLM_EACH(st, cluster_queue, queue)
	{
		if (wanted[queue.n]) {
			struct plm_entry *entry = &round->entries[round->count++];

			entry->workload = (plm_id){first[queue.n]};
			entry->node = round->snap.queue_nodes[queue.n];
			entry->need = PLM_UNSET;
			entry->have = PLM_UNSET;
			entry->limit = PLM_UNSET;
		}
	}
	return true;
}

/* ---- checks before the assessment -------------------------------------------------------------- */

static bool has_claims(const struct plm_state *st, const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = 0;

		if (PLM_SPAN(st, sets[i].shape, struct plm_shape, &one)->has_claims == 1) {
			return true;
		}
	}
	return false;
}

bool plm_heads_check(const struct plm_round *round, struct plm_entry *entry,
		     enum plm_requeue *out_how)
{
	const struct plm_state *st = round->st;
	const struct plm_workload *workload = plm_workload_at(st, entry->workload);
	const struct plm_cluster_queue *queue = plm_quotas_queue(&round->snap, entry->node);
	plm_id ns = plm_find(st, PLM_KIND_NAMESPACE, (plm_sym){0}, workload->object.ns);
	enum plm_check_state state = PLM_CHECK_READY;

	*out_how = PLM_REQUEUE_GENERIC;
	if (plm_checks_failed(st, workload, &state, &entry->key.object)) {
		plm_why_none(entry, PLM_RULE_CHECK_FAILED, PLM_REASON_PENDING_EVALUATION);
		return false;
	}
	entry->key.object = queue->object.name;
	if (ns.n == 0) {
		entry->key.object = workload->object.ns;
		plm_why_none(entry, PLM_RULE_NAMESPACE_MISSING, PLM_REASON_MISCONFIGURED);
		return false;
	}
	if (!plm_selector_matches(st, &queue->ns_selector,
				  plm_namespace_at(st, ns)->object.labels)) {
		*out_how = PLM_REQUEUE_NAMESPACE_MISMATCH;
		plm_why_none(entry, PLM_RULE_NAMESPACE_SELECTOR, PLM_REASON_MISCONFIGURED);
		return false;
	}
	if (plm_root(st)->device_classes == 1 && has_claims(st, workload)) {
		plm_why_none(entry, PLM_RULE_CLAIMS_NOT_COUNTED, PLM_REASON_MISCONFIGURED);
		return false;
	}
	return plm_limits_check(round, entry);
}
