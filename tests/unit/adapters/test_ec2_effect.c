/*
 * test_ec2_effect.c - launches, ends and tags before a played EC2 that fails
 *
 * Whatever is lost, throttled or answered late: an intent is at most one instance, there is one final RESULT, and it says
 * what there is.
 */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/instance_read.h"
#include "core/limits.h"
#include "ec2_bed.h"

static struct bed bed;

#define MINUTE 60000

/* ---- launch -------------------------------------------------------------------------------------- */

static void a_launch(void **state)
{
	const struct plm_w_result *result = NULL;

	(void)state;
	bed_open(&bed);
	bed_launch(&bed, 7, false);
	played_run(1000);
	result = bed_final(&bed, 7);
	assert_non_null(result);
	assert_int_equal(result->class, PLM_RESULT_DONE);
	plm_assert_text(result->provider_id, "aws:///us-west-2a/i-00000000000000001");
	plm_assert_text(result->instance_type, "m5.large");
	plm_assert_text(result->zone, "us-west-2a");
	plm_assert_text(result->capacity_type, "on-demand");
	plm_assert_text(result->image, "ami-x86");
	assert_int_equal(result->price_micro, PLM_UNSET);
	assert_string_equal(played_tag(&played.list[0], "karpenter.sh/nodeclaim"), "claim-7");
	assert_string_equal(played_tag(&played.list[0], "plimsoll/intent"), "7");
	assert_int_equal(played_of_intent(7, true), 1);
	/* Two kinds of nodes are two templates; the second launch makes none. */
	assert_int_equal(played.templates_made, 2);
	bed_launch(&bed, 8, false);
	played_run(1000);
	assert_int_equal(bed_final(&bed, 8)->class, PLM_RESULT_DONE);
	assert_int_equal(played.templates_made, 2);
	assert_int_equal(plm_ec2_effect_under_way(bed.effect), 0);
	bed_close(&bed);
}

static void a_launch_of_the_simple_dialect(void **state)
{
	const struct plm_w_result *result = NULL;
	const struct plm_w_refusal *refused = NULL;

	(void)state;
	bed_open(&bed);
	bed.recipe.class.kind = PLM_KIND_NODE_TEMPLATE;
	bed_launch(&bed, 7, false);
	played_run(1000);
	result = bed_final(&bed, 7);
	assert_int_equal(result->class, PLM_RESULT_DONE);
	plm_assert_text(result->provider_id, "aws:///us-west-2a/i-00000000000000001");
	assert_int_equal(played.templates_made, 0);
	played.out_code = "InsufficientInstanceCapacity";
	bed_launch(&bed, 8, false);
	played_run(1000);
	result = bed_final(&bed, 8);
	assert_int_equal(result->class, PLM_RESULT_FAILED);
	plm_assert_text(result->code, "InsufficientInstanceCapacity");
	assert_int_equal(result->refused.count, 1);
	refused = result->refused.ptr;
	plm_assert_text(refused->instance_type, "m5.large");
	plm_assert_text(refused->zone, "us-west-2a");
	bed_close(&bed);
}

static void a_stock_out_of_some(void **state)
{
	const struct plm_w_result *result = NULL;
	const struct plm_w_refusal *refused = NULL;

	(void)state;
	bed_open(&bed);
	played.out_code = "InsufficientInstanceCapacity";
	played.out_type = "m5.large";
	bed_launch(&bed, 7, false);
	played_run(1000);
	result = bed_final(&bed, 7);
	assert_int_equal(result->class, PLM_RESULT_DONE);
	plm_assert_text(result->instance_type, "m6g.large");
	plm_assert_text(result->image, "ami-arm");
	plm_assert_text(result->zone, "us-west-2a");
	assert_int_equal(result->refused.count, 2);
	refused = result->refused.ptr;
	plm_assert_text(refused[0].zone, "us-west-2a");
	plm_assert_text(refused[1].zone, "us-west-2b");
	plm_assert_text(refused[1].code, "InsufficientInstanceCapacity");
	plm_assert_text(result->code, "");
	bed_close(&bed);
}

