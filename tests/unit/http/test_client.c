/* client.h against a server on this machine, without TLS: fates, bounds, turns, pauses and cancelling. */
#include <stdio.h>
#include <unistd.h>

#include "http_help.h"
#include "plm_test.h"

#include "core/event.h"

struct scene {
	struct stage stage;
	struct plm_http_peer *peer;
	struct heard heard;
};

static void open_on(struct scene *scene, const char *port, uint32_t connections)
{
	memset(scene, 0, sizeof(*scene));
	stage_open(&scene->stage, 64);
	scene->peer = stage_peer(&scene->stage, port, connections);
}

static void end(struct scene *scene)
{
	assert_int_equal(plm_http_client_stats(scene->stage.client).under_way, 0);
	assert_int_equal(plm_http_client_stats(scene->stage.client).waiting, 0);
	stage_close(&scene->stage);
	plm_http_peer_free(scene->peer);
}

/* ---- one request, one end ---- */

static const struct fate_case {
	const char *why;
	const char *port, *method, *path;
	int64_t total_ms, stall_ms;
	size_t body_max;
	enum plm_http_fate fate;
	unsigned status;
	const char *text; /* in outcome.text */
	const char *body; /* in the body */
} fate_table[] = {
	{"answered", "plain", "GET", "/hello", 0, 0, 0, PLM_HTTP_ANSWERED, 200, "", "method=GET"},
	{"head", "plain", "HEAD", "/status?n=204", 0, 0, 0, PLM_HTTP_ANSWERED, 204, "", ""},
	{"path as it is", "plain", "GET", "/a/../b%2Fc?d=e", 0, 0, 0, PLM_HTTP_ANSWERED, 200, "",
	 "target=/a/../b%2Fc?d=e"},
	{"redirects are answers", "plain", "GET", "/status?n=302&h-Location=/hello", 0, 0, 0,
	 PLM_HTTP_ANSWERED, 302, "", ""},
	{"errors are answers", "plain", "GET", "/status?n=500&body=sorry", 0, 0, 0,
	 PLM_HTTP_ANSWERED, 500, "", "sorry"},
	{"interim answers are none", "plain", "GET", "/interim", 0, 0, 0, PLM_HTTP_ANSWERED, 200,
	 "", "then"},
	{"nobody listens", "closed", "GET", "/hello", 0, 0, 0, PLM_HTTP_NOT_SENT, 0, "onnect", ""},
	{"path with a space", "plain", "GET", "/a b", 0, 0, 0, PLM_HTTP_NOT_SENT, 0, "path", ""},
	{"path with a line end", "plain", "GET", "/a\r\nX: y", 0, 0, 0, PLM_HTTP_NOT_SENT, 0,
	 "path", ""},
	{"relative path", "plain", "GET", "hello", 0, 0, 0, PLM_HTTP_NOT_SENT, 0, "path", ""},
	{"reset after the request", "plain", "POST", "/reset", 0, 0, 0, PLM_HTTP_LOST, 0, "", ""},
	{"reset after a read", "plain", "GET", "/reset", 0, 0, 0, PLM_HTTP_LOST, 0, "", ""},
	{"cut body", "plain", "GET", "/cut", 0, 0, 0, PLM_HTTP_LOST, 200, "", "1234567890"},
	{"cut chunks", "plain", "GET", "/cutchunk", 0, 0, 0, PLM_HTTP_LOST, 200, "", "some"},
	{"too late", "plain", "POST", "/slow?ms=4000", 900, 0, 0, PLM_HTTP_LOST, 0,
	 "not answered within 900 ms", ""},
	{"stalled", "plain", "GET", "/stall?ms=4000", 0, 900, 0, PLM_HTTP_LOST, 200,
	 "no byte came for 900 ms", "12345"},
	{"too large by one", "plain", "GET", "/huge?n=1001", 0, 0, 1000, PLM_HTTP_TOO_LARGE, 200,
	 "larger", ""},
	{"as large as may be", "plain", "GET", "/huge?n=1000", 0, 0, 1000, PLM_HTTP_ANSWERED, 200,
	 "", "xxx"},
	{"too large by default", "plain", "GET", "/huge?n=9000000", 0, 0, 0, PLM_HTTP_TOO_LARGE,
	 200, "larger", ""},
	{"slammed", "slam", "GET", "/hello", 0, 0, 0, PLM_HTTP_NOT_SENT, 0, "", ""},
	{"no handshake", "mute", "GET", "/hello", 300, 0, 0, PLM_HTTP_NOT_SENT, 0,
	 "not answered within 300 ms", ""},
};

