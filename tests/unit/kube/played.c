#include "played.h"

#include <stdio.h>
#include <stdlib.h>

#include "plm_test.h"

#include "adapters/kube/tree.h"

struct plm_kube_sent {
	uv_timer_t timer; /* first */
	struct plm_kube_client *client;
	struct plm_kube_request request;
	char *ns, *name, *body, *query;
	bool cancelled;
};

/* ---- objects ------------------------------------------------------------------------------------- */

static const char *meta_text(const cJSON *object, const char *key)
{
	const char *text =
		cJSON_GetStringValue(plm_tree_get(plm_tree_get(object, "metadata"), key));

	return text == NULL ? "" : text;
}

static enum plm_kube_resource_id resource_of(const cJSON *object)
{
	const char *kind = cJSON_GetStringValue(plm_tree_get(object, "kind"));
	const char *version = cJSON_GetStringValue(plm_tree_get(object, "apiVersion"));
	size_t group = 0;

	assert_non_null(kind);
	assert_non_null(version);
	group = strchr(version, '/') == NULL ? 0 : (size_t)(strchr(version, '/') - version);
	for (int id = PLM_KUBE_RES_NONE + 1; id < PLM_KUBE_RES_COUNT; id++) {
		const struct plm_kube_resource *row =
			plm_kube_resource((enum plm_kube_resource_id)id);

		if (strcmp(row->kind, kind) == 0 && strlen(row->group) == group &&
		    strncmp(row->group, version, group) == 0) {
			return (enum plm_kube_resource_id)id;
		}
	}
	fail_msg("no resource has kind %s", kind);
	return PLM_KUBE_RES_NONE;
}

static struct played_object *place_of(struct plm_kube_client *played,
				      enum plm_kube_resource_id resource, const char *ns,
				      const char *name)
{
	for (size_t i = 0; i < PLAYED_OBJECTS; i++) {
		struct played_object *at = &played->objects[i];

		if (at->json != NULL && at->resource == resource &&
		    strcmp(meta_text(at->json, "name"), name) == 0 &&
		    strcmp(meta_text(at->json, "namespace"), ns) == 0) {
			return at;
		}
	}
	return NULL;
}

static void touch(struct plm_kube_client *played, cJSON *object)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%d", ++played->revision);
	plm_tree_put_string(plm_tree_get(object, "metadata"), "resourceVersion", text);
}

static struct played_object *put(struct plm_kube_client *played, const cJSON *object)
{
	for (size_t i = 0; i < PLAYED_OBJECTS; i++) {
		struct played_object *at = &played->objects[i];

		if (at->json == NULL) {
			at->json = cJSON_Duplicate(object, true);
			at->resource = resource_of(object);
			return at;
		}
	}
	fail();
	return NULL;
}

void played_have(struct plm_kube_client *played, const cJSON *object)
{
	struct played_object *at = put(played, object);

	if (meta_text(at->json, "resourceVersion")[0] == '\0') {
		touch(played, at->json);
	}
}

cJSON *played_find(const struct plm_kube_client *played, enum plm_kube_resource_id resource,
		   const char *name)
{
	for (size_t i = 0; i < PLAYED_OBJECTS; i++) {
		const struct played_object *at = &played->objects[i];

		if (at->json != NULL && at->resource == resource &&
		    strcmp(meta_text(at->json, "name"), name) == 0) {
			return at->json;
		}
	}
	return NULL;
}

char *played_state(const struct plm_kube_client *played)
{
	cJSON *all = cJSON_CreateArray();
	char *text = NULL;

	for (size_t i = 0; i < PLAYED_OBJECTS; i++) {
		cJSON *copy = cJSON_Duplicate(played->objects[i].json, true);

		if (copy != NULL) {
			cJSON_DeleteItemFromObjectCaseSensitive(plm_tree_get(copy, "metadata"),
								"resourceVersion");
			(void)cJSON_AddItemToArray(all, copy);
		}
	}
	text = cJSON_Print(all);
	cJSON_Delete(all);
	return text;
}

/* ---- patches ------------------------------------------------------------------------------------- */

