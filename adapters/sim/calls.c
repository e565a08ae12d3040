/*
 * calls.c - what the API server does with each call of the engine
 *
 * The uid is the precondition of every write: another uid or no object answers what the table of effects
 * says (gone is done for a removal, a conflict for anything else). A repeated call is already done.
 */
#include "adapters/sim/world.h"

static void answer(struct plm_w_result *out, enum plm_result_class class, const char *code)
{
	out->class = class;
	out->code = plm_slice_str(code);
}

/* The object of a call, or NULL and 'out' is filled. */
static struct plm_sim_object *target(struct plm_world *w, enum plm_kind kind, struct plm_slice ns,
				     struct plm_slice name, struct plm_slice uid)
{
	struct plm_sim_object *object = plm_sim_find(w, kind, ns, name);

	if (object == NULL || (uid.size > 0 && !plm_slice_equal(object->of.meta->uid, uid))) {
		return NULL;
	}
	return object;
}

static void job_start(struct plm_world *w, const struct plm_effect *effect,
		      struct plm_w_result *out)
{
	const struct plm_w_req_job_start *request = effect->request;
	struct plm_sim_object *object =
		target(w, (enum plm_kind)request->kind, request->ns, request->name, request->uid);

	if (object == NULL) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	if (object->my.job->start_intent == effect->intent) {
		answer(out, PLM_RESULT_ALREADY_DONE, "");
		return;
	}
	plm_sim_check_start(w, object, effect);
	object->my.job->start_intent = effect->intent;
	object->my.job->starts++;
	plm_sim_job_templates(w, object, request->pod_sets);
	object->of.job->suspended = 0;
	object->of.meta->generation++;
	plm_sim_touch(w, object);
	plm_sim_sync_later(w, object);
	answer(out, PLM_RESULT_DONE, "");
}

static void job_stop(struct plm_world *w, const struct plm_effect *effect, struct plm_w_result *out)
{
	const struct plm_w_req_job_stop *request = effect->request;
	struct plm_sim_object *object =
		target(w, (enum plm_kind)request->kind, request->ns, request->name, request->uid);

	if (object == NULL) {
		answer(out, PLM_RESULT_ALREADY_DONE, "NotFound");
		return;
	}
	if (object->kind == PLM_KIND_WORKLOAD) {
		answer(out, PLM_RESULT_DONE, ""); /* nobody owns it: nothing runs */
		return;
	}
	if (object->kind == PLM_KIND_POD_SET) {
		object->my.job->stopping = true;
		for (struct plm_sim_object *pod = object->child, *next = NULL; pod != NULL;
		     pod = next) {
			next = pod->sibling_next;
			plm_sim_pod_delete(w, pod);
		}
	} else if (object->of.job->suspended != 0) {
		answer(out, PLM_RESULT_ALREADY_DONE, "");
		return;
	}
	plm_sim_job_templates(w, object, (struct plm_vec){0});
	object->of.job->suspended = 1;
	object->of.meta->generation++;
	plm_sim_touch(w, object);
	plm_sim_sync_later(w, object);
	answer(out, PLM_RESULT_DONE, "");
}

static void pod_create(struct plm_world *w, const struct plm_effect *effect,
		       struct plm_w_result *out)
{
	const struct plm_w_req_pod_create *request = effect->request;
	struct plm_sim_object *owner =
		target(w, PLM_KIND_POD_SET, request->ns, request->owner, request->owner_uid);
	struct plm_sim_object *pod = plm_sim_find(w, PLM_KIND_POD, request->ns, request->name);
	struct plm_sim_template *template = NULL;

