#include "reducers/tas/tree.h"

#include "core/sort.h"

/* ---- which nodes a flavor has ------------------------------------------------------------------ */

/* Nodes of a flavor while its tree is built: 'values' are rows of level values by node. */
struct draft {
	struct plm_tas_tree *tree;
	uint32_t *nodes; /* indexes, then sorted by level values */
	uint32_t count;
	plm_sym *values; /* by index of node */
};

static plm_sym *values_of(const struct draft *draft, uint32_t node)
{
	return draft->values + (size_t)node * draft->tree->level_count;
}

static bool has_levels(const struct draft *draft, plm_sym labels, plm_sym *values)
{
	const struct plm_tas_tree *tree = draft->tree;

	for (uint32_t i = 0; i < tree->level_count; i++) {
		if (!plm_kv_get(tree->tas->st, labels, tree->levels[i], &values[i])) {
			return false;
		}
	}
	return true;
}

static void gather(struct draft *draft, plm_sym node_labels)
{
	const struct plm_tas *tas = draft->tree->tas;

	for (uint32_t i = 0; i < tas->node_count; i++) {
		const struct plm_node *node = plm_node_at(tas->st, tas->nodes[i].id);

		if (plm_kv_has_all(tas->st, node->object.labels, node_labels) &&
		    has_levels(draft, node->object.labels, values_of(draft, i))) {
			draft->nodes[draft->count++] = i;
		}
	}
}

/* The first level at which two nodes part; level_count = nowhere. */
static uint32_t parting(const struct draft *draft, uint32_t a, uint32_t b)
{
	const plm_sym *left = values_of(draft, a);
	const plm_sym *right = values_of(draft, b);
	uint32_t level = 0;

	while (level < draft->tree->level_count && plm_sym_equal(left[level], right[level])) {
		level++;
	}
	return level;
}

static int by_values(const void *context, uint32_t a, uint32_t b)
{
	const struct draft *draft = context;
	const struct plm_tas *tas = draft->tree->tas;
	uint32_t level = parting(draft, a, b);

	if (level < draft->tree->level_count) {
		return plm_sym_compare(tas->st, values_of(draft, a)[level],
				       values_of(draft, b)[level]);
	}
	return plm_sym_compare(tas->st, plm_node_at(tas->st, tas->nodes[a].id)->object.name,
			       plm_node_at(tas->st, tas->nodes[b].id)->object.name);
}

/* ---- domains ----------------------------------------------------------------------------------- */

/* Where the domains of each level begin. */
static void count_domains(const struct draft *draft)
{
	struct plm_tas_tree *tree = draft->tree;
	uint32_t new_at[PLM_LIMIT_TOPOLOGY_LEVELS + 1] = {0};
	uint32_t sum = 0;

	for (uint32_t i = 0; i < draft->count; i++) {
		new_at[i == 0 ? 0 : parting(draft, draft->nodes[i - 1], draft->nodes[i])]++;
	}
	for (uint32_t level = 0; level < tree->level_count; level++) {
		sum += new_at[level];
		tree->starts[level] = tree->domain_count;
		tree->domain_count += sum;
	}
	tree->starts[tree->level_count] = tree->domain_count;
	tree->leaf_first = tree->starts[tree->level_count - 1];
	tree->leaf_count = tree->domain_count - tree->leaf_first;
	PLM_ASSERT(tree->leaf_count <= draft->count);
}

/* Open the domains that begin with 'node', at 'from' and below; 'open' is the current one by level. */
static void open_domains(const struct draft *draft, uint32_t node, uint32_t from, uint32_t *open)
{
	const struct plm_tas_tree *tree = draft->tree;

	for (uint32_t level = from; level < tree->level_count; level++) {
		struct plm_tas_span *span = NULL;

		open[level] = open[level] == PLM_TAS_NONE ? tree->starts[level] : open[level] + 1;
		PLM_ASSERT(open[level] < tree->starts[level + 1]);
		span = &tree->domains[open[level]];
		span->value = values_of(draft, node)[level];
		span->parent = PLM_TAS_NONE;
		if (level > 0) {
			struct plm_tas_span *parent = &tree->domains[open[level - 1]];

			span->parent = open[level - 1];
			parent->first = parent->count == 0 ? open[level] : parent->first;
			parent->count++;
		}
	}
}

