/*
 * Empty nodes go: karpenter.md 3.2, 3.5, 3.9; dialect: 10 minutes above minSize.
 */
#include "core/sort.h"
#include "reducers/area.h"
#include "reducers/disruption/budget.h"
#include "reducers/disruption/leave.h"
#include "reducers/provision/pass.h"
#include "reducers/sched/selector.h"

struct hunt {
	const struct plm_state *st;
	struct plm_sched sched;
	struct plm_out *out;
	int64_t now_ms;
	struct plm_taken *taken; /* nodes reserved by gangs or expected by pods */
};

/* What pods or gangs are waiting for is not removed: one bit per node and claim slot. */
struct plm_taken {
	uint8_t *nodes;
	uint8_t *claims;
};

static void take(const struct hunt *h, plm_sym target, bool is_claim)
{
	plm_id id = plm_find(h->st, is_claim ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE, (plm_sym){0},
			     target);

	if (target.n == 0 || id.n == 0) {
		return;
	}
	if (is_claim) {
		h->taken->claims[id.n] = 1;
	} else {
		h->taken->nodes[id.n] = 1;
	}
}

static void collect_taken(const struct hunt *h)
{
	PLM_EACH(h->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(h->st, id);

		if (!plm_pod_terminal(pod)) {
			take(h, pod->target, pod->target_claim != 0);
			take(h, pod->nominated, false);
		}
	}
	PLM_EACH_MARKED(h->st, PLM_MARKED(PLM_MARK_PLACES), id)
	{
		uint32_t count = 0;
		const struct plm_place *places = PLM_SPAN(h->st, plm_workload_at(h->st, id)->places,
							  struct plm_place, &count);

		for (uint32_t i = 0; i < count; i++) {
			take(h, places[i].target, places[i].claim != 0);
		}
	}
}

/* How long a node of the pool may stand empty; PLM_UNSET = for ever. */
static int64_t patience(const struct plm_node_pool *pool)
{
	if (pool->consolidate_after_ms != PLM_UNSET) {
		return pool->consolidate_after_ms;
	}
	return pool->dialect != 0 ? PLM_EMPTY_DIALECT_MS : PLM_UNSET;
}

/* Claims that somebody else made say by a condition when they may be consolidated. */
static bool by_condition(const struct plm_node_claim *claim)
{
	return claim->object.seq != 0;
}

