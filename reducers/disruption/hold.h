/*
 * hold.h - replacement first: pods of a node that goes stay until their new places are ready
 *
 * Owns: when they stop staying: every pod that needs another place has one that is ready, or the claim's
 * 'hold_until_ms' has come, or its deadline. Does not: plan the places (provisioning does, from the moment
 * that the claim ends), or say how long is worth waiting (forced.c does). Used by drain.c only.
 */
#ifndef PLM_REDUCERS_DISRUPTION_HOLD_H
#define PLM_REDUCERS_DISRUPTION_HOLD_H

#include "reducers/disruption/evict.h"

/* True: nobody is evicted yet; 'out' says what is waited for. */
bool plm_hold_pods(const struct plm_leaving *l, const struct plm_node_claim *claim,
		   const struct plm_leaving_node *on, struct plm_drain_wait *out);

#endif
