/* Rules of ClusterQueue and Cohort: kueue.md 1.1, 1.4. */
#include "adapters/manifest/check.h"

#include "core/units.h"

#define GROUPS_MAX 16
#define GROUP_ITEMS_MAX 64
/* Flavors of a queue, and resources, over all groups. */
#define TOTAL_MAX 256
/* Flavors times resources of one group. */
#define CELLS_MAX 512

/* Who is being checked. */
struct owner {
	struct plm_project *p;
	bool has_parent;
	bool queue; /* a ClusterQueue lends what it has, a Cohort also what its children have */
};

static void check_quota(const struct owner *o, struct plm_doc *item,
			const struct plm_w_quota *quota)
{
	static const char *const limits[] = {"borrowingLimit", "lendingLimit"};
	struct plm_doc *node = NULL;

	for (size_t i = 0; i < PLM_COUNTOF(limits); i++) {
		node = plm_doc_get(item, limits[i]);
		if (node != NULL && !o->has_parent) {
			plm_doc_fail(o->p->tree, node, "must not be set where %s",
				     o->queue ? "there is no cohort" : "the cohort has no parent");
		}
	}
	node = plm_doc_get(item, "lendingLimit");
	if (node != NULL && o->queue && quota->lending > quota->nominal) {
		plm_doc_fail(o->p->tree, node, "must not be above nominalQuota");
	}
}

static void check_flavors(const struct owner *o, struct plm_doc *group, const struct plm_w_group *w)
{
	const struct plm_w_flavor_quota *flavor = w->flavors.ptr;
	struct plm_doc *node = plm_doc_items(plm_doc_get(group, "flavors"));

	for (size_t f = 0; node != NULL && f < w->flavors.count; f++, node = node->next) {
		const struct plm_w_quota *quota = flavor[f].quotas.ptr;
		struct plm_doc *item = plm_doc_items(plm_doc_get(node, "resources"));

		plm_check_name(o->p, node, "name");
		for (size_t q = 0; item != NULL && q < flavor[f].quotas.count;
		     q++, item = item->next) {
			check_quota(o, item, &quota[q]);
		}
	}
}

static void check_covered(const struct owner *o, struct plm_doc *group)
{
	struct plm_doc *node = plm_doc_items(plm_doc_get(group, "coveredResources"));

	for (; node != NULL; node = node->next) {
		if (!plm_check_is_qualified(node->text)) {
			plm_doc_fail(o->p->tree, node, "\"%.*s\" is not the name of a resource",
				     (int)node->text.size, (const char *)node->text.ptr);
		}
	}
}

static void check_groups(const struct owner *o, struct plm_doc *spec, struct plm_vec groups)
{
	const struct plm_w_group *w = groups.ptr;
	struct plm_doc *list = plm_doc_get(spec, "resourceGroups");
	struct plm_doc *group = plm_doc_items(list);
	size_t flavors = 0;
	size_t resources = 0;

	plm_check_count(o->p, spec, "resourceGroups", 0, GROUPS_MAX);
	for (size_t g = 0; group != NULL && g < groups.count; g++, group = group->next) {
		size_t cells = w[g].flavors.count * w[g].resources.count;

		plm_check_count(o->p, group, "coveredResources", 1, GROUP_ITEMS_MAX);
		plm_check_count(o->p, group, "flavors", 1, GROUP_ITEMS_MAX);
		check_covered(o, group);
		check_flavors(o, group, &w[g]);
		if (cells > CELLS_MAX) {
			plm_doc_fail(o->p->tree, group,
				     "at most %d pairs of flavor and resource, there are %zu",
				     CELLS_MAX, cells);
		}
		flavors += w[g].flavors.count;
		resources += w[g].resources.count;
	}
	if (flavors > TOTAL_MAX || resources > TOTAL_MAX) {
		plm_doc_fail(o->p->tree, list, "at most %d flavors and %d resources in all groups",
			     TOTAL_MAX, TOTAL_MAX);
	}
}

void plm_check_cohort(struct plm_project *p, struct plm_doc *spec,
		      const struct plm_w_cohort *cohort)
{
	struct owner o = {.p = p, .has_parent = cohort->parent.size > 0};

	check_groups(&o, spec, cohort->groups);
	plm_check_name(p, spec, "parentName");
	plm_check_weight(p, plm_doc_get(spec, "fairSharing"), cohort->weight_nano);
}

/* ---- ClusterQueue ------------------------------------------------------------------------------ */

static bool has_flavor(struct plm_vec groups, struct plm_slice name)
{
	const struct plm_w_group *w = groups.ptr;

	for (size_t g = 0; g < groups.count; g++) {
		const struct plm_w_flavor_quota *flavor = w[g].flavors.ptr;

		for (size_t f = 0; f < w[g].flavors.count; f++) {
			if (plm_slice_equal(flavor[f].flavor, name)) {
				return true;
			}
		}
	}
	return false;
}