static bool is_same(const cJSON *have, const cJSON *want)
{
	if (have == NULL || cJSON_IsNull(have)) {
		return cJSON_IsNull(want);
	}
	return cJSON_Compare(have, want, true);
}

/* The map or list above 'path', and the last step without its escapes. */
static cJSON *above(cJSON *root, const char *path, char *step)
{
	cJSON *at = root;

	for (;;) {
		size_t used = 0;

		assert_true(*path == '/');
		for (path++; *path != '\0' && *path != '/'; path++) {
			bool escaped = *path == '~';

			path += escaped;
			step[used++] = (char)(!escaped ? *path : (*path == '1' ? '/' : '~'));
		}
		step[used] = '\0';
		if (*path == '\0') {
			return at;
		}
		at = cJSON_IsArray(at) ? cJSON_GetArrayItem(at, (int)strtol(step, NULL, 10))
				       : cJSON_GetObjectItemCaseSensitive(at, step);
		if (at == NULL) {
			return NULL;
		}
	}
}

static bool apply_op(cJSON *root, const cJSON *item)
{
	const char *op = cJSON_GetStringValue(cJSON_GetObjectItem(item, "op"));
	const char *path = cJSON_GetStringValue(cJSON_GetObjectItem(item, "path"));
	const cJSON *value = cJSON_GetObjectItem(item, "value");
	char step[512];
	cJSON *map = above(root, path, step);

	if (map == NULL || !cJSON_IsObject(map)) {
		return false;
	}
	if (strcmp(op, "test") == 0) {
		return is_same(cJSON_GetObjectItemCaseSensitive(map, step), value);
	}
	if (strcmp(op, "remove") == 0) {
		bool there = cJSON_GetObjectItemCaseSensitive(map, step) != NULL;

		cJSON_DeleteItemFromObjectCaseSensitive(map, step);
		return there;
	}
	assert_string_equal(op, "add");
	plm_tree_put(map, plm_slice_str(step), cJSON_Duplicate(value, true));
	return true;
}

static bool apply_json(cJSON *object, const cJSON *ops)
{
	for (const cJSON *item = ops->child; item != NULL; item = item->next) {
		if (!apply_op(object, item)) {
			return false;
		}
	}
	return true;
}

static void merge(cJSON *into, const cJSON *patch)
{
	for (const cJSON *item = patch->child; item != NULL; item = item->next) {
		cJSON *have = cJSON_GetObjectItemCaseSensitive(into, item->string);

		if (cJSON_IsNull(item)) {
			cJSON_DeleteItemFromObjectCaseSensitive(into, item->string);
		} else if (cJSON_IsObject(item)) {
			if (!cJSON_IsObject(have)) {
				have = cJSON_CreateObject();
				plm_tree_put(into, plm_slice_str(item->string), have);
			}
			merge(have, item);
		} else {
			plm_tree_put(into, plm_slice_str(item->string),
				     cJSON_Duplicate(item, true));
		}
	}
}

static bool apply_merge(cJSON *object, const cJSON *patch)
{
	const cJSON *meta = plm_tree_get(patch, "metadata");
	const char *uid = cJSON_GetStringValue(plm_tree_get(meta, "uid"));
	const char *revision = cJSON_GetStringValue(plm_tree_get(meta, "resourceVersion"));

	if ((uid != NULL && strcmp(uid, meta_text(object, "uid")) != 0) ||
	    (revision != NULL && strcmp(revision, meta_text(object, "resourceVersion")) != 0)) {
		return false;
	}
	merge(object, patch);
	return true;
}

/* Through the status only the status changes, otherwise all but the status. */
static void keep_rest(cJSON *changed, const cJSON *before, bool status)
{
	cJSON *from = cJSON_Duplicate(status ? before : changed, true);
	const cJSON *other = plm_tree_get(status ? changed : before, "status");

	cJSON_DeleteItemFromObjectCaseSensitive(from, "status");
	if (other != NULL) {
		plm_tree_put(from, plm_slice_str("status"), cJSON_Duplicate(other, true));
	}
	while (changed->child != NULL) {
		cJSON_DeleteItemFromArray(changed, 0);
	}
	while (from->child != NULL) {
		cJSON *item = cJSON_DetachItemFromArray(from, 0);
		char *key = strdup(item->string);

		plm_tree_put(changed, plm_slice_str(key), item);
		free(key);
	}
	cJSON_Delete(from);
}

