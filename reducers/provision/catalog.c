/* The catalogue as a pass needs it: classes of equal answers, bit sets over types. */
#include "core/hashing.h"
#include "reducers/provision/pass.h"
#include "reducers/provision/stock.h"

static struct plm_key_classes *key_slot(struct plm_pass *pass, plm_sym key)
{
	struct plm_types *types = &pass->types;
	uint32_t at = types->key_count;

	for (uint32_t i = 0; i < types->key_count; i++) {
		if (plm_sym_equal(types->keys[i].key, key)) {
			return &types->keys[i];
		}
	}
	if (at == 0 || (at >= 32 && (at & (at - 1)) == 0)) {
		uint32_t room = at == 0 ? 32 : at * 2;
		struct plm_key_classes *keys =
			PLM_NEW_ARRAY(pass->arena, room, struct plm_key_classes);

		if (at > 0) {
			memcpy(keys, types->keys, at * sizeof(*keys));
		}
		types->keys = keys;
	}
	types->key_count++;
	types->keys[at].key = key;
	types->keys[at].reqs = PLM_NEW_ARRAY(pass->arena, types->count, struct plm_req);
	types->keys[at].class_of = PLM_NEW_ARRAY(pass->arena, types->count, uint16_t);
	memset(types->keys[at].class_of, 0xff, types->count * sizeof(uint16_t));
	types->keys[at].mask = 63;
	while (types->keys[at].mask < 2 * types->count) {
		types->keys[at].mask = types->keys[at].mask * 2 + 1;
	}
	types->keys[at].cells = PLM_NEW_ARRAY(pass->arena, types->keys[at].mask + 1, uint16_t);
	return &types->keys[at];
}

static void class_enter(struct plm_key_classes *key, uint32_t type, const struct plm_req *req)
{
	uint64_t at = plm_hash_bytes(plm_slice_of(req->values, req->count * sizeof(plm_sym)));
	uint32_t class = 0;

	/* The same requirement as the type before it, most often. */
	if (type > 0 && key->class_of[type - 1] != PLM_NO_CLASS &&
	    plm_req_equal(&key->reqs[key->class_of[type - 1]], req)) {
		key->class_of[type] = key->class_of[type - 1];
		return;
	}
	while (key->cells[at & key->mask] != 0 &&
	       !plm_req_equal(&key->reqs[key->cells[at & key->mask] - 1], req)) {
		at++;
	}
	if (key->cells[at & key->mask] == 0) {
		key->reqs[key->count++] = *req;
		key->cells[at & key->mask] = (uint16_t)key->count;
	}
	class = key->cells[at & key->mask] - 1U;
	PLM_ASSERT(class < PLM_NO_CLASS);
	key->class_of[type] = (uint16_t)class;
}

static uint32_t offer_class(struct plm_pass *pass, const struct plm_offering *offering)
{
	struct plm_types *types = &pass->types;

	for (uint32_t i = 0; i < types->offer_count; i++) {
		if (plm_sym_equal(types->offers[i].requirements, offering->requirements)) {
			return i;
		}
	}
	types->offers[types->offer_count] = (struct plm_offer_class){
		.requirements = offering->requirements,
		.zone = offering->zone,
		.capacity_type = offering->capacity_type,
		.reservation = offering->reservation,
		.reqs = plm_reqs_of_exprs(&pass->sched, offering->requirements),
	};
	return types->offer_count++;
}

bool plm_offering_usable(const struct plm_pass *pass, plm_sym type,
			 const struct plm_offering *offering)
{
	if (offering->available == 0 || offering->price_micro == PLM_UNSET) {
		return false;
	}
	return plm_stock_out_live(pass->st) == 0 ||
	       !plm_stock_is_out(pass->st, type, offering, pass->now_ms);
}

static void enter_offerings(struct plm_pass *pass, uint32_t type)
{
	struct plm_types *types = &pass->types;
	uint32_t count = 0;
	const struct plm_offering *offerings =
		PLM_SPAN(pass->st, types->slots[type]->offerings, struct plm_offering, &count);
	uint64_t *available = types->available + (size_t)type * types->offer_words;
	uint64_t *existing = types->existing + (size_t)type * types->offer_words;
	uint32_t at = types->offer_first[type];

	for (uint32_t i = 0; i < count; i++, at++) {
		PLM_BIT_SET(existing, types->offer_class[at]);
		types->offer_price[at] = PLM_UNSET;
		if (plm_offering_usable(pass, types->slots[type]->name, &offerings[i])) {
			types->offer_price[at] = offerings[i].price_micro;
			PLM_BIT_SET(available, types->offer_class[at]);
		}
	}
}

