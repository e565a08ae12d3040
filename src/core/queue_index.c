#include "core/queue_index.h"

#include "core/grow.h"
#include "core/state.h"

#include <stdlib.h>

static const struct plm_link nowhere;
static const struct plm_queue_cell empty_cell;
static const struct plm_lane empty_lane;
static const struct plm_local_cell empty_local;

/* ---- links ------------------------------------------------------------------------------------- */

static struct plm_link *link_edit(struct plm_state *st, uint32_t workload)
{
	struct plm_queue_index *index = &st->queues;

	index->links = plm_grown(index->links, &index->link_count, workload + 1, sizeof(nowhere));
	return &index->links[workload];
}

static struct plm_queue_cell *cell_edit(struct plm_state *st, uint32_t queue)
{
	struct plm_queue_index *index = &st->queues;

	index->queues =
		plm_grown(index->queues, &index->queue_count, queue + 1, sizeof(empty_cell));
	return &index->queues[queue];
}

static void lanes_reach(struct plm_queue_index *index, uint32_t lane)
{
	uint32_t count = index->lane_count;

	index->running = plm_grown(index->running, &count, lane + 1, sizeof(uint32_t));
	index->lanes = plm_grown(index->lanes, &index->lane_count, lane + 1, sizeof(empty_lane));
}

static struct plm_local_cell *local_edit(struct plm_state *st, uint32_t local)
{
	struct plm_queue_index *index = &st->queues;

	PLM_ASSERT(local != 0);
	index->locals =
		plm_grown(index->locals, &index->local_count, local + 1, sizeof(empty_local));
	return &index->locals[local];
}

static struct plm_lane *lane_edit(struct plm_state *st, const struct plm_link *link)
{
	if (link->by_usage != 0) {
		return &local_edit(st, link->local)->lane;
	}
	if (link->lane == 0) {
		return &cell_edit(st, link->queue)->lane;
	}
	lanes_reach(&st->queues, link->lane);
	return &st->queues.lanes[link->lane];
}

void plm_queue_index_fini(struct plm_queue_index *index)
{
	for (uint32_t i = 0; i < index->queue_count; i++) {
		free(index->queues[i].lane.heap);
		free(index->queues[i].held.list);
	}
	for (uint32_t i = 0; i < index->local_count; i++) {
		free(index->locals[i].lane.heap);
		free(index->locals[i].admitted.list);
		free(index->locals[i].pending.list);
	}
	for (uint32_t i = 0; i < index->lane_count; i++) {
		free(index->lanes[i].heap);
	}
	free(index->links);
	free(index->queues);
	free(index->lanes);
	free(index->running);
	free(index->locals);
	free(index->room);
	plm_timer_heap_fini(&index->timers);
	free(index->block);
	*index = (struct plm_queue_index){0};
}

void plm_queue_index_reset(struct plm_queue_index *index)
{
	plm_queue_index_fini(index);
	index->stale = true;
}

/* ---- heaps ------------------------------------------------------------------------------------- */

int plm_link_order(const struct plm_state *st, const struct plm_link *a, const struct plm_link *b)
{
	if (a->priority != b->priority) {
		return a->priority > b->priority ? -1 : 1;
	}
	if (a->since_ms != b->since_ms) {
		return a->since_ms < b->since_ms ? -1 : 1;
	}
	return plm_sym_compare(st, a->uid, b->uid);
}

/* Equal UIDs are a fault of the source: the slot then says which is first. */
static bool before(const struct plm_state *st, uint32_t a, uint32_t b)
{
	int order = plm_link_order(st, &st->queues.links[a], &st->queues.links[b]);

	return order != 0 ? order < 0 : a < b;
}

static void heap_put(struct plm_state *st, struct plm_lane *lane, uint32_t at, uint32_t workload)
{
	lane->heap[at] = workload;
	st->queues.links[workload].next = at;
}

