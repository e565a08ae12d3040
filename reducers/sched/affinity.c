#include "reducers/sched/affinity.h"

/* Indexes 0 .. count-1, heaviest first, stable. 'weights' are read through 'stride' bytes. */
static const uint32_t *by_weight(const struct plm_sched *sched, const int64_t *weights,
				 uint32_t count)
{
	uint32_t *order = PLM_NEW_ARRAY(sched->arena, count, uint32_t);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;

		while (at > 0 && weights[order[at - 1]] < weights[i]) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
	}
	return order;
}

static const uint32_t *terms_by_weight(const struct plm_sched *sched, plm_sym span, uint32_t *count)
{
	const struct plm_term *terms = PLM_SPAN(sched->st, span, struct plm_term, count);
	int64_t *weights = PLM_NEW_ARRAY(sched->arena, *count, int64_t);

	for (uint32_t i = 0; i < *count; i++) {
		weights[i] = terms[i].weight;
	}
	return by_weight(sched, weights, *count);
}

static const uint32_t *affinity_by_weight(const struct plm_sched *sched, plm_sym span,
					  uint32_t *count)
{
	const struct plm_affinity *terms = PLM_SPAN(sched->st, span, struct plm_affinity, count);
	int64_t *weights = PLM_NEW_ARRAY(sched->arena, *count, int64_t);

	for (uint32_t i = 0; i < *count; i++) {
		weights[i] = terms[i].weight;
	}
	return by_weight(sched, weights, *count);
}

/*
 * Is nothing left under a key of which both sides want some value? As a requirement that is DoesNotExist, and
 * Karpenter takes nodes without the label for it; the scheduler then refuses them.
 */
static bool contradict(const struct plm_reqs *a, const struct plm_reqs *b,
		       const struct plm_reqs *both)
{
	for (uint32_t i = 0; i < both->count; i++) {
		const struct plm_req *x = plm_reqs_get(a, both->list[i].key);
		const struct plm_req *y = plm_reqs_get(b, both->list[i].key);

		if (x != NULL && y != NULL && plm_req_op(&both->list[i]) == PLM_OP_DOES_NOT_EXIST &&
		    (plm_req_op(x) != PLM_OP_DOES_NOT_EXIST ||
		     plm_req_op(y) != PLM_OP_DOES_NOT_EXIST)) {
			return true;
		}
	}
	return false;
}

/* The heaviest preference that is left; unless strict one that cannot be had is none. */
static void add_preferred(const struct plm_sched *sched, const struct plm_shape *shape,
			  struct plm_ask *ask)
{
	bool strict = plm_root(sched->st)->compat == PLM_COMPAT_STRICT;
	uint32_t count = 0;
	const struct plm_term *preferred =
		PLM_SPAN(sched->st, shape->preferred, struct plm_term, &count);

	for (; ask->preferred_count > 0; ask->preferred++, ask->preferred_count--) {
		struct plm_reqs term = plm_reqs_of_exprs(sched, preferred[ask->preferred[0]].exprs);
		struct plm_reqs both = plm_reqs_merge(sched, &ask->strict, &term);

		PLM_ASSERT(ask->preferred[0] < count);
		if (strict || !contradict(&ask->strict, &term, &both)) {
			ask->reqs = both;
			return;
		}
	}
}

static void build_reqs(const struct plm_sched *sched, const struct plm_shape *shape,
		       struct plm_ask *ask)
{
	uint32_t count = 0;
	const struct plm_term *required =
		PLM_SPAN(sched->st, shape->required, struct plm_term, &count);
	struct plm_reqs set = plm_reqs_of_labels(sched, shape->node_selector);

	if (ask->required_from < count) {
		struct plm_reqs term = plm_reqs_of_exprs(sched, required[ask->required_from].exprs);
		struct plm_reqs both = plm_reqs_merge(sched, &set, &term);

		ask->impossible = plm_root(sched->st)->compat != PLM_COMPAT_STRICT &&
				  contradict(&set, &term, &both);
		set = both;
	}
	ask->strict = set;
	ask->reqs = set;
	add_preferred(sched, shape, ask);
}

