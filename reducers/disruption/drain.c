#include "reducers/disruption/drain.h"

#include "core/limits.h"
#include "core/sort.h"
#include "reducers/disruption/evict.h"
#include "reducers/disruption/forced.h"
#include "reducers/disruption/hold.h"
#include "reducers/disruption/leave.h"
#include "reducers/provision/pass.h"

/* ---- time --------------------------------------------------------------------------------------- */

int64_t plm_drain_deadline(const struct plm_node_claim *claim)
{
	int64_t cloud = claim->interrupted_ms == 0 ? PLM_UNSET : claim->interrupted_ms;

	if (claim->deadline_ms == 0) {
		return cloud;
	}
	return cloud == PLM_UNSET ? claim->deadline_ms : plm_min(cloud, claim->deadline_ms);
}

int64_t plm_drain_delete_ms(const struct plm_node_claim *claim, const struct plm_pod *pod)
{
	if (claim->deadline_ms == 0 || pod->grace_s == PLM_UNSET) {
		return PLM_UNSET;
	}
	return plm_sub_sat(claim->deadline_ms, plm_mul_sat(pod->grace_s, 1000));
}

/* ---- stages ------------------------------------------------------------------------------------- */

/* One claim, as far as it comes in this cycle. */
struct way {
	struct plm_leaving *l;
	const struct plm_node_claim *claim;
	const struct plm_node *node; /* NULL = it has none (any more) */
	enum plm_drain_stage stage;
	uint32_t cut; /* bits of enum plm_drain_mark: what the deadline ended */
};

static struct plm_slice text(const struct way *w, plm_sym sym)
{
	return plm_sched_text(w->l->sched, sym);
}

static struct plm_w_intent *new_intent(const struct way *w, enum plm_call call,
				       const struct plm_object *object)
{
	struct plm_w_intent *intent = PLM_NEW(w->l->sched->arena, struct plm_w_intent);

	*intent = (struct plm_w_intent){.call = call,
					.kind = object->kind,
					.ns = text(w, object->ns),
					.name = text(w, object->name),
					.uid = text(w, object->uid),
					.encoder = PLM_ENCODER_VERSION,
					.deadline_ms = PLM_UNSET};
	return intent;
}

static bool is_open(const struct way *w, enum plm_call call, const struct plm_object *object)
{
	const struct plm_state *st = w->l->sched->st;

	PLM_EACH(st, intent, id)
	{
		const struct plm_intent *intent = plm_intent_at(st, id);

		if (intent->call == (uint32_t)call && intent->kind == object->kind &&
		    plm_sym_equal(intent->ns, object->ns) &&
		    plm_sym_equal(intent->name, object->name)) {
			return true;
		}
	}
	return false;
}

static bool is_closed(const struct plm_sched *sched, const struct plm_node *node)
{
	struct plm_taints taints = plm_taints_of(sched, node->taints);

	for (uint32_t i = 0; i < taints.count; i++) {
		if (plm_sym_equal(taints.list[i].key, sched->known[PLM_KNOWN_DISRUPTED])) {
			return true;
		}
	}
	return false;
}

/* Keep new pods and new connections away. */
static void close_node(const struct way *w)
{
	struct plm_arena *arena = w->l->sched->arena;
	struct plm_w_req_node_taint *request = NULL;
	struct plm_w_kv *label = NULL;

	if (w->claim->cordoned != PLM_CORDONED_NOT) {
		return; /* told, the node's own word is on its way */
	}
	request = PLM_NEW(arena, struct plm_w_req_node_taint);
	label = PLM_NEW(arena, struct plm_w_kv);
	*label = (struct plm_w_kv){
		plm_slice_str("node.kubernetes.io/exclude-from-external-load-balancers"),
		plm_slice_str("karpenter")};
	request->node = text(w, w->node->object.name);
	request->uid = text(w, w->node->object.uid);
	request->taint =
		(struct plm_w_taint){.key = text(w, w->l->sched->known[PLM_KNOWN_DISRUPTED]),
				     .effect = PLM_EFFECT_NO_SCHEDULE};
	request->labels = (struct plm_vec){label, 1};
	(void)plm_out_intent(w->l->out, new_intent(w, PLM_CALL_NODE_TAINT, &w->node->object),
			     request, PLM_CAUSE_CYCLE);
}

