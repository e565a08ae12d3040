/*
 * Seats from the index of pods: which names are nodes or claims that take pods, in the order of trial, and
 * a bound on what is free there. Each seat itself is looked at only when somebody may fit.
 *
 * The notes in the index are made when a CYCLE is folded, for cells that changed; a cell that changed since
 * is looked at here and now. A state without the index gives the same seats: seats.c.
 */
#include "reducers/area.h"
#include "reducers/provision/pass.h"

/* What a cell's note says. */
enum {
	SEAT_NONE, /* nothing that takes pods, or a claim whose node is there */
	SEAT_COMING,
	SEAT_READY, /* initialized */
};

static bool node_stands(const struct plm_state *st, plm_id id)
{
	const struct plm_node *node = plm_node_at(st, id);

	return node->object.deleting_ms == PLM_UNSET &&
	       (node->claim.n == 0 || !plm_claim_leaves(plm_node_claim_at(st, node->claim)));
}

bool plm_cell_stands(const struct plm_state *st, const struct plm_pod_cell *cell)
{
	if (cell->slot.n == 0) {
		return false;
	}
	return cell->is_claim != 0 ? !plm_claim_leaves(plm_node_claim_at(st, cell->slot))
				   : node_stands(st, cell->slot);
}

static int64_t amount_of(const struct plm_state *st, plm_sym amounts, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].resource, resource)) {
			return list[i].amount;
		}
	}
	return 0;
}

/* Note, peer and room of a cell as things are. */
static void look(const struct plm_pass *pass, struct plm_pod_cell *cell)
{
	const struct plm_state *st = pass->st;
	struct plm_seat seat = {0};

	cell->note = SEAT_NONE;
	cell->peer = (plm_id){0};
	for (int r = 0; r < PLM_SUMS; r++) {
		cell->room[r] = INT64_MAX;
	}
	if (!plm_cell_stands(st, cell)) {
		return;
	}
	if (cell->is_claim != 0) {
		plm_sym node = plm_node_claim_at(st, cell->slot)->node;

		cell->note = node.n != 0 && plm_find(st, PLM_KIND_NODE, (plm_sym){0}, node).n != 0
				     ? SEAT_NONE
				     : SEAT_COMING;
		return;
	}
	seat = (struct plm_seat){.node = cell->slot, .claim = plm_node_at(st, cell->slot)->claim};
	cell->peer = seat.claim;
	cell->note = plm_seat_initialized(pass, &seat) ? SEAT_READY : SEAT_COMING;
	if (cell->note == SEAT_READY) {
		plm_sym amounts = plm_node_at(st, cell->slot)->allocatable;

		cell->room[PLM_SUM_CPU] = amount_of(st, amounts, pass->sched.known[PLM_KNOWN_CPU]);
		cell->room[PLM_SUM_MEMORY] =
			amount_of(st, amounts, pass->sched.known[PLM_KNOWN_MEMORY]);
		cell->room[PLM_SUM_PODS] =
			amount_of(st, amounts, pass->sched.known[PLM_KNOWN_PODS]);
	}
}

/* Names that are long gone are forgotten once they are most of the index. */
#define CELLS_SPARE 4096U

void plm_provision_look(struct plm_state *st, struct plm_arena *scratch)
{
	struct plm_pod_index *index = &st->pods;
	struct plm_pass *pass = NULL;

	if (index->cell_count > CELLS_SPARE + 4 * (plm_node_live(st) + plm_node_claim_live(st))) {
		index->filled = false;
	}
	plm_pod_index_fill(st);
	if (index->changed_count > 0) {
		pass = PLM_NEW(scratch, struct plm_pass);
		plm_sched_init(&pass->sched, st, scratch);
		pass->st = st;
	}
	for (uint32_t i = 0; i < index->changed_count; i++) {
		look(pass, &index->cells[index->changed[i]]);
	}
	plm_pod_index_taken(st);
	plm_pod_index_sort(st, scratch);
}

bool plm_seats_known(const struct plm_pass *pass)
{
	const struct plm_pod_index *index = &pass->st->pods;

	return index->filled && index->name_sorted == index->name_count;
}

static void add_seat(struct plm_pass *pass, const struct plm_pod_cell *cell)
{
	struct plm_seat *seat = &pass->seats[pass->seat_count];
	int64_t *bounds = pass->seat_bounds + (size_t)pass->seat_count * PLM_SUMS;

	pass->seat_count++;
	seat->node = cell->is_claim != 0 ? (plm_id){0} : cell->slot;
	seat->claim = cell->is_claim != 0 ? cell->slot : cell->peer;
	seat->name = cell->name;
	seat->initialized = cell->note == SEAT_READY;
	for (int r = 0; r < PLM_SUMS; r++) {
		/* Who is crowded out may not sit where the sums have him. */
		bounds[r] = cell->room[r] == INT64_MAX || pass->demand->crowded_count > 0
				    ? INT64_MAX
				    : plm_sub_sat(cell->room[r], cell->used[r]);
	}
}

void plm_seats_find(struct plm_pass *pass)
{
	const struct plm_pod_index *index = &pass->st->pods;
	uint32_t room = plm_node_live(pass->st) + plm_node_claim_live(pass->st);

	pass->seat_bounds = PLM_NEW_ARRAY(pass->arena, (size_t)room * PLM_SUMS, int64_t);
	for (uint32_t note = SEAT_READY; note > SEAT_NONE; note--) {
		for (uint32_t i = 0; i < index->name_count; i++) {
			const struct plm_pod_cell *cell = &index->cells[index->names[i]];
			struct plm_pod_cell now;

			if (cell->changed == 0 && cell->note != note) {
				continue;
			}
			now = *cell;
			if (cell->changed != 0) {
				look(pass, &now);
			}
			if (now.note == note && now.slot.n != 0) {
				add_seat(pass, &now);
			}
		}
	}
}

bool plm_seat_may_fit(const struct plm_pass *pass, uint32_t index, const int64_t *requests)
{
	const int64_t *bounds = NULL;

	if (pass->seat_bounds == NULL) {
		return true;
	}
	bounds = pass->seat_bounds + (size_t)index * PLM_SUMS;
	return requests[pass->res.cpu] <= bounds[PLM_SUM_CPU] &&
	       requests[pass->res.memory] <= bounds[PLM_SUM_MEMORY] &&
	       requests[pass->res.pods] <= bounds[PLM_SUM_PODS];
}
