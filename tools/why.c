#include "tools/why.h"

#include <inttypes.h>

#include "core/integration.h"
#include "reducers/admission/activity.h"
#include "reducers/admission/explain.h"
#include "reducers/admission/lift.h"
#include "reducers/provision/explain.h"
#include "reducers/provision/life.h"
#include "reducers/status/absent.h"
#include "reducers/status/render.h"
#include "tools/explain_tree.h"
#include "tools/queue_order.h"
#include "tools/rows.h"
#include "tools/spell.h"
#include "tools/topology_tree.h"
#include "tools/unqueued.h"
#include "tools/why_drain.h"
#include "tools/why_removal.h"

#define MAX_CAUSES 16
#define SCRATCH_BYTES ((size_t)8 * 1024 * 1024 * 1024)

/* An answer in the making. */
struct answer {
	struct plm_view *view;
	const struct plm_state *st;
	struct plm_arena *arena;  /* the call's */
	struct plm_arena scratch; /* owned: what the explain functions make */
	struct plm_subject subject;
	plm_id id;
	plm_id workload; /* that the record is about; 0 = something else */

	const char *state;
	const char *reason;		    /* NULL: of the record */
	struct plm_slice message;	    /* empty: of the record */
	const struct plm_w_explain *why;    /* the record, operands of the point; NULL = none */
	const struct plm_w_explain *beside; /* a second record with candidates of its own; NULL */
	struct plm_lifts *lifts;	    /* of the record; NULL = admission's, if it has any */
	uint64_t decision;		    /* seq of the recorded one; 0 = none */
	uint64_t fact;			    /* seq of the newest fact about it; 0 = none */
	struct plm_json *needs, *ahead, *queue;
	struct plm_json *extra; /* further members of the document */
};

static struct plm_slice format_name(const struct answer *a, const struct plm_object *object)
{
	struct plm_subject subject = plm_subject_of(a->st, object);

	return plm_subject_name(a->arena, &subject);
}

/* The record that was logged at 'seq', NULL when that event has none. */
static const struct plm_w_explain *logged_why(struct answer *a, uint64_t seq)
{
	struct plm_logged event = {0};

	if (seq == 0 || plm_input_event(&a->view->input, seq, a->arena, &event, NULL) != PLM_OK) {
		return NULL;
	}
	return plm_event_why(&event);
}

/* ---- workloads --------------------------------------------------------------------------------- */

static struct plm_json *amounts_tree(const struct answer *a, plm_sym span, int64_t times)
{
	struct plm_json *map = plm_json_object(a->arena);
	uint32_t count = 0;
	const struct plm_amount *rows = PLM_SPAN(a->st, span, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice resource = plm_str(a->st, rows[i].resource);

		plm_json_put_key(
			map, resource,
			plm_json_text(a->arena,
				      plm_spell_amount(a->arena, resource,
						       plm_mul_sat(rows[i].amount, times))));
	}
	return map;
}

static struct plm_json *kv_tree(const struct answer *a, plm_sym span)
{
	struct plm_json *map = plm_json_object(a->arena);
	uint32_t count = 0;
	const struct plm_kv *rows = PLM_SPAN(a->st, span, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_json_put_key(map, plm_str(a->st, rows[i].key),
				 plm_json_text(a->arena, plm_str(a->st, rows[i].value)));
	}
	return map;
}

static void put_needs(struct answer *a, const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(a->st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t shapes = 0;
		const struct plm_shape *shape =
			PLM_SPAN(a->st, sets[i].shape, struct plm_shape, &shapes);
		struct plm_json *row = plm_json_object(a->arena);
		plm_sym requests = shapes == 1 ? shape->requests : (plm_sym){0};

		plm_json_put_text(row, "podSet", plm_str(a->st, sets[i].name));
		plm_json_put_int(row, "count", sets[i].count);
		plm_json_put(row, "each", amounts_tree(a, requests, 1));
		plm_json_put(row, "total", amounts_tree(a, requests, sets[i].count));
		plm_json_add(a->needs, row);
	}
}

static struct plm_json *usage_tree(const struct answer *a, const struct plm_admission_position *pos)
{
	const struct plm_admission_usage *rows = pos->usage.ptr;
	struct plm_json *list = plm_json_list(a->arena);

