#include "reducers/provision/life.h"

#include "core/limits.h"
#include "reducers/provision/class_use.h"
#include "reducers/provision/codes.h"
#include "reducers/provision/emit.h"

static struct plm_slice text(const struct plm_life *life, plm_sym sym)
{
	return plm_sched_text(&life->sched, sym);
}

/* ---- time that counts -------------------------------------------------------------------------- */

static void go_blind(int64_t *away_ms, int64_t *blind_ms, bool away, int64_t now_ms)
{
	if (away && *away_ms == PLM_UNSET) {
		*away_ms = now_ms;
	} else if (!away && *away_ms != PLM_UNSET) {
		*blind_ms = plm_add_sat(*blind_ms, plm_max(0, plm_sub_sat(now_ms, *away_ms)));
		*away_ms = PLM_UNSET;
	}
}

void plm_life_away(struct plm_state *st, enum plm_source source, bool away, int64_t now_ms)
{
	struct plm_root *root = plm_root_change(st);

	if (source == PLM_SOURCE_KUBE) {
		go_blind(&root->kube_away_ms, &root->kube_blind_ms, away, now_ms);
	} else if (source == PLM_SOURCE_CLOUD) {
		go_blind(&root->cloud_away_ms, &root->cloud_blind_ms, away, now_ms);
	}
	root->nodes_dirty = 1;
}

/*
 * When 'limit_ms' after 'since_ms' is over, not counting what the claim's source was away; PLM_UNSET while it
 * is away, or without a limit.
 */
static int64_t deadline(int64_t since_ms, int64_t limit_ms, int64_t away_ms, int64_t blind_ms)
{
	if (since_ms == PLM_UNSET || limit_ms == PLM_UNSET || limit_ms <= 0 ||
	    away_ms != PLM_UNSET) {
		return PLM_UNSET;
	}
	PLM_ASSERT(blind_ms >= 0);
	return plm_add_sat(plm_add_sat(since_ms, limit_ms), blind_ms);
}

/*
 * A claim that somebody else made may have an instance or a node of which we have not been told yet: only a
 * complete list says that it has none.
 */
static bool may_be_there(const struct plm_node_claim *claim, uint32_t listed)
{
	return claim->object.seq != 0 && listed == 0;
}

static int64_t launch_deadline(const struct plm_root *root, const struct plm_node_claim *claim)
{
	if (may_be_there(claim, root->instances_listed)) {
		return PLM_UNSET;
	}
	return deadline(claim->decided_ms, root->launch_timeout_ms, root->cloud_away_ms,
			root->cloud_blind_ms - claim->blind_cloud_ms);
}

/* Since when its node has been missing: since the condition says so, or it was made, or its node went. */
static int64_t missing_since(const struct plm_node_claim *claim)
{
	int64_t since_ms = claim->decided_ms;

	if (claim->object.seq != 0 && claim->registering_ms != PLM_UNSET) {
		since_ms = claim->registering_ms;
	}
	return claim->node_gone_ms == 0 ? since_ms : plm_max(since_ms, claim->node_gone_ms);
}

static int64_t registration_deadline(const struct plm_root *root,
				     const struct plm_node_claim *claim)
{
	if (claim->node.n != 0 || may_be_there(claim, root->nodes_listed)) {
		return PLM_UNSET;
	}
	return deadline(missing_since(claim), root->registration_timeout_ms, root->kube_away_ms,
			root->kube_blind_ms - claim->blind_kube_ms);
}

static bool is_over(const struct plm_life *life, int64_t deadline_ms)
{
	return deadline_ms != PLM_UNSET && deadline_ms <= life->now_ms;
}

int64_t plm_life_due(const struct plm_state *st, const struct plm_node_claim *claim)
{
	const struct plm_root *root = plm_root(st);
	int64_t due = PLM_UNSET;

	if (claim->phase == PLM_CLAIM_WANTED) {
		due = launch_deadline(root, claim);
		if (claim->intent == 0 && claim->retry_ms > root->now_ms &&
		    (due == PLM_UNSET || claim->retry_ms < due)) {
			due = claim->retry_ms;
		}
	} else if (claim->phase == PLM_CLAIM_LAUNCHED) {
		due = registration_deadline(root, claim);
	}
	return due;
}

/* ---- giving up --------------------------------------------------------------------------------- */

void plm_life_end(const struct plm_life *life, const struct plm_node_claim *claim,
		  enum plm_reason reason, enum plm_rule rule, int64_t limit)
{
	struct plm_w_claim_end *w = PLM_NEW(life->sched.arena, struct plm_w_claim_end);

