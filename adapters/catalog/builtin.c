#include "adapters/catalog/catalog.h"

#include "adapters/catalog/offered.h"
#include "adapters/catalog/table.h"

#define NOWHERE SIZE_MAX

static size_t find_region(struct plm_slice name)
{
	for (size_t i = 0; i < plm_ec2_region_count; i++) {
		if (plm_slice_is(name, plm_ec2_regions[i])) {
			return i;
		}
	}
	return NOWHERE;
}

/* The zones of 'region' as a mask of plm_ec2_zones. */
static uint32_t zones_of(size_t region)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < plm_ec2_zone_count; i++) {
		if (plm_ec2_zones[i].region == region) {
			mask |= 1U << i;
		}
	}
	return mask;
}

static enum plm_code unknown_region(const char *name, struct plm_error *err)
{
	char known[PLM_ERROR_TEXT_SIZE / 2] = {0};
	size_t used = 0;

	for (size_t i = 0; i < plm_ec2_region_count; i++) {
		size_t size = strlen(plm_ec2_regions[i]);

		if (zones_of(i) != 0 && used + size + 3 < sizeof(known)) {
			memcpy(known + used, used == 0 ? "" : ", ", used == 0 ? 0 : 2);
			used += used == 0 ? 0 : 2;
			memcpy(known + used, plm_ec2_regions[i], size);
			used += size;
		}
	}
	return plm_fail(
		err, PLM_E_NOT_FOUND,
		"region \"%s\": the built-in catalogue knows no offerings there, only in %s; "
		"give a catalogue file for another region",
		name, known);
}

/* Binary search in 'prices', which are sorted by region, then type. */
static int64_t find_price(const struct plm_ec2_price *prices, size_t count, size_t region,
			  size_t type)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct plm_ec2_price *at = &prices[middle];

		if (at->region < region || (at->region == region && at->type < type)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (low < count && prices[low].region == region && prices[low].type == type) {
		return prices[low].price_micro;
	}
	return PLM_UNSET;
}

static struct plm_catalog_price demand_price(size_t region, size_t type)
{
	struct plm_catalog_price price = {
		.micro = find_price(plm_ec2_demand, plm_ec2_demand_count, region, type),
	};

	if (price.micro == PLM_UNSET) {
		price.micro =
			find_price(plm_ec2_demand, plm_ec2_demand_count,
				   find_region(plm_slice_str(PLM_CATALOG_PRICE_REGION)), type);
		price.estimated = price.micro != PLM_UNSET;
	}
	return price;
}

static struct plm_catalog_price spot_price(size_t region, size_t type)
{
	struct plm_catalog_price price = {
		.micro = find_price(plm_ec2_spot, plm_ec2_spot_count, region, type),
	};

	return price.micro != PLM_UNSET ? price
					: plm_catalog_spot_guess(demand_price(region, type));
}

/* ---- what the table knows, for who asks EC2 ---------------------------------------------------- */

static size_t find_row(struct plm_slice type)
{
	size_t low = 0;
	size_t high = plm_ec2_row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = plm_slice_compare(plm_slice_str(plm_ec2_rows[middle].facts.name), type);

		if (order == 0) {
			return middle;
		}
		if (order < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return NOWHERE;
}

const struct plm_ec2_facts *plm_catalog_known(struct plm_slice type)
{
	size_t row = find_row(type);

	return row == NOWHERE ? NULL : &plm_ec2_rows[row].facts;
}

struct plm_catalog_price plm_catalog_known_demand(struct plm_slice region, struct plm_slice type)
{
	size_t row = find_row(type);

	return row == NOWHERE ? (struct plm_catalog_price){.micro = PLM_UNSET}
			      : demand_price(find_region(region), row);
}

struct plm_catalog_price plm_catalog_known_spot(struct plm_slice region, struct plm_slice type)
{
	size_t row = find_row(type);

	return row == NOWHERE ? (struct plm_catalog_price){.micro = PLM_UNSET}
			      : spot_price(find_region(region), row);
}

/* ---- the catalogue of a region ----------------------------------------------------------------- */

/* Where a type is offered; all of a region's zones at the same price, as the table has one for them. */
static struct plm_vec places(size_t region, size_t type, uint32_t mask, struct plm_arena *arena)
{
	size_t bits = (size_t)__builtin_popcount(mask);
	struct plm_catalog_place *list = PLM_NEW_ARRAY(arena, bits, struct plm_catalog_place);
	struct plm_catalog_price spot = spot_price(region, type);
	size_t count = 0;

	for (size_t i = 0; i < plm_ec2_zone_count; i++) {
		if ((mask >> i & 1U) != 0) {
			list[count].zone = plm_slice_str(plm_ec2_zones[i].name);
			list[count++].spot = spot;
		}
	}
	PLM_ASSERT(count == bits);
	return (struct plm_vec){.ptr = list, .count = count};
}

enum plm_code plm_catalog_builtin(const char *region, struct plm_arena *arena,
				  struct plm_w_catalog *out, struct plm_error *err)
{
	size_t where = find_region(plm_slice_str(region));
	uint32_t here = where == NOWHERE ? 0 : zones_of(where);
	struct plm_w_instance_type *types = NULL;
	size_t count = 0;

	if (here == 0) {
		return unknown_region(region, err);
	}
	types = PLM_NEW_ARRAY(arena, plm_ec2_row_count, struct plm_w_instance_type);
	for (size_t i = 0; i < plm_ec2_row_count; i++) {
		struct plm_catalog_offered offered = {
			.facts = &plm_ec2_rows[i].facts,
			.demand = demand_price(where, i),
			.places = places(where, i, plm_ec2_rows[i].zones & here, arena),
		};

		if (plm_catalog_launchable(&offered)) {
			plm_catalog_offer(&offered, plm_slice_str(plm_ec2_regions[where]), arena,
					  &types[count++]);
		}
	}
	*out = (struct plm_w_catalog){
		.region = plm_slice_str(plm_ec2_regions[where]),
		.source = plm_slice_str("builtin"),
		.types = {.ptr = types, .count = count},
	};
	return PLM_OK;
}
