/*
 * tables.h - the slots of state, one struct per table
 *
 * Every slot begins with 'used' (1, or 0 in a free slot, which is all zero) or with struct plm_object,
 * which begins so. Members that only facts write stand first, those that decisions write after "ours".
 * No padding. plm_state_check() asserts the invariants between tables.
 */
#ifndef PLM_CORE_TABLES_H
#define PLM_CORE_TABLES_H

#include "core/parts.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* The head of every object; 'labels' is a span of plm_kv. */
struct plm_object {
	uint32_t used;
	uint32_t kind; /* enum plm_kind */
	plm_sym ns, name, uid, labels;
	plm_sym owner_kind, owner_name, owner_uid;
	uint32_t generation;		 /* of the object as it was told last; 0 = it has none */
	int64_t created_ms, deleting_ms; /* PLM_UNSET = not being deleted */
	uint64_t seq;			 /* of the last fact; 0 = known from a decision only */
	uint64_t print_low, print_high;	 /* fingerprint of that fact's projection */
};

struct plm_namespace {
	struct plm_object object;
	plm_sym limits; /* span of plm_limit_item, one per type: its LimitRanges folded */
	uint32_t zero;
};

struct plm_flavor {
	struct plm_object object;
	plm_sym node_labels, node_taints, tolerations, topology;
};

struct plm_cohort {
	struct plm_object object;
	plm_sym parent, groups;
	int64_t weight_nano;
};

struct plm_cluster_queue {
	struct plm_object object;
	plm_sym cohort;
	plm_sym groups; /* span of plm_group */
	uint32_t strategy;
	struct plm_selector ns_selector;
	uint32_t when_can_borrow, when_can_preempt, preference;
	uint32_t within, reclaim, borrow_within; /* enum plm_preemption */
	uint32_t stop;
	plm_sym checks; /* span of plm_check_use */
	uint32_t capacity_check, dialect;
	plm_sym misconfigured;
	int64_t borrow_threshold, preempt_threshold, weight_nano;
	/* ours */
	uint64_t generation; /* +1 when a workload leaves or changes its standing: kueue.md 2.6 */
	plm_id sticky;	     /* workload that was promised what its victims free */
	uint32_t holding;    /* workloads that hold quota here */
	uint32_t admission_mode;
	uint32_t concurrent;	/* 1: it asks for concurrent admission, which is not there yet */
	uint64_t written_print; /* of the status that was asked to be written last; 0 = none */
	int64_t write_at_ms;	/* not before, after a write; 0 = at any time */
	uint32_t writing;	/* 1: a write of its status is under way */
	uint32_t zero;
};

struct plm_local_queue {
	struct plm_object object;
	plm_sym cluster_queue, work_queue;
	uint32_t stop;
	plm_sym reported; /* span of plm_amount: consumed at 'reported_ms', as its status says */
	int64_t weight_nano, reported_ms;
	/* ours */
	int64_t sampled_ms; /* its usage is decayed up to then; PLM_UNSET = it is not kept yet */
	plm_id consumed;    /* the first of its list, by resource name */
	uint32_t writing;   /* 1: a write of its status is under way */
	uint64_t written_print; /* of the status that was asked to be written last; 0 = none */
	int64_t write_at_ms;	/* not before, after a write; 0 = at any time */
};

/* What a LocalQueue has consumed of one resource, with half-life: kueue.md 2.13. */
struct plm_consumed {
	uint32_t used;
	plm_id local, next; /* the LocalQueue, and its next row */
	uint32_t zero;
	struct plm_fixed amount;
};

struct plm_work_queue {
	struct plm_object object;
	plm_sym cluster_queue;
	uint32_t zero;
	int64_t max_parallel; /* PLM_UNSET = unlimited */
};

struct plm_priority_class {
	struct plm_object object;
	uint32_t global_default, never_preempt;
	int64_t value;
};

struct plm_admission_check {
	struct plm_object object;
	plm_sym controller;
	uint32_t active;
};

/* Kueue's Topology; struct plm_topology is something else, of reducers/sched. */
struct plm_tas_topology {
	struct plm_object object;
	plm_sym levels; /* span of plm_sym: node labels, highest first */
	uint32_t zero;
};

struct plm_limit_range {
	struct plm_object object;
	plm_sym items; /* span of plm_limit_item, as written */
	uint32_t zero;
};

struct plm_runtime_class {
	struct plm_object object;
	plm_sym overhead; /* span of plm_amount */
	uint32_t zero;
};

/* A PodDisruptionBudget. Amounts of its spec are PLM_UNSET when absent. */
struct plm_pdb {
	struct plm_object object;
	struct plm_selector selector;
	uint32_t min_percent, max_percent; /* 1: in percent of the expected pods */
	uint32_t always_allow;		   /* 1: pods that are not ready are free to go */
	uint32_t has_status, stale, zero;
	int64_t min_available, max_unavailable;
	int64_t allowed, healthy, desired, expected; /* its status */
};

