#include "reducers/admission/life.h"

#include "core/timefmt.h"
#include "reducers/admission/due.h"

/* ---- evictions --------------------------------------------------------------------------------- */

static void fill(const struct plm_round *round, plm_id id, const struct plm_why *key,
		 int64_t limit_ms, struct plm_w_explain *out)
{
	struct plm_entry entry = plm_entry_said(id, *key);

	entry.limit = limit_ms;
	plm_why_fill(round->st, round->arena, &entry, out);
}

/* What is evicted, and why. */
struct eviction {
	enum plm_rule rule;
	enum plm_reason reason, cause;
	plm_sym object; /* 0 = the queue */
	int64_t limit_ms;
	int64_t requeue_at_ms, requeue_count;
};

static void evict(struct plm_round *round, plm_id id, const struct eviction *why)
{
	const struct plm_workload *workload = plm_workload_at(round->st, id);
	struct plm_w_evict *evict = PLM_NEW(round->arena, struct plm_w_evict);
	struct plm_why key = {
		.rule = why->rule,
		.reason = why->reason,
		.object = why->object.n == 0 ? workload->reserved_in : why->object,
	};

	PLM_ASSERT(workload->evicted_ms == PLM_UNSET || workload->stage == PLM_STAGE_PENDING);
	evict->ns = plm_str(round->st, workload->object.ns);
	evict->name = plm_str(round->st, workload->object.name);
	evict->reason = why->reason;
	evict->cause = why->cause;
	evict->requeue_at_ms = why->requeue_at_ms;
	evict->requeue_count = why->requeue_count;
	fill(round, id, &key, why->limit_ms, &evict->why);
	if (why->cause != PLM_REASON_NONE) {
		evict->why.detail =
			plm_slice_str(plm_names_text(&plm_names_reason, (int64_t)why->cause));
	}
	(void)plm_out_add(round->out, PLM_EV_EVICT, evict, PLM_CAUSE_CYCLE);
}

void plm_life_drain(struct plm_round *round, plm_id id, enum plm_reason reason)
{
	struct eviction why = {
		.rule = PLM_RULE_QUEUE_STOPPED, .reason = reason, .limit_ms = PLM_UNSET};

	evict(round, id, &why);
}

/* The latest time at which one of the checks that ask for a retry wants it, 0 = none says. */
static int64_t retry_at(const struct plm_state *st, const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_check_status *status =
		PLM_SPAN(st, workload->checks, struct plm_check_status, &count);
	int64_t latest = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (status[i].state == PLM_CHECK_RETRY && status[i].requeue_after_ms != PLM_UNSET &&
		    status[i].since_ms != PLM_UNSET) {
			latest = plm_max(latest, plm_add_sat(status[i].since_ms,
							     status[i].requeue_after_ms));
		}
	}
	return latest;
}

static bool look_at_checks(struct plm_round *round, plm_id id, const struct plm_workload *workload)
{
	struct eviction why = {.rule = PLM_RULE_CHECK_FAILED,
			       .reason = PLM_REASON_ADMISSION_CHECK,
			       .limit_ms = PLM_UNSET};
	enum plm_check_state state = PLM_CHECK_READY;

	if (!plm_checks_failed_held(round->st, workload, &state, &why.object)) {
		return false;
	}
	if (state == PLM_CHECK_REJECTED) {
		why.reason = PLM_REASON_DEACTIVATED;
		why.cause = PLM_REASON_ADMISSION_CHECK;
	} else {
		why.requeue_at_ms = retry_at(round->st, workload);
	}
	evict(round, id, &why);
	return true;
}

static bool look_at_execution(struct plm_round *round, plm_id id,
			      const struct plm_workload *workload)
{
	int64_t due_ms = plm_due_execution(workload);
	struct eviction why = {
		.rule = PLM_RULE_MAX_EXECUTION,
		.reason = PLM_REASON_DEACTIVATED,
		.cause = PLM_REASON_MAXIMUM_EXECUTION_TIME_EXCEEDED,
		.limit_ms = workload->max_execution_s * PLM_MS_PER_SECOND,
	};

	if (due_ms == PLM_UNSET || due_ms > round->run->cycle.now_ms) {
		return false;
	}
	evict(round, id, &why);
	return true;
}

/* ---- pods that are not ready ------------------------------------------------------------------- */

