#include "adapters/ec2/doctor.h"

#include "adapters/ec2/client.h"

#include <stdio.h>
#include <stdlib.h>

#define DRY "DryRun=true"

/* What is asked, and who would miss it. */
static const struct probe {
	enum plm_aws_call call;
	const char *body;
} probes[] = {
	{PLM_AWS_CALL_DESCRIBE_INSTANCES, DRY},
	{PLM_AWS_CALL_DESCRIBE_INSTANCE_STATUS, DRY},
	{PLM_AWS_CALL_DESCRIBE_INSTANCE_TYPES, DRY},
	{PLM_AWS_CALL_DESCRIBE_OFFERINGS, DRY},
	{PLM_AWS_CALL_DESCRIBE_SPOT_PRICES, DRY},
	{PLM_AWS_CALL_DESCRIBE_SUBNETS, DRY},
	{PLM_AWS_CALL_DESCRIBE_SECURITY_GROUPS, DRY},
	{PLM_AWS_CALL_DESCRIBE_IMAGES, DRY},
	{PLM_AWS_CALL_DESCRIBE_ZONES, DRY},
	{PLM_AWS_CALL_DESCRIBE_RESERVATIONS, DRY},
	{PLM_AWS_CALL_DESCRIBE_LAUNCH_TEMPLATES, DRY},
	{PLM_AWS_CALL_GET_PARAMETER,
	 "{\"Name\":\"/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64\"}"},
	{PLM_AWS_CALL_GET_PRODUCTS, "{\"ServiceCode\":\"AmazonEC2\",\"MaxResults\":1}"},
};

struct asked {
	struct plm_aws_doctor *doctor;
	enum plm_aws_call call;
	struct plm_aws_sent *sent; /* NULL = answered */
};

struct plm_aws_doctor {
	struct plm_aws_doctor_options options;
	struct plm_aws_credentials *credentials;
	struct plm_aws_client *client;
	struct asked identity, asked[PLM_COUNTOF(probes)];
	size_t open, allowed; /* probes */
};

static void say(struct plm_aws_doctor *doctor, enum plm_aws_doctor_level level, const char *object,
		const char *text)
{
	doctor->options.line(doctor->options.self, level, object, text);
}

/* ---- rights ---------------------------------------------------------------------------------------------- */

static bool is_denied(const char *code)
{
	static const char *const codes[] = {"UnauthorizedOperation", "AccessDenied",
					    "AccessDeniedException", "NotAuthorized"};

	for (size_t i = 0; i < PLM_COUNTOF(codes); i++) {
		if (strcmp(code, codes[i]) == 0) {
			return true;
		}
	}
	return false;
}

static void judge(struct plm_aws_doctor *doctor, const struct asked *asked,
		  const struct plm_aws_answer *answer)
{
	const struct plm_aws_call_row *row = plm_aws_call(asked->call);
	char object[96], text[384];

	(void)snprintf(object, sizeof(object), "%s:%s", plm_aws_service(row->service)->name,
		       row->action);
	if (is_denied(answer->code)) {
		(void)snprintf(text, sizeof(text), "not allowed (%s): %s", answer->code, row->when);
		say(doctor, PLM_AWS_DOCTOR_FINDING, object, text);
	} else if (answer->class == PLM_AWS_DONE || answer->class == PLM_AWS_NOT_FOUND ||
		   strcmp(answer->code, "DryRunOperation") == 0) {
		doctor->allowed++;
	} else {
		(void)snprintf(text, sizeof(text), "not known whether it is allowed: %s",
			       answer->code);
		say(doctor, PLM_AWS_DOCTOR_NOTE, object, text);
	}
}

static void on_probe(void *self, const struct plm_aws_answer *answer)
{
	struct asked *asked = self;
	struct plm_aws_doctor *doctor = asked->doctor;
	char text[64];

	asked->sent = NULL;
	judge(doctor, asked, answer);
	doctor->open--;
	if (doctor->open > 0) {
		return;
	}
	if (doctor->allowed > 0) {
		(void)snprintf(text, sizeof(text), "%zu of %zu reads are allowed", doctor->allowed,
			       PLM_COUNTOF(probes));
		say(doctor, PLM_AWS_DOCTOR_OK, "rights", text);
	}
	doctor->options.done(doctor->options.self);
}

