/*
 * instances.h - the list of instances, in rounds
 *
 * Owns: whole lists of what carries this cluster's tags, faster while launches are fresh and slower in rest; between them
 * looks by id at what begins, ends or is missing. INSTANCE facts of what changed, LISTED after the first whole list and
 * after an absence. How long EC2 takes to show what it launched is observed (PLM_CLOUD_LAG_MS). When no list succeeds
 * the cloud counts as away (REACH).
 * Does not: decide what is an orphan, adopt or terminate.
 * Sources: karpenter.md 4.1, ec2-test.md 3, eventsourcing.md D14.
 */
#ifndef PLM_ADAPTERS_EC2_INSTANCES_H
#define PLM_ADAPTERS_EC2_INSTANCES_H

#include "adapters/ec2/context.h"

struct plm_ec2_instances; /* opaque */

enum plm_code plm_ec2_instances_new(struct plm_ec2_context *context, struct plm_ec2_instances **out,
				    struct plm_error *err) PLM_MUST_CHECK;
void plm_ec2_instances_start(struct plm_ec2_instances *instances);
/* The inbox has room again. */
void plm_ec2_instances_resume(struct plm_ec2_instances *instances);
/* NULL-safe. Calls under way are cancelled; the loop still has to run the closes. */
void plm_ec2_instances_free(struct plm_ec2_instances *instances);

/* In the newest whole list. */
uint64_t plm_ec2_instances_count(const struct plm_ec2_instances *instances);
/* A whole list has been told. */
bool plm_ec2_instances_listed(const struct plm_ec2_instances *instances);
/* No list has succeeded for PLM_LIMIT_EC2_AWAY_MS; 'why' (128 bytes) says what the last try came to. */
bool plm_ec2_instances_away(const struct plm_ec2_instances *instances, char *why);
/* The longest from the answer of a launch to its first sight; 0 = none was seen yet. */
int64_t plm_ec2_instances_lag_ms(const struct plm_ec2_instances *instances);

/* ---- for effect.c -------------------------------------------------------------------------------- */

/* A launch was answered with it: it is looked for until it is seen. */
void plm_ec2_instances_launched(struct plm_ec2_instances *instances, struct plm_slice provider_id);
/* A launch came to nothing: should an instance of its intent be seen all the same, it is told (again). */
void plm_ec2_instances_unlaunched(struct plm_ec2_instances *instances, uint64_t intent);
/* It was told to end: it is looked at until it is terminated. */
void plm_ec2_instances_ending(struct plm_ec2_instances *instances, const char *id);
/* The outcome of a launch is not known: lists come faster for a while. */
void plm_ec2_instances_hurry(struct plm_ec2_instances *instances);
/* Since its launch; PLM_UNSET = not known. */
int64_t plm_ec2_instances_age_ms(const struct plm_ec2_instances *instances, const char *id);

#endif
