/* Workloads, Jobs and PodSets: kueue.md 1.5, 2.1, 2.2; dialect.md PodSet; exact.md 8. */
#include "reducers/cluster/fold.h"
#include "reducers/cluster/life.h"
#include "reducers/publish/publish.h"

/* ---- priorities -------------------------------------------------------------------------------- */

static bool class_value(const struct plm_state *st, enum plm_kind kind, plm_sym name, int64_t *out)
{
	plm_id id = name.n == 0 ? (plm_id){0} : plm_find(st, kind, (plm_sym){0}, name);

	if (id.n == 0) {
		return false;
	}
	*out = plm_priority_class_at(st, id)->value;
	return true;
}

static int64_t default_priority(const struct plm_state *st)
{
	plm_id best = {0};

	PLM_EACH(st, priority_class, id)
	{
		const struct plm_priority_class *class = plm_priority_class_at(st, id);

		if (class->object.kind == PLM_KIND_PRIORITY_CLASS && class->global_default == 1 &&
		    (best.n == 0 || class->value < plm_priority_class_at(st, best)->value)) {
			best = id;
		}
	}
	return best.n == 0 ? 0 : plm_priority_class_at(st, best)->value;
}

int64_t plm_fold_priority(const struct plm_state *st, int64_t given, plm_sym workload_class,
			  plm_sym pod_class)
{
	int64_t value = 0;

	if (given != PLM_UNSET) {
		return given;
	}
	if (class_value(st, PLM_KIND_WORKLOAD_PRIORITY_CLASS, workload_class, &value) ||
	    class_value(st, PLM_KIND_PRIORITY_CLASS, workload_class, &value) ||
	    class_value(st, PLM_KIND_PRIORITY_CLASS, pod_class, &value)) {
		return value;
	}
	return default_priority(st);
}

/* The class of the first pod set whose template names one: kueue.md 1.8. */
static plm_sym template_class(const struct plm_state *st, plm_sym pod_sets, int64_t *out_given)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets = PLM_SPAN(st, pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = 0;
		const struct plm_shape *shape = PLM_SPAN(st, sets[i].shape, struct plm_shape, &one);

		PLM_ASSERT(one == 1);
		if (shape->priority_class.n != 0 || shape->priority != PLM_UNSET) {
			*out_given = shape->priority;
			return shape->priority_class;
		}
	}
	return (plm_sym){0};
}

static void set_priority(struct plm_state *st, plm_id id)
{
	struct plm_workload *workload = plm_workload_edit(st, id);
	int64_t template_given = PLM_UNSET;
	plm_sym pod_class = template_class(st, workload->pod_sets, &template_given);
	int64_t given = workload->priority_given;

	if (given == PLM_UNSET && workload->priority_class.n == 0) {
		given = template_given;
	}
	workload->priority = plm_fold_priority(st, given, workload->priority_class, pod_class);
}

void plm_fold_priorities(struct plm_state *st)
{
	PLM_EACH(st, workload, id)
	{
		set_priority(st, id);
	}
	PLM_EACH(st, pod, id)
	{
		uint32_t one = 0;
		const struct plm_shape *shape =
			PLM_SPAN(st, plm_pod_at(st, id)->shape, struct plm_shape, &one);

		plm_pod_edit(st, id)->priority =
			plm_fold_priority(st, shape->priority, (plm_sym){0}, shape->priority_class);
	}
}

/* ---- workloads --------------------------------------------------------------------------------- */

/* A workload that nothing is known of but that it waits. */
static void begin_workload(struct plm_workload *workload)
{
	workload->stage = PLM_STAGE_PENDING;
	workload->place = PLM_QUEUE_ACTIVE;
	workload->active = 1;
	workload->priority_given = PLM_UNSET;
	workload->reserved_ms = PLM_UNSET;
	workload->admitted_ms = PLM_UNSET;
	workload->evicted_ms = PLM_UNSET;
	workload->finished_ms = PLM_UNSET;
	workload->requeue_at_ms = PLM_UNSET;
	workload->places_deadline_ms = PLM_UNSET;
	workload->pods_ready_ms = PLM_UNSET;
	workload->ready_by_ms = PLM_UNSET;
	workload->requeued_ms = PLM_UNSET;
	workload->write_at_ms = PLM_UNSET;
}

