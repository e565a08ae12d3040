/* Which fold sees which event. */
#include "reducers/admission/apply.h"
#include "core/integration.h"
#include "core/limits.h"
#include "reducers/area.h"
#include "reducers/cluster/fold.h"
#include "reducers/cluster/life.h"

static plm_sym fold_transformations(const struct plm_folding *in, struct plm_vec list)
{
	const struct plm_w_transformation *from = list.ptr;
	struct plm_transformation *to =
		PLM_NEW_ARRAY(in->f.scratch, list.count, struct plm_transformation);

	for (size_t i = 0; i < list.count; i++) {
		to[i].input = plm_fold_text(&in->f, from[i].input);
		to[i].multiply_by = plm_fold_text(&in->f, from[i].multiply_by);
		to[i].outputs = plm_fold_exacts(&in->f, from[i].outputs);
		to[i].keep = from[i].keep == 1;
	}
	return plm_intern_span(in->f.st, to, list.count, sizeof(*to));
}

static void fold_config(const struct plm_folding *in, const struct plm_w_config *w)
{
	struct plm_root *root = plm_root_change(in->f.st);

	root->compat = (uint32_t)w->compat;
	root->only = (uint32_t)w->only;
	root->cluster_name = plm_fold_text(&in->f, w->cluster_name);
	root->region = plm_fold_text(&in->f, w->region);
	root->fair_sharing = w->fair_sharing == 1;
	root->pending_by_hand = w->pending_by_hand == 1;
	root->preferences = (uint32_t)w->preferences;
	root->min_values = (uint32_t)w->min_values;
	root->settle = w->settle == 1;
	root->fair_strategies = (uint32_t)w->fair_strategies;
	root->ignore_undeclared = w->ignore_undeclared == 1;
	root->device_classes = w->device_classes == 1;
	root->exclude_prefixes = plm_fold_texts(&in->f, w->exclude_prefixes);
	root->transformations = fold_transformations(in, w->transformations);
	root->afs = w->afs == 1;
	root->afs_weights = plm_fold_amounts(&in->f, w->afs_weights);
	root->afs_half_life_ms = plm_max(0, w->afs_half_life_ms);
	root->afs_interval_ms = plm_max(1, w->afs_interval_ms);
	root->pods_ready = w->pods_ready == 1;
	root->ready_timeout_ms = w->ready_timeout_ms;
	root->recovery_timeout_ms = w->recovery_timeout_ms;
	root->block_admission = w->block_admission == 1;
	root->requeue_timestamp = (uint32_t)w->requeue_timestamp;
	root->deactivate_at = (uint32_t)w->deactivate_at;
	root->requeue_base_s = w->requeue_base_s;
	root->requeue_max_s = w->requeue_max_s;
	root->retain_finished_ms = w->retain_finished_ms;
	root->retain_deactivated_ms = w->retain_deactivated_ms;
	root->frameworks = plm_fold_texts(&in->f, w->frameworks);
	root->manage_unnamed = w->manage_unnamed == 1;
	root->managed_namespaces = plm_fold_selector(&in->f, &w->managed_namespaces);
	root->batch_idle_ms = w->batch_idle_ms;
	root->batch_max_ms = w->batch_max_ms;
	root->gang_timeout_ms = w->gang_timeout_ms;
	root->registration_timeout_ms = w->registration_timeout_ms;
	root->launch_timeout_ms = w->launch_timeout_ms;
	root->stock_out_ms = w->stock_out_ms;
	root->vm_memory_nano = w->vm_memory_nano;
	root->reserved_enis = w->reserved_enis;
	root->disruption_wait_ms = w->disruption_wait_ms;
	root->publish = (uint32_t)w->publish;
	root->class_status = w->class_status == 1;
	root->queues_dirty = 1;
	root->nodes_dirty = 1;
	plm_life_settings(in->f.st);
}

static void fold_genesis(const struct plm_folding *in, const struct plm_w_genesis *w)
{
	struct plm_root *root = plm_root_change(in->f.st);

	root->cluster_uid = plm_fold_text(&in->f, w->cluster_uid);
	root->cluster_name = plm_fold_text(&in->f, w->cluster_name);
}

