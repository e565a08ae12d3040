/*
 * visibility: the line of a queue, as the body of Kueue's visibility API.
 *
 * Positions count from 0. Of a LocalQueue only its own namespace's workloads are listed (upstream goes by
 * the queue's name alone, which shows workloads of other namespaces).
 */
#include "core/limits.h"
#include "tools/print.h"
#include "tools/queue_order.h"
#include "tools/spell.h"
#include "tools/subject.h"
#include "tools/verbs.h"
#include "tools/view.h"

struct visibility {
	struct plm_cli *call;
	struct plm_view view;
	struct plm_subject queue; /* a ClusterQueue or a LocalQueue */
	uint64_t offset, limit;
	uint32_t *in_local; /* arena: by LocalQueue slot, workloads of the line so far */
	uint64_t rows;	    /* that belong to the queue */
	struct plm_json *items;
};

/* API groups of the kinds that own Workloads. */
static const struct {
	const char *kind, *version;
} versions[] = {
	{"Job", "batch/v1"},
	{"Pod", "v1"},
	{"JobSet", "jobset.x-k8s.io/v1alpha2"},
	{"MPIJob", "kubeflow.org/v2beta1"},
	{"PyTorchJob", "kubeflow.org/v1"},
	{"TFJob", "kubeflow.org/v1"},
	{"XGBoostJob", "kubeflow.org/v1"},
	{"PaddleJob", "kubeflow.org/v1"},
	{"JAXJob", "kubeflow.org/v1"},
	{"TrainJob", "trainer.kubeflow.org/v1alpha1"},
	{"RayJob", "ray.io/v1"},
	{"RayCluster", "ray.io/v1"},
	{"RayService", "ray.io/v1"},
	{"AppWrapper", "workload.codeflare.dev/v1beta2"},
	{"LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1"},
	{"StatefulSet", "apps/v1"},
	{"Deployment", "apps/v1"},
	{"SparkApplication", "sparkoperator.k8s.io/v1beta2"},
};

static const char *version_of(struct plm_slice kind)
{
	for (size_t i = 0; i < PLM_COUNTOF(versions); i++) {
		if (plm_slice_is(kind, versions[i].kind)) {
			return versions[i].version;
		}
	}
	return "plimsoll.dev/v1alpha1";
}

static void put_owner(const struct plm_state *st, const struct plm_object *object,
		      struct plm_json *metadata)
{
	struct plm_json *owners = plm_json_list(metadata->arena);
	struct plm_json *owner = plm_json_object(metadata->arena);
	struct plm_slice kind = plm_str(st, object->owner_kind);

	if (kind.size == 0) {
		return;
	}
	plm_json_put_str(owner, "apiVersion", version_of(kind));
	plm_json_put_text(owner, "kind", kind);
	plm_json_put_text(owner, "name", plm_str(st, object->owner_name));
	plm_json_put_text(owner, "uid", plm_str(st, object->owner_uid));
	plm_json_add(owners, owner);
	plm_json_put(metadata, "ownerReferences", owners);
}

static struct plm_json *item_tree(const struct visibility *v, plm_id id, uint32_t in_cluster,
				  uint32_t in_local)
{
	struct plm_arena *arena = v->call->arena;
	const struct plm_state *st = &v->view.state;
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct plm_json *metadata = plm_json_object(arena);
	struct plm_json *item = plm_json_object(arena);

	plm_json_put_text(metadata, "name", plm_str(st, workload->object.name));
	plm_json_put_text(metadata, "namespace", plm_str(st, workload->object.ns));
	plm_json_put_text(metadata, "creationTimestamp",
			  plm_spell_time(arena, workload->object.created_ms / 1000 * 1000));
	put_owner(st, &workload->object, metadata);
	plm_json_put(item, "metadata", metadata);
	plm_json_put_int(item, "priority", workload->priority);
	plm_json_put_text(item, "localQueueName", plm_str(st, workload->queue));
	plm_json_put_int(item, "positionInClusterQueue", in_cluster);
	plm_json_put_int(item, "positionInLocalQueue", in_local);
	return item;
}

