/*
 * pass.h - one planning pass: what there is, what is wanted, and the plan that grows
 *
 * Owns: the working memory of Karpenter's provisioning loop (karpenter.md 2.3-2.8), shared by the
 * pass over pending pods, the capacity check of gangs and the explanations. Everything lives in the
 * arena of 'sched' and dies with the step; state is only read.
 *
 * Names: a *type* is a row of the catalogue, a *pool* a NodePool that may make nodes, a *seat* a node
 * or claim that exists, an *open claim* one that this pass wants, a *want* one pod to place. Wants of
 * equal shape share a *shape*, shapes that differ in requests only share a *kind*, whose asks are the
 * states of its preferences. A *try* is (shape, state); what a try failed on for good is remembered in
 * bit sets, so that ten thousand equal pods cost little more than one.
 */
#ifndef PLM_REDUCERS_PROVISION_PASS_H
#define PLM_REDUCERS_PROVISION_PASS_H

#include "core/out.h"
#include "reducers/disruption/pdb.h"
#include "reducers/provision/open_list.h"
#include "reducers/provision/volumes.h"
#include "reducers/sched/affinity.h"
#include "reducers/sched/ports.h"
#include "reducers/sched/selector.h"
#include "reducers/sched/topology.h"

/* Launches of one claim before it is given up; each asks for up to PLM_LIMIT_LAUNCH_OFFERS offers. */
#define PLM_LAUNCH_TRIES 10

/* Claims that the thrifty packing may let grow into a dearer type: those opened last. */
#define PLM_THRIFT_OPEN 4U

/*
 * What a node counts for besides its price when packings are compared, in micro USD per hour: about what its
 * root volume of 20 GiB costs, and never more than this part of what a pod costs on average in Karpenter's
 * packing. It keeps the cheapest plan from being many of the smallest nodes where a few larger ones cost as
 * much.
 */
#define PLM_PACK_NODE_MICRO 2000
#define PLM_PACK_NODE_PART 8

#define PLM_BIT(set, i) (((set)[(i) / 64] >> ((i) % 64)) & 1U)
#define PLM_BIT_SET(set, i) ((set)[(i) / 64] |= (uint64_t)1 << ((i) % 64))

/* Resources that anything in this pass asks for or limits; vectors have one number per name. */
struct plm_resources {
	plm_sym *names;
	uint32_t count;
	uint32_t cpu, memory, pods; /* indexes */
};

/* How the types of the catalogue answer for one label key: equal requirements share a class. */
struct plm_key_classes {
	plm_sym key;
	uint32_t count;
	struct plm_req *reqs; /* by class */
	uint16_t *class_of;   /* by type; PLM_NO_CLASS = the type does not mention the key */
	uint16_t *cells;      /* by hash of the requirement: class + 1, 0 = empty */
	uint32_t mask;
};
#define PLM_NO_CLASS UINT16_MAX

/* Offerings with equal requirements, whatever their type. */
struct plm_offer_class {
	plm_sym requirements;
	plm_sym zone, capacity_type, reservation;
	uint32_t reserved; /* index of its reservation + 1; 0 = none */
	struct plm_reqs reqs;
};

/* A capacity reservation: instances that no claim of this pass holds yet. */
struct plm_reservation {
	plm_sym id;
	int64_t left; /* INT64_MAX = not counted */
};

/* Prices of all types for one set of offering classes. */
struct plm_price_list {
	uint64_t *fits;
	bool known;
	int64_t *prices; /* by type, of its cheapest offering; PLM_UNSET = none */
	uint32_t *order; /* types, cheapest first, then by name; those without a price last */
};
#define PLM_PRICE_LISTS 16U

/* What the types have under a class: capacity.c. */
struct plm_capacity {
	plm_id class_id;
	int64_t *capacity; /* count x resources */
	int64_t *allocatable;
	uint64_t *sound;	/* no negative allocatable */
	const uint32_t *images; /* class_use.h */
	struct plm_capacity *next;
};

