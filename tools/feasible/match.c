/* Labels, requirements, taints, selectors. */
#include "core/quantity.h"
#include "tools/feasible/view.h"

/* ---- what a host is called ----------------------------------------------------------------------- */

plm_sym new_key(const struct view *v, plm_sym key)
{
	static const char *const names[][2] = {
		{"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
		{"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
		{"topology.ebs.csi.aws.com/zone", "topology.kubernetes.io/zone"},
		{"beta.kubernetes.io/arch", "kubernetes.io/arch"},
		{"beta.kubernetes.io/os", "kubernetes.io/os"},
		{"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
	};

	for (size_t i = 0; i < PLM_COUNTOF(names); i++) {
		if (plm_sym_is(v->st, key, names[i][0])) {
			return plm_sym_find(v->st, plm_slice_str(names[i][1]));
		}
	}
	return key;
}

/* A key of karpenter.md 1.6: types say all there is to say of it. */
static bool is_well_known(const struct view *v, plm_sym key)
{
	struct plm_slice text = plm_str(v->st, key);
	static const char *const others[] = {
		"topology.kubernetes.io/zone", "topology.kubernetes.io/region",
		"kubernetes.io/arch",	       "kubernetes.io/os",
		"karpenter.sh/capacity-type",  "node.kubernetes.io/instance-type",
		"topology.k8s.aws/zone-id",    "node.kubernetes.io/windows-build"};

	for (size_t i = 0; i < PLM_COUNTOF(others); i++) {
		if (plm_slice_is(text, others[i])) {
			return true;
		}
	}
	return text.size > 18 && memcmp(text.ptr, "karpenter.k8s.aws/", 18) == 0;
}

static bool compare(const struct view *v, const struct plm_expr *expr, plm_sym value)
{
	uint32_t count = 0;
	const plm_sym *bounds = PLM_SPAN(v->st, expr->values, plm_sym, &count);
	int64_t have = 0;
	int64_t bound = 0;

	if (count == 0 || !plm_integer_parse(plm_str(v->st, value), &have) ||
	    !plm_integer_parse(plm_str(v->st, bounds[0]), &bound)) {
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
	case PLM_OP_IN:
	case PLM_OP_NOT_IN:
	case PLM_OP_EXISTS:
	case PLM_OP_DOES_NOT_EXIST:
		break;
	}
	return have <= bound;
}

bool expr_admits(const struct view *v, const struct plm_expr *expr, plm_sym value)
{
	switch ((enum plm_op)expr->op) {
	case PLM_OP_IN:
		return plm_syms_have(v->st, expr->values, value);
	case PLM_OP_NOT_IN:
		return !plm_syms_have(v->st, expr->values, value);
	case PLM_OP_EXISTS:
		return true;
	case PLM_OP_DOES_NOT_EXIST:
		return false;
	case PLM_OP_GT:
	case PLM_OP_LT:
	case PLM_OP_GTE:
	case PLM_OP_LTE:
		break;
	}
	return compare(v, expr, value);
}

bool expr_admits_absent(const struct plm_expr *expr)
{
	return expr->op == PLM_OP_NOT_IN || expr->op == PLM_OP_DOES_NOT_EXIST;
}

/* Do all requirements on 'key' in the span admit 'value'? */
static bool span_admits(const struct view *v, plm_sym span, plm_sym key, plm_sym value)
{
	uint32_t count = 0;
	const struct plm_expr *exprs = PLM_SPAN(v->st, span, struct plm_expr, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(new_key(v, exprs[i].key), key) &&
		    !expr_admits(v, &exprs[i], value)) {
			return false;
		}
	}
	return true;
}

static bool is_refused(const struct view *v, plm_id type, const struct plm_offering *offering)
{
	PLM_EACH(v->st, stock_out, id)
	{
		const struct plm_stock_out *out = plm_stock_out_at(v->st, id);
		plm_sym name = plm_instance_type_at(v->st, type)->name;

		if (out->until_ms > plm_root(v->st)->now_ms &&
		    (out->instance_type.n == 0 || plm_sym_equal(out->instance_type, name)) &&
		    (out->zone.n == 0 || plm_sym_equal(out->zone, offering->zone)) &&
		    (out->capacity_type.n == 0 ||
		     plm_sym_equal(out->capacity_type, offering->capacity_type)) &&
		    (out->reservation.n == 0 ||
		     plm_sym_equal(out->reservation, offering->reservation))) {
			return true;
		}
	}
	return false;
}

bool is_offered(const struct view *v, const struct plm_node_claim *claim, plm_id type,
		const struct plm_offering *offering)
{
	uint32_t count = 0;
	const struct plm_expr *exprs =
		PLM_SPAN(v->st, offering->requirements, struct plm_expr, &count);

	if (offering->available == 0 || offering->price_micro == PLM_UNSET ||
	    !span_admits(v, claim->requirements, v->zone, offering->zone) ||
	    !span_admits(v, claim->requirements, v->capacity_type, offering->capacity_type)) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t values = 0;
		const plm_sym *list = PLM_SPAN(v->st, exprs[i].values, plm_sym, &values);
		bool some = exprs[i].op != PLM_OP_IN;

		for (uint32_t k = 0; k < values && !some; k++) {
			some = span_admits(v, claim->requirements, new_key(v, exprs[i].key),
					   list[k]);
		}
		if (!some) {
			return false;
		}
	}
	return !is_refused(v, type, offering);
}

/* Zones, capacity types or reservations in which the type can be bought for the claim. */
static struct values from_offerings(const struct view *v, const struct plm_node_claim *claim,
				    plm_id type, plm_sym key)
{
	uint32_t count = 0;
	const struct plm_offering *list = PLM_SPAN(
		v->st, plm_instance_type_at(v->st, type)->offerings, struct plm_offering, &count);
	plm_sym *found = PLM_NEW_ARRAY(v->arena, count + 1U, plm_sym);
	struct values values = {.list = found};

	for (uint32_t i = 0; i < count; i++) {
		plm_sym value = plm_sym_equal(key, v->zone) ? list[i].zone : list[i].capacity_type;
		bool had = false;

		for (uint32_t k = 0; k < values.count; k++) {
			had = had || plm_sym_equal(found[k], value);
		}
		if (!had && is_offered(v, claim, type, &list[i])) {
			found[values.count++] = value;
		}
	}
	return values;
}

/* Values that one of the requirements on 'key' lists, and all of the claim and the type admit. */
static struct values from_requirements(const struct view *v, const struct plm_node_claim *claim,
				       plm_id type, plm_sym key)
{
	const plm_sym spans[] = {claim->requirements,
				 plm_instance_type_at(v->st, type)->requirements};
	bool named = false;

	for (size_t s = 0; s < PLM_COUNTOF(spans); s++) {
		uint32_t count = 0;
		const struct plm_expr *exprs = PLM_SPAN(v->st, spans[s], struct plm_expr, &count);

		for (uint32_t i = 0; i < count; i++) {
			uint32_t values = 0;
			const plm_sym *list = PLM_SPAN(v->st, exprs[i].values, plm_sym, &values);
			plm_sym *found = NULL;
			uint32_t kept = 0;

			if (!plm_sym_equal(new_key(v, exprs[i].key), key)) {
				continue;
			}
			named = named || exprs[i].op != PLM_OP_DOES_NOT_EXIST;
			if (exprs[i].op != PLM_OP_IN) {
				continue;
			}
			found = PLM_NEW_ARRAY(v->arena, values + 1U, plm_sym);
			for (uint32_t k = 0; k < values; k++) {
				if (span_admits(v, spans[0], key, list[k]) &&
				    span_admits(v, spans[1], key, list[k])) {
					found[kept++] = list[k];
				}
			}
			return (struct values){.list = found, .count = kept};
		}
	}
	return (struct values){.any = named && !is_well_known(v, key)};
}

struct values values_of(const struct view *v, const struct host *host, plm_id type, plm_sym key)
{
	const struct plm_node_claim *claim = claim_at(v, host);
	plm_sym *one = PLM_NEW(v->arena, plm_sym);
	struct values single = {.list = one, .count = 1};

	if (host->node.n != 0 &&
	    plm_kv_get(v->st, plm_node_at(v->st, host->node)->object.labels, key, one)) {
		return single;
	}
	if (plm_sym_equal(key, v->hostname)) {
		*one = host->name;
		return single;
	}
	if (host->claim.n == 0 || (host->node.n != 0 && !host->starting)) {
		return (struct values){0};
	}
	if (plm_kv_get(v->st, claim->object.labels, key, one)) {
		return single;
	}
	/* Bought, but what it is called is not told yet. */
	if (!host->open || type.n == 0) {
		return (struct values){.any = host->node.n == 0};
	}
	if (plm_sym_equal(key, v->instance_type)) {
		*one = plm_instance_type_at(v->st, type)->name;
		return single;
	}
	if (plm_sym_equal(key, v->zone) || plm_sym_equal(key, v->capacity_type)) {
		return from_offerings(v, claim, type, key);
	}
	return from_requirements(v, claim, type, key);
}

/* ---- node affinity ------------------------------------------------------------------------------- */

bool values_meet(const struct view *v, const struct plm_expr *expr, const struct values *values,
		 bool all)
{
	bool some = false;

	if (values->any) {
		return true;
	}
	if (values->count == 0) {
		return expr_admits_absent(expr);
	}
	for (uint32_t i = 0; i < values->count; i++) {
		bool ok = expr_admits(v, expr, values->list[i]);

		if (all && !ok) {
			return false;
		}
		some = some || ok;
	}
	return some;
}

static bool exprs_meet(const struct view *v, plm_sym span, const struct host *host, plm_id type,
		       bool all)
{
	uint32_t count = 0;
	const struct plm_expr *exprs = PLM_SPAN(v->st, span, struct plm_expr, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct values values = values_of(v, host, type, new_key(v, exprs[i].key));

		if (!values_meet(v, &exprs[i], &values, all)) {
			return false;
		}
	}
	return true;
}

bool node_fits(const struct view *v, const struct plm_shape *shape, const struct host *host,
	       plm_id type, bool all)
{
	uint32_t count = 0;
	const struct plm_kv *kvs = PLM_SPAN(v->st, shape->node_selector, struct plm_kv, &count);
	const struct plm_term *terms = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct values values = values_of(v, host, type, new_key(v, kvs[i].key));
		bool some = values.any;
		bool every = values.any || values.count > 0;

		for (uint32_t k = 0; k < values.count; k++) {
			bool same = plm_sym_equal(values.list[k], kvs[i].value);

			some = some || same;
			every = every && same;
		}
		if (all ? !every : !some) {
			return false;
		}
	}
	terms = PLM_SPAN(v->st, shape->required, struct plm_term, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (exprs_meet(v, terms[i].exprs, host, type, all)) {
			return true;
		}
	}
	return shape->required_present == 0;
}