/* What is known of the nodes of a workload's pods. */
struct capacity {
	plm_sym awaited;  /* a claim that is to be their node and is not ready; 0 = none */
	int64_t since_ms; /* the last of their nodes was ready; PLM_UNSET = no such node is known */
};

static void look_at_node(const struct plm_state *st, const struct plm_pod *pod,
			 struct capacity *capacity)
{
	plm_id node = plm_find(st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
	plm_id claim = {0};

	if (pod->node.n != 0) {
		claim = node.n == 0 ? (plm_id){0} : plm_node_at(st, node)->claim;
	} else if (pod->target.n != 0 && pod->target_claim == 1) {
		claim = plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, pod->target);
	}
	if (claim.n == 0) {
		return;
	}
	if (plm_node_claim_at(st, claim)->phase < PLM_CLAIM_READY) {
		capacity->awaited = plm_node_claim_at(st, claim)->object.name;
	} else if (plm_node_claim_at(st, claim)->phase == PLM_CLAIM_READY &&
		   plm_node_claim_at(st, claim)->initialized_ms != PLM_UNSET) {
		capacity->since_ms =
			plm_max(capacity->since_ms, plm_node_claim_at(st, claim)->initialized_ms);
	}
}

static struct capacity capacity_of(const struct plm_state *st, const struct plm_workload *workload)
{
	struct capacity capacity = {.since_ms = PLM_UNSET};
	plm_sym owner =
		workload->job.n == 0 ? (plm_sym){0} : plm_job_at(st, workload->job)->object.uid;

	if (owner.n == 0) {
		return capacity;
	}
	PLM_EACH(st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(st, id);
		bool over = pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED;

		if (!over && plm_sym_equal(pod->object.owner_uid, owner)) {
			look_at_node(st, pod, &capacity);
		}
	}
	return capacity;
}

/*
 * A node that starts is no fault of the pods that wait for it (kueue.md 6 (17)): their time runs from when
 * their capacity is there.
 */
static bool postpone(struct plm_round *round, plm_id id, const struct plm_workload *workload,
		     int64_t timeout_ms)
{
	struct capacity capacity = capacity_of(round->st, workload);
	int64_t now_ms = round->run->cycle.now_ms;
	int64_t until_ms = capacity.awaited.n != 0
				   ? plm_add_sat(now_ms, timeout_ms)
				   : (capacity.since_ms == PLM_UNSET
					      ? PLM_UNSET
					      : plm_add_sat(capacity.since_ms, timeout_ms));
	struct plm_why key = {
		.rule = PLM_RULE_NODES_STARTING,
		.reason = workload->pods_ready == PLM_PODS_WAIT_FOR_RECOVERY
				  ? PLM_REASON_WAIT_FOR_RECOVERY
				  : PLM_REASON_WAIT_FOR_START,
		.object = capacity.awaited,
	};
	struct plm_w_postpone *w = NULL;

	if (!round->better || until_ms == PLM_UNSET || until_ms <= now_ms) {
		return false;
	}
	w = PLM_NEW(round->arena, struct plm_w_postpone);
	w->ns = plm_str(round->st, workload->object.ns);
	w->name = plm_str(round->st, workload->object.name);
	PLM_ASSERT(workload->stage == PLM_STAGE_ADMITTED && timeout_ms > 0);
	w->until_ms = until_ms;
	fill(round, id, &key, timeout_ms, &w->why);
	(void)plm_out_add(round->out, PLM_EV_POSTPONE, w, PLM_CAUSE_CYCLE);
	return true;
}

/* base * 2^(count - 1), at most the maximum. */
static int64_t backoff_ms(const struct plm_root *root, int64_t count)
{
	int64_t seconds = root->requeue_base_s;

	PLM_ASSERT(count > 0);
	for (int64_t i = 1; i < count && seconds < root->requeue_max_s; i++) {
		seconds = plm_mul_sat(seconds, 2);
	}
	return plm_mul_sat(plm_min(seconds, root->requeue_max_s), PLM_MS_PER_SECOND);
}

