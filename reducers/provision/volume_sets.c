/* Ways to all volumes of a pod at once, shared by pods that ask for the same. karpenter.md 2.10. */
#include "core/hashing.h"
#include "core/limits.h"
#include "core/sort.h"
#include "reducers/provision/pass.h"

/* Words of a key that are no symbols. */
#define KEY_LOCAL 1U
#define KEY_LOADS 2U
#define KEY_ASTRAY 4U
#define KEY_NO_SEATS 8U

struct plm_volume_sets {
	struct plm_volume_set *list;
	uint32_t count, room;
	uint32_t *index; /* open addressing: set + 1 */
	uint32_t mask;
	uint8_t *users; /* by claim slot: pods that use it, 2 = several */
};

/* ---- who uses what ----------------------------------------------------------------------------- */

static void count_users(struct plm_pass *pass, struct plm_volume_sets *sets,
			const struct plm_pod *pod)
{
	struct plm_volume_owner owner = plm_volume_owner_of(&pass->sched, pod);
	uint32_t count = 0;
	const struct plm_volume_use *uses =
		PLM_SPAN(pass->st, owner.uses, struct plm_volume_use, &count);

	for (uint32_t i = 0; i < count; i++) {
		size_t mark = plm_arena_mark(pass->arena);
		struct plm_volume_view view = {0};

		plm_volume_look(&pass->sched, &owner, &uses[i], &view);
		if (sets->users[view.claim.n] < 2) {
			sets->users[view.claim.n]++;
		}
		plm_arena_rewind(pass->arena, mark);
	}
}

static void grow(struct plm_pass *pass, struct plm_volume_sets *sets)
{
	uint32_t room = sets->room == 0 ? 16 : sets->room * 2;
	struct plm_volume_set *list = PLM_NEW_ARRAY(pass->arena, room, struct plm_volume_set);

	if (sets->count > 0) {
		memcpy(list, sets->list, sets->count * sizeof(*list));
	}
	sets->list = list;
	sets->room = room;
	sets->mask = room * 2 - 1;
	sets->index = PLM_NEW_ARRAY(pass->arena, (size_t)room * 2, uint32_t);
	for (uint32_t i = 0; i < sets->count; i++) {
		const struct plm_volume_set *set = &list[i];
		uint64_t at =
			plm_hash_bytes(plm_slice_of(set->key, set->key_count * sizeof(*set->key)));

		while (sets->index[at & sets->mask] != 0) {
			at++;
		}
		sets->index[at & sets->mask] = i + 1;
	}
}

/* Made when the first pod with volumes comes along: without one nothing is paid. */
static struct plm_volume_sets *sets_of(struct plm_pass *pass)
{
	if (pass->volumes == NULL) {
		struct plm_volume_sets *sets = PLM_NEW(pass->arena, struct plm_volume_sets);

		sets->users =
			PLM_NEW_ARRAY(pass->arena, plm_volume_claim_bound(pass->st) + 1, uint8_t);
		PLM_EACH(pass->st, pod, id)
		{
			const struct plm_pod *pod = plm_pod_at(pass->st, id);

			if (!plm_pod_terminal(pod)) {
				count_users(pass, sets, pod);
			}
		}
		grow(pass, sets);
		pass->volumes = sets;
	}
	return pass->volumes;
}

/* ---- what is attached -------------------------------------------------------------------------- */

struct attached {
	plm_sym driver;
	plm_id claim; /* 0: of a claim that is not there yet */
	bool shared;
};

struct gathered {
	struct plm_volume_view *views;
	struct attached *attached;
	uint32_t count, attached_count;
	bool astray, no_seats;
};

static bool listed(const struct gathered *all, plm_sym driver, plm_id claim)
{
	for (uint32_t i = 0; i < all->attached_count; i++) {
		if (claim.n != 0 && all->attached[i].claim.n == claim.n &&
		    plm_sym_equal(all->attached[i].driver, driver)) {
			return true;
		}
	}
	return false;
}

static void gather(struct plm_pass *pass, const struct plm_volume_owner *owner,
		   struct gathered *out)
{
	const struct plm_volume_sets *sets = sets_of(pass);
	uint32_t count = 0;
	const struct plm_volume_use *uses =
		PLM_SPAN(pass->st, owner->uses, struct plm_volume_use, &count);

