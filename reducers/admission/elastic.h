/*
 * elastic.h - the pool that queues of the simple dialect share
 *
 * Owns: the own nominal quota of the implicit cohort "plimsoll-elastic": what the node pools allow less
 * what the queues are guaranteed. Source: dialect.md Queues.
 */
#ifndef PLM_REDUCERS_ADMISSION_ELASTIC_H
#define PLM_REDUCERS_ADMISSION_ELASTIC_H

#include "reducers/admission/snapshot.h"

#define PLM_ELASTIC_COHORT "plimsoll-elastic"
#define PLM_ELASTIC_FLAVOR "default"

/* Put the pool into the cells of the cohort's node, if the cohort is in the snapshot. */
void plm_elastic_fill(struct plm_quotas *snap);
/* What the pools allow of 'resource', PLM_UNLIMITED when nothing bounds it. */
int64_t plm_elastic_allowed(const struct plm_state *st, plm_sym resource);

#endif
