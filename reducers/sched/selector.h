/*
 * selector.h - label selectors against labels (a span of plm_kv)
 */
#ifndef PLM_REDUCERS_SCHED_SELECTOR_H
#define PLM_REDUCERS_SCHED_SELECTOR_H

#include "core/state.h"

/* One expression of a label selector or of a node selector term. */
bool plm_selector_expr_matches(const struct plm_state *st, const struct plm_expr *expr,
			       plm_sym labels);
/* An absent selector matches nothing, an empty one everything. */
bool plm_selector_matches(const struct plm_state *st, const struct plm_selector *selector,
			  plm_sym labels);

#endif
