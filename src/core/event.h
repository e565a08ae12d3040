/*
 * event.h - the catalogue: every event that can stand in the log
 *
 * Owns: the envelope, the list of event types with number, schema and payload, the payloads that are
 * not projections of objects (those are in object.h). Adding an event is one line in PLM_EVENTS, one
 * struct, one row in the reducers' registry.
 *
 * Classes: CONTROL is written by the engine about itself; FACT comes from outside and is a projection;
 * DECISION is made by a reducer; INTENT asks an adapter for one effect; RESULT is what became of it.
 * Sources: eventsourcing.md D2, D14; exact.md 1 and 3.
 */
#ifndef PLM_CORE_EVENT_H
#define PLM_CORE_EVENT_H

#include "core/object.h"

#define PLM_ENVELOPE_FORMAT 1
/* Version of the adapters' encoders of frozen requests. */
#define PLM_ENCODER_VERSION 1

#define PLM_SOURCE_LIST(X)                                                                         \
	X(SOURCE_ENGINE, "engine")                                                                 \
	X(SOURCE_KUBE, "kube")                                                                     \
	X(SOURCE_CLOUD, "cloud")                                                                   \
	X(SOURCE_OPERATOR, "operator")                                                             \
	X(SOURCE_CLOCK, "clock")                                                                   \
	X(SOURCE_FILE, "file")                                                                     \
	X(SOURCE_IMPORT, "import")
PLM_W_ENUM(source, PLM_SOURCE_LIST)

/* Envelope flags. */
#define PLM_FLAG_JOINED 0x01 /* the payload is the end of a longer one; PART records go before it */
#define PLM_FLAG_TEST 0x02

/* Positional msgpack array of 13: D2. */
struct plm_envelope {
	uint8_t format; /* PLM_ENVELOPE_FORMAT */
	uint8_t flags;
	uint16_t source; /* enum plm_source */
	uint16_t type;	 /* enum plm_event_type */
	uint16_t schema;
	uint64_t seq;
	uint64_t epoch;
	uint64_t wall_ns;	  /* UTC, never decreasing */
	uint64_t tick_ms;	  /* logical time, the same for a whole batch */
	uint64_t cause;		  /* seq of the event that led to this one; 0 = external */
	uint64_t intent;	  /* seq of the INTENT this belongs to; 0 = none */
	struct plm_slice pos;	  /* position in the source; NULL ptr = nil */
	struct plm_slice payload; /* canonical msgpack of (type, schema) */
};

/* ---- why: the one explanation record ----------------------------------------------------------- */

/* What the person sees; upstream's spelling where upstream has the reason. */
#define PLM_REASON_LIST(X)                                                                         \
	X(REASON_NONE, "")                                                                         \
	X(REASON_QUOTA_RESERVED, "QuotaReserved")                                                  \
	X(REASON_ADMITTED, "Admitted")                                                             \
	X(REASON_NO_MATCHING_FLAVOR, "NoMatchingFlavor")                                           \
	X(REASON_WAITING_FOR_QUOTA, "WaitingForQuota")                                             \
	X(REASON_EXCEEDS_MAX_QUOTA, "ExceedsMaxQuota")                                             \
	X(REASON_TOPOLOGY_PLACEMENT_FAILED, "TopologyPlacementFailed")                             \
	X(REASON_WAITING_FOR_PREEMPTED, "WaitingForPreemptedWorkloads")                            \
	X(REASON_MISCONFIGURED, "Misconfigured")                                                   \
	X(REASON_SUSPENDED, "Suspended")                                                           \
	X(REASON_PENDING_EVALUATION, "PendingEvaluation")                                          \
	X(REASON_ADMISSION_GATED, "AdmissionGated")                                                \
	X(REASON_MAX_PARALLEL_JOBS, "MaxParallelJobs")                                             \
	X(REASON_WAITING_FOR_CAPACITY, "WaitingForCapacity")                                       \
	X(REASON_NO_CAPACITY, "NoCapacity")                                                        \
	X(REASON_PREEMPTED, "Preempted")                                                           \
	X(REASON_IN_CLUSTER_QUEUE, "InClusterQueue")                                               \
	X(REASON_IN_COHORT_RECLAMATION, "InCohortReclamation")                                     \
	X(REASON_IN_COHORT_RECLAIM_WHILE_BORROWING, "InCohortReclaimWhileBorrowing")               \
	X(REASON_IN_COHORT_FAIR_SHARING, "InCohortFairSharing")                                    \
	X(REASON_ADMISSION_CHECK, "AdmissionCheck")                                                \
	X(REASON_CLUSTER_QUEUE_STOPPED, "ClusterQueueStopped")                                     \
	X(REASON_LOCAL_QUEUE_STOPPED, "LocalQueueStopped")                                         \
	X(REASON_DEACTIVATED, "Deactivated")                                                       \
	X(REASON_NODE_FAILURES, "NodeFailures")                                                    \
	X(REASON_UNSCHEDULABLE, "Unschedulable")                                                   \
	X(REASON_NOMINATED, "Nominated")                                                           \
	X(REASON_PROVISIONED, "Provisioned")                                                       \
	X(REASON_EMPTY, "Empty")                                                                   \
	X(REASON_UNDERUTILIZED, "Underutilized")                                                   \
	X(REASON_DRIFTED, "Drifted")                                                               \
	X(REASON_MIN_SIZE, "MinSize")                                                              \
	X(REASON_INSUFFICIENT_CAPACITY, "InsufficientCapacity")                                    \
	X(REASON_LAUNCH_FAILED, "LaunchFailed")                                                    \
	X(REASON_REGISTRATION_TIMEOUT, "RegistrationTimeout")                                      \
	X(REASON_INTERRUPTED, "SpotInterrupted")                                                   \
	X(REASON_INSTANCE_GONE, "InstanceTerminated")                                              \
	X(REASON_ORPHAN, "Orphan")                                                                 \
	X(REASON_WAITING_FOR_PODS_READY, "WaitingForPodsReady")                                    \
	X(REASON_PODS_READY_TIMEOUT, "PodsReadyTimeout")                                           \
	X(REASON_WAIT_FOR_START, "WaitForStart")                                                   \
	X(REASON_WAIT_FOR_RECOVERY, "WaitForRecovery")                                             \
	X(REASON_STARTED, "Started")                                                               \
	X(REASON_RECOVERED, "Recovered")                                                           \
	X(REASON_REQUEUING_LIMIT_EXCEEDED, "RequeuingLimitExceeded")                               \
	X(REASON_MAXIMUM_EXECUTION_TIME_EXCEEDED, "MaximumExecutionTimeExceeded")                  \
	X(REASON_BACKOFF_FINISHED, "BackoffFinished")                                              \
	X(REASON_REACTIVATED, "Reactivated")                                                       \
	X(REASON_CLUSTER_QUEUE_RESTARTED, "ClusterQueueRestarted")                                 \
	X(REASON_LOCAL_QUEUE_RESTARTED, "LocalQueueRestarted")                                     \
	X(REASON_OWNER_NOT_FOUND, "OwnerNotFound")                                                 \
	X(REASON_FAILED_TO_START, "FailedToStart")                                                 \
	X(REASON_WAITING_FOR_PODS, "WaitingForReplacementPods")                                    \
	X(REASON_UNREGISTERED_TAINT_MISSING, "UnregisteredTaintMissing")                           \
	X(REASON_FAILED_CONSISTENCY_CHECK, "FailedConsistencyCheck")                               \
	X(REASON_NODE_CLASS_NOT_READY, "NodeClassNotReady")                                        \
	X(REASON_DELETED, "Deleted")                                                               \
	X(REASON_DRAINING, "Draining")                                                             \
	X(REASON_FAILED_DRAINING, "FailedDraining")                                                \
	X(REASON_AWAITING_VOLUMES, "AwaitingVolumeDetachment")                                     \
	X(REASON_INSTANCE_TERMINATING, "InstanceTerminating")                                      \
	X(REASON_DISRUPTION_BLOCKED, "DisruptionBlocked")                                          \
	X(REASON_EXPIRED, "Expired")                                                               \
	X(REASON_POOL_DELETED, "NodePoolDeleted")                                                  \
	X(REASON_REBALANCE, "SpotRebalanceRecommendation")                                         \
	X(REASON_INSTANCE_STOPPING, "InstanceStopping")                                            \
	X(REASON_SCHEDULED_CHANGE, "ScheduledChange")                                              \
	X(REASON_RESERVATION_INTERRUPTED, "CapacityReservationInterrupted")                        \
	X(REASON_UNHEALTHY, "InstanceUnhealthy")                                                   \
	X(REASON_CAPACITY_BLOCK_ENDING, "CapacityBlockEnding")
