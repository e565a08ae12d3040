/*
 * metric.h - what Kueue's, Karpenter's, the dialect's and our own metrics say, as values
 *
 * Owns: the families (name, type, help, labels, buckets), the gauges of a state, and what one event of
 * the log adds to counters and histograms. Does not: add up or print (tools/exposition.h). Values are
 * integers with a number of decimals, so that no float is needed: cpu in thousandths of a core, seconds
 * in milliseconds, prices in micro-dollars, all else whole.
 *
 * Source: kueue.md 3.1; dialect.md Metrics; metric_nodes.h. Not served, for the features are not there: those of
 * MultiKueue, of workload slices, of scheduling hashes.
 */
#ifndef PLM_REDUCERS_STATUS_METRIC_H
#define PLM_REDUCERS_STATUS_METRIC_H

#include "core/state.h"
#include "reducers/status/metric_nodes.h"

#define PLM_METRIC_LABELS_MAX 5

enum plm_metric_type {
	PLM_METRIC_GAUGE,
	PLM_METRIC_COUNTER,
	/* Values are milliseconds from here on. */
	PLM_METRIC_HISTOGRAM, /* of Kueue: kueue.md 3.1 */
	PLM_METRIC_DURATIONS, /* histograms of Karpenter */
	PLM_METRIC_DEFAULTS,
	PLM_METRIC_LIFETIMES,
	PLM_METRIC_POWERS_11,
	PLM_METRIC_POWERS_12,
	PLM_METRIC_SUMMARY, /* quantiles of the last ten minutes */
};