/* ---- each code of ec2-test.md 4 ------------------------------------------------------------------ */

/* In the errorSet of an answer of 200: for good, whatever the code, and every offer is named. */
struct shortage_case {
	const char *code;
};
static const struct shortage_case shortage_table[] = {
	{"InsufficientInstanceCapacity"},
	{"UnfulfillableCapacity"},
	{"MaxSpotInstanceCountExceeded"},
	{"SpotMaxPriceTooLow"},
	{"VcpuLimitExceeded"},
	{"Unsupported"},
	{"InsufficientFreeAddressesInSubnet"},
	{"MaxFleetCountExceeded"},
	{"ReservationCapacityExceeded"},
	{"AuthFailure.ServiceLinkedRoleCreationNotPermitted"},
	{"InternalError"},
};

static void shortage_row(const struct shortage_case *row)
{
	const struct plm_w_result *result = NULL;
	const struct plm_w_refusal *refused = NULL;

	bed_open(&bed);
	played.out_code = row->code;
	bed_launch(&bed, 7, false);
	played_run(1000);
	result = bed_final(&bed, 7);
	assert_non_null(result);
	assert_int_equal(result->class, PLM_RESULT_FAILED);
	plm_assert_text(result->code, row->code);
	assert_int_equal(result->refused.count, 3);
	refused = result->refused.ptr;
	for (size_t i = 0; i < 3; i++) {
		assert_true(plm_slice_equal(refused[i].instance_type, bed.offers[i].instance_type));
		assert_true(plm_slice_equal(refused[i].zone, bed.offers[i].zone));
		plm_assert_text(refused[i].code, row->code);
	}
	assert_int_equal(played.launches_asked, 1);
	bed_close(&bed);
}
PLM_TEST_ROWS(shortage_row, struct shortage_case)

/* Of a call as a whole, once: 'tries' of the launch, and how it ends. */
struct code_case {
	const char *code;
	unsigned status;
	const char *simple; /* "RunInstances": of the simple dialect */
	int tries;
	enum plm_result_class before, class; /* told on the way (DONE = nothing), and in the end */
};
static const struct code_case code_table[] = {
	{"RequestLimitExceeded", 503, NULL, 2, PLM_RESULT_RETRYABLE, PLM_RESULT_DONE},
	{"EC2ThrottledException", 503, NULL, 2, PLM_RESULT_RETRYABLE, PLM_RESULT_DONE},
	{"InternalError", 500, NULL, 2, PLM_RESULT_UNKNOWN, PLM_RESULT_DONE},
	{"InternalFailure", 500, NULL, 2, PLM_RESULT_UNKNOWN, PLM_RESULT_DONE},
	{"ServiceUnavailable", 503, NULL, 2, PLM_RESULT_UNKNOWN, PLM_RESULT_DONE},
	{"Unavailable", 503, NULL, 2, PLM_RESULT_UNKNOWN, PLM_RESULT_DONE},
	{"IdempotentParameterMismatch", 400, NULL, 1, PLM_RESULT_UNKNOWN, PLM_RESULT_FAILED},
	{"IdempotentInstanceTerminated", 400, "RunInstances", 1, PLM_RESULT_DONE,
	 PLM_RESULT_FAILED},
	{"UnauthorizedOperation", 403, NULL, 1, PLM_RESULT_DONE, PLM_RESULT_FAILED},
	{"InvalidParameterValue", 400, NULL, 1, PLM_RESULT_DONE, PLM_RESULT_FAILED},
	{"InvalidSubnetID.NotFound", 400, NULL, 1, PLM_RESULT_DONE, PLM_RESULT_FAILED},
	{"InvalidAMIID.NotFound", 400, NULL, 1, PLM_RESULT_DONE, PLM_RESULT_FAILED},
	{"InvalidGroup.NotFound", 400, NULL, 1, PLM_RESULT_DONE, PLM_RESULT_FAILED},
	{"InvalidLaunchTemplateName.NotFoundException", 400, NULL, 2, PLM_RESULT_DONE,
	 PLM_RESULT_DONE},
	{"InvalidLaunchTemplateId.NotFound", 400, NULL, 2, PLM_RESULT_DONE, PLM_RESULT_DONE},
	{"InvalidLaunchTemplateId.VersionNotFound", 400, NULL, 2, PLM_RESULT_DONE, PLM_RESULT_DONE},
	{"InsufficientInstanceCapacity", 500, "RunInstances", 1, PLM_RESULT_DONE,
	 PLM_RESULT_FAILED},
	{"MaxSpotInstanceCountExceeded", 400, "RunInstances", 1, PLM_RESULT_DONE,
	 PLM_RESULT_FAILED},
	{"VcpuLimitExceeded", 400, "RunInstances", 1, PLM_RESULT_DONE, PLM_RESULT_FAILED},
	{"Unsupported", 400, "RunInstances", 1, PLM_RESULT_DONE, PLM_RESULT_FAILED},
	{"UnfulfillableCapacity", 400, "RunInstances", 1, PLM_RESULT_DONE, PLM_RESULT_FAILED},
};

