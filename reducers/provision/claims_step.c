/*
 * The turn of claims in a cycle: those on their way in (life.h), their stamps and objects (adopt.h), what no
 * claim knows (orphan.h), those that must go (reducers/disruption/forced.h) and those on their way out (drain.h).
 */
#include "reducers/area.h"
#include "reducers/disruption/drain.h"
#include "reducers/disruption/forced.h"
#include "reducers/provision/adopt.h"
#include "reducers/provision/orphan.h"

bool plm_claims_step(const struct plm_state *st, struct plm_cycle_run *run,
		     struct plm_arena *scratch, struct plm_out *out)
{
	struct plm_life *life = PLM_NEW(scratch, struct plm_life);

	*life = (struct plm_life){.st = st, .out = out, .now_ms = run->cycle.now_ms};
	plm_sched_init(&life->sched, st, scratch);
	PLM_EACH(st, node_claim, id)
	{
		if (plm_node_claim_at(st, id)->phase != PLM_CLAIM_ENDING) {
			plm_life_look(life, id);
		}
	}
	plm_adopt_step(life);
	plm_orphan_step(life);
	plm_forced_all(&life->sched, out, life->now_ms);
	plm_drain_all(&life->sched, out, life->now_ms);
	return true;
}

static int64_t earlier(int64_t a, int64_t b)
{
	if (a == PLM_UNSET || b == PLM_UNSET) {
		return a == PLM_UNSET ? b : a;
	}
	return plm_min(a, b);
}

int64_t plm_claims_next_due(const struct plm_state *st)
{
	int64_t due = earlier(earlier(plm_drain_next_due(st), plm_forced_next_due(st)),
			      plm_orphan_due(st));

	PLM_EACH(st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(st, id);

		if (claim->phase != PLM_CLAIM_ENDING) {
			due = earlier(due, plm_life_due(st, claim));
		}
	}
	return due;
}
