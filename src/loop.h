/*
 * loop.h - the event loop of the daemon: signals, one timer, wake-ups from other threads
 *
 * Owns: libuv. Its user is called on the loop's thread: 'turn' when somebody woke the loop or the time
 * it asked for has come, 'stop' for SIGTERM and SIGINT. Does not: know what a turn does.
 */
#ifndef PLM_LOOP_H
#define PLM_LOOP_H

#include <uv.h>

#include "core/error.h"

struct plm_loop; /* opaque */

struct plm_loop_user {
	void *self;
	/* Do what there is to do; returns the ms until the next turn, < 0 = when woken. */
	int64_t (*turn)(void *self);
	void (*stop)(void *self, int signal);
};

enum plm_code plm_loop_new(const struct plm_loop_user *user, struct plm_loop **out,
			   struct plm_error *err) PLM_MUST_CHECK;
void plm_loop_free(struct plm_loop *loop); /* NULL-safe; after plm_loop_run() */

/* What adapters put their handles on. */
uv_loop_t *plm_loop_uv(struct plm_loop *loop);

/*
 * Before plm_loop_run(), or after its end: let handles work until 'done' (NULL = never) or, when 'timeout_ms' > 0, until that
 * is over. False: a signal came; 'stop' was called.
 */
bool plm_loop_wait(struct plm_loop *loop, bool (*done)(void *self), void *self, int64_t timeout_ms);

/* Turn until plm_loop_end(). */
void plm_loop_run(struct plm_loop *loop);
void plm_loop_end(struct plm_loop *loop);  /* from a turn */
void plm_loop_wake(struct plm_loop *loop); /* any thread */

#endif
