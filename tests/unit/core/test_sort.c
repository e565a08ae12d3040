/* Sorting numbers by their bytes: the same as by insertion, whatever differs and however many. */
#include "core/sort.h"
#include "plm_test.h"

#define MOST 3000U

static uint64_t next(uint64_t *word)
{
	*word ^= *word << 13;
	*word ^= *word >> 7;
	*word ^= *word << 17;
	return *word;
}

static const struct numbers_case {
	const char *why;
	size_t count;
	uint64_t mask; /* bits that differ */
} numbers_table[] = {
	{"none", 0, 0},
	{"one", 1, UINT64_MAX},
	{"few, by insertion", 24, UINT64_MAX},
	{"one more, by bytes", 25, UINT64_MAX},
	{"all bits", MOST, UINT64_MAX},
	{"the lowest byte only", MOST, 0xff},
	{"the highest byte only", MOST, 0xffULL << 56},
	{"an odd number of bytes", MOST, 0xffff00ff00000000ULL},
	{"all the same", MOST, 0},
};

static void numbers_row(const struct numbers_case *row)
{
	static uint64_t values[MOST];
	struct plm_arena arena;
	uint64_t word = 88172645463325252ULL;
	uint64_t sum = 0;

	assert_int_equal(plm_arena_init(&arena, 1U << 20, NULL), PLM_OK);
	for (size_t i = 0; i < row->count; i++) {
		values[i] = (next(&word) & row->mask) | (0x1234567890abcdefULL & ~row->mask);
		sum += values[i];
	}
	plm_sort_numbers(values, row->count, &arena);
	for (size_t i = 0; i < row->count; i++) {
		assert_true(i == 0 || values[i - 1] <= values[i]);
		sum -= values[i];
	}
	assert_true(sum == 0);
	assert_int_equal(plm_arena_mark(&arena), 0);
	plm_arena_fini(&arena);
}
PLM_TEST_ROWS(numbers_row, struct numbers_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, numbers_row, numbers_table);
	return plm_tests_run(&tests, "sort");
}
