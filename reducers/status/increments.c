/* What one event of the log adds to counters and histograms: metric.h. */
#include "core/integration.h"
#include "reducers/admission/queue.h"
#include "reducers/status/metric.h"

struct adding {
	const struct plm_state *st;
	const struct plm_event *ev;
	plm_metric_sink *sink;
	void *self;
};

/* What the metrics of a workload are labelled with. */
struct whose {
	const struct plm_workload *workload; /* NULL = it is not known */
	struct plm_slice queue, local, ns, class;
	plm_id cluster;
};

static struct whose whose(const struct adding *a, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(a->st, id);
	struct plm_route route = plm_queue_route(a->st, workload);
	plm_id cluster = workload->cluster_queue.n != 0 ? workload->cluster_queue : route.cluster;
	struct whose out = {
		.workload = workload,
		.ns = plm_str(a->st, workload->object.ns),
		.class = plm_str(a->st, workload->priority_class),
		.cluster = cluster,
	};

	if (cluster.n != 0) {
		out.queue = plm_str(a->st, plm_cluster_queue_at(a->st, cluster)->object.name);
	}
	if (route.local.n != 0) {
		out.local = plm_str(a->st, plm_local_queue_at(a->st, route.local)->object.name);
	}
	return out;
}

static struct whose find(const struct adding *a, struct plm_slice ns, struct plm_slice name)
{
	plm_id id = plm_find(a->st, PLM_KIND_WORKLOAD, plm_sym_find(a->st, ns),
			     plm_sym_find(a->st, name));

	return id.n == 0 ? (struct whose){.workload = NULL} : whose(a, id);
}

static void put(const struct adding *a, struct plm_metric metric)
{
	a->sink(a->self, &metric);
}

/* To the family of the ClusterQueue, and to that of the LocalQueue. */
static void both(const struct adding *a, const struct whose *of, enum plm_metric_id queue,
		 enum plm_metric_id local, int64_t value)
{
	uint32_t decimals = plm_metric_family(queue)->type == PLM_METRIC_HISTOGRAM ? 3 : 0;

	put(a, (struct plm_metric){.id = queue,
				   .labels = {of->queue, of->class},
				   .value = value,
				   .decimals = decimals});
	put(a, (struct plm_metric){.id = local,
				   .labels = {of->local, of->ns, of->class},
				   .value = value,
				   .decimals = decimals});
}

static int64_t since(const struct adding *a, int64_t from_ms)
{
	return from_ms == PLM_UNSET ? 0 : plm_max(0, (int64_t)a->ev->tick_ms - from_ms);
}

/* ---- admission --------------------------------------------------------------------------------- */

/* Every cohort above the queue counts it; a ring of parents ends the walk. */
static void add_subtree(const struct adding *a, const struct whose *of)
{
	plm_sym cohort = plm_cluster_queue_at(a->st, of->cluster)->cohort;

	if (cohort.n == 0 || plm_queue_root(a->st, cohort).n == 0) {
		return;
	}
	while (cohort.n != 0) {
		plm_id id = plm_find(a->st, PLM_KIND_COHORT, (plm_sym){0}, cohort);

		put(a, (struct plm_metric){.id = PLM_METRIC_SUBTREE_ADMITTED,
					   .labels = {plm_str(a->st, cohort), of->class},
					   .value = 1,
					   .decimals = 0});
		cohort = id.n == 0 ? (plm_sym){0} : plm_cohort_at(a->st, id)->parent;
	}
}

static void add_admitted(const struct adding *a, const struct whose *of, int64_t reserved_ms)
{
	both(a, of, PLM_METRIC_ADMITTED, PLM_METRIC_LOCAL_ADMITTED, 1);
	both(a, of, PLM_METRIC_ADMISSION_WAIT, PLM_METRIC_LOCAL_ADMISSION_WAIT,
	     since(a, of->workload->object.created_ms));
	both(a, of, PLM_METRIC_CHECKS_WAIT, PLM_METRIC_LOCAL_CHECKS_WAIT, since(a, reserved_ms));
	if (of->cluster.n != 0) {
		add_subtree(a, of);
	}
}

static void on_reserve(const struct adding *a, const struct plm_w_reserve *reserve)
{
	struct whose of = find(a, reserve->ns, reserve->name);

	if (of.workload == NULL) {
		return;
	}
	of.queue = reserve->cluster_queue;
	both(a, &of, PLM_METRIC_RESERVED, PLM_METRIC_LOCAL_RESERVED, 1);
	both(a, &of, PLM_METRIC_RESERVED_WAIT, PLM_METRIC_LOCAL_RESERVED_WAIT,
	     since(a, of.workload->object.created_ms));
	if (reserve->admitted == 1) {
		add_admitted(a, &of, (int64_t)a->ev->tick_ms);
	}
}

static void on_admit(const struct adding *a, const struct plm_w_admit *admit)
{
	struct whose of = find(a, admit->ns, admit->name);

	if (of.workload != NULL) {
		add_admitted(a, &of, of.workload->reserved_ms);
	}
}

/* ---- evictions and ends ------------------------------------------------------------------------ */

