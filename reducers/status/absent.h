/*
 * absent.h - features of Kueue that a workload asks for and that are not there yet
 *
 * Owns: which of them a workload meets, what is done instead, and what makes that unnecessary: a line of
 * `why` each, so that nobody has to guess from a warning that scrolled by. Does not: decide. What waits
 * for such a feature is told so by its rule. Table in docs/decisions.md.
 */
#ifndef PLM_REDUCERS_STATUS_ABSENT_H
#define PLM_REDUCERS_STATUS_ABSENT_H

#include "core/state.h"

struct plm_absent {
	const char *feature; /* "MultiKueue" */
	const char *instead; /* what is done */
	const char *lift;    /* what ends it */
	plm_sym object;	     /* the check or queue that asks for it; 0 = the workload itself */
};

#define PLM_ABSENT_MAX 4

/* Those of 'workload' into 'out', at most PLM_ABSENT_MAX; returns how many. */
uint32_t plm_absent_of(const struct plm_state *st, plm_id workload, struct plm_absent *out);

#endif
