/*
 * activity.h - is a ClusterQueue active, and which checks does it ask for?
 *
 * Source: kueue.md 1.1 (reasons of the Active condition), 2.14.
 */
#ifndef PLM_REDUCERS_ADMISSION_ACTIVITY_H
#define PLM_REDUCERS_ADMISSION_ACTIVITY_H

#include "core/state.h"

/* controllerName of an AdmissionCheck that asks for capacity: DESIGN.md 6. */
#define PLM_CAPACITY_CONTROLLER "plimsoll.dev/capacity"

struct plm_activity {
	enum plm_rule rule; /* PLM_RULE_NONE: active */
	plm_sym flavor;	    /* the one that is missing */
	plm_sym detail;	    /* what is wrong with the queue, or names what is */
};

/* Why nothing is admitted in 'queue'; what is said of it names the queue. */
struct plm_activity plm_activity_of(const struct plm_state *st, plm_id queue);

/* The flavors that a workload has, or is about to get; its assignments say it where 'list' is NULL. */
struct plm_flavors {
	const plm_sym *list;
	uint32_t count;
	plm_sym assignments; /* span of plm_assignment */
};

/* The check of 'queue' that would send its workloads to other clusters (MultiKueue); 0 when there is none. */
plm_sym plm_check_elsewhere(const struct plm_state *st, plm_id queue);

/*
 * 'queue' reserves capacity for a gang with these flavors before it admits it: it does so for all, or
 * has a check of PLM_CAPACITY_CONTROLLER that applies to one of them.
 */
bool plm_capacity_needed(const struct plm_state *st, plm_id queue,
			 const struct plm_flavors *flavors);
/* The same for a workload that holds quota in a queue that is known. */
bool plm_capacity_needed_held(const struct plm_state *st, const struct plm_workload *workload);

/*
 * Are all checks ready that 'workload' needs in 'queue' with these flavors? The check for capacity is not
 * looked at. '*out_open' (may be NULL) is the first in the queue's order that is not.
 */
bool plm_checks_ready(const struct plm_state *st, plm_id queue, const struct plm_workload *workload,
		      const struct plm_flavors *flavors, plm_sym *out_open);
bool plm_checks_ready_held(const struct plm_state *st, const struct plm_workload *workload);
/* The checks that it needs with the flavors that it has, that for capacity too, by name. In 'arena'. */
uint32_t plm_checks_needed_held(const struct plm_state *st, const struct plm_workload *workload,
				struct plm_arena *arena, plm_sym **out);
/* Is the check called 'name' the one for our own capacity? */
bool plm_check_is_capacity(const struct plm_state *st, plm_sym name);
/* Some check of the workload asks for a retry or was rejected. */
bool plm_checks_failed(const struct plm_state *st, const struct plm_workload *workload,
		       enum plm_check_state *out_state, plm_sym *out_name);
/* Likewise of those that it needs with the flavors that it has. */
bool plm_checks_failed_held(const struct plm_state *st, const struct plm_workload *workload,
			    enum plm_check_state *out_state, plm_sym *out_name);
#endif
