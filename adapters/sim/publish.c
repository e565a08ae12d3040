/*
 * publish.c - objects and statuses that the engine writes: Workloads, queues, claims, pools, classes
 *
 * As on a real API server a status is written whole and its times have whole seconds, what does not change
 * is already done, and each write comes back by the watch. Ours to look at: that nobody asks for a write
 * that says what the one before it said (P1), and that no two are under way for one object (P2: check.c).
 */
#include "adapters/sim/world.h"

static void answer(struct plm_w_result *out, enum plm_result_class class, const char *code)
{
	out->class = class;
	out->code = plm_slice_str(code);
}

static int64_t seconds(int64_t ms)
{
	return ms == PLM_UNSET ? PLM_UNSET : ms - ms % PLM_MS_PER_SECOND;
}

/* ---- Workloads for jobs -------------------------------------------------------------------------- */

/* A pod of the group that plays 'role'; any with an empty one. */
static struct plm_sim_object *member(struct plm_world *w, struct plm_slice ns,
				     struct plm_slice group, struct plm_slice role)
{
	PLM_SIM_EACH(w, PLM_KIND_POD, pod)
	{
		if (plm_slice_equal(pod->of.meta->ns, ns) &&
		    plm_slice_equal(pod->of.pod->group, group) &&
		    (role.size == 0 || plm_slice_equal(pod->of.pod->role, role))) {
			return pod;
		}
	}
	return NULL;
}

static struct plm_sim_object *owner_of(struct plm_world *w,
				       const struct plm_w_req_workload_create *request)
{
	struct plm_sim_object *owner =
		request->owner_kind == PLM_KIND_POD_GROUP
			? member(w, request->ns, request->owner, (struct plm_slice){0})
			: plm_sim_find(w, (enum plm_kind)request->owner_kind, request->ns,
				       request->owner);

	if (owner == NULL || (request->owner_kind != PLM_KIND_POD_GROUP &&
			      !plm_slice_equal(owner->of.meta->uid, request->owner_uid))) {
		return NULL;
	}
	return owner;
}

static struct plm_w_pod_set_spec spec_of(struct plm_world *w,
					 const struct plm_w_req_workload_create *request,
					 const struct plm_sim_object *owner, struct plm_slice name)
{
	const struct plm_w_pod_set_spec *specs = NULL;
	const struct plm_sim_object *pod = NULL;

	if (request->owner_kind == PLM_KIND_POD_GROUP) {
		pod = member(w, request->ns, request->owner, name);
		return (struct plm_w_pod_set_spec){
			.min_count = PLM_UNSET,
			.labels = pod == NULL ? (struct plm_vec){0} : pod->of.meta->labels,
			.shape = pod == NULL ? (struct plm_w_shape){.priority = PLM_UNSET}
					     : pod->of.pod->shape,
		};
	}
	specs = owner->of.job->pod_sets.ptr;
	for (size_t i = 0; i < owner->of.job->pod_sets.count; i++) {
		if (plm_slice_equal(specs[i].name, name)) {
			return specs[i];
		}
	}
	return (struct plm_w_pod_set_spec){.min_count = PLM_UNSET, .shape.priority = PLM_UNSET};
}

static struct plm_vec sets_of(struct plm_world *w, const struct plm_w_req_workload_create *request,
			      const struct plm_sim_object *owner)
{
	const struct plm_w_pod_count *from = request->pod_sets.ptr;
	size_t count = request->pod_sets.count;
	struct plm_w_pod_set_spec *out = PLM_NEW_ARRAY(&w->arena, count, struct plm_w_pod_set_spec);

	for (size_t i = 0; i < count; i++) {
		out[i] = spec_of(w, request, owner, from[i].name);
		out[i].name = from[i].name;
		out[i].count = from[i].count;
	}
	return (struct plm_vec){out, count};
}

static void make(struct plm_world *w, const struct plm_w_req_workload_create *request,
		 struct plm_sim_object *owner)
{
	struct plm_w_workload *workload = PLM_NEW(&w->arena, struct plm_w_workload);
	bool group =
		request->owner_kind == PLM_KIND_POD_GROUP; /* its pods own it, none controls it */

