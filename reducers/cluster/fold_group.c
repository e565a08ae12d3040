/*
 * Pods that are queued by themselves: each is a group of its own, or a part of one that its labels name.
 *
 * A group is a slot among the jobs (kind PodGroup, named after its workload) that no object stands for:
 * it comes with its first pod and goes with the last. Its pod sets are its roles. Sources: kueue.md 1.8,
 * 2.19 (plain pod groups), 2.14 (when quota comes back).
 */
#include "core/limits.h"
#include "reducers/cluster/fold.h"
#include "reducers/cluster/life.h"

static bool is_over(const struct plm_pod *pod)
{
	return pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED;
}

/* It counts for the group: it runs or will, or it has done its part. */
static bool counts(const struct plm_pod *pod)
{
	return pod->phase == PLM_PHASE_SUCCEEDED ||
	       (pod->phase != PLM_PHASE_FAILED && pod->object.deleting_ms == PLM_UNSET);
}

/* ---- members ----------------------------------------------------------------------------------- */

static plm_id group_of(const struct plm_state *st, const struct plm_pod *pod)
{
	return pod->group.n == 0 ? (plm_id){0}
				 : plm_find(st, PLM_KIND_POD_GROUP, pod->object.ns, pod->group);
}

void plm_fold_group_leave(struct plm_state *st, plm_id id)
{
	plm_id group = group_of(st, plm_pod_at(st, id));
	plm_id next = plm_pod_at(st, id)->group_next;
	plm_id at = {0};

	plm_pod_edit(st, id)->group_next = (plm_id){0};
	if (group.n == 0) {
		return;
	}
	at = plm_job_at(st, group)->first_pod;
	if (at.n == id.n) {
		plm_job_edit(st, group)->first_pod = next;
		return;
	}
	while (at.n != 0 && plm_pod_at(st, at)->group_next.n != id.n) {
		at = plm_pod_at(st, at)->group_next;
	}
	if (at.n != 0) {
		plm_pod_edit(st, at)->group_next = next;
	}
}

/* The slot of the group that 'pod' names, made when it is the first. */
static plm_id join(struct plm_state *st, plm_id id)
{
	const struct plm_pod *pod = plm_pod_at(st, id);
	plm_id group = group_of(st, pod);
	struct plm_job *job = NULL;

	if (group.n == 0) {
		group = plm_slot_new_object(st, PLM_KIND_POD_GROUP, pod->object.ns, pod->group);
		job = plm_job_edit(st, group);
		job->object.created_ms = pod->object.created_ms;
		job->object.deleting_ms = PLM_UNSET;
		job->object.uid = pod->object.uid;
		job->object.labels = pod->object.labels;
		job->ended_ms = PLM_UNSET;
		job->started_ms = PLM_UNSET;
		job->min_parallelism = PLM_UNSET;
		job->workload = pod->group;
		plm_index_put(st, PLM_KEY_JOB_UID, job->object.uid.n, 0, group);
	}
	job = plm_job_edit(st, group);
	plm_pod_edit(st, id)->group_next = job->first_pod;
	job->first_pod = id;
	return group;
}

/* ---- what they say ----------------------------------------------------------------------------- */

/* Pods of each role, the roles by name: Kueue takes 8 of them. */
struct roles {
	struct plm_pod_set sets[PLM_LIMIT_GROUP_ROLES];
	struct plm_pod_count done[PLM_LIMIT_GROUP_ROLES];
	uint32_t count, done_count;
	bool too_many;
};

static int order(const struct plm_state *st, plm_sym a, plm_sym b)
{
	return plm_slice_compare(plm_str(st, a), plm_str(st, b));
}

static struct plm_pod_set *role_of(struct plm_state *st, struct roles *roles, plm_sym name)
{
	uint32_t at = 0;

