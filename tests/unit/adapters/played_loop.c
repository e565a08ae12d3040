/*
 * Calls and timers in order of time: the half of played_ec2.h that knows when.
 */
#include "played_inner.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/outcome.h"
#include "core/limits.h"
#include "plm_test.h"

#define TIMERS_MAX 16
#define CALLS_MAX 1024

struct played_ec2 played;

struct plm_aws_sent {
	struct plm_aws_request request;
	char *body;
	int64_t due_ms;
	enum plm_http_fate fate;
	unsigned status;
	char *answer; /* owned; NULL = none */
};

static struct {
	int64_t now_ms;
	struct {
		uv_timer_t *timer;
		uv_timer_cb run;
		int64_t due_ms;
	} timers[TIMERS_MAX];
	struct plm_aws_sent *calls[CALLS_MAX];
	char *sent[PLM_AWS_CALL_COUNT]; /* the last of each */
	struct plm_arena arena;
} world;

/* ---- libuv's timers ------------------------------------------------------------------------------ */

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

/* ---- calls --------------------------------------------------------------------------------------- */

static enum played_fault fault_of(enum plm_aws_call call)
{
	if (played.fault_count > 0 &&
	    (played.fault_action == NULL ||
	     strcmp(played.fault_action, plm_aws_call(call)->action) == 0)) {
		if (played.fault_skip > 0) {
			played.fault_skip--;
		} else {
			played.fault_count--;
			return played.fault;
		}
	}
	if (played.weather != 0 && plm_test_below(&played.weather, 100) < played.weather_percent) {
		return (enum played_fault)(1 + plm_test_below(&played.weather, PLAYED_FAULTS - 1));
	}
	return PLAYED_WELL;
}

static bool is_before(enum played_fault fault)
{
	return fault == PLAYED_UNSENT || fault == PLAYED_THROTTLED || fault == PLAYED_LOST_BEFORE ||
	       fault == PLAYED_500_BEFORE || fault == PLAYED_CODE;
}

static void answer_with(struct plm_aws_sent *sent, enum played_fault fault, struct plm_text *out)
{
	const char *action = plm_aws_call(sent->request.call)->action;
	struct plm_text other = {.arena = &world.arena};

	sent->fate = PLM_HTTP_ANSWERED;
	switch (fault) {
	case PLAYED_WELL:
	case PLAYED_FAULTS:
		break;
	case PLAYED_UNSENT:
		sent->fate = PLM_HTTP_NOT_SENT;
		break;
	case PLAYED_LOST_BEFORE:
	case PLAYED_LOST_AFTER:
		sent->fate = PLM_HTTP_LOST;
		break;
	case PLAYED_THROTTLED:
		sent->status = played_error(&other, 503, "RequestLimitExceeded");
		break;
	case PLAYED_500_BEFORE:
	case PLAYED_500_AFTER:
		sent->status = played_error(&other, 500, "InternalError");
		break;
	case PLAYED_GARBLED:
		sent->status = 502;
		plm_text_putf(&other, "<!doctype html><p>bad gateway");
		break;
	case PLAYED_EMPTY:
		played_begin(&other, action);
		sent->status = played_end(&other, action);
		break;
	case PLAYED_CODE:
		sent->status = played_error(&other, played.fault_status, played.fault_code);
		break;
	}
	if (sent->fate == PLM_HTTP_ANSWERED) {
		sent->answer = played_copy(plm_text_slice(other.size > 0 ? &other : out));
	} else {
		sent->status = 0;
	}
}

/* It reaches EC2 halfway to its answer, in the order of sending: here at once. */
struct plm_aws_sent *plm_aws_send(struct plm_aws_client *client,
				  const struct plm_aws_request *request)
{
	struct plm_aws_sent *sent = calloc(1, sizeof(*sent));
	enum played_fault fault = fault_of(request->call);
	struct plm_text out = {.arena = &world.arena};
	size_t slot = 0;

	(void)client;
	assert_non_null(sent);
	while (slot < CALLS_MAX && world.calls[slot] != NULL) {
		slot++;
	}
	assert_true(slot < CALLS_MAX);
	world.calls[slot] = sent;
	played.calls++;
	plm_arena_reset(&world.arena);
	*sent = (struct plm_aws_sent){.request = *request, .status = 200};
	sent->body = played_copy(request->body);
	free(world.sent[request->call]);
	world.sent[request->call] = played_copy(request->body);
	if (!is_before(fault)) {
		sent->status = played_carry_out(&out, request->call, sent->body);
	}
	answer_with(sent, fault, &out);
	sent->due_ms = world.now_ms + 1 + played.delay_ms;
	if (played.weather != 0) {
		sent->due_ms += (int64_t)plm_test_below(&played.weather, 3000);
	}
	return sent;
}

