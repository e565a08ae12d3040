#include "reducers/provision/gang.h"
#include "reducers/tas/tas.h"

#include "core/limits.h"
#include "reducers/admission/activity.h"
#include "reducers/provision/emit.h"
#include "reducers/provision/explain.h"

/* ---- what flavors add -------------------------------------------------------------------------- */

static const struct plm_assignment *assignment_of(const struct plm_pass *pass, uint32_t set)
{
	const struct plm_workload *workload = plm_workload_at(pass->st, pass->gang);
	uint32_t count = 0;
	uint32_t sets = 0;
	const struct plm_pod_set *names =
		PLM_SPAN(pass->st, workload->pod_sets, struct plm_pod_set, &sets);
	const struct plm_assignment *list =
		PLM_SPAN(pass->st, workload->assignments, struct plm_assignment, &count);

	PLM_ASSERT(set < sets);
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].name, names[set].name)) {
			return &list[i];
		}
	}
	return NULL;
}

static void add_tolerations(struct plm_pass *pass, struct plm_ask *ask, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_toleration *more = PLM_SPAN(pass->st, span, struct plm_toleration, &count);
	struct plm_toleration *list = NULL;

	if (count == 0) {
		return;
	}
	list = PLM_NEW_ARRAY(pass->arena, ask->tolerations.count + count, struct plm_toleration);
	if (ask->tolerations.count > 0) {
		memcpy(list, ask->tolerations.list, ask->tolerations.count * sizeof(*list));
	}
	memcpy(list + ask->tolerations.count, more, count * sizeof(*list));
	ask->tolerations.list = list;
	ask->tolerations.count += count;
}

void plm_gang_asks(struct plm_pass *pass, struct plm_want_kind *kind)
{
	const struct plm_assignment *assignment = assignment_of(pass, kind->set - 1);
	uint32_t count = 0;
	const struct plm_kv *flavors =
		assignment == NULL ? NULL
				   : PLM_SPAN(pass->st, assignment->flavors, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_id id = plm_find(pass->st, PLM_KIND_FLAVOR, (plm_sym){0}, flavors[i].value);
		struct plm_reqs labels = {0};

		if (id.n == 0 || (i > 0 && plm_sym_equal(flavors[i].value, flavors[i - 1].value))) {
			continue;
		}
		labels = plm_reqs_of_labels(&pass->sched, plm_flavor_at(pass->st, id)->node_labels);
		for (uint32_t a = 0; a < kind->ask_count; a++) {
			struct plm_ask *ask = &kind->asks[a];

			ask->reqs = plm_reqs_merge(&pass->sched, &ask->reqs, &labels);
			ask->strict = plm_reqs_merge(&pass->sched, &ask->strict, &labels);
			add_tolerations(pass, ask, plm_flavor_at(pass->st, id)->tolerations);
		}
	}
}

/* ---- a plan as events -------------------------------------------------------------------------- */

struct plan {
	struct plm_pass *pass;
	plm_id id;
	const struct plm_workload *workload;
	struct plm_w_place *places;
	uint32_t count;
	struct plm_out *out;
};

static void add_place(struct plan *plan, uint32_t set, struct plm_slice target, bool is_claim)
{
	uint32_t sets = 0;
	const struct plm_pod_set *names =
		PLM_SPAN(plan->pass->st, plan->workload->pod_sets, struct plm_pod_set, &sets);
	struct plm_slice name = plm_sched_text(&plan->pass->sched, names[set].name);

	PLM_ASSERT(set < sets);
	for (uint32_t i = 0; i < plan->count; i++) {
		struct plm_w_place *place = &plan->places[i];

		if (plm_slice_equal(place->target, target) &&
		    plm_slice_equal(place->pod_set, name)) {
			place->count++;
			return;
		}
	}
	plan->places[plan->count++] = (struct plm_w_place){
		.pod_set = name, .target = target, .claim = is_claim ? 1 : 0, .count = 1};
}

