#include "reducers/provision/funnel.h"

#include "reducers/provision/class_use.h"

/* Values of a requirement that are written out. */
#define WORDS_VALUES 4U

struct maker {
	struct plm_pass *pass;
	struct plm_pool *pool;
	struct plm_funnel *out;
	const struct plm_want_kind *kind;
	uint32_t kind_index, ask_index;
	uint64_t *sound;   /* types that all requirements let through */
	uint64_t *offered; /* of these, or stopped by a requirement: those with an offering */
	uint32_t room;
};

/* ---- words ------------------------------------------------------------------------------------- */

static struct plm_slice text(const struct plm_pass *pass, plm_sym sym)
{
	return plm_sched_text(&pass->sched, sym);
}

static struct plm_slice bounds_words(const struct plm_pass *pass, const struct plm_req *req)
{
	if (req->gte != PLM_NO_GTE && req->lte != PLM_NO_LTE) {
		return plm_arena_format(pass->arena, "from %lld to %lld", (long long)req->gte,
					(long long)req->lte);
	}
	if (req->gte != PLM_NO_GTE) {
		return plm_arena_format(pass->arena, ">= %lld", (long long)req->gte);
	}
	return plm_arena_format(pass->arena, "<= %lld", (long long)req->lte);
}

struct plm_slice plm_req_words(const struct plm_pass *pass, const struct plm_req *req)
{
	enum plm_op op = plm_req_op(req);
	struct plm_slice out = plm_slice_str(plm_names_text(&plm_names_op, op));

	if (req->complement != 0 && (req->gte != PLM_NO_GTE || req->lte != PLM_NO_LTE)) {
		return bounds_words(pass, req);
	}
	for (uint32_t i = 0; i < req->count && i < WORDS_VALUES; i++) {
		struct plm_slice value = text(pass, req->values[i]);

		out = plm_arena_format(pass->arena, "%.*s%s%.*s", (int)out.size,
				       (const char *)out.ptr, i == 0 ? " " : ", ", (int)value.size,
				       (const char *)value.ptr);
	}
	if (req->count > WORDS_VALUES) {
		out = plm_arena_format(pass->arena, "%.*s and %u more", (int)out.size,
				       (const char *)out.ptr, req->count - WORDS_VALUES);
	}
	return out;
}

static struct plm_slice taint_words(const struct plm_pass *pass, const struct plm_taint *taint)
{
	struct plm_slice key = text(pass, taint->key);
	struct plm_slice value = text(pass, taint->value);

	return plm_arena_format(pass->arena, "%.*s%s%.*s:%s", (int)key.size, (const char *)key.ptr,
				value.size > 0 ? "=" : "", (int)value.size, (const char *)value.ptr,
				plm_names_text(&plm_names_taint_effect, taint->effect));
}

/* ---- gates ------------------------------------------------------------------------------------- */

bool plm_gate_of_pool(enum plm_rule rule)
{
	return rule == PLM_RULE_POOL_NOT_READY || rule == PLM_RULE_POOL_TAINT ||
	       rule == PLM_RULE_POOL_SIZE || rule == PLM_RULE_MIN_VALUES;
}

static uint64_t *all_types(const struct plm_pass *pass)
{
	uint64_t *bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);

	for (uint32_t t = 0; t < pass->types.count; t++) {
		PLM_BIT_SET(bits, t);
	}
	return bits;
}

static struct plm_gate *add_gate(struct maker *mk, enum plm_rule rule, uint64_t *passes)
{
	struct plm_gate *gate = NULL;

	PLM_ASSERT(mk->out->count < mk->room);
	gate = &mk->out->gates[mk->out->count++];
	*gate = (struct plm_gate){
		.rule = rule, .passes = passes, .need = PLM_UNSET, .have = PLM_UNSET};
	return gate;
}

