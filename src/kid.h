/*
 * kid.h - work for a client, in a child process
 *
 * Owns: the fork, what the child may keep, its death, and one stream of bytes from it. A question may
 * ask for much work and memory, and meets code that asserts; in a child it can neither stop the daemon
 * nor take its time: the child runs at low priority, is the first to go when memory ends, and is killed
 * at its deadline. It sees the parent's memory as it was at the fork, frozen.
 * Does not: know what the work is. Must be called on a thread that lives as long as the child.
 */
#ifndef PLM_KID_H
#define PLM_KID_H

#include <sys/types.h>

#include "core/error.h"

struct plm_kid {
	pid_t pid;
	int fd; /* reading end */
};

struct plm_kid_task {
	void (*run)(void *ctx, int fd); /* in the child, which ends when it returns */
	void *ctx;
	/* Around the fork: what the child wants to see whole. May be NULL. */
	void (*freeze)(void *self);
	void (*thaw)(void *self);
	void *self;
};

/* PLM_E_AGAIN: the system has no room for a child now. */
enum plm_code plm_kid_start(const struct plm_kid_task *task, struct plm_kid *out,
			    struct plm_error *err) PLM_MUST_CHECK;
/*
 * Up to 'size' bytes into 'bytes'; '*got' 0 = the child has ended its answer. PLM_E_TIMEOUT: nothing
 * came for 'wait_ms'.
 */
enum plm_code plm_kid_read(struct plm_kid *kid, void *bytes, size_t size, int64_t wait_ms,
			   size_t *got, struct plm_error *err) PLM_MUST_CHECK;
/* Kill it if it still lives, and see it end. Idempotent. */
void plm_kid_stop(struct plm_kid *kid);

#endif
