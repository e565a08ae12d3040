#include "settings.h"

#include <stdlib.h>

#include "adapters/catalog/catalog.h"
#include "adapters/manifest/manifest.h"
#include "core/units.h"
#include "core/wire_copy.h"
#include "jsonlog.h"
#include "tools/sim/scenario.h"

#define SETTINGS_BYTES ((size_t)1024 * 1024 * 1024)

/* A read of settings documents. */
struct reading {
	struct plm_settings *settings;
	struct plm_manifest *reader;
};

/* ---- documents --------------------------------------------------------------------------------- */

/* Not of a decision: how fast we may call. Below 0 is no bound, as upstream. */
static enum plm_code read_rate(struct plm_doc_tree *tree, struct plm_settings *out,
			       struct plm_error *err)
{
	struct plm_doc *map = plm_doc_map(tree, tree->root, "clientConnection");
	struct plm_doc *qps = plm_doc_get(map, "qps");
	bool bounded = qps != NULL && qps->text.size > 0 && qps->text.ptr[0] != '-';

	out->rate_milli = bounded ? plm_doc_quantity(tree, map, "qps", PLM_SCALE_MILLI, 0) : 0;
	out->burst = plm_doc_count(tree, map, "burst", 0);
	if (out->burst == 0) {
		out->burst = plm_div_ceil(out->rate_milli, 1000);
	}
	return plm_doc_result(tree, err);
}

static enum plm_code on_setting(void *ctx, enum plm_manifest_setting setting,
				struct plm_doc_tree *tree, struct plm_error *err)
{
	struct reading *reading = ctx;
	struct plm_w_config config = reading->settings->config;
	enum plm_code code = PLM_OK;

	if (setting == PLM_SETTING_SCENARIO) {
		return plm_fail(err, PLM_E_INPUT,
				"%s: a Scenario is for the embedded cluster (--cloud sim)",
				tree->file);
	}
	code = plm_manifest_apply_setting(reading->reader, setting, tree, &config, err);
	if (code == PLM_OK && setting == PLM_SETTING_KUEUE) {
		code = read_rate(tree, reading->settings, err);
	}
	if (code == PLM_OK) { /* its texts are the tree's, which ends with this call */
		reading->settings->config = *(struct plm_w_config *)plm_wire_copy(
			&plm_type_config, &config, &reading->settings->arena);
	}
	return code;
}

static enum plm_code on_fact(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	(void)ctx;
	return plm_fail(
		err, PLM_E_INPUT,
		"%s:%d: %s %.*s is no settings document: a real cluster's objects come from "
		"its API server",
		fact->file, fact->line, plm_names_text(&plm_names_kind, fact->kind),
		(int)fact->meta->name.size, (const char *)fact->meta->name.ptr);
}

static void on_warning(void *ctx, const char *text)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR("warning", text), PLM_LOG_END};

	(void)ctx;
	plm_jsonlog(PLM_LOG_WARN, "settings", "a setting that nothing decides on", fields);
}

/* ---- Karpenter's environment ------------------------------------------------------------------- */

/* karpenter.md 1.6: those of its variables that decide something here. */
static const char *const karpenter_names[] = {
	"BATCH_IDLE_DURATION", "BATCH_MAX_DURATION", "PREFERENCE_POLICY",
	"MIN_VALUES_POLICY",   "CLUSTER_NAME",	     "VM_MEMORY_OVERHEAD_PERCENT",
	"RESERVED_ENIS",
};

/* As the ConfigMap that says the same, so that there is one reader of these names. */
static enum plm_code read_environment(struct reading *reading, struct plm_error *err)
{
	struct plm_arena *arena = &reading->settings->arena;
	struct plm_slice text = plm_slice_str("{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", "
					      "\"metadata\": {\"name\": \"karpenter-settings\"}, "
					      "\"data\": {");
	const char *comma = "";

	for (size_t i = 0; i < PLM_COUNTOF(karpenter_names); i++) {
		const char *value = getenv(karpenter_names[i]);

		if (value == NULL || value[0] == '\0') {
			continue;
		}
		if (strpbrk(value, "\"\\\n") != NULL) {
			return plm_fail(err, PLM_E_CONFIG,
					"%s: is no such value (from environment)",
					karpenter_names[i]);
		}
		text = plm_arena_format(arena, "%.*s%s\"%s\": \"%s\"", (int)text.size,
					(const char *)text.ptr, comma, karpenter_names[i], value);
		comma = ", ";
	}
	if (comma[0] == '\0') {
		return PLM_OK;
	}
	text = plm_arena_format(arena, "%.*s}}", (int)text.size, (const char *)text.ptr);
	return plm_manifest_read_text(reading->reader, "environment", text, err);
}

/* ---- all of it --------------------------------------------------------------------------------- */

static enum plm_code read_documents(const struct plm_config *config, struct plm_settings *out,
				    struct plm_error *err)
{
	struct reading reading = {.settings = out};
	const struct plm_manifest_sink sink = {
		.ctx = &reading, .fact = on_fact, .setting = on_setting, .warn = on_warning};
	const struct plm_manifest_options options = {.now_ms = 0, .updates = true};
	const struct plm_config_value *files = &config->values[PLM_CONFIG_KEY_FILENAME];
	enum plm_code code = plm_manifest_open(&reading.reader, &options, &sink, err);