static void build(const struct draft *draft)
{
	struct plm_tas_tree *tree = draft->tree;
	const struct plm_tas *tas = tree->tas;
	uint32_t open[PLM_LIMIT_TOPOLOGY_LEVELS] = {0};

	for (uint32_t i = 0; i < tree->level_count; i++) {
		open[i] = PLM_TAS_NONE;
	}
	for (uint32_t i = 0; i < draft->count; i++) {
		uint32_t node = draft->nodes[i];
		uint32_t from = i == 0 ? 0 : parting(draft, draft->nodes[i - 1], node);
		uint32_t leaf = 0;
		int64_t *row = NULL;

		open_domains(draft, node, from, open);
		leaf = open[tree->level_count - 1] - tree->leaf_first;
		row = plm_tas_row(tas, tree->room, leaf);
		for (uint32_t k = 0; k < tas->width; k++) {
			row[k] = plm_add_sat(row[k], plm_tas_row(tas, tas->free, node)[k]);
		}
		if (from < tree->level_count) {
			tree->nodes[leaf] = node;
			tree->slots[leaf] = tree->hosts ? tas->nodes[node].slot : leaf;
		}
	}
	PLM_ASSERT(draft->count == 0 ||
		   open[tree->level_count - 1] == tree->starts[tree->level_count] - 1);
}

/* Memory that a tree needs besides its domains. */
static void equip(struct plm_tas_tree *tree)
{
	struct plm_tas *tas = tree->tas;
	size_t row = (size_t)tree->leaf_count * tas->width;

	tree->domains = PLM_NEW_ARRAY(tas->arena, tree->domain_count, struct plm_tas_span);
	tree->counts = PLM_NEW_ARRAY(tas->arena, tree->domain_count, struct plm_tas_counts);
	tree->list = PLM_NEW_ARRAY(tas->arena, tree->domain_count, uint32_t);
	tree->other = PLM_NEW_ARRAY(tas->arena, tree->domain_count, uint32_t);
	tree->spare = PLM_NEW_ARRAY(tas->arena, tree->domain_count, uint32_t);
	tree->nodes = PLM_NEW_ARRAY(tas->arena, tree->leaf_count, uint32_t);
	tree->slots = PLM_NEW_ARRAY(tas->arena, tree->leaf_count, uint32_t);
	tree->room = PLM_NEW_ARRAY(tas->arena, row, int64_t);
	tree->used = tas->host_used;
	tree->assumed = tas->host_assumed;
	if (!tree->hosts) {
		tree->used = PLM_NEW_ARRAY(tas->arena, row, int64_t);
		tree->assumed = PLM_NEW_ARRAY(tas->arena, row, int64_t);
	}
	tree->matches = PLM_NEW_ARRAY(tas->arena, PLM_TAS_MATCHES, struct plm_tas_match);
	for (uint32_t i = 0; tree->hosts && i < PLM_TAS_MATCHES; i++) {
		tree->matches[i].refused = PLM_NEW_ARRAY(tas->arena, tree->leaf_count, uint8_t);
	}
}

/* Which leaf lies in a slot of the hosts. */
static void index_leaves(struct plm_tas_tree *tree)
{
	uint32_t slots = tree->hosts ? tree->tas->host_count : tree->leaf_count;

	tree->leaf_of_slot = PLM_NEW_ARRAY(tree->tas->arena, slots, uint32_t);
	for (uint32_t i = 0; i < slots; i++) {
		tree->leaf_of_slot[i] = PLM_TAS_NONE;
	}
	for (uint32_t i = 0; i < tree->leaf_count; i++) {
		PLM_ASSERT(tree->slots[i] < slots);
		tree->leaf_of_slot[tree->slots[i]] = i;
	}
}

