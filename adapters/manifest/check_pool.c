/*
 * NodePools and NodeClaims that Karpenter's schemas refuse, and pools that it takes in but never uses:
 * karpenter.md 1.1. Schedules, percentages and reasons of budgets are looked at where they are read.
 */
#include "adapters/manifest/check.h"

#include "core/quantity.h"

#define REQUIREMENTS 100
#define LABELS 100
#define MIN_VALUES 50
#define WEIGHT 100
#define KEY_SIZE 316

/* ---- labels ------------------------------------------------------------------------------------ */

static bool in_domain(struct plm_slice key, const char *domain)
{
	size_t size = strlen(domain);
	const uint8_t *slash = key.size == 0 ? NULL : memchr(key.ptr, '/', key.size);
	struct plm_slice have =
		plm_slice_of(key.ptr, slash == NULL ? 0 : (size_t)(slash - key.ptr));

	return have.size >= size && memcmp(have.ptr + have.size - size, domain, size) == 0;
}

/* What stands after "karpenter.k8s.aws/" in labels that a pool may name. */
static bool known_to_aws(struct plm_slice key)
{
	static const char *const known[] = {
		"instance-tenancy",
		"capacity-reservation-type",
		"capacity-reservation-id",
		"capacity-reservation-interruptible",
		"ec2nodeclass",
		"instance-encryption-in-transit-supported",
		"instance-category",
		"instance-hypervisor",
		"instance-family",
		"instance-generation",
		"instance-local-nvme",
		"instance-size",
		"instance-cpu",
		"instance-cpu-manufacturer",
		"instance-cpu-sustained-clock-speed-mhz",
		"instance-memory",
		"instance-ebs-bandwidth",
		"instance-network-bandwidth",
		"instance-gpu-name",
		"instance-gpu-manufacturer",
		"instance-gpu-count",
		"instance-gpu-memory",
		"instance-accelerator-name",
		"instance-accelerator-manufacturer",
		"instance-accelerator-count",
		"instance-capability-flex",
		"nitro-sandbox",
		"placement-group-id",
		"placement-group-partition",
	};
	size_t prefix = strlen("karpenter.k8s.aws/");

	for (size_t i = 0; i < PLM_COUNTOF(known) && key.size > prefix; i++) {
		if (plm_slice_is(plm_slice_of(key.ptr + prefix, key.size - prefix), known[i])) {
			return true;
		}
	}
	return false;
}

static void check_key(struct plm_project *p, struct plm_doc *at, struct plm_slice key)
{
	if (!plm_check_is_qualified(key) || key.size > KEY_SIZE) {
		plm_doc_fail(p->tree, at, "\"%.*s\" is not a label key", (int)key.size,
			     (const char *)key.ptr);
	} else if (plm_slice_is(key, PLM_LABEL_NODE_POOL)) {
		plm_doc_fail(p->tree, at, "label \"" PLM_LABEL_NODE_POOL "\" is restricted");
	} else if (plm_slice_is(key, "kubernetes.io/hostname")) {
		plm_doc_fail(p->tree, at, "label \"kubernetes.io/hostname\" is restricted");
	} else if (in_domain(key, "karpenter.sh") && !plm_slice_is(key, PLM_LABEL_CAPACITY_TYPE)) {
		plm_doc_fail(p->tree, at, "label domain \"karpenter.sh\" is restricted");
	} else if (in_domain(key, "karpenter.k8s.aws") && !known_to_aws(key)) {
		plm_doc_fail(p->tree, at, "label domain \"karpenter.k8s.aws\" is restricted");
	}
}

static void check_value(struct plm_project *p, struct plm_doc *at, struct plm_slice value)
{
	if (!plm_check_is_label_value(value)) {
		plm_doc_fail(p->tree, at, "\"%.*s\" is not a label value", (int)value.size,
			     (const char *)value.ptr);
	}
}

