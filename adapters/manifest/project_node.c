/* Nodes, pools and claims of both dialects: karpenter.md 1, dialect.md "Nodes". */
#include "adapters/manifest/check.h"

#include "core/limits.h"
#include "core/timefmt.h"
#include "core/units.h"

/* Karpenter's defaults (karpenter.md 1.1) and the dialect's. */
#define EXPIRE_MS (720 * PLM_MS_PER_HOUR)
#define DIALECT_EMPTY_MS (10 * PLM_MS_PER_MINUTE)

static bool annotated_true(struct plm_project *p, struct plm_doc *root)
{
	return plm_slice_is(plm_project_annotation(p, root, PLM_ANNOTATION_DO_NOT_DISRUPT), "true");
}

/* Without conditions, as written by hand, a node counts as ready. */
void plm_project_node(struct plm_project *p, struct plm_doc *root, void *payload)
{
	static const char *const ignored[] = {"podCIDR", "podCIDRs", "externalID", "configSource"};
	struct plm_w_node *node = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");
	struct plm_doc *ready = plm_project_condition(p, root, "Ready");

	node->provider_id = plm_doc_text(p->tree, spec, "providerID");
	node->taints = plm_project_taints(p, spec, "taints");
	node->unschedulable = plm_doc_bool(p->tree, spec, "unschedulable", 0);
	node->capacity = plm_doc_amounts(p->tree, status, "capacity");
	node->allocatable = plm_doc_amounts(p->tree, status, "allocatable");
	if (node->allocatable.count == 0) {
		node->allocatable = node->capacity;
	}
	if (node->capacity.count == 0) {
		node->capacity = node->allocatable;
	}
	node->ready = ready == NULL || plm_project_is_true(p, ready);
	node->do_not_disrupt = annotated_true(p, root);
	node->termination_finalizer = plm_project_finalized(p, root, PLM_FINALIZER_TERMINATION);
	for (size_t i = 0; i < PLM_COUNTOF(ignored); i++) {
		plm_doc_ignore(plm_doc_get(spec, ignored[i]));
	}
}

/* ---- NodePool ---------------------------------------------------------------------------------- */

/* The first reason stays. */
static void not_ready(struct plm_project *p, struct plm_slice *to, const char *why,
		      const char *detail)
{
	if (to->size == 0) {
		*to = plm_arena_format(p->arena, "%s%s", why, detail);
	}
}

static void read_class(struct plm_project *p, struct plm_doc *spec, struct plm_w_node_pool *pool)
{
	struct plm_doc *ref = plm_doc_map(p->tree, spec, "nodeClassRef");
	struct plm_slice kind = plm_doc_text(p->tree, ref, "kind");

	plm_doc_ignore(ref);
	pool->class_name = plm_doc_text(p->tree, ref, "name");
	pool->class_kind =
		plm_slice_is(kind, "NodeTemplate") ? PLM_KIND_NODE_TEMPLATE : PLM_KIND_NODE_CLASS;
	if (ref == NULL) {
		plm_doc_fail(p->tree, spec, "nodeClassRef is required");
	} else if (!plm_slice_is(kind, "EC2NodeClass") && !plm_slice_is(kind, "NodeTemplate")) {
		not_ready(p, &pool->not_ready, "no provider for node classes of kind ",
			  kind.size == 0 ? "\"\"" : (const char *)kind.ptr);
	}
}

/* Only empty nodes are removed so far. */
static void undecided_pool(struct plm_doc *disruption, const struct plm_w_node_pool *pool)
{
	if (pool->consolidation != PLM_CONSOLIDATE_WHEN_EMPTY) {
		plm_project_undecided(plm_doc_get(disruption, "consolidationPolicy"));
	}
}

