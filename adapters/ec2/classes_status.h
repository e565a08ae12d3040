/*
 * classes_status.h - what one node class comes to, from what the account says
 *
 * Owns: a pass over one class: which questions it has (asked as it goes, since some follow from answers to others), its
 * conditions with the reasons and messages of upstream's EC2NodeClass, the best subnet of each zone with hysteresis, its
 * images in order, and its recipe. Everything but the profiles is a pure function of class, answers, options and memory.
 * Does not: send anything (classes_ask.h, classes_profile.h), tell (classes.h).
 *
 * A condition whose answers are not there is neither met nor not: AwaitingReconciliation. A question that fails
 * takes nothing away that was known: its condition stays, and says so after PLM_LIMIT_CLASS_STALE_MS.
 * Sources: karpenter.md 1.3, 4.3, 4.6; karpenter-provider-aws pkg/controllers/nodeclass (reasons, messages).
 */
#ifndef PLM_ADAPTERS_EC2_CLASSES_STATUS_H
#define PLM_ADAPTERS_EC2_CLASSES_STATUS_H

#include "adapters/ec2/classes_ask.h"
#include "adapters/ec2/ec2.h"

struct plm_ec2_profiles; /* classes_profile.h */

/* What a pass has at hand; all borrowed. */
struct plm_ec2_class_env {
	struct plm_ec2_asks *asks;
	struct plm_ec2_profiles *profiles;
	const struct plm_ec2_options *options;
	const char *region; /* "" = not known yet */
	int64_t wall_ms, boot_ms;
	struct plm_arena *arena; /* of the pass */
};

/* A subnet as the last pass used it. */
struct plm_ec2_class_subnet {
	char id[48];
	bool leads; /* the first of its zone */
	bool out;   /* without addresses */
};
/* What a class remembers from pass to pass; zeroed = nothing. */
struct plm_ec2_class_memory {
	struct plm_ec2_class_subnet *subnets; /* owned */
	size_t count;
};
void plm_ec2_class_memory_fini(struct plm_ec2_class_memory *memory);

struct plm_ec2_class_result {
	struct plm_w_class_status status; /* of the pass's arena */
	bool untried;			  /* an answer has neither come nor failed yet */
	bool unknown;			  /* an answer that never came fails */
};
void plm_ec2_class_look(const struct plm_ec2_class_env *env, const struct plm_w_node_class *class,
			struct plm_ec2_class_memory *memory, struct plm_ec2_class_result *out);

/* ---- for the files of this folder ---------------------------------------------------------------- */

#define PLM_EC2_CONDITIONS 8

/* A pass over one class. */
struct plm_ec2_look {
	const struct plm_ec2_class_env *env;
	const struct plm_w_node_class *class;
	struct plm_ec2_class_result *out;
	struct plm_w_class_condition conditions[PLM_EC2_CONDITIONS];
	size_t count;
	/* Of the condition that is being looked at. */
	bool waits;	   /* an answer is missing */
	const char *why;   /* it fails; "" = not */
	const char *stale; /* an answer is old and cannot be had anew: why; "" = none */
	/* Of the cluster; empty until known. */
	const struct plm_ec2_found_cluster *cluster;
	bool default_mounts; /* of its images: struct plm_ec2_boot */
};

/* A condition begins: what its answers say of waiting is counted anew. */
void plm_ec2_look_begin(struct plm_ec2_look *look);
/* Asks, and counts. NULL: there is no answer to go by. */
const struct plm_ec2_answer *plm_ec2_look_ask(struct plm_ec2_look *look, enum plm_ec2_what what,
					      struct plm_slice body);
/* It ends, with the outcome; all texts static or of the arena. 'met' while something is waited for: it is not known. */
void plm_ec2_look_met(struct plm_ec2_look *look, const char *type);
void plm_ec2_look_unmet(struct plm_ec2_look *look, const char *type, const char *reason,
			const char *message);
void plm_ec2_look_unknown(struct plm_ec2_look *look, const char *type, const char *message);
struct plm_ec2_forms;
/* All rows of all answers to 'forms', as pointers, each id once; 'size' of the rows, which begin with their id. */
struct plm_vec plm_ec2_look_rows(struct plm_ec2_look *look, enum plm_ec2_what what,
				 const struct plm_ec2_forms *forms, size_t size);

/* classes_image.c: condition AMIsReady and the images. */
void plm_ec2_look_images(struct plm_ec2_look *look);

#endif
