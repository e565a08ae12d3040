/* The log in a folder: what outlives the process, what is refused, what is damage. */
#include <fcntl.h>
#include <lmdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/limits.h"
#include "plm_test.h"
#include "store/frame.h"
#include "store/log_mem.h"
#include "store/snapshot.h"
#include "store_test.h"

static void batches_survive_and_go_on(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_head head;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	head = store_make(folder, 50);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	assert_int_equal(plm_log_head(log).seq, head.seq);
	assert_memory_equal(plm_log_head(log).chain.bytes, head.chain.bytes, PLM_SHA256_SIZE);
	for (uint64_t from = 1; from <= head.seq + 1; from += 13) {
		assert_int_equal(store_read_all(log, from), head.seq);
	}
	plm_assert_ok(store_commit(log, 3, &err), &err);
	assert_int_equal(store_read_all(log, 1), head.seq + 3);
	plm_log_close(log);
	store_remove(folder);
}

static void the_same_log_as_in_memory(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_head head;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	head = store_make(folder, 20);
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	for (size_t i = 0; i < 20; i++) {
		plm_assert_ok(store_commit(log, i % 7 + 1, &err), &err);
	}
	assert_memory_equal(plm_log_head(log).chain.bytes, head.chain.bytes, PLM_SHA256_SIZE);
	assert_int_equal(plm_log_head(log).bytes, head.bytes);
	assert_int_equal(plm_log_head(log).frames, 20);
	plm_log_close(log);
	store_remove(folder);
}

static void a_new_log_is_empty(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_stat stat;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	store_path(path, folder, "log");
	plm_assert_fails(plm_log_open(path, PLM_LOG_READ, &log, &err), PLM_E_NOT_FOUND, err, path);
	plm_assert_ok(plm_log_open(path, PLM_LOG_WRITE, &log, &err), &err);
	assert_int_equal(plm_log_head(log).seq, 0);
	assert_int_equal(store_read_all(log, 1), 0);
	plm_log_close(log);
	plm_assert_ok(plm_log_open(path, PLM_LOG_WRITE, &log, &err), &err);
	plm_log_close(log);
	plm_assert_ok(plm_log_stat(path, &stat, &err), &err);
	assert_int_equal(stat.first, 0);
	assert_int_equal(stat.head.seq, 0);
	store_path(path, folder, "no/such/parent");
	plm_assert_fails(plm_log_open(path, PLM_LOG_WRITE, &log, &err), PLM_E_UNREACHABLE, err,
			 "no/such/parent");
	store_remove(folder);
}

static void a_reader_follows_a_live_writer(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *writer = NULL;
	struct plm_log *reader = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &writer, &err), &err);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_READ, &reader, &err), &err);
	plm_assert_ok(plm_log_cursor_open(reader, 1, &cursor, &err), &err);
	for (uint64_t seq = 1; seq < 20; seq += 2) {
		plm_assert_fails(plm_log_cursor_next(cursor, &record, &err), PLM_E_NOT_FOUND, err,
				 "ends here");
		plm_assert_ok(store_commit(writer, 2, &err), &err);
		plm_assert_ok(plm_log_cursor_next(cursor, &record, &err), &err);
		assert_int_equal(record.seq, seq);
		plm_assert_ok(plm_log_cursor_next(cursor, &record, &err), &err);
		assert_int_equal(record.seq, seq + 1);
		assert_int_equal(record.head.frames, (seq + 1) / 2);
	}
	plm_log_cursor_close(cursor);
	plm_log_close(reader);
	plm_log_close(writer);
	store_remove(folder);
}

static void a_second_writer_is_refused(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *first = NULL;
	struct plm_log *second = NULL;
	struct plm_error err = {0};
	pid_t pid = -1;
	int status = 0;

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &first, &err), &err);
	plm_assert_ok(store_commit(first, 2, &err), &err);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &second, &err), PLM_E_REFUSED, err,
			 "another process");
	pid = fork();
	if (pid == 0) {
		_exit(plm_log_open(folder, PLM_LOG_WRITE, &second, &err) == PLM_E_REFUSED ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	plm_assert_ok(store_commit(first, 2, &err), &err);
	assert_int_equal(store_read_all(first, 1), 4);
	plm_log_close(first);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &second, &err), &err);
	plm_log_close(second);
	store_remove(folder);
}

