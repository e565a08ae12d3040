/* Topology-aware scheduling: Topology, requests of pod sets, assignments: kueue.md 1.3, 1.5, 1.6, 1.8. */
#include "adapters/manifest/build.h"
#include "adapters/manifest/project.h"

#include "core/limits.h"
#include "core/units.h"

#define REQUIRED "kueue.x-k8s.io/podset-required-topology"
#define PREFERRED "kueue.x-k8s.io/podset-preferred-topology"
#define UNCONSTRAINED "kueue.x-k8s.io/podset-unconstrained-topology"
#define SLICE_LEVEL "kueue.x-k8s.io/podset-slice-required-topology"
#define SLICE_SIZE "kueue.x-k8s.io/podset-slice-size"
#define SLICE_LAYERS "kueue.x-k8s.io/podset-slice-required-topology-constraints"
#define GROUP_NAME "kueue.x-k8s.io/podset-group-name"
#define INDEX_OFFSET "kueue.x-k8s.io/pod-index-offset"
#define HOSTNAME "kubernetes.io/hostname"

/* ---- Topology ---------------------------------------------------------------------------------- */

void plm_project_tas_topology(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_topology *topology = payload;
	struct plm_doc *list = plm_doc_list(p->tree, plm_doc_map(p->tree, root, "spec"), "levels");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_slice *levels = plm_project_array(p, count, sizeof(*levels));
	size_t at = 0;

	if (count == 0 || count > PLM_LIMIT_TOPOLOGY_LEVELS) {
		plm_doc_fail(p->tree, list == NULL ? root : list, "1 to %d levels are required",
			     PLM_LIMIT_TOPOLOGY_LEVELS);
		return;
	}
	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		levels[at] = plm_doc_text_required(p->tree, item, "nodeLabel");
		for (size_t i = 0; i < at; i++) {
			if (plm_slice_equal(levels[i], levels[at])) {
				plm_doc_fail(p->tree, item, "%.*s stands twice in it",
					     (int)levels[at].size, (const char *)levels[at].ptr);
			}
		}
		if (plm_slice_is(levels[at], HOSTNAME) && at + 1 < count) {
			plm_doc_fail(p->tree, item, "%s may be the lowest level only", HOSTNAME);
		}
	}
	topology->levels = (struct plm_vec){levels, count};
}

/* ---- requests of pod sets ---------------------------------------------------------------------- */

/* {topology, size} each, outermost first. */
static struct plm_vec read_layers(struct plm_project *p, struct plm_doc_tree *tree,
				  struct plm_doc *list)
{
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_topology_slice *out = plm_project_array(p, count, sizeof(*out));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		out[at].level = plm_doc_text_required(tree, item, "topology");
		out[at].size = plm_doc_count(tree, item, "size", 0);
	}
	return (struct plm_vec){out, count};
}

/* The pair of level and size is a list of one; neither is a list of none. */
static void set_slice(struct plm_project *p, struct plm_doc *place, struct plm_slice level,
		      int64_t size, struct plm_w_pod_set_spec *set)
{
	struct plm_w_topology_slice *one = NULL;

	if (level.size == 0 && size == PLM_UNSET) {
		return;
	}
	if (level.size == 0 || size == PLM_UNSET) {
		plm_doc_fail(p->tree, place, "the level of slices and their size go together");
		return;
	}
	if (set->topology_slices.count > 0) {
		plm_doc_fail(p->tree, place, "one slice and layers of slices exclude each other");
		return;
	}
	one = PLM_NEW(p->arena, struct plm_w_topology_slice);
	*one = (struct plm_w_topology_slice){.level = level, .size = size};
	set->topology_slices = (struct plm_vec){one, 1};
}

