#include "reducers/tas/tree.h"

/* ---- workloads that have places ---------------------------------------------------------------- */

/* What one pod of an admitted pod set asks: as its template says, else its share of what is charged. */
static struct plm_tas_each each_of(const struct plm_tas *tas, const struct plm_workload *workload,
				   const struct plm_assignment *assignment)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(tas->st, workload->pod_sets, struct plm_pod_set, &count);
	const struct plm_amount *usage = NULL;
	struct plm_amount *each = NULL;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t shapes = 0;
		const struct plm_shape *shape =
			PLM_SPAN(tas->st, sets[i].shape, struct plm_shape, &shapes);

		if (plm_sym_equal(sets[i].name, assignment->name) && shapes == 1) {
			usage = PLM_SPAN(tas->st, shape->requests, struct plm_amount, &count);
			return plm_tas_each_make(tas, usage, count);
		}
	}
	usage = PLM_SPAN(tas->st, assignment->usage, struct plm_amount, &count);
	each = PLM_NEW_ARRAY(tas->arena, count, struct plm_amount);
	for (uint32_t i = 0; i < count; i++) {
		each[i].resource = usage[i].resource;
		each[i].amount = usage[i].amount / plm_max(1, assignment->count);
	}
	return plm_tas_each_make(tas, each, count);
}

/* The tree that an assignment lies in: of the one flavor among its flavors that has a topology. */
static struct plm_tas_tree *tree_of_assignment(const struct plm_tas *tas,
					       const struct plm_assignment *assignment)
{
	uint32_t count = 0;
	const struct plm_kv *flavors =
		PLM_SPAN(tas->st, assignment->flavors, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_id flavor = plm_find(tas->st, PLM_KIND_FLAVOR, (plm_sym){0}, flavors[i].value);

		if (flavor.n != 0 && tas->trees[flavor.n] != NULL) {
			return tas->trees[flavor.n];
		}
	}
	return NULL;
}

static void enter_assignment(struct plm_tas *tas, const struct plm_workload *workload,
			     const struct plm_assignment *assignment)
{
	uint32_t count = 0;
	const struct plm_topology_domain *domains =
		PLM_SPAN(tas->st, assignment->domains, struct plm_topology_domain, &count);
	struct plm_tas_tree *tree = count == 0 ? NULL : tree_of_assignment(tas, assignment);
	struct plm_tas_each pod = {0};

	if (tree == NULL) {
		return;
	}
	pod = each_of(tas, workload, assignment);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t levels = 0;
		const plm_sym *values = PLM_SPAN(tas->st, domains[i].values, plm_sym, &levels);
		uint32_t slot = plm_tas_slot(tree, values, levels);

		if (slot != PLM_TAS_NONE) {
			plm_tas_charge(tas, plm_tas_row(tas, tree->used, slot), &pod,
				       domains[i].count);
		}
	}
}

static void enter_holders(struct plm_tas *tas)
{
	PLM_EACH_MARKED(tas->st, PLM_MARKED(PLM_MARK_HOLDING), id)
	{
		const struct plm_workload *workload = plm_workload_at(tas->st, id);
		size_t mark = plm_arena_mark(tas->arena);
		uint32_t count = 0;
		const struct plm_assignment *assignments = NULL;

		PLM_ASSERT(workload->stage == PLM_STAGE_RESERVED ||
			   workload->stage == PLM_STAGE_ADMITTED);
		assignments =
			PLM_SPAN(tas->st, workload->assignments, struct plm_assignment, &count);
		for (uint32_t i = 0; i < count; i++) {
			enter_assignment(tas, workload, &assignments[i]);
		}
		plm_arena_rewind(tas->arena, mark);
	}
}

/* ---- trees ------------------------------------------------------------------------------------- */

struct plm_tas *plm_tas_make(const struct plm_state *st, struct plm_arena *arena)
{
	struct plm_tas *tas = PLM_NEW(arena, struct plm_tas);

	tas->st = st;
	tas->arena = arena;
	return tas;
}

