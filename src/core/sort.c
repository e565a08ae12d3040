#include "core/sort.h"

#define RUN 8U
/* Fewer numbers than this are sorted by insertion, more by their bytes. */
#define RADIX_MIN 24U

static void insertion(uint32_t *values, size_t count, plm_order_fn *order, const void *context)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t value = values[i];
		size_t at = i;

		for (; at > 0; at--) {
			int cmp = order(context, value, values[at - 1]);

			PLM_ASSERT(cmp != 0 || value == values[at - 1]);
			if (cmp >= 0) {
				break;
			}
			values[at] = values[at - 1];
		}
		values[at] = value;
	}
}

struct merge {
	plm_order_fn *order;
	const void *context;
};

/* from[a, middle) and from[middle, end) into to[a, end). */
static void merge(const struct merge *by, const uint32_t *from, uint32_t *to, const size_t at[3])
{
	size_t left = at[0];
	size_t right = at[1];

	for (size_t i = at[0]; i < at[2]; i++) {
		bool take_left = right == at[2];

		if (left < at[1] && right < at[2]) {
			int cmp = by->order(by->context, from[left], from[right]);

			PLM_ASSERT(cmp != 0 || from[left] == from[right]);
			take_left = cmp <= 0;
		}
		to[i] = take_left ? from[left++] : from[right++];
	}
}

void plm_sort(uint32_t *values, size_t count, plm_order_fn *order, const void *context,
	      struct plm_arena *scratch)
{
	struct merge by = {order, context};
	size_t mark = plm_arena_mark(scratch);
	uint32_t *from = values;
	uint32_t *to = PLM_NEW_ARRAY(scratch, count, uint32_t);

	for (size_t i = 0; i < count; i += RUN) {
		insertion(values + i, count - i < RUN ? count - i : RUN, order, context);
	}
	for (size_t width = RUN; width < count; width *= 2) {
		uint32_t *swap = from;

		for (size_t i = 0; i < count; i += 2 * width) {
			size_t middle = i + width < count ? i + width : count;
			size_t end = i + 2 * width < count ? i + 2 * width : count;

			merge(&by, from, to, (const size_t[3]){i, middle, end});
		}
		from = to;
		to = swap;
	}
	if (from != values) {
		memcpy(values, from, count * sizeof(*values));
	}
	plm_arena_rewind(scratch, mark);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static void insert_numbers(uint64_t *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t value = values[i];
		size_t at = i;

		for (; at > 0 && values[at - 1] > value; at--) {
			values[at] = values[at - 1];
		}
		values[at] = value;
	}
}

/* By the byte at 'shift', stable. */
static void by_byte(const uint64_t *from, uint64_t *to, size_t count, uint32_t shift)
{
	uint32_t places[256] = {0};
	uint32_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		places[from[i] >> shift & 0xff]++;
	}
	for (size_t b = 0; b < 256; b++) {
		uint32_t here = places[b];

		places[b] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++) {
		to[places[from[i] >> shift & 0xff]++] = from[i];
	}
}

void plm_sort_numbers(uint64_t *values, size_t count, struct plm_arena *scratch)
{
	size_t mark = plm_arena_mark(scratch);
	uint64_t *from = values;
	uint64_t *to = NULL;
	uint64_t differ = 0;

	PLM_ASSERT(count <= UINT32_MAX);
	if (count <= RADIX_MIN) {
		insert_numbers(values, count);
		return;
	}
	to = PLM_NEW_ARRAY(scratch, count, uint64_t);
	for (size_t i = 1; i < count; i++) {
		differ |= values[0] ^ values[i];
	}
	for (uint32_t shift = 0; shift < 64; shift += 8) {
		if ((differ >> shift & 0xff) != 0) {
			uint64_t *swap = from;

			by_byte(from, to, count, shift);
			from = to;
			to = swap;
		}
	}
	if (from != values) {
		memcpy(values, from, count * sizeof(*values));
	}
	plm_arena_rewind(scratch, mark);
}
