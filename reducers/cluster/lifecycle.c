/*
 * Work on its way in and out: what an admitted workload's job is told, and when quota comes back.
 *
 * ADMITTED and not told to run: job.start, or the pods of a PodSet one by one. Evicted: job.stop, or its
 * pods deleted; when nothing of it runs any more, RELEASE. A managed job that runs without admission is
 * stopped. Sources: kueue.md 2.14 (eviction protocol, two phases); dialect.md PodSet.
 */
#include "core/integration.h"
#include "reducers/admission/due.h"
#include "reducers/area.h"
#include "reducers/cluster/additions.h"
#include "reducers/cluster/parts.h"
#include "reducers/cluster/ungate.h"

struct pass {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_out *out;
	int64_t now_ms;
};

static struct plm_slice text(const struct pass *p, plm_sym sym)
{
	return plm_str(p->st, sym);
}

static const struct plm_assignment *assignments(const struct pass *p, plm_id id, uint32_t *count)
{
	return PLM_SPAN(p->st, plm_workload_at(p->st, id)->assignments, struct plm_assignment,
			count);
}

/* ---- intents ----------------------------------------------------------------------------------- */

static struct plm_w_intent *new_intent(const struct pass *p, enum plm_call call,
				       const struct plm_object *target)
{
	struct plm_w_intent *intent = PLM_NEW(p->arena, struct plm_w_intent);

	intent->call = call;
	intent->kind = target->kind;
	intent->ns = text(p, target->ns);
	intent->name = text(p, target->name);
	intent->uid = text(p, target->uid);
	intent->encoder = PLM_ENCODER_VERSION;
	intent->deadline_ms = PLM_UNSET;
	return intent;
}

static void start_job(const struct pass *p, plm_id workload, const struct plm_job *job)
{
	struct plm_w_req_job_start *request = PLM_NEW(p->arena, struct plm_w_req_job_start);
	uint32_t count = 0;
	struct plm_w_start_set *starts = NULL;

	(void)assignments(p, workload, &count);
	starts = PLM_NEW_ARRAY(p->arena, count, struct plm_w_start_set);
	for (uint32_t i = 0; i < count; i++) {
		plm_additions_fill(p->st, p->arena, workload, i, &starts[i]);
	}
	request->kind = job->object.kind;
	request->ns = text(p, job->object.ns);
	request->name = text(p, job->object.name);
	request->uid = text(p, job->object.uid);
	request->pod_sets = (struct plm_vec){starts, count};
	(void)plm_out_intent(p->out, new_intent(p, PLM_CALL_JOB_START, &job->object), request,
			     PLM_CAUSE_CYCLE);
}

static void stop_job(const struct pass *p, const struct plm_job *job)
{
	struct plm_w_req_job_stop *request = PLM_NEW(p->arena, struct plm_w_req_job_stop);

	request->kind = job->object.kind;
	request->ns = text(p, job->object.ns);
	request->name = text(p, job->object.name);
	request->uid = text(p, job->object.uid);
	(void)plm_out_intent(p->out, new_intent(p, PLM_CALL_JOB_STOP, &job->object), request,
			     PLM_CAUSE_CYCLE);
}

/* It does not start, ever: what checks add to its pods cannot be. */
static void fail_to_start(const struct pass *p, plm_id id,
			  const struct plm_addition_conflict *conflict)
{
	const struct plm_object *object = &plm_workload_at(p->st, id)->object;
	struct plm_w_finish *finish = PLM_NEW(p->arena, struct plm_w_finish);
	struct plm_slice key = text(p, conflict->key);
	struct plm_slice set = text(p, conflict->pod_set);

	PLM_ASSERT(conflict->key.n != 0 && conflict->field != NULL);
	finish->ns = text(p, object->ns);
	finish->name = text(p, object->name);
	finish->reason = PLM_REASON_FAILED_TO_START;
	finish->why = (struct plm_w_explain){
		.kind = PLM_KIND_WORKLOAD,
		.ns = finish->ns,
		.name = finish->name,
		.rule = PLM_RULE_START_CONFLICT,
		.reason = finish->reason,
		.object = text(p, conflict->check),
		.need = PLM_UNSET,
		.have = PLM_UNSET,
		.limit = PLM_UNSET,
		.detail = plm_arena_format(p->arena, "%s %.*s of pod set %.*s", conflict->field,
					   (int)key.size, (const char *)key.ptr, (int)set.size,
					   (const char *)set.ptr),
	};
	(void)plm_out_add(p->out, PLM_EV_FINISH, finish, PLM_CAUSE_CYCLE);
}

