/*
 * adopt.h - claims and nodes that somebody else made are ours: stamps, lists, the ends of their objects
 *
 * Owns: the string by which our hashes are told from Karpenter's, restamping in the order pool, class,
 * claims; what a complete list, an absence of a source and a new epoch mean; deletion of claim objects and
 * of our finalizer on them; the marks of what was asked for and has not been answered.
 * Does not: decide on drift. A stamp of a foreign version says nothing about drift (karpenter.md 0 (9)), so
 * a fleet of Karpenter's is taken over as it is, and Karpenter takes it back in the same way.
 * Sources: karpenter.md 0 (9), 1.2, 10 (1-4, 8).
 */
#ifndef PLM_REDUCERS_PROVISION_ADOPT_H
#define PLM_REDUCERS_PROVISION_ADOPT_H

#include "reducers/cluster/parts.h"
#include "reducers/provision/life.h"

#define PLM_HASH_VERSION "plimsoll-1"
#define PLM_POOL_HASH "karpenter.sh/nodepool-hash"
#define PLM_CLASS_HASH "karpenter.k8s.aws/ec2nodeclass-hash"

/* ---- fold ---- */
/* A claim begins: its timeouts count from here on what its sources are away. */
void plm_adopt_begin(struct plm_state *st, plm_id claim, int64_t now_ms);
/* A fact about a claim: what its labels say of its instance. */
void plm_adopt_fold_claim(struct plm_state *st, plm_id claim);
void plm_adopt_fold_epoch(struct plm_state *st);
void plm_adopt_fold_listed(struct plm_state *st, const struct plm_fold *fold,
			   const struct plm_w_listed *w, int64_t now_ms);
/* An intent was written, or it came to nothing: it may be asked for again. */
void plm_adopt_asked(struct plm_state *st, const struct plm_w_intent *w);
void plm_adopt_undone(struct plm_state *st, const struct plm_intent *intent);

/* ---- cycle ---- */
void plm_adopt_step(const struct plm_life *life);

#endif
