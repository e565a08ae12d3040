/* Selectors, taints, tolerations, node affinity, pod affinity and topology spread. */
#include "adapters/manifest/project.h"

#include "core/units.h"

/* Karpenter's aliases of well-known labels (karpenter.md 1.6). */
static const struct {
	const char *old, *now;
} aliases[] = {
	{"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
	{"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
	{"beta.kubernetes.io/arch", "kubernetes.io/arch"},
	{"beta.kubernetes.io/os", "kubernetes.io/os"},
	{"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
	{"topology.ebs.csi.aws.com/zone", "topology.kubernetes.io/zone"},
};

struct plm_slice plm_project_node_key(struct plm_slice key)
{
	if (key.size == 0 || (key.ptr[0] != 'b' && key.ptr[0] != 'f' && key.ptr[0] != 't')) {
		return key;
	}
	for (size_t i = 0; i < PLM_COUNTOF(aliases); i++) {
		if (plm_slice_is(key, aliases[i].old)) {
			return plm_slice_str(aliases[i].now);
		}
	}
	return key;
}

struct plm_vec plm_project_node_labels(struct plm_project *p, struct plm_doc *map, const char *key)
{
	struct plm_vec vec = plm_doc_kv(p->tree, map, key);
	const struct plm_w_kv *old = vec.ptr;
	struct plm_w_kv *list = plm_project_array(p, vec.count, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < vec.count; i++) {
		struct plm_w_kv kv = {plm_project_node_key(old[i].key), old[i].value};
		size_t at = count;

		/* the new names rarely keep the order; where both spellings are there with two values, both stay: no
		   node has them at once */
		while (at > 0 && plm_slice_compare(list[at - 1].key, kv.key) > 0) {
			at--;
		}
		if (at > 0 && plm_slice_equal(list[at - 1].key, kv.key) &&
		    plm_slice_equal(list[at - 1].value, kv.value)) {
			continue;
		}
		memmove(list + at + 1, list + at, (count - at) * sizeof(*list));
		list[at] = kv;
		count++;
	}
	return (struct plm_vec){list, count};
}

struct plm_vec plm_project_taints(struct plm_project *p, struct plm_doc *map, const char *key)
{
	struct plm_doc *list = plm_doc_list(p->tree, map, key);
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_taint *taints = plm_project_array(p, count, sizeof(*taints));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		taints[at].key = plm_doc_text_required(p->tree, item, "key");
		taints[at].value = plm_doc_text(p->tree, item, "value");
		taints[at].effect = plm_doc_enum(p->tree, item, "effect", &plm_names_taint_effect,
						 PLM_EFFECT_ANY);
		plm_doc_ignore(plm_doc_get(item, "timeAdded"));
		if (taints[at].effect == PLM_EFFECT_ANY) {
			plm_doc_fail(p->tree, item, "effect is required");
		}
	}
	return (struct plm_vec){taints, count};
}

struct plm_vec plm_project_tolerations(struct plm_project *p, struct plm_doc *map, const char *key)
{
	struct plm_doc *list = plm_doc_list(p->tree, map, key);
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_toleration *out = plm_project_array(p, count, sizeof(*out));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		struct plm_w_toleration *t = &out[at];

		t->key = plm_doc_text(p->tree, item, "key");
		t->op = plm_doc_enum(p->tree, item, "operator", &plm_names_toleration_op,
				     PLM_TOLERATION_EQUAL);
		t->value = plm_doc_text(p->tree, item, "value");
		t->effect = plm_doc_enum(p->tree, item, "effect", &plm_names_taint_effect,
					 PLM_EFFECT_ANY);
		t->seconds = plm_doc_int(p->tree, item, "tolerationSeconds", PLM_UNSET);
		if (t->key.size == 0 && t->op != PLM_TOLERATION_EXISTS) {
			plm_doc_fail(p->tree, item, "without a key the operator must be Exists");
		}
	}
	return (struct plm_vec){out, count};
}

/* Values of an expression: sorted, each once, so that equal sets are equal projections. */
static struct plm_vec values_of(struct plm_project *p, struct plm_doc *item)
{
	struct plm_vec vec = plm_doc_texts(p->tree, item, "values");
	const struct plm_slice *given = vec.ptr;
	struct plm_slice *list = plm_project_array(p, vec.count, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < vec.count; i++) {
		size_t low = 0;
		size_t high = count;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (plm_slice_compare(list[middle], given[i]) < 0) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		if (low < count && plm_slice_equal(list[low], given[i])) {
			continue;
		}
		memmove(list + low + 1, list + low, (count - low) * sizeof(*list));
		list[low] = given[i];
		count++;
	}
	return (struct plm_vec){list, count};
}

/* As many values as the operator takes. */
static void check_values(struct plm_project *p, struct plm_doc *item, const struct plm_w_expr *expr)
{
	switch ((enum plm_op)expr->op) {
	case PLM_OP_IN:
	case PLM_OP_NOT_IN:
		if (expr->values.count == 0) {
			plm_doc_fail(p->tree, item, "operator %s needs values",
				     plm_names_text(&plm_names_op, expr->op));
		}
		break;
	case PLM_OP_EXISTS:
	case PLM_OP_DOES_NOT_EXIST:
		if (expr->values.count > 0) {
			plm_doc_fail(p->tree, item, "operator %s takes no values",
				     plm_names_text(&plm_names_op, expr->op));
		}
		break;
	case PLM_OP_GT:
	case PLM_OP_LT:
	case PLM_OP_GTE:
	case PLM_OP_LTE:
		if (expr->values.count != 1) {
			plm_doc_fail(p->tree, item, "operator %s needs one value",
				     plm_names_text(&plm_names_op, expr->op));
		}
		break;
	}
}

/* Label selectors know only the first four operators. */
static void check_operator(struct plm_project *p, struct plm_doc *item,
			   const struct plm_w_expr *expr, bool node)
{
	if (plm_doc_get(item, "operator") == NULL) {
		plm_doc_fail(p->tree, item, "operator is required");
	}
	if (!node && expr->op > PLM_OP_DOES_NOT_EXIST) {
		plm_doc_fail(p->tree, item, "a label selector has no operator %s",
			     plm_names_text(&plm_names_op, expr->op));
	}
}

static void read_expr(struct plm_project *p, struct plm_doc *item, bool node,
		      struct plm_w_expr *expr)
{
	expr->key = plm_doc_text_required(p->tree, item, "key");
	expr->key = node ? plm_project_node_key(expr->key) : expr->key;
	expr->op = plm_doc_enum(p->tree, item, "operator", &plm_names_op, PLM_OP_IN);
	expr->values = values_of(p, item);
	expr->min_values = node ? plm_doc_count(p->tree, item, "minValues", 0) : 0;
	check_operator(p, item, expr, node);
	check_values(p, item, expr);
}

struct plm_vec plm_project_exprs(struct plm_project *p, struct plm_doc *map, const char *key,
				 bool node)
{
	struct plm_doc *list = plm_doc_list(p->tree, map, key);
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_expr *exprs = plm_project_array(p, count, sizeof(*exprs));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		read_expr(p, item, node, &exprs[at++]);
	}
	return (struct plm_vec){exprs, count};
}

