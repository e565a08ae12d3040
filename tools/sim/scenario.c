#include "tools/sim/scenario.h"

#include "adapters/catalog/catalog.h"
#include "core/sort.h"
#include "core/timefmt.h"
#include "core/wire_copy.h"
#include "tools/sim/scenario_read.h"

#include <stdio.h>
#include <stdlib.h>

#define SCENARIO_BYTES ((size_t)1024 * 1024 * 1024)
#define RUNTIME_ANNOTATION "sim.plimsoll.dev/runtime"
#define STOP_ANNOTATION "sim.plimsoll.dev/stop"

void plm_sim_config_defaults(struct plm_w_config *config)
{
	*config = (struct plm_w_config){
		.compat = PLM_COMPAT_BETTER,
		.cluster_name = plm_slice_str("sim"),
		.region = plm_slice_str("us-west-2"),
		.batch_idle_ms = 1000,
		.batch_max_ms = 10000,
		.gang_timeout_ms = 10 * PLM_MS_PER_MINUTE,
		.registration_timeout_ms = 15 * PLM_MS_PER_MINUTE,
		.launch_timeout_ms = 5 * PLM_MS_PER_MINUTE,
		.stock_out_ms = 3 * PLM_MS_PER_MINUTE,
		.disruption_wait_ms = 15 * PLM_MS_PER_SECOND,
	};
	plm_manifest_setting_defaults(config);
}

/* ---- actions ----------------------------------------------------------------------------------- */

struct plm_sim_action *plm_scenario_action(struct plm_scenario *scenario)
{
	struct plm_sim_action *action = NULL;

	if (scenario->action_count == scenario->action_capacity) {
		size_t capacity =
			scenario->action_capacity == 0 ? 128 : scenario->action_capacity * 2;
		struct plm_sim_action *grown =
			realloc(scenario->actions, capacity * sizeof(*grown));

		PLM_ASSERT(grown != NULL);
		scenario->actions = grown;
		scenario->action_capacity = capacity;
	}
	action = &scenario->actions[scenario->action_count++];
	*action = (struct plm_sim_action){.extra.runtime_ms = PLM_UNSET};
	return action;
}

static int action_order(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_sim_action *actions = context;

	if (actions[a].at_ms != actions[b].at_ms) {
		return actions[a].at_ms < actions[b].at_ms ? -1 : 1;
	}
	return a < b ? -1 : (a > b ? 1 : 0);
}

static void sort_actions(struct plm_scenario *scenario)
{
	size_t count = scenario->action_count;
	uint32_t *order = PLM_NEW_ARRAY(&scenario->arena, count, uint32_t);
	struct plm_sim_action *sorted = calloc(count + 1, sizeof(*sorted));

	PLM_ASSERT(sorted != NULL);
	for (size_t i = 0; i < count; i++) {
		order[i] = (uint32_t)i;
	}
	plm_sort(order, count, action_order, scenario->actions, &scenario->arena);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = scenario->actions[order[i]];
	}
	free(scenario->actions);
	scenario->actions = sorted;
	scenario->action_capacity = count + 1;
}

/* ---- the sink of the manifests ------------------------------------------------------------------ */

/* An annotation of the object or of its pod template; the object's own wins. */
static int64_t annotated(struct plm_doc_tree *tree, struct plm_doc *object, const char *name)
{
	struct plm_doc *places[2] = {
		plm_doc_at(object, "metadata.annotations"),
		plm_doc_at(object, "spec.template.metadata.annotations"),
	};

	for (size_t i = 0; i < PLM_COUNTOF(places); i++) {
		int64_t runtime = plm_doc_duration(tree, places[i], name, PLM_UNSET);

		if (runtime != PLM_UNSET) {
			return runtime;
		}
	}
	return PLM_UNSET;
}

