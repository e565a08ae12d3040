/*
 * match.c - may this pod stand on that node: selectors, affinity, taints, spread, ports
 */
#include "adapters/sim/world.h"

#include "core/quantity.h"

/* ---- expressions ------------------------------------------------------------------------------- */

static bool among(struct plm_vec values, struct plm_slice value)
{
	const struct plm_slice *list = values.ptr;

	for (size_t i = 0; i < values.count; i++) {
		if (plm_slice_equal(list[i], value)) {
			return true;
		}
	}
	return false;
}

/* Gt, Lt and their kin compare whole numbers; what is no number never matches. */
static bool compares(const struct plm_w_expr *expr, struct plm_slice value)
{
	const struct plm_slice *want = expr->values.ptr;
	int64_t have = 0;
	int64_t bound = 0;

	if (expr->values.count != 1 || !plm_integer_parse(value, &have) ||
	    !plm_integer_parse(want[0], &bound)) {
		return false;
	}
	switch ((enum plm_op)expr->op) {
	case PLM_OP_GT:
		return have > bound;
	case PLM_OP_LT:
		return have < bound;
	case PLM_OP_GTE:
		return have >= bound;
	case PLM_OP_LTE:
		return have <= bound;
	case PLM_OP_IN:
	case PLM_OP_NOT_IN:
	case PLM_OP_EXISTS:
	case PLM_OP_DOES_NOT_EXIST:
		break;
	}
	PLM_UNREACHABLE();
}

static bool expr_matches(const struct plm_w_expr *expr, struct plm_vec labels)
{
	struct plm_slice value = {0};
	bool present = plm_sim_has_label(labels, expr->key, &value);

	switch ((enum plm_op)expr->op) {
	case PLM_OP_IN:
		return present && among(expr->values, value);
	case PLM_OP_NOT_IN:
		return !present || !among(expr->values, value);
	case PLM_OP_EXISTS:
		return present;
	case PLM_OP_DOES_NOT_EXIST:
		return !present;
	case PLM_OP_GT:
	case PLM_OP_LT:
	case PLM_OP_GTE:
	case PLM_OP_LTE:
		return present && compares(expr, value);
	}
	PLM_UNREACHABLE();
}

static bool all_match(struct plm_vec exprs, struct plm_vec labels)
{
	const struct plm_w_expr *list = exprs.ptr;

	for (size_t i = 0; i < exprs.count; i++) {
		if (!expr_matches(&list[i], labels)) {
			return false;
		}
	}
	return true;
}

