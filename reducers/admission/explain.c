#include "reducers/admission/explain.h"

#include "core/sort.h"
#include "reducers/admission/activity.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"
#include "reducers/admission/topology.h"
#include "reducers/admission/turn.h"

/* One question: the round that would look at nothing but this workload. */
struct question {
	struct plm_round round;
	struct plm_entry entry;
	struct plm_route route;
	struct plm_admission_position pos;
};

/* ---- position ---------------------------------------------------------------------------------- */

struct line {
	const struct plm_state *st;
	struct plm_turn *turns;
};

static int by_turn(const void *context, uint32_t a, uint32_t b)
{
	const struct line *line = context;

	return plm_turn_order(line->st, &line->turns[a], &line->turns[b]);
}

static void find_position(struct question *q)
{
	const struct plm_state *st = q->round.st;
	uint32_t bound = plm_workload_live(st);
	uint32_t *list = PLM_NEW_ARRAY(q->round.arena, bound, uint32_t);
	struct line line = {st, PLM_NEW_ARRAY(q->round.arena, bound, struct plm_turn)};
	uint32_t count = 0;

	PLM_EACH(st, workload, id)
	{
		if (plm_workload_at(st, id)->stage != PLM_STAGE_PENDING) {
			continue;
		}
		line.turns[count] = plm_turn_of(st, id);
		if (line.turns[count].cluster.n == q->pos.cluster_queue.n) {
			list[count] = count;
			count++;
		}
	}
	plm_sort(list, count, by_turn, &line, q->round.arena);
	q->pos.waiting = count;
	for (uint32_t i = 0; i < count; i++) {
		plm_id workload = line.turns[list[i]].workload;

		if (workload.n == q->entry.workload.n) {
			q->pos.position = i + 1;
			break;
		}
		if (q->pos.ahead_count < PLM_POSITION_AHEAD_MAX) {
			q->pos.ahead[q->pos.ahead_count++] = workload;
		}
	}
	if (q->pos.position == 0) {
		q->pos.ahead_count = 0;
	}
}

/* ---- usage ------------------------------------------------------------------------------------- */

static void list_usage(struct question *q)
{
	struct plm_quotas *snap = &q->round.snap;
	uint32_t node = q->entry.node;
	uint32_t pairs = plm_quotas_pair_count(snap, node);
	struct plm_admission_usage *list =
		PLM_NEW_ARRAY(q->round.arena, pairs, struct plm_admission_usage);
	uint32_t count = 0;

	for (uint32_t f = 0; f < pairs; f++) {
		const struct plm_pair *pair = plm_quotas_pair_at(snap, node, f);
		const struct plm_cell *cell = plm_quotas_cell(snap, node, f);
		const struct plm_group *group =
			plm_request_group(snap->st, plm_quotas_queue(snap, node), pair->resource);

		if (group == NULL || (cell->nominal == 0 && cell->usage == 0 &&
				      plm_quota_potential(&snap->tree, node, f) == 0)) {
			continue;
		}
		list[count++] = (struct plm_admission_usage){
			.flavor = pair->flavor,
			.resource = pair->resource,
			.nominal = cell->nominal,
			.borrowing = cell->borrowing,
			.lending = cell->lending,
			.used = cell->usage,
			.available = plm_quotas_available(snap, node, f),
		};
	}
	q->pos.usage = (struct plm_vec){list, count};
}

static void take_snapshot(struct question *q)
{
	const struct plm_state *st = q->round.st;
	uint8_t *wanted = PLM_NEW_ARRAY(q->round.arena, plm_cluster_queue_bound(st), uint8_t);

	wanted[q->pos.cluster_queue.n] = 1;
	plm_quotas_make(&q->round.snap, st, q->round.arena, wanted, true);
	q->entry.node = q->round.snap.queue_nodes[q->pos.cluster_queue.n];
	list_usage(q);
}

/* ---- the answer -------------------------------------------------------------------------------- */

