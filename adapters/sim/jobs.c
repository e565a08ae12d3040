/*
 * jobs.c - the Job controller, and what stands for a PodSet's status
 *
 * A Job with a queue is suspended when it is created, as the admission policy does. Its pods are made
 * here; those of a PodSet by the engine, or here in a plain world. Pods that have ended stay as objects,
 * as in Kubernetes, until their owner goes.
 */
#include "adapters/sim/world.h"

#include <stdlib.h>

struct plm_slice plm_sim_new_name(struct plm_world *w, enum plm_kind kind, struct plm_slice ns,
				  struct plm_slice name)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789"; /* as Kubernetes draws them */
	static const size_t base_max = 58;			     /* with the dash */
	char suffix[PLM_SIM_NAME_SUFFIX + 1] = {0};
	struct plm_slice made = {0};

	do {
		for (size_t i = 0; i < PLM_SIM_NAME_SUFFIX; i++) {
			suffix[i] = letters[plm_world_random(w) % (sizeof(letters) - 1)];
		}
		made = plm_arena_format(
			&w->arena, "%.*s%s%s", (int)(name.size < base_max ? name.size : base_max),
			(const char *)name.ptr, name.size < base_max ? "-" : "", suffix);
	} while (plm_sim_find(w, kind, ns, made) != NULL);
	return made;
}

struct plm_slice plm_sim_pod_name(struct plm_world *w, const struct plm_sim_object *owner)
{
	return plm_sim_new_name(w, PLM_KIND_POD, owner->of.meta->ns, owner->of.meta->name);
}

struct plm_sim_object *plm_sim_pod_new(struct plm_world *w, struct plm_sim_object *owner,
				       struct plm_sim_template *template, struct plm_slice name,
				       int64_t index)
{
	struct plm_w_pod *pod = PLM_NEW(&w->arena, struct plm_w_pod);
	const struct plm_w_meta *of = owner->of.meta;
	struct plm_sim_object *object = NULL;

	pod->meta = (struct plm_w_meta){
		.ns = of->ns,
		.name = name,
		.created_ms = PLM_UNSET,
		.deleting_ms = PLM_UNSET,
		.owner_kind = plm_slice_str(plm_names_text(&plm_names_kind, owner->kind)),
		.owner_name = of->name,
		.owner_uid = of->uid,
		.labels = template->labels};
	pod->shape = template->shape;
	pod->phase = PLM_PHASE_PENDING;
	pod->started_ms = PLM_UNSET;
	pod->scheduled_ms = PLM_UNSET;
	pod->max_exec_s = PLM_UNSET;
	pod->grace_s = owner->extra.grace_s > 0 ? owner->extra.grace_s : 30;
	pod->pod_set = template->pod_set;
	pod->index = index;
	pod->gated = template->gate.size > 0;
	pod->gates = (struct plm_vec){&template->gate, template->gate.size > 0 ? 1 : 0};
	object = plm_sim_create(w, PLM_KIND_POD, PLM_EV_POD, pod);
	object->my.pod = PLM_NEW(&w->arena, struct plm_sim_pod);
	object->my.pod->template = template;
	object->my.pod->runtime_ms = owner->extra.runtime_ms;
	object->my.pod->fail_percent = owner->extra.fail_percent;
	object->my.pod->stop_ms = owner->extra.stop_ms;
	object->my.pod->protect_ms = plm_max(0, owner->extra.protect_ms);
	pod->do_not_disrupt = owner->extra.protect_ms != 0;
	object->my.pod->set = owner->info->type == PLM_EV_JOB
				      ? plm_sim_set_named(owner, template->pod_set)
				      : NULL;
	plm_sim_gate(w, owner, pod);
	plm_sim_adopt(owner, object);
	plm_sim_pod_claims(w, object);
	w->stats.pods_created++;
	return object;
}

static void work_add(struct plm_world *w, struct plm_sim_object *object)
{
	if (w->work_count == w->work_capacity) {
		size_t capacity = w->work_capacity == 0 ? 256 : w->work_capacity * 2;
		struct plm_sim_object **grown = realloc(w->work, capacity * sizeof(*grown));

		PLM_ASSERT(grown != NULL);
		w->work = grown;
		w->work_capacity = capacity;
	}
	w->work[w->work_count++] = object;
}

