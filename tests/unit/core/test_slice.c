#include "plm_test.h"

#include "core/slice.h"

static const struct order_case {
	const char *why;
	const char *a, *b;
	int want; /* sign */
} order_table[] = {
	{"equal", "abc", "abc", 0},
	{"both empty", "", "", 0},
	{"a byte decides", "abd", "abc", 1},
	{"a prefix comes first", "ab", "abc", -1},
	{"bytes before length", "b", "abc", 1},
	{"bytes are unsigned", "\xff", "a", 1},
	{"empty comes first", "", "a", -1},
	{"no borrowed bytes", NULL, "", 0},
};

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void order_row(const struct order_case *row)
{
	struct plm_slice a = plm_slice_str(row->a);
	struct plm_slice b = plm_slice_str(row->b);

	assert_int_equal(sign(plm_slice_compare(a, b)), row->want);
	assert_int_equal(sign(plm_slice_compare(b, a)), -row->want);
	assert_int_equal(plm_slice_equal(a, b), row->want == 0);
	assert_int_equal(plm_slice_is(a, row->b), row->want == 0);
}
PLM_TEST_ROWS(order_row, struct order_case)

static void zero_bytes_count(void **state)
{
	(void)state;
	assert_false(plm_slice_equal(plm_slice_of("a\0b", 3), plm_slice_of("a\0c", 3)));
	assert_false(plm_slice_is(plm_slice_of("a\0b", 3), "a"));
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, order_row, order_table);
	PLM_TEST_ADD(&tests, zero_bytes_count);
	return plm_tests_run(&tests, "slice");
}
