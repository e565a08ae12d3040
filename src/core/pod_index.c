#include "core/pod_index.h"

#include "core/grow.h"
#include "core/hashing.h"
#include "core/sort.h"
#include "core/state.h"

#include <stdlib.h>

enum {
	NOTED_PODS,
	NOTED_NODES,
	NOTED_CLAIMS,
	NOTED_CELLS,
	NOTED_LISTS
};

void plm_pod_index_fini(struct plm_pod_index *index)
{
	free(index->links);
	free(index->waits);
	free(index->cells);
	free(index->hash);
	free(index->names);
	free(index->changed);
	for (int i = 0; i < NOTED_LISTS; i++) {
		free(index->noted[i]);
	}
	*index = (struct plm_pod_index){0};
}

/* ---- cells ------------------------------------------------------------------------------------- */

static uint32_t place_of(const struct plm_pod_index *index, plm_sym name, uint32_t is_claim)
{
	uint32_t at = (uint32_t)plm_hash_mix((uint64_t)name.n << 1 | is_claim);

	for (;; at++) {
		uint32_t cell = index->hash[at & index->hash_mask];

		if (cell == 0 || (plm_sym_equal(index->cells[cell].name, name) &&
				  index->cells[cell].is_claim == is_claim)) {
			return at & index->hash_mask;
		}
	}
}

static void grow_cells(struct plm_pod_index *index)
{
	uint32_t room = index->cell_room == 0 ? 64 : index->cell_room * 2;

	index->cells = plm_grown(index->cells, &index->cell_room, room, sizeof(*index->cells));
	free(index->hash);
	index->hash_mask = 2 * index->cell_room - 1;
	index->hash = calloc((size_t)index->hash_mask + 1, sizeof(*index->hash));
	PLM_ASSERT(index->hash != NULL && (index->cell_room & (index->cell_room - 1)) == 0);
	for (uint32_t c = 1; c < index->cell_count; c++) {
		index->hash[place_of(index, index->cells[c].name, index->cells[c].is_claim)] = c;
	}
}

uint32_t plm_pod_index_cell(const struct plm_state *st, plm_sym name, bool is_claim)
{
	const struct plm_pod_index *index = &st->pods;

	return index->cell_room == 0 || name.n == 0
		       ? 0
		       : index->hash[place_of(index, name, is_claim ? 1 : 0)];
}

static enum plm_kind kind_of(uint32_t is_claim)
{
	return is_claim != 0 ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE;
}

/* A cell whose name stands for something is in the list of names. */
static void list_name(struct plm_pod_index *index, uint32_t cell)
{
	if (index->cells[cell].slot.n == 0 || index->cells[cell].listed != 0) {
		return;
	}
	index->cells[cell].listed = 1;
	index->names = plm_grown(index->names, &index->name_room, index->name_count + 1,
				 sizeof(*index->names));
	index->names[index->name_count++] = cell;
}

/* The cell of 'name', made when it is new; 0 for no name. */
static uint32_t cell_of(struct plm_state *st, plm_sym name, uint32_t is_claim)
{
	struct plm_pod_index *index = &st->pods;
	uint32_t cell = plm_pod_index_cell(st, name, is_claim != 0);

	if (cell != 0 || name.n == 0) {
		return cell;
	}
	if (index->cell_count + 1 >= index->cell_room) {
		index->cell_count = index->cell_count == 0 ? 1 : index->cell_count;
		grow_cells(index);
	}
	cell = index->cell_count++;
	index->cells[cell] =
		(struct plm_pod_cell){.name = name,
				      .is_claim = is_claim,
				      .slot = plm_find(st, kind_of(is_claim), (plm_sym){0}, name)};
	index->hash[place_of(index, name, is_claim)] = cell;
	list_name(index, cell);
	return cell;
}

static void change(struct plm_pod_index *index, uint32_t cell)
{
	if (cell == 0 || index->cells[cell].changed != 0) {
		return;
	}
	index->cells[cell].changed = 1;
	index->changed = plm_grown(index->changed, &index->changed_room, index->changed_count + 1,
				   sizeof(*index->changed));
	index->changed[index->changed_count++] = cell;
}