	PLM_ASSERT(claim->phase != PLM_CLAIM_ENDING);
	w->name = text(life, claim->object.name);
	w->reason = reason;
	w->why = (struct plm_w_explain){.kind = PLM_KIND_NODE_CLAIM,
					.name = w->name,
					.rule = rule,
					.reason = reason,
					.object = text(life, claim->pool),
					.need = PLM_UNSET,
					.have = PLM_UNSET,
					.limit = limit,
					.detail = text(life, claim->launch_code)};
	(void)plm_out_add(life->out, PLM_EV_CLAIM_END, w, PLM_CAUSE_CYCLE);
}

static void note(const struct plm_life *life, const struct plm_node_claim *claim,
		 const struct plm_w_explain *why)
{
	struct plm_w_claim_note *w = PLM_NEW(life->sched.arena, struct plm_w_claim_note);

	w->name = text(life, claim->object.name);
	w->reason = why->reason;
	w->why = *why;
	w->why.kind = PLM_KIND_NODE_CLAIM;
	w->why.name = w->name;
	(void)plm_out_add(life->out, PLM_EV_CLAIM_NOTE, w, PLM_CAUSE_CYCLE);
}

/* ---- launch ------------------------------------------------------------------------------------ */

static enum plm_class_stand class_stand(const struct plm_life *life,
					const struct plm_node_claim *claim)
{
	enum plm_kind kind = claim->class_kind == PLM_KIND_NONE ? PLM_KIND_NODE_CLASS
								: (enum plm_kind)claim->class_kind;
	plm_id id = claim->class_name.n == 0
			    ? (plm_id){0}
			    : plm_find(life->st, kind, (plm_sym){0}, claim->class_name);

	return plm_class_stand(life->st, id, NULL);
}

static bool was_short(const struct plm_life *life, const struct plm_node_claim *claim)
{
	return claim->launch_code.n != 0 &&
	       plm_launch_code(text(life, claim->launch_code), (struct plm_slice){0})->effect ==
		       PLM_LAUNCH_NO_CAPACITY;
}

/*
 * Launch, or launch again. Upstream deletes a claim that met a stock-out and makes another one for its pods;
 * here the same claim goes on with what is left of its offers.
 */
static void launch(struct plm_life *life, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(life->st, id);
	bool strict = plm_root(life->st)->compat == PLM_COMPAT_STRICT;
	enum plm_class_stand stand = class_stand(life, claim);

	if (plm_root(life->st)->observe_only != 0 || claim->retry_ms > life->now_ms ||
	    stand == PLM_CLASS_WAITS) {
		return;
	}
	if (stand == PLM_CLASS_REFUSES) {
		plm_life_end(life, claim, PLM_REASON_NODE_CLASS_NOT_READY, PLM_RULE_POOL_NOT_READY,
			     PLM_UNSET);
		return;
	}
	if (was_short(life, claim) && (strict || claim->failures >= PLM_LAUNCH_TRIES)) {
		plm_life_end(life, claim,
			     strict ? PLM_REASON_INSUFFICIENT_CAPACITY : PLM_REASON_LAUNCH_FAILED,
			     strict ? PLM_RULE_STOCK_OUT : PLM_RULE_CLOUD_REFUSED,
			     strict ? PLM_UNSET : PLM_LAUNCH_TRIES);
		return;
	}
	if (life->pass == NULL) {
		life->pass = PLM_NEW(life->sched.arena, struct plm_pass);
		plm_pass_begin_types(life->pass, life->st, life->sched.arena);
	}
	if (!plm_emit_launch(life->pass, id, life->out)) {
		plm_life_end(life, claim, PLM_REASON_INSUFFICIENT_CAPACITY, PLM_RULE_STOCK_OUT,
			     PLM_UNSET);
	}
}

static void look_at_wanted(struct plm_life *life, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(life->st, id);

	if (is_over(life, launch_deadline(plm_root(life->st), claim))) {
		plm_life_end(life, claim, PLM_REASON_LAUNCH_FAILED, PLM_RULE_TIMEOUT,
			     plm_root(life->st)->launch_timeout_ms);
	} else if (claim->intent == 0 &&
		   !may_be_there(claim, plm_root(life->st)->instances_listed)) {
		launch(life, id);
	}
}

/* ---- what a node is told ----------------------------------------------------------------------- */

static bool has_label(const struct plm_life *life, const struct plm_object *object,
		      enum plm_known_word key)
{
	plm_sym value = {0};

