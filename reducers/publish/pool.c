/* The status of NodePools: what their nodes sum up to, and whether they can be used. karpenter.md 1.1. */
#include "reducers/provision/class_use.h"
#include "reducers/provision/life.h"
#include "reducers/publish/node_objects.h"
#include "reducers/publish/print.h"

/* ---- what its nodes sum up to -------------------------------------------------------------------- */

struct sum {
	struct plm_w_amount *list;
	uint32_t count, room;
};

static void add(struct plm_arena *arena, struct sum *sum, struct plm_slice resource, int64_t amount)
{
	uint32_t at = 0;

	while (at < sum->count && plm_slice_compare(sum->list[at].resource, resource) < 0) {
		at++;
	}
	if (at == sum->count || !plm_slice_equal(sum->list[at].resource, resource)) {
		if (sum->count == sum->room) {
			struct plm_w_amount *more = NULL;

			sum->room = sum->room * 2 + 16;
			more = PLM_NEW_ARRAY(arena, sum->room, struct plm_w_amount);
			if (sum->count > 0) {
				memcpy(more, sum->list, sum->count * sizeof(*more));
			}
			sum->list = more;
		}
		memmove(&sum->list[at + 1], &sum->list[at], (sum->count - at) * sizeof(*sum->list));
		sum->list[at] = (struct plm_w_amount){resource, 0};
		sum->count++;
	}
	sum->list[at].amount = plm_add_sat(sum->list[at].amount, amount);
}

static void add_node(const struct plm_publish_pass *p, struct sum *sum, plm_sym capacity)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(p->st, capacity, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		add(p->arena, sum, plm_str(p->st, list[i].resource), list[i].amount);
	}
	add(p->arena, sum, plm_slice_str("nodes"), 1);
}

/* Claims with an instance, as their nodes say where these are there; nodes of the pool without a claim. */
static struct plm_vec resources_of(struct plm_node_objects *o, const struct plm_node_pool *pool)
{
	static const char *const always[] = {"cpu", "ephemeral-storage", "memory", "nodes", "pods"};
	const struct plm_publish_pass *p = o->p;
	struct sum sum = {0};

	for (size_t i = 0; i < PLM_COUNTOF(always); i++) {
		add(p->arena, &sum, plm_slice_str(always[i]), 0);
	}
	PLM_EACH(p->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(p->st, id);
		plm_id node = claim->node.n == 0
				      ? (plm_id){0}
				      : plm_find(p->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);

		if (claim->provider_id.n != 0 && plm_sym_equal(claim->pool, pool->object.name)) {
			add_node(p, &sum,
				 claim->initialized_ms != PLM_UNSET && node.n != 0
					 ? plm_node_at(p->st, node)->capacity
					 : claim->capacity);
		}
	}
	PLM_EACH(p->st, node, id)
	{
		const struct plm_node *node = plm_node_at(p->st, id);
		plm_sym value = {0};

		if (node->claim.n == 0 &&
		    plm_kv_get(p->st, node->object.labels, o->sched.known[PLM_KNOWN_NODE_POOL],
			       &value) &&
		    plm_sym_equal(value, pool->object.name)) {
			add_node(p, &sum, node->capacity);
		}
	}
	return (struct plm_vec){sum.list, sum.count};
}

