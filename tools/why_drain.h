/*
 * why_drain.h - what the way out of a node waits for, as a member of an explanation
 */
#ifndef PLM_TOOLS_WHY_DRAIN_H
#define PLM_TOOLS_WHY_DRAIN_H

#include "core/event.h"
#include "core/state.h"
#include "tools/json.h"

/* Adds "drain" to 'doc'. 'why' is what was last said of it, NULL = nothing was. */
void plm_why_drain(const struct plm_state *st, const struct plm_node_claim *claim,
		   const struct plm_w_explain *why, struct plm_json *doc);

#endif