/* A gate that stops every type. */
static struct plm_gate *shut(struct maker *mk, enum plm_rule rule)
{
	return add_gate(mk, rule, PLM_NEW_ARRAY(mk->pass->arena, mk->pass->types.words, uint64_t));
}

static void keep(const struct plm_pass *pass, uint64_t *bits, const uint64_t *with)
{
	for (uint32_t w = 0; w < pass->types.words; w++) {
		bits[w] &= with[w];
	}
}

/* Who is stopped by another gate already is not held up by this one. */
static void excuse(const struct plm_pass *pass, uint64_t *bits, const uint64_t *in_play)
{
	for (uint32_t w = 0; w < pass->types.words; w++) {
		bits[w] |= ~in_play[w];
	}
}

/* Is it the class that says so, by where it has subnets? */
static bool of_subnets(const struct maker *mk, const struct plm_req *req)
{
	return mk->pool->by_subnets &&
	       plm_sym_equal(req->key, mk->pass->sched.known[PLM_KNOWN_ZONE]);
}

static void pool_requirements(struct maker *mk)
{
	for (uint32_t i = 0; i < mk->pool->reqs.count; i++) {
		const struct plm_req *req = &mk->pool->reqs.list[i];
		uint64_t *bits = all_types(mk->pass);

		plm_types_meet(mk->pass, req, bits);
		keep(mk->pass, mk->sound, bits);
		add_gate(mk, of_subnets(mk, req) ? PLM_RULE_SUBNETS : PLM_RULE_POOL_REQUIREMENTS,
			 bits)
			->req = req;
	}
}

/* Types that the class has an image for. */
static void images(struct maker *mk)
{
	uint64_t *bits = NULL;

	if (mk->pool->has->images == NULL) {
		return;
	}
	bits = all_types(mk->pass);
	plm_class_with_image(mk->pass, mk->pool->has, bits);
	keep(mk->pass, mk->sound, bits);
	add_gate(mk, PLM_RULE_IMAGES, bits)->detail = text(mk->pass, mk->pool->slot->class_name);
}

/* A label that the pool says nothing of, and that is none of the well-known ones, is nowhere. */
static bool unknown_label(const struct plm_pass *pass, const struct plm_pool *pool,
			  const struct plm_req *req)
{
	enum plm_op op = plm_req_op(req);

	return plm_reqs_get(&pool->reqs, req->key) == NULL &&
	       !plm_known_label(&pass->sched, req->key) && op != PLM_OP_NOT_IN &&
	       op != PLM_OP_DOES_NOT_EXIST;
}

static uint64_t *pod_passes(struct maker *mk, const struct plm_req *req)
{
	const struct plm_pass *pass = mk->pass;
	const struct plm_req *own = plm_reqs_get(&mk->pool->reqs, req->key);
	uint64_t *bits = all_types(pass);
	uint64_t *pools = all_types(pass);
	uint64_t *both = all_types(pass);
	struct plm_req merged;

	if (unknown_label(pass, mk->pool, req)) {
		memset(bits, 0, pass->types.words * sizeof(*bits));
		return bits;
	}
	plm_types_meet(pass, req, bits);
	if (own == NULL) {
		return bits;
	}
	plm_types_meet(pass, own, pools);
	if (plm_req_meets(&pass->sched, own, req)) {
		merged = plm_req_intersect(&pass->sched, own, req);
		plm_types_meet(pass, &merged, both);
	} else {
		struct plm_reqs left = {.list = own, .count = 1};
		struct plm_reqs right = {.list = req, .count = 1};

		if (!plm_reqs_meet(&pass->sched, &left, &right, NULL)) {
			memset(both, 0, pass->types.words * sizeof(*both));
		}
	}
	for (uint32_t w = 0; w < pass->types.words; w++) {
		bits[w] &= both[w] | ~pools[w];
	}
	return bits;
}

