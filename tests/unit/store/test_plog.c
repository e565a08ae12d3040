/*
 * Exported logs: the round trip keeps everything, a file checks itself, parts know where they
 * belong.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plm_test.h"
#include "store/log_mem.h"
#include "store/plog.h"
#include "store_test.h"

/* A folder with a log of 100 batches (394 records) and its export "log.plog". */
struct world {
	char folder[STORE_PATH_MAX];
	char log[STORE_PATH_MAX];
	char file[STORE_PATH_MAX];
	struct plm_log_head head;
};

static void export_range(const struct world *world, uint64_t from, uint64_t to, const char *path)
{
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	plm_assert_ok(plm_log_open(world->log, PLM_LOG_READ, &log, &err), &err);
	plm_assert_ok(plm_log_export(log, from, to, path, &err), &err);
	plm_log_close(log);
}

static void setup(struct world *world)
{
	store_folder(world->folder);
	store_path(world->log, world->folder, "log");
	store_path(world->file, world->folder, "log.plog");
	world->head = store_make(world->log, 100);
	export_range(world, 1, 0, world->file);
}

static void same_head(struct plm_log_head have, struct plm_log_head want)
{
	assert_int_equal(have.seq, want.seq);
	assert_int_equal(have.frames, want.frames);
	assert_int_equal(have.bytes, want.bytes);
	assert_int_equal(have.epoch, want.epoch);
	assert_memory_equal(have.chain.bytes, want.chain.bytes, PLM_SHA256_SIZE);
}

static void the_round_trip_keeps_everything(void **state)
{
	struct world world;
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_head head = {0};
	struct plm_log_stat stat = {0};
	struct plm_error err = {0};
	uint64_t good = 0;
	size_t one = 0;
	size_t two = 0;
	uint8_t *first = NULL;
	uint8_t *second = NULL;

	(void)state;
	setup(&world);
	store_path(path, world.folder, "copy");
	plm_assert_ok(plm_log_import(world.file, path, &head, &err), &err);
	same_head(head, world.head);
	plm_assert_ok(plm_log_verify(path, NULL, &stat, &good, &err), &err);
	same_head(stat.head, world.head);
	/* The copy is a log like any other. */
	plm_assert_ok(plm_log_open(path, PLM_LOG_WRITE, &log, &err), &err);
	assert_int_equal(store_read_all(log, 1), world.head.seq);
	plm_assert_ok(plm_log_export(log, 1, 0, store_path(path, world.folder, "two.plog"), &err),
		      &err);
	plm_assert_ok(store_commit(log, 3, &err), &err);
	plm_log_close(log);
	/* The same log gives the same file. */
	first = store_load(world.file, &one);
	second = store_load(path, &two);
	assert_int_equal(one, two);
	assert_memory_equal(first, second, one);
	free(first);
	free(second);
	store_remove(world.folder);
}

static void a_file_is_read_like_a_folder(void **state)
{
	struct world world;
	struct plm_log *log = NULL;
	struct plm_log_stat stat = {0};
	struct plm_error err = {0};
	struct plm_log_room room;
	char text[PLM_NOTE_TEXT_MAX + 1];
	uint64_t good = 0;

	(void)state;
	setup(&world);
	plm_assert_ok(plm_log_open(world.file, PLM_LOG_READ, &log, &err), &err);
	same_head(plm_log_head(log), world.head);
	for (uint64_t from = 1; from <= world.head.seq + 1; from++) {
		assert_int_equal(store_read_all(log, from), world.head.seq);
	}
	plm_assert_fails(plm_log_room(log, &room, &err), PLM_E_REFUSED, err, "takes no records");
	plm_assert_fails(plm_log_note_get(log, "image", text, sizeof(text), &err), PLM_E_NOT_FOUND,
			 err, "image");
	plm_log_close(log);
	plm_assert_fails(plm_log_open(world.file, PLM_LOG_WRITE, &log, &err), PLM_E_REFUSED, err,
			 "not written");
	plm_assert_ok(plm_log_stat(world.file, &stat, &err), &err);
	assert_int_equal(stat.first, 1);
	assert_int_equal(stat.snapshots, 0);
	same_head(stat.head, world.head);
	plm_assert_ok(plm_log_verify(world.file, NULL, &stat, &good, &err), &err);
	assert_int_equal(good, world.head.seq);
	store_remove(world.folder);
}

