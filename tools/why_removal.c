#include "tools/why_removal.h"

#include <inttypes.h>

#include "reducers/disruption/explain.h"
#include "reducers/status/render.h"
#include "tools/spell.h"

/* A cost in 2^-27, with three digits. */
static struct plm_slice cost_text(struct plm_arena *arena, int64_t cost)
{
	int64_t milli = plm_div_floor(plm_mul_sat(cost, 1000), PLM_COST_ONE);

	return plm_arena_format(arena, "%s%" PRId64 ".%03" PRId64, milli < 0 ? "-" : "",
				(milli < 0 ? -milli : milli) / 1000,
				(milli < 0 ? -milli : milli) % 1000);
}

static void put_time(struct plm_json *map, const char *key, int64_t ms)
{
	if (ms != PLM_UNSET) {
		plm_json_put_text(map, key, plm_spell_time(map->arena, ms));
	}
}

void plm_why_removal(const struct plm_state *st, struct plm_arena *scratch, plm_id node,
		     struct plm_json *doc)
{
	struct plm_json *map = plm_json_object(doc->arena);
	struct plm_removal removal;
	const struct plm_candidate *c = &removal.candidate;

	plm_removal_explain(st, scratch, node, &removal);
	plm_json_put_str(map, "rule", plm_names_text(&plm_names_rule, removal.why.rule));
	plm_json_put_text(map, "message", plm_render_message(doc->arena, &removal.why));
	put_time(map, "until", removal.until_ms);
	put_time(map, "consolidatableAt", removal.consolidatable_ms);
	put_time(map, "expiresAt", removal.expires_ms);
	plm_json_put_int(map, "podsToMove", c->moving);
	plm_json_put_text(map, "disruptionCost",
			  cost_text(doc->arena, plm_cost_disruption(&c->cost, removal.lifetime)));
	plm_json_put_text(map, "rescheduleCost", cost_text(doc->arena, c->cost.reschedule));
	if (c->price_micro != PLM_UNSET) {
		plm_json_put_int(map, "priceMicroUSDPerHour", c->price_micro);
	}
	plm_json_put(doc, "removal", map);
}
