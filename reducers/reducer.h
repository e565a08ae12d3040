/*
 * reducer.h - the pure core: fold one event, run one step of a cycle
 *
 * Owns: the order in which the areas see an event and take their turn in a cycle (registry.c). An area
 * (cluster, admission, provision, disruption) has two functions: plm_<area>_apply() folds an event into
 * the tables it owns, plm_<area>_step() looks at state and appends decisions.
 *
 * Rules: no clock, heap, randomness, floats, locale, I/O, static data, recursion, order by hash or
 * address. Any event in any state has a defined result. The time is run->cycle.now_ms.
 *
 * A cycle: lifecycle and claims, admission in rounds (one Kueue cycle each), provisioning, starts,
 * disruption, publishing. When provisioning or starting gave quota back, admission takes another turn.
 * The engine calls plm_cycle_step() until it returns true; after each call it logs and folds what came
 * out, so a step sees what the steps before it decided. Sources: DESIGN.md 5, exact.md 3 and 8.
 */
#ifndef PLM_REDUCERS_REDUCER_H
#define PLM_REDUCERS_REDUCER_H

#include "core/out.h"
#include "core/state.h"

/* Decision semantics of this build; changed with any change of a decision. */
#define PLM_BUNDLE 2

enum plm_phase_of_cycle {
	PLM_CYCLE_LIFECYCLE, /* evictions done, jobs started and stopped */
	PLM_CYCLE_CLAIMS,    /* claims and nodes on their way in and out */
	PLM_CYCLE_ADMISSION,
	PLM_CYCLE_PROVISION,
	PLM_CYCLE_START, /* what was just admitted is told to run */
	PLM_CYCLE_DISRUPTION,
	PLM_CYCLE_PUBLISH, /* what was decided is written into objects */
	PLM_CYCLE_DONE,
};

struct plm_cycle_run {
	struct plm_w_cycle cycle;
	enum plm_phase_of_cycle phase;
	uint32_t round;	       /* admission rounds done */
	uint32_t quiet_rounds; /* of these, how many in a row changed no decision */
	uint32_t returns;      /* from provisioning to admission */
	uint32_t step;	       /* of the phase at hand; its own to use, 0 at its beginning */
	uint64_t spent;	       /* candidate evaluations, against cycle.budget */
	bool unsettled;	       /* the bound on rounds or the budget ended admission */
};

/* Fold 'ev' into 'st'. 'scratch' is used and given back. */
void plm_apply(struct plm_state *st, const struct plm_event *ev, struct plm_arena *scratch);

void plm_cycle_begin(struct plm_cycle_run *run, const struct plm_w_cycle *cycle);
/* One step; appends to 'out'. True when the cycle is over (then 'out' may still hold decisions). */
bool plm_cycle_step(const struct plm_state *st, struct plm_cycle_run *run,
		    struct plm_arena *scratch, struct plm_out *out);

/* True when a CYCLE at 'now_ms' would have something to look at: dirty marks or a due timer. */
bool plm_cycle_wanted(const struct plm_state *st, int64_t now_ms);
/* Is anything decided differently once a kind was listed whole? Others' LISTED is logged where it took something. */
bool plm_waits_for_list(enum plm_kind kind);
/* When the next timer is due, PLM_UNSET when there is none. */
int64_t plm_next_due(const struct plm_state *st);

#endif
