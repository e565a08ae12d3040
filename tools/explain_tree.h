/*
 * explain_tree.h - an explanation record as part of an answer
 *
 * Owns: considered[], unblock[] and funnel[] of DecisionList and Explanation (CLI.md). Texts come from
 * render.h. Does not: find the record.
 */
#ifndef PLM_TOOLS_EXPLAIN_TREE_H
#define PLM_TOOLS_EXPLAIN_TREE_H

#include "core/state.h"
#include "tools/json.h"

/* [{"candidate", "outcome", "rule", "need", "have", "short", "detail"}] */
struct plm_json *plm_considered_tree(struct plm_arena *arena, const struct plm_w_explain *why);
/*
 * What would change the answer, the record's own first, none twice. 'st' (may be NULL) is asked for what
 * would do: the cheapest type that is large enough; of 'workload' (0 = it is about none) for what lifts
 * a rule of admission.
 */
struct plm_json *plm_unblock_tree(struct plm_arena *arena, const struct plm_state *st,
				  plm_id workload, const struct plm_w_explain *why);
/* The same of a workload as data: [{"action", "option", "kind", "namespace", "name", ...}] */
struct plm_json *plm_actions_tree(struct plm_arena *arena, const struct plm_state *st,
				  plm_id workload, const struct plm_w_explain *why);
/* What binds, as the record has it: {"object", "flavor", "resource", "need", "have", "limit", "detail"}. */
struct plm_json *plm_binding_tree(struct plm_arena *arena, const struct plm_w_explain *why);
/* [{"nodePool", "steps": [{"rule", "left", "detail"}]}] */
struct plm_json *plm_funnel_tree(struct plm_arena *arena, const struct plm_w_explain *why);

#endif
