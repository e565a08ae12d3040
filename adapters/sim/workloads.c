/*
 * workloads.c - what is written into Workloads by others than the engine
 */
#include "adapters/sim/world.h"

struct plm_sim_object *plm_sim_job_of_workload(const struct plm_world *w, struct plm_slice ns,
					       struct plm_slice name)
{
	for (size_t i = 0; i < w->work_count; i++) {
		struct plm_sim_object *object = w->work[i];

		if (!object->gone && plm_slice_equal(object->of.meta->ns, ns) &&
		    plm_slice_equal(object->of.job->workload, name)) {
			return object;
		}
	}
	return NULL;
}

const struct plm_w_workload *plm_world_workload(const struct plm_world *w, struct plm_slice ns,
						struct plm_slice name)
{
	const struct plm_sim_object *object = plm_sim_find(w, PLM_KIND_WORKLOAD, ns, name);

	return object == NULL ? NULL : object->of.workload;
}

const struct plm_w_check_status *plm_sim_check_called(struct plm_vec list, struct plm_slice name)
{
	const struct plm_w_check_status *check = list.ptr;

	for (size_t i = 0; i < list.count; i++) {
		if (plm_slice_equal(check[i].name, name)) {
			return &check[i];
		}
	}
	return NULL;
}

/* 'had' with those of 'now', given now, in their place or behind. */
static struct plm_vec laid_over(struct plm_world *w, struct plm_vec had, struct plm_vec now)
{
	const struct plm_w_check_status *old = had.ptr;
	const struct plm_w_check_status *new = now.ptr;
	struct plm_w_check_status *list =
		PLM_NEW_ARRAY(&w->arena, had.count + now.count, struct plm_w_check_status);
	size_t count = 0;

	for (size_t i = 0; i < had.count; i++) {
		const struct plm_w_check_status *other = plm_sim_check_called(now, old[i].name);

		list[count++] = other == NULL ? old[i] : *other;
	}
	for (size_t i = 0; i < now.count; i++) {
		if (plm_sim_check_called(had, new[i].name) == NULL) {
			list[count++] = new[i];
		}
	}
	for (size_t i = 0; i < count; i++) {
		list[i].since_ms = list[i].since_ms == PLM_UNSET ? w->now_ms : list[i].since_ms;
	}
	return (struct plm_vec){list, count};
}

void plm_sim_workload_active(struct plm_world *w, struct plm_sim_object *object, bool active)
{
	struct plm_sim_object *job =
		plm_sim_job_of_workload(w, object->of.meta->ns, object->of.meta->name);

	object->of.workload->active = active ? 1 : 0;
	object->of.meta->generation++;
	if (job != NULL) {
		job->my.job->inactive = !active;
	}
	plm_sim_touch(w, object);
}

static void write_object(struct plm_world *w, struct plm_sim_object *object,
			 const struct plm_w_workload_patch *patch)
{
	struct plm_w_workload *workload = object->of.workload;

	if (patch->active != PLM_UNSET) {
		plm_sim_workload_active(w, object, patch->active == 1);
	}
	workload->checks = laid_over(w, workload->checks, patch->checks);
	if (patch->reclaimable.count > 0) {
		workload->reclaimable = patch->reclaimable;
	}
	object->of.meta->generation++;
	plm_sim_touch(w, object);
}

bool plm_world_patch(struct plm_world *w, const struct plm_w_workload_patch *given)
{
	struct plm_w_workload_patch *patch =
		plm_wire_copy(&plm_type_workload_patch, given, &w->arena);
	struct plm_sim_object *object = plm_sim_find(w, PLM_KIND_WORKLOAD, patch->ns, patch->name);

	plm_sim_disturb(w);
	if (object != NULL) {
		write_object(w, object, patch);
		return true;
	}
	object = plm_sim_job_of_workload(w, patch->ns, patch->name);
	if (object == NULL) {
		return false;
	}
	if (patch->active != PLM_UNSET) {
		object->my.job->inactive = patch->active == 0;
	}
	plm_sim_tell(w, PLM_SOURCE_OPERATOR, PLM_EV_WORKLOAD_PATCH, patch, 0);
	return true;
}
