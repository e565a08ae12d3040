/*
 * tree.h - the domains of one flavor, the hosts of all, and what is free in them
 *
 * Owns: nodes as topologies see them, trees, usage by slot. Does not: place (place.h).
 *
 * Domains lie level by level, those of a level by level values; so the children of a domain lie next to
 * one another, the index of a domain is its rank among equals, and a pass over a level is a loop. Leaves
 * come last. Every leaf has a slot of usage; hosts have one slot for all trees that end at the host.
 * Amounts are rows of 'width' numbers, one per resource that some node has, resources by name.
 */
#ifndef PLM_REDUCERS_TAS_TREE_H
#define PLM_REDUCERS_TAS_TREE_H

#include "core/limits.h"
#include "reducers/sched/taint.h"
#include "reducers/tas/place.h"

#define PLM_TAS_NONE UINT32_MAX

/* What one pod asks, "pods" included, by resource. Zero amounts are not in it. */
struct plm_tas_each {
	uint32_t *resource; /* index, upwards */
	int64_t *amount;
	uint32_t count;
	plm_sym missing; /* the first by name that no node has; 0 = none */
};

struct plm_tas_node {
	plm_id id;
	uint32_t slot; /* of its host; PLM_TAS_NONE = it has no such label */
};

struct plm_tas_span {
	uint32_t parent; /* PLM_TAS_NONE at the top level */
	uint32_t first;	 /* child; 0 for a leaf */
	uint32_t count;	 /* of children */
	plm_sym value;
};

/* What a domain can take, and after placement what it was given: kueue.md 2.15 phases 1 and 2. */
struct plm_tas_counts {
	int64_t pods, slices;
	int64_t led_pods, led_slices; /* beside a leader */
	uint32_t leaders;
};

/* Kinds of pods that a tree remembers; the oldest makes room. */
#define PLM_TAS_MATCHES 16

/* Leaves that pods of one kind may not use. */
struct plm_tas_match {
	bool used;
	bool any; /* something is refused */
	plm_sym selector, required, tolerations;
	uint32_t required_present;
	uint8_t *refused; /* by leaf: a rule + 1, 0 = they may */
};

struct plm_tas_tree {
	struct plm_tas *tas;
	plm_id flavor;
	plm_sym topology;
	const plm_sym *levels; /* of the Topology, the highest first */
	uint32_t level_count;
	bool hosts; /* the lowest level is the host */
	struct plm_tas_span *domains;
	uint32_t domain_count;
	uint32_t starts[PLM_LIMIT_TOPOLOGY_LEVELS + 1]; /* first domain of a level; the end */
	uint32_t leaf_first, leaf_count;
	uint32_t *nodes;  /* by leaf: its first node, an index */
	uint32_t *slots;  /* by leaf */
	int64_t *room;	  /* rows by leaf: allocatable - pods that are not placed by topology */
	int64_t *used;	  /* rows by slot: pods of workloads */
	int64_t *assumed; /* rows by slot: of this placement's earlier pod sets */
	uint32_t *leaf_of_slot;
	struct plm_tas_counts *counts;	/* by domain, of the current placement */
	uint32_t *list, *other, *spare; /* room for lists of domains */
	struct plm_tas_match *matches;
	uint32_t match_next; /* to be replaced */
};

struct plm_tas {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_sched sched;
	bool ready;	    /* nodes, trees and usage are there */
	plm_sym *resources; /* by name */
	uint32_t width;
	struct plm_tas_node *nodes;
	uint32_t node_count;
	uint32_t *node_of; /* by slot of the state's table: index + 1 */
	int64_t *free;	   /* rows by node */
	plm_sym *hosts;	   /* by slot: value of the label */
	uint32_t host_count;
	uint32_t *host_index; /* open addressing: slot + 1 */
	uint32_t host_mask;
	int64_t *host_used, *host_assumed;
	struct plm_tas_tree **trees; /* by slot of the flavor */
	uint32_t tree_bound;
};

/* The tree of 'flavor', NULL when it has no topology or that is not there. Makes all trees first. */
struct plm_tas_tree *plm_tas_tree_of(struct plm_tas *tas, plm_sym flavor);
/* Build the tree of one flavor (called once each); NULL as above. */
struct plm_tas_tree *plm_tas_tree_make(struct plm_tas *tas, plm_id flavor);
/* Nodes, their room and hosts: before any tree. */
void plm_tas_nodes_make(struct plm_tas *tas);
/* The slot of a host, PLM_TAS_NONE. */
uint32_t plm_tas_host(const struct plm_tas *tas, plm_sym host);

struct plm_tas_each plm_tas_each_make(const struct plm_tas *tas, const struct plm_amount *each,
				      uint32_t count);
/* The slot of a domain by its values; PLM_TAS_NONE when there is none. */
uint32_t plm_tas_slot(const struct plm_tas_tree *tree, const plm_sym *values, uint32_t count);
/* The level that is called 'key', PLM_TAS_NONE. */
uint32_t plm_tas_level(const struct plm_tas_tree *tree, plm_sym key);
/* The domain above (or at) 'domain' at 'level'. */
uint32_t plm_tas_above(const struct plm_tas_tree *tree, uint32_t domain, uint32_t level);
uint32_t plm_tas_level_of(const struct plm_tas_tree *tree, uint32_t domain);
/* 'count' pods more (or less, when negative) in the row of a slot. */
void plm_tas_charge(const struct plm_tas *tas, int64_t *row, const struct plm_tas_each *pod,
		    int64_t count);
/* Which leaves may pods of 'shape' not use? Good until the next call. */
const struct plm_tas_match *plm_tas_match_of(struct plm_tas_tree *tree,
					     const struct plm_shape *shape);
/* The rule that keeps pods of 'shape' off a node, and the taint when it is one; 0 = none, else rule + 1. */
uint8_t plm_tas_refused(const struct plm_tas_tree *tree, const struct plm_shape *shape,
			uint32_t leaf, const struct plm_taint **taint);

static inline int64_t *plm_tas_row(const struct plm_tas *tas, int64_t *rows, uint32_t at)
{
	return rows + (size_t)at * tas->width;
}

#endif
