#include "timing.h"

#include <inttypes.h>

void plm_timing_add(struct plm_timing *timing, enum plm_metric_type type, int64_t us)
{
	uint32_t count = 0;
	const int64_t *bounds = plm_metric_bounds(type, &count);

	us = plm_max(0, us);
	timing->count++;
	timing->sum_us += (uint64_t)us;
	for (uint32_t i = 0; i < count; i++) {
		if (us <= bounds[i] * 1000) {
			timing->buckets[i]++;
			return;
		}
	}
}

/* Seconds of 'ms', as Go writes them. */
static void print_bound(FILE *out, int64_t ms)
{
	int64_t rest = ms % 1000;
	int digits = 3;

	(void)fprintf(out, "%" PRId64, ms / 1000);
	if (rest == 0) {
		return;
	}
	for (; rest % 10 == 0; rest /= 10) {
		digits--;
	}
	(void)fprintf(out, ".%0*" PRId64, digits, rest);
}

void plm_timing_print(FILE *out, const struct plm_timing *timing, enum plm_metric_type type,
		      const char *name, const char *labels)
{
	uint32_t count = 0;
	const int64_t *bounds = plm_metric_bounds(type, &count);
	const char *comma = labels[0] != '\0' ? "," : "";
	const char *open = labels[0] != '\0' ? "{" : "";
	const char *close = labels[0] != '\0' ? "}" : "";
	uint64_t upto = 0;

	for (uint32_t i = 0; i < count; i++) {
		upto += timing->buckets[i];
		(void)fprintf(out, "%s_bucket{%s%sle=\"", name, labels, comma);
		print_bound(out, bounds[i]);
		(void)fprintf(out, "\"} %" PRIu64 "\n", upto);
	}
	(void)fprintf(out, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", name, labels, comma,
		      timing->count);
	(void)fprintf(out, "%s_sum%s%s%s %" PRIu64 ".%06" PRIu64 "\n", name, open, labels, close,
		      timing->sum_us / 1000000, timing->sum_us % 1000000);
	(void)fprintf(out, "%s_count%s%s%s %" PRIu64 "\n", name, open, labels, close,
		      timing->count);
}
