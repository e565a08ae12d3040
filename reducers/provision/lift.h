/*
 * lift.h - the smallest changes that would give a pod without a place a node
 *
 * Owns: from the gates of all pools (funnel.h) the options. An option opens all gates that stop one type;
 * those are told that open as few as it takes, one for each different set of gates, for the type of it that
 * lacks least and then is the cheapest. Exact: carried out on the manifests, the pod has a place, or
 * another rule is named (tests/prop/nodes/reasons.py).
 * Does not: say them (status/render.h), or change what exists.
 */
#ifndef PLM_REDUCERS_PROVISION_LIFT_H
#define PLM_REDUCERS_PROVISION_LIFT_H

#include "reducers/lift.h"
#include "reducers/provision/pass.h"

struct plm_funnel;

/* That of the rule which the explanation names first, then by pool. 'funnels' has one per pool. */
void plm_provision_lifts(struct plm_pass *pass, const struct plm_funnel *funnels,
			 struct plm_lifts *out);

#endif
