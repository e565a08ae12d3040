/*
 * The Workload of pods that are queued by themselves: of one pod, or of a group that they name.
 *
 * A group has no object of its own: its pods are listed by the label, its pod sets are their roles, and each
 * pod owns the Workload, none as its controller (kueue.md 1.9). The role of a pod is what
 * adapters/manifest makes of it, as the fact that was decided on.
 */
#include "adapters/kube/encode.h"
#include "adapters/kube/sets.h"
#include "adapters/manifest/manifest.h"
#include "hash/workload_name.h"

#define PREFIX "pod-"
#define SUFFIX_SIZE 6 /* "-abcde" */

/* ---- one pod ------------------------------------------------------------------------------------- */

/* The name of the pod that the Workload of 'request' is called after; empty: it is called after a group. */
static struct plm_slice pod_named(const struct plm_encode *in,
				  const struct plm_w_req_workload_create *request)
{
	size_t prefix = strlen(PREFIX);
	struct plm_slice name = request->name;

	if (name.size <= prefix + SUFFIX_SIZE) {
		return (struct plm_slice){0};
	}
	name = plm_slice_of(name.ptr + prefix, name.size - prefix - SUFFIX_SIZE);
	return plm_slice_equal(plm_workload_name(in->arena, "Pod", "", name, request->owner_uid),
			       request->name)
		       ? name
		       : (struct plm_slice){0};
}

/* ---- roles --------------------------------------------------------------------------------------- */

struct role {
	char name[64];
};

static enum plm_code take_role(void *ctx, const struct plm_manifest_fact *fact,
			       struct plm_error *err)
{
	struct role *role = ctx;
	const struct plm_w_pod *pod = fact->payload;

	(void)err;
	if (fact->type == PLM_EV_POD && pod->role.size < sizeof(role->name)) {
		memcpy(role->name, pod->role.ptr, pod->role.size);
		role->name[pod->role.size] = '\0';
	}
	return PLM_OK;
}

static void no_warning(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

/* False: it is no pod that can be read, and belongs to no role. */
static bool role_of(const struct plm_encode *in, const cJSON *pod, struct role *out)
{
	const struct plm_manifest_options options = {.now_ms = 0, .updates = true};
	const struct plm_manifest_sink sink = {.ctx = out, .fact = take_role, .warn = no_warning};
	struct plm_manifest *reader = NULL;
	cJSON *whole = plm_tree_copy(pod);
	enum plm_code code = PLM_OK;

	*out = (struct role){.name = ""};
	plm_tree_put_string(whole, "apiVersion", "v1"); /* the items of a list do not say so */
	plm_tree_put_string(whole, "kind", "Pod");
	code = plm_manifest_open(&reader, &options, &sink, NULL);
	if (code == PLM_OK) {
		code = plm_manifest_read_text(reader, "pod.json", plm_tree_print(whole, in->arena),
					      NULL);
	}
	plm_manifest_close(reader);
	cJSON_Delete(whole);
	return code == PLM_OK && out->name[0] != '\0';
}

/* ---- the object ---------------------------------------------------------------------------------- */

static const cJSON *pod_of_role(const struct plm_encode *in, const cJSON *list,
				struct plm_slice name)
{
	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		struct role role;

		if (role_of(in, at, &role) && plm_slice_is(name, role.name)) {
			return at;
		}
	}
	return NULL;
}

static cJSON *template_of(const cJSON *pod)
{
	const cJSON *had = plm_tree_get(pod, "metadata");
	const cJSON *labels = plm_tree_get(had, "labels");
	const cJSON *notes = plm_tree_get(had, "annotations");
	cJSON *meta = plm_tree_map();
	cJSON *spec = plm_tree_copy(plm_tree_get(pod, "spec"));
	cJSON *out = plm_tree_map();

	if (labels != NULL) {
		plm_tree_put(meta, plm_slice_str("labels"), plm_tree_copy(labels));
	}
	if (notes != NULL) {
		plm_tree_put(meta, plm_slice_str("annotations"), plm_tree_copy(notes));
	}
	spec = spec == NULL ? plm_tree_map() : spec;
	cJSON_DeleteItemFromObjectCaseSensitive(spec, "nodeName");
	cJSON_DeleteItemFromObjectCaseSensitive(spec, "schedulingGates");
	plm_tree_put(out, plm_slice_str("metadata"), meta);
	plm_tree_put(out, plm_slice_str("spec"), spec);
	return out;
}