	*workload = (struct plm_w_workload){
		.meta = {.ns = request->ns,
			 .name = request->name,
			 .created_ms = seconds(w->now_ms),
			 .deleting_ms = PLM_UNSET,
			 .labels = request->labels},
		.queue = request->queue,
		.priority = request->priority,
		.priority_class = request->priority_class,
		.active = request->active,
		.pod_sets = sets_of(w, request, owner),
		.reserved_ms = PLM_UNSET,
		.admitted_ms = PLM_UNSET,
		.evicted_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.finished_ms = PLM_UNSET,
		.max_execution_s = request->max_execution_s,
		.pods_ready_ms = PLM_UNSET,
	};
	if (!group) {
		workload->meta.owner_kind =
			plm_slice_str(plm_names_text(&plm_names_kind, request->owner_kind));
		workload->meta.owner_name = request->owner;
		workload->meta.owner_uid = request->owner_uid;
	}
	plm_sim_adopt(owner, plm_sim_create(w, PLM_KIND_WORKLOAD, PLM_EV_WORKLOAD, workload));
	w->stats.created++;
}

void plm_sim_workload_create(struct plm_world *w, const struct plm_effect *effect,
			     struct plm_w_result *out)
{
	const struct plm_w_req_workload_create *request = effect->request;
	const struct plm_sim_object *had =
		plm_sim_find(w, PLM_KIND_WORKLOAD, request->ns, request->name);
	struct plm_sim_object *owner = owner_of(w, request);

	if (had != NULL) {
		answer(out,
		       plm_slice_equal(had->of.meta->owner_uid, request->owner_uid)
			       ? PLM_RESULT_ALREADY_DONE
			       : PLM_RESULT_CONFLICT,
		       "AlreadyExists");
		return;
	}
	if (owner == NULL) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	make(w, request, owner);
	answer(out, PLM_RESULT_DONE, "");
}

/* ---- the status of Workloads --------------------------------------------------------------------- */

static const struct plm_w_condition *condition(struct plm_vec conditions, const char *type)
{
	const struct plm_w_condition *list = conditions.ptr;

	for (size_t i = 0; i < conditions.count; i++) {
		if (plm_slice_is(list[i].type, type)) {
			return &list[i];
		}
	}
	return NULL;
}

static bool is_true(const struct plm_w_condition *condition)
{
	return condition != NULL && plm_slice_is(condition->status, "True");
}

/* Its lastTransitionTime when it is True; one that was True already keeps its time. */
static int64_t since(const struct plm_world *w, const struct plm_w_condition *condition,
		     int64_t had_ms)
{
	if (!is_true(condition)) {
		return PLM_UNSET;
	}
	if (condition->since_ms != PLM_UNSET) {
		return seconds(condition->since_ms);
	}
	return had_ms != PLM_UNSET ? had_ms : seconds(w->now_ms);
}

static struct plm_slice reason_if(bool on, const struct plm_w_condition *condition)
{
	return on ? condition->reason : (struct plm_slice){0};
}

/* The word of a check's controller stands when it is newer: those of 'now' are ours. */
static struct plm_vec checks_after(struct plm_world *w, struct plm_vec had, struct plm_vec now)
{
	const struct plm_w_check_status *from = now.ptr;
	struct plm_w_check_status *list =
		PLM_NEW_ARRAY(&w->arena, now.count, struct plm_w_check_status);

	for (size_t i = 0; i < now.count; i++) {
		const struct plm_w_check_status *theirs = plm_sim_check_called(had, from[i].name);

		list[i] = from[i];
		list[i].since_ms = seconds(from[i].since_ms);
		if (theirs != NULL && theirs->since_ms >= list[i].since_ms) {
			list[i] = *theirs;
		}
	}
	return (struct plm_vec){list, now.count};
}