/* X(id, name, type, help, labels...) */
#define PLM_QUEUE_METRICS(X)                                                                       \
	X(ATTEMPTS, "kueue_admission_attempts_total", COUNTER,                                     \
	  "Cycles that tried to admit workloads.", "result")                                       \
	X(PENDING, "kueue_pending_workloads", GAUGE,                                               \
	  "Workloads that wait: active ones are tried in the next cycle.", "cluster_queue",        \
	  "status")                                                                                \
	X(FINISHED_NOW, "kueue_finished_workloads", GAUGE,                                         \
	  "Finished workloads that are still there.", "cluster_queue")                             \
	X(RESERVING, "kueue_reserving_active_workloads", GAUGE, "Workloads that hold quota.",      \
	  "cluster_queue")                                                                         \
	X(ADMITTED_NOW, "kueue_admitted_active_workloads", GAUGE,                                  \
	  "Admitted workloads that are not finished.", "cluster_queue")                            \
	X(RESERVED, "kueue_quota_reserved_workloads_total", COUNTER, "Reservations of quota.",     \
	  "cluster_queue", "priority_class")                                                       \
	X(ADMITTED, "kueue_admitted_workloads_total", COUNTER, "Admissions.", "cluster_queue",     \
	  "priority_class")                                                                        \
	X(FINISHED, "kueue_finished_workloads_total", COUNTER, "Workloads that finished.",         \
	  "cluster_queue", "priority_class")                                                       \
	X(RESERVED_WAIT, "kueue_quota_reserved_wait_time_seconds", HISTOGRAM,                      \
	  "From creation to the reservation of quota.", "cluster_queue", "priority_class")         \
	X(ADMISSION_WAIT, "kueue_admission_wait_time_seconds", HISTOGRAM,                          \
	  "From creation to admission.", "cluster_queue", "priority_class")                        \
	X(CHECKS_WAIT, "kueue_admission_checks_wait_time_seconds", HISTOGRAM,                      \
	  "From the reservation of quota to admission.", "cluster_queue", "priority_class")        \
	X(EXECUTION, "kueue_execution_time_seconds", HISTOGRAM, "From admission to the end.",      \
	  "cluster_queue", "priority_class")                                                       \
	X(EVICTED, "kueue_evicted_workloads_total", COUNTER, "Evictions.", "cluster_queue",        \
	  "reason", "underlying_cause", "priority_class")                                          \
	X(EVICTED_ONCE, "kueue_evicted_workloads_once_total", COUNTER,                             \
	  "Workloads that were evicted at least once.", "cluster_queue", "reason",                 \
	  "underlying_cause", "priority_class")                                                    \
	X(READY_WAIT, "kueue_ready_wait_time_seconds", HISTOGRAM,                                  \
	  "From creation until all pods were ready.", "cluster_queue", "priority_class")           \
	X(ADMITTED_UNTIL_READY, "kueue_admitted_until_ready_wait_time_seconds", HISTOGRAM,         \
	  "From admission until all pods were ready.", "cluster_queue", "priority_class")          \
	X(READY_TO_EVICTED, "kueue_pods_ready_to_evicted_time_seconds", HISTOGRAM,                 \
	  "From readiness of all pods to the eviction.", "cluster_queue", "reason",                \
	  "underlying_cause")                                                                      \
	X(EVICTION_LATENCY, "kueue_workload_eviction_latency_seconds", HISTOGRAM,                  \
	  "From the eviction to the quota's return.", "cluster_queue", "reason")                   \
	X(PREEMPTED, "kueue_preempted_workloads_total", COUNTER, "Preempted workloads.",           \
	  "preempting_cluster_queue", "reason")                                                    \
	X(QUEUE_STATUS, "kueue_cluster_queue_status", GAUGE,                                       \
	  "1 for the status that the ClusterQueue is in.", "cluster_queue", "status")              \
	X(QUEUE_INFO, "kueue_cluster_queue_info", GAUGE, "The cohorts of a ClusterQueue.",         \
	  "cluster_queue", "parent_cohort", "root_cohort")                                         \
	X(UNADMITTED, "kueue_unadmitted_workloads", GAUGE, "Workloads without admission, by why.", \
	  "cluster_queue", "reason", "underlying_cause")                                           \
	X(RESOURCE_PENDING, "kueue_cluster_queue_resource_pending", GAUGE,                         \
	  "What waiting workloads ask for.", "cluster_queue", "resource")                          \
	X(RESOURCE_RESERVATION, "kueue_cluster_queue_resource_reservation", GAUGE,                 \
	  "Quota that is reserved.", "cohort", "cluster_queue", "flavor", "resource")              \
	X(RESOURCE_USAGE, "kueue_cluster_queue_resource_usage", GAUGE,                             \
	  "Quota of admitted workloads.", "cohort", "cluster_queue", "flavor", "resource")         \
	X(NOMINAL, "kueue_cluster_queue_nominal_quota", GAUGE, "The nominal quota.", "cohort",     \
	  "cluster_queue", "flavor", "resource")                                                   \
	X(BORROWING, "kueue_cluster_queue_borrowing_limit", GAUGE, "The borrowing limit.",         \
	  "cohort", "cluster_queue", "flavor", "resource")                                         \
	X(LENDING, "kueue_cluster_queue_lending_limit", GAUGE, "The lending limit.", "cohort",     \
	  "cluster_queue", "flavor", "resource")                                                   \
	X(SHARE, "kueue_cluster_queue_weighted_share", GAUGE,                                      \
	  "What is borrowed of what could be lent, in thousandths, by weight.", "cluster_queue",   \
	  "cohort")                                                                                \
	X(COHORT_SHARE, "kueue_cohort_weighted_share", GAUGE,                                      \
	  "What is borrowed of what could be lent, in thousandths, by weight.", "cohort")          \
	X(COHORT_INFO, "kueue_cohort_info", GAUGE, "The cohorts above a cohort.", "cohort",        \
	  "parent_cohort", "root_cohort")                                                          \
	X(SUBTREE_QUOTA, "kueue_cohort_subtree_quota", GAUGE,                                      \
	  "Quota of the cohort with what its members lend it.", "cohort", "flavor", "resource")    \
	X(SUBTREE_RESERVATION, "kueue_cohort_subtree_resource_reservations", GAUGE,                \
	  "Quota that is reserved in the cohort beyond what its members keep.", "cohort",          \
	  "flavor", "resource")                                                                    \
	X(SUBTREE_ADMITTED_NOW, "kueue_cohort_subtree_admitted_active_workloads", GAUGE,           \
	  "Admitted workloads of the cohort's queues.", "cohort")                                  \
	X(SUBTREE_ADMITTED, "kueue_cohort_subtree_admitted_workloads_total", COUNTER,              \
	  "Admissions in the cohort's queues.", "cohort", "priority_class")                        \
	X(LOCAL_PENDING, "kueue_local_queue_pending_workloads", GAUGE, "Workloads that wait.",     \
	  "name", "namespace", "status")                                                           \
	X(LOCAL_FINISHED_NOW, "kueue_local_queue_finished_workloads", GAUGE,                       \
	  "Finished workloads that are still there.", "name", "namespace")                         \
	X(LOCAL_RESERVING, "kueue_local_queue_reserving_active_workloads", GAUGE,                  \
	  "Workloads that hold quota.", "name", "namespace")                                       \
	X(LOCAL_ADMITTED_NOW, "kueue_local_queue_admitted_active_workloads", GAUGE,                \
	  "Admitted workloads that are not finished.", "name", "namespace")                        \
	X(LOCAL_RESERVED, "kueue_local_queue_quota_reserved_workloads_total", COUNTER,             \
	  "Reservations of quota.", "name", "namespace", "priority_class")                         \
	X(LOCAL_ADMITTED, "kueue_local_queue_admitted_workloads_total", COUNTER, "Admissions.",    \
	  "name", "namespace", "priority_class")                                                   \
	X(LOCAL_FINISHED, "kueue_local_queue_finished_workloads_total", COUNTER,                   \
	  "Workloads that finished.", "name", "namespace", "priority_class")                       \
	X(LOCAL_EVICTED, "kueue_local_queue_evicted_workloads_total", COUNTER, "Evictions.",       \
	  "name", "namespace", "reason", "underlying_cause", "priority_class")                     \
	X(LOCAL_RESERVED_WAIT, "kueue_local_queue_quota_reserved_wait_time_seconds", HISTOGRAM,    \
	  "From creation to the reservation of quota.", "name", "namespace", "priority_class")     \
	X(LOCAL_ADMISSION_WAIT, "kueue_local_queue_admission_wait_time_seconds", HISTOGRAM,        \
	  "From creation to admission.", "name", "namespace", "priority_class")                    \
	X(LOCAL_CHECKS_WAIT, "kueue_local_queue_admission_checks_wait_time_seconds", HISTOGRAM,    \
	  "From the reservation of quota to admission.", "name", "namespace", "priority_class")    \
	X(LOCAL_READY_WAIT, "kueue_local_queue_ready_wait_time_seconds", HISTOGRAM,                \
	  "From creation until all pods were ready.", "name", "namespace", "priority_class")       \
	X(LOCAL_ADMITTED_UNTIL_READY, "kueue_local_queue_admitted_until_ready_wait_time_seconds",  \
	  HISTOGRAM, "From admission until all pods were ready.", "name", "namespace",             \
	  "priority_class")                                                                        \
	X(LOCAL_FAIR_USAGE, "kueue_local_queue_admission_fair_sharing_usage", GAUGE,               \
	  "What counts when LocalQueues take turns: used lately, by weight.", "name", "namespace") \
	X(LOCAL_EXECUTION, "kueue_local_queue_execution_time_seconds", HISTOGRAM,                  \
	  "From admission to the end.", "name", "namespace", "priority_class")                     \
	X(LOCAL_STATUS, "kueue_local_queue_status", GAUGE,                                         \
	  "1 for the value of the Active condition.", "name", "namespace", "active")               \
	X(LOCAL_UNADMITTED, "kueue_local_queue_unadmitted_workloads", GAUGE,                       \
	  "Workloads without admission, by why.", "name", "namespace", "cluster_queue", "reason",  \
	  "underlying_cause")                                                                      \
	X(LOCAL_RESERVATION, "kueue_local_queue_resource_reservation", GAUGE,                      \
	  "Quota that is reserved.", "name", "namespace", "flavor", "resource")                    \
	X(LOCAL_USAGE, "kueue_local_queue_resource_usage", GAUGE, "Quota of admitted workloads.",  \
	  "name", "namespace", "flavor", "resource")                                               \
	X(DIALECT_USED, "kueue_clusterqueue_resources_used", GAUGE,                                \
	  "What the workloads of a ClusterQueue hold.", "cluster_queue", "resource")               \
	X(DIALECT_PENDING, "kueue_workqueue_jobs_pending", GAUGE,                                  \
	  "Jobs that wait in a WorkQueue.", "workqueue")                                           \
	X(DIALECT_SCHEDULED, "kueue_podset_scheduled_duration_seconds", HISTOGRAM,                 \
	  "From a PodSet's creation to the node of its last pod.", "namespace")

