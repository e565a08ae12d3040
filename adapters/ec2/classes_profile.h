/*
 * classes_profile.h - instance profiles of node classes that name a role
 *
 * Owns: the name and path of a class's profile, making it with its role while area nodes is enforced (what is there already
 * is as good), giving it the right role, and taking it away behind its class once no instance of the class is left. In
 * observe it is looked at only, and the class counts as ready: enforcing would make it.
 * Does not: touch a profile that a class names itself.
 *
 * The name is "<cluster>_<number>", as upstream's; the number follows from region, class, its UID and the role, where
 * upstream draws it, so that a repetition makes no second one. Another role is another profile: instances keep theirs.
 * What became of a class while the process was down is not known: its profile stays.
 * Source: karpenter-provider-aws pkg/providers/instanceprofile, pkg/apis/v1/ec2nodeclass.go.
 */
#ifndef PLM_ADAPTERS_EC2_CLASSES_PROFILE_H
#define PLM_ADAPTERS_EC2_CLASSES_PROFILE_H

#include "adapters/ec2/classes_status.h"

struct plm_ec2_profiles_options {
	struct plm_aws_client *client; /* borrowed */
	struct plm_clock clock;
	const char *cluster_name;
	bool act;
	void (*note)(void *note_self, const char *text);
	void *note_self;
	void (*changed)(void *self); /* from the loop */
	void *self;
};
struct plm_ec2_profiles *plm_ec2_profiles_new(const struct plm_ec2_profiles_options *options);
void plm_ec2_profiles_free(struct plm_ec2_profiles *profiles); /* NULL-safe; cancels */

void plm_ec2_profiles_begin(struct plm_ec2_profiles *profiles); /* a pass begins */
/* It ends: what was not in it has no class any more. */
void plm_ec2_profiles_end(struct plm_ec2_profiles *profiles);

struct plm_ec2_profile_state {
	struct plm_slice name; /* of the pass's arena */
	bool ready;
	const char *why; /* not */
};
/* The profile of a class with a role; begins what it lacks. 'look->waits' is set while it cannot be said. */
void plm_ec2_profiles_look(struct plm_ec2_look *look, struct plm_ec2_profile_state *out);

/* Do what is due. The boot time at which to call again. */
int64_t plm_ec2_profiles_tick(struct plm_ec2_profiles *profiles);

/* "<cluster>_<number>" in the arena. */
struct plm_slice plm_ec2_profile_name(const char *cluster, const char *region,
				      const struct plm_w_node_class *class,
				      struct plm_arena *arena);

#endif
