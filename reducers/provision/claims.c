#include "reducers/provision/claims.h"

#include "reducers/provision/capacity.h"

#include "core/limits.h"
#include "reducers/provision/pass.h"

/* ---- a node joins ------------------------------------------------------------------------------ */

/* Has the node come up: ready, no taint of starting, what was promised is there? */
static bool has_come_up(const struct plm_sched *sched, const struct plm_node *node,
			const struct plm_node_claim *claim)
{
	struct plm_taints taints = plm_taints_of(sched, node->taints);
	struct plm_taints startup = plm_taints_of(sched, claim->startup_taints);
	plm_sym initialized = {0};

	if (plm_kv_get(sched->st, node->object.labels, sched->known[PLM_KNOWN_INITIALIZED],
		       &initialized) &&
	    plm_sym_equal(initialized, sched->known[PLM_KNOWN_TRUE])) {
		return true;
	}
	if (node->ready == 0 || claim->object.seq != 0) {
		return false; /* somebody else's claim: who made it says when */
	}
	for (uint32_t i = 0; i < taints.count; i++) {
		if (plm_taint_ephemeral(sched, &taints.list[i])) {
			return false;
		}
		for (uint32_t k = 0; k < startup.count; k++) {
			if (plm_taint_equal(&taints.list[i], &startup.list[k])) {
				return false;
			}
		}
	}
	return true;
}

static void join(struct plm_state *st, plm_id node_id, plm_id claim_id, int64_t now_ms)
{
	struct plm_sched sched;
	struct plm_node_claim *claim = plm_node_claim_edit(st, claim_id);
	const struct plm_node *node = plm_node_at(st, node_id);

	plm_sched_init(&sched, st, NULL);
	if (node->claim.n != claim_id.n) {
		plm_node_edit(st, node_id)->claim = claim_id;
	}
	claim->node = node->object.name;
	if (claim->phase == PLM_CLAIM_ENDING) {
		return;
	}
	if (claim->phase < PLM_CLAIM_JOINED) {
		claim->phase = PLM_CLAIM_JOINED;
		claim->registered_ms = now_ms;
	}
	if (claim->phase == PLM_CLAIM_JOINED && has_come_up(&sched, node, claim)) {
		claim->phase = PLM_CLAIM_READY;
		claim->initialized_ms = now_ms;
	}
}

void plm_claim_join(struct plm_state *st, plm_id node_id, int64_t now_ms)
{
	plm_sym provider = plm_node_at(st, node_id)->provider_id;
	plm_id claim = provider.n == 0 ? (plm_id){0}
				       : plm_index_find(st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0);

	if (node_id.n != 0 && claim.n != 0) {
		join(st, node_id, claim, now_ms);
	}
}

void plm_claim_join_by_claim(struct plm_state *st, plm_id claim_id, int64_t now_ms)
{
	const struct plm_node_claim *claim = plm_node_claim_at(st, claim_id);
	plm_id node = {0};

	if (claim_id.n == 0) {
		return;
	}
	if (claim->provider_id.n != 0) {
		node = plm_index_find(st, PLM_KEY_NODE_PROVIDER, claim->provider_id.n, 0);
	}
	if (node.n != 0) {
		join(st, node, claim_id, now_ms);
	}
}

/* ---- the end ----------------------------------------------------------------------------------- */

void plm_claim_settle(struct plm_state *st, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(st, id);
	bool launched = claim->provider_id.n != 0 || claim->intent != 0;

	if (claim->phase != PLM_CLAIM_ENDING || claim->object.seq != 0) {
		return; /* an object of its own goes when it is gone */
	}
	if (launched && (claim->ended_by_cloud == 0 || claim->node.n != 0)) {
		return;
	}
	if (claim->provider_id.n != 0) {
		plm_index_drop(st, PLM_KEY_CLAIM_PROVIDER, claim->provider_id.n, 0);
	}
	plm_slot_free(st, PLM_TABLE_NODE_CLAIM, id);
}

