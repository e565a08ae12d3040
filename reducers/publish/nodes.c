/* NodeClaims, NodePools, EC2NodeClasses: when they are looked at, and what is remembered of their writes. */
#include "core/limits.h"
#include "reducers/provision/claims.h"
#include "reducers/publish/node_objects.h"
#include "reducers/publish/print.h"

/* ---- conditions ---------------------------------------------------------------------------------- */

struct plm_said_conditions plm_said_new(const struct plm_publish_pass *p, uint32_t generation)
{
	return (struct plm_said_conditions){
		.list = PLM_NEW_ARRAY(p->arena, PLM_SAID_CONDITIONS_MAX, struct plm_w_condition),
		.generation = generation,
	};
}

void plm_said_add(struct plm_said_conditions *said, const struct plm_w_condition *condition)
{
	struct plm_w_condition *to = NULL;

	PLM_ASSERT(said->count < PLM_SAID_CONDITIONS_MAX);
	to = &said->list[said->count++];
	*to = *condition;
	to->generation = said->generation;
	if (to->reason.size == 0 && plm_slice_is(to->status, "True")) {
		to->reason = to->type;
	}
}

void plm_said_ready(const struct plm_publish_pass *p, struct plm_said_conditions *said,
		    uint32_t dependents)
{
	struct plm_w_condition ready = {.type = plm_slice_str("Ready"),
					.status = plm_slice_str("True"),
					.since_ms = PLM_UNSET};

	PLM_ASSERT(dependents <= said->count);
	for (uint32_t i = 0; i < dependents; i++) {
		const struct plm_w_condition *one = &said->list[i];

		ready.since_ms = plm_max(ready.since_ms, one->since_ms);
		if (plm_slice_is(one->status, "True")) {
			continue;
		}
		if (plm_slice_is(one->status, "False") || plm_slice_is(ready.status, "True")) {
			ready.status = one->status;
		}
		ready.message = plm_arena_format(
			p->arena, "%.*s%s%.*s=%.*s", (int)ready.message.size,
			(const char *)ready.message.ptr, ready.message.size > 0 ? ", " : "",
			(int)one->type.size, (const char *)one->type.ptr, (int)one->status.size,
			(const char *)one->status.ptr);
	}
	if (plm_slice_is(ready.status, "False")) {
		ready.reason = plm_slice_str("UnhealthyDependents");
	} else if (plm_slice_is(ready.status, "Unknown")) {
		ready.reason = plm_slice_str("ReconcilingDependents");
	}
	plm_said_add(said, &ready);
}

struct plm_vec plm_said_list(const struct plm_said_conditions *said)
{
	return (struct plm_vec){said->list, said->count};
}

/* Times do not count: they are those of the first write that says so. */
uint64_t plm_said_print(uint64_t print, struct plm_vec conditions)
{
	const struct plm_w_condition *list = conditions.ptr;

	for (size_t i = 0; i < conditions.count; i++) {
		print = plm_print_text(print, list[i].type);
		print = plm_print_text(print, list[i].status);
		print = plm_print_text(print, list[i].reason);
		print = plm_print_text(print, list[i].message);
		print = plm_print_number(print, list[i].generation);
	}
	return print;
}

/* ---- amounts ------------------------------------------------------------------------------------- */

struct plm_vec plm_publish_amounts(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_amount *from = PLM_SPAN(p->st, span, struct plm_amount, &count);
	struct plm_w_amount *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_amount);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_amount){plm_str(p->st, from[i].resource), from[i].amount};
	}
	return (struct plm_vec){out, count};
}

uint64_t plm_publish_amounts_print(uint64_t print, struct plm_vec amounts)
{
	const struct plm_w_amount *list = amounts.ptr;

	for (size_t i = 0; i < amounts.count; i++) {
		print = plm_print_text(print, list[i].resource);
		print = plm_print_number(print, list[i].amount);
	}
	return print;
}

/* ---- the look ------------------------------------------------------------------------------------ */

void plm_publish_ask(const struct plm_publish_pass *p, enum plm_call call,
		     const struct plm_object *object, const void *request, uint64_t print)
{
	struct plm_w_intent *intent = PLM_NEW(p->arena, struct plm_w_intent);

	*intent = (struct plm_w_intent){
		.call = call,
		.kind = object->kind,
		.name = plm_str(p->st, object->name),
		.uid = plm_str(p->st, object->uid),
		.encoder = PLM_ENCODER_VERSION,
		.deadline_ms = PLM_UNSET,
		.print = (int64_t)(print == 0 ? 1 : print),
	};
	(void)plm_out_intent(p->out, intent, request, PLM_CAUSE_CYCLE);
}