/* The stage, or what it waits for, is another one than was said last. */
static void say(struct way *w, const struct plm_drain_wait *wait)
{
	const struct plm_why *last = &w->claim->drain_why;
	struct plm_w_drain *drain = NULL;

	if (w->stage == (enum plm_drain_stage)w->claim->drain_stage && last->seq != 0 &&
	    last->rule == (uint32_t)wait->rule &&
	    plm_slice_equal(text(w, last->object), wait->object)) {
		return;
	}
	drain = PLM_NEW(w->l->sched->arena, struct plm_w_drain);
	drain->name = text(w, w->claim->object.name);
	drain->stage = w->stage;
	drain->cut = w->cut;
	drain->why = (struct plm_w_explain){.kind = PLM_KIND_NODE_CLAIM,
					    .name = drain->name,
					    .rule = wait->rule,
					    .reason = wait->reason,
					    .object = wait->object,
					    .need = PLM_UNSET,
					    .have = wait->pods,
					    .limit = plm_drain_deadline(w->claim),
					    .detail = wait->detail};
	(void)plm_out_add(w->l->out, PLM_EV_DRAIN, drain, PLM_CAUSE_CYCLE);
}

static bool past_deadline(const struct way *w)
{
	int64_t deadline = plm_drain_deadline(w->claim);

	return deadline != PLM_UNSET && deadline <= w->l->now_ms;
}

/* A pod has to be deleted now to have its grace period: no place is waited for then. */
static bool has_to_hurry(const struct way *w, const struct plm_leaving_node *on)
{
	for (uint32_t i = 0; i < on->count; i++) {
		int64_t delete_ms =
			plm_drain_delete_ms(w->claim, plm_pod_at(w->l->sched->st, on->pods[i]));

		if (delete_ms != PLM_UNSET && delete_ms <= w->l->now_ms) {
			return true;
		}
	}
	return false;
}

/* True when nothing is left that the drain waits for. */
static bool drain(struct way *w, const struct plm_leaving_node *on)
{
	int64_t since_ms =
		w->claim->drain_stage == PLM_DRAIN_NONE ? w->l->now_ms : w->claim->draining_ms;
	struct plm_drain_wait wait = {0};

	if (!has_to_hurry(w, on) && plm_hold_pods(w->l, w->claim, on, &wait)) {
		say(w, &wait);
		return false;
	}
	wait = plm_evict_pods(w->l, w->claim, on);

	/* What was asked to go has its answer first, or a moment for it. */
	if (past_deadline(w) &&
	    (wait.unanswered == 0 ||
	     plm_sub_sat(w->l->now_ms, plm_drain_deadline(w->claim)) >= PLM_DRAIN_LAST_MS)) {
		w->cut |= wait.pods > 0 ? PLM_CUT_PODS : 0;
		return true;
	}
	if (wait.pods == 0 && plm_sub_sat(w->l->now_ms, since_ms) >= PLM_DRAIN_LEAST_MS) {
		return true;
	}
	if (wait.pods == 0) {
		wait.rule =
			PLM_RULE_MIN_DRAIN; /* one may be bound that nobody has told us of yet */
		wait.reason = PLM_REASON_DRAINING;
	}
	say(w, &wait);
	return false;
}

/*
 * The instance is told, and its own word that it has gone is waited for. Should that get lost, it is told
 * once more.
 */
static void terminate(const struct way *w)
{
	struct plm_w_req_terminate *request = NULL;

	if (w->claim->provider_id.n == 0 || is_open(w, PLM_CALL_TERMINATE, &w->claim->object) ||
	    (w->claim->terminate_ms != 0 &&
	     plm_sub_sat(w->l->now_ms, w->claim->terminate_ms) < PLM_TERMINATE_AGAIN_MS)) {
		return;
	}
	request = PLM_NEW(w->l->sched->arena, struct plm_w_req_terminate);
	request->claim = text(w, w->claim->object.name);
	request->provider_id = text(w, w->claim->provider_id);
	(void)plm_out_intent(w->l->out, new_intent(w, PLM_CALL_TERMINATE, &w->claim->object),
			     request, PLM_CAUSE_CYCLE);
}

