#include "reducers/admission/snapshot.h"

#include "core/hashing.h"
#include "core/sort.h"
#include "reducers/admission/activity.h"
#include "reducers/admission/elastic.h"
#include "reducers/admission/fair.h"
#include "reducers/admission/rest.h"
#include "reducers/admission/skeleton.h"
#include "reducers/admission/topology.h"

/* ---- nodes ------------------------------------------------------------------------------------- */

/* Cohort names to nodes while the tree is built. */
struct builder {
	struct plm_quotas *snap;
	uint32_t *hash; /* node + 1 */
	uint32_t mask;
};

static uint32_t power_of_two(uint32_t least)
{
	uint32_t size = 8;

	while (size < least) {
		size *= 2;
	}
	return size;
}

static uint32_t add_node(struct plm_quotas *snap, plm_sym name, plm_id slot, bool queue)
{
	uint32_t n = snap->tree.count++;

	snap->tree.nodes[n] = (struct plm_quota_node){
		.name = name,
		.slot = slot,
		.parent = PLM_NO_NODE,
		.first_child = PLM_NO_NODE,
		.next_sibling = PLM_NO_NODE,
		.tree = PLM_NO_NODE,
		.queue = queue,
		.active = true,
	};
	return n;
}

static uint32_t cohort_node(struct builder *b, plm_sym name)
{
	uint64_t at = plm_hash_mix(name.n * 0x9e3779b97f4a7c15ULL);

	for (;; at++) {
		uint32_t *cell = &b->hash[at & b->mask];

		if (*cell == 0) {
			plm_id slot = plm_find(b->snap->st, PLM_KIND_COHORT, (plm_sym){0}, name);

			*cell = add_node(b->snap, name, slot, false) + 1;
		}
		if (plm_sym_equal(b->snap->tree.nodes[*cell - 1].name, name)) {
			return *cell - 1;
		}
	}
}

static void build_nodes(struct plm_quotas *snap)
{
	const struct plm_state *st = snap->st;
	uint32_t queues = plm_cluster_queue_live(st);
	uint32_t cohorts = queues + 2 * plm_cohort_live(st);
	uint32_t *queue_nodes = NULL;
	struct builder b = {.snap = snap, .mask = power_of_two(2 * cohorts) - 1};

	b.hash = PLM_NEW_ARRAY(snap->arena, b.mask + 1, uint32_t);
	snap->tree.nodes = PLM_NEW_ARRAY(snap->arena, queues + cohorts + 1, struct plm_quota_node);
	queue_nodes = PLM_NEW_ARRAY(snap->arena, plm_cluster_queue_bound(st), uint32_t);
	snap->queue_nodes = queue_nodes;
	PLM_EACH(st, cluster_queue, id)
	{
		const struct plm_cluster_queue *queue = plm_cluster_queue_at(st, id);

		queue_nodes[id.n] = add_node(snap, queue->object.name, id, true);
	}
	PLM_EACH(st, cohort, id)
	{
		(void)cohort_node(&b, plm_cohort_at(st, id)->object.name);
	}
	/* Parents may add cohorts without object at the end; those have no parent. */
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		const struct plm_quota_node *node = &snap->tree.nodes[n];
		plm_sym parent = {0};

		if (node->queue) {
			parent = plm_cluster_queue_at(st, node->slot)->cohort;
		} else if (node->slot.n != 0) {
			parent = plm_cohort_at(st, node->slot)->parent;
		}
		if (parent.n != 0) {
			uint32_t above = cohort_node(&b, parent);

			snap->tree.nodes[n].parent = above;
		}
	}
}

/* Depth and root of every node. A ring of cohorts, and all below it, is cut off and inactive. */
static void find_roots(struct plm_quotas *snap)
{
	struct plm_quota_node *nodes = snap->tree.nodes;

	for (uint32_t n = 0; n < snap->tree.count; n++) {
		uint32_t depth = 0;
		uint32_t root = n;

		while (nodes[root].parent != PLM_NO_NODE && depth <= snap->tree.count) {
			root = nodes[root].parent;
			depth++;
		}
		nodes[n].depth = depth;
		nodes[n].tree = root;
	}
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		if (nodes[n].depth > snap->tree.count) {
			nodes[n].parent = PLM_NO_NODE;
			nodes[n].tree = n;
			nodes[n].depth = 0;
			nodes[n].active = false;
		} else if (nodes[n].queue) {
			nodes[n].active =
				plm_activity_of(snap->st, nodes[n].slot).rule == PLM_RULE_NONE;
		}
	}
}

