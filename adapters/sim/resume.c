/*
 * resume.c - the world again, from what a log says was last seen of it
 *
 * A real cluster outlives the engine; this one lives in the daemon's memory and dies with it. Each
 * object comes back with its uid and status, pods on their nodes under their owners, instances under
 * their tokens, so that calls which are repeated after a restart are answered as they would have been.
 * What had not been told when the process died never was.
 */
#include "adapters/sim/world.h"
#include "core/wire_copy.h"

static const struct plm_sim_range grace = {500, 2000};

void plm_world_resume_begin(struct plm_world *w, uint64_t number)
{
	PLM_ASSERT(w->object_number == 0 && w->instance_number == 0);
	w->object_number = number;
	w->version = number;
	w->instance_number = number;
	w->random ^= number * 0x9e3779b97f4a7c15ULL;
}

/* ---- instances --------------------------------------------------------------------------------- */

static enum plm_sim_instance_state state_of(struct plm_slice word)
{
	if (plm_slice_is(word, "pending")) {
		return PLM_SIM_PENDING;
	}
	if (plm_slice_is(word, "running")) {
		return PLM_SIM_RUNNING;
	}
	return plm_slice_is(word, "shutting-down") ? PLM_SIM_SHUTTING_DOWN : PLM_SIM_TERMINATED;
}

/* That of its launch, else what its claim says; NULL: nobody knows what it was. */
static const struct plm_w_req_launch *request_of(struct plm_world *w,
						 const struct plm_sim_resumed_instance *resumed)
{
	const struct plm_w_instance *fact = resumed->fact;
	const struct plm_sim_object *claim = NULL;

	if (resumed->launch != NULL) {
		return plm_wire_copy(&plm_type_req_launch, resumed->launch->request, &w->arena);
	}
	claim = plm_sim_find(w, PLM_KIND_NODE_CLAIM, (struct plm_slice){0}, fact->claim);
	if (claim == NULL || !plm_slice_equal(claim->of.claim->provider_id, fact->provider_id)) {
		return NULL;
	}
	return plm_sim_claim_request(w, claim->of.claim);
}

void plm_world_resume_instance(struct plm_world *w, const struct plm_sim_resumed_instance *resumed)
{
	const struct plm_w_instance *fact = resumed->fact;
	const struct plm_w_offer offer = {
		.instance_type = plm_arena_copy(&w->arena, fact->instance_type),
		.zone = plm_arena_copy(&w->arena, fact->zone),
		.capacity_type = plm_arena_copy(&w->arena, fact->capacity_type),
		.reservation = plm_arena_copy(&w->arena, fact->reservation),
		.image = PLM_UNSET,
		.pods = PLM_UNSET};
	const struct plm_w_req_launch *request = request_of(w, resumed);
	struct plm_sim_instance *instance = NULL;

	if (request == NULL || plm_sim_type(w, fact->instance_type) == NULL) {
		return; /* another catalogue: such a machine cannot be played */
	}
	instance = plm_sim_instance_new(w, &offer, request);
	instance->provider_id = plm_arena_copy(&w->arena, fact->provider_id);
	instance->state = state_of(fact->state);
	instance->launched_ms = fact->launched_ms == PLM_UNSET ? w->now_ms : fact->launched_ms;
	instance->ended_ms = instance->state >= PLM_SIM_SHUTTING_DOWN ? w->now_ms : PLM_UNSET;
	instance->node_gone_ms = resumed->joined ? w->now_ms : PLM_UNSET;
	if (resumed->launch != NULL) {
		instance->intent = resumed->launch->intent;
		plm_sim_token_add(w, resumed->launch, instance);
	}
	if (resumed->warning != NULL) {
		plm_sim_warned(w, instance, resumed->warning);
	}
	/* Whoever reads checks of instances begins with those that fail: the engine forgot them. */
	if (resumed->warning != NULL && resumed->warning->kind == PLM_INTERRUPT_IMPAIRED) {
		plm_sim_tell(w, PLM_SOURCE_CLOUD, PLM_EV_INTERRUPTION, resumed->warning, 0);
	}
}

/* ---- objects ----------------------------------------------------------------------------------- */

static void resume_node(struct plm_world *w, struct plm_w_node *node)
{
	struct plm_sim_instance *instance = w->instances;
	bool ready = node->ready != 0;
	struct plm_sim_object *object = NULL;

	while (instance != NULL && (node->provider_id.size == 0 ||
				    !plm_slice_equal(instance->provider_id, node->provider_id))) {
		instance = instance->next;
	}
	object = plm_sim_node_new(w, node, instance);
	if (instance != NULL) {
		instance->node = object;
		instance->node_gone_ms = PLM_UNSET;
		instance->state =
			instance->state == PLM_SIM_PENDING ? PLM_SIM_RUNNING : instance->state;
		ready = ready && instance->state == PLM_SIM_RUNNING;
	}
	if (ready) {
		plm_sim_node_ready(w, object);
	}
}