PLM_W_ENUM(reason, PLM_REASON_LIST)

/* The rule that decided, in our words: what `why` prints and tests match. */
#define PLM_RULE_LIST(X)                                                                           \
	X(RULE_NONE, "")                                                                           \
	X(RULE_FITS, "fits")                                                                       \
	X(RULE_QUOTA, "quota")                                                                     \
	X(RULE_MAX_QUOTA, "maximum quota")                                                         \
	X(RULE_BORROWING_LIMIT, "borrowing limit")                                                 \
	X(RULE_UNDECLARED_RESOURCE, "resource not in queue")                                       \
	X(RULE_FLAVOR_MISSING, "flavor missing")                                                   \
	X(RULE_FLAVOR_TAINT, "untolerated taint of flavor")                                        \
	X(RULE_FLAVOR_AFFINITY, "node affinity of flavor")                                         \
	X(RULE_PREEMPTION, "preemption")                                                           \
	X(RULE_NO_PREEMPTION_CANDIDATES, "no preemption candidates")                               \
	X(RULE_TAKEN_THIS_CYCLE, "taken by another workload in this cycle")                        \
	X(RULE_NAMESPACE_SELECTOR, "namespace selector")                                           \
	X(RULE_LOCAL_QUEUE_MISSING, "local queue missing")                                         \
	X(RULE_CLUSTER_QUEUE_MISSING, "cluster queue missing")                                     \
	X(RULE_WORK_QUEUE_MISSING, "work queue missing")                                           \
	X(RULE_QUEUE_INACTIVE, "queue inactive")                                                   \
	X(RULE_QUEUE_STOPPED, "queue stopped")                                                     \
	X(RULE_QUEUE_AMBIGUOUS, "no queue or several queues")                                      \
	X(RULE_LIMITS, "requests above limits")                                                    \
	X(RULE_NAMESPACE_MISSING, "namespace missing")                                             \
	X(RULE_CHECK_FAILED, "admission check failed")                                             \
	X(RULE_CHECK_PENDING, "admission check pending")                                           \
	X(RULE_GATED, "admission gated")                                                           \
	X(RULE_INACTIVE, "deactivated")                                                            \
	X(RULE_BACKOFF, "requeue backoff")                                                         \
	X(RULE_BEHIND, "behind another workload")                                                  \
	X(RULE_MAX_PARALLEL, "max parallel jobs")                                                  \
	X(RULE_NO_POOL, "no node pool")                                                            \
	X(RULE_POOL_NOT_READY, "pool not ready")                                                   \
	X(RULE_POOL_TAINT, "untolerated taint")                                                    \
	X(RULE_REQUIREMENTS, "requirements")                                                       \
	X(RULE_RESOURCES, "resources")                                                             \
	X(RULE_OFFERING, "offering")                                                               \
	X(RULE_STOCK_OUT, "out of stock")                                                          \
	X(RULE_POOL_LIMIT, "pool limit")                                                           \
	X(RULE_POOL_SIZE, "pool max size")                                                         \
	X(RULE_MIN_VALUES, "minimum values")                                                       \
	X(RULE_TOPOLOGY, "topology")                                                               \
	X(RULE_HOST_PORT, "host port")                                                             \
	X(RULE_NODE_TAINT, "node taint")                                                           \
	X(RULE_NODE_RESOURCES, "node resources")                                                   \
	X(RULE_NODE_REQUIREMENTS, "node requirements")                                             \
	X(RULE_VOLUME, "volume")                                                                   \
	X(RULE_GANG, "not all pods of the gang")                                                   \
	X(RULE_CHEAPEST, "cheapest plan")                                                          \
	X(RULE_EXISTING_NODE, "fits existing node")                                                \
	X(RULE_EMPTY_NODE, "empty node")                                                           \
	X(RULE_MIN_SIZE, "pool min size")                                                          \
	X(RULE_BUDGET, "disruption budget")                                                        \
	X(RULE_TIMEOUT, "timeout")                                                                 \
	X(RULE_CLOUD_REFUSED, "cloud refused")                                                     \
	X(RULE_EVICTED, "eviction completed")                                                      \
	X(RULE_COHORT_RING, "ring of cohorts")                                                     \
	X(RULE_TOPOLOGY_MISSING, "topology missing")                                               \
	X(RULE_FLAVOR_NO_TOPOLOGY, "flavor without topology")                                      \
	X(RULE_FLAVOR_TOPOLOGY_ONLY, "flavor for topology only")                                   \
	X(RULE_TOPOLOGY_LEVEL, "topology level")                                                   \
	X(RULE_TOPOLOGY_PLACEMENT, "topology placement")                                           \
	X(RULE_TOPOLOGY_SLICES, "topology slices")                                                 \
	X(RULE_TOPOLOGY_PENDING, "topology pending")                                               \
	X(RULE_NODE_FAILED, "node failed")                                                         \
	X(RULE_NODES_TAINT, "nodes with untolerated taint")                                        \
	X(RULE_NODES_SELECTOR, "nodes outside node selector")                                      \
	X(RULE_NODES_AFFINITY, "nodes outside node affinity")                                      \
	X(RULE_NODES_DOMAIN, "nodes outside domain")                                               \
	X(RULE_NODES_RESOURCES, "nodes too full")                                                  \
	X(RULE_LIMIT_RANGE_MAX, "limit range maximum")                                             \
	X(RULE_LIMIT_RANGE_MIN, "limit range minimum")                                             \
	X(RULE_PODS_READY, "pods not ready in time")                                               \
	X(RULE_BLOCKED, "pods of others not ready")                                                \
	X(RULE_NODES_STARTING, "nodes still start")                                                \
	X(RULE_MAX_EXECUTION, "maximum execution time")                                            \
	X(RULE_RESTARTED, "queue goes on")                                                         \
	X(RULE_REACTIVATED, "active again")                                                        \
	X(RULE_OWNER_MISSING, "owner not found")                                                   \
	X(RULE_START_CONFLICT, "conflicting additions to pods")                                    \
	X(RULE_GROUP, "pods of the group missing")                                                 \
	X(RULE_DELETING, "being deleted")                                                          \
	X(RULE_CLAIMS_NOT_COUNTED, "resource claims not counted yet")                              \
	X(RULE_DISPATCH, "no dispatch to other clusters yet")                                      \
	X(RULE_MULTIKUEUE_TWICE, "several MultiKueue checks")                                      \
	X(RULE_MULTIKUEUE_PER_FLAVOR, "MultiKueue check per flavor")                               \
	X(RULE_MULTIKUEUE_AND_PROVISIONING, "MultiKueue with provisioning")                        \
	X(RULE_ORPHAN, "no claim knows it")                                                        \
	X(RULE_CONSISTENCY, "smaller than promised")                                               \
	X(RULE_UNREGISTERED_TAINT, "came without the unregistered taint")                          \
	X(RULE_DELETED_OUTSIDE, "deleted by somebody else")                                        \
	X(RULE_PDB, "pod disruption budget")                                                       \
	X(RULE_PDBS, "several pod disruption budgets")                                             \
	X(RULE_DO_NOT_DISRUPT, "do not disrupt")                                                   \
	X(RULE_PODS_LEAVING, "pods are leaving")                                                   \
	X(RULE_EVICTION_REFUSED, "eviction refused")                                               \
	X(RULE_GRACE_ENDING, "termination grace period")                                           \
	X(RULE_MIN_DRAIN, "least time of a drain")                                                 \
	X(RULE_VOLUMES_ATTACHED, "volumes attached")                                               \
	X(RULE_INSTANCE_ENDING, "instance terminating")                                            \
	X(RULE_CLAIM_MISSING, "volume claim missing")                                              \
	X(RULE_CLAIM_DELETING, "volume claim being deleted")                                       \
	X(RULE_CLAIM_LOST, "volume claim lost")                                                    \
	X(RULE_CLAIM_UNBOUND, "volume claim not bound")                                            \
	X(RULE_STORAGE_CLASS, "storage class missing")                                             \
	X(RULE_VOLUME_MISSING, "volume missing")                                                   \
	X(RULE_VOLUME_DELETING, "volume being deleted")                                            \
	X(RULE_VOLUME_DRIVER, "volume driver not supported")                                       \
	X(RULE_VOLUME_LIMIT, "volumes of a node")                                                  \
	X(RULE_NO_CLAIM, "no node claim")                                                          \
	X(RULE_NOT_INITIALIZED, "node not initialized")                                            \
	X(RULE_LEAVES, "on its way out")                                                           \
	X(RULE_IN_COMMAND, "in a command already")                                                 \
	X(RULE_EXPECTED, "pods are expected on it")                                                \
	X(RULE_RESERVED, "reserved for a gang")                                                    \
	X(RULE_NODE_PROTECTED, "do not disrupt the node")                                          \
	X(RULE_LABEL_MISSING, "label missing")                                                     \
	X(RULE_POOL_MISSING, "node pool missing")                                                  \
	X(RULE_NEVER, "consolidateAfter Never")                                                    \
	X(RULE_TOO_SOON, "consolidateAfter")                                                       \
	X(RULE_NOT_EMPTY, "node not empty")                                                        \
	X(RULE_EXPIRED, "expireAfter")                                                             \
	X(RULE_INTERRUPTED, "interruption")                                                        \
	X(RULE_KEPT, "pool keeps its minimum")                                                     \
	X(RULE_DEVICES, "resource claims")                                                         \
	X(RULE_CATALOGUE, "catalogue")                                                             \
	X(RULE_NODES, "nodes")                                                                     \
	X(RULE_POOL_REQUIREMENTS, "pool requirements")                                             \
	X(RULE_RESERVATION, "reservation in use")                                                  \
	X(RULE_REPLACEMENT, "replacement first")                                                   \
	X(RULE_SUBNETS, "no subnet there")                                                         \
	X(RULE_IMAGES, "no image for it")
