#include "adapters/ec2/classes_ask.h"

#include "adapters/ec2/page.h"
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>

/* Of one answer: rows with their texts, and of what is read to take their place. */
#define ROWS_BYTES ((size_t)8 << 20)

struct question {
	struct plm_ec2_answer answer; /* first: an answer is its question */
	struct question *next;
	struct plm_ec2_asks *asks;
	enum plm_ec2_what what;
	uint8_t *body; /* owned */
	size_t body_size;
	uint64_t pass;	 /* the last one that asked it */
	int64_t due_ms;	 /* boot */
	int64_t sent_ms; /* boot; PLM_UNSET = never */
	uint32_t failures;
	bool told;		   /* that it fails */
	struct plm_arena now, new; /* of the answer; of what is being read, while it is */
	struct plm_ec2_rows reading;
	struct plm_aws_pages *pages;
	struct plm_aws_sent *sent;
};

struct plm_ec2_asks {
	struct plm_ec2_asks_options options;
	struct question *first;
	size_t count;
	uint64_t pass;
	uint32_t under_way;
	bool fresh;
};

static const enum plm_aws_call calls[PLM_EC2_WHAT_COUNT] = {
	[PLM_EC2_SUBNETS] = PLM_AWS_CALL_DESCRIBE_SUBNETS,
	[PLM_EC2_GROUPS] = PLM_AWS_CALL_DESCRIBE_SECURITY_GROUPS,
	[PLM_EC2_IMAGES] = PLM_AWS_CALL_DESCRIBE_IMAGES,
	[PLM_EC2_RESERVATIONS] = PLM_AWS_CALL_DESCRIBE_RESERVATIONS,
	[PLM_EC2_PLACEMENT] = PLM_AWS_CALL_DESCRIBE_PLACEMENT_GROUPS,
	[PLM_EC2_PARAMETER] = PLM_AWS_CALL_GET_PARAMETER,
	[PLM_EC2_PROFILE] = PLM_AWS_CALL_GET_INSTANCE_PROFILE,
	[PLM_EC2_CLUSTER] = PLM_AWS_CALL_DESCRIBE_CLUSTER,
};

static const int64_t ages_ms[PLM_EC2_WHAT_COUNT] = {
	[PLM_EC2_SUBNETS] = PLM_LIMIT_CLASS_SUBNETS_MS,
	[PLM_EC2_GROUPS] = PLM_LIMIT_CLASS_GROUPS_MS,
	[PLM_EC2_IMAGES] = PLM_LIMIT_CLASS_IMAGES_MS,
	[PLM_EC2_RESERVATIONS] = PLM_LIMIT_CLASS_RESERVATIONS_MS,
	[PLM_EC2_PLACEMENT] = PLM_LIMIT_CLASS_GROUPS_MS,
	[PLM_EC2_PARAMETER] = PLM_LIMIT_CLASS_PARAMETER_MS,
	[PLM_EC2_PROFILE] = PLM_LIMIT_CLASS_PROFILE_MS,
	[PLM_EC2_CLUSTER] = PLM_LIMIT_CLASS_CLUSTER_MS,
};

static int64_t now_ms(const struct plm_ec2_asks *asks)
{
	return asks->options.clock.boot_ms(asks->options.clock.self);
}

/* ---- answers ------------------------------------------------------------------------------------- */

static const char *action_of(const struct question *question)
{
	return plm_aws_call(calls[question->what])->action;
}

static void note(const struct question *question)
{
	const struct plm_ec2_answer *answer = &question->answer;
	char text[512];

	if (answer->why[0] == '\0') {
		(void)snprintf(text, sizeof(text), "node classes: %s is answered again",
			       action_of(question));
	} else {
		(void)snprintf(text, sizeof(text), "node classes: %s%s", answer->why,
			       answer->known ? " (what was said last is used)" : "");
	}
	question->asks->options.note(question->asks->options.note_self, text);
}

/* What is not there is looked for again sooner than what is has to be looked at. */
static void answered(struct question *question, bool absent)
{
	struct plm_ec2_answer *answer = &question->answer;

	plm_arena_fini(&question->now);
	question->now = question->new;
	question->new = (struct plm_arena){0};
	answer->rows = question->reading;
	answer->rows.arena = NULL;
	answer->tried = true;
	answer->known = true;
	answer->absent = absent;
	answer->known_ms = now_ms(question->asks);
	answer->failing_ms = PLM_UNSET;
	answer->why[0] = '\0';
	question->failures = 0;
	question->due_ms = answer->known_ms +
			   (answer->rows.count == 0
				    ? plm_min(PLM_LIMIT_CLASS_NOTHING_MS, ages_ms[question->what])
				    : ages_ms[question->what]);
	if (question->told) {
		question->told = false;
		note(question);
	}
}

