/* Disruption budgets of a NodePool, refused where Karpenter's schema refuses them: karpenter.md 1.1, 3.9. */
#include "adapters/manifest/project.h"

#include "core/cron.h"
#include "core/limits.h"
#include "core/timefmt.h"

#define DEFAULT_NODES "10%"

static bool is_amount(struct plm_slice text)
{
	size_t digits = 0;

	while (digits < text.size && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') {
		digits++;
	}
	if (digits > 0 && digits == text.size) {
		return true;
	}
	return digits + 1 == text.size && text.ptr[digits] == '%' &&
	       (digits == 1 || digits == 2 || plm_slice_is(text, "100%"));
}

static void check_nodes(struct plm_project *p, struct plm_doc *item, struct plm_slice nodes)
{
	struct plm_doc *field = plm_doc_get(item, "nodes");

	if (field == NULL) {
		plm_doc_fail(p->tree, item, "nodes is required");
	} else if (!is_amount(nodes)) {
		plm_doc_fail(p->tree, field,
			     "\"%.*s\" is neither a number of nodes nor a percentage from 0%% to "
			     "100%%",
			     (int)nodes.size, (const char *)nodes.ptr);
	}
}

static void check_reasons(struct plm_project *p, struct plm_doc *item, struct plm_vec reasons)
{
	static const char *const known[] = {"Underutilized", "Empty", "Drifted"};
	const struct plm_slice *list = reasons.ptr;

	for (size_t i = 0; i < reasons.count; i++) {
		bool found = false;

		for (size_t k = 0; k < PLM_COUNTOF(known); k++) {
			found = found || plm_slice_is(list[i], known[k]);
		}
		if (!found) {
			plm_doc_fail(p->tree, plm_doc_get(item, "reasons"),
				     "\"%.*s\" is none of Underutilized, Empty, Drifted",
				     (int)list[i].size, (const char *)list[i].ptr);
		}
	}
}

static void check_window(struct plm_project *p, struct plm_doc *item,
			 const struct plm_w_budget *budget)
{
	struct plm_cron cron;
	struct plm_error err = {0};

	if ((budget->schedule.size > 0) != (budget->duration_ms != PLM_UNSET)) {
		plm_doc_fail(p->tree, item, "schedule and duration go together");
	} else if (budget->schedule.size > 0 &&
		   plm_cron_parse(budget->schedule, &cron, &err) != PLM_OK) {
		plm_doc_fail(p->tree, plm_doc_get(item, "schedule"), "%s", err.text);
	}
	if (budget->duration_ms != PLM_UNSET && budget->duration_ms % PLM_MS_PER_MINUTE != 0) {
		plm_doc_fail(p->tree, plm_doc_get(item, "duration"),
			     "whole hours and minutes only");
	}
}

struct plm_vec plm_project_budgets(struct plm_project *p, struct plm_doc *disruption)
{
	struct plm_doc *list = plm_doc_list(p->tree, disruption, "budgets");
	size_t count = list == NULL ? 1 : list->count;
	struct plm_w_budget *budgets = plm_project_array(p, count, sizeof(*budgets));
	size_t at = 0;

	if (list == NULL) {
		budgets[0] = (struct plm_w_budget){.nodes = plm_slice_str(DEFAULT_NODES),
						   .duration_ms = PLM_UNSET};
	}
	if (count > PLM_LIMIT_BUDGETS) {
		plm_doc_fail(p->tree, list, "at most %d budgets", PLM_LIMIT_BUDGETS);
		return (struct plm_vec){budgets, 0};
	}
	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		budgets[at] = (struct plm_w_budget){
			.nodes = plm_doc_int_or_text(p->tree, item, "nodes"),
			.reasons = plm_doc_texts(p->tree, item, "reasons"),
			.schedule = plm_doc_text(p->tree, item, "schedule"),
			.duration_ms = plm_doc_duration(p->tree, item, "duration", PLM_UNSET),
		};
		check_nodes(p, item, budgets[at].nodes);
		check_reasons(p, item, budgets[at].reasons);
		check_window(p, item, &budgets[at]);
	}
	return (struct plm_vec){budgets, count};
}
