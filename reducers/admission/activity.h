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

/* The queue reserves capacity for its gangs before it admits them. */
bool plm_capacity_checked(const struct plm_state *st, plm_id queue);

/*
 * Are all checks ready that 'workload' needs in 'queue' with 'count' assigned 'flavors'? The check for
 * capacity is not looked at.
 */
bool plm_checks_ready(const struct plm_state *st, plm_id queue, const struct plm_workload *workload,
		      const plm_sym *flavors, uint32_t count);
/* Some check of the workload asks for a retry or was rejected. */
bool plm_checks_failed(const struct plm_state *st, const struct plm_workload *workload,
		       enum plm_check_state *out_state, plm_sym *out_name);

#endif