bool plm_sim_selector_matches(const struct plm_w_selector *selector, struct plm_vec labels)
{
	return selector->present != 0 && all_match(selector->exprs, labels);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

/* matchFields knows metadata.name only. */
static bool fields_match(struct plm_vec fields, struct plm_slice name)
{
	struct plm_w_kv field = {.key = plm_slice_str("metadata.name"), .value = name};
	struct plm_vec labels = {.ptr = &field, .count = 1};

	return all_match(fields, labels);
}

bool plm_sim_node_matches(const struct plm_w_shape *shape, const struct plm_w_node *node)
{
	const struct plm_w_kv *selector = shape->node_selector.ptr;
	const struct plm_w_term *terms = shape->required.ptr;

	for (size_t i = 0; i < shape->node_selector.count; i++) {
		struct plm_slice value = {0};

		if (!plm_sim_has_label(node->meta.labels, selector[i].key, &value) ||
		    !plm_slice_equal(value, selector[i].value)) {
			return false;
		}
	}
	if (shape->required_present == 0) {
		return true;
	}
	for (size_t i = 0; i < shape->required.count; i++) {
		if (terms[i].exprs.count + terms[i].fields.count > 0 &&
		    all_match(terms[i].exprs, node->meta.labels) &&
		    fields_match(terms[i].fields, node->meta.name)) {
			return true;
		}
	}
	return false;
}

static bool tolerates(const struct plm_w_toleration *toleration, const struct plm_w_taint *taint)
{
	if (toleration->effect != PLM_EFFECT_ANY && toleration->effect != taint->effect) {
		return false;
	}
	if (toleration->key.size == 0) {
		return toleration->op == PLM_TOLERATION_EXISTS;
	}
	if (!plm_slice_equal(toleration->key, taint->key)) {
		return false;
	}
	return toleration->op == PLM_TOLERATION_EXISTS ||
	       (toleration->op == PLM_TOLERATION_EQUAL &&
		plm_slice_equal(toleration->value, taint->value));
}

bool plm_sim_tolerates(struct plm_vec tolerations, struct plm_vec taints)
{
	const struct plm_w_toleration *tolerated = tolerations.ptr;
	const struct plm_w_taint *list = taints.ptr;

	for (size_t t = 0; t < taints.count; t++) {
		bool found = list[t].effect == PLM_EFFECT_PREFER_NO_SCHEDULE;

		for (size_t i = 0; i < tolerations.count && !found; i++) {
			found = tolerates(&tolerated[i], &list[t]);
		}
		if (!found) {
			return false;
		}
	}
	return true;
}

bool plm_sim_node_holds(const struct plm_sim_object *node, const struct plm_sim_template *t,
			size_t resource_count)
{
	const struct plm_sim_node_state *my = node->my.node;

	for (size_t r = 0; r < resource_count; r++) {
		if (t->request[r] > 0 &&
		    t->request[r] > plm_sub_sat(my->allocatable[r], my->used[r])) {
			return false;
		}
	}
	return true;
}

bool plm_sim_placeable(struct plm_world *w, const struct plm_sim_object *pod,
		       const struct plm_sim_object *node)
{
	const struct plm_sim_template *template = pod->my.pod->template;

	return node->of.node->ready != 0 && node->of.node->unschedulable == 0 &&
	       node->of.meta->deleting_ms == PLM_UNSET &&
	       plm_sim_node_holds(node, template, w->resource_count) &&
	       plm_sim_node_matches(&template->shape, node->of.node) &&
	       plm_sim_tolerates(template->shape.tolerations, node->of.node->taints) &&
	       (template->simple || plm_sim_peers_allow(w, pod, node));
}

/* ---- other pods -------------------------------------------------------------------------------- */

static bool port_clashes(const struct plm_w_port *a, const struct plm_w_port *b)
{
	bool any = a->ip.size == 0 || b->ip.size == 0 || plm_slice_is(a->ip, "0.0.0.0") ||
		   plm_slice_is(b->ip, "0.0.0.0");

	return a->port == b->port && plm_slice_equal(a->protocol, b->protocol) &&
	       (any || plm_slice_equal(a->ip, b->ip));
}

static bool ports_free(const struct plm_sim_object *pod, const struct plm_sim_object *node)
{
	struct plm_vec want = pod->of.pod->shape.ports;
	const struct plm_w_port *mine = want.ptr;

	for (const struct plm_sim_object *other = node->my.node->pods; other != NULL;
	     other = other->my.pod->node_next) {
		struct plm_vec have = other->of.pod->shape.ports;
		const struct plm_w_port *theirs = have.ptr;

		for (size_t i = 0; i < want.count * have.count; i++) {
			if (port_clashes(&mine[i / have.count], &theirs[i % have.count])) {
				return false;
			}
		}
	}
	return true;
}

static bool in_scope(const struct plm_w_affinity *term, const struct plm_sim_object *pod,
		     const struct plm_sim_object *other)
{
	if (term->namespaces.count == 0 && term->ns_selector.present == 0) {
		return plm_slice_equal(pod->of.meta->ns, other->of.meta->ns);
	}
	return term->ns_selector.present != 0 || among(term->namespaces, other->of.meta->ns);
}

/* Pods that 'term' selects in the topology domain 'value'; *out_any: anywhere. */
static int64_t selected_in(struct plm_world *w, const struct plm_w_affinity *term,
			   const struct plm_sim_object *pod, struct plm_slice value, bool *out_any)
{
	int64_t count = 0;

	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		struct plm_slice domain = {0};
		bool labelled =
			plm_sim_has_label(node->of.meta->labels, term->topology_key, &domain);

		for (const struct plm_sim_object *other = node->my.node->pods; other != NULL;
		     other = other->my.pod->node_next) {
			if (!in_scope(term, pod, other) ||
			    !plm_sim_selector_matches(&term->selector, other->of.meta->labels)) {
				continue;
			}
			*out_any = true;
			count += labelled && plm_slice_equal(domain, value) ? 1 : 0;
		}
	}
	return count;
}

static bool affinity_allows(struct plm_world *w, const struct plm_sim_object *pod,
			    const struct plm_sim_object *node)
{
	const struct plm_w_shape *shape = &pod->of.pod->shape;
	const struct plm_w_affinity *near = shape->affinity.ptr;
	const struct plm_w_affinity *far = shape->anti_affinity.ptr;

	for (size_t i = 0; i < shape->affinity.count; i++) {
		struct plm_slice value = {0};
		bool any = false;

		if (!plm_sim_has_label(node->of.meta->labels, near[i].topology_key, &value)) {
			return false;
		}
		/* The first of a group that wants to be together may go anywhere. */
		if (selected_in(w, &near[i], pod, value, &any) == 0 &&
		    (any || !plm_sim_selector_matches(&near[i].selector, pod->of.meta->labels))) {
			return false;
		}
	}
	for (size_t i = 0; i < shape->anti_affinity.count; i++) {
		struct plm_slice value = {0};
		bool any = false;

		if (plm_sim_has_label(node->of.meta->labels, far[i].topology_key, &value) &&
		    selected_in(w, &far[i], pod, value, &any) > 0) {
			return false;
		}
	}
	return true;
}

