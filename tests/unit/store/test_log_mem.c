/* The memory log: what a batch, a cursor and a handle promise, and every fault at every call. */
#include "store/log_mem.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/limits.h"
#include "plm_test.h"

/* Record 'seq' of every test: its number as text, of a length that varies. */
static struct plm_slice text_of(uint64_t seq, char *room)
{
	int size = snprintf(room, 64, "record %llu %.*s", (unsigned long long)seq, (int)(seq % 7),
			    "......");

	return plm_slice_of(room, (size_t)size);
}

static enum plm_code commit(struct plm_log *log, size_t count, struct plm_error *err)
{
	char rooms[16][64];
	struct plm_slice records[16];
	uint64_t seq = plm_log_head(log).seq;

	assert_true(count <= 16);
	for (size_t i = 0; i < count; i++) {
		records[i] = text_of(seq + 1 + i, rooms[i]);
	}
	return plm_log_commit(log, records, count, err);
}

/*
 * Read from 'from' to the end; every record must be the one that was appended. Returns the last
 * seq.
 */
static uint64_t read_all(struct plm_log *log, uint64_t from)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err;
	enum plm_code code = PLM_OK;
	uint64_t seq = from - 1;
	char room[64];

	plm_assert_ok(plm_log_cursor_open(log, from, &cursor, &err), &err);
	while ((code = plm_log_cursor_next(cursor, &record, &err)) == PLM_OK) {
		assert_int_equal(record.seq, seq + 1);
		assert_true(plm_slice_equal(record.bytes, text_of(record.seq, room)));
		assert_int_equal(record.last_of_frame, record.seq == record.head.seq);
		seq = record.seq;
	}
	plm_assert_fails(code, PLM_E_NOT_FOUND, err, "ends");
	plm_log_cursor_close(cursor);
	return seq;
}

static void batches_come_back_from_any_place(void **state)
{
	struct plm_log *log = NULL;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	assert_int_equal(plm_log_head(log).seq, 0);
	assert_int_equal(read_all(log, 1), 0);
	for (size_t count = 1; count <= 16; count++) {
		plm_assert_ok(commit(log, count, &err), &err);
	}
	assert_int_equal(plm_log_head(log).seq, 136);
	assert_int_equal(plm_log_head(log).frames, 16);
	assert_int_equal(plm_log_first(log), 1);
	for (uint64_t from = 1; from <= 137; from++) {
		assert_int_equal(read_all(log, from), 136);
	}
	plm_log_close(log);
}

static void a_cursor_follows_the_log(void **state)
{
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	plm_assert_ok(plm_log_cursor_open(log, 2, &cursor, &err), &err);
	plm_assert_fails(plm_log_cursor_next(cursor, &record, &err), PLM_E_NOT_FOUND, err, "");
	plm_assert_ok(commit(log, 1, &err), &err);
	plm_assert_fails(plm_log_cursor_next(cursor, &record, &err), PLM_E_NOT_FOUND, err, "");
	plm_assert_ok(commit(log, 2, &err), &err);
	plm_assert_ok(plm_log_cursor_next(cursor, &record, &err), &err);
	assert_int_equal(record.seq, 2);
	assert_false(record.last_of_frame);
	assert_int_equal(record.head.seq, 3);
	plm_assert_ok(plm_log_cursor_next(cursor, &record, &err), &err);
	assert_true(record.last_of_frame);
	plm_assert_fails(plm_log_cursor_next(cursor, &record, &err), PLM_E_NOT_FOUND, err, "");
	plm_log_cursor_close(cursor);
	plm_log_close(log);
}

static void the_same_batches_give_the_same_chain(void **state)
{
	struct plm_log *one = NULL;
	struct plm_log *two = NULL;
	struct plm_log *other = NULL;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_memory(&one, &err), &err);
	plm_assert_ok(plm_log_open_memory(&two, &err), &err);
	plm_assert_ok(plm_log_open_memory(&other, &err), &err);
	plm_log_set_epoch(two, 4); /* outside the chain */
	for (size_t i = 1; i < 6; i++) {
		plm_assert_ok(commit(one, i, &err), &err);
		plm_assert_ok(commit(two, i, &err), &err);
		plm_assert_ok(commit(other, 6 - i, &err), &err);
	}
	assert_memory_equal(plm_log_head(one).chain.bytes, plm_log_head(two).chain.bytes,
			    PLM_SHA256_SIZE);
	assert_int_equal(plm_log_head(other).seq, plm_log_head(one).seq);
	assert_memory_not_equal(plm_log_head(one).chain.bytes, plm_log_head(other).chain.bytes,
				PLM_SHA256_SIZE);
	plm_log_close(one);
	plm_log_close(two);
	plm_log_close(other);
}

