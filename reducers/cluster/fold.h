/*
 * fold.h - facts into tables
 *
 * Owns: the object head of every slot, the members that only facts write, workload slots made for Jobs
 * and PodSets, priorities, counts of pods per node and PodSet, open intents, configuration. Does not:
 * queue places, quota, claims' lifecycle: the areas fold the same events into those after this.
 *
 * An object is known by (kind, namespace, name); another UID under the same name is another object, and
 * the old one is folded away first. A fact about a Workload sets its stage only when it is new here:
 * from then on our own decisions do, and what comes back is their echo.
 */
#ifndef PLM_REDUCERS_CLUSTER_FOLD_H
#define PLM_REDUCERS_CLUSTER_FOLD_H

#include "core/integration.h"
#include "reducers/cluster/parts.h"

/* An event being folded. */
struct plm_folding {
	struct plm_fold f;
	const struct plm_event *ev;
};

/*
 * The slot of an object fact, with its head written; '*out_new' (may be NULL) tells a slot that was not
 * there before.
 */
plm_id plm_fold_object(const struct plm_folding *in, enum plm_kind kind,
		       const struct plm_w_meta *meta, bool *out_new);
/* Fold an object away with all that hangs on it. */
void plm_fold_gone(struct plm_state *st, enum plm_kind kind, plm_id id);

/* fold_queue.c */
void plm_fold_namespace(const struct plm_folding *in, const struct plm_w_namespace *w);
void plm_fold_flavor(const struct plm_folding *in, const struct plm_w_flavor *w);
void plm_fold_cohort(const struct plm_folding *in, const struct plm_w_cohort *w);
void plm_fold_cluster_queue(const struct plm_folding *in, const struct plm_w_cluster_queue *w);
void plm_fold_local_queue(const struct plm_folding *in, const struct plm_w_local_queue *w);
void plm_fold_work_queue(const struct plm_folding *in, const struct plm_w_work_queue *w);
void plm_fold_priority_class(const struct plm_folding *in, const struct plm_w_priority_class *w);
void plm_fold_admission_check(const struct plm_folding *in, const struct plm_w_admission_check *w);
void plm_fold_topology(const struct plm_folding *in, const struct plm_w_topology *w);

/* fold_work.c */
void plm_fold_workload(const struct plm_folding *in, const struct plm_w_workload *w);
void plm_fold_job(const struct plm_folding *in, const struct plm_w_job *w);
/* The workload of job 'id': found, made, or given up, as 'managed' says; it mirrors the job. */
void plm_fold_job_link(const struct plm_fold *f, plm_id id);
/* Job 'id' has ended, and so has its workload; nothing when it is OPEN or had ended already. */
void plm_fold_job_end(struct plm_state *st, plm_id id, enum plm_job_end end, int64_t at_ms);
/* The job or PodSet slot that 'uid' controls, 0 when there is none. */
plm_id plm_fold_job_of(const struct plm_state *st, plm_sym owner_uid);
/* A job or its workload ended: its stage becomes FINISHED. */
void plm_fold_finish(struct plm_state *st, plm_id workload, int64_t at_ms, plm_sym reason);
/* Effective priority: as given, else by class, else the global default, else 0. */
int64_t plm_fold_priority(const struct plm_state *st, int64_t given, plm_sym workload_class,
			  plm_sym pod_class);
/* Priorities anew, after a class has changed. */
void plm_fold_priorities(struct plm_state *st);

/* manage.c: which jobs are queued: kueue.md 1.7-1.9 */

/* Sets 'managed' of job 'id', and its queue where the namespace has one for all; 'made' = just seen. */
void plm_fold_manage(struct plm_state *st, plm_id id, bool made);
/* Jobs that 'id' owns anew: it was not there when they came. */
void plm_fold_children(const struct plm_fold *f, plm_id id);
/* Jobs without a queue in the namespace of a LocalQueue that is there now. */
void plm_fold_default_queue(const struct plm_fold *f, plm_id local_queue);
/* A managed job stands above an object with controller 'owner_uid'. */
bool plm_fold_managed_above(const struct plm_state *st, plm_sym owner_uid);
/* Is the integration of 'kind' on, and does it reach 'ns'? */
bool plm_fold_integrates(const struct plm_state *st, enum plm_kind kind, plm_sym ns);

