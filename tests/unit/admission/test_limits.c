/* LimitRanges and RuntimeClasses: what is counted, what is refused, what wakes: kueue.md 2.1, 2.5 (3). */
#include "reducers/admission/explain.h"
#include "world.h"

/* Lines, a cycle, its decisions, and what `why` says of the field that is wrong. */
struct step {
	const char *lines;
	const char *want;
	const char *why; /* of workload "x"; NULL = not asked */
};

struct story {
	const char *why;
	int64_t compat;
	struct step steps[3];
};

#define WHY_CONTAINER "spec.podSets[0].template.spec.containers[0]"

static const struct story stories[] = {
	{"an overhead is counted on each pod",
	 PLM_COMPAT_STRICT,
	 {{"class kata cpu=1\nqueue a cpu=5\nworkload x queue=a cpu=2 count=2 class=kata",
	   "pend x ExceedsMaxQuota parked", NULL}}},
	{"a class that comes later counts them anew",
	 PLM_COMPAT_STRICT,
	 {{"queue a cpu=5\nworkload held queue=a cpu=5 held=default\n"
	   "workload x queue=a cpu=2 count=2 class=kata",
	   "pend x WaitingForQuota parked", NULL},
	  {"class kata cpu=1", "pend x ExceedsMaxQuota parked", NULL},
	  {"gone RuntimeClass kata\nfinish held", "reserve x=default*2", NULL}}},
	{"a class without overhead changes nothing",
	 PLM_COMPAT_STRICT,
	 {{"class runc\nqueue a cpu=4\nworkload x queue=a cpu=2 count=2 class=runc",
	   "reserve x=default*2", NULL}}},
	{"a default request stands in",
	 PLM_COMPAT_STRICT,
	 {{"range r container:request:cpu=3\nqueue a cpu=2\nworkload x queue=a mem=0",
	   "pend x ExceedsMaxQuota parked", NULL}}},
	{"a default limit is the request where none is named",
	 PLM_COMPAT_STRICT,
	 {{"range r container:default:cpu=3\nqueue a cpu=2\nworkload x queue=a mem=0",
	   "pend x ExceedsMaxQuota parked", NULL}}},
	{"what is written is not defaulted",
	 PLM_COMPAT_STRICT,
	 {{"range r container:request:cpu=3\nqueue a cpu=2\nworkload x queue=a cpu=2",
	   "reserve x=default", NULL}}},
	{"of two defaults the first by name counts",
	 PLM_COMPAT_STRICT,
	 {{"range b container:request:cpu=9\nrange a container:request:cpu=1\nqueue a cpu=2\n"
	   "workload x queue=a mem=0",
	   "reserve x=default", NULL}}},
	{"init containers have defaults too",
	 PLM_COMPAT_STRICT,
	 {{"range r container:request:cpu=3\nqueue a cpu=2 mem=9\n"
	   "workload x queue=a cpu=1 init:mem=1",
	   "pend x ExceedsMaxQuota parked", NULL}}},
	{"a request above its limit",
	 PLM_COMPAT_STRICT,
	 {{"queue a cpu=9\nworkload x queue=a cpu=2 limit:cpu=1", "pend x Misconfigured parked",
	   WHY_CONTAINER}}},
	{"a request above the limit that it is given",
	 PLM_COMPAT_STRICT,
	 {{"range r container:default:cpu=1\nqueue a cpu=9\nworkload x queue=a cpu=2",
	   "pend x Misconfigured parked", WHY_CONTAINER}}},
	{"above the maximum of a container",
	 PLM_COMPAT_STRICT,
	 {{"range r container:max:cpu=1\nqueue a cpu=9\nworkload x queue=a cpu=2",
	   "pend x Misconfigured parked", WHY_CONTAINER}}},
	{"a limit is held against the maximum too",
	 PLM_COMPAT_STRICT,
	 {{"range r container:max:cpu=3\nqueue a cpu=9\nworkload x queue=a cpu=2 limit:cpu=4",
	   "pend x Misconfigured parked", WHY_CONTAINER}}},
	{"exactly the maximum",
	 PLM_COMPAT_STRICT,
	 {{"range r container:max:cpu=2\nqueue a cpu=9\nworkload x queue=a cpu=2",
	   "reserve x=default", NULL}}},
	{"of two maxima the lower one counts",
	 PLM_COMPAT_STRICT,
	 {{"range a container:max:cpu=3\nrange b container:max:cpu=1\nqueue a cpu=9\n"
	   "workload x queue=a cpu=2",
	   "pend x Misconfigured parked", WHY_CONTAINER}}},
	{"below the minimum of a container",
	 PLM_COMPAT_STRICT,
	 {{"range r container:min:cpu=3\nqueue a cpu=9\nworkload x queue=a cpu=2",
	   "pend x Misconfigured parked", WHY_CONTAINER}}},
	{"a minimum of what is not asked for does not matter",
	 PLM_COMPAT_STRICT,
	 {{"range r container:min:mem=3\nqueue a cpu=9\nworkload x queue=a cpu=2",
	   "reserve x=default", NULL}}},
	{"the maximum of a pod is held against the sum",
	 PLM_COMPAT_STRICT,
	 {{"class kata cpu=2\nrange r pod:max:cpu=3\nqueue a cpu=9\n"
	   "workload x queue=a cpu=2 class=kata",
	   "pend x Misconfigured parked", "spec.podSets[0].template.spec"}}},
	{"an init container is named as one",
	 PLM_COMPAT_STRICT,
	 {{"range r container:max:cpu=3\nqueue a cpu=9\nworkload x queue=a cpu=2 init:cpu=4",
	   "pend x Misconfigured parked", "spec.podSets[0].template.spec.initContainers[0]"}}},
	{"a range that is raised wakes it",
	 PLM_COMPAT_BETTER,
	 {{"range r container:max:cpu=1\nqueue a cpu=9\nworkload x queue=a cpu=2",
	   "pend x Misconfigured parked", NULL},
	  {"range r container:max:cpu=2", "reserve x=default", NULL}}},
	{"a range that goes wakes it",
	 PLM_COMPAT_BETTER,
	 {{"range r container:max:cpu=1\nqueue a cpu=9\nworkload x queue=a cpu=2",
	   "pend x Misconfigured parked", NULL},
	  {"gone LimitRange r", "reserve x=default", NULL}}},
	{"a range that comes later is heeded",
	 PLM_COMPAT_BETTER,
	 {{"queue a cpu=2\nworkload held queue=a cpu=2 held=default\nworkload x queue=a cpu=2",
	   "pend x WaitingForQuota parked", NULL},
	  {"range r container:max:cpu=1\nfinish held", "pend x Misconfigured parked",
	   WHY_CONTAINER}}},
	{"one that runs is not counted anew, but when it is back",
	 PLM_COMPAT_BETTER,
	 {{"class kata cpu=0\nqueue a cpu=4\nworkload x queue=a cpu=4 held=default evicted "
	   "class=kata",
	   "", NULL},
	  {"class kata cpu=1\nworkload y queue=a cpu=1 at=5", "pend y WaitingForQuota parked",
	   NULL},
	  {"release x", "pend x ExceedsMaxQuota parked; reserve y=default", NULL}}},
};

