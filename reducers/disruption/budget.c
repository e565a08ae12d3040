#include "reducers/disruption/budget.h"

#include "reducers/disruption/cron.h"
#include "reducers/provision/pass.h"

struct counts {
	int64_t nodes; /* managed and initialized */
	int64_t going; /* not ready, or on their way out */
};

static struct counts count_nodes(const struct plm_sched *sched, plm_sym pool)
{
	struct counts counts = {0, 0};

	PLM_EACH(sched->st, node, id)
	{
		const struct plm_node *node = plm_node_at(sched->st, id);
		const struct plm_node_claim *claim = plm_node_claim_at(sched->st, node->claim);
		bool leaves = false;

		if (node->claim.n == 0 || !plm_sym_equal(claim->pool, pool)) {
			continue;
		}
		leaves = plm_claim_leaves(claim) || node->object.deleting_ms != PLM_UNSET;
		if (claim->phase != PLM_CLAIM_READY && claim->phase != PLM_CLAIM_ENDING) {
			continue;
		}
		counts.nodes++;
		counts.going += leaves || node->ready == 0 ? 1 : 0;
	}
	return counts;
}

static bool has_reason(const struct plm_sched *sched, const struct plm_budget *budget,
		       const char *reason)
{
	uint32_t count = 0;
	const plm_sym *reasons = PLM_SPAN(sched->st, budget->reasons, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_is(sched->st, reasons[i], reason)) {
			return true;
		}
	}
	return count == 0;
}

/* "3", or "10%" of 'nodes' rounded up; what cannot be read allows nothing. */
static int64_t allowance(struct plm_slice text, int64_t nodes)
{
	int64_t number = 0;
	size_t digits = 0;

	while (digits < text.size && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') {
		number = plm_add_sat(plm_mul_sat(number, 10), text.ptr[digits] - '0');
		digits++;
	}
	if (digits == 0) {
		return 0;
	}
	if (digits == text.size) {
		return number;
	}
	if (digits + 1 == text.size && text.ptr[digits] == '%') {
		return plm_div_ceil(plm_mul_sat(number, nodes), 100);
	}
	return 0;
}

int64_t plm_budget_left(const struct plm_sched *sched, plm_id pool_id, const char *reason,
			int64_t now_ms)
{
	const struct plm_node_pool *pool = plm_node_pool_at(sched->st, pool_id);
	struct counts counts = count_nodes(sched, pool->object.name);
	uint32_t count = 0;
	const struct plm_budget *budgets =
		PLM_SPAN(sched->st, pool->budgets, struct plm_budget, &count);
	int64_t allowed = INT64_MAX;

	for (uint32_t i = 0; i < count; i++) {
		const struct plm_budget *budget = &budgets[i];

		if (!has_reason(sched, budget, reason) ||
		    !plm_cron_active(plm_str(sched->st, budget->schedule), budget->duration_ms,
				     now_ms)) {
			continue;
		}
		allowed = plm_min(allowed,
				  allowance(plm_str(sched->st, budget->nodes), counts.nodes));
	}
	if (allowed == INT64_MAX) {
		return allowed;
	}
	return plm_max(0, allowed - counts.going);
}
