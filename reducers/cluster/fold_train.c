/* TrainJobs: their pod sets stand in a runtime (trainer.kubeflow.org), which may come later: kueue.md 1.9. */
#include "core/limits.h"
#include "reducers/cluster/fold.h"

static bool is_runtime(enum plm_kind kind)
{
	return kind == PLM_KIND_TRAINING_RUNTIME || kind == PLM_KIND_CLUSTER_TRAINING_RUNTIME;
}

static plm_id runtime_of(const struct plm_state *st, const struct plm_job *job)
{
	bool of_namespace = job->runtime_kind == PLM_KIND_TRAINING_RUNTIME;

	if (!is_runtime((enum plm_kind)job->runtime_kind)) {
		return (plm_id){0};
	}
	return plm_find(st, (enum plm_kind)job->runtime_kind,
			of_namespace ? job->object.ns : (plm_sym){0}, job->runtime);
}

/* 'base' with the amounts of 'over' in the place of its own, by resource. */
static plm_sym lay_over(const struct plm_fold *f, plm_sym base, plm_sym over)
{
	uint32_t counts[2] = {0, 0};
	const struct plm_amount *lists[2] = {
		PLM_SPAN(f->st, over, struct plm_amount, &counts[0]),
		PLM_SPAN(f->st, base, struct plm_amount, &counts[1]),
	};
	struct plm_amount *out =
		PLM_NEW_ARRAY(f->scratch, counts[0] + counts[1], struct plm_amount);
	uint32_t count = 0;

	for (uint32_t l = 0; l < 2; l++) {
		for (uint32_t i = 0; i < counts[l]; i++) {
			plm_sym resource = lists[l][i].resource;
			uint32_t at = 0;

			while (at < count &&
			       plm_sym_compare(f->st, out[at].resource, resource) < 0) {
				at++;
			}
			if (at < count && plm_sym_equal(out[at].resource, resource)) {
				continue;
			}
			for (uint32_t k = count; k > at; k--) {
				out[k] = out[k - 1];
			}
			out[at] = lists[l][i];
			count++;
		}
	}
	PLM_ASSERT(count <= counts[0] + counts[1]);
	return plm_intern_span(f->st, out, count, sizeof(*out));
}

void plm_fold_train_sets(const struct plm_fold *f, plm_id id)
{
	struct plm_state *st = f->st;
	const struct plm_job *job = plm_job_at(st, id);
	plm_id runtime = {0};
	uint32_t count = 0;
	const struct plm_pod_set *from = NULL;
	struct plm_pod_set *sets = NULL;

	if (job->object.kind != PLM_KIND_TRAIN_JOB) {
		return;
	}
	runtime = runtime_of(st, job);
	if (runtime.n == 0) {
		plm_job_edit(st, id)->pod_sets = (plm_sym){0};
		return;
	}
	from = PLM_SPAN(st, plm_job_at(st, runtime)->pod_sets, struct plm_pod_set, &count);
	sets = PLM_NEW_ARRAY(f->scratch, count, struct plm_pod_set);
	for (uint32_t i = 0; i < count; i++) {
		sets[i] = from[i];
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = 0;
		struct plm_shape shape;

		if (!plm_sym_is(st, sets[i].name, PLM_TRAIN_NODE)) {
			continue;
		}
		shape = *PLM_SPAN(st, sets[i].shape, struct plm_shape, &one);
		PLM_ASSERT(one == 1);
		sets[i].count = job->nodes == PLM_UNSET ? sets[i].count : job->nodes;
		shape.requests = lay_over(f, shape.requests, job->node_requests);
		sets[i].shape = plm_intern_span(st, &shape, 1, sizeof(shape));
	}
	plm_job_edit(st, id)->pod_sets = plm_intern_span(st, sets, count, sizeof(*sets));
}

void plm_fold_runtime(const struct plm_fold *f, plm_id id)
{
	const struct plm_job *runtime = plm_job_at(f->st, id);

	if (!is_runtime((enum plm_kind)runtime->object.kind)) {
		return;
	}
	PLM_EACH(f->st, job, train)
	{
		if (plm_job_at(f->st, train)->object.kind == PLM_KIND_TRAIN_JOB &&
		    runtime_of(f->st, plm_job_at(f->st, train)).n == id.n) {
			plm_fold_train_sets(f, train);
			plm_fold_manage(f->st, train, false);
			plm_fold_job_link(f, train);
		}
	}
}
