#include "adapters/ec2/queue.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/message.h"
#include "adapters/http/backoff.h"
#include "core/grow.h"
#include "core/limits.h"

/* SQS takes so many entries of a batch, and gives so many messages at once. */
#define BATCH 10

enum {
	KIND_OTHER = 1 + PLM_INTERRUPT_BLOCK, /* behind those of enum plm_interrupt */
	KIND_UNKNOWN,
	KIND_COUNT
};

/* A message that was received and is to be taken off the queue. */
struct receipt {
	char *handle;	 /* owned */
	uint64_t mark;	 /* its facts are among so many that the inbox took */
	bool marked;	 /* 'mark' is known: nothing waits for room any more */
	bool sent;	 /* in the batch under way */
	uint32_t failed; /* times */
};

struct plm_ec2_queue {
	struct plm_ec2_context *context;
	uv_timer_t *timer;		/* owned until its close */
	char *url;			/* owned; NULL = not found yet */
	struct plm_aws_sent *receiving; /* or asking for the URL */
	struct plm_aws_sent *deleting;
	struct receipt *receipts; /* owned, oldest first */
	uint32_t count, room;
	struct plm_backoff backoff;
	int64_t next_ms;   /* on the boot clock: not asked before */
	int64_t polled_ms; /* when it was asked last */
	char why[128];	   /* what went wrong last; "" = nothing */
	bool started;
	int64_t kinds[KIND_COUNT];
	int64_t deleted, unreadable;
};

static void step(struct plm_ec2_queue *queue);

static int64_t boot_ms(const struct plm_ec2_queue *queue)
{
	return queue->context->clock.boot_ms(queue->context->clock.self);
}

static void say(const struct plm_ec2_queue *queue, const char *text)
{
	if (queue->context->options.note != NULL) {
		queue->context->options.note(queue->context->options.self, text);
	}
}

/* ---- what went wrong --------------------------------------------------------------------------- */

static void failed(struct plm_ec2_queue *queue, const char *doing,
		   const struct plm_aws_answer *answer)
{
	bool first = queue->why[0] == '\0';
	char text[256];

	(void)snprintf(queue->why, sizeof(queue->why), "%s: %s", doing, answer->code);
	queue->next_ms = boot_ms(queue) + plm_backoff_failed(&queue->backoff, boot_ms(queue),
							     answer->retry_after_ms);
	if (first) {
		(void)snprintf(text, sizeof(text), "interruption queue %s: %s: %s %s",
			       queue->context->options.interruption_queue, doing, answer->code,
			       answer->message);
		say(queue, text);
	}
}

static void went_well(struct plm_ec2_queue *queue)
{
	plm_backoff_good(&queue->backoff);
	if (queue->why[0] != '\0') {
		queue->why[0] = '\0';
		say(queue, "interruption queue: can be read again");
	}
}

/* ---- requests ---------------------------------------------------------------------------------- */

static struct plm_aws_sent *
send_json(struct plm_ec2_queue *queue, enum plm_aws_call call, cJSON *body,
	  void (*on_done)(void *self, const struct plm_aws_answer *answer))
{
	char *text = cJSON_PrintUnformatted(body);
	struct plm_aws_request request = {
		.call = call, .body = plm_slice_str(text), .on_done = on_done, .self = queue};
	struct plm_aws_sent *sent = NULL;

	PLM_ASSERT(text != NULL);
	if (call == PLM_AWS_CALL_RECEIVE_MESSAGE) {
		request.total_ms = PLM_LIMIT_EC2_POLL_S * 1000 + PLM_LIMIT_EC2_POLL_SLACK_MS;
	}
	sent = plm_aws_send(queue->context->client, &request);
	cJSON_free(text);
	cJSON_Delete(body);
	return sent;
}

static void on_url(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_queue *queue = self;
	struct plm_slice url = plm_aws_text(answer->root, "QueueUrl");

	queue->receiving = NULL;
	if (answer->class != PLM_AWS_DONE || url.size == 0) {
		failed(queue, "GetQueueUrl", answer);
	} else {
		went_well(queue);
		queue->url = strndup((const char *)url.ptr, url.size);
		PLM_ASSERT(queue->url != NULL);
	}
	step(queue);
}

