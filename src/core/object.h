/*
 * object.h - projections: exactly the fields of an object that reducers may read
 *
 * One wire struct per kind of fact. Adapters translate Kubernetes objects of both dialects into these
 * (adapters/manifest) and nothing else ever reaches a reducer. Amounts: cpu in milli, others whole,
 * rounded up. Times in Unix milliseconds, PLM_UNSET where absent. A text that is absent is empty.
 * Sources: kueue.md 1, karpenter.md 1, dialect.md.
 */
#ifndef PLM_CORE_OBJECT_H
#define PLM_CORE_OBJECT_H

#include "core/wire.h"

/* ---- enums; the texts are upstream's spelling -------------------------------------------------- */

#define PLM_KIND_LIST(X)                                                                           \
	X(KIND_NONE, "")                                                                           \
	X(KIND_NAMESPACE, "Namespace")                                                             \
	X(KIND_FLAVOR, "ResourceFlavor")                                                           \
	X(KIND_COHORT, "Cohort")                                                                   \
	X(KIND_CLUSTER_QUEUE, "ClusterQueue")                                                      \
	X(KIND_LOCAL_QUEUE, "LocalQueue")                                                          \
	X(KIND_WORK_QUEUE, "WorkQueue")                                                            \
	X(KIND_PRIORITY_CLASS, "PriorityClass")                                                    \
	X(KIND_WORKLOAD_PRIORITY_CLASS, "WorkloadPriorityClass")                                   \
	X(KIND_ADMISSION_CHECK, "AdmissionCheck")                                                  \
	X(KIND_WORKLOAD, "Workload")                                                               \
	X(KIND_JOB, "Job")                                                                         \
	X(KIND_POD_SET, "PodSet")                                                                  \
	X(KIND_POD, "Pod")                                                                         \
	X(KIND_NODE, "Node")                                                                       \
	X(KIND_NODE_POOL, "NodePool")                                                              \
	X(KIND_NODE_CLAIM, "NodeClaim")                                                            \
	X(KIND_NODE_CLASS, "EC2NodeClass")                                                         \
	X(KIND_NODE_TEMPLATE, "NodeTemplate")                                                      \
	X(KIND_DAEMON_SET, "DaemonSet")                                                            \
	X(KIND_DEPLOYMENT, "Deployment")                                                           \
	X(KIND_REPLICA_SET, "ReplicaSet")                                                          \
	X(KIND_STATEFUL_SET, "StatefulSet")                                                        \
	X(KIND_TOPOLOGY, "Topology")                                                               \
	X(KIND_LIMIT_RANGE, "LimitRange")                                                          \
	X(KIND_RUNTIME_CLASS, "RuntimeClass")                                                      \
	X(KIND_JOB_SET, "JobSet")                                                                  \
	X(KIND_MPI_JOB, "MPIJob")                                                                  \
	X(KIND_PYTORCH_JOB, "PyTorchJob")                                                          \
	X(KIND_TF_JOB, "TFJob")                                                                    \
	X(KIND_PADDLE_JOB, "PaddleJob")                                                            \
	X(KIND_XGBOOST_JOB, "XGBoostJob")                                                          \
	X(KIND_JAX_JOB, "JAXJob")                                                                  \
	X(KIND_TRAIN_JOB, "TrainJob")                                                              \
	X(KIND_TRAINING_RUNTIME, "TrainingRuntime")                                                \
	X(KIND_CLUSTER_TRAINING_RUNTIME, "ClusterTrainingRuntime")                                 \
	X(KIND_RAY_JOB, "RayJob")                                                                  \
	X(KIND_RAY_CLUSTER, "RayCluster")                                                          \
	X(KIND_RAY_SERVICE, "RayService")                                                          \
	X(KIND_SPARK_APPLICATION, "SparkApplication")                                              \
	X(KIND_APP_WRAPPER, "AppWrapper")                                                          \
	X(KIND_LEADER_WORKER_SET, "LeaderWorkerSet")                                               \
	X(KIND_POD_GROUP, "PodGroup")                                                              \
	X(KIND_POD_DISRUPTION_BUDGET, "PodDisruptionBudget")                                       \
	X(KIND_VOLUME_CLAIM, "PersistentVolumeClaim")                                              \
	X(KIND_VOLUME, "PersistentVolume")                                                         \
	X(KIND_STORAGE_CLASS, "StorageClass")                                                      \
	X(KIND_CSI_NODE, "CSINode")                                                                \
	X(KIND_VOLUME_ATTACHMENT, "VolumeAttachment")
PLM_W_ENUM(kind, PLM_KIND_LIST)

#define PLM_EFFECT_LIST(X)                                                                         \
	X(EFFECT_ANY, "")                                                                          \
	X(EFFECT_NO_SCHEDULE, "NoSchedule")                                                        \
	X(EFFECT_PREFER_NO_SCHEDULE, "PreferNoSchedule")                                           \
	X(EFFECT_NO_EXECUTE, "NoExecute")
PLM_W_ENUM(taint_effect, PLM_EFFECT_LIST)

#define PLM_TOLERATION_OP_LIST(X)                                                                  \
	X(TOLERATION_EQUAL, "Equal")                                                               \
	X(TOLERATION_EXISTS, "Exists")                                                             \
	X(TOLERATION_LT, "Lt")                                                                     \
	X(TOLERATION_GT, "Gt")
PLM_W_ENUM(toleration_op, PLM_TOLERATION_OP_LIST)