/* A writer that is killed leaves no lock, although a reading child of its was running. */
static void a_killed_writer_leaves_no_lock(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err = {0};
	int pipe_fds[2];
	char byte = 0;
	pid_t pid = -1;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 10);
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		if (plm_log_open(folder, PLM_LOG_WRITE, &log, &err) != PLM_OK ||
		    plm_log_cursor_open(log, 1, &cursor, &err) != PLM_OK ||
		    plm_log_cursor_next(cursor, &record, &err) != PLM_OK ||
		    write(pipe_fds[1], "x", 1) != 1) {
			_exit(1);
		}
		(void)pause();
	}
	(void)close(pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_log_close(log);
	(void)close(pipe_fds[0]);
	store_remove(folder);
}

/* A writer may be killed before its new child has run and closed what it got of it. */
static void a_lock_that_a_child_still_has_is_waited_for(void **state)
{
	const struct timespec while_ms = {.tv_nsec = 200000000};
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	pid_t pid = -1;

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	pid = fork();
	if (pid == 0) {
		(void)nanosleep(&while_ms, NULL);
		_exit(0);
	}
	plm_log_close(log);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_log_close(log);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	store_remove(folder);
}

static void notes_and_epochs_survive(void **state)
{
	char folder[STORE_PATH_MAX];
	char text[PLM_NOTE_TEXT_MAX + 1];
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_log_note_put(log, "compiler", "gcc 12");
	plm_log_set_epoch(log, 7);
	plm_assert_fails(plm_log_note_get(log, "compiler", text, sizeof(text), &err),
			 PLM_E_NOT_FOUND, err, "compiler");
	plm_assert_ok(store_commit(log, 1, &err), &err);
	plm_log_close(log);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_READ, &log, &err), &err);
	plm_assert_ok(plm_log_note_get(log, "compiler", text, sizeof(text), &err), &err);
	assert_string_equal(text, "gcc 12");
	assert_int_equal(plm_log_head(log).epoch, 7);
	plm_log_close(log);
	store_remove(folder);
}

static void room_is_the_volumes(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_room room = {0};
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(plm_log_room(log, &room, &err), &err);
	assert_true(room.free_bytes > 0 && room.free_bytes <= room.total_bytes);
	plm_log_close(log);
	store_remove(folder);
}

/* ---- witnesses ----------------------------------------------------------------------------- */

/*
 * data.mdb as it was some commits ago, everything else as it is: what a restored volume looks
 * like.
 */
static void a_log_behind_its_head_is_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	uint64_t good = 0;
	struct plm_log_stat stat;
	uint8_t *old = NULL;
	size_t size = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 5);
	old = store_load(store_path(path, folder, "data.mdb"), &size);
	(void)store_make(folder, 1);
	store_store(path, old, size);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), PLM_E_CORRUPT, err,
			 "\"head\" knows record 16");
	plm_assert_fails(plm_log_open(folder, PLM_LOG_READ, &log, &err), PLM_E_CORRUPT, err,
			 "record 15 is the last good one");
	plm_assert_fails(plm_log_verify(folder, NULL, &stat, &good, &err), PLM_E_CORRUPT, err,
			 "lost its tail");
	assert_int_equal(good, 15);
	/* Without the witness nobody can know. */
	assert_int_equal(unlink(store_path(path, folder, "head")), 0);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	assert_int_equal(plm_log_head(log).seq, 15);
	plm_log_close(log);
	free(old);
	store_remove(folder);
}

static void a_torn_head_says_nothing(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_head head;
	struct plm_error err = {0};
	uint8_t *bytes = NULL;
	size_t size = 0;

	(void)state;
	store_folder(folder);
	head = store_make(folder, 5);
	bytes = store_load(store_path(path, folder, "head"), &size);
	assert_int_equal(size, 64);
	for (size_t cut = 0; cut < size; cut += 9) {
		store_store(path, bytes, cut);
		plm_assert_ok(plm_log_open(folder, PLM_LOG_READ, &log, &err), &err);
		assert_int_equal(plm_log_head(log).seq, head.seq);
		plm_log_close(log);
	}
	bytes[20] ^= 1;
	store_store(path, bytes, size);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_log_close(log);
	free(bytes);
	/* A writing open has put it right. */
	bytes = store_load(path, &size);
	assert_int_equal(plm_get_be64(bytes + 8), head.seq);
	free(bytes);
	store_remove(folder);
}

