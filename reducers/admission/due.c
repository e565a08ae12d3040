#include "reducers/admission/due.h"

#include "core/timefmt.h"

int64_t plm_due_execution(const struct plm_workload *workload)
{
	int64_t left_s = (int64_t)workload->max_execution_s - workload->past_execution_s;

	if (workload->max_execution_s == 0 || workload->stage != PLM_STAGE_ADMITTED ||
	    workload->evicted_ms != PLM_UNSET) {
		return PLM_UNSET;
	}
	return plm_add_sat(workload->admitted_ms,
			   plm_mul_sat(plm_max(left_s, 0), PLM_MS_PER_SECOND));
}

int64_t plm_due_ready(const struct plm_workload *workload)
{
	bool waits = workload->stage == PLM_STAGE_ADMITTED && workload->evicted_ms == PLM_UNSET;

	return waits ? workload->ready_by_ms : PLM_UNSET;
}

int64_t plm_due_requeue(const struct plm_workload *workload)
{
	bool stopped = workload->requeued < 0 &&
		       (workload->requeued_reason == PLM_REASON_CLUSTER_QUEUE_STOPPED ||
			workload->requeued_reason == PLM_REASON_LOCAL_QUEUE_STOPPED);
	bool waits = workload->stage == PLM_STAGE_PENDING && workload->active == 1 && !stopped;

	return waits ? workload->requeue_at_ms : PLM_UNSET;
}

int64_t plm_due_finished(const struct plm_state *st, const struct plm_workload *workload)
{
	int64_t retain_ms = plm_root(st)->retain_finished_ms;

	if (retain_ms == 0 || workload->stage != PLM_STAGE_FINISHED || workload->retired == 1 ||
	    workload->finished_ms == PLM_UNSET) {
		return PLM_UNSET;
	}
	return plm_add_sat(workload->finished_ms, retain_ms);
}

int64_t plm_due_deactivated(const struct plm_state *st, const struct plm_workload *workload)
{
	int64_t retain_ms = plm_root(st)->retain_deactivated_ms;

	if (retain_ms == 0 || workload->stage != PLM_STAGE_PENDING || workload->retired == 1 ||
	    workload->active == 1 || workload->evicted_ms == PLM_UNSET ||
	    workload->evicted_cause == PLM_REASON_NONE || workload->job.n == 0) {
		return PLM_UNSET;
	}
	return plm_add_sat(workload->evicted_ms, retain_ms);
}

static int64_t sooner(int64_t a, int64_t b)
{
	if (a == PLM_UNSET || b == PLM_UNSET) {
		return a == PLM_UNSET ? b : a;
	}
	return plm_min(a, b);
}

int64_t plm_due(const struct plm_state *st, const struct plm_workload *workload)
{
	int64_t due = sooner(plm_due_execution(workload), plm_due_ready(workload));

	PLM_ASSERT(workload->object.used == 1 && workload->stage <= PLM_STAGE_FINISHED);
	PLM_ASSERT(workload->stage == PLM_STAGE_ADMITTED || plm_due_ready(workload) == PLM_UNSET);
	due = sooner(due, plm_due_requeue(workload));
	due = sooner(due, plm_due_finished(st, workload));
	return sooner(due, plm_due_deactivated(st, workload));
}