static int by_depth(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_quotas *snap = context;
	const struct plm_quota_node *left = &snap->tree.nodes[a];
	const struct plm_quota_node *right = &snap->tree.nodes[b];

	if (left->depth != right->depth) {
		return left->depth > right->depth ? -1 : 1;
	}
	if (left->queue != right->queue) {
		return left->queue ? 1 : -1;
	}
	return -plm_sym_compare(snap->st, left->name, right->name);
}

/* Children before parents. In this order each pushes itself in front of its sister: lists by name. */
static uint32_t *link_children(struct plm_quotas *snap)
{
	struct plm_quota_node *nodes = snap->tree.nodes;
	uint32_t *order = PLM_NEW_ARRAY(snap->arena, snap->tree.count, uint32_t);

	for (uint32_t n = 0; n < snap->tree.count; n++) {
		order[n] = n;
	}
	plm_sort(order, snap->tree.count, by_depth, snap, snap->arena);
	for (uint32_t i = 0; i < snap->tree.count; i++) {
		struct plm_quota_node *node = &nodes[order[i]];
		struct plm_quota_node *parent = NULL;
		uint32_t height = node->queue ? 1 : node->height + 1;

		if (!node->active || node->parent == PLM_NO_NODE) {
			continue;
		}
		parent = &nodes[node->parent];
		node->next_sibling = parent->first_child;
		parent->first_child = order[i];
		parent->height = height > parent->height ? height : parent->height;
	}
	return order;
}

/* ---- pairs ------------------------------------------------------------------------------------- */

static uint32_t pair_find(const struct plm_pairs *pairs, plm_sym flavor, plm_sym resource,
			  uint64_t *out_cell)
{
	uint64_t at = plm_hash_mix(((uint64_t)flavor.n << 32 | resource.n) * 0x9e3779b97f4a7c15ULL);

	if (pairs->hash == NULL) {
		return PLM_NO_PAIR;
	}
	for (;; at++) {
		uint32_t cell = pairs->hash[at & pairs->mask];

		*out_cell = at & pairs->mask;
		if (cell == 0) {
			return PLM_NO_PAIR;
		}
		if (plm_sym_equal(pairs->list[cell - 1].flavor, flavor) &&
		    plm_sym_equal(pairs->list[cell - 1].resource, resource)) {
			return cell - 1;
		}
	}
}

static void pair_add(struct plm_pairs *pairs, plm_sym flavor, plm_sym resource)
{
	uint64_t cell = 0;

	if (pair_find(pairs, flavor, resource, &cell) == PLM_NO_PAIR) {
		PLM_ASSERT(pairs->count < pairs->bound);
		pairs->list[pairs->count++] = (struct plm_pair){flavor, resource};
		pairs->hash[cell] = pairs->count;
	}
}

/* What is done with each quota of a node, or each sum that is held in it. */
typedef void quota_fn(struct plm_quotas *snap, uint32_t node, plm_sym flavor,
		      const struct plm_quota *quota);

static plm_sym groups_of(const struct plm_quotas *snap, const struct plm_quota_node *node)
{
	if (node->queue) {
		return plm_cluster_queue_at(snap->st, node->slot)->groups;
	}
	return node->slot.n == 0 ? (plm_sym){0} : plm_cohort_at(snap->st, node->slot)->groups;
}

static void each_quota(struct plm_quotas *snap, uint32_t n, quota_fn *visit)
{
	const struct plm_state *st = snap->st;
	uint32_t groups = 0;
	const struct plm_group *group =
		PLM_SPAN(st, groups_of(snap, &snap->tree.nodes[n]), struct plm_group, &groups);

	for (uint32_t g = 0; g < groups; g++) {
		uint32_t flavors = 0;
		const struct plm_flavor_quota *flavor =
			PLM_SPAN(st, group[g].flavors, struct plm_flavor_quota, &flavors);

		for (uint32_t f = 0; f < flavors; f++) {
			uint32_t quotas = 0;
			const struct plm_quota *quota =
				PLM_SPAN(st, flavor[f].quotas, struct plm_quota, &quotas);

			for (uint32_t q = 0; q < quotas; q++) {
				visit(snap, n, flavor[f].flavor, &quota[q]);
			}
		}
	}
}

