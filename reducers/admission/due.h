/*
 * due.h - when a workload has to be looked at without anything happening
 *
 * Owns: the rule of each timer of the life cycle. Does not: act (life.c does), keep them in order
 * (core/timer_heap.h does). Source: kueue.md 2.14.
 */
#ifndef PLM_REDUCERS_ADMISSION_DUE_H
#define PLM_REDUCERS_ADMISSION_DUE_H

#include "core/state.h"

/* The earliest timer of 'workload', PLM_UNSET when it has none. */
int64_t plm_due(const struct plm_state *st, const struct plm_workload *workload);

/* The timers one by one; PLM_UNSET when it does not run. */
int64_t plm_due_execution(const struct plm_workload *workload);
int64_t plm_due_ready(const struct plm_workload *workload);
int64_t plm_due_requeue(const struct plm_workload *workload);
/* The Workload of what has ended is deleted then. */
int64_t plm_due_finished(const struct plm_state *st, const struct plm_workload *workload);
/* The job of what we have deactivated is deleted then. */
int64_t plm_due_deactivated(const struct plm_state *st, const struct plm_workload *workload);

#endif
