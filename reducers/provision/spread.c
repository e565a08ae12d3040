/* What topology is told of this pass: nodes, pods that stand, pools, kinds of wants. */
#include "core/sort.h"
#include "reducers/provision/pass.h"

static const struct plm_req *classes(const void *context, plm_sym key, uint32_t *count, bool *all)
{
	const struct plm_pass *pass = context;

	*all = false;
	for (uint32_t i = 0; i < pass->types.key_count; i++) {
		const struct plm_key_classes *have = &pass->types.keys[i];

		if (plm_sym_equal(have->key, key)) {
			*all = true;
			for (uint32_t t = 0; t < pass->types.count; t++) {
				*all = *all && have->class_of[t] != PLM_NO_CLASS;
			}
			*count = have->count;
			return have->reqs;
		}
	}
	*count = 0;
	return NULL;
}

struct standing {
	struct plm_topo_node *nodes;
	uint8_t *seated;
	uint32_t *of_node, *of_claim; /* slot to index + 1 */
	uint32_t count;
	uint8_t *wanted; /* pods that this pass places */
};

static void collect_nodes(struct plm_pass *pass, struct standing *all)
{
	const struct plm_state *st = pass->st;

	PLM_EACH(st, node, id)
	{
		const struct plm_node *node = plm_node_at(st, id);

		all->of_node[id.n] = all->count + 1;
		all->seated[all->count] = plm_target_stands(st, node->object.name, false) ? 1 : 0;
		all->nodes[all->count++] = (struct plm_topo_node){
			node->object.name, node->object.labels, node->taints};
	}
	PLM_EACH(st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(st, id);
		plm_id node = plm_find(st, PLM_KIND_NODE, (plm_sym){0}, claim->node);

		if (claim->node.n != 0 && node.n != 0) {
			all->of_claim[id.n] = all->of_node[node.n];
			continue;
		}
		all->of_claim[id.n] = all->count + 1;
		all->nodes[all->count++] = (struct plm_topo_node){
			claim->object.name, claim->object.labels, claim->taints};
	}
}

