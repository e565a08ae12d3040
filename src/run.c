#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "announce.h"
#include "clock.h"
#include "cluster.h"
#include "compare.h"
#include "core/limits.h"
#include "core/timefmt.h"
#include "engine_thread.h"
#include "gate.h"
#include "handover.h"
#include "jsonlog.h"
#include "loop.h"
#include "metrics.h"
#include "serve.h"
#include "settings.h"
#include "snapshot_worker.h"
#include "store/volume.h"
#include "world.h"

#define ARENA_BYTES ((size_t)256 * 1024 * 1024)
/* While ending, the loop looks at least this often whether all is done. */
#define DRAIN_TURN_MS 20
/* The longest turn is told for so long. */
#define STALL_WINDOW_MS 60000

enum stage {
	STAGE_RUNS,
	STAGE_DRAINS, /* effects in flight are waited for, none leaves */
	STAGE_STOPS,  /* the engine thread was told to end */
};

struct daemon {
	struct plm_arena arena, scratch; /* owned */
	struct plm_config config;
	struct plm_clock clock;
	const char *folder;
	char cluster_uid[PLM_CLUSTER_UID_SIZE];

	struct plm_log *log; /* owned, as all that follows */
	struct plm_end end;
	struct plm_ring *ring;
	struct plm_handover *handover;
	struct plm_snapshot_worker *snapshots;
	struct plm_engine *engine;
	struct plm_engine_thread *thread;
	struct plm_loop *loop;
	struct plm_metrics *metrics;
	struct plm_follower *follower;
	struct plm_announce *announce; /* NULL: nobody reads Events */
	struct plm_compare *compare;   /* NULL: no area is a peer's, or nobody asks */
	int64_t told_ms;	       /* boot time: numbers of the end and of the comparison */
	struct plm_access *access;
	struct plm_serve *serve;
	struct plm_web *web, *health; /* NULL: not asked for */

	struct plm_gate gate;
	enum stage stage;
	int64_t drain_until_ms; /* boot time */
	enum plm_room_level level;
	uint64_t rejected;
	bool ballast, ballast_told, violation_told;
	bool over;	    /* the end said that the process has to end */
	enum plm_code code; /* what the process ends with */
	uint64_t snapshots_seen;
	int64_t snapshot_ms; /* boot time: the newest was written then */
	int64_t stall_from_ms, stall_ms, stall_before_ms;
};

static void tell_error(const char *logger, const char *message, const struct plm_error *err)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR("error", err->text), PLM_LOG_END};

	plm_jsonlog(PLM_LOG_ERROR, logger, message, fields);
}

/* ---- settings ---------------------------------------------------------------------------------- */

static const char *environment(const char *name)
{
	return getenv(name);
}

static void setup_log_lines(const struct plm_config *config)
{
	plm_jsonlog_setup((enum plm_log_level)plm_config_number(config, PLM_CONFIG_KEY_LOG_LEVEL),
			  1);
}

/* ---- the folder -------------------------------------------------------------------------------- */

static enum plm_code make_folder(struct daemon *d, struct plm_error *err)
{
	char text[128];

	if (mkdir(d->folder, 0700) != 0 && errno != EEXIST) {
		return plm_config_fail(&d->config, PLM_CONFIG_KEY_DATA_DIR, err, "%s: %s",
				       d->folder, strerror_r(errno, text, sizeof(text)));
	}
	return PLM_OK;
}

/* A file system that may lose the log is refused; a ballast that does not fit is not needed to run. */
static enum plm_code check_folder(struct daemon *d, struct plm_error *err)
{
	enum plm_code code = plm_volume_check(d->folder, err);

	if (code == PLM_E_REFUSED &&
	    plm_config_number(&d->config, PLM_CONFIG_KEY_ANY_FILESYSTEM) != 0) {
		tell_error("store", "file system cannot be trusted, going on as told", err);
		code = PLM_OK;
	} else if (code == PLM_E_REFUSED) {
		return plm_fail_prefix(err, code, "data-dir (--allow-any-filesystem overrides)");
	}
	if (code == PLM_OK && plm_config_number(&d->config, PLM_CONFIG_KEY_NO_BALLAST) == 0) {
		d->ballast = plm_volume_ballast_make(d->folder, err) == PLM_OK;
		if (!d->ballast) {
			tell_error("store", "no ballast", err);
		}
	}
	return code;
}

