/* Half-lives against long double, whose 64 bits of mantissa are as fine as the unit. */
#include "plm_test.h"
#include "reducers/admission/decay.h"

#include <math.h>

#define TRIALS 200000
/* The bound that decay.h states. */
#define BOUND 0x1p-58L

static long double reference(int64_t passed_ms, int64_t half_life_ms)
{
	return exp2l(-(long double)passed_ms / (long double)half_life_ms);
}

static void holds(int64_t passed_ms, int64_t half_life_ms)
{
	long double have = ldexpl((long double)plm_decay(passed_ms, half_life_ms), -64);
	long double off = fabsl(have - reference(passed_ms, half_life_ms));

	if (off >= BOUND) {
		fail_msg("%lld ms of %lld ms: off by %Lg", (long long)passed_ms,
			 (long long)half_life_ms, off);
	}
}

/* Up to 'bits' bits, small numbers as likely as big ones. */
static int64_t some(uint64_t *dice, unsigned bits)
{
	uint64_t width = 1 + plm_test_below(dice, bits);

	return (int64_t)(1 + plm_test_below(dice, (1ULL << width) - 1));
}

static void error_is_bounded(void **state)
{
	uint64_t dice = plm_test_seed();

	(void)state;
	for (unsigned i = 0; i < TRIALS; i++) {
		int64_t half_life = some(&dice, 50);

		holds(some(&dice, 50), half_life);
		/* What is usual: between an instant and a few half-lives. */
		holds((int64_t)(1 + plm_test_below(&dice, (uint64_t)half_life * 4)), half_life);
	}
	holds(1, INT64_MAX);
	holds(INT64_MAX, 1);
	holds(INT64_MAX, INT64_MAX);
}

static void whole_half_lives(void **state)
{
	(void)state;
	for (int64_t n = 1; n < 70; n++) {
		uint64_t want = n < 64 ? 1ULL << (64 - n) : 0;
		uint64_t have = plm_decay(n * 1000, 1000);

		assert_true(have == want);
	}
}

/* The later, the less is left. */
static void never_grows(void **state)
{
	uint64_t before = UINT64_MAX;

	(void)state;
	for (int64_t ms = 1; ms < 200000; ms += 7) {
		uint64_t now = plm_decay(ms, 30000);

		assert_true(now <= before);
		before = now;
	}
}

static void stays_between(void **state)
{
	uint64_t dice = plm_test_seed();

	(void)state;
	for (unsigned i = 0; i < TRIALS; i++) {
		plm_u128 from = (plm_u128)some(&dice, 62) << 32;
		plm_u128 to = (plm_u128)some(&dice, 62) << 32;
		uint64_t left = plm_decay(some(&dice, 40), some(&dice, 40));
		plm_u128 now = plm_decay_towards(from, to, left);
		long double want = (long double)to + ((long double)from - (long double)to) *
							     ldexpl((long double)left, -64);

		assert_true(from < to ? now >= from && now <= to : now >= to && now <= from);
		assert_true(fabsl((long double)now - want) <=
			    1.0L + (long double)(from > to ? from : to) * 0x1p-61L);
	}
	assert_true(plm_decay_towards(5, 5, 1) == 5);
	assert_true(plm_decay_towards(9, 5, 0) == 5);
}

/* Many small steps towards a constant usage are one big one: kueue.md 2.13 does not say how often. */
static void steps_add_up(void **state)
{
	plm_u128 from = (plm_u128)1000 << 32;
	plm_u128 to = (plm_u128)16000 << 32;
	plm_u128 steps = from;
	plm_u128 once = plm_decay_towards(from, to, plm_decay(3600000, 7200000));

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		steps = plm_decay_towards(steps, to, plm_decay(300000, 7200000));
	}
	assert_true(steps > once ? steps - once <= 64 : once - steps <= 64);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, error_is_bounded);
	PLM_TEST_ADD(&tests, whole_half_lives);
	PLM_TEST_ADD(&tests, never_grows);
	PLM_TEST_ADD(&tests, stays_between);
	PLM_TEST_ADD(&tests, steps_add_up);
	return plm_tests_run(&tests, "admission decay");
}