/* The node that a pod stands on, or is expected on; 0 = none. */
static uint32_t site_of(const struct plm_pass *pass, const struct standing *all, plm_id slot)
{
	const struct plm_pod *pod = plm_pod_at(pass->st, slot);
	plm_id id = {0};

	if (pass->st->pods.filled) {
		const struct plm_pod_link *link = &pass->st->pods.links[slot.n];
		uint32_t cell = link->cell[pod->node.n != 0 ? PLM_SIDE_BOUND : PLM_SIDE_EXPECTED];

		id = pass->st->pods.cells[cell].slot;
		return pass->st->pods.cells[cell].is_claim != 0 ? all->of_claim[id.n]
								: all->of_node[id.n];
	}
	if (pod->node.n != 0) {
		id = plm_find(pass->st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
		return id.n == 0 ? 0 : all->of_node[id.n];
	}
	if (pod->target.n == 0) {
		return 0;
	}
	id = plm_find(pass->st, pod->target_claim != 0 ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE,
		      (plm_sym){0}, pod->target);
	if (id.n == 0) {
		return 0;
	}
	return pod->target_claim != 0 ? all->of_claim[id.n] : all->of_node[id.n];
}

static void collect_pods(struct plm_pass *pass, const struct standing *all)
{
	struct plm_topology *t = pass->topology;
	struct plm_topo_pod *pods =
		PLM_NEW_ARRAY(pass->arena, plm_pod_live(pass->st), struct plm_topo_pod);

	PLM_EACH(pass->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(pass->st, id);
		uint32_t site = 0;
		uint32_t one = 0;

		if (all->wanted[id.n] != 0 || plm_pod_terminal(pod)) {
			continue;
		}
		site = site_of(pass, all, id);
		if (site != 0 && pod->shape.n != 0) {
			pods[t->pod_count++] = (struct plm_topo_pod){
				.labels = pod->object.labels,
				.ns = pod->object.ns,
				.shape = PLM_SPAN(pass->st, pod->shape, struct plm_shape, &one),
				.node = site - 1,
				.leaves = pod->object.deleting_ms != PLM_UNSET};
		}
	}
	t->pods = pods;
}

static void collect_supplies(struct plm_pass *pass)
{
	struct plm_topology *t = pass->topology;
	struct plm_topo_supply *supplies =
		PLM_NEW_ARRAY(pass->arena, pass->pool_count, struct plm_topo_supply);

	for (uint32_t p = 0; p < pass->pool_count; p++) {
		if (pass->pools[p].use != PLM_POOL_NOT_READY) {
			supplies[t->supply_count++] = (struct plm_topo_supply){
				&pass->pools[p].reqs, pass->pools[p].taints};
		}
	}
	t->supplies = supplies;
}

/* Scratch of order_kinds(). */
struct kind_order {
	const struct plm_pass *pass;
	uint32_t *first; /* by kind: the want that is first by name, + 1 */
};

static int by_name(const struct plm_pass *pass, uint32_t a, uint32_t b)
{
	const struct plm_object *x = &plm_pod_at(pass->st, pass->wants[a].pod)->object;
	const struct plm_object *y = &plm_pod_at(pass->st, pass->wants[b].pod)->object;
	int order = plm_sym_compare(pass->st, x->ns, y->ns);

	return order != 0 ? order : plm_sym_compare(pass->st, x->name, y->name);
}

static int earlier_kind(const void *context, uint32_t a, uint32_t b)
{
	const struct kind_order *all = context;
	int order = by_name(all->pass, all->first[a] - 1, all->first[b] - 1);

	return order != 0 ? order : (a < b ? -1 : (a > b ? 1 : 0));
}

/* Of a group that several kinds share the first one's pod decides some things: first by name. */
static const uint32_t *order_kinds(const struct plm_pass *pass)
{
	struct kind_order all = {
		.pass = pass,
		.first = PLM_NEW_ARRAY(pass->arena, pass->kind_count, uint32_t),
	};
	uint32_t *order = PLM_NEW_ARRAY(pass->arena, pass->kind_count, uint32_t);

	for (uint32_t i = 0; i < pass->want_count; i++) {
		uint32_t *first = &all.first[pass->shapes[pass->wants[i].shape].kind];

		if (*first == 0 || by_name(pass, i, *first - 1) < 0) {
			*first = i + 1;
		}
	}
	for (uint32_t k = 0; k < pass->kind_count; k++) {
		PLM_ASSERT(all.first[k] != 0);
		order[k] = k;
	}
	plm_sort(order, pass->kind_count, earlier_kind, &all, pass->arena);
	return order;
}

static void collect_kinds(struct plm_pass *pass)
{
	struct plm_topology *t = pass->topology;

	t->kinds = PLM_NEW_ARRAY(pass->arena, pass->kind_count, struct plm_topo_kind);
	t->kind_count = pass->kind_count;
	t->order = order_kinds(pass);
	for (uint32_t k = 0; k < pass->kind_count; k++) {
		t->kinds[k].labels = pass->kinds[k].labels;
		t->kinds[k].ns = pass->kinds[k].ns;
		t->kinds[k].shape = &pass->kinds[k].shape;
		pass->kinds[k].uses =
			PLM_NEW_ARRAY(pass->arena, pass->kinds[k].ask_count, struct plm_topo_use);
	}
}

/*
 * Karpenter knows nothing of the topology of a pod whose volumes it cannot find, until it lets go of a
 * preference.
 */
static bool is_astray(const struct plm_pass *pass, uint32_t volumes)
{
	return volumes != 0 && plm_volume_set_at(pass, volumes)->astray;
}

static const struct plm_topo_groups *groups_of(struct plm_pass *pass, uint32_t kind, uint32_t ask)
{
	static const struct plm_topo_groups none = {0};
	struct plm_want_kind *k = &pass->kinds[kind];

	if (ask == 0 && is_astray(pass, k->volumes)) {
		return &none;
	}
	return k->uses[ask].made
		       ? &k->uses[ask].groups
		       : plm_topology_use(pass->topology, kind, &k->asks[ask], &k->uses[ask]);
}

void plm_pass_topology(struct plm_pass *pass)
{
	struct standing all = {0};
	uint32_t room = plm_node_live(pass->st) + plm_node_claim_live(pass->st);

	if (!pass->by_labels) {
		return;
	}
	pass->topology = PLM_NEW(pass->arena, struct plm_topology);
	all.nodes = PLM_NEW_ARRAY(pass->arena, room, struct plm_topo_node);
	all.seated = PLM_NEW_ARRAY(pass->arena, room, uint8_t);
	all.of_node = PLM_NEW_ARRAY(pass->arena, plm_node_bound(pass->st), uint32_t);
	all.of_claim = PLM_NEW_ARRAY(pass->arena, plm_node_claim_bound(pass->st), uint32_t);
	all.wanted = PLM_NEW_ARRAY(pass->arena, plm_pod_bound(pass->st), uint8_t);
	for (uint32_t i = 0; i < pass->want_count; i++) {
		/* Karpenter takes those whose volumes it cannot find for pods that stay. */
		if (!is_astray(pass, plm_want_shape_of(pass, i)->volumes)) {
			all.wanted[pass->wants[i].pod.n] = 1;
		}
	}
	collect_nodes(pass, &all);
	pass->topology->sched = &pass->sched;
	pass->topology->strict = pass->strict;
	pass->topology->nodes = all.nodes;
	pass->topology->seated = all.seated;
	pass->topology->node_count = all.count;
	pass->topology->classes = classes;
	pass->topology->context = pass;
	collect_pods(pass, &all);
	collect_supplies(pass);
	collect_kinds(pass);
	plm_topology_begin(pass->topology);
	for (uint32_t i = 0; i < pass->kind_count; i++) {
		(void)groups_of(pass, pass->topology->order[i], 0);
	}
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		pass->seats[i].host = plm_seat_host(pass, &pass->seats[i]);
		plm_topology_add_host(pass->topology, pass->seats[i].host);
	}
}

