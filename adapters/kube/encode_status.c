/* The status of queues and pools: counts, usage, conditions. Nothing but what changes is written. */
#include "adapters/kube/encode.h"

#include "core/quantity.h"

static void set_int(struct plm_patch *patch, const char *pointer, int64_t value)
{
	plm_patch_set(patch, pointer, plm_tree_number(value));
}

static void set_conditions(struct plm_patch *patch, struct plm_vec conditions)
{
	if (conditions.count > 0) {
		plm_patch_set(patch, "/status/conditions",
			      plm_encode_conditions(plm_tree_at(patch->work, "status.conditions"),
						    conditions));
	}
}

/* ---- usage --------------------------------------------------------------------------------------- */

enum which {
	RESERVED,
	USED,
};

static cJSON *amount(struct plm_slice resource, int64_t value)
{
	char text[PLM_QUANTITY_SIZE];

	return plm_tree_string(plm_slice_str(plm_quantity_format(resource, value, text)));
}

static cJSON *resource_use(const struct plm_w_quota_use *w, enum which which, bool borrows)
{
	cJSON *node = plm_tree_map();

	plm_tree_put_text(node, "name", w->resource);
	plm_tree_put(node, plm_slice_str("total"),
		     amount(w->resource, which == RESERVED ? w->reserved : w->used));
	if (borrows) {
		plm_tree_put(node, plm_slice_str("borrowed"), amount(w->resource, w->borrowed));
	}
	return node;
}

/* Lines of one flavor follow each other. */
static cJSON *usage(struct plm_vec lines, enum which which, bool borrows)
{
	const struct plm_w_quota_use *list = lines.ptr;
	cJSON *out = plm_tree_list();
	cJSON *resources = NULL;

	for (size_t i = 0; i < lines.count; i++) {
		if (i == 0 || !plm_slice_equal(list[i].flavor, list[i - 1].flavor)) {
			cJSON *flavor = plm_tree_map();

			resources = plm_tree_list();
			plm_tree_put_text(flavor, "name", list[i].flavor);
			plm_tree_put(flavor, plm_slice_str("resources"), resources);
			plm_tree_add(out, flavor);
		}
		plm_tree_add(resources, resource_use(&list[i], which, borrows));
	}
	return out;
}

static void set_counts(struct plm_patch *patch, const struct plm_w_req_queue_status *request)
{
	set_int(patch, "/status/pendingWorkloads", request->pending);
	set_int(patch, "/status/reservingWorkloads", request->reserving);
	set_int(patch, "/status/admittedWorkloads", request->admitted);
}

/* v1beta1 has it under another name in LocalQueues. */
static const char *used_pointer(const struct plm_encode *in, bool local)
{
	const char *version = in->version(in->self, PLM_KUBE_RES_LOCAL_QUEUES);

	return local && version != NULL && strcmp(version, "v1beta1") == 0 ? "/status/flavorUsage"
									   : "/status/flavorsUsage";
}

static void set_queue(const struct plm_encode *in, struct plm_patch *patch,
		      const struct plm_w_req_queue_status *request)
{
	bool local = request->kind == PLM_KIND_LOCAL_QUEUE;

	if (local || request->kind == PLM_KIND_CLUSTER_QUEUE) {
		plm_patch_set(patch, "/status/flavorsReservation",
			      usage(request->lines, RESERVED, !local));
		plm_patch_set(patch, used_pointer(in, local), usage(request->lines, USED, !local));
	}
	if (request->kind != PLM_KIND_COHORT) {
		set_counts(patch, request);
	}
	if (request->share != PLM_UNSET) {
		set_int(patch, "/status/fairSharing/weightedShare", request->share);
	}
	set_conditions(patch, request->conditions);
}

void plm_encode_queue_status(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_queue_status *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *queue = plm_encode_object(in, out, target, request->uid, PLM_RESULT_CONFLICT);
	struct plm_patch patch;

	if (queue == NULL) {
		return;
	}
	plm_patch_init(&patch, queue, request->uid);
	set_queue(in, &patch, request);
	plm_step_patch(in, out, target, &patch);
	out->subresource = "status";
}

void plm_encode_pool_status(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_pool_status *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *pool = plm_encode_object(in, out, target, request->uid, PLM_RESULT_CONFLICT);
	int64_t generation = 0;
	struct plm_patch patch;

	if (pool == NULL) {
		return;
	}
	plm_patch_init(&patch, pool, request->uid);
	plm_patch_set(&patch, "/status/resources", plm_tree_amounts(request->resources));
	set_int(&patch, "/status/nodes", request->nodes);
	if (plm_integer_parse(request->class_generation, &generation)) {
		set_int(&patch, "/status/nodeClassObservedGeneration", generation);
	}
	set_conditions(&patch, request->conditions);
	plm_step_patch(in, out, target, &patch);
	out->subresource = "status";
}
