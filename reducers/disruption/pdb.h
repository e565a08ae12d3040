/*
 * pdb.h - what PodDisruptionBudgets say of a pod: may it be evicted, and which budget is in the way
 *
 * Owns: the book of budgets of one pass, and what Karpenter asks of it (karpenter.md 2.1, 3.2). A budget
 * without a status (a file written by hand) is counted as the disruption controller would count it.
 * Does not: evict. The API server has the last word: an eviction can still be refused.
 */
#ifndef PLM_REDUCERS_DISRUPTION_PDB_H
#define PLM_REDUCERS_DISRUPTION_PDB_H

#include "reducers/sched/known.h"

/* What the disruption controller writes into the status. */
struct plm_pdb_count {
	int64_t allowed, healthy, desired, expected;
};

struct plm_pdb_seen {
	plm_id id;
	int64_t allowed, healthy, desired;
	bool blocks_fully; /* maxUnavailable 0 or 0%, minAvailable 100%: it never lets anybody go */
};

/* The budgets by namespace, then name; arena of the pass. */
struct plm_pdbs {
	const struct plm_sched *sched; /* borrowed */
	int64_t now_ms;
	struct plm_pdb_seen *list;
	uint32_t count;
};

enum plm_pdb_word {
	PLM_PDB_FREE,
	PLM_PDB_USED_UP, /* disruptionsAllowed is 0 */
	PLM_PDB_SEVERAL, /* two budgets or more, which the eviction API refuses whatever they allow */
};

struct plm_pdb_answer {
	enum plm_pdb_word word;
	plm_id pdb; /* the first by name that is in the way; 0 = FREE */
};

/* Gather the budgets as they stand; lives as long as the arena of 'sched'. */
void plm_pdbs_gather(struct plm_pdbs *out, const struct plm_sched *sched, int64_t now_ms);
/* May the pod be evicted now? One that nobody would evict (leave.h) is FREE. */
struct plm_pdb_answer plm_pdbs_ask(const struct plm_pdbs *pdbs, const struct plm_pod *pod);
/*
 * What the eviction API would answer: it also lets pods go that are not ready as long as enough others are,
 * and asks nobody for pods that have not started. 'left' by budget is what is still allowed; counted down.
 */
struct plm_pdb_answer plm_pdbs_evict(const struct plm_pdbs *pdbs, const struct plm_pod *pod,
				     int64_t *left);
/* Does a budget keep it for good? Then no place is bought for it. */
bool plm_pdbs_keep(const struct plm_pdbs *pdbs, const struct plm_pod *pod);
/* "Currently reschedulable": a bound pod of a node that goes for which a place is looked for now. */
bool plm_pod_moves(const struct plm_pdbs *pdbs, const struct plm_pod *pod);

/* What the status of 'pdb' has to say, counted from pods and their owners. */
struct plm_pdb_count plm_pdb_count(const struct plm_sched *sched, const struct plm_pdb *pdb);
bool plm_pdb_selects(const struct plm_state *st, const struct plm_pdb *pdb,
		     const struct plm_pod *pod);

#endif