static void check_why(struct world *w, const char *want)
{
	struct plm_w_explain why = {0};

	assert_true(plm_admission_explain(&w->st, world_workload(w, "x"), &w->step, &why, NULL));
	assert_int_equal(why.reason, PLM_REASON_MISCONFIGURED);
	plm_test_slice(why.detail, want, __FILE__, __LINE__);
	assert_true(why.rule == PLM_RULE_LIMIT_RANGE_MIN ? why.need < why.limit
							 : why.need > why.limit);
	if (why.rule != PLM_RULE_LIMITS) {
		assert_true(why.object.size == 1);
	}
}

static void story_row(const struct story *s)
{
	struct world w;
	struct plm_w_config config = {.compat = s->compat};

	world_init(&w);
	world_config(&w, &config);
	for (size_t i = 0; i < PLM_COUNTOF(s->steps) && s->steps[i].lines != NULL; i++) {
		world_setup(&w, s->steps[i].lines);
		assert_string_equal(world_run(&w, 0), s->steps[i].want);
		if (s->steps[i].why != NULL) {
			check_why(&w, s->steps[i].why);
		}
	}
	plm_state_check(&w.st);
	world_fini(&w);
}
PLM_TEST_ROWS(story_row, struct story)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, story_row, stories);
	return plm_tests_run(&tests, "admission limits");
}
