/*
 * snapshot.h - the quota tree of one round
 *
 * Owns: nodes for ClusterQueues and cohorts, cells for those trees that have a head in this round, who
 * holds what. Does not: change state. Trial changes (a victim taken out, an entry's usage added) are
 * made here and taken back, or stay for the rest of the round (kueue.md 2.10).
 *
 * Lives in the arena of the step. With a filled queue index usage is copied from there; without (after
 * a load, for explanations) it is summed up from the workload table: the slow twin, same numbers.
 * Source: kueue.md 2.5 (2), 2.7; dialect.md Queues for the elastic pool.
 */
#ifndef PLM_REDUCERS_ADMISSION_SNAPSHOT_H
#define PLM_REDUCERS_ADMISSION_SNAPSHOT_H

#include "reducers/admission/quota.h"
#include "reducers/tas/place.h"

#define PLM_NO_PAIR UINT32_MAX

struct plm_pair {
	plm_sym flavor, resource;
};

/* The FRs of one tree. */
struct plm_pairs {
	struct plm_pair *list;
	uint32_t count;
	uint32_t *hash; /* index + 1 into list, 0 = empty */
	uint32_t mask;
	uint32_t bound;
	/* fair.h */
	uint32_t *resource_of; /* by pair: index into resources */
	plm_sym *resources;
	uint32_t resource_count;
	int64_t *over; /* by resource, for the moment */
};

struct plm_use {
	int64_t amount;
	uint32_t pair;
};

struct plm_uses {
	struct plm_use *list;
	uint32_t count;
};

/* Pods in domains: kueue.md 2.15. */
struct plm_tas_uses {
	struct plm_tas_use *list;
	uint32_t count;
};

/* A workload that holds quota. */
struct plm_holder {
	plm_id workload;
	uint32_t node;
	uint32_t rank; /* among the victims of its tree, once plm_preempt_rank() was called */
	bool evicted;
	bool preempted; /* before, in this turn: rest.h */
	int64_t priority;
	uint64_t pairs; /* of 'uses', modulo 64: none in common, none used */
	struct plm_uses uses;
	struct plm_tas_uses tas; /* made with the holder */
};

struct plm_holders {
	struct plm_holder *list;
	uint32_t count;
	bool made;
	bool ranked;		/* at the root: all of its tree */
	int64_t least_priority; /* of the list; INT64_MAX when it is empty */
};

struct plm_quotas {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_quota_tree tree;
	struct plm_pairs *pairs;     /* by root */
	const uint32_t *queue_nodes; /* by slot of ClusterQueue; PLM_NO_NODE */
	struct plm_holders *holders; /* by node, made when asked for */
	uint32_t holder_count;	     /* of all nodes */
	uint8_t *gone;	       /* by workload slot: 1 = taken out; made with the first holders */
	const uint32_t *order; /* of nodes: children before parents */
	struct plm_tas *tas;   /* domains of all flavors with a topology */
	bool slow;
	bool bare; /* nothing is held: what skeleton.h keeps */
};

/*
 * Build it. 'wanted' has a byte per ClusterQueue slot: trees without any set byte get no cells. 'slow'
 * sums usage from the workload table.
 */
void plm_quotas_make(struct plm_quotas *snap, const struct plm_state *st, struct plm_arena *arena,
		     const uint8_t *wanted, bool slow);

/* All trees without usage. */
void plm_quotas_bare(struct plm_quotas *snap, const struct plm_state *st, struct plm_arena *arena);

const struct plm_cluster_queue *plm_quotas_queue(const struct plm_quotas *snap, uint32_t node);
uint32_t plm_quotas_pair(const struct plm_quotas *snap, uint32_t node, plm_sym flavor,
			 plm_sym resource);
const struct plm_pair *plm_quotas_pair_at(const struct plm_quotas *snap, uint32_t node,
					  uint32_t pair);
uint32_t plm_quotas_pair_count(const struct plm_quotas *snap, uint32_t node);
struct plm_cell *plm_quotas_cell(const struct plm_quotas *snap, uint32_t node, uint32_t pair);
/* max(0, available). */
int64_t plm_quotas_available(const struct plm_quotas *snap, uint32_t node, uint32_t pair);
/* The workloads that hold quota in 'node', those taken out too. */
const struct plm_holders *plm_quotas_holders(struct plm_quotas *snap, uint32_t node);
/* Make the holders of the whole tree of 'node': what is taken from the arena later can be given back. */
void plm_quotas_prepare(struct plm_quotas *snap, uint32_t node);
/* 'amount' more of 'pair'; 'uses' has room for one more. */
void plm_uses_add(struct plm_uses *uses, uint32_t pair, int64_t amount);
/* Quota held by an assignment span in 'node'. */
struct plm_uses plm_quotas_uses(const struct plm_quotas *snap, uint32_t node, plm_sym assignments,
				const struct plm_workload *workload);

/* Usage in and out; a holder also leaves the candidates, and its domains. */
void plm_quotas_use(const struct plm_quotas *snap, uint32_t node, struct plm_uses uses);
void plm_quotas_free(const struct plm_quotas *snap, uint32_t node, struct plm_uses uses);
void plm_quotas_remove(const struct plm_quotas *snap, const struct plm_holder *holder);
void plm_quotas_restore(const struct plm_quotas *snap, const struct plm_holder *holder);

/* The next node of the subtree of 'top' in pre-order, not below 'at' when 'skip'; PLM_NO_NODE at the end. */
uint32_t plm_quotas_walk(const struct plm_quotas *snap, uint32_t top, uint32_t at, bool skip);

#endif
