/*
 * place.h - topology-aware scheduling: which domains the pods of a workload get
 *
 * Owns: the trees of all flavors with a topology, usage in their leaves, placement in them. Does not:
 * change state, choose flavors or victims, know quota. Made anew for a round, from state alone; trial
 * changes (a victim's pods out, an entry's pods in) are made here and taken back, or stay.
 *
 * Leaves are ready, schedulable nodes that have all labels of the flavor and of the levels. What a leaf
 * can take = allocatable - pods that are not placed by topology - pods of admitted workloads; hosts
 * are shared by all flavors whose lowest level is the host. Requests are those of one pod as written,
 * and one of "pods". Order of equals: level values, by bytes.
 * Source: kueue.md 2.15, 2.16. Everything lives in the arena given to plm_tas_make().
 */
#ifndef PLM_REDUCERS_TAS_PLACE_H
#define PLM_REDUCERS_TAS_PLACE_H

#include "core/state.h"

struct plm_tas;

/* 'count' pods in one domain. 'values' by level of the assignment, borrowed, as is 'each'. */
struct plm_tas_use {
	plm_sym flavor;
	uint32_t value_count;
	const plm_sym *values;
	const struct plm_amount *each; /* of one pod, without "pods" */
	uint32_t each_count;
	int64_t count;
};

/* One pod set that wants places in 'flavor'. Neighbours with one topology group are leader and workers. */
struct plm_tas_ask {
	const struct plm_pod_set *set;
	plm_sym flavor;
	int64_t count;
	const struct plm_amount *each;
	uint32_t each_count;
	bool implied; /* by a queue that has flavors with topologies only */
	/* Not 0: a node that failed; only the pods that 'before' has there are placed. */
	plm_sym lost;
	const struct plm_assignment *before;
};

struct plm_tas_domain {
	const plm_sym *values; /* as many as the set has levels */
	int64_t count;
};

/* Where the pods of an ask go: by level values. Of a topology that ends at the host only that level. */
struct plm_tas_set {
	const plm_sym *levels;
	struct plm_tas_domain *domains;
	uint32_t level_count, domain_count;
};

enum plm_tas_verdict {
	PLM_TAS_PLACED,
	PLM_TAS_NO_ROOM,       /* 'fit' of 'need' */
	PLM_TAS_NO_TOPOLOGY,   /* the flavor has none, or its Topology is not there */
	PLM_TAS_NO_LEVEL,      /* 'level' is not one of the topology, or none was asked for */
	PLM_TAS_NO_DOMAINS,    /* no node has 'level' */
	PLM_TAS_SLICES_ABOVE,  /* 'level' of slices lies above that of the pod set */
	PLM_TAS_LAYER_ABOVE,   /* 'level' of an inner layer does not lie below the one around it */
	PLM_TAS_LAYER_DIVIDES, /* 'need' of a layer at 'level' does not divide the one around it */
	PLM_TAS_SLICE_DIVIDES, /* 'need' pods are no multiple of slices of 'fit' */
	PLM_TAS_STALE, /* another domain of the assignment is gone as well: 'level' its name */
};

enum plm_tas_rule {
	PLM_TAS_BY_TAINT, /* key, value, effect */
	PLM_TAS_BY_SELECTOR,
	PLM_TAS_BY_AFFINITY,
	PLM_TAS_BY_DOMAIN,   /* not in the domain that the rest of the pods is in */
	PLM_TAS_BY_RESOURCE, /* key: not even one pod fits */
};

/* Leaves that could take no pod, by the first rule that says so. */
struct plm_tas_excluded {
	enum plm_tas_rule rule;
	plm_sym key, value;
	uint32_t effect; /* enum plm_taint_effect */
	uint32_t leaves;
};

/* How many slices of one layer fit into the best domain. */
struct plm_tas_layer_fit {
	plm_sym level;
	int64_t fit, need;
};

struct plm_tas_failure {
	enum plm_tas_verdict verdict;
	uint32_t ask; /* index */
	plm_sym level;
	int64_t fit, need; /* pods, or slices */
	bool slices;
	uint32_t leaves; /* looked at */
	const struct plm_tas_excluded *excluded;
	const struct plm_tas_layer_fit *layers; /* of slices with inner layers */
	uint32_t excluded_count, layer_count;
};

/* Nothing is looked at before it is asked for. */
struct plm_tas *plm_tas_make(const struct plm_state *st, struct plm_arena *arena);
/* Look at nodes, trees and usage now: memory taken later is not kept beyond a call. */
void plm_tas_prepare(struct plm_tas *tas);
/* Enter ('sign' 1) or take out (-1) pods. Domains that are gone count nowhere. */
void plm_tas_add(struct plm_tas *tas, const struct plm_tas_use *uses, uint32_t count, int sign);
/* Does every domain have room for its pods, those of all 'uses' together? False when one is gone. */
bool plm_tas_fits(struct plm_tas *tas, const struct plm_tas_use *uses, uint32_t count);
/*
 * Find places for all of 'asks', later ones beside earlier ones. 'empty': as if no workload used any.
 * True: 'out', an element per ask, is filled. False: 'why' is; it
 * may be NULL, which is quicker.
 */
bool plm_tas_place(struct plm_tas *tas, const struct plm_tas_ask *asks, uint32_t count, bool empty,
		   struct plm_tas_set *out, struct plm_tas_failure *why);

#endif
