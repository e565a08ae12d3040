/*
 * message.h - one message of the interruption queue
 *
 * Owns: an EventBridge envelope in the body of an SQS message, told apart by source, detail-type and version "0", and what
 * of it the engine is to know. Ids come from 'detail', never from 'resources'. Pure.
 * What is well-formed and says nothing that matters is NOTHING; what is no such envelope is UNREADABLE.
 * Sources: ec2-test.md 7, karpenter.md 3.11.
 */
#ifndef PLM_ADAPTERS_EC2_MESSAGE_H
#define PLM_ADAPTERS_EC2_MESSAGE_H

#include "core/arena.h"
#include "core/event.h"

enum plm_ec2_message_kind {
	PLM_EC2_MESSAGE_UNREADABLE,
	PLM_EC2_MESSAGE_NOTHING,
	PLM_EC2_MESSAGE_INTERRUPTION
};

struct plm_ec2_message {
	enum plm_ec2_message_kind kind;
	enum plm_interrupt interrupt;
	struct plm_vec ids;	/* struct plm_slice, of instances; may be empty */
	struct plm_slice state; /* of a state change */
	struct plm_slice id;	/* the event's own; may be empty */
	int64_t at_ms;		/* as in struct plm_w_interruption */
	int64_t sent_ms;	/* when it was made; PLM_UNSET */
};

/* 'body' as SQS gave it; all in 'arena' (PLM_LIMIT_EC2_MESSAGE_ARENA). */
void plm_ec2_message_read(struct plm_slice body, struct plm_arena *arena,
			  struct plm_ec2_message *out);

/* An instant as RFC 1123 ("Sat, 05 Jun 2027 15:10:09 GMT") or RFC 3339 has it; PLM_UNSET. */
int64_t plm_ec2_instant_ms(struct plm_slice text);

#endif
