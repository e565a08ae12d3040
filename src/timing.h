/*
 * timing.h - how long something took, as a histogram for Prometheus
 *
 * Owns: counts in the buckets that metrics of that kind have (reducers/status/metric.h), in
 * microseconds. Does not: take the time, or lock.
 */
#ifndef PLM_TIMING_H
#define PLM_TIMING_H

#include <stdio.h>

#include "reducers/status/metric.h"

struct plm_timing {
	uint64_t count, sum_us;
	uint64_t buckets[PLM_METRIC_BUCKETS_MAX]; /* not cumulative */
};

/* 'type' says which buckets; the same for all that is added and printed. */
void plm_timing_add(struct plm_timing *timing, enum plm_metric_type type, int64_t us);
/* The lines of one series; 'labels' is "" or like a="b". */
void plm_timing_print(FILE *out, const struct plm_timing *timing, enum plm_metric_type type,
		      const char *name, const char *labels);

#endif
