/* Queue objects of both dialects: kueue.md 1.1-1.6, dialect.md "Queues". */
#include "adapters/manifest/check.h"

#include "core/units.h"

#define NANO_PER_WEIGHT 1000000000LL
/* The dialect writes weights in hundredths. */
#define NANO_PER_DIALECT_WEIGHT (NANO_PER_WEIGHT / 100)
#define DIALECT_WEIGHT 100
#define DIALECT_COHORT "plimsoll-elastic"
#define DIALECT_FLAVOR "default"

void plm_project_namespace(struct plm_project *p, struct plm_doc *root, void *payload)
{
	(void)p;
	(void)payload; /* metadata is all there is */
	plm_doc_ignore(plm_doc_get(root, "spec"));
}

void plm_project_flavor(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_flavor *flavor = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	flavor->node_labels = plm_project_node_labels(p, spec, "nodeLabels");
	flavor->node_taints = plm_project_taints(p, spec, "nodeTaints");
	flavor->tolerations = plm_project_tolerations(p, spec, "tolerations");
	flavor->topology = plm_doc_text(p->tree, spec, "topologyName");
	plm_check_flavor(p, spec, flavor);
}

/* ---- quota ------------------------------------------------------------------------------------- */

static struct plm_w_quota read_quota(struct plm_project *p, struct plm_doc *item)
{
	struct plm_slice resource = plm_doc_text_required(p->tree, item, "name");
	enum plm_scale scale = plm_resource_scale(resource);
	struct plm_w_quota quota = {
		.resource = resource,
		.nominal = plm_doc_quantity(p->tree, item, "nominalQuota", scale, PLM_UNSET),
		.borrowing = plm_doc_quantity(p->tree, item, "borrowingLimit", scale, PLM_UNSET),
		.lending = plm_doc_quantity(p->tree, item, "lendingLimit", scale, PLM_UNSET),
	};

	if (quota.nominal == PLM_UNSET) {
		plm_doc_fail(p->tree, item, "nominalQuota is required");
	}
	return quota;
}

/* Each flavor lists exactly the covered resources in their order, as the API asks. */
static void read_flavor(struct plm_project *p, struct plm_doc *item, const struct plm_vec *covered,
			struct plm_w_flavor_quota *out)
{
	struct plm_doc *list = plm_doc_list(p->tree, item, "resources");
	const struct plm_slice *names = covered->ptr;
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_quota *quotas = plm_project_array(p, count, sizeof(*quotas));
	size_t at = 0;

	out->flavor = plm_doc_text_required(p->tree, item, "name");
	if (count != covered->count) {
		plm_doc_fail(p->tree, item, "%zu resources, but coveredResources has %zu", count,
			     covered->count);
		return;
	}
	for (struct plm_doc *node = plm_doc_items(list); node != NULL; node = node->next, at++) {
		quotas[at] = read_quota(p, node);
		if (!plm_slice_equal(quotas[at].resource, names[at])) {
			plm_doc_fail(p->tree, node, "coveredResources has %.*s here",
				     (int)names[at].size, (const char *)names[at].ptr);
		}
	}
	out->quotas = (struct plm_vec){quotas, count};
}

static bool in_group(const struct plm_w_group *group, struct plm_slice resource,
		     struct plm_slice flavor)
{
	const struct plm_slice *names = group->resources.ptr;
	const struct plm_w_flavor_quota *flavors = group->flavors.ptr;

	for (size_t i = 0; i < group->resources.count; i++) {
		if (plm_slice_equal(names[i], resource)) {
			return true;
		}
	}
	for (size_t i = 0; i < group->flavors.count; i++) {
		if (plm_slice_equal(flavors[i].flavor, flavor)) {
			return true;
		}
	}
	return false;
}

