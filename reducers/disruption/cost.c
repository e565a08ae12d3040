#include "reducers/disruption/cost.h"

/* A priority counts in 2^-25. */
#define PER_PRIORITY 4

int64_t plm_cost_eviction(int64_t priority, int64_t deletion_cost)
{
	int64_t cost = plm_add_sat(PLM_COST_ONE, plm_mul_sat(priority, PER_PRIORITY));

	if (deletion_cost != PLM_UNSET) {
		cost = plm_add_sat(cost, deletion_cost);
	}
	return plm_max(-PLM_COST_MAX, plm_min(cost, PLM_COST_MAX));
}

int plm_ratio_compare(struct plm_ratio a, struct plm_ratio b)
{
	plm_i128 left = (plm_i128)a.num * b.den;
	plm_i128 right = (plm_i128)b.num * a.den;

	PLM_ASSERT(a.den > 0 && b.den > 0);
	return left < right ? -1 : (left > right ? 1 : 0);
}

struct plm_ratio plm_cost_lifetime(int64_t expire_ms, int64_t age_ms)
{
	if (expire_ms == PLM_UNSET) {
		return (struct plm_ratio){1, 1};
	}
	if (expire_ms <= 0) {
		return (struct plm_ratio){0, 1};
	}
	return (struct plm_ratio){plm_max(0, plm_min(plm_sub_sat(expire_ms, age_ms), expire_ms)),
				  expire_ms};
}

struct plm_node_cost plm_cost_none(void)
{
	return (struct plm_node_cost){.pods = 0, .reschedule = PLM_COST_ONE};
}

void plm_cost_add(struct plm_node_cost *cost, int64_t eviction, bool moves)
{
	PLM_ASSERT(eviction >= -PLM_COST_MAX && eviction <= PLM_COST_MAX);
	cost->pods = plm_add_sat(cost->pods, eviction);
	if (moves) {
		cost->reschedule = plm_add_sat(cost->reschedule, plm_max(0, eviction));
	}
	PLM_ASSERT(cost->reschedule >= PLM_COST_ONE);
}

bool plm_cost_is_empty(const struct plm_node_cost *cost)
{
	return cost->reschedule <= PLM_COST_ONE;
}

int64_t plm_cost_disruption(const struct plm_node_cost *cost, struct plm_ratio lifetime)
{
	PLM_ASSERT(lifetime.den > 0 && lifetime.num >= 0 && lifetime.num <= lifetime.den);
	return (int64_t)((plm_i128)cost->pods * lifetime.num / lifetime.den);
}

struct plm_ratio plm_cost_savings(int64_t price_micro, const struct plm_node_cost *cost)
{
	PLM_ASSERT(cost->reschedule >= PLM_COST_ONE);
	return (struct plm_ratio){price_micro == PLM_UNSET ? 0 : price_micro, cost->reschedule};
}