/* A cycle looks at everything that is dirty; what comes later is for the next one. */
static void fold_cycle(const struct plm_folding *in, const struct plm_w_cycle *w)
{
	struct plm_root *root = plm_root_change(in->f.st);

	root->now_ms = w->now_ms;
	root->queues_dirty = 0;
	root->nodes_dirty = 0;
}

static void fold_control(const struct plm_folding *in)
{
	const void *w = in->ev->payload;
	struct plm_state *st = in->f.st;

	switch (in->ev->type) {
	case PLM_EV_GENESIS:
		fold_genesis(in, w);
		break;
	case PLM_EV_LIMITS:
		plm_state_set_limits(st, w);
		plm_root_change(st)->observe_only = 0;
		break;
	case PLM_EV_CONFIG:
		fold_config(in, w);
		break;
	case PLM_EV_SOFTWARE:
		plm_root_change(st)->bundle = (uint64_t)((const struct plm_w_software *)w)->bundle;
		break;
	case PLM_EV_EPOCH:
		plm_root_change(st)->epoch = (uint64_t)((const struct plm_w_epoch *)w)->epoch;
		break;
	case PLM_EV_CYCLE:
		fold_cycle(in, w);
		break;
	case PLM_EV_REJECTED:
		plm_root_change(st)->observe_only = 1;
		break;
	default:
		break;
	}
}

/*
 * Somebody deleted the Workload of a job that goes on: it gets another one and waits in its queue. If it runs
 * it is stopped first, as in Kueue: what it was started with was that one's.
 */
static void begin_anew(const struct plm_folding *in, plm_id job)
{
	enum plm_kind kind = (enum plm_kind)plm_job_at(in->f.st, job)->object.kind;
	plm_id workload = {0};

	if (plm_integration(kind)->start == PLM_START_BY_FLAG) {
		plm_job_edit(in->f.st, job)->started = PLM_TOLD_NOTHING;
	}
	plm_fold_job_link(&in->f, job);
	workload = plm_job_at(in->f.st, job)->workload_id;
	if (workload.n != 0) {
		plm_admission_changed(in->f.st, workload);
		plm_root_change(in->f.st)->queues_dirty = 1;
	}
}

static void fold_gone_fact(const struct plm_folding *in, const struct plm_w_gone *w)
{
	plm_sym ns = plm_sym_find(in->f.st, w->ns);
	plm_sym name = plm_sym_find(in->f.st, w->name);
	plm_id id = plm_find(in->f.st, (enum plm_kind)w->kind, ns, name);
	plm_sym group = {0};
	plm_id set = {0};
	plm_id job = {0};

	if (id.n == 0) {
		return;
	}
	if (w->kind == PLM_KIND_WORKLOAD) {
		job = plm_workload_at(in->f.st, id)->job;
	}
	if (w->kind == PLM_KIND_POD) {
		group = plm_pod_at(in->f.st, id)->group;
		set = plm_fold_job_of(in->f.st, plm_pod_at(in->f.st, id)->object.owner_uid);
	}
	plm_fold_gone(in->f.st, (enum plm_kind)w->kind, id);
	if (set.n != 0) {
		plm_fold_set_pods(in->f.st, set, (int64_t)in->ev->tick_ms);
	}
	if (job.n != 0) {
		begin_anew(in, job);
	}
	id = group.n == 0 ? (plm_id){0} : plm_find(in->f.st, PLM_KIND_POD_GROUP, ns, group);
	if (id.n != 0) {
		plm_fold_group_look(&in->f, id, (int64_t)in->ev->tick_ms);
	}
}

