/* NodeClaim objects: how they are made, and what their status says. karpenter.md 1.2, 2.11, 2.13. */
#include "core/sort.h"
#include "reducers/disruption/candidate.h"
#include "reducers/provision/adopt.h"
#include "reducers/provision/codes.h"
#include "reducers/provision/emit.h"
#include "reducers/publish/node_objects.h"
#include "reducers/publish/print.h"
#include "reducers/status/claim_condition.h"

static struct plm_slice text(const struct plm_node_objects *o, plm_sym sym)
{
	return plm_sched_text(&o->sched, sym);
}

/* ---- made ---------------------------------------------------------------------------------------- */

static int by_text(const void *context, uint32_t a, uint32_t b)
{
	return plm_sched_compare(context, (plm_sym){a}, (plm_sym){b});
}

static struct plm_vec values_of(const struct plm_node_objects *o, plm_sym span, bool sorted)
{
	uint32_t count = 0;
	const plm_sym *from = PLM_SPAN(o->p->st, span, plm_sym, &count);
	struct plm_slice *out = PLM_NEW_ARRAY(o->p->arena, count, struct plm_slice);
	uint32_t *order = PLM_NEW_ARRAY(o->p->arena, count, uint32_t);

	for (uint32_t i = 0; i < count; i++) {
		order[i] = from[i].n;
	}
	if (sorted) {
		plm_sort(order, count, by_text, &o->sched, o->p->arena);
	}
	for (uint32_t i = 0; i < count; i++) {
		out[i] = text(o, (plm_sym){order[i]});
	}
	return (struct plm_vec){out, count};
}

/* The claim's requirements, with the types that it may become under their label. */
static struct plm_vec needs_of(const struct plm_node_objects *o, const struct plm_node_claim *claim)
{
	plm_sym type = o->sched.known[PLM_KNOWN_INSTANCE_TYPE];
	uint32_t count = 0;
	const struct plm_expr *from =
		PLM_SPAN(o->p->st, claim->requirements, struct plm_expr, &count);
	struct plm_w_claim_need *out =
		PLM_NEW_ARRAY(o->p->arena, (size_t)count + 1, struct plm_w_claim_need);
	int64_t least = PLM_UNSET;
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		int64_t min_values = from[i].min_values == 0 ? PLM_UNSET : from[i].min_values;

		if (plm_sym_equal(from[i].key, type) && claim->types.n != 0) {
			least = plm_max(least, min_values);
			continue;
		}
		out[used++] =
			(struct plm_w_claim_need){.key = text(o, from[i].key),
						  .op = from[i].op,
						  .values = values_of(o, from[i].values, false),
						  .min_values = min_values};
	}
	if (claim->types.n != 0) {
		out[used++] = (struct plm_w_claim_need){.key = text(o, type),
							.op = PLM_OP_IN,
							.values = values_of(o, claim->types, true),
							.min_values = least};
	}
	return (struct plm_vec){out, used};
}

/* Stamps by which drift is told: reducers/provision/adopt.h. Sorted by key. */
static struct plm_vec notes_of(const struct plm_node_objects *o, const struct plm_node_claim *claim)
{
	struct plm_w_kv *out = PLM_NEW_ARRAY(o->p->arena, 4, struct plm_w_kv);
	uint32_t count = 0;

	if (claim->class_hash.n != 0) {
		out[count++] = (struct plm_w_kv){plm_slice_str(PLM_CLASS_HASH),
						 text(o, claim->class_hash)};
		out[count++] = (struct plm_w_kv){plm_slice_str(PLM_CLASS_HASH "-version"),
						 plm_slice_str(PLM_HASH_VERSION)};
	}
	if (claim->pool_hash.n != 0) {
		out[count++] =
			(struct plm_w_kv){plm_slice_str(PLM_POOL_HASH), text(o, claim->pool_hash)};
		out[count++] = (struct plm_w_kv){plm_slice_str(PLM_POOL_HASH "-version"),
						 plm_slice_str(PLM_HASH_VERSION)};
	}
	return (struct plm_vec){out, count};
}

void plm_publish_claim_make(struct plm_node_objects *o, plm_id id, plm_id pool)
{
	const struct plm_node_claim *claim = plm_node_claim_at(o->p->st, id);
	bool template = claim->class_kind == PLM_KIND_NODE_TEMPLATE;
	struct plm_w_req_claim_create *request =
		PLM_NEW(o->p->arena, struct plm_w_req_claim_create);

	*request = (struct plm_w_req_claim_create){
		.name = text(o, claim->object.name),
		.pool = text(o, claim->pool),
		.pool_uid = text(o, plm_node_pool_at(o->p->st, pool)->object.uid),
		.class_group = plm_slice_str(template ? "karpenter.sh" : "karpenter.k8s.aws"),
		.class_kind = plm_slice_str(plm_names_text(
			&plm_names_kind, template ? PLM_KIND_NODE_TEMPLATE : PLM_KIND_NODE_CLASS)),
		.class_name = text(o, claim->class_name),
		.needs = needs_of(o, claim),
		.requests = plm_publish_amounts(o->p, claim->requests),
		.taints = plm_emit_taints(&o->sched, claim->taints),
		.startup_taints = plm_emit_taints(&o->sched, claim->startup_taints),
		.labels = plm_emit_kvs(&o->sched, claim->object.labels),
		.annotations = notes_of(o, claim),
		.expire_after_ms = claim->expire_ms,
		.grace_ms = claim->grace_ms,
	};
	plm_publish_ask(o->p, PLM_CALL_CLAIM_CREATE, &claim->object, request, 0);
}

