/* Can a pod join a node or claim that exists? karpenter.md 2.6. */
#include "reducers/provision/pass.h"

/* What volumes and topology leave of a seat with the pod's requirements; none of it changes 'seat'. */
static enum plm_topo_answer seat_narrow(struct plm_pass *pass, const struct plm_want_shape *shape,
					uint32_t ask, const struct plm_reqs *way,
					struct plm_reqs *reqs)
{
	if (way != NULL && !plm_volume_join(pass, way, false, reqs)) {
		return PLM_TOPO_NEVER;
	}
	return plm_kind_held(pass, shape->kind, ask)
		       ? plm_kind_narrow(pass, shape->kind, ask, false, reqs)
		       : PLM_TOPO_FITS;
}

/* The first way to the pod's volumes that will do. */
static enum plm_topo_answer seat_ways(struct plm_pass *pass, const struct plm_want_shape *shape,
				      uint32_t ask, struct plm_reqs *reqs)
{
	const struct plm_volume_set *volumes = plm_volume_set_at(pass, shape->volumes);
	enum plm_topo_answer answer = PLM_TOPO_NEVER;

	if (volumes == NULL || volumes->way_count == 0) {
		return seat_narrow(pass, shape, ask, NULL, reqs);
	}
	for (uint32_t i = 0; i < volumes->way_count; i++) {
		struct plm_reqs left = *reqs;
		enum plm_topo_answer way = seat_narrow(pass, shape, ask, &volumes->ways[i], &left);

		if (way == PLM_TOPO_FITS) {
			*reqs = left;
			return way;
		}
		answer = way == PLM_TOPO_NEVER ? answer : PLM_TOPO_NOT_NOW;
	}
	return answer;
}

bool plm_seat_add(struct plm_pass *pass, struct plm_seat *seat, uint32_t want, uint32_t ask)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	const struct plm_want_kind *kind = &pass->kinds[shape->kind];
	const struct plm_ask *asked = &kind->asks[ask];
	uint32_t try = shape->first_try + ask;
	struct plm_topo_site site = {.taints = seat->taints};
	struct plm_reqs reqs = seat->reqs;
	enum plm_topo_answer answer = PLM_TOPO_FITS;

	pass->spent++;
	if (asked->impossible || !plm_res_fits(pass, shape->requests, seat->left) ||
	    plm_taints_refuse(&pass->sched, &seat->taints, &asked->tolerations) != NULL ||
	    plm_ports_taken(&pass->sched, seat->ports, kind->shape.ports) ||
	    !plm_volume_seat_fits(pass, seat, shape->volumes) ||
	    (!PLM_BIT(seat->absorbed, plm_ask_index(pass, shape, ask)) &&
	     !plm_reqs_compatible(&pass->sched, &seat->reqs, &asked->reqs, false, NULL))) {
		PLM_BIT_SET(pass->seat_rows[try], seat - pass->seats);
		return false;
	}
	if (!PLM_BIT(seat->absorbed, plm_ask_index(pass, shape, ask))) {
		reqs = plm_reqs_merge(&pass->sched, &seat->reqs, &asked->reqs);
	}
	answer = seat_ways(pass, shape, ask, &reqs);
	if (answer == PLM_TOPO_NEVER) {
		PLM_BIT_SET(pass->seat_rows[try], seat - pass->seats);
	}
	if (answer != PLM_TOPO_FITS) {
		return false;
	}
	seat->reqs = reqs;
	PLM_BIT_SET(seat->absorbed, plm_ask_index(pass, shape, ask));
	plm_res_sub(pass, seat->left, shape->requests);
	seat->ports = plm_ports_add(&pass->sched, seat->ports, kind->shape.ports);
	plm_volume_seat_add(pass, seat, shape->volumes);
	plm_kind_record(pass, shape->kind, &site, &seat->reqs);
	pass->wants[want].place = PLM_WANT_SEAT;
	pass->wants[want].at = (uint32_t)(seat - pass->seats);
	pass->wants[want].next = seat->first;
	seat->first = want + 1;
	seat->pods++;
	return true;
}
