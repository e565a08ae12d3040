/* Schedules of disruption budgets: karpenter.md 3.9. */
#include "plm_test.h"

#include "core/cron.h"
#include "core/timefmt.h"

static const struct next_case {
	const char *why;
	const char *schedule;
	const char *after;
	const char *next; /* NULL: never */
} next_table[] = {
	{"today", "0 9 * * *", "2026-01-01T08:59:59Z", "2026-01-01T09:00:00Z"},
	{"not the minute itself", "0 9 * * *", "2026-01-01T09:00:00Z", "2026-01-02T09:00:00Z"},
	{"over midnight", "30 23 * * *", "2026-01-01T23:45:00Z", "2026-01-02T23:30:00Z"},
	{"a weekday, in words", "0 0 * * thu", "2026-01-01T00:00:00Z", "2026-01-08T00:00:00Z"},
	{"words in any case", "0 0 * JAN Mon", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z"},
	{"a range of weekdays", "0 9 * * mon-fri", "2026-01-02T10:00:00Z", "2026-01-05T09:00:00Z"},
	{"a list", "0 9,17 * * *", "2026-01-01T09:30:00Z", "2026-01-01T17:00:00Z"},
	{"steps", "*/15 * * * *", "2026-01-01T10:31:00Z", "2026-01-01T10:45:00Z"},
	{"steps of a range", "0 8-18/4 * * *", "2026-01-01T12:30:00Z", "2026-01-01T16:00:00Z"},
	{"steps from a value on", "50/5 * * * *", "2026-01-01T10:51:00Z", "2026-01-01T10:55:00Z"},
	{"day or weekday: either", "0 0 15 * thu", "2026-01-09T00:00:00Z", "2026-01-15T00:00:00Z"},
	{"day or weekday: the other", "0 0 14 * thu", "2026-01-09T00:00:00Z",
	 "2026-01-14T00:00:00Z"},
	{"a star decides nothing", "0 0 * * thu", "2026-01-09T00:00:00Z", "2026-01-15T00:00:00Z"},
	{"a star in steps of one is a star", "0 0 */1 * thu", "2026-01-09T00:00:00Z",
	 "2026-01-15T00:00:00Z"},
	{"in steps of two it is a list", "0 0 */2 * thu", "2026-01-09T00:00:00Z",
	 "2026-01-11T00:00:00Z"},
	{"a question mark is a star", "0 0 ? * thu", "2026-01-09T00:00:00Z",
	 "2026-01-15T00:00:00Z"},
	{"a month", "0 0 1 feb *", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
	{"the year after", "0 0 1 1 *", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
	{"a leap day", "0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
	{"a day that never comes", "0 0 30 2 *", "2026-01-01T00:00:00Z", NULL},
	{"@hourly", "@hourly", "2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z"},
	{"@daily", "@daily", "2026-01-01T10:00:00Z", "2026-01-02T00:00:00Z"},
	{"@midnight", "@midnight", "2026-01-01T10:00:00Z", "2026-01-02T00:00:00Z"},
	{"@weekly", "@weekly", "2026-01-01T10:00:00Z", "2026-01-04T00:00:00Z"},
	{"@monthly", "@monthly", "2026-01-01T10:00:00Z", "2026-02-01T00:00:00Z"},
	{"@yearly", "@yearly", "2026-01-01T10:00:00Z", "2027-01-01T00:00:00Z"},
	{"@annually", "@annually", "2026-01-01T10:00:00Z", "2027-01-01T00:00:00Z"},
	{"before 1970", "0 0 * * thu", "1969-12-25T10:00:00Z", "1970-01-01T00:00:00Z"},
};

static int64_t instant(const char *text)
{
	int64_t ms = 0;
	struct plm_error err;

	plm_assert_ok(plm_time_parse(plm_slice_str(text), &ms, &err), &err);
	return ms;
}

static void next_row(const struct next_case *row)
{
	struct plm_cron cron;
	struct plm_error err;

	plm_assert_ok(plm_cron_parse(plm_slice_str(row->schedule), &cron, &err), &err);
	assert_int_equal(plm_cron_next(&cron, instant(row->after)),
			 row->next == NULL ? PLM_UNSET : instant(row->next));
}
PLM_TEST_ROWS(next_row, struct next_case)

static const struct refused_case {
	const char *schedule;
	const char *says;
} refused_table[] = {
	{"", "0 of 5 fields (the minute is missing)"},
	{"0 9 * *", "4 of 5 fields (the day of week is missing)"},
	{"0 9 * * * *", "more than 5 fields"},
	{"60 * * * *", "\"60\" is no minute (0 to 59)"},
	{"* 24 * * *", "\"24\" is no hour (0 to 23)"},
	{"* * 0 * *", "\"0\" is no day of month (1 to 31)"},
	{"* * * 13 *", "\"13\" is no month (1 to 12)"},
	{"* * * * 7", "\"7\" is no day of week (0 to 6)"},
	{"* * * january *", "\"january\" is no month (1 to 12)"},
	{"mon * * * *", "\"mon\" is no minute (0 to 59)"},
	{"* 9-5 * * *", "\"9-5\" is no hour (0 to 23)"},
	{"* 5- * * *", "\"5-\" is no hour (0 to 23)"},
	{"*/0 * * * *", "\"*/0\" is no minute (0 to 59)"},
	{"*/x * * * *", "\"*/x\" is no minute (0 to 59)"},
	{"1/2/3 * * * *", "\"1/2/3\" is no minute (0 to 59)"},
	{", * * * *", "\",\" is no minute"},
	{"-1 * * * *", "\"-1\" is no minute (0 to 59)"},
	{"99999999999 * * * *", "\"99999999999\" is no minute (0 to 59)"},
	{"TZ=Asia/Tokyo 0 9 * * *", "\"TZ=Asia/Tokyo\" is no minute (0 to 59)"},
	{"@every 5m", "\"@every 5m\" is none of @yearly, @annually, @monthly, @weekly, @daily, "
		      "@midnight, @hourly"},
};

static void refused_row(const struct refused_case *row)
{
	struct plm_cron cron;
	struct plm_error err = {0};

	assert_int_equal(plm_cron_parse(plm_slice_str(row->schedule), &cron, &err), PLM_E_INPUT);
	assert_string_equal(err.text, row->says);
}
PLM_TEST_ROWS(refused_row, struct refused_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, next_row, next_table);
	PLM_TEST_TABLE(&tests, refused_row, refused_table);
	return plm_tests_run(&tests, "cron");
}
