#include "reducers/area.h"
#include "reducers/publish/publish.h"

bool plm_publish_step(const struct plm_state *st, struct plm_cycle_run *run,
		      struct plm_arena *scratch, struct plm_out *out)
{
	const struct plm_publish_pass pass = {st, scratch, out, run->cycle.now_ms};

	if ((plm_root(st)->publish & PLM_PUBLISH_QUEUES) != 0) {
		plm_publish_workloads(&pass);
	}
	return true;
}

int64_t plm_publish_next_due(const struct plm_state *st)
{
	return (plm_root(st)->publish & PLM_PUBLISH_QUEUES) != 0 ? plm_publish_workloads_due(st)
								 : PLM_UNSET;
}
