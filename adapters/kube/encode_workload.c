/*
 * Workload objects: made for a job, deactivated, deleted. Their status is encode_admission.c.
 *
 * The templates are those of the job as it is read, without what the Job controller writes into them; the
 * counts are the request's. We put no finalizer on it (exact.md 9), but upstream's is taken off.
 */
#include "adapters/kube/encode.h"
#include "adapters/kube/sets.h"
#include "adapters/manifest/project.h"
#include "core/quantity.h"

#define RESOURCE_IN_USE "kueue.x-k8s.io/resource-in-use"
#define LABEL_JOB_UID "kueue.x-k8s.io/job-uid"
#define PROVISIONING_PREFIX "provreq.kueue.x-k8s.io/"

/* ---- topology wishes ----------------------------------------------------------------------------- */

static void put_note(cJSON *request, const char *key, const cJSON *notes, const char *note)
{
	struct plm_slice value = plm_tree_text(notes, note);

	if (value.size > 0) {
		plm_tree_put_text(request, key, value);
	}
}

/* One of three, the strictest first; false: none is asked for. */
static bool put_wish(cJSON *request, const cJSON *notes)
{
	const char *unconstrained = "kueue.x-k8s.io/podset-unconstrained-topology";

	put_note(request, "required", notes, "kueue.x-k8s.io/podset-required-topology");
	if (request->child == NULL) {
		put_note(request, "preferred", notes, "kueue.x-k8s.io/podset-preferred-topology");
	}
	if (request->child != NULL) {
		put_note(request, "podSetGroupName", notes, "kueue.x-k8s.io/podset-group-name");
		return true;
	}
	if (plm_tree_get(notes, unconstrained) == NULL) {
		return false;
	}
	plm_tree_put(request, plm_slice_str("unconstrained"),
		     cJSON_CreateBool(plm_tree_is(notes, unconstrained, "true")));
	return true;
}

static bool put_slices(cJSON *request, const cJSON *notes)
{
	struct plm_slice level =
		plm_tree_text(notes, "kueue.x-k8s.io/podset-slice-required-topology");
	struct plm_slice layers =
		plm_tree_text(notes, "kueue.x-k8s.io/podset-slice-required-topology-constraints");
	int64_t size = 0;
	cJSON *list = NULL;

	if (layers.size > 0) {
		list = cJSON_ParseWithLength((const char *)layers.ptr, layers.size);
		if (!cJSON_IsArray(list)) {
			cJSON_Delete(list);
			return false;
		}
		plm_tree_put(request, plm_slice_str("podsetSliceRequiredTopologyConstraints"),
			     list);
		return true;
	}
	if (level.size == 0 ||
	    !plm_integer_parse(plm_tree_text(notes, "kueue.x-k8s.io/podset-slice-size"), &size)) {
		return false;
	}
	plm_tree_put_text(request, "podSetSliceRequiredTopology", level);
	plm_tree_put_int(request, "podSetSliceSize", size);
	return true;
}

cJSON *plm_encode_topology(const struct plm_kube_set *set)
{
	const cJSON *notes = plm_tree_at(set->template, "metadata.annotations");
	cJSON *request = plm_tree_map();
	bool asked = put_wish(request, notes);

	asked = put_slices(request, notes) || asked;
	if (!asked) {
		cJSON_Delete(request);
		return NULL;
	}
	if (set->index != NULL) {
		plm_tree_put_string(request, "podIndexLabel", set->index);
	}
	if (set->group != NULL) {
		plm_tree_put_string(request, "subGroupIndexLabel", set->group);
		plm_tree_put_int(request, "subGroupCount", set->times);
	}
	return request;
}

/* ---- pod sets ------------------------------------------------------------------------------------ */

