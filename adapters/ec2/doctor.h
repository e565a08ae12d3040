/*
 * doctor.h - who we are for AWS, and what we may look at
 *
 * Owns: asking for the keys, whose they are, and for each read of EC2 whether it is allowed, by dry runs; a public
 * parameter of SSM and one price besides. Says of each what does not work, and what it is for.
 * Does not: change anything or try calls whose rights hang on names and tags (launches, queues, profiles, EKS): a policy that
 * is as narrow as it should be denies a trial, and that would be no finding.
 * Everything on the loop's thread.
 */
#ifndef PLM_ADAPTERS_EC2_DOCTOR_H
#define PLM_ADAPTERS_EC2_DOCTOR_H

#include "adapters/http/client.h"
#include "core/ports.h"

struct plm_aws_doctor; /* opaque */

enum plm_aws_doctor_level {
	PLM_AWS_DOCTOR_OK,
	PLM_AWS_DOCTOR_NOTE,	/* could not be found out */
	PLM_AWS_DOCTOR_FINDING, /* something has to be done */
};

struct plm_aws_doctor_options {
	uv_loop_t *loop; /* borrowed, as 'http' */
	struct plm_http_client *http;
	struct plm_clock clock;
	const char *const *environment;
	const char *region, *endpoint; /* NULL = where credentials.h looks; AWS */
	uint64_t seed;
	/* 'object' is "credentials", "rights" or a call of IAM's spelling, "ec2:DescribeImages". */
	void (*line)(void *self, enum plm_aws_doctor_level level, const char *object,
		     const char *text);
	void (*done)(void *self); /* once, when all was said; not to free from within */
	void *self;
};
/* PLM_E_CONFIG: as plm_aws_credentials_new() and plm_aws_client_new(). */
enum plm_code plm_aws_doctor_new(const struct plm_aws_doctor_options *options,
				 struct plm_aws_doctor **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_aws_doctor_free(struct plm_aws_doctor *doctor); /* NULL-safe; tells nobody */

#endif
