#include "feed.h"

#include "plm_test.h"

#include "../aws/stage.h"
#include "adapters/ec2/queue.h"
#include "core/limits.h"

#include <stdio.h>

static struct stage stage;
static struct feed_inbox inbox;
static struct plm_ec2_context context;
static struct plm_ec2_queue *queue;
static int64_t boot;

/* What the queue holds: bodies that were not deleted. Hidden once received, until all are shown again. */
#define MESSAGES 32
static struct {
	const char *body;
	bool hidden, deleted;
	int received;
} held[MESSAGES];
static int held_count;
static const char *refused; /* an entry that a batch does not delete */
static const char *broken;  /* an action that fails */
static int polls, deletes;

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

static void put(const char *body)
{
	assert_true(held_count < MESSAGES);
	held[held_count].body = body;
	held_count++;
}

static void quote(char *to, size_t size, const char *from)
{
	size_t at = 0;

	for (; *from != '\0' && at + 3 < size; from++) {
		if (*from == '"' || *from == '\\') {
			to[at++] = '\\';
		}
		to[at++] = *from;
	}
	to[at] = '\0';
}

static void give(struct stage *at, const struct stage_asked *asked, struct server_answer *answer)
{
	static char text[16384];
	char body[2048];
	int count = 0;

	polls++;
	assert_non_null(strstr(asked->body, "\"WaitTimeSeconds\":20"));
	assert_non_null(strstr(asked->body, "\"MaxNumberOfMessages\":10"));
	(void)snprintf(text, sizeof(text), "{\"Messages\":[");
	for (int i = 0; i < held_count && count < 10; i++) {
		if (held[i].hidden || held[i].deleted) {
			continue;
		}
		held[i].hidden = true;
		held[i].received++;
		quote(body, sizeof(body), held[i].body);
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			       "%s{\"MessageId\":\"m\",\"ReceiptHandle\":\"handle-%d-\",\"Body\":"
			       "\"%s\"}",
			       count++ == 0 ? "" : ",", i, body);
	}
	(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "]}");
	answer->hang = count == 0; /* a long poll */
	stage_say(at, asked, answer, count == 0 ? "{}" : text);
}

static void take(struct stage *at, const struct stage_asked *asked, struct server_answer *answer)
{
	char failed[256] = "";

	deletes++;
	for (int i = 0; i < held_count; i++) {
		char handle[32];
		const char *where = NULL;

		(void)snprintf(handle, sizeof(handle), "handle-%d-", i);
		where = strstr(asked->body, handle);
		if (where == NULL) {
			continue;
		}
		if (refused != NULL && strcmp(refused, handle) == 0) {
			const char *id = where;

			while (strncmp(id, "\"Id\":\"", 6) != 0) {
				id--;
			}
			(void)snprintf(failed, sizeof(failed),
				       "{\"Failed\":[{\"Id\":\"%.1s\",\"Code\":"
				       "\"ReceiptHandleIsInvalid\",\"SenderFault\":true}]}",
				       id + 6);
		} else {
			held[i].deleted = true;
		}
	}
	stage_say(at, asked, answer, failed[0] == '\0' ? "{\"Successful\":[]}" : failed);
}

static void play(struct stage *at, const struct stage_asked *asked, struct server_answer *answer)
{
	if (broken != NULL && strcmp(broken, asked->action) == 0) {
		stage_refuse(at, asked, answer, 400, "QueueDoesNotExist");
	} else if (strcmp(asked->action, "GetQueueUrl") == 0) {
		stage_say(at, asked, answer, "{\"QueueUrl\":\"http://x/123456789012/main\"}");
	} else if (strcmp(asked->action, "ReceiveMessage") == 0) {
		give(at, asked, answer);
	} else {
		assert_string_equal(asked->action, "DeleteMessageBatch");
		take(at, asked, answer);
	}
}

static void open_with(const char *name, bool act)
{
	struct plm_error err;

	memset(held, 0, sizeof(held));
	held_count = polls = deletes = 0;
	refused = broken = NULL;
	boot = 0;
	stage_open(&stage);
	stage.answer = play;
	feed_inbox_open(&inbox);
	context = (struct plm_ec2_context){
		.options = {.loop = &stage.loop, .interruption_queue = name, .seed = 7},
		.client = stage.client,
		.clock = {.boot_ms = boot_ms, .wall_ns = wall_ns},
		.inbox = inbox.inbox,
		.act = act};
	plm_assert_ok(plm_ec2_queue_new(&context, &queue, &err), &err);
	plm_ec2_queue_start(queue);
}

static void close_all(void)
{
	plm_ec2_queue_free(queue);
	stage_close(&stage);
	plm_ec2_context_fini(&context);
	feed_inbox_close(&inbox);
}

