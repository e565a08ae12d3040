/*
 * condition.h - the conditions of a Workload, as a client of Kueue expects them
 *
 * Owns: which conditions a workload has, their status, reason and message, all from state and the
 * explanation record of what was said last. Does not: decide when a condition is written to the cluster
 * (whoever writes compares with what is there and sets lastTransitionTime when the status flips).
 * Source: kueue.md 2.14, 3.2; the spellings are upstream's.
 */
#ifndef PLM_REDUCERS_STATUS_CONDITION_H
#define PLM_REDUCERS_STATUS_CONDITION_H

#include "core/state.h"

struct plm_condition {
	const char *type;	 /* static */
	bool is_true;		 /* else the condition is False; one that is absent is not listed */
	struct plm_slice reason; /* never empty */
	struct plm_slice message;
	int64_t since_ms; /* PLM_UNSET = not known: since the status flipped to this */
};

#define PLM_CONDITIONS_MAX 12

struct plm_conditions {
	struct plm_condition list[PLM_CONDITIONS_MAX]; /* by type */
	uint32_t count;
};

/*
 * The conditions of 'workload'. 'why' is the record of why it waits (of its last decision, or what
 * plm_admission_explain() finds now); NULL where that is not known: messages are then those of the state
 * alone. Texts live in state or 'arena'.
 */
void plm_status_conditions(const struct plm_state *st, plm_id workload,
			   const struct plm_w_explain *why, struct plm_arena *arena,
			   struct plm_conditions *out);

/* The condition of 'type', NULL when it is absent. */
const struct plm_condition *plm_status_condition(const struct plm_conditions *conditions,
						 const char *type);

/* What upstream's Evicted condition says for 'reason' ("PodsReadyTimeout", ...), static. */
const char *plm_status_eviction_words(struct plm_slice reason);
/* "Deactivated" with cause RequeuingLimitExceeded is "DeactivatedDueToRequeuingLimitExceeded"; arena. */
struct plm_slice plm_status_eviction_reason(struct plm_arena *arena, struct plm_slice reason,
					    enum plm_reason cause);

#endif