/* The first of the leads that there is, or all pod sets. */
static bool leads(const struct plm_integration *row, struct plm_vec sets, struct plm_slice name)
{
	const struct plm_w_pod_set_spec *list = sets.ptr;

	if (row->done == PLM_DONE_ALL) {
		return true;
	}
	for (size_t l = 0; row->leads[l] != NULL; l++) {
		for (size_t i = 0; i < sets.count; i++) {
			if (plm_slice_is(list[i].name, row->leads[l])) {
				return plm_slice_is(name, row->leads[l]);
			}
		}
	}
	return false;
}

/* A TrainJob's pods are those of its runtime. */
static void train_sets(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_w_job *job = object->of.job;
	struct plm_slice ns = job->runtime_kind == PLM_KIND_TRAINING_RUNTIME
				      ? job->meta.ns
				      : (struct plm_slice){0};
	const struct plm_sim_object *runtime =
		plm_sim_find(w, (enum plm_kind)job->runtime_kind, ns, job->runtime);
	const struct plm_w_pod_set_spec *from =
		runtime == NULL ? NULL : runtime->of.job->pod_sets.ptr;
	size_t count = runtime == NULL ? 0 : runtime->of.job->pod_sets.count;
	struct plm_w_pod_set_spec *sets =
		PLM_NEW_ARRAY(&w->arena, count + 1, struct plm_w_pod_set_spec);

	for (size_t i = 0; i < count; i++) {
		sets[i] = from[i];
		if (plm_slice_is(sets[i].name, PLM_TRAIN_NODE)) {
			sets[i].count = job->nodes == PLM_UNSET ? sets[i].count : job->nodes;
			sets[i].shape.requests =
				plm_sim_amounts_over(w, sets[i].shape.requests, job->node_requests);
		}
	}
	object->my.job->specs = (struct plm_vec){.ptr = sets, .count = count};
}

static void sets_born(struct plm_world *w, struct plm_sim_object *object)
{
	const struct plm_w_job *job = object->of.job;
	const struct plm_w_pod_set_spec *specs = NULL;
	const struct plm_w_pod_set_spec none = {0};
	struct plm_sim_job *my = object->my.job;

	my->row = plm_integration(object->kind);
	PLM_ASSERT(my->row != NULL);
	my->specs = job->pod_sets;
	if (object->kind == PLM_KIND_TRAIN_JOB) {
		train_sets(w, object);
	}
	specs = my->specs.ptr;
	my->set_count = my->specs.count;
	my->sets = PLM_NEW_ARRAY(&w->arena, my->set_count + 1, struct plm_sim_set);
	my->sets[0].original = plm_sim_template_new(w, &none);
	for (size_t i = 0; i < my->set_count; i++) {
		my->sets[i].name = specs[i].name;
		my->sets[i].original = plm_sim_template_new(w, &specs[i]);
		my->sets[i].leads = leads(my->row, my->specs, specs[i].name);
	}
	my->parallelism = job->parallelism;
	my->completions = job->completions;
	plm_sim_job_templates(w, object, (struct plm_vec){0});
}

struct plm_sim_set *plm_sim_set_named(const struct plm_sim_object *object, struct plm_slice name)
{
	struct plm_sim_job *my = object->my.job;

	for (size_t i = 0; i < my->set_count; i++) {
		if (plm_slice_equal(my->sets[i].name, name)) {
			return &my->sets[i];
		}
	}
	return NULL;
}

/* A Job may be let in with fewer pods than it asked for; 0 = as submitted. */
static void size_parallel(struct plm_w_job *job, const struct plm_sim_job *my, int64_t pods)
{
	bool partial = pods > 0 && job->min_parallelism != PLM_UNSET;

	job->parallelism = partial ? pods : my->parallelism;
	job->completions = partial && job->sync_completions != 0 ? pods : my->completions;
}

