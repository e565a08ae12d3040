/* Who may be near whom: affinity, anti-affinity both ways, spread; and a pod's own node affinity. */
#include "tools/feasible/view.h"

static const struct plm_pod *pod_of(const struct view *v, const struct resident *r)
{
	return plm_pod_at(v->st, r->pod);
}

/* What the host is called under a topology key, over all types that it may become. */
static struct values domain_of(const struct view *v, const struct host *host, plm_sym key)
{
	uint32_t count = 0;
	const plm_sym *types = PLM_SPAN(v->st, claim_at(v, host)->types, plm_sym, &count);
	plm_sym *all = NULL;
	struct values domain = {0};

	if (!host->open || plm_sym_equal(key, v->hostname)) {
		return values_of(v, host, (plm_id){0}, key);
	}
	all = PLM_NEW_ARRAY(v->arena, 256, plm_sym);
	domain.list = all;
	for (uint32_t i = 0; i < count; i++) {
		plm_id type = type_named(v, types[i]);
		struct values some = values_of(v, host, type, key);

		domain.any = domain.any || some.any;
		for (uint32_t k = 0; type.n != 0 && k < some.count; k++) {
			bool had = false;

			for (uint32_t x = 0; x < domain.count; x++) {
				had = had || plm_sym_equal(all[x], some.list[k]);
			}
			if (!had && domain.count < 256) {
				all[domain.count++] = some.list[k];
			}
		}
	}
	return domain;
}

static bool meet(const struct values *a, const struct values *b)
{
	for (uint32_t i = 0; i < a->count; i++) {
		for (uint32_t k = 0; k < b->count; k++) {
			if (plm_sym_equal(a->list[i], b->list[k])) {
				return true;
			}
		}
	}
	return false;
}

/* Do the two pods agree ('same') or differ on the keys? A key that 'owner' lacks says nothing. */
static bool keys_hold(const struct view *v, plm_sym keys, const struct plm_pod *owner,
		      const struct plm_pod *other, bool same)
{
	uint32_t count = 0;
	const plm_sym *list = PLM_SPAN(v->st, keys, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_sym mine = {0};
		plm_sym theirs = {0};
		bool has = plm_kv_get(v->st, other->object.labels, list[i], &theirs);

		if (plm_kv_get(v->st, owner->object.labels, list[i], &mine) &&
		    same != (has && plm_sym_equal(mine, theirs))) {
			return false;
		}
	}
	return true;
}

static bool in_namespace(const struct view *v, const struct plm_affinity *term,
			 const struct plm_pod *owner, const struct plm_pod *other)
{
	plm_id ns = plm_find(v->st, PLM_KIND_NAMESPACE, (plm_sym){0}, other->object.ns);

	if (term->namespaces.n == 0 && term->ns_selector.present == 0) {
		return plm_sym_equal(owner->object.ns, other->object.ns);
	}
	return plm_syms_have(v->st, term->namespaces, other->object.ns) ||
	       (ns.n != 0 &&
		selects(v, &term->ns_selector, plm_namespace_at(v->st, ns)->object.labels));
}

static bool term_matches(const struct view *v, const struct plm_affinity *term,
			 const struct plm_pod *owner, const struct plm_pod *other)
{
	return in_namespace(v, term, owner, other) &&
	       selects(v, &term->selector, other->object.labels) &&
	       keys_hold(v, term->match_keys, owner, other, true) &&
	       keys_hold(v, term->mismatch_keys, owner, other, false);
}

/* ---- anti-affinity ------------------------------------------------------------------------------- */

/* Does a term of 'owner' keep 'other' away from where both would be? */
static bool keeps_away(const struct view *v, const struct resident *owner,
		       const struct resident *other)
{
	uint32_t count = 0;
	const struct plm_affinity *terms = PLM_SPAN(
		v->st, shape_of(v, pod_of(v, owner))->anti_affinity, struct plm_affinity, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_sym key = new_key(v, terms[i].topology_key);
		struct values mine;
		struct values theirs;

		if (!term_matches(v, &terms[i], pod_of(v, owner), pod_of(v, other))) {
			continue;
		}
		mine = domain_of(v, &v->hosts[owner->host], key);
		theirs = domain_of(v, &v->hosts[other->host], key);
		if (meet(&mine, &theirs)) {
			return true;
		}
	}
	return false;
}

static void judge_anti(const struct view *v, const struct resident *r)
{
	for (uint32_t i = 0; i < v->resident_count; i++) {
		const struct resident *other = &v->residents[i];

		if (other->pod.n != r->pod.n &&
		    (keeps_away(v, r, other) || keeps_away(v, other, r))) {
			struct plm_slice x = plm_str(v->st, pod_of(v, r)->object.name);
			struct plm_slice y = plm_str(v->st, pod_of(v, other)->object.name);

			say(v, "pods %.*s and %.*s must not be in one domain", (int)x.size,
			    (const char *)x.ptr, (int)y.size, (const char *)y.ptr);
		}
	}
}