/* Constraints of the pod in its order; with 'hard_only' those that are only wishes are left out. */
static void take_spread(const struct plm_sched *sched, const struct plm_shape *shape,
			bool hard_only, struct plm_ask *ask)
{
	uint32_t count = 0;
	const struct plm_spread *list =
		PLM_SPAN(sched->st, shape->spread, struct plm_spread, &count);
	uint32_t *order = PLM_NEW_ARRAY(sched->arena, count, uint32_t);

	for (uint32_t i = 0; i < count; i++) {
		if (!hard_only || list[i].when == PLM_SPREAD_DO_NOT_SCHEDULE) {
			order[ask->spread_count++] = i;
		}
	}
	ask->spread = order;
}

struct plm_ask plm_ask_first(const struct plm_sched *sched, const struct plm_shape *shape,
			     enum plm_ask_mode mode)
{
	struct plm_ask ask = {0};

	ask.tolerations.list = PLM_SPAN(sched->st, shape->tolerations, struct plm_toleration,
					&ask.tolerations.count);
	if (mode == PLM_ASK_RESPECT) {
		ask.preferred = terms_by_weight(sched, shape->preferred, &ask.preferred_count);
		ask.affinity =
			affinity_by_weight(sched, shape->preferred_affinity, &ask.affinity_count);
		ask.anti_affinity = affinity_by_weight(sched, shape->preferred_anti_affinity,
						       &ask.anti_affinity_count);
	}
	take_spread(sched, shape, mode == PLM_ASK_IGNORE, &ask);
	build_reqs(sched, shape, &ask);
	return ask;
}

/* The first constraint that is only a wish gives its place to the last one. */
static bool drop_spread(const struct plm_sched *sched, const struct plm_shape *shape,
			struct plm_ask *ask)
{
	uint32_t count = 0;
	const struct plm_spread *list =
		PLM_SPAN(sched->st, shape->spread, struct plm_spread, &count);
	uint32_t *order = NULL;

	for (uint32_t i = 0; i < ask->spread_count; i++) {
		if (list[ask->spread[i]].when == PLM_SPREAD_SCHEDULE_ANYWAY) {
			order = PLM_NEW_ARRAY(sched->arena, ask->spread_count, uint32_t);
			memcpy(order, ask->spread, ask->spread_count * sizeof(*order));
			order[i] = order[--ask->spread_count];
			ask->spread = order;
			return true;
		}
	}
	return false;
}

bool plm_ask_relax(const struct plm_sched *sched, const struct plm_shape *shape,
		   const struct plm_ask *ask, bool soft_taints, struct plm_ask *next)
{
	uint32_t required = 0;
	struct plm_ask after = *ask;

	(void)PLM_SPAN(sched->st, shape->required, struct plm_term, &required);
	if (ask->required_from + 1 < required) {
		after.required_from++;
	} else if (ask->affinity_count > 0) {
		after.affinity++;
		after.affinity_count--;
	} else if (ask->anti_affinity_count > 0) {
		after.anti_affinity++;
		after.anti_affinity_count--;
	} else if (ask->preferred_count > 0) {
		after.preferred++;
		after.preferred_count--;
	} else if (!drop_spread(sched, shape, &after)) {
		if (!soft_taints || ask->tolerations.all_soft) {
			return false;
		}
		after.tolerations.all_soft = true;
	}
	build_reqs(sched, shape, &after);
	*next = after;
	return true;
}

bool plm_shape_uses_fields(const struct plm_sched *sched, const struct plm_shape *shape)
{
	uint32_t count = 0;
	const struct plm_term *terms =
		PLM_SPAN(sched->st, shape->required, struct plm_term, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (terms[i].fields.n != 0) {
			return true;
		}
	}
	return false;
}
