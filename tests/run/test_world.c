/*
 * test_world.c - what a scenario plans for the embedded world, in the daemon's time
 *
 * The scenario lies years before or behind the daemon's clock; what was due in a past life does not
 * happen again.
 */
#include "plm_test.h"

#include <stdlib.h>
#include <unistd.h>

#include "codec/codec.h"
#include "config.h"
#include "engine/outbox.h"
#include "world.h"

#define START 1796000000000
#define CLUSTER "cluster"

static const char text[] =
	"apiVersion: plimsoll.dev/v1alpha1\n"
	"kind: Scenario\n"
	"metadata: {name: s}\n"
	"spec:\n"
	"  duration: 1h\n"
	"  cloud:\n"
	"    region: us-west-2\n"
	"    apiLatency: {min: 1ms, max: 1ms}\n"
	"    boot: {min: 1s, max: 1s}\n"
	"    launchErrors: [{code: Refused, from: 30s, to: 40s}]\n"
	"    interruptions:\n"
	"      - {at: 20s, every: 40s, times: 2, kind: spotInterruption, notice: 1h}\n";

static struct plm_arena arena;
static struct plm_end outside;
static struct plm_log *event_log;
static char path[] = "/tmp/plm-world-XXXXXX";
static int warnings;
static int64_t result_class;

static enum plm_code hear(void *self, const struct plm_observation *observation)
{
	const void *value = NULL;
	struct plm_payload payload;
	struct plm_error err;

	(void)self;
	warnings += observation->type == PLM_EV_INTERRUPTION;
	if (observation->type == PLM_EV_RESULT) {
		plm_assert_ok(plm_payload_decode(plm_event_info((uint16_t)observation->type),
						 observation->payload, &arena, &payload, &err),
			      &err);
		value = payload.value;
		result_class = ((const struct plm_w_result *)value)->class;
	}
	return PLM_OK;
}

static const char *no_env(const char *name)
{
	(void)name;
	return NULL;
}

/* A life that begins 'ms' after the first one. */
static void begin(int64_t ms)
{
	char *argv[] = {(char[]){"--cloud"},  (char[]){"sim"},	      (char[]){"--data-dir"},
			(char[]){"/nowhere"}, (char[]){"--scenario"}, path};
	const struct plm_w_genesis genesis = {.started_ms = START};
	struct plm_envelope envelope = {.format = PLM_ENVELOPE_FORMAT,
					.type = PLM_EV_GENESIS,
					.schema = PLM_SCHEMA_FLOOR,
					.seq = 1,
					.epoch = 1,
					.wall_ns = START * 1000000ULL};
	struct plm_end_start start = {
		.inbox = {.put = hear}, .cluster_uid = CLUSTER, .now_ms = START + ms};
	struct plm_config config;
	struct plm_slice record;
	struct plm_error err;

	warnings = 0;
	plm_assert_ok(plm_config_read(PLM_COUNTOF(argv), argv, no_env, &arena, &config, &err),
		      &err);
	plm_assert_ok(plm_embedded_end(&config, &outside, &err), &err);
	plm_assert_ok(plm_log_open_memory(&event_log, &err), &err);
	envelope.payload = plm_payload_encode(plm_event_info(PLM_EV_GENESIS), &genesis,
					      (struct plm_slice){0}, &arena);
	record = plm_envelope_encode(&envelope, &arena);
	plm_assert_ok(plm_log_commit(event_log, &record, 1, &err), &err);
	start.log = event_log;
	plm_assert_ok(outside.start(outside.self, &start, &err), &err);
}

static void end(void)
{
	outside.free(outside.self);
	plm_log_close(event_log);
}

/* Ask for an instance; returns the class of the answer, which is there a moment later. */
static int64_t launch(uint64_t intent, int64_t ms)
{
	struct plm_effects effects = outside.effects(outside.self);
	struct plm_w_offer offer = {.instance_type = plm_slice_str("m5.large"),
				    .zone = plm_slice_str("us-west-2a"),
				    .capacity_type = plm_slice_str("spot")};
	struct plm_w_req_launch request = {.claim = plm_slice_str("c"), .offers = {&offer, 1}};
	struct plm_effect effect = {.intent = intent, .call = PLM_CALL_LAUNCH, .request = &request};

	result_class = PLM_UNSET;
	effect.frozen = plm_wire_encode(&plm_type_req_launch, &request, &arena);
	plm_intent_key(plm_slice_str(CLUSTER), intent, effect.key);
	outside.advance(outside.self, START + ms);
	if (effects.durable != NULL) {
		effects.durable(effects.self, intent);
	}
	effects.submit(effects.self, &effect);
	outside.advance(outside.self, START + ms + 10);
	return result_class;
}

static void what_is_planned_comes_at_its_time(void **state)
{
	(void)state;
	begin(0);
	assert_int_equal(launch(1, 1000), PLM_RESULT_DONE);
	outside.advance(outside.self, START + 19999);
	assert_int_equal(warnings, 0);
	outside.advance(outside.self, START + 20000);
	assert_int_equal(warnings, 1);
	assert_int_equal(launch(2, 30000), PLM_RESULT_FAILED);
	assert_int_equal(launch(3, 40000), PLM_RESULT_DONE);
	outside.advance(outside.self, START + 60000);
	assert_int_equal(warnings, 3); /* the second time, of two instances */
	end();
}

static void what_was_said_in_a_past_life_is_not_said_again(void **state)
{
	(void)state;
	begin(25000);
	assert_int_equal(launch(1, 26000), PLM_RESULT_DONE);
	outside.advance(outside.self, START + 59999);
	assert_int_equal(warnings, 0);
	outside.advance(outside.self, START + 60000);
	assert_int_equal(warnings, 1);
	end();
	begin(61000);
	assert_int_equal(launch(1, 62000), PLM_RESULT_DONE);
	outside.advance(outside.self, START + 600000);
	assert_int_equal(warnings, 0);
	end();
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;
	int file = mkstemp(path);

	assert_true(file >= 0);
	assert_int_equal(write(file, text, sizeof(text) - 1), sizeof(text) - 1);
	(void)close(file);
	plm_assert_ok(plm_arena_init(&arena, 256U << 20, &err), &err);
	PLM_TEST_ADD(&tests, what_is_planned_comes_at_its_time);
	PLM_TEST_ADD(&tests, what_was_said_in_a_past_life_is_not_said_again);
	file = plm_tests_run(&tests, "world");
	(void)unlink(path);
	return file;
}