#define PLM_OP_LIST(X)                                                                             \
	X(OP_IN, "In")                                                                             \
	X(OP_NOT_IN, "NotIn")                                                                      \
	X(OP_EXISTS, "Exists")                                                                     \
	X(OP_DOES_NOT_EXIST, "DoesNotExist")                                                       \
	X(OP_GT, "Gt")                                                                             \
	X(OP_LT, "Lt")                                                                             \
	X(OP_GTE, "Gte")                                                                           \
	X(OP_LTE, "Lte")
PLM_W_ENUM(op, PLM_OP_LIST)

#define PLM_SPREAD_WHEN_LIST(X)                                                                    \
	X(SPREAD_DO_NOT_SCHEDULE, "DoNotSchedule")                                                 \
	X(SPREAD_SCHEDULE_ANYWAY, "ScheduleAnyway")
PLM_W_ENUM(spread_when, PLM_SPREAD_WHEN_LIST)

#define PLM_NODE_POLICY_LIST(X)                                                                    \
	X(NODE_POLICY_DEFAULT, "")                                                                 \
	X(NODE_POLICY_HONOR, "Honor")                                                              \
	X(NODE_POLICY_IGNORE, "Ignore")
PLM_W_ENUM(node_policy, PLM_NODE_POLICY_LIST)

#define PLM_STRATEGY_LIST(X)                                                                       \
	X(STRATEGY_BEST_EFFORT_FIFO, "BestEffortFIFO")                                             \
	X(STRATEGY_STRICT_FIFO, "StrictFIFO")
PLM_W_ENUM(strategy, PLM_STRATEGY_LIST)

#define PLM_FUNGIBILITY_LIST(X)                                                                    \
	X(FUNGIBILITY_MAY_STOP_SEARCH, "MayStopSearch")                                            \
	X(FUNGIBILITY_TRY_NEXT_FLAVOR, "TryNextFlavor")
PLM_W_ENUM(fungibility, PLM_FUNGIBILITY_LIST)

#define PLM_FLAVOR_PREFERENCE_LIST(X)                                                              \
	X(PREFER_BORROWING_OVER_PREEMPTION, "BorrowingOverPreemption")                             \
	X(PREFER_PREEMPTION_OVER_BORROWING, "PreemptionOverBorrowing")
PLM_W_ENUM(flavor_preference, PLM_FLAVOR_PREFERENCE_LIST)

/* One set of names for withinClusterQueue, reclaimWithinCohort and borrowWithinCohort. */
#define PLM_PREEMPTION_LIST(X)                                                                     \
	X(PREEMPTION_NEVER, "Never")                                                               \
	X(PREEMPTION_LOWER_PRIORITY, "LowerPriority")                                              \
	X(PREEMPTION_LOWER_OR_NEWER_EQUAL, "LowerOrNewerEqualPriority")                            \
	X(PREEMPTION_ANY, "Any")
PLM_W_ENUM(preemption, PLM_PREEMPTION_LIST)

#define PLM_STOP_LIST(X)                                                                           \
	X(STOP_NONE, "None")                                                                       \
	X(STOP_HOLD, "Hold")                                                                       \
	X(STOP_HOLD_AND_DRAIN, "HoldAndDrain")
PLM_W_ENUM(stop, PLM_STOP_LIST)

#define PLM_CHECK_STATE_LIST(X)                                                                    \
	X(CHECK_PENDING, "Pending")                                                                \
	X(CHECK_READY, "Ready")                                                                    \
	X(CHECK_RETRY, "Retry")                                                                    \
	X(CHECK_REJECTED, "Rejected")
PLM_W_ENUM(check_state, PLM_CHECK_STATE_LIST)

/* Of a ClusterQueue's admissionScope: kueue.md 2.13. */
#define PLM_ADMISSION_MODE_LIST(X)                                                                 \
	X(ADMISSION_BY_ORDER, "NoAdmissionFairSharing")                                            \
	X(ADMISSION_BY_USAGE, "UsageBasedAdmissionFairSharing")
PLM_W_ENUM(admission_mode, PLM_ADMISSION_MODE_LIST)

#define PLM_PHASE_LIST(X)                                                                          \
	X(PHASE_PENDING, "Pending")                                                                \
	X(PHASE_RUNNING, "Running")                                                                \
	X(PHASE_SUCCEEDED, "Succeeded")                                                            \
	X(PHASE_FAILED, "Failed")                                                                  \
	X(PHASE_UNKNOWN, "Unknown")
PLM_W_ENUM(phase, PLM_PHASE_LIST)

#define PLM_JOB_END_LIST(X)                                                                        \
	X(JOB_OPEN, "")                                                                            \
	X(JOB_COMPLETE, "Complete")                                                                \
	X(JOB_FAILED, "Failed")
PLM_W_ENUM(job_end, PLM_JOB_END_LIST)

#define PLM_CONSOLIDATION_LIST(X)                                                                  \
	X(CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED, "WhenEmptyOrUnderutilized")                     \
	X(CONSOLIDATE_WHEN_EMPTY, "WhenEmpty")                                                     \
	X(CONSOLIDATE_BALANCED, "Balanced")
PLM_W_ENUM(consolidation, PLM_CONSOLIDATION_LIST)

/* A topology assignment that waits for a check before it is made: kueue.md 2.15. */
#define PLM_DELAYED_LIST(X)                                                                        \
	X(DELAYED_NOT, "")                                                                         \
	X(DELAYED_PENDING, "Pending")                                                              \
	X(DELAYED_READY, "Ready")
PLM_W_ENUM(delayed, PLM_DELAYED_LIST)

