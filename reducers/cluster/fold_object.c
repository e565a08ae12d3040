/* The head of every object, and its end. */
#include "reducers/cluster/fold.h"

static void fill_head(const struct plm_folding *in, struct plm_object *object,
		      const struct plm_w_meta *meta)
{
	object->uid = plm_fold_text(&in->f, meta->uid);
	object->labels = plm_fold_kvs(&in->f, meta->labels);
	object->owner_kind = plm_fold_text(&in->f, meta->owner_kind);
	object->owner_name = plm_fold_text(&in->f, meta->owner_name);
	object->owner_uid = plm_fold_text(&in->f, meta->owner_uid);
	object->generation = (uint32_t)plm_max(0, plm_min(meta->generation, UINT32_MAX));
	object->created_ms = meta->created_ms;
	object->deleting_ms = meta->deleting_ms;
	object->seq = in->ev->seq;
	object->print_low = in->ev->print_low;
	object->print_high = in->ev->print_high;
}

plm_id plm_fold_object(const struct plm_folding *in, enum plm_kind kind,
		       const struct plm_w_meta *meta, bool *out_new)
{
	struct plm_state *st = in->f.st;
	enum plm_table table = plm_kind_table(kind);
	plm_sym ns = plm_fold_text(&in->f, meta->ns);
	plm_sym name = plm_fold_text(&in->f, meta->name);
	plm_id id = plm_find(st, kind, ns, name);
	bool made = false;

	if (id.n != 0) {
		const struct plm_object *old = plm_slot(st, table, id);

		/* Slots known from decisions only (seq 0) take the UID of the object that realises them. */
		if (old->seq != 0 && !plm_slice_equal(plm_str(st, old->uid), meta->uid)) {
			plm_fold_gone(st, kind, id);
			id = (plm_id){0};
		}
	}
	if (id.n == 0) {
		id = plm_slot_new_object(st, kind, ns, name);
		made = true;
	}
	fill_head(in, plm_slot_edit(st, table, id), meta);
	if (out_new != NULL) {
		*out_new = made;
	}
	return id;
}

static void cluster_queue_gone(struct plm_state *st, plm_id id)
{
	PLM_EACH(st, workload, w)
	{
		if (plm_workload_at(st, w)->cluster_queue.n == id.n) {
			plm_workload_edit(st, w)->cluster_queue = (plm_id){0};
		}
	}
}

static void local_queue_gone(struct plm_state *st, plm_id id)
{
	plm_id row = plm_local_queue_at(st, id)->consumed;

	while (row.n != 0) {
		plm_id next = plm_consumed_at(st, row)->next;

		plm_slot_free(st, PLM_TABLE_CONSUMED, row);
		row = next;
	}
}

static void disown(struct plm_state *st, plm_id workload, plm_sym owner_uid)
{
	if (plm_index_find(st, PLM_KEY_WORKLOAD_OWNER, owner_uid.n, 0).n == workload.n) {
		plm_index_drop(st, PLM_KEY_WORKLOAD_OWNER, owner_uid.n, 0);
	}
}

/* The object of a group of pods names no controller, so its job is asked as well. */
static void workload_gone(struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);

	disown(st, id, workload->object.owner_uid);
	if (workload->job.n != 0) {
		disown(st, id, plm_job_at(st, workload->job)->object.uid);
		plm_job_edit(st, workload->job)->workload_id = (plm_id){0};
	}
	plm_marks_settle(st);
	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_PREEMPTED), w)
	{
		if (plm_workload_at(st, w)->by.n == id.n) {
			plm_workload_edit(st, w)->by = (plm_id){0};
		}
	}
	if (!plm_marks_has(st, id, PLM_MARK_STICKY)) {
		return;
	}
	plm_marks_put(st, id, PLM_MARK_STICKY, false);
	PLM_EACH(st, cluster_queue, q)
	{
		if (plm_cluster_queue_at(st, q)->sticky.n == id.n) {
			plm_cluster_queue_edit(st, q)->sticky = (plm_id){0};
		}
	}
}

/* A workload that was made for a job goes with it; a Workload object waits for its own end. */
static void job_gone(struct plm_state *st, plm_id id)
{
	const struct plm_job *job = plm_job_at(st, id);
	plm_id workload = job->workload_id;

	plm_index_drop(st, PLM_KEY_JOB_UID, job->object.uid.n, 0);
	if (job->prebuilt == 1) {
		plm_index_drop(st, PLM_KEY_PREBUILT, job->object.ns.n, job->workload.n);
	}
	if (workload.n == 0) {
		return;
	}
	plm_workload_edit(st, workload)->job = (plm_id){0};
	if (!plm_sym_equal(plm_workload_at(st, workload)->object.owner_uid, job->object.uid)) {
		disown(st, workload, job->object.uid);
	}
	if (plm_workload_at(st, workload)->object.seq == 0) {
		workload_gone(st, workload);
		plm_slot_free(st, PLM_TABLE_WORKLOAD, workload);
	}
}

static void node_gone(struct plm_state *st, plm_id id)
{
	const struct plm_node *node = plm_node_at(st, id);

	plm_root_change(st)->domains_freed = 1;
	plm_root_change(st)->node_gone = 1;
	if (node->provider_id.n != 0) {
		plm_index_drop(st, PLM_KEY_NODE_PROVIDER, node->provider_id.n, 0);
	}
}

static void claim_gone(struct plm_state *st, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(st, id);

	if (claim->provider_id.n != 0) {
		plm_index_drop(st, PLM_KEY_CLAIM_PROVIDER, claim->provider_id.n, 0);
	}
	PLM_EACH(st, node, n)
	{
		if (plm_node_at(st, n)->claim.n == id.n) {
			plm_node_edit(st, n)->claim = (plm_id){0};
		}
	}
}

void plm_fold_gone(struct plm_state *st, enum plm_kind kind, plm_id id)
{
	enum plm_table table = plm_kind_table(kind);

	switch ((int)table) {
	case PLM_TABLE_CLUSTER_QUEUE:
		cluster_queue_gone(st, id);
		break;
	case PLM_TABLE_LOCAL_QUEUE:
		local_queue_gone(st, id);
		break;
	case PLM_TABLE_WORKLOAD:
		workload_gone(st, id);
		break;
	case PLM_TABLE_JOB:
		job_gone(st, id);
		break;
	case PLM_TABLE_POD:
		plm_fold_pod_gone(st, id);
		break;
	case PLM_TABLE_NODE:
		node_gone(st, id);
		break;
	case PLM_TABLE_NODE_CLAIM:
		claim_gone(st, id);
		break;
	default:
		break;
	}
	plm_slot_free(st, table, id);
	if (table == PLM_TABLE_PRIORITY_CLASS) {
		plm_fold_priorities(st);
	}
}
