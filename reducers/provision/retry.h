/*
 * retry.h - effects on nodes, claims and their like that failed: when they may be asked for again
 *
 * Owns: the rows of table RETRY, one for each effect (call and object) that failed since it last came
 * about. Who asks for an effect marks its object as told and asks no more. When the effect fails, the mark
 * stays for a while, so that nobody asks at the rate of round trips; then it is taken back, and the next
 * cycle decides anew. Each failure in a row doubles the wait. Calls on one object share a row although they
 * may be on their way together (a node is told to register, then to be initialized): that one comes about
 * does not end the wait of another.
 * Does not: launches (claims.h), evictions (drain.h), terminations of claims, work (fold_intent.c).
 */
#ifndef PLM_REDUCERS_PROVISION_RETRY_H
#define PLM_REDUCERS_PROVISION_RETRY_H

#include "reducers/cluster/parts.h"

/* The first wait after a conflict: the object as it is now is on its way to us. */
#define PLM_RETRY_CONFLICT_MS 100LL

/* fold: a result. True: the effect failed, and what was told stays told until its wait is over. */
bool plm_retry_holds(struct plm_state *st, const struct plm_w_result *w, int64_t now_ms);
/* fold: an effect is asked for; what it had waited for is over. */
void plm_retry_asked(struct plm_state *st, const struct plm_w_intent *w);
/* fold: the clock moved on. */
void plm_retry_expire(struct plm_state *st, int64_t now_ms);
/* When the next wait is over; PLM_UNSET = nothing waits. */
int64_t plm_retry_next_due(const struct plm_state *st);

#endif
