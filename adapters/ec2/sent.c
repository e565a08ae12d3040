/* The life of a call: forbidden here, waiting for its time, turn and keys, abroad, answered. */
#include "adapters/ec2/client_private.h"

#include "adapters/ec2/query.h"
#include "adapters/http/jitter.h"
#include "core/event.h"
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>

#define FORM "Content-Type: application/x-www-form-urlencoded; charset=utf-8"
#define JSON10 "Content-Type: application/x-amz-json-1.0"
#define JSON11 "Content-Type: application/x-amz-json-1.1"

static int64_t now_ms(const struct plm_aws_client *client)
{
	return (int64_t)uv_now(client->options.loop);
}

/* ---- lists --------------------------------------------------------------------------------------- */

static void link_last(struct plm_aws_list *list, struct plm_aws_sent *sent)
{
	sent->next = NULL;
	sent->before = list->last;
	if (list->last == NULL) {
		list->first = sent;
	} else {
		list->last->next = sent;
	}
	list->last = sent;
}

static void unlink_from(struct plm_aws_list *list, struct plm_aws_sent *sent)
{
	PLM_ASSERT((sent->before == NULL) == (list->first == sent));
	PLM_ASSERT((sent->next == NULL) == (list->last == sent));
	if (sent->before == NULL) {
		list->first = sent->next;
	} else {
		sent->before->next = sent->next;
	}
	if (sent->next == NULL) {
		list->last = sent->before;
	} else {
		sent->next->before = sent->before;
	}
	sent->next = sent->before = NULL;
}

static void free_sent(struct plm_aws_sent *sent)
{
	free(sent->body);
	free(sent->path);
	free(sent);
}

/* Out of the list that its stage says. */
static void take_out(struct plm_aws_sent *sent)
{
	struct plm_aws_client *client = sent->client;

	unlink_from(sent->stage == PLM_AWS_WAITS ? &client->waiting : &client->under_way, sent);
}

/* Into 'waiting', not to leave before 'wait_ms' from now. */
static void wait_for(struct plm_aws_sent *sent, int64_t wait_ms)
{
	struct plm_aws_client *client = sent->client;

	take_out(sent);
	sent->stage = PLM_AWS_WAITS;
	sent->due_ms = now_ms(client) + wait_ms;
	link_last(&client->waiting, sent);
	plm_aws_pump_soon(client);
}

/* ---- the end ------------------------------------------------------------------------------------- */

/* It is in no list any more. */
static void tell(struct plm_aws_sent *sent, const struct plm_aws_answer *answer)
{
	sent->stage = PLM_AWS_TOLD;
	sent->request.on_done(sent->request.self, answer); /* may send and cancel others */
	free_sent(sent);
}

/* It did not leave, and is in no list any more. */
static void tell_own(struct plm_aws_sent *sent, enum plm_aws_class class, const char *code,
		     const char *message)
{
	const struct plm_aws_answer answer = {
		.class = class,
		.code = code,
		.message = message,
		.request_id = "",
		.retry_after_ms = PLM_UNSET,
	};

	sent->client->counts[sent->request.call].answers[class]++;
	tell(sent, &answer);
}

/* ---- answers ------------------------------------------------------------------------------------- */

static struct plm_aws_pace *pace_of(const struct plm_aws_sent *sent)
{
	const struct plm_aws_call_row *row = sent->row;
	size_t lane = row->family == PLM_AWS_OTHER ? (size_t)PLM_AWS_OTHER + (size_t)row->service
						   : (size_t)row->family;

	PLM_ASSERT(lane < PLM_AWS_LANES);
	return &sent->client->lanes[lane];
}

static void trace(const struct plm_aws_sent *sent, const struct plm_http_outcome *outcome,
		  const struct plm_aws_verdict *verdict)
{
	const struct plm_aws_client_options *options = &sent->client->options;
	char text[512];

	if (options->traced == NULL) {
		return;
	}
	(void)snprintf(text, sizeof(text), "%s.%s %s%s%s status=%u ms=%lld try=%u id=%s",
		       plm_aws_service(sent->row->service)->name, sent->row->action,
		       plm_aws_class_text(verdict->class), verdict->code[0] == '\0' ? "" : " ",
		       verdict->code, outcome->status, (long long)outcome->elapsed_ms, sent->tries,
		       verdict->request_id[0] == '\0' ? "-" : verdict->request_id);
	options->traced(options->self, text);
}

static void count(struct plm_aws_sent *sent, const struct plm_http_outcome *outcome,
		  const struct plm_aws_verdict *verdict)
{
	struct plm_aws_client *client = sent->client;

	client->counts[sent->request.call].answers[verdict->class]++;
	client->counts[sent->request.call].ms += (uint64_t)outcome->elapsed_ms;
	if (verdict->class == PLM_AWS_THROTTLED) {
		client->counts[sent->request.call].throttled++;
		plm_aws_pace_throttled(pace_of(sent), sent->left_ms, now_ms(client),
				       outcome->retry_after_ms);
	}
}