/* ---- taints -------------------------------------------------------------------------------------- */

static bool tolerates(const struct view *v, plm_sym span, const struct plm_taint *taint)
{
	uint32_t count = 0;
	const struct plm_toleration *list = PLM_SPAN(v->st, span, struct plm_toleration, &count);

	for (uint32_t i = 0; i < count; i++) {
		bool key = list[i].key.n == 0 || plm_sym_equal(list[i].key, taint->key);
		bool effect = list[i].effect == PLM_EFFECT_ANY || list[i].effect == taint->effect;
		bool value = list[i].op != PLM_TOLERATION_EQUAL ||
			     plm_sym_equal(list[i].value, taint->value);

		if (key && effect && value &&
		    (list[i].key.n != 0 || list[i].op == PLM_TOLERATION_EXISTS)) {
			return true;
		}
	}
	return false;
}

/* What goes away by itself while a node starts. */
static bool is_passing(const struct view *v, const struct host *host, const struct plm_taint *taint)
{
	static const char *const keys[] = {
		"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable",
		"node.cloudprovider.kubernetes.io/uninitialized", "karpenter.sh/unregistered"};
	uint32_t count = 0;
	const struct plm_taint *startup =
		PLM_SPAN(v->st, claim_at(v, host)->startup_taints, struct plm_taint, &count);
	struct plm_slice key = plm_str(v->st, taint->key);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(startup[i].key, taint->key) &&
		    startup[i].effect == taint->effect) {
			return true;
		}
	}
	for (size_t i = 0; i < PLM_COUNTOF(keys); i++) {
		if (plm_slice_is(key, keys[i])) {
			return true;
		}
	}
	return key.size > 17 && memcmp(key.ptr, "readiness.k8s.io/", 17) == 0;
}