static void conditions_into(struct plm_world *w, struct plm_w_workload *to, struct plm_vec list)
{
	const struct plm_w_condition *requeued = condition(list, "Requeued");
	const struct plm_w_condition *ready = condition(list, "PodsReady");
	const struct plm_w_condition *evicted = condition(list, "Evicted");
	const struct plm_w_condition *finished = condition(list, "Finished");

	to->reserved_ms = since(w, condition(list, "QuotaReserved"), to->reserved_ms);
	to->admitted_ms = since(w, condition(list, "Admitted"), to->admitted_ms);
	to->evicted_ms = since(w, evicted, to->evicted_ms);
	to->evicted_reason = reason_if(is_true(evicted), evicted);
	to->finished_ms = since(w, finished, to->finished_ms);
	to->finished_reason = reason_if(is_true(finished), finished);
	to->requeued = requeued == NULL ? 0 : is_true(requeued) ? 1 : -1;
	to->requeued_reason = reason_if(requeued != NULL, requeued);
	to->pods_ready = ready == NULL ? 0 : is_true(ready) ? 1 : -1;
	to->pods_ready_reason = reason_if(ready != NULL, ready);
	to->pods_ready_ms = ready == NULL ? PLM_UNSET : seconds(ready->since_ms);
}

static void status_into(struct plm_world *w, struct plm_w_workload *to,
			const struct plm_w_req_workload_status *request)
{
	to->cluster_queue = request->cluster_queue;
	to->assignments = request->assignments;
	conditions_into(w, to, request->conditions);
	to->checks = checks_after(w, to->checks, request->checks);
	to->reclaimable = request->reclaimable;
	to->unhealthy = request->unhealthy;
	to->requeue_count = request->requeue_count == PLM_UNSET ? 0 : request->requeue_count;
	to->requeue_at_ms = seconds(request->requeue_at_ms);
	to->past_execution_s = request->past_execution_s;
}

struct subject {
	int64_t kind;
	struct plm_slice ns, name;
};

/* False: it writes no status. */
static bool subject_of(const struct plm_effect *effect, struct subject *out)
{
	const struct plm_w_req_workload_status *workload = effect->request;
	const struct plm_w_req_queue_status *queue = effect->request;
	const struct plm_w_req_claim_status *claim = effect->request;
	const struct plm_w_req_pool_status *pool = effect->request;
	const struct plm_w_req_class_status *class = effect->request;

	switch ((uint32_t)effect->call) {
	case PLM_CALL_WORKLOAD_STATUS:
		*out = (struct subject){PLM_KIND_WORKLOAD, workload->ns, workload->name};
		return true;
	case PLM_CALL_QUEUE_STATUS:
		*out = (struct subject){queue->kind, queue->ns, queue->name};
		return true;
	case PLM_CALL_CLAIM_STATUS:
		*out = (struct subject){PLM_KIND_NODE_CLAIM, {0}, claim->name};
		return true;
	case PLM_CALL_POOL_STATUS:
		*out = (struct subject){PLM_KIND_NODE_POOL, {0}, pool->name};
		return true;
	case PLM_CALL_CLASS_STATUS:
		*out = (struct subject){PLM_KIND_NODE_CLASS, {0}, class->name};
		return true;
	default:
		return false;
	}
}

void plm_sim_check_alone(struct plm_world *w, const struct plm_effect *effect)
{
	struct subject mine = {0};
	struct subject other = {0};

	if (!subject_of(effect, &mine)) {
		return;
	}
	for (size_t i = 0; i < w->flying_count; i++) {
		const struct plm_effect *flying = &w->flying[i]->effect;

		if (!w->flying[i]->orphan && flying->intent != effect->intent &&
		    subject_of(flying, &other) && other.kind == mine.kind &&
		    plm_slice_equal(other.ns, mine.ns) && plm_slice_equal(other.name, mine.name)) {
			plm_sim_broken(w, "P2: intents %llu and %llu write the status of %.*s",
				       (unsigned long long)flying->intent,
				       (unsigned long long)effect->intent, (int)mine.name.size,
				       (const char *)mine.name.ptr);
		}
	}
}

/* The reason of waiting may go from one to another that reads alike: written slowly, and not looked at. */
static bool waits(const struct plm_effect *effect)
{
	const struct plm_w_req_workload_status *request = effect->request;

	return effect->call == PLM_CALL_WORKLOAD_STATUS && request->cluster_queue.size == 0;
}

