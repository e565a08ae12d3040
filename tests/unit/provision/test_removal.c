/* What removes nodes: age, the cloud's word, emptiness that is looked at twice, and who waits for whom. */
#include "yard.h"

#include "reducers/disruption/candidate.h"
#include "reducers/disruption/forced.h"

#define SECOND 1000LL
#define MINUTE (60 * SECOND)

static const char *name_of(struct yard *y, plm_sym sym)
{
	struct plm_slice text = plm_str(&y->st, sym);

	return (const char *)plm_arena_format(&y->texts, "%.*s", (int)text.size,
					      (const char *)text.ptr)
		.ptr;
}

/* A node "n1" with pod "p0", of the given pool. */
static const char *node_with_pod(struct yard *y, const struct plm_w_node_pool *pool)
{
	const char *claim = NULL;

	yard_add_pool(y, pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	claim = name_of(y, yard_only_claim(y)->object.name);
	yard_launched(y, claim, "small");
	yard_joined(y, claim, "n1");
	yard_bind(y, "p0", 1000, "n1");
	return claim;
}

static void set_strict(struct yard *y)
{
	y->config.compat = PLM_COMPAT_STRICT;
	y->config.disruption_wait_ms = 15 * SECOND;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
}

static void warn(struct yard *y, const char *claim, enum plm_interrupt kind, int64_t at_ms)
{
	struct plm_w_interruption w = {
		.provider_id = plm_arena_format(&y->texts, "i-%s", claim),
		.kind = kind,
		.at_ms = at_ms,
		.state = plm_slice_str(kind == PLM_INTERRUPT_STATE ? "stopping" : "")};

	yard_fold(y, PLM_EV_INTERRUPTION, &w);
}

static const struct plm_w_claim_end *only_end(struct yard *y)
{
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 1);
	return yard_event(y, PLM_EV_CLAIM_END, 0);
}

/* ---- age --------------------------------------------------------------------------------------- */

static void strict_expires_at_once(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");

	set_strict(y);
	pool.expire_ms = 100 * MINUTE;
	(void)node_with_pod(y, &pool);
	assert_int_equal(plm_forced_next_due(&y->st), YARD_START_MS + 100 * MINUTE);
	yard_at(y, 100 * MINUTE - 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	yard_at(y, 100 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->reason, PLM_REASON_EXPIRED);
	assert_int_equal(only_end(y)->hold_until_ms, 0);
}

static void better_replaces_first_and_expires_then(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = NULL;

	pool.expire_ms = 100 * MINUTE;
	claim = node_with_pod(y, &pool);
	/* Five minutes before, which is less than a tenth of its life. */
	assert_int_equal(plm_forced_next_due(&y->st), YARD_START_MS + 95 * MINUTE);
	yard_at(y, 95 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->hold_until_ms, YARD_START_MS + 100 * MINUTE);
	assert_int_equal(only_end(y)->hold_whole, 1);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	yard_launched(y, name_of(y, yard_pod_at(y, "p0")->target), "small");
	yard_joined(y, name_of(y, yard_pod_at(y, "p0")->target), "n2");
	yard_closed(y, claim, "n1");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 0);
	yard_at(y, 100 * MINUTE - 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 0);
	assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + 100 * MINUTE);
	yard_at(y, 100 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 1);
}

/* A grace period shorter than the time for which it is replaced ahead costs nobody a minute. */
static void a_grace_period_runs_from_the_expiry(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = NULL;

	pool.expire_ms = 100 * MINUTE;
	pool.grace_ms = MINUTE;
	claim = node_with_pod(y, &pool);
	yard_at(y, 95 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->hold_whole, 1);
	assert_int_equal(yard_claim_at(y, claim)->deadline_ms, YARD_START_MS + 101 * MINUTE);
	yard_closed(y, claim, "n1");
	yard_at(y, 97 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_DELETE), 0);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0);
}

/* A node that waits for its expiry, its replacement not there yet, is taken by the cloud. */
static void a_warning_shortens_the_wait_for_expiry(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = NULL;

	pool.expire_ms = 100 * MINUTE;
	claim = node_with_pod(y, &pool);
	yard_at(y, 95 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->hold_whole, 1);
	yard_closed(y, claim, "n1");
	warn(y, claim, PLM_INTERRUPT_SPOT, YARD_START_MS + 97 * MINUTE);
	assert_int_equal(yard_claim_at(y, claim)->hold_until_ms,
			 YARD_START_MS + 97 * MINUTE - PLM_HOLD_BEFORE_END_MS);
	assert_int_equal(yard_claim_at(y, claim)->hold_whole, 0);
	warn(y, claim, PLM_INTERRUPT_SPOT,
	     YARD_START_MS + 99 * MINUTE); /* a later one changes nothing */
	yard_run(y, plm_provision_step);
	yard_at(y, 97 * MINUTE - PLM_HOLD_BEFORE_END_MS - 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 0);
	yard_at(y, 97 * MINUTE - PLM_HOLD_BEFORE_END_MS);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 1);
}