enum plm_stage {
	PLM_STAGE_PENDING,
	PLM_STAGE_RESERVED, /* holds quota, checks are open */
	PLM_STAGE_ADMITTED, /* holds quota and may run */
	PLM_STAGE_FINISHED,
};

enum plm_told {
	PLM_TOLD_NOTHING, /* and it does not run by us */
	PLM_TOLD_TO_RUN,
	PLM_TOLD_TO_STOP, /* until it has no pods */
};

/* From a Workload object, or made for a Job or PodSet ('job' is its slot). */
struct plm_workload {
	struct plm_object object;
	plm_sym queue, priority_class;
	plm_sym pod_sets; /* span of plm_pod_set */
	uint32_t active, gated;
	plm_id job;		/* 0 = a Workload object of its own */
	plm_sym checks;		/* span of plm_check_status */
	plm_sym reclaimable;	/* span of plm_pod_count */
	int64_t priority_given; /* PLM_UNSET = by class */
	int64_t priority;	/* effective */
	/* ours */
	uint32_t stage;		    /* enum plm_stage */
	plm_id cluster_queue;	    /* whose quota it holds; 0 while pending or not known yet */
	plm_sym reserved_in;	    /* its name; 0 while pending */
	uint32_t failed;	    /* 1: parked, and so are those that would be scheduled alike */
	plm_sym assignments;	    /* span of plm_assignment */
	plm_sym evicted_reason;	    /* of the Evicted condition while it is True, else 0 */
	uint32_t place;		    /* enum plm_queue_place: ACTIVE or PARKED, while pending */
	uint32_t preemption;	    /* enum plm_reason of the Preempted condition */
	int32_t requeued;	    /* Requeued condition: -1 False, 0 absent, 1 True */
	plm_sym cursor;		    /* span of plm_cursor: where the flavor scan goes on */
	uint64_t cursor_generation; /* of queue and quotas when the cursor was made */
	uint64_t cursor_seq;	    /* of the decision that made it */
	int64_t reserved_ms, admitted_ms, evicted_ms, finished_ms; /* PLM_UNSET = not so */
	int64_t requeue_at_ms;
	plm_sym finished_reason;
	plm_sym places;	       /* span of plm_place: reserved capacity of the gang */
	plm_sym hold;	       /* span of plm_assignment: claim on what its victims free */
	uint32_t cursor_round; /* of the cycle that made the cursor */
	int64_t places_deadline_ms;
	plm_sym tried; /* span of plm_sym: flavors that had no capacity for the gang */
	plm_id by;     /* workload that preempts this one */
	/*
	 * 1: it had quota and found no capacity. Room that comes free is tried, but nobody is preempted
	 * for it until there are other nodes, pools, types or stock: its victims would die for nothing.
	 */
	uint32_t polite;
	plm_sym unhealthy; /* span of plm_sym: nodes of its assignment that are to be replaced */
	plm_sym penalty;   /* span of plm_fixed: charged to its LocalQueue until it is admitted */
	/* Of root's 'turn', when it preempted or was preempted last: rest.h. */
	uint32_t turn_spent, turn_preempted;
	uint32_t evicted_cause; /* enum plm_reason under evicted_reason */
	struct plm_why why;
	/* the life cycle */
	uint32_t active_told;	  /* 1 + spec.active of the last fact; 0 = none said */
	uint32_t max_execution_s; /* 0 = no limit */
	uint32_t past_execution_s;
	uint32_t pods_ready;	  /* enum plm_pods_ready */
	int64_t pods_ready_ms;	  /* since when it is so */
	int64_t ready_by_ms;	  /* its pods must be ready by then; PLM_UNSET = nobody waits */
	uint32_t requeue_count;	  /* evictions in a row because its pods were not ready */
	uint32_t requeued_reason; /* enum plm_reason of the Requeued condition */
	int64_t requeued_ms;	  /* since when it is so */
	plm_sym evictions;	  /* span of plm_eviction_count */
	uint32_t retired;	  /* 1: its deletion, or that of its job, was asked for */
	uint32_t deactivating;	  /* 1: its object was asked to say that it is not active */
	uint32_t halt;		  /* enum plm_halt */
	uint32_t elastic;	  /* 1: it asks for workload slices, which are not there yet */
	/* what was written of it: reducers/publish, core/written.h */
	uint32_t making;	/* enum plm_making: of its object, when it has none yet */
	uint64_t written_print; /* of the status that was asked to be written last; 0 = none */
	uint64_t said_print;	/* of the reason why it waits, likewise */
	int64_t write_at_ms;	/* not before, after a failure; PLM_UNSET = at any time */
	uint32_t writing;	/* 1: a write of its status is under way */
	uint32_t theirs;	/* enum plm_theirs */
};

