/*
 * why_removal.h - what keeps a node, and what its removal would cost, as members of an explanation
 */
#ifndef PLM_TOOLS_WHY_REMOVAL_H
#define PLM_TOOLS_WHY_REMOVAL_H

#include "core/state.h"
#include "tools/json.h"

/* Adds "removal" to 'doc'; 'scratch' is for what is found out on the way. */
void plm_why_removal(const struct plm_state *st, struct plm_arena *scratch, plm_id node,
		     struct plm_json *doc);

#endif