static void upstream_pool(struct plm_project *p, struct plm_doc *root, struct plm_w_node_pool *pool)
{
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *template = plm_doc_map(p->tree, spec, "template");
	struct plm_doc *meta = plm_doc_map(p->tree, template, "metadata");
	struct plm_doc *node = plm_doc_map(p->tree, template, "spec");
	struct plm_doc *disruption = plm_doc_map(p->tree, spec, "disruption");

	pool->labels = plm_project_node_labels(p, meta, "labels");
	plm_doc_ignore(meta);
	pool->taints = plm_project_taints(p, node, "taints");
	pool->startup_taints = plm_project_taints(p, node, "startupTaints");
	pool->requirements = plm_project_exprs(p, node, "requirements", true);
	pool->expire_ms = plm_doc_duration_or_never(p->tree, node, "expireAfter", EXPIRE_MS);
	pool->grace_ms = plm_doc_duration(p->tree, node, "terminationGracePeriod", PLM_UNSET);
	pool->limits = plm_doc_amounts(p->tree, spec, "limits");
	pool->weight = plm_doc_count(p->tree, spec, "weight", 0);
	pool->min_size = 0;
	pool->max_size = PLM_UNSET;
	pool->consolidate_after_ms =
		plm_doc_duration_or_never(p->tree, disruption, "consolidateAfter", 0);
	pool->consolidation =
		plm_doc_enum(p->tree, disruption, "consolidationPolicy", &plm_names_consolidation,
			     PLM_CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED);
	pool->budgets = plm_project_budgets(p, disruption);
	read_class(p, node, pool);
	plm_check_node_pool(p, spec, pool);
	if (pool->not_ready.size == 0) {
		pool->not_ready = plm_check_pool_use(p, pool);
	}
	undecided_pool(disruption, pool);
	if (plm_doc_get(spec, "replicas") != NULL) {
		plm_project_undecided(plm_doc_get(spec, "replicas"));
		not_ready(p, &pool->not_ready, "static pools (spec.replicas) are not supported yet",
			  "");
	}
	pool->by_condition = plm_project_condition_said(p, root, &pool->not_ready);
}

/* The requirements with on-demand as the capacity type, unless they name one. */
static struct plm_vec with_capacity_type(struct plm_project *p, struct plm_vec given)
{
	const struct plm_w_expr *exprs = given.ptr;
	struct plm_w_expr *all = plm_project_array(p, given.count + 1, sizeof(*all));
	struct plm_slice *value = PLM_NEW(p->arena, struct plm_slice);

	for (size_t i = 0; i < given.count; i++) {
		all[i] = exprs[i];
		if (plm_slice_is(exprs[i].key, PLM_LABEL_CAPACITY_TYPE)) {
			return given;
		}
	}
	*value = plm_slice_str("on-demand");
	all[given.count] = (struct plm_w_expr){.key = plm_slice_str(PLM_LABEL_CAPACITY_TYPE),
					       .op = PLM_OP_IN,
					       .values = {value, 1}};
	return (struct plm_vec){all, given.count + 1};
}

/* The label that names the pool itself is implied; one that names another makes the pool unusable. */
static struct plm_vec own_labels(struct plm_project *p, struct plm_vec given,
				 struct plm_slice *out_not_ready)
{
	const struct plm_w_kv *labels = given.ptr;
	struct plm_w_kv *kept = plm_project_array(p, given.count, sizeof(*kept));
	size_t count = 0;

	for (size_t i = 0; i < given.count; i++) {
		if (!plm_slice_is(labels[i].key, PLM_LABEL_NODE_POOL)) {
			kept[count++] = labels[i];
		} else if (!plm_slice_equal(labels[i].value, p->meta.name)) {
			*out_not_ready = plm_arena_format(
				p->arena,
				"label " PLM_LABEL_NODE_POOL " in template.spec.nodeSelector names "
				"the pool %.*s, this one is %.*s",
				(int)labels[i].value.size, (const char *)labels[i].value.ptr,
				(int)p->meta.name.size, (const char *)p->meta.name.ptr);
		}
	}
	return (struct plm_vec){kept, count};
}

