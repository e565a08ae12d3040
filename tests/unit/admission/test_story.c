/* Several cycles with facts between them: retries, claims of preemptors, fair shares, explanations. */
#include "reducers/admission/explain.h"
#include "reducers/admission/turn.h"
#include "world.h"

/* A step: lines to fold, then a cycle and its decisions. */
struct step {
	const char *lines;
	const char *want;
};

struct story {
	const char *why;
	int64_t compat;
	int64_t fair;
	int64_t rounds;
	struct step steps[5];
};

static const struct story stories[] = {
	{"what is parked is tried again when quota comes back",
	 PLM_COMPAT_STRICT,
	 0,
	 0,
	 {{"queue a cpu=5\nworkload run queue=a cpu=4 held=default\nworkload x queue=a cpu=2",
	   "pend x WaitingForQuota parked"},
	  {"", ""},
	  {"finish run", "reserve x=default"}}},
	{"also in another queue of the tree",
	 PLM_COMPAT_STRICT,
	 0,
	 0,
	 {{"cohort root\ncohort c parent=root\nqueue a cohort=c cpu=5\nqueue b cohort=root cpu=0\n"
	   "workload run queue=a cpu=5 held=default\nworkload x queue=b cpu=2",
	   "pend x WaitingForQuota parked"},
	  {"gone Workload run", "reserve x=default"}}},
	{"not in another tree",
	 PLM_COMPAT_STRICT,
	 0,
	 0,
	 {{"queue a cpu=5\nqueue b cpu=1\nworkload run queue=a cpu=5 held=default\n"
	   "workload x queue=b cpu=2",
	   "pend x ExceedsMaxQuota parked"},
	  {"finish run", ""}}},
	{"a quota that grows wakes them",
	 PLM_COMPAT_STRICT,
	 0,
	 0,
	 {{"queue a cpu=1\nworkload x queue=a cpu=2", "pend x ExceedsMaxQuota parked"},
	  {"queue a cpu=3", "reserve x=default"}}},
	{"a newcomer that would be scheduled alike is parked at once",
	 PLM_COMPAT_STRICT,
	 0,
	 0,
	 {{"queue a cpu=1\nworkload x queue=a cpu=2", "pend x ExceedsMaxQuota parked"},
	  {"workload y queue=a cpu=2", ""},
	  {"workload z queue=a cpu=1", "reserve z=default"}}},
	{"a changed workload is tried again",
	 PLM_COMPAT_STRICT,
	 0,
	 0,
	 {{"queue a cpu=1\nworkload x queue=a cpu=2", "pend x ExceedsMaxQuota parked"},
	  {"workload x queue=a cpu=1", "reserve x=default"}}},
	{"a LocalQueue that appears lets them in",
	 PLM_COMPAT_STRICT,
	 0,
	 0,
	 {{"queue a cpu=1\nworkload x queue=l cpu=1", "pend x Misconfigured"},
	  {"local l queue=a", "reserve x=default"}}},
	{"a work queue that has room again",
	 PLM_COMPAT_STRICT,
	 0,
	 0,
	 {{"queue a cpu=9\nwork w queue=a max=1\nlocal l work=w\n"
	   "workload x queue=l cpu=1 at=1\nworkload y queue=l cpu=1 at=2",
	   "reserve x=default; pend y MaxParallelJobs"},
	  {"finish x", "reserve y=default"}}},
	{"strict: what a victim frees is taken by the first that comes",
	 PLM_COMPAT_STRICT,
	 0,
	 1,
	 {{"queue a cohort=c cpu=2 reclaim=Any\nqueue b cohort=c cpu=2\n"
	   "workload v queue=b cpu=4 held=default\nworkload x queue=a cpu=2 prio=1 at=1",
	   "evict v InCohortReclamation; pend x WaitingForPreemptedWorkloads"},
	  {"release v\nworkload y queue=b cpu=2 prio=9 at=2",
	   "reserve y=default; reserve x=default"}}},
	{"strict: somebody else slips in and the preemptor waits again",
	 PLM_COMPAT_STRICT,
	 0,
	 1,
	 {{"queue a cohort=c cpu=1 reclaim=Any borrowWithin=LowerPriority\nqueue b cohort=c cpu=2\n"
	   "workload v queue=b cpu=3 held=default\nworkload x queue=a cpu=3 prio=1 at=1",
	   "evict v InCohortReclaimWhileBorrowing; pend x WaitingForPreemptedWorkloads"},
	  {"release v\nworkload y queue=b cpu=2 prio=9 at=2",
	   "reserve y=default; pend x WaitingForQuota"}}},
	{"better: the preemptor's claim holds",
	 PLM_COMPAT_BETTER,
	 0,
	 1,
	 {{"queue a cohort=c cpu=1 reclaim=Any borrowWithin=LowerPriority\nqueue b cohort=c cpu=2\n"
	   "workload v queue=b cpu=3 held=default\nworkload x queue=a cpu=3 prio=1 at=1",
	   "evict v InCohortReclaimWhileBorrowing; hold x; pend x WaitingForPreemptedWorkloads"},
	  {"release v\nworkload y queue=b cpu=2 prio=9 at=2",
	   "reserve x=default; pend y WaitingForQuota parked"},
	  {"finish x", "reserve y=default"}}},
	{"better: a claim does not take more than its victims and what is free",
	 PLM_COMPAT_BETTER,
	 0,
	 1,
	 {{"queue a cohort=c cpu=2 reclaim=Any\nqueue b cohort=c cpu=4\n"
	   "workload v queue=b cpu=5 held=default\nworkload x queue=a cpu=2 at=1",
	   "evict v InCohortReclamation; hold x; pend x WaitingForPreemptedWorkloads"},
	  {"workload y queue=b cpu=1 at=2", "reserve y=default"},
	  {"release v", "reserve x=default; pend v WaitingForQuota parked"}}},
	{"better: a preemptor that goes away leaves its claim",
	 PLM_COMPAT_BETTER,
	 0,
	 1,
	 {{"queue a cohort=c cpu=1 reclaim=Any borrowWithin=LowerPriority\nqueue b cohort=c cpu=2\n"
	   "workload v queue=b cpu=3 held=default\nworkload x queue=a cpu=3 prio=1 at=1",
	   "evict v InCohortReclaimWhileBorrowing; hold x; pend x WaitingForPreemptedWorkloads"},
	  {"release v\ngone Workload x\nworkload y queue=b cpu=2 prio=9 at=2",
	   "reserve y=default"}}},
	{"strict: in its own queue it may evict and borrow what a lender waits for",
	 PLM_COMPAT_STRICT,
	 0,
	 1,
	 {{"queue a cohort=c cpu=4 within=LowerPriority\nqueue b cohort=c cpu=2 reclaim=Any\n"
	   "workload big queue=a cpu=3 prio=9 held=default\nworkload low queue=a cpu=1 "
	   "held=default\n"
	   "workload r queue=b cpu=1 held=default\nworkload x queue=a cpu=2 prio=5\n"
	   "workload z queue=b cpu=2",
	   "evict low InClusterQueue; pend x WaitingForPreemptedWorkloads; "
	   "pend z WaitingForQuota parked"}}},
	{"better: it may not",
	 PLM_COMPAT_BETTER,
	 0,
	 1,
	 {{"queue a cohort=c cpu=4 within=LowerPriority\nqueue b cohort=c cpu=2 reclaim=Any\n"
	   "workload big queue=a cpu=3 prio=9 held=default\nworkload low queue=a cpu=1 "
	   "held=default\n"
	   "workload r queue=b cpu=1 held=default\nworkload x queue=a cpu=2 prio=5\n"
	   "workload z queue=b cpu=2",
	   "pend x WaitingForQuota parked; pend z WaitingForQuota parked"}}},
	{"better: nor is anybody the worse when no lender waits",
	 PLM_COMPAT_BETTER,
	 0,
	 1,
	 {{"queue a cohort=c cpu=4 within=LowerPriority\nqueue b cohort=c cpu=2 reclaim=Any\n"
	   "workload big queue=a cpu=3 prio=9 held=default\nworkload low queue=a cpu=1 "
	   "held=default\n"
	   "workload r queue=b cpu=1 held=default\nworkload x queue=a cpu=2 prio=5",
	   "evict low InClusterQueue; hold x; pend x WaitingForPreemptedWorkloads"}}},
	{"shares: the queue with the smaller share goes first",
	 PLM_COMPAT_STRICT,
	 1,
	 1,
	 {{"cohort c cpu=9\nqueue a cohort=c cpu=0\nqueue b cohort=c cpu=0\n"
	   "workload r queue=a cpu=3 held=default\nworkload x queue=a cpu=3 prio=9 at=1\n"
	   "workload y queue=b cpu=4 at=2",
	   "reserve y=default; pend x WaitingForQuota"}}},
	{"shares: weights divide them",
	 PLM_COMPAT_STRICT,
	 1,
	 1,
	 {{"cohort c cpu=9\nqueue a cohort=c weight=300 cpu=0\nqueue b cohort=c cpu=0\n"
	   "workload r queue=a cpu=3 held=default\nworkload x queue=a cpu=3 at=1\n"
	   "workload y queue=b cpu=4 at=2",
	   "reserve x=default; pend y WaitingForQuota"}}},
	{"shares: the larger share gives back",
	 PLM_COMPAT_STRICT,
	 1,
	 1,
	 {{"cohort c cpu=6\nqueue a cohort=c cpu=0 reclaim=Any\nqueue b cohort=c cpu=0\n"
	   "workload v1 queue=b cpu=2 held=default since=1\nworkload v2 queue=b cpu=2 held=default "
	   "since=2\n"
	   "workload v3 queue=b cpu=2 held=default since=3\nworkload x queue=a cpu=2",
	   "evict v3 InCohortFairSharing; pend x WaitingForPreemptedWorkloads"}}},
	{"shares: but not to become the smaller one",
	 PLM_COMPAT_STRICT,
	 1,
	 1,
	 {{"cohort c cpu=6\nqueue a cohort=c cpu=0 reclaim=Any\nqueue b cohort=c cpu=0\n"
	   "workload r queue=a cpu=3 held=default\nworkload v queue=b cpu=3 held=default\n"
	   "workload x queue=a cpu=1",
	   "pend x WaitingForQuota parked"}}},
};