void plm_tas_prepare(struct plm_tas *tas)
{
	if (tas->ready) {
		return;
	}
	PLM_ASSERT(tas->trees == NULL);
	tas->ready = true;
	tas->tree_bound = plm_flavor_bound(tas->st);
	tas->trees = PLM_NEW_ARRAY(tas->arena, tas->tree_bound, struct plm_tas_tree *);
	if (plm_tas_topology_live(tas->st) == 0) {
		return;
	}
	plm_sched_init(&tas->sched, tas->st, tas->arena);
	plm_tas_nodes_make(tas);
	PLM_EACH(tas->st, flavor, id)
	{
		tas->trees[id.n] = plm_tas_tree_make(tas, id);
	}
	enter_holders(tas);
}

struct plm_tas_tree *plm_tas_tree_of(struct plm_tas *tas, plm_sym flavor)
{
	plm_id id = {0};

	plm_tas_prepare(tas);
	id = plm_find(tas->st, PLM_KIND_FLAVOR, (plm_sym){0}, flavor);
	PLM_ASSERT(id.n < tas->tree_bound);
	return id.n == 0 ? NULL : tas->trees[id.n];
}

/* ---- trial changes ----------------------------------------------------------------------------- */

void plm_tas_add(struct plm_tas *tas, const struct plm_tas_use *uses, uint32_t count, int sign)
{
	PLM_ASSERT(sign == 1 || sign == -1);
	for (uint32_t i = 0; i < count; i++) {
		struct plm_tas_tree *tree = plm_tas_tree_of(tas, uses[i].flavor);
		uint32_t slot = tree == NULL
					? PLM_TAS_NONE
					: plm_tas_slot(tree, uses[i].values, uses[i].value_count);
		size_t mark = plm_arena_mark(tas->arena);
		struct plm_tas_each pod = {0};

		if (slot == PLM_TAS_NONE) {
			continue;
		}
		pod = plm_tas_each_make(tas, uses[i].each, uses[i].each_count);
		plm_tas_charge(tas, plm_tas_row(tas, tree->used, slot), &pod, sign * uses[i].count);
		plm_arena_rewind(tas->arena, mark);
	}
}

/*
 * Is no more used in 'slot' than 'leaf' has of what 'pod' asks? Upstream forgets here that a pod is one
 * of "pods", so that two heads of a cycle may put more of them on a node than it takes.
 */
static bool within_room(const struct plm_tas_tree *tree, uint32_t leaf, uint32_t slot,
			const struct plm_tas_each *pod)
{
	const int64_t *room = plm_tas_row(tree->tas, tree->room, leaf);
	const int64_t *used = plm_tas_row(tree->tas, tree->used, slot);
	bool strict = plm_root(tree->tas->st)->compat == PLM_COMPAT_STRICT;
	plm_sym pods = tree->tas->sched.known[PLM_KNOWN_PODS];

	for (uint32_t i = 0; i < pod->count; i++) {
		if (strict && plm_sym_equal(tree->tas->resources[pod->resource[i]], pods)) {
			continue;
		}
		if (used[pod->resource[i]] > plm_max(0, room[pod->resource[i]])) {
			return false;
		}
	}
	return true;
}

static bool use_fits(struct plm_tas *tas, const struct plm_tas_use *use)
{
	const struct plm_tas_tree *tree = plm_tas_tree_of(tas, use->flavor);
	uint32_t slot =
		tree == NULL ? PLM_TAS_NONE : plm_tas_slot(tree, use->values, use->value_count);
	uint32_t leaf = slot == PLM_TAS_NONE ? PLM_TAS_NONE : tree->leaf_of_slot[slot];
	struct plm_tas_each pod = {0};

	if (use->count == 0) {
		return true;
	}
	if (leaf == PLM_TAS_NONE) {
		return false;
	}
	pod = plm_tas_each_make(tas, use->each, use->each_count);
	return pod.missing.n == 0 && within_room(tree, leaf, slot, &pod);
}

bool plm_tas_fits(struct plm_tas *tas, const struct plm_tas_use *uses, uint32_t count)
{
	size_t mark = 0;
	bool fits = true;

	plm_tas_prepare(tas);
	mark = plm_arena_mark(tas->arena);
	plm_tas_add(tas, uses, count, 1);
	for (uint32_t i = 0; i < count && fits; i++) {
		fits = use_fits(tas, &uses[i]);
	}
	plm_tas_add(tas, uses, count, -1);
	plm_arena_rewind(tas->arena, mark);
	return fits;
}
