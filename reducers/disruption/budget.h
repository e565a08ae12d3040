/*
 * budget.h - how many nodes of a pool may be disrupted at once: karpenter.md 3.9
 *
 * Owns: which budgets are in force for a reason and at a time, what they allow, what is already on its
 * way, and when a window opens or closes next. Does not: know which nodes may go, or remove any.
 */
#ifndef PLM_REDUCERS_DISRUPTION_BUDGET_H
#define PLM_REDUCERS_DISRUPTION_BUDGET_H

#include "reducers/sched/known.h"

/* Of a pool, for one reason and at one time. */
struct plm_allowance {
	int64_t allowed;   /* by the budget that allows least; INT64_MAX = no bound */
	int64_t nodes;	   /* that percentages are of: initialized, not being terminated */
	int64_t going;	   /* of these: not ready, or on their way out */
	int64_t left;	   /* what may go now; INT64_MAX = no bound */
	uint32_t budget;   /* index of the budget that binds, when 'allowed' is a bound */
	int64_t change_ms; /* the next time a window opens or closes; PLM_UNSET = none does */
};

/* For 'reason' ("Empty"). */
struct plm_allowance plm_budget_allowance(const struct plm_sched *sched, plm_id pool,
					  const char *reason, int64_t now_ms);

struct plm_window {
	bool open;
	bool bad;	   /* it cannot be read: its budget then allows nothing, at all times */
	int64_t change_ms; /* when it may open or close next; PLM_UNSET = it does not */
};

/*
 * Is the window that 'schedule' opens for 'duration_ms' open at 'now_ms'? It is when the schedule has hit
 * in the time (now - duration, now]; without a schedule always, and so with one that never hits, which
 * is upstream's reading.
 */
struct plm_window plm_budget_window(struct plm_slice schedule, int64_t duration_ms, int64_t now_ms);

#endif
