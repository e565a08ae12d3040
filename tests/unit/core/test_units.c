#include "plm_test.h"

#include "core/units.h"

static const struct pair_case {
	const char *why;
	int64_t a, b;
	int64_t sum, difference, product;
} pair_table[] = {
	{"small", 7, -3, 4, 10, -21},
	{"zero", 0, 0, 0, 0, 0},
	{"top stays top", INT64_MAX, 1, INT64_MAX, INT64_MAX - 1, INT64_MAX},
	{"top times two", INT64_MAX, 2, INT64_MAX, INT64_MAX - 2, INT64_MAX},
	{"top minus negative", INT64_MAX, -1, INT64_MAX - 1, INT64_MAX, -INT64_MAX},
	{"bottom plus negative", INT64_MIN, -1, INT64_MIN, INT64_MIN + 1, INT64_MAX},
	{"bottom minus positive", INT64_MIN, 1, INT64_MIN + 1, INT64_MIN, INT64_MIN},
	{"bottom times two", INT64_MIN, 2, INT64_MIN + 2, INT64_MIN, INT64_MIN},
	{"unlimited absorbs", PLM_UNLIMITED, 5, PLM_UNLIMITED, PLM_UNLIMITED - 5, PLM_UNLIMITED},
};

static void pair_row(const struct pair_case *row)
{
	assert_true(plm_add_sat(row->a, row->b) == row->sum);
	assert_true(plm_add_sat(row->b, row->a) == row->sum);
	assert_true(plm_sub_sat(row->a, row->b) == row->difference);
	assert_true(plm_mul_sat(row->a, row->b) == row->product);
	assert_true(plm_mul_sat(row->b, row->a) == row->product);
	assert_true(plm_min(row->a, row->b) <= plm_max(row->a, row->b));
}
PLM_TEST_ROWS(pair_row, struct pair_case)

static const struct div_case {
	const char *why;
	int64_t a, b;
	int64_t floor, ceil;
} div_table[] = {
	{"exact", 6, 3, 2, 2},
	{"positive", 7, 3, 2, 3},
	{"negative", -7, 3, -3, -2},
	{"negative exact", -6, 3, -2, -2},
	{"zero", 0, 5, 0, 0},
	{"top", INT64_MAX, 2, INT64_MAX / 2, INT64_MAX / 2 + 1},
	{"bottom", INT64_MIN, 1, INT64_MIN, INT64_MIN},
};

static void div_row(const struct div_case *row)
{
	assert_true(plm_div_floor(row->a, row->b) == row->floor);
	assert_true(plm_div_ceil(row->a, row->b) == row->ceil);
}
PLM_TEST_ROWS(div_row, struct div_case)

static void dividing_by_nothing_is_a_bug(void **state)
{
	(void)state;
	plm_assert_panics((void)plm_div_floor(1, 0));
	plm_assert_panics((void)plm_div_ceil(1, -1));
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, pair_row, pair_table);
	PLM_TEST_TABLE(&tests, div_row, div_table);
	PLM_TEST_ADD(&tests, dividing_by_nothing_is_a_bug);
	return plm_tests_run(&tests, "units");
}
