/*
 * classes.h - what the node classes of the cluster come to in this account
 *
 * Owns: the classes as the cluster's end told them; looking at each when it changed and when something that it asks for
 * did (classes_status.h); CLASS_STATUS facts, told when their bytes changed and when nothing in them is still to be
 * asked; the instance profiles of classes with a role (classes_profile.h).
 * Does not: decide, launch. Before start() nothing is asked.
 */
#ifndef PLM_ADAPTERS_EC2_CLASSES_H
#define PLM_ADAPTERS_EC2_CLASSES_H

#include "adapters/ec2/context.h"

struct plm_ec2_classes; /* opaque */

enum plm_code plm_ec2_classes_new(struct plm_ec2_context *context, struct plm_ec2_classes **out,
				  struct plm_error *err) PLM_MUST_CHECK;
void plm_ec2_classes_free(struct plm_ec2_classes *classes); /* NULL-safe; cancels */
void plm_ec2_classes_start(struct plm_ec2_classes *classes);
/* NODE_CLASS, GONE and lists of both kinds of classes; all else is passed over. Also before start(). */
void plm_ec2_classes_saw(struct plm_ec2_classes *classes,
			 const struct plm_observation *observation);
void plm_ec2_classes_resume(struct plm_ec2_classes *classes);

/* Does a class select that capacity reservation, as far as is known? */
bool plm_ec2_classes_reserve(const struct plm_ec2_classes *classes, struct plm_slice id);

/* Do what is due; its timer calls it, and tests whose clock is not the system's. The boot time of the next. */
int64_t plm_ec2_classes_tick(struct plm_ec2_classes *classes);

#endif