/* How an evicted workload without a job that is known here comes to rest. */
enum plm_halt {
	PLM_HALT_NONE,
	PLM_HALT_ASKED,
	PLM_HALT_DONE, /* nothing of it runs */
};

/* The Workload object of a job that has none yet. */
enum plm_making {
	PLM_MAKING_NOT,
	PLM_MAKING_ASKED,
	PLM_MADE, /* it was created; its first fact is awaited */
};

/* Somebody else wrote what is ours to say. */
enum plm_theirs {
	PLM_THEIRS_NONE,
	PLM_THEIRS_SEEN,     /* it is set right in a while, unless a later fact agrees with us */
	PLM_THEIRS_ANSWERED, /* it was, once: whoever insists has the last word until we have news */
};

/* When a complete list came last. */
enum plm_listing {
	PLM_LISTED_NEVER,
	PLM_LISTED_NOW, /* in this epoch */
	PLM_LISTED_ONCE,
};

/* Areas whose decisions are written into objects. */
enum plm_publish_area {
	PLM_PUBLISH_QUEUES = 1,
	PLM_PUBLISH_NODES = 2,
};

/* What claims, pools and classes say of themselves. */
enum plm_unsaid {
	PLM_UNSAID_SOME = 1, /* it may have changed since the last look */
	PLM_UNSAID_LOOK = 2, /* this cycle looks */
};

/* The PodsReady condition: False with its reasons, or True with them. */
enum plm_pods_ready {
	PLM_PODS_UNKNOWN, /* nobody tells */
	PLM_PODS_WAIT_FOR_START,
	PLM_PODS_STARTED,
	PLM_PODS_WAIT_FOR_RECOVERY,
	PLM_PODS_RECOVERED,
};

/*
 * A job of any kind of core/integration.h: 'object.kind'. For a PodSet 'active', 'ready', 'succeeded' and
 * 'failed' (failures so far) are counted here from its pods, for other kinds they come with the fact.
 */
struct plm_job {
	struct plm_object object;
	plm_sym workload, queue, work_queue, priority_class;
	plm_sym pod_sets;			   /* span of plm_pod_set */
	uint32_t managed, suspended, indexed, end; /* enum plm_job_end */
	uint32_t elastic;			   /* 1: as its workload */
	int64_t parallelism, completions, backoff_limit, min_parallelism;
	int64_t active, ready, succeeded, failed, ended_ms, started_ms;
	/* ours */
	plm_id workload_id;
	uint32_t started;     /* enum plm_told */
	plm_sym remake;	      /* PodSet: span of uint32_t, indexes of pods to be made again */
	uint32_t next_index;  /* PodSet: pods below were asked for */
	int64_t pods;	      /* PodSet: its pods that are not terminal */
	int64_t max_exec_s;   /* PLM_UNSET = may run for ever */
	plm_sym reclaimable;  /* span of plm_pod_count */
	uint32_t prebuilt;    /* 1: 'workload' is made by somebody else */
	plm_id first_pod;     /* PodGroup: list of its pods, by plm_pod.group_next */
	uint32_t group_total; /* PodGroup: pods that it needs */
	uint32_t group_flags; /* PodGroup: enum plm_group_flag */
	uint32_t named;	 /* enum plm_named: what it says itself; 'managed' is what that comes to */
	plm_sym runtime; /* TrainJob: whose pod sets it has */
	uint32_t runtime_kind;
	plm_sym node_requests; /* TrainJob: span of plm_amount */
	uint32_t zero2;
	int64_t nodes; /* TrainJob: PLM_UNSET = as its runtime says */
};

enum plm_named {
	PLM_NAMED_NOT,
	PLM_NAMED,	 /* it names a queue */
	PLM_NAMED_NEVER, /* it can never be queued */
};

/* plm_workload.gated: 1 = by an annotation, or */
#define PLM_GATED_BY_GROUP 2 /* not all pods of its group are there */

enum plm_group_flag {
	PLM_GROUP_SINGLE = 1,	   /* a plain pod, a group of its own */
	PLM_GROUP_FAST = 2,	   /* let in when the first of its pods is there */
	PLM_GROUP_SERVING = 4,	   /* runs until it is deleted */
	PLM_GROUP_UNRETRIABLE = 8, /* it is over with the first pod that failed */
};