/* An inner layer divides the one around it: kueue.md 2.15. */
static void check_slices(struct plm_project *p, struct plm_doc *place,
			 const struct plm_w_pod_set_spec *set)
{
	const struct plm_w_topology_slice *slices = set->topology_slices.ptr;

	if (set->topology_slices.count > PLM_LIMIT_TOPOLOGY_SLICES) {
		plm_doc_fail(p->tree, place, "at most %d layers of slices",
			     PLM_LIMIT_TOPOLOGY_SLICES);
	}
	for (size_t i = 0; i < set->topology_slices.count; i++) {
		if (slices[i].size < 1) {
			plm_doc_fail(p->tree, place, "a slice has at least one pod");
			return;
		}
		if (i > 0 && slices[i - 1].size % slices[i].size != 0) {
			plm_doc_fail(p->tree, place,
				     "slices of %lld pods do not divide those of %lld around them",
				     (long long)slices[i].size, (long long)slices[i - 1].size);
			return;
		}
	}
}

static void check_wish(struct plm_project *p, struct plm_doc *place,
		       const struct plm_w_pod_set_spec *set)
{
	int asked = (set->topology_required.size > 0) + (set->topology_preferred.size > 0) +
		    (set->topology_unconstrained == 1);

	if (asked > 1) {
		plm_doc_fail(p->tree, place,
			     "required, preferred and unconstrained topology exclude each other");
	}
	check_slices(p, place, set);
}

void plm_project_topology_request(struct plm_project *p, struct plm_doc *pod_set,
				  struct plm_w_pod_set_spec *set)
{
	struct plm_doc *request = plm_doc_map(p->tree, pod_set, "topologyRequest");

	if (request == NULL) {
		return;
	}
	set->topology_required = plm_doc_text(p->tree, request, "required");
	set->topology_preferred = plm_doc_text(p->tree, request, "preferred");
	set->topology_unconstrained = plm_doc_bool(p->tree, request, "unconstrained", 0);
	set->topology_group = plm_doc_text(p->tree, request, "podSetGroupName");
	set->pod_index_label = plm_doc_text(p->tree, request, "podIndexLabel");
	set->sub_group_label = plm_doc_text(p->tree, request, "subGroupIndexLabel");
	set->sub_group_count = plm_doc_count(p->tree, request, "subGroupCount", 0);
	set->topology_slices = read_layers(
		p, p->tree,
		plm_doc_list(p->tree, request, "podsetSliceRequiredTopologyConstraints"));
	set_slice(p, request, plm_doc_text(p->tree, request, "podSetSliceRequiredTopology"),
		  plm_doc_count(p->tree, request, "podSetSliceSize", PLM_UNSET), set);
	set->topology_asked = set->topology_required.size > 0 || set->topology_preferred.size > 0 ||
			      plm_doc_get(request, "unconstrained") != NULL ||
			      set->topology_slices.count > 0;
	check_slices(p, request, set);
}

static int64_t annotated_count(struct plm_project *p, struct plm_doc *template, const char *name)
{
	struct plm_slice text = plm_project_annotation(p, template, name);
	int64_t value = PLM_UNSET;

	if (text.size > 0 && (!plm_integer_parse(text, &value) || value < 0 || value > INT32_MAX)) {
		plm_doc_fail(p->tree, template, "annotation %s must be a whole number", name);
		return PLM_UNSET;
	}
	return text.size > 0 ? value : PLM_UNSET;
}

/* JSON in an annotation, which is YAML too. */
static void annotated_layers(struct plm_project *p, struct plm_doc *template,
			     struct plm_w_pod_set_spec *set)
{
	struct plm_slice text = plm_project_annotation(p, template, SLICE_LAYERS);
	struct plm_doc_tree inner = {.file = p->tree->file, .arena = p->arena};
	struct plm_error err = {0};

	if (text.size == 0) {
		return;
	}
	plm_yaml_parse(&inner, text, template->line);
	if (inner.code == PLM_OK && (inner.root == NULL || inner.root->kind != PLM_DOC_LIST)) {
		plm_doc_fail(&inner, inner.root, "must be a list of {topology, size}");
	}
	if (inner.code == PLM_OK) {
		set->topology_slices = read_layers(p, &inner, inner.root);
	}
	if (plm_doc_result(&inner, &err) != PLM_OK) {
		plm_doc_fail(p->tree, template, "annotation %s: %s", SLICE_LAYERS, err.text);
	}
}