static void count_calls(void *ctx, uint64_t seq, uint64_t head_seq)
{
	uint64_t *calls = ctx;

	assert_true(seq <= head_seq);
	++*calls;
}

/* Large enough for several blocks: seeking skips them. */
static void blocks_are_skipped(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	uint64_t seq = 0;
	uint64_t calls = 0;
	const struct plm_log_watch watch = {count_calls, &calls};

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	plm_log_set_watch(log, &watch);
	for (int i = 0; i < 600; i++) {
		plm_assert_ok(store_commit(log, STORE_BATCH_MAX, &err), &err);
	}
	seq = plm_log_head(log).seq;
	assert_true(plm_log_head(log).bytes > 3 * PLM_PLOG_CONTENT_BYTES);
	plm_assert_ok(plm_log_save(log, store_path(path, folder, "copy"), &err), &err);
	assert_int_equal(calls, 1);
	plm_assert_ok(plm_log_export(log, 1, 0, store_path(path, folder, "log.plog"), &err), &err);
	assert_int_equal(calls, 2);
	plm_log_close(log);
	plm_assert_ok(plm_log_open(path, PLM_LOG_READ, &log, &err), &err);
	for (uint64_t from = 1; from <= seq + 1; from += 1777) {
		assert_int_equal(store_read_all(log, from), seq);
	}
	plm_log_close(log);
	store_remove(folder);
}