PLM_W_ENUM(rule, PLM_RULE_LIST)

/* The lists of fields are tables; the formatter would reflow them anew each time. */
/* clang-format off */

/* One thing that was considered and why it dropped out (or 'rule' FITS). need - have = short. */
#define PLM_CANDIDATE_FIELDS(S, Y, I, E, T, R, L)                                                  \
	S(candidate) E(rule, rule) S(resource) I(need) I(have) S(detail)
PLM_W_STRUCT(candidate, PLM_CANDIDATE_FIELDS)

/*
 * What was left of a pool's types after 'rule', or of existing nodes where 'pool' is empty. 'subject' is the
 * label or resource that the rule is about.
 */
#define PLM_STEP_FIELDS(S, Y, I, E, T, R, L)                                                       \
	S(pool) E(rule, rule) I(left) S(detail) S(subject) I(need) I(have)
PLM_W_STRUCT(step, PLM_STEP_FIELDS)

/*
 * 'object' is the binding object (queue, cohort, pool, claim, node, other workload). Amounts are
 * PLM_UNSET where the rule has none. At most 8 candidates; the funnel holds counts per rule.
 */
#define PLM_EXPLAIN_FIELDS(S, Y, I, E, T, R, L)                                                    \
	E(kind, kind) S(ns) S(name) E(rule, rule) E(reason, reason) S(object) S(resource)          \
	S(flavor) I(need) I(have) I(limit) S(detail) L(considered, candidate) L(funnel, step)
PLM_W_STRUCT(explain, PLM_EXPLAIN_FIELDS)
#define PLM_EXPLAIN_MAX_CANDIDATES 8

/* ---- control ----------------------------------------------------------------------------------- */

#define PLM_GENESIS_FIELDS(S, Y, I, E, T, R, L) S(cluster_uid) S(cluster_name) I(started_ms)
PLM_W_STRUCT(genesis, PLM_GENESIS_FIELDS)

/* Capacity of every table by name, and "heap_bytes", "strings". */
#define PLM_LIMIT_FIELDS(S, Y, I, E, T, R, L) S(table) I(capacity)
PLM_W_STRUCT(limit, PLM_LIMIT_FIELDS)
#define PLM_LIMITS_FIELDS(S, Y, I, E, T, R, L) L(tables, limit)
PLM_W_STRUCT(limits, PLM_LIMITS_FIELDS)

#define PLM_COMPAT_LIST(X)                                                                         \
	X(COMPAT_BETTER, "better")                                                                 \
	X(COMPAT_STRICT, "strict")
PLM_W_ENUM(compat, PLM_COMPAT_LIST)

/* What is decided on here. The rest another program decides, and what it did comes in as facts. */
#define PLM_ONLY_LIST(X)                                                                           \
	X(ONLY_ALL, "")                                                                            \
	X(ONLY_QUEUES, "queues")                                                                   \
	X(ONLY_NODES, "nodes")                                                                     \
	X(ONLY_NOTHING, "nothing")
PLM_W_ENUM(only, PLM_ONLY_LIST)

#define PLM_PREFERENCE_POLICY_LIST(X)                                                              \
	X(PREFERENCES_RESPECT, "Respect")                                                          \
	X(PREFERENCES_IGNORE, "Ignore")
PLM_W_ENUM(preference_policy, PLM_PREFERENCE_POLICY_LIST)

#define PLM_MIN_VALUES_POLICY_LIST(X)                                                              \
	X(MIN_VALUES_STRICT, "Strict")                                                             \
	X(MIN_VALUES_BEST_EFFORT, "BestEffort")
PLM_W_ENUM(min_values_policy, PLM_MIN_VALUES_POLICY_LIST)

/* fairSharing.preemptionStrategies, in the combinations that there are: kueue.md 1.7. */
#define PLM_FAIR_STRATEGIES_LIST(X)                                                                \
	X(FAIR_FINAL_THEN_INITIAL, "LessThanOrEqualToFinalShare,LessThanInitialShare")             \
	X(FAIR_FINAL, "LessThanOrEqualToFinalShare")                                               \
	X(FAIR_INITIAL, "LessThanInitialShare")
PLM_W_ENUM(fair_strategies, PLM_FAIR_STRATEGIES_LIST)

/*
 * Kueue's resources.transformations: 'outputs' per unit of 'input', times the amount of 'multiply_by'
 * where that is requested too; 'keep' 1 = the input itself is counted as well (strategy Retain).
 */
#define PLM_TRANSFORMATION_FIELDS(S, Y, I, E, T, R, L)                                             \
	S(input) S(multiply_by) I(keep) L(outputs, exact)
PLM_W_STRUCT(transformation, PLM_TRANSFORMATION_FIELDS)

/* From when a workload counts as waiting that was evicted because its pods were not ready. */
#define PLM_REQUEUE_TIMESTAMP_LIST(X)                                                              \
	X(REQUEUE_BY_EVICTION, "Eviction")                                                         \
	X(REQUEUE_BY_CREATION, "Creation")
PLM_W_ENUM(requeue_timestamp, PLM_REQUEUE_TIMESTAMP_LIST)

/*
 * Settings that decide. 'pending_by_hand' 1 = a pod without status counts as pending. 'gang_timeout_ms'
 * ends a reservation of places that never became ready. 'stock_out_ms' is how long a refusal of the
 * cloud is remembered. 'settle' 1 = effects are taken as done (decide --cycles settled).
 * 'ignore_undeclared' 1 = resources that a queue does not cover are not counted;
 * 'exclude_prefixes' of resource names that are never counted (kueue.md 2.1). 'afs' 1 = usage of LocalQueues
 * is kept (kueue.md 2.13), 'afs_weights' of resources in 10^-9, those not listed count once.
 * 'pods_ready' 1 = waitForPodsReady is on: 'ready_timeout_ms' after admission, 'recovery_timeout_ms'
 * after a loss (0 = none) a workload is evicted and waits 'requeue_base_s' doubled each time, at most
 * 'requeue_max_s'; the 'deactivate_at'-th time in a row deactivates it (0 = never). 'retain_*_ms': how
 * long after its end a Workload, after a deactivation of ours a job stays (0 = for ever).
 * 'disruption_wait_ms': how long after it was found a removal is looked at again and then done (strict).
 * 'frameworks' that are on by their names in core/integration.h, none = all; 'manage_unnamed' 1 = jobs
 * without a queue are held too; 'managed_namespaces' absent = all (kueue.md 1.7). 'vm_memory_nano' is the
 * share of an instance's memory in 10^-9 that its hypervisor leaves it, 0 = the default; 'reserved_enis'
 * of each instance take no pods. 'publish' says of which areas decisions are written into objects (enum
 * plm_publish_area). 'class_status' 1 = there is a cloud that says what each class comes to: until it has, a
 * class is not ready.
 */
