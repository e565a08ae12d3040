#include "reducers/admission/queue.h"

#include "reducers/admission/afs.h"
#include "reducers/admission/due.h"
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

bool plm_queue_orphan(const struct plm_state *st, const struct plm_workload *workload,
		      plm_sym *out_uid)
{
	plm_sym label = {0};

	if (workload->object.owner_uid.n != 0 || workload->object.seq == 0 ||
	    workload->object.labels.n == 0) {
		return false;
	}
	label = plm_sym_find(st, plm_slice_str("kueue.x-k8s.io/job-uid"));
	return label.n != 0 && plm_kv_get(st, workload->object.labels, label, out_uid);
}

/* It, or the job that it is for, is being deleted: nothing is started for it any more. */
static bool is_going(const struct plm_state *st, const struct plm_workload *workload)
{
	return workload->object.deleting_ms != PLM_UNSET ||
	       (workload->job.n != 0 &&
		plm_job_at(st, workload->job)->object.deleting_ms != PLM_UNSET);
}

struct plm_route plm_queue_route(const struct plm_state *st, const struct plm_workload *workload)
{
	plm_id local = local_queue(st, workload);
	struct plm_route route = {0};
	plm_sym uid = {0};

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
	if (workload->gated == PLM_GATED_BY_GROUP) {
		route.rule = PLM_RULE_GROUP;
		route.reason = PLM_REASON_WAITING_FOR_PODS;
	} else if (is_going(st, workload)) {
		route.rule = PLM_RULE_DELETING;
		route.reason = PLM_REASON_PENDING_EVALUATION;
		route.object = workload->object.name;
	} else if (workload->gated == 1) {
		route.rule = PLM_RULE_GATED;
		route.reason = PLM_REASON_ADMISSION_GATED;
	} else if (workload->active == 0) {
		route.rule = PLM_RULE_INACTIVE;
		route.reason = PLM_REASON_DEACTIVATED;
	} else if (plm_queue_orphan(st, workload, &uid)) {
		route.rule = PLM_RULE_OWNER_MISSING; /* it is over in the next cycle */
		route.reason = PLM_REASON_OWNER_NOT_FOUND;
		route.object = uid;
	}
	return route;
}

