/* NodePools in the order in which new nodes are tried, and what their limits leave: karpenter.md 2.3. */
#include "core/sort.h"
#include "reducers/provision/class_use.h"

/* ---- requirements of a pool -------------------------------------------------------------------- */

static struct plm_reqs pool_reqs(const struct plm_pass *pass, struct plm_pool *pool)
{
	const struct plm_node_pool *slot = pool->slot;
	const struct plm_sched *sched = &pass->sched;
	struct plm_reqs set = plm_reqs_of_exprs(sched, slot->requirements);
	struct plm_reqs labels = plm_reqs_of_labels(sched, slot->template_labels);
	struct plm_req req = plm_req_make(sched, sched->known[PLM_KNOWN_NODE_POOL], PLM_OP_IN,
					  &slot->object.name, 1);

	set = plm_reqs_merge(sched, &set, &labels);
	set = plm_reqs_add(sched, &set, &req);
	if (slot->class_kind == PLM_KIND_NODE_CLASS) {
		req = plm_req_make(sched, sched->known[PLM_KNOWN_NODE_CLASS], PLM_OP_IN,
				   &slot->class_name, 1);
		set = plm_reqs_add(sched, &set, &req);
	}
	if (slot->dialect != 0 &&
	    plm_reqs_get(&set, sched->known[PLM_KNOWN_CAPACITY_TYPE]) == NULL) {
		req = plm_req_make(sched, sched->known[PLM_KNOWN_CAPACITY_TYPE], PLM_OP_IN,
				   &sched->known[PLM_KNOWN_ON_DEMAND], 1);
		set = plm_reqs_add(sched, &set, &req);
	}
	if (pool->class_id.n != 0) {
		uint32_t count = 0;
		plm_sym span = plm_node_class_at(pass->st, pool->class_id)->instance_types;
		const plm_sym *types = PLM_SPAN(pass->st, span, plm_sym, &count);

		if (count > 0) {
			req = plm_req_make(sched, sched->known[PLM_KNOWN_INSTANCE_TYPE], PLM_OP_IN,
					   types, count);
			set = plm_reqs_add(sched, &set, &req);
		}
	}
	pool->by_subnets = plm_class_zones(sched, pool->class_id, &set);
	return set;
}

static plm_id class_of(const struct plm_pass *pass, const struct plm_node_pool *slot)
{
	return plm_find(pass->st, (enum plm_kind)slot->class_kind, (plm_sym){0}, slot->class_name);
}

static bool is_ready(const struct plm_pass *pass, const struct plm_node_pool *slot)
{
	plm_id class = class_of(pass, slot);

	if (plm_pool_refusal(pass->st, slot).n != 0 || slot->object.deleting_ms != PLM_UNSET ||
	    class.n == 0) {
		return false;
	}
	return plm_class_stand(pass->st, class, NULL) == PLM_CLASS_STANDS;
}

static void pool_types(const struct plm_pass *pass, struct plm_pool *pool)
{
	for (uint32_t t = 0; t < pass->types.count; t++) {
		PLM_BIT_SET(pool->bits, t);
	}
	for (uint32_t i = 0; i < pool->reqs.count; i++) {
		plm_types_meet(pass, &pool->reqs.list[i], pool->bits);
	}
	plm_types_offered(pass, &pool->reqs, pass->types.available, pool->bits);
	plm_class_with_image(pass, pool->has, pool->bits);
}

/* ---- limits ------------------------------------------------------------------------------------ */

static void count_node(const struct plm_pass *pass, struct plm_pool *pool, const int64_t *capacity)
{
	pool->nodes++;
	for (uint32_t r = 0; r < pass->res.count; r++) {
		if (pool->left[r] != PLM_UNLIMITED) {
			pool->left[r] = plm_sub_sat(pool->left[r], capacity[r]);
		}
	}
}

/* What a claim will be at most, while its type is open. */
static void fill_largest(const struct plm_pass *pass, const struct plm_pool *pool, plm_sym names,
			 int64_t *out)
{
	uint32_t count = 0;
	const plm_sym *list = PLM_SPAN(pass->st, names, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t t = plm_types_find(pass, list[i]);
		const int64_t *capacity = pool->has->capacity + (size_t)t * pass->res.count;

		for (uint32_t r = 0; t < pass->types.count && r < pass->res.count; r++) {
			out[r] = plm_max(out[r], capacity[r]);
		}
	}
}

static bool counts_for(const struct plm_pass *pass, const struct plm_pool *pool,
		       const struct plm_node_claim *claim)
{
	if (!plm_sym_equal(claim->pool, pool->slot->object.name)) {
		return false;
	}
	return !pass->strict || !plm_claim_leaves(claim);
}

static void count_claims(struct plm_pass *pass, struct plm_pool *pool)
{
	PLM_EACH(pass->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(pass->st, id);
		plm_id node = plm_find(pass->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);
		size_t mark = plm_arena_mark(pass->arena);
		int64_t *capacity = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);

		if (counts_for(pass, pool, claim)) {
			if (claim->capacity.n == 0) {
				fill_largest(pass, pool, claim->types, capacity);
			}
			plm_res_fill(pass, claim->capacity, capacity);
			if (claim->phase == PLM_CLAIM_READY && node.n != 0) {
				plm_res_fill(pass, plm_node_at(pass->st, node)->capacity, capacity);
			}
			count_node(pass, pool, capacity);
		}
		plm_arena_rewind(pass->arena, mark);
	}
}