static void fate_row(const struct fate_case *row)
{
	struct plm_http_request request;
	struct scene scene;

	open_on(&scene, row->port, 2);
	request = heard_get(&scene.heard, scene.peer, row->path);
	request.method = row->method;
	request.total_ms = row->total_ms > 0 ? row->total_ms : request.total_ms;
	request.stall_ms = row->stall_ms;
	request.body_max = row->body_max;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, row->fate);
	assert_int_equal(scene.heard.outcome.status, row->status);
	assert_non_null(strstr(scene.heard.outcome.text, row->text));
	assert_int_equal(row->fate == PLM_HTTP_ANSWERED, scene.heard.outcome.text[0] == '\0');
	assert_has(&scene.heard, row->body);
	assert_true(scene.heard.outcome.elapsed_ms >= row->stall_ms);
	end(&scene);
}
PLM_TEST_ROWS(fate_row, struct fate_case)

/* The connection is bounded by its own timeout. */
static void connect_timeout(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "mute", 2);
	request = heard_get(&scene.heard, scene.peer, "/hello");
	request.connect_ms = 200;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_NOT_SENT);
	assert_true(scene.heard.outcome.elapsed_ms >= 190);
	assert_true(scene.heard.outcome.elapsed_ms < 15000);
	end(&scene);
}

static void sends_what_it_is_given(void **state)
{
	static const char *const headers[] = {"Content-Type: application/json-patch+json",
					      "Authorization: Bearer secret", NULL};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 2);
	request = heard_get(&scene.heard, scene.peer, "/api");
	request.method = "PATCH";
	request.headers = headers;
	request.body = plm_slice_str("[{}]");
	heard_call(&scene.stage, &scene.heard, &request);
	assert_has(&scene.heard, "method=PATCH\n");
	assert_has(&scene.heard, "size=4\n");
	assert_has(&scene.heard, "content-type: application/json-patch+json\n");
	assert_has(&scene.heard, "authorization: Bearer secret\n");
	assert_has(&scene.heard, "user-agent: plimsoll/test\n");
	assert_null(strstr(scene.heard.body, "expect:"));
	end(&scene);
}

static void no_secret_in_a_text(void **state)
{
	static const char *const headers[] = {"Authorization: Bearer secret\r\nX: y", NULL};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 2);
	request = heard_get(&scene.heard, scene.peer, "/api");
	request.headers = headers;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_NOT_SENT);
	assert_non_null(strstr(scene.heard.outcome.text, "header"));
	assert_null(strstr(scene.heard.outcome.text, "secret"));
	end(&scene);
}

static void answers_ids_and_waits(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 2);
	request = heard_get(&scene.heard, scene.peer,
			    "/status?n=429&h-Retry-After=3&h-Audit-Id=abc-1&h-X-Request-Id=no");
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.status, 429);
	assert_int_equal(scene.heard.outcome.retry_after_ms, 3000);
	assert_string_equal(scene.heard.outcome.request_id, "abc-1");
	memset(&scene.heard, 0, sizeof(scene.heard));
	request.path = "/interim";
	heard_call(&scene.stage, &scene.heard, &request);
	assert_true(scene.heard.outcome.retry_after_ms == PLM_UNSET);
	assert_string_equal(scene.heard.outcome.request_id, "");
	end(&scene);
}

/* ---- connections ---- */

static void keeps_its_connection(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 2);
	for (int i = 1; i <= 20; i++) {
		char part[32];

		memset(&scene.heard, 0, sizeof(scene.heard));
		request = heard_get(&scene.heard, scene.peer, "/hello");
		heard_call(&scene.stage, &scene.heard, &request);
		(void)snprintf(part, sizeof(part), "n=%d\n", i);
		assert_has(&scene.heard, part);
	}
	assert_int_equal(plm_http_client_stats(scene.stage.client).connections, 1);
	assert_int_equal(plm_http_client_stats(scene.stage.client).calls, 20);
	assert_true(plm_http_client_stats(scene.stage.client).bytes_in > 20 * 100);
	assert_true(plm_http_client_stats(scene.stage.client).bytes_out > 20 * 40);
	end(&scene);
}