static void story_row(const struct story *story)
{
	struct plm_w_config config = {.compat = story->compat, .fair_sharing = story->fair};
	struct world w;

	world_init(&w);
	world_config(&w, &config);
	for (size_t i = 0; i < PLM_COUNTOF(story->steps) && story->steps[i].lines != NULL; i++) {
		world_setup(&w, story->steps[i].lines);
		assert_string_equal(world_run(&w, story->rounds), story->steps[i].want);
		w.now_ms += 1000;
	}
	world_fini(&w);
}
PLM_TEST_ROWS(story_row, struct story)

static const struct why_row {
	const char *why;
	const char *setup;
	const char *workload;
	enum plm_rule rule;
	int64_t need, have;
	uint32_t position;
} why_rows[] = {
	{"short of quota, with numbers",
	 "queue a cpu=5\nworkload r queue=a cpu=4 held=default\nworkload x queue=a cpu=3", "x",
	 PLM_RULE_QUOTA, 3000, 1000, 1},
	{"more than there can ever be", "queue a cpu=5\nworkload x queue=a cpu=7", "x",
	 PLM_RULE_MAX_QUOTA, 7000, 5000, 1},
	{"a limit on borrowing",
	 "queue a cohort=c cpu=2/2\nqueue b cohort=c cpu=9\nworkload r queue=a cpu=3 held=default\n"
	 "workload x queue=a cpu=2",
	 "x", PLM_RULE_BORROWING_LIMIT, 2000, 1000, 1},
	{"it fits, but another one is first",
	 "queue a cpu=5\nworkload first queue=a cpu=1 at=1\nworkload x queue=a cpu=1 at=2", "x",
	 PLM_RULE_BEHIND, PLM_UNSET, PLM_UNSET, 2},
	{"a taint", "flavor spot taint=spot\nqueue a flavor:spot cpu=5\nworkload x queue=a cpu=1",
	 "x", PLM_RULE_FLAVOR_TAINT, PLM_UNSET, PLM_UNSET, 1},
	{"its queue is stopped", "queue a cpu=5 stop=Hold\nworkload x queue=a cpu=1", "x",
	 PLM_RULE_QUEUE_STOPPED, PLM_UNSET, PLM_UNSET, 1},
	{"its work queue is full",
	 "queue a cpu=9\nwork w queue=a max=1\nlocal l work=w\n"
	 "workload r queue=l cpu=1 held=default\nworkload x queue=l cpu=1",
	 "x", PLM_RULE_MAX_PARALLEL, PLM_UNSET, 1, 1},
	{"its queue is missing", "workload x queue=l cpu=1", "x", PLM_RULE_LOCAL_QUEUE_MISSING,
	 PLM_UNSET, PLM_UNSET, 0},
	{"nothing: it is next", "queue a cpu=5\nworkload x queue=a cpu=1", "x", PLM_RULE_FITS,
	 PLM_UNSET, PLM_UNSET, 1},
};

