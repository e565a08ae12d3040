/*
 * Fair shares: the comparison against continued fractions, which multiply nothing; rounds at extreme
 * weights and amounts. Source: kueue.md 2.9, 2.12.
 */
#include "core/wide.h"
#include "reducers/admission/fair.h"
#include "world.h"

#define TRIALS 300000

/* ---- comparison -------------------------------------------------------------------------------- */

static plm_u128 below(const struct plm_share *share)
{
	return (plm_u128)(uint64_t)share->lendable * (uint64_t)share->weight_nano;
}

/* <0, 0, >0 for two fractions above 0, by their continued fractions. */
static int oracle(const struct plm_share *a, const struct plm_share *b)
{
	plm_u128 left[2] = {(uint64_t)a->over, below(a)};
	plm_u128 right[2] = {(uint64_t)b->over, below(b)};

	for (int sign = 1;; sign = -sign) {
		plm_u128 x = left[0] / left[1];
		plm_u128 y = right[0] / right[1];
		plm_u128 x_rest = left[0] % left[1];
		plm_u128 y_rest = right[0] % right[1];

		if (x != y) {
			return x < y ? -sign : sign;
		}
		if (x_rest == 0 || y_rest == 0) {
			return x_rest == y_rest ? 0 : (x_rest == 0 ? -sign : sign);
		}
		left[0] = left[1];
		left[1] = x_rest;
		right[0] = right[1];
		right[1] = y_rest;
	}
}

/* 1 to 2^63 - 1: near the ends as often as in the middle. */
static int64_t some(uint64_t *dice)
{
	uint64_t bits = 1 + plm_test_below(dice, 63);
	uint64_t most = (1ULL << bits) - 1;

	switch (plm_test_below(dice, 4)) {
	case 0:
		return (int64_t)most;
	case 1:
		return (int64_t)(most - plm_test_below(dice, most < 3 ? most : 3));
	default:
		return (int64_t)(1 + plm_test_below(dice, most));
	}
}

static int sign_of(int order)
{
	return (order > 0) - (order < 0);
}

static void compares_exactly(void **state)
{
	uint64_t dice = plm_test_seed();

	(void)state;
	for (unsigned i = 0; i < TRIALS; i++) {
		struct plm_share a = {
			.over = some(&dice), .lendable = some(&dice), .weight_nano = some(&dice)};
		struct plm_share b = {
			.over = some(&dice), .lendable = some(&dice), .weight_nano = some(&dice)};

		if (plm_test_below(&dice, 3) == 0) { /* nearly the same */
			b = a;
			b.over -= b.over > 1 ? (int64_t)plm_test_below(&dice, 2) : 0;
			b.weight_nano -= b.weight_nano > 1 ? (int64_t)plm_test_below(&dice, 2) : 0;
		}
		assert_int_equal(sign_of(plm_fair_compare(a, b)), oracle(&a, &b));
		assert_int_equal(sign_of(plm_fair_compare(b, a)), -oracle(&a, &b));
	}
}

static void ends_of_the_scale(void **state)
{
	const struct plm_share none = {.lendable = 5, .weight_nano = 1};
	const struct plm_share idle = {.weight_nano = 0};
	const struct plm_share most = {.over = INT64_MAX, .lendable = 1, .weight_nano = 1};
	const struct plm_share least = {.over = 1, .lendable = INT64_MAX, .weight_nano = INT64_MAX};
	const struct plm_share infinite = {.over = 1, .lendable = 100};
	const struct plm_share worse = {.over = 2, .lendable = 100};

	(void)state;
	assert_int_equal(plm_fair_compare(none, idle),
			 0); /* who borrows nothing, whatever its weight */
	assert_true(plm_fair_compare(none, least) < 0);
	assert_true(plm_fair_compare(least, most) < 0);
	assert_true(plm_fair_compare(most, infinite) < 0);
	assert_true(plm_fair_compare(infinite, worse) < 0); /* both infinite: by ratio */
	assert_int_equal(plm_fair_compare(worse, worse), 0);
	assert_true(plm_fair_infinite(infinite) && !plm_fair_infinite(idle));
}

/* ---- rounds ------------------------------------------------------------------------------------ */