static void an_instance_that_stops_is_not_waited_for(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = NULL;

	pool.expire_ms = 100 * MINUTE;
	claim = node_with_pod(y, &pool);
	yard_at(y, 95 * MINUTE);
	yard_run(y, plm_claims_step);
	yard_closed(y, claim, "n1");
	warn(y, claim, PLM_INTERRUPT_STATE, PLM_UNSET);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 1);
}

static void a_short_life_is_replaced_a_tenth_before(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");

	pool.expire_ms = 10 * MINUTE;
	(void)node_with_pod(y, &pool);
	assert_int_equal(plm_forced_next_due(&y->st), YARD_START_MS + 9 * MINUTE);
}

static void never_is_never(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");

	(void)node_with_pod(y, &pool);
	assert_int_equal(plm_forced_next_due(&y->st), PLM_UNSET);
}

/* ---- the cloud --------------------------------------------------------------------------------- */

static void a_spot_node_is_replaced_first(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = node_with_pod(y, &pool);

	warn(y, claim, PLM_INTERRUPT_SPOT, YARD_START_MS + 120 * SECOND);
	assert_int_equal(plm_stock_out_live(&y->st), 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->reason, PLM_REASON_INTERRUPTED);
	assert_int_equal(only_end(y)->hold_until_ms, YARD_START_MS + 75 * SECOND);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
	yard_closed(y, claim, "n1");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 0);
	assert_int_equal(((const struct plm_w_drain *)yard_event(y, PLM_EV_DRAIN, 0))->why.rule,
			 PLM_RULE_REPLACEMENT);
	yard_launched(y, name_of(y, yard_pod_at(y, "p0")->target), "small");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 0);
	yard_joined(y, name_of(y, yard_pod_at(y, "p0")->target), "n2");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 1);
}

static void the_wait_for_a_replacement_ends(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = node_with_pod(y, &pool);

	warn(y, claim, PLM_INTERRUPT_SPOT, YARD_START_MS + 120 * SECOND);
	yard_run(y, plm_claims_step);
	yard_run(y, plm_provision_step);
	yard_closed(y, claim, "n1");
	yard_at(y, 75 * SECOND - 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 0);
	assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + 75 * SECOND);
	yard_at(y, 75 * SECOND);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 1);
}

static void strict_does_not_wait(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = NULL;

	set_strict(y);
	claim = node_with_pod(y, &pool);
	warn(y, claim, PLM_INTERRUPT_SPOT, YARD_START_MS + 120 * SECOND);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->hold_until_ms, 0);
	yard_closed(y, claim, "n1");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 1);
}

/* Repeated, and after everything is over. */
static void messages_may_come_again_and_late(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = node_with_pod(y, &pool);

	for (int i = 0; i < 3; i++) {
		warn(y, claim, PLM_INTERRUPT_SPOT, YARD_START_MS + 120 * SECOND + i);
	}
	assert_int_equal(yard_claim_at(y, claim)->interrupted_ms, YARD_START_MS + 120 * SECOND);
	assert_int_equal(plm_stock_out_live(&y->st), 1);
	yard_run(y, plm_claims_step);
	(void)only_end(y);
	yard_at(y, 200 * SECOND);
	warn(y, claim, PLM_INTERRUPT_SPOT, YARD_START_MS + 120 * SECOND);
	warn(y, claim, PLM_INTERRUPT_STATE, PLM_UNSET);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	warn(y, "unknown", PLM_INTERRUPT_SPOT, YARD_START_MS);
}

static void a_recommendation_changes_nothing(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = node_with_pod(y, &pool);

	warn(y, claim, PLM_INTERRUPT_REBALANCE, PLM_UNSET);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
	assert_int_equal(yard_claim_at(y, claim)->rebalance_ms, YARD_START_MS);
	assert_int_equal(plm_stock_out_live(&y->st), 0);
}

static void an_impaired_instance_goes_after_two_minutes(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = node_with_pod(y, &pool);

	warn(y, claim, PLM_INTERRUPT_IMPAIRED, YARD_START_MS);
	assert_int_equal(plm_forced_next_due(&y->st), YARD_START_MS + 120 * SECOND);
	yard_at(y, 120 * SECOND - 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	yard_at(y, 120 * SECOND);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->reason, PLM_REASON_UNHEALTHY);
	assert_int_equal(only_end(y)->forced, 1);
}

static void an_instance_that_recovers_stays(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = node_with_pod(y, &pool);

	warn(y, claim, PLM_INTERRUPT_IMPAIRED, YARD_START_MS);
	yard_at(y, 60 * SECOND);
	warn(y, claim, PLM_INTERRUPT_IMPAIRED, 0);
	yard_at(y, 500 * SECOND);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
}

