/*
 * Admission fair sharing: who is next by usage, how usage decays, what entry costs. Source: kueue.md
 * 2.13. Half-life 10 s, a sample every 2 s unless a row says otherwise.
 */
#include "reducers/admission/afs.h"
#include "world.h"

#include <math.h>

#define HALF_LIFE_MS 10000
#define INTERVAL_MS 2000

static struct world w;

static void begin(int64_t compat, int64_t half_life_ms)
{
	struct plm_w_amount weight = {plm_slice_str("mem"), 1000000};
	struct plm_w_config config = {
		.compat = compat,
		.afs = 1,
		.afs_half_life_ms = half_life_ms,
		.afs_interval_ms = INTERVAL_MS,
		.afs_weights = {&weight, 1},
	};

	world_init(&w);
	world_config(&w, &config);
}

/* What LocalQueue 'name' has consumed of cpu, in cores. */
static double consumed(const char *name)
{
	plm_id local = plm_find_text(&w.st, PLM_KIND_LOCAL_QUEUE, "ns", name);
	plm_id row = plm_local_queue_at(&w.st, local)->consumed;

	for (; row.n != 0; row = plm_consumed_at(&w.st, row)->next) {
		const struct plm_fixed *fixed = &plm_consumed_at(&w.st, row)->amount;

		if (plm_sym_is(&w.st, fixed->resource, "cpu")) {
			return ((double)fixed->whole + (double)fixed->fraction / 4294967296.0) /
			       1000.0;
		}
	}
	return 0;
}

static void about(double have, double want)
{
	if (fabs(have - want) > 1e-9 * (1 + fabs(want))) {
		fail_msg("%.12g instead of %.12g", have, want);
	}
}

static double left(double ms)
{
	return exp2(-ms / HALF_LIFE_MS);
}

static void later(int64_t ms)
{
	w.now_ms += ms;
	(void)world_run(&w, 0);
}

/* ---- who is next ------------------------------------------------------------------------------- */

static const struct row {
	const char *why;
	const char *setup;
	const char *want; /* of one round */
} rows[] = {
	{"the LocalQueue that has used less goes first, whatever the priority",
	 "local a queue=q consumed=5\nlocal b queue=q consumed=4\n"
	 "workload x queue=a cpu=1 prio=9 at=1\nworkload y queue=b cpu=1 at=2",
	 "reserve y=default"},
	{"equal usage: priority",
	 "local a queue=q consumed=4\nlocal b queue=q consumed=4\n"
	 "workload x queue=a cpu=1 at=1\nworkload y queue=b cpu=1 at=2 prio=1",
	 "reserve y=default"},
	{"in one LocalQueue the usual order",
	 "local a queue=q consumed=4\nworkload x queue=a cpu=1 at=1\n"
	 "workload y queue=a cpu=1 at=2 prio=1",
	 "reserve y=default"},
	{"usage by weight: 6 / 3 is less than 3 / 1",
	 "local a queue=q consumed=3\nlocal b queue=q consumed=6 weight=300\n"
	 "workload x queue=a cpu=1 at=1\nworkload y queue=b cpu=1 at=2",
	 "reserve y=default"},
	{"weight 0 is last, even without any usage",
	 "local a queue=q weight=0\nlocal b queue=q consumed=9\n"
	 "workload x queue=a cpu=1 at=1 prio=9\nworkload y queue=b cpu=1 at=2",
	 "reserve y=default"},
	{"of two with weight 0 the usual order decides",
	 "local a queue=q weight=0 consumed=1\nlocal b queue=q weight=0\n"
	 "workload x queue=a cpu=1 at=1\nworkload y queue=b cpu=1 at=2",
	 "reserve x=default"},
	{"what runs counts when nothing else is known",
	 "local a queue=q\nlocal b queue=q\nworkload run queue=a in=q cpu=1 held=default\n"
	 "workload x queue=a cpu=1 at=1\nworkload y queue=b cpu=1 at=2",
	 "reserve y=default"},
	{"a resource counts by its weight",
	 "local a queue=q\nlocal b queue=q\nworkload r1 queue=a in=q cpu=1 mem=9000 held=default\n"
	 "workload r2 queue=b in=q cpu=1 mem=8000 held=default\n"
	 "workload x queue=a cpu=1 at=1\nworkload y queue=b cpu=1 at=2",
	 "reserve y=default"},
};

static void play(const struct row *row)
{
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "queue q byUsage cpu=100 mem=100000");
	world_setup(&w, row->setup);
	assert_string_equal(world_run(&w, 1), row->want);
	world_fini(&w);
}

PLM_TEST_ROWS(play, struct row)

static void nobody_looks_at_usage_unless_told(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "queue q cpu=10\nlocal a queue=q consumed=5\nlocal b queue=q\n"
			"workload x queue=a cpu=1 at=1\nworkload y queue=b cpu=1 at=2");
	assert_string_equal(world_run(&w, 1), "reserve x=default");
	world_fini(&w);
}