/* A resource and a flavor belong to one group only. */
static void check_group(struct plm_project *p, struct plm_doc *item,
			const struct plm_w_group *groups, size_t count)
{
	const struct plm_w_group *last = &groups[count];
	const struct plm_slice *names = last->resources.ptr;
	const struct plm_w_flavor_quota *flavors = last->flavors.ptr;
	struct plm_slice none = {0};

	for (size_t i = 0; i < last->flavors.count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (plm_slice_equal(flavors[i].flavor, flavors[j].flavor)) {
				plm_doc_fail(p->tree, item, "flavor %.*s stands twice in it",
					     (int)flavors[i].flavor.size,
					     (const char *)flavors[i].flavor.ptr);
			}
		}
	}
	for (size_t i = 0; i < last->resources.count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (plm_slice_equal(names[i], names[j])) {
				plm_doc_fail(p->tree, item, "%.*s stands twice in it",
					     (int)names[i].size, (const char *)names[i].ptr);
			}
		}
	}
	for (size_t before = 0; before < count; before++) {
		for (size_t i = 0; i < last->resources.count; i++) {
			if (in_group(&groups[before], names[i], none)) {
				plm_doc_fail(p->tree, item, "%.*s is in two resource groups",
					     (int)names[i].size, (const char *)names[i].ptr);
			}
		}
		for (size_t i = 0; i < last->flavors.count; i++) {
			if (in_group(&groups[before], none, flavors[i].flavor)) {
				plm_doc_fail(p->tree, item, "flavor %.*s is in two resource groups",
					     (int)flavors[i].flavor.size,
					     (const char *)flavors[i].flavor.ptr);
			}
		}
	}
}

static struct plm_vec read_groups(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, "resourceGroups");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_group *groups = plm_project_array(p, count, sizeof(*groups));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		struct plm_doc *flavors = plm_doc_list(p->tree, item, "flavors");
		size_t many = flavors == NULL ? 0 : flavors->count;
		struct plm_w_flavor_quota *quotas = plm_project_array(p, many, sizeof(*quotas));
		size_t i = 0;

		groups[at].resources = plm_doc_texts(p->tree, item, "coveredResources");
		groups[at].flavors = (struct plm_vec){quotas, many};
		for (struct plm_doc *node = plm_doc_items(flavors); node != NULL;
		     node = node->next) {
			read_flavor(p, node, &groups[at].resources, &quotas[i++]);
		}
		check_group(p, item, groups, at);
	}
	return (struct plm_vec){groups, count};
}

static int64_t read_weight(struct plm_project *p, struct plm_doc *spec)
{
	return plm_doc_quantity(p->tree, plm_doc_map(p->tree, spec, "fairSharing"), "weight",
				PLM_SCALE_NANO, NANO_PER_WEIGHT);
}

void plm_project_cohort(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_cohort *cohort = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	cohort->parent = plm_doc_text(p->tree, spec, "parentName");
	if (cohort->parent.size == 0) {
		cohort->parent = plm_doc_text(p->tree, spec, "parent"); /* before v1beta1 */
	}
	cohort->groups = read_groups(p, spec);
	cohort->weight_nano = read_weight(p, spec);
	plm_check_cohort(p, spec, cohort);
}

/* ---- ClusterQueue as upstream writes it --------------------------------------------------------- */

/* v1beta1 spells MayStopSearch "Borrow" and "Preempt". */
static int64_t read_fungibility(struct plm_project *p, struct plm_doc *map, const char *key,
				int64_t absent)
{
	struct plm_slice text = plm_doc_text(p->tree, map, key);

	if (plm_slice_is(text, "Borrow") || plm_slice_is(text, "Preempt")) {
		return PLM_FUNGIBILITY_MAY_STOP_SEARCH;
	}
	return plm_doc_enum(p->tree, map, key, &plm_names_fungibility, absent);
}

static void read_preemption(struct plm_project *p, struct plm_doc *spec,
			    struct plm_w_cluster_queue *queue)
{
	struct plm_doc *map = plm_doc_map(p->tree, spec, "preemption");
	struct plm_doc *borrow = plm_doc_map(p->tree, map, "borrowWithinCohort");