static void check_labels(struct plm_project *p, struct plm_doc *meta)
{
	struct plm_doc *labels = plm_doc_get(meta, "labels");

	plm_check_count(p, meta, "labels", 0, LABELS);
	for (struct plm_doc *item = labels == NULL ? NULL : labels->first; item != NULL;
	     item = item->next) {
		check_key(p, item, item->key);
		check_value(p, item, item->text);
	}
}

/* ---- requirements ------------------------------------------------------------------------------ */

static bool is_bound(enum plm_op op)
{
	return op == PLM_OP_GT || op == PLM_OP_LT || op == PLM_OP_GTE || op == PLM_OP_LTE;
}

static void check_bound(struct plm_project *p, struct plm_doc *item, const struct plm_w_expr *expr)
{
	const struct plm_slice *values = expr->values.ptr;
	int64_t number = 0;

	if (is_bound((enum plm_op)expr->op) &&
	    (expr->values.count != 1 || !plm_integer_parse(values[0], &number) || number < 0)) {
		plm_doc_fail(p->tree, item, "operator %s needs one whole number, 0 or more",
			     plm_names_text(&plm_names_op, expr->op));
	}
}

void plm_check_bounds(struct plm_project *p, struct plm_doc *spec, struct plm_vec requirements)
{
	const struct plm_w_expr *exprs = requirements.ptr;
	struct plm_doc *item = plm_doc_items(plm_doc_get(spec, "requirements"));

	for (size_t i = 0; i < requirements.count && item != NULL; i++, item = item->next) {
		check_bound(p, item, &exprs[i]);
	}
}

static void check_requirement(struct plm_project *p, struct plm_doc *item,
			      const struct plm_w_expr *expr)
{
	const struct plm_slice *values = expr->values.ptr;
	struct plm_doc *least = plm_doc_get(item, "minValues");

	check_key(p, plm_doc_get(item, "key"), plm_doc_text(p->tree, item, "key"));
	for (size_t i = 0; i < expr->values.count; i++) {
		check_value(p, plm_doc_get(item, "values"), values[i]);
	}
	check_bound(p, item, expr);
	if (least == NULL) {
		return;
	}
	if (expr->min_values < 1 || expr->min_values > MIN_VALUES) {
		plm_doc_fail(p->tree, least, "minValues must be from 1 to %d", MIN_VALUES);
	} else if (expr->op == PLM_OP_IN && (int64_t)expr->values.count < expr->min_values) {
		plm_doc_fail(p->tree, least, "minValues is %lld, there are %zu values",
			     (long long)expr->min_values, expr->values.count);
	}
}

static void check_requirements(struct plm_project *p, struct plm_doc *spec, struct plm_vec list)
{
	const struct plm_w_expr *exprs = list.ptr;
	struct plm_doc *items = plm_doc_get(spec, "requirements");
	size_t at = 0;

	if (items == NULL) {
		plm_doc_fail(p->tree, spec, "requirements is required (it may be [])");
		return;
	}
	plm_check_count(p, spec, "requirements", 0, REQUIREMENTS);
	for (struct plm_doc *item = plm_doc_items(items); item != NULL && at < list.count;
	     item = item->next) {
		check_requirement(p, item, &exprs[at++]);
	}
}

/* ---- taints, class, times ---------------------------------------------------------------------- */

static void check_taints(struct plm_project *p, struct plm_doc *spec, const char *key)
{
	struct plm_doc *item = plm_doc_items(plm_doc_get(spec, key));

	for (; item != NULL; item = item->next) {
		struct plm_slice name = plm_doc_text(p->tree, item, "key");
		struct plm_slice value = plm_doc_text(p->tree, item, "value");

		if (name.size > 0 && !plm_check_is_qualified(name)) {
			plm_doc_fail(p->tree, plm_doc_get(item, "key"), "not a label key");
		} else if (value.size > 0 && !plm_check_is_qualified(value)) {
			plm_doc_fail(p->tree, plm_doc_get(item, "value"), "not a taint value");
		}
	}
}

