/*
 * test_checks.c - each invariant can be broken, and its check notices
 *
 * The embedded ends are handed forged effects; the harness is handed forged states and a disk that
 * lies. A check that could not fail would prove nothing about the runs that it passes.
 */
#include "engine/replay.h"
#include "plm_test.h"
#include "tools/sim/runner.h"

#include <stdlib.h>

#define START_MS 1767225600000
#define MINUTE_MS 60000

struct stage {
	struct plm_arena arena;
	struct plm_world *world;
	struct plm_effects effects;
	struct plm_w_catalog catalog;
	struct plm_state st;
	uint64_t seq;
	struct plm_runner runner;
	struct plm_sim_report report;
	int64_t now_ms;
};

static struct plm_slice s(const char *text)
{
	return plm_slice_str(text);
}

static enum plm_code nowhere(void *self, const struct plm_observation *observation)
{
	(void)self;
	(void)observation;
	return PLM_OK;
}

static struct plm_vec one_type(struct plm_arena *arena)
{
	struct plm_w_instance_type *type = PLM_NEW(arena, struct plm_w_instance_type);
	struct plm_w_amount *amounts = PLM_NEW_ARRAY(arena, 2, struct plm_w_amount);
	struct plm_w_offering *offering = PLM_NEW(arena, struct plm_w_offering);

	amounts[0] = (struct plm_w_amount){s("cpu"), 4000};
	amounts[1] = (struct plm_w_amount){s("pods"), 10};
	*offering = (struct plm_w_offering){.zone = s("a"),
					    .capacity_type = s("on-demand"),
					    .price_micro = 100000,
					    .available = 1,
					    .reserved_left = PLM_UNSET};
	*type = (struct plm_w_instance_type){.name = s("t4"),
					     .capacity = {amounts, 2},
					     .allocatable = {amounts, 2},
					     .offerings = {offering, 1}};
	return (struct plm_vec){type, 1};
}

static int set_up(void **state)
{
	struct stage *t = calloc(1, sizeof(*t));
	struct plm_sim_options options;
	struct plm_error err;

	assert_non_null(t);
	plm_assert_ok(plm_arena_init(&t->arena, (size_t)64 << 20, &err), &err);
	plm_assert_ok(plm_state_init(&t->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&t->runner.arena, (size_t)64 << 20, &err), &err);
	t->catalog = (struct plm_w_catalog){
		.region = s("r"), .source = s("test"), .types = one_type(&t->arena)};
	plm_sim_defaults(&options);
	options.catalog = &t->catalog;
	options.inbox = (struct plm_inbox){.self = t, .put = nowhere};
	plm_assert_ok(plm_world_new(&options, &t->world, &err), &err);
	t->effects = plm_world_effects(t->world);
	t->effects.durable(t->effects.self, 1000);
	t->now_ms = START_MS;
	t->runner.report = &t->report;
	t->runner.world = t->world;
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct stage *t = *state;

	plm_world_free(t->world);
	plm_state_fini(&t->st);
	plm_arena_fini(&t->runner.arena);
	plm_arena_fini(&t->arena);
	free(t);
	return 0;
}

static void pass(struct stage *t, int64_t ms)
{
	t->now_ms += ms;
	plm_world_advance(t->world, t->now_ms);
}

static void ask(struct stage *t, uint64_t intent, enum plm_call call, const void *request)
{
	struct plm_effect effect = {.intent = intent,
				    .call = call,
				    .request = request,
				    .frozen = s("the same bytes"),
				    .deadline_ms = PLM_UNSET};

	(void)snprintf(effect.key, sizeof(effect.key), "KEY%llu", (unsigned long long)intent);
	t->effects.submit(t->effects.self, &effect);
}

static void expect(const struct stage *t, const char *words)
{
	const char *said = plm_world_violation(t->world);

	assert_non_null(said);
	if (strncmp(said, words, strlen(words)) != 0) {
		fail_msg("'%s' does not begin with '%s'", said, words);
	}
}

static void expect_harness(const struct stage *t, const char *words)
{
	assert_true(t->report.violations > 0);
	if (strncmp(t->report.violation, words, strlen(words)) != 0) {
		fail_msg("'%s' does not begin with '%s'", t->report.violation, words);
	}
}

/* ---- things of the world ------------------------------------------------------------------------ */

static struct plm_w_shape shape_of(struct stage *t, int64_t cpu)
{
	struct plm_w_amount *amount = PLM_NEW(&t->arena, struct plm_w_amount);

