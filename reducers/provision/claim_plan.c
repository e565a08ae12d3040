/* Can a pod join an open claim, or begin one? karpenter.md 2.7 and the third step of 2.5. */
#include "reducers/provision/pass.h"

/* What a claim would be with one pod more. */
struct trial {
	struct plm_reqs reqs;
	uint64_t *bits;
	int64_t *total;
	int64_t *most, *least;	    /* over the types that are left; set only when 'bits' changed */
	bool narrowed;		    /* 'reqs' differ from the claim's */
	uint64_t *held;		    /* reservations */
	const struct plm_reqs *way; /* to the pod's volumes; NULL = from everywhere */
};

/* How many values of the label the types in 'bits' have; counted up to its minimum. */
static uint32_t distinct_values(const struct plm_pass *pass, const uint64_t *bits,
				const struct plm_req *req)
{
	struct plm_req seen = {.key = req->key};
	size_t mark = plm_arena_mark(pass->arena);

	for (uint32_t t = 0; t < pass->types.count && seen.count < req->min_values; t++) {
		const struct plm_req *has = NULL;
		plm_sym *values = NULL;

		if (!PLM_BIT(bits, t)) {
			continue;
		}
		has = plm_reqs_get(&pass->types.reqs[t], req->key);
		if (has == NULL || has->count == 0) {
			continue;
		}
		values = PLM_NEW_ARRAY(pass->arena, seen.count + has->count, plm_sym);
		if (seen.count > 0) {
			memcpy(values, seen.values, seen.count * sizeof(*values));
		}
		memcpy(values + seen.count, has->values, has->count * sizeof(*values));
		seen = plm_req_make(&pass->sched, req->key, PLM_OP_IN, values,
				    seen.count + has->count);
	}
	plm_arena_rewind(pass->arena, mark);
	return seen.count < req->min_values ? seen.count : req->min_values;
}

/* MIN_VALUES_POLICY=BestEffort: a new claim asks for as many values as there are. */
static void lower_min_values(const struct plm_pass *pass, const uint64_t *bits,
			     struct plm_reqs *reqs)
{
	struct plm_req *list = PLM_NEW_ARRAY(pass->arena, reqs->count, struct plm_req);

	for (uint32_t i = 0; i < reqs->count; i++) {
		list[i] = reqs->list[i];
		list[i].min_values = distinct_values(pass, bits, &list[i]);
	}
	reqs->list = list;
}

bool plm_types_min_values(const struct plm_pass *pass, const uint64_t *bits,
			  const struct plm_reqs *reqs, plm_sym *bad)
{
	for (uint32_t i = 0; i < reqs->count; i++) {
		const struct plm_req *req = &reqs->list[i];

		if (distinct_values(pass, bits, req) < req->min_values) {
			*bad = req->key;
			return false;
		}
	}
	return true;
}

/* Types that hold 'total' beside one group of daemons; they are added to trial->bits. */
static void filter_group(const struct plm_pass *pass, const struct plm_capacity *has,
			 const struct plm_overhead *group, const uint64_t *from,
			 struct trial *trial)
{
	uint32_t res = pass->res.count;

	for (uint32_t w = 0; w < pass->types.words; w++) {
		uint64_t word = from[w] & group->bits[w] & has->sound[w];

		for (; word != 0; word &= word - 1) {
			uint32_t t = w * 64 + (uint32_t)__builtin_ctzll(word);
			const int64_t *have = has->allocatable + (size_t)t * res;
			uint32_t r = 0;

			while (r < res &&
			       plm_add_sat(trial->total[r], group->requests[r]) <= have[r]) {
				r++;
			}
			if (r < res) {
				continue;
			}
			PLM_BIT_SET(trial->bits, t);
			for (r = 0; r < res; r++) {
				int64_t room = plm_sub_sat(have[r], group->requests[r]);

				trial->most[r] = plm_max(trial->most[r], room);
				trial->least[r] = plm_min(trial->least[r], room);
			}
		}
	}
}

static bool any_bit(const struct plm_pass *pass, const uint64_t *bits)
{
	for (uint32_t w = 0; w < pass->types.words; w++) {
		if (bits[w] != 0) {
			return true;
		}
	}
	return false;
}

