#include "plm_test.h"

#include "reducers/status/render.h"
#include "tools/spell.h"

static struct plm_arena arena; /* of all tests: opened in main() */

static struct plm_w_explain record(enum plm_rule rule)
{
	return (struct plm_w_explain){
		.rule = rule, .need = PLM_UNSET, .have = PLM_UNSET, .limit = PLM_UNSET};
}

static const struct message_case {
	const char *why;
	enum plm_rule rule;
	enum plm_reason reason;
	const char *object, *resource, *flavor, *detail;
	int64_t need, have, limit;
	const char *message;
	const char *unblock;
} message_table[] = {
	{"quota, in Kueue's words", PLM_RULE_QUOTA, PLM_REASON_WAITING_FOR_QUOTA, "ml", "cpu",
	 "default", "", 5000, 3000, PLM_UNSET,
	 "insufficient unused quota for cpu in flavor default, 2 more needed",
	 "2 cpu free in flavor default"},
	{"maximum quota, in Kueue's words", PLM_RULE_MAX_QUOTA, PLM_REASON_EXCEEDS_MAX_QUOTA, "",
	 "memory", "spot", "", 2LL << 30, PLM_UNSET, 1LL << 30,
	 "insufficient quota for memory in flavor spot, previously considered podsets requests + "
	 "current podset request (2Gi) > maximum capacity (1Gi)",
	 "a maximum of 2Gi memory in flavor spot; it is 1Gi"},
	{"parallel jobs, in the dialect's words", PLM_RULE_MAX_PARALLEL,
	 PLM_REASON_MAX_PARALLEL_JOBS, "ml-workqueue", "", "", "", PLM_UNSET, 10, 10,
	 "10 of 10 jobs of work queue ml-workqueue are running",
	 "one of them finished, or a maxParallelJobs above 10 in work queue ml-workqueue"},
	{"no type is large enough", PLM_RULE_RESOURCES, PLM_REASON_NO_CAPACITY, "gpu",
	 "nvidia.com/gpu", "", "g5.12xlarge", 8, 4, PLM_UNSET,
	 "no instance type of node pool gpu has enough nvidia.com/gpu: 8 in one pod, the largest "
	 "has 4 (g5.12xlarge)",
	 "an instance type with at least 8 nvidia.com/gpu"},
	{"a taint", PLM_RULE_POOL_TAINT, PLM_REASON_UNSCHEDULABLE, "gpu", "", "", "a=b:NoSchedule",
	 PLM_UNSET, PLM_UNSET, PLM_UNSET, "untolerated taint a=b:NoSchedule of node pool gpu",
	 "a toleration of a=b:NoSchedule"},
	{"what is missing is left out", PLM_RULE_QUOTA, PLM_REASON_WAITING_FOR_QUOTA, "", "cpu", "",
	 "", PLM_UNSET, PLM_UNSET, PLM_UNSET, "insufficient unused quota for cpu", ""},
	{"the pod set comes first", PLM_RULE_QUOTA, PLM_REASON_WAITING_FOR_QUOTA, "", "cpu", "f",
	 "main", 2000, 1000, PLM_UNSET,
	 "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor f, "
	 "1 more needed",
	 "1 cpu free in flavor f"},
	{"fits and reserved", PLM_RULE_FITS, PLM_REASON_QUOTA_RESERVED, "ml", "", "", "", PLM_UNSET,
	 PLM_UNSET, PLM_UNSET, "Quota reserved in ClusterQueue ml", ""},
	{"fits and admitted", PLM_RULE_FITS, PLM_REASON_ADMITTED, "", "", "", "", PLM_UNSET,
	 PLM_UNSET, PLM_UNSET, "The workload is admitted", ""},
	{"a timeout", PLM_RULE_TIMEOUT, PLM_REASON_LAUNCH_FAILED, "", "", "", "", PLM_UNSET,
	 PLM_UNSET, 300000, "it took longer than 5m0s", ""},
	{"an empty node", PLM_RULE_EMPTY_NODE, PLM_REASON_EMPTY, "n1", "emptyMs", "", "gpu", 600000,
	 660000, PLM_UNSET,
	 "node n1 was empty for 11m0s; node pool gpu keeps empty nodes for 10m0s", ""},
};