/* The pod asks for zones in which the class has no subnet. */
static bool no_subnet(const struct maker *mk, const struct plm_req *req)
{
	return of_subnets(mk, req) &&
	       !plm_req_meets(&mk->pass->sched, plm_reqs_get(&mk->pool->reqs, req->key), req);
}

static void pod_requirements(struct maker *mk)
{
	const struct plm_reqs *strict = &mk->out->ask->strict;

	for (uint32_t i = 0; i < strict->count; i++) {
		uint64_t *bits = pod_passes(mk, &strict->list[i]);

		keep(mk->pass, mk->sound, bits);
		add_gate(mk,
			 no_subnet(mk, &strict->list[i]) ? PLM_RULE_SUBNETS : PLM_RULE_REQUIREMENTS,
			 bits)
			->req = &strict->list[i];
	}
}

int64_t plm_funnel_room(const struct plm_pass *pass, const struct plm_pool *pool, uint32_t type,
			uint32_t r)
{
	int64_t room = pool->has->allocatable[(size_t)type * pass->res.count + r];

	for (uint32_t g = 0; g < pool->overhead_count; g++) {
		if (PLM_BIT(pool->overheads[g].bits, type)) {
			return plm_sub_sat(room, pool->overheads[g].requests[r]);
		}
	}
	return room;
}

/* Types with room for the pod beside their daemons, one gate per resource. */
static void resources(struct maker *mk)
{
	const struct plm_pass *pass = mk->pass;

	for (uint32_t r = 0; r < pass->res.count; r++) {
		struct plm_gate *gate = NULL;

		if (mk->out->requests[r] <= 0) {
			continue;
		}
		gate = shut(mk, PLM_RULE_RESOURCES);
		gate->resource = r;
		gate->need = mk->out->requests[r];
		for (uint32_t t = 0; t < pass->types.count; t++) {
			if (PLM_BIT(mk->pool->has->sound, t) &&
			    plm_funnel_room(pass, mk->pool, t, r) >= gate->need) {
				PLM_BIT_SET(gate->passes, t);
			}
		}
	}
}

static struct plm_slice port_words(const struct maker *mk)
{
	uint32_t count = 0;
	const struct plm_port *ports =
		PLM_SPAN(mk->pass->st, mk->kind->shape.ports, struct plm_port, &count);

	PLM_ASSERT(count > 0);
	return plm_arena_format(mk->pass->arena, "%lld%s", (long long)ports[0].port,
				count > 1 ? " and others" : "");
}

/* Daemons whose host ports the pod wants too keep it off their types. */
static void host_ports(struct maker *mk)
{
	const struct plm_pass *pass = mk->pass;
	uint64_t *bits = all_types(pass);
	bool taken = false;

	for (uint32_t g = 0; g < mk->pool->overhead_count; g++) {
		const struct plm_overhead *group = &mk->pool->overheads[g];

		if (plm_ports_taken(&pass->sched, group->ports, mk->kind->shape.ports)) {
			taken = true;
			for (uint32_t w = 0; w < pass->types.words; w++) {
				bits[w] &= ~group->bits[w];
			}
		}
	}
	if (taken) {
		add_gate(mk, PLM_RULE_HOST_PORT, bits)->detail = port_words(mk);
	}
}

static void offerings(struct maker *mk)
{
	struct plm_pass *pass = mk->pass;
	uint64_t *bits = all_types(pass);

	plm_types_offered(pass, &mk->out->reqs, pass->types.existing, bits);
	excuse(pass, bits, mk->sound);
	add_gate(mk, PLM_RULE_OFFERING, bits);
	mk->offered = all_types(pass);
	keep(pass, mk->offered, mk->sound);
	keep(pass, mk->offered, bits);
	bits = all_types(pass);
	plm_types_offered(pass, &mk->out->reqs, pass->types.available, bits);
	excuse(pass, bits, mk->offered);
	add_gate(mk, PLM_RULE_STOCK_OUT, bits);
}

