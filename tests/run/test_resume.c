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

/* A launch whose answer is in the log, and one that is known by the instance only. */
static void a_launch_is_answered_with_the_same_instance(void **state)
{
	const struct plm_w_offering offering = {.zone = plm_slice_str("z"),
						.capacity_type = plm_slice_str("spot"),
						.price_micro = 5,
						.available = 1,
						.reserved_left = PLM_UNSET};
	const struct plm_w_instance_type type = {.name = plm_slice_str("m5.large"),
						 .offerings = {&offering, 1}};
	const struct plm_w_offer offer = {plm_slice_str("m5.large"), plm_slice_str("z"),
					  plm_slice_str("spot"), plm_slice_str("")};
	const struct plm_w_req_launch request = {.claim = plm_slice_str("c"),
						 .offers = {&offer, 1}};
	struct plm_w_instance fact = {.provider_id = plm_slice_str("aws:///z/i-1"),
				      .state = plm_slice_str("running"),
				      .instance_type = plm_slice_str("m5.large"),
				      .zone = plm_slice_str("z"),
				      .capacity_type = plm_slice_str("spot"),
				      .launched_ms = 7};
	struct plm_effect again = {.call = PLM_CALL_LAUNCH, .request = &request};
	struct plm_w_result out = {.price_micro = PLM_UNSET};

	(void)state;
	catalog = (struct plm_w_catalog){.types = {&type, 1}};
	begin();
	again.intent = intend(PLM_CALL_LAUNCH, &request);
	fact.intent = (int64_t)again.intent;
	(void)add(PLM_EV_INSTANCE, &fact);
	build();
	assert_non_null(world->instances);
	assert_null(world->instances->next);
	again.frozen = plm_wire_encode(&plm_type_req_launch, &request, &arena);
	plm_intent_key(plm_slice_str(CLUSTER), again.intent, again.key);
	plm_sim_launch(world, &again, &out);
	assert_int_equal(out.class, PLM_RESULT_ALREADY_DONE);
	plm_assert_text(out.provider_id, "aws:///z/i-1");
	assert_null(world->instances->next);
	assert_null(plm_world_violation(world));
	end();
	catalog = (struct plm_w_catalog){.types = {NULL, 0}};
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
	return plm_tests_run(&tests, "resume");
}