static int64_t nodes_of(struct plm_vec resources)
{
	const struct plm_w_amount *list = resources.ptr;

	for (size_t i = 0; i < resources.count; i++) {
		if (plm_slice_is(list[i].resource, "nodes")) {
			return list[i].amount;
		}
	}
	return 0;
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static struct plm_w_condition condition(const struct plm_node_objects *o, const char *type,
					const char *status)
{
	return (struct plm_w_condition){.type = plm_slice_str(type),
					.status = plm_slice_str(status),
					.since_ms = o->p->now_ms};
}

static struct plm_w_condition valid(const struct plm_node_objects *o,
				    const struct plm_node_pool *pool)
{
	plm_sym refusal = plm_pool_refusal(o->p->st, pool);
	struct plm_w_condition out =
		condition(o, "ValidationSucceeded", refusal.n == 0 ? "True" : "False");

	if (refusal.n != 0) {
		out.reason = plm_slice_str("NodePoolValidationFailed");
		out.message = plm_str(o->p->st, refusal);
	}
	return out;
}

/* "SubnetsNotFound: no subnet ..." is a reason and a message. */
static void split(struct plm_slice why, struct plm_w_condition *out)
{
	size_t at = 0;

	while (at + 1 < why.size && (why.ptr[at] != ':' || why.ptr[at + 1] != ' ')) {
		if (why.ptr[at] == ' ') {
			break;
		}
		at++;
	}
	out->reason = plm_slice_str("NodeClassNotReady");
	out->message = why;
	if (at + 1 < why.size && at > 0 && why.ptr[at] == ':') {
		out->reason = plm_slice_of(why.ptr, at);
		out->message = plm_slice_of(why.ptr + at + 2, why.size - at - 2);
	}
}

static struct plm_w_condition class_ready(const struct plm_node_objects *o,
					  const struct plm_node_pool *pool, plm_id class)
{
	struct plm_slice why = {0};
	enum plm_class_stand stand = plm_class_stand(o->p->st, class, &why);
	struct plm_w_condition out = condition(o, "NodeClassReady", "False");

	if (class.n == 0) {
		out.reason = plm_slice_str("NodeClassNotFound");
		out.message = plm_slice_str("NodeClass not found on cluster");
	} else if (plm_node_class_at(o->p->st, class)->object.deleting_ms != PLM_UNSET) {
		out.reason = plm_slice_str("NodeClassTerminating");
		out.message = plm_slice_str("NodeClass is Terminating");
	} else if (stand == PLM_CLASS_STANDS) {
		out.status = plm_slice_str("True");
	} else if (stand == PLM_CLASS_WAITS) {
		out.reason = plm_slice_str("NodeClassReadinessUnknown");
		out.message = why;
	} else {
		split(why, &out);
	}
	PLM_ASSERT(pool->object.seq != 0);
	return out;
}

static struct plm_w_condition healthy(const struct plm_node_objects *o,
				      const struct plm_node_pool *pool)
{
	enum plm_health health = plm_life_health(pool);
	struct plm_w_condition out = condition(o, "NodeRegistrationHealthy",
					       health == PLM_HEALTH_GOOD  ? "True"
					       : health == PLM_HEALTH_BAD ? "False"
									  : "Unknown");

	if (health == PLM_HEALTH_BAD) {
		out.reason = plm_slice_str("RegistrationFailed");
		out.message = plm_slice_str("Failed to register node");
	} else if (health == PLM_HEALTH_UNKNOWN) {
		out.reason = plm_slice_str("AwaitingReconciliation");
		out.message = plm_slice_str("object is awaiting reconciliation");
	}
	return out;
}

static struct plm_vec conditions_of(const struct plm_node_objects *o,
				    const struct plm_node_pool *pool, plm_id class)
{
	struct plm_said_conditions said = plm_said_new(o->p, pool->object.generation);
	struct plm_w_condition all[] = {valid(o, pool), class_ready(o, pool, class),
					healthy(o, pool)};

	for (size_t i = 0; i < PLM_COUNTOF(all); i++) {
		plm_said_add(&said, &all[i]);
	}
	plm_said_ready(o->p, &said, 2); /* how launches went is told only */
	return plm_said_list(&said);
}

/* ---- status -------------------------------------------------------------------------------------- */

void plm_publish_pool(struct plm_node_objects *o, plm_id id)
{
	const struct plm_node_pool *pool = plm_node_pool_at(o->p->st, id);
	plm_id class = pool->class_name.n == 0 ? (plm_id){0}
					       : plm_find(o->p->st, (enum plm_kind)pool->class_kind,
							  (plm_sym){0}, pool->class_name);
	struct plm_w_req_pool_status *request = PLM_NEW(o->p->arena, struct plm_w_req_pool_status);
	uint64_t print = PLM_PRINT_BASIS;

	*request = (struct plm_w_req_pool_status){
		.name = plm_str(o->p->st, pool->object.name),
		.uid = plm_str(o->p->st, pool->object.uid),
		.resources = resources_of(o, pool),
		.conditions = conditions_of(o, pool, class),
	};
	request->nodes = nodes_of(request->resources);
	if (class.n != 0) {
		request->class_generation = plm_arena_format(
			o->p->arena, "%u", plm_node_class_at(o->p->st, class)->object.generation);
	}
	print = plm_publish_amounts_print(print, request->resources);
	print = plm_print_text(print, request->class_generation);
	print = plm_said_print(print, request->conditions);
	if (print != pool->written_print) {
		plm_publish_ask(o->p, PLM_CALL_POOL_STATUS, &pool->object, request, print);
	}
}
