/* Jobs that are told beside their templates what their pods are given: AppWrapper and TrainJob. */
#include "adapters/kube/encode.h"
#include "adapters/kube/sets.h"

/* Kueue's name for its own patch of a TrainJob's runtime, so that either finds the other's. */
#define RUNTIME_MANAGER "kueue.x-k8s.io/manager"

static void put_if(cJSON *map, const char *key, cJSON *value)
{
	if (value != NULL) {
		plm_tree_put(map, plm_slice_str(key), value);
	}
}

static void put_meta(cJSON *map, const struct plm_w_start_set *start)
{
	put_if(map, "labels", plm_tree_over(NULL, start->labels));
	put_if(map, "annotations", plm_tree_over(NULL, start->annotations));
}

static void put_spec(cJSON *map, const struct plm_w_start_set *start)
{
	put_if(map, "nodeSelector", plm_tree_over(NULL, start->node_selector));
	put_if(map, "tolerations", plm_encode_tolerations(NULL, start->tolerations));
	put_if(map, "schedulingGates", plm_encode_gates(NULL, start->gate));
}

/* ---- AppWrapper ---------------------------------------------------------------------------------- */

static const struct plm_w_start_set *start_named(struct plm_vec starts, struct plm_slice name)
{
	const struct plm_w_start_set *list = starts.ptr;

	for (size_t i = 0; i < starts.count; i++) {
		if (plm_slice_equal(list[i].name, name)) {
			return &list[i];
		}
	}
	return NULL;
}

static cJSON *infos_of(const struct plm_kube_sets *sets, int component, struct plm_vec starts)
{
	cJSON *list = plm_tree_list();

	for (size_t i = 0; i < sets->count; i++) {
		const struct plm_w_start_set *start = start_named(starts, sets->list[i].name);
		cJSON *info = NULL;

		if (sets->list[i].component != component) {
			continue;
		}
		info = plm_tree_map();
		if (start != NULL) {
			put_meta(info, start);
			put_spec(info, start);
		}
		plm_tree_add(list, info);
	}
	if (list->child == NULL) {
		cJSON_Delete(list);
		return NULL;
	}
	return list;
}

/* 'starts' NULL: what was told is taken back. */
static void wrapper(struct plm_arena *arena, const struct plm_vec *starts, struct plm_patch *patch)
{
	struct plm_kube_sets *sets = PLM_NEW(arena, struct plm_kube_sets);
	const cJSON *list = plm_tree_at(patch->work, "spec.components");
	int count = list == NULL ? 0 : cJSON_GetArraySize(list);

	plm_kube_sets(PLM_KIND_APP_WRAPPER, patch->work, arena, sets);
	for (int i = 0; i < count; i++) {
		cJSON *infos = starts == NULL ? NULL : infos_of(sets, i, *starts);

		plm_patch_set(patch, plm_pointer(arena, "/spec/components/%d/podSetInfos", i),
			      infos);
	}
}

/* ---- TrainJob ------------------------------------------------------------------------------------ */

static cJSON *in_map(const char *key, cJSON *value)
{
	cJSON *map = plm_tree_map();

	plm_tree_put(map, plm_slice_str(key), value);
	return map;
}

static cJSON *replicated_job(const struct plm_w_start_set *start)
{
	cJSON *meta = plm_tree_map();
	cJSON *spec = plm_tree_map();
	cJSON *template = plm_tree_map();
	cJSON *job = plm_tree_map();

	put_meta(meta, start);
	put_spec(spec, start);
	plm_tree_put(template, plm_slice_str("metadata"), meta);
	plm_tree_put(template, plm_slice_str("spec"), spec);
	plm_tree_put_text(job, "name", start->name);
	plm_tree_put(job, plm_slice_str("template"), in_map("spec", in_map("template", template)));
	return job;
}

static cJSON *runtime_patch(struct plm_vec starts)
{
	const struct plm_w_start_set *list = starts.ptr;
	cJSON *jobs = plm_tree_list();
	cJSON *patch = plm_tree_map();

	for (size_t i = 0; i < starts.count; i++) {
		plm_tree_add(jobs, replicated_job(&list[i]));
	}
	plm_tree_put_string(patch, "manager", RUNTIME_MANAGER);
	plm_tree_put(patch, plm_slice_str("trainingRuntimeSpec"),
		     in_map("template", in_map("spec", in_map("replicatedJobs", jobs))));
	return patch;
}

static void trainer(const struct plm_vec *starts, struct plm_patch *patch)
{
	const cJSON *had = plm_tree_at(patch->work, "spec.runtimePatches");
	cJSON *list = plm_tree_list();

	for (const cJSON *at = had == NULL ? NULL : had->child; at != NULL; at = at->next) {
		if (!plm_tree_is(at, "manager", RUNTIME_MANAGER)) {
			plm_tree_add(list, plm_tree_copy(at));
		}
	}
	if (starts != NULL) {
		plm_tree_add(list, runtime_patch(*starts));
	}
	if (list->child == NULL) {
		cJSON_Delete(list);
		list = NULL;
	}
	plm_patch_set(patch, "/spec/runtimePatches", list);
}

void plm_encode_told_start(const struct plm_encode *in, enum plm_kind kind, struct plm_vec starts,
			   struct plm_patch *patch)
{
	if (kind == PLM_KIND_APP_WRAPPER) {
		wrapper(in->arena, &starts, patch);
	} else if (kind == PLM_KIND_TRAIN_JOB) {
		trainer(&starts, patch);
	}
}

void plm_encode_told_stop(const struct plm_encode *in, enum plm_kind kind, struct plm_patch *patch)
{
	if (kind == PLM_KIND_APP_WRAPPER) {
		wrapper(in->arena, NULL, patch);
	} else if (kind == PLM_KIND_TRAIN_JOB) {
		trainer(NULL, patch);
	}
}
