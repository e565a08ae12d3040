/*
 * afs.h - admission fair sharing: which LocalQueue has used less, with half-life
 *
 * Owns: what LocalQueues have consumed (table CONSUMED), how it decays, penalties of entry, the order of
 * LocalQueues. Does not: keep heaps; each LocalQueue has a lane of its own (core/queue_index.h), so
 * a sample moves nothing.
 *
 * consumed := usage + (consumed - usage) * 2^-(time / half-life), where usage is what the LocalQueue's
 * admitted workloads hold. Nothing is logged for that: a sample is due at every interval since the last
 * one, and all that are due by the tick of an event are made up before it is folded, with the usage
 * of until then. That equals sampling on time, and a replay does the same.
 *
 * Amounts are fixed point with 32 binary digits, so a sample is off by less than 2^-32 of a unit plus
 * 2^-58 of the distance (decay.h); errors of earlier samples decay with the rest.
 * Source: kueue.md 2.13, 2.3, 2.11; docs/fairness.md.
 */
#ifndef PLM_REDUCERS_ADMISSION_AFS_H
#define PLM_REDUCERS_ADMISSION_AFS_H

#include "core/state.h"
#include "core/wide.h"

/* What a LocalQueue counts as in comparisons: amount / weight. */
struct plm_afs_usage {
	struct plm_wide
		amount; /* of all resources, each times its weight and by cores, bytes, pieces */
	uint64_t weight_nano; /* 0: infinite, it is last */
};

/* Does 'queue' let workloads in by usage of their LocalQueues? */
bool plm_afs_on(const struct plm_state *st, plm_id queue);

/* What 'local' counts as now. Reads the tables, and the index where that is filled. */
struct plm_afs_usage plm_afs_usage(const struct plm_state *st, plm_id local);
/* <0, 0, >0: 'a' has used less, as much, more. */
int plm_afs_compare(const struct plm_afs_usage *a, const struct plm_afs_usage *b);
/* As both, for two LocalQueues. */
int plm_afs_order(const struct plm_state *st, plm_id a, plm_id b);

/* Make up the samples that are due at 'now_ms'; 'cycle': LocalQueues that have none begin. */
void plm_afs_sample(struct plm_state *st, int64_t now_ms, bool cycle);
/* When a sample may change who is next, PLM_UNSET = not before something else happens. */
int64_t plm_afs_next_due(const struct plm_state *st);

/* Quota was reserved for a pending workload: its penalty counts from now on. */
void plm_afs_charge(struct plm_state *st, plm_id workload, struct plm_arena *scratch);
/* It is admitted: what it would have used by the next sample becomes consumption. */
void plm_afs_settle(struct plm_state *st, plm_id workload);
/* It has left its LocalQueue without being admitted, if that is so. */
void plm_afs_drop(struct plm_state *st, plm_id workload, plm_id local_before);
/* A LocalQueue is gone: nobody owes it anything. */
void plm_afs_forget(struct plm_state *st, plm_id local);

#endif
