#include "reducers/admission/queue.h"

#include "reducers/admission/afs.h"
#include "reducers/tas/tas.h"

/* ---- routes ------------------------------------------------------------------------------------ */

static struct plm_route blocked(enum plm_rule rule, enum plm_reason reason, plm_sym object)
{
	return (struct plm_route){.rule = rule, .reason = reason, .object = object};
}

/* Dialect: the one LocalQueue of the namespace, bound to 'work_queue' where that is named. */
static plm_id only_local_queue(const struct plm_state *st, plm_sym ns, plm_sym work_queue)
{
	plm_id found = {0};

	PLM_EACH(st, local_queue, id)
	{
		const struct plm_local_queue *queue = plm_local_queue_at(st, id);

		if (!plm_sym_equal(queue->object.ns, ns) ||
		    (work_queue.n != 0 && !plm_sym_equal(queue->work_queue, work_queue))) {
			continue;
		}
		if (found.n != 0) {
			return (plm_id){0};
		}
		found = id;
	}
	return found;
}

static plm_id local_queue(const struct plm_state *st, const struct plm_workload *workload)
{
	const struct plm_job *job = workload->job.n == 0 ? NULL : plm_job_at(st, workload->job);

	if (workload->queue.n != 0) {
		return plm_find(st, PLM_KIND_LOCAL_QUEUE, workload->object.ns, workload->queue);
	}
	if (job == NULL || job->object.kind != PLM_KIND_POD_SET) {
		return (plm_id){0};
	}
	return only_local_queue(st, workload->object.ns, job->work_queue);
}

static struct plm_route cluster_queue(const struct plm_state *st, plm_id local)
{
	const struct plm_local_queue *queue = plm_local_queue_at(st, local);
	plm_sym name = queue->cluster_queue;
	struct plm_route route = {.local = local};

	if (queue->work_queue.n != 0) {
		route.work = plm_find(st, PLM_KIND_WORK_QUEUE, (plm_sym){0}, queue->work_queue);
		if (route.work.n == 0) {
			route.rule = PLM_RULE_WORK_QUEUE_MISSING;
			route.reason = PLM_REASON_MISCONFIGURED;
			route.object = queue->work_queue;
			return route;
		}
		name = plm_work_queue_at(st, route.work)->cluster_queue;
	}
	route.cluster = plm_find(st, PLM_KIND_CLUSTER_QUEUE, (plm_sym){0}, name);
	if (route.cluster.n == 0) {
		route.rule = PLM_RULE_CLUSTER_QUEUE_MISSING;
		route.reason = PLM_REASON_MISCONFIGURED;
		route.object = name;
	} else if (queue->stop != PLM_STOP_NONE) {
		route.rule = PLM_RULE_QUEUE_STOPPED;
		route.reason = PLM_REASON_SUSPENDED;
		route.object = queue->object.name;
	}
	return route;
}

struct plm_route plm_queue_route(const struct plm_state *st, const struct plm_workload *workload)
{
	plm_id local = local_queue(st, workload);
	struct plm_route route = {0};

	if (local.n == 0 && workload->queue.n != 0) {
		return blocked(PLM_RULE_LOCAL_QUEUE_MISSING, PLM_REASON_MISCONFIGURED,
			       workload->queue);
	}
	if (local.n == 0) {
		return blocked(PLM_RULE_QUEUE_AMBIGUOUS, PLM_REASON_MISCONFIGURED,
			       workload->object.ns);
	}
	route = cluster_queue(st, local);
	if (route.rule != PLM_RULE_NONE) {
		return route;
	}
	if (workload->gated == 1) {
		route.rule = PLM_RULE_GATED;
		route.reason = PLM_REASON_ADMISSION_GATED;
	} else if (workload->active == 0) {
		route.rule = PLM_RULE_INACTIVE;
		route.reason = PLM_REASON_DEACTIVATED;
	}
	return route;
}

int64_t plm_queue_since(const struct plm_state *st, const struct plm_workload *workload)
{
	if (workload->evicted_ms != PLM_UNSET &&
	    (plm_sym_is(st, workload->evicted_reason, "PodsReadyTimeout") ||
	     plm_sym_is(st, workload->evicted_reason, "AdmissionCheck"))) {
		return workload->evicted_ms;
	}
	return workload->object.created_ms;
}

bool plm_queue_backoff_over(const struct plm_workload *workload, int64_t now_ms)
{
	return workload->requeued >= 0 &&
	       (workload->requeue_at_ms == PLM_UNSET || workload->requeue_at_ms <= now_ms);
}

