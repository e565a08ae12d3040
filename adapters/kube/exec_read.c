/* The ExecCredential that a plugin prints. No text has a byte of it. */
#include "adapters/kube/exec.h"

#include "core/timefmt.h"
#include "core/units.h"

#include <cjson/cJSON.h>

static struct plm_slice text(struct plm_arena *arena, const cJSON *map, const char *key)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(map, key));

	return value == NULL ? (struct plm_slice){0} : plm_arena_copy(arena, plm_slice_str(value));
}

static bool is(const cJSON *map, const char *key, const char *wanted)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(map, key));

	return value != NULL && strcmp(value, wanted) == 0;
}

static bool printable(struct plm_slice token)
{
	for (size_t i = 0; i < token.size; i++) {
		if (token.ptr[i] <= ' ' || token.ptr[i] > '~') {
			return false;
		}
	}
	return true;
}

/* NULL, or what is wrong. */
static const char *fill(const struct plm_kube_plugin *plugin, const cJSON *root,
			struct plm_arena *arena, struct plm_kube_exec_result *out)
{
	const cJSON *status = cJSON_GetObjectItemCaseSensitive(root, "status");
	const cJSON *expires = cJSON_GetObjectItemCaseSensitive(status, "expirationTimestamp");

	if (!is(root, "kind", "ExecCredential")) {
		return "what it printed is no ExecCredential";
	}
	if (!is(root, "apiVersion", plugin->version)) {
		return "apiVersion of what it printed is not that of the kubeconfig";
	}
	if (!cJSON_IsObject(status)) {
		return "what it printed has no status";
	}
	out->token = text(arena, status, "token");
	out->cert_pem = text(arena, status, "clientCertificateData");
	out->key_pem = text(arena, status, "clientKeyData");
	if (!printable(out->token)) {
		return "status.token has a character that no token has";
	}
	if ((out->cert_pem.size > 0) != (out->key_pem.size > 0)) {
		return "status has one of clientCertificateData and clientKeyData";
	}
	if (out->token.size == 0 && out->cert_pem.size == 0) {
		return "status has neither token nor clientCertificateData";
	}
	if (expires != NULL && !cJSON_IsNull(expires) &&
	    (!cJSON_IsString(expires) ||
	     plm_time_parse(plm_slice_str(cJSON_GetStringValue(expires)), &out->expires_ms, NULL) !=
		     PLM_OK)) {
		return "status.expirationTimestamp is not a time";
	}
	return NULL;
}

enum plm_code plm_kube_exec_read(const struct plm_kube_plugin *plugin, struct plm_slice output,
				 struct plm_arena *arena, struct plm_kube_exec_result *out,
				 struct plm_error *err)
{
	cJSON *root = cJSON_ParseWithLength((const char *)output.ptr, output.size);
	struct plm_kube_exec_result found = {.ok = true, .expires_ms = PLM_UNSET};
	const char *wrong =
		root == NULL ? "what it printed is not JSON" : fill(plugin, root, arena, &found);

	cJSON_Delete(root);
	if (wrong != NULL) {
		return plm_fail(err, PLM_E_CONFIG, "credential plugin %s: %s", plugin->command,
				wrong);
	}
	*out = found;
	return PLM_OK;
}
