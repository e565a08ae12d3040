/* A claim's life: registration, initialization, timeouts, adoption, orphans. */
#include "core/limits.h"
#include "reducers/provision/life.h"
#include "yard.h"

#define s(text) plm_slice_str(text)
#define MINUTE 60000LL

static const char *only_claim(struct yard *y)
{
	struct plm_slice name = plm_str(&y->st, yard_only_claim(y)->object.name);

	return (const char *)plm_arena_format(&y->texts, "%.*s", (int)name.size,
					      (const char *)name.ptr)
		.ptr;
}

/* A claim of ours with an instance. */
static const char *launched(struct yard *y)
{
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_taint startup = {.key = s("agent"), .effect = PLM_EFFECT_NO_SCHEDULE};

	pool.startup_taints = (struct plm_vec){&startup, 1};
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	yard_launched(y, only_claim(y), "small");
	return only_claim(y);
}

/* Its node as the kubelet registers it, 'step' 0 to 3: unregistered, registered, ready, without the startup taint. */
static void node_at(struct yard *y, const char *claim, int step)
{
	struct plm_w_kv labels[2] = {{s("karpenter.sh/do-not-sync-taints"), s("true")},
				     {s("karpenter.sh/registered"), s("true")}};
	struct plm_w_taint taints[2] = {
		{s("agent"), s(""), PLM_EFFECT_NO_SCHEDULE},
		{s("karpenter.sh/unregistered"), s(""), PLM_EFFECT_NO_EXECUTE}};
	struct plm_w_amount cpu = {s("cpu"), 2000};
	struct plm_w_node node = {
		.meta = yard_meta("", "n1"),
		.provider_id = plm_arena_format(&y->texts, "i-%s", claim),
		.capacity = {&cpu, 1},
		.allocatable = {&cpu, 1},
		.ready = step >= 2,
	};

	node.meta.labels = (struct plm_vec){labels, step >= 1 ? 2 : 1};
	node.taints = (struct plm_vec){taints, step == 0 ? 2 : (step == 3 ? 0 : 1)};
	yard_fold(y, PLM_EV_NODE, &node);
}

static void listed(struct yard *y, enum plm_kind kind)
{
	struct plm_w_listed list = {.kind = kind, .revision = s("7")};

	yard_fold(y, PLM_EV_LISTED, &list);
}

static void reach(struct yard *y, enum plm_source source, bool away)
{
	struct plm_w_reach w = {.source = source, .away = away ? 1 : 0};

	yard_fold(y, PLM_EV_REACH, &w);
}

/* ---- on its way in ----------------------------------------------------------------------------- */

static void a_node_is_registered_and_initialized_by_us(void **state)
{
	struct yard *y = *state;
	const char *name = launched(y);
	const struct plm_w_req_node_sync *sync = NULL;
	const struct plm_w_kv *labels = NULL;

	node_at(y, name, 0);
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_LAUNCHED);
	yard_run(y, plm_claims_step);
	sync = yard_request(y, PLM_CALL_NODE_SYNC, 0);
	plm_assert_text(*(const struct plm_slice *)sync->untaint.ptr, "karpenter.sh/unregistered");
	assert_int_equal(sync->taints.count, 0); /* the kubelet has set them */
	plm_assert_text(*(const struct plm_slice *)sync->finalizers.ptr,
			"karpenter.sh/termination");
	labels = sync->labels.ptr;
	plm_assert_text(labels[sync->labels.count - 1].key, "karpenter.sh/registered");
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_NOTE), 0);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0); /* told once is enough */
	node_at(y, name, 1);
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_JOINED);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0); /* not ready */
	node_at(y, name, 2);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0); /* the startup taint is there */
	node_at(y, name, 3);
	yard_run(y, plm_claims_step);
	sync = yard_request(y, PLM_CALL_NODE_SYNC, 0);
	assert_int_equal(sync->labels.count, 1);
	plm_assert_text(((const struct plm_w_kv *)sync->labels.ptr)->key,
			"karpenter.sh/initialized");
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_JOINED);
	yard_joined(y, name, "n1");
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_READY);
}

