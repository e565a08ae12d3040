/*
 * credentials.h - who we are for AWS: the standard chain, renewed ahead of expiry
 *
 * Owns: access key, secret and session token in memory that is wiped; where they come from, the first that is set up
 * wins: environment; web identity (AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN: STS AssumeRoleWithWebIdentity);
 * shared files (AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE: static keys, role_arn with source_profile or
 * credential_source, web_identity_token_file); container (AWS_CONTAINER_CREDENTIALS_FULL_URI, _RELATIVE_URI and their
 * token file: EKS Pod Identity); IMDSv2. The region from flags, AWS_REGION, AWS_DEFAULT_REGION, the profile, IMDSv2.
 * Temporary ones are renewed when the smaller of ten minutes and a quarter of their life is left, with jitter; while
 * renewal fails the old ones are used until they expire.
 * Does not: sign (adapters/http does), log or print a secret: texts name the source and the error's code only.
 * Everything on the loop's thread; nothing blocks but reading small local files.
 * Sources: karpenter.md 4.2; AWS SDKs and tools reference, "Standardized credential providers".
 */
#ifndef PLM_ADAPTERS_EC2_CREDENTIALS_H
#define PLM_ADAPTERS_EC2_CREDENTIALS_H

#include "adapters/http/client.h"

struct plm_aws_credentials; /* opaque */

struct plm_aws_credentials_options {
	uv_loop_t *loop; /* borrowed, as 'http' */
	struct plm_http_client *http;
	const char *const *environment; /* "NAME=value", ends with NULL; borrowed */
	const char *region;		/* wins over all others; NULL */
	/* Instead of AWS' own hosts, for tests and private endpoints: NULL. AWS_ENDPOINT_URL[_STS] and
	 * AWS_EC2_METADATA_SERVICE_ENDPOINT are looked at as the SDKs do. */
	const char *endpoint;
	uint64_t seed; /* of jitter */
	int64_t near_ms; /* for an answer of IMDS or the agent beside us, for tests; 0 = the limit's */
	void (*note)(void *self, const char *text); /* one line for people, without secrets */
	void *self;
};
enum plm_code plm_aws_credentials_new(const struct plm_aws_credentials_options *options,
				      struct plm_aws_credentials **out,
				      struct plm_error *err) PLM_MUST_CHECK;
void plm_aws_credentials_free(struct plm_aws_credentials *credentials); /* NULL-safe; wipes */

/* Borrowed until the callback returns. */
struct plm_aws_keys {
	const char *key_id, *secret, *token; /* token "" = none */
	const char *region;
};
/*
 * 'done' once, from the loop, with keys that are valid now; or NULL and why ("no credentials: ..."). Several may wait
 * at once for one renewal. A number by which plm_aws_credentials_forget() ends the wait.
 */
uint64_t plm_aws_credentials_get(struct plm_aws_credentials *credentials,
				 void (*done)(void *self, const struct plm_aws_keys *keys,
					      const char *why),
				 void *self);
void plm_aws_credentials_forget(struct plm_aws_credentials *credentials, uint64_t wait);
/* The keys were refused (ExpiredToken, AuthFailure, InvalidClientTokenId): the next get fetches new ones, at most each
 * minute. */
void plm_aws_credentials_refused(struct plm_aws_credentials *credentials);
/* Seconds until those at hand expire; -1 = never, PLM_UNSET = there are none. */
int64_t plm_aws_credentials_left_s(const struct plm_aws_credentials *credentials);
/* Where we are, as soon as it is known: flag, environment and profile say it before there are keys. "" before. */
const char *plm_aws_credentials_region(const struct plm_aws_credentials *credentials);
/* "environment", "web identity", "profile NAME", "container", "IMDS"; "" before the first. */
const char *plm_aws_credentials_source(const struct plm_aws_credentials *credentials);

#endif
