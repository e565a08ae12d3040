/* Groups: what they select, where they count, which domains they know. */
#include "reducers/sched/topology.h"

#include "core/hashing.h"
#include "reducers/sched/selector.h"

/* ---- domains ----------------------------------------------------------------------------------- */

static void index_domain(struct plm_topo_key *key, uint32_t place)
{
	uint32_t at = (uint32_t)plm_hash_mix(key->values[place].n);

	while (key->index[at & key->mask] != 0) {
		at++;
	}
	key->index[at & key->mask] = place + 1;
}

static void grow_key(const struct plm_topology *t, struct plm_topo_key *key)
{
	uint32_t room = key->room == 0 ? 16 : key->room * 2;
	plm_sym *values = PLM_NEW_ARRAY(t->sched->arena, room, plm_sym);

	if (key->count > 0) {
		memcpy(values, key->values, key->count * sizeof(*values));
	}
	key->values = values;
	key->room = room;
	key->mask = room * 2 - 1;
	key->index = PLM_NEW_ARRAY(t->sched->arena, (size_t)room * 2, uint32_t);
	for (uint32_t i = 0; i < key->count; i++) {
		index_domain(key, i);
	}
}

uint32_t plm_topo_find(const struct plm_topo_key *key, plm_sym value)
{
	uint32_t at = (uint32_t)plm_hash_mix(value.n);

	for (; key->room != 0 && key->index[at & key->mask] != 0; at++) {
		uint32_t place = key->index[at & key->mask] - 1;

		if (plm_sym_equal(key->values[place], value)) {
			return place;
		}
	}
	return key->count;
}

/* The place of 'value', made when it is new. */
static uint32_t domain(const struct plm_topology *t, struct plm_topo_key *key, plm_sym value)
{
	uint32_t place = plm_topo_find(key, value);

	if (place < key->count) {
		return place;
	}
	if (key->count == key->room) {
		grow_key(t, key);
	}
	key->values[key->count] = value;
	index_domain(key, key->count);
	return key->count++;
}

static struct plm_topo_key *key_of(struct plm_topology *t, plm_sym sym)
{
	for (uint32_t i = 0; i < t->key_count; i++) {
		if (plm_sym_equal(t->keys[i]->key, sym)) {
			return t->keys[i];
		}
	}
	if (t->key_count == t->key_room) {
		uint32_t room = t->key_room == 0 ? 8 : t->key_room * 2;
		struct plm_topo_key **keys =
			PLM_NEW_ARRAY(t->sched->arena, room, struct plm_topo_key *);

		if (t->key_count > 0) {
			memcpy(keys, t->keys, t->key_count * sizeof(struct plm_topo_key *));
		}
		t->keys = keys;
		t->key_room = room;
	}
	t->keys[t->key_count] = PLM_NEW(t->sched->arena, struct plm_topo_key);
	t->keys[t->key_count]->key = sym;
	return t->keys[t->key_count++];
}

static int32_t *count_at(const struct plm_topology *t, struct plm_topo_group *group, plm_sym value)
{
	uint32_t place = domain(t, group->key, value);

	if (place >= group->room) {
		uint32_t room = group->key->room;
		int32_t *counts = PLM_NEW_ARRAY(t->sched->arena, room, int32_t);

		memset(counts, 0xff, room * sizeof(*counts)); /* PLM_TOPO_UNKNOWN */
		if (group->room > 0) {
			memcpy(counts, group->counts, group->room * sizeof(*counts));
		}
		group->counts = counts;
		group->room = room;
	}
	return &group->counts[place];
}

void plm_topo_register(const struct plm_topology *t, struct plm_topo_group *group, plm_sym value)
{
	int32_t *count = count_at(t, group, value);

	if (*count == PLM_TOPO_UNKNOWN) {
		*count = 0;
		group->known++;
	}
}

void plm_topo_count(const struct plm_topology *t, struct plm_topo_group *group, plm_sym value)
{
	int32_t *count = count_at(t, group, value);

	plm_topo_register(t, group, value);
	PLM_ASSERT(*count >= 0 && *count < INT32_MAX);
	group->occupied += *count == 0 ? 1 : 0;
	PLM_ASSERT(group->occupied <= group->known);
	(*count)++;
}

/* ---- selection --------------------------------------------------------------------------------- */

