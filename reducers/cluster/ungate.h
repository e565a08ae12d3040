/*
 * ungate.h - pods of placed workloads are let go, each to its domain
 *
 * Owns: the intents pod.ungate for the gate that job.start and pod.create put there. Does not: choose
 * domains (reducers/tas/place.h) or which pod goes where (reducers/tas/rank.h).
 */
#ifndef PLM_REDUCERS_CLUSTER_UNGATE_H
#define PLM_REDUCERS_CLUSTER_UNGATE_H

#include "core/out.h"
#include "core/state.h"

#define PLM_TOPOLOGY_GATE "kueue.x-k8s.io/topology"

/* Ask for every gate that can go now. A workload waits until what was asked before has come about. */
void plm_ungate(const struct plm_state *st, struct plm_arena *arena, struct plm_out *out);

#endif
