/*
 * What events mean for the catalogue, claims, places and expectations.
 *
 * The cluster area has folded facts into their tables before this runs (GONE and RESULT: after), so this
 * file maintains only members that tables.h marks as ours. Sources: karpenter.md 2.12, 2.13.
 */
#include "core/integration.h"
#include "core/limits.h"
#include "core/sort.h"
#include "reducers/area.h"
#include "reducers/cluster/parts.h"
#include "reducers/disruption/drain.h"
#include "reducers/provision/adopt.h"
#include "reducers/provision/capacity.h"
#include "reducers/provision/claims.h"
#include "reducers/provision/life.h"
#include "reducers/provision/orphan.h"
#include "reducers/provision/pass.h"
#include "reducers/provision/retry.h"
#include "reducers/provision/stock.h"

/* An event being folded. */
struct folding {
	struct plm_fold f;
	struct plm_state *st;
	const struct plm_event *ev;
	int64_t now_ms;
};

/* ---- catalogue --------------------------------------------------------------------------------- */

struct type_names {
	const struct plm_w_instance_type *types;
};

static int by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct type_names *in = context;
	int order = plm_slice_compare(in->types[a].name, in->types[b].name);

	return order != 0 ? order : (a < b ? -1 : (a > b ? 1 : 0));
}

static struct plm_expr one_value(const struct folding *in, const char *key, plm_sym value)
{
	struct plm_expr expr = {
		.key = plm_intern(in->st, plm_slice_str(key)),
		.op = value.n != 0 ? PLM_OP_IN : PLM_OP_DOES_NOT_EXIST,
	};

	if (value.n != 0) {
		expr.values = plm_intern_span(in->st, &value, 1, sizeof(value));
	}
	return expr;
}

static void put_expr(struct plm_expr *list, uint32_t *count, const struct plm_expr *expr)
{
	for (uint32_t i = 0; i < *count; i++) {
		if (plm_sym_equal(list[i].key, expr->key)) {
			return;
		}
	}
	list[(*count)++] = *expr;
}

/* All that an offering requires: its members as requirements, then those that it has besides. */
static plm_sym offering_reqs(const struct folding *in, const struct plm_w_offering *w)
{
	uint32_t extra = 0;
	plm_sym span = plm_fold_exprs(&in->f, w->requirements);
	const struct plm_expr *more = PLM_SPAN(in->st, span, struct plm_expr, &extra);
	struct plm_expr *list = PLM_NEW_ARRAY(in->f.scratch, extra + 5, struct plm_expr);
	uint32_t count = 0;
	struct plm_expr expr =
		one_value(in, "topology.kubernetes.io/zone", plm_intern(in->st, w->zone));

	put_expr(list, &count, &expr);
	expr = one_value(in, "karpenter.sh/capacity-type", plm_intern(in->st, w->capacity_type));
	put_expr(list, &count, &expr);
	expr = one_value(in, "karpenter.k8s.aws/capacity-reservation-id",
			 plm_intern(in->st, w->reservation));
	put_expr(list, &count, &expr);
	/* The heap may have moved on, but it never moves: 'more' stays valid. */
	for (uint32_t i = 0; i < extra; i++) {
		put_expr(list, &count, &more[i]);
	}
	if (w->reservation.size == 0) {
		expr = one_value(in, "karpenter.k8s.aws/capacity-reservation-type", (plm_sym){0});
		put_expr(list, &count, &expr);
		expr = one_value(in, "karpenter.k8s.aws/capacity-reservation-interruptible",
				 (plm_sym){0});
		put_expr(list, &count, &expr);
	}
	return plm_intern_span(in->st, list, count, sizeof(*list));
}

static plm_sym fold_offerings(const struct folding *in, struct plm_vec offerings)
{
	const struct plm_w_offering *from = offerings.ptr;
	size_t mark = plm_arena_mark(in->f.scratch);
	struct plm_offering *list =
		PLM_NEW_ARRAY(in->f.scratch, offerings.count, struct plm_offering);
	plm_sym span = {0};

	for (size_t i = 0; i < offerings.count; i++) {
		list[i] = (struct plm_offering){
			.zone = plm_intern(in->st, from[i].zone),
			.capacity_type = plm_intern(in->st, from[i].capacity_type),
			.reservation = plm_intern(in->st, from[i].reservation),
			.available = from[i].available == 1,
			.requirements = offering_reqs(in, &from[i]),
			.estimated = from[i].estimated == 1,
			.price_micro = from[i].price_micro,
			.reserved_left = from[i].reserved_left,
		};
	}
	span = plm_intern_span(in->st, list, offerings.count, sizeof(*list));
	plm_arena_rewind(in->f.scratch, mark);
	return span;
}

