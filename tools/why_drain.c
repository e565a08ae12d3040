#include "tools/why_drain.h"

#include "reducers/disruption/drain.h"
#include "reducers/status/claim_condition.h"
#include "reducers/status/render.h"
#include "tools/spell.h"

/* Pods that are named at most. */
#define NAMED 8

static void put_time(struct plm_json *map, const char *key, int64_t ms)
{
	if (ms != PLM_UNSET && ms != 0) {
		plm_json_put_text(map, key, plm_spell_time(map->arena, ms));
	}
}

static void put_conditions(const struct plm_node_claim *claim, struct plm_json *map)
{
	struct plm_claim_conditions conditions;
	struct plm_json *list = plm_json_list(map->arena);

	plm_status_claim_conditions(claim, &conditions);
	for (uint32_t i = 0; i < conditions.count; i++) {
		const struct plm_claim_condition *one = &conditions.list[i];
		struct plm_json *row = plm_json_object(map->arena);

		plm_json_put_str(row, "type", one->type);
		plm_json_put_str(row, "status", one->status);
		plm_json_put_str(row, "reason", one->reason);
		put_time(row, "since", one->since_ms);
		plm_json_add(list, row);
	}
	plm_json_put(map, "conditions", list);
}

void plm_why_drain(const struct plm_state *st, const struct plm_node_claim *claim,
		   const struct plm_w_explain *why, struct plm_json *doc)
{
	struct plm_json *map = plm_json_object(doc->arena);
	struct plm_json *pods = plm_json_list(doc->arena);
	int64_t count = 0;

	plm_json_put_str(map, "stage",
			 plm_names_text(&plm_names_drain_stage, (int64_t)claim->drain_stage));
	if (why != NULL) {
		plm_json_put_str(map, "rule", plm_names_text(&plm_names_rule, why->rule));
		plm_json_put_text(map, "message", plm_render_message(doc->arena, why));
		plm_json_put_text(map, "unblock", plm_render_unblock(doc->arena, why));
	}
	put_time(map, "since", claim->draining_ms);
	put_time(map, "deadline", plm_drain_deadline(claim));
	PLM_EACH(st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(st, id);

		if (claim->node.n == 0 || !plm_sym_equal(pod->node, claim->node) ||
		    pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED) {
			continue;
		}
		if (count++ < NAMED) {
			struct plm_slice ns = plm_str(st, pod->object.ns);
			struct plm_slice name = plm_str(st, pod->object.name);

			plm_json_add_text(pods,
					  plm_arena_format(doc->arena, "%.*s/%.*s", (int)ns.size,
							   (const char *)ns.ptr, (int)name.size,
							   (const char *)name.ptr));
		}
	}
	plm_json_put_int(map, "podsOnNode", count);
	plm_json_put(map, "pods", pods);
	put_conditions(claim, map);
	plm_json_put(doc, "drain", map);
}