static void limits_are_checked_before_anything(void **state)
{
	static uint8_t bytes[PLM_LIMIT_RECORD_BYTES + 1];
	struct plm_slice fits = plm_slice_of(bytes, PLM_LIMIT_RECORD_BYTES);
	struct plm_slice large = plm_slice_of(bytes, PLM_LIMIT_RECORD_BYTES + 1);
	size_t many = PLM_LIMIT_FRAME_RECORDS + 1;
	struct plm_slice *records = calloc(many, sizeof(*records));
	struct plm_log *log = NULL;
	struct plm_error err;

	(void)state;
	assert_non_null(records);
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	plm_assert_fails(plm_log_commit(log, &large, 1, &err), PLM_E_LIMIT, err, "1901 bytes");
	plm_assert_fails(plm_log_commit(log, records, many, &err), PLM_E_LIMIT, err, "1048577");
	for (size_t i = 0; i < many; i++) {
		records[i] = fits;
	}
	plm_assert_fails(plm_log_commit(log, records, many - 1, &err), PLM_E_LIMIT, err,
			 "1992294400 bytes");
	plm_assert_ok(plm_log_commit(log, &fits, 1, &err), &err);
	assert_int_equal(plm_log_head(log).seq, 1);
	plm_log_close(log);
	free(records);
}

static void one_writer_many_readers(void **state)
{
	struct plm_log_disk *disk = plm_log_disk_new();
	struct plm_log *writer = NULL;
	struct plm_log *reader = NULL;
	struct plm_log *second = NULL;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &writer, &err), &err);
	plm_assert_ok(commit(writer, 3, &err), &err);
	plm_assert_fails(plm_log_open_disk(disk, PLM_LOG_WRITE, &second, &err), PLM_E_REFUSED, err,
			 "another writer");
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_READ, &reader, &err), &err);
	assert_int_equal(plm_log_head(reader).seq, 3);
	plm_assert_ok(commit(writer, 3, &err), &err);
	assert_int_equal(read_all(reader, 1), 6);
	plm_log_close(writer);
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &writer, &err), &err);
	assert_int_equal(plm_log_head(writer).seq, 6);
	plm_log_close(writer);
	plm_log_close(reader);
	plm_log_disk_free(disk);
}

/* What must hold after a fault at one call of the third commit. */
static const struct fault_case {
	const char *why;
	enum plm_disk_fault fault;
	enum plm_code want;
	uint64_t seq_after[PLM_DISK_CALLS_PER_COMMIT];
	bool crashed;
} fault_table[] = {
	{"crash", PLM_DISK_CRASH, PLM_E_IO, {4, 4, 4, 6}, true},
	{"no room", PLM_DISK_FULL, PLM_E_FULL, {4, 4, 4, 6}, false},
	{"failed sync", PLM_DISK_SYNC_ERROR, PLM_E_IO, {4, 4, 6, 6}, false},
};

static void fault_row(const struct fault_case *row)
{
	for (uint64_t step = 0; step < PLM_DISK_CALLS_PER_COMMIT; step++) {
		struct plm_log_disk *disk = plm_log_disk_new();
		struct plm_log *log = NULL;
		struct plm_error err;

		plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
		plm_log_disk_plan(disk, row->fault, 2 * PLM_DISK_CALLS_PER_COMMIT + 1 + step);
		plm_assert_ok(commit(log, 2, &err), &err);
		plm_assert_ok(commit(log, 2, &err), &err);
		plm_assert_fails(commit(log, 2, &err), row->want, err, "");
		assert_int_equal(plm_log_disk_crashed(disk), row->crashed);
		assert_int_equal(plm_log_head(log).seq, 4);
		plm_assert_fails(commit(log, 2, &err), PLM_E_IO, err, "an earlier commit failed");
		plm_log_close(log);

		plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
		assert_false(plm_log_disk_crashed(disk));
		assert_int_equal(plm_log_head(log).seq, row->seq_after[step]);
		assert_int_equal(read_all(log, 1), row->seq_after[step]);
		plm_assert_ok(commit(log, 2, &err), &err);
		assert_int_equal(read_all(log, 1), row->seq_after[step] + 2);
		plm_log_close(log);
		plm_log_disk_free(disk);
	}
}
PLM_TEST_ROWS(fault_row, struct fault_case)