static void a_head_of_another_chain_is_damage(void **state)
{
	char one[STORE_PATH_MAX];
	char two[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	uint8_t *head = NULL;
	size_t size = 0;

	(void)state;
	store_folder(one);
	store_folder(two);
	(void)store_make(one, 5);
	/* As many records in other batches. */
	plm_assert_ok(plm_log_open(two, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(store_commit(log, 15, &err), &err);
	plm_log_close(log);
	head = store_load(store_path(path, two, "head"), &size);
	store_store(store_path(path, one, "head"), head, size);
	plm_assert_fails(plm_log_open(one, PLM_LOG_READ, &log, &err), PLM_E_CORRUPT, err,
			 "another chain");
	free(head);
	store_remove(one);
	store_remove(two);
}

static void a_log_that_is_gone_is_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 5);
	assert_int_equal(unlink(store_path(path, folder, "data.mdb")), 0);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), PLM_E_CORRUPT, err,
			 "the log is not");
	plm_assert_fails(plm_log_open(folder, PLM_LOG_READ, &log, &err), PLM_E_CORRUPT, err,
			 "the log is not");
	store_remove(folder);
}

static void a_log_behind_a_snapshot_is_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	const struct plm_slice part = plm_slice_str("state");
	struct plm_snapshot_info info = {.seq = 99};
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	uint8_t *bytes = NULL;
	size_t size = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 5);
	plm_assert_ok(plm_snapshot_write(folder, &info, &part, 1, &err), &err);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), PLM_E_CORRUPT, err,
			 "a snapshot of record 99");
	plm_assert_fails(plm_log_open(folder, PLM_LOG_READ, &log, &err), PLM_E_CORRUPT, err,
			 "a snapshot of record 99");
	/* A damaged one proves nothing. */
	bytes = store_load(store_path(path, folder, "snapshots/00000000000000000099.snap"), &size);
	bytes[size - 1] ^= 1;
	store_store(path, bytes, size);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_log_close(log);
	free(bytes);
	store_remove(folder);
}

/* ---- versions and foreign bytes -------------------------------------------------------------- */

/* Put 'value' under 'key' of 'table' behind the log's back. */
static void tamper(const char *folder, const char *table, MDB_val key, MDB_val value)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;

	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 3), 0);
	assert_int_equal(mdb_env_open(env, folder, 0, 0644), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, table, 0, &dbi), 0);
	assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static void a_newer_format_is_another_version(void **state)
{
	char folder[STORE_PATH_MAX];
	char name[] = "format";
	uint8_t bytes[12];
	struct plm_log *log = NULL;
	struct plm_log_stat stat;
	struct plm_error err = {0};
	uint64_t good = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 3);
	plm_put_be32(bytes, 2);
	plm_put_be64(bytes + 4, plm_xxh64(plm_slice_of(bytes, 4)));
	tamper(folder, "meta", (MDB_val){6, name}, (MDB_val){12, bytes});
	plm_assert_fails(plm_log_open(folder, PLM_LOG_READ, &log, &err), PLM_E_VERSION, err,
			 "log format 2");
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), PLM_E_VERSION, err,
			 "this build knows format 1");
	plm_assert_fails(plm_log_verify(folder, NULL, &stat, &good, &err), PLM_E_VERSION, err, "2");
	plm_assert_fails(plm_log_stat(folder, &stat, &err), PLM_E_VERSION, err, "2");
	bytes[11] ^= 1;
	tamper(folder, "meta", (MDB_val){6, name}, (MDB_val){12, bytes});
	plm_assert_fails(plm_log_open(folder, PLM_LOG_READ, &log, &err), PLM_E_CORRUPT, err,
			 "meta \"format\"");
	store_remove(folder);
}

