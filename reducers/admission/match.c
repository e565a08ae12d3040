#include "reducers/admission/match.h"

static const struct plm_kv *label(const struct plm_state *st, plm_sym labels, plm_sym key)
{
	uint32_t count = 0;
	const struct plm_kv *pair = PLM_SPAN(st, labels, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(pair[i].key, key)) {
			return &pair[i];
		}
	}
	return NULL;
}

/* A whole decimal number; false for anything else. */
static bool number(struct plm_slice text, int64_t *out)
{
	bool minus = text.size > 0 && text.ptr[0] == '-';
	int64_t value = 0;

	if (text.size == (minus ? 1U : 0U)) {
		return false;
	}
	for (size_t i = minus ? 1 : 0; i < text.size; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9') {
			return false;
		}
		value = plm_add_sat(plm_mul_sat(value, 10), text.ptr[i] - '0');
	}
	*out = minus ? -value : value;
	return true;
}

static bool compares(const struct plm_state *st, const struct plm_expr *expr, plm_sym have)
{
	uint32_t count = 0;
	const plm_sym *values = PLM_SPAN(st, expr->values, plm_sym, &count);
	int64_t left = 0;
	int64_t right = 0;

	if (count != 1 || !number(plm_str(st, have), &left) ||
	    !number(plm_str(st, values[0]), &right)) {
		return false;
	}
	switch (expr->op) {
	case PLM_OP_GT:
		return left > right;
	case PLM_OP_LT:
		return left < right;
	case PLM_OP_GTE:
		return left >= right;
	default:
		return left <= right;
	}
}

static bool one_of(const struct plm_state *st, plm_sym values, plm_sym have)
{
	uint32_t count = 0;
	const plm_sym *value = PLM_SPAN(st, values, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(value[i], have)) {
			return true;
		}
	}
	return false;
}

static bool expr_holds(const struct plm_state *st, const struct plm_expr *expr, plm_sym labels)
{
	const struct plm_kv *have = label(st, labels, expr->key);

	switch ((enum plm_op)expr->op) {
	case PLM_OP_IN:
		return have != NULL && one_of(st, expr->values, have->value);
	case PLM_OP_NOT_IN:
		return have == NULL || !one_of(st, expr->values, have->value);
	case PLM_OP_EXISTS:
		return have != NULL;
	case PLM_OP_DOES_NOT_EXIST:
		return have == NULL;
	case PLM_OP_GT:
	case PLM_OP_LT:
	case PLM_OP_GTE:
	case PLM_OP_LTE:
		return have != NULL && compares(st, expr, have->value);
	}
	PLM_UNREACHABLE();
}

bool plm_match_labels(const struct plm_state *st, const struct plm_selector *selector,
		      plm_sym labels)
{
	uint32_t count = 0;
	const struct plm_expr *expr = PLM_SPAN(st, selector->exprs, struct plm_expr, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (!expr_holds(st, &expr[i], labels)) {
			return false;
		}
	}
	return selector->present == 1;
}

/* ---- taints ------------------------------------------------------------------------------------ */

static bool tolerates(const struct plm_state *st, plm_sym tolerations,
		      const struct plm_taint *taint)
{
	uint32_t count = 0;
	const struct plm_toleration *t = PLM_SPAN(st, tolerations, struct plm_toleration, &count);

	for (uint32_t i = 0; i < count; i++) {
		bool exists = t[i].op == PLM_TOLERATION_EXISTS;

		if ((t[i].effect != PLM_EFFECT_ANY && t[i].effect != taint->effect) ||
		    (t[i].key.n != 0 && !plm_sym_equal(t[i].key, taint->key)) ||
		    (t[i].key.n == 0 && !exists)) {
			continue;
		}
		if (exists ||
		    (t[i].op == PLM_TOLERATION_EQUAL && plm_sym_equal(t[i].value, taint->value))) {
			return true;
		}
	}
	return false;
}

static struct plm_mismatch match_taints(const struct plm_state *st, const struct plm_flavor *flavor,
					const struct plm_shape *shape)
{
	uint32_t count = 0;
	const struct plm_taint *taint = PLM_SPAN(st, flavor->node_taints, struct plm_taint, &count);

	for (uint32_t i = 0; i < count; i++) {
		if ((taint[i].effect == PLM_EFFECT_NO_SCHEDULE ||
		     taint[i].effect == PLM_EFFECT_NO_EXECUTE) &&
		    !tolerates(st, shape->tolerations, &taint[i]) &&
		    !tolerates(st, flavor->tolerations, &taint[i])) {
			return (struct plm_mismatch){PLM_RULE_FLAVOR_TAINT, taint[i].key};
		}
	}
	return (struct plm_mismatch){PLM_RULE_NONE, {0}};
}

/* ---- affinity: only keys that the flavor's own labels have ------------------------------------- */

enum term_result {
	TERM_EMPTY,
	TERM_HOLDS,
	TERM_FAILS
};

static enum term_result term_holds(const struct plm_state *st, const struct plm_term *term,
				   plm_sym labels, plm_sym *out_key)
{
	uint32_t count = 0;
	const struct plm_expr *expr = PLM_SPAN(st, term->exprs, struct plm_expr, &count);
	enum term_result result = TERM_EMPTY;

	for (uint32_t i = 0; i < count; i++) {
		if (label(st, labels, expr[i].key) == NULL) {
			continue;
		}
		if (!expr_holds(st, &expr[i], labels)) {
			*out_key = expr[i].key;
			result = TERM_FAILS;
		} else if (result == TERM_EMPTY) {
			result = TERM_HOLDS;
		}
	}
	return result;
}

/* A term that nothing is left of makes the affinity match everything. */
static struct plm_mismatch match_terms(const struct plm_state *st, plm_sym required, plm_sym labels)
{
	uint32_t count = 0;
	const struct plm_term *term = PLM_SPAN(st, required, struct plm_term, &count);
	struct plm_mismatch mismatch = {PLM_RULE_NONE, {0}};
	bool holds = count == 0;

	for (uint32_t i = 0; i < count; i++) {
		enum term_result result = term_holds(st, &term[i], labels, &mismatch.key);

		if (result == TERM_EMPTY) {
			return (struct plm_mismatch){PLM_RULE_NONE, {0}};
		}
		holds = holds || result == TERM_HOLDS;
	}
	mismatch.rule = holds ? PLM_RULE_NONE : PLM_RULE_FLAVOR_AFFINITY;
	return mismatch;
}

struct plm_mismatch plm_match_flavor(const struct plm_state *st, const struct plm_flavor *flavor,
				     const struct plm_shape *shape)
{
	struct plm_mismatch mismatch = {PLM_RULE_NONE, {0}};
	uint32_t count = 0;
	const struct plm_kv *selector = PLM_SPAN(st, shape->node_selector, struct plm_kv, &count);

	if (flavor == NULL) {
		return mismatch;
	}
	mismatch = match_taints(st, flavor, shape);
	if (mismatch.rule != PLM_RULE_NONE) {
		return mismatch;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_kv *have = label(st, flavor->node_labels, selector[i].key);

		if (have != NULL && !plm_sym_equal(have->value, selector[i].value)) {
			return (struct plm_mismatch){PLM_RULE_FLAVOR_AFFINITY, selector[i].key};
		}
	}
	return match_terms(st, shape->required, flavor->node_labels);
}
