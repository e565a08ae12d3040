/*
 * classes_form.h - the questions of a node class, as bodies of calls
 *
 * Owns: what selector terms come to as filters (karpenter.md 1.3 and 4.1, as upstream asks): ids of all terms in one
 * question, names in one, a question for each term by tags; a tag whose value is "*" only has to be there. Equal
 * selectors have equal bytes, so that classes share an answer.
 * Does not: ask.
 */
#ifndef PLM_ADAPTERS_EC2_CLASSES_FORM_H
#define PLM_ADAPTERS_EC2_CLASSES_FORM_H

#include "adapters/ec2/classes_found.h"
#include "core/object.h"

/* Bodies of one class for one kind of thing; in an arena. */
struct plm_ec2_forms {
	struct plm_slice *list;
	size_t count;
};

/* 'terms' are struct plm_w_select_term; 'what' SUBNETS, GROUPS or RESERVATIONS. */
struct plm_ec2_forms plm_ec2_forms_select(enum plm_ec2_what what, struct plm_vec terms,
					  struct plm_arena *arena);
/*
 * Images by 'terms' (struct plm_w_image_term; aliases and parameters are none of them) and by 'ids', which parameters
 * came to (struct plm_slice, sorted here and made single).
 */
struct plm_ec2_forms plm_ec2_forms_images(struct plm_vec terms, struct plm_vec ids,
					  struct plm_arena *arena);
struct plm_slice plm_ec2_form_placement(struct plm_slice id, struct plm_slice name,
					struct plm_arena *arena);
/* JSON of GetParameter. */
struct plm_slice plm_ec2_form_parameter(struct plm_slice path, struct plm_arena *arena);
struct plm_slice plm_ec2_form_profile(struct plm_slice name, struct plm_arena *arena);
/* The path of DescribeCluster. */
struct plm_slice plm_ec2_form_cluster(struct plm_slice name, struct plm_arena *arena);

#endif