#define PLM_CONTAINER_ROLE_LIST(X)                                                                 \
	X(CONTAINER_MAIN, "containers")                                                            \
	X(CONTAINER_INIT, "initContainers")                                                        \
	X(CONTAINER_SIDECAR, "sidecars")                                                           \
	X(CONTAINER_POD, "resources")
PLM_W_ENUM(container_role, PLM_CONTAINER_ROLE_LIST)

#define PLM_LIMIT_TYPE_LIST(X)                                                                     \
	X(LIMIT_TYPE_CONTAINER, "Container")                                                       \
	X(LIMIT_TYPE_POD, "Pod")                                                                   \
	X(LIMIT_TYPE_VOLUME_CLAIM, "PersistentVolumeClaim")
PLM_W_ENUM(limit_type, PLM_LIMIT_TYPE_LIST)

/* ---- parts ------------------------------------------------------------------------------------- */

/* The lists of fields are tables; the formatter would reflow them anew each time. */
/* clang-format off */

#define PLM_KV_FIELDS(S, Y, I, E, T, R, L) S(key) S(value)
PLM_W_STRUCT(kv, PLM_KV_FIELDS)

#define PLM_AMOUNT_FIELDS(S, Y, I, E, T, R, L) S(resource) I(amount)
PLM_W_STRUCT(amount, PLM_AMOUNT_FIELDS)

/* 'owner_*' is the controller owner reference. Lists of kv and amount are sorted by key, unique. */
#define PLM_META_FIELDS(S, Y, I, E, T, R, L)                                                       \
	S(ns) S(name) S(uid) I(created_ms) I(deleting_ms) I(generation) S(owner_kind)              \
	S(owner_name) S(owner_uid) L(labels, kv)
PLM_W_STRUCT(meta, PLM_META_FIELDS)

#define PLM_TAINT_FIELDS(S, Y, I, E, T, R, L) S(key) S(value) E(effect, taint_effect)
PLM_W_STRUCT(taint, PLM_TAINT_FIELDS)

#define PLM_TOLERATION_FIELDS(S, Y, I, E, T, R, L)                                                 \
	S(key) E(op, toleration_op) S(value) E(effect, taint_effect) I(seconds)
PLM_W_STRUCT(toleration, PLM_TOLERATION_FIELDS)

#define PLM_EXPR_FIELDS(S, Y, I, E, T, R, L) S(key) E(op, op) T(values) I(min_values)
PLM_W_STRUCT(expr, PLM_EXPR_FIELDS)

/* A node selector term; 'fields' are matchFields. 'weight' for preferred terms, else 0. */
#define PLM_TERM_FIELDS(S, Y, I, E, T, R, L) I(weight) L(exprs, expr) L(fields, expr)
PLM_W_STRUCT(term, PLM_TERM_FIELDS)

/* A label selector. 'present' 0 = absent (matches nothing unless said otherwise); matchLabels come as In. */
#define PLM_SELECTOR_FIELDS(S, Y, I, E, T, R, L) I(present) L(exprs, expr)
PLM_W_STRUCT(selector, PLM_SELECTOR_FIELDS)

#define PLM_AFFINITY_FIELDS(S, Y, I, E, T, R, L)                                                   \
	I(weight) S(topology_key) R(selector, selector) T(namespaces) R(ns_selector, selector)     \
	T(match_keys) T(mismatch_keys)
PLM_W_STRUCT(affinity, PLM_AFFINITY_FIELDS)

#define PLM_SPREAD_FIELDS(S, Y, I, E, T, R, L)                                                     \
	S(topology_key) I(max_skew) E(when, spread_when) R(selector, selector) I(min_domains)      \
	E(affinity_policy, node_policy) E(taints_policy, node_policy) T(match_keys)
PLM_W_STRUCT(spread, PLM_SPREAD_FIELDS)

#define PLM_PORT_FIELDS(S, Y, I, E, T, R, L) S(ip) S(protocol) I(port)
PLM_W_STRUCT(port, PLM_PORT_FIELDS)

/* As amount, exact: 'amount' is rounded up, 'excess_nano' what that added in 10^-9 of the whole unit. */
#define PLM_EXACT_FIELDS(S, Y, I, E, T, R, L) S(resource) I(amount) I(excess_nano)
PLM_W_STRUCT(exact, PLM_EXACT_FIELDS)

/* What one container asks for as written; init containers in their order; role POD at most once. */
#define PLM_CONTAINER_FIELDS(S, Y, I, E, T, R, L)                                                  \
	E(role, container_role) L(requests, exact) L(limits, exact)
PLM_W_STRUCT(container, PLM_CONTAINER_FIELDS)

/*
 * A volume with a claim: 'claim' names it, or with 'ephemeral' (name of the volume) it is the pod's own,
 * called pod-volume and made with 'class'; 'class_said' 0 = of the default class.
 */
#define PLM_VOLUME_USE_FIELDS(S, Y, I, E, T, R, L) S(claim) S(ephemeral) S(class) I(class_said)
PLM_W_STRUCT(volume_use, PLM_VOLUME_USE_FIELDS)

/*
 * What the scheduler sees of a pod, without labels: pods of one template share one shape.
 * 'requests' follow Kubernetes' pod request rule (containers, init containers, sidecars, overhead),
 * limits taken where a request is missing; 'pods' is not in it. 'required_present' tells "no required
 * affinity" from "no term". 'containers' empty = one container without limits asks for 'requests'.
 * 'has_claims' 1 = it names resourceClaims. 'volumes' in the order of the spec, only those with a claim.
 */