/* Deletion of what has been kept long enough, or the end of spec.active, as far as there is an object. */
static void ask(const struct pass *p, enum plm_call call, const struct plm_object *object)
{
	struct plm_w_req_work *request = PLM_NEW(p->arena, struct plm_w_req_work);

	request->kind = object->kind;
	request->ns = text(p, object->ns);
	request->name = text(p, object->name);
	request->uid = text(p, object->uid);
	(void)plm_out_intent(p->out, new_intent(p, call, object), request, PLM_CAUSE_CYCLE);
}

static void halt(const struct pass *p, const struct plm_workload *workload)
{
	struct plm_w_req_job_stop *request = PLM_NEW(p->arena, struct plm_w_req_job_stop);

	request->kind = PLM_KIND_WORKLOAD;
	request->ns = text(p, workload->object.ns);
	request->name = text(p, workload->object.name);
	request->uid = text(p, workload->object.uid);
	(void)plm_out_intent(p->out, new_intent(p, PLM_CALL_JOB_STOP, &workload->object), request,
			     PLM_CAUSE_CYCLE);
}

static void make_pod(const struct pass *p, const struct plm_w_start_set *more,
		     const struct plm_job *set, uint32_t index)
{
	struct plm_w_req_pod_create *request = PLM_NEW(p->arena, struct plm_w_req_pod_create);
	struct plm_w_intent *intent = new_intent(p, PLM_CALL_POD_CREATE, &set->object);
	struct plm_slice owner = text(p, set->object.name);

	request->name = plm_arena_format(p->arena, "%.*s-%u", (int)owner.size,
					 (const char *)owner.ptr, index);
	request->ns = text(p, set->object.ns);
	request->owner = owner;
	request->owner_uid = text(p, set->object.uid);
	request->index = index;
	request->node_selector = more->node_selector;
	request->tolerations = more->tolerations;
	request->labels = more->labels;
	request->annotations = more->annotations;
	request->gate = more->gate;
	intent->kind = PLM_KIND_POD;
	intent->name = request->name;
	(void)plm_out_intent(p->out, intent, request, PLM_CAUSE_CYCLE);
}

/* 'call' is pod.delete or pod.finalize. */
static void end_pod(const struct pass *p, enum plm_call call, const struct plm_pod *pod)
{
	struct plm_w_req_pod *request = PLM_NEW(p->arena, struct plm_w_req_pod);

	request->ns = text(p, pod->object.ns);
	request->name = text(p, pod->object.name);
	request->uid = text(p, pod->object.uid);
	request->grace_ms = PLM_UNSET;
	(void)plm_out_intent(p->out, new_intent(p, call, &pod->object), request, PLM_CAUSE_CYCLE);
}

static void delete_pod(const struct pass *p, const struct plm_pod *pod)
{
	end_pod(p, PLM_CALL_POD_DELETE, pod);
}

static void ungate_pod(const struct pass *p, const struct plm_pod *pod, plm_id workload,
		       uint32_t set)
{
	struct plm_w_start_set more = {.count = 0};
	struct plm_w_req_pod_ungate *request = PLM_NEW(p->arena, struct plm_w_req_pod_ungate);

	request->ns = text(p, pod->object.ns);
	request->name = text(p, pod->object.name);
	request->uid = text(p, pod->object.uid);
	request->gate = plm_slice_str(PLM_GATE_ADMISSION);
	plm_additions_fill(p->st, p->arena, workload, set, &more);
	request->node_selector = more.node_selector;
	request->tolerations = more.tolerations;
	request->labels = more.labels;
	(void)plm_out_intent(p->out, new_intent(p, PLM_CALL_POD_UNGATE, &pod->object), request,
			     PLM_CAUSE_CYCLE);
}

