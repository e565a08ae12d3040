/*
 * leave.h - pods of a node that goes: which leave, which are waited for, which nobody may move
 *
 * Owns: Karpenter's predicates about one pod and the clock (karpenter.md 2.1, 3.2, 3.14), each once.
 * Does not: know PodDisruptionBudgets (pdb.h), nodes or claims.
 *
 *                terminal  terminating  stuck  mirror  tolerates  do-not-disrupt
 *   evictable       no         no        no      no       no           no
 *   drainable       -          -         no      no       no           -
 *   waits           no         -         no      no       no           -
 *   reschedulable   no     StatefulSet    -      no        -           -        (and not of a DaemonSet)
 */
#ifndef PLM_REDUCERS_DISRUPTION_LEAVE_H
#define PLM_REDUCERS_DISRUPTION_LEAVE_H

#include "reducers/sched/known.h"

/* Neither over nor on its way out. */
bool plm_pod_active(const struct plm_pod *pod);
/* Its annotation do-not-disrupt holds at 'now_ms'. */
bool plm_pod_protected(const struct plm_pod *pod, int64_t now_ms);
/* It may be disrupted as far as it says itself: it is not active, or not protected. */
bool plm_pod_disruptable(const struct plm_pod *pod, int64_t now_ms);
bool plm_pod_mirror(const struct plm_sched *sched, const struct plm_pod *pod);
/* It tolerates the taint of a node that is drained, so nobody moves it. */
bool plm_pod_stays(const struct plm_sched *sched, const struct plm_pod *pod);
/* More than PLM_DRAIN_STUCK_MS behind its own deletionTimestamp. */
bool plm_pod_stuck(const struct plm_pod *pod, int64_t now_ms);
bool plm_pod_evictable(const struct plm_sched *sched, const struct plm_pod *pod, int64_t now_ms);
bool plm_pod_drainable(const struct plm_sched *sched, const struct plm_pod *pod, int64_t now_ms);
/* A drain waits for it. */
bool plm_pod_waits(const struct plm_sched *sched, const struct plm_pod *pod, int64_t now_ms);
/* It needs another place when its node goes, sooner or later. */
bool plm_pod_reschedulable(const struct plm_sched *sched, const struct plm_pod *pod);

#endif