	return plm_kv_get(life->st, object->labels, life->sched.known[key], &value) &&
	       plm_sym_equal(value, life->sched.known[PLM_KNOWN_TRUE]);
}

static bool has_taint(const struct plm_taints *taints, plm_sym key)
{
	for (uint32_t i = 0; i < taints->count; i++) {
		if (plm_sym_equal(taints->list[i].key, key)) {
			return true;
		}
	}
	return false;
}

/* Labels of the claim that the node lacks or has otherwise, and 'mark' = "true"; sorted by key. */
static struct plm_vec labels_for(const struct plm_life *life, const struct plm_node_claim *claim,
				 const struct plm_node *node, enum plm_known_word mark)
{
	uint32_t count = 0;
	const struct plm_kv *list = PLM_SPAN(life->st, claim->object.labels, struct plm_kv, &count);
	struct plm_w_kv *rows =
		PLM_NEW_ARRAY(life->sched.arena, (size_t)count + 1, struct plm_w_kv);
	struct plm_w_kv own = {text(life, life->sched.known[mark]),
			       text(life, life->sched.known[PLM_KNOWN_TRUE])};
	uint32_t used = 0;
	bool placed = false;

	for (uint32_t i = 0; mark == PLM_KNOWN_REGISTERED && i < count; i++) {
		struct plm_slice key = text(life, list[i].key);
		plm_sym had = {0};

		if (plm_slice_equal(key, own.key) || plm_slice_is(key, "plimsoll.dev/intent") ||
		    (plm_kv_get(life->st, node->object.labels, list[i].key, &had) &&
		     plm_sym_equal(had, list[i].value))) {
			continue;
		}
		if (!placed && plm_slice_compare(own.key, key) < 0) {
			rows[used++] = own;
			placed = true;
		}
		rows[used++] = (struct plm_w_kv){key, text(life, list[i].value)};
	}
	if (!placed) {
		rows[used++] = own;
	}
	return (struct plm_vec){rows, used};
}

/* The claim's taints and startup taints that the node lacks. */
static struct plm_vec taints_for(const struct plm_life *life, const struct plm_node_claim *claim,
				 const struct plm_node *node)
{
	struct plm_taints has = plm_taints_of(&life->sched, node->taints);
	plm_sym wanted[2] = {claim->taints, claim->startup_taints};
	struct plm_w_taint *rows = NULL;
	uint32_t room = 0;
	uint32_t used = 0;

	for (uint32_t w = 0; w < 2; w++) {
		room += plm_taints_of(&life->sched, wanted[w]).count;
	}
	rows = PLM_NEW_ARRAY(life->sched.arena, room, struct plm_w_taint);
	for (uint32_t w = 0; w < 2; w++) {
		struct plm_taints taints = plm_taints_of(&life->sched, wanted[w]);

		for (uint32_t i = 0; i < taints.count; i++) {
			uint32_t k = 0;

			while (k < has.count && !plm_taint_equal(&has.list[k], &taints.list[i])) {
				k++;
			}
			if (k == has.count) {
				rows[used++] = (struct plm_w_taint){
					.key = text(life, taints.list[i].key),
					.value = text(life, taints.list[i].value),
					.effect = taints.list[i].effect};
			}
		}
	}
	PLM_ASSERT(used <= room);
	return (struct plm_vec){rows, used};
}

static struct plm_vec one_text(const struct plm_life *life, struct plm_slice word)
{
	struct plm_slice *row = PLM_NEW(life->sched.arena, struct plm_slice);

	*row = word;
	return (struct plm_vec){row, 1};
}

static void tell_node(const struct plm_life *life, const struct plm_node_claim *claim,
		      const struct plm_node *node, enum plm_known_word mark)
{
	struct plm_arena *arena = life->sched.arena;
	struct plm_w_intent *intent = PLM_NEW(arena, struct plm_w_intent);
	struct plm_w_req_node_sync *request = PLM_NEW(arena, struct plm_w_req_node_sync);
	struct plm_taints taints = plm_taints_of(&life->sched, node->taints);

	*intent = (struct plm_w_intent){.call = PLM_CALL_NODE_SYNC,
					.kind = PLM_KIND_NODE,
					.name = text(life, node->object.name),
					.uid = text(life, node->object.uid),
					.encoder = PLM_ENCODER_VERSION,
					.deadline_ms = PLM_UNSET};
	request->node = intent->name;
	request->uid = intent->uid;
	request->claim = text(life, claim->object.name);
	request->labels = labels_for(life, claim, node, mark);
	if (mark == PLM_KNOWN_REGISTERED) {
		if (!has_label(life, &node->object, PLM_KNOWN_DO_NOT_SYNC)) {
			request->taints = taints_for(life, claim, node);
		}
		if (has_taint(&taints, life->sched.known[PLM_KNOWN_UNREGISTERED])) {
			request->untaint = one_text(
				life, text(life, life->sched.known[PLM_KNOWN_UNREGISTERED]));
		}
		if (node->termination_finalizer == 0) {
			request->finalizers =
				one_text(life, plm_slice_str("karpenter.sh/termination"));
		}
	}
	(void)plm_out_intent(life->out, intent, request, PLM_CAUSE_CYCLE);
}

