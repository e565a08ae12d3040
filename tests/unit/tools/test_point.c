#include "plm_test.h"

#include "tools/point.h"

static const struct point_case {
	const char *why;
	const char *text;
	enum plm_point_kind kind;
	uint64_t number;
	int64_t time_ms;
} point_table[] = {
	{"a number", "1234", PLM_POINT_SEQ, 1234, 0},
	{"zero", "0", PLM_POINT_SEQ, 0, 0},
	{"a number beyond every log saturates", "99999999999999999999", PLM_POINT_SEQ, INT64_MAX,
	 0},
	{"the end", "HEAD", PLM_POINT_HEAD, 0, 0},
	{"before the end", "HEAD~20", PLM_POINT_HEAD, 20, 0},
	{"the start", "START", PLM_POINT_START, 0, 0},
	{"a time", "1970-01-01T00:00:01Z", PLM_POINT_TIME, 0, 1000},
	{"a time with offset and fraction", "1970-01-01T01:00:00.250+01:00", PLM_POINT_TIME, 0,
	 250},
	{"minutes before the end", "-90m", PLM_POINT_FROM_END, 0, 5400000},
	{"a compound duration", "-1h30m", PLM_POINT_FROM_END, 0, 5400000},
	{"a mark", "mark:before-upgrade", PLM_POINT_MARK, 0, 0},
};

static void point_row(const struct point_case *row)
{
	struct plm_point point;
	struct plm_error err;

	plm_assert_ok(plm_point_parse(plm_slice_str(row->text), &point, &err), &err);
	assert_int_equal(point.kind, row->kind);
	assert_int_equal(point.number, row->number);
	assert_int_equal(point.time_ms, row->time_ms);
	if (row->kind == PLM_POINT_MARK) {
		plm_assert_text(point.mark, "before-upgrade");
	}
}
PLM_TEST_ROWS(point_row, struct point_case)

static const struct bad_case {
	const char *why;
	const char *text;
} bad_table[] = {
	{"empty", ""},
	{"a word", "yesterday"},
	{"lower case head", "head"},
	{"head with a plus", "HEAD+1"},
	{"head without its number", "HEAD~"},
	{"head with a letter", "HEAD~x"},
	{"a sign without a duration", "-"},
	{"a negative number", "-5"},
	{"a date only", "2026-01-01"},
	{"a mark without a name", "mark:"},
	{"a number with a tail", "12a"},
};

static void bad_row(const struct bad_case *row)
{
	struct plm_point point = {.number = 77};
	struct plm_error err;

	plm_assert_fails(plm_point_parse(plm_slice_str(row->text), &point, &err), PLM_E_USAGE, err,
			 "is no point");
	assert_int_equal(point.number, 77);
}
PLM_TEST_ROWS(bad_row, struct bad_case)

static const struct range_case {
	const char *why;
	const char *text;
	bool range;
	enum plm_point_kind from, to;
	uint64_t from_number, to_number;
} range_table[] = {
	{"both sides", "5..9", true, PLM_POINT_SEQ, PLM_POINT_SEQ, 5, 9},
	{"no left side is the start", "..9", true, PLM_POINT_START, PLM_POINT_SEQ, 0, 9},
	{"no right side is the end", "5..", true, PLM_POINT_SEQ, PLM_POINT_HEAD, 5, 0},
	{"all", "..", true, PLM_POINT_START, PLM_POINT_HEAD, 0, 0},
	{"one point", "HEAD~2", false, PLM_POINT_START, PLM_POINT_HEAD, 0, 2},
	{"mixed", "START..HEAD~1", true, PLM_POINT_START, PLM_POINT_HEAD, 0, 1},
	{"a duration on the left", "-2h..HEAD", true, PLM_POINT_FROM_END, PLM_POINT_HEAD, 0, 0},
};

static void range_row(const struct range_case *row)
{
	struct plm_point from;
	struct plm_point to;
	struct plm_error err;
	bool range = !row->range;

	plm_assert_ok(plm_range_parse(plm_slice_str(row->text), &from, &to, &range, &err), &err);
	assert_int_equal(range, row->range);
	assert_int_equal(from.kind, row->from);
	assert_int_equal(to.kind, row->to);
	assert_int_equal(from.number, row->from_number);
	assert_int_equal(to.number, row->to_number);
}
PLM_TEST_ROWS(range_row, struct range_case)

static void a_bad_side_names_itself(void **state)
{
	struct plm_point from;
	struct plm_point to;
	struct plm_error err;
	bool range = false;

	(void)state;
	plm_assert_fails(plm_range_parse(plm_slice_str("5..soon"), &from, &to, &range, &err),
			 PLM_E_USAGE, err, "'soon'");
	plm_assert_fails(plm_range_parse(plm_slice_str("later..9"), &from, &to, &range, &err),
			 PLM_E_USAGE, err, "'later'");
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, point_row, point_table);
	PLM_TEST_TABLE(&tests, bad_row, bad_table);
	PLM_TEST_TABLE(&tests, range_row, range_table);
	PLM_TEST_ADD(&tests, a_bad_side_names_itself);
	return plm_tests_run(&tests, "point");
}