static void check_on_flavors(struct plm_project *p, struct plm_doc *item, struct plm_vec groups)
{
	struct plm_doc *node = plm_doc_items(plm_doc_get(item, "onFlavors"));

	plm_check_count(p, item, "onFlavors", 0, GROUP_ITEMS_MAX);
	for (; node != NULL; node = node->next) {
		if (!has_flavor(groups, node->text)) {
			plm_doc_fail(p->tree, node, "no resource group has a flavor %.*s",
				     (int)node->text.size, (const char *)node->text.ptr);
		}
	}
}

static void check_checks(struct plm_project *p, struct plm_doc *spec, struct plm_vec groups)
{
	struct plm_doc *strategy = plm_doc_get(spec, "admissionChecksStrategy");
	struct plm_doc *plain = plm_doc_get(spec, "admissionChecks");
	struct plm_doc *item = plm_doc_items(plm_doc_get(strategy, "admissionChecks"));

	if (strategy != NULL) {
		plm_check_count(p, strategy, "admissionChecks", 1, GROUP_ITEMS_MAX);
	}
	if (strategy != NULL && plain != NULL && plain->count > 0) {
		plm_doc_fail(p->tree, plain,
			     "admissionChecks and admissionChecksStrategy exclude each other");
	}
	for (; item != NULL; item = item->next) {
		check_on_flavors(p, item, groups);
	}
}

static void check_policies(struct plm_project *p, struct plm_doc *spec,
			   const struct plm_w_cluster_queue *queue)
{
	struct plm_doc *fungibility = plm_doc_get(spec, "flavorFungibility");
	struct plm_doc *preference = plm_doc_get(fungibility, "preference");
	struct plm_doc *borrow = plm_doc_get(plm_doc_get(spec, "preemption"), "borrowWithinCohort");

	if (preference != NULL && (queue->when_can_borrow != PLM_FUNGIBILITY_TRY_NEXT_FLAVOR ||
				   queue->when_can_preempt != PLM_FUNGIBILITY_TRY_NEXT_FLAVOR)) {
		plm_doc_fail(
			p->tree, preference,
			"needs whenCanBorrow and whenCanPreempt to be TryNextFlavor, both of them");
	}
	if (queue->borrow_within != PLM_PREEMPTION_NEVER &&
	    queue->reclaim == PLM_PREEMPTION_NEVER) {
		plm_doc_fail(p->tree, plm_doc_get(borrow, "policy"),
			     "must be Never where reclaimWithinCohort is Never");
	}
}

/* One resource group to choose flavors of, and a line in it below which nothing is kept. */
static void check_concurrent(struct plm_project *p, struct plm_doc *spec,
			     const struct plm_w_cluster_queue *queue)
{
	static const char *const modes[] = {"TryPreferredFlavors", "RetainFirstAdmission"};
	struct plm_doc *policy = plm_doc_get(spec, "concurrentAdmissionPolicy");
	struct plm_doc *migration = plm_doc_get(policy, "migration");
	struct plm_slice mode = plm_doc_text(p->tree, migration, "mode");
	struct plm_doc *last = plm_doc_at(migration, "constraints.lastAcceptableFlavorName");
	const struct plm_w_group *groups = queue->groups.ptr;

	if (policy == NULL) {
		return;
	}
	if (queue->groups.count != 1 || groups[0].flavors.count > GROUPS_MAX) {
		plm_doc_fail(p->tree, policy,
			     "needs exactly one resource group, of at most %d flavors", GROUPS_MAX);
	}
	if (queue->strategy == PLM_STRATEGY_STRICT_FIFO) {
		plm_doc_fail(p->tree, policy, "must not be set with queueingStrategy StrictFIFO");
	}
	if (mode.size > 0 && !plm_slice_is(mode, modes[0]) && !plm_slice_is(mode, modes[1])) {
		plm_doc_fail(p->tree, plm_doc_get(migration, "mode"), "must be %s or %s", modes[0],
			     modes[1]);
	}
	if (last != NULL && !plm_slice_is(mode, modes[0])) {
		plm_doc_fail(p->tree, last, "only with mode %s", modes[0]);
	} else if (last != NULL && !has_flavor(queue->groups, last->text)) {
		plm_doc_fail(p->tree, last, "no resource group has this flavor");
	}
}

void plm_check_cluster_queue(struct plm_project *p, struct plm_doc *spec,
			     const struct plm_w_cluster_queue *queue)
{
	struct owner o = {.p = p, .has_parent = queue->cohort.size > 0, .queue = true};

	check_groups(&o, spec, queue->groups);
	plm_check_name(p, spec, "cohortName");
	plm_check_name(p, spec, "cohort");
	check_policies(p, spec, queue);
	check_checks(p, spec, queue->groups);
	check_concurrent(p, spec, queue);
	plm_check_weight(p, plm_doc_get(spec, "fairSharing"), queue->weight_nano);
}
