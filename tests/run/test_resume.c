/*
 * test_resume.c - the embedded world as a log left it
 *
 * Logs are written event by event; the world that is built from them is looked at from inside.
 */
#include "plm_test.h"

#include "adapters/sim/world.h"
#include "codec/codec.h"
#include "engine/outbox.h"
#include "resume.h"

#define NOW 1767225700000
#define CLUSTER "cluster"

static struct plm_arena arena;
static struct plm_log *event_log;
static struct plm_w_catalog catalog;
static struct plm_world *world;
static int heard;

/* Append one event; returns its number. */
static uint64_t add(enum plm_event_type type, const void *payload)
{
	struct plm_envelope envelope = {
		.format = PLM_ENVELOPE_FORMAT,
		.type = (uint16_t)type,
		.schema = PLM_SCHEMA_FLOOR,
		.seq = plm_log_head(event_log).seq + 1,
		.epoch = 1,
		.wall_ns = 1767225600000000000ULL,
		.payload = plm_payload_encode(plm_event_info((uint16_t)type), payload,
					      (struct plm_slice){0}, &arena),
	};
	struct plm_slice record = plm_envelope_encode(&envelope, &arena);
	struct plm_error err;

	plm_assert_ok(plm_log_commit(event_log, &record, 1, &err), &err);
	return envelope.seq;
}

static uint64_t intend(enum plm_call call, const void *request)
{
	struct plm_w_intent intent = {.call = call, .kind = PLM_KIND_JOB};

	if (call == PLM_CALL_JOB_START) {
		intent.kind = ((const struct plm_w_req_job_start *)request)->kind;
		intent.ns = ((const struct plm_w_req_job_start *)request)->ns;
		intent.name = ((const struct plm_w_req_job_start *)request)->name;
	}
	intent.frozen = plm_wire_encode(plm_call_request(call), request, &arena);
	return add(PLM_EV_INTENT, &intent);
}

static void done(uint64_t intent)
{
	const struct plm_w_result result = {
		.intent = (int64_t)intent, .class = PLM_RESULT_DONE, .price_micro = PLM_UNSET};

	(void)add(PLM_EV_RESULT, &result);
}

static enum plm_code hear(void *self, const struct plm_observation *observation)
{
	(void)self;
	(void)observation;
	heard++;
	return PLM_OK;
}

static void begin(void)
{
	const struct plm_w_genesis genesis = {.started_ms = 1767225600000};
	struct plm_error err;

	plm_arena_reset(&arena);
	heard = 0;
	plm_assert_ok(plm_log_open_memory(&event_log, &err), &err);
	(void)add(PLM_EV_GENESIS, &genesis);
}

static void build(void)
{
	struct plm_sim_options options;
	struct plm_resume_build with = {.cluster_uid = CLUSTER, .number = 1000};
	struct plm_resume *resume = NULL;
	struct plm_error err;

	plm_sim_defaults(&options);
	options.start_ms = NOW;
	options.catalog = &catalog;
	options.inbox.put = hear;
	plm_assert_ok(plm_world_new(&options, &world, &err), &err);
	with.world = world;
	plm_assert_ok(plm_resume_read(event_log, &resume, &err), &err);
	assert_int_equal(plm_resume_started_ms(resume), 1767225600000);
	plm_assert_ok(plm_resume_world(resume, &with, &err), &err);
	plm_resume_free(resume);
}

static void end(void)
{
	plm_world_free(world);
	plm_log_close(event_log);
}

static struct plm_w_meta meta(const char *name, const char *uid)
{
	return (struct plm_w_meta){.ns = plm_slice_str("ns"),
				   .name = plm_slice_str(name),
				   .uid = plm_slice_str(uid),
				   .created_ms = 1,
				   .deleting_ms = PLM_UNSET,
				   .generation = 1};
}

static const struct plm_w_pod_set_spec one_pod = {.name = {(const uint8_t *)"main", 4},
						  .count = 1,
						  .min_count = PLM_UNSET,
						  .shape = {.priority = PLM_UNSET}};

