/*
 * Preemption comes to rest: when nothing changes from outside, decisions end (reducers/admission/rest.h).
 * Source: kueue.md 2.12, 6 theme 8. Evictions are completed between two cycles, as a cluster would.
 */
#include "world.h"

#include <stdio.h>

#define WORLDS 400
#define PASSES 200

struct dice {
	uint64_t state;
};

static unsigned roll(struct dice *dice, unsigned sides)
{
	return (unsigned)plm_test_below(&dice->state, sides);
}

static void open_world(struct world *w, int64_t compat, int64_t fair)
{
	struct plm_w_config config = {.compat = compat, .fair_sharing = fair};

	world_init(w);
	world_config(w, &config);
}

/* Whoever must give its quota back does. How many did. */
static unsigned complete(struct world *w)
{
	unsigned count = 0;

	PLM_EACH(&w->st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(&w->st, id);
		struct plm_w_release release = {
			.ns = plm_str(&w->st, workload->object.ns),
			.name = plm_str(&w->st, workload->object.name),
			.reason = PLM_REASON_PREEMPTED,
			.requeued = 1,
		};

		if (workload->evicted_ms != PLM_UNSET && (workload->stage == PLM_STAGE_ADMITTED ||
							  workload->stage == PLM_STAGE_RESERVED)) {
			world_fold(w, PLM_EV_RELEASE, &release);
			count++;
		}
	}
	return count;
}

/* Cycles and completed evictions until nothing moves: how many evictions; 'passes' when it never ends. */
static unsigned settle(struct world *w, unsigned passes, unsigned *out_evictions)
{
	unsigned pass = 0;

	*out_evictions = 0;
	for (; pass < passes; pass++) {
		unsigned completed = 0;

		(void)world_run(w, 0);
		completed = complete(w);
		*out_evictions += completed;
		if (completed == 0) {
			break;
		}
		w->now_ms += 1000;
	}
	return pass;
}

/* ---- the known loop ---------------------------------------------------------------------------- */

/*
 * Queue a holds 3 and asks for 6, b holds 7, of a pool of 10. The newer one of a is out while b's victim
 * is chosen, so a seems to end at 6, below b's 7; then it is taken back, and a would have 9. With the
 * lower share the victim is let in again, and all is as it was (kueue issue 14543).
 */
static const char loop[] = "cohort c cpu=10\n"
			   "queue a cohort=c cpu=0 within=LowerOrNewerEqualPriority reclaim=Any\n"
			   "queue b cohort=c cpu=0 reclaim=Any\n"
			   "workload small queue=a cpu=3 at=9 held=default since=10\n"
			   "workload other queue=b cpu=7 at=1 held=default since=20\n"
			   "workload asks queue=a cpu=6 at=2";

static void evicted_and_let_in_again_under_strict(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, PLM_COMPAT_STRICT, 1);
	world_setup(&w, loop);
	for (unsigned turn = 0; turn < 5; turn++) {
		assert_string_equal(world_run(&w, 1), "evict other InCohortFairSharing; pend asks "
						      "WaitingForPreemptedWorkloads");
		assert_int_equal(complete(&w), 1);
		w.now_ms += 1000;
		assert_string_equal(world_run(&w, 1),
				    "reserve other=default; pend asks WaitingForQuota");
		w.now_ms += 1000;
	}
	world_fini(&w);
}

static void once_and_for_all_under_better(void **state)
{
	unsigned evictions = 0;
	struct world w;

	(void)state;
	open_world(&w, PLM_COMPAT_BETTER, 1);
	world_setup(&w, loop);
	assert_true(settle(&w, PASSES, &evictions) < 4);
	assert_true(evictions <= 2);
	world_fini(&w);
}

/* ---- random states ----------------------------------------------------------------------------- */

static const char *policy(struct dice *dice)
{
	static const char *const policies[] = {"Never", "LowerPriority", "Any", "Any"};

	return policies[roll(dice, PLM_COUNTOF(policies))];
}