/* ---- labels -------------------------------------------------------------------------------------- */

struct labels {
	struct plm_w_kv *list;
	uint32_t count;
};

/* What the claim says itself stands. */
static void put(const struct plm_node_objects *o, const struct plm_node_claim *claim, plm_sym key,
		plm_sym value, struct labels *to)
{
	plm_sym had = {0};

	if (value.n == 0 || plm_kv_get(o->p->st, claim->object.labels, key, &had)) {
		return;
	}
	for (uint32_t i = 0; i < to->count; i++) {
		if (plm_slice_equal(to->list[i].key, text(o, key))) {
			return;
		}
	}
	to->list[to->count++] = (struct plm_w_kv){text(o, key), text(o, value)};
}

static plm_sym zone_id(const struct plm_node_objects *o, const struct plm_node_claim *claim)
{
	plm_id id = plm_find(o->p->st, PLM_KIND_NODE_CLASS, (plm_sym){0}, claim->class_name);
	uint32_t count = 0;
	const struct plm_class_subnet *subnets =
		PLM_SPAN(o->p->st, plm_node_class_at(o->p->st, id)->subnets,
			 struct plm_class_subnet, &count);

	for (uint32_t i = 0; id.n != 0 && i < count; i++) {
		if (plm_sym_equal(subnets[i].zone, claim->zone)) {
			return subnets[i].zone_id;
		}
	}
	return (plm_sym){0};
}

