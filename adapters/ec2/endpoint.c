#include "adapters/ec2/endpoint.h"

#include <stdio.h>

/* The first whose prefix a region's name has. */
static const struct {
	const char *prefix, *name, *suffix;
	const char *iam, *iam_region;
	const char *pricing_region; /* NULL = none there */
} partitions[] = {
	{"cn-", "aws-cn", "amazonaws.com.cn", "iam.cn-north-1.amazonaws.com.cn", "cn-north-1",
	 "cn-northwest-1"},
	{"us-gov-", "aws-us-gov", "amazonaws.com", "iam.us-gov.amazonaws.com", "us-gov-west-1",
	 NULL},
	{"us-isob-", "aws-iso-b", "sc2s.sgov.gov", "iam.us-isob-east-1.sc2s.sgov.gov",
	 "us-isob-east-1", NULL},
	{"us-isof-", "aws-iso-f", "csp.hci.ic.gov", "iam.us-isof-south-1.csp.hci.ic.gov",
	 "us-isof-south-1", NULL},
	{"us-iso-", "aws-iso", "c2s.ic.gov", "iam.us-iso-east-1.c2s.ic.gov", "us-iso-east-1", NULL},
	{"eu-isoe-", "aws-iso-e", "cloud.adc-e.uk", "iam.eu-isoe-west-1.cloud.adc-e.uk",
	 "eu-isoe-west-1", NULL},
	{"eusc-", "aws-eusc", "amazonaws.eu", "iam.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1",
	 NULL},
	{"", "aws", "amazonaws.com", "iam.amazonaws.com", "us-east-1", "us-east-1"},
};

static size_t partition_of(const char *region)
{
	size_t at = 0;

	while (strncmp(region, partitions[at].prefix, strlen(partitions[at].prefix)) != 0) {
		at++;
	}
	return at;
}

const char *plm_aws_partition(const char *region)
{
	return partitions[partition_of(region)].name;
}

const char *plm_aws_variable(const char *const *environment, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
		if (strncmp(environment[i], name, size) == 0 && environment[i][size] == '=' &&
		    environment[i][size + 1] != '\0') {
			return environment[i] + size + 1;
		}
	}
	return NULL;
}

const char *plm_aws_endpoint_override(enum plm_aws_service service, const char *endpoint,
				      const char *const *environment)
{
	static const char *const names[] = {
#define NAME(id, name, version, host) [PLM_AWS_##id] = "AWS_ENDPOINT_URL_" #id,
		PLM_AWS_SERVICES(NAME)
#undef NAME
	};
	const char *ignore = plm_aws_variable(environment, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
	const char *own = NULL;

	PLM_ASSERT(service < PLM_AWS_SERVICE_COUNT);
	if (endpoint != NULL) {
		return endpoint;
	}
	if (ignore != NULL && strcmp(ignore, "true") == 0) {
		return NULL;
	}
	own = plm_aws_variable(environment, names[service]);
	return own != NULL ? own : plm_aws_variable(environment, "AWS_ENDPOINT_URL");
}

static bool is_region(const char *region)
{
	size_t size = strlen(region);

	for (size_t i = 0; i < size; i++) {
		bool good = (region[i] >= 'a' && region[i] <= 'z') ||
			    (region[i] >= '0' && region[i] <= '9') ||
			    (region[i] == '-' && i > 0 && i + 1 < size);

		if (!good) {
			return false;
		}
	}
	return size > 0 && size < PLM_AWS_REGION_SIZE;
}

/* Where prices are asked for: of the places that have them the nearest. */
static const char *pricing_region(const char *region, size_t partition)
{
	if (partitions[partition].pricing_region == NULL ||
	    strcmp(partitions[partition].name, "aws") != 0) {
		return partitions[partition].pricing_region;
	}
	if (strncmp(region, "ap-", 3) == 0) {
		return "ap-south-1";
	}
	return strncmp(region, "eu-", 3) == 0 ? "eu-central-1" : "us-east-1";
}

static enum plm_code aws_host(enum plm_aws_service service, const char *region,
			      struct plm_aws_endpoint *out, struct plm_error *err)
{
	size_t partition = partition_of(region);
	const char *there = region;

	if (service == PLM_AWS_IAM) {
		(void)snprintf(out->url, sizeof(out->url), "https://%s", partitions[partition].iam);
		(void)snprintf(out->region, sizeof(out->region), "%s",
			       partitions[partition].iam_region);
		return PLM_OK;
	}
	if (service == PLM_AWS_PRICING) {
		there = pricing_region(region, partition);
	}
	if (there == NULL) {
		return plm_fail(err, PLM_E_CONFIG, "there is no Pricing API for region %s", region);
	}
	(void)snprintf(out->url, sizeof(out->url), "https://%s.%s.%s",
		       plm_aws_service(service)->host, there, partitions[partition].suffix);
	(void)snprintf(out->region, sizeof(out->region), "%s", there);
	return PLM_OK;
}

static enum plm_code other_host(const char *instead, struct plm_aws_endpoint *out,
				struct plm_error *err)
{
	size_t size = strlen(instead);

	while (size > 0 && instead[size - 1] == '/') {
		size--;
	}
	if (size == 0 || size >= sizeof(out->url)) {
		return plm_fail(err, PLM_E_CONFIG, "endpoint '%.80s' is no URL", instead);
	}
	memcpy(out->url, instead, size);
	out->url[size] = '\0';
	return PLM_OK;
}

enum plm_code plm_aws_endpoint_of(enum plm_aws_service service, const char *region,
				  const char *instead, struct plm_aws_endpoint *out,
				  struct plm_error *err)
{
	struct plm_aws_endpoint made = {0};
	enum plm_code code = PLM_OK;

	if (!is_region(region)) {
		return plm_fail(err, PLM_E_CONFIG, "'%.60s' is no name of a region", region);
	}
	code = aws_host(service, region, &made, err);
	if (code != PLM_OK && instead != NULL) { /* whoever stands there has it */
		(void)snprintf(made.region, sizeof(made.region), "%s", region);
		code = PLM_OK;
	}
	if (code == PLM_OK && instead != NULL) {
		code = other_host(instead, &made, err);
	}
	if (code == PLM_OK) {
		*out = made;
	}
	return code;
}
