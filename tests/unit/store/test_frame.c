/* The frame's layout and checks: every byte of a batch counts, the chain is what exact.md says. */
#include "store/frame.h"

#include <stdio.h>

#include "core/limits.h"
#include "plm_test.h"

static const struct plm_slice three[] = {
	{(const uint8_t *)"one", 3}, {(const uint8_t *)"", 0}, {(const uint8_t *)"three", 5}};

static void blob_of(struct plm_blob *blob, const struct plm_log_head *before, uint64_t epoch)
{
	struct plm_leaves leaves = {0};
	struct plm_frame frame = plm_frame_build(before, epoch, three, PLM_COUNTOF(three), &leaves);

	plm_blob_build(blob, &frame, three);
	plm_leaves_fini(&leaves);
}

static enum plm_code check(const struct plm_blob *blob, const struct plm_log_head *before,
			   struct plm_log_head *after, struct plm_error *err)
{
	struct plm_leaves leaves = {0};
	enum plm_code code =
		plm_blob_check(plm_slice_of(blob->bytes, blob->size), before, &leaves, after, err);

	plm_leaves_fini(&leaves);
	return code;
}

/* Put the right checksum behind fields that a test has changed. */
static void reseal(struct plm_blob *blob)
{
	plm_put_be64(blob->bytes + 96, plm_xxh64(plm_slice_of(blob->bytes, 96)));
}

static void chain_is_as_specified(void **state)
{
	struct plm_log_head before = {0};
	struct plm_log_head after = {0};
	struct plm_blob blob = {0};
	struct plm_sha256 leaves[3];
	struct plm_sha256 root;
	struct plm_sha256 want;
	struct plm_error err;
	uint8_t prefix = 0x02;
	uint8_t zero[32] = {0};
	uint8_t range[16] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3};

	(void)state;
	blob_of(&blob, &before, 9);
	plm_assert_ok(check(&blob, &before, &after, &err), &err);
	for (size_t i = 0; i < 3; i++) {
		leaves[i] = plm_merkle_leaf(three[i]);
	}
	root = plm_merkle_root(leaves, 3);
	want = plm_sha256_parts((struct plm_slice[]){{&prefix, 1},
						     {zero, sizeof(zero)},
						     {range, sizeof(range)},
						     {root.bytes, sizeof(root.bytes)}},
				4);
	assert_memory_equal(after.chain.bytes, want.bytes, sizeof(want.bytes));
	assert_int_equal(after.seq, 3);
	assert_int_equal(after.frames, 1);
	assert_int_equal(after.bytes, 8);
	assert_int_equal(after.epoch, 9);
	plm_blob_fini(&blob);
}

static void records_come_back(void **state)
{
	struct plm_log_head before = {.seq = 41, .frames = 7, .bytes = 1000};
	struct plm_log_head after = {0};
	struct plm_blob blob = {0};
	struct plm_error err;
	size_t offset = 0;

	(void)state;
	blob_of(&blob, &before, 0);
	plm_assert_ok(check(&blob, &before, &after, &err), &err);
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(plm_slice_equal(plm_blob_record(&blob, i, &offset), three[i]));
	}
	assert_int_equal(after.seq, 44);
	assert_int_equal(after.frames, 8);
	assert_int_equal(after.bytes, 1008);
	assert_int_equal(plm_blob_frame(&blob).first, 42);
	plm_blob_fini(&blob);
}

static void every_bit_counts(void **state)
{
	struct plm_log_head before = {.seq = 5, .frames = 2, .bytes = 100};
	struct plm_log_head after = {0};
	struct plm_blob blob = {0};

	(void)state;
	blob_of(&blob, &before, 3);
	for (size_t bit = 0; bit < blob.size * 8; bit++) {
		struct plm_error err;

		blob.bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
		plm_assert_fails(check(&blob, &before, &after, &err), PLM_E_CORRUPT, err, "");
		assert_non_null(strstr(err.text, "5"));
		blob.bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
	}
	plm_blob_fini(&blob);
}

static void every_length_counts(void **state)
{
	struct plm_log_head before = {0};
	struct plm_log_head after = {0};
	struct plm_blob blob = {0};
	struct plm_error err;
	size_t whole = 0;

	(void)state;
	blob_of(&blob, &before, 3);
	whole = blob.size;
	for (blob.size = 0; blob.size < whole; blob.size++) {
		plm_assert_fails(check(&blob, &before, &after, &err), PLM_E_CORRUPT, err,
				 "record 0 is the last good one");
	}
	blob.size = whole;
	plm_assert_ok(check(&blob, &before, &after, &err), &err);
	plm_blob_fini(&blob);
}

