/* The capacity check: all pods of a workload, or none. DESIGN.md 6, exact.md 8. */
#include "yard.h"

static void pool_of(struct yard *y, int64_t max_size)
{
	struct plm_w_node_pool pool = yard_pool("pool");

	pool.max_size = max_size;
	yard_add_pool(y, &pool);
}

static uint32_t places(const struct yard *y, const char *gang)
{
	uint32_t count = 0;

	(void)PLM_SPAN(&y->st, yard_gang_at(y, gang)->places, struct plm_place, &count);
	return count;
}

static const char *claim_name(struct yard *y, uint32_t n)
{
	const struct plm_w_claim *claim = yard_event(y, PLM_EV_CLAIM, n);

	return (const char *)plm_arena_format(&y->texts, "%.*s", (int)claim->name.size,
					      (const char *)claim->name.ptr)
		.ptr;
}

static void a_gang_is_let_in_when_all_places_are_ready(void **state)
{
	struct yard *y = *state;
	const char *first = NULL;
	const char *second = NULL;
	const struct plm_w_admit *admit = NULL;

	pool_of(y, PLM_UNSET);
	yard_reserve_gang(y, "train", 2, 1000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 2);
	assert_int_equal(yard_count(y, PLM_EV_PLACES), 1);
	assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 2);
	assert_int_equal(yard_count(y, PLM_EV_ADMIT), 0);
	assert_int_equal(places(y, "train"), 2);
	first = claim_name(y, 0);
	second = claim_name(y, 1);
	yard_launched(y, first, "gpu");
	yard_joined(y, first, "n1");
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0); /* half of it is not enough */
	yard_launched(y, second, "gpu");
	yard_joined(y, second, "n2");
	yard_run(y, plm_provision_step);
	admit = yard_event(y, PLM_EV_ADMIT, 0);
	plm_assert_text(admit->name, "train");
	assert_int_equal(yard_gang_at(y, "train")->stage, PLM_STAGE_ADMITTED);
}

static void what_is_free_is_used_at_once(void **state)
{
	struct yard *y = *state;
	const char *claim = NULL;

	pool_of(y, 1);
	yard_add_pod(y, "p0", 1000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	claim = claim_name(y, 0);
	yard_launched(y, claim, "gpu");
	yard_joined(y, claim, "n1");
	yard_bind(y, "p0", 1000, "n1");
	yard_reserve_gang(y, "train", 3, 1000, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	assert_int_equal(places(y, "train"), 1);
	assert_int_equal(yard_count(y, PLM_EV_ADMIT), 1);
}

static void a_gang_that_does_not_fit_gives_its_quota_back(void **state)
{
	struct yard *y = *state;
	const struct plm_w_release *release = NULL;

	pool_of(y, 1);
	yard_reserve_gang(y, "train", 2, 1000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	release = yard_event(y, PLM_EV_RELEASE, 0);
	assert_int_equal(release->reason, PLM_REASON_NO_CAPACITY);
	assert_int_equal(release->why.rule, PLM_RULE_POOL_SIZE);
	assert_int_equal(release->why.limit, 1); /* one of two pods had a place */
	plm_assert_text(release->why.flavor, "default");
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	assert_int_equal(yard_count(y, PLM_EV_PLACES), 0);
	assert_int_equal(yard_gang_at(y, "train")->stage, PLM_STAGE_PENDING);
}

static void reserved_room_is_nobody_elses(void **state)
{
	struct yard *y = *state;
	const char *claim = NULL;

	pool_of(y, 1);
	yard_reserve_gang(y, "train", 1, 7000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	claim = claim_name(y, 0);
	yard_launched(y, claim, "gpu");
	yard_joined(y, claim, "n1");
	yard_add_pod(y, "foreign", 3000, 0);
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_ADMIT), 1);
	assert_int_equal(yard_count(y, PLM_EV_NOMINATE), 0);
	assert_int_equal(yard_count(y, PLM_EV_EXPLAINED), 1);
	/* Nor is the node empty, however long the pods take to come. */
	yard_at(y, 5000000);
	yard_run(y, plm_disruption_step);
	assert_int_equal(y->out.count, 0);
}

static void pods_of_the_gang_use_its_places_up(void **state)
{
	struct yard *y = *state;
	struct plm_w_pod pod = yard_pod(y, "train-0", 7000, 4);
	const struct plm_w_nominate *w = NULL;
	const char *claim = NULL;

	pool_of(y, 1);
	yard_reserve_gang(y, "train", 1, 7000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	claim = claim_name(y, 0);
	yard_launched(y, claim, "gpu");
	yard_joined(y, claim, "n1");
	yard_run(y, plm_provision_step);
	pod.meta.owner_kind = plm_slice_str("PodSet");
	pod.meta.owner_name = plm_slice_str("train");
	pod.meta.owner_uid = plm_slice_str("train");
	yard_fold(y, PLM_EV_POD, &pod);
	yard_run(y, plm_provision_step);
	w = yard_event(y, PLM_EV_NOMINATE, 0);
	plm_assert_text(w->target, claim);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0);
}

static void a_node_that_fails_leads_to_a_new_plan(void **state)
{
	struct yard *y = *state;
	struct plm_w_claim_end end = {.reason = PLM_REASON_LAUNCH_FAILED};
	const char *claim = NULL;

	pool_of(y, PLM_UNSET);
	yard_reserve_gang(y, "train", 1, 1000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	claim = claim_name(y, 0);
	end.name = plm_slice_str(claim);
	yard_fold(y, PLM_EV_CLAIM_END, &end);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	assert_int_equal(yard_count(y, PLM_EV_PLACES), 1);
	assert_string_not_equal(claim_name(y, 0), claim);
}

static void a_foreign_pod_leads_to_a_new_plan(void **state)
{
	struct yard *y = *state;
	const char *claim = NULL;

	pool_of(y, PLM_UNSET);
	yard_reserve_gang(y, "train", 1, 7000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	claim = claim_name(y, 0);
	yard_launched(y, claim, "gpu");
	yard_joined(y, claim, "n1");
	yard_bind(y, "foreign", 3000, "n1");
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_ADMIT), 0);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	assert_int_equal(yard_count(y, PLM_EV_PLACES), 1);
	claim = claim_name(y, 0);
	yard_launched(y, claim, "gpu");
	yard_joined(y, claim, "n2");
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_ADMIT), 1);
}

