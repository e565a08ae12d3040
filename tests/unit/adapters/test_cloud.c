/*
 * test_cloud.c - what every cloud owes (core/cloud.h), of each that there is
 *
 * The simulated one, and the end of EC2 before a played EC2. A case says what happens to the cloud, never which it is.
 */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/sim/sim.h"
#include "codec/codec.h"
#include "core/cloud.h"
#include "core/limits.h"
#include "core/wire_copy.h"
#include "ec2_bed.h"

/* What is wrong with the cloud for TROUBLE_MS, from the start or from LATER_MS on. */
enum trouble {
	FINE,
	LOST_ANSWERS,
	LOST_LATER,
	DOWN,
	OUT_OF_ONE_TYPE,
	OUT_OF_ALL,
};
#define TROUBLE_MS 20000
#define MINUTE 60000
#define LATER_MS MINUTE
#define START INT64_C(1767225600000)
#define RESULTS 64
#define FACTS 4096

/* One cloud under test. */
struct end {
	const char *name;
	void (*open)(enum trouble trouble);
	void (*close)(void);
	void (*run)(int64_t ms);
	void (*kill)(void);    /* the process dies and comes back */
	int (*launched)(void); /* instances that were ever made */
	int (*alive)(void);    /* and have not ended */
};

static struct {
	const struct end *end;
	struct plm_cloud cloud;
	struct plm_effects effects;
	struct plm_arena arena;
	const struct plm_w_result *results[RESULTS];
	size_t result_count;
	const struct plm_w_instance *facts[FACTS];
	size_t fact_count;
	int lists;
} t;

static struct bed bed; /* the end of EC2; of both, what requests say */

/* ---- what it tells ------------------------------------------------------------------------------- */

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct plm_payload payload;
	struct plm_error err = {0};

	(void)self;
	if (observation->observed != PLM_OBSERVED_FACT) {
		return PLM_OK;
	}
	plm_assert_ok(plm_payload_decode(plm_event_info((uint16_t)observation->type),
					 plm_arena_copy(&t.arena, observation->payload), &t.arena,
					 &payload, &err),
		      &err);
	if (observation->type == PLM_EV_RESULT) {
		assert_true(t.result_count < RESULTS);
		t.results[t.result_count++] = payload.value;
	} else if (observation->type == PLM_EV_INSTANCE) {
		assert_true(t.fact_count < FACTS);
		t.facts[t.fact_count++] = payload.value;
	} else if (observation->type == PLM_EV_LISTED) {
		t.lists += ((const struct plm_w_listed *)payload.value)->kind == PLM_KIND_NONE;
	}
	return PLM_OK;
}

static const struct plm_w_result * final(uint64_t intent)
{
	for (size_t i = t.result_count; i > 0; i--) {
		if (t.results[i - 1]->intent == (int64_t)intent && bed_is_final(t.results[i - 1])) {
			return t.results[i - 1];
		}
	}
	return NULL;
}

static int told(uint64_t intent, enum plm_result_class class)
{
	int count = 0;

	for (size_t i = 0; i < t.result_count; i++) {
		count += t.results[i]->intent == (int64_t)intent &&
			 t.results[i]->class == (int64_t)class;
	}
	return count;
}

static const struct plm_w_instance *fact_of(struct plm_slice provider_id)
{
	for (size_t i = t.fact_count; i > 0; i--) {
		if (plm_slice_equal(t.facts[i - 1]->provider_id, provider_id)) {
			return t.facts[i - 1];
		}
	}
	return NULL;
}

/* ---- the simulator ------------------------------------------------------------------------------- */

static struct plm_world *world;

