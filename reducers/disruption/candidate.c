#include "reducers/disruption/candidate.h"

#include "reducers/disruption/leave.h"
#include "reducers/provision/capacity.h"
#include "reducers/provision/emit.h"
#include "reducers/provision/pass.h"

/* ---- what pods say ----------------------------------------------------------------------------- */

static struct plm_tenants *book_of(const struct plm_candidates *book, plm_sym target, bool is_claim)
{
	plm_id id = plm_find(book->sched.st, is_claim ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE,
			     (plm_sym){0}, target);

	if (target.n == 0 || id.n == 0) {
		return NULL;
	}
	return is_claim ? &book->claims[id.n] : &book->nodes[id.n];
}

static bool comes_before(const struct plm_state *st, const struct plm_pod *a,
			 const struct plm_pod *b)
{
	int order = plm_sym_compare(st, a->object.ns, b->object.ns);

	return order != 0 ? order < 0 : plm_sym_compare(st, a->object.name, b->object.name) < 0;
}

/* What keeps others from moving the pod; rule NONE = nothing does. */
static struct plm_blocker guard_of(const struct plm_candidates *book, const struct plm_pod *pod)
{
	struct plm_blocker guard = {
		.ns = pod->object.ns, .name = pod->object.name, .until_ms = PLM_UNSET};
	struct plm_pdb_answer answer = {0};

	if (!plm_pod_disruptable(pod, book->now_ms)) {
		guard.rule = PLM_RULE_DO_NOT_DISRUPT;
		guard.until_ms = pod->protected_ms;
		return guard;
	}
	answer = plm_pdbs_ask(&book->pdbs, pod);
	if (answer.word != PLM_PDB_FREE) {
		const struct plm_pdb *pdb = plm_pdb_at(book->sched.st, answer.pdb);

		PLM_ASSERT(answer.pdb.n != 0);
		guard.rule = answer.word == PLM_PDB_SEVERAL ? PLM_RULE_PDBS : PLM_RULE_PDB;
		guard.ns = pdb->object.ns;
		guard.name = pdb->object.name;
	}
	return guard;
}

/* A pod that protects itself is named before a budget, then the first by name. */
static void guard(const struct plm_candidates *book, struct plm_tenants *here, plm_id id)
{
	const struct plm_state *st = book->sched.st;
	const struct plm_pod *pod = plm_pod_at(st, id);
	struct plm_blocker found = guard_of(book, pod);
	bool by_itself = found.rule == PLM_RULE_DO_NOT_DISRUPT;
	bool had_itself = here->guard.rule == PLM_RULE_DO_NOT_DISRUPT;

	if (found.rule == PLM_RULE_NONE || (had_itself && !by_itself)) {
		return;
	}
	if (here->guard.rule == PLM_RULE_NONE || (by_itself && !had_itself) ||
	    comes_before(st, pod, plm_pod_at(st, here->guard_pod))) {
		here->guard = found;
		here->guard_pod = id;
	}
}

static void live_here(const struct plm_candidates *book, plm_id id)
{
	const struct plm_pod *pod = plm_pod_at(book->sched.st, id);
	struct plm_tenants *here = book_of(book, pod->node, false);
	bool moves = false;

	if (here == NULL) {
		return;
	}
	moves = plm_pod_reschedulable(&book->sched, pod);
	here->moving += moves ? 1 : 0;
	plm_cost_add(&here->cost, plm_cost_eviction(pod->priority, pod->deletion_cost), moves);
	guard(book, here, id);
}

static void expect(const struct plm_candidates *book, plm_sym target, bool is_claim)
{
	struct plm_tenants *there = book_of(book, target, is_claim);

	if (there != NULL) {
		there->expected = 1;
	}
}

static void gather_pods(const struct plm_candidates *book)
{
	PLM_EACH(book->sched.st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(book->sched.st, id);

		live_here(book, id);
		if (!plm_pod_terminal(pod)) {
			expect(book, pod->target, pod->target_claim != 0);
			expect(book, pod->nominated, false);
		}
	}
}

static void gather_places(const struct plm_candidates *book)
{
	const struct plm_state *st = book->sched.st;

	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_PLACES), id)
	{
		uint32_t count = 0;
		const struct plm_place *places =
			PLM_SPAN(st, plm_workload_at(st, id)->places, struct plm_place, &count);

		for (uint32_t i = 0; i < count; i++) {
			struct plm_tenants *there =
				book_of(book, places[i].target, places[i].claim != 0);

			if (there != NULL) {
				there->reserved = 1;
			}
		}
	}
}