static struct plm_sim_object *owner_of(struct plm_world *w, const struct plm_w_meta *meta)
{
	int64_t kind = plm_names_find(&plm_names_kind, meta->owner_kind);
	struct plm_sim_object *owner = NULL;

	if (kind <= 0) {
		return NULL;
	}
	owner = plm_sim_find(w, (enum plm_kind)kind, meta->ns, meta->owner_name);
	return owner != NULL && plm_slice_equal(owner->of.meta->uid, meta->owner_uid) ? owner
										      : NULL;
}

static void count_pod(struct plm_sim_object *owner, const struct plm_w_pod *pod)
{
	struct plm_sim_job *job = owner->info->type == PLM_EV_JOB ? owner->my.job : NULL;
	struct plm_sim_set *set = job == NULL ? NULL : plm_sim_set_named(owner, pod->pod_set);

	if (set != NULL) {
		set->serial = plm_max(set->serial, plm_add_sat(pod->index, 1));
	}
	if (set != NULL && pod->phase == PLM_PHASE_SUCCEEDED) {
		set->succeeded++;
	}

	/* What a PodSet has come to is not told, so its pods must say it. */
	if (owner->kind == PLM_KIND_POD_SET) {
		owner->of.job->succeeded += pod->phase == PLM_PHASE_SUCCEEDED;
		owner->of.job->failed += pod->phase == PLM_PHASE_FAILED;
	}

	if (job == NULL || job->indexes == NULL || pod->index < 0 ||
	    (size_t)pod->index >= job->index_count) {
		return;
	}
	if (pod->phase == PLM_PHASE_SUCCEEDED) {
		job->indexes[pod->index] = PLM_SIM_INDEX_DONE;
	} else if (pod->phase != PLM_PHASE_FAILED && pod->meta.deleting_ms == PLM_UNSET) {
		job->indexes[pod->index] = PLM_SIM_INDEX_ACTIVE;
	}
}

/* What is left of its owner's run time. */
static int64_t runtime_left(const struct plm_world *w, const struct plm_w_pod *pod,
			    int64_t runtime_ms)
{
	if (runtime_ms == PLM_UNSET || pod->started_ms == PLM_UNSET || pod->started_ms == 0) {
		return runtime_ms;
	}
	return plm_max(0, pod->started_ms + runtime_ms - w->now_ms);
}

static void resume_pod(struct plm_world *w, struct plm_w_pod *pod,
		       const struct plm_sim_resumed *resumed)
{
	struct plm_sim_object *node =
		plm_sim_find(w, PLM_KIND_NODE, (struct plm_slice){0}, pod->node);
	struct plm_w_pod_set_spec spec = {.labels = pod->meta.labels, .shape = pod->shape};
	struct plm_sim_object *owner = owner_of(w, &pod->meta);
	struct plm_sim_object *object = plm_sim_create(w, PLM_KIND_POD, PLM_EV_POD, pod);
	struct plm_sim_pod *my = PLM_NEW(&w->arena, struct plm_sim_pod);

	object->my.pod = my;
	object->extra = owner == NULL ? resumed->extra : owner->extra;
	my->template = plm_sim_template_new(w, &spec);
	my->template->pod_set = pod->pod_set;
	my->intent = resumed->intent;
	my->runtime_ms = runtime_left(w, pod, object->extra.runtime_ms);
	my->fail_percent = object->extra.fail_percent;
	my->stop_ms = object->extra.stop_ms;
	my->protect_ms = plm_max(0, object->extra.protect_ms);
	if (owner != NULL) {
		my->daemon = owner->kind == PLM_KIND_DAEMON_SET;
		plm_sim_adopt(owner, object);
		if (owner->info->type == PLM_EV_JOB) {
			my->set = plm_sim_set_named(owner, pod->pod_set);
		}
		count_pod(owner, pod);
	}
	if (plm_sim_pod_over(object)) {
		return;
	}
	if (node != NULL) {
		plm_sim_bind(w, object, node);
	} else if (pod->node.size == 0) {
		plm_sim_wait_add(w, object);
	} else {
		plm_sim_stray_add(w, object);
	}
	if (pod->meta.deleting_ms != PLM_UNSET) {
		plm_sim_plan(w, plm_sim_draw(w, grace), PLM_SIM_DUE_POD_GONE, object, 0);
	}
}

static void resume_job(struct plm_world *w, struct plm_sim_object *object,
		       const struct plm_sim_resumed *resumed, int64_t suspended)
{
	struct plm_sim_job *my = object->my.job;
	object->of.job->suspended = suspended;
	if (suspended != 0) {
		return;
	}
	my->start_intent = resumed->intent;
	my->starts = 1;
	if (resumed->start != NULL) {
		plm_sim_job_templates(w, object, resumed->start->pod_sets);
	}
}

