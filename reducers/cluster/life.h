/*
 * life.h - the life cycle of a workload as facts and decisions change it
 *
 * Owns: the answers of admission checks, spec.active, the PodsReady condition with its deadline, pods that
 * are given back, counts of evictions. Does not: decide (reducers/admission/life.c does), move a workload
 * between stages (reducers/admission/apply.c does). All of it happens while an event is folded.
 * Source: kueue.md 2.14; docs/lifecycle.md has the states in one table.
 */
#ifndef PLM_REDUCERS_CLUSTER_LIFE_H
#define PLM_REDUCERS_CLUSTER_LIFE_H

#include "reducers/cluster/fold.h"

/* ---- facts ---- */
/* spec.active of a Workload fact: it counts when it differs from what the last fact said. */
void plm_life_active_told(struct plm_workload *workload, bool active);
/*
 * Answers of checks. 'whole' = this is the list, else only those named have changed. An answer that an
 * eviction has used up is not taken again.
 */
void plm_life_checks_told(const struct plm_folding *in, plm_id workload, struct plm_vec statuses,
			  bool whole);
/* Pods given back: while the workload holds quota the counts only grow. */
void plm_life_given_back(const struct plm_folding *in, plm_id workload, struct plm_vec counts);
void plm_life_reclaimable(const struct plm_fold *f, plm_id workload, plm_sym counts);
void plm_life_patch(const struct plm_folding *in, const struct plm_w_workload_patch *w);
/* Its job or its pods have changed: is PodsReady as it was? */
void plm_life_look_at_pods(struct plm_state *st, plm_id workload, int64_t at_ms);
/* Set the deadline of 'workload' from what is known of its pods. */
void plm_life_deadline(struct plm_state *st, plm_id workload);
/* The settings have changed: deadlines anew. */
void plm_life_settings(struct plm_state *st);
/* A ClusterQueue asks for other checks: answers to those that it no longer asks for are forgotten. */
void plm_life_checks_dropped(struct plm_state *st, plm_id cluster_queue, struct plm_arena *scratch);

/* ---- decisions, called by admission's fold ---- */
/* The workload is admitted now: its pods are waited for. */
void plm_life_admitted(struct plm_state *st, plm_id workload);
/* It gives its quota back because of 'w': what was answered is used up, what is owed is noted. */
void plm_life_evicted(struct plm_state *st, plm_id workload, const struct plm_w_evict *w,
		      struct plm_arena *scratch);
/* It has given its quota back. */
void plm_life_released(struct plm_state *st, plm_id workload, const struct plm_w_release *w);

/* How many pods of 'job' must be ready or have succeeded. */
int64_t plm_life_pods_wanted(const struct plm_job *job);

#endif
