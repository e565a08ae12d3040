#include "reducers/admission/topology.h"

#include "reducers/admission/activity.h"
#include "reducers/tas/tas.h"

/* ---- flavors ----------------------------------------------------------------------------------- */

static bool has_level(const plm_sym *levels, uint32_t count, plm_sym level)
{
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(levels[i], level)) {
			return true;
		}
	}
	return false;
}

/* The first level that the pod set names and the topology has not, 0 = none. */
static plm_sym missing_level(const struct plm_state *st, const struct plm_pod_set *set,
			     const plm_sym *levels, uint32_t count)
{
	uint32_t slices = 0;
	const struct plm_topology_slice *slice =
		PLM_SPAN(st, set->topology_slices, struct plm_topology_slice, &slices);

	if (set->topology_required.n != 0 && !has_level(levels, count, set->topology_required)) {
		return set->topology_required;
	}
	if (set->topology_preferred.n != 0 && !has_level(levels, count, set->topology_preferred)) {
		return set->topology_preferred;
	}
	for (uint32_t i = 0; i < slices; i++) {
		if (!has_level(levels, count, slice[i].level)) {
			return slice[i].level;
		}
	}
	return (plm_sym){0};
}

/* Does the pod ask for anything that the flavor's group gives? Else it gives quota only. */
static bool group_serves(const struct plm_state *st, const struct plm_group *group,
			 const struct plm_shape *shape)
{
	uint32_t count = 0;
	const struct plm_amount *amount = PLM_SPAN(st, shape->requests, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_syms_have(st, group->resources, amount[i].resource)) {
			return true;
		}
	}
	return false;
}

static bool implied(const struct plm_applicant *a, const struct plm_pod_set *set)
{
	return set->topology_asked == 0 && a->topology_only;
}

static bool wanted(const struct plm_applicant *a, const struct plm_pod_set *set)
{
	return set->topology_asked == 1 || a->topology_only;
}

enum plm_rule plm_topology_match(const struct plm_applicant *a, const struct plm_set_request *set,
				 const struct plm_flavor_view *flavor, plm_sym *out_key)
{
	const struct plm_state *st = a->preemptor.snap->st;
	bool topology = flavor->object != NULL && flavor->object->topology.n != 0;
	uint32_t count = 0;
	const plm_sym *levels = NULL;

	if (implied(a, set->set)) {
		return PLM_RULE_NONE;
	}
	if (!wanted(a, set->set)) {
		return topology ? PLM_RULE_FLAVOR_TOPOLOGY_ONLY : PLM_RULE_NONE;
	}
	if (!topology) {
		return group_serves(st, flavor->group, set->shape) ? PLM_RULE_FLAVOR_NO_TOPOLOGY
								   : PLM_RULE_NONE;
	}
	levels = plm_tas_levels(st, flavor->name, &count);
	*out_key = levels == NULL ? flavor->object->topology
				  : missing_level(st, set->set, levels, count);
	return out_key->n == 0 ? PLM_RULE_NONE : PLM_RULE_TOPOLOGY_LEVEL;
}

/* ---- what is asked ----------------------------------------------------------------------------- */

bool plm_topology_delayed(const struct plm_state *st, const struct plm_cluster_queue *queue,
			  plm_sym flavor)
{
	static const char *const late[] = {"kueue.x-k8s.io/provisioning-request",
					   "kueue.x-k8s.io/multikueue"};
	uint32_t count = 0;
	const struct plm_check_use *use = PLM_SPAN(st, queue->checks, struct plm_check_use, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_id id = plm_find(st, PLM_KIND_ADMISSION_CHECK, (plm_sym){0}, use[i].name);
		plm_sym controller = {0};

		if (id.n == 0 ||
		    (use[i].flavors.n != 0 && !plm_syms_have(st, use[i].flavors, flavor))) {
			continue;
		}
		controller = plm_admission_check_at(st, id)->controller;
		if (plm_sym_is(st, controller, late[0]) || plm_sym_is(st, controller, late[1])) {
			return true;
		}
	}
	return false;
}