static void ask_node(const struct way *w, enum plm_call call, enum plm_drain_mark mark)
{
	struct plm_w_req_node_delete *request = NULL;

	if ((w->claim->drain_marks & (uint32_t)mark) != 0) {
		return; /* told, the node's own word is on its way */
	}
	request = PLM_NEW(w->l->sched->arena, struct plm_w_req_node_delete);
	request->node = text(w, w->node->object.name);
	request->uid = text(w, w->node->object.uid);
	(void)plm_out_intent(w->l->out, new_intent(w, call, &w->node->object), request,
			     PLM_CAUSE_CYCLE);
}

/* A node with our finalizer is deleted first, so that everybody sees it go, and stays until we are done. */
static void delete_node(const struct way *w)
{
	if (w->node->termination_finalizer != 0 && w->node->object.deleting_ms == PLM_UNSET) {
		ask_node(w, PLM_CALL_NODE_DELETE, PLM_NODE_DELETED);
	}
}

static void finalize_node(const struct way *w)
{
	if (w->node->termination_finalizer != 0 && w->node->object.deleting_ms != PLM_UNSET) {
		ask_node(w, PLM_CALL_NODE_FINALIZE, PLM_NODE_FINALIZED);
	}
}

/* ---- volumes ------------------------------------------------------------------------------------ */

static bool uses(const struct way *w, const struct plm_pod *pod, plm_sym volume)
{
	const struct plm_state *st = w->l->sched->st;
	uint32_t one = 0;
	const struct plm_shape *shape = PLM_SPAN(st, pod->shape, struct plm_shape, &one);
	uint32_t count = 0;
	const struct plm_volume_use *volumes =
		one == 0 ? NULL : PLM_SPAN(st, shape->volumes, struct plm_volume_use, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_id claim =
			plm_find(st, PLM_KIND_VOLUME_CLAIM, pod->object.ns, volumes[i].claim);

		if (volumes[i].claim.n != 0 && claim.n != 0 &&
		    plm_sym_equal(plm_volume_claim_at(st, claim)->volume, volume)) {
			return true;
		}
	}
	return false;
}

/* Is the volume one of a pod that stays whatever happens? Then nobody will detach it. */
static bool is_kept(const struct way *w, plm_sym volume)
{
	const struct plm_state *st = w->l->sched->st;

	PLM_EACH(st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(st, id);

		if (plm_sym_equal(pod->node, w->node->object.name) &&
		    !plm_pod_drainable(w->l->sched, pod, w->l->now_ms) && uses(w, pod, volume)) {
			return true;
		}
	}
	return false;
}

/* How many volumes are attached that are waited for, and the first of them by name. */
static int64_t volumes_left(const struct way *w, plm_sym *out_first)
{
	const struct plm_state *st = w->l->sched->st;
	int64_t count = 0;

	*out_first = (plm_sym){0};
	PLM_EACH(st, volume_attachment, id)
	{
		const struct plm_volume_attachment *attachment = plm_volume_attachment_at(st, id);
		plm_sym name = attachment->object.name;

		if (!plm_sym_equal(attachment->node, w->node->object.name) ||
		    attachment->volume.n == 0 || is_kept(w, attachment->volume)) {
			continue;
		}
		count++;
		if (out_first->n == 0 || plm_sym_compare(st, name, *out_first) < 0) {
			*out_first = name;
		}
	}
	return count;
}

/* True when no volume is waited for any longer. */
static bool detach(struct way *w)
{
	plm_sym first = {0};
	int64_t count = volumes_left(w, &first);

	if (count == 0) {
		return true;
	}
	if (past_deadline(w)) {
		w->cut |= PLM_CUT_VOLUMES;
		return true;
	}
	w->stage = PLM_DRAIN_DETACHING;
	say(w, &(struct plm_drain_wait){.rule = PLM_RULE_VOLUMES_ATTACHED,
					.reason = PLM_REASON_AWAITING_VOLUMES,
					.object = text(w, first),
					.pods = count});
	return false;
}

