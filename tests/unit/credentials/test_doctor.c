/* doctor.h against a server that plays AWS: who we are, what is denied, and that nothing but reads and dry runs is asked. */
#include "plm_test.h"

#include "../kube/server.h"

#include "adapters/ec2/doctor.h"

#include <stdio.h>
#include <time.h>

struct scene {
	uv_loop_t loop;
	struct plm_http_client *http;
	struct plm_aws_doctor *doctor;
	struct server server;
	const char *deny;     /* an action; NULL = none */
	const char *identity; /* code of the answer that is none; NULL = it is one */
	int asked, wet;	      /* requests; of EC2 without DryRun=true */
	bool done;
	char lines[4096], answer[1024];
};

static void on_line(void *self, enum plm_aws_doctor_level level, const char *object,
		    const char *text)
{
	static const char *const levels[] = {"ok", "note", "finding"};
	struct scene *scene = self;
	size_t size = strlen(scene->lines);

	(void)snprintf(scene->lines + size, sizeof(scene->lines) - size, "%s %s: %s\n",
		       levels[level], object, text);
}

static void on_done(void *self)
{
	struct scene *scene = self;

	assert_false(scene->done);
	scene->done = true;
}

static bool body_has(const struct server_request *request, const char *part)
{
	return memmem(request->body.ptr, request->body.size, part, strlen(part)) != NULL;
}

static void answer_form(struct scene *scene, const struct server_request *request,
			struct server_answer *answer)
{
	const char *code = "DryRunOperation";
	char action[128];

	answer->status = 412;
	if (body_has(request, "Action=GetCallerIdentity")) {
		answer->status = 200;
		answer->body = "<GetCallerIdentityResponse><GetCallerIdentityResult>"
			       "<Arn>arn:aws:sts::1:assumed-role/r/s</Arn>"
			       "</GetCallerIdentityResult></GetCallerIdentityResponse>";
		if (scene->identity == NULL) {
			return;
		}
		code = scene->identity;
		answer->status = 403;
	} else if (!body_has(request, "DryRun=true")) {
		scene->wet++;
	}
	(void)snprintf(action, sizeof(action), "Action=%s&",
		       scene->deny == NULL ? "-" : scene->deny);
	if (body_has(request, action)) {
		code = "UnauthorizedOperation";
		answer->status = 403;
	}
	(void)snprintf(scene->answer, sizeof(scene->answer),
		       "<Response><Errors><Error><Code>%s</Code><Message>m</Message></Error>"
		       "</Errors></Response>",
		       code);
	answer->body = scene->answer;
}

static void on_ask(void *self, const struct server_request *request, struct server_answer *answer)
{
	struct scene *scene = self;

	scene->asked++;
	if (request->target[0] == '\0') {
		answer_form(scene, request, answer);
	} else if (scene->deny != NULL && strstr(request->target, scene->deny) != NULL) {
		answer->status = 400;
		answer->body = "{\"__type\":\"AccessDeniedException\"}";
	} else {
		answer->status = 200;
		answer->body = "{\"Parameter\":{\"Value\":\"ami-1\"}}";
	}
}

static int64_t wall_ns(void *self)
{
	struct timespec now;

	(void)self;
	(void)timespec_get(&now, TIME_UTC);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void look(struct scene *scene, const char *const *environment)
{
	struct plm_http_client_options http = {.loop = &scene->loop, .calls_max = 16};
	struct plm_aws_doctor_options options = {
		.loop = &scene->loop,
		.clock = {.wall_ns = wall_ns},
		.environment = environment,
		.region = "eu-west-1",
		.line = on_line,
		.done = on_done,
		.self = scene,
	};
	struct plm_error err = {0};
	char url[64];

	assert_int_equal(uv_loop_init(&scene->loop), 0);
	plm_assert_ok(plm_http_client_new(&http, &scene->http, &err), &err);
	scene->server.loop = &scene->loop;
	scene->server.ask = on_ask;
	scene->server.self = scene;
	server_open(&scene->server);
	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%d", scene->server.port);
	options.http = scene->http;
	options.endpoint = url;
	plm_assert_ok(plm_aws_doctor_new(&options, &scene->doctor, &err), &err);
	while (!scene->done) {
		(void)uv_run(&scene->loop, UV_RUN_ONCE);
	}
	plm_aws_doctor_free(scene->doctor);
	plm_http_client_free(scene->http);
	server_close(&scene->server);
	assert_int_equal(uv_run(&scene->loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&scene->loop), 0);
	assert_int_equal(scene->wet, 0);
	assert_null(strstr(scene->lines, "SeCrEt"));
}

#define KEYS                                                                                       \
	((const char *const[]){"AWS_ACCESS_KEY_ID=A", "AWS_SECRET_ACCESS_KEY=SeCrEt",              \
			       "HOME=/none", NULL})

static const struct doctor_case {
	const char *why;
	const char *deny, *identity;
	const char *lines;
	int asked;
} doctor_table[] = {
	{"all is well", NULL, NULL,
	 "ok credentials: environment, region eu-west-1: arn:aws:sts::1:assumed-role/r/s\n"
	 "ok rights: 13 of 13 reads are allowed\n",
	 14},
	{"a read of EC2 is denied", "DescribeImages", NULL,
	 "ok credentials: environment, region eu-west-1: arn:aws:sts::1:assumed-role/r/s\n"
	 "finding ec2:DescribeImages: not allowed (UnauthorizedOperation): what node classes "
	 "select\n"
	 "ok rights: 12 of 13 reads are allowed\n",
	 14},
	{"a parameter is denied", "GetParameter", NULL,
	 "ok credentials: environment, region eu-west-1: arn:aws:sts::1:assumed-role/r/s\n"
	 "finding ssm:GetParameter: not allowed (AccessDeniedException): the image that an alias "
	 "means\n"
	 "ok rights: 12 of 13 reads are allowed\n",
	 14},
	{"the keys are none", NULL, "SignatureDoesNotMatch",
	 "finding credentials: SignatureDoesNotMatch: the credentials were not accepted (or the "
	 "time: is the clock right?)\n",
	 2},
};

static void doctor_row(const struct doctor_case *row)
{
	struct scene scene = {.deny = row->deny, .identity = row->identity};

	look(&scene, KEYS);
	assert_string_equal(scene.lines, row->lines);
	assert_int_equal(scene.asked, row->asked);
}
PLM_TEST_ROWS(doctor_row, struct doctor_case)

static void no_keys(void **state)
{
	struct scene scene = {0};

	(void)state;
	look(&scene, (const char *const[]){"AWS_EC2_METADATA_DISABLED=true", "HOME=/none", NULL});
	assert_string_equal(scene.lines,
			    "finding credentials: no credentials: no source of keys is set up, and "
			    "AWS_EC2_METADATA_DISABLED is true\n");
	assert_int_equal(scene.asked, 0);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, doctor_row, doctor_table);
	PLM_TEST_ADD(&tests, no_keys);
	return plm_tests_run(&tests, "credentials doctor");
}
