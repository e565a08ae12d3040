#include "reducers/admission/request.h"

#include "core/exact.h"

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

/* In place of what is there of the same resource. */
static void put(struct plm_set_request *set, const struct plm_state *st, struct plm_request request)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < set->list_count; i++) {
		if (plm_sym_equal(set->list[i].resource, request.resource)) {
			request.order = set->list[i].order;
			set->list[i] = request;
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

/* The exact amount of one pod, in whole units. */
static struct plm_decimal exactly(const struct plm_state *st, const struct plm_amount *amount)
{
	enum plm_scale scale = plm_resource_scale(plm_str(st, amount->resource));

	return plm_decimal_of(plm_exact_nano(amount->amount, amount->excess_nano, scale));
}

/* What rules make of one resource. */
struct made {
	plm_sym resource;
	struct plm_decimal sum;
};

struct making {
	const struct plm_state *st;
	const struct plm_set_request *set;
	struct made *list;
	uint32_t count;
};

static const struct plm_amount *asked(const struct making *m, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_amount *amount =
		PLM_SPAN(m->st, m->set->shape->requests, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(amount[i].resource, resource) && !excluded(m->st, resource)) {
			return &amount[i];
		}
	}
	return NULL;
}

static void make(struct making *m, plm_sym resource, struct plm_decimal amount)
{
	for (uint32_t i = 0; i < m->count; i++) {
		if (plm_sym_equal(m->list[i].resource, resource)) {
			m->list[i].sum = plm_decimal_add(m->list[i].sum, amount);
			return;
		}
	}
	m->list[m->count++] = (struct made){resource, amount};
}

/*
 * What a rule makes of one input: kueue.md 2.1 (6). Nothing is rounded before all inputs are summed up: half
 * a unit for each of two inputs is one.
 */
static void transform(struct making *m, const struct plm_transformation *rule,
		      const struct plm_amount *input)
{
	uint32_t outputs = 0;
	const struct plm_amount *output =
		PLM_SPAN(m->st, rule->outputs, struct plm_amount, &outputs);
	const struct plm_amount *times =
		rule->multiply_by.n == 0 ? NULL : asked(m, rule->multiply_by);
	struct plm_decimal base = exactly(m->st, input);

	if (times != NULL) {
		base = plm_decimal_mul(base, exactly(m->st, times));
	}
	for (uint32_t o = 0; o < outputs; o++) {
		make(m, output[o].resource, plm_decimal_mul(base, exactly(m->st, &output[o])));
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

/* What was made joins what is asked for; what comes out below 0 takes nothing away from that. */
static void insert_made(struct plm_set_request *set, struct making *m)
{
	for (uint32_t i = 0; i < m->count; i++) {
		const struct plm_amount *kept = asked(m, m->list[i].resource);
		const struct plm_transformation *rule = rule_of(m->st, m->list[i].resource);
		struct plm_decimal sum = m->list[i].sum;
		struct plm_request request = {.resource = m->list[i].resource};

		if (sum.digits < 0) {
			sum = (struct plm_decimal){0};
		}
		if (kept != NULL && (rule == NULL || rule->keep == 1)) {
			sum = plm_decimal_add(sum, exactly(m->st, kept));
		}
		request.each = plm_decimal_round(
			sum, plm_resource_scale(plm_str(m->st, request.resource)));
		put(set, m->st, request);
	}
}

static void fill_set(const struct plm_state *st, struct plm_arena *arena,
		     struct plm_set_request *set, plm_sym pods)
{
	uint32_t count = 0;
	const struct plm_amount *amount =
		PLM_SPAN(st, set->shape->requests, struct plm_amount, &count);
	uint32_t size = room(st, count);
	struct making m = {.st = st, .set = set};

	set->list = PLM_NEW_ARRAY(arena, size, struct plm_request);
	m.list = PLM_NEW_ARRAY(arena, size, struct made);
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_transformation *rule = rule_of(st, amount[i].resource);

		if (excluded(st, amount[i].resource)) {
			continue;
		}
		if (rule != NULL) {
			transform(&m, rule, &amount[i]);
		}
		if (rule == NULL || rule->keep == 1) {
			put(set, st,
			    (struct plm_request){.resource = amount[i].resource,
						 .each = plm_max(0, amount[i].amount)});
		}
	}
	insert_made(set, &m);
	if (pods.n != 0) {
		put(set, st, (struct plm_request){.resource = pods, .each = 1, .injected = true});
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
