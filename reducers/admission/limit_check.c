/* Requests above limits, and bounds of LimitRanges, before any flavor is looked at: kueue.md 2.5 (3). */
#include "reducers/admission/round.h"
#include "reducers/cluster/pod_limits.h"

/* Which pod set breaks which bound. */
struct found {
	struct plm_breach breach;
	uint32_t set;
};

static bool find(const struct plm_round *round, const struct plm_workload *workload, bool range,
		 struct found *out)
{
	const struct plm_state *st = round->st;
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = 0;
		const struct plm_shape *shape = PLM_SPAN(st, sets[i].shape, struct plm_shape, &one);
		struct plm_pod_limits limits;
		struct plm_pod_exam exam;

		PLM_ASSERT(one == 1);
		if ((range ? shape->out_of_range.n : shape->over_limit.n) == 0) {
			continue;
		}
		limits = plm_pod_limits_of(st, workload->object.ns, shape);
		exam = plm_pod_examine(st, shape, &limits, round->arena);
		*out = (struct found){range ? exam.range : exam.limits, i};
		return true;
	}
	return false;
}

/* Where the API has it: "spec.podSets[0].template.spec.initContainers[1]". */
static struct plm_slice path_of(struct plm_arena *arena, const struct found *found)
{
	const struct plm_breach *breach = &found->breach;
	bool first = breach->where == PLM_CONTAINER_INIT || breach->where == PLM_CONTAINER_SIDECAR;

	if (breach->where == PLM_CONTAINER_POD) {
		return plm_arena_format(arena, "spec.podSets[%u].template.spec", found->set);
	}
	return plm_arena_format(arena, "spec.podSets[%u].template.spec.%s[%u]", found->set,
				first ? "initContainers" : "containers", breach->index);
}

static bool has_bound(const struct plm_state *st, const struct plm_limit_item *item,
		      const struct plm_breach *breach)
{
	bool pod = breach->where == PLM_CONTAINER_POD;
	bool below = breach->rule == PLM_RULE_LIMIT_RANGE_MIN;
	uint32_t count = 0;
	const struct plm_amount *bound =
		PLM_SPAN(st, below ? item->min : item->max, struct plm_amount, &count);

	if (item->type != (uint32_t)(pod ? PLM_LIMIT_TYPE_POD : PLM_LIMIT_TYPE_CONTAINER)) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(bound[i].resource, breach->resource) &&
		    bound[i].amount == breach->limit) {
			return true;
		}
	}
	return false;
}

/* The LimitRange whose bound it is; the first by name. */
static plm_sym owner_of(const struct plm_state *st, plm_sym ns, const struct plm_breach *breach)
{
	plm_sym name = {0};

	PLM_EACH(st, limit_range, id)
	{
		const struct plm_limit_range *range = plm_limit_range_at(st, id);
		uint32_t count = 0;
		const struct plm_limit_item *item =
			PLM_SPAN(st, range->items, struct plm_limit_item, &count);

		if (!plm_sym_equal(range->object.ns, ns) ||
		    (name.n != 0 && plm_sym_compare(st, name, range->object.name) < 0)) {
			continue;
		}
		for (uint32_t i = 0; i < count; i++) {
			name = has_bound(st, &item[i], breach) ? range->object.name : name;
		}
	}
	return name;
}

/*
 * A request above the maximum is also above the limit that the API server derives from that maximum; the
 * maximum is what has to be told. Upstream tells the limit.
 */
static bool range_first(const struct plm_round *round, const struct plm_workload *workload)
{
	struct found own = {0};
	struct found range = {0};

	return round->better && find(round, workload, false, &own) &&
	       find(round, workload, true, &range) && own.set == range.set &&
	       own.breach.where == range.breach.where && own.breach.index == range.breach.index &&
	       plm_sym_equal(own.breach.resource, range.breach.resource);
}

bool plm_limits_check(const struct plm_round *round, struct plm_entry *entry)
{
	const struct plm_workload *workload = plm_workload_at(round->st, entry->workload);
	struct found found = {0};

	if (!range_first(round, workload) && find(round, workload, false, &found)) {
		entry->key.object = workload->object.name;
	} else if (find(round, workload, true, &found)) {
		entry->key.object = owner_of(round->st, workload->object.ns, &found.breach);
	} else {
		return true;
	}
	PLM_ASSERT(found.breach.resource.n != 0);
	entry->key.resource = found.breach.resource;
	entry->need = found.breach.need;
	entry->limit = found.breach.limit;
	entry->path = path_of(round->arena, &found);
	plm_why_none(entry, found.breach.rule, PLM_REASON_MISCONFIGURED);
	return false;
}