static void count_quota(struct plm_quotas *snap, uint32_t n, plm_sym flavor,
			const struct plm_quota *quota)
{
	(void)flavor;
	(void)quota;
	snap->pairs[snap->tree.nodes[n].tree].bound++;
}

static void enter_quota(struct plm_quotas *snap, uint32_t n, plm_sym flavor,
			const struct plm_quota *quota)
{
	pair_add(&snap->pairs[snap->tree.nodes[n].tree], flavor, quota->resource);
}

static void fill_quota(struct plm_quotas *snap, uint32_t n, plm_sym flavor,
		       const struct plm_quota *quota)
{
	uint32_t pair = plm_quotas_pair(snap, n, flavor, quota->resource);
	struct plm_cell *cell = plm_quotas_cell(snap, n, pair);

	cell->nominal = quota->nominal;
	cell->borrowing = quota->borrowing;
	cell->lending = quota->lending;
	cell->subtree = quota->nominal;
}

/* ---- usage ------------------------------------------------------------------------------------- */

static uint32_t count_amounts(const struct plm_state *st, plm_sym assignments)
{
	uint32_t sets = 0;
	uint32_t total = 0;
	const struct plm_assignment *set = PLM_SPAN(st, assignments, struct plm_assignment, &sets);

	for (uint32_t i = 0; i < sets; i++) {
		uint32_t amounts = 0;

		(void)PLM_SPAN(st, set[i].usage, struct plm_amount, &amounts);
		total += amounts;
	}
	return total;
}

void plm_uses_add(struct plm_uses *uses, uint32_t pair, int64_t amount)
{
	for (uint32_t i = 0; i < uses->count; i++) {
		if (uses->list[i].pair == pair) {
			uses->list[i].amount = plm_quota_add(uses->list[i].amount, amount);
			return;
		}
	}
	uses->list[uses->count++] = (struct plm_use){.amount = amount, .pair = pair};
}

struct plm_uses plm_quotas_uses(const struct plm_quotas *snap, uint32_t node, plm_sym assignments,
				const struct plm_workload *workload)
{
	const struct plm_state *st = snap->st;
	uint32_t sets = 0;
	const struct plm_assignment *set = PLM_SPAN(st, assignments, struct plm_assignment, &sets);
	struct plm_uses uses = {
		PLM_NEW_ARRAY(snap->arena, count_amounts(st, assignments), struct plm_use), 0};

	for (uint32_t i = 0; i < sets; i++) {
		uint32_t amounts = 0;
		const struct plm_amount *usage =
			PLM_SPAN(st, set[i].usage, struct plm_amount, &amounts);

		for (uint32_t j = 0; j < amounts; j++) {
			plm_sym flavor = {0};
			uint32_t pair = PLM_NO_PAIR;

			if (plm_kv_get(st, set[i].flavors, usage[j].resource, &flavor)) {
				pair = plm_quotas_pair(snap, node, flavor, usage[j].resource);
			}
			if (pair != PLM_NO_PAIR) {
				plm_uses_add(&uses, pair,
					     plm_charged(st, &set[i], usage[j].amount,
							 workload->reclaimable,
							 workload->pod_sets));
			}
		}
	}
	return uses;
}

/* The pairs that a holder uses, into the pairs of its tree; 'fill' false only counts them. */
static void enter_holder(struct plm_quotas *snap, uint32_t n, plm_sym assignments, bool fill)
{
	const struct plm_state *st = snap->st;
	struct plm_pairs *pairs = &snap->pairs[snap->tree.nodes[n].tree];
	uint32_t sets = 0;
	const struct plm_assignment *set = PLM_SPAN(st, assignments, struct plm_assignment, &sets);

	if (!fill) {
		pairs->bound += count_amounts(st, assignments);
		return;
	}
	for (uint32_t i = 0; i < sets; i++) {
		uint32_t amounts = 0;
		const struct plm_amount *usage =
			PLM_SPAN(st, set[i].usage, struct plm_amount, &amounts);

		for (uint32_t j = 0; j < amounts; j++) {
			plm_sym flavor = {0};

			if (plm_kv_get(st, set[i].flavors, usage[j].resource, &flavor)) {
				pair_add(pairs, flavor, usage[j].resource);
			}
		}
	}
}

