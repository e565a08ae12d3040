/* What failed for good is not tried again at the rate of round trips. */
#include "adapters/kube/refusals.h"
#include "plm_test.h"

static const struct plm_hash128 pod = {1, 2};
static const struct plm_hash128 other = {1, 3};

static struct plm_refusals refusals;

static int64_t wait_ms(enum plm_call call, struct plm_hash128 object, int64_t now_ms)
{
	return plm_refusals_wait_ms(&refusals, call, object, now_ms);
}

static void waits_longer_each_time(void **state)
{
	int64_t now_ms = 1000;

	(void)state;
	refusals = (struct plm_refusals){0};
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, pod, now_ms), 0);
	plm_refusals_failed(&refusals, PLM_CALL_POD_CREATE, pod, 100, now_ms);
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, pod, now_ms), 100);
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, pod, now_ms + 60), 40);
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, pod, now_ms + 100), 0);
	plm_refusals_failed(&refusals, PLM_CALL_POD_CREATE, pod, 100, now_ms);
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, pod, now_ms), 200);
	for (int i = 0; i < 100; i++) {
		plm_refusals_failed(&refusals, PLM_CALL_POD_CREATE, pod, 100, now_ms);
	}
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, pod, now_ms), PLM_LIMIT_REFUSED_MS);
}

static void others_do_not_wait(void **state)
{
	(void)state;
	refusals = (struct plm_refusals){0};
	plm_refusals_failed(&refusals, PLM_CALL_POD_CREATE, pod, 100, 0);
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, other, 0), 0);
	assert_int_equal(wait_ms(PLM_CALL_POD_DELETE, pod, 0), 0);
}

static void what_comes_about_is_forgotten(void **state)
{
	(void)state;
	refusals = (struct plm_refusals){0};
	plm_refusals_failed(&refusals, PLM_CALL_POD_CREATE, pod, 100, 0);
	plm_refusals_failed(&refusals, PLM_CALL_POD_CREATE, pod, 100, 0);
	plm_refusals_done(&refusals, PLM_CALL_POD_CREATE, pod);
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, pod, 0), 0);
	plm_refusals_failed(&refusals, PLM_CALL_POD_CREATE, pod, 100, 0);
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, pod, 0), 100);
}

static void the_first_due_makes_room(void **state)
{
	(void)state;
	refusals = (struct plm_refusals){0};
	for (uint64_t i = 0; i <= PLM_LIMIT_REFUSALS; i++) {
		plm_refusals_failed(&refusals, PLM_CALL_POD_CREATE, (struct plm_hash128){i, 9}, 100,
				    (int64_t)i);
	}
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, (struct plm_hash128){0, 9}, 0), 0);
	assert_int_equal(wait_ms(PLM_CALL_POD_CREATE, (struct plm_hash128){1, 9}, 1), 100);
	assert_int_equal(
		wait_ms(PLM_CALL_POD_CREATE, (struct plm_hash128){PLM_LIMIT_REFUSALS, 9}, 0),
		(int64_t)PLM_LIMIT_REFUSALS + 100);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, waits_longer_each_time);
	PLM_TEST_ADD(&tests, others_do_not_wait);
	PLM_TEST_ADD(&tests, what_comes_about_is_forgotten);
	PLM_TEST_ADD(&tests, the_first_due_makes_room);
	return plm_tests_run(&tests, "kube refusals");
}
