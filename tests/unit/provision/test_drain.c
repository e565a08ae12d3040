/* The way out of a node: order, budgets, protection, clocks. The yard's node is closed unless said otherwise. */
#include "yard.h"

#include "reducers/disruption/drain.h"
#include "reducers/status/claim_condition.h"

static const char *text(struct yard *y, plm_sym sym)
{
	struct plm_slice slice = plm_str(&y->st, sym);

	return (const char *)plm_arena_format(&y->texts, "%.*s", (int)slice.size,
					      (const char *)slice.ptr)
		.ptr;
}

/* A claim with node "n1" that has ended; the node knows it and is closed. Its pool gives 'grace_ms'. */
static const char *leaving(struct yard *y, int64_t grace_ms, bool closed)
{
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_claim_end end = {.reason = PLM_REASON_DELETED};
	const char *name = NULL;

	pool.grace_ms = grace_ms;
	yard_add_pool(y, &pool);
	yard_add_pod(y, "first", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	name = text(y, yard_only_claim(y)->object.name);
	yard_launched(y, name, "large");
	yard_joined(y, name, "n1");
	end.name = plm_slice_str(name);
	yard_fold(y, PLM_EV_CLAIM_END, &end);
	if (closed) {
		yard_closed(y, name, "n1");
	}
	return name;
}

/* A running pod on n1. */
static struct plm_w_pod on_node(struct yard *y, const char *name, const char *owner,
				const char *class)
{
	struct plm_w_pod pod = yard_pod(y, name, 100, 0);

	pod.node = plm_slice_str("n1");
	pod.unschedulable = 0;
	pod.phase = PLM_PHASE_RUNNING;
	pod.ready = 1;
	pod.grace_s = 30;
	pod.meta.owner_kind = plm_slice_str(owner);
	pod.meta.owner_uid = plm_slice_str("owner");
	pod.shape.priority_class = plm_slice_str(class);
	return pod;
}

static void put(struct yard *y, const char *name, const char *owner, const char *class)
{
	struct plm_w_pod pod = on_node(y, name, owner, class);

	yard_fold(y, PLM_EV_POD, &pod);
}

static void gone(struct yard *y, const char *name)
{
	struct plm_w_gone w = {.kind = PLM_KIND_POD,
			       .ns = plm_slice_str("ns"),
			       .name = plm_slice_str(name),
			       .uid = plm_slice_str(name)};

	yard_fold(y, PLM_EV_GONE, &w);
}

/* The next pod that is asked to go, alone; NULL = none. */
static const char *evicted(struct yard *y)
{
	const struct plm_w_req_pod *request = NULL;

	yard_run(y, plm_claims_step);
	if (yard_intents(y, PLM_CALL_POD_EVICT) == 0) {
		return NULL;
	}
	assert_int_equal(yard_intents(y, PLM_CALL_POD_EVICT), 1);
	request = yard_request(y, PLM_CALL_POD_EVICT, 0);
	assert_int_equal(request->uid.size, request->name.size); /* the UID is the precondition */
	return (const char *)plm_arena_format(&y->texts, "%.*s", (int)request->name.size,
					      (const char *)request->name.ptr)
		.ptr;
}

static void answered(struct yard *y, enum plm_call call, enum plm_result_class class,
		     const char *code)
{
	struct plm_w_result result = {
		.class = class, .code = plm_slice_str(code), .price_micro = PLM_UNSET};

	PLM_EACH(&y->st, intent, id)
	{
		if (plm_intent_at(&y->st, id)->call == (uint32_t)call) {
			result.intent = (int64_t)plm_intent_at(&y->st, id)->seq;
		}
	}
	assert_int_not_equal(result.intent, 0);
	yard_fold(y, PLM_EV_RESULT, &result);
}

static int64_t due(const struct yard *y)
{
	int64_t ms = plm_drain_next_due(&y->st);

	return ms == PLM_UNSET ? ms : ms - YARD_START_MS;
}

static uint32_t why_rule(struct yard *y)
{
	return yard_only_claim(y)->drain_why.rule;
}

/* The node with our finalizer. */
static void finalized(struct yard *y, const char *name, int64_t deleting_ms, bool ready)
{
	struct plm_w_taint taint = {.key = plm_slice_str("karpenter.sh/disrupted"),
				    .effect = PLM_EFFECT_NO_SCHEDULE};
	struct plm_w_node node = {
		.meta = yard_meta("", "n1"),
		.provider_id = plm_arena_format(&y->texts, "i-%s", name),
		.taints = {&taint, 1},
		.ready = ready,
		.termination_finalizer = 1,
	};

	node.meta.deleting_ms = deleting_ms;
	yard_fold(y, PLM_EV_NODE, &node);
}

/* ---- order -------------------------------------------------------------------------------------- */

static void groups_leave_one_after_the_other(void **state)
{
	static const char *const order[] = {"plain", "daemon", "critical", "critical-daemon"};
	struct yard *y = *state;

	(void)leaving(y, PLM_UNSET, true);
	put(y, "critical-daemon", "DaemonSet", "system-node-critical");
	put(y, "critical", "ReplicaSet", "system-cluster-critical");
	put(y, "daemon", "DaemonSet", "");
	put(y, "plain", "ReplicaSet", "high");
	put(y, "mirror", "Node", "system-node-critical");
	for (size_t i = 0; i < PLM_COUNTOF(order); i++) {
		assert_string_equal(evicted(y), order[i]);
		assert_int_equal(yard_only_claim(y)->drain_stage, PLM_DRAIN_DRAINING);
		answered(y, PLM_CALL_POD_EVICT, PLM_RESULT_DONE, "");
		assert_null(evicted(y)); /* the one before is still there */
		gone(y, order[i]);
	}
	assert_null(evicted(y));
	assert_int_equal(why_rule(y), PLM_RULE_MIN_DRAIN);
	assert_int_equal(due(y), 5000);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0);
	yard_at(y, 5000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	assert_int_equal(yard_only_claim(y)->drain_stage, PLM_DRAIN_TERMINATING);
	assert_int_equal(yard_only_claim(y)->drain_marks, 0);
}

static void a_node_is_closed_before_anybody_leaves(void **state)
{
	struct yard *y = *state;
	const char *name = leaving(y, PLM_UNSET, false);
	const struct plm_w_req_node_taint *request = NULL;
	const struct plm_w_kv *label = NULL;

	put(y, "plain", "ReplicaSet", "");
	assert_null(evicted(y));
	request = yard_request(y, PLM_CALL_NODE_TAINT, 0);
	plm_assert_text(request->taint.key, "karpenter.sh/disrupted");
	label = request->labels.ptr;
	assert_int_equal(request->labels.count, 1);
	plm_assert_text(label->key, "node.kubernetes.io/exclude-from-external-load-balancers");
	plm_assert_text(label->value, "karpenter");
	assert_null(evicted(y));
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 0); /* told once is enough */
	yard_closed(y, name, "n1");
	assert_string_equal(evicted(y), "plain");
}