static void collect(struct plan *plan)
{
	const struct plm_pass *pass = plan->pass;

	for (uint32_t i = 0; i < pass->want_count; i++) {
		const struct plm_want *want = &pass->wants[i];

		if (want->place == PLM_WANT_SEAT) {
			const struct plm_seat *seat = &pass->seats[want->at];
			bool is_claim = seat->claim.n != 0;
			plm_sym name =
				is_claim ? plm_node_claim_at(pass->st, seat->claim)->object.name
					 : seat->name;

			add_place(plan, want->set, plm_sched_text(&pass->sched, name), is_claim);
		} else {
			add_place(plan, want->set, pass->claims[want->at]->name_text, true);
		}
	}
}

/* Does every claim find something that it may ask the cloud for? Else why not. */
static bool choose(struct plm_pass *pass, const struct plm_object *gang, struct plm_w_explain *why)
{
	for (uint32_t i = 0; i < pass->claim_count; i++) {
		if (plm_emit_choose(pass, pass->claims[i])) {
			continue;
		}
		plm_explain_unbought(pass, pass->claims[i], why);
		why->kind = gang->kind;
		why->ns = plm_sched_text(&pass->sched, gang->ns);
		why->name = plm_sched_text(&pass->sched, gang->name);
		why->reason = PLM_REASON_NO_CAPACITY;
		return false;
	}
	return true;
}

/* Claims in the order in which they were opened. */
static void emit_claims(struct plan *plan)
{
	struct plm_purpose purpose = {
		.workload = plan->id, .reason = PLM_REASON_PROVISIONED, .rule = PLM_RULE_GANG};

	for (uint32_t i = 0; i < plan->pass->claim_count; i++) {
		(void)plm_emit_claim(plan->pass, plan->pass->claims[i], i, &purpose, plan->out);
	}
}

static void emit_places(struct plan *plan)
{
	struct plm_pass *pass = plan->pass;
	struct plm_w_places *w = PLM_NEW(pass->arena, struct plm_w_places);

	plan->places = PLM_NEW_ARRAY(pass->arena, pass->want_count, struct plm_w_place);
	collect(plan);
	w->ns = plm_sched_text(&pass->sched, plan->workload->object.ns);
	w->name = plm_sched_text(&pass->sched, plan->workload->object.name);
	w->places = (struct plm_vec){plan->places, plan->count};
	w->deadline_ms = plm_add_sat(pass->now_ms, plm_root(pass->st)->gang_timeout_ms);
	w->why = (struct plm_w_explain){.kind = plan->workload->object.kind,
					.ns = w->ns,
					.name = w->name,
					.rule = pass->claim_count > 0 ? PLM_RULE_CHEAPEST
								      : PLM_RULE_EXISTING_NODE,
					.reason = PLM_REASON_WAITING_FOR_CAPACITY,
					.resource = plm_slice_str("pods"),
					.need = pass->want_count,
					.have = pass->want_count,
					.limit = pass->claim_count};
	(void)plm_out_add(plan->out, PLM_EV_PLACES, w, PLM_CAUSE_CYCLE);
}

/* ---- giving up --------------------------------------------------------------------------------- */

/* Nodes bought for the gang that did not come up yet are not needed by anyone. */
static void end_claims(const struct plm_sched *sched, const struct plm_object *gang,
		       enum plm_reason reason, uint32_t cause, struct plm_out *out)
{
	PLM_EACH(sched->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(sched->st, id);
		struct plm_w_claim_end *w = NULL;

		if (claim->phase >= PLM_CLAIM_JOINED || !plm_sym_equal(claim->for_ns, gang->ns) ||
		    !plm_sym_equal(claim->for_name, gang->name) || claim->object.seq != 0) {
			continue;
		}
		w = PLM_NEW(sched->arena, struct plm_w_claim_end);
		w->name = plm_sched_text(sched, claim->object.name);
		w->reason = reason;
		w->why = (struct plm_w_explain){.kind = PLM_KIND_NODE_CLAIM,
						.name = w->name,
						.rule = PLM_RULE_GANG,
						.reason = reason,
						.object = plm_sched_text(sched, gang->name),
						.need = PLM_UNSET,
						.have = PLM_UNSET,
						.limit = PLM_UNSET};
		(void)plm_out_add(out, PLM_EV_CLAIM_END, w, cause);
	}
}