static void check_class(struct plm_project *p, struct plm_doc *spec)
{
	static const char *const parts[] = {"group", "kind", "name"};
	struct plm_doc *ref = plm_doc_get(spec, "nodeClassRef");

	for (size_t i = 0; ref != NULL && i < PLM_COUNTOF(parts); i++) {
		struct plm_slice text = plm_doc_text(p->tree, ref, parts[i]);

		if (text.size == 0) {
			plm_doc_fail(p->tree, ref, "%s may not be empty", parts[i]);
		} else if (i == 0 && memchr(text.ptr, '/', text.size) != NULL) {
			plm_doc_fail(p->tree, plm_doc_get(ref, "group"),
				     "a group has no version: \"%.*s\"", (int)text.size,
				     (const char *)text.ptr);
		}
	}
}

/* One or more of a whole number and s, m or h; "Never" where it may be. */
static void check_time(struct plm_project *p, struct plm_doc *map, const char *key, bool never)
{
	struct plm_doc *field = plm_doc_get(map, key);
	struct plm_slice text = plm_doc_text(p->tree, map, key);
	bool digits = false;
	bool sound = text.size > 0;

	if (field == NULL || (never && plm_slice_is(text, "Never"))) {
		return;
	}
	for (size_t i = 0; i < text.size && sound; i++) {
		uint8_t byte = text.ptr[i];

		if (byte >= '0' && byte <= '9') {
			digits = true;
		} else {
			sound = digits && (byte == 's' || byte == 'm' || byte == 'h');
			digits = false;
		}
	}
	if (!sound || digits) {
		plm_doc_fail(p->tree, field,
			     "\"%.*s\" is no duration of whole hours, minutes and seconds%s",
			     (int)text.size, (const char *)text.ptr, never ? ", nor Never" : "");
	}
}

static void check_template(struct plm_project *p, struct plm_doc *spec, struct plm_vec requirements)
{
	check_requirements(p, spec, requirements);
	check_taints(p, spec, "taints");
	check_taints(p, spec, "startupTaints");
	check_class(p, spec);
	check_time(p, spec, "expireAfter", true);
	check_time(p, spec, "terminationGracePeriod", false);
}

/* ---- NodePool ---------------------------------------------------------------------------------- */

/* A static pool has no weight, and no limit but that of nodes. */
static void check_static(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *limits = plm_doc_get(spec, "limits");

	if (plm_doc_get(spec, "replicas") == NULL) {
		return;
	}
	if (plm_doc_get(spec, "weight") != NULL) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "weight"),
			     "not supported on a pool with replicas");
	}
	for (struct plm_doc *item = limits == NULL ? NULL : limits->first; item != NULL;
	     item = item->next) {
		if (!plm_slice_is(item->key, "nodes")) {
			plm_doc_fail(p->tree, item, "a pool with replicas has only limits.nodes");
		}
	}
}

void plm_check_node_pool(struct plm_project *p, struct plm_doc *spec,
			 const struct plm_w_node_pool *pool)
{
	struct plm_doc *template = plm_doc_get(spec, "template");
	struct plm_doc *weight = plm_doc_get(spec, "weight");
	struct plm_doc *disruption = plm_doc_get(spec, "disruption");

	check_labels(p, plm_doc_get(template, "metadata"));
	check_template(p, plm_doc_get(template, "spec"), pool->requirements);
	check_static(p, spec);
	if (weight != NULL && (pool->weight < 1 || pool->weight > WEIGHT)) {
		plm_doc_fail(p->tree, weight, "must be from 1 to %d", WEIGHT);
	}
	if (disruption != NULL && plm_doc_get(disruption, "consolidateAfter") == NULL) {
		plm_doc_fail(p->tree, disruption, "consolidateAfter is required");
	}
	check_time(p, disruption, "consolidateAfter", true);
}