#define PLM_SHAPE_FIELDS(S, Y, I, E, T, R, L)                                                      \
	L(requests, amount) L(node_selector, kv) I(required_present) L(required, term)             \
	L(preferred, term) L(tolerations, toleration) L(affinity, affinity)                        \
	L(anti_affinity, affinity) L(preferred_affinity, affinity)                                 \
	L(preferred_anti_affinity, affinity) L(spread, spread) L(ports, port)                      \
	L(volumes, volume_use)                                                                     \
	S(runtime_class) S(scheduler) S(priority_class) I(priority) I(never_preempt)               \
	L(containers, container) L(overhead, exact) I(has_claims)
PLM_W_STRUCT(shape, PLM_SHAPE_FIELDS)

/* Pods come in slices of 'size' within one domain of 'level'. */
#define PLM_TOPOLOGY_SLICE_FIELDS(S, Y, I, E, T, R, L) S(level) I(size)
PLM_W_STRUCT(topology_slice, PLM_TOPOLOGY_SLICE_FIELDS)

/*
 * 'count' pods of one template. 'min_count' PLM_UNSET = no partial admission. 'topology_asked' 1 = it
 * asks for a place by topology, be it an unconstrained one; 'topology_slices' outermost first. Pods are ranked by the label
 * 'pod_index_label', in 'sub_group_count' groups by 'sub_group_label', from 'index_offset' on.
 */
#define PLM_POD_SET_SPEC_FIELDS(S, Y, I, E, T, R, L)                                               \
	S(name) I(count) I(min_count) L(labels, kv) R(shape, shape) S(topology_required)           \
	S(topology_preferred) I(topology_unconstrained) S(topology_group) I(topology_asked)        \
	L(topology_slices, topology_slice) S(pod_index_label) S(sub_group_label)                   \
	I(sub_group_count) I(index_offset)
PLM_W_STRUCT(pod_set_spec, PLM_POD_SET_SPEC_FIELDS)

/* ---- queue objects ----------------------------------------------------------------------------- */

#define PLM_NAMESPACE_FIELDS(S, Y, I, E, T, R, L) R(meta, meta)
PLM_W_STRUCT(namespace, PLM_NAMESPACE_FIELDS)

#define PLM_FLAVOR_FIELDS(S, Y, I, E, T, R, L)                                                     \
	R(meta, meta) L(node_labels, kv) L(node_taints, taint) L(tolerations, toleration)          \
	S(topology)
PLM_W_STRUCT(flavor, PLM_FLAVOR_FIELDS)

/* 'nominal' may be PLM_UNLIMITED; 'borrowing' and 'lending' are PLM_UNSET when absent. */
#define PLM_QUOTA_FIELDS(S, Y, I, E, T, R, L) S(resource) I(nominal) I(borrowing) I(lending)
PLM_W_STRUCT(quota, PLM_QUOTA_FIELDS)

#define PLM_FLAVOR_QUOTA_FIELDS(S, Y, I, E, T, R, L) S(flavor) L(quotas, quota)
PLM_W_STRUCT(flavor_quota, PLM_FLAVOR_QUOTA_FIELDS)

#define PLM_GROUP_FIELDS(S, Y, I, E, T, R, L) T(resources) L(flavors, flavor_quota)
PLM_W_STRUCT(group, PLM_GROUP_FIELDS)

#define PLM_COHORT_FIELDS(S, Y, I, E, T, R, L)                                                     \
	R(meta, meta) S(parent) L(groups, group) I(weight_nano)
PLM_W_STRUCT(cohort, PLM_COHORT_FIELDS)

/* An admission check of a ClusterQueue; no 'flavors' = all. */
#define PLM_CHECK_USE_FIELDS(S, Y, I, E, T, R, L) S(name) T(flavors)
PLM_W_STRUCT(check_use, PLM_CHECK_USE_FIELDS)

/*
 * 'dialect' 1 = written in the simple dialect, already translated (dialect.md); 'elastic' amounts
 * are then its maxAllowed. 'preempt_threshold' = lowest priority that may preempt, PLM_UNSET = any.
 * 'misconfigured' says what makes the queue inactive, else empty.
 */
#define PLM_CLUSTER_QUEUE_FIELDS(S, Y, I, E, T, R, L)                                              \
	R(meta, meta) S(cohort) L(groups, group) E(strategy, strategy) R(ns_selector, selector)    \
	E(when_can_borrow, fungibility) E(when_can_preempt, fungibility)                           \
	E(preference, flavor_preference) E(within, preemption) E(reclaim, preemption)              \
	E(borrow_within, preemption) I(borrow_threshold) I(preempt_threshold) E(stop, stop)        \
	I(weight_nano) L(checks, check_use) I(capacity_check) I(dialect) S(misconfigured)          \
	E(admission_mode, admission_mode) I(concurrent)
PLM_W_STRUCT(cluster_queue, PLM_CLUSTER_QUEUE_FIELDS)

/* 'consumed' at 'consumed_ms' as its status says (PLM_UNSET = it does not): admission fair sharing. */
#define PLM_LOCAL_QUEUE_FIELDS(S, Y, I, E, T, R, L)                                                \
	R(meta, meta) S(cluster_queue) S(work_queue) E(stop, stop) I(weight_nano)                  \
	L(consumed, amount) I(consumed_ms)
PLM_W_STRUCT(local_queue, PLM_LOCAL_QUEUE_FIELDS)

/* 'max_parallel' PLM_UNSET = unlimited. */
#define PLM_WORK_QUEUE_FIELDS(S, Y, I, E, T, R, L) R(meta, meta) S(cluster_queue) I(max_parallel)
PLM_W_STRUCT(work_queue, PLM_WORK_QUEUE_FIELDS)

