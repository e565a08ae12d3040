/*
 * compare.c - the same load without Plimsoll: a plain scheduler and node groups that grow by pending pods
 */
#include "core/timefmt.h"
#include "tools/sim/runner.h"

#include <stdio.h>

static struct plm_vec types_of_pools(const struct plm_scenario *s, struct plm_arena *arena)
{
	struct plm_slice *out = NULL;
	size_t room = s->catalog.types.count;
	size_t count = 0;

	for (size_t i = 0; i < s->action_count; i++) {
		room += s->actions[i].type == PLM_EV_NODE_CLASS
				? ((const struct plm_w_node_class *)s->actions[i].payload)
					  ->instance_types.count
				: 0;
	}
	out = PLM_NEW_ARRAY(arena, room, struct plm_slice);
	for (size_t i = 0; i < s->action_count; i++) {
		const struct plm_w_node_class *class = s->actions[i].payload;
		const struct plm_slice *names = NULL;

		if (s->actions[i].what != PLM_SIM_APPLY ||
		    s->actions[i].type != PLM_EV_NODE_CLASS) {
			continue;
		}
		names = class->instance_types.ptr;
		for (size_t k = 0; k < class->instance_types.count; k++) {
			out[count++] = names[k];
		}
	}
	if (count == 0) { /* no list anywhere: every type may be used */
		const struct plm_w_instance_type *all = s->catalog.types.ptr;

		for (size_t i = 0; i < s->catalog.types.count; i++) {
			out[count++] = all[i].name;
		}
	}
	return (struct plm_vec){.ptr = out, .count = count};
}

/* Labels and taints of the first pool, the bounds of all together. */
static void groups_of_pools(const struct plm_scenario *s, struct plm_sim_plain *out)
{
	bool first = true;

	out->max_nodes = 0;
	for (size_t i = 0; i < s->action_count; i++) {
		const struct plm_w_node_pool *pool = s->actions[i].payload;

		if (s->actions[i].what != PLM_SIM_APPLY || s->actions[i].type != PLM_EV_NODE_POOL) {
			continue;
		}
		if (first) {
			out->labels = pool->labels;
			out->taints = pool->taints;
			first = false;
		}
		out->max_nodes = pool->max_size == PLM_UNSET || out->max_nodes == PLM_UNSET
					 ? PLM_UNSET
					 : out->max_nodes + pool->max_size;
	}
}

static enum plm_code play(struct plm_runner *r, struct plm_world *world, struct plm_error *err)
{
	const struct plm_scenario *s = &r->scenario;
	enum plm_code code = PLM_OK;
	size_t next = 0;

	for (size_t i = 0; code == PLM_OK && i < s->node_count; i++) {
		code = plm_world_add_node(world, &s->nodes[i], err);
	}
	while (code == PLM_OK) {
		int64_t due = plm_world_next_due(world);
		const struct plm_sim_action *action =
			next < s->action_count ? &s->actions[next] : NULL;

		if (action != NULL && (due == PLM_UNSET || action->at_ms <= due)) {
			due = plm_max(action->at_ms, plm_world_now(world));
		}
		if (due == PLM_UNSET || due > r->end_ms) {
			break;
		}
		plm_world_advance(world, due);
		for (; next < s->action_count && s->actions[next].at_ms <= due; next++) {
			action = &s->actions[next];
			if (action->what == PLM_SIM_APPLY) {
				plm_world_apply(world, action->type, action->payload,
						&action->extra);
			} else if (action->what == PLM_SIM_DELETE) {
				(void)plm_world_delete(world, action->kind, action->ns,
						       action->name);
			} else if (action->what == PLM_SIM_PATCH) {
				(void)plm_world_patch(world, action->payload);
			} else {
				(void)plm_world_scale(world, action->kind, action->ns, action->name,
						      action->replicas);
			}
		}
	}
	return code;
}

static void take_figures(struct plm_runner *r, struct plm_world *world)
{
	struct plm_sim_report *out = r->report;
	struct plm_sim_stats stats = plm_world_stats(world);
	struct plm_sim_work work;
	int64_t *waits = NULL;
	size_t count = plm_runner_waits(world, &r->arena, &waits);

	out->compared = true;
	out->other_wait_p50_ms = plm_runner_percentile(waits, count, 50);
	out->other_cost_micro_usd = stats.cost_micro_usd;
	out->other_node_hours_milli = stats.node_ms / (PLM_MS_PER_HOUR / 1000);
	for (size_t i = 0; plm_world_work(world, i, &work); i++) {
		out->other_finished += work.finished_ms != PLM_UNSET;
	}
}

/* The other side has the same cloud and people, and none of the faults: they are the engine's. */
enum plm_code plm_runner_compare(struct plm_runner *r, struct plm_error *err)
{
	struct plm_sim_options options = r->scenario.world;
	struct plm_sim_plain plain = {.scan_ms = r->scenario.compare.scan_ms,
				      .idle_ms = r->scenario.compare.idle_ms};
	struct plm_world *world = NULL;
	enum plm_code code = PLM_OK;

	options.plain = true;
	options.inbox = (struct plm_inbox){0};
	options.fault_count = 0;
	code = plm_world_new(&options, &world, err);
	if (code != PLM_OK) {
		return code;
	}
	plain.types = types_of_pools(&r->scenario, &r->arena);
	groups_of_pools(&r->scenario, &plain);
	plm_world_plain(world, &plain);
	code = play(r, world, err);
	if (code == PLM_OK) {
		take_figures(r, world);
	}
	plm_world_free(world);
	return code;
}