	if (owner == NULL) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	if (pod != NULL && pod->my.pod->intent == effect->intent) {
		answer(out, PLM_RESULT_ALREADY_DONE, "AlreadyExists");
		return;
	}
	if (pod != NULL) {
		answer(out, PLM_RESULT_CONFLICT, "AlreadyExists");
		return;
	}
	plm_sim_check_pod(w, owner, effect);
	template = plm_sim_template_with(w, owner->my.job->sets[0].original, request->node_selector,
					 request->tolerations, request->labels);
	template->gate = plm_arena_copy(&w->arena, request->gate);
	owner->of.job->suspended = 0;
	pod = plm_sim_pod_new(w, owner, template, plm_arena_copy(&w->arena, request->name),
			      request->index);
	pod->my.pod->intent = effect->intent;
	plm_sim_wait_add(w, pod);
	plm_sim_sync_later(w, owner);
	answer(out, PLM_RESULT_DONE, "");
}

/* Its own template from now on: no other pod has the same selectors. */
static void pod_ungate(struct plm_world *w, const struct plm_effect *effect,
		       struct plm_w_result *out)
{
	const struct plm_w_req_pod_ungate *request = effect->request;
	struct plm_sim_object *object =
		target(w, PLM_KIND_POD, request->ns, request->name, request->uid);
	struct plm_w_pod *pod = object == NULL ? NULL : object->of.pod;
	const struct plm_slice *had = pod == NULL ? NULL : pod->gates.ptr;
	struct plm_slice *left = NULL;
	size_t count = 0;

	if (pod == NULL) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	left = PLM_NEW_ARRAY(&w->arena, pod->gates.count, struct plm_slice);
	for (size_t i = 0; i < pod->gates.count; i++) {
		if (!plm_slice_equal(had[i], request->gate)) {
			left[count++] = had[i];
		}
	}
	if (count == pod->gates.count) {
		answer(out, PLM_RESULT_ALREADY_DONE, "");
		return;
	}
	pod->gates = (struct plm_vec){left, count};
	pod->gated = count > 0;
	object->my.pod->template =
		plm_sim_template_with(w, object->my.pod->template, request->node_selector,
				      request->tolerations, request->labels);
	pod->shape = object->my.pod->template->shape;
	pod->meta.labels = plm_sim_merge(w, pod->meta.labels, object->my.pod->template->labels);
	plm_sim_touch(w, object);
	plm_sim_schedule_later(w);
	answer(out, PLM_RESULT_DONE, "");
}

static void pod_remove(struct plm_world *w, const struct plm_effect *effect,
		       struct plm_w_result *out)
{
	const struct plm_w_req_pod *request = effect->request;
	struct plm_sim_object *pod =
		target(w, PLM_KIND_POD, request->ns, request->name, request->uid);

	if (pod == NULL ||
	    (pod->of.meta->deleting_ms != PLM_UNSET &&
	     (effect->call == PLM_CALL_POD_EVICT || request->grace_ms == PLM_UNSET))) {
		answer(out, PLM_RESULT_ALREADY_DONE, pod == NULL ? "NotFound" : "");
		return;
	}
	if (effect->call == PLM_CALL_POD_EVICT) {
		plm_sim_evict(w, effect, pod, out);
		return;
	}
	plm_sim_pod_delete_in(w, pod, request->grace_ms);
	answer(out, PLM_RESULT_DONE, "");
}

static void pod_finalize(struct plm_world *w, const struct plm_effect *effect,
			 struct plm_w_result *out)
{
	const struct plm_w_req_pod *request = effect->request;
	struct plm_sim_object *pod =
		target(w, PLM_KIND_POD, request->ns, request->name, request->uid);

	if (pod == NULL || pod->of.pod->managed == 0) {
		answer(out, PLM_RESULT_ALREADY_DONE, pod == NULL ? "NotFound" : "");
		return;
	}
	plm_sim_pod_finalize(w, pod);
	answer(out, PLM_RESULT_DONE, "");
}

static void pod_end(struct plm_world *w, const struct plm_effect *effect, struct plm_w_result *out)
{
	if (effect->call == PLM_CALL_POD_FINALIZE) {
		pod_finalize(w, effect, out);
	} else {
		pod_remove(w, effect, out);
	}
}