/* Node affinity knows no Gte and Lte, and a whole number only as a value that nobody looks at yet. */
static void check_term(struct plm_project *p, struct plm_doc *term, struct plm_vec vec)
{
	const struct plm_w_expr *exprs = vec.ptr;
	struct plm_doc *item = plm_doc_items(plm_doc_get(term, "matchExpressions"));

	for (size_t i = 0; i < vec.count && item != NULL; i++, item = item->next) {
		if (exprs[i].op == PLM_OP_GTE || exprs[i].op == PLM_OP_LTE) {
			plm_doc_fail(p->tree, plm_doc_get(item, "operator"),
				     "node affinity has no operator %s",
				     plm_names_text(&plm_names_op, exprs[i].op));
		}
	}
}

struct plm_w_term plm_project_term(struct plm_project *p, struct plm_doc *term, int64_t weight)
{
	struct plm_w_term out = {
		.weight = weight,
		.exprs = plm_project_exprs(p, term, "matchExpressions", true),
		.fields = plm_project_exprs(p, term, "matchFields", true),
	};

	check_term(p, term, out.exprs);
	return out;
}

struct plm_w_selector plm_project_selector(struct plm_project *p, struct plm_doc *map,
					   const char *key)
{
	struct plm_doc *node = plm_doc_map(p->tree, map, key);
	struct plm_vec labels = plm_doc_kv(p->tree, node, "matchLabels");
	struct plm_vec exprs = plm_project_exprs(p, node, "matchExpressions", false);
	const struct plm_w_kv *kv = labels.ptr;
	size_t count = labels.count + exprs.count;
	struct plm_w_expr *all = plm_project_array(p, count, sizeof(*all));

	for (size_t i = 0; i < labels.count; i++) {
		struct plm_slice *value = PLM_NEW(p->arena, struct plm_slice);

		*value = kv[i].value;
		all[i] = (struct plm_w_expr){
			.key = kv[i].key, .op = PLM_OP_IN, .values = {value, 1}};
	}
	if (exprs.count > 0) {
		memcpy(all + labels.count, exprs.ptr, exprs.count * sizeof(*all));
	}
	return (struct plm_w_selector){.present = node != NULL, .exprs = {all, count}};
}