static void taints(struct maker *mk)
{
	const struct plm_taint *taint =
		plm_taints_refuse(&mk->pass->sched, &mk->pool->taints, &mk->out->ask->tolerations);

	if (taint != NULL) {
		struct plm_gate *gate = shut(mk, PLM_RULE_POOL_TAINT);

		gate->taint = taint;
		gate->detail = taint_words(mk->pass, taint);
	}
}

static void limits(struct maker *mk)
{
	const struct plm_pass *pass = mk->pass;
	const struct plm_pool *pool = mk->pool;

	for (uint32_t r = 0; r < pass->res.count; r++) {
		struct plm_gate *gate = NULL;

		if (pool->left[r] == PLM_UNLIMITED) {
			continue;
		}
		gate = shut(mk, PLM_RULE_POOL_LIMIT);
		gate->resource = r;
		gate->have = pool->left[r];
		for (uint32_t t = 0; t < pass->types.count; t++) {
			if (mk->pool->has->capacity[(size_t)t * pass->res.count + r] <=
			    pool->left[r]) {
				PLM_BIT_SET(gate->passes, t);
			}
		}
	}
	if (pool->size_left <= 0 || pool->nodes_left <= 0) {
		struct plm_gate *gate =
			shut(mk, pool->size_left <= 0 ? PLM_RULE_POOL_SIZE : PLM_RULE_POOL_LIMIT);

		gate->resource = pass->res.count; /* nodes */
		gate->have = pool->size_left <= 0 ? pool->size_left : pool->nodes_left;
		gate->need = 1;
	}
}

static void readiness(struct maker *mk)
{
	const struct plm_pass *pass = mk->pass;
	const struct plm_node_pool *slot = mk->pool->slot;
	struct plm_gate *gate = NULL;

	if (mk->pool->use != PLM_POOL_NOT_READY) {
		return;
	}
	gate = shut(mk, PLM_RULE_POOL_NOT_READY);
	if (plm_pool_refusal(pass->st, slot).n != 0) {
		gate->detail = text(pass, slot->not_ready);
		return;
	}
	if (slot->object.deleting_ms != PLM_UNSET) {
		gate->detail = plm_slice_str("it is being deleted");
		return;
	}
	(void)plm_class_stand(pass->st, mk->pool->class_id, &gate->detail);
	if (gate->detail.size == 0) {
		gate->detail =
			plm_arena_format(pass->arena, "%s %.*s is %s",
					 plm_names_text(&plm_names_kind, slot->class_kind),
					 (int)text(pass, slot->class_name).size,
					 (const char *)text(pass, slot->class_name).ptr,
					 mk->pool->class_id.n == 0 ? "missing" : "being deleted");
	}
}

/* ---- volumes and topology ---------------------------------------------------------------------------------- */

static struct plm_slice group_words(const struct plm_pass *pass, const struct plm_topo_group *group)
{
	struct plm_slice key = text(pass, group->key->key);
	const char *what = group->type == PLM_TOPO_SPREAD     ? "spread"
			   : group->type == PLM_TOPO_AFFINITY ? "pod affinity"
			   : group->inverse		      ? "anti-affinity of another pod"
							      : "pod anti-affinity";

	if (group->type == PLM_TOPO_SPREAD) {
		return plm_arena_format(pass->arena, "%s over %.*s, maxSkew %lld", what,
					(int)key.size, (const char *)key.ptr,
					(long long)group->max_skew);
	}
	return plm_arena_format(pass->arena, "%s over %.*s", what, (int)key.size,
				(const char *)key.ptr);
}

/* The first group that has no domain for the pod when asked by itself, else the first that holds it. */
static struct plm_slice group_at_fault(struct maker *mk)
{
	struct plm_pass *pass = mk->pass;
	struct plm_want_kind *kind = &pass->kinds[mk->kind_index];
	const struct plm_topo_groups *groups = plm_topology_use(
		pass->topology, mk->kind_index, mk->out->ask, &kind->uses[mk->ask_index]);

