/*
 * project.h - from a tree to a projection: one table of kinds, one function per kind
 *
 * Each function fills a zeroed wire struct whose 'meta' is set already. Failures stay in the tree;
 * fields that were not read are named in a warning afterwards, unless the function ignored them because
 * nothing may ever decide on them.
 */
#ifndef PLM_ADAPTERS_MANIFEST_PROJECT_H
#define PLM_ADAPTERS_MANIFEST_PROJECT_H

#include "adapters/manifest/manifest.h"
#include "ec2/family.h"

#define PLM_LABEL_NODE_POOL "karpenter.sh/nodepool"
#define PLM_LABEL_CAPACITY_TYPE "karpenter.sh/capacity-type"
#define PLM_LABEL_QUEUE "kueue.x-k8s.io/queue-name"
#define PLM_LABEL_PRIORITY "kueue.x-k8s.io/priority-class"
#define PLM_LABEL_MAX_EXEC "kueue.x-k8s.io/max-exec-time-seconds"
#define PLM_LABEL_PREBUILT "kueue.x-k8s.io/prebuilt-workload-name"
#define PLM_LABEL_POD_SET "kueue.x-k8s.io/podset"
#define PLM_LABEL_COMPLETION_INDEX "batch.kubernetes.io/job-completion-index"
#define PLM_ANNOTATION_DO_NOT_DISRUPT "karpenter.sh/do-not-disrupt"
#define PLM_ANNOTATION_POOL_HASH "karpenter.sh/nodepool-hash"
#define PLM_ANNOTATION_CLASS_HASH "karpenter.k8s.aws/ec2nodeclass-hash"
#define PLM_ANNOTATION_CAPACITY_CHECK "plimsoll.dev/capacity-check"

struct plm_project {
	struct plm_doc_tree *tree;
	struct plm_arena *arena; /* that of 'tree' */
	struct plm_w_meta meta;	 /* as filled in */
	bool had_uid;		 /* the manifest names one */
	const struct plm_kind_row *row;
};

struct plm_kind_row {
	const char *group;
	const char *versions[5]; /* ends with NULL */
	enum plm_kind kind;
	enum plm_event_type type;
	bool namespaced;
	void (*fill)(struct plm_project *p, struct plm_doc *root, void *payload);
};

/* NULL: nothing decides on this kind. 'version' is an apiVersion ("group/version" or "v1"). */
const struct plm_kind_row *plm_kind_find(struct plm_slice version, struct plm_slice kind);
/* Is it such a kind in some version? */
bool plm_kind_known(struct plm_slice kind);

/* A DNS subdomain, as the API server asks for names of most kinds. */
bool plm_project_is_name(struct plm_slice text);
/* metadata into p->meta. 'naming' may be NULL. 'now_ms' stands for an absent creationTimestamp. */
void plm_project_meta(struct plm_project *p, struct plm_doc *root,
		      const struct plm_manifest_naming *naming, int64_t now_ms);

/* ---- kinds ------------------------------------------------------------------------------------- */

