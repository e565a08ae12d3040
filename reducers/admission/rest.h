/*
 * rest.h - why preemption comes to rest
 *
 * A turn begins when something outside changes what is wanted: a workload comes, goes or changes, a
 * queue, cohort, flavor, class, pool or setting does. What follows from our own decisions (an eviction
 * done, a job started, a node that joins) begins none. Not under strict compatibility:
 *
 *	Who has preempted, or was preempted, in this turn preempts nobody who was preempted in it.
 *
 * So of n workloads each has at most one free decision to preempt, of n victims at most, and every other
 * eviction of the turn takes a victim that had not been one: at most n * n + n evictions in a turn. An
 * admission needs a workload that is new or was evicted, so decisions end. Upstream has nothing like it;
 * its rules keep two workloads from preempting each other, not three, and fill-back breaks even
 * that (kueue.md 2.12).
 */
#ifndef PLM_REDUCERS_ADMISSION_REST_H
#define PLM_REDUCERS_ADMISSION_REST_H

#include "core/state.h"

static inline void plm_rest_outside(struct plm_state *st)
{
	plm_root_change(st)->turn++;
}

/* Turns are told from 1, so that a zeroed workload had none. */
static inline uint32_t plm_rest_turn(const struct plm_state *st)
{
	return plm_root(st)->turn + 1;
}

static inline bool plm_rest_spent(const struct plm_state *st, plm_id workload)
{
	return plm_workload_at(st, workload)->turn_spent == plm_rest_turn(st);
}

static inline bool plm_rest_preempted(const struct plm_state *st, plm_id workload)
{
	return plm_workload_at(st, workload)->turn_preempted == plm_rest_turn(st);
}

/* 'victim' is preempted by 'by' (0 = it is not known any more). */
static inline void plm_rest_preempt(struct plm_state *st, plm_id victim, plm_id by)
{
	struct plm_workload *workload = plm_workload_edit(st, victim);

	workload->turn_preempted = plm_rest_turn(st);
	workload->turn_spent = workload->turn_preempted;
	if (by.n != 0) {
		plm_workload_edit(st, by)->turn_spent = plm_rest_turn(st);
	}
}

#endif