/* Kubernetes PriorityClass or Kueue WorkloadPriorityClass: 'kind' is PLM_KIND_*. */
#define PLM_PRIORITY_CLASS_FIELDS(S, Y, I, E, T, R, L)                                             \
	R(meta, meta) E(kind, kind) I(value) I(global_default) I(never_preempt)
PLM_W_STRUCT(priority_class, PLM_PRIORITY_CLASS_FIELDS)

#define PLM_ADMISSION_CHECK_FIELDS(S, Y, I, E, T, R, L) R(meta, meta) S(controller) I(active)
PLM_W_STRUCT(admission_check, PLM_ADMISSION_CHECK_FIELDS)

/* 'count' pods in the domain whose label values, by level, are 'values'. */
#define PLM_TOPOLOGY_DOMAIN_FIELDS(S, Y, I, E, T, R, L) T(values) I(count)
PLM_W_STRUCT(topology_domain, PLM_TOPOLOGY_DOMAIN_FIELDS)

/*
 * Flavors by resource, and what is charged for all 'count' pods together. 'levels' (node labels, highest
 * first) and 'domains' are its topology assignment, both empty without.
 */
#define PLM_ASSIGNMENT_FIELDS(S, Y, I, E, T, R, L)                                                 \
	S(name) I(count) L(flavors, kv) L(usage, amount) T(levels) L(domains, topology_domain)     \
	E(delayed, delayed)
PLM_W_STRUCT(assignment, PLM_ASSIGNMENT_FIELDS)

/* What a check adds to the pods of pod set 'name' when the workload starts. */
#define PLM_POD_SET_UPDATE_FIELDS(S, Y, I, E, T, R, L)                                             \
	S(name) L(labels, kv) L(annotations, kv) L(node_selector, kv) L(tolerations, toleration)
PLM_W_STRUCT(pod_set_update, PLM_POD_SET_UPDATE_FIELDS)

/* 'requeue_after_ms' PLM_UNSET = none. */
#define PLM_CHECK_STATUS_FIELDS(S, Y, I, E, T, R, L)                                               \
	S(name) E(state, check_state) I(since_ms) I(requeue_after_ms) I(retry_count) S(message)    \
	L(updates, pod_set_update)
PLM_W_STRUCT(check_status, PLM_CHECK_STATUS_FIELDS)

#define PLM_POD_COUNT_FIELDS(S, Y, I, E, T, R, L) S(name) I(count)
PLM_W_STRUCT(pod_count, PLM_POD_COUNT_FIELDS)

/* Levels of a topology: node labels, highest first. */
#define PLM_TOPOLOGY_FIELDS(S, Y, I, E, T, R, L) R(meta, meta) T(levels)
PLM_W_STRUCT(topology, PLM_TOPOLOGY_FIELDS)

/*
 * A Workload object. Conditions as times: PLM_UNSET = not True. 'requeued' -1 = condition False,
 * 0 absent, 1 True; 'pods_ready' likewise. 'gated' 1 = an admission gate annotation is non-empty.
 * 'unhealthy' nodes of its topology assignment are to be replaced. 'max_execution_s' 0 = no limit.
 */
#define PLM_WORKLOAD_FIELDS(S, Y, I, E, T, R, L)                                                   \
	R(meta, meta) S(queue) I(priority) S(priority_class) I(active) I(gated)                    \
	L(pod_sets, pod_set_spec) S(cluster_queue) L(assignments, assignment) I(reserved_ms)       \
	I(admitted_ms) I(evicted_ms) S(evicted_reason) I(requeued) I(requeue_at_ms) I(finished_ms) \
	S(finished_reason) L(checks, check_status) L(reclaimable, pod_count)                       \
	T(unhealthy) S(requeued_reason) I(requeue_count) I(max_execution_s) I(past_execution_s)    \
	I(pods_ready) I(pods_ready_ms) S(pods_ready_reason) I(elastic)
PLM_W_STRUCT(workload, PLM_WORKLOAD_FIELDS)

/* The limits of a namespace for one type of thing. */
#define PLM_LIMIT_ITEM_FIELDS(S, Y, I, E, T, R, L)                                                 \
	E(type, limit_type) L(max, exact) L(min, exact) L(default_limits, exact)                   \
	L(default_requests, exact) L(ratio, exact)
PLM_W_STRUCT(limit_item, PLM_LIMIT_ITEM_FIELDS)

#define PLM_LIMIT_RANGE_FIELDS(S, Y, I, E, T, R, L) R(meta, meta) L(items, limit_item)
PLM_W_STRUCT(limit_range, PLM_LIMIT_RANGE_FIELDS)

/* 'overhead' is added to every pod of the class that names none itself. */
#define PLM_RUNTIME_CLASS_FIELDS(S, Y, I, E, T, R, L) R(meta, meta) L(overhead, exact)
PLM_W_STRUCT(runtime_class, PLM_RUNTIME_CLASS_FIELDS)

/*
 * What somebody changes of a Workload that has no object of its own: 'active' 1 or 0, PLM_UNSET = as it
 * is; the checks that are named; pods that are given back. A Workload object says the same by itself.
 */
#define PLM_WORKLOAD_PATCH_FIELDS(S, Y, I, E, T, R, L)                                             \
	S(ns) S(name) I(active) L(checks, check_status) L(reclaimable, pod_count)
PLM_W_STRUCT(workload_patch, PLM_WORKLOAD_PATCH_FIELDS)

/* ---- work -------------------------------------------------------------------------------------- */