/* Types of 'from' that are left once 'reqs' and 'total' of the trial hold. */
static bool filter(const struct plm_pass *pass, const struct plm_open *claim, uint64_t *from,
		   plm_sym ports, struct trial *trial)
{
	const struct plm_pool *pool = &pass->pools[claim->pool];

	if (trial->narrowed) {
		for (uint32_t i = 0; i < trial->reqs.count; i++) {
			const struct plm_req *req = &trial->reqs.list[i];
			const struct plm_req *old = plm_reqs_get(&claim->reqs, req->key);

			if (old == NULL || !plm_req_equal(old, req)) {
				plm_types_meet(pass, req, from);
			}
		}
		plm_types_offered(pass, &trial->reqs, pass->types.available, from);
	}
	for (uint32_t r = 0; r < pass->res.count; r++) {
		trial->most[r] = INT64_MIN;
		trial->least[r] = INT64_MAX;
	}
	for (uint32_t g = 0; g < pool->overhead_count; g++) {
		if (!plm_ports_taken(&pass->sched, pool->overheads[g].ports, ports)) {
			filter_group(pass, pool->has, &pool->overheads[g], from, trial);
		}
	}
	return any_bit(pass, trial->bits);
}

static bool has_min_values(const struct plm_reqs *reqs)
{
	for (uint32_t i = 0; i < reqs->count; i++) {
		if (reqs->list[i].min_values > 0) {
			return true;
		}
	}
	return false;
}

static void link_want(struct plm_pass *pass, struct plm_open *claim, uint32_t want)
{
	pass->wants[want].place = PLM_WANT_CLAIM;
	pass->wants[want].at = claim->index;
	pass->wants[want].next = claim->first;
	claim->first = want + 1;
	claim->pods++;
}

/* What a claim's sum would be with one pod more, beside what its types have. */
enum fit {
	FIT_ALL, /* every type that is left has room */
	FIT_SOME,
	FIT_NONE, /* and none ever will */
};

static enum fit fit_of(const struct plm_pass *pass, const struct plm_open *claim,
		       const int64_t *requests)
{
	enum fit fit = FIT_ALL;

	for (uint32_t r = 0; r < pass->res.count; r++) {
		int64_t ask = plm_add_sat(claim->total[r], requests[r]);

		if (ask > claim->most[r]) {
			return FIT_NONE;
		}
		fit = ask > claim->least[r] ? FIT_SOME : fit;
	}
	return fit;
}

static bool has_room(const struct plm_pass *pass, const struct plm_open *claim,
		     const int64_t *requests);

/*
 * The fast way of the thrifty packing: the cheapest type has room, so it stays what it is. Which dearer
 * types hold the claim, too, is looked at when it is finished.
 */
static bool add_thrifty(struct plm_pass *pass, struct plm_open *claim,
			const struct plm_want_shape *shape, uint32_t asked)
{
	if (claim->pods == 0 || !PLM_BIT(claim->absorbed, asked) || claim->varied ||
	    pass->types.reservation_count > 0 || !has_room(pass, claim, shape->requests)) {
		return false;
	}
	plm_res_add(pass, claim->total, shape->requests);
	claim->stale = true;
	return true;
}

static void commit(struct plm_pass *pass, struct plm_open *claim, const struct trial *trial)
{
	claim->reqs = trial->reqs;
	claim->bits = trial->bits;
	claim->total = trial->total;
	claim->most = trial->most;
	claim->least = trial->least;
	claim->stale = false;
	plm_reserve_commit(pass, claim, trial->held);
	if (trial->narrowed) {
		plm_opens_narrowed(pass, claim);
	}
}

static struct trial begin_trial(const struct plm_pass *pass, const struct plm_open *claim,
				const int64_t *requests)
{
	struct trial trial = {
		.reqs = claim->reqs,
		.bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t),
		.total = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t),
		.most = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t),
		.least = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t),
		.held = PLM_NEW_ARRAY(pass->arena, pass->types.reservation_words, uint64_t),
	};

	memcpy(trial.total, claim->total, pass->res.count * sizeof(int64_t));
	plm_res_add(pass, trial.total, requests);
	return trial;
}

enum verdict {
	VERDICT_FITS,
	VERDICT_NEVER, /* and never will */
	VERDICT_NOT_NOW,
	VERDICT_NOT_THERE,  /* nor on any claim of its site, now */
	VERDICT_NEVER_HERE, /* topology: never on this claim, which says nothing of others */
	VERDICT_RESERVED,   /* a reservation fits, but all of it is held */
};

