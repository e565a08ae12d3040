#include "core/sort.h"

#define RUN 8U

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

/* from[at[0], at[1]) and from[at[1], at[2]) into to[at[0], at[2]). */
static void merge_numbers(const uint64_t *from, uint64_t *to, const size_t at[3])
{
	size_t left = at[0];
	size_t right = at[1];
	size_t i = at[0];

	while (left < at[1] && right < at[2]) {
		bool take_left = from[left] <= from[right];

		to[i++] = take_left ? from[left] : from[right];
		left += take_left;
		right += !take_left;
	}
	memcpy(to + i, from + left, (at[1] - left) * sizeof(*to));
	memcpy(to + i + (at[1] - left), from + right, (at[2] - right) * sizeof(*to));
}

void plm_sort_numbers(uint64_t *values, size_t count, struct plm_arena *scratch)
{
	size_t mark = plm_arena_mark(scratch);
	uint64_t *from = values;
	uint64_t *to = NULL;

	for (size_t i = 0; i < count; i += RUN) {
		insert_numbers(values + i, count - i < RUN ? count - i : RUN);
	}
	if (count > RUN) {
		to = PLM_NEW_ARRAY(scratch, count, uint64_t);
	}
	for (size_t width = RUN; width < count; width *= 2) {
		uint64_t *swap = from;

		for (size_t i = 0; i < count; i += 2 * width) {
			size_t middle = i + width < count ? i + width : count;
			size_t end = i + 2 * width < count ? i + 2 * width : count;

			merge_numbers(from, to, (const size_t[3]){i, middle, end});
		}
		from = to;
		to = swap;
	}
	if (from != values) {
		memcpy(values, from, count * sizeof(*values));
	}
	plm_arena_rewind(scratch, mark);
}
