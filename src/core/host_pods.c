#include "core/host_pods.h"

#include "core/integration.h"
#include "core/state.h"

#include <stdlib.h>

void plm_host_pods_fini(struct plm_host_pods *pods)
{
	free(pods->nodes);
	free(pods->sums);
	free(pods->owned);
	*pods = (struct plm_host_pods){0};
}

plm_id plm_pod_workload(const struct plm_state *st, const struct plm_pod *pod)
{
	plm_id job = plm_job_above(st, pod->object.owner_uid);

	if (job.n != 0) {
		return plm_job_at(st, job)->workload_id;
	}
	return plm_index_find(st, PLM_KEY_WORKLOAD_OWNER, pod->object.uid.n, 0);
}

/* Room for one more element of 'size' bytes. */
static void *grown(void *list, uint32_t count, uint32_t *capacity, size_t size)
{
	void *more = list;

	if (count == *capacity) {
		*capacity = *capacity == 0 ? 256 : 2 * *capacity;
		more = realloc(list, (size_t)*capacity * size);
		PLM_ASSERT(more != NULL);
	}
	return more;
}

static void add_amount(struct plm_host_pods *pods, struct plm_host_node *node, plm_sym resource,
		       int64_t amount)
{
	for (uint32_t at = node->first; at != 0; at = pods->sums[at - 1].next) {
		if (plm_sym_equal(pods->sums[at - 1].resource, resource)) {
			pods->sums[at - 1].amount = plm_add_sat(pods->sums[at - 1].amount, amount);
			return;
		}
	}
	pods->sums = grown(pods->sums, pods->sum_count, &pods->sum_capacity, sizeof(*pods->sums));
	pods->sums[pods->sum_count++] =
		(struct plm_host_sum){.resource = resource, .next = node->first, .amount = amount};
	node->first = pods->sum_count;
}

static void add_shape(struct plm_state *st, plm_id node, plm_sym shape_span)
{
	struct plm_host_node *to = &st->host_pods.nodes[node.n];
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(st, shape_span, struct plm_shape, &count);
	const struct plm_amount *amounts = NULL;

	PLM_ASSERT(count == 1);
	amounts = PLM_SPAN(st, shape->requests, struct plm_amount, &count);
	to->pods++;
	for (uint32_t i = 0; i < count; i++) {
		if (amounts[i].amount > 0) {
			add_amount(&st->host_pods, to, amounts[i].resource, amounts[i].amount);
		}
	}
}

static void enter_pod(struct plm_state *st, const struct plm_pod *pod)
{
	struct plm_host_pods *pods = &st->host_pods;
	plm_id node = {0};
	plm_id workload = {0};

	if (pod->node.n == 0 || pod->phase == PLM_PHASE_SUCCEEDED ||
	    pod->phase == PLM_PHASE_FAILED || pod->tas == 1 || pod->ungating == 1) {
		return;
	}
	node = plm_find(st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
	if (node.n == 0) {
		return;
	}
	workload = plm_pod_workload(st, pod);
	if (workload.n == 0) {
		add_shape(st, node, pod->shape);
		return;
	}
	pods->owned =
		grown(pods->owned, pods->owned_count, &pods->owned_capacity, sizeof(*pods->owned));
	pods->owned[pods->owned_count++] =
		(struct plm_host_pod){.node = node, .workload = workload, .shape = pod->shape};
}

void plm_host_pods_refresh(struct plm_state *st)
{
	struct plm_host_pods *pods = &st->host_pods;
	uint32_t bound = plm_node_bound(st);

	if (pods->fresh) {
		return;
	}
	if (bound > pods->node_count) {
		free(pods->nodes);
		pods->nodes = malloc((size_t)bound * sizeof(*pods->nodes));
		PLM_ASSERT(pods->nodes != NULL);
		pods->node_count = bound;
	}
	memset(pods->nodes, 0, (size_t)pods->node_count * sizeof(*pods->nodes));
	pods->sum_count = 0;
	pods->owned_count = 0;
	PLM_EACH(st, pod, id)
	{
		enter_pod(st, plm_pod_at(st, id));
	}
	pods->fresh = true;
}
