/*
 * Durable appends: the log against bare LMDB with the same batches and bytes in the same sync
 * mode, and against one write and one fdatasync of them. The three take turns, so that a
 * neighbour's noise hits all.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_lib.h"
#include "core/limits.h"
#include "store/log.h"

#define BATCH_MAX 1024
#define TURN_NS 25000000

static uint8_t events[BATCH_MAX][BENCH_EVENT_BYTES];
static struct plm_slice records[BATCH_MAX];

struct raw_lmdb {
	MDB_env *env;
	MDB_dbi dbi;
	uint64_t seq;
};

struct contest {
	size_t batch;
	struct plm_log *log;
	struct raw_lmdb raw;
	int file;
	struct bench_times log_times;
	struct bench_times raw_times;
	struct bench_times file_times;
};

static void append_log(struct contest *contest)
{
	struct plm_error err;

	bench_check(plm_log_commit(contest->log, records, contest->batch, &err) == PLM_OK,
		    "commit");
}

static void append_raw(struct contest *contest)
{
	MDB_txn *txn = NULL;
	int rc = mdb_txn_begin(contest->raw.env, NULL, 0, &txn);

	for (size_t i = 0; i < contest->batch && rc == 0; i++) {
		uint64_t number = __builtin_bswap64(++contest->raw.seq);
		MDB_val key = {sizeof(number), &number};
		MDB_val value = {BENCH_EVENT_BYTES, events[i]};

		rc = mdb_put(txn, contest->raw.dbi, &key, &value, MDB_APPEND);
	}
	bench_check(rc == 0 && mdb_txn_commit(txn) == 0, "raw commit");
}

static void append_file(struct contest *contest)
{
	size_t size = contest->batch * BENCH_EVENT_BYTES;

	bench_check(write(contest->file, events, size) == (ssize_t)size, "raw write");
	bench_check(fdatasync(contest->file) == 0, "raw sync");
}

static void turn(struct contest *contest, void (*append)(struct contest *contest),
		 struct bench_times *times)
{
	int64_t end = bench_now_ns() + TURN_NS;
	int64_t before = 0;

	do {
		before = bench_now_ns();
		append(contest);
		bench_times_add(times, bench_now_ns() - before);
	} while (bench_now_ns() < end);
}

static void open_raw(struct raw_lmdb *raw, const char *folder)
{
	MDB_txn *txn = NULL;

	bench_check(mkdir(folder, 0755) == 0, "folder");
	bench_check(mdb_env_create(&raw->env) == 0 && mdb_env_set_maxdbs(raw->env, 3) == 0 &&
			    mdb_env_set_mapsize(raw->env, (size_t)PLM_LIMIT_MAP_BYTES) == 0 &&
			    mdb_env_open(raw->env, folder, MDB_NOTLS, 0644) == 0,
		    "raw environment");
	bench_check(mdb_txn_begin(raw->env, NULL, 0, &txn) == 0 &&
			    mdb_dbi_open(txn, "log", MDB_CREATE, &raw->dbi) == 0 &&
			    mdb_txn_commit(txn) == 0,
		    "raw table");
}

static void report(struct contest *contest, const char *folder)
{
	char name[64];
	char note[256];
	int64_t wait_ns = bench_times_at(&contest->file_times, 500);

	(void)snprintf(name, sizeof(name), "append: durable, batches of %zu", contest->batch);
	(void)snprintf(note, sizeof(note),
		       "beside bare LMDB; commit p50 %" PRId64 " us, p99 %" PRId64
		       " us; write+fdatasync p50 %" PRId64 " us, %" PRId64
		       " events/s%s; %d B events, default sync, %s",
		       bench_times_at(&contest->log_times, 500) / 1000,
		       bench_times_at(&contest->log_times, 990) / 1000, wait_ns / 1000,
		       bench_times_rate(&contest->file_times, contest->batch),
		       wait_ns < 20000 ? " (a cheating disk, or one with power-loss protection)"
				       : "",
		       BENCH_EVENT_BYTES, bench_file_system(folder));
	bench_print(name, bench_times_rate(&contest->log_times, contest->batch), "events/s",
		    bench_times_rate(&contest->raw_times, contest->batch), note);
}

static void compete(size_t batch, const char *folder)
{
	struct contest contest = {.batch = batch};
	struct plm_error err = {0};
	char path[4096];
	int64_t end = 0;

	(void)snprintf(path, sizeof(path), "%s/log", folder);
	bench_check(plm_log_open(path, PLM_LOG_WRITE, &contest.log, &err) == PLM_OK, err.text);
	(void)snprintf(path, sizeof(path), "%s/raw", folder);
	open_raw(&contest.raw, path);
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	contest.file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	bench_check(contest.file >= 0, "file");
	end = bench_now_ns() + bench_budget_ns(750);
	do {
		turn(&contest, append_log, &contest.log_times);
		turn(&contest, append_raw, &contest.raw_times);
		turn(&contest, append_file, &contest.file_times);
	} while (bench_now_ns() < end);
	report(&contest, folder);
	plm_log_close(contest.log);
	mdb_env_close(contest.raw.env);
	(void)close(contest.file);
	bench_times_fini(&contest.log_times);
	bench_times_fini(&contest.raw_times);
	bench_times_fini(&contest.file_times);
}

int main(int argc, char **argv)
{
	static const size_t batches[] = {1, 16, 64, 256, 1024};

	for (size_t i = 0; i < BATCH_MAX; i++) {
		bench_event(i + 1, events[i]);
		records[i] = plm_slice_of(events[i], BENCH_EVENT_BYTES);
	}
	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		char folder[4000];

		bench_folder(argc, argv, folder, sizeof(folder));
		compete(batches[i], folder);
		bench_remove(folder);
	}
	return 0;
}
