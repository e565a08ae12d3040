/*
 * refusals.h - what failed for good a moment ago, so that it is not tried again at the rate of round trips
 *
 * Owns: of each (call, object) that failed, how often in a row and until when another effect of that sort on that object
 * waits: doubled each time, up to PLM_LIMIT_REFUSED_MS. Who decides anew decides at once, and the API server would say
 * no again. At most PLM_LIMIT_REFUSALS; the one that is due first makes room.
 * Does not: drop or change an effect, know why.
 */
#ifndef PLM_ADAPTERS_KUBE_REFUSALS_H
#define PLM_ADAPTERS_KUBE_REFUSALS_H

#include "core/event.h"
#include "core/limits.h"
#include "hash/hash.h"

struct plm_refusal {
	struct plm_hash128 object;
	enum plm_call call; /* NONE: an empty row */
	uint32_t count;	    /* in a row */
	int64_t due_ms;	    /* boot clock */
};

struct plm_refusals {
	struct plm_refusal rows[PLM_LIMIT_REFUSALS];
	uint32_t used; /* rows that were ever taken: none is behind them */
};

void plm_refusals_failed(struct plm_refusals *refusals, enum plm_call call,
			 struct plm_hash128 object, int64_t first_ms, int64_t now_ms);
void plm_refusals_done(struct plm_refusals *refusals, enum plm_call call,
		       struct plm_hash128 object);
/* How long such an effect waits from now on; 0 = not at all. */
int64_t plm_refusals_wait_ms(const struct plm_refusals *refusals, enum plm_call call,
			     struct plm_hash128 object, int64_t now_ms);

#endif
