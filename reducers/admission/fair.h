/*
 * fair.h - fair sharing: where it is on
 *
 * Source: kueue.md 2.9, 2.12; dialect, Queues (on in the elastic cohort).
 */
#ifndef PLM_REDUCERS_ADMISSION_FAIR_H
#define PLM_REDUCERS_ADMISSION_FAIR_H

#include "reducers/admission/snapshot.h"

/* Is the tree of 'node' shared by weight? */
bool plm_fair_sharing(const struct plm_quotas *snap, uint32_t node);

#endif
