/* Settings of Kueue and Karpenter that decide: kueue.md 1.7, karpenter.md 1.7. */
#include "adapters/manifest/project.h"
#include "adapters/manifest/reader.h"
#include "core/integration.h"
#include "core/timefmt.h"

#define NANO 1000000000LL
/* usageSamplingInterval when it is absent or 0. */
#define AFS_INTERVAL_MS (5LL * 60 * 1000)

/* Sections of Kueue's Configuration that only say how its process runs. */
static void ignore_process(struct plm_doc *root)
{
	static const char *const fields[] = {
		"apiVersion",
		"kind",
		"metadata",
		"namespace",
		"health",
		"metrics",
		"webhook",
		"controller",
		"leaderElection",
		"internalCertManagement",
		"clientConnection",
		"manager",
		"tls",
	};

	for (size_t i = 0; i < PLM_COUNTOF(fields); i++) {
		plm_doc_ignore(plm_doc_get(root, fields[i]));
	}
}

static void warn_rest(struct plm_manifest *reader, struct plm_doc_tree *tree, struct plm_doc *top)
{
	struct plm_doc *field = plm_doc_unread(top);

	for (; field != NULL; field = plm_doc_unread(top)) {
		struct plm_slice path = plm_doc_field(tree, field);

		plm_manifest_warn(reader, "%.*s: %s is not decided on", (int)tree->kind.size,
				  (const char *)tree->kind.ptr, (const char *)path.ptr);
		plm_doc_ignore(field);
	}
}

/* The two strategies alone or in their order; none = both. */
static void read_strategies(struct plm_doc_tree *tree, struct plm_doc *fair,
			    struct plm_w_config *config)
{
	struct plm_vec list = plm_doc_texts(tree, fair, "preemptionStrategies");
	const struct plm_slice *texts = list.ptr;
	int64_t first = list.count == 0 ? -1 : plm_names_find(&plm_names_fair_strategies, texts[0]);

	if (list.count == 0) {
		config->fair_strategies = PLM_FAIR_FINAL_THEN_INITIAL;
	} else if (list.count == 1 && (first == PLM_FAIR_FINAL || first == PLM_FAIR_INITIAL)) {
		config->fair_strategies = first;
	} else if (list.count == 2 && first == PLM_FAIR_FINAL &&
		   plm_names_find(&plm_names_fair_strategies, texts[1]) == PLM_FAIR_INITIAL) {
		config->fair_strategies = PLM_FAIR_FINAL_THEN_INITIAL;
	} else {
		plm_doc_fail(tree, plm_doc_get(fair, "preemptionStrategies"),
			     "not one of [LessThanOrEqualToFinalShare], [LessThanInitialShare], or "
			     "both in this order");
	}
}

static struct plm_vec read_transformations(struct plm_doc_tree *tree, struct plm_doc *resources)
{
	struct plm_doc *list = plm_doc_list(tree, resources, "transformations");
	struct plm_project p = {.tree = tree, .arena = tree->arena};
	struct plm_w_transformation *out = NULL;
	size_t count = 0;

	if (list == NULL || list->count == 0) {
		return (struct plm_vec){0};
	}
	out = PLM_NEW_ARRAY(tree->arena, list->count, struct plm_w_transformation);
	for (struct plm_doc *item = list->first; item != NULL; item = item->next) {
		struct plm_slice strategy = plm_doc_text(tree, item, "strategy");

		out[count].input = plm_doc_text_required(tree, item, "input");
		out[count].multiply_by = plm_doc_text(tree, item, "multiplyBy");
		out[count].keep = strategy.size == 0 || plm_slice_is(strategy, "Retain");
		out[count].outputs = plm_project_exact(&p, item, "outputs", true);
		for (size_t i = 0; i < count; i++) {
			if (plm_slice_equal(out[i].input, out[count].input)) {
				plm_doc_fail(tree, plm_doc_get(item, "input"),
					     "%.*s stands twice in the list",
					     (int)out[count].input.size,
					     (const char *)out[count].input.ptr);
			}
		}
		if (out[count].keep == 0 && !plm_slice_is(strategy, "Replace")) {
			plm_doc_fail(tree, plm_doc_get(item, "strategy"),
				     "neither Retain nor Replace");
		}
		count++;
	}
	return (struct plm_vec){out, count};
}