static struct plm_w_job job(const char *name, int64_t suspended)
{
	return (struct plm_w_job){.meta = meta(name, "job-uid"),
				  .kind = PLM_KIND_JOB,
				  .managed = 1,
				  .suspended = suspended,
				  .parallelism = 1,
				  .completions = 1,
				  .backoff_limit = 6,
				  .min_parallelism = PLM_UNSET,
				  .ended_ms = PLM_UNSET,
				  .started_ms = PLM_UNSET,
				  .pod_sets = {&one_pod, 1}};
}

static const struct plm_w_req_job_start start_request = {.kind = PLM_KIND_JOB,
							 .ns = {(const uint8_t *)"ns", 2},
							 .name = {(const uint8_t *)"j", 1},
							 .uid = {(const uint8_t *)"job-uid", 7}};

static struct plm_sim_object *the_job(void)
{
	return plm_sim_find(world, PLM_KIND_JOB, plm_slice_str("ns"), plm_slice_str("j"));
}

static void an_empty_log_is_nothing(void **state)
{
	struct plm_resume *resume = NULL;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_log_open_memory(&event_log, &err), &err);
	plm_assert_ok(plm_resume_read(event_log, &resume, &err), &err);
	assert_true(plm_resume_started_ms(resume) == PLM_UNSET);
	assert_int_equal(plm_resume_count(resume), 0);
	plm_resume_free(resume);
	plm_log_close(event_log);
}

static void the_last_fact_counts_and_what_is_gone_is_gone(void **state)
{
	struct plm_w_job first = job("j", 1);
	struct plm_w_job other = job("k", 1);
	const struct plm_w_gone gone = {
		.kind = PLM_KIND_JOB, .ns = plm_slice_str("ns"), .name = plm_slice_str("k")};
	struct plm_resume *resume = NULL;
	struct plm_error err;

	(void)state;
	begin();
	(void)add(PLM_EV_JOB, &first);
	(void)add(PLM_EV_JOB, &other);
	first.succeeded = 3;
	(void)add(PLM_EV_JOB, &first);
	(void)add(PLM_EV_GONE, &gone);
	plm_assert_ok(plm_resume_read(event_log, &resume, &err), &err);
	assert_int_equal(plm_resume_count(resume), 1);
	assert_true(
		plm_resume_knows(resume, PLM_KIND_JOB, plm_slice_str("ns"), plm_slice_str("k")));
	assert_false(
		plm_resume_knows(resume, PLM_KIND_POD, plm_slice_str("ns"), plm_slice_str("k")));
	plm_resume_free(resume);
	build();
	assert_int_equal(the_job()->of.job->succeeded, 3);
	plm_assert_text(the_job()->of.job->meta.uid, "job-uid");
	assert_false(plm_world_exists(world, PLM_KIND_JOB, plm_slice_str("ns"), plm_slice_str("k"),
				      (struct plm_slice){0}));
	assert_true(heard >= 1);
	end();
}

static void a_start_that_was_asked_for_only_is_not_done(void **state)
{
	const struct plm_w_job first = job("j", 1);

	(void)state;
	begin();
	(void)add(PLM_EV_JOB, &first);
	(void)intend(PLM_CALL_JOB_START, &start_request);
	build();
	assert_int_equal(the_job()->of.job->suspended, 1);
	assert_int_equal(the_job()->my.job->start_intent, 0);
	end();
}

static void a_start_that_was_done_and_not_told_is_done_again(void **state)
{
	const struct plm_w_job first = job("j", 1);
	uint64_t intent = 0;

	(void)state;
	begin();
	(void)add(PLM_EV_JOB, &first);
	intent = intend(PLM_CALL_JOB_START, &start_request);
	done(intent);
	build();
	assert_int_equal(the_job()->of.job->suspended, 0);
	assert_int_equal(the_job()->my.job->start_intent, intent);
	assert_null(plm_world_violation(world));
	end();
}

static void a_start_that_was_told_is_known_by_its_intent(void **state)
{
	const struct plm_w_job first = job("j", 1);
	const struct plm_w_job told = job("j", 0);
	uint64_t intent = 0;

	(void)state;
	begin();
	(void)add(PLM_EV_JOB, &first);
	intent = intend(PLM_CALL_JOB_START, &start_request);
	(void)add(PLM_EV_JOB, &told);
	build();
	assert_int_equal(the_job()->of.job->suspended, 0);
	assert_int_equal(the_job()->my.job->start_intent, intent);
	end();
}

