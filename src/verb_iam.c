/* `plimsoll iam print`: the policies of adapters/ec2/iam.h on stdout. */
#include "adapters/ec2/iam.h"
#include "verbs.h"

/* What AWS counts of a policy: all but whitespace. */
static size_t counted(struct plm_slice text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++) {
		count += text.ptr[i] > 0x20 ? 1 : 0;
	}
	return count;
}

static enum plm_aws_iam_format format_of(const char *text)
{
	if (strcmp(text, "cloudformation") == 0) {
		return PLM_AWS_IAM_CLOUDFORMATION;
	}
	return strcmp(text, "terraform") == 0 ? PLM_AWS_IAM_TERRAFORM : PLM_AWS_IAM_JSON;
}

enum plm_code plm_verb_iam_print(struct plm_cli *call, struct plm_error *err)
{
	const struct plm_aws_iam iam = {
		.format = format_of(plm_cli_text(call, PLM_FLAG_IAM_FORMAT, "json")),
		.enforce = strcmp(plm_cli_text(call, PLM_FLAG_IAM_MODE, "enforce"), "enforce") == 0,
		.cluster = plm_cli_text(call, PLM_FLAG_IAM_CLUSTER, NULL),
		.region = plm_cli_text(call, PLM_FLAG_IAM_REGION, NULL),
		.account = plm_cli_text(call, PLM_FLAG_IAM_ACCOUNT, NULL),
		.queue = plm_cli_text(call, PLM_FLAG_IAM_QUEUE, NULL),
		.role = plm_cli_text(call, PLM_FLAG_IAM_ROLE, NULL),
	};
	struct plm_text text = {.arena = call->arena};
	enum plm_code code = plm_aws_iam_write(&iam, &text, err);
	struct plm_slice made = plm_text_slice(&text);

	if (code != PLM_OK) {
		return code;
	}
	(void)fwrite(made.ptr, 1, made.size, call->out); /* plm_cli_main() looks at the stream */
	if (iam.format == PLM_AWS_IAM_JSON && counted(made) > PLM_AWS_MANAGED_POLICY_BYTES) {
		(void)fprintf(call->notes,
			      "longer than a managed policy may be (%d characters): make it an "
			      "inline policy, or take --format cloudformation or terraform, "
			      "which make two of it\n",
			      PLM_AWS_MANAGED_POLICY_BYTES);
	}
	return PLM_OK;
}
