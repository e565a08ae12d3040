/*
 * check.c - what the embedded ends know to be broken: S1, S4, S5, S12, L1, L3, L5
 *
 * Everything here is judged by the world's own truth and by what the ports said, never by the engine's
 * memory. The first broken invariant is kept in words, all are counted.
 */
#include "adapters/sim/world.h"

#include <stdarg.h>
#include <stdio.h>

/* An instance without a node, or whose node was deleted, may live this long. */
#define ORPHAN_MS (5 * PLM_MS_PER_MINUTE)
/* The longest boot that is still a boot. */
#define BOOT_MAX_MS (20 * PLM_MS_PER_MINUTE)
/* With nothing new from outside for this long, effects must have ended; a few may straggle. */
#define CALM_MS (60 * PLM_MS_PER_MINUTE)
#define CALM_EFFECTS 200
#define PAUSE_MS (15 * PLM_MS_PER_MINUTE)
/* A gang may be incomplete for this long, while its pods are made or replaced. */
#define PARTIAL_MS (10 * PLM_MS_PER_MINUTE)

void plm_sim_broken(struct plm_world *w, const char *format, ...)
{
	va_list args;

	w->violations++;
	if (w->violations > 1) {
		return;
	}
	va_start(args, format);
	(void)vsnprintf(w->violation, sizeof(w->violation), format, args);
	va_end(args);
}

const char *plm_world_violation(const struct plm_world *w)
{
	return w->violations == 0 ? NULL : w->violation;
}

uint64_t plm_world_violations(const struct plm_world *w)
{
	return w->violations;
}

/* S5: the INTENT of an effect is durable before the effect leaves. L5: effects come to an end. */
void plm_sim_check_submit(struct plm_world *w, const struct plm_effect *effect)
{
	if (effect->intent == 0 || effect->intent > w->durable) {
		plm_sim_broken(w, "S5: effect %s of intent %llu left while only %llu was durable",
			       plm_names_text(&plm_names_call, effect->call),
			       (unsigned long long)effect->intent, (unsigned long long)w->durable);
	}
	plm_sim_check_alone(w, effect);
	if (w->now_ms - w->last_effect_ms > PAUSE_MS) {
		w->calm_effects = 0; /* what is tried again after a long wait is no loop */
	}
	w->last_effect_ms = w->now_ms;
	if (w->now_ms - w->disturbed_ms > CALM_MS && ++w->calm_effects == CALM_EFFECTS) {
		plm_sim_broken(
			w,
			"L5: %d effects since nothing has happened for an hour, the last: %s "
			"of intent %llu",
			CALM_EFFECTS, plm_names_text(&plm_names_call, effect->call),
			(unsigned long long)effect->intent);
	}
}

/* S1: no two live instances of one intent. */
void plm_sim_check_launch(struct plm_world *w, const struct plm_effect *effect)
{
	/* Intents grow: one that is above all that were launched was not launched. */
	if (w->most_intent != 0 && effect->intent > w->most_intent) {
		w->most_intent = effect->intent;
		return;
	}
	w->most_intent = effect->intent;
	for (const struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		w->most_intent = i->intent > w->most_intent ? i->intent : w->most_intent;
	}
	for (const struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		if (i->intent == effect->intent && i->state < PLM_SIM_SHUTTING_DOWN) {
			plm_sim_broken(w, "S1: intent %llu launches again while %.*s lives",
				       (unsigned long long)effect->intent, (int)i->provider_id.size,
				       (const char *)i->provider_id.ptr);
		}
	}
}

/* S12: an instance that is not about to be taken anyway is not ended under work. */
void plm_sim_check_terminate(struct plm_world *w, const struct plm_sim_instance *instance)
{
	const struct plm_sim_object *pod = NULL;

	if (instance->node == NULL || instance->node->gone || instance->warned) {
		return;
	}
	for (pod = instance->node->my.node->pods; pod != NULL; pod = pod->my.pod->node_next) {
		if (!pod->my.pod->daemon && pod->of.meta->deleting_ms == PLM_UNSET &&
		    pod->of.pod->phase == PLM_PHASE_RUNNING) {
			plm_sim_broken(
				w, "S12: %.*s is terminated while pod %.*s/%.*s runs on it",
				(int)instance->provider_id.size,
				(const char *)instance->provider_id.ptr, (int)pod->of.meta->ns.size,
				(const char *)pod->of.meta->ns.ptr, (int)pod->of.meta->name.size,
				(const char *)pod->of.meta->name.ptr);
			return;
		}
	}
}