struct plm_types {
	uint32_t count;
	uint32_t words; /* of a bit set over types */
	const struct plm_instance_type **slots;
	struct plm_reqs *reqs;
	struct plm_capacity own;      /* as the catalogue says */
	struct plm_key_classes *keys; /* by key number */
	uint32_t key_count;
	struct plm_offer_class *offers;
	uint32_t offer_count;
	uint32_t offer_words;
	uint32_t *
		offer_first; /* by type: its first offering in the two lists below; count + 1 of them */
	uint32_t *offer_class; /* of each offering */
	int64_t *offer_price;  /* PLM_UNSET = not usable now */
	uint64_t *available;   /* count x offer_words: classes that are in stock at a known price */
	uint64_t *existing;    /* the same, whether in stock or not */
	struct plm_price_list prices[PLM_PRICE_LISTS];
	uint32_t next_price_list;
	struct plm_reservation *reservations;
	uint32_t reservation_count, reservation_words;
};

/* Daemon sets that run on the same types of a pool. */
struct plm_overhead {
	uint64_t *bits; /* types */
	int64_t *requests;
	const struct plm_ports *ports;
};

enum plm_pool_use {
	PLM_POOL_USED,
	PLM_POOL_NOT_READY, /* says so, its class does, or it is being deleted */
	PLM_POOL_NO_TYPE,   /* none that fits the pool's own requirements is offered */
};

/* What a new claim is with one pod of a try: the same for all equal pods. */
struct plm_first {
	struct plm_reqs reqs;
	uint64_t *bits; /* NULL: not known yet */
	int64_t *most, *least, *roomy;
	int64_t price;
	uint32_t aim;
	bool varied;
};

struct plm_pool {
	plm_id id;
	const struct plm_node_pool *slot;
	plm_id class_id;
	const struct plm_capacity *has; /* its class's */
	enum plm_pool_use use;
	struct plm_reqs reqs;
	bool by_subnets; /* the zones among them are those that the class has subnets in */
	struct plm_taints taints;
	uint64_t *bits; /* types that fit the pool */
	struct plm_overhead *overheads;
	uint32_t overhead_count;
	int64_t *left;		  /* of the limits; PLM_UNLIMITED where there is none */
	int64_t nodes_left;	  /* of the limit on nodes; PLM_UNLIMITED */
	int64_t size_left;	  /* of maxSize; PLM_UNLIMITED */
	uint32_t nodes;		  /* nodes and claims that count */
	uint64_t *failed;	  /* tries that no new claim of this pool can ever hold */
	bool limited;		  /* there are limits on what its nodes sum up to */
	struct plm_first *firsts; /* by try */
};

struct plm_seat {
	plm_sym name;
	plm_id node, claim; /* either may be 0 */
	bool initialized;
	plm_sym host; /* with topology */
	bool filled;  /* all that follows is known: plm_seat_at() */
	struct plm_reqs reqs;
	struct plm_taints taints;
	int64_t *left;
	const struct plm_ports *ports;
	uint64_t *absorbed;   /* tries whose requirements are in 'reqs' already */
	uint32_t first, pods; /* wants placed here by this pass, linked by want.next */
	plm_sym expected;     /* the target of a pending pod that is expected here; 0 = of none */
	struct plm_volume_rooms rooms; /* drivers with a limit */
	bool closed;		       /* strict: more volumes than may be, so nobody is let in */
};

/* Places of a gang that none of its pods uses yet. */
struct plm_seat_hold {
	plm_id workload;
	plm_sym set;
	uint32_t seat;
	int64_t left;
};

struct plm_launch_choice;