#define PLM_METRICS(X) PLM_QUEUE_METRICS(X) PLM_NODE_METRICS(X)

enum plm_metric_id {
#define PLM_METRIC_ENUM(id, ...) PLM_METRIC_##id,
	PLM_METRICS(PLM_METRIC_ENUM)
#undef PLM_METRIC_ENUM
	PLM_METRIC_COUNT
};

struct plm_metric_family {
	const char *name, *help;
	enum plm_metric_type type;
	const char *labels[PLM_METRIC_LABELS_MAX + 1]; /* ends with NULL */
};

/* One value: of a gauge, what is added to a counter, or what a histogram observes. */
struct plm_metric {
	enum plm_metric_id id;
	struct plm_slice labels[PLM_METRIC_LABELS_MAX]; /* in the family's order */
	int64_t value;
	uint32_t decimals; /* 0, 3 or 6: 'value' is thousandths, millionths */
	/* Further labels as the page has them: a="b",c="d". Lives as long as what the sink adds up. */
	struct plm_slice more;
};

typedef void plm_metric_sink(void *self, const struct plm_metric *metric);

const struct plm_metric_family *plm_metric_family(enum plm_metric_id id);
/* Upper bounds of the buckets of a type in ms, and how many they are; none for what is no histogram. */
#define PLM_METRIC_BUCKETS_MAX 48
const int64_t *plm_metric_bounds(enum plm_metric_type type, uint32_t *count);

