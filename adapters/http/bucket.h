/*
 * bucket.h - so many calls per second, and so many at once after a rest
 *
 * Owns: the tokens. Does not: hold who waits, or know a clock. In integers, so that a rate over a day is
 * exact: a token is a million parts, and a rate of N/1000 per second adds N parts per millisecond.
 */
#ifndef PLM_ADAPTERS_HTTP_BUCKET_H
#define PLM_ADAPTERS_HTTP_BUCKET_H

#include "core/base.h"

struct plm_bucket {
	int64_t rate_milli; /* thousandths of a token per second; 0 = no bound */
	int64_t burst;	    /* tokens that it holds at most */
	int64_t parts;	    /* that it holds */
	int64_t filled_ms;  /* until when they were added */
};

/* Full at first. 'rate_milli' 0: every token is there. */
void plm_bucket_init(struct plm_bucket *bucket, int64_t rate_milli, int64_t burst, int64_t now_ms);
/* 0: a token was taken. Else none was, and there will be one in so many milliseconds. */
int64_t plm_bucket_take(struct plm_bucket *bucket, int64_t now_ms);

#endif
