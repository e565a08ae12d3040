#include "reducers/provision/explain.h"

#include "core/limits.h"
#include "reducers/provision/funnel.h"
#include "reducers/provision/launch.h"

/* Rules that existing nodes are held against. */
#define NODE_STEPS 5U

struct writer {
	struct plm_pass *pass;
	struct plm_funnel *funnels; /* by pool */
	struct plm_w_step *steps;
	uint32_t step_count;
	struct plm_w_candidate *rows;
	uint32_t row_count;
	struct plm_w_explain *out;
};

static struct plm_slice text(const struct writer *wr, plm_sym sym)
{
	return plm_sched_text(&wr->pass->sched, sym);
}

/* What is left after a rule; the first one says how many there are. */
static struct plm_w_step *step(struct writer *wr, struct plm_slice pool, enum plm_rule rule,
			       uint32_t left)
{
	struct plm_w_step *at = &wr->steps[wr->step_count++];

	*at = (struct plm_w_step){
		.pool = pool, .rule = rule, .left = left, .need = PLM_UNSET, .have = PLM_UNSET};
	return at;
}

/* ---- pools ------------------------------------------------------------------------------------- */

static struct plm_slice resource_name(const struct writer *wr, uint32_t resource)
{
	const struct plm_resources *res = &wr->pass->res;

	return resource < res->count ? text(wr, res->names[resource]) : plm_slice_str("nodes");
}

/* What the gate is about: a label or a resource; none for the others. */
static struct plm_slice gate_subject(const struct writer *wr, const struct plm_gate *gate)
{
	if (gate->req != NULL) {
		return text(wr, gate->req->key);
	}
	if (gate->rule == PLM_RULE_RESOURCES || gate->rule == PLM_RULE_POOL_LIMIT) {
		return resource_name(wr, gate->resource);
	}
	return (struct plm_slice){0};
}

static struct plm_slice gate_detail(const struct writer *wr, const struct plm_gate *gate)
{
	return gate->req != NULL ? plm_req_words(wr->pass, gate->req) : gate->detail;
}

/* Gates that take something away, in their order. */
static void write_steps(struct writer *wr, const struct plm_funnel *funnel)
{
	struct plm_slice name = text(wr, funnel->pool->slot->object.name);
	uint32_t left = wr->pass->types.count;

	(void)step(wr, name, PLM_RULE_CATALOGUE, left);
	for (uint32_t i = 0; i < funnel->count; i++) {
		const struct plm_gate *gate = &funnel->gates[i];
		struct plm_w_step *at = NULL;

		if (gate->left == left && left > 0) {
			continue;
		}
		if (left == 0 && !plm_gate_of_pool(gate->rule)) {
			continue;
		}
		at = step(wr, name, gate->rule, gate->left);
		at->subject = gate_subject(wr, gate);
		at->detail = gate_detail(wr, gate);
		at->need = gate->need;
		at->have = gate->have;
		left = gate->left;
	}
}

/* A gate as it bears on one type. */
static struct plm_w_candidate row_of(const struct writer *wr, const struct plm_funnel *funnel,
				     const struct plm_gate *gate, uint32_t type)
{
	const struct plm_pass *pass = wr->pass;
	struct plm_w_candidate row = {
		.candidate = text(wr, funnel->pool->slot->object.name),
		.rule = gate->rule,
		.need = gate->need,
		.have = gate->have,
		.detail = gate->detail,
	};
	size_t at = (size_t)type * pass->res.count + gate->resource;

	if (gate->rule == PLM_RULE_RESOURCES || gate->rule == PLM_RULE_POOL_LIMIT ||
	    gate->rule == PLM_RULE_POOL_SIZE) {
		row.resource = resource_name(wr, gate->resource);
	}
	if (gate->rule == PLM_RULE_POOL_LIMIT && gate->resource < pass->res.count) {
		row.need = funnel->pool->has->capacity[at];
	}
	if (gate->req != NULL) {
		struct plm_slice key = text(wr, gate->req->key);
		struct plm_slice words = plm_req_words(pass, gate->req);

		row.detail = plm_arena_format(pass->arena, "%.*s %.*s", (int)key.size,
					      (const char *)key.ptr, (int)words.size,
					      (const char *)words.ptr);
	}
	if (gate->rule == PLM_RULE_OFFERING || gate->rule == PLM_RULE_STOCK_OUT) {
		row.detail = text(wr, pass->types.slots[type]->name);
	}
	return row;
}