struct plm_pod {
	struct plm_object object;
	plm_sym shape; /* span of one plm_shape */
	plm_sym node;  /* name; 0 = not bound */
	plm_sym nominated;
	plm_sym pod_set;
	uint32_t phase; /* enum plm_phase */
	uint32_t unschedulable, no_status, gated, ready, do_not_disrupt;
	uint32_t tas;  /* 1: its template asks for a topology */
	plm_sym gates; /* span of plm_sym: names of scheduling gates */
	int64_t started_ms, deletion_cost, index;
	int64_t priority;
	/* ours */
	plm_sym target;	       /* node or claim it is expected on */
	uint32_t target_claim; /* 1: a claim */
	uint32_t ending;       /* 1: we asked for its eviction or deletion */
	uint32_t batched; /* 1: it opened or prolonged the batch window, and does so only once */
	struct plm_why why;
	uint32_t ungating;	  /* 1: we asked for a gate to go */
	uint32_t managed;	  /* 1: it carries upstream's finalizer */
	plm_sym group;		  /* workload that it is a part of by itself; 0 = none */
	plm_sym role;		  /* its pod set there */
	plm_id group_next;	  /* list of the group's pods */
	uint32_t group_flags;	  /* enum plm_group_flag */
	uint32_t admission_gated; /* 1: it waits behind the admission gate */
	uint32_t told;		  /* 1: we asked for its gate to be taken away */
	uint32_t not_ready;	  /* 1: its condition Ready says False */
	uint32_t misprotected;	  /* 1: its annotation do-not-disrupt cannot be read */
	int64_t protected_ms;	  /* 'do_not_disrupt' ends then; PLM_UNSET = never */
	int64_t grace_s;	  /* terminationGracePeriodSeconds; PLM_UNSET = not said */
	uint32_t evict_tries;	  /* ours. Evictions or deletions that were refused */
	uint32_t forced;	  /* ours. 1: we asked for its deletion, not its eviction */
	int64_t evict_ms;	  /* ours. It is not asked again before; 0 = at once */
	int64_t scheduled_ms;	  /* since when PodScheduled is True; PLM_UNSET = not so */
	uint32_t seen;		  /* enum plm_pod_seen: what its node was told of it */
	uint32_t finalizing;	  /* ours. enum plm_finalizing */
};

/* What became of our wish to take upstream's finalizer off a pod. */
enum plm_finalizing {
	PLM_FINALIZING_NOT,
	PLM_FINALIZING_ASKED,
	PLM_FINALIZING_FAILED, /* it is asked for again when there is news of the pod */
};

/* Events of a pod that its node's consolidateAfter is counted from: karpenter.md 3.4. */
enum plm_pod_seen {
	PLM_POD_UNSEEN,
	PLM_POD_BOUND,
	PLM_POD_ENDED, /* over or on its way out */
};

struct plm_node {
	struct plm_object object;
	plm_sym provider_id;
	plm_sym taints, capacity, allocatable;
	uint32_t ready, unschedulable, do_not_disrupt;
	/* ours */
	plm_id claim;
	int64_t empty_since_ms;		/* PLM_UNSET = not empty */
	uint32_t pods;			/* bound, not terminal, not of a DaemonSet */
	uint32_t termination_finalizer; /* a fact: 1 = it waits for us when it is deleted */
	int64_t pod_event_ms; /* a pod was bound, over or told to end last; 0 = none ever was */
	uint32_t keepers;     /* pods that keep it from being empty: disruption/cost.h */
	uint32_t zero;
};

struct plm_daemon_set {
	struct plm_object object;
	plm_sym template_set; /* span of one plm_pod_set */
	uint32_t zero;
};

/* Deployment, ReplicaSet, StatefulSet. */
struct plm_replicator {
	struct plm_object object;
	plm_sym template_set;
	uint32_t zero;
	int64_t replicas;
	struct plm_why why;
};

struct plm_node_pool {
	struct plm_object object;
	uint32_t class_kind;
	plm_sym class_name, template_labels, taints, startup_taints, requirements, limits, budgets;
	uint32_t consolidation, dialect;
	plm_sym not_ready;
	uint32_t by_condition; /* 1: 'not_ready' is what its own condition says */
	int64_t weight, min_size, max_size, expire_ms, grace_ms, consolidate_after_ms;
	plm_sym hash, stamped_hash, stamped_version;
	/* ours */
	uint32_t launches;    /* of the last PLM_LIMIT_HEALTH_RING, how many are known */
	uint32_t launch_ring; /* bit 0 the last one: 1 = its node registered */
	uint32_t told;	      /* 1: its annotations were asked for */
	int64_t generation;   /* that the ring is about */
	uint32_t writing;     /* 1: a write of its status is under way */
	uint32_t zero;
	uint64_t written_print; /* of the status that was asked to be written last; 0 = none */
	int64_t write_at_ms;	/* not before, after a write or failure; 0 = at any time */
};

