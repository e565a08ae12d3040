#include "reducers/admission/turn.h"

#include "reducers/admission/afs.h"
#include "reducers/admission/queue.h"

struct plm_turn plm_turn_of(const struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct plm_route route = plm_queue_route(st, workload);

	PLM_ASSERT(workload->stage == PLM_STAGE_PENDING);
	return (struct plm_turn){
		.workload = id,
		.local = route.local,
		.cluster = route.rule == PLM_RULE_NONE ? route.cluster : (plm_id){0},
		.since_ms = plm_queue_since(st, workload),
	};
}

int plm_turn_order(const struct plm_state *st, const struct plm_turn *a, const struct plm_turn *b)
{
	const struct plm_cluster_queue *queue = plm_cluster_queue_at(st, a->cluster);
	const struct plm_workload *left = plm_workload_at(st, a->workload);
	const struct plm_workload *right = plm_workload_at(st, b->workload);
	int order = 0;

	PLM_ASSERT(a->cluster.n == b->cluster.n && a->cluster.n != 0);
	if (a->workload.n == b->workload.n) {
		return 0;
	}
	order = plm_afs_on(st, a->cluster) ? plm_afs_order(st, a->local, b->local) : 0;
	if (order != 0) {
		return order;
	}
	if (queue->strategy == PLM_STRATEGY_BEST_EFFORT_FIFO &&
	    (queue->sticky.n == a->workload.n || queue->sticky.n == b->workload.n)) {
		return queue->sticky.n == a->workload.n ? -1 : 1;
	}
	if (left->priority != right->priority) {
		return left->priority > right->priority ? -1 : 1;
	}
	if (a->since_ms != b->since_ms) {
		return a->since_ms < b->since_ms ? -1 : 1;
	}
	order = plm_sym_compare(st, left->object.uid, right->object.uid);
	return order != 0 ? order : (a->workload.n < b->workload.n ? -1 : 1);
}
