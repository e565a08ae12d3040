/* Lists and watches against an API server that the test plays, call by call. */
#include "adapters/kube/reflect.h"
#include "codec/codec.h"
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the API server ---------------------------------------------------------------------------- */

struct plm_kube_sent {
	struct plm_kube_request request;
	char query[1024];
	bool live, paused;
};

struct plm_kube_client {
	struct plm_kube_sent calls[512];
	size_t count;
	const char *versions[PLM_KUBE_RES_COUNT];
};

struct plm_kube_sent *plm_kube_send(struct plm_kube_client *client,
				    const struct plm_kube_request *request)
{
	struct plm_kube_sent *sent = &client->calls[client->count++];

	assert_true(client->count < PLM_COUNTOF(client->calls));
	sent->request = *request;
	(void)snprintf(sent->query, sizeof(sent->query), "%s",
		       request->query == NULL ? "" : request->query);
	sent->live = true;
	return sent;
}

void plm_kube_cancel(struct plm_kube_sent *sent)
{
	assert_true(sent->live);
	sent->live = false;
}

void plm_kube_pause(struct plm_kube_sent *sent, bool paused)
{
	assert_true(sent->live);
	sent->paused = paused;
}

const char *plm_kube_version(const struct plm_kube_client *client,
			     enum plm_kube_resource_id resource)
{
	return client->versions[resource];
}

/* ---- the stage --------------------------------------------------------------------------------- */

struct stage {
	struct plm_kube_client client;
	struct plm_kube_observer *observer;
	struct plm_kube_reflect *reflect;
	struct plm_arena arena;
	int64_t now_ms, relist_ms;
	uint32_t room; /* observations that the inbox still takes */
	char told[8192], notes[4096];
	uint32_t due;
};

static int64_t boot_ms(void *self)
{
	return ((struct stage *)self)->now_ms;
}

static void add_line(char *to, size_t size, const char *line)
{
	size_t used = strlen(to);

	(void)snprintf(to + used, size - used, "%s\n", line);
}

static void describe(struct stage *s, const struct plm_observation *o, char *line, size_t size)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)o->type);
	struct plm_payload payload;
	struct plm_error err;
	const char *sign = o->observed == PLM_OBSERVED_FACT	     ? ""
			   : o->observed == PLM_OBSERVED_LIST_BEGINS ? "begins "
								     : "stands ";
	const char *kind = NULL;

	plm_assert_ok(plm_payload_decode(info, o->payload, &s->arena, &payload, &err), &err);
	kind = plm_names_text(&plm_names_kind, plm_event_kind(info, payload.value));
	if (o->type == PLM_EV_LISTED) {
		const struct plm_w_listed *w = payload.value;

		(void)snprintf(line, size, "%s%s@%.*s", o->observed == 0 ? "listed " : sign,
			       plm_names_text(&plm_names_kind, w->kind), (int)w->revision.size,
			       (const char *)w->revision.ptr);
	} else if (o->type == PLM_EV_GONE) {
		const struct plm_w_gone *w = payload.value;

		(void)snprintf(line, size, "%s%s %.*s(%.*s)", o->observed == 0 ? "gone " : sign,
			       kind, (int)w->name.size, (const char *)w->name.ptr, (int)w->uid.size,
			       (const char *)w->uid.ptr);
	} else if (o->type == PLM_EV_REACH) {
		const struct plm_w_reach *w = payload.value;

		(void)snprintf(line, size, w->away == 1 ? "away" : "back");
	} else {
		const struct plm_w_meta *w = payload.value;

		(void)snprintf(line, size, "%s %.*s@%.*s", kind, (int)w->name.size,
			       (const char *)w->name.ptr, (int)o->pos.size,
			       (const char *)o->pos.ptr);
	}
}

static enum plm_code put(void *self, const struct plm_observation *o)
{
	struct stage *s = self;
	char line[256];

	assert_int_equal(o->source, PLM_SOURCE_KUBE);
	if (s->room == 0) {
		return PLM_E_AGAIN;
	}
	s->room--;
	describe(s, o, line, sizeof(line));
	add_line(s->told, sizeof(s->told), line);
	return PLM_OK;
}

