/*
 * requirement.h - the algebra of label requirements
 *
 * One requirement per key says which values a label may have: a set of values, or everything but a set
 * (complement), within integer bounds; a label that must not be there is the empty set. Sets of
 * requirements hold one per key. Karpenter's rules to the letter: karpenter.md 2.4, with its
 * asymmetry (the left side of plm_reqs_compatible() is the supplier).
 * Owns: nothing; results live in sched->arena and are never written after. No order of symbols is
 * visible in a result.
 */
#ifndef PLM_REDUCERS_SCHED_REQUIREMENT_H
#define PLM_REDUCERS_SCHED_REQUIREMENT_H

#include "reducers/sched/known.h"

#define PLM_NO_GTE INT64_MIN
#define PLM_NO_LTE INT64_MAX

struct plm_req {
	plm_sym key;
	uint32_t complement; /* 1: every value but 'values' */
	uint32_t count;
	uint32_t min_values;   /* 0 = none */
	int64_t gte, lte;      /* PLM_NO_GTE, PLM_NO_LTE = unbounded */
	const plm_sym *values; /* arena or borrowed from state; by number, unique */
};

/* By key number, one per key. */
struct plm_reqs {
	const struct plm_req *list;
	uint32_t count;
};

/* ---- one requirement ---- */

/* 'values' in any order; older names of keys are rewritten. Gt, Lt, Gte, Lte need one integer: else empty. */
struct plm_req plm_req_make(const struct plm_sched *sched, plm_sym key, enum plm_op op,
			    const plm_sym *values, uint32_t count);
struct plm_req plm_req_of(const struct plm_sched *sched, const struct plm_expr *expr);
struct plm_req plm_req_exists(plm_sym key);
/* In, NotIn, Exists or DoesNotExist. */
enum plm_op plm_req_op(const struct plm_req *req);
/* May the label have 'value'? */
bool plm_req_has(const struct plm_sched *sched, const struct plm_req *req, plm_sym value);
/* Both at once; keys must be equal. */
struct plm_req plm_req_intersect(const struct plm_sched *sched, const struct plm_req *a,
				 const struct plm_req *b);
/* Is plm_req_intersect() not empty? Two complements always meet when their bounds do. */
bool plm_req_meets(const struct plm_sched *sched, const struct plm_req *a, const struct plm_req *b);
bool plm_req_equal(const struct plm_req *a, const struct plm_req *b);

/* ---- sets ---- */

/* NULL when the key has none (then every value will do). */
const struct plm_req *plm_reqs_get(const struct plm_reqs *set, plm_sym key);
/* 'set' with 'req' intersected into its key. */
struct plm_reqs plm_reqs_add(const struct plm_sched *sched, const struct plm_reqs *set,
			     const struct plm_req *req);
/* Both sets, key by key. */
struct plm_reqs plm_reqs_merge(const struct plm_sched *sched, const struct plm_reqs *a,
			       const struct plm_reqs *b);
struct plm_reqs plm_reqs_of_exprs(const struct plm_sched *sched, plm_sym exprs);
struct plm_reqs plm_reqs_of_labels(const struct plm_sched *sched, plm_sym labels);
/* Keys in both must meet. '*bad' (may be NULL) is a key that does not. */
bool plm_reqs_meet(const struct plm_sched *sched, const struct plm_reqs *a,
		   const struct plm_reqs *b, plm_sym *bad);
/* Can supplier 'a' give what 'b' asks? 'known_ok': well-known labels need not be mentioned by 'a'. */
bool plm_reqs_compatible(const struct plm_sched *sched, const struct plm_reqs *a,
			 const struct plm_reqs *b, bool known_ok, plm_sym *bad);

#endif