void plm_sim_job_templates(struct plm_world *w, struct plm_sim_object *object,
			   struct plm_vec starts)
{
	const struct plm_w_start_set *told = starts.ptr;
	struct plm_sim_job *my = object->my.job;
	const struct plm_w_pod_set_spec *specs = my->specs.ptr;

	my->sets[0].template = my->sets[0].original;
	for (size_t i = 0; i < my->set_count; i++) {
		my->sets[i].template = my->sets[i].original;
		my->sets[i].count = specs[i].count;
	}
	for (size_t i = 0; i < starts.count; i++) {
		struct plm_sim_set *set = plm_sim_set_named(object, told[i].name);

		if (set == NULL) {
			continue;
		}
		set->template = plm_sim_template_with(w, set->original, told[i].node_selector,
						      told[i].tolerations, told[i].labels);
		set->template->gate = plm_arena_copy(&w->arena, told[i].gate);
		set->count = told[i].count > 0 ? told[i].count : set->count;
	}
	if (object->kind == PLM_KIND_JOB) {
		size_parallel(object->of.job, my, starts.count > 0 ? my->sets[0].count : 0);
	}
}

/* A namespace's queue called default takes jobs that name none, as the admission policy does. */
static void take_default_queue(struct plm_world *w, struct plm_sim_object *object)
{
	static const char *const name = "default";
	struct plm_w_job *job = object->of.job;

	if (job->managed == 0 && job->queue.size == 0 && job->meta.owner_uid.size == 0 &&
	    plm_sim_find(w, PLM_KIND_LOCAL_QUEUE, job->meta.ns, plm_slice_str(name)) != NULL) {
		job->queue = plm_slice_str(name);
		job->managed = 1;
	}
}

void plm_sim_job_born(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_w_job *job = object->of.job;
	struct plm_sim_job *my = PLM_NEW(&w->arena, struct plm_sim_job);

	object->my.job = my;
	work_add(w, object);
	sets_born(w, object);
	take_default_queue(w, object);
	my->first_running_ms = PLM_UNSET;
	my->finished_ms = PLM_UNSET;
	my->partial_since_ms = PLM_UNSET;
	if (job->managed == 1 && my->row->start != PLM_START_NEVER && !w->options.plain &&
	    job->started_ms == PLM_UNSET) {
		job->suspended = 1;
	} else if (w->options.plain) {
		job->suspended = 0;
	}
	if (job->indexed != 0 && job->completions > 0) {
		my->index_count = (size_t)job->completions;
		my->indexes = PLM_NEW_ARRAY(&w->arena, my->index_count, uint8_t);
	}
}

/* ---- what the pods say -------------------------------------------------------------------------- */

struct plm_sim_tally plm_sim_tally(const struct plm_sim_object *object,
				   const struct plm_sim_set *set)
{
	struct plm_sim_tally tally = {0};

	for (const struct plm_sim_object *pod = object->child; pod != NULL;
	     pod = pod->sibling_next) {
		if (pod->kind != PLM_KIND_POD || plm_sim_pod_over(pod) ||
		    pod->of.meta->deleting_ms != PLM_UNSET ||
		    (set != NULL && pod->my.pod->set != set)) {
			continue;
		}
		tally.active++;
		tally.ready += pod->of.pod->ready;
	}
	return tally;
}

int64_t plm_sim_job_wanted(const struct plm_w_job *job)
{
	int64_t parallelism = job->parallelism == PLM_UNSET ? 1 : job->parallelism;

	if (job->completions == PLM_UNSET || job->completions < 0) {
		return job->succeeded > 0 ? 0 : parallelism;
	}
	return plm_min(parallelism, job->completions - job->succeeded);
}

static int64_t given_back(struct plm_vec reclaimable)
{
	const struct plm_w_pod_count *list = reclaimable.ptr;
	int64_t pods = 0;

	for (size_t i = 0; i < reclaimable.count; i++) {
		pods += list[i].count;
	}
	return pods;
}

