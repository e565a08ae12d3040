#include "adapters/ec2/observed.h"

#include <stdlib.h>

#include "adapters/catalog/offered.h"
#include "codec/codec.h"
#include "core/grow.h"
#include "core/limits.h"

/* A part is told while at most a share of the types differs; then all of it costs no more. */
#define PART_OF 2

/* The catalogue being made. */
struct making {
	const struct plm_ec2_observed *seen;
	struct plm_arena *arena;
	struct plm_w_instance_type *types;
	size_t count;
};

/* ---- rows -------------------------------------------------------------------------------------- */

struct range {
	uint32_t from, to;
};

static int order_of(const struct plm_ec2_price_row *row, struct plm_slice type,
		    struct plm_slice zone)
{
	int order = plm_slice_compare(row->type, type);

	return order != 0 ? order : plm_slice_compare(row->zone, zone);
}

/* The first row of a sheet of prices that is not before (type, zone). */
static uint32_t lower(const struct plm_ec2_sheet *sheet, struct plm_slice type,
		      struct plm_slice zone)
{
	const struct plm_ec2_price_row *rows = sheet->rows;
	uint32_t low = 0;
	uint32_t high = sheet->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (order_of(&rows[middle], type, zone) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static struct plm_catalog_price row_price(const struct plm_ec2_sheet *sheet, struct plm_slice type,
					  struct plm_slice zone)
{
	struct plm_catalog_price price = {.micro = PLM_UNSET};

	if (sheet != NULL) {
		const struct plm_ec2_price_row *rows = sheet->rows;
		uint32_t at = lower(sheet, type, zone);

		if (at < sheet->count && order_of(&rows[at], type, zone) == 0) {
			price.micro = rows[at].micro;
		}
	}
	return price;
}

static struct plm_slice zone_id(const struct plm_ec2_sheet *sheet, struct plm_slice zone)
{
	const struct plm_ec2_zone_row *rows = sheet == NULL ? NULL : sheet->rows;

	for (uint32_t i = 0; rows != NULL && i < sheet->count; i++) {
		if (plm_slice_equal(rows[i].zone, zone)) {
			return rows[i].id;
		}
	}
	return (struct plm_slice){0};
}

/* ---- the fallback ------------------------------------------------------------------------------ */

static const struct plm_w_instance_type *fallback_type(const struct plm_w_catalog *fallback,
						       struct plm_slice name)
{
	const struct plm_w_instance_type *types = fallback == NULL ? NULL : fallback->types.ptr;
	size_t low = 0;
	size_t high = fallback == NULL ? 0 : fallback->types.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = plm_slice_compare(types[middle].name, name);

		if (order == 0) {
			return &types[middle];
		}
		if (order < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return NULL;
}

/* Its price of a capacity type; 'zone' empty = the first zone's. */
static struct plm_catalog_price fallback_price(const struct plm_w_instance_type *type,
					       const char *capacity_type, struct plm_slice zone)
{
	const struct plm_w_offering *list = type == NULL ? NULL : type->offerings.ptr;

	for (size_t i = 0; type != NULL && i < type->offerings.count; i++) {
		if (plm_slice_is(list[i].capacity_type, capacity_type) &&
		    (zone.size == 0 || plm_slice_equal(list[i].zone, zone)) &&
		    list[i].price_micro != PLM_UNSET) {
			return (struct plm_catalog_price){.micro = list[i].price_micro,
							  .estimated = list[i].estimated == 1};
		}
	}
	return (struct plm_catalog_price){.micro = PLM_UNSET};
}

static struct plm_catalog_price demand_of(const struct making *m, struct plm_slice type,
					  const struct plm_w_instance_type *fallback)
{
	struct plm_catalog_price price =
		row_price(m->seen->sheets[PLM_EC2_SEEN_DEMAND], type, (struct plm_slice){0});

	if (price.micro == PLM_UNSET) {
		price = fallback_price(fallback, "on-demand", (struct plm_slice){0});
		if (price.micro == PLM_UNSET) {
			price = plm_catalog_known_demand(m->seen->region, type);
		}
		price.estimated = price.micro != PLM_UNSET;
	}
	return price;
}

/* A price that the fallback has seen stands; what it guessed is guessed anew from the price on demand. */
static struct plm_catalog_price spot_of(const struct making *m,
					const struct plm_catalog_offered *offered,
					const struct plm_w_instance_type *fallback,
					struct plm_slice zone)
{
	const struct plm_ec2_sheet *sheet = m->seen->sheets[PLM_EC2_SEEN_SPOT];
	struct plm_slice type = plm_slice_str(offered->facts->name);
	struct plm_catalog_price price = row_price(sheet, type, zone);

	if (price.micro != PLM_UNSET || (sheet != NULL && m->seen->strict)) {
		return price;
	}
	price = fallback_price(fallback, "spot", zone);
	if (price.micro == PLM_UNSET) {
		price = plm_catalog_known_spot(m->seen->region, type);
	}
	if (price.micro == PLM_UNSET || (price.estimated && offered->demand.micro != PLM_UNSET)) {
		price = plm_catalog_spot_guess(offered->demand);
	}
	price.estimated = price.micro != PLM_UNSET;
	return price;
}

/* ---- places ------------------------------------------------------------------------------------ */

static void put_place(const struct making *m, struct plm_catalog_offered *offered,
		      const struct plm_w_instance_type *fallback, struct plm_slice zone)
{
	struct plm_catalog_place *list = (struct plm_catalog_place *)(uintptr_t)offered->places.ptr;

	list[offered->places.count++] = (struct plm_catalog_place){
		.zone = zone,
		.zone_id = zone_id(m->seen->sheets[PLM_EC2_SEEN_ZONES], zone),
		.spot = spot_of(m, offered, fallback, zone),
	};
}

static void put_seen_places(const struct making *m, struct plm_catalog_offered *offered,
			    const struct plm_w_instance_type *fallback)
{
	const struct plm_ec2_sheet *offers = m->seen->sheets[PLM_EC2_SEEN_OFFERS];
	const struct plm_ec2_price_row *rows = offers->rows;
	struct plm_slice type = plm_slice_str(offered->facts->name);
	uint32_t from = lower(offers, type, (struct plm_slice){0});
	uint32_t to = from;

	while (to < offers->count && plm_slice_equal(rows[to].type, type)) {
		to++;
	}
	offered->places.ptr = PLM_NEW_ARRAY(m->arena, to - from, struct plm_catalog_place);
	for (uint32_t i = from; i < to; i++) {
		put_place(m, offered, fallback, rows[i].zone);
	}
}

static void put_known_places(const struct making *m, struct plm_catalog_offered *offered,
			     const struct plm_w_instance_type *fallback)
{
	const struct plm_w_offering *list = fallback == NULL ? NULL : fallback->offerings.ptr;
	size_t room = fallback == NULL ? 0 : fallback->offerings.count;
	struct plm_slice *zones = PLM_NEW_ARRAY(m->arena, room, struct plm_slice);
	size_t count = 0;

	for (size_t i = 0; i < room; i++) {
		bool there = false;

		for (size_t z = 0; z < count; z++) {
			there = there || plm_slice_equal(zones[z], list[i].zone);
		}
		if (!there) {
			zones[count++] = list[i].zone;
		}
	}
	offered->places.ptr = PLM_NEW_ARRAY(m->arena, count, struct plm_catalog_place);
	for (size_t i = 0; i < count; i++) {
		put_place(m, offered, fallback, zones[i]);
	}
}

/* What ends soon is given up by then: none is begun in it. */
static bool is_open(const struct plm_ec2_reservation_row *row, int64_t now_ms)
{
	bool block = plm_slice_is(row->kind, "capacity-block");
	int64_t lead_ms = block ? PLM_LIMIT_EC2_BLOCK_LEAD_MS : 0;

	return plm_slice_is(row->state, "active") && row->left > 0 &&
	       (row->end_ms == PLM_UNSET || row->end_ms - lead_ms > now_ms);
}

/* 'left' of what is over is nothing; until then instances run in it, whose label it still is. */
static void put_reservations(const struct making *m, struct plm_catalog_offered *offered)
{
	const struct plm_ec2_sheet *sheet = m->seen->sheets[PLM_EC2_SEEN_RESERVATIONS];
	const struct plm_ec2_reservation_row *rows = sheet == NULL ? NULL : sheet->rows;
	struct plm_slice type = plm_slice_str(offered->facts->name);
	struct plm_catalog_reservation *list = NULL;
	uint32_t all = sheet == NULL ? 0 : sheet->count;
	size_t count = 0;
	size_t room = 0;

	for (uint32_t i = 0; i < all; i++) {
		room += plm_slice_equal(rows[i].type, type) ? 1 : 0;
	}
	list = room == 0 ? NULL : PLM_NEW_ARRAY(m->arena, room, struct plm_catalog_reservation);
	for (uint32_t i = 0; i < all && room > 0; i++) {
		if (!plm_slice_equal(rows[i].type, type) ||
		    !plm_slice_is(rows[i].state, "active")) {
			continue;
		}
		list[count++] = (struct plm_catalog_reservation){
			.id = rows[i].id,
			.zone = rows[i].zone,
			.type = rows[i].kind,
			.left = plm_max(0, rows[i].left),
			.interruptible = rows[i].interruptible,
			.available = is_open(&rows[i], m->seen->now_ms),
		};
	}
	offered->reservations = (struct plm_vec){.ptr = list, .count = count};
}

/* ---- types ------------------------------------------------------------------------------------- */

static void make_type(struct making *m, const struct plm_ec2_facts *facts)
{
	const struct plm_w_instance_type *fallback =
		fallback_type(m->seen->fallback, plm_slice_str(facts->name));
	struct plm_catalog_offered offered = {
		.facts = facts,
		.demand = demand_of(m, plm_slice_str(facts->name), fallback),
	};

	if (m->seen->sheets[PLM_EC2_SEEN_OFFERS] != NULL) {
		put_seen_places(m, &offered, fallback);
	} else {
		put_known_places(m, &offered, fallback);
	}
	put_reservations(m, &offered);
	if (plm_catalog_launchable(&offered)) {
		plm_catalog_offer(&offered, m->seen->region, m->arena, &m->types[m->count++]);
	}
}

/* Of a type that no facts are known of (a catalogue file), the fallback stands as it is. */
static void make_from_fallback(struct making *m)
{
	const struct plm_w_instance_type *types = m->seen->fallback->types.ptr;

	for (size_t i = 0; i < m->seen->fallback->types.count; i++) {
		const struct plm_ec2_facts *facts = plm_catalog_known(types[i].name);

		if (facts != NULL && types[i].facts.count > 0) {
			make_type(m, facts);
		} else {
			m->types[m->count++] = types[i];
		}
	}
}

void plm_ec2_observed_catalog(const struct plm_ec2_observed *observed, struct plm_arena *arena,
			      struct plm_w_catalog *out)
{
	const struct plm_ec2_sheet *sheet = observed->sheets[PLM_EC2_SEEN_TYPES];
	const struct plm_ec2_facts *rows = sheet == NULL ? NULL : sheet->rows;
	size_t known = observed->fallback == NULL ? 0 : observed->fallback->types.count;
	size_t room = sheet == NULL ? known : sheet->count;
	struct making m = {.seen = observed, .arena = arena};

	m.types = PLM_NEW_ARRAY(arena, room, struct plm_w_instance_type);
	for (uint32_t i = 0; sheet != NULL && i < sheet->count; i++) {
		make_type(&m, &rows[i]);
	}
	if (sheet == NULL && known > 0) {
		make_from_fallback(&m);
	}
	*out = (struct plm_w_catalog){.region = observed->region,
				      .source = plm_slice_str("ec2"),
				      .types = {.ptr = m.types, .count = m.count}};
}

/* ---- what changed ------------------------------------------------------------------------------ */

void plm_ec2_said_fini(struct plm_ec2_said *said)
{
	free(said->types);
	*said = (struct plm_ec2_said){0};
}

static bool same_hash(struct plm_hash128 a, struct plm_hash128 b)
{
	return a.low == b.low && a.high == b.high;
}

static bool has_reservation(const struct plm_w_instance_type *type)
{
	const struct plm_w_offering *list = type->offerings.ptr;

	for (size_t i = 0; i < type->offerings.count; i++) {
		if (list[i].reservation.size > 0) {
			return true;
		}
	}
	return false;
}

static struct plm_ec2_said_type said_of(const struct plm_w_instance_type *type,
					struct plm_arena *arena)
{
	size_t mark = plm_arena_mark(arena);
	struct plm_ec2_said_type said = {
		.name = plm_xxh128(type->name),
		.all = plm_xxh128(plm_wire_encode(&plm_type_instance_type, type, arena)),
		.reserved = has_reservation(type),
	};

	plm_arena_rewind(arena, mark);
	return said;
}

/* Both by name: the same types in both? */
static bool same_names(const struct plm_ec2_said *said, const struct plm_ec2_said_type *now,
		       size_t count)
{
	for (size_t i = 0; i < count && said->count == count; i++) {
		if (!same_hash(said->types[i].name, now[i].name)) {
			return false;
		}
	}
	return said->count == count;
}

bool plm_ec2_said_next(struct plm_ec2_said *said, const struct plm_w_catalog *catalog, bool again,
		       struct plm_arena *arena, struct plm_w_catalog *out)
{
	const struct plm_w_instance_type *types = catalog->types.ptr;
	size_t count = catalog->types.count;
	struct plm_ec2_said_type *now = PLM_NEW_ARRAY(arena, count, struct plm_ec2_said_type);
	struct plm_w_instance_type *part = PLM_NEW_ARRAY(arena, count, struct plm_w_instance_type);
	bool whole = false;
	size_t changed = 0;
	size_t parts = 0;

	for (size_t i = 0; i < count; i++) {
		now[i] = said_of(&types[i], arena);
	}
	whole = !same_names(said, now, count);
	for (size_t i = 0; i < count && !whole; i++) {
		bool differs = !same_hash(said->types[i].all, now[i].all);
		bool reserved = now[i].reserved || said->types[i].reserved;

		changed += differs || (again && reserved) ? 1 : 0;
		if (differs || reserved) {
			part[parts++] = types[i];
		}
	}
	if (!whole && changed == 0) {
		return false;
	}
	said->types = plm_grown(said->types, &said->room, (uint32_t)count, sizeof(*now));
	said->count = (uint32_t)count;
	if (count > 0) {
		memcpy(said->types, now, count * sizeof(*now));
	}
	*out = *catalog;
	if (!whole && parts <= count / PART_OF) {
		out->types = (struct plm_vec){.ptr = part, .count = parts};
		out->part = 1;
	}
	return true;
}
