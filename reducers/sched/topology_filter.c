/* Which nodes a spread counts on, and when two constraints mean the same ones: karpenter.md 2.9. */
#include "reducers/sched/topology.h"

struct plm_topo_filter plm_topo_filter_make(const struct plm_topology *t,
					    const struct plm_shape *shape,
					    const struct plm_spread *spread,
					    const struct plm_ask *ask)
{
	struct plm_topo_filter filter = {
		.by_affinity = spread->affinity_policy != PLM_NODE_POLICY_IGNORE,
		.by_taints = spread->taints_policy == PLM_NODE_POLICY_HONOR,
		.node_selector = shape->node_selector,
		.required = shape->required,
		.tolerated = ask->tolerations,
	};
	struct plm_reqs selector = plm_reqs_of_labels(t->sched, shape->node_selector);
	uint32_t count = 0;
	const struct plm_term *terms =
		PLM_SPAN(t->sched->st, shape->required, struct plm_term, &count);
	uint32_t from = ask->required_from;

	filter.tolerations = shape->tolerations;
	filter.required_from = from;
	filter.soft = ask->tolerations.all_soft;
	filter.terms = PLM_NEW_ARRAY(t->sched->arena, (size_t)count + 1, struct plm_reqs);
	for (uint32_t i = from; i < count; i++) {
		struct plm_reqs term = plm_reqs_of_exprs(t->sched, terms[i].exprs);

		filter.terms[filter.term_count++] = plm_reqs_merge(t->sched, &selector, &term);
	}
	if (filter.term_count == 0) {
		filter.terms[filter.term_count++] = selector;
	}
	PLM_ASSERT(filter.term_count > 0 && filter.term_count <= count + 1);
	return filter;
}

/* A label that the node does not name (yet) does not count, not even a well-known one. */
bool plm_topo_filter_matches(const struct plm_topology *t, const struct plm_topo_filter *filter,
			     const struct plm_taints *taints, const struct plm_reqs *reqs)
{
	bool fits = !filter->by_affinity || filter->term_count == 0;

	for (uint32_t i = 0; i < filter->term_count && !fits; i++) {
		fits = plm_reqs_compatible(t->sched, reqs, &filter->terms[i], false, NULL);
	}
	return fits && (!filter->by_taints ||
			plm_taints_refuse(t->sched, taints, &filter->tolerated) == NULL);
}

/*
 * Karpenter tells filters apart by a hash that sees the keys of requirements only, and that adds the
 * terms, and the tolerations, up by exclusive or: two equal ones cancel out. So filters are one when each
 * set of keys, and each toleration, occurs an even number of times in both together.
 */
static bool same_keys(const struct plm_reqs *a, const struct plm_reqs *b)
{
	bool same = a->count == b->count;

	for (uint32_t i = 0; i < a->count && same; i++) {
		same = plm_sym_equal(a->list[i].key, b->list[i].key);
	}
	return same;
}

static uint32_t count_keys(const struct plm_topo_filter *filter, const struct plm_reqs *keys)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < filter->term_count; i++) {
		count += same_keys(&filter->terms[i], keys) ? 1 : 0;
	}
	return count;
}

static uint32_t count_tolerations(const struct plm_topo_filter *filter,
				  const struct plm_toleration *one)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < filter->tolerated.count; i++) {
		const struct plm_toleration *have = &filter->tolerated.list[i];

		count += plm_sym_equal(have->key, one->key) && have->op == one->op &&
					 plm_sym_equal(have->value, one->value) &&
					 have->effect == one->effect &&
					 have->seconds == one->seconds
				 ? 1
				 : 0;
	}
	return count;
}

static bool cancels(const struct plm_topo_filter *a, const struct plm_topo_filter *b)
{
	for (uint32_t i = 0; i < a->term_count; i++) {
		if ((count_keys(a, &a->terms[i]) + count_keys(b, &a->terms[i])) % 2 != 0) {
			return false;
		}
	}
	for (uint32_t i = 0; i < a->tolerated.count; i++) {
		const struct plm_toleration *one = &a->tolerated.list[i];

		if ((count_tolerations(a, one) + count_tolerations(b, one)) % 2 != 0) {
			return false;
		}
	}
	return true;
}

bool plm_topo_filter_same(const struct plm_topology *t, const struct plm_topo_filter *a,
			  const struct plm_topo_filter *b)
{
	if (a->by_affinity != b->by_affinity || a->by_taints != b->by_taints ||
	    a->soft != b->soft) {
		return false;
	}
	if (t->strict) {
		return cancels(a, b) && cancels(b, a);
	}
	return plm_sym_equal(a->node_selector, b->node_selector) &&
	       plm_sym_equal(a->required, b->required) && a->required_from == b->required_from &&
	       plm_sym_equal(a->tolerations, b->tolerations);
}