static const struct plm_w_catalog *catalog(void)
{
	static const char *const names[] = {"m5.large", "m6g.large"};
	static const char *const zones[] = {"us-west-2a", "us-west-2b"};
	struct plm_w_instance_type *types = PLM_NEW_ARRAY(&t.arena, 2, struct plm_w_instance_type);
	struct plm_w_catalog *out = PLM_NEW(&t.arena, struct plm_w_catalog);

	for (size_t i = 0; i < 2; i++) {
		struct plm_w_offering *offerings =
			PLM_NEW_ARRAY(&t.arena, 2, struct plm_w_offering);

		for (size_t z = 0; z < 2; z++) {
			offerings[z] =
				(struct plm_w_offering){.zone = plm_slice_str(zones[z]),
							.capacity_type = plm_slice_str("on-demand"),
							.price_micro = 96000,
							.available = 1,
							.reserved_left = PLM_UNSET};
		}
		types[i] = (struct plm_w_instance_type){.name = plm_slice_str(names[i]),
							.offerings = {offerings, 2}};
	}
	*out = (struct plm_w_catalog){.region = plm_slice_str("us-west-2"), .types = {types, 2}};
	return out;
}

static void sim_open(enum trouble trouble)
{
	static struct plm_sim_fault fault;
	static struct plm_sim_stock_out out;
	struct plm_sim_options options = {0};
	struct plm_error err = {0};

	plm_sim_defaults(&options);
	fault = (struct plm_sim_fault){.kind = trouble == DOWN ? PLM_SIM_EC2_DOWN
							       : PLM_SIM_LOST_RESPONSES,
				       .at_ms = START + (trouble == LOST_LATER ? LATER_MS : 0),
				       .for_ms = TROUBLE_MS,
				       .percent = 100};
	out = (struct plm_sim_stock_out){.from_ms = START, .to_ms = START + 60 * MINUTE};
	if (trouble == OUT_OF_ONE_TYPE) {
		out.instance_type = plm_slice_str("m5.large");
	}
	options.seed = 11;
	options.start_ms = START;
	options.catalog = catalog();
	options.faults = &fault;
	options.fault_count = trouble == LOST_ANSWERS || trouble == LOST_LATER || trouble == DOWN;
	options.stock_outs = &out;
	options.stock_out_count = trouble == OUT_OF_ONE_TYPE || trouble == OUT_OF_ALL;
	plm_assert_ok(plm_world_new(&options, &world, &err), &err);
	t.cloud = plm_world_cloud(world);
	t.cloud.start(t.cloud.self, &(struct plm_cloud_start){.inbox = {.put = put},
							      .clock = plm_world_clock(world),
							      .cluster_uid = "u",
							      .act = true});
	plm_world_apply(world, PLM_EV_NODE_CLASS, &bed.recipe.class, NULL);
}

static void sim_close(void)
{
	t.cloud.free(t.cloud.self);
	assert_null(plm_world_violation(world));
	plm_world_free(world);
}

static void sim_run(int64_t ms)
{
	plm_world_advance(world, plm_world_now(world) + ms);
}

static void sim_kill(void)
{
	plm_world_disconnect(world);
	plm_world_relist(world);
}

static int sim_launched(void)
{
	return (int)plm_world_stats(world).launches;
}

static int sim_alive(void)
{
	struct plm_sim_stats stats = plm_world_stats(world);

	return (int)(stats.launches - stats.terminations);
}

static const struct end sim_end = {"sim",    sim_open,	   sim_close, sim_run,
				   sim_kill, sim_launched, sim_alive};

/* ---- EC2 ----------------------------------------------------------------------------------------- */

static int64_t trouble_ms, calm_ms;
static enum played_fault fault;

static struct plm_effects ec2_effects(void *self)
{
	(void)self;
	return plm_ec2_effects(bed.effect);
}

static void ec2_connect(void)
{
	bed.context.inbox = (struct plm_inbox){.put = put};
	t.cloud = (struct plm_cloud){.self = &bed, .name = "ec2", .effects = ec2_effects};
}

static void ec2_run(int64_t ms)
{
	const int64_t turns[] = {trouble_ms, calm_ms};
	int64_t until_ms = played_now() + ms;

	for (size_t i = 0; i < PLM_COUNTOF(turns); i++) {
		if (turns[i] >= played_now() && turns[i] <= until_ms) {
			played_run(turns[i] - played_now());
			played.fault = fault;
			played.fault_count = i == 0 && fault != PLAYED_WELL ? INT32_MAX : 0;
		}
	}
	played_run(until_ms - played_now());
}