static struct plm_slice first_flavor(const struct plm_sched *sched,
				     const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_assignment *sets =
		PLM_SPAN(sched->st, workload->assignments, struct plm_assignment, &count);
	uint32_t flavors = 0;
	const struct plm_kv *list =
		count == 0 ? NULL : PLM_SPAN(sched->st, sets[0].flavors, struct plm_kv, &flavors);

	return flavors == 0 ? plm_slice_of(NULL, 0) : plm_sched_text(sched, list[0].value);
}

static void release(const struct plm_sched *sched, plm_id id, const struct plm_w_explain *why,
		    struct plm_out *out)
{
	const struct plm_workload *workload = plm_workload_at(sched->st, id);
	struct plm_w_release *w = PLM_NEW(sched->arena, struct plm_w_release);
	uint32_t handle = 0;

	w->ns = plm_sched_text(sched, workload->object.ns);
	w->name = plm_sched_text(sched, workload->object.name);
	w->reason = PLM_REASON_NO_CAPACITY;
	w->requeued = 1;
	w->why = *why;
	w->why.flavor = first_flavor(sched, workload);
	handle = plm_out_add(out, PLM_EV_RELEASE, w, PLM_CAUSE_CYCLE);
	end_claims(sched, &workload->object, PLM_REASON_NO_CAPACITY, handle, out);
}

/* ---- deciding ---------------------------------------------------------------------------------- */

static void plan_gang(const struct plm_state *st, struct plm_arena *arena, plm_id id,
		      struct plm_out *out)
{
	struct plm_pass *pass = plm_pass_plan(st, arena, &(struct plm_demand){.workload = id});
	struct plan plan = {
		.pass = pass, .id = id, .workload = plm_workload_at(st, id), .out = out};
	struct plm_w_explain why = {0};

	if (plm_explain_gang(pass, id, &why, NULL) || !choose(pass, &plan.workload->object, &why)) {
		release(&pass->sched, id, &why, out);
		return;
	}
	emit_claims(&plan);
	emit_places(&plan);
}

static bool check_open(const struct plm_state *st, const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_RESERVED && workload->evicted_reason.n == 0 &&
	       workload->cluster_queue.n != 0 && plm_capacity_needed_held(st, workload) &&
	       !plm_tas_assigned(st, workload->assignments); /* its places are domains */
}

/* Its queue is gone, nothing will admit it, and its time is over: the nodes are not kept for it. */
static bool orphaned(const struct plm_state *st, const struct plm_workload *workload,
		     int64_t now_ms)
{
	uint32_t count = 0;

	(void)PLM_SPAN(st, workload->places, struct plm_place, &count);
	return workload->stage == PLM_STAGE_RESERVED && workload->evicted_reason.n == 0 &&
	       workload->cluster_queue.n == 0 && count > 0 &&
	       workload->places_deadline_ms != PLM_UNSET && workload->places_deadline_ms <= now_ms;
}

enum places_state {
	PLACES_NONE,
	PLACES_BROKEN,
	PLACES_COMING,
	PLACES_READY
};

/* Without any pod there is nothing to place. */
static bool has_pods(const struct plm_state *st, const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (sets[i].count > 0) {
			return true;
		}
	}
	return false;
}

static enum places_state look_at_places(const struct plm_state *st,
					const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_place *places = PLM_SPAN(st, workload->places, struct plm_place, &count);
	enum places_state state = count == 0 && has_pods(st, workload) ? PLACES_NONE : PLACES_READY;

	for (uint32_t i = 0; i < count; i++) {
		plm_id claim = {0};

		if (!plm_target_stands(st, places[i].target, places[i].claim != 0)) {
			return PLACES_BROKEN;
		}
		if (places[i].claim != 0) {
			claim = plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, places[i].target);
			if (plm_node_claim_at(st, claim)->phase != PLM_CLAIM_READY) {
				state = PLACES_COMING;
			}
		}
	}
	return state;
}

