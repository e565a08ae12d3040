/* Workload, batch Job, and the dialect's PodSet. */
#include "adapters/manifest/check.h"

#include "core/limits.h"
#include "core/units.h"

/* ---- Workload ---------------------------------------------------------------------------------- */

static struct plm_vec read_pod_sets(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, "podSets");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_pod_set_spec *sets = plm_project_array(p, count, sizeof(*sets));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		struct plm_slice name = plm_doc_text(p->tree, item, "name");
		int64_t pods = plm_doc_count(p->tree, item, "count", 1);

		plm_project_template(p, plm_doc_map(p->tree, item, "template"), "main", pods,
				     &sets[at]);
		sets[at].name = name.size > 0 ? name : sets[at].name;
		sets[at].min_count = plm_doc_count(p->tree, item, "minCount", PLM_UNSET);
		if (sets[at].min_count > pods) {
			plm_doc_fail(p->tree, item, "minCount is above count");
		}
		plm_project_topology_request(p, item, &sets[at]);
	}
	if (count == 0) {
		plm_doc_fail(p->tree, spec, "podSets is required");
	}
	return (struct plm_vec){sets, count};
}

static struct plm_vec read_assignments(struct plm_project *p, struct plm_doc *admission,
				       const struct plm_w_workload *w)
{
	struct plm_doc *list = plm_doc_list(p->tree, admission, "podSetAssignments");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_assignment *out = plm_project_array(p, count, sizeof(*out));
	const struct plm_w_pod_set_spec *sets = w->pod_sets.ptr;
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		struct plm_slice name = plm_doc_text(p->tree, item, "name");
		int64_t pods = 1;

		out[at].name = name.size > 0 ? name : plm_slice_str("main");
		for (size_t i = 0; i < w->pod_sets.count; i++) {
			pods = plm_slice_equal(sets[i].name, out[at].name) ? sets[i].count : pods;
		}
		out[at].count = plm_doc_count(p->tree, item, "count", pods);
		out[at].flavors = plm_doc_kv(p->tree, item, "flavors");
		out[at].usage = plm_doc_amounts(p->tree, item, "resourceUsage");
		plm_project_topology_assignment(p, item, &out[at]);
	}
	return (struct plm_vec){out, count};
}

static void workload_status(struct plm_project *p, struct plm_doc *root, struct plm_w_workload *w)
{
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");
	struct plm_doc *admission = plm_doc_map(p->tree, status, "admission");

	w->cluster_queue = plm_doc_text(p->tree, admission, "clusterQueue");
	w->assignments = read_assignments(p, admission, w);
	w->reserved_ms = plm_project_condition_ms(p, root, "QuotaReserved");
	w->admitted_ms = plm_project_condition_ms(p, root, "Admitted");
	w->evicted_ms = plm_project_condition_ms(p, root, "Evicted");
	w->finished_ms = plm_project_condition_ms(p, root, "Finished");
	if (w->evicted_ms != PLM_UNSET) {
		w->evicted_reason =
			plm_doc_text(p->tree, plm_project_condition(p, root, "Evicted"), "reason");
	}
	if (w->finished_ms != PLM_UNSET) {
		w->finished_reason =
			plm_doc_text(p->tree, plm_project_condition(p, root, "Finished"), "reason");
	}
	w->unhealthy = plm_project_unhealthy(p, status);
	plm_project_life(p, root, w);
	if (w->reserved_ms != PLM_UNSET && admission == NULL) {
		plm_doc_fail(p->tree, status, "QuotaReserved is True, but there is no admission");
	}
}

void plm_project_workload(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_workload *w = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *class = plm_doc_map(p->tree, spec, "priorityClassRef");
	struct plm_slice gates =
		plm_project_annotation(p, root, "kueue.x-k8s.io/admission-gated-by");

	w->queue = plm_doc_text(p->tree, spec, "queueName");
	w->priority = plm_doc_int32(p->tree, spec, "priority", PLM_UNSET);
	w->priority_class = plm_doc_text(p->tree, spec, "priorityClassName");
	if (class != NULL) {
		w->priority_class = plm_doc_text(p->tree, class, "name");
	}
	plm_doc_ignore(class);
	plm_doc_ignore(plm_doc_get(spec, "priorityClassSource"));
	w->active = plm_doc_bool(p->tree, spec, "active", 1);
	w->gated = gates.size > 0;
	w->elastic = plm_project_is_elastic(p, root);
	w->pod_sets = read_pod_sets(p, spec);
	workload_status(p, root, w);
	plm_check_workload(p, root, w);
}
