/*
 * Nodes by the column: of all ways to fill one type, the one is taken that houses the most for its price.
 *
 * Owns: the placing of pods that topology has no say in, once existing nodes and the room left on claims are
 * used up. A *base* is what a new claim of a pool requires with one sort of pod; a *column* a base with a type.
 * What a pod is worth is what a node full of its likes costs per pod, where that is cheapest; a column is
 * filled from the pods that are worth most on it, so that what fits elsewhere cheaply only fills gaps. The
 * column with the most worth per price is opened as often as the pods that are left fill it.
 * Does not: decide whether a pod fits. Every claim is opened and filled by claim_plan.c; what is refused
 * there goes the common way afterwards. Pool weights are honoured: a pod is offered to the heaviest pools that
 * take it, and between pools of equal weight the price decides.
 * With more sorts of pods than PLM_LIMIT_COLUMN_SHAPES nothing is done here: the sum of evaluations would
 * grow with the square of them.
 */
#include "core/limits.h"
#include "core/sort.h"
#include "reducers/provision/pass.h"

#define MAX_BASES 64U
#define FINE 1024 /* a micro dollar is divided into so many parts */

struct sort {
	uint32_t shape, ask;
	uint32_t *wants; /* biggest first */
	uint32_t count, used;
	int64_t worth;
};

struct base {
	uint32_t pool;
	struct plm_reqs reqs;
	uint64_t *bits;	   /* types */
	int64_t *prices;   /* by type */
	uint64_t *members; /* sorts */
};

struct column {
	uint32_t base, type;
	int64_t *room;
	int64_t cost;  /* price and what a node counts for besides */
	int64_t value; /* as it was last evaluated; it only falls */
	bool fresh;
};

struct columns {
	struct plm_pass *pass;
	struct sort *sorts;
	uint32_t sort_count;
	struct base *bases;
	uint32_t base_count;
	struct column *list;
	uint32_t count, room;
	uint32_t *fill;	  /* by sort: of the column looked at */
	uint32_t *order;  /* scratch */
	int64_t *density; /* scratch, by sort */
};

static bool reqs_equal(const struct plm_reqs *a, const struct plm_reqs *b)
{
	if (a->count != b->count) {
		return false;
	}
	for (uint32_t i = 0; i < a->count; i++) {
		const struct plm_req *other = plm_reqs_get(b, a->list[i].key);

		if (other == NULL || !plm_req_equal(&a->list[i], other)) {
			return false;
		}
	}
	return true;
}

/* How many pods that ask 'ask' fit into 'room'. */
static int64_t fits(const struct plm_pass *pass, const int64_t *ask, const int64_t *room)
{
	int64_t count = INT64_MAX;

	for (uint32_t r = 0; r < pass->res.count; r++) {
		if (ask[r] > 0) {
			count = plm_min(count, plm_max(room[r], 0) / ask[r]);
		}
	}
	return count;
}

static const int64_t *requests_of(const struct columns *c, uint32_t sort)
{
	return c->pass->shapes[c->sorts[sort].shape].requests;
}

/* ---- bases ------------------------------------------------------------------------------------- */

static struct base *base_of(struct columns *c, uint32_t pool, const struct plm_probe *probe)
{
	struct plm_pass *pass = c->pass;
	struct base *base = NULL;

	for (uint32_t i = 0; i < c->base_count; i++) {
		if (c->bases[i].pool == pool && reqs_equal(&c->bases[i].reqs, &probe->reqs)) {
			base = &c->bases[i];
		}
	}
	if (base == NULL) {
		PLM_ASSERT(c->base_count < MAX_BASES);
		base = &c->bases[c->base_count++];
		*base = (struct base){.pool = pool, .reqs = probe->reqs};
		base->bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
		base->prices = PLM_NEW_ARRAY(pass->arena, pass->types.count, int64_t);
		base->members = PLM_NEW_ARRAY(pass->arena, (c->sort_count + 63) / 64, uint64_t);
		memcpy(base->prices, plm_types_prices(pass, &base->reqs)->prices,
		       pass->types.count * sizeof(int64_t));
	}
	for (uint32_t w = 0; w < pass->types.words; w++) {
		base->bits[w] |= probe->bits[w];
	}
	return base;
}

/*
 * Pools for one sort: the heaviest that take it, in the first state of its preferences that any takes.
 * False when none does, or there are too many bases.
 */