static struct plm_seat *seat_of(struct plm_pass *pass, const struct plm_place *place)
{
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		struct plm_seat *seat = &pass->seats[i];
		plm_sym name = place->claim != 0
				       ? plm_node_claim_at(pass->st, seat->claim)->object.name
				       : plm_node_at(pass->st, seat->node)->object.name;

		if (plm_sym_equal(name, place->target)) {
			return plm_seat_at(pass, i);
		}
	}
	return NULL;
}

/* What one pod of the set called 'name' asks for. */
static const int64_t *requests_of(const struct plm_pass *pass, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(pass->st, plm_workload_at(pass->st, pass->gang)->pod_sets,
			 struct plm_pod_set, &count);

	for (uint32_t i = 0; i < pass->shape_count; i++) {
		uint32_t set = pass->shapes[i].set;

		PLM_ASSERT(set > 0 && set <= count);
		if (plm_sym_equal(sets[set - 1].name, name)) {
			return pass->shapes[i].requests;
		}
	}
	return NULL;
}

/*
 * Are the reserved places still free? The scheduler knows nothing of them and may have bound a foreign
 * pod there; then the gang is planned anew rather than let in to wait (exact decisions 8).
 */
static bool places_free(const struct plm_state *st, struct plm_arena *arena, plm_id id)
{
	struct plm_pass *pass = PLM_NEW(arena, struct plm_pass);
	uint32_t count = 0;
	const struct plm_place *places =
		PLM_SPAN(st, plm_workload_at(st, id)->places, struct plm_place, &count);

	plm_pass_begin(pass, st, arena, &(struct plm_demand){.workload = id});
	for (uint32_t i = 0; i < count; i++) {
		struct plm_seat *seat = seat_of(pass, &places[i]);
		const int64_t *requests = requests_of(pass, places[i].pod_set);

		for (int64_t n = 0; n < places[i].count; n++) {
			if (seat == NULL || requests == NULL ||
			    !plm_res_fits(pass, requests, seat->left)) {
				return false;
			}
			plm_res_sub(pass, seat->left, requests);
		}
	}
	return true;
}

static void admit(const struct plm_sched *sched, const struct plm_workload *workload,
		  struct plm_out *out)
{
	struct plm_w_admit *w = PLM_NEW(sched->arena, struct plm_w_admit);

	w->ns = plm_sched_text(sched, workload->object.ns);
	w->name = plm_sched_text(sched, workload->object.name);
	w->why = (struct plm_w_explain){.kind = workload->object.kind,
					.ns = w->ns,
					.name = w->name,
					.rule = PLM_RULE_FITS,
					.reason = PLM_REASON_ADMITTED,
					.need = PLM_UNSET,
					.have = PLM_UNSET,
					.limit = PLM_UNSET};
	(void)plm_out_add(out, PLM_EV_ADMIT, w, PLM_CAUSE_CYCLE);
}

static void give_up_late(const struct plm_sched *sched, plm_id id, struct plm_out *out)
{
	const struct plm_workload *workload = plm_workload_at(sched->st, id);
	struct plm_w_explain why = {
		.kind = workload->object.kind,
		.ns = plm_sched_text(sched, workload->object.ns),
		.name = plm_sched_text(sched, workload->object.name),
		.rule = PLM_RULE_TIMEOUT,
		.reason = PLM_REASON_NO_CAPACITY,
		.need = PLM_UNSET,
		.have = PLM_UNSET,
		.limit = plm_root(sched->st)->gang_timeout_ms,
	};

	release(sched, id, &why, out);
}

/* True when something was said of this gang. */
static bool look_at_gang(const struct plm_sched *sched, plm_id id, int64_t now_ms,
			 struct plm_out *out)
{
	const struct plm_workload *workload = plm_workload_at(sched->st, id);

