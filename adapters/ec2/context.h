/*
 * context.h - what the parts of the EC2 end share, and how they tell the engine
 *
 * Owns: the outbox of facts: plm_ec2_tell() encodes and copies; what the inbox does not take waits there in order. A part
 * that reads in bulk looks at plm_ec2_told() before it reads on.
 */
#ifndef PLM_ADAPTERS_EC2_CONTEXT_H
#define PLM_ADAPTERS_EC2_CONTEXT_H

#include "adapters/ec2/ec2.h"
#include "adapters/ec2/known.h"
#include "core/event.h"

struct plm_ec2_waiting; /* opaque: a fact that waits for room */

struct plm_ec2_context {
	struct plm_ec2_options options; /* its texts are borrowed for good */
	struct plm_aws_client *client;
	struct plm_clock clock;
	struct plm_inbox inbox;
	const char *cluster_uid;
	bool act; /* calls that change something may be made */
	struct plm_ec2_waiting *first, *last;
	uint64_t waiting; /* facts */
	uint64_t put; /* facts that the inbox took, by its own count, after the newest of them */
	struct plm_ec2_known known; /* instances that were told */
};

/*
 * A fact or RESULT. 'value' is the wire struct of 'type', 'intent' names the INTENT of RESULT and INSTANCE, 'pos' the
 * request id. 'observed' as in ports.h.
 */
void plm_ec2_tell(struct plm_ec2_context *context, enum plm_event_type type, const void *value,
		  uint64_t intent, const char *pos);
/* The end of a list of instances, or its begin. */
void plm_ec2_tell_sign(struct plm_ec2_context *context, enum plm_observed observed,
		       enum plm_event_type type, const void *value);
/* Nothing waits for room. */
bool plm_ec2_told(const struct plm_ec2_context *context);
/* The inbox may have room: hand on what waits. */
void plm_ec2_tell_more(struct plm_ec2_context *context);
void plm_ec2_context_fini(struct plm_ec2_context *context);
int64_t plm_ec2_now_ms(const struct plm_ec2_context *context); /* wall */

#endif