/* P1: asked for again, what was asked for last and nobody has undone since. */
static void look_at_repetition(struct plm_world *w, const struct plm_sim_object *object,
			       const struct plm_effect *effect)
{
	if (object->wrote_intent != 0 && object->wrote_intent != effect->intent &&
	    object->wrote_version == object->version && !waits(effect) &&
	    plm_slice_equal(object->wrote, effect->frozen)) {
		plm_sim_broken(w, "P1: %s %.*s is written again with what it says already",
			       plm_names_text(&plm_names_call, effect->call),
			       (int)object->of.meta->name.size,
			       (const char *)object->of.meta->name.ptr);
	}
}

static void wrote(struct plm_world *w, struct plm_sim_object *object,
		  const struct plm_effect *effect)
{
	plm_sim_touch(w, object);
	object->wrote = effect->frozen;
	object->wrote_intent = effect->intent;
	object->wrote_version = object->version;
	w->stats.written++;
}

/* Repeated; or it was on its way when its engine died, and the resourceVersion is an old one. */
static void overtaken(const struct plm_sim_object *object, const struct plm_effect *effect,
		      struct plm_w_result *out)
{
	bool same = object->wrote_intent == effect->intent;

	answer(out, same ? PLM_RESULT_ALREADY_DONE : PLM_RESULT_CONFLICT, same ? "" : "Conflict");
}

void plm_sim_workload_status(struct plm_world *w, const struct plm_effect *effect,
			     struct plm_w_result *out)
{
	const struct plm_w_req_workload_status *request = effect->request;
	struct plm_sim_object *object =
		plm_sim_find(w, PLM_KIND_WORKLOAD, request->ns, request->name);

	if (object == NULL || !plm_slice_equal(object->of.meta->uid, request->uid)) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	if (object->wrote_intent >= effect->intent) {
		overtaken(object, effect, out);
		return;
	}
	look_at_repetition(w, object, effect);
	status_into(w, object->of.workload, request);
	wrote(w, object, effect);
	answer(out, PLM_RESULT_DONE, "");
}

/* ---- the status of queues, pools and classes ------------------------------------------------------ */

/* Nothing of it is read back: no projection has a queue's counts, a pool's sums or what a class came to. */
static void status_unread(struct plm_world *w, const struct plm_effect *effect,
			  const struct subject *of, struct plm_slice uid, struct plm_w_result *out)
{
	struct plm_sim_object *object = plm_sim_find(w, (enum plm_kind)of->kind, of->ns, of->name);

	if (object == NULL || !plm_slice_equal(object->of.meta->uid, uid)) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	if (object->wrote_intent >= effect->intent) {
		overtaken(object, effect, out);
		return;
	}
	look_at_repetition(w, object, effect);
	wrote(w, object, effect);
	answer(out, PLM_RESULT_DONE, "");
}

void plm_sim_status_unread(struct plm_world *w, const struct plm_effect *effect,
			   struct plm_w_result *out)
{
	const struct plm_w_req_queue_status *queue = effect->request;
	const struct plm_w_req_pool_status *pool = effect->request;
	const struct plm_w_req_class_status *class = effect->request;
	struct subject of = {0};

	(void)subject_of(effect, &of);
	status_unread(w, effect, &of,
		      effect->call == PLM_CALL_QUEUE_STATUS  ? queue->uid
		      : effect->call == PLM_CALL_POOL_STATUS ? pool->uid
							     : class->uid,
		      out);
}

/* ---- claims -------------------------------------------------------------------------------------- */

static struct plm_vec exprs_of(struct plm_world *w, struct plm_vec needs)
{
	const struct plm_w_claim_need *from = needs.ptr;
	struct plm_w_expr *out = PLM_NEW_ARRAY(&w->arena, needs.count, struct plm_w_expr);

	for (size_t i = 0; i < needs.count; i++) {
		out[i] = (struct plm_w_expr){.key = from[i].key,
					     .op = from[i].op,
					     .values = from[i].values,
					     .min_values = from[i].min_values};
	}
	return (struct plm_vec){out, needs.count};
}

static struct plm_slice note(struct plm_vec notes, const char *key)
{
	const struct plm_w_kv *list = notes.ptr;