	switch (look_at_places(sched->st, workload)) {
	case PLACES_NONE:
	case PLACES_BROKEN:
		plan_gang(sched->st, sched->arena, id, out);
		return true;
	case PLACES_COMING:
		if (workload->places_deadline_ms != PLM_UNSET &&
		    workload->places_deadline_ms <= now_ms) {
			give_up_late(sched, id, out);
			return true;
		}
		return false;
	case PLACES_READY:
		if (!plm_checks_ready_held(sched->st, workload)) {
			return false;
		}
		if (places_free(sched->st, sched->arena, id)) {
			admit(sched, workload, out);
		} else {
			plan_gang(sched->st, sched->arena, id, out);
		}
		return true;
	}
	PLM_UNREACHABLE();
}

/* Who reserved first plans first; then by name. */
static bool before(const struct plm_state *st, plm_id a, plm_id b)
{
	const struct plm_workload *x = plm_workload_at(st, a);
	const struct plm_workload *y = plm_workload_at(st, b);
	int order = 0;

	if (x->priority != y->priority) {
		return x->priority > y->priority;
	}
	if (x->reserved_ms != y->reserved_ms) {
		return x->reserved_ms < y->reserved_ms;
	}
	if (x->object.created_ms != y->object.created_ms) {
		return x->object.created_ms < y->object.created_ms;
	}
	order = plm_sym_compare(st, x->object.ns, y->object.ns);
	if (order == 0) {
		order = plm_sym_compare(st, x->object.name, y->object.name);
	}
	return order < 0;
}

bool plm_gangs_step(const struct plm_state *st, struct plm_arena *arena, int64_t now_ms,
		    struct plm_out *out)
{
	struct plm_sched *sched = PLM_NEW(arena, struct plm_sched);
	plm_id next = {0};

	plm_sched_init(sched, st, arena);
	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_RESERVED), id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);
		enum places_state state = PLACES_NONE;

		if (orphaned(st, workload, now_ms)) {
			give_up_late(sched, id, out);
			return true;
		}
		if (!check_open(st, workload)) {
			continue;
		}
		state = look_at_places(st, workload);
		if (state == PLACES_NONE || state == PLACES_BROKEN) {
			next = next.n == 0 || before(st, id, next) ? id : next;
		} else if (look_at_gang(sched, id, now_ms, out)) {
			return true;
		}
	}
	return next.n != 0 && look_at_gang(sched, next, now_ms, out);
}

int64_t plm_gangs_due(const struct plm_state *st)
{
	int64_t due = PLM_UNSET;

	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_RESERVED), id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		/* What was due and stayed waits for something to happen, not for time. */
		if (workload->places.n != 0 && workload->stage == PLM_STAGE_RESERVED &&
		    workload->places_deadline_ms != PLM_UNSET &&
		    workload->places_deadline_ms > plm_root(st)->now_ms &&
		    (due == PLM_UNSET || workload->places_deadline_ms < due)) {
			due = workload->places_deadline_ms;
		}
	}
	return due;
}

/* ---- pods that have come ----------------------------------------------------------------------- */

/* Places of all gangs, with what is left of each. */
struct held_place {
	plm_id workload;
	const struct plm_place *place;
	int64_t left;
	struct plm_slice *pods;
	uint32_t pod_count;
};

struct held_places {
	struct held_place *list;
	uint32_t count;
};

static struct held_places collect_held(const struct plm_sched *sched)
{
	struct held_places held = {NULL, 0};
	uint32_t count = 0;

	PLM_EACH_MARKED(sched->st, PLM_MARKED(PLM_MARK_PLACES), id)
	{
		(void)PLM_SPAN(sched->st, plm_workload_at(sched->st, id)->places, struct plm_place,
			       &count);
		held.count += count;
	}
	held.list = PLM_NEW_ARRAY(sched->arena, held.count, struct held_place);
	held.count = 0;
	PLM_EACH_MARKED(sched->st, PLM_MARKED(PLM_MARK_PLACES), id)
	{
		const struct plm_place *places =
			PLM_SPAN(sched->st, plm_workload_at(sched->st, id)->places,
				 struct plm_place, &count);

		for (uint32_t i = 0; i < count; i++) {
			bool stands = plm_target_stands(sched->st, places[i].target,
							places[i].claim != 0);

			held.list[held.count++] =
				(struct held_place){.workload = id,
						    .place = &places[i],
						    .left = stands ? places[i].count : 0};
		}
	}
	return held;
}

