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
	pod->pod_set = template->pod_set;
	pod->index = index;
	object = plm_sim_create(w, PLM_KIND_POD, PLM_EV_POD, pod);
	object->my.pod = PLM_NEW(&w->arena, struct plm_sim_pod);
	object->my.pod->template = template;
	object->my.pod->runtime_ms = owner->extra.runtime_ms;
	object->my.pod->fail_percent = owner->extra.fail_percent;
	plm_sim_adopt(owner, object);
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

void plm_sim_job_born(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_w_job *job = object->of.job;
	struct plm_sim_job *my = PLM_NEW(&w->arena, struct plm_sim_job);

	object->my.job = my;
	work_add(w, object);
	my->original = plm_sim_template_new(w, &job->template);
	my->template = my->original;
	my->first_running_ms = PLM_UNSET;
	my->finished_ms = PLM_UNSET;
	my->partial_since_ms = PLM_UNSET;
	if (job->managed != 0 && !w->options.plain && job->started_ms == PLM_UNSET) {
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

struct tally {
	int64_t active, ready;
};

static struct tally count_pods(const struct plm_sim_object *object)
{
	struct tally tally = {0};

	for (const struct plm_sim_object *pod = object->child; pod != NULL;
	     pod = pod->sibling_next) {
		if (plm_sim_pod_over(pod) || pod->of.meta->deleting_ms != PLM_UNSET) {
			continue;
		}
		tally.active++;
		tally.ready += pod->of.pod->ready;
	}
	return tally;
}

static int64_t wanted(const struct plm_w_job *job)
{
	int64_t parallelism = job->parallelism == PLM_UNSET ? 1 : job->parallelism;

	if (job->completions == PLM_UNSET || job->completions < 0) {
		return job->succeeded > 0 ? 0 : parallelism;
	}
	return plm_min(parallelism, job->completions - job->succeeded);
}

static void update_status(struct plm_world *w, struct plm_sim_object *object,
			  const struct plm_w_job *next)
{
	struct plm_w_job *job = object->of.job;
	struct plm_sim_job *my = object->my.job;

	if (next->ready > 0 && next->ready >= wanted(next) && my->first_running_ms == PLM_UNSET) {
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
	    job->suspended == next->suspended && job->ended_ms == next->ended_ms) {
		return;
	}
	*job = *next;
	if (object->kind == PLM_KIND_JOB) {
		plm_sim_touch(w, object); /* the status of a PodSet is the engine's to write */
	}
}

static void delete_active(struct plm_world *w, struct plm_sim_object *object, int64_t keep)
{
	struct plm_sim_object *before = NULL;
	int64_t excess = count_pods(object).active - keep;

	for (struct plm_sim_object *pod = object->last_child; pod != NULL && excess > 0;
	     pod = before) {
		before = pod->sibling_prev;
		if (!plm_sim_pod_over(pod) && pod->of.meta->deleting_ms == PLM_UNSET) {
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
	plm_sim_wait_add(
		w, plm_sim_pod_new(w, object, my->template, name, index == PLM_UNSET ? 0 : index));
}

void plm_sim_job_sync(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_w_job *job = object->of.job;
	struct plm_w_job next = *job;
	struct tally tally;

	if (next.end == PLM_JOB_OPEN && next.backoff_limit >= 0 &&
	    next.failed > next.backoff_limit) {
		next.end = PLM_JOB_FAILED;
		next.ended_ms = w->now_ms;
	} else if (next.end == PLM_JOB_OPEN && next.suspended == 0 && wanted(&next) <= 0 &&
		   count_pods(object).active == 0) {
		next.end = PLM_JOB_COMPLETE;
		next.ended_ms = w->now_ms;
	}
	if (next.end != PLM_JOB_OPEN || next.suspended != 0) {
		delete_active(w, object, 0);
		next.started_ms = next.end == PLM_JOB_OPEN ? PLM_UNSET : next.started_ms;
	} else {
		if (next.started_ms == PLM_UNSET) {
			next.started_ms = w->now_ms;
		}
		delete_active(w, object, plm_max(0, wanted(&next)));
		for (int64_t n = count_pods(object).active; n < wanted(&next); n++) {
			make_pod(w, object);
		}
	}
	tally = count_pods(object);
	next.active = tally.active;
	next.ready = tally.ready;
	update_status(w, object, &next);
}

/* ---- PodSet ------------------------------------------------------------------------------------ */

static void plain_pods(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_job *my = object->my.job;

	for (int64_t n = count_pods(object).active; n < wanted(object->of.job); n++) {
		my->serial++;
		plm_sim_wait_add(w, plm_sim_pod_new(w, object, my->template,
						    plm_sim_pod_name(w, object), n));
	}
}

/* Some pods but not all: a gang that is not all or nothing. */
static void watch_gang(struct plm_world *w, struct plm_sim_object *object,
		       const struct plm_w_job *job)
{
	struct plm_sim_job *my = object->my.job;
	int64_t want = wanted(job);
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
	struct tally tally;

	if (next.end == PLM_JOB_OPEN && next.backoff_limit >= 0 &&
	    next.failed > next.backoff_limit) {
		next.end = PLM_JOB_FAILED;
		next.ended_ms = w->now_ms;
	} else if (next.end == PLM_JOB_OPEN && next.succeeded > 0 && wanted(&next) <= 0) {
		next.end = PLM_JOB_COMPLETE;
		next.ended_ms = w->now_ms;
	}
	if (next.end != PLM_JOB_OPEN) {
		delete_active(w, object, 0);
	} else if (w->options.plain) {
		plain_pods(w, object);
	}
	tally = count_pods(object);
	next.active = tally.active;
	next.ready = tally.ready;
	if (tally.active == 0) {
		object->my.job->stopping = false;
	}
	watch_gang(w, object, &next);
	update_status(w, object, &next);
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
			    (object->kind == PLM_KIND_JOB && object->of.job->suspended == 0))};
	return true;
}