	for (size_t i = 0; i < pos->usage.count; i++) {
		struct plm_slice resource = plm_str(a->st, rows[i].resource);
		struct plm_json *row = plm_json_object(a->arena);

		plm_json_put_text(row, "flavor", plm_str(a->st, rows[i].flavor));
		plm_json_put_text(row, "resource", resource);
		plm_json_put_text(row, "nominal",
				  plm_spell_amount(a->arena, resource, rows[i].nominal));
		plm_json_put_text(row, "used", plm_spell_amount(a->arena, resource, rows[i].used));
		plm_json_put_text(row, "available",
				  plm_spell_amount(a->arena, resource, rows[i].available));
		plm_json_add(list, row);
	}
	return list;
}

static void put_queue(struct answer *a, const struct plm_admission_position *pos)
{
	const struct plm_cluster_queue *queue = NULL;

	if (pos->cluster_queue.n == 0) {
		return;
	}
	queue = plm_cluster_queue_at(a->st, pos->cluster_queue);
	a->queue = plm_json_object(a->arena);
	plm_json_put_text(a->queue, "clusterQueue", plm_str(a->st, queue->object.name));
	plm_json_put_some(a->queue, "cohort", plm_str(a->st, queue->cohort));
	plm_json_put_str(a->queue, "strategy",
			 plm_names_text(&plm_names_strategy, queue->strategy));
	plm_json_put_int(a->queue, "position", pos->position);
	plm_json_put_int(a->queue, "waiting", pos->waiting);
	plm_json_put(a->queue, "usage", usage_tree(a, pos));
	for (uint32_t i = 0; i < pos->ahead_count; i++) {
		const struct plm_workload *ahead = plm_workload_at(a->st, pos->ahead[i]);
		struct plm_json *row = plm_json_object(a->arena);

		plm_json_put_text(row, "workload", format_name(a, &ahead->object));
		plm_json_put_int(row, "priority", ahead->priority);
		plm_json_add(a->ahead, row);
	}
}

/* A line for each feature that it asks for and that is not there yet. */
static void put_absent(struct answer *a)
{
	struct plm_absent list[PLM_ABSENT_MAX];
	uint32_t count = plm_absent_of(a->st, a->id, list);
	struct plm_json *rows = plm_json_list(a->arena);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_json *row = plm_json_object(a->arena);
		struct plm_slice object = plm_str(a->st, list[i].object);

		plm_json_put_str(row, "feature", list[i].feature);
		plm_json_put_some(row, "askedForBy", object);
		plm_json_put_str(row, "instead", list[i].instead);
		plm_json_put_str(row, "unblock", list[i].lift);
		plm_json_add(rows, row);
	}
	if (count > 0) {
		plm_json_put(a->extra, "notThereYet", rows);
	}
}

/* Where a gang could not be placed the plan's record says more than "all flavors were tried". */
static void put_capacity(struct answer *a)
{
	struct plm_w_explain *capacity = PLM_NEW(a->arena, struct plm_w_explain);
	struct plm_lifts *lifts = PLM_NEW(a->arena, struct plm_lifts);

	if (a->why == NULL || a->why->reason != PLM_REASON_NO_CAPACITY) {
		return;
	}
	if (plm_provision_explain_workload(a->st, &a->scratch, a->id, capacity, lifts)) {
		a->why = capacity;
		a->lifts = lifts;
		a->reason = plm_names_text(&plm_names_reason, PLM_REASON_NO_CAPACITY);
	}
}

/* What happened among several workloads of one cycle, or to a plan, is not found by looking at one. */
static bool only_recorded(int64_t rule)
{
	static const enum plm_rule found_alone[] = {
		PLM_RULE_QUOTA,
		PLM_RULE_MAX_QUOTA,
		PLM_RULE_BORROWING_LIMIT,
		PLM_RULE_UNDECLARED_RESOURCE,
		PLM_RULE_FLAVOR_MISSING,
		PLM_RULE_FLAVOR_TAINT,
		PLM_RULE_FLAVOR_AFFINITY,
		PLM_RULE_NO_PREEMPTION_CANDIDATES,
		PLM_RULE_NAMESPACE_SELECTOR,
		PLM_RULE_NAMESPACE_MISSING,
		PLM_RULE_LOCAL_QUEUE_MISSING,
		PLM_RULE_CLUSTER_QUEUE_MISSING,
		PLM_RULE_WORK_QUEUE_MISSING,
		PLM_RULE_QUEUE_INACTIVE,
		PLM_RULE_QUEUE_STOPPED,
		PLM_RULE_QUEUE_AMBIGUOUS,
		PLM_RULE_LIMITS,
		PLM_RULE_LIMIT_RANGE_MAX,
		PLM_RULE_LIMIT_RANGE_MIN,
		PLM_RULE_GATED,
		PLM_RULE_INACTIVE,
		PLM_RULE_BACKOFF,
		PLM_RULE_MAX_PARALLEL,
		PLM_RULE_COHORT_RING,
		PLM_RULE_RESTARTED,
		PLM_RULE_REACTIVATED,
	};

	for (size_t i = 0; i < PLM_COUNTOF(found_alone); i++) {
		if ((int64_t)found_alone[i] == rule) {
			return false;
		}
	}
	return true;
}

