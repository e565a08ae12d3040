#include "reducers/tas/plan.h"

#include "core/sort.h"

/* ---- order ------------------------------------------------------------------------------------- */

static int by_number(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

int plm_tas_compare(const struct plm_tas_plan *plan, enum plm_tas_order order, uint32_t a,
		    uint32_t b)
{
	const struct plm_tas_counts *left = &plan->tree->counts[a];
	const struct plm_tas_counts *right = &plan->tree->counts[b];
	bool led = order == PLM_TAS_BY_LED;
	int result = led ? by_number(right->leaders, left->leaders) : 0;

	if (result == 0) {
		result = by_number(led ? left->led_slices : left->slices,
				   led ? right->led_slices : right->slices);
		result = plan->least ? result : -result;
	}
	if (result == 0) {
		result = by_number(led ? left->led_pods : left->pods,
				   led ? right->led_pods : right->pods);
	}
	return result == 0 ? by_number(a, b) : result;
}

struct sorting {
	const struct plm_tas_plan *plan;
	enum plm_tas_order order;
};

static int by_room(const void *context, uint32_t a, uint32_t b)
{
	const struct sorting *sorting = context;

	return plm_tas_compare(sorting->plan, sorting->order, a, b);
}

void plm_tas_sort(const struct plm_tas_plan *plan, struct plm_tas_list *list,
		  enum plm_tas_order order)
{
	struct sorting sorting = {plan, order};

	plm_sort(list->at, list->count, by_room, &sorting, plan->tree->tas->arena);
}

/* ---- one domain for all ------------------------------------------------------------------------ */

static bool holds_all(const struct plm_tas_plan *plan, uint32_t domain, int64_t slices)
{
	const struct plm_tas_counts *counts = &plan->tree->counts[domain];

	return counts->led_slices >= slices && (int64_t)counts->leaders >= plan->leaders;
}

/*
 * The domain at 'level' that holds everything: the first in order when the emptiest are to be kept, else
 * the one with the fewest slices that suffice. 'top': the first in order, whether it holds or not.
 */
static uint32_t one_for_all(const struct plm_tas_plan *plan, uint32_t level, int64_t slices,
			    uint32_t *top)
{
	const struct plm_tas_tree *tree = plan->tree;
	uint32_t best = PLM_TAS_NONE;

	*top = tree->starts[level];
	PLM_ASSERT(*top < tree->starts[level + 1]);
	for (uint32_t i = tree->starts[level]; i < tree->starts[level + 1]; i++) {
		int64_t more = 0;

		if (plm_tas_compare(plan, PLM_TAS_BY_LED, i, *top) < 0) {
			*top = i;
		}
		if (!holds_all(plan, i, slices)) {
			continue;
		}
		if (best != PLM_TAS_NONE && !plan->least) {
			more = tree->counts[i].led_slices - tree->counts[best].led_slices;
		}
		if (best == PLM_TAS_NONE || more < 0 ||
		    (more == 0 && plm_tas_compare(plan, PLM_TAS_BY_LED, i, best) < 0)) {
			best = i;
		}
	}
	return best;
}

/* ---- several domains --------------------------------------------------------------------------- */

/* The tightest domain from 'from' on that takes 'slices' (and 'leaders'); the list is sorted. */
static uint32_t tightest(const struct plm_tas_plan *plan, const struct plm_tas_list *list,
			 uint32_t from, int64_t slices, int64_t leaders)
{
	const struct plm_tas_counts *counts = plan->tree->counts;
	uint32_t best = from;

	PLM_ASSERT(from < list->count);

	for (uint32_t i = from; i < list->count; i++) {
		const struct plm_tas_counts *have = &counts[list->at[i]];
		int64_t room = leaders > 0 ? have->led_slices : have->slices;
		int64_t least = leaders > 0 ? counts[list->at[best]].led_slices
					    : counts[list->at[best]].slices;

		if (room >= slices && room < least && (int64_t)have->leaders >= leaders) {
			best = i;
		}
	}
	return list->at[best];
}

static struct plm_tas_list level_list(const struct plm_tas_plan *plan, uint32_t level)
{
	const struct plm_tas_tree *tree = plan->tree;
	struct plm_tas_list all = {tree->other, 0};

	for (uint32_t i = tree->starts[level]; i < tree->starts[level + 1]; i++) {
		all.at[all.count++] = i;
	}
	return all;
}

/* Domains until all is placed: first those that take leaders, then by room; the last one as tight as can be. */
static bool several(const struct plm_tas_plan *plan, uint32_t level, struct plm_tas_list *list,
		    struct plm_tas_short *why)
{
	const struct plm_tas_counts *counts = plan->tree->counts;
	struct plm_tas_list rest = level_list(plan, level);
	int64_t slices = why->need;
	int64_t leaders = plan->leaders;
	uint32_t i = 0;

	PLM_ASSERT(rest.count > 0 && list->count == 0);
	plm_tas_sort(plan, &rest, PLM_TAS_BY_LED);
	for (; leaders > 0 && i < rest.count && counts[rest.at[i]].leaders > 0; i++) {
		uint32_t domain = rest.at[i];

		if (!plan->least && counts[domain].led_slices >= slices) {
			domain = tightest(plan, &rest, i, slices, leaders);
		}
		list->at[list->count++] = domain;
		leaders -= counts[domain].leaders;
		slices -= counts[domain].led_slices;
	}
	why->fit = plan->leaders - leaders;
	if (leaders > 0) {
		return false;
	}
	rest.at += i;
	rest.count -= i;
	plm_tas_sort(plan, &rest, PLM_TAS_BY_SLICES);
	for (i = 0; slices > 0 && i < rest.count; i++) {
		uint32_t domain = rest.at[i];

		if (!plan->least && counts[domain].slices >= slices) {
			domain = tightest(plan, &rest, i, slices, 0);
		}
		list->at[list->count++] = domain;
		slices -= counts[domain].slices;
	}
	why->fit = why->need - plm_max(0, slices);
	PLM_ASSERT(why->fit >= 0);
	return slices <= 0;
}

bool plm_tas_choose(const struct plm_tas_plan *plan, struct plm_tas_list *list,
		    struct plm_tas_short *why)
{
	const struct plm_tas_tree *tree = plan->tree;
	uint32_t level = plan->level;

	why->verdict = PLM_TAS_NO_ROOM;
	why->level = plan->level;
	why->fit = 0;
	why->need = plan->count / plan->slice;
	PLM_ASSERT(why->need >= 0 && level < tree->level_count);
	list->count = 0;
	if (tree->starts[level] == tree->starts[level + 1]) {
		why->verdict = PLM_TAS_NO_DOMAINS;
		return false;
	}
	for (;; level--) {
		uint32_t top = PLM_TAS_NONE;
		uint32_t one = one_for_all(plan, level, why->need, &top);

		if (one != PLM_TAS_NONE) {
			list->at[list->count++] = one;
			return true;
		}
		why->fit = tree->counts[top].slices;
		if (plan->required || plan->least || level == 0) {
			break;
		}
	}
	return !plan->required && several(plan, level, list, why);
}