/* NULL: there is no pod of a role of the request any more. 'list' NULL: all of 'single'. */
static cJSON *pod_sets(const struct plm_encode *in, const cJSON *list, const cJSON *single)
{
	const struct plm_w_req_workload_create *request = in->request;
	const struct plm_w_pod_count *wanted = request->pod_sets.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < request->pod_sets.count; i++) {
		const cJSON *pod = list == NULL ? single : pod_of_role(in, list, wanted[i].name);
		struct plm_kube_set set = {.template = pod, .count = wanted[i].count};
		cJSON *topology = NULL;
		cJSON *item = NULL;

		if (pod == NULL) {
			cJSON_Delete(out);
			return NULL;
		}
		item = plm_tree_map();
		plm_tree_put_text(item, "name", wanted[i].name);
		plm_tree_put_int(item, "count", wanted[i].count);
		plm_tree_put(item, plm_slice_str("template"), template_of(pod));
		set.index = list == NULL ? NULL : "kueue.x-k8s.io/pod-group-pod-index";
		topology = plm_encode_topology(&set);
		if (topology != NULL) {
			plm_tree_put(item, plm_slice_str("topologyRequest"), topology);
		}
		plm_tree_add(out, item);
	}
	return out;
}

static cJSON *owner_of(const struct plm_encode *in, const cJSON *pod)
{
	const cJSON *meta = plm_tree_get(pod, "metadata");

	return plm_encode_owner(in, PLM_KUBE_RES_PODS, plm_tree_text(meta, "name"),
				plm_tree_text(meta, "uid"));
}

static cJSON *meta_of(const struct plm_encode *in, const cJSON *list, const cJSON *single)
{
	const struct plm_w_req_workload_create *request = in->request;
	const struct plm_w_kv is_group = {plm_slice_str("kueue.x-k8s.io/is-group-workload"),
					  plm_slice_str("true")};
	cJSON *meta = plm_encode_meta(in, plm_encode_target(in->call, request), request->labels);
	cJSON *owners = plm_tree_list();

	if (list == NULL) {
		cJSON *owner = owner_of(in, single);

		plm_tree_put(owner, plm_slice_str("controller"), cJSON_CreateTrue());
		plm_tree_add(owners, owner);
	} else {
		plm_tree_put(meta, plm_slice_str("annotations"),
			     plm_tree_over(NULL, (struct plm_vec){&is_group, 1}));
	}
	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		plm_tree_add(owners, owner_of(in, at));
	}
	plm_tree_put(meta, plm_slice_str("ownerReferences"), owners);
	return meta;
}

static void create(const struct plm_encode *in, struct plm_step *out, const cJSON *list,
		   const cJSON *single)
{
	cJSON *sets = pod_sets(in, list, single);

	if (sets == NULL) {
		plm_step_answer(out, PLM_RESULT_CONFLICT, "PodSetsChanged");
		return;
	}
	plm_encode_workload_make(in, list == NULL ? single : list->child, meta_of(in, list, single),
				 sets, out);
}

void plm_encode_group_create(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_workload_create *request = in->request;
	struct plm_slice pod = pod_named(in, request);
	struct plm_target target = {PLM_KUBE_RES_PODS, request->ns, pod};
	const struct plm_read_object *read = &in->reads[PLM_READ_TARGET];
	const cJSON *object = NULL;

	if (pod.size > 0) {
		object =
			plm_encode_object(in, out, target, request->owner_uid, PLM_RESULT_CONFLICT);
		if (object != NULL) {
			create(in, out, NULL, object);
		}
		return;
	}
	if (read->state == PLM_READ_NOT_YET) {
		plm_step_read(out, PLM_READ_TARGET, target);
		out->verb = PLM_KUBE_LIST;
		out->query = plm_pointer(
			in->arena, "labelSelector=kueue.x-k8s.io%%2Fpod-group-name%%3D%.*s",
			(int)request->owner.size, (const char *)request->owner.ptr);
		return;
	}
	object = plm_tree_get(read->object, "items");
	if (object == NULL || object->child == NULL) {
		plm_step_answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	create(in, out, object, NULL);
}
