#include "lease_play.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/event.h"
#include "plm_test.h"

#define TIMERS_MAX 16
#define CALLS_MAX 16

struct plm_kube_sent {
	bool used;
	struct plm_kube_request request;
	char *body;	/* of the answer; NULL = none */
	int64_t due_ms; /* of the answer */
	enum plm_kube_fate fate;
};

static struct {
	int64_t now_ms;
	struct {
		uv_timer_t *timer; /* NULL = free */
		uv_timer_cb run;
		int64_t due_ms;
	} timers[TIMERS_MAX];
	struct plm_kube_sent calls[CALLS_MAX];
	enum play_fault fault;
	uint64_t weather;
	int64_t delay_ms;
	cJSON *lease;
	char *text;
	int64_t version;
	struct play_counts counts;
} world;

/* ---- libuv's timers ---- */

int uv_timer_init(uv_loop_t *loop, uv_timer_t *timer)
{
	(void)loop;
	memset(timer, 0, sizeof(*timer));
	return 0;
}

int uv_timer_stop(uv_timer_t *timer)
{
	for (size_t i = 0; i < TIMERS_MAX; i++) {
		if (world.timers[i].timer == timer) {
			world.timers[i].timer = NULL;
		}
	}
	return 0;
}

int uv_timer_start(uv_timer_t *timer, uv_timer_cb run, uint64_t timeout, uint64_t repeat)
{
	assert_int_equal(repeat, 0);
	(void)uv_timer_stop(timer);
	for (size_t i = 0; i < TIMERS_MAX; i++) {
		if (world.timers[i].timer == NULL) {
			world.timers[i].timer = timer;
			world.timers[i].run = run;
			world.timers[i].due_ms = world.now_ms + (int64_t)timeout;
			return 0;
		}
	}
	fail_msg("too many timers");
	return -1;
}

void uv_close(uv_handle_t *handle, uv_close_cb closed)
{
	(void)uv_timer_stop((uv_timer_t *)handle);
	closed(handle);
}

/* ---- the Lease ---- */

static void changed(void)
{
	char version[32];
	cJSON *metadata = cJSON_GetObjectItemCaseSensitive(world.lease, "metadata");

	world.version++;
	(void)snprintf(version, sizeof(version), "%lld", (long long)world.version);
	cJSON_DeleteItemFromObjectCaseSensitive(metadata, "resourceVersion");
	assert_non_null(cJSON_AddStringToObject(metadata, "resourceVersion", version));
	cJSON_free(world.text);
	world.text = cJSON_PrintUnformatted(world.lease);
}

const char *play_lease(void)
{
	return world.lease == NULL ? NULL : world.text;
}

static void put(cJSON *lease)
{
	cJSON_Delete(world.lease);
	world.lease = lease;
	if (lease != NULL) {
		changed();
	}
}

void play_set_lease(const char *json)
{
	cJSON *lease = json == NULL ? NULL : cJSON_Parse(json);

	assert_true(json == NULL || lease != NULL);
	put(lease);
}

void play_renew(void)
{
	cJSON *spec = cJSON_GetObjectItemCaseSensitive(world.lease, "spec");
	char text[64];

	(void)snprintf(text, sizeof(text), "2026-01-01T00:00:00.%06lldZ", (long long)world.version);
	cJSON_DeleteItemFromObjectCaseSensitive(spec, "renewTime");
	assert_non_null(cJSON_AddStringToObject(spec, "renewTime", text));
	changed();
}

static const char *text_in(const cJSON *object, const char *name)
{
	static char text[256];
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	if (cJSON_IsNumber(item)) {
		(void)snprintf(text, sizeof(text), "%d", item->valueint);
	} else {
		(void)snprintf(text, sizeof(text), "%s",
			       cJSON_IsString(item) ? item->valuestring : "");
	}
	return text;
}

const char *play_spec(const char *name)
{
	return text_in(cJSON_GetObjectItemCaseSensitive(world.lease, "spec"), name);
}

const char *play_annotation(const char *name)
{
	const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(world.lease, "metadata");

	return text_in(cJSON_GetObjectItemCaseSensitive(metadata, "annotations"), name);
}

struct play_counts play_counts(void)
{
	return world.counts;
}

/* ---- the API server ---- */

static enum plm_kube_fate create(struct plm_slice body)
{
	world.counts.creates++;
	if (world.lease != NULL) {
		world.counts.conflicts++;
		return PLM_KUBE_EXISTS;
	}
	put(cJSON_ParseWithLength((const char *)body.ptr, body.size));
	return PLM_KUBE_DONE;
}

static enum plm_kube_fate update(struct plm_slice body)
{
	cJSON *lease = cJSON_ParseWithLength((const char *)body.ptr, body.size);
	const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(lease, "metadata");
	char version[32];

	world.counts.updates++;
	assert_non_null(lease);
	(void)snprintf(version, sizeof(version), "%lld", (long long)world.version);
	if (world.lease == NULL) {
		cJSON_Delete(lease);
		return PLM_KUBE_NOT_FOUND;
	}
	if (strcmp(text_in(metadata, "resourceVersion"), version) != 0) {
		cJSON_Delete(lease);
		world.counts.conflicts++;
		return PLM_KUBE_CONFLICT;
	}
	put(lease);
	return PLM_KUBE_DONE;
}

static enum plm_kube_fate carry_out(const struct plm_kube_request *request)
{
	const struct plm_kube_call_row *row =
		plm_kube_call_find(request->resource, request->subresource, request->verb);

