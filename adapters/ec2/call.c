#include "adapters/ec2/call.h"

static const struct plm_aws_service_row services[] = {
#define SERVICE_ROW(id, signing, version_text, endpoint)                                           \
	[PLM_AWS_##id] = {.name = (signing), .version = (version_text), .host = (endpoint)},
	PLM_AWS_SERVICES(SERVICE_ROW)
#undef SERVICE_ROW
};

static const enum plm_aws_protocol protocols[PLM_AWS_SERVICE_COUNT] = {
	[PLM_AWS_EC2] = PLM_AWS_QUERY,	[PLM_AWS_STS] = PLM_AWS_QUERY,
	[PLM_AWS_IAM] = PLM_AWS_QUERY,	[PLM_AWS_SSM] = PLM_AWS_JSON11,
	[PLM_AWS_SQS] = PLM_AWS_JSON10, [PLM_AWS_PRICING] = PLM_AWS_JSON11,
	[PLM_AWS_EKS] = PLM_AWS_REST,
};

static const struct plm_aws_call_row calls[] = {
#define CALL_ROW(id, of, name, in, bucket, total, about)                                           \
	[PLM_AWS_CALL_##id] = {.service = PLM_AWS_##of,                                            \
			       .action = (name),                                                   \
			       .modes = (in),                                                      \
			       .family = PLM_AWS_##bucket,                                         \
			       .total_ms = (total),                                                \
			       .when = (about)},
	PLM_AWS_CALLS(CALL_ROW)
#undef CALL_ROW
};

const struct plm_aws_service_row *plm_aws_service(enum plm_aws_service service)
{
	PLM_ASSERT(service < PLM_AWS_SERVICE_COUNT);
	return &services[service];
}

enum plm_aws_protocol plm_aws_protocol(enum plm_aws_service service)
{
	PLM_ASSERT(service < PLM_AWS_SERVICE_COUNT);
	return protocols[service];
}

const struct plm_aws_call_row *plm_aws_call(enum plm_aws_call call)
{
	PLM_ASSERT(call > PLM_AWS_CALL_NONE && call < PLM_AWS_CALL_COUNT);
	return &calls[call];
}

bool plm_aws_is_read(enum plm_aws_call call)
{
	return (plm_aws_call(call)->modes & PLM_AWS_OBSERVE) != 0;
}
