#include "loop.h"

#include <signal.h>
#include <stdlib.h>
#include <uv.h>

struct plm_loop {
	struct plm_loop_user user;
	uv_loop_t uv;
	uv_async_t async;
	uv_timer_t timer;
	uv_signal_t term, interrupt;
	bool ended;
	bool waits, told, late; /* plm_loop_wait(): is it in it; a signal came; its time is over */
};

static void turn(struct plm_loop *loop);

static void on_timer(uv_timer_t *timer)
{
	turn(timer->data);
}

static void turn(struct plm_loop *loop)
{
	int64_t wait_ms = 0;

	if (loop->ended || loop->waits) {
		return;
	}
	wait_ms = loop->user.turn(loop->user.self);
	if (wait_ms < 0 || loop->ended) {
		(void)uv_timer_stop(&loop->timer);
		return;
	}
	uv_update_time(&loop->uv);
	(void)uv_timer_start(&loop->timer, on_timer, (uint64_t)wait_ms, 0);
}

static void on_async(uv_async_t *async)
{
	turn(async->data);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct plm_loop *loop = handle->data;

	loop->told = true;
	loop->user.stop(loop->user.self, number);
	turn(loop);
}

/* A pipe that nobody reads and a file that may not grow are errors of a write, not the end. */
static void ignore_signals(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigaction(SIGXFSZ, &ignore, NULL);
}

static int init_handles(struct plm_loop *loop)
{
	int rc = uv_async_init(&loop->uv, &loop->async, on_async);

	loop->async.data = loop;
	loop->timer.data = loop;
	loop->term.data = loop;
	loop->interrupt.data = loop;
	if (rc == 0) {
		rc = uv_timer_init(&loop->uv, &loop->timer);
	}
	if (rc == 0) {
		rc = uv_signal_init(&loop->uv, &loop->term);
	}
	if (rc == 0) {
		rc = uv_signal_init(&loop->uv, &loop->interrupt);
	}
	if (rc == 0) {
		rc = uv_signal_start(&loop->term, on_signal, SIGTERM);
	}
	if (rc == 0) {
		rc = uv_signal_start(&loop->interrupt, on_signal, SIGINT);
	}
	return rc;
}

enum plm_code plm_loop_new(const struct plm_loop_user *user, struct plm_loop **out,
			   struct plm_error *err)
{
	struct plm_loop *loop = calloc(1, sizeof(*loop));
	int rc = loop == NULL ? UV_ENOMEM : uv_loop_init(&loop->uv);

	if (rc != 0) {
		free(loop);
		return plm_fail(err, PLM_E_LIMIT, "event loop: %s", uv_strerror(rc));
	}
	loop->user = *user;
	rc = init_handles(loop);
	if (rc != 0) {
		return plm_fail(err, PLM_E_LIMIT, "event loop: %s", uv_strerror(rc));
	}
	ignore_signals();
	*out = loop;
	return PLM_OK;
}

uv_loop_t *plm_loop_uv(struct plm_loop *loop)
{
	return &loop->uv;
}

static void on_late(uv_timer_t *timer)
{
	((struct plm_loop *)timer->data)->late = true;
	uv_stop(timer->loop); /* else the loop may go on to wait for something else */
}

bool plm_loop_wait(struct plm_loop *loop, bool (*done)(void *self), void *self, int64_t timeout_ms)
{
	loop->waits = true;
	loop->late = false;
	if (timeout_ms > 0) {
		uv_update_time(&loop->uv);
		(void)uv_timer_start(&loop->timer, on_late, (uint64_t)timeout_ms, 0);
	}
	/* After the end a signal has done what it can. */
	while ((!loop->told || loop->ended) && !loop->late && (done == NULL || !done(self))) {
		(void)uv_run(&loop->uv, UV_RUN_ONCE);
	}
	(void)uv_timer_stop(&loop->timer);
	loop->waits = false;
	return !loop->told;
}

void plm_loop_run(struct plm_loop *loop)
{
	turn(loop);
	(void)uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void plm_loop_end(struct plm_loop *loop)
{
	loop->ended = true;
	uv_stop(&loop->uv);
}

void plm_loop_wake(struct plm_loop *loop)
{
	(void)uv_async_send(&loop->async);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
	(void)arg;
	if (uv_is_closing(handle) == 0) {
		uv_close(handle, NULL);
	}
}

void plm_loop_free(struct plm_loop *loop)
{
	if (loop == NULL) {
		return;
	}
	uv_walk(&loop->uv, close_handle, NULL);
	(void)uv_run(&loop->uv, UV_RUN_DEFAULT);
	(void)uv_loop_close(&loop->uv);
	free(loop);
}
