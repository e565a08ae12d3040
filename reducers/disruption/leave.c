#include "reducers/disruption/leave.h"

#include "core/limits.h"
#include "reducers/provision/pass.h"

bool plm_pod_active(const struct plm_pod *pod)
{
	return !plm_pod_terminal(pod) && pod->object.deleting_ms == PLM_UNSET;
}

bool plm_pod_protected(const struct plm_pod *pod, int64_t now_ms)
{
	return pod->do_not_disrupt != 0 &&
	       (pod->protected_ms == PLM_UNSET || now_ms < pod->protected_ms);
}

bool plm_pod_disruptable(const struct plm_pod *pod, int64_t now_ms)
{
	return !plm_pod_active(pod) || !plm_pod_protected(pod, now_ms);
}

bool plm_pod_mirror(const struct plm_sched *sched, const struct plm_pod *pod)
{
	return plm_sym_equal(pod->object.owner_kind, sched->known[PLM_KNOWN_NODE]);
}

bool plm_pod_stays(const struct plm_sched *sched, const struct plm_pod *pod)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(sched->st, pod->shape, struct plm_shape, &count);
	struct plm_taint taint = {.key = sched->known[PLM_KNOWN_DISRUPTED],
				  .effect = PLM_EFFECT_NO_SCHEDULE};
	struct plm_tolerations tolerations = {0};

	if (count == 0) {
		return false;
	}
	tolerations.list =
		PLM_SPAN(sched->st, shape->tolerations, struct plm_toleration, &tolerations.count);
	return plm_taint_tolerated(sched, &taint, &tolerations);
}

bool plm_pod_stuck(const struct plm_pod *pod, int64_t now_ms)
{
	return pod->object.deleting_ms != PLM_UNSET &&
	       plm_sub_sat(now_ms, pod->object.deleting_ms) > PLM_DRAIN_STUCK_MS;
}

bool plm_pod_evictable(const struct plm_sched *sched, const struct plm_pod *pod, int64_t now_ms)
{
	return plm_pod_active(pod) && !plm_pod_protected(pod, now_ms) &&
	       !plm_pod_mirror(sched, pod) && !plm_pod_stays(sched, pod);
}

bool plm_pod_drainable(const struct plm_sched *sched, const struct plm_pod *pod, int64_t now_ms)
{
	return !plm_pod_stuck(pod, now_ms) && !plm_pod_mirror(sched, pod) &&
	       !plm_pod_stays(sched, pod);
}

bool plm_pod_waits(const struct plm_sched *sched, const struct plm_pod *pod, int64_t now_ms)
{
	return !plm_pod_terminal(pod) && plm_pod_drainable(sched, pod, now_ms);
}

bool plm_pod_reschedulable(const struct plm_sched *sched, const struct plm_pod *pod)
{
	bool stateful = plm_sym_equal(pod->object.owner_kind, sched->known[PLM_KNOWN_STATEFUL_SET]);
	bool terminating = pod->object.deleting_ms != PLM_UNSET;

	return (plm_pod_active(pod) || (stateful && terminating)) &&
	       !plm_pod_of_daemon(sched, pod) && !plm_pod_mirror(sched, pod);
}