void plm_claim_node_gone(struct plm_state *st, plm_id id)
{
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	claim->node = (plm_sym){0};
	if (claim->phase == PLM_CLAIM_JOINED || claim->phase == PLM_CLAIM_READY) {
		claim->phase = PLM_CLAIM_LAUNCHED;
	}
	plm_claim_settle(st, id);
}

static void instance_gone(struct plm_state *st, plm_id id)
{
	plm_node_claim_edit(st, id)->ended_by_cloud = 1;
	plm_root_change(st)->nodes_dirty = 1;
	plm_claim_settle(st, id);
}

void plm_claim_fold_instance(struct plm_state *st, const struct plm_w_instance *w)
{
	plm_sym provider = plm_sym_find(st, w->provider_id);
	plm_id id = provider.n == 0 ? (plm_id){0}
				    : plm_index_find(st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0);

	if (id.n != 0 && plm_slice_is(w->state, "terminated")) {
		instance_gone(st, id);
	}
}

/* ---- results ----------------------------------------------------------------------------------- */

void plm_claim_stock_out(struct plm_state *st, const struct plm_w_refusal *offer, int64_t until_ms)
{
	plm_sym type = plm_intern(st, offer->instance_type);
	plm_sym zone = plm_intern(st, offer->zone);
	plm_sym capacity_type = plm_intern(st, offer->capacity_type);
	struct plm_stock_out *out = NULL;

	PLM_EACH(st, stock_out, id)
	{
		const struct plm_stock_out *have = plm_stock_out_at(st, id);

		if (plm_sym_equal(have->instance_type, type) && plm_sym_equal(have->zone, zone) &&
		    plm_sym_equal(have->capacity_type, capacity_type)) {
			out = plm_stock_out_edit(st, id);
			break;
		}
	}
	if (out == NULL) {
		out = plm_stock_out_edit(st, plm_slot_new(st, PLM_TABLE_STOCK_OUT));
	}
	out->instance_type = type;
	out->zone = zone;
	out->capacity_type = capacity_type;
	out->until_ms = until_ms;
}

/* The class that 'claim' was bought under. */
static plm_id class_of(const struct plm_state *st, const struct plm_node_claim *claim)
{
	plm_id pool = plm_find(st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);

	if (pool.n == 0) {
		return (plm_id){0};
	}
	return plm_find(st, (enum plm_kind)plm_node_pool_at(st, pool)->class_kind, (plm_sym){0},
			claim->class_name);
}

/* What the cloud gave; a result without numbers takes them from the catalogue. */
static void fill_bought(struct plm_state *st, const struct plm_fold *fold, plm_id id,
			const struct plm_w_result *w)
{
	plm_sym type = plm_fold_text(fold, w->instance_type);
	plm_id row = plm_index_find(st, PLM_KEY_INSTANCE_TYPE, type.n, 0);
	plm_sym capacity = plm_fold_amounts(fold, w->capacity);
	plm_sym allocatable = plm_fold_amounts(fold, w->allocatable);
	plm_sym provider = plm_fold_text(fold, w->provider_id);
	plm_sym labels = plm_fold_kvs(fold, w->labels);
	plm_sym zone = plm_fold_text(fold, w->zone);
	plm_sym capacity_type = plm_fold_text(fold, w->capacity_type);
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	if (allocatable.n == 0 && row.n != 0) {
		capacity = plm_capacity_span(fold, row, class_of(st, claim), false);
		allocatable = plm_capacity_span(fold, row, class_of(st, claim), true);
	}
	claim->capacity = capacity;
	claim->allocatable = allocatable;
	claim->instance_type = type;
	claim->zone = zone;
	claim->capacity_type = capacity_type;
	claim->provider_id = provider;
	claim->price_micro = w->price_micro != PLM_UNSET ? w->price_micro : claim->price_micro;
	if (labels.n != 0) {
		claim->object.labels = labels;
	}
	if (provider.n != 0) {
		plm_index_put(st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0, id);
	}
}

