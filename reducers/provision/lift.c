#include "reducers/provision/lift.h"

#include "reducers/provision/funnel.h"

/* Sets of gates of one pool that are told: each is another way. */
#define MOST_WAYS 8U

struct asked {
	struct plm_pass *pass;
	const struct plm_funnel *funnel;
	const struct plm_gate *gate;
	uint32_t type; /* that is to do afterwards */
	struct plm_lifts *out;
};

static struct plm_slice text(const struct asked *q, plm_sym sym)
{
	return plm_sched_text(&q->pass->sched, sym);
}

static struct plm_slice pool_name(const struct asked *q)
{
	return text(q, q->funnel->pool->slot->object.name);
}

static struct plm_lift *put_pool(const struct asked *q, enum plm_lift_action action)
{
	return plm_lifts_put(q->out, action, PLM_KIND_NODE_POOL, pool_name(q));
}

static struct plm_lift *put_pod(const struct asked *q, enum plm_lift_action action)
{
	return plm_lifts_put(q->out, action, PLM_KIND_POD, (struct plm_slice){0});
}

/* ---- labels ------------------------------------------------------------------------------------ */

/* The first value by name that 'has' allows and the others, where they are there, do too; 0 = none. */
static plm_sym common_value(const struct asked *q, const struct plm_req *has,
			    const struct plm_req *a, const struct plm_req *b)
{
	const struct plm_sched *sched = &q->pass->sched;
	plm_sym best = {0};

	for (uint32_t i = 0; has != NULL && has->complement == 0 && i < has->count; i++) {
		plm_sym value = has->values[i];

		if ((a != NULL && !plm_req_has(sched, a, value)) ||
		    (b != NULL && !plm_req_has(sched, b, value))) {
			continue;
		}
		if (best.n == 0 || plm_sched_compare(sched, value, best) < 0) {
			best = value;
		}
	}
	return best;
}

static void set_label(const struct asked *q, struct plm_lift *lift, plm_sym key, plm_sym value)
{
	if (lift != NULL) {
		lift->key = text(q, key);
		lift->value = value.n != 0 ? text(q, value) : (struct plm_slice){0};
	}
}

/* The pool takes the type once it allows this value; it may be its class that says which. */
static void allow_in_pool(const struct asked *q, plm_sym key, plm_sym value)
{
	const struct plm_node_pool *slot = q->funnel->pool->slot;
	struct plm_lift *lift =
		put_pool(q, value.n != 0 ? PLM_LIFT_POOL_ALLOW : PLM_LIFT_POOL_DROP);

	set_label(q, lift, key, value);
	if (lift != NULL && slot->dialect != 0 &&
	    plm_known_of(&q->pass->sched, key) == PLM_KNOWN_INSTANCE_TYPE) {
		lift->kind = (enum plm_kind)slot->class_kind;
		lift->name = text(q, slot->class_name);
	}
}

static void allow_in_pod(const struct asked *q, plm_sym key, plm_sym value)
{
	set_label(q, put_pod(q, value.n != 0 ? PLM_LIFT_POD_ALLOW : PLM_LIFT_POD_DROP), key, value);
}

static void lift_pool_requirement(const struct asked *q)
{
	plm_sym key = q->gate->req->key;
	const struct plm_req *has = plm_reqs_get(&q->pass->types.reqs[q->type], key);
	const struct plm_req *pods = plm_reqs_get(&q->funnel->ask->strict, key);

	allow_in_pool(q, key, common_value(q, has, pods, NULL));
}

static void lift_requirement(const struct asked *q)
{
	const struct plm_req *req = q->gate->req;
	const struct plm_req *pools = plm_reqs_get(&q->funnel->pool->reqs, req->key);
	const struct plm_req *has = plm_reqs_get(&q->pass->types.reqs[q->type], req->key);

	if (has != NULL) {
		allow_in_pod(q, req->key, common_value(q, has, pools, NULL));
	} else if (pools == NULL) {
		set_label(q, put_pool(q, PLM_LIFT_POOL_LABEL), req->key,
			  common_value(q, req, NULL, NULL));
	} else { /* a label of the pool's own making, with another value */
		allow_in_pod(q, req->key, common_value(q, pools, NULL, NULL));
	}
}

