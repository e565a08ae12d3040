/*
 * quota.h - the mathematics of the quota tree
 *
 * Owns: the formulas of kueue.md 2.7 over nodes whose cells are arrays by FR ("pair": flavor and
 * resource). Does not: know where nodes come from (snapshot.h). Amounts follow kueue.md 0: int64 with
 * PLM_UNLIMITED, saturating. No recursion: every formula is a walk from a node to its root.
 */
#ifndef PLM_REDUCERS_ADMISSION_QUOTA_H
#define PLM_REDUCERS_ADMISSION_QUOTA_H

#include "core/state.h"

#define PLM_NO_NODE UINT32_MAX

struct plm_cell {
	int64_t nominal;
	int64_t borrowing, lending; /* PLM_UNSET = no limit */
	int64_t subtree;	    /* quota of the node and what its children lend it */
	int64_t usage;
};

/* A ClusterQueue (leaf) or a cohort. */
struct plm_quota_node {
	plm_sym name;
	plm_id slot; /* of the ClusterQueue or Cohort; 0 = a cohort without object */
	uint32_t parent;
	uint32_t first_child, next_sibling; /* active children, by name; cohorts after queues */
	uint32_t tree;			    /* its root */
	uint32_t height, depth;
	bool queue;
	bool active; /* a queue that may have heads, or a cohort outside of rings */
	struct plm_cell *cells;
	int64_t *lendable; /* by resource: fair.h */
};

/* Nodes by index. */
struct plm_quota_tree {
	struct plm_quota_node *nodes;
	uint32_t count;
};

int64_t plm_quota_add(int64_t a, int64_t b);
int64_t plm_quota_sub(int64_t a, int64_t b);

/* localQuota, localAvailable of a cell. */
int64_t plm_quota_local(const struct plm_cell *cell);
int64_t plm_quota_local_available(const struct plm_cell *cell);
/* available(n), may be negative; potentialAvailable(n). */
int64_t plm_quota_available(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair);
int64_t plm_quota_potential(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair);
/* addUsage; removeUsage. */
void plm_quota_use(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair, int64_t amount);
void plm_quota_free(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair,
		    int64_t amount);
/* Would the node borrow with 'amount' more? */
bool plm_quota_borrows(const struct plm_cell *cell, int64_t amount);
/* What the cell has over its subtree quota. */
bool plm_quota_within(const struct plm_cell *cell);

struct plm_fit {
	uint32_t height;
	bool smaller; /* than the whole tree: kueue.md 2.7 "smallerThanWholeTree" */
};
/* lowestFit */
struct plm_fit plm_quota_lowest_fit(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair,
				    int64_t amount);
/* subtree and usage of 'parent' += what 'child' lends and borrows; children first. */
void plm_quota_gather(const struct plm_quota_node *parent, const struct plm_quota_node *child,
		      uint32_t pairs);
/* The same for usage alone: 'subtree' of both is complete. */
void plm_quota_gather_usage(const struct plm_quota_node *parent, const struct plm_quota_node *child,
			    uint32_t pairs);
/* The node whose quota or borrowing limit binds available(): for explanations. */
uint32_t plm_quota_binding(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair,
			   bool *out_limit);

#endif
