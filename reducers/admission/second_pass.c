/*
 * Places for what holds quota already: domains that had to wait for checks, and nodes that failed under
 * running pods. Neither takes quota. Source: kueue.md 2.15 "Node replacement", 2.16.
 *
 * A node failed when it is gone, or when it is not ready (or has a taint that its pods do not tolerate)
 * and the workload's pods on it have ended. One failed node is replaced within the domain that the
 * pods must share; a second one, or no room, evicts the workload at once.
 */
#include "reducers/admission/match.h"
#include "reducers/admission/round.h"
#include "reducers/admission/topology.h"
#include "reducers/tas/tas.h"

#define HOSTNAME "kubernetes.io/hostname"

/* ---- which nodes failed ------------------------------------------------------------------------ */

/* The node with that host name, which is its name nearly always. */
static plm_id node_of_host(const struct plm_state *st, plm_sym host)
{
	plm_id id = plm_find(st, PLM_KIND_NODE, (plm_sym){0}, host);
	plm_sym key = {0};
	plm_sym value = {0};

	if (id.n != 0) {
		return id;
	}
	key = plm_sym_find(st, plm_slice_str(HOSTNAME));
	PLM_EACH(st, node, other)
	{
		if (plm_kv_get(st, plm_node_at(st, other)->object.labels, key, &value) &&
		    plm_sym_equal(value, host)) {
			return other;
		}
	}
	return (plm_id){0};
}

static bool goes_on(const struct plm_pod *pod)
{
	return pod->phase != PLM_PHASE_SUCCEEDED && pod->phase != PLM_PHASE_FAILED &&
	       pod->object.deleting_ms == PLM_UNSET;
}

/*
 * Have the pods of the workload on this node ended? It has started, and none goes on there. (Pods that
 * nobody has seen yet have not ended.)
 */
static bool pods_ended(const struct plm_state *st, plm_id workload, plm_sym node)
{
	bool started = false;

	PLM_EACH(st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(st, id);

		if (plm_pod_workload(st, pod).n != workload.n) {
			continue;
		}
		if (plm_sym_equal(pod->node, node) && goes_on(pod)) {
			return false;
		}
		started = true;
	}
	return started;
}

/* A taint of the node that neither the pods nor their flavor tolerate. */
static bool tainted(const struct plm_state *st, const struct plm_node *node, plm_sym own,
		    plm_sym of_flavor)
{
	uint32_t count = 0;
	const struct plm_taint *taint = PLM_SPAN(st, node->taints, struct plm_taint, &count);

	for (uint32_t i = 0; i < count; i++) {
		if ((taint[i].effect == PLM_EFFECT_NO_SCHEDULE ||
		     taint[i].effect == PLM_EFFECT_NO_EXECUTE) &&
		    !plm_match_tolerates(st, own, &taint[i]) &&
		    !plm_match_tolerates(st, of_flavor, &taint[i])) {
			return true;
		}
	}
	return false;
}

static const struct plm_pod_set *pod_set_of(const struct plm_state *st,
					    const struct plm_workload *workload, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_pod_set *set =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(set[i].name, name)) {
			return &set[i];
		}
	}
	return NULL;
}

static const struct plm_shape *shape_of(const struct plm_state *st, const struct plm_pod_set *set)
{
	uint32_t one = 0;
	const struct plm_shape *shape = PLM_SPAN(st, set->shape, struct plm_shape, &one);

	PLM_ASSERT(one == 1);
	return shape;
}

static bool host_failed(const struct plm_state *st, plm_id id, const struct plm_assignment *set,
			plm_sym host)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	plm_sym own = shape_of(st, pod_set_of(st, workload, set->name))->tolerations;
	plm_id flavor =
		plm_find(st, PLM_KIND_FLAVOR, (plm_sym){0}, plm_topology_flavor(st, set->flavors));
	plm_sym of_flavor = flavor.n == 0 ? (plm_sym){0} : plm_flavor_at(st, flavor)->tolerations;
	plm_id at = node_of_host(st, host);
	const struct plm_node *node = at.n == 0 ? NULL : plm_node_at(st, at);

	if (node == NULL) {
		/* Upstream learns it from a node that goes, not from one that never was there. */
		return plm_root(st)->compat != PLM_COMPAT_STRICT || plm_root(st)->node_gone == 1;
	}
	if (node->ready == 1 && !tainted(st, node, own, of_flavor)) {
		return false;
	}
	return pods_ended(st, id, node->object.name);
}

/* Hosts of an assignment, those that failed, each once. */
struct failed {
	plm_sym *list;
	uint32_t count;
};