/* Flavors say on which nodes the gang's quota may be used: their labels and tolerations are the pods'. */
static void flavors_have_a_part_in_the_plan(void **state)
{
	struct yard *y = *state;
	struct plm_w_kv team = {plm_slice_str("team"), plm_slice_str("ml")};
	struct plm_w_taint taint = {.key = plm_slice_str("ml"), .effect = PLM_EFFECT_NO_SCHEDULE};
	struct plm_w_toleration toleration = {
		.key = plm_slice_str("ml"), .op = PLM_TOLERATION_EXISTS, .seconds = PLM_UNSET};
	struct plm_w_flavor flavor = {.meta = yard_meta("", "default"),
				      .node_labels = {&team, 1},
				      .tolerations = {&toleration, 1}};
	struct plm_w_node_pool plain = yard_pool("aaa");
	struct plm_w_node_pool tainted = yard_pool("ml");
	const struct plm_w_claim *claim = NULL;

	tainted.labels = (struct plm_vec){&team, 1};
	tainted.taints = (struct plm_vec){&taint, 1};
	plain.weight = 100;
	yard_add_pool(y, &plain);
	yard_add_pool(y, &tainted);
	yard_fold(y, PLM_EV_FLAVOR, &flavor);
	yard_reserve_gang(y, "train", 1, 1000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	claim = yard_event(y, PLM_EV_CLAIM, 0);
	plm_assert_text(claim->pool, "ml");
}

static void what_never_gets_ready_is_given_up(void **state)
{
	struct yard *y = *state;
	const struct plm_w_release *release = NULL;

	pool_of(y, PLM_UNSET);
	yard_reserve_gang(y, "train", 1, 1000, 4);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + 600000);
	yard_at(y, 599999);
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0);
	yard_at(y, 600000);
	yard_run(y, plm_provision_step);
	release = yard_event(y, PLM_EV_RELEASE, 0);
	assert_int_equal(release->why.rule, PLM_RULE_TIMEOUT);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 1);
	assert_int_equal(places(y, "train"), 0);
}

#define WITH_YARD(function) {#function, function, yard_open, yard_close, NULL}

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(a_gang_is_let_in_when_all_places_are_ready),
		WITH_YARD(what_is_free_is_used_at_once),
		WITH_YARD(a_gang_that_does_not_fit_gives_its_quota_back),
		WITH_YARD(reserved_room_is_nobody_elses),
		WITH_YARD(pods_of_the_gang_use_its_places_up),
		WITH_YARD(a_node_that_fails_leads_to_a_new_plan),
		WITH_YARD(a_foreign_pod_leads_to_a_new_plan),
		WITH_YARD(flavors_have_a_part_in_the_plan),
		WITH_YARD(what_never_gets_ready_is_given_up),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	return plm_tests_run(&tests, "gang");
}