int64_t plm_queue_since(const struct plm_state *st, const struct plm_workload *workload)
{
	bool by_eviction = plm_root(st)->requeue_timestamp == PLM_REQUEUE_BY_EVICTION;

	if (workload->evicted_ms != PLM_UNSET &&
	    ((by_eviction && plm_sym_is(st, workload->evicted_reason, "PodsReadyTimeout")) ||
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
	plm_queue_timer(st, id);
}

void plm_queue_fill(struct plm_state *st)
{
	if (st->queues.filled) {
		return;
	}
	PLM_EACH(st, workload, id)
	{
		plm_queue_place(st, id);
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
static plm_id failed_alike(const struct plm_state *st, plm_id id, plm_id queue)
{
	const struct plm_queue_cell *cell = plm_queue_index_cell(st, queue);

	if (plm_cluster_queue_at(st, queue)->strategy != PLM_STRATEGY_BEST_EFFORT_FIFO) {
		return (plm_id){0};
	}
	for (uint32_t w = cell->parked; w != 0; w = st->queues.links[w].next) {
		if (w != id.n && plm_workload_at(st, (plm_id){w})->failed == 1 &&
		    plm_queue_alike(st, id, (plm_id){w})) {
			return (plm_id){w};
		}
	}
	return (plm_id){0};
}

/* Parked with 'peer': who reads its object is told why, which is not looked for anew. */
static void park_with(struct plm_state *st, plm_id id, plm_id peer)
{
	if ((plm_root(st)->publish & PLM_PUBLISH_QUEUES) != 0 &&
	    plm_workload_at(st, id)->why.seq == 0) {
		plm_workload_edit(st, id)->why = plm_workload_at(st, peer)->why;
	}
	plm_queue_park(st, id, true);
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
	plm_id peer = {0};
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
	} else {
		peer = failed_alike(st, id, (plm_id){next.queue});
		if (peer.n != 0) {
			park_with(st, id, peer);
		} else {
			plm_queue_activate(st, id);
		}
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

/* The workload that was refused, and which pod sets were found alike or not: most come in long runs. */
struct likeness {
	const struct plm_link *link;
	plm_sym last;
	bool alike;
};

static bool alike(const struct plm_state *st, struct likeness *like, const struct plm_link *other)
{
	if (other->priority != like->link->priority ||
	    other->reclaimable.n != like->link->reclaimable.n) {
		return false;
	}
	if (other->pod_sets.n != like->last.n) {
		like->last = other->pod_sets;
		like->alike = plm_sym_equal(like->link->pod_sets, other->pod_sets) ||
			      sets_alike(st, like->link->pod_sets, other->pod_sets);
	}
	return like->alike;
}

/* Those whose LocalQueue decides about their turn go one by one; how many others are left in 'list'. */
static uint32_t place_by_usage(struct plm_state *st, uint32_t *list, uint32_t count)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (st->queues.links[list[i]].local != 0) {
			plm_queue_place(st, (plm_id){list[i]});
		} else {
			list[left++] = list[i];
		}
	}
	return left;
}

/* Nobody who reads the one would learn anything from the other: core/written.h. */
static bool says_the_same(const struct plm_why *a, const struct plm_why *b)
{
	return a->seq != 0 && a->rule == b->rule && a->reason == b->reason &&
	       plm_sym_equal(a->object, b->object) && plm_sym_equal(a->resource, b->resource) &&
	       plm_sym_equal(a->flavor, b->flavor);
}

static void park_lane(struct plm_state *st, plm_id id, const struct plm_lane *lane)
{
	uint32_t *parked = plm_queue_index_room(st, lane->count);
	struct plm_link link = *plm_queue_index_link(st, id);
	struct likeness like = {.link = &link, .last = link.pod_sets, .alike = true};
	struct plm_why why = plm_workload_at(st, id)->why;
	uint32_t count = 0;

	for (uint32_t i = 0; i < lane->count; i++) {
		uint32_t other = lane->heap[i];

		if (other != id.n && alike(st, &like, &st->queues.links[other])) {
			parked[count++] = other;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		plm_id other = {parked[i]};
		bool same = says_the_same(&plm_workload_at(st, other)->why, &why);
		struct plm_workload *workload =
			same ? plm_slot_edit_unnoted(st, PLM_TABLE_WORKLOAD, other)
			     : plm_workload_edit(st, other);

		workload->why = why; /* what is said of the one is true of them all */
		workload->place = PLM_QUEUE_PARKED;
		workload->failed = 1;
	}
	count = place_by_usage(st, parked, count);
	if (count > 0) {
		const struct plm_link *first = &st->queues.links[parked[0]];

		plm_queue_index_park(st, (plm_id){first->queue}, first->lane, parked, count);
	}
}

void plm_queue_park_alike(struct plm_state *st, plm_id id)
{
	plm_id queue = {0};

	plm_queue_refresh(st);
	queue.n = plm_queue_index_link(st, id)->queue;
	if (queue.n == 0) {
		return;
	}
	park_lane(st, id, &plm_queue_index_cell(st, queue)->lane);
	PLM_EACH(st, work_queue, w)
	{
		if (plm_sym_equal(plm_work_queue_at(st, w)->cluster_queue,
				  plm_cluster_queue_at(st, queue)->object.name)) {
			park_lane(st, id, plm_queue_index_lane(st, w));
		}
	}
	for (uint32_t n = 1;
	     plm_queue_index_cell(st, queue)->locals > 0 && n < st->queues.local_count; n++) {
		if (st->queues.locals[n].lane.count > 0 && st->queues.locals[n].queue == queue.n) {
			park_lane(st, id, &st->queues.locals[n].lane);
		}
	}
}

/* Wake those of one lane that come first in 'list' together with all others of it; how many these are. */
static uint32_t wake_lane(struct plm_state *st, plm_id queue, uint32_t *list, uint32_t count)
{
	uint32_t lane = st->queues.links[list[0]].lane;
	uint32_t same = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t w = list[i];

		if (st->queues.links[w].lane == lane) {
			list[i] = list[same];
			list[same++] = w;
		}
	}
	plm_queue_index_wake(st, queue, lane, list, same);
	return same;
}

static void retry_queue(struct plm_state *st, plm_id queue)
{
	const struct plm_queue_cell *cell = plm_queue_index_cell(st, queue);
	int64_t now_ms = plm_root(st)->now_ms;
	uint32_t *list = plm_queue_index_room(st, cell->parked_count);
	uint32_t count = 0;

	for (uint32_t w = cell->parked; w != 0; w = st->queues.links[w].next) {
		struct plm_workload *workload =
			plm_slot_edit_unnoted(st, PLM_TABLE_WORKLOAD, (plm_id){w});

		workload->failed = 0;
		if (plm_queue_backoff_over(workload, now_ms)) {
			workload->place = PLM_QUEUE_ACTIVE;
			list[count++] = w;
		}
	}
	count = place_by_usage(st, list, count);
	for (uint32_t at = 0; at < count;) {
		at += wake_lane(st, queue, list + at, count - at);
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

void plm_queue_timer(struct plm_state *st, plm_id id)
{
	plm_timer_heap_set(&st->queues.timers, id.n, plm_due(st, plm_workload_at(st, id)));
}

int64_t plm_queue_next_timer(const struct plm_state *st)
{
	int64_t first = PLM_UNSET;

	if (st->queues.filled) {
		return plm_timer_heap_first(&st->queues.timers);
	}
	PLM_EACH(st, workload, id)
	{
		int64_t due = plm_due(st, plm_workload_at(st, id));

		if (due != PLM_UNSET && (first == PLM_UNSET || due < first)) {
			first = due;
		}
	}
	return first;
}