struct plm_open {
	uint32_t pool;
	uint32_t index; /* order of opening */
	bool relaxed;	/* minimum values do not count: MIN_VALUES_POLICY=BestEffort, first pod */
	plm_sym host;	/* a name of this pass */
	struct plm_reqs reqs;
	uint64_t *bits; /* types that are left */
	int64_t *total; /* requests of its pods, without daemon sets */
	int64_t *most;	/* per resource: the most that a type that is left has for pods */
	int64_t *least; /* and the least */
	const struct plm_ports *ports;
	uint64_t *absorbed; /* asks whose requirements are in 'reqs' already */
	int64_t price;	    /* thrifty: of its cheapest type; PLM_UNSET = not known */
	int64_t *roomy;	    /* thrifty: what that type has for pods */
	uint32_t aim;	    /* thrifty: the type that it is to grow into, + 1 */
	bool varied;	    /* 'reqs' ask for several values of a key: types count one by one */
	bool stale;	/* thrifty: 'bits' may hold types that have no room for all of 'total' */
	uint64_t *held; /* reservations of which it holds an instance */
	uint32_t first, pods;
	struct plm_slice name_text; /* given when it is written out */
	/* What it asks the cloud for: emit.h. */
	const struct plm_launch_choice *choice;
	uint32_t *named; /* types */
	uint32_t named_count;
};

/* What requirements can be for the labels that topology counts by, host names apart. */
struct plm_sites {
	uint32_t count, keys;
	const struct plm_req **reqs; /* site x key; NULL = not mentioned */
};

struct plm_want_kind {
	struct plm_shape shape; /* of one pod; requests do not count */
	plm_sym labels, ns;	/* only set where topology looks at them */
	uint32_t set;		/* gang: index of the pod set + 1 */
	struct plm_ask *asks;
	struct plm_topo_use *uses; /* by ask; only with topology */
	uint32_t ask_count;
	uint32_t first_ask; /* among the asks of all kinds */
	bool apart;	    /* thrifty: kept apart by host */
	uint32_t volumes;   /* set + 1; 0 = has none */
};

struct plm_want_shape {
	plm_sym shape, labels, ns;
	uint32_t set; /* gang: index of the pod set + 1; its flavors have a part in what it asks */
	uint32_t kind;
	uint32_t first_try;
	int64_t *requests; /* 'pods' is 1 */
	uint32_t hopeless; /* claims made + 1 when no place was found in any state */
	uint32_t volumes;  /* set + 1; 0 = none. Names in 'shape' are those of its first pod */
	uint32_t
		column_ask; /* thrifty: the state in which columns place it, + 1; 0 = they do not */
};

enum plm_want_place {
	PLM_WANT_OPEN,
	PLM_WANT_SEAT,
	PLM_WANT_CLAIM
};

struct plm_want {
	plm_id pod; /* 0 = a pod of a gang that does not exist yet */
	uint32_t shape;
	uint32_t set; /* gang: index of its pod set */
	enum plm_want_place place;
	uint32_t at;   /* index of the seat or open claim */
	uint32_t next; /* next want there, index + 1 */
	uint32_t last_length;
};

/* DaemonSet as the pass sees it. */
struct plm_daemon {
	plm_id id;
	const struct plm_shape *shape;
	int64_t *requests;
	struct plm_ask *asks; /* required terms in turn */
	uint32_t ask_count, ask_now;
};

