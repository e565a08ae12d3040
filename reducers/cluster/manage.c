/* Which jobs are ours to hold and to start: kueue.md 1.7, 1.8, 1.9 (contract, ancestors). */
#include "reducers/cluster/fold.h"
#include "reducers/sched/selector.h"

static bool is_on(const struct plm_state *st, enum plm_kind kind)
{
	const struct plm_integration *row = plm_integration(kind);
	uint32_t count = 0;
	const plm_sym *on = PLM_SPAN(st, plm_root(st)->frameworks, plm_sym, &count);

	PLM_ASSERT(row != NULL);
	if (count == 0 || row->framework[0] == '\0') {
		return true;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_is(st, on[i], row->framework)) {
			return true;
		}
	}
	return false;
}

bool plm_fold_integrates(const struct plm_state *st, enum plm_kind kind, plm_sym ns)
{
	const struct plm_selector *reach = &plm_root(st)->managed_namespaces;
	plm_id id = plm_find(st, PLM_KIND_NAMESPACE, (plm_sym){0}, ns);

	if (!is_on(st, kind)) {
		return false;
	}
	return reach->present == 0 ||
	       plm_selector_matches(st, reach,
				    id.n == 0 ? (plm_sym){0}
					      : plm_namespace_at(st, id)->object.labels);
}

/* Does an owner of this kind hold what it owns? The topmost that does wins, so one is enough. */
static bool holds(const struct plm_state *st, const struct plm_job *job)
{
	return is_on(st, (enum plm_kind)job->object.kind) && job->named != PLM_NAMED_NEVER &&
	       plm_integration((enum plm_kind)job->object.kind)->start != PLM_START_NEVER &&
	       (job->queue.n != 0 || plm_root(st)->manage_unnamed == 1);
}

bool plm_fold_managed_above(const struct plm_state *st, plm_sym owner_uid)
{
	for (uint32_t i = 0; i < PLM_OWNERS_MAX && owner_uid.n != 0; i++) {
		plm_id id = plm_index_find(st, PLM_KEY_JOB_UID, owner_uid.n, 0);

		if (id.n == 0) {
			return false; /* Kueue stops at an owner that it does not know */
		}
		if (holds(st, plm_job_at(st, id))) {
			return true;
		}
		PLM_ASSERT(plm_job_at(st, id)->object.used == 1);
		owner_uid = plm_job_at(st, id)->object.owner_uid;
	}
	return false;
}

/* Nothing of it has run: it may still be held. */
static bool is_untouched(const struct plm_job *job)
{
	return job->started_ms == PLM_UNSET && job->active == 0 && job->end == PLM_JOB_OPEN;
}

static bool wants(struct plm_state *st, struct plm_job *job)
{
	plm_id queue = {0};

	if (job->named != PLM_NAMED_NOT) {
		return job->named == PLM_NAMED;
	}
	queue = plm_find(st, PLM_KIND_LOCAL_QUEUE, job->object.ns,
			 plm_sym_find(st, plm_slice_str("default")));
	if (queue.n != 0 && (job->managed == 1 || is_untouched(job))) {
		job->queue = plm_local_queue_at(st, queue)->object.name;
		return true;
	}
	return plm_root(st)->manage_unnamed == 1;
}

void plm_fold_manage(struct plm_state *st, plm_id id, bool made)
{
	struct plm_job *job = plm_job_edit(st, id);
	enum plm_kind kind = (enum plm_kind)job->object.kind;
	enum plm_start start = plm_integration(kind)->start;
	bool was = job->managed == 1;

	if (start == PLM_START_NEVER || (kind == PLM_KIND_TRAIN_JOB && job->pod_sets.n == 0) ||
	    !plm_fold_integrates(st, kind, job->object.ns) ||
	    plm_fold_managed_above(st, job->object.owner_uid)) {
		job->managed = 0;
		return;
	}
	job->managed = wants(st, job);
	if (job->managed == 1 && !was && made && is_untouched(job)) {
		job->suspended = 1; /* it is held on sight */
	}
}

void plm_fold_children(const struct plm_fold *f, plm_id id)
{
	plm_sym uid = plm_job_at(f->st, id)->object.uid;

	if (plm_job_at(f->st, id)->object.kind == PLM_KIND_JOB ||
	    plm_job_at(f->st, id)->object.kind == PLM_KIND_POD_SET) {
		return; /* only pods are below */
	}
	PLM_EACH(f->st, job, child)
	{
		if (plm_sym_equal(plm_job_at(f->st, child)->object.owner_uid, uid)) {
			plm_fold_manage(f->st, child, false);
			plm_fold_job_link(f, child);
		}
	}
}

void plm_fold_default_queue(const struct plm_fold *f, plm_id local_queue)
{
	const struct plm_local_queue *queue = plm_local_queue_at(f->st, local_queue);

	if (!plm_sym_is(f->st, queue->object.name, "default")) {
		return;
	}
	PLM_EACH(f->st, job, id)
	{
		const struct plm_job *job = plm_job_at(f->st, id);

		if (job->managed == 0 && plm_sym_equal(job->object.ns, queue->object.ns)) {
			plm_fold_manage(f->st, id, true);
			plm_fold_job_link(f, id);
		}
	}
}
