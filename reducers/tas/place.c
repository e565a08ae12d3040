#include "reducers/tas/plan.h"

#include "core/sort.h"
#include "reducers/tas/replace.h"

/* ---- what is asked ----------------------------------------------------------------------------- */

static enum plm_tas_verdict refuse(struct plm_tas_failure *why, enum plm_tas_verdict verdict,
				   plm_sym level)
{
	why->verdict = verdict;
	why->level = level;
	return verdict;
}

static enum plm_tas_verdict plan_level(struct plm_tas_plan *plan, const struct plm_tas_ask *ask,
				       struct plm_tas_failure *why)
{
	const struct plm_pod_set *set = ask->set;
	const struct plm_tas_tree *tree = plan->tree;
	plm_sym key = set->topology_required;
	bool slices_only = false;

	plan->required = key.n != 0;
	key = key.n != 0 ? key : set->topology_preferred;
	slices_only = key.n == 0 && plan->layer_count > 0;
	plan->least = ask->implied || set->topology_unconstrained != 0 || slices_only;
	if (key.n != 0) {
		plan->level = plm_tas_level(tree, key);
	} else if (slices_only) {
		plan->level = 0;
	} else if (plan->least) {
		plan->level = tree->level_count - 1;
	} else {
		plan->level = PLM_TAS_NONE;
	}
	return plan->level == PLM_TAS_NONE ? refuse(why, PLM_TAS_NO_LEVEL, key) : PLM_TAS_PLACED;
}

/* Inner layers: sizes by level, from below the layer around them down to their own. */
static enum plm_tas_verdict plan_inner(struct plm_tas_plan *plan, struct plm_tas_failure *why)
{
	uint32_t above = plan->slice_level;
	int64_t around = plan->slice;

	for (uint32_t i = 1; i < plan->layer_count; i++) {
		const struct plm_topology_slice *layer = &plan->layers[i];
		uint32_t level = plm_tas_level(plan->tree, layer->level);

		if (level == PLM_TAS_NONE) {
			return refuse(why, PLM_TAS_NO_LEVEL, layer->level);
		}
		if (level <= above) {
			return refuse(why, PLM_TAS_LAYER_ABOVE, layer->level);
		}
		if (layer->size <= 0 || around % layer->size != 0) {
			why->need = layer->size;
			return refuse(why, PLM_TAS_LAYER_DIVIDES, layer->level);
		}
		for (uint32_t k = above + 1; k <= level; k++) {
			plan->inner[k] = layer->size;
		}
		above = level;
		around = layer->size;
	}
	return PLM_TAS_PLACED;
}

static enum plm_tas_verdict plan_slices(struct plm_tas_plan *plan, const struct plm_tas_ask *ask,
					struct plm_tas_failure *why)
{
	plan->slice = 1;
	plan->slice_level = plan->tree->level_count - 1;
	if (plan->layer_count > 0) {
		plan->slice = plm_max(1, plan->layers[0].size);
		plan->slice_level = plm_tas_level(plan->tree, plan->layers[0].level);
		if (plan->slice_level == PLM_TAS_NONE) {
			return refuse(why, PLM_TAS_NO_LEVEL, plan->layers[0].level);
		}
	}
	if (plan->level > plan->slice_level) {
		return refuse(why, PLM_TAS_SLICES_ABOVE, plan->layers[0].level);
	}
	/* Upstream forgets the odd pods: they would stay gated for ever. */
	if (ask->lost.n == 0 && plan->count % plan->slice != 0 &&
	    plm_root(plan->tree->tas->st)->compat != PLM_COMPAT_STRICT) {
		why->need = plan->count;
		why->fit = plan->slice;
		return refuse(why, PLM_TAS_SLICE_DIVIDES, plan->layers[0].level);
	}
	return plan_inner(plan, why);
}

enum plm_tas_verdict plm_tas_plan_make(struct plm_tas_plan *plan, struct plm_tas_tree *tree,
				       const struct plm_tas_ask *ask,
				       const struct plm_tas_ask *leader,
				       struct plm_tas_failure *why)
{
	const struct plm_tas *tas = tree->tas;
	uint32_t count = 0;
	enum plm_tas_verdict verdict = PLM_TAS_PLACED;

