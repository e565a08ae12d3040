#include "adapters/catalog/offered.h"

#include "adapters/catalog/catalog.h"
#include "adapters/catalog/complete.h"
#include "adapters/catalog/labels.h"

static const char *const on_demand = "on-demand";
static const char *const reserved = "reserved";
static const char *const spot = "spot";

struct plm_catalog_price plm_catalog_spot_guess(struct plm_catalog_price demand)
{
	if (demand.micro != PLM_UNSET) {
		demand.micro = plm_div_ceil(demand.micro * PLM_CATALOG_SPOT_PERMILLE, 1000);
		demand.estimated = true;
	}
	return demand;
}

/* A type that is for capacity blocks only needs one; what is not offered here cannot be launched. */
bool plm_catalog_launchable(const struct plm_catalog_offered *offered)
{
	return offered->places.count > 0 && (offered->facts->on_demand || offered->facts->spot ||
					     offered->reservations.count > 0);
}

/* ---- offerings --------------------------------------------------------------------------------- */

/* The offerings of one type, being made. */
struct offering_list {
	struct plm_w_offering *list;
	size_t count;
	struct plm_arena *arena;
};

static struct plm_w_expr one_value(struct plm_arena *arena, enum plm_catalog_label label,
				   struct plm_slice value)
{
	struct plm_slice *values = PLM_NEW(arena, struct plm_slice);

	*values = value;
	return (struct plm_w_expr){.key = plm_slice_str(plm_catalog_labels[label]),
				   .op = PLM_OP_IN,
				   .values = {.ptr = values, .count = 1},
				   .min_values = PLM_UNSET};
}

static struct plm_w_offering *put_offering(struct offering_list *to,
					   const struct plm_catalog_place *place,
					   const char *capacity_type,
					   struct plm_catalog_price price)
{
	struct plm_w_offering *out = &to->list[to->count++];

	*out = (struct plm_w_offering){
		.zone = place->zone,
		.capacity_type = plm_slice_str(capacity_type),
		.price_micro = price.micro,
		.available = 1,
		.reserved_left = PLM_UNSET,
		.estimated = price.estimated ? 1 : 0,
	};
	if (place->zone_id.size > 0) {
		struct plm_w_expr *id = PLM_NEW(to->arena, struct plm_w_expr);

		*id = one_value(to->arena, PLM_LABEL_ZONE_ID, place->zone_id);
		out->requirements = (struct plm_vec){.ptr = id, .count = 1};
	}
	return out;
}

static void put_reserved(struct offering_list *to, const struct plm_catalog_offered *offered,
			 const struct plm_catalog_place *place,
			 const struct plm_catalog_reservation *own)
{
	struct plm_catalog_price price = offered->demand;
	struct plm_w_offering *out = NULL;
	struct plm_w_expr *list = PLM_NEW_ARRAY(to->arena, 3, struct plm_w_expr);
	size_t count = 0;

	price.micro = price.micro == PLM_UNSET
			      ? 0
			      : plm_div_ceil(price.micro, PLM_CATALOG_RESERVED_DIVISOR);
	out = put_offering(to, place, reserved, price);
	out->reservation = own->id;
	out->reserved_left = own->left;
	out->available = own->available ? 1 : 0;
	list[count++] = one_value(to->arena, PLM_LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
				  plm_slice_str(own->interruptible ? "true" : "false"));
	list[count++] = one_value(to->arena, PLM_LABEL_CAPACITY_RESERVATION_TYPE, own->type);
	if (place->zone_id.size > 0) {
		list[count++] = one_value(to->arena, PLM_LABEL_ZONE_ID, place->zone_id);
	}
	out->requirements = (struct plm_vec){.ptr = list, .count = count};
}

/* Zone by zone, and in it by the name of the capacity type, then by reservation. */
static struct plm_vec offerings(const struct plm_catalog_offered *offered, struct plm_arena *arena)
{
	const struct plm_catalog_place *places = offered->places.ptr;
	const struct plm_catalog_reservation *own = offered->reservations.ptr;
	size_t room = 2 * offered->places.count + offered->reservations.count;
	struct offering_list to = {.list = PLM_NEW_ARRAY(arena, room, struct plm_w_offering),
				   .arena = arena};

	for (size_t i = 0; i < offered->places.count; i++) {
		if (offered->facts->on_demand) {
			(void)put_offering(&to, &places[i], on_demand, offered->demand);
		}
		for (size_t r = 0; r < offered->reservations.count; r++) {
			if (plm_slice_equal(own[r].zone, places[i].zone)) {
				put_reserved(&to, offered, &places[i], &own[r]);
			}
		}
		if (offered->facts->spot) {
			(void)put_offering(&to, &places[i], spot, places[i].spot);
		}
	}
	return (struct plm_vec){.ptr = to.list, .count = to.count};
}

/* ---- requirements ------------------------------------------------------------------------------ */

static struct plm_vec zones_of(const struct plm_catalog_offered *offered, struct plm_arena *arena)
{
	const struct plm_catalog_place *places = offered->places.ptr;
	struct plm_slice *names = PLM_NEW_ARRAY(arena, offered->places.count, struct plm_slice);

	for (size_t i = 0; i < offered->places.count; i++) {
		names[i] = places[i].zone;
	}
	return (struct plm_vec){.ptr = names, .count = offered->places.count};
}

static struct plm_vec capacity_types(const struct plm_catalog_offered *offered,
				     struct plm_arena *arena)
{
	struct plm_slice *names = PLM_NEW_ARRAY(arena, 3, struct plm_slice);
	size_t count = 0;

	if (offered->facts->on_demand) {
		names[count++] = plm_slice_str(on_demand);
	}
	if (offered->reservations.count > 0) {
		names[count++] = plm_slice_str(reserved);
	}
	if (offered->facts->spot) {
		names[count++] = plm_slice_str(spot);
	}
	return (struct plm_vec){.ptr = names, .count = count};
}

/* Of what only some offerings require, the type requires the union: rule 1 of the catalogue. */
static void put_unions(struct plm_w_instance_type *type, struct plm_arena *arena)
{
	struct plm_w_expr *said =
		PLM_NEW_ARRAY(arena, type->requirements.count + PLM_LABEL_COUNT, struct plm_w_expr);
	const struct plm_w_expr *from = type->requirements.ptr;
	size_t count = 0;

	for (size_t i = 0; i < type->requirements.count; i++) {
		if (from[i].op != PLM_OP_DOES_NOT_EXIST) {
			said[count++] = from[i];
		}
	}
	plm_catalog_add_unions(arena, type->offerings, said, &count);
	plm_catalog_add_absent(said, &count);
	type->requirements = (struct plm_vec){.ptr = said, .count = count};
}

void plm_catalog_offer(const struct plm_catalog_offered *offered, struct plm_slice region,
		       struct plm_arena *arena, struct plm_w_instance_type *out)
{
	PLM_ASSERT(plm_catalog_launchable(offered));
	plm_ec2_type(offered->facts, region, zones_of(offered, arena),
		     capacity_types(offered, arena), arena, out);
	out->offerings = offerings(offered, arena);
	put_unions(out, arena);
}
