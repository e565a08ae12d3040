/*
 * apply.h - what the folds of admission's decisions and of facts share
 *
 * Owns: apply.c folds facts and calls apply_decision.c for decisions. Both move workloads between queues,
 * and so both say what that means for the others there. Source: kueue.md 2.3, 2.4, 2.6 (generation), 2.14.
 */
#ifndef PLM_REDUCERS_ADMISSION_APPLY_H
#define PLM_REDUCERS_ADMISSION_APPLY_H

#include "reducers/cluster/life.h"

struct plm_admission_folding {
	struct plm_state *st;
	struct plm_arena *scratch;
	const struct plm_event *ev;
};

/* apply_decision.c */
void plm_admission_fold_decision(const struct plm_admission_folding *in);
/* +1 for the queue: cursors of its workloads are old. */
void plm_admission_generation(struct plm_state *st, plm_id queue);
/* A workload is no longer in 'queue', whose quota it held, or has left the queues for good. */
void plm_admission_left(struct plm_state *st, plm_id queue);
/* The queue that 'workload' was the preemptor of has none any more. */
void plm_admission_unstick(struct plm_state *st, plm_id workload);

/* apply.c: somebody outside has changed it. */
void plm_admission_changed(struct plm_state *st, plm_id workload);

static inline plm_id plm_admission_find(const struct plm_state *st, struct plm_slice ns,
					struct plm_slice name)
{
	return plm_find(st, PLM_KIND_WORKLOAD, plm_sym_find(st, ns), plm_sym_find(st, name));
}

static inline struct plm_fold plm_admission_fold(const struct plm_admission_folding *in)
{
	return (struct plm_fold){in->st, in->scratch};
}

#endif
