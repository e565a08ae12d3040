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
#include "follower.h"
#include "snapshot_worker.h"
#include "web.h"

#define PLM_READY_CHECKS 8
struct plm_ready_check {
	const char *name; /* static */
	bool ok;
	char why[128]; /* why not, or what of it */
};

struct plm_status {
	struct plm_engine_report engine;
	struct plm_ring_stats ring;
	struct plm_snapshot_worker_stats snapshots;
	uint64_t effects_in_flight, effects_sent, effects_kept;
	bool enforces_queues, enforces_nodes;
	bool ending; /* SIGTERM has come */
	/* What else it must have to be ready: "lease", "watches"; the wiring's to say. */
	struct plm_ready_check checks[PLM_READY_CHECKS];
	size_t check_count;
	/* the questions of clients */
	uint64_t questions, questions_refused, streams;
};

struct plm_metrics; /* opaque */

struct plm_metrics *plm_metrics_new(struct plm_clock clock); /* owned; never NULL */
void plm_metrics_free(struct plm_metrics *metrics);	     /* NULL-safe */
void plm_metrics_put(struct plm_metrics *metrics, const struct plm_status *status);

struct plm_status plm_metrics_get(struct plm_metrics *metrics);

/* /healthz /livez /readyz, with 'verbose' each check by its name; any other path is left alone. */
void plm_metrics_health(struct plm_metrics *metrics, const char *path, bool verbose,
			struct plm_web_answer *out);
void plm_metrics_version(struct plm_web_answer *out);
/* The page for Prometheus. 'status' is a struct plm_status; 'view' is frozen, and used up. */
void plm_metrics_write(void *status, const struct plm_follower_view *view, FILE *out);

#endif