static enum verdict verdict_of(enum plm_topo_answer answer)
{
	switch (answer) {
	case PLM_TOPO_FITS:
		return VERDICT_FITS;
	case PLM_TOPO_NEVER:
		return VERDICT_NEVER_HERE;
	case PLM_TOPO_NOT_THERE:
		return VERDICT_NOT_THERE;
	case PLM_TOPO_NOT_NOW:
	default:
		return VERDICT_NOT_NOW;
	}
}

/* Requirements of the claim with the pod's. */
static bool join_reqs(struct plm_pass *pass, const struct plm_open *claim,
		      const struct plm_want_shape *shape, uint32_t ask, struct trial *trial)
{
	const struct plm_ask *asked = &pass->kinds[shape->kind].asks[ask];

	if (PLM_BIT(claim->absorbed, plm_ask_index(pass, shape, ask))) {
		return true;
	}
	if (asked->impossible ||
	    plm_taints_refuse(&pass->sched, &pass->pools[claim->pool].taints,
			      &asked->tolerations) != NULL ||
	    !plm_reqs_compatible(&pass->sched, &trial->reqs, &asked->reqs, true, NULL)) {
		return false;
	}
	trial->reqs = plm_reqs_merge(&pass->sched, &trial->reqs, &asked->reqs);
	trial->narrowed = asked->reqs.count > 0;
	return true;
}

/* What its volumes ('way', may be NULL) and topology leave of them. */
static enum verdict narrow_reqs(struct plm_pass *pass, const struct plm_want_shape *shape,
				uint32_t ask, const struct plm_reqs *way, struct trial *trial)
{
	if (way != NULL) {
		const struct plm_req *before = trial->reqs.list;

		if (!plm_volume_join(pass, way, true, &trial->reqs)) {
			return VERDICT_NEVER;
		}
		trial->narrowed = trial->narrowed || trial->reqs.list != before;
	}
	if (plm_kind_held(pass, shape->kind, ask)) {
		const struct plm_req *before = trial->reqs.list;
		enum plm_topo_answer answer =
			plm_kind_narrow(pass, shape->kind, ask, true, &trial->reqs);

		trial->narrowed = trial->narrowed || trial->reqs.list != before;
		return verdict_of(answer);
	}
	return VERDICT_FITS;
}

/* 'trial' has the pod's requirements; the rest of the way, with one way to its volumes. */
static enum verdict run_way(struct plm_pass *pass, struct plm_open *claim,
			    const struct plm_want_shape *shape, uint32_t ask, struct trial *trial)
{
	const struct plm_want_kind *kind = &pass->kinds[shape->kind];
	enum verdict failed =
		plm_kind_held(pass, shape->kind, ask) ? VERDICT_NOT_NOW : VERDICT_NEVER;
	enum verdict narrowed = narrow_reqs(pass, shape, ask, trial->way, trial);
	uint64_t *from = NULL;
	plm_sym bad = {0};

	if (narrowed != VERDICT_FITS) {
		return narrowed;
	}
	from = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
	memcpy(from, claim->bits, pass->types.words * sizeof(*from));
	if (!filter(pass, claim, from, kind->shape.ports, trial)) {
		return failed;
	}
	if (claim->relaxed && has_min_values(&trial->reqs)) {
		lower_min_values(pass, trial->bits, &trial->reqs);
	} else if (has_min_values(&trial->reqs) &&
		   !plm_types_min_values(pass, trial->bits, &trial->reqs, &bad)) {
		return failed;
	}
	if (pass->types.reservation_count > 0 &&
	    !plm_reserve_try(pass, claim, trial->bits, &trial->reqs, trial->held)) {
		return VERDICT_RESERVED;
	}
	return VERDICT_FITS;
}

/* Of two ways that both failed: the error of the later one is Karpenter's. */
static enum verdict both_failed(enum verdict before, enum verdict last)
{
	bool never = (before == VERDICT_NEVER || before == VERDICT_NEVER_HERE) &&
		     (last == VERDICT_NEVER || last == VERDICT_NEVER_HERE);

	if (before == last && last != VERDICT_NOT_THERE) {
		return last;
	}
	if (last == VERDICT_RESERVED) {
		return last;
	}
	return never ? VERDICT_NEVER_HERE : VERDICT_NOT_NOW;
}