static bool find_bases(struct columns *c, uint32_t index)
{
	struct plm_pass *pass = c->pass;
	struct sort *sort = &c->sorts[index];
	const struct plm_want_shape *shape = &pass->shapes[sort->shape];
	bool found = false;

	for (uint32_t ask = 0; ask < pass->kinds[shape->kind].ask_count && !found; ask++) {
		int64_t weight = 0;

		for (uint32_t p = 0; p < pass->pool_count; p++) {
			struct plm_probe probe;

			if (found && pass->pools[p].slot->weight != weight) {
				break;
			}
			pass->spent++;
			if (c->base_count < MAX_BASES &&
			    plm_open_probe(pass, p, shape, ask, &probe)) {
				struct base *base = base_of(c, p, &probe);

				PLM_BIT_SET(base->members, index);
				sort->ask = ask;
				weight = pass->pools[p].slot->weight;
				found = true;
			}
		}
	}
	return found;
}

/* Sorts that a base takes without any change join it, where the base's pool is one of theirs. */
static void widen_base(struct columns *c, struct base *base)
{
	const struct plm_pass *pass = c->pass;

	for (uint32_t i = 0; i < c->sort_count; i++) {
		const struct plm_want_shape *shape = &pass->shapes[c->sorts[i].shape];
		const struct plm_ask *ask = &pass->kinds[shape->kind].asks[c->sorts[i].ask];
		struct plm_reqs both;
		bool own = false;

		for (uint32_t b = 0; b < c->base_count; b++) {
			own = own ||
			      (c->bases[b].pool == base->pool && PLM_BIT(c->bases[b].members, i));
		}
		if (!own || PLM_BIT(base->members, i) ||
		    !plm_reqs_compatible(&pass->sched, &base->reqs, &ask->reqs, true, NULL)) {
			continue;
		}
		both = plm_reqs_merge(&pass->sched, &base->reqs, &ask->reqs);
		if (reqs_equal(&both, &base->reqs)) {
			PLM_BIT_SET(base->members, i);
		}
	}
}

/* ---- columns ----------------------------------------------------------------------------------- */

static void room_of(const struct plm_pass *pass, const struct plm_pool *pool, uint32_t type,
		    int64_t *out)
{
	memcpy(out, pool->has->allocatable + (size_t)type * pass->res.count,
	       pass->res.count * sizeof(*out));
	for (uint32_t g = 0; g < pool->overhead_count; g++) {
		if (PLM_BIT(pool->overheads[g].bits, type)) {
			plm_res_sub(pass, out, pool->overheads[g].requests);
			return;
		}
	}
}

/* Has a cheaper column of this base, from 'first' on, as much of everything? */
static bool dominated(const struct columns *c, uint32_t first, const int64_t *room)
{
	for (uint32_t i = first; i < c->count; i++) {
		uint32_t r = 0;

		while (r < c->pass->res.count &&
		       (c->list[i].room[r] >= room[r] || c->pass->wanted[r] == 0)) {
			r++;
		}
		if (r == c->pass->res.count) {
			return true;
		}
	}
	return false;
}

static void list_columns(struct columns *c, uint32_t index)
{
	struct plm_pass *pass = c->pass;
	const struct base *base = &c->bases[index];
	const struct plm_price_list *list = plm_types_prices(pass, &base->reqs);
	uint32_t first = c->count;

	for (uint32_t i = 0; i < pass->types.count; i++) {
		uint32_t t = list->order[i];
		size_t mark = plm_arena_mark(pass->arena);
		int64_t *room = NULL;

		if (!PLM_BIT(base->bits, t) || base->prices[t] == PLM_UNSET) {
			continue;
		}
		room = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
		room_of(pass, &pass->pools[base->pool], t, room);
		if (dominated(c, first, room)) {
			plm_arena_rewind(pass->arena, mark);
			continue;
		}
		PLM_ASSERT(c->count < c->room);
		c->list[c->count++] =
			(struct column){.base = index,
					.type = t,
					.room = room,
					.cost = (base->prices[t] + pass->node_micro) * FINE,
					.value = INT64_MAX};
	}
}

