/* Pods: made of a PodSet's template, let through a gate, evicted, deleted. */
#include "adapters/kube/encode.h"
#include "adapters/kube/sets.h"
#include "core/integration.h"

#define LABEL_POD_SET "plimsoll.dev/podset"

/* ---- made ---------------------------------------------------------------------------------------- */

static struct plm_target owner_of(const struct plm_w_req_pod_create *request)
{
	return (struct plm_target){PLM_KUBE_RES_POD_SETS, request->ns, request->owner};
}

static void put_if(cJSON *map, const char *key, cJSON *value)
{
	if (value != NULL) {
		plm_tree_put(map, plm_slice_str(key), value);
	}
}

static cJSON *meta_of(const struct plm_encode *in, const struct plm_w_req_pod_create *request,
		      const cJSON *template)
{
	cJSON *meta =
		plm_encode_meta(in, plm_encode_target(in->call, request), (struct plm_vec){0});
	cJSON *owner =
		plm_encode_owner(in, PLM_KUBE_RES_POD_SETS, request->owner, request->owner_uid);
	cJSON *owners = plm_tree_list();
	cJSON *labels = plm_tree_over(plm_tree_at(template, "metadata.labels"), request->labels);

	labels = labels == NULL ? plm_tree_map() : labels;
	plm_tree_put_text(labels, PLM_LABEL_INTENT, in->key);
	plm_tree_put_text(labels, LABEL_POD_SET, request->owner);
	plm_tree_put(meta, plm_slice_str("labels"), labels);
	put_if(meta, "annotations",
	       plm_tree_over(plm_tree_at(template, "metadata.annotations"), request->annotations));
	plm_tree_put(owner, plm_slice_str("controller"), cJSON_CreateTrue());
	plm_tree_add(owners, owner);
	plm_tree_put(meta, plm_slice_str("ownerReferences"), owners);
	return meta;
}

static bool is_extended(const char *resource)
{
	return strncmp(resource, "hugepages-", 10) == 0 ||
	       (strchr(resource, '/') != NULL && strncmp(resource, "kubernetes.io/", 14) != 0);
}

/*
 * What cannot be overcommitted must be limited to what is requested, says the API server, and a template that only
 * requests it means just that.
 */
static void limit_extended(cJSON *container)
{
	cJSON *resources = cJSON_GetObjectItemCaseSensitive(container, "resources");
	const cJSON *requests = cJSON_GetObjectItemCaseSensitive(resources, "requests");
	cJSON *limits = cJSON_GetObjectItemCaseSensitive(resources, "limits");
	const cJSON *request = NULL;

	cJSON_ArrayForEach(request, requests)
	{
		if (!is_extended(request->string)) {
			continue;
		}
		if (limits == NULL) {
			limits = plm_tree_map();
			plm_tree_put(resources, plm_slice_str("limits"), limits);
		}
		if (cJSON_GetObjectItemCaseSensitive(limits, request->string) == NULL) {
			plm_tree_put(limits, plm_slice_str(request->string),
				     plm_tree_copy(request));
		}
	}
}

static void limit_all(cJSON *spec, const char *list)
{
	cJSON *container = NULL;

	cJSON_ArrayForEach(container, cJSON_GetObjectItemCaseSensitive(spec, list))
	{
		limit_extended(container);
	}
}

static cJSON *spec_of(const struct plm_w_req_pod_create *request, const cJSON *template)
{
	const cJSON *had = plm_tree_get(template, "spec");
	cJSON *spec = had == NULL ? plm_tree_map() : plm_tree_copy(had);

	put_if(spec, "nodeSelector",
	       plm_tree_over(plm_tree_get(had, "nodeSelector"), request->node_selector));
	put_if(spec, "tolerations",
	       plm_encode_tolerations(plm_tree_get(had, "tolerations"), request->tolerations));
	put_if(spec, "schedulingGates",
	       plm_encode_gates(plm_tree_get(had, "schedulingGates"), request->gate));
	limit_all(spec, "containers");
	limit_all(spec, "initContainers");
	return spec;
}