void plm_candidates_gather(struct plm_candidates *out, const struct plm_state *st,
			   struct plm_arena *arena, int64_t now_ms)
{
	uint32_t bound = plm_node_bound(st);

	*out = (struct plm_candidates){.now_ms = now_ms};
	plm_sched_init(&out->sched, st, arena);
	plm_pdbs_gather(&out->pdbs, &out->sched, now_ms);
	out->nodes = PLM_NEW_ARRAY(arena, bound, struct plm_tenants);
	out->claims = PLM_NEW_ARRAY(arena, plm_node_claim_bound(st), struct plm_tenants);
	for (uint32_t i = 0; i < bound; i++) {
		out->nodes[i].cost = plm_cost_none();
	}
	gather_pods(out);
	gather_places(out);
}

/* ---- the filter -------------------------------------------------------------------------------- */

static bool has_label(const struct plm_candidates *book, const struct plm_candidate *c,
		      enum plm_known_word key)
{
	const struct plm_state *st = book->sched.st;
	plm_sym value = {0};

	return plm_kv_get(st, plm_node_at(st, c->node)->object.labels, book->sched.known[key],
			  &value) ||
	       plm_kv_get(st, plm_node_claim_at(st, c->claim)->object.labels,
			  book->sched.known[key], &value);
}

/*
 * Do pods count on the node? Under strict not those that only this cycle found out about, which
 * Karpenter's two loops do not tell each other; but the last ones for a while, however soon they ended.
 */
static bool is_expected(const struct plm_candidates *book, const struct plm_candidate *c)
{
	const struct plm_state *st = book->sched.st;
	const struct plm_root *root = plm_root(st);
	const struct plm_node_claim *claim = plm_node_claim_at(st, c->claim);
	int64_t window_ms = plm_max(plm_mul_sat(root->batch_max_ms, 2), PLM_NOMINATED_MIN_MS);
	bool taken = book->nodes[c->node.n].expected != 0 || book->claims[c->claim.n].expected != 0;

	if (root->compat != PLM_COMPAT_STRICT) {
		return taken;
	}
	return claim->nominated_seq != 0 &&
	       (book->fresh || claim->nominated_seq < root->cycle_seq) &&
	       (taken || book->now_ms < plm_add_sat(claim->nominated_ms, window_ms));
}

/* Of the node and its claim alone, in the order in which Karpenter asks. */
static enum plm_rule refuse_node(const struct plm_candidates *book, const struct plm_candidate *c)
{
	const struct plm_node *node = plm_node_at(book->sched.st, c->node);
	const struct plm_node_claim *claim = plm_node_claim_at(book->sched.st, c->claim);

	if (c->claim.n == 0) {
		return PLM_RULE_NO_CLAIM;
	}
	if (plm_claim_leaves(claim) || node->object.deleting_ms != PLM_UNSET) {
		return PLM_RULE_LEAVES;
	}
	if (claim->phase != PLM_CLAIM_READY) {
		return PLM_RULE_NOT_INITIALIZED;
	}
	if (is_expected(book, c)) {
		return PLM_RULE_EXPECTED;
	}
	if (book->nodes[c->node.n].reserved != 0 || book->claims[c->claim.n].reserved != 0) {
		return PLM_RULE_RESERVED;
	}
	if (node->do_not_disrupt != 0 || claim->do_not_disrupt != 0) {
		return PLM_RULE_NODE_PROTECTED;
	}
	return claim->validate_ms != 0 && !book->fresh ? PLM_RULE_IN_COMMAND : PLM_RULE_NONE;
}

/* The class of the pool tells its types; without them Karpenter does not look at its nodes. */
static bool has_types(const struct plm_candidates *book, const struct plm_candidate *c)
{
	const struct plm_state *st = book->sched.st;
	const struct plm_node_pool *pool = plm_node_pool_at(st, c->pool);

	return plm_root(st)->compat != PLM_COMPAT_STRICT ||
	       plm_find(st, (enum plm_kind)pool->class_kind, (plm_sym){0}, pool->class_name).n != 0;
}

static struct plm_blocker refuse(const struct plm_candidates *book, const struct plm_candidate *c)
{
	static const enum plm_known_word labels[] = {PLM_KNOWN_CAPACITY_TYPE, PLM_KNOWN_ZONE};
	struct plm_blocker out = {.rule = refuse_node(book, c), .until_ms = PLM_UNSET};
	const struct plm_node_claim *claim = plm_node_claim_at(book->sched.st, c->claim);