static void note_failed(struct failed *failed, plm_sym host)
{
	for (uint32_t i = 0; i < failed->count; i++) {
		if (plm_sym_equal(failed->list[i], host)) {
			return;
		}
	}
	failed->list[failed->count++] = host;
}

static bool ends_at_host(const struct plm_state *st, const struct plm_assignment *set)
{
	uint32_t count = 0;
	const plm_sym *levels = PLM_SPAN(st, set->levels, plm_sym, &count);

	return count > 0 && plm_sym_is(st, levels[count - 1], HOSTNAME);
}

static void look_at_set(const struct plm_round *round, plm_id id, const struct plm_assignment *set,
			struct failed *failed)
{
	const struct plm_state *st = round->st;
	const struct plm_workload *workload = plm_workload_at(st, id);
	uint32_t count = 0;
	const struct plm_topology_domain *domain =
		PLM_SPAN(st, set->domains, struct plm_topology_domain, &count);

	if (pod_set_of(st, workload, set->name) == NULL || !ends_at_host(st, set)) {
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t levels = 0;
		const plm_sym *values = PLM_SPAN(st, domain[i].values, plm_sym, &levels);

		if (levels > 0 && host_failed(st, id, set, values[levels - 1])) {
			note_failed(failed, values[levels - 1]);
		}
	}
}

static struct failed failed_of(const struct plm_round *round, plm_id id)
{
	const struct plm_state *st = round->st;
	const struct plm_workload *workload = plm_workload_at(st, id);
	uint32_t sets = 0;
	const struct plm_assignment *set =
		PLM_SPAN(st, workload->assignments, struct plm_assignment, &sets);
	uint32_t known = 0;
	const plm_sym *before = PLM_SPAN(st, workload->unhealthy, plm_sym, &known);
	struct failed failed = {NULL, 0};
	uint32_t total = known;

	for (uint32_t i = 0; i < sets; i++) {
		uint32_t count = 0;

		(void)PLM_SPAN(st, set[i].domains, struct plm_topology_domain, &count);
		total += count;
	}
	failed.list = PLM_NEW_ARRAY(round->arena, total, plm_sym);
	for (uint32_t i = 0; i < known; i++) {
		note_failed(&failed, before[i]);
	}
	for (uint32_t i = 0; i < sets; i++) {
		look_at_set(round, id, &set[i], &failed);
	}
	return failed;
}

/* ---- what is said ------------------------------------------------------------------------------ */

static struct plm_slice text(const struct plm_round *round, plm_sym sym)
{
	return plm_str(round->st, sym);
}

static struct plm_entry said_of(plm_id id, const struct plm_workload *workload, plm_sym node)
{
	struct plm_entry said =
		plm_entry_said(id, (struct plm_why){.rule = PLM_RULE_NODE_FAILED,
						    .reason = PLM_REASON_NODE_FAILURES,
						    .object = workload->reserved_in});

	said.detail = node;
	return said;
}

static void evict(struct plm_round *round, const struct plm_entry *said)
{
	const struct plm_workload *workload = plm_workload_at(round->st, said->workload);
	struct plm_w_evict *evict = PLM_NEW(round->arena, struct plm_w_evict);

	evict->ns = text(round, workload->object.ns);
	evict->name = text(round, workload->object.name);
	evict->reason = PLM_REASON_NODE_FAILURES;
	plm_why_fill(round->st, round->arena, said, &evict->why);
	(void)plm_out_add(round->out, PLM_EV_EVICT, evict, PLM_CAUSE_CYCLE);
}

static void tell_unhealthy(struct plm_round *round, plm_id id, const struct failed *failed)
{
	const struct plm_workload *workload = plm_workload_at(round->st, id);
	struct plm_w_unhealthy *w = PLM_NEW(round->arena, struct plm_w_unhealthy);
	struct plm_entry said = said_of(id, workload, failed->list[0]);

	w->ns = text(round, workload->object.ns);
	w->name = text(round, workload->object.name);
	w->nodes = plm_emit_texts(round, failed->list, failed->count);
	plm_why_fill(round->st, round->arena, &said, &w->why);
	(void)plm_out_add(round->out, PLM_EV_UNHEALTHY, w, PLM_CAUSE_CYCLE);
}

/* ---- watch ------------------------------------------------------------------------------------- */

static bool holds(const struct plm_workload *workload)
{
	return (workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED) &&
	       workload->evicted_ms == PLM_UNSET;
}

void plm_second_pass_watch(struct plm_round *round)
{
	const struct plm_state *st = round->st;

	if (plm_root(st)->domains_look == 0 || plm_tas_topology_live(st) == 0) {
		return;
	}
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);
		struct failed failed = {NULL, 0};
		uint32_t known = 0;

		if (!holds(workload) || !plm_tas_assigned(st, workload->assignments)) {
			continue;
		}
		failed = failed_of(round, id);
		(void)PLM_SPAN(st, workload->unhealthy, plm_sym, &known);
		if (failed.count > known) {
			tell_unhealthy(round, id, &failed);
		}
	}
}

