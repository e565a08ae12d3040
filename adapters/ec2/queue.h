/*
 * queue.h - the interruption queue: SQS messages as INTERRUPTION facts
 *
 * Owns: finding the queue by its name, long polls (one at a time, ten messages), what becomes of each message, and taking
 * it off the queue: when its facts are durable, at once where it says nothing of ours. Receiving begins with the first
 * whole list of instances that was told (known.h), as before it nobody knows which messages are ours; and pauses while
 * facts wait for room or PLM_LIMIT_EC2_RECEIPTS messages wait to be durable. A message that comes twice gives its
 * facts twice, which changes nothing.
 * Does not: anything while nothing is enforced: receiving would hide messages from who else reads the queue.
 * Failures: said once each time they begin and end; tried again from PLM_LIMIT_EC2_QUEUE_FIRST_MS on, doubled up
 * to _LAST_MS. A message that could not be deleted comes again.
 * Sources: karpenter.md 3.11, ec2-test.md 3 and 7, exact.md 9.
 */
#ifndef PLM_ADAPTERS_EC2_QUEUE_H
#define PLM_ADAPTERS_EC2_QUEUE_H

#include "adapters/ec2/context.h"

struct plm_ec2_queue; /* opaque */

/* PLM_E_CONFIG: a name that is none of SQS'. '*out' is there also where no queue is set: it then does nothing. */
enum plm_code plm_ec2_queue_new(struct plm_ec2_context *context, struct plm_ec2_queue **out,
				struct plm_error *err) PLM_MUST_CHECK;
void plm_ec2_queue_start(struct plm_ec2_queue *queue);
void plm_ec2_queue_resume(struct plm_ec2_queue *queue);
void plm_ec2_queue_free(struct plm_ec2_queue *queue); /* NULL-safe */

/* One check while a queue is read. */
size_t plm_ec2_queue_ready(const struct plm_ec2_queue *queue, struct plm_ready_check *out,
			   size_t max);
void plm_ec2_queue_tell(const struct plm_ec2_queue *queue,
			void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
				    int64_t value),
			void *ctx);

#endif