static bool look_at_pods(struct plm_round *round, plm_id id, const struct plm_workload *workload)
{
	const struct plm_root *root = plm_root(round->st);
	int64_t now_ms = round->run->cycle.now_ms;
	int64_t due_ms = plm_due_ready(workload);
	int64_t count = (int64_t)workload->requeue_count + 1;
	bool recovers = workload->pods_ready == PLM_PODS_WAIT_FOR_RECOVERY;
	struct eviction why = {
		.rule = PLM_RULE_PODS_READY,
		.reason = PLM_REASON_PODS_READY_TIMEOUT,
		.cause = recovers ? PLM_REASON_WAIT_FOR_RECOVERY : PLM_REASON_WAIT_FOR_START,
		.limit_ms = recovers ? root->recovery_timeout_ms : root->ready_timeout_ms,
		.requeue_count = count,
	};

	/* Where effects count as done at once, so does the start of the pods. */
	if (root->settle == 1 || due_ms == PLM_UNSET || due_ms > now_ms) {
		return false;
	}
	if (postpone(round, id, workload, why.limit_ms)) {
		return true;
	}
	if (root->deactivate_at > 0 && count >= root->deactivate_at) {
		why.reason = PLM_REASON_DEACTIVATED;
		why.cause = PLM_REASON_REQUEUING_LIMIT_EXCEEDED;
		why.requeue_count = 0;
	} else {
		why.requeue_at_ms = plm_add_sat(now_ms, backoff_ms(root, count));
	}
	evict(round, id, &why);
	return true;
}

static bool is_ready(const struct plm_workload *workload)
{
	return workload->pods_ready == PLM_PODS_STARTED ||
	       workload->pods_ready == PLM_PODS_RECOVERED;
}

/* A holder whose pods are waited for: nobody else is admitted before they are ready. */
static bool unready(const struct plm_round *round, const struct plm_workload *workload)
{
	bool holds = workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED;

	/* One of whose pods nobody ever tells would block for ever. */
	if (round->better && workload->pods_ready == PLM_PODS_UNKNOWN && workload->job.n == 0) {
		return false;
	}
	return holds && !is_ready(workload);
}

bool plm_life_blocks(const struct plm_round *round, struct plm_entry *entry)
{
	const struct plm_state *st = round->st;
	plm_sym blocker = {0};

	if (plm_root(st)->block_admission == 0 || plm_root(st)->pods_ready == 0 ||
	    plm_root(st)->settle == 1) {
		return false;
	}
	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_HOLDING), id)
	{
		if (blocker.n == 0 && unready(round, plm_workload_at(st, id))) {
			blocker = plm_workload_at(st, id)->object.name;
		}
	}
	if (blocker.n == 0 && round->unready.n == 0) {
		return false;
	}
	entry->key = (struct plm_why){
		.rule = PLM_RULE_BLOCKED,
		.reason = PLM_REASON_WAITING_FOR_PODS_READY,
		.object = blocker.n != 0 ? blocker : round->unready,
	};
	entry->need = PLM_UNSET;
	entry->have = PLM_UNSET;
	entry->limit = PLM_UNSET;
	entry->detail = (plm_sym){0};
	return true;
}

/* ---- owners ------------------------------------------------------------------------------------ */

/* It was made for a job that is not there any more: kueue.md 2.14, orphans. */
static bool look_at_owner(struct plm_round *round, plm_id id, const struct plm_workload *workload)
{
	struct plm_why key = {.rule = PLM_RULE_OWNER_MISSING, .reason = PLM_REASON_OWNER_NOT_FOUND};
	struct plm_w_finish *w = NULL;
	plm_sym uid = {0};

	if (!plm_queue_orphan(round->st, workload, &uid)) {
		return false;
	}
	w = PLM_NEW(round->arena, struct plm_w_finish);
	w->ns = plm_str(round->st, workload->object.ns);
	w->name = plm_str(round->st, workload->object.name);
	w->reason = PLM_REASON_OWNER_NOT_FOUND;
	fill(round, id, &key, PLM_UNSET, &w->why);
	w->why.detail = plm_str(round->st, uid);
	(void)plm_out_add(round->out, PLM_EV_FINISH, w, PLM_CAUSE_CYCLE);
	return true;
}

/* ---- holders and those that wait --------------------------------------------------------------- */

static bool look_at_active(struct plm_round *round, plm_id id, const struct plm_workload *workload)
{
	struct eviction why = {
		.rule = PLM_RULE_INACTIVE, .reason = PLM_REASON_DEACTIVATED, .limit_ms = PLM_UNSET};

	if (workload->active == 1) {
		return false;
	}
	evict(round, id, &why);
	return true;
}

