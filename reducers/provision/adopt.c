#include "reducers/provision/adopt.h"

#include "reducers/provision/orphan.h"

/* ---- fold: claims ------------------------------------------------------------------------------ */

static int64_t blind_at(int64_t away_ms, int64_t blind_ms, int64_t now_ms)
{
	return away_ms == PLM_UNSET
		       ? blind_ms
		       : plm_add_sat(blind_ms, plm_max(0, plm_sub_sat(now_ms, away_ms)));
}

void plm_adopt_begin(struct plm_state *st, plm_id id, int64_t now_ms)
{
	const struct plm_root *root = plm_root(st);
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	claim->blind_kube_ms = blind_at(root->kube_away_ms, root->kube_blind_ms, now_ms);
	claim->blind_cloud_ms = blind_at(root->cloud_away_ms, root->cloud_blind_ms, now_ms);
}

void plm_adopt_fold_claim(struct plm_state *st, plm_id id)
{
	static const enum plm_known_word keys[4] = {PLM_KNOWN_INSTANCE_TYPE, PLM_KNOWN_ZONE,
						    PLM_KNOWN_CAPACITY_TYPE,
						    PLM_KNOWN_RESERVATION_ID};
	struct plm_node_claim *claim = NULL;
	plm_sym *to[4] = {NULL};
	struct plm_sched sched;

	if (id.n == 0 || plm_node_claim_at(st, id)->provider_id.n == 0) {
		return;
	}
	claim = plm_node_claim_edit(st, id);
	to[0] = &claim->instance_type;
	to[1] = &claim->zone;
	to[2] = &claim->capacity_type;
	to[3] = &claim->reservation;
	plm_sched_init(&sched, st, NULL);
	for (uint32_t i = 0; i < PLM_COUNTOF(keys); i++) {
		if (to[i]->n == 0) {
			(void)plm_kv_get(st, claim->object.labels, sched.known[keys[i]], to[i]);
		}
	}
	plm_orphan_known(st, claim->provider_id);
}

/* ---- fold: what can be seen -------------------------------------------------------------------- */

/*
 * Another process: since the last cycle of the one before it nobody looked. What its lists say is not known
 * yet, so nothing that hangs on a complete list may be decided.
 */
void plm_adopt_fold_epoch(struct plm_state *st)
{
	int64_t last_ms = plm_root(st)->now_ms;

	plm_root_change(st)->claims_listed = (plm_sym){0};
	plm_root_change(st)->instances_listed = 0;
	plm_root_change(st)->nodes_listed = 0;
	if (plm_root(st)->workloads_listed == PLM_LISTED_NOW) {
		plm_root_change(st)->workloads_listed = PLM_LISTED_ONCE;
	}
	if (last_ms > 0) {
		plm_life_away(st, PLM_SOURCE_KUBE, true, last_ms);
		plm_life_away(st, PLM_SOURCE_CLOUD, true, last_ms);
	}
}

/*
 * An object that was made and that a list does not show was deleted again, or the list is of before: it is asked
 * for once more, and its name says whether it is there. One that was given up is waited for.
 */
static void unmake_unseen(struct plm_state *st)
{
	PLM_EACH(st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(st, id);

		if (claim->making == PLM_MADE && claim->object.seq == 0 &&
		    claim->phase != PLM_CLAIM_ENDING) {
			plm_node_claim_edit(st, id)->making = PLM_MAKING_NOT;
		}
	}
}

void plm_adopt_fold_listed(struct plm_state *st, const struct plm_fold *fold,
			   const struct plm_w_listed *w, int64_t now_ms)
{
	if (w->kind == PLM_KIND_NODE_CLAIM) {
		plm_root_change(st)->claims_listed = plm_fold_text(
			fold, w->revision.size > 0 ? w->revision : plm_slice_str("0"));
		unmake_unseen(st);
	} else if (w->kind == PLM_KIND_WORKLOAD) {
		plm_root_change(st)->workloads_listed = PLM_LISTED_NOW;
		plm_root_change(st)->queues_dirty = 1;
	} else if (w->kind == PLM_KIND_NODE) {
		plm_root_change(st)->nodes_listed = 1;
		plm_life_away(st, PLM_SOURCE_KUBE, false, now_ms);
	} else if (w->kind == PLM_KIND_NONE) {
		plm_root_change(st)->instances_listed = 1;
		plm_life_away(st, PLM_SOURCE_CLOUD, false, now_ms);
	}
	plm_root_change(st)->nodes_dirty = 1;
}

