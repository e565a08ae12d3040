/*
 * work.c - the controllers of all kinds of work but Job and PodSet, by the table
 *
 * One for all: pods of each pod set up to its count while the job is not suspended, an end when the
 * pod sets that lead have succeeded or too many pods have failed. What tells the kinds apart is their row
 * in core/integration.h. Real controllers put Jobs, ReplicaSets or clusters in between; here the job owns
 * its pods itself.
 */
#include "adapters/sim/world.h"

static bool is_complete(const struct plm_sim_job *my)
{
	bool any = false;

	for (size_t i = 0; i < my->set_count; i++) {
		if (my->sets[i].leads && my->sets[i].succeeded < my->sets[i].count) {
			return false;
		}
		any = any || my->sets[i].leads;
	}
	return any && my->row->done != PLM_DONE_NEVER;
}

static void make_pod(struct plm_world *w, struct plm_sim_object *object, struct plm_sim_set *set)
{
	const struct plm_sim_job *my = object->my.job;
	struct plm_slice of = object->of.meta->name;
	struct plm_slice name =
		plm_arena_format(&w->arena, "%.*s-%.*s", (int)of.size, (const char *)of.ptr,
				 (int)set->name.size, (const char *)set->name.ptr);
	struct plm_sim_object *pod = NULL;

	name = plm_sim_new_name(w, PLM_KIND_POD, object->of.meta->ns, name);
	pod = plm_sim_pod_new(w, object, set->template, name, set->serial++);
	if (my->row->done == PLM_DONE_NEVER || (my->row->serves && !set->leads)) {
		pod->my.pod->runtime_ms = PLM_UNSET; /* until it is deleted */
	}
	plm_sim_wait_add(w, pod);
}

static void fill(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_job *my = object->my.job;

	for (size_t i = 0; i < my->set_count; i++) {
		struct plm_sim_set *set = &my->sets[i];
		int64_t have = plm_sim_tally(object, set).active + set->succeeded;

		for (; have < set->count; have++) {
			make_pod(w, object, set);
		}
	}
}

static struct plm_vec reclaimable(struct plm_world *w, const struct plm_sim_job *my)
{
	struct plm_w_pod_count *list = NULL;
	size_t count = 0;

	if (!my->row->reclaims) {
		return (struct plm_vec){0};
	}
	list = PLM_NEW_ARRAY(&w->arena, my->set_count + 1, struct plm_w_pod_count);
	for (size_t i = 0; i < my->set_count; i++) {
		if (my->sets[i].succeeded > 0) {
			list[count++] =
				(struct plm_w_pod_count){my->sets[i].name, my->sets[i].succeeded};
		}
	}
	return (struct plm_vec){list, count};
}

/* Work that is told to stop begins anew, unless what has succeeded is kept by its children. */
static void forget(struct plm_sim_job *my)
{
	for (size_t i = 0; i < my->set_count && !my->row->reclaims; i++) {
		my->sets[i].succeeded = 0;
	}
}

/* ---- LeaderWorkerSet: groups of 'size' pods, the leader first ---------------------------------- */

static void make_member(struct plm_world *w, struct plm_sim_object *object, struct plm_sim_set *set,
			int64_t index)
{
	int64_t size = plm_max(1, object->of.job->parallelism);
	struct plm_slice of = object->of.meta->name;
	struct plm_slice name =
		index % size == 0
			? plm_arena_format(&w->arena, "%.*s-%lld", (int)of.size,
					   (const char *)of.ptr, (long long)(index / size))
			: plm_arena_format(&w->arena, "%.*s-%lld-%lld", (int)of.size,
					   (const char *)of.ptr, (long long)(index / size),
					   (long long)(index % size));
	struct plm_sim_object *pod = NULL;

	if (plm_sim_find(w, PLM_KIND_POD, object->of.meta->ns, name) != NULL) {
		return; /* it is there, or still on its way out */
	}
	pod = plm_sim_pod_new(w, object, set->template, name, index);
	pod->my.pod->runtime_ms = PLM_UNSET;
	plm_sim_wait_add(w, pod);
}

static void groups_sync(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_job *my = object->my.job;
	int64_t size = plm_max(1, object->of.job->parallelism);

	for (struct plm_sim_object *pod = object->child, *next = NULL; pod != NULL; pod = next) {
		next = pod->sibling_next;
		if (plm_sim_pod_over(pod)) {
			plm_sim_remove(w, pod);
		} else if (pod->of.pod->index / size >= my->completions) {
			plm_sim_pod_delete(w, pod);
		}
	}
	for (int64_t group = 0; group < my->completions; group++) {
		int64_t index = group * size;

		for (size_t s = 0; s < my->set_count; s++) {
			for (int64_t n = 0; n < my->sets[s].count; n++) {
				make_member(w, object, &my->sets[s], index++);
			}
		}
	}
}

void plm_sim_work_sync(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_job *my = object->my.job;
	struct plm_w_job next = *object->of.job;
	struct plm_sim_tally tally;

	if (object->kind == PLM_KIND_LEADER_WORKER_SET) {
		groups_sync(w, object);
		return;
	}
	if (my->row->start == PLM_START_NEVER) {
		return;
	}
	if (next.end == PLM_JOB_OPEN && next.failed > next.backoff_limit &&
	    my->row->done != PLM_DONE_NEVER) {
		next.end = PLM_JOB_FAILED;
		next.ended_ms = w->now_ms;
	} else if (next.end == PLM_JOB_OPEN && next.suspended == 0 && is_complete(my)) {
		next.end = PLM_JOB_COMPLETE;
		next.ended_ms = w->now_ms;
	}
	if (next.end != PLM_JOB_OPEN || next.suspended != 0) {
		plm_sim_job_shrink(w, object, 0);
		next.started_ms = next.end == PLM_JOB_OPEN ? PLM_UNSET : next.started_ms;
		if (next.end == PLM_JOB_OPEN) {
			forget(my);
		}
	} else {
		next.started_ms = next.started_ms == PLM_UNSET ? w->now_ms : next.started_ms;
		fill(w, object);
	}
	tally = plm_sim_tally(object, NULL);
	next.active = tally.active;
	next.ready = tally.ready;
	next.reclaimable = reclaimable(w, my);
	plm_sim_job_status(w, object, &next);
}