static void ec2_open(enum trouble trouble)
{
	bed_open(&bed);
	ec2_connect();
	played.lag_ms = 3000;
	fault = PLAYED_WELL;
	trouble_ms = played_now() + (trouble == LOST_LATER ? LATER_MS : 0);
	calm_ms = trouble_ms + TROUBLE_MS;
	if (trouble == DOWN) {
		fault = PLAYED_UNSENT;
	} else if (trouble == LOST_ANSWERS || trouble == LOST_LATER) {
		fault = PLAYED_LOST_AFTER;
		played.fault_action =
			trouble == LOST_ANSWERS ? "CreateFleet" : "TerminateInstances";
	} else if (trouble != FINE) {
		played.out_code = "InsufficientInstanceCapacity";
		played.out_type = trouble == OUT_OF_ONE_TYPE ? "m5.large" : NULL;
	}
	ec2_run(0);
}

static void ec2_close(void)
{
	assert_int_equal(played.mismatches, 0);
	bed_close(&bed);
}

static void ec2_kill(void)
{
	bed_kill(&bed);
	ec2_connect();
}

static int ec2_launched(void)
{
	return played.count;
}

static const struct end ec2_end = {"ec2",    ec2_open,	   ec2_close,	ec2_run,
				   ec2_kill, ec2_launched, played_alive};

/* ---- what is asked of it ------------------------------------------------------------------------- */

static void submit(uint64_t intent, enum plm_call call, const void *request, bool resent)
{
	struct plm_effect effect = bed_effect(&bed, intent, call, request);

	assert_true(plm_cloud_carries(call));
	effect.frozen = plm_arena_copy(&t.arena, effect.frozen);
	effect.resent = resent;
	t.effects = t.cloud.effects(t.cloud.self);
	if (t.effects.durable != NULL) {
		t.effects.durable(t.effects.self, intent);
	}
	t.effects.submit(t.effects.self, &effect);
}

static void launch(uint64_t intent, bool resent)
{
	bed.request.claim = plm_arena_format(&t.arena, "claim-%llu", (unsigned long long)intent);
	bed.request.recipe = plm_ec2_recipe_write(&bed.recipe, &bed.arena);
	submit(intent, PLM_CALL_LAUNCH, &bed.request, resent);
}

static void terminate(uint64_t intent, struct plm_slice provider_id)
{
	const struct plm_w_req_terminate request = {plm_slice_str("claim"), provider_id};

	submit(intent, PLM_CALL_TERMINATE, &request, false);
}

static bool is_done(uint64_t intent)
{
	const struct plm_w_result *result = final(intent);

	return result != NULL &&
	       (result->class == PLM_RESULT_DONE || result->class == PLM_RESULT_ALREADY_DONE);
}

/* ---- cases --------------------------------------------------------------------------------------- */

static void check_instance(uint64_t intent)
{
	const struct plm_w_result *result = final(intent);
	bool offered = false;

	assert_true(is_done(intent));
	for (size_t i = 0; i < bed.request.offers.count; i++) {
		offered = offered ||
			  (plm_slice_equal(bed.offers[i].instance_type, result->instance_type) &&
			   plm_slice_equal(bed.offers[i].zone, result->zone) &&
			   plm_slice_equal(bed.offers[i].capacity_type, result->capacity_type));
	}
	assert_true(offered);
	assert_true(result->provider_id.size > 0);
}

static void launches(void)
{
	launch(1, false);
	launch(2, false);
	t.end->run(MINUTE);
	check_instance(1);
	check_instance(2);
	assert_int_equal(final(1)->class, PLM_RESULT_DONE);
	assert_false(plm_slice_equal(final(1)->provider_id, final(2)->provider_id));
	assert_int_equal(t.end->launched(), 2);
}

