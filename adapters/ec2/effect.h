/*
 * effect.h - launch, terminate and tag, carried out on EC2
 *
 * Owns: effects from their hand-over to their RESULT. A launch (launch.c) is one frozen form under one token, sent again as it
 * is until its outcome is known; an outcome that is not known is also looked up by the tag plimsoll/intent (settle.c).
 * So one intent is at most one instance, whatever is repeated, lost or answered late. Ends of instances go out together
 * (terminate.c), tags one a second (tags.c). What cannot be carried out now, or is not known to be, is told once as
 * RETRYABLE or UNKNOWN and goes on by itself.
 * Does not: decide, or drop an effect.
 * Sources: eventsourcing.md D14, karpenter.md 4.5, ec2-test.md 0 and 4.
 */
#ifndef PLM_ADAPTERS_EC2_EFFECT_H
#define PLM_ADAPTERS_EC2_EFFECT_H

#include "adapters/ec2/context.h"
#include "adapters/ec2/instances.h"

struct plm_ec2_effect; /* opaque */

enum plm_code plm_ec2_effect_new(struct plm_ec2_context *context, struct plm_ec2_effect **out,
				 struct plm_error *err) PLM_MUST_CHECK;
/* What comes of launches and ends is told to 'instances' (borrowed; may be NULL), which watches them. */
void plm_ec2_effect_start(struct plm_ec2_effect *effect, struct plm_ec2_instances *instances);
/* NULL-safe. Calls under way are cancelled untold; the loop still has to run the closes. */
void plm_ec2_effect_free(struct plm_ec2_effect *effect);

struct plm_effects plm_ec2_effects(struct plm_ec2_effect *effect);
/* Effects that have no final RESULT yet. */
uint64_t plm_ec2_effect_under_way(const struct plm_ec2_effect *effect);

#endif
