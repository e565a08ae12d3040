#include "reducers/cluster/pod_limits.h"

/* One shape being looked at. */
struct exam {
	const struct plm_state *st;
	const struct plm_pod_limits *limits;
	struct plm_asks asks, bounds; /* requests and limits of the container at hand */
	struct plm_asks whole;	      /* of the pod */
	bool has_whole;
	struct plm_breach over, range;
};

static const struct plm_amount *amounts(const struct plm_state *st, plm_sym span, uint32_t *count)
{
	return PLM_SPAN(st, span, struct plm_amount, count);
}

static enum plm_scale scale_of(const struct plm_state *st, uint32_t key)
{
	return plm_resource_scale(plm_str(st, (plm_sym){key}));
}

static void fill_from(const struct plm_state *st, struct plm_asks *to, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_amount *amount = amounts(st, span, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_asks_fill(to, amount[i].resource.n,
			      plm_exact_nano(amount[i].amount, amount[i].excess_nano,
					     scale_of(st, amount[i].resource.n)));
	}
}

static int64_t rounded(const struct plm_state *st, const struct plm_ask *ask)
{
	int64_t amount = 0;
	int64_t excess_nano = 0;

	plm_exact_split(ask->nano, scale_of(st, ask->key), &amount, &excess_nano);
	return amount;
}

struct plm_pod_limits plm_pod_limits_of(const struct plm_state *st, plm_sym ns,
					const struct plm_shape *shape)
{
	struct plm_pod_limits limits = {.overhead = shape->overhead};
	plm_id space = plm_find(st, PLM_KIND_NAMESPACE, (plm_sym){0}, ns);
	plm_id class = {0};

	if (space.n != 0) {
		uint32_t count = 0;
		const struct plm_limit_item *item = PLM_SPAN(
			st, plm_namespace_at(st, space)->limits, struct plm_limit_item, &count);

		for (uint32_t i = 0; i < count; i++) {
			if (item[i].type == PLM_LIMIT_TYPE_CONTAINER) {
				limits.container = &item[i];
			} else if (item[i].type == PLM_LIMIT_TYPE_POD) {
				limits.pod = &item[i];
			}
		}
	}
	if (shape->overhead.n == 0 && shape->runtime_class.n != 0) {
		class = plm_find(st, PLM_KIND_RUNTIME_CLASS, (plm_sym){0}, shape->runtime_class);
	}
	if (class.n != 0) {
		limits.overhead = plm_runtime_class_at(st, class)->overhead;
	}
	return limits;
}

/* ---- bounds ------------------------------------------------------------------------------------ */

/* A request above the container's own limit. */
static void check_own(struct exam *e, const struct plm_container *container, uint32_t index)
{
	for (uint32_t i = 0; e->over.rule == PLM_RULE_NONE && i < e->asks.count; i++) {
		const struct plm_ask *ask = &e->asks.list[i];
		const struct plm_ask *bound = plm_asks_find(&e->bounds, ask->key);

		if (bound != NULL && rounded(e->st, ask) > rounded(e->st, bound)) {
			e->over = (struct plm_breach){
				.rule = PLM_RULE_LIMITS,
				.where = (enum plm_container_role)container->role,
				.index = index,
				.resource = {ask->key},
				.need = rounded(e->st, ask),
				.limit = rounded(e->st, bound),
			};
		}
	}
}

/* The higher (or lower) of what is asked for and the limit, as the range is held against it. */
static bool extreme(const struct exam *e, uint32_t key, bool lowest, int64_t *out)
{
	const struct plm_ask *ask = plm_asks_find(&e->asks, key);
	const struct plm_ask *bound = plm_asks_find(&e->bounds, key);

	if (ask == NULL && bound == NULL) {
		return false;
	}
	*out = rounded(e->st, ask != NULL ? ask : bound);
	if (ask != NULL && bound != NULL) {
		int64_t other = rounded(e->st, bound);

		*out = lowest ? plm_min(*out, other) : plm_max(*out, other);
	}
	return true;
}

/* 'asks' and 'bounds' against one side of an item of a LimitRange. */
static void check_side(struct exam *e, plm_sym side, bool below, struct plm_breach at)
{
	uint32_t count = 0;
	const struct plm_amount *bound = amounts(e->st, side, &count);

	for (uint32_t i = 0; e->range.rule == PLM_RULE_NONE && i < count; i++) {
		int64_t have = 0;

		if (extreme(e, bound[i].resource.n, below, &have) &&
		    (below ? have < bound[i].amount : have > bound[i].amount)) {
			e->range = at;
			e->range.rule = below ? PLM_RULE_LIMIT_RANGE_MIN : PLM_RULE_LIMIT_RANGE_MAX;
			e->range.resource = bound[i].resource;
			e->range.need = have;
			e->range.limit = bound[i].amount;
		}
	}
}

static void check_item(struct exam *e, const struct plm_limit_item *item, struct plm_breach at)
{
	if (item != NULL) {
		check_side(e, item->max, false, at);
		check_side(e, item->min, true, at);
	}
}

/* ---- the pod ----------------------------------------------------------------------------------- */