/*
 * The record's key and the operands of this point: where the pure function comes to the same rule, its
 * numbers are shown; where it does not, the record's, if it says what happened within a cycle, or else
 * what is true now.
 */
static void why_workload(struct answer *a)
{
	const struct plm_workload *workload = plm_workload_at(a->st, a->id);
	struct plm_w_explain *fresh = PLM_NEW(a->arena, struct plm_w_explain);
	struct plm_admission_position pos = {0};
	const struct plm_w_explain *record = NULL;

	a->workload = a->id;
	a->state = plm_workload_status(workload);
	a->decision = workload->why.seq;
	a->fact = workload->object.seq;
	record = logged_why(a, a->decision);
	a->why = record;
	if (plm_admission_explain(a->st, a->id, &a->scratch, fresh, &pos)) {
		put_queue(a, &pos);
		/*
		 * It could be had now, but nobody looks at it until something changes; or by
		 * victims, but a cycle did not choose any: others wait, or it had its turn.
		 */
		bool parked = fresh->rule == PLM_RULE_PREEMPTION ||
			      (workload->place == PLM_QUEUE_PARKED && fresh->rule == PLM_RULE_FITS);

		if (record == NULL || fresh->rule == record->rule ||
		    fresh->rule == PLM_RULE_DISPATCH ||
		    (workload->stage == PLM_STAGE_PENDING && !only_recorded(record->rule) &&
		     !parked) ||
		    (workload->stage == PLM_STAGE_RESERVED && record->rule == PLM_RULE_FITS)) {
			a->why = fresh;
		} else if (fresh->considered.count > 0 && record->considered.count == 0) {
			a->beside = fresh;
		}
	}
	put_capacity(a);
	if (a->why != NULL) {
		struct plm_w_explain *named = PLM_NEW(a->arena, struct plm_w_explain);

		*named = plm_render_in_set(a->st, workload, a->why);
		a->why = named;
	}
	put_needs(a, workload);
	put_absent(a);
	if (workload->stage == PLM_STAGE_FINISHED) {
		a->reason = "Finished";
		a->message = plm_str(a->st, workload->finished_reason);
	}
	if (workload->assignments.n != 0) {
		uint32_t count = 0;
		const struct plm_assignment *sets =
			PLM_SPAN(a->st, workload->assignments, struct plm_assignment, &count);
		struct plm_json *flavors = plm_json_object(a->arena);

		for (uint32_t i = 0; i < count; i++) {
			plm_json_put_key(flavors, plm_str(a->st, sets[i].name),
					 kv_tree(a, sets[i].flavors));
		}
		plm_json_put(a->extra, "flavors", flavors);
		plm_topology_tree_all(a->st, a->arena, sets, count, a->extra);
	}
}

/* A job of any kind stands for its workload. */
static void why_job(struct answer *a)
{
	const struct plm_job *job = plm_job_at(a->st, a->id);

	a->fact = job->object.seq;
	if (job->workload_id.n != 0) {
		uint64_t fact = a->fact;

		a->id = job->workload_id;
		why_workload(a);
		a->fact = fact;
		plm_json_put_text(a->extra, "workload",
				  format_name(a, &plm_workload_at(a->st, a->id)->object));
		return;
	}
	a->state = job->end != PLM_JOB_OPEN ? plm_names_text(&plm_names_job_end, job->end)
					    : (job->active > 0 ? "Running" : "Pending");
	a->message = plm_unqueued_text(a->st, a->arena, a->id);
}