static void code_row(const struct code_case *row)
{
	const struct plm_w_result *result = NULL;

	bed_open(&bed);
	if (row->simple != NULL) {
		bed.recipe.class.kind = PLM_KIND_NODE_TEMPLATE;
	}
	played.fault = PLAYED_CODE;
	played.fault_action = row->simple != NULL ? row->simple : "CreateFleet";
	played.fault_count = 1;
	played.fault_status = row->status;
	played.fault_code = row->code;
	bed_launch(&bed, 7, false);
	played_run(5 * MINUTE);
	result = bed_final(&bed, 7);
	assert_non_null(result);
	assert_int_equal(result->class, row->class);
	if (row->class == PLM_RESULT_FAILED) {
		plm_assert_text(result->code, row->code);
	}
	assert_int_equal(bed_count(&bed, 7, PLM_RESULT_RETRYABLE),
			 row->before == PLM_RESULT_RETRYABLE);
	assert_int_equal(bed_count(&bed, 7, PLM_RESULT_UNKNOWN), row->before == PLM_RESULT_UNKNOWN);
	/* Those that the code kept from EC2 are not counted there. */
	assert_int_equal(played.launches_asked, row->tries - 1);
	assert_int_equal(played_of_intent(7, true), row->class == PLM_RESULT_DONE);
	bed_close(&bed);
}
PLM_TEST_ROWS(code_row, struct code_case)

/* ---- doubt --------------------------------------------------------------------------------------- */

/* Every fault at every call of a launch: one instance, one end, and the same one. */
static void every_fault(void **state)
{
	(void)state;
	for (int fault = PLAYED_UNSENT; fault < PLAYED_FAULTS; fault++) {
		for (int at = 0; at < 4; at++) {
			for (int simple = 0; simple < 2; simple++) {
				const struct plm_w_result *result = NULL;

				bed_open(&bed);
				bed.recipe.class.kind =
					simple ? PLM_KIND_NODE_TEMPLATE : PLM_KIND_NODE_CLASS;
				played.fault = (enum played_fault)fault;
				played.fault_skip = at;
				played.fault_count = 2;
				bed_launch(&bed, 7, false);
				played_run(10 * MINUTE);
				result = bed_final(&bed, 7);
				assert_non_null(result);
				assert_true(result->class == PLM_RESULT_DONE ||
					    result->class == PLM_RESULT_ALREADY_DONE);
				plm_assert_text(result->provider_id,
						"aws:///us-west-2a/i-00000000000000001");
				assert_int_equal(played.count, 1);
				assert_int_equal(played.mismatches, 0);
				bed_close(&bed);
			}
		}
	}
}

/* The answer is lost, and EC2 has forgotten the token by the time it is repeated: the tag is what saves us. */
static void a_forgotten_token(void **state)
{
	(void)state;
	bed_open(&bed);
	played.token_forget_ms = 1;
	played.fault = PLAYED_LOST_AFTER;
	played.fault_action = "CreateFleet";
	played.fault_count = 1;
	bed_launch(&bed, 7, false);
	played_run(MINUTE);
	assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_ALREADY_DONE);
	plm_assert_text(bed_final(&bed, 7)->provider_id, "aws:///us-west-2a/i-00000000000000001");
	plm_assert_text(bed_final(&bed, 7)->image, "ami-played");
	assert_int_equal(bed_count(&bed, 7, PLM_RESULT_UNKNOWN), 1);
	assert_int_equal(played.count, 1);
	bed_close(&bed);
}