static void launches_again(void)
{
	struct plm_slice first = {0};

	launch(1, false);
	t.end->run(MINUTE);
	first = final(1)->provider_id;
	launch(1, true);
	t.end->run(MINUTE);
	assert_true(is_done(1));
	assert_true(plm_slice_equal(final(1)->provider_id, first));
	assert_int_equal(t.end->launched(), 1);
}

/* Told once that it is not known, then what became of it. */
static void answers_are_lost(void)
{
	launch(1, false);
	t.end->run(TROUBLE_MS - 1000);
	assert_int_equal(told(1, PLM_RESULT_UNKNOWN), 1);
	t.end->run(3 * MINUTE);
	check_instance(1);
	assert_int_equal(told(1, PLM_RESULT_UNKNOWN), 1);
	assert_int_equal(t.end->launched(), 1);
}

static void is_down(void)
{
	launch(1, false);
	t.end->run(TROUBLE_MS - 1000);
	assert_null(final(1));
	assert_int_equal(t.end->launched(), 0);
	t.end->run(3 * MINUTE);
	check_instance(1);
	assert_int_equal(t.end->launched(), 1);
}

static void is_out_of_some(void)
{
	const struct plm_w_refusal *refused = NULL;

	launch(1, false);
	t.end->run(MINUTE);
	check_instance(1);
	plm_assert_text(final(1)->instance_type, "m6g.large");
	assert_int_equal(final(1)->refused.count, 2);
	refused = final(1)->refused.ptr;
	plm_assert_text(refused[0].instance_type, "m5.large");
	plm_assert_text(refused[0].zone, "us-west-2a");
	plm_assert_text(refused[0].code, "InsufficientInstanceCapacity");
}

/* The token is spent: repeated, it says the same, also when there is room again. */
static void is_out_of_all(void)
{
	for (int again = 0; again < 2; again++) {
		launch(1, again == 1);
		t.end->run(3 * MINUTE);
		assert_int_equal(final(1)->class, PLM_RESULT_FAILED);
		plm_assert_text(final(1)->code, "InsufficientInstanceCapacity");
		assert_int_equal(final(1)->refused.count, 3);
	}
	assert_int_equal(t.end->launched(), 0);
}

static void terminates(void)
{
	struct plm_slice id = {0};

	launch(1, false);
	t.end->run(MINUTE);
	id = final(1)->provider_id;
	terminate(2, id);
	t.end->run(5000);
	assert_int_equal(final(2)->class, PLM_RESULT_DONE);
	terminate(3, id);
	t.end->run(3 * MINUTE);
	assert_int_equal(final(3)->class, PLM_RESULT_ALREADY_DONE);
	plm_assert_text(fact_of(id)->state, "terminated");
	terminate(4, id);
	t.end->run(MINUTE);
	assert_int_equal(final(4)->class, PLM_RESULT_ALREADY_DONE);
	plm_assert_text(final(4)->code, "terminated");
	assert_int_equal(t.end->alive(), 0);
	terminate(5, plm_slice_str("aws:///us-west-2a/i-0badbadbadbadbad0"));
	t.end->run(3 * MINUTE);
	assert_int_equal(final(5)->class, PLM_RESULT_FAILED);
	plm_assert_text(final(5)->code, "InvalidInstanceID.NotFound");
}

static void terminates_though_answers_are_lost(void)
{
	launch(1, false);
	t.end->run(LATER_MS + 1000);
	terminate(2, final(1)->provider_id);
	t.end->run(TROUBLE_MS - 2000);
	assert_null(final(2));
	assert_int_equal(told(2, PLM_RESULT_UNKNOWN), 1);
	t.end->run(3 * MINUTE);
	assert_true(is_done(2));
	assert_int_equal(t.end->alive(), 0);
}

