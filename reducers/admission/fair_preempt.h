/*
 * fair_preempt.h - the search for victims under fair sharing
 *
 * Owns: the choice of the queue with the highest share, the two strategies: kueue.md 2.12. Called by
 * plm_preempt_find() only.
 */
#ifndef PLM_REDUCERS_ADMISSION_FAIR_PREEMPT_H
#define PLM_REDUCERS_ADMISSION_FAIR_PREEMPT_H

#include "reducers/admission/preempt.h"

struct plm_targets plm_fair_preempt_find(const struct plm_preemptor *p,
					 const struct plm_need *need);

#endif