/* It cannot be seen yet, but its token is known. */
static void an_instance_not_shown_yet(void **state)
{
	(void)state;
	bed_open(&bed);
	played.lag_ms = 5 * MINUTE;
	played.fault = PLAYED_LOST_AFTER;
	played.fault_action = "CreateFleet";
	played.fault_count = 1;
	bed_launch(&bed, 7, false);
	played_run(MINUTE);
	assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_DONE);
	assert_int_equal(played.count, 1);
	bed_close(&bed);
}

/* Lost, then the repetition is refused: nothing is believed until it had the time to show. */
static void refused_in_doubt(void **state)
{
	(void)state;
	for (int after = 0; after < 2; after++) {
		bed_open(&bed);
		played.lag_ms = 20000;
		played.fault = after ? PLAYED_LOST_AFTER : PLAYED_LOST_BEFORE;
		played.fault_action = "CreateFleet";
		played.fault_count = 1;
		bed_launch(&bed, 7, false);
		played_run(100);
		assert_int_equal(bed_count(&bed, 7, PLM_RESULT_UNKNOWN), 1);
		played.fault = PLAYED_CODE;
		played.fault_count = 1;
		played.fault_status = 403;
		played.fault_code = "UnauthorizedOperation";
		played_run(PLM_LIMIT_EC2_SETTLE_MS - 10000);
		assert_int_equal(played.fault_count, 0);
		if (after) {
			assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_ALREADY_DONE);
		} else {
			assert_null(bed_final(&bed, 7));
			played_run(MINUTE);
			assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_FAILED);
			plm_assert_text(bed_final(&bed, 7)->code, "UnauthorizedOperation");
		}
		assert_int_equal(played.count, after);
		bed_close(&bed);
	}
}

/* Launched, lost, ended by somebody: it is known to be over, and nothing is launched again. */
static void ended_meanwhile(void **state)
{
	(void)state;
	bed_open(&bed);
	played.token_forget_ms = 1;
	played.fault = PLAYED_LOST_AFTER;
	played.fault_action = "CreateFleet";
	played.fault_count = 1;
	bed_launch(&bed, 7, false);
	played_run(100);
	played.list[0].ending_ms = played_now();
	played_run(MINUTE);
	assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_FAILED);
	plm_assert_text(bed_final(&bed, 7)->code, "IdempotentInstanceTerminated");
	assert_int_equal(played.count, 1);
	bed_close(&bed);
}

/* The process dies at any moment of a launch; what was in flight may have been carried out or not. */
static void killed_anywhere(void **state)
{
	(void)state;
	for (int at_ms = 0; at_ms < 8; at_ms++) {
		for (int simple = 0; simple < 2; simple++) {
			bed_open(&bed);
			bed.recipe.class.kind =
				simple ? PLM_KIND_NODE_TEMPLATE : PLM_KIND_NODE_CLASS;
			played.lag_ms = at_ms % 2 == 0 ? 0 : 10000;
			bed_launch(&bed, 7, false);
			played_run(at_ms);
			bed_kill(&bed);
			bed.result_count = 0;
			bed_launch(&bed, 7, true);
			played_run(3 * MINUTE);
			assert_non_null(bed_final(&bed, 7));
			assert_int_not_equal(bed_final(&bed, 7)->class, PLM_RESULT_FAILED);
			assert_int_equal(played.count, 1);
			assert_int_equal(played.mismatches, 0);
			bed_close(&bed);
		}
	}
}

