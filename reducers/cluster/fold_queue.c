/* Queue objects: kueue.md 1.1-1.6. */
#include "reducers/cluster/fold.h"

void plm_fold_namespace(const struct plm_folding *in, const struct plm_w_namespace *w)
{
	bool made = false;
	plm_id id = plm_fold_object(in, PLM_KIND_NAMESPACE, &w->meta, &made);

	if (made) {
		plm_fold_namespace_limits(&in->f, id);
	}
}

void plm_fold_flavor(const struct plm_folding *in, const struct plm_w_flavor *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_FLAVOR, &w->meta, NULL);
	struct plm_flavor *flavor = plm_flavor_edit(in->f.st, id);

	flavor->node_labels = plm_fold_kvs(&in->f, w->node_labels);
	flavor->node_taints = plm_fold_taints(&in->f, w->node_taints);
	flavor->tolerations = plm_fold_tolerations(&in->f, w->tolerations);
	flavor->topology = plm_fold_text(&in->f, w->topology);
}

void plm_fold_cohort(const struct plm_folding *in, const struct plm_w_cohort *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_COHORT, &w->meta, NULL);
	struct plm_cohort *cohort = plm_cohort_edit(in->f.st, id);

	cohort->parent = plm_fold_text(&in->f, w->parent);
	cohort->groups = plm_fold_groups(&in->f, w->groups);
	cohort->weight_nano = w->weight_nano;
}

static void fill_cluster_queue(const struct plm_folding *in, struct plm_cluster_queue *queue,
			       const struct plm_w_cluster_queue *w)
{
	queue->cohort = plm_fold_text(&in->f, w->cohort);
	queue->groups = plm_fold_groups(&in->f, w->groups);
	queue->strategy = (uint32_t)w->strategy;
	queue->ns_selector = plm_fold_selector(&in->f, &w->ns_selector);
	queue->when_can_borrow = (uint32_t)w->when_can_borrow;
	queue->when_can_preempt = (uint32_t)w->when_can_preempt;
	queue->preference = (uint32_t)w->preference;
	queue->within = (uint32_t)w->within;
	queue->reclaim = (uint32_t)w->reclaim;
	queue->borrow_within = (uint32_t)w->borrow_within;
	queue->stop = (uint32_t)w->stop;
	queue->checks = plm_fold_checks(&in->f, w->checks);
	queue->capacity_check = w->capacity_check == 1;
	queue->dialect = w->dialect == 1;
	queue->concurrent = w->concurrent == 1;
	queue->misconfigured = plm_fold_text(&in->f, w->misconfigured);
	queue->borrow_threshold = w->borrow_threshold;
	queue->preempt_threshold = w->preempt_threshold;
	queue->weight_nano = w->weight_nano;
	queue->admission_mode = (uint32_t)w->admission_mode;
}

void plm_fold_cluster_queue(const struct plm_folding *in, const struct plm_w_cluster_queue *w)
{
	struct plm_state *st = in->f.st;
	bool made = false;
	plm_id id = plm_fold_object(in, PLM_KIND_CLUSTER_QUEUE, &w->meta, &made);
	plm_sym name = plm_cluster_queue_at(st, id)->object.name;

	fill_cluster_queue(in, plm_cluster_queue_edit(st, id), w);
	if (!made) {
		return;
	}
	PLM_EACH(st, workload, at)
	{
		if (plm_sym_equal(plm_workload_at(st, at)->reserved_in, name)) {
			plm_workload_edit(st, at)->cluster_queue = id;
		}
	}
}

void plm_fold_local_queue(const struct plm_folding *in, const struct plm_w_local_queue *w)
{
	bool made = false;
	plm_id id = plm_fold_object(in, PLM_KIND_LOCAL_QUEUE, &w->meta, &made);
	struct plm_local_queue *queue = plm_local_queue_edit(in->f.st, id);

	if (made) {
		queue->sampled_ms = PLM_UNSET;
	}
	queue->cluster_queue = plm_fold_text(&in->f, w->cluster_queue);
	queue->work_queue = plm_fold_text(&in->f, w->work_queue);
	queue->stop = (uint32_t)w->stop;
	queue->weight_nano = w->weight_nano;
	queue->reported = plm_fold_amounts(&in->f, w->consumed);
	queue->reported_ms = w->consumed_ms;
	if (made) {
		plm_fold_default_queue(&in->f, id);
	}
}

void plm_fold_work_queue(const struct plm_folding *in, const struct plm_w_work_queue *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_WORK_QUEUE, &w->meta, NULL);
	struct plm_work_queue *queue = plm_work_queue_edit(in->f.st, id);

	queue->cluster_queue = plm_fold_text(&in->f, w->cluster_queue);
	queue->max_parallel = w->max_parallel;
}

void plm_fold_priority_class(const struct plm_folding *in, const struct plm_w_priority_class *w)
{
	enum plm_kind kind = w->kind == PLM_KIND_WORKLOAD_PRIORITY_CLASS
				     ? PLM_KIND_WORKLOAD_PRIORITY_CLASS
				     : PLM_KIND_PRIORITY_CLASS;
	plm_id id = plm_fold_object(in, kind, &w->meta, NULL);
	struct plm_priority_class *class = plm_priority_class_edit(in->f.st, id);

	class->value = w->value;
	class->global_default = w->global_default == 1;
	class->never_preempt = w->never_preempt == 1;
	plm_fold_priorities(in->f.st);
}

void plm_fold_admission_check(const struct plm_folding *in, const struct plm_w_admission_check *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_ADMISSION_CHECK, &w->meta, NULL);
	struct plm_admission_check *check = plm_admission_check_edit(in->f.st, id);

	check->controller = plm_fold_text(&in->f, w->controller);
	check->active = w->active == 1;
}

void plm_fold_topology(const struct plm_folding *in, const struct plm_w_topology *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_TOPOLOGY, &w->meta, NULL);

	plm_tas_topology_edit(in->f.st, id)->levels = plm_fold_texts(&in->f, w->levels);
}