static int64_t positive_duration(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	int64_t ms = plm_doc_duration(tree, map, key, 0);

	if (ms < 0) {
		plm_doc_fail(tree, plm_doc_get(map, key), "must not be negative");
	}
	return plm_max(ms, 0);
}

/* Its presence turns admission fair sharing on: kueue.md 1.7, 2.13. */
static void read_afs(struct plm_doc_tree *tree, struct plm_w_config *config)
{
	struct plm_doc *afs = plm_doc_map(tree, tree->root, "admissionFairSharing");
	struct plm_doc *weights = plm_doc_map(tree, afs, "resourceWeights");
	struct plm_w_amount *list = NULL;
	size_t count = 0;

	if (afs == NULL) {
		return;
	}
	config->afs = 1;
	config->afs_half_life_ms = positive_duration(tree, afs, "usageHalfLifeTime");
	config->afs_interval_ms = positive_duration(tree, afs, "usageSamplingInterval");
	if (config->afs_interval_ms == 0) {
		config->afs_interval_ms = AFS_INTERVAL_MS;
	}
	if (weights == NULL || weights->count == 0) {
		return;
	}
	list = PLM_NEW_ARRAY(tree->arena, weights->count, struct plm_w_amount);
	for (struct plm_doc *item = weights->first; item != NULL; item = item->next, count++) {
		list[count].resource = item->key;
		list[count].amount = plm_doc_quantity(tree, item, NULL, PLM_SCALE_NANO, 0);
	}
	plm_doc_ignore(weights);
	config->afs_weights = (struct plm_vec){list, count};
}

/* v1beta1 has it off unless it is enabled and five minutes, later versions have it on and 30: kueue.md 1.7. */
static void read_pods_ready(struct plm_doc_tree *tree, struct plm_w_config *config)
{
	struct plm_doc *wait = plm_doc_map(tree, tree->root, "waitForPodsReady");
	struct plm_doc *how = plm_doc_map(tree, wait, "requeuingStrategy");
	struct plm_slice version = plm_doc_text(tree, tree->root, "apiVersion");
	bool old = plm_slice_is(version, "config.kueue.x-k8s.io/v1beta1");
	int64_t limit = plm_doc_count(tree, how, "backoffLimitCount", PLM_UNSET);

	config->pods_ready = plm_doc_bool(tree, wait, "enable", old ? 0 : 1);
	config->ready_timeout_ms =
		plm_doc_duration(tree, wait, "timeout", (old ? 5 : 30) * PLM_MS_PER_MINUTE);
	config->recovery_timeout_ms =
		plm_doc_duration(tree, wait, "recoveryTimeout", config->ready_timeout_ms);
	config->block_admission = plm_doc_bool(tree, wait, "blockAdmission", 0);
	config->requeue_timestamp = plm_doc_enum(
		tree, how, "timestamp", &plm_names_requeue_timestamp, PLM_REQUEUE_BY_EVICTION);
	config->deactivate_at = limit == PLM_UNSET ? 0 : plm_add_sat(limit, 1);
	config->requeue_base_s = plm_doc_count(tree, how, "backoffBaseSeconds", 60);
	config->requeue_max_s = plm_doc_count(tree, how, "backoffMaxSeconds", 3600);
	if (config->ready_timeout_ms == 0) {
		plm_doc_fail(tree, plm_doc_get(wait, "timeout"), "must be above 0");
	}
	if (config->deactivate_at > INT32_MAX) {
		plm_doc_fail(tree, plm_doc_get(how, "backoffLimitCount"), "must be at most %d",
			     INT32_MAX - 1);
	}
}

void plm_manifest_setting_defaults(struct plm_w_config *config)
{
	config->pods_ready = 1;
	config->ready_timeout_ms = 30 * PLM_MS_PER_MINUTE;
	config->recovery_timeout_ms = 30 * PLM_MS_PER_MINUTE;
	config->requeue_timestamp = PLM_REQUEUE_BY_EVICTION;
	config->requeue_base_s = 60;
	config->requeue_max_s = 3600;
}

/* Absent = for ever (0); "0s" = at once, which is the next moment. */
static int64_t retention(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	int64_t kept_ms = plm_doc_duration(tree, map, key, PLM_UNSET);

	return kept_ms == PLM_UNSET ? 0 : plm_max(kept_ms, 1);
}