	plan->tree = tree;
	plan->within = PLM_TAS_NONE;
	plan->shape = PLM_SPAN(tas->st, ask->set->shape, struct plm_shape, &count);
	PLM_ASSERT(count == 1);
	plan->worker = plm_tas_each_make(tas, ask->each, ask->each_count);
	if (leader != NULL) {
		plan->leader = plm_tas_each_make(tas, leader->each, leader->each_count);
		plan->leaders = 1;
	}
	plan->count = ask->count;
	plan->layers = PLM_SPAN(tas->st, ask->set->topology_slices, struct plm_topology_slice,
				&plan->layer_count);
	verdict = plan_level(plan, ask, why);
	return verdict == PLM_TAS_PLACED ? plan_slices(plan, ask, why) : verdict;
}

/* ---- what comes out ---------------------------------------------------------------------------- */

static int by_index(const void *context, uint32_t a, uint32_t b)
{
	(void)context;
	return a < b ? -1 : a > b;
}

bool plm_tas_run(struct plm_tas_plan *plan, struct plm_tas_list *leaves,
		 struct plm_tas_failure *why)
{
	struct plm_tas_tree *tree = plan->tree;
	struct plm_tas_short reason = {0};

	plan->match = plm_tas_match_of(tree, plan->shape);
	leaves->at = tree->list;
	leaves->count = 0;
	plm_tas_count(plan);
	if (!plm_tas_choose(plan, leaves, &reason)) {
		why->verdict = reason.verdict;
		if (!plan->quiet) {
			plm_tas_explain(plan, &reason, why);
		}
		return false;
	}
	PLM_ASSERT(leaves->count > 0);
	plm_tas_spread(plan, leaves);
	plm_sort(leaves->at, leaves->count, by_index, NULL, tree->tas->arena);
	return true;
}

struct plm_tas_share *plm_tas_shares(const struct plm_tas_plan *plan,
				     const struct plm_tas_list *leaves, bool leaders,
				     uint32_t *out_count)
{
	const struct plm_tas_tree *tree = plan->tree;
	struct plm_tas_share *shares =
		PLM_NEW_ARRAY(tree->tas->arena, leaves->count, struct plm_tas_share);
	uint32_t count = 0;

	for (uint32_t i = 0; i < leaves->count; i++) {
		const struct plm_tas_counts *counts = &tree->counts[leaves->at[i]];
		int64_t pods = leaders ? (int64_t)counts->leaders : counts->pods;

		PLM_ASSERT(leaves->at[i] >= tree->leaf_first);
		if (pods > 0) {
			shares[count].leaf = leaves->at[i] - tree->leaf_first;
			shares[count++].count = pods;
		}
	}
	*out_count = count;
	return shares;
}

/* Level values of a leaf, those that an assignment shows. */
static const plm_sym *values_of(const struct plm_tas_tree *tree, uint32_t leaf)
{
	uint32_t domain = tree->leaf_first + leaf;
	plm_sym *values = NULL;

	if (tree->hosts) {
		return &tree->domains[domain].value;
	}
	values = PLM_NEW_ARRAY(tree->tas->arena, tree->level_count, plm_sym);
	for (uint32_t level = tree->level_count; level-- > 0;) {
		values[level] = tree->domains[domain].value;
		domain = tree->domains[domain].parent;
	}
	return values;
}

static void show(const struct plm_tas_placed *placed, struct plm_tas_set *out)
{
	const struct plm_tas_tree *tree = placed->tree;
	uint32_t skipped = 0;

	PLM_ASSERT(tree != NULL);
	skipped = tree->hosts ? tree->level_count - 1 : 0;

	out->levels = tree->levels + skipped;
	out->level_count = tree->level_count - skipped;
	out->domains = PLM_NEW_ARRAY(tree->tas->arena, placed->count, struct plm_tas_domain);
	for (uint32_t i = 0; i < placed->count; i++) {
		out->domains[i].values = values_of(tree, placed->shares[i].leaf);
		out->domains[i].count = placed->shares[i].count;
	}
	out->domain_count = placed->count;
}

/* ---- asks, group by group ---------------------------------------------------------------------- */

struct job {
	struct plm_tas *tas;
	const struct plm_tas_ask *asks;
	uint32_t count;
	bool empty, assuming, quiet;
	struct plm_tas_placed *placed; /* by ask; without tree: not yet */
	struct plm_tas_failure *why;
};

