/*
 * fleet.h - a launch request as the calls that carry it out
 *
 * Owns: which launch templates a request needs and the whole frozen form of the call that launches: CreateFleet of type
 * instant, or RunInstances for a class of the simple dialect (run.c). Pure: request, recipe, key, intent and the cluster's
 * UID make it, to the last byte the same whenever it is made, so a repetition with the same token is never refused
 * for its parameters. Every instance is born with the tags by which it is found again: plimsoll/cluster,
 * plimsoll/intent, karpenter.sh/nodeclaim, and those of karpenter.md 4.3.
 * Does not: call anything. PLM_E_INPUT, PLM_E_LIMIT: what cannot be launched, and why.
 * Sources: karpenter.md 2.11 and 4.3, ec2-test.md 0 and 2.
 */
#ifndef PLM_ADAPTERS_EC2_FLEET_H
#define PLM_ADAPTERS_EC2_FLEET_H

#include "adapters/ec2/call.h"
#include "adapters/ec2/recipe.h"

#define PLM_EC2_TAG_CLUSTER "plimsoll/cluster"
#define PLM_EC2_TAG_INTENT "plimsoll/intent"
#define PLM_EC2_TAG_CLAIM "karpenter.sh/nodeclaim"
#define PLM_EC2_TAG_POOL "karpenter.sh/nodepool"
#define PLM_EC2_TAG_EKS "eks:eks-cluster-name"

/* All borrowed. */
struct plm_ec2_order {
	const struct plm_w_req_launch *request;
	const struct plm_w_ec2_recipe *recipe;
	const char *cluster_uid;
	const char *key; /* the client token */
	uint64_t intent;
};

/* A launch template that has to be there first. */
struct plm_ec2_need {
	struct plm_slice name;
	struct plm_slice form; /* of CreateLaunchTemplate, whole */
};

struct plm_ec2_launching {
	enum plm_aws_call call;
	struct plm_slice body; /* whole */
	struct plm_vec needs;  /* struct plm_ec2_need */
	struct plm_vec offers; /* struct plm_w_offer: those of the request that are in it */
	struct plm_vec images; /* struct plm_slice: the request's, which offers count in */
};

/* '*out' in the arena. */
enum plm_code plm_ec2_launching(const struct plm_ec2_order *order, struct plm_arena *arena,
				struct plm_ec2_launching *out,
				struct plm_error *err) PLM_MUST_CHECK;

/* ---- for the files of this folder ---------------------------------------------------------------- */

/* Tags of instance and volume: those of 'launch', the request's and our own over them; sorted. */
struct plm_vec plm_ec2_instance_tags(const struct plm_ec2_order *order,
				     const struct plm_ec2_launch *launch, struct plm_arena *arena);
/* run.c */
enum plm_code plm_ec2_run(const struct plm_ec2_order *order, struct plm_arena *arena,
			  struct plm_ec2_launching *out, struct plm_error *err) PLM_MUST_CHECK;

#endif
