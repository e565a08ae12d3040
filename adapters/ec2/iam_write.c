/* Policies as text: one document, and the two templates around it. */
#include "adapters/ec2/iam.h"

#include "adapters/ec2/endpoint.h"

#include <stdio.h>

#define NAME_SIZE 160

/* What stands for the names in texts, and how deep the document is indented. */
struct writer {
	struct plm_text *out;
	const char *partition, *region, *account;
	char cluster[NAME_SIZE], queue[NAME_SIZE], role[NAME_SIZE];
	bool any_region; /* a condition on it would never hold */
	const char *indent;
};

/* ---- names --------------------------------------------------------------------------------------- */

static bool all_of(const char *text, const char *others, size_t least, size_t most)
{
	size_t size = strlen(text);

	for (size_t i = 0; i < size; i++) {
		bool plain = (text[i] >= 'a' && text[i] <= 'z') ||
			     (text[i] >= 'A' && text[i] <= 'Z') ||
			     (text[i] >= '0' && text[i] <= '9');

		if (!plain && strchr(others, text[i]) == NULL) {
			return false;
		}
	}
	return size >= least && size <= most;
}

static enum plm_code check(const struct plm_aws_iam *iam, struct plm_error *err)
{
	struct plm_aws_endpoint endpoint;

	if (iam->cluster == NULL && iam->format == PLM_AWS_IAM_JSON) {
		return plm_fail(err, PLM_E_USAGE, "a policy document needs --cluster-name");
	}
	if (iam->cluster != NULL && !all_of(iam->cluster, "-_", 1, 100)) {
		return plm_fail(err, PLM_E_USAGE,
				"--cluster-name: '%.110s' is no name of a cluster", iam->cluster);
	}
	if (iam->region != NULL &&
	    plm_aws_endpoint_of(PLM_AWS_EC2, iam->region, NULL, &endpoint, err) != PLM_OK) {
		return plm_fail_prefix(err, PLM_E_USAGE, "--region");
	}
	if (iam->account != NULL &&
	    (strspn(iam->account, "0123456789") != 12 || strlen(iam->account) != 12)) {
		return plm_fail(err, PLM_E_USAGE, "--account: '%.40s' is no number of 12 digits",
				iam->account);
	}
	if (iam->queue != NULL && !all_of(iam->queue, "-_.", 1, 80)) {
		return plm_fail(err, PLM_E_USAGE,
				"--interruption-queue: '%.100s' is no name of a queue", iam->queue);
	}
	if (iam->role != NULL && !all_of(iam->role, "+=,.@-_/", 1, 64)) {
		return plm_fail(err, PLM_E_USAGE, "--node-role: '%.80s' is no name of a role",
				iam->role);
	}
	return PLM_OK;
}

static void fill(struct writer *w, const struct plm_aws_iam *iam)
{
	static const struct {
		const char *partition, *region, *account, *cluster;
	} unsaid[] = {
		[PLM_AWS_IAM_JSON] = {"aws", "*", "*", ""},
		[PLM_AWS_IAM_CLOUDFORMATION] = {"${AWS::Partition}", "${AWS::Region}",
						"${AWS::AccountId}", "${ClusterName}"},
		[PLM_AWS_IAM_TERRAFORM] = {"${data.aws_partition.current.partition}",
					   "${data.aws_region.current.id}",
					   "${data.aws_caller_identity.current.account_id}",
					   "${var.cluster_name}"},
	};
	const char *cluster = iam->cluster != NULL ? iam->cluster : unsaid[iam->format].cluster;

	w->partition = iam->region != NULL ? plm_aws_partition(iam->region)
					   : unsaid[iam->format].partition;
	w->region = iam->region != NULL ? iam->region : unsaid[iam->format].region;
	w->account = iam->account != NULL ? iam->account : unsaid[iam->format].account;
	w->any_region = strcmp(w->region, "*") == 0;
	(void)snprintf(w->cluster, sizeof(w->cluster), "%s", cluster);
	(void)snprintf(w->queue, sizeof(w->queue), "%s", iam->queue != NULL ? iam->queue : cluster);
	if (iam->role != NULL) {
		(void)snprintf(w->role, sizeof(w->role), "%s", iam->role);
	} else {
		(void)snprintf(w->role, sizeof(w->role), "KarpenterNodeRole-%s", cluster);
	}
}

static const char *name_of(const struct writer *w, char letter)
{
	switch (letter) {
	case 'P':
		return w->partition;
	case 'R':
		return w->region;
	case 'A':
		return w->account;
	case 'C':
		return w->cluster;
	case 'Q':
		return w->queue;
	case 'N':
		return w->role;
	default:
		break;
	}
	PLM_UNREACHABLE();
}