/* ---- pods -------------------------------------------------------------------------------------- */

/* The workload that a pod is a part of, 0 when there is none. */
static plm_id workload_of(const struct answer *a, const struct plm_pod *pod)
{
	plm_id job = pod->group.n != 0
			     ? plm_find(a->st, PLM_KIND_POD_GROUP, pod->object.ns, pod->group)
			     : plm_job_above(a->st, pod->object.owner_uid);

	return job.n == 0 ? job : plm_job_at(a->st, job)->workload_id;
}

/* Does the log leave nodes to another program, or to nobody? */
static bool only_observed(const struct plm_state *st)
{
	return plm_root(st)->only == PLM_ONLY_QUEUES || plm_root(st)->only == PLM_ONLY_NOTHING;
}

static void why_pod(struct answer *a)
{
	const struct plm_pod *pod = plm_pod_at(a->st, a->id);
	struct plm_w_explain *fresh = PLM_NEW(a->arena, struct plm_w_explain);
	struct plm_lifts *lifts = PLM_NEW(a->arena, struct plm_lifts);
	plm_id workload = workload_of(a, pod);
	struct plm_slice target = plm_str(a->st, pod->target);

	a->state = plm_names_text(&plm_names_phase, pod->phase);
	a->decision = pod->why.seq;
	a->fact = pod->object.seq;
	a->why = logged_why(a, a->decision);
	plm_json_put_some(a->extra, "node", plm_str(a->st, pod->node));
	if (workload.n != 0) {
		plm_json_put_text(a->extra, "workload",
				  format_name(a, &plm_workload_at(a->st, workload)->object));
	}
	if (pod->node.n != 0) {
		a->reason = "Bound";
		a->message = plm_arena_format(a->arena, "on node %.*s",
					      (int)plm_str(a->st, pod->node).size,
					      (const char *)plm_str(a->st, pod->node).ptr);
	} else if (target.size > 0) {
		a->reason = "Nominated";
		a->message = plm_arena_format(a->arena, "expected on %s %.*s",
					      pod->target_claim == 1 ? "node claim" : "node",
					      (int)target.size, (const char *)target.ptr);
	} else if (plm_provision_explain_pod(a->st, &a->scratch, a->id, fresh, lifts)) {
		a->why = fresh;
		a->lifts = lifts;
	} else if (pod->phase == PLM_PHASE_PENDING && only_observed(a->st)) {
		a->reason = "Observed";
		a->message = plm_slice_str("nothing is decided on nodes here: they are observed "
					   "only, until --enforce nodes");
	}
}

static void why_replicator(struct answer *a)
{
	const struct plm_replicator *replicator = plm_replicator_at(a->st, a->id);

	a->state = "Present";
	a->decision = replicator->why.seq;
	a->fact = replicator->object.seq;
	a->why = logged_why(a, a->decision);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static int64_t pods_of_node(const struct answer *a, plm_sym node)
{
	int64_t pods = 0;

	PLM_EACH(a->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(a->st, id);

		pods += pod->node.n == node.n && pod->phase != PLM_PHASE_SUCCEEDED &&
					pod->phase != PLM_PHASE_FAILED
				? 1
				: 0;
	}
	return pods;
}

static const char *const claim_states[] = {"Wanted", "Launched", "Joined", "Ready", "Ending"};

/* What the cloud would not give before it gave this one. */
static void put_refused(struct answer *a, const struct plm_node_claim *claim)
{
	uint32_t count = 0;
	const struct plm_refusal *rows =
		PLM_SPAN(a->st, claim->refused, struct plm_refusal, &count);
	struct plm_json *list = plm_json_list(a->arena);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_json *row = plm_json_object(a->arena);

		plm_json_put_some(row, "instanceType", plm_str(a->st, rows[i].instance_type));
		plm_json_put_some(row, "zone", plm_str(a->st, rows[i].zone));
		plm_json_put_some(row, "capacityType", plm_str(a->st, rows[i].capacity_type));
		plm_json_put_some(row, "code", plm_str(a->st, rows[i].code));
		plm_json_add(list, row);
	}
	if (count > 0) {
		plm_json_put(a->extra, "refused", list);
	}
}

