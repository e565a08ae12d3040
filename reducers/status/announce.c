#include "reducers/status/announce.h"

#include "core/quantity.h"
#include "core/timefmt.h"

#include "reducers/status/condition.h"
#include "reducers/status/render.h"

struct telling {
	const struct plm_state *st;
	const struct plm_event *ev;
	struct plm_arena *arena;
	struct plm_announcements *out;
};

/* printf's precision and pointer of a text. */
#define TEXT(slice) (int)(slice).size, (const char *)(slice).ptr

static struct plm_announcement *tell(const struct telling *t, const struct plm_object *object,
				     const char *reason)
{
	struct plm_announcement *one = &t->out->list[t->out->count];

	PLM_ASSERT(t->out->count < PLM_ANNOUNCEMENTS_MAX);
	t->out->count++;
	*one = (struct plm_announcement){
		.kind = (enum plm_kind)object->kind,
		.ns = plm_str(t->st, object->ns),
		.name = plm_str(t->st, object->name),
		.uid = plm_str(t->st, object->uid),
		.reason = plm_slice_str(reason),
	};
	return one;
}

static const struct plm_workload *workload_of(const struct telling *t, struct plm_slice ns,
					      struct plm_slice name)
{
	plm_id id = plm_find(t->st, PLM_KIND_WORKLOAD, plm_sym_find(t->st, ns),
			     plm_sym_find(t->st, name));

	PLM_ASSERT(id.n != 0);
	return plm_workload_at(t->st, id);
}

static int64_t seconds_since(const struct telling *t, int64_t since_ms)
{
	int64_t now_ms = (int64_t)t->ev->tick_ms;

	return since_ms == PLM_UNSET || since_ms > now_ms ? 0 : (now_ms - since_ms) / 1000;
}

/* ---- admission --------------------------------------------------------------------------------- */

/* "8 nvidia.com/gpu": what a person counts in a PodSet, the first resource that is no cpu or memory. */
static void tell_pod_set(const struct telling *t, const struct plm_workload *workload,
			 const struct plm_w_reserve *reserve)
{
	const struct plm_w_assignment *sets = reserve->assignments.ptr;
	const struct plm_w_amount *best = NULL;
	char amount[PLM_QUANTITY_SIZE];

	for (size_t i = 0; i < reserve->assignments.count; i++) {
		const struct plm_w_amount *use = sets[i].usage.ptr;

		for (size_t u = 0; u < sets[i].usage.count; u++) {
			bool plain = plm_slice_is(use[u].resource, "cpu") ||
				     plm_slice_is(use[u].resource, "memory") ||
				     plm_slice_is(use[u].resource, "pods");

			if (best == NULL || !plain) {
				best = &use[u];
			}
		}
	}
	if (best == NULL) {
		return;
	}
	tell(t, &plm_job_at(t->st, workload->job)->object, "Reservation")->message =
		plm_arena_format(t->arena, "Reserved %s %.*s for this job",
				 plm_quantity_format(best->resource, best->amount, amount),
				 TEXT(best->resource));
}

static void tell_admitted(const struct telling *t, const struct plm_workload *workload,
			  struct plm_slice queue, int64_t since_ms)
{
	tell(t, &workload->object, "Admitted")->message =
		plm_arena_format(t->arena,
				 "Admitted by ClusterQueue %.*s, wait time since reservation was "
				 "%llds",
				 TEXT(queue), (long long)seconds_since(t, since_ms));
}

static void on_reserve(const struct telling *t, const struct plm_w_reserve *reserve)
{
	const struct plm_workload *workload = workload_of(t, reserve->ns, reserve->name);

	tell(t, &workload->object, "QuotaReserved")->message = plm_arena_format(
		t->arena, "Quota reserved in ClusterQueue %.*s, wait time since queued was %llds",
		TEXT(reserve->cluster_queue),
		(long long)seconds_since(t, workload->object.created_ms));
	if (reserve->admitted == 1) {
		tell_admitted(t, workload, reserve->cluster_queue, (int64_t)t->ev->tick_ms);
	}
	if (workload->job.n != 0 &&
	    plm_job_at(t->st, workload->job)->object.kind == PLM_KIND_POD_SET) {
		tell_pod_set(t, workload, reserve);
	}
}