#define PLM_CONFIG_FIELDS(S, Y, I, E, T, R, L)                                                     \
	E(compat, compat) E(only, only) S(cluster_name) S(region) I(fair_sharing)                  \
	I(pending_by_hand) I(batch_idle_ms) I(batch_max_ms) E(preferences, preference_policy)      \
	E(min_values, min_values_policy) I(gang_timeout_ms) I(registration_timeout_ms)             \
	I(launch_timeout_ms) I(stock_out_ms) I(settle) E(fair_strategies, fair_strategies)         \
	I(ignore_undeclared) T(exclude_prefixes) L(transformations, transformation)                \
	I(afs) I(afs_half_life_ms) I(afs_interval_ms) L(afs_weights, amount)    \
	I(pods_ready)                                                                              \
	I(ready_timeout_ms) I(recovery_timeout_ms) I(block_admission)                              \
	E(requeue_timestamp, requeue_timestamp) I(deactivate_at) I(requeue_base_s)                 \
	I(requeue_max_s) I(retain_finished_ms) I(retain_deactivated_ms) T(frameworks)         \
	I(manage_unnamed) R(managed_namespaces, selector) I(device_classes)                        \
	I(vm_memory_nano) I(reserved_enis) I(disruption_wait_ms) I(publish)         \
	I(class_status)
PLM_W_STRUCT(config, PLM_CONFIG_FIELDS)

#define PLM_SOFTWARE_FIELDS(S, Y, I, E, T, R, L) I(bundle) I(event_schemas)
PLM_W_STRUCT(software, PLM_SOFTWARE_FIELDS)

#define PLM_EPOCH_FIELDS(S, Y, I, E, T, R, L) I(epoch)
PLM_W_STRUCT(epoch, PLM_EPOCH_FIELDS)

/* 'max_rounds' Kueue cycles at most (0 = to the fixed point), 'budget' candidate evaluations. */
#define PLM_CYCLE_FIELDS(S, Y, I, E, T, R, L) I(now_ms) I(max_rounds) I(budget)
PLM_W_STRUCT(cycle, PLM_CYCLE_FIELDS)

/* XXH3-128 state hash after 'covers'. */
#define PLM_HASH_FIELDS(S, Y, I, E, T, R, L) I(covers) Y(hash)
PLM_W_STRUCT(hash, PLM_HASH_FIELDS)

/* A slice of the payload of the next record that is not a PART. */
#define PLM_PART_FIELDS(S, Y, I, E, T, R, L) I(index) Y(bytes)
PLM_W_STRUCT(part, PLM_PART_FIELDS)

#define PLM_CLOCK_STEP_FIELDS(S, Y, I, E, T, R, L) I(by_ms)
PLM_W_STRUCT(clock_step, PLM_CLOCK_STEP_FIELDS)

/* A fact that did not fit: 'limit' names the table that is full. The engine observes only until there is room. */
#define PLM_REJECTED_FIELDS(S, Y, I, E, T, R, L) S(limit) E(kind, kind) S(ns) S(name)
PLM_W_STRUCT(rejected, PLM_REJECTED_FIELDS)

#define PLM_MARK_FIELDS(S, Y, I, E, T, R, L) S(name) S(reason)
PLM_W_STRUCT(mark, PLM_MARK_FIELDS)

/* ---- facts of the cloud ------------------------------------------------------------------------ */

/*
 * An instance as described: 'state' is EC2's word (pending, running, shutting-down, terminated). From its
 * tags: 'claim' and 'pool' it was launched for, 'ours' 1 = this cluster's name and a pool stand there.
 */
#define PLM_INSTANCE_FIELDS(S, Y, I, E, T, R, L)                                                   \
	S(provider_id) S(state) S(instance_type) S(zone) S(capacity_type) I(intent) I(launched_ms) \
	S(claim) S(pool) I(ours) S(reservation)
PLM_W_STRUCT(instance, PLM_INSTANCE_FIELDS)

/*
 * What a node class comes to in the cloud, as the cloud's end found it. Images in the order in which they are
 * tried: the first whose 'requirements' a type meets is its image; none of them restricts anything where
 * the list is empty and 'recipe' is too. 'subnets' best first; a zone without one cannot be launched into.
 * 'conditions' as EC2NodeClass names them ('met' 1, 0, PLM_UNSET = not known yet); 'not_ready' empty = a launch
 * may be tried, else why not, as "SubnetsNotFound: ...". 'class_hash' of the class that this was found for (its 'hash'
 * member): a status for another hash than state has is not used. 'recipe' is the cloud's own. 'reservations': the
 * capacity reservations that the class selects, which are active; 'kind' "default" or "capacity-block".
 */
#define PLM_CLASS_SUBNET_FIELDS(S, Y, I, E, T, R, L) S(id) S(zone) S(zone_id)
PLM_W_STRUCT(class_subnet, PLM_CLASS_SUBNET_FIELDS)
#define PLM_CLASS_IMAGE_FIELDS(S, Y, I, E, T, R, L) S(id) S(name) L(requirements, expr) I(deprecated)
PLM_W_STRUCT(class_image, PLM_CLASS_IMAGE_FIELDS)
#define PLM_CLASS_GROUP_FIELDS(S, Y, I, E, T, R, L) S(id) S(name)
PLM_W_STRUCT(class_group, PLM_CLASS_GROUP_FIELDS)
#define PLM_CLASS_CONDITION_FIELDS(S, Y, I, E, T, R, L) S(type) I(met) S(reason) S(message)
PLM_W_STRUCT(class_condition, PLM_CLASS_CONDITION_FIELDS)
#define PLM_CLASS_RESERVATION_FIELDS(S, Y, I, E, T, R, L)                                          \
	S(id) S(zone) S(instance_type) S(owner) S(criteria) S(kind) I(interruptible) I(end_ms)
PLM_W_STRUCT(class_reservation, PLM_CLASS_RESERVATION_FIELDS)
#define PLM_CLASS_STATUS_FIELDS(S, Y, I, E, T, R, L)                                               \
	E(kind, kind) S(name) S(uid) S(class_hash) S(not_ready) L(conditions, class_condition)     \
	L(subnets, class_subnet) L(images, class_image) L(security_groups, class_group)            \
	S(instance_profile) Y(recipe) L(reservations, class_reservation)
PLM_W_STRUCT(class_status, PLM_CLASS_STATUS_FIELDS)

#define PLM_INTERRUPT_LIST(X)                                                                      \
	X(INTERRUPT_SPOT, "spotInterruption")                                                      \
	X(INTERRUPT_REBALANCE, "rebalanceRecommendation")                                          \
	X(INTERRUPT_STATE, "stateChange")                                                          \
	X(INTERRUPT_SCHEDULED, "scheduledChange")                                                  \
	X(INTERRUPT_RESERVATION, "reservationInterruption")                                        \
	X(INTERRUPT_IMPAIRED, "statusImpaired")                                                    \
	X(INTERRUPT_BLOCK, "capacityBlockEnd")
PLM_W_ENUM(interrupt, PLM_INTERRUPT_LIST)

/*
 * What the cloud says of an instance (karpenter.md 3.11). 'at_ms': when it is taken (spot, reservation),
 * changed (scheduled) or has to be given back (capacity block), since when it is impaired (0 = it is not
 * any more); PLM_UNSET = not said. 'state' of a state change: EC2's word.
 */
#define PLM_INTERRUPTION_FIELDS(S, Y, I, E, T, R, L)                                               \
	S(provider_id) I(at_ms) E(kind, interrupt) S(state) S(reservation)
PLM_W_STRUCT(interruption, PLM_INTERRUPTION_FIELDS)

/* All objects of 'kind' (none = instances) were told as they are at 'revision': what is missing is gone. */
#define PLM_LISTED_FIELDS(S, Y, I, E, T, R, L) E(kind, kind) S(revision)
PLM_W_STRUCT(listed, PLM_LISTED_FIELDS)

