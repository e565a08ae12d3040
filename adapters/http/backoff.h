/*
 * backoff.h - how long to wait before something is tried again
 *
 * Owns: exponential waits with jitter and a server's Retry-After as their floor. Does not: wait, know a
 * clock, or be part of a decision: whoever decides is told that it failed, not when it will be repeated.
 *
 * The wait doubles from 'first_ms' to 'last_ms'; what is added to it is drawn evenly below itself, as in
 * client-go, so that many clients that lost the same server do not come back together. The random numbers
 * follow from the seed alone.
 */
#ifndef PLM_ADAPTERS_HTTP_BACKOFF_H
#define PLM_ADAPTERS_HTTP_BACKOFF_H

#include "core/base.h"

struct plm_backoff_rule {
	int64_t first_ms, last_ms;
	int64_t reset_ms; /* without a failure for so long it begins anew; 0 = by plm_backoff_good() only */
};

/* Of watches: PLM_LIMIT_WATCH_BACKOFF_*. */
extern const struct plm_backoff_rule plm_backoff_watch;

struct plm_backoff {
	struct plm_backoff_rule rule;
	uint64_t random;
	int64_t failed_ms; /* when it failed last */
	uint32_t failures; /* in a row */
};

void plm_backoff_init(struct plm_backoff *backoff, const struct plm_backoff_rule *rule,
		      uint64_t seed);
/*
 * It failed at 'now_ms' (of any clock that does not step back): how long to wait before the next try.
 * 'retry_after_ms' is what the server asked for, PLM_UNSET = nothing.
 */
int64_t plm_backoff_failed(struct plm_backoff *backoff, int64_t now_ms, int64_t retry_after_ms);
/* It went well: the next failure is the first. */
void plm_backoff_good(struct plm_backoff *backoff);

#endif
