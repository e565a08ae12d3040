/* Logical time against clocks that are set. */
#include "engine/ticker.h"
#include "plm_test.h"

/* Readings one second of boot time apart. */
struct ticker_case {
	const char *why;
	int64_t wall[4]; /* seconds */
	int64_t want[4]; /* logical, seconds */
	int64_t step[4]; /* told, seconds */
};
static const struct ticker_case cases[] = {
	{"follows the wall", {100, 101, 102, 103}, {100, 101, 102, 103}, {0, 0, 0, 0}},
	{"follows a drift", {100, 102, 103, 105}, {100, 102, 103, 105}, {0, 0, 0, 0}},
	{"never goes back", {100, 99, 100, 101}, {100, 100, 100, 101}, {0, 0, 0, 0}},
	{"a step back: runs on alone", {100, 11, 12, 13}, {100, 101, 102, 103}, {0, -90, 0, 0}},
	{"a step forward: catches up slowly",
	 {100, 1001, 1002, 1003},
	 {100, 102, 104, 106},
	 {0, 900, 0, 0}},
	{"back again", {100, 1001, 102, 103}, {100, 102, 102, 103}, {0, 900, -900, 0}},
};

static void ticker_row(const struct ticker_case *row)
{
	struct plm_ticker ticker = {0};

	for (int64_t i = 0; i < 4; i++) {
		int64_t wall = row->wall[i] * 1000;
		int64_t read = plm_ticker_read(&ticker, wall, 7000 + i * 1000);
		int64_t step = plm_ticker_take(&ticker, wall, 7000 + i * 1000);

		assert_int_equal(read, ticker.now_ms);
		assert_int_equal(ticker.now_ms, row->want[i] * 1000);
		assert_true(step >= row->step[i] * 1000 - 2000 &&
			    step <= row->step[i] * 1000 + 2000);
		assert_int_equal(step == 0, row->step[i] == 0);
	}
}
PLM_TEST_ROWS(ticker_row, struct ticker_case)

static void a_restart_takes_the_wall_but_not_an_earlier_time(void **state)
{
	struct plm_ticker later = {.now_ms = 50000};
	struct plm_ticker earlier = {.now_ms = 50000};

	(void)state;
	assert_int_equal(plm_ticker_take(&later, 90000, 10), 0);
	assert_int_equal(later.now_ms, 90000);
	assert_int_equal(plm_ticker_take(&earlier, 20000, 10), 0);
	assert_int_equal(earlier.now_ms, 50000);
	(void)plm_ticker_take(&earlier, 21000, 1010);
	assert_int_equal(earlier.now_ms, 51000);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, ticker_row, cases);
	PLM_TEST_ADD(&tests, a_restart_takes_the_wall_but_not_an_earlier_time);
	return plm_tests_run(&tests, "ticker");
}