static void forget_types(struct plm_state *st)
{
	plm_id id = plm_instance_type_next(st, (plm_id){0});

	while (id.n != 0) {
		plm_id next = plm_instance_type_next(st, id);

		plm_index_drop(st, PLM_KEY_INSTANCE_TYPE, plm_instance_type_at(st, id)->name.n, 0);
		plm_slot_free(st, PLM_TABLE_INSTANCE_TYPE, id);
		id = next;
	}
}

/* Facts from which nothing can follow count as none. */
static struct plm_type_facts type_facts(const struct plm_w_instance_type *type)
{
	struct plm_type_facts facts = {0};

	if (type->facts.count == 1) {
		facts = plm_ec2_facts_of(type->facts.ptr);
	}
	if (facts.vcpu <= 0 || facts.vcpu > INT32_MAX || facts.reserved_mib < 0 ||
	    facts.memory_mib <= facts.reserved_mib || facts.memory_mib > INT32_MAX) {
		facts = (struct plm_type_facts){0};
	}
	return facts;
}

static void fold_type(const struct folding *in, plm_id id, const struct plm_w_instance_type *type)
{
	plm_sym requirements = plm_fold_exprs(&in->f, type->requirements);
	plm_sym capacity = plm_fold_amounts(&in->f, type->capacity);
	plm_sym allocatable = plm_fold_amounts(&in->f, type->allocatable);
	plm_sym offerings = fold_offerings(in, type->offerings);
	struct plm_instance_type *slot = plm_instance_type_edit(in->st, id);

	slot->requirements = requirements;
	slot->capacity = capacity;
	slot->allocatable = allocatable;
	slot->offerings = offerings;
	slot->facts = type_facts(type);
}

/* Slots in order of name, so that "then by name" is "then by slot" everywhere. */
static void fold_all_types(const struct folding *in, const struct plm_w_catalog *w)
{
	const struct plm_w_instance_type *types = w->types.ptr;
	uint32_t count = (uint32_t)w->types.count;
	uint32_t *order = PLM_NEW_ARRAY(in->f.scratch, count, uint32_t);

	forget_types(in->st);
	for (uint32_t i = 0; i < count; i++) {
		order[i] = i;
	}
	plm_sort(order, count, by_name, &(struct type_names){types}, in->f.scratch);
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_w_instance_type *type = &types[order[i]];
		plm_sym name = plm_intern(in->st, type->name);
		plm_id id = plm_slot_new(in->st, PLM_TABLE_INSTANCE_TYPE);

		plm_instance_type_edit(in->st, id)->name = name;
		plm_index_put(in->st, PLM_KEY_INSTANCE_TYPE, name.n, 0, id);
		fold_type(in, id, type);
	}
}

/* A part names types that are there; one that is not came without the whole that it belongs to. */
static void fold_some_types(const struct folding *in, const struct plm_w_catalog *w)
{
	const struct plm_w_instance_type *types = w->types.ptr;

	for (size_t i = 0; i < w->types.count; i++) {
		plm_sym name = plm_sym_find(in->st, types[i].name);
		plm_id id = name.n == 0 ? (plm_id){0}
					: plm_index_find(in->st, PLM_KEY_INSTANCE_TYPE, name.n, 0);

		if (id.n != 0) {
			fold_type(in, id, &types[i]);
		}
	}
}

static void fold_catalog(const struct folding *in, const struct plm_w_catalog *w)
{
	if (w->part != 1) {
		fold_all_types(in, w);
	} else if (plm_slice_equal(plm_str(in->st, plm_root(in->st)->catalog_region), w->region)) {
		fold_some_types(in, w);
	} else {
		return; /* of another region than what is here */
	}
	plm_root_change(in->st)->catalog_region = plm_intern(in->st, w->region);
	plm_root_change(in->st)->catalog_ms = in->now_ms;
}

/* ---- decisions --------------------------------------------------------------------------------- */

static plm_id find_claim(const struct folding *in, struct plm_slice name)
{
	return plm_find(in->st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, plm_sym_find(in->st, name));
}