/* A source cannot be reached ('away' 1), or can again: what happens meanwhile is not seen. */
#define PLM_REACH_FIELDS(S, Y, I, E, T, R, L) E(source, source) I(away)
PLM_W_STRUCT(reach, PLM_REACH_FIELDS)

/* ---- decisions: admission ---------------------------------------------------------------------- */

#define PLM_RESERVE_FIELDS(S, Y, I, E, T, R, L)                                                    \
	S(ns) S(name) S(cluster_queue) L(assignments, assignment) I(admitted) R(why, explain)
PLM_W_STRUCT(reserve, PLM_RESERVE_FIELDS)

/* All checks are ready: the workload may run. */
#define PLM_ADMIT_FIELDS(S, Y, I, E, T, R, L) S(ns) S(name) R(why, explain)
PLM_W_STRUCT(admit, PLM_ADMIT_FIELDS)

#define PLM_QUEUE_PLACE_LIST(X)                                                                    \
	X(QUEUE_KEEP, "keep")                                                                      \
	X(QUEUE_ACTIVE, "active")                                                                  \
	X(QUEUE_PARKED, "parked")
PLM_W_ENUM(queue_place, PLM_QUEUE_PLACE_LIST)

/* The flavor index at which the scan for a resource of a pod set stopped; -1 = it was the last one. */
#define PLM_CURSOR_FIELDS(S, Y, I, E, T, R, L) S(pod_set) S(resource) I(tried)
PLM_W_STRUCT(cursor, PLM_CURSOR_FIELDS)

/*
 * A workload goes on waiting: where it stands in its queue and why. 'sticky' 1 = it becomes its queue's
 * preemptor; 'park_alike' 1 = workloads that would be scheduled alike are parked with it. 'round' is
 * that of the cycle in which the cursor was made.
 */
#define PLM_PEND_FIELDS(S, Y, I, E, T, R, L)                                                       \
	S(ns)                                                                                      \
	S(name)                                                                                    \
	E(place, queue_place)                                                                      \
	I(sticky) I(park_alike) I(round) L(cursor, cursor) R(why, explain)
PLM_W_STRUCT(pend, PLM_PEND_FIELDS)

/*
 * A workload must give its quota back; it holds it until RELEASE. 'by_*' the preemptor, if any. 'cause'
 * lies under the reason: a deactivation with one is ours. Not before 'requeue_at_ms' is it tried again,
 * the 'requeue_count'-th time (0 = nothing is said of that).
 */
#define PLM_EVICT_FIELDS(S, Y, I, E, T, R, L)                                                      \
	S(ns) S(name) E(reason, reason) E(preemption, reason) S(by_ns) S(by_name) R(why, explain)  \
	E(cause, reason) I(requeue_at_ms) I(requeue_count)
PLM_W_STRUCT(evict, PLM_EVICT_FIELDS)

/* The quota is given back. 'requeued' 1 = it may be tried again at once. */
#define PLM_RELEASE_FIELDS(S, Y, I, E, T, R, L)                                                    \
	S(ns) S(name) E(reason, reason) I(requeued) R(why, explain)
PLM_W_STRUCT(release, PLM_RELEASE_FIELDS)

/* A preemptor's claim on what its victims free; nobody slips in between. An empty list ends it. */
#define PLM_HOLD_FIELDS(S, Y, I, E, T, R, L)                                                       \
	S(ns) S(name) S(cluster_queue) L(assignments, assignment)
PLM_W_STRUCT(hold, PLM_HOLD_FIELDS)

/* Domains for a workload that holds quota: delayed ones, or instead of a node that failed. */
#define PLM_ASSIGNED_FIELDS(S, Y, I, E, T, R, L)                                                   \
	S(ns) S(name) L(assignments, assignment) R(why, explain)
PLM_W_STRUCT(assigned, PLM_ASSIGNED_FIELDS)

/* 'nodes' of its assignment failed, all that did so since it was assigned. */
#define PLM_UNHEALTHY_FIELDS(S, Y, I, E, T, R, L) S(ns) S(name) T(nodes) R(why, explain)
PLM_W_STRUCT(unhealthy, PLM_UNHEALTHY_FIELDS)

/* What kept an evicted workload from being tried again is over: Requeued becomes True. */
#define PLM_REQUEUE_FIELDS(S, Y, I, E, T, R, L) S(ns) S(name) E(reason, reason) R(why, explain)
PLM_W_STRUCT(requeue, PLM_REQUEUE_FIELDS)

/* A workload is over without its job saying so. */
#define PLM_FINISH_FIELDS(S, Y, I, E, T, R, L) S(ns) S(name) E(reason, reason) R(why, explain)
PLM_W_STRUCT(finish, PLM_FINISH_FIELDS)

/* Its pods have until 'until_ms' to be ready: nodes for them were not there in time. */
#define PLM_POSTPONE_FIELDS(S, Y, I, E, T, R, L) S(ns) S(name) I(until_ms) R(why, explain)
PLM_W_STRUCT(postpone, PLM_POSTPONE_FIELDS)

/* ---- decisions: nodes -------------------------------------------------------------------------- */

/* 'count' pods of 'pod_set' have their place on 'target', a claim's or a node's name. */
#define PLM_PLACE_FIELDS(S, Y, I, E, T, R, L) S(pod_set) S(target) I(claim) I(count)
PLM_W_STRUCT(place, PLM_PLACE_FIELDS)

/* The places of a gang, all or none; replaces what was reserved before; an empty list gives them back. */
#define PLM_PLACES_FIELDS(S, Y, I, E, T, R, L)                                                     \
	S(ns) S(name) L(places, place) I(deadline_ms) R(why, explain)
PLM_W_STRUCT(places, PLM_PLACES_FIELDS)

/* Pending pods ("ns/name") that are expected on 'target'. */
#define PLM_NOMINATE_FIELDS(S, Y, I, E, T, R, L) S(target) I(claim) T(pods)
PLM_W_STRUCT(nominate, PLM_NOMINATE_FIELDS)

/* A new node is wanted. 'types' cheapest first. 'for_*' the gang, if any. */
#define PLM_CLAIM_FIELDS(S, Y, I, E, T, R, L)                                                      \
	S(name) S(pool) S(class_name) L(requirements, expr) T(types) L(requests, amount)           \
	L(labels, kv) L(taints, taint) L(startup_taints, taint) I(price_micro) S(for_ns)           \
	S(for_name) R(why, explain) E(class_kind, kind) S(pool_hash) S(class_hash)                 \
	I(min_values_relaxed) I(grace_ms) I(expire_ms)
PLM_W_STRUCT(claim, PLM_CLAIM_FIELDS)

/*
 * A claim is given up or its node removed: no pod is placed on it any more. 'forced' 1 = nothing is waited
 * for. Else its pods stay until each has a ready place, 'hold_until_ms' at most (0 = they go at once); with
 * 'hold_whole' 1 until then in any case.
 */
#define PLM_CLAIM_END_FIELDS(S, Y, I, E, T, R, L)                                                  \
	S(name) E(reason, reason) R(why, explain) I(forced) I(hold_until_ms) I(hold_whole)
PLM_W_STRUCT(claim_end, PLM_CLAIM_END_FIELDS)

/* Something about a claim that changes nothing by itself and that its owner should hear of. */
#define PLM_CLAIM_NOTE_FIELDS(S, Y, I, E, T, R, L) S(name) E(reason, reason) R(why, explain)
PLM_W_STRUCT(claim_note, PLM_CLAIM_NOTE_FIELDS)

/* An instance of this cluster that no claim knows: it is to be terminated. */
#define PLM_ORPHAN_FIELDS(S, Y, I, E, T, R, L) S(provider_id) R(why, explain)
PLM_W_STRUCT(orphan, PLM_ORPHAN_FIELDS)

#define PLM_DRAIN_STAGE_LIST(X)                                                                    \
	X(DRAIN_NONE, "")                                                                          \
	X(DRAIN_DRAINING, "Draining")                                                              \
	X(DRAIN_DETACHING, "AwaitingVolumeDetachment")                                             \
	X(DRAIN_TERMINATING, "InstanceTerminating")
PLM_W_ENUM(drain_stage, PLM_DRAIN_STAGE_LIST)