/* The node of a tree with cells in which a workload holds quota, else PLM_NO_NODE. */
static uint32_t holding_node(const struct plm_quotas *snap, const struct plm_workload *workload,
			     const uint8_t *wanted)
{
	uint32_t n = PLM_NO_NODE;

	if ((workload->stage != PLM_STAGE_RESERVED && workload->stage != PLM_STAGE_ADMITTED) ||
	    workload->cluster_queue.n == 0) {
		return PLM_NO_NODE;
	}
	n = snap->queue_nodes[workload->cluster_queue.n];
	return wanted[snap->tree.nodes[n].tree] ? n : PLM_NO_NODE;
}

/* The slow twin of the index's sums. */
static void enter_held_slowly(struct plm_quotas *snap, const uint8_t *wanted, bool fill)
{
	PLM_EACH(snap->st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(snap->st, id);
		uint32_t n = holding_node(snap, workload, wanted);

		if (n != PLM_NO_NODE) {
			enter_holder(snap, n, workload->assignments, fill);
		}
	}
}

static void enter_held(struct plm_quotas *snap, uint32_t n, bool fill)
{
	const struct plm_quota_node *node = &snap->tree.nodes[n];
	const struct plm_queue_cell *cell = plm_queue_index_cell(snap->st, node->slot);
	struct plm_pairs *pairs = &snap->pairs[node->tree];

	if (!fill) {
		pairs->bound += cell->held.count;
		return;
	}
	for (uint32_t i = 0; i < cell->held.count; i++) {
		pair_add(pairs, cell->held.list[i].flavor, cell->held.list[i].resource);
	}
}

static void fill_held(struct plm_quotas *snap, uint32_t n)
{
	const struct plm_quota_node *node = &snap->tree.nodes[n];
	const struct plm_queue_cell *cell = plm_queue_index_cell(snap->st, node->slot);

	if (snap->slow) {
		const struct plm_holders *holders = plm_quotas_holders(snap, n);

		for (uint32_t i = 0; i < holders->count; i++) {
			for (uint32_t j = 0; j < holders->list[i].uses.count; j++) {
				const struct plm_use *use = &holders->list[i].uses.list[j];
				struct plm_cell *to = plm_quotas_cell(snap, n, use->pair);

				to->usage = plm_quota_add(to->usage, use->amount);
			}
		}
		return;
	}
	for (uint32_t i = 0; i < cell->held.count; i++) {
		uint32_t pair = plm_quotas_pair(snap, n, cell->held.list[i].flavor,
						cell->held.list[i].resource);

		plm_quotas_cell(snap, n, pair)->usage = plm_held_amount(&cell->held.list[i]);
	}
}

/* ---- cells ------------------------------------------------------------------------------------- */

static void enter_pairs(struct plm_quotas *snap, const uint8_t *wanted, bool fill)
{
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		const struct plm_quota_node *node = &snap->tree.nodes[n];

		if (!wanted[node->tree]) {
			continue;
		}
		each_quota(snap, n, fill ? enter_quota : count_quota);
		if (node->queue && !snap->slow && !snap->bare) {
			enter_held(snap, n, fill);
		}
	}
	if (snap->slow) {
		enter_held_slowly(snap, wanted, fill);
	}
}

static void make_pairs(struct plm_quotas *snap, const uint8_t *wanted)
{
	snap->pairs = PLM_NEW_ARRAY(snap->arena, snap->tree.count + 1, struct plm_pairs);
	enter_pairs(snap, wanted, false);
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		struct plm_pairs *pairs = &snap->pairs[n];

		if (pairs->bound > 0) {
			pairs->list = PLM_NEW_ARRAY(snap->arena, pairs->bound, struct plm_pair);
			pairs->mask = power_of_two(2 * pairs->bound) - 1;
			pairs->hash = PLM_NEW_ARRAY(snap->arena, pairs->mask + 1, uint32_t);
		}
	}
	enter_pairs(snap, wanted, true);
}

static void make_cells(struct plm_quotas *snap, const uint8_t *wanted, const uint32_t *order)
{
	struct plm_quota_node *nodes = snap->tree.nodes;

	for (uint32_t n = 0; n < snap->tree.count; n++) {
		uint32_t pairs = plm_quotas_pair_count(snap, n);

		if (!wanted[nodes[n].tree]) {
			continue;
		}
		nodes[n].cells = PLM_NEW_ARRAY(snap->arena, pairs, struct plm_cell);
		for (uint32_t f = 0; f < pairs; f++) {
			nodes[n].cells[f].borrowing = PLM_UNSET;
			nodes[n].cells[f].lending = PLM_UNSET;
		}
		each_quota(snap, n, fill_quota);
	}
	plm_elastic_fill(snap);
	for (uint32_t i = 0; i < snap->tree.count; i++) {
		const struct plm_quota_node *node = &nodes[order[i]];

		if (!wanted[node->tree]) {
			continue;
		}
		if (node->queue && !snap->bare) {
			fill_held(snap, order[i]);
		}
		if (node->parent != PLM_NO_NODE) {
			plm_quota_gather(&nodes[node->parent], node,
					 plm_quotas_pair_count(snap, order[i]));
		}
	}
}

