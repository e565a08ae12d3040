/*
 * fuzz_event.c - bytes from a damaged or hostile log never do more than be refused
 *
 * Input: one byte that picks an event type (255: the rest is an envelope), then the bytes. What is
 * accepted must encode to exactly the bytes it was read from, and have a JSON form.
 */
#include <stdlib.h>

#include "codec/upcast.h"
#include "tests/fuzz/fuzz.h"

#define ENVELOPE 255
#define MEMORY (64U << 20)

static struct plm_arena arena;

static void payload(const struct plm_event_info *info, struct plm_slice bytes)
{
	struct plm_payload out;
	struct plm_slice again;

	if (plm_payload_decode(info, bytes, &arena, &out, NULL) == PLM_OK) {
		again = plm_payload_encode(info, out.value, out.hash, &arena);
		PLM_ASSERT(plm_slice_equal(again, bytes));
		PLM_ASSERT(plm_wire_json(info->payload, out.value, &arena).size >= 2);
	}
}

static void envelope(struct plm_slice bytes)
{
	struct plm_envelope out;
	struct plm_payload lifted;

	if (plm_envelope_decode(bytes, &out, NULL) == PLM_OK) {
		PLM_ASSERT(plm_slice_equal(plm_envelope_encode(&out, &arena), bytes));
		if (plm_payload_lift(plm_upcasters(), &out, &arena, &lifted, NULL) == PLM_OK) {
			payload(lifted.info, out.payload);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t count = 0;
	const struct plm_event_info *infos = plm_event_infos(&count);

	if (size == 0) {
		return 0;
	}
	if (arena.base == NULL) {
		PLM_ASSERT(plm_arena_init(&arena, MEMORY, NULL) == PLM_OK);
	}
	plm_arena_reset(&arena);
	if (data[0] == ENVELOPE) {
		envelope(plm_slice_of(data + 1, size - 1));
	} else {
		payload(&infos[data[0] % count], plm_slice_of(data + 1, size - 1));
	}
	return 0;
}
