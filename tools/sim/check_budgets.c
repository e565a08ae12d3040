/*
 * check_budgets.c - S12: no more nodes of a pool are taken away of our own accord than its budgets allow
 *
 * A model of its own: nodes are counted from the state, percentages by long division, windows minute by
 * minute. It is asked whenever a step has ended claims for being empty.
 */
#include "core/cron.h"
#include "tools/sim/runner.h"

#define MINUTE_MS 60000LL
/* Of a window: longer ones are not walked back. */
#define WALK_MAX 20000LL

/* Is there a hit among the minutes that lie less than 'duration_ms' back? False also when it is too far. */
static bool in_window(const struct plm_state *st, const struct plm_budget *budget, int64_t now_ms)
{
	struct plm_cron cron;
	int64_t minute = plm_div_floor(now_ms, MINUTE_MS) * MINUTE_MS;

	if (budget->schedule.n == 0) {
		return true;
	}
	if (plm_cron_parse(plm_str(st, budget->schedule), &cron, NULL) != PLM_OK) {
		return true;
	}
	for (int64_t i = 0; i < WALK_MAX && now_ms - minute < budget->duration_ms;
	     i++, minute -= MINUTE_MS) {
		if (plm_cron_next(&cron, minute - 1) == minute) {
			return true;
		}
	}
	return false;
}

static bool for_empty(const struct plm_state *st, const struct plm_budget *budget)
{
	uint32_t count = 0;
	const plm_sym *reasons = PLM_SPAN(st, budget->reasons, plm_sym, &count);
	bool found = count == 0;

	for (uint32_t i = 0; i < count; i++) {
		found = found || plm_sym_is(st, reasons[i], "Empty");
	}
	return found;
}

/* Nodes that 'text' lets go of 'nodes': one more for each hundredth that is begun. */
static int64_t amount(struct plm_slice text, int64_t nodes)
{
	int64_t number = 0;
	int64_t whole = 0;

	for (size_t i = 0; i < text.size && text.ptr[i] != '%'; i++) {
		number = number * 10 + (text.ptr[i] - '0');
	}
	if (text.size == 0 || text.ptr[text.size - 1] != '%') {
		return number;
	}
	while (whole * 100 < number * nodes) {
		whole++;
	}
	return whole;
}

static int64_t allowed(const struct plm_state *st, const struct plm_node_pool *pool, int64_t nodes,
		       int64_t now_ms)
{
	uint32_t count = 0;
	const struct plm_budget *budgets = PLM_SPAN(st, pool->budgets, struct plm_budget, &count);
	int64_t least = INT64_MAX;

	for (uint32_t i = 0; i < count; i++) {
		if (for_empty(st, &budgets[i]) && in_window(st, &budgets[i], now_ms)) {
			least = plm_min(least, amount(plm_str(st, budgets[i].nodes), nodes));
		}
	}
	return least;
}

/* Ended since the last look because it was empty. */
static bool is_new(const struct plm_runner *r, const struct plm_node_claim *claim)
{
	return claim->phase == PLM_CLAIM_ENDING && claim->end_reason == PLM_REASON_EMPTY &&
	       claim->why.seq > r->checked_budgets;
}

static bool is_going(const struct plm_node_claim *claim, const struct plm_node *node)
{
	return claim->phase == PLM_CLAIM_ENDING || claim->object.deleting_ms != PLM_UNSET ||
	       node->object.deleting_ms != PLM_UNSET || node->ready == 0;
}

/* Its instance was told to go: it counts no more. */
static bool is_terminated(const struct plm_node_claim *claim)
{
	return claim->phase == PLM_CLAIM_ENDING &&
	       (claim->ended_by_cloud != 0 || claim->drain_stage == PLM_DRAIN_TERMINATING);
}

static void check_pool(struct plm_runner *r, const struct plm_state *st,
		       const struct plm_node_pool *pool)
{
	int64_t nodes = 0;
	int64_t going = 0;
	int64_t fresh = 0;
	int64_t limit = 0;

	PLM_EACH(st, node, id)
	{
		const struct plm_node *node = plm_node_at(st, id);
		const struct plm_node_claim *claim = plm_node_claim_at(st, node->claim);

		if (node->claim.n == 0 || !plm_sym_equal(claim->pool, pool->object.name) ||
		    claim->initialized_ms == PLM_UNSET || is_terminated(claim)) {
			continue;
		}
		nodes++;
		going += is_going(claim, node) ? 1 : 0;
		fresh += is_new(r, claim) ? 1 : 0;
	}
	limit = allowed(st, pool, nodes, plm_root(st)->now_ms);
	if (fresh > 0 && going > limit) {
		plm_runner_broken(
			r, "S12: %lld of %lld nodes of pool %.*s go, its budgets allow %lld",
			(long long)going, (long long)nodes,
			(int)plm_str(st, pool->object.name).size,
			(const char *)plm_str(st, pool->object.name).ptr, (long long)limit);
	}
}

void plm_runner_check_budgets(struct plm_runner *r, const struct plm_state *st)
{
	bool any = false;

	PLM_EACH(st, node_claim, id)
	{
		any = any || is_new(r, plm_node_claim_at(st, id));
	}
	if (any) {
		PLM_EACH(st, node_pool, id)
		{
			check_pool(r, st, plm_node_pool_at(st, id));
		}
	}
	r->checked_budgets = st->seq;
}