/* The next of the line that leads to the ClusterQueue at hand. */
static void see(struct visibility *v, plm_id id, uint32_t in_cluster)
{
	const struct plm_state *st = &v->view.state;
	const struct plm_object *object = &plm_workload_at(st, id)->object;
	plm_id local =
		plm_find(st, PLM_KIND_LOCAL_QUEUE, object->ns, plm_workload_at(st, id)->queue);
	uint32_t in_local = v->in_local[local.n]++;

	if (v->queue.kind == PLM_KIND_LOCAL_QUEUE &&
	    (local.n == 0 || !plm_slice_equal(plm_str(st, object->ns), v->queue.ns) ||
	     !plm_slice_equal(plm_str(st, plm_workload_at(st, id)->queue), v->queue.name))) {
		return;
	}
	if (v->rows >= v->offset && v->rows - v->offset < v->limit) {
		plm_json_add(v->items, item_tree(v, id, in_cluster, in_local));
	}
	v->rows++;
}

/* The name of the ClusterQueue whose line is asked for. */
static plm_sym line_of(const struct visibility *v, plm_id queue)
{
	const struct plm_state *st = &v->view.state;

	return v->queue.kind == PLM_KIND_CLUSTER_QUEUE
		       ? plm_cluster_queue_at(st, queue)->object.name
		       : plm_local_queue_at(st, queue)->cluster_queue;
}

static void walk(struct visibility *v, plm_sym cluster)
{
	const struct plm_state *st = &v->view.state;
	struct plm_queue_order order = plm_queue_order(st, v->call->arena);
	uint32_t in_cluster = 0;

	v->in_local = PLM_NEW_ARRAY(v->call->arena, plm_local_queue_bound(st), uint32_t);
	for (uint32_t i = 0; i < order.count; i++) {
		plm_id id = {order.ids[i]};

		if (order.positions[id.n] != 0 && plm_sym_equal(order.queues[id.n], cluster)) {
			see(v, id, in_cluster++);
		}
	}
}

static enum plm_code parse(struct visibility *v, struct plm_error *err)
{
	struct plm_cli *call = v->call;
	enum plm_code code = plm_subject_parse(call, 0, &v->queue, err);

	if (code == PLM_OK && v->queue.kind != PLM_KIND_CLUSTER_QUEUE &&
	    v->queue.kind != PLM_KIND_LOCAL_QUEUE) {
		return plm_fail(err, PLM_E_USAGE,
				"only clusterqueue/NAME and localqueue/NS/NAME have a line");
	}
	v->offset = (uint64_t)plm_cli_number(call, PLM_FLAG_OFFSET, 0);
	v->limit = (uint64_t)plm_cli_number(call, PLM_FLAG_LIMIT, PLM_LIMIT_VISIBILITY_DEFAULT);
	v->limit = v->limit < PLM_LIMIT_VISIBILITY_MAX ? v->limit : PLM_LIMIT_VISIBILITY_MAX;
	return code;
}

enum plm_code plm_cmd_visibility(struct plm_cli *call, struct plm_error *err)
{
	struct visibility v = {.call = call, .items = plm_json_list(call->arena)};
	struct plm_json *doc = plm_json_object(call->arena);
	plm_id queue = {0};
	enum plm_code code = parse(&v, err);

	if (code == PLM_OK) {
		code = plm_view_open(call, &v.view, err);
	}
	if (code == PLM_OK) {
		code = plm_subject_find(&v.view.state, &v.queue, &queue, err);
	}
	if (code == PLM_OK) {
		walk(&v, line_of(&v, queue));
		plm_json_put_str(doc, "apiVersion", "visibility.kueue.x-k8s.io/v1beta2");
		plm_json_put_str(doc, "kind", "PendingWorkloadsSummary");
		plm_json_put(doc, "metadata", plm_json_object(call->arena));
		plm_json_put(doc, "items", v.items);
		plm_print_document(call, doc);
	}
	plm_view_close(&v.view);
	return code;
}