static const struct place_case {
	const char *why;
	struct plm_log_head before;
	const char *want;
} place_table[] = {
	{"a gap", {.seq = 4, .frames = 2, .bytes = 100}, "where frame 3 belongs; record 4"},
	{"a repetition", {.seq = 8, .frames = 3, .bytes = 108}, "where frame 4 belongs; record 8"},
	{"a frame is missing", {.seq = 5, .frames = 1, .bytes = 100}, "where frame 2 belongs"},
	{"the sum of bytes differs", {.seq = 5, .frames = 2, .bytes = 101}, "frame 3"},
	{"another chain",
	 {.seq = 5, .frames = 2, .bytes = 100, .chain = {{1}}},
	 "the chain is broken; record 5 is the last good one"},
};

static void place_row(const struct place_case *row)
{
	struct plm_log_head home = {.seq = 5, .frames = 2, .bytes = 100};
	struct plm_log_head after = {0};
	struct plm_blob blob = {0};
	struct plm_error err;

	blob_of(&blob, &home, 3);
	plm_assert_fails(check(&blob, &row->before, &after, &err), PLM_E_CORRUPT, err, row->want);
	plm_blob_fini(&blob);
}
PLM_TEST_ROWS(place_row, struct place_case)

static const struct field_case {
	const char *why;
	size_t at;
	uint8_t value;
	enum plm_code want;
	const char *text;
} field_table[] = {
	{"a newer version", 1, PLM_FRAME_VERSION + 1, PLM_E_VERSION, "frame version 2"},
	{"version 0", 1, 0, PLM_E_CORRUPT, "contradict"},
	{"count 0", 7, 0, PLM_E_CORRUPT, "contradict"},
	{"count that first and last deny", 7, 4, PLM_E_CORRUPT, "contradict"},
	{"count beyond the limit", 4, 0xff, PLM_E_CORRUPT, "contradict"},
	{"frame number 0", 15, 0, PLM_E_CORRUPT, "contradict"},
	{"first seq 0", 23, 0, PLM_E_CORRUPT, "contradict"},
	{"bytes beyond the limit", 40, 0xff, PLM_E_CORRUPT, "contradict"},
	{"sum below its part", 55, 1, PLM_E_CORRUPT, "contradict"},
};

/* Whoever computes the checksum too gets no further. */
static void field_row(const struct field_case *row)
{
	struct plm_log_head before = {0};
	struct plm_log_head after = {0};
	struct plm_blob blob = {0};
	struct plm_error err;

	blob_of(&blob, &before, 3);
	blob.bytes[row->at] = row->value;
	reseal(&blob);
	plm_assert_fails(check(&blob, &before, &after, &err), row->want, err, row->text);
	plm_blob_fini(&blob);
}
PLM_TEST_ROWS(field_row, struct field_case)

static void sizes_must_add_up(void **state)
{
	struct plm_log_head before = {0};
	struct plm_log_head after = {0};
	struct plm_blob blob = {0};
	struct plm_error err;

	(void)state;
	blob_of(&blob, &before, 3);
	/* One byte from the third record to the first: the same bytes, other borders. */
	blob.bytes[PLM_FRAME_SIZE + 3]++;
	blob.bytes[PLM_FRAME_SIZE + 11]--;
	plm_assert_fails(check(&blob, &before, &after, &err), PLM_E_CORRUPT, err, "chain");
	blob.bytes[PLM_FRAME_SIZE + 11]++;
	plm_assert_fails(check(&blob, &before, &after, &err), PLM_E_CORRUPT, err, "add up");
	blob.bytes[PLM_FRAME_SIZE + 2] = 0xff;
	plm_assert_fails(check(&blob, &before, &after, &err), PLM_E_CORRUPT, err, "add up");
	plm_blob_fini(&blob);
}

static void numbers_are_big_endian(void **state)
{
	uint8_t bytes[8];

	(void)state;
	plm_put_be64(bytes, 0x0102030405060708U);
	assert_memory_equal(bytes, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
	assert_int_equal(plm_get_be64(bytes), 0x0102030405060708U);
	assert_int_equal(plm_get_be32(bytes), 0x01020304U);
	assert_int_equal(plm_get_be16(bytes), 0x0102U);
}

static void an_empty_batch_is_a_bug(void **state)
{
	struct plm_log_head before = {0};
	struct plm_leaves leaves = {0};

	(void)state;
	plm_assert_panics((void)plm_frame_build(&before, 0, three, 0, &leaves));
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, chain_is_as_specified);
	PLM_TEST_ADD(&tests, records_come_back);
	PLM_TEST_ADD(&tests, every_bit_counts);
	PLM_TEST_ADD(&tests, every_length_counts);
	PLM_TEST_TABLE(&tests, place_row, place_table);
	PLM_TEST_TABLE(&tests, field_row, field_table);
	PLM_TEST_ADD(&tests, sizes_must_add_up);
	PLM_TEST_ADD(&tests, numbers_are_big_endian);
	PLM_TEST_ADD(&tests, an_empty_batch_is_a_bug);
	return plm_tests_run(&tests, "frame");
}
