/*
 * Every source of keys against a server that plays STS, the agent beside a container and IMDS; renewal ahead of expiry,
 * slow and failing; and no text that anybody sees has a secret.
 */
#include "../kube/server.h"
#include "plm_test.h"

#include "adapters/ec2/credentials_private.h"
#include "core/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WAYS_MAX 32

/* What is asked, and what is answered: the first way whose method and path it has, that is not used up. */
struct way {
	const char *ask;   /* "PUT /latest/api/token" */
	const char *head;  /* part of the header lines, NULL = not looked at */
	const char *lacks; /* not a part of them; NULL = not looked at */
	const char *form;  /* part of the body */
	unsigned status;
	const char *answer;
	int times; /* 0 = always */
	bool hang;
	int left_s; /* "%s" of 'answer' is the time in so many seconds; 0 = one hour */
};

struct scene {
	uv_loop_t loop;
	struct plm_http_client *http;
	struct plm_aws_credentials *credentials;
	struct server server;
	const struct way *ways;
	int used[WAYS_MAX];
	int asked, unasked; /* requests; those that no way is for */
	char body[8192];
	/* Of the last get. */
	int done, good;
	char key_id[129], secret[257], token[257], region[65], why[512];
	char notes[4096];
};

static char folder[] = "/tmp/plm-credentials-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	PLM_ASSERT(file != NULL);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* ---- the server ---------------------------------------------------------------------------------------- */

static bool is_way(const struct way *way, const struct server_request *request)
{
	char ask[640], body[8192];

	(void)snprintf(ask, sizeof(ask), "%s %s", request->method, request->path);
	(void)snprintf(body, sizeof(body), "%.*s", (int)request->body.size,
		       (const char *)request->body.ptr);
	return strcmp(way->ask, ask) == 0 &&
	       (way->head == NULL || strstr(request->head, way->head) != NULL) &&
	       (way->lacks == NULL || strstr(request->head, way->lacks) == NULL) &&
	       (way->form == NULL || strstr(body, way->form) != NULL);
}

/* The time in 'left_s' seconds into the answer's one "%s". */
static const char *with_time(struct scene *scene, const struct way *way)
{
	time_t at = time(NULL) + (way->left_s == 0 ? 3600 : way->left_s);
	const char *mark = strstr(way->answer, "%s");
	char text[80];
	struct tm tm;

	if (mark == NULL) {
		return way->answer;
	}
	assert_non_null(gmtime_r(&at, &tm));
	(void)snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900,
		       tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	(void)snprintf(scene->body, sizeof(scene->body), "%.*s%s%s", (int)(mark - way->answer),
		       way->answer, text, mark + 2);
	return scene->body;
}

static void on_ask(void *self, const struct server_request *request, struct server_answer *answer)
{
	struct scene *scene = self;

	scene->asked++;
	for (size_t i = 0; i < WAYS_MAX && scene->ways[i].ask != NULL; i++) {
		const struct way *way = &scene->ways[i];

		if ((way->times == 0 || scene->used[i] < way->times) && is_way(way, request)) {
			scene->used[i]++;
			answer->status = way->status;
			answer->hang = way->hang;
			answer->body = with_time(scene, way);
			return;
		}
	}
	scene->unasked++;
	print_message("nothing for %s %s\n%s\n%.*s\n", request->method, request->path,
		      request->head, (int)request->body.size, (const char *)request->body.ptr);
}

/* ---- the scene ----------------------------------------------------------------------------------------- */

static void on_note(void *self, const char *text)
{
	struct scene *scene = self;
	size_t size = strlen(scene->notes);

	(void)snprintf(scene->notes + size, sizeof(scene->notes) - size, "%s\n", text);
}

static void on_keys(void *self, const struct plm_aws_keys *keys, const char *why)
{
	struct scene *scene = self;

	scene->done++;
	scene->good = keys != NULL ? 1 : 0;
	assert_int_equal(keys == NULL, why != NULL);
	(void)snprintf(scene->why, sizeof(scene->why), "%s", why == NULL ? "" : why);
	if (keys != NULL) {
		(void)snprintf(scene->key_id, sizeof(scene->key_id), "%s", keys->key_id);
		(void)snprintf(scene->secret, sizeof(scene->secret), "%s", keys->secret);
		(void)snprintf(scene->token, sizeof(scene->token), "%s", keys->token);
		(void)snprintf(scene->region, sizeof(scene->region), "%s", keys->region);
	}
}

