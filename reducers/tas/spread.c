#include "reducers/tas/plan.h"

/* What is still to be handed out: 'units' of 'size' pods each, and leaders. */
struct hand {
	const struct plm_tas_plan *plan;
	int64_t units, leaders, size;
	bool slices; /* units are slices of the domain's counts; else pods */
};

/* ---- one list ---------------------------------------------------------------------------------- */

static int64_t room_in(const struct hand *hand, uint32_t domain, bool led)
{
	const struct plm_tas_counts *counts = &hand->plan->tree->counts[domain];

	if (hand->slices) {
		return led ? counts->led_slices : counts->slices;
	}
	return led ? counts->led_pods : counts->pods;
}

static bool suffices(const struct hand *hand, uint32_t domain, bool led)
{
	return room_in(hand, domain, led) >= hand->units &&
	       (int64_t)hand->plan->tree->counts[domain].leaders >= (led ? hand->leaders : 0);
}

/* The tightest domain that takes all the rest, from 'from' on: the first of equals. */
static uint32_t last_one(const struct hand *hand, const struct plm_tas_list *list, uint32_t from)
{
	bool led = hand->leaders > 0;
	uint32_t best = list->at[from];

	PLM_ASSERT(suffices(hand, best, led));
	for (uint32_t i = from; i < list->count && !hand->plan->least; i++) {
		if (suffices(hand, list->at[i], led) &&
		    room_in(hand, list->at[i], led) < room_in(hand, best, led)) {
			best = list->at[i];
		}
	}
	return best;
}

static void give(const struct hand *hand, uint32_t domain, int64_t units, int64_t leaders)
{
	struct plm_tas_counts *counts = &hand->plan->tree->counts[domain];

	PLM_ASSERT(units >= 0 && units <= room_in(hand, domain, leaders > 0));
	counts->pods = units * hand->size;
	counts->slices = hand->slices ? units : counts->slices;
	counts->leaders = (uint32_t)leaders;
}

/*
 * Take domains in order until nothing is left, into 'out'. False: leaders were put where they cost so
 * much that the rest does not fit. With 'out' NULL nothing is written.
 */
static bool hand_out(struct hand hand, const struct plm_tas_list *list, struct plm_tas_list *out)
{
	for (uint32_t i = 0; i < list->count; i++) {
		bool led = hand.leaders > 0;
		bool last = suffices(&hand, list->at[i], led);
		uint32_t domain = last ? last_one(&hand, list, i) : list->at[i];
		const struct plm_tas_counts *counts = &hand.plan->tree->counts[domain];
		int64_t leaders = plm_min(counts->leaders, hand.leaders);
		int64_t units = plm_min(room_in(&hand, domain, led), hand.units);

		if (out != NULL) {
			give(&hand, domain, units, leaders);
			out->at[out->count++] = domain;
		}
		if (last) {
			return true;
		}
		hand.units -= units;
		hand.leaders -= leaders;
	}
	return false;
}

/* Put first the domain where a leader costs least: with it there all that was counted fits. */
static void lead_where_cheapest(const struct hand *hand, struct plm_tas_list *list)
{
	uint32_t best = PLM_TAS_NONE;
	int64_t cost = 0;
	uint32_t domain = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		int64_t less = room_in(hand, list->at[i], false) - room_in(hand, list->at[i], true);

		if (hand->plan->tree->counts[list->at[i]].leaders > 0 &&
		    (best == PLM_TAS_NONE || less < cost)) {
			best = i;
			cost = less;
		}
	}
	PLM_ASSERT(best != PLM_TAS_NONE);
	domain = list->at[best];
	memmove(&list->at[1], &list->at[0], best * sizeof(*list->at));
	list->at[0] = domain;
}

static void hand_out_all(const struct hand *hand, struct plm_tas_list *list,
			 struct plm_tas_list *out)
{
	bool done = false;

	if (hand->leaders > 0 && !hand_out(*hand, list, NULL)) {
		lead_where_cheapest(hand, list);
	}
	done = hand_out(*hand, list, out);
	PLM_ASSERT(done);
}

/* ---- level by level ---------------------------------------------------------------------------- */

static void add_children(const struct plm_tas_tree *tree, uint32_t domain,
			 struct plm_tas_list *list)
{
	const struct plm_tas_span *span = &tree->domains[domain];

	PLM_ASSERT(span->count > 0 && list->count + span->count <= tree->domain_count);

	for (uint32_t i = span->first; i < span->first + span->count; i++) {
		list->at[list->count++] = i;
	}
}

static void swap(struct plm_tas_list *a, struct plm_tas_list *b)
{
	struct plm_tas_list kept = *a;

	*a = *b;
	*b = kept;
}

/* At and below the slice level: each domain shares its pods among its own children. */
static void share(const struct plm_tas_plan *plan, uint32_t domain, uint32_t level,
		  struct plm_tas_list *children, struct plm_tas_list *out)
{
	const struct plm_tas_tree *tree = plan->tree;
	const struct plm_tas_counts *counts = &tree->counts[domain];
	struct hand hand = {
		.plan = plan,
		.leaders = counts->leaders,
		.size = plm_max(1, plan->inner[level + 1]),
	};

	if (counts->pods == 0 && counts->leaders == 0) {
		return;
	}
	hand.units = counts->pods / hand.size;
	hand.slices = hand.size > 1;
	PLM_ASSERT(hand.units * hand.size == counts->pods);
	children->count = 0;
	add_children(tree, domain, children);
	plm_tas_sort(plan, children, PLM_TAS_BY_SLICES);
	for (uint32_t i = 0; hand.slices && i < children->count; i++) {
		struct plm_tas_counts *child = &tree->counts[children->at[i]];

		child->slices = child->pods / hand.size;
		child->led_slices = child->led_pods / hand.size;
	}
	hand_out_all(&hand, children, out);
}

void plm_tas_spread(const struct plm_tas_plan *plan, struct plm_tas_list *list)
{
	const struct plm_tas_tree *tree = plan->tree;
	struct plm_tas_list work = {tree->other, 0};
	struct plm_tas_list out = {tree->spare, 0};
	uint32_t level = plm_tas_level_of(tree, list->at[0]);
	struct hand all = {
		.plan = plan,
		.units = plan->count / plan->slice,
		.leaders = plan->leaders,
		.size = plan->slice,
		.slices = true,
	};

	PLM_ASSERT(list->count > 0 && list->at != work.at && list->at != out.at);
	hand_out_all(&all, list, &out);
	swap(list, &out);
	for (; level < plan->slice_level; level++) {
		work.count = 0;
		for (uint32_t i = 0; i < list->count; i++) {
			add_children(tree, list->at[i], &work);
		}
		plm_tas_sort(plan, &work, PLM_TAS_BY_SLICES);
		out.count = 0;
		hand_out_all(&all, &work, &out);
		swap(list, &out);
	}
	for (; level + 1 < tree->level_count; level++) {
		out.count = 0;
		for (uint32_t i = 0; i < list->count; i++) {
			share(plan, list->at[i], level, &work, &out);
		}
		swap(list, &out);
	}
}