/* ---- pod affinity and topology spread ----------------------------------------------------------- */

static struct plm_w_affinity read_affinity(struct plm_project *p, struct plm_doc *term,
					   int64_t weight)
{
	return (struct plm_w_affinity){
		.weight = weight,
		.topology_key =
			plm_project_node_key(plm_doc_text_required(p->tree, term, "topologyKey")),
		.selector = plm_project_selector(p, term, "labelSelector"),
		.namespaces = plm_doc_texts(p->tree, term, "namespaces"),
		.ns_selector = plm_project_selector(p, term, "namespaceSelector"),
		.match_keys = plm_doc_texts(p->tree, term, "matchLabelKeys"),
		.mismatch_keys = plm_doc_texts(p->tree, term, "mismatchLabelKeys"),
	};
}

static struct plm_vec required_terms(struct plm_project *p, struct plm_doc *affinity)
{
	struct plm_doc *list =
		plm_doc_list(p->tree, affinity, "requiredDuringSchedulingIgnoredDuringExecution");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_affinity *terms = plm_project_array(p, count, sizeof(*terms));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		terms[at++] = read_affinity(p, item, 0);
	}
	return (struct plm_vec){terms, count};
}

static int64_t read_weight(struct plm_project *p, struct plm_doc *item)
{
	int64_t weight = plm_doc_count(p->tree, item, "weight", 0);

	if (weight < 1 || weight > 100) {
		plm_doc_fail(p->tree, item, "weight must be from 1 to 100");
	}
	return weight;
}

static struct plm_vec preferred_terms(struct plm_project *p, struct plm_doc *affinity)
{
	struct plm_doc *list =
		plm_doc_list(p->tree, affinity, "preferredDuringSchedulingIgnoredDuringExecution");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_affinity *terms = plm_project_array(p, count, sizeof(*terms));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		struct plm_doc *term = plm_doc_map(p->tree, item, "podAffinityTerm");

		terms[at++] = read_affinity(p, term == NULL ? item : term, read_weight(p, item));
	}
	return (struct plm_vec){terms, count};
}

static void node_affinity(struct plm_project *p, struct plm_doc *affinity,
			  struct plm_w_shape *shape)
{
	struct plm_doc *required =
		plm_doc_map(p->tree, affinity, "requiredDuringSchedulingIgnoredDuringExecution");
	struct plm_doc *terms = plm_doc_list(p->tree, required, "nodeSelectorTerms");
	struct plm_doc *preferred =
		plm_doc_list(p->tree, affinity, "preferredDuringSchedulingIgnoredDuringExecution");
	struct plm_w_term *list = NULL;
	size_t at = 0;

