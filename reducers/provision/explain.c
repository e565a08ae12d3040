#include "reducers/provision/explain.h"

/* Steps per pool, in the order of the funnel. */
#define STEPS 7U

struct writer {
	struct plm_pass *pass;
	struct plm_w_step *steps;
	uint32_t step_count;
	struct plm_w_candidate *rows;
	uint32_t row_count;
	struct plm_w_explain *out;
	uint32_t best; /* rules that the pool which got furthest has passed */
	bool has_best;
};

static struct plm_slice text(const struct writer *wr, plm_sym sym)
{
	return plm_sched_text(&wr->pass->sched, sym);
}

static void step(struct writer *wr, struct plm_slice pool, enum plm_rule rule, uint32_t left,
		 struct plm_slice detail)
{
	wr->steps[wr->step_count++] =
		(struct plm_w_step){.pool = pool, .rule = rule, .left = left, .detail = detail};
}

/* A rule that stands in the way of a pool; the first of the pool that got furthest is the answer. */
static void blocks(struct writer *wr, uint32_t passed, const struct plm_w_candidate *row)
{
	if (wr->row_count < PLM_EXPLAIN_MAX_CANDIDATES) {
		wr->rows[wr->row_count++] = *row;
	}
	if (wr->has_best && passed <= wr->best) {
		return;
	}
	wr->has_best = true;
	wr->best = passed;
	wr->out->rule = row->rule;
	wr->out->object = row->candidate;
	wr->out->resource = row->resource;
	wr->out->need = row->need;
	wr->out->have = row->have;
	wr->out->detail = row->detail;
}

static struct plm_w_candidate row_of(struct plm_slice pool, enum plm_rule rule)
{
	return (struct plm_w_candidate){
		.candidate = pool, .rule = rule, .need = PLM_UNSET, .have = PLM_UNSET};
}

/* ---- one pool ---------------------------------------------------------------------------------- */

static struct plm_slice taint_text(const struct writer *wr, const struct plm_taint *taint)
{
	struct plm_slice key = text(wr, taint->key);
	struct plm_slice value = text(wr, taint->value);
	const char *effect = plm_names_text(&plm_names_taint_effect, taint->effect);

	return plm_arena_format(wr->pass->arena, "%.*s%s%.*s:%s", (int)key.size,
				(const char *)key.ptr, value.size > 0 ? "=" : "", (int)value.size,
				(const char *)value.ptr, effect);
}

/* Of the types in 'bits' the most that one has free of resource 'r', and which. */
static int64_t largest(const struct plm_pass *pass, const struct plm_pool *pool,
		       const uint64_t *bits, uint32_t r, uint32_t *out_type)
{
	int64_t most = INT64_MIN;

	for (uint32_t g = 0; g < pool->overhead_count; g++) {
		for (uint32_t t = 0; t < pass->types.count; t++) {
			int64_t room = 0;

			if (!PLM_BIT(bits, t) || !PLM_BIT(pool->overheads[g].bits, t)) {
				continue;
			}
			room = pool->has->allocatable[(size_t)t * pass->res.count + r] -
			       pool->overheads[g].requests[r];
			if (room > most) {
				most = room;
				*out_type = t;
			}
		}
	}
	return most;
}

/* The resource that no type has enough of, else the one that is scarcest against the need. */
static void resource_row(struct writer *wr, const struct plm_pool *pool, const uint64_t *bits,
			 const int64_t *ask, struct plm_w_candidate *row)
{
	const struct plm_pass *pass = wr->pass;
	int64_t worst = INT64_MAX;

	for (uint32_t r = 0; r < pass->res.count; r++) {
		uint32_t type = 0;
		int64_t most = largest(pass, pool, bits, r, &type);
		int64_t permille = 0;

		if (ask[r] <= 0 || most == INT64_MIN) {
			continue;
		}
		permille = plm_mul_sat(most, 1000) / ask[r];
		if (permille < worst) {
			worst = permille;
			row->resource = text(wr, pass->res.names[r]);
			row->need = ask[r];
			row->have = most;
			row->detail = text(wr, pass->types.slots[type]->name);
		}
	}
}

static void fitting(const struct plm_pass *pass, const struct plm_pool *pool, const int64_t *ask,
		    uint64_t *bits)
{
	for (uint32_t t = 0; t < pass->types.count; t++) {
		const int64_t *have = pool->has->allocatable + (size_t)t * pass->res.count;
		bool fits = PLM_BIT(bits, t) && PLM_BIT(pool->has->sound, t);

		for (uint32_t g = 0; fits && g < pool->overhead_count; g++) {
			for (uint32_t r = 0;
			     PLM_BIT(pool->overheads[g].bits, t) && r < pass->res.count; r++) {
				fits = fits && ask[r] + pool->overheads[g].requests[r] <= have[r];
			}
		}
		if (!fits) {
			bits[t / 64] &= ~((uint64_t)1 << (t % 64));
		}
	}
}