/* Each way to the pod's volumes in turn, until one will do. */
static enum verdict run_trial(struct plm_pass *pass, struct plm_open *claim,
			      const struct plm_want_shape *shape, uint32_t ask, struct trial *trial)
{
	const struct plm_volume_set *volumes = plm_volume_set_at(pass, shape->volumes);
	enum verdict verdict = VERDICT_NEVER;
	struct trial begun;

	if (!join_reqs(pass, claim, shape, ask, trial)) {
		return VERDICT_NEVER;
	}
	if (volumes == NULL || volumes->way_count == 0) {
		return run_way(pass, claim, shape, ask, trial);
	}
	begun = *trial;
	for (uint32_t i = 0; i < volumes->way_count; i++) {
		enum verdict way = VERDICT_NEVER;

		*trial = begun;
		trial->way = &volumes->ways[i];
		memset(trial->bits, 0, pass->types.words * sizeof(uint64_t));
		memset(trial->held, 0, pass->types.reservation_words * sizeof(uint64_t));
		way = run_way(pass, claim, shape, ask, trial);
		if (way == VERDICT_FITS) {
			return way;
		}
		verdict = i == 0 ? way : both_failed(verdict, way);
	}
	return verdict;
}

static int64_t price_alone(struct plm_pass *pass, const struct plm_want_shape *shape, uint32_t ask);

/* May the claim still become dearer? Only the newest: to look at all for every pod takes too long. */
static bool may_grow(const struct plm_pass *pass, const struct plm_open *claim)
{
	return claim->index + PLM_THRIFT_OPEN >= pass->claim_count;
}

/* Has the claim's cheapest type room for one pod more? */
static bool has_room(const struct plm_pass *pass, const struct plm_open *claim,
		     const int64_t *requests)
{
	for (uint32_t r = 0; r < pass->res.count; r++) {
		if (plm_add_sat(claim->total[r], requests[r]) > claim->roomy[r]) {
			return false;
		}
	}
	return true;
}

/* Would the pod make its claim dearer by more than a claim of its own costs? */
static bool too_dear(struct plm_pass *pass, struct plm_open *claim, const struct trial *trial,
		     const struct plm_want_shape *shape, uint32_t ask)
{
	int64_t after = plm_types_cheapest(pass, trial->bits, &trial->reqs);
	int64_t alone = 0;

	if (after == PLM_UNSET || claim->price == PLM_UNSET || after <= claim->price) {
		return false;
	}
	if (pass->filling || !may_grow(pass, claim)) {
		return true;
	}
	alone = price_alone(pass, shape, ask);
	return alone != PLM_UNSET && after - claim->price > alone;
}

/* Room of one type beside the daemons that run on it. */
static void add_room(const struct plm_pass *pass, struct plm_open *claim, uint32_t type)
{
	const struct plm_pool *pool = &pass->pools[claim->pool];
	const int64_t *have = pool->has->allocatable + (size_t)type * pass->res.count;

	for (uint32_t g = 0; g < pool->overhead_count; g++) {
		for (uint32_t r = 0; PLM_BIT(pool->overheads[g].bits, type) && r < pass->res.count;
		     r++) {
			claim->roomy[r] =
				plm_max(claim->roomy[r],
					plm_sub_sat(have[r], pool->overheads[g].requests[r]));
		}
	}
}

static void aim(struct plm_pass *pass, struct plm_open *claim, uint32_t type, int64_t price)
{
	claim->aim = type + 1;
	claim->price = price;
	memset(claim->roomy, 0, pass->res.count * sizeof(int64_t));
	add_room(pass, claim, type);
}

/* Price and room of the type that the claim is to grow into, after its types have changed. */
static void measure(struct plm_pass *pass, struct plm_open *claim)
{
	const struct plm_price_list *list = plm_types_prices(pass, &claim->reqs);
	uint32_t target = claim->aim - 1;

	if (claim->aim == 0 || !PLM_BIT(claim->bits, target) || list->prices[target] == PLM_UNSET) {
		target = plm_target_of(pass, claim, list);
	}
	claim->varied = has_min_values(&claim->reqs);
	if (target < pass->types.count) {
		aim(pass, claim, target, list->prices[target]);
		return;
	}
	claim->aim = 0;
	claim->price = PLM_UNSET;
	memset(claim->roomy, 0, pass->res.count * sizeof(int64_t));
}

