/*
 * selector.h - label selectors against labels (a span of plm_kv)
 */
#ifndef PLM_REDUCERS_SCHED_SELECTOR_H
#define PLM_REDUCERS_SCHED_SELECTOR_H

#include "reducers/sched/known.h"

/* The value of 'key' among 'labels'; false when it is not there. */
bool plm_label_get(const struct plm_state *st, plm_sym labels, plm_sym key, plm_sym *out);
/* One expression of a label selector. */
bool plm_selector_expr_matches(const struct plm_sched *sched, const struct plm_expr *expr,
			       plm_sym labels);
/* An absent selector matches nothing, an empty one everything. */
bool plm_selector_matches(const struct plm_sched *sched, const struct plm_selector *selector,
			  plm_sym labels);

#endif
