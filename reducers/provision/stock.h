/*
 * stock.h - what the cloud would not give, and until when it is not asked for again
 *
 * Owns: the rows of table STOCK_OUT. A row covers one offering (capacity type, type, zone), a whole capacity
 * type, a whole zone (a subnet without addresses) or a reservation. Upstream remembers each for three
 * minutes and forgets it with its process. Here the rows are state; unless strict, an offering that is
 * refused again soon after is left alone twice as long, PLM_LIMIT_STOCK_OUT_DOUBLINGS times at most.
 * Sources: karpenter.md 2.12, 4.5, 7 (row 4).
 */
#ifndef PLM_REDUCERS_PROVISION_STOCK_H
#define PLM_REDUCERS_PROVISION_STOCK_H

#include "reducers/cluster/parts.h"

/* fold: 'refusal' was refused. 'code' stands for refusals without a word of their own. */
void plm_stock_note(struct plm_state *st, const struct plm_w_refusal *refusal,
		    struct plm_slice code, int64_t now_ms);
/* fold: an instance was had there, so what was remembered of that offering is over. */
void plm_stock_had(struct plm_state *st, plm_sym type, plm_sym zone, plm_sym capacity_type);
/* fold: the clock moved on. */
void plm_stock_expire(struct plm_state *st, int64_t now_ms);
/* Is the offering covered by a row at 'now_ms'? */
bool plm_stock_is_out(const struct plm_state *st, plm_sym type, const struct plm_offering *offering,
		      int64_t now_ms);
/* When the next row stops to cover; PLM_UNSET when none does. */
int64_t plm_stock_next_due(const struct plm_state *st);

#endif