	*amount = (struct plm_w_amount){s("cpu"), cpu};
	return (struct plm_w_shape){.requests = {amount, 1}, .priority = PLM_UNSET};
}

static struct plm_w_job work(struct stage *t, enum plm_kind kind, const char *name, int64_t pods)
{
	struct plm_w_pod_set_spec *set = PLM_NEW(&t->arena, struct plm_w_pod_set_spec);

	*set = (struct plm_w_pod_set_spec){.name = s("main"),
					   .count = pods,
					   .min_count = PLM_UNSET,
					   .shape = shape_of(t, 1000)};
	return (struct plm_w_job){
		.meta = {.ns = s("ns"),
			 .name = s(name),
			 .uid = s(name),
			 .created_ms = PLM_UNSET,
			 .deleting_ms = PLM_UNSET},
		.kind = kind,
		.workload = s(name),
		.queue = s("queue"),
		.managed = 1,
		.parallelism = pods,
		.completions = pods,
		.backoff_limit = 6,
		.min_parallelism = PLM_UNSET,
		.started_ms = PLM_UNSET,
		.ended_ms = PLM_UNSET,
		.pod_sets = {set, 1},
	};
}

static void submit_work(struct stage *t, enum plm_kind kind, const char *name, int64_t pods,
			int64_t runtime_ms)
{
	const struct plm_w_job job = work(t, kind, name, pods);
	const struct plm_sim_extra extra = {.runtime_ms = runtime_ms};

	plm_world_apply(t->world, PLM_EV_JOB, &job, &extra);
	pass(t, 1000);
}

static void add_node(struct stage *t)
{
	const struct plm_sim_node node = {.name = s("node-1"), .instance_type = s("t4")};
	struct plm_error err;

	plm_assert_ok(plm_world_add_node(t->world, &node, &err), &err);
}

static void launch(struct stage *t, uint64_t intent)
{
	static struct plm_w_offer offer;
	struct plm_w_req_launch request = {.claim = s("claim"), .offers = {&offer, 1}};

	offer = (struct plm_w_offer){
		.instance_type = s("t4"), .zone = s("a"), .capacity_type = s("on-demand")};
	ask(t, intent, PLM_CALL_LAUNCH, &request);
	pass(t, 2000);
}

/* The node that boots first takes pods once its taint is gone. */
static void register_node(struct stage *t, uint64_t intent)
{
	struct plm_slice key = s("karpenter.sh/unregistered");
	const struct plm_w_req_node_sync request = {
		.node = s("ip-10-0-0-1.us-west-2.compute.internal"),
		.claim = s("claim"),
		.untaint = {&key, 1}};

	ask(t, intent, PLM_CALL_NODE_SYNC, &request);
	pass(t, 1000);
}

static void start(struct stage *t, uint64_t intent, const char *name)
{
	const struct plm_w_req_job_start request = {
		.kind = PLM_KIND_JOB, .ns = s("ns"), .name = s(name), .uid = s(name)};

	ask(t, intent, PLM_CALL_JOB_START, &request);
	pass(t, 1000);
}

static void make_pod(struct stage *t, uint64_t intent, const char *set, const char *name,
		     int64_t index)
{
	const struct plm_w_req_pod_create request = {.ns = s("ns"),
						     .name = s(name),
						     .owner = s(set),
						     .owner_uid = s(set),
						     .index = index};

	ask(t, intent, PLM_CALL_POD_CREATE, &request);
	pass(t, 1000);
}

/* ---- the embedded ends --------------------------------------------------------------------------- */

static void one_intent_launches_once(void **state)
{
	struct stage *t = *state;
	static struct plm_w_offer offer;
	struct plm_w_req_launch request = {.claim = s("claim"), .offers = {&offer, 1}};
	struct plm_effect effect = {.intent = 7, .call = PLM_CALL_LAUNCH, .request = &request};

	offer = (struct plm_w_offer){
		.instance_type = s("t4"), .zone = s("a"), .capacity_type = s("on-demand")};
	launch(t, 7);
	launch(t, 7); /* the same token: the same instance */
	assert_null(plm_world_violation(t->world));
	memcpy(effect.key, "ANOTHERKEY", sizeof("ANOTHERKEY"));
	t->effects.submit(t->effects.self, &effect);
	pass(t, 2000);
	expect(t, "S1: intent 7 launches again");
}