void plm_pod_index_taken(struct plm_state *st)
{
	struct plm_pod_index *index = &st->pods;

	for (uint32_t i = 0; i < index->changed_count; i++) {
		index->cells[index->changed[i]].changed = 0;
	}
	index->changed_count = 0;
}

/* ---- pods -------------------------------------------------------------------------------------- */

static bool is_over(const struct plm_pod *pod)
{
	return pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED;
}

static bool keeps_away(const struct plm_state *st, const struct plm_pod *pod)
{
	uint32_t count = 0;
	const struct plm_shape *shape = NULL;

	if (pod->shape.n == 0 || is_over(pod) || (pod->node.n == 0 && pod->target.n == 0)) {
		return false;
	}
	shape = PLM_SPAN(st, pod->shape, struct plm_shape, &count);
	PLM_ASSERT(count == 1);
	return shape->anti_affinity.n != 0;
}

static void put_wait(struct plm_pod_index *index, uint32_t pod, bool on)
{
	uint64_t bit = UINT64_C(1) << (pod % 64);

	index->waits =
		plm_grown(index->waits, &index->wait_words, pod / 64 + 1, sizeof(*index->waits));
	index->waits[pod / 64] = on ? index->waits[pod / 64] | bit : index->waits[pod / 64] & ~bit;
}

static void leave(struct plm_pod_index *index, uint32_t pod, enum plm_pod_side side)
{
	struct plm_pod_link *link = &index->links[pod];
	uint32_t cell = link->cell[side];

	if (cell == 0) {
		return;
	}
	change(index, cell);
	if (link->prev[side] != 0) {
		index->links[link->prev[side]].next[side] = link->next[side];
	} else {
		index->cells[cell].first[side] = link->next[side];
	}
	if (link->next[side] != 0) {
		index->links[link->next[side]].prev[side] = link->prev[side];
	}
	link->cell[side] = 0;
	link->next[side] = 0;
	link->prev[side] = 0;
}

static void join(struct plm_state *st, uint32_t pod, enum plm_pod_side side, uint32_t cell)
{
	struct plm_pod_index *index = &st->pods;
	struct plm_pod_link *link = &index->links[pod];

	if (cell == 0) {
		return;
	}
	change(index, cell);
	link->cell[side] = cell;
	link->next[side] = index->cells[cell].first[side];
	if (link->next[side] != 0) {
		index->links[link->next[side]].prev[side] = pod;
	}
	index->cells[cell].first[side] = pod;
}

/* Sums stay far from overflow; what is cut off here is counted where it matters. */
#define MOST_SUMMED (INT64_C(1) << 50)

/* The requests of 'shape' into (1) or out of (-1) the sums of 'cell'. */
static void sum_up(struct plm_state *st, uint32_t cell_index, plm_sym shape_span, int64_t by)
{
	struct plm_pod_index *index = &st->pods;
	struct plm_pod_cell *cell = &index->cells[cell_index];
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(st, shape_span, struct plm_shape, &count);
	const struct plm_amount *list = NULL;

	if (cell_index == 0 || count == 0) {
		return;
	}
	list = PLM_SPAN(st, shape->requests, struct plm_amount, &count);
	cell->used[PLM_SUM_PODS] += by;
	for (uint32_t i = 0; i < count; i++) {
		int64_t amount = plm_max(plm_min(list[i].amount, MOST_SUMMED), -MOST_SUMMED);

		if (plm_sym_equal(list[i].resource, index->cpu)) {
			cell->used[PLM_SUM_CPU] += by * amount;
		} else if (plm_sym_equal(list[i].resource, index->memory)) {
			cell->used[PLM_SUM_MEMORY] += by * amount;
		}
	}
}

/* Where the pod takes room for sure: 0 = nowhere. */
static uint32_t counts_at(const struct plm_pod_link *link, const struct plm_pod *pod)
{
	if (is_over(pod)) {
		return 0;
	}
	if (pod->node.n != 0) {
		return link->cell[PLM_SIDE_BOUND];
	}
	return pod->object.deleting_ms == PLM_UNSET ? link->cell[PLM_SIDE_EXPECTED] : 0;
}