static bool sets_alike(const struct plm_state *st, plm_sym a, plm_sym b)
{
	uint32_t count = 0;
	uint32_t other = 0;
	const struct plm_pod_set *left = PLM_SPAN(st, a, struct plm_pod_set, &count);
	const struct plm_pod_set *right = PLM_SPAN(st, b, struct plm_pod_set, &other);

	if (count != other) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct plm_pod_set copy = right[i];

		copy.labels = left[i].labels; /* labels do not matter to admission */
		if (memcmp(&copy, &left[i], sizeof(copy)) != 0) {
			return false;
		}
	}
	return true;
}

bool plm_queue_alike(const struct plm_state *st, plm_id a, plm_id b)
{
	const struct plm_workload *left = plm_workload_at(st, a);
	const struct plm_workload *right = plm_workload_at(st, b);

	return left->priority == right->priority &&
	       plm_sym_equal(left->reclaimable, right->reclaimable) &&
	       (plm_sym_equal(left->pod_sets, right->pod_sets) ||
		sets_alike(st, left->pod_sets, right->pod_sets));
}

plm_sym plm_queue_root(const struct plm_state *st, plm_sym cohort)
{
	uint32_t bound = plm_cohort_live(st) + 1;

	for (uint32_t steps = 0; steps <= bound; steps++) {
		plm_id id = plm_find(st, PLM_KIND_COHORT, (plm_sym){0}, cohort);

		if (id.n == 0 || plm_cohort_at(st, id)->parent.n == 0) {
			return cohort;
		}
		cohort = plm_cohort_at(st, id)->parent;
	}
	return (plm_sym){0};
}

/* ---- links ------------------------------------------------------------------------------------- */

static struct plm_link link_of(const struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct plm_route route = {0};
	struct plm_link link = {
		.priority = workload->priority,
		.uid = workload->object.uid,
		.pod_sets = workload->pod_sets,
		.reclaimable = workload->reclaimable,
	};

	if (workload->stage == PLM_STAGE_FINISHED) {
		return (struct plm_link){0};
	}
	route = plm_queue_route(st, workload);
	link.lane = route.work.n;
	link.local = plm_root(st)->afs == 1 ? route.local.n : 0;
	link.penalty = link.local == 0 ? (plm_sym){0} : workload->penalty;
	link.since_ms = plm_queue_since(st, workload);
	if (workload->stage != PLM_STAGE_PENDING) {
		link.standing = PLM_STANDS_HOLDING;
		link.queue = workload->cluster_queue.n;
		link.assignments = workload->assignments;
		link.reserved = workload->stage == PLM_STAGE_RESERVED;
		return link;
	}
	link.queue = route.cluster.n;
	link.timer = workload->requeue_at_ms != PLM_UNSET;
	link.parked = workload->place == PLM_QUEUE_PARKED;
	if (route.rule != PLM_RULE_NONE) {
		link.standing = PLM_STANDS_OUTSIDE;
	} else if (workload->place == PLM_QUEUE_PARKED) {
		link.standing = PLM_STANDS_PARKED;
	} else {
		link.standing = PLM_STANDS_ACTIVE;
		link.by_usage = plm_afs_on(st, route.cluster);
	}
	return link;
}

void plm_queue_place(struct plm_state *st, plm_id id)
{
	struct plm_link link = link_of(st, id);

	plm_queue_index_set(st, id, &link);
}

void plm_queue_fill(struct plm_state *st)
{
	if (st->queues.filled) {
		return;
	}
	PLM_EACH(st, workload, id)
	{
		struct plm_link link = link_of(st, id);

		plm_queue_index_set(st, id, &link);
	}
	st->queues.filled = true;
}

void plm_queue_refresh(struct plm_state *st)
{
	PLM_ASSERT(st->queues.filled);
	if (!st->queues.stale) {
		return;
	}
	st->queues.stale = false;
	PLM_EACH(st, workload, id)
	{
		plm_queue_place(st, id);
	}
}

void plm_queue_park(struct plm_state *st, plm_id id, bool failed)
{
	struct plm_workload *workload = plm_workload_edit(st, id);

	workload->place = PLM_QUEUE_PARKED;
	workload->failed = failed ? 1 : 0;
	plm_queue_place(st, id);
}

void plm_queue_activate(struct plm_state *st, plm_id id)
{
	struct plm_workload *workload = plm_workload_edit(st, id);

	workload->place = PLM_QUEUE_ACTIVE;
	workload->failed = 0;
	plm_queue_place(st, id);
}

