/*
 * claims.h - a claim's life: wanted, launched, joined, ready, ending (karpenter.md 2.13, 3.14)
 *
 * Owns: the phase of a claim, its link to a node, what results mean for it, the batch window of
 * pending pods. The functions with a writable state are for apply().
 */
#ifndef PLM_REDUCERS_PROVISION_CLAIMS_H
#define PLM_REDUCERS_PROVISION_CLAIMS_H

#include "reducers/cluster/parts.h"

/* A node came or changed: it may be the one of a claim. */
void plm_claim_join(struct plm_state *st, plm_id node, int64_t now_ms);
/* A claim came or changed: its node may be there already. */
void plm_claim_join_by_claim(struct plm_state *st, plm_id claim, int64_t now_ms);
void plm_claim_node_gone(struct plm_state *st, plm_id claim, int64_t now_ms);
/* An instance that was launched for the claim and of which it did not know. */
void plm_claim_found(struct plm_state *st, const struct plm_fold *fold, plm_id claim,
		     const struct plm_w_instance *w, int64_t now_ms);
/* Nothing runs for the claim any more. */
void plm_claim_instance_gone(struct plm_state *st, plm_id claim);
void plm_claim_fold_result(struct plm_state *st, const struct plm_fold *fold,
			   const struct plm_w_result *w, int64_t now_ms);
/* The claim of 'node' remembers that its node was, or was not, told to take no more pods. */
void plm_claim_cordon(struct plm_state *st, plm_sym node, bool told);
/* Free a claim that has ended once nothing of it is left. */
void plm_claim_settle(struct plm_state *st, plm_id claim);
/* The batch window of pending pods: karpenter.md 2.2. */
void plm_batch_touch(struct plm_state *st, const struct plm_event *ev, int64_t now_ms);
/* When the open window closes; PLM_UNSET = it is not open. */
int64_t plm_batch_due(const struct plm_state *st);

#endif