/*
 * The node of claim 'name' has come to 'stage' of its way out, or waits for something else there. 'cut' bits
 * of enum plm_drain_mark: what was not waited for any longer, the grace period being over.
 */
#define PLM_DRAIN_FIELDS(S, Y, I, E, T, R, L) S(name) E(stage, drain_stage) I(cut) R(why, explain)
PLM_W_STRUCT(drain, PLM_DRAIN_FIELDS)

/*
 * The node of claim 'name' is to be disrupted, and is looked at again at 'validate_ms' before that is
 * done (karpenter.md 3.13); PLM_UNSET = it does not qualify any more.
 */
#define PLM_DISRUPT_FIELDS(S, Y, I, E, T, R, L) S(name) I(validate_ms) R(why, explain)
PLM_W_STRUCT(disrupt, PLM_DISRUPT_FIELDS)

/*
 * The node of claim 'name' may not be disrupted although its time has come: 'why', until 'until_ms' at most
 * (PLM_UNSET = until something changes). Without a rule: it may again.
 */
#define PLM_BLOCKED_FIELDS(S, Y, I, E, T, R, L) S(name) I(until_ms) R(why, explain)
PLM_W_STRUCT(blocked, PLM_BLOCKED_FIELDS)

/* The reason of something that waits has changed. */
#define PLM_EXPLAINED_FIELDS(S, Y, I, E, T, R, L) R(why, explain)
PLM_W_STRUCT(explained, PLM_EXPLAINED_FIELDS)

/* ---- intents and results ----------------------------------------------------------------------- */

#define PLM_CALL_LIST(X)                                                                           \
	X(CALL_NONE, "")                                                                           \
	X(CALL_JOB_START, "job.start")                                                             \
	X(CALL_JOB_STOP, "job.stop")                                                               \
	X(CALL_POD_CREATE, "pod.create")                                                           \
	X(CALL_POD_EVICT, "pod.evict")                                                             \
	X(CALL_POD_DELETE, "pod.delete")                                                           \
	X(CALL_LAUNCH, "instance.launch")                                                          \
	X(CALL_TERMINATE, "instance.terminate")                                                    \
	X(CALL_NODE_TAINT, "node.taint")                                                           \
	X(CALL_NODE_DELETE, "node.delete")                                                         \
	X(CALL_POD_UNGATE, "pod.ungate")                                                           \
	X(CALL_JOB_DELETE, "job.delete")                                                           \
	X(CALL_WORKLOAD_DELETE, "workload.delete")                                                 \
	X(CALL_WORKLOAD_DEACTIVATE, "workload.deactivate")                                         \
	X(CALL_NODE_SYNC, "node.sync")                                                             \
	X(CALL_ANNOTATE, "object.annotate")                                                        \
	X(CALL_CLAIM_DELETE, "claim.delete")                                                       \
	X(CALL_CLAIM_FINALIZE, "claim.finalize")                                                   \
	X(CALL_NODE_FINALIZE, "node.finalize")                                                     \
	X(CALL_WORKLOAD_CREATE, "workload.create")                                                 \
	X(CALL_WORKLOAD_STATUS, "workload.status")                                                 \
	X(CALL_CLAIM_CREATE, "claim.create")                                                       \
	X(CALL_CLAIM_STATUS, "claim.status")                                                       \
	X(CALL_QUEUE_STATUS, "queue.status")                                                       \
	X(CALL_POOL_STATUS, "pool.status")                                                         \
	X(CALL_POD_FINALIZE, "pod.finalize")                                                       \
	X(CALL_INSTANCE_TAG, "instance.tag")                                                       \
	X(CALL_CLASS_STATUS, "class.status")
PLM_W_ENUM(call, PLM_CALL_LIST)

/*
 * One effect. 'frozen' is the canonical msgpack of the typed request below, never recomputed; 'encoder'
 * the version of the adapter's encoder. The idempotency key is a function of cluster UID and seq
 * (engine/outbox.h). 'deadline_ms' tick after which it may only be given up. 'print' tells one status of
 * an object from another where the object remembers it (reducers/publish), else 0.
 */
#define PLM_INTENT_FIELDS(S, Y, I, E, T, R, L)                                                     \
	E(call, call) E(kind, kind) S(ns) S(name) S(uid) I(encoder) I(deadline_ms) Y(frozen)      \
	I(print)
PLM_W_STRUCT(intent, PLM_INTENT_FIELDS)

/* With 'gate' its pods are made with that scheduling gate, and wait for pod.ungate. */
#define PLM_START_SET_FIELDS(S, Y, I, E, T, R, L)                                                  \
	S(name) I(count) L(node_selector, kv) L(tolerations, toleration) L(labels, kv) S(gate)     \
	L(annotations, kv)
PLM_W_STRUCT(start_set, PLM_START_SET_FIELDS)

/* Job: unsuspend with these additions. PodSet: its pods may be created. */
#define PLM_REQ_JOB_START_FIELDS(S, Y, I, E, T, R, L)                                              \
	E(kind, kind) S(ns) S(name) S(uid) L(pod_sets, start_set)
PLM_W_STRUCT(req_job_start, PLM_REQ_JOB_START_FIELDS)

/* Suspend it. A Workload (kind) that nobody owns has nothing that runs: the answer says that somebody saw to it. */
#define PLM_REQ_JOB_STOP_FIELDS(S, Y, I, E, T, R, L) E(kind, kind) S(ns) S(name) S(uid)
PLM_W_STRUCT(req_job_stop, PLM_REQ_JOB_STOP_FIELDS)

/* Create pod 'name' of PodSet 'owner' from its template with these additions. */
#define PLM_REQ_POD_CREATE_FIELDS(S, Y, I, E, T, R, L)                                             \
	S(ns) S(name) S(owner) S(owner_uid) I(index) L(node_selector, kv)                          \
	L(tolerations, toleration) L(labels, kv) S(gate) L(annotations, kv)
PLM_W_STRUCT(req_pod_create, PLM_REQ_POD_CREATE_FIELDS)

/* Evict, delete, or take upstream's finalizer off; the UID is the precondition. */
#define PLM_REQ_POD_FIELDS(S, Y, I, E, T, R, L) S(ns) S(name) S(uid) I(grace_ms)
PLM_W_STRUCT(req_pod, PLM_REQ_POD_FIELDS)

/* Take 'gate' away and add the rest: kueue.md 2.15 (ungater). */
#define PLM_REQ_POD_UNGATE_FIELDS(S, Y, I, E, T, R, L)                                             \
	S(ns) S(name) S(uid) S(gate) L(node_selector, kv) L(tolerations, toleration) L(labels, kv)
PLM_W_STRUCT(req_pod_ungate, PLM_REQ_POD_UNGATE_FIELDS)

/* 'image' counts in the images of the request, 'pods' is what the kubelet will be told; both PLM_UNSET =
 * the cloud's own business. */
#define PLM_OFFER_FIELDS(S, Y, I, E, T, R, L)                                                      \
	S(instance_type) S(zone) S(capacity_type) S(reservation) I(image) I(pods)
PLM_W_STRUCT(offer, PLM_OFFER_FIELDS)

/* An offer that the cloud refused, and its word for why (reducers/provision/codes.h). */
#define PLM_REFUSAL_FIELDS(S, Y, I, E, T, R, L)                                                    \
	S(instance_type) S(zone) S(capacity_type) S(reservation) S(code)
PLM_W_STRUCT(refusal, PLM_REFUSAL_FIELDS)

/*
 * One instance for 'claim' of one of 'offers' (cheapest first, all of one capacity type), chosen by the
 * fleet's 'strategy'. 'sync_taints' 1 = the node registers without its taints, they are added later.
 * 'images' that offers count in; 'efa' interfaces that its pods ask for; 'recipe' as CLASS_STATUS gave it
 * last, the cloud's own bytes: with the rest of this request they make what is sent, always the same.
 */
#define PLM_REQ_LAUNCH_FIELDS(S, Y, I, E, T, R, L)                                                 \
	S(claim) S(pool) S(class_name) L(offers, offer) L(labels, kv) L(taints, taint)             \
	L(startup_taints, taint) L(tags, kv) S(strategy) S(tenancy) I(sync_taints) T(images)       \
	I(efa) Y(recipe)
PLM_W_STRUCT(req_launch, PLM_REQ_LAUNCH_FIELDS)

