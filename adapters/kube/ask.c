#include "adapters/kube/ask.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/limits.h"

struct plm_kube_ask {
	uv_loop_t loop;
	struct plm_http_client *http; /* owned, as all that follows */
	struct plm_kube_client *client;
	struct plm_split *split;
	bool waits;
	/* the answer at hand */
	enum plm_code code;
	struct plm_error err;
};

static void wait_for(struct plm_kube_ask *ask)
{
	while (ask->waits) {
		(void)uv_run(&ask->loop, UV_RUN_ONCE);
	}
}

static void discovered(void *self, enum plm_code code, const char *why)
{
	struct plm_kube_ask *ask = self;

	ask->waits = false;
	ask->code = code;
	if (code != PLM_OK) {
		ask->code = plm_fail(&ask->err, PLM_E_UNREACHABLE, "%s", why);
	}
}

static void ignore_note(void *self, const char *text)
{
	(void)self;
	(void)text; /* what matters of it is in the answer */
}

static enum plm_code connect_to(struct plm_kube_ask *ask,
				const struct plm_kube_ask_options *options, struct plm_error *err)
{
	const struct plm_http_client_options http = {
		.loop = &ask->loop, .calls_max = 1, .user_agent = options->user_agent};
	struct plm_kube_client_options client = {
		.loop = &ask->loop,
		.kubeconfig = options->kubeconfig,
		.context = options->context,
		.field_manager = "plimsoll",
		.note = ignore_note,
	};
	enum plm_code code = plm_split_new(&ask->split, err);

	if (code == PLM_OK) {
		code = plm_http_client_new(&http, &ask->http, err);
	}
	if (code == PLM_OK) {
		client.http = ask->http;
		code = plm_kube_client_new(&client, &ask->client, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	plm_kube_client_allow(ask->client, options->modes);
	ask->waits = true;
	plm_kube_discover(ask->client, discovered, ask);
	wait_for(ask);
	return ask->code == PLM_OK ? PLM_OK : plm_fail(err, PLM_E_UNREACHABLE, "%s", ask->err.text);
}

enum plm_code plm_kube_ask_open(const struct plm_kube_ask_options *options,
				struct plm_kube_ask **out, struct plm_error *err)
{
	struct plm_kube_ask *ask = calloc(1, sizeof(*ask));
	enum plm_code code = PLM_OK;

	if (ask == NULL || uv_loop_init(&ask->loop) != 0) {
		free(ask);
		return plm_fail(err, PLM_E_LIMIT, "event loop: out of memory");
	}
	code = connect_to(ask, options, err);
	if (code != PLM_OK) {
		plm_kube_ask_close(ask);
		return code;
	}
	*out = ask;
	return PLM_OK;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
	(void)arg;
	if (uv_is_closing(handle) == 0) {
		uv_close(handle, NULL);
	}
}

void plm_kube_ask_close(struct plm_kube_ask *ask)
{
	if (ask == NULL) {
		return;
	}
	plm_kube_client_free(ask->client);
	plm_http_client_free(ask->http);
	(void)uv_run(&ask->loop, UV_RUN_NOWAIT);
	uv_walk(&ask->loop, close_handle, NULL);
	(void)uv_run(&ask->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&ask->loop);
	plm_split_free(ask->split);
	free(ask);
}

const struct plm_kube_server *plm_kube_ask_server(const struct plm_kube_ask *ask)
{
	return plm_kube_server(ask->client);
}

struct plm_kube_client *plm_kube_ask_client(const struct plm_kube_ask *ask)
{
	return ask->client;
}

static bool on_body(void *self, struct plm_slice piece)
{
	struct plm_kube_ask *ask = self;

	ask->code = plm_split_feed(ask->split, piece, &ask->err);
	return ask->code == PLM_OK;
}

static void on_done(void *self, const struct plm_kube_answer *answer)
{
	struct plm_kube_ask *ask = self;

	ask->waits = false;
	if (ask->code != PLM_OK) {
		return; /* the sink, or the bytes, ended it */
	}
	if (answer->fate == PLM_KUBE_NO_RESOURCE || answer->fate == PLM_KUBE_NOT_FOUND) {
		ask->code = plm_fail(&ask->err, PLM_E_NOT_FOUND, "the server does not have it");
	} else if (answer->fate != PLM_KUBE_DONE) {
		ask->code = plm_fail(&ask->err, PLM_E_UNREACHABLE, "%.*s",
				     (int)answer->message.size, (const char *)answer->message.ptr);
	} else if (!plm_split_whole(ask->split)) {
		ask->code = plm_fail(&ask->err, PLM_E_UNREACHABLE, "the answer was cut off");
	}
}

enum plm_code plm_kube_ask_list(struct plm_kube_ask *ask, enum plm_kube_resource_id resource,
				plm_split_sink item, void *self, struct plm_error *err)
{
	char query[64 + PLM_SPLIT_CONTINUE] = "";
	struct plm_kube_request request = {
		.resource = resource,
		.subresource = "",
		.verb = PLM_KUBE_LIST,
		.query = query,
		.on_body = on_body,
		.on_done = on_done,
		.self = ask,
	};

	do {
		const char *next = query[0] == '\0' ? "" : plm_split_head(ask->split)->next;

		(void)snprintf(query, sizeof(query), "limit=%d%s%s", PLM_LIMIT_LIST_PAGE,
			       next[0] == '\0' ? "" : "&continue=", next);
		plm_split_begin(ask->split, PLM_SPLIT_LIST, item, self);
		ask->code = PLM_OK;
		ask->waits = true;
		(void)plm_kube_send(ask->client, &request);
		wait_for(ask);
		if (ask->code != PLM_OK) {
			const struct plm_kube_resource *row = plm_kube_resource(resource);

			return plm_fail(err, ask->code, "%s%s%s: %s", row->name,
					row->group[0] == '\0' ? "" : ".", row->group,
					ask->err.text);
		}
	} while (plm_split_head(ask->split)->next[0] != '\0');
	return PLM_OK;
}
