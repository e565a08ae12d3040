/*
 * pod_limits.h - what a pod is counted for once its namespace and runtime class have had their say
 *
 * Owns: the defaults of LimitRanges and the overhead of RuntimeClasses on one pod shape, the sum that
 * follows, and which bound the result breaks. Does not: keep or fold those objects (fold.h), decide what
 * a breach means (admission). Source: kueue.md 2.1 (1-4), 2.5 (3).
 */
#ifndef PLM_REDUCERS_CLUSTER_POD_LIMITS_H
#define PLM_REDUCERS_CLUSTER_POD_LIMITS_H

#include "core/event.h"
#include "core/exact.h"
#include "core/state.h"

/* NULL or 0 where there is none. */
struct plm_pod_limits {
	const struct plm_limit_item *container, *pod;
	plm_sym overhead; /* span of plm_amount, of the pod or its runtime class */
};

/* A bound that is broken, the first in the order of the pod spec, then by resource name. */
struct plm_breach {
	enum plm_rule rule;	       /* LIMITS, LIMIT_RANGE_MAX, .._MIN; NONE = no breach */
	enum plm_container_role where; /* POD: the pod as a whole */
	uint32_t index;		       /* of the container in its list */
	plm_sym resource;
	int64_t need, limit; /* in the unit of the resource */
};

struct plm_pod_exam {
	struct plm_asks requests;	 /* keys are numbers of symbols */
	struct plm_breach limits, range; /* one of each kind */
};

/* What applies to pods of 'shape' in namespace 'ns'. */
struct plm_pod_limits plm_pod_limits_of(const struct plm_state *st, plm_sym ns,
					const struct plm_shape *shape);
/* Lists live in 'arena'. */
struct plm_pod_exam plm_pod_examine(const struct plm_state *st, const struct plm_shape *shape,
				    const struct plm_pod_limits *limits, struct plm_arena *arena);
/* A span of plm_amount, by resource name. */
plm_sym plm_pod_asks_intern(struct plm_state *st, const struct plm_asks *asks,
			    struct plm_arena *scratch);

#endif
