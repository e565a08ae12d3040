/*
 * class_use.h - what a node class came to in the cloud, and what that leaves of a pool
 *
 * Owns: whether a class or pool may be launched from and the words for why not; the zones that a class has
 * subnets in, as a requirement; the image of each type. Where nothing of the class was looked up (the
 * simulator, decide) none of it restricts anything. Does not: look anything up: the cloud's end does, and
 * tells it as CLASS_STATUS (event.h), which is folded into the class's slot.
 */
#ifndef PLM_REDUCERS_PROVISION_CLASS_USE_H
#define PLM_REDUCERS_PROVISION_CLASS_USE_H

#include "reducers/provision/pass.h"

enum plm_class_stand {
	PLM_CLASS_STANDS,
	PLM_CLASS_WAITS,   /* it is being looked up */
	PLM_CLASS_REFUSES, /* it says so, the cloud does, or it is being deleted */
};

/* Class 0 stands. '*why' (may be NULL) is set to the words for it, empty while it is being deleted. */
enum plm_class_stand plm_class_stand(const struct plm_state *st, plm_id class,
				     struct plm_slice *why);
/* What the cloud said last of the class is about the class as it is. */
bool plm_class_known(const struct plm_node_class *class);
/* The pool's own words for why it cannot be used; 0 = it can. */
plm_sym plm_pool_refusal(const struct plm_state *st, const struct plm_node_pool *pool);

/*
 * Adds to 'reqs' the zones that the class has subnets in, and that it is not reserved where the class selects no
 * capacity reservation. False: it says nothing of zones.
 */
bool plm_class_zones(const struct plm_sched *sched, plm_id class, struct plm_reqs *reqs);
/*
 * By type: the index of its image among the class's, + 1; 0 = there is none for it. In the arena; NULL: the
 * class has nothing to say about images.
 */
const uint32_t *plm_class_images(struct plm_pass *pass, plm_id class);
/* Types without an image are taken off 'bits'. */
void plm_class_with_image(const struct plm_pass *pass, const struct plm_capacity *has,
			  uint64_t *bits);
/*
 * Fills in what a launch takes from the class: images, the offers' numbers for them, their pods, the EFA
 * interfaces among 'requests' (struct plm_w_amount), the recipe.
 */
void plm_class_launch(struct plm_pass *pass, plm_id class, struct plm_vec requests,
		      struct plm_w_req_launch *request);

#endif