/* A kept connection dies under a request: a read is sent again, anything else is not. */
static const struct again_case {
	const char *why, *method;
	enum plm_http_fate fate;
	int64_t died;
} again_table[] = {
	{"read", "GET", PLM_HTTP_ANSWERED, 1},
	{"write", "POST", PLM_HTTP_LOST, 1},
	{"delete", "DELETE", PLM_HTTP_LOST, 1},
};

static void again_row(const struct again_case *row)
{
	int64_t before = server_count("died");
	struct plm_http_request request;
	struct scene scene;

	open_on(&scene, "plain", 1);
	request = heard_get(&scene.heard, scene.peer, "/last");
	heard_call(&scene.stage, &scene.heard, &request);
	memset(&scene.heard, 0, sizeof(scene.heard));
	request = heard_get(&scene.heard, scene.peer, "/hello");
	request.method = row->method;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, row->fate);
	end(&scene);
	assert_int_equal(server_count("died") - before, row->died);
}
PLM_TEST_ROWS(again_row, struct again_case)

#define MANY 1000
static struct heard many[MANY];

static void thousand_calls(void **state)
{
	struct plm_http_stats stats;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 8);
	memset(many, 0, sizeof(many));
	for (size_t i = 0; i < MANY; i++) {
		struct plm_http_request request = heard_get(&many[i], scene.peer, "/hello");

		request.total_ms = 60000;
		heard_send(&scene.stage, &many[i], &request);
	}
	stats = plm_http_client_stats(scene.stage.client);
	assert_int_equal(stats.under_way, 8);
	assert_int_equal(stats.waiting, MANY - 8);
	for (size_t i = 0; i < MANY; i++) {
		heard_wait(&scene.stage, &many[i]);
		assert_int_equal(many[i].outcome.fate, PLM_HTTP_ANSWERED);
	}
	assert_true(plm_http_client_stats(scene.stage.client).connections <= 8);
	end(&scene);
}

static size_t told_order[8], told_count;

static void note_order(struct heard *heard)
{
	told_order[told_count++] = (size_t)(heard - many);
}

/* calls_max 1: two peers take turns, each in the order of its calls. */
static void peers_take_turns(void **state)
{
	static const size_t want[] = {0, 4, 1, 2, 3};
	struct plm_http_peer *other;
	struct stage stage;
	struct plm_http_peer *peer;

	(void)state;
	memset(many, 0, sizeof(many));
	told_count = 0;
	stage_open(&stage, 1);
	peer = stage_peer(&stage, "plain", 8);
	other = stage_peer(&stage, "plain", 8);
	for (size_t i = 0; i < 5; i++) {
		struct plm_http_request request =
			heard_get(&many[i], i < 4 ? peer : other, "/hello");

		many[i].end = note_order;
		heard_send(&stage, &many[i], &request);
	}
	heard_wait(&stage, &many[3]);
	assert_int_equal(told_count, 5);
	assert_memory_equal(told_order, want, sizeof(want));
	stage_close(&stage);
	plm_http_peer_free(peer);
	plm_http_peer_free(other);
}

/* A turn that does not come in time: surely not sent. */
static void waits_too_long(void **state)
{
	struct heard slow = {0};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 1);
	request = heard_get(&slow, scene.peer, "/slow?ms=2000");
	heard_send(&scene.stage, &slow, &request);
	request = heard_get(&scene.heard, scene.peer, "/hello");
	request.total_ms = 150;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_NOT_SENT);
	assert_non_null(strstr(scene.heard.outcome.text, "for its turn"));
	heard_wait(&scene.stage, &slow);
	assert_int_equal(slow.outcome.fate, PLM_HTTP_ANSWERED);
	end(&scene);
}

