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

static bool before(const struct plm_state *st, const struct plm_request *a,
		   const struct plm_request *b)
{
	return a->order != b->order ? a->order < b->order
				    : plm_sym_compare(st, a->resource, b->resource) < 0;
}

void plm_request_sort(const struct plm_state *st, struct plm_request *list, int64_t *amounts,
		      uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct plm_request request = list[i];
		int64_t amount = amounts[i];
		uint32_t at = i;

		for (; at > 0 && before(st, &request, &list[at - 1]); at--) {
			list[at] = list[at - 1];
			amounts[at] = amounts[at - 1];
		}
		list[at] = request;
		amounts[at] = amount;
	}
}

static void insert(struct plm_set_request *set, const struct plm_state *st,
		   struct plm_request request)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < set->list_count; i++) {
		if (plm_sym_equal(set->list[i].resource, request.resource)) {
			set->list[i].each = plm_add_sat(set->list[i].each, request.each);
			return;
		}
	}
	at = set->list_count++;
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

static bool excluded(const struct plm_state *st, plm_sym resource)
{
	uint32_t count = 0;
	const plm_sym *prefix = PLM_SPAN(st, plm_root(st)->exclude_prefixes, plm_sym, &count);
	struct plm_slice name = plm_str(st, resource);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice start = plm_str(st, prefix[i]);

		if (name.size >= start.size && memcmp(name.ptr, start.ptr, start.size) == 0) {
			return true;
		}
	}
	return false;
}

static const struct plm_transformation *rule_of(const struct plm_state *st, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_transformation *rule =
		PLM_SPAN(st, plm_root(st)->transformations, struct plm_transformation, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(rule[i].input, resource)) {
			return &rule[i];
		}
	}
	return NULL;
}

/* 'amount' of 'resource' as a factor: cpu is held in milli. */
static int64_t times(const struct plm_state *st, int64_t base, plm_sym resource, int64_t amount)
{
	if (plm_sym_is(st, resource, "cpu")) {
		return plm_div_ceil(plm_mul_sat(base, amount), 1000);
	}
	return plm_mul_sat(base, amount);
}

/* What a rule makes of one input: kueue.md 2.1 (6). */
static void transform(const struct plm_state *st, struct plm_set_request *set,
		      const struct plm_transformation *rule, int64_t input)
{
	uint32_t outputs = 0;
	const struct plm_amount *output = PLM_SPAN(st, rule->outputs, struct plm_amount, &outputs);
	uint32_t count = 0;
	const struct plm_amount *amount =
		PLM_SPAN(st, set->shape->requests, struct plm_amount, &count);

	for (uint32_t o = 0; o < outputs; o++) {
		int64_t made = times(st, output[o].amount, rule->input, input);

		for (uint32_t i = 0; rule->multiply_by.n != 0 && i < count; i++) {
			if (plm_sym_equal(amount[i].resource, rule->multiply_by)) {
				made = times(st, made, rule->multiply_by, amount[i].amount);
			}
		}
		insert(set, st,
		       (struct plm_request){.resource = output[o].resource,
					    .each = plm_max(0, made)});
	}
}

/* Requests that the rules of the configuration can make of 'count' inputs, and "pods". */
static uint32_t room(const struct plm_state *st, uint32_t count)
{
	uint32_t rules = 0;
	const struct plm_transformation *rule =
		PLM_SPAN(st, plm_root(st)->transformations, struct plm_transformation, &rules);
	uint32_t total = count + 1;

	for (uint32_t i = 0; i < rules; i++) {
		uint32_t outputs = 0;

		(void)PLM_SPAN(st, rule[i].outputs, struct plm_amount, &outputs);
		total += outputs;
	}
	return total;
}

static void fill_set(const struct plm_state *st, struct plm_arena *arena,
		     struct plm_set_request *set, plm_sym pods)
{
	uint32_t count = 0;
	const struct plm_amount *amount =
		PLM_SPAN(st, set->shape->requests, struct plm_amount, &count);

	set->list = PLM_NEW_ARRAY(arena, room(st, count), struct plm_request);
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_transformation *rule = NULL;
		plm_sym resource = amount[i].resource;

		if (plm_sym_equal(resource, pods) || excluded(st, resource)) {
			continue;
		}
		rule = rule_of(st, resource);
		if (rule != NULL) {
			transform(st, set, rule, amount[i].amount);
		}
		if (rule == NULL || rule->keep == 1) {
			insert(set, st,
			       (struct plm_request){.resource = resource,
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