/* The one flavor with a topology of a pod set; false: it has none, or several. */
static bool only_flavor(const struct plm_state *st, const struct plm_set_picks *picks, plm_sym *out)
{
	*out = (plm_sym){0};
	for (uint32_t i = 0; i < picks->list_count; i++) {
		plm_sym flavor = picks->list[i].flavor;

		if (!plm_tas_flavor(st, flavor)) {
			continue;
		}
		if (out->n != 0 && !plm_sym_equal(*out, flavor)) {
			return false;
		}
		*out = flavor;
	}
	return out->n != 0;
}

static bool anything_wanted(const struct plm_applicant *a)
{
	for (uint32_t i = 0; i < a->requests.count; i++) {
		if (wanted(a, a->requests.sets[i].set)) {
			return true;
		}
	}
	return false;
}

/* One ask per pod set that is to be placed now; false: a pod set cannot be placed at all. */
static bool make_asks(const struct plm_applicant *a, struct plm_assess *assess)
{
	const struct plm_state *st = a->preemptor.snap->st;

	assess->ask_count = 0;
	if (!anything_wanted(a)) {
		return true;
	}
	assess->asks = PLM_NEW_ARRAY(a->preemptor.snap->arena, assess->count, struct plm_tas_ask);
	assess->ask_sets = PLM_NEW_ARRAY(a->preemptor.snap->arena, assess->count, uint32_t);
	for (uint32_t i = 0; i < assess->count; i++) {
		const struct plm_set_request *set = &a->requests.sets[i];
		struct plm_tas_ask ask = {.set = set->set, .count = assess->sets[i].count};

		if (!wanted(a, set->set) || ask.count == 0) {
			continue;
		}
		if (!only_flavor(st, &assess->sets[i], &ask.flavor)) {
			return false;
		}
		if (plm_topology_delayed(st, a->queue, ask.flavor)) {
			assess->sets[i].delayed = PLM_DELAYED_PENDING;
			continue;
		}
		ask.each = PLM_SPAN(st, set->shape->requests, struct plm_amount, &ask.each_count);
		ask.implied = implied(a, set->set);
		assess->ask_sets[assess->ask_count] = i;
		assess->asks[assess->ask_count++] = ask;
	}
	return true;
}

/* ---- what becomes of the answer ---------------------------------------------------------------- */

/* The pod set needs victims of every flavor that it was given: kueue.md 2.6. */
static void force_preempt(struct plm_assess *assess, uint32_t set)
{
	struct plm_set_picks *picks = &assess->sets[set];

	picks->mode = PLM_MODE_PREEMPT;
	for (uint32_t i = 0; i < picks->list_count; i++) {
		struct plm_pick *pick = &picks->list[i];
		bool known = false;

		if (pick->way != PLM_WAY_FIT) {
			continue;
		}
		pick->way = PLM_WAY_PREEMPT;
		for (uint32_t j = 0; j < assess->pair_count; j++) {
			known = known || assess->pairs[j] == pick->pair;
		}
		if (!known) {
			assess->pairs[assess->pair_count++] = pick->pair;
		}
	}
}

static uint32_t group_of(const struct plm_applicant *a, plm_sym flavor)
{
	const struct plm_state *st = a->preemptor.snap->st;
	uint32_t groups = 0;
	const struct plm_group *group = PLM_SPAN(st, a->queue->groups, struct plm_group, &groups);

	for (uint32_t g = 0; g < groups; g++) {
		uint32_t count = 0;
		const struct plm_flavor_quota *flavors =
			PLM_SPAN(st, group[g].flavors, struct plm_flavor_quota, &count);

		for (uint32_t f = 0; f < count; f++) {
			if (plm_sym_equal(flavors[f].flavor, flavor)) {
				return g;
			}
		}
	}
	return groups;
}