/* fold_train.c: pod sets that stand in another object */

/* The pod sets of TrainJob 'id': those of its runtime with what it says itself; none without a runtime. */
void plm_fold_train_sets(const struct plm_fold *f, plm_id id);
/* TrainJobs of runtime 'id' anew. */
void plm_fold_runtime(const struct plm_fold *f, plm_id id);

/* fold_group.c: pods that are queued by themselves */

void plm_fold_group_pod(const struct plm_folding *in, plm_id pod, const struct plm_w_pod *w);
/* Pod 'pod' leaves its group, before its slot changes or is freed. */
void plm_fold_group_leave(struct plm_state *st, plm_id pod);
/* What the pods of a group say of it, after one of them has left. */
void plm_fold_group_look(const struct plm_fold *f, plm_id group, int64_t now_ms);

/* fold_pod.c */
void plm_fold_pod(const struct plm_folding *in, const struct plm_w_pod *w);
void plm_fold_pod_gone(struct plm_state *st, plm_id id);
/* Pods of the PodSet 'id' have changed: are they ready? */
void plm_fold_set_pods(struct plm_state *st, plm_id id, int64_t at_ms);
/* Index 'index' of the PodSet 'id' is to be made again. */
void plm_fold_remake(struct plm_state *st, plm_id id, uint32_t index);
/* Counts of pods on 'node' anew: a node that comes after its pods. */
void plm_fold_node_pods(struct plm_state *st, plm_id node);

/* fold_node.c */
void plm_fold_node(const struct plm_folding *in, const struct plm_w_node *w);
void plm_fold_node_pool(const struct plm_folding *in, const struct plm_w_node_pool *w);
void plm_fold_node_class(const struct plm_folding *in, const struct plm_w_node_class *w);
void plm_fold_node_claim(const struct plm_folding *in, const struct plm_w_node_claim *w);
/* What a class came to in the cloud; nothing where there is no such class. */
void plm_fold_class_status(const struct plm_folding *in, const struct plm_w_class_status *w);
void plm_fold_daemon_set(const struct plm_folding *in, const struct plm_w_daemon_set *w);
void plm_fold_replicator(const struct plm_folding *in, const struct plm_w_replicator *w);

/* fold_pdb.c */
void plm_fold_pdb(const struct plm_folding *in, const struct plm_w_pdb *w);
/* fold_volume.c */
void plm_fold_volume_claim(const struct plm_folding *in, const struct plm_w_volume_claim *w);
void plm_fold_volume(const struct plm_folding *in, const struct plm_w_volume *w);
void plm_fold_storage_class(const struct plm_folding *in, const struct plm_w_storage_class *w);
void plm_fold_csi_node(const struct plm_folding *in, const struct plm_w_csi_node *w);
void plm_fold_volume_attachment(const struct plm_folding *in,
				const struct plm_w_volume_attachment *w);

/* fold_limits.c */
void plm_fold_limit_range(const struct plm_folding *in, const struct plm_w_limit_range *w);
void plm_fold_runtime_class(const struct plm_folding *in, const struct plm_w_runtime_class *w);
/* A namespace is new: LimitRanges that were there before it count now. */
void plm_fold_namespace_limits(const struct plm_fold *f, plm_id ns);
/* A LimitRange or RuntimeClass goes; called before its slot is freed. */
void plm_fold_limits_gone(const struct plm_fold *f, enum plm_kind kind, plm_id id);
/* The pod sets of 'workload' with what its namespace and runtime classes add, whatever they had. */
void plm_fold_pod_limits(const struct plm_fold *f, plm_id workload);
/* The same for one that gave its quota back: it may bear the marks of limits that are gone. */
void plm_fold_pod_limits_anew(const struct plm_fold *f, plm_id workload);

/* fold_intent.c */
void plm_fold_intent(const struct plm_folding *in, const struct plm_w_intent *w);
void plm_fold_result(const struct plm_folding *in, const struct plm_w_result *w);
void plm_fold_evicted(const struct plm_folding *in, const struct plm_w_evict *w);
void plm_fold_released(const struct plm_folding *in, const struct plm_w_release *w);

#endif