static void pods_lie_on_their_nodes_under_their_owners(void **state)
{
	const struct plm_w_job owner = job("j", 0);
	const struct plm_w_amount room[] = {{plm_slice_str("cpu"), 4000},
					    {plm_slice_str("pods"), 9}};
	struct plm_w_node node = {.meta = meta("n", "node-uid"),
				  .capacity = {room, 2},
				  .allocatable = {room, 2},
				  .ready = 1};
	struct plm_w_pod pod = {.meta = meta("j-x", "pod-uid"),
				.shape = {.priority = PLM_UNSET},
				.node = plm_slice_str("n"),
				.phase = PLM_PHASE_RUNNING,
				.ready = 1,
				.started_ms = 5};
	const struct plm_sim_object *found = NULL;

	(void)state;
	begin();
	node.meta.ns = (struct plm_slice){0};
	pod.meta.owner_kind = plm_slice_str("Job");
	pod.meta.owner_name = plm_slice_str("j");
	pod.meta.owner_uid = plm_slice_str("job-uid");
	(void)add(PLM_EV_POD, &pod); /* before its owner and its node */
	(void)add(PLM_EV_JOB, &owner);
	(void)add(PLM_EV_NODE, &node);
	build();
	found = plm_sim_find(world, PLM_KIND_POD, plm_slice_str("ns"), plm_slice_str("j-x"));
	assert_non_null(found);
	assert_ptr_equal(found->owner, the_job());
	assert_non_null(found->my.pod->node);
	plm_assert_text(found->my.pod->node->of.meta->name, "n");
	assert_int_equal(found->of.pod->started_ms, 5);
	plm_world_advance(world, NOW + 1000);
	assert_int_equal(the_job()->of.job->active, 1);
	assert_null(the_job()->child->sibling_next);
	end();
}

/* ---- instances --------------------------------------------------------------------------------- */

#define PROVIDER "aws:///z/i-1"

static const struct plm_w_offering offering = {.zone = {(const uint8_t *)"z", 1},
					       .capacity_type = {(const uint8_t *)"spot", 4},
					       .price_micro = 5,
					       .available = 1,
					       .reserved_left = PLM_UNSET};
static const struct plm_w_amount type_room[] = {{{(const uint8_t *)"cpu", 3}, 1900},
						{{(const uint8_t *)"pods", 4}, 29}};
static const struct plm_w_ec2_facts type_facts = {
	.vcpu = 2, .memory_mib = 8192, .enis = 3, .ipv4_per_eni = 10};
static struct plm_w_instance_type type = {.name = {(const uint8_t *)"m5.large", 8},
					  .capacity = {type_room, 2},
					  .allocatable = {type_room, 2},
					  .offerings = {&offering, 1}};
static const struct plm_w_offer offer = {.instance_type = {(const uint8_t *)"m5.large", 8},
					 .zone = {(const uint8_t *)"z", 1},
					 .capacity_type = {(const uint8_t *)"spot", 4},
					 .image = PLM_UNSET,
					 .pods = PLM_UNSET};
static const struct plm_w_taint startup = {.key = {(const uint8_t *)"startup", 7},
					   .effect = PLM_EFFECT_NO_SCHEDULE};
static const struct plm_w_req_launch launch_request = {.claim = {(const uint8_t *)"c", 1},
						       .class_name = {(const uint8_t *)"class", 5},
						       .offers = {&offer, 1},
						       .startup_taints = {&startup, 1}};

/* A log of a launch whose instance was last seen in 'state'; returns the intent. */
static uint64_t begin_launched(const char *state)
{
	struct plm_w_instance fact = {.provider_id = plm_slice_str(PROVIDER),
				      .state = plm_slice_str(state),
				      .instance_type = plm_slice_str("m5.large"),
				      .zone = plm_slice_str("z"),
				      .capacity_type = plm_slice_str("spot"),
				      .launched_ms = 7};
	uint64_t intent = 0;

	catalog = (struct plm_w_catalog){.types = {&type, 1}};
	begin();
	intent = intend(PLM_CALL_LAUNCH, &launch_request);
	fact.intent = (int64_t)intent;
	(void)add(PLM_EV_INSTANCE, &fact);
	return intent;
}

