/*
 * topology.h - where topology has a say in admission
 *
 * Owns: does a flavor go with what a pod set asks of topology, what is asked of placement (tas/place.h)
 * for an assessment, what becomes of the answer. Does not: find domains, choose flavors or victims.
 * Source: kueue.md 2.6 c and "TAS post-step", 2.8 (5), 2.10 (1), 2.15.
 */
#ifndef PLM_REDUCERS_ADMISSION_TOPOLOGY_H
#define PLM_REDUCERS_ADMISSION_TOPOLOGY_H

#include "reducers/admission/assess.h"

/* A flavor as it is looked at: 'object' NULL = no object; 'group' that it stands in. */
struct plm_flavor_view {
	plm_sym name;
	const struct plm_flavor *object;
	const struct plm_group *group;
};

/* RULE_NONE, or why the pod set and the flavor do not go together; '*out_key' a level. */
enum plm_rule plm_topology_match(const struct plm_applicant *a, const struct plm_set_request *set,
				 const struct plm_flavor_view *flavor, plm_sym *out_key);

/* The post-step: a fit that finds no domains becomes a preemption, or none at all. */
void plm_topology_place(struct plm_applicant *a, struct plm_assess *assess);
/* The last word on a preemption: domains as they are without its victims, to be kept for it. */
void plm_topology_settle(struct plm_applicant *a, struct plm_result *result);

/* The domains of an assignment span as usage of its flavors. Lives in 'arena'. */
struct plm_tas_uses plm_topology_held(const struct plm_state *st, struct plm_arena *arena,
				      plm_sym assignments, plm_sym pod_sets);

/* The flavor with a topology in a span of plm_kv (resource to flavor), 0 = none. */
plm_sym plm_topology_flavor(const struct plm_state *st, plm_sym flavors);
/* Does a pod set of the span of plm_assignment still wait for its domains? */
bool plm_topology_pending(const struct plm_state *st, plm_sym assignments);

/* Is a placement in this flavor made only after the checks of its queue are ready? */
bool plm_topology_delayed(const struct plm_state *st, const struct plm_cluster_queue *queue,
			  plm_sym flavor);

#endif