/* What its instance turned out to be: where, at what price, and what its type says in one value. */
static struct plm_vec labels_of(const struct plm_node_objects *o,
				const struct plm_node_claim *claim)
{
	plm_id type = plm_index_find(o->p->st, PLM_KEY_INSTANCE_TYPE, claim->instance_type.n, 0);
	uint32_t count = 0;
	const struct plm_expr *exprs =
		PLM_SPAN(o->p->st, plm_instance_type_at(o->p->st, type)->requirements,
			 struct plm_expr, &count);
	struct labels to = {PLM_NEW_ARRAY(o->p->arena, (size_t)count + 5, struct plm_w_kv), 0};

	put(o, claim, o->sched.known[PLM_KNOWN_ZONE], claim->zone, &to);
	put(o, claim, o->sched.known[PLM_KNOWN_ZONE_ID], zone_id(o, claim), &to);
	put(o, claim, o->sched.known[PLM_KNOWN_CAPACITY_TYPE], claim->capacity_type, &to);
	put(o, claim, o->sched.known[PLM_KNOWN_RESERVATION_ID], claim->reservation, &to);
	put(o, claim, o->sched.known[PLM_KNOWN_INSTANCE_TYPE], claim->instance_type, &to);
	for (uint32_t i = 0; type.n != 0 && i < count; i++) {
		uint32_t values = 0;
		const plm_sym *list = PLM_SPAN(o->p->st, exprs[i].values, plm_sym, &values);

		if (exprs[i].op == PLM_OP_IN && values == 1) {
			put(o, claim, exprs[i].key, list[0], &to);
		}
	}
	return (struct plm_vec){to.list, to.count};
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static struct plm_w_condition yes(const char *type, int64_t since_ms)
{
	return (struct plm_w_condition){
		.type = plm_slice_str(type), .status = plm_slice_str("True"), .since_ms = since_ms};
}

static struct plm_w_condition unknown(const char *type, const char *reason, const char *message,
				      int64_t since_ms)
{
	return (struct plm_w_condition){.type = plm_slice_str(type),
					.status = plm_slice_str("Unknown"),
					.reason = plm_slice_str(reason),
					.message = plm_slice_str(message),
					.since_ms = since_ms};
}

#define AWAITED "AwaitingReconciliation"
#define AWAITED_TEXT "object is awaiting reconciliation"

static struct plm_w_condition launched(const struct plm_node_objects *o,
				       const struct plm_node_claim *claim)
{
	struct plm_slice code = text(o, claim->launch_code);

	if (claim->provider_id.n != 0) {
		return yes("Launched", claim->launched_ms);
	}
	if (code.size > 0) {
		struct plm_w_condition failed =
			unknown("Launched", plm_launch_code(code, (struct plm_slice){0})->reason,
				"", claim->decided_ms);

		failed.message = code;
		return failed;
	}
	return unknown("Launched", AWAITED, AWAITED_TEXT, claim->decided_ms);
}

static struct plm_w_condition registered(const struct plm_node_claim *claim)
{
	if (claim->registered_ms != PLM_UNSET) {
		return yes("Registered", claim->registered_ms);
	}
	if (claim->provider_id.n != 0) {
		return unknown("Registered", "NodeNotFound", "Node not registered with cluster",
			       claim->decided_ms);
	}
	return unknown("Registered", AWAITED, AWAITED_TEXT, claim->decided_ms);
}

static struct plm_w_condition initialized(const struct plm_node_objects *o,
					  const struct plm_node_claim *claim)
{
	plm_id node = claim->node.n == 0
			      ? (plm_id){0}
			      : plm_find(o->p->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);

	if (claim->initialized_ms != PLM_UNSET) {
		return yes("Initialized", claim->initialized_ms);
	}
	if (claim->provider_id.n == 0) {
		return unknown("Initialized", AWAITED, AWAITED_TEXT, claim->decided_ms);
	}
	if (node.n == 0) {
		return unknown("Initialized", "NodeNotFound", "Node not registered with cluster",
			       claim->decided_ms);
	}
	if (plm_node_at(o->p->st, node)->ready == 0) {
		return unknown("Initialized", "NodeNotReady", "Node status is NotReady",
			       claim->decided_ms);
	}
	return unknown("Initialized", AWAITED, AWAITED_TEXT, claim->decided_ms);
}

/* Nobody has moved on its node for as long as the pool asks; the condition goes when somebody does. */
static void add_consolidatable(const struct plm_node_objects *o, const struct plm_node_claim *claim,
			       struct plm_said_conditions *said)
{
	plm_id node = claim->node.n == 0
			      ? (plm_id){0}
			      : plm_find(o->p->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);
	int64_t from_ms = node.n == 0 ? PLM_UNSET : plm_consolidatable_ms(o->p->st, node);
	struct plm_w_condition condition = yes("Consolidatable", from_ms);

	if (from_ms == PLM_UNSET || from_ms > o->p->now_ms || claim->initialized_ms == PLM_UNSET) {
		condition.status = (struct plm_slice){0};
	}
	plm_said_add(said, &condition);
}

static struct plm_vec conditions_of(const struct plm_node_objects *o,
				    const struct plm_node_claim *claim)
{
	struct plm_said_conditions said = plm_said_new(o->p, claim->object.generation);
	struct plm_claim_conditions leaving;
	struct plm_w_condition first[] = {launched(o, claim), registered(claim),
					  initialized(o, claim)};

	for (size_t i = 0; i < PLM_COUNTOF(first); i++) {
		plm_said_add(&said, &first[i]);
	}
	add_consolidatable(o, claim, &said);
	plm_status_claim_conditions(claim, &leaving);
	for (uint32_t i = 0; i < leaving.count; i++) {
		struct plm_w_condition condition =
			yes(leaving.list[i].type, leaving.list[i].since_ms);

		condition.status = plm_slice_str(leaving.list[i].status);
		condition.reason = plm_slice_str(leaving.list[i].reason);
		plm_said_add(&said, &condition);
	}
	plm_said_ready(o->p, &said, PLM_COUNTOF(first));
	return plm_said_list(&said);
}

/* ---- status -------------------------------------------------------------------------------------- */

void plm_publish_claim(struct plm_node_objects *o, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(o->p->st, id);
	struct plm_w_req_claim_status *request =
		PLM_NEW(o->p->arena, struct plm_w_req_claim_status);
	uint64_t print = PLM_PRINT_BASIS;

	*request = (struct plm_w_req_claim_status){
		.name = text(o, claim->object.name),
		.uid = text(o, claim->object.uid),
		.provider_id = text(o, claim->provider_id),
		.node = text(o, claim->registered_ms == PLM_UNSET ? (plm_sym){0} : claim->node),
		.image = text(o, claim->image),
		.capacity = plm_publish_amounts(o->p, claim->capacity),
		.allocatable = plm_publish_amounts(o->p, claim->allocatable),
		.conditions = conditions_of(o, claim),
		.last_pod_ms = claim->last_pod_event_ms,
	};
	print = plm_print_text(print, request->provider_id);
	print = plm_print_text(print, request->node);
	print = plm_print_text(print, request->image);
	print = plm_publish_amounts_print(print, request->capacity);
	print = plm_publish_amounts_print(print, request->allocatable);
	print = plm_said_print(print, request->conditions);
	if (print == claim->written_print) {
		return;
	}
	if (claim->provider_id.n != 0) {
		request->labels = labels_of(o, claim);
	}
	plm_publish_ask(o->p, PLM_CALL_CLAIM_STATUS, &claim->object, request, print);
}
