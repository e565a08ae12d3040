/*
 * metric_nodes.h - the list of Karpenter's metrics, and of our own that the log tells
 *
 * Owns: names, types, help and labels, as metric.h wants them. Families of nodes have the well-known
 * labels of nodes besides (plm_metric.more): their number is the provider's. Source: karpenter.md 5.
 */
#ifndef PLM_REDUCERS_STATUS_METRIC_NODES_H
#define PLM_REDUCERS_STATUS_METRIC_NODES_H

/* X(id, name, type, help, labels...) */
#define PLM_NODE_METRICS(X)                                                                        \
	X(NODE_ALLOCATABLE, "karpenter_nodes_allocatable", GAUGE, "What a node can give.",         \
	  "resource_type")                                                                         \
	X(NODE_POD_REQUESTS, "karpenter_nodes_total_pod_requests", GAUGE,                          \
	  "Requests of the pods of a node, those of DaemonSets too.", "resource_type")             \
	X(NODE_POD_LIMITS, "karpenter_nodes_total_pod_limits", GAUGE,                              \
	  "Limits of the pods of a node, those of DaemonSets too.", "resource_type")               \
	X(NODE_DAEMON_REQUESTS, "karpenter_nodes_total_daemon_requests", GAUGE,                    \
	  "Requests of the DaemonSets' pods of a node.", "resource_type")                          \
	X(NODE_DAEMON_LIMITS, "karpenter_nodes_total_daemon_limits", GAUGE,                        \
	  "Limits of the DaemonSets' pods of a node.", "resource_type")                            \
	X(NODE_OVERHEAD, "karpenter_nodes_system_overhead", GAUGE,                                 \
	  "Capacity of a node that it cannot give.", "resource_type")                              \
	X(NODE_AGE, "karpenter_nodes_current_lifetime_seconds", GAUGE, "Age of a node.", NULL)     \
	X(NODES_CREATED, "karpenter_nodes_created_total", COUNTER, "Nodes that came.", "nodepool", \
	  "zone")                                                                                  \
	X(NODES_TERMINATED, "karpenter_nodes_terminated_total", COUNTER, "Nodes that went.",       \
	  "nodepool", "zone")                                                                      \
	X(NODES_DRAINED, "karpenter_nodes_drained_total", COUNTER, "Nodes that were drained.",     \
	  "nodepool")                                                                              \
	X(NODE_TERMINATION, "karpenter_nodes_termination_duration_seconds", SUMMARY,               \
	  "From the request to delete a node until it was gone.", "nodepool")                      \
	X(NODE_LIFETIME, "karpenter_nodes_lifetime_duration_seconds", LIFETIMES,                   \
	  "Age of nodes when they went.", "nodepool")                                              \
	X(CLAIMS_CREATED, "karpenter_nodeclaims_created_total", COUNTER, "Node claims made.",      \
	  "reason", "nodepool", "min_values_relaxed")                                              \
	X(CLAIMS_TERMINATED, "karpenter_nodeclaims_terminated_total", COUNTER,                     \
	  "Node claims that are over.", "nodepool", "capacity_type", "zone")                       \
	X(CLAIMS_DISRUPTED, "karpenter_nodeclaims_disrupted_total", COUNTER,                       \
	  "Node claims given up while they had an instance.", "reason", "nodepool",                \
	  "capacity_type", "consolidation_policy", "termination_mode")                             \
	X(CLAIM_TERMINATION, "karpenter_nodeclaims_termination_duration_seconds", POWERS_12,       \
	  "From giving a node claim up until it was over.", "nodepool")                            \
	X(INSTANCE_TERMINATION, "karpenter_nodeclaims_instance_termination_duration_seconds",      \
	  POWERS_11, "From telling an instance to go until it was gone.", "nodepool")              \
	X(POD_STATE, "karpenter_pods_state", GAUGE, "1 for each pod, by where and how it is.",     \
	  NULL)                                                                                    \
	X(POD_STARTUP, "karpenter_pods_startup_duration_seconds", SUMMARY,                         \
	  "From the creation of a pod until it was ready.", NULL)                                  \
	X(POD_BOUND, "karpenter_pods_bound_duration_seconds", DURATIONS,                           \
	  "From the creation of a pod until it was bound.", NULL)                                  \
	X(POD_UNBOUND, "karpenter_pods_unbound_time_seconds", GAUGE,                               \
	  "Age of a pod without a node.", "name", "namespace")                                     \
	X(POD_UNSTARTED, "karpenter_pods_unstarted_time_seconds", GAUGE,                           \
	  "Age of a pod that never was ready.", "name", "namespace")                               \
	X(EVICTIONS, "karpenter_pods_eviction_requests_total", COUNTER,                            \
	  "Answers to requests for an eviction.", "code")                                          \
	X(POOL_LIMIT, "karpenter_nodepools_limit", GAUGE, "The limits of a pool.",                 \
	  "resource_type", "nodepool")                                                             \
	X(POOL_USAGE, "karpenter_nodepools_usage", GAUGE, "What a pool has.", "resource_type",     \
	  "nodepool")                                                                              \
	X(POOL_ALLOWED, "karpenter_nodepools_allowed_disruptions", GAUGE,                          \
	  "Nodes of a pool that may be disrupted now.", "nodepool", "reason")                      \
	X(POOL_CONSUMING, "karpenter_nodepools_nodes_consuming_budgets", GAUGE,                    \
	  "Nodes of a pool that count against its budgets.", "nodepool", "reason")                 \
	X(POOL_COST, "karpenter_nodepools_cost_total", GAUGE,                                      \
	  "What the nodes of a pool cost an hour, in dollars.", "nodepool")                        \
	X(DISRUPTIONS, "karpenter_voluntary_disruption_decisions_total", COUNTER,                  \
	  "Decisions to remove nodes.", "decision", "reason", "consolidation_type")                \
	X(ELIGIBLE, "karpenter_voluntary_disruption_eligible_nodes", GAUGE,                        \
	  "Nodes that may be removed for a reason.", "reason")                                     \
	X(FAILED_VALIDATIONS, "karpenter_voluntary_disruption_failed_validations_total", COUNTER,  \
	  "Removals that were dropped when they were looked at again.", "consolidation_type")      \
	X(QUEUE_DEPTH, "karpenter_scheduler_queue_depth", GAUGE,                                   \
	  "Pods that wait for a decision on their place.", "controller", "scheduling_id")          \
	X(UNSCHEDULABLE, "karpenter_scheduler_unschedulable_pods_count", GAUGE,                    \
	  "Pods for which no node can be had.", "controller")                                      \
	X(IGNORED, "karpenter_scheduler_ignored_pods_count", GAUGE,                                \
	  "Pods that cannot be decided on for what they refer to.", NULL)                          \
	X(SYNCED, "karpenter_cluster_state_synced", GAUGE,                                         \
	  "1 while cluster and cloud can be reached.", NULL)                                       \
	X(NODE_COUNT, "karpenter_cluster_state_node_count", GAUGE, "Nodes and those to come.",     \
	  NULL)                                                                                    \
	X(UNSYNCED, "karpenter_cluster_state_unsynced_time_seconds", GAUGE,                        \
	  "For how long cluster or cloud could not be reached.", NULL)                             \
	X(UTILIZATION, "karpenter_cluster_utilization_percent", GAUGE,                             \
	  "Requests of pods by what nodes can give.", "resource_type")                             \
	X(CLOUD_DURATION, "karpenter_cloudprovider_duration_seconds", DEFAULTS,                    \
	  "From a decision on an instance until the answer of the cloud.", "controller", "method", \
	  "provider")                                                                              \
	X(CLOUD_ERRORS, "karpenter_cloudprovider_errors_total", COUNTER,                           \
	  "Answers of the cloud that were errors.", "controller", "method", "provider", "error")   \
	X(OFFERING_PRICE, "karpenter_cloudprovider_instance_type_offering_price_estimate", GAUGE,  \
	  "Price of an offering an hour, in dollars.", "instance_type", "capacity_type", "zone")   \
	X(OFFERING_AVAILABLE, "karpenter_cloudprovider_instance_type_offering_available", GAUGE,   \
	  "1 while an offering can be had.", "instance_type", "capacity_type", "zone")             \
	X(TYPE_CORES, "karpenter_cloudprovider_instance_type_cpu_cores", GAUGE,                    \
	  "Processors of an instance type.", "instance_type")                                      \
	X(TYPE_MEMORY, "karpenter_cloudprovider_instance_type_memory_bytes", GAUGE,                \
	  "Memory of an instance type.", "instance_type")                                          \
	X(INTERRUPTIONS, "karpenter_interruption_received_messages_total", COUNTER,                \
	  "Messages of the cloud about instances.", "message_type")                                \
	X(OWN_EVENTS, "plimsoll_log_events_total", COUNTER, "Events of the log.", "source",        \
	  "type")                                                                                  \
	X(OWN_DECISIONS, "plimsoll_decisions_total", COUNTER, "Decisions.", "kind", "result",      \
	  "reason")                                                                                \
	X(OWN_EFFECTS, "plimsoll_effects_total", COUNTER, "Answers to effects.", "call", "status") \
	X(OWN_RETRIES, "plimsoll_effect_retry_total", COUNTER,                                     \
	  "Answers that left an effect to be repeated with the same key.", "call")                 \
	X(OWN_EFFECT_TIME, "plimsoll_effect_duration_seconds", DURATIONS,                          \
	  "From the decision on an effect until its answer.", "call")                              \
	X(OWN_LATENCY, "plimsoll_decision_latency_seconds", DURATIONS,                             \
	  "From the first fact since the last cycle until the cycle that saw it.", NULL)           \
	X(OWN_COST, "plimsoll_cost_dollars_per_hour", GAUGE, "What nodes cost an hour.",           \
	  "nodepool", "capacity_type")                                                             \
	X(OWN_DROPPED, "plimsoll_metrics_dropped", GAUGE,                                          \
	  "Series that were left out since there are too many.", "name")

#endif
