/*
 * sim.h - an embedded Kubernetes cluster and cloud on virtual time
 *
 * Owns: API objects with uid and resourceVersion, the controllers that people rely on (Job, PodSet,
 * Deployment, ReplicaSet, StatefulSet, DaemonSet, garbage collection), the scheduler, kubelets, nodes,
 * and a cloud of instances by the catalogue; their faults; the invariants that they can check against
 * their own truth (S1, S4, S5, S12, L1, L3, L5).
 * Does not: read a clock, read the engine's memory, or decide anything that the engine decides. It meets
 * the engine only through the ports: observations go out through plm_inbox, effects come in through
 * plm_effects.
 *
 * One thread. Everything happens in order of (virtual time, number), every random draw comes from one
 * generator, so the same calls with the same seed give the same observations. The same world runs under
 * three drivers: the scenario runner jumps from plm_world_next_due() to the next; the daemon calls
 * plm_world_advance() with the wall clock; `decide --cycles settled` uses it 'instant'.
 *
 * Memory is one arena that ends with the world: it grows with the number of objects ever made.
 */
#ifndef PLM_SIM_SIM_H
#define PLM_SIM_SIM_H

#include "core/cloud.h"

/* Inclusive bounds of a random draw. */
struct plm_sim_range {
	int64_t min_ms, max_ms;
};

/* No capacity between 'from_ms' and 'to_ms'; an empty text means any. */
struct plm_sim_stock_out {
	struct plm_slice instance_type, zone, capacity_type;
	int64_t from_ms, to_ms;
	struct plm_slice code; /* empty: InsufficientInstanceCapacity */
};

/* Every launch between 'from_ms' and 'to_ms' is refused as a whole. */
struct plm_sim_launch_error {
	struct plm_slice code, message;
	int64_t from_ms, to_ms;
};

/* An instance that runs since before the start and has no node. */
struct plm_sim_leftover {
	struct plm_slice instance_type, zone, capacity_type;
	struct plm_slice claim, pool; /* its tags */
	int64_t age_ms;
	bool foreign; /* tagged for another cluster */
};

/* Two-minute warnings for 'percent' of the spot instances that run at 'at_ms'. */
struct plm_sim_reclaim {
	int64_t at_ms, percent;
};

/*
 * The cloud says 'kind' of instances that run at 'at_ms': of the first 'count' in order of launch, or of
 * 'percent' of them when 'count' is PLM_UNSET; 'times' times, 'every_ms' apart. What it announces comes true
 * after 'notice_ms'.
 */
struct plm_sim_interrupt {
	enum plm_interrupt kind;
	int64_t at_ms, count, percent, notice_ms;
	int64_t times, every_ms;
	struct plm_slice state; /* of a state change */
};

#define PLM_SIM_FAULT_LIST(X)                                                                      \
	X(SIM_CRASH, "crash")                                                                      \
	X(SIM_API_SERVER_DOWN, "apiServerDown")                                                    \
	X(SIM_EC2_DOWN, "ec2Down")                                                                 \
	X(SIM_LOST_RESPONSES, "lostResponses")                                                     \
	X(SIM_CONFLICTS, "conflicts")                                                              \
	X(SIM_WATCH_GONE, "watchGone")                                                             \
	X(SIM_DUPLICATE_EVENTS, "duplicateEvents")                                                 \
	X(SIM_DISK_FULL, "diskFull")                                                               \
	X(SIM_CLOCK_STEP, "clockStep")                                                             \
	X(SIM_LEADER_CHANGE, "leaderChange")
PLM_W_ENUM(sim_fault_kind, PLM_SIM_FAULT_LIST)

/* CRASH, DISK_FULL and LEADER_CHANGE act at the store and are the runner's; the world skips them. */
struct plm_sim_fault {
	enum plm_sim_fault_kind kind;
	int64_t at_ms, for_ms;
	int64_t percent;
	int64_t by_ms; /* CLOCK_STEP */
};

/* Times are Unix milliseconds of the world. Everything is borrowed for the life of the world. */
struct plm_sim_options {
	uint64_t seed;
	int64_t start_ms;
	bool instant; /* no latencies, nothing finishes, launches succeed, nodes join at once */
	bool plain;   /* no engine: Jobs start unsuspended, PodSets make their own pods (compare) */
	const struct plm_w_catalog *catalog; /* may be NULL: nothing can be launched */
	struct plm_slice region;
	struct plm_vec zones; /* struct plm_slice; empty = those of the catalogue */
	int64_t scheduler_latency_ms;
	struct plm_sim_range pod_start, api_latency, boot, describe_lag;
	int64_t launch_fail_percent;
	const struct plm_sim_stock_out *stock_outs;
	size_t stock_out_count;
	const struct plm_sim_launch_error *launch_errors;
	size_t launch_error_count;
	struct plm_sim_range startup_taints; /* from ready to the end of startup taints */
	const struct plm_sim_reclaim *reclaims;
	size_t reclaim_count;
	const struct plm_sim_interrupt *interrupts;
	size_t interrupt_count;
	const struct plm_sim_fault *faults;
	size_t fault_count;
	struct plm_inbox inbox; /* 'put' NULL = observations go nowhere (plain) */
	int64_t reserved_enis;	/* the setting: user data tells the kubelet how many pods */
	bool publishes; /* the engine writes Workloads: that their list is complete is told */
};