/* One domain of a spread. */
struct spread_domain {
	struct plm_slice value;
	int64_t count; /* of pods there that it selects */
	bool usable;   /* some node of it is one that the pod may use */
};

static int64_t selected_on(const struct plm_w_affinity *term, const struct plm_sim_object *pod,
			   const struct plm_sim_object *node)
{
	int64_t count = 0;

	for (const struct plm_sim_object *other = node->my.node->pods; other != NULL;
	     other = other->my.pod->node_next) {
		count += in_scope(term, pod, other) &&
					 plm_sim_selector_matches(&term->selector,
								  other->of.meta->labels)
				 ? 1
				 : 0;
	}
	return count;
}

/* The place of 'value' among 'count' domains; a host name is looked for in none, every node has its own. */
static size_t domain_place(const struct spread_domain *domains, size_t count,
			   struct plm_slice value, bool by_host)
{
	size_t at = by_host ? count : 0;

	while (at < count && !plm_slice_equal(domains[at].value, value)) {
		at++;
	}
	return at;
}

/* Pods selected by 'spread' in each domain that the pod may use: the fewest, and those of 'value'. */
static void spread_counts(struct plm_world *w, const struct plm_w_spread *spread,
			  const struct plm_sim_object *pod, struct plm_slice value,
			  int64_t out_min_and_own[2])
{
	const struct plm_w_affinity term = {.topology_key = spread->topology_key,
					    .selector = spread->selector};
	bool by_host = plm_slice_is(spread->topology_key, "kubernetes.io/hostname");
	size_t mark = plm_arena_mark(&w->scratch);
	struct spread_domain *domains = NULL;
	size_t count = 0;
	size_t nodes = 0;
	int64_t usable = 0;

	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		nodes++;
	}
	domains = PLM_NEW_ARRAY(&w->scratch, nodes, struct spread_domain);

	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		struct plm_slice domain = {0};
		size_t at = 0;

		if (!plm_sim_has_label(node->of.meta->labels, spread->topology_key, &domain)) {
			continue;
		}
		at = domain_place(domains, count, domain, by_host);
		if (at == count) {
			domains[count++].value = domain;
		}
		domains[at].count += selected_on(&term, pod, node);
		domains[at].usable = domains[at].usable ||
				     plm_sim_node_matches(&pod->of.pod->shape, node->of.node);
	}
	out_min_and_own[0] = INT64_MAX;
	out_min_and_own[1] = 0;
	for (size_t i = 0; i < count; i++) {
		if (!domains[i].usable) {
			continue;
		}
		usable++;
		out_min_and_own[0] = plm_min(out_min_and_own[0], domains[i].count);
		if (plm_slice_equal(domains[i].value, value)) {
			out_min_and_own[1] = domains[i].count;
		}
	}
	plm_arena_rewind(&w->scratch, mark);
	if (usable == 0 || (spread->min_domains != PLM_UNSET && usable < spread->min_domains)) {
		out_min_and_own[0] = 0;
	}
}

static bool spread_allows(struct plm_world *w, const struct plm_sim_object *pod,
			  const struct plm_sim_object *node)
{
	const struct plm_w_spread *list = pod->of.pod->shape.spread.ptr;

	for (size_t i = 0; i < pod->of.pod->shape.spread.count; i++) {
		struct plm_slice value = {0};
		int64_t counts[2] = {0};
		int64_t self = plm_sim_selector_matches(&list[i].selector, pod->of.meta->labels);

		if (list[i].when != PLM_SPREAD_DO_NOT_SCHEDULE) {
			continue;
		}
		if (!plm_sim_has_label(node->of.meta->labels, list[i].topology_key, &value)) {
			return false;
		}
		spread_counts(w, &list[i], pod, value, counts);
		if (counts[1] + self - counts[0] > list[i].max_skew) {
			return false;
		}
	}
	return true;
}

bool plm_sim_peers_allow(struct plm_world *w, const struct plm_sim_object *pod,
			 const struct plm_sim_object *node)
{
	return ports_free(pod, node) && affinity_allows(w, pod, node) &&
	       spread_allows(w, pod, node) && plm_sim_volumes_allow(w, pod, node);
}