/* Whom it was bought for: the first of them by name, and how many they were. */
static void put_bought_for(struct answer *a, const struct plm_node_claim *claim)
{
	uint32_t count = 0;
	const plm_sym *pods = PLM_SPAN(a->st, claim->bought_for, plm_sym, &count);
	struct plm_json *list = plm_json_list(a->arena);

	for (uint32_t i = 0; i < count; i++) {
		plm_json_add_text(list, plm_str(a->st, pods[i]));
	}
	if (claim->bought_pods > 0) {
		plm_json_put_int(a->extra, "boughtForPods", claim->bought_pods);
		plm_json_put(a->extra, "boughtFor", list);
	}
}

static void about_claim(struct answer *a, const struct plm_node_claim *claim)
{
	a->decision = claim->why.seq;
	a->why = logged_why(a, a->decision);
	plm_json_put_some(a->extra, "nodePool", plm_str(a->st, claim->pool));
	plm_json_put_some(a->extra, "instanceType", plm_str(a->st, claim->instance_type));
	plm_json_put_some(a->extra, "zone", plm_str(a->st, claim->zone));
	plm_json_put_some(a->extra, "capacityType", plm_str(a->st, claim->capacity_type));
	if (claim->price_micro != PLM_UNSET) {
		plm_json_put_int(a->extra, "priceMicroUSDPerHour", claim->price_micro);
	}
	if (claim->for_name.n != 0) {
		struct plm_subject gang = {.ns = plm_str(a->st, claim->for_ns),
					   .name = plm_str(a->st, claim->for_name)};

		plm_json_put_text(a->extra, "for", plm_subject_name(a->arena, &gang));
	}
	put_bought_for(a, claim);
	put_refused(a, claim);
	if (claim->phase == PLM_CLAIM_ENDING) {
		plm_why_drain(a->st, claim, logged_why(a, claim->drain_why.seq), a->extra);
	}
}

static void why_claim(struct answer *a)
{
	const struct plm_node_claim *claim = plm_node_claim_at(a->st, a->id);

	PLM_ASSERT(claim->phase < PLM_COUNTOF(claim_states));
	a->state = claim_states[claim->phase];
	a->fact = claim->object.seq;
	about_claim(a, claim);
	plm_json_put_some(a->extra, "node", plm_str(a->st, claim->node));
	if (claim->phase == PLM_CLAIM_ENDING) {
		a->reason = plm_names_text(&plm_names_reason, claim->end_reason);
	}
}

static void why_node(struct answer *a)
{
	const struct plm_node *node = plm_node_at(a->st, a->id);
	int64_t pods = pods_of_node(a, node->object.name);

	a->state = node->ready == 1 ? "Ready" : "NotReady";
	a->fact = node->object.seq;
	plm_json_put_int(a->extra, "pods", pods);
	if (node->empty_since_ms != PLM_UNSET) {
		plm_json_put_text(a->extra, "emptySince",
				  plm_spell_time(a->arena, node->empty_since_ms));
	}
	if (node->claim.n != 0) {
		about_claim(a, plm_node_claim_at(a->st, node->claim));
		plm_json_put_text(
			a->extra, "nodeClaim",
			plm_str(a->st, plm_node_claim_at(a->st, node->claim)->object.name));
		plm_why_removal(a->st, &a->scratch, a->id, a->extra);
	} else {
		a->reason = "Present";
		a->message = plm_slice_str("no node claim stands for it: Plimsoll did not launch "
					   "it and will not remove it");
	}
}

/* The status of NodeRegistrationHealthy; it says how launches went, and decides nothing. */
static const char *const health_words[] = {
	[PLM_HEALTH_UNKNOWN] = "Unknown",
	[PLM_HEALTH_GOOD] = "True",
	[PLM_HEALTH_BAD] = "False",
};

static void why_pool(struct answer *a)
{
	const struct plm_node_pool *pool = plm_node_pool_at(a->st, a->id);
	int64_t nodes = 0;

	PLM_EACH(a->st, node_claim, id)
	{
		nodes += plm_node_claim_at(a->st, id)->pool.n == pool->object.name.n ? 1 : 0;
	}
	a->fact = pool->object.seq;
	a->state = pool->not_ready.n == 0 ? "Ready" : "NotReady";
	a->reason = a->state;
	a->message = pool->not_ready.n != 0
			     ? plm_str(a->st, pool->not_ready)
			     : plm_arena_format(a->arena, "%" PRId64 " node claims", nodes);
	plm_json_put_int(a->extra, "nodeClaims", nodes);
	plm_json_put_str(a->extra, "nodeRegistrationHealthy", health_words[plm_life_health(pool)]);
}