/* Whether it is here that nodes are found unhealthy, and said so. */
static bool writes_status(const struct plm_state *st)
{
	return (plm_root(st)->publish & PLM_PUBLISH_QUEUES) != 0;
}

static void fill_spec(const struct plm_folding *in, plm_id id, const struct plm_w_workload *w)
{
	struct plm_workload *workload = plm_workload_edit(in->f.st, id);

	workload->queue = plm_fold_text(&in->f, w->queue);
	workload->priority_class = plm_fold_text(&in->f, w->priority_class);
	workload->pod_sets = plm_fold_pod_sets(&in->f, w->pod_sets);
	if (workload->active_told == 0 || !writes_status(in->f.st)) {
		workload->unhealthy = plm_fold_texts(&in->f, w->unhealthy);
	}
	plm_life_active_told(workload, w->active == 1);
	workload->gated = w->gated == 1;
	workload->elastic = w->elastic == 1;
	workload->priority_given = w->priority;
	workload->max_execution_s = (uint32_t)w->max_execution_s;
	plm_life_checks_told(in, id, w->checks, true);
	if (workload->job.n == 0 || !writes_status(in->f.st)) {
		plm_life_given_back(in, id, w->reclaimable);
	}
}

static enum plm_stage stage_of(const struct plm_w_workload *w)
{
	if (w->finished_ms != PLM_UNSET) {
		return PLM_STAGE_FINISHED;
	}
	if (w->cluster_queue.size == 0 || w->reserved_ms == PLM_UNSET) {
		return PLM_STAGE_PENDING;
	}
	return w->admitted_ms == PLM_UNSET ? PLM_STAGE_RESERVED : PLM_STAGE_ADMITTED;
}

static uint32_t reason_called(struct plm_slice text)
{
	int64_t reason = plm_names_find(&plm_names_reason, text);

	return reason < 0 ? PLM_REASON_NONE : (uint32_t)reason;
}

/* "DeactivatedDueToAdmissionCheck" is a reason and the cause under it. */
static void fill_evicted(const struct plm_folding *in, struct plm_workload *workload,
			 struct plm_slice text)
{
	static const struct plm_slice due = {(const uint8_t *)"DueTo", 5};

	workload->evicted_cause = PLM_REASON_NONE;
	for (size_t i = 0; i + due.size < text.size; i++) {
		if (memcmp(text.ptr + i, due.ptr, due.size) == 0) {
			workload->evicted_cause = reason_called(
				plm_slice_of(text.ptr + i + due.size, text.size - i - due.size));
			text.size = i;
		}
	}
	workload->evicted_reason = plm_fold_text(&in->f, text);
}

/* What the object says of its pods; where their job is known, that says it. */
static void fill_pods_ready(struct plm_state *st, plm_id id, const struct plm_w_workload *w)
{
	struct plm_workload *workload = plm_workload_edit(st, id);
	bool again = reason_called(w->pods_ready_reason) == PLM_REASON_WAIT_FOR_RECOVERY ||
		     reason_called(w->pods_ready_reason) == PLM_REASON_RECOVERED;

	if (w->pods_ready == 0) {
		return;
	}
	if (w->pods_ready == 1) {
		workload->pods_ready = again ? PLM_PODS_RECOVERED : PLM_PODS_STARTED;
	} else {
		workload->pods_ready = again ? PLM_PODS_WAIT_FOR_RECOVERY : PLM_PODS_WAIT_FOR_START;
	}
	workload->pods_ready_ms = w->pods_ready_ms;
	plm_life_deadline(st, id);
}

/*
 * What the object's status says: taken from the first fact only, unless another program decides on queues:
 * then it is as that one says.
 */