static void settle_pod(struct plm_state *st, uint32_t n)
{
	struct plm_pod_index *index = &st->pods;
	const struct plm_pod *pod = plm_pod_at(st, (plm_id){n});
	struct plm_pod_link *link = NULL;

	index->links = plm_grown(index->links, &index->link_count, n + 1, sizeof(*index->links));
	link = &index->links[n];
	if (link->running != 0) {
		index->cells[link->cell[PLM_SIDE_BOUND]].running--;
	}
	index->keepers -= link->keeps;
	sum_up(st, link->counted, link->shape, -1);
	link->counted = 0;
	leave(index, n, PLM_SIDE_BOUND);
	leave(index, n, PLM_SIDE_EXPECTED);
	link->running = 0;
	link->keeps = 0;
	put_wait(index, n, pod->object.used != 0 && pod->node.n == 0 && !is_over(pod));
	if (pod->object.used == 0) {
		return;
	}
	join(st, n, PLM_SIDE_BOUND, cell_of(st, pod->node, 0));
	join(st, n, PLM_SIDE_EXPECTED, cell_of(st, pod->target, pod->target_claim != 0));
	link->keeps = keeps_away(st, pod) ? 1 : 0;
	index->keepers += link->keeps;
	if (pod->node.n != 0 && !is_over(pod)) {
		link->running = 1;
		index->cells[link->cell[PLM_SIDE_BOUND]].running++;
	}
	link->counted = counts_at(link, pod);
	link->shape = pod->shape;
	sum_up(st, link->counted, link->shape, 1);
}

plm_id plm_pod_index_next(const struct plm_state *st, uint32_t cell, enum plm_pod_side side,
			  plm_id pod)
{
	if (cell == 0) {
		return (plm_id){0};
	}
	return (plm_id){pod.n == 0 ? st->pods.cells[cell].first[side]
				   : st->pods.links[pod.n].next[side]};
}

bool plm_pod_index_true(const struct plm_state *st)
{
	return st->pods.filled && st->pods.noted_count[NOTED_PODS] == 0;
}

plm_id plm_pod_index_waiting(const struct plm_state *st, plm_id id)
{
	const struct plm_pod_index *index = &st->pods;
	uint32_t from = id.n + 1;
	uint64_t above = ~UINT64_C(0) << (from % 64);

	if (!index->filled) {
		return plm_pod_next(st, id);
	}
	for (uint32_t w = from / 64; w < index->wait_words; w++, above = ~UINT64_C(0)) {
		if ((index->waits[w] & above) != 0) {
			return (plm_id){w * 64 +
					(uint32_t)__builtin_ctzll(index->waits[w] & above)};
		}
	}
	return (plm_id){0};
}

/* ---- notes ------------------------------------------------------------------------------------- */

static void note(struct plm_pod_index *index, int list, uint32_t n)
{
	uint32_t count = index->noted_count[list];

	if (count > 0 && index->noted[list][count - 1] == n) {
		return;
	}
	index->noted[list] = plm_grown(index->noted[list], &index->noted_room[list], count + 1,
				       sizeof(*index->noted[list]));
	index->noted[list][index->noted_count[list]++] = n;
}

void plm_pod_index_note_pod(struct plm_state *st, plm_id id)
{
	if (st->pods.filled) {
		note(&st->pods, NOTED_PODS, id.n);
	}
}

/* The name may stand for another slot now, or for none. */
static void look_again(struct plm_state *st, plm_sym name, uint32_t is_claim)
{
	uint32_t cell = cell_of(st, name, is_claim);

	if (cell != 0) {
		change(&st->pods, cell);
		note(&st->pods, NOTED_CELLS, cell);
	}
}

/* The node that the claim has, or had, looks different, too. */
static void change_claim(struct plm_state *st, const struct plm_node_claim *claim)
{
	look_again(st, claim->object.name, 1);
	change(&st->pods, cell_of(st, claim->node, 0));
}

static void change_node(struct plm_state *st, const struct plm_node *node)
{
	look_again(st, node->object.name, 0);
	if (node->claim.n != 0) {
		change(&st->pods, cell_of(st, plm_node_claim_at(st, node->claim)->object.name, 1));
	}
}

void plm_pod_index_note_node(struct plm_state *st, plm_id id)
{
	if (st->pods.filled) {
		note(&st->pods, NOTED_NODES, id.n);
		change_node(st, plm_node_at(st, id));
	}
}