	queue->within = plm_doc_enum(p->tree, map, "withinClusterQueue", &plm_names_preemption,
				     PLM_PREEMPTION_NEVER);
	queue->reclaim = plm_doc_enum(p->tree, map, "reclaimWithinCohort", &plm_names_preemption,
				      PLM_PREEMPTION_NEVER);
	queue->borrow_within = plm_doc_enum(p->tree, borrow, "policy", &plm_names_preemption,
					    PLM_PREEMPTION_NEVER);
	queue->borrow_threshold = plm_doc_int32(p->tree, borrow, "maxPriorityThreshold", PLM_UNSET);
	queue->preempt_threshold = PLM_UNSET;
	if (queue->within == PLM_PREEMPTION_ANY) {
		plm_doc_fail(p->tree, plm_doc_get(map, "withinClusterQueue"),
			     "must be Never, LowerPriority or LowerOrNewerEqualPriority");
	}
	if (queue->reclaim == PLM_PREEMPTION_LOWER_OR_NEWER_EQUAL) {
		plm_doc_fail(p->tree, plm_doc_get(map, "reclaimWithinCohort"),
			     "must be Never, LowerPriority or Any");
	}
	if (queue->borrow_within != PLM_PREEMPTION_NEVER &&
	    queue->borrow_within != PLM_PREEMPTION_LOWER_PRIORITY) {
		plm_doc_fail(p->tree, plm_doc_get(borrow, "policy"),
			     "must be Never or LowerPriority");
	}
}

/* v1beta2 and v1beta1 have {name, onFlavors}; v1beta1 also a plain list of names. */
static struct plm_vec read_checks(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *strategy = plm_doc_map(p->tree, spec, "admissionChecksStrategy");
	struct plm_doc *list = plm_doc_list(p->tree, strategy, "admissionChecks");
	struct plm_vec names = plm_doc_texts(p->tree, spec, "admissionChecks");
	const struct plm_slice *texts = names.ptr;
	size_t count = names.count + (list == NULL ? 0 : list->count);
	struct plm_w_check_use *checks = plm_project_array(p, count, sizeof(*checks));
	size_t at = 0;

	for (; at < names.count; at++) {
		checks[at].name = texts[at];
	}
	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		checks[at].name = plm_doc_text_required(p->tree, item, "name");
		checks[at].flavors = plm_doc_texts(p->tree, item, "onFlavors");
	}
	return (struct plm_vec){checks, count};
}

static void upstream_queue(struct plm_project *p, struct plm_doc *spec,
			   struct plm_w_cluster_queue *queue)
{
	struct plm_doc *fungibility = plm_doc_map(p->tree, spec, "flavorFungibility");

	queue->cohort = plm_doc_text(p->tree, spec, "cohortName");
	if (queue->cohort.size == 0) {
		queue->cohort = plm_doc_text(p->tree, spec, "cohort"); /* v1beta1 */
	}
	queue->groups = read_groups(p, spec);
	queue->strategy = plm_doc_enum(p->tree, spec, "queueingStrategy", &plm_names_strategy,
				       PLM_STRATEGY_BEST_EFFORT_FIFO);
	queue->ns_selector = plm_project_selector(p, spec, "namespaceSelector");
	queue->when_can_borrow =
		read_fungibility(p, fungibility, "whenCanBorrow", PLM_FUNGIBILITY_MAY_STOP_SEARCH);
	queue->when_can_preempt =
		read_fungibility(p, fungibility, "whenCanPreempt", PLM_FUNGIBILITY_TRY_NEXT_FLAVOR);
	queue->preference =
		plm_doc_enum(p->tree, fungibility, "preference", &plm_names_flavor_preference,
			     PLM_PREFER_BORROWING_OVER_PREEMPTION);
	read_preemption(p, spec, queue);
	queue->stop = plm_doc_enum(p->tree, spec, "stopPolicy", &plm_names_stop, PLM_STOP_NONE);
	queue->weight_nano = read_weight(p, spec);
	queue->checks = read_checks(p, spec);
	plm_check_cluster_queue(p, spec, queue);
	queue->admission_mode =
		plm_doc_enum(p->tree, plm_doc_map(p->tree, spec, "admissionScope"), "admissionMode",
			     &plm_names_admission_mode, PLM_ADMISSION_BY_ORDER);
}

/* ---- ClusterQueue of the dialect ---------------------------------------------------------------- */

/* A bad quantity makes the queue inactive instead of the input unreadable: dialect.md. */
static int64_t dialect_amount(struct plm_project *p, struct plm_doc *item, const char *key,
			      int64_t absent, struct plm_w_cluster_queue *queue)
{
	struct plm_doc *node = plm_doc_get(item, key);
	struct plm_slice resource = plm_doc_text(p->tree, item, "name");
	struct plm_error err = {0};
	int64_t amount = absent;

	if (node == NULL) {
		return absent;
	}
	if (node->kind != PLM_DOC_TEXT && node->kind != PLM_DOC_NUMBER) {
		(void)plm_fail(&err, PLM_E_INPUT, "must be a quantity");
	} else if (plm_quantity_parse(node->text, plm_resource_scale(resource), &amount, &err) ==
			   PLM_OK &&
		   amount < 0) {
		(void)plm_fail(&err, PLM_E_INPUT, "must not be negative");
	}
	if (err.code != PLM_OK && queue->misconfigured.size == 0) {
		queue->misconfigured =
			plm_arena_format(p->arena, "%s: %s",
					 (const char *)plm_doc_path(p->tree, node).ptr, err.text);
	}
	return err.code != PLM_OK ? absent : amount;
}