/* ---- offerings --------------------------------------------------------------------------------- */

static uint32_t mismatches(const struct asked *q, const struct plm_offer_class *offer)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < offer->reqs.count; i++) {
		struct plm_reqs one = {.list = &offer->reqs.list[i], .count = 1};

		count += plm_reqs_meet(&q->pass->sched, &q->funnel->reqs, &one, NULL) ? 0 : 1;
	}
	return count;
}

/* The type's offering that differs in fewest labels; of equals the cheapest, then the first. */
static uint32_t nearest_offer(const struct asked *q)
{
	const struct plm_types *types = &q->pass->types;
	uint32_t best = types->offer_count;
	uint32_t least = 0;
	int64_t price = 0;

	for (uint32_t i = types->offer_first[q->type]; i < types->offer_first[q->type + 1]; i++) {
		uint32_t differ = mismatches(q, &types->offers[types->offer_class[i]]);
		int64_t own =
			types->offer_price[i] == PLM_UNSET ? INT64_MAX : types->offer_price[i];

		if (best == types->offer_count || differ < least ||
		    (differ == least && own < price)) {
			best = types->offer_class[i];
			least = differ;
			price = own;
		}
	}
	return best;
}

/* Where 'reqs' is to hold, who forbids it? */
static void lift_towards(const struct asked *q, const struct plm_reqs *reqs)
{
	for (uint32_t i = 0; i < reqs->count; i++) {
		const struct plm_req *req = &reqs->list[i];
		struct plm_reqs one = {.list = req, .count = 1};
		plm_sym value = common_value(q, req, NULL, NULL);

		if (!plm_reqs_meet(&q->pass->sched, &q->funnel->pool->reqs, &one, NULL)) {
			allow_in_pool(q, req->key, value);
		}
		if (!plm_reqs_meet(&q->pass->sched, &q->funnel->ask->strict, &one, NULL)) {
			allow_in_pod(q, req->key, value);
		}
	}
}

static void lift_volume(const struct asked *q)
{
	uint32_t before = q->out->count;

	PLM_ASSERT(q->gate->way != NULL);
	lift_towards(q, q->gate->way);
	if (q->out->count == before) {
		set_label(q, put_pool(q, PLM_LIFT_OFFER), q->pass->types.slots[q->type]->name,
			  (plm_sym){0});
	}
}

static void lift_offering(const struct asked *q)
{
	const struct plm_types *types = &q->pass->types;
	uint32_t class = nearest_offer(q);

	if (class == types->offer_count) {
		struct plm_lift *lift = put_pool(q, PLM_LIFT_OFFER);

		set_label(q, lift, types->slots[q->type]->name, (plm_sym){0});
		return;
	}
	lift_towards(q, &types->offers[class].reqs);
}

static void lift_stock_out(const struct asked *q)
{
	plm_sym name = q->pass->types.slots[q->type]->name;
	struct plm_lift *lift = put_pool(q, PLM_LIFT_STOCK);

	set_label(q, lift, name, (plm_sym){0});
	PLM_EACH(q->pass->st, stock_out, id)
	{
		const struct plm_stock_out *out = plm_stock_out_at(q->pass->st, id);

		if (lift != NULL && plm_sym_equal(out->instance_type, name) &&
		    (lift->amount == PLM_UNSET || out->until_ms < lift->amount)) {
			lift->amount = out->until_ms;
		}
	}
}

/* ---- amounts ----------------------------------------------------------------------------------- */

static void lift_resources(const struct asked *q)
{
	struct plm_lift *lift = put_pod(q, PLM_LIFT_POD_REQUEST);

	if (lift != NULL) {
		lift->resource = text(q, q->pass->res.names[q->gate->resource]);
		lift->amount =
			plm_sub_sat(q->gate->need, plm_funnel_room(q->pass, q->funnel->pool,
								   q->type, q->gate->resource));
		lift->key = text(q, q->pass->types.slots[q->type]->name);
	}
}

