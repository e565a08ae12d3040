/*
 * candidate.h - may this node be disrupted, and what is in the way: karpenter.md 3.2, 3.4
 *
 * Owns: the candidate filter, each refusal with the object that causes it and when it ends by itself;
 * since when a node is consolidatable; what its pods and its instance cost. One book per pass, so that all
 * nodes together cost one walk over the pods. Does not: choose nodes (methods do), heed budgets.
 *
 * The same functions answer `why node/NAME`.
 */
#ifndef PLM_REDUCERS_DISRUPTION_CANDIDATE_H
#define PLM_REDUCERS_DISRUPTION_CANDIDATE_H

#include "core/event.h"
#include "reducers/disruption/cost.h"
#include "reducers/disruption/pdb.h"

/* Expected pods keep a node for so long at least (strict), or twice the longest batch window. */
#define PLM_NOMINATED_MIN_MS (10LL * 1000)

struct plm_blocker {
	enum plm_rule rule; /* PLM_RULE_NONE: it may be disrupted */
	plm_sym ns, name;   /* the pod, budget, pool or label that is in the way; 0 = none */
	int64_t until_ms;   /* it ends by itself then; PLM_UNSET = not by time */
};

struct plm_candidate {
	plm_id node, claim, pool; /* of these any but 'node' may be 0 when it is refused */
	struct plm_blocker blocker;
	struct plm_node_cost cost;
	uint32_t moving;     /* pods that need another place */
	int64_t price_micro; /* per hour; PLM_UNSET = not known */
};

/* What the pods of a node say. */
struct plm_tenants {
	struct plm_node_cost cost;
	struct plm_blocker guard; /* by the pod that is first by namespace and name */
	plm_id guard_pod;
	uint32_t moving;
	uint32_t expected; /* 1: pods that are not here yet */
	uint32_t reserved; /* 1: places of a gang */
};

struct plm_candidates {
	struct plm_sched sched;
	struct plm_pdbs pdbs;
	int64_t now_ms;
	bool fresh; /* pods that this cycle expects on a node count as well (validation) */
	struct plm_tenants *nodes;  /* by slot */
	struct plm_tenants *claims; /* by slot: 'expected' and 'reserved' only */
};

/* The book of state as it stands at 'now_ms'; lives in 'arena'. */
void plm_candidates_gather(struct plm_candidates *out, const struct plm_state *st,
			   struct plm_arena *arena, int64_t now_ms);
/* Everything about 'node'. */
struct plm_candidate plm_candidate_look(const struct plm_candidates *book, plm_id node);

/*
 * When the condition Consolidatable becomes True: consolidateAfter after the last pod event, else after
 * its initialization. PLM_UNSET: never, or it is not initialized.
 */
int64_t plm_consolidatable_ms(const struct plm_state *st, plm_id node);

/* "ns/name" of what is in the way, or its name; empty without. */
struct plm_slice plm_blocker_object(const struct plm_sched *sched,
				    const struct plm_blocker *blocker);

#endif
