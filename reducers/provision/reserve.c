/*
 * Capacity reservations: karpenter.md 2.11. A claim holds one instance of every reservation that it may
 * still land in, until its options narrow; who finds a reservation that fits but is all held waits.
 */
#include "reducers/provision/pass.h"

static uint32_t reservation_at(struct plm_pass *pass, plm_sym id)
{
	struct plm_types *types = &pass->types;

	for (uint32_t i = 0; i < types->reservation_count; i++) {
		if (plm_sym_equal(types->reservations[i].id, id)) {
			return i;
		}
	}
	types->reservations[types->reservation_count] =
		(struct plm_reservation){.id = id, .left = INT64_MAX};
	return types->reservation_count++;
}

static void use(const struct plm_pass *pass, plm_sym id)
{
	for (uint32_t i = 0; i < pass->types.reservation_count; i++) {
		struct plm_reservation *own = &pass->types.reservations[i];

		if (plm_sym_equal(own->id, id) && own->left != INT64_MAX) {
			own->left--;
		}
	}
}

/* A claim whose launch is under way may land in any reservation that it names. */
static void use_named(const struct plm_pass *pass, const struct plm_node_claim *claim)
{
	uint32_t count = 0;
	const struct plm_expr *exprs =
		PLM_SPAN(pass->st, claim->requirements, struct plm_expr, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t values = 0;
		const plm_sym *ids = PLM_SPAN(pass->st, exprs[i].values, plm_sym, &values);

		for (uint32_t v = 0;
		     plm_sym_equal(exprs[i].key, pass->sched.known[PLM_KNOWN_RESERVATION_ID]) &&
		     exprs[i].op == PLM_OP_IN && v < values;
		     v++) {
			use(pass, ids[v]);
		}
	}
}

/*
 * What was launched since the catalogue said how many are left; unless strict, what is being launched, too:
 * upstream counts a launch only when it is done, and two passes in a row can count on the same instance.
 */
static void use_up(const struct plm_pass *pass)
{
	if (pass->types.reservation_count == 0) {
		return;
	}
	PLM_EACH(pass->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(pass->st, id);

		if (claim->reservation.n != 0 && claim->ended_by_cloud == 0 &&
		    claim->launched_ms >= plm_root(pass->st)->catalog_ms) {
			use(pass, claim->reservation);
		} else if (claim->phase == PLM_CLAIM_WANTED && claim->intent != 0 &&
			   !pass->strict) {
			use_named(pass, claim);
		}
	}
}

/* Every reservation with the least that any of its offerings has left. */
void plm_pass_reservations(struct plm_pass *pass)
{
	struct plm_types *types = &pass->types;

	types->reservations =
		PLM_NEW_ARRAY(pass->arena, types->offer_count, struct plm_reservation);
	for (uint32_t c = 0; c < types->offer_count; c++) {
		struct plm_offer_class *class = &types->offers[c];

		if (plm_sym_equal(class->capacity_type, pass->sched.known[PLM_KNOWN_RESERVED]) &&
		    class->reservation.n != 0) {
			class->reserved = reservation_at(pass, class->reservation) + 1;
		}
	}
	for (uint32_t t = 0; types->reservation_count > 0 && t < types->count; t++) {
		uint32_t count = 0;
		const struct plm_offering *list =
			PLM_SPAN(pass->st, types->slots[t]->offerings, struct plm_offering, &count);

		for (uint32_t i = 0; i < count; i++) {
			if (list[i].reservation.n != 0 && list[i].reserved_left != PLM_UNSET) {
				struct plm_reservation *own = &types->reservations[reservation_at(
					pass, list[i].reservation)];

				own->left = plm_min(own->left, list[i].reserved_left);
			}
		}
	}
	types->reservation_words = (types->reservation_count + 63) / 64;
	use_up(pass);
}

/* Does one of the types in 'bits' have offering class 'c' in stock? */
static bool offers(const struct plm_pass *pass, const uint64_t *bits, uint32_t c)
{
	const struct plm_types *types = &pass->types;

	for (uint32_t t = 0; t < types->count; t++) {
		if (PLM_BIT(bits, t) &&
		    PLM_BIT(types->available + (size_t)t * types->offer_words, c)) {
			return true;
		}
	}
	return false;
}

bool plm_reserve_try(const struct plm_pass *pass, const struct plm_open *claim,
		     const uint64_t *bits, const struct plm_reqs *reqs, uint64_t *held)
{
	const struct plm_types *types = &pass->types;
	bool any_fits = false;
	bool any_held = false;
	bool held_before = false;

	for (uint32_t c = 0; c < types->offer_count; c++) {
		uint32_t r = types->offers[c].reserved;

		if (r == 0 ||
		    !plm_reqs_compatible(&pass->sched, reqs, &types->offers[c].reqs, true, NULL) ||
		    !offers(pass, bits, c)) {
			continue;
		}
		any_fits = true;
		if (PLM_BIT(claim->held, r - 1) || types->reservations[r - 1].left > 0) {
			PLM_BIT_SET(held, r - 1);
			any_held = true;
		}
	}
	for (uint32_t w = 0; w < types->reservation_words; w++) {
		held_before = held_before || claim->held[w] != 0;
	}
	return any_held || (!any_fits && !held_before);
}

void plm_reserve_commit(struct plm_pass *pass, struct plm_open *claim, const uint64_t *held)
{
	for (uint32_t r = 0; r < pass->types.reservation_count; r++) {
		bool had = PLM_BIT(claim->held, r) != 0;
		bool has = PLM_BIT(held, r) != 0;

		if (had != has && pass->types.reservations[r].left != INT64_MAX) {
			pass->types.reservations[r].left += had ? 1 : -1;
		}
	}
	memcpy(claim->held, held, pass->types.reservation_words * sizeof(*held));
}

static struct plm_reqs without(const struct plm_pass *pass, const struct plm_reqs *reqs,
			       plm_sym key)
{
	struct plm_req *list = PLM_NEW_ARRAY(pass->arena, reqs->count, struct plm_req);
	uint32_t count = 0;

	for (uint32_t i = 0; i < reqs->count; i++) {
		if (!plm_sym_equal(reqs->list[i].key, key)) {
			list[count++] = reqs->list[i];
		}
	}
	return (struct plm_reqs){list, count};
}

void plm_reserve_pin(const struct plm_pass *pass, struct plm_open *claim)
{
	plm_sym *ids = PLM_NEW_ARRAY(pass->arena, pass->types.reservation_count, plm_sym);
	plm_sym key = pass->sched.known[PLM_KNOWN_CAPACITY_TYPE];
	uint32_t count = 0;
	struct plm_req req;

	for (uint32_t r = 0; r < pass->types.reservation_count; r++) {
		if (PLM_BIT(claim->held, r)) {
			ids[count++] = pass->types.reservations[r].id;
		}
	}
	if (count == 0) {
		return;
	}
	claim->reqs = without(pass, &claim->reqs, key);
	req = plm_req_make(&pass->sched, key, PLM_OP_IN, &pass->sched.known[PLM_KNOWN_RESERVED], 1);
	claim->reqs = plm_reqs_add(&pass->sched, &claim->reqs, &req);
	req = plm_req_make(&pass->sched, pass->sched.known[PLM_KNOWN_RESERVATION_ID], PLM_OP_IN,
			   ids, count);
	claim->reqs = plm_reqs_add(&pass->sched, &claim->reqs, &req);
	/* Karpenter leaves types in the list that have none of these reservations. */
	if (!pass->strict) {
		plm_types_offered(pass, &claim->reqs, pass->types.available, claim->bits);
	}
}