static void a_deadline(void **state)
{
	struct plm_effect effect;

	(void)state;
	bed_open(&bed);
	bed.request.recipe = plm_ec2_recipe_write(&bed.recipe, &bed.arena);
	effect = bed_effect(&bed, 7, PLM_CALL_LAUNCH, &bed.request);
	effect.deadline_ms = plm_ec2_now_ms(&bed.context) + 500;
	played.fault = PLAYED_THROTTLED;
	played.fault_count = 100;
	bed.port.submit(bed.port.self, &effect);
	played_run(5 * MINUTE);
	played.fault_count = 0;
	played_run(5 * MINUTE);
	assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_FAILED);
	plm_assert_text(bed_final(&bed, 7)->code, "DeadlineExceeded");
	assert_int_equal(played.count, 0);
	bed_close(&bed);
}

/* No template can be made, so the launch itself has never been sent. */
static void a_deadline_before_the_launch(void **state)
{
	struct plm_effect effect;

	(void)state;
	bed_open(&bed);
	bed.request.recipe = plm_ec2_recipe_write(&bed.recipe, &bed.arena);
	effect = bed_effect(&bed, 7, PLM_CALL_LAUNCH, &bed.request);
	effect.deadline_ms = plm_ec2_now_ms(&bed.context) + 500;
	played.fault = PLAYED_THROTTLED;
	played.fault_action = "CreateLaunchTemplate";
	played.fault_count = 100;
	bed.port.submit(bed.port.self, &effect);
	played_run(5 * MINUTE);
	assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_FAILED);
	plm_assert_text(bed_final(&bed, 7)->code, "DeadlineExceeded");
	assert_int_equal(played.count, 0);
	bed_close(&bed);
}

static void a_recipe_that_says_nothing(void **state)
{
	struct plm_effect effect;

	(void)state;
	bed_open(&bed);
	effect = bed_effect(&bed, 7, PLM_CALL_LAUNCH, &bed.request);
	bed.port.submit(bed.port.self, &effect);
	assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_FAILED);
	plm_assert_text(bed_final(&bed, 7)->code, "InvalidRequest");
	bed_close(&bed);
}

/* ---- many ---------------------------------------------------------------------------------------- */

static void many_at_once(void **state)
{
	(void)state;
	bed_open(&bed);
	played.delay_ms = 500;
	for (uint64_t i = 1; i <= 300; i++) {
		bed_launch(&bed, i, false);
	}
	played_run(300);
	assert_true(played.launches_asked <= PLM_LIMIT_EC2_LAUNCHES);
	played_run(MINUTE);
	for (uint64_t i = 1; i <= 300; i++) {
		assert_int_equal(bed_final(&bed, i)->class, PLM_RESULT_DONE);
		assert_int_equal(played_of_intent(i, true), 1);
	}
	assert_int_equal(played.count, 300);
	/* Two templates and one call each. */
	assert_int_equal(played.launches_asked, 300);
	assert_int_equal(played.templates_made, 2);
	bed_close(&bed);
}

static bool is_of_intent(struct plm_slice provider_id, uint64_t intent)
{
	char id[PLM_EC2_ID_SIZE];
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)intent);
	assert_true(plm_ec2_instance_id(provider_id, id));
	for (int i = 0; i < played.count; i++) {
		if (strcmp(played.list[i].id, id) == 0) {
			return strcmp(played_tag(&played.list[i], "plimsoll/intent"), text) == 0;
		}
	}
	return false;
}

#define CHANCES 24

/* A third of them of the simple dialect. */
static void launch_one(uint64_t intent, bool resent)
{
	bed.recipe.class.kind = intent % 3 == 0 ? PLM_KIND_NODE_TEMPLATE : PLM_KIND_NODE_CLASS;
	bed_launch(&bed, intent, resent);
}

static void die(void)
{
	bed_kill(&bed);
	for (uint64_t i = 1; i <= CHANCES; i++) {
		if (bed_final(&bed, i) == NULL) {
			launch_one(i, true);
		}
	}
}

static void check_all(void)
{
	for (uint64_t i = 1; i <= CHANCES; i++) {
		const struct plm_w_result *result = bed_final(&bed, i);

		assert_non_null(result);
		assert_true(result->class == PLM_RESULT_DONE ||
			    result->class == PLM_RESULT_ALREADY_DONE);
		assert_int_equal(played_of_intent(i, false), 1);
		assert_true(is_of_intent(result->provider_id, i));
	}
	assert_int_equal(played.count, CHANCES);
	assert_int_equal(played.mismatches, 0);
	assert_int_equal(plm_ec2_effect_under_way(bed.effect), 0);
}