static void a_node_that_is_opened_again_is_closed_again(void **state)
{
	struct yard *y = *state;
	const char *name = leaving(y, PLM_UNSET, false);

	put(y, "plain", "ReplicaSet", "");
	assert_null(evicted(y));
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 1);
	yard_joined(y, name, "n1"); /* its word from before it was told */
	assert_null(evicted(y));
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 0);
	answered(y, PLM_CALL_NODE_TAINT, PLM_RESULT_DONE, "");
	yard_closed(y, name, "n1");
	yard_joined(y, name, "n1");
	assert_null(evicted(y));
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 1);
	yard_closed(y, name, "n1");
	assert_string_equal(evicted(y), "plain");
}

static void a_node_that_comes_again_is_told_again(void **state)
{
	struct yard *y = *state;
	const char *name = leaving(y, PLM_UNSET, false);
	struct plm_w_gone end = {.kind = PLM_KIND_NODE, .name = plm_slice_str("n1")};

	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 1);
	answered(y, PLM_CALL_NODE_TAINT, PLM_RESULT_DONE, "");
	finalized(y, name, PLM_UNSET, true);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_DELETE), 1);
	yard_fold(y, PLM_EV_GONE, &end);
	assert_int_equal(yard_only_claim(y)->cordoned, PLM_CORDONED_NOT);
	yard_joined(y, name, "n1");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 1);
	finalized(y, name, PLM_UNSET, true);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_DELETE), 1);
}

/* ---- refusals ----------------------------------------------------------------------------------- */

