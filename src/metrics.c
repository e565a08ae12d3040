#include "metrics.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/event.h"
#include "reducers/reducer.h"

/* An engine thread that made no batch for so long hangs; a large cycle takes seconds at most. */
#define HANGS_MS 60000

struct plm_metrics {
	pthread_mutex_t lock;
	struct plm_clock clock;
	int64_t begin_ms;
	struct plm_status status; /* guarded */
};

struct plm_metrics *plm_metrics_new(struct plm_clock clock)
{
	struct plm_metrics *metrics = calloc(1, sizeof(*metrics));
	int rc = metrics == NULL ? -1 : pthread_mutex_init(&metrics->lock, NULL);

	PLM_ASSERT(rc == 0);
	metrics->clock = clock;
	metrics->begin_ms = clock.boot_ms(clock.self);
	return metrics;
}

void plm_metrics_free(struct plm_metrics *metrics)
{
	if (metrics != NULL) {
		(void)pthread_mutex_destroy(&metrics->lock);
		free(metrics);
	}
}

void plm_metrics_put(struct plm_metrics *metrics, const struct plm_status *status)
{
	(void)pthread_mutex_lock(&metrics->lock);
	metrics->status = *status;
	(void)pthread_mutex_unlock(&metrics->lock);
}

struct plm_status plm_metrics_get(struct plm_metrics *metrics)
{
	struct plm_status status;

	(void)pthread_mutex_lock(&metrics->lock);
	status = metrics->status;
	(void)pthread_mutex_unlock(&metrics->lock);
	return status;
}

/* ---- health ------------------------------------------------------------------------------------ */

static const char *why_dead(const struct plm_metrics *metrics, const struct plm_status *status)
{
	int64_t last = plm_max(metrics->begin_ms, status->engine.batch_boot_ms);

	if (status->engine.ended && status->engine.code != PLM_OK) {
		return status->engine.err.text;
	}
	return metrics->clock.boot_ms(metrics->clock.self) - last > HANGS_MS
		       ? "the engine makes no batches"
		       : NULL;
}

static const char *why_not_started(const struct plm_status *status)
{
	if (status->ending) {
		return "ending";
	}
	return status->engine.batch_boot_ms == 0 ? "starting" : NULL;
}

/* Each check of a page, in order. */
struct checks {
	const struct plm_metrics *metrics;
	const struct plm_status *status;
	bool verbose, bad;
	char text[1024];
	size_t size;
};

static void PLM_PRINTF(2, 3) say(struct checks *c, const char *format, ...)
{
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(c->text + c->size, sizeof(c->text) - c->size, format, args);
	va_end(args);
	PLM_ASSERT(size >= 0);
	c->size += (size_t)size;
	c->size = c->size < sizeof(c->text) ? c->size : sizeof(c->text) - 1;
}

/* 'why' NULL = it is well. */
static void check(struct checks *c, const char *name, const char *why, const char *note)
{
	if (c->verbose) {
		say(c, "[%c]%s %s%s%s\n", why == NULL ? '+' : '-', name,
		    why == NULL ? "ok" : "failed: ", why == NULL ? "" : why, note);
	} else if (why != NULL && !c->bad) {
		say(c, "%s: %s\n", name, why);
	}
	c->bad = c->bad || why != NULL;
}

static void check_ready(struct checks *c)
{
	const struct plm_status *status = c->status;

	check(c, "started", why_not_started(status), "");
	check(c, "disk",
	      status->engine.level >= PLM_ROOM_OBSERVE ? "the disk is nearly full" : NULL, "");
	for (size_t i = 0; i < status->check_count; i++) {
		const struct plm_ready_check *one = &status->checks[i];
		char note[160] = "";

		if (one->ok && one->why[0] != '\0') {
			(void)snprintf(note, sizeof(note), ": %s", one->why);
		}
		check(c, one->name, one->ok ? NULL : one->why, note);
	}
}

void plm_metrics_health(struct plm_metrics *metrics, const char *path, bool verbose,
			struct plm_web_answer *out)
{
	struct plm_status status = plm_metrics_get(metrics);
	struct checks c = {.metrics = metrics, .status = &status, .verbose = verbose};
	bool live = strcmp(path, "/livez") == 0 || strcmp(path, "/healthz") == 0;

	if (!live && strcmp(path, "/readyz") != 0) {
		return;
	}
	check(&c, "engine", why_dead(metrics, &status), "");
	if (!live) {
		check_ready(&c);
	}
	if (verbose) {
		say(&c, "%s check %s\n", path + 1, c.bad ? "failed" : "passed");
	}
	plm_web_print(out, c.bad ? 503 : 200, "%s", c.size == 0 ? "ok\n" : c.text);
}