static void misconfigured(struct plm_project *p, struct plm_doc *node, const char *why,
			  struct plm_w_cluster_queue *queue)
{
	if (queue->misconfigured.size == 0) {
		queue->misconfigured = plm_arena_format(
			p->arena, "%s: %s", (const char *)plm_doc_path(p->tree, node).ptr, why);
	}
}

/* minAllowed is nominal, never lent; what is between it and maxAllowed may be borrowed. */
static struct plm_w_quota dialect_quota(struct plm_project *p, struct plm_doc *item,
					struct plm_w_cluster_queue *queue)
{
	int64_t low = dialect_amount(p, item, "minAllowed", 0, queue);
	int64_t high = dialect_amount(p, item, "maxAllowed", PLM_UNLIMITED, queue);

	if (low > high) {
		misconfigured(p, item, "minAllowed is above maxAllowed", queue);
		high = low;
	}
	return (struct plm_w_quota){
		.resource = plm_doc_text_required(p->tree, item, "name"),
		.nominal = low,
		.borrowing = high == PLM_UNLIMITED ? PLM_UNSET : high - low,
		.lending = 0,
	};
}

static void dialect_group(struct plm_project *p, struct plm_doc *spec,
			  struct plm_w_cluster_queue *queue)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, "resources");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_quota *quotas = plm_project_array(p, count, sizeof(*quotas));
	struct plm_slice *names = plm_project_array(p, count, sizeof(*names));
	struct plm_w_flavor_quota *flavor = PLM_NEW(p->arena, struct plm_w_flavor_quota);
	struct plm_w_group *group = PLM_NEW(p->arena, struct plm_w_group);
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		quotas[at] = dialect_quota(p, item, queue);
		names[at] = quotas[at].resource;
		for (size_t i = 0; i < at; i++) {
			if (plm_slice_equal(names[i], names[at])) {
				misconfigured(p, item, "this resource is listed twice", queue);
			}
		}
	}
	*flavor = (struct plm_w_flavor_quota){.flavor = plm_slice_str(DIALECT_FLAVOR),
					      .quotas = {quotas, count}};
	*group = (struct plm_w_group){.resources = {names, count}, .flavors = {flavor, 1}};
	queue->groups = (struct plm_vec){group, count == 0 ? 0 : 1};
}

static void dialect_queue(struct plm_project *p, struct plm_doc *root,
			  struct plm_w_cluster_queue *queue)
{
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *preemption = plm_doc_map(p->tree, spec, "preemption");
	bool enabled = plm_doc_bool(p->tree, preemption, "enabled", 0) == 1;
	struct plm_slice check = plm_project_annotation(p, root, PLM_ANNOTATION_CAPACITY_CHECK);
	int64_t weight = plm_doc_count(p->tree, spec, "weight", DIALECT_WEIGHT);

	queue->dialect = 1;
	queue->cohort = plm_slice_str(DIALECT_COHORT);
	dialect_group(p, spec, queue);
	queue->strategy = PLM_STRATEGY_BEST_EFFORT_FIFO;
	queue->ns_selector = plm_project_selector(p, spec, "namespaceSelector");
	queue->ns_selector.present = 1; /* absent is {} here: every namespace */
	queue->when_can_borrow = PLM_FUNGIBILITY_MAY_STOP_SEARCH;
	queue->when_can_preempt = PLM_FUNGIBILITY_TRY_NEXT_FLAVOR;
	queue->preference = PLM_PREFER_BORROWING_OVER_PREEMPTION;
	queue->within = enabled ? PLM_PREEMPTION_LOWER_PRIORITY : PLM_PREEMPTION_NEVER;
	queue->reclaim = enabled ? PLM_PREEMPTION_ANY : PLM_PREEMPTION_NEVER;
	queue->borrow_within = PLM_PREEMPTION_NEVER;
	queue->borrow_threshold = PLM_UNSET;
	queue->preempt_threshold =
		plm_doc_int32(p->tree, preemption, "priorityThreshold", PLM_UNSET);
	queue->stop = PLM_STOP_NONE;
	queue->weight_nano = plm_mul_sat(weight, NANO_PER_DIALECT_WEIGHT);
	queue->capacity_check = !plm_slice_is(check, "false");
}

