/*
 * sim_run.c - the step loop: what is due next happens, then the engine takes its steps
 */
#include "tools/sim/sim_run.h"

#include "core/timefmt.h"
#include "tools/sim/runner.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#define RUNNER_BYTES ((size_t)1024 * 1024 * 1024)
/* Steps at one instant; a healthy engine needs a handful. */
#define STEPS_MAX 20
/* Events between two images of the state. */
#define IMAGE_EVENTS 400
/* A planned crash waits this long for a write to happen at. */
#define CRASH_PATIENCE_MS 60000
/* An engine timer that is due but leads to nothing is looked at again after this. */
#define IDLE_TIMER_MS 1000

void plm_runner_broken(struct plm_runner *r, const char *format, ...)
{
	va_list args;

	r->report->violations++;
	if (r->report->violations > 1) {
		return;
	}
	va_start(args, format);
	(void)vsnprintf(r->report->violation, sizeof(r->report->violation), format, args);
	va_end(args);
	r->report->violation_seq =
		r->engine == NULL ? r->known.seq : plm_engine_state(r->engine)->seq;
}

/* ---- the life of an engine ---------------------------------------------------------------------- */

/*
 * Keep the state as a snapshot would, far more often than the engine makes one: the last one is where
 * the second replay of S7 begins.
 */
static void keep_image(struct plm_runner *r)
{
	const struct plm_state *st = plm_engine_state(r->engine);
	struct plm_slice parts[PLM_IMAGE_PARTS];
	size_t mark = plm_arena_mark(&r->arena);
	size_t size = 0;
	size_t at = 0;

	if (st->seq - r->image.seq < IMAGE_EVENTS) {
		return;
	}
	plm_image_parts(st, &r->arena, parts);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		size += parts[i].size;
	}
	free(r->image.bytes);
	r->image.bytes = malloc(size + 1);
	PLM_ASSERT(r->image.bytes != NULL);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		if (parts[i].size > 0) {
			memcpy(r->image.bytes + at, parts[i].ptr, parts[i].size);
		}
		at += parts[i].size;
	}
	r->image.size = size;
	r->image.seq = st->seq;
	plm_arena_rewind(&r->arena, mark);
}

static void add_stats(struct plm_runner *r)
{
	struct plm_engine_stats more = plm_engine_stats(r->engine);

	r->stats.duplicates += more.duplicates;
	r->stats.rejected += more.rejected;
}

/* The process is gone; what it had not made durable is too. */
static void die(struct plm_runner *r)
{
	if (r->engine != NULL) {
		add_stats(r);
	}
	plm_engine_close(r->engine);
	plm_log_close(r->log);
	r->engine = NULL;
	r->log = NULL;
	plm_world_disconnect(r->world);
	r->reopen_ms = r->now_ms + PLM_SIM_RESTART_MS;
	r->report->crashes++;
	r->crash_by_ms = PLM_UNSET;
	plm_log_disk_plan(r->disk, PLM_DISK_NO_FAULT, plm_log_disk_calls(r->disk) + 1);
}

static bool full(const struct plm_runner *r)
{
	return r->full_until_ms != PLM_UNSET && r->now_ms < r->full_until_ms;
}

/* An engine ended with 'code': expected of a disk that fails by plan, else the end of the run. */
static void ended(struct plm_runner *r, enum plm_code code)
{
	bool planned = plm_log_disk_crashed(r->disk) || (code == PLM_E_FULL && full(r));

	if (!planned) {
		r->failed = code;
	}
	die(r);
}

static void relist(struct plm_runner *r)
{
	r->relist_owed = !plm_world_reachable(r->world);
	if (!r->relist_owed) {
		plm_world_relist(r->world);
	}
}

static void live(struct plm_runner *r)
{
	const struct plm_engine_options options = {
		.log = NULL,
		.clock = plm_world_clock(r->world),
		.effects = plm_world_effects(r->world),
		.cluster_uid = "00000000-0000-4000-8000-000000000001",
		.profile = PLM_PROFILE_SMALL,
		.config = r->scenario.config,
		.catalog = &r->scenario.catalog,
	};
	struct plm_engine_options mine = options;
	enum plm_code code = plm_log_open_disk(r->disk, PLM_LOG_WRITE, &r->log, &r->err);

	if (r->options->strict) {
		mine.config.compat = PLM_COMPAT_STRICT;
	}
	if (code != PLM_OK) {
		r->failed = code;
		return;
	}
	if (full(r)) {
		plm_log_disk_plan(r->disk, PLM_DISK_FULL, plm_log_disk_calls(r->disk) + 1);
	}
	plm_runner_check_reopened(r);
	mine.log = r->log;
	r->reopen_ms = PLM_UNSET;
	code = plm_engine_open(&mine, &r->engine, &r->err);
	if (code != PLM_OK) {
		ended(r, code);
		return;
	}
	r->known = plm_log_head(r->log);
	relist(r);
}

