/*
 * Jobs told to run and to stop: the suspend flag and what their pods are given.
 *
 * A started Job keeps status.startTime, and as long as that stands the API server refuses other node
 * selectors: it is cleared first, through the status (exact.md 9). From 1.36 on it refuses them also while
 * pods of it are active. A stop puts the templates back to what
 * the Workload says they were, as Kueue does, so that the next start and a way back to Kueue find them so.
 */
#include "adapters/kube/encode.h"
#include "adapters/kube/sets.h"
#include "adapters/manifest/project.h"
#include "core/integration.h"
#include "hash/workload_name.h"

struct job {
	const struct plm_encode *in;
	struct plm_step *out;
	enum plm_kind kind;
	struct plm_target target;
	struct plm_slice uid;
	const cJSON *object;
	const struct plm_integration *row;
};

static bool is_suspended(const struct job *j)
{
	return plm_tree_is_true(plm_tree_at(j->object, j->row->suspend));
}

static const char *flag(const struct job *j)
{
	return plm_kube_pointer_of(j->in->arena, j->row->suspend);
}

/*
 * The template of a Job that has run may not be changed yet: 'out' is what comes first. Only of a Job, and
 * only while it is suspended.
 */
static bool not_yet(const struct job *j)
{
	const cJSON *status = plm_tree_get(j->object, "status");
	struct plm_patch patch;

	if (j->kind != PLM_KIND_JOB) {
		return false;
	}
	if (plm_tree_int(status, "active", 0) > 0) {
		j->out->kind = PLM_STEP_WAIT;
		return true;
	}
	if (plm_tree_get(status, "startTime") == NULL) {
		return false;
	}
	plm_patch_init(&patch, j->object, j->uid);
	plm_patch_test(&patch, flag(j), cJSON_CreateTrue());
	plm_patch_set(&patch, "/status/startTime", NULL);
	plm_step_patch(j->in, j->out, j->target, &patch);
	j->out->subresource = "status";
	j->out->more = true;
	return true;
}

/* ---- start --------------------------------------------------------------------------------------- */

static void give(struct plm_patch *patch, const struct plm_kube_set *set,
		 const struct plm_w_start_set *start)
{
	const cJSON *work = patch->work;

	plm_patch_set(patch, set->labels,
		      plm_tree_over(plm_tree_pointer(work, set->labels), start->labels));
	plm_patch_set(patch, set->annotations,
		      plm_tree_over(plm_tree_pointer(work, set->annotations), start->annotations));
	plm_patch_set(
		patch, set->node_selector,
		plm_tree_over(plm_tree_pointer(work, set->node_selector), start->node_selector));
	plm_patch_set(patch, set->tolerations,
		      plm_encode_tolerations(plm_tree_pointer(work, set->tolerations),
					     start->tolerations));
	if (set->gates != NULL) {
		plm_patch_set(patch, set->gates,
			      plm_encode_gates(plm_tree_pointer(work, set->gates), start->gate));
	}
}

/* A Job may be let in with fewer pods than it asked for. */
static void resize(struct plm_patch *patch, int64_t pods)
{
	const cJSON *notes = plm_tree_at(patch->work, "metadata.annotations");
	bool sync = plm_tree_is(notes, "kueue.x-k8s.io/job-completions-equal-parallelism", "true");

	if (plm_tree_get(notes, "kueue.x-k8s.io/job-min-parallelism") == NULL || pods <= 0) {
		return;
	}
	plm_patch_set(patch, "/spec/parallelism", plm_tree_number(pods));
	if (sync) {
		plm_patch_set(patch, "/spec/completions", plm_tree_number(pods));
	}
}

static void give_all(const struct job *j, struct plm_patch *patch, struct plm_vec starts)
{
	const struct plm_w_start_set *list = starts.ptr;
	struct plm_kube_sets *sets = PLM_NEW(j->in->arena, struct plm_kube_sets);

	plm_kube_sets(j->kind, j->object, j->in->arena, sets);
	for (size_t i = 0; i < starts.count; i++) {
		const struct plm_kube_set *set = plm_kube_set_named(sets, list[i].name);

		if (set != NULL && set->labels != NULL) {
			give(patch, set, &list[i]);
		}
	}
	if (j->kind == PLM_KIND_JOB && starts.count == 1) {
		resize(patch, list[0].count);
	}
}

static struct job job_of(const struct plm_encode *in, struct plm_step *out, int64_t kind,
			 struct plm_slice uid)
{
	return (struct job){
		.in = in,
		.out = out,
		.kind = (enum plm_kind)kind,
		.target = plm_encode_target(in->call, in->request),
		.uid = uid,
		.row = plm_integration((enum plm_kind)kind),
	};
}

static bool has_flag(const struct job *j)
{
	return j->row != NULL && j->row->start == PLM_START_BY_FLAG && j->row->suspend != NULL;
}

/*
 * Running already: with all that was to be added it is ours, done before; without, somebody else started
 * it.
 */
static void runs_already(const struct job *j, struct plm_patch *patch)
{
	plm_step_answer(j->out, patch->changes ? PLM_RESULT_CONFLICT : PLM_RESULT_ALREADY_DONE,
			patch->changes ? "NotSuspended" : "");
	plm_patch_fini(patch);
}

