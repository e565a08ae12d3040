#include "engine_thread.h"

#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "store/volume.h"

/* Longest sleep with a timer ahead: the wall clock, by which timers count, may step meanwhile. */
#define MAX_SLEEP_MS 1000
/* Shortest one: a timer that is due but waits for something else must not spin. */
#define MIN_SLEEP_MS 2
/* How often the room on the disk is looked at when batches follow each other closely. */
#define ROOM_EVERY_MS 200

struct plm_engine_thread {
	struct plm_engine_thread_options options;
	pthread_t thread;
	int64_t room_checked_ms; /* boot time; INT64_MIN = never */
	bool has_ballast;

	pthread_mutex_t lock; /* guards what follows */
	struct plm_engine_report report;
	bool stopping;
};

static void lock(struct plm_engine_thread *thread)
{
	int rc = pthread_mutex_lock(&thread->lock);

	PLM_ASSERT(rc == 0);
}

static void unlock(struct plm_engine_thread *thread)
{
	int rc = pthread_mutex_unlock(&thread->lock);

	PLM_ASSERT(rc == 0);
}

static bool stopping(struct plm_engine_thread *thread)
{
	bool stop = false;

	lock(thread);
	stop = thread->stopping;
	unlock(thread);
	return stop;
}

static void note_rejected(struct plm_engine_thread *thread, const struct plm_error *why)
{
	lock(thread);
	thread->report.rejected++;
	thread->report.rejection = *why;
	unlock(thread);
}

/* Take what is in the ring until it is empty or the batch is full. */
static enum plm_code take_all(struct plm_engine_thread *thread, struct plm_error *err)
{
	struct plm_observation observation;

	while (plm_ring_peek(thread->options.ring, &observation)) {
		enum plm_code code = plm_engine_observe(thread->options.engine, &observation, err);

		if (code == PLM_E_AGAIN) {
			return PLM_OK;
		}
		if (code == PLM_E_INPUT) {
			note_rejected(thread, err);
		} else if (code != PLM_OK) {
			return code;
		}
		plm_ring_pop(thread->options.ring);
	}
	return PLM_OK;
}

/* PLM_E_FULL: the next batch may not fit, and the ballast is gone. */
static enum plm_code check_room(struct plm_engine_thread *thread, struct plm_error *err)
{
	int64_t now = thread->options.clock.boot_ms(thread->options.clock.self);
	enum plm_room_level level = PLM_ROOM_PLENTY;
	struct plm_room room = {0};
	bool released = false;

	if (thread->options.folder == NULL || now < thread->room_checked_ms + ROOM_EVERY_MS) {
		return PLM_OK;
	}
	thread->room_checked_ms = now;
	if (plm_room_measure(thread->options.folder, &room, err) != PLM_OK) {
		return PLM_E_IO;
	}
	level = plm_room_level(room);
	if (level == PLM_ROOM_NONE && thread->has_ballast) {
		thread->has_ballast = false;
		released = plm_volume_ballast_release(thread->options.folder, NULL) == PLM_OK;
	}
	lock(thread);
	thread->report.room = room;
	thread->report.level = level;
	thread->report.ballast_released |= released;
	unlock(thread);
	if (level == PLM_ROOM_NONE && !released) {
		return plm_fail(err, PLM_E_FULL, "%s: %llu bytes left, the ballast is used up",
				thread->options.folder, (unsigned long long)room.free_bytes);
	}
	return PLM_OK;
}

static void note_begin(struct plm_engine_thread *thread)
{
	lock(thread);
	thread->report.working_since_ms = thread->options.clock.boot_ms(thread->options.clock.self);
	unlock(thread);
}

/* What the last batch took; under the lock. */
static void note_times(struct plm_engine_report *report, const struct plm_engine_stats *before,
		       int64_t step_ns)
{
	const struct plm_engine_stats *now = &report->stats;
	int64_t append_us = (int64_t)(now->commit_ns - before->commit_ns) / 1000;
	int64_t rest_us = step_ns / 1000 - append_us;

	report->working_since_ms = 0;
	if (now->batches > before->batches) {
		plm_timing_add(&report->appends, PLM_METRIC_DEFAULTS, append_us);
	}
	if (now->cycles > before->cycles) {
		plm_timing_add(&report->cycles[now->reserved > before->reserved ? 0 : 1],
			       PLM_METRIC_DEFAULTS, rest_us);
		plm_timing_add(&report->evaluations, PLM_METRIC_DURATIONS, rest_us);
	}
}