void plm_check_node_claim(struct plm_project *p, struct plm_doc *spec,
			  const struct plm_w_node_claim *claim)
{
	const struct plm_w_expr *exprs = claim->requirements.ptr;
	struct plm_doc *item = plm_doc_items(plm_doc_get(spec, "requirements"));

	for (size_t i = 0; i < claim->requirements.count && item != NULL; i++, item = item->next) {
		struct plm_slice key = exprs[i].key;

		/* The pool's and the class's own labels stand in a claim. */
		if (!plm_slice_is(key, PLM_LABEL_NODE_POOL) &&
		    !plm_slice_is(key, "karpenter.sh/registered") &&
		    !plm_slice_is(key, "karpenter.sh/initialized")) {
			check_requirement(p, item, &exprs[i]);
		}
	}
	check_taints(p, spec, "taints");
	check_taints(p, spec, "startupTaints");
	check_class(p, spec);
	check_time(p, spec, "expireAfter", true);
	check_time(p, spec, "terminationGracePeriod", false);
}

/* ---- what is taken in, but not used ------------------------------------------------------------ */

static bool twice(const struct plm_w_taint *taint, size_t at, const struct plm_w_taint *among,
		  size_t count, bool same_list)
{
	for (size_t i = 0; i < count && (!same_list || i < at); i++) {
		if (plm_slice_equal(taint->key, among[i].key) && taint->effect == among[i].effect) {
			return true;
		}
	}
	return false;
}

static struct plm_slice taint_twice(struct plm_project *p, const struct plm_w_node_pool *pool)
{
	const struct plm_w_taint *taints = pool->taints.ptr;
	const struct plm_w_taint *startup = pool->startup_taints.ptr;
	const struct plm_w_taint *found = NULL;

	for (size_t i = 0; i < pool->taints.count; i++) {
		if (twice(&taints[i], i, taints, pool->taints.count, true)) {
			found = &taints[i];
		}
	}
	for (size_t i = 0; i < pool->startup_taints.count; i++) {
		if (twice(&startup[i], i, startup, pool->startup_taints.count, true) ||
		    twice(&startup[i], i, taints, pool->taints.count, false)) {
			found = &startup[i];
		}
	}
	if (found == NULL) {
		return (struct plm_slice){0};
	}
	return plm_arena_format(p->arena, "taint %.*s stands twice with the same effect",
				(int)found->key.size, (const char *)found->key.ptr);
}

/* Of a label with a closed list of values: how many of the given ones are on it. */
static size_t known_values(const struct plm_w_expr *expr, const char *const *known)
{
	const struct plm_slice *values = expr->values.ptr;
	size_t count = 0;

	for (size_t i = 0; i < expr->values.count; i++) {
		for (size_t k = 0; known[k] != NULL; k++) {
			count += plm_slice_is(values[i], known[k]) ? 1 : 0;
		}
	}
	return count;
}

static struct plm_slice impossible(struct plm_project *p, const struct plm_w_node_pool *pool)
{
	static const char *const capacity[] = {"on-demand", "spot", "reserved", NULL};
	static const char *const tenancy[] = {"default", "dedicated", NULL};
	const struct plm_w_expr *exprs = pool->requirements.ptr;

	for (size_t i = 0; i < pool->requirements.count; i++) {
		const struct plm_w_expr *expr = &exprs[i];
		bool by_tenancy = plm_slice_is(expr->key, "karpenter.k8s.aws/instance-tenancy");
		bool by_capacity = plm_slice_is(expr->key, PLM_LABEL_CAPACITY_TYPE);
		int64_t least = plm_max(expr->min_values, 1);

		if (expr->op == PLM_OP_IN && (by_tenancy || by_capacity) &&
		    (int64_t)known_values(expr, by_tenancy ? tenancy : capacity) < least) {
			return plm_arena_format(p->arena, "%.*s has not enough values that exist",
						(int)expr->key.size, (const char *)expr->key.ptr);
		}
	}
	return (struct plm_slice){0};
}

struct plm_slice plm_check_pool_use(struct plm_project *p, const struct plm_w_node_pool *pool)
{
	struct plm_slice why = taint_twice(p, pool);

	return why.size > 0 ? why : impossible(p, pool);
}
