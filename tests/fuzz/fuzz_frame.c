/*
 * fuzz_frame.c - a batch from a damaged or hostile place is checked before anybody uses it
 *
 * Input: one byte (1: put the right checksums where they belong, so that what lies behind them is
 * reached), then a blob. What is accepted must be what its records and its place give again.
 */
#include <stdlib.h>

#include "core/limits.h"
#include "store/frame.h"
#include "tests/fuzz/fuzz.h"

/* The checksum of the records, then that of the frame. */
static void reseal(struct plm_blob *blob)
{
	uint32_t count = plm_get_be32(blob->bytes + 4);
	size_t records_at = PLM_FRAME_SIZE + (size_t)count * 4;

	if (blob->size >= records_at) {
		struct plm_slice records =
			plm_slice_of(blob->bytes + records_at, blob->size - records_at);

		plm_put_be64(blob->bytes + 56, plm_xxh64(records));
	}
	plm_put_be64(blob->bytes + 96, plm_xxh64(plm_slice_of(blob->bytes, 96)));
}

/* A log that this frame would follow, so that its place is no reason to refuse it. */
static struct plm_log_head before_of(const struct plm_blob *blob)
{
	return (struct plm_log_head){
		.seq = plm_get_be64(blob->bytes + 16) - 1,
		.frames = plm_get_be64(blob->bytes + 8) - 1,
		.bytes = plm_get_be64(blob->bytes + 48) - plm_get_be64(blob->bytes + 40),
	};
}

static void built_again(const struct plm_blob *blob, const struct plm_log_head *before,
			struct plm_leaves *leaves)
{
	struct plm_frame frame = plm_blob_frame(blob);
	struct plm_slice *records = calloc(frame.count, sizeof(*records));
	struct plm_blob again = {0};
	size_t offset = 0;

	PLM_ASSERT(records != NULL);
	for (uint32_t i = 0; i < frame.count; i++) {
		records[i] = plm_blob_record(blob, i, &offset);
	}
	frame = plm_frame_build(before, frame.epoch, records, frame.count, leaves);
	plm_blob_build(&again, &frame, records);
	PLM_ASSERT(plm_slice_equal(plm_slice_of(again.bytes, again.size),
				   plm_slice_of(blob->bytes, blob->size)));
	plm_blob_fini(&again);
	free(records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plm_log_head before = {0};
	struct plm_log_head after;
	struct plm_leaves leaves = {0};
	struct plm_blob blob = {0};

	if (size == 0) {
		return 0;
	}
	plm_blob_reserve(&blob, size);
	blob.size = size - 1;
	memcpy(blob.bytes, data + 1, blob.size);
	if (blob.size >= PLM_FRAME_SIZE) {
		if (data[0] == 1) {
			reseal(&blob);
		}
		before = before_of(&blob);
	}
	if (plm_blob_check(plm_slice_of(blob.bytes, blob.size), &before, &leaves, &after, NULL) ==
	    PLM_OK) {
		built_again(&blob, &before, &leaves);
	}
	plm_blob_fini(&blob);
	plm_leaves_fini(&leaves);
	return 0;
}
