/*
 * explain.h - why a node is not removed: the first rule, in the order in which they are asked, that keeps it
 *
 * Owns: nothing; it asks the filter, the timers, emptiness and budgets on the state of any point. Does
 * not: compose a sentence.
 */
#ifndef PLM_REDUCERS_DISRUPTION_EXPLAIN_H
#define PLM_REDUCERS_DISRUPTION_EXPLAIN_H

#include "reducers/disruption/candidate.h"

struct plm_removal {
	struct plm_candidate candidate;
	struct plm_w_explain why; /* rule EMPTY_NODE: nothing keeps it, it goes in the next cycle */
	int64_t until_ms;	  /* what keeps it ends by itself then; PLM_UNSET = not by time */
	int64_t consolidatable_ms; /* PLM_UNSET = never, or not known */
	int64_t expires_ms;	   /* PLM_UNSET = never */
	struct plm_ratio lifetime; /* what is left of its life */
};

void plm_removal_explain(const struct plm_state *st, struct plm_arena *arena, plm_id node,
			 struct plm_removal *out);

#endif
