/*
 * access.h - who may read
 *
 * Owns: what was said of a token (allowed, not, nobody knows), for as long as that may be believed; the
 * reviews that wait for an answer. Who asks is a connection's thread, which waits; who reviews is the
 * loop, through a port: TokenReview, then SubjectAccessReview on the virtual resource 'views' of the
 * group plimsoll.dev, verb get. Tokens are remembered by their digest only, and forgotten once reviewed.
 * Does not: know Kubernetes.
 */
#ifndef PLM_ACCESS_H
#define PLM_ACCESS_H

#include "clock.h"
#include "core/error.h"
#include "core/ports.h"
#include "core/slice.h"

/* The virtual resource. */
#define PLM_ACCESS_GROUP "plimsoll.dev"
#define PLM_ACCESS_RESOURCE "views"
#define PLM_ACCESS_VERB "get"

enum plm_verdict {
	PLM_VERDICT_UNKNOWN,   /* could not be reviewed: not allowed, and not remembered */
	PLM_VERDICT_STRANGER,  /* the token is nobody's */
	PLM_VERDICT_FORBIDDEN, /* somebody's, who may not */
	PLM_VERDICT_ALLOWED,
};

struct plm_access; /* opaque */
struct plm_review; /* opaque: one question under way */

/*
 * How a token is reviewed. On the loop's thread; must not block; answers once by plm_review_end(), at
 * once or later, on the loop's thread. 'token' is borrowed for the call.
 */
struct plm_access_port {
	void (*review)(void *self, struct plm_slice token, struct plm_review *review);
	void *self;
};
void plm_review_end(struct plm_review *review, enum plm_verdict verdict);

struct plm_access_options {
	struct plm_access_port port; /* review NULL: nobody can be asked */
	struct plm_clock clock;
	void (*wake)(void *self); /* the loop: plm_access_turn() has something to do; any thread */
	void *self;
};

struct plm_access *plm_access_new(const struct plm_access_options *options); /* never NULL */
/* No thread waits in it any more; reviews under way are let go: their end is then ignored. NULL-safe. */
void plm_access_free(struct plm_access *access);
/* Nobody is allowed from now on, and nobody waits: before the threads that ask are stopped. */
void plm_access_stop(struct plm_access *access);

/* On the loop's thread: begin the reviews that wait. */
void plm_access_turn(struct plm_access *access);
/* Any other thread; waits PLM_LIMIT_ACCESS_REVIEW_MS at most. 'token' empty: PLM_VERDICT_STRANGER. */
enum plm_verdict plm_access_check(struct plm_access *access, struct plm_slice token);

#endif