static void probe_all(struct plm_aws_doctor *doctor)
{
	doctor->open = PLM_COUNTOF(probes);
	for (size_t i = 0; i < PLM_COUNTOF(probes); i++) {
		struct asked *asked = &doctor->asked[i];
		const struct plm_aws_request request = {
			.call = probes[i].call,
			.body = plm_slice_str(probes[i].body),
			.on_done = on_probe,
			.self = asked,
		};

		*asked = (struct asked){.doctor = doctor, .call = probes[i].call};
		asked->sent = plm_aws_send(doctor->client, &request);
	}
}

/* ---- who we are ------------------------------------------------------------------------------------------ */

static void on_identity(void *self, const struct plm_aws_answer *answer)
{
	struct asked *asked = self;
	struct plm_aws_doctor *doctor = asked->doctor;
	const struct plm_aws_node *result = plm_aws_get(answer->root, "GetCallerIdentityResult");
	struct plm_slice arn = plm_aws_text(result, "Arn");
	int64_t left_s = plm_aws_credentials_left_s(doctor->credentials);
	char text[384], until[48] = "";

	asked->sent = NULL;
	if (answer->class != PLM_AWS_DONE) {
		bool keys = strcmp(answer->code, "NoCredentials") == 0;

		(void)snprintf(text, sizeof(text), "%s%s%s", keys ? "" : answer->code,
			       keys || answer->message[0] == '\0' ? "" : ": ", answer->message);
		say(doctor, PLM_AWS_DOCTOR_FINDING, "credentials", text);
		doctor->options.done(doctor->options.self);
		return;
	}
	if (left_s >= 0) {
		(void)snprintf(until, sizeof(until), ", good for %lld min",
			       (long long)(left_s / 60));
	}
	(void)snprintf(text, sizeof(text), "%s, region %s%s: %.*s",
		       plm_aws_credentials_source(doctor->credentials),
		       plm_aws_region(doctor->client), until, (int)arn.size, (const char *)arn.ptr);
	say(doctor, PLM_AWS_DOCTOR_OK, "credentials", text);
	probe_all(doctor);
}

/* ---- its life -------------------------------------------------------------------------------------------- */

static enum plm_code open_parts(struct plm_aws_doctor *doctor, struct plm_error *err)
{
	const struct plm_aws_doctor_options *options = &doctor->options;
	const struct plm_aws_credentials_options credentials = {
		.loop = options->loop,
		.http = options->http,
		.environment = options->environment,
		.region = options->region,
		.endpoint = options->endpoint,
		.seed = options->seed,
	};
	struct plm_aws_client_options client = {
		.loop = options->loop,
		.http = options->http,
		.clock = options->clock,
		.endpoint = options->endpoint,
		.environment = options->environment,
		.seed = options->seed,
	};
	enum plm_code code = plm_aws_credentials_new(&credentials, &doctor->credentials, err);

	if (code == PLM_OK) {
		client.credentials = doctor->credentials;
		code = plm_aws_client_new(&client, &doctor->client, err);
	}
	return code;
}

enum plm_code plm_aws_doctor_new(const struct plm_aws_doctor_options *options,
				 struct plm_aws_doctor **out, struct plm_error *err)
{
	struct plm_aws_doctor *doctor = calloc(1, sizeof(*doctor));
	struct plm_aws_request request = {.call = PLM_AWS_CALL_GET_CALLER_IDENTITY,
					  .on_done = on_identity};
	enum plm_code code = PLM_OK;

	PLM_ASSERT(doctor != NULL);
	doctor->options = *options;
	code = open_parts(doctor, err);
	if (code != PLM_OK) {
		plm_aws_doctor_free(doctor);
		return code;
	}
	plm_aws_client_allow(doctor->client, PLM_AWS_OBSERVE);
	doctor->identity = (struct asked){.doctor = doctor, .call = request.call};
	request.self = &doctor->identity;
	doctor->identity.sent = plm_aws_send(doctor->client, &request);
	*out = doctor;
	return PLM_OK;
}

void plm_aws_doctor_free(struct plm_aws_doctor *doctor)
{
	if (doctor == NULL) {
		return;
	}
	plm_aws_client_free(doctor->client); /* with what is under way */
	plm_aws_credentials_free(doctor->credentials);
	free(doctor);
}
