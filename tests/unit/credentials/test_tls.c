/* Keys over TLS: the bundle that AWS_CA_BUNDLE names is trusted, and nobody else. */
#include "plm_test.h"
#include "tests/unit/http/http_help.h"

#include "adapters/ec2/credentials.h"

#include <stdio.h>
#include <unistd.h>

struct got {
	int done;
	char key_id[64], why[512];
};

static void on_keys(void *self, const struct plm_aws_keys *keys, const char *why)
{
	struct got *got = self;

	got->done++;
	(void)snprintf(got->key_id, sizeof(got->key_id), "%s", keys == NULL ? "" : keys->key_id);
	(void)snprintf(got->why, sizeof(got->why), "%s", why == NULL ? "" : why);
}

/* The server answers what its query says. */
static const char answer[] = "/status?n=200&body=%7B%22AccessKeyId%22:%22AK%22,"
			     "%22SecretAccessKey%22:%22SeCrEt%22%7D";

static void get(const char *bundle, struct got *got)
{
	char uri[256], ca[128];
	const char *environment[] = {"AWS_REGION=r", uri, ca, NULL};
	struct plm_aws_credentials_options options = {.environment = environment};
	struct plm_aws_credentials *credentials = NULL;
	struct plm_error err = {0};
	struct stage stage;

	*got = (struct got){0};
	(void)snprintf(uri, sizeof(uri), "AWS_CONTAINER_CREDENTIALS_FULL_URI=%s%s",
		       http_server_url("tls"), answer);
	(void)snprintf(ca, sizeof(ca), "AWS_CA_BUNDLE=%s", bundle);
	stage_open(&stage, 4);
	options.loop = &stage.loop;
	options.http = stage.client;
	plm_assert_ok(plm_aws_credentials_new(&options, &credentials, &err), &err);
	(void)plm_aws_credentials_get(credentials, on_keys, got);
	while (got->done == 0) {
		(void)uv_run(&stage.loop, UV_RUN_ONCE);
	}
	plm_aws_credentials_free(credentials);
	stage_close(&stage);
}

static void write_bundle(const char *path, const char *name)
{
	struct plm_slice pem = http_server_file(name);
	FILE *file = fopen(path, "w");

	PLM_ASSERT(file != NULL);
	assert_int_equal(fwrite(pem.ptr, 1, pem.size, file), pem.size);
	assert_int_equal(fclose(file), 0);
}

static void bundle_is_trusted(void **state)
{
	char path[64];
	struct got got;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/plm-bundle-%d", (int)getpid());
	write_bundle(path, "ca.pem");
	get(path, &got);
	assert_string_equal(got.why, "");
	assert_string_equal(got.key_id, "AK");
	write_bundle(path, "otherca.pem");
	get(path, &got);
	assert_string_equal(got.key_id, "");
	assert_non_null(strstr(got.why, "no credentials: container: GET 127.0.0.1:"));
	assert_non_null(strstr(got.why, "certificate"));
	assert_int_equal(unlink(path), 0);
	get("", &got); /* the system's */
	assert_string_equal(got.key_id, "");
	assert_non_null(strstr(got.why, "certificate"));
}

int main(void)
{
	struct plm_tests tests = {0};
	int failed;

	http_server_start();
	PLM_TEST_ADD(&tests, bundle_is_trusted);
	failed = plm_tests_run(&tests, "credentials tls");
	http_server_stop();
	return failed;
}
