/*
 * Work on its way in and out: what an admitted workload's job is told, and when quota comes back.
 *
 * ADMITTED and not told to run: job.start, or the pods of a PodSet one by one. Evicted: job.stop, or its
 * pods deleted; when nothing of it runs any more, RELEASE. A managed job that runs without admission is
 * stopped. Sources: kueue.md 2.14 (eviction protocol, two phases); dialect.md PodSet.
 */
#include "core/integration.h"
#include "core/limits.h"
#include "reducers/area.h"
#include "reducers/cluster/parts.h"
#include "reducers/cluster/ungate.h"

struct pass {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_out *out;
};

/* ---- what the flavors add ---------------------------------------------------------------------- */

static struct plm_slice text(const struct pass *p, plm_sym sym)
{
	return plm_str(p->st, sym);
}

static bool has_key(const struct plm_w_kv *rows, size_t count, struct plm_slice key)
{
	for (size_t i = 0; i < count; i++) {
		if (plm_slice_equal(rows[i].key, key)) {
			return true;
		}
	}
	return false;
}

/* Node labels of the assigned flavors, sorted by key, each key once. */
static struct plm_vec flavor_labels(const struct pass *p, const struct plm_assignment *set)
{
	uint32_t flavors = 0;
	const struct plm_kv *of = PLM_SPAN(p->st, set->flavors, struct plm_kv, &flavors);
	struct plm_w_kv *rows = PLM_NEW_ARRAY(p->arena, PLM_LIMIT_FLAVOR_LABELS, struct plm_w_kv);
	size_t count = 0;

	for (uint32_t i = 0; i < flavors; i++) {
		plm_id id = plm_find(p->st, PLM_KIND_FLAVOR, (plm_sym){0}, of[i].value);
		uint32_t labels = 0;
		const struct plm_kv *kv =
			id.n == 0 ? NULL
				  : PLM_SPAN(p->st, plm_flavor_at(p->st, id)->node_labels,
					     struct plm_kv, &labels);

		for (uint32_t k = 0; k < labels && count < PLM_LIMIT_FLAVOR_LABELS; k++) {
			struct plm_w_kv row = {text(p, kv[k].key), text(p, kv[k].value)};
			size_t at = count;

			if (has_key(rows, count, row.key)) {
				continue;
			}
			for (; at > 0 && plm_slice_compare(rows[at - 1].key, row.key) > 0; at--) {
				rows[at] = rows[at - 1];
			}
			rows[at] = row;
			count++;
		}
	}
	return (struct plm_vec){rows, count};
}

static struct plm_vec flavor_tolerations(const struct pass *p, const struct plm_assignment *set)
{
	uint32_t flavors = 0;
	const struct plm_kv *of = PLM_SPAN(p->st, set->flavors, struct plm_kv, &flavors);
	struct plm_w_toleration *rows =
		PLM_NEW_ARRAY(p->arena, PLM_LIMIT_FLAVOR_LABELS, struct plm_w_toleration);
	size_t count = 0;

	for (uint32_t i = 0; i < flavors; i++) {
		plm_id id = plm_find(p->st, PLM_KIND_FLAVOR, (plm_sym){0}, of[i].value);
		uint32_t given = 0;
		const struct plm_toleration *t =
			id.n == 0 || (i > 0 && plm_sym_equal(of[i].value, of[i - 1].value))
				? NULL
				: PLM_SPAN(p->st, plm_flavor_at(p->st, id)->tolerations,
					   struct plm_toleration, &given);

		for (uint32_t k = 0; k < given && count < PLM_LIMIT_FLAVOR_LABELS; k++) {
			rows[count++] = (struct plm_w_toleration){
				.key = text(p, t[k].key),
				.op = t[k].op,
				.value = text(p, t[k].value),
				.effect = t[k].effect,
				.seconds = t[k].seconds,
			};
		}
	}
	return (struct plm_vec){rows, count};
}

/* Pods of a set with domains wait until it is known which of them goes where: ungate.c. */
static struct plm_slice topology_gate(const struct plm_assignment *set)
{
	return plm_slice_str(set->domains.n == 0 ? "" : PLM_TOPOLOGY_GATE);
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

/* Pods say which pod set they are of: that is how they find their places. */
static struct plm_vec pod_set_label(const struct pass *p, plm_sym name)
{
	struct plm_w_kv *label = PLM_NEW(p->arena, struct plm_w_kv);

