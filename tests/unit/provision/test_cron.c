/* Windows of disruption budgets. */
#include "plm_test.h"

#include "reducers/disruption/cron.h"

#define MINUTE 60000LL
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
/* 2026-01-01T00:00:00Z, a Thursday. */
#define NEW_YEAR 1767225600000LL

static const struct cron_case {
	const char *why;
	const char *schedule;
	int64_t duration_ms;
	int64_t after_ms; /* since the new year */
	bool active;
} cron_table[] = {
	{"no schedule is always", "", PLM_UNSET, 0, true},
	{"the minute itself", "0 9 * * *", HOUR, 9 * HOUR, true},
	{"within the duration", "0 9 * * *", HOUR, 9 * HOUR + 59 * MINUTE, true},
	{"the end counts", "0 9 * * *", HOUR, 10 * HOUR, true},
	{"after the duration", "0 9 * * *", HOUR, 10 * HOUR + 1, false},
	{"before", "0 9 * * *", HOUR, 9 * HOUR - 1, false},
	{"over midnight", "30 23 * * *", 2 * HOUR, DAY + HOUR, true},
	{"a weekday, in words", "0 0 * * thu", HOUR, 30 * MINUTE, true},
	{"another weekday", "0 0 * * mon", HOUR, 30 * MINUTE, false},
	{"Sunday is 0 and 7", "0 0 * * 7", HOUR, 3 * DAY + MINUTE, true},
	{"a range of weekdays", "0 9 * * mon-fri", 8 * HOUR, DAY + 10 * HOUR, true},
	{"outside the range", "0 9 * * mon-fri", 8 * HOUR, 2 * DAY + 10 * HOUR, false},
	{"steps", "*/15 * * * *", MINUTE, 45 * MINUTE + 30000, true},
	{"between steps", "*/15 * * * *", MINUTE, 40 * MINUTE, false},
	{"day of month or weekday: either", "0 0 15 * thu", HOUR, MINUTE, true},
	{"a month", "0 0 1 feb *", HOUR, 31 * DAY + MINUTE, true},
	{"a month in the year after", "0 0 1 jan *", HOUR, 365 * DAY + MINUTE, true},
	{"a leap year's day", "0 0 29 2 *", HOUR, (365 + 365 + 59) * DAY + MINUTE, true},
	{"a macro", "@daily", HOUR, 5 * DAY + MINUTE, true},
	{"what cannot be read holds always", "61 * * * *", MINUTE, 0, true},
};

static void cron_row(const struct cron_case *row)
{
	assert_int_equal(plm_cron_active(plm_slice_str(row->schedule), row->duration_ms,
					 NEW_YEAR + row->after_ms),
			 row->active);
}
PLM_TEST_ROWS(cron_row, struct cron_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, cron_row, cron_table);
	return plm_tests_run(&tests, "cron");
}