/* ---- start ------------------------------------------------------------------------------------- */

static void wake_loop(void *self)
{
	const struct daemon *d = self;

	plm_loop_wake(d->loop);
}

static void note(void *self, const char *text)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR("note", text), PLM_LOG_END};

	(void)self;
	plm_jsonlog(PLM_LOG_WARN, "engine", "while recovering", fields);
}

static enum plm_code open_engine(struct daemon *d, struct plm_error *err)
{
	const struct plm_engine_options options = {
		.log = d->log,
		.folder = d->folder,
		.snapshot = plm_snapshot_worker_take,
		.snapshot_self = d->snapshots,
		.snapshot_events =
			(uint64_t)plm_config_number(&d->config, PLM_CONFIG_KEY_SNAPSHOT_EVENTS),
		.clock = d->clock,
		.effects = plm_handover_effects(d->handover),
		.cluster_uid = d->cluster_uid,
		.profile = plm_config_is(&d->config, PLM_CONFIG_KEY_PROFILE, "small")
				   ? PLM_PROFILE_SMALL
				   : PLM_PROFILE_CLUSTER,
		.config = *d->end.config,
		.catalog = d->end.catalog,
		.note = note,
	};

	return plm_engine_open(&options, &d->engine, err);
}

static enum plm_code start_end(struct daemon *d, struct plm_error *err)
{
	const struct plm_end_start start = {
		.log = d->log,
		.inbox = plm_gate_inbox(&d->gate),
		.cluster_uid = d->cluster_uid,
		.now_ms = plm_clock_wall_ms(&d->clock),
	};
	enum plm_code code = d->end.start(d->end.self, &start, err);

	if (code == PLM_OK) {
		d->gate.beyond = d->end.effects(d->end.self);
	}
	return code;
}

static enum plm_code start_threads(struct daemon *d, struct plm_error *err)
{
	const struct plm_engine_thread_options options = {
		.engine = d->engine,
		.ring = d->ring,
		.clock = d->clock,
		.folder = d->folder,
		.ballast = d->ballast,
		.notify = wake_loop,
		.self = d,
	};

	return plm_engine_thread_start(&options, &d->thread, err);
}

static enum plm_code listen_on(struct daemon *d, enum plm_config_key key, struct plm_web **out,
			       struct plm_error *err)
{
	const struct plm_web_options options = {
		.address = plm_config_text(&d->config, key),
		.answer = key == PLM_CONFIG_KEY_LISTEN ? plm_serve_answer : plm_serve_health,
		.self = d->serve,
	};
	enum plm_code code = PLM_OK;

	if (options.address == NULL) {
		return PLM_OK;
	}
	code = plm_web_start(&options, out, err);
	if (code != PLM_OK) {
		struct plm_error why = *err;

		return plm_config_fail(&d->config, key, err, "%s", why.text);
	}
	return PLM_OK;
}

static void on_seen(void *self, const struct plm_state *st, const struct plm_event *event,
		    struct plm_arena *scratch)
{
	struct daemon *d = self;

	if (d->announce != NULL) {
		plm_announce_take(d->announce, st, event, scratch);
	}
	if (d->compare != NULL) {
		plm_compare_take(d->compare, st, event);
	}
}

/* For those who ask, and for Events. */
static enum plm_code start_follower(struct daemon *d, bool asked, struct plm_error *err)
{
	const struct plm_announce_options announce = {
		.since_ms = plm_sub_sat(plm_clock_wall_ms(&d->clock), PLM_LIMIT_ANNOUNCE_AGAIN_MS),
		.wake = wake_loop,
		.self = d,
	};
	const struct plm_follower_options options = {
		.folder = d->folder, .seen = on_seen, .self = d};
	bool peers = plm_config_has(&d->config, PLM_CONFIG_KEY_KUBECONFIG) &&
		     !(d->gate.queues && d->gate.nodes);
	enum plm_code code = PLM_OK;

