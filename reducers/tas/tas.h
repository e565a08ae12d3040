/*
 * tas.h - what has to do with topology, and what does not
 *
 * Owns: the predicates that facts, admission and placement share. Does not: place anything (place.h),
 * hold what is free where (tree.h). Source: kueue.md 2.6 c, 2.15.
 */
#ifndef PLM_REDUCERS_TAS_TAS_H
#define PLM_REDUCERS_TAS_TAS_H

#include "core/state.h"

/* The levels of a flavor's topology, NULL without: no topologyName, or no such Topology. */
const plm_sym *plm_tas_levels(const struct plm_state *st, plm_sym flavor, uint32_t *count);
/* Does the flavor name a topology, be it there or not? */
bool plm_tas_flavor(const struct plm_state *st, plm_sym flavor);
/* Has any flavor of the queue a topology? Have all? */
bool plm_tas_queue_any(const struct plm_state *st, const struct plm_cluster_queue *queue);
bool plm_tas_queue_all(const struct plm_state *st, const struct plm_cluster_queue *queue);

/* A workload whose pods are counted by its assignment: it asks for a topology, or was placed. */
bool plm_tas_workload(const struct plm_state *st, plm_id workload);
/*
 * A pod that is counted by the assignment of its workload and not by itself: its template asks for a
 * topology, it was told a domain, or its workload is such. When the workload gives its domains back they
 * are free, though the pod may take its time to end: it must not look like somebody else's.
 */
bool plm_tas_pod(const struct plm_state *st, const struct plm_pod *pod);

/* Does any pod set of the span of plm_assignment have domains? */
bool plm_tas_assigned(const struct plm_state *st, plm_sym assignments);

/*
 * An event was folded. What bound pods ask of their nodes (core/host_pods.h) is stale after facts that
 * change it, and is summed up at a CYCLE in which somebody may look at domains: once for all its rounds.
 */
void plm_tas_see(struct plm_state *st, const struct plm_event *ev);

#endif
