#include "reducers/tas/plan.h"

/* Pods that a leaf can hold at most, whatever they ask: upstream's counts are 32 bits wide. */
#define PODS_MAX INT32_MAX

/* ---- leaves ------------------------------------------------------------------------------------ */

/* How often 'pod' fits into what is left of 'leaf' when 'beside' is there already (NULL: nothing). */
static int64_t times(const struct plm_tas_plan *plan, uint32_t leaf, const struct plm_tas_each *pod,
		     const struct plm_tas_each *beside)
{
	const struct plm_tas_tree *tree = plan->tree;
	const int64_t *room = plm_tas_row(tree->tas, tree->room, leaf);
	const int64_t *used = plm_tas_row(tree->tas, tree->used, tree->slots[leaf]);
	const int64_t *assumed = plm_tas_row(tree->tas, tree->assumed, tree->slots[leaf]);
	uint32_t next = 0;
	int64_t result = pod->missing.n == 0 ? PODS_MAX : 0;

	PLM_ASSERT(leaf < tree->leaf_count && pod->count > 0);

	for (uint32_t i = 0; i < pod->count && result > 0; i++) {
		uint32_t at = pod->resource[i];
		int64_t left = plan->empty ? room[at] : plm_sub_sat(room[at], used[at]);

		if (plan->assuming) {
			left = plm_sub_sat(left, assumed[at]);
		}
		while (beside != NULL && next < beside->count && beside->resource[next] < at) {
			next++;
		}
		if (beside != NULL && next < beside->count && beside->resource[next] == at) {
			left = plm_sub_sat(left, beside->amount[next]);
		}
		result = plm_min(result, plm_max(0, left) / pod->amount[i]);
	}
	return result;
}

int64_t plm_tas_leaf_pods(const struct plm_tas_plan *plan, uint32_t leaf, plm_sym *binding)
{
	int64_t pods = times(plan, leaf, &plan->worker, NULL);
	const struct plm_tas *tas = plan->tree->tas;

	if (binding == NULL || pods > 0) {
		return pods;
	}
	*binding = plan->worker.missing;
	for (uint32_t i = 0; i < plan->worker.count; i++) {
		struct plm_tas_each one = {
			.resource = &plan->worker.resource[i],
			.amount = &plan->worker.amount[i],
			.count = 1,
		};
		plm_sym name = tas->resources[plan->worker.resource[i]];

		if (times(plan, leaf, &one, NULL) > 0) {
			continue;
		}
		if (binding->n == 0 || plm_sched_compare(&tas->sched, name, *binding) < 0) {
			*binding = name;
		}
		break; /* resources come by name */
	}
	return 0;
}

static void count_leaf(const struct plm_tas_plan *plan, uint32_t leaf)
{
	const struct plm_tas_tree *tree = plan->tree;
	struct plm_tas_counts *counts = &tree->counts[tree->leaf_first + leaf];

	*counts = (struct plm_tas_counts){0};
	if (plan->match->any && plan->match->refused[leaf] != 0) {
		return;
	}
	if (plan->within != PLM_TAS_NONE &&
	    plm_tas_above(tree, tree->leaf_first + leaf, plm_tas_level_of(tree, plan->within)) !=
		    plan->within) {
		return;
	}
	counts->pods = times(plan, leaf, &plan->worker, NULL);
	counts->led_pods = counts->pods;
	if (plan->leaders > 0 && times(plan, leaf, &plan->leader, NULL) > 0) {
		counts->leaders = 1;
		counts->led_pods = times(plan, leaf, &plan->worker, &plan->leader);
	}
	if (plan->slice_level + 1 == tree->level_count) {
		counts->slices = counts->pods / plan->slice;
		counts->led_slices = counts->led_pods / plan->slice;
	}
}

/* ---- parents ----------------------------------------------------------------------------------- */

/*
 * Room beside a leader is all room less what the leader costs in the child where it costs least, of
 * those that can take it.
 */
static void count_parent(const struct plm_tas_plan *plan, uint32_t domain, uint32_t level)
{
	const struct plm_tas_tree *tree = plan->tree;
	const struct plm_tas_span *span = &tree->domains[domain];
	struct plm_tas_counts sum = {0};
	int64_t inner = plm_max(1, plan->inner[level + 1]);
	int64_t pods_less = INT64_MAX;
	int64_t slices_less = INT64_MAX;

	PLM_ASSERT(span->count > 0);
	for (uint32_t i = span->first; i < span->first + span->count; i++) {
		const struct plm_tas_counts *child = &tree->counts[i];
		int64_t pods = child->pods / inner * inner;
		int64_t led = child->led_pods / inner * inner;

		sum.pods += pods;
		sum.slices += child->slices;
		if (plan->leaders > 0 && child->leaders == 0) {
			continue;
		}
		pods_less = plm_min(pods_less, pods - led);
		slices_less = plm_min(slices_less, child->slices - child->led_slices);
		sum.leaders = child->leaders;
	}
	if (pods_less != INT64_MAX) {
		sum.led_pods = sum.pods - pods_less;
		sum.led_slices = sum.slices - slices_less;
	}
	if (level == plan->slice_level) {
		sum.slices = sum.pods / plan->slice;
		sum.led_slices = sum.led_pods / plan->slice;
	}
	PLM_ASSERT(sum.led_pods <= sum.pods && sum.led_pods >= 0);
	PLM_ASSERT(sum.led_slices <= sum.slices);
	tree->counts[domain] = sum;
}

void plm_tas_count(const struct plm_tas_plan *plan)
{
	const struct plm_tas_tree *tree = plan->tree;

	PLM_ASSERT(plan->slice > 0 && plan->level <= plan->slice_level);
	for (uint32_t i = 0; i < tree->leaf_count; i++) {
		count_leaf(plan, i);
	}
	for (uint32_t level = tree->level_count - 1; level-- > 0;) {
		for (uint32_t i = tree->starts[level]; i < tree->starts[level + 1]; i++) {
			count_parent(plan, i, level);
		}
	}
}