static bool may_write(const struct plm_publish_pass *p, const struct plm_object *object,
		      uint32_t writing, int64_t at_ms)
{
	return object->seq != 0 && writing == 0 && at_ms <= p->now_ms;
}

/* An object of its own, for a claim that has none yet and is to stay. */
static void look_at_new(struct plm_node_objects *o, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(o->p->st, id);
	plm_id pool = {0};

	if (claim->making != PLM_MAKING_NOT || claim->phase == PLM_CLAIM_ENDING ||
	    claim->write_at_ms > o->p->now_ms || plm_root(o->p->st)->claims_listed.n == 0) {
		return;
	}
	pool = plm_find(o->p->st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	if (pool.n != 0) {
		plm_publish_claim_make(o, id, pool);
	}
}

void plm_publish_nodes(const struct plm_publish_pass *p)
{
	struct plm_node_objects *o = NULL;

	if ((plm_root(p->st)->nodes_unsaid & PLM_UNSAID_LOOK) == 0 ||
	    plm_root(p->st)->observe_only != 0) {
		return;
	}
	o = PLM_NEW(p->arena, struct plm_node_objects);
	o->p = p;
	plm_sched_init(&o->sched, p->st, p->arena);
	PLM_EACH(p->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(p->st, id);

		if (claim->object.seq == 0) {
			look_at_new(o, id);
		} else if (may_write(p, &claim->object, claim->writing, claim->write_at_ms)) {
			plm_publish_claim(o, id);
		}
	}
	PLM_EACH(p->st, node_pool, id)
	{
		const struct plm_node_pool *pool = plm_node_pool_at(p->st, id);

		if (may_write(p, &pool->object, pool->writing, pool->write_at_ms)) {
			plm_publish_pool(o, id);
		}
	}
	PLM_EACH(p->st, node_class, id)
	{
		const struct plm_node_class *class = plm_node_class_at(p->st, id);

		if (class->object.kind == PLM_KIND_NODE_CLASS &&
		    may_write(p, &class->object, class->writing, class->write_at_ms)) {
			plm_publish_class(o, id);
		}
	}
}

static int64_t sooner(int64_t a_ms, int64_t b_ms)
{
	return a_ms == PLM_UNSET ? b_ms : plm_min(a_ms, b_ms);
}

/* When the rest of somebody is over that was not over at the last look; PLM_UNSET = nobody rests. */
static int64_t rest_over_ms(const struct plm_state *st)
{
	int64_t look_ms = plm_sub_sat(plm_root(st)->nodes_say_ms, PLM_LIMIT_NODES_EVERY_MS);
	int64_t over_ms = PLM_UNSET;

	PLM_EACH(st, node_pool, id)
	{
		if (plm_node_pool_at(st, id)->write_at_ms > look_ms) {
			over_ms = sooner(over_ms, plm_node_pool_at(st, id)->write_at_ms);
		}
	}
	PLM_EACH(st, node_claim, id)
	{
		if (plm_node_claim_at(st, id)->write_at_ms > look_ms) {
			over_ms = sooner(over_ms, plm_node_claim_at(st, id)->write_at_ms);
		}
	}
	PLM_EACH(st, node_class, id)
	{
		if (plm_node_class_at(st, id)->write_at_ms > look_ms) {
			over_ms = sooner(over_ms, plm_node_class_at(st, id)->write_at_ms);
		}
	}
	return over_ms;
}

/* Nobody looks sooner than a while after the last look. */
int64_t plm_publish_nodes_due(const struct plm_state *st)
{
	const struct plm_root *root = plm_root(st);
	int64_t over_ms = rest_over_ms(st);

	if ((root->nodes_unsaid & PLM_UNSAID_SOME) != 0) {
		return root->nodes_say_ms;
	}
	return over_ms == PLM_UNSET ? PLM_UNSET : plm_max(over_ms, root->nodes_say_ms);
}

/* ---- fold ---------------------------------------------------------------------------------------- */

/* Events after which one of them may say something else. */
static bool moves_nodes(const struct plm_event *ev)
{
	switch ((uint32_t)ev->type) {
	case PLM_EV_NODE:
	case PLM_EV_NODE_POOL:
	case PLM_EV_NODE_CLAIM:
	case PLM_EV_NODE_CLASS:
	case PLM_EV_CLASS_STATUS:
	case PLM_EV_GONE:
	case PLM_EV_INSTANCE:
	case PLM_EV_LISTED:
	case PLM_EV_CONFIG:
	case PLM_EV_CLAIM:
	case PLM_EV_CLAIM_END:
	case PLM_EV_DRAIN:
	case PLM_EV_RESULT:
		return true;
	default:
		return false;
	}
}

/*
 * Consolidatable becomes true by time alone: who looks at nodes then (reducers/disruption) makes a cycle, and in
 * that one what is said is looked at as well.
 */
static void fold_cycle(struct plm_state *st, int64_t now_ms)
{
	struct plm_root *root = plm_root_change(st);
	int64_t due_ms = plm_publish_nodes_due(st);
	bool old = plm_add_sat(root->nodes_say_ms, PLM_LIMIT_NODES_AGAIN_MS) <= now_ms;

	if (old || (due_ms != PLM_UNSET && due_ms <= now_ms)) {
		root->nodes_unsaid = PLM_UNSAID_LOOK;
		root->nodes_say_ms = plm_add_sat(now_ms, PLM_LIMIT_NODES_EVERY_MS);
	} else {
		root->nodes_unsaid &= ~(uint32_t)PLM_UNSAID_LOOK;
	}
}

void plm_publish_fold_nodes(struct plm_state *st, const struct plm_event *ev)
{
	if ((plm_root(st)->publish & PLM_PUBLISH_NODES) == 0) {
		return;
	}
	if (ev->type == PLM_EV_CYCLE) {
		fold_cycle(st, ((const struct plm_w_cycle *)ev->payload)->now_ms);
	} else if (moves_nodes(ev)) {
		plm_root_change(st)->nodes_unsaid |= PLM_UNSAID_SOME;
	}
}

bool plm_publish_is_of_nodes(int64_t call)
{
	return call == PLM_CALL_CLAIM_CREATE || call == PLM_CALL_CLAIM_STATUS ||
	       call == PLM_CALL_POOL_STATUS || call == PLM_CALL_CLASS_STATUS;
}

/* What an object remembers of its writes, wherever that stands. */
struct memory {
	uint32_t *writing;
	uint64_t *print;
	int64_t *at_ms;
};

static struct memory memory_of(struct plm_state *st, enum plm_call call, plm_id id)
{
	if (call == PLM_CALL_POOL_STATUS) {
		struct plm_node_pool *pool = plm_node_pool_edit(st, id);

		return (struct memory){&pool->writing, &pool->written_print, &pool->write_at_ms};
	}
	if (call == PLM_CALL_CLASS_STATUS) {
		struct plm_node_class *class = plm_node_class_edit(st, id);

		return (struct memory){&class->writing, &class->written_print, &class->write_at_ms};
	}
	return (struct memory){&plm_node_claim_edit(st, id)->writing,
			       &plm_node_claim_edit(st, id)->written_print,
			       &plm_node_claim_edit(st, id)->write_at_ms};
}

void plm_publish_node_asked(struct plm_state *st, const struct plm_w_intent *w, plm_id id)
{
	struct memory of = memory_of(st, (enum plm_call)w->call, id);

	if (w->call == PLM_CALL_CLAIM_CREATE) {
		plm_node_claim_edit(st, id)->making = PLM_MAKING_ASKED;
		return;
	}
	*of.writing = 1;
	*of.print = (uint64_t)w->print;
	*of.at_ms = w->call == PLM_CALL_POOL_STATUS
			    ? plm_add_sat(plm_root(st)->now_ms, PLM_LIMIT_BOARD_OBJECT_MS)
			    : 0;
}

static bool done(enum plm_result_class class)
{
	return class == PLM_RESULT_DONE || class == PLM_RESULT_ALREADY_DONE;
}

/* One that was given up meanwhile has waited for this: its object, if any, has to go with it. */
static void made(struct plm_state *st, plm_id id, enum plm_result_class class, int64_t now_ms)
{
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	if (claim->making != PLM_MAKING_ASKED) {
		return;
	}
	claim->making = done(class) ? PLM_MADE : PLM_MAKING_NOT;
	if (!done(class)) {
		claim->write_at_ms = plm_add_sat(now_ms, PLM_LIMIT_MAKE_AGAIN_MS);
		plm_claim_settle(st, id);
	}
}

void plm_publish_node_answered(struct plm_state *st, const struct plm_intent *intent,
			       enum plm_result_class class, int64_t now_ms)
{
	enum plm_call call = (enum plm_call)intent->call;
	plm_id id = plm_find(st, (enum plm_kind)intent->kind, (plm_sym){0}, intent->name);
	struct memory of;

	if (id.n == 0) {
		return;
	}
	if (call == PLM_CALL_CLAIM_CREATE) {
		made(st, id, class, now_ms);
		return;
	}
	of = memory_of(st, call, id);
	*of.writing = 0;
	if (!done(class)) {
		*of.print = 0;
		*of.at_ms = plm_max(*of.at_ms, plm_add_sat(now_ms, PLM_LIMIT_WRITE_AGAIN_MS));
	}
}
