/*
 * Claims on their way in and out, once per cycle: timeouts, further launches, drains, terminations.
 *
 * A claim that is given up goes through: its node refuses new pods, its pods are evicted, its instance
 * is terminated. Sources: karpenter.md 2.13, 3.11, 3.14.
 */
#include "reducers/area.h"
#include "reducers/provision/emit.h"

struct drain {
	const struct plm_state *st;
	struct plm_pass *pass; /* with the catalogue, made when a launch needs it */
	struct plm_sched sched;
	struct plm_out *out;
	int64_t now_ms;
};

static struct plm_slice text(const struct drain *d, plm_sym sym)
{
	return plm_sched_text(&d->sched, sym);
}

static bool is_open(const struct drain *d, enum plm_call call, const struct plm_object *object)
{
	PLM_EACH(d->st, intent, id)
	{
		const struct plm_intent *intent = plm_intent_at(d->st, id);

		if (intent->call == (uint32_t)call && intent->kind == object->kind &&
		    plm_sym_equal(intent->ns, object->ns) &&
		    plm_sym_equal(intent->name, object->name)) {
			return true;
		}
	}
	return false;
}

static struct plm_w_intent *new_intent(const struct drain *d, enum plm_call call,
				       const struct plm_object *object)
{
	struct plm_w_intent *intent = PLM_NEW(d->sched.arena, struct plm_w_intent);

	*intent = (struct plm_w_intent){.call = call,
					.kind = object->kind,
					.ns = text(d, object->ns),
					.name = text(d, object->name),
					.uid = text(d, object->uid),
					.encoder = PLM_ENCODER_VERSION,
					.deadline_ms = PLM_UNSET};
	return intent;
}

/* ---- giving up --------------------------------------------------------------------------------- */

static void end_claim(const struct drain *d, const struct plm_node_claim *claim,
		      enum plm_reason reason, enum plm_rule rule, int64_t limit)
{
	struct plm_w_claim_end *w = PLM_NEW(d->sched.arena, struct plm_w_claim_end);

	w->name = text(d, claim->object.name);
	w->reason = reason;
	w->why = (struct plm_w_explain){.kind = PLM_KIND_NODE_CLAIM,
					.name = w->name,
					.rule = rule,
					.reason = reason,
					.object = text(d, claim->pool),
					.need = PLM_UNSET,
					.have = PLM_UNSET,
					.limit = limit};
	(void)plm_out_add(d->out, PLM_EV_CLAIM_END, w, PLM_CAUSE_CYCLE);
}

static bool past(const struct drain *d, int64_t since_ms, int64_t limit_ms)
{
	return since_ms != PLM_UNSET && limit_ms != PLM_UNSET && limit_ms > 0 &&
	       plm_add_sat(since_ms, limit_ms) <= d->now_ms;
}

/* A launch that failed: the next offers, as long as there are some and the cloud only lacks stock. */
static void launch_again(struct drain *d, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(d->st, id);

	if (d->pass == NULL) {
		d->pass = PLM_NEW(d->sched.arena, struct plm_pass);
		plm_pass_begin_types(d->pass, d->st, d->sched.arena);
	}
	if (plm_root(d->st)->observe_only != 0) {
		return;
	}
	if (claim->failures >= PLM_LAUNCH_TRIES) {
		end_claim(d, claim, PLM_REASON_LAUNCH_FAILED, PLM_RULE_CLOUD_REFUSED,
			  PLM_LAUNCH_TRIES);
	} else if (!plm_emit_launch(d->pass, id, d->out)) {
		end_claim(d, claim, PLM_REASON_INSUFFICIENT_CAPACITY, PLM_RULE_STOCK_OUT,
			  PLM_UNSET);
	}
}

static void look_at_wanted(struct drain *d, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(d->st, id);
	int64_t limit = plm_root(d->st)->launch_timeout_ms;

	if (claim->object.seq != 0) {
		return; /* somebody else's claim, somebody else launches it */
	}
	if (past(d, claim->decided_ms, limit)) {
		end_claim(d, claim, PLM_REASON_LAUNCH_FAILED, PLM_RULE_TIMEOUT, limit);
	} else if (claim->intent == 0) {
		launch_again(d, id);
	}
}

