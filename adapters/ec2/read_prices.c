/* Pages of everything but types, and which reader a page goes to. */
#include "adapters/ec2/seen.h"
#include "core/limits.h"

typedef const struct plm_aws_node node;

/* Each puts the rows of one item; false: nothing can be made of it. */
typedef bool read_item(struct plm_ec2_sheet *sheet, node *item, const char *currency);

static bool keep(struct plm_ec2_sheet *sheet, node *item, const char *name, struct plm_slice *out)
{
	struct plm_slice text = plm_aws_text(item, name);

	return text.size > 0 && plm_ec2_sheet_text(sheet, text, out);
}

static bool is_closed(struct plm_slice state)
{
	return plm_slice_is(state, "unavailable");
}

static bool read_zone(struct plm_ec2_sheet *sheet, node *item, const char *currency)
{
	struct plm_ec2_zone_row row = {0};
	struct plm_ec2_zone_row *to = NULL;

	(void)currency;
	if (!keep(sheet, item, "zoneName", &row.zone) || !keep(sheet, item, "zoneId", &row.id)) {
		return false;
	}
	to = is_closed(plm_aws_text(item, "zoneState")) ? NULL : plm_ec2_sheet_row(sheet);
	if (to != NULL) {
		*to = row;
	}
	return true;
}

static bool read_type(struct plm_ec2_sheet *sheet, node *item, const char *currency)
{
	struct plm_ec2_facts facts;
	struct plm_ec2_facts *to = NULL;

	(void)currency;
	if (!plm_ec2_read_type(sheet, item, &facts)) {
		return false;
	}
	to = plm_ec2_sheet_row(sheet);
	if (to != NULL) {
		*to = facts;
	}
	return true;
}

static void put_price(struct plm_ec2_sheet *sheet, const struct plm_ec2_price_row *row)
{
	struct plm_ec2_price_row *to = plm_ec2_sheet_row(sheet);

	if (to != NULL) {
		*to = *row;
	}
}

static bool read_offer(struct plm_ec2_sheet *sheet, node *item, const char *currency)
{
	struct plm_ec2_price_row row = {.micro = PLM_UNSET, .at_ms = PLM_UNSET};

	(void)currency;
	if (!keep(sheet, item, "instanceType", &row.type) ||
	    !keep(sheet, item, "location", &row.zone)) {
		return false;
	}
	put_price(sheet, &row);
	return true;
}

static bool read_spot(struct plm_ec2_sheet *sheet, node *item, const char *currency)
{
	struct plm_ec2_price_row row = {
		.micro = plm_ec2_micro(plm_aws_text(item, "spotPrice")),
		.at_ms = plm_aws_time_ms(item, "timestamp"),
	};

	(void)currency;
	if (row.micro == PLM_UNSET || row.micro == 0 ||
	    !keep(sheet, item, "instanceType", &row.type) ||
	    !keep(sheet, item, "availabilityZone", &row.zone)) {
		return false;
	}
	put_price(sheet, &row);
	return true;
}

/* ---- Pricing: a product is a JSON text of its own ---------------------------------------------- */

/* terms.OnDemand.<offer>.priceDimensions.<rate>.pricePerUnit.USD, the first that is not nothing. */
static int64_t demand_micro(node *product, const char *currency)
{
	node *offers = plm_aws_get(plm_aws_get(product, "terms"), "OnDemand");

	for (node *offer = offers == NULL ? NULL : offers->child; offer != NULL;
	     offer = offer->next) {
		node *rates = plm_aws_get(offer, "priceDimensions");

		for (node *rate = rates == NULL ? NULL : rates->child; rate != NULL;
		     rate = rate->next) {
			int64_t micro = plm_ec2_micro(
				plm_aws_text(plm_aws_get(rate, "pricePerUnit"), currency));

			if (micro != PLM_UNSET && micro > 0) {
				return micro;
			}
		}
	}
	return PLM_UNSET;
}

static bool read_product(struct plm_ec2_sheet *sheet, node *item, const char *currency)
{
	struct plm_ec2_price_row row = {.at_ms = PLM_UNSET};
	struct plm_arena arena;
	struct plm_error err;
	node *product = NULL;
	bool ok = false;

	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_EC2_PRODUCT_ARENA, &err) == PLM_OK);
	ok = plm_aws_json(item->text, &arena, &product, &err) == PLM_OK &&
	     keep(sheet, plm_aws_get(plm_aws_get(product, "product"), "attributes"), "instanceType",
		  &row.type);
	if (ok) {
		row.micro = demand_micro(product, currency);
	}
	plm_arena_fini(&arena);
	if (ok && row.micro != PLM_UNSET) { /* for nothing: a rate of something else */
		put_price(sheet, &row);
	}
	return ok;
}

/* ---- reservations ------------------------------------------------------------------------------ */

static bool read_reservation(struct plm_ec2_sheet *sheet, node *item, const char *currency)
{
	struct plm_ec2_reservation_row row = {
		.left = plm_aws_number(item, "availableInstanceCount", 0),
		.end_ms = plm_aws_time_ms(item, "endDate"),
		.interruptible = plm_aws_true(item, "interruptible"),
	};
	struct plm_ec2_reservation_row *to = NULL;

	(void)currency;
	if (!keep(sheet, item, "capacityReservationId", &row.id) ||
	    !keep(sheet, item, "instanceType", &row.type) ||
	    !keep(sheet, item, "availabilityZone", &row.zone) ||
	    !keep(sheet, item, "state", &row.state)) {
		return false;
	}
	if (!keep(sheet, item, "reservationType", &row.kind)) {
		row.kind = plm_slice_str("default");
	}
	to = plm_ec2_sheet_row(sheet);
	if (to != NULL) {
		*to = row;
	}
	return true;
}

/* ---- pages ------------------------------------------------------------------------------------- */

static const struct {
	const char *list;
	read_item *read;
} readers[PLM_EC2_SEEN_COUNT] = {
	[PLM_EC2_SEEN_ZONES] = {"availabilityZoneInfo", read_zone},
	[PLM_EC2_SEEN_TYPES] = {"instanceTypeSet", read_type},
	[PLM_EC2_SEEN_OFFERS] = {"instanceTypeOfferingSet", read_offer},
	[PLM_EC2_SEEN_SPOT] = {"spotPriceHistorySet", read_spot},
	[PLM_EC2_SEEN_DEMAND] = {"PriceList", read_product},
	[PLM_EC2_SEEN_RESERVATIONS] = {"capacityReservationSet", read_reservation},
};

void plm_ec2_sheet_read(struct plm_ec2_sheet *sheet, const struct plm_aws_node *root,
			const char *currency)
{
	node *list = plm_aws_get(root, readers[sheet->kind].list);

	for (node *item = list == NULL ? NULL : list->child; item != NULL; item = item->next) {
		if (!readers[sheet->kind].read(sheet, item, currency)) {
			sheet->unreadable++;
		}
	}
}