	if (d->end.announce != NULL) {
		d->announce = plm_announce_new(&announce);
	}
	if (asked && peers) {
		code = plm_compare_new(&d->compare, err);
	}
	if (code != PLM_OK || (!asked && d->announce == NULL)) {
		return code;
	}
	return plm_follower_start(&options, &d->follower, err);
}

static enum plm_code start_pages(struct daemon *d, struct plm_error *err)
{
	const struct plm_access_options access = {
		.port = d->end.access, .clock = d->clock, .wake = wake_loop, .self = d};
	const char *address = plm_config_text(&d->config, PLM_CONFIG_KEY_LISTEN);
	struct plm_serve_options options = {.folder = d->folder};
	enum plm_code code = PLM_OK;

	d->metrics = plm_metrics_new(d->clock);
	d->access = plm_access_new(&access);
	code = start_follower(d, address != NULL, err);
	if (code != PLM_OK) {
		return code;
	}
	options.metrics = d->metrics;
	options.access = d->access;
	options.follower = d->follower;
	d->serve = plm_serve_new(&options);
	plm_serve_open(d->serve, address != NULL && plm_web_address_is_local(address));
	code = listen_on(d, PLM_CONFIG_KEY_LISTEN, &d->web, err);
	return code == PLM_OK ? listen_on(d, PLM_CONFIG_KEY_HEALTH_LISTEN, &d->health, err) : code;
}

static void tell_started(const struct daemon *d)
{
	struct plm_log_head head = plm_log_head(d->log);
	const struct plm_log_field fields[] = {
		PLM_LOG_STR("data-dir", d->folder),
		PLM_LOG_INT("seq", head.seq),
		PLM_LOG_INT("epoch", head.epoch),
		PLM_LOG_STR("cluster", d->cluster_uid),
		PLM_LOG_INT("resumed-objects", d->end.resumed(d->end.self)),
		PLM_LOG_INT("enforce-queues", d->gate.queues),
		PLM_LOG_INT("enforce-nodes", d->gate.nodes),
		PLM_LOG_INT("port", d->web == NULL ? 0 : plm_web_port(d->web)),
		PLM_LOG_INT("health-port", d->health == NULL ? 0 : plm_web_port(d->health)),
		PLM_LOG_END,
	};

	plm_jsonlog(PLM_LOG_INFO, "engine", "started", fields);
}

/* ---- turns ------------------------------------------------------------------------------------- */

/* Effects leave only while the daemon runs and the disk has room for what comes of them. */
static bool gate_open(const struct daemon *d)
{
	return d->stage == STAGE_RUNS && d->level < PLM_ROOM_OBSERVE && d->end.may_act(d->end.self);
}

static void let_out(struct daemon *d)
{
	struct plm_effects effects = plm_gate_effects(&d->gate);
	uint64_t intent = 0;

	while (gate_open(d) && plm_handover_deliver(d->handover, &effects, &d->scratch, &intent)) {
		plm_arena_reset(&d->scratch);
	}
}

static void see_level(struct daemon *d, const struct plm_engine_report *report)
{
	const struct plm_log_field fields[] = {
		PLM_LOG_STR("room", plm_room_level_text(report->level)),
		PLM_LOG_INT("free-bytes", report->room.free_bytes),
		PLM_LOG_INT("total-bytes", report->room.total_bytes),
		PLM_LOG_END,
	};

	if (report->level != d->level) {
		plm_jsonlog(report->level > PLM_ROOM_PLENTY ? PLM_LOG_WARN : PLM_LOG_INFO, "store",
			    report->level >= PLM_ROOM_OBSERVE ? "disk nearly full: no new effects"
							      : "room on the disk",
			    fields);
		d->level = report->level;
	}
	if (report->ballast_released && !d->ballast_told) {
		d->ballast_told = true;
		plm_jsonlog(PLM_LOG_ERROR, "store", "gave up the ballast", fields);
	}
}

