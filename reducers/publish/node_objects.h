/*
 * node_objects.h - NodeClaims, NodePools and EC2NodeClasses: between the files that write them
 *
 * Owns: what their objects say, as Karpenter's clients expect it (its conditions, reasons and messages), and
 * a fingerprint of it by which a change is told. When something is written: nodes.c. A claim's object is made
 * with its decision; that the claim comes back as a fact is no news (its name is its identity).
 * Does not: choose names of claims, delete or finalize them (reducers/provision/adopt.h).
 */
#ifndef PLM_REDUCERS_PUBLISH_NODE_OBJECTS_H
#define PLM_REDUCERS_PUBLISH_NODE_OBJECTS_H

#include "reducers/publish/publish.h"
#include "reducers/sched/known.h"

/* A cycle's look at all of them. */
struct plm_node_objects {
	const struct plm_publish_pass *p;
	struct plm_sched sched;
};

/* Conditions in the making. The first are those that the root, Ready, comes from. */
struct plm_said_conditions {
	struct plm_w_condition *list;
	uint32_t count;
	int64_t generation;
};
#define PLM_SAID_CONDITIONS_MAX 16

struct plm_said_conditions plm_said_new(const struct plm_publish_pass *p, uint32_t generation);
/* 'status' "" takes the condition away. True without a reason has its type as the reason, as upstream. */
void plm_said_add(struct plm_said_conditions *said, const struct plm_w_condition *condition);
/* Ready, from the first 'dependents' of those that are there. */
void plm_said_ready(const struct plm_publish_pass *p, struct plm_said_conditions *said,
		    uint32_t dependents);
struct plm_vec plm_said_list(const struct plm_said_conditions *said);
uint64_t plm_said_print(uint64_t print, struct plm_vec conditions);

struct plm_vec plm_publish_amounts(const struct plm_publish_pass *p, plm_sym span);
uint64_t plm_publish_amounts_print(uint64_t print, struct plm_vec amounts);

/* claim.c */
void plm_publish_claim_make(struct plm_node_objects *o, plm_id claim, plm_id pool);
void plm_publish_claim(struct plm_node_objects *o, plm_id claim);
/* pool.c, class.c */
void plm_publish_pool(struct plm_node_objects *o, plm_id pool);
void plm_publish_class(struct plm_node_objects *o, plm_id class);

/* An intent on 'object' with a request, and the fingerprint of what it says. */
void plm_publish_ask(const struct plm_publish_pass *p, enum plm_call call,
		     const struct plm_object *object, const void *request, uint64_t print);

#endif