/* A read that may do better if it is asked again. */
static bool worth_another(const struct plm_aws_sent *sent, enum plm_aws_class class)
{
	return plm_aws_is_read(sent->request.call) && sent->tries < PLM_LIMIT_AWS_READ_TRIES &&
	       (class == PLM_AWS_THROTTLED || class == PLM_AWS_UNKNOWN ||
		class == PLM_AWS_NOT_SENT);
}

static int64_t backoff_ms(struct plm_aws_sent *sent, int64_t retry_after_ms)
{
	int64_t own_ms = sent->client->options.again_ms;
	int64_t wait_ms = own_ms > 0 ? own_ms : PLM_LIMIT_AWS_AGAIN_FIRST_MS;

	for (unsigned i = 1; i < sent->tries && wait_ms < PLM_LIMIT_AWS_AGAIN_MS; i++) {
		wait_ms *= 2;
	}
	wait_ms = plm_min(wait_ms, PLM_LIMIT_AWS_AGAIN_MS);
	wait_ms += plm_jitter(&sent->client->random, 0, wait_ms - 1);
	return retry_after_ms == PLM_UNSET ? wait_ms : plm_max(wait_ms, retry_after_ms);
}

/* True: it goes out again, and nobody is told. */
static bool repeat(struct plm_aws_sent *sent, const struct plm_http_outcome *outcome,
		   const struct plm_aws_verdict *verdict)
{
	if (verdict->keys) {
		plm_aws_credentials_refused(sent->client->options.credentials);
		if (sent->renewed) {
			return false;
		}
		sent->renewed = true;
		wait_for(sent, 0);
		return true;
	}
	if (!worth_another(sent, verdict->class)) {
		return false;
	}
	wait_for(sent, backoff_ms(sent, outcome->retry_after_ms));
	return true;
}

static void on_http(void *self, const struct plm_http_outcome *outcome)
{
	struct plm_aws_sent *sent = self;
	struct plm_aws_verdict verdict;
	struct plm_arena arena;
	struct plm_error err;

	sent->call = NULL;
	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_AWS_TREE_BYTES, &err) == PLM_OK);
	plm_aws_judge(sent->request.call, outcome, &arena, &verdict);
	count(sent, outcome, &verdict);
	trace(sent, outcome, &verdict);
	if (!repeat(sent, outcome, &verdict)) {
		const struct plm_aws_answer answer = {
			.class = verdict.class,
			.status = outcome->status,
			.code = verdict.code,
			.message = verdict.message,
			.request_id = verdict.request_id,
			.retry_after_ms = outcome->retry_after_ms,
			.root = verdict.root,
		};

		take_out(sent);
		tell(sent, &answer);
	}
	plm_arena_fini(&arena);
}

/* ---- leaving ------------------------------------------------------------------------------------- */

/* NULL, or why this call may not be made now. */
static const char *forbidden(const struct plm_aws_sent *sent)
{
	if (sent->refusal != NULL) {
		return sent->refusal;
	}
	return (sent->row->modes & sent->client->modes) == 0 ? "this call is not made in this mode"
							     : NULL;
}

static void leave(struct plm_aws_sent *sent, struct plm_aws_door *door,
		  const struct plm_aws_keys *keys)
{
	struct plm_aws_client *client = sent->client;
	const struct plm_aws_request *request = &sent->request;
	const struct plm_aws_service_row *service = plm_aws_service(sent->row->service);
	const char *headers[3] = {NULL};
	char target[128];
	const struct plm_http_sign sign = {
		.region = door->endpoint.region,
		.service = service->name,
		.key_id = keys->key_id,
		.secret = keys->secret,
		.token = keys->token,
	};
	struct plm_http_request http = {
		.peer = door->peer,
		.method = "POST",
		.path = "/",
		.headers = headers,
		.sign = &sign,
		.body = request->body,
		.connect_ms = PLM_LIMIT_AWS_CONNECT_MS,
		.total_ms = request->total_ms,
		.body_max = PLM_LIMIT_AWS_BODY_BYTES,
		.on_done = on_http,
		.self = sent,
	};

	switch (plm_aws_protocol(sent->row->service)) {
	case PLM_AWS_QUERY:
		headers[0] = FORM;
		break;
	case PLM_AWS_JSON10:
	case PLM_AWS_JSON11:
		headers[0] =
			plm_aws_protocol(sent->row->service) == PLM_AWS_JSON10 ? JSON10 : JSON11;
		(void)snprintf(target, sizeof(target), "X-Amz-Target: %s.%s", service->version,
			       sent->row->action);
		headers[1] = target;
		break;
	case PLM_AWS_REST:
		http.method = "GET";
		http.path = request->path;
		break;
	}
	sent->stage = PLM_AWS_ABROAD;
	sent->left_ms = now_ms(client);
	sent->tries++;
	sent->call = plm_http_send(client->options.http, &http);
}