/* Two instances of ours, and a list that is whole. */
static void know(void)
{
	feed_instance(&context, "aws:///us-west-2a/i-1", "running", "");
	feed_instance(&context, "aws:///us-west-2b/i-2", "running", "cr-1");
	feed_listed(&context);
	plm_ec2_queue_resume(queue);
}

#define EC2(type, detail)                                                                          \
	"{\"version\":\"0\",\"id\":\"7bf73129\",\"detail-type\":\"" type                           \
	"\",\"source\":\"aws.ec2\",\"time\":\"2026-01-01T00:00:00Z\",\"detail\":" detail "}"
#define SPOT(id) EC2("EC2 Spot Instance Interruption Warning", "{\"instance-id\":\"" id "\"}")
#define TAKEN(id)                                                                                  \
	EC2("EC2 Capacity Reservation Instance Interruption Warning",                              \
	    "{\"instance-id\":\"" id "\"}")

static int64_t told_of(enum plm_cloud_number number, const char *label);

static void deleted_when_it_is_durable(void **state)
{
	const struct plm_w_interruption *fact = NULL;

	(void)state;
	open_with("main", true);
	put(SPOT("i-1"));
	stage_run(&stage, 60);
	assert_int_equal(polls, 0); /* which messages are ours is not known yet */
	know();
	stage_until(&stage, &inbox.count, 4);
	fact = feed_fact(&inbox, 0, PLM_EV_INTERRUPTION);
	plm_assert_text(fact->provider_id, "aws:///us-west-2a/i-1");
	assert_int_equal(fact->kind, PLM_INTERRUPT_SPOT);
	assert_int_equal(fact->at_ms, 1767225720000);
	assert_string_equal(inbox.facts[3].pos, "7bf73129");
	inbox.settled = 3;
	plm_ec2_queue_resume(queue);
	stage_run(&stage, 60);
	assert_int_equal(deletes, 0);
	inbox.settled = 4;
	plm_ec2_queue_resume(queue);
	stage_until(&stage, &deletes, 1);
	assert_true(held[0].deleted);
	stage_run(&stage, 30);
	assert_int_equal(told_of(PLM_CLOUD_DELETED, ""), 1);
	assert_int_equal(told_of(PLM_CLOUD_MESSAGES, "spotInterruption"), 1);
	close_all();
}

static void a_full_inbox_holds_messages_back(void **state)
{
	(void)state;
	open_with("main", true);
	put(SPOT("i-1"));
	know();
	inbox.full = true;
	inbox.settled = 100;
	stage_until(&stage, &polls, 1);
	stage_run(&stage, 60);
	assert_int_equal(deletes, 0); /* its fact is nowhere yet */
	assert_int_equal(polls, 1);   /* and no more are asked for */
	inbox.full = false;
	plm_ec2_tell_more(&context);
	inbox.settled = 3;
	plm_ec2_queue_resume(queue);
	stage_run(&stage, 60);
	assert_int_equal(deletes, 0);
	inbox.settled = 4;
	plm_ec2_queue_resume(queue);
	stage_until(&stage, &deletes, 1);
	assert_true(held[0].deleted);
	close_all();
}

static void duplicates_strangers_and_rubbish(void **state)
{
	const struct plm_w_interruption *fact = NULL;

	(void)state;
	open_with("main", true);
	inbox.settled = 100;
	put("rubbish");
	put(SPOT("i-99"));
	put(EC2("EBS Volume Notification", "{}"));
	put(SPOT("i-1"));
	put(SPOT("i-1"));
	put(TAKEN("i-2"));
	know();
	stage_until(&stage, &deletes, 1);
	for (int i = 0; i < held_count; i++) {
		assert_true(held[i].deleted);
	}
	assert_int_equal(inbox.count, 6); /* i-1, i-2, the list; i-1 twice, i-2 */
	fact = feed_fact(&inbox, 0, PLM_EV_INTERRUPTION);
	assert_int_equal(fact->kind, PLM_INTERRUPT_RESERVATION);
	plm_assert_text(fact->reservation, "cr-1");
	stage_run(&stage, 30);
	assert_int_equal(told_of(PLM_CLOUD_UNREADABLE, "queue"), 1);
	assert_int_equal(told_of(PLM_CLOUD_MESSAGES, "notOurs"), 1);
	assert_int_equal(told_of(PLM_CLOUD_MESSAGES, "other"), 1);
	assert_int_equal(told_of(PLM_CLOUD_DELETED, ""), 6);
	close_all();
}