/* ---- affinity ------------------------------------------------------------------------------------ */

static bool has_company(const struct view *v, const struct resident *r,
			const struct plm_affinity *term)
{
	plm_sym key = new_key(v, term->topology_key);
	struct values mine = domain_of(v, &v->hosts[r->host], key);
	bool elsewhere = false;

	for (uint32_t i = 0; i < v->resident_count; i++) {
		const struct resident *other = &v->residents[i];
		struct values theirs;

		if (other->pod.n == r->pod.n ||
		    !term_matches(v, term, pod_of(v, r), pod_of(v, other))) {
			continue;
		}
		theirs = domain_of(v, &v->hosts[other->host], key);
		if (other->host == r->host || mine.any || theirs.any || meet(&mine, &theirs)) {
			return true;
		}
		elsewhere = true;
	}
	/* The first of a group that looks for itself may be anywhere. */
	return !elsewhere && term_matches(v, term, pod_of(v, r), pod_of(v, r));
}

static void judge_affinity(const struct view *v, const struct resident *r)
{
	uint32_t count = 0;
	const struct plm_affinity *terms =
		PLM_SPAN(v->st, shape_of(v, pod_of(v, r))->affinity, struct plm_affinity, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (!has_company(v, r, &terms[i])) {
			struct plm_slice name = plm_str(v->st, pod_of(v, r)->object.name);
			struct plm_slice key = plm_str(v->st, terms[i].topology_key);

			say(v, "pod %.*s: nobody that it wants to be with is in its %.*s",
			    (int)name.size, (const char *)name.ptr, (int)key.size,
			    (const char *)key.ptr);
		}
	}
}

/* ---- spread -------------------------------------------------------------------------------------- */

static bool spread_matches(const struct view *v, const struct plm_spread *spread,
			   const struct plm_pod *owner, const struct plm_pod *other)
{
	return plm_sym_equal(owner->object.ns, other->object.ns) &&
	       other->object.deleting_ms == PLM_UNSET &&
	       selects(v, &spread->selector, other->object.labels) &&
	       keys_hold(v, spread->match_keys, owner, other, true);
}

/* Does the pod have the same rule, so that it was counted when it was placed? */
static bool has_rule(const struct view *v, const struct plm_pod *pod, const struct plm_spread *rule)
{
	uint32_t count = 0;
	const struct plm_spread *list =
		PLM_SPAN(v->st, shape_of(v, pod)->spread, struct plm_spread, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].topology_key, rule->topology_key) &&
		    plm_sym_equal(list[i].selector.exprs, rule->selector.exprs) &&
		    list[i].when == PLM_SPREAD_DO_NOT_SCHEDULE &&
		    list[i].max_skew <= rule->max_skew) {
			return true;
		}
	}
	return false;
}

/* One domain more than there are hosts: that of the pod that is judged. */
struct counting {
	plm_sym *domains;
	int64_t *counts;
	uint32_t count, room;
};

static uint32_t domain_at(struct counting *c, plm_sym domain)
{
	uint32_t at = 0;

	while (at < c->count && !plm_sym_equal(c->domains[at], domain)) {
		at++;
	}
	if (at == c->count) {
		PLM_ASSERT(c->count < c->room);
		c->domains[c->count] = domain;
		c->counts[c->count++] = 0;
	}
	return at;
}

/* Does the host count for the pod's spread? */
static bool counts(const struct view *v, const struct plm_spread *rule,
		   const struct plm_shape *shape, const struct host *host)
{
	if (rule->affinity_policy != PLM_NODE_POLICY_IGNORE &&
	    !node_fits(v, shape, host, (plm_id){0}, false)) {
		return false;
	}
	return rule->taints_policy != PLM_NODE_POLICY_HONOR ||
	       taint_against(v, shape, (plm_sym){0}, host).n == 0;
}

