/* NodeClaim objects: made, and what their status says. */
#include "adapters/kube/encode.h"

#include "core/timefmt.h"

#define TERMINATION_FINALIZER "karpenter.sh/termination"

/* ---- made ---------------------------------------------------------------------------------------- */

static cJSON *needs_of(struct plm_vec needs)
{
	const struct plm_w_claim_need *list = needs.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < needs.count; i++) {
		cJSON *need = plm_tree_map();

		plm_tree_put_text(need, "key", list[i].key);
		plm_tree_put_string(need, "operator", plm_names_text(&plm_names_op, list[i].op));
		if (list[i].values.count > 0) {
			plm_tree_put(need, plm_slice_str("values"), plm_tree_texts(list[i].values));
		}
		if (list[i].min_values != PLM_UNSET && list[i].min_values > 0) {
			plm_tree_put_int(need, "minValues", list[i].min_values);
		}
		plm_tree_add(out, need);
	}
	return out;
}

static cJSON *spec_of(const struct plm_w_req_claim_create *request)
{
	char text[PLM_TIME_SIZE];
	cJSON *spec = plm_tree_map();
	cJSON *class = plm_tree_map();
	cJSON *resources = plm_tree_map();

	plm_tree_put_text(class, "group", request->class_group);
	plm_tree_put_text(class, "kind", request->class_kind);
	plm_tree_put_text(class, "name", request->class_name);
	plm_tree_put(spec, plm_slice_str("nodeClassRef"), class);
	plm_tree_put(spec, plm_slice_str("requirements"), needs_of(request->needs));
	plm_tree_put(resources, plm_slice_str("requests"), plm_tree_amounts(request->requests));
	plm_tree_put(spec, plm_slice_str("resources"), resources);
	if (request->taints.count > 0) {
		plm_tree_put(spec, plm_slice_str("taints"), plm_encode_taints(request->taints));
	}
	if (request->startup_taints.count > 0) {
		plm_tree_put(spec, plm_slice_str("startupTaints"),
			     plm_encode_taints(request->startup_taints));
	}
	plm_tree_put_string(spec, "expireAfter",
			    request->expire_after_ms == PLM_UNSET
				    ? "Never"
				    : plm_duration_format(request->expire_after_ms, text));
	if (request->grace_ms != PLM_UNSET) {
		plm_tree_put_string(spec, "terminationGracePeriod",
				    plm_duration_format(request->grace_ms, text));
	}
	return spec;
}

static cJSON *meta_of(const struct plm_encode *in, const struct plm_w_req_claim_create *request)
{
	cJSON *meta = plm_encode_meta(in, plm_encode_target(in->call, request), request->labels);
	cJSON *finalizers = plm_tree_list();
	cJSON *notes = plm_tree_over(NULL, request->annotations);
	cJSON *owners = plm_tree_list();

	if (notes != NULL) {
		plm_tree_put(meta, plm_slice_str("annotations"), notes);
	}
	plm_tree_add(finalizers, plm_tree_string(plm_slice_str(TERMINATION_FINALIZER)));
	plm_tree_put(meta, plm_slice_str("finalizers"), finalizers);
	plm_tree_add(owners, plm_encode_owner(in, PLM_KUBE_RES_NODE_POOLS, request->pool,
					      request->pool_uid));
	plm_tree_put(meta, plm_slice_str("ownerReferences"), owners);
	return meta;
}

void plm_encode_claim_create(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_claim_create *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	cJSON *claim = NULL;

	if (in->name_taken) {
		plm_encode_name_taken(in, out, target);
		return;
	}
	claim = plm_tree_map();
	plm_tree_put_string(claim, "apiVersion",
			    plm_encode_api_version(in, PLM_KUBE_RES_NODE_CLAIMS));
	plm_tree_put_string(claim, "kind", "NodeClaim");
	plm_tree_put(claim, plm_slice_str("metadata"), meta_of(in, request));
	plm_tree_put(claim, plm_slice_str("spec"), spec_of(request));
	plm_step_create(in, out, target, claim);
}

/* ---- status -------------------------------------------------------------------------------------- */

static void set_text(struct plm_patch *patch, const char *pointer, struct plm_slice text)
{
	if (text.size > 0) {
		plm_patch_set(patch, pointer, plm_tree_string(text));
	}
}

static void set_amounts(struct plm_patch *patch, const char *pointer, struct plm_vec amounts)
{
	if (amounts.count > 0) {
		plm_patch_set(patch, pointer, plm_tree_amounts(amounts));
	}
}

static cJSON *time_of(int64_t ms)
{
	char text[PLM_TIME_SIZE];

	return plm_tree_string(plm_slice_str(plm_time_format(ms - ms % PLM_MS_PER_SECOND, text)));
}

void plm_encode_claim_status(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_claim_status *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *claim = plm_encode_object(in, out, target, request->uid, PLM_RESULT_CONFLICT);
	struct plm_patch patch;

	if (claim == NULL) {
		return;
	}
	plm_patch_init(&patch, claim, request->uid);
	plm_patch_set(&patch, "/metadata/labels",
		      plm_tree_over(plm_tree_at(claim, "metadata.labels"), request->labels));
	if (patch.changes) {
		plm_step_patch(in, out, target, &patch);
		out->more = true;
		return;
	}
	set_text(&patch, "/status/providerID", request->provider_id);
	set_text(&patch, "/status/nodeName", request->node);
	set_text(&patch, "/status/imageID", request->image);
	set_amounts(&patch, "/status/capacity", request->capacity);
	set_amounts(&patch, "/status/allocatable", request->allocatable);
	if (request->last_pod_ms != PLM_UNSET) {
		plm_patch_set(&patch, "/status/lastPodEventTime", time_of(request->last_pod_ms));
	}
	plm_patch_set(&patch, "/status/conditions",
		      plm_encode_conditions(plm_tree_at(claim, "status.conditions"),
					    request->conditions));
	plm_step_patch(in, out, target, &patch);
	out->subresource = "status";
}
