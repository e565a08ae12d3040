/*
 * affinity.h - what a pod shape asks of a node, and the ladder of preferences it lets go
 *
 * An ask is one state of a shape: preferences that are still held count as requirements. Each failure
 * lets one go, always in the same order (karpenter.md 2.5), so the states of a shape form one chain.
 * Owns: nothing; asks live in sched->arena.
 */
#ifndef PLM_REDUCERS_SCHED_AFFINITY_H
#define PLM_REDUCERS_SCHED_AFFINITY_H

#include "reducers/sched/requirement.h"
#include "reducers/sched/taint.h"

struct plm_ask {
	struct plm_reqs reqs;	/* selector, first required term, heaviest preference */
	struct plm_reqs strict; /* the same without the preference */
	struct plm_tolerations tolerations;
	uint32_t required_from; /* index of the required term in force */
	/* What is still held, as orders of indexes: heaviest first; spread in the order of the pod. */
	const uint32_t *preferred;
	const uint32_t *affinity;
	const uint32_t *anti_affinity;
	const uint32_t *spread;
	uint32_t preferred_count, affinity_count, anti_affinity_count, spread_count;
	bool impossible; /* better: what is required contradicts itself, so no node has it */
};

/* Flags of plm_ask_first(). */
enum plm_ask_mode {
	PLM_ASK_RESPECT, /* preferences are tried first */
	PLM_ASK_IGNORE,	 /* preferences are dropped: PREFERENCE_POLICY=Ignore */
};

struct plm_ask plm_ask_first(const struct plm_sched *sched, const struct plm_shape *shape,
			     enum plm_ask_mode mode);
/*
 * The state after one preference was let go. 'soft_taints': some pool has a PreferNoSchedule taint.
 * False: there is none left, '*next' is untouched.
 */
bool plm_ask_relax(const struct plm_sched *sched, const struct plm_shape *shape,
		   const struct plm_ask *ask, bool soft_taints, struct plm_ask *next);
/* Has the shape a required term that uses node fields (which Karpenter refuses)? */
bool plm_shape_uses_fields(const struct plm_sched *sched, const struct plm_shape *shape);

#endif
