/* What decides how much of a pod is counted: LimitRange, RuntimeClass. Source: kueue.md 2.1. */
#include "adapters/manifest/project.h"

static void read_item(struct plm_project *p, struct plm_doc *item, struct plm_w_limit_item *out)
{
	out->type = plm_doc_enum(p->tree, item, "type", &plm_names_limit_type,
				 PLM_LIMIT_TYPE_CONTAINER);
	if (plm_doc_text_required(p->tree, item, "type").size == 0) {
		return;
	}
	out->max = plm_project_exact(p, item, "max", false);
	out->min = plm_project_exact(p, item, "min", false);
	out->default_limits = plm_project_exact(p, item, "default", false);
	out->default_requests = plm_project_exact(p, item, "defaultRequest", false);
	out->ratio = plm_project_exact(p, item, "maxLimitRequestRatio", false);
}

void plm_project_limit_range(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_limit_range *range = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *list = plm_doc_list(p->tree, spec, "limits");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_limit_item *items = plm_project_array(p, count, sizeof(*items));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		read_item(p, item, &items[at]);
	}
	range->items = (struct plm_vec){items, count};
}

/* 'scheduling' would add selectors and tolerations to pods; admission of pods does that, not Kueue. */
void plm_project_runtime_class(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_runtime_class *class = payload;
	struct plm_doc *overhead = plm_doc_map(p->tree, root, "overhead");

	class->overhead = plm_project_exact(p, overhead, "podFixed", false);
	plm_doc_ignore(plm_doc_get(root, "handler"));
}
