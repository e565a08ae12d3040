/*
 * orphan.h - instances that no claim knows
 *
 * Owns: table INSTANCE, which holds the instances of this cluster (by their tags) that have no claim; whether
 * one belongs to a claim after all (by its launch token or its claim tag); its termination.
 *
 * One is an orphan when it is old: older than twice the time that launched instances lately took to be
 * listed, by the facts about them, and than PLM_LIMIT_ORPHAN_AGE_MS.
 * Nothing is terminated before all claims were listed in this epoch and while a source is away: a fresh log
 * knows no claims at all. Sources: karpenter.md 2.13 (GC), 4.3, 10 (4).
 */
#ifndef PLM_REDUCERS_PROVISION_ORPHAN_H
#define PLM_REDUCERS_PROVISION_ORPHAN_H

#include "reducers/cluster/parts.h"
#include "reducers/provision/life.h"

/* ---- fold ---- */
void plm_orphan_fold_instance(struct plm_state *st, const struct plm_fold *fold,
			      const struct plm_w_instance *w, int64_t now_ms);
void plm_orphan_fold(struct plm_state *st, const struct plm_w_orphan *w);
/* Does the cloud say that there is no such instance (any more)? Any other failure leaves it running. */
bool plm_orphan_unknown(const struct plm_w_result *w);
/* What became of the termination of 'provider_id'. */
void plm_orphan_fold_result(struct plm_state *st, plm_sym provider_id,
			    const struct plm_w_result *w);
/* A claim has that instance. */
void plm_orphan_known(struct plm_state *st, plm_sym provider_id);

/* ---- cycle ---- */
void plm_orphan_step(const struct plm_life *life);
/* When the next one is old enough; PLM_UNSET when there is none. */
int64_t plm_orphan_due(const struct plm_state *st);

#endif
