#include "plm_test.h"

#include "core/utf8.h"

static const struct prefix_case {
	const char *why;
	const char *bytes;
	size_t size;
	size_t good;
} prefix_table[] = {
	{"nothing", "", 0, 0},
	{"ASCII", "plimsoll line", 13, 13},
	{"two, three and four bytes", "\xC2\xA0\xE2\x82\xAC\xF0\x9F\x9A\xA2", 9, 9},
	{"first and last code points", "\x01\xEF\xBF\xBF\xF4\x8F\xBF\xBF", 8, 8},
	{"NUL among eight", "abcd\0efg", 8, 4},
	{"NUL at the end", "abc\0", 4, 3},
	{"stray continuation", "ab\x80", 3, 2},
	{"overlong slash", "\xC0\xAF", 2, 0},
	{"overlong of three", "\xE0\x80\xAF", 3, 0},
	{"overlong of four", "\xF0\x80\x80\xAF", 4, 0},
	{"surrogate", "a\xED\xA0\x80", 4, 1},
	{"above the last", "\xF4\x90\x80\x80", 4, 0},
	{"cut short", "abc\xE2\x82", 5, 3},
	{"broken in the middle", "12345678\xE2\x28\xA1", 11, 8},
	{"lead byte above", "\xFF", 1, 0},
};

static void prefix_row(const struct prefix_case *row)
{
	assert_int_equal(plm_utf8_prefix(plm_slice_of(row->bytes, row->size)), row->good);
}
PLM_TEST_ROWS(prefix_row, struct prefix_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, prefix_row, prefix_table);
	return plm_tests_run(&tests, "utf8");
}