bool plm_life_look_at_holder(struct plm_round *round, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(round->st, id);

	PLM_ASSERT(workload->evicted_ms == PLM_UNSET);
	return look_at_owner(round, id, workload) || look_at_active(round, id, workload) ||
	       look_at_checks(round, id, workload) || look_at_execution(round, id, workload) ||
	       look_at_pods(round, id, workload);
}

/* Not where cycles of the scheduler alone were asked for: there nobody resets what checks said. */
static bool controllers_act(const struct plm_round *round)
{
	return round->run->cycle.max_rounds == 0 || plm_root(round->st)->settle == 1;
}

/* What ends the parking of a workload whose Requeued condition is False; NONE = it goes on. */
static enum plm_reason let_go(const struct plm_round *round, const struct plm_workload *workload,
			      const struct plm_route *route, enum plm_rule *out_rule)
{
	const struct plm_state *st = round->st;
	int64_t due_ms = workload->requeue_at_ms;
	bool waited = due_ms != PLM_UNSET && due_ms <= round->run->cycle.now_ms;

	*out_rule = PLM_RULE_BACKOFF;
	if (workload->active == 0) {
		return PLM_REASON_NONE;
	}
	if (workload->requeued >= 0) {
		return waited ? PLM_REASON_BACKOFF_FINISHED : PLM_REASON_NONE;
	}
	switch ((int)workload->requeued_reason) {
	case PLM_REASON_PODS_READY_TIMEOUT:
	case PLM_REASON_ADMISSION_CHECK:
		return waited || due_ms == PLM_UNSET ? PLM_REASON_BACKOFF_FINISHED
						     : PLM_REASON_NONE;
	case PLM_REASON_DEACTIVATED:
		*out_rule = PLM_RULE_REACTIVATED;
		return PLM_REASON_REACTIVATED;
	case PLM_REASON_CLUSTER_QUEUE_STOPPED:
		*out_rule = PLM_RULE_RESTARTED;
		return route->cluster.n != 0 && plm_cluster_queue_at(st, route->cluster)->stop ==
							PLM_STOP_NONE
			       ? PLM_REASON_CLUSTER_QUEUE_RESTARTED
			       : PLM_REASON_NONE;
	case PLM_REASON_LOCAL_QUEUE_STOPPED:
		*out_rule = PLM_RULE_RESTARTED;
		return route->local.n != 0 &&
				       plm_local_queue_at(st, route->local)->stop == PLM_STOP_NONE
			       ? PLM_REASON_LOCAL_QUEUE_RESTARTED
			       : PLM_REASON_NONE;
	default:
		return waited ? PLM_REASON_BACKOFF_FINISHED : PLM_REASON_NONE;
	}
}

bool plm_life_look_at_waiting(struct plm_round *round, plm_id id, const struct plm_route *route)
{
	const struct plm_workload *workload = plm_workload_at(round->st, id);
	struct plm_why key = {.rule = PLM_RULE_NONE};
	enum plm_rule rule = PLM_RULE_NONE;
	enum plm_reason reason = PLM_REASON_NONE;
	struct plm_w_requeue *w = NULL;

	if (look_at_owner(round, id, workload)) {
		return true;
	}
	if (workload->evicted_ms == PLM_UNSET && look_at_active(round, id, workload)) {
		return true;
	}
	if (controllers_act(round) && workload->active == 1 &&
	    look_at_checks(round, id, workload)) {
		return true;
	}
	reason = let_go(round, workload, route, &rule);
	if (reason == PLM_REASON_NONE) {
		return false;
	}
	PLM_ASSERT(workload->stage == PLM_STAGE_PENDING && workload->active == 1);
	key = (struct plm_why){.rule = rule, .reason = reason};
	if (reason == PLM_REASON_CLUSTER_QUEUE_RESTARTED) {
		key.object = plm_cluster_queue_at(round->st, route->cluster)->object.name;
	} else if (reason == PLM_REASON_LOCAL_QUEUE_RESTARTED) {
		key.object = plm_local_queue_at(round->st, route->local)->object.name;
	}
	w = PLM_NEW(round->arena, struct plm_w_requeue);
	w->ns = plm_str(round->st, workload->object.ns);
	w->name = plm_str(round->st, workload->object.name);
	w->reason = reason;
	fill(round, id, &key, PLM_UNSET, &w->why);
	(void)plm_out_add(round->out, PLM_EV_REQUEUE, w, PLM_CAUSE_CYCLE);
	return true;
}
