/*
 * What types cost. Prices depend on requirements only through the offering classes that fit them, of which
 * there are few: a list per set of classes answers every claim of a pass.
 */
#include "core/sort.h"
#include "reducers/provision/pass.h"

void plm_pass_prices(struct plm_pass *pass)
{
	struct plm_types *types = &pass->types;

	for (uint32_t i = 0; i < PLM_PRICE_LISTS; i++) {
		types->prices[i] = (struct plm_price_list){
			.fits = PLM_NEW_ARRAY(pass->arena, types->offer_words, uint64_t),
			.prices = PLM_NEW_ARRAY(pass->arena, types->count, int64_t),
			.order = PLM_NEW_ARRAY(pass->arena, types->count, uint32_t),
		};
	}
}

static int cheapest_first(const void *context, uint32_t a, uint32_t b)
{
	const int64_t *prices = context;
	int64_t x = prices[a] == PLM_UNSET ? INT64_MAX : prices[a];
	int64_t y = prices[b] == PLM_UNSET ? INT64_MAX : prices[b];

	if (x != y) {
		return x < y ? -1 : 1;
	}
	/* The catalogue is in order of name. */
	return a < b ? -1 : (a > b ? 1 : 0);
}

static void fill(struct plm_pass *pass, struct plm_price_list *list)
{
	const struct plm_types *types = &pass->types;

	for (uint32_t t = 0; t < types->count; t++) {
		list->order[t] = t;
		list->prices[t] = PLM_UNSET;
		for (uint32_t i = types->offer_first[t]; i < types->offer_first[t + 1]; i++) {
			int64_t price = types->offer_price[i];

			if (price != PLM_UNSET && PLM_BIT(list->fits, types->offer_class[i]) &&
			    (list->prices[t] == PLM_UNSET || price < list->prices[t])) {
				list->prices[t] = price;
			}
		}
	}
	plm_sort(list->order, types->count, cheapest_first, list->prices, pass->arena);
}

const struct plm_price_list *plm_types_prices(struct plm_pass *pass, const struct plm_reqs *reqs)
{
	struct plm_types *types = &pass->types;
	size_t mark = plm_arena_mark(pass->arena);
	const uint64_t *fits = plm_types_fitting(pass, reqs);
	size_t size = types->offer_words * sizeof(*fits);
	struct plm_price_list *list = NULL;

	for (uint32_t i = 0; i < PLM_PRICE_LISTS; i++) {
		list = &types->prices[i];
		if (list->known && memcmp(list->fits, fits, size) == 0) {
			plm_arena_rewind(pass->arena, mark);
			return list;
		}
	}
	list = &types->prices[types->next_price_list];
	types->next_price_list = (types->next_price_list + 1) % PLM_PRICE_LISTS;
	if (size > 0) {
		memcpy(list->fits, fits, size);
	}
	plm_arena_rewind(pass->arena, mark);
	list->known = true;
	fill(pass, list);
	return list;
}

int64_t plm_types_cheapest(struct plm_pass *pass, const uint64_t *bits, const struct plm_reqs *reqs)
{
	const struct plm_price_list *list = plm_types_prices(pass, reqs);

	for (uint32_t i = 0; i < pass->types.count; i++) {
		if (PLM_BIT(bits, list->order[i])) {
			return list->prices[list->order[i]];
		}
	}
	return PLM_UNSET;
}

uint32_t *plm_open_types(struct plm_pass *pass, const struct plm_open *claim, uint32_t most,
			 uint32_t *out_count, int64_t *out_price)
{
	const struct plm_price_list *list = plm_types_prices(pass, &claim->reqs);
	uint32_t *types = PLM_NEW_ARRAY(pass->arena, most, uint32_t);
	uint32_t count = 0;

	for (uint32_t i = 0; i < pass->types.count && count < most; i++) {
		if (PLM_BIT(claim->bits, list->order[i])) {
			types[count++] = list->order[i];
		}
	}
	PLM_ASSERT(count > 0);
	*out_count = count;
	*out_price = list->prices[types[0]];
	return types;
}
