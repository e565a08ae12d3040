#include "adapters/ec2/endpoint.h"

#include "plm_test.h"

#include "core/event.h"

static const struct host_case {
	const char *name;
	enum plm_aws_service service;
	const char *region, *instead, *url, *signed_for;
} host_table[] = {
	{"EC2", PLM_AWS_EC2, "us-west-2", NULL, "https://ec2.us-west-2.amazonaws.com", "us-west-2"},
	{"EC2 in China", PLM_AWS_EC2, "cn-north-1", NULL, "https://ec2.cn-north-1.amazonaws.com.cn",
	 "cn-north-1"},
	{"EC2 in GovCloud", PLM_AWS_EC2, "us-gov-east-1", NULL,
	 "https://ec2.us-gov-east-1.amazonaws.com", "us-gov-east-1"},
	{"EC2, isolated", PLM_AWS_EC2, "us-iso-west-1", NULL,
	 "https://ec2.us-iso-west-1.c2s.ic.gov", "us-iso-west-1"},
	{"EC2, more isolated", PLM_AWS_EC2, "us-isob-east-1", NULL,
	 "https://ec2.us-isob-east-1.sc2s.sgov.gov", "us-isob-east-1"},
	{"STS is regional", PLM_AWS_STS, "eu-west-1", NULL, "https://sts.eu-west-1.amazonaws.com",
	 "eu-west-1"},
	{"IAM is not", PLM_AWS_IAM, "eu-west-1", NULL, "https://iam.amazonaws.com", "us-east-1"},
	{"IAM in China", PLM_AWS_IAM, "cn-northwest-1", NULL,
	 "https://iam.cn-north-1.amazonaws.com.cn", "cn-north-1"},
	{"IAM in GovCloud", PLM_AWS_IAM, "us-gov-east-1", NULL, "https://iam.us-gov.amazonaws.com",
	 "us-gov-west-1"},
	{"prices", PLM_AWS_PRICING, "us-west-2", NULL,
	 "https://api.pricing.us-east-1.amazonaws.com", "us-east-1"},
	{"prices in Asia", PLM_AWS_PRICING, "ap-northeast-1", NULL,
	 "https://api.pricing.ap-south-1.amazonaws.com", "ap-south-1"},
	{"prices in Europe", PLM_AWS_PRICING, "eu-west-3", NULL,
	 "https://api.pricing.eu-central-1.amazonaws.com", "eu-central-1"},
	{"prices in China", PLM_AWS_PRICING, "cn-north-1", NULL,
	 "https://api.pricing.cn-northwest-1.amazonaws.com.cn", "cn-northwest-1"},
	{"SQS", PLM_AWS_SQS, "us-west-2", NULL, "https://sqs.us-west-2.amazonaws.com", "us-west-2"},
	{"SSM", PLM_AWS_SSM, "us-west-2", NULL, "https://ssm.us-west-2.amazonaws.com", "us-west-2"},
	{"EKS", PLM_AWS_EKS, "us-west-2", NULL, "https://eks.us-west-2.amazonaws.com", "us-west-2"},
	{"instead", PLM_AWS_IAM, "eu-west-1", "http://127.0.0.1:5000//", "http://127.0.0.1:5000",
	 "us-east-1"},
	{"instead where there is none", PLM_AWS_PRICING, "us-gov-west-1", "http://x", "http://x",
	 "us-gov-west-1"},
};

static void hosts_row(const struct host_case *row)
{
	struct plm_aws_endpoint endpoint;
	struct plm_error err;

	plm_assert_ok(plm_aws_endpoint_of(row->service, row->region, row->instead, &endpoint, &err),
		      &err);
	assert_string_equal(endpoint.url, row->url);
	assert_string_equal(endpoint.region, row->signed_for);
}
PLM_TEST_ROWS(hosts_row, struct host_case)

static const struct bad_case {
	const char *name;
	enum plm_aws_service service;
	const char *region, *instead, *part;
} bad_table[] = {
	{"no region", PLM_AWS_EC2, "", NULL, "region"},
	{"another host", PLM_AWS_EC2, "evil.example/", NULL, "region"},
	{"upper case", PLM_AWS_EC2, "US-WEST-2", NULL, "region"},
	{"no prices", PLM_AWS_PRICING, "us-gov-west-1", NULL, "Pricing"},
	{"no URL", PLM_AWS_EC2, "us-west-2", "/", "URL"},
};

static void refuses_row(const struct bad_case *row)
{
	struct plm_aws_endpoint endpoint = {0};
	struct plm_error err;

	plm_assert_fails(
		plm_aws_endpoint_of(row->service, row->region, row->instead, &endpoint, &err),
		PLM_E_CONFIG, err, row->part);
	assert_string_equal(endpoint.url, "");
}
PLM_TEST_ROWS(refuses_row, struct bad_case)

static void variables_stand_in_for_hosts(void **state)
{
	static const char *const all[] = {"AWS_ENDPOINT_URLS=no", "AWS_ENDPOINT_URL=http://all",
					  "AWS_ENDPOINT_URL_EC2=http://ec2",
					  "AWS_ENDPOINT_URL_SQS=", NULL};
	static const char *const ignored[] = {"AWS_ENDPOINT_URL=http://all",
					      "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true", NULL};

	(void)state;
	assert_string_equal(plm_aws_endpoint_override(PLM_AWS_EC2, NULL, all), "http://ec2");
	assert_string_equal(plm_aws_endpoint_override(PLM_AWS_SQS, NULL, all), "http://all");
	assert_string_equal(plm_aws_endpoint_override(PLM_AWS_EC2, "http://flag", all),
			    "http://flag");
	assert_null(plm_aws_endpoint_override(PLM_AWS_EC2, NULL, ignored));
	assert_null(plm_aws_endpoint_override(PLM_AWS_EC2, NULL, NULL));
	assert_string_equal(plm_aws_partition("cn-north-1"), "aws-cn");
	assert_string_equal(plm_aws_partition("us-gov-west-1"), "aws-us-gov");
	assert_string_equal(plm_aws_partition("us-west-2"), "aws");
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, hosts_row, host_table);
	PLM_TEST_TABLE(&tests, refuses_row, bad_table);
	PLM_TEST_ADD(&tests, variables_stand_in_for_hosts);
	return plm_tests_run(&tests, "aws endpoint");
}