static bool same_taint(const struct plm_w_taint *a, const struct plm_w_taint *b)
{
	return plm_slice_equal(a->key, b->key) && a->effect == b->effect;
}

static void node_taint(struct plm_world *w, const struct plm_effect *effect,
		       struct plm_w_result *out)
{
	const struct plm_w_req_node_taint *request = effect->request;
	struct plm_sim_object *node =
		target(w, PLM_KIND_NODE, (struct plm_slice){0}, request->node, request->uid);
	const struct plm_w_taint *had = NULL;
	struct plm_w_taint *list = NULL;
	size_t count = 0;

	if (node == NULL) {
		answer(out, request->remove != 0 ? PLM_RESULT_ALREADY_DONE : PLM_RESULT_CONFLICT,
		       "NotFound");
		return;
	}
	had = node->of.node->taints.ptr;
	list = PLM_NEW_ARRAY(&w->arena, node->of.node->taints.count + 1, struct plm_w_taint);
	for (size_t i = 0; i < node->of.node->taints.count; i++) {
		if (!same_taint(&had[i], &request->taint)) {
			list[count++] = had[i];
		}
	}
	if (request->remove == 0) {
		list[count++] = request->taint;
	}
	node->of.node->taints = (struct plm_vec){.ptr = list, .count = count};
	node->of.meta->labels =
		plm_sim_merge(w, node->of.meta->labels,
			      plm_wire_copy_list(&plm_type_kv, request->labels, &w->arena));
	plm_sim_touch(w, node);
	plm_sim_node_evict_untolerated(w, node);
	plm_sim_schedule_later(w);
	answer(out, PLM_RESULT_DONE, "");
}

static void node_end(struct plm_world *w, const struct plm_effect *effect, struct plm_w_result *out)
{
	const struct plm_w_req_node_delete *request = effect->request;
	struct plm_sim_object *node =
		target(w, PLM_KIND_NODE, (struct plm_slice){0}, request->node, request->uid);

	if (node == NULL) {
		answer(out, PLM_RESULT_ALREADY_DONE, "NotFound");
		return;
	}
	if (effect->call == PLM_CALL_NODE_DELETE) {
		plm_sim_delete(w, node);
	} else {
		plm_sim_node_finalize(w, node);
	}
	answer(out, PLM_RESULT_DONE, "");
}

/* A job or Workload that is deleted, or a Workload whose spec.active becomes false. */
static void work_end(struct plm_world *w, const struct plm_effect *effect, struct plm_w_result *out)
{
	const struct plm_w_req_work *request = effect->request;
	struct plm_sim_object *object =
		target(w, (enum plm_kind)request->kind, request->ns, request->name, request->uid);

	if (object == NULL && effect->call == PLM_CALL_WORKLOAD_DEACTIVATE) {
		object = plm_sim_job_of_workload(w, request->ns, request->name);
		if (object != NULL) {
			object->my.job->inactive = true;
			answer(out, PLM_RESULT_DONE, "");
			return;
		}
	}
	if (object == NULL) {
		answer(out, PLM_RESULT_ALREADY_DONE, "NotFound");
		return;
	}
	if (effect->call != PLM_CALL_WORKLOAD_DEACTIVATE) {
		plm_sim_delete(w, object);
	} else if (object->of.workload->active == 0) {
		answer(out, PLM_RESULT_ALREADY_DONE, "");
		return;
	} else {
		plm_sim_workload_active(w, object, false);
	}
	answer(out, PLM_RESULT_DONE, "");
}

/* Nothing here reads its tags. */
static void instance_tag(struct plm_world *w, const struct plm_w_req_instance_tag *request,
			 struct plm_w_result *out)
{
	bool there = plm_sim_instance_of(w, request->provider_id) != NULL;

