/*
 * template_sweep.h - templates of ours that nothing launches by any more
 *
 * Owns: looking once a day for launch templates with our name and this cluster's tag that are older than
 * PLM_LIMIT_EC2_TEMPLATE_AGE_MS and that no launch has needed for as long, and deleting them, a few at a time: an account has
 * room for some thousands. A launch that needs one after all makes it again, so nothing has to know which are in use.
 * Does not: run while nodes are not enforced, touch a template of any other name.
 */
#ifndef PLM_ADAPTERS_EC2_TEMPLATE_SWEEP_H
#define PLM_ADAPTERS_EC2_TEMPLATE_SWEEP_H

#include "adapters/ec2/context.h"
#include "adapters/ec2/template_call.h"

struct plm_ec2_template_sweep; /* opaque */

/* Begins by itself, PLM_LIMIT_EC2_TEMPLATE_LOOK_MS after the start. */
struct plm_ec2_template_sweep *plm_ec2_template_sweep_new(struct plm_ec2_context *context,
							  struct plm_ec2_templates *templates);
void plm_ec2_template_sweep_free(struct plm_ec2_template_sweep *sweep); /* NULL-safe */

#endif