void plm_sim_job_status(struct plm_world *w, struct plm_sim_object *object,
			const struct plm_w_job *next)
{
	struct plm_w_job *job = object->of.job;
	struct plm_sim_job *my = object->my.job;

	if (next->ready > 0 && next->ready >= plm_sim_job_wanted(next) &&
	    my->first_running_ms == PLM_UNSET) {
		my->first_running_ms = w->now_ms;
	}
	if (next->end != PLM_JOB_OPEN && job->end == PLM_JOB_OPEN) {
		my->finished_ms = w->now_ms;
		w->stats.jobs_finished++;
		plm_sim_disturb(w);
	}
	if (job->active == next->active && job->ready == next->ready &&
	    job->succeeded == next->succeeded && job->failed == next->failed &&
	    job->end == next->end && job->started_ms == next->started_ms &&
	    job->suspended == next->suspended && job->ended_ms == next->ended_ms &&
	    given_back(job->reclaimable) == given_back(next->reclaimable)) {
		return;
	}
	*job = *next;
	if (object->kind != PLM_KIND_POD_SET) {
		plm_sim_touch(w, object); /* the status of a PodSet is the engine's to write */
	}
}

void plm_sim_job_shrink(struct plm_world *w, struct plm_sim_object *object, int64_t keep)
{
	struct plm_sim_object *before = NULL;
	int64_t excess = plm_sim_tally(object, NULL).active - keep;

	for (struct plm_sim_object *pod = object->last_child; pod != NULL && excess > 0;
	     pod = before) {
		before = pod->sibling_prev;
		if (pod->kind == PLM_KIND_POD && !plm_sim_pod_over(pod) &&
		    pod->of.meta->deleting_ms == PLM_UNSET) {
			plm_sim_pod_delete(w, pod);
			excess--;
		}
	}
}

static bool take_index(struct plm_sim_job *my, int64_t *out)
{
	for (size_t i = 0; i < my->index_count; i++) {
		if (my->indexes[i] == PLM_SIM_INDEX_OPEN) {
			my->indexes[i] = PLM_SIM_INDEX_ACTIVE;
			*out = (int64_t)i;
			return true;
		}
	}
	return false;
}

static void make_pod(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_job *my = object->my.job;
	struct plm_slice name = object->of.meta->name;
	int64_t index = PLM_UNSET;

	if (my->indexes != NULL) {
		if (!take_index(my, &index)) {
			return; /* the index of a pod that is on its way out comes free later */
		}
		name = plm_arena_format(&w->arena, "%.*s-%lld", (int)name.size,
					(const char *)name.ptr, (long long)index);
	}
	my->serial++;
	name = plm_sim_new_name(w, PLM_KIND_POD, object->of.meta->ns, name);
	plm_sim_wait_add(w, plm_sim_pod_new(w, object, my->sets[0].template, name,
					    index == PLM_UNSET ? 0 : index));
}

/* Pods that will not be made again: kueue.md 2.1, as upstream's integration of Jobs says it. */
static struct plm_vec reclaimable(struct plm_world *w, const struct plm_w_job *job)
{
	int64_t left = job->completions - job->succeeded;
	struct plm_w_pod_count *back = NULL;

	if (job->parallelism <= 1 || job->succeeded == 0 || left >= job->parallelism) {
		return (struct plm_vec){0};
	}
	back = PLM_NEW(&w->arena, struct plm_w_pod_count);
	*back = (struct plm_w_pod_count){plm_slice_str("main"), job->parallelism - left};
	return (struct plm_vec){back, 1};
}

/* Parallelism 0 is a pause, not an end. */
static bool has_all(const struct plm_w_job *job)
{
	return job->completions == PLM_UNSET || job->completions < 0
		       ? job->succeeded > 0
		       : job->succeeded >= job->completions;
}