static void heap_up(struct plm_state *st, struct plm_lane *lane, uint32_t at, uint32_t workload)
{
	while (at > 0 && before(st, workload, lane->heap[(at - 1) / 2])) {
		heap_put(st, lane, at, lane->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_put(st, lane, at, workload);
}

static void heap_down(struct plm_state *st, struct plm_lane *lane, uint32_t at, uint32_t workload)
{
	for (uint32_t child = 2 * at + 1; child < lane->count; child = 2 * at + 1) {
		if (child + 1 < lane->count &&
		    before(st, lane->heap[child + 1], lane->heap[child])) {
			child++;
		}
		if (!before(st, lane->heap[child], workload)) {
			break;
		}
		heap_put(st, lane, at, lane->heap[child]);
		at = child;
	}
	heap_put(st, lane, at, workload);
}

static void heap_add(struct plm_state *st, struct plm_lane *lane, uint32_t workload)
{
	lane->heap = plm_grown(lane->heap, &lane->capacity, lane->count + 1, sizeof(uint32_t));
	lane->count++;
	heap_up(st, lane, lane->count - 1, workload);
}

static void heap_remove(struct plm_state *st, struct plm_lane *lane, uint32_t workload)
{
	uint32_t at = st->queues.links[workload].next;
	uint32_t last = 0;

	PLM_ASSERT(at < lane->count && lane->heap[at] == workload);
	last = lane->heap[--lane->count];
	if (last == workload) {
		return;
	}
	if (at > 0 && before(st, last, lane->heap[(at - 1) / 2])) {
		heap_up(st, lane, at, last);
	} else {
		heap_down(st, lane, at, last);
	}
}

/* ---- what is held ------------------------------------------------------------------------------ */

int64_t plm_held_amount(const struct plm_held *held)
{
	if (held->sum > INT64_MAX) {
		return INT64_MAX;
	}
	return held->sum < INT64_MIN ? INT64_MIN : (int64_t)held->sum;
}

/* Pods of a set that are not needed any more. */
static int64_t reclaimed(const struct plm_state *st, plm_sym reclaimable, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_pod_count *back = PLM_SPAN(st, reclaimable, struct plm_pod_count, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(back[i].name, name)) {
			return back[i].count;
		}
	}
	return 0;
}

int64_t plm_charged(const struct plm_state *st, const struct plm_assignment *set, int64_t amount,
		    plm_sym reclaimable, plm_sym pod_sets)
{
	uint32_t set_count = 0;
	const struct plm_pod_set *sets = PLM_SPAN(st, pod_sets, struct plm_pod_set, &set_count);

	for (uint32_t i = 0; i < set_count; i++) {
		int64_t left = 0;

		if (!plm_sym_equal(sets[i].name, set->name)) {
			continue;
		}
		left = plm_max(0, sets[i].count - reclaimed(st, reclaimable, set->name));
		return left < set->count ? plm_mul_sat(amount / set->count, left) : amount;
	}
	return amount;
}

static void held_add(struct plm_helds *helds, struct plm_held by)
{
	for (uint32_t i = 0; i < helds->count; i++) {
		if (plm_sym_equal(helds->list[i].flavor, by.flavor) &&
		    plm_sym_equal(helds->list[i].resource, by.resource)) {
			helds->list[i].sum += by.sum;
			return;
		}
	}
	helds->list = plm_grown(helds->list, &helds->capacity, helds->count + 1, sizeof(by));
	helds->list[helds->count++] = by;
}

/* Add ('sign' 1) or take away (-1) what 'link' holds. */
static void count_held(struct plm_state *st, const struct plm_link *link, int sign)
{
	uint32_t count = 0;
	const struct plm_assignment *sets =
		PLM_SPAN(st, link->assignments, struct plm_assignment, &count);
	struct plm_helds *held = &cell_edit(st, link->queue)->held;
	struct plm_helds *admitted = link->local == 0 || link->reserved != 0
					     ? NULL
					     : &local_edit(st, link->local)->admitted;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t used = 0;
		const struct plm_amount *usage =
			PLM_SPAN(st, sets[i].usage, struct plm_amount, &used);

		for (uint32_t j = 0; j < used; j++) {
			plm_sym flavor = {0};
			int64_t amount = plm_charged(st, &sets[i], usage[j].amount,
						     link->reclaimable, link->pod_sets);
			plm_i128 by = (plm_i128)amount * sign;

			if (!plm_kv_get(st, sets[i].flavors, usage[j].resource, &flavor)) {
				continue;
			}
			held_add(held, (struct plm_held){flavor, usage[j].resource, by});
			if (admitted != NULL) {
				held_add(admitted, (struct plm_held){{0}, usage[j].resource, by});
			}
		}
	}
}

