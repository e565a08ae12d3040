/* NodeClaim objects and the status of claims, pools and classes: reducers/publish. */
#include "yard.h"

#define s(text) plm_slice_str(text)
#define MINUTE 60000LL

static void listed(struct yard *y, enum plm_kind kind)
{
	struct plm_w_listed list = {.kind = kind, .revision = s("7")};

	yard_fold(y, PLM_EV_LISTED, &list);
}

static void answer(struct yard *y, uint64_t intent, enum plm_result_class class)
{
	struct plm_w_result result = {
		.intent = (int64_t)intent, .class = class, .price_micro = PLM_UNSET};

	yard_fold(y, PLM_EV_RESULT, &result);
}

/* The open intent of 'call'. */
static uint64_t open_intent(const struct yard *y, enum plm_call call)
{
	uint64_t seq = 0;

	PLM_EACH(&y->st, intent, id)
	{
		if (plm_intent_at(&y->st, id)->call == (uint32_t)call) {
			seq = plm_intent_at(&y->st, id)->seq;
		}
	}
	assert_int_not_equal(seq, 0);
	return seq;
}

static void say(struct yard *y, int64_t ms)
{
	yard_at(y, ms);
	yard_run(y, plm_publish_step);
}

/* One claim for one pod, nodes are published; its object is not asked for yet. */
static const char *one_claim(struct yard *y)
{
	struct plm_w_node_pool pool = yard_pool("pool");

	y->config.publish = PLM_PUBLISH_NODES;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	return (const char *)plm_str(&y->st, yard_only_claim(y)->object.name).ptr;
}

/* The object of 'name' as the API server has it after its creation. */
static struct plm_w_node_claim object_of(struct yard *y, const char *name)
{
	struct plm_w_node_claim claim = {
		.meta = yard_meta("", name),
		.pool = s("pool"),
		.class_kind = PLM_KIND_NODE_TEMPLATE,
		.class_name = s("class"),
		.launched_ms = PLM_UNSET,
		.registered_ms = PLM_UNSET,
		.initialized_ms = PLM_UNSET,
		.consolidatable_ms = PLM_UNSET,
		.drifted_ms = PLM_UNSET,
		.grace_ms = PLM_UNSET,
		.expire_ms = PLM_UNSET,
		.registering_ms = PLM_UNSET,
		.termination_finalizer = 1,
		.pod_event_ms = PLM_UNSET,
	};

	claim.meta.uid = plm_arena_format(&y->texts, "uid-%s", name);
	claim.meta.generation = 1;
	return claim;
}

static const struct plm_w_condition *condition(struct plm_vec list, const char *type)
{
	const struct plm_w_condition *at = list.ptr;

	for (size_t i = 0; i < list.count; i++) {
		if (plm_slice_is(at[i].type, type)) {
			return &at[i];
		}
	}
	fail_msg("no condition %s", type);
	return NULL;
}

static void a_claim_has_its_object_made_once(void **state)
{
	struct yard *y = *state;
	const char *name = one_claim(y);
	const struct plm_w_req_claim_create *make = NULL;
	const struct plm_w_claim_need *needs = NULL;
	bool typed = false;

	say(y, 1000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_CREATE), 0); /* who knows what there is */
	listed(y, PLM_KIND_NODE_CLAIM);
	say(y, 2000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_CREATE), 1);
	make = yard_request(y, PLM_CALL_CLAIM_CREATE, 0);
	plm_assert_text(make->name, name);
	plm_assert_text(make->pool_uid, "pool");
	plm_assert_text(make->class_kind, "NodeTemplate");
	needs = make->needs.ptr;
	for (size_t i = 0; i < make->needs.count; i++) {
		typed = typed || plm_slice_is(needs[i].key, "node.kubernetes.io/instance-type");
	}
	assert_true(typed);
	say(y, 4000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_CREATE), 0);
	/* Refused: asked for again after a while. */
	answer(y, open_intent(y, PLM_CALL_CLAIM_CREATE), PLM_RESULT_FAILED);
	say(y, 6000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_CREATE), 0);
	say(y, 2 * MINUTE);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_CREATE), 1);
}