/* ---- fold: what was asked for ------------------------------------------------------------------ */

static void mark(struct plm_state *st, enum plm_call call, enum plm_kind kind, plm_sym name,
		 bool asked)
{
	plm_id id = name.n == 0 ? (plm_id){0} : plm_find(st, kind, (plm_sym){0}, name);
	struct plm_node_claim *claim = NULL;
	uint32_t bit = 0;

	if (id.n == 0) {
		return;
	}
	if (kind == PLM_KIND_NODE_POOL) {
		plm_node_pool_edit(st, id)->told = asked;
	} else if (kind == PLM_KIND_NODE_CLASS || kind == PLM_KIND_NODE_TEMPLATE) {
		plm_node_class_edit(st, id)->told = asked;
	} else if (kind == PLM_KIND_NODE_CLAIM) {
		bit = call == PLM_CALL_ANNOTATE	      ? PLM_ASKED_STAMP
		      : call == PLM_CALL_CLAIM_DELETE ? PLM_ASKED_DELETE
		      : call == PLM_CALL_INSTANCE_TAG ? PLM_ASKED_TAG
						      : PLM_ASKED_FINALIZE;
		claim = plm_node_claim_edit(st, id);
		claim->asked = asked ? claim->asked | bit : claim->asked & ~bit;
	}
}

/* A claim that is not registered yet was told to register, any other one to be initialized. */
static void mark_node(struct plm_state *st, plm_sym name, bool asked)
{
	plm_id node = name.n == 0 ? (plm_id){0} : plm_find(st, PLM_KIND_NODE, (plm_sym){0}, name);
	plm_id id = node.n == 0 ? node : plm_node_at(st, node)->claim;
	struct plm_node_claim *claim = NULL;
	uint32_t bit = 0;

	if (id.n == 0) { /* its node went in between, or came again as nobody's */
		return;
	}
	claim = plm_node_claim_edit(st, id);
	bit = claim->phase == PLM_CLAIM_LAUNCHED ? PLM_SYNCED_REGISTERED : PLM_SYNCED_INITIALIZED;
	claim->synced = asked ? claim->synced | bit : claim->synced & ~bit;
}

static bool is_ours(int64_t call)
{
	return call == PLM_CALL_ANNOTATE || call == PLM_CALL_CLAIM_DELETE ||
	       call == PLM_CALL_CLAIM_FINALIZE || call == PLM_CALL_INSTANCE_TAG;
}

void plm_adopt_asked(struct plm_state *st, const struct plm_w_intent *w)
{
	plm_sym name = plm_sym_find(st, w->name);

	if (w->call == PLM_CALL_NODE_SYNC) {
		mark_node(st, name, true);
	} else if (is_ours(w->call)) {
		mark(st, (enum plm_call)w->call, (enum plm_kind)w->kind, name, true);
	}
}

void plm_adopt_undone(struct plm_state *st, const struct plm_intent *intent)
{
	if (intent->call == PLM_CALL_NODE_SYNC) {
		mark_node(st, intent->name, false);
	} else if (is_ours(intent->call)) {
		mark(st, (enum plm_call)intent->call, (enum plm_kind)intent->kind, intent->name,
		     false);
	}
}

/* ---- cycle: stamps ----------------------------------------------------------------------------- */

static struct plm_slice text(const struct plm_life *life, plm_sym sym)
{
	return plm_sched_text(&life->sched, sym);
}

/* Stamped by somebody else. What nobody ever stamped is left alone. */
static bool is_foreign(const struct plm_life *life, plm_sym version)
{
	return version.n != 0 && !plm_slice_is(text(life, version), PLM_HASH_VERSION);
}

static bool is_stale(const struct plm_life *life, plm_sym version, plm_sym stamped, plm_sym hash)
{
	return is_foreign(life, version) || (version.n != 0 && !plm_sym_equal(stamped, hash));
}

static struct plm_w_intent *new_intent(const struct plm_life *life, enum plm_call call,
				       const struct plm_object *object)
{
	struct plm_w_intent *intent = PLM_NEW(life->sched.arena, struct plm_w_intent);

	*intent = (struct plm_w_intent){.call = call,
					.kind = object->kind,
					.name = text(life, object->name),
					.uid = text(life, object->uid),
					.encoder = PLM_ENCODER_VERSION,
					.deadline_ms = PLM_UNSET};
	return intent;
}