/* ---- groups of pods ---------------------------------------------------------------------------- */

static bool is_over(const struct plm_pod *pod)
{
	return pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED;
}

/* A pod of role 'role' that may still do its part; 'passed' = its gate is gone, or going. */
static bool has_part(const struct plm_pod *pod, plm_sym role, bool passed)
{
	return plm_sym_equal(pod->role, role) && pod->phase != PLM_PHASE_FAILED &&
	       pod->object.deleting_ms == PLM_UNSET && (pod->told == 1) == passed;
}

/* The gates of as many pods of one role as were let in: those that have passed count first. */
static void ungate_role(const struct pass *p, plm_id workload, const struct plm_job *group,
			uint32_t set)
{
	uint32_t count = 0;
	const struct plm_assignment *sets = assignments(p, workload, &count);
	int64_t room = 0;

	PLM_ASSERT(set < count);
	room = sets[set].count;
	for (plm_id id = group->first_pod; id.n != 0; id = plm_pod_at(p->st, id)->group_next) {
		room -= has_part(plm_pod_at(p->st, id), sets[set].name, true) ? 1 : 0;
	}
	for (plm_id id = group->first_pod; id.n != 0 && room > 0;
	     id = plm_pod_at(p->st, id)->group_next) {
		if (has_part(plm_pod_at(p->st, id), sets[set].name, false)) {
			ungate_pod(p, plm_pod_at(p->st, id), workload, set);
			room--;
		}
	}
}

static void ungate_group(const struct pass *p, plm_id workload, const struct plm_job *group)
{
	uint32_t count = 0;

	(void)assignments(p, workload, &count);
	for (uint32_t i = 0; i < count; i++) {
		ungate_role(p, workload, group, i);
	}
}

/* Pods that have passed the gate go: that is how a group is stopped. */
static void delete_group(const struct pass *p, const struct plm_job *group)
{
	for (plm_id id = group->first_pod; id.n != 0; id = plm_pod_at(p->st, id)->group_next) {
		const struct plm_pod *pod = plm_pod_at(p->st, id);

		if (pod->admission_gated == 0 && !is_over(pod) && pod->ending == 0 &&
		    pod->object.deleting_ms == PLM_UNSET) {
			delete_pod(p, pod);
		}
	}
}

/* A pod of it is past the gate, or on its way through. */
static bool group_passed(const struct pass *p, const struct plm_job *group)
{
	for (plm_id id = group->first_pod; id.n != 0; id = plm_pod_at(p->st, id)->group_next) {
		const struct plm_pod *pod = plm_pod_at(p->st, id);

		if (pod->told == 1 && !is_over(pod)) {
			return true;
		}
	}
	return false;
}

/* ---- PodSets ----------------------------------------------------------------------------------- */

/* It has done its part or is told to go, and only upstream's finalizer would keep it. */
static bool is_kept(const struct plm_pod *pod)
{
	return pod->managed == 1 && pod->finalizing == PLM_FINALIZING_NOT &&
	       (is_over(pod) || pod->object.deleting_ms != PLM_UNSET);
}

/*
 * Pods of stopped PodSets go; failed pods of running ones make room for another try. Pods that were
 * upstream's are let go when they are over.
 */
static void sweep_pods(const struct pass *p)
{
	PLM_EACH(p->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(p->st, id);
		plm_id set_id = plm_index_find(p->st, PLM_KEY_JOB_UID, pod->object.owner_uid.n, 0);
		const struct plm_job *set = set_id.n == 0 || pod->object.owner_uid.n == 0
						    ? NULL
						    : plm_job_at(p->st, set_id);
		bool failed = pod->phase == PLM_PHASE_FAILED;

		if (is_kept(pod)) {
			end_pod(p, PLM_CALL_POD_FINALIZE, pod);
		}
		if (set == NULL || set->object.kind != PLM_KIND_POD_SET || pod->ending == 1 ||
		    pod->object.deleting_ms != PLM_UNSET || set->end != PLM_JOB_OPEN) {
			continue;
		}
		if (failed ? set->started != PLM_TOLD_NOTHING
			   : set->started == PLM_TOLD_TO_STOP &&
				     pod->phase != PLM_PHASE_SUCCEEDED) {
			delete_pod(p, pod);
		}
	}
}