/* The node may be gone when the answer comes: there is nobody left to be told again. */
static void an_answer_for_a_node_that_went_is_nothing(void **state)
{
	struct yard *y = *state;
	const char *name = launched(y);
	struct plm_w_gone gone = {.kind = PLM_KIND_NODE, .name = s("n1"), .uid = s("n1")};
	struct plm_w_result conflict = {.class = PLM_RESULT_CONFLICT, .price_micro = PLM_UNSET};

	node_at(y, name, 0);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_SYNC), 1);
	PLM_EACH(&y->st, intent, id)
	{
		const struct plm_intent *intent = plm_intent_at(&y->st, id);

		conflict.intent =
			intent->call == PLM_CALL_NODE_SYNC ? (int64_t)intent->seq : conflict.intent;
	}
	assert_int_not_equal(conflict.intent, 0);
	gone.uid = plm_str(&y->st, plm_node_at(&y->st, plm_find(&y->st, PLM_KIND_NODE, (plm_sym){0},
								plm_sym_find(&y->st, s("n1"))))
					   ->object.uid);
	yard_fold(y, PLM_EV_GONE, &gone);
	yard_fold(y, PLM_EV_RESULT, &conflict);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_SYNC), 0);
}

/* Of the newest call on a node. */
static struct plm_w_result sync_result(struct yard *y, enum plm_result_class class)
{
	struct plm_w_result w = {.class = class, .price_micro = PLM_UNSET};

	PLM_EACH(&y->st, intent, id)
	{
		const struct plm_intent *intent = plm_intent_at(&y->st, id);

		if (intent->call == PLM_CALL_NODE_SYNC && (int64_t)intent->seq > w.intent) {
			w.intent = (int64_t)intent->seq;
		}
	}
	assert_int_not_equal(w.intent, 0);
	return w;
}

/* The answer about registering was lost; it comes when initializing has already failed. */
static void an_older_answer_ends_no_wait(void **state)
{
	struct yard *y = *state;
	const char *name = launched(y);
	struct plm_w_result registered;
	struct plm_w_result conflict;

	node_at(y, name, 0);
	yard_run(y, plm_claims_step);
	registered = sync_result(y, PLM_RESULT_UNKNOWN);
	yard_fold(y, PLM_EV_RESULT, &registered);
	node_at(y, name, 3);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_SYNC), 1);
	conflict = sync_result(y, PLM_RESULT_CONFLICT);
	assert_int_not_equal(conflict.intent, registered.intent);
	yard_fold(y, PLM_EV_RESULT, &conflict);
	registered.class = PLM_RESULT_DONE;
	yard_fold(y, PLM_EV_RESULT, &registered);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_SYNC), 0);
	assert_int_not_equal(plm_provision_next_due(&y->st), PLM_UNSET);
	yard_at(y, 100);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_SYNC), 1);
}

/* A node that came without the taint that keeps pods away is told of, and used. */
static void a_missing_taint_is_noted_once(void **state)
{
	struct yard *y = *state;
	const char *name = launched(y);
	struct plm_w_node node = {.meta = yard_meta("", "n1"),
				  .provider_id = plm_arena_format(&y->texts, "i-%s", name)};
	const struct plm_w_claim_note *note = NULL;
	const struct plm_w_req_node_sync *sync = NULL;

	yard_fold(y, PLM_EV_NODE, &node);
	yard_run(y, plm_claims_step);
	note = yard_event(y, PLM_EV_CLAIM_NOTE, 0);
	assert_int_equal(note->reason, PLM_REASON_UNREGISTERED_TAINT_MISSING);
	sync = yard_request(y, PLM_CALL_NODE_SYNC, 0);
	assert_int_equal(sync->taints.count, 1); /* an image of the user's own: we add them */
	assert_int_equal(sync->untaint.count, 0);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
}

