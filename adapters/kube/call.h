/*
 * call.h - every call that is ever made to the Kubernetes API, in one table
 *
 * Owns: which verb on which resource, in which mode and when, with which timeout, and which status fields
 * may be taken over from another field manager. The client (client.h) makes no call that is not here, and
 * RBAC (rbac.h) is generated from it, so neither can drift from the other. Source: ux.md 4.4, exact.md 9.
 */
#ifndef PLM_ADAPTERS_KUBE_CALL_H
#define PLM_ADAPTERS_KUBE_CALL_H

#include "core/event.h"

/* The Lease of whoever may act, in our own namespace, and those of Kueue and Karpenter in theirs. */
#define PLM_KUBE_LEASE "plimsoll"
#define PLM_KUBE_PEER_LEASES "c1f6bfd2.kueue.x-k8s.io,karpenter-leader-election"

/* Modes in which a call may be made. */
enum plm_kube_mode {
	PLM_KUBE_OBSERVE = 1 << 0, /* also while nothing is enforced: reads only */
	PLM_KUBE_QUEUES = 1 << 1,  /* while area queues is enforced */
	PLM_KUBE_NODES = 1 << 2,   /* while area nodes is enforced */
	PLM_KUBE_SERVE = 1 << 3,   /* while it listens beyond the loopback */
	PLM_KUBE_DOCTOR = 1 << 4,  /* by the verbs doctor and migrate only */
};

/* A resource of the API: its name in a path, its kind, the versions that are read, best first. */
struct plm_kube_resource {
	const char *group;	 /* "" = core */
	const char *versions[4]; /* ends with NULL */
	const char *name;	 /* "workloads" */
	const char *kind;
	enum plm_kind projected; /* PLM_KIND_NONE: nothing decides on it */
	bool namespaced;
	bool optional; /* an API server may lack it: then nothing is watched */
};

/* clang-format off */
/*
 * The resources, in the order in which they are listed at a start: what others refer to first. Those from
 * EVENTS on are not watched.
 */
#define PLM_KUBE_RESOURCES(X) \
	X(NAMESPACES)                                                                             \
	X(PRIORITY_CLASSES)                                                                       \
	X(WORKLOAD_PRIORITY_CLASSES)                                                              \
	X(RUNTIME_CLASSES)                                                                        \
	X(LIMIT_RANGES)                                                                           \
	X(STORAGE_CLASSES)                                                                        \
	X(VOLUMES)                                                                                \
	X(VOLUME_CLAIMS)                                                                          \
	X(CSI_NODES)                                                                              \
	X(VOLUME_ATTACHMENTS)                                                                     \
	X(NODE_CLASSES)                                                                           \
	X(NODE_TEMPLATES)                                                                         \
	X(NODE_POOLS)                                                                             \
	X(NODE_CLAIMS)                                                                            \
	X(NODES)                                                                                  \
	X(TOPOLOGIES)                                                                             \
	X(FLAVORS)                                                                                \
	X(ADMISSION_CHECKS)                                                                       \
	X(COHORTS)                                                                                \
	X(CLUSTER_QUEUES)                                                                         \
	X(LOCAL_QUEUES)                                                                           \
	X(WORK_QUEUES)                                                                            \
	X(TRAINING_RUNTIMES)                                                                      \
	X(CLUSTER_TRAINING_RUNTIMES)                                                              \
	X(WORKLOADS)                                                                              \
	X(JOBS)                                                                                   \
	X(POD_SETS)                                                                               \
	X(JOB_SETS)                                                                               \
	X(MPI_JOBS)                                                                               \
	X(PYTORCH_JOBS)                                                                           \
	X(TF_JOBS)                                                                                \
	X(PADDLE_JOBS)                                                                            \
	X(XGBOOST_JOBS)                                                                           \
	X(JAX_JOBS)                                                                               \
	X(TRAIN_JOBS)                                                                             \
	X(RAY_JOBS)                                                                               \
	X(RAY_CLUSTERS)                                                                           \
	X(RAY_SERVICES)                                                                           \
	X(SPARK_APPLICATIONS)                                                                     \
	X(APP_WRAPPERS)                                                                           \
	X(LEADER_WORKER_SETS)                                                                     \
	X(DEPLOYMENTS)                                                                            \
	X(REPLICA_SETS)                                                                           \
	X(STATEFUL_SETS)                                                                          \
	X(DAEMON_SETS)                                                                            \
	X(POD_DISRUPTION_BUDGETS)                                                                 \
	X(PODS)                                                                                   \
	X(EVENTS)                                                                                 \
	X(LEASES)                                                                                 \
	X(CONFIG_MAPS)                                                                            \
	X(TOKEN_REVIEWS)                                                                          \
	X(SUBJECT_ACCESS_REVIEWS)                                                                 \
	X(CRDS)                                                                                   \
	X(MUTATING_WEBHOOKS)                                                                      \
	X(VALIDATING_WEBHOOKS)                                                                    \
	X(MUTATING_POLICIES)                                                                      \
	X(VALIDATING_POLICIES)                                                                    \
	X(SELF_SUBJECT_ACCESS_REVIEWS)
/* clang-format on */

enum plm_kube_resource_id {
	PLM_KUBE_RES_NONE,
#define PLM_KUBE_RESOURCE_ENUM(id) PLM_KUBE_RES_##id,
	PLM_KUBE_RESOURCES(PLM_KUBE_RESOURCE_ENUM)
#undef PLM_KUBE_RESOURCE_ENUM
	PLM_KUBE_RES_COUNT
};

enum plm_kube_verb {
	PLM_KUBE_GET,
	PLM_KUBE_LIST,
	PLM_KUBE_WATCH,
	PLM_KUBE_CREATE,
	PLM_KUBE_PATCH_JSON,  /* RFC 6902, with tests */
	PLM_KUBE_PATCH_MERGE, /* RFC 7386 */
	PLM_KUBE_APPLY,	      /* server-side, of objects that we create */
	PLM_KUBE_UPDATE,
	PLM_KUBE_DELETE,
};

struct plm_kube_call_row {
	enum plm_kube_resource_id resource;
	const char *subresource; /* "" = none; "status", "eviction" */
	enum plm_kube_verb verb;
	unsigned modes;		/* enum plm_kube_mode, or'ed */
	int64_t total_ms;	/* 0 = unbounded (watch, list) */
	const char *name_only;	/* RBAC resourceNames, separated by commas; NULL = all */
	const char *when;	/* one line for people */
	const char *takes_over; /* fields that may be taken from another manager; "" = none */
};

const struct plm_kube_resource *plm_kube_resource(enum plm_kube_resource_id id);
/* PLM_KUBE_RES_NONE: that kind has no resource. */
enum plm_kube_resource_id plm_kube_resource_of(enum plm_kind kind);
/* The rows; 'count' is set. */
const struct plm_kube_call_row *plm_kube_calls(size_t *count);
/* NULL: there is no such call, and it cannot be made. */
const struct plm_kube_call_row *plm_kube_call_find(enum plm_kube_resource_id resource,
						   const char *subresource,
						   enum plm_kube_verb verb);
/* May the call be about an object of this name? (name_only) */
bool plm_kube_call_names(const struct plm_kube_call_row *row, struct plm_slice name);

#endif