/* What stops the type of a pool that is nearest, as many as there is room for. */
static void write_rows(struct writer *wr, const struct plm_funnel *funnel)
{
	for (uint32_t i = 0; i < funnel->count; i++) {
		const struct plm_gate *gate = &funnel->gates[i];

		if (wr->row_count == PLM_EXPLAIN_MAX_CANDIDATES) {
			return;
		}
		if (funnel->nearest < wr->pass->types.count &&
		    plm_gate_stops(funnel, i, funnel->nearest)) {
			wr->rows[wr->row_count++] = row_of(wr, funnel, gate, funnel->nearest);
		}
	}
}

/* All gates are open, and yet it has no place: others have what it would take. */
static void write_taken(struct writer *wr, const struct plm_funnel *funnel)
{
	bool reserved = wr->pass->types.reservation_count > 0;

	wr->out->rule = reserved ? PLM_RULE_RESERVATION : PLM_RULE_TOPOLOGY;
	wr->out->object = text(wr, funnel->pool->slot->object.name);
	wr->rows[0] = (struct plm_w_candidate){.candidate = wr->out->object,
					       .rule = wr->out->rule,
					       .need = PLM_UNSET,
					       .have = PLM_UNSET};
	wr->row_count = wr->row_count > 0 ? wr->row_count : 1;
}

/* The rule that is named: the one that took the last candidates of the pool that is nearest. */
static void write_verdict(struct writer *wr, const struct plm_funnel *best)
{
	struct plm_w_candidate row;

	if (best->verdict == best->count) {
		write_taken(wr, best);
		return;
	}
	row = row_of(wr, best, &best->gates[best->verdict], best->nearest);
	wr->out->rule = row.rule;
	wr->out->object = row.candidate;
	wr->out->resource = row.resource;
	wr->out->need = row.need;
	wr->out->have = row.have;
	wr->out->detail = row.detail;
}

static const struct plm_funnel *nearest_pool(const struct writer *wr)
{
	const struct plm_pass *pass = wr->pass;
	const struct plm_funnel *best = NULL;

	for (uint32_t p = 0; p < pass->pool_count; p++) {
		if (best == NULL || plm_funnel_nearer(pass, &wr->funnels[p], best)) {
			best = &wr->funnels[p];
		}
	}
	return best;
}

/* The pool that is nearest comes first, then the others in the order in which they are tried. */
static void look_at_pools(struct writer *wr)
{
	const struct plm_pass *pass = wr->pass;
	const struct plm_funnel *best = nearest_pool(wr);

	if (best == NULL) {
		return;
	}
	write_rows(wr, best);
	for (uint32_t p = 0; p < pass->pool_count; p++) {
		if (p < PLM_LIMIT_FUNNEL_POOLS) {
			write_steps(wr, &wr->funnels[p]);
		}
		if (&wr->funnels[p] != best) {
			write_rows(wr, &wr->funnels[p]);
		}
	}
	if (best->nearest < pass->types.count) {
		write_verdict(wr, best);
	}
}

/* ---- existing nodes ---------------------------------------------------------------------------- */

static void look_at_seats(struct writer *wr, const struct plm_ask *ask,
			  const struct plm_want_shape *shape)
{
	const struct plm_pass *pass = wr->pass;
	const int64_t *requests = shape->requests;
	uint32_t left[NODE_STEPS] = {0};

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
		if (!plm_reqs_compatible(&pass->sched, &seat->reqs, &ask->strict, false, NULL)) {
			continue;
		}
		left[2]++;
		if (shape->volumes != 0 && plm_volume_seat_reached(pass, seat, shape->volumes)) {
			left[3]++;
			left[4] += plm_volume_seat_fits(pass, seat, shape->volumes) ? 1 : 0;
		}
	}
	if (pass->seat_count > 0) {
		struct plm_slice none = plm_slice_of(NULL, 0);

		(void)step(wr, none, PLM_RULE_NODES, pass->seat_count);
		(void)step(wr, none, PLM_RULE_NODE_TAINT, left[0]);
		(void)step(wr, none, PLM_RULE_NODE_RESOURCES, left[1]);
		(void)step(wr, none, PLM_RULE_NODE_REQUIREMENTS, left[2]);
		if (shape->volumes != 0) {
			(void)step(wr, none, PLM_RULE_VOLUME, left[3]);
			(void)step(wr, none, PLM_RULE_VOLUME_LIMIT, left[4]);
		}
	}
}

void plm_explain_shape(struct plm_pass *pass, uint32_t shape, struct plm_w_explain *out,
		       struct plm_lifts *lifts)
{
	const struct plm_want_kind *kind = &pass->kinds[pass->shapes[shape].kind];
	struct writer wr = {
		.pass = pass,
		.out = out,
		.funnels = PLM_NEW_ARRAY(pass->arena, pass->pool_count, struct plm_funnel),
		.rows = PLM_NEW_ARRAY(pass->arena, PLM_EXPLAIN_MAX_CANDIDATES,
				      struct plm_w_candidate),
	};
	const struct plm_volume_set *volumes = plm_volume_set_at(pass, pass->shapes[shape].volumes);
	uint32_t room = NODE_STEPS + 1;