static void a_part_knows_where_it_belongs(void **state)
{
	struct world world;
	char path[STORE_PATH_MAX];
	char copy[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_stat stat = {0};
	struct plm_error err = {0};
	uint64_t good = 0;

	(void)state;
	setup(&world);
	/* Record 12 is in the batch 11..15, record 30 in 29..30: whole batches. */
	export_range(&world, 12, 30, store_path(path, world.folder, "part.plog"));
	plm_assert_ok(plm_log_open(path, PLM_LOG_READ, &log, &err), &err);
	assert_int_equal(plm_log_first(log), 11);
	assert_int_equal(plm_log_head(log).seq, 31);
	assert_int_equal(store_read_all(log, 11), 31);
	assert_int_equal(store_read_all(log, 20), 31);
	plm_assert_fails(plm_log_cursor_open(log, 10, &cursor, &err), PLM_E_NOT_FOUND, err,
			 "begins with record 11");
	plm_log_close(log);
	plm_assert_ok(plm_log_verify(path, NULL, &stat, &good, &err), &err);
	assert_int_equal(stat.first, 11);
	plm_assert_fails(plm_log_import(path, store_path(copy, world.folder, "copy"), NULL, &err),
			 PLM_E_REFUSED, err, "begins with record 11");
	store_remove(world.folder);
}

static void an_empty_log_goes_round(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	char copy[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_head head = {.seq = 1};
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	plm_assert_ok(plm_log_export(log, 1, 0, store_path(path, folder, "log.plog"), &err), &err);
	plm_log_close(log);
	plm_assert_ok(plm_log_import(path, store_path(copy, folder, "copy"), &head, &err), &err);
	assert_int_equal(head.seq, 0);
	plm_assert_ok(plm_log_open(copy, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(store_commit(log, 3, &err), &err);
	plm_log_close(log);
	store_remove(folder);
}

static void refusals(void **state)
{
	struct world world;
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	(void)state;
	setup(&world);
	plm_assert_ok(plm_log_open(world.log, PLM_LOG_READ, &log, &err), &err);
	plm_assert_fails(plm_log_export(log, 1, 0, world.file, &err), PLM_E_REFUSED, err, "exists");
	store_path(path, world.folder, "other.plog");
	plm_assert_fails(plm_log_export(log, 1, world.head.seq + 1, path, &err), PLM_E_NOT_FOUND,
			 err, "no record 396");
	plm_assert_fails(plm_log_export(log, world.head.seq + 1, 0, path, &err), PLM_E_NOT_FOUND,
			 err, "no record 396");
	plm_assert_fails(plm_log_export(log, 1, 0, store_path(path, world.folder, "no/x"), &err),
			 PLM_E_UNREACHABLE, err, "no/x");
	plm_assert_fails(plm_log_export(log, 1, 0, "/dev/full", &err), PLM_E_REFUSED, err,
			 "exists");
	plm_log_close(log);
	store_remove(world.folder);
}

/* Importing into a folder that holds anything is refused, whoever holds it. */
static void a_full_folder_is_refused(void **state)
{
	struct world world;
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	(void)state;
	setup(&world);
	plm_assert_fails(plm_log_import(world.file, world.log, NULL, &err), PLM_E_REFUSED, err,
			 "not empty");
	assert_int_equal(mkdir(store_path(path, world.folder, "held"), 0755), 0);
	plm_assert_ok(plm_log_open(path, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_fails(plm_log_import(world.file, path, NULL, &err), PLM_E_REFUSED, err,
			 "another process writes");
	plm_log_close(log);
	store_remove(world.folder);
}

/* Nothing under the final name until all of it is there. */
static void a_failed_import_leaves_no_log(void **state)
{
	struct world world;
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	uint8_t *bytes = NULL;
	size_t size = 0;

	(void)state;
	setup(&world);
	bytes = store_load(world.file, &size);
	bytes[size / 2] ^= 1;
	store_store(world.file, bytes, size);
	store_path(path, world.folder, "copy");
	plm_assert_fails(plm_log_import(world.file, path, NULL, &err), PLM_E_CORRUPT, err,
			 "log.plog");
	plm_assert_fails(plm_log_open(path, PLM_LOG_READ, &log, &err), PLM_E_NOT_FOUND, err, path);
	bytes[size / 2] ^= 1;
	store_store(world.file, bytes, size);
	plm_assert_ok(plm_log_import(world.file, path, NULL, &err), &err);
	free(bytes);
	store_remove(world.folder);
}

static enum plm_code read_file(const char *path, uint64_t *last, struct plm_error *err)
{
	struct plm_log *log = NULL;
	enum plm_code code = plm_log_open(path, PLM_LOG_READ, &log, err);

	*last = 0;
	if (code == PLM_OK) {
		code = store_read(log, 1, last, err);
		plm_log_close(log);
	}
	return code;
}

static void every_byte_counts(void **state)
{
	struct world world;
	struct plm_error err = {0};
	uint8_t *bytes = NULL;
	size_t size = 0;
	uint64_t last = 0;

	(void)state;
	setup(&world);
	bytes = store_load(world.file, &size);
	for (size_t at = 0; at < size; at += 1 + size / 2000) {
		bytes[at] ^= (uint8_t)(1U << (at % 8));
		store_store(world.file, bytes, size);
		plm_assert_fails(read_file(world.file, &last, &err), PLM_E_CORRUPT, err,
				 "log.plog");
		bytes[at] ^= (uint8_t)(1U << (at % 8));
	}
	for (size_t cut = 0; cut < size; cut += 1 + size / 500) {
		store_store(world.file, bytes, cut);
		plm_assert_fails(read_file(world.file, &last, &err), PLM_E_CORRUPT, err, "");
	}
	store_store(world.file, bytes, size);
	plm_assert_ok(read_file(world.file, &last, &err), &err);
	assert_int_equal(last, world.head.seq);
	free(bytes);
	store_remove(world.folder);
}

/* A file that lost a block in its middle: every checksum holds, the chain does not. */
static void a_missing_block_breaks_the_chain(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	uint8_t *bytes = NULL;
	size_t size = 0;
	size_t block = PLM_PLOG_HEADER_SIZE;
	size_t next = 0;
	uint64_t last = 0;

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	for (int i = 0; i < 200; i++) {
		plm_assert_ok(store_commit(log, STORE_BATCH_MAX, &err), &err);
	}
	plm_assert_ok(plm_log_export(log, 1, 0, store_path(path, folder, "log.plog"), &err), &err);
	plm_log_close(log);
	bytes = store_load(path, &size);
	block += PLM_PLOG_BLOCK_SIZE + plm_get_be64(bytes + block + 24);
	next = block + PLM_PLOG_BLOCK_SIZE + plm_get_be64(bytes + block + 24);
	memmove(bytes + block, bytes + next, size - next);
	store_store(path, bytes, size - (next - block));
	plm_assert_fails(read_file(path, &last, &err), PLM_E_CORRUPT, err, "stands where frame");
	assert_true(last > 0);
	free(bytes);
	store_remove(folder);
}

static void a_newer_version_is_refused(void **state)
{
	struct world world;
	struct plm_log *log = NULL;
	struct plm_log_stat stat;
	struct plm_error err = {0};
	uint8_t *bytes = NULL;
	size_t size = 0;
	uint64_t good = 0;

	(void)state;
	setup(&world);
	bytes = store_load(world.file, &size);
	bytes[11] = PLM_PLOG_VERSION + 1;
	plm_put_be64(bytes + 88, plm_xxh64(plm_slice_of(bytes, 88)));
	store_store(world.file, bytes, size);
	plm_assert_fails(plm_log_open(world.file, PLM_LOG_READ, &log, &err), PLM_E_VERSION, err,
			 "export version 2");
	plm_assert_fails(plm_log_verify(world.file, NULL, &stat, &good, &err), PLM_E_VERSION, err,
			 "export version 2");
	free(bytes);
	store_remove(world.folder);
}

static void a_memory_log_becomes_a_folder(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log *saved = NULL;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	plm_log_set_epoch(log, 2);
	for (size_t i = 1; i < 20; i++) {
		plm_assert_ok(store_commit(log, i, &err), &err);
	}
	plm_assert_ok(plm_log_save(log, store_path(path, folder, "saved"), &err), &err);
	plm_assert_ok(plm_log_open(path, PLM_LOG_WRITE, &saved, &err), &err);
	same_head(plm_log_head(saved), plm_log_head(log));
	assert_int_equal(store_read_all(saved, 1), 190);
	plm_log_close(saved);
	plm_assert_fails(plm_log_save(log, path, &err), PLM_E_REFUSED, err, "not empty");
	plm_log_close(log);
	store_remove(folder);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, the_round_trip_keeps_everything);
	PLM_TEST_ADD(&tests, a_file_is_read_like_a_folder);
	PLM_TEST_ADD(&tests, blocks_are_skipped);
	PLM_TEST_ADD(&tests, a_part_knows_where_it_belongs);
	PLM_TEST_ADD(&tests, an_empty_log_goes_round);
	PLM_TEST_ADD(&tests, refusals);
	PLM_TEST_ADD(&tests, a_full_folder_is_refused);
	PLM_TEST_ADD(&tests, a_failed_import_leaves_no_log);
	PLM_TEST_ADD(&tests, every_byte_counts);
	PLM_TEST_ADD(&tests, a_missing_block_breaks_the_chain);
	PLM_TEST_ADD(&tests, a_newer_version_is_refused);
	PLM_TEST_ADD(&tests, a_memory_log_becomes_a_folder);
	return plm_tests_run(&tests, "plog");
}
