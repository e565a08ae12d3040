#include "follower.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/limits.h"
#include "engine/replay.h"
#include "hash/state_hash.h"

/* Behind what decides, before what answers questions. */
#define NICE 5
/* Series of metrics and their texts: address space, touched as far as it is used. */
#define COUNTED_BYTES ((size_t)8 * 1024 * 1024 * 1024)
/* Events folded between two looks at who waits. */
#define RUN_EVENTS 256U

struct plm_follower {
	struct plm_follower_options options;
	pthread_t thread;

	pthread_mutex_t told_lock; /* guards the three that follow */
	pthread_cond_t told;
	uint64_t head;
	bool stopping;

	pthread_mutex_t lock; /* guards all that follows; held for one run of events */
	uint64_t seq;
	bool caught_up, failed;
	struct plm_error err;
	struct plm_state state;
	struct plm_arena scratch, counted_arena;
	struct plm_exposition counted;
	struct plm_metric_run run;
	uint64_t bytes;
	int64_t oldest_ms;
};

static void acquire(pthread_mutex_t *mutex)
{
	int rc = pthread_mutex_lock(mutex);

	PLM_ASSERT(rc == 0);
}

static void release(pthread_mutex_t *mutex)
{
	int rc = pthread_mutex_unlock(mutex);

	PLM_ASSERT(rc == 0);
}

/* ---- reading along ----------------------------------------------------------------------------- */

/* Wait until there is something behind 'seq'; false: end. */
static bool wait_for_more(struct plm_follower *f, uint64_t seq)
{
	bool go_on = false;

	acquire(&f->told_lock);
	while (!f->stopping && f->head <= seq) {
		(void)pthread_cond_wait(&f->told, &f->told_lock);
	}
	go_on = !f->stopping;
	release(&f->told_lock);
	return go_on;
}

static uint64_t head_of(struct plm_follower *f, bool *out_stopping)
{
	uint64_t head = 0;

	acquire(&f->told_lock);
	head = f->head;
	*out_stopping = f->stopping;
	release(&f->told_lock);
	return head;
}

static void take(struct plm_follower *f, const struct plm_logged *logged)
{
	struct plm_event event = plm_logged_event(logged);

	f->counted.now_ms = (int64_t)event.tick_ms;
	if (f->options.seen != NULL) {
		f->options.seen(f->options.self, &f->state, &event, &f->scratch);
	}
	plm_metric_event(&f->state, &event, &f->run, plm_exposition_add, &f->counted);
	plm_metric_node_event(&f->state, &event, logged->envelope.source, &f->run,
			      plm_exposition_add, &f->counted);
	plm_fold_event(&f->state, logged, &f->scratch);
	if (f->seq == 0) {
		f->oldest_ms = (int64_t)(logged->envelope.wall_ns / 1000000);
	}
	f->seq = logged->envelope.seq;
	f->bytes = logged->head.bytes;
}

/* A run of events; PLM_E_NOT_FOUND: the end, for now. */
static enum plm_code take_run(struct plm_follower *f, struct plm_reader *reader,
			      struct plm_error *err)
{
	struct plm_logged logged = {0};
	enum plm_code code = PLM_OK;

	acquire(&f->lock);
	/* To the end of a batch: what is seen in between was never a state of the engine. */
	for (uint32_t i = 0; code == PLM_OK && (i < RUN_EVENTS || !logged.last_of_frame); i++) {
		code = plm_reader_next(reader, &logged, err);
		if (code == PLM_OK) {
			take(f, &logged);
		}
	}
	release(&f->lock);
	return code;
}

static enum plm_code follow(struct plm_follower *f, struct plm_reader *reader,
			    struct plm_error *err)
{
	for (;;) {
		enum plm_code code = take_run(f, reader, err);
		bool stopping = false;
		uint64_t head = head_of(f, &stopping);

		if (stopping) {
			return PLM_OK;
		}
		if (code != PLM_OK && code != PLM_E_NOT_FOUND) {
			return code;
		}
		if (code == PLM_E_NOT_FOUND || f->seq >= head) {
			acquire(&f->lock);
			f->caught_up = f->caught_up || f->seq >= head;
			release(&f->lock);
			if (!wait_for_more(f, f->seq)) {
				return PLM_OK;
			}
		}
	}
}

static enum plm_code read_along(struct plm_follower *f, struct plm_error *err)
{
	struct plm_log *log = NULL;
	struct plm_reader *reader = NULL;
	enum plm_code code = plm_log_open(f->options.folder, PLM_LOG_READ, &log, err);

