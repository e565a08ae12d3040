/*
 * What follows without a round: checks that became ready or failed, stopped queues, deactivation, and
 * what a workload outside of every active queue is told. Source: kueue.md 2.14.
 */
#include "reducers/admission/activity.h"
#include "reducers/admission/life.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"
#include "reducers/admission/skeleton.h"
#include "reducers/admission/topology.h"
#include "reducers/tas/tas.h"

static void fill(const struct plm_round *round, plm_id id, const struct plm_why *key,
		 struct plm_w_explain *out)
{
	struct plm_entry entry = plm_entry_said(id, *key);

	plm_why_fill(round->st, round->arena, &entry, out);
}

/* It has not started: the reservation is simply withdrawn. */
static void withdraw(struct plm_round *round, plm_id id, enum plm_reason reason)
{
	const struct plm_workload *workload = plm_workload_at(round->st, id);
	struct plm_w_release *release = PLM_NEW(round->arena, struct plm_w_release);
	struct plm_why key = {
		.rule = PLM_RULE_QUEUE_STOPPED,
		.reason = PLM_REASON_SUSPENDED,
		.object = workload->reserved_in,
	};

	release->ns = plm_str(round->st, workload->object.ns);
	release->name = plm_str(round->st, workload->object.name);
	release->reason = reason;
	release->requeued = 1;
	fill(round, id, &key, &release->why);
	(void)plm_out_add(round->out, PLM_EV_RELEASE, release, PLM_CAUSE_CYCLE);
}

void plm_policy_admit(struct plm_round *round, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(round->st, id);
	struct plm_w_admit *admit = PLM_NEW(round->arena, struct plm_w_admit);
	struct plm_why key = {
		.rule = PLM_RULE_FITS,
		.reason = PLM_REASON_ADMITTED,
		.object = workload->reserved_in,
	};

	admit->ns = plm_str(round->st, workload->object.ns);
	admit->name = plm_str(round->st, workload->object.name);
	fill(round, id, &key, &admit->why);
	(void)plm_out_add(round->out, PLM_EV_ADMIT, admit, PLM_CAUSE_CYCLE);
}

/* Stop policy of the queue or the LocalQueue that says more; the reason that goes with it. */
static uint32_t stop_of(const struct plm_state *st, const struct plm_workload *workload,
			enum plm_reason *out_reason)
{
	struct plm_route route = plm_queue_route(st, workload);
	uint32_t stop = workload->cluster_queue.n == 0
				? PLM_STOP_NONE
				: plm_cluster_queue_at(st, workload->cluster_queue)->stop;

	*out_reason = PLM_REASON_CLUSTER_QUEUE_STOPPED;
	if (route.local.n != 0 && plm_local_queue_at(st, route.local)->stop > stop) {
		*out_reason = PLM_REASON_LOCAL_QUEUE_STOPPED;
		return plm_local_queue_at(st, route.local)->stop;
	}
	return stop;
}

static void look_at_holder(struct plm_round *round, plm_id id, const struct plm_workload *workload)
{
	enum plm_reason reason = PLM_REASON_NONE;
	uint32_t stop = PLM_STOP_NONE;

	if (workload->evicted_ms != PLM_UNSET || plm_life_look_at_holder(round, id)) {
		return;
	}
	stop = stop_of(round->st, workload, &reason);
	if (stop != PLM_STOP_NONE && workload->stage == PLM_STAGE_RESERVED) {
		withdraw(round, id, reason);
	} else if (stop == PLM_STOP_HOLD_AND_DRAIN) {
		plm_life_drain(round, id, reason);
	} else if (workload->stage == PLM_STAGE_RESERVED && workload->cluster_queue.n != 0 &&
		   (!plm_capacity_needed_held(round->st, workload) ||
		    plm_tas_assigned(round->st, workload->assignments)) &&
		   !plm_topology_pending(round->st, workload->assignments) &&
		   plm_checks_ready_held(round->st, workload)) {
		plm_policy_admit(round, id);
	}
}

/* Outside of every queue, or in one that is not active. */
static void look_at_waiting(struct plm_round *round, plm_id id, const struct plm_workload *workload)
{
	struct plm_route route = plm_queue_route(round->st, workload);
	struct plm_activity activity = {.rule = PLM_RULE_NONE};
	struct plm_entry said = plm_entry_said(id, (struct plm_why){.rule = route.rule,
								    .reason = route.reason,
								    .object = route.object});

	if (plm_life_look_at_waiting(round, id, &route)) {
		return;
	}
	if (route.rule != PLM_RULE_NONE) {
		plm_emit_told(round, &said);
		return;
	}
	activity = plm_activity_of(round->st, route.cluster);
	if (activity.rule != PLM_RULE_NONE) {
		plm_activity_say(round->st, route.cluster, &activity, &said);
		plm_emit_told(round, &said);
	} else if (workload->place == PLM_QUEUE_PARKED &&
		   !plm_queue_backoff_over(workload, round->run->cycle.now_ms)) {
		said.key.rule = PLM_RULE_BACKOFF;
		said.key.reason = PLM_REASON_PENDING_EVALUATION;
		plm_emit_told(round, &said);
	}
}

/* Somebody waits in a queue that is not active: all that wait are asked where. */
static bool waits_inactive(const struct plm_state *st)
{
	PLM_EACH(st, cluster_queue, queue)
	{
		if (!plm_skeleton_active(st, queue) && plm_queue_awaited(st, queue)) {
			return true;
		}
	}
	return false;
}

/* Who simply waits in an active queue is told nothing here. */
static uint32_t to_look_at(const struct plm_state *st)
{
	if (waits_inactive(st)) {
		return PLM_MARKED(PLM_MARK_LIVE);
	}
	return PLM_MARKED(PLM_MARK_HOLDING) | PLM_MARKED(PLM_MARK_OUTSIDE) |
	       PLM_MARKED(PLM_MARK_BACKOFF);
}

void plm_policy_pass(struct plm_round *round)
{
	uint32_t marks = to_look_at(round->st);

	PLM_EACH_MARKED(round->st, marks, id)
	{
		const struct plm_workload *workload = plm_workload_at(round->st, id);

		switch ((enum plm_stage)workload->stage) {
		case PLM_STAGE_PENDING:
			look_at_waiting(round, id, workload);
			break;
		case PLM_STAGE_RESERVED:
		case PLM_STAGE_ADMITTED:
			look_at_holder(round, id, workload);
			break;
		case PLM_STAGE_FINISHED:
			break;
		}
	}
}