static void fold_claim(const struct folding *in, const struct plm_w_claim *w)
{
	plm_sym name = plm_intern(in->st, w->name);
	plm_id id = find_claim(in, w->name);
	struct plm_node_claim *claim = NULL;

	plm_root_change(in->st)->claims_made++;
	if (id.n == 0) {
		id = plm_slot_new_object(in->st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, name);
	}
	claim = plm_node_claim_edit(in->st, id);
	claim->object.created_ms = in->now_ms;
	claim->object.labels = plm_fold_kvs(&in->f, w->labels);
	claim->pool = plm_fold_text(&in->f, w->pool);
	claim->class_name = plm_fold_text(&in->f, w->class_name);
	claim->requirements = plm_fold_exprs(&in->f, w->requirements);
	claim->requests = plm_fold_amounts(&in->f, w->requests);
	claim->taints = plm_fold_taints(&in->f, w->taints);
	claim->startup_taints = plm_fold_taints(&in->f, w->startup_taints);
	claim->types = plm_fold_texts(&in->f, w->types);
	claim->launched_ms = PLM_UNSET;
	claim->registered_ms = PLM_UNSET;
	claim->initialized_ms = PLM_UNSET;
	claim->consolidatable_ms = PLM_UNSET;
	claim->drifted_ms = PLM_UNSET;
	claim->grace_ms = PLM_UNSET;
	claim->expire_ms = w->expire_ms;
	claim->grace_ms = w->grace_ms;
	claim->interrupted_ms = 0;
	claim->ended_ms = 0;
	claim->last_pod_event_ms = PLM_UNSET;
	claim->blocked_until_ms = PLM_UNSET;
	claim->phase = PLM_CLAIM_WANTED;
	claim->price_micro = w->price_micro;
	claim->decided_ms = in->now_ms;
	claim->for_ns = plm_fold_text(&in->f, w->for_ns);
	claim->for_name = plm_fold_text(&in->f, w->for_name);
	claim->why = plm_fold_why(&in->f, &w->why, in->ev->seq);
	claim->class_kind = (uint32_t)w->class_kind;
	claim->pool_hash = plm_fold_text(&in->f, w->pool_hash);
	claim->class_hash = plm_fold_text(&in->f, w->class_hash);
	claim->registering_ms = PLM_UNSET;
	plm_adopt_begin(in->st, id, in->now_ms);
}

static void fold_claim_end(const struct folding *in, const struct plm_w_claim_end *w)
{
	plm_id id = find_claim(in, w->name);
	struct plm_node_claim *claim = NULL;
	int64_t from_ms = in->now_ms;

	if (id.n == 0) {
		return;
	}
	if (w->hold_whole == 1) { /* decided early: the grace period runs from the end itself */
		from_ms = plm_max(from_ms, w->hold_until_ms);
	}
	claim = plm_node_claim_edit(in->st, id);
	claim->phase = PLM_CLAIM_ENDING;
	claim->end_reason = (uint32_t)w->reason;
	claim->ended_ms = in->now_ms;
	claim->hold_until_ms = w->hold_until_ms;
	claim->hold_whole = w->hold_whole == 1;
	claim->why = plm_fold_why(&in->f, &w->why, in->ev->seq);
	plm_drain_begin(in->st, id, w->forced == 1, from_ms);
	if (w->reason == PLM_REASON_LAUNCH_FAILED || w->reason == PLM_REASON_REGISTRATION_TIMEOUT ||
	    w->reason == PLM_REASON_NODE_CLASS_NOT_READY) {
		plm_life_outcome(in->st, id, false);
	}
	plm_claim_settle(in->st, id);
	plm_root_change(in->st)->nodes_dirty = 1;
}

static void fold_claim_note(const struct folding *in, const struct plm_w_claim_note *w)
{
	plm_id id = find_claim(in, w->name);
	struct plm_node_claim *claim = NULL;

	if (id.n == 0) {
		return;
	}
	claim = plm_node_claim_edit(in->st, id);
	if (w->reason == PLM_REASON_UNREGISTERED_TAINT_MISSING) {
		claim->noted |= PLM_NOTED_NO_TAINT;
	} else if (w->reason == PLM_REASON_FAILED_CONSISTENCY_CHECK) {
		claim->noted |= PLM_NOTED_INCONSISTENT;
	} else {
		claim->noted &= ~(uint32_t)PLM_NOTED_INCONSISTENT;
	}
}

