/*
 * additions.h - what a workload's pods get on top of their template when it starts
 *
 * Owns: the node selectors and tolerations of the assigned flavors, and the podSetUpdates of admission
 * checks, as one addition per pod set. Two of them, or one and the template, that give a key different
 * values are a conflict: such a workload never starts. Source: kueue.md 2.14, 2.17.
 */
#ifndef PLM_REDUCERS_CLUSTER_ADDITIONS_H
#define PLM_REDUCERS_CLUSTER_ADDITIONS_H

#include "core/out.h"
#include "core/state.h"

/* Fill in what pod set 'at' of the workload's assignments gets (name and count too). */
void plm_additions_fill(const struct plm_state *st, struct plm_arena *arena, plm_id workload,
			uint32_t at, struct plm_w_start_set *out);

struct plm_addition_conflict {
	plm_sym pod_set, check, key;
	const char *field; /* "labels", "annotations" or "nodeSelector"; static */
};

/* Does what the checks add conflict? The first conflict by check, pod set, key. */
bool plm_additions_conflict(const struct plm_state *st, struct plm_arena *arena, plm_id workload,
			    struct plm_addition_conflict *out);

#endif
