#include "feed.h"

#include "plm_test.h"

#include "../aws/stage.h"
#include "adapters/catalog/catalog.h"
#include "adapters/ec2/catalog.h"
#include "core/limits.h"

#include <stdio.h>

static struct stage stage;
static struct feed_inbox inbox;
static struct plm_ec2_context context;
static struct plm_ec2_catalog *catalog;
static struct plm_arena arena;
static struct plm_w_catalog builtin;
static int64_t boot;
static int answers;
static const char *broken; /* an action that fails */
static const char *spot;   /* of m5.large in us-west-2a */
static const char *left;   /* of the reservation; NULL = there is none */
static char notes[4096];

static int64_t boot_ms(void *self)
{
	(void)self;
	return boot;
}

static int64_t wall_ns(void *self)
{
	(void)self;
	return 1767225600000LL * 1000000;
}

static void note(void *self, const char *text)
{
	(void)self;
	(void)snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes), "%s\n", text);
}

static void say_reservations(char *text, size_t size)
{
	(void)snprintf(text, size,
		       "<capacityReservationSet><item><capacityReservationId>cr-1"
		       "</capacityReservationId><instanceType>m5.large</instanceType>"
		       "<availabilityZone>us-west-2a</availabilityZone><state>active</state>"
		       "<reservationType>capacity-block</reservationType>"
		       "<endDate>2026-01-02T00:00:00.000Z</endDate>"
		       "<availableInstanceCount>%s</availableInstanceCount></item>"
		       "</capacityReservationSet>",
		       left);
}

static void play(struct stage *at, const struct stage_asked *asked, struct server_answer *answer)
{
	static char text[4096];

	text[0] = '\0';
	answers++;
	if (broken != NULL && strcmp(asked->action, broken) == 0) {
		stage_refuse(at, asked, answer, 403, "UnauthorizedOperation");
		return;
	}
	if (strcmp(asked->action, "DescribeInstanceTypeOfferings") == 0) {
		(void)snprintf(
			text, sizeof(text),
			"<instanceTypeOfferingSet><item><instanceType>m5.large"
			"</instanceType><location>us-west-2a</location></item><item>"
			"<instanceType>c5.large</instanceType><location>us-west-2a</location>"
			"</item><item><instanceType>r5.large</instanceType><location>"
			"us-west-2a</location></item></instanceTypeOfferingSet>");
	} else if (strcmp(asked->action, "DescribeSpotPriceHistory") == 0) {
		(void)snprintf(text, sizeof(text),
			       "<spotPriceHistorySet><item><instanceType>m5.large</instanceType>"
			       "<availabilityZone>us-west-2a</availabilityZone><spotPrice>%s"
			       "</spotPrice></item></spotPriceHistorySet>",
			       spot);
	} else if (strcmp(asked->action, "DescribeCapacityReservations") == 0 && left != NULL) {
		say_reservations(text, sizeof(text));
	} else if (strcmp(asked->action, "DescribeInstanceTypes") == 0) {
		stage_refuse(at, asked, answer, 403,
			     "UnauthorizedOperation"); /* the table's stand */
		return;
	}
	stage_say(at, asked, answer, text);
}

static void open_with(bool isolated)
{
	struct plm_error err;

	stage_open(&stage);
	stage.answer = play;
	feed_inbox_open(&inbox);
	plm_assert_ok(plm_arena_init(&arena, PLM_CATALOG_ARENA_BYTES, &err), &err);
	plm_assert_ok(plm_catalog_builtin("us-west-2", &arena, &builtin, &err), &err);
	boot = 0;
	answers = 0;
	broken = left = NULL;
	spot = "0.04";
	notes[0] = '\0';
	context = (struct plm_ec2_context){.options = {.loop = &stage.loop,
						       .builtin = &builtin,
						       .isolated_vpc = isolated,
						       .seed = 7,
						       .note = note},
					   .client = stage.client,
					   .clock = {.boot_ms = boot_ms, .wall_ns = wall_ns},
					   .inbox = inbox.inbox};
	plm_assert_ok(plm_ec2_catalog_new(&context, &catalog, &err), &err);
}

/* A round of so many answers, after so much time. */
static void a_round(int64_t ms, int reads)
{
	answers = 0;
	boot += ms;
	plm_ec2_catalog_resume(catalog);
	stage_until(&stage, &answers, reads);
	stage_run(&stage, 60);
	assert_int_equal(answers, reads);
}