/* The types that the pool's own requirements leave, in stock or not. */
static uint64_t *own_types(const struct plm_pass *pass, const struct plm_pool *pool)
{
	uint64_t *bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);

	for (uint32_t t = 0; t < pass->types.count; t++) {
		PLM_BIT_SET(bits, t);
	}
	for (uint32_t i = 0; i < pool->reqs.count; i++) {
		plm_types_meet(pass, &pool->reqs.list[i], bits);
	}
	return bits;
}

struct pool_view {
	struct plm_pool *pool;
	struct plm_slice name;
	const struct plm_ask *ask;
	const int64_t *requests;
	uint64_t *bits;
	struct plm_reqs reqs;
	uint32_t passed;
	bool blocked;
};

static void look_requirements(struct writer *wr, struct pool_view *view)
{
	struct plm_pass *pass = wr->pass;
	plm_sym bad = {0};
	bool fits = plm_reqs_compatible(&pass->sched, &view->pool->reqs, &view->ask->strict, true,
					&bad);

	if (fits) {
		view->reqs = plm_reqs_merge(&pass->sched, &view->pool->reqs, &view->ask->strict);
		for (uint32_t i = 0; i < view->reqs.count; i++) {
			plm_types_meet(pass, &view->reqs.list[i], view->bits);
		}
	} else {
		memset(view->bits, 0, pass->types.words * sizeof(uint64_t));
	}
	step(wr, view->name, PLM_RULE_REQUIREMENTS, plm_types_count(pass, view->bits),
	     fits ? plm_slice_of(NULL, 0) : text(wr, bad));
	if (plm_types_count(pass, view->bits) == 0) {
		struct plm_w_candidate row = row_of(view->name, PLM_RULE_REQUIREMENTS);

		row.detail = text(wr, bad);
		blocks(wr, view->passed, &row);
		view->blocked = true;
	}
}

static void look_resources(struct writer *wr, struct pool_view *view)
{
	struct plm_pass *pass = wr->pass;
	struct plm_w_candidate row = row_of(view->name, PLM_RULE_RESOURCES);

	resource_row(wr, view->pool, view->bits, view->requests, &row);
	fitting(pass, view->pool, view->requests, view->bits);
	step(wr, view->name, PLM_RULE_RESOURCES, plm_types_count(pass, view->bits), row.detail);
	if (plm_types_count(pass, view->bits) == 0) {
		blocks(wr, view->passed, &row);
		view->blocked = true;
	}
}

static void look_offers(struct writer *wr, struct pool_view *view, const uint64_t *offers,
			enum plm_rule rule)
{
	struct plm_pass *pass = wr->pass;

	plm_types_offered(pass, &view->reqs, offers, view->bits);
	step(wr, view->name, rule, plm_types_count(pass, view->bits), plm_slice_of(NULL, 0));
	if (plm_types_count(pass, view->bits) == 0) {
		struct plm_w_candidate row = row_of(view->name, rule);

		blocks(wr, view->passed, &row);
		view->blocked = true;
	}
}

static void look_limits(struct writer *wr, struct pool_view *view)
{
	struct plm_pass *pass = wr->pass;
	struct plm_pool *pool = view->pool;
	struct plm_w_candidate row = row_of(view->name, PLM_RULE_POOL_LIMIT);

	if (pool->size_left <= 0) {
		row.rule = PLM_RULE_POOL_SIZE;
		row.resource = plm_slice_str("nodes");
		row.have = 0;
		row.need = 1;
	} else if (pool->nodes_left <= 0) {
		row.resource = plm_slice_str("nodes");
		row.have = pool->nodes_left;
		row.need = 1;
	} else {
		plm_pool_within_limits(pass, pool, view->bits);
		for (uint32_t r = 0; r < pass->res.count; r++) {
			if (pool->left[r] != PLM_UNLIMITED && row.resource.size == 0) {
				row.resource = text(wr, pass->res.names[r]);
				row.have = pool->left[r];
				row.need = view->requests[r];
			}
		}
		if (plm_types_count(pass, view->bits) > 0) {
			step(wr, view->name, PLM_RULE_POOL_LIMIT, plm_types_count(pass, view->bits),
			     plm_slice_of(NULL, 0));
			return;
		}
	}
	step(wr, view->name, (enum plm_rule)row.rule, 0, plm_slice_of(NULL, 0));
	blocks(wr, view->passed, &row);
	view->blocked = true;
}

/* Not blocked by anything that is looked at here: topology or host ports of daemons are what is left. */
static void look_topology(struct writer *wr, struct pool_view *view)
{
	struct plm_w_candidate row = row_of(view->name, PLM_RULE_TOPOLOGY);

	blocks(wr, view->passed, &row);
}