/* ---- what a call does ---------------------------------------------------------------------------- */

struct answer {
	enum plm_kube_fate fate;
	unsigned status;
	const char *reason;
	char *body;
};

static struct answer says(enum plm_kube_fate fate, unsigned status, const char *reason)
{
	return (struct answer){.fate = fate, .status = status, .reason = reason};
}

static struct answer done(const cJSON *object)
{
	struct answer answer = says(PLM_KUBE_DONE, 200, "");

	answer.body = object == NULL ? strdup("{}") : cJSON_PrintUnformatted(object);
	return answer;
}

static struct answer patch(struct plm_kube_sent *sent, struct played_object *at)
{
	cJSON *body = cJSON_Parse(sent->body);
	cJSON *copy = cJSON_Duplicate(at->json, true);
	bool fits = false;

	assert_non_null(body);
	fits = sent->request.verb == PLM_KUBE_PATCH_JSON ? apply_json(copy, body)
							 : apply_merge(copy, body);
	cJSON_Delete(body);
	if (!fits) {
		cJSON_Delete(copy);
		return says(PLM_KUBE_CONFLICT, 422, "Invalid");
	}
	keep_rest(copy, at->json, strcmp(sent->request.subresource, "status") == 0);
	cJSON_Delete(at->json);
	at->json = copy;
	touch(sent->client, copy);
	if (meta_text(copy, "deletionTimestamp")[0] != '\0' &&
	    plm_tree_get(plm_tree_get(copy, "metadata"), "finalizers") == NULL) {
		struct answer answer = done(copy);

		cJSON_Delete(copy);
		at->json = NULL;
		return answer;
	}
	return done(copy);
}

static struct answer take_away(struct played_object *at, const cJSON *options)
{
	const char *uid =
		cJSON_GetStringValue(plm_tree_get(plm_tree_get(options, "preconditions"), "uid"));

	if (uid != NULL && strcmp(uid, meta_text(at->json, "uid")) != 0) {
		return says(PLM_KUBE_CONFLICT, 409, "Conflict");
	}
	if (plm_tree_get(plm_tree_get(at->json, "metadata"), "finalizers") != NULL) {
		plm_tree_put_string(plm_tree_get(at->json, "metadata"), "deletionTimestamp",
				    "2026-01-01T00:00:00Z");
	} else {
		cJSON_Delete(at->json);
		at->json = NULL;
	}
	return done(NULL);
}

static struct answer evict(struct plm_kube_sent *sent, struct played_object *at, const cJSON *body)
{
	return sent->client->refuse ? says(PLM_KUBE_BUDGET, 429, "TooManyRequests")
				    : take_away(at, plm_tree_get(body, "deleteOptions"));
}

static struct answer create(struct plm_kube_sent *sent, const cJSON *body)
{
	struct plm_kube_client *played = sent->client;
	struct played_object *at = NULL;
	char uid[32];

	assert_int_equal(resource_of(body), sent->request.resource);
	if (place_of(played, sent->request.resource, sent->ns, meta_text(body, "name")) != NULL) {
		return says(PLM_KUBE_EXISTS, 409, "AlreadyExists");
	}
	at = put(played, body);
	(void)snprintf(uid, sizeof(uid), "uid-%d", ++played->created);
	plm_tree_put_string(plm_tree_get(at->json, "metadata"), "uid", uid);
	touch(played, at->json);
	return done(at->json);
}

/* Whatever the query says: a case has only objects that it selects. As items of a list, without kind. */
static struct answer list(const struct plm_kube_sent *sent)
{
	cJSON *whole = cJSON_CreateObject();
	cJSON *items = cJSON_AddArrayToObject(whole, "items");
	struct answer answer = {0};