#define PLM_REQ_TERMINATE_FIELDS(S, Y, I, E, T, R, L) S(claim) S(provider_id)
PLM_W_STRUCT(req_terminate, PLM_REQ_TERMINATE_FIELDS)

/*
 * As Kubernetes has it; 'status' "True", "False" or "Unknown". 'since_ms' is its lastTransitionTime unless
 * the object has this condition with this status already: then that one's stays. An empty 'status': the
 * object has no such condition.
 */
#define PLM_CONDITION_FIELDS(S, Y, I, E, T, R, L)                                                  \
	S(type) S(status) S(reason) S(message) I(since_ms) I(generation)
PLM_W_STRUCT(condition, PLM_CONDITION_FIELDS)

/* Tags of an instance that are known only after it registered (its node's name). */
#define PLM_REQ_INSTANCE_TAG_FIELDS(S, Y, I, E, T, R, L) S(claim) S(provider_id) L(tags, kv)
PLM_W_STRUCT(req_instance_tag, PLM_REQ_INSTANCE_TAG_FIELDS)

/*
 * status of an EC2NodeClass as CLASS_STATUS has it, without its recipe; the UID is the precondition. 'conditions'
 * are the status's with Ready, which is what all of them come to.
 */
#define PLM_REQ_CLASS_STATUS_FIELDS(S, Y, I, E, T, R, L)                                           \
	S(name) S(uid) R(status, class_status) L(conditions, condition)
PLM_W_STRUCT(req_class_status, PLM_REQ_CLASS_STATUS_FIELDS)

/* 'remove' 1 takes the taint away; 'labels' come with it. */
#define PLM_REQ_NODE_TAINT_FIELDS(S, Y, I, E, T, R, L)                                             \
	S(node) S(uid) R(taint, taint) I(remove) L(labels, kv)
PLM_W_STRUCT(req_node_taint, PLM_REQ_NODE_TAINT_FIELDS)

/* Delete the node, or take our finalizer off it. */
#define PLM_REQ_NODE_DELETE_FIELDS(S, Y, I, E, T, R, L) S(node) S(uid)
PLM_W_STRUCT(req_node_delete, PLM_REQ_NODE_DELETE_FIELDS)

/* Delete a job or a Workload, or set spec.active of a Workload to false; the UID is the precondition. */
#define PLM_REQ_WORK_FIELDS(S, Y, I, E, T, R, L) E(kind, kind) S(ns) S(name) S(uid)
PLM_W_STRUCT(req_work, PLM_REQ_WORK_FIELDS)

/*
 * What a node is given when it registers or is initialized: labels, annotations, finalizers and taints
 * that it lacks; 'untaint' keys of taints to be taken away.
 */
#define PLM_REQ_NODE_SYNC_FIELDS(S, Y, I, E, T, R, L)                                              \
	S(node) S(uid) S(claim) L(labels, kv) L(annotations, kv) L(taints, taint) T(untaint)       \
	T(finalizers)
PLM_W_STRUCT(req_node_sync, PLM_REQ_NODE_SYNC_FIELDS)

/* Annotations of a NodePool, a class or a NodeClaim; the UID is the precondition. */
#define PLM_REQ_ANNOTATE_FIELDS(S, Y, I, E, T, R, L)                                               \
	E(kind, kind) S(name) S(uid) L(annotations, kv)
PLM_W_STRUCT(req_annotate, PLM_REQ_ANNOTATE_FIELDS)

/* Delete a NodeClaim object, or take our finalizer off it. */
#define PLM_REQ_CLAIM_FIELDS(S, Y, I, E, T, R, L) S(name) S(uid)
PLM_W_STRUCT(req_claim, PLM_REQ_CLAIM_FIELDS)

/* ---- what is written of decisions into objects: reducers/publish --------------------------------- */

/*
 * Create the Workload of a job under its deterministic name, with the job as controller. Templates come
 * from the job itself (read when the call is carried out; the UID is the precondition).
 */
#define PLM_REQ_WORKLOAD_CREATE_FIELDS(S, Y, I, E, T, R, L)                                        \
	S(ns) S(name) E(owner_kind, kind) S(owner) S(owner_uid) S(queue) I(priority)               \
	S(priority_class) I(active) L(pod_sets, pod_count) I(max_execution_s) L(labels, kv)
PLM_W_STRUCT(req_workload_create, PLM_REQ_WORKLOAD_CREATE_FIELDS)

/* How often a workload was evicted for 'reason' and the cause under it. */
#define PLM_EVICTED_COUNT_FIELDS(S, Y, I, E, T, R, L) S(reason) S(cause) I(count)
PLM_W_STRUCT(evicted_count, PLM_EVICTED_COUNT_FIELDS)

/*
 * The whole status that is ours: 'cluster_queue' empty = it holds no quota. Conditions of other writers,
 * and fields that are not here, stay as they were read. 'requeue_count' and 'requeue_at_ms' PLM_UNSET =
 * no requeueState.
 */
#define PLM_REQ_WORKLOAD_STATUS_FIELDS(S, Y, I, E, T, R, L)                                        \
	S(ns) S(name) S(uid) S(cluster_queue) L(assignments, assignment) L(conditions, condition)  \
	L(checks, check_status) I(requeue_count) I(requeue_at_ms) I(past_execution_s)              \
	L(evictions, evicted_count) T(unhealthy) L(reclaimable, pod_count)
PLM_W_STRUCT(req_workload_status, PLM_REQ_WORKLOAD_STATUS_FIELDS)

/* A requirement of a NodeClaim as its object has it. */
#define PLM_CLAIM_NEED_FIELDS(S, Y, I, E, T, R, L) S(key) E(op, op) T(values) I(min_values)
PLM_W_STRUCT(claim_need, PLM_CLAIM_NEED_FIELDS)

/* The NodeClaim object of a claim that was decided here; 'pool_uid' its owner. */
#define PLM_REQ_CLAIM_CREATE_FIELDS(S, Y, I, E, T, R, L)                                           \
	S(name) S(pool) S(pool_uid) S(class_group) S(class_kind) S(class_name)                     \
	L(needs, claim_need) L(requests, amount) L(taints, taint) L(startup_taints, taint)         \
	L(labels, kv) L(annotations, kv) I(expire_after_ms) I(grace_ms)
PLM_W_STRUCT(req_claim_create, PLM_REQ_CLAIM_CREATE_FIELDS)

#define PLM_REQ_CLAIM_STATUS_FIELDS(S, Y, I, E, T, R, L)                                           \
	S(name) S(uid) S(provider_id) S(node) S(image) L(capacity, amount) L(allocatable, amount)  \
	L(labels, kv) L(conditions, condition) I(last_pod_ms)
PLM_W_STRUCT(req_claim_status, PLM_REQ_CLAIM_STATUS_FIELDS)

/* Of a ClusterQueue, LocalQueue, Cohort, WorkQueue or ResourceFlavor. 'share' PLM_UNSET = none. */
#define PLM_QUOTA_USE_FIELDS(S, Y, I, E, T, R, L)                                                  \
	S(flavor) S(resource) I(reserved) I(used) I(borrowed)
PLM_W_STRUCT(quota_use, PLM_QUOTA_USE_FIELDS)

#define PLM_REQ_QUEUE_STATUS_FIELDS(S, Y, I, E, T, R, L)                                           \
	E(kind, kind) S(ns) S(name) S(uid) I(pending) I(reserving) I(admitted)                     \
	L(lines, quota_use) L(conditions, condition) I(share)
PLM_W_STRUCT(req_queue_status, PLM_REQ_QUEUE_STATUS_FIELDS)

#define PLM_REQ_POOL_STATUS_FIELDS(S, Y, I, E, T, R, L)                                            \
	S(name) S(uid) L(resources, amount) I(nodes) L(conditions, condition)                      \
	S(class_generation)
PLM_W_STRUCT(req_pool_status, PLM_REQ_POOL_STATUS_FIELDS)

#define PLM_RESULT_CLASS_LIST(X)                                                                   \
	X(RESULT_DONE, "done")                                                                     \
	X(RESULT_ALREADY_DONE, "already-done")                                                     \
	X(RESULT_CONFLICT, "conflict")                                                             \
	X(RESULT_FAILED, "failed")                                                                 \
	X(RESULT_RETRYABLE, "retryable")                                                           \
	X(RESULT_UNKNOWN, "unknown")