/* Streams have connections of their own: they hold up no call, however few may be open. */
static void streams_hold_nobody_up(void **state)
{
	struct heard streams[3] = {0};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 1);
	for (size_t i = 0; i < 3; i++) {
		request = heard_get(&streams[i], scene.peer, "/drip?n=5&ms=500");
		heard_stream(&request);
		heard_send(&scene.stage, &streams[i], &request);
	}
	request = heard_get(&scene.heard, scene.peer, "/hello");
	request.total_ms = 1500;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_ANSWERED);
	for (size_t i = 0; i < 3; i++) {
		heard_wait(&scene.stage, &streams[i]);
		assert_int_equal(streams[i].outcome.fate, PLM_HTTP_ANSWERED);
		assert_has(&streams[i], "piece 4\n");
		assert_int_equal(streams[i].outcome.body.size, 0);
	}
	end(&scene);
}

/* ---- streams ---- */

static bool say_no(struct heard *heard)
{
	return heard->pieces < 2;
}

static void stream_refused(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 1);
	request = heard_get(&scene.heard, scene.peer, "/drip?n=50&ms=20");
	heard_stream(&request);
	scene.heard.piece = say_no;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_REFUSED);
	assert_int_equal(scene.heard.outcome.status, 200);
	assert_int_equal(scene.heard.pieces, 2);
	end(&scene);
}

/* The body of an error does not go to on_body. */
static void stream_error(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 1);
	request = heard_get(&scene.heard, scene.peer, "/status?n=410&body=expired");
	heard_stream(&request);
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.status, 410);
	assert_int_equal(scene.heard.pieces, 0);
	assert_int_equal(scene.heard.outcome.body.size, 7);
	assert_has(&scene.heard, "expired");
	end(&scene);
}

static void stream_bound(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 1);
	request = heard_get(&scene.heard, scene.peer, "/huge?n=1000000");
	heard_stream(&request);
	request.body_max = 300000;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_TOO_LARGE);
	assert_true(scene.heard.size <= 300000);
	end(&scene);
}

static bool pause_once(struct heard *heard)
{
	if (heard->pieces == 1) {
		plm_http_pause(heard->call, true);
	}
	return true;
}

#define HUGE_BYTES 60000000

/* Paused for longer than its stall timeout: nothing is lost, nothing comes, the sender is held back. */
static void pause_holds_back(void **state)
{
	int64_t before = server_count("huge");
	struct plm_http_request request;
	struct scene scene;
	size_t size;

	(void)state;
	open_on(&scene, "plain", 1);
	request = heard_get(&scene.heard, scene.peer, "/huge?n=60000000");
	heard_stream(&request);
	request.stall_ms = 2000;
	scene.heard.piece = pause_once;
	heard_send(&scene.stage, &scene.heard, &request);
	run_for(&scene.stage, 2500);
	assert_int_equal(scene.heard.done, 0);
	assert_int_equal(scene.heard.pieces, 1);
	size = scene.heard.size;
	assert_true(server_count("huge") - before < HUGE_BYTES / 2);
	run_for(&scene.stage, 300);
	assert_int_equal(scene.heard.size, size);
	plm_http_pause(scene.heard.call, false);
	assert_int_equal(scene.heard.size, size); /* nothing from inside pause */
	heard_wait(&scene.stage, &scene.heard);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(scene.heard.size, HUGE_BYTES);
	end(&scene);
}

static bool pause_always(struct heard *heard)
{
	plm_http_pause(heard->call, true);
	return true;
}

/* Paused at every piece, and let go again from outside. */
static void pause_each_piece(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 1);
	request = heard_get(&scene.heard, scene.peer, "/huge?n=3000000");
	heard_stream(&request);
	scene.heard.piece = pause_always;
	heard_send(&scene.stage, &scene.heard, &request);
	for (int i = 0; i < 2000 && scene.heard.done == 0; i++) {
		run_for(&scene.stage, 1);
		if (scene.heard.done == 0) {
			plm_http_pause(scene.heard.call, false);
		}
	}
	assert_int_equal(scene.heard.done, 1);
	assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(scene.heard.size, 3000000);
	end(&scene);
}

/* ---- cancelling ---- */

/* Cancelled after so many milliseconds: no word of it ever comes, and its place is free. */
static const struct cancel_case {
	const char *why, *path;
	int64_t after_ms;
	bool streamed;
} cancel_table[] = {
	{"at once", "/hello", 0, false},
	{"before the answer", "/slow?ms=300", 50, false},
	{"inside the body", "/stall?ms=300", 50, false},
	{"a stream", "/drip?n=9&ms=50", 120, true},
	{"a stream at once", "/drip?n=9&ms=50", 0, true},
};

