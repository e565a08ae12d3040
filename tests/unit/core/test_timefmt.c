#include "plm_test.h"

#include "core/timefmt.h"

static const struct time_case {
	const char *why;
	const char *text;
	int64_t ms;
	const char *back; /* NULL = as read */
} time_table[] = {
	{"the epoch", "1970-01-01T00:00:00Z", 0, NULL},
	{"a day of 2026", "2026-01-01T00:00:00Z", 1767225600000, NULL},
	{"leap day", "2024-02-29T23:59:59Z", 1709251199000, NULL},
	{"century without a leap day", "2100-03-01T00:00:00Z", 4107542400000, NULL},
	{"before the epoch", "1969-12-31T23:59:59Z", -1000, NULL},
	{"first year", "0001-01-01T00:00:00Z", -62135596800000, NULL},
	{"last year", "9999-12-31T23:59:59Z", 253402300799000, NULL},
	{"milliseconds", "2026-01-01T00:00:00.250Z", 1767225600250, NULL},
	{"MicroTime is cut", "2026-01-01T00:00:00.250999Z", 1767225600250,
	 "2026-01-01T00:00:00.250Z"},
	{"tenth", "2026-01-01T00:00:00.5Z", 1767225600500, "2026-01-01T00:00:00.500Z"},
	{"east", "2026-01-01T02:00:00+02:00", 1767225600000, "2026-01-01T00:00:00Z"},
	{"west", "2025-12-31T18:30:00-05:30", 1767225600000, "2026-01-01T00:00:00Z"},
	{"leap second", "2016-12-31T23:59:60Z", 1483228799000, "2016-12-31T23:59:59Z"},
	{"small letters", "2026-01-01t00:00:00z", 1767225600000, "2026-01-01T00:00:00Z"},
};

static void time_row(const struct time_case *row)
{
	struct plm_error err = {0};
	char text[PLM_TIME_SIZE];
	int64_t ms = 7;

	plm_assert_ok(plm_time_parse(plm_slice_str(row->text), &ms, &err), &err);
	assert_int_equal(ms, row->ms);
	assert_string_equal(plm_time_format(ms, text), row->back == NULL ? row->text : row->back);
}
PLM_TEST_ROWS(time_row, struct time_case)

static const struct text_case {
	const char *why;
	const char *text;
} bad_times[] = {
	{"nothing", ""},
	{"date only", "2026-01-01"},
	{"no zone", "2026-01-01T00:00:00"},
	{"month 13", "2026-13-01T00:00:00Z"},
	{"day 30 of February", "2026-02-30T00:00:00Z"},
	{"leap day of a common year", "2026-02-29T00:00:00Z"},
	{"leap day of 1900", "1900-02-29T00:00:00Z"},
	{"hour 24", "2026-01-01T24:00:00Z"},
	{"minute 60", "2026-01-01T00:60:00Z"},
	{"second 61", "2026-01-01T00:00:61Z"},
	{"empty fraction", "2026-01-01T00:00:00.Z"},
	{"short year", "226-01-01T00:00:00Z"},
	{"year 0", "0000-01-01T00:00:00Z"},
	{"offset without colon", "2026-01-01T00:00:00+0200"},
	{"offset of 24 hours", "2026-01-01T00:00:00+24:00"},
	{"more behind it", "2026-01-01T00:00:00Zx"},
	{"words", "yesterday"},
};

static void bad_time_row(const struct text_case *row)
{
	struct plm_error err = {0};
	int64_t ms = 7;

	plm_assert_fails(plm_time_parse(plm_slice_str(row->text), &ms, &err), PLM_E_INPUT, err,
			 "is not a time");
	assert_int_equal(ms, 7);
}
PLM_TEST_ROWS(bad_time_row, struct text_case)

static void every_day_comes_back(void **state)
{
	(void)state;
	for (int64_t day = -719162; day < 2932897; day += 13) {
		char text[PLM_TIME_SIZE];
		int64_t ms = 0;

		plm_time_format(day * PLM_MS_PER_DAY + 1234, text);
		assert_int_equal(plm_time_parse(plm_slice_str(text), &ms, NULL), PLM_OK);
		assert_int_equal(ms, day * PLM_MS_PER_DAY + 1234);
	}
}

static const struct duration_case {
	const char *why;
	const char *text;
	int64_t ns;
	const char *back; /* of the milliseconds, rounded up; NULL = as read */
} duration_table[] = {
	{"zero", "0", 0, "0s"},
	{"zero seconds", "0s", 0, NULL},
	{"seconds", "90s", 90000000000, "1m30s"},
	{"hours and minutes", "1h30m", 5400000000000, "1h30m0s"},
	{"all", "1h2m3.5s", 3723500000000, NULL},
	{"milliseconds", "50ms", 50000000, NULL},
	{"microseconds", "1500us", 1500000, "2ms"},
	{"micro sign", "1500\xC2\xB5s", 1500000, "2ms"},
	{"Greek mu", "1500\xCE\xBCs", 1500000, "2ms"},
	{"a nanosecond is a millisecond", "1ns", 1, "1ms"},
	{"fraction of an hour", "1.5h", 5400000000000, "1h30m0s"},
	{"fraction only", ".5s", 500000000, "500ms"},
	{"point at the end", "1.s", 1000000000, "1s"},
	{"long fraction", "1.00000000000000000000000000001s", 1000000000, "1s"},
	{"negative", "-90s", -90000000000, "-1m30s"},
	{"plus", "+1s", 1000000000, "1s"},
	{"same unit twice", "1s1s", 2000000000, "2s"},
	{"720 hours", "720h", 2592000000000000, "720h0m0s"},
};

static void duration_row(const struct duration_case *row)
{
	struct plm_error err = {0};
	char text[PLM_TIME_SIZE];
	int64_t ns = 7;
	int64_t ms = 7;

	plm_assert_ok(plm_duration_parse(plm_slice_str(row->text), &ns, &err), &err);
	assert_int_equal(ns, row->ns);
	plm_assert_ok(plm_duration_parse_ms(plm_slice_str(row->text), &ms, &err), &err);
	assert_string_equal(plm_duration_format(ms, text),
			    row->back == NULL ? row->text : row->back);
}
PLM_TEST_ROWS(duration_row, struct duration_case)

static const struct text_case bad_durations[] = {
	{"nothing", ""},
	{"sign only", "-"},
	{"no unit", "5"},
	{"unit only", "s"},
	{"days", "1d"},
	{"space", "1 s"},
	{"point only", ".s"},
	{"beyond int64", "3000000h"},
	{"digits beyond int64", "99999999999999999999s"},
	{"words", "Never"},
};

static void bad_duration_row(const struct text_case *row)
{
	struct plm_error err = {0};
	int64_t ns = 7;

	plm_assert_fails(plm_duration_parse(plm_slice_str(row->text), &ns, &err), PLM_E_INPUT, err,
			 "is not a duration");
	assert_int_equal(ns, 7);
}
PLM_TEST_ROWS(bad_duration_row, struct text_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, time_row, time_table);
	PLM_TEST_TABLE(&tests, bad_time_row, bad_times);
	PLM_TEST_ADD(&tests, every_day_comes_back);
	PLM_TEST_TABLE(&tests, duration_row, duration_table);
	PLM_TEST_TABLE(&tests, bad_duration_row, bad_durations);
	return plm_tests_run(&tests, "timefmt");
}