	*out = (struct gathered){.views = PLM_NEW_ARRAY(pass->arena, count, struct plm_volume_view),
				 .attached = PLM_NEW_ARRAY(pass->arena, count, struct attached),
				 .count = count};
	for (uint32_t i = 0; i < count; i++) {
		struct plm_volume_view *view = &out->views[i];
		struct attached *at = &out->attached[out->attached_count];

		plm_volume_look(&pass->sched, owner, &uses[i], view);
		out->astray = out->astray || view->astray;
		out->no_seats = out->no_seats || view->refuse == PLM_RULE_VOLUME_MISSING;
		if (view->driver.n == 0 || listed(out, view->driver, view->claim)) {
			continue;
		}
		*at = (struct attached){
			view->driver, view->claim,
			!view->own && (owner->name.n == 0 || sets->users[view->claim.n] > 1)};
		out->attached_count++;
	}
	out->astray = out->astray && pass->strict;
	out->no_seats = out->no_seats && pass->strict;
}

static int by_driver(const void *context, uint32_t a, uint32_t b)
{
	const struct attached *list = context;
	const struct attached *x = &list[a];
	const struct attached *y = &list[b];

	if (x->driver.n != y->driver.n) {
		return x->driver.n < y->driver.n ? -1 : 1;
	}
	if (x->shared != y->shared) {
		return x->shared ? 1 : -1;
	}
	return x->claim.n < y->claim.n ? -1 : (x->claim.n > y->claim.n ? 1 : 0);
}

/* By driver; the claims of others by number, which is no order that anybody sees. */
static const struct plm_volume_load *loads_of(struct plm_pass *pass, const struct gathered *all,
					      uint32_t *out_count)
{
	uint32_t n = all->attached_count;
	uint32_t *order = PLM_NEW_ARRAY(pass->arena, n, uint32_t);
	struct plm_volume_load *loads = PLM_NEW_ARRAY(pass->arena, n, struct plm_volume_load);
	plm_id *shared = PLM_NEW_ARRAY(pass->arena, n, plm_id);
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
	}
	plm_sort(order, n, by_driver, all->attached, pass->arena);
	for (uint32_t i = 0; i < n; i++) {
		const struct attached *at = &all->attached[order[i]];
		struct plm_volume_load *load = count == 0 ? NULL : &loads[count - 1];

		if (load == NULL || !plm_sym_equal(load->driver, at->driver)) {
			load = &loads[count++];
			*load = (struct plm_volume_load){.driver = at->driver};
		}
		if (!at->shared) {
			load->own++;
			continue;
		}
		shared[i] = at->claim;
		load->shared = load->shared_count == 0 ? &shared[i] : load->shared;
		load->shared_count++;
	}
	*out_count = count;
	return loads;
}

const struct plm_volume_load *
plm_volume_loads(struct plm_pass *pass, const struct plm_volume_owner *owner, uint32_t *count)
{
	struct gathered all;

	gather(pass, owner, &all);
	return loads_of(pass, &all, count);
}

/* ---- ways -------------------------------------------------------------------------------------- */

struct ways {
	struct plm_reqs *list;
	uint32_t count;
};

/*
 * The terms of one use that count, as requirements. A local volume does not hold its pod to the host
 * that it is on, since another node cannot be that host; a term of nothing else then holds everywhere.
 */
static struct ways ways_of_use(const struct plm_pass *pass, const struct plm_volume_view *view)
{
	uint32_t count = 0;
	const struct plm_term *terms = PLM_SPAN(pass->st, view->terms, struct plm_term, &count);
	struct ways ways = {PLM_NEW_ARRAY(pass->arena, count, struct plm_reqs), 0};

	for (uint32_t t = 0; t < count; t++) {
		uint32_t expr_count = 0;
		const struct plm_expr *exprs =
			PLM_SPAN(pass->st, terms[t].exprs, struct plm_expr, &expr_count);
		struct plm_reqs reqs = {0};

		for (uint32_t e = 0; e < expr_count; e++) {
			struct plm_req req = plm_req_of(&pass->sched, &exprs[e]);

			if (!view->local ||
			    !plm_sym_equal(req.key, pass->sched.known[PLM_KNOWN_HOSTNAME])) {
				reqs = plm_reqs_add(&pass->sched, &reqs, &req);
			}
		}
		if (expr_count > 0) {
			ways.list[ways.count++] = reqs;
		}
	}
	return ways;
}

/* Every way of 'a' with every way of 'b'; only those that can be at once unless 'all'. */
static struct ways cross(const struct plm_pass *pass, const struct ways *a, const struct ways *b,
			 bool all)
{
	uint32_t room = (uint32_t)plm_min((int64_t)a->count * b->count, PLM_LIMIT_VOLUME_WAYS);
	struct ways out = {PLM_NEW_ARRAY(pass->arena, room, struct plm_reqs), 0};

	for (uint32_t i = 0; i < a->count; i++) {
		for (uint32_t j = 0; j < b->count && out.count < room; j++) {
			if (all || plm_reqs_meet(&pass->sched, &a->list[i], &b->list[j], NULL)) {
				out.list[out.count++] =
					plm_reqs_merge(&pass->sched, &a->list[i], &b->list[j]);
			}
		}
	}
	return out;
}

