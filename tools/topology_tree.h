/*
 * topology_tree.h - the domains of a pod set as JSON
 *
 * One form for every verb that shows an assignment: {levels, domains: [{values, count}]}, or nothing
 * where the pod set was not placed by topology.
 */
#ifndef PLM_TOOLS_TOPOLOGY_TREE_H
#define PLM_TOOLS_TOPOLOGY_TREE_H

#include "core/state.h"
#include "tools/json.h"

/* "topologyAssignment" of 'set' into 'into', and "delayedTopologyRequest" while that is so. */
void plm_topology_tree_put(const struct plm_state *st, struct plm_arena *arena,
			   const struct plm_assignment *set, struct plm_json *into);

/* The same of all pod sets by their names, as "topology" of 'into'; nothing when none has domains. */
void plm_topology_tree_all(const struct plm_state *st, struct plm_arena *arena,
			   const struct plm_assignment *sets, uint32_t count,
			   struct plm_json *into);

#endif
