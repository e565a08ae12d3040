#include "reducers/admission/fair.h"

#include "core/wide.h"
#include "reducers/admission/elastic.h"

#define NANO 1000000000LL

bool plm_fair_sharing(const struct plm_quotas *snap, uint32_t node)
{
	const struct plm_quota_node *root = &snap->tree.nodes[snap->tree.nodes[node].tree];

	return plm_root(snap->st)->fair_sharing == 1 ||
	       (!root->queue && plm_sym_is(snap->st, root->name, PLM_ELASTIC_COHORT));
}

/* ---- shares ------------------------------------------------------------------------------------ */

void plm_fair_prepare(struct plm_quotas *snap, uint32_t root)
{
	struct plm_pairs *pairs = &snap->pairs[root];

	pairs->resource_of = PLM_NEW_ARRAY(snap->arena, pairs->count, uint32_t);
	pairs->resources = PLM_NEW_ARRAY(snap->arena, pairs->count, plm_sym);
	for (uint32_t f = 0; f < pairs->count; f++) {
		uint32_t r = 0;

		while (r < pairs->resource_count &&
		       !plm_sym_equal(pairs->resources[r], pairs->list[f].resource)) {
			r++;
		}
		if (r == pairs->resource_count) {
			pairs->resources[pairs->resource_count++] = pairs->list[f].resource;
		}
		pairs->resource_of[f] = r;
	}
	pairs->over = PLM_NEW_ARRAY(snap->arena, pairs->resource_count, int64_t);
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		struct plm_quota_node *node = &snap->tree.nodes[n];

		if (node->tree != root || node->parent == PLM_NO_NODE) {
			continue;
		}
		node->lendable = PLM_NEW_ARRAY(snap->arena, pairs->resource_count, int64_t);
		for (uint32_t f = 0; f < pairs->count; f++) {
			int64_t *sum = &node->lendable[pairs->resource_of[f]];

			*sum = plm_quota_add(*sum,
					     plm_quota_potential(&snap->tree, node->parent, f));
		}
	}
}

static int64_t weight_of(const struct plm_quotas *snap, const struct plm_quota_node *node)
{
	if (node->queue) {
		return plm_max(0, plm_cluster_queue_at(snap->st, node->slot)->weight_nano);
	}
	return node->slot.n == 0 ? NANO
				 : plm_max(0, plm_cohort_at(snap->st, node->slot)->weight_nano);
}

/* over/lendable: a greater than b? */
static bool ratio_greater(int64_t over, int64_t lendable, const struct plm_share *than)
{
	return than->lendable == 0 || (plm_u128)(uint64_t)over * (uint64_t)than->lendable >
					      (plm_u128)(uint64_t)than->over * (uint64_t)lendable;
}

struct plm_share plm_fair_share(const struct plm_quotas *snap, uint32_t n)
{
	const struct plm_quota_node *node = &snap->tree.nodes[n];
	const struct plm_pairs *pairs = &snap->pairs[node->tree];
	struct plm_share share = {.weight_nano = weight_of(snap, node)};

	if (node->parent == PLM_NO_NODE) {
		return share;
	}
	PLM_ASSERT(node->lendable != NULL);
	for (uint32_t r = 0; r < pairs->resource_count; r++) {
		pairs->over[r] = 0;
	}
	for (uint32_t f = 0; f < pairs->count; f++) {
		int64_t over = plm_quota_sub(node->cells[f].usage, node->cells[f].subtree);

		if (over > 0) {
			int64_t *sum = &pairs->over[pairs->resource_of[f]];

			*sum = plm_quota_add(*sum, over);
			share.borrowing = true;
		}
	}
	for (uint32_t r = 0; r < pairs->resource_count; r++) {
		if (pairs->over[r] > 0 && node->lendable[r] > 0 &&
		    ratio_greater(pairs->over[r], node->lendable[r], &share)) {
			share.over = pairs->over[r];
			share.lendable = node->lendable[r];
			share.resource = pairs->resources[r];
		}
	}
	return share;
}

/* Below 2^63 each, so below 2^189 together. */
static struct plm_wide product(int64_t over, int64_t lendable, uint64_t weight)
{
	PLM_ASSERT(over > 0 && lendable > 0);
	return plm_wide_mul(plm_wide_mul(plm_wide_of((uint64_t)over), (uint64_t)lendable), weight);
}

bool plm_fair_infinite(struct plm_share share)
{
	return share.over > 0 && share.weight_nano == 0;
}

int plm_fair_compare(struct plm_share a, struct plm_share b)
{
	bool a_infinite = plm_fair_infinite(a);
	bool b_infinite = plm_fair_infinite(b);
	uint64_t a_weight = a_infinite ? 1 : (uint64_t)a.weight_nano;
	uint64_t b_weight = b_infinite ? 1 : (uint64_t)b.weight_nano;

	if (a_infinite != b_infinite) {
		return a_infinite ? 1 : -1;
	}
	if (a.over == 0 || b.over == 0) {
		return a.over == b.over ? 0 : (a.over == 0 ? -1 : 1);
	}
	return plm_wide_compare(product(a.over, b.lendable, b_weight),
				product(b.over, a.lendable, a_weight));
}