/* Milliseconds since the newest snapshot of this process was written; UINT64_MAX = none was. */
static uint64_t snapshot_age(struct daemon *d, const struct plm_snapshot_worker_stats *stats)
{
	int64_t now = d->clock.boot_ms(d->clock.self);

	if (stats->written != d->snapshots_seen) {
		d->snapshots_seen = stats->written;
		d->snapshot_ms = now;
	}
	return d->snapshots_seen == 0 ? UINT64_MAX : (uint64_t)(now - d->snapshot_ms);
}

/* The longest turn within the last minute, or two. */
static void note_turn(struct daemon *d, int64_t began_ms)
{
	int64_t now = d->clock.boot_ms(d->clock.self);

	if (now - d->stall_from_ms >= STALL_WINDOW_MS) {
		d->stall_before_ms = d->stall_ms;
		d->stall_ms = 0;
		d->stall_from_ms = now;
	}
	d->stall_ms = plm_max(d->stall_ms, now - began_ms);
}

/* What must be so besides, that the engine and the disk are well: the outside knows. */
static void check_ready(const struct daemon *d, struct plm_status *status)
{
	static const struct plm_ready_check embedded[] = {
		{"caught-up", true, "the cluster is embedded"},
		{"lease", true, "none is needed"},
	};

	if (d->end.ready != NULL) {
		status->check_count = d->end.ready(d->end.self, status->checks, PLM_READY_CHECKS);
		return;
	}
	memcpy(status->checks, embedded, sizeof(embedded));
	status->check_count = PLM_COUNTOF(embedded);
}

static void tell_numbers(struct daemon *d)
{
	static const char *const areas[] = {"queues", "nodes"};
	int64_t now = d->clock.boot_ms(d->clock.self);

	if (now - d->told_ms < PLM_MS_PER_SECOND) {
		return;
	}
	d->told_ms = now;
	for (int area = 0; area < 2 && d->compare != NULL; area++) {
		int64_t permille = plm_compare_permille(d->compare, area);

		if (permille != PLM_UNSET) {
			plm_metrics_tell(d->metrics, PLM_TELL_AGREEMENT, areas[area], NULL,
					 permille);
		}
	}
	if (d->end.tell != NULL) {
		d->end.tell(d->end.self, d->metrics);
	}
}

static void publish(struct daemon *d, const struct plm_engine_report *report)
{
	struct plm_snapshot_worker_stats snapshots = plm_snapshot_worker_stats(d->snapshots);
	struct plm_status status = {
		.engine = *report,
		.ring = plm_ring_stats(d->ring),
		.snapshots = snapshots,
		.snapshot_age_ms = snapshot_age(d, &snapshots),
		.stall_ms = plm_max(d->stall_ms, d->stall_before_ms),
		.effects_in_flight = d->gate.in_flight,
		.effects_sent = d->gate.sent,
		.effects_kept = d->gate.kept,
		.enforces_queues = d->gate.queues,
		.enforces_nodes = d->gate.nodes,
		.ending = d->stage != STAGE_RUNS,
	};

	check_ready(d, &status);
	tell_numbers(d);
	plm_metrics_put(d->metrics, &status);
	if (d->follower != NULL) {
		plm_follower_wake(d->follower, report->seq);
	}
}

static void see_report(struct daemon *d)
{
	struct plm_engine_report report = plm_engine_thread_report(d->thread);

	publish(d, &report);
	d->end.durable(d->end.self, &report.head);
	see_level(d, &report);
	if (report.rejected != d->rejected) {
		d->rejected = report.rejected;
		tell_error("engine", "refused an observation", &report.rejection);
	}
	if (report.ended) {
		d->code = report.code == PLM_OK && d->over ? PLM_E_AGAIN : report.code;
		if (report.code != PLM_OK) {
			tell_error("engine", "engine ended", &report.err);
		}
		plm_loop_end(d->loop);
	}
}

static void see_violation(struct daemon *d)
{
	const char *violation = d->end.violation(d->end.self);
	const struct plm_log_field fields[] = {PLM_LOG_STR("invariant", violation), PLM_LOG_END};

	if (violation != NULL && !d->violation_told) {
		d->violation_told = true;
		plm_jsonlog(PLM_LOG_ERROR, "world", "an invariant is broken", fields);
	}
}