static void a_token_has_one_request(void **state)
{
	struct stage *t = *state;
	struct plm_w_req_launch request = {.claim = s("claim")};
	struct plm_effect effect = {.intent = 7,
				    .call = PLM_CALL_LAUNCH,
				    .request = &request,
				    .frozen = s("other bytes")};

	launch(t, 7);
	memcpy(effect.key, "KEY7", sizeof("KEY7"));
	t->effects.submit(t->effects.self, &effect);
	pass(t, 2000);
	expect(t, "S5: intent 7: its token");
}

static void effects_wait_for_the_log(void **state)
{
	struct stage *t = *state;

	launch(t, 1000);
	assert_null(plm_world_violation(t->world));
	launch(t, 1001);
	expect(t, "S5: effect instance.launch of intent 1001");
}

static void what_runs_is_not_started(void **state)
{
	struct stage *t = *state;

	submit_work(t, PLM_KIND_JOB, "job", 1, PLM_UNSET);
	start(t, 5, "job");
	start(t, 5, "job"); /* sent again: already done */
	assert_null(plm_world_violation(t->world));
	start(t, 6, "job");
	expect(t, "S4: intent 6 starts Job ns/job, but it runs already");
}

static void what_has_ended_is_not_started(void **state)
{
	struct stage *t = *state;

	add_node(t);
	submit_work(t, PLM_KIND_JOB, "job", 1, 1000);
	start(t, 5, "job");
	pass(t, MINUTE_MS);
	start(t, 6, "job");
	expect(t, "S4: intent 6 starts Job ns/job, but it has finished");
}

static void a_gang_has_no_more_pods_than_it_wants(void **state)
{
	struct stage *t = *state;

	submit_work(t, PLM_KIND_POD_SET, "set", 2, PLM_UNSET);
	make_pod(t, 5, "set", "set-0", 0);
	make_pod(t, 6, "set", "set-2", 2);
	expect(t, "S4: intent 6 makes pod set-2");
}

static void a_gang_is_all_or_nothing(void **state)
{
	struct stage *t = *state;

	submit_work(t, PLM_KIND_POD_SET, "set", 2, PLM_UNSET);
	make_pod(t, 5, "set", "set-0", 0);
	assert_null(plm_world_violation(t->world));
	pass(t, 11 * MINUTE_MS);
	expect(t, "S4: PodSet ns/set has 1 of 2 pods");
}

static void work_is_not_ended_with_its_node(void **state)
{
	struct stage *t = *state;
	struct plm_w_req_terminate request = {.claim = s("claim"),
					      .provider_id = s("aws:///a/i-00000000000000001")};

	launch(t, 5);
	pass(t, MINUTE_MS);
	register_node(t, 8);
	submit_work(t, PLM_KIND_JOB, "job", 1, PLM_UNSET);
	start(t, 6, "job");
	pass(t, MINUTE_MS);
	ask(t, 7, PLM_CALL_TERMINATE, &request);
	pass(t, 2000);
	expect(t, "S12: aws:///a/i-00000000000000001 is terminated while pod ns/job-");
}

static void a_protected_pod_is_not_evicted(void **state)
{
	struct stage *t = *state;
	const struct plm_w_pod pod = {.meta = {.ns = s("ns"),
					       .name = s("p"),
					       .uid = s("p"),
					       .created_ms = PLM_UNSET,
					       .deleting_ms = PLM_UNSET},
				      .node = s("node-1"),
				      .phase = PLM_PHASE_RUNNING,
				      .do_not_disrupt = 1,
				      .grace_s = 30,
				      .started_ms = PLM_UNSET,
				      .max_exec_s = PLM_UNSET};
	struct plm_w_req_pod request = {
		.ns = s("ns"), .name = s("p"), .uid = s("p"), .grace_ms = PLM_UNSET};

	add_node(t);
	plm_world_apply(t->world, PLM_EV_POD, &pod, NULL);
	pass(t, 1000);
	ask(t, 5, PLM_CALL_POD_EVICT, &request);
	pass(t, 1000);
	expect(t, "S12: intent 5 evicts pod ns/p, which says do-not-disrupt");
}

static void instances_do_not_outlive_their_nodes(void **state)
{
	struct stage *t = *state;
	struct plm_w_req_node_delete request = {
		.node = s("ip-10-0-0-1.us-west-2.compute.internal")};

	launch(t, 5);
	pass(t, MINUTE_MS);
	ask(t, 6, PLM_CALL_NODE_DELETE, &request);
	pass(t, 3 * MINUTE_MS);
	assert_null(plm_world_violation(t->world));
	pass(t, 3 * MINUTE_MS);
	expect(t, "L3: aws:///a/i-00000000000000001 of intent 5 lives without a node");
}