	answer(out, there ? PLM_RESULT_DONE : PLM_RESULT_FAILED,
	       there ? "" : "InvalidInstanceID.NotFound");
}

static void execute_cloud(struct plm_world *w, const struct plm_effect *effect,
			  struct plm_w_result *out)
{
	switch ((uint32_t)effect->call) {
	case PLM_CALL_LAUNCH:
		plm_sim_launch(w, effect, out);
		return;
	case PLM_CALL_TERMINATE:
		plm_sim_terminate(w, effect->request, out);
		return;
	case PLM_CALL_INSTANCE_TAG:
		instance_tag(w, effect->request, out);
		return;
	default:
		PLM_UNREACHABLE();
	}
}

/* What was decided, into objects. */
static void execute_written(struct plm_world *w, const struct plm_effect *effect,
			    struct plm_w_result *out)
{
	switch ((uint32_t)effect->call) {
	case PLM_CALL_CLAIM_CREATE:
		plm_sim_claim_create(w, effect, out);
		return;
	case PLM_CALL_CLAIM_STATUS:
		plm_sim_claim_status(w, effect, out);
		return;
	case PLM_CALL_WORKLOAD_CREATE:
		plm_sim_workload_create(w, effect, out);
		return;
	case PLM_CALL_WORKLOAD_STATUS:
		plm_sim_workload_status(w, effect, out);
		return;
	default:
		plm_sim_status_unread(w, effect, out);
		return;
	}
}

void plm_sim_execute(struct plm_world *w, struct plm_sim_effect *flying)
{
	const struct plm_effect *effect = &flying->effect;
	struct plm_w_result *out = &flying->result;

	switch (effect->call) {
	case PLM_CALL_NONE:
		break;
	case PLM_CALL_CLAIM_CREATE:
	case PLM_CALL_CLAIM_STATUS:
	case PLM_CALL_WORKLOAD_CREATE:
	case PLM_CALL_WORKLOAD_STATUS:
	case PLM_CALL_QUEUE_STATUS:
	case PLM_CALL_POOL_STATUS:
	case PLM_CALL_CLASS_STATUS:
		execute_written(w, effect, out);
		return;
	case PLM_CALL_JOB_START:
		job_start(w, effect, out);
		return;
	case PLM_CALL_JOB_STOP:
		job_stop(w, effect, out);
		return;
	case PLM_CALL_POD_CREATE:
		pod_create(w, effect, out);
		return;
	case PLM_CALL_POD_EVICT:
	case PLM_CALL_POD_DELETE:
	case PLM_CALL_POD_FINALIZE:
		pod_end(w, effect, out);
		return;
	case PLM_CALL_POD_UNGATE:
		pod_ungate(w, effect, out);
		return;
	case PLM_CALL_LAUNCH:
	case PLM_CALL_TERMINATE:
	case PLM_CALL_INSTANCE_TAG:
		execute_cloud(w, effect, out);
		return;
	case PLM_CALL_NODE_TAINT:
		node_taint(w, effect, out);
		return;
	case PLM_CALL_NODE_DELETE:
	case PLM_CALL_NODE_FINALIZE:
		node_end(w, effect, out);
		return;
	case PLM_CALL_JOB_DELETE:
	case PLM_CALL_WORKLOAD_DELETE:
	case PLM_CALL_WORKLOAD_DEACTIVATE:
		work_end(w, effect, out);
		return;
	case PLM_CALL_NODE_SYNC:
		plm_sim_node_sync(w, effect, out);
		return;
	case PLM_CALL_ANNOTATE:
		plm_sim_annotate(w, effect, out);
		return;
	case PLM_CALL_CLAIM_DELETE:
		plm_sim_claim_delete(w, effect, out);
		return;
	case PLM_CALL_CLAIM_FINALIZE:
		plm_sim_claim_finalize(w, effect, out);
		return;
	}
	PLM_UNREACHABLE();
}
