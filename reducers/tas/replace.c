#include "reducers/tas/replace.h"

/* ---- what is left ------------------------------------------------------------------------------ */

struct rest {
	struct plm_tas_share *kept; /* by leaf */
	uint32_t count;
	int64_t lost;
};

static void keep(struct rest *rest, uint32_t leaf, int64_t count)
{
	uint32_t at = rest->count;

	PLM_ASSERT(count >= 0);

	while (at > 0 && rest->kept[at - 1].leaf > leaf) {
		rest->kept[at] = rest->kept[at - 1];
		at--;
	}
	rest->kept[at].leaf = leaf;
	rest->kept[at].count = count;
	rest->count++;
}

/* Split the assignment. False: one of the domains that should stay is gone too. */
static bool split(const struct plm_tas_tree *tree, const struct plm_tas_ask *ask, struct rest *rest,
		  struct plm_tas_failure *why)
{
	const struct plm_state *st = tree->tas->st;
	uint32_t count = 0;
	const struct plm_topology_domain *domains =
		PLM_SPAN(st, ask->before->domains, struct plm_topology_domain, &count);

	rest->kept = PLM_NEW_ARRAY(tree->tas->arena, count, struct plm_tas_share);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t levels = 0;
		const plm_sym *values = PLM_SPAN(st, domains[i].values, plm_sym, &levels);
		uint32_t slot = PLM_TAS_NONE;

		if (levels > 0 && plm_sym_equal(values[levels - 1], ask->lost)) {
			rest->lost += domains[i].count;
			continue;
		}
		slot = plm_tas_slot(tree, values, levels);
		if (slot == PLM_TAS_NONE || tree->leaf_of_slot[slot] == PLM_TAS_NONE) {
			why->verdict = PLM_TAS_STALE;
			why->level = levels == 0 ? (plm_sym){0} : values[levels - 1];
			return false;
		}
		keep(rest, tree->leaf_of_slot[slot], domains[i].count);
	}
	return true;
}

/* ---- where the lost pods have to be ------------------------------------------------------------ */

/* The first domain of 'level' that 'lost' pods would make whole again. */
static uint32_t incomplete(const struct plm_tas_tree *tree, const struct rest *rest,
			   const struct plm_topology_slice *layer)
{
	uint32_t level = plm_tas_level(tree, layer->level);
	uint32_t i = 0;

	while (level != PLM_TAS_NONE && i < rest->count) {
		uint32_t domain = plm_tas_above(tree, tree->leaf_first + rest->kept[i].leaf, level);
		int64_t pods = 0;

		while (i < rest->count && plm_tas_above(tree, tree->leaf_first + rest->kept[i].leaf,
							level) == domain) {
			pods += rest->kept[i++].count;
		}
		if ((pods + rest->lost) % plm_max(1, layer->size) == 0) {
			return domain;
		}
	}
	return PLM_TAS_NONE;
}

static uint32_t confine(const struct plm_tas_plan *plan, const struct rest *rest)
{
	const struct plm_tas_tree *tree = plan->tree;

	if (rest->count == 0) {
		return PLM_TAS_NONE;
	}
	if (plan->layer_count > 0 && rest->lost % plm_max(1, plan->layers[0].size) != 0) {
		for (uint32_t i = plan->layer_count; i-- > 0;) {
			if (rest->lost % plm_max(1, plan->layers[i].size) != 0) {
				return incomplete(tree, rest, &plan->layers[i]);
			}
		}
	}
	return plan->required
		       ? plm_tas_above(tree, tree->leaf_first + rest->kept[0].leaf, plan->level)
		       : PLM_TAS_NONE;
}

/* Part of a slice was lost: only a layer stays that the lost pods can fill, the innermost. */
static void loosen(struct plm_tas_plan *plan, const struct rest *rest)
{
	uint32_t i = plan->layer_count;

	while (i > 0 && rest->lost % plm_max(1, plan->layers[i - 1].size) != 0) {
		i--;
	}
	plan->slice = 1;
	plan->slice_level = plan->tree->level_count - 1;
	if (i > 0) {
		plan->slice = plm_max(1, plan->layers[i - 1].size);
		plan->slice_level = plm_tas_level(plan->tree, plan->layers[i - 1].level);
	}
	plan->layer_count = 0;
	memset(plan->inner, 0, sizeof(plan->inner));
	PLM_ASSERT(plan->slice_level < plan->tree->level_count);
}

/* ---- together ---------------------------------------------------------------------------------- */

static void merge(const struct plm_tas_tree *tree, const struct rest *rest,
		  struct plm_tas_placed *out)
{
	uint32_t a = 0;
	uint32_t b = 0;

	out->shares = PLM_NEW_ARRAY(tree->tas->arena, (size_t)rest->count + out->fresh_count,
				    struct plm_tas_share);
	while (a < rest->count || b < out->fresh_count) {
		bool old = b == out->fresh_count ||
			   (a < rest->count && rest->kept[a].leaf <= out->fresh[b].leaf);
		const struct plm_tas_share *next = old ? &rest->kept[a++] : &out->fresh[b++];
		struct plm_tas_share *last = &out->shares[out->count - (out->count > 0)];

		if (out->count > 0 && last->leaf == next->leaf) {
			last->count += next->count;
		} else {
			out->shares[out->count++] = *next;
		}
	}
}

bool plm_tas_replace(struct plm_tas_tree *tree, const struct plm_tas_ask *ask, bool assuming,
		     struct plm_tas_placed *out, struct plm_tas_failure *why)
{
	struct plm_tas_plan plan = {.assuming = assuming};
	struct plm_tas_list leaves = {NULL, 0};
	struct plm_tas_ask lost = *ask;
	struct rest rest = {NULL, 0, 0};
	int64_t placed = 0;

	if (!split(tree, ask, &rest, why)) {
		return false;
	}
	PLM_ASSERT(rest.lost >= 0 && ask->before != NULL);
	lost.count = rest.lost;
	if (plm_tas_plan_make(&plan, tree, &lost, NULL, why) != PLM_TAS_PLACED) {
		return false;
	}
	plan.within = confine(&plan, &rest);
	if (plan.within != PLM_TAS_NONE && rest.lost % plan.slice != 0) {
		loosen(&plan, &rest);
	}
	if (!plm_tas_run(&plan, &leaves, why)) {
		return false;
	}
	out->fresh = plm_tas_shares(&plan, &leaves, false, &out->fresh_count);
	for (uint32_t i = 0; i < out->fresh_count; i++) {
		placed += out->fresh[i].count;
	}
	if (placed == 0 || placed < rest.lost) {
		why->verdict = PLM_TAS_NO_ROOM;
		why->fit = placed;
		why->need = rest.lost;
		return false;
	}
	PLM_ASSERT(placed == rest.lost);
	out->tree = tree;
	merge(tree, &rest, out);
	PLM_ASSERT(out->count <= rest.count + out->fresh_count);
	return true;
}
