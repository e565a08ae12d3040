#include "reducers/admission/request.h"

/* FNV-1a, 64 bits: upstream's order of resources. */
static uint64_t fnv(struct plm_slice text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < text.size; i++) {
		hash = (hash ^ text.ptr[i]) * 0x100000001b3ULL;
	}
	return hash;
}

const struct plm_group *plm_request_group(const struct plm_state *st,
					  const struct plm_cluster_queue *queue, plm_sym resource)
{
	uint32_t groups = 0;
	const struct plm_group *group = PLM_SPAN(st, queue->groups, struct plm_group, &groups);

	for (uint32_t g = 0; g < groups; g++) {
		uint32_t count = 0;
		const plm_sym *covered = PLM_SPAN(st, group[g].resources, plm_sym, &count);

		for (uint32_t i = 0; i < count; i++) {
			if (plm_sym_equal(covered[i], resource)) {
				return &group[g];
			}
		}
	}
	return NULL;
}

static void insert(struct plm_set_request *set, const struct plm_state *st,
		   struct plm_request request)
{
	uint32_t at = set->list_count++;

	request.order = fnv(plm_str(st, request.resource));
	for (; at > 0; at--) {
		const struct plm_request *before = &set->list[at - 1];

		if (before->order < request.order ||
		    (before->order == request.order &&
		     plm_sym_compare(st, before->resource, request.resource) < 0)) {
			break;
		}
		set->list[at] = *before;
	}
	set->list[at] = request;
}

static int64_t reclaimed(const struct plm_state *st, const struct plm_workload *workload,
			 plm_sym name)
{
	uint32_t count = 0;
	const struct plm_pod_count *back =
		PLM_SPAN(st, workload->reclaimable, struct plm_pod_count, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(back[i].name, name)) {
			return back[i].count;
		}
	}
	return 0;
}

static void fill_set(const struct plm_state *st, struct plm_arena *arena,
		     struct plm_set_request *set, plm_sym pods)
{
	uint32_t count = 0;
	const struct plm_amount *amount =
		PLM_SPAN(st, set->shape->requests, struct plm_amount, &count);

	set->list = PLM_NEW_ARRAY(arena, count + 1, struct plm_request);
	for (uint32_t i = 0; i < count; i++) {
		if (!plm_sym_equal(amount[i].resource, pods)) {
			insert(set, st,
			       (struct plm_request){.resource = amount[i].resource,
						    .each = plm_max(0, amount[i].amount)});
		}
	}
	if (pods.n != 0) {
		insert(set, st,
		       (struct plm_request){.resource = pods, .each = 1, .injected = true});
	}
}

struct plm_requests plm_requests_of(const struct plm_state *st, struct plm_arena *arena,
				    const struct plm_workload *workload,
				    const struct plm_cluster_queue *queue)
{
	struct plm_requests requests = {0};
	const struct plm_pod_set *sets =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &requests.count);
	plm_sym pods = plm_sym_find(st, plm_slice_str("pods"));

	if (pods.n != 0 && plm_request_group(st, queue, pods) == NULL) {
		pods = (plm_sym){0};
	}
	requests.sets = PLM_NEW_ARRAY(arena, requests.count, struct plm_set_request);
	for (uint32_t i = 0; i < requests.count; i++) {
		struct plm_set_request *set = &requests.sets[i];
		uint32_t one = 0;
		int64_t back = reclaimed(st, workload, sets[i].name);

		set->set = &sets[i];
		set->shape = PLM_SPAN(st, sets[i].shape, struct plm_shape, &one);
		PLM_ASSERT(one == 1);
		set->count = sets[i].count - plm_min(back, sets[i].count);
		fill_set(st, arena, set, pods);
	}
	return requests;
}
