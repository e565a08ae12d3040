#include "tools/queue_order.h"

#include "core/sort.h"

plm_sym plm_queue_of(const struct plm_state *st, const struct plm_workload *workload)
{
	plm_id id = plm_find(st, PLM_KIND_LOCAL_QUEUE, workload->object.ns, workload->queue);
	const struct plm_local_queue *local = NULL;

	if (workload->queue.n == 0 || id.n == 0) {
		return (plm_sym){0};
	}
	local = plm_local_queue_at(st, id);
	if (local->work_queue.n == 0) {
		return local->cluster_queue;
	}
	id = plm_find(st, PLM_KIND_WORK_QUEUE, (plm_sym){0}, local->work_queue);
	return id.n == 0 ? (plm_sym){0} : plm_work_queue_at(st, id)->cluster_queue;
}

bool plm_is_pending(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_PENDING;
}

static int order(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_state *st = context;
	const struct plm_workload *x = plm_workload_at(st, (plm_id){a});
	const struct plm_workload *y = plm_workload_at(st, (plm_id){b});
	int by = plm_sym_compare(st, plm_queue_of(st, x), plm_queue_of(st, y));

	if (by == 0 && x->priority != y->priority) {
		by = x->priority > y->priority ? -1 : 1;
	}
	if (by == 0 && x->object.created_ms != y->object.created_ms) {
		by = x->object.created_ms < y->object.created_ms ? -1 : 1;
	}
	by = by != 0 ? by : plm_sym_compare(st, x->object.name, y->object.name);
	by = by != 0 ? by : plm_sym_compare(st, x->object.ns, y->object.ns);
	return by != 0 ? by : (a > b) - (a < b);
}

struct plm_queue_order plm_queue_order(const struct plm_state *st, struct plm_arena *arena)
{
	uint32_t bound = plm_workload_bound(st);
	struct plm_queue_order out = {
		.ids = PLM_NEW_ARRAY(arena, bound, uint32_t),
		.positions = PLM_NEW_ARRAY(arena, bound, uint32_t),
	};
	uint32_t position = 0;
	plm_sym last = {0};

	PLM_EACH(st, workload, id)
	{
		if (plm_is_pending(plm_workload_at(st, id))) {
			out.ids[out.count++] = id.n;
		}
	}
	plm_sort(out.ids, out.count, order, st, arena);
	for (uint32_t i = 0; i < out.count; i++) {
		plm_sym queue = plm_queue_of(st, plm_workload_at(st, (plm_id){out.ids[i]}));

		position = i > 0 && plm_sym_equal(queue, last) ? position + 1 : 1;
		last = queue;
		out.positions[out.ids[i]] = position;
	}
	return out;
}