/* What one pod of a sort costs where its likes are housed cheapest. */
static void find_worth(struct columns *c, uint32_t index)
{
	struct sort *sort = &c->sorts[index];

	sort->worth = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct column *column = &c->list[i];
		int64_t most = 0;

		if (!PLM_BIT(c->bases[column->base].members, index)) {
			continue;
		}
		most = plm_min(fits(c->pass, requests_of(c, index), column->room), sort->count);
		if (most > 0) {
			int64_t each = plm_max(column->cost / most, 1);

			sort->worth = sort->worth == 0 ? each : plm_min(sort->worth, each);
		}
	}
}

static int by_density(const void *context, uint32_t a, uint32_t b)
{
	const struct columns *c = context;

	if (c->density[a] != c->density[b]) {
		return c->density[a] > c->density[b] ? -1 : 1;
	}
	if (c->sorts[a].worth != c->sorts[b].worth) {
		return c->sorts[a].worth > c->sorts[b].worth ? -1 : 1;
	}
	return a < b ? -1 : (a > b ? 1 : 0);
}

/* Fill one node of the column from what is left, into c->fill; its value. */
static int64_t evaluate(struct columns *c, struct column *column)
{
	struct plm_pass *pass = c->pass;
	size_t mark = plm_arena_mark(pass->arena);
	int64_t *room = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	uint32_t count = 0;

	pass->spent++;
	memcpy(room, column->room, pass->res.count * sizeof(*room));
	column->value = 0;
	for (uint32_t i = 0; i < c->sort_count; i++) {
		int64_t most = 0;

		c->fill[i] = 0;
		if (!PLM_BIT(c->bases[column->base].members, i) ||
		    c->sorts[i].used == c->sorts[i].count) {
			continue;
		}
		most = fits(pass, requests_of(c, i), room);
		if (most > 0) {
			c->density[i] = plm_mul_sat(c->sorts[i].worth, most);
			c->order[count++] = i;
		}
	}
	plm_sort(c->order, count, by_density, c, pass->arena);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t s = c->order[i];
		int64_t most = plm_min(fits(pass, requests_of(c, s), room),
				       c->sorts[s].count - c->sorts[s].used);

		c->fill[s] = (uint32_t)most;
		column->value += c->sorts[s].worth * most;
		for (uint32_t r = 0; r < pass->res.count && most > 0; r++) {
			room[r] -= requests_of(c, s)[r] * most;
		}
	}
	plm_arena_rewind(pass->arena, mark);
	return column->value;
}

/* The column with the most value per cost; c->fill holds how it is filled. NULL: none has any. */
static struct column *best_column(struct columns *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		c->list[i].fresh = false;
	}
	for (;;) {
		struct column *best = NULL;

		for (uint32_t i = 0; i < c->count; i++) {
			struct column *column = &c->list[i];

			if (column->value > 0 &&
			    (best == NULL || (plm_i128)column->value * best->cost >
						     (plm_i128)best->value * column->cost)) {
				best = column;
			}
		}
		if (best == NULL) {
			return NULL;
		}
		if (best->fresh) {
			(void)evaluate(c, best);
			return best;
		}
		best->fresh = true;
		(void)evaluate(c, best);
	}
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* How often the column can be opened as it is filled now. */
static uint32_t repeats(const struct columns *c)
{
	uint32_t times = UINT32_MAX;

	for (uint32_t i = 0; i < c->sort_count; i++) {
		if (c->fill[i] > 0) {
			uint32_t left = c->sorts[i].count - c->sorts[i].used;

			times = left / c->fill[i] < times ? left / c->fill[i] : times;
		}
	}
	return times;
}

static bool open_one(struct columns *c, const struct column *column)
{
	struct plm_pass *pass = c->pass;
	struct plm_open *claim = NULL;

	for (uint32_t i = 0; i < c->sort_count; i++) {
		struct sort *sort = &c->sorts[i];

		for (uint32_t n = 0; n < c->fill[i]; n++) {
			uint32_t want = sort->wants[sort->used++];

			if (claim != NULL) {
				/* What is refused stays open, and goes the common way. */
				if (plm_open_add(pass, claim, want, sort->ask) == PLM_JOINED) {
					plm_opens_grew(pass, claim);
				}
				continue;
			}
			claim = plm_open_in(pass, c->bases[column->base].pool, want, sort->ask);
			if (claim == NULL) {
				return false;
			}
			plm_open_aim(pass, claim, column->type);
		}
	}
	return true;
}

