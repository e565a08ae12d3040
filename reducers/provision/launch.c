#include "reducers/provision/launch.h"

#include "core/limits.h"
#include "core/sort.h"

/* One offering that fits and is in stock. */
struct row {
	uint32_t type;
	uint32_t class;	 /* of pass->types.offers */
	uint32_t market; /* of reserved ones: 0 default, 1 capacity block, 2 interruptible */
	bool out;	 /* a filter has dropped it */
	int64_t price, left;
};

/* What is being chosen from. */
struct choice {
	struct plm_pass *pass;
	const struct plm_reqs *reqs;
	struct row *rows;
	uint32_t count;
	bool min_values;
};

#define MARKETS 3U

static const struct plm_offer_class *class_of(const struct choice *c, const struct row *row)
{
	return &c->pass->types.offers[row->class];
}

static bool is_kind(const struct choice *c, const struct row *row, enum plm_known_word kind)
{
	return plm_sym_equal(class_of(c, row)->capacity_type, c->pass->sched.known[kind]);
}

/* May the claim be of that capacity type? */
static bool admits(const struct choice *c, enum plm_known_word kind)
{
	const struct plm_req *req =
		plm_reqs_get(c->reqs, c->pass->sched.known[PLM_KNOWN_CAPACITY_TYPE]);

	return req == NULL || plm_req_has(&c->pass->sched, req, c->pass->sched.known[kind]);
}

/* ---- what fits and is in stock ----------------------------------------------------------------- */

static bool has_value(const struct choice *c, const struct plm_reqs *reqs, enum plm_known_word key,
		      const char *value)
{
	const struct plm_req *req = plm_reqs_get(reqs, c->pass->sched.known[key]);

	return req != NULL && req->complement == 0 && req->count == 1 &&
	       plm_slice_is(plm_sched_text(&c->pass->sched, req->values[0]), value);
}

static uint32_t market_of(const struct choice *c, uint32_t class)
{
	const struct plm_reqs *reqs = &c->pass->types.offers[class].reqs;

	if (has_value(c, reqs, PLM_KNOWN_RESERVATION_INTERRUPTIBLE, "true")) {
		return 2;
	}
	return has_value(c, reqs, PLM_KNOWN_RESERVATION_TYPE, "capacity-block") ? 1 : 0;
}

static void collect_type(struct choice *c, uint32_t type, const uint64_t *fits)
{
	const struct plm_types *types = &c->pass->types;
	uint32_t offerings = 0;
	const struct plm_offering *list = PLM_SPAN(c->pass->st, types->slots[type]->offerings,
						   struct plm_offering, &offerings);

	PLM_ASSERT(types->offer_first[type] + offerings == types->offer_first[type + 1]);
	for (uint32_t i = 0; i < offerings; i++) {
		uint32_t at = types->offer_first[type] + i;
		uint32_t class = types->offer_class[at];

		if (types->offer_price[at] != PLM_UNSET && PLM_BIT(fits, class)) {
			c->rows[c->count++] = (struct row){.type = type,
							   .class = class,
							   .market = market_of(c, class),
							   .price = types->offer_price[at],
							   .left = list[i].reserved_left};
		}
	}
}

static void collect(struct choice *c, const uint32_t *types, uint32_t count)
{
	const uint64_t *fits = plm_types_fitting(c->pass, c->reqs);
	uint32_t room = 0;

	for (uint32_t i = 0; i < count; i++) {
		room += c->pass->types.offer_first[types[i] + 1] -
			c->pass->types.offer_first[types[i]];
	}
	c->rows = PLM_NEW_ARRAY(c->pass->arena, room, struct row);
	for (uint32_t i = 0; i < count; i++) {
		collect_type(c, types[i], fits);
	}
	PLM_ASSERT(c->count <= room);
	for (uint32_t i = 0; i < c->reqs->count; i++) {
		c->min_values = c->min_values || c->reqs->list[i].min_values > 0;
	}
}

