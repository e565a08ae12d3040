/*
 * rank.h - which pod of a placed pod set goes to which of its domains
 *
 * Owns: the rule of kueue.md 2.15 (ungater). Pods with ranks fill the domains in order, so that neighbours
 * by rank are neighbours on the network; when ranks are missing, twice the same, or contradict where
 * pods are already, gated pods go wherever a domain still misses some. Does not: remove gates.
 */
#ifndef PLM_REDUCERS_TAS_RANK_H
#define PLM_REDUCERS_TAS_RANK_H

#include "core/state.h"

#define PLM_TAS_NO_DOMAIN UINT32_MAX

/* Pods of one pod set that have not ended, by name. */
struct plm_tas_pods {
	const struct plm_assignment *set;
	const struct plm_pod_set *spec; /* NULL: not known */
	int64_t offset;			/* rank of the first: behind the leader of its group */
	const plm_id *list;
	uint32_t count;
};

/* Domains (by index) for the gated ones, PLM_TAS_NO_DOMAIN for all others. */
void plm_tas_rank(const struct plm_state *st, const struct plm_tas_pods *pods,
		  struct plm_arena *arena, uint32_t *out);
/* Ranks of 'set' begin there: pods of the smaller pod set of a group come before those of the larger. */
int64_t plm_tas_offset(const struct plm_state *st, const struct plm_workload *workload,
		       const struct plm_assignment *set);
/* The pod set that an assignment is for, NULL. */
const struct plm_pod_set *plm_tas_spec(const struct plm_state *st,
				       const struct plm_workload *workload, plm_sym name);

#endif