static void say(struct question *q, enum plm_rule rule, enum plm_reason reason, plm_sym object)
{
	q->entry.key = (struct plm_why){.rule = rule, .reason = reason, .object = object};
}

/* Has it been given victims that still hold quota? */
static bool has_victims(const struct plm_state *st, plm_id preemptor)
{
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *victim = plm_workload_at(st, id);

		if (victim->by.n == preemptor.n && victim->evicted_ms != PLM_UNSET &&
		    (victim->stage == PLM_STAGE_RESERVED || victim->stage == PLM_STAGE_ADMITTED)) {
			return true;
		}
	}
	return false;
}

/* It could be had, or its victims are on their way: what is it waiting for? */
static void explain_viable(struct question *q)
{
	const struct plm_state *st = q->round.st;
	const struct plm_assess *assess = &q->entry.result.assess;
	plm_sym queue = plm_cluster_queue_at(st, q->pos.cluster_queue)->object.name;

	if (assess->mode == PLM_MODE_PREEMPT &&
	    (q->pos.ahead_count == 0 || has_victims(st, q->entry.workload))) {
		plm_why_pair(&q->round, &q->entry, PLM_RULE_PREEMPTION,
			     PLM_REASON_WAITING_FOR_PREEMPTED);
	} else if (q->pos.ahead_count > 0) {
		const struct plm_workload *first = plm_workload_at(st, q->pos.ahead[0]);

		say(q, PLM_RULE_BEHIND, PLM_REASON_PENDING_EVALUATION, first->object.name);
		q->entry.detail = queue;
	} else {
		say(q, PLM_RULE_FITS, PLM_REASON_PENDING_EVALUATION, queue);
	}
}

static void explain_assessed(struct question *q)
{
	const struct plm_assess *assess = &q->entry.result.assess;

	if (assess->mode == PLM_MODE_NO_FIT) {
		plm_why_assess(&q->round, &q->entry);
	} else if (assess->mode == PLM_MODE_PREEMPT && q->entry.result.targets.count == 0) {
		plm_why_blocked(&q->round, &q->entry);
	} else {
		explain_viable(q);
	}
}

static bool full(const struct plm_state *st, plm_id work)
{
	int64_t running = 0;

	if (plm_work_queue_at(st, work)->max_parallel == PLM_UNSET) {
		return false;
	}
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		if (workload->stage == PLM_STAGE_RESERVED ||
		    workload->stage == PLM_STAGE_ADMITTED) {
			running += plm_queue_route(st, workload).work.n == work.n;
		}
	}
	return running >= plm_work_queue_at(st, work)->max_parallel;
}

/* What keeps the workload from being assessed at all; false: nothing does. */
static bool explain_outside(struct question *q)
{
	const struct plm_state *st = q->round.st;
	const struct plm_workload *workload = q->entry.applicant.workload;
	struct plm_activity activity = {.rule = PLM_RULE_NONE};

	if (q->route.rule != PLM_RULE_NONE) {
		say(q, q->route.rule, q->route.reason, q->route.object);
		return true;
	}
	activity = plm_activity_of(st, q->route.cluster);
	if (activity.rule != PLM_RULE_NONE) {
		plm_activity_say(st, q->route.cluster, &activity, &q->entry);
		return true;
	}
	if (q->route.work.n != 0 && full(st, q->route.work)) {
		say(q, PLM_RULE_MAX_PARALLEL, PLM_REASON_MAX_PARALLEL_JOBS,
		    plm_work_queue_at(st, q->route.work)->object.name);
		q->entry.limit = plm_work_queue_at(st, q->route.work)->max_parallel;
		q->entry.have = q->entry.limit;
		return true;
	}
	if (!plm_queue_backoff_over(workload, plm_root(st)->now_ms)) {
		say(q, PLM_RULE_BACKOFF, PLM_REASON_PENDING_EVALUATION,
		    plm_cluster_queue_at(st, q->route.cluster)->object.name);
		return true;
	}
	return false;
}

