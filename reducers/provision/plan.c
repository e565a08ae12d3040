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

static int64_t cost_of(struct plm_pass *pass)
{
	int64_t cost = 0;

	for (uint32_t i = 0; i < pass->claim_count; i++) {
		int64_t price =
			plm_types_cheapest(pass, pass->claims[i]->bits, &pass->claims[i]->reqs);

		cost = plm_add_sat(cost, price == PLM_UNSET ? 0 : price);
	}
	return cost;
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

struct plm_pass *plm_pass_plan(const struct plm_state *st, struct plm_arena *arena,
			       const struct plm_demand *demand)
{
	struct plm_pass *plain = PLM_NEW(arena, struct plm_pass);
	struct plm_pass *thrifty = NULL;
	uint32_t placed = 0;

	plm_pass_begin(plain, st, arena, demand);
	plm_pass_pack(plain);
	if (plain->strict || plain->claim_count == 0) {
		return plain;
	}
	thrifty = PLM_NEW(arena, struct plm_pass);
	plm_pass_begin(thrifty, st, arena, demand);
	thrifty->thrifty = true;
	thrifty->alone = PLM_NEW_ARRAY(arena, thrifty->try_count, int64_t);
	find_least(thrifty);
	plm_pass_pack(thrifty);
	for (uint32_t i = 0; i < thrifty->claim_count; i++) {
		plm_open_finish(thrifty, thrifty->claims[i]);
	}
	placed = placed_of(plain);
	if (placed_of(thrifty) != placed) {
		return placed_of(thrifty) > placed ? thrifty : plain;
	}
	return cost_of(thrifty) < cost_of(plain) ? thrifty : plain;
}