static void fill_status(const struct plm_folding *in, struct plm_workload *workload,
			const struct plm_w_workload *w)
{
	workload->stage = stage_of(w);
	workload->reserved_in = (plm_sym){0};
	workload->cluster_queue = (plm_id){0};
	workload->assignments = (plm_sym){0};
	if (workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED) {
		workload->reserved_in = plm_fold_text(&in->f, w->cluster_queue);
		workload->cluster_queue = plm_find(in->f.st, PLM_KIND_CLUSTER_QUEUE, (plm_sym){0},
						   workload->reserved_in);
		workload->assignments = plm_fold_assignments(&in->f, w->assignments);
	}
	workload->reserved_ms = w->reserved_ms;
	workload->admitted_ms = w->admitted_ms;
	workload->evicted_ms = w->evicted_ms;
	fill_evicted(in, workload, w->evicted_reason);
	workload->requeued = (int32_t)w->requeued;
	workload->requeued_reason = reason_called(w->requeued_reason);
	workload->requeue_count = (uint32_t)w->requeue_count;
	workload->past_execution_s = (uint32_t)w->past_execution_s;
	workload->requeue_at_ms = w->requeue_at_ms;
	workload->finished_ms = w->finished_ms;
	workload->finished_reason = plm_fold_text(&in->f, w->finished_reason);
}

/* Another program decides on queues. */
static bool is_followed(const struct plm_state *st)
{
	uint32_t only = plm_root(st)->only;

	return only == PLM_ONLY_NODES || only == PLM_ONLY_NOTHING;
}

/* The Workload object of a job under another name than ours takes the place of the one made here. */
static void adopt(struct plm_state *st, plm_id id, plm_sym owner_uid)
{
	plm_id job = owner_uid.n == 0 ? (plm_id){0} : plm_fold_job_of(st, owner_uid);
	plm_id made = job.n == 0 ? (plm_id){0} : plm_job_at(st, job)->workload_id;

	if (owner_uid.n != 0) {
		plm_index_put(st, PLM_KEY_WORKLOAD_OWNER, owner_uid.n, 0, id);
	}
	if (job.n == 0) {
		job = plm_index_find(st, PLM_KEY_PREBUILT, plm_workload_at(st, id)->object.ns.n,
				     plm_workload_at(st, id)->object.name.n);
		made = job.n == 0 ? job : plm_job_at(st, job)->workload_id;
	}
	if (job.n == 0 || made.n == id.n || plm_job_at(st, job)->managed == 0) {
		return;
	}
	if (made.n != 0 && plm_workload_at(st, made)->object.seq == 0) {
		plm_fold_gone(st, PLM_KIND_WORKLOAD, made);
	}
	plm_job_edit(st, job)->workload_id = id;
	plm_workload_edit(st, id)->job = job;
}

void plm_fold_workload(const struct plm_folding *in, const struct plm_w_workload *w)
{
	struct plm_state *st = in->f.st;
	plm_sym ns = plm_fold_text(&in->f, w->meta.ns);
	plm_sym name = plm_fold_text(&in->f, w->meta.name);
	plm_id before = plm_find(st, PLM_KIND_WORKLOAD, ns, name);
	bool known = before.n != 0 && plm_workload_at(st, before)->object.seq != 0;
	struct plm_publish_seen seen = plm_publish_before(st, before);
	bool made = false;
	plm_id id = plm_fold_object(in, PLM_KIND_WORKLOAD, &w->meta, &made);
	struct plm_workload *workload = plm_workload_edit(st, id);

	if (made) {
		begin_workload(workload);
	}
	fill_spec(in, id, w);
	workload = plm_workload_edit(st, id);
	/* One that we have decided on since it was made for its job keeps what was decided. */
	seen.first = made || is_followed(st) ||
		     (!known && workload->stage == PLM_STAGE_PENDING && workload->why.seq == 0 &&
		      workload->making == PLM_MAKING_NOT);
	if (seen.first) {
		fill_status(in, workload, w);
	} else if (w->finished_ms != PLM_UNSET && workload->stage != PLM_STAGE_FINISHED) {
		plm_fold_finish(st, id, w->finished_ms, plm_fold_text(&in->f, w->finished_reason));
	}
	plm_fold_pod_limits(&in->f, id);
	workload = plm_workload_edit(st, id);
	if (workload->job.n == 0) {
		fill_pods_ready(st, id, w);
	}
	/* Its controller has seen the eviction and given the quota back. */
	if (known && plm_publish_answers(st, id, w)) {
		workload->halt = PLM_HALT_DONE;
	}
	set_priority(st, id);
	adopt(st, id, workload->object.owner_uid);
	plm_publish_after(st, id, w, &seen);
}