/* A sticky workload goes before its LocalQueue's others, not before a LocalQueue that used less. */
static void usage_before_stickiness(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w,
		    "queue q byUsage cpu=4 within=LowerPriority\n"
		    "local a queue=q consumed=1\nlocal b queue=q consumed=9\n"
		    "workload v queue=q cpu=4 held=default\nworkload x queue=a cpu=4 prio=5 at=5");
	assert_string_equal(world_run(&w, 1),
			    "evict v InClusterQueue; pend x WaitingForPreemptedWorkloads");
	world_setup(&w, "release v\nworkload first queue=a cpu=4 prio=7 at=1\n"
			"workload other queue=b cpu=4 prio=9 at=1");
	assert_string_equal(world_run(&w, 1), "reserve x=default");
	world_fini(&w);
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w,
		    "queue q byUsage cpu=4 within=LowerPriority\n"
		    "local a queue=q consumed=9\nlocal b queue=q consumed=1\n"
		    "workload v queue=q cpu=4 held=default\nworkload x queue=a cpu=4 prio=5 at=5");
	(void)world_run(&w, 1);
	world_setup(&w, "release v\nworkload other queue=b cpu=4 at=1");
	assert_string_equal(world_run(&w, 1), "reserve other=default");
	world_fini(&w);
}

/* A blocked head of StrictFIFO gives way to another LocalQueue when usage has decayed below the other's. */
static void order_changes_with_time(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "queue q byUsage strict cpu=2\n"
			"local a queue=q consumed=3\nlocal b queue=q consumed=4\n"
			"workload run queue=a in=q cpu=2 held=default");
	world_setup(&w, "workload x queue=a cpu=9 at=1\nworkload y queue=b cpu=3 at=2");
	assert_string_equal(world_run(&w, 1), "pend x ExceedsMaxQuota");
	assert_int_equal(plm_afs_next_due(&w.st), w.now_ms + INTERVAL_MS);
	/* a goes to 2, b to 0: after 20 s 2.25 against 1. */
	w.now_ms += 20000;
	assert_string_equal(world_run(&w, 1), "pend y ExceedsMaxQuota");
	world_fini(&w);
}

/* ---- usage over time --------------------------------------------------------------------------- */

static void usage_decays_at_samples(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "queue q byUsage cpu=9\nlocal a queue=q consumed=8");
	later(1999);
	about(consumed("a"), 8); /* between two samples nothing moves */
	later(1);
	about(consumed("a"), 8 * left(2000));
	later(8000);
	about(consumed("a"), 4);
	later(1000 * HALF_LIFE_MS);
	about(consumed("a"), 0);
	world_fini(&w);
}

/* What held quota counts until the sample before it left, cycle or no cycle. */
static void samples_are_made_up(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "queue q byUsage cpu=9\nlocal a queue=q consumed=8\n"
			"workload run queue=q cpu=2 held=default");
	later(0);
	about(consumed("q"), 2);
	about(consumed("a"), 8);
	w.now_ms += 5000;
	world_setup(&w, "finish run");
	about(consumed("q"), 2); /* two samples of 2 */
	later(0);
	later(1000);
	about(consumed("q"), 2 * left(2000)); /* the third found nothing running */
	about(consumed("a"), 8 * left(6000));
	world_fini(&w);
}

static void no_half_life_no_memory(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, 0);
	world_setup(&w, "queue q byUsage cpu=9\nlocal a queue=q consumed=8\nlocal b queue=q\n"
			"workload x queue=a cpu=1 at=1\nworkload y queue=b cpu=1 at=2");
	later(INTERVAL_MS);
	about(consumed("a"), 0);
	about(consumed("b"), 0);
	world_fini(&w);
}

/* Another writer, a Kueue that is watched, knows better; what is older than our sample is our own. */
static void newer_status_is_taken_over(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "queue q byUsage cpu=9\nlocal a queue=q consumed=8");
	later(2500);
	about(consumed("a"), 8 * left(2000));
	world_setup(&w, "local a queue=q consumed=3"); /* at 2500 */
	later(0);
	about(consumed("a"), 3);
	later(2000);
	about(consumed("a"), 3 * left(2000));
	world_fini(&w);
}

/* ---- penalties --------------------------------------------------------------------------------- */

static double usage_of(const char *name)
{
	plm_id local = plm_find_text(&w.st, PLM_KIND_LOCAL_QUEUE, "ns", name);
	struct plm_afs_usage usage = plm_afs_usage(&w.st, local);
	double sum = 0;

	for (int i = PLM_WIDE_LIMBS - 1; i >= 0; i--) {
		sum = sum * 18446744073709551616.0 + (double)usage.amount.limb[i];
	}
	return sum / 4294967296.0 / 1e9 / 1000.0;
}

/* Entry costs at once what the workload will have used by the next sample: a queue that got 1 waits. */
static void entry_costs_at_once(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "queue q byUsage cpu=9\nlocal a queue=q\nlocal b queue=q\n"
			"workload x1 queue=a cpu=1 at=1\nworkload x2 queue=a cpu=1 at=2\n"
			"workload y queue=b cpu=1 at=3");
	assert_string_equal(world_run(&w, 0),
			    "reserve x1=default; reserve y=default; reserve x2=default");
	about(consumed("b"), 1 - left(INTERVAL_MS));
	about(consumed("a"), 2 * (1 - left(INTERVAL_MS)));
	world_fini(&w);
}

