/*
 * project_request.c - what a pod asks for (KEP-753, kueue.md 2.1, karpenter.md 2.7)
 *
 * max(containers + sidecars, each init container + the sidecars before it), replaced by pod-level
 * requests where they are, plus overhead; a missing request is the limit. Sums are exact (10^-9) and
 * rounded up once at the end, as sums of Kubernetes quantities are.
 */
#include "adapters/manifest/project.h"

#include "core/units.h"

/* Enough for every resource that a pod names. */
#define RESOURCES_MAX 64

/* Empty when 'count' is 0: the rest is never cleared, since a pod has few of them. */
struct tally {
	struct plm_slice resource[RESOURCES_MAX];
	plm_i128 nano[RESOURCES_MAX];
	size_t count;
};

/* The amount of 'resource', made 0 when it is new; NULL when there are too many. */
static plm_i128 *cell(struct plm_project *p, struct tally *t, struct plm_slice resource)
{
	for (size_t i = 0; i < t->count; i++) {
		if (plm_slice_equal(t->resource[i], resource)) {
			return &t->nano[i];
		}
	}
	if (t->count == RESOURCES_MAX) {
		plm_doc_fail(p->tree, NULL, "a pod with more than %d resources", RESOURCES_MAX);
		return NULL;
	}
	t->resource[t->count] = resource;
	t->nano[t->count] = 0;
	return &t->nano[t->count++];
}

static plm_i128 exact(struct plm_project *p, struct plm_doc *node)
{
	struct plm_error err = {0};
	plm_i128 nano = 0;

	if (node->kind != PLM_DOC_TEXT && node->kind != PLM_DOC_NUMBER) {
		plm_doc_fail(p->tree, node, "must be a quantity");
		return 0;
	}
	if (plm_quantity_parse_exact(node->text, &nano, &err) != PLM_OK) {
		plm_doc_fail(p->tree, node, "%s", err.text);
	} else if (nano < 0) {
		plm_doc_fail(p->tree, node, "must not be negative, is %.*s", (int)node->text.size,
			     (const char *)node->text.ptr);
	}
	return nano;
}

/* The requests of one "resources", a limit where the request is missing. */
static void read_resources(struct plm_project *p, struct plm_doc *owner, struct plm_w_shape *shape,
			   struct tally *out)
{
	struct plm_doc *resources = plm_doc_map(p->tree, owner, "resources");
	struct plm_doc *requests = plm_doc_map(p->tree, resources, "requests");
	struct plm_doc *limits = plm_doc_map(p->tree, resources, "limits");
	struct plm_doc *node = requests == NULL ? NULL : requests->first;

	out->count = 0;
	for (; node != NULL; node = node->next) {
		plm_i128 *at = cell(p, out, node->key);

		if (at != NULL) {
			*at = exact(p, node);
		}
	}
	for (node = limits == NULL ? NULL : limits->first; node != NULL; node = node->next) {
		size_t before = out->count;
		plm_i128 *at = cell(p, out, node->key);
		plm_i128 limit = exact(p, node);

		if (at != NULL && out->count > before) {
			*at = limit;
		} else if (at != NULL && *at > limit && shape->over_limit.size == 0) {
			shape->over_limit = node->key;
		}
	}
}

static void add(struct plm_project *p, struct tally *to, const struct tally *from)
{
	for (size_t i = 0; i < from->count; i++) {
		plm_i128 *at = cell(p, to, from->resource[i]);

		if (at != NULL) {
			*at += from->nano[i];
		}
	}
}

static void raise(struct plm_project *p, struct tally *to, const struct tally *from)
{
	for (size_t i = 0; i < from->count; i++) {
		plm_i128 *at = cell(p, to, from->resource[i]);

		if (at != NULL && *at < from->nano[i]) {
			*at = from->nano[i];
		}
	}
}

static void replace(struct plm_project *p, struct tally *to, const struct tally *from)
{
	for (size_t i = 0; i < from->count; i++) {
		plm_i128 *at = cell(p, to, from->resource[i]);

		if (at != NULL) {
			*at = from->nano[i];
		}
	}
}

/* Containers with the sidecars, and the highest that the init sequence gets. */
static void sum_containers(struct plm_project *p, struct plm_doc *spec, struct plm_w_shape *shape,
			   struct tally *total)
{
	struct tally one;
	struct tally sidecars;
	struct tally highest;
	struct plm_doc *item = plm_doc_items(plm_doc_list(p->tree, spec, "containers"));

	sidecars.count = 0;
	highest.count = 0;
	for (; item != NULL; item = item->next) {
		read_resources(p, item, shape, &one);
		add(p, total, &one);
	}
	item = plm_doc_items(plm_doc_list(p->tree, spec, "initContainers"));
	for (; item != NULL; item = item->next) {
		read_resources(p, item, shape, &one);
		if (plm_slice_is(plm_doc_text(p->tree, item, "restartPolicy"), "Always")) {
			add(p, &sidecars, &one);
			raise(p, &highest, &sidecars);
		} else {
			add(p, &one, &sidecars);
			raise(p, &highest, &one);
		}
	}
	add(p, total, &sidecars);
	raise(p, total, &highest);
}

static void read_overhead(struct plm_project *p, struct plm_doc *spec, struct tally *total)
{
	struct plm_doc *overhead = plm_doc_map(p->tree, spec, "overhead");
	struct plm_doc *node = overhead == NULL ? NULL : overhead->first;

	for (; node != NULL; node = node->next) {
		plm_i128 *at = cell(p, total, node->key);

		if (at != NULL) {
			*at += exact(p, node);
		}
	}
}

/* By name; amounts rounded. */
static struct plm_vec sorted_amounts(struct plm_project *p, const struct tally *t)
{
	struct plm_w_amount *list = plm_project_array(p, t->count, sizeof(*list));

	for (size_t i = 0; i < t->count; i++) {
		struct plm_w_amount amount = {
			t->resource[i],
			plm_quantity_round(t->nano[i], plm_resource_scale(t->resource[i])),
		};
		size_t at = i;

		for (; at > 0 && plm_slice_compare(list[at - 1].resource, amount.resource) > 0;
		     at--) {
			list[at] = list[at - 1];
		}
		list[at] = amount;
	}
	return (struct plm_vec){list, t->count};
}

void plm_project_requests(struct plm_project *p, struct plm_doc *spec, struct plm_w_shape *shape)
{
	struct tally total;
	struct tally pod;

	total.count = 0;
	sum_containers(p, spec, shape, &total);
	read_resources(p, spec, shape, &pod);
	replace(p, &total, &pod);
	read_overhead(p, spec, &total);
	shape->requests = sorted_amounts(p, &total);
}