static void message_row(const struct message_case *row)
{
	struct plm_w_explain why = record(row->rule);

	why.reason = row->reason;
	why.object = plm_slice_str(row->object);
	why.resource = plm_slice_str(row->resource);
	why.flavor = plm_slice_str(row->flavor);
	why.detail = plm_slice_str(row->detail);
	why.need = row->need;
	why.have = row->have;
	why.limit = row->limit;
	plm_assert_text(plm_render_message(&arena, &why), row->message);
	plm_assert_text(plm_render_unblock(&arena, &why), row->unblock);
}
PLM_TEST_ROWS(message_row, struct message_case)

/* A rule without words would end a verb with a bug. */
static void every_rule_has_words(void **state)
{
	(void)state;
	for (uint32_t rule = 0; rule < plm_names_rule.count; rule++) {
		for (uint32_t reason = 0; reason < plm_names_reason.count; reason++) {
			struct plm_w_explain why = record((enum plm_rule)rule);

			why.reason = reason;
			(void)plm_render_message(&arena, &why);
			(void)plm_render_unblock(&arena, &why);
		}
		assert_non_null(plm_render_outcome((enum plm_rule)rule));
	}
}

static void a_long_operand_is_cut_not_overrun(void **state)
{
	struct plm_w_explain why = record(PLM_RULE_NONE);
	static char long_text[4000];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	why.detail = plm_slice_str(long_text);
	assert_int_equal(plm_render_message(&arena, &why).size, 1024);
}

static const struct key_case {
	const char *why;
	const char *member, *key;
} key_table[] = {
	{"words are joined", "cluster_queue", "clusterQueue"},
	{"an instant", "created_ms", "createdAt"},
	{"an instant that says at", "requeue_at_ms", "requeueAt"},
	{"an instant that reads well", "deadline_ms", "deadline"},
	{"a duration", "consolidate_after_ms", "consolidateAfter"},
	{"a price", "price_micro", "priceMicroUSDPerHour"},
	{"one word", "name", "name"},
};

static void key_row(const struct key_case *row)
{
	plm_assert_text(plm_spell_key(&arena, row->member), row->key);
}
PLM_TEST_ROWS(key_row, struct key_case)

static const struct age_case {
	const char *why;
	int64_t ms;
	const char *age;
} age_table[] = {
	{"now", 0, "0s"},
	{"the clock went back", -5000, "0s"},
	{"seconds", 119999, "119s"},
	{"minutes and seconds", 264000, "4m24s"},
	{"minutes", 600000, "10m"},
	{"hours and minutes", 4 * 3600000 + 60000, "4h1m"},
	{"hours", 30 * 3600000LL, "30h"},
	{"days", 3 * 86400000LL, "3d"},
	{"days and hours", 3 * 86400000LL + 3600000, "3d1h"},
};

static void age_row(const struct age_case *row)
{
	plm_assert_text(plm_spell_age(&arena, row->ms), row->age);
}
PLM_TEST_ROWS(age_row, struct age_case)

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	if (plm_arena_init(&arena, 1 << 26, NULL) != PLM_OK) {
		return 255;
	}
	PLM_TEST_TABLE(&tests, message_row, message_table);
	PLM_TEST_ADD(&tests, every_rule_has_words);
	PLM_TEST_ADD(&tests, a_long_operand_is_cut_not_overrun);
	PLM_TEST_TABLE(&tests, key_row, key_table);
	PLM_TEST_TABLE(&tests, age_row, age_table);
	failed = plm_tests_run(&tests, "render");
	plm_arena_fini(&arena);
	return failed;
}