static void free_sent(struct plm_aws_sent *sent)
{
	for (size_t i = 0; i < CALLS_MAX; i++) {
		if (world.calls[i] == sent) {
			world.calls[i] = NULL;
		}
	}
	free(sent->body);
	free(sent->answer);
	free(sent);
}

void plm_aws_cancel(struct plm_aws_sent *sent)
{
	free_sent(sent);
}

const char *played_sent(const char *action)
{
	for (int call = 1; call < PLM_AWS_CALL_COUNT; call++) {
		if (strcmp(plm_aws_call((enum plm_aws_call)call)->action, action) == 0) {
			return world.sent[call] == NULL ? "" : world.sent[call];
		}
	}
	return "";
}

static void deliver(struct plm_aws_sent *sent)
{
	struct plm_http_outcome outcome = {
		.fate = sent->fate,
		.status = sent->status,
		.retry_after_ms = PLM_UNSET,
		.body = plm_slice_str(sent->answer == NULL ? "" : sent->answer)};
	struct plm_arena arena;
	struct plm_error err;
	struct plm_aws_verdict verdict;
	struct plm_aws_answer answer;
	struct plm_aws_request request = sent->request;

	plm_test_ok(plm_arena_init(&arena, PLM_LIMIT_AWS_TREE_BYTES, &err), &err, __FILE__,
		    __LINE__);
	(void)snprintf(outcome.text, sizeof(outcome.text), "played");
	plm_aws_judge(request.call, &outcome, &arena, &verdict);
	answer = (struct plm_aws_answer){.class = verdict.class,
					 .status = outcome.status,
					 .code = verdict.code,
					 .message = verdict.message,
					 .request_id = verdict.request_id,
					 .retry_after_ms = PLM_UNSET,
					 .root = verdict.root};
	free_sent(sent);
	request.on_done(request.self, &answer);
	plm_arena_fini(&arena);
}

/* ---- time ---------------------------------------------------------------------------------------- */

int64_t played_now(void)
{
	return world.now_ms;
}

static int64_t wall_ns(void *self)
{
	(void)self;
	return (INT64_C(1767225600000) + world.now_ms) * 1000000; /* 2026-01-01 */
}

static int64_t boot_ms(void *self)
{
	(void)self;
	return world.now_ms;
}

struct plm_clock played_clock(void)
{
	return (struct plm_clock){NULL, wall_ns, boot_ms};
}

/* The next of timers and answers, in order of time; at the same time answers by their slot first. */
static bool step(int64_t until_ms)
{
	struct plm_aws_sent *sent = NULL;
	size_t timer = TIMERS_MAX;
	int64_t due_ms = until_ms;

	for (size_t i = 0; i < CALLS_MAX; i++) {
		if (world.calls[i] != NULL && world.calls[i]->due_ms <= due_ms &&
		    (sent == NULL || world.calls[i]->due_ms < sent->due_ms)) {
			sent = world.calls[i];
			due_ms = sent->due_ms;
		}
	}
	for (size_t i = 0; i < TIMERS_MAX; i++) {
		if (world.timers[i].timer != NULL && world.timers[i].due_ms <= due_ms &&
		    (timer == TIMERS_MAX || world.timers[i].due_ms < world.timers[timer].due_ms) &&
		    (sent == NULL || world.timers[i].due_ms < sent->due_ms)) {
			timer = i;
		}
	}
	if (timer < TIMERS_MAX) {
		uv_timer_t *fired = world.timers[timer].timer;

		world.now_ms = plm_max(world.now_ms, world.timers[timer].due_ms);
		world.timers[timer].timer = NULL;
		world.timers[timer].run(fired);
		return true;
	}
	if (sent != NULL) {
		world.now_ms = plm_max(world.now_ms, sent->due_ms);
		deliver(sent);
		return true;
	}
	return false;
}

void played_run(int64_t time_ms)
{
	int64_t until_ms = world.now_ms + time_ms;

	while (step(until_ms)) {
	}
	world.now_ms = until_ms;
}

/* ---- life ---------------------------------------------------------------------------------------- */

void played_forget_calls(void)
{
	for (size_t i = 0; i < CALLS_MAX; i++) {
		if (world.calls[i] != NULL) {
			free_sent(world.calls[i]);
		}
	}
}

void played_start(void)
{
	struct plm_error err;

	memset(&played, 0, sizeof(played));
	memset(&world, 0, sizeof(world));
	world.now_ms = 1000;
	plm_test_ok(plm_arena_init(&world.arena, 256UL << 20, &err), &err, __FILE__, __LINE__);
}

void played_stop(void)
{
	played_forget_calls();
	played_account_end();
	for (size_t i = 0; i < PLM_COUNTOF(world.sent); i++) {
		free(world.sent[i]);
	}
	plm_arena_fini(&world.arena);
}