void plm_project_cluster_queue(struct plm_project *p, struct plm_doc *root, void *payload)
{
	static const char *const dialect[] = {"resources", "weight", "preemption.enabled",
					      "preemption.priorityThreshold", NULL};
	static const char *const upstream[] = {
		"resourceGroups",
		"cohort",
		"cohortName",
		"queueingStrategy",
		"flavorFungibility",
		"preemption.withinClusterQueue",
		"preemption.reclaimWithinCohort",
		"preemption.borrowWithinCohort",
		"admissionChecks",
		"admissionChecksStrategy",
		"stopPolicy",
		"fairSharing",
		"admissionScope",
		"concurrentAdmissionPolicy",
		NULL,
	};
	struct plm_w_cluster_queue *queue = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	if (plm_project_dialect(p, spec, dialect, upstream)) {
		dialect_queue(p, root, queue);
	} else {
		upstream_queue(p, spec, queue);
	}
	queue->concurrent = plm_doc_get(spec, "concurrentAdmissionPolicy") != NULL;
	plm_project_undecided(plm_doc_get(spec, "concurrentAdmissionPolicy"));
}

/* ---- LocalQueue, WorkQueue ---------------------------------------------------------------------- */

void plm_project_local_queue(struct plm_project *p, struct plm_doc *root, void *payload)
{
	static const char *const dialect[] = {"workQueue", NULL};
	static const char *const upstream[] = {"clusterQueue", "stopPolicy", "fairSharing", NULL};
	struct plm_w_local_queue *queue = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *fair =
		plm_doc_map(p->tree, plm_doc_map(p->tree, root, "status"), "fairSharing");
	struct plm_doc *status = plm_doc_map(p->tree, fair, "admissionFairSharingStatus");

	(void)plm_project_dialect(p, spec, dialect, upstream);
	queue->cluster_queue = plm_doc_text(p->tree, spec, "clusterQueue");
	queue->work_queue = plm_doc_text(p->tree, spec, "workQueue");
	queue->stop = plm_doc_enum(p->tree, spec, "stopPolicy", &plm_names_stop, PLM_STOP_NONE);
	if (queue->cluster_queue.size == 0 && queue->work_queue.size == 0) {
		plm_doc_fail(p->tree, spec, "clusterQueue or workQueue is required");
	}
	queue->weight_nano = read_weight(p, spec);
	queue->consumed = plm_doc_amounts(p->tree, status, "consumedResources");
	queue->consumed_ms = plm_doc_time(p->tree, status, "lastUpdate");
}

void plm_project_work_queue(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_work_queue *queue = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	queue->cluster_queue = plm_doc_text_required(p->tree, spec, "clusterQueue");
	queue->max_parallel = plm_doc_count(p->tree, spec, "maxParallelJobs", PLM_UNSET);
	if (queue->max_parallel == 0) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "maxParallelJobs"), "must be at least 1");
	}
}

/* ---- priority classes, admission checks --------------------------------------------------------- */

void plm_project_priority_class(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_priority_class *class = payload;
	struct plm_slice policy = plm_doc_text(p->tree, root, "preemptionPolicy");

	class->kind = p->row->kind;
	class->value = plm_doc_int32(p->tree, root, "value", PLM_UNSET);
	class->global_default = plm_doc_bool(p->tree, root, "globalDefault", 0);
	class->never_preempt = plm_slice_is(policy, "Never");
	if (class->value == PLM_UNSET) {
		plm_doc_fail(p->tree, root, "value is required");
	}
}

/* Written by hand, without status, a check counts as active. */
void plm_project_admission_check(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_admission_check *check = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *active = plm_project_condition(p, root, "Active");

	check->controller = plm_doc_text_required(p->tree, spec, "controllerName");
	check->active = active == NULL || plm_project_is_true(p, active);
}