static void ask_for_url(struct plm_ec2_queue *queue)
{
	cJSON *body = cJSON_CreateObject();

	(void)cJSON_AddStringToObject(body, "QueueName",
				      queue->context->options.interruption_queue);
	queue->receiving = send_json(queue, PLM_AWS_CALL_GET_QUEUE_URL, body, on_url);
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* An event's id where it looks like one: a position in the log is no place for somebody's text. */
static void position_of(const struct plm_ec2_message *message, char pos[64])
{
	size_t size = message->id.size < 63 ? message->id.size : 63;

	for (size_t i = 0; i < size; i++) {
		char c = (char)message->id.ptr[i];
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') || c == '-';

		size = plain ? size : 0;
	}
	memcpy(pos, message->id.ptr == NULL ? "" : (const char *)message->id.ptr, size);
	pos[size] = '\0';
}

/* The facts of one message; false: it was about none of ours. */
static bool tell_message(struct plm_ec2_queue *queue, const struct plm_ec2_message *message)
{
	const struct plm_slice *ids = message->ids.ptr;
	bool ours = false;
	char pos[64];

	position_of(message, pos);
	for (size_t i = 0; i < message->ids.count; i++) {
		const struct plm_ec2_known_row *row =
			plm_ec2_known_find(&queue->context->known, ids[i]);
		struct plm_w_interruption fact = {
			.at_ms = message->at_ms,
			.kind = message->interrupt,
			.state = message->state,
		};

		if (row != NULL) {
			fact.provider_id = plm_slice_str(row->provider_id);
			fact.reservation = message->interrupt == PLM_INTERRUPT_RESERVATION
						   ? plm_slice_str(row->reservation)
						   : (struct plm_slice){0};
			plm_ec2_tell(queue->context, PLM_EV_INTERRUPTION, &fact, 0, pos);
			ours = true;
		}
	}
	return ours;
}

static struct receipt *put_receipt(struct plm_ec2_queue *queue, struct plm_slice handle)
{
	struct receipt *receipt = NULL;

	queue->receipts = plm_grown(queue->receipts, &queue->room, queue->count + 1,
				    sizeof(*queue->receipts));
	receipt = &queue->receipts[queue->count++];
	*receipt = (struct receipt){.handle = strndup((const char *)handle.ptr, handle.size)};
	PLM_ASSERT(receipt->handle != NULL);
	return receipt;
}

static void take_message(struct plm_ec2_queue *queue, const struct plm_aws_node *item,
			 struct plm_arena *arena)
{
	struct plm_slice handle = plm_aws_text(item, "ReceiptHandle");
	struct plm_ec2_message message;
	struct receipt *receipt = NULL;

	if (handle.size == 0) {
		queue->unreadable++;
		return;
	}
	receipt = put_receipt(queue, handle);
	receipt->marked = true;
	plm_arena_reset(arena);
	plm_ec2_message_read(plm_aws_text(item, "Body"), arena, &message);
	switch (message.kind) {
	case PLM_EC2_MESSAGE_UNREADABLE:
		queue->unreadable++;
		break;
	case PLM_EC2_MESSAGE_NOTHING:
		queue->kinds[KIND_OTHER]++;
		break;
	case PLM_EC2_MESSAGE_INTERRUPTION:
		if (!tell_message(queue, &message)) {
			queue->kinds[KIND_UNKNOWN]++;
			break;
		}
		queue->kinds[message.interrupt]++;
		receipt->marked = plm_ec2_told(queue->context);
		receipt->mark = queue->context->put;
		break;
	}
}

static void on_messages(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_queue *queue = self;
	const struct plm_aws_node *list = plm_aws_get(answer->root, "Messages");
	struct plm_arena arena;
	struct plm_error err;

	queue->receiving = NULL;
	if (answer->class != PLM_AWS_DONE) {
		if (answer->class ==
		    PLM_AWS_NOT_FOUND) { /* made anew, perhaps: under another URL */
			free(queue->url);
			queue->url = NULL;
		}
		failed(queue, "ReceiveMessage", answer);
		step(queue);
		return;
	}
	went_well(queue);
	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_EC2_MESSAGE_ARENA, &err) == PLM_OK);
	for (const struct plm_aws_node *item = list == NULL ? NULL : list->child; item != NULL;
	     item = item->next) {
		take_message(queue, item, &arena);
	}
	plm_arena_fini(&arena);
	if (list == NULL ||
	    list->child == NULL) { /* an end that does not wait is not asked at once */
		queue->next_ms = queue->polled_ms + PLM_LIMIT_EC2_QUEUE_FIRST_MS;
	}
	step(queue);
}