/* The pod named "ns/name". */
static plm_id pod_of_key(const struct plm_state *st, struct plm_slice key)
{
	size_t at = 0;

	while (at < key.size && key.ptr[at] != '/') {
		at++;
	}
	if (at == key.size) {
		return (plm_id){0};
	}
	return plm_find(st, PLM_KIND_POD, plm_sym_find(st, plm_slice_of(key.ptr, at)),
			plm_sym_find(st, plm_slice_of(key.ptr + at + 1, key.size - at - 1)));
}

/* Whom a claim was bought for, before its pods have come and gone. */
static void keep_story(const struct folding *in, plm_id id, struct plm_vec pods)
{
	const struct plm_slice *names = pods.ptr;
	plm_sym list[PLM_LIMIT_CLAIM_STORY];
	uint32_t count = 0;
	const plm_sym *had = NULL;

	if (id.n == 0) {
		return;
	}
	had = PLM_SPAN(in->st, plm_node_claim_at(in->st, id)->bought_for, plm_sym, &count);
	PLM_ASSERT(count <= PLM_LIMIT_CLAIM_STORY);
	if (count > 0) {
		memcpy(list, had, count * sizeof(*list));
	}
	for (size_t i = 0; i < pods.count && count < PLM_LIMIT_CLAIM_STORY; i++) {
		list[count++] = plm_intern(in->st, names[i]);
	}
	plm_node_claim_edit(in->st, id)->bought_for =
		plm_intern_span(in->st, list, count, sizeof(*list));
	plm_node_claim_edit(in->st, id)->bought_pods += (uint32_t)pods.count;
}

static void fold_nominate(const struct folding *in, const struct plm_w_nominate *w)
{
	const struct plm_slice *pods = w->pods.ptr;
	plm_sym target = plm_intern(in->st, w->target);

	for (size_t i = 0; i < w->pods.count; i++) {
		plm_id id = pod_of_key(in->st, pods[i]);

		if (id.n != 0) {
			struct plm_pod *pod = plm_pod_edit(in->st, id);

			pod->target = target;
			pod->target_claim = w->claim == 1;
			pod->why = (struct plm_why){0};
		}
	}
	if (w->claim == 1) {
		keep_story(in, find_claim(in, w->target), w->pods);
	}
}

static plm_id find_workload(const struct folding *in, struct plm_slice ns, struct plm_slice name)
{
	return plm_find(in->st, PLM_KIND_WORKLOAD, plm_sym_find(in->st, ns),
			plm_sym_find(in->st, name));
}

static void fold_places(const struct folding *in, const struct plm_w_places *w)
{
	plm_id id = find_workload(in, w->ns, w->name);
	const struct plm_w_place *from = w->places.ptr;
	struct plm_place *list = NULL;

	if (id.n == 0) {
		return;
	}
	list = PLM_NEW_ARRAY(in->f.scratch, w->places.count, struct plm_place);
	for (size_t i = 0; i < w->places.count; i++) {
		list[i].pod_set = plm_intern(in->st, from[i].pod_set);
		list[i].target = plm_intern(in->st, from[i].target);
		list[i].claim = from[i].claim == 1;
		list[i].count = from[i].count;
	}
	plm_workload_edit(in->st, id)->places =
		plm_intern_span(in->st, list, w->places.count, sizeof(*list));
	plm_workload_edit(in->st, id)->places_deadline_ms = w->deadline_ms;
}

static void drop_places(struct plm_state *st, plm_id id)
{
	if (id.n != 0 && plm_workload_at(st, id)->places.n != 0) {
		plm_workload_edit(st, id)->places = (plm_sym){0};
		plm_workload_edit(st, id)->places_deadline_ms = PLM_UNSET;
		plm_root_change(st)->nodes_dirty = 1;
	}
}

static void fold_explained(const struct folding *in, const struct plm_w_explained *w)
{
	plm_sym ns = plm_sym_find(in->st, w->why.ns);
	plm_sym name = plm_sym_find(in->st, w->why.name);
	plm_id id = plm_find(in->st, (enum plm_kind)w->why.kind, ns, name);
	struct plm_why why = plm_fold_why(&in->f, &w->why, in->ev->seq);

	if (id.n != 0 && w->why.kind == PLM_KIND_POD) {
		struct plm_pod *pod = plm_pod_edit(in->st, id);

		/* It has no place, so it is expected nowhere: not where it was before, either. */
		pod->why = why;
		pod->target = (plm_sym){0};
		pod->target_claim = 0;
	} else if (id.n != 0 && w->why.kind == PLM_KIND_NODE_CLAIM) {
		plm_node_claim_edit(in->st, id)->why = why;
	}
}