void plm_sim_job_sync(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_w_job *job = object->of.job;
	struct plm_w_job next = *job;
	struct plm_sim_tally tally;

	if (next.end == PLM_JOB_OPEN && next.backoff_limit >= 0 &&
	    next.failed > next.backoff_limit) {
		next.end = PLM_JOB_FAILED;
		next.ended_ms = w->now_ms;
	} else if (next.end == PLM_JOB_OPEN && next.suspended == 0 && has_all(&next) &&
		   plm_sim_tally(object, NULL).active == 0) {
		next.end = PLM_JOB_COMPLETE;
		next.ended_ms = w->now_ms;
	}
	if (next.end != PLM_JOB_OPEN || next.suspended != 0) {
		plm_sim_job_shrink(w, object, 0);
		next.started_ms = next.end == PLM_JOB_OPEN ? PLM_UNSET : next.started_ms;
	} else {
		if (next.started_ms == PLM_UNSET) {
			next.started_ms = w->now_ms;
		}
		plm_sim_job_shrink(w, object, plm_max(0, plm_sim_job_wanted(&next)));
		for (int64_t n = plm_sim_tally(object, NULL).active; n < plm_sim_job_wanted(&next);
		     n++) {
			make_pod(w, object);
		}
	}
	tally = plm_sim_tally(object, NULL);
	next.active = tally.active;
	next.ready = tally.ready;
	next.reclaimable = reclaimable(w, &next);
	plm_sim_job_status(w, object, &next);
}

/* ---- PodSet ------------------------------------------------------------------------------------ */

static void plain_pods(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_job *my = object->my.job;

	for (int64_t n = plm_sim_tally(object, NULL).active; n < plm_sim_job_wanted(object->of.job);
	     n++) {
		my->serial++;
		plm_sim_wait_add(w, plm_sim_pod_new(w, object, my->sets[0].template,
						    plm_sim_pod_name(w, object), n));
	}
}

/* Some pods but not all: a gang that is not all or nothing. */
static void watch_gang(struct plm_world *w, struct plm_sim_object *object,
		       const struct plm_w_job *job)
{
	struct plm_sim_job *my = object->my.job;
	int64_t want = plm_sim_job_wanted(job);
	bool partial = job->end == PLM_JOB_OPEN && job->active > 0 && job->active < want;

	if (!partial) {
		my->partial_since_ms = PLM_UNSET;
	} else if (my->partial_since_ms == PLM_UNSET) {
		my->partial_since_ms = w->now_ms;
	}
}

void plm_sim_pod_set_sync(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_w_job next = *object->of.job;
	struct plm_sim_tally tally;

	if (next.end == PLM_JOB_OPEN && next.backoff_limit >= 0 &&
	    next.failed > next.backoff_limit) {
		next.end = PLM_JOB_FAILED;
		next.ended_ms = w->now_ms;
	} else if (next.end == PLM_JOB_OPEN && next.succeeded > 0 &&
		   plm_sim_job_wanted(&next) <= 0) {
		next.end = PLM_JOB_COMPLETE;
		next.ended_ms = w->now_ms;
	}
	if (next.end != PLM_JOB_OPEN) {
		plm_sim_job_shrink(w, object, 0);
	} else if (w->options.plain) {
		plain_pods(w, object);
	}
	tally = plm_sim_tally(object, NULL);
	next.active = tally.active;
	next.ready = tally.ready;
	if (tally.active == 0) {
		object->my.job->stopping = false;
	}
	watch_gang(w, object, &next);
	plm_sim_job_status(w, object, &next);
}

/* ---- work that was submitted ------------------------------------------------------------------- */

bool plm_world_work(const struct plm_world *w, size_t index, struct plm_sim_work *out)
{
	const struct plm_sim_object *object = NULL;

	if (index >= w->work_count) {
		return false;
	}
	object = w->work[index];
	*out = (struct plm_sim_work){
		.kind = object->kind,
		.ns = object->of.meta->ns,
		.name = object->of.meta->name,
		.created_ms = object->of.meta->created_ms,
		.running_ms = object->my.job->first_running_ms,
		.finished_ms = object->my.job->finished_ms,
		.failed = object->of.job->end == PLM_JOB_FAILED,
		.deleted = object->gone,
		.running = object->of.job->end == PLM_JOB_OPEN &&
			   (object->of.job->active > 0 ||
			    (object->kind != PLM_KIND_POD_SET && object->of.job->suspended == 0))};
	return true;
}