/* ---- steps -------------------------------------------------------------------------------------- */

static void step(struct plm_runner *r)
{
	bool did = true;

	for (int n = 0; did && r->engine != NULL; n++) {
		enum plm_code code = plm_engine_step(r->engine, &did, &r->err);

		if (code != PLM_OK) {
			ended(r, code);
			return;
		}
		r->known = plm_log_head(r->log);
		keep_image(r);
		plm_runner_check_step(r);
		if (n == STEPS_MAX) {
			plm_runner_broken(r, "L5: more than %d steps at one instant", STEPS_MAX);
			return;
		}
	}
}

/* The world's way to the engine. An engine that has died takes nothing. */
static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct plm_runner *r = self;
	enum plm_code code = PLM_E_AGAIN;

	while (r->engine != NULL && code == PLM_E_AGAIN) {
		code = plm_engine_observe(r->engine, observation, &r->err);
		if (code == PLM_E_AGAIN) {
			step(r);
		}
	}
	if (r->engine == NULL) {
		return PLM_E_IO;
	}
	if (code != PLM_OK) {
		r->failed = code;
	}
	return code;
}

/* ---- what is due -------------------------------------------------------------------------------- */

static int64_t earlier(int64_t a, int64_t b)
{
	if (a == PLM_UNSET || b == PLM_UNSET) {
		return a == PLM_UNSET ? b : a;
	}
	return plm_min(a, b);
}

static bool acts_at_store(const struct plm_sim_fault *fault)
{
	return fault->kind == PLM_SIM_CRASH || fault->kind == PLM_SIM_DISK_FULL;
}

static int64_t next_due(const struct plm_runner *r)
{
	const struct plm_scenario *s = &r->scenario;
	int64_t due = plm_world_next_due(r->world);

	if (r->next_action < s->action_count) {
		due = earlier(due, s->actions[r->next_action].at_ms);
	}
	for (size_t i = 0; i < s->world.fault_count; i++) {
		if (acts_at_store(&s->world.faults[i]) && s->world.faults[i].at_ms > r->now_ms) {
			due = earlier(due, s->world.faults[i].at_ms);
		}
	}
	due = earlier(due, r->reopen_ms);
	due = earlier(due, r->crash_by_ms);
	if (r->engine != NULL) {
		int64_t engine = plm_engine_next_due(r->engine);

		if (engine != PLM_UNSET) {
			engine -= plm_max(0, plm_world_clock_offset(r->world));
			/* A node that expires in a month keeps no run from being over. */
			due = engine > r->end_ms
				      ? due
				      : earlier(due, engine > r->now_ms
							     ? engine
							     : r->now_ms + IDLE_TIMER_MS);
		}
	}
	return due == PLM_UNSET ? due : plm_max(due, r->now_ms);
}

/* A change of what does not exist (any more) changes nothing, and says so. */
static void missing(struct plm_runner *r, const struct plm_sim_action *action, const char *verb)
{
	char text[512];

	if (r->options->warn == NULL) {
		return;
	}
	(void)snprintf(text, sizeof(text),
		       "changes: nothing to %s after %lld s: there is no %s %.*s%s%.*s", verb,
		       (action->at_ms - r->scenario.world.start_ms) / PLM_MS_PER_SECOND,
		       plm_names_text(&plm_names_kind, action->kind), (int)action->ns.size,
		       (const char *)action->ns.ptr, action->ns.size > 0 ? "/" : "",
		       (int)action->name.size, (const char *)action->name.ptr);
	r->options->warn(r->options->ctx, text);
}