static void what_comes_back_is_the_same_claim(void **state)
{
	struct yard *y = *state;
	const char *name = one_claim(y);
	struct plm_w_node_claim object = object_of(y, name);

	listed(y, PLM_KIND_NODE_CLAIM);
	say(y, 2000);
	yard_launched(y, name, "small");
	answer(y, open_intent(y, PLM_CALL_CLAIM_CREATE), PLM_RESULT_DONE);
	yard_fold(y, PLM_EV_NODE_CLAIM, &object);
	assert_int_equal(plm_node_claim_live(&y->st), 1);
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_LAUNCHED);
	yard_joined(y, name, "node-1");
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_READY);
	/* An older word of ours takes nothing away. */
	object.provider_id = plm_arena_format(&y->texts, "i-%s", name);
	object.launched_ms = YARD_START_MS;
	yard_fold(y, PLM_EV_NODE_CLAIM, &object);
	assert_int_not_equal(yard_only_claim(y)->registered_ms, PLM_UNSET);
	plm_assert_text(plm_str(&y->st, yard_only_claim(y)->node), "node-1");
}

static void a_status_is_written_when_it_changes(void **state)
{
	struct yard *y = *state;
	const char *name = one_claim(y);
	struct plm_w_node_claim object = object_of(y, name);
	const struct plm_w_req_claim_status *status = NULL;

	listed(y, PLM_KIND_NODE_CLAIM);
	say(y, 2000);
	answer(y, open_intent(y, PLM_CALL_CLAIM_CREATE), PLM_RESULT_DONE);
	yard_fold(y, PLM_EV_NODE_CLAIM, &object);
	yard_launched(y, name, "small");
	say(y, 4000);
	status = yard_request(y, PLM_CALL_CLAIM_STATUS, 0);
	plm_assert_text(condition(status->conditions, "Launched")->status, "True");
	plm_assert_text(condition(status->conditions, "Registered")->reason, "NodeNotFound");
	plm_assert_text(condition(status->conditions, "Ready")->status, "Unknown");
	assert_int_equal(condition(status->conditions, "Ready")->generation, 1);
	assert_int_equal(status->node.size, 0);
	/* One at a time, whatever happens. */
	yard_joined(y, name, "node-1");
	say(y, 6000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_STATUS), 0);
	answer(y, open_intent(y, PLM_CALL_CLAIM_STATUS), PLM_RESULT_DONE);
	say(y, 8000);
	status = yard_request(y, PLM_CALL_CLAIM_STATUS, 0);
	plm_assert_text(status->node, "node-1");
	plm_assert_text(condition(status->conditions, "Ready")->status, "True");
	/* A conflict: once more. Then there is nothing to say. */
	answer(y, open_intent(y, PLM_CALL_CLAIM_STATUS), PLM_RESULT_CONFLICT);
	say(y, 10000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_STATUS), 1);
	answer(y, open_intent(y, PLM_CALL_CLAIM_STATUS), PLM_RESULT_DONE);
	say(y, 12000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_STATUS), 0);
}

/* Given up while its object is on its way, a claim waits for it, or the object would be a claim of its own. */
static void what_was_made_for_nothing_goes_too(void **state)
{
	struct yard *y = *state;
	const char *name = one_claim(y);
	struct plm_w_node_claim object = object_of(y, name);
	struct plm_w_claim_end end = {.name = s(name), .reason = PLM_REASON_LAUNCH_FAILED};

	listed(y, PLM_KIND_NODE_CLAIM);
	say(y, 2000);
	yard_refused(y, name, "small", "a");
	yard_fold(y, PLM_EV_CLAIM_END, &end);
	assert_int_equal(plm_node_claim_live(&y->st), 1);
	answer(y, open_intent(y, PLM_CALL_CLAIM_CREATE), PLM_RESULT_DONE);
	assert_int_equal(plm_node_claim_live(&y->st), 1);
	yard_fold(y, PLM_EV_NODE_CLAIM, &object);
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_ENDING);
	yard_at(y, 4000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 0);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_DELETE), 1);
}

static void what_was_not_made_is_not_waited_for(void **state)
{
	struct yard *y = *state;
	const char *name = one_claim(y);
	struct plm_w_claim_end end = {.name = s(name), .reason = PLM_REASON_LAUNCH_FAILED};

	listed(y, PLM_KIND_NODE_CLAIM);
	say(y, 2000);
	yard_refused(y, name, "small", "a");
	yard_fold(y, PLM_EV_CLAIM_END, &end);
	answer(y, open_intent(y, PLM_CALL_CLAIM_CREATE), PLM_RESULT_FAILED);
	assert_int_equal(plm_node_claim_live(&y->st), 0);
}

static int64_t amount(struct plm_vec amounts, const char *resource)
{
	const struct plm_w_amount *at = amounts.ptr;

	for (size_t i = 0; i < amounts.count; i++) {
		if (plm_slice_is(at[i].resource, resource)) {
			return at[i].amount;
		}
	}
	return -1;
}

