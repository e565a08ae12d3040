/*
 * turn.h - which of the workloads that wait in a ClusterQueue is tried first
 *
 * Owns: the whole order of kueue.md 2.3: usage of their LocalQueues where that counts, the queue's
 * preemptor, priority, time, UID. For lists that people read and positions; a round takes its heads from
 * the heaps of core/queue_index.h, which keep the same order (tests compare).
 */
#ifndef PLM_REDUCERS_ADMISSION_TURN_H
#define PLM_REDUCERS_ADMISSION_TURN_H

#include "core/state.h"

/* What the order looks at, read once: a queue is found by following names. */
struct plm_turn {
	plm_id workload, local;
	plm_id cluster; /* 0 = it is not in the line of any queue */
	int64_t since_ms;
};

/* Of a pending workload. */
struct plm_turn plm_turn_of(const struct plm_state *st, plm_id workload);
/* <0: 'a' is first. Both wait in the same ClusterQueue. */
int plm_turn_order(const struct plm_state *st, const struct plm_turn *a, const struct plm_turn *b);

#endif
