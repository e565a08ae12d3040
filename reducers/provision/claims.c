#include "reducers/provision/claims.h"

#include "reducers/provision/capacity.h"

#include "core/limits.h"
#include "reducers/disruption/drain.h"
#include "reducers/provision/adopt.h"
#include "reducers/provision/codes.h"
#include "reducers/provision/life.h"
#include "reducers/provision/orphan.h"
#include "reducers/provision/stock.h"

/* ---- a node joins ------------------------------------------------------------------------------ */

static bool says_true(const struct plm_sched *sched, const struct plm_node *node,
		      enum plm_known_word key)
{
	plm_sym value = {0};

	return plm_kv_get(sched->st, node->object.labels, sched->known[key], &value) &&
	       plm_sym_equal(value, sched->known[PLM_KNOWN_TRUE]);
}

/* How far the node is, its labels say (karpenter.md 2.13): we set them, or who had the node before us. */
static void join(struct plm_state *st, plm_id node_id, plm_id claim_id, int64_t now_ms)
{
	struct plm_sched sched;
	struct plm_node_claim *claim = plm_node_claim_edit(st, claim_id);
	const struct plm_node *node = plm_node_at(st, node_id);
	bool initialized = false;

	plm_sched_init(&sched, st, NULL);
	if (node->claim.n != claim_id.n) {
		plm_node_edit(st, node_id)->claim = claim_id;
	}
	claim->node = node->object.name;
	if (claim->phase == PLM_CLAIM_ENDING) {
		return;
	}
	initialized = says_true(&sched, node, PLM_KNOWN_INITIALIZED);
	if (claim->phase < PLM_CLAIM_JOINED &&
	    (initialized || says_true(&sched, node, PLM_KNOWN_REGISTERED))) {
		claim->phase = PLM_CLAIM_JOINED;
		claim->registered_ms = now_ms;
		plm_life_outcome(st, claim_id, true);
	}
	if (claim->phase == PLM_CLAIM_JOINED && initialized) {
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

	if (claim->phase != PLM_CLAIM_ENDING || claim->object.seq != 0 ||
	    claim->making != PLM_MAKING_NOT) {
		return; /* an object of its own goes when it is gone, also one that is still to be seen */
	}
	if (launched && (claim->ended_by_cloud == 0 || claim->node.n != 0)) {
		return;
	}
	if (claim->provider_id.n != 0) {
		plm_index_drop(st, PLM_KEY_CLAIM_PROVIDER, claim->provider_id.n, 0);
	}
	plm_slot_free(st, PLM_TABLE_NODE_CLAIM, id);
}

void plm_claim_node_gone(struct plm_state *st, plm_id id, int64_t now_ms)
{
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	claim->node = (plm_sym){0};
	claim->synced = 0;
	claim->node_gone_ms = now_ms;
	if (claim->phase == PLM_CLAIM_JOINED || claim->phase == PLM_CLAIM_READY) {
		claim->phase = PLM_CLAIM_LAUNCHED;
	}
	plm_claim_settle(st, id);
}

void plm_claim_instance_gone(struct plm_state *st, plm_id id)
{
	plm_node_claim_edit(st, id)->ended_by_cloud = 1;
	plm_root_change(st)->nodes_dirty = 1;
	plm_claim_settle(st, id);
}

/* ---- results ----------------------------------------------------------------------------------- */

/* The class that 'claim' was bought under. */
static plm_id class_of(const struct plm_state *st, const struct plm_node_claim *claim)
{
	enum plm_kind kind = claim->class_kind == PLM_KIND_NODE_TEMPLATE ? PLM_KIND_NODE_TEMPLATE
									 : PLM_KIND_NODE_CLASS;

	return claim->class_name.n == 0 ? (plm_id){0}
					: plm_find(st, kind, (plm_sym){0}, claim->class_name);
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
	plm_sym reservation = plm_fold_text(fold, w->reservation);
	plm_sym image = plm_fold_text(fold, w->image);
	const struct plm_bought_at at = {zone, capacity_type, reservation};
	int64_t price = w->price_micro;
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	plm_stock_had(st, type, zone, capacity_type);
	if (price == PLM_UNSET) {
		(void)plm_capacity_price(st, row, at, &price);
	}
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
	claim->reservation = reservation;
	claim->image = image;
	claim->launch_code = (plm_sym){0};
	claim->retry_ms = 0;
	claim->price_micro = price != PLM_UNSET ? price : claim->price_micro;
	if (labels.n != 0) {
		claim->object.labels = labels;
	}
	if (provider.n != 0) {
		plm_index_put(st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0, id);
		plm_orphan_known(st, provider);
	}
}

/* The first refusals since the claim was made, for whoever asks. */
static void keep_refusals(struct plm_state *st, const struct plm_fold *fold, plm_id id,
			  const struct plm_w_result *w)
{
	const struct plm_w_refusal *from = w->refused.ptr;
	struct plm_refusal list[PLM_LIMIT_CLAIM_STORY];
	uint32_t count = 0;
	const struct plm_refusal *had =
		PLM_SPAN(st, plm_node_claim_at(st, id)->refused, struct plm_refusal, &count);

	PLM_ASSERT(count <= PLM_LIMIT_CLAIM_STORY);
	if (count > 0) {
		memcpy(list, had, count * sizeof(*list));
	}
	for (size_t i = 0; i < w->refused.count && count < PLM_LIMIT_CLAIM_STORY; i++) {
		struct plm_slice code = from[i].code.size > 0 ? from[i].code : w->code;

		list[count++] = (struct plm_refusal){
			.instance_type = plm_fold_text(fold, from[i].instance_type),
			.zone = plm_fold_text(fold, from[i].zone),
			.capacity_type = plm_fold_text(fold, from[i].capacity_type),
			.reservation = plm_fold_text(fold, from[i].reservation),
			.code = plm_fold_text(fold, code)};
	}
	plm_node_claim_edit(st, id)->refused = plm_intern_span(st, list, count, sizeof(*list));
}

/* Was everything refused for want of capacity? Then that, else what was said of the whole call. */
static struct plm_slice failure_of(const struct plm_w_result *w)
{
	const struct plm_w_refusal *refused = w->refused.ptr;

	for (size_t i = 0; i < w->refused.count; i++) {
		struct plm_slice code = refused[i].code.size > 0 ? refused[i].code : w->code;

		if (plm_launch_code(code, w->message)->effect != PLM_LAUNCH_NO_CAPACITY) {
			return code;
		}
	}
	return w->code;
}

static int64_t backoff(uint32_t failures)
{
	int64_t wait_ms = PLM_LIMIT_LAUNCH_BACKOFF_FIRST_MS;

	for (uint32_t i = 1; i < failures && wait_ms < PLM_LIMIT_LAUNCH_BACKOFF_MS; i++) {
		wait_ms *= 2;
	}
	return plm_min(wait_ms, PLM_LIMIT_LAUNCH_BACKOFF_MS);
}

static void launch_failed(struct plm_state *st, const struct plm_fold *fold, plm_id id,
			  const struct plm_w_result *w, int64_t now_ms)
{
	struct plm_slice code = failure_of(w);
	const struct plm_launch_code *row = plm_launch_code(code, w->message);
	plm_sym word = plm_fold_text(fold, code);
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);
	bool again =
		row->effect == PLM_LAUNCH_RETRY_AT_ONCE && !plm_sym_equal(claim->launch_code, word);

	claim->intent = 0;
	claim->failures++;
	claim->launch_code = word;
	claim->retry_ms = 0;
	if (row->effect != PLM_LAUNCH_NO_CAPACITY && !again) {
		claim->retry_ms = plm_add_sat(now_ms, backoff(claim->failures));
	}
	plm_claim_settle(st, id);
}