static cJSON *labels_of(const struct plm_kube_set *set, const cJSON *job)
{
	const cJSON *had = set->labels == NULL ? plm_tree_at(set->template, "metadata.labels")
					       : plm_tree_pointer(job, set->labels);
	cJSON *out = plm_tree_map();

	for (const cJSON *at = had == NULL ? NULL : had->child; at != NULL; at = at->next) {
		if (!plm_kube_is_job_label(at->string) ||
		    strcmp(at->string, "batch.kubernetes.io/job-name") == 0) { /* as Kueue */
			plm_tree_put(out, plm_slice_str(at->string), plm_tree_copy(at));
		}
	}
	if (out->child == NULL) {
		cJSON_Delete(out);
		return NULL;
	}
	return out;
}

static void put_if(cJSON *map, const char *key, cJSON *value)
{
	if (value != NULL) {
		plm_tree_put(map, plm_slice_str(key), value);
	}
}

/* As it stands, and where a kind says some of it beside the template (Spark), as it says there. */
static cJSON *template_of(const struct plm_kube_set *set, const cJSON *job)
{
	const cJSON *notes = set->annotations == NULL
				     ? plm_tree_at(set->template, "metadata.annotations")
				     : plm_tree_pointer(job, set->annotations);
	const cJSON *had = plm_tree_get(set->template, "spec");
	cJSON *meta = plm_tree_map();
	cJSON *spec = had == NULL ? plm_tree_map() : plm_tree_copy(had);
	cJSON *out = plm_tree_map();

	put_if(meta, "labels", labels_of(set, job));
	put_if(meta, "annotations", plm_tree_copy(notes));
	if (set->labels != NULL) {
		put_if(spec, "nodeSelector",
		       plm_tree_copy(plm_tree_pointer(job, set->node_selector)));
		put_if(spec, "tolerations", plm_tree_copy(plm_tree_pointer(job, set->tolerations)));
	}
	plm_tree_put(out, plm_slice_str("metadata"), meta);
	plm_tree_put(out, plm_slice_str("spec"), spec);
	return out;
}

static cJSON *pod_set(const struct plm_kube_set *set, const struct plm_w_pod_count *w,
		      const cJSON *job)
{
	const cJSON *notes = plm_tree_at(job, "metadata.annotations");
	cJSON *out = plm_tree_map();
	int64_t least = 0;

	plm_tree_put_text(out, "name", w->name);
	plm_tree_put_int(out, "count", w->count);
	if (plm_integer_parse(plm_tree_text(notes, "kueue.x-k8s.io/job-min-parallelism"), &least) &&
	    least < w->count) {
		plm_tree_put_int(out, "minCount", least);
	}
	plm_tree_put(out, plm_slice_str("template"), template_of(set, job));
	put_if(out, "topologyRequest", plm_encode_topology(set));
	return out;
}

/* NULL: a pod set of the request is not in the job any more. */
static cJSON *pod_sets(struct plm_vec wanted, const struct plm_kube_sets *sets, const cJSON *job)
{
	const struct plm_w_pod_count *list = wanted.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < wanted.count; i++) {
		const struct plm_kube_set *set = plm_kube_set_named(sets, list[i].name);

		if (set == NULL) {
			cJSON_Delete(out);
			return NULL;
		}
		plm_tree_add(out, pod_set(set, &list[i], job));
	}
	return out;
}

/* ---- create -------------------------------------------------------------------------------------- */

static void put_priority(const struct plm_encode *in, cJSON *spec, const cJSON *job)
{
	const struct plm_w_req_workload_create *request = in->request;
	const char *version = in->version(in->self, PLM_KUBE_RES_WORKLOADS);
	bool own = plm_slice_equal(
		plm_tree_text(plm_tree_at(job, "metadata.labels"), PLM_LABEL_PRIORITY),
		request->priority_class);
	cJSON *class = NULL;

	plm_tree_put_int(spec, "priority", request->priority);
	if (request->priority_class.size == 0) {
		return;
	}
	if (version != NULL && strcmp(version, "v1beta1") == 0) {
		plm_tree_put_text(spec, "priorityClassName", request->priority_class);
		plm_tree_put_string(spec, "priorityClassSource",
				    own ? "kueue.x-k8s.io/workloadpriorityclass"
					: "scheduling.k8s.io/priorityclass");
		return;
	}
	class = plm_tree_map();
	plm_tree_put_string(class, "group", own ? "kueue.x-k8s.io" : "scheduling.k8s.io");
	plm_tree_put_string(class, "kind", own ? "WorkloadPriorityClass" : "PriorityClass");
	plm_tree_put_text(class, "name", request->priority_class);
	plm_tree_put(spec, plm_slice_str("priorityClassRef"), class);
}

