/* `plimsoll migrate check`: what of a cluster's objects is not supported yet, by name. */
#include "adapters/kube/ask.h"
#include "adapters/manifest/item.h"
#include "tools/json.h"
#include "tools/print.h"
#include "verbs.h"

struct checking {
	struct plm_cli *call;
	const struct plm_kube_resource *resource; /* of the list at hand */
	const struct plm_split_item *item;
	struct plm_json *list; /* NULL: lines are printed as they come */
	uint64_t objects, found;
	char version[128];
};

static void on_warning(void *ctx, const char *text)
{
	struct checking *c = ctx;
	struct plm_arena *arena = c->call->arena;
	struct plm_json *row = NULL;

	c->found++;
	c->call->finding = true;
	if (c->list == NULL) {
		(void)fprintf(c->call->out, "%s %s%s%s: %s\n", c->resource->kind, c->item->ns,
			      c->item->ns[0] == '\0' ? "" : "/", c->item->name, text);
		return;
	}
	row = plm_json_object(arena);
	plm_json_put_str(row, "kind", c->resource->kind);
	plm_json_put_text(row, "namespace", plm_arena_copy(arena, plm_slice_str(c->item->ns)));
	plm_json_put_text(row, "name", plm_arena_copy(arena, plm_slice_str(c->item->name)));
	plm_json_put_text(row, "text", plm_arena_copy(arena, plm_slice_str(text)));
	plm_json_add(c->list, row);
}

/* A reader of its own for each object: what was said of one is said of the next too. */
static enum plm_code on_item(void *self, const struct plm_split_item *item, struct plm_error *err)
{
	struct checking *c = self;
	const struct plm_manifest_sink sink = {.ctx = c, .warn = on_warning};
	const struct plm_manifest_options options = {.now_ms = 0, .updates = true};
	const struct plm_manifest_item given = {
		.source = c->resource->name,
		.text = item->text,
		.values = item->values,
		.version = c->version,
		.kind = c->resource->kind,
	};
	struct plm_manifest *reader = NULL;
	enum plm_code code = PLM_OK;

	c->item = item;
	c->objects++;
	if (item->problem != NULL) {
		on_warning(c, item->problem);
		return PLM_OK;
	}
	code = plm_manifest_open(&reader, &options, &sink, err);
	if (code != PLM_OK) {
		return code;
	}
	if (plm_manifest_item(reader, &given, err) != PLM_OK) {
		on_warning(c, err->text);
	}
	plm_manifest_close(reader);
	return PLM_OK;
}

static enum plm_code check_all(struct checking *c, struct plm_kube_ask *ask, struct plm_error *err)
{
	for (enum plm_kube_resource_id id = 1; id < PLM_KUBE_RES_COUNT; id++) {
		const struct plm_kube_resource *resource = plm_kube_resource(id);
		const char *version = plm_kube_version(plm_kube_ask_client(ask), id);
		enum plm_code code = PLM_OK;

		if (resource->projected == PLM_KIND_NONE || version == NULL) {
			continue;
		}
		c->resource = resource;
		(void)snprintf(c->version, sizeof(c->version), "%s%s%s", resource->group,
			       resource->group[0] == '\0' ? "" : "/", version);
		code = plm_kube_ask_list(ask, id, on_item, c, err);
		if (code != PLM_OK && code != PLM_E_NOT_FOUND) {
			return code;
		}
	}
	return PLM_OK;
}

static void finish(struct checking *c)
{
	struct plm_json *doc = NULL;

	if (c->list == NULL) {
		(void)fprintf(c->call->out, "%llu objects, %llu remarks\n",
			      (unsigned long long)c->objects, (unsigned long long)c->found);
		return;
	}
	doc = plm_json_document(c->call->arena, "MigrateCheck");
	plm_json_put_int(doc, "objects", (int64_t)c->objects);
	plm_json_put(doc, "remarks", c->list);
	plm_print_document(c->call, doc);
}

enum plm_code plm_verb_migrate_check(struct plm_cli *call, struct plm_error *err)
{
	const struct plm_kube_ask_options options = {
		.kubeconfig = plm_cli_text(call, PLM_FLAG_KUBECONFIG, NULL),
		.context = plm_cli_text(call, PLM_FLAG_CONTEXT, NULL),
		.user_agent = "plimsoll/" PLM_VERSION,
		.modes = PLM_KUBE_OBSERVE | PLM_KUBE_DOCTOR,
	};
	struct checking c = {.call = call};
	struct plm_kube_ask *ask = NULL;
	enum plm_code code = PLM_OK;

	if (options.kubeconfig == NULL) {
		return plm_fail(err, PLM_E_USAGE,
				"migrate check needs --kubeconfig FILE or in-cluster");
	}
	if (plm_print_is_document(call)) {
		c.list = plm_json_list(call->arena);
	}
	code = plm_kube_ask_open(&options, &ask, err);
	if (code == PLM_OK) {
		code = check_all(&c, ask, err);
	}
	if (code == PLM_OK) {
		finish(&c);
	}
	plm_kube_ask_close(ask);
	return code;
}
