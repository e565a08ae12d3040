/*
 * forced.h - ends of nodes that no budget holds back: karpenter.md 3.11
 *
 * Owns: age (expireAfter), what the cloud says of an instance, the end of a node pool; when each of these
 * ends a claim, and how long its pods may wait for their new places then. Does not: plan these places or
 * drain (drain.h, hold.h).
 */
#ifndef PLM_REDUCERS_DISRUPTION_FORCED_H
#define PLM_REDUCERS_DISRUPTION_FORCED_H

#include "core/out.h"
#include "reducers/sched/known.h"

/* An instance or system status that is impaired for so long ends its node, without a drain. */
#define PLM_IMPAIRED_MS (120LL * 1000)
/* Nodes of a capacity block go so long before its end. */
#define PLM_BLOCK_LEAD_MS (40LL * 60 * 1000)
/* EC2 ends them itself from 30 minutes before the end on: pods wait for their places this long at most. */
#define PLM_BLOCK_HOLD_MS (5LL * 60 * 1000)
/*
 * Before an instance is taken its pods leave at the latest: the usual 30 s of their grace period, and 15 s
 * for evictions to be made and heard of. Of two minutes 75 s are left to wait for the replacement.
 */
#define PLM_HOLD_BEFORE_END_MS (45LL * 1000)
/* Where nothing says when the instance goes, a replacement is waited for so long. */
#define PLM_HOLD_MOST_MS (10LL * 60 * 1000)
/* A replacement for a node that expires is planned so long before, a tenth of its life at most. */
#define PLM_EXPIRE_LEAD_MS (5LL * 60 * 1000)

/*
 * Does one of the first 'count' events of 'out' end or launch the claim 'name'? State does not say so before
 * they are folded: who comes later in the same step leaves the claim alone.
 */
bool plm_claim_decided(const struct plm_out *out, uint32_t count, struct plm_slice name);
/* End all claims whose time has come. */
void plm_forced_all(const struct plm_sched *sched, struct plm_out *out, int64_t now_ms);
/* When the next one's time comes; PLM_UNSET = never. */
int64_t plm_forced_next_due(const struct plm_state *st);

/* What the cloud said, at 'now_ms'. Said again, or too late, it changes nothing. */
void plm_forced_fold(struct plm_state *st, const struct plm_w_interruption *w, int64_t now_ms);
/* Another process: who is impaired is told anew, and nobody would say that it is over. */
void plm_forced_fold_epoch(struct plm_state *st);

#endif