/* When the node may go for being empty, if it is; PLM_UNSET = it is not a candidate. */
static int64_t due_of(const struct plm_state *st, plm_id node_id)
{
	const struct plm_node *node = plm_node_at(st, node_id);
	const struct plm_node_claim *claim = plm_node_claim_at(st, node->claim);
	plm_id pool = {0};

	if (node->claim.n == 0 || claim->phase != PLM_CLAIM_READY || node->do_not_disrupt != 0 ||
	    claim->do_not_disrupt != 0 || claim->object.deleting_ms != PLM_UNSET ||
	    node->object.deleting_ms != PLM_UNSET) {
		return PLM_UNSET;
	}
	pool = plm_find(st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	if (pool.n == 0 || patience(plm_node_pool_at(st, pool)) == PLM_UNSET) {
		return PLM_UNSET;
	}
	if (by_condition(claim)) {
		return claim->consolidatable_ms;
	}
	if (node->pods > 0 || node->empty_since_ms == PLM_UNSET) {
		return PLM_UNSET;
	}
	return plm_add_sat(node->empty_since_ms, patience(plm_node_pool_at(st, pool)));
}

/*
 * Does the pod keep its node? Not when nobody would miss it: its eviction cost, 1 + deletion cost / 2^27
 * + priority / 2^25 (karpenter.md 3.3), is not positive. A pod that must not be disrupted always does.
 */
static bool keeps(const struct hunt *h, const struct plm_pod *pod)
{
	int64_t cost = 0;

	if (!plm_pod_disruptable(pod, h->now_ms)) {
		return true;
	}
	if (!plm_pod_reschedulable(&h->sched, pod)) {
		return false;
	}
	cost = plm_add_sat((int64_t)1 << 27, plm_mul_sat(pod->priority, 4));
	if (pod->deletion_cost != PLM_UNSET) {
		cost = plm_add_sat(cost, pod->deletion_cost);
	}
	return cost > 0;
}

static void collect_kept(const struct hunt *h)
{
	PLM_EACH(h->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(h->st, id);

		if (pod->node.n != 0 && keeps(h, pod)) {
			take(h, pod->node, false);
		}
	}
}

/* ---- order ------------------------------------------------------------------------------------- */

/* What the node costs: as bought, else by the catalogue; PLM_UNSET = not known. */
static int64_t price_of(const struct plm_sched *sched, plm_id node_id)
{
	const struct plm_state *st = sched->st;
	const struct plm_node *node = plm_node_at(st, node_id);
	const struct plm_node_claim *claim = plm_node_claim_at(st, node->claim);
	plm_sym labels[3] = {{0}, {0}, {0}};
	static const enum plm_known_word keys[3] = {PLM_KNOWN_INSTANCE_TYPE, PLM_KNOWN_ZONE,
						    PLM_KNOWN_CAPACITY_TYPE};
	plm_id type = {0};
	uint32_t count = 0;
	const struct plm_offering *offerings = NULL;

	if (claim->price_micro != PLM_UNSET) {
		return claim->price_micro;
	}
	for (uint32_t i = 0; i < PLM_COUNTOF(keys); i++) {
		(void)plm_kv_get(st, node->object.labels, sched->known[keys[i]], &labels[i]);
	}
	type = plm_index_find(st, PLM_KEY_INSTANCE_TYPE, labels[0].n, 0);
	if (type.n == 0) {
		return PLM_UNSET;
	}
	offerings = PLM_SPAN(st, plm_instance_type_at(st, type)->offerings, struct plm_offering,
			     &count);
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(offerings[i].zone, labels[1]) &&
		    plm_sym_equal(offerings[i].capacity_type, labels[2])) {
			return offerings[i].price_micro;
		}
	}
	return PLM_UNSET;
}

struct prices {
	const struct plm_state *st;
	const int64_t *of_node; /* by slot */
};

/* Dearest first, as the savings of an empty node are its price; then by name. */
static int dearest_first(const void *context, uint32_t a, uint32_t b)
{
	const struct prices *prices = context;

	if (prices->of_node[a] != prices->of_node[b]) {
		return prices->of_node[a] > prices->of_node[b] ? -1 : 1;
	}
	return plm_sym_compare(prices->st, plm_node_at(prices->st, (plm_id){a})->object.name,
			       plm_node_at(prices->st, (plm_id){b})->object.name);
}

static void order_nodes(const struct hunt *h, uint32_t *nodes, uint32_t count)
{
	int64_t *of_node = PLM_NEW_ARRAY(h->sched.arena, plm_node_bound(h->st), int64_t);

	for (uint32_t i = 0; i < count; i++) {
		of_node[nodes[i]] = price_of(&h->sched, (plm_id){nodes[i]});
	}
	plm_sort(nodes, count, dearest_first, &(struct prices){h->st, of_node}, h->sched.arena);
}

static bool is_candidate(const struct hunt *h, plm_id id)
{
	int64_t due = due_of(h->st, id);

	return due != PLM_UNSET && due <= h->now_ms && h->taken->nodes[id.n] == 0 &&
	       h->taken->claims[plm_node_at(h->st, id)->claim.n] == 0;
}

