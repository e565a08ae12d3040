/*
 * Disruption keeps nothing of its own in state: a removal is a claim's end, which provisioning folds, and
 * emptiness is counted with the nodes. Commands with replacements will be folded here.
 */
#include "reducers/area.h"

void plm_disruption_apply(struct plm_state *st, const struct plm_event *ev,
			  struct plm_arena *scratch)
{
	(void)st;
	(void)ev;
	(void)scratch;
}
