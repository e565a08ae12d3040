/*
 * kubelet.c - pods on nodes: bound, running, ended, gone; nodes joining and being lost
 */
#include "adapters/sim/world.h"

/* A process that is told to stop ends within this. */
static const struct plm_sim_range grace = {500, 2000};

bool plm_sim_pod_over(const struct plm_sim_object *pod)
{
	return pod->of.pod->phase == PLM_PHASE_SUCCEEDED || pod->of.pod->phase == PLM_PHASE_FAILED;
}

/* ---- pods -------------------------------------------------------------------------------------- */

static void charge(struct plm_world *w, const struct plm_sim_object *pod, int64_t sign)
{
	struct plm_sim_node_state *node = pod->my.pod->node->my.node;
	const int64_t *request = pod->my.pod->template->request;

	for (size_t r = 0; r < w->resource_count; r++) {
		node->used[r] = sign > 0 ? plm_add_sat(node->used[r], request[r])
					 : plm_sub_sat(node->used[r], request[r]);
		w->used_now[r] = sign > 0 ? plm_add_sat(w->used_now[r], request[r])
					  : plm_sub_sat(w->used_now[r], request[r]);
	}
}

void plm_sim_bind(struct plm_world *w, struct plm_sim_object *pod, struct plm_sim_object *node)
{
	static const int64_t daemon_start_ms = 500;
	struct plm_sim_pod *my = pod->my.pod;
	struct plm_sim_node_state *on = node->my.node;
	bool given = pod->of.pod->phase == PLM_PHASE_RUNNING;

	PLM_ASSERT(my->node == NULL && !plm_sim_pod_over(pod));
	plm_sim_wait_drop(w, pod);
	my->node = node;
	my->node_prev = on->last_pod;
	if (on->last_pod != NULL) {
		on->last_pod->my.pod->node_next = pod;
	} else {
		on->pods = pod;
	}
	on->last_pod = pod;
	charge(w, pod, 1);
	my->life++;
	pod->of.pod->node = node->of.meta->name;
	pod->of.pod->scheduled_ms = given ? pod->of.pod->scheduled_ms : w->now_ms;
	pod->of.pod->unschedulable = 0;
	pod->of.pod->no_status = 0;
	w->stats.pods_bound++;
	plm_sim_plan(w,
		     given	  ? 0
		     : my->daemon ? daemon_start_ms
				  : plm_sim_draw(w, w->options.pod_start),
		     PLM_SIM_DUE_POD_START, pod, my->life);
	plm_sim_touch(w, pod);
}

void plm_sim_pod_start(struct plm_world *w, struct plm_sim_object *pod, uint64_t life)
{
	struct plm_sim_pod *my = pod->my.pod;

	if (pod->gone || my->life != life || my->node == NULL) {
		return;
	}
	if (my->node->of.node->ready == 0) {
		return; /* the node is lost; its pods go with it */
	}
	if (!plm_sim_volumes_attached(w, pod)) {
		return;
	}
	pod->of.pod->phase = PLM_PHASE_RUNNING;
	pod->of.pod->ready = 1;
	if (pod->of.pod->started_ms == PLM_UNSET || pod->of.pod->started_ms == 0) {
		pod->of.pod->started_ms = w->now_ms;
	}
	if (my->protect_ms > 0 && pod->of.pod->do_not_disrupt != 0) {
		pod->of.pod->do_not_disrupt = pod->of.pod->started_ms + my->protect_ms;
	}
	if (my->runtime_ms != PLM_UNSET && !w->options.instant) {
		plm_sim_plan(w, my->runtime_ms, PLM_SIM_DUE_POD_FINISH, pod, my->life);
	}
	plm_sim_touch(w, pod);
	if (pod->owner != NULL) {
		plm_sim_sync_later(w, pod->owner);
	}
}

void plm_sim_pod_finish(struct plm_world *w, struct plm_sim_object *pod, uint64_t life)
{
	if (pod->gone || pod->my.pod->life != life) {
		return;
	}
	plm_sim_disturb(w);
	plm_sim_pod_end(w, pod, plm_sim_chance(w, pod->my.pod->fail_percent));
}