/* At most 4, sorted by key. */
struct stamps {
	struct plm_w_kv *list;
	uint32_t count;
};

static void add(struct stamps *stamps, const char *key, struct plm_slice value)
{
	PLM_ASSERT(stamps->count < 4);
	stamps->list[stamps->count++] = (struct plm_w_kv){plm_slice_str(key), value};
}

static void annotate(const struct plm_life *life, const struct plm_object *object,
		     const struct stamps *stamps)
{
	struct plm_w_req_annotate *request = PLM_NEW(life->sched.arena, struct plm_w_req_annotate);
	struct plm_w_intent *intent = new_intent(life, PLM_CALL_ANNOTATE, object);

	PLM_ASSERT(stamps->count > 0);
	request->kind = object->kind;
	request->name = intent->name;
	request->uid = intent->uid;
	request->annotations = (struct plm_vec){stamps->list, stamps->count};
	(void)plm_out_intent(life->out, intent, request, PLM_CAUSE_CYCLE);
}

static struct stamps new_stamps(const struct plm_life *life)
{
	return (struct stamps){PLM_NEW_ARRAY(life->sched.arena, 4, struct plm_w_kv), 0};
}

static void stamp_pools(const struct plm_life *life)
{
	PLM_EACH(life->st, node_pool, id)
	{
		const struct plm_node_pool *pool = plm_node_pool_at(life->st, id);
		struct stamps stamps = {NULL, 0};

		if (pool->told != 0 ||
		    !is_stale(life, pool->stamped_version, pool->stamped_hash, pool->hash)) {
			continue;
		}
		stamps = new_stamps(life);
		add(&stamps, PLM_POOL_HASH, text(life, pool->hash));
		add(&stamps, PLM_POOL_HASH "-version", plm_slice_str(PLM_HASH_VERSION));
		annotate(life, &pool->object, &stamps);
	}
}

static void stamp_classes(const struct plm_life *life)
{
	PLM_EACH(life->st, node_class, id)
	{
		const struct plm_node_class *class = plm_node_class_at(life->st, id);
		struct stamps stamps = {NULL, 0};

		if (class->told != 0 || class->object.kind != PLM_KIND_NODE_CLASS ||
		    !is_stale(life, class->stamped_version, class->stamped_hash, class->hash)) {
			continue;
		}
		stamps = new_stamps(life);
		add(&stamps, PLM_CLASS_HASH, text(life, class->hash));
		add(&stamps, PLM_CLASS_HASH "-version", plm_slice_str(PLM_HASH_VERSION));
		annotate(life, &class->object, &stamps);
	}
}