static bool in_namespaces(const struct plm_topo_group *group, plm_sym ns)
{
	for (uint32_t i = 0; i < group->ns_count; i++) {
		if (plm_sym_equal(group->ns_list[i], ns)) {
			return true;
		}
	}
	return false;
}

static bool selects(const struct plm_topology *t, const struct plm_topo_group *group,
		    plm_sym labels, plm_sym ns)
{
	if (!in_namespaces(group, ns) ||
	    !plm_selector_matches(t->sched->st, &group->selector, labels)) {
		return false;
	}
	for (uint32_t i = 0; i < group->extra_count; i++) {
		plm_sym value = {0};
		bool equal = plm_kv_get(t->sched->st, labels, group->extra[i].key, &value) &&
			     plm_sym_equal(value, group->extra_values[i]);

		if (equal != (group->extra[i].op == PLM_OP_IN)) {
			return false;
		}
	}
	return true;
}

/* Labels whose value in the selected pods must be, or must not be, this pod's own. */
static void add_match_keys(const struct plm_topology *t, struct plm_topo_group *group, plm_sym keys,
			   enum plm_op op, plm_sym labels)
{
	uint32_t count = 0;
	const plm_sym *list = PLM_SPAN(t->sched->st, keys, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_sym value = {0};

		if (plm_kv_get(t->sched->st, labels, list[i], &value)) {
			group->extra[group->extra_count] =
				(struct plm_expr){.key = list[i], .op = op};
			group->extra_values[group->extra_count++] = value;
		}
	}
}

static void begin_extra(const struct plm_topology *t, struct plm_topo_group *group, plm_sym match,
			plm_sym mismatch)
{
	uint32_t a = 0;
	uint32_t b = 0;

	(void)PLM_SPAN(t->sched->st, match, plm_sym, &a);
	(void)PLM_SPAN(t->sched->st, mismatch, plm_sym, &b);
	group->extra = PLM_NEW_ARRAY(t->sched->arena, a + b, struct plm_expr);
	group->extra_values = PLM_NEW_ARRAY(t->sched->arena, a + b, plm_sym);
}

static void own_namespace(const struct plm_topology *t, struct plm_topo_group *group, plm_sym ns)
{
	plm_sym *list = PLM_NEW(t->sched->arena, plm_sym);

	*list = ns;
	group->ns_list = list;
	group->ns_count = 1;
}

static void affinity_namespaces(const struct plm_topology *t, struct plm_topo_group *group,
				const struct plm_affinity *term, plm_sym ns)
{
	const struct plm_state *st = t->sched->st;
	uint32_t named = 0;
	const plm_sym *names = PLM_SPAN(st, term->namespaces, plm_sym, &named);
	plm_sym *list = NULL;

	if (named == 0 && term->ns_selector.present == 0) {
		own_namespace(t, group, ns);
		return;
	}
	list = PLM_NEW_ARRAY(t->sched->arena, named + plm_namespace_live(st), plm_sym);
	if (named > 0) {
		memcpy(list, names, named * sizeof(*list));
	}
	if (term->ns_selector.present != 0) {
		PLM_EACH(st, namespace, id)
		{
			const struct plm_object *object = &plm_namespace_at(st, id)->object;

			if (plm_selector_matches(t->sched->st, &term->ns_selector,
						 object->labels)) {
				list[named++] = object->name;
			}
		}
	}
	group->ns_list = list;
	group->ns_count = named;
}

/* ---- equal groups are one ---------------------------------------------------------------------- */

static bool same_namespaces(const struct plm_topo_group *a, const struct plm_topo_group *b)
{
	for (uint32_t i = 0; i < a->ns_count; i++) {
		if (!in_namespaces(b, a->ns_list[i])) {
			return false;
		}
	}
	for (uint32_t i = 0; i < b->ns_count; i++) {
		if (!in_namespaces(a, b->ns_list[i])) {
			return false;
		}
	}
	return true;
}

static bool same_extra(const struct plm_topo_group *a, const struct plm_topo_group *b)
{
	if (a->extra_count != b->extra_count) {
		return false;
	}
	for (uint32_t i = 0; i < a->extra_count; i++) {
		if (!plm_sym_equal(a->extra[i].key, b->extra[i].key) ||
		    a->extra[i].op != b->extra[i].op ||
		    !plm_sym_equal(a->extra_values[i], b->extra_values[i])) {
			return false;
		}
	}
	return true;
}