static void a_node_that_falls_short_is_noted(void **state)
{
	struct yard *y = *state;
	const char *name = launched(y);
	struct plm_w_kv labels[2] = {{s("karpenter.sh/initialized"), s("true")},
				     {s("karpenter.sh/registered"), s("true")}};
	struct plm_w_amount has[3] = {{s("cpu"), 1700}, {s("memory"), 16LL << 30}, {s("pods"), 20}};
	struct plm_w_node node = {.meta = yard_meta("", "n1"),
				  .provider_id = plm_arena_format(&y->texts, "i-%s", name),
				  .capacity = {has, 3},
				  .allocatable = {has, 3},
				  .ready = 1};
	const struct plm_w_claim_note *note = NULL;

	node.meta.labels = (struct plm_vec){labels, 2};
	yard_fold(y, PLM_EV_NODE, &node);
	yard_run(y, plm_claims_step);
	note = yard_event(y, PLM_EV_CLAIM_NOTE, 0);
	assert_int_equal(note->reason, PLM_REASON_FAILED_CONSISTENCY_CHECK);
	plm_assert_text(note->why.resource, "cpu");
	assert_int_equal(note->why.need, 2000);
	assert_int_equal(note->why.have, 1700);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
	has[0].amount = 1800; /* 90 % will do */
	yard_fold(y, PLM_EV_NODE, &node);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_NOTE), 1);
}

static void other_failures_are_tried_again_later(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_result failed = {.class = PLM_RESULT_FAILED,
				      .code = s("UnauthorizedOperation"),
				      .price_micro = PLM_UNSET};
	int64_t at = 0;

	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	for (int64_t wait = 1000; wait <= 4 * MINUTE; wait = wait < 32000 ? wait * 2 : MINUTE) {
		if (at + wait >= 5 * MINUTE) {
			break;
		}
		failed.intent = (int64_t)yard_only_claim(y)->intent;
		yard_fold(y, PLM_EV_RESULT, &failed);
		assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + at + wait);
		yard_run(y, plm_claims_step);
		assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 0);
		at += wait;
		yard_at(y, at);
		yard_run(y, plm_claims_step);
		assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 1);
	}
	yard_at(y, 5 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(
		((const struct plm_w_claim_end *)yard_event(y, PLM_EV_CLAIM_END, 0))->reason,
		PLM_REASON_LAUNCH_FAILED);
}