/* Nothing is in flight and all that was told is in the log: the engine may end. */
static void drain(struct daemon *d)
{
	bool late = d->clock.boot_ms(d->clock.self) >= d->drain_until_ms;
	const struct plm_log_field fields[] = {PLM_LOG_INT("in-flight", d->gate.in_flight),
					       PLM_LOG_END};

	if (d->stage != STAGE_DRAINS || (d->gate.in_flight > 0 && !late)) {
		return;
	}
	if (d->gate.in_flight > 0) {
		plm_jsonlog(PLM_LOG_WARN, "engine", "effects still in flight, to be settled later",
			    fields);
	}
	d->stage = STAGE_STOPS;
	plm_engine_thread_stop(d->thread);
}

/* Somebody else acts, or may: nothing leaves any more, and the next start finds out who. */
static void see_over(struct daemon *d)
{
	const char *why = d->end.over(d->end.self);
	const struct plm_log_field fields[] = {PLM_LOG_STR("why", why), PLM_LOG_END};

	if (why != NULL && d->stage == STAGE_RUNS) {
		plm_jsonlog(PLM_LOG_ERROR, "lease", "ending, to be started again", fields);
		d->over = true;
		d->stage = STAGE_DRAINS;
		d->drain_until_ms = 0;
	}
}

static int64_t turn(void *self)
{
	struct daemon *d = self;
	int64_t now_ms = plm_clock_wall_ms(&d->clock);
	int64_t began_ms = d->clock.boot_ms(d->clock.self);
	int64_t due_ms = PLM_UNSET;

	let_out(d);
	plm_access_turn(d->access);
	if (d->announce != NULL) {
		plm_announce_deliver(d->announce, d->end.announce, d->end.self);
	}
	d->end.advance(d->end.self, now_ms);
	plm_arena_reset(&d->scratch);
	see_violation(d);
	see_over(d);
	drain(d);
	note_turn(d, began_ms);
	see_report(d);
	due_ms = d->end.next_due(d->end.self);
	if (d->stage != STAGE_RUNS) {
		return DRAIN_TURN_MS;
	}
	return due_ms == PLM_UNSET ? -1 : plm_max(1, plm_sub_sat(due_ms, now_ms));
}

static void stop(void *self, int number)
{
	struct daemon *d = self;
	const struct plm_log_field fields[] = {PLM_LOG_INT("signal", number),
					       PLM_LOG_INT("in-flight", d->gate.in_flight),
					       PLM_LOG_END};

	if (d->stage == STAGE_RUNS) {
		plm_jsonlog(PLM_LOG_INFO, "engine", "ending", fields);
		d->stage = STAGE_DRAINS;
		d->drain_until_ms =
			plm_add_sat(d->clock.boot_ms(d->clock.self),
				    plm_config_number(&d->config, PLM_CONFIG_KEY_DRAIN));
	} else {
		d->drain_until_ms = 0; /* asked twice: do not wait */
	}
}

/* ---- life -------------------------------------------------------------------------------------- */

static enum plm_code start(struct daemon *d, struct plm_error *err)
{
	struct plm_end_meet meet = {.folder = d->folder};
	enum plm_code code = make_folder(d, err);

