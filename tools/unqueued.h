/*
 * unqueued.h - why a job has no workload
 *
 * Owns: the sentence that says so, from the same tests that the fold of facts makes. Does not: speak of
 * jobs that have one.
 */
#ifndef PLM_TOOLS_UNQUEUED_H
#define PLM_TOOLS_UNQUEUED_H

#include "core/state.h"

struct plm_slice plm_unqueued_text(const struct plm_state *st, struct plm_arena *arena, plm_id job);

#endif