	for (uint32_t i = 0; i < groups->count; i++) {
		struct plm_topo_groups one = {.list = &groups->list[i], .count = 1, .room = 1};
		struct plm_reqs reqs = mk->out->reqs;

		if (!plm_topology_narrow(pass->topology, mk->kind_index, &one,
					 &mk->out->ask->strict, &reqs)) {
			return group_words(pass, groups->list[i]);
		}
	}
	for (uint32_t i = 0; i < pass->topology->inverse.count; i++) {
		const struct plm_topo_group *group = pass->topology->inverse.list[i];

		if (group->selects[mk->kind_index] != 0) {
			return group_words(pass, group);
		}
	}
	return groups->count > 0 ? group_words(pass, groups->list[0]) : (struct plm_slice){0};
}

/* Types that can be had where 'reqs' hold, in stock, are let through. */
static void let_through(struct maker *mk, const struct plm_reqs *reqs, uint64_t *passes)
{
	const struct plm_pass *pass = mk->pass;
	uint64_t *bits = all_types(pass);

	for (uint32_t i = 0; i < reqs->count; i++) {
		plm_types_meet(pass, &reqs->list[i], bits);
	}
	plm_types_offered(pass, reqs, pass->types.available, bits);
	for (uint32_t w = 0; w < pass->types.words; w++) {
		passes[w] |= bits[w];
	}
}

/* One gate for the ways to the pod's volumes, one for what topology leaves of each of them. */
static void places(struct maker *mk, const struct plm_volume_set *volumes)
{
	struct plm_pass *pass = mk->pass;
	uint64_t *reached = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
	uint64_t *narrowed = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
	bool held = plm_kind_held(pass, mk->kind_index, mk->ask_index);
	bool anywhere = volumes == NULL || volumes->way_count == 0;
	uint32_t ways = anywhere ? 1 : volumes->way_count;

	if (volumes != NULL && volumes->refuse != PLM_RULE_NONE) {
		shut(mk, PLM_RULE_VOLUME)->detail = mk->out->volumes;
		return;
	}
	for (uint32_t i = 0; i < ways; i++) {
		struct plm_reqs reqs = mk->out->reqs;

		if (!anywhere && !plm_volume_join(pass, &volumes->ways[i], true, &reqs)) {
			continue;
		}
		let_through(mk, &reqs, reached);
		if (held && plm_kind_narrow(pass, mk->kind_index, mk->ask_index, true, &reqs) ==
				    PLM_TOPO_FITS) {
			let_through(mk, &reqs, narrowed);
		}
	}
	excuse(pass, reached, mk->offered);
	if (!anywhere) {
		struct plm_gate *gate = add_gate(mk, PLM_RULE_VOLUME, reached);

		gate->way = &volumes->ways[0];
		gate->detail = mk->out->volumes;
		keep(pass, mk->offered, reached);
	}
	if (held) {
		excuse(pass, narrowed, mk->offered);
		add_gate(mk, PLM_RULE_TOPOLOGY, narrowed)->detail = group_at_fault(mk);
	}
}

/* ---- what is left ------------------------------------------------------------------------------ */

/* The most that one of 'types' has of what the gate asks for. */
static void find_largest(const struct maker *mk, struct plm_gate *gate, const uint64_t *types)
{
	for (uint32_t t = 0; t < mk->pass->types.count; t++) {
		int64_t room = 0;

		if (!PLM_BIT(types, t)) {
			continue;
		}
		room = plm_funnel_room(mk->pass, mk->pool, t, gate->resource);
		if (gate->have == PLM_UNSET || room > gate->have) {
			gate->have = room;
			gate->detail = text(mk->pass, mk->pass->types.slots[t]->name);
		}
	}
}