static void why_row(const struct why_row *row)
{
	struct plm_admission_position position;
	struct plm_w_explain why;
	struct world w;

	world_init(&w);
	world_setup(&w, row->setup);
	assert_true(plm_admission_explain(&w.st, world_workload(&w, row->workload), &w.step, &why,
					  &position));
	assert_string_equal(plm_names_text(&plm_names_rule, why.rule),
			    plm_names_text(&plm_names_rule, row->rule));
	assert_int_equal(why.need, row->need);
	assert_int_equal(why.have, row->have);
	assert_int_equal(position.position, row->position);
	world_fini(&w);
}
PLM_TEST_ROWS(why_row, struct why_row)

/* The whole order of kueue.md 2.3, as lists show it. */
static void test_turns(void **state)
{
	static const char *const want[] = {"urgent", "early", "late", "b", "c"};
	struct world w;
	struct plm_turn turns[PLM_COUNTOF(want)];

	(void)state;
	world_init(&w);
	world_setup(&w, "queue a cpu=1\nworkload c queue=a at=9\nworkload b queue=a at=9\n"
			"workload late queue=a at=8\nworkload early queue=a at=7\n"
			"workload urgent queue=a at=9 prio=5\nworkload gated queue=a gated");
	for (size_t i = 0; i < PLM_COUNTOF(want); i++) {
		turns[i] = plm_turn_of(&w.st, world_workload(&w, want[i]));
		assert_int_not_equal(turns[i].cluster.n, 0);
		assert_int_equal(plm_turn_order(&w.st, &turns[i], &turns[i]), 0);
		for (size_t j = 0; j < i; j++) {
			assert_true(plm_turn_order(&w.st, &turns[j], &turns[i]) < 0);
			assert_true(plm_turn_order(&w.st, &turns[i], &turns[j]) > 0);
		}
	}
	assert_int_equal(plm_turn_of(&w.st, world_workload(&w, "gated")).cluster.n, 0);
	world_fini(&w);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, story_row, stories);
	PLM_TEST_TABLE(&tests, why_row, why_rows);
	PLM_TEST_ADD(&tests, test_turns);
	return plm_tests_run(&tests, "admission stories");
}