/* ---- queues ------------------------------------------------------------------------------------ */

static int64_t holders_of(const struct answer *a, plm_sym queue)
{
	int64_t holders = 0;

	PLM_EACH(a->st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(a->st, id);
		bool holds = workload->stage == PLM_STAGE_RESERVED ||
			     workload->stage == PLM_STAGE_ADMITTED;

		holders += holds && plm_sym_equal(workload->reserved_in, queue) ? 1 : 0;
	}
	return holders;
}

static void why_cluster_queue(struct answer *a)
{
	const struct plm_cluster_queue *queue = plm_cluster_queue_at(a->st, a->id);
	struct plm_activity activity = plm_activity_of(a->st, a->id);
	struct plm_w_explain *why = PLM_NEW(a->arena, struct plm_w_explain);

	a->fact = queue->object.seq;
	a->state = activity.rule == PLM_RULE_NONE ? "Active" : "Inactive";
	if (activity.rule == PLM_RULE_NONE) {
		a->reason = "Ready";
		a->message = plm_arena_format(a->arena, "%" PRId64 " workloads hold its quota",
					      holders_of(a, queue->object.name));
		return;
	}
	*why = (struct plm_w_explain){
		.rule = activity.rule,
		.reason = activity.rule == PLM_RULE_QUEUE_STOPPED ? PLM_REASON_CLUSTER_QUEUE_STOPPED
								  : PLM_REASON_MISCONFIGURED,
		.object = plm_str(a->st, queue->object.name),
		.flavor = plm_str(a->st, activity.flavor),
		.detail = plm_str(a->st, activity.detail),
		.need = PLM_UNSET,
		.have = PLM_UNSET,
		.limit = PLM_UNSET,
	};
	a->why = why;
}

/* The first missing link of a way to a ClusterQueue. */
static void why_link(struct answer *a, plm_sym work, plm_sym cluster)
{
	bool work_there =
		work.n == 0 || plm_find(a->st, PLM_KIND_WORK_QUEUE, (plm_sym){0}, work).n != 0;
	struct plm_slice missing = work_there ? plm_str(a->st, cluster) : plm_str(a->st, work);
	bool cluster_there = cluster.n == 0 ||
			     plm_find(a->st, PLM_KIND_CLUSTER_QUEUE, (plm_sym){0}, cluster).n != 0;

	a->state = work_there && cluster_there ? "Active" : "Inactive";
	a->reason = work_there && cluster_there ? "Ready" : "Misconfigured";
	if (!work_there || !cluster_there) {
		a->message = plm_arena_format(a->arena, "%s %.*s doesn't exist",
					      work_there ? "ClusterQueue" : "WorkQueue",
					      (int)missing.size, (const char *)missing.ptr);
	}
}

static void why_queue(struct answer *a)
{
	if (a->subject.kind == PLM_KIND_LOCAL_QUEUE) {
		const struct plm_local_queue *queue = plm_local_queue_at(a->st, a->id);

		a->fact = queue->object.seq;
		why_link(a, queue->work_queue, queue->cluster_queue);
	} else {
		const struct plm_work_queue *queue = plm_work_queue_at(a->st, a->id);

		a->fact = queue->object.seq;
		why_link(a, (plm_sym){0}, queue->cluster_queue);
	}
}

/* ---- by kind ----------------------------------------------------------------------------------- */

static void why_other(struct answer *a)
{
	const struct plm_object *object = plm_slot(a->st, plm_kind_table(a->subject.kind), a->id);

	a->state = "Present";
	a->fact = object->seq;
	a->message = plm_slice_str("nothing is decided about objects of this kind");
}

