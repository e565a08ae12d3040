/* What is attached to the nodes that are there, against what their drivers can attach. karpenter.md 2.6. */
#include "reducers/provision/pass.h"

static struct plm_volume_room *room_of(const struct plm_seat *seat, plm_sym driver)
{
	for (uint32_t i = 0; i < seat->rooms.count; i++) {
		if (plm_sym_equal(seat->rooms.list[i].driver, driver)) {
			return &seat->rooms.list[i];
		}
	}
	return NULL;
}

static bool has_claim(const struct plm_volume_room *room, plm_id claim)
{
	for (uint32_t i = 0; i < room->shared_count; i++) {
		if (room->shared[i].n == claim.n) {
			return true;
		}
	}
	return false;
}

/* Does any pod here have volumes, or may a node be closed by those that it has? */
static bool matters(const struct plm_pass *pass)
{
	return pass->volumes != NULL || (pass->strict && plm_volume_claim_live(pass->st) > 0);
}

void plm_volume_seat(struct plm_pass *pass, struct plm_seat *seat)
{
	plm_id id = seat->node.n == 0 || !matters(pass)
			    ? (plm_id){0}
			    : plm_find(pass->st, PLM_KIND_CSI_NODE, (plm_sym){0}, seat->name);
	uint32_t count = 0;
	const struct plm_csi_driver *drivers = NULL;

	if (id.n == 0) {
		return;
	}
	drivers = PLM_SPAN(pass->st, plm_csi_node_at(pass->st, id)->drivers, struct plm_csi_driver,
			   &count);
	seat->rooms.list = PLM_NEW_ARRAY(pass->arena, count, struct plm_volume_room);
	for (uint32_t i = 0; i < count; i++) {
		int64_t limit = drivers[i].limit;

		if (limit == PLM_UNSET || (limit == PLM_UNLIMITED && !pass->strict)) {
			continue;
		}
		/* Without a count Karpenter reads zero. */
		seat->rooms.list[seat->rooms.count++] = (struct plm_volume_room){
			.driver = drivers[i].name, .limit = limit == PLM_UNLIMITED ? 0 : limit};
	}
}

static void attach_shared(struct plm_pass *pass, struct plm_volume_room *room, plm_id claim)
{
	if (has_claim(room, claim)) {
		return;
	}
	if (room->shared_count == room->shared_room) {
		uint32_t more = room->shared_room == 0 ? 4 : room->shared_room * 2;
		plm_id *list = PLM_NEW_ARRAY(pass->arena, more, plm_id);

		if (room->shared_count > 0) {
			memcpy(list, room->shared, room->shared_count * sizeof(*list));
		}
		room->shared = list;
		room->shared_room = more;
	}
	room->shared[room->shared_count++] = claim;
	room->used++;
}

static void attach(struct plm_pass *pass, struct plm_seat *seat,
		   const struct plm_volume_load *loads, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct plm_volume_room *room = room_of(seat, loads[i].driver);

		if (room == NULL) {
			continue;
		}
		room->used += loads[i].own;
		for (uint32_t s = 0; s < loads[i].shared_count; s++) {
			attach_shared(pass, room, loads[i].shared[s]);
		}
		/* Karpenter counts all volumes of a node whichever the next pod uses. */
		seat->closed = seat->closed || (pass->strict && room->used > room->limit);
	}
}

void plm_volume_seat_take(struct plm_pass *pass, struct plm_seat *seat,
			  const struct plm_volume_owner *owner)
{
	uint32_t count = 0;
	const struct plm_volume_load *loads = NULL;

	if (owner->uses.n == 0 || seat->rooms.count == 0) {
		return;
	}
	loads = plm_volume_loads(pass, owner, &count);
	attach(pass, seat, loads, count);
}

bool plm_volume_seat_fits(const struct plm_pass *pass, const struct plm_seat *seat, uint32_t set)
{
	const struct plm_volume_set *volumes = plm_volume_set_at(pass, set);

	if (seat->closed || (volumes != NULL && volumes->no_seats)) {
		return false;
	}
	for (uint32_t i = 0; volumes != NULL && i < volumes->load_count; i++) {
		const struct plm_volume_load *load = &volumes->loads[i];
		const struct plm_volume_room *room = room_of(seat, load->driver);
		int64_t more = load->own;

		for (uint32_t s = 0; room != NULL && s < load->shared_count; s++) {
			more += has_claim(room, load->shared[s]) ? 0 : 1;
		}
		if (room != NULL && more > 0 && room->used + more > room->limit) {
			return false;
		}
	}
	return true;
}

void plm_volume_seat_add(struct plm_pass *pass, struct plm_seat *seat, uint32_t set)
{
	const struct plm_volume_set *volumes = plm_volume_set_at(pass, set);

	if (volumes != NULL) {
		attach(pass, seat, volumes->loads, volumes->load_count);
	}
}
