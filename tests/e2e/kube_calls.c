/*
 * kube_calls KUBECONFIG NAMESPACE: makes every call of the table that the API server has the resource of, about
 * objects that are not there, and prints what became of each as one JSON line. The daemon's own client makes
 * them, so that what is seen is what the daemon would meet; all at once, since a watch takes its second.
 * Exit 1 when discovery fails.
 */
#include "adapters/kube/client.h"

#include <stdio.h>
#include <stdlib.h>

struct probe {
	uv_loop_t loop;
	struct plm_http_client *http;
	struct plm_kube_client *client;
	const char *ns;
	size_t open; /* calls without an answer */
	int exit_code;
};

struct call {
	struct probe *probe;
	const struct plm_kube_call_row *row;
};

static void end(struct probe *probe)
{
	plm_kube_client_free(probe->client);
	plm_http_client_free(probe->http);
}

static const char *verb_text(enum plm_kube_verb verb)
{
	static const char *const texts[] = {
		[PLM_KUBE_GET] = "get",		 [PLM_KUBE_LIST] = "list",
		[PLM_KUBE_WATCH] = "watch",	 [PLM_KUBE_CREATE] = "create",
		[PLM_KUBE_PATCH_JSON] = "patch", [PLM_KUBE_PATCH_MERGE] = "patch",
		[PLM_KUBE_APPLY] = "patch",	 [PLM_KUBE_UPDATE] = "update",
		[PLM_KUBE_DELETE] = "delete",
	};

	return texts[verb];
}

static void on_answer(void *self, const struct plm_kube_answer *answer)
{
	struct call *call = self;
	struct probe *probe = call->probe;
	const struct plm_kube_call_row *row = call->row;
	const struct plm_kube_resource *resource = plm_kube_resource(row->resource);

	(void)printf("{\"group\": \"%s\", \"resource\": \"%s%s%s\", \"verb\": \"%s\", "
		     "\"doctor\": %s, \"fate\": %d, \"status\": %u}\n",
		     resource->group, resource->name, row->subresource[0] == '\0' ? "" : "/",
		     row->subresource, verb_text(row->verb),
		     row->modes == PLM_KUBE_DOCTOR ? "true" : "false", (int)answer->fate,
		     answer->status);
	free(call);
	probe->open--;
	if (probe->open == 0) {
		end(probe);
	}
}

static const char *body_of(enum plm_kube_verb verb)
{
	switch (verb) {
	case PLM_KUBE_PATCH_JSON:
		return "[{\"op\": \"test\", \"path\": \"/metadata/uid\", \"value\": \"x\"}]";
	case PLM_KUBE_CREATE:
	case PLM_KUBE_UPDATE:
	case PLM_KUBE_PATCH_MERGE:
	case PLM_KUBE_APPLY:
		return "{}";
	case PLM_KUBE_GET:
	case PLM_KUBE_LIST:
	case PLM_KUBE_WATCH:
	case PLM_KUBE_DELETE:
		return "";
	}
	PLM_UNREACHABLE();
}

static void make(struct probe *probe, const struct plm_kube_call_row *row)
{
	struct call *call = calloc(1, sizeof(*call));
	struct plm_kube_request request = {
		.resource = row->resource,
		.subresource = row->subresource,
		.verb = row->verb,
		.query = row->verb == PLM_KUBE_WATCH  ? "timeoutSeconds=1"
			 : row->verb == PLM_KUBE_LIST ? "limit=1"
						      : NULL,
		.body = plm_slice_str(body_of(row->verb)),
		.on_done = on_answer,
		.self = call,
	};

	PLM_ASSERT(call != NULL);
	*call = (struct call){probe, row};
	if (row->verb != PLM_KUBE_LIST && row->verb != PLM_KUBE_WATCH) {
		request.ns = plm_slice_str(probe->ns);
		request.name = row->name_only == NULL
				       ? plm_slice_str("absent")
				       : plm_slice_of(row->name_only, strcspn(row->name_only, ","));
	}
	(void)plm_kube_send(probe->client, &request);
}

static void on_discovered(void *self, enum plm_code code, const char *why)
{
	struct probe *probe = self;
	const struct plm_kube_call_row *rows = NULL;

	if (code != PLM_OK) {
		(void)fprintf(stderr, "%s\n", why);
		probe->exit_code = 1;
		end(probe);
		return;
	}
	plm_kube_client_allow(probe->client, PLM_KUBE_OBSERVE | PLM_KUBE_QUEUES | PLM_KUBE_NODES |
						     PLM_KUBE_SERVE | PLM_KUBE_DOCTOR);
	rows = plm_kube_calls(&probe->open);
	for (size_t i = 0, count = probe->open; i < count; i++) {
		make(probe, &rows[i]);
	}
}

int main(int argc, char **argv)
{
	struct probe probe = {.ns = argc > 2 ? argv[2] : "default"};
	struct plm_http_client_options http = {
		.loop = &probe.loop, .calls_max = 16, .user_agent = "kube_calls"};
	struct plm_kube_client_options options = {
		.loop = &probe.loop,
		.kubeconfig = argc > 1 ? argv[1] : "",
		.field_manager = "plimsoll",
	};
	struct plm_error err = {0};

	if (uv_loop_init(&probe.loop) != 0 ||
	    plm_http_client_new(&http, &probe.http, &err) != PLM_OK) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	options.http = probe.http;
	if (plm_kube_client_new(&options, &probe.client, &err) != PLM_OK) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	plm_kube_discover(probe.client, on_discovered, &probe);
	(void)uv_run(&probe.loop, UV_RUN_DEFAULT);
	return uv_loop_close(&probe.loop) == 0 ? probe.exit_code : 3;
}
