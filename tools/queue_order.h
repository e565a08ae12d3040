/*
 * queue_order.h - where a pending workload stands
 *
 * Owns: the ClusterQueue that a workload is bound for, through its LocalQueue and WorkQueue, and its
 * position in its line (reducers/admission/turn.h).
 */
#ifndef PLM_TOOLS_QUEUE_ORDER_H
#define PLM_TOOLS_QUEUE_ORDER_H

#include "core/state.h"

/* 0 when a link of the way is missing. */
plm_sym plm_queue_of(const struct plm_state *st, const struct plm_workload *workload);
/* Is it waiting for quota? */
bool plm_is_pending(const struct plm_workload *workload);

/* The pending workloads of all queues, by queue name, then standing. */
struct plm_queue_order {
	uint32_t *ids; /* arena: workloads */
	uint32_t *
		positions; /* arena: by workload, 1 ..., 0 = in no line: gated, deactivated, or its queue is missing */
	plm_sym *queues; /* arena: by workload, the ClusterQueue of the pending ones */
	uint32_t count;
};
struct plm_queue_order plm_queue_order(const struct plm_state *st, struct plm_arena *arena);

#endif
