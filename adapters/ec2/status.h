/*
 * status.h - instances that EC2 finds impaired, or has plans for
 *
 * Owns: DescribeInstanceStatus each minute in three reads (instance checks, system checks, scheduled events), as their
 * filters cannot be or'ed; what of it is new as INTERRUPTION facts: impaired since when, not impaired any more, an event
 * that is planned. Checks of attached volumes do not count. Only instances that were told (known.h). How long an
 * impaired one is given is the reducers' business.
 * A round of which a read failed tells what is new, and of nothing that it is over.
 * Sources: karpenter.md 3.11, 4.1.
 */
#ifndef PLM_ADAPTERS_EC2_STATUS_H
#define PLM_ADAPTERS_EC2_STATUS_H

#include "adapters/ec2/context.h"

struct plm_ec2_status; /* opaque */

/* What one item of an answer says. */
struct plm_ec2_status_row {
	struct plm_slice id;
	int64_t impaired_ms; /* since when a check fails; PLM_UNSET = none does, 0 = it does not say */
	int64_t event_ms; /* the first event that is planned; PLM_UNSET = none, 0 = no time is said */
};
/* Pure. False: nothing can be made of it. */
bool plm_ec2_status_read(const struct plm_aws_node *item, struct plm_ec2_status_row *out);

enum plm_code plm_ec2_status_new(struct plm_ec2_context *context, struct plm_ec2_status **out,
				 struct plm_error *err) PLM_MUST_CHECK;
void plm_ec2_status_start(struct plm_ec2_status *status);
void plm_ec2_status_resume(struct plm_ec2_status *status);
void plm_ec2_status_free(struct plm_ec2_status *status); /* NULL-safe */
size_t plm_ec2_status_ready(const struct plm_ec2_status *status, struct plm_ready_check *out,
			    size_t max);

#endif
