/* Plain pods, and the life of the claims that are bought for them. */
#include "yard.h"

static const char *text(struct yard *y, plm_sym sym)
{
	struct plm_slice slice = plm_str(&y->st, sym);

	return (const char *)plm_arena_format(&y->texts, "%.*s", (int)slice.size,
					      (const char *)slice.ptr)
		.ptr;
}

static const char *only_claim(struct yard *y)
{
	return text(y, yard_only_claim(y)->object.name);
}

static void plain_pool(struct yard *y)
{
	struct plm_w_node_pool pool = yard_pool("pool");

	yard_add_pool(y, &pool);
}

/* A pool and pods of one cpu each, planned. */
static void plan(struct yard *y, uint32_t pods)
{
	static const char *const names[] = {"p0", "p1", "p2", "p3", "p4", "p5"};

	plain_pool(y);
	for (uint32_t i = 0; i < pods; i++) {
		yard_add_pod(y, names[i], 1000, 0);
	}
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
}

static void pods_share_the_cheapest_node(void **state)
{
	struct yard *y = *state;
	const struct plm_w_claim *claim = NULL;
	const struct plm_w_req_launch *launch = NULL;
	const struct plm_w_offer *offers = NULL;

	plan(y, 2);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	claim = yard_event(y, PLM_EV_CLAIM, 0);
	assert_int_equal(claim->price_micro, 100);
	plm_assert_text(((const struct plm_slice *)claim->types.ptr)[0], "small");
	launch = yard_request(y, PLM_CALL_LAUNCH, 0);
	offers = launch->offers.ptr;
	plm_assert_text(offers[0].instance_type, "small");
	plm_assert_text(offers[0].zone, "a");
	plm_assert_text(offers[1].zone, "b");
	assert_true(plm_slice_equal(launch->claim, claim->name));
	assert_true(plm_slice_equal(plm_str(&y->st, yard_pod_at(y, "p1")->target), claim->name));
	assert_int_equal(yard_pod_at(y, "p1")->target_claim, 1);
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_WANTED);
}

static void what_is_expected_is_not_bought_twice(void **state)
{
	struct yard *y = *state;

	plan(y, 2);
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0);
	yard_add_pod(y, "late", 500, 0);
	yard_at(y, 2000);
	yard_run(y, plm_provision_step);
	/* The claim's types all have room for the two pods only. */
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
}

/* The scheduler binds as it likes: who is crowded out gets another place. */
static void a_pod_that_is_crowded_out_is_planned_anew(void **state)
{
	struct yard *y = *state;
	const char *name = NULL;
	plm_sym before = {0};

	plan(y, 1);
	name = only_claim(y);
	before = yard_pod_at(y, "p0")->target;
	yard_launched(y, name, "small");
	yard_joined(y, name, "n1");
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0);
	yard_bind(y, "foreign", 7500, "n1");
	yard_at(y, 2000);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	assert_int_not_equal(yard_pod_at(y, "p0")->target.n, before.n);
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0);
}

static void names_of_claims_differ(void **state)
{
	struct yard *y = *state;
	const struct plm_w_claim *a = NULL;
	const struct plm_w_claim *b = NULL;

	plain_pool(y);
	yard_add_pod(y, "p0", 7000, 0);
	yard_add_pod(y, "p1", 7000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	a = yard_event(y, PLM_EV_CLAIM, 0);
	b = yard_event(y, PLM_EV_CLAIM, 1);
	assert_false(plm_slice_equal(a->name, b->name));
	assert_int_equal(a->name.size, strlen("pool-12345"));
}

static void what_is_too_large_is_explained_once(void **state)
{
	struct yard *y = *state;
	const struct plm_w_explained *w = NULL;

	plain_pool(y);
	yard_add_pod(y, "p0", 1000, 8);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	w = yard_event(y, PLM_EV_EXPLAINED, 0);
	assert_int_equal(w->why.rule, PLM_RULE_RESOURCES);
	assert_int_equal(w->why.reason, PLM_REASON_UNSCHEDULABLE);
	plm_assert_text(w->why.object, "pool");
	plm_assert_text(w->why.resource, "nvidia.com/gpu");
	plm_assert_text(w->why.detail, "gpu");
	assert_int_equal(w->why.need, 8);
	assert_int_equal(w->why.have, 4);
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0);
}

/* Everything that stands in the way is named, not only the first thing: dialect, last section. */
static void all_that_blocks_is_named(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_taint taint = {.key = plm_slice_str("reserved"),
				    .effect = PLM_EFFECT_NO_SCHEDULE};
	const struct plm_w_explained *w = NULL;
	const struct plm_w_candidate *rows = NULL;

	pool.taints = (struct plm_vec){&taint, 1};
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 8);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	w = yard_event(y, PLM_EV_EXPLAINED, 0);
	rows = w->why.considered.ptr;
	assert_int_equal(w->why.considered.count, 2);
	assert_int_equal(rows[0].rule, PLM_RULE_RESOURCES);
	assert_int_equal(rows[1].rule, PLM_RULE_POOL_TAINT);
	plm_assert_text(rows[1].detail, "reserved:NoSchedule");
}

