/*
 * assess.h - the full evaluation of one workload: flavors, victims, fewer pods
 *
 * Source: kueue.md 2.8.
 */
#ifndef PLM_REDUCERS_ADMISSION_ASSESS_H
#define PLM_REDUCERS_ADMISSION_ASSESS_H

#include "reducers/admission/flavor.h"

struct plm_result {
	struct plm_assess assess;
	struct plm_targets targets;
};

/* Who asks, in which queue; 'spent' counts candidates. */
void plm_assess_begin(struct plm_applicant *a, struct plm_quotas *snap, plm_id workload,
		      uint32_t node, uint64_t *spent);
void plm_assess_run(struct plm_applicant *a, struct plm_result *out);

#endif