static void fold_queue_fact(const struct plm_folding *in)
{
	const void *w = in->ev->payload;

	switch (in->ev->type) {
	case PLM_EV_NAMESPACE:
		plm_fold_namespace(in, w);
		break;
	case PLM_EV_FLAVOR:
		plm_fold_flavor(in, w);
		break;
	case PLM_EV_COHORT:
		plm_fold_cohort(in, w);
		break;
	case PLM_EV_CLUSTER_QUEUE:
		plm_fold_cluster_queue(in, w);
		break;
	case PLM_EV_LOCAL_QUEUE:
		plm_fold_local_queue(in, w);
		break;
	case PLM_EV_WORK_QUEUE:
		plm_fold_work_queue(in, w);
		break;
	case PLM_EV_PRIORITY_CLASS:
		plm_fold_priority_class(in, w);
		break;
	case PLM_EV_ADMISSION_CHECK:
		plm_fold_admission_check(in, w);
		break;
	case PLM_EV_TOPOLOGY:
		plm_fold_topology(in, w);
		break;
	case PLM_EV_LIMIT_RANGE:
		plm_fold_limit_range(in, w);
		break;
	case PLM_EV_RUNTIME_CLASS:
		plm_fold_runtime_class(in, w);
		break;
	default:
		break;
	}
}

static void fold_work_fact(const struct plm_folding *in)
{
	const void *w = in->ev->payload;

	switch (in->ev->type) {
	case PLM_EV_WORKLOAD:
		plm_fold_workload(in, w);
		break;
	case PLM_EV_WORKLOAD_PATCH:
		plm_life_patch(in, w);
		break;
	case PLM_EV_JOB:
		plm_fold_job(in, w);
		break;
	case PLM_EV_POD:
		plm_fold_pod(in, w);
		break;
	case PLM_EV_NODE:
		plm_fold_node(in, w);
		break;
	case PLM_EV_NODE_POOL:
		plm_fold_node_pool(in, w);
		break;
	case PLM_EV_NODE_CLAIM:
		plm_fold_node_claim(in, w);
		break;
	case PLM_EV_NODE_CLASS:
		plm_fold_node_class(in, w);
		break;
	case PLM_EV_CLASS_STATUS:
		plm_fold_class_status(in, w);
		break;
	case PLM_EV_DAEMON_SET:
		plm_fold_daemon_set(in, w);
		break;
	case PLM_EV_POD_DISRUPTION_BUDGET:
		plm_fold_pdb(in, w);
		break;
	case PLM_EV_REPLICATOR:
		plm_fold_replicator(in, w);
		break;
	case PLM_EV_GONE:
		fold_gone_fact(in, w);
		break;
	default:
		break;
	}
}

static void fold_volume_fact(const struct plm_folding *in)
{
	const void *w = in->ev->payload;

	switch (in->ev->type) {
	case PLM_EV_VOLUME_CLAIM:
		plm_fold_volume_claim(in, w);
		break;
	case PLM_EV_VOLUME:
		plm_fold_volume(in, w);
		break;
	case PLM_EV_STORAGE_CLASS:
		plm_fold_storage_class(in, w);
		break;
	case PLM_EV_CSI_NODE:
		plm_fold_csi_node(in, w);
		break;
	case PLM_EV_VOLUME_ATTACHMENT:
		plm_fold_volume_attachment(in, w);
		break;
	default:
		break;
	}
}

static void fold_fact(const struct plm_folding *in)
{
	fold_queue_fact(in);
	fold_work_fact(in);
	fold_volume_fact(in);
	plm_root_change(in->f.st)->queues_dirty = 1;
	plm_root_change(in->f.st)->nodes_dirty = 1;
}

void plm_cluster_apply(struct plm_state *st, const struct plm_event *ev, struct plm_arena *scratch)
{
	struct plm_folding in = {.f = {st, scratch}, .ev = ev};

	switch (plm_event_info(ev->type)->class) {
	case PLM_CLASS_CONTROL:
		fold_control(&in);
		break;
	case PLM_CLASS_FACT:
		fold_fact(&in);
		break;
	case PLM_CLASS_DECISION:
		if (ev->type == PLM_EV_EVICT) {
			plm_fold_evicted(&in, ev->payload);
		} else if (ev->type == PLM_EV_RELEASE) {
			plm_fold_released(&in, ev->payload);
		}
		break;
	case PLM_CLASS_INTENT:
		plm_fold_intent(&in, ev->payload);
		break;
	case PLM_CLASS_RESULT:
		plm_fold_result(&in, ev->payload);
		plm_root_change(st)->queues_dirty = 1;
		plm_root_change(st)->nodes_dirty = 1;
		break;
	}
}