static bool any_left(const struct choice *c, enum plm_known_word kind)
{
	for (uint32_t i = 0; i < c->count; i++) {
		if (!c->rows[i].out && is_kind(c, &c->rows[i], kind)) {
			return true;
		}
	}
	return false;
}

/* ---- reservations ------------------------------------------------------------------------------ */

/* One market per request: that of the cheapest reservation, the default one on a tie. */
static void keep_one_market(struct choice *c)
{
	int64_t cheapest[MARKETS] = {INT64_MAX, INT64_MAX, INT64_MAX};
	uint32_t best = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		const struct row *row = &c->rows[i];

		if (is_kind(c, row, PLM_KNOWN_RESERVED)) {
			cheapest[row->market] = plm_min(cheapest[row->market], row->price);
		}
	}
	for (uint32_t m = 1; m < MARKETS; m++) {
		best = cheapest[m] < cheapest[best] ? m : best;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		c->rows[i].out =
			!is_kind(c, &c->rows[i], PLM_KNOWN_RESERVED) || c->rows[i].market != best;
	}
}

static int by_price(const struct choice *c, const struct row *x, const struct row *y)
{
	const struct plm_sched *sched = &c->pass->sched;
	int order = 0;

	if (x->price != y->price) {
		return x->price < y->price ? -1 : 1;
	}
	if (x->type != y->type) {
		return x->type < y->type ? -1 : 1; /* the catalogue is in order of name */
	}
	order = plm_sched_compare(sched, class_of(c, x)->zone, class_of(c, y)->zone);
	if (order == 0) {
		order = plm_sched_compare(sched, class_of(c, x)->capacity_type,
					  class_of(c, y)->capacity_type);
	}
	return order != 0 ? order
			  : plm_sched_compare(sched, class_of(c, x)->reservation,
					      class_of(c, y)->reservation);
}

/* A request takes one capacity block only. */
static void keep_one_block(struct choice *c)
{
	struct row *best = NULL;

	for (uint32_t i = 0; i < c->count; i++) {
		struct row *row = &c->rows[i];

		if (row->out || row->market != 1) {
			continue;
		}
		if (best == NULL || by_price(c, row, best) < 0) {
			best = row;
		}
	}
	for (uint32_t i = 0; best != NULL && i < c->count; i++) {
		c->rows[i].out = &c->rows[i] != best;
	}
}

/* Of several reservations for one type in one zone, the one with the most room. */
static void keep_one_per_zone(struct choice *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		for (uint32_t k = i + 1; k < c->count && c->rows[k].type == c->rows[i].type; k++) {
			struct row *a = &c->rows[i];
			struct row *b = &c->rows[k];

			if (a->out || b->out ||
			    !plm_sym_equal(class_of(c, a)->zone, class_of(c, b)->zone)) {
				continue;
			}
			if (b->left > a->left || (b->left == a->left && by_price(c, b, a) < 0)) {
				a->out = true;
			} else {
				b->out = true;
			}
		}
	}
}

static void filter_reserved(struct choice *c)
{
	if (!admits(c, PLM_KNOWN_RESERVED) || !any_left(c, PLM_KNOWN_RESERVED)) {
		return;
	}
	keep_one_market(c);
	keep_one_block(c);
	keep_one_per_zone(c);
}

/* ---- metal, accelerators ----------------------------------------------------------------------- */

static bool is_accelerator(struct plm_slice resource)
{
	static const char *const names[] = {"nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi",
					    "aws.amazon.com/neuron", "aws.amazon.com/neuroncore"};

	for (size_t i = 0; i < PLM_COUNTOF(names); i++) {
		if (plm_slice_is(resource, names[i])) {
			return true;
		}
	}
	return false;
}