void plm_project_namespace(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_flavor(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_cohort(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_cluster_queue(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_local_queue(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_work_queue(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_priority_class(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_admission_check(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_tas_topology(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_workload(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_job(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_pod(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_daemon_set(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_replicator(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_node(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_node_pool(struct plm_project *p, struct plm_doc *root, void *payload);
/* spec.disruption.budgets of a NodePool: struct plm_w_budget (project_budget.c). */
struct plm_vec plm_project_budgets(struct plm_project *p, struct plm_doc *disruption);
void plm_project_node_claim(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_node_class(struct plm_project *p, struct plm_doc *root, void *payload);
/* spec.kubelet of a class; '*not_ready' says why the family cannot do it, else is left. */
void plm_project_kubelet(struct plm_project *p, struct plm_doc *spec, enum plm_ec2_family family,
			 struct plm_w_kubelet *out, struct plm_slice *not_ready);
void plm_project_node_template(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_volume_claim(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_volume(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_storage_class(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_csi_node(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_volume_attachment(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_limit_range(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_runtime_class(struct plm_project *p, struct plm_doc *root, void *payload);
void plm_project_pdb(struct plm_project *p, struct plm_doc *root, void *payload);

/* ---- claims and drift (project_claim.c) -------------------------------------------------------- */

/* Hash of what stands at and below 'node', without members called 'skip' (NULL-terminated, or NULL). */
struct plm_slice plm_project_hash(struct plm_project *p, struct plm_doc *node,
				  const char *const *skip);
#define PLM_FINALIZER_TERMINATION "karpenter.sh/termination"
/* Does the object wait for 'finalizer' to be taken off when it is deleted? */
bool plm_project_finalized(struct plm_project *p, struct plm_doc *root, const char *finalizer);

/* ---- the life of a Workload (project_life.c) --------------------------------------------------- */

/* 'admissionChecks' and 'reclaimablePods' of 'map'. */
struct plm_vec plm_project_checks(struct plm_project *p, struct plm_doc *map);
struct plm_vec plm_project_reclaimable(struct plm_project *p, struct plm_doc *map);
void plm_project_life(struct plm_project *p, struct plm_doc *root, struct plm_w_workload *w);

/* ---- parts ------------------------------------------------------------------------------------- */

/* Room for an array of 'count' elements that is filled one by one; NULL for none. */
void *plm_project_array(struct plm_project *p, size_t count, size_t size);

struct plm_vec plm_project_taints(struct plm_project *p, struct plm_doc *map, const char *key);
struct plm_vec plm_project_tolerations(struct plm_project *p, struct plm_doc *map, const char *key);
/* A list of {key, operator, values, minValues}; 'node' = aliases of well-known labels are replaced. */
struct plm_vec plm_project_exprs(struct plm_project *p, struct plm_doc *map, const char *key,
				 bool node);
/* matchExpressions, matchFields. 'weight' 0 for a required term. */
struct plm_w_term plm_project_term(struct plm_project *p, struct plm_doc *term, int64_t weight);
/* A label selector; 'present' 0 when absent. */
struct plm_w_selector plm_project_selector(struct plm_project *p, struct plm_doc *map,
					   const char *key);
/* The name that a node label has now, of one that may be an alias. */
struct plm_slice plm_project_node_key(struct plm_slice key);
/* A kv map whose keys are node labels: aliases replaced, sorted. */
struct plm_vec plm_project_node_labels(struct plm_project *p, struct plm_doc *map, const char *key);
/* The pod affinity, anti-affinity and topology spread of a pod spec. */
void plm_project_topology(struct plm_project *p, struct plm_doc *spec, struct plm_w_shape *shape);

/* project_volume.c: the volumes of a pod spec that have a claim; volumeClaimTemplates of a StatefulSet. */
struct plm_vec plm_project_volume_uses(struct plm_project *p, struct plm_doc *spec);
struct plm_vec plm_project_claim_templates(struct plm_project *p, struct plm_doc *spec);

/* Kubernetes' pod request rule: 'requests', 'containers' and 'overhead' of 'shape'. */
void plm_project_requests(struct plm_project *p, struct plm_doc *spec, struct plm_w_shape *shape);
/* A map of quantities as struct plm_w_exact, sorted; below 0 only where 'negative'. */
struct plm_vec plm_project_exact(struct plm_project *p, struct plm_doc *map, const char *key,
				 bool negative);
/* A pod spec as the scheduler sees it. */
void plm_project_shape(struct plm_project *p, struct plm_doc *spec, struct plm_w_shape *shape);
/* 'template' {metadata.labels, spec} as pod set 'name' of 'count' pods. */
void plm_project_template(struct plm_project *p, struct plm_doc *template, const char *name,
			  int64_t count, struct plm_w_pod_set_spec *out);

/* project_tas.c: 'topologyRequest' of a Workload's pod set. */
void plm_project_topology_request(struct plm_project *p, struct plm_doc *pod_set,
				  struct plm_w_pod_set_spec *set);
/*
 * The same from the annotations of a job's pod template; 'index_label' is the label that ranks its pods,
 * NULL = they have no rank.
 */
void plm_project_topology_wish(struct plm_project *p, struct plm_doc *template,
			       const char *index_label, struct plm_w_pod_set_spec *set);
/* 1: the annotations of a pod ask for a topology. */
int64_t plm_project_is_tas(struct plm_project *p, struct plm_doc *pod);
/* topologyAssignment of v1beta1 (flat) and v1beta2 (compressed), delayedTopologyRequest. */
void plm_project_topology_assignment(struct plm_project *p, struct plm_doc *assignment,
				     struct plm_w_assignment *out);
/* status.unhealthyNodes: names. */
struct plm_vec plm_project_unhealthy(struct plm_project *p, struct plm_doc *status);

/* The condition 'type' of status.conditions, or NULL. */
struct plm_doc *plm_project_condition(struct plm_project *p, struct plm_doc *root,
				      const char *type);
/* Its time when it is True, else PLM_UNSET; without a time, that of creation. */
int64_t plm_project_condition_ms(struct plm_project *p, struct plm_doc *root, const char *type);
bool plm_project_is_true(struct plm_project *p, struct plm_doc *condition);
/* "" when absent. */
struct plm_slice plm_project_annotation(struct plm_project *p, struct plm_doc *root,
					const char *name);
struct plm_slice plm_project_label(const struct plm_project *p, const char *name);
/* Seconds that label max-exec-time-seconds allows, PLM_UNSET without it. */
int64_t plm_project_max_exec(struct plm_project *p, struct plm_doc *root);
/* It asks for workload slices. */
bool plm_project_is_elastic(struct plm_project *p, struct plm_doc *root);
/* 1: the Ready condition of a pool or class alone says that it is not, and '*not_ready' is set to its words. */
int64_t plm_project_condition_said(struct plm_project *p, struct plm_doc *root,
				   struct plm_slice *not_ready);

/*
 * This field is projected, but no reducer decides on it yet: it is named in a warning. Each call goes
 * when its reducer comes. NULL-safe.
 */
void plm_project_undecided(struct plm_doc *node);

/* A failure when field 'key' of 'spec' asks for more pods at once than are ever made. */
void plm_project_pods_limit(struct plm_project *p, struct plm_doc *spec, const char *key,
			    int64_t pods);

/*
 * A failure naming both when 'map' has a member of each list of paths (end NULL). True when it has one
 * of 'first' only.
 */
bool plm_project_dialect(struct plm_project *p, struct plm_doc *map, const char *const *first,
			 const char *const *second);

#endif
