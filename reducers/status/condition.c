#include "reducers/status/condition.h"

#include "reducers/status/render.h"

struct building {
	const struct plm_state *st;
	const struct plm_workload *workload;
	const struct plm_w_explain *why;
	struct plm_arena *arena;
	struct plm_conditions *out;
};

static struct plm_slice text(const struct building *b, plm_sym sym)
{
	return plm_str(b->st, sym);
}

/* Kept in the order of types, so that two lists compare line by line. */
static void put(const struct building *b, struct plm_condition condition)
{
	struct plm_conditions *out = b->out;
	uint32_t at = out->count;

	PLM_ASSERT(out->count < PLM_CONDITIONS_MAX);
	PLM_ASSERT(condition.reason.size > 0);
	for (; at > 0 && plm_slice_compare(plm_slice_str(out->list[at - 1].type),
					   plm_slice_str(condition.type)) > 0;
	     at--) {
		out->list[at] = out->list[at - 1];
	}
	PLM_ASSERT(at == 0 || !plm_slice_is(plm_slice_str(out->list[at - 1].type), condition.type));
	out->list[at] = condition;
	out->count++;
}

static struct plm_slice reason_text(enum plm_reason reason)
{
	return plm_slice_str(plm_names_text(&plm_names_reason, (int64_t)reason));
}

/* ---- quota and admission ----------------------------------------------------------------------- */

static bool holds(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED ||
	       (workload->stage == PLM_STAGE_FINISHED && workload->reserved_ms != PLM_UNSET);
}

static void put_waiting(const struct building *b)
{
	enum plm_reason reason = (enum plm_reason)b->workload->why.reason;
	struct plm_slice message = {0};

	if (b->why != NULL) {
		struct plm_w_explain named = plm_render_in_set(b->st, b->workload, b->why);

		reason = (enum plm_reason)b->why->reason;
		message = plm_render_message(b->arena, &named);
	}
	if (reason == PLM_REASON_NONE) {
		reason = PLM_REASON_PENDING_EVALUATION;
	}
	put(b, (struct plm_condition){.type = "QuotaReserved",
				      .reason = reason_text(reason),
				      .message = message,
				      .since_ms = PLM_UNSET});
}

static void put_quota(const struct building *b)
{
	struct plm_slice queue = text(b, b->workload->reserved_in);

	if (!holds(b->workload)) {
		if (b->workload->stage == PLM_STAGE_PENDING) {
			put_waiting(b);
		}
		return;
	}
	put(b, (struct plm_condition){
		       .type = "QuotaReserved",
		       .is_true = true,
		       .reason = reason_text(PLM_REASON_QUOTA_RESERVED),
		       .message = plm_arena_format(b->arena, "Quota reserved in ClusterQueue %.*s",
						   (int)queue.size, (const char *)queue.ptr),
		       .since_ms = b->workload->reserved_ms,
	       });
}

/* Its checks are ready, but it has no domains yet. */
static bool waits_for_topology(const struct building *b)
{
	uint32_t count = 0;
	const struct plm_assignment *set =
		PLM_SPAN(b->st, b->workload->assignments, struct plm_assignment, &count);
	uint32_t checks = 0;
	const struct plm_check_status *check =
		PLM_SPAN(b->st, b->workload->checks, struct plm_check_status, &checks);
	bool delayed = false;

	for (uint32_t i = 0; i < count; i++) {
		delayed = delayed || set[i].delayed == PLM_DELAYED_PENDING;
	}
	for (uint32_t i = 0; i < checks; i++) {
		delayed = delayed && check[i].state == PLM_CHECK_READY;
	}
	return delayed;
}

/* What an eviction did to the Admitted condition: it stays True until the quota is given back. */
static void put_admitted(const struct building *b)
{
	const struct plm_workload *workload = b->workload;
	bool admitted = holds(workload) && workload->admitted_ms != PLM_UNSET;

	if (admitted) {
		put(b, (struct plm_condition){.type = "Admitted",
					      .is_true = true,
					      .reason = reason_text(PLM_REASON_ADMITTED),
					      .message = plm_slice_str("The workload is admitted"),
					      .since_ms = workload->admitted_ms});
		return;
	}
	if (workload->stage == PLM_STAGE_RESERVED) {
		bool topology = waits_for_topology(b);

		put(b, (struct plm_condition){
			       .type = "Admitted",
			       .reason = plm_slice_str(topology ? "PendingDelayedTopologyRequests"
								: "UnsatisfiedAdmissionChecks"),
			       .message = plm_slice_str(
				       topology ? "There are pending delayed topology requests"
						: "The workload has not all checks ready"),
			       .since_ms = workload->reserved_ms});
		return;
	}
	if (workload->stage == PLM_STAGE_PENDING) {
		put(b, (struct plm_condition){
			       .type = "Admitted",
			       .reason = plm_slice_str("NoReservation"),
			       .message = plm_slice_str("The workload has no reservation"),
			       .since_ms = PLM_UNSET});
	}
}

