#include "reducers/tas/tree.h"

#include "core/sort.h"
#include "reducers/tas/tas.h"

/* ---- which nodes and resources there are ------------------------------------------------------- */

static bool usable(const struct plm_node *node)
{
	return node->ready != 0 && node->unschedulable == 0;
}

static bool known(const plm_sym *list, uint32_t count, plm_sym sym)
{
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i], sym)) {
			return true;
		}
	}
	return false;
}

static int by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_tas *tas = context;

	return plm_sched_compare(&tas->sched, tas->resources[a], tas->resources[b]);
}

/* The resources that some node has, and "pods", by name. */
static void gather_resources(struct plm_tas *tas)
{
	plm_sym last = {0};
	uint32_t room = 8;
	uint32_t *order = NULL;
	plm_sym *list = PLM_NEW_ARRAY(tas->arena, room, plm_sym);

	list[tas->width++] = tas->sched.known[PLM_KNOWN_PODS];
	for (uint32_t i = 0; i < tas->node_count; i++) {
		const struct plm_node *node = plm_node_at(tas->st, tas->nodes[i].id);
		uint32_t count = 0;
		const struct plm_amount *amounts =
			PLM_SPAN(tas->st, node->allocatable, struct plm_amount, &count);

		count = plm_sym_equal(node->allocatable, last) ? 0 : count;
		last = node->allocatable;
		if (tas->width + count > room) {
			plm_sym *more = NULL;

			room = 2 * (tas->width + count);
			more = PLM_NEW_ARRAY(tas->arena, room, plm_sym);
			memcpy(more, list, tas->width * sizeof(*more));
			list = more;
		}
		for (uint32_t k = 0; k < count; k++) {
			if (!known(list, tas->width, amounts[k].resource)) {
				list[tas->width++] = amounts[k].resource;
			}
		}
	}
	tas->resources = list;
	order = PLM_NEW_ARRAY(tas->arena, tas->width, uint32_t);
	for (uint32_t i = 0; i < tas->width; i++) {
		order[i] = i;
	}
	plm_sort(order, tas->width, by_name, tas, tas->arena);
	tas->resources = PLM_NEW_ARRAY(tas->arena, tas->width, plm_sym);
	for (uint32_t i = 0; i < tas->width; i++) {
		tas->resources[i] = list[order[i]];
	}
}

static uint32_t resource_index(const struct plm_tas *tas, plm_sym resource)
{
	for (uint32_t i = 0; i < tas->width; i++) {
		if (plm_sym_equal(tas->resources[i], resource)) {
			return i;
		}
	}
	return PLM_TAS_NONE;
}

/* ---- hosts ------------------------------------------------------------------------------------- */

static uint32_t host_place(const struct plm_tas *tas, plm_sym host)
{
	uint32_t at = (host.n * 2654435769U) & tas->host_mask;

	while (tas->host_index[at] != 0 &&
	       !plm_sym_equal(tas->hosts[tas->host_index[at] - 1], host)) {
		at = (at + 1) & tas->host_mask;
	}
	return at;
}

uint32_t plm_tas_host(const struct plm_tas *tas, plm_sym host)
{
	uint32_t at = host_place(tas, host);

	return tas->host_index[at] == 0 ? PLM_TAS_NONE : tas->host_index[at] - 1;
}

static void gather_hosts(struct plm_tas *tas)
{
	uint32_t size = 16;

	while (size < 2 * tas->node_count) {
		size *= 2;
	}
	tas->host_mask = size - 1;
	PLM_ASSERT((size & tas->host_mask) == 0);
	tas->host_index = PLM_NEW_ARRAY(tas->arena, size, uint32_t);
	tas->hosts = PLM_NEW_ARRAY(tas->arena, tas->node_count, plm_sym);
	for (uint32_t i = 0; i < tas->node_count; i++) {
		const struct plm_node *node = plm_node_at(tas->st, tas->nodes[i].id);
		plm_sym host = {0};
		uint32_t at = 0;

		tas->nodes[i].slot = PLM_TAS_NONE;
		if (!plm_kv_get(tas->st, node->object.labels, tas->sched.known[PLM_KNOWN_HOSTNAME],
				&host)) {
			continue;
		}
		at = host_place(tas, host);
		if (tas->host_index[at] == 0) {
			tas->hosts[tas->host_count++] = host;
			tas->host_index[at] = tas->host_count;
		}
		tas->nodes[i].slot = tas->host_index[at] - 1;
	}
	tas->host_used = PLM_NEW_ARRAY(tas->arena, (size_t)tas->host_count * tas->width, int64_t);
	tas->host_assumed =
		PLM_NEW_ARRAY(tas->arena, (size_t)tas->host_count * tas->width, int64_t);
}

/* ---- room -------------------------------------------------------------------------------------- */

static void enter_allocatable(struct plm_tas *tas)
{
	for (uint32_t i = 0; i < tas->node_count; i++) {
		const struct plm_node *node = plm_node_at(tas->st, tas->nodes[i].id);
		int64_t *row = plm_tas_row(tas, tas->free, i);
		uint32_t count = 0;
		const struct plm_amount *amounts =
			PLM_SPAN(tas->st, node->allocatable, struct plm_amount, &count);

		for (uint32_t k = 0; k < count; k++) {
			row[resource_index(tas, amounts[k].resource)] = amounts[k].amount;
		}
	}
}