void plm_fold_finish(struct plm_state *st, plm_id id, int64_t at_ms, plm_sym reason)
{
	struct plm_workload *workload = plm_workload_edit(st, id);

	PLM_ASSERT(workload->stage != PLM_STAGE_FINISHED);
	plm_root_change(st)->room_freed = 1; /* the places of a gang */
	workload->stage = PLM_STAGE_FINISHED;
	workload->finished_ms = at_ms;
	workload->finished_reason = reason;
	workload->evicted_ms = PLM_UNSET;
	workload->evicted_reason = (plm_sym){0};
	workload->evicted_cause = PLM_REASON_NONE;
	workload->ready_by_ms = PLM_UNSET;
	workload->requeue_at_ms = PLM_UNSET;
}

/* ---- jobs -------------------------------------------------------------------------------------- */

plm_id plm_fold_job_of(const struct plm_state *st, plm_sym owner_uid)
{
	return plm_index_find(st, PLM_KEY_JOB_UID, owner_uid.n, 0);
}

static bool has_flag(enum plm_kind kind)
{
	return plm_integration(kind)->start == PLM_START_BY_FLAG;
}

static void fill_job(const struct plm_folding *in, struct plm_job *job, const struct plm_w_job *w)
{
	bool stops = w->suspended == 1 && (job->suspended == 0 || job->started == PLM_TOLD_TO_STOP);

	if (has_flag((enum plm_kind)job->object.kind) && stops) {
		job->started = PLM_TOLD_NOTHING; /* it has stopped: it may be started again */
	}

	job->workload = plm_fold_text(&in->f, w->workload);
	job->queue = plm_fold_text(&in->f, w->queue);
	job->work_queue = plm_fold_text(&in->f, w->work_queue);
	job->priority_class = plm_fold_text(&in->f, w->priority_class);
	job->pod_sets = plm_fold_pod_sets(&in->f, w->pod_sets);
	job->reclaimable = plm_fold_pod_counts(&in->f, w->reclaimable);
	job->named = w->managed < 0 ? PLM_NAMED_NEVER : w->managed == 1 ? PLM_NAMED : PLM_NAMED_NOT;
	job->suspended = w->suspended == 1;
	job->indexed = w->indexed == 1;
	job->elastic = w->elastic == 1;
	job->prebuilt = w->prebuilt == 1;
	job->parallelism = w->parallelism;
	job->completions = w->completions;
	job->backoff_limit = w->backoff_limit;
	job->min_parallelism = w->min_parallelism;
	job->max_exec_s = w->max_exec_s;
	job->runtime = plm_fold_text(&in->f, w->runtime);
	job->runtime_kind = (uint32_t)w->runtime_kind;
	job->nodes = w->nodes;
	job->node_requests = plm_fold_amounts(&in->f, w->node_requests);
	job->started_ms = w->started_ms;
	if (job->object.kind != PLM_KIND_POD_SET) {
		job->active = w->active;
		job->ready = w->ready;
		job->succeeded = w->succeeded;
		job->failed = w->failed;
	}
}

/*
 * The workload of a managed job: the object that it owns, the one of its name, or one made now. One that
 * somebody else makes is waited for: 0.
 */
static plm_id job_workload(struct plm_state *st, const struct plm_job *job)
{
	plm_id id = plm_index_find(st, PLM_KEY_WORKLOAD_OWNER, job->object.uid.n, 0);

	if (id.n == 0) {
		id = plm_find(st, PLM_KIND_WORKLOAD, job->object.ns, job->workload);
	}
	if (id.n == 0 && job->prebuilt == 0) {
		id = plm_slot_new_object(st, PLM_KIND_WORKLOAD, job->object.ns, job->workload);
		begin_workload(plm_workload_edit(st, id));
	}
	return id;
}