void plm_open_aim(struct plm_pass *pass, struct plm_open *claim, uint32_t type)
{
	const struct plm_price_list *list = plm_types_prices(pass, &claim->reqs);

	if (PLM_BIT(claim->bits, type) && list->prices[type] != PLM_UNSET) {
		aim(pass, claim, type, list->prices[type]);
	}
}

static void placed(struct plm_pass *pass, struct plm_open *claim, uint32_t want)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	struct plm_topo_site site = {.taints = pass->pools[claim->pool].taints};

	link_want(pass, claim, want);
	if (pass->thrifty) {
		plm_res_sub(pass, pass->rest, shape->requests);
	}
	plm_kind_record(pass, shape->kind, &site, &claim->reqs);
}

/* More ways than one: which of them will do has to be seen each time. */
static bool several_ways(const struct plm_pass *pass, const struct plm_want_shape *shape)
{
	return shape->volumes != 0 && plm_volume_set_at(pass, shape->volumes)->way_count > 1;
}

/*
 * The fast way: nothing new is asked of the claim but room. Every type that is left has it, or, thrifty,
 * the cheapest. False: the long way must be gone, unless '*verdict' is an answer already.
 */
static bool add_fast(struct plm_pass *pass, struct plm_open *claim,
		     const struct plm_want_shape *shape, uint32_t ask, enum verdict *verdict)
{
	bool held = plm_kind_held(pass, shape->kind, ask);
	enum fit fit = fit_of(pass, claim, shape->requests);
	size_t mark = plm_arena_mark(pass->arena);
	struct plm_reqs reqs = claim->reqs;

	if (fit == FIT_NONE) {
		*verdict = VERDICT_NEVER;
		return false;
	}
	if (!PLM_BIT(claim->absorbed, plm_ask_index(pass, shape, ask)) ||
	    pass->types.reservation_count > 0) {
		return false;
	}
	if (!held) {
		return fit == FIT_ALL;
	}
	if (several_ways(pass, shape) || fit != FIT_ALL || has_min_values(&reqs) ||
	    (pass->thrifty && !has_room(pass, claim, shape->requests))) {
		return false;
	}
	*verdict = verdict_of(plm_kind_narrow(pass, shape->kind, ask, true, &reqs));
	plm_arena_rewind(pass->arena, mark);
	return *verdict == VERDICT_FITS && reqs.list == claim->reqs.list;
}

static enum verdict add_slowly(struct plm_pass *pass, struct plm_open *claim, uint32_t want,
			       uint32_t ask)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	size_t mark = 0;
	struct trial trial;
	enum verdict verdict = VERDICT_FITS;
	bool grows = false;

	/* The trial's memory is given back: what price_alone() makes for good is made before it. */
	if (pass->thrifty && plm_kind_held(pass, shape->kind, ask)) {
		plm_topology_add_host(pass->topology,
				      (plm_sym){PLM_SYM_OUTSIDE + pass->claim_count});
	}
	mark = plm_arena_mark(pass->arena);
	trial = begin_trial(pass, claim, shape->requests);
	verdict = run_trial(pass, claim, shape, ask, &trial);
	if (verdict != VERDICT_FITS) {
		plm_arena_rewind(pass->arena, mark);
		return verdict;
	}
	grows = pass->thrifty && (trial.narrowed || !has_room(pass, claim, shape->requests));
	if (grows && claim->pods > 0 && too_dear(pass, claim, &trial, shape, ask)) {
		plm_arena_rewind(pass->arena, mark);
		if (!pass->filling) {
			plm_opens_pass_over(pass, shape->first_try + ask, claim);
		}
		return VERDICT_NOT_NOW;
	}
	commit(pass, claim, &trial);
	if (grows) {
		measure(pass, claim);
		plm_opens_changed(pass, claim);
	}
	PLM_BIT_SET(claim->absorbed, plm_ask_index(pass, shape, ask));
	claim->ports =
		plm_ports_add(&pass->sched, claim->ports, pass->kinds[shape->kind].shape.ports);
	return VERDICT_FITS;
}