/* Every gauge of 'st', family by family and within one by name. */
void plm_metric_gauges(const struct plm_state *st, struct plm_arena *arena, plm_metric_sink *sink,
		       void *self);

/* The same for nodes, pods, pools and the catalogue: metric_nodes.h. 'now_ms' is what ages count from. */
void plm_metric_node_gauges(const struct plm_state *st, int64_t now_ms, struct plm_arena *arena,
			    plm_metric_sink *sink, void *self);

/* Intents whose time is remembered until their answer; those after so many more are not timed. */
#define PLM_METRIC_SENT 1024U

/* A claim that the last event was about: it may be over with it. */
struct plm_metric_claim {
	plm_id id; /* 0 = none */
	plm_sym name, pool, capacity_type, zone;
	int64_t ended_ms, terminating_ms, at_ms;
};

/* What must be remembered from one event to the next; begin with zeros. */
struct plm_metric_run {
	bool in_cycle, admitted;
	plm_id watched; /* workload whose pods the last event was about; 0 = none */
	bool was_ready;
	int64_t watched_ms; /* of that event */
	struct plm_metric_claim claim;
	int64_t first_fact_ms; /* since the last cycle; 0 = none */
	struct {
		uint64_t seq;
		int64_t ms;
	} sent[PLM_METRIC_SENT]; /* by seq */
};
/* What 'ev' adds. 'st' is the state before it is applied; texts are borrowed for the call. */
void plm_metric_event(const struct plm_state *st, const struct plm_event *ev,
		      struct plm_metric_run *run, plm_metric_sink *sink, void *self);
/* The same for what metric_nodes.h lists. */
void plm_metric_node_event(const struct plm_state *st, const struct plm_event *ev,
			   enum plm_source source, struct plm_metric_run *run,
			   plm_metric_sink *sink, void *self);
void plm_metric_node_end(const struct plm_state *st, struct plm_metric_run *run,
			 plm_metric_sink *sink, void *self);
/* After the last event: what only the state after it can tell. */
void plm_metric_end(const struct plm_state *st, struct plm_metric_run *run, plm_metric_sink *sink,
		    void *self);

#endif