static const struct row {
	const char *why;
	const char *setup;
	const char *want; /* of one round */
} rows[] = {
	{"the lower share goes first, the other one does not fit any more",
	 "cohort c mem=10\nqueue a cohort=c mem=0\nqueue b cohort=c mem=0\n"
	 "workload r queue=a mem=2 held=default\n"
	 "workload x queue=a mem=8 at=1\nworkload y queue=b mem=8 at=2",
	 "reserve y=default; pend x WaitingForQuota"},
	{"by weight: 4 for 4 is less than 2 for 1",
	 "cohort c mem=10\nqueue a cohort=c mem=0 weight=400\nqueue b cohort=c mem=0\n"
	 "workload x queue=a mem=8 at=2\nworkload y queue=b mem=4 at=1",
	 "reserve x=default; pend y WaitingForQuota"},
	{"weight 0 is last as soon as it borrows",
	 "cohort c mem=10\nqueue a cohort=c mem=0 weight=0\nqueue b cohort=c mem=0 weight=1\n"
	 "workload x queue=a mem=1 prio=9 at=1\nworkload y queue=b mem=10 at=2",
	 "reserve y=default; pend x WaitingForQuota"},
	{"within its own quota it is as good as others",
	 "cohort c mem=10\nqueue a cohort=c mem=2 weight=0\nqueue b cohort=c mem=0 weight=900\n"
	 "workload x queue=a mem=2 at=2\nworkload y queue=b mem=11 at=1",
	 "reserve x=default; pend y WaitingForQuota"},
	{"bytes up to 2^62: one of 2^61 - 1 goes before one of 2^61",
	 "cohort c mem=4611686018427387903\nqueue a cohort=c mem=0\nqueue b cohort=c mem=0\n"
	 "workload x queue=a mem=2305843009213693952 prio=9 at=1\n"
	 "workload y queue=b mem=2305843009213693951 at=2\nworkload z queue=b mem=1 at=3",
	 "reserve y=default; reserve x=default"},
	{"and one byte does not get lost in them",
	 "cohort c mem=4611686018427387903\nqueue a cohort=c mem=0\nqueue b cohort=c mem=0\n"
	 "workload x queue=a mem=2305843009213693952 at=1\n"
	 "workload y queue=b mem=2305843009213693952 at=2",
	 "reserve x=default; pend y WaitingForQuota"},
	{"unlimited quota to lend: shares are tiny and still in order",
	 "cohort c mem=inf\nqueue a cohort=c mem=0\nqueue b cohort=c mem=0\n"
	 "workload x queue=a mem=1000 prio=9 at=1\nworkload y queue=b mem=999 at=2",
	 "reserve y=default; reserve x=default"},
	{"the greatest weight there is against the smallest",
	 "cohort c mem=1000\nqueue a cohort=c mem=0 weight=900000000000\n"
	 "queue b cohort=c mem=0 weight=1\n"
	 "workload x queue=a mem=999 at=2\nworkload y queue=b mem=2 at=1",
	 "reserve x=default; pend y WaitingForQuota"},
	{"the elastic pool of the dialect is shared without being asked to",
	 "cohort plimsoll-elastic cpu=8\n"
	 "queue a dialect cohort=plimsoll-elastic weight=300 cpu=0/8/0\n"
	 "queue b dialect cohort=plimsoll-elastic weight=100 cpu=0/8/0\n"
	 "workload x queue=a cpu=6 at=2\nworkload y queue=b cpu=3 at=1",
	 "reserve x=default; pend y WaitingForQuota"},
};

static void play(const struct row *row)
{
	struct plm_w_config config = {.compat = PLM_COMPAT_STRICT, .fair_sharing = 1};
	struct world w;

	world_init(&w);
	world_config(&w, &config);
	world_setup(&w, row->setup);
	assert_string_equal(world_run(&w, 1), row->want);
	world_fini(&w);
}
PLM_TEST_ROWS(play, struct row)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, compares_exactly);
	PLM_TEST_ADD(&tests, ends_of_the_scale);
	PLM_TEST_TABLE(&tests, play, rows);
	return plm_tests_run(&tests, "admission fair");
}
