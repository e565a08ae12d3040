/*
 * evict.h - the pods of nodes that go: who is evicted or deleted now, and whom the drain waits for
 *
 * Owns: the list of nodes on their way out with their pods, gathered once per cycle, and the count of
 * what budgets still allow while evictions are decided. Used by drain.c only.
 */
#ifndef PLM_REDUCERS_DISRUPTION_EVICT_H
#define PLM_REDUCERS_DISRUPTION_EVICT_H

#include "core/out.h"
#include "reducers/disruption/pdb.h"

struct plm_leaving_node {
	plm_id claim;
	plm_id *pods; /* by namespace, name, UID: those of its node that a drain waits for */
	uint32_t count;
};

struct plm_leaving {
	const struct plm_sched *sched;
	struct plm_out *out;
	int64_t now_ms;
	struct plm_pdbs pdbs;
	int64_t *left;			/* by budget of 'pdbs': evictions that it still allows */
	struct plm_leaving_node *nodes; /* those that ended first come first, then by name */
	uint32_t count;
};

/* What a drain waits for. */
struct plm_drain_wait {
	enum plm_rule rule;
	enum plm_reason reason;
	struct plm_slice object; /* the budget or pod in the way */
	struct plm_slice detail; /* the pod that a budget keeps */
	int64_t pods;		 /* that are still there */
	int64_t unanswered;	 /* of them, asked to go and not on their way yet */
};

/* Claims that end, with the pods of their nodes; lives as long as the arena of 'sched'. */
struct plm_leaving *plm_leaving_gather(const struct plm_sched *sched, struct plm_out *out,
				       int64_t now_ms);
/* Ask for what may go now; says what is left and what keeps it. */
struct plm_drain_wait plm_evict_pods(struct plm_leaving *l, const struct plm_node_claim *claim,
				     const struct plm_leaving_node *on);

#endif