static void lists(void)
{
	const struct plm_w_instance *fact = NULL;

	launch(1, false);
	t.end->run(MINUTE);
	t.fact_count = 0;
	t.lists = 0;
	t.end->kill();
	t.end->run(MINUTE);
	assert_true(t.lists > 0);
	fact = fact_of(final(1)->provider_id);
	assert_non_null(fact);
	plm_assert_text(fact->state, "running");
	plm_assert_text(fact->claim, "claim-1");
	plm_assert_text(fact->pool, "p");
	assert_true(plm_slice_equal(fact->zone, final(1)->zone));
	assert_true(plm_slice_equal(fact->instance_type, final(1)->instance_type));
	plm_assert_text(fact->capacity_type, "on-demand");
	assert_int_equal(fact->intent, 1);
	assert_int_equal(fact->ours, 1);
	assert_int_not_equal(fact->launched_ms, PLM_UNSET);
}

static void tags(void)
{
	const struct plm_w_kv tag = {plm_slice_str("Name"), plm_slice_str("node-1")};
	struct plm_w_req_instance_tag request = {.claim = plm_slice_str("claim-1"),
						 .tags = {&tag, 1}};

	launch(1, false);
	t.end->run(MINUTE);
	request.provider_id = final(1)->provider_id;
	submit(2, PLM_CALL_INSTANCE_TAG, &request, false);
	t.end->run(MINUTE);
	assert_true(is_done(2));
}

/* At any moment; what was on its way may arrive or not. */
static void is_killed(int64_t after_ms)
{
	launch(1, false);
	t.end->run(after_ms);
	t.end->kill();
	launch(1, true);
	t.end->run(5 * MINUTE);
	check_instance(1);
	assert_int_equal(t.end->launched(), 1);
}

static void is_killed_at_once(void)
{
	is_killed(0);
}

static void is_killed_on_the_way(void)
{
	is_killed(2);
}

static void is_killed_soon(void)
{
	is_killed(150);
}

static void is_killed_after_the_answer(void)
{
	is_killed(5000);
}

static const struct cloud_case {
	const char *why;
	const struct end *end;
	enum trouble trouble;
	void (*run)(void);
} cloud_table[] = {
#define BOTH(name, trouble, run)                                                                   \
	{"sim " name, &sim_end, trouble, run},                                                     \
	{                                                                                          \
		"ec2 " name, &ec2_end, trouble, run                                                \
	}
	BOTH("launches", FINE, launches),
	BOTH("launches the same again", FINE, launches_again),
	BOTH("answers are lost", LOST_ANSWERS, answers_are_lost),
	BOTH("is down", DOWN, is_down),
	BOTH("is out of some", OUT_OF_ONE_TYPE, is_out_of_some),
	BOTH("is out of all", OUT_OF_ALL, is_out_of_all),
	BOTH("terminates", FINE, terminates),
	BOTH("terminates though answers are lost", LOST_LATER, terminates_though_answers_are_lost),
	BOTH("lists", FINE, lists),
	BOTH("tags", FINE, tags),
	BOTH("is killed at once", FINE, is_killed_at_once),
	BOTH("is killed on the way", FINE, is_killed_on_the_way),
	BOTH("is killed soon", FINE, is_killed_soon),
	BOTH("is killed after the answer", FINE, is_killed_after_the_answer),
	BOTH("is killed while answers are lost", LOST_ANSWERS, is_killed_soon),
	BOTH("is killed while it is down", DOWN, is_killed_soon),
#undef BOTH
};

static void cloud_row(const struct cloud_case *row)
{
	struct plm_error err = {0};

	memset(&t, 0, sizeof(t));
	t.end = row->end;
	plm_assert_ok(plm_arena_init(&t.arena, 1UL << 28, &err), &err);
	if (row->end != &ec2_end) {
		bed_open(&bed); /* its requests */
	}
	row->end->open(row->trouble);
	row->run();
	row->end->close();
	if (row->end != &ec2_end) {
		bed_close(&bed);
	}
	plm_arena_fini(&t.arena);
}
PLM_TEST_ROWS(cloud_row, struct cloud_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, cloud_row, cloud_table);
	return plm_tests_run(&tests, "cloud");
}