static void open_columns(struct columns *c)
{
	struct column *column = best_column(c);

	while (column != NULL) {
		for (uint32_t times = repeats(c); times > 0; times--) {
			if (!open_one(c, column)) {
				c->bases[column->base].pool = UINT32_MAX;
				return; /* a limit is reached: the common way sees what is left */
			}
		}
		column = best_column(c);
	}
}

/* ---- the pass ---------------------------------------------------------------------------------- */

static bool takes_part(struct plm_pass *pass, uint32_t shape)
{
	const struct plm_want_shape *s = &pass->shapes[shape];

	if (pass->kinds[s->kind].shape.ports.n != 0 || s->volumes != 0) {
		return false;
	}
	for (uint32_t ask = 0; ask < pass->kinds[s->kind].ask_count; ask++) {
		if (plm_kind_held(pass, s->kind, ask)) {
			return false;
		}
	}
	return true;
}

static void collect_sorts(struct columns *c, uint32_t *sort_of)
{
	struct plm_pass *pass = c->pass;
	uint32_t count = 0;

	for (uint32_t s = 0; s < pass->shape_count; s++) {
		sort_of[s] = UINT32_MAX;
		if (!takes_part(pass, s)) {
			continue;
		}
		c->sorts[count] = (struct sort){.shape = s};
		if (find_bases(c, count)) {
			sort_of[s] = count++;
		}
	}
	c->sort_count = count;
}

static void collect_wants(struct columns *c, const uint32_t *sort_of)
{
	struct plm_pass *pass = c->pass;

	for (uint32_t i = 0; i < pass->want_count; i++) {
		uint32_t s = sort_of[pass->wants[i].shape];

		if (s != UINT32_MAX) {
			c->sorts[s].count++;
		}
	}
	for (uint32_t s = 0; s < c->sort_count; s++) {
		c->sorts[s].wants = PLM_NEW_ARRAY(pass->arena, c->sorts[s].count, uint32_t);
		c->sorts[s].count = 0;
	}
	for (uint32_t i = 0; i < pass->want_count; i++) {
		uint32_t want = pass->order[i];
		uint32_t s = sort_of[pass->wants[want].shape];

		if (s != UINT32_MAX && pass->wants[want].place == PLM_WANT_OPEN) {
			c->sorts[s].wants[c->sorts[s].count++] = want;
		}
	}
}

struct columns *plm_columns_begin(struct plm_pass *pass)
{
	struct columns *c = NULL;

	if (pass->shape_count > PLM_LIMIT_COLUMN_SHAPES || pass->types.reservation_count > 0) {
		return NULL;
	}
	c = PLM_NEW(pass->arena, struct columns);
	c->pass = pass;
	c->sort_count = pass->shape_count;
	c->sorts = PLM_NEW_ARRAY(pass->arena, pass->shape_count, struct sort);
	c->bases = PLM_NEW_ARRAY(pass->arena, MAX_BASES, struct base);
	pass->sort_of = PLM_NEW_ARRAY(pass->arena, pass->shape_count, uint32_t);
	collect_sorts(c, pass->sort_of);
	for (uint32_t s = 0; s < pass->shape_count; s++) {
		if (pass->sort_of[s] != UINT32_MAX) {
			pass->shapes[s].column_ask = c->sorts[pass->sort_of[s]].ask + 1;
		}
	}
	return c;
}

void plm_columns_pack(struct columns *c)
{
	struct plm_pass *pass = c->pass;

	collect_wants(c, pass->sort_of);
	for (uint32_t b = 0; b < c->base_count; b++) {
		widen_base(c, &c->bases[b]);
		c->room += plm_types_count(pass, c->bases[b].bits);
	}
	c->list = PLM_NEW_ARRAY(pass->arena, c->room, struct column);
	c->fill = PLM_NEW_ARRAY(pass->arena, c->sort_count, uint32_t);
	c->order = PLM_NEW_ARRAY(pass->arena, c->sort_count, uint32_t);
	c->density = PLM_NEW_ARRAY(pass->arena, c->sort_count, int64_t);
	for (uint32_t b = 0; b < c->base_count; b++) {
		list_columns(c, b);
	}
	for (uint32_t s = 0; s < c->sort_count; s++) {
		find_worth(c, s);
	}
	open_columns(c);
}
