#include "adapters/ec2/pace.h"

#include "plm_test.h"

#include "core/event.h"

/* Calls that leave between 'from_ms' and 'to_ms' when somebody always waits. */
static int leave(struct plm_aws_pace *pace, int64_t from_ms, int64_t to_ms)
{
	int count = 0;
	int64_t now_ms = from_ms;

	while (now_ms < to_ms) {
		int64_t wait_ms = plm_aws_pace_take(pace, now_ms);

		count += wait_ms == 0 ? 1 : 0;
		now_ms += wait_ms;
	}
	return count;
}

static void a_burst_then_the_rate(void **state)
{
	struct plm_aws_pace pace;

	(void)state;
	plm_aws_pace_init(&pace, 4000, 4000, 10, 1000);
	assert_int_equal(leave(&pace, 1000, 1001), 10);
	assert_int_equal(leave(&pace, 1001, 11000), 40 - 1);
}

static void throttling_halves_and_rest_gives_back(void **state)
{
	struct plm_aws_pace pace;

	(void)state;
	plm_aws_pace_init(&pace, 16000, 16000, 10, 0);
	(void)leave(&pace, 0, 1);
	plm_aws_pace_throttled(&pace, 0, 10, PLM_UNSET);
	assert_int_equal(pace.bucket.rate_milli, 8000);
	/* What left before that says nothing new. */
	plm_aws_pace_throttled(&pace, 5, 20, PLM_UNSET);
	assert_int_equal(pace.bucket.rate_milli, 8000);
	assert_int_equal(pace.slowed, 1);
	plm_aws_pace_throttled(&pace, 15, 30, PLM_UNSET);
	assert_int_equal(pace.bucket.rate_milli, 4000);
	assert_true(plm_aws_pace_take(&pace, 31) > 200); /* nothing is left of the burst */
	for (int i = 0; i < 10; i++) {
		plm_aws_pace_throttled(&pace, 40 + i, 41 + i, PLM_UNSET);
	}
	assert_int_equal(pace.bucket.rate_milli, 1000); /* a sixteenth is always left */
	(void)plm_aws_pace_take(&pace, 1100);
	assert_int_equal(pace.bucket.rate_milli, 3000);
	(void)plm_aws_pace_take(&pace, 1200);
	assert_int_equal(pace.bucket.rate_milli, 3000);
	(void)plm_aws_pace_take(&pace, 60000);
	assert_int_equal(pace.bucket.rate_milli, 16000);
}

static void somebody_who_waits_is_let_go_faster(void **state)
{
	struct plm_aws_pace pace;

	(void)state;
	plm_aws_pace_init(&pace, 8000, 16000, 10, 0);
	(void)plm_aws_pace_take(&pace, 60000);
	assert_int_equal(pace.bucket.rate_milli, 8000); /* nobody waited */
	(void)leave(&pace, 60000, 62500);
	assert_int_equal(pace.bucket.rate_milli, 10000);
	(void)leave(&pace, 62500, 80000);
	assert_int_equal(pace.bucket.rate_milli, 16000);
	plm_aws_pace_throttled(&pace, 80000, 80001, PLM_UNSET);
	assert_int_equal(pace.bucket.rate_milli, 8000);
	plm_aws_pace_throttled(&pace, 80002, 80003, PLM_UNSET);
	(void)leave(&pace, 80003, 84500);
	assert_int_equal(pace.bucket.rate_milli, 8000); /* four steps, and no further at once */
}

static void retry_after_is_waited_for(void **state)
{
	struct plm_aws_pace pace;

	(void)state;
	plm_aws_pace_init(&pace, 16000, 16000, 10, 0);
	plm_aws_pace_throttled(&pace, 0, 100, 5000);
	assert_int_equal(plm_aws_pace_take(&pace, 1100), 4000);
	/* A shorter one behind it takes nothing back, one of the same moment counts too. */
	plm_aws_pace_throttled(&pace, 0, 200, 100);
	assert_int_equal(plm_aws_pace_take(&pace, 1100), 4000);
	plm_aws_pace_throttled(&pace, 0, 200, 9000);
	assert_int_equal(plm_aws_pace_take(&pace, 1200), 8000);
	assert_int_equal(plm_aws_pace_take(&pace, 9200), 0);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, a_burst_then_the_rate);
	PLM_TEST_ADD(&tests, throttling_halves_and_rest_gives_back);
	PLM_TEST_ADD(&tests, somebody_who_waits_is_let_go_faster);
	PLM_TEST_ADD(&tests, retry_after_is_waited_for);
	return plm_tests_run(&tests, "aws pace");
}
