/*
 * stats.c - bills and utilisation
 */
#include "adapters/sim/world.h"

void plm_sim_account(struct plm_world *w)
{
	int64_t passed = w->now_ms - w->stats_ms;

	if (passed <= 0) {
		return;
	}
	for (size_t r = 0; r < w->resource_count; r++) {
		w->used_sum[r] += (plm_i128)w->used_now[r] * passed;
		w->ready_sum[r] += (plm_i128)w->ready_now[r] * passed;
	}
	w->stats_ms = w->now_ms;
}

struct plm_sim_stats plm_world_stats(struct plm_world *w)
{
	struct plm_sim_stats stats = w->stats;
	struct plm_w_amount *used =
		PLM_NEW_ARRAY(&w->arena, w->resource_count, struct plm_w_amount);

	for (const struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		int64_t end = i->ended_ms == PLM_UNSET ? w->now_ms : i->ended_ms;

		stats.node_ms += end - i->launched_ms;
		stats.cost_micro_usd += (int64_t)((plm_i128)i->price_micro *
						  (end - i->launched_ms) / PLM_MS_PER_HOUR);
	}
	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		if (node->my.node->instance == NULL) {
			stats.node_ms += w->now_ms - node->my.node->joined_ms;
		}
	}
	for (size_t r = 0; r < w->resource_count; r++) {
		used[r].resource = w->resources[r];
		used[r].amount = w->ready_sum[r] == 0
					 ? 0
					 : (int64_t)(w->used_sum[r] * 1000 / w->ready_sum[r]);
	}
	stats.used_permille = (struct plm_vec){.ptr = used, .count = w->resource_count};
	return stats;
}