void plm_encode_job_start(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_job_start *request = in->request;
	struct job j = job_of(in, out, request->kind, request->uid);
	struct plm_patch patch;

	j.object = plm_encode_object(in, out, j.target, j.uid, PLM_RESULT_CONFLICT);
	if (j.object == NULL) {
		return;
	}
	if (!has_flag(&j)) {
		plm_step_answer(out, PLM_RESULT_DONE, ""); /* its pods are told, one by one */
		return;
	}
	if (is_suspended(&j) && not_yet(&j)) {
		return;
	}
	plm_patch_init(&patch, j.object, j.uid);
	give_all(&j, &patch, request->pod_sets);
	plm_encode_told_start(in, j.kind, request->pod_sets, &patch);
	if (!is_suspended(&j)) {
		runs_already(&j, &patch);
		return;
	}
	plm_patch_set(&patch, flag(&j), cJSON_CreateFalse());
	plm_step_patch(in, out, j.target, &patch);
}

/* ---- stop ---------------------------------------------------------------------------------------- */

static struct plm_target workload_of(const struct job *j)
{
	const cJSON *meta = plm_tree_get(j->object, "metadata");
	struct plm_slice built = plm_tree_text(plm_tree_get(meta, "labels"), PLM_LABEL_PREBUILT);

	if (built.size == 0) {
		built = plm_tree_text(plm_tree_get(meta, "annotations"), PLM_LABEL_PREBUILT);
	}
	if (built.size == 0) {
		const struct plm_kube_resource *resource = plm_kube_resource(j->target.resource);

		built = plm_workload_name(j->in->arena, resource->kind, resource->group,
					  j->target.name, j->uid);
	}
	return (struct plm_target){PLM_KUBE_RES_WORKLOADS, j->target.ns, built};
}

/* What the Job's own controller writes into its template stays. */
static cJSON *labels_of(const cJSON *had, const cJSON *template)
{
	cJSON *out = plm_tree_copy(plm_tree_at(template, "metadata.labels"));

	for (const cJSON *at = had == NULL ? NULL : had->child; at != NULL; at = at->next) {
		if (plm_kube_is_job_label(at->string)) {
			out = out == NULL ? plm_tree_map() : out;
			plm_tree_put(out, plm_slice_str(at->string), plm_tree_copy(at));
		}
	}
	return out;
}

static void put_back(struct plm_patch *patch, const struct plm_kube_set *set, const cJSON *template)
{
	const cJSON *had = plm_tree_pointer(patch->work, set->labels);

	plm_patch_set(patch, set->labels, labels_of(had, template));
	plm_patch_set(patch, set->annotations,
		      plm_tree_copy(plm_tree_at(template, "metadata.annotations")));
	plm_patch_set(patch, set->node_selector,
		      plm_tree_copy(plm_tree_at(template, "spec.nodeSelector")));
	plm_patch_set(patch, set->tolerations,
		      plm_tree_copy(plm_tree_at(template, "spec.tolerations")));
	if (set->gates != NULL) {
		plm_patch_set(patch, set->gates,
			      plm_tree_copy(plm_tree_at(template, "spec.schedulingGates")));
	}
}

static void put_all_back(const struct job *j, struct plm_patch *patch, const cJSON *workload)
{
	const cJSON *list = plm_tree_at(workload, "spec.podSets");
	struct plm_kube_sets *sets = PLM_NEW(j->in->arena, struct plm_kube_sets);

	plm_kube_sets(j->kind, j->object, j->in->arena, sets);
	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		const struct plm_kube_set *set =
			plm_kube_set_named(sets, plm_tree_text(at, "name"));

		if (set != NULL && set->labels != NULL) {
			put_back(patch, set, plm_tree_get(at, "template"));
		}
		if (j->kind == PLM_KIND_JOB) {
			resize(patch, plm_tree_int(at, "count", 0));
		}
	}
}

static void restore(const struct job *j)
{
	const cJSON *workload = NULL;
	struct plm_patch patch;

	if (!plm_encode_other(j->in, j->out, workload_of(j), &workload)) {
		return;
	}
	plm_patch_init(&patch, j->object, j->uid);
	plm_patch_test(&patch, flag(j), cJSON_CreateTrue());
	if (workload != NULL) {
		put_all_back(j, &patch, workload);
	}
	plm_encode_told_stop(j->in, j->kind, &patch);
	if (patch.changes && not_yet(j)) {
		plm_patch_fini(&patch);
		return;
	}
	plm_step_patch(j->in, j->out, j->target, &patch);
}

void plm_encode_job_stop(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_job_stop *request = in->request;
	struct job j = job_of(in, out, request->kind, request->uid);
	struct plm_patch patch;

	j.object = plm_encode_object(in, out, j.target, j.uid, PLM_RESULT_ALREADY_DONE);
	if (j.object == NULL) {
		return;
	}
	if (!has_flag(&j)) {
		plm_step_answer(out, PLM_RESULT_DONE,
				""); /* nobody owns it, or its pods are told */
		return;
	}
	if (is_suspended(&j)) {
		restore(&j);
		return;
	}
	plm_patch_init(&patch, j.object, j.uid);
	plm_patch_set(&patch, flag(&j), cJSON_CreateTrue());
	plm_step_patch(in, out, j.target, &patch);
	out->more = true;
}

void plm_encode_job_delete(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_work *request = in->request;

	plm_step_delete(in, out, plm_encode_target(in->call, request), request->uid, PLM_UNSET);
}