void plm_project_topology_wish(struct plm_project *p, struct plm_doc *template,
			       const char *index_label, struct plm_w_pod_set_spec *set)
{
	struct plm_slice unconstrained = plm_project_annotation(p, template, UNCONSTRAINED);

	set->topology_required = plm_project_annotation(p, template, REQUIRED);
	set->topology_preferred = plm_project_annotation(p, template, PREFERRED);
	set->topology_unconstrained = plm_slice_is(unconstrained, "true");
	if (unconstrained.size > 0 && set->topology_unconstrained == 0 &&
	    !plm_slice_is(unconstrained, "false")) {
		plm_doc_fail(p->tree, template, "annotation %s must be true or false",
			     UNCONSTRAINED);
	}
	annotated_layers(p, template, set);
	set_slice(p, template, plm_project_annotation(p, template, SLICE_LEVEL),
		  annotated_count(p, template, SLICE_SIZE), set);
	set->topology_asked = set->topology_required.size > 0 || set->topology_preferred.size > 0 ||
			      unconstrained.size > 0 || set->topology_slices.count > 0;
	if (set->topology_asked == 0) {
		return;
	}
	set->topology_group = plm_project_annotation(p, template, GROUP_NAME);
	set->pod_index_label =
		index_label == NULL ? (struct plm_slice){0} : plm_slice_str(index_label);
	set->index_offset = plm_max(0, annotated_count(p, template, INDEX_OFFSET));
	check_wish(p, template, set);
}

int64_t plm_project_is_tas(struct plm_project *p, struct plm_doc *pod)
{
	static const char *const names[] = {REQUIRED, PREFERRED, UNCONSTRAINED, SLICE_LEVEL,
					    SLICE_LAYERS};

	for (size_t i = 0; i < PLM_COUNTOF(names); i++) {
		if (plm_project_annotation(p, pod, names[i]).size > 0) {
			return 1;
		}
	}
	return 0;
}

/* ---- assignments ------------------------------------------------------------------------------- */

/* v1beta1: {values, count} each. */
static struct plm_vec read_domains(struct plm_project *p, struct plm_doc *list)
{
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_topology_domain *out = plm_project_array(p, count, sizeof(*out));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		out[at].values = plm_doc_texts(p->tree, item, "values");
		out[at].count = plm_doc_count(p->tree, item, "count", 0);
	}
	return (struct plm_vec){out, count};
}

/* One level's values of a slice: {universal} or {individual: {prefix, suffix, roots}}. */
struct value_list {
	struct plm_slice same, prefix, suffix;
	struct plm_vec roots;
};

static struct value_list read_values(struct plm_project *p, struct plm_doc *item, size_t domains)
{
	struct plm_doc *each = plm_doc_map(p->tree, item, "individual");
	struct value_list v = {
		.same = plm_doc_text(p->tree, item, "universal"),
		.prefix = plm_doc_text(p->tree, each, "prefix"),
		.suffix = plm_doc_text(p->tree, each, "suffix"),
		.roots = plm_doc_texts(p->tree, each, "roots"),
	};

	if (each != NULL && v.roots.count != domains) {
		plm_doc_fail(p->tree, each, "%zu roots, but domainCount is %zu", v.roots.count,
			     domains);
	}
	return v;
}

static struct plm_slice value_of(struct plm_project *p, const struct value_list *v, size_t domain)
{
	const struct plm_slice *roots = v->roots.ptr;

	if (domain >= v->roots.count) {
		return v->same;
	}
	return plm_arena_format(p->arena, "%.*s%.*s%.*s", (int)v->prefix.size,
				(const char *)v->prefix.ptr, (int)roots[domain].size,
				(const char *)roots[domain].ptr, (int)v->suffix.size,
				(const char *)v->suffix.ptr);
}

