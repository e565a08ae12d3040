/*
 * explain.h - why a workload stands where it stands, computed anew
 *
 * Owns: the answer of `why` with fresh operands: the same pure functions that a round runs, on a
 * snapshot of one tree, deciding nothing. Works on any loaded state: it reads the tables only, not the
 * queue index. Source: exact.md 3; kueue.md 3.5 (positions).
 */
#ifndef PLM_REDUCERS_ADMISSION_EXPLAIN_H
#define PLM_REDUCERS_ADMISSION_EXPLAIN_H

#include "core/state.h"

#define PLM_POSITION_AHEAD_MAX 8

/* One FR of the queue that the workload waits in or holds quota of. */
struct plm_admission_usage {
	plm_sym flavor, resource;
	int64_t nominal, borrowing, lending; /* limits PLM_UNSET = none */
	int64_t used;			     /* held by workloads of the queue */
	int64_t available;		     /* to it now, borrowing included; never negative */
};

struct plm_admission_position {
	plm_id cluster_queue; /* 0 = none: the other members are then zero */
	uint32_t position;    /* 1 = the first of the queue; 0 = it does not wait there */
	uint32_t waiting;     /* workloads that wait in the queue */
	plm_id ahead[PLM_POSITION_AHEAD_MAX]; /* the first of those before it, in order */
	uint32_t ahead_count;
	struct plm_vec usage; /* struct plm_admission_usage, in the order of the queue's groups */
};

/*
 * Explain 'workload' into 'out' and 'pos' (either may be NULL); lists live in 'scratch', texts in state.
 * False when the slot is free or the workload has finished.
 */
bool plm_admission_explain(const struct plm_state *st, plm_id workload, struct plm_arena *scratch,
			   struct plm_w_explain *out, struct plm_admission_position *pos);

#endif
