/* What a Workload says of its life: checks with what they add, PodsReady, Requeued, times. kueue.md 1.5. */
#include "adapters/manifest/project.h"

#include "core/timefmt.h"

static struct plm_vec read_updates(struct plm_project *p, struct plm_doc *check)
{
	struct plm_doc *list = plm_doc_list(p->tree, check, "podSetUpdates");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_pod_set_update *out = plm_project_array(p, count, sizeof(*out));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		out[at].name = plm_doc_text_required(p->tree, item, "name");
		out[at].labels = plm_doc_kv(p->tree, item, "labels");
		out[at].annotations = plm_doc_kv(p->tree, item, "annotations");
		out[at].node_selector = plm_doc_kv(p->tree, item, "nodeSelector");
		out[at].tolerations = plm_project_tolerations(p, item, "tolerations");
	}
	return (struct plm_vec){out, count};
}

struct plm_vec plm_project_checks(struct plm_project *p, struct plm_doc *map)
{
	struct plm_doc *list = plm_doc_list(p->tree, map, "admissionChecks");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_check_status *out = plm_project_array(p, count, sizeof(*out));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		int64_t seconds = plm_doc_count(p->tree, item, "requeueAfterSeconds", PLM_UNSET);

		out[at] = (struct plm_w_check_status){
			.name = plm_doc_text_required(p->tree, item, "name"),
			.state = plm_doc_enum(p->tree, item, "state", &plm_names_check_state,
					      PLM_CHECK_PENDING),
			.since_ms = plm_doc_time(p->tree, item, "lastTransitionTime"),
			.requeue_after_ms = seconds == PLM_UNSET
						    ? PLM_UNSET
						    : plm_mul_sat(seconds, PLM_MS_PER_SECOND),
			.retry_count = plm_doc_count(p->tree, item, "retryCount", 0),
			.message = plm_doc_text(p->tree, item, "message"),
			.updates = read_updates(p, item),
		};
	}
	return (struct plm_vec){out, count};
}

struct plm_vec plm_project_reclaimable(struct plm_project *p, struct plm_doc *map)
{
	struct plm_doc *list = plm_doc_list(p->tree, map, "reclaimablePods");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_pod_count *out = plm_project_array(p, count, sizeof(*out));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		out[at].name = plm_doc_text_required(p->tree, item, "name");
		out[at].count = plm_doc_count(p->tree, item, "count", 0);
	}
	return (struct plm_vec){out, count};
}

/* 1 True, -1 False, 0 absent. */
static int64_t tri_state(struct plm_project *p, struct plm_doc *condition)
{
	if (condition == NULL) {
		return 0;
	}
	return plm_project_is_true(p, condition) ? 1 : -1;
}

void plm_project_life(struct plm_project *p, struct plm_doc *root, struct plm_w_workload *w)
{
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");
	struct plm_doc *requeue = plm_doc_map(p->tree, status, "requeueState");
	struct plm_doc *requeued = plm_project_condition(p, root, "Requeued");
	struct plm_doc *ready = plm_project_condition(p, root, "PodsReady");

	w->requeued = tri_state(p, requeued);
	w->requeued_reason = plm_doc_text(p->tree, requeued, "reason");
	w->requeue_at_ms = plm_doc_time(p->tree, requeue, "requeueAt");
	w->requeue_count = plm_doc_count(p->tree, requeue, "count", 0);
	w->pods_ready = tri_state(p, ready);
	w->pods_ready_reason = plm_doc_text(p->tree, ready, "reason");
	w->pods_ready_ms = plm_doc_time(p->tree, ready, "lastTransitionTime");
	w->max_execution_s = plm_doc_count(p->tree, spec, "maximumExecutionTimeSeconds", 0);
	/* v1beta1 spells it wrong. */
	w->past_execution_s = plm_doc_count(
		p->tree, status, "accumulatedPastExecutionTimeSeconds",
		plm_doc_count(p->tree, status, "accumulatedPastExexcutionTimeSeconds", 0));
	w->checks = plm_project_checks(p, status);
	w->reclaimable = plm_project_reclaimable(p, status);
}

void plm_manifest_patch(struct plm_doc_tree *tree, struct plm_doc *map,
			struct plm_w_workload_patch *out)
{
	struct plm_project p = {.tree = tree, .arena = tree->arena};

	*out = (struct plm_w_workload_patch){
		.ns = plm_doc_text_required(tree, map, "namespace"),
		.name = plm_doc_text_required(tree, map, "name"),
		.active = plm_doc_get(map, "active") == NULL ? PLM_UNSET
							     : plm_doc_bool(tree, map, "active", 1),
		.checks = plm_project_checks(&p, map),
		.reclaimable = plm_project_reclaimable(&p, map),
	};
}