#define ENV(...) ((const char *const[]){__VA_ARGS__, NULL})

/* "PORT" of a variable is the server's. */
static void fill_in(const struct scene *scene, const char *from, char *to, size_t room)
{
	const char *mark = strstr(from, "PORT");
	const char *path = strstr(from, "FOLDER");

	if (mark != NULL) {
		(void)snprintf(to, room, "%.*s%d%s", (int)(mark - from), from, scene->server.port,
			       mark + 4);
	} else if (path != NULL) {
		(void)snprintf(to, room, "%.*s%s%s", (int)(path - from), from, folder, path + 6);
	} else {
		(void)snprintf(to, room, "%s", from);
	}
}

static void open_scene(struct scene *scene, const char *const *environment, const struct way *ways)
{
	struct plm_http_client_options http = {.loop = &scene->loop, .calls_max = 8};
	static char variables[16][256];
	static const char *filled[17];
	struct plm_aws_credentials_options options = {
		.loop = &scene->loop, .seed = 7, .near_ms = 200, .note = on_note, .self = scene};
	struct plm_error err = {0};
	size_t count = 0;

	memset(scene, 0, sizeof(*scene));
	scene->ways = ways;
	assert_int_equal(uv_loop_init(&scene->loop), 0);
	plm_assert_ok(plm_http_client_new(&http, &scene->http, &err), &err);
	scene->server.loop = &scene->loop;
	scene->server.ask = on_ask;
	scene->server.self = scene;
	server_open(&scene->server);
	for (; environment[count] != NULL; count++) {
		fill_in(scene, environment[count], variables[count], sizeof(variables[count]));
		filled[count] = variables[count];
	}
	filled[count] = NULL;
	options.environment = filled;
	options.http = scene->http;
	plm_assert_ok(plm_aws_credentials_new(&options, &scene->credentials, &err), &err);
}

static void close_scene(struct scene *scene)
{
	assert_null(strstr(scene->notes, "SeCrEt"));
	assert_null(strstr(scene->why, "SeCrEt"));
	assert_int_equal(scene->unasked, 0);
	plm_aws_credentials_free(scene->credentials);
	plm_http_client_free(scene->http);
	server_close(&scene->server);
	assert_int_equal(uv_run(&scene->loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&scene->loop), 0);
}

static void on_tick(uv_timer_t *timer)
{
	(void)timer;
}

/* Until 'count' gets are answered, or 'most_ms' are over. */
static void run(struct scene *scene, int count, int64_t most_ms)
{
	int64_t end = plm_aws_loop_ms() + most_ms;
	uv_timer_t tick;

	assert_int_equal(uv_timer_init(&scene->loop, &tick), 0);
	assert_int_equal(uv_timer_start(&tick, on_tick, 5, 5), 0);
	while (scene->done < count && plm_aws_loop_ms() < end) {
		(void)uv_run(&scene->loop, UV_RUN_ONCE);
	}
	uv_close((uv_handle_t *)&tick, NULL);
	(void)uv_run(&scene->loop, UV_RUN_NOWAIT);
}

static void get(struct scene *scene)
{
	int want = scene->done + 1;

	(void)plm_aws_credentials_get(scene->credentials, on_keys, scene);
	assert_int_equal(scene->done, want - 1);
	run(scene, want, 30000);
	assert_int_equal(scene->done, want);
}

static void wait_ms(struct scene *scene, int64_t time_ms)
{
	run(scene, INT32_MAX, time_ms);
}

/* ---- answers ------------------------------------------------------------------------------------------- */

#define STS(action, key)                                                                           \
	"<" action "Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><" action         \
	"Result><Credentials><AccessKeyId>" key "</AccessKeyId><SecretAccessKey>SeCrEt/" key       \
	"</SecretAccessKey><SessionToken>SeCrEt+" key "=</SessionToken><Expiration>%s"             \
	"</Expiration></Credentials><AssumedRoleUser/></" action "Result></" action "Response>"
