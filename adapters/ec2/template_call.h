/*
 * template_call.h - launch templates that are there when a launch needs them
 *
 * Owns: which of our templates are known to be there, one CreateLaunchTemplate at a time for each name, whoever waits for
 * it. A name says all of what a template is (template.h), so one that is there already is as good as made.
 * Does not: repeat what failed: the launch that needs it does. Templates that Karpenter made have other names and are
 * never touched.
 */
#ifndef PLM_ADAPTERS_EC2_TEMPLATE_CALL_H
#define PLM_ADAPTERS_EC2_TEMPLATE_CALL_H

#include "adapters/ec2/context.h"
#include "adapters/ec2/fleet.h"

struct plm_ec2_templates; /* opaque */

/* Someone who waits; zeroed = nobody. */
struct plm_ec2_template_wait {
	struct plm_ec2_template_wait *next;
	void *of; /* the template; NULL = none */
	/* DONE, or the answer that says why it is not there. Once, from the loop. */
	void (*done)(void *self, const struct plm_aws_answer *answer);
	void *self;
};

#define PLM_EC2_TEMPLATE_NAME_SIZE 64 /* with its end */

struct plm_ec2_templates *plm_ec2_templates_new(const struct plm_ec2_context *context);
void plm_ec2_templates_free(struct plm_ec2_templates *templates); /* NULL-safe; tells nobody */

/* True: it is there. Else it is being made, and 'wait' will hear of it. */
bool plm_ec2_templates_ensure(struct plm_ec2_templates *templates, const struct plm_ec2_need *need,
			      struct plm_ec2_template_wait *wait);
/* Nothing comes of the wait any more. */
void plm_ec2_templates_leave(struct plm_ec2_template_wait *wait);
/* A launch of this process needed it in the last PLM_LIMIT_EC2_TEMPLATE_AGE_MS. */
bool plm_ec2_templates_used(struct plm_ec2_templates *templates, struct plm_slice name);
/* EC2 does not know it (any more). */
void plm_ec2_templates_forget(struct plm_ec2_templates *templates, struct plm_slice name);

#endif
