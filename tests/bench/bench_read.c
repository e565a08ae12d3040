/*
 * Reading a log with every record verified, against a bare LMDB cursor over the same data.mdb;
 * and what verifying, exporting, importing and snapshots cost.
 */
#include <inttypes.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench_lib.h"
#include "core/limits.h"
#include "store/log.h"
#include "store/snapshot.h"

#define BATCH 256

static struct plm_error err;

static uint32_t event_count(void)
{
	return bench_short() ? BATCH * 20U : BATCH * 500U;
}

static size_t image_bytes(void)
{
	return bench_short() ? 1024U * 1024 : 64U * 1024 * 1024;
}

/* A log in memory, saved: no disk has to wait for it. */
static void make(const char *path)
{
	static uint8_t events[BATCH][BENCH_EVENT_BYTES];
	static struct plm_slice records[BATCH];
	struct plm_log *log = NULL;

	bench_check(plm_log_open_memory(&log, &err) == PLM_OK, err.text);
	for (uint64_t seq = 1; seq <= event_count(); seq += BATCH) {
		for (uint64_t i = 0; i < BATCH; i++) {
			bench_event(seq + i, events[i]);
			records[i] = plm_slice_of(events[i], BENCH_EVENT_BYTES);
		}
		bench_check(plm_log_commit(log, records, BATCH, &err) == PLM_OK, err.text);
	}
	bench_check(plm_log_save(log, path, &err) == PLM_OK, err.text);
	plm_log_close(log);
}

/* All values of the table, one by one, each byte looked at. */
static void scan_raw(const char *path)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val value;
	uint64_t sum = 0;
	size_t count = 0;

	bench_check(mdb_env_create(&env) == 0 && mdb_env_set_maxdbs(env, 3) == 0 &&
			    mdb_env_set_mapsize(env, (size_t)PLM_LIMIT_MAP_BYTES) == 0 &&
			    mdb_env_open(env, path, MDB_RDONLY | MDB_NOTLS, 0644) == 0 &&
			    mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) == 0 &&
			    mdb_dbi_open(txn, "log", 0, &dbi) == 0 &&
			    mdb_cursor_open(txn, dbi, &cursor) == 0,
		    "raw environment");
	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
		sum += ((const uint8_t *)value.mv_data)[0] +
		       ((const uint8_t *)value.mv_data)[value.mv_size - 1];
		count++;
	}
	bench_check(count == event_count() && sum > 0, "raw scan");
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	mdb_env_close(env);
}

static void scan_log(const char *path)
{
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	uint64_t sum = 0;

	bench_check(plm_log_open(path, PLM_LOG_READ, &log, &err) == PLM_OK, err.text);
	bench_check(plm_log_cursor_open(log, 1, &cursor, &err) == PLM_OK, err.text);
	while (plm_log_cursor_next(cursor, &record, &err) == PLM_OK) {
		sum += record.bytes.ptr[0];
		sum += record.bytes.ptr[record.bytes.size - 1];
		sum += record.seq == event_count() ? 1 : 0;
	}
	bench_check(sum > 0 && err.code == PLM_E_NOT_FOUND, err.text);
	plm_log_cursor_close(cursor);
	plm_log_close(log);
}

static void verify(const char *path)
{
	struct plm_log_stat stat;
	uint64_t good = 0;

	bench_check(plm_log_verify(path, NULL, &stat, &good, &err) == PLM_OK &&
			    good == event_count(),
		    err.text);
}

/* Events per second of the fastest of some rounds: the others say how busy the machine is. */
static int64_t rate(void (*run)(const char *path), const char *path)
{
	int64_t end = bench_now_ns() + bench_budget_ns(250);
	int64_t best = INT64_MAX;

	do {
		int64_t before = bench_now_ns();
		int64_t took = 0;

		run(path);
		took = bench_now_ns() - before;
		best = took < best ? took : best;
	} while (bench_now_ns() < end);
	return event_count() * INT64_C(1000000000) / best;
}

static void seek(const char *path)
{
	struct bench_times times = {0};
	struct plm_log *log = NULL;
	char note[128];

	bench_check(plm_log_open(path, PLM_LOG_READ, &log, &err) == PLM_OK, err.text);
	for (uint64_t seq = 1; seq < event_count(); seq += event_count() / 50) {
		struct plm_log_cursor *cursor = NULL;
		struct plm_log_record record;
		int64_t before = bench_now_ns();

		bench_check(plm_log_cursor_open(log, seq, &cursor, &err) == PLM_OK, err.text);
		bench_check(plm_log_cursor_next(cursor, &record, &err) == PLM_OK &&
				    record.seq == seq,
			    "seek");
		bench_times_add(&times, bench_now_ns() - before);
		plm_log_cursor_close(cursor);
	}
	plm_log_close(log);
	(void)snprintf(note, sizeof(note), "p50; p99 %" PRId64 " us; a child is started for it",
		       bench_times_at(&times, 990) / 1000);
	bench_print("read: first record of a cursor", bench_times_at(&times, 500) / 1000, "us", 0,
		    note);
	bench_times_fini(&times);
}

