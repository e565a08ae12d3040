/*
 * launch.h - which offers one launch asks for
 *
 * Owns: what Karpenter's AWS provider does between a claim and its fleet request: filters in order, the cut to
 * PLM_LIMIT_LAUNCH_TYPES types, the capacity type, the strategy. Sources: karpenter.md 2.11 (AWS Create).
 * Does not: say which types a claim may become (claim_plan.c), nor which offer is taken: the cloud does.
 */
#ifndef PLM_REDUCERS_PROVISION_LAUNCH_H
#define PLM_REDUCERS_PROVISION_LAUNCH_H

#include "reducers/provision/pass.h"

struct plm_launch_choice {
	struct plm_vec offers;	   /* struct plm_w_offer, cheapest first; empty: there is none */
	struct plm_slice strategy; /* the fleet's */
	struct plm_slice tenancy;
	int64_t price_micro; /* of the first; PLM_UNSET */
	plm_sym lacking;     /* without offers: the label of which minValues ask for more */
};

/* From 'count' types, in any order, within 'reqs'. All of it lies in the pass's arena. */
void plm_launch_choose(struct plm_pass *pass, const uint32_t *types, uint32_t count,
		       const struct plm_reqs *reqs, struct plm_launch_choice *out);

#endif