static void failed(struct question *question, const char *code, const char *message)
{
	struct plm_ec2_answer *answer = &question->answer;
	int64_t now = now_ms(question->asks);
	int64_t wait = PLM_LIMIT_CLASS_AGAIN_MS;

	(void)snprintf(answer->why, sizeof(answer->why), "%s: %s%s%s", action_of(question), code,
		       message[0] == '\0' ? "" : ": ", message);
	answer->tried = true;
	answer->failing_ms = answer->failing_ms == PLM_UNSET ? now : answer->failing_ms;
	for (uint32_t i = 0; i < question->failures && wait < PLM_LIMIT_CLASS_AGAIN_MOST_MS; i++) {
		wait *= 2;
	}
	question->failures++;
	question->due_ms = now + plm_min(wait, PLM_LIMIT_CLASS_AGAIN_MOST_MS);
	if (!question->told && now - answer->failing_ms >= PLM_LIMIT_CLASS_PATIENCE_MS) {
		question->told = true;
		note(question);
	}
}

static void ended(struct question *question)
{
	struct plm_ec2_asks *asks = question->asks;

	plm_arena_fini(&question->new);
	question->pages = NULL;
	question->sent = NULL;
	asks->under_way--;
	asks->options.changed(asks->options.self);
}

static void read_fails(struct question *question, const struct plm_error *err)
{
	failed(question, err->code == PLM_E_LIMIT ? "TooMany" : "UnusableAnswer", err->text);
}

static void end_with(struct question *question, const struct plm_aws_answer *answer)
{
	if (answer->class == PLM_AWS_DONE) {
		answered(question, false);
	} else if (answer->class == PLM_AWS_NOT_FOUND) {
		question->reading.count = 0;
		answered(question, true);
	} else {
		failed(question, answer->code, answer->message);
	}
	ended(question);
}

static bool on_page(void *self, const struct plm_aws_node *root)
{
	struct question *question = self;
	struct plm_error err = {0};

	if (plm_ec2_found_read(&question->reading, root, &err) != PLM_OK) {
		plm_aws_pages_cancel(question->pages);
		read_fails(question, &err);
		ended(question);
	}
	return true;
}

static void on_end(void *self, const struct plm_aws_answer *answer)
{
	end_with(self, answer);
}

static void on_done(void *self, const struct plm_aws_answer *answer)
{
	struct question *question = self;
	struct plm_error err = {0};

	if (answer->class == PLM_AWS_DONE &&
	    plm_ec2_found_read(&question->reading, answer->root, &err) != PLM_OK) {
		read_fails(question, &err);
		ended(question);
		return;
	}
	end_with(question, answer);
}

/* ---- asking -------------------------------------------------------------------------------------- */

static bool is_paged(enum plm_ec2_what what)
{
	return what == PLM_EC2_SUBNETS || what == PLM_EC2_GROUPS || what == PLM_EC2_IMAGES ||
	       what == PLM_EC2_RESERVATIONS;
}

static void send_it(struct question *question)
{
	struct plm_ec2_asks *asks = question->asks;
	struct plm_slice body = plm_slice_of(question->body, question->body_size);
	bool rest = question->what == PLM_EC2_CLUSTER;
	struct plm_error err = {0};

	PLM_ASSERT(plm_arena_init(&question->new, ROWS_BYTES, &err) == PLM_OK);
	question->reading = (struct plm_ec2_rows){.arena = &question->new, .what = question->what};
	question->sent_ms = now_ms(asks);
	asks->under_way++;
	if (is_paged(question->what)) {
		const struct plm_aws_paging paging = {.call = calls[question->what],
						      .body = body,
						      .on_page = on_page,
						      .on_end = on_end,
						      .self = question};

		question->pages = plm_aws_pages_start(asks->options.client, &paging);
	} else {
		const struct plm_aws_request request = {.call = calls[question->what],
							.body = rest ? (struct plm_slice){0} : body,
							.path = rest ? (const char *)question->body
								     : NULL,
							.on_done = on_done,
							.self = question};

		question->sent = plm_aws_send(asks->options.client, &request);
	}
}