static void on_admit(const struct telling *t, const struct plm_w_admit *admit)
{
	const struct plm_workload *workload = workload_of(t, admit->ns, admit->name);

	tell_admitted(t, workload, plm_str(t->st, workload->reserved_in), workload->reserved_ms);
}

static void on_pend(const struct telling *t, const struct plm_w_pend *pend)
{
	const struct plm_workload *workload = workload_of(t, pend->ns, pend->name);
	struct plm_w_explain named = plm_render_in_set(t->st, workload, &pend->why);
	struct plm_announcement *one = NULL;

	if (pend->why.rule == PLM_RULE_NONE || pend->why.reason == PLM_REASON_NONE ||
	    workload->stage != PLM_STAGE_PENDING) {
		return; /* only its place in the queue has changed */
	}
	one = tell(t, &workload->object, plm_names_text(&plm_names_reason, pend->why.reason));
	one->warning = true;
	one->message = plm_render_message(t->arena, &named);
}

/* ---- evictions --------------------------------------------------------------------------------- */

static void on_preempted(const struct telling *t, const struct plm_workload *workload,
			 const struct plm_w_evict *evict)
{
	const struct plm_workload *by = NULL;
	const char *reason = plm_names_text(&plm_names_reason, evict->preemption);

	tell(t, &workload->object, "Preempted")->message = plm_arena_format(
		t->arena, "Preempted to accommodate workload %.*s/%.*s (reason: %s)",
		TEXT(evict->by_ns), TEXT(evict->by_name), reason);
	if (evict->by_name.size == 0) {
		return;
	}
	by = workload_of(t, evict->by_ns, evict->by_name);
	tell(t, &by->object, "PreemptedWorkload")->message =
		plm_arena_format(t->arena, "Preempted workload %.*s/%.*s (reason: %s)",
				 TEXT(evict->ns), TEXT(evict->name), reason);
}

static void on_evict(const struct telling *t, const struct plm_w_evict *evict)
{
	const struct plm_workload *workload = workload_of(t, evict->ns, evict->name);
	struct plm_slice reason = plm_slice_str(plm_names_text(&plm_names_reason, evict->reason));
	struct plm_slice full =
		plm_status_eviction_reason(t->arena, reason, (enum plm_reason)evict->cause);
	struct plm_announcement *one = tell(t, &workload->object, "");

	one->reason = plm_arena_format(t->arena, "EvictedDueTo%.*s", TEXT(full));
	one->message = plm_slice_str(plm_status_eviction_words(reason));
	if (evict->reason == PLM_REASON_PREEMPTED) {
		on_preempted(t, workload, evict);
	}
	if (evict->cause == PLM_REASON_MAXIMUM_EXECUTION_TIME_EXCEEDED) {
		one = tell(t, &workload->object, "MaximumExecutionTimeExceeded");
		one->warning = true;
		one->message = plm_slice_str("The workload ran longer than it may");
	}
}

/* ---- checks ------------------------------------------------------------------------------------ */

static enum plm_check_state state_before(const struct telling *t,
					 const struct plm_workload *workload, struct plm_slice name)
{
	uint32_t count = 0;
	const struct plm_check_status *check =
		PLM_SPAN(t->st, workload->checks, struct plm_check_status, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_slice_equal(plm_str(t->st, check[i].name), name)) {
			return (enum plm_check_state)check[i].state;
		}
	}
	return PLM_CHECK_PENDING;
}

/* As many of the checks whose answer has changed as there is room for. */
static void on_checks(const struct telling *t, struct plm_slice ns, struct plm_slice name,
		      struct plm_vec checks)
{
	plm_id id = plm_find(t->st, PLM_KIND_WORKLOAD, plm_sym_find(t->st, ns),
			     plm_sym_find(t->st, name));
	const struct plm_w_check_status *check = checks.ptr;

	for (size_t i = 0; id.n != 0 && i < checks.count && t->out->count < PLM_ANNOUNCEMENTS_MAX;
	     i++) {
		const struct plm_workload *workload = plm_workload_at(t->st, id);
		enum plm_check_state before = state_before(t, workload, check[i].name);
		bool rejected = check[i].state == PLM_CHECK_REJECTED;
		struct plm_announcement *one = NULL;

		if (check[i].state == (int64_t)before) {
			continue;
		}
		one = tell(t, &workload->object,
			   rejected ? "AdmissionCheckRejected" : "AdmissionCheckUpdated");
		one->warning = rejected;
		one->message = plm_arena_format(
			t->arena, "Admission check %.*s updated state from %s to %s",
			TEXT(check[i].name), plm_names_text(&plm_names_check_state, before),
			plm_names_text(&plm_names_check_state, check[i].state));
	}
}