	for (size_t i = 0; i < PLAYED_OBJECTS; i++) {
		const struct played_object *at = &sent->client->objects[i];

		if (at->json != NULL && at->resource == sent->request.resource) {
			cJSON *copy = cJSON_Duplicate(at->json, true);

			cJSON_DeleteItemFromObjectCaseSensitive(copy, "kind");
			cJSON_DeleteItemFromObjectCaseSensitive(copy, "apiVersion");
			(void)cJSON_AddItemToArray(items, copy);
		}
	}
	answer = done(whole);
	cJSON_Delete(whole);
	return answer;
}

static struct answer execute(struct plm_kube_sent *sent)
{
	const struct plm_kube_request *request = &sent->request;
	struct played_object *at = place_of(sent->client, request->resource, sent->ns, sent->name);
	cJSON *body = cJSON_Parse(sent->body);
	struct answer answer = {0};

	if (request->verb == PLM_KUBE_LIST) {
		answer = list(sent);
	} else if (request->verb == PLM_KUBE_CREATE && request->subresource[0] == '\0') {
		answer = create(sent, body);
	} else if (at == NULL) {
		answer = says(PLM_KUBE_NOT_FOUND, 404, "NotFound");
	} else if (request->verb == PLM_KUBE_GET) {
		answer = done(at->json);
	} else if (request->verb == PLM_KUBE_DELETE) {
		answer = take_away(at, body);
	} else if (request->verb == PLM_KUBE_CREATE) {
		answer = evict(sent, at, body);
	} else {
		answer = patch(sent, at);
	}
	cJSON_Delete(body);
	return answer;
}

static struct answer with_fault(struct plm_kube_sent *sent, enum played_fault fault)
{
	struct answer answer = {0};

	switch (fault) {
	case PLAYED_WELL:
		return execute(sent);
	case PLAYED_UNSENT:
		return says(PLM_KUBE_UNSENT, 0, "");
	case PLAYED_LOST_BEFORE:
		return says(PLM_KUBE_UNKNOWN, 504, "Timeout");
	case PLAYED_LOST_AFTER:
		answer = execute(sent);
		free(answer.body);
		return says(PLM_KUBE_UNKNOWN, 0, "");
	case PLAYED_CONFLICT:
		return says(PLM_KUBE_CONFLICT, 409, "Conflict");
	case PLAYED_THROTTLED:
		return says(PLM_KUBE_THROTTLED, 429, "TooManyRequests");
	case PLAYED_GARBLED:
		answer = execute(sent);
		if (answer.fate == PLM_KUBE_DONE) {
			free(answer.body);
			answer.body = strdup("<html>");
		}
		return answer;
	case PLAYED_UNAUTHORIZED:
		return says(PLM_KUBE_DENIED, 401, "Unauthorized");
	case PLAYED_DENIED:
		return says(PLM_KUBE_DENIED, 403, "Forbidden");
	case PLAYED_FAULTS:
		break;
	}
	fail();
	return answer;
}

/* ---- the log ------------------------------------------------------------------------------------- */

static const char *const verbs[] = {"GET",	   "LIST",  "WATCH", "POST",  "PATCH json",
				    "PATCH merge", "APPLY", "PUT",   "DELETE"};

static void note(struct plm_kube_client *played, const char *text)
{
	size_t size = strlen(text);

	assert_true(played->log_size + size < PLAYED_LOG);
	memcpy(played->log + played->log_size, text, size + 1);
	played->log_size += size;
}

/* One operation of a patch in a line; everything else as cJSON indents it. */
static void note_body(struct plm_kube_client *played, const char *body)
{
	cJSON *json = cJSON_Parse(body);

	if (cJSON_IsArray(json)) {
		for (const cJSON *item = json->child; item != NULL; item = item->next) {
			char *line = cJSON_PrintUnformatted(item);

			note(played, line);
			note(played, "\n");
			cJSON_free(line);
		}
	} else if (json != NULL) {
		char *text = cJSON_Print(json);

		note(played, text);
		note(played, "\n");
		cJSON_free(text);
	}
	cJSON_Delete(json);
}