static void cancel_row(const struct cancel_case *row)
{
	struct heard next = {0};
	struct plm_http_request request;
	struct scene scene;

	open_on(&scene, "plain", 1);
	request = heard_get(&scene.heard, scene.peer, row->path);
	if (row->streamed) {
		heard_stream(&request);
	}
	heard_send(&scene.stage, &scene.heard, &request);
	request = heard_get(&next, scene.peer, "/hello");
	heard_send(&scene.stage, &next, &request);
	if (row->after_ms > 0) {
		run_for(&scene.stage, row->after_ms);
	}
	plm_http_cancel(scene.heard.call);
	heard_wait(&scene.stage, &next);
	assert_int_equal(next.outcome.fate, PLM_HTTP_ANSWERED);
	run_for(&scene.stage, 30);
	assert_int_equal(scene.heard.done, 0);
	end(&scene);
}
PLM_TEST_ROWS(cancel_row, struct cancel_case)

static struct plm_http_call *victim;

static bool cancel_victim(struct heard *heard)
{
	if (heard->pieces == 2 && victim != NULL) {
		plm_http_cancel(victim);
		victim = NULL;
	}
	return true;
}

static void cancel_inside_own_body(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 1);
	request = heard_get(&scene.heard, scene.peer, "/drip?n=9&ms=20");
	heard_stream(&request);
	scene.heard.piece = cancel_victim;
	heard_send(&scene.stage, &scene.heard, &request);
	victim = scene.heard.call;
	run_for(&scene.stage, 250);
	assert_int_equal(scene.heard.pieces, 2);
	assert_int_equal(scene.heard.done, 0);
	end(&scene);
}

/* One stream cancels another that runs, one that waits behind calls_max, and a call. */
static void cancel_inside_anothers_body(void **state)
{
	static const char *const paths[] = {"/drip?n=9&ms=50", "/slow?ms=4000", "/hello"};

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(paths); i++) {
		struct heard blocker = {0}, other = {0};
		struct plm_http_request request;
		struct scene scene;

		open_on(&scene, "plain", 1);
		if (i == 2) { /* 'other' waits its turn */
			request = heard_get(&blocker, scene.peer, "/slow?ms=2000");
			heard_send(&scene.stage, &blocker, &request);
		}
		request = heard_get(&other, scene.peer, paths[i]);
		if (i == 0) {
			heard_stream(&request);
		}
		heard_send(&scene.stage, &other, &request);
		victim = other.call;
		request = heard_get(&scene.heard, scene.peer, "/drip?n=4&ms=50");
		heard_stream(&request);
		scene.heard.piece = cancel_victim;
		heard_call(&scene.stage, &scene.heard, &request);
		assert_int_equal(scene.heard.outcome.fate, PLM_HTTP_ANSWERED);
		if (i == 2) {
			heard_wait(&scene.stage, &blocker);
		}
		run_for(&scene.stage, 50);
		assert_int_equal(other.done, 0);
		end(&scene);
	}
}

static struct heard sent_inside;
static struct plm_http_peer *victim_peer;

static bool send_inside(struct heard *heard)
{
	if (heard->pieces == 1) {
		struct plm_http_request request = heard_get(&sent_inside, victim_peer, "/hello");

		heard_send(heard->stage, &sent_inside, &request);
	}
	return true;
}

static void send_inside_a_body(void **state)
{
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 1);
	memset(&sent_inside, 0, sizeof(sent_inside));
	victim_peer = scene.peer;
	request = heard_get(&scene.heard, scene.peer, "/drip?n=3&ms=100");
	heard_stream(&request);
	scene.heard.piece = send_inside;
	heard_call(&scene.stage, &scene.heard, &request);
	assert_int_equal(sent_inside.done, 1);
	assert_int_equal(sent_inside.outcome.fate, PLM_HTTP_ANSWERED);
	victim = NULL;
	end(&scene);
}

static void cancel_own_end(struct heard *heard)
{
	plm_http_cancel(heard->call); /* is over already: nothing happens */
	if (victim != NULL) {
		plm_http_cancel(victim);
		victim = NULL;
	}
}