struct plm_tas_tree *plm_tas_tree_make(struct plm_tas *tas, plm_id flavor)
{
	const struct plm_flavor *object = plm_flavor_at(tas->st, flavor);
	plm_id topology = plm_find(tas->st, PLM_KIND_TOPOLOGY, (plm_sym){0}, object->topology);
	struct plm_tas_tree *tree = NULL;
	struct draft draft = {0};

	if (object->topology.n == 0 || topology.n == 0) {
		return NULL;
	}
	tree = PLM_NEW(tas->arena, struct plm_tas_tree);
	tree->tas = tas;
	tree->flavor = flavor;
	tree->topology = object->topology;
	tree->levels = PLM_SPAN(tas->st, plm_tas_topology_at(tas->st, topology)->levels, plm_sym,
				&tree->level_count);
	if (tree->level_count == 0 || tree->level_count > PLM_LIMIT_TOPOLOGY_LEVELS) {
		return NULL;
	}
	tree->hosts = plm_sym_equal(tree->levels[tree->level_count - 1],
				    tas->sched.known[PLM_KNOWN_HOSTNAME]);
	draft.tree = tree;
	draft.nodes = PLM_NEW_ARRAY(tas->arena, tas->node_count, uint32_t);
	draft.values =
		PLM_NEW_ARRAY(tas->arena, (size_t)tas->node_count * tree->level_count, plm_sym);
	gather(&draft, object->node_labels);
	plm_sort(draft.nodes, draft.count, by_values, &draft, tas->arena);
	count_domains(&draft);
	equip(tree);
	build(&draft);
	index_leaves(tree);
	return tree;
}

/* ---- questions --------------------------------------------------------------------------------- */

uint32_t plm_tas_level(const struct plm_tas_tree *tree, plm_sym key)
{
	for (uint32_t i = 0; i < tree->level_count; i++) {
		if (plm_sym_equal(tree->levels[i], key)) {
			return i;
		}
	}
	return PLM_TAS_NONE;
}

uint32_t plm_tas_level_of(const struct plm_tas_tree *tree, uint32_t domain)
{
	uint32_t level = 0;

	PLM_ASSERT(domain < tree->domain_count && tree->level_count > 0);
	while (domain >= tree->starts[level + 1]) {
		level++;
	}
	return level;
}

uint32_t plm_tas_above(const struct plm_tas_tree *tree, uint32_t domain, uint32_t level)
{
	while (domain >= tree->starts[level + 1]) {
		domain = tree->domains[domain].parent;
	}
	PLM_ASSERT(domain >= tree->starts[level]);
	return domain;
}

/* The domain called 'value' among 'count' ones from 'first' on, PLM_TAS_NONE. */
static uint32_t child_called(const struct plm_tas_tree *tree, uint32_t first, uint32_t count,
			     plm_sym value)
{
	uint32_t low = first;
	uint32_t high = first + count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = plm_sym_compare(tree->tas->st, tree->domains[middle].value, value);

		if (order == 0) {
			return middle;
		}
		if (order < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return PLM_TAS_NONE;
}

uint32_t plm_tas_slot(const struct plm_tas_tree *tree, const plm_sym *values, uint32_t count)
{
	uint32_t first = 0;
	uint32_t width = tree->starts[1];
	uint32_t domain = PLM_TAS_NONE;

	if (tree->hosts) {
		return count == 0 ? PLM_TAS_NONE : plm_tas_host(tree->tas, values[count - 1]);
	}
	if (count != tree->level_count) {
		return PLM_TAS_NONE;
	}
	for (uint32_t level = 0; level < count; level++) {
		domain = child_called(tree, first, width, values[level]);
		if (domain == PLM_TAS_NONE) {
			return PLM_TAS_NONE;
		}
		first = tree->domains[domain].first;
		width = tree->domains[domain].count;
	}
	return tree->slots[domain - tree->leaf_first];
}