static void time_stands_still_while_nobody_can_see(void **state)
{
	struct yard *y = *state;

	(void)launched(y);
	yard_at(y, MINUTE);
	reach(y, PLM_SOURCE_KUBE, true);
	assert_int_equal(plm_claims_next_due(&y->st), PLM_UNSET);
	yard_at(y, 60 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	reach(y, PLM_SOURCE_KUBE, false);
	assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + 74 * MINUTE);
	yard_at(y, 74 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(
		((const struct plm_w_claim_end *)yard_event(y, PLM_EV_CLAIM_END, 0))->reason,
		PLM_REASON_REGISTRATION_TIMEOUT);
}

/* Another process: what happened since the last cycle of the old one was seen by nobody. */
static void a_dead_engine_sees_nothing(void **state)
{
	struct yard *y = *state;
	struct plm_w_epoch epoch = {.epoch = 2};

	(void)launched(y);
	yard_fold(y, PLM_EV_EPOCH, &epoch);
	yard_at(y, 60 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	listed(y, PLM_KIND_NODE);
	assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + 75 * MINUTE);
}

static const struct health_case {
	const char *why;
	uint32_t launches, ring;
	enum plm_health health;
} health_table[] = {
	{"nothing known", 0, 0, PLM_HEALTH_UNKNOWN},
	{"one that failed", 1, 0, PLM_HEALTH_UNKNOWN},
	{"two that failed", 2, 0, PLM_HEALTH_BAD},
	{"one that came", 1, 1, PLM_HEALTH_GOOD},
	{"half of four failed", 4, 5, PLM_HEALTH_BAD},
	{"one of four failed", 4, 7, PLM_HEALTH_GOOD},
};

static void health_row(const struct health_case *row)
{
	const struct plm_node_pool pool = {.launches = row->launches, .launch_ring = row->ring};

	assert_int_equal(plm_life_health(&pool), row->health);
}
PLM_TEST_ROWS(health_row, struct health_case)

/* ---- adoption ---------------------------------------------------------------------------------- */

static struct plm_w_node_claim karpenters(const char *name)
{
	struct plm_w_node_claim claim = {.meta = yard_meta("", name),
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
					 .pool_hash = s("11"),
					 .pool_hash_version = s("v3"),
					 .termination_finalizer = 1};

	claim.meta.uid = s("uid-1");
	claim.meta.created_ms = YARD_START_MS;
	return claim;
}

static void an_unlaunched_claim_is_launched_when_instances_are_known(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_claim claim = karpenters("adopted");

	claim.pool = s(""); /* standalone: no pool stands for it */
	yard_fold(y, PLM_EV_NODE_CLAIM, &claim);
	yard_at(y, 1000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 0); /* it may have one already */
	yard_at(y, 10 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	yard_at(y, 2000);
	listed(y, PLM_KIND_NONE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 1);
	yard_launched(y, "adopted", "small");
	yard_fold(y, PLM_EV_NODE_CLAIM, &claim); /* its status does not say so yet */
	plm_assert_text(plm_str(&y->st, yard_only_claim(y)->provider_id), "i-adopted");
}

static void an_instance_with_the_claims_tag_is_its_own(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_claim claim = karpenters("adopted");
	struct plm_w_instance instance = {.provider_id = s("i-9"),
					  .state = s("running"),
					  .instance_type = s("small"),
					  .zone = s("a"),
					  .capacity_type = s("on-demand"),
					  .launched_ms = YARD_START_MS + 500,
					  .claim = s("adopted"),
					  .ours = 1};

	yard_fold(y, PLM_EV_NODE_CLAIM, &claim);
	yard_fold(y, PLM_EV_INSTANCE, &instance);
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_LAUNCHED);
	assert_int_equal(yard_only_claim(y)->launched_ms, YARD_START_MS + 500);
	assert_int_equal(plm_instance_live(&y->st), 0);
	/* A second one for the same claim is nobody's. */
	instance.provider_id = s("i-10");
	yard_fold(y, PLM_EV_INSTANCE, &instance);
	assert_int_equal(plm_instance_live(&y->st), 1);
}

static void in_flight_is_given_up_only_when_nodes_are_known(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_claim claim = karpenters("adopted");

	claim.provider_id = s("i-9");
	claim.launched_ms = YARD_START_MS;
	claim.registering_ms = YARD_START_MS + MINUTE; /* the condition's, not our receive time */
	yard_fold(y, PLM_EV_NODE_CLAIM, &claim);
	yard_at(y, 20 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0);
	yard_at(y, 2 * MINUTE);
	listed(y, PLM_KIND_NODE);
	assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + 16 * MINUTE);
	yard_at(y, 16 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 1);
}

static const struct stamp_case {
	const char *why;
	const char *version;
	int64_t drifted_ms;
	uint32_t stamps, annotations;
} stamp_table[] = {
	{"a foreign hash", "v3", PLM_UNSET, 1, 2},
	{"a drifted claim keeps its hash", "v3", YARD_START_MS, 1, 1},
	{"ours already", "plimsoll-1", PLM_UNSET, 0, 0},
	{"never stamped", "", PLM_UNSET, 0, 0},
};

static void stamp_row(const struct stamp_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_node_claim claim = karpenters("adopted");
	const struct plm_w_req_annotate *request = NULL;

	assert_int_equal(yard_open(&state), 0);
	y = state;
	pool.hash = s("77");
	yard_add_pool(y, &pool);
	claim.provider_id = s("i-9");
	claim.pool_hash_version = s(row->version);
	claim.drifted_ms = row->drifted_ms;
	yard_fold(y, PLM_EV_NODE_CLAIM, &claim);
	yard_at(y, 1000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_ANNOTATE), row->stamps);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 0); /* nothing is replaced for it */
	if (row->stamps > 0) {
		const struct plm_w_kv *list = NULL;

		request = yard_request(y, PLM_CALL_ANNOTATE, 0);
		assert_int_equal(request->annotations.count, row->annotations);
		list = request->annotations.ptr;
		plm_assert_text(list[row->annotations - 1].key,
				"karpenter.sh/nodepool-hash-version");
		plm_assert_text(list[row->annotations - 1].value, "plimsoll-1");
		yard_run(y, plm_claims_step);
		assert_int_equal(y->out.count, 0);
	}
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(stamp_row, struct stamp_case)

