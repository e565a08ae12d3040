/*
 * gang.h - the capacity check: a workload is let in when all its pods have or can get a place
 *
 * Owns: the plan of a gang as PLACES and CLAIMs, its admission when the places are ready, its release
 * when there is no plan (DESIGN.md 6; exact.md 8). All or nothing: a plan that lacks one pod changes
 * nothing. Does not: choose flavors; a release names those that had no room, admission tries others.
 */
#ifndef PLM_REDUCERS_PROVISION_GANG_H
#define PLM_REDUCERS_PROVISION_GANG_H

#include "reducers/provision/pass.h"

/*
 * The next thing to do for gangs whose check is open; true when something was appended (then the step
 * ends, for the next one to see it in state).
 */
bool plm_gangs_step(const struct plm_state *st, struct plm_arena *arena, int64_t now_ms,
		    struct plm_out *out);
/* Pods of admitted gangs that have come and stand nowhere are expected on their reserved places. */
bool plm_gangs_nominate(const struct plm_state *st, struct plm_arena *arena, struct plm_out *out);
/* Earliest deadline of reserved places; PLM_UNSET when there is none. */
int64_t plm_gangs_due(const struct plm_state *st);
/* Add to the asks of a gang's pod set what its flavors add: node labels and tolerations. */
void plm_gang_asks(struct plm_pass *pass, struct plm_want_kind *kind);

#endif
