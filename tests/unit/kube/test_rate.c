/* So many calls a second. */
#include "plm_test.h"

#include "adapters/kube/rate.h"

static void unbounded(void **state)
{
	struct plm_kube_rate rate;

	(void)state;
	plm_kube_rate_init(&rate, 0, 0);
	for (int i = 0; i < 100000; i++) {
		assert_int_equal(plm_kube_rate_take(&rate, 5), 0);
	}
}

static void burst_then_pace(void **state)
{
	struct plm_kube_rate rate;
	int64_t now = 1000;

	(void)state;
	plm_kube_rate_init(&rate, 50, 100);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(plm_kube_rate_take(&rate, now), 0);
	}
	assert_int_equal(plm_kube_rate_take(&rate, now), 20);
	assert_int_equal(plm_kube_rate_take(&rate, now + 19), 1);
	assert_int_equal(plm_kube_rate_take(&rate, now + 20), 0);
	assert_int_equal(plm_kube_rate_take(&rate, now + 20), 20);
}

/* Over a long time there are as many calls as the rate says, whatever the steps of the clock. */
static void no_drift(void **state)
{
	struct plm_kube_rate rate;
	uint64_t random = plm_test_seed();
	int64_t now = 0;
	int64_t taken = 0;

	(void)state;
	plm_kube_rate_init(&rate, 300, 10);
	while (now < 100000) {
		int64_t wait = plm_kube_rate_take(&rate, now);

		taken += wait == 0 ? 1 : 0;
		now += wait == 0 ? 0 : (int64_t)plm_test_below(&random, 2) + 1;
	}
	assert_in_range(taken, 29990, 30010);
}

static void long_pause_is_one_burst(void **state)
{
	struct plm_kube_rate rate;

	(void)state;
	plm_kube_rate_init(&rate, 4000000000U, 2);
	assert_int_equal(plm_kube_rate_take(&rate, 0), 0);
	assert_int_equal(plm_kube_rate_take(&rate, INT64_MAX), 0);
	assert_int_equal(plm_kube_rate_take(&rate, INT64_MAX), 0);
	assert_int_equal(plm_kube_rate_take(&rate, INT64_MAX), 1);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, unbounded);
	PLM_TEST_ADD(&tests, burst_then_pace);
	PLM_TEST_ADD(&tests, no_drift);
	PLM_TEST_ADD(&tests, long_pause_is_one_burst);
	return plm_tests_run(&tests, "rate");
}