static void a_window_gathers_pods(void **state)
{
	struct yard *y = *state;

	y->config.batch_idle_ms = 1000;
	y->config.batch_max_ms = 2500;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	plain_pool(y);
	yard_add_pod(y, "p0", 500, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0);
	assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + 1000);
	yard_at(y, 900);
	yard_add_pod(y, "p1", 500, 0);
	assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + 1900);
	yard_at(y, 1800);
	yard_add_pod(y, "p2", 500, 0);
	/* The window is open for 2.5 s at most. */
	assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + 2500);
	yard_at(y, 2500);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	assert_int_equal(plm_provision_next_due(&y->st), PLM_UNSET);
}

static void a_claim_comes_to_life(void **state)
{
	struct yard *y = *state;
	const char *name = NULL;

	plan(y, 1);
	name = only_claim(y);
	assert_int_not_equal(yard_only_claim(y)->intent, 0);
	yard_launched(y, name, "small");
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_LAUNCHED);
	assert_int_equal(yard_only_claim(y)->price_micro, 100);
	yard_joined(y, name, "n1");
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_READY);
	assert_string_equal(text(y, yard_only_claim(y)->node), "n1");
	yard_bind(y, "p0", 1000, "n1");
	assert_int_equal(yard_pod_at(y, "p0")->target.n, 0);
}

static void a_refusal_leads_to_the_next_offer(void **state)
{
	struct yard *y = *state;
	const struct plm_w_req_launch *launch = NULL;
	const char *name = NULL;

	plan(y, 1);
	name = only_claim(y);
	yard_refused(y, name, "small", "a");
	assert_int_equal(plm_stock_out_live(&y->st), 1);
	yard_run(y, plm_claims_step);
	launch = yard_request(y, PLM_CALL_LAUNCH, 0);
	plm_assert_text(((const struct plm_w_offer *)launch->offers.ptr)[0].zone, "b");
	/* Three minutes later it is worth a try again, and three more later it is forgotten. */
	assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + 180000);
	yard_at(y, 180000);
	assert_int_equal(plm_provision_next_due(&y->st), PLM_UNSET);
	yard_at(y, 360000);
	assert_int_equal(plm_stock_out_live(&y->st), 0);
}

static void when_all_is_refused_pods_are_planned_anew(void **state)
{
	struct yard *y = *state;
	static const char *const types[] = {"small", "large", "gpu"};
	const struct plm_w_claim_end *end = NULL;
	const char *name = NULL;

	plan(y, 1);
	name = only_claim(y);
	for (uint32_t i = 0; i < 3; i++) {
		yard_refused(y, name, types[i], "a");
		yard_run(y, plm_claims_step);
		yard_refused(y, name, types[i], "b");
		yard_run(y, plm_claims_step);
	}
	end = yard_event(y, PLM_EV_CLAIM_END, 0);
	assert_int_equal(end->reason, PLM_REASON_INSUFFICIENT_CAPACITY);
	assert_int_equal(plm_node_claim_live(&y->st), 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	assert_int_equal(
		((const struct plm_w_explained *)yard_event(y, PLM_EV_EXPLAINED, 0))->why.rule,
		PLM_RULE_STOCK_OUT);
	yard_at(y, 180000);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
}

static void a_node_that_never_joins_is_given_up(void **state)
{
	struct yard *y = *state;
	struct plm_w_instance gone = {.state = plm_slice_str("terminated")};
	struct plm_w_result done = {.class = PLM_RESULT_DONE, .price_micro = PLM_UNSET};
	const char *name = NULL;

	plan(y, 1);
	name = only_claim(y);
	yard_launched(y, name, "small");
	assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + 900000);
	yard_at(y, 900000);
	yard_run(y, plm_claims_step);
	assert_int_equal(
		((const struct plm_w_claim_end *)yard_event(y, PLM_EV_CLAIM_END, 0))->reason,
		PLM_REASON_REGISTRATION_TIMEOUT);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0);
	done.intent = (int64_t)y->seq;
	yard_fold(y, PLM_EV_RESULT, &done);
	gone.provider_id = plm_arena_format(&y->texts, "i-%s", name);
	yard_fold(y, PLM_EV_INSTANCE, &gone);
	assert_null(yard_claim_at(y, name));
}

