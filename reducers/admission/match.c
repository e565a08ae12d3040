#include "reducers/admission/match.h"

#include "reducers/sched/selector.h"

/* ---- taints ------------------------------------------------------------------------------------ */

bool plm_match_tolerates(const struct plm_state *st, plm_sym tolerations,
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
		    !plm_match_tolerates(st, shape->tolerations, &taint[i]) &&
		    !plm_match_tolerates(st, flavor->tolerations, &taint[i])) {
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
		plm_sym value = {0};

		if (!plm_kv_get(st, labels, expr[i].key, &value)) {
			continue;
		}
		if (!plm_selector_expr_matches(st, &expr[i], labels)) {
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
		plm_sym have = {0};

		if (plm_kv_get(st, flavor->node_labels, selector[i].key, &have) &&
		    !plm_sym_equal(have, selector[i].value)) {
			return (struct plm_mismatch){PLM_RULE_FLAVOR_AFFINITY, selector[i].key};
		}
	}
	return match_terms(st, shape->required, flavor->node_labels);
}
