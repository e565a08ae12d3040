/*
 * state_tree.h - the folded state as a tree
 *
 * Owns: the walk over slots by their layout; objects grouped by kind under their names; the path
 * language of `state PATH`. Empty, zero and false members are left out, so that an object that the
 * engine knows little about is short, and `diff` shows what appears and what goes away.
 */
#ifndef PLM_TOOLS_STATE_TREE_H
#define PLM_TOOLS_STATE_TREE_H

#include "core/state.h"
#include "tools/json.h"
#include "tools/subject.h"

/* Texts of the trees are borrowed from 'st'. */
struct plm_json *plm_object_tree(struct plm_arena *arena, const struct plm_state *st,
				 enum plm_table table, plm_id id);
/* {"clusterQueues": {"ml": {...}}, ..., "instanceTypes", "stockOuts", "intents", "root"}. */
struct plm_json *plm_state_tree(struct plm_arena *arena, const struct plm_state *st);
/* "clusterQueues", "podSets", ... of a slot; static. */
const char *plm_slot_group(const struct plm_state *st, enum plm_table table, plm_id id);
/* "ml/job-a", "m5.large", "p4d.24xlarge/us-west-2b/spot", "88": the key under its group. */
struct plm_slice plm_slot_key(struct plm_arena *arena, const struct plm_state *st,
			      enum plm_table table, plm_id id);

/*
 * The part of 'tree' at 'path': keys joined by dots; a key may itself hold dots and slashes, the longest
 * that matches wins; letter case does not matter. NULL: there is none; '*out_rest' is what did not match.
 */
struct plm_json *plm_tree_find(struct plm_json *tree, const char *path, const char **out_rest);

#endif