static void effects_come_to_an_end(void **state)
{
	struct stage *t = *state;

	launch(t, 1);
	for (uint64_t i = 2; i < 400; i++) {
		pass(t, MINUTE_MS);
		launch(t, i);
	}
	expect(t, "L5: 200 effects");
}

static void add_queue(struct stage *t, int64_t cpu)
{
	struct plm_w_quota quota = {
		.resource = s("cpu"), .nominal = cpu, .borrowing = PLM_UNSET, .lending = PLM_UNSET};
	struct plm_w_flavor_quota flavor = {.flavor = s("default"), .quotas = {&quota, 1}};
	struct plm_slice resource = s("cpu");
	struct plm_w_group group = {.resources = {&resource, 1}, .flavors = {&flavor, 1}};
	const struct plm_w_cluster_queue queue = {
		.meta = {.name = s("cluster"), .created_ms = PLM_UNSET, .deleting_ms = PLM_UNSET},
		.groups = {&group, 1},
		.ns_selector = {.present = 1},
		.borrow_threshold = PLM_UNSET,
		.preempt_threshold = PLM_UNSET,
		.weight_nano = 1000000000};
	const struct plm_w_local_queue local = {.meta = {.ns = s("ns"),
							 .name = s("queue"),
							 .created_ms = PLM_UNSET,
							 .deleting_ms = PLM_UNSET},
						.cluster_queue = s("cluster")};

	plm_world_apply(t->world, PLM_EV_CLUSTER_QUEUE, &queue, NULL);
	plm_world_apply(t->world, PLM_EV_LOCAL_QUEUE, &local, NULL);
}

static void what_fits_does_not_wait(void **state)
{
	struct stage *t = *state;

	add_node(t);
	add_queue(t, 500);
	submit_work(t, PLM_KIND_JOB, "job", 1, PLM_UNSET);
	plm_world_check_end(t->world, true);
	assert_null(plm_world_violation(t->world)); /* more than the queue has */
	add_queue(t, 2000);
	pass(t, 1000);
	plm_world_check_end(t->world, true);
	expect(t, "L1: Job ns/job waits");
}

/* ---- the harness --------------------------------------------------------------------------------- */

static void fold(struct stage *t, enum plm_event_type type, const void *payload)
{
	struct plm_event event = {.seq = ++t->seq,
				  .type = (uint16_t)type,
				  .payload = payload,
				  .wall_ns = (uint64_t)START_MS * 1000000,
				  .tick_ms = START_MS,
				  .print_low = t->seq,
				  .print_high = t->seq};

	plm_apply(&t->st, &event, &t->arena);
}

static void fold_queue(struct stage *t, int64_t cpu)
{
	struct plm_w_quota quota = {
		.resource = s("cpu"), .nominal = cpu, .borrowing = PLM_UNSET, .lending = PLM_UNSET};
	struct plm_w_flavor_quota flavor = {.flavor = s("default"), .quotas = {&quota, 1}};
	struct plm_slice resource = s("cpu");
	struct plm_w_group group = {.resources = {&resource, 1}, .flavors = {&flavor, 1}};
	const struct plm_w_cluster_queue queue = {
		.meta = {.name = s("cluster"), .created_ms = START_MS, .deleting_ms = PLM_UNSET},
		.groups = {&group, 1},
		.ns_selector = {.present = 1},
		.borrow_threshold = PLM_UNSET,
		.preempt_threshold = PLM_UNSET,
		.weight_nano = 1000000000};

	fold(t, PLM_EV_CLUSTER_QUEUE, &queue);
}

/* A job that holds 3 cpu, whether or not there is quota for it. */
static void fold_reserved(struct stage *t, const char *name)
{
	struct plm_w_job job = work(t, PLM_KIND_JOB, name, 3);
	struct plm_w_kv flavor = {s("cpu"), s("default")};
	struct plm_w_amount usage = {s("cpu"), 3000};
	struct plm_w_assignment assignment = {
		.name = s("main"), .count = 3, .flavors = {&flavor, 1}, .usage = {&usage, 1}};
	const struct plm_w_reserve reserve = {.ns = s("ns"),
					      .name = s(name),
					      .cluster_queue = s("cluster"),
					      .assignments = {&assignment, 1},
					      .admitted = 1};

	job.meta.created_ms = START_MS;
	job.suspended = 1;
	fold(t, PLM_EV_JOB, &job);
	fold(t, PLM_EV_RESERVE, &reserve);
}