static enum verdict add(struct plm_pass *pass, struct plm_open *claim, uint32_t want, uint32_t ask)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	plm_sym ports = pass->kinds[shape->kind].shape.ports;
	bool held = plm_kind_held(pass, shape->kind, ask);
	enum verdict verdict = VERDICT_FITS;

	pass->spent++;
	if (pass->thrifty && claim->pods > 0 && (pass->filling || !may_grow(pass, claim)) &&
	    !has_room(pass, claim, shape->requests)) {
		if (!may_grow(pass, claim)) {
			plm_opens_pass_over(pass, shape->first_try + ask, claim);
		}
		return VERDICT_NOT_NOW;
	}
	if (plm_ports_taken(&pass->sched, claim->ports, ports)) {
		verdict = VERDICT_NEVER;
	} else if (pass->thrifty && !held && ports.n == 0 &&
		   add_thrifty(pass, claim, shape, plm_ask_index(pass, shape, ask))) {
		verdict = VERDICT_FITS;
	} else if (ports.n == 0 && add_fast(pass, claim, shape, ask, &verdict)) {
		plm_res_add(pass, claim->total, shape->requests);
	} else if (verdict == VERDICT_FITS) {
		verdict = add_slowly(pass, claim, want, ask);
	}
	if (verdict == VERDICT_FITS) {
		placed(pass, claim, want);
	} else if (verdict == VERDICT_NEVER || verdict == VERDICT_NEVER_HERE) {
		plm_opens_never(pass, shape->first_try + ask, claim);
	}
	return verdict;
}

void plm_open_finish(struct plm_pass *pass, struct plm_open *claim)
{
	struct trial trial;
	bool some = false;

	if (!claim->stale) {
		return;
	}
	trial = begin_trial(pass, claim, claim->total);
	memcpy(trial.total, claim->total, pass->res.count * sizeof(int64_t));
	some = filter(pass, claim, claim->bits, (plm_sym){0}, &trial);
	PLM_ASSERT(some);
	claim->bits = trial.bits;
	claim->stale = false;
}

bool plm_open_add_dear(struct plm_pass *pass, struct plm_open *claim, uint32_t want, uint32_t ask)
{
	enum verdict verdict = VERDICT_FITS;

	PLM_ASSERT(pass->thrifty);
	pass->thrifty = false;
	verdict = add(pass, claim, want, ask);
	pass->thrifty = true;
	if (verdict != VERDICT_FITS) {
		return false;
	}
	plm_res_sub(pass, pass->rest, plm_want_shape_of(pass, want)->requests);
	measure(pass, claim);
	plm_opens_changed(pass, claim);
	return true;
}

/* Nothing that is wanted fits any more, and it is too old to grow: it is not looked at again. */
bool plm_open_is_full(const struct plm_pass *pass, const struct plm_open *claim)
{
	return !may_grow(pass, claim) && !has_room(pass, claim, pass->least);
}

enum plm_joined plm_open_add(struct plm_pass *pass, struct plm_open *claim, uint32_t want,
			     uint32_t ask)
{
	enum verdict verdict = add(pass, claim, want, ask);

	if (verdict == VERDICT_NOT_THERE) {
		return PLM_JOINED_NOT_THERE;
	}
	return verdict == VERDICT_FITS ? PLM_JOINED : PLM_JOINED_NOT;
}

/* ---- a new claim ------------------------------------------------------------------------------- */

/* Types of the pool that its limits still allow. */
void plm_pool_within_limits(const struct plm_pass *pass, const struct plm_pool *pool,
			    uint64_t *bits)
{
	for (uint32_t r = 0; r < pass->res.count; r++) {
		if (pool->left[r] == PLM_UNLIMITED) {
			continue;
		}
		for (uint32_t t = 0; t < pass->types.count; t++) {
			if (pool->has->capacity[(size_t)t * pass->res.count + r] > pool->left[r]) {
				bits[t / 64] &= ~((uint64_t)1 << (t % 64));
			}
		}
	}
}

/* The most that a claim may turn out to be is taken off the limits: it is never given back. */
static void take_limits(const struct plm_pass *pass, struct plm_pool *pool,
			const struct plm_open *claim)
{
	for (uint32_t r = 0; r < pass->res.count; r++) {
		int64_t most = 0;

		if (pool->left[r] == PLM_UNLIMITED) {
			continue;
		}
		for (uint32_t t = 0; t < pass->types.count; t++) {
			if (PLM_BIT(claim->bits, t)) {
				most = plm_max(
					most, pool->has->capacity[(size_t)t * pass->res.count + r]);
			}
		}
		pool->left[r] = plm_sub_sat(pool->left[r], most);
	}
	if (pool->nodes_left != PLM_UNLIMITED && !pass->strict) {
		pool->nodes_left--;
	}
	if (pool->size_left != PLM_UNLIMITED) {
		pool->size_left--;
	}
}