static void end_launched(void)
{
	assert_null(plm_world_violation(world));
	end();
	catalog = (struct plm_w_catalog){.types = {NULL, 0}};
}

static void add_node(int64_t ready)
{
	struct plm_w_node node = {.meta = meta("n", "node-uid"),
				  .provider_id = plm_slice_str(PROVIDER),
				  .capacity = {type_room, 2},
				  .allocatable = {type_room, 2},
				  .taints = {&startup, 1},
				  .ready = ready};

	node.meta.ns = (struct plm_slice){0};
	(void)add(PLM_EV_NODE, &node);
}

static void add_pod_on_node(void)
{
	struct plm_w_pod pod = {.meta = meta("p", "pod-uid"),
				.shape = {.priority = PLM_UNSET},
				.node = plm_slice_str("n"),
				.phase = PLM_PHASE_RUNNING,
				.ready = 1,
				.started_ms = 5};

	(void)add(PLM_EV_POD, &pod);
}

static int64_t room_of(const struct plm_sim_object *node, const char *resource)
{
	return node->my.node->allocatable[plm_sim_resource(world, plm_slice_str(resource))];
}

static bool has_startup_taint(const struct plm_sim_object *node)
{
	const struct plm_w_taint *taints = node->of.node->taints.ptr;

	for (size_t i = 0; i < node->of.node->taints.count; i++) {
		if (plm_slice_is(taints[i].key, "startup")) {
			return true;
		}
	}
	return false;
}

static const struct plm_w_kv claim_labels[] = {
	{{(const uint8_t *)"karpenter.sh/capacity-type", 26}, {(const uint8_t *)"spot", 4}},
	{{(const uint8_t *)"node.kubernetes.io/instance-type", 32},
	 {(const uint8_t *)"m5.large", 8}},
	{{(const uint8_t *)"topology.kubernetes.io/zone", 27}, {(const uint8_t *)"z", 1}},
};

/* The log of a claim that was given with an instance of state 'state'; NULL: nobody has told of it. */
static void begin_given(const char *state)
{
	struct plm_w_node_claim claim = {.meta = meta("c", "claim-uid"),
					 .provider_id = plm_slice_str(PROVIDER),
					 .launched_ms = 7};
	struct plm_w_instance fact = {.provider_id = plm_slice_str(PROVIDER),
				      .instance_type = plm_slice_str("m5.large"),
				      .zone = plm_slice_str("z"),
				      .capacity_type = plm_slice_str("spot"),
				      .launched_ms = 7,
				      .claim = plm_slice_str("c")};

	catalog = (struct plm_w_catalog){.types = {&type, 1}};
	begin();
	claim.meta.ns = (struct plm_slice){0};
	claim.meta.labels = (struct plm_vec){claim_labels, PLM_COUNTOF(claim_labels)};
	(void)add(PLM_EV_NODE_CLAIM, &claim);
	if (state != NULL) {
		fact.state = plm_slice_str(state);
		(void)add(PLM_EV_INSTANCE, &fact);
	}
}

/* A launch whose answer is in the log, and one that is known by the instance only. */
static void a_launch_is_answered_with_the_same_instance(void **state)
{
	struct plm_effect again = {.call = PLM_CALL_LAUNCH, .request = &launch_request};
	struct plm_w_result out = {.price_micro = PLM_UNSET};

	(void)state;
	again.intent = begin_launched("running");
	build();
	assert_non_null(world->instances);
	assert_null(world->instances->next);
	again.frozen = plm_wire_encode(&plm_type_req_launch, &launch_request, &arena);
	plm_intent_key(plm_slice_str(CLUSTER), again.intent, again.key);
	plm_sim_launch(world, &again, &out);
	assert_int_equal(out.class, PLM_RESULT_ALREADY_DONE);
	plm_assert_text(out.provider_id, PROVIDER);
	assert_int_equal(out.allocatable.count, 2);
	assert_null(world->instances->next);
	end_launched();
}