/* What a manifest says about running that a projection does not. */
struct plm_sim_extra {
	int64_t runtime_ms; /* of each pod; PLM_UNSET = until deleted */
	int64_t fail_percent;
	int64_t stop_ms;    /* a pod takes this long to stop when told; 0 = a moment */
	int64_t grace_s;    /* terminationGracePeriodSeconds of the pod template; 0 = 30 */
	int64_t protect_ms; /* do-not-disrupt of the pod template: 0 = no, PLM_UNSET = for ever */
};

struct plm_sim_node {
	struct plm_slice name;		      /* required */
	struct plm_slice instance_type, zone; /* may be empty */
	struct plm_vec labels;		      /* struct plm_w_kv */
	struct plm_vec taints;		      /* struct plm_w_taint */
	struct plm_vec capacity; /* struct plm_w_amount; empty = that of 'instance_type' */
};

struct plm_sim_stats {
	uint64_t pods_created, pods_bound, pods_finished, pods_failed;
	uint64_t launches, terminations, reclaims;
	uint64_t effects, observations, duplicates_sent, responses_lost, conflicts;
	uint64_t jobs_finished;
	uint64_t created, written; /* objects made, and statuses written, by the engine */
	int64_t node_ms;	/* sum of the lives of instances and of the scenario's own nodes */
	int64_t cost_micro_usd; /* of the instances */
	/* Requested by bound pods in permille of what ready nodes offer, over the whole time. */
	struct plm_vec used_permille; /* struct plm_w_amount */
};

struct plm_world; /* opaque */

/* Defaults of scenario.md: latencies of a real cluster, region us-west-2. */
void plm_sim_defaults(struct plm_sim_options *options);

/* PLM_E_LIMIT: no address space. '*out' is owned by the caller. */
enum plm_code plm_world_new(const struct plm_sim_options *options, struct plm_world **out,
			    struct plm_error *err) PLM_MUST_CHECK;
void plm_world_free(struct plm_world *world); /* NULL-safe */

/* ---- what people do ---- */

/*
 * Create the object or replace its spec, as `kubectl apply`. 'payload' is the wire struct of the FACT
 * 'type' (copied). Jobs with a queue are suspended at creation. Given pods that are bound count as
 * running; given nodes with ready = 1 exist at once. 'extra' may be NULL.
 */
void plm_world_apply(struct plm_world *world, enum plm_event_type type, const void *payload,
		     const struct plm_sim_extra *extra);
/* False when there is no such object. */
bool plm_world_delete(struct plm_world *world, enum plm_kind kind, struct plm_slice ns,
		      struct plm_slice name);
/* Set replicas (Deployment, ReplicaSet, StatefulSet, PodSet) or parallelism (Job). */
bool plm_world_scale(struct plm_world *world, enum plm_kind kind, struct plm_slice ns,
		     struct plm_slice name, int64_t replicas);
/*
 * Write into a Workload: into the object, or, where it is only known to the engine as that of a Job or
 * PodSet, by telling it. False: there is no such Workload.
 */
bool plm_world_patch(struct plm_world *world, const struct plm_w_workload_patch *patch);
/* The Workload object as the API has it; NULL: there is none. Borrowed until the world moves. */
const struct plm_w_workload *plm_world_workload(const struct plm_world *world, struct plm_slice ns,
						struct plm_slice name);
/* A node that belongs to no pool and is ready at once. */
enum plm_code plm_world_add_node(struct plm_world *world, const struct plm_sim_node *node,
				 struct plm_error *err) PLM_MUST_CHECK;

/* PLM_E_INPUT: its type is not in the catalogue. */
enum plm_code plm_world_add_instance(struct plm_world *world,
				     const struct plm_sim_leftover *leftover,
				     struct plm_error *err) PLM_MUST_CHECK;

/* ---- time ---- */

/* Do all that is due up to and with 'now_ms', in order; time never goes back. */
void plm_world_advance(struct plm_world *world, int64_t now_ms);
/* When something is due next, PLM_UNSET when nothing is. */
int64_t plm_world_next_due(const struct plm_world *world);
int64_t plm_world_now(const struct plm_world *world);
/* The engine's clock: the world's time and, in wall_ns only, what clock steps added. */
struct plm_clock plm_world_clock(struct plm_world *world);
/* What clock steps have added so far. */
int64_t plm_world_clock_offset(const struct plm_world *world);