static void cancel_inside_done(void **state)
{
	struct heard other = {0};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 4);
	request = heard_get(&other, scene.peer, "/slow?ms=1000");
	heard_send(&scene.stage, &other, &request);
	victim = other.call;
	request = heard_get(&scene.heard, scene.peer, "/hello");
	scene.heard.end = cancel_own_end;
	heard_call(&scene.stage, &scene.heard, &request);
	run_for(&scene.stage, 1200);
	assert_int_equal(other.done, 0);
	end(&scene);
}

static void free_client(struct heard *heard)
{
	plm_http_client_free(heard->stage->client);
	heard->stage->client = NULL;
}

/* The client ends with calls in every state, from inside an on_done. */
static void free_inside_done(void **state)
{
	static const char *const paths[] = {"/slow?ms=2000", "/drip?n=9&ms=500", "/hello"};
	struct heard others[3] = {0};
	struct plm_http_request request;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 2);
	request = heard_get(&scene.heard, scene.peer, "/hello");
	scene.heard.end = free_client;
	heard_send(&scene.stage, &scene.heard, &request);
	for (size_t i = 0; i < 3; i++) {
		request = heard_get(&others[i], scene.peer, paths[i]);
		if (i == 1) {
			heard_stream(&request);
		}
		heard_send(&scene.stage, &others[i], &request);
	}
	heard_wait(&scene.stage, &scene.heard);
	run_for(&scene.stage, 50);
	assert_int_equal(others[0].done + others[1].done + others[2].done, 0);
	stage_close(&scene.stage);
	plm_http_peer_free(scene.peer);
}

/* A peer that goes takes its idle connections with it; the client and others stay. */
static void peer_goes(void **state)
{
	struct plm_http_request request;
	struct plm_http_peer *other;
	struct scene scene;

	(void)state;
	open_on(&scene, "plain", 2);
	request = heard_get(&scene.heard, scene.peer, "/hello");
	heard_call(&scene.stage, &scene.heard, &request);
	other = scene.peer;
	scene.peer = stage_peer(&scene.stage, "plain", 2);
	plm_http_peer_free(other);
	memset(&scene.heard, 0, sizeof(scene.heard));
	request = heard_get(&scene.heard, scene.peer, "/hello");
	heard_call(&scene.stage, &scene.heard, &request);
	assert_has(&scene.heard, "n=1\n");
	end(&scene);
}

int main(void)
{
	static struct plm_tests tests;
	int failed;

	http_server_start();
	PLM_TEST_TABLE(&tests, fate_row, fate_table);
	PLM_TEST_ADD(&tests, connect_timeout);
	PLM_TEST_ADD(&tests, sends_what_it_is_given);
	PLM_TEST_ADD(&tests, no_secret_in_a_text);
	PLM_TEST_ADD(&tests, answers_ids_and_waits);
	PLM_TEST_ADD(&tests, keeps_its_connection);
	PLM_TEST_TABLE(&tests, again_row, again_table);
	PLM_TEST_ADD(&tests, thousand_calls);
	PLM_TEST_ADD(&tests, peers_take_turns);
	PLM_TEST_ADD(&tests, waits_too_long);
	PLM_TEST_ADD(&tests, streams_hold_nobody_up);
	PLM_TEST_ADD(&tests, stream_refused);
	PLM_TEST_ADD(&tests, stream_error);
	PLM_TEST_ADD(&tests, stream_bound);
	PLM_TEST_ADD(&tests, pause_holds_back);
	PLM_TEST_ADD(&tests, pause_each_piece);
	PLM_TEST_TABLE(&tests, cancel_row, cancel_table);
	PLM_TEST_ADD(&tests, cancel_inside_own_body);
	PLM_TEST_ADD(&tests, cancel_inside_anothers_body);
	PLM_TEST_ADD(&tests, send_inside_a_body);
	PLM_TEST_ADD(&tests, cancel_inside_done);
	PLM_TEST_ADD(&tests, free_inside_done);
	PLM_TEST_ADD(&tests, peer_goes);
	failed = plm_tests_run(&tests, "http client");
	http_server_stop();
	return failed;
}
