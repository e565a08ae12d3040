/*
 * serve.h - what the daemon answers: metrics, health, version, the read API
 *
 * Owns: which address is whose, who may ask (access.h; a listener that only this machine reaches is
 * open, but not to a browser that was led here under another name), how much work is done at once, and
 * the answer of a verb as an answer of HTTP. The work itself runs in a child (kid.h) that has the
 * follower's state, and is the verb's own function: the bytes are those of the command line.
 */
#ifndef PLM_SERVE_H
#define PLM_SERVE_H

#include "access.h"
#include "follower.h"
#include "metrics.h"
#include "web.h"

struct plm_serve; /* opaque */

struct plm_serve_options {
	const char *folder;	       /* the log's; borrowed */
	struct plm_follower *follower; /* borrowed */
	struct plm_metrics *metrics;   /* borrowed */
	struct plm_access *access;     /* borrowed; NULL: only an open listener answers questions */
};

struct plm_serve *plm_serve_new(const struct plm_serve_options *options); /* never NULL */
void plm_serve_free(struct plm_serve *serve);				  /* NULL-safe */
/* Nobody needs a token: the listener is reached from this machine only. Before it is asked. */
void plm_serve_open(struct plm_serve *serve, bool open);

/* For struct plm_web_options, 'self' is the serve: everything; health pages only. */
void plm_serve_answer(void *self, const struct plm_web_request *request,
		      struct plm_web_answer *out);
void plm_serve_health(void *self, const struct plm_web_request *request,
		      struct plm_web_answer *out);

#endif