/* ---- metrics ----------------------------------------------------------------------------------- */

struct row {
	const char *name, *type, *help;
	uint64_t value;
};

static void add_rows(FILE *out, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		(void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", rows[i].name,
			      rows[i].help, rows[i].name, rows[i].type, rows[i].name,
			      (unsigned long long)rows[i].value);
	}
}

static void add_engine(FILE *out, const struct plm_engine_report *engine)
{
	const struct plm_engine_stats *stats = &engine->stats;
	const struct row rows[] = {
		{"plimsoll_log_head_seq", "gauge", "Newest event of the log.", engine->seq},
		{"plimsoll_log_events_total", "counter", "Events written.", stats->events},
		{"plimsoll_log_batches_total", "counter", "Commits.", stats->batches},
		{"plimsoll_log_free_bytes", "gauge", "Room on the log's volume.",
		 engine->room.free_bytes},
		{"plimsoll_facts_total", "counter", "Facts taken.", stats->facts},
		{"plimsoll_facts_duplicate_total", "counter", "Facts that said nothing new.",
		 stats->duplicates},
		{"plimsoll_facts_stale_total", "counter", "Facts older than what is known.",
		 stats->stale},
		{"plimsoll_observations_refused_total", "counter",
		 "Observations that were malformed.", engine->rejected},
		{"plimsoll_cycles_total", "counter", "Decision cycles.", stats->cycles},
		{"plimsoll_decisions_total", "counter", "Decisions.", stats->decisions},
		{"plimsoll_intents_total", "counter", "Effects that were decided.", stats->intents},
		{"plimsoll_results_total", "counter", "Answers to effects.", stats->results},
	};

	add_rows(out, rows, PLM_COUNTOF(rows));
}

static void add_daemon(FILE *out, const struct plm_status *status)
{
	const struct row rows[] = {
		{"plimsoll_effects_inflight", "gauge", "Effects without an answer yet.",
		 status->effects_in_flight},
		{"plimsoll_effects_total", "counter", "Effects let out.", status->effects_sent},
		{"plimsoll_effects_observed_total", "counter", "Effects decided in observe mode.",
		 status->effects_kept},
		{"plimsoll_ring_entries", "gauge", "Observations that wait.", status->ring.entries},
		{"plimsoll_ring_bytes", "gauge", "Their bytes.", status->ring.bytes},
		{"plimsoll_ring_refused_total", "counter", "Observations told to come again.",
		 status->ring.refused},
		{"plimsoll_snapshots_total", "counter", "Snapshots written.",
		 status->snapshots.written},
		{"plimsoll_snapshots_failed_total", "counter", "Snapshots not written.",
		 status->snapshots.failed},
		{"plimsoll_snapshot_seq", "gauge", "Event of the newest snapshot.",
		 status->snapshots.last_seq},
		{"plimsoll_snapshot_bytes", "gauge", "Bytes of its image.",
		 status->snapshots.last_bytes},
	};

	add_rows(out, rows, PLM_COUNTOF(rows));
	(void)fprintf(out,
		      "# HELP plimsoll_mode 1 where decisions are carried out.\n"
		      "# TYPE plimsoll_mode gauge\n"
		      "plimsoll_mode{area=\"queues\"} %d\nplimsoll_mode{area=\"nodes\"} %d\n",
		      status->enforces_queues, status->enforces_nodes);
	(void)fprintf(out,
		      "# HELP plimsoll_build_info The build.\n# TYPE plimsoll_build_info gauge\n"
		      "plimsoll_build_info{version=\"%s\",bundle=\"%d\"} 1\n",
		      PLM_VERSION, PLM_BUNDLE);
}

void plm_metrics_version(struct plm_web_answer *out)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "{\"bundle\":%d,\"envelope\":%d,\"version\":\"%s\"}\n",
		       PLM_BUNDLE, PLM_ENVELOPE_FORMAT, PLM_VERSION);
	plm_web_put(out, 200, "application/json", plm_slice_str(text));
}

/* What the log says, once all of it was read: before, a counter would be seen to fall. */
static void add_log(FILE *out, const struct plm_follower_view *view)
{
	if (view->state == NULL) {
		return;
	}
	plm_metric_end(view->state, view->run, plm_exposition_add, view->counted);
	plm_arena_reset(view->scratch);
	plm_metric_gauges(view->state, view->scratch, plm_exposition_add, view->counted);
	plm_exposition_print(view->counted, out);
}

void plm_metrics_write(void *status, const struct plm_follower_view *view, FILE *out)
{
	const struct plm_status *s = status;

	add_log(out, view);
	add_engine(out, &s->engine);
	add_daemon(out, s);
}