/*
 * Faults by chance in a third of the calls, deaths of the process: never more than one instance of an intent, one
 * final RESULT each, and when all is calm every instance is one that a RESULT named.
 */
static void by_chance(void **state)
{
	uint64_t random = plm_test_seed();

	(void)state;
	for (int world = 0; world < 20; world++) {
		bed_open(&bed);
		played.weather = plm_test_random(&random) | 1;
		played.weather_percent = 33;
		played.lag_ms = (int64_t)plm_test_below(&random, 30000);
		for (uint64_t i = 1; i <= CHANCES; i++) {
			launch_one(i, false);
			played_run((int64_t)plm_test_below(&random, 700));
		}
		for (int deaths = 0; deaths < 3; deaths++) {
			played_run((int64_t)plm_test_below(&random, 20000));
			die();
		}
		played_run(10 * MINUTE);
		played.weather = 0;
		played_run(20 * MINUTE);
		check_all();
		bed_close(&bed);
	}
}

/* ---- templates ------------------------------------------------------------------------------------ */

/* What no launch has needed for a week goes, and comes back when one does; what was needed stays. */
static void old_templates(void **state)
{
	const int64_t day_ms = 24LL * 60 * MINUTE;

	(void)state;
	bed_open_blind(&bed);
	bed_launch(&bed, 7, false);
	played_run(5 * day_ms);
	bed.images[0] = plm_slice_str("ami-new");
	bed_launch(&bed, 8, false);
	played_run(MINUTE);
	assert_int_equal(played.templates_made, 3); /* of the two of the first, one serves both */
	assert_int_equal(played.templates_deleted, 0);
	played_run(4 * day_ms);
	assert_int_equal(played.templates_deleted, 1);
	bed.images[0] = plm_slice_str("ami-x86");
	bed_launch(&bed, 9, false);
	played_run(MINUTE);
	assert_int_equal(bed_final(&bed, 9)->class, PLM_RESULT_DONE);
	assert_int_equal(played.templates_made, 4);
	/* Refused: not asked for the others before the next day. */
	played_run(4 * day_ms);
	played.fault = PLAYED_CODE;
	played.fault_action = "DeleteLaunchTemplate";
	played.fault_status = 403;
	played.fault_code = "UnauthorizedOperation";
	played.fault_count = 3;
	played_run(10 * day_ms);
	assert_int_equal(played.fault_count, 0);
	assert_int_equal(played.templates_deleted, 4);
	bed_close(&bed);
}

/* ---- ends ---------------------------------------------------------------------------------------- */

static struct plm_slice provider(int number)
{
	return plm_arena_format(&bed.arena, "aws:///us-west-2a/i-%017x", (unsigned)number);
}

static void add(int count)
{
	char id[32];

	for (int i = 1; i <= count; i++) {
		(void)snprintf(id, sizeof(id), "i-%017x", (unsigned)i);
		(void)played_add(id, "m5.large");
	}
}

static void an_end(void **state)
{
	(void)state;
	bed_open(&bed);
	add(1);
	bed_terminate(&bed, 1, provider(1));
	played_run(PLM_LIMIT_EC2_TERMINATE_IDLE_MS - 1);
	assert_int_equal(played.terminates, 0);
	played_run(1000);
	assert_int_equal(bed_final(&bed, 1)->class, PLM_RESULT_DONE);
	plm_assert_text(bed_final(&bed, 1)->code, "");
	bed_terminate(&bed, 2, provider(1));
	played_run(1000);
	assert_int_equal(bed_final(&bed, 2)->class, PLM_RESULT_ALREADY_DONE);
	plm_assert_text(bed_final(&bed, 2)->code, "shutting-down");
	played_run(MINUTE);
	bed_terminate(&bed, 3, provider(1));
	played_run(1000);
	assert_int_equal(bed_final(&bed, 3)->class, PLM_RESULT_ALREADY_DONE);
	plm_assert_text(bed_final(&bed, 3)->code, "terminated");
	plm_assert_text(bed_fact(&bed, "i-00000000000000001")->state, "terminated");
	bed_close(&bed);
}