static void note(void *self, const char *text)
{
	struct stage *s = self;

	add_line(s->notes, sizeof(s->notes), text);
}

static void on_workload(void *self, struct plm_slice uid, struct plm_slice revision,
			struct plm_slice item)
{
	struct stage *s = self;
	char line[128];

	(void)snprintf(line, sizeof(line), "workload %.*s@%.*s %s", (int)uid.size,
		       (const char *)uid.ptr, (int)revision.size, (const char *)revision.ptr,
		       item.size == 0 ? "gone" : "is");
	add_line(s->told, sizeof(s->told), line);
}

static void on_due(void *self)
{
	((struct stage *)self)->due++;
}

static void begin(struct stage *s)
{
	const struct plm_kube_observer_options observing = {
		.inbox = {.self = s, .put = put}, .note = note, .workload = on_workload, .self = s};
	struct plm_kube_reflect_options options = {
		.client = &s->client,
		.clock = {.self = s, .boot_ms = boot_ms},
		.relist_ms = s->relist_ms,
		.seed = 7,
		.note = note,
		.due = on_due,
		.self = s,
	};
	struct plm_error err;

	plm_assert_ok(plm_kube_observer_new(&observing, &s->observer, &err), &err);
	options.observer = s->observer;
	plm_assert_ok(plm_kube_reflect_new(&options, &s->reflect, &err), &err);
	plm_kube_reflect_start(s->reflect);
	assert_true(plm_kube_reflect_tick(s->reflect) > s->now_ms);
}

static int setup(void **state)
{
	struct stage *s = test_calloc(1, sizeof(*s));
	struct plm_error err;

	s->now_ms = 1000000;
	s->room = UINT32_MAX;
	s->client.versions[PLM_KUBE_RES_NODES] = "v1";
	s->client.versions[PLM_KUBE_RES_PODS] = "v1";
	plm_assert_ok(plm_arena_init(&s->arena, 1U << 24, &err), &err);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;

	plm_kube_reflect_free(s->reflect);
	for (size_t i = 0; i < s->client.count; i++) {
		assert_false(s->client.calls[i].live);
	}
	plm_kube_observer_free(s->observer);
	plm_arena_fini(&s->arena);
	test_free(s);
	return 0;
}

/* The one live call of a resource, NULL = none. */
static struct plm_kube_sent *live(struct stage *s, enum plm_kube_resource_id resource)
{
	struct plm_kube_sent *found = NULL;

	for (size_t i = 0; i < s->client.count; i++) {
		struct plm_kube_sent *call = &s->client.calls[i];

		if (call->live && call->request.resource == resource) {
			assert_null(found);
			found = call;
		}
	}
	return found;
}

static struct plm_kube_sent *pods(struct stage *s)
{
	struct plm_kube_sent *call = live(s, PLM_KUBE_RES_PODS);

	assert_non_null(call);
	return call;
}

static bool body(struct plm_kube_sent *call, const char *text)
{
	assert_true(call->live);
	return call->request.on_body(call->request.self, plm_slice_str(text));
}

static void done(struct plm_kube_sent *call, enum plm_kube_fate fate, unsigned status,
		 const char *message)
{
	const struct plm_kube_answer answer = {
		.fate = fate,
		.status = status,
		.message = plm_slice_str(message),
		.retry_after_ms = PLM_UNSET,
	};

	assert_true(call->live);
	call->live = false;
	call->request.on_done(call->request.self, &answer);
}

static void wait_ms(struct stage *s, int64_t ms)
{
	int64_t end = s->now_ms + ms;
	int64_t due = plm_kube_reflect_tick(s->reflect);

	while (due <= end) {
		s->now_ms = plm_max(due, s->now_ms + 1);
		due = plm_kube_reflect_tick(s->reflect);
	}
	s->now_ms = end;
	(void)plm_kube_reflect_tick(s->reflect);
}

static void told(struct stage *s, const char *want)
{
	assert_string_equal(s->told, want);
	s->told[0] = '\0';
}

static struct plm_kube_reflector_status status(const struct stage *s)
{
	struct plm_kube_reflector_status out = {0};