void plm_pod_index_note_claim(struct plm_state *st, plm_id id)
{
	if (st->pods.filled) {
		note(&st->pods, NOTED_CLAIMS, id.n);
		change_claim(st, plm_node_claim_at(st, id));
	}
}

static void settle_cells(struct plm_state *st)
{
	struct plm_pod_index *index = &st->pods;

	for (uint32_t i = 0; i < index->noted_count[NOTED_NODES]; i++) {
		change_node(st, plm_node_at(st, (plm_id){index->noted[NOTED_NODES][i]}));
	}
	for (uint32_t i = 0; i < index->noted_count[NOTED_CLAIMS]; i++) {
		change_claim(st, plm_node_claim_at(st, (plm_id){index->noted[NOTED_CLAIMS][i]}));
	}
	for (uint32_t i = 0; i < index->noted_count[NOTED_CELLS]; i++) {
		struct plm_pod_cell *cell = &index->cells[index->noted[NOTED_CELLS][i]];

		cell->slot = plm_find(st, kind_of(cell->is_claim), (plm_sym){0}, cell->name);
		list_name(index, index->noted[NOTED_CELLS][i]);
	}
}

/* ---- names ------------------------------------------------------------------------------------- */

static int by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_state *st = context;
	const struct plm_pod_cell *x = &st->pods.cells[a];
	const struct plm_pod_cell *y = &st->pods.cells[b];
	int order = plm_sym_compare(st, x->name, y->name);

	return order != 0 ? order : (int)x->is_claim - (int)y->is_claim;
}

/* What has no slot any more leaves; the first 'count' are in order before and after. */
static uint32_t drop_names(struct plm_pod_index *index, uint32_t from, uint32_t count, uint32_t to)
{
	for (uint32_t i = from; i < from + count; i++) {
		uint32_t cell = index->names[i];

		if (index->cells[cell].slot.n == 0) {
			index->cells[cell].listed = 0;
		} else {
			index->names[to++] = cell;
		}
	}
	return to;
}

void plm_pod_index_sort(struct plm_state *st, struct plm_arena *scratch)
{
	struct plm_pod_index *index = &st->pods;
	size_t mark = plm_arena_mark(scratch);
	uint32_t sorted = drop_names(index, 0, index->name_sorted, 0);
	uint32_t count = drop_names(index, index->name_sorted,
				    index->name_count - index->name_sorted, sorted);
	uint32_t tail = count - sorted;
	uint32_t *late = PLM_NEW_ARRAY(scratch, tail, uint32_t);
	uint32_t i = sorted;

	if (tail > 0) {
		memcpy(late, index->names + sorted, tail * sizeof(*late));
		plm_sort(late, tail, by_name, st, scratch);
	}
	/* Merged from the end. */
	for (uint32_t j = tail; j > 0;) {
		bool first = i > 0 && by_name(st, index->names[i - 1], late[j - 1]) > 0;
		uint32_t cell = first ? index->names[--i] : late[--j];

		index->names[i + j] = cell;
	}
	index->name_count = count;
	index->name_sorted = count;
	plm_arena_rewind(scratch, mark);
}

/* ---- settling ---------------------------------------------------------------------------------- */

void plm_pod_index_settle(struct plm_state *st)
{
	struct plm_pod_index *index = &st->pods;

	if (!index->filled) {
		return;
	}
	settle_cells(st);
	for (uint32_t i = 0; i < index->noted_count[NOTED_PODS]; i++) {
		settle_pod(st, index->noted[NOTED_PODS][i]);
	}
	memset(index->noted_count, 0, sizeof(index->noted_count));
}

void plm_pod_index_fill(struct plm_state *st)
{
	if (st->pods.filled) {
		return;
	}
	plm_pod_index_fini(&st->pods);
	grow_cells(&st->pods);
	st->pods.cell_count = 1;
	st->pods.filled = true;
	st->pods.cpu = plm_sym_find(st, plm_slice_str("cpu"));
	st->pods.memory = plm_sym_find(st, plm_slice_str("memory"));
	PLM_EACH(st, node, id)
	{
		change_node(st, plm_node_at(st, id));
	}
	PLM_EACH(st, node_claim, id)
	{
		change_claim(st, plm_node_claim_at(st, id));
	}
	settle_cells(st);
	PLM_EACH(st, pod, id)
	{
		settle_pod(st, id.n);
	}
	memset(st->pods.noted_count, 0, sizeof(st->pods.noted_count));
}