static void note_call(struct plm_kube_sent *sent)
{
	struct plm_kube_client *played = sent->client;

	note(played, verbs[sent->request.verb]);
	note(played, " ");
	note(played, plm_kube_resource(sent->request.resource)->name);
	for (int i = 0; i < 3; i++) {
		const char *part = i == 0   ? sent->ns
				   : i == 1 ? sent->name
					    : sent->request.subresource;

		if (part[0] != '\0') {
			note(played, "/");
			note(played, part);
		}
	}
	note(played, sent->request.query == NULL ? "" : " ?");
	note(played, sent->request.query == NULL ? "" : sent->request.query);
	note(played, "\n");
	note_body(played, sent->body);
}

/* ---- the client's functions ---------------------------------------------------------------------- */

static char *text_of(struct plm_slice slice)
{
	char *text = calloc(1, slice.size + 1);

	assert_non_null(text);
	if (slice.size > 0) {
		memcpy(text, slice.ptr, slice.size);
	}
	return text;
}

static void on_closed(uv_handle_t *handle)
{
	struct plm_kube_sent *sent = (struct plm_kube_sent *)handle;

	free(sent->ns);
	free(sent->name);
	free(sent->body);
	free(sent->query);
	free(sent);
}

static void on_due(uv_timer_t *timer)
{
	struct plm_kube_sent *sent = (struct plm_kube_sent *)timer;
	struct plm_kube_client *played = sent->client;
	int call = played->calls++;
	bool faulty = played->fault != PLAYED_WELL && call >= played->fault_at &&
		      call < played->fault_at + played->fault_count;
	struct answer answer = {0};
	struct plm_kube_answer out = {.retry_after_ms = PLM_UNSET};

	played->writes += sent->request.verb != PLM_KUBE_GET;
	played->under_way--;
	note_call(sent);
	answer = with_fault(sent, faulty ? played->fault : PLAYED_WELL);
	out.fate = answer.fate;
	out.status = answer.status;
	out.reason = plm_slice_str(answer.reason);
	out.body = plm_slice_str(answer.body);
	sent->request.on_done(sent->request.self, &out);
	free(answer.body);
	uv_close((uv_handle_t *)timer, on_closed);
}

struct plm_kube_sent *plm_kube_send(struct plm_kube_client *client,
				    const struct plm_kube_request *request)
{
	struct plm_kube_sent *sent = calloc(1, sizeof(*sent));

	assert_non_null(sent);
	assert_non_null(plm_kube_call_find(request->resource, request->subresource, request->verb));
	sent->client = client;
	sent->request = *request;
	sent->ns = text_of(request->ns);
	sent->name = text_of(request->name);
	sent->body = text_of(request->body);
	if (request->query != NULL) {
		sent->query = text_of(plm_slice_str(request->query));
		sent->request.query = sent->query;
	}
	assert_int_equal(uv_timer_init(client->loop, &sent->timer), 0);
	assert_int_equal(uv_timer_start(&sent->timer, on_due, 0, 0), 0);
	client->under_way++;
	client->most_under_way = client->under_way > client->most_under_way
					 ? client->under_way
					 : client->most_under_way;
	return sent;
}

void plm_kube_cancel(struct plm_kube_sent *sent)
{
	sent->client->under_way--;
	uv_close((uv_handle_t *)&sent->timer, on_closed);
}

void plm_kube_pause(struct plm_kube_sent *sent, bool paused)
{
	assert_non_null(sent);
	assert_false(paused);
}

const char *plm_kube_version(const struct plm_kube_client *client,
			     enum plm_kube_resource_id resource)
{
	const struct plm_kube_resource *row = plm_kube_resource(resource);
	const char *said = cJSON_GetStringValue(plm_tree_get(client->versions, row->name));

	return said == NULL ? row->versions[0] : said;
}

void played_init(struct plm_kube_client *played, uv_loop_t *loop)
{
	*played = (struct plm_kube_client){.loop = loop, .revision = 100};
	played->log = calloc(1, PLAYED_LOG);
	assert_non_null(played->log);
}

void played_fini(struct plm_kube_client *played)
{
	for (size_t i = 0; i < PLAYED_OBJECTS; i++) {
		cJSON_Delete(played->objects[i].json);
	}
	free(played->log);
}
