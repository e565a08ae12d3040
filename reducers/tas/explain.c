#include "reducers/tas/plan.h"

/* ---- leaves that take no pod ------------------------------------------------------------------- */

static struct plm_tas_excluded exclusion_of(const struct plm_tas_plan *plan, uint32_t leaf)
{
	const struct plm_tas_tree *tree = plan->tree;
	struct plm_tas_excluded one = {.rule = PLM_TAS_BY_RESOURCE, .leaves = 1};
	const struct plm_taint *taint = NULL;

	if (plan->match->any && plan->match->refused[leaf] != 0) {
		one.rule = (enum plm_tas_rule)(plan->match->refused[leaf] - 1);
		(void)plm_tas_refused(tree, plan->shape, leaf, &taint);
		if (taint != NULL) {
			one.key = taint->key;
			one.value = taint->value;
			one.effect = taint->effect;
		}
		return one;
	}
	if (plan->within != PLM_TAS_NONE &&
	    plm_tas_above(tree, tree->leaf_first + leaf, plm_tas_level_of(tree, plan->within)) !=
		    plan->within) {
		one.rule = PLM_TAS_BY_DOMAIN;
		return one;
	}
	one.leaves = plm_tas_leaf_pods(plan, leaf, &one.key) == 0;
	return one;
}

static int compare_excluded(const struct plm_tas *tas, const struct plm_tas_excluded *a,
			    const struct plm_tas_excluded *b)
{
	int order = (int)a->rule - (int)b->rule;

	order = order != 0 ? order : plm_sched_compare(&tas->sched, a->key, b->key);
	order = order != 0 ? order : plm_sched_compare(&tas->sched, a->value, b->value);
	return order != 0 ? order : (int)a->effect - (int)b->effect;
}

/* Count 'one' where it belongs: the list is in order. */
static uint32_t enter(const struct plm_tas *tas, struct plm_tas_excluded *list, uint32_t count,
		      const struct plm_tas_excluded *one)
{
	uint32_t at = 0;

	while (at < count && compare_excluded(tas, &list[at], one) < 0) {
		at++;
	}
	if (at < count && compare_excluded(tas, &list[at], one) == 0) {
		list[at].leaves++;
		return count;
	}
	PLM_ASSERT(count <= PLM_TAS_EXCLUDED);
	memmove(&list[at + 1], &list[at], (count - at) * sizeof(*list));
	list[at] = *one;
	return count + 1;
}

static void explain_leaves(const struct plm_tas_plan *plan, struct plm_tas_failure *out)
{
	const struct plm_tas_tree *tree = plan->tree;
	struct plm_tas *tas = tree->tas;
	struct plm_tas_excluded *list =
		PLM_NEW_ARRAY(tas->arena, PLM_TAS_EXCLUDED + 1, struct plm_tas_excluded);
	uint32_t count = 0;

	for (uint32_t i = 0; i < tree->leaf_count; i++) {
		struct plm_tas_excluded one = exclusion_of(plan, i);

		if (one.leaves != 0) {
			count = enter(tas, list, count, &one);
			count = count > PLM_TAS_EXCLUDED ? PLM_TAS_EXCLUDED : count;
		}
	}
	out->leaves = tree->leaf_count;
	out->excluded = list;
	out->excluded_count = count;
}

/* ---- slices in layers -------------------------------------------------------------------------- */

/* How many slices of a layer lie below 'domain': its level's domains are next to one another. */
static int64_t layer_slices(const struct plm_tas_tree *tree, uint32_t domain, uint32_t level,
			    int64_t size)
{
	uint32_t first = domain;
	uint32_t end = domain + 1;
	int64_t slices = 0;

	for (uint32_t at = plm_tas_level_of(tree, domain); at < level && first < end; at++) {
		const struct plm_tas_span *last = &tree->domains[end - 1];

		first = tree->domains[first].first;
		end = last->first + last->count;
	}
	PLM_ASSERT(size > 0 && end <= tree->domain_count);
	for (uint32_t i = first; i < end; i++) {
		slices += tree->counts[i].pods / size;
	}
	return slices;
}

static uint32_t roomiest(const struct plm_tas_tree *tree, uint32_t level)
{
	uint32_t best = tree->starts[level];

	for (uint32_t i = best; i < tree->starts[level + 1]; i++) {
		if (tree->counts[i].slices > tree->counts[best].slices) {
			best = i;
		}
	}
	PLM_ASSERT(best < tree->starts[level + 1]);
	return best;
}

static void explain_layers(const struct plm_tas_plan *plan, struct plm_tas_failure *out)
{
	const struct plm_tas_tree *tree = plan->tree;
	uint32_t best = roomiest(tree, plan->level);
	struct plm_tas_layer_fit *list =
		PLM_NEW_ARRAY(tree->tas->arena, plan->layer_count, struct plm_tas_layer_fit);

	for (uint32_t i = 0; i < plan->layer_count; i++) {
		uint32_t level = plm_tas_level(tree, plan->layers[i].level);

		list[i].level = plan->layers[i].level;
		list[i].need = plan->count / plan->layers[i].size;
		list[i].fit = layer_slices(tree, best, level, plan->layers[i].size);
	}
	out->layers = list;
	out->layer_count = plan->layer_count;
}

void plm_tas_explain(const struct plm_tas_plan *plan, const struct plm_tas_short *why,
		     struct plm_tas_failure *out)
{
	const struct plm_tas_tree *tree = plan->tree;

	PLM_ASSERT(why->verdict != PLM_TAS_PLACED);
	out->verdict = why->verdict;
	out->level = tree->levels[why->level];
	out->fit = why->fit;
	out->need = why->need;
	out->slices = plan->slice > 1;
	explain_leaves(plan, out);
	if (plan->layer_count > 1 && tree->starts[plan->level] < tree->starts[plan->level + 1]) {
		explain_layers(plan, out);
	}
}
