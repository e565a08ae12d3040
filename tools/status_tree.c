#include "tools/status_tree.h"

#include "reducers/status/condition.h"
#include "tools/spell.h"

const struct plm_board *plm_status_source_board(struct plm_status_source *source)
{
	if (!source->have_board) {
		plm_status_board(source->st, source->arena, &source->board);
		source->have_board = true;
	}
	return &source->board;
}

static struct plm_json *condition(struct plm_arena *arena, const struct plm_condition *from)
{
	struct plm_json *out = plm_json_object(arena);

	plm_json_put_str(out, "type", from->type);
	plm_json_put_str(out, "status", from->is_true ? "True" : "False");
	plm_json_put_text(out, "reason", from->reason);
	plm_json_put_text(out, "message", from->message);
	if (from->since_ms != PLM_UNSET) {
		plm_json_put_text(out, "lastTransitionTime", plm_spell_time(arena, from->since_ms));
	}
	return out;
}

static struct plm_json *workload(struct plm_status_source *source, plm_id id,
				 const struct plm_w_explain *why)
{
	struct plm_conditions conditions;
	struct plm_json *list = plm_json_list(source->arena);
	struct plm_json *status = plm_json_object(source->arena);

	plm_status_conditions(source->st, id, why, source->arena, &conditions);
	for (uint32_t i = 0; i < conditions.count; i++) {
		plm_json_add(list, condition(source->arena, &conditions.list[i]));
	}
	plm_json_put(status, "conditions", list);
	return status;
}

static void put_active(struct plm_json *status, struct plm_arena *arena,
		       const struct plm_queue_active *active)
{
	struct plm_condition one = {"Active", active->is_true, active->reason, active->message,
				    PLM_UNSET};
	struct plm_json *list = plm_json_list(arena);

	plm_json_add(list, condition(arena, &one));
	plm_json_put(status, "conditions", list);
}

static void put_counts(struct plm_json *status, const struct plm_queue_counts *counts)
{
	plm_json_put_int(status, "pendingWorkloads", counts->pending + counts->inadmissible);
	plm_json_put_int(status, "reservingWorkloads", counts->reserving);
	plm_json_put_int(status, "admittedWorkloads", counts->admitted);
}

/* By flavor, then resource; lines of one flavor stand together. 'used' chooses what is counted. */
static struct plm_json *flavors(struct plm_status_source *source,
				const struct plm_quota_lines *lines, bool used, bool borrowed)
{
	struct plm_json *list = plm_json_list(source->arena);
	struct plm_json *resources = NULL;

	for (uint32_t i = 0; i < lines->count; i++) {
		const struct plm_quota_line *line = &lines->list[i];
		struct plm_slice name = plm_str(source->st, line->resource);
		int64_t total = used ? line->used : line->reserved;
		struct plm_json *item = plm_json_object(source->arena);

		if (i == 0 || !plm_sym_equal(lines->list[i - 1].flavor, line->flavor)) {
			struct plm_json *flavor = plm_json_object(source->arena);

			resources = plm_json_list(source->arena);
			plm_json_put_text(flavor, "name", plm_str(source->st, line->flavor));
			plm_json_put(flavor, "resources", resources);
			plm_json_add(list, flavor);
		}
		plm_json_put_text(item, "name", name);
		plm_json_put_text(item, "total", plm_spell_amount(source->arena, name, total));
		if (borrowed) {
			int64_t over = plm_max(0, plm_sub_sat(total, line->nominal));

			plm_json_put_text(item, "borrowed",
					  plm_spell_amount(source->arena, name, over));
		}
		plm_json_add(resources, item);
	}
	return list;
}

static void put_share(struct plm_json *status, struct plm_arena *arena, int64_t share)
{
	struct plm_json *fair = plm_json_object(arena);

	if (share == PLM_UNSET) {
		return;
	}
	plm_json_put_int(fair, "weightedShare", share);
	plm_json_put(status, "fairSharing", fair);
}

static struct plm_json *cluster_queue(struct plm_status_source *source, plm_id id)
{
	const struct plm_queue_status *from = &plm_status_source_board(source)->queues[id.n];
	struct plm_json *status = plm_json_object(source->arena);

	put_active(status, source->arena, &from->active);
	put_counts(status, &from->counts);
	plm_json_put(status, "flavorsReservation", flavors(source, &from->lines, false, true));
	plm_json_put(status, "flavorsUsage", flavors(source, &from->lines, true, true));
	put_share(status, source->arena, from->weighted_share);
	return status;
}

/* As upstream writes it, and the adapter reads it when another engine begins. */
static void put_consumed(struct plm_json *status, struct plm_status_source *source, plm_id id)
{
	const struct plm_state *st = source->st;
	const struct plm_local_queue *queue = plm_local_queue_at(st, id);
	struct plm_json *fair = plm_json_object(source->arena);
	struct plm_json *usage = plm_json_object(source->arena);
	struct plm_json *consumed = plm_json_object(source->arena);

	if (plm_root(st)->afs == 0 || queue->sampled_ms == PLM_UNSET) {
		return;
	}
	for (plm_id row = queue->consumed; row.n != 0; row = plm_consumed_at(st, row)->next) {
		const struct plm_fixed *amount = &plm_consumed_at(st, row)->amount;
		struct plm_slice name = plm_str(st, amount->resource);
		int64_t nearest = plm_add_sat(amount->whole, amount->fraction >> 31);

		plm_json_put_key(consumed, name,
				 plm_json_text(source->arena,
					       plm_spell_amount(source->arena, name, nearest)));
	}
	plm_json_put(usage, "consumedResources", consumed);
	plm_json_put_text(usage, "lastUpdate", plm_spell_time(source->arena, queue->sampled_ms));
	plm_json_put(fair, "admissionFairSharingStatus", usage);
	plm_json_put(status, "fairSharing", fair);
}

static struct plm_json *local_queue(struct plm_status_source *source, plm_id id)
{
	const struct plm_local_status *from = &plm_status_source_board(source)->locals[id.n];
	struct plm_json *status = plm_json_object(source->arena);

	put_active(status, source->arena, &from->active);
	put_counts(status, &from->counts);
	plm_json_put(status, "flavorsReservation", flavors(source, &from->lines, false, false));
	plm_json_put(status, "flavorsUsage", flavors(source, &from->lines, true, false));
	put_consumed(status, source, id);
	return status;
}

static struct plm_json *cohort(struct plm_status_source *source, plm_id id)
{
	const struct plm_board *board = plm_status_source_board(source);
	struct plm_json *status = plm_json_object(source->arena);
	plm_sym name = plm_cohort_at(source->st, id)->object.name;

	for (uint32_t i = 0; i < board->cohort_count; i++) {
		if (plm_sym_equal(board->cohorts[i].name, name)) {
			put_share(status, source->arena, board->cohorts[i].weighted_share);
		}
	}
	return status;
}

struct plm_json *plm_status_tree(struct plm_status_source *source, enum plm_kind kind, plm_id id,
				 const struct plm_w_explain *why)
{
	if (kind == PLM_KIND_WORKLOAD) {
		return workload(source, id, why);
	}
	if (kind == PLM_KIND_CLUSTER_QUEUE) {
		return cluster_queue(source, id);
	}
	if (kind == PLM_KIND_LOCAL_QUEUE) {
		return local_queue(source, id);
	}
	return kind == PLM_KIND_COHORT ? cohort(source, id) : NULL;
}