static void why_kind(struct answer *a)
{
	static const struct {
		enum plm_kind kind;
		void (*why)(struct answer *a);
	} kinds[] = {
		{PLM_KIND_WORKLOAD, why_workload},
		{PLM_KIND_POD, why_pod},
		{PLM_KIND_NODE, why_node},
		{PLM_KIND_NODE_CLAIM, why_claim},
		{PLM_KIND_NODE_POOL, why_pool},
		{PLM_KIND_CLUSTER_QUEUE, why_cluster_queue},
		{PLM_KIND_LOCAL_QUEUE, why_queue},
		{PLM_KIND_WORK_QUEUE, why_queue},
		{PLM_KIND_DEPLOYMENT, why_replicator},
		{PLM_KIND_REPLICA_SET, why_replicator},
		{PLM_KIND_STATEFUL_SET, why_replicator},
	};

	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (kinds[i].kind == a->subject.kind) {
			kinds[i].why(a);
			return;
		}
	}
	if (plm_kind_table(a->subject.kind) == PLM_TABLE_JOB) {
		why_job(a);
		return;
	}
	why_other(a);
}

/* ---- gone -------------------------------------------------------------------------------------- */

/* The newest decision and the newest event about the subject up to the point. */
static enum plm_code find_last(struct answer *a, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	uint64_t last = 0;
	enum plm_code code = plm_reader_open(a->view->input.log, plm_log_first(a->view->input.log),
					     &reader, err);

	while (code == PLM_OK) {
		struct plm_subject about;

		code = plm_reader_next(reader, &event, err);
		if (code != PLM_OK || event.envelope.seq > a->view->seq) {
			break;
		}
		about = plm_event_subject(&event);
		if (about.kind != a->subject.kind ||
		    !plm_slice_equal(about.name, a->subject.name) ||
		    (a->subject.ns.size > 0 && !plm_slice_equal(about.ns, a->subject.ns))) {
			continue;
		}
		last = event.envelope.seq;
		a->subject.ns = plm_arena_copy(a->arena, about.ns);
		if (plm_event_why(&event) != NULL) {
			a->decision = last;
		}
	}
	plm_reader_close(reader);
	if (code != PLM_OK && code != PLM_E_NOT_FOUND) {
		return code;
	}
	a->fact = last;
	return PLM_OK;
}

/*
 * What is gone is asked about in the state just before the last event about it: there the decision that
 * ended it is known. An object that no state ever held (a result for something else) has its record only.
 */
static enum plm_code why_gone(struct answer *a, struct plm_error *err)
{
	uint64_t last = 0;
	enum plm_code code = find_last(a, err);

	if (code != PLM_OK) {
		return code;
	}
	last = a->fact;
	if (last == 0) {
		return plm_fail(err, PLM_E_NOT_FOUND, "no %s called %.*s ever existed up to there",
				plm_names_text(&plm_names_kind, a->subject.kind),
				(int)a->subject.name.size, (const char *)a->subject.name.ptr);
	}
	code = plm_view_look_back(a->view, last - 1, err);
	if (code != PLM_OK) {
		return code;
	}
	if (plm_subject_find(&a->view->earlier, &a->subject, &a->id, NULL) == PLM_OK) {
		a->st = &a->view->earlier;
		why_kind(a);
	}
	a->state = "Gone";
	a->fact = last;
	if (a->why == NULL && a->decision != 0) {
		a->why = logged_why(a, a->decision);
	}
	if (a->why == NULL && a->message.size == 0) {
		a->message = plm_arena_format(a->arena, "last seen in event %" PRIu64, last);
	}
	return PLM_OK;
}

/* ---- the document ------------------------------------------------------------------------------ */

static void add_cause(const struct answer *a, struct plm_json *list, const struct plm_logged *event)
{
	struct plm_json *row = plm_json_object(a->arena);
	struct plm_subject subject = plm_event_subject(event);

	plm_json_put_int(row, "seq", (int64_t)event->envelope.seq);
	plm_json_put_str(row, "type", event->info->name);
	if (subject.kind != PLM_KIND_NONE) {
		plm_json_put_text(row, "object", plm_subject_text(a->arena, &subject));
	}
	plm_json_add(list, row);
}

/* From the decision back to what came from outside, then the newest fact about the object. */
static struct plm_json *causes_tree(struct answer *a)
{
	struct plm_json *list = plm_json_list(a->arena);
	uint64_t seq = a->decision;

	for (int i = 0; seq != 0 && i < MAX_CAUSES; i++) {
		struct plm_logged event = {0};

		if (plm_input_event(&a->view->input, seq, a->arena, &event, NULL) != PLM_OK) {
			break;
		}
		add_cause(a, list, &event);
		seq = event.envelope.cause;
	}
	if (a->fact != 0 && a->fact != a->decision) {
		struct plm_logged event = {0};

		if (plm_input_event(&a->view->input, a->fact, a->arena, &event, NULL) == PLM_OK) {
			add_cause(a, list, &event);
		}
	}
	return list;
}