plm_sym taint_against(const struct view *v, const struct plm_shape *shape, plm_sym more,
		      const struct host *host)
{
	const struct plm_node *node = plm_node_at(v->st, host->node);
	plm_sym span = host->node.n != 0 ? node->taints : claim_at(v, host)->taints;
	uint32_t count = 0;
	const struct plm_taint *taints = PLM_SPAN(v->st, span, struct plm_taint, &count);
	const struct plm_taint cordon = {
		.key = plm_sym_find(v->st, plm_slice_str("node.kubernetes.io/unschedulable")),
		.effect = PLM_EFFECT_NO_SCHEDULE};

	for (uint32_t i = 0; i < count; i++) {
		if (taints[i].effect == PLM_EFFECT_PREFER_NO_SCHEDULE ||
		    (host->starting && is_passing(v, host, &taints[i]))) {
			continue;
		}
		if (!tolerates(v, shape->tolerations, &taints[i]) &&
		    !tolerates(v, more, &taints[i])) {
			return taints[i].key;
		}
	}
	if (host->node.n != 0 && node->unschedulable != 0 && !v->strict &&
	    !tolerates(v, shape->tolerations, &cordon)) {
		return cordon.key;
	}
	return (plm_sym){0};
}

/* ---- label selectors ----------------------------------------------------------------------------- */

bool selects(const struct view *v, const struct plm_selector *selector, plm_sym labels)
{
	uint32_t count = 0;
	const struct plm_expr *exprs = PLM_SPAN(v->st, selector->exprs, struct plm_expr, &count);

	if (selector->present == 0) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		plm_sym value = {0};
		bool has = plm_kv_get(v->st, labels, exprs[i].key, &value);

		if (has ? !expr_admits(v, &exprs[i], value) : !expr_admits_absent(&exprs[i])) {
			return false;
		}
	}
	return true;
}
