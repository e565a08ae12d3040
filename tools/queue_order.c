#include "tools/queue_order.h"

#include "core/sort.h"
#include "reducers/admission/queue.h"

plm_sym plm_queue_of(const struct plm_state *st, const struct plm_workload *workload)
{
	plm_id cluster = plm_queue_route(st, workload).cluster;

	return cluster.n == 0 ? (plm_sym){0} : plm_cluster_queue_at(st, cluster)->object.name;
}

bool plm_is_pending(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_PENDING;
}

/* What the order looks at, read once: a queue is found by following names. */
struct standing {
	const struct plm_state *st;
	plm_sym *queues;   /* by workload */
	int64_t *since_ms; /* by workload */
};

static int order(const void *context, uint32_t a, uint32_t b)
{
	const struct standing *standing = context;
	const struct plm_state *st = standing->st;
	const struct plm_workload *x = plm_workload_at(st, (plm_id){a});
	const struct plm_workload *y = plm_workload_at(st, (plm_id){b});
	int by = plm_sym_compare(st, standing->queues[a], standing->queues[b]);

	if (by == 0 && x->priority != y->priority) {
		by = x->priority > y->priority ? -1 : 1;
	}
	if (by == 0 && standing->since_ms[a] != standing->since_ms[b]) {
		by = standing->since_ms[a] < standing->since_ms[b] ? -1 : 1;
	}
	by = by != 0 ? by : plm_sym_compare(st, x->object.uid, y->object.uid);
	return by != 0 ? by : (a > b) - (a < b);
}

struct plm_queue_order plm_queue_order(const struct plm_state *st, struct plm_arena *arena)
{
	uint32_t bound = plm_workload_bound(st);
	struct standing standing = {
		.st = st,
		.queues = PLM_NEW_ARRAY(arena, bound, plm_sym),
		.since_ms = PLM_NEW_ARRAY(arena, bound, int64_t),
	};
	struct plm_queue_order out = {
		.ids = PLM_NEW_ARRAY(arena, bound, uint32_t),
		.positions = PLM_NEW_ARRAY(arena, bound, uint32_t),
		.queues = standing.queues,
	};
	uint32_t position = 0;

	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		if (plm_is_pending(workload)) {
			out.ids[out.count++] = id.n;
			standing.queues[id.n] = plm_queue_of(st, workload);
			standing.since_ms[id.n] = plm_queue_since(st, workload);
		}
	}
	plm_sort(out.ids, out.count, order, &standing, arena);
	for (uint32_t i = 0; i < out.count; i++) {
		bool same =
			i > 0 && plm_sym_equal(out.queues[out.ids[i]], out.queues[out.ids[i - 1]]);

		position = same ? position + 1 : 1;
		out.positions[out.ids[i]] = out.queues[out.ids[i]].n == 0 ? 0 : position;
	}
	return out;
}
