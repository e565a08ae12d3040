/*
 * cost.h - what removing a node costs its pods, and what it saves: karpenter.md 3.3
 *
 * Owns: Karpenter's cost model as integers, so that what is compared is compared exactly. A cost is a
 * count of 2^-27: 1.0 is PLM_COST_ONE, a deletion cost counts once, a priority four times. Does not: know
 * which pods or nodes it is asked about.
 *
 * All functions are pure, and none overflows for what an API server lets through (priorities and
 * deletion costs are 32 bits wide, a node has fewer than 2^20 pods).
 */
#ifndef PLM_REDUCERS_DISRUPTION_COST_H
#define PLM_REDUCERS_DISRUPTION_COST_H

#include "core/units.h"

#define PLM_COST_ONE ((int64_t)1 << 27)
/* No pod counts for more than this, or less than its negative. */
#define PLM_COST_MAX (10 * PLM_COST_ONE)

/* 1 + deletion cost / 2^27 + priority / 2^25, kept within +-10. 'deletion_cost' PLM_UNSET = 0. */
int64_t plm_cost_eviction(int64_t priority, int64_t deletion_cost);

/* A number that is not whole; 'den' > 0. */
struct plm_ratio {
	int64_t num, den;
};

/* -1, 0, 1 as a < b, a = b, a > b; exact. */
int plm_ratio_compare(struct plm_ratio a, struct plm_ratio b);

/* What is left of its life, 0 to 1: (expireAfter - age) / expireAfter; 1 when it never expires. */
struct plm_ratio plm_cost_lifetime(int64_t expire_ms, int64_t age_ms);

/* Of a node, while its pods are gone through. */
struct plm_node_cost {
	int64_t pods;	    /* sum over all pods: DisruptionCost before its lifetime factor */
	int64_t reschedule; /* 1 + what those that must move cost, none less than 0 */
};
struct plm_node_cost plm_cost_none(void);
void plm_cost_add(struct plm_node_cost *cost, int64_t eviction, bool moves);
/* Nobody would miss it: consolidation's IsEmpty. */
bool plm_cost_is_empty(const struct plm_node_cost *cost);
/* DisruptionCost: what its pods cost, the less the sooner it expires anyway; towards zero. */
int64_t plm_cost_disruption(const struct plm_node_cost *cost, struct plm_ratio lifetime);
/* Micro-USD per hour saved per unit of RescheduleDisruptionCost; a price that is not known saves nothing. */
struct plm_ratio plm_cost_savings(int64_t price_micro, const struct plm_node_cost *cost);

#endif