/* Is the pod on the place's target, bound or expected? */
static bool stands_on(const struct plm_state *st, const struct plm_pod *pod,
		      const struct plm_place *place)
{
	plm_id claim = {0};

	if (pod->node.n == 0) {
		return plm_sym_equal(pod->target, place->target);
	}
	if (place->claim == 0) {
		return plm_sym_equal(pod->node, place->target);
	}
	claim = plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, place->target);
	return claim.n != 0 && plm_sym_equal(plm_node_claim_at(st, claim)->node, pod->node);
}

static void use_up(const struct plm_sched *sched, const struct held_places *held,
		   const struct plm_pod *pod)
{
	plm_sym set = {0};
	plm_id workload = plm_pod_gang(sched, pod, &set);

	for (uint32_t i = 0; workload.n != 0 && i < held->count; i++) {
		struct held_place *place = &held->list[i];

		if (place->workload.n == workload.n && place->left > 0 &&
		    plm_sym_equal(place->place->pod_set, set) &&
		    stands_on(sched->st, pod, place->place)) {
			place->left--;
			return;
		}
	}
}

static bool expects(const struct plm_sched *sched, const struct held_places *held, plm_id id)
{
	const struct plm_pod *pod = plm_pod_at(sched->st, id);
	plm_sym set = {0};
	plm_id workload = plm_pod_gang(sched, pod, &set);

	for (uint32_t i = 0; workload.n != 0 && i < held->count; i++) {
		struct held_place *place = &held->list[i];

		if (place->workload.n != workload.n || place->left <= 0 ||
		    !plm_sym_equal(place->place->pod_set, set)) {
			continue;
		}
		if (place->pods == NULL) {
			place->pods =
				PLM_NEW_ARRAY(sched->arena, (size_t)place->left, struct plm_slice);
		}
		place->pods[place->pod_count++] = plm_emit_key(sched, &pod->object);
		place->left--;
		return true;
	}
	return false;
}

static bool floats(const struct plm_sched *sched, const struct plm_pod *pod)
{
	return plm_pod_pending(sched, pod) &&
	       !plm_target_stands(sched->st, pod->target, pod->target_claim != 0);
}

bool plm_gangs_nominate(const struct plm_state *st, struct plm_arena *arena, struct plm_out *out)
{
	struct plm_sched *sched = PLM_NEW(arena, struct plm_sched);
	struct held_places held = {NULL, 0};
	bool any = false;

	plm_sched_init(sched, st, arena);
	held = collect_held(sched);
	if (held.count == 0) {
		return false;
	}
	PLM_EACH(st, pod, id)
	{
		if (plm_pod_holds(plm_pod_at(st, id)) && !floats(sched, plm_pod_at(st, id))) {
			use_up(sched, &held, plm_pod_at(st, id));
		}
	}
	PLM_EACH(st, pod, id)
	{
		if (floats(sched, plm_pod_at(st, id))) {
			any = expects(sched, &held, id) || any;
		}
	}
	for (uint32_t i = 0; i < held.count; i++) {
		struct plm_w_nominate *w = NULL;

		if (held.list[i].pod_count == 0) {
			continue;
		}
		w = PLM_NEW(arena, struct plm_w_nominate);
		w->target = plm_sched_text(sched, held.list[i].place->target);
		w->claim = held.list[i].place->claim;
		w->pods = (struct plm_vec){held.list[i].pods, held.list[i].pod_count};
		(void)plm_out_add(out, PLM_EV_NOMINATE, w, PLM_CAUSE_CYCLE);
	}
	return any;
}
