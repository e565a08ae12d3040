/* The bodies of discovery: aggregated and not, the version, a UID. */
#include "adapters/kube/client_private.h"

#include <cjson/cJSON.h>
#include <stdio.h>

static const char *text(const cJSON *map, const char *key)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(map, key));

	return value == NULL ? "" : value;
}

static const cJSON *list(const cJSON *map, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(map, key);
}

static cJSON *parse(struct plm_slice body)
{
	return cJSON_ParseWithLength((const char *)body.ptr, body.size);
}

static void serve(struct plm_kube_found *found, const char *group, const char *version,
		  const char *name)
{
	for (unsigned id = PLM_KUBE_RES_NONE + 1; id < PLM_KUBE_RES_COUNT; id++) {
		const struct plm_kube_resource *r =
			plm_kube_resource((enum plm_kube_resource_id)id);

		if (strcmp(r->group, group) != 0 || strcmp(r->name, name) != 0) {
			continue;
		}
		for (unsigned v = 0; r->versions[v] != NULL; v++) {
			if (strcmp(r->versions[v], version) == 0) {
				found->served[id] |= (uint8_t)(1U << v);
			}
		}
	}
}

static void serve_group(struct plm_kube_found *found, const cJSON *group)
{
	const char *name = text(cJSON_GetObjectItemCaseSensitive(group, "metadata"), "name");
	const cJSON *version = NULL;
	const cJSON *resource = NULL;

	cJSON_ArrayForEach(version, list(group, "versions"))
	{
		cJSON_ArrayForEach(resource, list(version, "resources"))
		{
			serve(found, name, text(version, "version"), text(resource, "resource"));
		}
	}
}

bool plm_kube_found_read(struct plm_slice body, struct plm_kube_found *found)
{
	cJSON *root = parse(body);
	const char *kind = text(root, "kind");
	const cJSON *group = NULL;
	bool plain = strcmp(kind, "APIVersions") == 0 || strcmp(kind, "APIGroupList") == 0;

	found->aggregated = strcmp(kind, "APIGroupDiscoveryList") == 0;
	if (found->aggregated) {
		cJSON_ArrayForEach(group, list(root, "items"))
		{
			serve_group(found, group);
		}
	}
	plain = plain || found->aggregated;
	cJSON_Delete(root);
	return plain;
}

bool plm_kube_found_list(struct plm_slice body, const char *group, const char *version,
			 struct plm_kube_found *found)
{
	cJSON *root = parse(body);
	const cJSON *resource = NULL;
	bool is_list = strcmp(text(root, "kind"), "APIResourceList") == 0;

	if (is_list) {
		cJSON_ArrayForEach(resource, list(root, "resources"))
		{
			serve(found, group, version, text(resource, "name"));
		}
	}
	cJSON_Delete(root);
	return is_list;
}

const char *plm_kube_found_version(const struct plm_kube_found *found,
				   enum plm_kube_resource_id resource)
{
	const struct plm_kube_resource *r = plm_kube_resource(resource);

	for (unsigned v = 0; r->versions[v] != NULL; v++) {
		if ((found->served[resource] & (1U << v)) != 0) {
			return r->versions[v];
		}
	}
	return NULL;
}

/* "37" and "37+": some providers add a sign. */
static unsigned number(const char *digits)
{
	unsigned value = 0;

	for (; *digits >= '0' && *digits <= '9' && value < 100000; digits++) {
		value = value * 10 + (unsigned)(*digits - '0');
	}
	return value;
}

bool plm_kube_version_read(struct plm_slice body, struct plm_kube_server *server)
{
	cJSON *root = parse(body);
	const char *version = text(root, "gitVersion");
	const char *emulated = text(root, "emulationMinor");
	bool ok = version[0] != '\0';

	(void)snprintf(server->version, sizeof(server->version), "%s", version);
	server->minor = number(text(root, "minor"));
	server->emulated_minor = emulated[0] == '\0' ? server->minor : number(emulated);
	cJSON_Delete(root);
	return ok;
}

bool plm_kube_uid_read(struct plm_slice body, char *uid, size_t size)
{
	cJSON *root = parse(body);
	const char *value = text(cJSON_GetObjectItemCaseSensitive(root, "metadata"), "uid");
	bool ok = value[0] != '\0' && strlen(value) < size;

	if (ok) {
		(void)snprintf(uid, size, "%s", value);
	}
	cJSON_Delete(root);
	return ok;
}
