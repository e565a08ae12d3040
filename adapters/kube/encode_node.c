/* Nodes and what marks them: taints, labels, finalizers, annotations. */
#include "adapters/kube/encode.h"

#define TERMINATION_FINALIZER "karpenter.sh/termination"

/* ---- taints -------------------------------------------------------------------------------------- */

static bool is_taint(const cJSON *node, const struct plm_w_taint *taint)
{
	return plm_slice_equal(plm_tree_text(node, "key"), taint->key) &&
	       plm_tree_is(node, "effect", plm_names_text(&plm_names_taint_effect, taint->effect));
}

static bool is_key_of(const cJSON *node, struct plm_vec keys)
{
	const struct plm_slice *list = keys.ptr;

	for (size_t i = 0; i < keys.count; i++) {
		if (plm_slice_equal(plm_tree_text(node, "key"), list[i])) {
			return true;
		}
	}
	return false;
}

static cJSON *or_nothing(cJSON *list)
{
	if (list->child == NULL) {
		cJSON_Delete(list);
		return NULL;
	}
	return list;
}

/* 'list' without 'taint', and then with it unless 'remove'; one that is there stays as it is. */
static cJSON *taints_with(const cJSON *list, const struct plm_w_taint *taint, bool remove)
{
	cJSON *out = plm_tree_list();
	bool there = false;

	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		bool same = is_taint(at, taint);

		if (same &&
		    (remove || !plm_slice_equal(plm_tree_text(at, "value"), taint->value))) {
			continue;
		}
		there = there || same;
		plm_tree_add(out, plm_tree_copy(at));
	}
	if (!remove && !there) {
		plm_tree_add(out, plm_encode_taint(taint));
	}
	return or_nothing(out);
}

void plm_encode_node_taint(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_node_taint *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *node = plm_encode_object(in, out, target, request->uid,
					      request->remove != 0 ? PLM_RESULT_ALREADY_DONE
								   : PLM_RESULT_CONFLICT);
	struct plm_patch patch;

	if (node == NULL) {
		return;
	}
	plm_patch_init(&patch, node, request->uid);
	plm_patch_set(&patch, "/spec/taints",
		      taints_with(plm_tree_at(node, "spec.taints"), &request->taint,
				  request->remove != 0));
	plm_patch_set(&patch, "/metadata/labels",
		      plm_tree_over(plm_tree_at(node, "metadata.labels"), request->labels));
	plm_step_patch(in, out, target, &patch);
}

/* ---- what a node is given when it registers or is initialized ------------------------------------ */

static cJSON *taints_after(const cJSON *had, const struct plm_w_req_node_sync *request)
{
	const struct plm_w_taint *list = request->taints.ptr;
	cJSON *out = plm_tree_list();

	for (const cJSON *at = had == NULL ? NULL : had->child; at != NULL; at = at->next) {
		if (!is_key_of(at, request->untaint)) {
			plm_tree_add(out, plm_tree_copy(at));
		}
	}
	for (size_t i = 0; i < request->taints.count; i++) {
		const cJSON *at = out->child;

		while (at != NULL && !is_taint(at, &list[i])) {
			at = at->next;
		}
		if (at == NULL) {
			plm_tree_add(out, plm_encode_taint(&list[i]));
		}
	}
	return or_nothing(out);
}

static bool has_text(const cJSON *list, struct plm_slice text)
{
	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		if (cJSON_IsString(at) && plm_slice_is(text, at->valuestring)) {
			return true;
		}
	}
	return false;
}

static cJSON *texts_with(const cJSON *had, struct plm_vec more)
{
	const struct plm_slice *list = more.ptr;
	cJSON *out = had == NULL ? plm_tree_list() : plm_tree_copy(had);

	for (size_t i = 0; i < more.count; i++) {
		if (!has_text(out, list[i])) {
			plm_tree_add(out, plm_tree_string(list[i]));
		}
	}
	return or_nothing(out);
}

static bool has_owner(const cJSON *node, struct plm_slice claim)
{
	const cJSON *list = plm_tree_at(node, "metadata.ownerReferences");

	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		if (plm_tree_is(at, "kind", "NodeClaim") &&
		    plm_slice_equal(plm_tree_text(at, "name"), claim)) {
			return true;
		}
	}
	return false;
}