static void read_retention(struct plm_doc_tree *tree, struct plm_w_config *config)
{
	struct plm_doc *policies = plm_doc_map(tree, tree->root, "objectRetentionPolicies");
	struct plm_doc *workloads = plm_doc_map(tree, policies, "workloads");

	config->retain_finished_ms = retention(tree, workloads, "afterFinished");
	config->retain_deactivated_ms = retention(tree, workloads, "afterDeactivatedByKueue");
}

/* "AppWrapper.v1beta2.workload.codeflare.dev" is the integration "workload.codeflare.dev/appwrapper". */
static struct plm_slice framework_of(struct plm_doc_tree *tree, struct plm_slice external)
{
	const char *text = (const char *)external.ptr;
	size_t kind = 0;
	size_t group = 0;
	char lower[64] = {0};

	while (kind < external.size && kind + 1 < sizeof(lower) && text[kind] != '.') {
		lower[kind] = text[kind];
		if (text[kind] >= 'A' && text[kind] <= 'Z') {
			lower[kind] = (char)(text[kind] + ('a' - 'A'));
		}
		kind++;
	}
	group = kind + 1;
	while (group < external.size && text[group] != '.') {
		group++;
	}
	if (group + 1 >= external.size) {
		return external;
	}
	return plm_arena_format(tree->arena, "%.*s/%s", (int)(external.size - group - 1),
				text + group + 1, lower);
}