static void job_counts(struct plm_sim_object *pod, bool failed)
{
	struct plm_sim_object *owner = pod->owner;
	struct plm_sim_job *my = NULL;

	if (owner == NULL || owner->info->type != PLM_EV_JOB) {
		return;
	}
	my = owner->my.job;
	owner->of.job->failed += failed ? 1 : 0;
	owner->of.job->succeeded += failed ? 0 : 1;
	if (pod->my.pod->set != NULL) {
		pod->my.pod->set->succeeded += failed ? 0 : 1;
	}
	if (my->indexes != NULL) {
		my->indexes[pod->of.pod->index] = failed ? PLM_SIM_INDEX_OPEN : PLM_SIM_INDEX_DONE;
	}
}

void plm_sim_pod_end(struct plm_world *w, struct plm_sim_object *pod, bool failed)
{
	PLM_ASSERT(!plm_sim_pod_over(pod));
	job_counts(pod, failed);
	plm_sim_pod_leave(w, pod);
	pod->of.pod->phase = failed ? PLM_PHASE_FAILED : PLM_PHASE_SUCCEEDED;
	pod->of.pod->ready = 0;
	w->stats.pods_finished++;
	w->stats.pods_failed += failed ? 1 : 0;
	plm_sim_touch(w, pod);
	if (pod->owner != NULL) {
		if (pod->owner->info->type == PLM_EV_JOB && pod->owner->kind != PLM_KIND_POD_SET) {
			plm_sim_touch(w, pod->owner);
		}
		plm_sim_sync_later(w, pod->owner);
	}
}

/* Free what the pod holds: its place on a node or in the scheduler's queue. */
void plm_sim_pod_leave(struct plm_world *w, struct plm_sim_object *pod)
{
	struct plm_sim_pod *my = pod->my.pod;
	struct plm_sim_node_state *on = NULL;

	my->life++;
	plm_sim_wait_drop(w, pod);
	if (my->node == NULL) {
		return;
	}
	on = my->node->my.node;
	charge(w, pod, -1);
	if (my->node_prev != NULL) {
		my->node_prev->my.pod->node_next = my->node_next;
	} else {
		on->pods = my->node_next;
	}
	if (my->node_next != NULL) {
		my->node_next->my.pod->node_prev = my->node_prev;
	} else {
		on->last_pod = my->node_prev;
	}
	my->node = NULL;
	my->node_prev = NULL;
	my->node_next = NULL;
	on->idle_since_ms = w->now_ms;
	plm_sim_volumes_left(w, pod);
	plm_sim_schedule_later(w);
}

void plm_sim_pod_hold(struct plm_world *w, struct plm_sim_object *pod)
{
	if (pod->my.pod->held) {
		return;
	}
	pod->my.pod->held = true;
	if (pod->of.meta->deleting_ms == PLM_UNSET) {
		pod->of.meta->deleting_ms = w->now_ms;
	}
	plm_sim_pod_leave(w, pod);
	plm_sim_touch(w, pod);
}

void plm_sim_pod_finalize(struct plm_world *w, struct plm_sim_object *pod)
{
	pod->of.pod->managed = 0;
	if (pod->my.pod->held) {
		plm_sim_remove(w, pod);
	} else {
		plm_sim_touch(w, pod);
	}
}

static void free_index(struct plm_sim_object *pod)
{
	struct plm_sim_object *owner = pod->owner;

	if (owner != NULL && owner->info->type == PLM_EV_JOB && owner->my.job->indexes != NULL &&
	    !plm_sim_pod_over(pod)) {
		owner->my.job->indexes[pod->of.pod->index] = PLM_SIM_INDEX_OPEN;
	}
}

/* Told to stop while it stops already: it may have less time now. */
static void hurry(struct plm_world *w, struct plm_sim_object *pod, int64_t grace_ms)
{
	if (grace_ms == PLM_UNSET || w->now_ms + grace_ms >= pod->of.meta->deleting_ms) {
		return;
	}
	pod->of.meta->deleting_ms = w->now_ms + grace_ms;
	plm_sim_plan(w, grace_ms, PLM_SIM_DUE_POD_GONE, pod, 0);
	plm_sim_touch(w, pod);
}

