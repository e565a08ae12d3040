#include "adapters/kube/client_private.h"

#include "core/limits.h"
#include "core/units.h"

#include <stdlib.h>

static void on_access(void *self)
{
	plm_kube_pump_soon(self);
}

static void on_note(void *self, const char *text)
{
	struct plm_kube_client *client = self;

	if (client->options.note != NULL) {
		client->options.note(client->options.self, text);
	}
}

static enum plm_code start(struct plm_kube_client *client, struct plm_error *err)
{
	const struct plm_kube_client_options *options = &client->options;
	struct plm_kube_login_options login = {
		.kubeconfig = options->kubeconfig,
		.context = options->context,
		.environment = options->environment,
		.account = options->account,
	};
	struct plm_kube_access_options access = {
		.loop = options->loop,
		.environment = options->environment,
		.on_change = on_access,
		.note = on_note,
		.self = client,
	};
	struct plm_kube_credential credential = {0};
	struct plm_kube_door *door = NULL;
	enum plm_code code = plm_kube_login_load(&login, &client->login, err);

	if (code != PLM_OK) {
		return code;
	}
	access.login = client->login;
	code = plm_kube_access_new(&access, &client->access, err);
	if (code != PLM_OK || client->login->plugin.command != NULL) {
		return code; /* a plugin may bring certificates: the door is opened then */
	}
	(void)plm_kube_access_now(client->access, &credential);
	code = plm_kube_door_for(client, &credential, &door, err);
	return code == PLM_OK ? PLM_OK : plm_fail_prefix(err, code, "%s", client->login->file);
}

enum plm_code plm_kube_client_new(const struct plm_kube_client_options *options,
				  struct plm_kube_client **out, struct plm_error *err)
{
	struct plm_kube_client *client = calloc(1, sizeof(*client));
	enum plm_code code = PLM_OK;

	if (client == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	client->options = *options;
	client->modes = PLM_KUBE_OBSERVE;
	client->missed_ms = PLM_UNSET;
	plm_bucket_init(&client->bucket, options->rate_milli, options->burst,
			(int64_t)uv_now(options->loop));
	PLM_ASSERT(uv_timer_init(options->loop, &client->pump) == 0);
	PLM_ASSERT(uv_timer_init(options->loop, &client->look) == 0);
	client->pump.data = client->look.data = client;
	client->open = 2;
	/* Looking for new resources keeps no loop alive. */
	uv_unref((uv_handle_t *)&client->look);
	code = start(client, err);
	if (code != PLM_OK) {
		plm_kube_client_free(client);
		return code;
	}
	*out = client;
	return PLM_OK;
}

static void on_closed(uv_handle_t *handle)
{
	struct plm_kube_client *client = handle->data;

	client->open--;
	if (client->open == 0) {
		free(client);
	}
}

void plm_kube_client_free(struct plm_kube_client *client)
{
	if (client == NULL) {
		return;
	}
	client->closing = true;
	plm_kube_discovery_drop(client);
	plm_kube_drop_all(client);
	plm_kube_access_free(client->access);
	plm_kube_login_free(client->login);
	uv_close((uv_handle_t *)&client->pump, on_closed);
	uv_close((uv_handle_t *)&client->look, on_closed);
}

void plm_kube_client_allow(struct plm_kube_client *client, unsigned modes)
{
	client->modes = modes | PLM_KUBE_OBSERVE;
}

const char *plm_kube_version(const struct plm_kube_client *client,
			     enum plm_kube_resource_id resource)
{
	PLM_ASSERT(resource > PLM_KUBE_RES_NONE && resource < PLM_KUBE_RES_COUNT);
	return client->versions[resource];
}

const struct plm_kube_server *plm_kube_server(const struct plm_kube_client *client)
{
	return &client->server;
}

const char *plm_kube_namespace(const struct plm_kube_client *client)
{
	return client->login->ns[0] == '\0' ? "default" : client->login->ns;
}