/* ---- eviction ---------------------------------------------------------------------------------- */

static const struct {
	const char *reason, *words;
} evictions[] = {
	{"Preempted", "Preempted to accommodate another workload"},
	{"PodsReadyTimeout", "Exceeded the PodsReady timeout"},
	{"AdmissionCheck", "At least one admission check is false"},
	{"ClusterQueueStopped", "The ClusterQueue is stopped"},
	{"LocalQueueStopped", "The LocalQueue is stopped"},
	{"NodeFailures", "A node that the workload runs on has failed"},
	{"FlavorMigration", "The workload moves to a flavor that it prefers"},
};

const char *plm_status_eviction_words(struct plm_slice reason)
{
	for (size_t i = 0; i < PLM_COUNTOF(evictions); i++) {
		if (plm_slice_is(reason, evictions[i].reason)) {
			return evictions[i].words;
		}
	}
	return "The workload is deactivated";
}

struct plm_slice plm_status_eviction_reason(struct plm_arena *arena, struct plm_slice reason,
					    enum plm_reason cause)
{
	const char *under = plm_names_text(&plm_names_reason, (int64_t)cause);

	return cause == PLM_REASON_NONE ? reason
					: plm_arena_format(arena, "%.*sDueTo%s", (int)reason.size,
							   (const char *)reason.ptr, under);
}

/* How upstream names the four ways of preemption in its message. */
static const char *preemption_words(uint32_t reason)
{
	static const struct {
		enum plm_reason reason;
		const char *words;
	} ways[] = {
		{PLM_REASON_IN_CLUSTER_QUEUE, "prioritization in the ClusterQueue"},
		{PLM_REASON_IN_COHORT_RECLAMATION, "reclamation within the cohort"},
		{PLM_REASON_IN_COHORT_FAIR_SHARING, "Fair Sharing within the cohort"},
		{PLM_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING,
		 "reclamation within the cohort while borrowing"},
	};

	for (size_t i = 0; i < PLM_COUNTOF(ways); i++) {
		if (ways[i].reason == reason) {
			return ways[i].words;
		}
	}
	return "preemption";
}

static struct plm_slice preempted_message(const struct building *b)
{
	const struct plm_workload *workload = b->workload;
	const char *words = preemption_words(workload->preemption);
	struct plm_slice ns = {0};
	struct plm_slice name = {0};
	struct plm_slice uid = {0};

	if (workload->by.n == 0) {
		return plm_arena_format(b->arena, "Preempted to accommodate a workload due to %s",
					words);
	}
	ns = text(b, plm_workload_at(b->st, workload->by)->object.ns);
	name = text(b, plm_workload_at(b->st, workload->by)->object.name);
	uid = text(b, plm_workload_at(b->st, workload->by)->object.uid);
	return plm_arena_format(
		b->arena, "Preempted to accommodate workload %.*s/%.*s (UID: %.*s) due to %s",
		(int)ns.size, (const char *)ns.ptr, (int)name.size, (const char *)name.ptr,
		(int)uid.size, (const char *)uid.ptr, words);
}

static void put_eviction(const struct building *b)
{
	const struct plm_workload *workload = b->workload;
	struct plm_slice reason = text(b, workload->evicted_reason);
	bool preempted = plm_slice_is(reason, "Preempted");
	struct plm_slice message = {0};
	struct plm_slice full = plm_status_eviction_reason(
		b->arena, reason, (enum plm_reason)workload->evicted_cause);

	if (workload->evicted_ms == PLM_UNSET || reason.size == 0) {
		return;
	}
	message =
		preempted ? preempted_message(b) : plm_slice_str(plm_status_eviction_words(reason));
	put(b, (struct plm_condition){.type = "Evicted",
				      .is_true = true,
				      .reason = full,
				      .message = message,
				      .since_ms = workload->evicted_ms});
	if (preempted && workload->preemption != PLM_REASON_NONE) {
		put(b, (struct plm_condition){
			       .type = "Preempted",
			       .is_true = true,
			       .reason = reason_text((enum plm_reason)workload->preemption),
			       .message = message,
			       .since_ms = workload->evicted_ms});
	}
}