static cJSON *workload_spec(const struct plm_encode *in, const cJSON *job, cJSON *sets)
{
	const struct plm_w_req_workload_create *request = in->request;
	cJSON *spec = plm_tree_map();

	plm_tree_put(spec, plm_slice_str("active"), cJSON_CreateBool(request->active != 0));
	if (request->queue.size > 0) {
		plm_tree_put_text(spec, "queueName", request->queue);
	}
	put_priority(in, spec, job);
	if (request->max_execution_s != PLM_UNSET && request->max_execution_s > 0) {
		plm_tree_put_int(spec, "maximumExecutionTimeSeconds", request->max_execution_s);
	}
	plm_tree_put(spec, plm_slice_str("podSets"), sets);
	return spec;
}

void plm_encode_workload_make(const struct plm_encode *in, const cJSON *job, cJSON *meta,
			      cJSON *sets, struct plm_step *out)
{
	cJSON *workload = plm_tree_map();

	plm_tree_put_string(workload, "apiVersion",
			    plm_encode_api_version(in, PLM_KUBE_RES_WORKLOADS));
	plm_tree_put_string(workload, "kind", "Workload");
	plm_tree_put(workload, plm_slice_str("metadata"), meta);
	plm_tree_put(workload, plm_slice_str("spec"), workload_spec(in, job, sets));
	plm_step_create(in, out, plm_encode_target(in->call, in->request), workload);
}

static cJSON *provisioning_notes(const cJSON *job)
{
	const cJSON *had = plm_tree_at(job, "metadata.annotations");
	cJSON *out = NULL;

	for (const cJSON *at = had == NULL ? NULL : had->child; at != NULL; at = at->next) {
		if (strncmp(at->string, PROVISIONING_PREFIX, strlen(PROVISIONING_PREFIX)) == 0) {
			out = out == NULL ? plm_tree_map() : out;
			plm_tree_put(out, plm_slice_str(at->string), plm_tree_copy(at));
		}
	}
	return out;
}

static cJSON *meta_of(const struct plm_encode *in, const cJSON *job)
{
	const struct plm_w_req_workload_create *request = in->request;
	const struct plm_w_kv uid = {plm_slice_str(LABEL_JOB_UID), request->owner_uid};
	cJSON *meta = plm_encode_meta(in, plm_encode_target(in->call, request), request->labels);
	cJSON *owner =
		plm_encode_owner(in, plm_kube_resource_of((enum plm_kind)request->owner_kind),
				 request->owner, request->owner_uid);
	cJSON *owners = plm_tree_list();

	if (request->owner_uid.size <= 63) { /* else it is no value of a label */
		plm_tree_put(
			meta, plm_slice_str("labels"),
			plm_tree_over(plm_tree_get(meta, "labels"), (struct plm_vec){&uid, 1}));
	}
	put_if(meta, "annotations", provisioning_notes(job));
	plm_tree_put(owner, plm_slice_str("controller"), cJSON_CreateTrue());
	plm_tree_add(owners, owner);
	plm_tree_put(meta, plm_slice_str("ownerReferences"), owners);
	return meta;
}

