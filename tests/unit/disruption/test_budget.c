/* Windows of disruption budgets: open within (now - duration, now], and when that changes. */
#include "plm_test.h"

#include "core/cron.h"
#include "core/timefmt.h"
#include "reducers/disruption/budget.h"

#define MINUTE PLM_MS_PER_MINUTE
#define HOUR PLM_MS_PER_HOUR
#define DAY PLM_MS_PER_DAY
/* 2026-01-01T00:00:00Z, a Thursday. */
#define NEW_YEAR 1767225600000LL
#define NEVER PLM_UNSET

static const struct window_case {
	const char *why;
	const char *schedule;
	int64_t duration_ms;
	int64_t after_ms; /* since the new year */
	bool open;
	int64_t change_ms; /* since the new year; NEVER */
} window_table[] = {
	{"no schedule is always", "", PLM_UNSET, 0, true, NEVER},
	{"the minute itself", "0 9 * * *", HOUR, 9 * HOUR, true, 10 * HOUR},
	{"within the duration", "0 9 * * *", HOUR, 9 * HOUR + 59 * MINUTE, true, 10 * HOUR},
	{"its last millisecond", "0 9 * * *", HOUR, 10 * HOUR - 1, true, 10 * HOUR},
	{"the end is outside", "0 9 * * *", HOUR, 10 * HOUR, false, DAY + 9 * HOUR},
	{"just before", "0 9 * * *", HOUR, 9 * HOUR - 1, false, 9 * HOUR},
	{"over midnight", "30 23 * * *", 2 * HOUR, DAY + HOUR, true, DAY + HOUR + 30 * MINUTE},
	{"working days", "0 9 * * mon-fri", 8 * HOUR, DAY + 10 * HOUR, true, DAY + 17 * HOUR},
	{"a weekend", "0 9 * * mon-fri", 8 * HOUR, 2 * DAY + 10 * HOUR, false, 4 * DAY + 9 * HOUR},
	{"a hit prolongs it", "0,30 9 * * *", HOUR, 9 * HOUR + 45 * MINUTE, true,
	 10 * HOUR + 30 * MINUTE},
	{"always, by hits", "* * * * *", HOUR, 5 * HOUR, true, 6 * HOUR},
	{"a week long", "@weekly", 7 * DAY, 5 * DAY, true, 10 * DAY},
	{"never is always, as upstream has it", "0 0 30 2 *", HOUR, 0, true, NEVER},
};

static void window_row(const struct window_case *row)
{
	struct plm_window window = plm_budget_window(plm_slice_str(row->schedule), row->duration_ms,
						     NEW_YEAR + row->after_ms);

	assert_false(window.bad);
	assert_int_equal(window.open, row->open);
	assert_int_equal(window.change_ms,
			 row->change_ms == NEVER ? NEVER : NEW_YEAR + row->change_ms);
}
PLM_TEST_ROWS(window_row, struct window_case)

/* It allows nothing then; manifests with such a schedule are refused. */
static void what_cannot_be_read_is_bad(void **state)
{
	(void)state;
	assert_true(plm_budget_window(plm_slice_str("61 * * * *"), HOUR, NEW_YEAR).bad);
	assert_true(plm_budget_window(plm_slice_str("0 9 * * *"), PLM_UNSET, NEW_YEAR).bad);
}

/* Minute by minute: open when one of the minutes within the duration is hit. */
static void windows_are_as_minutes_say(void **state)
{
	static const char *const schedules[] = {"0 9 * * mon-fri", "*/20 8-17 * * *",
						"15 3 1,6 * *", "@daily"};
	static const int64_t durations[] = {MINUTE, 25 * MINUTE, 10 * HOUR, 30 * HOUR};

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(schedules); i++) {
		int64_t last_hit = NEW_YEAR; /* each has hit before the second day is over */
		struct plm_cron cron;

		assert_int_equal(plm_cron_parse(plm_slice_str(schedules[i]), &cron, NULL), PLM_OK);
		for (int64_t now = NEW_YEAR; now < NEW_YEAR + 8 * DAY; now += MINUTE) {
			if (plm_cron_next(&cron, now - 1) == now) {
				last_hit = now;
			}
			for (size_t d = 0; now > NEW_YEAR + 2 * DAY && d < PLM_COUNTOF(durations);
			     d++) {
				struct plm_window window = plm_budget_window(
					plm_slice_str(schedules[i]), durations[d], now);
				bool open = now - last_hit < durations[d];

				assert_int_equal(window.open, open);
				assert_true(window.change_ms > now);
			}
		}
	}
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, window_row, window_table);
	PLM_TEST_ADD(&tests, what_cannot_be_read_is_bad);
	PLM_TEST_ADD(&tests, windows_are_as_minutes_say);
	return plm_tests_run(&tests, "budget");
}