static void register_node(const struct plm_life *life, const struct plm_node_claim *claim,
			  const struct plm_node *node)
{
	struct plm_taints taints = plm_taints_of(&life->sched, node->taints);

	if ((claim->synced & PLM_SYNCED_REGISTERED) != 0) {
		return; /* told, the node's own word is on its way */
	}
	if ((claim->noted & PLM_NOTED_NO_TAINT) == 0 &&
	    !has_taint(&taints, life->sched.known[PLM_KNOWN_UNREGISTERED])) {
		note(life, claim,
		     &(struct plm_w_explain){.rule = PLM_RULE_UNREGISTERED_TAINT,
					     .reason = PLM_REASON_UNREGISTERED_TAINT_MISSING,
					     .object = text(life, node->object.name),
					     .need = PLM_UNSET,
					     .have = PLM_UNSET,
					     .limit = PLM_UNSET});
	}
	tell_node(life, claim, node, PLM_KNOWN_REGISTERED);
}

/* ---- initialization ---------------------------------------------------------------------------- */

static bool has_starting_taint(const struct plm_life *life, const struct plm_node_claim *claim,
			       const struct plm_node *node)
{
	struct plm_taints taints = plm_taints_of(&life->sched, node->taints);
	struct plm_taints startup = plm_taints_of(&life->sched, claim->startup_taints);

	for (uint32_t i = 0; i < taints.count; i++) {
		if (plm_taint_ephemeral(&life->sched, &taints.list[i])) {
			return true;
		}
		for (uint32_t k = 0; k < startup.count; k++) {
			if (plm_taint_equal(&taints.list[i], &startup.list[k])) {
				return true;
			}
		}
	}
	return false;
}

static bool is_common(const struct plm_life *life, plm_sym resource)
{
	return plm_sym_equal(resource, life->sched.known[PLM_KNOWN_CPU]) ||
	       plm_sym_equal(resource, life->sched.known[PLM_KNOWN_MEMORY]) ||
	       plm_sym_equal(resource, life->sched.known[PLM_KNOWN_PODS]) ||
	       plm_slice_is(text(life, resource), "ephemeral-storage");
}

static int64_t amount_of(const struct plm_state *st, plm_sym amounts, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].resource, resource)) {
			return list[i].amount;
		}
	}
	return 0;
}

/* Is every extended resource that was asked for there, as device plugins report it? */
static bool has_extended(const struct plm_life *life, const struct plm_node_claim *claim,
			 const struct plm_node *node)
{
	uint32_t count = 0;
	const struct plm_amount *asked =
		PLM_SPAN(life->st, claim->requests, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (asked[i].amount > 0 && !is_common(life, asked[i].resource) &&
		    amount_of(life->st, node->allocatable, asked[i].resource) == 0) {
			return false;
		}
	}
	return true;
}

static void initialize_node(const struct plm_life *life, const struct plm_node_claim *claim,
			    const struct plm_node *node)
{
	if ((claim->synced & PLM_SYNCED_INITIALIZED) != 0 || node->ready == 0 ||
	    has_starting_taint(life, claim, node) || !has_extended(life, claim, node)) {
		return;
	}
	tell_node(life, claim, node, PLM_KNOWN_INITIALIZED);
}

/* ---- what was promised ------------------------------------------------------------------------- */

/* The first resource that was asked for and of which the node has less than 90 % of what was promised. */
static bool falls_short(const struct plm_life *life, const struct plm_node_claim *claim,
			const struct plm_node *node, struct plm_w_explain *why)
{
	uint32_t count = 0;
	const struct plm_amount *asked =
		PLM_SPAN(life->st, claim->requests, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		int64_t need = amount_of(life->st, claim->capacity, asked[i].resource);
		int64_t have = amount_of(life->st, node->capacity, asked[i].resource);

		if (asked[i].amount > 0 && need > 0 && have < need / 10 * 9 + need % 10 * 9 / 10) {
			why->resource = text(life, asked[i].resource);
			why->need = need;
			why->have = have;
			return true;
		}
	}
	return false;
}