/* From the objects: the slow twin of a copy of the skeleton. */
static void build(struct plm_quotas *snap, const uint8_t *wanted)
{
	uint32_t *order = NULL;
	uint8_t *trees = NULL;

	build_nodes(snap);
	find_roots(snap);
	order = link_children(snap);
	snap->order = order;
	trees = PLM_NEW_ARRAY(snap->arena, snap->tree.count + 1, uint8_t);
	PLM_EACH(snap->st, cluster_queue, id)
	{
		if (wanted == NULL || wanted[id.n]) {
			trees[snap->tree.nodes[snap->queue_nodes[id.n]].tree] = 1;
		}
	}
	snap->holders = PLM_NEW_ARRAY(snap->arena, snap->tree.count + 1, struct plm_holders);
	make_pairs(snap, trees);
	make_cells(snap, trees, order);
}

void plm_quotas_bare(struct plm_quotas *snap, const struct plm_state *st, struct plm_arena *arena)
{
	*snap = (struct plm_quotas){.st = st, .arena = arena, .bare = true};
	build(snap, NULL);
}

void plm_quotas_make(struct plm_quotas *snap, const struct plm_state *st, struct plm_arena *arena,
		     const uint8_t *wanted, bool slow)
{
	struct plm_quotas begun = {
		.st = st, .arena = arena, .tas = plm_tas_make(st, arena), .slow = slow};

	*snap = begun;
	if (!slow && plm_skeleton_copy(snap, wanted)) {
		snap->holders = PLM_NEW_ARRAY(arena, snap->tree.count + 1, struct plm_holders);
	} else {
		*snap = begun;
		build(snap, wanted);
	}
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		if (snap->tree.nodes[n].cells != NULL && snap->tree.nodes[n].tree == n &&
		    plm_fair_sharing(snap, n)) {
			plm_fair_prepare(snap, n);
		}
	}
}

/* ---- reading ----------------------------------------------------------------------------------- */

const struct plm_cluster_queue *plm_quotas_queue(const struct plm_quotas *snap, uint32_t node)
{
	PLM_ASSERT(snap->tree.nodes[node].queue);
	return plm_cluster_queue_at(snap->st, snap->tree.nodes[node].slot);
}

uint32_t plm_quotas_pair(const struct plm_quotas *snap, uint32_t node, plm_sym flavor,
			 plm_sym resource)
{
	uint64_t cell = 0;

	return pair_find(&snap->pairs[snap->tree.nodes[node].tree], flavor, resource, &cell);
}

const struct plm_pair *plm_quotas_pair_at(const struct plm_quotas *snap, uint32_t node,
					  uint32_t pair)
{
	PLM_ASSERT(pair < plm_quotas_pair_count(snap, node));
	return &snap->pairs[snap->tree.nodes[node].tree].list[pair];
}

uint32_t plm_quotas_pair_count(const struct plm_quotas *snap, uint32_t node)
{
	return snap->pairs[snap->tree.nodes[node].tree].count;
}

struct plm_cell *plm_quotas_cell(const struct plm_quotas *snap, uint32_t node, uint32_t pair)
{
	PLM_ASSERT(pair < plm_quotas_pair_count(snap, node));
	return &snap->tree.nodes[node].cells[pair];
}

int64_t plm_quotas_available(const struct plm_quotas *snap, uint32_t node, uint32_t pair)
{
	return plm_max(0, plm_quota_available(&snap->tree, node, pair));
}