/* S4: nothing is started twice, and nothing that has ended is started again. */
void plm_sim_check_start(struct plm_world *w, const struct plm_sim_object *job,
			 const struct plm_effect *effect)
{
	const char *what = job->of.job->end != PLM_JOB_OPEN ? "it has finished"
			   : job->kind != PLM_KIND_POD_SET && job->of.job->suspended == 0
				   ? "it runs already"
				   : NULL;

	if (what != NULL) {
		plm_sim_broken(w, "S4: intent %llu starts %s %.*s/%.*s, but %s",
			       (unsigned long long)effect->intent,
			       plm_names_text(&plm_names_kind, job->kind),
			       (int)job->of.meta->ns.size, (const char *)job->of.meta->ns.ptr,
			       (int)job->of.meta->name.size, (const char *)job->of.meta->name.ptr,
			       what);
	}
}

void plm_sim_check_pod(struct plm_world *w, const struct plm_sim_object *owner,
		       const struct plm_effect *effect)
{
	const struct plm_w_req_pod_create *request = effect->request;

	if (owner->of.job->end != PLM_JOB_OPEN || request->index < 0 ||
	    request->index >= owner->of.job->parallelism) {
		plm_sim_broken(w, "S4: intent %llu makes pod %.*s of PodSet %.*s/%.*s, which %s",
			       (unsigned long long)effect->intent, (int)request->name.size,
			       (const char *)request->name.ptr, (int)owner->of.meta->ns.size,
			       (const char *)owner->of.meta->ns.ptr, (int)owner->of.meta->name.size,
			       (const char *)owner->of.meta->name.ptr,
			       owner->of.job->end != PLM_JOB_OPEN ? "has finished"
								  : "has no such index");
	}
}

/* ---- as time goes by --------------------------------------------------------------------------- */

static bool cloud_consistent(const struct plm_world *w)
{
	return !plm_sim_is_down(w, PLM_SIM_EC2_DOWN) &&
	       !plm_sim_is_down(w, PLM_SIM_API_SERVER_DOWN) &&
	       w->now_ms - w->disturbed_ms > ORPHAN_MS;
}

/* L3: no instance of ours lives on without a node. */
static void check_orphans(struct plm_world *w)
{
	for (struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		bool deleted =
			i->node_gone_ms != PLM_UNSET && w->now_ms - i->node_gone_ms > ORPHAN_MS;
		bool never = i->node == NULL && w->now_ms - i->launched_ms > BOOT_MAX_MS;

		if (i->state < PLM_SIM_SHUTTING_DOWN && (deleted || never)) {
			plm_sim_broken(w, "L3: %.*s of intent %llu lives without a node",
				       (int)i->provider_id.size, (const char *)i->provider_id.ptr,
				       (unsigned long long)i->intent);
			i->node_gone_ms = INT64_MAX; /* told once */
			i->launched_ms = w->now_ms;
		}
	}
}

/* S4: a gang is all or nothing, once 'patience_ms' have passed. */
static void check_gangs(struct plm_world *w, int64_t patience_ms)
{
	PLM_SIM_EACH(w, PLM_KIND_POD_SET, set)
	{
		struct plm_sim_job *my = set->my.job;

		if (my->partial_since_ms == PLM_UNSET || my->stopping ||
		    w->now_ms - plm_max(my->partial_since_ms, w->disturbed_ms) < patience_ms) {
			continue;
		}
		plm_sim_broken(w, "S4: PodSet %.*s/%.*s has %lld of %lld pods",
			       (int)set->of.meta->ns.size, (const char *)set->of.meta->ns.ptr,
			       (int)set->of.meta->name.size, (const char *)set->of.meta->name.ptr,
			       (long long)set->of.job->active, (long long)set->of.job->parallelism);
		my->partial_since_ms = PLM_UNSET;
	}
}

void plm_sim_check_time(struct plm_world *w)
{
	if (w->options.plain || w->options.instant) {
		return;
	}
	if (cloud_consistent(w)) {
		check_orphans(w);
	}
	check_gangs(w, PARTIAL_MS);
}

/* ---- at the end -------------------------------------------------------------------------------- */

/*
 * L1, as far as a world without an oracle can say: when nothing runs and nothing is on its way, a Job or
 * PodSet that fits its queue's guaranteed quota alone, and whose pods all fit on ready nodes or on nodes
 * that a pool of the simple dialect may buy, must not wait.
 */
