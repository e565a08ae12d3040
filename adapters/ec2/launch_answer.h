/*
 * launch_answer.h - what the answer to a launch says, as a RESULT
 *
 * Owns: the instances and the errorSet of CreateFleet (an errorSet may stand beside an instance), the one instance of
 * RunInstances, the code of a call that was refused. Pure. What is refused is named by the offers of the request, so that
 * the reducers find it in their memory of offerings.
 * Sources: ec2-test.md 2 and 4, karpenter.md 4.5.
 */
#ifndef PLM_ADAPTERS_EC2_LAUNCH_ANSWER_H
#define PLM_ADAPTERS_EC2_LAUNCH_ANSWER_H

#include "adapters/ec2/client.h"
#include "adapters/ec2/fleet.h"

/*
 * The answer that is DONE. 'out' is DONE with its instance, or FAILED with the refused offers and the word of the last of
 * them. False: there is neither an instance nor an error in it, so nothing is known. Texts are the tree's or in the
 * arena.
 */
bool plm_ec2_launch_answer(const struct plm_ec2_launching *launching,
			   const struct plm_w_ec2_recipe *recipe, const struct plm_aws_node *root,
			   struct plm_arena *arena, struct plm_w_result *out);
/* A call that was refused as a whole: 'code' of AWS. RunInstances names its one offer. Texts in the arena. */
void plm_ec2_launch_refused(const struct plm_ec2_launching *launching, const char *code,
			    const char *message, struct plm_arena *arena, struct plm_w_result *out);
/* An instance that was found by its tag: it is what became of the launch. */
void plm_ec2_launch_found(const struct plm_w_instance *instance, struct plm_slice image,
			  struct plm_w_result *out);

#endif