/* Said when it changes; nothing hangs on it (karpenter.md 2.13, Consistency). */
static void compare_node(const struct plm_life *life, const struct plm_node_claim *claim,
			 const struct plm_node *node)
{
	struct plm_w_explain why = {.rule = PLM_RULE_FITS,
				    .reason = PLM_REASON_NONE,
				    .object = text(life, node->object.name),
				    .need = PLM_UNSET,
				    .have = PLM_UNSET,
				    .limit = PLM_UNSET};
	bool was_short_before = (claim->noted & PLM_NOTED_INCONSISTENT) != 0;

	if (falls_short(life, claim, node, &why)) {
		why.rule = PLM_RULE_CONSISTENCY;
		why.reason = PLM_REASON_FAILED_CONSISTENCY_CHECK;
		if (!was_short_before) {
			note(life, claim, &why);
		}
	} else if (was_short_before) {
		note(life, claim, &why);
	}
}

/* ---- the cycle --------------------------------------------------------------------------------- */

static void look_at_node(const struct plm_life *life, const struct plm_node_claim *claim)
{
	plm_id id = claim->node.n == 0
			    ? (plm_id){0}
			    : plm_find(life->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);
	const struct plm_node *node = plm_node_at(life->st, id);

	if (id.n == 0 || plm_root(life->st)->observe_only != 0) {
		return;
	}
	if (claim->phase == PLM_CLAIM_LAUNCHED) {
		register_node(life, claim, node);
		return;
	}
	if (claim->phase == PLM_CLAIM_JOINED) {
		initialize_node(life, claim, node);
	} else {
		compare_node(life, claim, node);
	}
}

static void look_at_launched(const struct plm_life *life, const struct plm_node_claim *claim)
{
	if (claim->ended_by_cloud != 0) {
		plm_life_end(life, claim, PLM_REASON_INSTANCE_GONE, PLM_RULE_CLOUD_REFUSED,
			     PLM_UNSET);
	} else if (claim->phase == PLM_CLAIM_LAUNCHED &&
		   is_over(life, registration_deadline(plm_root(life->st), claim))) {
		plm_life_end(life, claim, PLM_REASON_REGISTRATION_TIMEOUT, PLM_RULE_TIMEOUT,
			     plm_root(life->st)->registration_timeout_ms);
	} else {
		look_at_node(life, claim);
	}
}

void plm_life_look(struct plm_life *life, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(life->st, id);

	PLM_ASSERT(claim->phase != PLM_CLAIM_ENDING);
	if (claim->object.deleting_ms != PLM_UNSET) {
		plm_life_end(life, claim, PLM_REASON_DELETED, PLM_RULE_DELETED_OUTSIDE, PLM_UNSET);
	} else if (claim->phase == PLM_CLAIM_WANTED) {
		look_at_wanted(life, id);
	} else {
		look_at_launched(life, claim);
	}
}

/* ---- health of a pool -------------------------------------------------------------------------- */

void plm_life_outcome(struct plm_state *st, plm_id id, bool registered)
{
	const struct plm_node_claim *claim = plm_node_claim_at(st, id);
	plm_id pool_id = claim->pool.n == 0
				 ? (plm_id){0}
				 : plm_find(st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	struct plm_node_pool *pool = NULL;

	if ((claim->noted & PLM_NOTED_OUTCOME) != 0 || pool_id.n == 0) {
		return;
	}
	plm_node_claim_edit(st, id)->noted |= PLM_NOTED_OUTCOME;
	pool = plm_node_pool_edit(st, pool_id);
	pool->launch_ring = (pool->launch_ring << 1 | (registered ? 1U : 0U)) &
			    ((1U << PLM_LIMIT_HEALTH_RING) - 1);
	if (pool->launches < PLM_LIMIT_HEALTH_RING) {
		pool->launches++;
	}
}

enum plm_health plm_life_health(const struct plm_node_pool *pool)
{
	uint32_t good = 0;
	uint32_t bad = 0;

	for (uint32_t ring = pool->launch_ring; ring != 0; ring &= ring - 1) {
		good++;
	}
	bad = pool->launches - good;
	PLM_ASSERT(pool->launches >= good && pool->launches <= PLM_LIMIT_HEALTH_RING);
	if (bad * 2 >= PLM_LIMIT_HEALTH_RING) {
		return PLM_HEALTH_BAD;
	}
	return good == 0 ? PLM_HEALTH_UNKNOWN : PLM_HEALTH_GOOD;
}