static void usage_stays_within_quota(void **state)
{
	struct stage *t = *state;

	fold_queue(t, 4000);
	fold_reserved(t, "a");
	plm_runner_check_quota(&t->runner, &t->st);
	assert_int_equal(t->report.violations, 0);
	fold_reserved(t, "b");
	plm_runner_check_quota(&t->runner, &t->st);
	expect_harness(t, "S2: cluster/default/cpu uses 6000 of 4000");
}

static void usage_may_stay_above_a_quota_that_was_cut(void **state)
{
	struct stage *t = *state;

	fold_queue(t, 4000);
	fold_reserved(t, "a");
	plm_runner_check_quota(&t->runner, &t->st);
	fold_queue(t, 1000);
	plm_runner_check_quota(&t->runner, &t->st);
	assert_int_equal(t->report.violations, 0);
	fold_reserved(t, "b");
	plm_runner_check_quota(&t->runner, &t->st);
	expect_harness(t, "S2: cluster/default/cpu uses 6000 of 1000");
}

static void no_work_is_lost(void **state)
{
	struct stage *t = *state;

	submit_work(t, PLM_KIND_JOB, "job", 1, PLM_UNSET);
	plm_runner_check_work(&t->runner, &t->st);
	expect_harness(t, "S3: Job ns/job is lost");
}

static void quota_is_held_by_what_runs(void **state)
{
	struct stage *t = *state;

	submit_work(t, PLM_KIND_JOB, "a", 3, PLM_UNSET);
	fold_queue(t, 4000);
	fold_reserved(t, "a");
	plm_runner_check_holders(&t->runner, &t->st);
	expect_harness(t, "S2: Job ns/a holds quota and does not run");
}

static void what_runs_holds_quota(void **state)
{
	struct stage *t = *state;
	struct plm_w_job job = work(t, PLM_KIND_JOB, "a", 3);

	submit_work(t, PLM_KIND_JOB, "a", 3, PLM_UNSET);
	start(t, 5, "a");
	fold_queue(t, 4000);
	job.meta.created_ms = START_MS;
	fold(t, PLM_EV_JOB, &job);
	plm_runner_check_holders(&t->runner, &t->st);
	expect_harness(t, "S2: Job ns/a runs without quota");
}

/* Two of three nodes at once, where one in three may go. */
static void budgets_are_not_exceeded(void **state)
{
	static const char *const names[3] = {"a", "b", "c"};
	struct stage *t = *state;
	struct plm_w_budget budget = {.nodes = s("33%"), .duration_ms = PLM_UNSET};
	struct plm_w_node_pool pool = {.meta = {.name = s("pool"), .deleting_ms = PLM_UNSET},
				       .class_name = s("class"),
				       .max_size = PLM_UNSET,
				       .expire_ms = PLM_UNSET,
				       .grace_ms = PLM_UNSET,
				       .budgets = {&budget, 1}};

	fold(t, PLM_EV_NODE_POOL, &pool);
	for (size_t i = 0; i < 3; i++) {
		struct plm_w_node_claim claim = {
			.meta = {.name = s(names[i]), .deleting_ms = PLM_UNSET},
			.pool = s("pool"),
			.provider_id = s(names[i]),
			.initialized_ms = START_MS,
			.expire_ms = PLM_UNSET,
			.grace_ms = PLM_UNSET};
		struct plm_w_node node = {.meta = {.name = s(names[i]), .deleting_ms = PLM_UNSET},
					  .provider_id = s(names[i]),
					  .ready = 1};

		fold(t, PLM_EV_NODE_CLAIM, &claim);
		fold(t, PLM_EV_NODE, &node);
	}
	fold(t, PLM_EV_CLAIM_END,
	     &(struct plm_w_claim_end){.name = s("a"), .reason = PLM_REASON_EMPTY});
	plm_runner_check_budgets(&t->runner, &t->st);
	assert_int_equal(t->report.violations, 0);
	fold(t, PLM_EV_CLAIM_END,
	     &(struct plm_w_claim_end){.name = s("b"), .reason = PLM_REASON_EXPIRED});
	plm_runner_check_budgets(&t->runner, &t->st);
	assert_int_equal(t->report.violations, 0); /* its age asks no budget */
	fold(t, PLM_EV_CLAIM_END,
	     &(struct plm_w_claim_end){.name = s("c"), .reason = PLM_REASON_EMPTY});
	plm_runner_check_budgets(&t->runner, &t->st);
	expect_harness(t, "S12: 3 of 3 nodes of pool pool go, its budgets allow 1");
}

