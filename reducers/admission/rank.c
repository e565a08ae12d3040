/* The order of victims, without the lists: kueue.md 2.11. */
#include "core/sort.h"
#include "reducers/admission/afs.h"
#include "reducers/admission/preempt.h"
#include "reducers/admission/queue.h"

struct ranking {
	const struct plm_state *st;
	struct plm_holder **list;
	struct plm_afs_usage *usage; /* by the same index, of the queue that is ranked by usage */
};

static int by_rank(const void *context, uint32_t a, uint32_t b)
{
	const struct ranking *r = context;
	const struct plm_workload *left = plm_workload_at(r->st, r->list[a]->workload);
	const struct plm_workload *right = plm_workload_at(r->st, r->list[b]->workload);
	int64_t left_ms = left->reserved_ms == PLM_UNSET ? INT64_MAX : left->reserved_ms;
	int64_t right_ms = right->reserved_ms == PLM_UNSET ? INT64_MAX : right->reserved_ms;
	int order = 0;

	if (left->priority != right->priority) {
		return left->priority < right->priority ? -1 : 1;
	}
	if (left_ms != right_ms) {
		return left_ms > right_ms ? -1 : 1;
	}
	order = plm_sym_compare(r->st, left->object.uid, right->object.uid);
	return order != 0 ? order : (r->list[a]->workload.n < r->list[b]->workload.n ? -1 : 1);
}

/* ---- by usage ---------------------------------------------------------------------------------- */

static int by_usage(const void *context, uint32_t a, uint32_t b)
{
	const struct ranking *r = context;
	int order = plm_afs_compare(&r->usage[b], &r->usage[a]);

	if (order != 0) {
		return order;
	}
	return r->list[a]->rank < r->list[b]->rank ? -1 : (a == b ? 0 : 1);
}

/*
 * Of a queue under admission fair sharing those go first whose LocalQueue has used more (kueue.md 2.20
 * (2)). Upstream's comparison of any two is no order, since it looks at usage within a queue only: here
 * a queue's holders keep the ranks that they have among all, and change places with each other.
 */
static void rank_by_usage(struct ranking *r, uint32_t count, uint32_t node, struct plm_arena *arena)
{
	uint32_t *mine = PLM_NEW_ARRAY(arena, count, uint32_t);
	uint64_t *ranks = PLM_NEW_ARRAY(arena, count, uint64_t);
	uint32_t many = 0;

	r->usage = PLM_NEW_ARRAY(arena, count, struct plm_afs_usage);
	for (uint32_t i = 0; i < count; i++) {
		plm_id local = {0};

		if (r->list[i]->node != node) {
			continue;
		}
		local = plm_queue_route(r->st, plm_workload_at(r->st, r->list[i]->workload)).local;
		if (local.n != 0) {
			r->usage[i] = plm_afs_usage(r->st, local);
		}
		mine[many] = i;
		ranks[many++] = r->list[i]->rank;
	}
	plm_sort(mine, many, by_usage, r, arena);
	plm_sort_numbers(ranks, many, arena);
	for (uint32_t i = 0; i < many; i++) {
		r->list[mine[i]]->rank = (uint32_t)ranks[i];
	}
}

/* ---- all of a tree ----------------------------------------------------------------------------- */

static uint32_t list_holders(struct plm_quotas *snap, uint32_t root, struct plm_holder **list)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < snap->tree.count; n++) {
		if (snap->tree.nodes[n].tree != root || !snap->tree.nodes[n].queue) {
			continue;
		}
		PLM_ASSERT(snap->holders[n].made);
		for (uint32_t i = 0; i < snap->holders[n].count; i++) {
			list[count++] = &snap->holders[n].list[i];
		}
	}
	return count;
}

/* Nothing that ranks depend on changes while a snapshot lives: one sort serves all its searches. */
void plm_preempt_rank(struct plm_quotas *snap, uint32_t node)
{
	uint32_t root = snap->tree.nodes[node].tree;
	struct ranking r = {.st = snap->st};
	uint32_t *turn = NULL;
	uint32_t count = 0;
	size_t mark = plm_arena_mark(snap->arena);

	if (snap->holders[root].ranked) {
		return;
	}
	snap->holders[root].ranked = true;
	r.list = PLM_NEW_ARRAY(snap->arena, snap->holder_count, struct plm_holder *);
	count = list_holders(snap, root, r.list);
	turn = PLM_NEW_ARRAY(snap->arena, count, uint32_t);
	for (uint32_t i = 0; i < count; i++) {
		turn[i] = i;
	}
	plm_sort(turn, count, by_rank, &r, snap->arena);
	for (uint32_t i = 0; i < count; i++) {
		r.list[turn[i]]->rank = i;
	}
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		if (snap->tree.nodes[n].tree == root && snap->tree.nodes[n].queue &&
		    plm_afs_on(snap->st, snap->tree.nodes[n].slot)) {
			rank_by_usage(&r, count, n, snap->arena);
		}
	}
	plm_arena_rewind(snap->arena, mark);
}

int plm_preempt_order(const struct plm_holder *a, const struct plm_holder *b)
{
	return a->rank < b->rank ? -1 : (a->rank > b->rank ? 1 : 0);
}
