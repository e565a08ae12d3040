/*
 * pace.h - how fast a family of calls may go now
 *
 * Owns: a token bucket whose rate follows what the other side says: halved when it throttles (once for all that was under
 * way at that moment), given back an eighth for each second without. Beyond the rate that AWS gives by default it goes
 * as far as 'most' allows, an eighth for each second in which somebody waited: an account may have been given more.
 * What Retry-After names is waited for first.
 * Does not: know a clock, or who waits.
 */
#ifndef PLM_ADAPTERS_EC2_PACE_H
#define PLM_ADAPTERS_EC2_PACE_H

#include "adapters/http/bucket.h"

struct plm_aws_pace {
	struct plm_bucket bucket;
	int64_t most_milli;    /* never more than that */
	bool wanted;	       /* somebody waited since it was changed */
	int64_t full_milli;    /* the rate that it comes back to when nobody complains */
	int64_t changed_ms;    /* when the rate was last changed */
	int64_t slowed_ms;     /* when it was last halved */
	int64_t not_before_ms; /* no call leaves before */
	uint64_t slowed;       /* times */
};

void plm_aws_pace_init(struct plm_aws_pace *pace, int64_t rate_milli, int64_t most_milli,
		       int64_t burst, int64_t now_ms);
/* 0: go. Else look again in so many milliseconds. */
int64_t plm_aws_pace_take(struct plm_aws_pace *pace, int64_t now_ms);
/* An answer to what left at 'left_ms' said to slow down; 'retry_after_ms' may be PLM_UNSET. */
void plm_aws_pace_throttled(struct plm_aws_pace *pace, int64_t left_ms, int64_t now_ms,
			    int64_t retry_after_ms);

#endif