	if (code == PLM_OK) {
		code = plm_reader_open(log, 1, &reader, err);
	}
	if (code == PLM_OK) {
		code = follow(f, reader, err);
	}
	plm_reader_close(reader);
	plm_log_close(log);
	return code;
}

static void *follower_main(void *self)
{
	struct plm_follower *f = self;
	struct plm_error err = {0};

	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	if (wait_for_more(f, 0) && read_along(f, &err) != PLM_OK) {
		acquire(&f->lock);
		f->failed = true;
		f->caught_up = false;
		f->err = err;
		release(&f->lock);
	}
	return NULL;
}

/* ---- for the others ---------------------------------------------------------------------------- */

void plm_follower_wake(struct plm_follower *follower, uint64_t seq)
{
	acquire(&follower->told_lock);
	if (seq > follower->head) {
		follower->head = seq;
		(void)pthread_cond_signal(&follower->told);
	}
	release(&follower->told_lock);
}

static struct plm_follower_report report_of(struct plm_follower *f, bool with_hash)
{
	struct plm_follower_report report = {.seq = 0};
	bool stopping = false;

	report.head = head_of(f, &stopping);
	acquire(&f->lock);
	report.seq = f->seq;
	report.caught_up = f->caught_up;
	report.failed = f->failed;
	report.err = f->err;
	report.bytes = f->bytes;
	report.oldest_ms = f->seq == 0 ? PLM_UNSET : f->oldest_ms;
	if (with_hash && f->seq > 0) {
		report.hash = plm_state_hash(&f->state);
	}
	release(&f->lock);
	return report;
}

struct plm_follower_report plm_follower_report(struct plm_follower *follower)
{
	return report_of(follower, false);
}

struct plm_follower_report plm_follower_point(struct plm_follower *follower)
{
	return report_of(follower, true);
}

void plm_follower_freeze(void *follower)
{
	struct plm_follower *f = follower;

	acquire(&f->lock);
}

void plm_follower_thaw(void *follower)
{
	struct plm_follower *f = follower;

	release(&f->lock);
}

struct plm_follower_view plm_follower_view(struct plm_follower *follower)
{
	bool usable = follower->caught_up && !follower->failed;

	return (struct plm_follower_view){
		.state = usable ? &follower->state : NULL,
		.seq = usable ? follower->seq : 0,
		.counted = &follower->counted,
		.run = &follower->run,
		.scratch = &follower->scratch,
	};
}

/* ---- life -------------------------------------------------------------------------------------- */

static enum plm_code init(struct plm_follower *f, struct plm_error *err)
{
	enum plm_code code = plm_state_init(&f->state, PLM_PROFILE_SMALL, err);

	if (code == PLM_OK) {
		code = plm_arena_init(&f->scratch, PLM_LIMIT_EVENT_ARENA, err);
	}
	if (code == PLM_OK) {
		code = plm_arena_init(&f->counted_arena, COUNTED_BYTES, err);
	}
	f->counted.arena = &f->counted_arena;
	return code;
}

static void fini(struct plm_follower *f)
{
	plm_state_fini(&f->state);
	plm_arena_fini(&f->scratch);
	plm_arena_fini(&f->counted_arena);
	(void)pthread_cond_destroy(&f->told);
	(void)pthread_mutex_destroy(&f->told_lock);
	(void)pthread_mutex_destroy(&f->lock);
	free(f);
}

enum plm_code plm_follower_start(const struct plm_follower_options *options,
				 struct plm_follower **out, struct plm_error *err)
{
	struct plm_follower *f = calloc(1, sizeof(*f));
	enum plm_code code = PLM_OK;
	int rc = f == NULL ? -1 : pthread_mutex_init(&f->lock, NULL);

	rc = rc == 0 ? pthread_mutex_init(&f->told_lock, NULL) : rc;
	rc = rc == 0 ? pthread_cond_init(&f->told, NULL) : rc;
	if (rc != 0) {
		free(f);
		return plm_fail(err, PLM_E_LIMIT, "follower: out of memory");
	}
	f->options = *options;
	code = init(f, err);
	if (code == PLM_OK && pthread_create(&f->thread, NULL, follower_main, f) != 0) {
		code = plm_fail(err, PLM_E_LIMIT, "follower: cannot start a thread");
	}
	if (code != PLM_OK) {
		fini(f);
		return code;
	}
	*out = f;
	return PLM_OK;
}

void plm_follower_stop(struct plm_follower *follower)
{
	if (follower == NULL) {
		return;
	}
	acquire(&follower->told_lock);
	follower->stopping = true;
	(void)pthread_cond_signal(&follower->told);
	release(&follower->told_lock);
	(void)pthread_join(follower->thread, NULL);
	fini(follower);
}
