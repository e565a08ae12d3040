#include "adapters/catalog/catalog.h"

#include "adapters/catalog/table.h"

#define NOWHERE SIZE_MAX

static const char *const on_demand = "on-demand";
static const char *const spot = "spot";

/* A price, and whether it is one that was seen for this very type and region. */
struct price {
	int64_t micro; /* PLM_UNSET = unknown */
	bool estimated;
};

static size_t find_region(const char *name)
{
	for (size_t i = 0; i < plm_ec2_region_count; i++) {
		if (strcmp(plm_ec2_regions[i], name) == 0) {
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

static struct price demand_price(size_t region, size_t type)
{
	struct price price = {
		.micro = find_price(plm_ec2_demand, plm_ec2_demand_count, region, type),
	};

	if (price.micro == PLM_UNSET) {
		price.micro = find_price(plm_ec2_demand, plm_ec2_demand_count,
					 find_region(PLM_CATALOG_PRICE_REGION), type);
		price.estimated = price.micro != PLM_UNSET;
	}
	return price;
}

static struct price spot_price(size_t region, size_t type, struct price demand)
{
	struct price price = {
		.micro = find_price(plm_ec2_spot, plm_ec2_spot_count, region, type),
	};

	if (price.micro == PLM_UNSET && demand.micro != PLM_UNSET) {
		price.micro = plm_div_ceil(demand.micro * PLM_CATALOG_SPOT_PERMILLE, 1000);
		price.estimated = true;
	}
	return price;
}

static void put_offering(struct plm_w_offering *out, const char *zone, const char *capacity_type,
			 struct price price)
{
	*out = (struct plm_w_offering){
		.zone = plm_slice_str(zone),
		.capacity_type = plm_slice_str(capacity_type),
		.price_micro = price.micro,
		.available = 1,
		.reserved_left = PLM_UNSET,
		.estimated = price.estimated ? 1 : 0,
	};
}

/* Zone by zone, on demand before spot: sorted by both names. */
static struct plm_vec offerings(size_t region, size_t type, struct plm_vec zones,
				struct plm_arena *arena)
{
	const struct plm_ec2_facts *facts = &plm_ec2_rows[type].facts;
	const struct plm_slice *names = zones.ptr;
	struct plm_w_offering *list = PLM_NEW_ARRAY(arena, 2 * zones.count, struct plm_w_offering);
	struct price demand = demand_price(region, type);
	struct price cheap = spot_price(region, type, demand);
	size_t count = 0;

	for (size_t i = 0; i < zones.count; i++) {
		const char *zone = (const char *)names[i].ptr;

		if (facts->on_demand) {
			put_offering(&list[count++], zone, on_demand, demand);
		}
		if (facts->spot) {
			put_offering(&list[count++], zone, spot, cheap);
		}
	}
	return (struct plm_vec){.ptr = list, .count = count};
}

static struct plm_vec zone_names(uint32_t mask, struct plm_arena *arena)
{
	size_t bits = (size_t)__builtin_popcount(mask);
	struct plm_slice *names = PLM_NEW_ARRAY(arena, bits, struct plm_slice);
	size_t count = 0;

	for (size_t i = 0; i < plm_ec2_zone_count; i++) {
		if ((mask >> i & 1U) != 0) {
			names[count++] = plm_slice_str(plm_ec2_zones[i].name);
		}
	}
	PLM_ASSERT(count == bits);
	return (struct plm_vec){.ptr = names, .count = count};
}

static struct plm_vec capacity_types(const struct plm_ec2_facts *facts, struct plm_arena *arena)
{
	struct plm_slice *names = PLM_NEW_ARRAY(arena, 2, struct plm_slice);
	size_t count = 0;

	if (facts->on_demand) {
		names[count++] = plm_slice_str(on_demand);
	}
	if (facts->spot) {
		names[count++] = plm_slice_str(spot);
	}
	return (struct plm_vec){.ptr = names, .count = count};
}

enum plm_code plm_catalog_builtin(const char *region, struct plm_arena *arena,
				  struct plm_w_catalog *out, struct plm_error *err)
{
	size_t where = find_region(region);
	uint32_t here = where == NOWHERE ? 0 : zones_of(where);
	struct plm_w_instance_type *types = NULL;
	size_t count = 0;

	if (here == 0) {
		return unknown_region(region, err);
	}
	types = PLM_NEW_ARRAY(arena, plm_ec2_row_count, struct plm_w_instance_type);
	for (size_t i = 0; i < plm_ec2_row_count; i++) {
		const struct plm_ec2_facts *facts = &plm_ec2_rows[i].facts;
		struct plm_vec zones = zone_names(plm_ec2_rows[i].zones & here, arena);

		/* A type that is for capacity blocks only, or not offered here, cannot be launched. */
		if (zones.count == 0 || !(facts->on_demand || facts->spot)) {
			continue;
		}
		plm_ec2_type(facts, plm_slice_str(plm_ec2_regions[where]), zones,
			     capacity_types(facts, arena), arena, &types[count]);
		types[count].offerings = offerings(where, i, zones, arena);
		count++;
	}
	*out = (struct plm_w_catalog){
		.region = plm_slice_str(plm_ec2_regions[where]),
		.source = plm_slice_str("builtin"),
		.types = {.ptr = types, .count = count},
	};
	return PLM_OK;
}