static void limits_are_not_met(void **state)
{
	struct stage *t = *state;

	plm_runner_check_limits(&t->runner, &t->st, 0);
	assert_int_equal(t->report.violations, 0);
	plm_runner_check_limits(&t->runner, &t->st, 1);
	expect_harness(t, "S13: a limit");
}

static void beliefs_are_true(void **state)
{
	struct stage *t = *state;

	fold_queue(t, 1000);
	plm_runner_check_beliefs(&t->runner, &t->st);
	expect_harness(t, "L4: the engine believes in ClusterQueue /cluster, which is gone");
}

static void the_world_is_believed(void **state)
{
	struct stage *t = *state;

	add_queue(t, 1000);
	plm_runner_check_beliefs(&t->runner, &t->st);
	expect_harness(t, "L4: the cluster has 3 objects, the engine knows 0");
}

static void a_replay_that_differs_is_noticed(void **state)
{
	struct stage *t = *state;
	struct plm_log *log = NULL;
	struct plm_error err;

	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	plm_runner_check_replay(&t->runner, log, (struct plm_hash128){1, 2});
	plm_log_close(log);
	expect_harness(t, "S7: ");
}

static void run_lines(const char *lines, bool lying, struct plm_sim_report *report)
{
	struct plm_sim_run_options options = {.scenario = "lines",
					      .text = s(lines),
					      .seed = 1,
					      .until_ms = PLM_UNSET,
					      .lying_disk = lying};
	struct plm_error err;

	plm_assert_ok(plm_sim_run(&options, report, &err), &err);
}

static void a_disk_that_forgets_is_noticed(void **state)
{
	static const char lines[] =
		"apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nmetadata: {name: lies}\n"
		"spec:\n  duration: 10m\n"
		"  cluster: {nodes: [{count: 1, capacity: {cpu: 4}}]}\n"
		"  faults: [{kind: crash, at: 5s}]\n"
		"  arrivals:\n  - at: 10s\n    count: 5\n    every: 10s\n"
		"    runtime: {min: 10s, max: 10s}\n    object:\n"
		"      {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}, spec: "
		"{containers: "
		"[{name: c, image: i}]}}\n";
	struct plm_sim_report report;

	(void)state;
	run_lines(lines, false, &report);
	assert_int_equal(report.violations, 0);
	assert_int_equal(report.crashes, 1);
	run_lines(lines, true, &report);
	assert_true(report.violations > 0);
	assert_int_equal(strncmp(report.violation, "S8: ", 4), 0);
}

#define ON_STAGE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	static struct plm_tests tests;
	const struct CMUnitTest list[] = {
		ON_STAGE(one_intent_launches_once),
		ON_STAGE(a_token_has_one_request),
		ON_STAGE(effects_wait_for_the_log),
		ON_STAGE(what_runs_is_not_started),
		ON_STAGE(what_has_ended_is_not_started),
		ON_STAGE(a_gang_has_no_more_pods_than_it_wants),
		ON_STAGE(a_gang_is_all_or_nothing),
		ON_STAGE(work_is_not_ended_with_its_node),
		ON_STAGE(a_protected_pod_is_not_evicted),
		ON_STAGE(instances_do_not_outlive_their_nodes),
		ON_STAGE(effects_come_to_an_end),
		ON_STAGE(what_fits_does_not_wait),
		ON_STAGE(usage_stays_within_quota),
		ON_STAGE(usage_may_stay_above_a_quota_that_was_cut),
		ON_STAGE(no_work_is_lost),
		ON_STAGE(quota_is_held_by_what_runs),
		ON_STAGE(what_runs_holds_quota),
		ON_STAGE(limits_are_not_met),
		ON_STAGE(budgets_are_not_exceeded),
		ON_STAGE(beliefs_are_true),
		ON_STAGE(the_world_is_believed),
		ON_STAGE(a_replay_that_differs_is_noticed),
		ON_STAGE(a_disk_that_forgets_is_noticed),
	};

	for (size_t i = 0; i < PLM_COUNTOF(list); i++) {
		tests.list[tests.count++] = list[i];
	}
	return plm_tests_run(&tests, "checks");
}