static void add_holder(struct plm_quotas *snap, uint32_t node, plm_id id)
{
	struct plm_holders *holders = &snap->holders[node];
	const struct plm_workload *workload = plm_workload_at(snap->st, id);
	struct plm_holder *holder = NULL;

	snap->holder_count++;
	holders->least_priority = plm_min(holders->least_priority, workload->priority);
	holders->list[holders->count++] = (struct plm_holder){
		.workload = id,
		.node = node,
		.evicted = workload->evicted_ms != PLM_UNSET,
		.preempted = plm_rest_preempted(snap->st, id),
		.priority = workload->priority,
		.uses = plm_quotas_uses(snap, node, workload->assignments, workload),
		.tas = plm_topology_held(snap->st, snap->arena, workload->assignments,
					 workload->pod_sets),
	};
	holder = &holders->list[holders->count - 1];
	for (uint32_t i = 0; i < holder->uses.count; i++) {
		holder->pairs |= UINT64_C(1) << (holder->uses.list[i].pair % 64);
	}
	if (holder->tas.count > 0) {
		plm_tas_prepare(snap->tas); /* before a search takes marks */
	}
}

const struct plm_holders *plm_quotas_holders(struct plm_quotas *snap, uint32_t node)
{
	struct plm_holders *holders = &snap->holders[node];
	const struct plm_state *st = snap->st;
	plm_id queue = snap->tree.nodes[node].slot;

	if (holders->made) {
		return holders;
	}
	if (snap->gone == NULL) {
		snap->gone = PLM_NEW_ARRAY(snap->arena, plm_workload_bound(st), uint8_t);
	}
	holders->made = true;
	holders->least_priority = INT64_MAX;
	if (snap->slow) {
		holders->list =
			PLM_NEW_ARRAY(snap->arena, plm_workload_live(st), struct plm_holder);
		PLM_EACH(st, workload, id)
		{
			const struct plm_workload *workload = plm_workload_at(st, id);

			if (workload->cluster_queue.n == queue.n &&
			    (workload->stage == PLM_STAGE_RESERVED ||
			     workload->stage == PLM_STAGE_ADMITTED)) {
				add_holder(snap, node, id);
			}
		}
		return holders;
	}
	holders->list = PLM_NEW_ARRAY(snap->arena, plm_queue_index_cell(st, queue)->holding_count,
				      struct plm_holder);
	for (uint32_t w = plm_queue_index_cell(st, queue)->holding; w != 0;
	     w = st->queues.links[w].next) {
		add_holder(snap, node, (plm_id){w});
	}
	return holders;
}

void plm_quotas_prepare(struct plm_quotas *snap, uint32_t node)
{
	uint32_t root = snap->tree.nodes[node].tree;

	if (snap->holders[root].made) {
		return;
	}
	for (uint32_t n = 0; n < snap->tree.count; n++) {
		if (snap->tree.nodes[n].tree == root && snap->tree.nodes[n].queue) {
			(void)plm_quotas_holders(snap, n);
		}
	}
	snap->holders[root].made = true;
}

/* ---- trial changes ----------------------------------------------------------------------------- */

void plm_quotas_use(const struct plm_quotas *snap, uint32_t node, struct plm_uses uses)
{
	for (uint32_t i = 0; i < uses.count; i++) {
		plm_quota_use(&snap->tree, node, uses.list[i].pair, uses.list[i].amount);
	}
}

void plm_quotas_free(const struct plm_quotas *snap, uint32_t node, struct plm_uses uses)
{
	for (uint32_t i = 0; i < uses.count; i++) {
		plm_quota_free(&snap->tree, node, uses.list[i].pair, uses.list[i].amount);
	}
}

void plm_quotas_remove(const struct plm_quotas *snap, const struct plm_holder *holder)
{
	PLM_ASSERT(snap->gone[holder->workload.n] == 0);
	snap->gone[holder->workload.n] = 1;
	plm_quotas_free(snap, holder->node, holder->uses);
	plm_tas_add(snap->tas, holder->tas.list, holder->tas.count, -1);
}

void plm_quotas_restore(const struct plm_quotas *snap, const struct plm_holder *holder)
{
	PLM_ASSERT(snap->gone[holder->workload.n] == 1);
	snap->gone[holder->workload.n] = 0;
	plm_quotas_use(snap, holder->node, holder->uses);
	plm_tas_add(snap->tas, holder->tas.list, holder->tas.count, 1);
}

uint32_t plm_quotas_walk(const struct plm_quotas *snap, uint32_t top, uint32_t at, bool skip)
{
	const struct plm_quota_node *nodes = snap->tree.nodes;

	if (!skip && nodes[at].first_child != PLM_NO_NODE) {
		return nodes[at].first_child;
	}
	while (at != top && nodes[at].next_sibling == PLM_NO_NODE) {
		at = nodes[at].parent;
	}
	return at == top ? PLM_NO_NODE : nodes[at].next_sibling;
}
