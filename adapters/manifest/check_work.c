/* Rules of Workload: kueue.md 1.5. Usage in its status, which only Kueue writes, may be any. */
#include "adapters/manifest/check.h"

#include "core/units.h"

#define POD_SETS_MAX 18
#define STATUS_LIST_MAX 8

static const struct plm_w_pod_set_spec *set_of(const struct plm_w_workload *w,
					       struct plm_slice name)
{
	const struct plm_w_pod_set_spec *sets = w->pod_sets.ptr;

	for (size_t i = 0; i < w->pod_sets.count; i++) {
		if (plm_slice_equal(sets[i].name, name)) {
			return &sets[i];
		}
	}
	return NULL;
}

/* ---- spec -------------------------------------------------------------------------------------- */

/* "pods" is what a queue counts by itself. */
static void check_containers(struct plm_project *p, struct plm_doc *spec, const char *key)
{
	static const char *const maps[] = {"requests", "limits"};
	struct plm_doc *item = plm_doc_items(plm_doc_get(spec, key));

	for (; item != NULL; item = item->next) {
		for (size_t i = 0; i < PLM_COUNTOF(maps); i++) {
			struct plm_doc *map = plm_doc_get(plm_doc_get(item, "resources"), maps[i]);
			struct plm_doc *pods = plm_doc_get(map, "pods");

			if (pods != NULL) {
				plm_doc_fail(p->tree, pods,
					     "this name is reserved for counting pods");
			}
		}
	}
}

static void check_sets(struct plm_project *p, struct plm_doc *spec, const struct plm_w_workload *w)
{
	const struct plm_w_pod_set_spec *sets = w->pod_sets.ptr;
	struct plm_doc *node = plm_doc_items(plm_doc_get(spec, "podSets"));
	size_t variable = 0;

	plm_check_count(p, spec, "podSets", 1, POD_SETS_MAX);
	for (size_t i = 0; node != NULL && i < w->pod_sets.count; i++, node = node->next) {
		struct plm_doc *template = plm_doc_at(node, "template.spec");

		check_containers(p, template, "initContainers");
		check_containers(p, template, "containers");
		if (set_of(w, sets[i].name) != &sets[i]) {
			plm_doc_fail(p->tree, node, "two pod sets are called %.*s",
				     (int)sets[i].name.size, (const char *)sets[i].name.ptr);
		}
		if (sets[i].min_count == 0) {
			plm_doc_fail(p->tree, plm_doc_get(node, "minCount"), "must be at least 1");
		}
		variable += sets[i].min_count != PLM_UNSET ? 1 : 0;
	}
	if (variable > 1) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "podSets"),
			     "at most one pod set can use minCount");
	}
}

static void check_class(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *class = plm_doc_get(spec, "priorityClassRef");
	struct plm_slice group = plm_doc_text(p->tree, class, "group");
	struct plm_slice kind = plm_doc_text(p->tree, class, "kind");
	bool pods = plm_slice_is(group, "scheduling.k8s.io");

	if (class == NULL || group.size == 0 || kind.size == 0) {
		return;
	}
	if (!pods && !plm_slice_is(group, "kueue.x-k8s.io")) {
		plm_doc_fail(p->tree, plm_doc_get(class, "group"),
			     "must be kueue.x-k8s.io or scheduling.k8s.io");
	} else if (!plm_slice_is(kind, pods ? "PriorityClass" : "WorkloadPriorityClass")) {
		plm_doc_fail(p->tree, plm_doc_get(class, "kind"), "must be %s in this group",
			     pods ? "PriorityClass" : "WorkloadPriorityClass");
	}
}

/* ---- status ------------------------------------------------------------------------------------ */

static void check_admission(struct plm_project *p, struct plm_doc *status,
			    const struct plm_w_workload *w)
{
	struct plm_doc *admission = plm_doc_get(status, "admission");
	struct plm_doc *node = plm_doc_items(plm_doc_get(admission, "podSetAssignments"));
	const struct plm_w_assignment *set = w->assignments.ptr;

	if (w->reserved_ms == PLM_UNSET) {
		return;
	}
	for (size_t i = 0; node != NULL && i < w->assignments.count; i++, node = node->next) {
		if (set_of(w, set[i].name) == NULL) {
			plm_doc_fail(p->tree, plm_doc_get(node, "name"),
				     "there is no such pod set");
		}
	}
}

static void check_reclaimable(struct plm_project *p, struct plm_doc *status,
			      const struct plm_w_workload *w)
{
	const struct plm_w_pod_count *back = w->reclaimable.ptr;
	struct plm_doc *node = plm_doc_items(plm_doc_get(status, "reclaimablePods"));

	for (size_t i = 0; node != NULL && i < w->reclaimable.count; i++, node = node->next) {
		if (set_of(w, back[i].name) == NULL) {
			plm_doc_fail(p->tree, plm_doc_get(node, "name"),
				     "there is no such pod set");
		}
	}
}

void plm_check_workload(struct plm_project *p, struct plm_doc *root, const struct plm_w_workload *w)
{
	struct plm_doc *spec = plm_doc_get(root, "spec");
	struct plm_doc *status = plm_doc_get(root, "status");

	check_sets(p, spec, w);
	check_class(p, spec);
	check_admission(p, status, w);
	check_reclaimable(p, status, w);
	plm_check_count(p, status, "admissionChecks", 0, STATUS_LIST_MAX);
	plm_check_count(p, spec, "preemptionGates", 0, STATUS_LIST_MAX);
}