/* Domains of hosts whose domain is known and that count, with the pods there that are counted. */
static struct counting *count_domains(const struct view *v, const struct resident *r,
				      const struct plm_spread *rule)
{
	struct counting *c = PLM_NEW(v->arena, struct counting);
	const struct plm_shape *shape = shape_of(v, pod_of(v, r));
	plm_sym key = new_key(v, rule->topology_key);
	plm_sym *of_host = PLM_NEW_ARRAY(v->arena, v->host_count, plm_sym);

	c->room = v->host_count + 1;
	c->domains = PLM_NEW_ARRAY(v->arena, c->room, plm_sym);
	c->counts = PLM_NEW_ARRAY(v->arena, c->room, int64_t);
	for (uint32_t i = 0; i < v->host_count; i++) {
		struct values domain = domain_of(v, &v->hosts[i], key);

		if (!domain.any && domain.count == 1 &&
		    (i == r->host || counts(v, rule, shape, &v->hosts[i]))) {
			of_host[i] = domain.list[0];
			(void)domain_at(c, of_host[i]);
		}
	}
	for (uint32_t i = 0; i < v->resident_count; i++) {
		const struct resident *other = &v->residents[i];
		const struct plm_pod *pod = pod_of(v, other);

		/*
		 * Who came in the same plan without the rule came behind it here, and before it
		 * elsewhere, for all we know.
		 */
		if (of_host[other->host].n != 0 && spread_matches(v, rule, pod_of(v, r), pod) &&
		    (!other->fresh || has_rule(v, pod, rule) ||
		     !plm_sym_equal(of_host[other->host], of_host[r->host]))) {
			c->counts[domain_at(c, of_host[other->host])]++;
		}
	}
	return c;
}

static void judge_rule(const struct view *v, const struct resident *r,
		       const struct plm_spread *rule)
{
	struct values mine = domain_of(v, &v->hosts[r->host], new_key(v, rule->topology_key));
	struct plm_slice name = plm_str(v->st, pod_of(v, r)->object.name);
	struct plm_slice key = plm_str(v->st, rule->topology_key);
	struct counting *c = NULL;
	int64_t least = INT64_MAX;
	int64_t here = 0;

	if (mine.any) {
		return;
	}
	if (mine.count != 1) {
		say(v, "pod %.*s: spread over %.*s, and its node may be in %u of them",
		    (int)name.size, (const char *)name.ptr, (int)key.size, (const char *)key.ptr,
		    mine.count);
		return;
	}
	c = count_domains(v, r, rule);
	for (uint32_t i = 0; i < c->count; i++) {
		least = plm_min(least, c->counts[i]);
	}
	if (plm_sym_equal(new_key(v, rule->topology_key), v->hostname) ||
	    (rule->min_domains != PLM_UNSET && (int64_t)c->count < rule->min_domains)) {
		least = 0;
	}
	here = c->counts[domain_at(c, mine.list[0])];
	if (here - least > rule->max_skew) {
		say(v, "pod %.*s: %lld of its kind in its %.*s and %lld in another, maxSkew %lld",
		    (int)name.size, (const char *)name.ptr, (long long)here, (int)key.size,
		    (const char *)key.ptr, (long long)least, (long long)rule->max_skew);
	}
}

static void judge_spread(const struct view *v, const struct resident *r)
{
	uint32_t count = 0;
	const struct plm_spread *list =
		PLM_SPAN(v->st, shape_of(v, pod_of(v, r))->spread, struct plm_spread, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (list[i].when == PLM_SPREAD_DO_NOT_SCHEDULE) {
			judge_rule(v, r, &list[i]);
		}
	}
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void judge_node(const struct view *v, const struct resident *r)
{
	const struct host *host = &v->hosts[r->host];
	const struct plm_shape *shape = shape_of(v, pod_of(v, r));
	struct plm_slice name = plm_str(v->st, pod_of(v, r)->object.name);
	struct plm_slice on = plm_str(v->st, host->name);
	plm_sym taint = taint_against(v, shape, (plm_sym){0}, host);
	uint32_t count = 0;
	const plm_sym *types = PLM_SPAN(v->st, claim_at(v, host)->types, plm_sym, &count);
	plm_id bad = {0};
	bool fits = host->open || node_fits(v, shape, host, bad, true);

	if (taint.n != 0) {
		struct plm_slice key = plm_str(v->st, taint);

		say(v, "pod %.*s on %.*s: taint %.*s keeps it off", (int)name.size,
		    (const char *)name.ptr, (int)on.size, (const char *)on.ptr, (int)key.size,
		    (const char *)key.ptr);
	}
	for (uint32_t i = 0; host->open && fits && i < count; i++) {
		bad = type_named(v, types[i]);
		fits = bad.n == 0 || node_fits(v, shape, host, bad, true);
	}
	if (!fits) {
		struct plm_slice type = plm_str(v->st, plm_instance_type_at(v->st, bad)->name);

		say(v, "pod %.*s on %.*s%s%.*s: the node is not what it asks for", (int)name.size,
		    (const char *)name.ptr, (int)on.size, (const char *)on.ptr,
		    type.size > 0 ? " as " : "", (int)type.size, (const char *)type.ptr);
	}
}

void judge_near(const struct view *v, const struct resident *r)
{
	judge_node(v, r);
	judge_anti(v, r);
	judge_affinity(v, r);
	judge_spread(v, r);
}