#define STS_ERROR(code)                                                                            \
	"<ErrorResponse><Error><Type>Sender</Type><Code>" code                                     \
	"</Code><Message>SeCrEt</Message></Error><RequestId>r</RequestId></ErrorResponse>"
#define JSON(key)                                                                                  \
	"{\"Code\":\"Success\",\"AccessKeyId\":\"" key "\",\"SecretAccessKey\":\"SeCrEt/" key      \
	"\",\"Token\":\"SeCrEt+" key "=\",\"Expiration\":\"%s\"}"
#define WEB "AssumeRoleWithWebIdentity"
#define WEB_ENV                                                                                    \
	"AWS_REGION=us-west-2", "AWS_WEB_IDENTITY_TOKEN_FILE=FOLDER/token",                        \
		"AWS_ROLE_ARN=arn:aws:iam::1:role/r", "AWS_ENDPOINT_URL_STS=http://127.0.0.1:PORT"
#define IMDS_ENV "AWS_EC2_METADATA_SERVICE_ENDPOINT=http://127.0.0.1:PORT/"
#define TOKEN                                                                                      \
	{.ask = "PUT /latest/api/token",                                                           \
	 .head = "X-aws-ec2-metadata-token-ttl-seconds: 21600",                                    \
	 .status = 200,                                                                            \
	 .answer = "SeCrEt-imds"}
#define ROLES "GET /latest/meta-data/iam/security-credentials/"
#define REGION "GET /latest/meta-data/placement/region"
#define WITH_TOKEN "X-aws-ec2-metadata-token: SeCrEt-imds"

/* ---- one get of each source ------------------------------------------------------------------------------ */