/* A claim that was Drifted under the old hash stays so: only its version is ours then (as upstream does). */
static void stamp_claim(const struct plm_life *life, const struct plm_node_claim *claim)
{
	plm_id pool = claim->pool.n == 0
			      ? (plm_id){0}
			      : plm_find(life->st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	plm_id class = claim->class_name.n == 0 ? (plm_id){0}
						: plm_find(life->st, PLM_KIND_NODE_CLASS,
							   (plm_sym){0}, claim->class_name);
	bool drifted = claim->drifted_ms != PLM_UNSET;
	struct stamps stamps = new_stamps(life);

	if (class.n != 0 && is_foreign(life, claim->class_hash_version)) {
		if (!drifted) {
			add(&stamps, PLM_CLASS_HASH,
			    text(life, plm_node_class_at(life->st, class)->hash));
		}
		add(&stamps, PLM_CLASS_HASH "-version", plm_slice_str(PLM_HASH_VERSION));
	}
	if (pool.n != 0 && is_foreign(life, claim->pool_hash_version)) {
		if (!drifted) {
			add(&stamps, PLM_POOL_HASH,
			    text(life, plm_node_pool_at(life->st, pool)->hash));
		}
		add(&stamps, PLM_POOL_HASH "-version", plm_slice_str(PLM_HASH_VERSION));
	}
	if (stamps.count > 0) {
		annotate(life, &claim->object, &stamps);
	}
}

/* ---- cycle: tags of the instance ---------------------------------------------------------------- */

static bool has_name_tag(const struct plm_life *life, const struct plm_node_claim *claim)
{
	enum plm_kind kind = claim->class_kind == PLM_KIND_NODE_TEMPLATE ? PLM_KIND_NODE_TEMPLATE
									 : PLM_KIND_NODE_CLASS;
	plm_id id = claim->class_name.n == 0
			    ? (plm_id){0}
			    : plm_find(life->st, kind, (plm_sym){0}, claim->class_name);
	plm_sym key = plm_sym_find(life->st, plm_slice_str("Name"));
	plm_sym value = {0};

	return id.n != 0 && key.n != 0 &&
	       plm_kv_get(life->st, plm_node_class_at(life->st, id)->tags, key, &value);
}

/* What is known only when the node is there (karpenter.md 4.1), once. A name that the class gives stays. */
static void tag_instance(const struct plm_life *life, const struct plm_node_claim *claim)
{
	struct plm_w_req_instance_tag *request = NULL;
	struct plm_w_intent *intent = NULL;
	struct plm_w_kv *tags = NULL;
	uint32_t count = 0;

	if (claim->intent == 0 || claim->provider_id.n == 0 || claim->node.n == 0 ||
	    (claim->phase != PLM_CLAIM_JOINED && claim->phase != PLM_CLAIM_READY) ||
	    (claim->asked & PLM_ASKED_TAG) != 0) {
		return;
	}
	request = PLM_NEW(life->sched.arena, struct plm_w_req_instance_tag);
	tags = PLM_NEW_ARRAY(life->sched.arena, 3, struct plm_w_kv);
	intent = new_intent(life, PLM_CALL_INSTANCE_TAG, &claim->object);
	if (!has_name_tag(life, claim)) {
		tags[count++] = (struct plm_w_kv){plm_slice_str("Name"), text(life, claim->node)};
	}
	tags[count++] = (struct plm_w_kv){plm_slice_str("eks:eks-cluster-name"),
					  text(life, plm_root(life->st)->cluster_name)};
	tags[count++] = (struct plm_w_kv){plm_slice_str("karpenter.sh/nodeclaim"), intent->name};
	*request = (struct plm_w_req_instance_tag){.claim = intent->name,
						   .provider_id = text(life, claim->provider_id),
						   .tags = {tags, count}};
	(void)plm_out_intent(life->out, intent, request, PLM_CAUSE_CYCLE);
}

/* ---- cycle: the end of an object --------------------------------------------------------------- */

static bool nothing_is_left(const struct plm_node_claim *claim)
{
	bool launched = claim->provider_id.n != 0 || claim->intent != 0;

	return !launched || (claim->ended_by_cloud != 0 && claim->node.n == 0);
}

static void ask(const struct plm_life *life, const struct plm_node_claim *claim, enum plm_call call,
		enum plm_claim_asked bit)
{
	struct plm_w_req_claim *request = NULL;
	struct plm_w_intent *intent = NULL;

	if ((claim->asked & (uint32_t)bit) != 0) {
		return;
	}
	request = PLM_NEW(life->sched.arena, struct plm_w_req_claim);
	intent = new_intent(life, call, &claim->object);
	*request = (struct plm_w_req_claim){.name = intent->name, .uid = intent->uid};
	(void)plm_out_intent(life->out, intent, request, PLM_CAUSE_CYCLE);
}

/* With our finalizer an object waits for the end of its instance; without it, it must not go before. */
static void end_object(const struct plm_life *life, const struct plm_node_claim *claim)
{
	bool over = nothing_is_left(claim);

	if (claim->object.deleting_ms == PLM_UNSET && (claim->termination_finalizer != 0 || over)) {
		ask(life, claim, PLM_CALL_CLAIM_DELETE, PLM_ASKED_DELETE);
	}
	if (claim->object.deleting_ms != PLM_UNSET && claim->termination_finalizer != 0 && over) {
		ask(life, claim, PLM_CALL_CLAIM_FINALIZE, PLM_ASKED_FINALIZE);
	}
}

void plm_adopt_step(const struct plm_life *life)
{
	if (plm_root(life->st)->observe_only != 0) {
		return;
	}
	stamp_pools(life);
	stamp_classes(life);
	PLM_EACH(life->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(life->st, id);

		if (plm_root(life->st)->class_status != 0) {
			tag_instance(life, claim);
		}
		if (claim->object.seq == 0) {
			continue; /* decided by us, it has no object to write to */
		}
		if (claim->phase == PLM_CLAIM_ENDING) {
			end_object(life, claim);
		} else if ((claim->asked & PLM_ASKED_STAMP) == 0) {
			stamp_claim(life, claim);
		}
	}
}