static void receive(struct plm_ec2_queue *queue)
{
	cJSON *body = cJSON_CreateObject();

	(void)cJSON_AddStringToObject(body, "QueueUrl", queue->url);
	(void)cJSON_AddNumberToObject(body, "MaxNumberOfMessages", BATCH);
	(void)cJSON_AddNumberToObject(body, "VisibilityTimeout", PLM_LIMIT_EC2_VISIBILITY_S);
	(void)cJSON_AddNumberToObject(body, "WaitTimeSeconds", PLM_LIMIT_EC2_POLL_S);
	queue->polled_ms = boot_ms(queue);
	queue->receiving = send_json(queue, PLM_AWS_CALL_RECEIVE_MESSAGE, body, on_messages);
}

/* ---- taking them off the queue ----------------------------------------------------------------- */

static bool is_durable(const struct plm_ec2_queue *queue, const struct receipt *receipt)
{
	const struct plm_inbox *inbox = &queue->context->inbox;

	return receipt->marked &&
	       (receipt->mark == 0 || receipt->mark <= inbox->settled(inbox->self));
}

/* What waited for room has been taken: among so many is each fact that came before. */
static void mark_all(struct plm_ec2_queue *queue)
{
	for (uint32_t i = 0; i < queue->count && plm_ec2_told(queue->context); i++) {
		if (!queue->receipts[i].marked) {
			queue->receipts[i].marked = true;
			queue->receipts[i].mark = queue->context->put;
		}
	}
}

static void drop(struct plm_ec2_queue *queue, uint32_t at)
{
	free(queue->receipts[at].handle);
	memmove(&queue->receipts[at], &queue->receipts[at + 1],
		(queue->count - at - 1) * sizeof(*queue->receipts));
	queue->count--;
}

/* The entries of the batch by number, as they were sent: which of them did SQS not delete? */
static bool is_refused(const struct plm_aws_answer *answer, uint32_t number)
{
	const struct plm_aws_node *list = plm_aws_get(answer->root, "Failed");

	for (const struct plm_aws_node *item = list == NULL ? NULL : list->child; item != NULL;
	     item = item->next) {
		if (plm_aws_number(item, "Id", -1) == number) {
			return true;
		}
	}
	return answer->class != PLM_AWS_DONE;
}

static void on_deleted(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_queue *queue = self;
	uint32_t number = 0;

	queue->deleting = NULL;
	for (uint32_t i = 0; i < queue->count;) {
		struct receipt *receipt = &queue->receipts[i];
		bool sent = receipt->sent;

		receipt->sent = false;
		if (!sent) {
			i++;
		} else if (!is_refused(answer, number++)) {
			queue->deleted++;
			drop(queue, i);
		} else if (++receipt->failed >= PLM_LIMIT_EC2_DELETE_TRIES) {
			drop(queue, i); /* it comes again, with another handle */
		} else {
			i++;
		}
	}
	if (answer->class != PLM_AWS_DONE) {
		failed(queue, "DeleteMessageBatch", answer);
	}
	step(queue);
}

static void delete_some(struct plm_ec2_queue *queue)
{
	cJSON *body = cJSON_CreateObject();
	cJSON *entries = cJSON_AddArrayToObject(body, "Entries");
	int count = 0;

	(void)cJSON_AddStringToObject(body, "QueueUrl", queue->url);
	for (uint32_t i = 0; i < queue->count && count < BATCH; i++) {
		cJSON *entry = NULL;
		char id[8];

		if (!is_durable(queue, &queue->receipts[i])) {
			continue;
		}
		entry = cJSON_CreateObject();
		(void)snprintf(id, sizeof(id), "%d", count++);
		(void)cJSON_AddStringToObject(entry, "Id", id);
		(void)cJSON_AddStringToObject(entry, "ReceiptHandle", queue->receipts[i].handle);
		PLM_ASSERT(cJSON_AddItemToArray(entries, entry));
		queue->receipts[i].sent = true;
	}
	if (count == 0) {
		cJSON_Delete(body);
		return;
	}
	queue->deleting = send_json(queue, PLM_AWS_CALL_DELETE_MESSAGE, body, on_deleted);
}