/*
 * What a class says about the capacity of its nodes; PLM_UNSET = nothing. All 0 is the class that says
 * nothing at all ('said' 0). A threshold is an amount or, in 10^-9, a share of the capacity.
 */
struct plm_class_capacity {
	uint32_t said;
	uint32_t family; /* enum plm_ec2_family */
	int64_t max_pods, pods_per_core;
	int64_t kube_cpu_milli, kube_memory, kube_storage;
	int64_t system_cpu_milli, system_memory, system_storage;
	int64_t evict_memory, evict_memory_nano, evict_storage, evict_storage_nano;
	int64_t volume_bytes;		  /* of the volume that holds the pods' files */
	int64_t efa_only, efa_only_first; /* interfaces of that type, and those on card 0 */
	int64_t raid0;
};

struct plm_node_class {
	struct plm_object object;
	plm_sym instance_types; /* span of plm_sym; 0 = all */
	plm_sym ami_family, tags, not_ready;
	plm_sym hash, stamped_hash, stamped_version;
	uint32_t told; /* ours. 1: its annotations were asked for */
	struct plm_class_capacity capacity;
	/* What it came to in the cloud, a fact: reducers/provision/class_use.h */
	uint32_t by_condition; /* as for pools */
	uint32_t looked_up;    /* 1: there is a status */
	plm_sym status_uid, status_hash, status_not_ready;
	plm_sym subnets, images, security_groups, conditions; /* spans of plm_class_* */
	plm_sym instance_profile, recipe;
	uint32_t writing;		  /* ours. 1: a write of its status is under way */
	uint32_t reserves, zero;	  /* 1: it selects capacity reservations */
	uint64_t status_low, status_high; /* its fingerprint */
	/* ours */
	uint64_t written_print; /* of the status that was asked to be written last; 0 = none */
	int64_t write_at_ms;	/* not before, after a write or failure; 0 = at any time */
};

enum plm_claim_phase {
	PLM_CLAIM_WANTED,   /* decided, the launch is under way */
	PLM_CLAIM_LAUNCHED, /* the cloud has an instance */
	PLM_CLAIM_JOINED,   /* its node is known */
	PLM_CLAIM_READY,    /* its node is initialized */
	PLM_CLAIM_ENDING,   /* given up; freed when the instance is gone */
};

/* A NodeClaim object, or one decided by us. */
struct plm_node_claim {
	struct plm_object object;
	plm_sym pool, class_name, requirements, requests, taints, startup_taints;
	plm_sym provider_id, node, capacity, allocatable;
	plm_sym types; /* span of plm_sym, cheapest first */
	uint32_t do_not_disrupt;
	int64_t launched_ms, registered_ms, initialized_ms;
	int64_t consolidatable_ms, drifted_ms; /* of the conditions; PLM_UNSET = not True */
	int64_t grace_ms;
	/* ours */
	uint32_t phase; /* enum plm_claim_phase */
	plm_sym instance_type, zone, capacity_type;
	int64_t price_micro, decided_ms;
	uint64_t intent;	  /* seq of the launch; 0 = not ours */
	plm_sym for_ns, for_name; /* the gang it was bought for, if any */
	uint32_t end_reason;	  /* enum plm_reason, while ENDING */
	uint32_t ended_by_cloud;  /* 1: no terminate is owed */
	uint32_t failures;	  /* launches that failed */
	uint32_t cordoned;	  /* enum plm_claim_cordoned: may its node take pods? */
	int64_t interrupted_ms;	  /* the cloud takes the instance then; 0 = it does not */
	int64_t ended_ms;	  /* when it was given up; 0 = it was not */
	struct plm_why why;
	/* facts */
	uint32_t class_kind; /* enum plm_kind */
	plm_sym pool_hash, pool_hash_version, class_hash, class_hash_version;
	uint32_t termination_finalizer;
	int64_t expire_ms, registering_ms;
	/* ours */
	plm_sym reservation;
	plm_sym launch_code; /* of the last launch that failed */
	plm_sym refused;     /* span of plm_refusal: what the cloud would not give, at most 8 */
	plm_sym bought_for;  /* span of plm_sym: "ns/name" of the first pods */
	uint32_t bought_pods;
	uint32_t synced;      /* enum plm_claim_synced: what its node was told */
	uint32_t noted;	      /* enum plm_claim_noted: what was said of it */
	uint32_t asked;	      /* enum plm_claim_asked: of its object */
	int64_t retry_ms;     /* no launch before; 0 = at once */
	int64_t node_gone_ms; /* its node was there and went then; 0 = it did not */
	int64_t blind_kube_ms, blind_cloud_ms; /* of root's, when it began */
	/* the way out: reducers/disruption/drain.h */
	uint32_t drain_stage;	/* enum plm_drain_stage */
	uint32_t drain_marks;	/* bits of enum plm_drain_mark */
	int64_t deadline_ms;	/* its grace period ends; 0 = it has none */
	int64_t draining_ms;	/* since when its node takes no more pods */
	int64_t drained_ms;	/* when its pods were gone; 0 = they are not */
	int64_t terminating_ms; /* when its volumes were gone too */
	int64_t terminate_ms;	/* when its instance was last told to go */
	struct plm_why drain_why;
	/* removal */
	int64_t last_pod_event_ms; /* a fact: of its status; PLM_UNSET = none */
	int64_t nominated_ms;	   /* pods were last expected on it then; 0 = never */
	uint64_t nominated_seq;	   /* of that decision */
	int64_t validate_ms;	   /* its removal is looked at again then; 0 = none is under way */
	int64_t blocked_until_ms;  /* PLM_UNSET = until something changes */
	struct plm_why blocked;	   /* what keeps its node although its time has come */
	uint32_t interruption;	   /* 1 + enum plm_interrupt of what ends it; 0 = nothing does */
	uint32_t hold_whole;	   /* 1: its pods stay until 'hold_until_ms' in any case */
	plm_sym cloud_state;	   /* of a state change */
	uint32_t zero;
	int64_t change_ms;     /* of a scheduled change; PLM_UNSET or 0 = not known */
	int64_t impaired_ms;   /* since when; 0 = it is not */
	int64_t block_end_ms;  /* its capacity block ends then; 0 = it is in none */
	int64_t rebalance_ms;  /* the cloud recommended to leave it; 0 = it did not */
	int64_t hold_until_ms; /* its pods have so long for their new places; 0 = they have not */
	uint32_t described;    /* 1: its instance was seen when instances were listed */
	/* what was written of it: reducers/publish */
	uint32_t making;	/* enum plm_making: of its object, when it has none yet */
	plm_sym image;		/* that its instance was made of */
	uint32_t writing;	/* 1: a write of its status is under way */
	uint64_t written_print; /* of the status that was asked to be written last; 0 = none */
	int64_t write_at_ms;	/* not before, after a write or failure; 0 = at any time */
};