static void a_refused_eviction_is_asked_for_again_later_each_time(void **state)
{
	static const int64_t waits[] = {100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000};
	struct yard *y = *state;
	int64_t now = 0;

	(void)leaving(y, PLM_UNSET, true);
	put(y, "plain", "ReplicaSet", "");
	for (size_t i = 0; i < PLM_COUNTOF(waits); i++) {
		assert_string_equal(evicted(y), "plain");
		answered(y, PLM_CALL_POD_EVICT, PLM_RESULT_FAILED, "TooManyRequests");
		assert_null(evicted(y));
		assert_int_equal(why_rule(y), PLM_RULE_EVICTION_REFUSED);
		assert_int_equal(yard_pod_at(y, "plain")->evict_ms - YARD_START_MS, now + waits[i]);
		yard_at(y, now + waits[i] - 1);
		assert_null(evicted(y));
		now += waits[i];
		yard_at(y, now);
	}
}

static void what_is_gone_already_is_done(void **state)
{
	struct yard *y = *state;

	(void)leaving(y, PLM_UNSET, true);
	put(y, "plain", "ReplicaSet", "");
	assert_string_equal(evicted(y), "plain");
	answered(y, PLM_CALL_POD_EVICT, PLM_RESULT_ALREADY_DONE, "NotFound");
	assert_int_equal(yard_pod_at(y, "plain")->evict_tries, 0);
	assert_null(evicted(y));
}

static void budget(struct yard *y, const char *name, int64_t allowed)
{
	struct plm_w_pdb pdb = {.meta = yard_meta("ns", name),
				.selector = {.present = 1},
				.min_available = 1,
				.max_unavailable = PLM_UNSET,
				.has_status = 1,
				.allowed = allowed,
				.healthy = 2,
				.desired = 1,
				.expected = 2};

	yard_fold(y, PLM_EV_POD_DISRUPTION_BUDGET, &pdb);
}

static void a_budget_is_waited_for_and_not_asked(void **state)
{
	struct yard *y = *state;

	(void)leaving(y, PLM_UNSET, true);
	put(y, "a", "ReplicaSet", "");
	put(y, "b", "ReplicaSet", "");
	budget(y, "web", 1);
	assert_string_equal(evicted(y), "a"); /* by name, and only as many as it allows */
	assert_int_equal(why_rule(y), PLM_RULE_PDB);
	assert_string_equal(text(y, yard_only_claim(y)->drain_why.object), "ns/web");
	budget(y, "web", 0);
	assert_null(evicted(y));
	yard_at(y, 3600000);
	assert_null(evicted(y));
	assert_int_equal(yard_only_claim(y)->drain_stage, PLM_DRAIN_DRAINING);
	assert_int_equal(due(y), PLM_UNSET); /* nothing happens by itself */
	gone(y, "a");
	budget(y, "web", 1);
	assert_string_equal(evicted(y), "b");
}

static void two_budgets_are_named(void **state)
{
	struct yard *y = *state;

	(void)leaving(y, PLM_UNSET, true);
	put(y, "a", "ReplicaSet", "");
	budget(y, "x", 1);
	budget(y, "w", 1);
	assert_null(evicted(y));
	assert_int_equal(why_rule(y), PLM_RULE_PDBS);
	assert_string_equal(text(y, yard_only_claim(y)->drain_why.object), "ns/w");
}

static void a_node_that_cannot_be_closed_is_tried_less_and_less(void **state)
{
	static const int64_t waits[] = {1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
	struct yard *y = *state;
	int64_t now = 0;

	(void)leaving(y, PLM_UNSET, false);
	yard_run(y, plm_claims_step);
	for (size_t i = 0; i < PLM_COUNTOF(waits); i++) {
		assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 1);
		answered(y, PLM_CALL_NODE_TAINT, PLM_RESULT_FAILED, "Forbidden");
		assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + now + waits[i]);
		yard_at(y, now + waits[i] - 1);
		yard_run(y, plm_claims_step);
		assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 0);
		now += waits[i];
		yard_at(y, now);
		yard_run(y, plm_claims_step);
	}
	assert_int_equal(plm_retry_live(&y->st), 1);
	answered(y, PLM_CALL_NODE_TAINT, PLM_RESULT_DONE, "");
	assert_int_equal(plm_retry_live(&y->st), 0); /* the next failure is a first one */
}

static void a_conflict_is_tried_again_soon(void **state)
{
	struct yard *y = *state;

	(void)leaving(y, PLM_UNSET, false);
	yard_run(y, plm_claims_step);
	answered(y, PLM_CALL_NODE_TAINT, PLM_RESULT_CONFLICT, "Conflict");
	assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + 100);
	yard_at(y, 100);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_TAINT), 1);
	answered(y, PLM_CALL_NODE_TAINT, PLM_RESULT_CONFLICT, "Conflict");
	assert_int_equal(plm_provision_next_due(&y->st), YARD_START_MS + 300);
}

