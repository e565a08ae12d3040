#include "tools/topology_tree.h"

static struct plm_json *texts(const struct plm_state *st, struct plm_arena *arena, plm_sym span)
{
	struct plm_json *list = plm_json_list(arena);
	uint32_t count = 0;
	const plm_sym *syms = PLM_SPAN(st, span, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_json_add_text(list, plm_str(st, syms[i]));
	}
	return list;
}

void plm_topology_tree_put(const struct plm_state *st, struct plm_arena *arena,
			   const struct plm_assignment *set, struct plm_json *into)
{
	struct plm_json *tree = NULL;
	struct plm_json *rows = NULL;
	uint32_t count = 0;
	const struct plm_topology_domain *domains =
		PLM_SPAN(st, set->domains, struct plm_topology_domain, &count);

	if (set->delayed != PLM_DELAYED_NOT) {
		plm_json_put_str(into, "delayedTopologyRequest",
				 plm_names_text(&plm_names_delayed, set->delayed));
	}
	if (count == 0) {
		return;
	}
	tree = plm_json_object(arena);
	rows = plm_json_list(arena);
	for (uint32_t i = 0; i < count; i++) {
		struct plm_json *row = plm_json_object(arena);

		plm_json_put(row, "values", texts(st, arena, domains[i].values));
		plm_json_put_int(row, "count", domains[i].count);
		plm_json_add(rows, row);
	}
	plm_json_put(tree, "levels", texts(st, arena, set->levels));
	plm_json_put(tree, "domains", rows);
	plm_json_put(into, "topologyAssignment", tree);
}

void plm_topology_tree_all(const struct plm_state *st, struct plm_arena *arena,
			   const struct plm_assignment *sets, uint32_t count, struct plm_json *into)
{
	struct plm_json *all = plm_json_object(arena);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_json *one = plm_json_object(arena);

		plm_topology_tree_put(st, arena, &sets[i], one);
		if (one->count > 0) {
			plm_json_put_key(all, plm_str(st, sets[i].name), one);
		}
	}
	if (all->count > 0) {
		plm_json_put(into, "topology", all);
	}
}