/* It ends here. */
static void refuse(struct plm_aws_sent *sent, enum plm_aws_class class, const char *code,
		   const char *why)
{
	take_out(sent);
	tell_own(sent, class, code, why);
}

static void on_keys(void *self, const struct plm_aws_keys *keys, const char *why)
{
	struct plm_aws_sent *sent = self;
	struct plm_aws_client *client = sent->client;
	struct plm_aws_door *door = NULL;
	struct plm_error err = {0};
	const char *why_not = forbidden(sent);

	sent->wait = 0;
	if (why_not != NULL) {
		refuse(sent, PLM_AWS_FORBIDDEN, "Forbidden", why_not);
		return;
	}
	if (keys == NULL) {
		refuse(sent, PLM_AWS_NOT_SENT, "NoCredentials", why);
		return;
	}
	if (client->region[0] == '\0') {
		(void)snprintf(client->region, sizeof(client->region), "%s", keys->region);
	}
	if (plm_aws_door_of(client, sent->row->service, keys->region, &door, &err) != PLM_OK) {
		refuse(sent, PLM_AWS_NOT_SENT, "NoEndpoint", err.text);
		return;
	}
	leave(sent, door, keys);
}

static void ask_for_keys(struct plm_aws_sent *sent)
{
	struct plm_aws_client *client = sent->client;

	take_out(sent);
	sent->stage = PLM_AWS_KEYS;
	link_last(&client->under_way, sent);
	sent->wait = plm_aws_credentials_get(client->options.credentials, on_keys, sent);
}

/* ---- what waits ---------------------------------------------------------------------------------- */

static void on_pump(uv_timer_t *timer);

static void pump_in(struct plm_aws_client *client, int64_t wait_ms)
{
	uint64_t due = uv_is_active((uv_handle_t *)&client->pump)
			       ? uv_timer_get_due_in(&client->pump)
			       : UINT64_MAX;

	if (!client->closing && (uint64_t)wait_ms < due) {
		PLM_ASSERT(uv_timer_start(&client->pump, on_pump, (uint64_t)wait_ms, 0) == 0);
	}
}

void plm_aws_pump_soon(struct plm_aws_client *client)
{
	pump_in(client, 0);
}

/* Until when it has to wait; 0: it has gone for its keys. Within a lane calls leave in their order. */
static int64_t try_leave(struct plm_aws_sent *sent, bool held[PLM_AWS_LANES])
{
	struct plm_aws_client *client = sent->client;
	struct plm_aws_pace *pace = pace_of(sent);
	size_t lane = (size_t)(pace - client->lanes);
	int64_t wait_ms = sent->due_ms - now_ms(client);

	if (wait_ms > 0) {
		return wait_ms; /* a repetition, which holds up nobody */
	}
	wait_ms = held[lane] ? INT64_MAX : plm_aws_pace_take(pace, now_ms(client));
	if (wait_ms > 0) {
		held[lane] = true;
		return wait_ms;
	}
	ask_for_keys(sent);
	return 0;
}

static void let_leave(struct plm_aws_client *client)
{
	bool held[PLM_AWS_LANES] = {false};
	struct plm_aws_sent *next = NULL;
	int64_t least_ms = INT64_MAX;

	for (struct plm_aws_sent *sent = client->waiting.first; sent != NULL; sent = next) {
		int64_t wait_ms = 0;

		next = sent->next;
		wait_ms = forbidden(sent) == NULL ? try_leave(sent, held) : 0;
		least_ms = wait_ms > 0 ? plm_min(least_ms, wait_ms) : least_ms;
	}
	if (least_ms != INT64_MAX) {
		pump_in(client, least_ms);
	}
}

static struct plm_aws_sent *first_forbidden(const struct plm_aws_client *client)
{
	for (struct plm_aws_sent *sent = client->waiting.first; sent != NULL; sent = sent->next) {
		if (forbidden(sent) != NULL) {
			return sent;
		}
	}
	return NULL;
}

static void on_pump(uv_timer_t *timer)
{
	struct plm_aws_client *client = timer->data;
	struct plm_aws_sent *sent = NULL;

	let_leave(client);
	for (sent = first_forbidden(client); sent != NULL; sent = first_forbidden(client)) {
		unlink_from(&client->waiting, sent);
		tell_own(sent, PLM_AWS_FORBIDDEN, "Forbidden", forbidden(sent));
	}
}