static const struct source_case {
	const char *why;
	const char *const *environment;
	struct way ways[8];
	const char *config;
	const char *key_id; /* NULL = none come */
	const char *source, *region;
	const char *error; /* part of what is said */
	int asked;
} source_table[] = {
	{.why = "environment",
	 .environment = ENV("AWS_ACCESS_KEY_ID=AKENV", "AWS_SECRET_ACCESS_KEY=SeCrEt/AKENV",
			    "AWS_SESSION_TOKEN=SeCrEt+AKENV=", "AWS_REGION=us-west-2"),
	 .key_id = "AKENV",
	 .source = "environment",
	 .region = "us-west-2"},
	{.why = "web identity",
	 .environment = ENV(WEB_ENV, "AWS_ROLE_SESSION_NAME=me"),
	 .ways = {{.ask = "POST /",
		   .head = "Content-Type: application/x-www-form-urlencoded",
		   .lacks = "Authorization",
		   .form = "Action=" WEB "&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr"
			   "&RoleSessionName=me&Version=2011-06-15"
			   "&WebIdentityToken=SeCrEt.jwt%2B",
		   .status = 200,
		   .answer = STS(WEB, "AKWEB")}},
	 .key_id = "AKWEB",
	 .source = "web identity",
	 .region = "us-west-2",
	 .asked = 1},
	{.why = "web identity, denied",
	 .environment = ENV(WEB_ENV),
	 .ways = {{.ask = "POST /", .status = 403, .answer = STS_ERROR("AccessDenied")}},
	 .error = "no credentials: web identity: AssumeRoleWithWebIdentity for role "
		  "arn:aws:iam::1:role/r: AccessDenied (HTTP 403)",
	 .asked = 1},
	{.why = "web identity, twice unwell",
	 .environment = ENV(WEB_ENV),
	 .ways = {{.ask = "POST /", .status = 503, .answer = "<html>", .times = 1},
		  {.ask = "POST /",
		   .status = 400,
		   .answer = STS_ERROR("IDPCommunicationError"),
		   .times = 1},
		  {.ask = "POST /", .status = 200, .answer = STS(WEB, "AKWEB")}},
	 .key_id = "AKWEB",
	 .asked = 3},
	{.why = "web identity, always unwell",
	 .environment = ENV(WEB_ENV),
	 .ways = {{.ask = "POST /", .status = 500, .answer = "SeCrEt"}},
	 .error = "web identity: answered HTTP 500",
	 .asked = 3},
	{.why = "web identity, an answer that is none",
	 .environment = ENV(WEB_ENV),
	 .ways = {{.ask = "POST /", .status = 200, .answer = "<!doctype html><p>SeCrEt"}},
	 .error = "an answer that is none of STS (HTTP 200)",
	 .asked = 1},
	{.why = "web identity, an answer with entities",
	 .environment = ENV(WEB_ENV),
	 .ways = {{.ask = "POST /",
		   .status = 200,
		   .answer = "<!DOCTYPE a [<!ENTITY b \"c\">]>" STS(WEB, "AK&b;")}},
	 .error = "an answer that is none of STS",
	 .asked = 1},
	{.why = "web identity, keys that have expired",
	 .environment = ENV(WEB_ENV),
	 .ways = {{.ask = "POST /", .status = 200, .answer = STS(WEB, "AKWEB"), .left_s = -9}},
	 .error = "have expired: is the clock right?",
	 .asked = 1},
	{.why = "web identity, keys of another call",
	 .environment = ENV(WEB_ENV),
	 .ways = {{.ask = "POST /", .status = 200, .answer = STS("AssumeRole", "AKWEB")}},
	 .error = "an answer that is none of STS",
	 .asked = 1},
	{.why = "web identity, no token",
	 .environment = ENV("AWS_REGION=r", "AWS_WEB_IDENTITY_TOKEN_FILE=/nonexistent/token",
			    "AWS_ROLE_ARN=arn"),
	 .error = "web identity: /nonexistent/token: cannot be read"},
	{.why = "a role of a role",
	 .environment =
		 ENV("AWS_CONFIG_FILE=FOLDER/config", "AWS_ENDPOINT_URL=http://127.0.0.1:PORT"),
	 .config = "[default]\nregion=eu-west-1\nrole_arn=R1\nsource_profile=b\nexternal_id=x/y\n"
		   "duration_seconds=900\n[profile b]\nrole_arn=R2\nsource_profile=c\n"
		   "[profile c]\naws_access_key_id=AKC\naws_secret_access_key=SeCrEt\n",
	 .ways = {{.ask = "POST /",
		   .head = "Credential=AKC/",
		   .lacks = "X-Amz-Security-Token",
		   .form = "Action=AssumeRole&RoleArn=R2&RoleSessionName=plimsoll&",
		   .status = 200,
		   .answer = STS("AssumeRole", "AKR2")},
		  {.ask = "POST /",
		   .head = "X-Amz-Security-Token: SeCrEt+AKR2=",
		   .form = "Action=AssumeRole&DurationSeconds=900&ExternalId=x%2Fy&RoleArn=R1&",
		   .status = 200,
		   .answer = STS("AssumeRole", "AKR1")}},
	 .key_id = "AKR1",
	 .source = "profile default",
	 .region = "eu-west-1",
	 .asked = 2},
	{.why = "a role that may not be assumed",
	 .environment = ENV("AWS_CONFIG_FILE=FOLDER/config", "AWS_REGION=r",
			    "AWS_ENDPOINT_URL=http://127.0.0.1:PORT"),
	 .config = "[default]\nrole_arn=R1\nsource_profile=default\naws_access_key_id=AKC\n"
		   "aws_secret_access_key=SeCrEt\n",
	 .ways = {{.ask = "POST /",
		   .head = "/r/sts/aws4_request",
		   .status = 403,
		   .answer = STS_ERROR("AccessDenied")}},
	 .error = "profile default: AssumeRole for role R1: AccessDenied (HTTP 403)",
	 .asked = 1},
	{.why = "container",
	 .environment = ENV("AWS_REGION=r",
			    "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:PORT/v1/c",
			    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=FOLDER/token"),
	 .ways = {{.ask = "GET /v1/c",
		   .head = "Authorization: SeCrEt.jwt+",
		   .status = 200,
		   .answer = JSON("AKPOD")}},
	 .key_id = "AKPOD",
	 .source = "container",
	 .asked = 1},
	{.why = "container without a token",
	 .environment =
		 ENV("AWS_REGION=r", "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:PORT"),
	 .ways = {{.ask = "GET /",
		   .lacks = "Authorization",
		   .status = 200,
		   .answer = JSON("AKPOD")}},
	 .key_id = "AKPOD",
	 .asked = 1},
	{.why = "container that refuses",
	 .environment =
		 ENV("AWS_REGION=r", "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:PORT/v1",
		     "AWS_CONTAINER_AUTHORIZATION_TOKEN=SeCrEt"),
	 .ways = {{.ask = "GET /v1",
		   .head = "Authorization: SeCrEt",
		   .status = 400,
		   .answer = "{\"code\":\"AccessDeniedException\",\"message\":\"SeCrEt\"}"}},
	 .error = "container: HTTP 400, AccessDeniedException",
	 .asked = 1},
	{.why = "container that has half a key",
	 .environment =
		 ENV("AWS_REGION=r", "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:PORT/v1"),
	 .ways = {{.ask = "GET /v1",
		   .status = 200,
		   .answer = "{\"AccessKeyId\":\"A\",\"Token\":\"SeCrEt\"}"}},
	 .error = "container: HTTP 200, not keys",
	 .asked = 1},
	{.why = "IMDS, with its region",
	 .environment = ENV(IMDS_ENV),
	 .ways = {TOKEN,
		  {.ask = REGION, .head = WITH_TOKEN, .status = 200, .answer = "us-east-2"},
		  {.ask = ROLES, .head = WITH_TOKEN, .status = 200, .answer = "my-role\n"},
		  {.ask = ROLES "my-role",
		   .head = WITH_TOKEN,
		   .status = 200,
		   .answer = JSON("AKIMDS")}},
	 .key_id = "AKIMDS",
	 .source = "IMDS",
	 .region = "us-east-2",
	 .asked = 4},
	{.why = "IMDS that forgot its token",
	 .environment = ENV(IMDS_ENV, "AWS_REGION=r"),
	 .ways = {TOKEN,
		  {.ask = ROLES, .status = 401, .answer = "", .times = 1},
		  {.ask = ROLES, .status = 200, .answer = "my-role"},
		  {.ask = ROLES "my-role", .status = 200, .answer = JSON("AKIMDS")}},
	 .key_id = "AKIMDS",
	 .asked = 5},
	{.why = "IMDS that never takes its token",
	 .environment = ENV(IMDS_ENV, "AWS_REGION=r"),
	 .ways = {TOKEN, {.ask = ROLES, .status = 401, .answer = ""}},
	 .error = "IMDS answered HTTP 401 for its role",
	 .asked = 4},
	{.why = "IMDS without a role",
	 .environment = ENV(IMDS_ENV, "AWS_REGION=r"),
	 .ways = {TOKEN, {.ask = ROLES, .status = 404, .answer = ""}},
	 .error = "IMDS has no role: the instance has no profile",
	 .asked = 2},
	{.why = "IMDS that is off",
	 .environment = ENV(IMDS_ENV),
	 .ways = {{.ask = "PUT /latest/api/token", .status = 403, .answer = ""}},
	 .error = "IMDS is turned off for this instance",
	 .asked = 1},
	{.why = "IMDS of version 1",
	 .environment = ENV(IMDS_ENV),
	 .ways = {{.ask = "PUT /latest/api/token", .status = 405, .answer = ""}},
	 .error = "IMDS gave no token (HTTP 405)",
	 .asked = 1},
	{.why = "IMDS too many hops away",
	 .environment = ENV(IMDS_ENV, "AWS_REGION=r"),
	 .ways = {{.ask = "PUT /latest/api/token", .status = 200, .answer = "", .hang = true}},
	 .error = "not answered within 200 ms; set up keys or an identity of the pod; from a pod "
		  "IMDS answers only with a hop limit of 2 or more",
	 .asked = 3},
	{.why = "IMDS that failed to get keys",
	 .environment = ENV(IMDS_ENV, "AWS_REGION=r"),
	 .ways = {TOKEN,
		  {.ask = ROLES, .status = 200, .answer = "a"},
		  {.ask = ROLES "a",
		   .status = 200,
		   .answer = "{\"Code\":\"AssumeRoleUnauthorizedAccess\"}"}},
	 .error = "IMDS: IMDS gave no keys: AssumeRoleUnauthorizedAccess",
	 .asked = 3},
	{.why = "IMDS with old keys, which are honoured",
	 .environment = ENV(IMDS_ENV, "AWS_REGION=r"),
	 .ways = {TOKEN,
		  {.ask = ROLES, .status = 200, .answer = "a"},
		  {.ask = ROLES "a", .status = 200, .answer = JSON("AKOLD"), .left_s = -60}},
	 .key_id = "AKOLD",
	 .asked = 3},
	{.why = "environment, with IMDS' region",
	 .environment =
		 ENV(IMDS_ENV, "AWS_ACCESS_KEY_ID=AKENV", "AWS_SECRET_ACCESS_KEY=SeCrEt/AKENV",
		     "AWS_SESSION_TOKEN=SeCrEt+AKENV="),
	 .ways = {TOKEN, {.ask = REGION, .status = 200, .answer = "us-east-2"}},
	 .key_id = "AKENV",
	 .source = "environment",
	 .region = "us-east-2",
	 .asked = 2},
	{.why = "a region that is none",
	 .environment = ENV(IMDS_ENV),
	 .ways = {TOKEN, {.ask = REGION, .status = 200, .answer = "../../SeCrEt"}},
	 .error = "IMDS names a region that is none",
	 .asked = 2},
	{.why = "no region, and no instance",
	 .environment = ENV("AWS_EC2_METADATA_DISABLED=true", "AWS_ACCESS_KEY_ID=A",
			    "AWS_SECRET_ACCESS_KEY=SeCrEt"),
	 .error = "the region is not known: set AWS_REGION"},
	{.why = "nothing, and no instance",
	 .environment = ENV("AWS_EC2_METADATA_DISABLED=true", "AWS_REGION=r"),
	 .error = "no credentials: no source of keys is set up, and "},
};

static void source_row(const struct source_case *row)
{
	struct scene scene;
	char want[128];

	write_file("token", "SeCrEt.jwt+\n");
	write_file("config", row->config == NULL ? "" : row->config);
	open_scene(&scene, row->environment, row->ways);
	assert_string_equal(plm_aws_credentials_source(scene.credentials), "");
	assert_int_equal(plm_aws_credentials_left_s(scene.credentials), PLM_UNSET);
	get(&scene);
	assert_int_equal(scene.asked, row->asked);
	if (row->key_id == NULL) {
		assert_int_equal(scene.good, 0);
		assert_non_null(strstr(scene.why, row->error));
		assert_non_null(strstr(scene.notes, row->error));
		close_scene(&scene);
		return;
	}
	assert_string_equal(scene.why, "");
	assert_string_equal(scene.key_id, row->key_id);
	(void)snprintf(want, sizeof(want), "SeCrEt/%s", row->key_id);
	assert_string_equal(scene.secret, want);
	(void)snprintf(want, sizeof(want), "SeCrEt+%s=", row->key_id);
	assert_string_equal(scene.token, want);
	if (row->source != NULL) {
		assert_string_equal(plm_aws_credentials_source(scene.credentials), row->source);
	}
	if (row->region != NULL) {
		assert_string_equal(scene.region, row->region);
	}
	close_scene(&scene);
}
PLM_TEST_ROWS(source_row, struct source_case)

/* ---- renewal --------------------------------------------------------------------------------------------- */

/* As if the time to renew had come. */
static void renew_now(struct scene *scene)
{
	uv_timer_t *look = &scene->credentials->look;

	scene->credentials->renew_ms = plm_aws_wall_ms();
	assert_int_equal(uv_timer_start(look, look->timer_cb, 0, 0), 0);
}

/* Ahead of expiry, without anybody asking; who asks meanwhile gets the old ones at once. */
static void renewed_ahead(void **state)
{
	static const struct way ways[] = {
		{.ask = "POST /",
		 .status = 200,
		 .answer = STS(WEB, "AK1"),
		 .times = 1,
		 .left_s = 400},
		{.ask = "POST /", .status = 200, .answer = "", .times = 1, .hang = true},
		{.ask = NULL}};
	struct scene scene;
	int64_t ahead_ms = 0;

	(void)state;
	open_scene(&scene, ENV(WEB_ENV), ways);
	get(&scene);
	assert_string_equal(scene.key_id, "AK1");
	assert_in_range(plm_aws_credentials_left_s(scene.credentials), 300, 400);
	ahead_ms = scene.credentials->held.expires_ms - scene.credentials->renew_ms;
	assert_in_range(ahead_ms, 75000, 120000); /* a quarter, and up to a fifth of it */
	wait_ms(&scene, 100);
	assert_int_equal(scene.asked, 1); /* not yet */
	renew_now(&scene);
	wait_ms(&scene, 100);
	assert_int_equal(scene.asked, 2); /* it hangs */
	get(&scene);
	assert_string_equal(scene.key_id, "AK1");
	close_scene(&scene);
}

static void failing_keeps_the_old(void **state)
{
	static const struct way ways[] = {
		{.ask = "POST /",
		 .status = 200,
		 .answer = STS(WEB, "AK1"),
		 .times = 1,
		 .left_s = 400},
		{.ask = "POST /",
		 .status = 403,
		 .answer = STS_ERROR("ExpiredTokenException"),
		 .times = 1},
		{.ask = "POST /", .status = 200, .answer = STS(WEB, "AK2")},
		{.ask = NULL}};
	struct scene scene;

	(void)state;
	open_scene(&scene, ENV(WEB_ENV), ways);
	get(&scene);
	renew_now(&scene);
	while (scene.asked < 2) {
		wait_ms(&scene, 20);
	}
	wait_ms(&scene, 20);
	get(&scene);
	assert_string_equal(scene.key_id, "AK1");
	assert_non_null(strstr(scene.notes, "not renewed, "));
	assert_non_null(strstr(scene.notes, "ExpiredTokenException"));
	while (scene.asked < 3) {
		wait_ms(&scene, 20);
	}
	wait_ms(&scene, 50);
	get(&scene);
	assert_string_equal(scene.key_id, "AK2");
	assert_non_null(strstr(scene.notes, "credentials: renewed"));
	close_scene(&scene);
}

/* What has expired is not handed out; who asks while nothing can be had is told why, and nothing is hammered. */
static void expired_is_gone(void **state)
{
	static const struct way ways[] = {
		{.ask = "POST /",
		 .status = 200,
		 .answer = STS(WEB, "AK1"),
		 .times = 1,
		 .left_s = 2},
		{.ask = "POST /", .status = 403, .answer = STS_ERROR("AccessDenied")},
		{.ask = NULL}};
	struct scene scene;
	int asked;

	(void)state;
	open_scene(&scene, ENV(WEB_ENV), ways);
	get(&scene);
	assert_string_equal(scene.key_id, "AK1");
	while (scene.asked < 2 || plm_aws_credentials_left_s(scene.credentials) > 0) {
		wait_ms(&scene, 20);
	}
	get(&scene);
	assert_int_equal(scene.good, 0);
	assert_non_null(strstr(scene.why, "AccessDenied"));
	asked = scene.asked;
	for (int i = 0; i < 50; i++) {
		get(&scene);
	}
	assert_int_equal(scene.good, 0);
	assert_true(scene.asked <= asked + 1);
	close_scene(&scene);
}

/* Keys that AWS refuses are fetched anew, but not again and again. */
static void refused_is_fetched(void **state)
{
	static const struct way ways[] = {
		{.ask = "POST /", .status = 200, .answer = STS(WEB, "AK1"), .times = 1},
		{.ask = "POST /", .status = 200, .answer = STS(WEB, "AK2"), .times = 1},
		{.ask = "POST /", .status = 403, .answer = STS_ERROR("AccessDenied")},
		{.ask = NULL}};
	struct scene scene;

	(void)state;
	open_scene(&scene, ENV(WEB_ENV), ways);
	get(&scene);
	plm_aws_credentials_refused(scene.credentials);
	get(&scene);
	assert_string_equal(scene.key_id, "AK1"); /* they are as new as can be */
	scene.credentials->fetched_ms -= PLM_LIMIT_AWS_REFUSED_MS;
	plm_aws_credentials_refused(scene.credentials);
	assert_int_equal(scene.asked, 1);
	get(&scene);
	assert_string_equal(scene.key_id, "AK2");
	scene.credentials->fetched_ms -= PLM_LIMIT_AWS_REFUSED_MS;
	plm_aws_credentials_refused(scene.credentials);
	get(&scene);
	assert_string_equal(scene.key_id, "AK2"); /* no others are to be had */
	assert_int_equal(scene.asked, 3);
	close_scene(&scene);
}

/* ---- who waits ------------------------------------------------------------------------------------------- */

static const struct way slow[] = {
	{.ask = "POST /", .status = 200, .answer = "", .times = 1, .hang = true},
	{.ask = "POST /", .status = 200, .answer = STS(WEB, "AK1")},
	{.ask = NULL}};

static void many_wait_for_one(void **state)
{
	static const struct way ways[] = {
		{.ask = "POST /", .status = 200, .answer = STS(WEB, "AK1")}, {.ask = NULL}};
	struct scene scene;
	uint64_t middle;

	(void)state;
	open_scene(&scene, ENV(WEB_ENV), ways);
	(void)plm_aws_credentials_get(scene.credentials, on_keys, &scene);
	middle = plm_aws_credentials_get(scene.credentials, on_keys, &scene);
	(void)plm_aws_credentials_get(scene.credentials, on_keys, &scene);
	plm_aws_credentials_forget(scene.credentials, middle);
	plm_aws_credentials_forget(scene.credentials, 99);
	run(&scene, 3, 500);
	assert_int_equal(scene.done, 2);
	assert_int_equal(scene.asked, 1);
	middle = plm_aws_credentials_get(scene.credentials, on_keys, &scene);
	plm_aws_credentials_forget(scene.credentials, middle);
	get(&scene);
	assert_int_equal(scene.done, 3);
	close_scene(&scene);
}

static void freed_while_they_wait(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, ENV(WEB_ENV), slow);
	(void)plm_aws_credentials_get(scene.credentials, on_keys, &scene);
	run(&scene, 1, 100);
	assert_int_equal(scene.asked, 1);
	close_scene(&scene);
	assert_int_equal(scene.done, 0);
}