/* In quotes, with the names in their places. None of it needs escaping. */
static void put_text(const struct writer *w, const char *text)
{
	plm_text_putf(w->out, "\"");
	for (; *text != '\0'; text++) {
		if (*text == '$') {
			text++;
			plm_text_putf(w->out, "%s", name_of(w, *text));
		} else {
			plm_text_putf(w->out, "%c", *text);
		}
	}
	plm_text_putf(w->out, "\"");
}

/* ---- the document -------------------------------------------------------------------------------- */

/* A new line, so deep in the document. */
static void line(const struct writer *w, int depth)
{
	plm_text_putf(w->out, "\n%s%*s", w->indent, 2 * depth, "");
}

/* The text itself where there is one only; else one a line, for people to compare. */
static void put_texts(const struct writer *w, const char *const *texts, size_t max, int depth)
{
	if (max < 2 || texts[1] == NULL) {
		put_text(w, texts[0]);
		return;
	}
	plm_text_putf(w->out, "[");
	for (size_t i = 0; i < max && texts[i] != NULL; i++) {
		plm_text_putf(w->out, "%s", i == 0 ? "" : ",");
		line(w, depth + 1);
		put_text(w, texts[i]);
	}
	line(w, depth);
	plm_text_putf(w->out, "]");
}

static void put_rights(const struct writer *w, size_t index,
		       const struct plm_aws_iam_statement *row)
{
	char texts[PLM_AWS_CALL_COUNT][PLM_AWS_RIGHT_SIZE];
	const char *rights[PLM_AWS_CALL_COUNT + PLM_COUNTOF(row->rights)] = {NULL};
	size_t count = 0;

	for (int i = PLM_AWS_CALL_NONE + 1; i < PLM_AWS_CALL_COUNT; i++) {
		if (plm_aws_iam_gives(index, (enum plm_aws_call)i)) {
			rights[count++] = plm_aws_iam_right((enum plm_aws_call)i, texts[i]);
		}
	}
	for (size_t i = 0; i < PLM_COUNTOF(row->rights) && row->rights[i] != NULL; i++) {
		rights[count++] = row->rights[i];
	}
	PLM_ASSERT(count > 0);
	put_texts(w, rights, count, 3);
}

/* The next condition from '*at' on that can be told; NULL = none. */
static const struct plm_aws_iam_condition *next(const struct writer *w,
						const struct plm_aws_iam_statement *row, size_t *at)
{
	while (*at < PLM_COUNTOF(row->conditions) && row->conditions[*at].test != NULL) {
		const struct plm_aws_iam_condition *condition = &row->conditions[(*at)++];

		if (!w->any_region || strcmp(condition->values[0], "$R") != 0) {
			return condition;
		}
	}
	return NULL;
}

static void put_conditions(const struct writer *w, const struct plm_aws_iam_statement *row)
{
	size_t at = 0;
	const struct plm_aws_iam_condition *condition = next(w, row, &at);
	const char *test = NULL;

	if (condition == NULL) {
		return;
	}
	plm_text_putf(w->out, ",");
	line(w, 3);
	plm_text_putf(w->out, "\"Condition\": {");
	for (; condition != NULL; condition = next(w, row, &at)) {
		bool same = test != NULL && strcmp(test, condition->test) == 0;

		if (test != NULL && !same) {
			line(w, 4);
			plm_text_putf(w->out, "}");
		}
		plm_text_putf(w->out, "%s", test == NULL ? "" : ",");
		if (!same) {
			line(w, 4);
			plm_text_putf(w->out, "\"%s\": {", condition->test);
		}
		line(w, 5);
		put_text(w, condition->key);
		plm_text_putf(w->out, ": ");
		put_texts(w, condition->values, PLM_COUNTOF(condition->values), 5);
		test = condition->test;
	}
	line(w, 4);
	plm_text_putf(w->out, "}");
	line(w, 3);
	plm_text_putf(w->out, "}");
}

static void put_statement(const struct writer *w, size_t index,
			  const struct plm_aws_iam_statement *row)
{
	line(w, 2);
	plm_text_putf(w->out, "{");
	line(w, 3);
	plm_text_putf(w->out, "\"Sid\": \"%s\",", row->sid);
	line(w, 3);
	plm_text_putf(w->out, "\"Effect\": \"Allow\",");
	line(w, 3);
	plm_text_putf(w->out, "\"Action\": ");
	put_rights(w, index, row);
	plm_text_putf(w->out, ",");
	line(w, 3);
	plm_text_putf(w->out, "\"Resource\": ");
	put_texts(w, row->resources, PLM_COUNTOF(row->resources), 3);
	put_conditions(w, row);
	line(w, 2);
	plm_text_putf(w->out, "}");
}