static void fold_decision(const struct folding *in)
{
	const void *w = in->ev->payload;

	switch ((uint32_t)in->ev->type) {
	case PLM_EV_CLAIM:
		fold_claim(in, w);
		break;
	case PLM_EV_CLAIM_END:
		fold_claim_end(in, w);
		break;
	case PLM_EV_DRAIN:
		plm_drain_fold(in->st, &in->f, w, in->ev);
		break;
	case PLM_EV_NOMINATE:
		fold_nominate(in, w);
		break;
	case PLM_EV_PLACES:
		fold_places(in, w);
		break;
	case PLM_EV_RELEASE: {
		const struct plm_w_release *release = w;

		drop_places(in->st, find_workload(in, release->ns, release->name));
		break;
	}
	case PLM_EV_EXPLAINED:
		fold_explained(in, w);
		break;
	case PLM_EV_CLAIM_NOTE:
		fold_claim_note(in, w);
		break;
	case PLM_EV_ORPHAN:
		plm_orphan_fold(in->st, w);
		break;
	default:
		break;
	}
}

/* ---- facts ------------------------------------------------------------------------------------- */

/* A gang that is over needs no places. */
static void fold_work(const struct folding *in, plm_id workload)
{
	if (workload.n != 0 && plm_workload_at(in->st, workload)->stage == PLM_STAGE_FINISHED) {
		drop_places(in->st, workload);
	}
}

static void fold_job_fact(const struct folding *in, const struct plm_w_job *w)
{
	plm_id id = plm_find(in->st, plm_job_kind(w->kind), plm_sym_find(in->st, w->meta.ns),
			     plm_sym_find(in->st, w->meta.name));

	fold_work(in, id.n == 0 ? id : plm_job_at(in->st, id)->workload_id);
}

/* A pod that stands where it was expected, or elsewhere, is expected nowhere any more. */
static void fold_pod_fact(const struct folding *in, const struct plm_w_pod *w)
{
	plm_id id = plm_find(in->st, PLM_KIND_POD, plm_sym_find(in->st, w->meta.ns),
			     plm_sym_find(in->st, w->meta.name));
	const struct plm_pod *pod = plm_pod_at(in->st, id);

	if (id.n != 0 && pod->object.owner_uid.n != 0) { /* the last pod of a PodSet ends it */
		plm_id job = plm_job_above(in->st, pod->object.owner_uid);

		fold_work(in, job.n == 0 ? job : plm_job_at(in->st, job)->workload_id);
	}
	if (id.n == 0 || pod->node.n == 0 || (pod->target.n == 0 && pod->why.seq == 0) ||
	    !plm_target_stands(in->st, pod->node, false)) {
		return;
	}
	plm_pod_edit(in->st, id)->target = (plm_sym){0};
	plm_pod_edit(in->st, id)->target_claim = 0;
	plm_pod_edit(in->st, id)->why = (struct plm_why){0};
}

/* The clock moves on: what became due by itself. A window that closes lets this cycle plan its pods. */
static void fold_cycle(const struct folding *in, const struct plm_w_cycle *w)
{
	int64_t due = plm_batch_due(in->st);

	if (due != PLM_UNSET && due <= w->now_ms) {
		plm_root_change(in->st)->batch_opened_ms = PLM_UNSET;
		plm_root_change(in->st)->batch_touched_ms = PLM_UNSET;
	}
	plm_stock_expire(in->st, w->now_ms);
	plm_retry_expire(in->st, w->now_ms);
	PLM_EACH(in->st, node, n)
	{
		const struct plm_node *node = plm_node_at(in->st, n);

		if (node->pods == 0 && node->empty_since_ms == PLM_UNSET) {
			plm_node_edit(in->st, n)->empty_since_ms = w->now_ms;
		} else if (node->pods > 0 && node->empty_since_ms != PLM_UNSET) {
			plm_node_edit(in->st, n)->empty_since_ms = PLM_UNSET;
		}
	}
}

