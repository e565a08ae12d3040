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

/* What no status is ever equal to. */
#define PLM_WRITTEN_WRONG 1U

struct plm_written {
	/* Conditions but for what is less urgent, admission, counts; above PLM_WRITTEN_WRONG. */
	uint64_t status;
	/* Less urgent: why it waits, whether its pods are ready, which it gives back; 0 = nothing. */
	uint64_t waits;
};

struct plm_written plm_written_of(const struct plm_state *st, plm_id workload);
/* Its object does not say what became of it, by what was asked to be written last; or says another thing. */
bool plm_written_owes(const struct plm_workload *workload, struct plm_written now);

#endif