	shape->required_present = required != NULL;
	shape->required.count = terms == NULL ? 0 : terms->count;
	list = plm_project_array(p, shape->required.count, sizeof(*list));
	shape->required.ptr = list;
	for (struct plm_doc *item = plm_doc_items(terms); item != NULL; item = item->next) {
		list[at++] = plm_project_term(p, item, 0);
	}
	at = 0;
	shape->preferred.count = preferred == NULL ? 0 : preferred->count;
	list = plm_project_array(p, shape->preferred.count, sizeof(*list));
	shape->preferred.ptr = list;
	for (struct plm_doc *item = plm_doc_items(preferred); item != NULL; item = item->next) {
		list[at++] = plm_project_term(p, plm_doc_map(p->tree, item, "preference"),
					      read_weight(p, item));
	}
}

static void check_spread(struct plm_project *p, struct plm_doc *item,
			 const struct plm_w_spread *list, size_t at)
{
	if (list[at].max_skew < 1 || list[at].min_domains < 1) {
		plm_doc_fail(p->tree, item, "maxSkew and minDomains must be at least 1");
	} else if (plm_doc_get(item, "minDomains") != NULL &&
		   list[at].when != PLM_SPREAD_DO_NOT_SCHEDULE) {
		plm_doc_fail(p->tree, plm_doc_get(item, "minDomains"),
			     "only with whenUnsatisfiable DoNotSchedule");
	}
	for (size_t i = 0; i < at; i++) {
		if (list[i].when == list[at].when &&
		    plm_slice_equal(list[i].topology_key, list[at].topology_key)) {
			plm_doc_fail(p->tree, item,
				     "topologyKey and whenUnsatisfiable stand twice together");
		}
	}
}

static struct plm_vec read_spread(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, "topologySpreadConstraints");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_spread *out = plm_project_array(p, count, sizeof(*out));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		out[at] = (struct plm_w_spread){
			.topology_key = plm_project_node_key(
				plm_doc_text_required(p->tree, item, "topologyKey")),
			.max_skew = plm_doc_count(p->tree, item, "maxSkew", 1),
			.when = plm_doc_enum(p->tree, item, "whenUnsatisfiable",
					     &plm_names_spread_when, PLM_SPREAD_DO_NOT_SCHEDULE),
			.selector = plm_project_selector(p, item, "labelSelector"),
			.min_domains = plm_doc_count(p->tree, item, "minDomains", 1),
			.affinity_policy =
				plm_doc_enum(p->tree, item, "nodeAffinityPolicy",
					     &plm_names_node_policy, PLM_NODE_POLICY_DEFAULT),
			.taints_policy =
				plm_doc_enum(p->tree, item, "nodeTaintsPolicy",
					     &plm_names_node_policy, PLM_NODE_POLICY_DEFAULT),
			.match_keys = plm_doc_texts(p->tree, item, "matchLabelKeys"),
		};
		check_spread(p, item, out, at);
	}
	return (struct plm_vec){out, count};
}

void plm_project_topology(struct plm_project *p, struct plm_doc *spec, struct plm_w_shape *shape)
{
	struct plm_doc *affinity = plm_doc_map(p->tree, spec, "affinity");
	struct plm_doc *pods = plm_doc_map(p->tree, affinity, "podAffinity");
	struct plm_doc *others = plm_doc_map(p->tree, affinity, "podAntiAffinity");

	node_affinity(p, plm_doc_map(p->tree, affinity, "nodeAffinity"), shape);
	shape->affinity = required_terms(p, pods);
	shape->preferred_affinity = preferred_terms(p, pods);
	shape->anti_affinity = required_terms(p, others);
	shape->preferred_anti_affinity = preferred_terms(p, others);
	shape->spread = read_spread(p, spec);
}
