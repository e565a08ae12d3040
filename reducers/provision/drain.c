/*
 * Claims on their way in, once per cycle: timeouts, further launches, who is given up. What is given up goes
 * out by way of reducers/disruption/drain.h. Sources: karpenter.md 2.13, 3.11.
 */
#include "reducers/disruption/drain.h"
#include "reducers/area.h"
#include "reducers/disruption/forced.h"
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
	} else if (claim->phase == PLM_CLAIM_LAUNCHED && claim->object.seq == 0 &&
		   past(d, claim->launched_ms, limit)) {
		end_claim(d, claim, PLM_REASON_REGISTRATION_TIMEOUT, PLM_RULE_TIMEOUT, limit);
	}
}

/* ---- the cycle ---------------------------------------------------------------------------------- */

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
		break; /* drain.h */
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
	plm_forced_all(&d->sched, out, d->now_ms);
	plm_drain_all(&d->sched, out, d->now_ms);
	return true;
}

static int64_t claim_due(const struct plm_state *st, const struct plm_node_claim *claim)
{
	const struct plm_root *root = plm_root(st);

	if (claim->phase == PLM_CLAIM_WANTED && claim->object.seq == 0 &&
	    root->launch_timeout_ms > 0) {
		return plm_add_sat(claim->decided_ms, root->launch_timeout_ms);
	}
	if (claim->phase == PLM_CLAIM_LAUNCHED && claim->object.seq == 0 &&
	    root->registration_timeout_ms > 0 && claim->launched_ms != PLM_UNSET) {
		return plm_add_sat(claim->launched_ms, root->registration_timeout_ms);
	}
	return PLM_UNSET;
}

int64_t plm_claims_next_due(const struct plm_state *st)
{
	int64_t due = plm_drain_next_due(st);
	int64_t forced = plm_forced_next_due(st);

	if (forced != PLM_UNSET && (due == PLM_UNSET || forced < due)) {
		due = forced;
	}
	PLM_EACH(st, node_claim, id)
	{
		int64_t own = claim_due(st, plm_node_claim_at(st, id));

		if (own != PLM_UNSET && (due == PLM_UNSET || own < due)) {
			due = own;
		}
	}
	return due;
}