/* ---- the start ----------------------------------------------------------------------------------- */

/* Does the form say that it is 'action'? What the table allows is looked at by the call's number alone. */
static bool says_action(struct plm_slice form, enum plm_aws_call call)
{
	char head[PLM_QUERY_HEAD_SIZE];
	size_t size = strlen(plm_query_head(call, head));

	return form.size >= size && memcmp(form.ptr, head, size) == 0 &&
	       (form.size == size || form.ptr[size] == '&');
}

/* No second Action, which a server might take instead. */
static bool names_action(struct plm_slice form)
{
	static const char name[] = "Action=";
	const uint8_t *from = form.ptr;
	size_t left = form.size;
	const uint8_t *at = NULL;

	for (; left > 0; left -= (size_t)(at + 1 - from), from = at + 1) {
		at = memmem(from, left, name, sizeof(name) - 1);
		if (at == NULL) {
			return false;
		}
		if (at == form.ptr || at[-1] == '&') {
			return true;
		}
	}
	return false;
}

/* The whole form, or what there is. */
static void copy_body(struct plm_aws_sent *sent, const struct plm_aws_request *request, bool query)
{
	char head[PLM_QUERY_HEAD_SIZE] = "";
	size_t head_size = 0;
	uint8_t *bytes = malloc(request->body.size + sizeof(head) + 1);

	PLM_ASSERT(bytes != NULL);
	if (query && !request->exact) {
		head_size = strlen(plm_query_head(request->call, head));
		memcpy(bytes, head, head_size);
		if (request->body.size > 0) {
			bytes[head_size++] = '&';
		}
	}
	if (request->body.size > 0) {
		memcpy(bytes + head_size, request->body.ptr, request->body.size);
	}
	sent->body = bytes;
	sent->request.body = plm_slice_of(bytes, head_size + request->body.size);
}

/* Static: why it can never leave; or NULL. */
static const char *refusal_of(const struct plm_aws_request *request, enum plm_aws_protocol protocol)
{
	struct plm_slice form = request->body;
	char text[PLM_QUERY_HEAD_SIZE];

	if (protocol == PLM_AWS_REST) {
		return request->path != NULL && request->path[0] == '/' && request->body.size == 0
			       ? NULL
			       : "this call needs a path";
	}
	if (protocol != PLM_AWS_QUERY) {
		return request->body.size > 0 ? NULL : "this call needs a body";
	}
	if (request->exact) {
		size_t head = strlen(plm_query_head(request->call, text));

		if (!says_action(form, request->call)) {
			return "the form is of another action";
		}
		form = plm_slice_of(form.ptr + head, form.size - head);
	}
	return names_action(form) ? "the form names an action of its own" : NULL;
}

struct plm_aws_sent *plm_aws_send(struct plm_aws_client *client,
				  const struct plm_aws_request *request)
{
	struct plm_aws_sent *sent = calloc(1, sizeof(*sent));
	const struct plm_aws_call_row *row = plm_aws_call(request->call);
	enum plm_aws_protocol protocol = plm_aws_protocol(row->service);

	PLM_ASSERT(sent != NULL && request->on_done != NULL);
	sent->client = client;
	sent->row = row;
	sent->request = *request;
	sent->refusal = refusal_of(request, protocol);
	copy_body(sent, request, protocol == PLM_AWS_QUERY);
	sent->path = request->path == NULL ? NULL : strdup(request->path);
	sent->request.path = sent->path;
	sent->request.total_ms = request->total_ms > 0 ? request->total_ms : row->total_ms;
	sent->due_ms = now_ms(client);
	link_last(&client->waiting, sent);
	plm_aws_pump_soon(client);
	return sent;
}

/* ---- without an answer --------------------------------------------------------------------------- */

/* It is in no list any more. */
static void drop(struct plm_aws_sent *sent)
{
	if (sent->stage == PLM_AWS_KEYS) {
		plm_aws_credentials_forget(sent->client->options.credentials, sent->wait);
	}
	if (sent->call != NULL) {
		plm_http_cancel(sent->call);
	}
	free_sent(sent);
}

void plm_aws_cancel(struct plm_aws_sent *sent)
{
	PLM_ASSERT(sent->stage != PLM_AWS_TOLD);
	take_out(sent);
	drop(sent);
}

static void drop_list(struct plm_aws_list *list)
{
	struct plm_aws_sent *next = NULL;

	for (struct plm_aws_sent *sent = list->first; sent != NULL; sent = next) {
		next = sent->next;
		drop(sent);
	}
	*list = (struct plm_aws_list){0};
}

void plm_aws_drop_all(struct plm_aws_client *client)
{
	drop_list(&client->waiting);
	drop_list(&client->under_way);
}
