/*
 * preempt.h - the search for victims
 *
 * Owns: candidates, their order, attempts, fill-back: kueue.md 2.11. The snapshot is as it was when a
 * search returns. Fair sharing (kueue.md 2.12) is another search behind the same call.
 */
#ifndef PLM_REDUCERS_ADMISSION_PREEMPT_H
#define PLM_REDUCERS_ADMISSION_PREEMPT_H

#include "reducers/admission/snapshot.h"

struct plm_target {
	const struct plm_holder *holder;
	enum plm_reason reason; /* of the Preempted condition */
};

struct plm_targets {
	struct plm_target *list;
	uint32_t count;
};

struct plm_preemptor {
	struct plm_quotas *snap;
	plm_id workload;
	uint32_t node;
	uint64_t *spent; /* candidates looked at */
	/*
	 * Not under strict compatibility: no workload is evicted for another one of its own queue if the
	 * queue then borrows more than before while a lender waits for its own quota. The lender would
	 * take it back, and the two could go on in turns for ever (kueue.md 6, theme 8).
	 */
	bool better;
	const int64_t *usage_before; /* of its queue by pair while a lender waits; else NULL */
	bool spent_turn;	     /* it preempts nobody who was preempted before: rest.h */
};

/* What is needed: FRs that need victims, and all that the workload asks for (without "pods"). */
struct plm_need {
	const uint32_t *pairs;
	uint32_t count;
	struct plm_uses wants;
	const struct plm_tas_ask *asks; /* domains, none when only quota is asked about */
	uint32_t ask_count;
};

/* The victims, none when it cannot be done. Lives in the snapshot's arena. */
struct plm_targets plm_preempt_find(const struct plm_preemptor *p, const struct plm_need *need);

/* ---- parts that both searches use -------------------------------------------------------------- */

/* Is the holder one of the candidates by policy (enum plm_preemption)? */
bool plm_preempt_policy(const struct plm_preemptor *p, uint32_t policy,
			const struct plm_holder *candidate);
bool plm_preempt_uses(const struct plm_holder *holder, const struct plm_need *need);
/* Does the preemptor fit into its queue now? */
bool plm_preempt_fits(const struct plm_preemptor *p, const struct plm_need *need, bool borrowing);
/* Could there be domains for it, all these 'holders' gone? False: surely not, whoever of them goes. */
bool plm_preempt_places(const struct plm_quotas *snap, const struct plm_need *need,
			const struct plm_holder *const *holders, uint32_t count);
bool plm_preempt_within(const struct plm_quotas *snap, uint32_t node, const struct plm_need *need);
/* Take back what is not needed, last but one first; then restore all. 'targets' are taken out. */
void plm_preempt_fill_back(const struct plm_preemptor *p, const struct plm_need *need,
			   struct plm_targets *targets, bool borrowing);
/* Lower priority, later reservation, UID: kueue.md 2.11 without the lists. */
int plm_preempt_order(const struct plm_holder *a, const struct plm_holder *b);
/* Give the holders of the tree of 'node', all made, the ranks that plm_preempt_order() compares. */
void plm_preempt_rank(struct plm_quotas *snap, uint32_t node);

#endif