static void ends_together(void **state)
{
	(void)state;
	bed_open(&bed);
	add(1200);
	for (int i = 1; i <= 1200; i++) {
		bed_terminate(&bed, (uint64_t)i, provider(i));
	}
	played_run(5000);
	for (int i = 1; i <= 1200; i++) {
		assert_int_equal(bed_final(&bed, (uint64_t)i)->class, PLM_RESULT_DONE);
	}
	assert_int_equal(played.terminates, 3);
	assert_int_equal(played.most_in_a_terminate, PLM_LIMIT_EC2_TERMINATE_IDS);
	/* They come one after the other: none waits longer than a second. */
	add(1230);
	for (int i = 1201; i <= 1230; i++) {
		bed_terminate(&bed, (uint64_t)i, provider(i));
		played_run(90);
		assert_true(i < 1213 || bed_final(&bed, 1201) != NULL);
	}
	bed_close(&bed);
}

/* One of them is not there, one is protected: the others end all the same. */
static void one_bad_of_many(void **state)
{
	(void)state;
	bed_open(&bed);
	add(20);
	played.list[11].protected = true;
	for (int i = 1; i <= 21; i++) {
		bed_terminate(&bed, (uint64_t)i, provider(i));
	}
	played_run(5 * MINUTE);
	for (int i = 1; i <= 21; i++) {
		const struct plm_w_result *result = bed_final(&bed, (uint64_t)i);

		assert_int_equal(result->class,
				 i == 12 || i == 21 ? PLM_RESULT_FAILED : PLM_RESULT_DONE);
	}
	plm_assert_text(bed_final(&bed, 12)->code, "OperationNotPermitted");
	plm_assert_text(bed_final(&bed, 21)->code, "InvalidInstanceID.NotFound");
	assert_int_equal(played_alive(), 1);
	bed_close(&bed);
}

/* Right after a launch EC2 does not know it: that proves nothing, and it ends. */
static void an_end_right_after_its_launch(void **state)
{
	(void)state;
	bed_open(&bed);
	played.lag_ms = 30000;
	bed_launch(&bed, 1, false);
	played_run(1000);
	bed_terminate(&bed, 2, bed_final(&bed, 1)->provider_id);
	played_run(10000);
	assert_null(bed_final(&bed, 2));
	assert_int_equal(bed_count(&bed, 2, PLM_RESULT_RETRYABLE), 1);
	played_run(2 * MINUTE);
	assert_int_equal(bed_final(&bed, 2)->class, PLM_RESULT_DONE);
	assert_int_equal(played_alive(), 0);
	bed_close(&bed);
}

static void every_fault_of_an_end(void **state)
{
	(void)state;
	for (int fault = PLAYED_UNSENT; fault < PLAYED_FAULTS; fault++) {
		bed_open(&bed);
		add(3);
		played.fault = (enum played_fault)fault;
		played.fault_action = "TerminateInstances";
		played.fault_count = 2;
		for (int i = 1; i <= 3; i++) {
			bed_terminate(&bed, (uint64_t)i, provider(i));
		}
		played_run(5 * MINUTE);
		for (int i = 1; i <= 3; i++) {
			enum plm_result_class class =
				(enum plm_result_class)bed_final(&bed, (uint64_t)i)->class;

			assert_true(class == PLM_RESULT_DONE || class == PLM_RESULT_ALREADY_DONE);
		}
		assert_int_equal(played_alive(), 0);
		bed_close(&bed);
	}
}