/*
 * No domains in 'flavor' even with all victims gone: of its group that is the least reason; other
 * groups of the same pod sets may have worse ones. kueue.md 2.6 "NoFit reason".
 */
static void fail(const struct plm_applicant *a, struct plm_assess *assess, uint32_t set,
		 plm_sym flavor)
{
	uint32_t mine = group_of(a, flavor);

	assess->mode = PLM_MODE_NO_FIT;
	assess->sets[set].mode = PLM_MODE_NO_FIT;
	assess->severity = PLM_SEVERITY_PLACEMENT;
	for (uint32_t i = 0; i < assess->attempt_count; i++) {
		const struct plm_attempt *attempt = &assess->attempts[i];
		plm_sym first = a->requests.sets[attempt->set].set->topology_group;
		plm_sym own = a->requests.sets[set].set->topology_group;
		bool ours = attempt->set == set || (own.n != 0 && plm_sym_equal(first, own));
		enum plm_severity least = attempt->severity;

		if (!ours || attempt->way != PLM_WAY_NO_FIT ||
		    group_of(a, attempt->flavor) == mine) {
			continue;
		}
		for (uint32_t j = 0; j < assess->attempt_count; j++) {
			const struct plm_attempt *other = &assess->attempts[j];

			if (other->set == attempt->set && other->way == PLM_WAY_NO_FIT &&
			    group_of(a, other->flavor) == group_of(a, attempt->flavor) &&
			    other->severity < least) {
				least = other->severity;
			}
		}
		assess->severity = least > assess->severity ? least : assess->severity;
	}
}

/* The domains of each ask to its pod set, and all of them as usage. */
static void take(const struct plm_applicant *a, struct plm_assess *assess,
		 const struct plm_tas_set *places)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < assess->ask_count; i++) {
		total += places[i].domain_count;
	}
	assess->tas = (struct plm_tas_uses){
		PLM_NEW_ARRAY(a->preemptor.snap->arena, total, struct plm_tas_use), 0};
	for (uint32_t i = 0; i < assess->ask_count; i++) {
		const struct plm_tas_ask *ask = &assess->asks[i];

		assess->sets[assess->ask_sets[i]].places = places[i];
		for (uint32_t d = 0; d < places[i].domain_count; d++) {
			assess->tas.list[assess->tas.count++] = (struct plm_tas_use){
				.flavor = ask->flavor,
				.value_count = places[i].level_count,
				.values = places[i].domains[d].values,
				.each = ask->each,
				.each_count = ask->each_count,
				.count = places[i].domains[d].count,
			};
		}
	}
	PLM_ASSERT(assess->tas.count == total);
}

void plm_topology_place(struct plm_applicant *a, struct plm_assess *assess)
{
	struct plm_tas *tas = a->preemptor.snap->tas;
	struct plm_tas_set *places = NULL;
	struct plm_tas_failure empty = {0};
	uint32_t failed = 0;

	if (assess->mode == PLM_MODE_NO_FIT) {
		return;
	}
	if (!make_asks(a, assess)) {
		assess->mode = PLM_MODE_NO_FIT;
		assess->severity = PLM_SEVERITY_NONE;
		return;
	}
	if (assess->ask_count == 0) {
		return;
	}
	places = PLM_NEW_ARRAY(a->preemptor.snap->arena, assess->ask_count, struct plm_tas_set);
	if (assess->mode == PLM_MODE_FIT) {
		if (plm_tas_place(tas, assess->asks, assess->ask_count, false, places,
				  &assess->unplaced)) {
			take(a, assess, places);
			return;
		}
		assess->mode = PLM_MODE_PREEMPT;
		assess->is_unplaced = true;
	}
	if (!plm_tas_place(tas, assess->asks, assess->ask_count, true, places, &empty)) {
		assess->is_unplaced = true;
		assess->unplaced = empty; /* it says more: not even without all others */
		failed = assess->ask_sets[assess->unplaced.ask];
		fail(a, assess, failed, assess->asks[assess->unplaced.ask].flavor);
		return;
	}
	for (uint32_t i = 0; i < assess->ask_count; i++) {
		force_preempt(assess, assess->ask_sets[i]);
	}
}

