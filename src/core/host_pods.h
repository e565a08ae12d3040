/*
 * host_pods.h - what bound pods ask of their nodes, so that a round need not read all pods
 *
 * Owns: per node the sums of pods that belong to no workload, and a list of those that do (whether these
 * count for themselves depends on what their workload holds at the moment). Pods whose template asks for
 * a topology, or that were told a domain, are in neither. Does not: know topologies, write the image.
 *
 * Outside the image: made at a CYCLE that has use for it, stale with the next fact about a pod, a node, a
 * job or a workload. Whoever finds it stale reads the pods themselves: the slow twin. kueue.md 2.15.
 */
#ifndef PLM_CORE_HOST_PODS_H
#define PLM_CORE_HOST_PODS_H

#include "core/tables.h"

struct plm_state;

struct plm_host_sum {
	plm_sym resource;
	uint32_t next; /* of the same node: index + 1, 0 = the last */
	int64_t amount;
};

struct plm_host_node {
	uint32_t first; /* sum: index + 1, 0 = none */
	uint32_t pods;
};

struct plm_host_pod {
	plm_id node, workload;
	plm_sym shape;
};

struct plm_host_pods {
	struct plm_host_node *nodes; /* owned, by slot */
	struct plm_host_sum *sums;   /* owned */
	struct plm_host_pod *owned;  /* owned: pods of workloads */
	uint32_t node_count, sum_count, sum_capacity, owned_count, owned_capacity;
	bool fresh;
};

void plm_host_pods_fini(struct plm_host_pods *pods);
/* Make it anew when it is stale. */
void plm_host_pods_refresh(struct plm_state *st);
/* The workload that a pod belongs to: that of the job above it, or its own; 0 when there is none. */
plm_id plm_pod_workload(const struct plm_state *st, const struct plm_pod *pod);

#endif