static void run_set(const struct pass *p, plm_id workload, const struct plm_job *set)
{
	uint32_t count = 0;
	uint32_t again = 0;
	const struct plm_assignment *sets = assignments(p, workload, &count);
	const uint32_t *remake = PLM_SPAN(p->st, set->remake, uint32_t, &again);
	struct plm_w_start_set more;

	if (count == 0 || set->started == PLM_TOLD_TO_STOP ||
	    (again == 0 && set->next_index >= sets[0].count)) {
		return;
	}
	plm_additions_fill(p->st, p->arena, workload, 0, &more);
	for (uint32_t i = 0; i < again; i++) {
		make_pod(p, &more, set, remake[i]);
	}
	for (uint32_t i = set->next_index; i < sets[0].count; i++) {
		make_pod(p, &more, set, i);
	}
}

/* ---- workloads --------------------------------------------------------------------------------- */

static bool holds_quota(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED;
}

/* Nothing of the job runs any more. */
static bool stopped(const struct pass *p, const struct plm_workload *workload)
{
	const struct plm_job *job = workload->job.n == 0 ? NULL : plm_job_at(p->st, workload->job);

	if (job == NULL) {
		return plm_root(p->st)->settle == 1 || workload->halt == PLM_HALT_DONE;
	}
	if (plm_root(p->st)->settle == 1) {
		return true;
	}
	if (job->object.kind == PLM_KIND_POD_SET) {
		return job->pods == 0;
	}
	if (job->object.kind == PLM_KIND_POD_GROUP) {
		return !group_passed(p, job);
	}
	/* Told to run and not seen running yet: its start is on its way. */
	return job->suspended == 1 && job->active == 0 && job->started != PLM_TOLD_TO_RUN;
}

/* Anything else keeps it parked until it is over: kueue.md 2.14, life.c says when. */
static bool may_try_again(int64_t reason)
{
	return reason == PLM_REASON_PREEMPTED || reason == PLM_REASON_NODE_FAILURES;
}

static void release(const struct pass *p, plm_id id, const struct plm_workload *workload)
{
	struct plm_w_release *release = PLM_NEW(p->arena, struct plm_w_release);
	int64_t reason = plm_names_find(&plm_names_reason, text(p, workload->evicted_reason));

	release->ns = text(p, workload->object.ns);
	release->name = text(p, workload->object.name);
	release->reason = reason < 0 ? PLM_REASON_NONE : reason;
	release->requeued = may_try_again(reason);
	release->why = (struct plm_w_explain){
		.kind = PLM_KIND_WORKLOAD,
		.ns = release->ns,
		.name = release->name,
		.rule = PLM_RULE_EVICTED,
		.reason = release->reason,
		.object = text(p, workload->reserved_in),
		.need = PLM_UNSET,
		.have = PLM_UNSET,
		.limit = PLM_UNSET,
	};
	PLM_ASSERT(id.n != 0);
	(void)plm_out_add(p->out, PLM_EV_RELEASE, release, PLM_CAUSE_CYCLE);
}

static bool has_flag(const struct plm_job *job)
{
	return plm_integration((enum plm_kind)job->object.kind)->start == PLM_START_BY_FLAG;
}

static void evicted(const struct pass *p, plm_id id, const struct plm_workload *workload)
{
	const struct plm_job *job = workload->job.n == 0 ? NULL : plm_job_at(p->st, workload->job);

	if (stopped(p, workload)) {
		release(p, id, workload);
		return;
	}
	if (job == NULL && workload->object.owner_uid.n == 0 && workload->halt == PLM_HALT_NONE &&
	    (plm_root(p->st)->publish & PLM_PUBLISH_QUEUES) == 0) {
		halt(p, workload); /* else its own controller stops it and says so */
	}
	if (job != NULL && job->object.kind == PLM_KIND_POD_GROUP) {
		delete_group(p, job);
		return;
	}
	if (job != NULL && has_flag(job) && job->started != PLM_TOLD_TO_STOP &&
	    job->suspended == 0) {
		stop_job(p, job);
	}
}

