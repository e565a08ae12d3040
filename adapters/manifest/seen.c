#include "adapters/manifest/seen.h"

#include "hash/hash.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024

void plm_seen_fini(struct plm_seen *seen)
{
	free(seen->slots);
	*seen = (struct plm_seen){0};
}

static struct plm_seen_place *slot(struct plm_seen_place *slots, size_t capacity, uint64_t low,
				   uint64_t high)
{
	size_t at = (size_t)low & (capacity - 1);

	while ((slots[at].low != 0 || slots[at].high != 0) &&
	       (slots[at].low != low || slots[at].high != high)) {
		at = (at + 1) & (capacity - 1);
	}
	return &slots[at];
}

static enum plm_code grow(struct plm_seen *seen, struct plm_error *err)
{
	size_t capacity = seen->capacity == 0 ? FIRST_CAPACITY : seen->capacity * 2;
	struct plm_seen_place *slots = calloc(capacity, sizeof(*slots));

	if (slots == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory for %zu objects", seen->count);
	}
	for (size_t i = 0; i < seen->capacity; i++) {
		const struct plm_seen_place *old = &seen->slots[i];

		if (old->low != 0 || old->high != 0) {
			*slot(slots, capacity, old->low, old->high) = *old;
		}
	}
	free(seen->slots);
	seen->slots = slots;
	seen->capacity = capacity;
	return PLM_OK;
}

enum plm_code plm_seen_note(struct plm_seen *seen, struct plm_slice text,
			    const struct plm_seen_place *place,
			    const struct plm_seen_place **out_before, struct plm_error *err)
{
	struct plm_hash128 print = plm_xxh128(text);
	struct plm_seen_place *at = NULL;

	if (seen->count * 4 >= seen->capacity * 3) {
		enum plm_code code = grow(seen, err);

		if (code != PLM_OK) {
			return code;
		}
	}
	print.high += print.low == 0 && print.high == 0 ? 1 : 0;
	at = slot(seen->slots, seen->capacity, print.low, print.high);
	if (at->low != 0 || at->high != 0) {
		*out_before = at;
		return PLM_OK;
	}
	*at = *place;
	at->low = print.low;
	at->high = print.high;
	seen->count++;
	*out_before = NULL;
	return PLM_OK;
}