static bool is_ready(const struct plm_workload *workload)
{
	return workload->pods_ready == PLM_PODS_STARTED ||
	       workload->pods_ready == PLM_PODS_RECOVERED;
}

static void on_evict(const struct adding *a, const struct plm_w_evict *evict)
{
	struct whose of = find(a, evict->ns, evict->name);
	struct plm_slice reason = plm_slice_str(plm_names_text(&plm_names_reason, evict->reason));
	struct plm_slice cause = plm_slice_str(plm_names_text(&plm_names_reason, evict->cause));

	if (of.workload == NULL) {
		return;
	}
	put(a, (struct plm_metric){.id = PLM_METRIC_EVICTED,
				   .labels = {of.queue, reason, cause, of.class},
				   .value = 1,
				   .decimals = 0});
	put(a, (struct plm_metric){.id = PLM_METRIC_LOCAL_EVICTED,
				   .labels = {of.local, of.ns, reason, cause, of.class},
				   .value = 1,
				   .decimals = 0});
	if (of.workload->evictions.n == 0) {
		put(a, (struct plm_metric){.id = PLM_METRIC_EVICTED_ONCE,
					   .labels = {of.queue, reason, cause, of.class},
					   .value = 1,
					   .decimals = 0});
	}
	if (is_ready(of.workload)) {
		put(a, (struct plm_metric){.id = PLM_METRIC_READY_TO_EVICTED,
					   .labels = {of.queue, reason, cause},
					   .value = since(a, of.workload->pods_ready_ms),
					   .decimals = 3});
	}
	if (evict->reason == PLM_REASON_PREEMPTED && evict->by_name.size > 0) {
		struct whose by = find(a, evict->by_ns, evict->by_name);

		put(a, (struct plm_metric){
			       .id = PLM_METRIC_PREEMPTED,
			       .labels = {by.queue, plm_slice_str(plm_names_text(
							    &plm_names_reason, evict->preemption))},
			       .value = 1,
			       .decimals = 0});
	}
}

static void on_release(const struct adding *a, const struct plm_w_release *release)
{
	struct whose of = find(a, release->ns, release->name);

	if (of.workload != NULL && of.workload->evicted_ms != PLM_UNSET) {
		put(a, (struct plm_metric){
			       .id = PLM_METRIC_EVICTION_LATENCY,
			       .labels = {of.queue, plm_str(a->st, of.workload->evicted_reason)},
			       .value = since(a, of.workload->evicted_ms),
			       .decimals = 3});
	}
}

static void add_finished(const struct adding *a, const struct whose *of, int64_t at_ms)
{
	both(a, of, PLM_METRIC_FINISHED, PLM_METRIC_LOCAL_FINISHED, 1);
	if (of->workload->admitted_ms != PLM_UNSET) {
		both(a, of, PLM_METRIC_EXECUTION, PLM_METRIC_LOCAL_EXECUTION,
		     plm_max(0, at_ms - of->workload->admitted_ms));
	}
}

static void on_workload(const struct adding *a, const struct plm_w_workload *w)
{
	struct whose of = find(a, w->meta.ns, w->meta.name);

	if (of.workload != NULL && of.workload->stage != PLM_STAGE_FINISHED &&
	    w->finished_ms != PLM_UNSET) {
		add_finished(a, &of, w->finished_ms);
	}
}

static void on_job(const struct adding *a, const struct plm_w_job *w)
{
	plm_id id = plm_find(a->st, (enum plm_kind)w->kind, plm_sym_find(a->st, w->meta.ns),
			     plm_sym_find(a->st, w->meta.name));
	struct whose of = {.workload = NULL};

	if (id.n == 0 || w->end == PLM_JOB_OPEN || plm_job_at(a->st, id)->workload_id.n == 0) {
		return;
	}
	of = whose(a, plm_job_at(a->st, id)->workload_id);
	if (of.workload->stage != PLM_STAGE_FINISHED) {
		add_finished(a, &of, w->ended_ms);
	}
}

/* ---- the dialect ------------------------------------------------------------------------------- */

/* The last pod of a PodSet got its node. */
static void on_pod(const struct adding *a, const struct plm_w_pod *w)
{
	plm_sym owner = plm_sym_find(a->st, w->meta.owner_uid);
	plm_id set =
		owner.n == 0 ? (plm_id){0} : plm_index_find(a->st, PLM_KEY_JOB_UID, owner.n, 0);
	int64_t bound = 0;

	if (set.n == 0 || w->node.size == 0 ||
	    plm_job_at(a->st, set)->object.kind != PLM_KIND_POD_SET) {
		return;
	}
	PLM_EACH(a->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(a->st, id);
		bool same = plm_slice_equal(plm_str(a->st, pod->object.name), w->meta.name);

		if (!plm_sym_equal(pod->object.owner_uid, owner)) {
			continue;
		}
		if (same && pod->node.n != 0) {
			return; /* it had one */
		}
		bound += !same && pod->node.n != 0 ? 1 : 0;
	}
	if (bound + 1 == plm_job_at(a->st, set)->parallelism) {
		put(a, (struct plm_metric){
			       .id = PLM_METRIC_DIALECT_SCHEDULED,
			       .labels = {w->meta.ns},
			       .value = since(a, plm_job_at(a->st, set)->object.created_ms),
			       .decimals = 3});
	}
}