/* What the pod template says of the end of its pods. */
static void read_end(struct plm_doc_tree *tree, struct plm_doc *object, struct plm_sim_extra *extra)
{
	struct plm_doc *template = plm_doc_at(object, "spec.template");
	struct plm_doc *annotations =
		plm_doc_at(template == NULL ? object : template, "metadata.annotations");
	struct plm_slice protect = plm_doc_text(tree, annotations, "karpenter.sh/do-not-disrupt");
	int64_t ms = 0;

	extra->stop_ms = plm_max(0, annotated(tree, object, STOP_ANNOTATION));
	extra->grace_s = plm_doc_int(tree, plm_doc_at(template, "spec"),
				     "terminationGracePeriodSeconds", 30);
	if (plm_slice_is(protect, "true")) {
		extra->protect_ms = PLM_UNSET;
	} else if (protect.size > 0 && plm_duration_parse_ms(protect, &ms, NULL) == PLM_OK) {
		extra->protect_ms = plm_max(0, ms);
	}
}

static enum plm_code take_fact(void *ctx, const struct plm_manifest_fact *fact,
			       struct plm_error *err)
{
	struct plm_scenario_reading *reading = ctx;
	struct plm_sim_action *action = NULL;
	const struct plm_event_info *info = plm_event_info((uint16_t)fact->type);

	PLM_ASSERT(info != NULL);
	if (fact->kind == PLM_KIND_NONE) {
		return PLM_OK; /* no object of the API */
	}
	action = plm_scenario_action(reading->scenario);
	if (reading->like != NULL) {
		*action = *reading->like;
	} else {
		action->at_ms = PLM_UNSET; /* the start, which may stand in a later document */
	}
	action->type = fact->type;
	action->payload = plm_wire_copy(info->payload, fact->payload, &reading->scenario->arena);
	if (action->extra.runtime_ms == PLM_UNSET) {
		action->extra.runtime_ms = annotated(fact->tree, fact->doc, RUNTIME_ANNOTATION);
	}
	read_end(fact->tree, fact->doc, &action->extra);
	return plm_doc_result(fact->tree, err);
}

static enum plm_code read_scenario(struct plm_scenario_reading *reading, struct plm_doc_tree *tree,
				   struct plm_error *err)
{
	struct plm_doc *unread = NULL;

	if (reading->found) {
		plm_doc_fail(tree, NULL, "a second Scenario");
		return plm_doc_result(tree, err);
	}
	reading->found = true;
	reading->tree = tree;
	reading->scenario->name = plm_arena_copy(
		&reading->scenario->arena,
		plm_doc_text_required(tree, plm_doc_get(tree->root, "metadata"), "name"));
	plm_scenario_spec(reading);
	reading->tree = NULL;
	unread = plm_doc_unread(plm_doc_get(tree->root, "spec"));
	if (unread != NULL) {
		plm_doc_fail(tree, unread, "unknown field");
	}
	return plm_doc_result(tree, err);
}

static enum plm_code take_setting(void *ctx, enum plm_manifest_setting setting,
				  struct plm_doc_tree *tree, struct plm_error *err)
{
	struct plm_scenario_reading *reading = ctx;
	struct plm_w_config *config = &reading->scenario->config;
	enum plm_code code = PLM_OK;

	if (setting == PLM_SETTING_SCENARIO) {
		return read_scenario(reading, tree, err);
	}
	code = plm_manifest_apply_setting(reading->reader, setting, tree, config, err);
	if (code == PLM_OK) { /* its texts end with the document */
		const struct plm_w_config *copy =
			plm_wire_copy(&plm_type_config, config, &reading->scenario->arena);

		*config = *copy;
		reading->scenario->world.reserved_enis = config->reserved_enis;
	}
	return code;
}

static void take_warning(void *ctx, const char *text)
{
	const struct plm_scenario_reading *reading = ctx;

	if (reading->source->warn != NULL) {
		reading->source->warn(reading->source->ctx, text);
	}
}

/* ---- the catalogue ------------------------------------------------------------------------------ */

static enum plm_code read_catalog(struct plm_scenario *scenario, const char *from,
				  struct plm_error *err)
{
	char region[64];

	(void)snprintf(region, sizeof(region), "%.*s", (int)scenario->world.region.size,
		       (const char *)scenario->world.region.ptr);
	return plm_catalog_load(from, region, &scenario->arena, &scenario->catalog, err);
}

