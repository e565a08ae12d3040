#include "reducers/sched/selector.h"

#include "core/quantity.h"

static bool compare_matches(const struct plm_state *st, const struct plm_expr *expr, plm_sym value)
{
	uint32_t count = 0;
	const plm_sym *list = PLM_SPAN(st, expr->values, plm_sym, &count);
	int64_t have = 0;
	int64_t bound = 0;

	if (count != 1 || !plm_integer_parse(plm_str(st, value), &have) ||
	    !plm_integer_parse(plm_str(st, list[0]), &bound)) {
		return false;
	}
	switch (expr->op) {
	case PLM_OP_GT:
		return have > bound;
	case PLM_OP_LT:
		return have < bound;
	case PLM_OP_GTE:
		return have >= bound;
	default:
		return have <= bound;
	}
}

bool plm_selector_expr_matches(const struct plm_state *st, const struct plm_expr *expr,
			       plm_sym labels)
{
	plm_sym value = {0};
	bool found = plm_kv_get(st, labels, expr->key, &value);

	switch ((enum plm_op)expr->op) {
	case PLM_OP_IN:
		return found && plm_syms_have(st, expr->values, value);
	case PLM_OP_NOT_IN:
		return !found || !plm_syms_have(st, expr->values, value);
	case PLM_OP_EXISTS:
		return found;
	case PLM_OP_DOES_NOT_EXIST:
		return !found;
	case PLM_OP_GT:
	case PLM_OP_LT:
	case PLM_OP_GTE:
	case PLM_OP_LTE:
		return found && compare_matches(st, expr, value);
	}
	PLM_UNREACHABLE();
}

bool plm_selector_matches(const struct plm_state *st, const struct plm_selector *selector,
			  plm_sym labels)
{
	uint32_t count = 0;
	const struct plm_expr *exprs = PLM_SPAN(st, selector->exprs, struct plm_expr, &count);

	if (selector->present == 0) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!plm_selector_expr_matches(st, &exprs[i], labels)) {
			return false;
		}
	}
	return true;
}
