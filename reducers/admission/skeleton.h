/*
 * skeleton.h - the part of the quota trees that stays from round to round
 *
 * Owns: nodes, order, FRs and quotas of all trees without any usage, in a block that the queue index
 * keeps (core/queue_index.h). A CYCLE makes it when an object that it follows from was seen since; a
 * snapshot is then a copy of the trees it needs, plus what is held. Does not: hold usage, live in the
 * image. The slow twin is the building of a snapshot from the objects (snapshot.c): same numbers.
 */
#ifndef PLM_REDUCERS_ADMISSION_SKELETON_H
#define PLM_REDUCERS_ADMISSION_SKELETON_H

#include "reducers/admission/snapshot.h"

/* Make it, unless it is there. */
void plm_skeleton_make(struct plm_state *st, struct plm_arena *scratch);
/* An event was folded that it may follow from. */
void plm_skeleton_forget(struct plm_state *st, const struct plm_event *ev);
/*
 * Nodes, order, FRs, and cells of the trees with a queue in 'wanted'; then what is held there. False: there
 * is none, or something is held that no quota names; nothing of 'snap' counts then.
 */
bool plm_skeleton_copy(struct plm_quotas *snap, const uint8_t *wanted);
/* plm_activity_of() says nothing against the queue. */
bool plm_skeleton_active(const struct plm_state *st, plm_id queue);

#endif