static bool is_metal(const struct choice *c, uint32_t type)
{
	const struct plm_req *size =
		plm_reqs_get(&c->pass->types.reqs[type], c->pass->sched.known[PLM_KNOWN_SIZE]);
	struct plm_slice metal = plm_slice_str("metal");

	for (uint32_t i = 0; size != NULL && size->complement == 0 && i < size->count; i++) {
		struct plm_slice text = plm_sched_text(&c->pass->sched, size->values[i]);

		for (size_t at = 0; at + metal.size <= text.size; at++) {
			if (memcmp(text.ptr + at, metal.ptr, metal.size) == 0) {
				return true;
			}
		}
	}
	return false;
}

static bool is_exotic(const struct choice *c, uint32_t type)
{
	uint32_t count = 0;
	const struct plm_amount *capacity = PLM_SPAN(
		c->pass->st, c->pass->types.slots[type]->capacity, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (capacity[i].amount != 0 &&
		    is_accelerator(plm_sched_text(&c->pass->sched, capacity[i].resource))) {
			return true;
		}
	}
	return is_metal(c, type);
}

static void drop_exotic(struct choice *c)
{
	bool *exotic = PLM_NEW_ARRAY(c->pass->arena, c->count, bool);
	bool any_plain = false;

	for (uint32_t i = 0; i < c->count; i++) {
		exotic[i] = i > 0 && c->rows[i].type == c->rows[i - 1].type
				    ? exotic[i - 1]
				    : is_exotic(c, c->rows[i].type);
		any_plain = any_plain || (!exotic[i] && !c->rows[i].out);
	}
	for (uint32_t i = 0; any_plain && i < c->count; i++) {
		c->rows[i].out = c->rows[i].out || exotic[i];
	}
}

/* ---- spot that costs more than on demand ------------------------------------------------------- */

/* All types whose cheapest spot offer is dearer than the cheapest on demand; an equal price stays. */
static void drop_dear_spot(struct choice *c)
{
	int64_t on_demand = INT64_MAX;

	if (!admits(c, PLM_KNOWN_ON_DEMAND) || !admits(c, PLM_KNOWN_SPOT) ||
	    !any_left(c, PLM_KNOWN_ON_DEMAND) || !any_left(c, PLM_KNOWN_SPOT)) {
		return;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		if (!c->rows[i].out && is_kind(c, &c->rows[i], PLM_KNOWN_ON_DEMAND)) {
			on_demand = plm_min(on_demand, c->rows[i].price);
		}
	}
	for (uint32_t first = 0, end = 0; first < c->count; first = end) {
		bool has_spot = false;
		bool good = false;

		for (end = first; end < c->count && c->rows[end].type == c->rows[first].type;
		     end++) {
			const struct row *row = &c->rows[end];
			bool spot = !row->out && is_kind(c, row, PLM_KNOWN_SPOT);

			has_spot = has_spot || spot;
			good = good || (spot && row->price <= on_demand) ||
			       (!row->out && is_kind(c, row, PLM_KNOWN_RESERVED));
		}
		for (uint32_t i = first; has_spot && !good && i < end; i++) {
			c->rows[i].out = true;
		}
	}
}

/* ---- the cut ----------------------------------------------------------------------------------- */

static int cheapest_row(const void *context, uint32_t a, uint32_t b)
{
	const struct choice *c = context;
	int order = by_price(c, &c->rows[a], &c->rows[b]);

	return order != 0 ? order : (a < b ? -1 : (a > b ? 1 : 0));
}

/* Rows that are left, cheapest first. */
static uint32_t *sorted_rows(const struct choice *c, uint32_t *out_count)
{
	uint32_t *order = PLM_NEW_ARRAY(c->pass->arena, c->count, uint32_t);

	*out_count = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		if (!c->rows[i].out) {
			order[(*out_count)++] = i;
		}
	}
	plm_sort(order, *out_count, cheapest_row, c, c->pass->arena);
	return order;
}

