/*
 * Which of two packings is taken.
 *
 * Karpenter's loop fills a claim as long as some type holds it, whatever that costs: four pods of one
 * GPU end on one node of four although four small ones are cheaper. The thrifty packing lets a claim grow
 * only where that is not dearer than a new one (exact.md 8, "better than strict").
 */
#include "reducers/provision/pass.h"

/* ---- the better of two ------------------------------------------------------------------------- */

static uint32_t placed_of(const struct plm_pass *pass)
{
	uint32_t placed = 0;

	for (uint32_t i = 0; i < pass->want_count; i++) {
		placed += pass->wants[i].place != PLM_WANT_OPEN ? 1 : 0;
	}
	return placed;
}

static int64_t price_of(struct plm_pass *pass)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < pass->claim_count; i++) {
		int64_t price =
			plm_types_cheapest(pass, pass->claims[i]->bits, &pass->claims[i]->reqs);

		sum = plm_add_sat(sum, price == PLM_UNSET ? 0 : price);
	}
	return sum;
}

/* Is 'other' the better packing? More pods, or as many at no higher a price, nodes counted. */
static bool is_better(struct plm_pass *other, struct plm_pass *plain)
{
	uint32_t placed = placed_of(plain);
	int64_t price = price_of(plain);
	int64_t less = plm_sub_sat(price, price_of(other));

	if (placed_of(other) != placed) {
		return placed_of(other) > placed;
	}
	return less >= 0 && less > ((int64_t)other->claim_count - (int64_t)plain->claim_count) *
					    other->node_micro;
}

static void find_least(struct plm_pass *pass)
{
	pass->least = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	for (uint32_t i = 0; i < pass->shape_count; i++) {
		for (uint32_t r = 0; r < pass->res.count; r++) {
			int64_t ask = pass->shapes[i].requests[r];

			pass->least[r] = i == 0 ? ask : plm_min(pass->least[r], ask);
		}
	}
}

static struct plm_pass *plan_thrifty(struct plm_pass *plain)
{
	struct plm_pass *pass = PLM_NEW(plain->arena, struct plm_pass);

	plm_pass_begin(pass, plain->st, plain->arena, plain->demand);
	pass->thrifty = true;
	pass->node_micro =
		plm_min(PLM_PACK_NODE_MICRO,
			price_of(plain) / plm_max(1, placed_of(plain)) / PLM_PACK_NODE_PART);
	pass->alone = PLM_NEW_ARRAY(pass->arena, pass->try_count, int64_t);
	find_least(pass);
	plm_targets_begin(pass);
	plm_pass_pack(pass);
	for (uint32_t i = 0; i < pass->claim_count; i++) {
		plm_open_finish(pass, pass->claims[i]);
	}
	return pass;
}

struct plm_pass *plm_pass_plan(const struct plm_state *st, struct plm_arena *arena,
			       const struct plm_demand *demand)
{
	struct plm_pass *plain = PLM_NEW(arena, struct plm_pass);
	struct plm_pass *thrifty = NULL;

	plm_pass_begin(plain, st, arena, demand);
	plm_pass_pack(plain);
	if (plain->strict || plain->claim_count == 0) {
		return plain;
	}
	thrifty = plan_thrifty(plain);
	thrifty->spent += plain->spent;
	return is_better(thrifty, plain) ? thrifty : plain;
}