static void look_at_launched(const struct drain *d, const struct plm_node_claim *claim)
{
	int64_t limit = plm_root(d->st)->registration_timeout_ms;

	if (claim->ended_by_cloud != 0) {
		end_claim(d, claim, PLM_REASON_INSTANCE_GONE, PLM_RULE_CLOUD_REFUSED, PLM_UNSET);
	} else if (claim->interrupted_ms != 0) {
		end_claim(d, claim, PLM_REASON_INTERRUPTED, PLM_RULE_CLOUD_REFUSED, PLM_UNSET);
	} else if (claim->phase == PLM_CLAIM_LAUNCHED && claim->object.seq == 0 &&
		   past(d, claim->launched_ms, limit)) {
		end_claim(d, claim, PLM_REASON_REGISTRATION_TIMEOUT, PLM_RULE_TIMEOUT, limit);
	}
}

/* ---- draining ---------------------------------------------------------------------------------- */

/* Keep new pods away; true once the node is known to refuse them. */
static bool cordon(const struct drain *d, const struct plm_node_claim *claim,
		   const struct plm_node *node)
{
	struct plm_taints taints = plm_taints_of(&d->sched, node->taints);
	struct plm_w_req_node_taint *request = NULL;

	for (uint32_t i = 0; i < taints.count; i++) {
		if (plm_sym_equal(taints.list[i].key, d->sched.known[PLM_KNOWN_DISRUPTED])) {
			return true;
		}
	}
	if (claim->cordoned != 0) {
		return false; /* told, the node's own word is on its way */
	}
	request = PLM_NEW(d->sched.arena, struct plm_w_req_node_taint);
	request->node = text(d, node->object.name);
	request->uid = text(d, node->object.uid);
	request->taint = (struct plm_w_taint){.key = text(d, d->sched.known[PLM_KNOWN_DISRUPTED]),
					      .effect = PLM_EFFECT_NO_SCHEDULE};
	(void)plm_out_intent(d->out, new_intent(d, PLM_CALL_NODE_TAINT, &node->object), request,
			     PLM_CAUSE_CYCLE);
	return false;
}

static bool tolerates_drain(const struct drain *d, const struct plm_pod *pod)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(d->st, pod->shape, struct plm_shape, &count);
	struct plm_taint taint = {.key = d->sched.known[PLM_KNOWN_DISRUPTED],
				  .effect = PLM_EFFECT_NO_SCHEDULE};
	struct plm_tolerations tolerations = {0};

	if (count == 0) {
		return false;
	}
	tolerations.list =
		PLM_SPAN(d->st, shape->tolerations, struct plm_toleration, &tolerations.count);
	return plm_taint_tolerated(&d->sched, &taint, &tolerations);
}

static bool must_leave(const struct drain *d, const struct plm_pod *pod, plm_sym node)
{
	return plm_sym_equal(pod->node, node) && !plm_pod_terminal(pod) &&
	       !plm_pod_of_daemon(&d->sched, pod) &&
	       !plm_sym_equal(pod->object.owner_kind, d->sched.known[PLM_KNOWN_NODE]) &&
	       !tolerates_drain(d, pod);
}

static void evict(const struct drain *d, const struct plm_pod *pod)
{
	struct plm_w_req_pod *request = PLM_NEW(d->sched.arena, struct plm_w_req_pod);

	*request = (struct plm_w_req_pod){.ns = text(d, pod->object.ns),
					  .name = text(d, pod->object.name),
					  .uid = text(d, pod->object.uid),
					  .grace_ms = PLM_UNSET};
	(void)plm_out_intent(d->out, new_intent(d, PLM_CALL_POD_EVICT, &pod->object), request,
			     PLM_CAUSE_CYCLE);
}

/* Evict what has to leave; how many pods are still there. */
static uint32_t drain_pods(const struct drain *d, const struct plm_node_claim *claim)
{
	uint32_t left = 0;

	PLM_EACH(d->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(d->st, id);

		if (!must_leave(d, pod, claim->node)) {
			continue;
		}
		left++;
		if (pod->ending == 0 && pod->object.deleting_ms == PLM_UNSET &&
		    pod->do_not_disrupt == 0) {
			evict(d, pod);
		}
	}
	return left;
}