/* One that would be scheduled alike has failed in this queue since the last retry. */
static bool failed_alike(const struct plm_state *st, plm_id id, plm_id queue)
{
	const struct plm_queue_cell *cell = plm_queue_index_cell(st, queue);

	if (plm_cluster_queue_at(st, queue)->strategy != PLM_STRATEGY_BEST_EFFORT_FIFO) {
		return false;
	}
	for (uint32_t w = cell->parked; w != 0; w = st->queues.links[w].next) {
		if (w != id.n && plm_workload_at(st, (plm_id){w})->failed == 1 &&
		    plm_queue_alike(st, id, (plm_id){w})) {
			return true;
		}
	}
	return false;
}

/* Something that admission looks at has changed since the link was set. */
static bool changed(const struct plm_state *st, plm_id id, const struct plm_link *link)
{
	const struct plm_workload *workload = plm_workload_at(st, id);

	return !plm_sym_equal(link->pod_sets, workload->pod_sets) ||
	       !plm_sym_equal(link->reclaimable, workload->reclaimable) ||
	       link->priority != workload->priority;
}

/* Use of a list that may be out of date only because of queue objects that came since. */
static void refresh_if_parked(struct plm_state *st)
{
	if (st->queues.parked_total > 0) {
		plm_queue_refresh(st);
	}
}

void plm_queue_arrive(struct plm_state *st, plm_id id)
{
	const struct plm_link *link = NULL;
	struct plm_link next = {0};
	bool known = false;
	bool moved = false;

	refresh_if_parked(st);
	link = plm_queue_index_link(st, id);
	known = link->standing == PLM_STANDS_ACTIVE || link->standing == PLM_STANDS_PARKED;
	moved = known && changed(st, id, link);
	next = link_of(st, id);
	if (moved) {
		plm_workload_edit(st, id)->cursor = (plm_sym){0};
	}
	if ((next.standing != PLM_STANDS_ACTIVE && next.standing != PLM_STANDS_PARKED) ||
	    (next.standing == PLM_STANDS_PARKED && known && !moved)) {
		plm_queue_place(st, id);
	} else if (!plm_queue_backoff_over(plm_workload_at(st, id), plm_root(st)->now_ms)) {
		plm_queue_park(st, id, false);
	} else if (failed_alike(st, id, (plm_id){next.queue})) {
		plm_queue_park(st, id, true);
	} else {
		plm_queue_activate(st, id);
	}
}

void plm_queue_local_arrives(struct plm_state *st, plm_id local)
{
	const struct plm_local_queue *queue = plm_local_queue_at(st, local);
	int64_t now_ms = plm_root(st)->now_ms;

	if (st->queues.parked_total == 0 || queue->stop != PLM_STOP_NONE) {
		return;
	}
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		if (workload->place == PLM_QUEUE_PARKED && workload->stage == PLM_STAGE_PENDING &&
		    plm_sym_equal(workload->object.ns, queue->object.ns) &&
		    plm_sym_equal(workload->queue, queue->object.name) &&
		    plm_queue_backoff_over(workload, now_ms)) {
			plm_queue_activate(st, id);
		}
	}
}

/* Without a filled index, after a load, by the table. */
static bool awaited_slowly(const struct plm_state *st, plm_id queue)
{
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);
		struct plm_route route = {0};

		if (workload->stage != PLM_STAGE_PENDING) {
			continue;
		}
		route = plm_queue_route(st, workload);
		if (route.rule == PLM_RULE_NONE && route.cluster.n == queue.n) {
			return true;
		}
	}
	return false;
}

bool plm_queue_awaited(const struct plm_state *st, plm_id queue)
{
	const struct plm_queue_cell *cell = plm_queue_index_cell(st, queue);

	if (!st->queues.filled || st->queues.stale) {
		return awaited_slowly(st, queue);
	}
	if (cell->lane.count > 0 || cell->parked_count > 0 || cell->locals > 0) {
		return true;
	}
	PLM_EACH(st, work_queue, work)
	{
		const struct plm_lane *lane = plm_queue_index_lane(st, work);

		if (lane->count > 0 && st->queues.links[lane->heap[0]].queue == queue.n) {
			return true;
		}
	}
	return false;
}

/* ---- parking in bulk and retrying -------------------------------------------------------------- */

static void park_lane(struct plm_state *st, plm_id id, const struct plm_lane *lane,
		      struct plm_arena *scratch)
{
	size_t mark = plm_arena_mark(scratch);
	uint32_t count = lane->count;
	uint32_t *heap = PLM_NEW_ARRAY(scratch, count, uint32_t);