PLM_W_ENUM(result_class, PLM_RESULT_CLASS_LIST)

/*
 * What became of intent 'intent'. 'code' is the other side's word (InsufficientInstanceCapacity, ...).
 * RETRYABLE and UNKNOWN leave the intent open: the adapter goes on with the same key. The instance
 * fields are set by a done launch; 'refused' lists offers that were refused.
 */
#define PLM_RESULT_FIELDS(S, Y, I, E, T, R, L)                                                     \
	I(intent) E(class, result_class) S(code) S(message) S(provider_id) S(instance_type)        \
	S(zone) S(capacity_type) I(price_micro) L(capacity, amount) L(allocatable, amount)         \
	L(labels, kv) L(refused, refusal) S(reservation) S(image)
PLM_W_STRUCT(result, PLM_RESULT_FIELDS)

/* ---- the catalogue of events ------------------------------------------------------------------- */

/* X(NAME, number, schema, payload, class); numbers are for ever. */
#define PLM_EVENTS(X)                                                                              \
	X(GENESIS, 1, 4, genesis, CONTROL)                                                         \
	X(LIMITS, 2, 4, limits, CONTROL)                                                           \
	X(CONFIG, 3, 4, config, CONTROL)                                                           \
	X(SOFTWARE, 4, 4, software, CONTROL)                                                       \
	X(EPOCH, 5, 4, epoch, CONTROL)                                                             \
	X(CYCLE, 6, 4, cycle, CONTROL)                                                             \
	X(HASH, 7, 4, hash, CONTROL)                                                               \
	X(PART, 8, 4, part, CONTROL)                                                               \
	X(CLOCK_STEP, 9, 4, clock_step, CONTROL)                                                   \
	X(REJECTED, 10, 4, rejected, CONTROL)                                                      \
	X(MARK, 11, 4, mark, CONTROL)                                                              \
	X(CATALOG, 20, 4, catalog, FACT)                                                           \
	X(NAMESPACE, 21, 4, namespace, FACT)                                                       \
	X(FLAVOR, 22, 4, flavor, FACT)                                                             \
	X(COHORT, 23, 4, cohort, FACT)                                                             \
	X(CLUSTER_QUEUE, 24, 4, cluster_queue, FACT)                                               \
	X(LOCAL_QUEUE, 25, 4, local_queue, FACT)                                                   \
	X(WORK_QUEUE, 26, 4, work_queue, FACT)                                                     \
	X(PRIORITY_CLASS, 27, 4, priority_class, FACT)                                             \
	X(ADMISSION_CHECK, 28, 4, admission_check, FACT)                                           \
	X(WORKLOAD, 29, 4, workload, FACT)                                                         \
	X(JOB, 30, 4, job, FACT)                                                                   \
	X(POD, 31, 4, pod, FACT)                                                                   \
	X(NODE, 32, 4, node, FACT)                                                                 \
	X(NODE_POOL, 33, 4, node_pool, FACT)                                                       \
	X(NODE_CLAIM, 34, 4, node_claim, FACT)                                                     \
	X(NODE_CLASS, 35, 4, node_class, FACT)                                                     \
	X(DAEMON_SET, 36, 4, daemon_set, FACT)                                                     \
	X(REPLICATOR, 37, 4, replicator, FACT)                                                     \
	X(GONE, 38, 4, gone, FACT)                                                                 \
	X(INSTANCE, 39, 4, instance, FACT)                                                         \
	X(INTERRUPTION, 40, 4, interruption, FACT)                                                 \
	X(TOPOLOGY, 41, 4, topology, FACT)                                                         \
	X(LIMIT_RANGE, 42, 4, limit_range, FACT)                                                   \
	X(RUNTIME_CLASS, 43, 4, runtime_class, FACT)                                               \
	X(VOLUME_CLAIM, 44, 4, volume_claim, FACT)                                                 \
	X(VOLUME, 45, 4, volume, FACT)                                                             \
	X(STORAGE_CLASS, 46, 4, storage_class, FACT)                                               \
	X(CSI_NODE, 47, 4, csi_node, FACT)                                                         \
	X(VOLUME_ATTACHMENT, 48, 4, volume_attachment, FACT)                                       \
	X(POD_DISRUPTION_BUDGET, 49, 4, pdb, FACT)                                                 \
	X(CLASS_STATUS, 50, 4, class_status, FACT)                                                 \
	X(LISTED, 52, 4, listed, FACT)                                                             \
	X(REACH, 53, 4, reach, FACT)                                                               \
	X(RESERVE, 60, 4, reserve, DECISION)                                                       \
	X(ADMIT, 61, 4, admit, DECISION)                                                           \
	X(PEND, 62, 4, pend, DECISION)                                                             \
	X(EVICT, 63, 4, evict, DECISION)                                                           \
	X(RELEASE, 64, 4, release, DECISION)                                                       \
	X(HOLD, 65, 4, hold, DECISION)                                                             \
	X(PLACES, 66, 4, places, DECISION)                                                         \
	X(NOMINATE, 67, 4, nominate, DECISION)                                                     \
	X(CLAIM, 68, 4, claim, DECISION)                                                           \
	X(CLAIM_END, 69, 4, claim_end, DECISION)                                                   \
	X(EXPLAINED, 70, 4, explained, DECISION)                                                   \
	X(ASSIGNED, 71, 4, assigned, DECISION)                                                     \
	X(UNHEALTHY, 72, 4, unhealthy, DECISION)                                                   \
	X(WORKLOAD_PATCH, 73, 4, workload_patch, FACT)                                             \
	X(REQUEUE, 74, 4, requeue, DECISION)                                                       \
	X(FINISH, 75, 4, finish, DECISION)                                                         \
	X(POSTPONE, 80, 4, postpone, DECISION)                                                     \
	X(DRAIN, 81, 4, drain, DECISION)                                                           \
	X(DISRUPT, 83, 4, disrupt, DECISION)                                                       \
	X(BLOCKED, 84, 4, blocked, DECISION)                                                       \
	X(CLAIM_NOTE, 85, 4, claim_note, DECISION)                                                 \
	X(ORPHAN, 86, 4, orphan, DECISION)                                                         \
	X(INTENT, 90, 4, intent, INTENT)                                                           \
	X(RESULT, 91, 4, result, RESULT)

/* Number of this catalogue of schemas, +1 with any change of one: the SOFTWARE event says it. */
#define PLM_EVENT_SCHEMAS 4
/*
 * The first schema of an event that there is a way up from. Lower ones were written by builds before the
 * first release; such a log is refused as one of another version.
 */
#define PLM_SCHEMA_FLOOR 4

enum plm_event_type {
#define PLM_EVENT_ENUM(name, number, schema, payload, class) PLM_EV_##name = (number),
	PLM_EVENTS(PLM_EVENT_ENUM)
#undef PLM_EVENT_ENUM
};

enum plm_event_class {
	PLM_CLASS_CONTROL,
	PLM_CLASS_FACT,
	PLM_CLASS_DECISION,
	PLM_CLASS_INTENT,
	PLM_CLASS_RESULT,
};

struct plm_event_info {
	const char *name; /* "CLUSTER_QUEUE" */
	const struct plm_wire_type *payload;
	uint16_t type;
	uint16_t schema;
	enum plm_event_class class;
};

/* NULL for a number that is not in the catalogue. */
const struct plm_event_info *plm_event_info(uint16_t type);
/* All of them, by number; 'count' is set. */
const struct plm_event_info *plm_event_infos(uint32_t *count);
/* The kind of object that an event with payload 'value' is about; PLM_KIND_NONE when it is about none. */
enum plm_kind plm_event_kind(const struct plm_event_info *info, const void *value);
/* The wire type of the request that an INTENT of 'call' holds frozen. */
const struct plm_wire_type *plm_call_request(enum plm_call call);

/* An event on its way to apply(): envelope numbers and the decoded payload. */
struct plm_event {
	uint64_t seq;
	uint64_t wall_ns;
	uint64_t tick_ms;
	uint64_t cause;
	uint64_t print_low; /* fingerprint of a fact's projection; 0 for other classes */
	uint64_t print_high;
	uint16_t type;
	const void *payload; /* the wire struct of 'type', borrowed */
};

/* clang-format on */

#endif