/* The process died while the instance booted: its node has what the type and the class give it. */
static void a_boot_that_goes_on_ends_in_a_whole_node(void **state)
{
	struct plm_w_node_class class = {.meta = meta("class", "class-uid"),
					 .kind = PLM_KIND_NODE_CLASS,
					 .kubelet = {.present = 1, .max_pods = 7}};
	const struct plm_sim_object *node = NULL;

	(void)state;
	type.facts = (struct plm_vec){&type_facts, 1};
	(void)begin_launched("pending");
	class.meta.ns = (struct plm_slice){0};
	(void)add(PLM_EV_NODE_CLASS, &class);
	build();
	plm_world_advance(world, NOW + 60000);
	node = world->instances->node;
	assert_non_null(node);
	assert_int_equal(node->of.node->ready, 1);
	assert_int_equal(room_of(node, "pods"), 7);
	assert_true(room_of(node, "cpu") > 0);
	assert_true(node->of.node->allocatable.count >= 2);
	assert_true(node->of.node->capacity.count >= 2);
	assert_false(has_startup_taint(node));
	type.facts = (struct plm_vec){0};
	end_launched();
}

static void startup_taints_of_a_ready_node_go(void **state)
{
	const struct plm_sim_object *node = NULL;

	(void)state;
	(void)begin_launched("running");
	add_node(1);
	build();
	node = world->instances->node;
	assert_non_null(node);
	assert_true(has_startup_taint(node));
	plm_world_advance(world, NOW + 60000);
	assert_int_equal(node->of.node->ready, 1);
	assert_false(has_startup_taint(node));
	end_launched();
}

static void an_instance_whose_node_is_gone_makes_no_other(void **state)
{
	const struct plm_w_gone gone = {.kind = PLM_KIND_NODE, .name = plm_slice_str("n")};

	(void)state;
	(void)begin_launched("running");
	add_node(1);
	(void)add(PLM_EV_GONE, &gone);
	build();
	plm_world_advance(world, NOW + 60000);
	assert_null(world->instances->node);
	assert_null(world->first[PLM_KIND_NODE]);
	end_launched();
}

/* Whatever was told of its end before the process died: node and pods go. */
static void an_instance_that_ends_takes_its_node(void **state)
{
	static const char *const ends[] = {"shutting-down", "terminated"};

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(ends); i++) {
		(void)begin_launched(ends[i]);
		add_node(1);
		add_pod_on_node();
		build();
		assert_null(world->first[PLM_KIND_POD]);
		plm_world_advance(world, NOW + 120000);
		assert_null(world->first[PLM_KIND_NODE]);
		assert_int_equal(world->instances->state, PLM_SIM_TERMINATED);
		end_launched();
	}
}

static void an_end_that_was_announced_comes(void **state)
{
	const struct plm_w_interruption warning = {.provider_id = plm_slice_str(PROVIDER),
						   .at_ms = NOW + 90000,
						   .kind = PLM_INTERRUPT_SPOT};

	(void)state;
	(void)begin_launched("running");
	add_node(1);
	(void)add(PLM_EV_INTERRUPTION, &warning);
	build();
	assert_true(world->instances->warned);
	plm_world_advance(world, NOW + 89999);
	assert_int_equal(world->instances->state, PLM_SIM_RUNNING);
	plm_world_advance(world, NOW + 90000);
	assert_int_equal(world->instances->state, PLM_SIM_SHUTTING_DOWN);
	end_launched();
}

static void the_instance_of_a_given_claim_goes_on(void **state)
{
	static const char *const told[] = {NULL, "running"};

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(told); i++) {
		begin_given(told[i]);
		build();
		assert_non_null(world->instances);
		assert_null(world->instances->next);
		plm_world_advance(world, NOW + 60000);
		assert_non_null(world->instances->node);
		assert_int_equal(world->instances->node->of.node->ready, 1);
		assert_int_equal(room_of(world->instances->node, "pods"), 29);
		end_launched();
	}
	begin_given("terminated");
	build();
	plm_world_advance(world, NOW + 60000);
	assert_int_equal(world->instances->state, PLM_SIM_TERMINATED);
	assert_null(world->first[PLM_KIND_NODE]);
	end_launched();
}

/* ---- volumes ----------------------------------------------------------------------------------- */

static struct plm_w_volume_claim volume_claim(const char *name, const char *volume)
{
	return (struct plm_w_volume_claim){.meta = meta(name, name),
					   .volume = plm_slice_str(volume),
					   .bound = volume[0] != '\0'};
}