static void look_taints(struct writer *wr, struct pool_view *view)
{
	const struct plm_taint *taint =
		plm_taints_refuse(&wr->pass->sched, &view->pool->taints, &view->ask->tolerations);
	struct plm_w_candidate row = row_of(view->name, PLM_RULE_POOL_TAINT);

	if (taint == NULL) {
		return;
	}
	row.detail = taint_text(wr, taint);
	step(wr, view->name, PLM_RULE_POOL_TAINT, 0, row.detail);
	blocks(wr, view->blocked ? 0 : view->passed, &row);
	view->blocked = true;
}

static bool look_ready(struct writer *wr, struct pool_view *view)
{
	struct plm_w_candidate row = row_of(view->name, PLM_RULE_POOL_NOT_READY);
	const struct plm_node_pool *slot = view->pool->slot;
	plm_id class = view->pool->class_id;

	if (view->pool->use != PLM_POOL_NOT_READY) {
		return true;
	}
	if (slot->not_ready.n != 0) {
		row.detail = text(wr, slot->not_ready);
	} else if (class.n == 0) {
		row.detail = plm_arena_format(wr->pass->arena, "%s %.*s is missing",
					      plm_names_text(&plm_names_kind, slot->class_kind),
					      (int)text(wr, slot->class_name).size,
					      (const char *)text(wr, slot->class_name).ptr);
	} else {
		row.detail = text(wr, plm_node_class_at(wr->pass->st, class)->not_ready);
	}
	step(wr, view->name, PLM_RULE_POOL_NOT_READY, 0, row.detail);
	blocks(wr, view->passed, &row);
	return false;
}

static void look_at_pool(struct writer *wr, struct pool_view *view)
{
	if (!look_ready(wr, view)) {
		return;
	}
	view->passed++;
	if (view->pool->overheads == NULL) {
		plm_pool_overheads(wr->pass, view->pool);
	}
	look_requirements(wr, view);
	if (!view->blocked) {
		view->passed++;
		look_resources(wr, view);
	}
	if (!view->blocked) {
		view->passed++;
		look_offers(wr, view, wr->pass->types.existing, PLM_RULE_OFFERING);
	}
	if (!view->blocked) {
		view->passed++;
		look_offers(wr, view, wr->pass->types.available, PLM_RULE_STOCK_OUT);
	}
	view->passed += view->blocked ? 0 : 1;
	look_taints(wr, view);
	if (!view->blocked) {
		view->passed++;
		look_limits(wr, view);
	}
	if (!view->blocked) {
		view->passed++;
		look_topology(wr, view);
	}
}

/* ---- existing nodes ---------------------------------------------------------------------------- */

static void look_at_seats(struct writer *wr, const struct plm_ask *ask, const int64_t *requests)
{
	const struct plm_pass *pass = wr->pass;
	uint32_t left[3] = {0};

	for (uint32_t i = 0; i < pass->seat_count; i++) {
		const struct plm_seat *seat = &pass->seats[i];

		if (plm_taints_refuse(&pass->sched, &seat->taints, &ask->tolerations) != NULL) {
			continue;
		}
		left[0]++;
		if (!plm_res_fits(pass, requests, seat->left)) {
			continue;
		}
		left[1]++;
		if (plm_reqs_compatible(&pass->sched, &seat->reqs, &ask->strict, false, NULL)) {
			left[2]++;
		}
	}
	if (pass->seat_count > 0) {
		struct plm_slice none = plm_slice_of(NULL, 0);

		step(wr, none, PLM_RULE_NODE_TAINT, left[0], none);
		step(wr, none, PLM_RULE_NODE_RESOURCES, left[1], none);
		step(wr, none, PLM_RULE_NODE_REQUIREMENTS, left[2], none);
	}
}

void plm_explain_shape(struct plm_pass *pass, uint32_t shape, struct plm_w_explain *out)
{
	const struct plm_want_kind *kind = &pass->kinds[pass->shapes[shape].kind];
	const struct plm_ask *ask = &kind->asks[kind->ask_count - 1];
	struct writer wr = {
		.pass = pass,
		.out = out,
		.steps = PLM_NEW_ARRAY(pass->arena, (size_t)(pass->pool_count + 1) * STEPS,
				       struct plm_w_step),
		.rows = PLM_NEW_ARRAY(pass->arena, PLM_EXPLAIN_MAX_CANDIDATES,
				      struct plm_w_candidate),
	};

	*out = (struct plm_w_explain){.rule = PLM_RULE_NO_POOL,
				      .reason = PLM_REASON_UNSCHEDULABLE,
				      .need = PLM_UNSET,
				      .have = PLM_UNSET,
				      .limit = PLM_UNSET};
	look_at_seats(&wr, ask, pass->shapes[shape].requests);
	for (uint32_t p = 0; p < pass->pool_count; p++) {
		struct pool_view view = {
			.pool = &pass->pools[p],
			.name = text(&wr, pass->pools[p].slot->object.name),
			.ask = ask,
			.requests = pass->shapes[shape].requests,
			.bits = own_types(pass, &pass->pools[p]),
		};

		look_at_pool(&wr, &view);
	}
	out->considered = (struct plm_vec){wr.rows, wr.row_count};
	out->funnel = (struct plm_vec){wr.steps, wr.step_count};
}