static void act(struct plm_runner *r, const struct plm_sim_action *action)
{
	switch (action->what) {
	case PLM_SIM_APPLY:
		plm_world_apply(r->world, action->type, action->payload, &action->extra);
		return;
	case PLM_SIM_DELETE:
		if (!plm_world_delete(r->world, action->kind, action->ns, action->name)) {
			missing(r, action, "delete");
		}
		return;
	case PLM_SIM_SCALE:
		if (!plm_world_scale(r->world, action->kind, action->ns, action->name,
				     action->replicas)) {
			missing(r, action, "scale");
		}
		return;
	case PLM_SIM_PATCH:
		if (!plm_world_patch(r->world, action->payload)) {
			missing(r, action, "patch");
		}
		return;
	}
	PLM_UNREACHABLE();
}

static uint64_t draw(struct plm_runner *r)
{
	r->random = r->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return r->random >> 33;
}

static void store_fault(struct plm_runner *r, const struct plm_sim_fault *fault)
{
	uint64_t next = plm_log_disk_calls(r->disk) + 1;

	if (r->engine == NULL) {
		return; /* it is dead already */
	}
	if (fault->kind == PLM_SIM_CRASH && r->options->lying_disk) {
		r->crash_by_ms = r->now_ms + CRASH_PATIENCE_MS;
		plm_log_disk_plan(r->disk, PLM_DISK_LIES, next);
		return;
	}
	if (fault->kind == PLM_SIM_CRASH) {
		plm_log_disk_plan(r->disk, PLM_DISK_CRASH, next + draw(r) % 12);
		r->crash_by_ms = r->now_ms + CRASH_PATIENCE_MS;
		return;
	}
	r->full_until_ms = plm_add_sat(fault->at_ms, fault->for_ms);
	plm_log_disk_plan(r->disk, PLM_DISK_FULL, next);
}

static void happen(struct plm_runner *r, int64_t before_ms)
{
	const struct plm_scenario *s = &r->scenario;

	if (r->full_until_ms != PLM_UNSET && r->full_until_ms <= r->now_ms) {
		r->full_until_ms = PLM_UNSET;
		plm_log_disk_plan(r->disk, PLM_DISK_NO_FAULT, plm_log_disk_calls(r->disk) + 1);
	}
	plm_world_advance(r->world, r->now_ms);
	if (r->reopen_ms != PLM_UNSET && r->reopen_ms <= r->now_ms) {
		live(r);
	}
	if (r->crash_by_ms != PLM_UNSET && r->crash_by_ms <= r->now_ms && r->engine != NULL) {
		plm_log_disk_crash(r->disk);
		die(r);
	}
	for (size_t i = 0; i < s->world.fault_count; i++) {
		const struct plm_sim_fault *fault = &s->world.faults[i];

		if (acts_at_store(fault) && fault->at_ms > before_ms && fault->at_ms <= r->now_ms) {
			store_fault(r, fault);
		}
	}
	while (r->next_action < s->action_count && s->actions[r->next_action].at_ms <= r->now_ms) {
		act(r, &s->actions[r->next_action++]);
	}
	if (r->relist_owed && r->engine != NULL) {
		relist(r);
	}
	step(r);
}

static void take_world_violation(struct plm_runner *r)
{
	uint64_t count = plm_world_violations(r->world);

	if (count > 0 && r->report->violations == 0) {
		plm_runner_broken(r, "%s", plm_world_violation(r->world));
	}
}

static void pace(const struct plm_runner *r, int64_t passed_ms)
{
	struct timespec rest;
	int64_t wait_us = 0;

	if (r->options->speed <= 0 || passed_ms <= 0) {
		return;
	}
	wait_us = passed_ms * 1000 / r->options->speed;
	rest.tv_sec = wait_us / 1000000;
	rest.tv_nsec = wait_us % 1000000 * 1000;
	(void)nanosleep(&rest, NULL);
}

static void loop(struct plm_runner *r)
{
	int64_t total = r->end_ms - r->now_ms;
	int64_t told = 0;

	while (r->failed == PLM_OK && r->report->violations == 0) {
		int64_t due = next_due(r);
		int64_t before = r->now_ms;

		if (due == PLM_UNSET) {
			r->quiet = true;
			return;
		}
		if (due > r->end_ms) {
			r->now_ms = r->end_ms;
			plm_world_advance(r->world, r->end_ms);
			return;
		}
		pace(r, due - before);
		r->now_ms = due;
		happen(r, before);
		take_world_violation(r);
		if (r->options->progress != NULL && total > 0 &&
		    (total - (r->end_ms - due)) * 100 / total > told) {
			told = (total - (r->end_ms - due)) * 100 / total;
			r->options->progress(r->options->ctx, total - (r->end_ms - due), total);
		}
	}
}

