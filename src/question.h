/*
 * question.h - one question of a client, worked on in a child
 *
 * Owns: what the child gets (a call of the command table, the follower's state), what it sends back
 * (exit code, notes, answer), the deadline and bounds of that. Does not: know who asks or HTTP.
 */
#ifndef PLM_QUESTION_H
#define PLM_QUESTION_H

#include <stdio.h>

#include "follower.h"
#include "kid.h"
#include "tools/api.h"
#include "tools/live.h"

struct plm_question {
	struct plm_cli *call;	       /* parsed; streams and live are filled in by the child */
	struct plm_follower *follower; /* borrowed */
	struct plm_live live;	       /* state and seq are filled in by the child */
	/* In place of a call: writes its answer. */
	void (*write)(void *ctx, const struct plm_follower_view *view, FILE *out);
	void *ctx;
	bool stream; /* what the call prints goes out as it comes */
};

struct plm_reply {
	enum plm_code code;
	int exit_code;
	struct plm_error err;
	struct plm_call_point point;
	char *notes, *bytes; /* malloc'd; NULL = none */
	size_t notes_size, size;
};
void plm_reply_free(struct plm_reply *reply);

/*
 * Ask and wait. PLM_E_TIMEOUT, PLM_E_LIMIT: it took too long, its answer is too large. PLM_E_AGAIN: no
 * child now. PLM_E_IO: the child died. What the verb itself said is in 'out'.
 */
enum plm_code plm_question_ask(const struct plm_question *question, struct plm_reply *out,
			       struct plm_error *err) PLM_MUST_CHECK;
/* Begin one with 'stream' set; its answer comes by plm_kid_read(). */
enum plm_code plm_question_begin(const struct plm_question *question, struct plm_kid *out,
				 struct plm_error *err) PLM_MUST_CHECK;

#endif