struct plm_pass {
	struct plm_sched sched;
	plm_id gang; /* whose pods are planned; 0 = plain pods */
	const struct plm_state *st;
	struct plm_arena *arena;
	bool strict;	   /* exactly Karpenter */
	bool thrifty;	   /* a claim does not grow where a new one costs less */
	int64_t *alone;	   /* thrifty: by try, the price of one such pod alone; 0 = not asked yet */
	int64_t *least;	   /* thrifty: the least that any pod asks for, by resource */
	int64_t *wanted;   /* thrifty: the sum of all wants, by resource */
	int64_t *rest;	   /* thrifty: of these what has no place yet */
	int64_t *weights;  /* thrifty: what a resource is worth beside the others */
	uint32_t *sort_of; /* thrifty: by shape, its number among those that columns place */
	bool filling;	   /* thrifty: only room that is paid for is used */
	bool apart; /* thrifty: the pods placed now need many nodes: each as small as can be */
	uint32_t chances;   /* thrifty: looks at claims for pods that found no place otherwise */
	int64_t node_micro; /* what a node counts for besides its price */
	bool soft_taints;
	int64_t now_ms;
	struct plm_resources res;
	struct plm_types types;
	struct plm_daemon *daemons;
	uint32_t daemon_count;
	struct plm_pool *pools; /* those that can be used first, in order of choice */
	uint32_t pool_count;
	struct plm_seat *seats;
	uint32_t seat_count;
	struct plm_seat_hold *places;
	uint32_t place_count;
	struct plm_open **claims; /* in the order of opening */
	uint32_t claim_count;
	struct plm_open_list opens;
	struct plm_sites sites;
	uint64_t *endings; /* bits: last characters of the names given; NULL = none yet */
	struct plm_want_kind *kinds;
	uint32_t kind_count;
	struct plm_want_shape *shapes;
	uint32_t shape_count;
	struct plm_want *wants;
	uint32_t want_count, want_room;
	uint32_t *order;       /* wants, biggest first */
	uint32_t *shape_index; /* open addressing while wants are collected */
	uint32_t shape_mask, shape_room;
	bool by_labels; /* topology: shapes differ in labels and namespace too */
	uint32_t try_count, try_words;
	uint32_t ask_count;   /* of all kinds */
	uint32_t *seat_from;  /* per try: words of its row that are full */
	uint64_t **seat_rows; /* per try: bits, seats that do not fit for good; NULL = not tried */
	/* By seat, PLM_SUMS each: at least what is left; NULL = nothing is known. */
	int64_t *seat_bounds;
	uint32_t *seat_of_node, *seat_of_claim; /* by slot: index + 1, 0 = none */
	uint32_t *sitters, *next_sitter; /* by seat, by pod slot: without the index of pods */
	const struct plm_demand *demand;
	struct plm_topology *topology; /* NULL: nothing looks at it */
	uint64_t spent;
	struct plm_pdbs pdbs;		 /* who may move off a node that goes */
	struct plm_capacity *capacities; /* by class, as they were asked for */
	struct plm_volume_sets *volumes; /* NULL: no pod has any that matter */
};

/* ---- catalog.c ---- */
void plm_pass_types(struct plm_pass *pass);
/* Types of 'from' whose requirements meet 'req'. */
void plm_types_meet(const struct plm_pass *pass, const struct plm_req *req, uint64_t *bits);
/* Types of 'bits' that have an offering in stock which fits 'reqs'. */
void plm_types_offered(const struct plm_pass *pass, const struct plm_reqs *reqs,
		       const uint64_t *offered, uint64_t *bits);
/* Offering classes that fit 'reqs', as bits; in the arena. */
uint64_t *plm_types_fitting(const struct plm_pass *pass, const struct plm_reqs *reqs);
uint32_t plm_types_count(const struct plm_pass *pass, const uint64_t *bits);
/* Do the types of 'bits' have as many values per key as 'reqs' want? */
bool plm_types_min_values(const struct plm_pass *pass, const uint64_t *bits,
			  const struct plm_reqs *reqs, plm_sym *bad);
/* Index of the type called 'name', types.count when there is none. */
uint32_t plm_types_find(const struct plm_pass *pass, plm_sym name);

/* Is 'offering' of 'type' usable and within 'reqs'? */
bool plm_types_offer_fits(const struct plm_pass *pass, uint32_t type,
			  const struct plm_offering *offering, const struct plm_reqs *reqs);
/* Known, priced, in stock and not refused by the cloud lately. */
bool plm_offering_usable(const struct plm_pass *pass, plm_sym type,
			 const struct plm_offering *offering);

/* ---- capacity.c ---- */
/* What the types have under a class; 0 = no class. */
const struct plm_capacity *plm_pass_capacity(struct plm_pass *pass, plm_id class_id);

/* ---- prices.c ---- */
void plm_pass_prices(struct plm_pass *pass);
/* The list for 'reqs'; valid until another one is asked for. */
const struct plm_price_list *plm_types_prices(struct plm_pass *pass, const struct plm_reqs *reqs);
/* The cheapest offering in stock of the types in 'bits' that fits; PLM_UNSET when there is none. */
int64_t plm_types_cheapest(struct plm_pass *pass, const uint64_t *bits,
			   const struct plm_reqs *reqs);

