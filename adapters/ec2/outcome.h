/*
 * outcome.h - which class an answer of AWS is
 *
 * Owns: the table of codes, where each protocol puts its code and message, and what counts as an answer at all: a 2xx
 * is DONE only with a body that says it is the answer of that action (an unsigned call may be taken for something
 * else). The code is looked at before the status: shortage comes as 200, 400 and 500. What cannot be read, whatever its
 * status, is UNKNOWN.
 * Messages are cut, put on one line, and left out where AWS repeats what was signed.
 * Sources: ec2-test.md 2 and 4, karpenter.md 4.5.
 */
#ifndef PLM_ADAPTERS_EC2_OUTCOME_H
#define PLM_ADAPTERS_EC2_OUTCOME_H

#include "adapters/ec2/client.h"
#include "core/limits.h"

#define PLM_AWS_CODE_SIZE 96

struct plm_aws_verdict {
	enum plm_aws_class class;
	/* The keys were not taken: surely not carried out, and worth another try with new ones. */
	bool keys;
	char code[PLM_AWS_CODE_SIZE];
	char message[PLM_LIMIT_AWS_MESSAGE];
	char request_id[64];
	const struct plm_aws_node *root; /* in the arena when DONE, else NULL */
};

void plm_aws_judge(enum plm_aws_call call, const struct plm_http_outcome *outcome,
		   struct plm_arena *arena, struct plm_aws_verdict *out);

/* The class of a code alone, as in CreateFleet's list of errors. REFUSED where it is not known. */
enum plm_aws_class plm_aws_class_of(struct plm_slice code);
/* A code that says: this offering, subnet or reservation has no room now (ICE). */
bool plm_aws_is_shortage(struct plm_slice code);

const char *plm_aws_class_text(enum plm_aws_class class); /* "done", "throttled", ... */

#endif