static void an_entry_that_is_not_deleted(void **state)
{
	(void)state;
	open_with("main", true);
	inbox.settled = 100;
	refused = "handle-1-";
	put(SPOT("i-1"));
	put(SPOT("i-2"));
	put(SPOT("i-1"));
	know();
	stage_until(&stage, &deletes, PLM_LIMIT_EC2_DELETE_TRIES);
	stage_run(&stage, 60);
	assert_int_equal(deletes, PLM_LIMIT_EC2_DELETE_TRIES); /* it comes again by itself */
	assert_true(held[0].deleted && !held[1].deleted && held[2].deleted);
	assert_int_equal(told_of(PLM_CLOUD_DELETED, ""), 2);
	close_all();
}

static void many_at_once(void **state)
{
	(void)state;
	open_with("main", true);
	inbox.settled = 100;
	for (int i = 0; i < 25; i++) {
		put(i % 2 == 0 ? SPOT("i-1") : SPOT("i-2"));
	}
	know();
	for (int i = 0; i < 100 && !held[24].deleted; i++) {
		stage_run(&stage, 20);
	}
	for (int i = 0; i < 25; i++) {
		assert_true(held[i].deleted);
		assert_int_equal(held[i].received, 1);
	}
	assert_int_equal(inbox.count, 28);
	close_all();
}

static void a_queue_that_is_not_there(void **state)
{
	struct plm_ready_check check;

	(void)state;
	open_with("main", true);
	broken = "GetQueueUrl";
	know();
	stage_run(&stage, 60);
	assert_int_equal(plm_ec2_queue_ready(queue, &check, 1), 1);
	assert_false(check.ok);
	assert_string_equal(check.why, "GetQueueUrl: QueueDoesNotExist");
	assert_int_equal(stage_times(&stage, "GetQueueUrl"), 1);
	broken = NULL;
	inbox.settled = 100;
	put(SPOT("i-1"));
	boot += 2 * PLM_LIMIT_EC2_QUEUE_FIRST_MS + 1;
	plm_ec2_queue_resume(queue);
	stage_until(&stage, &deletes, 1);
	assert_int_equal(plm_ec2_queue_ready(queue, &check, 1), 1);
	assert_true(check.ok);
	close_all();
}

static const struct still_case {
	const char *name, *queue;
	bool act;
} still_table[] = {
	{"nothing is enforced", "main", false},
	{"no queue is set", NULL, true},
};

static void still_row(const struct still_case *row)
{
	struct plm_ready_check check;

	open_with(row->queue, row->act);
	put(SPOT("i-1"));
	know();
	stage_run(&stage, 60);
	assert_int_equal(stage.count, 0);
	assert_int_equal(plm_ec2_queue_ready(queue, &check, 1), 0);
	close_all();
}
PLM_TEST_ROWS(still_row, struct still_case)

static void a_name_that_is_none(void **state)
{
	struct plm_error err;

	(void)state;
	context = (struct plm_ec2_context){.options = {.interruption_queue = "https://x/y"}};
	plm_assert_fails(plm_ec2_queue_new(&context, &queue, &err), PLM_E_CONFIG, err,
			 "not a name of an SQS queue");
}

/* Freed with a poll under way and messages that wait: nothing is left behind, nothing is told. */
static void ends_in_the_middle(void **state)
{
	(void)state;
	open_with("main", true);
	put(SPOT("i-1"));
	know();
	stage_until(&stage, &polls, 2);
	assert_int_equal(inbox.count, 4);
	close_all();
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static struct {
	enum plm_cloud_number number;
	const char *label;
	int64_t value;
} wanted;

static void on_number(void *ctx, enum plm_cloud_number number, const char *label, int64_t value)
{
	(void)ctx;
	if (number == wanted.number && strcmp(label, wanted.label) == 0) {
		wanted.value = value;
	}
}

static int64_t told_of(enum plm_cloud_number number, const char *label)
{
	wanted.number = number;
	wanted.label = label;
	wanted.value = -1;
	plm_ec2_queue_tell(queue, on_number, NULL);
	return wanted.value;
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, deleted_when_it_is_durable);
	PLM_TEST_ADD(&tests, a_full_inbox_holds_messages_back);
	PLM_TEST_ADD(&tests, duplicates_strangers_and_rubbish);
	PLM_TEST_ADD(&tests, an_entry_that_is_not_deleted);
	PLM_TEST_ADD(&tests, many_at_once);
	PLM_TEST_ADD(&tests, a_queue_that_is_not_there);
	PLM_TEST_TABLE(&tests, still_row, still_table);
	PLM_TEST_ADD(&tests, a_name_that_is_none);
	PLM_TEST_ADD(&tests, ends_in_the_middle);
	return plm_tests_run(&tests, "queue");
}
