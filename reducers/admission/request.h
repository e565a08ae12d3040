/*
 * request.h - what a workload asks for, by pod set and resource
 *
 * Owns: exclusions, transformations, the "pods" of a queue that covers them, the order of resources. Does
 * not: defaults and overhead (cluster/pod_limits.h), which are in the shape's requests already.
 * Source: kueue.md 2.1 (5-8).
 */
#ifndef PLM_REDUCERS_ADMISSION_REQUEST_H
#define PLM_REDUCERS_ADMISSION_REQUEST_H

#include "core/state.h"

struct plm_request {
	plm_sym resource;
	bool injected; /* "pods", counted because the queue covers it */
	int64_t each;  /* of one pod */
	uint64_t order;
};

struct plm_set_request {
	const struct plm_pod_set *set;
	const struct plm_shape *shape;
	int64_t count;		  /* without the reclaimable pods */
	struct plm_request *list; /* in upstream's order: kueue.md 2.20 (1) */
	uint32_t list_count;
};

struct plm_requests {
	struct plm_set_request *sets;
	uint32_t count;
};

struct plm_requests plm_requests_of(const struct plm_state *st, struct plm_arena *arena,
				    const struct plm_workload *workload,
				    const struct plm_cluster_queue *queue);
/* Upstream's order: kueue.md 2.20 (1). 'amounts' goes along. */
void plm_request_sort(const struct plm_state *st, struct plm_request *list, int64_t *amounts,
		      uint32_t count);
/* The resource group of 'queue' that covers 'resource', NULL when none does. */
const struct plm_group *plm_request_group(const struct plm_state *st,
					  const struct plm_cluster_queue *queue, plm_sym resource);

#endif
