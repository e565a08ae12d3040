#include "reducers/tas/tree.h"

#include "reducers/sched/selector.h"

/* The one field of a node is its name. */
static bool field_holds(const struct plm_state *st, const struct plm_expr *field, plm_sym name)
{
	bool in = plm_syms_have(st, field->values, name);

	if (!plm_sym_is(st, field->key, "metadata.name")) {
		return false;
	}
	return field->op == PLM_OP_IN ? in : (field->op == PLM_OP_NOT_IN && !in);
}

/* A term without any expression holds nowhere. */
static bool term_holds(const struct plm_state *st, const struct plm_term *term,
		       const struct plm_node *node)
{
	uint32_t exprs = 0;
	uint32_t fields = 0;
	const struct plm_expr *expr = PLM_SPAN(st, term->exprs, struct plm_expr, &exprs);
	const struct plm_expr *field = PLM_SPAN(st, term->fields, struct plm_expr, &fields);

	for (uint32_t i = 0; i < exprs; i++) {
		if (!plm_selector_expr_matches(st, &expr[i], node->object.labels)) {
			return false;
		}
	}
	for (uint32_t i = 0; i < fields; i++) {
		if (!field_holds(st, &field[i], node->object.name)) {
			return false;
		}
	}
	return exprs + fields > 0;
}

static bool affine(const struct plm_state *st, const struct plm_shape *shape,
		   const struct plm_node *node)
{
	uint32_t count = 0;
	const struct plm_term *terms = PLM_SPAN(st, shape->required, struct plm_term, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (term_holds(st, &terms[i], node)) {
			return true;
		}
	}
	return shape->required_present == 0 && count == 0;
}

/* The first taint of a node that neither the pods nor their flavor tolerate. */
static const struct plm_taint *untolerated(const struct plm_tas_tree *tree,
					   const struct plm_shape *shape,
					   const struct plm_node *node)
{
	const struct plm_sched *sched = &tree->tas->sched;
	const struct plm_flavor *flavor = plm_flavor_at(sched->st, tree->flavor);
	struct plm_taints taints = plm_taints_of(sched, node->taints);
	struct plm_tolerations pod = {NULL, 0, false};
	struct plm_tolerations own = {NULL, 0, false};

	pod.list = PLM_SPAN(sched->st, shape->tolerations, struct plm_toleration, &pod.count);
	own.list = PLM_SPAN(sched->st, flavor->tolerations, struct plm_toleration, &own.count);
	for (uint32_t i = 0; i < taints.count; i++) {
		const struct plm_taint *taint = &taints.list[i];

		if (taint->effect != PLM_EFFECT_NO_SCHEDULE &&
		    taint->effect != PLM_EFFECT_NO_EXECUTE) {
			continue;
		}
		if (!plm_taint_tolerated(sched, taint, &pod) &&
		    !plm_taint_tolerated(sched, taint, &own)) {
			return taint;
		}
	}
	return NULL;
}

uint8_t plm_tas_refused(const struct plm_tas_tree *tree, const struct plm_shape *shape,
			uint32_t leaf, const struct plm_taint **taint)
{
	const struct plm_state *st = tree->tas->st;
	const struct plm_node *node = plm_node_at(st, tree->tas->nodes[tree->nodes[leaf]].id);

	PLM_ASSERT(tree->hosts && leaf < tree->leaf_count);
	*taint = untolerated(tree, shape, node);
	if (*taint != NULL) {
		return PLM_TAS_BY_TAINT + 1;
	}
	if (!plm_kv_has_all(st, node->object.labels, shape->node_selector)) {
		return PLM_TAS_BY_SELECTOR + 1;
	}
	return affine(st, shape, node) ? 0 : PLM_TAS_BY_AFFINITY + 1;
}

static bool same(const struct plm_tas_match *match, const struct plm_shape *shape)
{
	return plm_sym_equal(match->selector, shape->node_selector) &&
	       plm_sym_equal(match->required, shape->required) &&
	       plm_sym_equal(match->tolerations, shape->tolerations) &&
	       match->required_present == shape->required_present;
}

const struct plm_tas_match *plm_tas_match_of(struct plm_tas_tree *tree,
					     const struct plm_shape *shape)
{
	struct plm_tas_match *match = NULL;

	for (uint32_t i = 0; i < PLM_TAS_MATCHES; i++) {
		if (tree->matches[i].used && same(&tree->matches[i], shape)) {
			return &tree->matches[i];
		}
	}
	PLM_ASSERT(tree->match_next < PLM_TAS_MATCHES);
	match = &tree->matches[tree->match_next];
	tree->match_next = (tree->match_next + 1) % PLM_TAS_MATCHES;
	match->used = true;
	match->any = false;
	match->selector = shape->node_selector;
	match->required = shape->required;
	match->tolerations = shape->tolerations;
	match->required_present = shape->required_present;
	for (uint32_t i = 0; tree->hosts && i < tree->leaf_count; i++) {
		const struct plm_taint *taint = NULL;

		match->refused[i] = plm_tas_refused(tree, shape, i, &taint);
		match->any = match->any || match->refused[i] != 0;
	}
	return match;
}