/* ---- readiness --------------------------------------------------------------------------------- */

static plm_id workload_of_job(const struct adding *a, plm_id job)
{
	return job.n == 0 ? (plm_id){0} : plm_job_at(a->st, job)->workload_id;
}

/* The workload whose pods the event may make ready. */
static plm_id about_pods(const struct adding *a)
{
	const struct plm_w_job *job = a->ev->payload;
	const struct plm_w_pod *pod = a->ev->payload;
	const struct plm_w_workload *workload = a->ev->payload;

	switch (a->ev->type) {
	case PLM_EV_JOB:
		return workload_of_job(a, plm_find(a->st, (enum plm_kind)job->kind,
						   plm_sym_find(a->st, job->meta.ns),
						   plm_sym_find(a->st, job->meta.name)));
	case PLM_EV_POD:
		return workload_of_job(
			a, plm_job_above(a->st, plm_sym_find(a->st, pod->meta.owner_uid)));
	case PLM_EV_WORKLOAD:
		return plm_find(a->st, PLM_KIND_WORKLOAD, plm_sym_find(a->st, workload->meta.ns),
				plm_sym_find(a->st, workload->meta.name));
	default:
		return (plm_id){0};
	}
}

/* All its pods are ready for the first time since its admission. */
static void end_watch(const struct adding *a, struct plm_metric_run *run)
{
	const struct plm_workload *workload = NULL;
	struct whose of = {.workload = NULL};

	if (run->watched.n == 0) {
		return;
	}
	workload = plm_workload_at(a->st, run->watched);
	if (!run->was_ready && workload->pods_ready == PLM_PODS_STARTED) {
		of = whose(a, run->watched);
		both(a, &of, PLM_METRIC_READY_WAIT, PLM_METRIC_LOCAL_READY_WAIT,
		     plm_max(0, run->watched_ms - workload->object.created_ms));
		both(a, &of, PLM_METRIC_ADMITTED_UNTIL_READY, PLM_METRIC_LOCAL_ADMITTED_UNTIL_READY,
		     workload->admitted_ms == PLM_UNSET
			     ? 0
			     : plm_max(0, run->watched_ms - workload->admitted_ms));
	}
	run->watched = (plm_id){0};
}

static void begin_watch(const struct adding *a, struct plm_metric_run *run)
{
	run->watched = about_pods(a);
	if (run->watched.n != 0) {
		run->was_ready = is_ready(plm_workload_at(a->st, run->watched));
		run->watched_ms = (int64_t)a->ev->tick_ms;
	}
}

/* ---- cycles ------------------------------------------------------------------------------------ */

/* A cycle is over when the next begins, or with the first event that it did not decide. */
static void end_cycle(const struct adding *a, struct plm_metric_run *run)
{
	if (run->in_cycle) {
		put(a, (struct plm_metric){.id = PLM_METRIC_ATTEMPTS,
					   .labels = {plm_slice_str(
						   run->admitted ? "success" : "inadmissible")},
					   .value = 1,
					   .decimals = 0});
	}
	run->in_cycle = false;
	run->admitted = false;
}

static void follow_cycle(const struct adding *a, struct plm_metric_run *run)
{
	enum plm_event_class class = plm_event_info(a->ev->type)->class;

	if (class != PLM_CLASS_DECISION && class != PLM_CLASS_INTENT) {
		end_cycle(a, run);
	}
	if (a->ev->type == PLM_EV_RESERVE || a->ev->type == PLM_EV_PEND) {
		run->in_cycle = true;
		run->admitted = run->admitted || a->ev->type == PLM_EV_RESERVE;
	}
}

void plm_metric_event(const struct plm_state *st, const struct plm_event *ev,
		      struct plm_metric_run *run, plm_metric_sink *sink, void *self)
{
	struct adding a = {st, ev, sink, self};

	end_watch(&a, run);
	begin_watch(&a, run);
	follow_cycle(&a, run);
	switch (ev->type) {
	case PLM_EV_RESERVE:
		on_reserve(&a, ev->payload);
		break;
	case PLM_EV_ADMIT:
		on_admit(&a, ev->payload);
		break;
	case PLM_EV_EVICT:
		on_evict(&a, ev->payload);
		break;
	case PLM_EV_RELEASE:
		on_release(&a, ev->payload);
		break;
	case PLM_EV_WORKLOAD:
		on_workload(&a, ev->payload);
		break;
	case PLM_EV_JOB:
		on_job(&a, ev->payload);
		break;
	case PLM_EV_POD:
		on_pod(&a, ev->payload);
		break;
	default:
		break;
	}
}

void plm_metric_end(const struct plm_state *st, struct plm_metric_run *run, plm_metric_sink *sink,
		    void *self)
{
	struct adding a = {st, NULL, sink, self};

	end_watch(&a, run);
	end_cycle(&a, run);
}