static void a_node_that_stops_is_drained(void **state)
{
	struct yard *y = *state;
	struct plm_w_interruption warning = {0};
	const struct plm_w_req_pod *evict = NULL;
	struct plm_w_gone gone = {.kind = PLM_KIND_POD,
				  .ns = plm_slice_str("ns"),
				  .name = plm_slice_str("p0"),
				  .uid = plm_slice_str("p0")};
	const char *name = NULL;

	plan(y, 1);
	name = only_claim(y);
	yard_launched(y, name, "small");
	yard_joined(y, name, "n1");
	yard_bind(y, "p0", 1000, "n1");
	warning.provider_id = plm_arena_format(&y->texts, "i-%s", name);
	warning.kind = PLM_INTERRUPT_STATE;
	warning.state = plm_slice_str("stopping");
	warning.at_ms = PLM_UNSET;
	yard_fold(y, PLM_EV_INTERRUPTION, &warning);
	yard_run(y, plm_claims_step);
	assert_int_equal(
		((const struct plm_w_claim_end *)yard_event(y, PLM_EV_CLAIM_END, 0))->reason,
		PLM_REASON_INSTANCE_STOPPING);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 1);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 0); /* one might still come */
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0); /* told once is enough */
	yard_closed(y, name, "n1");
	yard_run(y, plm_claims_step);
	evict = yard_request(y, PLM_CALL_POD_EVICT, 0);
	plm_assert_text(evict->name, "p0");
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0); /* told once is enough */
	yard_fold(y, PLM_EV_GONE, &gone);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0); /* one might still come */
	assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + 5000);
	yard_at(y, 5000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
}

static void pods_of_a_node_that_goes_get_a_new_one(void **state)
{
	struct yard *y = *state;
	struct plm_w_claim_end end = {.reason = PLM_REASON_INTERRUPTED};
	const char *name = NULL;

	plan(y, 1);
	name = only_claim(y);
	yard_launched(y, name, "small");
	yard_joined(y, name, "n1");
	yard_bind(y, "p0", 1000, "n1");
	end.name = plm_slice_str(name);
	yard_fold(y, PLM_EV_CLAIM_END, &end);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	assert_int_not_equal(yard_pod_at(y, "p0")->target.n, 0);
}

/* ---- pools ---- */

static void sizes_bound_a_pool(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");

	pool.min_size = 2;
	pool.max_size = 3;
	yard_add_pool(y, &pool);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 2);
	assert_int_equal(((const struct plm_w_claim *)yard_event(y, PLM_EV_CLAIM, 0))->why.reason,
			 PLM_REASON_MIN_SIZE);
	yard_add_pod(y, "p0", 7000, 0);
	yard_add_pod(y, "p1", 7000, 0);
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	assert_int_equal(
		((const struct plm_w_explained *)yard_event(y, PLM_EV_EXPLAINED, 0))->why.rule,
		PLM_RULE_POOL_SIZE);
}

static const struct limit_case {
	const char *why;
	enum plm_compat compat;
	const char *resource;
	int64_t limit;
	uint32_t claims; /* of three pods that need a large node each */
} limit_table[] = {
	{"no limit", PLM_COMPAT_BETTER, "cpu", 100000, 3},
	{"two nodes' worth of cpu", PLM_COMPAT_BETTER, "cpu", 17000, 2},
	{"less than a node", PLM_COMPAT_BETTER, "cpu", 7500, 0},
	{"two nodes, exactly", PLM_COMPAT_BETTER, "nodes", 2, 2},
	{"two nodes as upstream: only looked at before", PLM_COMPAT_STRICT, "nodes", 2, 3},
	{"no nodes as upstream", PLM_COMPAT_STRICT, "nodes", 0, 0},
};

static void limit_row(const struct limit_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_amount limit = {plm_slice_str(row->resource), row->limit};

	assert_int_equal(yard_open(&state), 0);
	y = state;
	y->config.compat = row->compat;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	pool.limits = (struct plm_vec){&limit, 1};
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 7000, 0);
	yard_add_pod(y, "p1", 7000, 0);
	yard_add_pod(y, "p2", 7000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), row->claims);
	assert_int_equal(yard_count(y, PLM_EV_EXPLAINED), 3 - row->claims);
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(limit_row, struct limit_case)

static const struct thrift_case {
	const char *why;
	enum plm_compat compat;
	uint32_t pods; /* of two cpus each */
	uint32_t claims;
	int64_t price;
} thrift_table[] = {
	{"three small nodes are cheaper than a large one", PLM_COMPAT_BETTER, 3, 3, 300},
	{"upstream fills the large one", PLM_COMPAT_STRICT, 3, 1, 390},
	{"a large node is cheaper than four small ones", PLM_COMPAT_BETTER, 4, 1, 390},
	{"upstream, too", PLM_COMPAT_STRICT, 4, 1, 390},
	{"one pod more is a small node more", PLM_COMPAT_BETTER, 5, 2, 490},
};

