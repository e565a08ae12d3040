/* users[].user.exec of a kubeconfig, and what a plugin is told of the cluster. */
#include "adapters/kube/config_private.h"

#include "core/limits.h"

#include <cjson/cJSON.h>

#define EXTENSION "client.authentication.k8s.io/exec"

static const char *const versions[] = {
	"client.authentication.k8s.io/v1",
	"client.authentication.k8s.io/v1beta1",
};

static void read_version(struct plm_kube_source *from, struct plm_doc *exec,
			 struct plm_kube_plugin *out)
{
	const char *version = plm_kube_field(from, exec, "apiVersion");

	for (size_t i = 0; i < PLM_COUNTOF(versions); i++) {
		if (strcmp(version, versions[i]) == 0) {
			out->version = versions[i];
		}
	}
	if (out->version == NULL) {
		plm_doc_fail(&from->tree, exec, "apiVersion: must be %s or %s", versions[0],
			     versions[1]);
	}
}

static const char **texts(struct plm_kube_source *from, struct plm_doc *exec, const char *key)
{
	struct plm_vec list = plm_doc_texts(&from->tree, exec, key);
	const struct plm_slice *items = list.ptr;
	const char **out = PLM_NEW_ARRAY(from->tree.arena, list.count + 1, const char *);

	for (size_t i = 0; i < list.count; i++) {
		out[i] =
			(const char *)plm_arena_format(from->tree.arena, "%.*s", (int)items[i].size,
						       (const char *)items[i].ptr)
				.ptr;
	}
	return out;
}

static const char **variables(struct plm_kube_source *from, struct plm_doc *exec)
{
	struct plm_doc *list = plm_doc_list(&from->tree, exec, "env");
	const char **out =
		PLM_NEW_ARRAY(from->tree.arena, list == NULL ? 1 : list->count + 1, const char *);
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		struct plm_slice name = plm_doc_text_required(&from->tree, item, "name");
		struct plm_doc *value = plm_doc_get(item, "value");

		if (value != NULL && value->kind != PLM_DOC_TEXT) {
			plm_doc_fail(&from->tree, value, "must be a text, in quotes");
		}
		out[count++] =
			(const char *)plm_arena_format(
				from->tree.arena, "%.*s=%.*s", (int)name.size,
				(const char *)name.ptr, value == NULL ? 0 : (int)value->text.size,
				value == NULL ? "" : (const char *)value->text.ptr)
				.ptr;
	}
	return out;
}

void plm_kube_plugin_read(struct plm_kube_source *from, struct plm_doc *user,
			  struct plm_kube_plugin *out)
{
	struct plm_doc *exec = plm_doc_map(&from->tree, user, "exec");
	const char *command = plm_kube_field(from, exec, "command");

	if (exec == NULL) {
		return;
	}
	read_version(from, exec, out);
	if (command[0] == '\0') {
		plm_doc_fail(&from->tree, exec, "command: it names none");
	}
	/* A bare name is looked for along PATH; a path begins at the file's folder. */
	out->command = strchr(command, '/') == NULL ? command : plm_kube_path(from, command);
	out->args = texts(from, exec, "args");
	out->env = variables(from, exec);
	out->hint = plm_kube_field(from, exec, "installHint");
	if (strcmp(plm_kube_field(from, exec, "interactiveMode"), "Always") == 0) {
		plm_doc_fail(&from->tree, plm_doc_get(exec, "interactiveMode"),
			     "a plugin that always asks somebody cannot be used here");
	}
}

/* ---- what it is told --------------------------------------------------------------------------- */

/* NULL: out of memory. */
static cJSON *json_of(const struct plm_doc *node, size_t depth)
{
	cJSON *out = NULL;

	if (depth > PLM_LIMIT_DOC_DEPTH) {
		return NULL;
	}
	switch (node->kind) {
	case PLM_DOC_NULL:
		return cJSON_CreateNull();
	case PLM_DOC_BOOL:
		return cJSON_CreateBool(plm_slice_is(node->text, "true"));
	case PLM_DOC_NUMBER:
		return cJSON_CreateRaw((const char *)node->text.ptr);
	case PLM_DOC_TEXT:
		return cJSON_CreateString((const char *)node->text.ptr);
	case PLM_DOC_LIST:
	case PLM_DOC_MAP:
		break;
	}
	out = node->kind == PLM_DOC_MAP ? cJSON_CreateObject() : cJSON_CreateArray();
	for (const struct plm_doc *child = node->first; child != NULL; child = child->next) {
		cJSON *value = json_of(child, depth + 1);

		if (node->kind == PLM_DOC_MAP) {
			(void)cJSON_AddItemToObject(out, (const char *)child->key.ptr, value);
		} else {
			(void)cJSON_AddItemToArray(out, value);
		}
	}
	return out;
}

static void add_extension(cJSON *told, struct plm_doc *cluster)
{
	struct plm_doc *item = plm_doc_items(plm_doc_get(cluster, "extensions"));

	for (; item != NULL; item = item->next) {
		struct plm_doc *name = plm_doc_get(item, "name");
		struct plm_doc *body = plm_doc_get(item, "extension");

		if (name != NULL && body != NULL && plm_slice_is(name->text, EXTENSION)) {
			(void)cJSON_AddItemToObject(told, "config", json_of(body, 0));
			return;
		}
	}
}

const char *plm_kube_plugin_told(struct plm_kube_login *login, struct plm_doc *cluster)
{
	cJSON *told = cJSON_CreateObject();
	struct plm_slice copy = {0};
	char *text = NULL;

	(void)cJSON_AddStringToObject(told, "server", login->server);
	if (login->server_name[0] != '\0') {
		(void)cJSON_AddStringToObject(told, "tls-server-name", login->server_name);
	}
	if (login->insecure) {
		(void)cJSON_AddTrueToObject(told, "insecure-skip-tls-verify");
	}
	if (login->ca_pem.size > 0) {
		(void)cJSON_AddStringToObject(told, "certificate-authority-data",
					      plm_kube_base64_write(&login->arena, login->ca_pem));
	}
	if (login->proxy[0] != '\0') {
		(void)cJSON_AddStringToObject(told, "proxy-url", login->proxy);
	}
	add_extension(told, cluster);
	text = cJSON_PrintUnformatted(told);
	cJSON_Delete(told);
	if (text == NULL) {
		return NULL;
	}
	copy = plm_arena_format(&login->arena, "%s", text);
	cJSON_free(text);
	return (const char *)copy.ptr;
}