/*
 * A job of any kind of core/integration.h. 'workload' is the name that its Workload has (Kueue's formula:
 * exact.md 8), or with 'prebuilt' 1 the name of one that somebody else makes. 'queue' is the label or
 * field; 'managed' 1 = a queue is named, 0 = none is, -1 = it can never be queued. 'pod_sets' in the order and with the
 * names that Kueue gives them. 'parallelism', 'completions' and 'backoff_limit' are those of a Job;
 * other kinds have the sums of their pod sets there, but a LeaderWorkerSet its groups as 'completions'. 'min_parallelism' PLM_UNSET = no partial admission;
 * 'sync_completions' 1 = completions follow parallelism then. 'max_exec_s' PLM_UNSET = may run for ever.
 * A TrainJob has the pod sets of its 'runtime', 'nodes' pods (PLM_UNSET = as there) in the one called node,
 * each asking for 'node_requests' instead of what stands there.
 */
#define PLM_JOB_FIELDS(S, Y, I, E, T, R, L)                                                        \
	R(meta, meta) E(kind, kind) S(workload) S(queue) S(work_queue) S(priority_class)           \
	I(managed) I(suspended) I(parallelism) I(completions) I(backoff_limit) I(indexed)          \
	I(min_parallelism) I(active) I(ready) I(succeeded) I(failed) E(end, job_end) I(ended_ms)   \
	I(started_ms) L(pod_sets, pod_set_spec) L(reclaimable, pod_count) I(prebuilt)              \
	I(sync_completions) I(max_exec_s) E(runtime_kind, kind) S(runtime) I(nodes)                \
	L(node_requests, amount) I(elastic)
PLM_W_STRUCT(job, PLM_JOB_FIELDS)

/*
 * 'unschedulable' 1 = PodScheduled=False, Unschedulable; 'no_status' 1 = written by hand, no status; 'tas'
 * 1 = its annotations ask for a topology. A pod that is queued by itself or in a group names the workload
 * that it is a part of ('group') and its pod set there ('role'); 'group_flags' enum plm_group_flag,
 * 'queue_class' the class of its label. 'gates' are those that it waits behind. 'do_not_disrupt' 0 no, 1 for
 * ever, -1 its annotation cannot be read, else until that time. 'not_ready' 1 = its condition Ready says False;
 * 'grace_s' is its terminationGracePeriodSeconds, 'scheduled_ms' since when PodScheduled is True, 'managed'
 * 1 = it carries upstream's finalizer.
 */
#define PLM_POD_FIELDS(S, Y, I, E, T, R, L)                                                        \
	R(meta, meta) R(shape, shape) S(node) S(nominated) E(phase, phase) I(unschedulable)        \
	I(no_status) I(gated) I(ready) I(started_ms) I(do_not_disrupt) I(deletion_cost) S(pod_set) \
	I(index) I(tas) T(gates) S(queue) S(queue_class) S(group) S(role) I(group_total) I(group_flags)     \
	I(max_exec_s) I(not_ready) I(grace_s) I(scheduled_ms) I(managed)
PLM_W_STRUCT(pod, PLM_POD_FIELDS)

#define PLM_NODE_FIELDS(S, Y, I, E, T, R, L)                                                       \
	R(meta, meta) S(provider_id) L(taints, taint) L(capacity, amount) L(allocatable, amount)   \
	I(ready) I(unschedulable) I(do_not_disrupt) I(termination_finalizer)
PLM_W_STRUCT(node, PLM_NODE_FIELDS)

#define PLM_DAEMON_SET_FIELDS(S, Y, I, E, T, R, L) R(meta, meta) R(template, pod_set_spec)
PLM_W_STRUCT(daemon_set, PLM_DAEMON_SET_FIELDS)

/*
 * Deployment, ReplicaSet, StatefulSet: 'kind'. 'claims' are the volumeClaimTemplates: each pod has a claim
 * of its own for each, called template-pod, as 'ephemeral' names the template here.
 */
#define PLM_REPLICATOR_FIELDS(S, Y, I, E, T, R, L)                                                 \
	R(meta, meta) E(kind, kind) I(replicas) R(template, pod_set_spec) L(claims, volume_use)
PLM_W_STRUCT(replicator, PLM_REPLICATOR_FIELDS)

/* ---- nodes ------------------------------------------------------------------------------------- */

/* 'nodes' as written ("10%", "3"); 'schedule' cron or empty; 'duration_ms' PLM_UNSET when absent. */
#define PLM_BUDGET_FIELDS(S, Y, I, E, T, R, L) S(nodes) T(reasons) S(schedule) I(duration_ms)
PLM_W_STRUCT(budget, PLM_BUDGET_FIELDS)

/*
 * 'limits' cpu in milli, "nodes" in pieces; 'min_size' 0 and 'max_size' PLM_UNSET by default;
 * 'expire_ms', 'grace_ms', 'consolidate_after_ms' PLM_UNSET = Never or none; 'not_ready' says why the
 * pool may not be used, else empty. 'hash' of what a change of which is static drift (karpenter.md 1.1),
 * as we compute it; 'stamped_*' what its annotations say. 'by_condition' 1 = 'not_ready' is what its own
 * condition Ready says, which is ours to write where nodes are published.
 */
#define PLM_NODE_POOL_FIELDS(S, Y, I, E, T, R, L)                                                  \
	R(meta, meta) E(class_kind, kind) S(class_name) L(labels, kv) L(taints, taint)             \
	L(startup_taints, taint) L(requirements, expr) L(limits, amount) I(weight) I(min_size)     \
	I(max_size) I(expire_ms) I(grace_ms) I(consolidate_after_ms)                               \
	E(consolidation, consolidation) L(budgets, budget) I(dialect) S(not_ready) S(hash)         \
	S(stamped_hash) S(stamped_version) I(by_condition)