static void dialect_pool(struct plm_project *p, struct plm_doc *root, struct plm_w_node_pool *pool)
{
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *node = plm_doc_map(p->tree, plm_doc_map(p->tree, spec, "template"), "spec");
	struct plm_doc *ref = plm_doc_map(p->tree, spec, "templateRef");
	struct plm_w_budget *budget = PLM_NEW(p->arena, struct plm_w_budget);

	pool->dialect = 1;
	pool->class_kind = PLM_KIND_NODE_TEMPLATE;
	pool->class_name = plm_doc_text(p->tree, ref, "name");
	if (pool->class_name.size == 0) {
		plm_doc_fail(p->tree, ref == NULL ? spec : ref, "templateRef.name is required");
	}
	pool->labels =
		own_labels(p, plm_project_node_labels(p, node, "nodeSelector"), &pool->not_ready);
	pool->taints = plm_project_taints(p, node, "taints");
	pool->requirements =
		with_capacity_type(p, plm_project_exprs(p, node, "requirements", true));
	plm_check_bounds(p, node, pool->requirements);
	pool->limits = plm_doc_amounts(p->tree, spec, "limits");
	pool->min_size = plm_doc_count(p->tree, spec, "minSize", 0);
	if (pool->min_size > PLM_LIMIT_POOL_MIN_SIZE) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "minSize"), "at most %d nodes",
			     PLM_LIMIT_POOL_MIN_SIZE);
	}
	pool->max_size = plm_doc_count(p->tree, spec, "maxSize", PLM_UNSET);
	pool->expire_ms = PLM_UNSET;
	pool->grace_ms = PLM_UNSET;
	pool->consolidate_after_ms = DIALECT_EMPTY_MS;
	pool->consolidation = PLM_CONSOLIDATE_WHEN_EMPTY;
	*budget = (struct plm_w_budget){.nodes = plm_slice_str("100%"), .duration_ms = PLM_UNSET};
	pool->budgets = (struct plm_vec){budget, 1};
	if (pool->max_size != PLM_UNSET && pool->min_size > pool->max_size) {
		not_ready(p, &pool->not_ready, "minSize is above maxSize", "");
	}
	pool->by_condition = plm_project_condition_said(p, root, &pool->not_ready);
}

/*
 * Requirements may drift by what they allow, but are no part of the hash (karpenter.md 1.1). The default of
 * expireAfter is as good as none: some API servers write it into the object and others do not.
 */
static void stamps(struct plm_project *p, struct plm_doc *root, struct plm_w_node_pool *pool)
{
	static const char *const skip[] = {"requirements", "resources", NULL};
	static const char *const usual[] = {"requirements", "resources", "expireAfter", NULL};

	pool->hash = plm_project_hash(p, plm_doc_at(root, "spec.template"),
				      pool->expire_ms == EXPIRE_MS ? usual : skip);
	pool->stamped_hash = plm_project_annotation(p, root, PLM_ANNOTATION_POOL_HASH);
	pool->stamped_version =
		plm_project_annotation(p, root, PLM_ANNOTATION_POOL_HASH "-version");
}

void plm_project_node_pool(struct plm_project *p, struct plm_doc *root, void *payload)
{
	static const char *const dialect[] = {"templateRef", "minSize", "maxSize",
					      "template.spec.nodeSelector", NULL};
	static const char *const upstream[] = {"template.spec.nodeClassRef",
					       "template.metadata",
					       "template.spec.startupTaints",
					       "template.spec.expireAfter",
					       "template.spec.terminationGracePeriod",
					       "disruption",
					       "weight",
					       "replicas",
					       NULL};
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	if (plm_project_dialect(p, spec, dialect, upstream)) {
		dialect_pool(p, root, payload);
	} else {
		upstream_pool(p, root, payload);
	}
	stamps(p, root, payload);
}
