/*
 * written.h - fingerprints of what a Workload's status says
 *
 * Owns: what of a workload counts as a change of its status, so that nothing is written that says the same
 * as before: two numbers, equal as long as a reader of the object would learn nothing new. Numbers within a
 * message do not count (exact.md 3). Only compared for equality; they stand in the state, so every build
 * makes the same ones (FNV-1a over the members). Does not: compose the status (reducers/publish).
 */
#ifndef PLM_CORE_WRITTEN_H
#define PLM_CORE_WRITTEN_H

#include "core/state.h"

struct plm_written {
	uint64_t status; /* conditions but for what is less urgent, admission, counts; never 0 */
	uint64_t waits;	 /* less urgent: why it waits, whether its pods are ready; 0 = neither */
};

struct plm_written plm_written_of(const struct plm_state *st, plm_id workload);

#endif
