/*
 * What disruption remembers of a claim: a command that waits to be looked at again, what keeps its node,
 * and when pods were last expected there. A removal itself is the claim's end, which provisioning folds.
 */
#include "reducers/area.h"
#include "reducers/cluster/parts.h"
#include "reducers/disruption/candidate.h"
#include "reducers/disruption/forced.h"

static plm_id claim_named(const struct plm_state *st, struct plm_slice name)
{
	return plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, plm_sym_find(st, name));
}

static void fold_disrupt(struct plm_state *st, const struct plm_w_disrupt *w)
{
	plm_id id = claim_named(st, w->name);

	if (id.n != 0) {
		plm_node_claim_edit(st, id)->validate_ms =
			w->validate_ms == PLM_UNSET ? 0 : w->validate_ms;
	}
}

static void fold_blocked(struct plm_state *st, const struct plm_event *ev,
			 struct plm_arena *scratch)
{
	const struct plm_w_blocked *w = ev->payload;
	struct plm_fold fold = {st, scratch};
	plm_id id = claim_named(st, w->name);
	struct plm_why why = plm_fold_why(&fold, &w->why, ev->seq);

	if (id.n != 0) {
		plm_node_claim_edit(st, id)->blocked = why;
		plm_node_claim_edit(st, id)->blocked_until_ms = w->until_ms;
	}
}

/* The first of a series counts, and the last one's time. */
static void fold_nominate(struct plm_state *st, const struct plm_event *ev)
{
	const struct plm_w_nominate *w = ev->payload;
	int64_t now_ms = (int64_t)ev->tick_ms;
	plm_sym target = plm_sym_find(st, w->target);
	plm_id id = {0};
	struct plm_node_claim *claim = NULL;
	int64_t window_ms = 0;

	if (w->claim == 1) {
		id = plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, target);
	} else {
		id = plm_find(st, PLM_KIND_NODE, (plm_sym){0}, target);
		id = id.n == 0 ? id : plm_node_at(st, id)->claim;
	}
	if (target.n == 0 || id.n == 0) {
		return;
	}
	window_ms = plm_max(plm_mul_sat(plm_root(st)->batch_max_ms, 2), PLM_NOMINATED_MIN_MS);
	claim = plm_node_claim_edit(st, id);
	if (claim->nominated_seq == 0 || plm_add_sat(claim->nominated_ms, window_ms) <= now_ms) {
		claim->nominated_seq = ev->seq;
	}
	claim->nominated_ms = now_ms;
}

/* A pod that vanishes without having been told to end was there until now. */
static void fold_gone(struct plm_state *st, const struct plm_event *ev)
{
	const struct plm_w_gone *w = ev->payload;
	plm_id id = {0};
	plm_id node = {0};

	if (w->kind != PLM_KIND_POD) {
		return;
	}
	id = plm_find(st, PLM_KIND_POD, plm_sym_find(st, w->ns), plm_sym_find(st, w->name));
	if (id.n == 0 || plm_pod_at(st, id)->seen != PLM_POD_BOUND) {
		return;
	}
	node = plm_find(st, PLM_KIND_NODE, (plm_sym){0}, plm_pod_at(st, id)->node);
	if (node.n != 0) {
		plm_node_edit(st, node)->pod_event_ms = (int64_t)ev->tick_ms;
	}
}

void plm_disruption_apply(struct plm_state *st, const struct plm_event *ev,
			  struct plm_arena *scratch)
{
	switch (ev->type) {
	case PLM_EV_DISRUPT:
		fold_disrupt(st, ev->payload);
		break;
	case PLM_EV_BLOCKED:
		fold_blocked(st, ev, scratch);
		break;
	case PLM_EV_NOMINATE:
		fold_nominate(st, ev);
		break;
	case PLM_EV_GONE:
		fold_gone(st, ev);
		break;
	case PLM_EV_EPOCH:
		plm_forced_fold_epoch(st);
		break;
	case PLM_EV_INTERRUPTION:
		plm_forced_fold(st, ev->payload, (int64_t)ev->tick_ms);
		break;
	default:
		break;
	}
}
