/*
 * project_request.c - what a pod asks for, as written and summed up (KEP-753, kueue.md 2.1)
 *
 * The sum is Kubernetes' pod request rule (core/exact.h) over what is written: a missing request is the
 * limit. What LimitRanges and RuntimeClasses add is for the reducers, which is why each container stays
 * readable on its own in 'containers'.
 */
#include "adapters/manifest/project.h"

#include "core/exact.h"
#include "core/limits.h"
#include "core/units.h"

/* Resources by number, so that sums need not compare texts. */
struct names {
	struct plm_slice text[PLM_LIMIT_POD_RESOURCES];
	uint32_t count;
};

enum {
	ROOM_TOTAL,
	ROOM_SIDECARS,
	ROOM_HIGHEST,
	ROOM_ONE,
	ROOM_ASKS,
	ROOM_OVERHEAD,
	ROOMS
};

/* Everything that one pod spec asks for. Names and room are never cleared: a pod has few resources. */
struct reading {
	struct plm_project *p;
	struct names names;
	struct plm_ask room[ROOMS][PLM_LIMIT_POD_RESOURCES];
	struct plm_pod_sum sum;
	struct plm_asks asks; /* of the container at hand: requests, limits where there is none */
	struct plm_w_container *list;
	size_t count;
	bool plain; /* no limits, nothing finer than the unit of a resource */
};

/* The number of 'name'; the last one for all when there are too many, which is a failure. */
static uint32_t key_of(struct reading *r, struct plm_slice name)
{
	for (uint32_t i = 0; i < r->names.count; i++) {
		if (plm_slice_equal(r->names.text[i], name)) {
			return i;
		}
	}
	if (r->names.count == PLM_LIMIT_POD_RESOURCES) {
		plm_doc_fail(r->p->tree, NULL, "a pod with more than %d resources",
			     PLM_LIMIT_POD_RESOURCES);
		return PLM_LIMIT_POD_RESOURCES - 1;
	}
	r->names.text[r->names.count] = name;
	return r->names.count++;
}

static plm_i128 read_nano(struct plm_project *p, struct plm_doc *node, bool negative)
{
	struct plm_error err = {0};
	plm_i128 nano = 0;

	if (node->kind != PLM_DOC_TEXT && node->kind != PLM_DOC_NUMBER) {
		plm_doc_fail(p->tree, node, "must be a quantity");
		return 0;
	}
	if (plm_quantity_parse_exact(node->text, &nano, &err) != PLM_OK) {
		plm_doc_fail(p->tree, node, "%s", err.text);
	} else if (nano < 0 && !negative) {
		plm_doc_fail(p->tree, node, "must not be negative, is %.*s", (int)node->text.size,
			     (const char *)node->text.ptr);
		return 0;
	}
	return nano;
}

