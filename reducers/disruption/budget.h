/*
 * budget.h - how many nodes of a pool may be disrupted at once: karpenter.md 3.9
 */
#ifndef PLM_REDUCERS_DISRUPTION_BUDGET_H
#define PLM_REDUCERS_DISRUPTION_BUDGET_H

#include "reducers/sched/known.h"

/* The dialect removes a node that was empty for so long. */
#define PLM_EMPTY_DIALECT_MS (10 * 60 * 1000)

/* Nodes that 'pool' allows to go now for 'reason' ("Empty"); INT64_MAX = no bound. */
int64_t plm_budget_left(const struct plm_sched *sched, plm_id pool, const char *reason,
			int64_t now_ms);

#endif
