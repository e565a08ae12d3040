#include "tools/queue_order.h"

#include "core/sort.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/turn.h"

plm_sym plm_queue_of(const struct plm_state *st, const struct plm_workload *workload)
{
	plm_id cluster = plm_queue_route(st, workload).cluster;

	return cluster.n == 0 ? (plm_sym){0} : plm_cluster_queue_at(st, cluster)->object.name;
}

bool plm_is_pending(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_PENDING;
}

/* By workload. */
struct line {
	const struct plm_state *st;
	plm_sym *queues;
	struct plm_turn *turns;
};

/* By the queue that they are bound for; in it those in line first, by their turn, then the others. */
static int order(const void *context, uint32_t a, uint32_t b)
{
	const struct line *line = context;
	const struct plm_turn *x = &line->turns[a];
	const struct plm_turn *y = &line->turns[b];
	int by = plm_sym_compare(line->st, line->queues[a], line->queues[b]);

	if (by == 0 && (x->cluster.n == 0) != (y->cluster.n == 0)) {
		by = x->cluster.n == 0 ? 1 : -1;
	}
	if (by == 0 && x->cluster.n != 0) {
		by = plm_turn_order(line->st, x, y);
	}
	by = by != 0 ? by
		     : plm_sym_compare(line->st, plm_workload_at(line->st, x->workload)->object.uid,
				       plm_workload_at(line->st, y->workload)->object.uid);
	return by != 0 ? by : (a > b) - (a < b);
}

struct plm_queue_order plm_queue_order(const struct plm_state *st, struct plm_arena *arena)
{
	uint32_t bound = plm_workload_bound(st);
	struct line line = {
		.st = st,
		.queues = PLM_NEW_ARRAY(arena, bound, plm_sym),
		.turns = PLM_NEW_ARRAY(arena, bound, struct plm_turn),
	};
	struct plm_queue_order out = {
		.ids = PLM_NEW_ARRAY(arena, bound, uint32_t),
		.positions = PLM_NEW_ARRAY(arena, bound, uint32_t),
		.queues = line.queues,
	};
	uint32_t position = 0;

	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		if (plm_is_pending(workload)) {
			out.ids[out.count++] = id.n;
			line.turns[id.n] = plm_turn_of(st, id);
			line.queues[id.n] = plm_queue_of(st, workload);
		}
	}
	plm_sort(out.ids, out.count, order, &line, arena);
	for (uint32_t i = 0; i < out.count; i++) {
		bool in_line = line.turns[out.ids[i]].cluster.n != 0;
		bool same =
			i > 0 && plm_sym_equal(out.queues[out.ids[i]], out.queues[out.ids[i - 1]]);

		position = same ? position + 1 : 1;
		out.positions[out.ids[i]] = in_line ? position : 0;
	}
	return out;
}
