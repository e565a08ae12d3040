/*
 * instance_read.h - what DescribeInstances and RunInstances say of an instance, as a fact
 *
 * Owns: an item of instancesSet turned into struct plm_w_instance: provider id, state, capacity type, tags of ours.
 * Pure. 'intent' counts only where plimsoll/cluster is this cluster's UID: another log has numbers of its own.
 */
#ifndef PLM_ADAPTERS_EC2_INSTANCE_READ_H
#define PLM_ADAPTERS_EC2_INSTANCE_READ_H

#include "adapters/ec2/tree.h"
#include "core/event.h"

#define PLM_EC2_ID_SIZE 32 /* of an instance, with its end */

struct plm_ec2_whose {
	const char *cluster_uid, *cluster_name; /* either may be NULL */
};

/* False: it has no id or no state. Texts are the tree's or in the arena. */
bool plm_ec2_instance_read(const struct plm_aws_node *item, const struct plm_ec2_whose *whose,
			   struct plm_arena *arena, struct plm_w_instance *out);
/* The id alone of "aws:///us-west-2a/i-0123": false: it is no id of an instance. */
bool plm_ec2_instance_id(struct plm_slice provider_id, char out[PLM_EC2_ID_SIZE]);
struct plm_slice plm_ec2_provider_id(struct plm_slice zone, struct plm_slice id,
				     struct plm_arena *arena);
/* "shutting-down" or "terminated". */
bool plm_ec2_has_ended(struct plm_slice state);

/* Each item of each reservation of a page: 'one' is called with it. */
void plm_ec2_instances_each(const struct plm_aws_node *root,
			    void (*one)(void *self, const struct plm_aws_node *item), void *self);

#endif
