/*
 * view.h - inside the checker: the end state as hosts with pods
 *
 * A *host* is a node, or a claim without one. A *resident* is a pod bound to a host or expected there.
 */
#ifndef PLM_TOOLS_FEASIBLE_VIEW_H
#define PLM_TOOLS_FEASIBLE_VIEW_H

#include "ec2/capacity.h"
#include "tools/feasible/feasible.h"

/* Different resources that the pods of one host may ask for; of more the rest is not judged. */
#define VIEW_RESOURCES 256

struct host {
	plm_id node, claim; /* either may be 0 */
	plm_sym name;
	bool starting; /* a claim's node that is not initialized yet, or no node yet */
	bool open;     /* it may still become any of the claim's types */
	bool judged;   /* somebody is new here */
};

struct resident {
	plm_id pod;
	uint32_t host;
	bool fresh; /* planned since the last look */
};

/* Amounts by resource. */
struct sum {
	plm_sym names[VIEW_RESOURCES];
	int64_t amounts[VIEW_RESOURCES];
	int64_t rest; /* of the resources that there is no cell for */
	uint32_t count;
};

struct view {
	const struct plm_state *st;
	struct plm_arena *arena;
	const struct plm_feasible_says *says;
	struct host *hosts;
	uint32_t host_count;
	uint32_t *of_node, *of_claim; /* by slot: host + 1 */
	struct resident *residents;
	uint32_t resident_count;
	bool strict;
	plm_sym pods, hostname, zone, capacity_type, reservation, instance_type;
};

/* What a host may turn out to be called under a key. */
struct values {
	const plm_sym *list;
	uint32_t count; /* 0 and not 'any': it has no such label */
	bool any;	/* not known: nothing is held against it */
};

void say(const struct view *v, const char *format, ...) PLM_PRINTF(2, 3);

/* ---- view.c ---- */
struct view *view_of(struct plm_feasible *f, const struct plm_state *st, struct plm_arena *arena,
		     const struct plm_feasible_says *says);
const struct plm_shape *shape_of(const struct view *v, const struct plm_pod *pod);
/* Index of the host + 1 that is meant; 0 = it is gone. */
uint32_t host_named(const struct view *v, plm_sym name, bool is_claim);
const struct plm_node_claim *claim_at(const struct view *v, const struct host *host);
/* The types that an open host may become: span of names. */
plm_id type_named(const struct view *v, plm_sym name);

/* ---- match.c ---- */
plm_sym new_key(const struct view *v, plm_sym key);
/* Under type 'type' of an open host; 0 = of a host that is not open. */
struct values values_of(const struct view *v, const struct host *host, plm_id type, plm_sym key);
bool expr_admits(const struct view *v, const struct plm_expr *expr, plm_sym value);
bool expr_admits_absent(const struct plm_expr *expr);
/* Does every value hold ('all'), or some value? */
bool values_meet(const struct view *v, const struct plm_expr *expr, const struct values *values,
		 bool all);
bool node_fits(const struct view *v, const struct plm_shape *shape, const struct host *host,
	       plm_id type, bool all);
/* Key of the taint that keeps the pod off; 0 = none. 'more' tolerations count too. */
plm_sym taint_against(const struct view *v, const struct plm_shape *shape, plm_sym more,
		      const struct host *host);
bool selects(const struct view *v, const struct plm_selector *selector, plm_sym labels);
/* An offering of the type that the claim's requirements admit and that can be bought. */
bool is_offered(const struct view *v, const struct plm_node_claim *claim, plm_id type,
		const struct plm_offering *offering);

/* ---- room.c ---- */
int64_t amount_of(const struct view *v, plm_sym span, plm_sym resource);
/* What a type has under the class of the claim's pool. */
int64_t type_has(const struct view *v, const struct plm_node_claim *claim, plm_id type,
		 plm_sym resource, bool allocatable);
/* Everybody on the host beside the daemons that are still to come: does it fit, ports too? */
void judge_room(const struct view *v, uint32_t host);

/* ---- claim.c ---- */
/* Types, offerings and minimum values of a new claim. */
void judge_claim(const struct view *v, plm_id claim);
/* Limits and size of the pool of a new claim. */
void judge_pool(const struct view *v, plm_id claim);
/* Places of a gang that are new: taints and requirements. */
void judge_gang(const struct view *v, plm_id workload);
/* The workload of a pod, by the jobs above it; 0 = none. */
plm_id workload_of(const struct view *v, const struct plm_pod *pod);
/* Pods of 'set' of the workload that places on the host are still kept for. */
int64_t places_left(const struct view *v, plm_id workload, const struct plm_place *place,
		    uint32_t host);
const struct plm_pod_set *set_named(const struct view *v, plm_id workload, plm_sym name);

/* ---- near.c ---- */
void judge_near(const struct view *v, const struct resident *resident);

#endif