/* ---- the engine's side ---- */

struct plm_effects plm_world_effects(struct plm_world *world);
/* The same as a cloud; its 'free' leaves the world to its owner. */
struct plm_cloud plm_world_cloud(struct plm_world *world);
/* The engine's process is gone: answers and deliveries on their way are lost, requests are not. */
void plm_world_disconnect(struct plm_world *world);
/* All that there is has been told: claims, nodes and instances are complete (instant worlds). */
void plm_world_listed(struct plm_world *world);
/* List everything again, whole: at start, after a restart, after 410, after an outage. */
void plm_world_relist(struct plm_world *world);
/* True while the API server answers; a relist must wait for it. */
bool plm_world_reachable(const struct plm_world *world);

/* ---- going on after the process that held the world died ---- */

/*
 * The world lives in memory. A daemon that starts again builds it from what its log says was last seen:
 * begin, what says how nodes are, instances, all other objects (owners and nodes before pods, what pods
 * own after them), effects, end, in this order, before anything else happens. 'number' is above every
 * number that the dead world can have used in names and uids.
 */
struct plm_sim_resumed {
	enum plm_event_type type;
	const void *payload; /* the FACT last logged (copied) */
	struct plm_sim_extra extra;
	uint64_t
		intent; /* Job, PodSet: of its last job.start; Pod: of the pod.create that made it; 0 */
	const struct plm_w_req_job_start *start; /* of that job.start; NULL = none */
};
struct plm_sim_resumed_instance {
	const struct plm_w_instance *fact; /* last logged (copied) */
	/* That made it: its key is answered with it again. NULL = none, its claim was given. */
	const struct plm_effect *launch;
	const struct plm_w_interruption *warning; /* last logged; NULL = none */
	bool joined; /* its Node has been seen, also when it is there no longer */
};
void plm_world_resume_begin(struct plm_world *world, uint64_t number);
void plm_world_resume_instance(struct plm_world *world,
			       const struct plm_sim_resumed_instance *resumed);
void plm_world_resume_object(struct plm_world *world, const struct plm_sim_resumed *resumed);
/*
 * An effect other than a launch that had its answer, but whose outcome the last fact of its target does
 * not show: it is carried out again, and nobody is told.
 */
void plm_world_resume_effect(struct plm_world *world, const struct plm_effect *effect);
/* Goes on with what was under way, and tells everything again. */
void plm_world_resume_end(struct plm_world *world);

/* ---- questions ---- */

/* The kind of the object that a fact projects; PLM_KIND_NONE when it projects none. */
enum plm_kind plm_sim_kind_of(enum plm_event_type type, const void *payload);

struct plm_sim_stats plm_world_stats(struct plm_world *world);
/* The next number of the world's generator. */
uint64_t plm_world_random(struct plm_world *world);

/* First broken invariant ("S5: ..."), NULL when none is. */
const char *plm_world_violation(const struct plm_world *world);
uint64_t plm_world_violations(const struct plm_world *world);
/*
 * Check what can only be checked at the end (S4, L1, L3). 'quiet': the run ended because nothing is
 * due any more, so what is not right now will never be.
 */
void plm_world_check_end(struct plm_world *world, bool quiet);

/* Rows of what happened to submitted work: for waits and the comparison. */
struct plm_sim_work {
	enum plm_kind kind;
	struct plm_slice ns, name;
	int64_t created_ms;
	int64_t running_ms;  /* all its pods ran for the first time, or PLM_UNSET */
	int64_t finished_ms; /* PLM_UNSET = not */
	bool failed;
	bool deleted;
	bool running; /* it has pods that have not ended, or will be given some */
};
/* Jobs and PodSets in order of creation; 'index' from 0. False at the end. */
bool plm_world_work(const struct plm_world *world, size_t index, struct plm_sim_work *out);
/* Does an object exist, and with this uid (empty = any)? */
bool plm_world_exists(const struct plm_world *world, enum plm_kind kind, struct plm_slice ns,
		      struct plm_slice name, struct plm_slice uid);

/* API objects that exist now. */
uint64_t plm_world_objects(const struct plm_world *world);

/* ---- the other side of a comparison ---- */

/*
 * Play a node group per instance type that grows by pending pods, in a 'plain' world: every
 * 'scan_ms' pods that do not fit get new nodes of the cheapest of 'types' that holds them; a node
 * without work for 'idle_ms' is removed. At most 'max_nodes' (PLM_UNSET = no bound).
 */
struct plm_sim_plain {
	int64_t scan_ms, idle_ms, max_nodes;
	struct plm_vec types;  /* struct plm_slice */
	struct plm_vec labels; /* struct plm_w_kv of every node */
	struct plm_vec taints; /* struct plm_w_taint */
};
void plm_world_plain(struct plm_world *world, const struct plm_sim_plain *plain);

#endif