void plm_encode_pod_create(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_pod_create *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *owner = NULL;
	const cJSON *template = NULL;
	cJSON *pod = NULL;

	if (in->name_taken) {
		plm_encode_name_taken(in, out, target);
		return;
	}
	owner = plm_encode_object(in, out, owner_of(request), request->owner_uid,
				  PLM_RESULT_CONFLICT);
	if (owner == NULL) {
		return;
	}
	template = plm_tree_at(owner, "spec.template");
	pod = plm_tree_map();
	plm_tree_put_string(pod, "apiVersion", "v1");
	plm_tree_put_string(pod, "kind", "Pod");
	plm_tree_put(pod, plm_slice_str("metadata"), meta_of(in, request, template));
	plm_tree_put(pod, plm_slice_str("spec"), spec_of(request, template));
	plm_step_create(in, out, target, pod);
}

/* ---- let through --------------------------------------------------------------------------------- */

static cJSON *gates_without(const cJSON *list, struct plm_slice gate)
{
	cJSON *out = plm_tree_list();

	for (const cJSON *at = list->child; at != NULL; at = at->next) {
		if (!plm_slice_equal(plm_tree_text(at, "name"), gate)) {
			plm_tree_add(out, plm_tree_copy(at));
		}
	}
	if (out->child == NULL) {
		cJSON_Delete(out);
		return NULL;
	}
	return out;
}

static bool has_gate(const cJSON *list, struct plm_slice gate)
{
	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		if (plm_slice_equal(plm_tree_text(at, "name"), gate)) {
			return true;
		}
	}
	return false;
}

void plm_encode_pod_ungate(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_pod_ungate *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *pod = plm_encode_object(in, out, target, request->uid, PLM_RESULT_CONFLICT);
	const cJSON *gates = plm_tree_at(pod, "spec.schedulingGates");
	struct plm_patch patch;

	if (pod == NULL) {
		return;
	}
	if (!has_gate(gates, request->gate)) {
		plm_step_answer(out, PLM_RESULT_ALREADY_DONE, "");
		return;
	}
	plm_patch_init(&patch, pod, request->uid);
	plm_patch_set(&patch, "/spec/schedulingGates", gates_without(gates, request->gate));
	plm_patch_set(&patch, "/metadata/labels",
		      plm_tree_over(plm_tree_at(pod, "metadata.labels"), request->labels));
	plm_patch_set(&patch, "/spec/nodeSelector",
		      plm_tree_over(plm_tree_at(pod, "spec.nodeSelector"), request->node_selector));
	plm_patch_set(
		&patch, "/spec/tolerations",
		plm_encode_tolerations(plm_tree_at(pod, "spec.tolerations"), request->tolerations));
	plm_step_patch(in, out, target, &patch);
}

/* ---- gone ---------------------------------------------------------------------------------------- */

void plm_encode_pod_delete(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_pod *request = in->request;

	plm_step_delete(in, out, plm_encode_target(in->call, request), request->uid,
			request->grace_ms);
}

void plm_encode_pod_finalize(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_pod *request = in->request;

	plm_encode_finalize(in, out, request->uid, PLM_FINALIZER_MANAGED);
}

void plm_encode_pod_evict(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_pod *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	cJSON *eviction = NULL;
	cJSON *meta = NULL;

	if (!plm_encode_looked(in, out, target, request->uid)) {
		return;
	}
	eviction = plm_tree_map();
	meta = plm_tree_map();
	plm_tree_put_text(meta, "name", target.name);
	plm_tree_put_text(meta, "namespace", target.ns);
	plm_tree_put_string(eviction, "apiVersion", "policy/v1");
	plm_tree_put_string(eviction, "kind", "Eviction");
	plm_tree_put(eviction, plm_slice_str("metadata"), meta);
	plm_tree_put(eviction, plm_slice_str("deleteOptions"),
		     plm_encode_delete_options(request->uid, request->grace_ms));
	plm_step_create(in, out, target, eviction);
	out->name = target.name;
	out->subresource = "eviction";
	out->gone_is_done = true;
}