static void lift_limit(const struct asked *q)
{
	bool of_nodes = q->gate->resource == q->pass->res.count;
	size_t at = (size_t)q->type * q->pass->res.count + q->gate->resource;
	struct plm_lift *lift = put_pool(
		q, q->gate->rule == PLM_RULE_POOL_SIZE ? PLM_LIFT_POOL_SIZE : PLM_LIFT_POOL_LIMIT);

	if (lift == NULL) {
		return;
	}
	lift->resource =
		of_nodes ? plm_slice_str("nodes") : text(q, q->pass->res.names[q->gate->resource]);
	lift->amount =
		plm_sub_sat(of_nodes ? 1 : q->funnel->pool->has->capacity[at], q->gate->have);
}

/* ---- the rest ---------------------------------------------------------------------------------- */

static void lift_taint(const struct asked *q)
{
	struct plm_lift *lift = put_pod(q, PLM_LIFT_TOLERATE);

	set_label(q, lift, q->gate->taint->key, q->gate->taint->value);
	if (lift != NULL) {
		lift->effect = plm_slice_str(
			plm_names_text(&plm_names_taint_effect, q->gate->taint->effect));
	}
}

static void lift_readiness(const struct asked *q)
{
	const struct plm_pool *pool = q->funnel->pool;

	if (pool->class_id.n == 0) {
		(void)plm_lifts_put(q->out, PLM_LIFT_CREATE, (enum plm_kind)pool->slot->class_kind,
				    text(q, pool->slot->class_name));
	} else {
		struct plm_lift *lift = put_pool(q, PLM_LIFT_POOL_READY);

		if (lift != NULL) {
			lift->key = q->gate->detail;
		}
	}
}

static void lift_words(const struct asked *q, struct plm_lift *lift)
{
	if (lift != NULL) {
		lift->key = q->gate->req != NULL ? text(q, q->gate->req->key) : q->gate->detail;
	}
}

static void lift_min_values(const struct asked *q)
{
	lift_words(q, put_pool(q, PLM_LIFT_MIN_VALUES));
}

static void lift_host_port(const struct asked *q)
{
	lift_words(q, put_pod(q, PLM_LIFT_PORT));
}

static void lift_topology(const struct asked *q)
{
	lift_words(q, put_pod(q, PLM_LIFT_SPREAD));
}

static struct plm_lift *put_class(const struct asked *q, enum plm_lift_action action)
{
	const struct plm_node_pool *slot = q->funnel->pool->slot;

	return plm_lifts_put(q->out, action, (enum plm_kind)slot->class_kind,
			     text(q, slot->class_name));
}

/* A subnet where the pod or the type can be. */
static void lift_subnets(const struct asked *q)
{
	plm_sym key = q->gate->req->key;
	const struct plm_req *has = plm_reqs_get(&q->pass->types.reqs[q->type], key);
	const struct plm_req *pods = plm_reqs_get(&q->funnel->ask->strict, key);

	set_label(q, put_class(q, PLM_LIFT_SUBNET), key, common_value(q, has, pods, NULL));
}

static void lift_image(const struct asked *q)
{
	set_label(q, put_class(q, PLM_LIFT_IMAGE), q->pass->types.slots[q->type]->name,
		  (plm_sym){0});
}

typedef void lift_fn(const struct asked *q);

