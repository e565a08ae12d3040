#include "feed.h"

#include "plm_test.h"

#include "../aws/stage.h"
#include "adapters/ec2/status.h"
#include "core/limits.h"

#include <stdio.h>

static struct stage stage;
static struct feed_inbox inbox;
static struct plm_ec2_context context;
static struct plm_ec2_status *status;
static int64_t boot;
static const char *impaired, *planned; /* what the answers hold; NULL = the read fails */
static int asked;

static int64_t boot_ms(void *self)
{
	(void)self;
	return boot;
}

static int64_t wall_ns(void *self)
{
	(void)self;
	return 1800000000LL * 1000000000;
}

static void play(struct stage *at, const struct stage_asked *what, struct server_answer *answer)
{
	static char text[4096];
	const char *items = strstr(what->body, "event.code") != NULL ? planned : impaired;

	asked++;
	assert_string_equal(what->action, "DescribeInstanceStatus");
	if (strstr(what->body, "system-status.status") != NULL) {
		items = "";
	}
	if (items == NULL) {
		stage_refuse(at, what, answer, 403, "UnauthorizedOperation");
		return;
	}
	(void)snprintf(text, sizeof(text), "<instanceStatusSet>%s</instanceStatusSet>", items);
	stage_say(at, what, answer, text);
}

static void open_all(void)
{
	struct plm_error err;

	stage_open(&stage);
	stage.answer = play;
	feed_inbox_open(&inbox);
	boot = 0;
	asked = 0;
	impaired = planned = "";
	context = (struct plm_ec2_context){.options = {.loop = &stage.loop},
					   .client = stage.client,
					   .clock = {.boot_ms = boot_ms, .wall_ns = wall_ns},
					   .inbox = inbox.inbox};
	plm_assert_ok(plm_ec2_status_new(&context, &status, &err), &err);
	feed_instance(&context, "aws:///us-west-2a/i-1", "running", "");
	feed_instance(&context, "aws:///us-west-2b/i-2", "running", "");
	plm_ec2_status_start(status);
	assert_int_equal(asked, 0);
	inbox.count = 0;
}

static void a_round(int reads)
{
	asked = 0;
	boot += PLM_LIMIT_EC2_STATUS_MS;
	plm_ec2_status_resume(status);
	stage_until(&stage, &asked, reads);
	stage_run(&stage, 30);
	assert_int_equal(asked, reads);
}

static void close_all(void)
{
	plm_ec2_status_free(status);
	stage_close(&stage);
	plm_ec2_context_fini(&context);
	feed_inbox_close(&inbox);
}

#define ITEM(id, checks) "<item><instanceId>" id "</instanceId>" checks "</item>"
#define CHECK(since)                                                                               \
	"<instanceStatus><status>impaired</status><details><item><name>reachability</name>"        \
	"<status>failed</status><impairedSince>" since                                             \
	"</impairedSince></item></details></instanceStatus>"
#define EVENT(code, description, at)                                                               \
	"<eventsSet><item><code>" code "</code><description>" description                          \
	"</description><notBefore>" at "</notBefore></item></eventsSet>"

static void impaired_and_not_any_more(void **state)
{
	const struct plm_w_interruption *fact = NULL;

	(void)state;
	open_all();
	impaired = ITEM("i-1", CHECK("2026-01-01T00:00:00.000Z"))
		ITEM("i-99", CHECK("2026-01-01T00:00:00.000Z"));
	a_round(3);
	assert_int_equal(inbox.count, 1); /* i-99 is none of ours */
	fact = feed_fact(&inbox, 0, PLM_EV_INTERRUPTION);
	plm_assert_text(fact->provider_id, "aws:///us-west-2a/i-1");
	assert_int_equal(fact->kind, PLM_INTERRUPT_IMPAIRED);
	assert_int_equal(fact->at_ms, 1767225600000);
	a_round(3);
	assert_int_equal(inbox.count, 1); /* nothing new */
	impaired = NULL;
	a_round(3);
	assert_int_equal(inbox.count, 1); /* not seen is not over */
	impaired = "";
	a_round(3);
	assert_int_equal(inbox.count, 2);
	fact = feed_fact(&inbox, 0, PLM_EV_INTERRUPTION);
	assert_int_equal(fact->kind, PLM_INTERRUPT_IMPAIRED);
	assert_int_equal(fact->at_ms, 0);
	a_round(3);
	assert_int_equal(inbox.count, 2);
	close_all();
}