static void what_nobody_asks_for_any_more_is_forgotten(void **state)
{
	struct yard *y = *state;

	(void)leaving(y, PLM_UNSET, false);
	yard_run(y, plm_claims_step);
	answered(y, PLM_CALL_NODE_TAINT, PLM_RESULT_FAILED, "Forbidden");
	yard_at(y, 1000);
	assert_int_equal(yard_only_claim(y)->cordoned, PLM_CORDONED_NOT);
	assert_int_equal(plm_retry_live(&y->st), 1);
	yard_at(y, 601000);
	assert_int_equal(plm_retry_live(&y->st), 0);
}

/* ---- clocks ------------------------------------------------------------------------------------- */

static void protection_holds_until_it_ends(void **state)
{
	struct yard *y = *state;
	struct plm_w_pod pod = {0};

	(void)leaving(y, PLM_UNSET, true);
	pod = on_node(y, "a", "ReplicaSet", "");
	pod.do_not_disrupt = YARD_START_MS + 90000;
	yard_fold(y, PLM_EV_POD, &pod);
	assert_null(evicted(y));
	assert_int_equal(why_rule(y), PLM_RULE_DO_NOT_DISRUPT);
	yard_at(y, 60000);
	assert_null(evicted(y));
	assert_int_equal(due(y), 90000);
	yard_at(y, 90000);
	assert_string_equal(evicted(y), "a");
}

static void a_grace_period_ends_in_time(void **state)
{
	struct yard *y = *state;
	struct plm_w_pod pod = {0};
	const struct plm_w_req_pod *request = NULL;

	(void)leaving(y, 600000, true);
	assert_int_equal(yard_only_claim(y)->deadline_ms - YARD_START_MS, 600000);
	pod = on_node(y, "a", "ReplicaSet", "");
	pod.do_not_disrupt = 1;
	pod.grace_s = 60;
	yard_fold(y, PLM_EV_POD, &pod);
	put(y, "daemon", "DaemonSet", "system-node-critical"); /* its turn never comes */
	assert_null(evicted(y));
	yard_at(y, 10000);
	assert_null(evicted(y));
	assert_int_equal(due(y), 540000);
	yard_at(y, 540000);
	assert_null(evicted(y));
	assert_int_equal(yard_intents(y, PLM_CALL_POD_DELETE), 1);
	request = yard_request(y, PLM_CALL_POD_DELETE, 0);
	plm_assert_text(request->name, "a");
	assert_int_equal(request->grace_ms, 60000);
	answered(y, PLM_CALL_POD_DELETE, PLM_RESULT_DONE, "");
	assert_null(evicted(y));
	assert_int_equal(yard_intents(y, PLM_CALL_POD_DELETE), 0); /* told once is enough */
	assert_int_equal(due(y), 570000);
	yard_at(y, 599500);
	assert_null(evicted(y));
	request = yard_request(y, PLM_CALL_POD_DELETE, 0);
	plm_assert_text(request->name, "daemon");
	assert_int_equal(request->grace_ms, 1000); /* never less */
	answered(y, PLM_CALL_POD_DELETE, PLM_RESULT_DONE, "");
	yard_at(y, 600000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0); /* their going is not known yet */
	assert_int_equal(due(y), 602000);
	yard_at(y, 602000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	assert_int_equal(yard_only_claim(y)->drain_marks, PLM_CUT_PODS);
}

static void a_pod_that_would_stop_too_late_has_less_time(void **state)
{
	struct yard *y = *state;
	struct plm_w_pod pod = {0};

	(void)leaving(y, 60000, true);
	pod = on_node(y, "a", "ReplicaSet", "");
	pod.meta.deleting_ms = YARD_START_MS + 120000;
	pod.grace_s = 120;
	yard_fold(y, PLM_EV_POD, &pod);
	yard_at(y, 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_POD_DELETE), 1);
	assert_int_equal(
		((const struct plm_w_req_pod *)yard_request(y, PLM_CALL_POD_DELETE, 0))->grace_ms,
		59000);
}

