#include "reducers/provision/pass.h"

void plm_pass_begin(struct plm_pass *pass, const struct plm_state *st, struct plm_arena *arena,
		    const struct plm_demand *demand)
{
	memset(pass, 0, sizeof(*pass));
	plm_sched_init(&pass->sched, st, arena);
	pass->st = st;
	pass->arena = arena;
	pass->strict = plm_root(st)->compat == PLM_COMPAT_STRICT;
	pass->now_ms = plm_root(st)->now_ms;
	pass->demand = demand;
	plm_pdbs_gather(&pass->pdbs, &pass->sched, pass->now_ms);
	plm_res_begin(pass);
	plm_pass_note_pools(pass);
	plm_pass_wants(pass, demand);
	plm_pass_daemons(pass);
	/* From here on the list of resources is complete. */
	plm_pass_daemon_requests(pass);
	plm_pass_kinds(pass);
	plm_pass_order(pass);
	plm_pass_types(pass);
	plm_pass_pools(pass);
	plm_pass_seats(pass);
	plm_pass_topology(pass);
	pass->seat_from = PLM_NEW_ARRAY(arena, pass->try_count, uint32_t);
}

void plm_pass_begin_types(struct plm_pass *pass, const struct plm_state *st,
			  struct plm_arena *arena)
{
	memset(pass, 0, sizeof(*pass));
	plm_sched_init(&pass->sched, st, arena);
	pass->st = st;
	pass->arena = arena;
	pass->strict = plm_root(st)->compat == PLM_COMPAT_STRICT;
	pass->now_ms = plm_root(st)->now_ms;
	plm_res_begin(pass);
	plm_pass_types(pass);
}
