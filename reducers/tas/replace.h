/*
 * replace.h - a place for the pods of a node that failed
 *
 * Owns: what stays of an assignment, and within which domain its lost pods have to be: kueue.md 2.15
 * (node replacement). Does not: know why the node counts as failed, or what happens without a place.
 */
#ifndef PLM_REDUCERS_TAS_REPLACE_H
#define PLM_REDUCERS_TAS_REPLACE_H

#include "reducers/tas/plan.h"

/* Pods in a leaf. */
struct plm_tas_share {
	uint32_t leaf;
	int64_t count;
};

/* What an ask was given: all of it, and what of it is new. By leaf. */
struct plm_tas_placed {
	struct plm_tas_tree *tree; /* NULL: nothing yet */
	struct plm_tas_share *shares, *fresh;
	uint32_t count, fresh_count;
};

/* Make the plan of 'ask', with 'leader' (may be NULL); 'empty' and 'assuming' are set before. */
enum plm_tas_verdict plm_tas_plan_make(struct plm_tas_plan *plan, struct plm_tas_tree *tree,
				       const struct plm_tas_ask *ask,
				       const struct plm_tas_ask *leader,
				       struct plm_tas_failure *why);
/* Carry it out: the leaves used, in order, with what they got in their counts. */
bool plm_tas_run(struct plm_tas_plan *plan, struct plm_tas_list *leaves,
		 struct plm_tas_failure *why);
/* What the leaves got, of the leader or of the workers. Arena. */
struct plm_tas_share *plm_tas_shares(const struct plm_tas_plan *plan,
				     const struct plm_tas_list *leaves, bool leaders,
				     uint32_t *out_count);

/* Place the pods that 'ask' lost; the others stay where they are. */
bool plm_tas_replace(struct plm_tas_tree *tree, const struct plm_tas_ask *ask, bool assuming,
		     struct plm_tas_placed *out, struct plm_tas_failure *why);

#endif