	if (out.rule != PLM_RULE_NONE) {
		return out;
	}
	for (size_t i = 0; i < PLM_COUNTOF(labels); i++) {
		if (!has_label(book, c, labels[i])) {
			out.rule = PLM_RULE_LABEL_MISSING;
			out.name = book->sched.known[labels[i]];
			return out;
		}
	}
	if (claim->pool.n == 0) {
		out.rule = PLM_RULE_LABEL_MISSING;
		out.name = book->sched.known[PLM_KNOWN_NODE_POOL];
		return out;
	}
	if (c->pool.n == 0 || !has_types(book, c)) {
		out.rule = PLM_RULE_POOL_MISSING;
		out.name = claim->pool;
		return out;
	}
	return book->nodes[c->node.n].guard;
}

/* ---- what it costs ----------------------------------------------------------------------------- */

static plm_sym label_of(const struct plm_candidates *book, const struct plm_node *node,
			enum plm_known_word key)
{
	plm_sym value = {0};

	(void)plm_kv_get(book->sched.st, node->object.labels, book->sched.known[key], &value);
	return value;
}

/* By the catalogue: the offering of its type in its zone, capacity type and reservation; else as bought. */
static int64_t price_of(const struct plm_candidates *book, const struct plm_candidate *c)
{
	const struct plm_state *st = book->sched.st;
	const struct plm_node *node = plm_node_at(st, c->node);
	plm_sym type = label_of(book, node, PLM_KNOWN_INSTANCE_TYPE);
	const struct plm_bought_at at = {
		.zone = label_of(book, node, PLM_KNOWN_ZONE),
		.capacity_type = label_of(book, node, PLM_KNOWN_CAPACITY_TYPE),
		.reservation = label_of(book, node, PLM_KNOWN_RESERVATION_ID)};
	plm_id row = plm_index_find(st, PLM_KEY_INSTANCE_TYPE, type.n, 0);
	int64_t price = PLM_UNSET;

	if (!plm_capacity_price(st, row, at, &price) && c->claim.n != 0) {
		price = plm_node_claim_at(st, c->claim)->price_micro;
	}
	return price;
}

struct plm_candidate plm_candidate_look(const struct plm_candidates *book, plm_id node)
{
	const struct plm_state *st = book->sched.st;
	struct plm_candidate c = {.node = node, .claim = plm_node_at(st, node)->claim};

	PLM_ASSERT(node.n != 0);
	if (c.claim.n != 0) {
		c.pool = plm_find(st, PLM_KIND_NODE_POOL, (plm_sym){0},
				  plm_node_claim_at(st, c.claim)->pool);
	}
	c.cost = book->nodes[node.n].cost;
	c.moving = book->nodes[node.n].moving;
	c.price_micro = price_of(book, &c);
	c.blocker = refuse(book, &c);
	PLM_ASSERT(c.blocker.rule != PLM_RULE_NONE || (c.claim.n != 0 && c.pool.n != 0));
	return c;
}

/* ---- consolidateAfter -------------------------------------------------------------------------- */

int64_t plm_consolidatable_ms(const struct plm_state *st, plm_id id)
{
	const struct plm_node *node = plm_node_at(st, id);
	const struct plm_node_claim *claim = plm_node_claim_at(st, node->claim);
	int64_t since_ms = node->pod_event_ms;
	plm_id pool = {0};

	if (node->claim.n == 0 || claim->initialized_ms == PLM_UNSET) {
		return PLM_UNSET;
	}
	pool = plm_find(st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	if (pool.n == 0 || plm_node_pool_at(st, pool)->consolidate_after_ms == PLM_UNSET) {
		return PLM_UNSET;
	}
	if (claim->last_pod_event_ms != PLM_UNSET) {
		since_ms = plm_max(since_ms, claim->last_pod_event_ms);
	}
	if (since_ms <= 0) {
		since_ms = claim->initialized_ms;
	}
	return plm_add_sat(since_ms, plm_node_pool_at(st, pool)->consolidate_after_ms);
}

struct plm_slice plm_blocker_object(const struct plm_sched *sched,
				    const struct plm_blocker *blocker)
{
	struct plm_object object = {.ns = blocker->ns, .name = blocker->name};

	if (blocker->ns.n == 0) {
		return plm_sched_text(sched, blocker->name);
	}
	return plm_emit_key(sched, &object);
}
