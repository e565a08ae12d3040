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

bool plm_publish_step(const struct plm_state *st, struct plm_cycle_run *run,
		      struct plm_arena *scratch, struct plm_out *out)
{
	const struct plm_publish_pass pass = {st, scratch, out, run->cycle.now_ms};
	uint32_t room = plm_publish_room(&pass);
	uint32_t half = (room + 1) / 2; /* neither keeps the other from ever being said */

	if ((plm_root(st)->publish & PLM_PUBLISH_QUEUES) == 0) {
		return true;
	}
	plm_publish_workloads(&pass);
	plm_publish_queues(&pass, &half);
	room -= (room + 1) / 2 - half;
	plm_publish_waiting(&pass, &room);
	return true;
}

int64_t plm_publish_next_due(const struct plm_state *st)
{
	int64_t workloads_ms = PLM_UNSET;
	int64_t queues_ms = PLM_UNSET;

	if ((plm_root(st)->publish & PLM_PUBLISH_QUEUES) == 0) {
		return PLM_UNSET;
	}
	workloads_ms = plm_publish_workloads_due(st);
	queues_ms = plm_publish_queues_due(st);
	if (workloads_ms == PLM_UNSET || queues_ms == PLM_UNSET) {
		return workloads_ms == PLM_UNSET ? queues_ms : workloads_ms;
	}
	return plm_min(workloads_ms, queues_ms);
}