/* What is left after each gate; 'last' is who came as far as anybody did. */
static void count_left(struct maker *mk, uint64_t *last)
{
	const struct plm_pass *pass = mk->pass;
	uint64_t *left = all_types(pass);
	uint32_t count = pass->types.count;

	for (uint32_t i = 0; i < mk->out->count; i++) {
		struct plm_gate *gate = &mk->out->gates[i];

		if (gate->rule == PLM_RULE_RESOURCES) {
			find_largest(mk, gate, count > 0 ? left : last);
		}
		if (count > 0) {
			memcpy(last, left, pass->types.words * sizeof(*last));
			mk->out->verdict = i;
		}
		keep(pass, left, gate->passes);
		count = plm_types_count(pass, left);
		gate->left = count;
	}
	if (count > 0) {
		memcpy(last, left, pass->types.words * sizeof(*last));
		mk->out->verdict = mk->out->count;
	}
}

/* Together the types that are left must be as different as the pool wants them. */
static void min_values(struct maker *mk)
{
	struct plm_pass *pass = mk->pass;
	uint64_t *left = all_types(pass);
	plm_sym bad = {0};

	for (uint32_t i = 0; i < mk->out->count; i++) {
		keep(pass, left, mk->out->gates[i].passes);
	}
	if (plm_types_count(pass, left) > 0 &&
	    !plm_types_min_values(pass, left, &mk->out->reqs, &bad)) {
		struct plm_gate *gate = shut(mk, PLM_RULE_MIN_VALUES);

		gate->req = plm_reqs_get(&mk->out->reqs, bad);
		gate->need = gate->req->min_values;
	}
}

int64_t plm_funnel_price(const struct plm_pass *pass, uint32_t type)
{
	int64_t least = INT64_MAX;

	PLM_ASSERT(type < pass->types.count);
	for (uint32_t i = pass->types.offer_first[type]; i < pass->types.offer_first[type + 1];
	     i++) {
		if (pass->types.offer_price[i] != PLM_UNSET) {
			least = plm_min(least, pass->types.offer_price[i]);
		}
	}
	return least;
}

/* What a gate finds missing, against what is asked. */
static int64_t lack(const struct maker *mk, const struct plm_gate *gate, uint32_t type)
{
	const struct plm_pass *pass = mk->pass;
	int64_t need = gate->need;
	int64_t have = gate->have;

	if (gate->rule == PLM_RULE_RESOURCES) {
		have = plm_funnel_room(pass, mk->pool, type, gate->resource);
	} else if (gate->rule == PLM_RULE_POOL_LIMIT && gate->resource < pass->res.count) {
		need = mk->pool->has->capacity[(size_t)type * pass->res.count + gate->resource];
	} else {
		return 0;
	}
	return need > 0 ? plm_mul_sat(plm_sub_sat(need, have), 1000) / need : 0;
}

static void count_stops(struct maker *mk, const uint64_t *last)
{
	const struct plm_pass *pass = mk->pass;
	struct plm_funnel *out = mk->out;

	out->stops = PLM_NEW_ARRAY(pass->arena, pass->types.count, uint64_t);
	out->lacks = PLM_NEW_ARRAY(pass->arena, pass->types.count, int64_t);
	out->nearest = pass->types.count;
	for (uint32_t t = 0; t < pass->types.count; t++) {
		for (uint32_t i = 0; i < out->count; i++) {
			if (plm_gate_stops(out, i, t)) {
				out->stops[t] |= (uint64_t)1 << (i < 63 ? i : 63);
				out->lacks[t] =
					plm_add_sat(out->lacks[t], lack(mk, &out->gates[i], t));
			}
		}
		if (PLM_BIT(last, t) != 0 && (out->nearest == pass->types.count ||
					      plm_funnel_better(pass, out, t, out->nearest))) {
			out->nearest = t;
		}
	}
}

