#include "stage.h"

#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- keys ---------------------------------------------------------------------------------------- */

struct stage_wait {
	struct stage_wait *next;
	struct plm_aws_credentials *keys;
	uint64_t number;
	void (*done)(void *self, const struct plm_aws_keys *keys, const char *why);
	void *self;
	uv_timer_t timer;
};

static void on_wait_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void forget(struct stage_wait *wait)
{
	struct stage_wait **at = &wait->keys->waits;

	while (*at != wait) {
		at = &(*at)->next;
	}
	*at = wait->next;
	uv_close((uv_handle_t *)&wait->timer, on_wait_closed);
}

static void on_keys(uv_timer_t *timer)
{
	struct stage_wait *wait = timer->data;
	const struct plm_aws_credentials *have = wait->keys;
	const struct plm_aws_keys keys = {
		.key_id = have->key_id,
		.secret = "played-secret",
		.token = have->token,
		.region = "us-west-2",
	};

	if (have->hold) {
		assert_int_equal(uv_timer_start(timer, on_keys, 1, 0), 0);
		return;
	}
	forget(wait);
	wait->done(wait->self, have->why == NULL ? &keys : NULL, have->why);
}

uint64_t plm_aws_credentials_get(struct plm_aws_credentials *credentials,
				 void (*done)(void *self, const struct plm_aws_keys *keys,
					      const char *why),
				 void *self)
{
	struct stage_wait *wait = calloc(1, sizeof(*wait));

	assert_non_null(wait);
	credentials->gets++;
	*wait = (struct stage_wait){
		.next = credentials->waits,
		.keys = credentials,
		.number = ++credentials->waited,
		.done = done,
		.self = self,
	};
	credentials->waits = wait;
	assert_int_equal(uv_timer_init(credentials->loop, &wait->timer), 0);
	wait->timer.data = wait;
	assert_int_equal(uv_timer_start(&wait->timer, on_keys, 0, 0), 0);
	return wait->number;
}

void plm_aws_credentials_forget(struct plm_aws_credentials *credentials, uint64_t number)
{
	struct stage_wait *wait = credentials->waits;

	while (wait != NULL && wait->number != number) {
		wait = wait->next;
	}
	PLM_ASSERT(wait != NULL);
	forget(wait);
}

void plm_aws_credentials_refused(struct plm_aws_credentials *credentials)
{
	credentials->refused++;
}

int64_t plm_aws_credentials_left_s(const struct plm_aws_credentials *credentials)
{
	return credentials->why == NULL ? -1 : PLM_UNSET;
}

/* ---- the server ---------------------------------------------------------------------------------- */

static bool is_query(const struct stage_asked *asked)
{
	return strncmp(asked->body, "Action=", 7) == 0;
}

static void name_action(struct stage_asked *asked)
{
	const char *dot = strchr(asked->target, '.');

	if (is_query(asked)) {
		(void)snprintf(asked->action, sizeof(asked->action), "%.*s",
			       (int)strcspn(asked->body + 7, "&"), asked->body + 7);
	} else {
		(void)snprintf(asked->action, sizeof(asked->action), "%.60s",
			       dot != NULL ? dot + 1 : asked->path);
	}
}

static void on_ask(void *self, const struct server_request *request, struct server_answer *answer)
{
	struct stage *stage = self;
	struct stage_asked *asked = &stage->asked[stage->count];

	assert_true(stage->count < STAGE_ASKED);
	stage->count++;
	(void)snprintf(asked->method, sizeof(asked->method), "%s", request->method);
	(void)snprintf(asked->path, sizeof(asked->path), "%.250s", request->path);
	(void)snprintf(asked->target, sizeof(asked->target), "%s", request->target);
	(void)snprintf(asked->content_type, sizeof(asked->content_type), "%s",
		       request->content_type);
	(void)snprintf(asked->authorization, sizeof(asked->authorization), "%s",
		       request->authorization);
	asked->body = malloc(request->body.size + 1);
	assert_non_null(asked->body);
	memcpy(asked->body, request->body.ptr, request->body.size);
	asked->body[request->body.size] = '\0';
	name_action(asked);
	stage_say(stage, asked, answer, "");
	if (stage->answer != NULL) {
		stage->answer(stage, asked, answer);
	}
}

void stage_say(struct stage *stage, const struct stage_asked *asked, struct server_answer *answer,
	       const char *body)
{
	answer->status = 200;
	answer->body = stage->text;
	if (is_query(asked)) {
		(void)snprintf(stage->text, sizeof(stage->text),
			       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
			       "<%sResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15\">"
			       "<requestId>req-1</requestId>%s</%sResponse>",
			       asked->action, body, asked->action);
	} else {
		(void)snprintf(stage->text, sizeof(stage->text), "%s",
			       body[0] == '\0' ? "{}" : body);
	}
}

void stage_refuse(struct stage *stage, const struct stage_asked *asked,
		  struct server_answer *answer, unsigned status, const char *code)
{
	answer->status = status;
	answer->body = stage->text;
	if (is_query(asked)) {
		(void)snprintf(stage->text, sizeof(stage->text),
			       "<Response><Errors><Error><Code>%s</Code><Message>played</Message>"
			       "</Error></Errors><RequestID>req-2</RequestID></Response>",
			       code);
	} else {
		(void)snprintf(stage->text, sizeof(stage->text),
			       "{\"__type\":\"com.amazonaws.played#%s\",\"message\":\"played\"}",
			       code);
	}
}

int stage_times(const struct stage *stage, const char *action)
{
	int times = 0;

	for (size_t i = 0; i < stage->count; i++) {
		times += strcmp(stage->asked[i].action, action) == 0;
	}
	return times;
}