/* plm_node_claim.cordoned */
enum plm_claim_cordoned {
	PLM_CORDONED_NOT,
	PLM_CORDONED_TOLD, /* its node was told to take no more pods */
	PLM_CORDONED_SEEN, /* ... and says so itself */
};

/* plm_node_claim.synced, bits */
enum plm_claim_synced {
	PLM_SYNCED_REGISTERED = 1,
	PLM_SYNCED_INITIALIZED = 2,
};

/* plm_node_claim.noted, bits */
enum plm_claim_noted {
	PLM_NOTED_NO_TAINT = 1,	    /* its node came without the unregistered taint */
	PLM_NOTED_INCONSISTENT = 2, /* its node has less than promised */
	PLM_NOTED_OUTCOME = 4,	    /* it counts in its pool's ring of launches */
};

/* plm_node_claim.asked, bits */
enum plm_claim_asked {
	PLM_ASKED_STAMP = 1,
	PLM_ASKED_DELETE = 2,
	PLM_ASKED_FINALIZE = 4,
	PLM_ASKED_TAG = 8, /* its instance was given the tags that are known when its node is */
};

/* An instance of this cluster that no claim is known for. */
struct plm_instance {
	uint32_t used;
	plm_sym provider_id, instance_type, zone, capacity_type, claim, pool;
	uint32_t told; /* 1: it is to be terminated */
	int64_t launched_ms;
};

/* What EC2 says of a type: event.h, ec2_facts. 'vcpu' 0 = nothing. */
struct plm_type_facts {
	int64_t vcpu, memory_mib, reserved_mib, enis, ipv4_per_eni, store_gb, efa;
};

/* plm_node_claim.drain_marks */
enum plm_drain_mark {
	PLM_CUT_PODS = 1,	/* they were still there when the grace period was over */
	PLM_CUT_VOLUMES = 2,	/* so were volumes */
	PLM_NODE_DELETED = 4,	/* the deletion of its node was asked for */
	PLM_NODE_FINALIZED = 8, /* its node was asked to go without our finalizer */
};

struct plm_instance_type {
	uint32_t used;
	plm_sym name, requirements, capacity, allocatable;
	plm_sym offerings; /* span of plm_offering */
	struct plm_type_facts facts;
};

/* The least memory that a node of this type and class was seen to have: karpenter.md 4.4. */
struct plm_seen_memory {
	uint32_t used;
	plm_sym instance_type, class_name;
	uint32_t zero;
	int64_t bytes;
};

struct plm_volume_claim {
	struct plm_object object;
	plm_sym class_name, volume;
	uint32_t class_said; /* 0: of the default class */
	uint32_t bound, lost;
	uint32_t zero;
};

