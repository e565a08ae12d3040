#include "metrics.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/event.h"
#include "reducers/reducer.h"

/* An engine thread that made no batch for so long hangs; a large cycle takes seconds at most. */
#define HANGS_MS 60000

#define TOLD_MAX 1024U
#define TOLD_SIZE 64

struct told {
	enum plm_telling what;
	char a[TOLD_SIZE], b[TOLD_SIZE];
	int64_t value;
};

struct plm_metrics {
	pthread_mutex_t lock;
	struct plm_clock clock;
	int64_t begin_ms;
	struct plm_status status; /* guarded, as what follows */
	struct told told[TOLD_MAX];
	size_t told_count;
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

void plm_metrics_tell(struct plm_metrics *metrics, enum plm_telling what, const char *a,
		      const char *b, int64_t value)
{
	struct told one = {.what = what, .value = value};
	size_t at = 0;

	(void)snprintf(one.a, sizeof(one.a), "%s", a != NULL ? a : "");
	(void)snprintf(one.b, sizeof(one.b), "%s", b != NULL ? b : "");
	(void)pthread_mutex_lock(&metrics->lock);
	while (at < metrics->told_count &&
	       (metrics->told[at].what != what || strcmp(metrics->told[at].a, one.a) != 0 ||
		strcmp(metrics->told[at].b, one.b) != 0)) {
		at++;
	}
	if (at < TOLD_MAX) {
		metrics->told[at] = one;
		metrics->told_count = at == metrics->told_count ? at + 1 : metrics->told_count;
	}
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

static void add_head(FILE *out, const char *name, const char *type, const char *help)
{
	(void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_rows(FILE *out, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		add_head(out, rows[i].name, rows[i].type, rows[i].help);
		(void)fprintf(out, "%s %llu\n", rows[i].name, (unsigned long long)rows[i].value);
	}
}

/* 'value' thousandths. */
static void add_milli(FILE *out, const char *name, const char *help, uint64_t value)
{
	add_head(out, name, "gauge", help);
	(void)fprintf(out, "%s %llu.%03llu\n", name, (unsigned long long)(value / 1000),
		      (unsigned long long)(value % 1000));
}

static void add_engine(FILE *out, const struct plm_engine_report *engine)
{
	const struct plm_engine_stats *stats = &engine->stats;
	const struct row rows[] = {
		{"plimsoll_log_head_seq", "gauge", "Newest event of the log.", engine->seq},
		{"plimsoll_engine_events_total", "counter", "Events written by this process.",
		 stats->events},
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
		{"plimsoll_engine_decisions_total", "counter", "Decisions of this process.",
		 stats->decisions},
		{"plimsoll_intents_total", "counter", "Effects that were decided.", stats->intents},
		{"plimsoll_results_total", "counter", "Answers to effects.", stats->results},
	};

	add_rows(out, rows, PLM_COUNTOF(rows));
	add_milli(out, "plimsoll_log_free_ratio", "Free room of the log's volume.",
		  engine->room.total_bytes == 0
			  ? 1000
			  : engine->room.free_bytes * 1000 / engine->room.total_bytes);
}

/* Times of this process. One cycle decides on everything, so its time stands under each name of it. */
static void add_times(FILE *out, const struct plm_engine_report *engine, int64_t now_boot_ms)
{
	static const char attempts[] = "kueue_admission_attempt_duration_seconds";
	static const char scheduling[] = "karpenter_scheduler_scheduling_duration_seconds";
	static const char evaluation[] =
		"karpenter_voluntary_disruption_decision_evaluation_duration_seconds";
	static const char unfinished[] = "karpenter_scheduler_unfinished_work_seconds";
	int64_t since = engine->working_since_ms;
	int64_t busy = since == 0 ? 0 : plm_max(0, now_boot_ms - since);

	add_head(out, attempts, "histogram", "Time of a cycle of decisions.");
	plm_timing_print(out, &engine->cycles[0], PLM_METRIC_DEFAULTS, attempts,
			 "result=\"success\",replica_role=\"standalone\"");
	plm_timing_print(out, &engine->cycles[1], PLM_METRIC_DEFAULTS, attempts,
			 "result=\"inadmissible\",replica_role=\"standalone\"");
	add_head(out, scheduling, "histogram", "Time of a cycle of decisions.");
	plm_timing_print(out, &engine->evaluations, PLM_METRIC_DURATIONS, scheduling,
			 "controller=\"provisioner\"");
	add_head(out, evaluation, "histogram", "Time of a cycle of decisions.");
	plm_timing_print(out, &engine->evaluations, PLM_METRIC_DURATIONS, evaluation,
			 "reason=\"empty\",consolidation_type=\"empty\"");
	add_head(out, unfinished, "gauge", "Time of the cycle that is under way.");
	(void)fprintf(out, "%s{controller=\"provisioner\",scheduling_id=\"\"} %lld.%03lld\n",
		      unfinished, (long long)(busy / 1000), (long long)(busy % 1000));
	add_head(out, "plimsoll_reduce_duration_seconds", "histogram",
		 "Time of a cycle of decisions, all reducers.");
	plm_timing_print(out, &engine->evaluations, PLM_METRIC_DURATIONS,
			 "plimsoll_reduce_duration_seconds", "reducer=\"all\"");
	add_head(out, "plimsoll_log_append_duration_seconds", "histogram",
		 "Time of a commit: writing and syncing.");
	plm_timing_print(out, &engine->appends, PLM_METRIC_DEFAULTS,
			 "plimsoll_log_append_duration_seconds", "");
}

static void add_log_size(FILE *out, const struct plm_status *status)
{
	int64_t age = status->oldest_ms == PLM_UNSET
			      ? 0
			      : plm_max(0, status->wall_ms - status->oldest_ms);
	const struct row rows[] = {
		{"plimsoll_log_bytes", "gauge", "Bytes of the log's records.", status->log_bytes},
		{"plimsoll_log_map_bytes", "gauge", "Bytes of the log's file.", status->map_bytes},
	};

	add_rows(out, rows, PLM_COUNTOF(rows));
	add_milli(out, "plimsoll_log_oldest_seconds", "Age of the log's first event.",
		  (uint64_t)age);
	if (status->snapshot_age_ms != UINT64_MAX) {
		add_milli(out, "plimsoll_snapshot_age_seconds",
			  "Since the newest snapshot was written.", status->snapshot_age_ms);
	}
	add_milli(out, "plimsoll_loop_stall_seconds",
		  "The longest turn of the loop within the last minute.",
		  (uint64_t)plm_max(0, status->stall_ms));
}

static void add_daemon(FILE *out, const struct plm_status *status)
{
	const struct row rows[] = {
		{"plimsoll_effects_inflight", "gauge", "Effects without an answer yet.",
		 status->effects_in_flight},
		{"plimsoll_effects_sent_total", "counter", "Effects let out.",
		 status->effects_sent},
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
		{"plimsoll_readers", "gauge", "Streams that are open.", status->streams},
		{"plimsoll_questions_total", "counter", "Questions of clients.", status->questions},
		{"plimsoll_questions_refused_total", "counter",
		 "Questions that were told to come again.", status->questions_refused},
	};

	add_rows(out, rows, PLM_COUNTOF(rows));
	add_head(out, "plimsoll_mode", "gauge", "1 where decisions are carried out.");
	(void)fprintf(out, "plimsoll_mode{area=\"queues\"} %d\nplimsoll_mode{area=\"nodes\"} %d\n",
		      status->enforces_queues, status->enforces_nodes);
}

static void add_builds(FILE *out)
{
	static const char arch[] =
#if defined(__x86_64__)
		"amd64";
#elif defined(__aarch64__)
		"arm64";
#else
		"other";
#endif

	add_head(out, "plimsoll_build_info", "gauge", "The build.");
	(void)fprintf(out, "plimsoll_build_info{version=\"%s\",bundle=\"%d\"} 1\n", PLM_VERSION,
		      PLM_BUNDLE);
	add_head(out, "kueue_build_info", "gauge", "The build.");
	(void)fprintf(out,
		      "kueue_build_info{git_version=\"plimsoll-%s\",git_commit=\"\","
		      "build_date=\"\",go_version=\"\",compiler=\"%s\",platform=\"linux/%s\"} 1\n",
		      PLM_VERSION,
#if defined(__clang__)
		      "clang",
#else
		      "gcc",
#endif
		      arch);
	add_head(out, "karpenter_build_info", "gauge", "The build.");
	(void)fprintf(out,
		      "karpenter_build_info{version=\"plimsoll-%s\",goversion=\"\",goarch=\"%s\","
		      "commit=\"\"} 1\n",
		      PLM_VERSION, arch);
}

/* ---- what others told -------------------------------------------------------------------------- */

static const struct {
	const char *name, *type, *help, *a, *b;
	bool milli;
} tellings[PLM_TELL_COUNT] = {
	[PLM_TELL_WATCH_LAG] = {"plimsoll_watch_lag_seconds", "gauge",
				"How far behind the watch of a resource is.", "resource", NULL,
				true},
	[PLM_TELL_WATCH_RESTARTS] = {"plimsoll_watch_restarts_total", "counter",
				     "Watches that were begun anew.", "resource", "reason", false},
	[PLM_TELL_AGREEMENT] = {"plimsoll_shadow_agreement_ratio", "gauge",
				"How often a peer decided as we would have.", "area", NULL, true},
	[PLM_TELL_LEADER] = {"leader_election_master_status", "gauge", "1 while the lease is ours.",
			     "name", NULL, false},
	[PLM_TELL_CLOUD_CALLS] = {"plimsoll_cloud_requests_total", "counter",
				  "Requests to the cloud.", "action", "outcome", false},
	[PLM_TELL_CLOUD_CALL_MS] = {"plimsoll_cloud_request_seconds_total", "counter",
				    "Time that requests to the cloud took.", "action", NULL, true},
	[PLM_TELL_CLOUD_THROTTLED] = {"plimsoll_cloud_throttled_total", "counter",
				      "Answers that said to slow down.", "action", NULL, false},
	[PLM_TELL_CLOUD_INSTANCES] = {"plimsoll_cloud_instances", "gauge",
				      "Instances of this cluster in the newest whole list.", NULL,
				      NULL, false},
	[PLM_TELL_CLOUD_LAG] = {"plimsoll_cloud_list_lag_seconds", "gauge",
				"Longest time from a launch to its first sight in a list.", NULL,
				NULL, true},
	[PLM_TELL_CLOUD_MESSAGES] = {"plimsoll_cloud_messages_total", "counter",
				     "Messages that came from the queue.", "kind", NULL, false},
	[PLM_TELL_CLOUD_DELETED] = {"karpenter_interruption_deleted_messages_total", "counter",
				    "Messages taken off the queue.", NULL, NULL, false},
	[PLM_TELL_CLOUD_UNREADABLE] = {"plimsoll_cloud_unreadable_total", "counter",
				       "Messages and answers that nothing could be made of.",
				       "source", NULL, false},
	[PLM_TELL_CLOUD_CREDENTIALS] = {"plimsoll_cloud_credentials_expire_seconds", "gauge",
					"Until the credentials expire; -1: never.", NULL, NULL,
					false},
};

static void add_told_one(FILE *out, const struct told *one)
{
	const char *a = tellings[one->what].a;
	const char *b = tellings[one->what].b;

	(void)fprintf(out, "%s", tellings[one->what].name);
	if (a != NULL) {
		(void)fprintf(out, "{%s=\"%s\"", a, one->a);
		if (b != NULL) {
			(void)fprintf(out, ",%s=\"%s\"", b, one->b);
		}
		(void)fprintf(out, "}");
	}
	if (tellings[one->what].milli) {
		(void)fprintf(out, " %lld.%03lld\n", (long long)(one->value / 1000),
			      (long long)(one->value % 1000));
	} else {
		(void)fprintf(out, " %lld\n", (long long)one->value);
	}
}

static void add_told(FILE *out, const struct plm_metrics *metrics)
{
	for (int what = 0; what < PLM_TELL_COUNT; what++) {
		bool headed = false;

		for (size_t i = 0; i < metrics->told_count; i++) {
			if ((int)metrics->told[i].what != what) {
				continue;
			}
			if (!headed) {
				add_head(out, tellings[what].name, tellings[what].type,
					 tellings[what].help);
			}
			headed = true;
			add_told_one(out, &metrics->told[i]);
		}
	}
}

/* ---- the pages --------------------------------------------------------------------------------- */

void plm_metrics_version(struct plm_web_answer *out)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "{\"bundle\":%d,\"envelope\":%d,\"version\":\"%s\"}\n",
		       PLM_BUNDLE, PLM_ENVELOPE_FORMAT, PLM_VERSION);
	plm_web_put(out, 200, "application/json", plm_slice_str(text));
}

/* What the log says, once all of it was read: before, a counter would be seen to fall. */
static void add_log(FILE *out, const struct plm_follower_view *view, int64_t now_ms)
{
	if (view->state == NULL) {
		return;
	}
	plm_metric_end(view->state, view->run, plm_exposition_add, view->counted);
	plm_metric_node_end(view->state, view->run, plm_exposition_add, view->counted);
	plm_arena_reset(view->scratch);
	view->counted->now_ms = now_ms;
	plm_metric_gauges(view->state, view->scratch, plm_exposition_add, view->counted);
	plm_metric_node_gauges(view->state, now_ms, view->scratch, plm_exposition_add,
			       view->counted);
	plm_exposition_print(view->counted, out);
}

void plm_metrics_write(void *self, const struct plm_follower_view *view, FILE *out)
{
	struct plm_metrics_page *page = self;
	const struct plm_status *s = &page->status;

	add_log(out, view, s->wall_ms);
	add_engine(out, &s->engine);
	add_times(out, &s->engine, page->boot_ms);
	add_log_size(out, s);
	add_daemon(out, s);
	add_told(out, page->metrics);
	add_builds(out);
}

struct plm_metrics_page plm_metrics_page(struct plm_metrics *metrics)
{
	struct plm_metrics_page page = {
		.metrics = metrics,
		.status = plm_metrics_get(metrics),
		.boot_ms = metrics->clock.boot_ms(metrics->clock.self),
	};

	page.status.wall_ms = metrics->clock.wall_ns(metrics->clock.self) / 1000000;
	page.status.oldest_ms = PLM_UNSET;
	return page;
}
