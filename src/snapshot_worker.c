#include "snapshot_worker.h"

#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "jsonlog.h"

enum job_state {
	JOB_NONE,
	JOB_WAITS,
	JOB_RUNS,
};

struct plm_snapshot_worker {
	pthread_t thread;
	const char *folder;
	struct plm_clock clock;

	pthread_mutex_t lock; /* guards what follows; the image belongs to who the state names */
	pthread_cond_t changed;
	enum job_state job;
	bool stopping;
	struct plm_snapshot_worker_stats stats;

	struct plm_snapshot_info info;
	struct plm_slice parts[PLM_LIMIT_SNAPSHOT_PARTS];
	size_t part_count;
	uint8_t *image; /* owned; kept for the next one */
	size_t capacity;
};

static void lock(struct plm_snapshot_worker *worker)
{
	int rc = pthread_mutex_lock(&worker->lock);

	PLM_ASSERT(rc == 0);
}

static void unlock(struct plm_snapshot_worker *worker)
{
	int rc = pthread_mutex_unlock(&worker->lock);

	PLM_ASSERT(rc == 0);
}

static void tell(const struct plm_snapshot_worker *worker, enum plm_code code,
		 const struct plm_error *err, size_t bytes, int64_t took_ms)
{
	const struct plm_log_field written[] = {
		PLM_LOG_INT("seq", worker->info.seq),
		PLM_LOG_INT("bytes", bytes),
		PLM_LOG_INT("duration-ms", took_ms),
		PLM_LOG_END,
	};
	const struct plm_log_field failed[] = {
		PLM_LOG_INT("seq", worker->info.seq),
		PLM_LOG_STR("error", err->text),
		PLM_LOG_END,
	};

	if (code == PLM_OK) {
		plm_jsonlog(PLM_LOG_DEBUG, "snapshot", "wrote snapshot", written);
	} else {
		plm_jsonlog(PLM_LOG_WARN, "snapshot", "snapshot not written", failed);
	}
}

static void write_one(struct plm_snapshot_worker *worker)
{
	struct plm_error err = {0};
	int64_t begin = worker->clock.boot_ms(worker->clock.self);
	enum plm_code code = plm_snapshot_write(worker->folder, &worker->info, worker->parts,
						worker->part_count, &err);
	int64_t took = worker->clock.boot_ms(worker->clock.self) - begin;
	size_t bytes = 0;

	for (size_t i = 0; i < worker->part_count; i++) {
		bytes += worker->parts[i].size;
	}
	tell(worker, code, &err, bytes, took);
	lock(worker);
	if (code == PLM_OK) {
		worker->stats.written++;
		worker->stats.last_seq = worker->info.seq;
		worker->stats.last_bytes = bytes;
	} else {
		worker->stats.failed++;
	}
	worker->job = JOB_NONE;
	unlock(worker);
}

static bool next(struct plm_snapshot_worker *worker)
{
	bool any = false;

	lock(worker);
	while (worker->job == JOB_NONE && !worker->stopping) {
		(void)pthread_cond_wait(&worker->changed, &worker->lock);
	}
	any = worker->job == JOB_WAITS;
	if (any) {
		worker->job = JOB_RUNS;
	}
	unlock(worker);
	return any;
}

static void *worker_main(void *self)
{
	struct plm_snapshot_worker *worker = self;

	while (next(worker)) {
		write_one(worker);
	}
	return NULL;
}

enum plm_code plm_snapshot_worker_start(const char *folder, struct plm_snapshot_worker **out,
					struct plm_error *err)
{
	struct plm_snapshot_worker *worker = calloc(1, sizeof(*worker));
	int rc = 0;

	if (worker == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "snapshot worker: out of memory");
	}
	worker->folder = folder;
	worker->clock = plm_clock_system();
	rc = pthread_mutex_init(&worker->lock, NULL);
	if (rc == 0) {
		rc = pthread_cond_init(&worker->changed, NULL);
	}
	if (rc == 0) {
		rc = pthread_create(&worker->thread, NULL, worker_main, worker);
	}
	if (rc != 0) {
		free(worker);
		return plm_fail(err, PLM_E_LIMIT, "snapshot worker: cannot start (error %d)", rc);
	}
	*out = worker;
	return PLM_OK;
}

void plm_snapshot_worker_stop(struct plm_snapshot_worker *worker)
{
	int rc = 0;

	if (worker == NULL) {
		return;
	}
	lock(worker);
	worker->stopping = true;
	(void)pthread_cond_signal(&worker->changed);
	unlock(worker);
	rc = pthread_join(worker->thread, NULL);
	PLM_ASSERT(rc == 0);
	(void)pthread_cond_destroy(&worker->changed);
	(void)pthread_mutex_destroy(&worker->lock);
	free(worker->image);
	free(worker);
}

/* Memory for 'size' bytes; what was there is of no use any more. */
static bool reserve(struct plm_snapshot_worker *worker, size_t size)
{
	uint8_t *image = NULL;

	if (size <= worker->capacity) {
		return true;
	}
	image = malloc(size);
	if (image == NULL) {
		return false;
	}
	free(worker->image);
	worker->image = image;
	worker->capacity = size;
	return true;
}

static void copy_parts(struct plm_snapshot_worker *worker, const struct plm_slice *parts,
		       size_t count)
{
	uint8_t *at = worker->image;

	for (size_t i = 0; i < count; i++) {
		if (parts[i].size > 0) {
			memcpy(at, parts[i].ptr, parts[i].size);
		}
		worker->parts[i] = plm_slice_of(at, parts[i].size);
		at += parts[i].size;
	}
	worker->part_count = count;
}

void plm_snapshot_worker_take(void *self, const struct plm_snapshot_info *info,
			      const struct plm_slice *parts, size_t count)
{
	struct plm_snapshot_worker *worker = self;
	size_t size = 1;
	bool idle = false;

	for (size_t i = 0; i < count; i++) {
		size += parts[i].size;
	}
	lock(worker);
	idle = worker->job == JOB_NONE && !worker->stopping;
	unlock(worker);
	/* Only this thread makes jobs: what is idle stays idle, and its image is ours. */
	if (idle && count <= PLM_LIMIT_SNAPSHOT_PARTS && reserve(worker, size)) {
		copy_parts(worker, parts, count);
		worker->info = *info;
	} else {
		idle = false;
	}
	lock(worker);
	if (idle) {
		worker->job = JOB_WAITS;
		(void)pthread_cond_signal(&worker->changed);
	} else {
		worker->stats.left_out++;
	}
	unlock(worker);
}

struct plm_snapshot_worker_stats plm_snapshot_worker_stats(struct plm_snapshot_worker *worker)
{
	struct plm_snapshot_worker_stats stats;

	lock(worker);
	stats = worker->stats;
	unlock(worker);
	return stats;
}
