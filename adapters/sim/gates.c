/*
 * gates.c - the admission policy for pods of queues: what it adds to them
 *
 * Pods of a ReplicaSet with a queue are queued one by one; those of a StatefulSet are one group that is let
 * in with its first pod; those of a LeaderWorkerSet a group for each of its replicas (kueue.md 1.8, 1.9).
 * A Job's pods are not looked at: the Job is queued. Real clusters have a policy or webhook here.
 */
#include "adapters/sim/world.h"
#include "hash/workload_name.h"

#define QUEUE_LABEL "kueue.x-k8s.io/queue-name"
#define CLASS_LABEL "kueue.x-k8s.io/priority-class"
#define GROUP_LABEL "kueue.x-k8s.io/pod-group-name"

static void add_label(struct plm_world *w, struct plm_w_pod *pod, const char *key,
		      struct plm_slice value)
{
	struct plm_w_kv *label = PLM_NEW(&w->arena, struct plm_w_kv);

	*label = (struct plm_w_kv){plm_slice_str(key), value};
	pod->meta.labels =
		plm_sim_merge(w, pod->meta.labels, (struct plm_vec){.ptr = label, .count = 1});
}

static void single(struct plm_world *w, struct plm_w_pod *pod)
{
	pod->group = plm_workload_name(&w->arena, "Pod", "", pod->meta.name, pod->meta.uid);
	pod->role = plm_slice_str("main");
	pod->group_total = 1;
	pod->group_flags = PLM_GROUP_SINGLE | PLM_GROUP_SERVING;
}

static void of_stateful_set(struct plm_world *w, const struct plm_sim_object *set,
			    struct plm_w_pod *pod)
{
	pod->group = plm_workload_name(&w->arena, "StatefulSet", "apps", set->of.meta->name,
				       set->of.meta->uid);
	pod->role = plm_slice_str("main");
	pod->group_total = set->of.replicator->replicas;
	pod->group_flags = PLM_GROUP_FAST | PLM_GROUP_SERVING;
	add_label(w, pod, GROUP_LABEL, pod->group);
}

static void of_leader_worker_set(struct plm_world *w, const struct plm_sim_object *set,
				 struct plm_w_pod *pod)
{
	int64_t size = plm_max(1, set->of.job->parallelism);
	struct plm_slice name = plm_arena_format(
		&w->arena, "%.*s-%lld", (int)set->of.meta->name.size,
		(const char *)set->of.meta->name.ptr, (long long)(pod->index / size));

	pod->group = plm_workload_name(&w->arena, "LeaderWorkerSet", "leaderworkerset.x-k8s.io",
				       name, set->of.meta->uid);
	pod->role = pod->pod_set;
	pod->group_total = size;
	pod->group_flags = PLM_GROUP_SERVING;
	add_label(w, pod, GROUP_LABEL, pod->group);
}

void plm_sim_gate(struct plm_world *w, struct plm_sim_object *owner, struct plm_w_pod *pod)
{
	struct plm_slice queue = plm_sim_label(owner->of.meta->labels, QUEUE_LABEL);
	struct plm_slice *gate = PLM_NEW(&w->arena, struct plm_slice);

	if (queue.size == 0 || w->options.plain) {
		return;
	}
	switch ((int)owner->kind) {
	case PLM_KIND_REPLICA_SET:
		single(w, pod);
		break;
	case PLM_KIND_STATEFUL_SET:
		of_stateful_set(w, owner, pod);
		break;
	case PLM_KIND_LEADER_WORKER_SET:
		of_leader_worker_set(w, owner, pod);
		break;
	default:
		return;
	}
	pod->queue = queue;
	pod->queue_class = plm_sim_label(owner->of.meta->labels, CLASS_LABEL);
	pod->pod_set = pod->role;
	pod->gated = 1;
	*gate = plm_slice_str(PLM_GATE_ADMISSION);
	pod->gates = plm_sim_concat(w, sizeof(*gate), pod->gates,
				    (struct plm_vec){.ptr = gate, .count = 1});
	add_label(w, pod, QUEUE_LABEL, queue);
}