static void a_stuck_pod_is_not_waited_for(void **state)
{
	struct yard *y = *state;
	struct plm_w_pod pod = {0};

	(void)leaving(y, PLM_UNSET, true);
	pod = on_node(y, "a", "ReplicaSet", "");
	pod.meta.deleting_ms = YARD_START_MS + 30000;
	yard_fold(y, PLM_EV_POD, &pod);
	yard_run(y, plm_claims_step);
	yard_at(y, 20000);
	assert_int_equal(due(y), 90001);
	yard_at(y, 90000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0);
	yard_at(y, 90001);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
}

/* ---- volumes, instance, node -------------------------------------------------------------------- */

static void attached(struct yard *y, const char *name, const char *volume, bool there)
{
	struct plm_w_volume_attachment w = {.meta = yard_meta("", name),
					    .node = plm_slice_str("n1"),
					    .volume = plm_slice_str(volume),
					    .attached = 1};
	struct plm_w_gone end = {
		.kind = PLM_KIND_VOLUME_ATTACHMENT, .name = w.meta.name, .uid = w.meta.uid};

	yard_fold(y, there ? PLM_EV_VOLUME_ATTACHMENT : PLM_EV_GONE,
		  there ? (const void *)&w : (const void *)&end);
}

static void volumes_are_detached_first(void **state)
{
	struct yard *y = *state;

	(void)leaving(y, 60000, true);
	attached(y, "csi-b", "pv-b", true);
	attached(y, "csi-a", "pv-a", true);
	yard_run(y, plm_claims_step);
	yard_at(y, 5000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_only_claim(y)->drain_stage, PLM_DRAIN_DETACHING);
	assert_int_equal(yard_only_claim(y)->drained_ms, YARD_START_MS + 5000);
	assert_string_equal(text(y, yard_only_claim(y)->drain_why.object), "csi-a");
	attached(y, "csi-a", "pv-a", false);
	yard_run(y, plm_claims_step);
	assert_string_equal(text(y, yard_only_claim(y)->drain_why.object), "csi-b");
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 0);
	attached(y, "csi-b", "pv-b", false);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	assert_int_equal(yard_only_claim(y)->drain_marks, 0);
}

static void volumes_are_not_waited_for_after_the_deadline(void **state)
{
	struct yard *y = *state;
	struct plm_claim_conditions conditions;

	(void)leaving(y, 60000, true);
	attached(y, "csi-a", "pv-a", true);
	yard_run(y, plm_claims_step);
	yard_at(y, 5000);
	yard_run(y, plm_claims_step);
	plm_status_claim_conditions(yard_only_claim(y), &conditions);
	assert_int_equal(conditions.count, 2);
	assert_string_equal(conditions.list[1].type, "VolumesDetached");
	assert_string_equal(conditions.list[1].status, "Unknown");
	yard_at(y, 60000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	assert_int_equal(yard_only_claim(y)->drain_marks, PLM_CUT_VOLUMES);
	plm_status_claim_conditions(yard_only_claim(y), &conditions);
	assert_int_equal(conditions.count, 3);
	assert_string_equal(conditions.list[0].type, "Drained");
	assert_string_equal(conditions.list[0].status, "True");
	assert_string_equal(conditions.list[1].status, "False");
	assert_string_equal(conditions.list[1].reason, "TerminationGracePeriodElapsed");
	assert_string_equal(conditions.list[2].type, "InstanceTerminating");
}

static void an_instance_says_itself_that_it_has_gone(void **state)
{
	struct yard *y = *state;

	(void)leaving(y, PLM_UNSET, true);
	yard_run(y, plm_claims_step);
	yard_at(y, 5000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	answered(y, PLM_CALL_TERMINATE, PLM_RESULT_DONE, "");
	yard_at(y, 100000);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
	assert_int_equal(due(y), 125000);
	yard_at(y, 125000); /* no word: told once more */
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	answered(y, PLM_CALL_TERMINATE, PLM_RESULT_ALREADY_DONE, "shutting-down");
	assert_int_equal(yard_only_claim(y)->ended_by_cloud, 0);
}

/* Only the cloud's word that it does not know the instance says that there is none. */
static void a_termination_that_fails_is_asked_for_later(void **state)
{
	struct yard *y = *state;

	(void)leaving(y, PLM_UNSET, true);
	yard_run(y, plm_claims_step);
	yard_at(y, 5000);
	yard_run(y, plm_claims_step);
	answered(y, PLM_CALL_TERMINATE, PLM_RESULT_FAILED, "OperationNotPermitted");
	assert_int_equal(yard_only_claim(y)->ended_by_cloud, 0);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
	assert_int_equal(due(y), 125000);
	yard_at(y, 125000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	answered(y, PLM_CALL_TERMINATE, PLM_RESULT_FAILED, "InvalidInstanceID.NotFound");
	assert_int_equal(yard_only_claim(y)->ended_by_cloud, 1);
}

static void a_node_goes_when_its_instance_has(void **state)
{
	struct yard *y = *state;
	const char *name = leaving(y, PLM_UNSET, true);

	finalized(y, name, PLM_UNSET, true);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_DELETE), 1);
	finalized(y, name, YARD_START_MS, true);
	yard_at(y, 5000);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_TERMINATE), 1);
	answered(y, PLM_CALL_TERMINATE, PLM_RESULT_ALREADY_DONE, "");
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_FINALIZE),
			 1); /* whatever its kubelet says */
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
}