bool plm_kind_held(struct plm_pass *pass, uint32_t kind, uint32_t ask)
{
	return pass->topology != NULL &&
	       (groups_of(pass, kind, ask)->count > 0 || pass->topology->kinds[kind].held);
}

enum plm_topo_answer plm_kind_narrow(struct plm_pass *pass, uint32_t kind, uint32_t ask,
				     bool known_ok, struct plm_reqs *reqs)
{
	struct plm_reqs left = *reqs;
	enum plm_topo_answer answer =
		plm_topology_narrow(pass->topology, kind, groups_of(pass, kind, ask),
				    &pass->kinds[kind].asks[ask].strict, &left);

	if (answer != PLM_TOPO_FITS || left.list == reqs->list) {
		return answer;
	}
	if (!plm_reqs_compatible(&pass->sched, reqs, &left, known_ok, NULL)) {
		return PLM_TOPO_NOT_NOW;
	}
	*reqs = plm_reqs_merge(&pass->sched, reqs, &left);
	return PLM_TOPO_FITS;
}

bool plm_kind_host_closed(struct plm_pass *pass, uint32_t kind, uint32_t ask, plm_sym host)
{
	return pass->topology != NULL &&
	       plm_topology_host_closed(pass->topology, kind, groups_of(pass, kind, ask), host);
}

void plm_kind_record(struct plm_pass *pass, uint32_t kind, const struct plm_topo_site *site,
		     const struct plm_reqs *reqs)
{
	if (pass->topology != NULL) {
		plm_topology_record(pass->topology, kind, site, reqs);
	}
}

bool plm_kind_apart(struct plm_pass *pass, uint32_t kind)
{
	const struct plm_want_kind *k = &pass->kinds[kind];
	plm_sym host = pass->sched.known[PLM_KNOWN_HOSTNAME];

	if (pass->topology == NULL || !plm_kind_held(pass, kind, 0)) {
		return false;
	}
	for (uint32_t i = 0; i < k->uses[0].groups.count; i++) {
		const struct plm_topo_group *group = k->uses[0].groups.list[i];

		if (group->type != PLM_TOPO_AFFINITY && group->selects[kind] != 0 &&
		    plm_sym_equal(group->key->key, host)) {
			return true;
		}
	}
	return false;
}