/* Whether the node's stages are behind it and the instance may go. */
static bool leave_node(struct way *w, const struct plm_leaving_node *on)
{
	if (w->stage == PLM_DRAIN_TERMINATING) {
		return true;
	}
	if (!is_closed(w->l->sched, w->node) && !past_deadline(w)) {
		close_node(w);
		return false;
	}
	delete_node(w);
	if (w->stage == PLM_DRAIN_NONE) {
		w->stage = PLM_DRAIN_DRAINING;
	}
	if (w->stage == PLM_DRAIN_DRAINING && !drain(w, on)) {
		return false;
	}
	return detach(w);
}

static void go_on(struct plm_leaving *l, const struct plm_leaving_node *on)
{
	const struct plm_state *st = l->sched->st;
	struct way *w = PLM_NEW(l->sched->arena, struct way);
	plm_id node = {0};

	w->l = l;
	w->claim = plm_node_claim_at(st, on->claim);
	w->stage = (enum plm_drain_stage)w->claim->drain_stage;
	node = w->claim->node.n == 0 ? (plm_id){0}
				     : plm_find(st, PLM_KIND_NODE, (plm_sym){0}, w->claim->node);
	w->node = node.n == 0 ? NULL : plm_node_at(st, node);
	if (w->claim->ended_by_cloud != 0) {
		/* At our own word it is gone for good; else its node may only look as if. */
		if (w->node != NULL && (w->node->ready == 0 || w->stage == PLM_DRAIN_TERMINATING)) {
			delete_node(w);
			finalize_node(w);
		}
		return; /* with an instance that is gone there is nobody left to drain */
	}
	if (w->node != NULL && !leave_node(w, on)) {
		return;
	}
	w->stage = PLM_DRAIN_TERMINATING;
	if (w->claim->provider_id.n != 0) {
		say(w, &(struct plm_drain_wait){.rule = PLM_RULE_INSTANCE_ENDING,
						.reason = PLM_REASON_INSTANCE_TERMINATING,
						.pods = PLM_UNSET});
	}
	terminate(w);
}

/* ---- a node that somebody deleted --------------------------------------------------------------- */

/* Its claim goes with it: karpenter.md 3.14. Claims that are being deleted are looked at by themselves. */
static void end_deleted(const struct plm_sched *sched, struct plm_out *out)
{
	const struct plm_state *st = sched->st;

	PLM_EACH(st, node, id)
	{
		const struct plm_node *node = plm_node_at(st, id);
		const struct plm_node_claim *claim = plm_node_claim_at(st, node->claim);
		struct plm_w_claim_end *w = NULL;

		if (node->object.deleting_ms == PLM_UNSET || node->claim.n == 0 ||
		    claim->phase == PLM_CLAIM_ENDING || claim->object.deleting_ms != PLM_UNSET ||
		    claim->interrupted_ms != 0 || claim->ended_by_cloud != 0 ||
		    plm_claim_decided(out, out->count, plm_sched_text(sched, claim->object.name))) {
			continue;
		}
		w = PLM_NEW(sched->arena, struct plm_w_claim_end);
		w->name = plm_sched_text(sched, claim->object.name);
		w->reason = PLM_REASON_DELETED;
		w->why = (struct plm_w_explain){.kind = PLM_KIND_NODE_CLAIM,
						.name = w->name,
						.rule = PLM_RULE_DELETED_OUTSIDE,
						.reason = PLM_REASON_DELETED,
						.object = plm_sched_text(sched, node->object.name),
						.need = PLM_UNSET,
						.have = PLM_UNSET,
						.limit = PLM_UNSET};
		(void)plm_out_add(out, PLM_EV_CLAIM_END, w, PLM_CAUSE_CYCLE);
	}
}

void plm_drain_all(const struct plm_sched *sched, struct plm_out *out, int64_t now_ms)
{
	struct plm_leaving *l = NULL;

	end_deleted(sched, out);
	if (plm_root(sched->st)->observe_only != 0) {
		return;
	}
	l = plm_leaving_gather(sched, out, now_ms);
	for (uint32_t i = 0; i < l->count; i++) {
		go_on(l, &l->nodes[i]);
	}
}

