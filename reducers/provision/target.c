/*
 * Which type a new claim is to grow into: the one whose room costs least.
 *
 * A resource is worth what it takes to buy all of it that is wanted. The weights come from a fixed number of
 * rounds of multiplicative weights on the covering problem "buy room for the sum of all pods": the type with
 * the cheapest room is taken in each round, and what it brings plenty of loses weight. So memory counts little
 * where the processors that are bought anyway bring enough of it. Integers only: values are fractions of
 * the sum that is wanted, in 2^-30.
 */
#include "reducers/provision/pass.h"

#define UNIT (1LL << 30)
#define ROUNDS 24
#define WEIGHT_SUM 65536

static int64_t part_of(int64_t amount, int64_t whole)
{
	if (whole <= 0 || amount <= 0) {
		return 0;
	}
	return amount >= whole ? UNIT : (int64_t)((plm_i128)amount * UNIT / whole);
}

/* Room of type 't' beside the daemons of 'pool', as parts of what is wanted. */
static void parts(const struct plm_pass *pass, const struct plm_pool *pool, uint32_t t,
		  int64_t *out)
{
	const int64_t *have = pool->has->allocatable + (size_t)t * pass->res.count;
	const struct plm_overhead *group = NULL;

	for (uint32_t g = 0; g < pool->overhead_count && group == NULL; g++) {
		group = PLM_BIT(pool->overheads[g].bits, t) ? &pool->overheads[g] : NULL;
	}
	for (uint32_t r = 0; r < pass->res.count; r++) {
		out[r] = part_of(plm_sub_sat(have[r], group == NULL ? 0 : group->requests[r]),
				 pass->wanted[r]);
	}
}

static int64_t worth(const struct plm_pass *pass, const int64_t *room, const int64_t *weights)
{
	int64_t sum = 0;

	for (uint32_t r = 0; r < pass->res.count; r++) {
		sum += room[r] * weights[r];
	}
	return sum;
}

/* Is 'price' for 'value' cheaper than 'best' for 'best_value'? */
static bool cheaper(int64_t price, int64_t value, int64_t best, int64_t best_value)
{
	return (plm_i128)price * best_value < (plm_i128)best * value;
}

/* The type of all pools with the cheapest room under these weights goes to 'out'; false: none. */
static bool cheapest_room(struct plm_pass *pass, const int64_t *weights, int64_t *out)
{
	int64_t *room = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	int64_t best = 0;
	int64_t best_value = 0;

	for (uint32_t p = 0; p < pass->pool_count; p++) {
		const struct plm_pool *pool = &pass->pools[p];
		const struct plm_price_list *list = NULL;

		if (pool->use != PLM_POOL_USED) {
			continue;
		}
		list = plm_types_prices(pass, &pool->reqs);
		for (uint32_t t = 0; t < pass->types.count; t++) {
			int64_t value = 0;

			if (!PLM_BIT(pool->bits, t) || list->prices[t] == PLM_UNSET) {
				continue;
			}
			parts(pass, pool, t, room);
			value = worth(pass, room, weights);
			if (value > 0 &&
			    (best_value == 0 || cheaper(list->prices[t] + pass->node_micro, value,
							best, best_value))) {
				best = list->prices[t] + pass->node_micro;
				best_value = value;
				memcpy(out, room, pass->res.count * sizeof(*out));
			}
		}
	}
	return best_value > 0;
}

/* What a type brings most of loses a quarter of its weight, the others as they are brought. */
static void update(const struct plm_pass *pass, const int64_t *room, int64_t *weights)
{
	int64_t most = 1;
	int64_t sum = 0;

	for (uint32_t r = 0; r < pass->res.count; r++) {
		most = weights[r] > 0 ? plm_max(most, room[r]) : most;
	}
	for (uint32_t r = 0; r < pass->res.count; r++) {
		if (weights[r] > 0) {
			weights[r] -= weights[r] * room[r] / most / 4;
			sum += weights[r];
		}
	}
	for (uint32_t r = 0; r < pass->res.count && sum > 0; r++) {
		weights[r] = weights[r] == 0 ? 0 : plm_max(1, weights[r] * WEIGHT_SUM / sum);
	}
}

void plm_targets_begin(struct plm_pass *pass)
{
	uint32_t res = pass->res.count;
	int64_t *weights = PLM_NEW_ARRAY(pass->arena, res, int64_t);
	int64_t *room = PLM_NEW_ARRAY(pass->arena, res, int64_t);
	uint32_t asked = 0;

	pass->weights = PLM_NEW_ARRAY(pass->arena, res, int64_t);
	pass->wanted = PLM_NEW_ARRAY(pass->arena, res, int64_t);
	pass->rest = PLM_NEW_ARRAY(pass->arena, res, int64_t);
	for (uint32_t i = 0; i < pass->want_count; i++) {
		plm_res_add(pass, pass->wanted, plm_want_shape_of(pass, i)->requests);
	}
	memcpy(pass->rest, pass->wanted, res * sizeof(*pass->rest));
	for (uint32_t r = 0; r < res; r++) {
		asked += pass->wanted[r] > 0 ? 1 : 0;
	}
	for (uint32_t r = 0; r < res; r++) {
		weights[r] = pass->wanted[r] > 0 ? WEIGHT_SUM / asked : 0;
	}
	for (uint32_t i = 0; i < ROUNDS && cheapest_room(pass, weights, room); i++) {
		update(pass, room, weights);
		plm_res_add(pass, pass->weights, weights);
	}
	for (uint32_t r = 0; r < res; r++) {
		pass->weights[r] /= ROUNDS;
	}
}

/* Of the types that are left, the one whose room costs least, as far as there are pods to fill it. */
uint32_t plm_target_of(struct plm_pass *pass, const struct plm_open *claim,
		       const struct plm_price_list *list)
{
	const struct plm_pool *pool = &pass->pools[claim->pool];
	int64_t *room = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	int64_t *most = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	uint32_t found = pass->types.count;
	int64_t best = 0;
	int64_t best_value = 0;

	for (uint32_t r = 0; r < pass->res.count; r++) {
		most[r] = part_of(plm_add_sat(pass->rest[r], claim->total[r]), pass->wanted[r]);
	}
	for (uint32_t i = 0; i < pass->types.count && !(pass->apart && found < pass->types.count);
	     i++) {
		uint32_t t = list->order[i];
		int64_t price = list->prices[t];
		int64_t value = 0;

		if (!PLM_BIT(claim->bits, t) || price == PLM_UNSET) {
			continue;
		}
		parts(pass, pool, t, room);
		for (uint32_t r = 0; r < pass->res.count; r++) {
			value += plm_min(room[r], most[r]) * pass->weights[r];
		}
		value = plm_max(value, 1);
		if (found == pass->types.count ||
		    cheaper(price + pass->node_micro, value, best, best_value)) {
			best = price + pass->node_micro;
			best_value = value;
			found = t;
		}
	}
	return found;
}