	for (size_t i = 0; i < files->count && code == PLM_OK; i++) {
		code = plm_manifest_read(reading.reader, files->texts[i], err);
	}
	if (code == PLM_OK) {
		code = read_environment(&reading, err);
	}
	plm_manifest_close(reading.reader);
	if (code == PLM_E_INPUT || code == PLM_E_NOT_FOUND) {
		struct plm_error why = *err;

		return plm_config_fail(config, PLM_CONFIG_KEY_FILENAME, err, "%s", why.text);
	}
	return code;
}

static enum plm_code read_catalog(const struct plm_config *config, struct plm_settings *out,
				  struct plm_error *err)
{
	const char *from = plm_config_text(config, PLM_CONFIG_KEY_CATALOG);
	enum plm_code code = plm_catalog_load(from, plm_config_text(config, PLM_CONFIG_KEY_REGION),
					      &out->arena, &out->catalog, err);

	if (code != PLM_OK) {
		struct plm_error why = *err;

		return plm_config_fail(config,
				       strcmp(from, "builtin") == 0 ? PLM_CONFIG_KEY_REGION
								    : PLM_CONFIG_KEY_CATALOG,
				       err, "%s", why.text);
	}
	return PLM_OK;
}

/* What our own flags say wins, unless it is only their default. */
static void apply_flags(const struct plm_config *config, struct plm_settings *out)
{
	const struct plm_config_value *name = &config->values[PLM_CONFIG_KEY_CLUSTER_NAME];

	out->config.compat = plm_config_is(config, PLM_CONFIG_KEY_COMPAT, "strict")
				     ? PLM_COMPAT_STRICT
				     : PLM_COMPAT_BETTER;
	out->config.region = plm_slice_str(plm_config_text(config, PLM_CONFIG_KEY_REGION));
	if (strcmp(name->origin, "default") != 0) {
		out->config.cluster_name = plm_slice_str(name->texts[0]);
	}
}

enum plm_code plm_settings_read(const struct plm_config *config, struct plm_settings *out,
				struct plm_error *err)
{
	enum plm_code code = plm_arena_init(&out->arena, SETTINGS_BYTES, err);

	if (code != PLM_OK) {
		return code;
	}
	plm_sim_config_defaults(&out->config);
	out->config.cluster_name =
		plm_slice_str(plm_config_text(config, PLM_CONFIG_KEY_CLUSTER_NAME));
	code = read_documents(config, out, err);
	if (code == PLM_OK) {
		code = read_catalog(config, out, err);
	}
	apply_flags(config, out);
	return code;
}

enum plm_code plm_settings_move(struct plm_settings *settings, const struct plm_config *config,
				const char *place, struct plm_error *err)
{
	struct plm_slice region = plm_slice_str(place);
	const char *from = plm_config_text(config, PLM_CONFIG_KEY_CATALOG);
	struct plm_w_catalog catalog = {0};
	enum plm_code code = PLM_OK;

	if (plm_slice_equal(settings->catalog.region, region)) {
		settings->config.region = region;
		return PLM_OK;
	}
	region = plm_arena_copy(&settings->arena, region);
	settings->config.region = region;
	if (strcmp(from, "builtin") != 0) {
		return PLM_OK;
	}
	code = plm_catalog_load(from, place, &settings->arena, &catalog, err);
	if (code != PLM_OK) {
		catalog = (struct plm_w_catalog){.region = region,
						 .source = plm_slice_str("builtin")};
	}
	settings->catalog = catalog;
	return PLM_OK;
}

void plm_settings_fini(struct plm_settings *settings)
{
	plm_arena_fini(&settings->arena);
}

/* ---- which settings go together ---------------------------------------------------------------- */

/* One of --kubeconfig and --cloud sim says which cluster it is. */
static enum plm_code check_cluster(const struct plm_config *config, struct plm_error *err)
{
	bool real = plm_config_has(config, PLM_CONFIG_KEY_KUBECONFIG);
	bool embedded = plm_config_is(config, PLM_CONFIG_KEY_CLOUD, "sim");

	if (real && embedded) {
		return plm_config_fail(config, PLM_CONFIG_KEY_KUBECONFIG, err,
				       "has no meaning with the embedded cluster (cloud sim)");
	}
	if (!real && !embedded) {
		return plm_config_fail(config, PLM_CONFIG_KEY_KUBECONFIG, err,
				       "must be set: a file or in-cluster (or cloud sim)");
	}
	if (real && plm_config_has(config, PLM_CONFIG_KEY_SCENARIO)) {
		return plm_config_fail(config, PLM_CONFIG_KEY_SCENARIO, err,
				       "is for the embedded cluster (cloud sim)");
	}
	return PLM_OK;
}

/* What only the EC2 end reads has no meaning without it. */
static enum plm_code check_cloud(const struct plm_config *config, struct plm_error *err)
{
	static const enum plm_config_key keys[] = {PLM_CONFIG_KEY_EC2_ENDPOINT,
						   PLM_CONFIG_KEY_QUEUE};

	for (size_t i = 0; i < PLM_COUNTOF(keys); i++) {
		if (plm_config_has(config, keys[i]) &&
		    !plm_config_is(config, PLM_CONFIG_KEY_CLOUD, "ec2")) {
			return plm_config_fail(config, keys[i], err,
					       "has no meaning without cloud ec2");
		}
	}
	return PLM_OK;
}

enum plm_code plm_settings_check(const struct plm_config *config, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	if (!plm_config_has(config, PLM_CONFIG_KEY_DATA_DIR)) {
		return plm_config_fail(config, PLM_CONFIG_KEY_DATA_DIR, err, "must be set");
	}
	code = check_cluster(config, err);
	return code == PLM_OK ? check_cloud(config, err) : code;
}