	assert_true(plm_kube_reflector_status(s->reflect, PLM_KUBE_RES_PODS, &out));
	return out;
}

#define POD(name, revision)                                                                        \
	"{\"metadata\":{\"namespace\":\"n\",\"name\":\"" name "\",\"uid\":\"u-" name               \
	"\",\"resourceVersion\":\"" revision "\"}}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define MARK(revision) EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" revision "\"}}")
#define END(revision)                                                                              \
	EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" revision                         \
			  "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
#define NODE                                                                                       \
	EVENT("ADDED", "{\"metadata\":{\"name\":\"n1\",\"uid\":\"un\",\"resourceVersion\":\"3\"}"  \
		       "}")

/* Everything up to pods is listed; what was told so far is forgotten. */
static void reach_pods(struct stage *s)
{
	begin(s);
	assert_true(body(live(s, PLM_KUBE_RES_NODES), NODE END("10")));
	s->told[0] = '\0';
}

/* Pods are listed, with one pod, at revision 20. */
static void reach_watch(struct stage *s)
{
	reach_pods(s);
	assert_true(body(pods(s), EVENT("ADDED", POD("a", "15")) END("20")));
	told(s, "Pod a@15\nlisted Pod@20\n");
	assert_true(plm_kube_reflect_status(s->reflect).synced);
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void resources_come_in_order_and_then_are_watched(void **state)
{
	struct stage *s = *state;

	begin(s);
	assert_null(live(s, PLM_KUBE_RES_PODS));
	assert_false(plm_kube_reflect_status(s->reflect).synced);
	assert_non_null(strstr(s->told, "begins Namespace@\nlisted Namespace@\n"));
	assert_non_null(strstr(s->told, "listed NodeClaim@\nbegins Node@\n"));
	assert_true(body(live(s, PLM_KUBE_RES_NODES), NODE));
	assert_null(live(s, PLM_KUBE_RES_PODS));
	s->told[0] = '\0';
	assert_true(body(live(s, PLM_KUBE_RES_NODES), END("10")));
	assert_non_null(strstr(s->told, "listed Node@10\nbegins Topology@\n"));
	assert_non_null(strstr(s->told, "listed PodDisruptionBudget@\nbegins Pod@\n"));
	assert_int_equal(pods(s)->request.verb, PLM_KUBE_WATCH);
	assert_non_null(strstr(pods(s)->query, "sendInitialEvents=true"));
	assert_non_null(strstr(pods(s)->query, "resourceVersionMatch=NotOlderThan"));
	assert_null(strstr(pods(s)->query, "resourceVersion="));
	s->told[0] = '\0';
	assert_true(body(pods(s), EVENT("ADDED", POD("a", "15")) END("20")));
	assert_true(body(pods(s), EVENT("MODIFIED", POD("a", "21"))));
	assert_true(body(pods(s), EVENT("DELETED", POD("a", "22"))));
	told(s, "Pod a@15\nlisted Pod@20\nPod a@21\ngone Pod a(u-a)\n");
	assert_true(plm_kube_reflect_status(s->reflect).synced);
	assert_string_equal(s->notes, "");
}

static void a_cut_watch_goes_on_from_the_newest_revision(void **state)
{
	struct stage *s = *state;

	reach_watch(s);
	assert_true(body(pods(s), EVENT("ADDED", POD("b", "33"))));
	wait_ms(s, 5000);
	done(pods(s), PLM_KUBE_UNKNOWN, 200, "reset");
	wait_ms(s, 1000);
	assert_non_null(strstr(pods(s)->query, "&resourceVersion=33"));
	assert_true(body(pods(s), MARK("44")));
	wait_ms(s, 5000);
	done(pods(s), PLM_KUBE_DONE, 200, "");
	assert_non_null(strstr(pods(s)->query, "&resourceVersion=44"));
	told(s, "Pod b@33\n");
	assert_int_equal(status(s).restarts_error, 1);
	assert_int_equal(status(s).restarts_closed, 1);
	assert_string_equal(s->notes, "");
}

/* Half an object that a cut leaves behind is not mixed with what comes next. */
static void a_cut_in_the_middle_of_an_object_tells_nothing_of_it(void **state)
{
	struct stage *s = *state;

	reach_watch(s);
	wait_ms(s, 5000);
	assert_true(body(pods(s), "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"na"));
	done(pods(s), PLM_KUBE_DONE, 200, "");
	wait_ms(s, 5000);
	assert_non_null(strstr(pods(s)->query, "&resourceVersion=20"));
	assert_true(body(pods(s), EVENT("ADDED", POD("b", "21"))));
	told(s, "Pod b@21\n");
}

static void pages_where_lists_are_not_streamed(void **state)
{
	struct stage *s = *state;

	reach_pods(s);
	done(pods(s), PLM_KUBE_INVALID, 422, "sendInitialEvents is forbidden");
	assert_int_equal(pods(s)->request.verb, PLM_KUBE_LIST);
	assert_string_equal(pods(s)->query, "limit=500");
	assert_true(body(pods(s),
			 "{\"metadata\":{\"resourceVersion\":\"50\",\"continue\":\"a+/=\"},"
			 "\"items\":[" POD("a", "15") "]}"));
	done(pods(s), PLM_KUBE_DONE, 200, "");
	assert_string_equal(pods(s)->query, "limit=500&continue=a%2B%2F%3D");
	assert_true(body(pods(s), "{\"items\":[" POD("b", "16") "],\"metadata\":"
								"{\"resourceVersion\":\"50\"}}"));
	done(pods(s), PLM_KUBE_DONE, 200, "");
	told(s, "begins Pod@\nPod a@15\nPod b@16\nlisted Pod@50\n");
	assert_non_null(strstr(pods(s)->query, "&resourceVersion=50"));
	assert_null(strstr(pods(s)->query, "sendInitialEvents"));
	assert_string_equal(s->notes, "");
}

static void a_page_token_that_expired_begins_anew_without_pages(void **state)
{
	struct stage *s = *state;

	reach_pods(s);
	done(pods(s), PLM_KUBE_INVALID, 422, "no");
	assert_true(body(pods(s), "{\"metadata\":{\"continue\":\"c\",\"resourceVersion\":\"5\"},"
				  "\"items\":[" POD("a", "1") "]}"));
	done(pods(s), PLM_KUBE_DONE, 200, "");
	done(pods(s), PLM_KUBE_GONE, 410, "expired");
	assert_string_equal(pods(s)->query, "");
	assert_true(body(pods(s), "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}"));
	done(pods(s), PLM_KUBE_DONE, 200, "");
	told(s, "begins Pod@\nPod a@1\nbegins Pod@\nlisted Pod@9\n");
}

/* A list of which the end is missing was not told whole, whatever the status says. */
static void half_a_list_makes_nothing_gone(void **state)
{
	struct stage *s = *state;

	reach_pods(s);
	done(pods(s), PLM_KUBE_INVALID, 400, "no");
	assert_true(body(pods(s),
			 "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" POD("a", "1")));
	done(pods(s), PLM_KUBE_DONE, 200, "");
	assert_null(live(s, PLM_KUBE_RES_PODS));
	wait_ms(s, 2000);
	assert_string_equal(pods(s)->query, "limit=500");
	told(s, "begins Pod@\nPod a@1\nbegins Pod@\n");
}

/* So was a stream without its bookmark. */
static void a_stream_without_its_end_begins_anew(void **state)
{
	struct stage *s = *state;

	reach_pods(s);
	assert_true(body(pods(s), EVENT("ADDED", POD("a", "1"))));
	wait_ms(s, 5000);
	done(pods(s), PLM_KUBE_DONE, 200, "");
	wait_ms(s, 2000);
	assert_non_null(strstr(pods(s)->query, "sendInitialEvents"));
	told(s, "Pod a@1\nbegins Pod@\n");
}

static void an_old_revision_lists_again(void **state)
{
	struct stage *s = *state;

	reach_watch(s);
	assert_false(body(pods(s), EVENT("ERROR", "{\"kind\":\"Status\",\"code\":410,"
						  "\"message\":\"too old\"}")));
	done(pods(s), PLM_KUBE_UNKNOWN, 200, "refused");
	assert_non_null(strstr(pods(s)->query, "sendInitialEvents"));
	told(s, "begins Pod@\n");
	assert_int_equal(status(s).restarts_gone, 1);
	assert_true(body(pods(s), END("70")));
	wait_ms(s, 5000);
	done(pods(s), PLM_KUBE_GONE, 410, "gone");
	assert_non_null(strstr(pods(s)->query, "sendInitialEvents"));
	told(s, "listed Pod@70\nbegins Pod@\n");
}

static void a_full_inbox_holds_the_answer_back(void **state)
{
	struct stage *s = *state;

	reach_pods(s);
	s->room = 1;
	assert_true(body(pods(s),
			 EVENT("ADDED", POD("a", "1")) EVENT("ADDED", POD("b", "2")) END("9")));
	assert_true(pods(s)->paused);
	assert_true(plm_kube_reflect_status(s->reflect).waits);
	told(s, "Pod a@1\n");
	plm_kube_reflect_resume(s->reflect);
	told(s, "");
	/* What came nevertheless waits its turn. */
	assert_true(body(pods(s), EVENT("MODIFIED", POD("a", "11"))));
	s->room = 1;
	plm_kube_reflect_resume(s->reflect);
	told(s, "Pod b@2\n");
	assert_true(pods(s)->paused);
	s->room = 100;
	plm_kube_reflect_resume(s->reflect);
	told(s, "listed Pod@9\nPod a@11\n");
	assert_false(pods(s)->paused);
	assert_false(plm_kube_reflect_status(s->reflect).waits);
	/* While it is held back it is not silent. */
	s->room = 0;
	assert_true(body(pods(s), EVENT("MODIFIED", POD("a", "12"))));
	wait_ms(s, PLM_LIMIT_WATCH_STALL_MS - 1000);
	assert_true(body(live(s, PLM_KUBE_RES_NODES), MARK("21")));
	wait_ms(s, 100000);
	s->room = 9;
	plm_kube_reflect_resume(s->reflect);
	told(s, "Pod a@12\n");
}

static void an_answer_that_ends_while_objects_wait_is_told_whole(void **state)
{
	struct stage *s = *state;

	reach_pods(s);
	done(pods(s), PLM_KUBE_INVALID, 422, "no");
	s->told[0] = '\0';
	s->room = 0;
	assert_true(body(pods(s), "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" POD(
					  "a", "1") "," POD("b", "2") "]}"));
	done(pods(s), PLM_KUBE_DONE, 200, "");
	assert_null(live(s, PLM_KUBE_RES_PODS));
	for (int i = 0; i < 3; i++) {
		s->room = 1;
		plm_kube_reflect_resume(s->reflect);
	}
	told(s, "Pod a@1\nPod b@2\nlisted Pod@9\n");
	assert_non_null(strstr(pods(s)->query, "&resourceVersion=9"));
}

static void a_full_inbox_at_the_start_loses_nothing(void **state)
{
	struct stage *s = *state;

	s->room = 0;
	begin(s);
	for (int i = 0; i < 1000 && live(s, PLM_KUBE_RES_NODES) == NULL; i++) {
		s->room = 1;
		plm_kube_reflect_resume(s->reflect);
	}
	assert_non_null(live(s, PLM_KUBE_RES_NODES));
	assert_non_null(strstr(s->told, "begins NodeClaim@\nlisted NodeClaim@\nbegins Node@\n"));
}

static void what_is_not_allowed_is_named_once_and_tried_again(void **state)
{
	struct stage *s = *state;

	begin(s);
	done(live(s, PLM_KUBE_RES_NODES), PLM_KUBE_DENIED, 403, "nodes is forbidden");
	/* Others do not wait for it. */
	assert_true(body(pods(s), END("20")));
	assert_string_equal(s->notes, "nodes: not allowed to list and watch, tried again each "
				      "minute: nodes is forbidden\n");
	assert_null(live(s, PLM_KUBE_RES_NODES));
	wait_ms(s, 25000);
	assert_null(live(s, PLM_KUBE_RES_NODES));
	wait_ms(s, 40000);
	done(live(s, PLM_KUBE_RES_NODES), PLM_KUBE_DENIED, 403, "nodes is forbidden");
	assert_false(plm_kube_reflect_status(s->reflect).synced);
	wait_ms(s, 65000);
	assert_true(body(live(s, PLM_KUBE_RES_NODES), END("33")));
	assert_true(plm_kube_reflect_status(s->reflect).synced);
	assert_ptr_equal(strstr(s->notes, "nodes: not"),
			 strrchr(s->notes, 'm') == NULL ? NULL : strstr(s->notes, "nodes: not"));
	assert_null(strstr(s->notes + 10, "nodes: not"));
}

static void a_resource_that_comes_later_is_watched_and_one_that_goes_is_empty(void **state)
{
	struct stage *s = *state;

	reach_watch(s);
	assert_null(live(s, PLM_KUBE_RES_WORKLOADS));
	s->client.versions[PLM_KUBE_RES_WORKLOADS] = "v1beta2";
	wait_ms(s, 6000);
	assert_true(body(live(s, PLM_KUBE_RES_WORKLOADS), END("30")));
	told(s, "begins Workload@\nlisted Workload@30\n");
	assert_string_equal(s->notes, "workloads: the server has this resource now\n");
	wait_ms(s, 5000);
	done(live(s, PLM_KUBE_RES_WORKLOADS), PLM_KUBE_DONE, 200, "");
	done(live(s, PLM_KUBE_RES_WORKLOADS), PLM_KUBE_NO_RESOURCE, 404, "not found");
	told(s, "");
	s->client.versions[PLM_KUBE_RES_WORKLOADS] = NULL;
	wait_ms(s, 3000);
	told(s, "begins Workload@\nlisted Workload@\n");
	assert_null(live(s, PLM_KUBE_RES_WORKLOADS));
	assert_true(plm_kube_reflect_status(s->reflect).synced);
	s->client.versions[PLM_KUBE_RES_WORKLOADS] = "v1beta1";
	wait_ms(s, 6000);
	assert_non_null(live(s, PLM_KUBE_RES_WORKLOADS));
}

static void a_silent_watch_is_begun_again(void **state)
{
	struct stage *s = *state;
	struct plm_kube_sent *before = NULL;

	reach_watch(s);
	before = pods(s);
	for (int i = 0; i < 4; i++) {
		wait_ms(s, 60000);
		assert_true(body(pods(s), MARK("21")));
		assert_true(body(live(s, PLM_KUBE_RES_NODES), MARK("21")));
	}
	assert_ptr_equal(pods(s), before);
	wait_ms(s, PLM_LIMIT_WATCH_STALL_MS + 2000);
	assert_ptr_not_equal(pods(s), before);
	assert_non_null(strstr(pods(s)->query, "&resourceVersion=21"));
	assert_int_equal(status(s).restarts_error, 1);
}

static void a_silent_list_is_begun_again(void **state)
{
	struct stage *s = *state;

	reach_pods(s);
	assert_true(body(pods(s), EVENT("ADDED", POD("a", "1"))));
	wait_ms(s, PLM_LIMIT_LIST_STALL_MS + 13000);
	told(s, "Pod a@1\nbegins Pod@\naway\n");
	assert_true(body(pods(s), END("5")));
	told(s, "back\nlisted Pod@5\n");
}

static void everything_is_listed_again_once_in_a_while(void **state)
{
	struct stage *s = *state;

	s->relist_ms = 600000;
	reach_watch(s);
	for (int i = 0; i < 12 && s->told[0] == '\0'; i++) {
		wait_ms(s, 55000);
		if (s->told[0] == '\0') {
			assert_true(body(pods(s), MARK("21")));
			assert_true(body(live(s, PLM_KUBE_RES_NODES), MARK("21")));
		}
	}
	assert_non_null(strstr(s->told, "begins "));
	s->told[0] = '\0';
	wait_ms(s, 400000);
	assert_non_null(strstr(s->told, "begins Pod@\n"));
	assert_int_equal(status(s).lists, 1);
	assert_true(plm_kube_reflect_status(s->reflect).synced);
}

static void a_server_that_cannot_be_reached_is_away(void **state)
{
	struct stage *s = *state;

	reach_watch(s);
	wait_ms(s, 5000);
	done(pods(s), PLM_KUBE_UNKNOWN, 0, "reset");
	done(live(s, PLM_KUBE_RES_NODES), PLM_KUBE_UNKNOWN, 0, "reset");
	for (int i = 0; i < 40 && s->told[0] == '\0'; i++) {
		wait_ms(s, 500);
		for (size_t id = 1; id < PLM_KUBE_RES_EVENTS; id++) {
			struct plm_kube_sent *call = live(s, (enum plm_kube_resource_id)id);

			if (call != NULL) {
				done(call, PLM_KUBE_UNSENT, 0, "connection refused");
			}
		}
	}
	told(s, "away\n");
	assert_true(plm_kube_reflect_status(s->reflect).away);
	while (live(s, PLM_KUBE_RES_PODS) == NULL) {
		wait_ms(s, 100);
		if (live(s, PLM_KUBE_RES_NODES) != NULL) {
			done(live(s, PLM_KUBE_RES_NODES), PLM_KUBE_UNSENT, 0, "refused");
		}
	}
	assert_true(body(pods(s), EVENT("ADDED", POD("b", "21"))));
	told(s, "back\nPod b@21\n");
	/* The others do not sit out their long waits. */
	wait_ms(s, 600);
	assert_non_null(live(s, PLM_KUBE_RES_NODES));
	assert_false(plm_kube_reflect_status(s->reflect).away);
	assert_non_null(strstr(s->notes, "the API server cannot be reached\n"));
	assert_non_null(strstr(s->notes, "the API server can be reached again\n"));
}

static void what_cannot_be_read_is_named_once_and_stands(void **state)
{
	struct stage *s = *state;
	static const char bad[] =
		"{\"metadata\":{\"namespace\":\"n\",\"name\":\"x\",\"uid\":\"ux\"},"
		"\"spec\":{\"priority\":\"high\"}}";
	char line[512];

	reach_watch(s);
	(void)snprintf(line, sizeof(line), "{\"type\":\"ADDED\",\"object\":%s}\n", bad);
	assert_true(body(pods(s), line));
	assert_true(body(pods(s), line));
	assert_true(body(pods(s), EVENT("ADDED", POD("b", "21"))));
	told(s, "stands Pod x(ux)\nstands Pod x(ux)\nPod b@21\n");
	assert_string_equal(s->notes, "Pod n/x cannot be read and is left out: spec.priority: "
				      "must be a whole number, is a text\n");
	assert_int_equal(plm_kube_observer_stats(s->observer).unreadable, 2);
}

/* Whoever writes a Workload's status hears of each new revision, and of its end. */
static void workloads_are_told_to_who_writes_them(void **state)
{
	struct stage *s = *state;
	struct plm_kube_sent *call = NULL;
	char deep[4096];
	size_t used = 0;

	s->client.versions[PLM_KUBE_RES_WORKLOADS] = "v1beta2";
	begin(s);
	assert_true(body(live(s, PLM_KUBE_RES_NODES), END("10")));
	call = live(s, PLM_KUBE_RES_WORKLOADS);
	assert_true(body(call, END("20")));
	s->told[0] = '\0';
	assert_true(body(call, EVENT("ADDED", POD("w", "21"))));
	told(s, "stands Workload w(u-w)\nworkload u-w@21 is\n"); /* it has no pod sets */
	used = (size_t)snprintf(deep, sizeof(deep),
				"{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"w\","
				"\"uid\":\"u-w\"},\"a\":");
	memset(deep + used, '[', 100);
	memset(deep + used + 100, ']', 100);
	(void)snprintf(deep + used + 200, sizeof(deep) - used - 200, "}}\n");
	assert_true(body(call, deep));
	told(s, "stands Workload w(u-w)\n");
	assert_true(body(call, EVENT("DELETED", POD("w", "23"))));
	told(s, "gone Workload w(u-w)\nworkload u-w@23 gone\n");
}

/* What is not an answer of an API server at all is noted, and not taken for an empty cluster. */
static void nonsense_is_no_list(void **state)
{
	struct stage *s = *state;

	reach_pods(s);
	assert_false(body(pods(s), "<html>"));
	done(pods(s), PLM_KUBE_UNKNOWN, 200, "");
	assert_non_null(strstr(s->notes, "pods: the answer cannot be read: not JSON"));
	wait_ms(s, 2000);
	told(s, "begins Pod@\n");
}

static void a_server_that_is_busy_says_when(void **state)
{
	struct stage *s = *state;
	struct plm_kube_answer busy = {
		.fate = PLM_KUBE_THROTTLED, .status = 429, .retry_after_ms = 20000};
	struct plm_kube_sent *call = NULL;

	reach_watch(s);
	wait_ms(s, 5000);
	call = pods(s);
	call->live = false;
	call->request.on_done(call->request.self, &busy);
	wait_ms(s, 19000);
	assert_null(live(s, PLM_KUBE_RES_PODS));
	wait_ms(s, 22000);
	assert_non_null(strstr(pods(s)->query, "&resourceVersion=20"));
}

/* Failures in a row are waited for longer and longer, with a bound. */
static void waits_grow_and_are_bounded(void **state)
{
	struct stage *s = *state;
	int64_t longest = 0;

	reach_pods(s);
	for (int i = 0; i < 12; i++) {
		int64_t from = s->now_ms;

		done(pods(s), PLM_KUBE_UNKNOWN, 503, "no");
		for (int k = 0; k < 700 && live(s, PLM_KUBE_RES_PODS) == NULL; k++) {
			wait_ms(s, 100);
			if (k % 200 == 0) {
				assert_true(body(live(s, PLM_KUBE_RES_NODES), MARK("5")));
			}
		}
		assert_non_null(live(s, PLM_KUBE_RES_PODS));
		longest = plm_max(longest, s->now_ms - from);
		assert_in_range(s->now_ms - from, PLM_LIMIT_WATCH_BACKOFF_FIRST_MS,
				2 * PLM_LIMIT_WATCH_BACKOFF_LAST_MS + 100);
	}
	assert_in_range(longest, PLM_LIMIT_WATCH_BACKOFF_LAST_MS,
			2 * PLM_LIMIT_WATCH_BACKOFF_LAST_MS + 100);
}

#define STAGED(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static struct plm_tests tests;
	const struct CMUnitTest list[] = {
		STAGED(resources_come_in_order_and_then_are_watched),
		STAGED(a_cut_watch_goes_on_from_the_newest_revision),
		STAGED(a_cut_in_the_middle_of_an_object_tells_nothing_of_it),
		STAGED(pages_where_lists_are_not_streamed),
		STAGED(a_page_token_that_expired_begins_anew_without_pages),
		STAGED(half_a_list_makes_nothing_gone),
		STAGED(a_stream_without_its_end_begins_anew),
		STAGED(an_old_revision_lists_again),
		STAGED(a_full_inbox_holds_the_answer_back),
		STAGED(an_answer_that_ends_while_objects_wait_is_told_whole),
		STAGED(a_full_inbox_at_the_start_loses_nothing),
		STAGED(what_is_not_allowed_is_named_once_and_tried_again),
		STAGED(a_resource_that_comes_later_is_watched_and_one_that_goes_is_empty),
		STAGED(a_silent_watch_is_begun_again),
		STAGED(a_silent_list_is_begun_again),
		STAGED(everything_is_listed_again_once_in_a_while),
		STAGED(a_server_that_cannot_be_reached_is_away),
		STAGED(what_cannot_be_read_is_named_once_and_stands),
		STAGED(workloads_are_told_to_who_writes_them),
		STAGED(nonsense_is_no_list),
		STAGED(a_server_that_is_busy_says_when),
		STAGED(waits_grow_and_are_bounded),
	};

	memcpy(tests.list, list, sizeof(list));
	tests.count = PLM_COUNTOF(list);
	return plm_tests_run(&tests, "reflect");
}