static bool is_framework(struct plm_slice name)
{
	static const char *const by_pods[] = {"deployment", "statefulset"};
	size_t count = 0;
	const struct plm_integration *rows = plm_integrations(&count);

	for (size_t i = 0; i < PLM_COUNTOF(by_pods); i++) {
		if (plm_slice_is(name, by_pods[i])) {
			return true;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (plm_slice_is(name, rows[i].framework)) {
			return true;
		}
	}
	return false;
}

/*
 * kueue.md 1.7. A kind of another controller is one of ours when the table knows it; else only its name is
 * known, and its children are not looked at either way.
 */
static void read_frameworks(struct plm_doc_tree *tree, struct plm_doc *integrations,
			    struct plm_w_config *config)
{
	struct plm_vec named = plm_doc_texts(tree, integrations, "frameworks");
	struct plm_vec others = plm_doc_texts(tree, integrations, "externalFrameworks");
	const struct plm_slice *lists[] = {named.ptr, others.ptr};
	const size_t counts[] = {named.count, others.count};
	struct plm_slice *out =
		PLM_NEW_ARRAY(tree->arena, named.count + others.count + 1, struct plm_slice);
	size_t count = 0;

	for (size_t l = 0; l < PLM_COUNTOF(lists); l++) {
		for (size_t i = 0; i < counts[l]; i++) {
			struct plm_slice name =
				l == 0 ? lists[l][i] : framework_of(tree, lists[l][i]);

			if (is_framework(name)) {
				out[count++] = name;
			} else if (l == 0) {
				plm_doc_fail(tree, plm_doc_get(integrations, "frameworks"),
					     "there is no integration %.*s", (int)name.size,
					     (const char *)name.ptr);
			}
		}
	}
	if (count == 0) { /* upstream's default */
		out[count++] = plm_slice_str("batch/job");
	}
	config->frameworks = (struct plm_vec){out, count};
}

static void read_integrations(struct plm_doc_tree *tree, struct plm_w_config *config)
{
	struct plm_project p = {.tree = tree, .arena = tree->arena};
	struct plm_doc *integrations = plm_doc_map(tree, tree->root, "integrations");

	if (integrations != NULL) {
		read_frameworks(tree, integrations, config);
		plm_doc_ignore(plm_doc_get(integrations, "labelKeysToCopy"));
	}
	config->manage_unnamed = plm_doc_bool(tree, tree->root, "manageJobsWithoutQueueName", 0);
	config->managed_namespaces =
		plm_project_selector(&p, tree->root, "managedJobsNamespaceSelector");
}

/* Its presence turns fair sharing on; v1beta1 can say enable: false. */
static void read_kueue(struct plm_doc_tree *tree, struct plm_w_config *config)
{
	struct plm_doc *fair = plm_doc_map(tree, tree->root, "fairSharing");
	struct plm_doc *resources = plm_doc_map(tree, tree->root, "resources");
	struct plm_doc *classes = plm_doc_list(tree, resources, "deviceClassMappings");
	struct plm_slice undeclared = plm_doc_text(tree, resources, "quotaCheckStrategy");

	if (fair != NULL) {
		config->fair_sharing = plm_doc_bool(tree, fair, "enable", 1);
		read_strategies(tree, fair, config);
	}
	config->ignore_undeclared = plm_slice_is(undeclared, "IgnoreUndeclared");
	config->exclude_prefixes = plm_doc_texts(tree, resources, "excludeResourcePrefixes");
	config->transformations = read_transformations(tree, resources);
	if (undeclared.size > 0 && config->ignore_undeclared == 0 &&
	    !plm_slice_is(undeclared, "BlockUndeclared")) {
		plm_doc_fail(tree, plm_doc_get(resources, "quotaCheckStrategy"),
			     "neither BlockUndeclared nor IgnoreUndeclared");
	}
	read_afs(tree, config);
	read_integrations(tree, config);
	read_pods_ready(tree, config);
	read_retention(tree, config);
	config->device_classes = classes != NULL && classes->count > 0;
	plm_doc_ignore(classes);
	ignore_process(tree->root);
}

/* What EC2's numbers are counted with: karpenter.md 4.4. */
static void read_capacity(struct plm_doc_tree *tree, struct plm_doc *data,
			  struct plm_w_config *config)
{
	static const char *const overhead = "VM_MEMORY_OVERHEAD_PERCENT";
	struct plm_slice enis = plm_doc_text(tree, data, "RESERVED_ENIS");
	int64_t kept_nano = plm_doc_quantity(tree, data, overhead, PLM_SCALE_NANO, PLM_UNSET);

	if (kept_nano != PLM_UNSET && kept_nano >= NANO) {
		plm_doc_fail(tree, plm_doc_get(data, overhead),
			     "is a share of the memory: below 1, 0.075 for 7.5 %%");
	} else if (kept_nano != PLM_UNSET) {
		config->vm_memory_nano = NANO - kept_nano;
	}
	if (enis.size > 0 && (!plm_integer_parse(enis, &config->reserved_enis) ||
			      config->reserved_enis < 0 || config->reserved_enis > INT32_MAX)) {
		plm_doc_fail(tree, plm_doc_get(data, "RESERVED_ENIS"),
			     "is not a number of interfaces");
	}
}

/* Values are environment variables, so all of them are texts. */
static void read_karpenter(struct plm_doc_tree *tree, struct plm_w_config *config)
{
	struct plm_doc *data = plm_doc_map(tree, tree->root, "data");
	struct plm_slice name = plm_doc_text(tree, data, "CLUSTER_NAME");

	config->preferences = plm_doc_enum(tree, data, "PREFERENCE_POLICY",
					   &plm_names_preference_policy, config->preferences);
	config->min_values = plm_doc_enum(tree, data, "MIN_VALUES_POLICY",
					  &plm_names_min_values_policy, config->min_values);
	config->batch_idle_ms =
		plm_doc_duration(tree, data, "BATCH_IDLE_DURATION", config->batch_idle_ms);
	config->batch_max_ms =
		plm_doc_duration(tree, data, "BATCH_MAX_DURATION", config->batch_max_ms);
	config->cluster_name = name.size > 0 ? name : config->cluster_name;
	read_capacity(tree, data, config);
}

enum plm_code plm_manifest_apply_setting(struct plm_manifest *reader,
					 enum plm_manifest_setting setting,
					 struct plm_doc_tree *tree, struct plm_w_config *config,
					 struct plm_error *err)
{
	struct plm_w_config read = *config;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(setting != PLM_SETTING_SCENARIO);
	if (setting == PLM_SETTING_KUEUE) {
		read_kueue(tree, &read);
		warn_rest(reader, tree, tree->root);
	} else {
		read_karpenter(tree, &read);
		warn_rest(reader, tree, plm_doc_get(tree->root, "data"));
	}
	code = plm_doc_result(tree, err);
	if (code == PLM_OK) {
		*config = read;
	}
	return code;
}
