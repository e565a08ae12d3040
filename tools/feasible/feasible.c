#include "tools/feasible/feasible.h"

#include <stdlib.h>

#include "core/grow.h"
#include "tools/feasible/view.h"

/* Claims that we decided and that were not there at the last look. */
static void judge_claims(struct plm_feasible *f, const struct view *v)
{
	f->claims = plm_grown(f->claims, &f->claim_count, plm_node_claim_bound(v->st),
			      sizeof(uint32_t));
	PLM_EACH(v->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(v->st, id);
		bool had = f->claims[id.n] == claim->object.name.n;

		f->claims[id.n] = claim->object.name.n;
		if (had || claim->phase != PLM_CLAIM_WANTED || claim->types.n == 0) {
			continue;
		}
		f->claims_judged++;
		judge_claim(v, id);
		if (!v->strict) {
			judge_pool(v, id);
		}
	}
}

static void judge_gangs(struct plm_feasible *f, struct view *v)
{
	f->places =
		plm_grown(f->places, &f->place_count, plm_workload_bound(v->st), sizeof(uint32_t));
	PLM_EACH(v->st, workload, id)
	{
		plm_sym places = plm_workload_at(v->st, id)->places;
		bool had = f->places[id.n] == places.n;
		uint32_t count = 0;
		const struct plm_place *list = PLM_SPAN(v->st, places, struct plm_place, &count);

		f->places[id.n] = places.n;
		if (had || places.n == 0) {
			continue;
		}
		f->gangs_judged++;
		judge_gang(v, id);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t host = host_named(v, list[i].target, list[i].claim != 0);

			if (host != 0) {
				v->hosts[host - 1].judged = true;
			}
		}
	}
}

void plm_feasible_look(struct plm_feasible *f, const struct plm_state *st,
		       struct plm_arena *scratch, const struct plm_feasible_says *says)
{
	size_t mark = plm_arena_mark(scratch);
	struct view *v = view_of(f, st, scratch, says);

	judge_claims(f, v);
	judge_gangs(f, v);
	for (uint32_t i = 0; i < v->resident_count; i++) {
		if (v->residents[i].fresh) {
			f->pods_judged++;
			judge_near(v, &v->residents[i]);
		}
	}
	for (uint32_t i = 0; i < v->host_count; i++) {
		if (v->hosts[i].judged) {
			judge_room(v, i);
		}
	}
	plm_arena_rewind(scratch, mark);
}

void plm_feasible_end(struct plm_feasible *f)
{
	free(f->targets);
	free(f->uids);
	free(f->claims);
	free(f->places);
	*f = (struct plm_feasible){0};
}