static void fold_launch(struct plm_state *st, const struct plm_fold *fold, plm_id id,
			const struct plm_w_result *w, int64_t now_ms)
{
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	if (w->class != PLM_RESULT_DONE && w->class != PLM_RESULT_ALREADY_DONE) {
		claim->intent = 0;
		claim->failures++;
		plm_claim_settle(st, id);
		return;
	}
	fill_bought(st, fold, id, w);
	claim->launched_ms = now_ms;
	if (claim->phase == PLM_CLAIM_WANTED) {
		claim->phase = PLM_CLAIM_LAUNCHED;
	}
	plm_claim_join_by_claim(st, id, now_ms);
}

void plm_claim_cordon(struct plm_state *st, plm_sym node, bool told)
{
	plm_id id = plm_find(st, PLM_KIND_NODE, (plm_sym){0}, node);
	plm_id claim = id.n == 0 ? id : plm_node_at(st, id)->claim;

	if (node.n != 0 && claim.n != 0) {
		plm_node_claim_edit(st, claim)->cordoned = told ? 1 : 0;
	}
}

static bool is_final(int64_t class)
{
	return class != PLM_RESULT_RETRYABLE && class != PLM_RESULT_UNKNOWN;
}

void plm_claim_fold_result(struct plm_state *st, const struct plm_fold *fold,
			   const struct plm_w_result *w, int64_t now_ms)
{
	uint64_t seq = (uint64_t)w->intent;
	plm_id open = plm_index_find(st, PLM_KEY_INTENT, (uint32_t)seq, (uint32_t)(seq >> 32));
	const struct plm_w_refusal *refused = w->refused.ptr;
	const struct plm_intent *intent = plm_intent_at(st, open);
	plm_id claim = {0};

	for (size_t i = 0; i < w->refused.count; i++) {
		plm_claim_stock_out(st, &refused[i],
				    plm_add_sat(now_ms, plm_root(st)->stock_out_ms));
	}
	if (open.n == 0 || !is_final(w->class)) {
		return;
	}
	if (intent->call == PLM_CALL_NODE_TAINT && w->class != PLM_RESULT_DONE &&
	    w->class != PLM_RESULT_ALREADY_DONE) {
		plm_claim_cordon(st, intent->name, false);
	}
	if (intent->kind != PLM_KIND_NODE_CLAIM) {
		return;
	}
	claim = plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, intent->name);
	if (claim.n == 0) {
		return;
	}
	if (intent->call == PLM_CALL_LAUNCH) {
		fold_launch(st, fold, claim, w, now_ms);
	} else if (intent->call == PLM_CALL_TERMINATE && (w->class != PLM_RESULT_CONFLICT)) {
		/* Done, done before, or never there: nothing is owed any more. */
		instance_gone(st, claim);
	}
}

/* ---- batch window ------------------------------------------------------------------------------ */

void plm_batch_touch(struct plm_state *st, const struct plm_event *ev, int64_t now_ms)
{
	const struct plm_root *root = plm_root(st);
	const struct plm_w_pod *w = ev->payload;
	struct plm_sched sched;
	plm_id id = {0};
	const struct plm_pod *pod = NULL;

	if (ev->type != PLM_EV_POD) {
		return;
	}
	id = plm_find(st, PLM_KIND_POD, plm_sym_find(st, w->meta.ns),
		      plm_sym_find(st, w->meta.name));
	pod = plm_pod_at(st, id);
	if (id.n == 0 || pod->node.n != 0 || pod->target.n != 0 || pod->batched != 0) {
		return;
	}
	plm_sched_init(&sched, st, NULL);
	if (!plm_pod_pending(&sched, pod)) {
		return;
	}
	plm_pod_edit(st, id)->batched = 1; /* an uid in the window does not extend it again */
	if (root->batch_opened_ms == PLM_UNSET) {
		plm_root_change(st)->batch_opened_ms = now_ms;
	}
	plm_root_change(st)->batch_touched_ms = now_ms;
}

int64_t plm_batch_due(const struct plm_state *st)
{
	const struct plm_root *root = plm_root(st);

	if (root->batch_opened_ms == PLM_UNSET) {
		return PLM_UNSET;
	}
	return plm_min(plm_add_sat(root->batch_opened_ms, root->batch_max_ms),
		       plm_add_sat(root->batch_touched_ms, root->batch_idle_ms));
}