/* Where each type's offerings begin in the lists of all; the number of all. */
static uint32_t lay_out_offers(struct plm_pass *pass)
{
	struct plm_types *types = &pass->types;
	uint32_t total = 0;

	types->offer_first = PLM_NEW_ARRAY(pass->arena, (size_t)types->count + 1, uint32_t);
	for (uint32_t t = 0; t < types->count; t++) {
		uint32_t count = 0;

		(void)PLM_SPAN(pass->st, types->slots[t]->offerings, struct plm_offering, &count);
		types->offer_first[t] = total;
		total += count;
	}
	types->offer_first[types->count] = total;
	return total;
}

static void build_offers(struct plm_pass *pass)
{
	struct plm_types *types = &pass->types;
	uint32_t total = lay_out_offers(pass);
	uint32_t at = 0;

	types->offers = PLM_NEW_ARRAY(pass->arena, total, struct plm_offer_class);
	types->offer_class = PLM_NEW_ARRAY(pass->arena, total, uint32_t);
	types->offer_price = PLM_NEW_ARRAY(pass->arena, total, int64_t);
	for (uint32_t t = 0; t < types->count; t++) {
		uint32_t count = 0;
		const struct plm_offering *list =
			PLM_SPAN(pass->st, types->slots[t]->offerings, struct plm_offering, &count);

		for (uint32_t i = 0; i < count; i++) {
			types->offer_class[at++] = offer_class(pass, &list[i]);
		}
	}
	types->offer_words = (types->offer_count + 63) / 64;
	types->available =
		PLM_NEW_ARRAY(pass->arena, (size_t)types->count * types->offer_words, uint64_t);
	types->existing =
		PLM_NEW_ARRAY(pass->arena, (size_t)types->count * types->offer_words, uint64_t);
	for (uint32_t t = 0; t < types->count; t++) {
		enter_offerings(pass, t);
	}
	plm_pass_reservations(pass);
	plm_pass_prices(pass);
}

static void build_type(struct plm_pass *pass, uint32_t t)
{
	struct plm_types *types = &pass->types;
	const struct plm_instance_type *slot = types->slots[t];

	types->reqs[t] = plm_reqs_of_exprs(&pass->sched, slot->requirements);
	for (uint32_t i = 0; i < types->reqs[t].count; i++) {
		const struct plm_req *req = &types->reqs[t].list[i];

		class_enter(key_slot(pass, req->key), t, req);
	}
	plm_res_fill(pass, slot->capacity, types->own.capacity + (size_t)t * pass->res.count);
	plm_res_fill(pass, slot->allocatable, types->own.allocatable + (size_t)t * pass->res.count);
	if (!plm_res_negative(pass, slot->allocatable)) {
		PLM_BIT_SET(types->own.sound, t);
	}
}

/* Slots of the catalogue are in order of name already: apply.c folds them so. */
void plm_pass_types(struct plm_pass *pass)
{
	struct plm_types *types = &pass->types;
	uint32_t live = plm_instance_type_live(pass->st);

	*types = (struct plm_types){.words = (live + 63) / 64};
	types->slots = PLM_NEW_ARRAY(pass->arena, live, const struct plm_instance_type *);
	PLM_EACH(pass->st, instance_type, id)
	{
		types->slots[types->count++] = plm_instance_type_at(pass->st, id);
	}
	types->reqs = PLM_NEW_ARRAY(pass->arena, live, struct plm_reqs);
	types->own.capacity = PLM_NEW_ARRAY(pass->arena, (size_t)live * pass->res.count, int64_t);
	types->own.allocatable =
		PLM_NEW_ARRAY(pass->arena, (size_t)live * pass->res.count, int64_t);
	types->own.sound = PLM_NEW_ARRAY(pass->arena, types->words, uint64_t);
	for (uint32_t t = 0; t < types->count; t++) {
		build_type(pass, t);
	}
	build_offers(pass);
}