/* ---- the run ------------------------------------------------------------------------------------ */

static enum plm_code check_folder(const char *path, struct plm_error *err)
{
	DIR *folder = path == NULL ? NULL : opendir(path);
	int count = 0;

	if (folder == NULL) {
		return PLM_OK;
	}
	for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
		count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	}
	(void)closedir(folder);
	if (count > 0) {
		return plm_fail(err, PLM_E_REFUSED, "%s: the folder is not empty", path);
	}
	return PLM_OK;
}

static enum plm_code begin(struct plm_runner *r, struct plm_error *err)
{
	const struct plm_sim_run_options *o = r->options;
	const struct plm_scenario_source source = {.path = o->scenario,
						   .text = o->text,
						   .catalog = o->catalog,
						   .families = o->families,
						   .seed = o->seed,
						   .warn = o->warn,
						   .ctx = o->ctx};
	enum plm_code code = check_folder(o->log_folder, err);

	if (code == PLM_OK) {
		code = plm_arena_init(&r->arena, RUNNER_BYTES, err);
	}
	if (code == PLM_OK) {
		code = plm_scenario_read(&source, &r->scenario, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	r->scenario.world.inbox = (struct plm_inbox){.self = r, .put = put};
	r->random = r->scenario.world.seed ^ 0x5eed;
	r->now_ms = r->scenario.world.start_ms;
	r->end_ms = plm_add_sat(r->now_ms,
				o->until_ms == PLM_UNSET ? r->scenario.duration_ms : o->until_ms);
	r->disk = plm_log_disk_new();
	code = plm_world_new(&r->scenario.world, &r->world, err);
	for (size_t i = 0; code == PLM_OK && i < r->scenario.node_count; i++) {
		code = plm_world_add_node(r->world, &r->scenario.nodes[i], err);
	}
	for (size_t i = 0; code == PLM_OK && i < r->scenario.leftover_count; i++) {
		code = plm_world_add_instance(r->world, &r->scenario.leftovers[i], err);
	}
	return code;
}

static void end(struct plm_runner *r)
{
	plm_engine_close(r->engine);
	plm_log_close(r->log);
	plm_log_disk_free(r->disk);
	plm_world_free(r->world);
	plm_scenario_fini(&r->scenario);
	plm_arena_fini(&r->arena);
	free(r->image.bytes);
	plm_feasible_end(&r->feasible);
}

/* What the log says, what the world says, and the log itself for those who want to keep it. */
static enum plm_code conclude(struct plm_runner *r, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	if (r->engine == NULL && r->failed == PLM_OK) {
		r->full_until_ms = PLM_UNSET;
		live(r);
	}
	if (r->failed != PLM_OK) {
		*err = r->err;
		return r->failed;
	}
	r->known = plm_log_head(r->log);
	r->report->log_head = r->known.chain;
	r->report->log_seq = r->known.seq;
	r->report->state_hash = plm_state_hash_slow(plm_engine_state(r->engine));
	add_stats(r);
	if (r->report->violations == 0) {
		plm_runner_check_end(r);
		plm_world_check_end(r->world, r->quiet);
		take_world_violation(r);
	}
	code = plm_runner_trace(r, r->log, err);
	plm_runner_report(r);
	if (code == PLM_OK && r->scenario.compare.wanted) {
		code = plm_runner_compare(r, err);
	}
	if (code == PLM_OK && r->options->log_folder != NULL) {
		code = plm_log_save(r->log, r->options->log_folder, err);
	}
	return code;
}

enum plm_code plm_sim_run(const struct plm_sim_run_options *options, struct plm_sim_report *out,
			  struct plm_error *err)
{
	struct plm_runner *r = calloc(1, sizeof(*r));
	enum plm_code code = PLM_OK;

	if (r == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "no memory");
	}
	*out = (struct plm_sim_report){.seed = options->seed};
	r->options = options;
	r->report = out;
	r->reopen_ms = PLM_UNSET;
	r->crash_by_ms = PLM_UNSET;
	r->full_until_ms = PLM_UNSET;
	code = begin(r, err);
	if (code == PLM_OK) {
		live(r);
		loop(r);
		code = conclude(r, err);
	}
	end(r);
	free(r);
	return code;
}