/* The cheapest types; false: they have too few values of 'bad', which is asked for with minValues. */
static bool cut(struct choice *c, plm_sym *bad)
{
	struct plm_pass *pass = c->pass;
	uint64_t *bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
	uint32_t count = 0;
	uint32_t *order = sorted_rows(c, &count);
	uint32_t types = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct row *row = &c->rows[order[i]];

		if (PLM_BIT(bits, row->type)) {
			continue;
		}
		if (types < PLM_LIMIT_LAUNCH_TYPES) {
			PLM_BIT_SET(bits, row->type);
			types++;
		}
	}
	for (uint32_t i = 0; i < c->count; i++) {
		c->rows[i].out = c->rows[i].out || !PLM_BIT(bits, c->rows[i].type);
	}
	return !c->min_values || plm_root(pass->st)->min_values != PLM_MIN_VALUES_STRICT ||
	       plm_types_min_values(pass, bits, c->reqs, bad);
}

/* ---- the request ------------------------------------------------------------------------------- */

/* Reserved before spot before on demand. */
static enum plm_known_word capacity_type(const struct choice *c)
{
	static const enum plm_known_word order[] = {PLM_KNOWN_RESERVED, PLM_KNOWN_SPOT};

	for (size_t i = 0; i < PLM_COUNTOF(order); i++) {
		if (admits(c, order[i]) && any_left(c, order[i])) {
			return order[i];
		}
	}
	return PLM_KNOWN_ON_DEMAND;
}

static struct plm_slice tenancy(const struct choice *c)
{
	const struct plm_req *req = plm_reqs_get(c->reqs, c->pass->sched.known[PLM_KNOWN_TENANCY]);
	plm_sym value = {0};

	if (req == NULL || req->complement != 0) {
		return plm_slice_str("default");
	}
	value = plm_sym_find(c->pass->st, plm_slice_str("default"));
	return value.n != 0 && plm_req_has(&c->pass->sched, req, value)
		       ? plm_slice_str("default")
		       : plm_slice_str("dedicated");
}

static void put_offers(const struct choice *c, enum plm_known_word kind,
		       struct plm_launch_choice *out)
{
	const struct plm_sched *sched = &c->pass->sched;
	uint32_t count = 0;
	uint32_t *order = sorted_rows(c, &count);
	struct plm_w_offer *offers = PLM_NEW_ARRAY(c->pass->arena, count, struct plm_w_offer);
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct row *row = &c->rows[order[i]];
		const struct plm_offer_class *class = class_of(c, row);

		if (!is_kind(c, row, kind)) {
			continue;
		}
		if (used == 0) {
			out->price_micro = row->price;
		}
		offers[used++] = (struct plm_w_offer){
			.instance_type =
				plm_sched_text(sched, c->pass->types.slots[row->type]->name),
			.zone = plm_sched_text(sched, class->zone),
			.capacity_type = plm_sched_text(sched, class->capacity_type),
			.reservation = plm_sched_text(sched, class->reservation),
			.image = PLM_UNSET,
			.pods = PLM_UNSET,
		};
	}
	out->offers = (struct plm_vec){offers, used};
}

void plm_launch_choose(struct plm_pass *pass, const uint32_t *types, uint32_t count,
		       const struct plm_reqs *reqs, struct plm_launch_choice *out)
{
	struct choice c = {.pass = pass, .reqs = reqs};
	enum plm_known_word kind = PLM_KNOWN_ON_DEMAND;

	*out = (struct plm_launch_choice){.price_micro = PLM_UNSET};
	collect(&c, types, count);
	filter_reserved(&c);
	if (!c.min_values) {
		drop_exotic(&c);
		drop_dear_spot(&c);
	}
	if (!cut(&c, &out->lacking)) {
		return;
	}
	kind = capacity_type(&c);
	put_offers(&c, kind, out);
	out->strategy = kind == PLM_KNOWN_SPOT ? plm_slice_str("price-capacity-optimized")
					       : plm_slice_str("lowest-price");
	out->tenancy = tenancy(&c);
}