/* What was seen before a restart may be over since: only what is told after it counts. */
static void a_restart_forgets_who_was_impaired(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const struct plm_w_epoch epoch = {.epoch = 2};
	const char *claim = node_with_pod(y, &pool);

	warn(y, claim, PLM_INTERRUPT_IMPAIRED, YARD_START_MS);
	yard_at(y, 60 * SECOND);
	yard_fold(y, PLM_EV_EPOCH, &epoch);
	assert_int_equal(yard_claim_at(y, claim)->impaired_ms, 0);
	yard_at(y, 500 * SECOND);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	warn(y, claim, PLM_INTERRUPT_IMPAIRED, YARD_START_MS);
	assert_int_equal(plm_forced_next_due(&y->st), YARD_START_MS + 120 * SECOND);
}

static void a_capacity_block_ends_40_minutes_early(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = node_with_pod(y, &pool);

	warn(y, claim, PLM_INTERRUPT_BLOCK, YARD_START_MS + 100 * MINUTE);
	assert_int_equal(plm_forced_next_due(&y->st), YARD_START_MS + 60 * MINUTE);
	yard_at(y, 60 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->reason, PLM_REASON_CAPACITY_BLOCK_ENDING);
	assert_int_equal(only_end(y)->hold_until_ms, YARD_START_MS + 65 * MINUTE);
}

static void a_scheduled_change_waits_ten_minutes_at_most(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = node_with_pod(y, &pool);

	warn(y, claim, PLM_INTERRUPT_SCHEDULED, YARD_START_MS + 3000 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->reason, PLM_REASON_SCHEDULED_CHANGE);
	assert_int_equal(only_end(y)->hold_until_ms, YARD_START_MS + 10 * MINUTE);
	assert_int_equal(yard_claim_at(y, claim)->interrupted_ms, 0);
}

static void claims_go_with_their_pool(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_gone gone = {.kind = PLM_KIND_NODE_POOL, .name = plm_slice_str("pool")};

	(void)node_with_pod(y, &pool);
	yard_fold(y, PLM_EV_GONE, &gone);
	yard_run(y, plm_claims_step);
	assert_int_equal(only_end(y)->reason, PLM_REASON_POOL_DELETED);
}

/* ---- emptiness, looked at twice ---------------------------------------------------------------- */

/* A node that is empty and due at once. */
static const char *empty_node(struct yard *y)
{
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = NULL;

	pool.consolidate_after_ms = 0;
	set_strict(y);
	yard_fold(y, PLM_EV_NODE_CLASS,
		  &(struct plm_w_node_class){.meta = yard_meta("", "class"),
					     .kind = PLM_KIND_NODE_TEMPLATE});
	claim = node_with_pod(y, &pool);
	yard_fold(y, PLM_EV_GONE,
		  &(struct plm_w_gone){.kind = PLM_KIND_POD,
				       .ns = plm_slice_str("ns"),
				       .name = plm_slice_str("p0")});
	yard_at(y, 30 * SECOND);
	return claim;
}

