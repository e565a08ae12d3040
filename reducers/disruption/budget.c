#include "reducers/disruption/budget.h"

#include "core/cron.h"
#include "reducers/provision/pass.h"

#define HITS_MAX 1440U

static bool terminates(const struct plm_node_claim *claim)
{
	return claim->phase == PLM_CLAIM_ENDING &&
	       (claim->drain_stage == PLM_DRAIN_TERMINATING || claim->ended_by_cloud != 0);
}

/* Managed and initialized; not ready or leaving ones are on their way already. */
static void count_nodes(const struct plm_sched *sched, plm_sym pool, struct plm_allowance *out)
{
	PLM_EACH(sched->st, node, id)
	{
		const struct plm_node *node = plm_node_at(sched->st, id);
		const struct plm_node_claim *claim = plm_node_claim_at(sched->st, node->claim);
		bool leaves = false;

		if (node->claim.n == 0 || !plm_sym_equal(claim->pool, pool) ||
		    claim->initialized_ms == PLM_UNSET || terminates(claim)) {
			continue;
		}
		leaves = plm_claim_leaves(claim) || node->object.deleting_ms != PLM_UNSET;
		out->nodes++;
		out->going += leaves || node->ready == 0 ? 1 : 0;
	}
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
static int64_t amount(struct plm_slice text, int64_t nodes)
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

/* The last hit up to 'now_ms', as far as a day of minutes goes: it keeps the window open longest. */
static int64_t last_hit(const struct plm_cron *cron, int64_t first_ms, int64_t now_ms)
{
	int64_t last_ms = first_ms;

	for (uint32_t i = 0; i < HITS_MAX; i++) {
		int64_t next_ms = plm_cron_next(cron, last_ms);

		if (next_ms == PLM_UNSET || next_ms > now_ms) {
			break;
		}
		last_ms = next_ms;
	}
	PLM_ASSERT(last_ms >= first_ms && last_ms <= now_ms);
	return last_ms;
}

struct plm_window plm_budget_window(struct plm_slice schedule, int64_t duration_ms, int64_t now_ms)
{
	struct plm_window window = {.open = true, .change_ms = PLM_UNSET};
	struct plm_cron cron;
	int64_t since = 0;

	if (schedule.size == 0) {
		return window;
	}
	if (duration_ms == PLM_UNSET || plm_cron_parse(schedule, &cron, NULL) != PLM_OK) {
		window.bad = true;
		return window;
	}
	since = plm_cron_next(&cron, plm_sub_sat(now_ms, duration_ms));
	if (since == PLM_UNSET) {
		return window; /* never: upstream takes that for always */
	}
	window.open = since <= now_ms;
	window.change_ms = since;
	if (window.open) {
		window.change_ms = plm_add_sat(last_hit(&cron, since, now_ms), duration_ms);
	}
	return window;
}

static void sooner(int64_t *change_ms, int64_t other_ms)
{
	if (other_ms != PLM_UNSET && (*change_ms == PLM_UNSET || other_ms < *change_ms)) {
		*change_ms = other_ms;
	}
}

struct plm_allowance plm_budget_allowance(const struct plm_sched *sched, plm_id pool_id,
					  const char *reason, int64_t now_ms)
{
	const struct plm_node_pool *pool = plm_node_pool_at(sched->st, pool_id);
	struct plm_allowance out = {.allowed = INT64_MAX, .change_ms = PLM_UNSET};
	uint32_t count = 0;
	const struct plm_budget *budgets =
		PLM_SPAN(sched->st, pool->budgets, struct plm_budget, &count);

	PLM_ASSERT(pool_id.n != 0);
	count_nodes(sched, pool->object.name, &out);
	for (uint32_t i = 0; i < count; i++) {
		struct plm_window window = {0};
		int64_t allows = 0;

		if (!has_reason(sched, &budgets[i], reason)) {
			continue;
		}
		window = plm_budget_window(plm_str(sched->st, budgets[i].schedule),
					   budgets[i].duration_ms, now_ms);
		sooner(&out.change_ms, window.change_ms);
		if (!window.open) {
			continue;
		}
		if (!window.bad) {
			allows = amount(plm_str(sched->st, budgets[i].nodes), out.nodes);
		}
		if (allows < out.allowed) {
			out.allowed = allows;
			out.budget = i;
		}
	}
	PLM_ASSERT(out.going <= out.nodes && out.allowed >= 0);
	out.left = out.allowed == INT64_MAX ? INT64_MAX : plm_max(0, out.allowed - out.going);
	return out;
}