PLM_W_STRUCT(node_pool, PLM_NODE_POOL_FIELDS)

/*
 * Times are those of the conditions; 'registering_ms' since when Registered is not True. Hashes are those
 * of its annotations. 'termination_finalizer' 1 = it waits for us when it is deleted.
 */
#define PLM_NODE_CLAIM_FIELDS(S, Y, I, E, T, R, L)                                                 \
	R(meta, meta) S(pool) L(requirements, expr) L(requests, amount) L(taints, taint)           \
	L(startup_taints, taint) S(provider_id) S(node) L(capacity, amount) L(allocatable, amount) \
	I(launched_ms) I(registered_ms) I(initialized_ms) I(do_not_disrupt)                        \
	I(consolidatable_ms) I(drifted_ms) I(grace_ms) E(class_kind, kind) S(class_name)           \
	I(expire_ms) S(pool_hash) S(pool_hash_version) S(class_hash) S(class_hash_version)         \
	I(registering_ms) I(termination_finalizer) I(pod_event_ms)
PLM_W_STRUCT(node_claim, PLM_NODE_CLAIM_FIELDS)

/*
 * KubeletConfiguration of a class: 'present' 1 = there is one. Numbers are PLM_UNSET, texts and lists empty
 * where nothing is said; amounts, thresholds and durations as written. 'other' has the fields that only
 * AL2023 takes, as JSON.
 */
#define PLM_KUBELET_FIELDS(S, Y, I, E, T, R, L)                                                    \
	I(present) T(cluster_dns) I(max_pods) I(pods_per_core) L(system_reserved, kv)              \
	L(kube_reserved, kv) L(eviction_hard, kv) L(eviction_soft, kv) L(eviction_soft_grace, kv)  \
	I(eviction_max_grace_s) I(gc_high) I(gc_low) I(cpu_cfs_quota) L(other, kv)
PLM_W_STRUCT(kubelet, PLM_KUBELET_FIELDS)

/* An EBS volume of an instance; PLM_UNSET and "" = not said, then EC2's or the image's default holds. */
#define PLM_BLOCK_DEVICE_FIELDS(S, Y, I, E, T, R, L)                                               \
	S(name) I(root) I(size_bytes) S(type) I(iops) I(throughput) I(encrypted) S(kms_key)        \
	S(snapshot) I(delete_on_termination) I(initialization_rate)
PLM_W_STRUCT(block_device, PLM_BLOCK_DEVICE_FIELDS)

/* 'type' "interface" or "efa-only". */
#define PLM_CLASS_INTERFACE_FIELDS(S, Y, I, E, T, R, L) I(card) I(device) S(type)
PLM_W_STRUCT(class_interface, PLM_CLASS_INTERFACE_FIELDS)

/* Which images a class takes; the terms are alternatives. */
#define PLM_IMAGE_TERM_FIELDS(S, Y, I, E, T, R, L)                                                 \
	S(alias) S(id) S(name) S(owner) S(ssm_parameter) L(tags, kv)
PLM_W_STRUCT(image_term, PLM_IMAGE_TERM_FIELDS)

/*
 * Which subnets, security groups or capacity reservations a class takes; the terms are alternatives. A tag
 * whose value is "*" only has to be there. 'owner' and 'criteria' ("open", "targeted") are of reservations.
 */
#define PLM_SELECT_TERM_FIELDS(S, Y, I, E, T, R, L)                                                \
	S(id) S(name) S(owner) S(criteria) L(tags, kv)
PLM_W_STRUCT(select_term, PLM_SELECT_TERM_FIELDS)

/*
 * How an instance is set up, as written. Of 'http' "" and PLM_UNSET = the default; of the switches PLM_UNSET
 * = not said. 'raid0' 1 = instance stores become the node's storage. Times in seconds. 'ssh_key' is let in, and
 * with 'no_boot' 1 nothing but the user's own data is told to the instance: both of NodeTemplates.
 */
#define PLM_CLASS_SETUP_FIELDS(S, Y, I, E, T, R, L)                                                \
	S(user_data) S(role) S(instance_profile) L(images, image_term) L(devices, block_device)    \
	L(interfaces, class_interface) I(raid0) I(ip_prefixes) I(public_ip) I(detailed_monitoring) \
	S(http_endpoint) S(http_ipv6) I(http_hops) S(http_tokens) I(tcp_established_s)             \
	I(udp_stream_s) I(udp_s) S(context) S(nested_virtualization) L(subnets, select_term)       \
	L(groups, select_term) L(reservations, select_term) S(placement_id) S(placement_name)      \
	S(ssh_key) I(no_boot)
PLM_W_STRUCT(class_setup, PLM_CLASS_SETUP_FIELDS)

/* EC2NodeClass or NodeTemplate: 'kind'. No 'instance_types' = all. 'not_ready' as for pools. */
#define PLM_NODE_CLASS_FIELDS(S, Y, I, E, T, R, L)                                                 \
	R(meta, meta) E(kind, kind) T(instance_types) S(ami_family) L(tags, kv) S(not_ready)       \
	S(hash) S(stamped_hash) S(stamped_version) R(kubelet, kubelet) R(setup, class_setup)  \
	I(by_condition)
PLM_W_STRUCT(node_class, PLM_NODE_CLASS_FIELDS)

