#include "reducers/admission/assess.h"

#include "core/limits.h"
#include "reducers/admission/topology.h"
#include "reducers/tas/tas.h"

void plm_assess_begin(struct plm_applicant *a, struct plm_quotas *snap, plm_id workload,
		      uint32_t node, uint64_t *spent)
{
	*a = (struct plm_applicant){
		.preemptor = {.snap = snap,
			      .workload = workload,
			      .node = node,
			      .spent = spent,
			      .better = plm_root(snap->st)->compat != PLM_COMPAT_STRICT},
		.workload = plm_workload_at(snap->st, workload),
		.queue = plm_quotas_queue(snap, node),
	};
	a->requests = plm_requests_of(snap->st, snap->arena, a->workload, a->queue);
	a->topology_only = plm_tas_queue_all(snap->st, a->queue);
}

static struct plm_targets victims(const struct plm_applicant *a, const struct plm_assess *assess)
{
	struct plm_need need = {.pairs = assess->pairs,
				.count = assess->pair_count,
				.wants = assess->wants,
				.asks = assess->asks,
				.ask_count = assess->ask_count};

	if (assess->mode != PLM_MODE_PREEMPT) {
		return (struct plm_targets){0};
	}
	plm_quotas_prepare(a->preemptor.snap, a->preemptor.node);
	return plm_preempt_find(&a->preemptor, &need);
}

static bool run_with(struct plm_applicant *a, const int64_t *counts, struct plm_result *out)
{
	(*a->preemptor.spent)++;
	plm_flavor_assign(a, counts, &out->assess);
	plm_topology_place(a, &out->assess);
	out->targets = victims(a, &out->assess);
	return out->assess.mode == PLM_MODE_FIT || out->targets.count > 0;
}

/* floor(delta * index / total) without overflow: counts are int32 upstream. */
static int64_t share(int64_t delta, int64_t index, int64_t total)
{
	return (int64_t)((plm_i128)delta * index / total);
}

/*
 * The largest counts that do, as upstream's binary search finds them: it takes the predicate to be
 * monotone, and drops what it found when the last index that did is another one.
 */
static bool run_partial(struct plm_applicant *a, struct plm_result *out)
{
	uint32_t n = a->requests.count;
	int64_t *delta = PLM_NEW_ARRAY(a->preemptor.snap->arena, n, int64_t);
	int64_t *counts = PLM_NEW_ARRAY(a->preemptor.snap->arena, n, int64_t);
	int64_t total = 0;
	int64_t low = 0;
	int64_t high = 0;
	int64_t good = -1;

	for (uint32_t i = 0; i < n; i++) {
		const struct plm_pod_set *set = a->requests.sets[i].set;

		if (set->min_count != PLM_UNSET && set->min_count < set->count) {
			delta[i] = set->count - set->min_count;
			total = plm_add_sat(total, delta[i]);
		}
	}
	if (total == 0) {
		return false;
	}
	high = plm_add_sat(total, 1);
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		struct plm_result result;

		for (uint32_t i = 0; i < n; i++) {
			counts[i] = a->requests.sets[i].set->count - share(delta[i], middle, total);
		}
		if (run_with(a, counts, &result)) {
			*out = result;
			good = middle;
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return good == low;
}

/* With all pods, then with fewer; false: 'out' is why not. */
static bool run_once(struct plm_applicant *a, const int64_t *counts, struct plm_result *out)
{
	struct plm_result full;

	if (run_with(a, counts, &full)) {
		*out = full;
		return true;
	}
	if (run_partial(a, out)) {
		return true;
	}
	*out = full;
	return false;
}

/* Some scan stopped before its last flavor. */
static bool has_more(const struct plm_assess *assess)
{
	for (uint32_t i = 0; i < assess->count; i++) {
		for (uint32_t j = 0; j < assess->sets[i].list_count; j++) {
			if (assess->sets[i].list[j].tried >= 0) {
				return true;
			}
		}
	}
	return false;
}

/*
 * Upstream goes on behind the flavor that a scan stopped at in its next cycle, which leaves the workload
 * at the head and its reason changing. Not under strict compatibility: all of it happens now, and what
 * is said is what the whole scan found.
 */
static bool explore(struct plm_applicant *a, const int64_t *counts, const struct plm_result *failed,
		    struct plm_result *out)
{
	struct plm_result *tried =
		PLM_NEW_ARRAY(a->preemptor.snap->arena, PLM_LIMIT_FLAVOR_TRIES, struct plm_result);
	bool good = false;

	PLM_ASSERT(a->after == NULL && a->cursor.n == 0);
	tried[0] = *failed;
	for (uint32_t i = 1; i < PLM_LIMIT_FLAVOR_TRIES && !good; i++) {
		if (!has_more(&tried[i - 1].assess)) {
			break;
		}
		a->after = &tried[i - 1].assess;
		good = run_once(a, counts, &tried[i]);
		if (good) {
			*out = tried[i];
		}
	}
	a->after = NULL;
	return good;
}

void plm_assess_run(struct plm_applicant *a, struct plm_result *out)
{
	uint32_t n = a->requests.count;
	int64_t *counts = PLM_NEW_ARRAY(a->preemptor.snap->arena, n, int64_t);
	struct plm_result first;

	for (uint32_t i = 0; i < n; i++) {
		counts[i] = a->requests.sets[i].count;
	}
	if (run_once(a, counts, &first) || !a->preemptor.better || a->pin != NULL ||
	    !explore(a, counts, &first, out)) {
		*out = first;
	}
	plm_topology_settle(a, out);
}