static void remove_node(const struct hunt *h, plm_id id)
{
	const struct plm_node *node = plm_node_at(h->st, id);
	const struct plm_node_claim *claim = plm_node_claim_at(h->st, node->claim);
	struct plm_w_claim_end *w = PLM_NEW(h->sched.arena, struct plm_w_claim_end);

	w->name = plm_sched_text(&h->sched, claim->object.name);
	w->reason = PLM_REASON_EMPTY;
	w->why =
		(struct plm_w_explain){.kind = PLM_KIND_NODE_CLAIM,
				       .name = w->name,
				       .rule = PLM_RULE_EMPTY_NODE,
				       .reason = PLM_REASON_EMPTY,
				       .object = plm_sched_text(&h->sched, node->object.name),
				       .resource = plm_slice_str("emptyMs"),
				       .need = plm_sub_sat(due_of(h->st, id), node->empty_since_ms),
				       .have = plm_sub_sat(h->now_ms, node->empty_since_ms),
				       .limit = PLM_UNSET,
				       .detail = plm_sched_text(&h->sched, claim->pool)};
	(void)plm_out_add(h->out, PLM_EV_CLAIM_END, w, PLM_CAUSE_CYCLE);
}

/* Nodes and claims of the pool that are there to stay. */
static int64_t size_of(const struct plm_state *st, plm_sym pool)
{
	int64_t size = 0;

	PLM_EACH(st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(st, id);

		size += plm_sym_equal(claim->pool, pool) && !plm_claim_leaves(claim) ? 1 : 0;
	}
	return size;
}

static void hunt_pool(const struct hunt *h, plm_id pool_id, const uint32_t *nodes, uint32_t count)
{
	const struct plm_node_pool *pool = plm_node_pool_at(h->st, pool_id);
	int64_t above = INT64_MAX;
	int64_t allowed = 0;

	if (pool->min_size != PLM_UNSET && pool->min_size > 0) {
		above = size_of(h->st, pool->object.name) - pool->min_size;
	}
	allowed = plm_min(above, plm_budget_allowance(&h->sched, pool_id, "Empty", h->now_ms).left);
	for (uint32_t i = 0; i < count && allowed > 0; i++) {
		const struct plm_node *node = plm_node_at(h->st, (plm_id){nodes[i]});

		if (plm_sym_equal(plm_node_claim_at(h->st, node->claim)->pool, pool->object.name)) {
			remove_node(h, (plm_id){nodes[i]});
			allowed--;
		}
	}
}

static bool any_due(const struct plm_state *st, int64_t now_ms)
{
	PLM_EACH(st, node, id)
	{
		int64_t due = due_of(st, id);

		if (due != PLM_UNSET && due <= now_ms) {
			return true;
		}
	}
	return false;
}

bool plm_disruption_step(const struct plm_state *st, struct plm_cycle_run *run,
			 struct plm_arena *scratch, struct plm_out *out)
{
	struct hunt *h = NULL;
	uint32_t *nodes = NULL;
	uint32_t count = 0;

	if (!any_due(st, run->cycle.now_ms)) {
		return true;
	}
	h = PLM_NEW(scratch, struct hunt);
	h->st = st;
	h->out = out;
	h->now_ms = run->cycle.now_ms;
	plm_sched_init(&h->sched, st, scratch);
	h->taken = PLM_NEW(scratch, struct plm_taken);
	h->taken->nodes = PLM_NEW_ARRAY(scratch, plm_node_bound(st), uint8_t);
	h->taken->claims = PLM_NEW_ARRAY(scratch, plm_node_claim_bound(st), uint8_t);
	collect_taken(h);
	collect_kept(h);
	nodes = PLM_NEW_ARRAY(scratch, plm_node_live(st), uint32_t);
	PLM_EACH(st, node, id)
	{
		if (is_candidate(h, id)) {
			nodes[count++] = id.n;
		}
	}
	order_nodes(h, nodes, count);
	PLM_EACH(st, node_pool, pool)
	{
		hunt_pool(h, pool, nodes, count);
	}
	return true;
}

int64_t plm_disruption_next_due(const struct plm_state *st)
{
	int64_t next = PLM_UNSET;

	PLM_EACH(st, node, id)
	{
		int64_t due = due_of(st, id);

		/* What was due and stayed waits for something to happen, not for time. */
		if (due != PLM_UNSET && due > plm_root(st)->now_ms &&
		    (next == PLM_UNSET || due < next)) {
			next = due;
		}
	}
	return next;
}