static void on_workload(const struct telling *t, const struct plm_w_workload *w)
{
	on_checks(t, w->meta.ns, w->meta.name, w->checks);
}

static void on_patch(const struct telling *t, const struct plm_w_workload_patch *w)
{
	on_checks(t, w->ns, w->name, w->checks);
}

/* ---- jobs and pods ----------------------------------------------------------------------------- */

static void on_job(const struct telling *t, const struct plm_w_job *w)
{
	plm_id id = plm_find(t->st, (enum plm_kind)w->kind, plm_sym_find(t->st, w->meta.ns),
			     plm_sym_find(t->st, w->meta.name));
	struct plm_announcement *one = &t->out->list[0];
	bool ends =
		w->end != PLM_JOB_OPEN && (id.n == 0 || plm_job_at(t->st, id)->end == PLM_JOB_OPEN);

	if (w->managed != 1 || (id.n != 0 && !ends)) {
		return;
	}
	*one = (struct plm_announcement){
		.kind = (enum plm_kind)w->kind,
		.ns = w->meta.ns,
		.name = w->meta.name,
		.uid = w->meta.uid,
		.reason = plm_slice_str(ends ? "FinishedWorkload" : "CreatedWorkload"),
		.message = ends ? plm_arena_format(t->arena,
						   "Workload '%.*s/%.*s' is declared finished",
						   TEXT(w->meta.ns), TEXT(w->workload))
				: plm_arena_format(t->arena, "Created Workload: %.*s/%.*s",
						   TEXT(w->meta.ns), TEXT(w->workload)),
	};
	t->out->count = 1;
}

static bool another_on(const struct telling *t, plm_id pod_id, plm_sym owner, plm_sym node)
{
	PLM_EACH(t->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(t->st, id);

		if (id.n != pod_id.n && plm_sym_equal(pod->object.owner_uid, owner) &&
		    plm_sym_equal(pod->node, node)) {
			return true;
		}
	}
	return false;
}

/* A pod of a PodSet got its node: each node is told once. */
static void on_pod(const struct telling *t, const struct plm_w_pod *w)
{
	plm_sym owner = plm_sym_find(t->st, w->meta.owner_uid);
	plm_id set = plm_index_find(t->st, PLM_KEY_JOB_UID, owner.n, 0);
	plm_id id = plm_find(t->st, PLM_KIND_POD, plm_sym_find(t->st, w->meta.ns),
			     plm_sym_find(t->st, w->meta.name));

	if (w->node.size == 0 || owner.n == 0 || set.n == 0 ||
	    plm_job_at(t->st, set)->object.kind != PLM_KIND_POD_SET ||
	    (id.n != 0 && plm_pod_at(t->st, id)->node.n != 0) ||
	    another_on(t, id, owner, plm_sym_find(t->st, w->node))) {
		return;
	}
	tell(t, &plm_job_at(t->st, set)->object, "Scheduled")->message =
		plm_arena_format(t->arena, "PodSet scheduled to node %.*s", TEXT(w->node));
}

