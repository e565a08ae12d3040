#include "reducers/admission/elastic.h"

static int64_t amount_of(const struct plm_state *st, plm_sym amounts, plm_sym resource,
			 int64_t absent)
{
	uint32_t count = 0;
	const struct plm_amount *amount = PLM_SPAN(st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(amount[i].resource, resource)) {
			return amount[i].amount;
		}
	}
	return absent;
}

/* The largest allocatable of 'resource' over the types that the pool's class allows. */
static int64_t largest(const struct plm_state *st, const struct plm_node_pool *pool,
		       plm_sym resource)
{
	plm_id class_id =
		plm_find(st, (enum plm_kind)pool->class_kind, (plm_sym){0}, pool->class_name);
	plm_sym types =
		class_id.n == 0 ? (plm_sym){0} : plm_node_class_at(st, class_id)->instance_types;
	uint32_t count = 0;
	const plm_sym *names = PLM_SPAN(st, types, plm_sym, &count);
	int64_t most = 0;

	for (uint32_t i = 0; i < count; i++) {
		plm_id type = plm_index_find(st, PLM_KEY_INSTANCE_TYPE, names[i].n, 0);

		if (type.n != 0) {
			most = plm_max(most,
				       amount_of(st, plm_instance_type_at(st, type)->allocatable,
						 resource, 0));
		}
	}
	if (types.n != 0) {
		return most;
	}
	PLM_EACH(st, instance_type, type)
	{
		most = plm_max(most, amount_of(st, plm_instance_type_at(st, type)->allocatable,
					       resource, 0));
	}
	return most;
}

static int64_t pool_allows(const struct plm_state *st, const struct plm_node_pool *pool,
			   plm_sym resource)
{
	int64_t limit = amount_of(st, pool->limits, resource, PLM_UNSET);

	if (limit != PLM_UNSET) {
		return limit;
	}
	if (pool->max_size == PLM_UNSET) {
		return PLM_UNLIMITED;
	}
	return plm_mul_sat(pool->max_size, largest(st, pool, resource));
}

int64_t plm_elastic_allowed(const struct plm_state *st, plm_sym resource)
{
	int64_t sum = 0;

	if (plm_node_pool_live(st) == 0) {
		return PLM_UNLIMITED;
	}
	PLM_EACH(st, node_pool, id)
	{
		sum = plm_quota_add(sum, pool_allows(st, plm_node_pool_at(st, id), resource));
	}
	return sum;
}

void plm_elastic_fill(struct plm_quotas *snap)
{
	const struct plm_state *st = snap->st;
	plm_sym name = plm_sym_find(st, plm_slice_str(PLM_ELASTIC_COHORT));
	plm_sym flavor = plm_sym_find(st, plm_slice_str(PLM_ELASTIC_FLAVOR));

	for (uint32_t n = 0; name.n != 0 && n < snap->tree.count; n++) {
		const struct plm_quota_node *node = &snap->tree.nodes[n];

		if (node->queue || node->slot.n != 0 || node->cells == NULL ||
		    !plm_sym_equal(node->name, name)) {
			continue;
		}
		for (uint32_t f = 0; f < plm_quotas_pair_count(snap, n); f++) {
			const struct plm_pair *pair = plm_quotas_pair_at(snap, n, f);
			int64_t left = 0;

			if (!plm_sym_equal(pair->flavor, flavor)) {
				continue;
			}
			left = plm_elastic_allowed(st, pair->resource);
			for (uint32_t q = 0; q < snap->tree.count; q++) {
				if (snap->tree.nodes[q].parent == n) {
					left = plm_quota_sub(left,
							     snap->tree.nodes[q].cells[f].nominal);
				}
			}
			node->cells[f].nominal = plm_max(0, left);
			node->cells[f].subtree = node->cells[f].nominal;
		}
	}
}
