/*
 * life.h - decisions of the life cycle that need no round
 *
 * Owns: evictions that nobody asked quota for (deactivation, checks, maximum execution time, pods that
 * are not ready), the end of what keeps an evicted workload parked, workloads without their owner,
 * blockAdmission. Does not: preempt, drain queues (policy.c does), fold. Source: kueue.md 2.10 (12), 2.14.
 */
#ifndef PLM_REDUCERS_ADMISSION_LIFE_H
#define PLM_REDUCERS_ADMISSION_LIFE_H

#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"

/* A workload that holds quota and is not evicted; true when something was decided about it. */
bool plm_life_look_at_holder(struct plm_round *round, plm_id workload);
/* One that waits, on its 'route'; true when something was decided about it. */
bool plm_life_look_at_waiting(struct plm_round *round, plm_id workload,
			      const struct plm_route *route);
/* Evict a holder because a queue is drained. */
void plm_life_drain(struct plm_round *round, plm_id workload, enum plm_reason reason);

/* Pods of others are waited for (blockAdmission): 'entry' says so. */
bool plm_life_blocks(const struct plm_round *round, struct plm_entry *entry);

#endif
