#include "tools/unqueued.h"

#include "reducers/cluster/fold.h"

/* The pods of a group that are there, and how many it needs. */
static struct plm_slice group_text(struct plm_arena *arena, const struct plm_job *group)
{
	return plm_arena_format(arena, "%lld of the %u pods of its group are there",
				(long long)group->parallelism, group->group_total);
}

static struct plm_slice kind_text(const struct plm_state *st, struct plm_arena *arena,
				  const struct plm_job *job)
{
	struct plm_slice runtime = plm_str(st, job->runtime);

	if (job->object.kind == PLM_KIND_LEADER_WORKER_SET) {
		return plm_slice_str("its pods are queued, a group for each replica");
	}
	if (job->object.kind == PLM_KIND_TRAIN_JOB && job->pod_sets.n == 0) {
		return plm_arena_format(arena, "its runtime %.*s is not there", (int)runtime.size,
					(const char *)runtime.ptr);
	}
	return plm_slice_str("jobs are made from it; it is none itself");
}

struct plm_slice plm_unqueued_text(const struct plm_state *st, struct plm_arena *arena, plm_id id)
{
	const struct plm_job *job = plm_job_at(st, id);
	enum plm_kind kind = (enum plm_kind)job->object.kind;
	const struct plm_integration *row = plm_integration(kind);
	struct plm_slice workload = plm_str(st, job->workload);

	if (kind == PLM_KIND_POD_GROUP && job->managed == 0) {
		return group_text(arena, job);
	}
	if (row->start == PLM_START_NEVER || (kind == PLM_KIND_TRAIN_JOB && job->pod_sets.n == 0)) {
		return kind_text(st, arena, job);
	}
	if (plm_fold_managed_above(st, job->object.owner_uid)) {
		return plm_slice_str("the workload of its owner stands for it");
	}
	if (!plm_fold_integrates(st, kind, job->object.ns)) {
		return plm_arena_format(arena,
					"the integration %s is off, or does not reach its "
					"namespace",
					row->framework);
	}
	if (job->named == PLM_NAMED_NEVER) {
		return plm_slice_str("it runs on a cluster that is there: it is not queued");
	}
	if (job->managed == 1 && job->prebuilt == 1) {
		return plm_arena_format(arena, "its workload %.*s is not there yet",
					(int)workload.size, (const char *)workload.ptr);
	}
	return job->managed == 0 ? plm_slice_str("it names no queue: Plimsoll leaves it alone")
				 : plm_slice_str("its workload has been cleared away");
}
