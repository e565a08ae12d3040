/*
 * explain_tree.h - an explanation record as part of an answer
 *
 * Owns: considered[], unblock[] and funnel[] of DecisionList and Explanation (CLI.md). Texts come from
 * render.h. Does not: find the record.
 */
#ifndef PLM_TOOLS_EXPLAIN_TREE_H
#define PLM_TOOLS_EXPLAIN_TREE_H

#include "reducers/lift.h"
#include "tools/json.h"

/* [{"candidate", "outcome", "rule", "need", "have", "short", "detail"}] */
struct plm_json *plm_considered_tree(struct plm_arena *arena, const struct plm_w_explain *why);
/*
 * What would change the answer, the record's own first, none twice: the options of 'lifts' (may be NULL).
 * Where there is none, what the record has; then 'st' (may be NULL) is asked for the cheapest type that is
 * large enough.
 */
struct plm_json *plm_unblock_tree(struct plm_arena *arena, const struct plm_state *st,
				  const struct plm_lifts *lifts, const struct plm_w_explain *why);
/* The same as data: [{"action", "option", "kind", "namespace", "name", ...}] */
struct plm_json *plm_actions_tree(struct plm_arena *arena, const struct plm_lifts *lifts);
/* What binds, as the record has it: {"object", "flavor", "resource", "need", "have", "limit", "detail"}. */
struct plm_json *plm_binding_tree(struct plm_arena *arena, const struct plm_w_explain *why);
/* [{"nodePool", "steps": [{"rule", "left", "subject", "need", "have", "detail"}]}] */
struct plm_json *plm_funnel_tree(struct plm_arena *arena, const struct plm_w_explain *why);

#endif