static void fold_gone(const struct folding *in, const struct plm_w_gone *w)
{
	plm_sym name = plm_sym_find(in->st, w->name);
	plm_id node = {0};

	if (w->kind != PLM_KIND_NODE || name.n == 0) {
		return;
	}
	node = plm_find(in->st, PLM_KIND_NODE, (plm_sym){0}, name);
	if (node.n != 0 && plm_node_at(in->st, node)->claim.n != 0) {
		plm_drain_node_gone(in->st, plm_node_at(in->st, node)->claim);
		plm_claim_node_gone(in->st, plm_node_at(in->st, node)->claim, in->now_ms);
	}
}

static void fold_intent(const struct folding *in, const struct plm_w_intent *w)
{
	plm_id id = {0};

	plm_drain_told(in->st,
		       &(struct plm_drain_asked){(enum plm_call)w->call, (enum plm_kind)w->kind,
						 plm_sym_find(in->st, w->name)},
		       true, in->now_ms);
	if (w->call == PLM_CALL_NODE_TAINT) {
		plm_claim_cordon(in->st, plm_sym_find(in->st, w->name), true);
	}
	plm_adopt_asked(in->st, w);
	plm_retry_asked(in->st, w);
	if (w->call != PLM_CALL_LAUNCH) {
		return;
	}
	id = find_claim(in, w->name);
	if (id.n != 0) {
		plm_node_claim_edit(in->st, id)->intent = in->ev->seq;
	}
}

static void fold_other(const struct folding *in)
{
	const void *w = in->ev->payload;

	switch ((uint32_t)in->ev->type) {
	case PLM_EV_GENESIS:
		plm_known_intern(in->st);
		break;
	case PLM_EV_CYCLE:
		fold_cycle(in, w);
		break;
	case PLM_EV_CATALOG:
		fold_catalog(in, w);
		break;
	case PLM_EV_GONE:
		fold_gone(in, w);
		break;
	case PLM_EV_EPOCH:
		plm_adopt_fold_epoch(in->st);
		break;
	case PLM_EV_LISTED:
		plm_adopt_fold_listed(in->st, &in->f, w, in->now_ms);
		break;
	case PLM_EV_REACH: {
		const struct plm_w_reach *reach = w;

		plm_life_away(in->st, (enum plm_source)reach->source, reach->away == 1, in->now_ms);
		break;
	}
	case PLM_EV_INTENT:
		fold_intent(in, w);
		break;
	case PLM_EV_RESULT:
		if (!plm_retry_holds(in->st, w, in->now_ms)) {
			plm_claim_fold_result(in->st, &in->f, w, in->now_ms);
		}
		break;
	case PLM_EV_INSTANCE:
		plm_orphan_fold_instance(in->st, &in->f, w, in->now_ms);
		break;
	default:
		break;
	}
}

static void fold_fact(const struct folding *in)
{
	const void *w = in->ev->payload;

	switch ((uint32_t)in->ev->type) {
	case PLM_EV_NODE: {
		const struct plm_w_node *node = w;
		plm_id id = plm_find(in->st, PLM_KIND_NODE, (plm_sym){0},
				     plm_sym_find(in->st, node->meta.name));

		plm_claim_join(in->st, id, in->now_ms);
		plm_drain_see_node(in->st, id);
		plm_capacity_see(in->st, id);
		break;
	}
	case PLM_EV_NODE_CLAIM: {
		const struct plm_w_node_claim *claim = w;

		plm_adopt_fold_claim(in->st, find_claim(in, claim->meta.name));
		plm_claim_join_by_claim(in->st, find_claim(in, claim->meta.name), in->now_ms);
		break;
	}
	case PLM_EV_POD:
		fold_pod_fact(in, w);
		break;
	case PLM_EV_JOB:
		fold_job_fact(in, w);
		break;
	case PLM_EV_WORKLOAD: {
		const struct plm_w_workload *workload = w;

		fold_work(in, find_workload(in, workload->meta.ns, workload->meta.name));
		break;
	}
	default:
		break;
	}
}

void plm_provision_apply(struct plm_state *st, const struct plm_event *ev,
			 struct plm_arena *scratch)
{
	struct folding in = {
		.f = {st, scratch},
		.st = st,
		.ev = ev,
		.now_ms = (int64_t)ev->tick_ms,
	};

	fold_decision(&in);
	fold_fact(&in);
	fold_other(&in);
	plm_batch_touch(st, ev, in.now_ms);
}