	*label = (struct plm_w_kv){plm_slice_str("kueue.x-k8s.io/podset"), text(p, name)};
	return (struct plm_vec){label, 1};
}

static void start_job(const struct pass *p, plm_id workload, const struct plm_job *job)
{
	struct plm_w_req_job_start *request = PLM_NEW(p->arena, struct plm_w_req_job_start);
	uint32_t count = 0;
	const struct plm_assignment *sets = assignments(p, workload, &count);
	struct plm_w_start_set *starts = PLM_NEW_ARRAY(p->arena, count, struct plm_w_start_set);

	for (uint32_t i = 0; i < count; i++) {
		starts[i].name = text(p, sets[i].name);
		starts[i].count = sets[i].count;
		starts[i].node_selector = flavor_labels(p, &sets[i]);
		starts[i].tolerations = flavor_tolerations(p, &sets[i]);
		starts[i].labels = pod_set_label(p, sets[i].name);
		starts[i].gate = topology_gate(&sets[i]);
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

static void make_pod(const struct pass *p, plm_id workload, const struct plm_job *set,
		     uint32_t index)
{
	struct plm_w_req_pod_create *request = PLM_NEW(p->arena, struct plm_w_req_pod_create);
	struct plm_w_intent *intent = new_intent(p, PLM_CALL_POD_CREATE, &set->object);
	struct plm_slice owner = text(p, set->object.name);
	uint32_t count = 0;
	const struct plm_assignment *sets = assignments(p, workload, &count);

	request->name = plm_arena_format(p->arena, "%.*s-%u", (int)owner.size,
					 (const char *)owner.ptr, index);
	request->ns = text(p, set->object.ns);
	request->owner = owner;
	request->owner_uid = text(p, set->object.uid);
	request->index = index;
	if (count > 0) {
		request->node_selector = flavor_labels(p, &sets[0]);
		request->tolerations = flavor_tolerations(p, &sets[0]);
		request->gate = topology_gate(&sets[0]);
	}
	intent->kind = PLM_KIND_POD;
	intent->name = request->name;
	(void)plm_out_intent(p->out, intent, request, PLM_CAUSE_CYCLE);
}

static void delete_pod(const struct pass *p, const struct plm_pod *pod)
{
	struct plm_w_req_pod *request = PLM_NEW(p->arena, struct plm_w_req_pod);

	request->ns = text(p, pod->object.ns);
	request->name = text(p, pod->object.name);
	request->uid = text(p, pod->object.uid);
	request->grace_ms = PLM_UNSET;
	(void)plm_out_intent(p->out, new_intent(p, PLM_CALL_POD_DELETE, &pod->object), request,
			     PLM_CAUSE_CYCLE);
}

/* ---- PodSets ----------------------------------------------------------------------------------- */

/* Pods of stopped PodSets go; failed pods of running ones make room for another try. */
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

	if (count == 0 || set->started == PLM_TOLD_TO_STOP) {
		return;
	}
	for (uint32_t i = 0; i < again; i++) {
		make_pod(p, workload, set, remake[i]);
	}
	for (uint32_t i = set->next_index; i < sets[0].count; i++) {
		make_pod(p, workload, set, i);
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
		return plm_root(p->st)->settle == 1; /* its own controller stops it and says so */
	}
	if (plm_root(p->st)->settle == 1) {
		return true;
	}
	if (job->object.kind == PLM_KIND_POD_SET) {
		return job->pods == 0;
	}
	/* Told to run and not seen running yet: its start is on its way. */
	return job->suspended == 1 && job->active == 0 && job->started != PLM_TOLD_TO_RUN;
}

/*
 * Nothing but its queue, or the workload itself, keeps it from being tried again: a queue that is stopped
 * and a workload that is not active say so as long as they are, and nobody would say that it may go on.
 */
static bool may_try_again(int64_t reason)
{
	return reason == PLM_REASON_PREEMPTED || reason == PLM_REASON_NODE_FAILURES ||
	       reason == PLM_REASON_CLUSTER_QUEUE_STOPPED ||
	       reason == PLM_REASON_LOCAL_QUEUE_STOPPED || reason == PLM_REASON_DEACTIVATED;
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
	if (job != NULL && has_flag(job) && job->started != PLM_TOLD_TO_STOP &&
	    job->suspended == 0) {
		stop_job(p, job);
	}
}

static void tend(const struct pass *p, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(p->st, id);
	const struct plm_job *job = workload->job.n == 0 ? NULL : plm_job_at(p->st, workload->job);

	if (holds_quota(workload) && workload->evicted_ms != PLM_UNSET) {
		evicted(p, id, workload);
		return;
	}
	if (job == NULL || job->end != PLM_JOB_OPEN || job->object.deleting_ms != PLM_UNSET) {
		return;
	}
	if (workload->stage == PLM_STAGE_ADMITTED) {
		if (job->object.kind == PLM_KIND_POD_SET) {
			run_set(p, id, job);
		} else if (job->started == PLM_TOLD_NOTHING && job->suspended == 1) {
			start_job(p, id, job);
		}
	} else if (has_flag(job) && job->suspended == 0 && job->active > 0 &&
		   job->started == PLM_TOLD_NOTHING) {
		stop_job(p, job); /* runs without quota */
	}
}

bool plm_lifecycle_step(const struct plm_state *st, struct plm_cycle_run *run,
			struct plm_arena *scratch, struct plm_out *out)
{
	struct pass p = {st, scratch, out};

	PLM_ASSERT(run->phase == PLM_CYCLE_LIFECYCLE || run->phase == PLM_CYCLE_START);
	/* A pending workload whose job is suspended has nothing to be tended. */
	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_BEGUN) | PLM_MARKED(PLM_MARK_LOOSE), id)
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
	return PLM_UNSET; /* everything here follows from facts */
}
