/*
 * fair.h - fair sharing: where it is on, and the dominant resource share of a node
 *
 * Owns: DRS as an exact fraction: kueue.md 2.9. Upstream computes it in doubles; the fractions are
 * compared by cross multiplication, over * lendable * weight of each other: below 2^189 for any amounts
 * and weights of int64, so exact in core/wide.h, and equal to upstream's but for the last bit of a
 * double (kueue.md 2.20 (7)). Source also: dialect.md Queues (on in the elastic cohort).
 */
#ifndef PLM_REDUCERS_ADMISSION_FAIR_H
#define PLM_REDUCERS_ADMISSION_FAIR_H

#include "reducers/admission/snapshot.h"

/* share = over / lendable / weight; over 0 = nothing is borrowed that could be lent. */
struct plm_share {
	int64_t over, lendable; /* of the dominant resource */
	int64_t weight_nano;	/* 0 and over > 0: infinite */
	plm_sym resource;
	bool borrowing; /* something is over quota, be it not lendable */
};

/* Is the tree of 'node' shared by weight? */
bool plm_fair_sharing(const struct plm_quotas *snap, uint32_t node);
/* Sums that stay for the life of a snapshot; called when it is made. */
void plm_fair_prepare(struct plm_quotas *snap, uint32_t root);

struct plm_share plm_fair_share(const struct plm_quotas *snap, uint32_t node);
/* <0, 0, >0 */
int plm_fair_compare(struct plm_share a, struct plm_share b);
bool plm_fair_infinite(struct plm_share share);

#endif