static void a_pool_says_what_it_has(void **state)
{
	struct yard *y = *state;
	const char *name = one_claim(y);
	const struct plm_w_req_pool_status *status = NULL;

	say(y, 2000);
	status = yard_request(y, PLM_CALL_POOL_STATUS, 0);
	assert_int_equal(status->nodes, 0);
	assert_int_equal(amount(status->resources, "cpu"), 0);
	plm_assert_text(condition(status->conditions, "Ready")->status, "True");
	plm_assert_text(condition(status->conditions, "NodeRegistrationHealthy")->status,
			"Unknown");
	answer(y, open_intent(y, PLM_CALL_POOL_STATUS), PLM_RESULT_DONE);
	yard_launched(y, name, "large");
	say(y, 4000);
	assert_int_equal(yard_intents(y, PLM_CALL_POOL_STATUS), 0); /* it was written just now */
	assert_int_equal(plm_publish_next_due(&y->st), YARD_START_MS + 7000);
	say(y, 7000);
	status = yard_request(y, PLM_CALL_POOL_STATUS, 0);
	assert_int_equal(status->nodes, 1);
	assert_int_equal(amount(status->resources, "cpu"), 8000);
	assert_int_equal(amount(status->resources, "nodes"), 1);
}

static void a_pool_without_its_class_says_so(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const struct plm_w_req_pool_status *status = NULL;

	y->config.publish = PLM_PUBLISH_NODES;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	pool.class_name = s("other");
	yard_add_pool(y, &pool);
	say(y, 2000);
	status = yard_request(y, PLM_CALL_POOL_STATUS, 0);
	plm_assert_text(condition(status->conditions, "NodeClassReady")->reason,
			"NodeClassNotFound");
	plm_assert_text(condition(status->conditions, "Ready")->status, "False");
	plm_assert_text(condition(status->conditions, "Ready")->reason, "UnhealthyDependents");
	plm_assert_text(condition(status->conditions, "Ready")->message, "NodeClassReady=False");
}

static void a_class_says_what_it_came_to(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_class class = {.meta = yard_meta("", "ec2"), .kind = PLM_KIND_NODE_CLASS};
	struct plm_w_class_subnet subnet = {s("subnet-1"), s("a"), s("use1-az1")};
	struct plm_w_class_condition conditions[2] = {
		{.type = s("SubnetsReady"), .met = 1},
		{.type = s("AMIsReady"),
		 .met = 0,
		 .reason = s("AMINotFound"),
		 .message = s("none")},
	};
	struct plm_w_class_status found = {.kind = PLM_KIND_NODE_CLASS,
					   .name = s("ec2"),
					   .uid = s("ec2"),
					   .not_ready = s("AMINotFound: none"),
					   .subnets = {&subnet, 1},
					   .conditions = {conditions, 2},
					   .recipe = s("not for the object")};
	const struct plm_w_req_class_status *status = NULL;

	y->config.publish = PLM_PUBLISH_NODES;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	yard_fold(y, PLM_EV_NODE_CLASS, &class);
	say(y, 2000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLASS_STATUS), 0); /* not looked up yet */
	yard_fold(y, PLM_EV_CLASS_STATUS, &found);
	say(y, 4000);
	status = yard_request(y, PLM_CALL_CLASS_STATUS, 0);
	assert_int_equal(status->status.subnets.count, 1);
	assert_int_equal(status->status.recipe.size, 0);
	plm_assert_text(condition(status->conditions, "SubnetsReady")->reason, "SubnetsReady");
	plm_assert_text(condition(status->conditions, "Ready")->status, "False");
	answer(y, open_intent(y, PLM_CALL_CLASS_STATUS), PLM_RESULT_DONE);
	yard_fold(y, PLM_EV_CLASS_STATUS, &found);
	say(y, 6000);
	assert_int_equal(yard_intents(y, PLM_CALL_CLASS_STATUS), 0);
}

#define WITH_YARD(function) cmocka_unit_test_setup_teardown(function, yard_open, yard_close)

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(a_claim_has_its_object_made_once),
		WITH_YARD(what_comes_back_is_the_same_claim),
		WITH_YARD(a_status_is_written_when_it_changes),
		WITH_YARD(what_was_made_for_nothing_goes_too),
		WITH_YARD(what_was_not_made_is_not_waited_for),
		WITH_YARD(a_pool_says_what_it_has),
		WITH_YARD(a_pool_without_its_class_says_so),
		WITH_YARD(a_class_says_what_it_came_to),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	return plm_tests_run(&tests, "objects");
}