static void exports(const char *folder, const char *path)
{
	char file[4096];
	char copy[4096];
	char note[128];
	struct plm_log *log = NULL;
	struct stat status;
	int64_t before = 0;
	int64_t export_ns = 0;
	int64_t import_ns = 0;

	(void)snprintf(file, sizeof(file), "%s/log.plog", folder);
	(void)snprintf(copy, sizeof(copy), "%s/copy", folder);
	bench_check(plm_log_open(path, PLM_LOG_READ, &log, &err) == PLM_OK, err.text);
	before = bench_now_ns();
	bench_check(plm_log_export(log, 1, 0, file, &err) == PLM_OK, err.text);
	export_ns = bench_now_ns() - before;
	plm_log_close(log);
	before = bench_now_ns();
	bench_check(plm_log_import(file, copy, NULL, &err) == PLM_OK, err.text);
	import_ns = bench_now_ns() - before;
	bench_check(stat(file, &status) == 0, "stat");
	bench_print("export", event_count() * INT64_C(1000000000) / export_ns, "events/s", 0,
		    "to .plog");
	bench_print("import", event_count() * INT64_C(1000000000) / import_ns, "events/s", 0,
		    "from .plog, durable at its end");
	(void)snprintf(note, sizeof(note), "%d B events, half of their bytes random",
		       BENCH_EVENT_BYTES);
	bench_print("bytes per event, exported", status.st_size / event_count(), "B",
		    BENCH_EVENT_BYTES, note);
	bench_print("read: verified records of a .plog", rate(scan_log, file), "events/s", 0,
		    "in process, decompressed");
}

static void snapshots(const char *path)
{
	uint8_t *image = malloc(image_bytes());
	struct plm_snapshot_info info = {.seq = event_count()};
	struct plm_snapshot_want want = {.max_seq = event_count()};
	struct plm_snapshot snapshot = {0};
	struct plm_slice part = plm_slice_of(image, image_bytes());
	char note[128];
	int64_t before = 0;
	int64_t write_ns = 0;
	int64_t load_ns = 0;

	bench_check(image != NULL, "no memory");
	for (size_t at = 0; at + BENCH_EVENT_BYTES <= image_bytes(); at += BENCH_EVENT_BYTES) {
		bench_event(at, image + at);
	}
	before = bench_now_ns();
	bench_check(plm_snapshot_write(path, &info, &part, 1, &err) == PLM_OK, err.text);
	write_ns = bench_now_ns() - before;
	before = bench_now_ns();
	bench_check(plm_snapshot_load(path, &want, &snapshot, &err) == PLM_OK, err.text);
	load_ns = bench_now_ns() - before;
	(void)snprintf(note, sizeof(note), "64 MiB image in a file of %" PRIu64 " KiB",
		       snapshot.info.file_bytes / 1024);
	bench_print("snapshot: write", write_ns / 1000000, "ms", 0, note);
	bench_print("snapshot: load", load_ns / 1000000, "ms", 0, note);
	plm_snapshot_fini(&snapshot);
	free(image);
}

int main(int argc, char **argv)
{
	char folder[4000];
	char path[4096];
	char note[128];
	int64_t raw = 0;
	struct plm_log_stat stat;

	bench_folder(argc, argv, folder, sizeof(folder));
	(void)snprintf(path, sizeof(path), "%s/log", folder);
	make(path);
	raw = rate(scan_raw, path);
	(void)snprintf(note, sizeof(note),
		       "beside a bare cursor; chain, SHA-256, XXH3, in a child; %d B, %s",
		       BENCH_EVENT_BYTES, bench_file_system(folder));
	bench_print("read: verified records", rate(scan_log, path), "events/s", raw, note);
	bench_print("read: log verify", rate(verify, path), "events/s", raw,
		    "beside a bare cursor; everything, one core");
	bench_check(plm_log_stat(path, &stat, &err) == PLM_OK, err.text);
	bench_print("bytes per event, on disk", (int64_t)stat.file_bytes / event_count(), "B",
		    BENCH_EVENT_BYTES, "data.mdb, packed by a save");
	seek(path);
	exports(folder, path);
	snapshots(path);
	bench_remove(folder);
	return 0;
}