void plm_topology_settle(struct plm_applicant *a, struct plm_result *result)
{
	struct plm_quotas *snap = a->preemptor.snap;
	struct plm_assess *assess = &result->assess;
	struct plm_tas_set *places = NULL;
	bool placed = false;

	if (assess->mode != PLM_MODE_PREEMPT || assess->ask_count == 0) {
		return;
	}
	places = PLM_NEW_ARRAY(snap->arena, assess->ask_count, struct plm_tas_set);
	for (uint32_t i = 0; i < result->targets.count; i++) {
		plm_quotas_remove(snap, result->targets.list[i].holder);
	}
	placed = plm_tas_place(snap->tas, assess->asks, assess->ask_count,
			       result->targets.count == 0, places, NULL);
	for (uint32_t i = 0; i < result->targets.count; i++) {
		plm_quotas_restore(snap, result->targets.list[i].holder);
	}
	if (placed) {
		take(a, assess, places);
	}
}

/* ---- what is held ------------------------------------------------------------------------------ */

static const struct plm_shape *shape_of(const struct plm_state *st, plm_sym pod_sets, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_pod_set *set = PLM_SPAN(st, pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(set[i].name, name)) {
			uint32_t one = 0;

			return PLM_SPAN(st, set[i].shape, struct plm_shape, &one);
		}
	}
	return NULL;
}

plm_sym plm_topology_flavor(const struct plm_state *st, plm_sym flavors)
{
	uint32_t count = 0;
	const struct plm_kv *flavor = PLM_SPAN(st, flavors, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_tas_flavor(st, flavor[i].value)) {
			return flavor[i].value;
		}
	}
	return (plm_sym){0};
}

bool plm_topology_pending(const struct plm_state *st, plm_sym assignments)
{
	uint32_t count = 0;
	const struct plm_assignment *set = PLM_SPAN(st, assignments, struct plm_assignment, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (set[i].delayed == PLM_DELAYED_PENDING && set[i].domains.n == 0) {
			return true;
		}
	}
	return false;
}

struct plm_tas_uses plm_topology_held(const struct plm_state *st, struct plm_arena *arena,
				      plm_sym assignments, plm_sym pod_sets)
{
	uint32_t sets = 0;
	const struct plm_assignment *set = PLM_SPAN(st, assignments, struct plm_assignment, &sets);
	struct plm_tas_uses uses = {0};
	uint32_t total = 0;

	for (uint32_t i = 0; i < sets; i++) {
		uint32_t domains = 0;

		(void)PLM_SPAN(st, set[i].domains, struct plm_topology_domain, &domains);
		total += domains;
	}
	if (total == 0) {
		return uses;
	}
	uses.list = PLM_NEW_ARRAY(arena, total, struct plm_tas_use);
	for (uint32_t i = 0; i < sets; i++) {
		const struct plm_shape *shape = shape_of(st, pod_sets, set[i].name);
		struct plm_tas_use use = {.flavor = plm_topology_flavor(st, set[i].flavors)};
		uint32_t domains = 0;
		const struct plm_topology_domain *domain =
			PLM_SPAN(st, set[i].domains, struct plm_topology_domain, &domains);

		if (shape == NULL || use.flavor.n == 0) {
			continue;
		}
		use.each = PLM_SPAN(st, shape->requests, struct plm_amount, &use.each_count);
		for (uint32_t d = 0; d < domains; d++) {
			use.values = PLM_SPAN(st, domain[d].values, plm_sym, &use.value_count);
			use.count = domain[d].count;
			uses.list[uses.count++] = use;
		}
	}
	return uses;
}
