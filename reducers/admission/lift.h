/*
 * lift.h - what would lift the rule that a waiting workload is held by
 *
 * Owns: for an explanation and the state that it was made from, the changes after which that rule binds
 * no more, as data: which field of which object, by how much. Each is exact: applied to the manifests,
 * the workload is admitted or another rule is named (tests/prop/oracle/reasons.py). Pure; works on any
 * loaded state, as explain.h does.
 * Does not: say them (render.h), know rules of provisioning (their words are in render.c).
 */
#ifndef PLM_REDUCERS_ADMISSION_LIFT_H
#define PLM_REDUCERS_ADMISSION_LIFT_H

#include "reducers/lift.h"

/* What lifts 'why', which is about 'workload'; none when the rule is not one of admission's. */
void plm_admission_lifts(const struct plm_state *st, plm_id workload,
			 const struct plm_w_explain *why, struct plm_lifts *out);

#endif
