/*
 * plan.h - one placement: what is asked, step by step
 *
 * Owns: the algorithm of kueue.md 2.15: counts from the leaves up (count.c), the level and the domains
 * that are used (choose.c), down to the leaves (spread.c). Does not: know workloads or groups (place.c).
 *
 * A plan is made for workers and, when their group has a second pod set, one leader that has to be
 * in the same place. 'slice' pods stay together in a domain of 'slice_level'; within it 'inner' sizes
 * by level. "Units" are slices at and above the slice level, below it inner slices or pods.
 */
#ifndef PLM_REDUCERS_TAS_PLAN_H
#define PLM_REDUCERS_TAS_PLAN_H

#include "reducers/tas/tree.h"

struct plm_tas_plan {
	struct plm_tas_tree *tree;
	const struct plm_shape
		*shape; /* of the workers; the leader's is not looked at, as upstream */
	const struct plm_tas_match *match;
	struct plm_tas_each worker, leader;
	int64_t count;
	int64_t leaders; /* 0 or 1 */
	uint32_t level, slice_level;
	int64_t slice;
	int64_t inner[PLM_LIMIT_TOPOLOGY_LEVELS]; /* by level; 0 = pods one by one */
	const struct plm_topology_slice *layers;
	uint32_t layer_count;
	bool required;
	bool least;	 /* least free capacity first; otherwise the best fit */
	bool empty;	 /* as if no workload used any */
	bool assuming;	 /* something is assumed */
	bool quiet;	 /* nobody asks why there is no place */
	uint32_t within; /* only leaves below this domain; PLM_TAS_NONE = all */
};

/* What ended a choice: 'fit' of all units. */
struct plm_tas_short {
	enum plm_tas_verdict verdict;
	uint32_t level;
	int64_t fit, need;
};

/* A list of domains. */
struct plm_tas_list {
	uint32_t *at;
	uint32_t count;
};

/* Fill in the counts of all domains. */
void plm_tas_count(const struct plm_tas_plan *plan);
/* How many pods of the plan fit into a leaf, alone; the resource that binds when none does (may be NULL). */
int64_t plm_tas_leaf_pods(const struct plm_tas_plan *plan, uint32_t leaf, plm_sym *binding);
/* The domains to use, of one level, into 'list'. False: 'why'. */
bool plm_tas_choose(const struct plm_tas_plan *plan, struct plm_tas_list *list,
		    struct plm_tas_short *why);
/* Hand out pods to 'list' and on down: after it counts of the leaves in it are what they got. */
void plm_tas_spread(const struct plm_tas_plan *plan, struct plm_tas_list *list);

/* Different exclusions that are told; the last ones in order are cut off. */
#define PLM_TAS_EXCLUDED 64

/* How domains are ordered. */
enum plm_tas_order {
	PLM_TAS_BY_LED,	   /* leaders first, then by room beside one */
	PLM_TAS_BY_SLICES, /* by room alone */
};
void plm_tas_sort(const struct plm_tas_plan *plan, struct plm_tas_list *list,
		  enum plm_tas_order order);
/* <0: 'a' comes before 'b'. */
int plm_tas_compare(const struct plm_tas_plan *plan, enum plm_tas_order order, uint32_t a,
		    uint32_t b);

/* Count the leaves that take no pod, and the layers, for an explanation. */
void plm_tas_explain(const struct plm_tas_plan *plan, const struct plm_tas_short *why,
		     struct plm_tas_failure *out);

#endif
