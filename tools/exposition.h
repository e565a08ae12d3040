/*
 * exposition.h - metrics added up, and their text for Prometheus
 *
 * Owns: one sum per family and set of labels, buckets of histograms, samples of summaries, the text
 * format 0.0.4. What is added comes from reducers/status/metric.h. Kueue's families carry replica_role,
 * as upstream's do.
 */
#ifndef PLM_TOOLS_EXPOSITION_H
#define PLM_TOOLS_EXPOSITION_H

#include <stdio.h>

#include "core/arena.h"
#include "reducers/status/metric.h"

/* Quantiles are of what was observed within the last ten minutes, and no more than these. */
#define PLM_SUMMARY_SAMPLES 1024U
#define PLM_SUMMARY_WINDOW_MS (10LL * 60 * 1000)

struct plm_sample {
	int64_t at_ms, value;
};

struct plm_series {
	enum plm_metric_id id;
	struct plm_slice labels[PLM_METRIC_LABELS_MAX];
	int64_t sum; /* of all values */
	uint32_t decimals;
	uint64_t count;		    /* of values */
	struct plm_slice more;	    /* borrowed */
	uint64_t *buckets;	    /* histograms; not cumulative */
	struct plm_sample *samples; /* summaries: the newest PLM_SUMMARY_SAMPLES, in a ring */
};

struct plm_exposition {
	struct plm_arena *arena; /* borrowed: series and texts live there */
	struct plm_series *series;
	size_t count, capacity;
	uint32_t *cells; /* hash: index + 1, 0 = empty */
	size_t cell_count;
	int64_t now_ms; /* of what is added, and of the page */
};

/* A plm_metric_sink: values of one series add up, those of gauges too. 'self' is the exposition. */
void plm_exposition_add(void *self, const struct plm_metric *metric);
/* All series, by family and labels, with HELP and TYPE once per family. */
void plm_exposition_print(struct plm_exposition *exposition, FILE *out);

#endif