/* ---- timers ------------------------------------------------------------------------------------- */

static void earliest(int64_t *due, int64_t ms, int64_t now_ms)
{
	if (ms != PLM_UNSET && ms > now_ms && (*due == PLM_UNSET || ms < *due)) {
		*due = ms;
	}
}

static void pod_due(int64_t *due, const struct plm_node_claim *claim, const struct plm_pod *pod,
		    int64_t now_ms)
{
	int64_t delete_ms = plm_drain_delete_ms(claim, pod);

	if (plm_pod_terminal(pod)) {
		return;
	}
	if (pod->do_not_disrupt != 0) {
		earliest(due, pod->protected_ms, now_ms);
	}
	if (pod->object.deleting_ms != PLM_UNSET) {
		earliest(due, plm_add_sat(pod->object.deleting_ms, PLM_DRAIN_STUCK_MS + 1), now_ms);
	}
	earliest(due, delete_ms, now_ms);
	if (pod->evict_ms != 0) {
		earliest(due, pod->evict_ms, now_ms);
	}
}

/* Its pods are waited for. */
static bool waits(const struct plm_node_claim *claim)
{
	return claim->phase == PLM_CLAIM_ENDING && claim->ended_by_cloud == 0 &&
	       claim->node.n != 0 && claim->drain_stage != PLM_DRAIN_TERMINATING;
}

int64_t plm_drain_next_due(const struct plm_state *st)
{
	int64_t now_ms = plm_root(st)->now_ms;
	int64_t due = PLM_UNSET;
	bool any = false;

	PLM_EACH(st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(st, id);

		if (claim->phase == PLM_CLAIM_ENDING && claim->ended_by_cloud == 0 &&
		    claim->terminate_ms != 0) {
			earliest(&due, plm_add_sat(claim->terminate_ms, PLM_TERMINATE_AGAIN_MS),
				 now_ms);
		}
		if (!waits(claim)) {
			continue;
		}
		any = true;
		earliest(&due, plm_drain_deadline(claim), now_ms);
		earliest(&due, claim->hold_until_ms, now_ms);
		if (plm_drain_deadline(claim) != PLM_UNSET) {
			earliest(&due, plm_add_sat(plm_drain_deadline(claim), PLM_DRAIN_LAST_MS),
				 now_ms);
		}
		if (claim->drain_stage == PLM_DRAIN_DRAINING) {
			earliest(&due, plm_add_sat(claim->draining_ms, PLM_DRAIN_LEAST_MS), now_ms);
		}
	}
	if (!any) {
		return due;
	}
	PLM_EACH(st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(st, id);
		plm_id node = pod->node.n == 0
				      ? (plm_id){0}
				      : plm_find(st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
		plm_id claim = node.n == 0 ? (plm_id){0} : plm_node_at(st, node)->claim;

		if (claim.n != 0 && waits(plm_node_claim_at(st, claim))) {
			pod_due(&due, plm_node_claim_at(st, claim), pod, now_ms);
		}
	}
	return due;
}

/* ---- fold --------------------------------------------------------------------------------------- */

void plm_drain_fold(struct plm_state *st, const struct plm_fold *fold, const struct plm_w_drain *w,
		    const struct plm_event *ev)
{
	plm_id id = plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, plm_sym_find(st, w->name));
	struct plm_node_claim *claim = NULL;
	enum plm_drain_stage before = PLM_DRAIN_NONE;

	if (id.n == 0) {
		return;
	}
	claim = plm_node_claim_edit(st, id);
	before = (enum plm_drain_stage)claim->drain_stage;
	PLM_ASSERT(w->stage >= (int64_t)before && w->stage <= PLM_DRAIN_TERMINATING);
	claim->drain_stage = (uint32_t)w->stage;
	claim->drain_why = plm_fold_why(fold, &w->why, ev->seq);
	if (before == PLM_DRAIN_NONE) {
		claim->draining_ms = (int64_t)ev->tick_ms;
	}
	claim->drain_marks |= (uint32_t)w->cut & (PLM_CUT_PODS | PLM_CUT_VOLUMES);
	if (before < PLM_DRAIN_DETACHING && w->stage >= PLM_DRAIN_DETACHING) {
		claim->drained_ms = (int64_t)ev->tick_ms;
	}
	if (before < PLM_DRAIN_TERMINATING && w->stage == PLM_DRAIN_TERMINATING) {
		claim->terminating_ms = (int64_t)ev->tick_ms;
	}
}

