/*
 * metrics.h - what the daemon says about itself: health pages, Prometheus text
 *
 * Owns: the numbers, put by the loop after each turn and read by the HTTP threads; the pages. The
 * process is alive while its engine thread makes batches (one a second at least), and ready while it
 * runs and the disk has room.
 */
#ifndef PLM_METRICS_H
#define PLM_METRICS_H

#include "end.h"
#include "engine_thread.h"
#include "follower.h"
#include "snapshot_worker.h"
#include "web.h"

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
	uint64_t snapshot_age_ms; /* since the newest was written; UINT64_MAX = none was */
	int64_t stall_ms;	  /* the longest turn of the loop within the last minute */
	/* from here on: filled in where the page is made */
	uint64_t log_bytes, map_bytes; /* of records; of the file */
	int64_t oldest_ms;	       /* wall time of the first event; PLM_UNSET = none */
	int64_t wall_ms;	       /* of the page */
	/* the questions of clients */
	uint64_t questions, questions_refused, streams;
};

struct plm_metrics; /* opaque */

struct plm_metrics *plm_metrics_new(struct plm_clock clock); /* owned; never NULL */
void plm_metrics_free(struct plm_metrics *metrics);	     /* NULL-safe */
void plm_metrics_put(struct plm_metrics *metrics, const struct plm_status *status);

/* Numbers of single sources and areas, told by whoever has them, on any thread; kept until told anew. */
enum plm_telling {
	PLM_TELL_WATCH_LAG,	  /* ms; a: resource */
	PLM_TELL_WATCH_RESTARTS,  /* how many so far; a: resource, b: reason */
	PLM_TELL_AGREEMENT,	  /* thousandths; a: area */
	PLM_TELL_LEADER,	  /* 1 or 0; a: name of the lease */
	PLM_TELL_CLOUD_CALLS,	  /* a: action, b: outcome; these as enum plm_cloud_number */
	PLM_TELL_CLOUD_CALL_MS,	  /* a: action */
	PLM_TELL_CLOUD_THROTTLED, /* a: action */
	PLM_TELL_CLOUD_INSTANCES,
	PLM_TELL_CLOUD_LAG,
	PLM_TELL_CLOUD_MESSAGES, /* a: kind */
	PLM_TELL_CLOUD_DELETED,
	PLM_TELL_CLOUD_UNREADABLE,
	PLM_TELL_CLOUD_CREDENTIALS,
	PLM_TELL_COUNT
};
/* 'a' and 'b' (NULL where the number has fewer labels) are copied, cut to 63 bytes. */
void plm_metrics_tell(struct plm_metrics *metrics, enum plm_telling what, const char *a,
		      const char *b, int64_t value);

struct plm_status plm_metrics_get(struct plm_metrics *metrics);

/* /healthz /livez /readyz, with 'verbose' each check by its name; any other path is left alone. */
void plm_metrics_health(struct plm_metrics *metrics, const char *path, bool verbose,
			struct plm_web_answer *out);
void plm_metrics_version(struct plm_web_answer *out);
/* All that the page for Prometheus is made of but the log. */
struct plm_metrics_page {
	struct plm_metrics *metrics;
	struct plm_status status;
	int64_t boot_ms;
};
struct plm_metrics_page plm_metrics_page(struct plm_metrics *metrics);
/* Write it. 'self' is a struct plm_metrics_page; 'view' is frozen, and used up. */
void plm_metrics_write(void *self, const struct plm_follower_view *view, FILE *out);

#endif