struct plm_volume {
	struct plm_object object;
	plm_sym class_name, driver, handle;
	plm_sym terms;		 /* span of plm_term */
	plm_sym claim_ns, claim; /* whose it is */
	uint32_t local;
	uint32_t zero;
};

struct plm_storage_class {
	struct plm_object object;
	plm_sym provisioner;
	plm_sym terms; /* span of plm_term */
	uint32_t immediate, is_default;
};

/* Named as its node. */
struct plm_csi_node {
	struct plm_object object;
	plm_sym drivers; /* span of plm_csi_driver */
	uint32_t zero;
};

struct plm_volume_attachment {
	struct plm_object object;
	plm_sym driver, node, volume;
	uint32_t attached;
};

/* The cloud said it has none of these; forgotten at 'until_ms'. */
/*
 * The cloud said it has none of these (0 = any) until 'until_ms'. Offerings that were refused 'times' in a
 * row are remembered longer each time, and the row is kept until 'forget_ms' (claims.md).
 */
struct plm_stock_out {
	uint32_t used;
	plm_sym instance_type, zone, capacity_type;
	int64_t until_ms;
	plm_sym reservation;
	uint32_t times;
	int64_t forget_ms;
	uint32_t lapsed; /* 1: 'until_ms' has passed, and whoever waited for it was told */
	uint32_t zero;
};

/* An intent without a final result. */
struct plm_intent {
	uint32_t used;
	uint32_t call, kind; /* enum plm_call, enum plm_kind */
	plm_sym ns, name, uid;
	uint64_t seq;
	int64_t deadline_ms;
};

/* An effect on a node, claim or the like that failed: reducers/provision/retry.h. */
struct plm_retry {
	uint32_t used;
	uint32_t call, kind; /* enum plm_call, enum plm_kind */
	plm_sym name;
	uint32_t tries; /* failures in a row */
	uint32_t held;	/* 1: nobody asks for it before 'due_ms' */
	int64_t due_ms;
};

/* What is true once. */
struct plm_root {
	uint32_t used;
	plm_sym cluster_uid, cluster_name, region, catalog_region;
	uint32_t compat, only, fair_sharing, pending_by_hand, preferences, min_values, settle;
	uint32_t fair_strategies, ignore_undeclared;
	plm_sym exclude_prefixes; /* span of plm_sym */
	plm_sym transformations;  /* span of plm_transformation */
	uint64_t epoch;
	int64_t now_ms; /* of the last CYCLE */
	int64_t batch_idle_ms, batch_max_ms, gang_timeout_ms, registration_timeout_ms,
		launch_timeout_ms, stock_out_ms;
	int64_t batch_opened_ms, batch_touched_ms; /* pod batch window; PLM_UNSET = closed */
	uint64_t claims_made;			   /* for names */
	uint64_t bundle;
	uint64_t cycle_seq;	   /* of the last CYCLE */
	uint64_t quota_generation; /* +1 when a queue, cohort or flavor changes */
	uint32_t observe_only;	   /* 1: a limit was hit, no intents until there is room */
	uint32_t queues_dirty;	   /* 1: admission has something to look at */
	uint32_t nodes_dirty;
	uint32_t room_freed; /* 1: pods or places went since the last CYCLE: a gang may fit now */
	uint32_t domains_freed; /* 1: nodes or topologies changed, or pods ended: room in domains */
	uint32_t afs;		/* 1: usage of LocalQueues is kept */
	plm_sym afs_weights;	/* span of plm_amount, in 10^-9 */
	uint32_t domains_look;	/* 1: it was so at the last CYCLE: did a node fail under pods? */
	int64_t afs_half_life_ms, afs_interval_ms;
	int64_t afs_due_ms; /* no sample is due before; 0 = look */
	uint32_t turn;	    /* +1 when something outside changes what is wanted: rest.h */
	uint32_t node_gone; /* 1: a node that was there has gone */
	/* waitForPodsReady and retention: event.h, CONFIG */
	uint32_t pods_ready, block_admission, requeue_timestamp, deactivate_at;
	int64_t ready_timeout_ms, recovery_timeout_ms, requeue_base_s, requeue_max_s,
		retain_finished_ms, retain_deactivated_ms;
	plm_sym frameworks; /* span of plm_sym; 0 = all are on */
	uint32_t manage_unnamed;
	struct plm_selector managed_namespaces;
	uint32_t device_classes; /* 1: claims for devices would have to be counted */
	uint32_t gated_pods;	 /* ours: pods with a scheduling gate */
	/* Sources that cannot be reached, since when (PLM_UNSET = they can), and for how long they could not. */
	int64_t kube_away_ms, cloud_away_ms, kube_blind_ms, cloud_blind_ms;
	plm_sym claims_listed; /* revision of a complete list of claims in this epoch; 0 = none */
	uint32_t instances_listed;
	int64_t vm_memory_nano, reserved_enis;
	int64_t disruption_wait_ms;
	uint32_t nodes_listed; /* 1: as for claims */
	uint32_t zero3;
	int64_t catalog_ms; /* when the catalogue was told last: what was left of reservations then */
	/* reducers/publish: enum plm_publish_area, or'ed; reasons of waiting are not written before 'say_at_ms' */
	uint32_t publish;
	uint32_t workloads_listed; /* enum plm_listing: of Workloads */
	int64_t say_at_ms;
	uint32_t board_dirty;  /* 1: what queues say may have changed since the last look */
	uint32_t board_look;   /* 1: this cycle looks */
	int64_t board_at_ms;   /* not before */
	uint32_t class_status; /* 1: a class without a status is not ready yet */
	uint32_t nodes_unsaid; /* bits of enum plm_unsaid */
	int64_t launch_lag_ms; /* how long after its launch an instance is seen: reducers/provision/orphan.h */
	int64_t nodes_say_ms; /* what is written of nodes is looked at again then, at the earliest */
};

