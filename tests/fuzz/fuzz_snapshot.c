/*
 * fuzz_snapshot.c - a snapshot from anywhere is decoded whole or ignored
 *
 * Input: one byte (1: put the right checksums into the header), then the file.
 */
#include <stdlib.h>

#include "store/frame.h"
#include "store/snapshot.h"
#include "tests/fuzz/fuzz.h"

static void reseal(uint8_t *bytes, size_t size)
{
	uint64_t header = size < 144 ? 0 : plm_get_be64(bytes + 24);

	if (header < 144 || header > size) {
		return;
	}
	plm_put_be64(bytes + 120, plm_xxh64(plm_slice_of(bytes + header, size - header)));
	plm_put_be64(bytes + header - 8, plm_xxh64(plm_slice_of(bytes, header - 8)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plm_snapshot snapshot = {0};
	uint8_t *bytes = NULL;
	uint64_t sum = 0;

	if (size == 0) {
		return 0;
	}
	bytes = malloc(size);
	PLM_ASSERT(bytes != NULL);
	memcpy(bytes, data + 1, size - 1);
	if (data[0] == 1) {
		reseal(bytes, size - 1);
	}
	if (plm_snapshot_decode(plm_slice_of(bytes, size - 1), &snapshot, NULL) == PLM_OK) {
		for (size_t i = 0; i < snapshot.part_count; i++) {
			sum += snapshot.parts[i].size;
		}
		PLM_ASSERT(sum == snapshot.info.image_bytes);
		plm_snapshot_fini(&snapshot);
	}
	free(bytes);
	return 0;
}
