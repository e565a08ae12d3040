#include "core/pod_index.h"

#include "core/grow.h"
#include "core/hashing.h"
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

static void settle_pod(struct plm_state *st, uint32_t n)
{
	struct plm_pod_index *index = &st->pods;
	const struct plm_pod *pod = plm_pod_at(st, (plm_id){n});
	struct plm_pod_link *link = NULL;

	index->links = plm_grown(index->links, &index->link_count, n + 1, sizeof(*index->links));
	link = &index->links[n];
	if (link->running != 0) {
		index->cells[link->cell[PLM_POD_BOUND]].running--;
	}
	index->keepers -= link->keeps;
	leave(index, n, PLM_POD_BOUND);
	leave(index, n, PLM_POD_EXPECTED);
	link->running = 0;
	link->keeps = 0;
	put_wait(index, n, pod->object.used != 0 && pod->node.n == 0 && !is_over(pod));
	if (pod->object.used == 0) {
		return;
	}
	join(st, n, PLM_POD_BOUND, cell_of(st, pod->node, 0));
	join(st, n, PLM_POD_EXPECTED, cell_of(st, pod->target, pod->target_claim != 0));
	link->keeps = keeps_away(st, pod) ? 1 : 0;
	index->keepers += link->keeps;
	if (pod->node.n != 0 && !is_over(pod)) {
		link->running = 1;
		index->cells[link->cell[PLM_POD_BOUND]].running++;
	}
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
	}
}

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
	PLM_ASSERT(link->cell[PLM_POD_BOUND] == bound &&
		   (!used || (bound != 0) == (pod->node.n != 0)));
	PLM_ASSERT(link->cell[PLM_POD_EXPECTED] == target &&
		   (!used || (target != 0) == (pod->target.n != 0)));
	PLM_ASSERT(link->keeps == (used && keeps_away(st, pod) ? 1U : 0U));
	PLM_ASSERT(link->running == (used && pod->node.n != 0 && !is_over(pod) ? 1U : 0U));
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
		linked += index->links[n].cell[PLM_POD_BOUND] != 0 ? 1 : 0;
	}
	for (uint32_t c = 1; c < index->cell_count; c++) {
		const struct plm_pod_cell *cell = &index->cells[c];
		uint32_t running = 0;

		PLM_ASSERT(cell->slot.n ==
			   plm_find(st, kind_of(cell->is_claim), (plm_sym){0}, cell->name).n);
		for (plm_id p = plm_pod_index_next(st, c, PLM_POD_BOUND, (plm_id){0}); p.n != 0;
		     p = plm_pod_index_next(st, c, PLM_POD_BOUND, p)) {
			PLM_ASSERT(index->links[p.n].cell[PLM_POD_BOUND] == c);
			running += index->links[p.n].running;
			linked--;
		}
		PLM_ASSERT(running == cell->running);
	}
	PLM_ASSERT(linked == 0);
	PLM_ASSERT(keepers == index->keepers);
}
