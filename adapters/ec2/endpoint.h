/*
 * endpoint.h - where a service of a region is, and what is signed for it
 *
 * Owns: host names of the partitions (aws, aws-cn, aws-us-gov, the isolated ones), services that are not in every region
 * (IAM, Pricing) and the region that their calls are signed for, and what stands in place of AWS' hosts: the flag,
 * AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL; AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true leaves the variables out.
 * Sources: AWS general reference, "Service endpoints"; SDKs and tools reference, "Service-specific endpoints".
 */
#ifndef PLM_ADAPTERS_EC2_ENDPOINT_H
#define PLM_ADAPTERS_EC2_ENDPOINT_H

#include "adapters/ec2/call.h"
#include "core/error.h"

#define PLM_AWS_URL_SIZE 512
#define PLM_AWS_REGION_SIZE 64

struct plm_aws_endpoint {
	char url[PLM_AWS_URL_SIZE]; /* without a slash at its end */
	char region[PLM_AWS_REGION_SIZE];
};

/* "aws", "aws-cn", "aws-us-gov", "aws-iso", ...: static. */
const char *plm_aws_partition(const char *region);
/* The value of 'name' in 'environment' (NULL = none are set); NULL where it is unset or empty. */
const char *plm_aws_variable(const char *const *environment, const char *name);
/* What stands in the place of AWS' own host; NULL = nothing. */
const char *plm_aws_endpoint_override(enum plm_aws_service service, const char *endpoint,
				      const char *const *environment);
/* PLM_E_CONFIG: 'region' is no name of a region, 'instead' (may be NULL) too long. */
enum plm_code plm_aws_endpoint_of(enum plm_aws_service service, const char *region,
				  const char *instead, struct plm_aws_endpoint *out,
				  struct plm_error *err) PLM_MUST_CHECK;

#endif