/* The minimum of domains has no part in it upstream: the first pod's counts. */
static bool same_group(const struct plm_topology *t, const struct plm_topo_group *a,
		       const struct plm_topo_group *b)
{
	return a->type == b->type && a->key == b->key && a->max_skew == b->max_skew &&
	       a->selector.present == b->selector.present &&
	       plm_sym_equal(a->selector.exprs, b->selector.exprs) && same_extra(a, b) &&
	       same_namespaces(a, b) && plm_topo_filter_same(t, &a->filter, &b->filter) &&
	       (t->strict || a->min_domains == b->min_domains);
}

static void groups_add(const struct plm_topology *t, struct plm_topo_groups *groups,
		       struct plm_topo_group *group)
{
	if (groups->count == groups->room) {
		uint32_t room = groups->room == 0 ? 4 : groups->room * 2;
		struct plm_topo_group **list =
			PLM_NEW_ARRAY(t->sched->arena, room, struct plm_topo_group *);

		if (groups->count > 0) {
			memcpy(list, groups->list, groups->count * sizeof(struct plm_topo_group *));
		}
		groups->list = list;
		groups->room = room;
	}
	groups->list[groups->count++] = group;
}

static void groups_add_once(const struct plm_topology *t, struct plm_topo_groups *groups,
			    struct plm_topo_group *group)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		if (groups->list[i] == group) {
			return;
		}
	}
	groups_add(t, groups, group);
}

/* ---- the universe of domains ------------------------------------------------------------------- */

static void register_values(const struct plm_topology *t, struct plm_topo_group *group,
			    const struct plm_req *req)
{
	for (uint32_t i = 0; i < req->count; i++) {
		plm_topo_register(t, group, req->values[i]);
	}
}

/*
 * A pool whose taints the pod does not tolerate: for a spread that honors taints. Upstream forgets that
 * affinity has no such policy, and leaves out the domains that the pod which made the group cannot reach.
 */
static bool hidden(const struct plm_topology *t, const struct plm_topo_group *group,
		   const struct plm_topo_supply *supply)
{
	if (group->type == PLM_TOPO_SPREAD) {
		return group->filter.by_taints &&
		       plm_taints_refuse(t->sched, &supply->taints, &group->filter.tolerated) !=
			       NULL;
	}
	return t->strict && plm_taints_refuse(t->sched, &supply->taints, &group->owner) != NULL;
}

/* What nodes of one pool can be called: its own values, and those of the types within its bounds. */
static void register_supply(const struct plm_topology *t, struct plm_topo_group *group,
			    const struct plm_topo_supply *supply)
{
	plm_sym key = group->key->key;
	const struct plm_req *own = plm_reqs_get(supply->reqs, key);
	uint32_t count = 0;
	bool all = false;
	const struct plm_req *classes = t->classes(t->context, key, &count, &all);

	if (plm_sym_equal(key, t->sched->known[PLM_KNOWN_NODE_POOL]) ||
	    plm_sym_equal(key, t->sched->known[PLM_KNOWN_NODE_CLASS])) {
		return; /* not among the labels that a pool's template names */
	}
	if (hidden(t, group, supply)) {
		return;
	}
	for (uint32_t c = 0; c < count; c++) {
		if (own == NULL) {
			register_values(t, group, &classes[c]);
		} else {
			struct plm_req both = plm_req_intersect(t->sched, own, &classes[c]);

			register_values(t, group, &both);
		}
	}
	/* Where types do not have the label, upstream takes the values of the pool whatever its operator:
	   what 'NotIn' excludes is then a domain that nobody can reach, and blocks every spread. */
	if (own != NULL && ((t->strict && !all) || plm_req_op(own) == PLM_OP_IN)) {
		register_values(t, group, own);
	}
}

static bool domain_of(const struct plm_topology *t, const struct plm_topo_node *node, plm_sym key,
		      bool name_is_host, plm_sym *out)
{
	if (plm_kv_get(t->sched->st, node->labels, key, out)) {
		return true;
	}
	*out = node->name;
	return name_is_host && plm_sym_equal(key, t->sched->known[PLM_KNOWN_HOSTNAME]);
}

static bool node_counts(const struct plm_topology *t, const struct plm_topo_group *group,
			const struct plm_topo_node *node)
{
	struct plm_taints taints = plm_taints_of(t->sched, node->taints);
	struct plm_reqs reqs = {0};

	if (!group->filter.by_affinity && !group->filter.by_taints) {
		return true;
	}
	reqs = plm_reqs_of_labels(t->sched, node->labels);
	return plm_topo_filter_matches(t, &group->filter, &taints, &reqs);
}