/* Opened for good. */
static void enter(struct plm_pass *pass, struct plm_open *claim)
{
	take_limits(pass, &pass->pools[claim->pool], claim);
	plm_opens_add(pass, claim);
}

static struct plm_open *begin_claim(struct plm_pass *pass, uint32_t pool_index)
{
	const struct plm_pool *pool = &pass->pools[pool_index];
	struct plm_open *claim = PLM_NEW(pass->arena, struct plm_open);
	struct plm_req host;

	claim->pool = pool_index;
	claim->index = pass->claim_count;
	claim->host = (plm_sym){PLM_SYM_OUTSIDE + pass->claim_count};
	claim->reqs = pool->reqs;
	if (pass->topology != NULL) {
		host = plm_req_make(&pass->sched, pass->sched.known[PLM_KNOWN_HOSTNAME], PLM_OP_IN,
				    &claim->host, 1);
		claim->reqs = plm_reqs_add(&pass->sched, &pool->reqs, &host);
	}
	claim->bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
	memcpy(claim->bits, pool->bits, pass->types.words * sizeof(uint64_t));
	plm_pool_within_limits(pass, pool, claim->bits);
	claim->total = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	claim->most = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	claim->least = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	for (uint32_t r = 0; r < pass->res.count; r++) {
		claim->most[r] = INT64_MAX;
		claim->least[r] = INT64_MIN;
	}
	claim->price = PLM_UNSET;
	claim->roomy = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	claim->absorbed = PLM_NEW_ARRAY(pass->arena, (pass->ask_count + 63) / 64, uint64_t);
	claim->held = PLM_NEW_ARRAY(pass->arena, pass->types.reservation_words, uint64_t);
	claim->relaxed = plm_root(pass->st)->min_values == PLM_MIN_VALUES_BEST_EFFORT;
	return claim;
}

/* May equal pods share what a new claim of the pool becomes with one of them? */
static bool may_repeat(const struct plm_pass *pass, const struct plm_pool *pool)
{
	return pass->topology == NULL && !pool->limited && pass->types.reservation_count == 0;
}

static void remember_first(const struct plm_pass *pass, struct plm_pool *pool, uint32_t try,
			   const struct plm_open *claim)
{
	struct plm_first *first = &pool->firsts[try];

	*first = (struct plm_first){.reqs = claim->reqs,
				    .bits = claim->bits,
				    .most = claim->most,
				    .least = claim->least,
				    .price = claim->price,
				    .aim = claim->aim,
				    .varied = claim->varied};
	first->roomy = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	memcpy(first->roomy, claim->roomy, pass->res.count * sizeof(int64_t));
}

/* A new claim of the pool as it was made for an equal pod before. */
static void repeat_first(struct plm_pass *pass, uint32_t pool_index, uint32_t want, uint32_t ask)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	uint32_t try = shape->first_try + ask;
	const struct plm_first *first = &pass->pools[pool_index].firsts[try];
	struct plm_open *claim = begin_claim(pass, pool_index);

	claim->reqs = first->reqs;
	claim->bits = first->bits;
	claim->most = first->most;
	claim->least = first->least;
	claim->price = first->price;
	claim->aim = first->aim;
	claim->varied = first->varied;
	claim->relaxed = false;
	memcpy(claim->roomy, first->roomy, pass->res.count * sizeof(int64_t));
	plm_res_add(pass, claim->total, shape->requests);
	PLM_BIT_SET(claim->absorbed, plm_ask_index(pass, shape, ask));
	claim->ports =
		plm_ports_add(&pass->sched, claim->ports, pass->kinds[shape->kind].shape.ports);
	placed(pass, claim, want);
	enter(pass, claim);
}

bool plm_open_probe(struct plm_pass *pass, uint32_t index, const struct plm_want_shape *shape,
		    uint32_t ask, struct plm_probe *out)
{
	const struct plm_pool *pool = &pass->pools[index];
	struct plm_open *claim = NULL;
	struct trial trial;

	if (pool->use != PLM_POOL_USED || pool->nodes_left <= 0 || pool->size_left <= 0) {
		return false;
	}
	claim = begin_claim(pass, index);
	trial = begin_trial(pass, claim, shape->requests);
	if (run_trial(pass, claim, shape, ask, &trial) != VERDICT_FITS) {
		return false;
	}
	*out = (struct plm_probe){trial.reqs, trial.bits};
	return true;
}