static void thrift_row(const struct thrift_case *row)
{
	static const char *const names[] = {"p0", "p1", "p2", "p3", "p4"};
	void *state = NULL;
	struct yard *y = NULL;
	int64_t price = 0;

	assert_int_equal(yard_open(&state), 0);
	y = state;
	y->config.compat = row->compat;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	plain_pool(y);
	for (uint32_t i = 0; i < row->pods; i++) {
		yard_add_pod(y, names[i], 2000, 0);
	}
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	for (uint32_t i = 0; i < yard_count(y, PLM_EV_CLAIM); i++) {
		const struct plm_w_claim *claim = yard_event(y, PLM_EV_CLAIM, i);

		price += claim->price_micro;
	}
	assert_int_equal(price, row->price);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), row->claims);
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(thrift_row, struct thrift_case)

static void a_pool_that_is_not_ready_is_not_used(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const struct plm_w_explained *w = NULL;

	pool.not_ready = plm_slice_str("minSize 3 is above maxSize 2");
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	w = yard_event(y, PLM_EV_EXPLAINED, 0);
	assert_int_equal(w->why.rule, PLM_RULE_POOL_NOT_READY);
	plm_assert_text(w->why.detail, "minSize 3 is above maxSize 2");
}

/* ---- empty nodes ---- */

static void empty_nodes_go_after_ten_minutes(void **state)
{
	struct yard *y = *state;
	const char *name = NULL;

	plan(y, 1);
	name = only_claim(y);
	yard_launched(y, name, "small");
	yard_joined(y, name, "n1");
	yard_at(y, 1000);
	yard_run(y, plm_disruption_step);
	assert_int_equal(y->out.count, 0); /* p0 is expected there */
	yard_bind(y, "p0", 1000, "n1");
	yard_at(y, 700000);
	yard_run(y, plm_disruption_step);
	assert_int_equal(y->out.count, 0);
	yard_fold(y, PLM_EV_GONE,
		  &(struct plm_w_gone){.kind = PLM_KIND_POD,
				       .ns = plm_slice_str("ns"),
				       .name = plm_slice_str("p0")});
	yard_at(y, 800000);
	assert_int_equal(plm_disruption_next_due(&y->st), YARD_START_MS + 1300000);
	yard_at(y, 1299999);
	yard_run(y, plm_disruption_step);
	assert_int_equal(y->out.count, 0);
	yard_at(y, 1300000);
	yard_run(y, plm_disruption_step);
	assert_int_equal(
		((const struct plm_w_claim_end *)yard_event(y, PLM_EV_CLAIM_END, 0))->reason,
		PLM_REASON_EMPTY);
}

static void the_least_number_of_nodes_stays(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");

	pool.min_size = 1;
	yard_add_pool(y, &pool);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	yard_launched(y, text(y, yard_only_claim(y)->object.name), "small");
	yard_joined(y, text(y, yard_only_claim(y)->object.name), "n1");
	yard_at(y, 1000);
	yard_at(y, 5000000);
	yard_run(y, plm_disruption_step);
	assert_int_equal(y->out.count, 1);
	assert_int_equal(((const struct plm_w_blocked *)yard_event(y, PLM_EV_BLOCKED, 0))->why.rule,
			 PLM_RULE_KEPT);
	yard_run(y, plm_disruption_step);
	assert_int_equal(y->out.count, 0); /* said once */
}

#define WITH_YARD(function) {#function, function, yard_open, yard_close, NULL}

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(pods_share_the_cheapest_node),
		WITH_YARD(what_is_expected_is_not_bought_twice),
		WITH_YARD(a_pod_that_is_crowded_out_is_planned_anew),
		WITH_YARD(names_of_claims_differ),
		WITH_YARD(what_is_too_large_is_explained_once),
		WITH_YARD(all_that_blocks_is_named),
		WITH_YARD(a_window_gathers_pods),
		WITH_YARD(a_claim_comes_to_life),
		WITH_YARD(a_refusal_leads_to_the_next_offer),
		WITH_YARD(when_all_is_refused_pods_are_planned_anew),
		WITH_YARD(a_node_that_never_joins_is_given_up),
		WITH_YARD(a_node_that_stops_is_drained),
		WITH_YARD(pods_of_a_node_that_goes_get_a_new_one),
		WITH_YARD(sizes_bound_a_pool),
		WITH_YARD(a_pool_that_is_not_ready_is_not_used),
		WITH_YARD(empty_nodes_go_after_ten_minutes),
		WITH_YARD(the_least_number_of_nodes_stays),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	PLM_TEST_TABLE(&tests, limit_row, limit_table);
	PLM_TEST_TABLE(&tests, thrift_row, thrift_table);
	return plm_tests_run(&tests, "provision");
}
