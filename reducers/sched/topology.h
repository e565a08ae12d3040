/*
 * topology.h - spread, pod affinity and anti-affinity over domains (karpenter.md 2.9)
 *
 * Owns: topology groups with a count of pods per domain. A group is one constraint, shared by all pods
 * that carry it; an inverse group is somebody's required anti-affinity, which holds for every pod that
 * it selects. Pods come as kinds (labels, namespace, shape), nodes as requirements.
 * Does not: know nodes, claims or types; the pass gives what there is when it begins.
 *
 * Where Karpenter takes any of several equal domains, the first by name is taken. Groups that only a
 * later state of a pod's preferences needs are made when it comes to that, as upstream: they do not
 * count pods placed before.
 */
#ifndef PLM_REDUCERS_SCHED_TOPOLOGY_H
#define PLM_REDUCERS_SCHED_TOPOLOGY_H

#include "reducers/sched/affinity.h"

enum plm_topo_type {
	PLM_TOPO_SPREAD,
	PLM_TOPO_AFFINITY,
	PLM_TOPO_ANTI_AFFINITY
};

/* Values of one label that some group counts by. */
struct plm_topo_key {
	plm_sym key;
	plm_sym *values;
	uint32_t count, room;
	uint32_t *index; /* open addressing: symbol to its place + 1 */
	uint32_t mask;
};

/* Which nodes a spread counts on: node affinity and taints of the pod that carries it. */
struct plm_topo_filter {
	bool by_affinity, by_taints;
	plm_sym node_selector, required, tolerations; /* what makes two filters equal */
	uint32_t required_from;
	bool soft;
	struct plm_reqs *terms; /* one of them must hold */
	uint32_t term_count;
	struct plm_tolerations tolerated;
};

struct plm_topo_group {
	enum plm_topo_type type;
	bool inverse;
	struct plm_topo_key *key;
	plm_sym namespaces; /* as they were asked for; equal groups have equal ones */
	const plm_sym *ns_list;
	uint32_t ns_count;
	struct plm_selector selector;
	struct plm_expr *extra; /* of matchLabelKeys and mismatchLabelKeys, with the pod's value */
	plm_sym *extra_values;
	uint32_t extra_count;
	int64_t max_skew, min_domains;
	struct plm_topo_filter filter;
	struct plm_tolerations owner; /* affinity, strict: of the pod that made the group */
	int32_t *counts;	      /* by domain; PLM_TOPO_UNKNOWN = the group does not know it */
	uint32_t room;
	uint32_t known, occupied; /* domains; of these with pods */
	uint8_t *selects;	  /* by kind */
};
#define PLM_TOPO_UNKNOWN (-1)

struct plm_topo_groups {
	struct plm_topo_group **list;
	uint32_t count, room;
};

struct plm_topo_kind {
	plm_sym labels, ns;
	const struct plm_shape *shape;
	struct plm_topo_groups inverse; /* its own, which others are held to */
	bool held;			/* some inverse group selects it */
	struct plm_topo_groups counted; /* that count it; inverse ones are not among them */
};

/* The groups that hold for one state of a kind's preferences. */
struct plm_topo_use {
	struct plm_topo_groups groups;
	bool made;
};

/* A node that is there: its labels give domains. */
struct plm_topo_node {
	plm_sym name, labels, taints;
};

/* A pod that stands somewhere. */
struct plm_topo_pod {
	plm_sym labels, ns;
	const struct plm_shape *shape;
	uint32_t node; /* index among nodes */
	bool leaves;   /* is being deleted: it is not counted, but still keeps others away */
};

/* Where new nodes come from: what a pool requires, and its taints. */
struct plm_topo_supply {
	const struct plm_reqs *reqs;
	struct plm_taints taints;
};

/* The distinct requirements that instance types have for 'key'; '*all' tells whether each has one. */
typedef const struct plm_req *plm_topo_classes_fn(const void *context, plm_sym key, uint32_t *count,
						  bool *all);

struct plm_topology {
	const struct plm_sched *sched;
	bool strict; /* groups are one, and domains are there, exactly as upstream */
	struct plm_topo_key **keys;
	uint32_t key_count, key_room;
	struct plm_topo_groups direct, inverse;
	struct plm_topo_kind *kinds;
	uint32_t kind_count;
	const uint32_t *order; /* of kinds: in which their groups are made */
	const struct plm_topo_node *nodes;
	const uint8_t *seated; /* by node: 1 = it takes pods */
	uint32_t node_count;
	const struct plm_topo_pod *pods;
	uint32_t pod_count;
	const struct plm_topo_supply *supplies;
	uint32_t supply_count;
	plm_topo_classes_fn *classes;
	const void *context;
};

/*
 * Begin: everything but keys, groups and 'held' of kinds is filled in. Makes the inverse groups of all
 * pods that stand or are to be placed, and counts.
 */
void plm_topology_begin(struct plm_topology *t);
/* The groups of one state of a kind, made when they are needed. */
const struct plm_topo_groups *plm_topology_use(struct plm_topology *t, uint32_t kind,
					       const struct plm_ask *ask, struct plm_topo_use *use);
/* A name that new nodes may have becomes a domain of every group by host name. */
void plm_topology_add_host(struct plm_topology *t, plm_sym host);

/* A node or claim as a pod would find it. */
struct plm_topo_site {
	struct plm_taints taints;
};

enum plm_topo_answer {
	PLM_TOPO_FITS,
	PLM_TOPO_NOT_NOW,
	PLM_TOPO_NOT_THERE, /* nor on any node with these labels, host names apart, as counts are now */
	PLM_TOPO_NEVER,	    /* nor later: counts only grow, and what a node may become shrinks */
};
/*
 * What the groups leave of 'reqs' for a pod of 'kind', the same list when they take nothing away;
 * 'strict' are the pod's own hard requirements.
 */
enum plm_topo_answer plm_topology_narrow(const struct plm_topology *t, uint32_t kind,
					 const struct plm_topo_groups *groups,
					 const struct plm_reqs *strict, struct plm_reqs *reqs);
/* Does a group by host name refuse pods of 'kind' on 'host', now and for ever? */
bool plm_topology_host_closed(const struct plm_topology *t, uint32_t kind,
			      const struct plm_topo_groups *groups, plm_sym host);
/* A pod of 'kind' was placed where 'reqs' hold. */
void plm_topology_record(struct plm_topology *t, uint32_t kind, const struct plm_topo_site *site,
			 const struct plm_reqs *reqs);

/* For topology_domain.c. */
/* The place of 'value' among the domains of 'key', key->count when it is none. */
uint32_t plm_topo_find(const struct plm_topo_key *key, plm_sym value);
void plm_topo_register(const struct plm_topology *t, struct plm_topo_group *group, plm_sym value);
void plm_topo_count(const struct plm_topology *t, struct plm_topo_group *group, plm_sym value);
/* For topology.c. */
struct plm_topo_filter plm_topo_filter_make(const struct plm_topology *t,
					    const struct plm_shape *shape,
					    const struct plm_spread *spread,
					    const struct plm_ask *ask);
bool plm_topo_filter_same(const struct plm_topology *t, const struct plm_topo_filter *a,
			  const struct plm_topo_filter *b);
bool plm_topo_filter_matches(const struct plm_topology *t, const struct plm_topo_filter *filter,
			     const struct plm_taints *taints, const struct plm_reqs *reqs);

#endif