static void a_deleted_claim_goes_with_its_instance(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_claim claim = karpenters("adopted");
	struct plm_w_instance gone = {.provider_id = s("i-9"), .state = s("terminated")};

	claim.provider_id = s("i-9");
	claim.pool_hash_version = s("");
	yard_fold(y, PLM_EV_NODE_CLAIM, &claim);
	claim.meta.deleting_ms = YARD_START_MS + 500;
	yard_fold(y, PLM_EV_NODE_CLAIM, &claim);
	yard_at(y, 1000);
	yard_run(y, plm_claims_step);
	assert_int_equal(
		((const struct plm_w_claim_end *)yard_event(y, PLM_EV_CLAIM_END, 0))->reason,
		PLM_REASON_DELETED);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_FINALIZE), 0); /* its instance is there */
	yard_fold(y, PLM_EV_INSTANCE, &gone);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_CLAIM_FINALIZE), 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
}

/* ---- orphans ----------------------------------------------------------------------------------- */

static void nothing_is_terminated_before_claims_are_listed(void **state)
{
	struct yard *y = *state;
	struct plm_w_instance instance = {.provider_id = s("i-9"),
					  .state = s("running"),
					  .launched_ms = YARD_START_MS - MINUTE,
					  .ours = 1};
	const struct plm_w_req_terminate *request = NULL;

	yard_fold(y, PLM_EV_INSTANCE, &instance);
	instance.provider_id = s("i-10");
	instance.launched_ms = YARD_START_MS + 10000;
	yard_fold(y, PLM_EV_INSTANCE, &instance);
	instance.provider_id = s("i-11");
	instance.ours = 0; /* another cluster's */
	yard_fold(y, PLM_EV_INSTANCE, &instance);
	yard_at(y, 10 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
	yard_at(y, 20000);
	listed(y, PLM_KIND_NODE_CLAIM);
	reach(y, PLM_SOURCE_CLOUD, true);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
	reach(y, PLM_SOURCE_CLOUD, false);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_ORPHAN), 1);
	request = yard_request(y, PLM_CALL_TERMINATE, 0);
	plm_assert_text(request->provider_id, "i-9");
	assert_int_equal(plm_claims_next_due(&y->st), YARD_START_MS + 40000); /* 30 s old */
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
}

static void terminated(struct yard *y, const char *code)
{
	struct plm_w_result result = {
		.class = PLM_RESULT_FAILED, .code = s(code), .price_micro = PLM_UNSET};

	PLM_EACH(&y->st, intent, id)
	{
		if (plm_intent_at(&y->st, id)->call == PLM_CALL_TERMINATE) {
			result.intent = (int64_t)plm_intent_at(&y->st, id)->seq;
		}
	}
	assert_int_not_equal(result.intent, 0);
	yard_fold(y, PLM_EV_RESULT, &result);
}

static void an_orphan_that_stays_is_asked_for_later(void **state)
{
	struct yard *y = *state;
	struct plm_w_instance instance = {.provider_id = s("i-9"),
					  .state = s("running"),
					  .launched_ms = YARD_START_MS - MINUTE,
					  .ours = 1};

	listed(y, PLM_KIND_NODE_CLAIM);
	yard_fold(y, PLM_EV_INSTANCE, &instance);
	yard_at(y, 0);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_ORPHAN), 1);
	terminated(y, "OperationNotPermitted");
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
	assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + 1000);
	yard_at(y, 1000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_ORPHAN), 1);
	terminated(y, "InvalidInstanceID.NotFound");
	assert_int_equal(plm_instance_live(&y->st), 0);
}

static void a_new_epoch_needs_a_new_list(void **state)
{
	struct yard *y = *state;
	struct plm_w_epoch epoch = {.epoch = 2};
	struct plm_w_instance instance = {.provider_id = s("i-9"),
					  .state = s("running"),
					  .launched_ms = YARD_START_MS - MINUTE,
					  .ours = 1};

	listed(y, PLM_KIND_NODE_CLAIM);
	yard_at(y, 0);
	yard_fold(y, PLM_EV_EPOCH, &epoch);
	yard_fold(y, PLM_EV_INSTANCE, &instance);
	listed(y, PLM_KIND_NONE);
	listed(y, PLM_KIND_NODE);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
	listed(y, PLM_KIND_NODE_CLAIM);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_ORPHAN), 1);
}