bool plm_funnel_better(const struct plm_pass *pass, const struct plm_funnel *funnel, uint32_t a,
		       uint32_t b)
{
	if (plm_stops(funnel, a) != plm_stops(funnel, b)) {
		return plm_stops(funnel, a) < plm_stops(funnel, b);
	}
	if (funnel->lacks[a] != funnel->lacks[b]) {
		return funnel->lacks[a] < funnel->lacks[b];
	}
	if (plm_funnel_price(pass, a) != plm_funnel_price(pass, b)) {
		return plm_funnel_price(pass, a) < plm_funnel_price(pass, b);
	}
	return a < b; /* the catalogue is in order of name */
}

/* Where the volumes of a pod of the shape are. */
static struct plm_slice volume_words(struct plm_pass *pass, uint32_t shape)
{
	for (uint32_t i = 0; pass->shapes[shape].volumes != 0 && i < pass->want_count; i++) {
		if (pass->wants[i].shape == shape && pass->wants[i].pod.n != 0) {
			struct plm_volume_owner owner = plm_volume_owner_of(
				&pass->sched, plm_pod_at(pass->st, pass->wants[i].pod));

			return plm_volumes_places(&pass->sched, &owner);
		}
	}
	return (struct plm_slice){0};
}

void plm_funnel_of(struct plm_pass *pass, struct plm_pool *pool, uint32_t shape,
		   struct plm_funnel *out)
{
	const struct plm_want_kind *kind = &pass->kinds[pass->shapes[shape].kind];
	struct maker mk = {
		.pass = pass,
		.pool = pool,
		.out = out,
		.kind = kind,
		.kind_index = pass->shapes[shape].kind,
		.ask_index = kind->ask_count - 1,
		.sound = all_types(pass),
	};
	uint64_t *last = NULL;

	PLM_ASSERT(kind->ask_count > 0);
	*out = (struct plm_funnel){
		.pool = pool,
		.ask = &kind->asks[mk.ask_index],
		.requests = pass->shapes[shape].requests,
		.volumes = volume_words(pass, shape),
	};
	/* Two for each resource: room and limit; nine that are there once. */
	mk.room = pool->reqs.count + out->ask->strict.count + 2 * pass->res.count + 9;
	out->gates = PLM_NEW_ARRAY(pass->arena, mk.room, struct plm_gate);
	out->reqs = plm_reqs_merge(&pass->sched, &pool->reqs, &out->ask->strict);
	if (pool->overheads == NULL) {
		plm_pool_overheads(pass, pool);
	}
	pool_requirements(&mk);
	pod_requirements(&mk);
	images(&mk);
	resources(&mk);
	host_ports(&mk);
	offerings(&mk);
	places(&mk, plm_volume_set_at(pass, pass->shapes[shape].volumes));
	taints(&mk);
	limits(&mk);
	readiness(&mk);
	min_values(&mk);
	last = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
	count_left(&mk, last);
	count_stops(&mk, last);
}

/* Is it a label that stops the type that is nearest? Such a pool is another one than the pod asks for. */
static bool another(const struct plm_funnel *funnel)
{
	for (uint32_t i = 0; i < funnel->count; i++) {
		if (funnel->gates[i].req != NULL && plm_gate_stops(funnel, i, funnel->nearest)) {
			return true;
		}
	}
	return false;
}

bool plm_funnel_nearer(const struct plm_pass *pass, const struct plm_funnel *a,
		       const struct plm_funnel *b)
{
	if (a->nearest == pass->types.count || b->nearest == pass->types.count) {
		return b->nearest == pass->types.count && a->nearest < pass->types.count;
	}
	if (plm_stops(a, a->nearest) != plm_stops(b, b->nearest)) {
		return plm_stops(a, a->nearest) < plm_stops(b, b->nearest);
	}
	if (another(a) != another(b)) {
		return !another(a);
	}
	if (a->lacks[a->nearest] != b->lacks[b->nearest]) {
		return a->lacks[a->nearest] < b->lacks[b->nearest];
	}
	return plm_funnel_price(pass, a->nearest) < plm_funnel_price(pass, b->nearest);
}