/* The claim of the node that the pod is on, while that goes; NULL = none. */
static const struct plm_node_claim *leaving_claim(const struct telling *t,
						  const struct plm_pod *pod)
{
	plm_id node = plm_find(t->st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
	plm_id claim = node.n == 0 ? (plm_id){0} : plm_node_at(t->st, node)->claim;

	return claim.n == 0 || plm_node_claim_at(t->st, claim)->phase != PLM_CLAIM_ENDING
		       ? NULL
		       : plm_node_claim_at(t->st, claim);
}

/* A drain has made a pod go, by an eviction or, when time was short, directly. */
static void pod_left(const struct telling *t, const struct plm_intent *intent)
{
	plm_id id = plm_find(t->st, PLM_KIND_POD, intent->ns, intent->name);
	const struct plm_node_claim *claim =
		id.n == 0 ? NULL : leaving_claim(t, plm_pod_at(t->st, id));
	char time[PLM_TIME_SIZE];

	if (claim == NULL) {
		return;
	}
	if (intent->call == PLM_CALL_POD_EVICT) {
		tell(t, &plm_pod_at(t->st, id)->object, "Evicted")->message = plm_arena_format(
			t->arena, "Evicted pod: %s",
			plm_names_text(&plm_names_reason, (int64_t)claim->end_reason));
	} else if (intent->call == PLM_CALL_POD_DELETE && claim->deadline_ms != 0) {
		tell(t, &plm_pod_at(t->st, id)->object, "Disrupted")->message = plm_arena_format(
			t->arena,
			"Deleting the pod to accommodate the terminationTime %s of the node. This "
			"bypasses the PDB of the pod and the do-not-disrupt annotation.",
			plm_time_format(claim->deadline_ms, time));
	}
}

/* On the node, as upstream: what keeps it from going, and until when it may. */
static void on_drain(const struct telling *t, const struct plm_w_drain *w)
{
	plm_id id =
		plm_find(t->st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, plm_sym_find(t->st, w->name));
	const struct plm_node_claim *claim = plm_node_claim_at(t->st, id);
	plm_id node =
		id.n == 0 ? (plm_id){0} : plm_find(t->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);
	struct plm_announcement *one = NULL;
	char time[PLM_TIME_SIZE];

	if (node.n == 0) {
		return;
	}
	if (claim->drain_stage == PLM_DRAIN_NONE && claim->deadline_ms != 0) {
		one = tell(t, &plm_node_at(t->st, node)->object, "TerminationGracePeriodExpiring");
		one->warning = true;
		one->message = plm_arena_format(t->arena, "All pods will be deleted by %s",
						plm_time_format(claim->deadline_ms, time));
	}
	if (w->why.reason == PLM_REASON_FAILED_DRAINING) {
		struct plm_slice message = plm_render_message(t->arena, &w->why);

		one = tell(t, &plm_node_at(t->st, node)->object, "FailedDraining");
		one->warning = true;
		one->message =
			plm_arena_format(t->arena, "Failed to drain node, %.*s", TEXT(message));
	} else if (w->why.reason == PLM_REASON_AWAITING_VOLUMES) {
		tell(t, &plm_node_at(t->st, node)->object, "AwaitingVolumeDetachment")->message =
			plm_arena_format(t->arena,
					 "Awaiting deletion of bound volumeattachments (%.*s)",
					 TEXT(w->why.object));
	}
}

/* The effect of an intent has come about: the job runs, or it stopped. */
static void on_result(const struct telling *t, const struct plm_w_result *result)
{
	plm_id id = plm_index_find(t->st, PLM_KEY_INTENT, (uint32_t)result->intent,
				   (uint32_t)((uint64_t)result->intent >> 32));
	const struct plm_intent *intent = id.n == 0 ? NULL : plm_intent_at(t->st, id);
	const struct plm_workload *workload = NULL;
	plm_id job = {0};

	if (intent != NULL && result->class == PLM_RESULT_DONE && intent->kind == PLM_KIND_POD) {
		pod_left(t, intent);
		return;
	}
	if (intent == NULL || result->class != PLM_RESULT_DONE ||
	    (intent->call != PLM_CALL_JOB_START && intent->call != PLM_CALL_JOB_STOP)) {
		return;
	}
	job = plm_find(t->st, (enum plm_kind)intent->kind, intent->ns, intent->name);
	if (job.n == 0 || plm_job_at(t->st, job)->workload_id.n == 0) {
		return;
	}
	workload = plm_workload_at(t->st, plm_job_at(t->st, job)->workload_id);
	if (intent->call == PLM_CALL_JOB_START) {
		struct plm_slice queue = plm_str(t->st, workload->reserved_in);

		tell(t, &plm_job_at(t->st, job)->object, "Started")->message =
			plm_arena_format(t->arena, "Admitted by clusterQueue %.*s", TEXT(queue));
		return;
	}
	tell(t, &plm_job_at(t->st, job)->object, "Stopped")->message = plm_slice_str(
		workload->evicted_reason.n == 0
			? "Not admitted by cluster queue"
			: plm_status_eviction_words(plm_str(t->st, workload->evicted_reason)));
}

/* On the node and on its claim, as upstream. */
static void on_blocked(const struct telling *t, const struct plm_w_blocked *w)
{
	plm_id id =
		plm_find(t->st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, plm_sym_find(t->st, w->name));
	plm_id node = {0};
	struct plm_slice message = plm_render_message(t->arena, &w->why);

	if (id.n == 0 || w->why.rule == PLM_RULE_NONE) {
		return;
	}
	tell(t, &plm_node_claim_at(t->st, id)->object, "DisruptionBlocked")->message = message;
	node = plm_find(t->st, PLM_KIND_NODE, (plm_sym){0}, plm_node_claim_at(t->st, id)->node);
	if (node.n != 0) {
		tell(t, &plm_node_at(t->st, node)->object, "DisruptionBlocked")->message = message;
	}
}

/* What the cloud says of an instance, on its claim and node: upstream's reasons. */
static void on_interruption(const struct telling *t, const struct plm_w_interruption *w)
{
	static const struct {
		const char *reason, *message;
	} words[] = {
		[PLM_INTERRUPT_SPOT] = {"SpotInterrupted",
					"Spot interruption warning was triggered"},
		[PLM_INTERRUPT_REBALANCE] = {"SpotRebalanceRecommendation",
					     "Spot rebalance recommendation was triggered"},
		[PLM_INTERRUPT_STATE] = {"InstanceStopping", "Instance is stopping or terminating"},
		[PLM_INTERRUPT_SCHEDULED] = {"InstanceUnhealthy",
					     "A scheduled change event was triggered"},
		[PLM_INTERRUPT_RESERVATION] = {"CapacityReservationInterrupted",
					       "The capacity reservation is interrupted"},
		[PLM_INTERRUPT_IMPAIRED] = {"InstanceUnhealthy",
					    "An instance or system status check fails"},
		[PLM_INTERRUPT_BLOCK] = {"CapacityBlockEnding", "The capacity block ends"},
	};
	plm_sym provider = plm_sym_find(t->st, w->provider_id);
	plm_id id = provider.n == 0 ? (plm_id){0}
				    : plm_index_find(t->st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0);
	const struct plm_node_claim *claim = plm_node_claim_at(t->st, id);
	plm_id node = {0};

	PLM_ASSERT(w->kind >= 0 && (size_t)w->kind < PLM_COUNTOF(words));
	if (id.n == 0) {
		return;
	}
	node = plm_find(t->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);
	for (uint32_t i = 0; i < (node.n == 0 ? 1U : 2U); i++) {
		struct plm_announcement *one =
			tell(t, i == 0 ? &claim->object : &plm_node_at(t->st, node)->object,
			     words[w->kind].reason);

		one->warning = w->kind != PLM_INTERRUPT_REBALANCE;
		one->message = plm_slice_str(words[w->kind].message);
	}
}

void plm_status_announce(const struct plm_state *st, const struct plm_event *ev,
			 struct plm_arena *arena, struct plm_announcements *out)
{
	struct telling t = {st, ev, arena, out};

	out->count = 0;
	switch (ev->type) {
	case PLM_EV_RESERVE:
		on_reserve(&t, ev->payload);
		break;
	case PLM_EV_ADMIT:
		on_admit(&t, ev->payload);
		break;
	case PLM_EV_PEND:
		on_pend(&t, ev->payload);
		break;
	case PLM_EV_EVICT:
		on_evict(&t, ev->payload);
		break;
	case PLM_EV_WORKLOAD:
		on_workload(&t, ev->payload);
		break;
	case PLM_EV_WORKLOAD_PATCH:
		on_patch(&t, ev->payload);
		break;
	case PLM_EV_JOB:
		on_job(&t, ev->payload);
		break;
	case PLM_EV_POD:
		on_pod(&t, ev->payload);
		break;
	case PLM_EV_RESULT:
		on_result(&t, ev->payload);
		break;
	case PLM_EV_INTERRUPTION:
		on_interruption(&t, ev->payload);
		break;
	case PLM_EV_BLOCKED:
		on_blocked(&t, ev->payload);
		break;
	case PLM_EV_DRAIN:
		on_drain(&t, ev->payload);
		break;
	default:
		break;
	}
}
