#include "plm_test.h"

#include "core/error.h"

static const struct exit_case {
	const char *why;
	enum plm_code code;
	int exit; /* CLI.md, "Exit codes" */
} exit_table[] = {
	{"done", PLM_OK, 0},
	{"usage", PLM_E_USAGE, 2},
	{"unparsable input", PLM_E_INPUT, 2},
	{"no such thing", PLM_E_NOT_FOUND, 3},
	{"source unreachable", PLM_E_UNREACHABLE, 4},
	{"log damaged", PLM_E_CORRUPT, 5},
	{"replay diverged", PLM_E_DIVERGED, 6},
	{"version not supported", PLM_E_VERSION, 7},
	{"refused for safety", PLM_E_REFUSED, 8},
	{"input incomplete", PLM_E_INCOMPLETE, 9},
	{"temporary", PLM_E_AGAIN, 75},
	{"configuration invalid", PLM_E_CONFIG, 78},
	{"timeout", PLM_E_TIMEOUT, 124},
};

static void exit_row(const struct exit_case *row)
{
	assert_int_equal(plm_code_exit(row->code), row->exit);
	assert_true(strlen(plm_code_text(row->code)) > 0);
}
PLM_TEST_ROWS(exit_row, struct exit_case)

static void fail_fills_and_returns(void **state)
{
	struct plm_error err = {0};

	(void)state;
	assert_int_equal(plm_fail(&err, PLM_E_IO, "%s: %d", "data", 7), PLM_E_IO);
	assert_int_equal(err.code, PLM_E_IO);
	assert_string_equal(err.text, "data: 7");
	assert_int_equal(plm_fail(NULL, PLM_E_FULL, "nobody listens"), PLM_E_FULL);
}

static void prefix_goes_before(void **state)
{
	struct plm_error err = {0};

	(void)state;
	(void)plm_fail(&err, PLM_E_IO, "disk");
	assert_int_equal(plm_fail_prefix(&err, PLM_E_CORRUPT, "frame %d", 3), PLM_E_CORRUPT);
	assert_string_equal(err.text, "frame 3: disk");
	assert_int_equal(err.code, PLM_E_CORRUPT);
	assert_int_equal(plm_fail_prefix(NULL, PLM_E_IO, "x"), PLM_E_IO);
}

static void long_text_is_cut(void **state)
{
	struct plm_error err = {0};
	char text[2 * PLM_ERROR_TEXT_SIZE];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)plm_fail(&err, PLM_E_INPUT, "%s", text);
	assert_int_equal(strlen(err.text), PLM_ERROR_TEXT_SIZE - 1);
	(void)plm_fail_prefix(&err, PLM_E_INPUT, "%s", text);
	assert_int_equal(strlen(err.text), PLM_ERROR_TEXT_SIZE - 1);
}

static void failing_with_ok_is_a_bug(void **state)
{
	(void)state;
	plm_assert_panics((void)plm_fail(NULL, PLM_OK, "x"));
	plm_assert_panics((void)plm_fail_prefix(NULL, PLM_OK, "x"));
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, exit_row, exit_table);
	PLM_TEST_ADD(&tests, fail_fills_and_returns);
	PLM_TEST_ADD(&tests, prefix_goes_before);
	PLM_TEST_ADD(&tests, long_text_is_cut);
	PLM_TEST_ADD(&tests, failing_with_ok_is_a_bug);
	return plm_tests_run(&tests, "error");
}
