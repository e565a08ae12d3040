/* client.h over HTTP/2: one connection for many calls, streams that do not hold them up, refused streams. */
#include "http_help.h"
#include "plm_test.h"

struct scene {
	struct stage stage;
	struct plm_http_peer *peer;
	struct heard heard;
};

static void open_on(struct scene *scene, uint32_t connections)
{
	memset(scene, 0, sizeof(*scene));
	stage_open(&scene->stage, 1000);
	scene->peer = stage_peer(&scene->stage, "h2", connections);
}

static void end(struct scene *scene)
{
	assert_int_equal(plm_http_client_stats(scene->stage.client).under_way, 0);
	stage_close(&scene->stage);
	plm_http_peer_free(scene->peer);
}

#define MANY 300
static struct heard many[MANY];

static void one_connection_for_all(void **state)
{
	struct scene scene;

	(void)state;
	open_on(&scene, 4);
	memset(many, 0, sizeof(many));
	for (size_t i = 0; i < MANY; i++) {
		struct plm_http_request request = heard_get(&many[i], scene.peer, "/slow?ms=20");

		heard_send(&scene.stage, &many[i], &request);
	}
	for (size_t i = 0; i < MANY; i++) {
		heard_wait(&scene.stage, &many[i]);
		assert_int_equal(many[i].outcome.fate, PLM_HTTP_ANSWERED);
	}
	assert_int_equal(plm_http_client_stats(scene.stage.client).connections, 1);
	end(&scene);
}

static const struct fate_case {
	const char *why;
	const char *method, *path;
	enum plm_http_fate fate;
	unsigned status;
	int64_t total_ms, stall_ms;
} fate_table[] = {
	{"answered", "POST", "/hello", PLM_HTTP_ANSWERED, 200, 0, 0},
	{"read refused once", "GET", "/refuse?n=1&key=a", PLM_HTTP_ANSWERED, 200, 0, 0},
	{"write refused once", "POST", "/refuse?n=1&key=b", PLM_HTTP_ANSWERED, 200, 0, 0},
	{"write refused for ever", "POST", "/refuse?n=99&key=c", PLM_HTTP_NOT_SENT, 0, 0, 0},
	{"broken stream", "POST", "/break", PLM_HTTP_LOST, 0, 0, 0},
	/* Not carried out, but curl does not tell it from a connection that broke. */
	{"told to go away at once", "POST", "/goaway", PLM_HTTP_LOST, 0, 0, 0},
	{"too late", "POST", "/slow?ms=4000", PLM_HTTP_LOST, 0, 900, 0},
	{"stalled", "POST", "/slow?ms=4000", PLM_HTTP_LOST, 0, 0, 900},
};

static void fate_row(const struct fate_case *row)
{
	struct plm_http_request request;
	struct scene scene;

	open_on(&scene, 2);
	request = heard_get(&scene.heard, scene.peer, row->path);
	request.method = row->method;
	request.body = plm_slice_str(strcmp(row->method, "GET") == 0 ? "" : "{}");
	request.total_ms = row->total_ms > 0 ? row->total_ms : request.total_ms;
	request.stall_ms = row->stall_ms;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, row->fate);
	assert_int_equal(scene.heard.outcome.status, row->status);
	end(&scene);
}
PLM_TEST_ROWS(fate_row, struct fate_case)

/* A server that is about to end lets calls finish; the next one goes to its successor. */
static void graceful_end(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, 2);
	for (int i = 0; i < 3; i++) {
		memset(&scene.heard, 0, sizeof(scene.heard));
		request = heard_get(&scene.heard, scene.peer, "/graceful");
		request.method = "POST";
		heard_call(&scene.stage, &scene.heard, &request);
		assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_ANSWERED);
		assert_has(&scene.heard, "late");
	}
	assert_int_equal(plm_http_client_stats(scene.stage.client).connections, 3);
	end(&scene);
}

/*
 * A connection that takes everything and says nothing any more: who was given up on it is followed by others on a
 * new one, those that are still on it have their own time, and what waited moves.
 */
static void frozen_connection(void **state)
{
	struct heard last = {0}, later = {0}, next = {0};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, 2);
	request = heard_get(&scene.heard, scene.peer, "/hello");
	heard_call(&scene.stage, &scene.heard, &request);
	memset(&scene.heard, 0, sizeof(scene.heard));
	request = heard_get(&scene.heard, scene.peer, "/freeze");
	request.total_ms = 500;
	heard_send(&scene.stage, &scene.heard, &request);
	request = heard_get(&later, scene.peer, "/freeze");
	request.total_ms = 2000;
	heard_send(&scene.stage, &later, &request);
	heard_wait(&scene.stage, &scene.heard);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_LOST);
	request = heard_get(&next, scene.peer, "/hello");
	heard_call(&scene.stage, &next, &request);
	assert_int_equal(next.outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(later.done, 0);
	heard_wait(&scene.stage, &later);
	assert_int_equal(later.outcome.fate, PLM_HTTP_LOST);
	request = heard_get(&last, scene.peer, "/hello");
	heard_call(&scene.stage, &last, &request);
	assert_has(&last, "n=2\n");
	assert_int_equal(plm_http_client_stats(scene.stage.client).connections, 2);
	end(&scene);
}

