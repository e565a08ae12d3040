#include "reducers/disruption/explain.h"

#include "reducers/disruption/method.h"
#include "reducers/provision/pass.h"

/* The record with 'rule' about the pool, as far as they all have it in common. */
static void keep(struct plm_removal *out, const struct plm_candidates *book, enum plm_rule rule)
{
	const struct plm_state *st = book->sched.st;
	plm_id pool = out->candidate.pool;

	out->why = plm_blocker_explain(book, &out->candidate);
	out->why.rule = rule;
	out->why.object = plm_sched_text(&book->sched, plm_node_pool_at(st, pool)->object.name);
}

static bool too_soon(struct plm_removal *out, const struct plm_candidates *book)
{
	const struct plm_node_pool *pool = plm_node_pool_at(book->sched.st, out->candidate.pool);

	if (pool->consolidate_after_ms == PLM_UNSET) {
		keep(out, book, PLM_RULE_NEVER);
		return true;
	}
	if (out->consolidatable_ms == PLM_UNSET || out->consolidatable_ms <= book->now_ms) {
		return false;
	}
	keep(out, book, PLM_RULE_TOO_SOON);
	out->why.limit = pool->consolidate_after_ms;
	out->until_ms = out->consolidatable_ms;
	return true;
}

static bool not_empty(struct plm_removal *out, const struct plm_candidates *book)
{
	if (plm_cost_is_empty(&out->candidate.cost)) {
		return false;
	}
	keep(out, book, PLM_RULE_NOT_EMPTY);
	out->why.object = out->why.detail;
	out->why.have = out->candidate.moving;
	return true;
}

static bool no_room(struct plm_removal *out, const struct plm_candidates *book)
{
	const struct plm_state *st = book->sched.st;
	const struct plm_node_pool *pool = plm_node_pool_at(st, out->candidate.pool);
	struct plm_allowance budget =
		plm_budget_allowance(&book->sched, out->candidate.pool, "Empty", book->now_ms);

	if (pool->min_size != PLM_UNSET && pool->min_size > 0 &&
	    plm_pool_size(st, pool->object.name) <= pool->min_size) {
		keep(out, book, PLM_RULE_KEPT);
		out->why.limit = pool->min_size;
		return true;
	}
	if (budget.left > 0) {
		return false;
	}
	keep(out, book, PLM_RULE_BUDGET);
	out->why.have = budget.going;
	out->why.limit = budget.allowed;
	out->until_ms = budget.change_ms;
	return true;
}

void plm_removal_explain(const struct plm_state *st, struct plm_arena *arena, plm_id node,
			 struct plm_removal *out)
{
	struct plm_candidates *book = PLM_NEW(arena, struct plm_candidates);
	const struct plm_node_claim *claim = NULL;

	PLM_ASSERT(node.n != 0);
	plm_candidates_gather(book, st, arena, plm_root(st)->now_ms);
	*out = (struct plm_removal){.candidate = plm_candidate_look(book, node),
				    .until_ms = PLM_UNSET,
				    .consolidatable_ms = plm_consolidatable_ms(st, node),
				    .expires_ms = PLM_UNSET,
				    .lifetime = {1, 1}};
	claim = plm_node_claim_at(st, out->candidate.claim);
	if (out->candidate.claim.n != 0 && claim->expire_ms != PLM_UNSET && claim->expire_ms > 0) {
		out->expires_ms = plm_add_sat(claim->object.created_ms, claim->expire_ms);
		out->lifetime = plm_cost_lifetime(
			claim->expire_ms, plm_sub_sat(book->now_ms, claim->object.created_ms));
	}
	if (out->candidate.blocker.rule != PLM_RULE_NONE) {
		out->why = plm_blocker_explain(book, &out->candidate);
		out->until_ms = out->candidate.blocker.until_ms;
		return;
	}
	if (too_soon(out, book) || not_empty(out, book) || no_room(out, book)) {
		return;
	}
	keep(out, book, PLM_RULE_EMPTY_NODE);
	out->why.reason = PLM_REASON_EMPTY;
	out->why.object = out->why.detail;
	out->why.detail = (struct plm_slice){0};
	out->why.resource = plm_slice_str("emptyMs");
	out->why.have = plm_sub_sat(
		book->now_ms,
		plm_sub_sat(out->consolidatable_ms,
			    plm_node_pool_at(st, out->candidate.pool)->consolidate_after_ms));
}