static bool of_family(struct plm_slice type, const char *const *families)
{
	for (size_t i = 0; families[i] != NULL; i++) {
		size_t size = strlen(families[i]);

		if (type.size > size && type.ptr[size] == '.' &&
		    memcmp(type.ptr, families[i], size) == 0) {
			return true;
		}
	}
	return false;
}

/* A run of a thousand small scenarios does not need a thousand types. */
static void keep_families(struct plm_scenario *scenario, const char *const *families)
{
	const struct plm_w_instance_type *all = scenario->catalog.types.ptr;
	struct plm_w_instance_type *kept = PLM_NEW_ARRAY(
		&scenario->arena, scenario->catalog.types.count, struct plm_w_instance_type);
	size_t count = 0;

	for (size_t i = 0; i < scenario->catalog.types.count; i++) {
		if (of_family(all[i].name, families)) {
			kept[count++] = all[i];
		}
	}
	scenario->catalog.types = (struct plm_vec){.ptr = kept, .count = count};
}

/* ---- reading ------------------------------------------------------------------------------------ */

static enum plm_code read_source(struct plm_scenario_reading *reading, struct plm_error *err)
{
	const struct plm_scenario_source *source = reading->source;
	enum plm_code code = PLM_OK;

	for (size_t i = 0; i < source->manifest_count && code == PLM_OK; i++) {
		code = plm_manifest_read(reading->reader, source->manifests[i], err);
	}
	if (code != PLM_OK || source->path == NULL) {
		return code;
	}
	if (source->text.size > 0) {
		code = plm_manifest_read_text(reading->reader, source->path, source->text, err);
	} else {
		code = plm_manifest_read(reading->reader, source->path, err);
	}
	if (code == PLM_OK && !reading->found) {
		return plm_fail(err, PLM_E_INPUT,
				"%s: there is no Scenario (plimsoll.dev/v1alpha1)", source->path);
	}
	return code;
}

static enum plm_code read_documents(struct plm_scenario_reading *reading, struct plm_error *err)
{
	const struct plm_manifest_options options = {.now_ms = PLM_UNSET, .updates = true};
	const struct plm_manifest_sink sink = {
		.ctx = reading, .fact = take_fact, .setting = take_setting, .warn = take_warning};
	enum plm_code code = plm_manifest_open(&reading->reader, &options, &sink, err);

	if (code == PLM_OK) {
		code = read_source(reading, err);
		plm_manifest_close(reading->reader);
	}
	return code;
}

static void finish(struct plm_scenario *scenario)
{
	for (size_t i = 0; i < scenario->action_count; i++) {
		if (scenario->actions[i].at_ms == PLM_UNSET) {
			scenario->actions[i].at_ms = scenario->world.start_ms;
		}
	}
	sort_actions(scenario);
	scenario->config.region = scenario->world.region;
	scenario->world.catalog = &scenario->catalog;
}

enum plm_code plm_scenario_read(const struct plm_scenario_source *source, struct plm_scenario *out,
				struct plm_error *err)
{
	struct plm_scenario_reading reading = {
		.source = source, .scenario = out, .random = source->seed};
	enum plm_code code = PLM_OK;

	*out = (struct plm_scenario){0};
	plm_sim_defaults(&out->world);
	plm_sim_config_defaults(&out->config);
	if (source->region != NULL) {
		out->world.region = plm_slice_str(source->region);
	}
	code = plm_arena_init(&out->arena, SCENARIO_BYTES, err);
	if (code != PLM_OK) {
		return code;
	}
	code = read_documents(&reading, err);
	if (code == PLM_OK) {
		out->world.seed = reading.random;
		code = read_catalog(out, source->catalog, err);
	}
	if (code == PLM_OK && source->families != NULL) {
		keep_families(out, source->families);
	}
	if (code != PLM_OK) {
		plm_scenario_fini(out);
		return code;
	}
	finish(out);
	return PLM_OK;
}

void plm_scenario_fini(struct plm_scenario *scenario)
{
	if (scenario == NULL) {
		return;
	}
	free(scenario->actions);
	scenario->actions = NULL;
	plm_arena_fini(&scenario->arena);
}