/* 'on' false: it did not come about, so it may be asked for again. */
void plm_drain_told(struct plm_state *st, const struct plm_drain_asked *asked, bool on,
		    int64_t now_ms)
{
	plm_id node = asked->kind == PLM_KIND_NODE
			      ? plm_find(st, PLM_KIND_NODE, (plm_sym){0}, asked->name)
			      : (plm_id){0};
	plm_id id = asked->kind == PLM_KIND_NODE_CLAIM
			    ? plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, asked->name)
			    : (plm_id){0};
	uint32_t mark = asked->call == PLM_CALL_NODE_DELETE	? PLM_NODE_DELETED
			: asked->call == PLM_CALL_NODE_FINALIZE ? PLM_NODE_FINALIZED
								: 0;

	if (node.n != 0 && mark != 0) {
		id = plm_node_at(st, node)->claim;
		if (id.n != 0) {
			struct plm_node_claim *claim = plm_node_claim_edit(st, id);

			claim->drain_marks =
				on ? claim->drain_marks | mark : claim->drain_marks & ~mark;
		}
	} else if (id.n != 0 && asked->call == PLM_CALL_TERMINATE) {
		plm_node_claim_edit(st, id)->terminate_ms = on ? now_ms : 0;
	}
}

void plm_drain_see_node(struct plm_state *st, plm_id id)
{
	const struct plm_node *node = plm_node_at(st, id);
	const struct plm_node_claim *claim = plm_node_claim_at(st, node->claim);
	struct plm_sched sched;

	if (id.n == 0 || node->claim.n == 0 || claim->cordoned == PLM_CORDONED_NOT) {
		return;
	}
	plm_sched_init(&sched, st, NULL);
	if (is_closed(&sched, node)) {
		if (claim->cordoned != PLM_CORDONED_SEEN) {
			plm_node_claim_edit(st, node->claim)->cordoned = PLM_CORDONED_SEEN;
		}
	} else if (claim->cordoned == PLM_CORDONED_SEEN) {
		/* Somebody opened it again. */
		plm_node_claim_edit(st, node->claim)->cordoned = PLM_CORDONED_NOT;
	}
}

void plm_drain_node_gone(struct plm_state *st, plm_id id)
{
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	claim->cordoned = PLM_CORDONED_NOT;
	claim->drain_marks &= ~(uint32_t)(PLM_NODE_DELETED | PLM_NODE_FINALIZED);
}

void plm_drain_begin(struct plm_state *st, plm_id id, bool forced, int64_t end_ms)
{
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);
	plm_id pool = plm_find(st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	int64_t grace_ms = claim->grace_ms;
	int64_t from_ms =
		claim->object.deleting_ms != PLM_UNSET ? claim->object.deleting_ms : end_ms;

	if (grace_ms == PLM_UNSET && claim->object.seq == 0 && pool.n != 0) {
		grace_ms = plm_node_pool_at(st, pool)->grace_ms;
	}
	if (forced) {
		claim->deadline_ms = end_ms;
	} else if (claim->deadline_ms == 0 && grace_ms != PLM_UNSET) {
		claim->deadline_ms = plm_add_sat(from_ms, grace_ms);
	}
}

void plm_drain_refused(struct plm_state *st, plm_id id, int64_t now_ms)
{
	struct plm_pod *pod = plm_pod_edit(st, id);
	int64_t wait_ms = PLM_EVICT_FIRST_MS;

	for (uint32_t i = 0; i < pod->evict_tries && wait_ms < PLM_EVICT_LAST_MS; i++) {
		wait_ms *= 2;
	}
	pod->evict_tries++;
	pod->evict_ms = plm_add_sat(now_ms, plm_min(wait_ms, PLM_EVICT_LAST_MS));
}