/* Enter or take back what an ask was given, for the asks after it. */
static void assume(struct job *job, uint32_t ask, int sign)
{
	const struct plm_tas_placed *placed = &job->placed[ask];
	struct plm_tas_each pod =
		plm_tas_each_make(job->tas, job->asks[ask].each, job->asks[ask].each_count);

	PLM_ASSERT(sign == 1 || sign == -1);
	for (uint32_t i = 0; i < placed->fresh_count; i++) {
		uint32_t slot = placed->tree->slots[placed->fresh[i].leaf];

		plm_tas_charge(job->tas, plm_tas_row(job->tas, placed->tree->assumed, slot), &pod,
			       sign * placed->fresh[i].count);
	}
	job->assuming = job->assuming || placed->fresh_count > 0;
}

/* The second pod set of the group of 'first', job->count = there is none. */
static uint32_t partner(const struct job *job, uint32_t first)
{
	const struct plm_tas_ask *asks = job->asks;
	uint32_t i = first + 1;

	PLM_ASSERT(first < job->count);
	if (asks[first].set->topology_group.n == 0) {
		return job->count;
	}
	while (i < job->count &&
	       !(plm_sym_equal(asks[i].set->topology_group, asks[first].set->topology_group) &&
		 plm_sym_equal(asks[i].flavor, asks[first].flavor) && asks[i].lost.n == 0 &&
		 job->placed[i].tree == NULL)) {
		i++;
	}
	return i;
}

static bool place_group(struct job *job, struct plm_tas_tree *tree, uint32_t first)
{
	uint32_t second = partner(job, first);
	bool led = second < job->count;
	bool swapped = led && job->asks[second].count > job->asks[first].count;
	uint32_t workers = swapped ? second : first;
	uint32_t leader = swapped ? first : second;
	struct plm_tas_plan plan = {
		.empty = job->empty,
		.assuming = job->assuming,
		.quiet = job->quiet,
	};
	struct plm_tas_list leaves = {NULL, 0};

	job->why->ask = workers;
	if (plm_tas_plan_make(&plan, tree, &job->asks[workers], led ? &job->asks[leader] : NULL,
			      job->why) != PLM_TAS_PLACED ||
	    !plm_tas_run(&plan, &leaves, job->why)) {
		return false;
	}
	for (uint32_t i = 0; i < (led ? 2U : 1U); i++) {
		uint32_t ask = i == 0 ? workers : leader;
		struct plm_tas_placed *placed = &job->placed[ask];

		placed->tree = tree;
		placed->shares = plm_tas_shares(&plan, &leaves, i == 1, &placed->count);
		placed->fresh = placed->shares;
		placed->fresh_count = placed->count;
		assume(job, ask, 1);
	}
	return true;
}

static bool place_ask(struct job *job, uint32_t ask)
{
	struct plm_tas_tree *tree = plm_tas_tree_of(job->tas, job->asks[ask].flavor);

	job->why->ask = ask;
	if (tree == NULL) {
		job->why->verdict = PLM_TAS_NO_TOPOLOGY;
		return false;
	}
	if (job->asks[ask].lost.n == 0) {
		return place_group(job, tree, ask);
	}
	if (!plm_tas_replace(tree, &job->asks[ask], job->assuming, &job->placed[ask], job->why)) {
		return false;
	}
	assume(job, ask, 1);
	return true;
}

bool plm_tas_place(struct plm_tas *tas, const struct plm_tas_ask *asks, uint32_t count, bool empty,
		   struct plm_tas_set *out, struct plm_tas_failure *why)
{
	struct plm_tas_failure untold = {0};
	struct job job = {
		.tas = tas,
		.asks = asks,
		.count = count,
		.empty = empty,
		.quiet = why == NULL,
		.why = why == NULL ? &untold : why,
	};
	bool all = true;

	plm_tas_prepare(tas);
	job.placed = PLM_NEW_ARRAY(tas->arena, count, struct plm_tas_placed);
	*job.why = (struct plm_tas_failure){.verdict = PLM_TAS_PLACED};
	for (uint32_t i = 0; i < count && all; i++) {
		all = job.placed[i].tree != NULL || place_ask(&job, i);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (job.placed[i].tree != NULL) {
			assume(&job, i, -1);
		}
		out[i] = (struct plm_tas_set){0};
		if (all) {
			show(&job.placed[i], &out[i]);
		}
	}
	PLM_ASSERT(all == (job.why->verdict == PLM_TAS_PLACED));
	return all;
}