static void who_may_not(void **state)
{
	(void)state;
	bed_open(&bed);
	add(40);
	played.fault = PLAYED_CODE;
	played.fault_action = "TerminateInstances";
	played.fault_count = 1;
	played.fault_status = 403;
	played.fault_code = "UnauthorizedOperation";
	for (int i = 1; i <= 40; i++) {
		bed_terminate(&bed, (uint64_t)i, provider(i));
	}
	played_run(1000);
	assert_int_equal(played.terminates, 0); /* one call that was refused, and none for each */
	for (int i = 1; i <= 40; i++) {
		assert_int_equal(bed_final(&bed, (uint64_t)i)->class, PLM_RESULT_FAILED);
	}
	bed_terminate(&bed, 41, plm_slice_str("aws:///us-west-2a/nothing"));
	plm_assert_text(bed_final(&bed, 41)->code, "InvalidInstanceID.Malformed");
	bed_close(&bed);
}

/* ---- tags ---------------------------------------------------------------------------------------- */

static void tags_one_a_second(void **state)
{
	(void)state;
	bed_open(&bed);
	add(5);
	for (int i = 1; i <= 5; i++) {
		bed_tag(&bed, (uint64_t)i, provider(i), "ip-10-0-0-1");
	}
	played_run(500);
	assert_int_equal(played.tag_calls, 1);
	played_run(2000);
	assert_int_equal(played.tag_calls, 3);
	played_run(5000);
	assert_int_equal(played.tag_calls, 5);
	for (int i = 1; i <= 5; i++) {
		assert_int_equal(bed_final(&bed, (uint64_t)i)->class, PLM_RESULT_DONE);
		assert_string_equal(played_tag(&played.list[i - 1], "Name"), "ip-10-0-0-1");
	}
	bed_tag(&bed, 6, provider(99), "n");
	played_run(10000);
	assert_null(bed_final(&bed, 6));
	played_run(3 * MINUTE);
	assert_int_equal(bed_final(&bed, 6)->class, PLM_RESULT_FAILED);
	bed_close(&bed);
}

/* ---- a full inbox -------------------------------------------------------------------------------- */

static void a_full_inbox(void **state)
{
	(void)state;
	bed_open(&bed);
	bed.room = 0;
	bed_launch(&bed, 7, false);
	bed_launch(&bed, 8, false);
	played_run(1000);
	assert_int_equal(bed.result_count, 0);
	bed.room = SIZE_MAX;
	plm_ec2_tell_more(&bed.context);
	assert_int_equal(bed_final(&bed, 7)->class, PLM_RESULT_DONE);
	assert_int_equal(bed_final(&bed, 8)->class, PLM_RESULT_DONE);
	bed_close(&bed);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, a_launch);
	PLM_TEST_ADD(&tests, a_launch_of_the_simple_dialect);
	PLM_TEST_ADD(&tests, a_stock_out_of_some);
	PLM_TEST_TABLE(&tests, shortage_row, shortage_table);
	PLM_TEST_TABLE(&tests, code_row, code_table);
	PLM_TEST_ADD(&tests, every_fault);
	PLM_TEST_ADD(&tests, a_forgotten_token);
	PLM_TEST_ADD(&tests, an_instance_not_shown_yet);
	PLM_TEST_ADD(&tests, refused_in_doubt);
	PLM_TEST_ADD(&tests, ended_meanwhile);
	PLM_TEST_ADD(&tests, killed_anywhere);
	PLM_TEST_ADD(&tests, a_deadline);
	PLM_TEST_ADD(&tests, a_deadline_before_the_launch);
	PLM_TEST_ADD(&tests, a_recipe_that_says_nothing);
	PLM_TEST_ADD(&tests, many_at_once);
	PLM_TEST_ADD(&tests, by_chance);
	PLM_TEST_ADD(&tests, old_templates);
	PLM_TEST_ADD(&tests, an_end);
	PLM_TEST_ADD(&tests, ends_together);
	PLM_TEST_ADD(&tests, one_bad_of_many);
	PLM_TEST_ADD(&tests, an_end_right_after_its_launch);
	PLM_TEST_ADD(&tests, every_fault_of_an_end);
	PLM_TEST_ADD(&tests, who_may_not);
	PLM_TEST_ADD(&tests, tags_one_a_second);
	PLM_TEST_ADD(&tests, a_full_inbox);
	return plm_tests_run(&tests, "ec2 effect");
}
