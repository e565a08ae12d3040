/* Where keys come from, for environments and files of each kind: the plan, or what is wrong with them. */
#include "plm_test.h"

#include "adapters/ec2/credentials_private.h"
#include "core/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/plm-credentials-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	PLM_ASSERT(file != NULL);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

#define ENV(...) ((const char *const[]){__VA_ARGS__, NULL})
#define KEYS "AWS_ACCESS_KEY_ID=AKENV", "AWS_SECRET_ACCESS_KEY=SeCrEt"

static const struct plan_case {
	const char *why;
	const char *const *environment; /* the two files are added */
	const char *credentials, *config;
	enum plm_aws_base base;
	const char *source, *region;
	const char *key_id, *token, *role, *hop; /* NULL = not looked at */
	size_t hops;
	const char *error; /* NULL = none */
} plan_table[] = {
	{.why = "nothing is set up", .base = PLM_AWS_BASE_IMDS, .source = "IMDS", .region = ""},
	{.why = "nothing, and no instance",
	 .environment = ENV("AWS_EC2_METADATA_DISABLED=true"),
	 .base = PLM_AWS_BASE_NONE},
	{.why = "environment",
	 .environment =
		 ENV(KEYS, "AWS_SESSION_TOKEN=T", "AWS_REGION=eu-west-1", "AWS_DEFAULT_REGION=no"),
	 .base = PLM_AWS_BASE_KEYS,
	 .source = "environment",
	 .region = "eu-west-1",
	 .key_id = "AKENV",
	 .token = "T"},
	{.why = "environment before all others",
	 .environment = ENV(KEYS, "AWS_WEB_IDENTITY_TOKEN_FILE=/t", "AWS_ROLE_ARN=r",
			    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x"),
	 .credentials = "[default]\naws_access_key_id=A\naws_secret_access_key=SeCrEt\n",
	 .base = PLM_AWS_BASE_KEYS,
	 .source = "environment",
	 .key_id = "AKENV",
	 .token = ""},
	{.why = "empty variables are unset",
	 .environment = ENV("AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_REGION=",
			    "AWS_DEFAULT_REGION=us-east-2"),
	 .base = PLM_AWS_BASE_IMDS,
	 .region = "us-east-2"},
	{.why = "half a key",
	 .environment = ENV("AWS_ACCESS_KEY_ID=A"),
	 .error = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together"},
	{.why = "web identity",
	 .environment = ENV("AWS_WEB_IDENTITY_TOKEN_FILE=/t", "AWS_ROLE_ARN=arn:aws:iam::1:role/a",
			    "AWS_REGION=r"),
	 .base = PLM_AWS_BASE_WEB_IDENTITY,
	 .source = "web identity",
	 .region = "r",
	 .role = "arn:aws:iam::1:role/a"},
	{.why = "web identity without a role",
	 .environment = ENV("AWS_WEB_IDENTITY_TOKEN_FILE=/t"),
	 .error = "AWS_ROLE_ARN is not"},
	{.why = "a profile's keys",
	 .credentials = "# mine\n[other]\naws_access_key_id=B\n[default]\n"
			"AWS_Access_Key_Id = AKFILE ; old\naws_secret_access_key\t=SeCrEt\n"
			"aws_session_token=T=+/\n",
	 .config = "[default]\nregion = us-west-2 # here\ns3 =\n  region = none\n",
	 .base = PLM_AWS_BASE_KEYS,
	 .source = "profile default",
	 .region = "us-west-2",
	 .key_id = "AKFILE",
	 .token = "T=+/"},
	{.why = "the file of credentials wins, with key, secret and token",
	 .credentials = "[default]\naws_access_key_id=A\naws_secret_access_key=SeCrEt\n",
	 .config = "[default]\naws_access_key_id=B\naws_secret_access_key=SeCrEt\n"
		   "aws_session_token=T\n",
	 .base = PLM_AWS_BASE_KEYS,
	 .key_id = "A",
	 .token = ""},
	{.why = "a named profile",
	 .environment = ENV("AWS_PROFILE=b c", "AWS_REGION=from-env"),
	 .config = "[profile \"b c\"]\naws_access_key_id=B\naws_secret_access_key=SeCrEt\n"
		   "region=r\n[b c]\naws_access_key_id=no\n",
	 .base = PLM_AWS_BASE_KEYS,
	 .source = "profile b c",
	 .region = "from-env",
	 .key_id = "B"},
	{.why = "a named profile that is not there",
	 .environment = ENV("AWS_PROFILE=gone"),
	 .config = "[gone]\nregion=r\n",
	 .error = "there is no profile 'gone'"},
	{.why = "half a key in a profile",
	 .credentials = "[default]\naws_access_key_id=A\n",
	 .error = "credentials: profile 'default': aws_access_key_id and"},
	{.why = "keys of two files",
	 .credentials = "[default]\naws_access_key_id=A\n",
	 .config = "[default]\naws_secret_access_key=SeCrEt\n",
	 .error = "go together"},
	{.why = "a line that is none",
	 .credentials = "[default]\nSeCrEt\n",
	 .error = "credentials: line 2, profile 'default': not key = value"},
	{.why = "a line that is none, elsewhere",
	 .credentials = "[a]\nSeCrEt\n",
	 .base = PLM_AWS_BASE_IMDS},
	{.why = "a setting that is too long",
	 .credentials = "[default]\nregion=01234567890123456789012345678901234567890123456789"
			"012345678901234567890123456789\n",
	 .error = "profile 'default': region is too long"},
	{.why = "a region that is none",
	 .config = "[default]\nregion=us west\n",
	 .error = "the profile's region is none of AWS"},
	{.why = "a role",
	 .config = "[default]\nrole_arn=R1\nsource_profile=base\nregion=r\nexternal_id=x\n"
		   "duration_seconds=1800\n[profile base]\nregion=no\n",
	 .credentials = "[base]\naws_access_key_id=A\naws_secret_access_key=SeCrEt\n",
	 .base = PLM_AWS_BASE_KEYS,
	 .source = "profile default",
	 .region = "r",
	 .key_id = "A",
	 .hop = "R1",
	 .hops = 1},
	{.why = "a role by a role",
	 .config = "[default]\nrole_arn=R1\nsource_profile=b\n[profile b]\nrole_arn=R2\n"
		   "source_profile=c\n[profile c]\nrole_arn=R3\nweb_identity_token_file=/t\n",
	 .base = PLM_AWS_BASE_WEB_IDENTITY,
	 .source = "profile default",
	 .role = "R3",
	 .hop = "R1",
	 .hops = 2},
	{.why = "a role with the profile's own keys",
	 .config = "[default]\nrole_arn=R1\nsource_profile=default\naws_access_key_id=A\n"
		   "aws_secret_access_key=SeCrEt\n",
	 .base = PLM_AWS_BASE_KEYS,
	 .key_id = "A",
	 .hop = "R1",
	 .hops = 1},
	{.why = "a role with the environment's keys",
	 .environment = ENV(KEYS),
	 .config = "[default]\nrole_arn=R1\ncredential_source=Environment\n",
	 .base = PLM_AWS_BASE_KEYS,
	 .source = "environment",
	 .hops = 0},
	{.why = "a role with the container's keys",
	 .environment = ENV("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2/x"),
	 .config = "[default]\nrole_arn=R1\ncredential_source=EcsContainer\n",
	 .base = PLM_AWS_BASE_CONTAINER,
	 .source = "profile default",
	 .hops = 1},
	{.why = "a role with the instance's keys",
	 .environment = ENV("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2/x"),
	 .config = "[default]\nrole_arn=R1\ncredential_source=Ec2InstanceMetadata\n",
	 .base = PLM_AWS_BASE_IMDS,
	 .hops = 1},
	{.why = "a role with keys that the environment lacks",
	 .config = "[default]\nrole_arn=R1\ncredential_source=Environment\n",
	 .error = "go together"},
	{.why = "a source that is none",
	 .config = "[default]\nrole_arn=R1\ncredential_source=Magic\n",
	 .error = "config: profile 'default': credential_source is none of"},
	{.why = "two sources",
	 .config = "[default]\nrole_arn=R1\ncredential_source=Environment\nsource_profile=b\n",
	 .error = "exclude each other"},
	{.why = "profiles that name each other",
	 .config = "[default]\nrole_arn=R1\nsource_profile=b\n[profile b]\nrole_arn=R2\n"
		   "source_profile=default\n",
	 .error = "name each other"},
	{.why = "a source that is not there",
	 .config = "[default]\nrole_arn=R1\nsource_profile=b\n",
	 .error = "profile 'default': source_profile 'b' is not there"},
	{.why = "a source without keys",
	 .config = "[default]\nrole_arn=R1\nsource_profile=b\n[profile b]\nregion=r\n",
	 .error = "profile 'b': it is a source_profile and has no keys"},
	{.why = "a role without a source",
	 .config = "[default]\nrole_arn=R1\n",
	 .error = "role_arn needs source_profile or credential_source"},
	{.why = "a role that asks for a person",
	 .config = "[default]\nrole_arn=R1\nsource_profile=default\nmfa_serial=m\n",
	 .error = "mfa_serial asks for a person"},
	{.why = "a duration that is none",
	 .config = "[default]\nrole_arn=R1\nsource_profile=default\nduration_seconds=60\n",
	 .error = "duration_seconds is not"},
	{.why = "a program",
	 .config = "[default]\ncredential_process=/bin/secret\n",
	 .error = "config: profile 'default': credential_process is not supported"},
	{.why = "single sign-on",
	 .config = "[default]\nsso_session=a\n",
	 .error = "sso_session is not supported"},
	{.why = "a region and no keys",
	 .environment = ENV("AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.23/v1"),
	 .config = "[default]\nregion=r\n",
	 .base = PLM_AWS_BASE_CONTAINER,
	 .source = "container",
	 .region = "r"},
	{.why = "a container elsewhere",
	 .environment = ENV("AWS_CONTAINER_CREDENTIALS_FULL_URI=http://example.com/v1"),
	 .error = "must be https"},
	{.why = "a container that looks near",
	 .environment = ENV("AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1.example.com/"),
	 .error = "must be https"},
	{.why = "a container in six",
	 .environment = ENV("AWS_CONTAINER_CREDENTIALS_FULL_URI=http://[fd00:ec2::23]/v1"),
	 .base = PLM_AWS_BASE_CONTAINER},
	{.why = "a container by https",
	 .environment = ENV("AWS_CONTAINER_CREDENTIALS_FULL_URI=https://example.com/v1"),
	 .base = PLM_AWS_BASE_CONTAINER},
	{.why = "a container without a slash",
	 .environment = ENV("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=@example.com/v1"),
	 .error = "is not a path"},
};

static size_t environment_of(const struct plan_case *row, const char *out[16])
{
	static char config[128], credentials[128];
	size_t count = 0;

	for (size_t i = 0; row->environment != NULL && row->environment[i] != NULL; i++) {
		out[count++] = row->environment[i];
	}
	(void)snprintf(config, sizeof(config), "AWS_CONFIG_FILE=%s/config", folder);
	(void)snprintf(credentials, sizeof(credentials),
		       "AWS_SHARED_CREDENTIALS_FILE=%s/credentials", folder);
	out[count++] = config;
	out[count++] = credentials;
	out[count] = NULL;
	return count;
}

static void looked_at(const char *want, const char *have)
{
	if (want != NULL) {
		assert_string_equal(have, want);
	}
}

static void plan_row(const struct plan_case *row)
{
	const char *environment[16];
	struct plm_aws_credentials_options options = {.environment = environment};
	struct plm_aws_plan *plan = calloc(1, sizeof(*plan));
	struct plm_error err = {0};
	enum plm_code code;

	assert_non_null(plan);
	(void)environment_of(row, environment);
	write_file("config", row->config == NULL ? "" : row->config);
	write_file("credentials", row->credentials == NULL ? "" : row->credentials);
	code = plm_aws_plan_make(&options, plan, &err);
	assert_null(strstr(err.text, "SeCrEt"));
	if (row->error != NULL) {
		plm_assert_fails(code, PLM_E_CONFIG, err, row->error);
		free(plan);
		return;
	}
	plm_assert_ok(code, &err);
	assert_int_equal(plan->base, row->base);
	looked_at(row->source, plan->source);
	looked_at(row->region, plan->region);
	looked_at(row->key_id, plan->keys.key_id);
	looked_at(row->token, plan->keys.token);
	looked_at(row->role, plan->web.role);
	assert_int_equal(plan->hop_count, row->hops);
	looked_at(row->hop, plan->hops[0].role);
	free(plan);
}
PLM_TEST_ROWS(plan_row, struct plan_case)

/* Files that are not there are empty; files that are too large, or none, are errors. */
static void files(void **state)
{
	const char *environment[] = {"HOME=/nonexistent", NULL, NULL};
	char variable[128];
	struct plm_aws_credentials_options options = {.environment = environment};
	struct plm_aws_plan *plan = calloc(1, sizeof(*plan));
	char *large = calloc(1, PLM_LIMIT_AWS_FILE_BYTES + 2);
	struct plm_error err = {0};

	(void)state;
	assert_non_null(plan);
	assert_non_null(large);
	plm_assert_ok(plm_aws_plan_make(&options, plan, &err), &err);
	assert_int_equal(plan->base, PLM_AWS_BASE_IMDS);
	(void)snprintf(variable, sizeof(variable), "AWS_CONFIG_FILE=%s", folder);
	environment[1] = variable;
	plm_assert_fails(plm_aws_plan_make(&options, plan, &err), PLM_E_CONFIG, err,
			 "cannot be read");
	(void)snprintf(variable, sizeof(variable), "AWS_CONFIG_FILE=%s/config", folder);
	memset(large, '\n', PLM_LIMIT_AWS_FILE_BYTES);
	write_file("config", large);
	plm_assert_ok(plm_aws_plan_make(&options, plan, &err), &err);
	large[PLM_LIMIT_AWS_FILE_BYTES] = '\n';
	write_file("config", large);
	plm_assert_fails(plm_aws_plan_make(&options, plan, &err), PLM_E_CONFIG, err,
			 "config: longer than 1048576 bytes");
	free(large);
	free(plan);
}

static void region_that_is_given_wins(void **state)
{
	const char *environment[] = {"AWS_REGION=a", NULL};
	struct plm_aws_credentials_options options = {.environment = environment, .region = "b"};
	struct plm_aws_plan *plan = calloc(1, sizeof(*plan));
	struct plm_error err = {0};

	(void)state;
	assert_non_null(plan);
	plm_assert_ok(plm_aws_plan_make(&options, plan, &err), &err);
	assert_string_equal(plan->region, "b");
	free(plan);
}

int main(void)
{
	struct plm_tests tests = {0};
	char path[128];
	int failed;

	PLM_ASSERT(mkdtemp(folder) != NULL);
	PLM_TEST_TABLE(&tests, plan_row, plan_table);
	PLM_TEST_ADD(&tests, files);
	PLM_TEST_ADD(&tests, region_that_is_given_wins);
	failed = plm_tests_run(&tests, "credentials plan");
	(void)snprintf(path, sizeof(path), "%s/config", folder);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/credentials", folder);
	(void)unlink(path);
	(void)rmdir(folder);
	return failed;
}