static void a_newer_frame_is_another_version(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_head head;
	struct plm_leaves leaves = {0};
	const struct plm_slice record = plm_slice_str("record");
	struct plm_frame frame;
	struct plm_error err = {0};
	uint8_t key[8];
	uint8_t bytes[PLM_FRAME_SIZE];

	(void)state;
	store_folder(folder);
	head = store_make(folder, 3);
	frame = plm_frame_build(&head, 0, &record, 1, &leaves);
	plm_frame_encode(&frame, bytes);
	plm_put_be16(bytes, PLM_FRAME_VERSION + 1);
	plm_put_be64(bytes + 96, plm_xxh64(plm_slice_of(bytes, 96)));
	plm_put_be64(key, head.seq + 1);
	tamper(folder, "frame", (MDB_val){8, key}, (MDB_val){PLM_FRAME_SIZE, bytes});
	plm_assert_fails(plm_log_open(folder, PLM_LOG_READ, &log, &err), PLM_E_VERSION, err,
			 "frame version 2");
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), PLM_E_VERSION, err,
			 "frame version 2");
	plm_leaves_fini(&leaves);
	store_remove(folder);
}

static void another_lmdb_is_another_version(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	uint8_t *bytes = NULL;
	size_t size = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 3);
	bytes = store_load(store_path(path, folder, "data.mdb"), &size);
	bytes[20] = 2;
	store_store(path, bytes, size);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_READ, &log, &err), PLM_E_CORRUPT, err, "");
	bytes[4096 + 20] = 2;
	store_store(path, bytes, size);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_READ, &log, &err), PLM_E_VERSION, err,
			 "version 2");
	store_store(path, "no database at all, whatever the name says", 42);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), PLM_E_CORRUPT, err, path);
	free(bytes);
	store_remove(folder);
}

/* ---- damage -------------------------------------------------------------------------------- */

/* Change record 'seq' (of the same size) behind the log's back. */
static void a_changed_record_is_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	char room[STORE_RECORD_MAX];
	struct plm_log *log = NULL;
	struct plm_log_stat stat;
	struct plm_error err = {0};
	struct plm_slice record = store_record(12, room);
	uint8_t key[8];
	uint64_t good = 0;
	uint64_t last = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 8);
	room[3] ^= 1;
	plm_put_be64(key, 12);
	tamper(folder, "log", (MDB_val){8, key}, (MDB_val){record.size, room});
	plm_assert_fails(plm_log_verify(folder, NULL, &stat, &good, &err), PLM_E_CORRUPT, err,
			 "record 10 is the last good one");
	assert_int_equal(good, 10);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), PLM_E_CORRUPT, err,
			 "checksum");
	/* Reading comes as far as the log is good. */
	plm_assert_ok(plm_log_open(folder, PLM_LOG_READ, &log, &err), &err);
	plm_assert_fails(store_read(log, 1, &last, &err), PLM_E_CORRUPT, err, "record 10");
	assert_int_equal(last, 10);
	assert_int_equal(store_read_all(log, 16), 29);
	plm_log_close(log);
	store_remove(folder);
}

/* Somebody else wrote into the file: the commit finds its place taken. */
static void a_place_that_is_taken_is_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	uint8_t key[8];
	char value[] = "intruder";
	pid_t pid = -1;
	int status = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 3);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_put_be64(key, plm_log_head(log).seq + 1);
	pid = fork();
	if (pid == 0) {
		tamper(folder, "log", (MDB_val){8, key}, (MDB_val){8, value});
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	plm_assert_fails(store_commit(log, 1, &err), PLM_E_CORRUPT, err, folder);
	plm_assert_fails(store_commit(log, 1, &err), PLM_E_IO, err, "an earlier commit failed");
	plm_log_close(log);
	plm_assert_fails(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), PLM_E_CORRUPT, err,
			 "7 records and 3 frames, the newest frame says 6 and 3");
	store_remove(folder);
}

