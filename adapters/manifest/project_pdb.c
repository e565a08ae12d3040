/* PodDisruptionBudget, policy/v1, with what the API server refuses. Source: karpenter.md 3.2. */
#include "adapters/manifest/project.h"

#include "core/units.h"

/* IntOrString, not below 0: a count, or a percentage of at most 100. PLM_UNSET when absent. */
static int64_t amount(struct plm_project *p, struct plm_doc *spec, const char *key,
		      int64_t *out_percent)
{
	struct plm_slice text = plm_doc_int_or_text(p->tree, spec, key);
	int64_t value = PLM_UNSET;
	bool percent = text.size > 0 && text.ptr[text.size - 1] == '%';

	*out_percent = percent ? 1 : 0;
	if (text.size == 0) {
		return PLM_UNSET;
	}
	if (percent) {
		text.size--;
	}
	if (!plm_integer_parse(text, &value) || value < 0 || (percent && value > 100) ||
	    value > INT32_MAX) {
		plm_doc_fail(p->tree, plm_doc_get(spec, key),
			     "must be a number that is not negative or a percentage up to 100%%");
		return PLM_UNSET;
	}
	return value;
}

static bool is_always(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_slice policy = plm_doc_text(p->tree, spec, "unhealthyPodEvictionPolicy");

	if (policy.size > 0 && !plm_slice_is(policy, "IfHealthyBudget") &&
	    !plm_slice_is(policy, "AlwaysAllow")) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "unhealthyPodEvictionPolicy"),
			     "must be one of IfHealthyBudget, AlwaysAllow");
	}
	return plm_slice_is(policy, "AlwaysAllow");
}

static void read_status(struct plm_project *p, struct plm_doc *root, struct plm_w_pdb *pdb)
{
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");
	int64_t observed = plm_doc_int(p->tree, status, "observedGeneration", PLM_UNSET);

	pdb->has_status = plm_doc_get(status, "disruptionsAllowed") != NULL ||
			  plm_doc_get(status, "expectedPods") != NULL;
	pdb->allowed = plm_doc_count(p->tree, status, "disruptionsAllowed", 0);
	pdb->healthy = plm_doc_count(p->tree, status, "currentHealthy", 0);
	pdb->desired = plm_doc_count(p->tree, status, "desiredHealthy", 0);
	pdb->expected = plm_doc_count(p->tree, status, "expectedPods", 0);
	pdb->stale = observed != PLM_UNSET && observed < p->meta.generation;
	plm_doc_ignore(plm_doc_get(status, "conditions"));
	plm_doc_ignore(plm_doc_get(status, "disruptedPods")); /* counted in disruptionsAllowed */
}

void plm_project_pdb(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_pdb *pdb = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	pdb->selector = plm_project_selector(p, spec, "selector");
	pdb->min_available = amount(p, spec, "minAvailable", &pdb->min_percent);
	pdb->max_unavailable = amount(p, spec, "maxUnavailable", &pdb->max_percent);
	if (pdb->min_available != PLM_UNSET && pdb->max_unavailable != PLM_UNSET) {
		plm_doc_fail(p->tree, spec, "minAvailable and maxUnavailable cannot both be set");
	}
	pdb->always_allow = is_always(p, spec);
	read_status(p, root, pdb);
}
