/*
 * taint.h - taints and tolerations, as kube-scheduler and Karpenter read them (karpenter.md 2.6, 2.8)
 */
#ifndef PLM_REDUCERS_SCHED_TAINT_H
#define PLM_REDUCERS_SCHED_TAINT_H

#include "reducers/sched/known.h"

struct plm_taints {
	const struct plm_taint *list; /* borrowed or arena */
	uint32_t count;
};

struct plm_tolerations {
	const struct plm_toleration *list; /* borrowed or arena */
	uint32_t count;
	bool all_soft; /* every PreferNoSchedule taint is tolerated besides */
};

struct plm_taints plm_taints_of(const struct plm_sched *sched, plm_sym span);
/* Does one of 'tolerations' tolerate 'taint'? PreferNoSchedule counts as any other effect. */
bool plm_taint_tolerated(const struct plm_sched *sched, const struct plm_taint *taint,
			 const struct plm_tolerations *tolerations);
/* The first taint that is not tolerated, NULL when all are. */
const struct plm_taint *plm_taints_refuse(const struct plm_sched *sched,
					  const struct plm_taints *taints,
					  const struct plm_tolerations *tolerations);
/* Of a node that is starting: goes away by itself once it has come up. */
bool plm_taint_ephemeral(const struct plm_sched *sched, const struct plm_taint *taint);
static inline bool plm_taint_equal(const struct plm_taint *a, const struct plm_taint *b)
{
	return a->key.n == b->key.n && a->value.n == b->value.n && a->effect == b->effect;
}

#endif
