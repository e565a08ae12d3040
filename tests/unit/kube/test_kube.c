/* The whole end on a loop, against a server that has nothing but pods. */
#include "adapters/kube/kube.h"
#include "plm_test.h"

struct plm_kube_sent {
	struct plm_kube_request request;
	bool live;
};

struct plm_kube_client {
	struct plm_kube_sent sent;
	bool has_pods;
};

struct plm_kube_sent *plm_kube_send(struct plm_kube_client *client,
				    const struct plm_kube_request *request)
{
	assert_int_equal(request->resource, PLM_KUBE_RES_PODS);
	assert_false(client->sent.live);
	client->sent = (struct plm_kube_sent){*request, true};
	return &client->sent;
}

void plm_kube_cancel(struct plm_kube_sent *sent)
{
	sent->live = false;
}

void plm_kube_pause(struct plm_kube_sent *sent, bool paused)
{
	(void)sent;
	(void)paused;
}

const char *plm_kube_version(const struct plm_kube_client *client,
			     enum plm_kube_resource_id resource)
{
	return resource == PLM_KUBE_RES_PODS && client->has_pods ? "v1" : NULL;
}

struct stage {
	uv_loop_t loop;
	struct plm_kube_client client;
	struct plm_kube *kube;
	uint32_t told, notes, room;
};

static int64_t wall_ns(void *self)
{
	(void)self;
	return 1767225600000000000;
}

static int64_t boot_ms(void *self)
{
	struct stage *s = self;

	uv_update_time(&s->loop);
	return (int64_t)uv_now(&s->loop);
}

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct stage *s = self;

	(void)observation;
	if (s->room == 0) {
		return PLM_E_AGAIN;
	}
	s->room--;
	s->told++;
	return PLM_OK;
}

static void note(void *self, const char *text)
{
	(void)text;
	((struct stage *)self)->notes++;
}

static int setup(void **state)
{
	struct stage *s = test_calloc(1, sizeof(*s));
	struct plm_kube_options options = {
		.loop = &s->loop,
		.client = &s->client,
		.inbox = {.self = s, .put = put},
		.clock = {s, wall_ns, boot_ms},
		.note = note,
		.self = s,
		.instance = "plimsoll-0",
	};
	struct plm_error err;

	assert_int_equal(uv_loop_init(&s->loop), 0);
	s->room = UINT32_MAX;
	s->client.has_pods = true;
	plm_assert_ok(plm_kube_new(&options, &s->kube, &err), &err);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;

	plm_kube_free(s->kube);
	(void)uv_run(&s->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&s->loop), 0);
	assert_false(s->client.sent.live);
	test_free(s);
	return 0;
}

static void a_server_is_taken_in_and_let_go(void **state)
{
	struct stage *s = *state;
	static const char end[] =
		"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\","
		"\"uid\":\"u\",\"resourceVersion\":\"1\"}}}\n"
		"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"7\","
		"\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n";
	struct plm_kube_watch_status watch;

	assert_false(plm_kube_status(s->kube).synced);
	plm_kube_start(s->kube);
	(void)uv_run(&s->loop, UV_RUN_NOWAIT);
	assert_true(s->client.sent.live);
	assert_false(plm_kube_status(s->kube).synced);
	assert_true(
		s->client.sent.request.on_body(s->client.sent.request.self, plm_slice_str(end)));
	assert_true(plm_kube_status(s->kube).synced);
	assert_int_equal(plm_kube_status(s->kube).objects, 1);
	assert_false(plm_kube_status(s->kube).away);
	assert_int_equal(plm_kube_status(s->kube).effects_under_way, 0);
	assert_true(plm_kube_watch_status(s->kube, PLM_KUBE_RES_PODS, &watch));
	assert_string_equal(watch.resource, "pods");
	assert_true(watch.synced);
	assert_false(plm_kube_watch_status(s->kube, PLM_KUBE_RES_NODES, &watch));
	assert_false(plm_kube_watch_status(s->kube, PLM_KUBE_RES_LEASES, &watch));
	assert_int_equal(s->notes, 0);
}

/* A full inbox at the start; the loop wakes nobody, plm_kube_resume() does. */
static void nothing_is_lost_while_the_inbox_is_full(void **state)
{
	struct stage *s = *state;

	s->client.has_pods = false;
	s->room = 3;
	plm_kube_start(s->kube);
	(void)uv_run(&s->loop, UV_RUN_NOWAIT);
	assert_int_equal(s->told, 3);
	s->room = UINT32_MAX;
	plm_kube_resume(s->kube);
	assert_true(plm_kube_status(s->kube).synced);
	assert_int_equal(s->told, 2 * (PLM_KUBE_RES_EVENTS - 1));
}

/* Calls of the API server belong here, instances do not. */
static void effects_are_those_of_the_api_server(void **state)
{
	struct stage *s = *state;

	assert_true(plm_kube_carries(PLM_CALL_JOB_START));
	assert_true(plm_kube_carries(PLM_CALL_POD_EVICT));
	assert_false(plm_kube_carries(PLM_CALL_LAUNCH));
	assert_false(plm_kube_carries(PLM_CALL_TERMINATE));
	assert_non_null(plm_kube_effects(s->kube).submit);
}

#define STAGED(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static struct plm_tests tests;
	const struct CMUnitTest list[] = {
		STAGED(a_server_is_taken_in_and_let_go),
		STAGED(nothing_is_lost_while_the_inbox_is_full),
		STAGED(effects_are_those_of_the_api_server),
	};

	memcpy(tests.list, list, sizeof(list));
	tests.count = PLM_COUNTOF(list);
	return plm_tests_run(&tests, "kube");
}