/* ---- place ------------------------------------------------------------------------------------- */

static bool has_host(const struct plm_state *st, const struct plm_assignment *set, plm_sym host)
{
	uint32_t count = 0;
	const struct plm_topology_domain *domain =
		PLM_SPAN(st, set->domains, struct plm_topology_domain, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t levels = 0;
		const plm_sym *values = PLM_SPAN(st, domain[i].values, plm_sym, &levels);

		if (levels > 0 && plm_sym_equal(values[levels - 1], host)) {
			return true;
		}
	}
	return false;
}

/* What is asked for one workload, and what came of it. */
struct second {
	struct plm_round *round;
	struct plm_tas *tas;
	plm_id id;
	const struct plm_workload *workload;
	const struct plm_assignment *sets;
	uint32_t set_count;
	plm_sym lost; /* 0: domains that were delayed */
	struct plm_tas_ask *asks;
	uint32_t *ask_sets;
	uint32_t ask_count;
	struct plm_tas_set *places;
	struct plm_tas_failure why;
};

static void make_asks(struct second *s)
{
	const struct plm_state *st = s->round->st;

	s->asks = PLM_NEW_ARRAY(s->round->arena, s->set_count, struct plm_tas_ask);
	s->ask_sets = PLM_NEW_ARRAY(s->round->arena, s->set_count, uint32_t);
	s->places = PLM_NEW_ARRAY(s->round->arena, s->set_count, struct plm_tas_set);
	for (uint32_t i = 0; i < s->set_count; i++) {
		const struct plm_assignment *set = &s->sets[i];
		const struct plm_pod_set *spec = pod_set_of(st, s->workload, set->name);
		struct plm_tas_ask ask = {.set = spec, .count = set->count, .lost = s->lost};
		bool wanted = s->lost.n != 0 ? has_host(st, set, s->lost)
					     : set->delayed == PLM_DELAYED_PENDING;

		ask.flavor = plm_topology_flavor(st, set->flavors);
		if (spec == NULL || !wanted || ask.flavor.n == 0) {
			continue;
		}
		ask.before = s->lost.n != 0 ? set : NULL;
		ask.implied = spec->topology_asked == 0;
		ask.each = PLM_SPAN(st, shape_of(st, spec)->requests, struct plm_amount,
				    &ask.each_count);
		s->ask_sets[s->ask_count] = i;
		s->asks[s->ask_count++] = ask;
	}
}

static struct plm_vec kv_list(const struct plm_round *round, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_kv *kv = PLM_SPAN(round->st, span, struct plm_kv, &count);
	struct plm_w_kv *out = PLM_NEW_ARRAY(round->arena, count, struct plm_w_kv);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_kv){text(round, kv[i].key), text(round, kv[i].value)};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec amount_list(const struct plm_round *round, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_amount *amount = PLM_SPAN(round->st, span, struct plm_amount, &count);
	struct plm_w_amount *out = PLM_NEW_ARRAY(round->arena, count, struct plm_w_amount);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_amount){text(round, amount[i].resource), amount[i].amount};
	}
	return (struct plm_vec){out, count};
}

/* The domains that a pod set has and keeps. */
static struct plm_tas_set places_of(const struct plm_round *round, const struct plm_assignment *set)
{
	const struct plm_state *st = round->st;
	struct plm_tas_set places = {0};
	const struct plm_topology_domain *domain =
		PLM_SPAN(st, set->domains, struct plm_topology_domain, &places.domain_count);

	places.levels = PLM_SPAN(st, set->levels, plm_sym, &places.level_count);
	places.domains = PLM_NEW_ARRAY(round->arena, places.domain_count, struct plm_tas_domain);
	for (uint32_t i = 0; i < places.domain_count; i++) {
		uint32_t levels = 0;

		places.domains[i].values = PLM_SPAN(st, domain[i].values, plm_sym, &levels);
		places.domains[i].count = domain[i].count;
		PLM_ASSERT(levels == places.level_count);
	}
	return places;
}

static struct plm_w_assignment renewed(const struct second *s, uint32_t index)
{
	const struct plm_assignment *set = &s->sets[index];
	struct plm_tas_set places = places_of(s->round, set);
	bool fresh = false;