static void a_node_whose_instance_went_by_itself(void **state)
{
	struct yard *y = *state;
	const char *name = leaving(y, PLM_UNSET, true);
	const struct plm_w_instance gone = {
		.provider_id = plm_slice_str(text(y, yard_only_claim(y)->provider_id)),
		.state = plm_slice_str("terminated"),
		.intent = (int64_t)yard_only_claim(y)->intent,
		.launched_ms = YARD_START_MS,
		.ours = 1,
	};

	finalized(y, name, YARD_START_MS, true);
	yard_fold(y, PLM_EV_INSTANCE, &gone);
	assert_int_equal(yard_only_claim(y)->ended_by_cloud, 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_FINALIZE), 0); /* its kubelet still talks */
	finalized(y, name, YARD_START_MS, false);
	yard_run(y, plm_claims_step);
	assert_int_equal(yard_intents(y, PLM_CALL_NODE_FINALIZE), 1);
	yard_run(y, plm_claims_step);
	assert_int_equal(y->out.count, 0);
}

static void a_deleted_node_takes_its_claim_along(void **state)
{
	struct yard *y = *state;
	struct plm_w_node_pool pool = yard_pool("pool");
	const char *name = NULL;
	const struct plm_w_claim_end *end = NULL;

	yard_add_pool(y, &pool);
	yard_add_pod(y, "first", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	name = text(y, yard_only_claim(y)->object.name);
	yard_launched(y, name, "small");
	yard_joined(y, name, "n1");
	finalized(y, name, YARD_START_MS, true);
	yard_run(y, plm_claims_step);
	end = yard_event(y, PLM_EV_CLAIM_END, 0);
	assert_int_equal(end->reason, PLM_REASON_DELETED);
	assert_int_equal(yard_only_claim(y)->phase, PLM_CLAIM_ENDING);
}

#define WITH_YARD(function) {#function, function, yard_open, yard_close, NULL}

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(groups_leave_one_after_the_other),
		WITH_YARD(a_node_is_closed_before_anybody_leaves),
		WITH_YARD(a_node_that_is_opened_again_is_closed_again),
		WITH_YARD(a_node_that_comes_again_is_told_again),
		WITH_YARD(a_refused_eviction_is_asked_for_again_later_each_time),
		WITH_YARD(what_is_gone_already_is_done),
		WITH_YARD(a_node_that_cannot_be_closed_is_tried_less_and_less),
		WITH_YARD(a_conflict_is_tried_again_soon),
		WITH_YARD(what_nobody_asks_for_any_more_is_forgotten),
		WITH_YARD(a_budget_is_waited_for_and_not_asked),
		WITH_YARD(two_budgets_are_named),
		WITH_YARD(protection_holds_until_it_ends),
		WITH_YARD(a_grace_period_ends_in_time),
		WITH_YARD(a_pod_that_would_stop_too_late_has_less_time),
		WITH_YARD(a_stuck_pod_is_not_waited_for),
		WITH_YARD(volumes_are_detached_first),
		WITH_YARD(volumes_are_not_waited_for_after_the_deadline),
		WITH_YARD(an_instance_says_itself_that_it_has_gone),
		WITH_YARD(a_termination_that_fails_is_asked_for_later),
		WITH_YARD(a_node_goes_when_its_instance_has),
		WITH_YARD(a_node_whose_instance_went_by_itself),
		WITH_YARD(a_deleted_node_takes_its_claim_along),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	return plm_tests_run(&tests, "drain");
}