void plm_sim_pod_delete_in(struct plm_world *w, struct plm_sim_object *pod, int64_t grace_ms)
{
	int64_t takes_ms = 0;

	if (pod->of.meta->deleting_ms != PLM_UNSET) {
		hurry(w, pod, grace_ms);
		return;
	}
	free_index(pod);
	if (plm_sim_pod_over(pod) || pod->my.pod->node == NULL) {
		plm_sim_remove(w, pod);
		return;
	}
	grace_ms = grace_ms == PLM_UNSET ? pod->of.pod->grace_s * 1000 : grace_ms;
	pod->of.meta->deleting_ms = w->now_ms + grace_ms;
	pod->of.pod->ready = 0;
	pod->my.pod->life++;
	takes_ms = plm_sim_draw(w, grace);
	takes_ms = pod->my.pod->stop_ms > 0 ? pod->my.pod->stop_ms : takes_ms;
	plm_sim_plan(w, plm_min(takes_ms, grace_ms), PLM_SIM_DUE_POD_GONE, pod, 0);
	plm_sim_touch(w, pod);
	if (pod->owner != NULL) {
		plm_sim_sync_later(w, pod->owner);
	}
}

void plm_sim_pod_delete(struct plm_world *w, struct plm_sim_object *pod)
{
	if (pod->of.meta->deleting_ms == PLM_UNSET) {
		plm_sim_pod_delete_in(w, pod, PLM_UNSET);
	}
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static void call_daemon_sets(struct plm_world *w)
{
	PLM_SIM_EACH(w, PLM_KIND_DAEMON_SET, set)
	{
		plm_sim_sync_later(w, set);
	}
}

struct plm_sim_object *plm_sim_node_new(struct plm_world *w, struct plm_w_node *node,
					struct plm_sim_instance *instance)
{
	struct plm_sim_object *object = NULL;

	node->ready = 0;
	object = plm_sim_create(w, PLM_KIND_NODE, PLM_EV_NODE, node);
	object->my.node = PLM_NEW(&w->arena, struct plm_sim_node_state);
	object->my.node->instance = instance;
	object->my.node->joined_ms = w->now_ms;
	object->my.node->idle_since_ms = w->now_ms;
	plm_sim_amounts(w, node->allocatable, object->my.node->allocatable);
	w->node_came = true;
	if (w->strays != NULL) {
		plm_sim_schedule_later(w);
	}
	return object;
}

static struct plm_vec own_labels(struct plm_world *w, const struct plm_sim_node *node)
{
	struct plm_w_kv *own = PLM_NEW_ARRAY(&w->arena, 6, struct plm_w_kv);
	struct plm_vec list = {.ptr = own};

	own[list.count++] =
		(struct plm_w_kv){plm_slice_str("kubernetes.io/arch"), plm_slice_str("amd64")};
	own[list.count++] = (struct plm_w_kv){plm_slice_str("kubernetes.io/hostname"), node->name};
	own[list.count++] =
		(struct plm_w_kv){plm_slice_str("kubernetes.io/os"), plm_slice_str("linux")};
	if (node->instance_type.size > 0) {
		own[list.count++] = (struct plm_w_kv){
			plm_slice_str("node.kubernetes.io/instance-type"), node->instance_type};
	}
	if (node->zone.size > 0) {
		own[list.count++] = (struct plm_w_kv){
			plm_slice_str("topology.kubernetes.io/region"), w->options.region};
		own[list.count++] =
			(struct plm_w_kv){plm_slice_str("topology.kubernetes.io/zone"), node->zone};
	}
	return plm_sim_merge(w, list, node->labels);
}

/* A node holds 110 pods when nobody says otherwise, as a kubelet does. */
static struct plm_vec with_pods(struct plm_world *w, struct plm_vec capacity)
{
	const struct plm_w_amount *list = capacity.ptr;
	struct plm_w_amount *pods = PLM_NEW(&w->arena, struct plm_w_amount);
	struct plm_vec one = {.ptr = pods, .count = 1};

	for (size_t i = 0; i < capacity.count; i++) {
		if (plm_slice_is(list[i].resource, "pods")) {
			return capacity;
		}
	}
	*pods = (struct plm_w_amount){plm_slice_str("pods"), 110};
	return plm_sim_concat(w, sizeof(*pods), capacity, one);
}

enum plm_code plm_world_add_node(struct plm_world *w, const struct plm_sim_node *node,
				 struct plm_error *err)
{
	const struct plm_w_instance_type *type = plm_sim_type(w, node->instance_type);
	struct plm_w_node *wire = PLM_NEW(&w->arena, struct plm_w_node);

	if (node->capacity.count == 0 && type == NULL) {
		return plm_fail(
			err, PLM_E_INPUT, "node %.*s: instance type %.*s is not in the catalogue",
			(int)node->name.size, (const char *)node->name.ptr,
			(int)node->instance_type.size, (const char *)node->instance_type.ptr);
	}
	if (plm_sim_find(w, PLM_KIND_NODE, (struct plm_slice){0}, node->name) != NULL) {
		return plm_fail(err, PLM_E_INPUT, "node %.*s: there are two of that name",
				(int)node->name.size, (const char *)node->name.ptr);
	}
	wire->meta = (struct plm_w_meta){.name = plm_arena_copy(&w->arena, node->name),
					 .created_ms = PLM_UNSET,
					 .deleting_ms = PLM_UNSET,
					 .labels = own_labels(w, node)};
	wire->provider_id = plm_arena_format(&w->arena, "sim:///%.*s", (int)node->name.size,
					     (const char *)node->name.ptr);
	wire->taints = plm_wire_copy_list(&plm_type_taint, node->taints, &w->arena);
	wire->capacity =
		with_pods(w, plm_wire_copy_list(&plm_type_amount, node->capacity, &w->arena));
	wire->allocatable = wire->capacity;
	if (node->capacity.count == 0) {
		wire->capacity = type->capacity;
		wire->allocatable = type->allocatable;
	}
	plm_sim_node_ready(w, plm_sim_node_new(w, wire, NULL));
	return PLM_OK;
}

void plm_sim_node_ready(struct plm_world *w, struct plm_sim_object *node)
{
	if (node->gone || node->of.node->ready != 0) {
		return;
	}
	node->of.node->ready = 1;
	for (size_t r = 0; r < w->resource_count; r++) {
		w->ready_now[r] += node->my.node->allocatable[r];
	}
	plm_sim_touch(w, node);
	call_daemon_sets(w);
	plm_sim_node_drivers(w, node);
	plm_sim_schedule_later(w);
}

/* A node with a finalizer stays, marked as being deleted, until that is taken off it. */
void plm_sim_node_delete(struct plm_world *w, struct plm_sim_object *node)
{
	struct plm_sim_instance *instance = node->my.node->instance;

	if (node->of.node->termination_finalizer != 0) {
		if (node->of.meta->deleting_ms == PLM_UNSET) {
			node->of.meta->deleting_ms = w->now_ms;
			plm_sim_touch(w, node);
		}
		return;
	}
	if (instance != NULL && instance->state < PLM_SIM_SHUTTING_DOWN) {
		instance->node_gone_ms = w->now_ms;
	}
	plm_sim_remove(w, node);
}

void plm_sim_node_finalize(struct plm_world *w, struct plm_sim_object *node)
{
	node->of.node->termination_finalizer = 0;
	if (node->of.meta->deleting_ms != PLM_UNSET) {
		plm_sim_node_delete(w, node);
	} else {
		plm_sim_touch(w, node);
	}
}

/* The node no longer answers: nothing starts on it, and nothing on it counts as ready. */
void plm_sim_node_lost(struct plm_world *w, struct plm_sim_object *node)
{
	struct plm_sim_object *next = NULL;

	if (node->of.node->ready != 0) {
		node->of.node->ready = 0;
		for (size_t r = 0; r < w->resource_count; r++) {
			w->ready_now[r] -= node->my.node->allocatable[r];
		}
		plm_sim_touch(w, node);
	}
	for (struct plm_sim_object *pod = node->my.node->pods; pod != NULL; pod = next) {
		next = pod->my.pod->node_next;
		free_index(pod);
		plm_sim_remove(w, pod);
	}
}

void plm_sim_node_evict_untolerated(struct plm_world *w, struct plm_sim_object *node)
{
	const struct plm_w_taint *taints = node->of.node->taints.ptr;
	struct plm_sim_object *next = NULL;

	for (struct plm_sim_object *pod = node->my.node->pods; pod != NULL; pod = next) {
		next = pod->my.pod->node_next;
		for (size_t t = 0; t < node->of.node->taints.count; t++) {
			struct plm_vec one = {.ptr = &taints[t], .count = 1};

			if (taints[t].effect == PLM_EFFECT_NO_EXECUTE &&
			    !plm_sim_tolerates(pod->of.pod->shape.tolerations, one)) {
				plm_sim_pod_delete(w, pod);
				break;
			}
		}
	}
}