static const struct {
	enum plm_rule rule;
	lift_fn *lift;
} gate_lifts[] = {
	{PLM_RULE_POOL_REQUIREMENTS, lift_pool_requirement},
	{PLM_RULE_REQUIREMENTS, lift_requirement},
	{PLM_RULE_RESOURCES, lift_resources},
	{PLM_RULE_HOST_PORT, lift_host_port},
	{PLM_RULE_OFFERING, lift_offering},
	{PLM_RULE_STOCK_OUT, lift_stock_out},
	{PLM_RULE_VOLUME, lift_volume},
	{PLM_RULE_TOPOLOGY, lift_topology},
	{PLM_RULE_POOL_TAINT, lift_taint},
	{PLM_RULE_POOL_LIMIT, lift_limit},
	{PLM_RULE_POOL_SIZE, lift_limit},
	{PLM_RULE_POOL_NOT_READY, lift_readiness},
	{PLM_RULE_MIN_VALUES, lift_min_values},
	{PLM_RULE_SUBNETS, lift_subnets},
	{PLM_RULE_IMAGES, lift_image},
};

static void lift_gate(const struct asked *q)
{
	for (size_t i = 0; i < PLM_COUNTOF(gate_lifts); i++) {
		if (gate_lifts[i].rule == q->gate->rule) {
			gate_lifts[i].lift(q);
			return;
		}
	}
	PLM_UNREACHABLE();
}

/* All gates in the way of a type, together. */
static void lift_type(struct plm_pass *pass, const struct plm_funnel *funnel, uint32_t type,
		      struct plm_lifts *out)
{
	struct asked q = {.pass = pass, .funnel = funnel, .type = type, .out = out};

	uint32_t before = out->count;

	if (out->full) {
		return;
	}
	plm_lifts_next(out);
	for (uint32_t i = 0; i < funnel->count; i++) {
		q.gate = &funnel->gates[i];
		if (plm_gate_stops(funnel, i, type)) {
			lift_gate(&q);
		}
	}
	if (out->full) { /* half an option is none */
		out->count = before;
	}
}

/* For each set of 'stops' gates that is in the way of some type: what opens them for the best of those. */
static void lift_pool(struct plm_pass *pass, const struct plm_funnel *funnel, uint32_t stops,
		      uint64_t told, struct plm_lifts *out)
{
	uint32_t best[MOST_WAYS] = {0};
	uint32_t count = 0;

	for (uint32_t t = 0; t < pass->types.count; t++) {
		uint32_t i = 0;

		if (plm_stops(funnel, t) != stops || funnel->stops[t] == told) {
			continue;
		}
		while (i < count && funnel->stops[best[i]] != funnel->stops[t]) {
			i++;
		}
		if (i == count && count < MOST_WAYS) {
			best[count++] = t;
		} else if (i < count && plm_funnel_better(pass, funnel, t, best[i])) {
			best[i] = t;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		lift_type(pass, funnel, best[i], out);
	}
}

/* The fewest gates that stop any type of any pool; 0 = none. */
static uint32_t fewest_stops(const struct plm_pass *pass, const struct plm_funnel *funnels)
{
	uint32_t fewest = UINT32_MAX;

	for (uint32_t p = 0; p < pass->pool_count; p++) {
		for (uint32_t t = 0; t < pass->types.count; t++) {
			fewest = plm_stops(&funnels[p], t) < fewest ? plm_stops(&funnels[p], t)
								    : fewest;
		}
	}
	return fewest == UINT32_MAX ? 0 : fewest;
}

void plm_provision_lifts(struct plm_pass *pass, const struct plm_funnel *funnels,
			 struct plm_lifts *out)
{
	const struct plm_funnel *best = NULL;
	uint32_t stops = fewest_stops(pass, funnels);

	for (uint32_t p = 0; p < pass->pool_count; p++) {
		if (best == NULL || plm_funnel_nearer(pass, &funnels[p], best)) {
			best = &funnels[p];
		}
	}
	if (stops == 0 || best == NULL || best->nearest == pass->types.count) {
		return;
	}
	if (plm_stops(best, best->nearest) == stops) {
		lift_type(pass, best, best->nearest, out);
	}
	for (uint32_t p = 0; p < pass->pool_count; p++) {
		lift_pool(pass, &funnels[p], stops,
			  &funnels[p] == best ? best->stops[best->nearest] : 0, out);
	}
}
