/*
 * NodeClaims, and the hashes by which static drift is told: karpenter.md 0 (9), 1.1, 1.2, 3.10.
 *
 * The hash is our own (its version says so), so nothing has to equal what Go's hashstructure makes of the
 * same object: maps by key, lists as sets, zero values left out, durations as parsed.
 */
#include "adapters/manifest/check.h"

#include "core/timefmt.h"
#include "hash/hash.h"

/* Karpenter's default. */
#define EXPIRE_MS (720 * PLM_MS_PER_HOUR)

/* ---- hashes ------------------------------------------------------------------------------------ */

static bool is_skipped(const char *const *skip, const struct plm_doc *node)
{
	for (size_t i = 0; skip != NULL && skip[i] != NULL; i++) {
		if (plm_slice_is(node->key, skip[i])) {
			return true;
		}
	}
	return false;
}

static bool is_duration(const struct plm_doc *node)
{
	return plm_slice_is(node->key, "expireAfter") ||
	       plm_slice_is(node->key, "terminationGracePeriod");
}

static uint64_t hash_pair(struct plm_slice key, uint64_t value)
{
	const struct plm_slice parts[] = {key, plm_slice_of(&value, sizeof(value))};

	return plm_xxh64_parts(parts, PLM_COUNTOF(parts));
}

static uint64_t hash_scalar(struct plm_project *p, struct plm_doc *node)
{
	int64_t ms = 0;

	if (node->kind == PLM_DOC_NULL || node->text.size == 0 || plm_slice_is(node->text, "0") ||
	    plm_slice_is(node->text, "false")) {
		return 0;
	}
	if (is_duration(node)) {
		ms = plm_doc_duration_or_never(p->tree, node, NULL, 0);
		return plm_xxh64(plm_slice_of(&ms, sizeof(ms)));
	}
	return plm_xxh64(node->text);
}

/* Of everything below 'node' but members called 'skip'; 0 = there is nothing. Depth: PLM_LIMIT_DOC_DEPTH. */
static uint64_t hash_node(struct plm_project *p, struct plm_doc *node, const char *const *skip)
{
	uint64_t sum = 0;

	if (node == NULL || is_skipped(skip, node)) {
		return 0;
	}
	if (node->kind != PLM_DOC_LIST && node->kind != PLM_DOC_MAP) {
		return hash_scalar(p, node);
	}
	for (struct plm_doc *child = node->first; child != NULL; child = child->next) {
		uint64_t value = hash_node(p, child, skip);

		/* A sum does not depend on the order. */
		sum += value == 0 ? 0 : hash_pair(child->key, value);
	}
	return sum == 0 ? 0 : hash_pair((struct plm_slice){0}, sum);
}

struct plm_slice plm_project_hash(struct plm_project *p, struct plm_doc *node,
				  const char *const *skip)
{
	return plm_arena_format(p->arena, "%llu", (unsigned long long)hash_node(p, node, skip));
}

bool plm_project_finalized(struct plm_project *p, struct plm_doc *root, const char *finalizer)
{
	struct plm_doc *meta = plm_doc_get(root, "metadata");
	struct plm_doc *list =
		plm_doc_list(p->tree, plm_doc_map(p->tree, meta, NULL), "finalizers");

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		if (plm_slice_is(plm_doc_text(p->tree, item, NULL), finalizer)) {
			return true;
		}
	}
	return false;
}

/* ---- NodeClaim --------------------------------------------------------------------------------- */

/* Since when the node has been waited for; PLM_UNSET = it is there, or the claim does not say. */
static int64_t registering_ms(struct plm_project *p, struct plm_doc *root)
{
	struct plm_doc *condition = plm_project_condition(p, root, "Registered");

	return condition == NULL || plm_project_is_true(p, condition)
		       ? PLM_UNSET
		       : plm_doc_time(p->tree, condition, "lastTransitionTime");
}

static void read_spec(struct plm_project *p, struct plm_doc *root, struct plm_w_node_claim *claim)
{
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *ref = plm_doc_map(p->tree, spec, "nodeClassRef");

	claim->requirements = plm_project_exprs(p, spec, "requirements", true);
	claim->requests =
		plm_doc_amounts(p->tree, plm_doc_map(p->tree, spec, "resources"), "requests");
	claim->taints = plm_project_taints(p, spec, "taints");
	claim->startup_taints = plm_project_taints(p, spec, "startupTaints");
	claim->class_name = plm_doc_text(p->tree, ref, "name");
	claim->class_kind = plm_slice_is(plm_doc_text(p->tree, ref, "kind"), "NodeTemplate")
				    ? PLM_KIND_NODE_TEMPLATE
				    : PLM_KIND_NODE_CLASS;
	plm_doc_ignore(ref);
	claim->expire_ms = plm_doc_duration_or_never(p->tree, spec, "expireAfter", EXPIRE_MS);
	claim->grace_ms = plm_doc_duration(p->tree, spec, "terminationGracePeriod", PLM_UNSET);
	plm_check_node_claim(p, spec, claim);
}

void plm_project_node_claim(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_node_claim *claim = payload;
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");

	read_spec(p, root, claim);
	claim->pool = plm_project_label(p, PLM_LABEL_NODE_POOL);
	claim->provider_id = plm_doc_text(p->tree, status, "providerID");
	claim->node = plm_doc_text(p->tree, status, "nodeName");
	claim->capacity = plm_doc_amounts(p->tree, status, "capacity");
	claim->allocatable = plm_doc_amounts(p->tree, status, "allocatable");
	claim->launched_ms = plm_project_condition_ms(p, root, "Launched");
	claim->registered_ms = plm_project_condition_ms(p, root, "Registered");
	claim->initialized_ms = plm_project_condition_ms(p, root, "Initialized");
	claim->pod_event_ms = plm_doc_time(p->tree, status, "lastPodEventTime");
	claim->consolidatable_ms = plm_project_condition_ms(p, root, "Consolidatable");
	claim->drifted_ms = plm_project_condition_ms(p, root, "Drifted");
	claim->registering_ms = registering_ms(p, root);
	claim->do_not_disrupt = plm_slice_is(
		plm_project_annotation(p, root, PLM_ANNOTATION_DO_NOT_DISRUPT), "true");
	claim->pool_hash = plm_project_annotation(p, root, PLM_ANNOTATION_POOL_HASH);
	claim->pool_hash_version =
		plm_project_annotation(p, root, PLM_ANNOTATION_POOL_HASH "-version");
	claim->class_hash = plm_project_annotation(p, root, PLM_ANNOTATION_CLASS_HASH);
	claim->class_hash_version =
		plm_project_annotation(p, root, PLM_ANNOTATION_CLASS_HASH "-version");
	claim->termination_finalizer = plm_project_finalized(p, root, PLM_FINALIZER_TERMINATION);
}