/* Where the templates stand: the runtime of a TrainJob, else the job. False: 'out' asks for it. */
static bool find_sets(const struct plm_encode *in, struct plm_step *out, const cJSON *job,
		      struct plm_kube_sets *sets)
{
	const struct plm_w_req_workload_create *request = in->request;
	enum plm_kind kind = (enum plm_kind)request->owner_kind;
	const cJSON *ref = plm_tree_at(job, "spec.runtimeRef");
	bool own = plm_tree_is(ref, "kind", "TrainingRuntime");
	const cJSON *runtime = NULL;

	if (kind != PLM_KIND_TRAIN_JOB) {
		plm_kube_sets(kind, job, in->arena, sets);
		return true;
	}
	if (!plm_encode_other(in, out,
			      (struct plm_target){own ? PLM_KUBE_RES_TRAINING_RUNTIMES
						      : PLM_KUBE_RES_CLUSTER_TRAINING_RUNTIMES,
						  own ? request->ns : (struct plm_slice){0},
						  plm_tree_text(ref, "name")},
			      &runtime)) {
		return false;
	}
	plm_kube_sets(own ? PLM_KIND_TRAINING_RUNTIME : PLM_KIND_CLUSTER_TRAINING_RUNTIME, runtime,
		      in->arena, sets);
	for (size_t i = 0; i < sets->count; i++) {
		sets->list[i].labels = NULL; /* its pointers are of another object */
		sets->list[i].annotations = NULL;
	}
	return true;
}

void plm_encode_workload_create(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_workload_create *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	struct plm_target owner = {plm_kube_resource_of((enum plm_kind)request->owner_kind),
				   request->ns, request->owner};
	struct plm_kube_sets *sets = PLM_NEW(in->arena, struct plm_kube_sets);
	const cJSON *job = NULL;
	cJSON *list = NULL;

	if (in->name_taken) {
		plm_encode_name_taken(in, out, target);
		return;
	}
	if (request->owner_kind == PLM_KIND_POD_GROUP) {
		plm_encode_group_create(in, out);
		return;
	}
	job = plm_encode_object(in, out, owner, request->owner_uid, PLM_RESULT_CONFLICT);
	if (job == NULL || !find_sets(in, out, job, sets)) {
		return;
	}
	list = pod_sets(request->pod_sets, sets, job);
	if (list == NULL) {
		plm_step_answer(out, PLM_RESULT_CONFLICT, "PodSetsChanged");
		return;
	}
	plm_encode_workload_make(in, job, meta_of(in, job), list, out);
}

/* ---- deactivate, delete -------------------------------------------------------------------------- */

void plm_encode_workload_deactivate(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_work *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *workload =
		plm_encode_object(in, out, target, request->uid, PLM_RESULT_ALREADY_DONE);
	struct plm_patch patch;

	if (workload == NULL) {
		return;
	}
	plm_patch_init(&patch, workload, request->uid);
	plm_patch_set(&patch, "/spec/active", cJSON_CreateFalse());
	plm_step_patch(in, out, target, &patch);
	out->gone_is_done = true;
}

static bool has_finalizer(const cJSON *object, const char *finalizer)
{
	const cJSON *list = plm_tree_at(object, "metadata.finalizers");

	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		if (cJSON_IsString(at) && strcmp(at->valuestring, finalizer) == 0) {
			return true;
		}
	}
	return false;
}

/* Upstream's finalizer would keep it for ever once upstream is gone. */
void plm_encode_workload_delete(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_work *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *workload =
		plm_encode_object(in, out, target, request->uid, PLM_RESULT_ALREADY_DONE);

	if (workload == NULL) {
		return;
	}
	if (has_finalizer(workload, RESOURCE_IN_USE)) {
		plm_encode_finalize(in, out, request->uid, RESOURCE_IN_USE);
		out->more = true;
	} else if (plm_tree_at(workload, "metadata.deletionTimestamp") != NULL) {
		plm_step_answer(out, PLM_RESULT_ALREADY_DONE, "");
	} else {
		plm_step_delete(in, out, target, request->uid, PLM_UNSET);
	}
}