uint32_t plm_types_find(const struct plm_pass *pass, plm_sym name)
{
	const struct plm_types *types = &pass->types;

	for (uint32_t t = 0; t < types->count; t++) {
		if (plm_sym_equal(types->slots[t]->name, name)) {
			return t;
		}
	}
	return types->count;
}

static const struct plm_key_classes *classes_of(const struct plm_types *types, plm_sym key)
{
	for (uint32_t i = 0; i < types->key_count; i++) {
		if (plm_sym_equal(types->keys[i].key, key)) {
			return &types->keys[i];
		}
	}
	return NULL;
}

static bool both_negative(const struct plm_req *a, const struct plm_req *b)
{
	enum plm_op x = plm_req_op(a);
	enum plm_op y = plm_req_op(b);

	return (x == PLM_OP_NOT_IN || x == PLM_OP_DOES_NOT_EXIST) &&
	       (y == PLM_OP_NOT_IN || y == PLM_OP_DOES_NOT_EXIST);
}

void plm_types_meet(const struct plm_pass *pass, const struct plm_req *req, uint64_t *bits)
{
	const struct plm_types *types = &pass->types;
	const struct plm_key_classes *key = classes_of(types, req->key);
	size_t mark = plm_arena_mark(pass->arena);
	uint8_t *meets = NULL;

	if (key == NULL) {
		return;
	}
	meets = PLM_NEW_ARRAY(pass->arena, key->count, uint8_t);
	for (uint32_t c = 0; c < key->count; c++) {
		meets[c] = plm_req_meets(&pass->sched, &key->reqs[c], req) ||
			   both_negative(&key->reqs[c], req);
	}
	for (uint32_t t = 0; t < types->count; t++) {
		if (key->class_of[t] != PLM_NO_CLASS && meets[key->class_of[t]] == 0) {
			bits[t / 64] &= ~((uint64_t)1 << (t % 64));
		}
	}
	plm_arena_rewind(pass->arena, mark);
}

/* Offering classes that fit 'reqs', as bits. */
uint64_t *plm_types_fitting(const struct plm_pass *pass, const struct plm_reqs *reqs)
{
	const struct plm_types *types = &pass->types;
	uint64_t *fits = PLM_NEW_ARRAY(pass->arena, types->offer_words, uint64_t);

	for (uint32_t c = 0; c < types->offer_count; c++) {
		if (plm_reqs_compatible(&pass->sched, reqs, &types->offers[c].reqs, true, NULL)) {
			PLM_BIT_SET(fits, c);
		}
	}
	return fits;
}

void plm_types_offered(const struct plm_pass *pass, const struct plm_reqs *reqs,
		       const uint64_t *offered, uint64_t *bits)
{
	const struct plm_types *types = &pass->types;
	size_t mark = plm_arena_mark(pass->arena);
	const uint64_t *fits = plm_types_fitting(pass, reqs);

	for (uint32_t t = 0; t < types->count; t++) {
		const uint64_t *have = offered + (size_t)t * types->offer_words;
		uint64_t any = 0;

		for (uint32_t w = 0; w < types->offer_words; w++) {
			any |= have[w] & fits[w];
		}
		if (any == 0) {
			bits[t / 64] &= ~((uint64_t)1 << (t % 64));
		}
	}
	plm_arena_rewind(pass->arena, mark);
}

bool plm_types_offer_fits(const struct plm_pass *pass, uint32_t type,
			  const struct plm_offering *offering, const struct plm_reqs *reqs)
{
	const struct plm_types *types = &pass->types;

	if (!plm_offering_usable(pass, types->slots[type]->name, offering)) {
		return false;
	}
	for (uint32_t c = 0; c < types->offer_count; c++) {
		if (plm_sym_equal(types->offers[c].requirements, offering->requirements)) {
			return plm_reqs_compatible(&pass->sched, reqs, &types->offers[c].reqs, true,
						   NULL);
		}
	}
	PLM_UNREACHABLE();
}

uint32_t plm_types_count(const struct plm_pass *pass, const uint64_t *bits)
{
	uint32_t count = 0;

	for (uint32_t w = 0; w < pass->types.words; w++) {
		for (uint64_t word = bits[w]; word != 0; word &= word - 1) {
			count++;
		}
	}
	return count;
}
