#include "core/limits.h"
#include "reducers/area.h"
#include "reducers/publish/publish.h"

uint32_t plm_publish_room(const struct plm_publish_pass *p)
{
	/* What was not used for a while is not saved up for long. */
	int64_t from_ms =
		plm_max(plm_root(p->st)->say_at_ms, plm_sub_sat(p->now_ms, PLM_LIMIT_SAY_AFTER_MS));

	return from_ms > p->now_ms ? 0
				   : 1 + (uint32_t)((p->now_ms - from_ms) / PLM_LIMIT_SAY_EVERY_MS);
}

static void write_queues(const struct plm_publish_pass *p)
{
	uint32_t room = plm_publish_room(p);
	uint32_t half = (room + 1) / 2; /* neither keeps the other from ever being said */

	plm_publish_workloads(p);
	plm_publish_queues(p, &half);
	room -= (room + 1) / 2 - half;
	plm_publish_waiting(p, &room);
}

bool plm_publish_step(const struct plm_state *st, struct plm_cycle_run *run,
		      struct plm_arena *scratch, struct plm_out *out)
{
	const struct plm_publish_pass pass = {st, scratch, out, run->cycle.now_ms};

	if ((plm_root(st)->publish & PLM_PUBLISH_QUEUES) != 0) {
		write_queues(&pass);
	}
	if ((plm_root(st)->publish & PLM_PUBLISH_NODES) != 0) {
		plm_publish_nodes(&pass);
	}
	return true;
}

static int64_t sooner(int64_t a_ms, int64_t b_ms)
{
	if (a_ms == PLM_UNSET || b_ms == PLM_UNSET) {
		return a_ms == PLM_UNSET ? b_ms : a_ms;
	}
	return plm_min(a_ms, b_ms);
}

int64_t plm_publish_next_due(const struct plm_state *st)
{
	int64_t due_ms = PLM_UNSET;

	if ((plm_root(st)->publish & PLM_PUBLISH_QUEUES) != 0) {
		due_ms = sooner(plm_publish_workloads_due(st), plm_publish_queues_due(st));
	}
	if ((plm_root(st)->publish & PLM_PUBLISH_NODES) != 0) {
		due_ms = sooner(due_ms, plm_publish_nodes_due(st));
	}
	return due_ms;
}