	while (at < roles->count && order(st, roles->sets[at].name, name) < 0) {
		at++;
	}
	if (at < roles->count && plm_sym_equal(roles->sets[at].name, name)) {
		return &roles->sets[at];
	}
	if (roles->count == PLM_LIMIT_GROUP_ROLES) {
		roles->too_many = true;
		return NULL;
	}
	for (uint32_t i = roles->count; i > at; i--) {
		roles->sets[i] = roles->sets[i - 1];
	}
	roles->count++;
	roles->sets[at] = (struct plm_pod_set){.name = name, .min_count = PLM_UNSET};
	return &roles->sets[at];
}

static void add_done(struct roles *roles, plm_sym name)
{
	for (uint32_t i = 0; i < roles->done_count; i++) {
		if (plm_sym_equal(roles->done[i].name, name)) {
			roles->done[i].count++;
			return;
		}
	}
	if (roles->done_count < PLM_LIMIT_GROUP_ROLES) {
		roles->done[roles->done_count++] = (struct plm_pod_count){.name = name, .count = 1};
	}
}

static void gather(struct plm_state *st, const struct plm_job *job, struct roles *roles)
{
	for (plm_id id = job->first_pod; id.n != 0; id = plm_pod_at(st, id)->group_next) {
		const struct plm_pod *pod = plm_pod_at(st, id);
		struct plm_pod_set *set = counts(pod) ? role_of(st, roles, pod->role) : NULL;

		PLM_ASSERT(pod->group.n != 0);
		if (set != NULL) {
			set->labels = pod->object.labels;
			set->shape = pod->shape;
			set->count++;
		}
		if (pod->phase == PLM_PHASE_SUCCEEDED) {
			add_done(roles, pod->role);
		}
	}
	for (uint32_t i = 1; i < roles->done_count; i++) { /* few, and nearly in order */
		for (uint32_t k = i;
		     k > 0 && order(st, roles->done[k - 1].name, roles->done[k].name) > 0; k--) {
			struct plm_pod_count swap = roles->done[k];

			roles->done[k] = roles->done[k - 1];
			roles->done[k - 1] = swap;
		}
	}
}

static void count_pods(struct plm_state *st, struct plm_job *job)
{
	job->parallelism = 0; /* pods that count */
	job->active = 0;
	job->ready = 0;
	job->succeeded = 0;
	job->failed = 0;
	job->pods = 0;
	job->suspended = 1; /* while no pod of it is past the gate */
	for (plm_id id = job->first_pod; id.n != 0; id = plm_pod_at(st, id)->group_next) {
		const struct plm_pod *pod = plm_pod_at(st, id);

		job->parallelism += counts(pod) ? 1 : 0;
		job->active += pod->node.n != 0 && !is_over(pod) ? 1 : 0;
		job->ready += pod->ready == 1 && !is_over(pod) ? 1 : 0;
		job->succeeded += pod->phase == PLM_PHASE_SUCCEEDED ? 1 : 0;
		job->failed += pod->phase == PLM_PHASE_FAILED ? 1 : 0;
		job->pods += is_over(pod) ? 0 : 1;
		if (pod->admission_gated == 0 && !is_over(pod)) {
			job->suspended = 0;
		}
	}
	job->completions = job->group_total;
}

/* All its pods have succeeded, or it may not be repeated and none runs any more. */
static void look_for_end(struct plm_state *st, plm_id id, int64_t now_ms)
{
	const struct plm_job *job = plm_job_at(st, id);
	bool single = (job->group_flags & PLM_GROUP_SINGLE) != 0;
	bool lost = job->pods == 0 && (single || (job->group_flags & PLM_GROUP_UNRETRIABLE) != 0);

	if ((job->group_flags & PLM_GROUP_SERVING) != 0) {
		return;
	}
	if (job->succeeded >= job->group_total) {
		plm_fold_job_end(st, id, PLM_JOB_COMPLETE, now_ms);
	} else if (lost) {
		/* A group that is over has done what it could: Kueue calls that a success. */
		plm_fold_job_end(st, id, single ? PLM_JOB_FAILED : PLM_JOB_COMPLETE, now_ms);
	}
}