/* What has ended, or was deactivated, and was kept as long as it is to be. */
static bool retire(const struct pass *p, const struct plm_workload *workload)
{
	int64_t finished = plm_due_finished(p->st, workload);
	int64_t deactivated = plm_due_deactivated(p->st, workload);

	PLM_ASSERT(finished == PLM_UNSET || deactivated == PLM_UNSET);
	if (finished != PLM_UNSET && finished <= p->now_ms) {
		ask(p, PLM_CALL_WORKLOAD_DELETE, &workload->object);
		return true;
	}
	if (deactivated != PLM_UNSET && deactivated <= p->now_ms) {
		ask(p, PLM_CALL_JOB_DELETE, &plm_job_at(p->st, workload->job)->object);
		return true;
	}
	return false;
}

/* We have deactivated it and nobody was told so yet. */
static bool deactivates(const struct plm_workload *workload)
{
	return workload->active == 0 && workload->deactivating == 0 &&
	       workload->evicted_cause != PLM_REASON_NONE && workload->active_told != 1 &&
	       workload->stage != PLM_STAGE_FINISHED;
}

static void tend(const struct pass *p, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(p->st, id);
	const struct plm_job *job = workload->job.n == 0 ? NULL : plm_job_at(p->st, workload->job);
	struct plm_addition_conflict conflict;

	if (retire(p, workload)) {
		return;
	}
	if (deactivates(workload)) {
		ask(p, PLM_CALL_WORKLOAD_DEACTIVATE, &workload->object);
	}
	if (holds_quota(workload) && workload->evicted_ms != PLM_UNSET) {
		evicted(p, id, workload);
		return;
	}
	if (job == NULL || job->end != PLM_JOB_OPEN || job->object.deleting_ms != PLM_UNSET) {
		return;
	}
	if (workload->stage == PLM_STAGE_ADMITTED) {
		if (job->started == PLM_TOLD_NOTHING &&
		    plm_additions_conflict(p->st, p->arena, id, &conflict)) {
			fail_to_start(p, id, &conflict);
		} else if (job->object.kind == PLM_KIND_POD_SET) {
			run_set(p, id, job);
		} else if (job->object.kind == PLM_KIND_POD_GROUP) {
			ungate_group(p, id, job);
		} else if (job->started == PLM_TOLD_NOTHING && job->suspended == 1) {
			start_job(p, id, job);
		}
	} else if (job->object.kind == PLM_KIND_POD_GROUP) {
		delete_group(p, job); /* runs without quota */
	} else if (has_flag(job) && job->suspended == 0 && job->active > 0 &&
		   job->started == PLM_TOLD_NOTHING) {
		stop_job(p, job); /* runs without quota */
	}
}

bool plm_lifecycle_step(const struct plm_state *st, struct plm_cycle_run *run,
			struct plm_arena *scratch, struct plm_out *out)
{
	struct pass p = {st, scratch, out, run->cycle.now_ms};

	PLM_ASSERT(run->phase == PLM_CYCLE_LIFECYCLE || run->phase == PLM_CYCLE_START);
	/* A pending workload whose job is suspended has nothing to be tended. */
	PLM_EACH_MARKED(st,
			PLM_MARKED(PLM_MARK_BEGUN) | PLM_MARKED(PLM_MARK_LOOSE) |
				PLM_MARKED(PLM_MARK_INACTIVE),
			id)
	{
		tend(&p, id);
	}
	sweep_pods(&p);
	plm_ungate(st, scratch, out);
	return true;
}

int64_t plm_lifecycle_next_due(const struct plm_state *st)
{
	(void)st;
	return PLM_UNSET; /* what is due here stands among the timers of admission */
}