void plm_world_resume_object(struct plm_world *w, const struct plm_sim_resumed *resumed)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)resumed->type);
	enum plm_kind kind = plm_sim_kind_of(resumed->type, resumed->payload);
	struct plm_sim_object *object = NULL;
	struct plm_sim_object *owner = NULL;
	void *mine = NULL;
	int64_t suspended = 0;

	PLM_ASSERT(info != NULL);
	if (kind == PLM_KIND_NONE) {
		return;
	}
	mine = plm_wire_copy(info->payload, resumed->payload, &w->arena);
	if (kind == PLM_KIND_NODE) {
		resume_node(w, mine);
	} else if (kind == PLM_KIND_POD) {
		resume_pod(w, mine, resumed);
	} else {
		object = plm_sim_create(w, kind, resumed->type, mine);
		owner = owner_of(w, object->of.meta);
		object->extra = owner == NULL ? resumed->extra : owner->extra;
		if (owner != NULL) {
			plm_sim_adopt(owner, object);
		}
		suspended = info->type == PLM_EV_JOB ? object->of.job->suspended : 0;
		plm_sim_born(w, object);
		if (info->type == PLM_EV_JOB) {
			resume_job(w, object, resumed, suspended);
		}
	}
	plm_arena_reset(&w->scratch);
}

/* A start that the last fact shows already needs no second one. */
static bool is_started(const struct plm_world *w, const struct plm_effect *effect)
{
	const struct plm_w_req_job_start *start = effect->request;
	const struct plm_sim_object *object = NULL;

	if (effect->call == PLM_CALL_JOB_START) {
		object = plm_sim_find(w, (enum plm_kind)start->kind, start->ns, start->name);
	}
	return object != NULL &&
	       (object->of.job->suspended == 0 || object->of.job->end != PLM_JOB_OPEN);
}

void plm_world_resume_effect(struct plm_world *w, const struct plm_effect *effect)
{
	struct plm_sim_effect *done = PLM_NEW(&w->arena, struct plm_sim_effect);

	PLM_ASSERT(effect->call != PLM_CALL_LAUNCH);
	if (is_started(w, effect)) {
		return;
	}
	done->effect = *effect;
	done->effect.request =
		plm_wire_copy(plm_call_request(effect->call), effect->request, &w->arena);
	done->effect.frozen = plm_arena_copy(&w->arena, effect->frozen);
	plm_sim_execute(w, done);
	plm_arena_reset(&w->scratch);
}

/* Neither a boot nor an end that was under way stops because nobody watched. */
static void go_on(struct plm_world *w, struct plm_sim_instance *i)
{
	const struct plm_sim_object *node = i->node;
	int64_t next_ms = plm_sim_draw(w, w->options.boot);

	if (i->state >= PLM_SIM_SHUTTING_DOWN) {
		if (node != NULL) {
			plm_sim_node_lost(w, i->node);
		}
		if (node != NULL || i->state == PLM_SIM_SHUTTING_DOWN) {
			plm_sim_plan(w, next_ms, PLM_SIM_DUE_INSTANCE_GONE, i, 0);
		}
	} else if (node != NULL) {
		if (node->of.node->ready == 0 || i->request->startup_taints.count > 0) {
			plm_sim_plan(w, next_ms, PLM_SIM_DUE_NODE_READY, i, 0);
		}
	} else if (i->node_gone_ms == PLM_UNSET) {
		plm_sim_plan(w, next_ms, PLM_SIM_DUE_NODE_JOIN, i, 0);
		plm_sim_plan(w, plm_add_sat(w->options.boot.max_ms, 1), PLM_SIM_DUE_NODE_READY, i,
			     0);
	}
}

/* What was made together may have been told in part: a pod without its claims, a claim without its instance. */
static void make_whole(struct plm_world *w)
{
	PLM_SIM_EACH(w, PLM_KIND_NODE_CLAIM, claim)
	{
		plm_sim_claim_given(w, claim->of.claim);
	}
	PLM_SIM_EACH(w, PLM_KIND_POD, pod)
	{
		if (!plm_sim_pod_over(pod)) {
			plm_sim_pod_claims(w, pod);
		}
	}
	if (w->first[PLM_KIND_VOLUME_CLAIM] != NULL ||
	    w->first[PLM_KIND_VOLUME_ATTACHMENT] != NULL) {
		plm_sim_plan(w, 0, PLM_SIM_DUE_VOLUMES, NULL, 0);
	}
}

void plm_world_resume_end(struct plm_world *w)
{
	for (struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		go_on(w, i);
	}
	make_whole(w);
	plm_world_relist(w);
}