	if (code == PLM_OK) {
		code = plm_log_open(d->folder, PLM_LOG_WRITE, &d->log, err);
		meet.log = d->log;
	}
	if (code == PLM_OK) {
		code = check_folder(d, err);
	}
	if (code == PLM_OK) {
		code = plm_ring_new(PLM_LIMIT_RING_BYTES, PLM_LIMIT_RING_ENTRIES, &d->ring, err);
	}
	if (code == PLM_OK) {
		code = plm_handover_new(wake_loop, d, &d->handover, err);
	}
	if (code == PLM_OK) {
		code = start_pages(d, err);
	}
	if (code == PLM_OK) {
		code = d->end.meet(d->end.self, &meet, d->cluster_uid, err);
	}
	if (code == PLM_OK) {
		d->gate.inbox = plm_ring_inbox(d->ring);
		d->gate.scratch = &d->scratch;
		code = start_end(d, err);
	}
	if (code == PLM_OK) {
		code = plm_snapshot_worker_start(d->folder, &d->snapshots, err);
	}
	if (code == PLM_OK) {
		code = open_engine(d, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	plm_state_keep_from_children(plm_engine_state(d->engine));
	tell_started(d); /* now: from the next line on the log is the engine thread's */
	return start_threads(d, err);
}

static void finish(struct daemon *d)
{
	(void)plm_engine_thread_join(d->thread);
	if (d->end.self != NULL) {
		d->end.leave(d->end.self);
	}
	if (d->access != NULL) {
		plm_access_stop(d->access);
	}
	plm_web_stop(d->web);
	plm_web_stop(d->health);
	plm_serve_free(d->serve);
	plm_access_free(d->access);
	plm_follower_stop(d->follower);
	plm_announce_free(d->announce);
	plm_compare_free(d->compare);
	plm_metrics_free(d->metrics);
	plm_engine_close(d->engine);
	plm_snapshot_worker_stop(d->snapshots);
	if (d->end.self != NULL) {
		d->end.free(d->end.self);
	}
	plm_handover_free(d->handover);
	plm_ring_free(d->ring);
	plm_loop_free(d->loop);
	plm_log_close(d->log);
	plm_arena_fini(&d->scratch);
	plm_arena_fini(&d->arena);
}

static enum plm_code open_end(struct daemon *d, struct plm_error *err)
{
	const struct plm_loop_user user = {.self = d, .turn = turn, .stop = stop};
	enum plm_code code = plm_loop_new(&user, &d->loop, err);

	if (code != PLM_OK) {
		return code;
	}
	if (plm_config_has(&d->config, PLM_CONFIG_KEY_KUBECONFIG)) {
		return plm_cluster_end(&d->config, d->loop, &d->gate, &d->end, err);
	}
	return plm_embedded_end(&d->config, &d->end, err);
}

static enum plm_code prepare(struct daemon *d, int argc, char **argv, struct plm_error *err)
{
	enum plm_code code = plm_arena_init(&d->arena, ARENA_BYTES, err);

	if (code == PLM_OK) {
		code = plm_arena_init(&d->scratch, ARENA_BYTES, err);
	}
	if (code == PLM_OK) {
		code = plm_config_read(argc, argv, environment, &d->arena, &d->config, err);
	}
	if (code == PLM_OK) {
		setup_log_lines(&d->config);
		code = plm_settings_check(&d->config, err);
	}
	if (code == PLM_OK) {
		code = plm_gate_init(&d->gate, &d->config, err);
	}
	if (code == PLM_OK) {
		d->folder = plm_config_text(&d->config, PLM_CONFIG_KEY_DATA_DIR);
		code = open_end(d, err);
	}
	if (code == PLM_OK) {
		code = start(d, err);
	}
	return code;
}

int plm_run_main(int argc, char **argv)
{
	struct daemon d = {.clock = plm_clock_system()};
	struct plm_error err = {0};
	const struct plm_log_field none[] = {PLM_LOG_END};

	d.code = prepare(&d, argc, argv, &err);
	if (d.code == PLM_OK) {
		plm_loop_run(d.loop);
	} else if (d.code == PLM_E_AGAIN && d.stage != STAGE_RUNS) {
		const struct plm_log_field fields[] = {PLM_LOG_STR("why", err.text), PLM_LOG_END};

		/* What it waited for had not come: nothing was begun, so this is an orderly end. */
		plm_jsonlog(PLM_LOG_INFO, "run", "ending before the start", fields);
		d.code = PLM_OK;
	} else {
		tell_error("run", plm_code_text(d.code), &err);
		(void)fprintf(stderr, "plimsoll run: %s\n", err.text);
	}
	finish(&d);
	if (d.code == PLM_OK) {
		plm_jsonlog(PLM_LOG_INFO, "engine", "ended", none);
	}
	return plm_code_exit(d.code);
}
