/*
 * classes_ask.h - questions about the account, each asked once and again when its answer is old
 *
 * Owns: one question per distinct body, however many classes have it; when it is asked (limits.h: PLM_LIMIT_CLASS_*), with
 * a wait that grows while it fails; its last good answer, which a failure does not take away. Questions that a pass over
 * the classes did not have any more are dropped behind it.
 * Does not: know classes, repeat a read by itself (the client does). Everything on the loop's thread.
 */
#ifndef PLM_ADAPTERS_EC2_CLASSES_ASK_H
#define PLM_ADAPTERS_EC2_CLASSES_ASK_H

#include "adapters/ec2/classes_found.h"
#include "adapters/ec2/client.h"

struct plm_ec2_asks; /* opaque: all questions */

struct plm_ec2_answer {
	bool tried;  /* an answer or a failure has come */
	bool known;  /* 'rows' are what was said last; none may be */
	bool absent; /* it was said that there is no such thing */
	struct plm_ec2_rows rows;
	int64_t known_ms;   /* boot time of that */
	int64_t failing_ms; /* boot time since which it fails; PLM_UNSET = it does not */
	char why[256];	    /* of the last failure: "DescribeSubnets: UnauthorizedOperation: ..." */
};

struct plm_ec2_asks_options {
	struct plm_aws_client *client; /* borrowed */
	struct plm_clock clock;
	void (*note)(void *note_self, const char *text);
	void *note_self;
	/* An answer or a failure is in; from the loop. */
	void (*changed)(void *self);
	void *self;
};
struct plm_ec2_asks *plm_ec2_asks_new(const struct plm_ec2_asks_options *options);
void plm_ec2_asks_free(struct plm_ec2_asks *asks); /* NULL-safe; cancels what is under way */

/* A pass over all classes begins. */
void plm_ec2_asks_begin(struct plm_ec2_asks *asks);
/* What is asked from now on in this pass is wanted fresh: answers older than a few seconds do not do. */
void plm_ec2_asks_fresh(struct plm_ec2_asks *asks, bool fresh);
/* 'body' is of classes_form.h; copied. The answer is valid until the pass ends, and known or not. */
const struct plm_ec2_answer *plm_ec2_ask(struct plm_ec2_asks *asks, enum plm_ec2_what what,
					 struct plm_slice body);
/* An answer of this pass older than 'age_ms' does not do any more. */
void plm_ec2_ask_again(struct plm_ec2_asks *asks, const struct plm_ec2_answer *answer,
		       int64_t age_ms);
/* The pass ends: what it did not ask is dropped. */
void plm_ec2_asks_end(struct plm_ec2_asks *asks);

/* Ask what is due. The boot time at which to call again. */
int64_t plm_ec2_asks_tick(struct plm_ec2_asks *asks);
/* How many there are, for tests and for limits. */
size_t plm_ec2_asks_count(const struct plm_ec2_asks *asks);

#endif