/* ---- life -------------------------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer)
{
	step(timer->data);
}

static void step(struct plm_ec2_queue *queue)
{
	int64_t wait_ms = queue->next_ms - boot_ms(queue);
	bool listed = queue->context->known.lists > 0;

	if (!queue->started) {
		return;
	}
	mark_all(queue);
	if (wait_ms <= 0 && queue->url == NULL && queue->receiving == NULL) {
		ask_for_url(queue);
	}
	if (wait_ms <= 0 && queue->url != NULL && queue->deleting == NULL) {
		delete_some(queue);
	}
	if (wait_ms <= 0 && queue->url != NULL && queue->receiving == NULL && listed &&
	    plm_ec2_told(queue->context) && queue->count < PLM_LIMIT_EC2_RECEIPTS) {
		receive(queue);
	}
	/* Looked at again when it may be tried again, and for what became durable meanwhile. */
	if (wait_ms > 0 || !listed || queue->count > 0) {
		int64_t most_ms = plm_max(wait_ms, PLM_LIMIT_EC2_QUEUE_LOOK_MS);

		(void)uv_timer_start(queue->timer, on_timer, (uint64_t)most_ms, 0);
	}
}

static bool is_name(const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < size; i++) {
		char c = name[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      c == '-' || c == '_' || c == '.')) {
			return false;
		}
	}
	return size > 0 && size <= 80;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

enum plm_code plm_ec2_queue_new(struct plm_ec2_context *context, struct plm_ec2_queue **out,
				struct plm_error *err)
{
	static const struct plm_backoff_rule rule = {.first_ms = PLM_LIMIT_EC2_QUEUE_FIRST_MS,
						     .last_ms = PLM_LIMIT_EC2_QUEUE_LAST_MS};
	const char *name = context->options.interruption_queue;
	struct plm_ec2_queue *queue = NULL;

	if (name != NULL && !is_name(name)) {
		return plm_fail(err, PLM_E_CONFIG,
				"interruption queue \"%s\": not a name of an SQS queue: letters, "
				"digits, - and _, at most 80",
				name);
	}
	queue = calloc(1, sizeof(*queue));
	PLM_ASSERT(queue != NULL);
	queue->context = context;
	queue->timer = calloc(1, sizeof(*queue->timer));
	PLM_ASSERT(queue->timer != NULL);
	PLM_ASSERT(uv_timer_init(context->options.loop, queue->timer) == 0);
	queue->timer->data = queue;
	plm_backoff_init(&queue->backoff, &rule, context->options.seed);
	*out = queue;
	return PLM_OK;
}

void plm_ec2_queue_start(struct plm_ec2_queue *queue)
{
	queue->started = queue->context->act && queue->context->options.interruption_queue != NULL;
	PLM_ASSERT(!queue->started || queue->context->inbox.settled != NULL);
	step(queue);
}

void plm_ec2_queue_resume(struct plm_ec2_queue *queue)
{
	step(queue);
}

void plm_ec2_queue_free(struct plm_ec2_queue *queue)
{
	if (queue == NULL) {
		return;
	}
	if (queue->receiving != NULL) {
		plm_aws_cancel(queue->receiving);
	}
	if (queue->deleting != NULL) {
		plm_aws_cancel(queue->deleting);
	}
	for (uint32_t i = 0; i < queue->count; i++) {
		free(queue->receipts[i].handle);
	}
	uv_close((uv_handle_t *)queue->timer, on_closed);
	free(queue->receipts);
	free(queue->url);
	free(queue);
}

size_t plm_ec2_queue_ready(const struct plm_ec2_queue *queue, struct plm_ready_check *out,
			   size_t max)
{
	if (!queue->started || max == 0) {
		return 0;
	}
	*out = (struct plm_ready_check){.name = "interruption-queue", .ok = queue->why[0] == '\0'};
	(void)snprintf(out->why, sizeof(out->why), "%s", queue->why);
	return 1;
}

void plm_ec2_queue_tell(const struct plm_ec2_queue *queue,
			void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
				    int64_t value),
			void *ctx)
{
	for (uint32_t i = 0; i <= PLM_INTERRUPT_RESERVATION; i++) {
		one(ctx, PLM_CLOUD_MESSAGES, plm_names_text(&plm_names_interrupt, (int64_t)i),
		    queue->kinds[i]);
	}
	one(ctx, PLM_CLOUD_MESSAGES, "other", queue->kinds[KIND_OTHER]);
	one(ctx, PLM_CLOUD_MESSAGES, "notOurs", queue->kinds[KIND_UNKNOWN]);
	one(ctx, PLM_CLOUD_DELETED, "", queue->deleted);
	one(ctx, PLM_CLOUD_UNREADABLE, "queue", queue->unreadable);
}