static void fold_launch(struct plm_state *st, const struct plm_fold *fold, plm_id id,
			const struct plm_w_result *w, int64_t now_ms)
{
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	keep_refusals(st, fold, id, w);
	if (w->class != PLM_RESULT_DONE && w->class != PLM_RESULT_ALREADY_DONE) {
		launch_failed(st, fold, id, w, now_ms);
		return;
	}
	fill_bought(st, fold, id, w);
	claim->launched_ms = now_ms;
	if (claim->phase == PLM_CLAIM_WANTED) {
		claim->phase = PLM_CLAIM_LAUNCHED;
	}
	plm_claim_join_by_claim(st, id, now_ms);
}

void plm_claim_found(struct plm_state *st, const struct plm_fold *fold, plm_id id,
		     const struct plm_w_instance *w, int64_t now_ms)
{
	const struct plm_w_result launched = {.class = PLM_RESULT_DONE,
					      .provider_id = w->provider_id,
					      .instance_type = w->instance_type,
					      .zone = w->zone,
					      .capacity_type = w->capacity_type,
					      .reservation = w->reservation,
					      .price_micro = PLM_UNSET};

	PLM_ASSERT(plm_node_claim_at(st, id)->phase == PLM_CLAIM_WANTED);
	fold_launch(st, fold, id, &launched, w->launched_ms == PLM_UNSET ? now_ms : w->launched_ms);
	plm_root_change(st)->nodes_dirty = 1;
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

/* Its own word is waited for, unless the cloud does not know it (any more) or says that it has ended. */
static bool instance_is_gone(const struct plm_w_result *w)
{
	return plm_orphan_unknown(w) ||
	       (w->class == PLM_RESULT_ALREADY_DONE && !plm_slice_is(w->code, "shutting-down"));
}

static void fold_final(struct plm_state *st, const struct plm_fold *fold,
		       const struct plm_intent *intent, const struct plm_w_result *w,
		       int64_t now_ms)
{
	bool done = w->class == PLM_RESULT_DONE || w->class == PLM_RESULT_ALREADY_DONE;
	bool waits = intent->call == PLM_CALL_TERMINATE; /* asked again, but not at once */
	plm_id claim = {0};

	if (intent->call == PLM_CALL_NODE_TAINT && !done) {
		plm_claim_cordon(st, intent->name, false);
	}
	if (!done && intent->call != PLM_CALL_INSTANCE_TAG) { /* there is nothing to be tagged */
		plm_adopt_undone(st, intent);
		plm_drain_told(st,
			       &(struct plm_drain_asked){(enum plm_call)intent->call,
							 (enum plm_kind)intent->kind, intent->name},
			       waits, now_ms);
	}
	if (intent->call == PLM_CALL_TERMINATE && intent->kind == PLM_KIND_NONE) {
		plm_orphan_fold_result(st, intent->name, w);
	}
	claim = intent->kind != PLM_KIND_NODE_CLAIM
			? (plm_id){0}
			: plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, intent->name);
	if (claim.n == 0) {
		return;
	}
	if (intent->call == PLM_CALL_LAUNCH) {
		fold_launch(st, fold, claim, w, now_ms);
	} else if (intent->call == PLM_CALL_TERMINATE && instance_is_gone(w)) {
		plm_claim_instance_gone(st, claim);
	}
}

void plm_claim_fold_result(struct plm_state *st, const struct plm_fold *fold,
			   const struct plm_w_result *w, int64_t now_ms)
{
	uint64_t seq = (uint64_t)w->intent;
	plm_id open = plm_index_find(st, PLM_KEY_INTENT, (uint32_t)seq, (uint32_t)(seq >> 32));
	const struct plm_w_refusal *refused = w->refused.ptr;

	for (size_t i = 0; i < w->refused.count; i++) {
		plm_stock_note(st, &refused[i], w->code, now_ms);
	}
	if (open.n != 0 && is_final(w->class)) {
		fold_final(st, fold, plm_intent_at(st, open), w, now_ms);
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
