/* The life of a call: refused here, waiting for credentials or its turn, under way, answered. */
#include "adapters/kube/client_private.h"

#include "core/limits.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>

#define JSON "Accept: application/json"
#define CONNECT_MS 3000

/* ---- lists ------------------------------------------------------------------------------------- */

static void link_last(struct plm_kube_list *list, struct plm_kube_sent *sent)
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

static void link_first(struct plm_kube_list *list, struct plm_kube_sent *sent)
{
	sent->before = NULL;
	sent->next = list->first;
	if (list->first == NULL) {
		list->last = sent;
	} else {
		list->first->before = sent;
	}
	list->first = sent;
}

static void unlink_from(struct plm_kube_list *list, struct plm_kube_sent *sent)
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

static void free_sent(struct plm_kube_sent *sent)
{
	if (sent->request.resource == PLM_KUBE_RES_TOKEN_REVIEWS) {
		explicit_bzero(sent->body, sent->request.body.size); /* somebody's token */
	}
	free(sent->path);
	free(sent->body);
	free(sent);
}

/* ---- doors ------------------------------------------------------------------------------------- */

static enum plm_code open_door(struct plm_kube_client *client,
			       const struct plm_kube_credential *credential, struct plm_error *err)
{
	const struct plm_kube_login *login = client->login;
	struct plm_http_peer_options options = {
		.url = login->server,
		.ca_pem = credential->ca_pem,
		.cert_pem = credential->cert_pem,
		.key_pem = credential->key_pem,
		.server_name = login->server_name[0] == '\0' ? NULL : login->server_name,
		.proxy = login->proxy[0] == '\0' ? NULL : login->proxy,
		.insecure = login->insecure,
		.connections_max = PLM_LIMIT_KUBE_CONNECTIONS,
	};
	struct plm_kube_door *door = calloc(1, sizeof(*door));
	enum plm_code code = PLM_OK;

	if (door == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	code = plm_http_peer_new(client->options.http, &options, &door->peer, err);
	if (code != PLM_OK) {
		free(door);
		return code;
	}
	door->tls = credential->tls;
	door->next = client->doors;
	client->doors = door;
	return PLM_OK;
}

/* Behind the first nobody enters any more: a door goes with its last call. */
static void close_doors(struct plm_kube_client *client)
{
	struct plm_kube_door **at = client->doors == NULL ? NULL : &client->doors->next;

	while (at != NULL && *at != NULL) {
		struct plm_kube_door *door = *at;

		if (door->calls > 0) {
			at = &door->next;
			continue;
		}
		*at = door->next;
		plm_http_peer_free(door->peer);
		free(door);
	}
}

enum plm_code plm_kube_door_for(struct plm_kube_client *client,
				const struct plm_kube_credential *credential,
				struct plm_kube_door **out, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	if (client->doors == NULL || client->doors->tls != credential->tls) {
		code = open_door(client, credential,
				 err); /* perhaps inside of a call: none closes */
	}
	if (code == PLM_OK) {
		*out = client->doors;
	}
	return code;
}

/* ---- answers ----------------------------------------------------------------------------------- */

static void fail(struct plm_kube_sent *sent, enum plm_kube_fate fate, const char *why)
{
	sent->fate = fate;
	free(sent->path);
	sent->path = NULL;
	(void)snprintf(sent->why, sizeof(sent->why), "%s", why);
}

static void answer(struct plm_kube_sent *sent, const struct plm_kube_answer *answer)
{
	sent->request.on_done(sent->request.self, answer);
	free_sent(sent);
}

static void answer_failed(struct plm_kube_sent *sent)
{
	struct plm_kube_answer it = {
		.fate = sent->fate,
		.message = plm_slice_str(sent->why),
		.retry_after_ms = PLM_UNSET,
	};

	answer(sent, &it);
}

/* Fate of what has no whole answer. */
static enum plm_kube_fate lost(const struct plm_http_outcome *outcome)
{
	switch (outcome->fate) {
	case PLM_HTTP_NOT_SENT:
		return PLM_KUBE_UNSENT;
	case PLM_HTTP_ANSWERED:
	case PLM_HTTP_LOST:
	case PLM_HTTP_TOO_LARGE:
	case PLM_HTTP_REFUSED:
		return PLM_KUBE_UNKNOWN;
	}
	PLM_UNREACHABLE();
}

/* It was answered 401, and there is something newer to be carried: it goes first. */
static bool repeat(struct plm_kube_sent *sent, const struct plm_http_outcome *outcome)
{
	struct plm_kube_client *client = sent->client;

	if (outcome->fate != PLM_HTTP_ANSWERED || outcome->status != 401 || sent->repeated ||
	    !plm_kube_access_refused(client->access, sent->serial)) {
		return false;
	}
	sent->repeated = true;
	link_first(&client->waiting, sent);
	plm_kube_pump_soon(client);
	return true;
}

static void on_done(void *self, const struct plm_http_outcome *outcome)
{
	struct plm_kube_sent *sent = self;
	struct plm_kube_client *client = sent->client;
	struct plm_kube_reply reply = {
		.status = outcome->status,
		.body = outcome->body,
		.eviction = sent->row != NULL && strcmp(sent->row->subresource, "eviction") == 0,
		.json_patch = sent->request.verb == PLM_KUBE_PATCH_JSON,
	};
	struct plm_kube_judged verdict = {0};
	struct plm_kube_answer it = {
		.status = outcome->status,
		.body = outcome->body,
		.retry_after_ms = outcome->retry_after_ms,
	};

	unlink_from(&client->under_way, sent);
	sent->call = NULL;
	sent->door->calls--;
	close_doors(client);
	if (repeat(sent, outcome)) {
		return;
	}
	memcpy(it.request_id, outcome->request_id, sizeof(it.request_id));
	if (outcome->fate == PLM_HTTP_ANSWERED) {
		plm_kube_judge(&reply, &verdict);
		it.fate = verdict.fate;
		it.reason = plm_slice_str(verdict.reason);
		it.message = plm_slice_str(verdict.message);
	} else {
		it.fate = lost(outcome);
		it.message = plm_slice_str(outcome->text);
	}
	if (it.fate == PLM_KUBE_NO_RESOURCE && sent->row != NULL) {
		plm_kube_discovery_missed(client);
	}
	answer(sent, &it);
}

static bool on_body(void *self, struct plm_slice piece)
{
	struct plm_kube_sent *sent = self;

	return sent->request.on_body(sent->request.self, piece);
}

/* ---- leaving ----------------------------------------------------------------------------------- */

static void leave(struct plm_kube_sent *sent, const struct plm_kube_credential *credential,
		  struct plm_kube_door *door)
{
	struct plm_kube_client *client = sent->client;
	const struct plm_kube_request *request = &sent->request;
	const char *headers[4] = {sent->accept};
	size_t count = 1;
	struct plm_http_request http = {
		.peer = door->peer,
		.method = plm_kube_method(request->verb),
		.path = sent->path,
		.headers = headers,
		.body = request->body,
		.connect_ms = CONNECT_MS,
		.total_ms = sent->row == NULL ? PLM_LIMIT_DISCOVERY_CALL_MS : sent->row->total_ms,
		.stall_ms = request->stall_ms,
		.body_max = request->body_max,
		.on_body = request->on_body == NULL ? NULL : on_body,
		.on_done = on_done,
		.self = sent,
	};

	if (credential->header != NULL) {
		headers[count++] = credential->header;
	}
	if (request->body.size > 0) {
		headers[count++] = plm_kube_content_type(request->verb);
	}
	if (http.on_body == NULL && http.body_max == 0) {
		http.body_max = PLM_LIMIT_ITEM_BYTES;
	}
	sent->door = door;
	sent->serial = credential->serial;
	door->calls++;
	unlink_from(&client->waiting, sent);
	link_last(&client->under_way, sent);
	sent->call = plm_http_send(client->options.http, &http);
	if (sent->paused) {
		plm_http_pause(sent->call, true);
	}
}

/* Take its turn: 0, or how long it has to wait. */
static int64_t turn(struct plm_kube_sent *sent)
{
	int64_t wait_ms = 0;

	if (sent->uncounted || sent->counted) {
		return 0;
	}
	wait_ms =
		plm_bucket_take(&sent->client->bucket, (int64_t)uv_now(sent->client->options.loop));
	sent->counted = wait_ms == 0;
	return wait_ms;
}

static void on_pump(uv_timer_t *timer)
{
	plm_kube_pump(timer->data);
}

static void pump_in(struct plm_kube_client *client, int64_t wait_ms)
{
	uint64_t due = uv_is_active((uv_handle_t *)&client->pump)
			       ? uv_timer_get_due_in(&client->pump)
			       : UINT64_MAX;

	if (!client->closing && (uint64_t)wait_ms < due) {
		PLM_ASSERT(uv_timer_start(&client->pump, on_pump, (uint64_t)wait_ms, 0) == 0);
	}
}

void plm_kube_pump_soon(struct plm_kube_client *client)
{
	pump_in(client, 0);
}

/* True: 'sent' is under way, or failed and is to be answered. */
static bool try_leave(struct plm_kube_sent *sent)
{
	struct plm_kube_client *client = sent->client;
	struct plm_kube_credential credential = {0};
	struct plm_kube_door *door = NULL;
	struct plm_error err = {0};
	int64_t wait_ms = 0;

	switch (plm_kube_access_now(client->access, &credential)) {
	case PLM_KUBE_ACCESS_READY:
		break;
	case PLM_KUBE_ACCESS_WAITS:
		return false;
	case PLM_KUBE_ACCESS_FAILED:
		fail(sent, PLM_KUBE_UNSENT, credential.why);
		return true;
	}
	wait_ms = turn(sent);
	if (wait_ms > 0) {
		pump_in(client, wait_ms);
		return false;
	}
	if (plm_kube_door_for(client, &credential, &door, &err) != PLM_OK) {
		fail(sent, PLM_KUBE_UNSENT, err.text);
		return true;
	}
	leave(sent, &credential, door);
	return true;
}

/* The first that is to be answered without having left. */
static struct plm_kube_sent *failed(struct plm_kube_client *client)
{
	for (struct plm_kube_sent *s = client->waiting.first; s != NULL; s = s->next) {
		if (s->path == NULL) {
			return s;
		}
	}
	return NULL;
}

/* Calls leave in their order, those that are not counted ahead of those that wait for their turn. */
static void let_leave(struct plm_kube_client *client)
{
	struct plm_kube_sent *next = NULL;
	bool held = false;

	for (struct plm_kube_sent *s = client->waiting.first; s != NULL; s = next) {
		next = s->next;
		if (s->path != NULL && (!held || s->uncounted)) {
			held = !try_leave(s) || held;
		}
	}
}

void plm_kube_pump(struct plm_kube_client *client)
{
	struct plm_kube_sent *sent = NULL;

	let_leave(client);
	for (sent = failed(client); sent != NULL; sent = failed(client)) {
		unlink_from(&client->waiting, sent);
		answer_failed(sent); /* may send, cancel, or ask for a look */
	}
}

/* ---- the start --------------------------------------------------------------------------------- */

/* All that a request borrows, in one piece of memory. */
static bool copy_request(struct plm_kube_sent *sent, const struct plm_kube_request *request)
{
	size_t size = request->body.size + request->ns.size + request->name.size;
	uint8_t *at = malloc(size + 1);

	sent->request = *request;
	sent->body = at;
	if (at == NULL) {
		return false;
	}
	if (request->body.size > 0) {
		memcpy(at, request->body.ptr, request->body.size);
	}
	sent->request.body = plm_slice_of(at, request->body.size);
	sent->request.ns = sent->request.name = (struct plm_slice){0}; /* in the path */
	sent->request.query = NULL;
	return true;
}

static struct plm_kube_sent *new_sent(struct plm_kube_client *client,
				      const struct plm_kube_request *request)
{
	struct plm_kube_sent *sent = calloc(1, sizeof(*sent));

	PLM_ASSERT(sent != NULL && copy_request(sent, request));
	sent->client = client;
	sent->accept = JSON;
	link_last(&client->waiting, sent);
	return sent;
}

/* NULL, or why this call is not made here. */
static const char *forbidden(const struct plm_kube_client *client,
			     const struct plm_kube_request *request,
			     const struct plm_kube_call_row *row)
{
	bool forced = request->query != NULL && strstr(request->query, "force=true") != NULL;

	if (row == NULL) {
		return "this call is not in the table of calls";
	}
	if ((row->modes & client->modes) == 0) {
		return "this call is not made in this mode";
	}
	if (!plm_kube_call_names(row, request->name)) {
		return "this call is not made about an object of that name";
	}
	if (forced && row->takes_over[0] == '\0') {
		return "this call takes no fields over";
	}
	return NULL;
}

static bool uncounted(const struct plm_kube_call_row *row)
{
	return row->resource == PLM_KUBE_RES_LEASES ||
	       row->resource == PLM_KUBE_RES_EVENTS || /* which have a rate of their own */
	       row->resource == PLM_KUBE_RES_TOKEN_REVIEWS ||
	       row->resource == PLM_KUBE_RES_SUBJECT_ACCESS_REVIEWS || row->verb == PLM_KUBE_WATCH;
}

/* Try at once unless others wait: nothing is gained by going through the loop. */
static void begin(struct plm_kube_sent *sent)
{
	struct plm_kube_client *client = sent->client;

	if (sent->path != NULL && sent == client->waiting.first) {
		(void)try_leave(sent);
	}
	if (sent->call == NULL) {
		plm_kube_pump_soon(client);
	}
}

struct plm_kube_sent *plm_kube_send(struct plm_kube_client *client,
				    const struct plm_kube_request *request)
{
	const struct plm_kube_call_row *row =
		plm_kube_call_find(request->resource, request->subresource, request->verb);
	const char *why_not = forbidden(client, request, row);
	struct plm_kube_sent *sent = new_sent(client, request);

	PLM_ASSERT(why_not == NULL || !client->options.strict);
	sent->row = row;
	if (why_not != NULL) {
		fail(sent, PLM_KUBE_FORBIDDEN_HERE, why_not);
	} else if (client->versions[request->resource] == NULL) {
		fail(sent, PLM_KUBE_NO_RESOURCE, "the API server does not have this resource");
	} else {
		sent->uncounted = uncounted(row);
		sent->path = plm_kube_path_make(request, client->versions[request->resource],
						client->options.field_manager);
		PLM_ASSERT(sent->path != NULL);
	}
	begin(sent);
	return sent;
}

struct plm_kube_sent *plm_kube_send_path(struct plm_kube_client *client, const char *path,
					 const char *accept,
					 void (*done)(void *, const struct plm_kube_answer *),
					 void *self)
{
	struct plm_kube_request request = {
		.subresource = "",
		.verb = PLM_KUBE_GET,
		.on_done = done,
		.self = self,
	};
	struct plm_kube_sent *sent = new_sent(client, &request);

	sent->uncounted = true;
	sent->accept = accept == NULL ? JSON : accept;
	sent->path = strdup(path);
	PLM_ASSERT(sent->path != NULL);
	begin(sent);
	return sent;
}

/* It is in no list any more. */
static void drop(struct plm_kube_sent *sent)
{
	if (sent->call != NULL) {
		plm_http_cancel(sent->call);
		sent->door->calls--;
	}
	free_sent(sent);
}

void plm_kube_cancel(struct plm_kube_sent *sent)
{
	struct plm_kube_client *client = sent->client;

	unlink_from(sent->call == NULL ? &client->waiting : &client->under_way, sent);
	drop(sent);
	close_doors(client);
}

void plm_kube_pause(struct plm_kube_sent *sent, bool paused)
{
	sent->paused = paused;
	if (sent->call != NULL) {
		plm_http_pause(sent->call, paused);
	}
}

static void drop_list(struct plm_kube_list *list)
{
	struct plm_kube_sent *next = NULL;

	for (struct plm_kube_sent *sent = list->first; sent != NULL; sent = next) {
		next = sent->next;
		drop(sent);
	}
	*list = (struct plm_kube_list){0};
}

void plm_kube_drop_all(struct plm_kube_client *client)
{
	drop_list(&client->waiting);
	drop_list(&client->under_way);
	while (client->doors != NULL) {
		struct plm_kube_door *door = client->doors;

		client->doors = door->next;
		plm_http_peer_free(door->peer);
		free(door);
	}
}