static void take_shape(struct plm_tas *tas, plm_id node, plm_sym shape_span)
{
	size_t mark = plm_arena_mark(tas->arena);
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(tas->st, shape_span, struct plm_shape, &count);

	if (count == 1 && tas->node_of[node.n] != 0) {
		const struct plm_amount *each =
			PLM_SPAN(tas->st, shape->requests, struct plm_amount, &count);
		struct plm_tas_each one = plm_tas_each_make(tas, each, count);

		plm_tas_charge(tas, plm_tas_row(tas, tas->free, tas->node_of[node.n] - 1), &one,
			       -1);
	}
	plm_arena_rewind(tas->arena, mark);
}

/* Pods on nodes that no topology placed: they are seen, not accounted for by a workload. The slow twin. */
static void take_other_pods(struct plm_tas *tas)
{
	PLM_EACH(tas->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(tas->st, id);
		plm_id node = {0};

		if (pod->node.n == 0 || pod->phase == PLM_PHASE_SUCCEEDED ||
		    pod->phase == PLM_PHASE_FAILED || plm_tas_pod(tas->st, pod)) {
			continue;
		}
		node = plm_find(tas->st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
		if (node.n != 0) {
			take_shape(tas, node, pod->shape);
		}
	}
}

/* The same by the sums that the last CYCLE left. */
static void take_sums(struct plm_tas *tas)
{
	const struct plm_host_pods *pods = &tas->st->host_pods;
	uint32_t count_column = resource_index(tas, tas->sched.known[PLM_KNOWN_PODS]);

	for (uint32_t i = 0; i < tas->node_count; i++) {
		const struct plm_host_node *node = &pods->nodes[tas->nodes[i].id.n];
		int64_t *row = plm_tas_row(tas, tas->free, i);

		PLM_ASSERT(tas->nodes[i].id.n < pods->node_count);
		for (uint32_t at = node->first; at != 0; at = pods->sums[at - 1].next) {
			uint32_t column = resource_index(tas, pods->sums[at - 1].resource);

			if (column != PLM_TAS_NONE && column != count_column) {
				row[column] = plm_add_sat(row[column], -pods->sums[at - 1].amount);
			}
		}
		row[count_column] = plm_add_sat(row[count_column], -(int64_t)node->pods);
	}
	for (uint32_t i = 0; i < pods->owned_count; i++) {
		const struct plm_host_pod *pod = &pods->owned[i];

		if (!plm_tas_workload(tas->st, pod->workload)) {
			take_shape(tas, pod->node, pod->shape);
		}
	}
}

void plm_tas_nodes_make(struct plm_tas *tas)
{
	uint32_t bound = plm_node_bound(tas->st);

	tas->nodes = PLM_NEW_ARRAY(tas->arena, bound, struct plm_tas_node);
	tas->node_of = PLM_NEW_ARRAY(tas->arena, bound, uint32_t);
	PLM_EACH(tas->st, node, id)
	{
		if (usable(plm_node_at(tas->st, id))) {
			tas->nodes[tas->node_count].id = id;
			tas->node_of[id.n] = ++tas->node_count;
		}
	}
	gather_resources(tas);
	gather_hosts(tas);
	tas->free = PLM_NEW_ARRAY(tas->arena, (size_t)tas->node_count * tas->width, int64_t);
	enter_allocatable(tas);
	if (tas->st->host_pods.fresh) {
		take_sums(tas);
	} else {
		take_other_pods(tas);
	}
}

/* ---- pods as numbers --------------------------------------------------------------------------- */

/* Keep 'at' in its place among the resources so far. */
static void put(struct plm_tas_each *pod, uint32_t at, int64_t amount)
{
	uint32_t i = pod->count++;

	while (i > 0 && pod->resource[i - 1] > at) {
		pod->resource[i] = pod->resource[i - 1];
		pod->amount[i] = pod->amount[i - 1];
		i--;
	}
	pod->resource[i] = at;
	pod->amount[i] = amount;
}

struct plm_tas_each plm_tas_each_make(const struct plm_tas *tas, const struct plm_amount *each,
				      uint32_t count)
{
	plm_sym pods = tas->sched.known[PLM_KNOWN_PODS];
	struct plm_tas_each pod = {
		.resource = PLM_NEW_ARRAY(tas->arena, count + 1, uint32_t),
		.amount = PLM_NEW_ARRAY(tas->arena, count + 1, int64_t),
	};

	put(&pod, resource_index(tas, pods), 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = resource_index(tas, each[i].resource);

		if (each[i].amount <= 0 || plm_sym_equal(each[i].resource, pods)) {
			continue;
		}
		if (at != PLM_TAS_NONE) {
			put(&pod, at, each[i].amount);
		} else if (pod.missing.n == 0 ||
			   plm_sched_compare(&tas->sched, each[i].resource, pod.missing) < 0) {
			pod.missing = each[i].resource;
		}
	}
	PLM_ASSERT(pod.amount[0] > 0);
	PLM_ASSERT(pod.count >= 1 && pod.count <= count + 1);
	return pod;
}

void plm_tas_charge(const struct plm_tas *tas, int64_t *row, const struct plm_tas_each *pod,
		    int64_t count)
{
	for (uint32_t i = 0; i < pod->count; i++) {
		PLM_ASSERT(pod->resource[i] < tas->width);
		row[pod->resource[i]] =
			plm_add_sat(row[pod->resource[i]], plm_mul_sat(pod->amount[i], count));
	}
}