static void close_all(void)
{
	plm_ec2_catalog_free(catalog);
	stage_close(&stage);
	plm_ec2_context_fini(&context);
	feed_inbox_close(&inbox);
	plm_arena_fini(&arena);
}

#define HALF_A_DAY (PLM_LIMIT_EC2_CATALOG_MS + PLM_LIMIT_EC2_CATALOG_MS / 10)

static void told_when_it_changed(void **state)
{
	const struct plm_w_catalog *fact = NULL;

	(void)state;
	open_with(false);
	plm_ec2_catalog_start(catalog);
	a_round(0, 7); /* two of them about prices on demand */
	assert_int_equal(stage_times(&stage, "GetProducts"), 2);
	assert_int_equal(inbox.count, 1);
	fact = feed_fact(&inbox, 0, PLM_EV_CATALOG);
	plm_assert_text(fact->region, "us-west-2");
	assert_int_equal(fact->types.count, 3);
	assert_int_equal(fact->part, 0);
	assert_non_null(strstr(notes, "instance types: UnauthorizedOperation"));
	assert_non_null(strstr(notes, "the built-in catalogue stands"));
	assert_non_null(strstr(notes, "catalogue of us-west-2: 3 instance types"));
	a_round(PLM_LIMIT_EC2_RESERVATIONS_MS + 4000, 2); /* and types once more */
	assert_int_equal(inbox.count, 1);
	spot = "0.03";
	a_round(HALF_A_DAY, 7);
	assert_int_equal(inbox.count, 2);
	fact = feed_fact(&inbox, 0, PLM_EV_CATALOG);
	assert_int_equal(fact->types.count, 1);
	assert_int_equal(fact->part, 1);
	close_all();
}

static void reservations_each_minute(void **state)
{
	const struct plm_w_catalog *fact = NULL;
	const struct plm_w_interruption *end = NULL;
	struct plm_w_result result = {.class = PLM_RESULT_DONE,
				      .provider_id = plm_slice_str("aws:///us-west-2a/i-1"),
				      .reservation = plm_slice_str("cr-1")};

	(void)state;
	open_with(true);
	left = "2";
	plm_ec2_catalog_start(catalog);
	a_round(0, 5);
	assert_int_equal(stage_times(&stage, "GetProducts"), 0);
	assert_int_equal(inbox.count, 1);
	plm_ec2_tell(&context, PLM_EV_RESULT, &result, 1, "");
	a_round(PLM_LIMIT_EC2_RESERVATIONS_MS + 4000, 2);
	assert_int_equal(inbox.count, 4); /* the launch, when its block ends, and what is left */
	fact = feed_fact(&inbox, 0, PLM_EV_CATALOG);
	assert_int_equal(fact->types.count, 1);
	end = feed_fact(&inbox, 1, PLM_EV_INTERRUPTION);
	assert_int_equal(end->kind, PLM_INTERRUPT_BLOCK);
	assert_int_equal(end->at_ms, 1767312000000);
	plm_assert_text(end->provider_id, "aws:///us-west-2a/i-1");
	left = "1";
	a_round(PLM_LIMIT_EC2_RESERVATIONS_MS + 4000, 1);
	assert_int_equal(inbox.count, 5);
	a_round(PLM_LIMIT_EC2_RESERVATIONS_MS + 4000, 2);
	assert_int_equal(inbox.count, 5);
	close_all();
}

static void failures_are_said_and_tried_again(void **state)
{
	struct plm_ready_check check;

	(void)state;
	open_with(true);
	broken = "DescribeInstanceTypeOfferings";
	plm_ec2_catalog_start(catalog);
	a_round(0, 5);
	assert_int_equal(inbox.count, 1);
	assert_int_equal(plm_ec2_catalog_ready(catalog, &check, 1), 1);
	assert_false(check.ok);
	broken = NULL;
	a_round(PLM_LIMIT_EC2_CATALOG_FIRST_MS * 2, 2); /* offerings, and types in vain */
	assert_int_equal(inbox.count, 2);
	close_all();
}

/* Asked in the middle of it: nothing is told, nothing is left behind. */
static void ends_in_the_middle(void **state)
{
	(void)state;
	open_with(true);
	plm_ec2_catalog_start(catalog);
	stage_until(&stage, &answers, 2);
	assert_int_equal(inbox.count, 0);
	close_all();
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, told_when_it_changed);
	PLM_TEST_ADD(&tests, reservations_each_minute);
	PLM_TEST_ADD(&tests, failures_are_said_and_tried_again);
	PLM_TEST_ADD(&tests, ends_in_the_middle);
	return plm_tests_run(&tests, "catalog");
}