static void what_is_planned(void **state)
{
	const struct plm_w_interruption *fact = NULL;

	(void)state;
	open_all();
	planned = ITEM("i-1", EVENT("instance-stop", "[Completed] was", "2026-01-01T00:00:00.000Z"))
		ITEM("i-2", EVENT("instance-retirement", "will be", "2026-01-01T00:00:00.000Z"));
	a_round(3);
	a_round(3);
	assert_int_equal(inbox.count, 1);
	fact = feed_fact(&inbox, 0, PLM_EV_INTERRUPTION);
	plm_assert_text(fact->provider_id, "aws:///us-west-2b/i-2");
	assert_int_equal(fact->kind, PLM_INTERRUPT_SCHEDULED);
	assert_int_equal(fact->at_ms, 1767225600000);
	planned = ITEM("i-2", EVENT("instance-retirement", "later", "2026-01-02T00:00:00.000Z"));
	a_round(3);
	assert_int_equal(inbox.count, 2);
	fact = feed_fact(&inbox, 0, PLM_EV_INTERRUPTION);
	assert_int_equal(fact->at_ms, 1767312000000);
	close_all();
}

static void failures_are_said(void **state)
{
	struct plm_ready_check check;

	(void)state;
	open_all();
	impaired = NULL;
	a_round(3);
	assert_int_equal(plm_ec2_status_ready(status, &check, 1), 1);
	assert_false(check.ok);
	assert_string_equal(check.why, "DescribeInstanceStatus: UnauthorizedOperation");
	impaired = "";
	a_round(3);
	assert_int_equal(plm_ec2_status_ready(status, &check, 1), 1);
	assert_true(check.ok);
	close_all();
}

/* ---- one item ---------------------------------------------------------------------------------- */

static const struct item_case {
	const char *name, *xml;
	bool ok;
	int64_t impaired_ms, event_ms;
} item_table[] = {
	{"nothing wrong",
	 ITEM("i-1", "<instanceStatus><status>ok</status><details><item><name>reachability</name>"
		     "<status>passed</status></item></details></instanceStatus>"),
	 true, PLM_UNSET, PLM_UNSET},
	{"no id", "<item/>", false, 0, 0},
	{"both checks, the earlier counts",
	 ITEM("i-1", CHECK("2026-01-02T00:00:00.000Z") "<systemStatus><details><item><status>failed"
						       "</status><impairedSince>2026-01-01T00:00:00"
						       ".000Z</impairedSince></item></details>"
						       "</systemStatus>"),
	 true, 1767225600000, PLM_UNSET},
	{"no time is said", ITEM("i-1", "<systemStatus><status>impaired</status></systemStatus>"),
	 true, 0, PLM_UNSET},
	{"volumes do not count",
	 ITEM("i-1", "<attachedEbsStatus><status>impaired</status></attachedEbsStatus>"), true,
	 PLM_UNSET, PLM_UNSET},
	{"an event without a time", ITEM("i-1", EVENT("system-reboot", "x", "")), true, PLM_UNSET,
	 0},
	{"an event that was called off",
	 ITEM("i-1", EVENT("system-reboot", "[Canceled] x", "2026-01-01T00:00:00.000Z")), true,
	 PLM_UNSET, PLM_UNSET},
};

static void item_row(const struct item_case *row)
{
	const struct plm_aws_node *root = NULL;
	struct plm_ec2_status_row out;
	struct plm_arena arena;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 1L << 20, &err), &err);
	plm_assert_ok(plm_aws_xml(plm_slice_str(row->xml), &arena, &root, &err), &err);
	assert_int_equal(plm_ec2_status_read(root, &out), row->ok);
	if (row->ok) {
		assert_int_equal(out.impaired_ms, row->impaired_ms);
		assert_int_equal(out.event_ms, row->event_ms);
	}
	plm_arena_fini(&arena);
}
PLM_TEST_ROWS(item_row, struct item_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, impaired_and_not_any_more);
	PLM_TEST_ADD(&tests, what_is_planned);
	PLM_TEST_ADD(&tests, failures_are_said);
	PLM_TEST_TABLE(&tests, item_row, item_table);
	return plm_tests_run(&tests, "status");
}
