#include "plm_test.h"

#include <stdlib.h>

#include "tools/grid.h"
#include "tools/name_set.h"

static struct plm_arena arena; /* of all tests: opened in main() */

static const struct plm_column columns[] = {
	{"NAME", false, false}, {"N", true, false}, {"MORE", false, true}, {"LAST", false, false}};

static struct plm_grid sample(void)
{
	struct plm_grid grid;

	plm_grid_init(&grid, &arena, columns, PLM_COUNTOF(columns));
	plm_grid_cell(&grid, plm_slice_str("a"));
	plm_grid_format(&grid, "%d", 1000);
	plm_grid_cell(&grid, plm_slice_str("more"));
	plm_grid_cell(&grid, plm_slice_str("x"));
	plm_grid_cell(&grid, plm_slice_str("\xc3\xa9\xc3\xa9-long"));
	plm_grid_format(&grid, "%d", 1);
	plm_grid_cell(&grid, (struct plm_slice){0});
	plm_grid_cell(&grid, (struct plm_slice){0});
	return grid;
}

static const struct print_case {
	const char *why;
	struct plm_grid_style style;
	const char *want;
} print_table[] = {
	{"narrow",
	 {false, false, 0},
	 "NAME         N   LAST\na         1000   x\n\xc3\xa9\xc3\xa9-long      1   -\n"},
	{"wide",
	 {true, false, 0},
	 "NAME         N   MORE   LAST\na         1000   more   x\n\xc3\xa9\xc3\xa9-long      1   "
	 "-      -\n"},
	{"without headers",
	 {false, true, 0},
	 "a         1000   x\n\xc3\xa9\xc3\xa9-long      1   -\n"},
	{"indented",
	 {false, true, 2},
	 "  a         1000   x\n  \xc3\xa9\xc3\xa9-long      1   -\n"},
};

static void print_row(const struct print_case *row)
{
	struct plm_grid grid = sample();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	plm_grid_print(out, &grid, &row->style);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, row->want);
	free(text);
}
PLM_TEST_ROWS(print_row, struct print_case)

static void an_incomplete_row_is_a_bug(void **state)
{
	struct plm_grid grid = sample();
	struct plm_grid_style style = {0};

	(void)state;
	plm_grid_cell(&grid, plm_slice_str("alone"));
	plm_assert_panics(plm_grid_print(stdout, &grid, &style));
}

static void names_are_kept_once(void **state)
{
	struct plm_name_set set = {.arena = &arena};

	(void)state;
	assert_false(plm_name_set_has(&set, plm_slice_str("n1")));
	for (int i = 0; i < 500; i++) {
		struct plm_slice name = plm_arena_format(&arena, "n%d", i);

		assert_true(plm_name_set_add(&set, name));
		assert_false(plm_name_set_add(&set, name));
	}
	assert_int_equal(set.count, 500);
	plm_assert_text(set.names[499], "n499");
	assert_true(plm_name_set_has(&set, plm_slice_str("n0")));
	assert_false(plm_name_set_has(&set, plm_slice_str("n500")));
	assert_true(plm_name_set_add(&set, plm_slice_str("")));
	assert_false(plm_name_set_add(&set, plm_slice_str("")));
}

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	if (plm_arena_init(&arena, 1 << 26, NULL) != PLM_OK) {
		return 255;
	}
	PLM_TEST_TABLE(&tests, print_row, print_table);
	PLM_TEST_ADD(&tests, an_incomplete_row_is_a_bug);
	PLM_TEST_ADD(&tests, names_are_kept_once);
	failed = plm_tests_run(&tests, "grid");
	plm_arena_fini(&arena);
	return failed;
}