static void count_penalty(struct plm_state *st, const struct plm_link *link, int sign)
{
	uint32_t count = 0;
	const struct plm_fixed *list = PLM_SPAN(st, link->penalty, struct plm_fixed, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_i128 amount = (plm_i128)list[i].whole << 32 | list[i].fraction;

		held_add(&local_edit(st, link->local)->pending,
			 (struct plm_held){{0}, list[i].resource, amount * sign});
	}
}

/* ---- lists ------------------------------------------------------------------------------------- */

static uint32_t *list_of(struct plm_state *st, const struct plm_link *link)
{
	struct plm_queue_cell *cell = cell_edit(st, link->queue);

	switch ((enum plm_standing)link->standing) {
	case PLM_STANDS_OUTSIDE:
		return &cell_edit(st, 0)->outside;
	case PLM_STANDS_PARKED:
		return &cell->parked;
	case PLM_STANDS_HOLDING:
		return &cell->holding;
	case PLM_STANDS_NOWHERE:
	case PLM_STANDS_ACTIVE:
		break;
	}
	PLM_UNREACHABLE();
}

static void list_add(struct plm_state *st, uint32_t workload)
{
	struct plm_link *link = &st->queues.links[workload];
	uint32_t *first = list_of(st, link);

	link->prev = 0;
	link->next = *first;
	if (*first != 0) {
		st->queues.links[*first].prev = workload;
	}
	*first = workload;
}

static void list_remove(struct plm_state *st, uint32_t workload)
{
	struct plm_link *link = &st->queues.links[workload];

	if (link->prev != 0) {
		st->queues.links[link->prev].next = link->next;
	} else {
		*list_of(st, link) = link->next;
	}
	if (link->next != 0) {
		st->queues.links[link->next].prev = link->prev;
	}
}

/* A queue in which another LocalQueue has somebody now ('by' 1), or one fewer (-1). */
static void count_local(struct plm_state *st, uint32_t queue, uint32_t by)
{
	struct plm_queue_cell *cell = cell_edit(st, queue);

	st->queues.contended -= cell->locals >= 2;
	cell->locals += by;
	st->queues.contended += cell->locals >= 2;
}

/* Into the lane of its LocalQueue, which leads to where its newest workload waits. */
static void local_add(struct plm_state *st, const struct plm_link *link)
{
	struct plm_local_cell *local = local_edit(st, link->local);

	if (local->lane.count > 0 && local->queue != link->queue) {
		count_local(st, local->queue, UINT32_MAX);
	}
	if (local->lane.count == 0 || local->queue != link->queue) {
		count_local(st, link->queue, 1);
	}
	local->queue = link->queue;
	local->work = link->lane;
}

static void lane_add(struct plm_state *st, uint32_t workload)
{
	const struct plm_link *link = &st->queues.links[workload];

	PLM_ASSERT(link->queue != 0);
	if (link->by_usage != 0) {
		local_add(st, link);
	}
	heap_add(st, lane_edit(st, link), workload);
}

static void lane_remove(struct plm_state *st, uint32_t workload)
{
	struct plm_link link = st->queues.links[workload];

	heap_remove(st, lane_edit(st, &link), workload);
	if (link.by_usage != 0 && st->queues.locals[link.local].lane.count == 0) {
		count_local(st, st->queues.locals[link.local].queue, UINT32_MAX);
	}
}