/* Pods of domain 'index' of a slice: {universal} or {individual: [..]}. */
static int64_t pods_of(struct plm_project *p, struct plm_doc *slice, size_t index)
{
	struct plm_doc *counts = plm_doc_map(p->tree, slice, "podCounts");
	struct plm_doc *item = plm_doc_items(plm_doc_list(p->tree, counts, "individual"));

	for (size_t i = 0; item != NULL && i < index; i++) {
		item = item->next;
	}
	return item != NULL ? plm_doc_count(p->tree, item, NULL, 0)
			    : plm_doc_count(p->tree, counts, "universal", 0);
}

/* v1beta2: runs of domains that have much in common; the domains of 'slice' go to 'out'. */
static void read_slice(struct plm_project *p, struct plm_doc *slice, size_t domains,
		       struct plm_w_topology_domain *out)
{
	struct plm_doc *list = plm_doc_list(p->tree, slice, "valuesPerLevel");
	size_t levels = list == NULL ? 0 : list->count;
	struct plm_slice *values = plm_project_array(p, domains * levels, sizeof(*values));
	size_t level = 0;

	for (size_t d = 0; d < domains; d++) {
		out[d].values = (struct plm_vec){levels == 0 ? NULL : &values[d * levels], levels};
		out[d].count = pods_of(p, slice, d);
	}
	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, level++) {
		struct value_list v = read_values(p, item, domains);

		for (size_t d = 0; d < domains; d++) {
			values[d * levels + level] = value_of(p, &v, d);
		}
	}
}

static size_t domain_count(struct plm_project *p, struct plm_doc *slice)
{
	return (size_t)plm_doc_count(p->tree, slice, "domainCount", 0);
}

static struct plm_vec read_slices(struct plm_project *p, struct plm_doc *list)
{
	struct plm_w_topology_domain *out = NULL;
	size_t count = 0;
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		count += domain_count(p, item);
	}
	if (count > PLM_LIMIT_POD_SET_PODS) {
		plm_doc_fail(p->tree, list, "at most %d domains", PLM_LIMIT_POD_SET_PODS);
		return (struct plm_vec){0};
	}
	out = plm_project_array(p, count, sizeof(*out));
	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		read_slice(p, item, domain_count(p, item), &out[at]);
		at += domain_count(p, item);
	}
	return (struct plm_vec){out, count};
}

void plm_project_topology_assignment(struct plm_project *p, struct plm_doc *assignment,
				     struct plm_w_assignment *out)
{
	struct plm_doc *topology = plm_doc_map(p->tree, assignment, "topologyAssignment");
	struct plm_doc *slices = plm_doc_list(p->tree, topology, "slices");
	const struct plm_w_topology_domain *domains = NULL;

	out->delayed = plm_doc_enum(p->tree, assignment, "delayedTopologyRequest",
				    &plm_names_delayed, PLM_DELAYED_NOT);
	out->levels = plm_doc_texts(p->tree, topology, "levels");
	out->domains = slices != NULL ? read_slices(p, slices)
				      : read_domains(p, plm_doc_list(p->tree, topology, "domains"));
	domains = out->domains.ptr;
	for (size_t i = 0; i < out->domains.count; i++) {
		if (domains[i].values.count != out->levels.count) {
			plm_doc_fail(p->tree, topology, "a domain has %zu values for %zu levels",
				     domains[i].values.count, out->levels.count);
			return;
		}
	}
}

struct plm_vec plm_project_unhealthy(struct plm_project *p, struct plm_doc *status)
{
	struct plm_doc *list = plm_doc_list(p->tree, status, "unhealthyNodes");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_slice *names = plm_project_array(p, count, sizeof(*names));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		names[at] = plm_doc_text_required(p->tree, item, "name");
	}
	return (struct plm_vec){names, count};
}