/* With a check open the penalty is pending; it counts, and is settled once, at admission. */
static void penalty_is_settled_at_admission(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "check ok\nqueue q byUsage check=ok cpu=9\nlocal a queue=q consumed=4\n"
			"workload x queue=a cpu=2 at=1");
	assert_string_equal(world_run(&w, 0), "reserve x=default unadmitted");
	about(consumed("a"), 4);
	about(usage_of("a"), 4 + 2 * (1 - left(INTERVAL_MS)));
	w.now_ms += 1000;
	world_setup(&w, "workload x queue=a cpu=2 at=1 check=ok:Ready");
	assert_string_equal(world_run(&w, 0), "admit x");
	about(consumed("a"), 2 + 2 * left(1000) + 2 * (1 - left(INTERVAL_MS)));
	about(usage_of("a"), consumed("a"));
	assert_int_equal(plm_workload_at(&w.st, world_workload(&w, "x"))->penalty.n, 0);
	later(2000);
	about(consumed("a"), 2 + (2 * left(1000) + 2 * (1 - left(INTERVAL_MS))) * left(2000));
	world_fini(&w);
}

static const struct row drops[] = {
	{"finished before it was admitted", "finish x", NULL},
	{"deleted", "gone Workload x", NULL},
	{"gone to another LocalQueue", "release x\nworkload x queue=b cpu=2 at=1", NULL},
	{"evicted and deactivated", "workload x queue=a cpu=2 at=1 off\nrelease x", NULL},
	{"its LocalQueue is gone", "gone LocalQueue a\nlocal a queue=q consumed=4", NULL},
};

static void dropped(const struct row *row)
{
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "check ok\nqueue q byUsage check=ok cpu=9\nlocal a queue=q consumed=4\n"
			"local b queue=q\nworkload x queue=a cpu=2 at=1");
	(void)world_run(&w, 1);
	about(usage_of("a"), 4 + 2 * (1 - left(INTERVAL_MS)));
	world_setup(&w, row->setup);
	world_setup(&w, "queue q byUsage stop=Hold check=ok cpu=9");
	later(0);
	about(usage_of("a"), 4);
	about(usage_of("b"), 0);
	world_fini(&w);
}

PLM_TEST_ROWS(dropped, struct row)

/* Evicted before it was admitted it goes on waiting, and its penalty with it: no queue jumps by that. */
static void penalty_outlives_an_eviction(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "check ok\nqueue q byUsage check=ok cpu=9\nlocal a queue=q consumed=4\n"
			"workload x queue=a cpu=2 at=1");
	(void)world_run(&w, 1);
	world_setup(&w, "release x");
	about(usage_of("a"), 4 + 2 * (1 - left(INTERVAL_MS)));
	(void)world_run(&w, 1);
	about(usage_of("a"), 4 + 2 * (1 - left(INTERVAL_MS)));
	world_fini(&w);
}

/* ---- victims ----------------------------------------------------------------------------------- */

/* Of one queue, those whose LocalQueue has used more go first, against the order of priorities. */
static void victims_by_usage(void **state)
{
	(void)state;
	begin(PLM_COMPAT_STRICT, HALF_LIFE_MS);
	world_setup(&w, "queue q byUsage cpu=4 within=LowerPriority\n"
			"local a queue=q consumed=9\nlocal b queue=q consumed=1");
	(void)world_run(&w, 0);
	world_setup(&w, "workload v1 queue=a cpu=2 prio=3 at=1\nworkload v2 queue=b cpu=2 at=1");
	assert_string_equal(world_run(&w, 0), "reserve v2=default; reserve v1=default");
	world_setup(&w, "workload x queue=b cpu=2 prio=9");
	assert_string_equal(world_run(&w, 1),
			    "evict v1 InClusterQueue; pend x WaitingForPreemptedWorkloads");
	world_fini(&w);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, play, rows);
	PLM_TEST_TABLE(&tests, dropped, drops);
	PLM_TEST_ADD(&tests, nobody_looks_at_usage_unless_told);
	PLM_TEST_ADD(&tests, usage_before_stickiness);
	PLM_TEST_ADD(&tests, order_changes_with_time);
	PLM_TEST_ADD(&tests, usage_decays_at_samples);
	PLM_TEST_ADD(&tests, samples_are_made_up);
	PLM_TEST_ADD(&tests, no_half_life_no_memory);
	PLM_TEST_ADD(&tests, newer_status_is_taken_over);
	PLM_TEST_ADD(&tests, entry_costs_at_once);
	PLM_TEST_ADD(&tests, penalty_is_settled_at_admission);
	PLM_TEST_ADD(&tests, penalty_outlives_an_eviction);
	PLM_TEST_ADD(&tests, victims_by_usage);
	return plm_tests_run(&tests, "admission afs");
}