/* What is wrong for good is said when the daemon starts. */
static void wrong_from_the_start(void **state)
{
	struct plm_aws_credentials *credentials = NULL;
	struct plm_aws_credentials_options options = {0};
	struct plm_error err = {0};

	(void)state;
	options.environment = ENV("AWS_PROFILE=gone", "HOME=/nonexistent");
	plm_assert_fails(plm_aws_credentials_new(&options, &credentials, &err), PLM_E_CONFIG, err,
			 "there is no profile 'gone'");
	options.environment = ENV("AWS_CA_BUNDLE=/nonexistent/ca");
	plm_assert_fails(plm_aws_credentials_new(&options, &credentials, &err), PLM_E_CONFIG, err,
			 "AWS_CA_BUNDLE: /nonexistent/ca: cannot be read");
	assert_null(credentials);
	plm_aws_credentials_free(NULL);
}

int main(void)
{
	struct plm_tests tests = {0};
	char path[128];
	int failed;

	PLM_ASSERT(mkdtemp(folder) != NULL);
	PLM_TEST_TABLE(&tests, source_row, source_table);
	PLM_TEST_ADD(&tests, renewed_ahead);
	PLM_TEST_ADD(&tests, failing_keeps_the_old);
	PLM_TEST_ADD(&tests, expired_is_gone);
	PLM_TEST_ADD(&tests, refused_is_fetched);
	PLM_TEST_ADD(&tests, many_wait_for_one);
	PLM_TEST_ADD(&tests, freed_while_they_wait);
	PLM_TEST_ADD(&tests, wrong_from_the_start);
	failed = plm_tests_run(&tests, "credentials sources");
	(void)snprintf(path, sizeof(path), "%s/token", folder);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/config", folder);
	(void)unlink(path);
	(void)rmdir(folder);
	return failed;
}