static bool fits_nodes(struct plm_world *w, const struct plm_sim_object *job)
{
	const struct plm_sim_template *template = job->my.job->sets[0].original;
	int64_t left = job->of.job->parallelism;

	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		int64_t holds = INT64_MAX;

		if (node->of.node->ready == 0 || node->of.node->unschedulable != 0 ||
		    !plm_sim_node_matches(&template->shape, node->of.node) ||
		    !plm_sim_tolerates(template->shape.tolerations, node->of.node->taints)) {
			continue;
		}
		for (size_t r = 0; r < w->resource_count; r++) {
			int64_t free = node->my.node->allocatable[r] - node->my.node->used[r];

			if (template->request[r] > 0) {
				holds = plm_min(holds, plm_div_floor(plm_max(0, free),
								     template->request[r]));
			}
		}
		left -= plm_min(left, holds);
	}
	return left <= 0;
}

static const struct plm_w_cluster_queue *queue_of(const struct plm_world *w,
						  const struct plm_sim_object *job)
{
	const struct plm_sim_object *local =
		plm_sim_find(w, PLM_KIND_LOCAL_QUEUE, job->of.meta->ns, job->of.job->queue);
	const struct plm_w_local_queue *queue = local == NULL ? NULL : local->of.payload;
	const struct plm_sim_object *cluster = NULL;
	const struct plm_sim_object *work = NULL;
	struct plm_slice name = {0};

	if (queue == NULL || queue->stop != PLM_STOP_NONE) {
		return NULL;
	}
	name = queue->cluster_queue;
	if (name.size == 0) {
		work = plm_sim_find(w, PLM_KIND_WORK_QUEUE, (struct plm_slice){0},
				    queue->work_queue);
		name = work == NULL
			       ? name
			       : ((const struct plm_w_work_queue *)work->of.payload)->cluster_queue;
	}
	cluster = plm_sim_find(w, PLM_KIND_CLUSTER_QUEUE, (struct plm_slice){0}, name);
	return cluster == NULL ? NULL : cluster->of.payload;
}

/* Every requested resource has one flavor whose nominal quota holds the whole Job. */
static bool fits_quota(struct plm_world *w, const struct plm_w_cluster_queue *queue,
		       const struct plm_sim_object *job)
{
	const struct plm_w_group *groups = queue->groups.ptr;
	const struct plm_w_flavor_quota *flavor = NULL;
	const struct plm_w_quota *quotas = NULL;
	const int64_t *request = job->my.job->sets[0].original->request;
	size_t covered = 0;
	size_t wanted = 0;

	if (queue->stop != PLM_STOP_NONE || queue->misconfigured.size > 0 ||
	    queue->strategy == PLM_STRATEGY_STRICT_FIFO || /* an older one may bar the way */
	    queue->checks.count > 0 || queue->groups.count != 1 || groups[0].flavors.count != 1 ||
	    queue->ns_selector.present == 0 || queue->ns_selector.exprs.count > 0) {
		return false;
	}
	flavor = groups[0].flavors.ptr;
	quotas = flavor->quotas.ptr;
	for (size_t r = 1; r < w->resource_count; r++) { /* 0 is "pods" */
		wanted += request[r] > 0;
		for (size_t q = 0; q < flavor->quotas.count; q++) {
			covered += request[r] > 0 &&
				   plm_slice_equal(quotas[q].resource, w->resources[r]) &&
				   plm_mul_sat(request[r], job->of.job->parallelism) <=
					   quotas[q].nominal;
		}
	}
	return covered == wanted;
}

static bool anything_runs(struct plm_world *w)
{
	PLM_SIM_EACH(w, PLM_KIND_POD, pod)
	{
		if (!plm_sim_pod_over(pod) && !pod->my.pod->daemon) {
			return true;
		}
	}
	return w->flying_count > 0;
}

/* ---- nodes that could be bought ---- */

static bool is_in_stock(struct plm_world *w, const struct plm_w_instance_type *type)
{
	const struct plm_w_offering *list = type->offerings.ptr;

	for (size_t i = 0; i < type->offerings.count; i++) {
		struct plm_w_offer offer = plm_sim_offer(type->name, &list[i]);

		if (plm_slice_is(offer.capacity_type, "on-demand") &&
		    plm_sim_offering(w, &offer) != NULL &&
		    plm_sim_out_of_stock(w, &offer).size == 0) {
			return true;
		}
	}
	return false;
}