/* ---- for `why` --------------------------------------------------------------------------------- */

static void explain_refused(const struct plm_pass *pass, plm_id pod, enum plm_rule rule,
			    plm_sym key, struct plm_w_explain *out)
{
	struct plm_volume_owner owner =
		plm_volume_owner_of(&pass->sched, plm_pod_at(pass->st, pod));

	*out = (struct plm_w_explain){
		.rule = rule,
		.reason = PLM_REASON_UNSCHEDULABLE,
		.detail = rule == PLM_RULE_DEVICES ? (struct plm_slice){0}
			  : key.n == 0 ? plm_slice_str("node fields in the pod's affinity")
				       : plm_sched_text(&pass->sched, key),
		.need = PLM_UNSET,
		.have = PLM_UNSET,
		.limit = PLM_UNSET};
	if (plm_rule_of_volumes(rule)) {
		out->detail = plm_slice_of(NULL, 0);
		plm_volumes_explain(&pass->sched, &owner, out);
	}
}

void plm_explain_refused(struct plm_pass *pass, plm_id pod, struct plm_w_explain *out)
{
	plm_sym key = {0};
	enum plm_rule rule = plm_pod_refused(&pass->sched, plm_pod_at(pass->st, pod), &key);

	PLM_ASSERT(rule != PLM_RULE_NONE);
	explain_refused(pass, pod, rule, key, out);
}

static void head(const struct plm_pass *pass, const struct plm_object *object,
		 struct plm_w_explain *out)
{
	out->kind = object->kind;
	out->ns = plm_sched_text(&pass->sched, object->ns);
	out->name = plm_sched_text(&pass->sched, object->name);
}

bool plm_provision_explain_pod(const struct plm_state *st, struct plm_arena *arena, plm_id pod,
			       struct plm_w_explain *out)
{
	struct plm_pass *pass = plm_pass_plan(st, arena, &(struct plm_demand){.pods = true});
	plm_sym key = {0};
	enum plm_rule rule = PLM_RULE_NONE;

	if (!plm_pod_pending(&pass->sched, plm_pod_at(st, pod))) {
		return false;
	}
	rule = plm_pod_refused(&pass->sched, plm_pod_at(st, pod), &key);
	if (rule != PLM_RULE_NONE) {
		explain_refused(pass, pod, rule, key, out);
		head(pass, &plm_pod_at(st, pod)->object, out);
		return true;
	}
	for (uint32_t i = 0; i < pass->want_count; i++) {
		if (pass->wants[i].pod.n == pod.n && pass->wants[i].place == PLM_WANT_OPEN) {
			plm_explain_shape(pass, pass->wants[i].shape, out);
			head(pass, &plm_pod_at(st, pod)->object, out);
			return true;
		}
	}
	return false;
}

bool plm_explain_gang(struct plm_pass *pass, plm_id workload, struct plm_w_explain *out)
{
	uint32_t placed = 0;
	uint32_t failed = pass->want_count;

	for (uint32_t i = 0; i < pass->want_count; i++) {
		if (pass->wants[i].place != PLM_WANT_OPEN) {
			placed++;
		} else if (failed == pass->want_count) {
			failed = i;
		}
	}
	if (failed == pass->want_count) {
		return false;
	}
	plm_explain_shape(pass, pass->wants[failed].shape, out);
	head(pass, &plm_workload_at(pass->st, workload)->object, out);
	out->reason = PLM_REASON_NO_CAPACITY;
	out->limit = placed; /* of the gang's pods this many had a place */
	return true;
}

bool plm_provision_explain_workload(const struct plm_state *st, struct plm_arena *arena,
				    plm_id workload, struct plm_w_explain *out)
{
	struct plm_pass *pass =
		plm_pass_plan(st, arena, &(struct plm_demand){.workload = workload});

	return plm_explain_gang(pass, workload, out);
}

bool plm_why_said(const struct plm_state *st, const struct plm_why *said,
		  const struct plm_w_explain *why)
{
	return said->seq != 0 && said->rule == (uint32_t)why->rule &&
	       said->reason == (uint32_t)why->reason &&
	       plm_slice_equal(plm_str(st, said->object), why->object) &&
	       plm_slice_equal(plm_str(st, said->resource), why->resource) &&
	       plm_slice_equal(plm_str(st, said->flavor), why->flavor);
}