static enum plm_code one_batch(struct plm_engine_thread *thread, bool *out_did,
			       struct plm_error *err)
{
	const struct plm_clock *clock = &thread->options.clock;
	struct plm_engine_stats before;
	int64_t began_ns = 0;
	int64_t took_ns = 0;
	enum plm_code code = check_room(thread, err);

	if (code == PLM_OK) {
		code = take_all(thread, err);
	}
	if (code == PLM_OK) {
		note_begin(thread);
		began_ns = clock->wall_ns(clock->self);
		code = plm_engine_step(thread->options.engine, out_did, err);
		took_ns = clock->wall_ns(clock->self) - began_ns;
	}
	if (code == PLM_OK) {
		plm_ring_settle(thread->options.ring);
	}
	lock(thread);
	before = thread->report.stats;
	thread->report.stats = plm_engine_stats(thread->options.engine);
	note_times(&thread->report, &before, took_ns);
	thread->report.seq = plm_engine_state(thread->options.engine)->seq;
	thread->report.head = plm_engine_head(thread->options.engine);
	thread->report.batch_boot_ms = thread->options.clock.boot_ms(thread->options.clock.self);
	unlock(thread);
	thread->options.notify(thread->options.self);
	return code;
}

/* How long nothing need be done unless something arrives; < 0: without end. */
static int64_t sleep_ms(const struct plm_engine_thread *thread)
{
	int64_t due = plm_engine_next_due(thread->options.engine);
	int64_t left = 0;

	if (due == PLM_UNSET) {
		return thread->options.folder == NULL ? -1 : MAX_SLEEP_MS;
	}
	left = plm_sub_sat(due, plm_clock_wall_ms(&thread->options.clock));
	return plm_max(MIN_SLEEP_MS, plm_min(left, MAX_SLEEP_MS));
}

static enum plm_code run(struct plm_engine_thread *thread, struct plm_error *err)
{
	for (;;) {
		bool stop = stopping(thread);
		bool did = false;
		enum plm_code code = one_batch(thread, &did, err);

		if (code != PLM_OK) {
			return code;
		}
		if (plm_ring_stats(thread->options.ring).entries > 0) {
			continue;
		}
		if (stop) {
			return PLM_OK;
		}
		if (did) {
			continue;
		}
		plm_ring_wait(thread->options.ring, sleep_ms(thread));
	}
}

static void *thread_main(void *self)
{
	struct plm_engine_thread *thread = self;
	struct plm_error err = {0};
	enum plm_code code = run(thread, &err);

	lock(thread);
	thread->report.ended = true;
	thread->report.code = code;
	thread->report.err = err;
	unlock(thread);
	thread->options.notify(thread->options.self);
	return NULL;
}

enum plm_code plm_engine_thread_start(const struct plm_engine_thread_options *options,
				      struct plm_engine_thread **out, struct plm_error *err)
{
	struct plm_engine_thread *thread = calloc(1, sizeof(*thread));
	int rc = 0;

	if (thread == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "engine thread: out of memory");
	}
	thread->options = *options;
	thread->has_ballast = options->ballast;
	thread->room_checked_ms = INT64_MIN / 2;
	rc = pthread_mutex_init(&thread->lock, NULL);
	if (rc == 0) {
		rc = pthread_create(&thread->thread, NULL, thread_main, thread);
	}
	if (rc != 0) {
		free(thread);
		return plm_fail(err, PLM_E_LIMIT, "engine thread: cannot start (error %d)", rc);
	}
	*out = thread;
	return PLM_OK;
}

void plm_engine_thread_stop(struct plm_engine_thread *thread)
{
	lock(thread);
	thread->stopping = true;
	unlock(thread);
	plm_ring_wake(thread->options.ring);
}

struct plm_engine_report plm_engine_thread_report(struct plm_engine_thread *thread)
{
	struct plm_engine_report report;

	lock(thread);
	report = thread->report;
	unlock(thread);
	return report;
}

struct plm_engine_report plm_engine_thread_join(struct plm_engine_thread *thread)
{
	struct plm_engine_report report = {.ended = true};
	int rc = 0;

	if (thread != NULL) {
		rc = pthread_join(thread->thread, NULL);
		PLM_ASSERT(rc == 0);
		report = thread->report;
		(void)pthread_mutex_destroy(&thread->lock);
		free(thread);
	}
	return report;
}