static bool a_type_holds(struct plm_world *w, const struct plm_w_node_class *class,
			 const struct plm_sim_template *template)
{
	const struct plm_slice *names = class->instance_types.ptr;

	for (size_t t = 0; t < class->instance_types.count; t++) {
		const struct plm_w_instance_type *type = plm_sim_type(w, names[t]);
		int64_t room[PLM_SIM_RESOURCES];
		bool holds = type != NULL && is_in_stock(w, type);

		for (size_t r = 0; holds && r < w->resource_count; r++) {
			if (r == 0) {
				plm_sim_amounts(w, type->allocatable, room);
			}
			holds = template->request[r] <= room[r];
		}
		if (holds) {
			return true;
		}
	}
	return false;
}

static int64_t live_instances(const struct plm_world *w)
{
	int64_t count = 0;

	for (const struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		count += i->state < PLM_SIM_SHUTTING_DOWN;
	}
	return count;
}

static bool fits_pools(struct plm_world *w, const struct plm_sim_object *job)
{
	const struct plm_sim_template *template = job->my.job->sets[0].original;
	const struct plm_w_shape *shape = &template->shape;

	if (!template->simple || shape->node_selector.count > 0 || shape->required_present != 0) {
		return false;
	}
	PLM_SIM_EACH(w, PLM_KIND_NODE_POOL, object)
	{
		const struct plm_w_node_pool *pool = object->of.payload;
		const struct plm_sim_object *class = plm_sim_find(
			w, PLM_KIND_NODE_TEMPLATE, (struct plm_slice){0}, pool->class_name);
		bool room = pool->max_size == PLM_UNSET ||
			    pool->max_size >= live_instances(w) + job->of.job->parallelism;

		if (pool->dialect != 0 && pool->not_ready.size == 0 && room &&
		    pool->limits.count == 0 && pool->requirements.count == 0 && class != NULL &&
		    plm_sim_tolerates(shape->tolerations, pool->taints) &&
		    a_type_holds(w, class->of.payload, template)) {
			return true;
		}
	}
	return false;
}

/* Its pods are counted for what is written, and for no more than they limit themselves to. */
static bool is_counted_plainly(struct plm_world *w, const struct plm_sim_object *job)
{
	const struct plm_w_shape *shape = &job->my.job->sets[0].original->shape;
	const struct plm_w_container *container = shape->containers.ptr;

	PLM_SIM_EACH(w, PLM_KIND_LIMIT_RANGE, range)
	{
		if (plm_slice_equal(range->of.meta->ns, job->of.meta->ns)) {
			return false;
		}
	}
	for (size_t i = 0; i < shape->containers.count; i++) {
		if (container[i].limits.count > 0) {
			return false;
		}
	}
	return shape->runtime_class.size == 0;
}

static bool must_not_wait(struct plm_world *w, const struct plm_sim_object *job)
{
	const struct plm_w_cluster_queue *queue = queue_of(w, job);

	return job->of.job->managed != 0 && job->of.job->end == PLM_JOB_OPEN &&
	       !job->my.job->inactive && job->of.job->active == 0 && queue != NULL &&
	       fits_quota(w, queue, job) && is_counted_plainly(w, job) &&
	       (fits_nodes(w, job) || (queue->capacity_check != 0 && fits_pools(w, job)));
}

static void check_waiting(struct plm_world *w)
{
	static const enum plm_kind kinds[2] = {PLM_KIND_JOB, PLM_KIND_POD_SET};

	for (size_t k = 0; k < PLM_COUNTOF(kinds) && !anything_runs(w); k++) {
		PLM_SIM_EACH(w, kinds[k], job)
		{
			if (must_not_wait(w, job)) {
				plm_sim_broken(w,
					       "L1: %s %.*s/%.*s waits though nothing runs and it "
					       "would fit",
					       plm_names_text(&plm_names_kind, job->kind),
					       (int)job->of.meta->ns.size,
					       (const char *)job->of.meta->ns.ptr,
					       (int)job->of.meta->name.size,
					       (const char *)job->of.meta->name.ptr);
			}
		}
	}
}

void plm_world_check_end(struct plm_world *w, bool quiet)
{
	plm_sim_check_time(w);
	if (quiet && !w->options.plain) {
		check_gangs(w, 0);
		check_waiting(w);
	}
}