	if (count > 0) {
		memcpy(heap, lane->heap, count * sizeof(*heap));
	}
	for (uint32_t i = 0; i < count; i++) {
		if (heap[i] != id.n && plm_queue_alike(st, id, (plm_id){heap[i]})) {
			/* What is said of the one is true of them all. */
			plm_workload_edit(st, (plm_id){heap[i]})->why =
				plm_workload_at(st, id)->why;
			plm_queue_park(st, (plm_id){heap[i]}, true);
		}
	}
	plm_arena_rewind(scratch, mark);
}

void plm_queue_park_alike(struct plm_state *st, plm_id id, struct plm_arena *scratch)
{
	plm_id queue = {0};

	plm_queue_refresh(st);
	queue.n = plm_queue_index_link(st, id)->queue;
	if (queue.n == 0) {
		return;
	}
	park_lane(st, id, &plm_queue_index_cell(st, queue)->lane, scratch);
	PLM_EACH(st, work_queue, w)
	{
		if (plm_sym_equal(plm_work_queue_at(st, w)->cluster_queue,
				  plm_cluster_queue_at(st, queue)->object.name)) {
			park_lane(st, id, plm_queue_index_lane(st, w), scratch);
		}
	}
	for (uint32_t n = 1;
	     plm_queue_index_cell(st, queue)->locals > 0 && n < st->queues.local_count; n++) {
		if (st->queues.locals[n].lane.count > 0 && st->queues.locals[n].queue == queue.n) {
			park_lane(st, id, &st->queues.locals[n].lane, scratch);
		}
	}
}

static void retry_queue(struct plm_state *st, plm_id queue)
{
	int64_t now_ms = plm_root(st)->now_ms;
	uint32_t next = 0;

	for (uint32_t w = plm_queue_index_cell(st, queue)->parked; w != 0; w = next) {
		next = st->queues.links[w].next;
		if (plm_queue_backoff_over(plm_workload_at(st, (plm_id){w}), now_ms)) {
			plm_queue_activate(st, (plm_id){w});
		} else if (plm_workload_at(st, (plm_id){w})->failed == 1) {
			plm_workload_edit(st, (plm_id){w})->failed = 0;
		}
	}
}

void plm_queue_retry_all(struct plm_state *st)
{
	if (st->queues.parked_total == 0) {
		return;
	}
	plm_queue_refresh(st);
	PLM_EACH(st, cluster_queue, queue)
	{
		retry_queue(st, queue);
	}
}

void plm_queue_retry_topology(struct plm_state *st)
{
	if (st->queues.parked_total == 0 || plm_tas_topology_live(st) == 0) {
		return;
	}
	plm_queue_refresh(st);
	PLM_EACH(st, cluster_queue, queue)
	{
		if (plm_queue_index_cell(st, queue)->parked_count > 0 &&
		    plm_tas_queue_any(st, plm_cluster_queue_at(st, queue))) {
			retry_queue(st, queue);
		}
	}
}

void plm_queue_retry_tree(struct plm_state *st, plm_id queue)
{
	plm_sym cohort = plm_cluster_queue_at(st, queue)->cohort;
	plm_sym root = {0};

	if (st->queues.parked_total == 0) {
		return;
	}
	plm_queue_refresh(st);
	if (cohort.n == 0) {
		retry_queue(st, queue);
		return;
	}
	root = plm_queue_root(st, cohort);
	PLM_EACH(st, cluster_queue, other)
	{
		plm_sym theirs = plm_cluster_queue_at(st, other)->cohort;

		if (plm_queue_index_cell(st, other)->parked_count > 0 && theirs.n != 0 &&
		    (plm_sym_equal(theirs, cohort) ||
		     plm_sym_equal(plm_queue_root(st, theirs), root))) {
			retry_queue(st, other);
		}
	}
}

/* ---- timers ------------------------------------------------------------------------------------ */

void plm_queue_timers(struct plm_state *st, int64_t now_ms)
{
	if (st->queues.timers == 0) {
		return;
	}
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		if (workload->stage != PLM_STAGE_PENDING || workload->requeue_at_ms == PLM_UNSET ||
		    workload->requeue_at_ms > now_ms) {
			continue;
		}
		plm_workload_edit(st, id)->requeue_at_ms = PLM_UNSET;
		plm_workload_edit(st, id)->requeued = 1;
		plm_queue_activate(st, id);
	}
}

int64_t plm_queue_next_timer(const struct plm_state *st)
{
	int64_t first = PLM_UNSET;

	if (st->queues.filled && st->queues.timers == 0) {
		return PLM_UNSET;
	}
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		if (workload->stage == PLM_STAGE_PENDING && workload->requeue_at_ms != PLM_UNSET &&
		    (first == PLM_UNSET || workload->requeue_at_ms < first)) {
			first = workload->requeue_at_ms;
		}
	}
	return first;
}