#pragma GCC diagnostic pop

/* X(NAME, member and accessor prefix, struct, small, cluster, ceiling): slots by profile. */
#define PLM_TABLES(X)                                                                              \
	X(ROOT, root, plm_root, 1, 1, 1)                                                           \
	X(NAMESPACE, namespace, plm_namespace, 1000, 10000, 100000)                                \
	X(FLAVOR, flavor, plm_flavor, 500, 2000, 20000)                                            \
	X(COHORT, cohort, plm_cohort, 500, 2000, 20000)                                            \
	X(CLUSTER_QUEUE, cluster_queue, plm_cluster_queue, 1000, 5000, 50000)                      \
	X(LOCAL_QUEUE, local_queue, plm_local_queue, 2000, 20000, 200000)                          \
	X(WORK_QUEUE, work_queue, plm_work_queue, 500, 5000, 50000)                                \
	X(PRIORITY_CLASS, priority_class, plm_priority_class, 100, 500, 5000)                      \
	X(ADMISSION_CHECK, admission_check, plm_admission_check, 100, 500, 5000)                   \
	X(WORKLOAD, workload, plm_workload, 4000, 100000, 2000000)                                 \
	X(JOB, job, plm_job, 4000, 100000, 1000000)                                                \
	X(POD, pod, plm_pod, 8000, 200000, 2000000)                                                \
	X(NODE, node, plm_node, 1000, 5000, 50000)                                                 \
	X(DAEMON_SET, daemon_set, plm_daemon_set, 200, 1000, 10000)                                \
	X(REPLICATOR, replicator, plm_replicator, 1000, 20000, 200000)                             \
	X(NODE_POOL, node_pool, plm_node_pool, 200, 1000, 10000)                                   \
	X(NODE_CLASS, node_class, plm_node_class, 200, 1000, 10000)                                \
	X(NODE_CLAIM, node_claim, plm_node_claim, 1000, 10000, 100000)                             \
	X(INSTANCE_TYPE, instance_type, plm_instance_type, 2000, 2000, 10000)                      \
	X(STOCK_OUT, stock_out, plm_stock_out, 2000, 20000, 200000)                                \
	X(INTENT, intent, plm_intent, 4000, 50000, 500000)                                         \
	X(TOPOLOGY, tas_topology, plm_tas_topology, 100, 500, 5000)                                \
	X(LIMIT_RANGE, limit_range, plm_limit_range, 500, 10000, 100000)                           \
	X(RUNTIME_CLASS, runtime_class, plm_runtime_class, 100, 500, 5000)                         \
	X(CONSUMED, consumed, plm_consumed, 16000, 160000, 1600000)                                \
	X(PDB, pdb, plm_pdb, 500, 10000, 100000)                                                   \
	X(VOLUME_CLAIM, volume_claim, plm_volume_claim, 4000, 100000, 1000000)                     \
	X(VOLUME, volume, plm_volume, 4000, 100000, 1000000)                                       \
	X(STORAGE_CLASS, storage_class, plm_storage_class, 100, 500, 5000)                         \
	X(CSI_NODE, csi_node, plm_csi_node, 1000, 5000, 50000)                                     \
	X(VOLUME_ATTACHMENT, volume_attachment, plm_volume_attachment, 4000, 100000, 1000000)      \
	X(INSTANCE, instance, plm_instance, 1000, 10000, 100000)                                   \
	X(SEEN_MEMORY, seen_memory, plm_seen_memory, 1000, 10000, 100000)                          \
	X(RETRY, retry, plm_retry, 4000, 50000, 500000)

#endif