/* What one pod of 'shape' costs on a claim of its own, in the first pool that takes it. */
static int64_t ask_alone(struct plm_pass *pass, const struct plm_want_shape *shape, uint32_t ask)
{
	int64_t price = PLM_UNSET;

	for (uint32_t p = 0; price == PLM_UNSET && p < pass->pool_count; p++) {
		size_t mark = plm_arena_mark(pass->arena);
		struct plm_probe probe;

		if (plm_open_probe(pass, p, shape, ask, &probe)) {
			price = plm_types_cheapest(pass, probe.bits, &probe.reqs);
		}
		plm_arena_rewind(pass->arena, mark);
	}
	return price;
}

/* The same, remembered; not where topology has a say, which changes with every pod. */
static int64_t price_alone(struct plm_pass *pass, const struct plm_want_shape *shape, uint32_t ask)
{
	int64_t *memo = &pass->alone[shape->first_try + ask];

	if (plm_kind_held(pass, shape->kind, ask)) {
		plm_topology_add_host(pass->topology,
				      (plm_sym){PLM_SYM_OUTSIDE + pass->claim_count});
		return ask_alone(pass, shape, ask);
	}
	if (*memo == 0) {
		*memo = ask_alone(pass, shape, ask);
	}
	return *memo;
}

/* A new claim of one pool for 'want'. */
static enum verdict open_in(struct plm_pass *pass, uint32_t p, uint32_t want, uint32_t ask)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	struct plm_pool *pool = &pass->pools[p];
	uint32_t try = shape->first_try + ask;
	size_t mark = 0;
	struct plm_open *claim = NULL;
	enum verdict verdict = VERDICT_FITS;

	if (pool->use != PLM_POOL_USED || PLM_BIT(pool->failed, try) || pool->nodes_left <= 0 ||
	    pool->size_left <= 0) {
		return VERDICT_NOT_NOW;
	}
	if (pool->firsts[try].bits != NULL) {
		repeat_first(pass, p, want, ask);
		return VERDICT_FITS;
	}
	if (pass->topology != NULL) {
		plm_topology_add_host(pass->topology,
				      (plm_sym){PLM_SYM_OUTSIDE + pass->claim_count});
	}
	mark = plm_arena_mark(pass->arena);
	claim = begin_claim(pass, p);
	verdict = add(pass, claim, want, ask);
	if (verdict == VERDICT_FITS) {
		claim->relaxed = false;
		enter(pass, claim);
		if (may_repeat(pass, pool)) {
			remember_first(pass, pool, try, claim);
		}
		return VERDICT_FITS;
	}
	plm_arena_rewind(pass->arena, mark);
	if (verdict == VERDICT_NEVER) {
		PLM_BIT_SET(pool->failed, try);
	}
	return verdict;
}

enum plm_opened plm_open_new(struct plm_pass *pass, uint32_t want, uint32_t ask)
{
	for (uint32_t p = 0; p < pass->pool_count; p++) {
		switch (open_in(pass, p, want, ask)) {
		case VERDICT_FITS:
			return PLM_OPENED;
		case VERDICT_RESERVED:
			return PLM_OPENED_WAITS; /* a lighter pool is no way out */
		case VERDICT_NEVER:
		case VERDICT_NEVER_HERE:
		case VERDICT_NOT_NOW:
		case VERDICT_NOT_THERE:
		default:
			break;
		}
	}
	return PLM_OPENED_NOT;
}

struct plm_open *plm_open_in(struct plm_pass *pass, uint32_t pool, uint32_t want, uint32_t ask)
{
	if (open_in(pass, pool, want, ask) != VERDICT_FITS) {
		return NULL;
	}
	PLM_ASSERT(pass->claim_count > 0);
	return pass->claims[pass->claim_count - 1];
}

bool plm_open_empty(struct plm_pass *pass, uint32_t index)
{
	struct plm_pool *pool = &pass->pools[index];
	struct plm_open *claim = NULL;

	if (pool->nodes_left <= 0 || pool->size_left <= 0) {
		return false;
	}
	claim = begin_claim(pass, index);
	if (!any_bit(pass, claim->bits)) {
		return false;
	}
	claim->relaxed = false;
	enter(pass, claim);
	return true;
}