static void find_ways(struct plm_pass *pass, const struct gathered *all, struct plm_volume_set *set)
{
	struct plm_reqs anywhere = {0};
	struct ways ways = {&anywhere, 1};
	bool any = false;

	for (uint32_t i = 0; i < all->count; i++) {
		struct ways more = ways_of_use(pass, &all->views[i]);
		struct ways both = {0};

		if (more.count == 0) {
			continue;
		}
		both = cross(pass, &ways, &more, false);
		if (both.count == 0 && !pass->strict) {
			set->refuse = PLM_RULE_VOLUME;
			return;
		}
		ways = both.count > 0 ? both : cross(pass, &ways, &more, true);
		any = true;
	}
	if (any) {
		set->ways = ways.list;
		set->way_count = ways.count;
	}
}

/* ---- sets -------------------------------------------------------------------------------------- */

/* What makes two sets equal: the terms of all uses in turn, and the loads. */
static struct plm_slice key_of(struct plm_pass *pass, const struct gathered *all,
			       const struct plm_volume_load *loads, uint32_t load_count)
{
	uint32_t *key = PLM_NEW_ARRAY(pass->arena,
				      2 + (size_t)all->count * 2 + (size_t)all->attached_count * 4,
				      uint32_t);
	uint32_t n = 0;

	key[n++] = (all->astray ? KEY_ASTRAY : 0) | (all->no_seats ? KEY_NO_SEATS : 0);
	for (uint32_t i = 0; i < all->count && !all->astray; i++) {
		if (all->views[i].terms.n != 0) {
			key[n++] = all->views[i].terms.n;
			key[n++] = all->views[i].local ? KEY_LOCAL : 0;
		}
	}
	key[n++] = KEY_LOADS;
	for (uint32_t i = 0; i < load_count; i++) {
		key[n++] = loads[i].driver.n;
		key[n++] = loads[i].own;
		key[n++] = loads[i].shared_count;
		for (uint32_t s = 0; s < loads[i].shared_count; s++) {
			key[n++] = loads[i].shared[s].n;
		}
	}
	return plm_slice_of(key, n * sizeof(*key));
}

static bool first_refusal(const struct gathered *all, enum plm_rule *out)
{
	for (uint32_t i = 0; i < all->count; i++) {
		if (all->views[i].refuse != PLM_RULE_NONE) {
			*out = all->views[i].refuse;
			return true;
		}
	}
	return false;
}

static void fill_set(struct plm_pass *pass, const struct plm_volume_owner *owner,
		     const struct gathered *all, struct plm_volume_set *set)
{
	set->astray = all->astray;
	set->no_seats = all->no_seats;
	if (!all->astray) {
		find_ways(pass, all, set);
	}
	if (owner->name.n == 0) { /* pods that pend are refused before they come here */
		(void)first_refusal(all, &set->refuse);
	}
}

uint32_t plm_volume_set_of(struct plm_pass *pass, const struct plm_volume_owner *owner)
{
	struct plm_volume_sets *sets = NULL;
	struct gathered all;
	struct plm_volume_set set = {0};
	struct plm_slice key;
	uint64_t at = 0;

	if (owner->uses.n == 0) {
		return 0;
	}
	sets = sets_of(pass);
	gather(pass, owner, &all);
	set.loads = loads_of(pass, &all, &set.load_count);
	key = key_of(pass, &all, set.loads, set.load_count);
	set.key = (const uint32_t *)(const void *)key.ptr;
	set.key_count = (uint32_t)(key.size / sizeof(*set.key));
	for (at = plm_hash_bytes(key); sets->index[at & sets->mask] != 0; at++) {
		const struct plm_volume_set *have = &sets->list[sets->index[at & sets->mask] - 1];

		if (have->key_count == set.key_count && memcmp(have->key, set.key, key.size) == 0) {
			return sets->index[at & sets->mask];
		}
	}
	fill_set(pass, owner, &all, &set);
	PLM_ASSERT(set.way_count <= PLM_LIMIT_VOLUME_WAYS);
	sets->list[sets->count++] = set;
	sets->index[at & sets->mask] = sets->count;
	at = sets->count;
	if (sets->count == sets->room) {
		grow(pass, sets);
	}
	return (uint32_t)at;
}

const struct plm_volume_set *plm_volume_set_at(const struct plm_pass *pass, uint32_t set)
{
	if (set == 0) {
		return NULL;
	}
	PLM_ASSERT(pass->volumes != NULL && set <= pass->volumes->count);
	return &pass->volumes->list[set - 1];
}