struct plm_vec plm_project_exact(struct plm_project *p, struct plm_doc *map, const char *key,
				 bool negative)
{
	struct plm_doc *amounts = plm_doc_map(p->tree, map, key);
	struct plm_w_exact *list =
		plm_project_array(p, amounts == NULL ? 0 : amounts->count, sizeof(*list));
	struct plm_doc *node = amounts == NULL ? NULL : amounts->first;
	size_t count = 0;

	for (; node != NULL; node = node->next, count++) {
		struct plm_w_exact row = {.resource = node->key};
		size_t at = count;

		node->seen = 1;
		plm_exact_split(read_nano(p, node, negative), plm_resource_scale(node->key),
				&row.amount, &row.excess_nano);
		for (; at > 0 && plm_slice_compare(list[at - 1].resource, row.resource) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = row;
	}
	return (struct plm_vec){list, count};
}

static plm_i128 nano_of(const struct plm_w_exact *row)
{
	return plm_exact_nano(row->amount, row->excess_nano, plm_resource_scale(row->resource));
}

static bool is_plain(struct plm_vec requests)
{
	const struct plm_w_exact *row = requests.ptr;

	for (size_t i = 0; i < requests.count; i++) {
		if (row[i].excess_nano != 0) {
			return false;
		}
	}
	return true;
}

/* The "resources" of 'owner' into the list of containers and into 'asks'; false: it names none. */
static bool read_one(struct reading *r, struct plm_doc *owner, enum plm_container_role role)
{
	struct plm_doc *resources = plm_doc_map(r->p->tree, owner, "resources");
	struct plm_w_container *one = &r->list[r->count++];
	const struct plm_w_exact *row = NULL;

	*one = (struct plm_w_container){
		.role = role,
		.requests = plm_project_exact(r->p, resources, "requests", false),
		.limits = plm_project_exact(r->p, resources, "limits", false),
	};
	r->asks.count = 0;
	row = one->requests.ptr;
	for (size_t i = 0; i < one->requests.count; i++) {
		plm_asks_put(&r->asks, key_of(r, row[i].resource), nano_of(&row[i]));
	}
	row = one->limits.ptr;
	for (size_t i = 0; i < one->limits.count; i++) {
		plm_asks_fill(&r->asks, key_of(r, row[i].resource), nano_of(&row[i]));
	}
	r->plain = r->plain && one->limits.count == 0 && is_plain(one->requests);
	return resources != NULL;
}

static void read_containers(struct reading *r, struct plm_doc *spec)
{
	struct plm_doc *item = plm_doc_items(plm_doc_list(r->p->tree, spec, "initContainers"));

	for (; item != NULL; item = item->next) {
		bool stays =
			plm_slice_is(plm_doc_text(r->p->tree, item, "restartPolicy"), "Always");

		(void)read_one(r, item, stays ? PLM_CONTAINER_SIDECAR : PLM_CONTAINER_INIT);
		plm_pod_sum_add(&r->sum, stays ? PLM_POD_PART_SIDECAR : PLM_POD_PART_INIT,
				&r->asks);
		r->plain = false;
	}
	item = plm_doc_items(plm_doc_list(r->p->tree, spec, "containers"));
	for (; item != NULL; item = item->next) {
		(void)read_one(r, item, PLM_CONTAINER_MAIN);
		plm_pod_sum_add(&r->sum, PLM_POD_PART_MAIN, &r->asks);
	}
}

static struct plm_asks room_of(struct reading *r, size_t which)
{
	return (struct plm_asks){.list = r->room[which], .capacity = PLM_LIMIT_POD_RESOURCES};
}

static struct plm_asks read_overhead(struct reading *r, struct plm_doc *spec,
				     struct plm_w_shape *shape)
{
	struct plm_asks overhead = room_of(r, ROOM_OVERHEAD);
	const struct plm_w_exact *row = NULL;

	shape->overhead = plm_project_exact(r->p, spec, "overhead", false);
	row = shape->overhead.ptr;
	for (size_t i = 0; i < shape->overhead.count; i++) {
		plm_asks_put(&overhead, key_of(r, row[i].resource), nano_of(&row[i]));
	}
	return overhead;
}

/* By name; amounts rounded. */
static struct plm_vec sorted_amounts(const struct reading *r, const struct plm_asks *asks)
{
	struct plm_w_amount *list = plm_project_array(r->p, asks->count, sizeof(*list));

	for (size_t i = 0; i < asks->count; i++) {
		struct plm_slice name = r->names.text[asks->list[i].key];
		struct plm_w_amount amount = {.resource = name};
		int64_t excess_nano = 0;
		size_t at = i;

		plm_exact_split(asks->list[i].nano, plm_resource_scale(name), &amount.amount,
				&excess_nano);
		for (; at > 0 && plm_slice_compare(list[at - 1].resource, amount.resource) > 0;
		     at--) {
			list[at] = list[at - 1];
		}
		list[at] = amount;
	}
	return (struct plm_vec){list, asks->count};
}

static size_t container_count(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *init = plm_doc_list(p->tree, spec, "initContainers");
	struct plm_doc *main = plm_doc_list(p->tree, spec, "containers");

	return (init == NULL ? 0 : init->count) + (main == NULL ? 0 : main->count) + 1;
}

void plm_project_requests(struct plm_project *p, struct plm_doc *spec, struct plm_w_shape *shape)
{
	struct reading r;
	struct plm_asks overhead;
	struct plm_asks whole = {0};
	const struct plm_asks *total = NULL;

	r.p = p;
	r.names.count = 0;
	r.sum = (struct plm_pod_sum){.total = room_of(&r, ROOM_TOTAL),
				     .sidecars = room_of(&r, ROOM_SIDECARS),
				     .highest = room_of(&r, ROOM_HIGHEST),
				     .one = room_of(&r, ROOM_ONE)};
	r.asks = room_of(&r, ROOM_ASKS);
	r.count = 0;
	r.plain = true;
	r.list = plm_project_array(p, container_count(p, spec), sizeof(*r.list));
	read_containers(&r, spec);
	r.plain = r.plain && r.count == 1;
	if (read_one(&r, spec, PLM_CONTAINER_POD)) {
		whole = r.asks;
		r.plain = false;
	} else {
		r.count--;
	}
	overhead = read_overhead(&r, spec, shape);
	total = plm_pod_sum_end(&r.sum, &whole, &overhead);
	shape->requests = sorted_amounts(&r, total);
	if (!r.plain || overhead.count > 0) {
		shape->containers = (struct plm_vec){r.list, r.count};
	}
}
