/*
 * ec2_bed.h - the end of launches and lists before a played EC2, and an inbox that remembers
 *
 * Owns: a context with the parts effect.c and instances.c over played_ec2.h, requests to launch by, what was told.
 */
#ifndef PLM_TESTS_EC2_BED_H
#define PLM_TESTS_EC2_BED_H

#include "adapters/ec2/effect.h"
#include "adapters/ec2/instance_read.h"
#include "adapters/ec2/recipe.h"
#include "played_ec2.h"

#define BED_RESULTS 16384
#define BED_FACTS 65536

/* A RESULT or INSTANCE that was told; texts live as long as the bed. */
struct bed {
	struct plm_ec2_context context;
	struct plm_ec2_effect *effect;
	struct plm_ec2_instances *instances;
	struct plm_effects port;
	struct plm_arena arena;
	const struct plm_w_result *results[BED_RESULTS];
	size_t result_count;
	const struct plm_w_instance *facts[BED_FACTS];
	size_t fact_count;
	int lists, reaches_away;
	bool blind;
	size_t room; /* observations that the inbox takes before it is full */
	/* What requests say; set by bed_open(), changed by tests. */
	struct plm_w_ec2_recipe recipe;
	struct plm_w_req_launch request;
	struct plm_w_offer offers[8];
	struct plm_slice images[2];
};

void bed_open(struct bed *bed);
/* Nothing is listed, so that days pass in no time. */
void bed_open_blind(struct bed *bed);
void bed_close(struct bed *bed);
/* The process dies and comes back: what it held in memory is gone, what EC2 has is not. */
void bed_kill(struct bed *bed);

/* As the engine does: key and frozen bytes follow from 'intent' and the request as it is now. */
void bed_launch(struct bed *bed, uint64_t intent, bool resent);
void bed_terminate(struct bed *bed, uint64_t intent, struct plm_slice provider_id);
void bed_tag(struct bed *bed, uint64_t intent, struct plm_slice provider_id, const char *name);
/* The effect of the call as bed_launch() submits it; in the bed's arena. */
struct plm_effect bed_effect(struct bed *bed, uint64_t intent, enum plm_call call,
			     const void *request);

bool bed_is_final(const struct plm_w_result *result);
/* The final RESULT of an intent; NULL = none yet. More than one fails. */
const struct plm_w_result *bed_final(const struct bed *bed, uint64_t intent);
/* Results of 'class' of an intent. */
int bed_count(const struct bed *bed, uint64_t intent, enum plm_result_class class);
/* What was told of it last; NULL = nothing. */
const struct plm_w_instance *bed_fact(const struct bed *bed, const char *id);
int bed_facts(const struct bed *bed, const char *id);

#endif
