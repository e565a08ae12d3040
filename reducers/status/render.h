/*
 * render.h - explanation records as text: the one place where a message is composed
 *
 * Owns: one template per rule, filled with the operands of the record. Conditions, events, `why`,
 * `decide`, `timeline` and the traces of scenarios all come from here; where Kueue or Karpenter has a
 * message that people grep for, the template is theirs. 
 * Does not: find operands; the record has them.
 */
#ifndef PLM_REDUCERS_STATUS_RENDER_H
#define PLM_REDUCERS_STATUS_RENDER_H

#include "core/state.h"
#include "reducers/lift.h"

/* 'why' of a workload with the pod set that a message about quota begins with, as Kueue's does. */
struct plm_w_explain plm_render_in_set(const struct plm_state *st,
				       const struct plm_workload *workload,
				       const struct plm_w_explain *why);
/* The message of a record: one line without a full stop, arena. */
struct plm_slice plm_render_message(struct plm_arena *arena, const struct plm_w_explain *why);
/* What was found about one candidate, in the words of its rule, arena. */
struct plm_slice plm_render_candidate(struct plm_arena *arena,
				      const struct plm_w_candidate *candidate);
/* "fits", "no fit", "skipped", static. */
const char *plm_render_outcome(enum plm_rule rule);
/* What would change the answer: "3 cpu free in flavor default", arena; empty when nothing is known. */
struct plm_slice plm_render_unblock(struct plm_arena *arena, const struct plm_w_explain *why);
/* One change that lifts the rule, arena. */
struct plm_slice plm_render_lift(struct plm_arena *arena, const struct plm_lift *lift);
/* The same for one candidate of the record. */
struct plm_slice plm_render_candidate_unblock(struct plm_arena *arena,
					      const struct plm_w_candidate *candidate);

#endif