	for (uint32_t a = 0; a < s->ask_count; a++) {
		if (s->ask_sets[a] == index) {
			places = s->places[a];
			fresh = true;
		}
	}
	return (struct plm_w_assignment){
		.name = text(s->round, set->name),
		.count = set->count,
		.flavors = kv_list(s->round, set->flavors),
		.usage = amount_list(s->round, set->usage),
		.levels = plm_emit_texts(s->round, places.levels, places.level_count),
		.domains = plm_emit_domains(s->round, &places),
		.delayed = fresh && set->delayed == PLM_DELAYED_PENDING ? PLM_DELAYED_READY
									: set->delayed,
	};
}

/* The new domains in the trees instead of the old ones, for who comes next in this pass. */
static void exchange(const struct second *s)
{
	struct plm_tas_uses old = plm_topology_held(
		s->round->st, s->round->arena, s->workload->assignments, s->workload->pod_sets);

	if (s->lost.n != 0) {
		plm_tas_add(s->tas, old.list, old.count, -1);
	}
	for (uint32_t a = 0; a < s->ask_count; a++) {
		for (uint32_t d = 0; d < s->places[a].domain_count; d++) {
			struct plm_tas_use use = {
				.flavor = s->asks[a].flavor,
				.value_count = s->places[a].level_count,
				.values = s->places[a].domains[d].values,
				.each = s->asks[a].each,
				.each_count = s->asks[a].each_count,
				.count = s->places[a].domains[d].count,
			};

			plm_tas_add(s->tas, &use, 1, 1);
		}
	}
}

static void assign(struct second *s)
{
	struct plm_round *round = s->round;
	struct plm_w_assigned *w = PLM_NEW(round->arena, struct plm_w_assigned);
	struct plm_w_assignment *list =
		PLM_NEW_ARRAY(round->arena, s->set_count, struct plm_w_assignment);
	struct plm_entry said = said_of(s->id, s->workload, s->lost);

	if (s->lost.n == 0) {
		said.key.rule = PLM_RULE_FITS;
		said.key.reason = PLM_REASON_QUOTA_RESERVED;
	} else {
		said.key.reason = PLM_REASON_ADMITTED;
	}
	for (uint32_t i = 0; i < s->set_count; i++) {
		list[i] = renewed(s, i);
	}
	w->ns = text(round, s->workload->object.ns);
	w->name = text(round, s->workload->object.name);
	w->assignments = (struct plm_vec){list, s->set_count};
	plm_why_fill(round->st, round->arena, &said, &w->why);
	(void)plm_out_add(round->out, PLM_EV_ASSIGNED, w, PLM_CAUSE_CYCLE);
	exchange(s);
}

static void give_up(struct second *s)
{
	struct plm_entry said = said_of(s->id, s->workload, s->lost);

	said.need = s->why.need;
	said.have = s->why.fit;
	evict(s->round, &said);
}

static void replace(struct second *s)
{
	uint32_t count = 0;
	const plm_sym *nodes = PLM_SPAN(s->round->st, s->workload->unhealthy, plm_sym, &count);

	PLM_ASSERT(count > 0);
	s->lost = nodes[0];
	if (count > 1) {
		struct plm_entry said = said_of(s->id, s->workload, nodes[count - 1]);

		evict(s->round, &said);
		return;
	}
	make_asks(s);
	if (s->ask_count == 0 ||
	    plm_tas_place(s->tas, s->asks, s->ask_count, false, s->places, &s->why)) {
		assign(s);
	} else {
		give_up(s);
	}
}

/* Delayed domains; when there is no room yet they are looked for again in the next cycle. */
static void place_late(struct second *s)
{
	make_asks(s);
	if (s->ask_count > 0 &&
	    plm_tas_place(s->tas, s->asks, s->ask_count, false, s->places, NULL)) {
		assign(s);
		plm_policy_admit(s->round, s->id);
	}
}

void plm_second_pass(struct plm_round *round)
{
	const struct plm_state *st = round->st;
	struct plm_tas *tas = NULL;

	if (plm_tas_topology_live(st) == 0) {
		return;
	}
	PLM_EACH(st, workload, id)
	{
		struct second s = {.round = round, .id = id, .workload = plm_workload_at(st, id)};

		if (!holds(s.workload) || s.workload->assignments.n == 0) {
			continue;
		}
		s.sets = PLM_SPAN(st, s.workload->assignments, struct plm_assignment, &s.set_count);
		if (s.workload->unhealthy.n == 0 &&
		    !(plm_topology_pending(st, s.workload->assignments) &&
		      plm_checks_ready_held(round->st, s.workload))) {
			continue;
		}
		tas = tas == NULL ? plm_tas_make(st, round->arena) : tas;
		s.tas = tas;
		if (s.workload->unhealthy.n != 0) {
			replace(&s);
		} else {
			place_late(&s);
		}
	}
}
