/*
 * rate.h - so many calls a second, and so many at once after a pause
 *
 * Owns: a token bucket in whole numbers. Does not: read a clock, or hold a call.
 */
#ifndef PLM_ADAPTERS_KUBE_RATE_H
#define PLM_ADAPTERS_KUBE_RATE_H

#include "core/base.h"

struct plm_kube_rate {
	uint32_t rate; /* a second; 0 = no bound */
	uint32_t burst;
	int64_t milli; /* thousandths of a call that may be made now */
	int64_t at_ms;
};

void plm_kube_rate_init(struct plm_kube_rate *bucket, uint32_t rate, uint32_t burst);
/* Take one: 0 = taken, else the milliseconds until there is one. */
int64_t plm_kube_rate_take(struct plm_kube_rate *bucket, int64_t now_ms);

#endif