static void explain_pending(struct question *q)
{
	enum plm_requeue how = PLM_REQUEUE_GENERIC;
	struct plm_entry *entry = &q->entry;
	uint64_t spent = 0;

	q->pos.cluster_queue = q->route.cluster;
	if (q->route.cluster.n != 0) {
		find_position(q);
		take_snapshot(q);
	}
	if (explain_outside(q)) {
		return;
	}
	q->round.entries = entry;
	q->round.count = 1;
	plm_claims_enter(&q->round);
	plm_assess_begin(&entry->applicant, &q->round.snap, entry->workload, entry->node, &spent);
	if (!plm_heads_check(&q->round, entry, &how)) {
		return;
	}
	entry->assessed = true;
	plm_claim_suspend(&q->round, entry);
	if (!plm_claim_assess(&q->round, entry)) {
		plm_assess_run(&entry->applicant, &entry->result);
	}
	explain_assessed(q);
}

static void explain_holding(struct question *q)
{
	const struct plm_workload *workload = q->entry.applicant.workload;
	bool admitted = workload->stage == PLM_STAGE_ADMITTED;
	plm_sym name = {0};
	enum plm_check_state state = PLM_CHECK_READY;

	q->pos.cluster_queue = workload->cluster_queue;
	if (workload->cluster_queue.n != 0) {
		take_snapshot(q);
	}
	if (workload->evicted_ms != PLM_UNSET) {
		say(q, (enum plm_rule)workload->why.rule, (enum plm_reason)workload->why.reason,
		    workload->why.object);
		q->entry.detail = workload->evicted_reason;
	} else if (plm_checks_failed(q->round.st, workload, &state, &name)) {
		say(q, PLM_RULE_CHECK_FAILED, PLM_REASON_ADMISSION_CHECK, name);
	} else if (plm_topology_pending(q->round.st, workload->assignments)) {
		say(q, PLM_RULE_TOPOLOGY_PENDING, PLM_REASON_QUOTA_RESERVED, workload->reserved_in);
	} else if (admitted) {
		say(q, PLM_RULE_FITS, PLM_REASON_ADMITTED, workload->reserved_in);
	} else if (workload->cluster_queue.n != 0 &&
		   plm_check_elsewhere(q->round.st, workload->cluster_queue).n != 0) {
		say(q, PLM_RULE_DISPATCH, PLM_REASON_QUOTA_RESERVED,
		    plm_check_elsewhere(q->round.st, workload->cluster_queue));
	} else {
		plm_sym open = workload->reserved_in;
		struct plm_flavors flavors = {.assignments = workload->assignments};

		if (workload->cluster_queue.n != 0) {
			(void)plm_checks_ready(q->round.st, workload->cluster_queue, workload,
					       &flavors, &open);
		}
		say(q, PLM_RULE_CHECK_PENDING, PLM_REASON_QUOTA_RESERVED, open);
	}
}

bool plm_admission_explain(const struct plm_state *st, plm_id id, struct plm_arena *scratch,
			   struct plm_w_explain *out, struct plm_admission_position *pos)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct question q = {
		.round = {.st = st,
			  .arena = scratch,
			  .better = plm_root(st)->compat != PLM_COMPAT_STRICT},
		.entry = {.workload = id, .need = PLM_UNSET, .have = PLM_UNSET, .limit = PLM_UNSET},
	};

	if (workload->object.used == 0 || workload->stage == PLM_STAGE_FINISHED) {
		return false;
	}
	q.entry.applicant.workload = workload;
	q.route = plm_queue_route(st, workload);
	if (workload->stage == PLM_STAGE_PENDING) {
		explain_pending(&q);
	} else {
		explain_holding(&q);
	}
	if (out != NULL) {
		plm_why_fill(st, scratch, &q.entry, out);
	}
	if (pos != NULL) {
		*pos = q.pos;
	}
	return true;
}