	for (size_t i = 0; i < notes.count; i++) {
		if (plm_slice_is(list[i].key, key)) {
			return list[i].value;
		}
	}
	return (struct plm_slice){0};
}

void plm_sim_claim_create(struct plm_world *w, const struct plm_effect *effect,
			  struct plm_w_result *out)
{
	const struct plm_w_req_claim_create *request = effect->request;
	struct plm_sim_object *had =
		plm_sim_find(w, PLM_KIND_NODE_CLAIM, (struct plm_slice){0}, request->name);
	struct plm_w_node_claim *claim = NULL;

	if (had != NULL) {
		answer(out,
		       had->wrote_intent >= effect->intent ? PLM_RESULT_ALREADY_DONE
							   : PLM_RESULT_CONFLICT,
		       "AlreadyExists");
		return;
	}
	claim = PLM_NEW(&w->arena, struct plm_w_node_claim);
	*claim = (struct plm_w_node_claim){
		.meta = {.name = request->name,
			 .created_ms = seconds(w->now_ms),
			 .deleting_ms = PLM_UNSET,
			 .labels = request->labels},
		.pool = request->pool,
		.requirements = exprs_of(w, request->needs),
		.requests = request->requests,
		.taints = request->taints,
		.startup_taints = request->startup_taints,
		.launched_ms = PLM_UNSET,
		.registered_ms = PLM_UNSET,
		.initialized_ms = PLM_UNSET,
		.consolidatable_ms = PLM_UNSET,
		.drifted_ms = PLM_UNSET,
		.grace_ms = request->grace_ms,
		.class_kind = plm_slice_is(request->class_kind, "NodeTemplate")
				      ? PLM_KIND_NODE_TEMPLATE
				      : PLM_KIND_NODE_CLASS,
		.class_name = request->class_name,
		.expire_ms = request->expire_after_ms,
		.pool_hash = note(request->annotations, "karpenter.sh/nodepool-hash"),
		.pool_hash_version =
			note(request->annotations, "karpenter.sh/nodepool-hash-version"),
		.class_hash = note(request->annotations, "karpenter.k8s.aws/ec2nodeclass-hash"),
		.class_hash_version =
			note(request->annotations, "karpenter.k8s.aws/ec2nodeclass-hash-version"),
		.registering_ms = PLM_UNSET,
		.termination_finalizer = 1,
		.pod_event_ms = PLM_UNSET,
	};
	plm_sim_create(w, PLM_KIND_NODE_CLAIM, PLM_EV_NODE_CLAIM, claim)->wrote_intent =
		effect->intent;
	w->stats.created++;
	answer(out, PLM_RESULT_DONE, "");
}

void plm_sim_claim_status(struct plm_world *w, const struct plm_effect *effect,
			  struct plm_w_result *out)
{
	const struct plm_w_req_claim_status *request = effect->request;
	struct plm_sim_object *object =
		plm_sim_find(w, PLM_KIND_NODE_CLAIM, (struct plm_slice){0}, request->name);
	struct plm_w_node_claim *claim = NULL;

	if (object == NULL || !plm_slice_equal(object->of.meta->uid, request->uid)) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	if (object->wrote_intent >= effect->intent) {
		overtaken(object, effect, out);
		return;
	}
	look_at_repetition(w, object, effect);
	claim = object->of.claim;
	claim->meta.labels = plm_sim_merge(w, claim->meta.labels, request->labels);
	claim->provider_id = request->provider_id;
	claim->node = request->node;
	claim->capacity = request->capacity;
	claim->allocatable = request->allocatable;
	claim->launched_ms =
		since(w, condition(request->conditions, "Launched"), claim->launched_ms);
	claim->registered_ms =
		since(w, condition(request->conditions, "Registered"), claim->registered_ms);
	claim->initialized_ms =
		since(w, condition(request->conditions, "Initialized"), claim->initialized_ms);
	claim->consolidatable_ms = since(w, condition(request->conditions, "Consolidatable"),
					 claim->consolidatable_ms);
	wrote(w, object, effect);
	answer(out, PLM_RESULT_DONE, "");
}