/* ---- the stage ----------------------------------------------------------------------------------- */

static void on_note(void *self, const char *text)
{
	struct stage *stage = self;
	size_t used = strlen(stage->notes);

	(void)snprintf(stage->notes + used, sizeof(stage->notes) - used, "%s\n", text);
}

static void on_traced(void *self, const char *text)
{
	struct stage *stage = self;
	size_t used = strlen(stage->trace);

	(void)snprintf(stage->trace + used, sizeof(stage->trace) - used, "%s\n", text);
}

static int64_t wall_ns(void *self)
{
	(void)self;
	return 1800000000LL * 1000000000;
}

void stage_open(struct stage *stage)
{
	struct plm_http_client_options http = {
		.loop = &stage->loop, .calls_max = 64, .user_agent = "plimsoll/test"};
	struct plm_aws_client_options options = {
		.loop = &stage->loop,
		.credentials = &stage->keys,
		.endpoint = stage->url,
		.seed = plm_test_seed(),
		.again_ms = 20,
		.note = on_note,
		.traced = on_traced,
		.self = stage,
	};
	struct plm_error err;

	memset(stage, 0, sizeof(*stage));
	assert_int_equal(uv_loop_init(&stage->loop), 0);
	plm_assert_ok(plm_http_client_new(&http, &stage->http, &err), &err);
	stage->server = (struct server){.loop = &stage->loop, .ask = on_ask, .self = stage};
	server_open(&stage->server);
	(void)snprintf(stage->url, sizeof(stage->url), "http://127.0.0.1:%d", stage->server.port);
	stage->keys = (struct plm_aws_credentials){
		.loop = &stage->loop, .key_id = "PLAYEDKEY", .token = ""};
	stage->clock.wall_ns = wall_ns;
	options.http = stage->http;
	options.clock = stage->clock;
	plm_assert_ok(plm_aws_client_new(&options, &stage->client, &err), &err);
	plm_aws_client_allow(stage->client, PLM_AWS_OBSERVE | PLM_AWS_NODES);
}

void stage_close(struct stage *stage)
{
	plm_aws_client_free(stage->client);
	assert_null(stage->keys.waits);
	plm_http_client_free(stage->http);
	server_close(&stage->server);
	(void)uv_run(&stage->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&stage->loop), 0);
	for (size_t i = 0; i < stage->count; i++) {
		free(stage->asked[i].body);
	}
}

static void on_tick(uv_timer_t *timer)
{
	(void)timer;
}

static void on_closed(uv_handle_t *handle)
{
	handle->data = NULL;
}

/*
 * Run until '*flag' >= 'value' (NULL: never) or the time is over. The ticks are there because UV_RUN_ONCE, where a timer
 * did all that was to be done, waits for what comes next before it returns.
 */
static void run(struct stage *stage, const int *flag, int value, int64_t ms)
{
	uv_timer_t timer;
	uint64_t end = 0;

	uv_update_time(&stage->loop);
	end = uv_now(&stage->loop) + (uint64_t)ms;
	assert_int_equal(uv_timer_init(&stage->loop, &timer), 0);
	timer.data = &timer;
	assert_int_equal(uv_timer_start(&timer, on_tick, 2, 2), 0);
	while (uv_now(&stage->loop) < end && (flag == NULL || *flag < value)) {
		(void)uv_run(&stage->loop, UV_RUN_ONCE);
	}
	uv_close((uv_handle_t *)&timer, on_closed);
	while (timer.data != NULL) {
		(void)uv_run(&stage->loop, UV_RUN_NOWAIT);
	}
}

void stage_until(struct stage *stage, const int *flag, int value)
{
	run(stage, flag, value, 30000);
	assert_true(*flag >= value);
}

void stage_run(struct stage *stage, int64_t ms)
{
	run(stage, NULL, 0, ms);
}

/* ---- calls --------------------------------------------------------------------------------------- */

void heard_done(void *self, const struct plm_aws_answer *answer)
{
	struct heard *heard = self;
	const struct plm_aws_node *root = answer->root;

	heard->done++;
	heard->class = answer->class;
	heard->status = answer->status;
	heard->retry_after_ms = answer->retry_after_ms;
	heard->sent = NULL;
	(void)snprintf(heard->code, sizeof(heard->code), "%s", answer->code);
	(void)snprintf(heard->message, sizeof(heard->message), "%s", answer->message);
	(void)snprintf(heard->request_id, sizeof(heard->request_id), "%s", answer->request_id);
	assert_int_equal(root != NULL, answer->class == PLM_AWS_DONE);
	if (root != NULL && root->name.size == 0) {
		root = root->child;
	}
	if (root != NULL) {
		(void)snprintf(heard->root, sizeof(heard->root), "%.*s", (int)root->name.size,
			       (const char *)root->name.ptr);
	}
}

void heard_send(struct stage *stage, struct heard *heard, enum plm_aws_call call, const char *body)
{
	const struct plm_aws_request request = {
		.call = call,
		.body = plm_slice_str(body),
		.path = call == PLM_AWS_CALL_DESCRIBE_CLUSTER ? "/clusters/main" : NULL,
		.on_done = heard_done,
		.self = heard,
	};

	*heard = (struct heard){0};
	heard->sent = plm_aws_send(stage->client, &request);
	assert_int_equal(heard->done, 0);
}

void heard_call(struct stage *stage, struct heard *heard, enum plm_aws_call call, const char *body)
{
	heard_send(stage, heard, call, body);
	stage_until(stage, &heard->done, 1);
}