static void register_nodes(const struct plm_topology *t, struct plm_topo_group *group)
{
	for (uint32_t i = 0; i < t->node_count; i++) {
		plm_sym value = {0};

		if (t->seated[i] != 0 && node_counts(t, group, &t->nodes[i]) &&
		    domain_of(t, &t->nodes[i], group->key->key, false, &value)) {
			plm_topo_register(t, group, value);
		}
	}
}

/* What was found out of pods with equal labels, and of nodes, for one group. */
struct tally {
	struct seen {
		plm_sym labels, ns;
		uint32_t said; /* 0: nothing yet, 1: not selected, 2: selected */
	} *seen;
	plm_sym *of_node;   /* domain */
	uint8_t *node_said; /* 0: nothing yet, 1: it does not count, 2: 'of_node' */
};
#define SEEN 256U

static bool selects_pod(const struct plm_topology *t, const struct plm_topo_group *group,
			const struct tally *tally, const struct plm_topo_pod *pod)
{
	struct seen *seen =
		&tally->seen[plm_hash_mix((uint64_t)pod->labels.n << 32 | pod->ns.n) % SEEN];

	if (seen->said == 0 || !plm_sym_equal(seen->labels, pod->labels) ||
	    !plm_sym_equal(seen->ns, pod->ns)) {
		*seen = (struct seen){pod->labels, pod->ns,
				      selects(t, group, pod->labels, pod->ns) ? 2 : 1};
	}
	return seen->said == 2;
}

static bool counted_domain(const struct plm_topology *t, const struct plm_topo_group *group,
			   const struct tally *tally, uint32_t index, plm_sym *out)
{
	const struct plm_topo_node *node = &t->nodes[index];

	if (tally->node_said[index] == 0) {
		bool counts = domain_of(t, node, group->key->key, true, &tally->of_node[index]) &&
			      node_counts(t, group, node);

		tally->node_said[index] = counts ? 2 : 1;
	}
	*out = tally->of_node[index];
	return tally->node_said[index] == 2;
}

static void count_pods(const struct plm_topology *t, struct plm_topo_group *group)
{
	struct tally tally = {
		.seen = PLM_NEW_ARRAY(t->sched->arena, SEEN, struct seen),
		.of_node = PLM_NEW_ARRAY(t->sched->arena, t->node_count, plm_sym),
		.node_said = PLM_NEW_ARRAY(t->sched->arena, t->node_count, uint8_t),
	};

	for (uint32_t i = 0; i < t->pod_count; i++) {
		const struct plm_topo_pod *pod = &t->pods[i];
		plm_sym value = {0};

		if (!pod->leaves && selects_pod(t, group, &tally, pod) &&
		    counted_domain(t, group, &tally, pod->node, &value)) {
			plm_topo_count(t, group, value);
		}
	}
}

/* ---- making groups ----------------------------------------------------------------------------- */

static void select_kinds(struct plm_topology *t, struct plm_topo_group *group)
{
	group->selects = PLM_NEW_ARRAY(t->sched->arena, t->kind_count, uint8_t);
	for (uint32_t k = 0; k < t->kind_count; k++) {
		if (selects(t, group, t->kinds[k].labels, t->kinds[k].ns)) {
			group->selects[k] = 1;
			t->kinds[k].held = t->kinds[k].held || group->inverse;
			if (!group->inverse) {
				groups_add(t, &t->kinds[k].counted, group);
			}
		}
	}
}

/* The group that equals 'draft': one that is there, or 'draft' itself with its domains. */
static struct plm_topo_group *enter(struct plm_topology *t, struct plm_topo_groups *groups,
				    const struct plm_topo_group *draft, bool count)
{
	struct plm_topo_group *group = NULL;

	for (uint32_t i = 0; i < groups->count; i++) {
		if (same_group(t, groups->list[i], draft)) {
			return groups->list[i];
		}
	}
	group = PLM_NEW(t->sched->arena, struct plm_topo_group);
	*group = *draft;
	for (uint32_t i = 0; i < t->supply_count; i++) {
		register_supply(t, group, &t->supplies[i]);
	}
	/* Upstream an inverse group does not know domains that only nodes have: nobody may go there. */
	if (count || !t->strict) {
		register_nodes(t, group);
	}
	if (count) {
		count_pods(t, group);
	}
	select_kinds(t, group);
	groups_add(t, groups, group);
	return group;
}

