/*
 * The disruption phase of a cycle: one command at most, by the first method that finds one.
 */
#include "reducers/area.h"
#include "reducers/disruption/method.h"
#include "reducers/provision/emit.h"
#include "reducers/provision/explain.h"

/*
 * In this order (karpenter.md 3.1): Emptiness, StaticDrift, Drift, MultiNodeConsolidation,
 * SingleNodeConsolidation. Each further one is a row at its place.
 */
static plm_method_fn *const methods[] = {
	plm_disrupt_empty,
};

/* ---- writing out ------------------------------------------------------------------------------- */

static struct plm_slice name_of(const struct plm_disruption *d, const struct plm_candidate *c)
{
	return plm_sched_text(&d->book.sched, plm_node_claim_at(d->st, c->claim)->object.name);
}

static void put_disrupt(const struct plm_disruption *d, const struct plm_candidate *c,
			const struct plm_w_explain *why, int64_t at_ms)
{
	struct plm_w_disrupt *w = PLM_NEW(d->arena, struct plm_w_disrupt);

	*w = (struct plm_w_disrupt){.name = name_of(d, c), .validate_ms = at_ms, .why = *why};
	(void)plm_out_add(d->out, PLM_EV_DISRUPT, w, PLM_CAUSE_CYCLE);
}

void plm_disrupt_node(const struct plm_disruption *d, const struct plm_candidate *c,
		      const struct plm_w_explain *why)
{
	struct plm_w_claim_end *w = NULL;

	PLM_ASSERT(c->blocker.rule == PLM_RULE_NONE);
	if (d->wait_ms > 0) {
		put_disrupt(d, c, why, plm_add_sat(d->now_ms, d->wait_ms));
		return;
	}
	w = PLM_NEW(d->arena, struct plm_w_claim_end);
	*w = (struct plm_w_claim_end){
		.name = name_of(d, c), .reason = (enum plm_reason)why->reason, .why = *why};
	(void)plm_out_add(d->out, PLM_EV_CLAIM_END, w, PLM_CAUSE_CYCLE);
}

void plm_disrupt_drop(const struct plm_disruption *d, const struct plm_candidate *c,
		      const struct plm_w_explain *why)
{
	put_disrupt(d, c, why, PLM_UNSET);
}

void plm_disrupt_blocked(const struct plm_disruption *d, const struct plm_candidate *c,
			 const struct plm_w_explain *why, int64_t until_ms)
{
	const struct plm_node_claim *claim = plm_node_claim_at(d->st, c->claim);
	struct plm_w_blocked *w = NULL;

	if (plm_why_said(d->st, &claim->blocked, why) && claim->blocked_until_ms == until_ms) {
		return;
	}
	w = PLM_NEW(d->arena, struct plm_w_blocked);
	*w = (struct plm_w_blocked){.name = name_of(d, c), .until_ms = until_ms, .why = *why};
	(void)plm_out_add(d->out, PLM_EV_BLOCKED, w, PLM_CAUSE_CYCLE);
}

struct plm_w_explain plm_blocker_explain(const struct plm_candidates *book,
					 const struct plm_candidate *c)
{
	const struct plm_state *st = book->sched.st;
	const struct plm_object *node = &plm_node_at(st, c->node)->object;
	struct plm_w_explain why = {.kind = PLM_KIND_NODE,
				    .name = plm_sched_text(&book->sched, node->name),
				    .rule = c->blocker.rule,
				    .reason = PLM_REASON_DISRUPTION_BLOCKED,
				    .object = plm_blocker_object(&book->sched, &c->blocker),
				    .need = PLM_UNSET,
				    .have = PLM_UNSET,
				    .limit = PLM_UNSET,
				    .detail = plm_sched_text(&book->sched, node->name)};

	if (c->blocker.rule == PLM_RULE_PDB || c->blocker.rule == PLM_RULE_PDBS) {
		plm_id pod = book->nodes[c->node.n].guard_pod;

		why.detail = plm_emit_key(&book->sched, &plm_pod_at(st, pod)->object);
	}
	if (c->claim.n != 0) {
		why.kind = PLM_KIND_NODE_CLAIM;
		why.name =
			plm_sched_text(&book->sched, plm_node_claim_at(st, c->claim)->object.name);
	}
	return why;
}

/* ---- the phase --------------------------------------------------------------------------------- */

enum need {
	NEED_NOTHING,
	NEED_COMMAND,
	NEED_PATIENCE, /* a command waits to be looked at again */
	NEED_VALIDATION,
};

static enum need need_of(const struct plm_state *st, int64_t now_ms)
{
	enum need need = NEED_NOTHING;

	PLM_EACH(st, node, id)
	{
		plm_id claim = plm_node_at(st, id)->claim;
		int64_t at = claim.n == 0 ? 0 : plm_node_claim_at(st, claim)->validate_ms;

		if (at != 0 && !plm_claim_leaves(plm_node_claim_at(st, claim))) {
			return at <= now_ms ? NEED_VALIDATION : NEED_PATIENCE;
		}
		if (plm_may_be_empty(st, id, now_ms)) {
			need = NEED_COMMAND;
		}
	}
	return need;
}

bool plm_disruption_step(const struct plm_state *st, struct plm_cycle_run *run,
			 struct plm_arena *scratch, struct plm_out *out)
{
	enum need need = need_of(st, run->cycle.now_ms);
	struct plm_disruption *d = NULL;

	if (need == NEED_NOTHING || need == NEED_PATIENCE) {
		return true;
	}
	d = PLM_NEW(scratch, struct plm_disruption);
	*d = (struct plm_disruption){
		.st = st, .arena = scratch, .out = out, .now_ms = run->cycle.now_ms};
	plm_candidates_gather(&d->book, st, scratch, d->now_ms);
	if (need == NEED_VALIDATION) {
		d->book.fresh = true;
		plm_validate_empty(d);
		return true;
	}
	d->wait_ms =
		plm_root(st)->compat == PLM_COMPAT_STRICT ? plm_root(st)->disruption_wait_ms : 0;
	for (size_t i = 0; i < PLM_COUNTOF(methods); i++) {
		if (methods[i](d)) {
			break;
		}
	}
	return true;
}

static void sooner(const struct plm_state *st, int64_t *next, int64_t at_ms)
{
	/* What was due and stayed waits for something to happen, not for time. */
	if (at_ms != PLM_UNSET && at_ms > plm_root(st)->now_ms &&
	    (*next == PLM_UNSET || at_ms < *next)) {
		*next = at_ms;
	}
}

int64_t plm_disruption_next_due(const struct plm_state *st)
{
	int64_t next = PLM_UNSET;

	PLM_EACH(st, node, id)
	{
		const struct plm_node *node = plm_node_at(st, id);
		const struct plm_node_claim *claim = plm_node_claim_at(st, node->claim);

		if (node->claim.n == 0 || plm_claim_leaves(claim)) {
			continue;
		}
		if (node->keepers == 0) {
			sooner(st, &next, plm_consolidatable_ms(st, id));
			sooner(st, &next, claim->blocked_until_ms);
		}
		if (claim->validate_ms != 0) {
			sooner(st, &next, claim->validate_ms);
		}
	}
	return next;
}