	plm_pass_fill_seats(pass);
	*out = (struct plm_w_explain){.rule = PLM_RULE_NO_POOL,
				      .reason = PLM_REASON_UNSCHEDULABLE,
				      .need = PLM_UNSET,
				      .have = PLM_UNSET,
				      .limit = PLM_UNSET};
	for (uint32_t p = 0; p < pass->pool_count; p++) {
		plm_funnel_of(pass, &pass->pools[p], shape, &wr.funnels[p]);
		room += wr.funnels[p].count + 1;
	}
	wr.steps = PLM_NEW_ARRAY(pass->arena, room, struct plm_w_step);
	look_at_seats(&wr, &kind->asks[kind->ask_count - 1], &pass->shapes[shape]);
	look_at_pools(&wr);
	out->considered = (struct plm_vec){wr.rows, wr.row_count};
	out->funnel = (struct plm_vec){wr.steps, wr.step_count};
	/* Nothing here opens a way to volumes that no node reaches at once. */
	if (lifts != NULL && (volumes == NULL || volumes->refuse == PLM_RULE_NONE)) {
		plm_provision_lifts(pass, wr.funnels, lifts);
	}
}

void plm_explain_volumes(const struct plm_pass *pass, uint32_t want, struct plm_w_explain *out)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	struct plm_volume_owner owner = {0};
	uint32_t count = 0;

	if (shape->volumes == 0) {
		return;
	}
	if (pass->wants[want].pod.n != 0) {
		owner = plm_volume_owner_of(&pass->sched,
					    plm_pod_at(pass->st, pass->wants[want].pod));
	} else {
		owner.ns = plm_workload_at(pass->st, pass->gang)->object.ns;
		owner.uses = PLM_SPAN(pass->st, shape->shape, struct plm_shape, &count)->volumes;
	}
	if (plm_rule_of_volumes(plm_volume_set_at(pass, shape->volumes)->refuse)) {
		plm_volumes_explain(&pass->sched, &owner, out);
	} else if (out->rule == PLM_RULE_VOLUME) {
		out->detail = plm_volumes_places(&pass->sched, &owner);
	}
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

void plm_explain_unbought(const struct plm_pass *pass, const struct plm_open *claim,
			  struct plm_w_explain *out)
{
	const struct plm_req *req = plm_reqs_get(&claim->reqs, claim->choice->lacking);

	PLM_ASSERT(claim->choice->offers.count == 0);
	*out = (struct plm_w_explain){
		.rule = req == NULL ? PLM_RULE_STOCK_OUT : PLM_RULE_MIN_VALUES,
		.reason = PLM_REASON_UNSCHEDULABLE,
		.object = plm_sched_text(&pass->sched, pass->pools[claim->pool].slot->object.name),
		.need = req == NULL ? PLM_UNSET : req->min_values,
		.have = PLM_UNSET,
		.limit = PLM_UNSET};
	if (req != NULL) {
		out->detail = plm_sched_text(&pass->sched, req->key);
	}
}

static void head(const struct plm_pass *pass, const struct plm_object *object,
		 struct plm_w_explain *out)
{
	out->kind = object->kind;
	out->ns = plm_sched_text(&pass->sched, object->ns);
	out->name = plm_sched_text(&pass->sched, object->name);
}

bool plm_provision_explain_pod(const struct plm_state *st, struct plm_arena *arena, plm_id pod,
			       struct plm_w_explain *out, struct plm_lifts *lifts)
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
			plm_explain_shape(pass, pass->wants[i].shape, out, lifts);
			plm_explain_volumes(pass, i, out);
			head(pass, &plm_pod_at(st, pod)->object, out);
			return true;
		}
	}
	return false;
}

bool plm_explain_gang(struct plm_pass *pass, plm_id workload, struct plm_w_explain *out,
		      struct plm_lifts *lifts)
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
	plm_explain_shape(pass, pass->wants[failed].shape, out, lifts);
	plm_explain_volumes(pass, failed, out);
	head(pass, &plm_workload_at(pass->st, workload)->object, out);
	out->reason = PLM_REASON_NO_CAPACITY;
	out->limit = placed; /* of the gang's pods this many had a place */
	return true;
}

bool plm_provision_explain_workload(const struct plm_state *st, struct plm_arena *arena,
				    plm_id workload, struct plm_w_explain *out,
				    struct plm_lifts *lifts)
{
	struct plm_pass *pass =
		plm_pass_plan(st, arena, &(struct plm_demand){.workload = workload});

	return plm_explain_gang(pass, workload, out, lifts);
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