/* The pod that makes a group. */
struct plm_topo_maker {
	plm_sym labels, ns;
	struct plm_tolerations tolerations;
};

static struct plm_tolerations tolerations_of(const struct plm_topology *t,
					     const struct plm_shape *shape)
{
	struct plm_tolerations own = {0};

	own.list = PLM_SPAN(t->sched->st, shape->tolerations, struct plm_toleration, &own.count);
	return own;
}

static struct plm_topo_group draft_affinity(struct plm_topology *t, const struct plm_affinity *term,
					    enum plm_topo_type type,
					    const struct plm_topo_maker *by)
{
	plm_sym labels = by->labels;
	plm_sym ns = by->ns;
	struct plm_topo_group draft = {
		.type = type,
		.owner = by->tolerations,
		.key = key_of(t, plm_known_key(t->sched, term->topology_key)),
		.selector = term->selector,
		.max_skew = INT64_MAX,
		.min_domains = PLM_UNSET,
	};

	affinity_namespaces(t, &draft, term, ns);
	begin_extra(t, &draft, term->match_keys, term->mismatch_keys);
	add_match_keys(t, &draft, term->match_keys, PLM_OP_IN, labels);
	add_match_keys(t, &draft, term->mismatch_keys, PLM_OP_NOT_IN, labels);
	return draft;
}

static void use_affinity(struct plm_topology *t, struct plm_topo_use *use,
			 const struct plm_topo_maker *by, const struct plm_affinity *term,
			 enum plm_topo_type type)
{
	struct plm_topo_group draft = draft_affinity(t, term, type, by);

	groups_add_once(t, &use->groups, enter(t, &t->direct, &draft, true));
}

static void use_spread(struct plm_topology *t, struct plm_topo_use *use, uint32_t kind,
		       const struct plm_ask *ask, const struct plm_spread *spread)
{
	const struct plm_topo_kind *k = &t->kinds[kind];
	struct plm_topo_group draft = {
		.type = PLM_TOPO_SPREAD,
		.key = key_of(t, plm_known_key(t->sched, spread->topology_key)),
		.selector = spread->selector,
		.max_skew = spread->max_skew,
		.min_domains = spread->min_domains,
		.filter = plm_topo_filter_make(t, k->shape, spread, ask),
	};

	own_namespace(t, &draft, k->ns);
	begin_extra(t, &draft, spread->match_keys, (plm_sym){0});
	add_match_keys(t, &draft, spread->match_keys, PLM_OP_IN, k->labels);
	groups_add_once(t, &use->groups, enter(t, &t->direct, &draft, true));
}

const struct plm_topo_groups *plm_topology_use(struct plm_topology *t, uint32_t kind,
					       const struct plm_ask *ask, struct plm_topo_use *use)
{
	const struct plm_shape *shape = t->kinds[kind].shape;
	const struct plm_state *st = t->sched->st;
	uint32_t count = 0;
	const struct plm_spread *spread = PLM_SPAN(st, shape->spread, struct plm_spread, &count);
	const struct plm_affinity *terms = NULL;
	struct plm_topo_maker by = {t->kinds[kind].labels, t->kinds[kind].ns, ask->tolerations};

	PLM_ASSERT(kind < t->kind_count);

	if (use->made) {
		return &use->groups;
	}
	use->made = true;
	for (uint32_t i = 0; i < ask->spread_count; i++) {
		use_spread(t, use, kind, ask, &spread[ask->spread[i]]);
	}
	terms = PLM_SPAN(st, shape->affinity, struct plm_affinity, &count);
	for (uint32_t i = 0; i < count; i++) {
		use_affinity(t, use, &by, &terms[i], PLM_TOPO_AFFINITY);
	}
	terms = PLM_SPAN(st, shape->preferred_affinity, struct plm_affinity, &count);
	for (uint32_t i = 0; i < ask->affinity_count; i++) {
		use_affinity(t, use, &by, &terms[ask->affinity[i]], PLM_TOPO_AFFINITY);
	}
	terms = PLM_SPAN(st, shape->anti_affinity, struct plm_affinity, &count);
	for (uint32_t i = 0; i < count; i++) {
		use_affinity(t, use, &by, &terms[i], PLM_TOPO_ANTI_AFFINITY);
	}
	terms = PLM_SPAN(st, shape->preferred_anti_affinity, struct plm_affinity, &count);
	for (uint32_t i = 0; i < ask->anti_affinity_count; i++) {
		use_affinity(t, use, &by, &terms[ask->anti_affinity[i]], PLM_TOPO_ANTI_AFFINITY);
	}
	return &use->groups;
}