static void a_crash_between_commits_loses_nothing(void **state)
{
	struct plm_log_disk *disk = plm_log_disk_new();
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(commit(log, 5, &err), &err);
	assert_int_equal(plm_log_disk_calls(disk), PLM_DISK_CALLS_PER_COMMIT);
	assert_int_equal(plm_log_disk_durable(disk).seq, 5);
	plm_assert_ok(plm_log_cursor_open(log, 1, &cursor, &err), &err);
	plm_log_disk_crash(disk);
	plm_assert_fails(plm_log_cursor_next(cursor, &record, &err), PLM_E_IO, err, "died");
	plm_log_cursor_close(cursor);
	plm_assert_fails(commit(log, 1, &err), PLM_E_IO, err, "died");
	plm_log_close(log);
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
	assert_int_equal(read_all(log, 1), 5);
	plm_log_close(log);
	plm_log_disk_free(disk);
}

static void a_lying_disk_loses_what_it_confirmed(void **state)
{
	struct plm_log_disk *disk = plm_log_disk_new();
	struct plm_log *log = NULL;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(commit(log, 2, &err), &err);
	plm_log_disk_plan(disk, PLM_DISK_LIES, plm_log_disk_calls(disk) + 1);
	plm_assert_ok(commit(log, 2, &err), &err);
	assert_int_equal(plm_log_head(log).seq, 4);
	assert_int_equal(read_all(log, 1), 4);
	assert_int_equal(plm_log_disk_durable(disk).seq, 2);
	plm_log_disk_crash(disk);
	plm_log_close(log);
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
	assert_int_equal(read_all(log, 1), 2);
	plm_log_close(log);
	plm_log_disk_free(disk);
}

static void room_is_what_the_test_says(void **state)
{
	struct plm_log_disk *disk = plm_log_disk_new();
	struct plm_log *log = NULL;
	struct plm_log_room room;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(plm_log_room(log, &room, &err), &err);
	assert_true(room.free_bytes > PLM_LIMIT_FRAME_BYTES);
	plm_log_disk_set_room(disk, (struct plm_log_room){.free_bytes = 100, .total_bytes = 1000});
	plm_assert_ok(plm_log_room(log, &room, &err), &err);
	assert_int_equal(room.free_bytes, 100);
	plm_assert_fails(commit(log, 1, &err), PLM_E_FULL, err, "100 free");
	plm_log_close(log);
	plm_log_disk_free(disk);
}

static void notes_become_durable_with_a_batch(void **state)
{
	struct plm_log *log = NULL;
	struct plm_error err;
	char text[PLM_NOTE_TEXT_MAX + 1];

	(void)state;
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	plm_log_note_put(log, "compiler", "gcc 12");
	plm_assert_fails(plm_log_note_get(log, "compiler", text, sizeof(text), &err),
			 PLM_E_NOT_FOUND, err, "compiler");
	plm_assert_ok(commit(log, 1, &err), &err);
	plm_log_note_put(log, "compiler", "clang 19");
	plm_log_note_put(log, "image", "none");
	plm_assert_ok(commit(log, 1, &err), &err);
	plm_assert_ok(plm_log_note_get(log, "compiler", text, sizeof(text), &err), &err);
	assert_string_equal(text, "clang 19");
	plm_assert_ok(plm_log_note_get(log, "image", text, sizeof(text), &err), &err);
	assert_string_equal(text, "none");
	plm_log_close(log);
}

static void epochs_stand_in_frames(void **state)
{
	struct plm_log_disk *disk = plm_log_disk_new();
	struct plm_log *log = NULL;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
	plm_log_set_epoch(log, 3);
	plm_assert_ok(commit(log, 1, &err), &err);
	plm_log_close(log);
	plm_assert_ok(plm_log_open_disk(disk, PLM_LOG_WRITE, &log, &err), &err);
	assert_int_equal(plm_log_head(log).epoch, 3);
	plm_assert_ok(commit(log, 1, &err), &err);
	assert_int_equal(plm_log_head(log).epoch, 3);
	plm_log_close(log);
	plm_log_disk_free(disk);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, batches_come_back_from_any_place);
	PLM_TEST_ADD(&tests, a_cursor_follows_the_log);
	PLM_TEST_ADD(&tests, the_same_batches_give_the_same_chain);
	PLM_TEST_ADD(&tests, limits_are_checked_before_anything);
	PLM_TEST_ADD(&tests, one_writer_many_readers);
	PLM_TEST_TABLE(&tests, fault_row, fault_table);
	PLM_TEST_ADD(&tests, a_crash_between_commits_loses_nothing);
	PLM_TEST_ADD(&tests, a_lying_disk_loses_what_it_confirmed);
	PLM_TEST_ADD(&tests, room_is_what_the_test_says);
	PLM_TEST_ADD(&tests, notes_become_durable_with_a_batch);
	PLM_TEST_ADD(&tests, epochs_stand_in_frames);
	return plm_tests_run(&tests, "log_mem");
}