static void strict_looks_again_after_15_seconds(void **state)
{
	struct yard *y = *state;
	const char *claim = empty_node(y);

	yard_run(y, plm_disruption_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	assert_int_equal(yard_count(y, PLM_EV_DISRUPT), 1);
	assert_int_equal(plm_disruption_next_due(&y->st), YARD_START_MS + 45 * SECOND);
	yard_at(y, 45 * SECOND - 1);
	yard_run(y, plm_disruption_step);
	assert_int_equal(y->out.count, 0);
	yard_at(y, 45 * SECOND);
	yard_run(y, plm_disruption_step);
	assert_int_equal(only_end(y)->reason, PLM_REASON_EMPTY);
	assert_int_equal(yard_claim_at(y, claim)->phase, PLM_CLAIM_ENDING);
}

static void a_node_that_is_used_meanwhile_is_dropped(void **state)
{
	struct yard *y = *state;
	const char *claim = empty_node(y);

	yard_run(y, plm_disruption_step);
	yard_bind(y, "p9", 1000, "n1");
	yard_at(y, 45 * SECOND);
	yard_run(y, plm_disruption_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	assert_int_equal(
		((const struct plm_w_disrupt *)yard_event(y, PLM_EV_DISRUPT, 0))->validate_ms,
		PLM_UNSET);
	assert_int_equal(yard_claim_at(y, claim)->validate_ms, 0);
}

static void a_size_that_is_kept_meanwhile_is_said(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *claim = empty_node(y);
	const struct plm_w_disrupt *w = NULL;

	yard_run(y, plm_disruption_step);
	pool.consolidate_after_ms = 0;
	pool.min_size = 1;
	yard_add_pool(y, &pool);
	yard_at(y, 45 * SECOND);
	yard_run(y, plm_disruption_step);
	w = yard_event(y, PLM_EV_DISRUPT, 0);
	assert_int_equal(w->validate_ms, PLM_UNSET);
	assert_int_equal(w->why.rule, PLM_RULE_KEPT);
	assert_int_equal(yard_claim_at(y, claim)->validate_ms, 0);
}

/* ---- the filter -------------------------------------------------------------------------------- */

static enum plm_rule blocker(struct yard *y)
{
	struct plm_candidates book;
	plm_id node = plm_find_text(&y->st, PLM_KIND_NODE, "", "n1");
	struct plm_candidate c;

	plm_candidates_gather(&book, &y->st, &y->scratch, y->now_ms);
	c = plm_candidate_look(&book, node);
	return c.blocker.rule;
}

static void each_refusal_has_its_reason(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_pod pod = yard_pod(y, "p0", 1000, 0);
	const char *claim = node_with_pod(y, &pool);
	struct plm_w_node node = {
		.meta = yard_meta("", "n1"),
		.provider_id = plm_arena_format(&y->texts, "i-%s", claim),
		.ready = 1,
		.do_not_disrupt = 1,
	};
	struct plm_w_claim_end end = {.name = plm_slice_str(claim), .reason = PLM_REASON_EMPTY};

	assert_int_equal(blocker(y), PLM_RULE_NONE);
	pod.node = plm_slice_str("n1");
	pod.phase = PLM_PHASE_RUNNING;
	pod.unschedulable = 0;
	pod.do_not_disrupt = 1;
	yard_fold(y, PLM_EV_POD, &pod);
	assert_int_equal(blocker(y), PLM_RULE_DO_NOT_DISRUPT);
	yard_fold(y, PLM_EV_NODE, &node);
	assert_int_equal(blocker(y), PLM_RULE_NODE_PROTECTED);
	node.do_not_disrupt = 0;
	yard_fold(y, PLM_EV_NODE, &node);
	assert_int_equal(blocker(y), PLM_RULE_LABEL_MISSING);
	yard_joined(y, claim, "n1");
	yard_fold(y, PLM_EV_GONE,
		  &(struct plm_w_gone){.kind = PLM_KIND_NODE_POOL, .name = plm_slice_str("pool")});
	assert_int_equal(blocker(y), PLM_RULE_POOL_MISSING);
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p1", 100, 0);
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_int_equal(blocker(y), PLM_RULE_EXPECTED);
	yard_fold(y, PLM_EV_CLAIM_END, &end);
	assert_int_equal(blocker(y), PLM_RULE_LEAVES);
	node.provider_id = plm_slice_str("i-other");
	node.meta = yard_meta("", "n1");
	yard_fold(y, PLM_EV_GONE,
		  &(struct plm_w_gone){.kind = PLM_KIND_NODE, .name = plm_slice_str("n1")});
	yard_fold(y, PLM_EV_NODE, &node);
	assert_int_equal(blocker(y), PLM_RULE_NO_CLAIM);
}

#define WITH_YARD(function) {#function, function, yard_open, yard_close, NULL}

int main(void)
{
	static const struct CMUnitTest stories[] = {
		WITH_YARD(strict_expires_at_once),
		WITH_YARD(better_replaces_first_and_expires_then),
		WITH_YARD(a_grace_period_runs_from_the_expiry),
		WITH_YARD(a_warning_shortens_the_wait_for_expiry),
		WITH_YARD(an_instance_that_stops_is_not_waited_for),
		WITH_YARD(a_short_life_is_replaced_a_tenth_before),
		WITH_YARD(never_is_never),
		WITH_YARD(a_spot_node_is_replaced_first),
		WITH_YARD(the_wait_for_a_replacement_ends),
		WITH_YARD(strict_does_not_wait),
		WITH_YARD(messages_may_come_again_and_late),
		WITH_YARD(a_recommendation_changes_nothing),
		WITH_YARD(an_impaired_instance_goes_after_two_minutes),
		WITH_YARD(an_instance_that_recovers_stays),
		WITH_YARD(a_restart_forgets_who_was_impaired),
		WITH_YARD(a_capacity_block_ends_40_minutes_early),
		WITH_YARD(a_scheduled_change_waits_ten_minutes_at_most),
		WITH_YARD(claims_go_with_their_pool),
		WITH_YARD(strict_looks_again_after_15_seconds),
		WITH_YARD(a_node_that_is_used_meanwhile_is_dropped),
		WITH_YARD(a_size_that_is_kept_meanwhile_is_said),
		WITH_YARD(each_refusal_has_its_reason),
	};
	static struct plm_tests tests;

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	return plm_tests_run(&tests, "removal");
}
