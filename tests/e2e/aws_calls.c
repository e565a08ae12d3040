/*
 * aws_calls URL: makes every call of the table to a server at URL, with a body of nothing, of odd bytes and a large one, and
 * prints the name of each as it leaves. Keys and region are the environment's. The daemon's own client makes them, so
 * that what is seen is what AWS would see. Exit 1 when one of them did not leave.
 */
#include "adapters/ec2/client.h"

#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LARGE 65536

struct probe {
	uv_loop_t loop;
	struct plm_http_client *http;
	struct plm_aws_credentials *credentials;
	struct plm_aws_client *client;
	size_t open; /* calls without an answer */
	int exit_code;
};

struct call {
	struct probe *probe;
	enum plm_aws_call call;
};

static int64_t wall_ns(void *self)
{
	struct timespec now;

	(void)self;
	(void)timespec_get(&now, TIME_UTC);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void on_note(void *self, const char *text)
{
	(void)self;
	(void)fprintf(stderr, "%s\n", text);
}

static void end(struct probe *probe)
{
	plm_aws_client_free(probe->client);
	plm_aws_credentials_free(probe->credentials);
	plm_http_client_free(probe->http);
}

static void on_answer(void *self, const struct plm_aws_answer *answer)
{
	struct call *call = self;
	struct probe *probe = call->probe;

	(void)printf("%s %u %s\n", plm_aws_call(call->call)->action, answer->status, answer->code);
	if (answer->status == 0) {
		(void)fprintf(stderr, "%s: %s %s\n", plm_aws_call(call->call)->action, answer->code,
			      answer->message);
		probe->exit_code = 1;
	}
	free(call);
	probe->open--;
	if (probe->open == 0) {
		end(probe);
	}
}

static void make(struct probe *probe, enum plm_aws_call which, struct plm_slice body,
		 const char *path)
{
	struct call *call = calloc(1, sizeof(*call));
	struct plm_aws_request request = {
		.call = which, .body = body, .path = path, .on_done = on_answer, .self = call};

	PLM_ASSERT(call != NULL);
	*call = (struct call){.probe = probe, .call = which};
	probe->open++;
	(void)plm_aws_send(probe->client, &request);
}

static void make_all(struct probe *probe)
{
	static const char odd_form[] = "Filter.1.Name=tag%3Aa%2Fb%20c&Filter.1.Value.1="
				       "%C3%BC~-_.%2A%2B%00%0A%25&Empty=";
	static const char odd_json[] =
		"{\"Name\":\"/aws/service/\xc3\xbc/a b+c\",\"x\":\"\\t\\u0000%41\"}";
	static const char *const paths[] = {"/clusters/c", "/clusters/My-cluster_1.x~y-0"};
	char *large = malloc(LARGE);

	PLM_ASSERT(large != NULL);
	for (unsigned call = PLM_AWS_CALL_NONE + 1; call < PLM_AWS_CALL_COUNT; call++) {
		enum plm_aws_call which = (enum plm_aws_call)call;
		enum plm_aws_protocol protocol = plm_aws_protocol(plm_aws_call(which)->service);
		bool query = protocol == PLM_AWS_QUERY;

		if (protocol == PLM_AWS_REST) {
			make(probe, which, (struct plm_slice){0}, paths[0]);
			make(probe, which, (struct plm_slice){0}, paths[1]);
			continue;
		}
		memset(large, 'A', LARGE);
		memcpy(large, query ? "UserData=" : "{\"UserData\":\"", query ? 9 : 13);
		memcpy(large + LARGE - 2, query ? "%3D" : "\"}", 2);
		make(probe, which, plm_slice_str(query ? "" : "{}"), NULL);
		make(probe, which, plm_slice_str(query ? odd_form : odd_json), NULL);
		make(probe, which, plm_slice_of(large, LARGE - (query ? 2 : 0)), NULL);
	}
	free(large);
}

static int fail(const struct plm_error *err)
{
	(void)fprintf(stderr, "%s\n", err->text);
	return 1;
}

int main(int argc, char **argv)
{
	struct probe probe = {0};
	struct plm_http_client_options http = {
		.loop = &probe.loop, .calls_max = 16, .user_agent = "plimsoll/test"};
	struct plm_aws_credentials_options credentials = {
		.loop = &probe.loop,
		.environment = (const char *const *)environ,
		.note = on_note,
	};
	struct plm_aws_client_options client = {
		.loop = &probe.loop,
		.clock = {.wall_ns = wall_ns},
		.environment = (const char *const *)environ,
		.note = on_note,
	};
	struct plm_error err = {0};

	PLM_ASSERT(argc == 2 && uv_loop_init(&probe.loop) == 0);
	if (plm_http_client_new(&http, &probe.http, &err) != PLM_OK) {
		return fail(&err);
	}
	credentials.http = probe.http;
	if (plm_aws_credentials_new(&credentials, &probe.credentials, &err) != PLM_OK) {
		return fail(&err);
	}
	client.http = probe.http;
	client.credentials = probe.credentials;
	client.endpoint = argv[1];
	if (plm_aws_client_new(&client, &probe.client, &err) != PLM_OK) {
		return fail(&err);
	}
	plm_aws_client_allow(probe.client, PLM_AWS_OBSERVE | PLM_AWS_NODES);
	make_all(&probe);
	(void)uv_run(&probe.loop, UV_RUN_DEFAULT);
	PLM_ASSERT(uv_loop_close(&probe.loop) == 0);
	return probe.exit_code;
}
