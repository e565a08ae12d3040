/*
 * metrics.h - what the daemon says about itself: health pages, Prometheus text
 *
 * Owns: the numbers, put by the loop after each turn and read by the HTTP threads; the pages. The
 * process is alive while its engine thread makes batches (one a second at least), and ready while it
 * runs and the disk has room.
 */
#ifndef PLM_METRICS_H
#define PLM_METRICS_H

#include "engine_thread.h"
#include "http.h"
#include "snapshot_worker.h"

struct plm_status {
	struct plm_engine_report engine;
	struct plm_ring_stats ring;
	struct plm_snapshot_worker_stats snapshots;
	uint64_t effects_in_flight, effects_sent, effects_kept;
	bool enforces_queues, enforces_nodes;
	bool ending; /* SIGTERM has come */
};

struct plm_metrics; /* opaque */

struct plm_metrics *plm_metrics_new(struct plm_clock clock); /* owned; never NULL */
void plm_metrics_free(struct plm_metrics *metrics);	     /* NULL-safe */
void plm_metrics_put(struct plm_metrics *metrics, const struct plm_status *status);

/* Pages for struct plm_http_options, 'self' is the metrics: /healthz /livez /readyz; /metrics /version. */
void plm_metrics_health_page(void *self, const char *path, struct plm_http_page *out);
void plm_metrics_page(void *self, const char *path, struct plm_http_page *out);

#endif