/* Taken back by the cloud when its time to register is over: two grounds, one end. */
static void a_claim_ends_once(void **state)
{
	struct yard *y = *state;
	const char *name = launched(y);
	struct plm_w_interruption spot = {.provider_id = plm_arena_format(&y->texts, "i-%s", name),
					  .kind = PLM_INTERRUPT_SPOT,
					  .at_ms = PLM_UNSET};

	yard_fold(y, PLM_EV_INTERRUPTION, &spot);
	yard_at(y, 60 * MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM_END), 1);
	assert_int_equal(
		((const struct plm_w_claim_end *)yard_event(y, PLM_EV_CLAIM_END, 0))->reason,
		PLM_REASON_REGISTRATION_TIMEOUT);
}

/* Its instance was seen before the answer to its launch, which came when it had ended. */
static void what_a_leaving_claim_bought_is_no_orphan(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_claim_end end = {.reason = PLM_REASON_DELETED};
	struct plm_w_instance instance = {
		.state = s("running"), .launched_ms = YARD_START_MS, .ours = 1};

	listed(y, PLM_KIND_NODE_CLAIM);
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	end.name = s(only_claim(y));
	yard_fold(y, PLM_EV_CLAIM_END, &end);
	instance.claim = end.name;
	instance.provider_id = plm_arena_format(&y->texts, "i-%s", only_claim(y));
	yard_fold(y, PLM_EV_INSTANCE, &instance);
	assert_int_equal(plm_instance_live(&y->st), 1);
	yard_launched(y, only_claim(y), "small");
	assert_int_equal(plm_instance_live(&y->st), 0);
	yard_at(y, MINUTE);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_count(y, PLM_EV_ORPHAN), 0);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1); /* by its claim */
}

static void a_class_that_goes_buys_nothing(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_node_class class = {.meta = yard_meta("", "ec2")};
	const struct plm_w_explained *said = NULL;

	class.meta.deleting_ms = YARD_START_MS;
	yard_fold(y, PLM_EV_NODE_CLASS, &class);
	pool.class_kind = PLM_KIND_NODE_CLASS;
	pool.class_name = s("ec2");
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	said = yard_event(y, PLM_EV_EXPLAINED, 0);
	assert_int_equal(said->why.rule, PLM_RULE_POOL_NOT_READY);
	class.meta.deleting_ms = PLM_UNSET;
	yard_fold(y, PLM_EV_NODE_CLASS, &class);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
}

#define WITH_YARD(function) cmocka_unit_test_setup_teardown(function, yard_open, yard_close)

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(a_node_is_registered_and_initialized_by_us),
		WITH_YARD(an_answer_for_a_node_that_went_is_nothing),
		WITH_YARD(an_older_answer_ends_no_wait),
		WITH_YARD(a_missing_taint_is_noted_once),
		WITH_YARD(a_node_that_falls_short_is_noted),
		WITH_YARD(other_failures_are_tried_again_later),
		WITH_YARD(time_stands_still_while_nobody_can_see),
		WITH_YARD(a_dead_engine_sees_nothing),
		WITH_YARD(an_unlaunched_claim_is_launched_when_instances_are_known),
		WITH_YARD(an_instance_with_the_claims_tag_is_its_own),
		WITH_YARD(in_flight_is_given_up_only_when_nodes_are_known),
		WITH_YARD(a_deleted_claim_goes_with_its_instance),
		WITH_YARD(nothing_is_terminated_before_claims_are_listed),
		WITH_YARD(an_orphan_that_stays_is_asked_for_later),
		WITH_YARD(a_new_epoch_needs_a_new_list),
		WITH_YARD(a_class_that_goes_buys_nothing),
		WITH_YARD(what_a_leaving_claim_bought_is_no_orphan),
		WITH_YARD(a_claim_ends_once),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	PLM_TEST_TABLE(&tests, health_row, health_table);
	PLM_TEST_TABLE(&tests, stamp_row, stamp_table);
	return plm_tests_run(&tests, "life");
}