static bool is_under_way(const struct question *question)
{
	return question->pages != NULL || question->sent != NULL;
}

int64_t plm_ec2_asks_tick(struct plm_ec2_asks *asks)
{
	int64_t now = now_ms(asks);
	int64_t next = INT64_MAX;

	for (struct question *q = asks->first; q != NULL; q = q->next) {
		if (is_under_way(q)) {
			continue;
		}
		if (q->due_ms <= now && asks->under_way < PLM_LIMIT_CLASS_UNDER_WAY) {
			send_it(q);
		} else if (q->due_ms > now) {
			next = plm_min(next, q->due_ms);
		} /* else: one that ends makes room, and tells */
	}
	return next;
}

/* ---- passes -------------------------------------------------------------------------------------- */

struct plm_ec2_asks *plm_ec2_asks_new(const struct plm_ec2_asks_options *options)
{
	struct plm_ec2_asks *asks = calloc(1, sizeof(*asks));

	PLM_ASSERT(asks != NULL);
	asks->options = *options;
	return asks;
}

static void drop(struct plm_ec2_asks *asks, struct question *question)
{
	if (question->pages != NULL) {
		plm_aws_pages_cancel(question->pages);
	}
	if (question->sent != NULL) {
		plm_aws_cancel(question->sent);
	}
	asks->under_way -= is_under_way(question) ? 1 : 0;
	asks->count--;
	plm_arena_fini(&question->now);
	plm_arena_fini(&question->new);
	free(question->body);
	free(question);
}

void plm_ec2_asks_free(struct plm_ec2_asks *asks)
{
	if (asks == NULL) {
		return;
	}
	while (asks->first != NULL) {
		struct question *next = asks->first->next;

		drop(asks, asks->first);
		asks->first = next;
	}
	free(asks);
}

void plm_ec2_asks_begin(struct plm_ec2_asks *asks)
{
	asks->pass++;
	asks->fresh = false;
}

void plm_ec2_asks_fresh(struct plm_ec2_asks *asks, bool fresh)
{
	asks->fresh = fresh;
}

static struct question *new_question(struct plm_ec2_asks *asks, enum plm_ec2_what what,
				     struct plm_slice body)
{
	struct question *question = calloc(1, sizeof(*question));

	PLM_ASSERT(question != NULL);
	question->asks = asks;
	question->what = what;
	question->body = malloc(body.size + 1);
	PLM_ASSERT(question->body != NULL);
	memcpy(question->body, body.ptr, body.size);
	question->body[body.size] = '\0';
	question->body_size = body.size;
	question->sent_ms = PLM_UNSET;
	question->answer.failing_ms = PLM_UNSET;
	question->next = asks->first;
	asks->first = question;
	asks->count++;
	return question;
}

const struct plm_ec2_answer *plm_ec2_ask(struct plm_ec2_asks *asks, enum plm_ec2_what what,
					 struct plm_slice body)
{
	struct question *q = asks->first;

	while (q != NULL &&
	       (q->what != what || !plm_slice_equal(plm_slice_of(q->body, q->body_size), body))) {
		q = q->next;
	}
	if (q == NULL) {
		q = new_question(asks, what, body);
	}
	q->pass = asks->pass;
	if (asks->fresh) {
		plm_ec2_ask_again(asks, &q->answer, PLM_LIMIT_CLASS_FRESH_MS);
	}
	return &q->answer;
}

void plm_ec2_ask_again(struct plm_ec2_asks *asks, const struct plm_ec2_answer *answer,
		       int64_t age_ms)
{
	for (struct question *q = asks->first; q != NULL; q = q->next) {
		if (&q->answer == answer && q->sent_ms != PLM_UNSET && !is_under_way(q)) {
			q->due_ms = plm_min(q->due_ms, q->sent_ms + age_ms);
		}
	}
}

void plm_ec2_asks_end(struct plm_ec2_asks *asks)
{
	struct question **at = &asks->first;

	while (*at != NULL) {
		struct question *question = *at;

		if (question->pass == asks->pass) {
			at = &question->next;
			continue;
		}
		*at = question->next;
		drop(asks, question);
	}
}

size_t plm_ec2_asks_count(const struct plm_ec2_asks *asks)
{
	return asks->count;
}
