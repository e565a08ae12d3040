/*
 * claim_condition.h - the conditions that a NodeClaim has on its way out, as a client of Karpenter expects
 *
 * Owns: Drained, VolumesDetached and InstanceTerminating with status, reason and time, from state alone.
 * Does not: write them. Source: karpenter.md 3.14; the spellings are upstream's.
 */
#ifndef PLM_REDUCERS_STATUS_CLAIM_CONDITION_H
#define PLM_REDUCERS_STATUS_CLAIM_CONDITION_H

#include "core/state.h"

struct plm_claim_condition {
	const char *type;   /* static */
	const char *status; /* "True", "False", "Unknown" */
	const char *reason; /* upstream's; that of a condition that is True is its type */
	int64_t since_ms;
};

#define PLM_CLAIM_CONDITIONS_MAX 3

struct plm_claim_conditions {
	struct plm_claim_condition
		list[PLM_CLAIM_CONDITIONS_MAX]; /* in the order in which they come */
	uint32_t count;
};

void plm_status_claim_conditions(const struct plm_node_claim *claim,
				 struct plm_claim_conditions *out);

#endif