/* A workload without an object of its own says what its job says. */
static void mirror(const struct plm_fold *f, plm_id workload_id, const struct plm_job *job)
{
	struct plm_state *st = f->st;
	struct plm_workload *workload = plm_workload_edit(st, workload_id);

	if (workload->object.seq != 0) {
		if (writes_status(st)) { /* what its pods give back is ours to write */
			plm_life_reclaimable(f, workload_id, job->reclaimable);
		}
		return;
	}
	workload->object.labels = job->object.labels;
	workload->object.created_ms = job->object.created_ms;
	workload->object.deleting_ms = job->object.deleting_ms;
	workload->object.uid = job->object.uid;
	workload->object.owner_name = job->object.name;
	workload->object.owner_uid = job->object.uid;
	workload->object.owner_kind =
		plm_intern(st, plm_slice_str(plm_names_text(&plm_names_kind, job->object.kind)));
	workload->queue = job->queue;
	workload->priority_class = job->priority_class;
	workload->max_execution_s = job->max_exec_s > 0 ? (uint32_t)job->max_exec_s : 0;
	workload->elastic = job->elastic;
	if (workload->stage == PLM_STAGE_PENDING) {
		workload->pod_sets = job->pod_sets;
		plm_fold_pod_limits(f, workload_id);
	}
	plm_life_reclaimable(f, workload_id, job->reclaimable);
	plm_index_put(st, PLM_KEY_WORKLOAD_OWNER, job->object.uid.n, 0, workload_id);
	set_priority(st, workload_id);
}

void plm_fold_job_end(struct plm_state *st, plm_id id, enum plm_job_end end, int64_t at_ms)
{
	const struct plm_job *job = plm_job_at(st, id);

	if (end == PLM_JOB_OPEN || job->end != PLM_JOB_OPEN) {
		return;
	}
	plm_job_edit(st, id)->end = end;
	plm_job_edit(st, id)->ended_ms = at_ms;
	if (job->workload_id.n != 0 &&
	    plm_workload_at(st, job->workload_id)->stage != PLM_STAGE_FINISHED) {
		const char *reason = end == PLM_JOB_COMPLETE ? "Succeeded" : "Failed";

		plm_fold_finish(st, job->workload_id, at_ms, plm_intern(st, plm_slice_str(reason)));
	}
}

void plm_fold_job_link(const struct plm_fold *f, plm_id id)
{
	struct plm_state *st = f->st;
	const struct plm_job *job = plm_job_at(st, id);
	plm_id workload = job->workload_id;

	if (job->managed == 1 && workload.n == 0 && job->end == PLM_JOB_OPEN) {
		/* one that was over has been cleared away */
		workload = job_workload(st, job);
		plm_job_edit(st, id)->workload_id = workload;
		if (workload.n != 0) {
			plm_workload_edit(st, workload)->job = id;
		}
	} else if (job->managed == 0 && workload.n != 0 &&
		   plm_workload_at(st, workload)->object.seq == 0) {
		plm_fold_gone(st, PLM_KIND_WORKLOAD, workload); /* its owner stands for it now */
		workload = (plm_id){0};
	}
	if (workload.n != 0) {
		mirror(f, workload, plm_job_at(st, id));
	}
}

void plm_fold_job(const struct plm_folding *in, const struct plm_w_job *w)
{
	struct plm_state *st = in->f.st;
	enum plm_kind kind = plm_job_kind(w->kind);
	bool made = false;
	plm_id id = plm_fold_object(in, kind, &w->meta, &made);
	struct plm_job *job = plm_job_edit(st, id);

	if (made) {
		job->ended_ms = PLM_UNSET;
		plm_index_put(st, PLM_KEY_JOB_UID, job->object.uid.n, 0, id);
	} else if (job->prebuilt == 1) {
		plm_index_drop(st, PLM_KEY_PREBUILT, job->object.ns.n, job->workload.n);
	}
	fill_job(in, job, w);
	if (job->prebuilt == 1) {
		plm_index_put(st, PLM_KEY_PREBUILT, job->object.ns.n, job->workload.n, id);
	}
	plm_fold_train_sets(&in->f, id);
	plm_fold_manage(st, id, made);
	plm_fold_job_link(&in->f, id);
	plm_fold_runtime(&in->f, id);
	if (job->workload_id.n != 0) {
		plm_life_look_at_pods(st, job->workload_id, (int64_t)in->ev->tick_ms);
	}
	if (made) {
		plm_fold_children(&in->f, id);
	}
	plm_fold_job_end(st, id, (enum plm_job_end)w->end, w->ended_ms);
}