/* ---- inverse groups ---------------------------------------------------------------------------- */

/* The groups of one pod that stands; the next one is most often its like. */
struct standing {
	plm_sym terms, labels, ns, tolerations;
	struct plm_topo_group **groups;
	uint32_t count;
};

static void find_standing(struct plm_topology *t, const struct plm_topo_pod *pod,
			  struct standing *found)
{
	uint32_t count = 0;
	const struct plm_affinity *terms =
		PLM_SPAN(t->sched->st, pod->shape->anti_affinity, struct plm_affinity, &count);
	struct plm_topo_maker by = {pod->labels, pod->ns, tolerations_of(t, pod->shape)};

	*found = (struct standing){
		.terms = pod->shape->anti_affinity,
		.labels = pod->labels,
		.ns = pod->ns,
		.tolerations = pod->shape->tolerations,
		.groups = PLM_NEW_ARRAY(t->sched->arena, count, struct plm_topo_group *),
		.count = count};
	for (uint32_t i = 0; i < count; i++) {
		struct plm_topo_group draft =
			draft_affinity(t, &terms[i], PLM_TOPO_ANTI_AFFINITY, &by);

		draft.inverse = true;
		found->groups[i] = enter(t, &t->inverse, &draft, false);
	}
}

/* A pod that stands keeps others away from where it is. */
static void hold_standing(struct plm_topology *t, const struct plm_topo_pod *pod,
			  struct standing *like)
{
	if (!plm_sym_equal(like->terms, pod->shape->anti_affinity) ||
	    !plm_sym_equal(like->labels, pod->labels) || !plm_sym_equal(like->ns, pod->ns) ||
	    !plm_sym_equal(like->tolerations, pod->shape->tolerations)) {
		find_standing(t, pod, like);
	}
	for (uint32_t i = 0; i < like->count; i++) {
		struct plm_topo_group *group = like->groups[i];
		plm_sym value = {0};

		if (domain_of(t, &t->nodes[pod->node], group->key->key, false, &value)) {
			plm_topo_count(t, group, value);
		}
	}
}

static void hold_kind(struct plm_topology *t, uint32_t kind)
{
	struct plm_topo_kind *k = &t->kinds[kind];
	uint32_t count = 0;
	const struct plm_affinity *terms =
		PLM_SPAN(t->sched->st, k->shape->anti_affinity, struct plm_affinity, &count);
	struct plm_topo_maker by = {k->labels, k->ns, tolerations_of(t, k->shape)};

	for (uint32_t i = 0; i < count; i++) {
		struct plm_topo_group draft =
			draft_affinity(t, &terms[i], PLM_TOPO_ANTI_AFFINITY, &by);

		draft.inverse = true;
		groups_add_once(t, &k->inverse, enter(t, &t->inverse, &draft, false));
	}
}

void plm_topology_begin(struct plm_topology *t)
{
	struct standing like = {.count = 0};

	PLM_ASSERT(t->sched != NULL && t->classes != NULL);
	PLM_ASSERT(t->kind_count == 0 || t->order != NULL);
	for (uint32_t i = 0; i < t->pod_count; i++) {
		if (t->pods[i].shape->anti_affinity.n != 0) {
			hold_standing(t, &t->pods[i], &like);
		}
	}
	for (uint32_t k = 0; k < t->kind_count; k++) {
		hold_kind(t, t->order[k]);
	}
}

static void add_host(const struct plm_topology *t, const struct plm_topo_groups *groups,
		     plm_sym host)
{
	plm_sym key = t->sched->known[PLM_KNOWN_HOSTNAME];

	for (uint32_t i = 0; i < groups->count; i++) {
		if (plm_sym_equal(groups->list[i]->key->key, key)) {
			plm_topo_register(t, groups->list[i], host);
		}
	}
}

void plm_topology_add_host(struct plm_topology *t, plm_sym host)
{
	add_host(t, &t->direct, host);
	add_host(t, &t->inverse, host);
}
