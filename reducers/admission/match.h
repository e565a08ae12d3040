/*
 * match.h - does a pod template go with a flavor?
 *
 * Source: kueue.md 2.6 c (eligibility).
 */
#ifndef PLM_REDUCERS_ADMISSION_MATCH_H
#define PLM_REDUCERS_ADMISSION_MATCH_H

#include "core/state.h"

/* Why not: rule NONE, FLAVOR_TAINT or FLAVOR_AFFINITY, and the key of the taint or label. */
struct plm_mismatch {
	enum plm_rule rule;
	plm_sym key;
};

/* Does one of the span of plm_toleration tolerate the taint? */
bool plm_match_tolerates(const struct plm_state *st, plm_sym tolerations,
			 const struct plm_taint *taint);
/* 'flavor' may be NULL: a flavor without object, labels and taints. */
struct plm_mismatch plm_match_flavor(const struct plm_state *st, const struct plm_flavor *flavor,
				     const struct plm_shape *shape);

#endif