/* The same for streams, which are given up when nothing comes. */
static void frozen_stream(void **state)
{
	struct heard next = {0};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, 2);
	request = heard_get(&scene.heard, scene.peer, "/hello");
	heard_stream(&request);
	heard_call(&scene.stage, &scene.heard, &request);
	memset(&scene.heard, 0, sizeof(scene.heard));
	request = heard_get(&scene.heard, scene.peer, "/freeze");
	heard_stream(&request);
	request.stall_ms = 500;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_LOST);
	request = heard_get(&next, scene.peer, "/drip?n=3&ms=1");
	heard_stream(&request);
	heard_call(&scene.stage, &next, &request);
	assert_int_equal(next.outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(plm_http_client_stats(scene.stage.client).connections, 2);
	end(&scene);
}

static bool pause_first(struct heard *heard)
{
	if (heard->pieces == 1) {
		plm_http_pause(heard->call, true);
	}
	return true;
}

#define HUGE_BYTES (96 << 20)

/*
 * A paused stream keeps its sender from sending more than its window, other streams of the connection are not
 * ended for the bytes that they miss meanwhile, and a call beside it is answered at once.
 */
static void paused_stream(void **state)
{
	int64_t before = server_count("data");
	struct heard call = {0}, watch = {0};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, 2);
	request = heard_get(&watch, scene.peer, "/drip?n=60&ms=50");
	heard_stream(&request);
	request.stall_ms = 2000;
	heard_send(&scene.stage, &watch, &request);
	request = heard_get(&scene.heard, scene.peer, "/huge?n=100663296");
	heard_stream(&request);
	request.stall_ms = 2000;
	scene.heard.piece = pause_first;
	heard_send(&scene.stage, &scene.heard, &request);
	run_for(&scene.stage, 2500);
	assert_int_equal(scene.heard.pieces, 1);
	assert_int_equal(scene.heard.done, 0);
	assert_true(server_count("data") - before < HUGE_BYTES / 2);
	request = heard_get(&call, scene.peer, "/hello");
	request.total_ms = 3000;
	heard_call(&scene.stage, &call, &request);
	assert_int_equal(call.outcome.fate, PLM_HTTP_ANSWERED);
	plm_http_pause(scene.heard.call, false);
	heard_wait(&scene.stage, &scene.heard);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(scene.heard.size, HUGE_BYTES);
	heard_wait(&scene.stage, &watch);
	assert_int_equal(watch.outcome.fate, PLM_HTTP_ANSWERED);
	assert_has(&watch, "piece 59\n");
	end(&scene);
}

/* Cancelling a stream ends it at the server too, and leaves the connection to the others. */
static void cancel_one_of_many(void **state)
{
	struct heard streams[3] = {0};
	struct plm_http_request request;
	struct scene scene;
	int64_t before = server_count("cancelled");

	(void)state;
	open_on(&scene, 2);
	for (size_t i = 0; i < 3; i++) {
		request = heard_get(&streams[i], scene.peer, "/drip?n=20&ms=100");
		heard_stream(&request);
		heard_send(&scene.stage, &streams[i], &request);
	}
	run_for(&scene.stage, 150);
	plm_http_cancel(streams[1].call);
	heard_wait(&scene.stage, &streams[0]);
	heard_wait(&scene.stage, &streams[2]);
	assert_int_equal(streams[0].outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(streams[2].outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(streams[1].done, 0);
	assert_int_equal(plm_http_client_stats(scene.stage.client).connections, 1);
	assert_int_equal(server_count("cancelled") - before, 1);
	end(&scene);
}

int main(void)
{
	static struct plm_tests tests;
	int failed;

	http_server_start();
	PLM_TEST_ADD(&tests, one_connection_for_all);
	PLM_TEST_TABLE(&tests, fate_row, fate_table);
	PLM_TEST_ADD(&tests, graceful_end);
	PLM_TEST_ADD(&tests, frozen_connection);
	PLM_TEST_ADD(&tests, frozen_stream);
	PLM_TEST_ADD(&tests, paused_stream);
	PLM_TEST_ADD(&tests, cancel_one_of_many);
	failed = plm_tests_run(&tests, "http h2");
	http_server_stop();
	return failed;
}