static const char *own_policy(struct dice *dice)
{
	static const char *const policies[] = {
		"Never", "LowerPriority", "LowerOrNewerEqualPriority", "LowerOrNewerEqualPriority"};

	return policies[roll(dice, PLM_COUNTOF(policies))];
}

static void queues(struct world *w, struct dice *dice, unsigned count)
{
	char text[256];

	(void)snprintf(text, sizeof(text),
		       "cohort root cpu=%u\ncohort left parent=root cpu=%u\n"
		       "cohort right parent=root weight=%u",
		       roll(dice, 9), roll(dice, 5), 50 + roll(dice, 200));
	world_setup(w, text);
	for (unsigned q = 0; q < count; q++) {
		static const char *const cohorts[] = {"root", "left", "right"};
		const char *own = own_policy(dice);
		const char *others = policy(dice);

		(void)snprintf(text, sizeof(text),
			       "queue q%u cohort=%s cpu=%u within=%s reclaim=%s %s %s weight=%u", q,
			       cohorts[roll(dice, 3)], roll(dice, 6), own, others,
			       roll(dice, 3) == 0 ? "borrowWithin=LowerPriority" : "",
			       roll(dice, 5) == 0 ? "strict" : "", 100 * roll(dice, 4));
		world_setup(w, text);
	}
}

static void workloads(struct world *w, struct dice *dice, unsigned count, unsigned of_queues)
{
	char text[256];

	for (unsigned i = 0; i < count; i++) {
		unsigned cpu = 1 + roll(dice, 7);
		unsigned prio = roll(dice, 3);
		unsigned at = roll(dice, 20);

		(void)snprintf(text, sizeof(text),
			       "workload w%02u queue=q%u cpu=%u prio=%u at=%u %s", i,
			       roll(dice, of_queues), cpu, prio, at,
			       roll(dice, 3) == 0 ? "held=default since=1" : "");
		world_setup(w, text);
	}
}

/* Passes that the world of 'seed' took, PASSES when it did not come to rest. */
static unsigned live(uint64_t seed, int64_t compat)
{
	struct dice dice = {seed};
	unsigned of_queues = 2 + roll(&dice, 4);
	unsigned count = 4 + roll(&dice, 20);
	unsigned evictions = 0;
	unsigned passes = 0;
	struct world w;

	open_world(&w, compat, roll(&dice, 3) != 0);
	queues(&w, &dice, of_queues);
	workloads(&w, &dice, count, of_queues);
	passes = settle(&w, PASSES, &evictions);
	if (compat == PLM_COMPAT_BETTER &&
	    (passes == PASSES || evictions > count * count + count)) {
		fail_msg("seed %llu: %u workloads, %u evictions in %u passes",
			 (unsigned long long)seed, count, evictions, passes);
	}
	/* Somebody from outside begins the next turn, and that one ends as well. */
	world_setup(&w, "workload late queue=q0 cpu=3 prio=5 at=30");
	passes += settle(&w, PASSES, &evictions);
	if (compat == PLM_COMPAT_BETTER && passes >= PASSES) {
		fail_msg("seed %llu: no rest after a newcomer", (unsigned long long)seed);
	}
	world_fini(&w);
	return passes;
}

static void random_states_come_to_rest(void **state)
{
	uint64_t seed = plm_test_seed() * 1000003;
	unsigned most = 0;
	unsigned never = 0;

	(void)state;
	for (uint64_t i = 0; i < WORLDS; i++) {
		unsigned passes = live(seed + i, PLM_COMPAT_BETTER);

		most = passes > most ? passes : most;
	}
	for (uint64_t i = 0; i < WORLDS / 8; i++) {
		never += live(seed + i, PLM_COMPAT_STRICT) >= PASSES;
	}
	print_message("# better: %u passes at most; strict: %u of %u never rest\n", most, never,
		      WORLDS / 8);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, evicted_and_let_in_again_under_strict);
	PLM_TEST_ADD(&tests, once_and_for_all_under_better);
	PLM_TEST_ADD(&tests, random_states_come_to_rest);
	return plm_tests_run(&tests, "admission rest");
}
