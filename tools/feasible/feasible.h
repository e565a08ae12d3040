/*
 * feasible.h - may every pod run where a plan puts it? An answer that shares no code with the planner
 *
 * Owns: a second reading of the rules for one state: what was planned since the last look (pods that are
 * newly expected somewhere, new claims, new places of gangs) is judged by the end state as the scheduler
 * of Kubernetes and EC2 would see it. Taints, required node affinity, resources with daemon sets on *every*
 * type that a claim names, host ports, required pod affinity and anti-affinity both ways, spread,
 * offerings, minimum values, limits and sizes of pools.
 * Does not: plan, or use anything of reducers/: the library links against core and ec2 alone
 * (tests/lint/closures). What cannot be known yet (a zone that is open) is not held against a plan.
 * Source: karpenter.md 2, kube-scheduler's filters; issue of the better packing: "no pod where it may not
 * run, no limit exceeded".
 */
#ifndef PLM_TOOLS_FEASIBLE_H
#define PLM_TOOLS_FEASIBLE_H

#include "core/state.h"

/* What was planned at the last look, by slot; zeroed = nothing yet. */
struct plm_feasible {
	uint32_t *targets, *uids; /* of pods: symbols; owned */
	uint32_t target_count, uid_count;
	uint32_t *claims; /* symbols of names; owned */
	uint32_t claim_count;
	uint32_t *places; /* of workloads: symbols of spans; owned */
	uint32_t place_count;
	uint64_t pods_judged, claims_judged, gangs_judged;
};

struct plm_feasible_says {
	void *self;
	void (*broken)(void *self, const char *text);
};

/* Judge what is new in 'st' and remember it. The scratch arena is given back as it was. */
void plm_feasible_look(struct plm_feasible *f, const struct plm_state *st,
		       struct plm_arena *scratch, const struct plm_feasible_says *says);
void plm_feasible_end(struct plm_feasible *f);

#endif
