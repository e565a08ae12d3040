/* LimitRanges and RuntimeClasses: what is counted, what is refused, what wakes: kueue.md 2.1, 2.5 (3). */
#include "core/exact.h"
#include "reducers/admission/explain.h"
#include "reducers/admission/request.h"
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

/* ---- transformations --------------------------------------------------------------------------- */

/* A rule on cpu: what comes of it is counted as mem, the factor in 10^-9. */
struct rule_row {
	const char *why;
	const char *lines;
	int64_t factor_nano;
	int64_t keep;
	bool times_mem;
	int64_t want_mem; /* of one pod; -1 = it asks for none */
	int64_t want_cpu; /* in milli */
};

static const struct rule_row rules[] = {
	{"half a unit is one", "workload x queue=a cpu=1", 500000000, 0, false, 1, -1},
	{"half of three is two", "workload x queue=a cpu=3", 500000000, 0, false, 2, -1},
	{"half of four is two", "workload x queue=a cpu=4", 500000000, 0, false, 2, -1},
	{"a third of a unit, three times", "workload x queue=a cpu=3", 333333333, 0, false, 1, -1},
	{"the input is kept", "workload x queue=a cpu=4", 500000000, 1, false, 2, 4000},
	{"what is asked for is added", "workload x queue=a cpu=4 mem=3", 500000000, 0, false, 5,
	 -1},
	{"times another request", "workload x queue=a cpu=2 mem=3", 500000000, 1, true, 6, 2000},
	{"times what is not there is times one", "workload x queue=a cpu=2", 500000000, 0, true, 1,
	 -1},
	{"below 0 takes nothing away", "workload x queue=a cpu=2 mem=3", -1000000000, 0, false, 3,
	 -1},
};

static int64_t of(const struct world *w, const struct plm_set_request *set, const char *name)
{
	for (uint32_t i = 0; i < set->list_count; i++) {
		if (plm_sym_is(&w->st, set->list[i].resource, name)) {
			return set->list[i].each;
		}
	}
	return -1;
}

static void rule_test(const struct rule_row *row)
{
	struct plm_w_exact output = {.resource = plm_slice_str("mem")};
	struct plm_w_transformation rule = {
		.input = plm_slice_str("cpu"), .keep = row->keep, .outputs = {&output, 1}};
	struct plm_w_config config = {.transformations = {&rule, 1}};
	struct plm_requests requests;
	struct world w;
	plm_id id = {0};

	if (row->times_mem) {
		rule.multiply_by = plm_slice_str("mem");
	}
	plm_exact_split(row->factor_nano, PLM_SCALE_WHOLE, &output.amount, &output.excess_nano);
	world_init(&w);
	world_config(&w, &config);
	world_setup(&w, "queue a cpu=9 mem=9");
	world_setup(&w, row->lines);
	id = world_workload(&w, "x");
	requests = plm_requests_of(
		&w.st, &w.step, plm_workload_at(&w.st, id),
		plm_cluster_queue_at(&w.st, plm_find_text(&w.st, PLM_KIND_CLUSTER_QUEUE, "", "a")));
	assert_int_equal(requests.count, 1);
	assert_int_equal(of(&w, &requests.sets[0], "mem"), row->want_mem);
	assert_int_equal(of(&w, &requests.sets[0], "cpu"), row->want_cpu);
	world_fini(&w);
}
PLM_TEST_ROWS(rule_test, struct rule_row)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, story_row, stories);
	PLM_TEST_TABLE(&tests, rule_test, rules);
	return plm_tests_run(&tests, "admission limits");
}