/* ---- check ------------------------------------------------------------------------------------- */

static void check_pod(const struct plm_state *st, uint32_t n)
{
	const struct plm_pod_index *index = &st->pods;
	const struct plm_pod *pod = plm_pod_at(st, (plm_id){n});
	const struct plm_pod_link *link = &index->links[n];
	bool used = pod->object.used != 0;
	uint32_t bound = used ? plm_pod_index_cell(st, pod->node, false) : 0;
	uint32_t target = used ? plm_pod_index_cell(st, pod->target, pod->target_claim != 0) : 0;
	bool waits = n / 64 < index->wait_words && (index->waits[n / 64] >> (n % 64) & 1) != 0;

	PLM_ASSERT(waits == (used && pod->node.n == 0 && !is_over(pod)));
	PLM_ASSERT(link->cell[PLM_SIDE_BOUND] == bound &&
		   (!used || (bound != 0) == (pod->node.n != 0)));
	PLM_ASSERT(link->cell[PLM_SIDE_EXPECTED] == target &&
		   (!used || (target != 0) == (pod->target.n != 0)));
	PLM_ASSERT(link->keeps == (used && keeps_away(st, pod) ? 1U : 0U));
	PLM_ASSERT(link->running == (used && pod->node.n != 0 && !is_over(pod) ? 1U : 0U));
}

static void check_sums(const struct plm_state *st, uint32_t cell)
{
	int64_t pods = 0;

	for (int side = 0; side < PLM_SIDES; side++) {
		for (plm_id p = plm_pod_index_next(st, cell, (enum plm_pod_side)side, (plm_id){0});
		     p.n != 0; p = plm_pod_index_next(st, cell, (enum plm_pod_side)side, p)) {
			const struct plm_pod *pod = plm_pod_at(st, p);
			const struct plm_pod_link *link = &st->pods.links[p.n];
			bool here = counts_at(link, pod) == link->cell[side];

			PLM_ASSERT(link->cell[side] == cell && link->shape.n == pod->shape.n);
			PLM_ASSERT(link->counted == counts_at(link, pod));
			pods += here && pod->shape.n != 0 ? 1 : 0;
			if (here && pod->shape.n != 0 && link->cell[0] == link->cell[1] &&
			    side > 0) {
				pods--; /* it was met in the other list, too */
			}
		}
	}
	PLM_ASSERT(pods == st->pods.cells[cell].used[PLM_SUM_PODS]);
}

void plm_pod_index_check(const struct plm_state *st)
{
	const struct plm_pod_index *index = &st->pods;
	uint32_t keepers = 0;
	uint32_t linked = 0;

	if (!index->filled) {
		return;
	}
	for (uint32_t n = 1; n < plm_pod_bound(st) && n < index->link_count; n++) {
		check_pod(st, n);
		keepers += index->links[n].keeps;
		linked += index->links[n].cell[PLM_SIDE_BOUND] != 0 ? 1 : 0;
	}
	for (uint32_t c = 1; c < index->cell_count; c++) {
		const struct plm_pod_cell *cell = &index->cells[c];
		uint32_t running = 0;

		PLM_ASSERT(cell->slot.n == 0 || cell->listed != 0);
		check_sums(st, c);

		PLM_ASSERT(cell->slot.n ==
			   plm_find(st, kind_of(cell->is_claim), (plm_sym){0}, cell->name).n);
		for (plm_id p = plm_pod_index_next(st, c, PLM_SIDE_BOUND, (plm_id){0}); p.n != 0;
		     p = plm_pod_index_next(st, c, PLM_SIDE_BOUND, p)) {
			PLM_ASSERT(index->links[p.n].cell[PLM_SIDE_BOUND] == c);
			running += index->links[p.n].running;
			linked--;
		}
		PLM_ASSERT(running == cell->running);
	}
	PLM_ASSERT(linked == 0);
	PLM_ASSERT(keepers == index->keepers);
}