	assert_int_equal(request->resource, PLM_KUBE_RES_LEASES);
	assert_non_null(row);
	assert_true(plm_kube_call_names(row, request->name));
	if (request->verb == PLM_KUBE_CREATE) {
		return create(request->body);
	}
	if (request->verb == PLM_KUBE_UPDATE) {
		return update(request->body);
	}
	assert_int_equal(request->verb, PLM_KUBE_GET);
	world.counts.gets++;
	return world.lease == NULL ? PLM_KUBE_NOT_FOUND : PLM_KUBE_DONE;
}

static enum play_fault fault_now(void)
{
	uint64_t dice = world.weather == 0 ? 0 : plm_test_below(&world.weather, 20);

	return world.weather == 0 || dice > PLAY_SILENT ? world.fault : (enum play_fault)dice;
}

struct plm_kube_sent *plm_kube_send(struct plm_kube_client *client,
				    const struct plm_kube_request *request)
{
	enum play_fault fault = fault_now();
	struct plm_kube_sent *sent = world.calls;

	(void)client;
	while (sent->used) {
		sent++;
		assert_true(sent < world.calls + CALLS_MAX);
	}
	*sent = (struct plm_kube_sent){.used = true, .request = *request};
	sent->due_ms = world.now_ms + world.delay_ms;
	if (world.weather != 0 && world.delay_ms > 0) {
		sent->due_ms = world.now_ms +
			       (int64_t)plm_test_below(&world.weather, (uint64_t)world.delay_ms);
	}
	if (fault == PLAY_NONE || fault == PLAY_LOST || fault == PLAY_SILENT) {
		sent->fate = carry_out(request);
	}
	if (fault == PLAY_NONE && sent->fate == PLM_KUBE_DONE) {
		sent->body = strdup(world.text);
	}
	sent->fate = fault == PLAY_UNSENT      ? PLM_KUBE_UNSENT
		     : fault == PLAY_THROTTLED ? PLM_KUBE_THROTTLED
		     : fault == PLAY_DENIED    ? PLM_KUBE_DENIED
		     : fault == PLAY_NONE      ? sent->fate
					       : PLM_KUBE_UNKNOWN;
	sent->due_ms = fault == PLAY_SILENT ? INT64_MAX : sent->due_ms;
	return sent;
}

static void drop(struct plm_kube_sent *sent)
{
	free(sent->body);
	sent->body = NULL;
	sent->used = false;
}

void plm_kube_cancel(struct plm_kube_sent *sent)
{
	assert_true(sent->used);
	world.counts.cancelled++;
	drop(sent);
}

static void answer(struct plm_kube_sent *sent)
{
	struct plm_kube_sent copy = *sent;
	struct plm_kube_answer told = {
		.fate = copy.fate,
		.body = plm_slice_str(copy.body),
		.message = plm_slice_str(copy.fate == PLM_KUBE_DONE ? "" : "played"),
		.retry_after_ms = PLM_UNSET,
	};

	sent->used = false;
	sent->body = NULL;
	copy.request.on_done(copy.request.self, &told);
	free(copy.body);
}

/* ---- time ---- */

int64_t play_now(void)
{
	return world.now_ms;
}

static int64_t wall_ns(void *self)
{
	(void)self;
	return (1767225600000 + world.now_ms) * 1000000 + 123456;
}

static int64_t boot_ms(void *self)
{
	(void)self;
	return world.now_ms;
}

struct plm_clock play_clock(void)
{
	return (struct plm_clock){.wall_ns = wall_ns, .boot_ms = boot_ms};
}

/* The soonest of timers and answers, up to 'end_ms'; false: none. */
static bool run_one(int64_t end_ms)
{
	struct plm_kube_sent *sent = NULL;
	size_t timer = TIMERS_MAX;
	int64_t due_ms = end_ms;

	for (size_t i = 0; i < CALLS_MAX; i++) {
		if (world.calls[i].used && world.calls[i].due_ms <= due_ms) {
			sent = &world.calls[i];
			due_ms = sent->due_ms;
		}
	}
	for (size_t i = 0; i < TIMERS_MAX; i++) {
		if (world.timers[i].timer != NULL && world.timers[i].due_ms < due_ms) {
			timer = i;
			due_ms = world.timers[i].due_ms;
		}
	}
	if (timer == TIMERS_MAX && sent == NULL) {
		return false;
	}
	world.now_ms = due_ms > world.now_ms ? due_ms : world.now_ms;
	if (timer < TIMERS_MAX) {
		uv_timer_t *handle = world.timers[timer].timer;

		world.timers[timer].timer = NULL;
		world.timers[timer].run(handle);
	} else {
		answer(sent);
	}
	return true;
}

void play_run(int64_t time_ms)
{
	int64_t end_ms = world.now_ms + time_ms;

	while (run_one(end_ms)) {
	}
	world.now_ms = end_ms;
}

void play_fault(enum play_fault fault)
{
	world.fault = fault;
}

void play_weather(uint64_t seed, int64_t delay_ms)
{
	world.weather = seed;
	world.delay_ms = delay_ms;
}

void play_delay(int64_t delay_ms)
{
	world.delay_ms = delay_ms;
}

void play_start(void)
{
	memset(&world, 0, sizeof(world));
	world.now_ms = 5000;
	world.version = 100;
	world.delay_ms = 3;
}

void play_stop(void)
{
	for (size_t i = 0; i < CALLS_MAX; i++) {
		if (world.calls[i].used) {
			drop(&world.calls[i]);
		}
	}
	cJSON_Delete(world.lease);
	cJSON_free(world.text);
	world.lease = NULL;
	world.text = NULL;
	for (size_t i = 0; i < TIMERS_MAX; i++) {
		assert_null(world.timers[i].timer);
	}
}
