/*
 * status_tree.h - the status of an object as its client would read it in the cluster
 *
 * Owns: `status` of Workload, ClusterQueue, LocalQueue and Cohort in Kueue's v1beta2 spelling, from
 * reducers/status. Nothing for other kinds.
 */
#ifndef PLM_TOOLS_STATUS_TREE_H
#define PLM_TOOLS_STATUS_TREE_H

#include "reducers/status/board.h"
#include "tools/json.h"

/* What statuses are made of; made once for many objects. 'board' is filled when first needed. */
struct plm_status_source {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_board board;
	bool have_board;
};

/* NULL: objects of 'kind' have no status here. 'why': condition.h, for a Workload; may be NULL. */
struct plm_json *plm_status_tree(struct plm_status_source *source, enum plm_kind kind, plm_id id,
				 const struct plm_w_explain *why);
/* The board of the source. */
const struct plm_board *plm_status_source_board(struct plm_status_source *source);

#endif