/*
 * PodDisruptionBudget: 'min_available' and 'max_unavailable' PLM_UNSET when absent, in percent of the
 * expected pods where '*_percent' is 1. 'always_allow' 1 = unhealthyPodEvictionPolicy AlwaysAllow. 'has_status' 0
 * = nobody has counted its pods yet; 'stale' 1 = its status is that of an older spec.
 */
#define PLM_PDB_FIELDS(S, Y, I, E, T, R, L)                                                        \
	R(meta, meta) R(selector, selector) I(min_available) I(min_percent) I(max_unavailable)     \
	I(max_percent) I(always_allow) I(has_status) I(stale) I(allowed) I(healthy) I(desired)     \
	I(expected)
PLM_W_STRUCT(pdb, PLM_PDB_FIELDS)
/* ---- volumes ----------------------------------------------------------------------------------- */

/*
 * A PersistentVolumeClaim: 'volume' names its PersistentVolume; 'bound' 1 = the annotation says that the
 * binding is complete; 'lost' 1 = its volume is gone; 'class_said' 0 = of the default class.
 */
#define PLM_VOLUME_CLAIM_FIELDS(S, Y, I, E, T, R, L)                                               \
	R(meta, meta) S(class) I(class_said) S(volume) I(bound) I(lost)
PLM_W_STRUCT(volume_claim, PLM_VOLUME_CLAIM_FIELDS)

/*
 * A PersistentVolume: 'driver' of CSI, also where an in-tree plugin is named that has become one; empty =
 * of another sort. 'local' 1 = a local or hostPath volume. 'terms' of its node affinity, one must hold.
 */
#define PLM_VOLUME_FIELDS(S, Y, I, E, T, R, L)                                                     \
	R(meta, meta) S(class) S(driver) S(handle) I(local) L(terms, term) S(claim_ns) S(claim)
PLM_W_STRUCT(volume, PLM_VOLUME_FIELDS)

/* 'provisioner' as 'driver' above; 'terms' of allowedTopologies, one must hold. */
#define PLM_STORAGE_CLASS_FIELDS(S, Y, I, E, T, R, L)                                              \
	R(meta, meta) S(provisioner) I(immediate) L(terms, term) I(is_default)
PLM_W_STRUCT(storage_class, PLM_STORAGE_CLASS_FIELDS)

/* 'limit' of volumes at once: PLM_UNSET = none is said, PLM_UNLIMITED = allocatable has no count. */
#define PLM_CSI_DRIVER_FIELDS(S, Y, I, E, T, R, L) S(name) I(limit)
PLM_W_STRUCT(csi_driver, PLM_CSI_DRIVER_FIELDS)

/* The CSI drivers of the node of its name. */
#define PLM_CSI_NODE_FIELDS(S, Y, I, E, T, R, L) R(meta, meta) L(drivers, csi_driver)
PLM_W_STRUCT(csi_node, PLM_CSI_NODE_FIELDS)

/* 'volume' is or will be attached to 'node'. */
#define PLM_VOLUME_ATTACHMENT_FIELDS(S, Y, I, E, T, R, L)                                          \
	R(meta, meta) S(driver) S(node) S(volume) I(attached)
PLM_W_STRUCT(volume_attachment, PLM_VOLUME_ATTACHMENT_FIELDS)

/* An object went away. */
#define PLM_GONE_FIELDS(S, Y, I, E, T, R, L) E(kind, kind) S(ns) S(name) S(uid)
PLM_W_STRUCT(gone, PLM_GONE_FIELDS)

/* ---- catalogue --------------------------------------------------------------------------------- */

/*
 * 'price_micro' micro-USD per hour, PLM_UNSET = unknown (cannot be used); 'estimated' 1 = not observed.
 * 'requirements' = what it requires beyond zone, capacity type and reservation id (empty = has none).
 */
#define PLM_OFFERING_FIELDS(S, Y, I, E, T, R, L)                                                   \
	S(zone) S(capacity_type) S(reservation) I(price_micro) I(available) I(reserved_left)       \
	I(estimated) L(requirements, expr)
PLM_W_STRUCT(offering, PLM_OFFERING_FIELDS)

/*
 * What EC2 says of a type, from which its capacity under a class follows (ec2/capacity.h): 'enis' of the default
 * card, 'reserved_mib' of the memory that the architecture keeps, 'store_gb' (10^9) of instance stores.
 */
#define PLM_EC2_FACTS_FIELDS(S, Y, I, E, T, R, L)                                                  \
	I(vcpu) I(memory_mib) I(reserved_mib) I(enis) I(ipv4_per_eni) I(store_gb) I(efa)
PLM_W_STRUCT(ec2_facts, PLM_EC2_FACTS_FIELDS)

/*
 * 'allocatable' = capacity - overheads, may be negative. 'requirements' complete by the catalogue rules.
 * With 'facts' (one or none) capacity and allocatable are those under a class that says nothing; without,
 * they hold for every class.
 */
#define PLM_INSTANCE_TYPE_FIELDS(S, Y, I, E, T, R, L)                                              \
	S(name) L(requirements, expr) L(capacity, amount) L(allocatable, amount)                   \
	L(offerings, offering) L(facts, ec2_facts)
PLM_W_STRUCT(instance_type, PLM_INSTANCE_TYPE_FIELDS)

/* 'part' 1 = only of the types named here something is new; the others, the same as before, stand. */
#define PLM_CATALOG_FIELDS(S, Y, I, E, T, R, L) S(region) S(source) L(types, instance_type) I(part)
PLM_W_STRUCT(catalog, PLM_CATALOG_FIELDS)

/* clang-format on */

#endif