/* Why it may be tried again, or what keeps it from that. */
static const char *requeued_words(const struct plm_workload *workload)
{
	static const struct {
		enum plm_reason reason;
		const char *words;
	} says[] = {
		{PLM_REASON_BACKOFF_FINISHED, "The workload backoff was finished"},
		{PLM_REASON_REACTIVATED, "The workload was reactivated"},
		{PLM_REASON_CLUSTER_QUEUE_RESTARTED,
		 "The ClusterQueue was restarted after being stopped"},
		{PLM_REASON_LOCAL_QUEUE_RESTARTED,
		 "The LocalQueue was restarted after being stopped"},
	};

	for (size_t i = 0; i < PLM_COUNTOF(says); i++) {
		if (says[i].reason == workload->requeued_reason) {
			return says[i].words;
		}
	}
	return plm_status_eviction_words(
		plm_slice_str(plm_names_text(&plm_names_reason, workload->requeued_reason)));
}

static void put_requeued(const struct building *b)
{
	const struct plm_workload *workload = b->workload;
	struct plm_slice reason = reason_text((enum plm_reason)workload->requeued_reason);

	if (workload->requeued == 0 || reason.size == 0) {
		return;
	}
	put(b, (struct plm_condition){.type = "Requeued",
				      .is_true = workload->requeued > 0,
				      .reason = reason,
				      .message = plm_slice_str(requeued_words(workload)),
				      .since_ms = workload->requeued_ms});
}

/* ---- pods -------------------------------------------------------------------------------------- */

static void put_pods_ready(const struct building *b)
{
	static const struct {
		enum plm_reason reason;
		const char *message;
	} says[] = {
		[PLM_PODS_WAIT_FOR_START] = {PLM_REASON_WAIT_FOR_START,
					     "Not all pods are ready or succeeded"},
		[PLM_PODS_STARTED] = {PLM_REASON_STARTED,
				      "All pods reached readiness and the workload is running"},
		[PLM_PODS_WAIT_FOR_RECOVERY] =
			{PLM_REASON_WAIT_FOR_RECOVERY,
			 "At least one pod has failed, waiting for recovery"},
		[PLM_PODS_RECOVERED] = {PLM_REASON_RECOVERED,
					"All pods have recovered and the workload is running"},
	};
	uint32_t ready = b->workload->pods_ready;

	PLM_ASSERT(ready < PLM_COUNTOF(says));
	if (ready == PLM_PODS_UNKNOWN) {
		return;
	}
	put(b, (struct plm_condition){.type = "PodsReady",
				      .is_true = ready == PLM_PODS_STARTED ||
						 ready == PLM_PODS_RECOVERED,
				      .reason = reason_text(says[ready].reason),
				      .message = plm_slice_str(says[ready].message),
				      .since_ms = b->workload->pods_ready_ms});
}

/* ---- the end ----------------------------------------------------------------------------------- */

static void put_finished(const struct building *b)
{
	struct plm_slice reason = text(b, b->workload->finished_reason);
	const char *message = "Job finished successfully";

	if (b->workload->stage != PLM_STAGE_FINISHED) {
		return;
	}
	if (plm_slice_is(reason, "Failed")) {
		message = "Job failed";
	} else if (reason.size > 0 && !plm_slice_is(reason, "Succeeded")) {
		message = "The workload was ended";
	}
	put(b,
	    (struct plm_condition){.type = "Finished",
				   .is_true = true,
				   .reason = reason.size > 0 ? reason : plm_slice_str("Succeeded"),
				   .message = plm_slice_str(message),
				   .since_ms = b->workload->finished_ms});
}

void plm_status_conditions(const struct plm_state *st, plm_id workload,
			   const struct plm_w_explain *why, struct plm_arena *arena,
			   struct plm_conditions *out)
{
	struct building b = {st, plm_workload_at(st, workload), why, arena, out};

	PLM_ASSERT(b.workload->object.used == 1);
	*out = (struct plm_conditions){.count = 0};
	put_quota(&b);
	put_admitted(&b);
	put_eviction(&b);
	put_requeued(&b);
	put_pods_ready(&b);
	put_finished(&b);
	PLM_ASSERT(out->count > 0 || b.workload->stage == PLM_STAGE_FINISHED);
}

const struct plm_condition *plm_status_condition(const struct plm_conditions *conditions,
						 const char *type)
{
	for (uint32_t i = 0; i < conditions->count; i++) {
		if (plm_slice_is(plm_slice_str(conditions->list[i].type), type)) {
			return &conditions->list[i];
		}
	}
	return NULL;
}