/* ---- resources.c ---- */
void plm_res_begin(struct plm_pass *pass);
uint32_t plm_res_find(const struct plm_resources *res, plm_sym name); /* count = none */
void plm_res_note(struct plm_pass *pass, plm_sym amounts);
/* Write what 'amounts' has into the vector 'out'; other members stay. */
void plm_res_fill(const struct plm_pass *pass, plm_sym amounts, int64_t *out);
int64_t *plm_res_vector(const struct plm_pass *pass, plm_sym amounts);
/* The same with one pod. */
int64_t *plm_res_of_pod(const struct plm_pass *pass, plm_sym requests);
bool plm_res_negative(const struct plm_pass *pass, plm_sym amounts);
void plm_res_add(const struct plm_pass *pass, int64_t *to, const int64_t *amounts);
void plm_res_sub(const struct plm_pass *pass, int64_t *to, const int64_t *amounts);
bool plm_res_fits(const struct plm_pass *pass, const int64_t *ask, const int64_t *have);

/* ---- demand.c ---- */
/* Is 'pod' bound to a node, or expected on one, and not over? */
bool plm_pod_holds(const struct plm_pod *pod);
bool plm_pod_terminal(const struct plm_pod *pod);
bool plm_pod_of_daemon(const struct plm_sched *sched, const struct plm_pod *pod);
/* A pod that Karpenter would look for a place for (karpenter.md 2.1), wherever it is expected. */
bool plm_pod_pending(const struct plm_sched *sched, const struct plm_pod *pod);
/* Why a pod is refused before any node is looked at; PLM_RULE_NONE = it is not. */
enum plm_rule plm_pod_refused(const struct plm_sched *sched, const struct plm_pod *pod,
			      plm_sym *out_key);
/* The workload with reserved places that 'pod' belongs to, and its pod set; 0 = none. */
plm_id plm_pod_gang(const struct plm_sched *sched, const struct plm_pod *pod, plm_sym *out_set);

/* Given up, or being deleted: nothing is placed on it any more. */
bool plm_claim_leaves(const struct plm_node_claim *claim);
/* Is what a pod or place is expected on still there to take it? */
bool plm_target_stands(const struct plm_state *st, plm_sym target, bool is_claim);
/* Pods of 'set' that the workload's quota is for. */
int64_t plm_gang_count(const struct plm_state *st, const struct plm_workload *workload,
		       const struct plm_pod_set *set);

/* What a pass is about. Both may be absent: then it only shows what is free. */
struct plm_demand {
	bool pods;	 /* all pods that need a place */
	plm_id workload; /* or every pod of this gang */
	/* Targets that somebody else has filled: pods that are only expected there need a place, too. */
	const plm_sym *crowded;
	uint32_t crowded_count;
};
/* Is the target of a pending pod among the crowded ones? */
bool plm_pod_crowded_out(const struct plm_pass *pass, const struct plm_pod *pod);
/*
 * Targets of pending pods that hold more than they have room for, which happens when a foreign pod was
 * bound there; '*count' of them, in the arena.
 */
const plm_sym *plm_pass_crowded(struct plm_pass *pass, uint32_t *count);
/* Collect wants and shapes, with resources noted; kinds, asks and vectors follow once all are known. */
void plm_pass_wants(struct plm_pass *pass, const struct plm_demand *demand);
void plm_pass_kinds(struct plm_pass *pass);
/* Biggest first: karpenter.md 2.5. */
void plm_pass_order(struct plm_pass *pass);

/* ---- daemons.c, pools.c, seats.c ---- */
void plm_pass_daemons(struct plm_pass *pass);
void plm_pass_daemon_requests(struct plm_pass *pass);
void plm_pool_overheads(struct plm_pass *pass, struct plm_pool *pool);
void plm_pass_note_pools(struct plm_pass *pass);
void plm_pass_pools(struct plm_pass *pass);
void plm_pass_seats(struct plm_pass *pass);
/* What a node is called once it is up: registered and initialized, too. */
struct plm_reqs plm_reqs_when_up(const struct plm_pass *pass, const struct plm_reqs *reqs);
/* Does 'daemon' run on a node that is there? Under 'strict' only the term that is left of it counts. */
bool plm_daemon_runs(const struct plm_pass *pass, const struct plm_daemon *daemon,
		     const struct plm_taints *taints, const struct plm_reqs *reqs);