/* Nodes that carry the pool's label without a claim. */
static void count_nodes(struct plm_pass *pass, struct plm_pool *pool)
{
	plm_sym key = pass->sched.known[PLM_KNOWN_NODE_POOL];

	PLM_EACH(pass->st, node, id)
	{
		const struct plm_node *node = plm_node_at(pass->st, id);
		plm_sym value = {0};
		size_t mark = plm_arena_mark(pass->arena);

		if (node->claim.n == 0 && node->object.deleting_ms == PLM_UNSET &&
		    plm_kv_get(pass->st, node->object.labels, key, &value) &&
		    plm_sym_equal(value, pool->slot->object.name)) {
			count_node(pass, pool, plm_res_vector(pass, node->capacity));
		}
		plm_arena_rewind(pass->arena, mark);
	}
}

static void pool_limits(struct plm_pass *pass, struct plm_pool *pool)
{
	uint32_t count = 0;
	const struct plm_amount *limits =
		PLM_SPAN(pass->st, pool->slot->limits, struct plm_amount, &count);

	for (uint32_t r = 0; r < pass->res.count; r++) {
		pool->left[r] = PLM_UNLIMITED;
	}
	plm_res_fill(pass, pool->slot->limits, pool->left);
	for (uint32_t r = 0; r < pass->res.count; r++) {
		pool->limited = pool->limited || pool->left[r] != PLM_UNLIMITED;
	}
	count_claims(pass, pool);
	count_nodes(pass, pool);
	pool->nodes_left = PLM_UNLIMITED;
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(limits[i].resource, pass->sched.known[PLM_KNOWN_NODES])) {
			pool->nodes_left = plm_sub_sat(limits[i].amount, pool->nodes);
		}
	}
	pool->size_left = pool->slot->max_size == PLM_UNSET
				  ? PLM_UNLIMITED
				  : plm_sub_sat(pool->slot->max_size, pool->nodes);
}

/* ---- all pools --------------------------------------------------------------------------------- */

static int heavier_first(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_pass *pass = context;
	const struct plm_node_pool *x = plm_node_pool_at(pass->st, (plm_id){a});
	const struct plm_node_pool *y = plm_node_pool_at(pass->st, (plm_id){b});

	if (x->weight != y->weight) {
		return x->weight > y->weight ? -1 : 1;
	}
	return plm_sym_compare(pass->st, y->object.name, x->object.name);
}

static void begin_pool(struct plm_pass *pass, struct plm_pool *pool, plm_id id)
{
	*pool = (struct plm_pool){
		.id = id,
		.slot = plm_node_pool_at(pass->st, id),
		.bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t),
		.left = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t),
		.failed = PLM_NEW_ARRAY(pass->arena, pass->try_words, uint64_t),
		.firsts = PLM_NEW_ARRAY(pass->arena, pass->try_count, struct plm_first),
	};
	pool->class_id = class_of(pass, pool->slot);
	pool->has = plm_pass_capacity(pass, pool->class_id);
	pool->reqs = pool_reqs(pass, pool);
	pool->taints = plm_taints_of(&pass->sched, pool->slot->taints);
	pool_types(pass, pool);
	pool_limits(pass, pool);
	if (!is_ready(pass, pool->slot)) {
		pool->use = PLM_POOL_NOT_READY;
	} else if (plm_types_count(pass, pool->bits) == 0) {
		pool->use = PLM_POOL_NO_TYPE;
	}
}

void plm_pass_pools(struct plm_pass *pass)
{
	uint32_t live = plm_node_pool_live(pass->st);
	uint32_t *order = PLM_NEW_ARRAY(pass->arena, live, uint32_t);
	uint32_t count = 0;

	PLM_EACH(pass->st, node_pool, id)
	{
		order[count++] = id.n;
	}
	plm_sort(order, count, heavier_first, pass, pass->arena);
	pass->pools = PLM_NEW_ARRAY(pass->arena, count, struct plm_pool);
	pass->pool_count = count;
	for (uint32_t i = 0; i < count; i++) {
		begin_pool(pass, &pass->pools[i], (plm_id){order[i]});
		if (pass->pools[i].use == PLM_POOL_USED) {
			plm_pool_overheads(pass, &pass->pools[i]);
		}
	}
}

/* Noted before vectors are made: limits and whether preferring taints exist. */
void plm_pass_note_pools(struct plm_pass *pass)
{
	PLM_EACH(pass->st, node_pool, id)
	{
		const struct plm_node_pool *pool = plm_node_pool_at(pass->st, id);
		struct plm_taints taints = plm_taints_of(&pass->sched, pool->taints);

		plm_res_note(pass, pool->limits);
		for (uint32_t i = 0; is_ready(pass, pool) && i < taints.count; i++) {
			if (taints.list[i].effect == PLM_EFFECT_PREFER_NO_SCHEDULE) {
				pass->soft_taints = true;
			}
		}
	}
}