/* Counters of what 'link' stands for, up (1) or down (-1, as unsigned). */
static void count_link(struct plm_state *st, const struct plm_link *link, uint32_t by)
{
	struct plm_queue_index *index = &st->queues;

	index->parked_total += link->parked * by;
	if (link->local != 0 && link->penalty.n != 0) {
		count_penalty(st, link, by == 1 ? 1 : -1);
	}
	if (link->standing == PLM_STANDS_PARKED) {
		cell_edit(st, link->queue)->parked_count += by;
	}
	if (link->standing == PLM_STANDS_HOLDING) {
		index->reserved += link->reserved * by;
		cell_edit(st, link->queue)->holding_count += by;
		count_held(st, link, by == 1 ? 1 : -1);
		if (link->lane != 0) {
			lanes_reach(index, link->lane);
			index->running[link->lane] += by;
		}
	}
}

static void take_out(struct plm_state *st, uint32_t workload)
{
	struct plm_link *link = link_edit(st, workload);

	count_link(st, link, UINT32_MAX);
	if (link->standing == PLM_STANDS_ACTIVE) {
		lane_remove(st, workload);
	} else if (link->standing != PLM_STANDS_NOWHERE) {
		list_remove(st, workload);
	}
	*link = nowhere;
}

static bool same_place(const struct plm_link *a, const struct plm_link *b)
{
	return a->standing == b->standing && a->queue == b->queue && a->lane == b->lane &&
	       a->priority == b->priority && a->since_ms == b->since_ms && a->uid.n == b->uid.n &&
	       a->pod_sets.n == b->pod_sets.n && a->reclaimable.n == b->reclaimable.n &&
	       a->assignments.n == b->assignments.n && a->reserved == b->reserved &&
	       a->parked == b->parked && a->local == b->local && a->by_usage == b->by_usage &&
	       a->penalty.n == b->penalty.n;
}

void plm_queue_index_set(struct plm_state *st, plm_id workload, const struct plm_link *to)
{
	struct plm_link *link = link_edit(st, workload.n);

	PLM_ASSERT(workload.n != 0);
	if (same_place(link, to)) {
		return;
	}
	if ((link->standing == PLM_STANDS_OUTSIDE) != (to->standing == PLM_STANDS_OUTSIDE)) {
		plm_marks_put(st, workload, PLM_MARK_OUTSIDE, to->standing == PLM_STANDS_OUTSIDE);
	}
	take_out(st, workload.n);
	*link = *to;
	count_link(st, link, 1);
	if (to->standing == PLM_STANDS_ACTIVE) {
		lane_add(st, workload.n);
	} else if (to->standing != PLM_STANDS_NOWHERE) {
		list_add(st, workload.n);
	}
}

void *plm_queue_index_block(struct plm_state *st, size_t bytes)
{
	struct plm_queue_index *index = &st->queues;

	if (bytes > index->block_bytes) {
		free(index->block);
		index->block = malloc(bytes);
		PLM_ASSERT(index->block != NULL);
		index->block_bytes = bytes;
	}
	return index->block;
}

uint32_t *plm_queue_index_room(struct plm_state *st, uint32_t count)
{
	struct plm_queue_index *index = &st->queues;

	index->room = plm_grown(index->room, &index->room_count, count, sizeof(*index->room));
	return index->room;
}

static struct plm_lane *plain_lane(struct plm_state *st, plm_id queue, uint32_t lane)
{
	struct plm_link link = {.queue = queue.n, .lane = lane};

	return lane_edit(st, &link);
}

/* One by one is cheaper than to make the whole heap anew. */
static bool few(uint32_t count, const struct plm_lane *lane)
{
	return count < lane->count / 16;
}

static void heap_make(struct plm_state *st, struct plm_lane *lane)
{
	for (uint32_t i = lane->count / 2; i < lane->count; i++) {
		st->queues.links[lane->heap[i]].next = i;
	}
	for (uint32_t i = lane->count / 2; i-- > 0;) {
		heap_down(st, lane, i, lane->heap[i]);
	}
}

/* 'by' is added to the number of parked ones: as unsigned, to go down. */
static void count_parked(struct plm_state *st, plm_id queue, uint32_t by)
{
	st->queues.parked_total += by;
	cell_edit(st, queue.n)->parked_count += by;
}

