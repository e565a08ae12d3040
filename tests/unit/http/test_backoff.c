/* backoff.h and bucket.h: no clock, so every wait is exact. */
#include "adapters/http/backoff.h"
#include "adapters/http/bucket.h"
#include "core/event.h"
#include "core/limits.h"
#include "plm_test.h"

static const struct wait_case {
	const char *why;
	uint32_t failures; /* before */
	int64_t retry_after_ms;
	int64_t least_ms, most_ms; /* of the wait */
} wait_table[] = {
	{"first", 0, PLM_UNSET, 800, 1599},
	{"second", 1, PLM_UNSET, 1600, 3199},
	{"third", 2, PLM_UNSET, 3200, 6399},
	{"sixth", 5, PLM_UNSET, 25600, 51199},
	{"seventh", 6, PLM_UNSET, 30000, 59999},
	{"very late", 4000, PLM_UNSET, 30000, 59999},
	{"asked for less", 6, 5, 30000, 59999},
	{"asked for more", 0, 5000, 5000, 5799},
	{"asked for an hour", 9, 3600000, 3600000, 3600799},
};

static void wait_row(const struct wait_case *row)
{
	int64_t least = INT64_MAX, most = 0;

	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct plm_backoff backoff;
		int64_t wait_ms = 0;

		plm_backoff_init(&backoff, &plm_backoff_watch, seed * 7919);
		for (uint32_t i = 0; i <= row->failures; i++) {
			wait_ms = plm_backoff_failed(&backoff, 1000,
						     i == row->failures ? row->retry_after_ms
									: PLM_UNSET);
		}
		assert_true(wait_ms >= row->least_ms && wait_ms <= row->most_ms);
		least = wait_ms < least ? wait_ms : least;
		most = wait_ms > most ? wait_ms : most;
	}
	/* It is spread over the whole of its range. */
	assert_true(least - row->least_ms < (row->most_ms - row->least_ms) / 20 + 1);
	assert_true(row->most_ms - most < (row->most_ms - row->least_ms) / 20 + 1);
}
PLM_TEST_ROWS(wait_row, struct wait_case)

static void same_seed_same_waits(void **state)
{
	static const struct plm_backoff_rule rule = {200, 10000, 0};
	struct plm_backoff one, two, other;
	bool differs = false;

	(void)state;
	plm_backoff_init(&one, &rule, 7);
	plm_backoff_init(&two, &rule, 7);
	plm_backoff_init(&other, &rule, 8);
	for (int i = 0; i < 20; i++) {
		int64_t wait_ms = plm_backoff_failed(&one, i, PLM_UNSET);

		assert_int_equal(plm_backoff_failed(&two, i, PLM_UNSET), wait_ms);
		differs = differs || plm_backoff_failed(&other, i, PLM_UNSET) != wait_ms;
	}
	assert_true(differs);
}

static void begins_anew(void **state)
{
	struct plm_backoff backoff;

	(void)state;
	plm_backoff_init(&backoff, &plm_backoff_watch, 1);
	(void)plm_backoff_failed(&backoff, 0, PLM_UNSET);
	(void)plm_backoff_failed(&backoff, 0, PLM_UNSET);
	assert_true(plm_backoff_failed(&backoff, 119999, PLM_UNSET) >= 3200);
	assert_true(plm_backoff_failed(&backoff, 119999 + 120000, PLM_UNSET) < 1600);
	(void)plm_backoff_failed(&backoff, 240000, PLM_UNSET);
	plm_backoff_good(&backoff);
	assert_true(plm_backoff_failed(&backoff, 240000, PLM_UNSET) < 1600);
}

static const struct rate_case {
	const char *why;
	int64_t rate_milli, burst, time_ms;
	int64_t taken; /* by one who asks as soon as it is told that there is one */
} rate_table[] = {
	{"50 and 100, one second", 50000, 100, 1000, 150},
	{"50 and 100, one minute", 50000, 100, 60000, 3100},
	{"300 and 500, ten seconds", 300000, 500, 10000, 3500},
	{"one in three seconds", 333, 1, 10000, 4},
	{"one in a thousand seconds", 1, 1, 86400000, 87},
	{"nothing but the burst", 1, 3, 999, 3},
};

static void rate_row(const struct rate_case *row)
{
	struct plm_bucket bucket;
	int64_t now_ms = 500, taken = 0;

	plm_bucket_init(&bucket, row->rate_milli, row->burst, now_ms);
	while (now_ms <= 500 + row->time_ms) {
		int64_t wait_ms = plm_bucket_take(&bucket, now_ms);

		taken += wait_ms == 0 ? 1 : 0;
		now_ms += wait_ms;
	}
	assert_int_equal(taken, row->taken);
}
PLM_TEST_ROWS(rate_row, struct rate_case)

static void bucket_edges(void **state)
{
	struct plm_bucket bucket;

	(void)state;
	plm_bucket_init(&bucket, 0, 0, 0);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(plm_bucket_take(&bucket, 0), 0);
	}
	plm_bucket_init(&bucket, 1000, 2, 10);
	assert_int_equal(plm_bucket_take(&bucket, 10), 0);
	assert_int_equal(plm_bucket_take(&bucket, 10), 0);
	assert_int_equal(plm_bucket_take(&bucket, 10), 1000);
	assert_int_equal(plm_bucket_take(&bucket, 0),
			 1000); /* a clock that is behind gives nothing */
	assert_int_equal(plm_bucket_take(&bucket, 1009), 1);
	assert_int_equal(plm_bucket_take(&bucket, 1010), 0);
	/* A rest of years fills it to the brim and no more. */
	assert_int_equal(plm_bucket_take(&bucket, INT64_C(1) << 60), 0);
	assert_int_equal(plm_bucket_take(&bucket, INT64_C(1) << 60), 0);
	assert_int_equal(plm_bucket_take(&bucket, INT64_C(1) << 60), 1000);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, wait_row, wait_table);
	PLM_TEST_ADD(&tests, same_seed_same_waits);
	PLM_TEST_ADD(&tests, begins_anew);
	PLM_TEST_TABLE(&tests, rate_row, rate_table);
	PLM_TEST_ADD(&tests, bucket_edges);
	return plm_tests_run(&tests, "http backoff");
}
