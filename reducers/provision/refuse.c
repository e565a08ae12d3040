/*
 * Pods that no node is looked for: what they ask for is not Karpenter's to give (karpenter.md 2.1).
 *
 * A pod opts out by asking for nodes of no pool. Otherwise each hard requirement must name labels that
 * a pool may have, with values that are possible at all. Preferences are not looked at: one that cannot
 * be met is let go like any other.
 */
#include "reducers/provision/pass.h"

static bool ends_in(struct plm_slice text, const char *domain)
{
	size_t size = strlen(domain);

	return text.size >= size && memcmp(text.ptr + text.size - size, domain, size) == 0 &&
	       (text.size == size || text.ptr[text.size - size - 1] == '.');
}

/* Labels that only Karpenter and the kubelet may set. */
static bool restricted(const struct plm_sched *sched, plm_sym key)
{
	struct plm_slice domain = plm_sched_text(sched, key);

	if (plm_known_label(sched, key)) {
		return false;
	}
	if (plm_sym_equal(key, sched->known[PLM_KNOWN_HOSTNAME])) {
		return true;
	}
	for (size_t i = 0; i < domain.size; i++) {
		if (domain.ptr[i] == '/') {
			domain.size = i;
			return ends_in(domain, "karpenter.sh") ||
			       ends_in(domain, "karpenter.k8s.aws");
		}
	}
	return false;
}

/* Labels with a closed list of values: is one of 'values' on it? Others have no list. */
static bool possible(const struct plm_sched *sched, plm_sym key, const plm_sym *values,
		     uint32_t count)
{
	static const enum plm_known_word capacity[] = {PLM_KNOWN_SPOT, PLM_KNOWN_ON_DEMAND,
						       PLM_KNOWN_RESERVED};
	bool by_capacity = plm_sym_equal(key, sched->known[PLM_KNOWN_CAPACITY_TYPE]);
	bool by_tenancy = plm_sym_equal(key, sched->known[PLM_KNOWN_TENANCY]);
	bool found = !by_capacity && !by_tenancy;

	for (uint32_t i = 0; i < count && !found; i++) {
		for (size_t c = 0; by_capacity && c < PLM_COUNTOF(capacity); c++) {
			found = found || plm_sym_equal(values[i], sched->known[capacity[c]]);
		}
		found = found || (by_tenancy &&
				  (plm_slice_is(plm_sched_text(sched, values[i]), "default") ||
				   plm_slice_is(plm_sched_text(sched, values[i]), "dedicated")));
	}
	return found;
}

static bool bound_is_sound(const struct plm_sched *sched, const plm_sym *values, uint32_t count)
{
	int64_t number = 0;

	return count == 1 && plm_sched_integer(sched, values[0], &number) && number >= 0;
}

static bool is_refused(const struct plm_sched *sched, plm_sym raw, enum plm_op op,
		       const plm_sym *values, uint32_t count)
{
	plm_sym key = plm_known_key(sched, raw);

	if (restricted(sched, key) || (op == PLM_OP_IN && !possible(sched, key, values, count))) {
		return true;
	}
	return op >= PLM_OP_GT && !bound_is_sound(sched, values, count);
}

static bool selector_refused(const struct plm_sched *sched, const struct plm_shape *shape,
			     plm_sym *out_key)
{
	uint32_t count = 0;
	const struct plm_kv *selector =
		PLM_SPAN(sched->st, shape->node_selector, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (is_refused(sched, selector[i].key, PLM_OP_IN, &selector[i].value, 1)) {
			*out_key = selector[i].key;
			return true;
		}
	}
	return false;
}

static bool terms_refused(const struct plm_sched *sched, const struct plm_shape *shape,
			  plm_sym *out_key)
{
	uint32_t count = 0;
	const struct plm_term *terms =
		PLM_SPAN(sched->st, shape->required, struct plm_term, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t expr_count = 0;
		const struct plm_expr *exprs =
			PLM_SPAN(sched->st, terms[i].exprs, struct plm_expr, &expr_count);

		for (uint32_t j = 0; j < expr_count; j++) {
			uint32_t values = 0;
			const plm_sym *list =
				PLM_SPAN(sched->st, exprs[j].values, plm_sym, &values);

			if (is_refused(sched, exprs[j].key, (enum plm_op)exprs[j].op, list,
				       values)) {
				*out_key = exprs[j].key;
				return true;
			}
		}
	}
	return false;
}

static bool terms_name_pool(const struct plm_sched *sched, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_term *terms = PLM_SPAN(sched->st, span, struct plm_term, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t expr_count = 0;
		const struct plm_expr *exprs =
			PLM_SPAN(sched->st, terms[i].exprs, struct plm_expr, &expr_count);

		for (uint32_t j = 0; j < expr_count; j++) {
			if (plm_sym_equal(exprs[j].key, sched->known[PLM_KNOWN_NODE_POOL])) {
				return true;
			}
		}
	}
	return false;
}

/* What it asks for first, the heaviest preference included, leaves no pool whatever. */
static bool opts_out(const struct plm_sched *sched, const struct plm_shape *shape)
{
	size_t mark = plm_arena_mark(sched->arena);
	struct plm_ask ask;
	const struct plm_req *pool = NULL;
	bool out = false;

	if (!terms_name_pool(sched, shape->required) && !terms_name_pool(sched, shape->preferred)) {
		return false; /* a selector alone names one pool */
	}
	ask = plm_ask_first(sched, shape, PLM_ASK_RESPECT);
	pool = plm_reqs_get(&ask.reqs, sched->known[PLM_KNOWN_NODE_POOL]);
	out = pool != NULL && plm_req_op(pool) == PLM_OP_DOES_NOT_EXIST;
	plm_arena_rewind(sched->arena, mark);
	return out;
}

static bool labels_refused(const struct plm_sched *sched, const struct plm_shape *shape,
			   plm_sym *out_key)
{
	if (opts_out(sched, shape)) {
		*out_key = sched->known[PLM_KNOWN_NODE_POOL];
		return true;
	}
	return selector_refused(sched, shape, out_key) || terms_refused(sched, shape, out_key) ||
	       plm_shape_uses_fields(sched, shape);
}

enum plm_rule plm_pod_refused(const struct plm_sched *sched, const struct plm_pod *pod,
			      plm_sym *out_key)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(sched->st, pod->shape, struct plm_shape, &count);
	bool moves = pod->node.n != 0;

	*out_key = (plm_sym){0};
	PLM_ASSERT(count <= 1);
	if (count == 0) {
		return PLM_RULE_REQUIREMENTS;
	}
	/* Karpenter does not look again at what runs already. */
	if (!(moves && plm_root(sched->st)->compat == PLM_COMPAT_STRICT) &&
	    labels_refused(sched, shape, out_key)) {
		return PLM_RULE_REQUIREMENTS;
	}
	if (shape->has_claims != 0) {
		return PLM_RULE_DEVICES;
	}
	return moves ? PLM_RULE_NONE : plm_volumes_refuse(sched, pod);
}