void plm_queue_index_wake(struct plm_state *st, plm_id queue, uint32_t lane_slot,
			  const uint32_t *workloads, uint32_t count)
{
	struct plm_lane *lane = plain_lane(st, queue, lane_slot);
	bool one_by_one = few(count, lane);

	lane->heap =
		plm_grown(lane->heap, &lane->capacity, lane->count + count, sizeof(*lane->heap));
	for (uint32_t i = 0; i < count; i++) {
		struct plm_link *link = &st->queues.links[workloads[i]];

		PLM_ASSERT(link->standing == PLM_STANDS_PARKED && link->queue == queue.n);
		PLM_ASSERT(link->lane == lane_slot && link->local == 0);
		list_remove(st, workloads[i]);
		link->standing = PLM_STANDS_ACTIVE;
		link->parked = 0;
		link->prev = 0;
		if (one_by_one) {
			heap_add(st, lane, workloads[i]);
		} else {
			lane->heap[lane->count++] = workloads[i];
		}
	}
	if (!one_by_one) {
		heap_make(st, lane);
	}
	count_parked(st, queue, 0U - count);
}

/* What is left of a heap when all that are no longer ACTIVE are taken out. */
static void heap_sift(struct plm_state *st, struct plm_lane *lane)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lane->count; i++) {
		if (st->queues.links[lane->heap[i]].standing == PLM_STANDS_ACTIVE) {
			lane->heap[kept++] = lane->heap[i];
		}
	}
	lane->count = kept;
	heap_make(st, lane);
}

void plm_queue_index_park(struct plm_state *st, plm_id queue, uint32_t lane_slot,
			  const uint32_t *workloads, uint32_t count)
{
	struct plm_lane *lane = plain_lane(st, queue, lane_slot);
	bool one_by_one = few(count, lane);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_link *link = &st->queues.links[workloads[i]];

		PLM_ASSERT(link->standing == PLM_STANDS_ACTIVE && link->queue == queue.n);
		PLM_ASSERT(link->lane == lane_slot && link->local == 0);
		if (one_by_one) {
			heap_remove(st, lane, workloads[i]);
		}
		link->standing = PLM_STANDS_PARKED;
		link->parked = 1;
	}
	if (!one_by_one) {
		heap_sift(st, lane);
	}
	for (uint32_t i = 0; i < count; i++) {
		list_add(st, workloads[i]);
	}
	count_parked(st, queue, count);
}

void plm_queue_index_drop(struct plm_state *st, plm_id workload)
{
	const struct plm_link *link = plm_queue_index_link(st, workload);

	plm_timer_heap_set(&st->queues.timers, workload.n, PLM_UNSET);
	if (link->standing == PLM_STANDS_NOWHERE) {
		return;
	}
	plm_marks_put(st, workload, PLM_MARK_OUTSIDE, false);
	st->queues.left = true;
	st->queues.left_queue = link->queue;
	take_out(st, workload.n);
}

/* ---- reading ----------------------------------------------------------------------------------- */

const struct plm_link *plm_queue_index_link(const struct plm_state *st, plm_id workload)
{
	return workload.n < st->queues.link_count ? &st->queues.links[workload.n] : &nowhere;
}

const struct plm_queue_cell *plm_queue_index_cell(const struct plm_state *st, plm_id queue)
{
	return queue.n < st->queues.queue_count ? &st->queues.queues[queue.n] : &empty_cell;
}

const struct plm_lane *plm_queue_index_lane(const struct plm_state *st, plm_id work_queue)
{
	return work_queue.n < st->queues.lane_count ? &st->queues.lanes[work_queue.n] : &empty_lane;
}

const struct plm_local_cell *plm_queue_index_local(const struct plm_state *st, plm_id local)
{
	return local.n < st->queues.local_count ? &st->queues.locals[local.n] : &empty_local;
}

