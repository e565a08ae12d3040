/*
 * iam.h - IAM policies for the calls that are made
 *
 * Owns: which statement gives the right to each call of the table, with its resources and conditions, and three ways to write
 * them: a policy document, a CloudFormation template, a Terraform file. A call without a statement does not pass
 * its test, so the policies are enough; a statement names the rights of its calls alone, so they are not more.
 * Observe is reads. Enforce has two policies in a template: observe's and what it adds, each short enough for a
 * managed policy; as a document all in one. Changes are bound to the cluster by tags: what is made must carry them,
 * what is changed or ended must have them.
 * Sources: Karpenter's CloudFormation, AWS service authorization reference.
 */
#ifndef PLM_ADAPTERS_EC2_IAM_H
#define PLM_ADAPTERS_EC2_IAM_H

#include "adapters/ec2/call.h"
#include "adapters/ec2/text.h"

enum plm_aws_iam_format {
	PLM_AWS_IAM_JSON,
	PLM_AWS_IAM_CLOUDFORMATION,
	PLM_AWS_IAM_TERRAFORM,
};

/* NULL = not said: any, as a document; found out by the tool that applies it, in the others. */
struct plm_aws_iam {
	enum plm_aws_iam_format format;
	bool enforce;
	const char *cluster; /* a document needs it */
	const char *region, *account;
	const char *queue; /* of interruptions; NULL = the cluster's name */
	const char *
		role; /* of nodes: the only one that may be passed on; NULL = KarpenterNodeRole-<cluster> */
};

/* PLM_E_USAGE: something that is no such name. */
enum plm_code plm_aws_iam_write(const struct plm_aws_iam *iam, struct plm_text *out,
				struct plm_error *err) PLM_MUST_CHECK;

/* "ec2:CreateFleet": the right that 'call' needs. Static texts in 'out'. */
#define PLM_AWS_RIGHT_SIZE 64
const char *plm_aws_iam_right(enum plm_aws_call call, char out[PLM_AWS_RIGHT_SIZE]);
/* How many statements give it, of those of observe alone or of all. */
unsigned plm_aws_iam_statements(enum plm_aws_call call, bool observe);

/* What AWS lets a managed policy have, whitespace not counted. */
#define PLM_AWS_MANAGED_POLICY_BYTES 6144

/* ---- for the files of this folder ---------------------------------------------------------------- */

#define PLM_AWS_IAM_RESOURCES 8
#define PLM_AWS_IAM_CONDITIONS 8
#define PLM_AWS_IAM_VALUES 4

/* In texts: $P partition, $R region, $A account, $C cluster, $Q queue, $N role of nodes. */
struct plm_aws_iam_condition {
	const char *test, *key; /* those with the same test follow one another */
	const char *values[PLM_AWS_IAM_VALUES];
};
struct plm_aws_iam_statement {
	const char *sid;
	bool enforce;
	const char *resources[PLM_AWS_IAM_RESOURCES];
	const char *rights[2]; /* besides those of its calls */
	struct plm_aws_iam_condition conditions[PLM_AWS_IAM_CONDITIONS];
};
/* Static; '*count' of them. */
const struct plm_aws_iam_statement *plm_aws_iam_rows(size_t *count);
/* Does statement 'index' give the right to 'call'? */
bool plm_aws_iam_gives(size_t index, enum plm_aws_call call);

#endif