/* A page of zeros ends a process that reads it: the child's, not ours. */
static void a_zeroed_page_is_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_stat stat;
	struct plm_error err = {0};
	uint8_t *bytes = NULL;
	size_t size = 0;
	uint64_t good = 0;
	unsigned int deaths = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 100);
	bytes = store_load(store_path(path, folder, "data.mdb"), &size);
	for (size_t page = 2; page < size / 4096; page++) {
		uint8_t keep[4096];
		enum plm_code code = PLM_OK;

		memcpy(keep, bytes + page * 4096, 4096);
		memset(bytes + page * 4096, 0, 4096);
		store_store(path, bytes, size);
		memcpy(bytes + page * 4096, keep, 4096);
		code = plm_log_verify(folder, NULL, &stat, &good, &err);
		if (code != PLM_OK) {
			plm_assert_fails(code, PLM_E_CORRUPT, err, folder);
			deaths += strstr(err.text, "is damaged (") != NULL ? 1 : 0;
		}
	}
	assert_true(deaths > 0);
	store_store(path, bytes, size);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_log_close(log);
	free(bytes);
	store_remove(folder);
}

/* A reader is in the middle of the log when the file is cut under its map. */
static void a_file_cut_under_a_reader_is_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err = {0};
	enum plm_code code = PLM_OK;

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	for (int i = 0; i < 400; i++) {
		plm_assert_ok(store_commit(log, STORE_BATCH_MAX, &err), &err);
	}
	plm_log_close(log);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_READ, &log, &err), &err);
	plm_assert_ok(plm_log_cursor_open(log, 1, &cursor, &err), &err);
	plm_assert_ok(plm_log_cursor_next(cursor, &record, &err), &err);
	assert_int_equal(truncate(store_path(path, folder, "data.mdb"), 8192), 0);
	while (code == PLM_OK) {
		code = plm_log_cursor_next(cursor, &record, &err);
	}
	plm_assert_fails(code, PLM_E_CORRUPT, err, "is the last good one");
	plm_log_cursor_close(cursor);
	plm_log_close(log);
	store_remove(folder);
}

static void verification_says_how_far_it_is(void *ctx, uint64_t seq, uint64_t head_seq)
{
	uint64_t *calls = ctx;

	assert_true(seq <= head_seq || head_seq == 0);
	++*calls;
}

static void verification_reads_everything(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log_head head;
	struct plm_log_stat stat = {0};
	struct plm_error err = {0};
	uint64_t good = 0;
	uint64_t calls = 0;
	const struct plm_log_watch watch = {verification_says_how_far_it_is, &calls};

	(void)state;
	store_folder(folder);
	head = store_make(folder, 100);
	plm_assert_ok(plm_log_verify(folder, &watch, &stat, &good, &err), &err);
	assert_int_equal(good, head.seq);
	assert_int_equal(stat.first, 1);
	assert_int_equal(stat.head.seq, head.seq);
	assert_int_equal(stat.head.bytes, head.bytes);
	assert_true(stat.file_bytes >= head.bytes);
	assert_memory_equal(stat.head.chain.bytes, head.chain.bytes, PLM_SHA256_SIZE);
	plm_assert_fails(plm_log_verify("/nonexistent/log", NULL, &stat, &good, &err),
			 PLM_E_NOT_FOUND, err, "/nonexistent/log");
	store_remove(folder);
}

static void a_read_only_copy_can_be_read(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_head head;
	struct plm_error err = {0};
	pid_t pid = -1;
	int status = 0;

	(void)state;
	store_folder(folder);
	head = store_make(folder, 10);
	assert_int_equal(chmod(store_path(path, folder, "lock.mdb"), 0444), 0);
	assert_int_equal(chmod(folder, 0555), 0);
	/* As somebody who may not write it; root may always. */
	pid = fork();
	if (pid == 0) {
		uint64_t last = 0;

		if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
			_exit(2);
		}
		if (plm_log_open(folder, PLM_LOG_READ, &log, &err) != PLM_OK) {
			_exit(3);
		}
		_exit(store_read(log, 1, &last, &err) == PLM_OK && last == head.seq ? 0 : 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(chmod(folder, 0755), 0);
	store_remove(folder);
}

/* What the system refuses is its own word, not damage. In a child: root may do everything. */
static int refused_by_the_system(const char *folder)
{
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_stat stat;
	struct plm_error err = {0};

	if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
		return 10;
	}
	if (plm_log_open(folder, PLM_LOG_READ, &log, &err) != PLM_E_IO ||
	    strstr(err.text, "Permission denied") == NULL) {
		return 11;
	}
	if (plm_log_open(folder, PLM_LOG_WRITE, &log, &err) != PLM_E_IO ||
	    plm_log_stat(folder, &stat, &err) != PLM_E_IO) {
		return 12;
	}
	store_path(path, folder, "below");
	return plm_log_open(path, PLM_LOG_WRITE, &log, &err) == PLM_E_IO ? 0 : 13;
}