uint32_t plm_queue_index_running(const struct plm_state *st, plm_id work_queue)
{
	return work_queue.n < st->queues.lane_count ? st->queues.running[work_queue.n] : 0;
}

/* ---- the slow twin ----------------------------------------------------------------------------- */

/* Every sum of 'have' is one of 'want', where what is missing is 0. */
static void check_helds(const struct plm_helds *have, const struct plm_helds *want)
{
	for (uint32_t i = 0; i < have->count; i++) {
		plm_i128 sum = 0;

		for (uint32_t j = 0; j < want->count; j++) {
			if (plm_sym_equal(want->list[j].flavor, have->list[i].flavor) &&
			    plm_sym_equal(want->list[j].resource, have->list[i].resource)) {
				sum = want->list[j].sum;
			}
		}
		PLM_ASSERT(sum == have->list[i].sum);
	}
}

/* The lane of a queue ('lane' 0), of a WorkQueue, or of LocalQueue 'local'. */
static void check_lane(const struct plm_state *st, const struct plm_lane *lane, uint32_t lane_slot,
		       uint32_t local, uint32_t *active)
{
	for (uint32_t i = 0; i < lane->count; i++) {
		const struct plm_link *link = &st->queues.links[lane->heap[i]];

		PLM_ASSERT(link->standing == PLM_STANDS_ACTIVE && link->next == i);
		PLM_ASSERT(local != 0 ? link->by_usage != 0 && link->local == local
				      : link->by_usage == 0 && link->lane == lane_slot);
		PLM_ASSERT(i == 0 || !before(st, lane->heap[i], lane->heap[(i - 1) / 2]));
		(*active)++;
	}
}

static void check_cell(const struct plm_state *st, const struct plm_state *twin, uint32_t queue)
{
	const struct plm_queue_cell *cell = &st->queues.queues[queue];
	uint32_t holding = 0;
	uint32_t parked = 0;

	for (uint32_t w = cell->holding; w != 0; w = st->queues.links[w].next) {
		PLM_ASSERT(st->queues.links[w].queue == queue);
		holding++;
	}
	for (uint32_t w = cell->parked; w != 0; w = st->queues.links[w].next) {
		PLM_ASSERT(st->queues.links[w].standing == PLM_STANDS_PARKED);
		parked++;
	}
	PLM_ASSERT(holding == cell->holding_count && parked == cell->parked_count);
	check_helds(&cell->held, &plm_queue_index_cell(twin, (plm_id){queue})->held);
}

static void check_local(const struct plm_state *st, const struct plm_state *twin, uint32_t local,
			uint32_t *active)
{
	const struct plm_local_cell *have = &st->queues.locals[local];
	const struct plm_local_cell *want = plm_queue_index_local(twin, (plm_id){local});

	check_lane(st, &have->lane, have->work, local, active);
	check_helds(&have->admitted, &want->admitted);
	check_helds(&have->pending, &want->pending);
}

void plm_queue_index_check(const struct plm_state *st)
{
	const struct plm_queue_index *index = &st->queues;
	struct plm_state twin = {.heap = st->heap};
	uint32_t active = 0;
	uint32_t links = 0;

	for (uint32_t w = 0; w < index->link_count; w++) {
		const struct plm_link *link = &index->links[w];

		links += link->standing == PLM_STANDS_ACTIVE;
		if (link->standing == PLM_STANDS_HOLDING) {
			count_held(&twin, link, 1);
		}
		if (link->local != 0) {
			count_penalty(&twin, link, 1);
		}
	}
	for (uint32_t q = 0; q < index->queue_count; q++) {
		check_lane(st, &index->queues[q].lane, 0, 0, &active);
		check_cell(st, &twin, q);
	}
	for (uint32_t l = 1; l < index->lane_count; l++) {
		check_lane(st, &index->lanes[l], l, 0, &active);
	}
	for (uint32_t l = 1; l < index->local_count; l++) {
		check_local(st, &twin, l, &active);
	}
	PLM_ASSERT(active == links);
	plm_queue_index_fini(&twin.queues);
	plm_timer_heap_check(&index->timers);
}