/* Requests and limits of 'container' with the defaults, into 'asks' and 'bounds'. */
static void read_container(struct exam *e, const struct plm_container *container, uint32_t index)
{
	bool pod = container->role == PLM_CONTAINER_POD;
	const struct plm_limit_item *item = pod ? e->limits->pod : e->limits->container;
	struct plm_breach at = {.where = (enum plm_container_role)container->role, .index = index};

	e->asks.count = 0;
	e->bounds.count = 0;
	fill_from(e->st, &e->asks, container->requests);
	fill_from(e->st, &e->bounds, container->limits);
	if (item != NULL) {
		fill_from(e->st, &e->bounds, item->default_limits);
		fill_from(e->st, &e->asks, item->default_requests);
	}
	check_own(e, container, index);
	for (uint32_t i = 0; i < e->bounds.count; i++) {
		plm_asks_fill(&e->asks, e->bounds.list[i].key, e->bounds.list[i].nano);
	}
	if (!pod) {
		check_item(e, item, at);
	}
}

static void add_container(struct exam *e, struct plm_pod_sum *sum, uint32_t role)
{
	switch ((enum plm_container_role)role) {
	case PLM_CONTAINER_MAIN:
		plm_pod_sum_add(sum, PLM_POD_PART_MAIN, &e->asks);
		break;
	case PLM_CONTAINER_INIT:
		plm_pod_sum_add(sum, PLM_POD_PART_INIT, &e->asks);
		break;
	case PLM_CONTAINER_SIDECAR:
		plm_pod_sum_add(sum, PLM_POD_PART_SIDECAR, &e->asks);
		break;
	case PLM_CONTAINER_POD:
		PLM_ASSERT(!e->has_whole);
		e->has_whole = true;
		for (uint32_t i = 0; i < e->asks.count; i++) {
			plm_asks_put(&e->whole, e->asks.list[i].key, e->asks.list[i].nano);
		}
		break;
	}
}

static uint32_t size_of(const struct plm_state *st, plm_sym span)
{
	uint32_t count = 0;

	(void)amounts(st, span, &count);
	return count;
}

static uint32_t item_size(const struct plm_state *st, const struct plm_limit_item *item)
{
	return item == NULL
		       ? 0
		       : size_of(st, item->default_limits) + size_of(st, item->default_requests);
}

/* Resources that can occur at most. */
static uint32_t room_for(const struct exam *e, const struct plm_container *list, uint32_t count)
{
	uint32_t room = item_size(e->st, e->limits->container) + item_size(e->st, e->limits->pod) +
			size_of(e->st, e->limits->overhead);

	for (uint32_t i = 0; i < count; i++) {
		room += size_of(e->st, list[i].requests) + size_of(e->st, list[i].limits);
	}
	return room;
}

struct plm_pod_exam plm_pod_examine(const struct plm_state *st, const struct plm_shape *shape,
				    const struct plm_pod_limits *limits, struct plm_arena *arena)
{
	struct exam e = {.st = st, .limits = limits};
	uint32_t count = 0;
	const struct plm_container *list =
		PLM_SPAN(st, shape->containers, struct plm_container, &count);
	uint32_t room = room_for(&e, list, count);
	struct plm_pod_sum sum = plm_pod_sum_begin(arena, room);
	struct plm_asks overhead = plm_asks_make(arena, room);
	struct plm_pod_exam exam = {0};
	uint32_t init = 0;
	uint32_t main = 0;

	e.asks = plm_asks_make(arena, room);
	e.bounds = plm_asks_make(arena, room);
	e.whole = plm_asks_make(arena, room);
	for (uint32_t i = 0; i < count; i++) {
		bool first =
			list[i].role == PLM_CONTAINER_INIT || list[i].role == PLM_CONTAINER_SIDECAR;

		read_container(&e, &list[i], first ? init++ : main++);
		add_container(&e, &sum, list[i].role);
	}
	fill_from(st, &overhead, limits->overhead);
	exam.requests = *plm_pod_sum_end(&sum, &e.whole, &overhead);
	e.asks = exam.requests;
	e.bounds.count = 0;
	check_item(&e, limits->pod, (struct plm_breach){.where = PLM_CONTAINER_POD});
	exam.limits = e.over;
	exam.range = e.range;
	return exam;
}

plm_sym plm_pod_asks_intern(struct plm_state *st, const struct plm_asks *asks,
			    struct plm_arena *scratch)
{
	size_t mark = plm_arena_mark(scratch);
	struct plm_amount *list = PLM_NEW_ARRAY(scratch, asks->count, struct plm_amount);
	plm_sym span = {0};

	for (uint32_t i = 0; i < asks->count; i++) {
		struct plm_amount row = {.resource = {asks->list[i].key}};
		int64_t excess_nano = 0;
		uint32_t at = i;

		plm_exact_split(asks->list[i].nano, scale_of(st, row.resource.n), &row.amount,
				&excess_nano);
		row.excess_nano = (uint32_t)excess_nano;
		for (; at > 0 && plm_sym_compare(st, list[at - 1].resource, row.resource) > 0;
		     at--) {
			list[at] = list[at - 1];
		}
		list[at] = row;
	}
	span = plm_intern_span(st, list, asks->count, sizeof(*list));
	plm_arena_rewind(scratch, mark);
	return span;
}
