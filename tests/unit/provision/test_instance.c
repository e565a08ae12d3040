/* Instances of a real cloud: how late they are seen, what they are tagged with, launches nobody knows of. */
#include "yard.h"

#define s(text) plm_slice_str(text)
#define MINUTE 60000LL

static void listed(struct yard *y, enum plm_kind kind)
{
	struct plm_w_listed list = {.kind = kind, .revision = s("7")};

	yard_fold(y, PLM_EV_LISTED, &list);
}

/* One claim for one pod, with a cloud that tells of classes. */
static const char *one_claim(struct yard *y)
{
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_class_status status = {
		.kind = PLM_KIND_NODE_TEMPLATE, .name = s("class"), .uid = s("class")};

	y->config.class_status = 1;
	y->config.cluster_name = s("yard");
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	yard_fold(y, PLM_EV_CLASS_STATUS, &status);
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	return (const char *)plm_str(&y->st, yard_only_claim(y)->object.name).ptr;
}

static struct plm_w_instance instance_of(struct yard *y, const char *claim)
{
	return (struct plm_w_instance){.provider_id = plm_arena_format(&y->texts, "i-%s", claim),
				       .state = s("running"),
				       .instance_type = s("small"),
				       .zone = s("a"),
				       .capacity_type = s("on-demand"),
				       .launched_ms = YARD_START_MS,
				       .claim = s(claim),
				       .ours = 1};
}

static const struct lag_case {
	const char *why;
	int64_t seen_ms, orphan_ms; /* after the launch */
} lag_table[] = {
	{"seen at once: the least age", 1000, 30000},
	{"seen late: twice as long", 40000, 80000},
	{"seen very late: a lag is believed up to a bound", 10 * MINUTE, 240000},
};

static void lag_row(const struct lag_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	const char *claim = NULL;
	struct plm_w_instance seen;
	struct plm_w_instance other = {
		.provider_id = s("i-other"), .state = s("running"), .ours = 1};

	assert_int_equal(yard_open(&state), 0);
	y = state;
	listed(y, PLM_KIND_NODE_CLAIM);
	listed(y, PLM_KIND_NONE);
	claim = one_claim(y);
	yard_launched(y, claim, "small");
	seen = instance_of(y, claim);
	seen.launched_ms = YARD_START_MS - row->seen_ms;
	yard_fold(y, PLM_EV_INSTANCE, &seen);
	yard_fold(y, PLM_EV_INSTANCE, &seen); /* told again: nothing is learnt */
	other.launched_ms = YARD_START_MS;
	yard_fold(y, PLM_EV_INSTANCE, &other);
	yard_at(y, row->orphan_ms - 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_ORPHAN), 0);
	yard_at(y, row->orphan_ms);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_ORPHAN), 1);
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(lag_row, struct lag_case)

static void a_node_gives_its_instance_a_name_once(void **state)
{
	struct yard *y = *state;
	const char *claim = one_claim(y);
	const struct plm_w_req_instance_tag *tag = NULL;
	const struct plm_w_kv *tags = NULL;

	yard_launched(y, claim, "small");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_INSTANCE_TAG), 0); /* it has no node yet */
	yard_joined(y, claim, "node-1");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_INSTANCE_TAG), 1);
	tag = yard_request(y, PLM_CALL_INSTANCE_TAG, 0);
	assert_int_equal(tag->tags.count, 3);
	tags = tag->tags.ptr;
	plm_assert_text(tags[0].key, "Name");
	plm_assert_text(tags[0].value, "node-1");
	plm_assert_text(tags[1].key, "eks:eks-cluster-name");
	plm_assert_text(tags[1].value, "yard");
	plm_assert_text(tags[2].key, "karpenter.sh/nodeclaim");
	plm_assert_text(tags[2].value, claim);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_INSTANCE_TAG), 0);
}

/* Whatever becomes of it: the answer alone ends what is open. */
static void an_unknown_launch_is_not_repeated(void **state)
{
	struct yard *y = *state;
	const char *claim = one_claim(y);
	uint64_t intent = yard_claim_at(y, claim)->intent;
	struct plm_w_result result = {
		.intent = (int64_t)intent, .class = PLM_RESULT_UNKNOWN, .price_micro = PLM_UNSET};

	assert_int_not_equal(intent, 0);
	yard_fold(y, PLM_EV_RESULT, &result);
	for (int64_t minute = 1; minute < 5; minute++) {
		yard_at(y, minute * MINUTE);
		yard_run(y, plm_claims_step);
		assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 0);
	}
	/* Given up, it stays until it is known what it has, and then that goes. */
	yard_at(y, 6 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 1);
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_ENDING);
	assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 0);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0);
	yard_launched(y, claim, "small");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
}

#define WITH_YARD(function) cmocka_unit_test_setup_teardown(function, yard_open, yard_close)

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(a_node_gives_its_instance_a_name_once),
		WITH_YARD(an_unknown_launch_is_not_repeated),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	PLM_TEST_TABLE(&tests, lag_row, lag_table);
	return plm_tests_run(&tests, "instance");
}