static struct plm_json *decision_tree(struct answer *a)
{
	struct plm_json *decision = plm_json_object(a->arena);
	int64_t ms = 0;

	plm_json_put_int(decision, "seq", (int64_t)a->decision);
	if (plm_input_time(&a->view->input, a->decision, &ms, NULL) == PLM_OK) {
		plm_json_put_text(decision, "time", plm_spell_time(a->arena, ms));
	}
	return decision;
}

static void put_record(struct answer *a, struct plm_json *doc)
{
	const struct plm_w_explain *rows = a->beside != NULL ? a->beside : a->why;
	struct plm_json *none = plm_json_list(a->arena);
	const char *reason = a->reason;

	if (a->lifts == NULL && a->why != NULL && a->workload.n != 0) {
		a->lifts = PLM_NEW(a->arena, struct plm_lifts);
		plm_admission_lifts(a->st, a->workload, a->why, a->lifts);
	}
	if (reason == NULL) {
		reason = a->why != NULL ? plm_names_text(&plm_names_reason, a->why->reason) : "";
	}
	if (a->message.size == 0 && a->why != NULL) {
		a->message = plm_render_message(a->arena, a->why);
	}
	plm_json_put_str(doc, "reason", reason);
	plm_json_put_text(doc, "message", a->message);
	plm_json_put(doc, "considered", rows != NULL ? plm_considered_tree(a->arena, rows) : none);
	plm_json_put(doc, "unblock",
		     a->why != NULL ? plm_unblock_tree(a->arena, a->st, a->lifts, a->why) : none);
	if (a->why != NULL && a->lifts != NULL) {
		plm_json_put(doc, "binding", plm_binding_tree(a->arena, a->why));
		plm_json_put(doc, "unblockActions", plm_actions_tree(a->arena, a->lifts));
	}
	if (a->why != NULL && a->why->funnel.count > 0) {
		plm_json_put(doc, "funnel", plm_funnel_tree(a->arena, a->why));
	}
	if (a->why != NULL && a->why->rule != PLM_RULE_NONE) {
		plm_json_put_str(doc, "rule", plm_names_text(&plm_names_rule, a->why->rule));
	}
}

static struct plm_json *document(struct answer *a)
{
	struct plm_json *doc = plm_json_document(a->arena, "Explanation");

	plm_json_put_text(doc, "subject", plm_subject_text(a->arena, &a->subject));
	plm_json_put(doc, "at", plm_view_point(a->view));
	plm_json_put_str(doc, "state", a->state);
	put_record(a, doc);
	plm_json_put(doc, "needs", a->needs);
	plm_json_put(doc, "ahead", a->ahead);
	if (a->queue != NULL) {
		plm_json_put(doc, "queue", a->queue);
	}
	plm_json_put(doc, "decision",
		     a->decision != 0 ? decision_tree(a) : plm_json_null(a->arena));
	plm_json_put(doc, "causes", causes_tree(a));
	for (size_t i = 0; i < a->extra->count; i++) {
		plm_json_put_key(doc, a->extra->keys[i], a->extra->items[i]);
	}
	return doc;
}

enum plm_code plm_why_tree(struct plm_view *view, struct plm_subject *subject,
			   struct plm_json **out, struct plm_error *err)
{
	struct plm_arena *arena = view->call->arena;
	struct answer a = {
		.view = view,
		.st = &view->state,
		.arena = arena,
		.subject = *subject,
		.needs = plm_json_list(arena),
		.ahead = plm_json_list(arena),
		.extra = plm_json_object(arena),
	};
	enum plm_code code = plm_arena_init(&a.scratch, SCRATCH_BYTES, err);

	if (code != PLM_OK) {
		return code;
	}
	code = plm_subject_find(a.st, &a.subject, &a.id, err);
	if (code == PLM_OK) {
		why_kind(&a);
	} else if (code == PLM_E_NOT_FOUND) {
		code = why_gone(&a, err);
	}
	if (code == PLM_OK) {
		*out = document(&a);
		*subject = a.subject;
	}
	plm_arena_fini(&a.scratch);
	return code;
}