/* Begins where the line has come to, and ends without a line feed. */
static void put_document(const struct writer *w, bool observe, bool enforce)
{
	size_t count = 0;
	const struct plm_aws_iam_statement *rows = plm_aws_iam_rows(&count);
	const char *before = "";

	plm_text_putf(w->out, "{");
	line(w, 1);
	plm_text_putf(w->out, "\"Version\": \"2012-10-17\",");
	line(w, 1);
	plm_text_putf(w->out, "\"Statement\": [");
	for (size_t i = 0; i < count; i++) {
		if (rows[i].enforce ? enforce : observe) {
			plm_text_putf(w->out, "%s", before);
			put_statement(w, i, &rows[i]);
			before = ",";
		}
	}
	line(w, 1);
	plm_text_putf(w->out, "]");
	line(w, 0);
	plm_text_putf(w->out, "}");
}

/* ---- templates ----------------------------------------------------------------------------------- */

static void put_cloudformation_policy(struct writer *w, bool enforce)
{
	w->indent = "        ";
	plm_text_putf(w->out,
		      "  %sPolicy:\n    Type: AWS::IAM::ManagedPolicy\n    Properties:\n"
		      "      ManagedPolicyName: !Sub \"plimsoll-%s-%s\"\n"
		      "      PolicyDocument: !Sub |\n%s",
		      enforce ? "Enforce" : "Observe", enforce ? "enforce" : "observe", w->cluster,
		      w->indent);
	put_document(w, !enforce, enforce);
	plm_text_putf(w->out, "\n");
}

static void put_cloudformation(struct writer *w, const struct plm_aws_iam *iam)
{
	plm_text_putf(w->out, "AWSTemplateFormatVersion: \"2010-09-09\"\n"
			      "Description: What Plimsoll may do in an account\n");
	if (iam->cluster == NULL) {
		plm_text_putf(w->out, "Parameters:\n  ClusterName:\n    Type: String\n");
	}
	plm_text_putf(w->out, "Resources:\n");
	put_cloudformation_policy(w, false);
	if (iam->enforce) {
		put_cloudformation_policy(w, true);
	}
	plm_text_putf(w->out, "Outputs:\n  ObservePolicyArn:\n    Value: !Ref ObservePolicy\n");
	if (iam->enforce) {
		plm_text_putf(w->out, "  EnforcePolicyArn:\n    Value: !Ref EnforcePolicy\n");
	}
}

static void put_terraform_policy(struct writer *w, bool enforce)
{
	const char *mode = enforce ? "enforce" : "observe";

	w->indent = "    ";
	plm_text_putf(w->out,
		      "\nresource \"aws_iam_policy\" \"plimsoll_%s\" {\n"
		      "  name   = \"plimsoll-%s-%s\"\n  policy = <<-JSON\n%s",
		      mode, mode, w->cluster, w->indent);
	put_document(w, !enforce, enforce);
	plm_text_putf(w->out, "\n  JSON\n}\n");
	plm_text_putf(w->out,
		      "\noutput \"plimsoll_%s_policy_arn\" {\n"
		      "  value = aws_iam_policy.plimsoll_%s.arn\n}\n",
		      mode, mode);
}

static void put_terraform(struct writer *w, const struct plm_aws_iam *iam)
{
	if (iam->cluster == NULL) {
		plm_text_putf(w->out, "variable \"cluster_name\" {\n  type = string\n}\n\n");
	}
	if (iam->region == NULL) {
		plm_text_putf(w->out, "data \"aws_partition\" \"current\" {}\n\n"
				      "data \"aws_region\" \"current\" {}\n");
	}
	if (iam->account == NULL) {
		plm_text_putf(w->out, "%sdata \"aws_caller_identity\" \"current\" {}\n",
			      iam->region == NULL ? "\n" : "");
	}
	put_terraform_policy(w, false);
	if (iam->enforce) {
		put_terraform_policy(w, true);
	}
}

enum plm_code plm_aws_iam_write(const struct plm_aws_iam *iam, struct plm_text *out,
				struct plm_error *err)
{
	struct writer w = {.out = out, .indent = ""};
	enum plm_code code = check(iam, err);

	if (code != PLM_OK) {
		return code;
	}
	fill(&w, iam);
	switch (iam->format) {
	case PLM_AWS_IAM_JSON:
		put_document(&w, true, iam->enforce);
		plm_text_putf(out, "\n");
		break;
	case PLM_AWS_IAM_CLOUDFORMATION:
		put_cloudformation(&w, iam);
		break;
	case PLM_AWS_IAM_TERRAFORM:
		put_terraform(&w, iam);
		break;
	}
	return PLM_OK;
}