static struct plm_sim_object *find_claim(const char *name)
{
	return plm_sim_find(world, PLM_KIND_VOLUME_CLAIM, plm_slice_str("ns"), plm_slice_str(name));
}

/* One claim of the pod was told, the other was not: it owns both. */
static void a_pod_has_all_claims_that_it_makes(void **state)
{
	static const struct plm_w_volume_use uses[] = {{.ephemeral = {(const uint8_t *)"a", 1}},
						       {.ephemeral = {(const uint8_t *)"b", 1}}};
	struct plm_w_volume_claim told = volume_claim("p-a", "");
	struct plm_w_pod pod = {.meta = meta("p", "pod-uid"),
				.shape = {.priority = PLM_UNSET, .volumes = {uses, 2}},
				.phase = PLM_PHASE_PENDING,
				.started_ms = PLM_UNSET,
				.scheduled_ms = PLM_UNSET};

	(void)state;
	begin();
	told.meta.owner_kind = plm_slice_str("Pod");
	told.meta.owner_name = plm_slice_str("p");
	told.meta.owner_uid = plm_slice_str("pod-uid");
	(void)add(PLM_EV_VOLUME_CLAIM, &told); /* before its owner */
	(void)add(PLM_EV_POD, &pod);
	build();
	assert_non_null(find_claim("p-a"));
	assert_non_null(find_claim("p-b"));
	assert_ptr_equal(find_claim("p-a")->owner, find_claim("p-b")->owner);
	assert_non_null(find_claim("p-a")->owner);
	end();
}

/* Nobody uses the volume there any more: it can be attached somewhere else. */
static void a_volume_that_nobody_uses_is_detached(void **state)
{
	struct plm_w_volume_claim claim = volume_claim("claim", "pv");
	struct plm_w_volume volume = {.meta = meta("pv", "pv-uid"),
				      .driver = plm_slice_str("ebs.csi.aws.com"),
				      .claim_ns = plm_slice_str("ns"),
				      .claim = plm_slice_str("claim")};
	struct plm_w_volume_attachment attachment = {.meta = meta("csi-pv-n", "attachment-uid"),
						     .node = plm_slice_str("n"),
						     .volume = plm_slice_str("pv"),
						     .attached = 1};

	(void)state;
	begin();
	volume.meta.ns = (struct plm_slice){0};
	attachment.meta.ns = (struct plm_slice){0};
	(void)add(PLM_EV_VOLUME_CLAIM, &claim);
	(void)add(PLM_EV_VOLUME, &volume);
	(void)add(PLM_EV_VOLUME_ATTACHMENT, &attachment);
	build();
	plm_world_advance(world, NOW + 60000);
	assert_null(world->first[PLM_KIND_VOLUME_ATTACHMENT]);
	assert_non_null(find_claim("claim"));
	end();
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 16U << 20, &err), &err);
	PLM_TEST_ADD(&tests, an_empty_log_is_nothing);
	PLM_TEST_ADD(&tests, the_last_fact_counts_and_what_is_gone_is_gone);
	PLM_TEST_ADD(&tests, a_start_that_was_asked_for_only_is_not_done);
	PLM_TEST_ADD(&tests, a_start_that_was_done_and_not_told_is_done_again);
	PLM_TEST_ADD(&tests, a_start_that_was_told_is_known_by_its_intent);
	PLM_TEST_ADD(&tests, pods_lie_on_their_nodes_under_their_owners);
	PLM_TEST_ADD(&tests, a_launch_is_answered_with_the_same_instance);
	PLM_TEST_ADD(&tests, a_boot_that_goes_on_ends_in_a_whole_node);
	PLM_TEST_ADD(&tests, startup_taints_of_a_ready_node_go);
	PLM_TEST_ADD(&tests, an_instance_whose_node_is_gone_makes_no_other);
	PLM_TEST_ADD(&tests, an_instance_that_ends_takes_its_node);
	PLM_TEST_ADD(&tests, an_end_that_was_announced_comes);
	PLM_TEST_ADD(&tests, the_instance_of_a_given_claim_goes_on);
	PLM_TEST_ADD(&tests, a_pod_has_all_claims_that_it_makes);
	PLM_TEST_ADD(&tests, a_volume_that_nobody_uses_is_detached);
	return plm_tests_run(&tests, "resume");
}