/* A node goes with its claim: karpenter.md 3.10. False: 'out' asks for the claim. */
static bool own(const struct plm_encode *in, struct plm_step *out, struct plm_patch *patch)
{
	const struct plm_w_req_node_sync *request = in->request;
	const cJSON *had = plm_tree_at(patch->work, "metadata.ownerReferences");
	const cJSON *claim = NULL;
	cJSON *owners = NULL;

	if (request->claim.size == 0 || has_owner(patch->work, request->claim)) {
		return true;
	}
	if (!plm_encode_other(in, out,
			      (struct plm_target){.resource = PLM_KUBE_RES_NODE_CLAIMS,
						  .name = request->claim},
			      &claim)) {
		return false;
	}
	if (claim != NULL) {
		owners = had == NULL ? plm_tree_list() : plm_tree_copy(had);
		plm_tree_add(owners, plm_encode_owner(in, PLM_KUBE_RES_NODE_CLAIMS, request->claim,
						      plm_tree_text(plm_tree_get(claim, "metadata"),
								    "uid")));
		plm_patch_set(patch, "/metadata/ownerReferences", owners);
	}
	return true;
}

void plm_encode_node_sync(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_node_sync *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *node = plm_encode_object(in, out, target, request->uid, PLM_RESULT_CONFLICT);
	struct plm_patch patch;

	if (node == NULL) {
		return;
	}
	plm_patch_init(&patch, node, request->uid);
	plm_patch_set(&patch, "/metadata/labels",
		      plm_tree_over(plm_tree_at(node, "metadata.labels"), request->labels));
	plm_patch_set(
		&patch, "/metadata/annotations",
		plm_tree_over(plm_tree_at(node, "metadata.annotations"), request->annotations));
	plm_patch_set(&patch, "/metadata/finalizers",
		      texts_with(plm_tree_at(node, "metadata.finalizers"), request->finalizers));
	plm_patch_set(&patch, "/spec/taints",
		      taints_after(plm_tree_at(node, "spec.taints"), request));
	if (!own(in, out, &patch)) {
		plm_patch_fini(&patch);
		return;
	}
	plm_step_patch(in, out, target, &patch);
}

/* ---- ends ---------------------------------------------------------------------------------------- */

static cJSON *texts_without(const cJSON *had, const char *text)
{
	cJSON *out = plm_tree_list();

	for (const cJSON *at = had == NULL ? NULL : had->child; at != NULL; at = at->next) {
		if (!cJSON_IsString(at) || strcmp(at->valuestring, text) != 0) {
			plm_tree_add(out, plm_tree_copy(at));
		}
	}
	return or_nothing(out);
}

void plm_encode_finalize(const struct plm_encode *in, struct plm_step *out, struct plm_slice uid,
			 const char *finalizer)
{
	struct plm_target target = plm_encode_target(in->call, in->request);
	const cJSON *object = plm_encode_object(in, out, target, uid, PLM_RESULT_ALREADY_DONE);
	struct plm_patch patch;

	if (object == NULL) {
		return;
	}
	plm_patch_init(&patch, object, uid);
	plm_patch_set(&patch, "/metadata/finalizers",
		      texts_without(plm_tree_at(object, "metadata.finalizers"), finalizer));
	plm_step_patch(in, out, target, &patch);
	out->gone_is_done = true;
}

void plm_encode_node_finalize(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_node_delete *request = in->request;

	plm_encode_finalize(in, out, request->uid, TERMINATION_FINALIZER);
}

void plm_encode_node_delete(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_node_delete *request = in->request;

	plm_step_delete(in, out, plm_encode_target(in->call, request), request->uid, PLM_UNSET);
}

void plm_encode_claim_finalize(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_claim *request = in->request;

	plm_encode_finalize(in, out, request->uid, TERMINATION_FINALIZER);
}

void plm_encode_claim_delete(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_claim *request = in->request;

	plm_step_delete(in, out, plm_encode_target(in->call, request), request->uid, PLM_UNSET);
}

void plm_encode_annotate(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_annotate *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *object = plm_encode_object(in, out, target, request->uid, PLM_RESULT_CONFLICT);
	struct plm_patch patch;

	if (object == NULL) {
		return;
	}
	plm_patch_init(&patch, object, request->uid);
	plm_patch_set(
		&patch, "/metadata/annotations",
		plm_tree_over(plm_tree_at(object, "metadata.annotations"), request->annotations));
	plm_step_patch(in, out, target, &patch);
}