static void a_folder_one_may_not_enter_is_no_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	pid_t pid = -1;
	int status = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 3);
	assert_int_equal(chmod(folder, 0000), 0);
	pid = fork();
	if (pid == 0) {
		_exit(refused_by_the_system(folder));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(status, 0);
	store_remove(folder);
}

/* A limit of the file size stands for a volume that breaks: no file is left that looks like one. */
static int export_that_breaks(const char *folder)
{
	char path[STORE_PATH_MAX];
	struct rlimit small = {.rlim_cur = 4096, .rlim_max = 4096};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	if (plm_log_open(folder, PLM_LOG_READ, &log, &err) != PLM_OK ||
	    setrlimit(RLIMIT_FSIZE, &small) != 0 || sigaction(SIGXFSZ, &ignore, NULL) != 0) {
		return 10;
	}
	if (plm_log_export(log, 1, 0, store_path(path, folder, "log.plog"), &err) != PLM_E_IO ||
	    access(path, F_OK) == 0) {
		return 11;
	}
	if (plm_log_save(log, store_path(path, folder, "copy"), &err) != PLM_E_IO ||
	    access(store_path(path, folder, "copy/data.mdb"), F_OK) == 0) {
		return 12;
	}
	plm_log_close(log);
	return 0;
}

static void a_copy_that_breaks_leaves_nothing(void **state)
{
	char folder[STORE_PATH_MAX];
	pid_t pid = -1;
	int status = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 200);
	pid = fork();
	if (pid == 0) {
		_exit(export_that_breaks(folder));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	store_remove(folder);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, batches_survive_and_go_on);
	PLM_TEST_ADD(&tests, the_same_log_as_in_memory);
	PLM_TEST_ADD(&tests, a_new_log_is_empty);
	PLM_TEST_ADD(&tests, a_reader_follows_a_live_writer);
	PLM_TEST_ADD(&tests, a_second_writer_is_refused);
	PLM_TEST_ADD(&tests, a_killed_writer_leaves_no_lock);
	PLM_TEST_ADD(&tests, a_lock_that_a_child_still_has_is_waited_for);
	PLM_TEST_ADD(&tests, notes_and_epochs_survive);
	PLM_TEST_ADD(&tests, room_is_the_volumes);
	PLM_TEST_ADD(&tests, a_log_behind_its_head_is_damage);
	PLM_TEST_ADD(&tests, a_torn_head_says_nothing);
	PLM_TEST_ADD(&tests, a_head_of_another_chain_is_damage);
	PLM_TEST_ADD(&tests, a_log_that_is_gone_is_damage);
	PLM_TEST_ADD(&tests, a_log_behind_a_snapshot_is_damage);
	PLM_TEST_ADD(&tests, a_newer_format_is_another_version);
	PLM_TEST_ADD(&tests, a_newer_frame_is_another_version);
	PLM_TEST_ADD(&tests, another_lmdb_is_another_version);
	PLM_TEST_ADD(&tests, a_changed_record_is_damage);
	PLM_TEST_ADD(&tests, a_place_that_is_taken_is_damage);
	PLM_TEST_ADD(&tests, a_zeroed_page_is_damage);
	PLM_TEST_ADD(&tests, a_file_cut_under_a_reader_is_damage);
	PLM_TEST_ADD(&tests, verification_reads_everything);
	PLM_TEST_ADD(&tests, a_read_only_copy_can_be_read);
	PLM_TEST_ADD(&tests, a_folder_one_may_not_enter_is_no_damage);
	PLM_TEST_ADD(&tests, a_copy_that_breaks_leaves_nothing);
	return plm_tests_run(&tests, "log_lmdb");
}