/* The seat with all that is to know of it. Not between a mark and its rewind. */
struct plm_seat *plm_seat_at(struct plm_pass *pass, uint32_t index);
/* All of them, for who looks at every seat. */
void plm_pass_fill_seats(struct plm_pass *pass);
bool plm_seat_initialized(const struct plm_pass *pass, const struct plm_seat *seat);
/* The name that it has as a host; not filled. */
plm_sym plm_seat_host(const struct plm_pass *pass, const struct plm_seat *seat);

/* ---- seat_index.c ----
 * Can the list of seats be taken from the index? Then plm_seats_find() makes it. */
bool plm_seats_known(const struct plm_pass *pass);
void plm_seats_find(struct plm_pass *pass);
/* May the seat have room? False: it has none. */
bool plm_seat_may_fit(const struct plm_pass *pass, uint32_t index, const int64_t *requests);
/* Does a cell's name stand for a node or claim that takes pods? */
bool plm_cell_stands(const struct plm_state *st, const struct plm_pod_cell *cell);

/* ---- pass.c ----
 * All of the below, for a step that needs the catalogue only. */
void plm_pass_begin_types(struct plm_pass *pass, const struct plm_state *st,
			  struct plm_arena *arena);
/* All of the above, in order. */
void plm_pass_begin(struct plm_pass *pass, const struct plm_state *st, struct plm_arena *arena,
		    const struct plm_demand *demand);

/* ---- reserve.c ---- */
void plm_pass_reservations(struct plm_pass *pass);
/* Reservations that 'claim' would hold with these types and requirements. False: none is left of those
 * that fit, so it has to wait. */
bool plm_reserve_try(const struct plm_pass *pass, const struct plm_open *claim,
		     const uint64_t *bits, const struct plm_reqs *reqs, uint64_t *held);
void plm_reserve_commit(struct plm_pass *pass, struct plm_open *claim, const uint64_t *held);
/* A finished claim that holds reservations requires them. */
void plm_reserve_pin(const struct plm_pass *pass, struct plm_open *claim);

/* ---- spread.c ---- */
void plm_pass_topology(struct plm_pass *pass);
/* Does topology have a say in where pods of this kind go in this state? */
bool plm_kind_held(struct plm_pass *pass, uint32_t kind, uint32_t ask);
/* Are pods of this kind kept apart by host, all or a few at a time? */
bool plm_kind_apart(struct plm_pass *pass, uint32_t kind);
/* What topology leaves of 'reqs', a node's with the pod's; the same list when that is all of it. */
enum plm_topo_answer plm_kind_narrow(struct plm_pass *pass, uint32_t kind, uint32_t ask,
				     bool known_ok, struct plm_reqs *reqs);
/* Is a seat's host closed to pods of this kind for good? */
bool plm_kind_host_closed(struct plm_pass *pass, uint32_t kind, uint32_t ask, plm_sym host);
/* A pod was placed where 'reqs' hold. */
void plm_kind_record(struct plm_pass *pass, uint32_t kind, const struct plm_topo_site *site,
		     const struct plm_reqs *reqs);

/* ---- sites.c ----
 * Labels that topology counts by may have come: then all claims are looked at anew. */
void plm_sites_refresh(struct plm_pass *pass);
/* The site of a claim with 'reqs', below PLM_OPEN_SITES, or PLM_OPEN_SITE_ANY. */
uint32_t plm_site_of(struct plm_pass *pass, const struct plm_reqs *reqs);

/* ---- plan.c ---- */
/*
 * Begin a pass and pack it. Unless strict, a thrifty packing is tried too, and the one is taken that
 * places more pods or, for as many, costs less; Karpenter's on a tie.
 */