/* A group that has lost pods waits until others stand in for them. */
static void hold_back(struct plm_state *st, plm_id id, bool fast)
{
	const struct plm_job *job = plm_job_at(st, id);
	bool whole = job->parallelism >= job->group_total || (fast && job->parallelism > 0);

	if (job->workload_id.n != 0 && plm_workload_at(st, job->workload_id)->object.seq == 0) {
		plm_workload_edit(st, job->workload_id)->gated = whole ? 0 : PLM_GATED_BY_GROUP;
	}
}

void plm_fold_group_look(const struct plm_fold *f, plm_id id, int64_t now_ms)
{
	struct plm_state *st = f->st;
	struct plm_job *job = plm_job_edit(st, id);
	struct roles roles = {.count = 0};
	bool fast = (job->group_flags & PLM_GROUP_FAST) != 0;

	PLM_ASSERT(job->object.kind == PLM_KIND_POD_GROUP);
	if (job->first_pod.n == 0) {
		plm_fold_gone(st, PLM_KIND_POD_GROUP, id);
		return;
	}
	count_pods(st, job);
	gather(st, job, &roles);
	if (fast && roles.count > 0) {
		roles.count = 1;
		roles.sets[0].count = job->group_total;
	}
	if (job->parallelism >= job->group_total || (fast && roles.count > 0)) {
		job->managed = !roles.too_many &&
			       plm_fold_integrates(st, PLM_KIND_POD_GROUP, job->object.ns);
		job->pod_sets = plm_intern_span(st, roles.sets, roles.count, sizeof(roles.sets[0]));
	}
	job->reclaimable =
		(job->group_flags & PLM_GROUP_SERVING) != 0
			? (plm_sym){0}
			: plm_intern_span(st, roles.done, roles.done_count, sizeof(roles.done[0]));
	if (job->managed == 1) {
		plm_fold_job_link(f, id);
		hold_back(st, id, fast);
	}
	look_for_end(st, id, now_ms);
	if (plm_job_at(st, id)->workload_id.n != 0) {
		plm_life_look_at_pods(st, plm_job_at(st, id)->workload_id, now_ms);
	}
}

static bool has_gate(struct plm_vec gates, const char *name)
{
	const struct plm_slice *names = gates.ptr;

	for (size_t i = 0; i < gates.count; i++) {
		if (plm_slice_is(names[i], name)) {
			return true;
		}
	}
	return false;
}

void plm_fold_group_pod(const struct plm_folding *in, plm_id id, const struct plm_w_pod *w)
{
	struct plm_state *st = in->f.st;
	struct plm_pod *pod = plm_pod_edit(st, id);
	struct plm_job *job = NULL;
	plm_id group = {0};

	pod->admission_gated = has_gate(w->gates, PLM_GATE_ADMISSION);
	pod->group = (plm_sym){0};
	pod->told = pod->admission_gated == 1 ? pod->told : 1;
	if (w->group.size == 0 || plm_fold_managed_above(st, pod->object.owner_uid)) {
		return;
	}
	pod->group = plm_fold_text(&in->f, w->group);
	pod->role = plm_fold_text(&in->f, w->role);
	pod->group_flags = (uint32_t)w->group_flags;
	group = join(st, id);
	job = plm_job_edit(st, group);
	job->queue = plm_fold_text(&in->f, w->queue);
	job->priority_class = plm_fold_text(&in->f, w->queue_class);
	job->group_flags |= (uint32_t)w->group_flags;
	job->group_total = (uint32_t)plm_max(1, plm_min(w->group_total, PLM_LIMIT_POD_SET_PODS));
	job->max_exec_s = w->max_exec_s;
	plm_fold_group_look(&in->f, group, (int64_t)in->ev->tick_ms);
}
