#include "core/written.h"

#define FNV_BASIS 0xcbf29ce484222325ULL
#define FNV_PRIME 0x100000001b3ULL

static uint64_t add(uint64_t print, uint64_t value)
{
	for (uint32_t shift = 0; shift < 64; shift += 8) {
		print = (print ^ (value >> shift & 0xff)) * FNV_PRIME;
	}
	return print;
}

static uint64_t add_condition(uint64_t print, const struct plm_workload *workload)
{
	print = add(print, workload->evicted_ms == PLM_UNSET ? 0 : workload->evicted_reason.n);
	print = add(print, workload->evicted_cause);
	print = add(print, workload->evicted_ms == PLM_UNSET ? 0 : workload->preemption);
	print = add(print, (uint64_t)(int64_t)workload->requeued);
	print = add(print, workload->requeued_reason);
	print = add(print, workload->finished_reason.n);
	return print;
}

/* An object that was never written says by itself that it waits. */
bool plm_written_owes(const struct plm_workload *workload, struct plm_written now)
{
	bool begins = workload->written_print == 0 && workload->stage == PLM_STAGE_PENDING &&
		      workload->evicted_ms == PLM_UNSET && workload->requeued == 0;

	return workload->theirs == PLM_THEIRS_SEEN ||
	       (!begins && now.status != workload->written_print);
}

/* The checks that its queue asks for, while they are open: those that answer look for their entry. */
static uint32_t asked_checks(const struct plm_state *st, const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_RESERVED && workload->cluster_queue.n != 0
		       ? plm_cluster_queue_at(st, workload->cluster_queue)->checks.n
		       : 0;
}

struct plm_written plm_written_of(const struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	bool quota = workload->reserved_in.n != 0;
	struct plm_written now = {.status = add(FNV_BASIS, workload->stage)};

	now.status = add_condition(now.status, workload);
	now.status = add(now.status, workload->reserved_in.n);
	now.status = add(now.status, quota ? workload->assignments.n : 0);
	now.status = add(now.status, workload->requeue_count);
	now.status = add(now.status, (uint64_t)workload->requeue_at_ms);
	now.status = add(now.status, workload->past_execution_s);
	now.status = add(now.status, workload->evictions.n);
	now.status = add(now.status, workload->unhealthy.n);
	now.status = add(now.status, asked_checks(st, workload));
	now.status += now.status <= PLM_WRITTEN_WRONG ? PLM_WRITTEN_WRONG + 1 : 0;
	if (workload->pods_ready != PLM_PODS_UNKNOWN || workload->reclaimable.n != 0) {
		now.waits = add(FNV_BASIS, workload->pods_ready);
		now.waits = add(now.waits, workload->reclaimable.n);
	}
	if (workload->stage == PLM_STAGE_PENDING && workload->why.seq != 0) {
		now.waits = add(now.waits == 0 ? FNV_BASIS : now.waits, workload->why.rule);
		now.waits = add(now.waits, workload->why.reason);
		now.waits = add(now.waits, workload->why.object.n);
		now.waits = add(now.waits, workload->why.resource.n);
		now.waits = add(now.waits, workload->why.flavor.n);
		now.waits += now.waits == 0;
	}
	return now;
}