struct plm_pass *plm_pass_plan(const struct plm_state *st, struct plm_arena *arena,
			       const struct plm_demand *demand);

/* ---- target.c ---- */
/* Weigh resources against each other for a thrifty packing. */
void plm_targets_begin(struct plm_pass *pass);
/* The type that 'claim' is to grow into; types.count when none has a price in 'list'. */
uint32_t plm_target_of(struct plm_pass *pass, const struct plm_open *claim,
		       const struct plm_price_list *list);

/* ---- columns.c ---- */
struct columns;
/* Which shapes it places, and in which state of their preferences. NULL: none, this pass is not for it. */
struct columns *plm_columns_begin(struct plm_pass *pass);
/* New claims for those of their pods that have no place yet. */
void plm_columns_pack(struct columns *columns);

/* ---- pack.c, claim_plan.c ---- */
/* Place every want as far as that goes. */
void plm_pass_pack(struct plm_pass *pass);
/* Places for one want in one state of its preferences. */
enum plm_joined {
	PLM_JOINED,
	PLM_JOINED_NOT,
	PLM_JOINED_NOT_THERE, /* nor on any claim of that site, until another pod is placed */
};
enum plm_joined plm_open_add(struct plm_pass *pass, struct plm_open *claim, uint32_t want,
			     uint32_t ask);
enum plm_opened {
	PLM_OPENED,
	PLM_OPENED_NOT,
	PLM_OPENED_WAITS, /* for a reservation: what is asked for is not to be eased */
};
enum plm_opened plm_open_new(struct plm_pass *pass, uint32_t want, uint32_t ask);
/* A new claim of one pool; NULL when it cannot have one for this want. */
struct plm_open *plm_open_in(struct plm_pass *pass, uint32_t pool, uint32_t want, uint32_t ask);
/* What a new claim of a pool would be with one pod of 'shape', as far as topology is not asked. */
struct plm_probe {
	struct plm_reqs reqs;
	uint64_t *bits;
};
bool plm_open_probe(struct plm_pass *pass, uint32_t pool, const struct plm_want_shape *shape,
		    uint32_t ask, struct plm_probe *out);
/* Thrifty: the claim is to grow into 'type', if that is among its types. */
void plm_open_aim(struct plm_pass *pass, struct plm_open *claim, uint32_t type);
/* A claim of pool 'pool' that nobody asked for. False: it cannot have one. */
bool plm_open_empty(struct plm_pass *pass, uint32_t pool);
bool plm_seat_add(struct plm_pass *pass, struct plm_seat *seat, uint32_t want, uint32_t ask);
/* Take the types off 'bits' that the limits of 'pool' do not allow any more. */
void plm_pool_within_limits(const struct plm_pass *pass, const struct plm_pool *pool,
			    uint64_t *bits);
/* Thrifty: the pod joins whatever that costs. Counts in 'chances', of which a pass has a fixed number. */
bool plm_open_add_dear(struct plm_pass *pass, struct plm_open *claim, uint32_t want, uint32_t ask);
/* Thrifty: does the claim take no pod more, whichever comes? */
bool plm_open_is_full(const struct plm_pass *pass, const struct plm_open *claim);
/* A packed claim's types are those that hold all of it. */
void plm_open_finish(struct plm_pass *pass, struct plm_open *claim);
/* Types of an open claim, cheapest first, cut to 'most'; '*out_price' of the first. */
uint32_t *plm_open_types(struct plm_pass *pass, const struct plm_open *claim, uint32_t most,
			 uint32_t *out_count, int64_t *out_price);

static inline const struct plm_want_shape *plm_want_shape_of(const struct plm_pass *pass,
							     uint32_t want)
{
	return &pass->shapes[pass->wants[want].shape];
}

static inline uint32_t plm_ask_index(const struct plm_pass *pass,
				     const struct plm_want_shape *shape, uint32_t ask)
{
	return pass->kinds[shape->kind].first_ask + ask;
}

#endif