/* A node that is about to be taken, or whose grace period is over, is not waited for. */
static bool grace_over(const struct drain *d, const struct plm_node_claim *claim)
{
	plm_id pool = plm_find(d->st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);

	if (claim->interrupted_ms != 0) {
		return claim->interrupted_ms <= d->now_ms;
	}
	return pool.n != 0 && past(d, claim->ended_ms, plm_node_pool_at(d->st, pool)->grace_ms);
}

static void terminate(const struct drain *d, const struct plm_node_claim *claim)
{
	struct plm_w_req_terminate *request = NULL;

	if (claim->provider_id.n == 0 || claim->ended_by_cloud != 0 ||
	    is_open(d, PLM_CALL_TERMINATE, &claim->object)) {
		return;
	}
	request = PLM_NEW(d->sched.arena, struct plm_w_req_terminate);
	request->claim = text(d, claim->object.name);
	request->provider_id = text(d, claim->provider_id);
	(void)plm_out_intent(d->out, new_intent(d, PLM_CALL_TERMINATE, &claim->object), request,
			     PLM_CAUSE_CYCLE);
}

static void look_at_ending(const struct drain *d, const struct plm_node_claim *claim)
{
	plm_id node = claim->node.n == 0
			      ? (plm_id){0}
			      : plm_find(d->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);

	if (plm_root(d->st)->observe_only != 0 || claim->ended_by_cloud != 0) {
		return;
	}
	if (node.n != 0) {
		/* Emptiness counts from when nothing can come any more: a pod may be on its way now. */
		bool closed = cordon(d, claim, plm_node_at(d->st, node));
		uint32_t left = closed ? drain_pods(d, claim) : 0;

		if ((!closed || left > 0) && !grace_over(d, claim)) {
			return;
		}
	}
	terminate(d, claim);
}

static void look_at_claim(struct drain *d, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(d->st, id);

	switch ((enum plm_claim_phase)claim->phase) {
	case PLM_CLAIM_WANTED:
		look_at_wanted(d, id);
		break;
	case PLM_CLAIM_LAUNCHED:
	case PLM_CLAIM_JOINED:
	case PLM_CLAIM_READY:
		look_at_launched(d, claim);
		break;
	case PLM_CLAIM_ENDING:
		look_at_ending(d, claim);
		break;
	}
}

bool plm_claims_step(const struct plm_state *st, struct plm_cycle_run *run,
		     struct plm_arena *scratch, struct plm_out *out)
{
	struct drain *d = PLM_NEW(scratch, struct drain);

	d->st = st;
	d->out = out;
	d->now_ms = run->cycle.now_ms;
	plm_sched_init(&d->sched, st, scratch);
	PLM_EACH(st, node_claim, id)
	{
		look_at_claim(d, id);
	}
	return true;
}

static int64_t claim_due(const struct plm_state *st, const struct plm_node_claim *claim)
{
	const struct plm_root *root = plm_root(st);
	plm_id pool = {0};

	if (claim->phase == PLM_CLAIM_WANTED && claim->object.seq == 0 &&
	    root->launch_timeout_ms > 0) {
		return plm_add_sat(claim->decided_ms, root->launch_timeout_ms);
	}
	if (claim->phase == PLM_CLAIM_LAUNCHED && claim->object.seq == 0 &&
	    root->registration_timeout_ms > 0 && claim->launched_ms != PLM_UNSET) {
		return plm_add_sat(claim->launched_ms, root->registration_timeout_ms);
	}
	if (claim->phase != PLM_CLAIM_ENDING || claim->ended_by_cloud != 0) {
		return PLM_UNSET;
	}
	if (claim->interrupted_ms != 0) {
		return claim->interrupted_ms > root->now_ms ? claim->interrupted_ms : PLM_UNSET;
	}
	pool = plm_find(st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	if (pool.n != 0 && plm_node_pool_at(st, pool)->grace_ms != PLM_UNSET) {
		int64_t due = plm_add_sat(claim->ended_ms, plm_node_pool_at(st, pool)->grace_ms);

		return due > root->now_ms ? due : PLM_UNSET;
	}
	return PLM_UNSET;
}

int64_t plm_claims_next_due(const struct plm_state *st)
{
	int64_t due = PLM_UNSET;

	PLM_EACH(st, node_claim, id)
	{
		int64_t own = claim_due(st, plm_node_claim_at(st, id));

		if (own != PLM_UNSET && (due == PLM_UNSET || own < due)) {
			due = own;
		}
	}
	return due;
}
